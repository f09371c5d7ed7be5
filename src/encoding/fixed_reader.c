/*
 * fixed_reader.c
 *		Decodes vectors of fixed width, and codes of dictionaries.
 */
#include "encoding/base.h"

#include "encoding/chunk_reader.h"
#include "encoding/raw.h"

#define FILL(type, value) \
	do { \
		type	   *out = values; \
		for (uint32_t i = 0; i < nvalues; i++) \
			out[i] = (type) (value); \
	} while (0)

static void
fill_values(int size, uint64_t value, uint32_t nvalues, void *values)
{
	switch (size)
	{
		case 1:
			FILL(uint8_t, value);
			break;
		case 2:
			FILL(uint16_t, value);
			break;
		case 4:
			FILL(uint32_t, value);
			break;
		default:
			FILL(uint64_t, value);
			break;
	}
}

bool
chunk_stream_nulls(ChunkReader *reader, const IntStream *stream,
				   uint32_t vector, const uint64_t **nulls,
				   const char **reason)
{
	uint64_t	encoding = packed_column_get(&stream->directory.encodings,
											 vector);

	*nulls = NULL;
	if (!(encoding & INT_ENCODING_DENSE) ||
		!(reader->flags & CHUNK_HAS_VALIDITY))
		return true;
	if (!chunk_load_nulls(reader, vector, reason))
		return false;
	*nulls = reader->nulls;
	return true;
}

/* Decode a vector of one of the chunk's streams that have a value per row. */
bool
chunk_decode_stream(ChunkReader *reader, const IntStream *stream,
					uint32_t vector, void *values, const char **reason)
{
	const uint64_t *nulls;

	ENCODING_CHECK_INTERRUPTS();
	if (!chunk_stream_nulls(reader, stream, vector, &nulls, reason))
		return false;
	return int_stream_decode(stream, reader->source, vector, nulls, values,
							 chunk_scratch(reader), reason);
}

bool
chunk_stream_value(ChunkReader *reader, const IntStream *stream,
				   uint32_t vector, uint32_t position, uint64_t *value,
				   const char **reason)
{
	const uint64_t *nulls;

	ENCODING_CHECK_INTERRUPTS();
	if (!chunk_stream_nulls(reader, stream, vector, &nulls, reason))
		return false;
	return int_stream_decode_value(stream, reader->source, vector, nulls,
								   position, value, chunk_scratch(reader),
								   reason);
}

#define LOOK_UP(type) \
	do { \
		const type *entries = (const type *) reader->fixed_entries; \
		type	   *out = values; \
		for (uint32_t i = 0; i < nvalues; i++) \
			out[i] = entries[codes[i]]; \
	} while (0)

static void
look_up_entries(const ChunkReader *reader, const uint16_t *codes,
				uint32_t nvalues, void *values)
{
	switch (reader->type.size)
	{
		case 1:
			LOOK_UP(uint8_t);
			break;
		case 2:
			LOOK_UP(uint16_t);
			break;
		case 4:
			LOOK_UP(uint32_t);
			break;
		default:
			LOOK_UP(uint64_t);
			break;
	}
}

/* Decode the dictionary, once. */
bool
chunk_load_entries(ChunkReader *reader, const char **reason)
{
	uint32_t	nvectors = reader->entries.directory.nvectors;
	size_t		size = (size_t) reader->type.size;
	uint8_t    *entries;

	if (reader->fixed_entries != NULL)
		return true;
	entries = reader_array(reader, reader->nentries + DECODE_SLACK_VALUES,
						   size);
	for (uint32_t vector = 0; vector < nvectors; vector++)
	{
		if (int_stream_decode(&reader->entries, reader->source, vector, NULL,
							  entries + vector * VECTOR_LENGTH * size,
							  chunk_scratch(reader), reason))
			continue;
		allocator_release(reader->allocator, entries);
		return false;
	}
	reader->fixed_entries = entries;
	return true;
}

/*
 * Is a value less min at most span, for all of them?  Where span leaves the
 * top bit free, that bit of the value less min, or of the rest to span, tells
 * of one that is not; this needs no comparison in the loop.
 */
#define IN_RANGE(type, min, span) \
	do { \
		const type *in = values; \
		type		base = (type) (min); \
		type		limit = (type) (span); \
		type		all = 0; \
		uint32_t	i = 0; \
		for (; i + VECTOR_STEP <= nvalues; i += VECTOR_STEP) \
		{ \
			const type *step = in + i; \
			for (int k = 0; k < VECTOR_STEP; k++) \
				all |= (type) ((type) (step[k] - base) | \
							   (type) (limit - (type) (step[k] - base))); \
		} \
		for (; i < nvalues; i++) \
			all |= (type) ((type) (in[i] - base) | \
						   (type) (limit - (type) (in[i] - base))); \
		return all >> (8 * sizeof(type) - 1) == 0; \
	} while (0)

static bool
values_are_in_span(const void *values, uint32_t nvalues, int size,
				   uint64_t min, uint64_t span)
{
	if (span >> (8 * size - 1) != 0)
		return true;			/* half the type's range: let it be */
	switch (size)
	{
		case 1:
			IN_RANGE(uint8_t, min, span);
		case 2:
			IN_RANGE(uint16_t, min, span);
		case 4:
			IN_RANGE(uint32_t, min, span);
		default:
			IN_RANGE(uint64_t, min, span);
	}
}

static bool
codes_are_valid(const uint16_t *codes, uint32_t nvalues, uint32_t nentries)
{
	uint16_t	max = 0;

	if (nentries <= INT16_MAX)
		return values_are_in_span(codes, nvalues, sizeof(uint16_t), 0,
								  nentries - 1);
	for (uint32_t i = 0; i < nvalues; i++)
		max = codes[i] > max ? codes[i] : max;
	return max < nentries;
}

/* Make reader->codes those of a vector, each below nentries. */
bool
chunk_load_codes(ChunkReader *reader, uint32_t vector, const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (reader->codes_vector == vector)
		return true;
	if (reader->codes == NULL)
		reader->codes = reader_array(reader,
									 VECTOR_LENGTH + DECODE_SLACK_VALUES,
									 sizeof(uint16_t));
	reader->codes_vector = NO_VECTOR;
	if (!chunk_decode_stream(reader, &reader->values, vector, reader->codes,
							 reason))
		return false;
	if (!codes_are_valid(reader->codes, nvalues, reader->nentries))
	{
		*reason = "code outside the dictionary";
		return false;
	}
	reader->codes_vector = vector;
	return true;
}

bool
chunk_code_at(ChunkReader *reader, uint32_t vector, uint32_t position,
			  uint32_t *code, const char **reason)
{
	uint64_t	value;

	if (reader->codes_vector != vector &&
		chunk_stream_value(reader, &reader->values, vector, position, &value,
						   reason))
	{
		*code = (uint16_t) value;
		*reason = "code outside the dictionary";
		return *code < reader->nentries;
	}
	if (reader->codes_vector != vector && *reason != NULL)
		return false;
	if (!chunk_load_codes(reader, vector, reason))
		return false;
	*code = reader->codes[position];
	return true;
}

/*
 * Sums of deltas wrap around, and may leave the type unseen: compare them with
 * the vector's zone map, which also holds the fillers.
 */
static bool
deltas_are_in_range(ChunkReader *reader, uint32_t vector, const void *values)
{
	uint32_t	nnulls;
	ZoneRange	range;

	chunk_vector_zone(reader, vector, &nnulls, &range);
	if (!range.has_range)
		return true;
	return values_are_in_span(values, vector_length(reader->nrows, vector),
							  reader->type.size, (uint64_t) range.min_int,
							  (uint64_t) range.max_int - (uint64_t) range.min_int);
}

static bool
value_is_in_range(ChunkReader *reader, uint32_t vector, uint64_t value)
{
	uint64_t	mask = UINT64_MAX >> (64 - 8 * reader->type.size);
	uint32_t	nnulls;
	ZoneRange	range;

	chunk_vector_zone(reader, vector, &nnulls, &range);
	return !range.has_range || reader->type.is_float ||
		((value - (uint64_t) range.min_int) & mask) <=
		(uint64_t) range.max_int - (uint64_t) range.min_int;
}

static bool
decode_plain(ChunkReader *reader, uint32_t vector, void *values,
			 const char **reason)
{
	const PackedColumn *encodings = &reader->values.directory.encodings;
	uint64_t	encoding = packed_column_get(encodings, vector);

	if (!chunk_decode_stream(reader, &reader->values, vector, values, reason))
		return false;
	if ((encoding == INT_DELTA || encoding == INT_PATCHED_DELTA ||
		 encoding == INT_SIMPLE64_DELTA) && !reader->type.is_float &&
		!deltas_are_in_range(reader, vector, values))
	{
		*reason = "values outside their vector's zone map";
		return false;
	}
	return true;
}

bool
chunk_decode_fixed(ChunkReader *reader, uint32_t vector, void *values,
				   const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	ENCODING_ASSERT(vector < reader->nvectors && kind_is_fixed(reader->kind));
	switch (reader->layout)
	{
		case LAYOUT_ALL_NULL:
			fill_values(reader->type.size, 0, nvalues, values);
			return true;
		case LAYOUT_CONSTANT:
			fill_values(reader->type.size,
						load_uint(reader->constant, reader->type.size),
						nvalues, values);
			return true;
		case LAYOUT_FIXED:
			return decode_plain(reader, vector, values, reason);
		default:
			ENCODING_ASSERT(reader->layout == LAYOUT_FIXED_DICTIONARY);
			if (!chunk_load_entries(reader, reason) ||
				!chunk_load_codes(reader, vector, reason))
				return false;
			look_up_entries(reader, reader->codes, nvalues, values);
			return true;
	}
}

/* An entry of the decoded dictionary. */
uint64_t
chunk_entry_value(const ChunkReader *reader, uint32_t code)
{
	const void *entries = reader->fixed_entries;

	switch (reader->type.size)
	{
		case 1:
			return ((const uint8_t *) entries)[code];
		case 2:
			return ((const uint16_t *) entries)[code];
		case 4:
			return ((const uint32_t *) entries)[code];
		default:
			return ((const uint64_t *) entries)[code];
	}
}

static bool
dictionary_value(ChunkReader *reader, uint32_t vector, uint32_t position,
				 uint64_t *value, const char **reason)
{
	uint32_t	code;

	if (!chunk_code_at(reader, vector, position, &code, reason))
		return false;
	if (reader->fixed_entries == NULL)
		return int_stream_decode_value(&reader->entries, reader->source,
									   code / VECTOR_LENGTH, NULL,
									   code % VECTOR_LENGTH, value,
									   chunk_scratch(reader), reason);
	*value = chunk_entry_value(reader, code);
	return true;
}

bool
chunk_decode_value(ChunkReader *reader, uint32_t vector, uint32_t position,
				   uint64_t *value, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors && kind_is_fixed(reader->kind));
	ENCODING_ASSERT(position < vector_length(reader->nrows, vector));
	switch (reader->layout)
	{
		case LAYOUT_CONSTANT:
			*value = load_uint(reader->constant, reader->type.size);
			return true;
		case LAYOUT_FIXED:
			if (!chunk_stream_value(reader, &reader->values, vector, position,
									value, reason))
				return false;
			*reason = "values outside their vector's zone map";
			return value_is_in_range(reader, vector, *value);
		case LAYOUT_FIXED_DICTIONARY:
			return dictionary_value(reader, vector, position, value, reason);
		default:
			*reason = NULL;		/* all NULL: there is no value */
			return false;
	}
}

bool
chunk_has_dictionary(ChunkReader *reader, uint32_t *nentries)
{
	*nentries = reader->nentries;
	return reader->layout == LAYOUT_FIXED_DICTIONARY ||
		reader->layout == LAYOUT_STRING_DICTIONARY;
}

bool
chunk_decode_codes(ChunkReader *reader, uint32_t vector,
				   uint16_t *codes, const char **reason)
{
	if (!chunk_load_codes(reader, vector, reason))
		return false;
	memcpy(codes, reader->codes,
		   vector_length(reader->nrows, vector) * sizeof(uint16_t));
	return true;
}

bool
fixed_dictionary_decode(ChunkReader *reader, StringRef *entries,
						const char **reason)
{
	uint32_t	size = (uint32_t) reader->type.size;

	if (!chunk_load_entries(reader, reason))
		return false;
	for (uint32_t i = 0; i < reader->nentries; i++)
	{
		entries[i].data = reader->fixed_entries + (size_t) i * size;
		entries[i].length = size;
	}
	return true;
}
