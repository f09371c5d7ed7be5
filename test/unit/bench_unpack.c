/*
 * bench_unpack.c
 *		Decoding speed of bit-packing and Simple64 on fresh data.
 *
 * Vectors of 1,024 values; 512 different ones take turns, because a branch
 * predictor learns one by heart.  Times are the best of several rounds and
 * kernels take turns within a round, so that ratios hold on a busy machine.
 * The exit status is 1 if the portable kernel misses its goals against the
 * per-bit loop: 15 times at width 8, 60 times at width 32.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"
#include "encoding/simple64.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NVECTORS 512
#define NROUNDS 12

static uint64_t values[NVECTORS][VECTOR_LENGTH];
static uint8_t packed[NVECTORS][VECTOR_LENGTH * 8];
static size_t packed_length[NVECTORS];
static uint64_t out[VECTOR_LENGTH + DECODE_SLACK_VALUES];
static uint64_t random_state = 1;
static volatile uint64_t sink;

/* splitmix64 */
static uint64_t
bench_random(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* Decode vector number i in one way; what is measured. */
typedef void (*BenchDecode) (size_t i, int width, int out_size, int kernel);

/* Best time of one vector, in ns, over windows of so many vectors. */
static double
time_window(BenchDecode decode, size_t first, size_t nvectors, int width,
			int out_size, int kernel)
{
	double		start = now_ns();

	for (size_t i = 0; i < nvectors; i++)
	{
		decode((first + i) % NVECTORS, width, out_size, kernel);
		sink += out[i % VECTOR_LENGTH];
	}
	return (now_ns() - start) / nvectors;
}

static void
unpack_vector(size_t i, int width, int out_size, int kernel)
{
	bitpack_unpack_with(kernel, packed[i], packed_length[i], 0, VECTOR_LENGTH,
						width, out, out_size);
}

/* The per-bit loop as a reader would first write it, with a test per bit. */
static void
unpack_vector_by_bits(size_t i, int width, int out_size, int kernel)
{
	const uint8_t *in = packed[i];
	size_t		bit = 0;

	for (size_t k = 0; k < VECTOR_LENGTH; k++)
	{
		uint64_t	value = 0;

		for (int b = 0; b < width; b++, bit++)
		{
			if (in[bit / 8] & (1 << (bit % 8)))
				value |= UINT64_C(1) << b;
		}
		out[k] = value;
	}
}

static void
copy_vector(size_t i, int width, int out_size, int kernel)
{
	memcpy(out, values[i], VECTOR_LENGTH * out_size);
}

static void
make_packed(int width)
{
	for (size_t i = 0; i < NVECTORS; i++)
	{
		for (size_t k = 0; k < VECTOR_LENGTH; k++)
			values[i][k] = bench_random() & unpack_mask(width);
		bitpack_pack(values[i], VECTOR_LENGTH, width, packed[i]);
		packed_length[i] = bitpack_length(VECTOR_LENGTH, width);
	}
}

static double
least(double best, double now)
{
	return best == 0 || now < best ? now : best;
}

/* Prints one line; returns how many times faster than the per-bit loop. */
static double
bench_width(int width, int out_size)
{
	double		loop = 0;
	double		copy = 0;
	double		best[UNPACK_NKERNELS] = {0};

	make_packed(width);
	for (int round = 0; round < NROUNDS; round++)
	{
		size_t		first = (size_t) round * 97;

		loop = least(loop, time_window(unpack_vector_by_bits, first,
									   NVECTORS / 8, width, 8, 0));
		copy = least(copy, time_window(copy_vector, first, NVECTORS, width,
									   out_size, 0));
		for (int kernel = UNPACK_AUTO; kernel < UNPACK_NKERNELS; kernel++)
		{
			if (unpack_method_find(kernel) != NULL)
				best[kernel] = least(best[kernel],
									 time_window(unpack_vector, first,
												 kernel == UNPACK_BIT ? 64 : NVECTORS,
												 width, out_size, kernel));
		}
	}

	printf("%5d  u%-3d %9.0f", width, out_size * 8, loop);
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) != NULL)
			printf(" %8.0f", best[kernel]);
	}
	printf(" %8.0f %8.1f %8.1f\n", copy, loop / best[UNPACK_AUTO],
		   best[UNPACK_BIT] / best[UNPACK_AUTO]);
	return loop / best[UNPACK_AUTO];
}

static bool
bench_unpack(void)
{
	static const int widths[] = {
		1, 2, 3, 4, 7, 8, 10, 12, 13, 16, 20, 23, 31, 32, 40, 57, 58, 63, 64
	};
	bool		reached = true;

	printf("unpack, ns per %d values of fresh data\n", VECTOR_LENGTH);
	printf("width  out   bit loop");
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) != NULL)
			printf(" %8s", bitpack_kernel_name(kernel));
	}
	printf(" %8s %8s %8s\n", "memcpy", "x loop", "x bit");

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		int			width = widths[i];
		double		ratio = bench_width(width, 8);

		if (width <= 8)
			bench_width(width, 1);
		else if (width <= 16)
			bench_width(width, 2);
		if (width <= 32)
			bench_width(width, 4);
		if ((width == 8 && ratio < 15) || (width == 32 && ratio < 60))
			reached = false;
	}
	return reached;
}

static void
decode_vector(size_t i, int width, int out_size, int kernel)
{
	const char *reason;

	simple64_decode(packed[i], packed_length[i], out, VECTOR_LENGTH, &reason);
}

/* Value by value, as a decoder without unrolling does. */
static void
decode_vector_plainly(size_t i, int width, int out_size, int kernel)
{
	static const uint8_t bits[16] = {
		0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60
	};
	size_t		done = 0;

	for (size_t at = 0; at < packed_length[i]; at += 8)
	{
		uint64_t	word = load_le64(packed[i] + at);
		int			selector = (int) (word >> 60);
		int			nbits = bits[selector];
		int			count = nbits > 0 ? 60 / nbits :
			(int) (word >> 36 & 0xffffff);

		for (int k = 0; k < count && done < VECTOR_LENGTH; k++, done++)
			out[done] = nbits > 0 ? word >> (k * nbits) & unpack_mask(nbits) :
				word & unpack_mask(36);
	}
}

static void
encode_vector(size_t i, int width, int out_size, int kernel)
{
	simple64_encode(values[i], VECTOR_LENGTH, (uint8_t *) out);
}

static uint64_t
uniform_value(uint64_t limit)
{
	return bench_random() % limit;
}

static void
bench_simple64_data(const char *name, uint64_t limit, uint64_t outlier)
{
	double		plain = 0;
	double		unrolled = 0;
	double		encode = 0;
	size_t		length = 0;

	for (size_t i = 0; i < NVECTORS; i++)
	{
		for (size_t k = 0; k < VECTOR_LENGTH; k++)
			values[i][k] = uniform_value(outlier > 0 && bench_random() % 20 == 0 ?
										 outlier : limit);
		packed_length[i] = simple64_encode(values[i], VECTOR_LENGTH, packed[i]);
		length += packed_length[i];
	}
	for (int round = 0; round < NROUNDS; round++)
	{
		size_t		first = (size_t) round * 97;

		plain = least(plain, time_window(decode_vector_plainly, first, NVECTORS,
										 0, 8, 0));
		unrolled = least(unrolled, time_window(decode_vector, first, NVECTORS,
											   0, 8, 0));
		encode = least(encode, time_window(encode_vector, first, NVECTORS,
										   0, 8, 0));
	}
	printf("%-24s %6.2f %9.0f %9.0f %6.2f %9.2f\n", name,
		   length * 8.0 / NVECTORS / VECTOR_LENGTH, plain, unrolled,
		   plain / unrolled, encode / VECTOR_LENGTH);
}

static void
bench_simple64(void)
{
	printf("\nSimple64, ns per %d values; encoding in ns per value\n",
		   VECTOR_LENGTH);
	printf("%-24s %6s %9s %9s %6s %9s\n", "data", "bits", "plain", "unrolled",
		   "ratio", "encode");
	bench_simple64_data("uniform below 8", 8, 0);
	bench_simple64_data("uniform below 200", 200, 0);
	bench_simple64_data("uniform below 4096", 4096, 0);
	bench_simple64_data("below 8, 5 % below 2^20", 8, UINT64_C(1) << 20);
	bench_simple64_data("zeros, 5 % below 2", 1, 2);
}

/* Packing at a few widths, in ns per value. */
static void
pack_vector(size_t i, int width, int out_size, int kernel)
{
	bitpack_pack(values[i], VECTOR_LENGTH, width, (uint8_t *) out);
}

static void
bench_pack(void)
{
	static const int widths[] = {3, 13, 23, 57, 64};

	printf("\npack, ns per %d values\n", VECTOR_LENGTH);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		double		best = 0;

		make_packed(widths[i]);
		for (int round = 0; round < NROUNDS; round++)
			best = least(best, time_window(pack_vector, (size_t) round * 97,
										   NVECTORS, widths[i], 8, 0));
		printf("%5d %9.0f\n", widths[i], best);
	}
}

int
main(void)
{
	bool		reached = bench_unpack();

	bench_simple64();
	bench_pack();
	printf("\ngoals %s: 15 times the bit loop at width 8, 60 times at 32\n",
		   reached ? "reached" : "missed");
	return !reached;
}
