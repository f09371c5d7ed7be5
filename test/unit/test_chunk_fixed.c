/*
 * test_chunk_fixed.c
 *		Chunks of integers and floats: round trips of every shape of data.
 */
#include <math.h>

#include "chunk_case.h"
#include "encoding/bytebuffer.h"
#include "unit.h"

static const uint32_t row_counts[] = {
	1, 2, 3, 7, 8, 20, 63, 64, 65, 1000, 1023, 1024, 1025, 2048, 3000
};

#define NROW_COUNTS (sizeof(row_counts) / sizeof(row_counts[0]))

/* A generator of values, and what the encoder should make of many of them. */
typedef struct Shape
{
	const char *name;
	int64_t		(*value) (uint32_t row);
	const char *encoding;		/* of 64-bit values */
} Shape;

static int64_t
make_constant(uint32_t row)
{
	return 42;
}

static int64_t
make_ramp(uint32_t row)
{
	return 1000 + row;
}

static int64_t
make_falling(uint32_t row)
{
	return -3 * (int64_t) row;
}

static int64_t
make_uniform(uint32_t row)
{
	return (int64_t) (unit_random() % 100000);
}

static int64_t
make_around_zero(uint32_t row)
{
	return (int64_t) (unit_random() % 101) - 50;
}

static int64_t
make_jitter(uint32_t row)
{
	return (int64_t) row * 30000 + (int64_t) (unit_random() % 16384);
}

static int64_t
make_seconds(uint32_t row)
{
	return INT64_C(700000000000000) + 1000000 * (int64_t) (unit_random() % 86400);
}

static int64_t
make_runs(uint32_t row)
{
	return (row / 100) * 7919 % 1000;
}

static int64_t
make_outliers(uint32_t row)
{
	return (int64_t) (unit_random() % 100 == 0 ? unit_random() >> 20 : unit_random() % 16);
}

static int64_t
make_ramp_with_jumps(uint32_t row)
{
	return (int64_t) row + (int64_t) (row / 50) * 1000003;
}

/* A counter that starts again: the least delta is far from all others. */
static int64_t
make_resets(uint32_t row)
{
	return row % 144 * 5 + 1000000;
}

static int64_t
make_geometric(uint32_t row)
{
	return row % 2 == 0 ? 0 : INT64_C(1) << (unit_random() % 30 * (unit_random() % 4 == 0));
}

/* Mostly zeros, and in places a stretch of larger values. */
static int64_t
make_bursts(uint32_t row)
{
	return row % 256 < 200 ? (int64_t) (unit_random() % 2) :
		(int64_t) (unit_random() % 60000);
}

static int64_t
make_extremes(uint32_t row)
{
	return unit_random() % 2 ? INT64_MIN : INT64_MAX;
}

static int64_t
make_random(uint32_t row)
{
	return (int64_t) unit_random();
}

static int64_t
make_few_distinct(uint32_t row)
{
	return (int64_t) (unit_random() % 5 * UINT64_C(1000000007) * UINT64_C(1000003));
}

static const Shape shapes[] = {
	{"constant", make_constant, "constant"},
	{"ramp", make_ramp, "delta"},
	{"falling", make_falling, "delta"},
	{"uniform", make_uniform, "for"},
	{"around zero", make_around_zero, "for"},
	{"jitter", make_jitter, "delta"},
	{"seconds", make_seconds, "for"},
	{"runs", make_runs, "runs"},
	{"outliers", make_outliers, "patched"},
	{"ramp with jumps", make_ramp_with_jumps, "patched delta"},
	{"resets", make_resets, "patched delta"},
	{"geometric", make_geometric, NULL},
	{"bursts", make_bursts, "simple64"},
	{"extremes", make_extremes, NULL},
	{"random", make_random, "raw"},
	{"few distinct", make_few_distinct, NULL},
};

#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void
fill(ChunkCase *input, const Shape *shape, uint32_t nrows)
{
	chunk_case_clear(input);
	for (uint32_t row = 0; row < nrows; row++)
		chunk_case_add_int(input, shape->value(row));
}

/* Every shape, length, width and class. */
UNIT_TEST(chunk_integers)
{
	static const ValueClass classes[] = {CLASS_SIGNED, CLASS_UNSIGNED,
										 CLASS_NONE};

	for (ValueKind kind = VALUE_INT8; kind <= VALUE_INT64; kind++)
	{
		for (int i = 0; i < 3; i++)
		{
			ChunkCase	input;

			chunk_case_init(&input, kind, classes[i]);
			for (size_t shape = 0; shape < NSHAPES; shape++)
			{
				for (size_t count = 0; count < NROW_COUNTS; count++)
				{
					fill(&input, &shapes[shape], row_counts[count]);
					chunk_case_check(&input, shapes[shape].name, NULL);
				}
			}
			chunk_case_free(&input);
		}
	}
}

/* The chooser takes what each shape was made for. */
UNIT_TEST(chunk_integer_encodings)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_INT64, CLASS_SIGNED);
	input.options.codec = CODEC_NONE;
	for (size_t shape = 0; shape < NSHAPES; shape++)
	{
		fill(&input, &shapes[shape], VECTOR_LENGTH);
		chunk_case_check(&input, shapes[shape].name, shapes[shape].encoding);
	}
	chunk_case_free(&input);
}

UNIT_TEST(chunk_full)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_INT32, CLASS_SIGNED);
	for (size_t shape = 0; shape < NSHAPES; shape++)
	{
		fill(&input, &shapes[shape], CHUNK_MAX_ROWS - 1);
		chunk_case_check(&input, shapes[shape].name, NULL);
		chunk_case_add_int(&input, 1);
		chunk_case_check(&input, shapes[shape].name, NULL);
	}
	chunk_case_free(&input);
}

/* NULLs: none in a hundred, many, nearly all, all, in runs, whole vectors. */
static bool
is_null_by_pattern(int pattern, uint32_t row)
{
	switch (pattern)
	{
		case 0:
			return unit_random() % 100 == 0;
		case 1:
			return unit_random() % 2 == 0;
		case 2:
			return unit_random() % 20 != 0;
		case 3:
			return row % 500 < 300;
		case 4:
			return row / VECTOR_LENGTH == 1;
		case 5:
			return row != 1500;
		case 6:
			return row < 1100;
		default:
			return true;
	}
}

#define NNULL_PATTERNS 8

UNIT_TEST(chunk_nulls)
{
	for (ValueKind kind = VALUE_INT8; kind <= VALUE_FLOAT64; kind++)
	{
		ChunkCase	input;

		chunk_case_init(&input, kind,
						kind < VALUE_FLOAT32 ? CLASS_SIGNED : CLASS_FLOAT);
		for (int pattern = 0; pattern < NNULL_PATTERNS; pattern++)
		{
			for (size_t shape = 0; shape < NSHAPES; shape++)
			{
				fill(&input, &shapes[shape], 3000);
				for (uint32_t row = 0; row < input.nrows; row++)
				{
					if (is_null_by_pattern(pattern, row))
						chunk_case_set_null(&input, row);
				}
				chunk_case_check(&input, shapes[shape].name, NULL);
			}
		}
		chunk_case_free(&input);
	}
}

static double
special_float(uint32_t i)
{
	static const double specials[] = {
		0.0, -0.0, 1.0, -1.0, 0.1, 1e300, -1e300, 1e-300, 5e-324, INFINITY,
		-INFINITY, NAN
	};

	return specials[i % (sizeof(specials) / sizeof(specials[0]))];
}

/* Decimals, full precision, few distinct, specials; bit patterns survive. */
static double
make_float(int shape, uint32_t row)
{
	switch (shape)
	{
		case 0:
			return (double) (unit_random() % 1000000) / 100.0;
		case 1:
			return (double) (int64_t) unit_random() / 1e12;
		case 2:
			return 2.5 * (double) (unit_random() % 144);
		case 3:
			return special_float((uint32_t) unit_random());
		case 4:
			return unit_random() % 20 == 0 ? special_float((uint32_t) unit_random()) :
				(double) (unit_random() % 5000) / 10.0;
		case 5:
			return 20.0 + sin((double) row / 100.0);
		case 6:
			return NAN;
		case 7:
			return sin((double) row / 100.0) / 3.0;
		case 8:					/* means of so many */
			return (double) (int64_t) (unit_random() % 40001 - 20000) /
				(row / 1500 % 2 ? 744.0 : 720.0);
		case 9:					/* both signs, several exponents */
			return (double) (int64_t) unit_random() / 1.1e19 *
				(double) (unit_random() % 1000) / 7.0;
		case 10:				/* the same, and others now and then */
			return unit_random() % 30 == 0 ? special_float((uint32_t) unit_random()) :
				(double) (int64_t) unit_random() / 1.1e19;
		case 11:				/* what a float of 4 bytes can hold */
			return (float) ((double) (int64_t) unit_random() / 1.1e18);
		case 12:				/* integers of many digits */
			return (double) (int64_t) (unit_random() >> (row % 2 ? 14 : 20));
		case 13:				/* many decimals */
			return (double) (unit_random() % 1000) * 1e-16;
		case 14:				/* halves of a step: ties */
			return ((double) (unit_random() % 1000) + 0.5) / 1024.0;
		case 15:				/* denormals and the like */
			return (double) (unit_random() % 1000) * 5e-324;
		case 16:				/* long decimals */
			return (double) (int64_t) (unit_random() % 20000000000001 - 10000000000000) / 1e6;
		default:
			return row < VECTOR_LENGTH ? NAN : 1.0;
	}
}

#define NFLOAT_SHAPES 18

UNIT_TEST(chunk_floats)
{
	for (ValueKind kind = VALUE_FLOAT32; kind <= VALUE_FLOAT64; kind++)
	{
		ChunkCase	input;

		chunk_case_init(&input, kind, CLASS_FLOAT);
		for (int shape = 0; shape < NFLOAT_SHAPES; shape++)
		{
			for (size_t count = 0; count < NROW_COUNTS; count++)
			{
				chunk_case_clear(&input);
				for (uint32_t row = 0; row < row_counts[count]; row++)
					chunk_case_add_float(&input, make_float(shape, row));
				chunk_case_check(&input, "floats", NULL);
			}
		}
		chunk_case_free(&input);
	}
}

/* Shapes lead to the encodings that they are made for. */
UNIT_TEST(chunk_float_encodings)
{
	static const struct
	{
		int			shape;
		ValueKind	kind;
		const char *encoding;
	}			cases[] = {
		{0, VALUE_FLOAT64, "decimal"}, {0, VALUE_FLOAT32, "decimal"},
		{4, VALUE_FLOAT64, "decimal"}, {8, VALUE_FLOAT64, "decimal"},
		{8, VALUE_FLOAT32, "decimal"}, {9, VALUE_FLOAT64, "split"},
		{10, VALUE_FLOAT64, "split"}, {14, VALUE_FLOAT64, "decimal"},
		{16, VALUE_FLOAT64, "decimal"}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char		name[60];
		ChunkCase	input;

		chunk_case_init(&input, cases[i].kind, CLASS_FLOAT);
		for (uint32_t row = 0; row < 20 * VECTOR_LENGTH; row++)
			chunk_case_add_float(&input, make_float(cases[i].shape, row));
		snprintf(name, sizeof(name), "floats of %d bytes, shape %d",
				 cases[i].kind == VALUE_FLOAT32 ? 4 : 8, cases[i].shape);
		chunk_case_check(&input, name, cases[i].encoding);
		chunk_case_free(&input);
	}
}

/*
 * Decimals of any number of digits come back, which dividing by powers of ten
 * makes as reading them does.
 */
UNIT_TEST(chunk_float_digits)
{
	double		power = 1.0;

	for (int digits = 0; digits <= 15; digits++, power *= 10.0)
	{
		ChunkCase	input;

		chunk_case_init(&input, VALUE_FLOAT64, CLASS_FLOAT);
		for (uint32_t row = 0; row < VECTOR_LENGTH; row++)
			chunk_case_add_float(&input,
								 (double) (int64_t) (unit_random() % 2000000 - 1000000) / power);
		chunk_case_check(&input, "digits", "decimal");
		chunk_case_free(&input);
	}
}

/* Any bit pattern, signalling NaNs among them. */
UNIT_TEST(chunk_float_patterns)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_FLOAT64, CLASS_FLOAT);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_int(&input,
						   (int64_t) (unit_random() | (row % 2 ? UINT64_C(0x7ff) << 52 : 0)));
	chunk_case_check(&input, "patterns", NULL);
	chunk_case_free(&input);
}

/* Small chunks are small: tens of bytes where there is little to say. */
UNIT_TEST(chunk_small)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_INT64, CLASS_SIGNED);
	for (uint32_t row = 0; row < 20; row++)
		chunk_case_add_int(&input, 1000 + row);
	UNIT_CHECK(chunk_case_check(&input, "twenty", NULL) <= 48);
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		chunk_case_add_int(&input, 12345);
	UNIT_CHECK(chunk_case_check(&input, "constant", "constant") <= 40);
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		chunk_case_set_null(&input, row);
	UNIT_CHECK(chunk_case_check(&input, "all null", "null") <= 24);
	chunk_case_free(&input);
}

/* 128-bit sums, counted again with a plain loop. */
UNIT_TEST(chunk_sum)
{
	static const ValueClass classes[] = {CLASS_SIGNED, CLASS_UNSIGNED};

	for (int i = 0; i < 2; i++)
	{
		unsigned __int128 sum = 0;
		ChunkSummary summary;
		ChunkCase	input;
		ByteBuffer	output;

		chunk_case_init(&input, VALUE_INT64, classes[i]);
		for (uint32_t row = 0; row < 5000; row++)
		{
			int64_t		value = (int64_t) unit_random();

			chunk_case_add_int(&input, value);
			if (row % 3 == 0)
				chunk_case_set_null(&input, row);
			else
				sum += i == 0 ? (unsigned __int128) value : (uint64_t) value;
		}
		bytebuffer_init(&output, &unit_allocator);
		chunk_case_encode(&input, &output, &summary);
		UNIT_CHECK(summary.has_sum);
		UNIT_CHECK(summary.sum_low == (uint64_t) sum);
		UNIT_CHECK(summary.sum_high == (int64_t) (sum >> 64));
		bytebuffer_free(&output);
		chunk_case_free(&input);
	}
}

UNIT_TEST(chunk_distinct)
{
	ChunkSummary summary;
	ChunkCase	input;
	ByteBuffer	output;

	chunk_case_init(&input, VALUE_INT32, CLASS_SIGNED);
	bytebuffer_init(&output, &unit_allocator);
	for (uint32_t ndistinct = 1; ndistinct <= CHUNK_MAX_ROWS; ndistinct *= 4)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
			chunk_case_add_int(&input, row % ndistinct * 7);
		chunk_case_encode(&input, &output, &summary);
		UNIT_CHECKF(fabs(summary.ndistinct - (double) ndistinct) <= 0.03 * ndistinct,
					"%u distinct instead of %u", summary.ndistinct, ndistinct);
	}
	bytebuffer_free(&output);
	chunk_case_free(&input);
}
