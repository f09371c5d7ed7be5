/*
 * bench_floats.c
 *		Size and speed of encodings of floats.
 *
 *	bench_floats [4|8 FILE]...
 *
 * Each FILE has a number on each line, nothing where there is NULL, and is read
 * as floats of 4 or 8 bytes; without any, values are made.  Chunks are of
 * 65,536 rows; times are the best of several rounds, in nanoseconds per value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "chunk_walk.h"
#include "encoding/bytebuffer.h"

#define NROUNDS 5
#define MAX_CHUNKS 64

static void *
plain_alloc(void *context, size_t size)
{
	return malloc(size > 0 ? size : 1);
}

static void *
plain_realloc(void *context, void *pointer, size_t size)
{
	return realloc(pointer, size);
}

static void
plain_free(void *context, void *pointer)
{
	free(pointer);
}

static const Allocator plain_allocator = {
	plain_alloc, plain_realloc, plain_free, NULL
};

/* Values of one column. */
typedef struct Column
{
	int			size;
	uint32_t	nrows;
	uint8_t    *values;
	uint8_t    *nulls;
	uint32_t	nnulls;
} Column;

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

/* In [0, 1). */
static double
bench_uniform(void)
{
	return (double) (bench_random() >> 11) * 0x1p-53;
}

static double
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void
column_init(Column *column, int size)
{
	column->size = size;
	column->nrows = 0;
	column->nnulls = 0;
	column->values = calloc(MAX_CHUNKS * (size_t) CHUNK_MAX_ROWS, (size_t) size);
	column->nulls = calloc(MAX_CHUNKS, CHUNK_MAX_ROWS / 8);
}

static void
column_free(Column *column)
{
	free(column->values);
	free(column->nulls);
}

static void
column_add(Column *column, double value)
{
	float		single = (float) value;
	uint8_t    *out = column->values + column->nrows * (size_t) column->size;

	memcpy(out, column->size == 4 ? (void *) &single : (void *) &value,
		   (size_t) column->size);
	column->nrows++;
}

static void
column_read(Column *column, const char *name)
{
	FILE	   *file = fopen(name, "r");
	char		line[400];

	if (file == NULL)
	{
		perror(name);
		exit(1);
	}
	while (column->nrows < MAX_CHUNKS * CHUNK_MAX_ROWS &&
		   fgets(line, sizeof(line), file))
	{
		uint32_t	row = column->nrows;

		if (line[0] == '\n')
		{
			column->nulls[row / 8] |= (uint8_t) (1 << (row % 8));
			column->nnulls++;
			column_add(column, 0);
		}
		else if (column->size == 4)
			column_add(column, strtof(line, NULL));
		else
			column_add(column, strtod(line, NULL));
	}
	fclose(file);
}

typedef struct Encoded
{
	ByteBuffer	chunks[MAX_CHUNKS];
	uint32_t	nrows[MAX_CHUNKS];
	int			nchunks;
	size_t		length;
} Encoded;

static void
encode(const Column *column, Encoded *encoded)
{
	encoded->nchunks = 0;
	encoded->length = 0;
	for (uint32_t first = 0; first < column->nrows; first += CHUNK_MAX_ROWS)
	{
		ByteBuffer *chunk = &encoded->chunks[encoded->nchunks];
		uint32_t	left = column->nrows - first;
		ChunkOptions options;
		ChunkSummary summary;
		ChunkInput	input;

		memset(&input, 0, sizeof(input));
		input.kind = column->size == 4 ? VALUE_FLOAT32 : VALUE_FLOAT64;
		input.value_class = CLASS_FLOAT;
		input.nrows = left < CHUNK_MAX_ROWS ? left : CHUNK_MAX_ROWS;
		input.nulls = column->nnulls > 0 ? column->nulls + first / 8 : NULL;
		input.values = column->values + first * (size_t) column->size;
		chunk_options_init(&options, OPTIMIZE_BALANCE);
		chunk->length = 0;
		chunk_encode(&input, &options, chunk, &summary);
		encoded->length += chunk->length;
		encoded->nrows[encoded->nchunks++] = input.nrows;
	}
}

/* Decode all; counts vectors by encoding if names is not NULL. */
static void
decode(const Column *column, const Encoded *encoded, const char **names,
	   int *counts)
{
	static uint64_t values[VECTOR_LENGTH + DECODE_SLACK_VALUES];

	for (int i = 0; i < encoded->nchunks; i++)
	{
		const char *reason;
		MemorySource memory;
		ChunkReader *reader;

		memory_source_init(&memory, encoded->chunks[i].data,
						   encoded->chunks[i].length);
		reader = chunk_open(&memory.source,
							column->size == 4 ? VALUE_FLOAT32 : VALUE_FLOAT64,
							encoded->nrows[i], &plain_allocator, &reason);
		for (uint32_t vector = 0; vector * VECTOR_LENGTH < encoded->nrows[i]; vector++)
		{
			int			k = 0;

			if (!chunk_decode_fixed(reader, vector, values, &reason))
				abort();
			if (names == NULL)
				continue;
			while (names[k] != NULL && names[k] != chunk_vector_encoding(reader, vector))
				k++;
			names[k] = chunk_vector_encoding(reader, vector);
			counts[k]++;
		}
		chunk_close(reader);
	}
}

static void
measure(const Column *column, const char *name)
{
	static Encoded encoded;
	double		best_encode = 1e30;
	double		best_decode = 1e30;
	const char *names[20] = {NULL};
	int			counts[20] = {0};

	memset(&encoded, 0, sizeof(encoded));
	for (int i = 0; i < MAX_CHUNKS; i++)
		bytebuffer_init(&encoded.chunks[i], &plain_allocator);
	for (int round = 0; round < NROUNDS; round++)
	{
		double		start = now_ns();
		double		between;
		double		end;

		encode(column, &encoded);
		between = now_ns();
		decode(column, &encoded, NULL, NULL);
		end = now_ns();
		best_encode = fmin(best_encode, (between - start) / column->nrows);
		best_decode = fmin(best_decode, (end - between) / column->nrows);
	}
	decode(column, &encoded, names, counts);
	printf("%-28s float%d %8.2f %8.2f %8.2f ", name, column->size,
		   8.0 * (double) encoded.length / column->nrows, best_encode,
		   best_decode);
	for (int k = 0; names[k] != NULL; k++)
		printf(" %s %d", names[k], counts[k]);
	printf("\n");
	for (int i = 0; i < MAX_CHUNKS; i++)
		bytebuffer_free(&encoded.chunks[i]);
}

/* ---- values that are made ---- */

static double walk;

static double
make_price(void)
{
	return floor(exp(bench_uniform() * 6 + 2) * 100) / 100;
}

static double
make_temperature(void)
{
	walk += floor(bench_uniform() * 7 - 3);
	return (200 + walk) / 10;
}

static double
make_coordinate(void)
{
	return floor((bench_uniform() * 360 - 180) * 1e6) / 1e6;
}

static double
make_random(void)
{
	return bench_uniform();
}

static double
make_normal(void)
{
	return sqrt(-2 * log(1 - bench_uniform())) * cos(6.283185307179586 * bench_uniform());
}

static double
make_sum(void)
{
	double		sum = 0;

	for (int i = 0; i < 5; i++)
		sum += floor(bench_uniform() * 10000) / 100;
	return sum;
}

static double
make_mean(void)
{
	return floor(bench_uniform() * 20000) / 744;
}

static double
make_single(void)
{
	return (float) bench_uniform() * 100;
}

static double
make_mixed(void)
{
	return bench_uniform() < 0.05 ? bench_uniform() : floor(bench_uniform() * 1000) / 10;
}

static double
make_smooth(void)
{
	walk += 0.001;
	return sin(walk) * 10;
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		double		(*make) (void);
	}			made[] = {
		{"price", make_price}, {"temperature", make_temperature},
		{"coordinate", make_coordinate}, {"random", make_random},
		{"normal", make_normal}, {"sum of prices", make_sum},
		{"mean of 744", make_mean}, {"single in double", make_single},
		{"1 in 20 random", make_mixed}, {"smooth", make_smooth}
	};
	Column		column;

	printf("%-35s %8s %8s %8s\n", "ns per value", "bits", "encode", "decode");
	for (int i = 1; i + 1 < argc; i += 2)
	{
		column_init(&column, atoi(argv[i]));
		column_read(&column, argv[i + 1]);
		measure(&column, strrchr(argv[i + 1], '/') ?
				strrchr(argv[i + 1], '/') + 1 : argv[i + 1]);
		column_free(&column);
	}
	for (size_t i = 0; argc == 1 && i < sizeof(made) / sizeof(made[0]); i++)
	{
		for (int size = 4; size <= 8; size += 4)
		{
			column_init(&column, size);
			walk = 0;
			while (column.nrows < 4 * CHUNK_MAX_ROWS)
				column_add(&column, made[i].make());
			measure(&column, made[i].name);
			column_free(&column);
		}
	}
	return 0;
}
