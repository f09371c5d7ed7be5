/*
 * selftest_simple64.c
 *		S64 against words put together here, without the encoder's help.
 *
 * Rows of "s64_decode" have each selector's words full (fast values) and
 * part-filled (tail values).  The encoder is tested by what comes back, and by
 * the number of words it takes.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"
#include "encoding/selftest.h"
#include "encoding/simple64.h"

#include <inttypes.h>

#define MAX_VALUES SELFTEST_MAX_COUNT
#define MAX_LENGTH ((size_t) MAX_VALUES * 8)
#define MAX_WORDS 5

/* Written again, so that a wrong table in simple64.c is not tested by itself. */
static const struct PackedWord
{
	int			count;
	int			bits;
}			packed_words[16] = {
	{0, 0}, {0, 0}, {60, 1}, {30, 2}, {20, 3}, {15, 4}, {12, 5}, {10, 6},
	{8, 7}, {7, 8}, {6, 10}, {5, 12}, {4, 15}, {3, 20}, {2, 30}, {1, 60}
};

#define FIRST_PACKED 2

typedef struct Simple64Test
{
	Selftest   *test;
	SelftestRow row;
	uint64_t   *values;			/* MAX_VALUES */
	uint64_t   *decoded;		/* and the slack */
	uint8_t    *words;			/* MAX_LENGTH */
} Simple64Test;

/* The selector of a word is read as its neighbour. */
static const char *const simple64_faults[] = {"s64_selector", NULL};

static void
put_word(Simple64Test *simple64, size_t i, int selector, uint64_t payload)
{
	store_le64(simple64->words + i * 8, (uint64_t) selector << 60 | payload);
}

/* Decode and compare with the first nvalues of simple64->values. */
static void
check_decode(Simple64Test *simple64, size_t length, size_t nvalues,
			 const char *what)
{
	const char *reason = "";
	SelftestRow *row = &simple64->row;

	if (selftest_fault(simple64->test, "s64_selector") && length > 0)
		simple64->words[7] ^= 0x10;
	row->cases++;
	row->values_checked += nvalues;
	memset(simple64->decoded, 0xa5, nvalues * sizeof(uint64_t));
	if (!simple64_decode(simple64->words, length, simple64->decoded, nvalues,
						 &reason))
	{
		selftest_mismatch(row, "n=%zu %s: %s", nvalues, what, reason);
		return;
	}
	for (size_t i = 0; i < nvalues; i++)
	{
		if (simple64->decoded[i] != simple64->values[i])
		{
			selftest_mismatch(row, "n=%zu %s index=%zu got=%" PRIx64
							  " want=%" PRIx64,
							  nvalues, what, i, simple64->decoded[i],
							  simple64->values[i]);
			return;
		}
	}
}

/* Pack the values into words of one selector; returns their length. */
static size_t
pack_words(Simple64Test *simple64, int selector, size_t nvalues)
{
	int			count = packed_words[selector].count;
	size_t		nwords = 0;

	for (size_t i = 0; i < nvalues; nwords++)
	{
		uint64_t	payload = 0;

		for (int k = 0; k < count && i < nvalues; k++, i++)
			payload |= simple64->values[i] << (k * packed_words[selector].bits);
		put_word(simple64, nwords, selector, payload);
	}
	return nwords * 8;
}

static void
check_selector(Simple64Test *simple64, int selector)
{
	int			count = packed_words[selector].count;
	int			bits = packed_words[selector].bits;

	selftest_begin(&simple64->row, "word", "s64_decode", bits);
	simple64->row.needs_fast = true;
	for (int nvalues = 1; nvalues <= MAX_WORDS * count; nvalues++)
	{
		for (unsigned pattern = 0; pattern < SELFTEST_NPATTERNS; pattern++)
		{
			selftest_fill(simple64->values, nvalues, bits, pattern, nvalues);
			check_decode(simple64, pack_words(simple64, selector, nvalues),
						 nvalues, selftest_pattern_name(pattern));
			simple64->row.fast_values += nvalues - nvalues % count;
			simple64->row.tail_values += nvalues % count;
		}
	}
	selftest_end(simple64->test, &simple64->row);
}

/*
 * Encode and decode.  The words may not be more than the values' width in the
 * next wider selector needs.
 */
static void
check_encode(Simple64Test *simple64, size_t nvalues, size_t max_words,
			 const char *what)
{
	int64_t		length = simple64_encode(simple64->values, nvalues,
										 simple64->words);

	if (length < 0 || (size_t) length > max_words * 8)
	{
		simple64->row.cases++;
		selftest_mismatch(&simple64->row, "n=%zu %s: length=%" PRId64,
						  nvalues, what, length);
		return;
	}
	check_decode(simple64, length, nvalues, what);
}

static void
check_encoder(Simple64Test *simple64, int selector)
{
	int			count = packed_words[selector].count;
	int			bits = packed_words[selector].bits;

	selftest_begin(&simple64->row, "word", "s64_encode", bits);
	for (unsigned i = 0; i < SELFTEST_NCOUNTS; i++)
	{
		for (unsigned pattern = 0; pattern < SELFTEST_NPATTERNS; pattern++)
		{
			size_t		nvalues = selftest_counts[i];

			selftest_fill(simple64->values, nvalues, bits, pattern, i);
			check_encode(simple64, nvalues, (nvalues + count - 1) / count,
						 selftest_pattern_name(pattern));
		}
	}
	selftest_end(simple64->test, &simple64->row);
}

/* Values of all widths in one string of words. */
static void
check_mixed(Simple64Test *simple64)
{
	uint64_t	state = 0;
	int			rounds = simple64->test->full ? 500 : 20;

	selftest_begin(&simple64->row, "word", "s64_mixed", SELFTEST_NO_WIDTH);
	for (int round = 0; round < rounds; round++)
	{
		size_t		nvalues = selftest_random(&state) % MAX_VALUES;
		int			width = (int) (selftest_random(&state) % 61);

		for (size_t i = 0; i < nvalues; i++)
		{
			uint64_t	dice = selftest_random(&state);

			if (dice % 64 == 0)
				width = (int) (dice / 64 % 61);
			simple64->values[i] = selftest_random(&state) & unpack_mask(width);
			if (dice / 4096 % 4 == 0 && i > 0)
				simple64->values[i] = simple64->values[i - 1];
		}
		check_encode(simple64, nvalues, nvalues, "mixed");
	}
	selftest_end(simple64->test, &simple64->row);
}

static void
check_runs(Simple64Test *simple64)
{
	static const uint64_t run_values[] = {
		0, 1, UINT64_C(0xfffffffff), UINT64_C(0x1000000000),
		UINT64_C(0xfffffffffffffff)
	};

	selftest_begin(&simple64->row, "word", "s64_run", SELFTEST_NO_WIDTH);
	for (unsigned i = 0; i < sizeof(run_values) / sizeof(run_values[0]); i++)
	{
		for (unsigned k = 1; k < SELFTEST_NCOUNTS; k++)
		{
			size_t		nvalues = selftest_counts[k];
			bool		fits = run_values[i] >> 36 == 0;

			for (size_t j = 0; j < nvalues; j++)
				simple64->values[j] = run_values[i];
			check_encode(simple64, nvalues, fits ? 1 : nvalues, "run");
			if (!fits)
				continue;
			put_word(simple64, 0, 1, (uint64_t) nvalues << 36 | run_values[i]);
			check_decode(simple64, 8, nvalues, "run word");
		}
	}
	selftest_end(simple64->test, &simple64->row);
}

/* A value of 2^60 or more, wherever it is, has the encoder decline. */
static void
check_declines(Simple64Test *simple64)
{
	static const uint64_t large_values[] = {
		UINT64_C(1) << 60, UINT64_C(1) << 63, ~UINT64_C(0)
	};

	selftest_begin(&simple64->row, "word", "s64_decline", SELFTEST_NO_WIDTH);
	for (unsigned i = 0; i < sizeof(large_values) / sizeof(large_values[0]); i++)
	{
		for (size_t nvalues = 1; nvalues <= 130; nvalues++)
		{
			size_t		at = nvalues / 2;

			memset(simple64->values, 0, nvalues * sizeof(uint64_t));
			simple64->values[at] = large_values[i];
			simple64->row.cases++;
			if (simple64_encode(simple64->values, nvalues, simple64->words) != -1)
				selftest_mismatch(&simple64->row, "n=%zu at=%zu value=%" PRIx64,
								  nvalues, at, large_values[i]);
		}
	}
	selftest_end(simple64->test, &simple64->row);
}

static void
check_refused(Simple64Test *simple64, size_t length, size_t nvalues,
			  const char *what)
{
	const char *reason = NULL;

	simple64->row.cases++;
	if (simple64_decode(simple64->words, length, simple64->decoded, nvalues,
						&reason))
		selftest_mismatch(&simple64->row, "%s: accepted for n=%zu", what,
						  nvalues);
	else if (reason == NULL)
		selftest_mismatch(&simple64->row, "%s: refused for no reason", what);
}

/* What every selector's words must not be. */
static void
check_selector_rejects(Simple64Test *simple64, int selector)
{
	int			count = packed_words[selector].count;
	int			bits = packed_words[selector].bits;
	size_t		length;

	selftest_fill(simple64->values, 2 * count, bits, PATTERN_ONES, 0);
	length = pack_words(simple64, selector, 2 * count);
	check_refused(simple64, length, 2 * count + 1, "words missing");
	check_refused(simple64, length, count, "words left over");
	check_refused(simple64, length, 0, "words for no values");
	check_refused(simple64, 0, 1, "no words");
	for (size_t off = 1; off <= 7; off++)
		check_refused(simple64, length - off, 2 * count, "ragged length");
	for (int unused = 1; unused < count; unused++)
		check_refused(simple64, length, 2 * count - unused, "unused slots");
	if (count * bits < 60)
	{
		put_word(simple64, 0, selector, UINT64_C(1) << (count * bits));
		check_refused(simple64, 8, count, "unused bits");
	}
}

static void
check_rejects(Simple64Test *simple64)
{
	selftest_begin(&simple64->row, "word", "s64_reject", SELFTEST_NO_WIDTH);
	for (int selector = FIRST_PACKED; selector < 16; selector++)
		check_selector_rejects(simple64, selector);

	put_word(simple64, 0, 0, 0);
	check_refused(simple64, 8, 1, "zeroed word");
	put_word(simple64, 0, 0, 1);
	check_refused(simple64, 8, 60, "selector 0");
	put_word(simple64, 0, 1, 5);
	check_refused(simple64, 8, 1, "run of 0");
	check_refused(simple64, 8, 0, "run of 0");
	put_word(simple64, 0, 1, UINT64_C(11) << 36);
	check_refused(simple64, 8, 10, "run beyond the end");

	/* whose length would be right if cut to 16 or 8 bits */
	put_word(simple64, 0, 1, UINT64_C(0x010010) << 36);
	check_refused(simple64, 8, 16, "long run");
	put_word(simple64, 0, 1, UINT64_C(0xffffff) << 36);
	check_refused(simple64, 8, 0xff, "longest run");
	selftest_end(simple64->test, &simple64->row);
}

static void
simple64_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	Simple64Test simple64;

	simple64.test = test;
	simple64.values = allocator->alloc(allocator->context,
									   MAX_VALUES * sizeof(uint64_t));
	simple64.decoded = allocator->alloc(allocator->context,
										(MAX_VALUES + DECODE_SLACK_VALUES) *
										sizeof(uint64_t));
	simple64.words = allocator->alloc(allocator->context, MAX_LENGTH);

	for (int selector = FIRST_PACKED; selector < 16; selector++)
		check_selector(&simple64, selector);
	for (int selector = FIRST_PACKED; selector < 16; selector++)
		check_encoder(&simple64, selector);
	check_mixed(&simple64);
	check_runs(&simple64);
	check_declines(&simple64);
	check_rejects(&simple64);

	allocator->free(allocator->context, simple64.words);
	allocator->free(allocator->context, simple64.decoded);
	allocator->free(allocator->context, simple64.values);
}

const SelftestPart selftest_part_simple64 = {simple64_part, simple64_faults};
