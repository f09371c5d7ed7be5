/*
 * int_fused.c
 *		What kernels make of frames of reference besides their values.
 *
 * Sums and extremes of whole vectors, and values in 64 bits whatever their
 * type: each in one pass over the packed codes, for vectors whose codes cannot
 * leave their type.  All others are decoded by the caller.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_header.h"

/* A frame of reference that has been checked. */
typedef struct PackedFrame
{
	IntHeader	header;
	const uint8_t *bits;
	size_t		length;
} PackedFrame;

/* False with *reason NULL if the vector is none that is taken here. */
static bool
frame_parse(uint8_t encoding, const uint8_t *in, size_t length, IntType type,
			uint32_t nvalues, PackedFrame *frame, const char **reason)
{
	ByteCursor	cursor;

	*reason = NULL;
	if (encoding != INT_FOR || type.is_float ||
		(type.size == 8 && !type.is_signed))
		return false;
	cursor_init(&cursor, in, length);
	if (!int_header_parse(&cursor, false, type, &frame->header))
	{
		*reason = "invalid header of a vector";
		return false;
	}
	frame->bits = cursor.next;
	frame->length = cursor_left(&cursor);
	if (frame->header.width > 8 * type.size ||
		frame->length != bitpack_length(nvalues, frame->header.width) ||
		!bitpack_padding_is_zero(frame->bits, nvalues, frame->header.width))
	{
		*reason = "packed values do not match their vector";
		return false;
	}
	return largest_code(frame->header.width) <= frame->header.code_limit;
}

/* base * n + divisor * sum, if that is a 64-bit integer. */
static bool
add_up(const IntHeader *header, uint32_t n, uint64_t codes, int64_t *sum)
{
	int64_t		bases;
	int64_t		rest;

	return codes <= INT64_MAX && header->divisor <= INT64_MAX &&
		!__builtin_mul_overflow(header->base, (int64_t) n, &bases) &&
		!__builtin_mul_overflow((int64_t) codes, (int64_t) header->divisor,
								&rest) &&
		!__builtin_add_overflow(bases, rest, sum);
}

bool
int_vector_sum(uint8_t encoding, const uint8_t *in, size_t length,
			   IntType type, uint32_t nvalues, int64_t *sum,
			   const char **reason)
{
	PackedFrame frame;
	uint64_t	low;
	uint64_t	high;

	return frame_parse(encoding, in, length, type, nvalues, &frame, reason) &&
		bitpack_sum(frame.bits, frame.length, 0, nvalues, frame.header.width,
					&low, &high) &&
		high == 0 && add_up(&frame.header, nvalues, low, sum);
}

bool
int_vector_extremes(uint8_t encoding, const uint8_t *in, size_t length,
					IntType type, uint32_t nvalues, int64_t *min, int64_t *max,
					const char **reason)
{
	PackedFrame frame;
	uint64_t	least;
	uint64_t	greatest;

	if (!frame_parse(encoding, in, length, type, nvalues, &frame, reason) ||
		!bitpack_min_max(frame.bits, frame.length, 0, nvalues,
						 frame.header.width, &least, &greatest))
		return false;
	*min = (int64_t) ((uint64_t) frame.header.base +
					  least * frame.header.divisor);
	*max = (int64_t) ((uint64_t) frame.header.base +
					  greatest * frame.header.divisor);
	return true;
}

bool
int_vector_decode_wide(uint8_t encoding, const uint8_t *in, size_t length,
					   IntType type, uint32_t nvalues, int64_t *values,
					   const char **reason)
{
	PackedFrame frame;

	return frame_parse(encoding, in, length, type, nvalues, &frame, reason) &&
		frame.header.divisor == 1 &&
		bitpack_unpack_add(frame.bits, frame.length, 0, nvalues,
						   frame.header.width, (uint64_t) frame.header.base,
						   values, sizeof(int64_t));
}
