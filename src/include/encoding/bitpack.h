/*
 * bitpack.h
 *		LSB-first horizontal bit-packing of widths 0 to 64.
 *
 * Value i occupies bits i * width to (i + 1) * width - 1 of a string of bits
 * whose bit k is bit k % 8 of byte k / 8.  The same bytes on every host.
 */
#ifndef ENCODING_BITPACK_H
#define ENCODING_BITPACK_H

#include "encoding/base.h"

/* Bytes of nvalues packed values. */
static inline size_t
bitpack_length(size_t nvalues, int width)
{
	return (size_t) (((uint64_t) nvalues * (uint64_t) width + 7) / 8);
}

/* Bits that the largest of the or-ed values needs. */
static inline int
bitpack_width(uint64_t all)
{
	/* without a branch: zeros among other values would mislead it */
	return 64 - __builtin_clzll(all | 1) - (all == 0);
}

/*
 * Pack nvalues values, each below 2^width, to bitpack_length bytes at out; pad
 * bits are zero.  Writes nothing behind.
 */
extern void bitpack_pack(const uint64_t *values, size_t nvalues, int width, uint8_t *out);

/*
 * Unpack nvalues values starting with value number start (so bit start *
 * width), from in of in_length bytes, in the output's width: 1, 2, 4 or 8
 * bytes, into which width must fit.  Reads nothing outside in; may write up to
 * DECODE_SLACK_VALUES spare values.  Returns false if in is too short.
 */
extern bool bitpack_unpack(const uint8_t *in, size_t in_length, size_t start,
						   size_t nvalues, int width, void *out, int out_size);

/* True if the pad bits behind nvalues packed values are zero. */
extern bool bitpack_padding_is_zero(const uint8_t *in, size_t nvalues, int width);

/*
 * Unpacking and what follows it, in one pass.  Input, output and result as of
 * bitpack_unpack; what is given out is not touched if the result is false.
 * Fastest where start is a multiple of eight, as a vector's is.
 */

/* Each value plus base, modulo 2^(8 * out_size). */
extern bool bitpack_unpack_add(const uint8_t *in, size_t in_length, size_t start,
							   size_t nvalues, int width, uint64_t base,
							   void *out, int out_size);

/*
 * Sums of deltas: output i is first + i * step + the sum of values 0 to i,
 * modulo 2^(8 * out_size).
 */
extern bool bitpack_unpack_delta(const uint8_t *in, size_t in_length,
								 size_t start, size_t nvalues, int width,
								 uint64_t first, uint64_t step,
								 void *out, int out_size);

/* The values, and the largest of them: 0 if there are none. */
extern bool bitpack_unpack_max(const uint8_t *in, size_t in_length, size_t start,
							   size_t nvalues, int width, void *out,
							   int out_size, uint64_t *max);

/*
 * The same without output of values, for widths 0 to 64.
 */

/*
 * Bit i of mask, which is bit i % 64 of word i / 64, tells whether value i is
 * at least low and at most high.  All of the last word is written; bits behind
 * nvalues are zero.
 */
extern bool bitpack_between(const uint8_t *in, size_t in_length, size_t start,
							size_t nvalues, int width,
							uint64_t low, uint64_t high, uint64_t *mask);

/* The sum is *low + *high * 2^64. */
extern bool bitpack_sum(const uint8_t *in, size_t in_length, size_t start,
						size_t nvalues, int width,
						uint64_t *low, uint64_t *high);

/* UINT64_MAX and 0 if there are no values. */
extern bool bitpack_min_max(const uint8_t *in, size_t in_length, size_t start,
							size_t nvalues, int width,
							uint64_t *min, uint64_t *max);

/* The kernels, so that tests and the setting can name one. */
typedef enum UnpackKernel
{
	UNPACK_AUTO = 0,
	UNPACK_BIT,					/* one bit at a time: the oracle */
	UNPACK_WORD,				/* one unaligned 64-bit word per value */
	UNPACK_BYTES,				/* word path with byte-assembled loads */
	UNPACK_SPECIAL,				/* width-specialised, 8 values per step */
	UNPACK_NEON,				/* aarch64 */
	UNPACK_AVX2,				/* x86_64 */
	UNPACK_AVX512,				/* x86_64 with VBMI and VBMI2 */
	UNPACK_NKERNELS
} UnpackKernel;

extern const char *bitpack_kernel_name(UnpackKernel kernel);

/* Can this CPU, with this build, run the kernel?  AUTO: always. */
extern bool bitpack_kernel_is_available(UnpackKernel kernel);

/* UNPACK_AUTO, and a kernel that is not available, give the fastest that is. */
extern void bitpack_set_kernel(UnpackKernel kernel);

/* False also if the kernel is not available. */
extern bool bitpack_unpack_with(UnpackKernel kernel, const uint8_t *in, size_t in_length,
								size_t start, size_t nvalues, int width,
								void *out, int out_size);

#endif							/* ENCODING_BITPACK_H */
