/*
 * int_stats.c
 *		What the chooser needs to know of a vector of integers.
 *
 * A few short passes over at most 1,024 values in the first-level cache: range
 * and runs, differences from the minimum and their common divisor, from which
 * the sizes of most encodings follow by arithmetic.  Deltas and histograms of
 * bit widths cost more, and are made only where a sample of 64 values promises
 * something of them.  All is a function of the values alone.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_scan.h"
#include "encoding/int_vector.h"

/*
 * Samples of a vector, and how far they are apart: a prime, because even steps
 * would fall in with what repeats in the data.
 */
#define NSAMPLES 64
#define SAMPLE_STRIDE 619

/* The steady delta is this one of the samples. */
#define STEADY_RANK 4

/* One sample in so many of full width leaves nothing to patch. */
#define WIDE_FRACTION 5

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Exact division by a known divisor: shift out its power of two, multiply by
 * the inverse of its odd part.  The quotient of something that is no multiple
 * comes out greater than UINT64_MAX / odd, or has low bits set.
 */
typedef struct ExactDivisor
{
	int			shift;
	uint64_t	inverse;
	uint64_t	limit;			/* largest quotient by the odd part */
} ExactDivisor;

static void
exact_divisor_init(ExactDivisor *exact, uint64_t divisor)
{
	uint64_t	odd;
	uint64_t	inverse;

	exact->shift = __builtin_ctzll(divisor);
	odd = divisor >> exact->shift;

	/* Newton's iteration doubles the good bits, of which odd itself has 3. */
	inverse = odd;
	for (int i = 0; i < 5; i++)
		inverse *= 2 - odd * inverse;
	exact->inverse = inverse;
	exact->limit = UINT64_MAX / odd;
}

static inline bool
exact_divides(const ExactDivisor *exact, uint64_t value)
{
	return (value & ((UINT64_C(1) << exact->shift) - 1)) == 0 &&
		(value >> exact->shift) * exact->inverse <= exact->limit;
}

/* The longest run, if there are few enough to be stored as such. */
static uint32_t
longest_run(const int64_t *values, uint32_t nvalues, uint32_t nruns)
{
	uint32_t	longest = 0;
	uint32_t	start = 0;

	if (nruns > nvalues / 2)
		return nvalues;			/* run-length is out of the question */
	for (uint32_t i = 1; i <= nvalues; i++)
	{
		if (i == nvalues || values[i] != values[i - 1])
		{
			longest = i - start > longest ? i - start : longest;
			start = i;
		}
	}
	return longest;
}

static void
collect_range(const int64_t *values, uint32_t nvalues, IntStats *stats)
{
	IntRange	range;

	int_scan()->range(values, nvalues, &range);
	stats->min = range.min;
	stats->max = range.max;
	stats->nruns = range.nruns;
	stats->max_run = longest_run(values, nvalues, range.nruns);
}

/* The common divisor of all residuals, at least 1 unless all are 0. */
static uint64_t
find_divisor(const uint64_t *residuals, uint32_t nvalues)
{
	uint64_t	divisor = 0;
	ExactDivisor exact = {0, 0, 0};

	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (residuals[i] == 0 ||
			(divisor != 0 && exact_divides(&exact, residuals[i])))
			continue;
		divisor = greatest_common_divisor(residuals[i], divisor);
		if (divisor == 1)
			break;
		exact_divisor_init(&exact, divisor);
	}
	return divisor;
}

static void
collect_residuals(const int64_t *values, uint32_t nvalues, IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	uint64_t	base = (uint64_t) stats->min;

	int_scan()->subtract(values, nvalues, base, work->residuals);
	stats->divisor = find_divisor(work->residuals, nvalues);
	if (stats->divisor > 1)
	{
		ExactDivisor exact;

		exact_divisor_init(&exact, stats->divisor);
		for (uint32_t i = 0; i < nvalues; i++)
			work->residuals[i] = (work->residuals[i] >> exact.shift) * exact.inverse;
	}
	stats->width = stats->divisor == 0 ? 0 :
		bitpack_width(((uint64_t) stats->max - base) / stats->divisor);
}

/* Four histograms in turn: equal widths would wait for each other's count. */
static void
collect_widths(const uint64_t *codes, uint32_t nvalues, uint16_t *widths)
{
	uint16_t	counts[4][65];
	uint32_t	i = 0;

	memset(counts, 0, sizeof(counts));
	for (; i + 3 < nvalues; i += 4)
	{
		counts[0][bitpack_width(codes[i])]++;
		counts[1][bitpack_width(codes[i + 1])]++;
		counts[2][bitpack_width(codes[i + 2])]++;
		counts[3][bitpack_width(codes[i + 3])]++;
	}
	for (; i < nvalues; i++)
		counts[0][bitpack_width(codes[i])]++;
	for (int width = 0; width <= 64; width++)
		widths[width] = (uint16_t) (counts[0][width] + counts[1][width] +
									counts[2][width] + counts[3][width]);
}

/*
 * Can patches or Simple64 be worth a look?  By a sample: not if a fifth of the
 * codes have the full width, which patches must leave to a tenth, and if codes
 * have three quarters of the width in the mean.
 */
static bool
widths_matter(const uint64_t *codes, uint32_t nvalues, int width)
{
	uint32_t	nsamples = nvalues < NSAMPLES ? nvalues : NSAMPLES;
	uint32_t	step = SAMPLE_STRIDE % nvalues;
	uint32_t	i = 0;
	uint32_t	nbits = 0;
	uint32_t	nwide = 0;

	for (uint32_t k = 0; k < nsamples; k++)
	{
		int			bits = bitpack_width(codes[i]);

		i += step;
		i -= i >= nvalues ? nvalues : 0;
		nbits += (uint32_t) bits;
		nwide += bits == width;
	}
	return nwide * WIDE_FRACTION <= nsamples ||
		nbits * 4 < 3 * nsamples * (uint32_t) width;
}

/* What a sample of deltas says of the rest. */
typedef struct DeltaSample
{
	bool		is_narrow;		/* deltas are narrower than residuals ... */
	bool		is_steady;		/* ... or are so but for a few of them */
	int64_t		steady;			/* a delta that only one in sixteen lies below */
} DeltaSample;

/*
 * Sample deltas of residuals.  The steady delta is the fourth of 64 samples:
 * where a counter starts again or a float changes its sign, the least delta is
 * far from all others, which would all be wide.
 */
static void
sample_deltas(const uint64_t *residuals, uint32_t nvalues, DeltaSample *sample)
{
	uint32_t	nsamples = nvalues - 1 < NSAMPLES ? nvalues - 1 : NSAMPLES;
	uint32_t	step = SAMPLE_STRIDE % (nvalues - 1);
	uint32_t	i = 1;
	int64_t		deltas[NSAMPLES];
	int64_t		least[STEADY_RANK];
	uint32_t	residual_bits = 0;
	uint32_t	delta_bits = 0;
	uint32_t	steady_bits = 0;

	for (int k = 0; k < STEADY_RANK; k++)
		least[k] = INT64_MAX;
	for (uint32_t k = 0; k < nsamples; k++)
	{
		int64_t		delta = (int64_t) (residuals[i] - residuals[i - 1]);
		int			place = STEADY_RANK - 1;

		deltas[k] = delta;
		residual_bits += (uint32_t) bitpack_width(residuals[i]);
		i += step;
		i -= i >= nvalues ? nvalues - 1 : 0;
		if (delta >= least[place])
			continue;
		for (; place > 0 && delta < least[place - 1]; place--)
			least[place] = least[place - 1];
		least[place] = delta;
	}
	sample->steady = least[STEADY_RANK - 1];
	for (uint32_t k = 0; k < nsamples; k++)
	{
		delta_bits += (uint32_t) bitpack_width((uint64_t) (deltas[k] - least[0]));
		if (deltas[k] >= sample->steady)
			steady_bits += (uint32_t) bitpack_width((uint64_t) (deltas[k] - sample->steady));
	}
	sample->is_narrow = delta_bits < residual_bits;
	sample->is_steady = nsamples == NSAMPLES && steady_bits < residual_bits;
}

/* Deltas of residuals; left out where their differences could overflow. */
static void
collect_deltas(uint32_t nvalues, IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	int64_t		min;
	int64_t		max;

	int_scan()->delta_range(work->residuals, nvalues, &min, &max);
	int_scan()->deltas(work->residuals, nvalues, (uint64_t) min, UINT64_MAX,
					   work->deltas);
	stats->has_delta = true;
	stats->min_delta = min;
	stats->delta_width = bitpack_width((uint64_t) max - (uint64_t) min);
	stats->has_delta_widths = widths_matter(work->deltas, nvalues,
											stats->delta_width);
	if (stats->has_delta_widths)
		collect_widths(work->deltas, nvalues, stats->delta_widths);
}

/*
 * Deltas less the steady one.  Those below it wrap around in the type, and can
 * only be patched; a frame that begins with the least serves if it is near.
 */
static void
collect_steady(uint32_t nvalues, int size, int64_t steady, IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	uint64_t	mask = UINT64_MAX >> (64 - 8 * size);
	uint64_t	shift = (uint64_t) steady - (uint64_t) stats->min_delta;

	if (shift == 0 || bitpack_width(shift) + 2 < stats->delta_width)
		return;
	stats->has_steady = true;
	stats->steady_delta = steady;
	int_scan()->deltas(work->residuals, nvalues, (uint64_t) steady, mask,
					   work->steady);
	collect_widths(work->steady, nvalues, stats->steady_widths);
}

void
int_stats_collect(const int64_t *values, uint32_t nvalues, int size,
				  IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	DeltaSample sample;

	ENCODING_ASSERT(nvalues > 0 && nvalues <= VECTOR_LENGTH);
	collect_range(values, nvalues, stats);
	stats->has_widths = false;
	stats->has_delta = false;
	stats->has_delta_widths = false;
	stats->has_steady = false;
	if (stats->min == stats->max)
	{
		stats->divisor = 0;
		stats->width = 0;
		return;
	}
	collect_residuals(values, nvalues, work);
	/* Simple64 also takes what repeats, as NULLs do */
	stats->has_widths = stats->nruns <= nvalues - nvalues / 4 ||
		widths_matter(work->residuals, nvalues, stats->width);
	if (stats->has_widths)
		collect_widths(work->residuals, nvalues, stats->widths);
	if (stats->width >= 62 || nvalues <= 2)
		return;
	sample_deltas(work->residuals, nvalues, &sample);
	if (sample.is_narrow || sample.is_steady)
		collect_deltas(nvalues, work);
	if (sample.is_steady)
		collect_steady(nvalues, size, sample.steady, work);
}
