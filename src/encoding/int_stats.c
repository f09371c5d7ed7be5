/*
 * int_stats.c
 *		What the chooser needs to know of a vector of integers.
 *
 * A few short loops over at most 1,024 values in the first-level cache: range
 * and runs, differences from the minimum, their common divisor, deltas, and
 * histograms of bit widths, from which the sizes of most encodings follow by
 * arithmetic.  No step compares or allocates per value more than it must: the
 * whole costs a few nanoseconds per value.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_vector.h"

/* One value in so many tells whether deltas may help. */
#define DELTA_SAMPLE_STEP 7

/* The steady delta is this one of so many. */
#define STEADY_SAMPLES 64
#define STEADY_RANK 4

/* A prime: even steps would fall in with what repeats in the data. */
#define STEADY_STRIDE 619

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

static void
collect_range(const int64_t *values, uint32_t nvalues, IntStats *stats)
{
	int64_t		min = values[0];
	int64_t		max = values[0];
	uint32_t	nruns = 1;
	uint32_t	max_run = 0;
	uint32_t	run_start = 0;

	for (uint32_t i = 1; i < nvalues; i++)
	{
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
		nruns += values[i] != values[i - 1];
	}
	stats->min = min;
	stats->max = max;
	stats->nruns = nruns;
	if (nruns > nvalues / 2)
	{
		stats->max_run = nvalues;	/* run-length is out of the question */
		return;
	}
	for (uint32_t i = 1; i <= nvalues; i++)
	{
		if (i == nvalues || values[i] != values[i - 1])
		{
			max_run = i - run_start > max_run ? i - run_start : max_run;
			run_start = i;
		}
	}
	stats->max_run = max_run;
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

	for (uint32_t i = 0; i < nvalues; i++)
		work->residuals[i] = (uint64_t) values[i] - base;
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

/* Deltas of residuals; left out where their differences could overflow. */
static void
collect_deltas(uint32_t nvalues, IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	const uint64_t *residuals = work->residuals;
	int64_t		min = INT64_MAX;
	int64_t		max = INT64_MIN;

	stats->has_delta = stats->width < 62 && nvalues > 2;
	if (!stats->has_delta)
		return;
	for (uint32_t i = 1; i < nvalues; i++)
	{
		int64_t		delta = (int64_t) (residuals[i] - residuals[i - 1]);

		min = delta < min ? delta : min;
		max = delta > max ? delta : max;
	}
	work->deltas[0] = 0;
	for (uint32_t i = 1; i < nvalues; i++)
		work->deltas[i] = residuals[i] - residuals[i - 1] - (uint64_t) min;
	stats->min_delta = min;
	stats->delta_width = bitpack_width((uint64_t) max - (uint64_t) min);
}

/* Two histograms in turn: equal widths would wait for each other's count. */
static void
collect_widths(const uint64_t *codes, uint32_t nvalues, uint16_t *widths)
{
	uint16_t	odd[65];

	memset(widths, 0, 65 * sizeof(uint16_t));
	memset(odd, 0, sizeof(odd));
	for (uint32_t i = 0; i + 1 < nvalues; i += 2)
	{
		widths[bitpack_width(codes[i])]++;
		odd[bitpack_width(codes[i + 1])]++;
	}
	if (nvalues % 2 != 0)
		widths[bitpack_width(codes[nvalues - 1])]++;
	for (int width = 0; width <= 64; width++)
		widths[width] += odd[width];
}

/*
 * Are deltas no narrower than residuals, by a sample?  Then they are left out:
 * they are slower to decode, too.
 */
static bool
deltas_are_hopeless(const IntWorkspace *work, uint32_t nvalues)
{
	uint32_t	residual_bits = 0;
	uint32_t	delta_bits = 0;

	for (uint32_t i = 1; i < nvalues; i += DELTA_SAMPLE_STEP)
	{
		residual_bits += (uint32_t) bitpack_width(work->residuals[i]);
		delta_bits += (uint32_t) bitpack_width(work->deltas[i]);
	}
	return delta_bits >= residual_bits;
}

/*
 * A delta that only some in sixteen lie below, by a sample: the fourth of 64.
 * Where a counter starts again or a float changes its sign, the least delta is
 * far from all others, which would all be wide.
 */
static int64_t
find_steady_delta(const IntWorkspace *work, uint32_t nvalues)
{
	uint64_t	least[STEADY_RANK];

	for (int i = 0; i < STEADY_RANK; i++)
		least[i] = UINT64_MAX;
	for (uint32_t k = 0; k < STEADY_SAMPLES; k++)
	{
		uint32_t	i = 1 + k * STEADY_STRIDE % (nvalues - 1);
		uint64_t	delta = work->deltas[i];
		int			place = STEADY_RANK - 1;

		if (delta >= least[place])
			continue;
		for (; place > 0 && delta < least[place - 1]; place--)
			least[place] = least[place - 1];
		least[place] = delta;
	}
	return (int64_t) (least[STEADY_RANK - 1] + (uint64_t) work->stats.min_delta);
}

/*
 * Deltas less the steady one.  Those below it wrap around in the type, and can
 * only be patched; a frame that begins with the least serves if it is near.
 */
static void
collect_steady(uint32_t nvalues, int size, IntWorkspace *work)
{
	IntStats   *stats = &work->stats;
	uint64_t	mask = UINT64_MAX >> (64 - 8 * size);
	uint64_t	shift;

	stats->has_steady = false;
	if (nvalues <= STEADY_SAMPLES)
		return;
	stats->steady_delta = find_steady_delta(work, nvalues);
	shift = (uint64_t) stats->steady_delta - (uint64_t) stats->min_delta;
	if (bitpack_width(shift) + 2 < stats->delta_width || shift == 0)
		return;
	stats->has_steady = true;
	for (uint32_t i = 1; i < nvalues; i++)
		work->steady[i] = (work->deltas[i] - shift) & mask;
	work->steady[0] = 0;
	collect_widths(work->steady, nvalues, stats->steady_widths);
}

void
int_stats_collect(const int64_t *values, uint32_t nvalues, int size,
				  IntWorkspace *work)
{
	IntStats   *stats = &work->stats;

	ENCODING_ASSERT(nvalues > 0 && nvalues <= VECTOR_LENGTH);
	collect_range(values, nvalues, stats);
	if (stats->min == stats->max)
	{
		stats->divisor = 0;
		stats->width = 0;
		stats->has_delta = false;
		stats->has_steady = false;
		return;
	}
	collect_residuals(values, nvalues, work);
	collect_deltas(nvalues, work);
	collect_widths(work->residuals, nvalues, stats->widths);
	stats->has_steady = false;
	if (stats->has_delta)
		collect_steady(nvalues, size, work);
	if (stats->has_delta && deltas_are_hopeless(work, nvalues))
		stats->has_delta = false;
	if (stats->has_delta)
		collect_widths(work->deltas, nvalues, stats->delta_widths);
}
