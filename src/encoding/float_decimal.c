/*
 * float_decimal.c
 *		Floats that are integers over a common divisor.
 *
 * A value v is stored as integer i with v = i / divisor, one divisor per
 * vector: a power of ten for what was written as decimals (the idea is that of
 * ALP, by Afroozeh, Kuffo and Boncz, 2023), or any other small number, as of
 * means of so many integers.  What is not such a fraction bit for bit - -0.0,
 * NaN, infinities, values of full precision - is an exception and kept as it
 * is; a vector with many is not stored so.
 *
 * Decoding multiplies, which takes a fifth of the time that dividing does.  For
 * doubles the reciprocal has two parts: i * high is exact, as high has only so
 * many bits as i leaves of a double's 53, and i * low is off by less than
 * 2^-53 of what is itself small, so that their sum is rightly rounded nearly
 * always.  The encoder compares each value's bits, and does so for a part a
 * little too small and one too great: then a compiler that joins multiplication
 * and addition, so that only the sum is rounded, gets the same.  Of floats of 4 bytes a product in
 * double precision is exact enough by far.
 */
#include "encoding/base.h"

#include <math.h>

#include "encoding/bitpack.h"
#include "encoding/byteorder.h"
#include "encoding/float_vector.h"

#define MAX_EXPONENT 18
#define NSAMPLES 32

/* Values that tell that nothing is decimal here. */
#define NPROBES 8

/* Divisors tried where values are no decimals; and with how many values. */
#define MAX_SMALL_DIVISOR 65536
#define NSEARCHED 8

/* Searches in a chunk that may fail: they take longer than all else. */
#define MAX_FAILURES 2

/* Integers have at most so many bits, or it is not worth it. */
#define MAX_BITS_DOUBLE 45
#define MAX_BITS_SINGLE 24

/* Decimals behind the point that may be there by chance. */
#define MANY_DIGITS(size) ((size) == 4 ? 4 : 10)

#define DOUBLE_BITS 53

/* What an exception costs, in bits. */
#define EXCEPTION_BITS(size) (16 + 8 * (size))

/* Bits that a thousand decimal digits take. */
#define THOUSAND_DIGITS_BITS 3322

/* Bytes in front of the exceptions. */
#define HEAD_LENGTH 5

/* Flag of the encoding: the integers have 8 bytes, not 4. */
#define WIDE_INTEGERS 0x80

/*
 * Adding this to a double of less than 2^51 rounds it to an integer, which then
 * is in the lower bits of the pattern; taking it off goes the other way.
 */
#define ROUNDER 6755399441055744.0	/* 1.5 * 2^52 */
#define ROUNDER_PATTERN UINT64_C(0x4338000000000000)
#define ROUNDER_LIMIT (UINT64_C(1) << 51)

static const uint64_t power_of_ten[MAX_EXPONENT + 1] = {
	UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000),
	UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000),
	UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
	UINT64_C(10000000000), UINT64_C(100000000000),
	UINT64_C(1000000000000), UINT64_C(10000000000000),
	UINT64_C(100000000000000), UINT64_C(1000000000000000),
	UINT64_C(10000000000000000), UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000)
};

/* ---- arithmetic ---- */

/* 1 / divisor, cut to so many bits, and the bits that follow. */
typedef struct Reciprocal
{
	double		high;
	double		low;
} Reciprocal;

/* The next bits of rest / divisor, where rest is less; rest becomes the rest. */
static uint64_t
quotient_bits(uint64_t *rest, uint64_t divisor, int nbits)
{
	int			room = __builtin_clzll(divisor);
	uint64_t	quotient = 0;

	while (nbits > 0)
	{
		int			step = nbits < room ? nbits : room;
		uint64_t	dividend = *rest << step;

		quotient = quotient << step | dividend / divisor;
		*rest = dividend % divisor;
		nbits -= step;
	}
	return quotient;
}

/* 2^-exponent, which is no denormal. */
static double
negative_power(int exponent)
{
	return double_of_pattern((uint64_t) (1023 - exponent) << 52);
}

/* By long division, the first step of which gives a one. */
static void
reciprocal_init(Reciprocal *reciprocal, uint64_t divisor, int high_bits)
{
	int			shift;
	uint64_t	rest;

	ENCODING_ASSERT(divisor > 0 && divisor >> 62 == 0);
	reciprocal->high = 1;
	reciprocal->low = 0;
	if (divisor == 1)
		return;
	shift = 63 - __builtin_clzll(divisor - 1);
	rest = UINT64_C(1) << shift;
	shift += high_bits;
	reciprocal->high = (double) quotient_bits(&rest, divisor, high_bits) *
		negative_power(shift);
	shift += DOUBLE_BITS;
	reciprocal->low = (double) quotient_bits(&rest, divisor, DOUBLE_BITS) *
		negative_power(shift);
}

/* Bits of the high part, given those of the integers. */
static inline int
high_part_bits(int integer_bits, int size)
{
	return size == 4 ? DOUBLE_BITS : DOUBLE_BITS - integer_bits;
}

/* In steps of a constant length, which compilers vectorise without being asked. */
#define FOR_EACH_VALUE(i, nvalues, statement) \
	do { \
		uint32_t	last_ = (nvalues) - (nvalues) % VECTOR_STEP; \
		for (uint32_t first_ = 0; first_ < last_; first_ += VECTOR_STEP) \
		{ \
			for (int k_ = 0; k_ < VECTOR_STEP; k_++) \
			{ \
				uint32_t	i = first_ + (uint32_t) k_; \
				statement; \
			} \
		} \
		for (uint32_t i = last_; i < (nvalues); i++) \
			statement; \
	} while (0)

static inline double
double_of_wide(int64_t integer)
{
	return double_of_pattern((uint64_t) integer + ROUNDER_PATTERN) - ROUNDER;
}

static void
narrow_to_doubles(const int32_t *__restrict integers, uint32_t nvalues,
				  const Reciprocal *reciprocal, double *__restrict values)
{
	double		high = reciprocal->high;
	double		low = reciprocal->low;

	FOR_EACH_VALUE(i, nvalues,
				  values[i] = (double) integers[i] * high +
				  (double) integers[i] * low);
}

static void
wide_to_doubles(const int64_t *__restrict integers, uint32_t nvalues,
				const Reciprocal *reciprocal, double *__restrict values)
{
	double		high = reciprocal->high;
	double		low = reciprocal->low;

	FOR_EACH_VALUE(i, nvalues,
				  values[i] = double_of_wide(integers[i]) * high +
				  double_of_wide(integers[i]) * low);
}

static void
narrow_to_singles(const int32_t *__restrict integers, uint32_t nvalues,
				  const Reciprocal *reciprocal, float *__restrict values)
{
	double		high = reciprocal->high;

	FOR_EACH_VALUE(i, nvalues,
				  values[i] = (float) ((double) integers[i] * high));
}

/* The integer that a value times a divisor is nearest to, if it is small. */
static inline bool
nearest_integer(double scaled, int64_t *integer)
{
	if (!(fabs(scaled) < (double) ROUNDER_LIMIT))
		return false;			/* NaN too */
	scaled += ROUNDER;
	memcpy(integer, &scaled, sizeof(scaled));
	*integer = (int64_t) ((uint64_t) *integer - ROUNDER_PATTERN);
	return true;
}

static inline uint64_t
magnitude(int64_t integer)
{
	return integer < 0 ? 0 - (uint64_t) integer : (uint64_t) integer;
}

static inline int
max_bits(int size)
{
	return size == 4 ? MAX_BITS_SINGLE : MAX_BITS_DOUBLE;
}

/* ---- the divisor ---- */

/* Values that a vector's divisor is chosen by. */
typedef struct Sample
{
	int			size;			/* of a value */
	uint32_t	nvalues;
	int64_t		patterns[NSAMPLES];
} Sample;

static void
take_sample(const IntVector *vector, Sample *sample)
{
	sample->size = vector->type.size;
	sample->nvalues = vector->nvalues < NSAMPLES ? vector->nvalues : NSAMPLES;
	for (uint32_t i = 0; i < sample->nvalues; i++)
		sample->patterns[i] = vector->values[i * vector->nvalues / sample->nvalues];
}

/*
 * Is a value a multiple of 1 / divisor, and a small one?  Division, which is
 * rightly rounded, is what multiplication will be checked to come to.
 */
static bool
has_divisor(int64_t pattern, int size, double divisor)
{
	double		value = float_of_size(pattern, size);
	int64_t		integer;
	float		single;

	if (!nearest_integer(value * divisor, &integer) ||
		magnitude(integer) >> max_bits(size) != 0)
		return false;
	value = (double) integer / divisor;
	if (size == 8)
		return memcmp(&value, &pattern, 8) == 0;
	single = (float) value;
	return pattern_of_float(single) == (uint32_t) pattern;
}

static uint32_t
count_misfits(const Sample *sample, uint64_t divisor)
{
	uint32_t	nmisfits = 0;

	for (uint32_t i = 0; i < sample->nvalues; i++)
		nmisfits += !has_divisor(sample->patterns[i], sample->size,
								  (double) divisor);
	return nmisfits;
}

/* The least exponent that serves a value, MAX_EXPONENT + 1 if none does. */
static int
value_exponent(int64_t pattern, int size)
{
	double		value = fabs(float_of_size(pattern, size));
	double		limit = (double) (UINT64_C(1) << max_bits(size));

	for (int exponent = 0; exponent <= MAX_EXPONENT; exponent++)
	{
		double		divisor = (double) power_of_ten[exponent];

		if (!(value * divisor < limit))
			break;
		if (has_divisor(pattern, size, divisor))
			return exponent;
	}
	return MAX_EXPONENT + 1;
}

/*
 * The power of ten that makes a vector smallest, 0 if there are too many
 * exceptions with any.
 */
static uint64_t
find_decimal(const Sample *sample, int *digits)
{
	uint32_t	counts[MAX_EXPONENT + 2] = {0};
	uint32_t	nexceptions = sample->nvalues;
	uint64_t	divisor = 0;
	uint64_t	least = UINT64_MAX;

	for (uint32_t i = 0; i < sample->nvalues; i++)
	{
		counts[value_exponent(sample->patterns[i], sample->size)]++;
		if (i + 1 == NPROBES && counts[MAX_EXPONENT + 1] == NPROBES)
			return 0;
	}
	for (int exponent = 0; exponent <= MAX_EXPONENT; exponent++)
	{
		uint64_t	cost;

		nexceptions -= counts[exponent];
		if (counts[exponent] == 0 ||
			nexceptions > sample->nvalues / FLOAT_MAX_EXCEPTION_FRACTION)
			continue;
		cost = (uint64_t) exponent * THOUSAND_DIGITS_BITS * sample->nvalues +
			nexceptions * UINT64_C(1000) * EXCEPTION_BITS(sample->size);
		if (cost < least)
		{
			least = cost;
			divisor = power_of_ten[exponent];
			*digits = exponent;
		}
	}
	return divisor;
}

/* Is value a multiple of 1 / divisor, as far as its precision tells? */
static inline bool
is_near_integer(double value, double divisor, double tolerance)
{
	double		scaled = value * divisor;

	return fabs(scaled - (scaled + ROUNDER - ROUNDER)) <= scaled * tolerance;
}

/*
 * The smallest values of a sample that are not 0: of those few are near a
 * multiple of 1 / divisor by chance.  Returns how many.
 */
static int
smallest_values(const Sample *sample, double *values)
{
	int			nvalues = 0;

	for (uint32_t i = 0; i < sample->nvalues; i++)
	{
		double		value = fabs(float_of_size(sample->patterns[i],
											   sample->size));
		int			place = nvalues;

		if (!(value > 0 && value < 1e9))
			continue;
		for (; place > 0 && value < values[place - 1]; place--)
		{
			if (place < NSEARCHED)
				values[place] = values[place - 1];
		}
		if (place < NSEARCHED)
			values[place] = value;
		nvalues += nvalues < NSEARCHED;
	}
	return nvalues;
}

/* The least divisor that serves all of some values, 0 if none does. */
static uint64_t
search_divisor(const Sample *sample)
{
	double		tolerance = sample->size == 4 ? 0x1p-24 : 0x1p-51;
	double		values[NSEARCHED];
	int			nvalues = smallest_values(sample, values);

	if (nvalues < NSEARCHED)
		return 0;
	for (int divisor = 2; divisor <= MAX_SMALL_DIVISOR; divisor++)
	{
		int			i = 0;

		while (i < nvalues && is_near_integer(values[i], divisor, tolerance))
			i++;
		if (i == nvalues)
			return (uint64_t) divisor;
	}
	return 0;
}

/* A divisor that is no power of ten: one of the chunk's, or a new one; else 0. */
static uint64_t
find_fraction(const Sample *sample, FloatHints *hints)
{
	uint32_t	limit = sample->nvalues / FLOAT_MAX_EXCEPTION_FRACTION;
	uint64_t	divisor;

	for (int i = 0; i < hints->ndivisors; i++)
	{
		if (count_misfits(sample, hints->divisors[i]) <= limit)
			return hints->divisors[i];
	}
	if (hints->nfailures == MAX_FAILURES ||
		hints->ndivisors == FLOAT_MAX_DIVISORS || sample->nvalues < NSAMPLES)
		return 0;
	divisor = search_divisor(sample);
	if (divisor != 0 && count_misfits(sample, divisor) <= limit)
	{
		hints->divisors[hints->ndivisors++] = divisor;
		return divisor;
	}
	hints->nfailures++;
	return 0;
}

static uint64_t
choose_divisor(const IntVector *vector, FloatHints *hints)
{
	int			digits = 0;
	uint64_t	decimal;
	uint64_t	fraction = 0;
	Sample		sample;

	take_sample(vector, &sample);
	decimal = find_decimal(&sample, &digits);

	/* anything is a decimal with digits enough */
	if (decimal == 0 || digits > MANY_DIGITS(sample.size))
		fraction = find_fraction(&sample, hints);
	if (fraction == 0 || (decimal != 0 && decimal < fraction))
		return decimal;
	return fraction;
}

/* ---- encoding ---- */

/* The integer nearest to a value times a factor, 0 if it reaches limit. */
static inline int64_t
scale_value(double value, double factor, uint64_t limit)
{
	uint64_t	integer = pattern_of_double(value * factor + ROUNDER) - ROUNDER_PATTERN;

	return (int64_t) (integer + limit < 2 * limit ? integer : 0);
}

/*
 * The integers that vector's values may be, to work->decimals.  Returns the
 * bits of the largest and its sign.
 */
static int
scale_values(const IntVector *vector, uint64_t divisor, IntWorkspace *work)
{
	const int64_t *__restrict patterns = vector->values;
	int64_t    *__restrict integers = work->decimals;
	uint64_t	limit = UINT64_C(1) << max_bits(vector->type.size);
	double		factor = (double) divisor;
	uint64_t	all = 0;

	if (vector->type.size == 4)
		FOR_EACH_VALUE(i, vector->nvalues,
					   integers[i] = scale_value(float_of_pattern((uint32_t) patterns[i]),
												 factor, limit));
	else
		FOR_EACH_VALUE(i, vector->nvalues,
					   integers[i] = scale_value(double_of_pattern((uint64_t) patterns[i]),
												 factor, limit));
	FOR_EACH_VALUE(i, vector->nvalues,
				   all |= (uint64_t) integers[i] ^ (uint64_t) (integers[i] >> 63));
	return bitpack_width(all) + 1;
}

/* Bits in which one of two sums of products differs from a pattern. */
static inline uint64_t
compare_products(double value, double high, double least, double most,
				  uint64_t pattern)
{
	return (pattern_of_double(value * high + value * least) ^ pattern) |
		(pattern_of_double(value * high + value * most) ^ pattern);
}

/*
 * In which bits do values differ from what their integers decode to, whatever
 * compiler has been at work?  To work->codes, all of them or-ed as result.
 */
static uint64_t
compare_values(const IntVector *vector, uint64_t divisor, int bits,
			   IntWorkspace *work)
{
	const int64_t *__restrict patterns = vector->values;
	const int64_t *__restrict integers = work->decimals;
	uint64_t   *__restrict differences = work->codes;
	uint64_t	all = 0;
	double		high;
	double		least;
	double		most;
	Reciprocal	reciprocal;

	reciprocal_init(&reciprocal, divisor,
					high_part_bits(bits, vector->type.size));
	high = reciprocal.high;
	least = reciprocal.low * (1 - 0x1p-52);
	most = reciprocal.low * (1 + 0x1p-52);
	if (vector->type.size == 4)
		FOR_EACH_VALUE(i, vector->nvalues,
					   differences[i] = (uint32_t) patterns[i] ^
					   pattern_of_float((float) (double_of_wide(integers[i]) * high)));
	else
		FOR_EACH_VALUE(i, vector->nvalues,
					   differences[i] = compare_products(double_of_wide(integers[i]),
														  high, least, most,
														  (uint64_t) patterns[i]));
	FOR_EACH_VALUE(i, vector->nvalues, all |= differences[i]);
	return all;
}

/*
 * Positions of values whose integers do not decode to them; the integers there
 * become the one before.  Returns their number, or UINT32_MAX if there are too
 * many.
 */
static uint32_t
collect_exceptions(uint32_t nvalues, IntWorkspace *work, uint16_t *positions)
{
	int64_t    *integers = work->decimals;
	uint32_t	limit = nvalues / FLOAT_MAX_EXCEPTION_FRACTION;
	uint32_t	nexceptions = 0;
	uint32_t	first = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (work->codes[i] == 0)
			continue;
		if (nexceptions == limit)
			return UINT32_MAX;
		positions[nexceptions++] = (uint16_t) i;
		if (i > 0)
			integers[i] = integers[i - 1];
	}

	/* leading exceptions take the first integer */
	while (first < nexceptions && positions[first] == first)
		first++;
	for (uint32_t i = 0; i < first; i++)
		integers[i] = integers[first];
	return nexceptions;
}

/*
 *	offset	size	field
 *	0		1		encoding of the integers; 128 is added if they have 8 bytes
 *	1		1		bits of the integers
 *	2		1		bytes of the divisor d
 *	3		2		number of exceptions x
 *	5		d		divisor
 *			2 * x	their positions
 *			...		their patterns
 *			...		the integers
 */
static void
append_head(const IntVector *vector, uint64_t divisor, int bits,
			const uint16_t *positions, uint32_t nexceptions, ByteBuffer *body)
{
	int			divisor_length = uint_length(divisor);

	bytebuffer_append_uint(body, 0, 1);
	bytebuffer_append_uint(body, (uint64_t) bits, 1);
	bytebuffer_append_uint(body, (uint64_t) divisor_length, 1);
	bytebuffer_append_uint(body, nexceptions, 2);
	bytebuffer_append_uint(body, divisor, divisor_length);
	for (uint32_t i = 0; i < nexceptions; i++)
		bytebuffer_append_uint(body, positions[i], 2);
	for (uint32_t i = 0; i < nexceptions; i++)
		bytebuffer_append_uint(body, (uint64_t) vector->values[positions[i]],
							   vector->type.size);
}

bool
float_decimal_encode(const IntVector *vector, const IntOptions *options,
					 IntWorkspace *work, ByteBuffer *body)
{
	uint16_t	positions[FLOAT_MAX_EXCEPTIONS];
	size_t		start = body->length;
	uint64_t	divisor = choose_divisor(vector, &work->floats);
	IntVector	integers = *vector;
	uint32_t	nexceptions = 0;
	uint8_t		encoding;
	int			bits;

	if (divisor == 0)
		return false;
	bits = scale_values(vector, divisor, work);
	if (compare_values(vector, divisor, bits, work) != 0)
		nexceptions = collect_exceptions(vector->nvalues, work, positions);
	if (nexceptions == UINT32_MAX)
		return false;
	append_head(vector, divisor, bits, positions, nexceptions, body);

	integers.type.size = bits <= 31 ? 4 : 8;
	integers.type.is_signed = true;
	integers.type.is_float = false;
	integers.values = work->decimals;
	encoding = int_vector_encode_stored(&integers, options, work, body);
	body->data[start] = (uint8_t) (encoding | (bits <= 31 ? 0 : WIDE_INTEGERS));
	return true;
}

/* ---- decoding ---- */

typedef struct Decimals
{
	int			encoding;		/* of the integers */
	IntType		type;			/* of the integers */
	Reciprocal	reciprocal;
	uint32_t	nexceptions;
	const uint8_t *positions;
	const uint8_t *patterns;
	const uint8_t *body;
	size_t		length;
} Decimals;

static bool
decimals_parse(const uint8_t *in, size_t length, int size, uint32_t nvalues,
			   Decimals *decimals)
{
	uint64_t	divisor;
	int			divisor_length;
	int			bits;
	ByteCursor	cursor;

	cursor_init(&cursor, in, length);
	decimals->encoding = (int) cursor_uint(&cursor, 1);
	bits = (int) cursor_uint(&cursor, 1);
	divisor_length = (int) cursor_uint(&cursor, 1);
	decimals->nexceptions = (uint32_t) cursor_uint(&cursor, 2);
	divisor = cursor_uint(&cursor, divisor_length);
	decimals->positions = cursor_bytes(&cursor, 2 * (size_t) decimals->nexceptions);
	decimals->patterns = cursor_bytes(&cursor,
									  (size_t) decimals->nexceptions * (size_t) size);
	if (cursor.failed || divisor == 0 || divisor >> 62 != 0 ||
		bits >= DOUBLE_BITS || decimals->nexceptions > nvalues)
		return false;
	decimals->type.size = decimals->encoding & WIDE_INTEGERS ? 8 : 4;
	decimals->type.is_signed = true;
	decimals->type.is_float = false;
	decimals->encoding &= ~WIDE_INTEGERS;
	if (decimals->encoding == INT_DECIMAL || decimals->encoding == INT_SPLIT ||
		(size == 4 && decimals->type.size == 8))
		return false;
	reciprocal_init(&decimals->reciprocal, divisor,
					high_part_bits(bits, size));
	decimals->body = cursor.next;
	decimals->length = cursor_left(&cursor);
	return true;
}

static bool
apply_exceptions(const Decimals *decimals, uint32_t nvalues, int size,
				 uint8_t *values)
{
	uint32_t	next = 0;

	for (uint32_t i = 0; i < decimals->nexceptions; i++)
	{
		uint32_t	position = load_le16(decimals->positions + 2 * i);

		if (position < next || position >= nvalues)
			return false;
		next = position + 1;
		if (size == 4)
		{
			uint32_t	pattern = load_le32(decimals->patterns + 4 * i);

			memcpy(values + 4 * position, &pattern, 4);
		}
		else
		{
			uint64_t	pattern = load_le64(decimals->patterns + 8 * i);

			memcpy(values + 8 * position, &pattern, 8);
		}
	}
	return true;
}

static void
integers_to_floats(const Decimals *decimals, const int64_t *integers,
				   uint32_t nvalues, int size, void *values)
{
	if (size == 4)
		narrow_to_singles((const int32_t *) integers, nvalues,
						  &decimals->reciprocal, values);
	else if (decimals->type.size == 4)
		narrow_to_doubles((const int32_t *) integers, nvalues,
						  &decimals->reciprocal, values);
	else
		wide_to_doubles(integers, nvalues, &decimals->reciprocal, values);
}

static const char *const damaged = "invalid decimals of a vector of floats";

bool
float_decimal_decode(const uint8_t *in, size_t length, IntType type,
					 uint32_t nvalues, void *values,
					 IntScratch *scratch, const char **reason)
{
	Decimals	decimals;

	*reason = damaged;
	if (!decimals_parse(in, length, type.size, nvalues, &decimals) ||
		!int_vector_decode((uint8_t) decimals.encoding, decimals.body,
						   decimals.length, decimals.type, nvalues, NULL,
						   scratch->decimals, scratch, reason))
		return false;
	integers_to_floats(&decimals, scratch->decimals, nvalues, type.size,
					   values);
	*reason = damaged;
	return apply_exceptions(&decimals, nvalues, type.size, values);
}

bool
float_decimal_decode_value(const uint8_t *in, size_t length, IntType type,
						   uint32_t nvalues, uint32_t position,
						   uint64_t *value, IntScratch *scratch,
						   const char **reason)
{
	double		values[VECTOR_STEP];
	int32_t		narrow;
	Decimals	decimals;

	*reason = damaged;
	if (!decimals_parse(in, length, type.size, nvalues, &decimals))
		return false;
	for (uint32_t i = 0; i < decimals.nexceptions; i++)
	{
		if (load_le16(decimals.positions + 2 * i) == position)
		{
			*value = load_uint(decimals.patterns + i * (size_t) type.size,
							   type.size);
			return true;
		}
	}
	if (!int_vector_decode_value((uint8_t) decimals.encoding, decimals.body,
								 decimals.length, decimals.type, nvalues, NULL,
								 position, value, scratch, reason))
		return false;
	memset(scratch->decimals, 0, sizeof(int64_t) * VECTOR_STEP);
	narrow = (int32_t) *value;
	if (decimals.type.size == 4)
		memcpy(scratch->decimals, &narrow, sizeof(narrow));
	else
		scratch->decimals[0] = (int64_t) *value;
	integers_to_floats(&decimals, scratch->decimals, 1, type.size, values);
	*value = 0;
	if (type.size == 4)
	{
		uint32_t	pattern;

		memcpy(&pattern, values, sizeof(pattern));
		*value = pattern;
	}
	else
		memcpy(value, values, sizeof(*value));
	return true;
}
