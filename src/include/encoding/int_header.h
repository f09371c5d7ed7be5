/*
 * int_header.h
 *		What stands in front of the codes of a vector of integers.
 *
 * For those that decode vectors and those that look into them without.  The
 * bytes are untrusted; nothing here reads behind their end.
 */
#ifndef ENCODING_INT_HEADER_H
#define ENCODING_INT_HEADER_H

#include "encoding/bitpack.h"
#include "encoding/byteorder.h"
#include "encoding/int_vector.h"

/* Bits of a position of a patch. */
#define PATCH_POSITION_BITS 10

/* The parameters in front of packed codes. */
typedef struct IntHeader
{
	int			width;
	int64_t		base;
	uint64_t	divisor;		/* at least 1 */
	int64_t		step;			/* least delta */
	uint64_t	code_limit;		/* largest code that stays in the type */
} IntHeader;

static inline int64_t
int_type_min(IntType type)
{
	return type.is_signed ? -(INT64_C(1) << (8 * type.size - 2)) * 2 : 0;
}

static inline int64_t
int_type_max(IntType type)
{
	return type.is_signed ?
		(int64_t) (UINT64_MAX >> (65 - 8 * type.size)) :
		(int64_t) (UINT64_MAX >> (64 - 8 * type.size));
}

/* Unsigned 64-bit values are kept modulo 2^64: anything fits. */
static inline bool
int_value_fits(int64_t value, IntType type)
{
	if (type.size == 8)
		return true;
	return value >= int_type_min(type) && value <= int_type_max(type);
}

static inline bool
int_header_parse(ByteCursor *cursor, bool is_delta, IntType type,
				 IntHeader *header)
{
	int			sizes;

	header->width = (int) cursor_uint(cursor, 1);
	sizes = (int) cursor_uint(cursor, 1);
	header->base = cursor_int(cursor, sizes & 15);
	header->divisor = cursor_uint(cursor, sizes >> 4);
	header->step = is_delta ? cursor_int(cursor,
										 (int) cursor_uint(cursor, 1)) : 0;
	if (cursor->failed || header->width > 64 ||
		!int_value_fits(header->base, type))
		return false;
	if (sizes >> 4 == 0)
		header->divisor = 1;
	else if (header->divisor < 2)
		return false;
	if (type.size == 8 && !type.is_signed)
		header->code_limit = UINT64_MAX;
	else
		header->code_limit = ((uint64_t) int_type_max(type) -
							  (uint64_t) header->base) / header->divisor;
	return true;
}

/* The largest code of so many bits. */
static inline uint64_t
largest_code(int width)
{
	return width == 0 ? 0 : UINT64_MAX >> (64 - width);
}

/* Are positions of patches in order, and below limit? */
static inline bool
positions_are_increasing(const uint16_t *positions, uint32_t npositions,
						 uint32_t limit)
{
	for (uint32_t i = 0; i < npositions; i++)
	{
		if (positions[i] >= limit ||
			(i > 0 && positions[i] <= positions[i - 1]))
			return false;
	}
	return true;
}

/* Do run lengths, stored less one, cover exactly nvalues? */
static inline bool
lengths_add_up(const uint16_t *lengths, uint32_t nruns, uint32_t nvalues)
{
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < nruns; i++)
		sum += (uint32_t) lengths[i] + 1;
	return sum == nvalues;
}

/* Which of a word's positions hold a value that is not NULL. */
static inline uint64_t
valid_positions(const uint64_t *nulls, uint32_t nvalues, uint32_t word)
{
	uint32_t	first = word * 64;

	if (first >= nvalues)
		return 0;
	return ~nulls[word] &
		(nvalues - first >= 64 ? UINT64_MAX :
		 (UINT64_C(1) << (nvalues - first)) - 1);
}

/* How many of the first nvalues positions do. */
static inline uint32_t
count_valid(const uint64_t *nulls, uint32_t nvalues)
{
	uint32_t	nvalid = 0;

	for (uint32_t word = 0; word * 64 < nvalues; word++)
		nvalid += count_bits(valid_positions(nulls, nvalues, word));
	return nvalid;
}

/*
 * The value of that index among packed ones, of which there are enough in
 * length bytes.
 */
static inline uint64_t
packed_value(const uint8_t *bits, size_t length, int width, uint32_t index)
{
	uint64_t	first = (uint64_t) index * (uint64_t) width;
	size_t		byte = (size_t) (first / 8);
	int			shift = (int) (first % 8);
	uint8_t		copy[16] = {0};
	const uint8_t *in = bits + byte;
	uint64_t	value;

	if (width == 0)
		return 0;
	ENCODING_ASSERT(byte < length);
	if (length - byte < 9)
	{
		memcpy(copy, in, length - byte);
		in = copy;
	}
	value = load_le64(in) >> shift;
	if (shift + width > 64)
		value |= (uint64_t) in[8] << (64 - shift);
	return value & (UINT64_MAX >> (64 - width));
}

#endif							/* ENCODING_INT_HEADER_H */
