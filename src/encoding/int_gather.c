/*
 * int_gather.c
 *		A few values of a vector of integers, without decoding the others.
 *
 * Where few rows of a vector are wanted, what decoding costs is the whole
 * vector's.  Packed codes can be reached one by one; sums and compressed bytes
 * cannot: then the caller decodes.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_header.h"

/* Positions, in increasing order. */
typedef struct Wanted
{
	const uint16_t *positions;
	uint32_t	npositions;
} Wanted;

/* Make codes values; false if one is outside the type. */
static bool
codes_to_values(const IntHeader *header, uint32_t ncodes, uint64_t *codes)
{
	uint64_t	base = (uint64_t) header->base;
	uint64_t	largest = 0;

	for (uint32_t i = 0; i < ncodes; i++)
	{
		uint64_t	code = codes[i];

		largest = code > largest ? code : largest;
		codes[i] = code * header->divisor + base;
	}
	return largest <= header->code_limit;
}

static void
gather_codes(const uint8_t *bits, size_t length, int width,
			 const Wanted *wanted, uint64_t *codes)
{
	for (uint32_t i = 0; i < wanted->npositions; i++)
		codes[i] = packed_value(bits, length, width, wanted->positions[i]);
}

static bool
gather_packed(ByteCursor *cursor, const IntHeader *header, IntType type,
			  uint32_t nvalues, const Wanted *wanted, uint64_t *values,
			  const char **reason)
{
	size_t		length = cursor_left(cursor);

	if (header->width > 8 * type.size ||
		length != bitpack_length(nvalues, header->width))
	{
		*reason = "packed values do not match their vector";
		return false;
	}
	gather_codes(cursor->next, length, header->width, wanted, values);
	*reason = "values outside the range of their type";
	return codes_to_values(header, wanted->npositions, values);
}

/* Add the upper bits of those wanted positions that have some. */
static void
add_patches(const uint16_t *positions, const uint64_t *highs,
			uint32_t npatches, int width, const Wanted *wanted,
			uint64_t *codes)
{
	uint32_t	patch = 0;

	for (uint32_t i = 0; i < wanted->npositions; i++)
	{
		while (patch < npatches && positions[patch] < wanted->positions[i])
			patch++;
		if (patch < npatches && positions[patch] == wanted->positions[i])
			codes[i] |= highs[patch] << width;
	}
}

static bool
gather_patched(ByteCursor *cursor, const IntHeader *header, IntType type,
			   uint32_t nvalues, const Wanted *wanted, uint64_t *values,
			   IntScratch *scratch, const char **reason)
{
	uint32_t	npatches = (uint32_t) cursor_uint(cursor, 2);
	int			patch_width = (int) cursor_uint(cursor, 1);
	int			width = header->width;
	size_t		length = bitpack_length(nvalues, width);
	size_t		positions_length = bitpack_length(npatches,
												  PATCH_POSITION_BITS);
	const uint8_t *body;
	const uint8_t *positions;

	*reason = "packed values do not match their vector";
	if (cursor->failed || npatches > nvalues || patch_width == 0 ||
		width + patch_width > 8 * type.size ||
		(body = cursor_bytes(cursor, length)) == NULL ||
		(positions = cursor_bytes(cursor, positions_length)) == NULL ||
		cursor_left(cursor) != bitpack_length(npatches, patch_width) ||
		!bitpack_unpack(positions, positions_length, 0, npatches,
						PATCH_POSITION_BITS, scratch->positions,
						sizeof(uint16_t)) ||
		!positions_are_increasing(scratch->positions, npatches, nvalues) ||
		!bitpack_unpack(cursor->next, cursor_left(cursor), 0, npatches,
						patch_width, scratch->extra, sizeof(uint64_t)))
		return false;
	gather_codes(body, length, width, wanted, values);
	add_patches(scratch->positions, scratch->extra, npatches, width, wanted,
				values);
	*reason = "values outside the range of their type";
	return codes_to_values(header, wanted->npositions, values);
}

static bool
gather_constant(const uint8_t *in, size_t length, IntType type,
				const Wanted *wanted, uint64_t *values, const char **reason)
{
	int64_t		value;

	*reason = "invalid constant";
	if (length > 8)
		return false;
	value = load_int(in, (int) length);
	for (uint32_t i = 0; i < wanted->npositions; i++)
		values[i] = (uint64_t) value;
	return int_value_fits(value, type);
}

static bool
gather_raw(const uint8_t *in, size_t length, IntType type, uint32_t nvalues,
		   const Wanted *wanted, uint64_t *values, const char **reason)
{
	*reason = "length of raw values does not match their number";
	if (length != (size_t) nvalues * (size_t) type.size)
		return false;
	gather_codes(in, length, 8 * type.size, wanted, values);
	return true;
}

static bool
gather_stored(int encoding, const uint8_t *in, size_t length, IntType type,
			  uint32_t nvalues, const Wanted *wanted, uint64_t *values,
			  IntScratch *scratch, const char **reason)
{
	IntHeader	header;
	ByteCursor	cursor;

	if (encoding == INT_CONSTANT)
		return gather_constant(in, length, type, wanted, values, reason);
	if (encoding == INT_RAW)
		return gather_raw(in, length, type, nvalues, wanted, values, reason);
	if (encoding != INT_FOR && encoding != INT_PATCHED)
		return false;

	cursor_init(&cursor, in, length);
	if (!int_header_parse(&cursor, false, type, &header))
	{
		*reason = "invalid header of a vector";
		return false;
	}
	if (encoding == INT_FOR)
		return gather_packed(&cursor, &header, type, nvalues, wanted, values,
							 reason);
	return gather_patched(&cursor, &header, type, nvalues, wanted, values,
						  scratch, reason);
}

/*
 * Where positions are among those that are not NULL.  One that is NULL gets
 * the place of a neighbour: its value does not count.
 */
static void
positions_to_dense(const uint64_t *nulls, uint32_t ndense,
				   const Wanted *wanted, uint16_t *dense)
{
	uint32_t	word = 0;
	uint32_t	nvalid = 0;		/* in front of the word */

	for (uint32_t i = 0; i < wanted->npositions; i++)
	{
		uint32_t	position = wanted->positions[i];
		uint64_t	below = (UINT64_C(1) << (position % 64)) - 1;
		uint32_t	place;

		for (; word < position / 64; word++)
			nvalid += count_bits(~nulls[word]);
		place = nvalid +
			count_bits(~nulls[word] & below);
		dense[i] = (uint16_t) (place < ndense ? place : ndense - 1);
	}
}

bool
int_vector_gather(uint8_t encoding, const uint8_t *in, size_t length,
				  IntType type, uint32_t nvalues, const uint64_t *nulls,
				  const uint16_t *positions, uint32_t npositions,
				  uint64_t *values, IntScratch *scratch, const char **reason)
{
	Wanted		wanted = {positions, npositions};
	uint16_t	dense[VECTOR_LENGTH];

	ENCODING_ASSERT(nvalues > 0 && nvalues <= VECTOR_LENGTH);
	ENCODING_ASSERT(npositions <= nvalues);
	ENCODING_ASSERT(npositions == 0 || positions[npositions - 1] < nvalues);
	*reason = NULL;
	if (encoding & INT_ENCODING_DENSE)
	{
		uint32_t	ndense = nulls == NULL ? 0 : count_valid(nulls, nvalues);

		if (ndense == 0)
		{
			*reason = "dense vector without values";
			return false;
		}
		positions_to_dense(nulls, ndense, &wanted, dense);
		wanted.positions = dense;
		nvalues = ndense;
	}
	return gather_stored(encoding & ~INT_ENCODING_DENSE, in, length, type,
						 nvalues, &wanted, values, scratch, reason);
}
