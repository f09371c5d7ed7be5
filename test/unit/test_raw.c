/*
 * test_raw.c
 *		Raw copies: golden bytes, ends of input and output.
 */
#include "encoding/raw.h"
#include "guard.h"
#include "unit.h"

#define MAX_VALUES 130

UNIT_TEST(raw_golden)
{
	uint8_t		bytes[32];
	const uint16_t two[] = {0x0102, 0xfffe};
	const uint32_t four[] = {0x01020304, 0xfffffffe};
	const uint64_t eight[] = {UINT64_C(0x0102030405060708), 1};
	const unsigned __int128 sixteen[] = {
		(unsigned __int128) UINT64_C(0x0102030405060708) << 64 |
		UINT64_C(0x090a0b0c0d0e0f10)
	};

	raw_encode("\x01\xff", 2, 1, bytes);
	UNIT_CHECK(unit_equals_hex(bytes, 2, "01ff"));
	raw_encode(two, 2, 2, bytes);
	UNIT_CHECK(unit_equals_hex(bytes, 4, "0201 feff"));
	raw_encode(four, 2, 4, bytes);
	UNIT_CHECK(unit_equals_hex(bytes, 8, "04030201 feffffff"));
	raw_encode(eight, 2, 8, bytes);
	UNIT_CHECK(unit_equals_hex(bytes, 16, "0807060504030201 0100000000000000"));
	raw_encode(sixteen, 1, 16, bytes);
	UNIT_CHECK(unit_equals_hex(bytes, 16, "100f0e0d0c0b0a090807060504030201"));
}

UNIT_TEST(raw_guard_pages)
{
	Guard		input;
	Guard		output;
	uint8_t		back[MAX_VALUES * 16];

	guard_init(&input, MAX_VALUES * 16);
	guard_init(&output, MAX_VALUES * 16);
	for (size_t i = 0; i < input.size; i++)
		input.pages[i] = (uint8_t) unit_random();
	for (int width = 1; width <= 16; width *= 2)
	{
		for (size_t nvalues = 0; nvalues <= MAX_VALUES; nvalues++)
		{
			size_t		length = nvalues * width;
			uint8_t    *in = guard_end(&input, length);
			uint8_t    *out = guard_end(&output, length);

			UNIT_CHECK(raw_decode(in, length, nvalues, width, out));
			raw_encode(out, nvalues, width, back);
			UNIT_CHECK(memcmp(back, in, length) == 0);
		}
	}
	guard_free(&input);
	guard_free(&output);
}

UNIT_TEST(raw_refuses)
{
	uint8_t		in[64] = {0};
	uint8_t		out[64];

	UNIT_CHECK(raw_decode(NULL, 0, 0, 8, NULL));
	for (size_t length = 0; length <= 64; length++)
		UNIT_CHECK(raw_decode(in, length, 4, 8, out) == (length == 32));
	UNIT_CHECK(!raw_decode(in, 0, SIZE_MAX / 8 + 1, 8, out));
	UNIT_CHECK(!raw_decode(in, 0, 0, 0, out));
	UNIT_CHECK(!raw_decode(in, 12, 4, 3, out));
}
