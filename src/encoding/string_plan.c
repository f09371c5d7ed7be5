/*
 * string_plan.c
 *		How a sequence of strings is best stored, by trying it on samples.
 *
 * With and without prefixes, and by each codec that may be used.  A byte is
 * weighed against the time that opening blocks takes, with the same weights on
 * every host: chunks depend on the strings and options alone.
 */
#include "encoding/base.h"

#include "encoding/string_sequence.h"

/*
 * Nanoseconds to open a block, per raw and per stored byte: long matches are
 * copied, literals are decoded.
 */
static const double raw_costs[] = {0.03, 0.1, 0.35};
static const double stored_costs[] = {0, 0.6, 1.9};

/* Nanoseconds to put a byte of planes back, and a string together. */
#define COST_PLANES 0.15
#define COST_PREFIX 5.0

/* Blocks that are tried at most; one for each so many that there are. */
#define MAX_SAMPLES 3
#define BLOCKS_PER_SAMPLE 16

/* Prefixes are tried where they are at least such a part of the bytes. */
#define MIN_PREFIX_FRACTION 12

/* Strings that are shorter are not arrays of integers. */
#define MIN_PLANES_LENGTH 32

/*
 * A sample: the bytes of some neighbours, once whole, once without prefixes, once
 * in planes.
 */
typedef struct Sample
{
	ByteBuffer	whole;
	ByteBuffer	rest;
	ByteBuffer	planes;
	ByteBuffer	packed;
	uint32_t	lengths;		/* of all strings, or-ed */
	uint32_t	min_length;
	uint32_t	nstrings;
	uint32_t	max_prefix;
} Sample;

/* Sums over samples. */
typedef struct Trial
{
	double		raw;
	double		stored[CODEC_ZSTD + 1];
} Trial;

static void
gather(Sample *sample, const StringRef *strings, uint32_t nstrings,
	   uint32_t first, const ChunkOptions *options)
{
	bytebuffer_reset(&sample->whole);
	bytebuffer_reset(&sample->rest);
	sample->nstrings = 0;
	sample->lengths = 0;
	sample->min_length = UINT32_MAX;
	for (uint32_t i = first; i < nstrings &&
		 sample->whole.length < options->block_size; i++)
	{
		size_t		left = options->block_size - sample->whole.length;
		StringRef	string = strings[i];
		uint32_t	prefix = 0;

		if (i > first && (i - first) % options->prefix_interval != 0)
			prefix = string_common_prefix(strings[i - 1], string);
		if (prefix > sample->max_prefix)
			sample->max_prefix = prefix;
		bytebuffer_append(&sample->rest, string.data + prefix,
						  string.length - prefix < left ?
						  string.length - prefix : left);
		bytebuffer_append(&sample->whole, string.data,
						  string.length < left ? string.length : left);
		sample->nstrings++;
		sample->lengths |= string.length;
		if (string.length < sample->min_length)
			sample->min_length = string.length;
	}
}

static void
try_codecs(const ByteBuffer *bytes, const ChunkOptions *options,
		   ByteBuffer *packed, Trial *trial)
{
	if (bytes->length == 0)
		return;
	trial->raw += (double) bytes->length;
	trial->stored[CODEC_NONE] += (double) bytes->length;
	for (int codec = CODEC_LZ4; codec <= (int) options->codec; codec++)
	{
		size_t		length;

		bytebuffer_reset(packed);
		length = block_codec_append((BlockCodec) codec, options->codec_level,
									bytes->data, bytes->length, packed);
		trial->stored[codec] += (double) (length > 0 ? length : bytes->length);
	}
}

/* Planes to split the sample in: as many as its strings' lengths allow. */
static int
sample_plane_shift(const Sample *sample)
{
	if (sample->min_length < MIN_PLANES_LENGTH || (sample->lengths & 1))
		return 0;
	return sample->lengths & 2 ? 1 : 2;
}

static void
try_planes(Sample *sample, int shift, const ChunkOptions *options,
		   Trial *trial)
{
	size_t		length = sample->whole.length;

	bytebuffer_reset(&sample->planes);
	byte_planes_split(sample->whole.data, length, shift,
					  bytebuffer_reserve(&sample->planes, length));
	sample->planes.length = length;
	try_codecs(&sample->planes, options, &sample->packed, trial);
}

/* What a form costs besides its blocks. */
typedef struct FormCost
{
	double		bytes;
	double		nanoseconds;
} FormCost;

/*
 * The plan for what was tried, scaled by as much as there is in all, if it is a
 * better one.
 */
static void
consider(const Trial *trial, const ChunkOptions *options, double scale,
		 FormCost extra, StringForm form, StringPlan *plan)
{
	for (int codec = CODEC_NONE; codec <= (int) options->codec; codec++)
	{
		double		stored = scale * trial->stored[codec];
		double		length = stored + extra.bytes;
		double		score = length / options->codec_bytes_per_ns +
			scale * trial->raw * raw_costs[codec] +
			stored * stored_costs[codec] + extra.nanoseconds;

		if (score >= plan->score || (codec == CODEC_NONE && form.plane_shift > 0))
			continue;
		plan->form = form;
		plan->form.codec = (BlockCodec) codec;
		plan->length = length;
		plan->score = score;
	}
}

static int
bit_width(uint32_t value)
{
	return value == 0 ? 0 : 32 - __builtin_clz(value);
}

/* What has been tried of a sequence. */
typedef struct Trials
{
	Trial		whole;
	Trial		rest;			/* of all samples, or void */
	Trial		planes;			/* the same */
	bool		has_rest;
	bool		has_planes;
	int			plane_shift;
} Trials;

static void
try_sample(Sample *sample, const ChunkOptions *options, Trials *trials)
{
	int			shift = sample_plane_shift(sample);

	try_codecs(&sample->whole, options, &sample->packed, &trials->whole);
	if (sample->whole.length - sample->rest.length <=
		sample->whole.length / MIN_PREFIX_FRACTION)
		trials->has_rest = false;
	if (trials->has_rest)
		try_codecs(&sample->rest, options, &sample->packed, &trials->rest);
	if (shift < trials->plane_shift)
		trials->plane_shift = shift;
	if (shift != trials->plane_shift || shift == 0 ||
		options->codec == CODEC_NONE)
		trials->has_planes = false;
	if (trials->has_planes)
		try_planes(sample, shift, options, &trials->planes);
}

static void
try_samples(const StringRef *strings, uint32_t nstrings, uint64_t nsamples,
			const ChunkOptions *options, const Allocator *allocator,
			uint32_t *max_prefix, Trials *trials)
{
	Sample		sample;

	sample.max_prefix = 0;
	bytebuffer_init(&sample.whole, allocator);
	bytebuffer_init(&sample.rest, allocator);
	bytebuffer_init(&sample.planes, allocator);
	bytebuffer_init(&sample.packed, allocator);
	for (uint64_t i = 0; i < nsamples; i++)
	{
		uint64_t	place = (uint64_t) nstrings * (2 * i + 1);

		ENCODING_CHECK_INTERRUPTS();
		gather(&sample, strings, nstrings, (uint32_t) (place / (2 * nsamples)),
			   options);
		try_sample(&sample, options, trials);
	}
	*max_prefix = sample.max_prefix;
	bytebuffer_free(&sample.whole);
	bytebuffer_free(&sample.rest);
	bytebuffer_free(&sample.planes);
	bytebuffer_free(&sample.packed);
}

static void
choose(const Trials *trials, const ChunkOptions *options, uint64_t total,
	   uint32_t nstrings, uint32_t max_prefix, StringForm form,
	   StringPlan *plan)
{
	double		scale = (double) total / trials->whole.raw;
	FormCost	extra = {0, 0};

	plan->score = HUGE_SCORE;
	consider(&trials->whole, options, scale, extra, form, plan);
	if (trials->has_planes)
	{
		extra.nanoseconds = COST_PLANES * (double) total;
		form.plane_shift = trials->plane_shift;
		consider(&trials->planes, options, scale, extra, form, plan);
		form.plane_shift = 0;
	}
	if (trials->has_rest)
	{
		extra.bytes = (double) nstrings * bit_width(max_prefix) / 8;
		extra.nanoseconds = nstrings * COST_PREFIX;
		form.has_prefixes = true;
		consider(&trials->rest, options, scale, extra, form, plan);
	}
}

void
string_plan_make(const StringRef *strings, uint32_t nstrings, bool has_words,
				 const ChunkOptions *options, const Allocator *allocator,
				 StringPlan *plan)
{
	StringForm	form = {CODEC_NONE, 0, false, has_words};
	uint64_t	total = 0;
	uint64_t	nsamples;
	uint32_t	max_prefix;
	Trials		trials;

	plan->form = form;
	plan->length = 0;
	plan->score = 0;
	for (uint32_t i = 0; i < nstrings; i++)
		total += strings[i].length;
	if (total == 0)
		return;
	nsamples = 1 + total / options->block_size / BLOCKS_PER_SAMPLE;
	if (nsamples > MAX_SAMPLES)
		nsamples = MAX_SAMPLES;

	memset(&trials, 0, sizeof(trials));
	trials.has_rest = !has_words;	/* prefixes would cut words */
	trials.has_planes = !has_words;
	trials.plane_shift = MAX_PLANE_SHIFT;
	try_samples(strings, nstrings, nsamples, options, allocator, &max_prefix,
				&trials);
	if (trials.whole.raw == 0)
	{
		/* The samples hit empty strings only. */
		plan->length = (double) total;
		plan->score = plan->length / options->codec_bytes_per_ns;
	}
	else
		choose(&trials, options, total, nstrings, max_prefix, form, plan);
}
