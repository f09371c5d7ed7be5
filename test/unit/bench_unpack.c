/*
 * bench_unpack.c
 *		Decoding speed of bit-packing and Simple64 on fresh data.
 *
 * Vectors of 1,024 values; 256 different ones take turns, because a branch
 * predictor learns one by heart, and more would not stay in the second cache.
 * Times are the best of several rounds and kernels take turns within a round,
 * so that ratios hold on a busy machine.  The exit status is 1 if a goal is
 * missed; each is a ratio of two times.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"
#include "encoding/simple64.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NVECTORS 256
#define NROUNDS 12

static uint64_t values[NVECTORS][VECTOR_LENGTH];
static uint8_t packed[NVECTORS * VECTOR_LENGTH * 8];
static uint8_t *packed_at[NVECTORS];	/* one behind the other */
static size_t packed_length[NVECTORS];
static uint64_t out[VECTOR_LENGTH + DECODE_SLACK_VALUES]
			__attribute__((aligned(64)));
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
typedef void (*BenchDecode) (size_t i, int width, int out_size,
							 const UnpackMethod *method);

/* Best time of one vector, in ns, over windows of so many vectors. */
static double
time_window(BenchDecode decode, size_t first, size_t nvectors, int width,
			int out_size, const UnpackMethod *method)
{
	double		start = now_ns();

	for (size_t i = 0; i < nvectors; i++)
	{
		decode((first + i) % NVECTORS, width, out_size, method);
		sink += out[i % VECTOR_LENGTH];
	}
	return (now_ns() - start) / nvectors;
}

static PackedValues
packed_vector(size_t i, int width)
{
	PackedValues vector = {
		packed_at[i], packed_length[i], 0, VECTOR_LENGTH, width
	};

	return vector;
}

static void
unpack_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);

	unpack_run(method, &vector, out, out_size);
}

/* The per-bit loop as a reader would first write it, with a test per bit. */
static void
unpack_vector_by_bits(size_t i, int width, int out_size,
					  const UnpackMethod *method)
{
	const uint8_t *in = packed_at[i];
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

/* What plain values would cost, as fresh as the packed ones. */
static void
copy_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	memcpy(out, (uint8_t *) values + i * VECTOR_LENGTH * out_size,
		   VECTOR_LENGTH * out_size);
}

/* What no kernel can beat: the same from the first cache. */
static void
copy_cached(size_t i, int width, int out_size, const UnpackMethod *method)
{
	memcpy(out, values[i % 2], VECTOR_LENGTH * out_size);
}

static void
make_packed(int width)
{
	size_t		length = bitpack_length(VECTOR_LENGTH, width);

	for (size_t i = 0; i < NVECTORS; i++)
	{
		for (size_t k = 0; k < VECTOR_LENGTH; k++)
			values[i][k] = bench_random() & unpack_mask(width);
		packed_at[i] = packed + i * length;
		packed_length[i] = length;
		bitpack_pack(values[i], VECTOR_LENGTH, width, packed_at[i]);
	}
}

static double
least(double best, double now)
{
	return best == 0 || now < best ? now : best;
}

/* Each time against the goal that it has here. */
static bool
reaches(const char *what, int width, int out_size, double ratio, double goal)
{
	if (ratio >= goal)
		return true;
	printf("goal missed: %s at width %d, u%d: %.1f times, not %.1f\n", what,
		   width, out_size * 8, ratio, goal);
	return false;
}

static void
print_kernel_names(int first)
{
	for (int kernel = first; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) != NULL)
			printf(" %8s", bitpack_kernel_name(kernel));
	}
}

/* Best times of a decoder by each kernel, 0 where there is none such. */
static void
time_kernels(BenchDecode decode, int first, size_t start, int width,
			 int out_size, double *best)
{
	for (int kernel = first; kernel < UNPACK_NKERNELS; kernel++)
	{
		const UnpackMethod *method = unpack_method_find(kernel);

		if (method != NULL)
			best[kernel] = least(best[kernel],
								 time_window(decode, start,
											 kernel == UNPACK_BIT ? 64 : NVECTORS,
											 width, out_size, method));
	}
}

static void
print_times(int first, const double *best)
{
	for (int kernel = first; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) != NULL)
			printf(" %8.0f", best[kernel]);
	}
}

/*
 * Goals of the vector kernels, where values are not copied.  Outputs of eight
 * bytes are limited by stores, values that reach over their word by loads; the
 * shortest outputs of all stay in the first cache, where a copy is two or three
 * instructions per line.
 */
static bool
unpack_goals(int width, int out_size, const double *best, double copy)
{
	double		word = best[UNPACK_WORD];
	bool		is_limited = out_size == 8 || width > 25;
	bool		reached = true;

	if (width > 57 || width == 8 * out_size)
		return true;
	if (best[UNPACK_AVX2] > 0)
		reached &= reaches("avx2 to word", width, out_size,
						   word / best[UNPACK_AVX2], is_limited ? 2 : 3.5);
	if (best[UNPACK_AVX512] > 0)
	{
		reached &= reaches("avx512 to word", width, out_size,
						   word / best[UNPACK_AVX512], is_limited ? 3 : 5);
		if (out_size >= 4)
			reached &= reaches("avx512 to memcpy", width, out_size,
							   copy / best[UNPACK_AVX512], 0.7);
	}
	return reached;
}

/* Prints one line. */
static bool
bench_width(int width, int out_size)
{
	double		loop = 0;
	double		copy = 0;
	double		cached = 0;
	double		best[UNPACK_NKERNELS] = {0};
	bool		reached;

	make_packed(width);
	for (int round = 0; round < NROUNDS; round++)
	{
		size_t		first = (size_t) round * 97;

		loop = least(loop, time_window(unpack_vector_by_bits, first,
									   NVECTORS / 8, width, 8, NULL));
		copy = least(copy, time_window(copy_vector, first, NVECTORS, width,
									   out_size, NULL));
		cached = least(cached, time_window(copy_cached, first, NVECTORS, width,
										   out_size, NULL));
		time_kernels(unpack_vector, UNPACK_AUTO, first, width, out_size, best);
	}

	printf("%5d  u%-3d %9.0f", width, out_size * 8, loop);
	print_times(UNPACK_BIT, best);
	printf(" %8.0f %8.0f %8.1f %8.1f\n", copy, cached,
		   loop / best[UNPACK_AUTO], best[UNPACK_WORD] / best[UNPACK_AUTO]);
	reached = unpack_goals(width, out_size, best, copy);
	if (width == 8)
		reached &= reaches("spec to loop", width, out_size,
						   loop / best[UNPACK_SPECIAL], 15);
	if (width == 32)
		reached &= reaches("spec to loop", width, out_size,
						   loop / best[UNPACK_SPECIAL], 60);
	return reached;
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
	print_kernel_names(UNPACK_BIT);
	printf(" %8s %8s %8s %8s\n", "memcpy", "cached", "x loop", "x word");

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
	{
		int			width = widths[i];

		reached &= bench_width(width, 8);
		if (width <= 8)
			reached &= bench_width(width, 1);
		else if (width <= 16)
			reached &= bench_width(width, 2);
		if (width <= 32)
			reached &= bench_width(width, 4);
	}
	return reached;
}

static void
add_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);

	unpack_add_run(method, &vector, i, out, out_size);
}

static void
delta_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);

	unpack_delta_run(method, &vector, i, 3, out, out_size);
}

static void
max_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);
	uint64_t	max;

	unpack_max_run(method, &vector, out, out_size, &max);
	sink += max;
}

static void
between_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);

	between_run(method, &vector, unpack_mask(width) / 4,
				unpack_mask(width) / 2, out);
}

static void
sum_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);
	PackedSum	sum;

	sum_run(method, &vector, &sum);
	sink += sum.low;
}

static void
min_max_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	PackedValues vector = packed_vector(i, width);
	PackedRange range;

	min_max_run(method, &vector, &range);
	sink += range.min + range.max;
}

/* A form, and how many times faster than "word" and a pass AVX2 must be. */
typedef struct BenchForm
{
	const char *name;
	BenchDecode decode;
	int			out_size;
	double		goal;
} BenchForm;

/*
 * The kernels without fused forms pass over what they have unpacked: so does
 * the last column, by the fastest kernel that has them.
 */
static bool
bench_form(const BenchForm *form, int width)
{
	UnpackMethod passing = *unpack_method_find(UNPACK_AUTO);
	UnpackMethod plain = {
		.read_ahead = passing.read_ahead,
		.least_length = passing.least_length,
		.copies_native = passing.copies_native
	};
	double		best[UNPACK_NKERNELS] = {0};
	double		passed = 0;

	memcpy(plain.groups, passing.groups, sizeof(plain.groups));
	make_packed(width);
	for (int round = 0; round < NROUNDS; round++)
	{
		size_t		first = (size_t) round * 97;

		time_kernels(form->decode, UNPACK_WORD, first, width, form->out_size,
					 best);
		passed = least(passed, time_window(form->decode, first, NVECTORS,
										   width, form->out_size, &plain));
	}
	printf("%-8s u%-3d %5d", form->name, form->out_size * 8, width);
	print_times(UNPACK_WORD, best);
	printf(" %8.0f\n", passed);
	if (best[UNPACK_AVX2] == 0)
		return true;
	return reaches(form->name, width, form->out_size,
				   best[UNPACK_WORD] / best[UNPACK_AVX2], form->goal);
}

static bool
bench_forms(void)
{
	static const BenchForm forms[] = {
		{"add", add_vector, 8, 3.5},
		{"add", add_vector, 4, 3.5},
		{"delta", delta_vector, 8, 1.8},
		{"delta", delta_vector, 4, 1.8},
		{"max", max_vector, 2, 3.5},
		{"between", between_vector, 8, 4},
		{"sum", sum_vector, 8, 4},
		{"min_max", min_max_vector, 8, 4}
	};
	static const int widths[] = {7, 13, 23};
	bool		reached = true;

	printf("\nfused forms, ns per %d values\nform     out  width",
		   VECTOR_LENGTH);
	print_kernel_names(UNPACK_WORD);
	printf(" %8s\n", "and pass");
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); k++)
		{
			if (widths[k] <= 8 * forms[i].out_size)
				reached &= bench_form(&forms[i], widths[k]);
		}
	}
	return reached;
}

static volatile bool is_interrupted;
static uint64_t interrupt_checks;

static void
check_interrupts(void)
{
	if (is_interrupted)
		interrupt_checks++;
}

/* What it costs to check for interrupts between vectors. */
static bool
bench_interrupts(void)
{
	double		without = 0;
	double		with = 0;
	const UnpackMethod *method = unpack_method_find(UNPACK_AUTO);

	make_packed(7);
	for (int round = 0; round < 10 * NROUNDS; round++)
	{
		encoding_check_interrupts = NULL;
		without = least(without, time_window(unpack_vector, 0, NVECTORS, 7, 4,
											 method));
		encoding_check_interrupts = check_interrupts;
		with = least(with, time_window(unpack_vector, 0, NVECTORS, 7, 4,
									   method));
	}
	encoding_check_interrupts = NULL;
	printf("\nunpack at width 7, u32: %.1f ns, with interrupt checks %.1f\n",
		   without, with);
	return reaches("without checks to with", 7, 4, without / with, 0.98);
}

static void
decode_vector(size_t i, int width, int out_size, const UnpackMethod *method)
{
	const char *reason;

	simple64_decode(packed_at[i], packed_length[i], out, VECTOR_LENGTH, &reason);
}

/* Value by value, as a decoder without unrolling does. */
static void
decode_vector_plainly(size_t i, int width, int out_size, const UnpackMethod *method)
{
	static const uint8_t bits[16] = {
		0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60
	};
	size_t		done = 0;

	for (size_t at = 0; at < packed_length[i]; at += 8)
	{
		uint64_t	word = load_le64(packed_at[i] + at);
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
encode_vector(size_t i, int width, int out_size, const UnpackMethod *method)
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
		packed_at[i] = packed + length;
		packed_length[i] = simple64_encode(values[i], VECTOR_LENGTH,
										   packed_at[i]);
		length += packed_length[i];
	}
	for (int round = 0; round < NROUNDS; round++)
	{
		size_t		first = (size_t) round * 97;

		plain = least(plain, time_window(decode_vector_plainly, first, NVECTORS,
										 0, 8, NULL));
		unrolled = least(unrolled, time_window(decode_vector, first, NVECTORS,
											   0, 8, NULL));
		encode = least(encode, time_window(encode_vector, first, NVECTORS,
										   0, 8, NULL));
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
pack_vector(size_t i, int width, int out_size, const UnpackMethod *method)
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
										   NVECTORS, widths[i], 8, NULL));
		printf("%5d %9.0f\n", widths[i], best);
	}
}

int
main(void)
{
	bool		reached = bench_unpack();

	reached &= bench_forms();
	reached &= bench_interrupts();
	bench_simple64();
	bench_pack();
	printf("\ngoals %s\n", reached ? "reached" : "missed");
	return !reached;
}
