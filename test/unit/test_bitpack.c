/*
 * test_bitpack.c
 *		Bit-packing: golden bytes, ends of the input, refusals.
 *
 * Every kernel against a reference at every width is the self-test's job
 * (test_selftest.c); here is what it cannot do inside a server.
 */
#include "encoding/bitpack_kernel.h"
#include "guard.h"
#include "unit.h"

#define MAX_VALUES 1100

static uint64_t values[MAX_VALUES];
static uint64_t unpacked[MAX_VALUES + DECODE_SLACK_VALUES + 8];

static void
fill_random(size_t nvalues, int width)
{
	for (size_t i = 0; i < nvalues; i++)
		values[i] = unit_random() & unpack_mask(width);
}

static uint64_t
output_value(size_t i, int out_size)
{
	switch (out_size)
	{
		case 1:
			return ((uint8_t *) unpacked)[i];
		case 2:
			return ((uint16_t *) unpacked)[i];
		case 4:
			return ((uint32_t *) unpacked)[i];
		default:
			return unpacked[i];
	}
}

/* Values 1, 2, 3, ... 11, cut to the width, then all ones. */
static const struct PackedGolden
{
	int			width;
	const char *hex;
}			golden[] = {
	{0, ""},
	{1, "550d"},
	{2, "3939f9"},
	{3, "d1581fd1 0e"},
	{4, "21436587 a9fb"},
	{5, "410c52cc 4149ad0f"},
	{7, "01c18050 301c1009 c5e20f"},
	{8, "01020304 05060708 090a0bff"},
	{9, "01040c20 50c0c001 0409142c f80f"},
	{12, "01200003 40000560 00078000 09a0000b f0ff"},
	{13, "0140000c 00025000 0cc00140 00094001 2c80ff0f"},
	{16, "01000200 03000400 05000600 07000800 09000a00 0b00ffff"},
	{31, "01000000010000c0 0000008000000050 000000300000001c"
	"0000001000000009 000000050000c002 0000e0ffffff0f"},
	{32, "0100000002000000 0300000004000000 0500000006000000"
	"0700000008000000 090000000a000000 0b000000ffffffff"},
	{57, "0100000000000004 0000000000000c00 0000000000200000"
		"0000000050000000 000000c000000000 0000c00100000000"
		"0000040000000000 0009000000000000 140000000000002c"
	"000000000000f8ff ffffffffff0f"},
	{58, "0100000000000008 0000000000003000 0000000000000100"
		"0000000000050000 0000000018000000 0000007000000000"
		"0000000200000000 0000090000000000 0028000000000000"
	"b0000000000000c0 ffffffffffffff"},
	{63, "0100000000000000 01000000000000c0 0000000000000080"
		"0000000000000050 0000000000000030 000000000000001c"
		"0000000000000010 0000000000000009 0000000000000005"
	"000000000000c002 000000000000e0ff ffffffffffff0f"},
	{64, "0100000000000000 0200000000000000 0300000000000000"
		"0400000000000000 0500000000000000 0600000000000000"
		"0700000000000000 0800000000000000 0900000000000000"
	"0a00000000000000 0b00000000000000 ffffffffffffffff"}
};

#define NGOLDEN (sizeof(golden) / sizeof(golden[0]))
#define GOLDEN_VALUES 12

static void
print_hex(const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

UNIT_TEST(bitpack_golden)
{
	uint8_t		packed[GOLDEN_VALUES * 8];

	for (size_t g = 0; g < NGOLDEN; g++)
	{
		int			width = golden[g].width;
		size_t		length = bitpack_length(GOLDEN_VALUES, width);

		for (size_t i = 0; i < GOLDEN_VALUES; i++)
			values[i] = (i < GOLDEN_VALUES - 1 ? i + 1 : ~UINT64_C(0)) &
				unpack_mask(width);
		bitpack_pack(values, GOLDEN_VALUES, width, packed);
		if (!unit_equals_hex(packed, length, golden[g].hex))
		{
			unit_fail(__FILE__, __LINE__, "width %d has other bytes:", width);
			print_hex(packed, length);
		}
	}
}

UNIT_TEST(bitpack_widths)
{
	UNIT_CHECK(bitpack_width(0) == 0);
	for (int width = 1; width <= 64; width++)
	{
		UNIT_CHECK(bitpack_width(unpack_mask(width)) == width);
		UNIT_CHECK(bitpack_width(UINT64_C(1) << (width - 1)) == width);
	}
	UNIT_CHECK(bitpack_length(0, 64) == 0);
	UNIT_CHECK(bitpack_length(1, 1) == 1);
	UNIT_CHECK(bitpack_length(9, 7) == 8);
	UNIT_CHECK(bitpack_length(CHUNK_MAX_ROWS, 64) == CHUNK_MAX_ROWS * 8);
}

/*
 * Fused forms of one kernel: the self-test looks at all that they give, this at
 * what they read.
 */
static void
check_forms_at_page_end(const UnpackMethod *method, const PackedValues *packed)
{
	static uint64_t mask[MAX_VALUES / 64 + 1];
	uint64_t	largest = 0;
	uint64_t	max;
	PackedSum	sum;
	PackedRange range;

	for (size_t i = 0; i < packed->nvalues; i++)
	{
		uint64_t	value = values[packed->start + i];

		largest = value > largest ? value : largest;
	}
	UNIT_CHECK(between_run(method, packed, 1, largest, mask));
	UNIT_CHECK(sum_run(method, packed, &sum));
	UNIT_CHECK(min_max_run(method, packed, &range) && range.max == largest);
	for (int out_size = 1; out_size <= 8; out_size *= 2)
	{
		bool		fits = packed->width <= 8 * out_size;

		UNIT_CHECK(unpack_add_run(method, packed, 1, unpacked, out_size) == fits);
		UNIT_CHECK(unpack_delta_run(method, packed, 1, 1, unpacked, out_size) == fits);
		UNIT_CHECK(unpack_max_run(method, packed, unpacked, out_size, &max) == fits);
		UNIT_CHECK(!fits || max == largest);
	}
}

/*
 * Pack at the end of a page, then unpack with all kernels from each start: a
 * byte written or read too far is a fault of the process.
 */
static void
check_at_page_end(const Guard *guard, size_t nvalues, int width)
{
	size_t		length = bitpack_length(nvalues, width);
	uint8_t    *packed = guard_end(guard, length);

	fill_random(nvalues, width);
	bitpack_pack(values, nvalues, width, packed);
	UNIT_CHECK(bitpack_padding_is_zero(packed, nvalues, width));
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		size_t		first = nvalues / 16 * 8;
		PackedValues rest = {packed, length, first, nvalues - first, width};

		if (unpack_method_find(kernel) == NULL)
			continue;
		check_forms_at_page_end(unpack_method_find(kernel), &rest);
		for (int out_size = (width + 7) / 8; out_size <= 8; out_size++)
		{
			size_t		start = unit_random() % (nvalues + 1);
			size_t		count = nvalues - start;

			if (out_size != 1 && out_size != 2 && out_size != 4 && out_size != 8)
				continue;
			UNIT_CHECKF(bitpack_unpack_with(kernel, packed, length, start,
											count, width, unpacked, out_size),
						"kernel %d n %zu start %zu width %d size %d refused",
						kernel, nvalues, start, width, out_size);
			for (size_t i = 0; i < count; i++)
				UNIT_CHECKF(output_value(i, out_size) == values[start + i],
							"kernel %d n %zu start %zu width %d size %d index %zu",
							kernel, nvalues, start, width, out_size, i);
		}
	}
}

/* Counts to 80 give every residue of the length, and of the tail, often. */
UNIT_TEST(bitpack_guard_page)
{
	Guard		guard;

	guard_init(&guard, MAX_VALUES * 8);
	for (int width = 0; width <= 64; width++)
	{
		for (size_t nvalues = 0; nvalues <= 80; nvalues++)
			check_at_page_end(&guard, nvalues, width);
		for (size_t nvalues = 1020; nvalues <= 1030; nvalues++)
			check_at_page_end(&guard, nvalues, width);
	}
	guard_free(&guard);
}

/* The output too may end at a page, after the slack that it is promised. */
UNIT_TEST(bitpack_output_slack)
{
	uint8_t		packed[MAX_VALUES];
	Guard		guard;

	guard_init(&guard, (MAX_VALUES + DECODE_SLACK_VALUES) * 8);
	memset(packed, 0xff, sizeof(packed));
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) == NULL)
			continue;
		for (size_t nvalues = 0; nvalues <= 130; nvalues++)
		{
			uint8_t    *out = guard_end(&guard, nvalues + DECODE_SLACK_VALUES);

			UNIT_CHECK(bitpack_unpack_with(kernel, packed, sizeof(packed),
										   nvalues % 8, nvalues, 5, out, 1));
			for (size_t i = 0; i < nvalues; i++)
				UNIT_CHECK(out[i] == 31);
		}
	}
	guard_free(&guard);
}

UNIT_TEST(bitpack_refuses)
{
	uint8_t		packed[64] = {0};

	UNIT_CHECK(!bitpack_unpack(packed, 0, 0, 1, 1, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 0, 65, 8, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 1, 64, 8, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 0, 1, 65, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 0, 1, -1, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 0, 1, 9, unpacked, 1));
	UNIT_CHECK(!bitpack_unpack(packed, 64, 0, 1, 8, unpacked, 3));
	UNIT_CHECK(!bitpack_unpack(packed, 64, SIZE_MAX, SIZE_MAX, 8, unpacked, 8));
	UNIT_CHECK(!bitpack_unpack_with(UNPACK_NKERNELS, packed, 64, 0, 1, 8,
									unpacked, 8));
	UNIT_CHECK(bitpack_unpack(NULL, 0, 0, 0, 8, unpacked, 8));
	UNIT_CHECK(bitpack_unpack(NULL, 0, 5, 5, 0, unpacked, 8));
}

UNIT_TEST(bitpack_padding)
{
	uint8_t		packed[8] = {0, 0, 0, 0, 0, 0, 0, 0};

	for (int width = 1; width <= 7; width++)
	{
		for (size_t nvalues = 1; nvalues <= 8; nvalues++)
		{
			size_t		last = bitpack_length(nvalues, width) - 1;
			int			used = (int) (nvalues * width % 8);

			for (int bit = 0; bit < 8; bit++)
			{
				packed[last] = (uint8_t) (1 << bit);
				UNIT_CHECK(bitpack_padding_is_zero(packed, nvalues, width) ==
						   (used == 0 || bit < used));
			}
			packed[last] = 0;
		}
	}
	UNIT_CHECK(bitpack_padding_is_zero(packed, 0, 7));
	UNIT_CHECK(bitpack_padding_is_zero(packed, 7, 0));
}

/* A setting that no CPU offers here falls back to the fastest there is. */
UNIT_TEST(bitpack_set_kernel)
{
	for (int kernel = UNPACK_AUTO; kernel < UNPACK_NKERNELS; kernel++)
	{
		uint8_t		packed[13];

		fill_random(8, 13);
		bitpack_pack(values, 8, 13, packed);
		bitpack_set_kernel(kernel);
		UNIT_CHECK(bitpack_unpack(packed, 13, 0, 8, 13, unpacked, 8));
		UNIT_CHECK(memcmp(unpacked, values, 8 * sizeof(uint64_t)) == 0);
	}
	bitpack_set_kernel(UNPACK_AUTO);
}
