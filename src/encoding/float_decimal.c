/*
 * float_decimal.c
 *		Floats that are short decimals, as scaled integers.
 *
 * A value v is stored as integer i with v == i / 10^e, one e per vector: the
 * division of two exact doubles is rounded once, on every host alike, which is
 * how reading "21.35" makes the double, too.  (The idea is that of ALP, by
 * Afroozeh, Kuffo and Boncz, 2023.)  What is not such a decimal bit for bit -
 * -0.0, NaN, infinities, values of full precision - is an exception and kept
 * as it is; a vector with many is not stored so.
 */
#include "encoding/base.h"

#include <math.h>

#include "encoding/bitpack.h"
#include "encoding/int_vector.h"
#include "encoding/raw.h"

#define MAX_EXPONENT 15
#define PATCH_POSITION_BITS 10
#define NSAMPLES 32

/* One exception in so many is the limit, in a sample and at all. */
#define MAX_EXCEPTION_FRACTION 8

/* Integers up to here are exact as doubles. */
#define MAX_DECIMAL 9007199254740992.0	/* 2^53 */

static const double power_of_ten[MAX_EXPONENT + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14, 1e15
};

static double
pattern_to_double(int64_t pattern, int size)
{
	double		value;

	if (size == 4)
	{
		uint32_t	narrow = (uint32_t) pattern;
		float		single;

		memcpy(&single, &narrow, sizeof(single));
		return single;
	}
	memcpy(&value, &pattern, sizeof(value));
	return value;
}

static inline uint64_t
double_to_pattern(double value, int size)
{
	uint64_t	pattern;

	if (size == 4)
	{
		float		single = (float) value;
		uint32_t	narrow;

		memcpy(&narrow, &single, sizeof(narrow));
		return narrow;
	}
	memcpy(&pattern, &value, sizeof(pattern));
	return pattern;
}

/* True if the pattern is decimal / 10^exponent. */
static bool
to_decimal(int64_t pattern, int size, int exponent, int64_t *decimal)
{
	double		scaled = pattern_to_double(pattern, size) * power_of_ten[exponent];

	if (!(fabs(scaled) < MAX_DECIMAL))
		return false;			/* NaN too */
	*decimal = llrint(scaled);
	return double_to_pattern((double) *decimal / power_of_ten[exponent], size) ==
		(uint64_t) pattern;
}

/* The least exponent that serves nearly all of a sample, or -1. */
static int
choose_exponent(const IntVector *vector)
{
	uint32_t	nsamples = vector->nvalues < NSAMPLES ? vector->nvalues : NSAMPLES;
	int			max_exponent = vector->type.size == 4 ? 7 : MAX_EXPONENT;

	for (int exponent = 0; exponent <= max_exponent; exponent++)
	{
		uint32_t	nexceptions = 0;
		int64_t		decimal;

		for (uint32_t i = 0; i < nsamples; i++)
			nexceptions += !to_decimal(vector->values[i * vector->nvalues / nsamples],
									   vector->type.size, exponent, &decimal);
		if (nexceptions <= nsamples / MAX_EXCEPTION_FRACTION)
			return exponent;
	}
	return -1;
}

/*
 * Turn values to work->decimals and list exceptions, which take the decimal
 * before them.  Returns their number, or UINT32_MAX if there are too many.
 */
static uint32_t
collect_decimals(const IntVector *vector, int exponent, IntWorkspace *work,
				 uint64_t *positions)
{
	uint32_t	nexceptions = 0;
	int64_t		decimal = 0;

	for (uint32_t i = 0; i < vector->nvalues; i++)
	{
		int64_t		next;

		if (to_decimal(vector->values[i], vector->type.size, exponent, &next))
			decimal = next;
		else if (nexceptions == VECTOR_LENGTH / MAX_EXCEPTION_FRACTION)
			return UINT32_MAX;
		else
			positions[nexceptions++] = i;
		work->decimals[i] = decimal;
	}
	/* leading exceptions take the first decimal instead of zero */
	for (uint32_t i = 0; i < nexceptions && positions[i] == i; i++)
		work->decimals[i] = nexceptions < vector->nvalues ?
			work->decimals[vector->nvalues - 1] : 0;
	return nexceptions;
}

/*
 * Append the vector as decimals if that takes less than limit bytes; returns
 * false and appends nothing otherwise.
 *	offset	size	field
 *	0		1		exponent
 *	1		1		encoding of the decimals
 *	2		2		number of exceptions n
 *	4		...		n positions of 10 bits, then n patterns
 *	...				the decimals, as 64-bit signed integers
 */
bool
float_decimal_encode(const IntVector *vector, const IntOptions *options,
					 IntWorkspace *work, size_t limit, ByteBuffer *body)
{
	uint64_t	positions[VECTOR_LENGTH / MAX_EXCEPTION_FRACTION];
	size_t		start = body->length;
	int			size = vector->type.size;
	int			exponent = choose_exponent(vector);
	IntVector	decimals = *vector;
	IntOptions	light = *options;
	uint32_t	nexceptions;
	uint8_t		encoding;
	size_t		length;

	if (exponent < 0)
		return false;
	nexceptions = collect_decimals(vector, exponent, work, positions);
	if (nexceptions == UINT32_MAX)
		return false;
	bytebuffer_append_uint(body, (uint64_t) exponent, 1);
	bytebuffer_append_uint(body, 0, 1);
	bytebuffer_append_uint(body, nexceptions, 2);
	length = bitpack_length(nexceptions, PATCH_POSITION_BITS);
	bitpack_pack(positions, nexceptions, PATCH_POSITION_BITS,
				 bytebuffer_reserve(body, length));
	body->length += length;
	for (uint32_t i = 0; i < nexceptions; i++)
		bytebuffer_append_uint(body, (uint64_t) vector->values[positions[i]],
							   size);

	decimals.type.size = 8;
	decimals.type.is_signed = true;
	decimals.type.is_float = false;
	decimals.values = work->decimals;
	light.codec = 0;
	encoding = int_vector_encode_light(&decimals, &light, work, body);
	body->data[start + 1] = encoding;
	if (body->length - start < limit)
		return true;
	body->length = start;
	return false;
}

static bool
parse_exceptions(ByteCursor *cursor, uint32_t nexceptions, uint32_t nvalues,
				 int size, IntScratch *scratch, const uint8_t **patterns)
{
	size_t		length = bitpack_length(nexceptions, PATCH_POSITION_BITS);
	const uint8_t *bits = cursor_bytes(cursor, length);

	*patterns = cursor_bytes(cursor, (size_t) nexceptions * (size_t) size);
	if (cursor->failed || nexceptions > nvalues ||
		!bitpack_padding_is_zero(bits, nexceptions, PATCH_POSITION_BITS) ||
		!bitpack_unpack(bits, length, 0, nexceptions, PATCH_POSITION_BITS,
						scratch->positions, sizeof(uint16_t)))
		return false;
	for (uint32_t i = 0; i < nexceptions; i++)
	{
		if (scratch->positions[i] >= nvalues ||
			(i > 0 && scratch->positions[i] <= scratch->positions[i - 1]))
			return false;
	}
	return true;
}

static void
decimals_to_floats(const int64_t *decimals, uint32_t nvalues, int exponent,
				   int size, void *values)
{
	double		power = power_of_ten[exponent];

	if (size == 4)
	{
		float	   *singles = values;

		for (uint32_t i = 0; i < nvalues; i++)
			singles[i] = (float) ((double) decimals[i] / power);
	}
	else
	{
		double	   *doubles = values;

		for (uint32_t i = 0; i < nvalues; i++)
			doubles[i] = (double) decimals[i] / power;
	}
}

bool
float_decimal_decode(const uint8_t *in, size_t length, IntType type,
					 uint32_t nvalues, void *values,
					 IntScratch *scratch, const char **reason)
{
	IntType		integer = {8, true, false};
	ByteCursor	cursor;
	int			exponent;
	uint8_t		encoding;
	uint32_t	nexceptions;
	const uint8_t *patterns;
	int64_t    *decimals = scratch->decimals;
	uint8_t    *out = values;

	cursor_init(&cursor, in, length);
	exponent = (int) cursor_uint(&cursor, 1);
	encoding = (uint8_t) cursor_uint(&cursor, 1);
	nexceptions = (uint32_t) cursor_uint(&cursor, 2);
	*reason = "invalid decimals of a vector of floats";
	if (cursor.failed || exponent > MAX_EXPONENT || encoding >= INT_DECIMAL)
		return false;
	if (!parse_exceptions(&cursor, nexceptions, nvalues, type.size, scratch,
						  &patterns))
		return false;

	/* decoding the decimals needs the positions' place: read them twice */
	if (!int_vector_decode(encoding, cursor.next, cursor_left(&cursor),
						   integer, nvalues, NULL, decimals, scratch, reason))
		return false;
	decimals_to_floats(decimals, nvalues, exponent, type.size, values);
	cursor_init(&cursor, in + 4, length - 4);
	(void) parse_exceptions(&cursor, nexceptions, nvalues, type.size, scratch,
							&patterns);
	for (uint32_t i = 0; i < nexceptions; i++)
		(void) raw_decode(patterns + (size_t) i * (size_t) type.size,
						  (size_t) type.size, 1, type.size,
						  out + (size_t) scratch->positions[i] * (size_t) type.size);
	return true;
}
