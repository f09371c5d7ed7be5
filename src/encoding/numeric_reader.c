/*
 * numeric_reader.c
 *		Decodes vectors of numerics that are stored as scaled integers.
 */
#include "encoding/base.h"

#include "encoding/chunk_reader.h"
#include "encoding/numeric_codec.h"

/* Make reader->numerics the integers and scale codes of a vector. */
static bool
load_numerics(ChunkReader *reader, uint32_t vector, const char **reason)
{
	NumericVector *numerics = reader->numerics;
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (numerics == NULL)
	{
		numerics = reader_array(reader, 1, sizeof(NumericVector));
		reader->numerics = numerics;
		numerics->payloads = NULL;
		numerics->vector = NO_VECTOR;
	}
	if (numerics->vector == vector)
		return true;
	numerics->vector = NO_VECTOR;
	if (!chunk_decode_stream(reader, &reader->values, vector, numerics->low,
							 reason))
		return false;
	if (reader->layout == LAYOUT_WIDE_NUMERIC)
	{
		if (!chunk_decode_stream(reader, &reader->high, vector, numerics->high,
								 reason))
			return false;
	}
	else
	{
		for (uint32_t i = 0; i < nvalues; i++)
			numerics->high[i] = numerics->low[i] >> 63;
	}
	if (!(reader->flags & CHUNK_HAS_SCALES))
		memset(numerics->codes, reader->scale, nvalues);
	else if (!chunk_decode_stream(reader, &reader->scales, vector,
								  numerics->codes, reason))
		return false;
	numerics->vector = vector;
	return true;
}

/* Write one numeric's payload; returns its length, or 0 for a wrong code. */
static size_t
build_payload(const ChunkReader *reader, WideInt value, uint8_t code,
			  uint8_t *payload)
{
	switch (code)
	{
		case NUMERIC_CODE_NAN:
			return numeric_build_special(NUMERIC_NAN, payload);
		case NUMERIC_CODE_PLUS_INFINITY:
			return numeric_build_special(NUMERIC_PLUS_INFINITY, payload);
		case NUMERIC_CODE_MINUS_INFINITY:
			return numeric_build_special(NUMERIC_MINUS_INFINITY, payload);
		default:
			return code > reader->scale ? 0 :
				numeric_build(value, reader->scale, code, payload);
	}
}

/* The same of a position of the loaded vector. */
static size_t
build_loaded(const ChunkReader *reader, uint32_t position, uint8_t *payload)
{
	const NumericVector *numerics = reader->numerics;
	WideInt		value = {numerics->high[position],
						 (uint64_t) numerics->low[position]};

	return build_payload(reader, value, numerics->codes[position], payload);
}

bool
numeric_decode_strings(ChunkReader *reader, uint32_t vector,
					   const uint64_t *wanted, StringRef *strings,
					   const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);
	uint8_t    *payloads;

	if (!load_numerics(reader, vector, reason))
		return false;
	if (reader->numerics->payloads == NULL)
		reader->numerics->payloads = reader_array(reader, VECTOR_LENGTH,
												  NUMERIC_BUILD_LENGTH);
	payloads = reader->numerics->payloads;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint8_t    *payload = payloads + i * NUMERIC_BUILD_LENGTH;

		if (wanted != NULL && !bitmap_get(wanted, i))
			continue;
		strings[i].data = payload;
		strings[i].length = 0;
		if (bitmap_get(reader->nulls, i))
			continue;
		strings[i].length = (uint32_t) build_loaded(reader, i, payload);
		if (strings[i].length == 0)
		{
			*reason = "invalid display scale of a numeric";
			return false;
		}
	}
	return true;
}

/*
 * Write the payload at one position, if that is possible without the vector's
 * others: of a narrow numeric with a uniform scale.
 */
static bool
build_single(ChunkReader *reader, uint32_t vector, uint32_t position,
			 size_t *length, const char **reason)
{
	uint64_t	low;
	WideInt		value;

	*reason = NULL;
	if (reader->layout != LAYOUT_NUMERIC ||
		(reader->flags & CHUNK_HAS_SCALES) ||
		!chunk_stream_value(reader, &reader->values, vector, position, &low,
							reason))
		return false;
	value.high = (int64_t) low >> 63;
	value.low = low;
	*length = build_payload(reader, value, (uint8_t) reader->scale,
							reader->numeric_payload);
	return true;
}

bool
numeric_decode_string(ChunkReader *reader, uint32_t vector, uint32_t position,
					  StringRef *string, const char **reason)
{
	size_t		length;

	if (!build_single(reader, vector, position, &length, reason))
	{
		if (*reason != NULL || !load_numerics(reader, vector, reason))
			return false;
		length = build_loaded(reader, position, reader->numeric_payload);
	}
	string->data = reader->numeric_payload;
	string->length = (uint32_t) length;
	*reason = "invalid display scale of a numeric";
	return length > 0;
}

/* A chunk of one numeric: that as a scaled integer. */
static bool
scale_constant(const ChunkReader *reader, int64_t *value, uint8_t *scale)
{
	NumericParts parts;
	WideInt		wide;

	if (!numeric_parse(reader->constant, reader->constant_length, &parts) ||
		parts.form != NUMERIC_FINITE ||
		parts.display_scale > NUMERIC_MAX_SCALE ||
		!numeric_scale(&parts, parts.display_scale, &wide) ||
		wide.high != (int64_t) wide.low >> 63)
		return false;
	*value = (int64_t) wide.low;
	*scale = (uint8_t) parts.display_scale;
	return true;
}

static bool
fill_scaled_constant(const ChunkReader *reader, int64_t *values,
					 uint8_t *scale)
{
	int64_t		value;

	if (!scale_constant(reader, &value, scale))
		return false;
	for (uint32_t i = 0; i < VECTOR_LENGTH; i++)
		values[i] = value;
	return true;
}

/* Are the loaded integers what the vector's values are, at their scales? */
static bool
loaded_are_narrow(const ChunkReader *reader, uint32_t nvalues, bool is_uniform)
{
	const NumericVector *numerics = reader->numerics;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (bitmap_get(reader->nulls, i))
			continue;
		if (numerics->codes[i] > NUMERIC_MAX_SCALE ||
			(is_uniform && numerics->codes[i] != reader->scale) ||
			numerics->high[i] != numerics->low[i] >> 63)
			return false;
	}
	return true;
}

static bool
decode_scaled(ChunkReader *reader, uint32_t vector, bool is_uniform,
			  int64_t *values, uint8_t *scale, const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	*reason = NULL;
	if (reader->layout != LAYOUT_NUMERIC &&
		reader->layout != LAYOUT_WIDE_NUMERIC)
		return false;
	*scale = (uint8_t) reader->scale;
	if (reader->layout == LAYOUT_NUMERIC &&
		!(reader->flags & CHUNK_HAS_SCALES))
		return chunk_decode_stream(reader, &reader->values, vector, values,
								   reason);
	if (!load_numerics(reader, vector, reason) ||
		!chunk_load_nulls(reader, vector, reason))
		return false;
	*reason = NULL;
	if (!loaded_are_narrow(reader, nvalues, is_uniform))
		return false;
	memcpy(values, reader->numerics->low, nvalues * sizeof(int64_t));
	return true;
}

bool
chunk_numeric_scaled(ChunkReader *reader, uint32_t vector, int64_t *values,
					 uint8_t *scale, const char **reason)
{
	return decode_scaled(reader, vector, false, values, scale, reason);
}

bool
chunk_numeric_uniform(ChunkReader *reader, uint32_t vector, int64_t *values,
					  uint8_t *scale, const char **reason)
{
	*reason = NULL;
	if (reader->layout == LAYOUT_CONSTANT)
		return fill_scaled_constant(reader, values, scale);
	return decode_scaled(reader, vector, true, values, scale, reason);
}
