/*
 * test_simple64.c
 *		S64: golden words, ends of the input and output, damage.
 *
 * That words decode to what is in them is the self-test's job.
 */
#include "encoding/byteorder.h"
#include "encoding/simple64.h"
#include "guard.h"
#include "unit.h"

#define MAX_VALUES 1024

static uint64_t values[MAX_VALUES];

/*
 * Words of each selector, full, part-filled, and full with a word to follow.
 * The first value is the largest of so many bits, value i after it is
 * i * 7 + 1 cut to them.
 */
static const struct WordsGolden
{
	int			bits;
	int			nvalues;
	const char *hex;			/* as stored: little-endian words */
}			golden[] = {
	{1, 60, "5555555555555525"},
	{1, 30, "5555551500000020"},
	{2, 30, "b3b1b1b1b1b1b131"},
	{2, 15, "b3b1b13100000030"},
	{3, 21, "c75d4ec15d4ec14d 0500000000000040"},
	{3, 20, "c75d4ec15d4ec14d"},
	{3, 10, "c75d4e0100000040"},
	{4, 16, "8f6f4d2b09e7c553 0a00000000000050"},
	{4, 15, "8f6f4d2b09e7c553"},
	{4, 8, "8f6f4d2b00000050"},
	{5, 13, "1f3ddbc992191c67 1500000000000060"},
	{5, 12, "1f3ddbc992191c67"},
	{5, 6, "1f3ddb0900000060"},
	{6, 11, "3ff2581db9ca3970 0700000000000040"},
	{6, 10, "3ff2581db9ca3970"},
	{6, 5, "3ff2581d00000070"},
	{7, 9, "7fc4c3d221ad6480 3900000000000070"},
	{7, 8, "7fc4c3d221ad6480"},
	{7, 4, "7fc4c30200000080"},
	{8, 8, "ff080f161d242b90 3200000000000070"},
	{8, 7, "ff080f161d242b90"},
	{8, 4, "ff080f1600000090"},
	{10, 7, "ff23f080051d90a0 2b00000000000070"},
	{10, 6, "ff23f080051d90a0"},
	{10, 3, "ff23f000000000a0"},
	{12, 6, "ff8f000f60011db0 2400000000000070"},
	{12, 5, "ff8f000f60011db0"},
	{12, 3, "ff8f000f000000b0"},
	{15, 5, "ff7f04c003c002c0 1d00000000000060"},
	{15, 4, "ff7f04c003c002c0"},
	{15, 2, "ff7f0400000000c0"},
	{20, 4, "ffff8f00000f00d0 1600000000000060"},
	{20, 3, "ffff8f00000f00d0"},
	{20, 2, "ffff8f00000000d0"},
	{30, 3, "ffffff3f020000e0 0f00000000000050"},
	{30, 2, "ffffff3f020000e0"},
	{30, 1, "ffffff3f000000e0"},
	{60, 2, "ffffffffffffffff 0800000000000050"},
	{60, 1, "ffffffffffffffff"}
};

#define NGOLDEN (sizeof(golden) / sizeof(golden[0]))

static void
fill_golden(int bits, int nvalues)
{
	uint64_t	mask = (UINT64_C(1) << bits) - 1;

	for (int i = 0; i < nvalues; i++)
		values[i] = i == 0 ? mask : (uint64_t) (i * 7 + 1) & mask;
}

static void
check_golden(int nvalues, const char *hex)
{
	uint64_t	decoded[MAX_VALUES + DECODE_SLACK_VALUES];
	uint8_t		words[MAX_VALUES * 8];
	const char *reason = "";
	int64_t		length = simple64_encode(values, nvalues, words);

	UNIT_CHECKF(length >= 0 && unit_equals_hex(words, length, hex),
				"%d values are not %s", nvalues, hex);
	UNIT_CHECKF(simple64_decode(words, length, decoded, nvalues, &reason),
				"%d values: %s", nvalues, reason);
	UNIT_CHECK(memcmp(decoded, values, nvalues * sizeof(uint64_t)) == 0);
}

UNIT_TEST(simple64_golden)
{
	for (size_t i = 0; i < NGOLDEN; i++)
	{
		fill_golden(golden[i].bits, golden[i].nvalues);
		check_golden(golden[i].nvalues, golden[i].hex);
	}
	check_golden(0, "");
}

UNIT_TEST(simple64_golden_run)
{
	for (int i = 0; i < 100; i++)
		values[i] = 5;
	check_golden(100, "0500000040060010");

	for (int i = 0; i < MAX_VALUES; i++)
		values[i] = UINT64_C(0xfffffffff);
	check_golden(MAX_VALUES, "ffffffff0f400010");
	check_golden(2, "ffffffff2f000010");

	/* a word of 1-bit values takes as many zeros as a run of 60 */
	memset(values, 0, sizeof(values));
	check_golden(60, "0000000000000020");
	check_golden(61, "00000000d0030010");
}

/* A run longer than a word can count takes two. */
UNIT_TEST(simple64_longest_run)
{
	size_t		nvalues = (UINT64_C(1) << 24) + 9;
	uint64_t   *run = calloc(nvalues + DECODE_SLACK_VALUES, sizeof(uint64_t));
	uint8_t		words[16];
	const char *reason = "";

	UNIT_CHECK(simple64_encode(run, nvalues, words) == 16);
	UNIT_CHECK(unit_equals_hex(words, 16, "00000000f0ffff1f 0000000000000020"));
	memset(run, 0xa5, nvalues * sizeof(uint64_t));
	UNIT_CHECK(simple64_decode(words, 16, run, nvalues, &reason));
	for (size_t i = 0; i < nvalues; i++)
		UNIT_CHECK(run[i] == 0);
	free(run);
}

/* Values of uneven widths, some in runs. */
static void
fill_uneven(size_t nvalues)
{
	int			width = (int) (unit_random() % 61);

	for (size_t i = 0; i < nvalues; i++)
	{
		if (unit_random() % 32 == 0)
			width = (int) (unit_random() % 61);
		values[i] = unit_random() & ((UINT64_C(1) << width) - 1);
		if (i > 0 && unit_random() % 3 == 0)
			values[i] = values[i - 1];
	}
}

/*
 * Words at the end of one page, values and their slack at the end of another:
 * nothing is read or written behind.
 */
UNIT_TEST(simple64_guard_pages)
{
	Guard		input;
	Guard		output;

	guard_init(&input, MAX_VALUES * 8);
	guard_init(&output, (MAX_VALUES + DECODE_SLACK_VALUES) * 8);
	for (size_t nvalues = 0; nvalues <= MAX_VALUES; nvalues++)
	{
		uint8_t		words[MAX_VALUES * 8];
		uint64_t   *decoded;
		const char *reason = "";
		int64_t		length;

		fill_uneven(nvalues);
		length = simple64_encode(values, nvalues, words);
		UNIT_CHECK(length >= 0);
		memcpy(guard_end(&input, length), words, length);
		decoded = (uint64_t *) guard_end(&output,
										 (nvalues + DECODE_SLACK_VALUES) * 8);
		UNIT_CHECKF(simple64_decode(guard_end(&input, length), length, decoded,
									nvalues, &reason), "%s", reason);
		UNIT_CHECK(memcmp(decoded, values, nvalues * sizeof(uint64_t)) == 0);
	}
	guard_free(&input);
	guard_free(&output);
}

UNIT_TEST(simple64_encode_room)
{
	Guard		guard;

	guard_init(&guard, MAX_VALUES * 8);
	for (size_t nvalues = 0; nvalues <= 100; nvalues++)
	{
		for (size_t i = 0; i < nvalues; i++)
			values[i] = (UINT64_C(1) << 59) + i;
		UNIT_CHECK(simple64_encode(values, nvalues, guard_end(&guard, nvalues * 8))
				   == (int64_t) nvalues * 8);
	}
	guard_free(&guard);
}

UNIT_TEST(simple64_declines)
{
	uint8_t		words[61 * 8];

	for (size_t at = 0; at < 61; at++)
	{
		memset(values, 0, sizeof(values));
		values[at] = (UINT64_C(1) << 60) - 1;
		UNIT_CHECK(simple64_encode(values, 61, words) > 0);
		values[at] = UINT64_C(1) << 60;
		UNIT_CHECK(simple64_encode(values, 61, words) == -1);
		values[at] = UINT64_MAX;
		UNIT_CHECK(simple64_encode(values, 61, words) == -1);
	}
}

/*
 * One flipped bit: refused, or decoded to other values (or, if in a selector, to
 * the same: a part-filled word may be read as another).  A shortened or
 * lengthened string is always refused.
 */
UNIT_TEST(simple64_damage)
{
	static uint64_t decoded[MAX_VALUES + DECODE_SLACK_VALUES];
	uint8_t		words[MAX_VALUES * 8 + 8];

	for (int round = 0; round < 50; round++)
	{
		size_t		nvalues = 1 + unit_random() % 200;
		const char *reason = NULL;
		int64_t		length;

		fill_uneven(nvalues);
		length = simple64_encode(values, nvalues, words);
		for (int64_t bit = 0; bit < length * 8; bit++)
		{
			words[bit / 8] ^= (uint8_t) (1 << bit % 8);
			if (simple64_decode(words, length, decoded, nvalues, &reason) &&
				bit % 64 < 60)
				UNIT_CHECK(memcmp(decoded, values, nvalues * sizeof(uint64_t)) != 0);
			words[bit / 8] ^= (uint8_t) (1 << bit % 8);
		}
		for (int64_t cut = 0; cut < length; cut++)
			UNIT_CHECK(!simple64_decode(words, cut, decoded, nvalues, &reason));
		store_le64(words + length, 0);
		for (int more = 1; more <= 8; more++)
			UNIT_CHECK(!simple64_decode(words, length + more, decoded, nvalues,
										&reason));
		UNIT_CHECK(reason != NULL);
	}
}
