/*
 * test_chunk_golden.c
 *		The bytes of chunks, the same on every host and in every version.
 *
 * Small chunks byte by byte, larger ones of every encoding by a checksum of
 * their bytes.  No block codec: what LZ4 and zstd write depends on their
 * version, so of those it is only pinned that stored blocks can be read.
 */
#include "chunk_case.h"
#include "chunk_walk.h"
#include "encoding/bytebuffer.h"
#include "unit.h"

static uint64_t state;

/* Not unit_random: the bytes must not depend on the seed of the run. */
static uint64_t
next_random(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 16;
}

static uint64_t
checksum(const ByteBuffer *chunk)
{
	uint64_t	sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < chunk->length; i++)
		sum = (sum ^ chunk->data[i]) * UINT64_C(1099511628211);
	return sum;
}

static void
encode(const ChunkCase *input, ByteBuffer *chunk)
{
	ChunkSummary summary;

	chunk->length = 0;
	chunk_case_encode(input, chunk, &summary);
}

static void
print_hex(const char *name, const ByteBuffer *chunk)
{
	fprintf(stderr, "%s:", name);
	for (size_t i = 0; i < chunk->length; i++)
		fprintf(stderr, "%s%02x", i % 8 == 0 ? " " : "", chunk->data[i]);
	fprintf(stderr, "\n");
}

static void
check_hex(const ChunkCase *input, const char *name, const char *hex)
{
	ByteBuffer	chunk;

	bytebuffer_init(&chunk, &unit_allocator);
	encode(input, &chunk);
	if (!unit_equals_hex(chunk.data, chunk.length, hex))
	{
		unit_fail(__FILE__, __LINE__, "%s: other bytes", name);
		print_hex(name, &chunk);
	}
	bytebuffer_free(&chunk);
}

static void
check_sum(const ChunkCase *input, const char *name, uint64_t want)
{
	ByteBuffer	chunk;

	bytebuffer_init(&chunk, &unit_allocator);
	encode(input, &chunk);
	UNIT_CHECKF(checksum(&chunk) == want,
				"%s: checksum 0x%016" PRIx64 ", length %zu", name,
				checksum(&chunk), chunk.length);
	bytebuffer_free(&chunk);
}

static void
start(ChunkCase *input, ValueKind kind, ValueClass value_class)
{
	chunk_case_init(input, kind, value_class);
	input->options.codec = CODEC_NONE;
	input->options.bytes_per_ns = 1.0;
	state = 42;
}

UNIT_TEST(golden_small)
{
	ChunkCase	input;

	start(&input, VALUE_INT64, CLASS_SIGNED);
	for (uint32_t row = 0; row < 20; row++)
		chunk_case_add_int(&input, 1000 + row);
	check_hex(&input, "ramp",
			  "636b010401020000 1400000000000000 1b00000000010600 "
			  "0103000000000000 0002e80301010000");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 8; row++)
		chunk_case_add_int(&input, (int64_t) (row * row) - 5);
	chunk_case_set_null(&input, 3);
	check_hex(&input, "squares with null",
			  "636b010401020100 0800000001000000 1f00000004010180 "
			  "0001020001020000 0800000000000000 0601fb4040005046 "
			  "c600000000000000");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 5; row++)
		chunk_case_add_int(&input, -1);
	check_hex(&input, "constant",
			  "636b010401010000 0500000000000000 2100000008000000 "
			  "ffffffffffffffff 0000000000000000");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 5; row++)
		chunk_case_add_null(&input);
	check_hex(&input, "all null",
			  "636b010401000000 0500000005000000 1500000000000000");
	chunk_case_free(&input);

	start(&input, VALUE_FLOAT64, CLASS_FLOAT);
	chunk_case_add_float(&input, 1.5);
	chunk_case_add_float(&input, -0.25);
	check_hex(&input, "floats",
			  "636b010603020000 0200000000000000 1b00000000010b00 "
			  "0109000000000000 0209010000640111 e7af010000000000");
	chunk_case_free(&input);

	start(&input, VALUE_BYTES, CLASS_BYTES);
	chunk_case_add_text(&input, "one");
	chunk_case_add_text(&input, "three");
	chunk_case_add_null(&input);
	check_hex(&input, "strings",
			  "636b010704040900 0300000001000000 2400000003010160 "
			  "0f00010201000000 0001020000000000 0400000000000000 "
			  "0111030206000000 0001080001080000 6f6e657468726565");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 48; row++)
		chunk_case_add_text(&input, "%s", row % 3 == 0 ? "yes" : "no");
	check_hex(&input, "dictionary",
			  "636b010704050800 3000000000000000 2800000003010484 "
			  "0202000000000102 0100000000010200 0100499224499224 "
			  "0101020200000000 0001050001050000 6e6f796573000000");
	chunk_case_free(&input);

	start(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	chunk_case_add_numeric(&input, "1.50");
	chunk_case_add_numeric(&input, "-2.25");
	check_hex(&input, "numerics",
			  "636b010805060000 0200000000000000 1c00000000010702 "
			  "0001020000000000 01221fff77010100");
	chunk_case_add_numeric(&input, "NaN");
	chunk_case_add_numeric(&input, "100000000000000000000");
	check_hex(&input, "wide numerics",
			  "636b010805070200 0400000000000000 240000000501049c "
			  "0002000101000102 0001010000000000 9600000000000000 "
			  "1fffffffffffffff 1fffffffffffffff 000040b2bac9e019 "
			  "0a01ff010000c087 0202fd0000000000");
	chunk_case_free(&input);
}

/* Values of a shape that leads to an encoding. */
static int64_t
shape_value(int shape, uint32_t row)
{
	switch (shape)
	{
		case 0:					/* for */
			return (int64_t) (next_random() % 1000);
		case 1:					/* for with divisor */
			return (int64_t) (next_random() % 1000) * 1000 + 7;
		case 2:					/* delta */
			return (int64_t) row * 1000 + (int64_t) (next_random() % 64);
		case 3:					/* patched */
			return (int64_t) (next_random() % 64 == 0 ? next_random() % 1000000 : next_random() % 4);
		case 4:					/* patched delta */
			return row + row / 60 * 100000;
		case 5:					/* simple64 */
			return row % 256 < 220 ? (int64_t) (next_random() % 2) :
				(int64_t) (next_random() % 30000);
		case 6:					/* runs */
			return row / 40 % 5;
		case 7:					/* dictionary */
			return (int64_t) (next_random() % 5) * 12345677;
		default:				/* raw */
			return (int64_t) (next_random() * next_random());
	}
}

#define NSHAPES 9

UNIT_TEST(golden_integers)
{
	static const uint64_t sums[2][NSHAPES] = {
		{
			UINT64_C(0xb4bb0b7656d9334b), UINT64_C(0x3605323256156320),
			UINT64_C(0x8b02f417053efcee), UINT64_C(0x2dd6ac114023f9a5),
			UINT64_C(0x490011056a6be22a), UINT64_C(0xd6210f10f4aa63bf),
			UINT64_C(0x6c001f56ea23fd3c), UINT64_C(0xd4e91ba36c07d667),
			UINT64_C(0xf1544a384265b390)
		},
		{
			UINT64_C(0x28f4903fa9f4680a), UINT64_C(0x347bb2d470d228fe),
			UINT64_C(0x9818db35210ec07d), UINT64_C(0xbc991697f2b4aa68),
			UINT64_C(0x420ed35c59042ef8), UINT64_C(0xf07b0c03d343acd0),
			UINT64_C(0xeb75cb3b3fb63c93), UINT64_C(0x7217951ed20044ac),
			UINT64_C(0xb30b8f0a1d51e605)
		}
	};
	ChunkCase	input;

	start(&input, VALUE_INT32, CLASS_SIGNED);
	for (int with_nulls = 0; with_nulls < 2; with_nulls++)
	{
		for (int shape = 0; shape < NSHAPES; shape++)
		{
			char		name[40];

			/* slow encodings occur where bytes count */
			input.options.bytes_per_ns = shape == 5 ? 0.02 : 1.0;
			chunk_case_clear(&input);
			for (uint32_t row = 0; row < 3000; row++)
			{
				chunk_case_add_int(&input, shape_value(shape, row));
				if (with_nulls && next_random() % 8 < 1 + 6 * (shape % 2))
					chunk_case_set_null(&input, row);
			}
			snprintf(name, sizeof(name), "shape %d, nulls %d", shape,
					 with_nulls);
			check_sum(&input, name, sums[with_nulls][shape]);
		}
	}
	chunk_case_free(&input);
}

/* Full precision, both signs, now and then small. */
static double
quotient(void)
{
	double		value = (double) (1 + next_random() % 999983) /
		(double) (1000003 + next_random() % 5);

	if (next_random() % 40 == 0)
		value /= 1048576.0;
	return next_random() % 2 == 0 ? value : -value;
}

UNIT_TEST(golden_floats)
{
	ChunkCase	input;

	start(&input, VALUE_FLOAT32, CLASS_FLOAT);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input, next_random() % 50 == 0 ? 1.0 / 3.0 :
							 (double) (next_random() % 5000) / 10.0);
	check_sum(&input, "decimals", UINT64_C(0xafeb5aedc8c53656));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input, quotient());
	check_sum(&input, "singles", UINT64_C(0xe6b0375685055331));
	chunk_case_free(&input);

	start(&input, VALUE_FLOAT64, CLASS_FLOAT);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input, next_random() % 50 == 0 ? 0.1 :
							 (double) (next_random() % 100000) / 777.0);
	check_sum(&input, "means", UINT64_C(0x5674d0f335e76abf));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input,
							 (double) (int64_t) (next_random() % 2000000000001) / 1e5);
	check_sum(&input, "long decimals", UINT64_C(0xfea2e17344da45bd));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input, quotient());
	check_sum(&input, "doubles", UINT64_C(0xc112854f8ca25fe0));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_float(&input, (float) quotient());
	check_sum(&input, "singles in doubles", UINT64_C(0xf5f301d63f9f119e));
	chunk_case_free(&input);
}

UNIT_TEST(golden_strings)
{
	ChunkCase	input;

	start(&input, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_text(&input, "https://example.org/%u/%u", row % 7, row);
	check_sum(&input, "prefixes", UINT64_C(0x1ca2ab71ab03ab4a));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_text(&input, "place %u",
							(unsigned) (next_random() % 100));
	check_sum(&input, "dictionary", UINT64_C(0x7445c760525ad471));
	chunk_case_free(&input);
}

UNIT_TEST(golden_numerics)
{
	ChunkCase	input;
	char		text[60];

	start(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	for (uint32_t row = 0; row < 3000; row++)
	{
		unsigned	whole = (unsigned) (next_random() % 10000);

		snprintf(text, sizeof(text), "-%u.%02u", whole,
				 (unsigned) (next_random() % 100));
		chunk_case_add_numeric(&input, text);
	}
	check_sum(&input, "scaled", UINT64_C(0xa7e8fbe59c4916e8));
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
	{
		snprintf(text, sizeof(text), "%u%020u.%0*u",
				 (unsigned) (next_random() % 10000), row, 1 + (int) (row % 2),
				 row % 10);
		chunk_case_add_numeric(&input, row % 100 == 0 ? "Infinity" : text);
	}
	check_sum(&input, "wide", UINT64_C(0xffc62a63e09cf865));

	/* as strings: words are little-endian all the same */
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 100; row++)
	{
		snprintf(text, sizeof(text), "0.%045u", row);
		chunk_case_add_numeric(&input, text);
	}
	check_sum(&input, "strings", UINT64_C(0xf9512df167f6a40b));
	chunk_case_free(&input);
}
