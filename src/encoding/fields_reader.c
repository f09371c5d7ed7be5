/*
 * fields_reader.c
 *		Decodes strings of one length that are stored as numbers, or as they are.
 *
 * A vector is put together as a whole, once, whatever is wanted of it.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_reader.h"
#include "encoding/fields.h"

static const StringRef no_string = {(const uint8_t *) "", 0};

/* ---- head ---- */

/* Is this how a field may be described? */
static bool
field_is_valid(int field)
{
	int			width = field_width(field);

	if ((field & ~FIELD_KNOWN_BITS) != 0 || width < 1 || width > 8)
		return false;
	if (field & FIELD_IS_BYTES)
		return !(field & FIELD_IS_FLOAT);
	if (field & FIELD_IS_FLOAT)
		return width == 4 || width == 8;
	return (width & (width - 1)) == 0;
}

/* Read how strings are divided; returns false unless that fills them. */
static bool
parse_division(ByteCursor *cursor, FieldsReader *fields)
{
	uint32_t	filled = 0;

	for (int i = 0; i < fields->nfields; i++)
	{
		fields->fields[i] = (uint8_t) cursor_uint(cursor, 1);
		if (!field_is_valid(fields->fields[i]))
			return false;
		filled += (uint32_t) field_width(fields->fields[i]);
	}
	return fields->nfields == 0 || filled == fields->length;
}

bool
fields_parse(ChunkReader *reader, ByteCursor *cursor, int first)
{
	int			nfields = reader->flags >> CHUNK_FIELDS_SHIFT;
	uint32_t	length = (uint32_t) cursor_uint(cursor, 1);
	FieldsReader *fields;

	if (length == 0 || length > FIELDS_MAX_LENGTH)
		return false;
	fields = reader_array(reader, 1, sizeof(FieldsReader) +
						  (nfields > 0 ? (size_t) length * VECTOR_LENGTH : 0));
	fields->length = length;
	fields->nfields = nfields;
	fields->vector = NO_VECTOR;
	reader->fields = fields;
	if (!parse_division(cursor, fields))
		return false;
	if (nfields == 0)
		return reader->stream_lengths[first] ==
			(uint64_t) reader->nrows * length;
	for (int i = 0; i < nfields; i++)
	{
		if (!int_stream_parse(cursor, field_int_type(fields->fields[i]),
							  reader->nrows, reader->stream_offsets[first + i],
							  reader->stream_lengths[first + i],
							  &fields->streams[i]))
			return false;
	}
	return true;
}

/* ---- fields ---- */

#define STORE(type) \
	do { \
		const type *in = values; \
		for (uint32_t i = 0; i < nvalues; i++) \
			memcpy(out + i * stride, &in[i], sizeof(type)); \
	} while (0)

/* Numbers, to the host's byte order. */
static void
store_numbers(const void *values, uint32_t nvalues, int width, uint8_t *out,
			  uint32_t stride)
{
	switch (width)
	{
		case 1:
			STORE(uint8_t);
			break;
		case 2:
			STORE(uint16_t);
			break;
		case 4:
			STORE(uint32_t);
			break;
		default:
			STORE(uint64_t);
			break;
	}
}

#define STORE_BYTES(type, store, swapped) \
	do { \
		const type *in = values; \
		for (uint32_t i = 0; i < nvalues; i++) \
			store(out + i * stride, swapped(in[i])); \
	} while (0)

static inline void
store_six(uint8_t *out, uint64_t swapped)
{
	store_le16(out, (uint16_t) (swapped >> 16));
	store_le32(out + 2, (uint32_t) (swapped >> 32));
}

/* The value at a position, of an array of integers of a size. */
static inline uint64_t
value_at(const void *values, uint32_t position, int size)
{
	switch (size)
	{
		case 1:
			return ((const uint8_t *) values)[position];
		case 2:
			return ((const uint16_t *) values)[position];
		case 4:
			return ((const uint32_t *) values)[position];
		default:
			return ((const uint64_t *) values)[position];
	}
}

/* Bytes, the most significant first. */
static void
store_bytes(const void *values, int size, uint32_t nvalues, int width,
			uint8_t *out, uint32_t stride)
{
	switch (width)
	{
		case 2:
			STORE_BYTES(uint16_t, store_le16, __builtin_bswap16);
			return;
		case 4:
			STORE_BYTES(uint32_t, store_le32, __builtin_bswap32);
			return;
		case 6:
			STORE_BYTES(uint64_t, store_six, __builtin_bswap64);
			return;
		case 8:
			STORE_BYTES(uint64_t, store_le64, __builtin_bswap64);
			return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	value = value_at(values, i, size);

		for (int k = width - 1; k >= 0; k--, value >>= 8)
			out[i * stride + (uint32_t) k] = (uint8_t) value;
	}
}

/* Put values of a field into strings, whose distance is the strings' length. */
static void
store_field(const FieldsReader *fields, int i, const void *values,
			uint32_t nvalues, uint8_t *out)
{
	int			field = fields->fields[i];

	if (field & FIELD_IS_BYTES)
		store_bytes(values, field_int_type(field).size, nvalues,
					field_width(field), out, fields->length);
	else
		store_numbers(values, nvalues, field_width(field), out,
					  fields->length);
}

/* Have all strings of a vector put together. */
static bool
load_vector(ChunkReader *reader, uint32_t vector, const char **reason)
{
	FieldsReader *fields = reader->fields;
	uint32_t	nvalues = vector_length(reader->nrows, vector);
	uint8_t    *out = fields->strings;

	if (fields->vector == vector)
		return true;
	fields->vector = NO_VECTOR;
	for (int i = 0; i < fields->nfields; i++)
	{
		if (!chunk_decode_stream(reader, &fields->streams[i], vector,
								 fields->values, reason))
			return false;
		store_field(fields, i, fields->values, nvalues, out);
		out += field_width(fields->fields[i]);
	}
	fields->vector = vector;
	return true;
}

/* A vector's strings that are stored as they are, from a position on. */
static const uint8_t *
fetch_raw(ChunkReader *reader, uint32_t vector, uint32_t position,
		  uint32_t nvalues)
{
	uint64_t	row = (uint64_t) vector * VECTOR_LENGTH + position;
	uint32_t	length = reader->fields->length;
	int			first = (reader->flags & CHUNK_HAS_VALIDITY) != 0;

	return reader->source->fetch(reader->source,
								 reader->stream_offsets[first] + row * length,
								 (size_t) nvalues * length);
}

bool
fields_decode_strings(ChunkReader *reader, uint32_t vector,
					  StringRef *strings, const char **reason)
{
	FieldsReader *fields = reader->fields;
	uint32_t	nvalues = vector_length(reader->nrows, vector);
	const uint8_t *bytes = fields->strings;

	if (fields->nfields == 0)
		bytes = fetch_raw(reader, vector, 0, nvalues);
	else if (!load_vector(reader, vector, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		strings[i].data = bytes + i * fields->length;
		strings[i].length = fields->length;
	}
	if (reader->vector_nnulls == 0)
		return true;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (bitmap_get(reader->nulls, i))
			strings[i] = no_string;
	}
	return true;
}

/*
 * Put one string together; returns false with *reason NULL if a field does not
 * allow that.
 */
static bool
load_single(ChunkReader *reader, uint32_t vector, uint32_t position,
			const char **reason)
{
	FieldsReader *fields = reader->fields;
	uint8_t    *out = fields->single;

	for (int i = 0; i < fields->nfields; i++)
	{
		int			size = field_int_type(fields->fields[i]).size;
		uint64_t	value;
		uint32_t	half;
		uint16_t	quarter;
		uint8_t		byte;

		if (!chunk_stream_value(reader, &fields->streams[i], vector, position,
								&value, reason))
			return false;
		half = (uint32_t) value;
		quarter = (uint16_t) value;
		byte = (uint8_t) value;
		store_field(fields, i, size == 8 ? (const void *) &value :
					size == 4 ? (const void *) &half :
					size == 2 ? (const void *) &quarter : &byte, 1, out);
		out += field_width(fields->fields[i]);
	}
	return true;
}

bool
fields_decode_string(ChunkReader *reader, uint32_t vector, uint32_t position,
					 StringRef *string, const char **reason)
{
	FieldsReader *fields = reader->fields;

	string->length = fields->length;
	if (fields->nfields == 0)
	{
		string->data = fetch_raw(reader, vector, position, 1);
		return true;
	}
	if (fields->vector != vector)
	{
		*reason = NULL;
		if (load_single(reader, vector, position, reason))
		{
			string->data = fields->single;
			return true;
		}
		if (*reason != NULL)
			return false;
	}
	if (!load_vector(reader, vector, reason))
		return false;
	string->data = fields->strings + position * fields->length;
	return true;
}
