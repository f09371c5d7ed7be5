/*
 * fuzz_simple64.c
 *		Decoding of arbitrary Simple64 words against a plain decoder.
 *
 *	offset	size	input
 *	0		2		number of values
 *	2				words
 */
#include "encoding/byteorder.h"
#include "encoding/simple64.h"
#include "fuzz.h"

#define MAX_VALUES 65535

static const uint8_t plain_bits[16] = {
	0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60
};

static uint64_t want[MAX_VALUES];
static uint64_t got[MAX_VALUES + DECODE_SLACK_VALUES];
static uint8_t encoded[MAX_VALUES * 8];

/* One word; returns its number of values, 0 if it is damaged. */
static size_t
plain_decode_word(uint64_t word, uint64_t *values, size_t nvalues)
{
	int			selector = (int) (word >> 60);
	int			bits = plain_bits[selector];
	size_t		count = 0;

	word &= (UINT64_C(1) << 60) - 1;
	if (selector == 1)
	{
		if (word >> 36 > nvalues)
			return 0;
		while (count < word >> 36)
			values[count++] = word & ((UINT64_C(1) << 36) - 1);
		return count;
	}
	if (selector == 0)
		return 0;
	while (count < nvalues && count < (size_t) (60 / bits))
	{
		values[count++] = word & ((UINT64_C(1) << bits) - 1);
		word >>= bits;
	}
	return word == 0 ? count : 0;
}

static bool
plain_decode(const uint8_t *in, size_t length, size_t nvalues)
{
	size_t		done = 0;
	size_t		offset = 0;

	if (length % 8 != 0)
		return false;
	for (; offset < length && done < nvalues; offset += 8)
	{
		size_t		count = plain_decode_word(load_le64(in + offset),
											  want + done, nvalues - done);

		if (count == 0)
			return false;
		done += count;
	}
	return offset == length && done == nvalues;
}

/* What was decoded encodes and decodes again. */
static void
check_encode(size_t nvalues)
{
	const char *reason = NULL;
	int64_t		again = simple64_encode(want, nvalues, encoded);

	FUZZ_CHECK(again >= 0 && (size_t) again <= nvalues * 8);
	FUZZ_CHECK(simple64_decode(encoded, again, got, nvalues, &reason));
	FUZZ_CHECK(memcmp(got, want, nvalues * 8) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t		head[2];
	size_t		nvalues;
	const char *reason = NULL;
	uint8_t    *in;
	bool		is_valid;

	fuzz_take(&data, &size, head, sizeof(head));
	nvalues = load_le16(head);
	in = fuzz_copy(data, size);

	is_valid = plain_decode(in, size, nvalues);
	FUZZ_CHECK(simple64_decode(in, size, got, nvalues, &reason) == is_valid);
	FUZZ_CHECK(is_valid || reason != NULL);
	if (is_valid)
	{
		FUZZ_CHECK(memcmp(got, want, nvalues * 8) == 0);
		check_encode(nvalues);
	}
	free(in);
	return 0;
}
