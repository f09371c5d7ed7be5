/*
 * bitpack_neon.c
 *		The unpack kernel for aarch64 CPUs, all of which have NEON.
 *
 * As with AVX2, each vector loads the bytes that its first value begins in,
 * moves to each value the word that this begins in (tbl), shifts every word by
 * its own count and masks it; values that reach over their word take the word
 * one byte later, too, and shift it the other way.  NEON shifts words of all
 * sizes, so this one form serves all outputs.
 */
#include "encoding/bitpack_kernel.h"

#ifdef UNPACK_HAS_NEON

#include <arm_neon.h>

#define FN(name) neon_##name
#define TARGET
#define VECTOR_INLINE inline __attribute__((always_inline))
#define VECTOR_SIZE 16
#define VECTOR_PARTS 4			/* of eight values of eight bytes */

typedef uint8x16_t Vector;

typedef struct Form
{
	size_t		offset[VECTOR_PARTS];	/* of what a part loads */
	Vector		gather[VECTOR_PARTS];	/* bytes of that */
	Vector		shift[VECTOR_PARTS];	/* counts to the left, so negative */
	Vector		back[VECTOR_PARTS];	/* of the word a byte later; wide */
	Vector		mask;
} Form;

static inline UnpackWay
neon_unpack_way(int width, int out_size)
{
	return unpack_window(width) > 8 * out_size ? UNPACK_WIDE : UNPACK_NEAR;
}

static VECTOR_INLINE Vector
neon_vector_set(uint64_t value, int out_size)
{
	switch (out_size)
	{
		case 1:
			return vdupq_n_u8((uint8_t) value);
		case 2:
			return vreinterpretq_u8_u16(vdupq_n_u16((uint16_t) value));
		case 4:
			return vreinterpretq_u8_u32(vdupq_n_u32((uint32_t) value));
		default:
			return vreinterpretq_u8_u64(vdupq_n_u64(value));
	}
}

/* One part's lanes, words of out_size bytes of a little-endian machine. */
static VECTOR_INLINE void
form_part(Form *form, int part, int width, int out_size)
{
	int			nlanes = VECTOR_SIZE / out_size;
	int			first = part * nlanes * width;
	uint8_t		gather[VECTOR_SIZE];
	uint8_t		shift[VECTOR_SIZE];
	uint8_t		back[VECTOR_SIZE];

	for (int lane = 0; lane < nlanes; lane++)
	{
		int			bit = first + lane * width;
		uint64_t	byte = (uint64_t) (bit / 8 - first / 8);
		uint64_t	word = byte * UINT64_C(0x0101010101010101) +
			UINT64_C(0x0706050403020100);
		int64_t		count = -(int64_t) (bit % 8);
		int64_t		rest = 8 + count;

		memcpy(gather + lane * out_size, &word, (size_t) out_size);
		memcpy(shift + lane * out_size, &count, (size_t) out_size);
		memcpy(back + lane * out_size, &rest, (size_t) out_size);
	}
	form->offset[part] = (size_t) (first / 8);
	form->gather[part] = vld1q_u8(gather);
	form->shift[part] = vld1q_u8(shift);
	form->back[part] = vld1q_u8(back);
}

static VECTOR_INLINE Form
neon_form_make(int width, int out_size, UnpackWay way)
{
	Form		form;

	form_part(&form, 0, width, out_size);
	if (out_size >= 4)
		form_part(&form, 1, width, out_size);
	if (out_size == 8)
	{
		form_part(&form, 2, width, out_size);
		form_part(&form, 3, width, out_size);
	}
	form.mask = neon_vector_set(unpack_mask(width), out_size);
	return form;
}

/* Shift lanes to the left, each by its own count, or to the right. */
static VECTOR_INLINE Vector
shift_lanes(Vector v, Vector counts, int out_size)
{
	switch (out_size)
	{
		case 1:
			return vshlq_u8(v, vreinterpretq_s8_u8(counts));
		case 2:
			return vreinterpretq_u8_u16(vshlq_u16(vreinterpretq_u16_u8(v),
												  vreinterpretq_s16_u8(counts)));
		case 4:
			return vreinterpretq_u8_u32(vshlq_u32(vreinterpretq_u32_u8(v),
												  vreinterpretq_s32_u8(counts)));
		default:
			return vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(v),
												  vreinterpretq_s64_u8(counts)));
	}
}

static VECTOR_INLINE Vector
neon_vector_unpack(const Form *form, const uint8_t *in, int part,
				   int out_size, UnpackWay way)
{
	const uint8_t *first = in + form->offset[part];
	Vector		v = shift_lanes(vqtbl1q_u8(vld1q_u8(first), form->gather[part]),
								form->shift[part], out_size);

	if (way == UNPACK_WIDE)
		v = vorrq_u8(v, shift_lanes(vqtbl1q_u8(vld1q_u8(first + 1),
											   form->gather[part]),
									form->back[part], out_size));
	return vandq_u8(v, form->mask);
}

static VECTOR_INLINE void
neon_vector_store(void *out, Vector v)
{
	vst1q_u8(out, v);
}

static VECTOR_INLINE Vector
neon_vector_add(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return vaddq_u8(a, b);
		case 2:
			return vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a),
												  vreinterpretq_u16_u8(b)));
		case 4:
			return vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a),
												  vreinterpretq_u32_u8(b)));
		default:
			return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(a),
												  vreinterpretq_u64_u8(b)));
	}
}

/* All bits of the lanes where a is greater. */
static VECTOR_INLINE Vector
is_greater(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return vcgtq_u8(a, b);
		case 2:
			return vreinterpretq_u8_u16(vcgtq_u16(vreinterpretq_u16_u8(a),
												  vreinterpretq_u16_u8(b)));
		case 4:
			return vreinterpretq_u8_u32(vcgtq_u32(vreinterpretq_u32_u8(a),
												  vreinterpretq_u32_u8(b)));
		default:
			return vreinterpretq_u8_u64(vcgtq_u64(vreinterpretq_u64_u8(a),
												  vreinterpretq_u64_u8(b)));
	}
}

static VECTOR_INLINE Vector
neon_vector_max(Vector a, Vector b, int out_size)
{
	return vbslq_u8(is_greater(a, b, out_size), a, b);
}

static VECTOR_INLINE Vector
neon_vector_min(Vector a, Vector b, int out_size)
{
	return vbslq_u8(is_greater(a, b, out_size), b, a);
}

/* A vector has sixteen bytes as it is. */
static VECTOR_INLINE Vector
neon_vector_halve(Vector v, int out_size, bool is_max)
{
	return v;
}

/* Lane k of each eight leaves bit k, and the sum of them is the mask. */
static VECTOR_INLINE uint64_t
neon_vector_between(Vector v, Vector low, Vector span, int out_size)
{
	static const uint8_t bits1[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	static const uint16_t bits2[8] = {1, 2, 4, 8, 16, 32, 64, 128};
	static const uint32_t bits4[4] = {1, 2, 4, 8};
	static const uint64_t bits8[2] = {1, 2};
	Vector		distance = vmvnq_u8(neon_vector_add(vmvnq_u8(v), low, out_size));
	Vector		in = vmvnq_u8(is_greater(distance, span, out_size));

	switch (out_size)
	{
		case 1:
			in = vandq_u8(in, vld1q_u8(bits1));
			return (uint64_t) vaddv_u8(vget_low_u8(in)) |
				(uint64_t) vaddv_u8(vget_high_u8(in)) << 8;
		case 2:
			return vaddvq_u16(vandq_u16(vreinterpretq_u16_u8(in), vld1q_u16(bits2)));
		case 4:
			return vaddvq_u32(vandq_u32(vreinterpretq_u32_u8(in), vld1q_u32(bits4)));
		default:
			return vaddvq_u64(vandq_u64(vreinterpretq_u64_u8(in), vld1q_u64(bits8)));
	}
}

/* Lanes of eight bytes for narrower values; halves of these themselves. */
static VECTOR_INLINE void
neon_vector_sums(Vector *sums, Vector v, int out_size)
{
	uint64x2_t	low = vreinterpretq_u64_u8(sums[0]);
	uint64x2_t	high = vreinterpretq_u64_u8(sums[1]);
	uint32x4_t	words;

	if (out_size == 8)
	{
		uint64x2_t	values = vreinterpretq_u64_u8(v);

		low = vaddq_u64(low, vandq_u64(values, vdupq_n_u64(0xffffffff)));
		high = vaddq_u64(high, vshrq_n_u64(values, 32));
	}
	else
	{
		if (out_size == 1)
			words = vpaddlq_u16(vpaddlq_u8(v));
		else if (out_size == 2)
			words = vpaddlq_u16(vreinterpretq_u16_u8(v));
		else
			words = vreinterpretq_u32_u8(v);
		low = vpadalq_u32(low, words);
	}
	sums[0] = vreinterpretq_u8_u64(low);
	sums[1] = vreinterpretq_u8_u64(high);
}

static VECTOR_INLINE void
neon_vector_sums_end(Vector *sums, int out_size, PackedSum *sum)
{
	packed_sum_add(sum, vaddvq_u64(vreinterpretq_u64_u8(sums[0])),
				   vaddvq_u64(vreinterpretq_u64_u8(sums[1])));
}

/* Of lanes of four and eight bytes: each with all those before it. */
static VECTOR_INLINE Vector
neon_vector_prefix(Vector v, int out_size)
{
	const Vector zero = vdupq_n_u8(0);

	if (out_size == 4)
		v = neon_vector_add(v, vextq_u8(zero, v, 12), out_size);
	return neon_vector_add(v, vextq_u8(zero, v, 8), out_size);
}

static VECTOR_INLINE Vector
neon_vector_last(Vector v, int out_size)
{
	return out_size == 4 ?
		vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(v), 3)) :
		vreinterpretq_u8_u64(vdupq_laneq_u64(vreinterpretq_u64_u8(v), 1));
}

static VECTOR_INLINE Vector
neon_vector_ramp(uint64_t step, int out_size)
{
	const uint32_t words[4] = {
		(uint32_t) step, (uint32_t) (2 * step), (uint32_t) (3 * step),
		(uint32_t) (4 * step)
	};
	const uint64_t quads[2] = {step, 2 * step};

	return out_size == 4 ? vreinterpretq_u8_u32(vld1q_u32(words)) :
		vreinterpretq_u8_u64(vld1q_u64(quads));
}

#include "bitpack_vector_template.h"

/* A part begins in its group, and reads a vector, or one byte more. */
const UnpackMethod unpack_method_neon = {
	.read_ahead = VECTOR_SIZE,
	.copies_native = true,
	.groups = {neon_unpack_u8, neon_unpack_u16, neon_unpack_u32,
	neon_unpack_u64},
	.add = {neon_add_u8, neon_add_u16, neon_add_u32, neon_add_u64},
	.delta = {NULL, NULL, neon_delta_u32, neon_delta_u64},
	.max = {neon_max_u8, neon_max_u16, neon_max_u32, neon_max_u64},
	.between = neon_between,
	.sum = neon_sum,
	.min_max = neon_min_max
};

#endif							/* UNPACK_HAS_NEON */
