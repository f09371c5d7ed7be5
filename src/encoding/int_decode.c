/*
 * int_decode.c
 *		Reads a vector of integers into its native width.
 *
 * The bytes are untrusted.  Every length, count and width is checked before it
 * is used; codes are unpacked straight to the output, which has the slack that
 * kernels may overwrite.  The same pass adds the reference or sums up deltas,
 * unless codes have to be patched, multiplied, or looked at first.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/block_codec.h"
#include "encoding/float_vector.h"
#include "encoding/int_header.h"
#include "encoding/raw.h"
#include "encoding/simple64.h"

/* The next packed codes, or NULL if there are not so many. */
static const uint8_t *
packed_bits(ByteCursor *cursor, uint32_t ncodes, int width)
{
	const uint8_t *bits = cursor_bytes(cursor, bitpack_length(ncodes, width));

	return bits != NULL && bitpack_padding_is_zero(bits, ncodes, width) ?
		bits : NULL;
}

/* Is every code of this width within the limit? */
static bool
width_fits(int width, uint64_t limit)
{
	return limit == UINT64_MAX ||
		(width < 64 && (UINT64_C(1) << width) - 1 <= limit);
}

static bool
cursor_is_at_end(const ByteCursor *cursor, const char **reason)
{
	*reason = "packed values do not match their vector";
	return cursor_left(cursor) == 0;
}

#define VALUE uint8_t
#define FN(name) name##_8
#include "int_decode_template.h"

#define VALUE uint16_t
#define FN(name) name##_16
#include "int_decode_template.h"

#define VALUE uint32_t
#define FN(name) name##_32
#include "int_decode_template.h"

#define VALUE uint64_t
#define FN(name) name##_64
#include "int_decode_template.h"

static bool
decode_stored(int encoding, const uint8_t *in, size_t length, IntType type,
			  uint32_t nvalues, void *values, IntScratch *scratch,
			  const char **reason)
{
	if (encoding == INT_BLOCK)
		return int_block_decode(in, length, type, nvalues, values, scratch,
								reason);
	if (encoding == INT_DECIMAL && type.is_float)
		return float_decimal_decode(in, length, type, nvalues, values, scratch,
									reason);
	if (encoding == INT_SPLIT && type.is_float)
		return float_split_decode(in, length, type, nvalues, values, scratch,
								  reason);
	switch (type.size)
	{
		case 1:
			return decode_8(encoding, in, length, type, nvalues, values,
							scratch, reason);
		case 2:
			return decode_16(encoding, in, length, type, nvalues, values,
							 scratch, reason);
		case 4:
			return decode_32(encoding, in, length, type, nvalues, values,
							 scratch, reason);
		default:
			return decode_64(encoding, in, length, type, nvalues, values,
							 scratch, reason);
	}
}

static void
spread_dense(IntType type, const uint64_t *nulls, uint32_t nvalues,
			 uint32_t ndense, void *values)
{
	switch (type.size)
	{
		case 1:
			spread_dense_8(nulls, nvalues, ndense, values);
			break;
		case 2:
			spread_dense_16(nulls, nvalues, ndense, values);
			break;
		case 4:
			spread_dense_32(nulls, nvalues, ndense, values);
			break;
		default:
			spread_dense_64(nulls, nvalues, ndense, values);
			break;
	}
}

bool
int_vector_decode(uint8_t encoding, const uint8_t *in, size_t length,
				  IntType type, uint32_t nvalues, const uint64_t *nulls,
				  void *values, IntScratch *scratch, const char **reason)
{
	bool		is_dense = (encoding & INT_ENCODING_DENSE) != 0;
	uint32_t	nstored = nvalues;

	ENCODING_ASSERT(nvalues > 0 && nvalues <= VECTOR_LENGTH);
	if (is_dense)
	{
		nstored = nulls == NULL ? 0 : count_valid(nulls, nvalues);
		if (nstored == 0)
		{
			*reason = "dense vector without values";
			return false;
		}
	}
	if (!decode_stored(encoding & ~INT_ENCODING_DENSE, in, length, type,
					   nstored, values, scratch, reason))
		return false;
	if (is_dense)
		spread_dense(type, nulls, nvalues, nstored, values);
	return true;
}

/* ---- one value ---- */

/*
 * The code at a position or, of deltas, the sum of those up to it.  False if the
 * rest of the bytes does not have so many codes.
 */
static bool
packed_code(ByteCursor *cursor, uint32_t nvalues, uint32_t position,
			int width, bool is_delta, IntScratch *scratch, uint64_t *code)
{
	size_t		length = cursor_left(cursor);
	uint64_t	high;

	if (length != bitpack_length(nvalues, width))
		return false;
	if (is_delta)
		return bitpack_sum(cursor->next, length, 0, position + 1, width, code,
						   &high);
	if (!bitpack_unpack(cursor->next, length, position, 1, width,
						scratch->values, sizeof(uint64_t)))
		return false;
	*code = scratch->values[0];
	return true;
}

static bool
decode_packed_value(int encoding, ByteCursor *cursor, IntType type,
					uint32_t nvalues, uint32_t position, uint64_t *value,
					IntScratch *scratch, const char **reason)
{
	bool		is_delta = encoding == INT_DELTA;
	IntHeader	header;
	uint64_t	code;

	if (!int_header_parse(cursor, is_delta, type, &header))
	{
		*reason = "invalid header of a vector";
		return false;
	}
	if (header.width > 8 * type.size ||
		!packed_code(cursor, nvalues, position, header.width, is_delta,
					 scratch, &code))
	{
		*reason = "packed values do not match their vector";
		return false;
	}
	if (!is_delta && code > header.code_limit)
	{
		*reason = "values outside the range of their type";
		return false;
	}
	*value = (code + (uint64_t) header.step * position) * header.divisor +
		(uint64_t) header.base;
	return true;
}

static bool
decode_stored_value(int encoding, const uint8_t *in, size_t length,
					IntType type, uint32_t nvalues, uint32_t position,
					uint64_t *value, IntScratch *scratch, const char **reason)
{
	size_t		size = (size_t) type.size;
	ByteCursor	cursor;

	switch (encoding)
	{
		case INT_CONSTANT:
			*reason = "invalid constant";
			if (length > 8)
				return false;
			*value = (uint64_t) load_int(in, (int) length);
			return int_value_fits((int64_t) *value, type);
		case INT_RAW:
			*reason = "length of raw values does not match their number";
			if (length != nvalues * size)
				return false;
			*value = load_uint(in + position * size, type.size);
			return true;
		case INT_FOR:
		case INT_DELTA:
			cursor_init(&cursor, in, length);
			return decode_packed_value(encoding, &cursor, type, nvalues,
									   position, value, scratch, reason);
		case INT_BLOCK:
			return int_block_decode_value(in, length, type, nvalues, position,
										  value, scratch, reason);
		case INT_DECIMAL:
			*reason = NULL;
			return type.is_float &&
				float_decimal_decode_value(in, length, type, nvalues, position,
										   value, scratch, reason);
		case INT_SPLIT:
			*reason = NULL;
			return type.is_float &&
				float_split_decode_value(in, length, type, nvalues, position,
										 value, scratch, reason);
		default:
			*reason = NULL;
			return false;
	}
}

/* Non-null positions in front of one. */
static uint32_t
dense_position(const uint64_t *nulls, uint32_t position)
{
	return position == 0 ? 0 : count_valid(nulls, position);
}

bool
int_vector_decode_value(uint8_t encoding, const uint8_t *in, size_t length,
						IntType type, uint32_t nvalues, const uint64_t *nulls,
						uint32_t position, uint64_t *value,
						IntScratch *scratch, const char **reason)
{
	ENCODING_ASSERT(position < nvalues && nvalues <= VECTOR_LENGTH);
	if (encoding & INT_ENCODING_DENSE)
	{
		if (nulls == NULL || bitmap_get(nulls, position))
		{
			*reason = "dense vector without values";
			return false;
		}
		nvalues = count_valid(nulls, nvalues);
		position = dense_position(nulls, position);
	}
	return decode_stored_value(encoding & ~INT_ENCODING_DENSE, in, length,
							   type, nvalues, position, value, scratch,
							   reason);
}

const char *
int_encoding_name(uint8_t encoding)
{
	static const char *const names[INT_NENCODINGS] = {
		"constant", "raw", "for", "delta", "patched", "patched delta",
		"simple64", "simple64 delta", "runs", "decimal", "block", "split"
	};
	uint8_t		plain = encoding & (uint8_t) ~INT_ENCODING_DENSE;

	return plain < INT_NENCODINGS ? names[plain] : "unknown";
}
