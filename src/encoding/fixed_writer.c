/*
 * fixed_writer.c
 *		Chunks of values of fixed width: one value, plain, or by dictionary.
 *
 * The values are widened once, for the whole chunk, with fillers for NULLs;
 * ranges, sum and the number of distinct values are found on the way.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/chunk_writer.h"
#include "encoding/dictionary.h"
#include "encoding/int_scan.h"

/* A dictionary must save a fifth: decoding through it takes longer. */
#define DICTIONARY_ADVANTAGE 0.8

/* Rows that an entry must serve for a dictionary to be considered. */
#define DICTIONARY_MIN_ROWS_PER_ENTRY 8

/* One vector in so many is a sample. */
#define SAMPLE_STEP 12

/* All values of the chunk, widened. */
typedef struct FixedValues
{
	IntType		type;
	int64_t    *values;
	bool		is_constant;
} FixedValues;

/*
 * By signed comparisons, which serve narrower unsigned values, too, once they
 * are widened.
 */
static void
integer_zone(const int64_t *values, uint32_t nvalues, IntType type,
			 ZoneEntry *entry)
{
	uint64_t	flip = type.is_signed ? UINT64_C(1) << 63 : 0;
	IntRange	range;

	entry->has_range = true;
	if (type.is_signed || type.size < 8)
	{
		int_scan()->range(values, nvalues, &range);
		entry->min_key = (uint64_t) range.min ^ flip;
		entry->max_key = (uint64_t) range.max ^ flip;
		return;
	}
	entry->min_key = UINT64_MAX;
	entry->max_key = 0;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	key = (uint64_t) values[i];

		entry->min_key = key < entry->min_key ? key : entry->min_key;
		entry->max_key = key > entry->max_key ? key : entry->max_key;
	}
}

static void
float_zone_add(ZoneEntry *entry, bool is_nan, uint64_t key)
{
	if (is_nan)
		entry->has_nan = true;
	else if (!entry->has_range)
	{
		entry->has_range = true;
		entry->min_key = entry->max_key = key;
	}
	else
	{
		entry->min_key = key < entry->min_key ? key : entry->min_key;
		entry->max_key = key > entry->max_key ? key : entry->max_key;
	}
}

/* The zone of floats, given that NaN is among them. */
static void
float_zone_with_nan(const int64_t *patterns, uint32_t nvalues, int size,
					ZoneEntry *entry)
{
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (size == 4)
		{
			float		value = float_of_pattern((uint32_t) patterns[i]);

			float_zone_add(entry, value != value, zone_key_float(value));
		}
		else
		{
			double		value = double_of_pattern((uint64_t) patterns[i]);

			float_zone_add(entry, value != value, zone_key_double(value));
		}
	}
}

/*
 * Patterns are shifted so that the sign is in the top bit; keys are those of
 * zone_key_float and zone_key_double.  Absolute values above infinity are NaN.
 */
static void
float_zone(const int64_t *patterns, uint32_t nvalues, int size,
		   ZoneEntry *entry)
{
	int			shift = 64 - 8 * size;
	uint64_t	sign = UINT64_C(1) << 63;
	uint64_t	min = UINT64_MAX;
	uint64_t	max = 0;
	uint64_t	greatest = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	pattern = (uint64_t) patterns[i] << shift;
		uint64_t	key = pattern ^ ((uint64_t) ((int64_t) pattern >> 63) | sign);

		greatest = (pattern & ~sign) > greatest ? pattern & ~sign : greatest;
		min = key < min ? key : min;
		max = key > max ? key : max;
	}
	if (greatest > (size == 4 ? UINT64_C(0x7f800000) << 32 : UINT64_C(0x7ff0000000000000)))
	{
		float_zone_with_nan(patterns, nvalues, size, entry);
		return;
	}
	entry->has_range = true;
	entry->min_key = min >> shift;
	entry->max_key = max >> shift;
}

static void
summarize_vector(ChunkWriter *writer, const FixedValues *fixed,
				 const int64_t *values, uint32_t nvalues,
				 const uint64_t *nulls, bool all_null)
{
	ChunkSummary *summary = writer->summary;
	ZoneEntry	entry;

	memset(&entry, 0, sizeof(entry));
	if (all_null)
	{
		zone_writer_add(&writer->zones, &entry);
		return;
	}
	if (fixed->type.is_float)
		float_zone(values, nvalues, fixed->type.size, &entry);
	else
	{
		integer_zone(values, nvalues, fixed->type, &entry);
		sum_add_vector(values, nvalues, nulls,
					   fixed->type.is_signed || fixed->type.size < 8,
					   &summary->sum_high, &summary->sum_low);
	}
	zone_writer_add(&writer->zones, &entry);
}

static bool
vector_is_constant(const int64_t *values, uint32_t nvalues, int64_t value)
{
	uint64_t	differences = 0;

	for (uint32_t i = 0; i < nvalues; i++)
		differences |= (uint64_t) (values[i] ^ value);
	return differences == 0;
}

/* What a chunk's first NULLs take: its first value. */
static int64_t
first_value(const ChunkInput *input, bool is_signed)
{
	uint64_t	no_nulls[VALIDITY_WORDS] = {0};
	uint32_t	row = 0;
	int64_t		carry = 0;
	int64_t		value;

	while (input_is_null(input, row))
		row++;
	fixed_vector_load(input->kind, is_signed, input->values, row, 1, no_nulls,
					  0, &value, &carry);
	return value;
}

static void
load_values(ChunkWriter *writer, FixedValues *fixed)
{
	const ChunkInput *input = writer->input;
	int64_t		first = first_value(input, fixed->type.is_signed);
	int64_t		carry = first;
	uint64_t	nulls[VALIDITY_WORDS];
	DistinctCounter counter;

	distinct_counter_init(&counter, writer->allocator);
	fixed->is_constant = true;
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		uint32_t	start = vector * VECTOR_LENGTH;
		uint32_t	nvalues = vector_length(input->nrows, vector);
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);
		int64_t    *values = fixed->values + start;

		ENCODING_CHECK_INTERRUPTS();
		fixed_vector_load(input->kind, fixed->type.is_signed, input->values,
						  start, nvalues, nulls, nnulls, values, &carry);
		summarize_vector(writer, fixed, values, nvalues,
						 nnulls > 0 ? nulls : NULL, nnulls == nvalues);
		distinct_counter_add(&counter, values, nvalues);
		fixed->is_constant = fixed->is_constant &&
			vector_is_constant(values, nvalues, first);
	}
	writer->summary->ndistinct = distinct_counter_estimate(&counter);
	distinct_counter_free(&counter, writer->allocator);
}

static void
encode_constant(ChunkWriter *writer, const FixedValues *fixed,
				ByteBuffer *output)
{
	writer->layout = LAYOUT_CONSTANT;
	bytebuffer_append_uint(&writer->layout_head, (uint64_t) fixed->type.size,
						   4);
	bytebuffer_append_uint(&writer->layout_head, (uint64_t) fixed->values[0],
						   fixed->type.size);
	writer->zones.nvectors = 1; /* the value is its own zone map */
	writer->summary->ndistinct = 1;
	chunk_writer_assemble(writer, output);
}

/*
 * Encode every step-th vector of values, or of their codes, as a stream with
 * the chunk's NULLs.
 */
static void
encode_stream(ChunkWriter *writer, IntStreamWriter *stream, IntType type,
			  const int64_t *values, const FixedDictionary *dictionary,
			  uint32_t step)
{
	const ChunkInput *input = writer->input;
	int64_t    *codes = writer->work->decimals;
	uint64_t	nulls[VALIDITY_WORDS];

	int_stream_begin(stream, type, writer->options, writer->work,
					 writer->allocator);
	for (uint32_t vector = 0; vector < writer->nvectors; vector += step)
	{
		uint32_t	nvalues = vector_length(input->nrows, vector);
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);
		const int64_t *in = values + vector * VECTOR_LENGTH;

		if (dictionary != NULL)
		{
			fixed_dictionary_codes(dictionary, in, nvalues, codes);
			in = codes;
		}
		int_stream_add(stream, in, nvalues, nnulls > 0 ? nulls : NULL);
	}
}

static void
encode_entries(ChunkWriter *writer, IntStreamWriter *stream, IntType type,
			   const FixedDictionary *dictionary)
{
	int_stream_begin(stream, type, writer->options, writer->work,
					 writer->allocator);
	for (uint32_t start = 0; start < dictionary->nentries; start += VECTOR_LENGTH)
		int_stream_add(stream, dictionary->entries + start,
					   vector_length(dictionary->nentries,
									 start / VECTOR_LENGTH), NULL);
}

/* Would codes be small enough, by a sample of vectors? */
static bool
codes_are_promising(ChunkWriter *writer, const FixedValues *fixed,
					const FixedDictionary *dictionary,
					const IntStreamWriter *plain)
{
	IntType		code_type = {2, false, false};
	uint64_t	plain_length = 0;
	IntStreamWriter codes;
	bool		promising;

	if (writer->nvectors <= SAMPLE_STEP)
		return true;
	for (uint32_t vector = 0; vector < writer->nvectors; vector += SAMPLE_STEP)
		plain_length += plain->lengths[vector];
	encode_stream(writer, &codes, code_type, fixed->values, dictionary,
				  SAMPLE_STEP);
	promising = (double) codes.body.length < DICTIONARY_ADVANTAGE * (double) plain_length;
	int_stream_end(&codes);
	return promising;
}

static bool
zones_are_integers(const ChunkWriter *writer)
{
	return writer->zones.kind == ZONE_SIGNED ||
		writer->zones.kind == ZONE_UNSIGNED;
}

/* Finish by dictionary if that is clearly smaller than the plain stream. */
static bool
try_dictionary(ChunkWriter *writer, const FixedValues *fixed,
			   const IntStreamWriter *plain, ByteBuffer *output)
{
	IntType		code_type = {2, false, false};
	uint32_t	nrows = writer->input->nrows;
	FixedDictionary dictionary;
	IntStreamWriter codes;
	IntStreamWriter entries;
	bool		is_complete;
	bool		chosen = false;
	int64_t		base = 0;
	uint64_t	span = UINT64_MAX;

	if (writer->zones.kind == ZONE_SIGNED)
	{
		base = (int64_t) (writer->zones.chunk.min_key ^ UINT64_C(1) << 63);
		span = writer->zones.chunk.max_key - writer->zones.chunk.min_key;
	}
	is_complete = fixed_dictionary_build(&dictionary, fixed->values, nrows,
										 base, span, writer->allocator);
	if (is_complete)
		writer->summary->ndistinct = dictionary.nentries;
	if (is_complete && codes_are_promising(writer, fixed, &dictionary, plain))
	{
		encode_stream(writer, &codes, code_type, fixed->values, &dictionary,
					  1);
		encode_entries(writer, &entries, fixed->type, &dictionary);
		chosen = (double) (codes.body.length + entries.body.length) <
			DICTIONARY_ADVANTAGE * (double) plain->body.length;
		if (chosen)
		{
			writer->layout = LAYOUT_FIXED_DICTIONARY;
			bytebuffer_append_uint(&writer->layout_head, dictionary.nentries,
								   4);
			vector_directory_write(&writer->layout_head, codes.nvectors,
								   codes.encodings, codes.lengths);
			vector_directory_write(&writer->layout_head, entries.nvectors,
								   entries.encodings, entries.lengths);
			writer->streams[writer->nstreams++] = &codes.body;
			writer->streams[writer->nstreams++] = &entries.body;
			chunk_writer_assemble(writer, output);
		}
		int_stream_end(&codes);
		int_stream_end(&entries);
	}
	fixed_dictionary_free(&dictionary, writer->allocator);
	return chosen;
}

/*
 * Could a dictionary save enough?  Not if codes are as wide as differences from
 * the least value are: numbers without gaps are codes already.
 */
static bool
dictionary_is_thinkable(const ChunkWriter *writer, size_t plain_length)
{
	uint32_t	nrows = writer->input->nrows;
	uint32_t	ndistinct = writer->summary->ndistinct;
	const ZoneEntry *range = &writer->zones.chunk;

	if (ndistinct > FIXED_DICTIONARY_MAX_ENTRIES ||
		ndistinct > nrows / DICTIONARY_MIN_ROWS_PER_ENTRY ||
		plain_length <= nrows / 8)
		return false;
	return !zones_are_integers(writer) ||
		bitpack_width(ndistinct) <
		DICTIONARY_ADVANTAGE * bitpack_width(range->max_key - range->min_key);
}

static void
encode_plain_or_dictionary(ChunkWriter *writer, const FixedValues *fixed,
						   ByteBuffer *output)
{
	IntStreamWriter plain;

	encode_stream(writer, &plain, fixed->type, fixed->values, NULL, 1);
	if (!dictionary_is_thinkable(writer, plain.body.length) ||
		!try_dictionary(writer, fixed, &plain, output))
	{
		writer->layout = LAYOUT_FIXED;
		vector_directory_write(&writer->layout_head, plain.nvectors,
							   plain.encodings, plain.lengths);
		writer->streams[writer->nstreams++] = &plain.body;
		chunk_writer_assemble(writer, output);
	}
	int_stream_end(&plain);
}

void
fixed_chunk_encode(ChunkWriter *writer, ByteBuffer *output)
{
	const ChunkInput *input = writer->input;
	ChunkSummary *summary = writer->summary;
	FixedValues fixed;

	fixed.type = kind_int_type(input->kind, input->value_class);
	fixed.values = allocator_array(writer->allocator, input->nrows,
								   sizeof(int64_t));
	zone_writer_init(&writer->zones,
					 zone_kind_for(input->kind, input->value_class));
	load_values(writer, &fixed);
	summary->has_sum = !fixed.type.is_float && input->value_class != CLASS_NONE;
	summary->raw_bytes = (uint64_t) (input->nrows - summary->nnulls) *
		(uint64_t) fixed.type.size;
	if (fixed.is_constant)
		encode_constant(writer, &fixed, output);
	else
		encode_plain_or_dictionary(writer, &fixed, output);
	allocator_release(writer->allocator, fixed.values);
}
