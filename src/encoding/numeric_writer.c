/*
 * numeric_writer.c
 *		Chunks of numerics as scaled integers.
 *
 * All values of a chunk get one scale, the largest display scale among them,
 * so that vectors compare and add as integers.  Each value is rebuilt and
 * compared with its input before it is relied on; where anything differs, or a
 * value has no place in 127 bits, the chunk is stored as strings.
 */
#include "encoding/base.h"

#include <math.h>

#include "encoding/chunk_writer.h"
#include "encoding/dictionary.h"
#include "encoding/int_scan.h"
#include "encoding/numeric_codec.h"

typedef struct NumericValues
{
	int			scale;
	bool		is_wide;		/* some value needs more than 64 bits */
	bool		has_special;
	bool		has_scales;		/* display scales differ, or specials occur */
	int64_t    *low;
	int64_t    *high;
	uint8_t    *codes;			/* display scale, or what is special */
} NumericValues;

static const uint8_t *
input_payload(const ChunkInput *input, uint32_t row, size_t *length)
{
	*length = (size_t) (input->offsets[row + 1] - input->offsets[row]);
	return input->bytes + input->offsets[row];
}

/* The largest display scale, or -1 if a chunk cannot have it. */
static int
find_scale(const ChunkInput *input)
{
	int			scale = 0;

	for (uint32_t row = 0; row < input->nrows; row++)
	{
		NumericParts parts;
		size_t		length;
		const uint8_t *payload = input_payload(input, row, &length);

		if (input_is_null(input, row))
			continue;
		if (!numeric_parse(payload, length, &parts))
			return -1;
		if (parts.form == NUMERIC_FINITE && parts.display_scale > scale)
			scale = parts.display_scale;
	}
	return scale <= NUMERIC_MAX_SCALE ? scale : -1;
}

static uint8_t
special_code(NumericForm form)
{
	switch (form)
	{
		case NUMERIC_PLUS_INFINITY:
			return NUMERIC_CODE_PLUS_INFINITY;
		case NUMERIC_MINUS_INFINITY:
			return NUMERIC_CODE_MINUS_INFINITY;
		default:
			return NUMERIC_CODE_NAN;
	}
}

/* Convert one value, and see whether it comes back the same. */
static bool
convert_value(const uint8_t *payload, size_t length, int scale,
			  WideInt *value, uint8_t *code)
{
	uint8_t		rebuilt[NUMERIC_BUILD_LENGTH];
	NumericParts parts;
	int64_t		narrow;
	int			display_scale;

	if (numeric_scale_plain(payload, length, scale, &narrow, &display_scale))
	{
		value->low = (uint64_t) narrow;
		value->high = narrow >> 63;
		*code = (uint8_t) display_scale;
		return true;
	}
	(void) numeric_parse(payload, length, &parts);
	if (parts.form != NUMERIC_FINITE)
	{
		*code = special_code(parts.form);
		return true;
	}
	*code = (uint8_t) parts.display_scale;
	return numeric_scale(&parts, scale, value) &&
		numeric_build(*value, scale, parts.display_scale, rebuilt) == length &&
		memcmp(rebuilt, payload, length) == 0;
}

/* Convert all values; NULLs and specials take the value before them. */
static bool
convert_values(const ChunkInput *input, NumericValues *values)
{
	WideInt		value = {0, 0};
	uint8_t		code = (uint8_t) values->scale;

	for (uint32_t row = 0; row < input->nrows; row++)
	{
		size_t		length;
		const uint8_t *payload = input_payload(input, row, &length);

		if (row % VECTOR_LENGTH == 0)
			ENCODING_CHECK_INTERRUPTS();
		if (!input_is_null(input, row))
		{
			if (!convert_value(payload, length, values->scale, &value, &code))
				return false;
			values->has_special |= code > NUMERIC_MAX_SCALE;
			values->has_scales |= code != values->scale;
			values->is_wide |= value.high != ((int64_t) value.low >> 63);
		}
		values->low[row] = (int64_t) value.low;
		values->high[row] = value.high;
		values->codes[row] = code;
	}
	return true;
}

static void
zone_extend(ZoneEntry *entry, double lower, double upper)
{
	uint64_t	min_key = zone_key_double(lower);
	uint64_t	max_key = zone_key_double(upper);

	if (!entry->has_range || min_key < entry->min_key)
		entry->min_key = min_key;
	if (!entry->has_range || max_key > entry->max_key)
		entry->max_key = max_key;
	entry->has_range = true;
}

static bool
wide_less(WideInt a, WideInt b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/*
 * Range of a vector without NULLs and specials, whose integers all have 64
 * bits.
 */
static void
summarize_narrow(ChunkWriter *writer, const NumericValues *values,
				 const int64_t *low, uint32_t nvalues)
{
	IntRange	range;
	WideInt		min;
	WideInt		max;
	ZoneEntry	entry;
	double		lower;
	double		upper;

	memset(&entry, 0, sizeof(entry));
	int_scan()->range(low, nvalues, &range);
	min = (WideInt) {range.min >> 63, (uint64_t) range.min};
	max = (WideInt) {range.max >> 63, (uint64_t) range.max};
	numeric_bounds(min, values->scale, &lower, &upper);
	zone_extend(&entry, lower, lower);
	numeric_bounds(max, values->scale, &lower, &upper);
	zone_extend(&entry, upper, upper);
	zone_writer_add(&writer->zones, &entry);
}

/* Range of a vector: of its integers first, which then become doubles. */
static void
summarize_vector(ChunkWriter *writer, const NumericValues *values,
				 uint32_t vector)
{
	const ChunkInput *input = writer->input;
	uint32_t	start = vector * VECTOR_LENGTH;
	uint32_t	end = start + vector_length(input->nrows, vector);
	bool		has_finite = false;
	WideInt		min = {0, 0};
	WideInt		max = {0, 0};
	ZoneEntry	entry;
	double		lower;
	double		upper;

	memset(&entry, 0, sizeof(entry));
	for (uint32_t row = start; row < end; row++)
	{
		WideInt		value = {values->high[row], (uint64_t) values->low[row]};

		if (input_is_null(input, row))
			continue;
		if (values->codes[row] == NUMERIC_CODE_NAN)
			entry.has_nan = true;
		else if (values->codes[row] == NUMERIC_CODE_PLUS_INFINITY)
			zone_extend(&entry, INFINITY, INFINITY);
		else if (values->codes[row] == NUMERIC_CODE_MINUS_INFINITY)
			zone_extend(&entry, -INFINITY, -INFINITY);
		else
		{
			if (!has_finite || wide_less(value, min))
				min = value;
			if (!has_finite || wide_less(max, value))
				max = value;
			has_finite = true;
		}
	}
	if (has_finite)
	{
		numeric_bounds(min, values->scale, &lower, &upper);
		zone_extend(&entry, lower, lower);
		numeric_bounds(max, values->scale, &lower, &upper);
		zone_extend(&entry, upper, upper);
	}
	zone_writer_add(&writer->zones, &entry);
}

static void
summarize(ChunkWriter *writer, const NumericValues *values)
{
	const ChunkInput *input = writer->input;
	ChunkSummary *summary = writer->summary;
	uint64_t	nulls[VALIDITY_WORDS];
	DistinctCounter counter;

	distinct_counter_init(&counter, writer->allocator);
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		uint32_t	nvalues = vector_length(input->nrows, vector);
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);
		const int64_t *low = values->low + vector * VECTOR_LENGTH;

		if (nnulls > 0 || values->has_special || values->is_wide)
			summarize_vector(writer, values, vector);
		else
			summarize_narrow(writer, values, low, nvalues);
		distinct_counter_add(&counter, low, nvalues);
		if (nnulls < nvalues)
			sum_add_vector(low, nvalues, nnulls > 0 ? nulls : NULL, true,
						   &summary->sum_high, &summary->sum_low);
	}
	summary->ndistinct = distinct_counter_estimate(&counter);
	distinct_counter_free(&counter, writer->allocator);
	summary->has_sum = !values->has_special && !values->is_wide;
	summary->sum_scale = (uint8_t) values->scale;
	if (!summary->has_sum)
	{
		summary->sum_high = 0;
		summary->sum_low = 0;
	}
	for (uint32_t row = 0; row < input->nrows; row++)
	{
		uint64_t	length = input->offsets[row + 1] - input->offsets[row];

		summary->raw_bytes += input_is_null(input, row) ? 0 : length;
	}
}

static void
add_stream(ChunkWriter *writer, IntStreamWriter *stream, ValueKind kind,
		   const void *values)
{
	const ChunkInput *input = writer->input;
	IntType		type = kind_int_type(kind,
									 kind == VALUE_INT8 ? CLASS_UNSIGNED : CLASS_SIGNED);
	int64_t    *wide = writer->work->decimals;
	uint64_t	nulls[VALIDITY_WORDS];
	int64_t		carry = 0;

	int_stream_begin(stream, type, writer->options, writer->work,
					 writer->allocator);
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		uint32_t	nvalues = vector_length(input->nrows, vector);
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);

		fixed_vector_load(kind, type.is_signed, values, vector * VECTOR_LENGTH,
						  nvalues, nulls, nnulls, wide, &carry);
		int_stream_add(stream, wide, nvalues, nnulls > 0 ? nulls : NULL);
	}
	vector_directory_write(&writer->layout_head, stream->nvectors,
						   stream->encodings, stream->lengths);
	writer->streams[writer->nstreams++] = &stream->body;
}

static void
write_streams(ChunkWriter *writer, const NumericValues *values,
			  ByteBuffer *output)
{
	IntStreamWriter low;
	IntStreamWriter high;
	IntStreamWriter scales;

	writer->layout = values->is_wide ? LAYOUT_WIDE_NUMERIC : LAYOUT_NUMERIC;
	writer->flags |= values->has_scales ? CHUNK_HAS_SCALES : 0;
	bytebuffer_append_uint(&writer->layout_head, (uint64_t) values->scale, 1);
	add_stream(writer, &low, VALUE_INT64, values->low);
	if (values->is_wide)
		add_stream(writer, &high, VALUE_INT64, values->high);
	if (values->has_scales)
		add_stream(writer, &scales, VALUE_INT8, values->codes);
	chunk_writer_assemble(writer, output);
	int_stream_end(&low);
	if (values->is_wide)
		int_stream_end(&high);
	if (values->has_scales)
		int_stream_end(&scales);
}

bool
numeric_chunk_encode(ChunkWriter *writer, ByteBuffer *output)
{
	const ChunkInput *input = writer->input;
	const Allocator *allocator = writer->allocator;
	NumericValues values;
	bool		converted;

	memset(&values, 0, sizeof(values));
	values.scale = find_scale(input);
	if (values.scale < 0)
		return false;
	values.low = allocator_array(allocator, input->nrows, sizeof(int64_t));
	values.high = allocator_array(allocator, input->nrows, sizeof(int64_t));
	values.codes = allocator->alloc(allocator->context, input->nrows);
	converted = convert_values(input, &values);
	if (converted)
	{
		zone_writer_init(&writer->zones,
						 zone_kind_for(input->kind, input->value_class));
		summarize(writer, &values);
		write_streams(writer, &values, output);
	}
	allocator_release(allocator, values.low);
	allocator_release(allocator, values.high);
	allocator_release(allocator, values.codes);
	return converted;
}
