/*
 * chunk_reader.c
 *		Opens chunks, and reads their validity and zone maps.
 *
 * A reader costs its head's bytes and one allocation; work space and caches
 * are made when a vector is decoded.
 */
#include "encoding/base.h"

#include "encoding/chunk_reader.h"

ChunkReader *
chunk_open(ChunkSource *source, ValueKind kind, uint32_t nrows,
		   const Allocator *allocator, const char **reason)
{
	ChunkReader *reader = allocator_array(allocator, 1, sizeof(ChunkReader));

	memset(reader, 0, sizeof(*reader));
	reader->source = source;
	reader->allocator = allocator;
	reader->codes_vector = NO_VECTOR;
	reader->nulls_vector = NO_VECTOR;
	reader->strings_vector = NO_VECTOR;
	if (chunk_head_parse(reader, kind, nrows, reason))
		return reader;
	allocator_release(allocator, reader->fields);
	allocator_release(allocator, reader);
	return NULL;
}

void
chunk_close(ChunkReader *reader)
{
	const Allocator *allocator = reader->allocator;

	if (reader->strings.allocator != NULL)
		string_sequence_close(&reader->strings);
	if (reader->numerics != NULL)
		allocator_release(allocator, reader->numerics->payloads);
	allocator_release(allocator, reader->numerics);
	allocator_release(allocator, reader->scratch);
	allocator_release(allocator, reader->fixed_entries);
	allocator_release(allocator, reader->string_entries);
	allocator_release(allocator, reader->entry_lengths);
	allocator_release(allocator, reader->codes);
	allocator_release(allocator, reader->fields);
	allocator_release(allocator, reader);
}

IntScratch *
chunk_scratch(ChunkReader *reader)
{
	if (reader->scratch == NULL)
		reader->scratch = reader_array(reader, 1, sizeof(IntScratch));
	return reader->scratch;
}

/* NULLs of a vector by the head alone. */
static uint32_t
vector_null_count(const ChunkReader *reader, uint32_t vector)
{
	if (!(reader->flags & CHUNK_HAS_VALIDITY))
		return reader->nnulls == 0 ? 0 : vector_length(reader->nrows, vector);
	if (reader->nvectors == 1)
		return reader->nnulls;
	return (uint32_t) packed_column_get(&reader->null_counts, vector);
}

/* The range of a constant chunk is its value. */
static void
constant_zone(const ChunkReader *reader, ZoneRange *range)
{
	ZoneKind	kind = zone_kind_for(reader->kind, reader->value_class);
	int64_t		value = 0;

	if (kind == ZONE_NONE || reader->kind == VALUE_NUMERIC)
		return;
	range->has_range = true;
	if (kind == ZONE_BYTES)
	{
		bool		truncated = reader->constant_length > ZONE_PREFIX_LENGTH;
		uint8_t		length = truncated ? ZONE_PREFIX_LENGTH :
			(uint8_t) reader->constant_length;

		range->min_length = range->max_length = length;
		range->min_truncated = range->max_truncated = truncated;
		memcpy(range->min_bytes, reader->constant, length);
		memcpy(range->max_bytes, reader->constant, length);
		return;
	}
	value = reader->type.is_signed ?
		load_int(reader->constant, reader->type.size) :
		(int64_t) load_uint(reader->constant, reader->type.size);
	range->min_int = range->max_int = value;
	if (!reader->type.is_float)
		return;
	range->min_int = range->max_int = 0;
	if (reader->type.size == 4)
		range->min_float = float_of_pattern((uint32_t) value);
	else
		range->min_float = double_of_pattern((uint64_t) value);
	range->max_float = range->min_float;
	if (range->min_float != range->min_float)
	{
		range->has_range = false;
		range->has_nan = true;
	}
}

void
chunk_vector_zone(ChunkReader *reader, uint32_t vector, uint32_t *nnulls,
				  ZoneRange *range)
{
	ENCODING_ASSERT(vector < reader->nvectors);
	*nnulls = vector_null_count(reader, vector);
	memset(range, 0, sizeof(*range));
	if (*nnulls == vector_length(reader->nrows, vector))
		return;
	if (reader->layout == LAYOUT_CONSTANT)
		constant_zone(reader, range);
	else
		zone_reader_get(&reader->zones, vector, range);
}

static bool
read_nulls(ChunkReader *reader, uint32_t vector, const char **reason)
{
	const VectorDirectory *directory = &reader->validity;
	uint32_t	npositions = vector_length(reader->nrows, vector);
	uint64_t	start;
	size_t		length;
	const uint8_t *bytes = NULL;
	uint64_t	encoding;

	if (!(reader->flags & CHUNK_HAS_VALIDITY))
		return validity_decode(reader->nnulls > 0 ? VALIDITY_ALL_NULL :
							   VALIDITY_NONE_NULL, NULL, 0, npositions,
							   reader->vector_nnulls, reader->nulls, reason);
	start = directory->starts[vector];
	length = (size_t) (directory->starts[vector + 1] - start);
	encoding = packed_column_get(&directory->encodings, vector);
	if (length > 0)
		bytes = reader->source->fetch(reader->source,
									  reader->stream_offsets[0] + start,
									  length);
	return validity_decode(encoding, bytes, length, npositions,
						   reader->vector_nnulls, reader->nulls, reason);
}

/* Make reader->nulls those of a vector. */
bool
chunk_load_nulls(ChunkReader *reader, uint32_t vector, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors);
	if (reader->nulls_vector == vector)
		return true;
	ENCODING_CHECK_INTERRUPTS();
	reader->nulls_vector = NO_VECTOR;
	reader->vector_nnulls = vector_null_count(reader, vector);
	if (!read_nulls(reader, vector, reason))
		return false;
	reader->nulls_vector = vector;
	return true;
}

bool
chunk_decode_nulls(ChunkReader *reader, uint32_t vector,
				   uint64_t *nulls, uint32_t *nnulls, const char **reason)
{
	if (!chunk_load_nulls(reader, vector, reason))
		return false;
	memcpy(nulls, reader->nulls, sizeof(reader->nulls));
	*nnulls = reader->vector_nnulls;
	return true;
}

const char *
chunk_vector_encoding(ChunkReader *reader, uint32_t vector)
{
	const PackedColumn *encodings = &reader->values.directory.encodings;

	ENCODING_ASSERT(vector < reader->nvectors);
	switch (reader->layout)
	{
		case LAYOUT_ALL_NULL:
			return "null";
		case LAYOUT_CONSTANT:
			return "constant";
		case LAYOUT_FIXED:
		case LAYOUT_NUMERIC:
		case LAYOUT_WIDE_NUMERIC:
			return int_encoding_name((uint8_t) packed_column_get(encodings,
																 vector));
		case LAYOUT_STRINGS:
			return "strings";
		case LAYOUT_FIELDS:
			return reader->nstreams > 0 && reader->flags >> CHUNK_FIELDS_SHIFT > 0 ?
				"fields" : "raw";
		default:
			return "dictionary";
	}
}
