/*
 * selftest_pack.c
 *		Packing against the reference, byte for byte, and back again.
 */
#include "encoding/bitpack.h"
#include "encoding/selftest.h"

#define MAX_LENGTH ((size_t) SELFTEST_MAX_COUNT * 8)

#define CANARY_LENGTH 16
#define CANARY_BYTE 0xa5

typedef struct PackTest
{
	Selftest   *test;
	SelftestRow row;
	uint64_t   *values;
	uint64_t   *unpacked;
	uint8_t    *want;
	uint8_t    *got;
} PackTest;

/* What a value leaves for the next word is lost. */
static const char *const pack_faults[] = {"pack_carry", NULL};

static void
plant_fault(const PackTest *pack, size_t length)
{
	if (selftest_fault(pack->test, "pack_carry") && length > 8)
		pack->got[8] &= 0xfe;
}

static bool
canary_lives(const uint8_t *canary)
{
	for (size_t i = 0; i < CANARY_LENGTH; i++)
	{
		if (canary[i] != CANARY_BYTE)
			return false;
	}
	return true;
}

static void
check_pack(PackTest *pack, int width, size_t nvalues, SelftestPattern pattern,
		   uint64_t seed)
{
	size_t		length = bitpack_length(nvalues, width);
	const char *name = selftest_pattern_name(pattern);
	SelftestRow *row = &pack->row;

	selftest_fill(pack->values, nvalues, width, pattern, seed);
	selftest_pack(pack->values, nvalues, width, pack->want);
	memset(pack->got, CANARY_BYTE, length + CANARY_LENGTH);
	bitpack_pack(pack->values, nvalues, width, pack->got);
	plant_fault(pack, length);

	row->cases++;
	row->values_checked += nvalues;
	if (memcmp(pack->got, pack->want, length) != 0)
		selftest_mismatch(row, "n=%zu pattern=%s: other bytes", nvalues, name);
	if (!canary_lives(pack->got + length))
		selftest_mismatch(row, "n=%zu pattern=%s: wrote behind the end",
						  nvalues, name);
	if (!bitpack_padding_is_zero(pack->got, nvalues, width))
		selftest_mismatch(row, "n=%zu pattern=%s: padding", nvalues, name);
	if (!bitpack_unpack(pack->got, length, 0, nvalues, width, pack->unpacked, 8) ||
		memcmp(pack->unpacked, pack->values, nvalues * sizeof(uint64_t)) != 0)
		selftest_mismatch(row, "n=%zu pattern=%s: other values unpacked",
						  nvalues, name);
}

static void
check_width(PackTest *pack, int width)
{
	selftest_begin(&pack->row, "word", "pack", width);
	for (unsigned i = 0; i < SELFTEST_NCOUNTS; i++)
	{
		for (unsigned pattern = 0; pattern < SELFTEST_NPATTERNS; pattern++)
		{
			if (pack->test->full || pattern == PATTERN_RANDOM ||
				pattern == (i + width) % SELFTEST_NPATTERNS)
				check_pack(pack, width, selftest_counts[i], pattern, i);
		}
	}
	selftest_end(pack->test, &pack->row);
}

static void
pack_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	PackTest	pack;

	pack.test = test;
	pack.values = allocator->alloc(allocator->context, MAX_LENGTH);
	pack.unpacked = allocator->alloc(allocator->context,
									 MAX_LENGTH + DECODE_SLACK_VALUES * sizeof(uint64_t));
	pack.want = allocator->alloc(allocator->context, MAX_LENGTH);
	pack.got = allocator->alloc(allocator->context, MAX_LENGTH + CANARY_LENGTH);

	for (int width = 0; width <= 64; width++)
		check_width(&pack, width);

	allocator->free(allocator->context, pack.got);
	allocator->free(allocator->context, pack.want);
	allocator->free(allocator->context, pack.unpacked);
	allocator->free(allocator->context, pack.values);
}

const SelftestPart selftest_part_pack = {pack_part, pack_faults};
