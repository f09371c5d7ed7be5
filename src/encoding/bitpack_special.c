/*
 * bitpack_special.c
 *		The width-specialised unpack kernel: one function per width and output.
 *
 * With the width a constant, every offset, shift and mask of the eight values
 * of a group is one too, and a macro writes out the functions.  More values
 * per step are no faster and cost a hundred kilobytes of code.  This is the
 * kernel of CPUs for which there is nothing better.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef void (*UnpackWidth) (const uint8_t *in, size_t ngroups, void *out);

/*
 * Value k of a group.  All but in is constant, so one load is what remains for
 * widths to 57 and where the ninth byte is not reached.  Up to eight bits, the
 * whole group is in its first word, which the compiler loads once.
 */
static ALWAYS_INLINE uint64_t
group_value(const uint8_t *in, int width, int k)
{
	int			bit = k * width;
	uint64_t	value;

	if (width <= 8)
		return load_le64(in) >> bit & unpack_mask(width);

	value = load_le64(in + bit / 8) >> (bit % 8);
	if (bit % 8 + width > 64)
		value |= (uint64_t) in[bit / 8 + 8] << (64 - bit % 8);
	return value & unpack_mask(width);
}

#define DEFINE_WIDTH(bits, width) \
static void \
unpack_u##bits##_##width(const uint8_t *in, size_t ngroups, void *out) \
{ \
	uint##bits##_t *values = out; \
\
	for (; ngroups > 0; ngroups--) \
	{ \
		values[0] = (uint##bits##_t) group_value(in, width, 0); \
		values[1] = (uint##bits##_t) group_value(in, width, 1); \
		values[2] = (uint##bits##_t) group_value(in, width, 2); \
		values[3] = (uint##bits##_t) group_value(in, width, 3); \
		values[4] = (uint##bits##_t) group_value(in, width, 4); \
		values[5] = (uint##bits##_t) group_value(in, width, 5); \
		values[6] = (uint##bits##_t) group_value(in, width, 6); \
		values[7] = (uint##bits##_t) group_value(in, width, 7); \
		in += width; \
		values += UNPACK_GROUP; \
	} \
}

#define WIDTHS_8(apply, bits) \
	apply(bits, 1) apply(bits, 2) apply(bits, 3) apply(bits, 4) \
	apply(bits, 5) apply(bits, 6) apply(bits, 7) apply(bits, 8)

#define WIDTHS_16(apply, bits) \
	WIDTHS_8(apply, bits) \
	apply(bits, 9) apply(bits, 10) apply(bits, 11) apply(bits, 12) \
	apply(bits, 13) apply(bits, 14) apply(bits, 15) apply(bits, 16)

#define WIDTHS_32(apply, bits) \
	WIDTHS_16(apply, bits) \
	apply(bits, 17) apply(bits, 18) apply(bits, 19) apply(bits, 20) \
	apply(bits, 21) apply(bits, 22) apply(bits, 23) apply(bits, 24) \
	apply(bits, 25) apply(bits, 26) apply(bits, 27) apply(bits, 28) \
	apply(bits, 29) apply(bits, 30) apply(bits, 31) apply(bits, 32)

#define WIDTHS_64(apply, bits) \
	WIDTHS_32(apply, bits) \
	apply(bits, 33) apply(bits, 34) apply(bits, 35) apply(bits, 36) \
	apply(bits, 37) apply(bits, 38) apply(bits, 39) apply(bits, 40) \
	apply(bits, 41) apply(bits, 42) apply(bits, 43) apply(bits, 44) \
	apply(bits, 45) apply(bits, 46) apply(bits, 47) apply(bits, 48) \
	apply(bits, 49) apply(bits, 50) apply(bits, 51) apply(bits, 52) \
	apply(bits, 53) apply(bits, 54) apply(bits, 55) apply(bits, 56) \
	apply(bits, 57) apply(bits, 58) apply(bits, 59) apply(bits, 60) \
	apply(bits, 61) apply(bits, 62) apply(bits, 63) apply(bits, 64)

#define TABLE_ENTRY(bits, width) unpack_u##bits##_##width,

/* The functions for outputs of one size, and the kernel that picks one. */
#define DEFINE_KERNEL(bits) \
WIDTHS_##bits(DEFINE_WIDTH, bits) \
\
static const UnpackWidth widths_u##bits[] = { \
	NULL, \
	WIDTHS_##bits(TABLE_ENTRY, bits) \
}; \
\
static void \
special_unpack_u##bits(const uint8_t *in, size_t ngroups, int width, \
					   void *out) \
{ \
	widths_u##bits[width](in, ngroups, out); \
}

DEFINE_KERNEL(8)
DEFINE_KERNEL(16)
DEFINE_KERNEL(32)
DEFINE_KERNEL(64)

const UnpackMethod unpack_method_special = {
	.read_ahead = 8,
	.copies_native = true,
	.groups = {special_unpack_u8, special_unpack_u16, special_unpack_u32,
	special_unpack_u64}
};
