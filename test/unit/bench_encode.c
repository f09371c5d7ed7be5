/*
 * bench_encode.c
 *		What encoding a chunk costs, in ns per value, by kind of data.
 *
 * Chunks of 65,536 rows; the best of several rounds.  Times are given without
 * a block codec, which is what the encoders themselves take, and with zstd.
 * The exit status is 1 if the mean without a codec is above 20 ns, which is
 * what a load may spend for a value beyond parsing, codec and log.
 */
#include "encoding/bytebuffer.h"
#include "encoding/numeric_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NROUNDS 5
#define MAX_MEAN_NS 20.0
#define MAX_TEXT 64

/* A column being made; the encoder's input is made of it. */
typedef struct BenchInput
{
	ValueKind	kind;
	uint32_t	nrows;
	uint8_t		nulls[CHUNK_MAX_ROWS / 8];
	int64_t		values[CHUNK_MAX_ROWS];
	uint64_t	offsets[CHUNK_MAX_ROWS + 1];
	uint8_t		bytes[CHUNK_MAX_ROWS * MAX_TEXT];
} BenchInput;

typedef struct BenchColumn
{
	const char *name;
	ValueKind	kind;
	ValueClass	value_class;
	void		(*add) (BenchInput *input, uint32_t row);
} BenchColumn;

static BenchInput bench_input;
static uint64_t random_state = 1;

/* splitmix64 */
static uint64_t
bench_random(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void *
bench_alloc(void *context, size_t size)
{
	return malloc(size);
}

static void *
bench_realloc(void *context, void *pointer, size_t size)
{
	return realloc(pointer, size);
}

static void
bench_free(void *context, void *pointer)
{
	free(pointer);
}

static const Allocator bench_allocator = {
	bench_alloc, bench_realloc, bench_free, NULL
};

static void
add_int(BenchInput *input, int64_t value)
{
	uint32_t	row = input->nrows++;

	switch (input->kind)
	{
		case VALUE_INT16:
			((int16_t *) input->values)[row] = (int16_t) value;
			break;
		case VALUE_INT32:
			((int32_t *) input->values)[row] = (int32_t) value;
			break;
		default:
			input->values[row] = value;
			break;
	}
}

static void
add_float(BenchInput *input, double value)
{
	uint32_t	row = input->nrows++;

	if (input->kind == VALUE_FLOAT32)
		((float *) input->values)[row] = (float) value;
	else
		((double *) input->values)[row] = value;
}

/* Room for the next string; add_string then says how long it is. */
static uint8_t *
string_room(BenchInput *input)
{
	return input->bytes + input->offsets[input->nrows];
}

static void
add_string(BenchInput *input, size_t length)
{
	input->offsets[input->nrows + 1] = input->offsets[input->nrows] + length;
	input->nrows++;
}

static void
add_text(BenchInput *input, const char *format, unsigned a, unsigned b)
{
	add_string(input, (size_t) snprintf((char *) string_room(input), MAX_TEXT,
										format, a, b));
}

static void
add_sequence(BenchInput *input, uint32_t row)
{
	add_int(input, 1000000 + row);
}

static void
add_runs(BenchInput *input, uint32_t row)
{
	add_int(input, row / 37);
}

static void
add_pixel(BenchInput *input, uint32_t row)
{
	add_int(input, bench_random() % 3 ? 0 : bench_random() % 256);
}

static void
add_uniform(BenchInput *input, uint32_t row)
{
	add_int(input, bench_random() % 1000000);
}

static void
add_outliers(BenchInput *input, uint32_t row)
{
	add_int(input, bench_random() % 50 ?
					   bench_random() % 200 : bench_random() % 100000);
}

static void
add_seconds(BenchInput *input, uint32_t row)
{
	add_int(input, (INT64_C(700000000) + 60 * row +
							   bench_random() % 60) * 1000000);
}

static void
add_half_null(BenchInput *input, uint32_t row)
{
	add_int(input, bench_random() % 3000);
	if (row / 50 % 2)
		input->nulls[row / 8] |= (uint8_t) (1 << (row % 8));
}

static void
add_decimal(BenchInput *input, uint32_t row)
{
	add_float(input, (double) (bench_random() % 4000) / 100);
}

static void
add_noise(BenchInput *input, uint32_t row)
{
	add_float(input, (double) bench_random() / 1e15);
}

static void
add_price(BenchInput *input, uint32_t row)
{
	WideInt		cents = {0, bench_random() % 9000000};

	add_string(input, numeric_build(cents, 2, 2, string_room(input)));
}

static void
add_few_texts(BenchInput *input, uint32_t row)
{
	add_text(input, "port %u", (unsigned) (bench_random() % 254), 0);
}

static void
add_many_texts(BenchInput *input, uint32_t row)
{
	add_text(input, "/page/%u/view", (unsigned) (bench_random() % 40000), 0);
}

static void
add_unique_texts(BenchInput *input, uint32_t row)
{
	add_text(input, "item %u of %u", row,
			 (unsigned) (bench_random() % 100000));
}

static const BenchColumn columns[] = {
	{"sequence, int8", VALUE_INT64, CLASS_SIGNED, add_sequence},
	{"runs, int4", VALUE_INT32, CLASS_SIGNED, add_runs},
	{"pixels, int2", VALUE_INT16, CLASS_SIGNED, add_pixel},
	{"uniform, int4", VALUE_INT32, CLASS_SIGNED, add_uniform},
	{"2 % outliers, int4", VALUE_INT32, CLASS_SIGNED, add_outliers},
	{"seconds, timestamp", VALUE_INT64, CLASS_SIGNED, add_seconds},
	{"half NULL, int2", VALUE_INT16, CLASS_SIGNED, add_half_null},
	{"decimals, float8", VALUE_FLOAT64, CLASS_FLOAT, add_decimal},
	{"decimals, float4", VALUE_FLOAT32, CLASS_FLOAT, add_decimal},
	{"noise, float4", VALUE_FLOAT32, CLASS_FLOAT, add_noise},
	{"prices, numeric", VALUE_NUMERIC, CLASS_NUMERIC, add_price},
	{"254 texts", VALUE_BYTES, CLASS_BYTES, add_few_texts},
	{"40,000 texts", VALUE_BYTES, CLASS_BYTES, add_many_texts},
	{"unique texts", VALUE_BYTES, CLASS_BYTES, add_unique_texts}
};

static double
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static double
encode_ns(const ChunkInput *input, BlockCodec codec, double *bits)
{
	ChunkOptions options;
	ByteBuffer	output;
	double		best = 0;

	chunk_options_init(&options, OPTIMIZE_BALANCE);
	options.codec = codec;
	bytebuffer_init(&output, &bench_allocator);
	for (int round = 0; round < NROUNDS; round++)
	{
		ChunkSummary summary;
		double		start = now_ns();
		double		elapsed;

		bytebuffer_reset(&output);
		chunk_encode(input, &options, &output, &summary);
		elapsed = (now_ns() - start) / input->nrows;
		if (round == 0 || elapsed < best)
			best = elapsed;
	}
	*bits = (double) output.length * 8 / input->nrows;
	bytebuffer_free(&output);
	return best;
}

static void
make_input(const BenchColumn *column, ChunkInput *input)
{
	bench_input.kind = column->kind;
	bench_input.nrows = 0;
	memset(bench_input.nulls, 0, sizeof(bench_input.nulls));
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		column->add(&bench_input, row);
	memset(input, 0, sizeof(*input));
	input->kind = column->kind;
	input->value_class = column->value_class;
	input->nrows = bench_input.nrows;
	input->nulls = bench_input.nulls;
	input->values = bench_input.values;
	input->offsets = bench_input.offsets;
	input->bytes = bench_input.bytes;
}

/* With an argument, only columns whose name contains it. */
int
main(int argc, char **argv)
{
	size_t		ncolumns = sizeof(columns) / sizeof(columns[0]);
	double		sum = 0;
	int			nmeasured = 0;

	printf("encoding, ns per value\n");
	printf("%-24s %8s %8s %8s %8s\n", "data", "alone", "zstd", "bits",
		   "zstd bits");
	for (size_t i = 0; i < ncolumns; i++)
	{
		ChunkInput	input;
		double		bits;
		double		zstd_bits;
		double		alone;
		double		zstd;

		if (argc > 1 && strstr(columns[i].name, argv[1]) == NULL)
			continue;
		make_input(&columns[i], &input);
		alone = encode_ns(&input, CODEC_NONE, &bits);
		zstd = encode_ns(&input, CODEC_ZSTD, &zstd_bits);
		printf("%-24s %8.1f %8.1f %8.2f %8.2f\n", columns[i].name, alone,
			   zstd, bits, zstd_bits);
		sum += alone;
		nmeasured++;
	}
	if (nmeasured == 0)
		return 2;
	printf("mean %.1f ns, at most %.0f wanted\n", sum / nmeasured,
		   MAX_MEAN_NS);
	return sum / nmeasured > MAX_MEAN_NS;
}
