/*
 * int_encode.c
 *		Writes a vector of integers in the encoding the chooser picked.
 *
 * NULL positions hold fillers that cost nothing: code 0 in a frame of
 * reference (so that the sum is base times non-nulls plus the sum of codes),
 * the running value in runs and in deltas.  Where more than half are NULL, as
 * of a segment that has lost as many rows, only the other values are stored.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/block_codec.h"
#include "encoding/float_vector.h"
#include "encoding/raw.h"
#include "encoding/simple64.h"

#define PATCH_POSITION_BITS 10

/* Values that are not NULL, at most, of a vector that is stored dense. */
#define DENSE_FRACTION		2

static void
append_packed(ByteBuffer *body, const uint64_t *codes, uint32_t ncodes,
			  int width)
{
	size_t		length = bitpack_length(ncodes, width);

	bitpack_pack(codes, ncodes, width, bytebuffer_reserve(body, length));
	body->length += length;
}

static void
append_header(ByteBuffer *body, const IntStats *stats, int width, int64_t base,
			  bool is_delta, int64_t step)
{
	int			base_length = int_length(base);
	int			divisor_length = stats->divisor > 1 ? uint_length(stats->divisor) : 0;

	bytebuffer_append_uint(body, (uint64_t) width, 1);
	bytebuffer_append_uint(body,
						   (uint64_t) (base_length | divisor_length << 4), 1);
	bytebuffer_append_uint(body, (uint64_t) base, base_length);
	bytebuffer_append_uint(body, stats->divisor, divisor_length);
	if (is_delta)
	{
		bytebuffer_append_uint(body, (uint64_t) int_length(step), 1);
		bytebuffer_append_uint(body, (uint64_t) step, int_length(step));
	}
}

/* Codes of a frame of reference: residuals, 0 where NULL. */
static const uint64_t *
reference_codes(const IntVector *vector, IntWorkspace *work)
{
	if (vector->nulls == NULL)
		return work->residuals;
	for (uint32_t i = 0; i < vector->nvalues; i++)
		work->codes[i] = work->residuals[i] &
			((uint64_t) bitmap_get(vector->nulls, i) - 1);
	return work->codes;
}

/* Widths of narrow types are stored as type widths at most. */
static void
append_raw(const IntVector *vector, ByteBuffer *body)
{
	int			size = vector->type.size;
	uint8_t    *out = bytebuffer_reserve(body,
										 (size_t) vector->nvalues * (size_t) size);

	for (uint32_t i = 0; i < vector->nvalues; i++)
	{
		uint64_t	value = (uint64_t) vector->values[i];

		for (int byte = 0; byte < size; byte++)
			*out++ = (uint8_t) (value >> (8 * byte));
	}
	body->length += (size_t) vector->nvalues * (size_t) size;
}

static void
append_patches(const uint64_t *codes, uint32_t ncodes, const IntPlan *plan,
			   IntWorkspace *work, ByteBuffer *body)
{
	uint64_t   *positions = work->extra;
	uint64_t   *highs = work->extra + VECTOR_LENGTH / 2;
	uint64_t	mask = (UINT64_C(1) << plan->width) - 1;
	uint32_t	npatches = 0;

	/* codes may be work->codes itself: read each before it is written */
	for (uint32_t i = 0; i < ncodes; i++)
	{
		uint64_t	code = codes[i];

		if (code > mask)
		{
			ENCODING_ASSERT(npatches < VECTOR_LENGTH / 2);
			positions[npatches] = i;
			highs[npatches++] = code >> plan->width;
		}
		work->codes[i] = code & mask;
	}
	bytebuffer_append_uint(body, npatches, 2);
	bytebuffer_append_uint(body, (uint64_t) plan->patch_width, 1);
	append_packed(body, work->codes, ncodes, plan->width);
	append_packed(body, positions, npatches, PATCH_POSITION_BITS);
	append_packed(body, highs, npatches, plan->patch_width);
}

static void
append_runs(const IntVector *vector, const IntPlan *plan, IntWorkspace *work,
			ByteBuffer *body)
{
	uint64_t   *lengths = work->extra;
	uint32_t	nruns = 0;
	uint32_t	start = 0;
	int			length_width = bitpack_width(work->stats.max_run - 1);

	for (uint32_t i = 1; i <= vector->nvalues; i++)
	{
		if (i < vector->nvalues && vector->values[i] == vector->values[i - 1])
			continue;
		work->codes[nruns] = work->residuals[start];
		lengths[nruns++] = i - start - 1;
		start = i;
	}
	bytebuffer_append_uint(body, nruns, 2);
	bytebuffer_append_uint(body, (uint64_t) length_width, 1);
	append_packed(body, work->codes, nruns, plan->width);
	append_packed(body, lengths, nruns, length_width);
}

/* Returns false, appending nothing, if words take more than limit bytes. */
static bool
append_simple64(const IntVector *vector, const IntPlan *plan, size_t limit,
				IntWorkspace *work, ByteBuffer *body)
{
	bool		is_delta = plan->encoding == INT_SIMPLE64_DELTA;
	const uint64_t *codes = is_delta ? work->deltas : reference_codes(vector,
																	  work);
	int64_t		base = is_delta ? vector->values[0] : work->stats.min;
	int64_t		length = simple64_encode(codes, vector->nvalues, work->words);

	if (length < 0 ||
		(size_t) length + int_header_length(&work->stats, base, is_delta) > limit)
		return false;
	append_header(body, &work->stats, 0, base, is_delta,
				  work->stats.min_delta);
	bytebuffer_append(body, work->words, (size_t) length);
	return true;
}

static void
append_planned(const IntVector *vector, const IntPlan *plan,
			   IntWorkspace *work, ByteBuffer *body)
{
	const IntStats *stats = &work->stats;
	bool		is_delta = plan->encoding == INT_DELTA ||
		plan->encoding == INT_PATCHED_DELTA;
	int64_t		base = is_delta ? vector->values[0] : stats->min;

	if (plan->encoding == INT_CONSTANT)
	{
		bytebuffer_append_uint(body, (uint64_t) stats->min,
							   int_length(stats->min));
		return;
	}
	if (plan->encoding == INT_RAW)
	{
		append_raw(vector, body);
		return;
	}
	append_header(body, stats, plan->width, base, is_delta,
				  plan->is_steady ? stats->steady_delta : stats->min_delta);
	switch (plan->encoding)
	{
		case INT_FOR:
			append_packed(body, reference_codes(vector, work), vector->nvalues,
						  plan->width);
			break;
		case INT_DELTA:
			append_packed(body, work->deltas, vector->nvalues, plan->width);
			break;
		case INT_PATCHED:
			append_patches(reference_codes(vector, work), vector->nvalues,
						   plan, work, body);
			break;
		case INT_PATCHED_DELTA:
			append_patches(plan->is_steady ? work->steady : work->deltas,
						   vector->nvalues, plan, work, body);
			break;
		default:
			ENCODING_ASSERT(plan->encoding == INT_RUNS);
			append_runs(vector, plan, work, body);
			break;
	}
}

uint8_t
int_vector_encode_light(const IntVector *vector, const IntOptions *options,
						IntWorkspace *work, ByteBuffer *body)
{
	IntPlan		best;
	IntPlan		fallback;

	int_stats_collect(vector->values, vector->nvalues, vector->type.size,
					  work);
	int_choose(vector, work, options, &best, &fallback);
	if (best.encoding == INT_SIMPLE64 || best.encoding == INT_SIMPLE64_DELTA)
	{
		if (append_simple64(vector, &best, fallback.length, work, body))
			return (uint8_t) best.encoding;
		best = fallback;
	}
	append_planned(vector, &best, work, body);
	return (uint8_t) best.encoding;
}

/*
 * Replace what was appended since start by raw values through the codec, if
 * that saves enough to be worth its slower decoding.
 */
static bool
try_block(const IntVector *vector, const IntOptions *options, size_t start,
		  IntWorkspace *work, ByteBuffer *body)
{
	size_t		light = body->length - start;
	size_t		length;

	if (options->codec == CODEC_NONE)
		return false;
	length = int_block_encode(vector, options, light, work->trial);
	if (length == 0)
		return false;
	body->length = start;
	bytebuffer_append(body, work->trial, length);
	work->used_block = true;
	return true;
}

uint8_t
int_vector_encode_stored(const IntVector *vector, const IntOptions *options,
						 IntWorkspace *work, ByteBuffer *body)
{
	size_t		start = body->length;
	uint8_t		encoding = int_vector_encode_light(vector, options, work, body);

	if (encoding != INT_CONSTANT &&
		try_block(vector, options, start, work, body))
		return INT_BLOCK;
	return encoding;
}

/* Copy the non-null values to work->dense, returning how many. */
static uint32_t
collect_dense(const IntVector *vector, IntWorkspace *work)
{
	uint32_t	ndense = 0;

	for (uint32_t i = 0; i < vector->nvalues; i++)
	{
		work->dense[ndense] = vector->values[i];
		ndense += !bitmap_get(vector->nulls, i);
		if (ndense == VECTOR_LENGTH)
			break;
	}
	return ndense;
}

uint8_t
int_vector_encode(const IntVector *vector, const IntOptions *options,
				  IntWorkspace *work, ByteBuffer *body)
{
	IntVector	stored = *vector;
	uint8_t		flags = 0;
	IntEncoding encoding;

	work->used_block = false;
	if (vector->nulls != NULL)
	{
		uint32_t	ndense = collect_dense(vector, work);

		if (ndense > 0 && ndense < vector->nvalues / DENSE_FRACTION)
		{
			stored.values = work->dense;
			stored.nvalues = ndense;
			stored.nulls = NULL;
			flags = INT_ENCODING_DENSE;
		}
	}
	encoding = (IntEncoding) (vector->type.is_float ?
							  float_vector_encode(&stored, options, work, body) :
							  int_vector_encode_stored(&stored, options, work, body));
	if (encoding == INT_CONSTANT)
		return INT_CONSTANT;	/* the same bytes, dense or not */
	return (uint8_t) encoding | flags;
}
