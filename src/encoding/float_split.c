/*
 * float_split.c
 *		Floats of full precision: bit patterns cut in two.
 *
 * The left part has sign, exponent and perhaps some more bits, of which there
 * are few different ones in a vector: up to eight are listed, and each value
 * has a code of up to three bits.  The right part has the bits that look
 * random, and is bit-packed.  (The idea is that of ALP for real doubles, by
 * Afroozeh, Kuffo and Boncz, 2023.)  Zeros that all patterns end with are left
 * out: doubles that were floats of 4 bytes have 29 of them.  A value whose left
 * part is not listed is an exception, for which that part is kept.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/byteorder.h"
#include "encoding/float_vector.h"

/* Bits of the left part at most, and at least. */
#define MAX_LEFT_BITS 16
#define MIN_LEFT_BITS 4

#define MAX_CODE_BITS 3
#define MAX_LEFTS (1 << MAX_CODE_BITS)

/* Values that the cut is chosen by, and vectors that it is for. */
#define NSAMPLES 128
#define MAX_USES 16

/* What an exception takes, in bits. */
#define EXCEPTION_BITS 32

/* Bytes in front of the left parts. */
#define HEAD_LENGTH 4

/* ---- encoding ---- */

static void
sort_lefts(uint16_t *lefts, uint32_t nlefts)
{
	for (uint32_t gap = 40; gap > 0; gap = gap == 40 ? 13 : gap == 13 ? 4 : gap == 4)
	{
		for (uint32_t i = gap; i < nlefts; i++)
		{
			uint16_t	left = lefts[i];
			uint32_t	place = i;

			for (; place >= gap && lefts[place - gap] > left; place -= gap)
				lefts[place] = lefts[place - gap];
			lefts[place] = left;
		}
	}
}

/*
 * The most frequent of sorted numbers, cut by some bits, most frequent first,
 * with how often they occur.
 */
static void
most_frequent(const uint16_t *sorted, uint32_t nsorted, int cut,
			  uint16_t *lefts, uint32_t *counts)
{
	uint32_t	start = 0;

	memset(lefts, 0, MAX_LEFTS * sizeof(uint16_t));
	memset(counts, 0, MAX_LEFTS * sizeof(uint32_t));
	for (uint32_t i = 1; i <= nsorted; i++)
	{
		uint16_t	left = (uint16_t) (sorted[start] >> cut);
		uint32_t	count = i - start;
		int			place = MAX_LEFTS;

		if (i < nsorted && sorted[i] >> cut == sorted[start] >> cut)
			continue;
		start = i;
		for (; place > 0 && counts[place - 1] < count; place--)
		{
			if (place == MAX_LEFTS)
				continue;
			counts[place] = counts[place - 1];
			lefts[place] = lefts[place - 1];
		}
		if (place == MAX_LEFTS)
			continue;
		counts[place] = count;
		lefts[place] = left;
	}
}

/* Take over the cut if it needs fewer bits per sampled value. */
static void
consider_cut(const uint16_t *sorted, uint32_t nsorted, int cut, int right_bits,
			 uint32_t *best_bits, FloatSplit *best)
{
	uint16_t	lefts[MAX_LEFTS];
	uint32_t	counts[MAX_LEFTS];
	uint32_t	nexceptions = nsorted;
	int			listed = 0;

	most_frequent(sorted, nsorted, cut, lefts, counts);
	for (int code_bits = 0; code_bits <= MAX_CODE_BITS; code_bits++)
	{
		uint32_t	bits;

		for (; listed < 1 << code_bits; listed++)
			nexceptions -= counts[listed];
		bits = nsorted * (uint32_t) (right_bits + code_bits) +
			nexceptions * EXCEPTION_BITS;
		if (bits >= *best_bits)
			continue;
		*best_bits = bits;
		best->right_bits = right_bits;
		best->code_bits = code_bits;
		memcpy(best->lefts, lefts, sizeof(lefts));
	}
}

/* Zeros that the patterns of all values end with. */
static int
common_zeros(const IntVector *vector)
{
	uint64_t	all = 0;

	for (uint32_t i = 0; i < vector->nvalues; i++)
		all |= (uint64_t) vector->values[i];
	return all == 0 ? 63 : __builtin_ctzll(all);
}

/* Choose by a sample; bits are those in front of the zeros. */
static void
choose_split(const IntVector *vector, int bits, FloatHints *hints)
{
	FloatSplit *split = &hints->split;
	uint16_t	sample[NSAMPLES];
	uint32_t	nsamples = vector->nvalues < NSAMPLES ? vector->nvalues : NSAMPLES;
	uint32_t	best_bits = UINT32_MAX;

	for (uint32_t i = 0; i < nsamples; i++)
		sample[i] = (uint16_t) ((uint64_t) vector->values[i * vector->nvalues / nsamples] >>
								(split->shift + bits - MAX_LEFT_BITS));
	sort_lefts(sample, nsamples);
	for (int cut = 0; cut <= MAX_LEFT_BITS - MIN_LEFT_BITS; cut++)
		consider_cut(sample, nsamples, cut, bits - MAX_LEFT_BITS + cut,
					 &best_bits, split);
	hints->split_uses = MAX_USES;
	hints->split_exceptions =
		(best_bits - nsamples * (uint32_t) (split->right_bits + split->code_bits)) /
		EXCEPTION_BITS * vector->nvalues / nsamples;
}

/* Have a split for the vector in hints; returns false if it should not be cut. */
static bool
prepare_split(const IntVector *vector, FloatHints *hints)
{
	int			shift = common_zeros(vector);
	int			bits = 8 * vector->type.size - shift;

	if (bits <= MAX_LEFT_BITS)
		return false;			/* other encodings do better */
	if (hints->split_uses == 0 || hints->split.shift != shift)
	{
		hints->split.shift = shift;
		choose_split(vector, bits, hints);
	}
	hints->split_uses--;
	return true;
}

static size_t
split_length(const FloatSplit *split, uint32_t nvalues, uint32_t nexceptions)
{
	return HEAD_LENGTH + ((size_t) 2 << split->code_bits) +
		nexceptions * (size_t) EXCEPTION_BITS / 8 +
		bitpack_length(nvalues, split->code_bits) +
		bitpack_length(nvalues, split->right_bits);
}

/* In steps of a constant length, which compilers vectorise without being asked. */
#define FOR_EACH_STEP(i, statement) \
	for (uint32_t first_ = 0; first_ < VECTOR_LENGTH; first_ += VECTOR_STEP) \
	{ \
		for (int k_ = 0; k_ < VECTOR_STEP; k_++) \
		{ \
			uint32_t	i = first_ + (uint32_t) k_; \
			statement; \
		} \
	}

/*
 * Codes of left parts, 0 for those that are not listed; misfits becomes 0 for
 * those that are.  All three arrays have VECTOR_LENGTH elements.
 */
static void
find_codes(const FloatSplit *split, const uint16_t *__restrict lefts,
		   uint16_t *__restrict codes, uint16_t *__restrict misfits)
{
	uint16_t	first = split->lefts[0];

	FOR_EACH_STEP(i, misfits[i] = lefts[i] ^ first)
	memset(codes, 0, VECTOR_LENGTH * sizeof(uint16_t));
	for (int k = 1; k < 1 << split->code_bits; k++)
	{
		uint16_t	left = split->lefts[k];

		FOR_EACH_STEP(i, uint16_t is_other = (uint16_t) (0 - (lefts[i] != left));
					  misfits[i] &= is_other;
					  codes[i] |= (uint16_t) (k & ~is_other))
	}
}

/*
 * Codes of the left parts, to work->codes, and right parts, to work->extra.
 * Returns the number of exceptions, or UINT32_MAX if there are too many.
 */
static uint32_t
cut_values(const IntVector *vector, const FloatSplit *split,
		   IntWorkspace *work, uint16_t *positions)
{
	uint64_t	mask = (UINT64_C(1) << split->right_bits) - 1;
	uint32_t	limit = vector->nvalues / FLOAT_MAX_EXCEPTION_FRACTION;
	int			left_shift = split->shift + split->right_bits;
	uint32_t	nexceptions = 0;
	uint16_t	lefts[VECTOR_LENGTH];
	uint16_t	codes[VECTOR_LENGTH];
	uint16_t	misfits[VECTOR_LENGTH];

	memset(lefts, 0, sizeof(lefts));
	for (uint32_t i = 0; i < vector->nvalues; i++)
	{
		lefts[i] = (uint16_t) ((uint64_t) vector->values[i] >> left_shift);
		work->extra[i] = ((uint64_t) vector->values[i] >> split->shift) & mask;
	}
	find_codes(split, lefts, codes, misfits);
	for (uint32_t i = 0; i < vector->nvalues; i++)
	{
		work->codes[i] = codes[i];
		if (misfits[i] == 0)
			continue;
		if (nexceptions == limit)
			return UINT32_MAX;
		positions[nexceptions++] = (uint16_t) i;
	}
	return nexceptions;
}

static void
append_packed(ByteBuffer *body, const uint64_t *values, uint32_t nvalues,
			  int width)
{
	size_t		length = bitpack_length(nvalues, width);

	bitpack_pack(values, nvalues, width, bytebuffer_reserve(body, length));
	body->length += length;
}

/*
 *	offset	size	field
 *	0		1		bits of right parts
 *	1		1		zeros that patterns end with; bits 6 and 7: bits of codes, c
 *	2		2		number of exceptions x
 *	4		2^c * 2 left parts
 *			2 * x	positions of exceptions
 *			2 * x	their left parts
 *			...		codes, bit-packed
 *			...		right parts, bit-packed
 */
static void
append_split(const IntVector *vector, const FloatSplit *split,
			 const uint16_t *positions, uint32_t nexceptions,
			 const IntWorkspace *work, ByteBuffer *body)
{
	bytebuffer_append_uint(body, (uint64_t) split->right_bits, 1);
	bytebuffer_append_uint(body,
						   (uint64_t) (split->shift | split->code_bits << 6),
						   1);
	bytebuffer_append_uint(body, nexceptions, 2);
	for (int i = 0; i < 1 << split->code_bits; i++)
		bytebuffer_append_uint(body, split->lefts[i], 2);
	for (uint32_t i = 0; i < nexceptions; i++)
		bytebuffer_append_uint(body, positions[i], 2);
	for (uint32_t i = 0; i < nexceptions; i++)
		bytebuffer_append_uint(body,
							   (uint64_t) vector->values[positions[i]] >>
							   (split->shift + split->right_bits), 2);
	append_packed(body, work->codes, vector->nvalues, split->code_bits);
	append_packed(body, work->extra, vector->nvalues, split->right_bits);
}

bool
float_split_encode(const IntVector *vector, IntWorkspace *work, size_t limit,
				   ByteBuffer *body)
{
	uint16_t	positions[FLOAT_MAX_EXCEPTIONS];
	FloatHints *hints = &work->floats;
	const FloatSplit *split = &hints->split;
	uint32_t	nexceptions;

	if (!prepare_split(vector, hints) ||
		split_length(split, vector->nvalues, hints->split_exceptions) > limit)
		return false;
	nexceptions = cut_values(vector, split, work, positions);
	if (nexceptions > 2 * hints->split_exceptions + VECTOR_LENGTH / 64)
		hints->split_uses = 0;
	if (nexceptions == UINT32_MAX ||
		split_length(split, vector->nvalues, nexceptions) > limit)
		return false;
	append_split(vector, split, positions, nexceptions, work, body);
	return true;
}

/* ---- decoding ---- */

typedef struct SplitParts
{
	int			shift;
	int			right_bits;
	int			code_bits;
	uint64_t	lefts[MAX_LEFTS];	/* where they belong in a pattern */
	uint32_t	nexceptions;
	const uint8_t *positions;
	const uint8_t *patterns;	/* left parts of exceptions */
	const uint8_t *codes;
	const uint8_t *rights;
} SplitParts;

static bool
split_parse(const uint8_t *in, size_t length, int size, uint32_t nvalues,
			SplitParts *parts)
{
	const uint8_t *lefts;
	ByteCursor	cursor;

	cursor_init(&cursor, in, length);
	parts->right_bits = (int) cursor_uint(&cursor, 1);
	parts->shift = (int) cursor_uint(&cursor, 1);
	parts->code_bits = parts->shift >> 6;
	parts->shift &= 63;
	parts->nexceptions = (uint32_t) cursor_uint(&cursor, 2);
	lefts = cursor_bytes(&cursor, (size_t) 2 << parts->code_bits);
	parts->positions = cursor_bytes(&cursor, 2 * (size_t) parts->nexceptions);
	parts->patterns = cursor_bytes(&cursor, 2 * (size_t) parts->nexceptions);
	if (cursor.failed || parts->nexceptions > nvalues ||
		parts->shift + parts->right_bits >= 8 * size)
		return false;
	parts->codes = cursor_bytes(&cursor,
								bitpack_length(nvalues, parts->code_bits));
	parts->rights = cursor_bytes(&cursor,
								 bitpack_length(nvalues, parts->right_bits));
	if (cursor.failed || cursor_left(&cursor) != 0)
		return false;
	for (int i = 0; i < 1 << parts->code_bits; i++)
		parts->lefts[i] = (uint64_t) load_le16(lefts + 2 * i) <<
			(parts->shift + parts->right_bits);
	return bitpack_padding_is_zero(parts->codes, nvalues, parts->code_bits) &&
		bitpack_padding_is_zero(parts->rights, nvalues, parts->right_bits);
}

static void
join_singles(const SplitParts *parts, const uint8_t *codes, uint32_t nvalues,
			 uint32_t *values)
{
	uint32_t	lefts[MAX_LEFTS];

	for (int i = 0; i < 1 << parts->code_bits; i++)
		lefts[i] = (uint32_t) parts->lefts[i];
	for (uint32_t i = 0; i < nvalues; i++)
		values[i] = lefts[codes[i]] | values[i] << parts->shift;
}

static void
join_doubles(const SplitParts *parts, const uint8_t *codes, uint32_t nvalues,
			 uint64_t *values)
{
	for (uint32_t i = 0; i < nvalues; i++)
		values[i] = parts->lefts[codes[i]] | values[i] << parts->shift;
}

/* The pattern that a right part belongs to, given its left part. */
static uint64_t
join_exception(const SplitParts *parts, uint64_t pattern, uint32_t i)
{
	int			bits = parts->shift + parts->right_bits;
	uint64_t	mask = (UINT64_C(1) << bits) - 1;

	return (pattern & mask) | (uint64_t) load_le16(parts->patterns + 2 * i) << bits;
}

static bool
apply_exceptions(const SplitParts *parts, uint32_t nvalues, int size,
				 void *values)
{
	uint32_t	next = 0;

	for (uint32_t i = 0; i < parts->nexceptions; i++)
	{
		uint32_t	position = load_le16(parts->positions + 2 * i);
		uint64_t   *doubles = values;
		uint32_t   *singles = values;

		if (position < next || position >= nvalues)
			return false;
		next = position + 1;
		if (size == 4)
			singles[position] = (uint32_t) join_exception(parts, singles[position], i);
		else
			doubles[position] = join_exception(parts, doubles[position], i);
	}
	return true;
}

static const char *const damaged = "invalid halves of a vector of floats";

bool
float_split_decode(const uint8_t *in, size_t length, IntType type,
				   uint32_t nvalues, void *values, IntScratch *scratch,
				   const char **reason)
{
	uint8_t    *codes = (uint8_t *) scratch->extra;
	SplitParts	parts;

	*reason = damaged;
	if (!split_parse(in, length, type.size, nvalues, &parts) ||
		!bitpack_unpack(parts.codes, bitpack_length(nvalues, parts.code_bits),
						0, nvalues, parts.code_bits, codes, 1) ||
		!bitpack_unpack(parts.rights, bitpack_length(nvalues, parts.right_bits),
						0, nvalues, parts.right_bits, values, type.size))
		return false;
	if (type.size == 4)
		join_singles(&parts, codes, nvalues, values);
	else
		join_doubles(&parts, codes, nvalues, values);
	return apply_exceptions(&parts, nvalues, type.size, values);
}

bool
float_split_decode_value(const uint8_t *in, size_t length, IntType type,
						 uint32_t nvalues, uint32_t position, uint64_t *value,
						 IntScratch *scratch, const char **reason)
{
	uint8_t    *code = (uint8_t *) scratch->extra;
	uint64_t   *right = scratch->values;
	SplitParts	parts;

	*reason = damaged;
	if (!split_parse(in, length, type.size, nvalues, &parts) ||
		!bitpack_unpack(parts.codes, bitpack_length(nvalues, parts.code_bits),
						position, 1, parts.code_bits, code, 1) ||
		!bitpack_unpack(parts.rights, bitpack_length(nvalues, parts.right_bits),
						position, 1, parts.right_bits, right, 8))
		return false;
	*value = parts.lefts[*code] | *right << parts.shift;
	for (uint32_t i = 0; i < parts.nexceptions; i++)
	{
		if (load_le16(parts.positions + 2 * i) == position)
			*value = join_exception(&parts, *value, i);
	}
	return true;
}
