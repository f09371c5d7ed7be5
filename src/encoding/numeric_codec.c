/*
 * numeric_codec.c
 *		The server's numerics as scaled 128-bit integers, and back.
 *
 * Values that fit 64 bits, nearly all, take short loops of native arithmetic;
 * the rest is done in 32-bit limbs, which every host has.
 */
#include "encoding/base.h"

#include "encoding/chunk.h"
#include "encoding/numeric_codec.h"

#define DIGIT_BASE 10000
#define DIGIT_LOG10 4

/* Header bits, as in numeric.c. */
#define SIGN_MASK 0xC000
#define SIGN_NEGATIVE 0x4000
#define SIGN_SHORT 0x8000
#define SIGN_SPECIAL 0xC000
#define SPECIAL_NAN 0xC000
#define SPECIAL_PLUS_INFINITY 0xD000
#define SPECIAL_MINUS_INFINITY 0xF000
#define SHORT_SIGN_MASK 0x2000
#define SHORT_SCALE_MASK 0x1F80
#define SHORT_SCALE_SHIFT 7
#define SHORT_SCALE_MAX (SHORT_SCALE_MASK >> SHORT_SCALE_SHIFT)
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT_MASK 0x003F
#define LONG_SCALE_MASK 0x3FFF

/* 160 bits: 128 of a value and room for a factor of 1,000. */
#define NLIMBS 5

/* Digits of a scaled value at most: 128 bits and padding. */
#define MAX_DIGITS 12

/* A plain value's digits, which make less than 10^16, and factors for them. */
#define MAX_PLAIN_DIGITS 4
#define MAX_PLAIN_EXPONENT 18

static inline uint16_t
load_word(const uint8_t *bytes)
{
	uint16_t	word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline void
store_word(uint8_t *bytes, uint16_t word)
{
	memcpy(bytes, &word, sizeof(word));
}

static bool
parse_special(uint16_t header, size_t length, NumericParts *parts)
{
	switch (header)
	{
		case SPECIAL_NAN:
			parts->form = NUMERIC_NAN;
			break;
		case SPECIAL_PLUS_INFINITY:
			parts->form = NUMERIC_PLUS_INFINITY;
			break;
		case SPECIAL_MINUS_INFINITY:
			parts->form = NUMERIC_MINUS_INFINITY;
			break;
		default:
			return false;
	}
	return length == sizeof(uint16_t);
}

static inline int
short_weight(uint16_t header)
{
	int			weight = header & SHORT_WEIGHT_MASK;

	return header & SHORT_WEIGHT_SIGN ? weight - (SHORT_WEIGHT_MASK + 1) : weight;
}

bool
numeric_parse(const uint8_t *payload, size_t length, NumericParts *parts)
{
	size_t		header_length = 2;
	uint16_t	header;

	if (length < 2 || length % 2 != 0)
		return false;
	header = load_word(payload);
	if ((header & SIGN_MASK) == SIGN_SPECIAL)
		return parse_special(header, length, parts);
	parts->form = NUMERIC_FINITE;
	if ((header & SIGN_MASK) == SIGN_SHORT)
	{
		parts->is_negative = (header & SHORT_SIGN_MASK) != 0;
		parts->display_scale = (header & SHORT_SCALE_MASK) >> SHORT_SCALE_SHIFT;
		parts->weight = short_weight(header);
	}
	else
	{
		header_length = 4;
		if (length < header_length)
			return false;
		parts->is_negative = (header & SIGN_MASK) == SIGN_NEGATIVE;
		parts->display_scale = header & LONG_SCALE_MASK;
		parts->weight = (int16_t) load_word(payload + 2);
	}
	parts->digits = payload + header_length;
	parts->ndigits = (int) ((length - header_length) / 2);
	return true;
}

bool
chunk_numeric_is_sound(const uint8_t *payload, size_t length)
{
	NumericParts parts;

	if (!numeric_parse(payload, length, &parts))
		return false;
	if (parts.form != NUMERIC_FINITE)
		return true;
	for (int i = 0; i < parts.ndigits; i++)
		if (load_word(parts.digits + 2 * i) >= DIGIT_BASE)
			return false;
	return true;
}

/* limbs = limbs * factor + addend; returns false on overflow. */
static bool
limbs_multiply(uint32_t *limbs, int nlimbs, uint32_t factor, uint32_t addend)
{
	uint64_t	carry = addend;

	for (int i = 0; i < nlimbs; i++)
	{
		carry += (uint64_t) limbs[i] * factor;
		limbs[i] = (uint32_t) carry;
		carry >>= 32;
	}
	return carry == 0;
}

/* limbs = limbs / divisor; returns the remainder. */
static uint32_t
limbs_divide(uint32_t *limbs, int nlimbs, uint32_t divisor)
{
	uint64_t	rest = 0;

	for (int i = nlimbs - 1; i >= 0; i--)
	{
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t) (rest / divisor);
		rest %= divisor;
	}
	return (uint32_t) rest;
}

static uint32_t
small_power_of_ten(int exponent)
{
	static const uint32_t powers[] = {1, 10, 100, 1000};

	return powers[exponent];
}

static WideInt
wide_negate(WideInt value)
{
	WideInt		result;

	result.low = 0 - value.low;
	result.high = (int64_t) (~(uint64_t) value.high + (result.low == 0));
	return result;
}

/*
 * The digits but those below 10^-scale, which must be zero: the last one kept
 * may give only its upper decimals.
 */
bool
numeric_scale(const NumericParts *parts, int scale, WideInt *value)
{
	uint32_t	limbs[4] = {0, 0, 0, 0};
	int			exponent;

	if (parts->ndigits == 0)
	{
		*value = (WideInt) {0, 0};
		return true;
	}
	if (parts->weight >= MAX_DIGITS || parts->ndigits > MAX_DIGITS)
		return false;

	/* what the last digit counts, as a power of ten of the scaled value */
	exponent = (parts->weight - (parts->ndigits - 1)) * DIGIT_LOG10 + scale;
	for (int i = 0; i < parts->ndigits; i++)
	{
		uint32_t	digit = load_word(parts->digits + 2 * i);
		uint32_t	factor = DIGIT_BASE;

		if (digit >= DIGIT_BASE)
			return false;
		if (i == parts->ndigits - 1 && exponent < 0)
		{
			if (exponent <= -DIGIT_LOG10 ||
				digit % small_power_of_ten(-exponent) != 0)
				return false;
			factor /= small_power_of_ten(-exponent);
			digit /= small_power_of_ten(-exponent);
		}
		if (!limbs_multiply(limbs, 4, factor, digit))
			return false;
	}
	for (; exponent >= DIGIT_LOG10; exponent -= DIGIT_LOG10)
	{
		if (!limbs_multiply(limbs, 4, DIGIT_BASE, 0))
			return false;
	}
	if (exponent > 0 &&
		!limbs_multiply(limbs, 4, small_power_of_ten(exponent), 0))
		return false;
	if (limbs[3] >> 31)
		return false;
	value->low = (uint64_t) limbs[1] << 32 | limbs[0];
	value->high = (int64_t) ((uint64_t) limbs[3] << 32 | limbs[2]);
	if (parts->is_negative)
		*value = wide_negate(*value);
	return true;
}

/* digits[0 .. ndigits) as one integer; false if one of them is no digit. */
static inline bool
plain_digits(const uint8_t *digits, int ndigits, uint64_t *result)
{
	*result = 0;
	for (int i = 0; i < ndigits; i++)
	{
		uint32_t	digit = load_word(digits + 2 * i);

		if (digit >= DIGIT_BASE)
			return false;
		*result = *result * DIGIT_BASE + digit;
	}
	return true;
}

/*
 * Times 10^exponent.  If that is negative, the last digit holds decimals that
 * the scale does not have, which must be zero.
 */
static inline bool
plain_shift(uint64_t *result, int exponent)
{
	static const uint64_t powers[MAX_PLAIN_EXPONENT + 1] = {
		UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000),
		UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000),
		UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
		UINT64_C(10000000000), UINT64_C(100000000000),
		UINT64_C(1000000000000), UINT64_C(10000000000000),
		UINT64_C(100000000000000), UINT64_C(1000000000000000),
		UINT64_C(10000000000000000), UINT64_C(100000000000000000),
		UINT64_C(1000000000000000000)
	};
	uint64_t	value = *result;

	switch (exponent)
	{
		case -3:
			*result = value / 1000;
			return *result * 1000 == value;
		case -2:
			*result = value / 100;
			return *result * 100 == value;
		case -1:
			*result = value / 10;
			return *result * 10 == value;
		default:
			if (exponent < 0 || exponent > MAX_PLAIN_EXPONENT ||
				value > INT64_MAX / powers[exponent])
				return false;
			*result *= powers[exponent];
			return true;
	}
}

bool
numeric_scale_plain(const uint8_t *payload, size_t length, int scale,
					int64_t *value, int *display_scale)
{
	const uint8_t *digits = payload + sizeof(uint16_t);
	int			ndigits = (int) (length / 2) - 1;
	uint64_t	result;
	uint16_t	header;

	if (length < 2 || length > 2 * (1 + MAX_PLAIN_DIGITS) || length % 2 != 0)
		return false;
	header = load_word(payload);
	if ((header & SIGN_MASK) != SIGN_SHORT)
		return false;
	*display_scale = (header & SHORT_SCALE_MASK) >> SHORT_SCALE_SHIFT;
	if (ndigits == 0)
	{
		*value = 0;
		return (header & (SHORT_SIGN_MASK | SHORT_WEIGHT_SIGN |
						  SHORT_WEIGHT_MASK)) == 0;
	}
	if (load_word(digits) == 0 || load_word(digits + 2 * (ndigits - 1)) == 0 ||
		!plain_digits(digits, ndigits, &result) ||
		!plain_shift(&result, scale +
					 (short_weight(header) - (ndigits - 1)) * DIGIT_LOG10))
		return false;
	*value = header & SHORT_SIGN_MASK ? -(int64_t) result : (int64_t) result;
	return true;
}

/* Split |value| * padding into base-10,000 digits, the least one first. */
static int
split_digits(WideInt magnitude, uint32_t padding, uint16_t *digits)
{
	uint32_t	limbs[NLIMBS];
	int			ndigits = 0;

	if (magnitude.high == 0 && magnitude.low < UINT64_MAX / 1000)
	{
		uint64_t	rest = magnitude.low * padding;

		for (; rest != 0; rest /= DIGIT_BASE)
			digits[ndigits++] = (uint16_t) (rest % DIGIT_BASE);
		return ndigits;
	}
	limbs[0] = (uint32_t) magnitude.low;
	limbs[1] = (uint32_t) (magnitude.low >> 32);
	limbs[2] = (uint32_t) magnitude.high;
	limbs[3] = (uint32_t) ((uint64_t) magnitude.high >> 32);
	limbs[4] = 0;
	(void) limbs_multiply(limbs, NLIMBS, padding, 0);
	while (limbs[0] | limbs[1] | limbs[2] | limbs[3] | limbs[4])
		digits[ndigits++] = (uint16_t) limbs_divide(limbs, NLIMBS, DIGIT_BASE);
	return ndigits;
}

static size_t
store_header(bool is_negative, int display_scale, int weight, uint8_t *payload)
{
	if (display_scale <= SHORT_SCALE_MAX && weight <= SHORT_WEIGHT_MASK &&
		weight >= -(SHORT_WEIGHT_MASK + 1))
	{
		store_word(payload, (uint16_t) (SIGN_SHORT |
										(is_negative ? SHORT_SIGN_MASK : 0) |
										display_scale << SHORT_SCALE_SHIFT |
										(weight < 0 ? SHORT_WEIGHT_SIGN : 0) |
										(weight & SHORT_WEIGHT_MASK)));
		return 2;
	}
	store_word(payload, (uint16_t) ((is_negative ? SIGN_NEGATIVE : 0) |
									(display_scale & LONG_SCALE_MASK)));
	store_word(payload + 2, (uint16_t) weight);
	return 4;
}

size_t
numeric_build(WideInt value, int scale, int display_scale, uint8_t *payload)
{
	bool		is_negative = value.high < 0;
	WideInt		magnitude = is_negative ? wide_negate(value) : value;
	int			nfraction = (scale + DIGIT_LOG10 - 1) / DIGIT_LOG10;
	uint32_t	padding = small_power_of_ten(nfraction * DIGIT_LOG10 - scale);
	uint16_t	digits[MAX_DIGITS];
	int			ndigits = split_digits(magnitude, padding, digits);
	int			weight = ndigits - 1 - nfraction;
	int			ntrailing = 0;
	size_t		length;

	while (ntrailing < ndigits && digits[ntrailing] == 0)
		ntrailing++;
	if (ndigits == 0)
		weight = 0;
	length = store_header(is_negative, display_scale, weight, payload);
	for (int i = ndigits - 1; i >= ntrailing; i--)
	{
		store_word(payload + length, digits[i]);
		length += 2;
	}
	return length;
}

size_t
numeric_build_special(NumericForm form, uint8_t *payload)
{
	uint16_t	header = SPECIAL_NAN;

	if (form == NUMERIC_PLUS_INFINITY)
		header = SPECIAL_PLUS_INFINITY;
	else if (form == NUMERIC_MINUS_INFINITY)
		header = SPECIAL_MINUS_INFINITY;
	store_word(payload, header);
	return 2;
}

/*
 * The computed double is off by a few units in the last place at most.  The
 * slack is a power of two, so that a fused multiply-add changes nothing.
 */
void
numeric_bounds(WideInt value, int scale, double *lower, double *upper)
{
	double		result = (double) value.high * 18446744073709551616.0 + (double) value.low;
	double		power = 1.0;
	double		slack;

	/* of a small negative number, high and low nearly cancel: be exact */
	if (value.high == -1)
		result = -(double) (0 - value.low);
	if (value.high == -1 && value.low == 0)
		result = -18446744073709551616.0;
	for (int i = 0; i < scale; i++)
		power *= 10.0;
	result /= power;
	slack = (result < 0 ? -result : result) / (double) (UINT64_C(1) << 46);
	*lower = result - slack;
	*upper = result + slack;
}
