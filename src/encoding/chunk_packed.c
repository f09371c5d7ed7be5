/*
 * chunk_packed.c
 *		What can be had of a chunk's vectors without decoding them.
 *
 * Ranges of values are searched for where they lie, and few values are fetched
 * from among the others.  Both are as good as decoding and looking, or say that
 * they cannot.
 */
#include "encoding/base.h"

#include "encoding/chunk_reader.h"

static bool
stream_between(ChunkReader *reader, const IntStream *stream, uint32_t vector,
			   int64_t low, int64_t high, uint64_t *matches,
			   const char **reason)
{
	const uint64_t *nulls;

	ENCODING_CHECK_INTERRUPTS();
	return chunk_stream_nulls(reader, stream, vector, &nulls, reason) &&
		int_stream_between(stream, reader->source, vector, nulls, low, high,
						   matches, chunk_scratch(reader), reason);
}

static bool
stream_gather(ChunkReader *reader, const IntStream *stream, uint32_t vector,
			  const uint16_t *positions, uint32_t npositions,
			  uint64_t *values, const char **reason)
{
	const uint64_t *nulls;

	ENCODING_CHECK_INTERRUPTS();
	return chunk_stream_nulls(reader, stream, vector, &nulls, reason) &&
		int_stream_gather(stream, reader->source, vector, nulls, positions,
						  npositions, values, chunk_scratch(reader), reason);
}

/* All of a vector's values are one. */
static void
match_constant(int64_t value, int64_t low, int64_t high, uint64_t *matches)
{
	memset(matches, value >= low && value <= high ? 0xFF : 0,
		   VALIDITY_WORDS * sizeof(uint64_t));
}

static void
fill_constant(uint64_t value, uint32_t nvalues, uint64_t *values)
{
	for (uint32_t i = 0; i < nvalues; i++)
		values[i] = value;
}

static int64_t
constant_value(const ChunkReader *reader)
{
	return reader->type.is_signed ?
		load_int(reader->constant, reader->type.size) :
		(int64_t) load_uint(reader->constant, reader->type.size);
}

/* ---- fixed width ---- */

bool
chunk_between_fixed(ChunkReader *reader, uint32_t vector, bool is_signed,
					int64_t low, int64_t high, uint64_t *matches,
					const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors);
	*reason = NULL;
	if (!kind_is_fixed(reader->kind) || reader->type.is_float ||
		reader->type.is_signed != is_signed)
		return false;
	switch (reader->layout)
	{
		case LAYOUT_ALL_NULL:
			match_constant(1, 0, 0, matches);
			return true;
		case LAYOUT_CONSTANT:
			match_constant(constant_value(reader), low, high, matches);
			return true;
		case LAYOUT_FIXED:
			return stream_between(reader, &reader->values, vector, low, high,
								  matches, reason);
		default:
			return false;
	}
}

static bool
gather_entries(ChunkReader *reader, uint32_t vector,
			   const uint16_t *positions, uint32_t npositions,
			   uint64_t *values, const char **reason)
{
	uint16_t	codes[VECTOR_LENGTH];

	if (!chunk_gather_codes(reader, vector, positions, npositions, codes,
							reason) ||
		!chunk_load_entries(reader, reason))
		return false;
	for (uint32_t i = 0; i < npositions; i++)
		values[i] = chunk_entry_value(reader, codes[i]);
	return true;
}

bool
chunk_gather_fixed(ChunkReader *reader, uint32_t vector,
				   const uint16_t *positions, uint32_t npositions,
				   uint64_t *values, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors && kind_is_fixed(reader->kind));
	switch (reader->layout)
	{
		case LAYOUT_ALL_NULL:
			fill_constant(0, npositions, values);
			return true;
		case LAYOUT_CONSTANT:
			fill_constant((uint64_t) constant_value(reader), npositions,
						  values);
			return true;
		case LAYOUT_FIXED:
			return stream_gather(reader, &reader->values, vector, positions,
								 npositions, values, reason);
		default:
			ENCODING_ASSERT(reader->layout == LAYOUT_FIXED_DICTIONARY);
			return gather_entries(reader, vector, positions, npositions,
								  values, reason);
	}
}

/* ---- whole vectors ---- */

/*
 * A vector's bytes for what takes all of its values; NULL if that cannot be
 * done, or with a reason.  Of numerics, scaled integers.
 */
static const uint8_t *
fetch_whole(ChunkReader *reader, uint32_t vector, bool is_signed,
			uint8_t *encoding, size_t *length, const char **reason)
{
	uint8_t		scale;

	ENCODING_ASSERT(vector < reader->nvectors);
	ENCODING_CHECK_INTERRUPTS();
	*reason = NULL;
	if (reader->layout != LAYOUT_FIXED &&
		!chunk_numeric_is_packed(reader, &scale))
		return NULL;
	if (reader->values.type.is_signed != is_signed)
		return NULL;
	return int_stream_fetch(&reader->values, reader->source, vector, encoding,
							length, reason);
}

bool
chunk_sum(ChunkReader *reader, uint32_t vector, bool is_signed, int64_t *sum,
		  const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *in = fetch_whole(reader, vector, is_signed, &encoding,
									&length, reason);

	return in != NULL &&
		int_vector_sum(encoding, in, length, reader->values.type,
					   vector_length(reader->nrows, vector), sum, reason);
}

bool
chunk_extremes(ChunkReader *reader, uint32_t vector, bool is_signed,
			   int64_t *min, int64_t *max, const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *in = fetch_whole(reader, vector, is_signed, &encoding,
									&length, reason);

	return in != NULL &&
		int_vector_extremes(encoding, in, length, reader->values.type,
							vector_length(reader->nrows, vector), min, max,
							reason);
}

bool
chunk_decode_wide(ChunkReader *reader, uint32_t vector, bool is_signed,
				  int64_t *values, const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *in = fetch_whole(reader, vector, is_signed, &encoding,
									&length, reason);

	return in != NULL &&
		int_vector_decode_wide(encoding, in, length, reader->values.type,
							   vector_length(reader->nrows, vector), values,
							   reason);
}

/* ---- codes of dictionaries ---- */

/* Is a bit set among the first nvalues? */
static bool
has_match(const uint64_t *matches, uint32_t nvalues)
{
	uint64_t	any = 0;

	for (uint32_t w = 0; w < nvalues / 64; w++)
		any |= matches[w];
	if (nvalues % 64 != 0)
		any |= matches[nvalues / 64] << (64 - nvalues % 64);
	return any != 0;
}

bool
chunk_between_codes(ChunkReader *reader, uint32_t vector, uint32_t low,
					uint32_t high, uint64_t *matches, const char **reason)
{
	const IntStream *codes = &reader->values;

	ENCODING_ASSERT(vector < reader->nvectors && reader->nentries > 0);
	*reason = NULL;
	if (reader->codes_vector == vector)
		return false;			/* they are at hand */
	if (!stream_between(reader, codes, vector, reader->nentries, UINT16_MAX,
						matches, reason))
		return false;
	if (has_match(matches, vector_length(reader->nrows, vector)))
	{
		*reason = "code outside the dictionary";
		return false;
	}
	return stream_between(reader, codes, vector, low, high, matches, reason);
}

bool
chunk_gather_codes(ChunkReader *reader, uint32_t vector,
				   const uint16_t *positions, uint32_t npositions,
				   uint16_t *codes, const char **reason)
{
	uint64_t	values[VECTOR_LENGTH];
	uint64_t	largest = 0;

	ENCODING_ASSERT(vector < reader->nvectors && npositions <= VECTOR_LENGTH);
	*reason = NULL;
	if (reader->codes_vector == vector ||
		!stream_gather(reader, &reader->values, vector, positions, npositions,
					   values, reason))
		return false;
	for (uint32_t i = 0; i < npositions; i++)
	{
		largest = values[i] > largest ? values[i] : largest;
		codes[i] = (uint16_t) values[i];
	}
	*reason = "code outside the dictionary";
	return largest < reader->nentries;
}

/* ---- numerics ---- */

bool
chunk_numeric_is_packed(ChunkReader *reader, uint8_t *scale)
{
	*scale = (uint8_t) reader->scale;
	return reader->layout == LAYOUT_NUMERIC &&
		(reader->flags & CHUNK_HAS_SCALES) == 0;
}

bool
chunk_between_numeric(ChunkReader *reader, uint32_t vector, int64_t low,
					  int64_t high, uint64_t *matches, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors);
	ENCODING_ASSERT(reader->layout == LAYOUT_NUMERIC);
	return stream_between(reader, &reader->values, vector, low, high, matches,
						  reason);
}

bool
chunk_gather_numeric(ChunkReader *reader, uint32_t vector,
					 const uint16_t *positions, uint32_t npositions,
					 int64_t *values, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors);
	ENCODING_ASSERT(reader->layout == LAYOUT_NUMERIC);
	return stream_gather(reader, &reader->values, vector, positions,
						 npositions, (uint64_t *) values, reason);
}
