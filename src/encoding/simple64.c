/*
 * simple64.c
 *		S64: words of 64 bits that hold as many values as their selector says.
 *
 * The encoder is greedy: a run where it takes more values than a packed word
 * would, else the densest selector that fits.  Both halves are linear.
 *
 * Invariants:
 * (S1) Bits of a word's payload that hold no value are zero, also in a last
 *		word that is part-filled, and the decoder insists on it.
 * (S2) The words hold exactly the number of values that the caller knows:
 *		no word lacks a first value, none follows the last value.
 */
#include "encoding/byteorder.h"
#include "encoding/simple64.h"

#define SELECTOR_SHIFT 60
#define SELECTOR_RUN 1
#define SELECTOR_DENSEST 2
#define SELECTOR_WIDEST 15
#define PAYLOAD_MASK ((UINT64_C(1) << SELECTOR_SHIFT) - 1)

#define RUN_COUNT_SHIFT 36
#define RUN_MAX_COUNT ((UINT64_C(1) << 24) - 1)
#define RUN_VALUE_MASK ((UINT64_C(1) << RUN_COUNT_SHIFT) - 1)

/* By selector; the first two pack nothing. */
static const uint8_t selector_count[16] = {
	0, 0, 60, 30, 20, 15, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1
};
static const uint8_t selector_bits[16] = {
	0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60
};

static inline uint64_t
selector_max(int selector)
{
	return (UINT64_C(1) << selector_bits[selector]) - 1;
}

/*
 * The densest selector that holds its full number of the values, or all of
 * them; 0 if one of 2^60 or more comes first.
 */
static int
choose_selector(const uint64_t *values, size_t nvalues)
{
	int			selector = SELECTOR_DENSEST;
	uint64_t	max = selector_max(selector);
	size_t		count = selector_count[selector];

	if (count > nvalues)
		count = nvalues;
	for (size_t i = 0; i < count; i++)
	{
		if (values[i] <= max)
			continue;
		if (values[i] > PAYLOAD_MASK)
			return 0;
		while (values[i] > selector_max(selector))
			selector++;
		max = selector_max(selector);
		if (count > selector_count[selector])
			count = selector_count[selector];
	}
	return selector;
}

/* Length of the run at values, as far as a run word can count. */
static size_t
run_length(const uint64_t *values, size_t nvalues)
{
	size_t		length = 1;

	if (nvalues > RUN_MAX_COUNT)
		nvalues = RUN_MAX_COUNT;
	while (length < nvalues && values[length] == values[0])
		length++;
	return length;
}

static uint64_t
pack_word(const uint64_t *values, size_t nvalues, int selector)
{
	uint64_t	word = 0;
	int			bits = selector_bits[selector];

	/* from the last value on: no shift depends on the count */
	for (size_t i = nvalues; i > 0; i--)
		word = word << bits | values[i - 1];
	return (uint64_t) selector << SELECTOR_SHIFT | word;
}

/*
 * Encode the next word; returns how many values it holds, or 0 to decline.
 */
static size_t
encode_word(const uint64_t *values, size_t nvalues, uint64_t *word)
{
	int			selector = choose_selector(values, nvalues);
	size_t		count = selector_count[selector];

	if (selector == 0)
		return 0;
	if (count > nvalues)
		count = nvalues;
	if (values[0] <= RUN_VALUE_MASK)
	{
		size_t		length = run_length(values, nvalues);

		if (length > count)
		{
			*word = (uint64_t) SELECTOR_RUN << SELECTOR_SHIFT |
				(uint64_t) length << RUN_COUNT_SHIFT | values[0];
			return length;
		}
	}
	*word = pack_word(values, count, selector);
	return count;
}

/* Interrupts, when the step from before to after completes a vector. */
static inline void
check_interrupts(size_t before, size_t after)
{
	if (before / VECTOR_LENGTH != after / VECTOR_LENGTH)
		ENCODING_CHECK_INTERRUPTS();
}

int64_t
simple64_encode(const uint64_t *values, size_t nvalues, uint8_t *out)
{
	uint8_t    *next = out;
	size_t		done = 0;

	while (done < nvalues)
	{
		uint64_t	word;
		size_t		count = encode_word(values + done, nvalues - done, &word);

		if (count == 0)
			return -1;
		store_le64(next, word);
		next += sizeof(word);
		check_interrupts(done, done + count);
		done += count;
	}
	return next - out;
}

/* values[i] of a word of values of so many bits, both constants. */
#define V(i, bits) \
	values[i] = word >> ((i) * (bits)) & ((UINT64_C(1) << (bits)) - 1)
#define V2(i, bits) V(i, bits); V((i) + 1, bits)
#define V3(i, bits) V2(i, bits); V((i) + 2, bits)
#define V4(i, bits) V2(i, bits); V2((i) + 2, bits)
#define V5(i, bits) V4(i, bits); V((i) + 4, bits)
#define V6(i, bits) V4(i, bits); V2((i) + 4, bits)
#define V7(i, bits) V4(i, bits); V3((i) + 4, bits)
#define V8(i, bits) V4(i, bits); V4((i) + 4, bits)
#define V10(i, bits) V5(i, bits); V5((i) + 5, bits)
#define V12(i, bits) V6(i, bits); V6((i) + 6, bits)
#define V15(i, bits) V10(i, bits); V5((i) + 10, bits)
#define V20(i, bits) V10(i, bits); V10((i) + 10, bits)
#define V30(i, bits) V20(i, bits); V10((i) + 20, bits)
#define V60(i, bits) V30(i, bits); V30((i) + 30, bits)

/*
 * Write all values that the selector has room for, so up to 59 spare ones.
 * word has no selector any more.
 */
static inline void
unpack_word(uint64_t word, int selector, uint64_t *values)
{
	switch (selector)
	{
		case 2:
			V60(0, 1);
			break;
		case 3:
			V30(0, 2);
			break;
		case 4:
			V20(0, 3);
			break;
		case 5:
			V15(0, 4);
			break;
		case 6:
			V12(0, 5);
			break;
		case 7:
			V10(0, 6);
			break;
		case 8:
			V8(0, 7);
			break;
		case 9:
			V7(0, 8);
			break;
		case 10:
			V6(0, 10);
			break;
		case 11:
			V5(0, 12);
			break;
		case 12:
			V4(0, 15);
			break;
		case 13:
			V3(0, 20);
			break;
		case 14:
			V2(0, 30);
			break;
		case 15:
			values[0] = word;
			break;
	}
}

/* Returns the number of values of a run word, or 0 and a reason. */
static size_t
decode_run(uint64_t word, uint64_t *values, size_t nvalues,
		   const char **reason)
{
	uint64_t	count = word >> RUN_COUNT_SHIFT;
	uint64_t	value = word & RUN_VALUE_MASK;

	if (count == 0 || count > nvalues)
	{
		*reason = "run in Simple64 word has an impossible length";
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = value;
	return count;
}

/* Returns the number of values of a word, or 0 and a reason. */
static inline size_t
decode_word(uint64_t word, uint64_t *values, size_t nvalues,
			const char **reason)
{
	int			selector = (int) (word >> SELECTOR_SHIFT);
	size_t		count = selector_count[selector];

	word &= PAYLOAD_MASK;
	if (selector < SELECTOR_DENSEST)
	{
		if (selector == SELECTOR_RUN)
			return decode_run(word, values, nvalues, reason);
		*reason = "Simple64 word has an invalid selector";
		return 0;
	}

	if (count > nvalues)
		count = nvalues;
	if (word >> (count * selector_bits[selector]) != 0) /* (S1) */
	{
		*reason = "Simple64 word has bits set outside its values";
		return 0;
	}
	unpack_word(word, selector, values);
	return count;
}

bool
simple64_decode(const uint8_t *in, size_t in_length,
				uint64_t *values, size_t nvalues, const char **reason)
{
	const uint8_t *end = in + in_length;
	size_t		done = 0;

	if (in_length % sizeof(uint64_t) != 0)
	{
		*reason = "length of Simple64 words is not a multiple of 8";
		return false;
	}
	while (done < nvalues)
	{
		size_t		count;

		if (in == end)
		{
			*reason = "Simple64 words end before the last value";
			return false;
		}
		count = decode_word(load_le64(in), values + done, nvalues - done,
							reason);
		if (count == 0)
			return false;
		in += sizeof(uint64_t);
		check_interrupts(done, done + count);
		done += count;
	}
	if (in != end)
	{
		*reason = "Simple64 words follow the last value";
		return false;
	}
	return true;
}
