/*
 * bitpack_avx2.c
 *		The unpack kernel for x86_64 CPUs with AVX2.
 *
 * AVX2 moves bytes within 16-byte lanes only (vpshufb), so each lane of a
 * vector loads the bytes that its first value begins in, or both load the same
 * where these have the values of both, moves to each value
 * the word that this begins in, shifts every word by its own count (vpsrlv) and
 * masks it.  Values that reach over their word take the word one byte later,
 * too, and shift it the other way.
 *
 * There is no such shift of 16-bit words.  Up to ten bits, and of 12 and 16, a
 * multiplication moves each value to the top of its word, from where one count
 * brings all of them down; other widths are unpacked to 32 bits and packed.
 */
#include "encoding/bitpack_kernel.h"

#ifdef UNPACK_HAS_X86

#include <immintrin.h>

#define FN(name) avx2_##name
#define TARGET __attribute__((target("avx2")))
#define VECTOR_INLINE inline __attribute__((always_inline)) TARGET
#define VECTOR_SIZE 32

/* The furthest that a step reads: three groups on, and there a lane. */
#define READ_AHEAD 32

typedef __m256i Vector;

typedef struct Form
{
	size_t		offset[4];		/* of what the lanes load */
	Vector		gather[2];		/* bytes of a lane */
	Vector		shift[2];		/* counts, or factors of a multiplication */
	Vector		back[2];		/* counts of the word a byte later; wide */
	Vector		mask;
	__m128i		drop;			/* count that brings products down */
} Form;

/* Near: what both lanes need is in the same 16 bytes. */
static inline UnpackWay
avx2_unpack_way(int width, int out_size)
{
	if (out_size > 1 && unpack_window(width) > 8 * out_size)
		return UNPACK_WIDE;
	if (out_size == 8)
		return unpack_window(4 * width) <= 128 ? UNPACK_NEAR : UNPACK_APART;
	if (out_size == 4)
		return 8 * width <= 128 ? UNPACK_NEAR : UNPACK_APART;
	return UNPACK_APART;
}

static VECTOR_INLINE Vector
avx2_vector_set(uint64_t value, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm256_set1_epi8((char) value);
		case 2:
			return _mm256_set1_epi16((short) value);
		case 4:
			return _mm256_set1_epi32((int) value);
		default:
			return _mm256_set1_epi64x((long long) value);
	}
}

/* Numbers of bytes in 32-bit lanes, to those of the words that begin there. */
static VECTOR_INLINE Vector
words_at(Vector bytes)
{
	const Vector spread = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c,
											0, 0x04040404, 0x08080808, 0x0c0c0c0c);

	return _mm256_add_epi8(_mm256_shuffle_epi8(bytes, spread),
						   _mm256_set1_epi32(0x03020100));
}

/* The same for words of eight bytes, from four 32-bit lanes. */
static VECTOR_INLINE Vector
quads_at(__m128i bytes)
{
	const Vector spread = _mm256_setr_epi32(0, 0, 0x08080808, 0x08080808,
											0, 0, 0x08080808, 0x08080808);

	return _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_cvtepu32_epi64(bytes), spread),
						   _mm256_set1_epi64x(0x0706050403020100));
}

/* Eight 32-bit lanes as 16-bit lanes, twice. */
static VECTOR_INLINE Vector
narrow_twice(Vector v)
{
	return _mm256_broadcastsi128_si256(_mm_packus_epi32(_mm256_castsi256_si128(v),
														_mm256_extracti128_si256(v, 1)));
}

/* Where the eight values of a group begin: bytes, and bits of them. */
typedef struct Starts
{
	Vector		bytes;
	Vector		bits;
} Starts;

static VECTOR_INLINE Starts
group_starts(int width)
{
	Vector		all = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
										 _mm256_set1_epi32(width));
	Starts		starts;

	starts.bytes = _mm256_srli_epi32(all, 3);
	starts.bits = _mm256_and_si256(all, _mm256_set1_epi32(7));
	return starts;
}

static VECTOR_INLINE void
form_quads(Form *form, const Starts *starts, int width, UnpackWay way)
{
	const Vector eight = _mm256_set1_epi64x(8);
	int			half = 4 * width / 8;
	Vector		base = way == UNPACK_NEAR ?
		_mm256_setr_epi32(0, 0, 0, 0, half, half, half, half) :
		_mm256_shuffle_epi32(starts->bytes, _MM_SHUFFLE(2, 2, 0, 0));
	Vector		bytes = _mm256_sub_epi32(starts->bytes, base);

	for (int lane = 0; lane < 4; lane++)
		form->offset[lane] = (size_t) (2 * lane * width / 8);
	form->gather[0] = quads_at(_mm256_castsi256_si128(bytes));
	form->gather[1] = quads_at(_mm256_extracti128_si256(bytes, 1));
	form->shift[0] = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(starts->bits));
	form->shift[1] = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(starts->bits, 1));
	form->back[0] = _mm256_sub_epi64(eight, form->shift[0]);
	form->back[1] = _mm256_sub_epi64(eight, form->shift[1]);
}

static VECTOR_INLINE void
form_words(Form *form, const Starts *starts, int width, UnpackWay way)
{
	int			half = way == UNPACK_NEAR ? 0 : 4 * width / 8;
	Vector		base = _mm256_setr_epi32(0, 0, 0, 0, half, half, half, half);

	form->offset[0] = 0;
	form->offset[1] = (size_t) half;
	form->gather[0] = words_at(_mm256_sub_epi32(starts->bytes, base));
	form->shift[0] = starts->bits;
	form->back[0] = _mm256_sub_epi32(_mm256_set1_epi32(8), starts->bits);
}

/* 16-bit outputs by way of 32 bits: first halves of two groups, then second. */
static VECTOR_INLINE void
form_halves(Form *form, const Starts *starts, int width)
{
	Form		words;

	form_words(&words, starts, width, UNPACK_APART);
	form->offset[0] = 0;
	form->offset[1] = (size_t) width;
	form->offset[2] = words.offset[1];
	form->offset[3] = words.offset[1] + (size_t) width;
	form->gather[0] = _mm256_permute2x128_si256(words.gather[0], words.gather[0], 0x00);
	form->gather[1] = _mm256_permute2x128_si256(words.gather[0], words.gather[0], 0x11);
	form->shift[0] = _mm256_permute2x128_si256(words.shift[0], words.shift[0], 0x00);
	form->shift[1] = _mm256_permute2x128_si256(words.shift[0], words.shift[0], 0x11);
	form->mask = avx2_vector_set(unpack_mask(width), 4);
}

/* Lanes of 16 bits, from groups 0 and 2, then 1 and 3; or from 0 and 1. */
static VECTOR_INLINE void
form_products(Form *form, const Starts *starts, int width, int out_size)
{
	Vector		counts = _mm256_sub_epi32(_mm256_set1_epi32(16 - width),
										  starts->bits);
	Vector		bytes = narrow_twice(starts->bytes);

	form->offset[0] = 0;
	form->offset[1] = (size_t) (out_size == 1 ? 2 * width : width);
	form->offset[2] = (size_t) width;
	form->offset[3] = (size_t) (3 * width);
	bytes = _mm256_or_si256(bytes, _mm256_slli_epi16(bytes, 8));
	form->gather[0] = _mm256_add_epi8(bytes, _mm256_set1_epi16(0x0100));
	form->shift[0] = narrow_twice(_mm256_sllv_epi32(_mm256_set1_epi32(1), counts));
	form->drop = _mm_cvtsi32_si128(16 - width);
}

static VECTOR_INLINE Form
avx2_form_make(int width, int out_size, UnpackWay way)
{
	Starts		starts = group_starts(width);
	Form		form;

	form.mask = avx2_vector_set(unpack_mask(width), out_size);
	if (out_size == 8)
		form_quads(&form, &starts, width, way);
	else if (out_size == 4)
		form_words(&form, &starts, width, way);
	else if (way == UNPACK_WIDE)
		form_halves(&form, &starts, width);
	else
		form_products(&form, &starts, width, out_size);
	return form;
}

static VECTOR_INLINE Vector
load_lanes(const uint8_t *in, size_t first, size_t second)
{
	__m128i		low = _mm_loadu_si128((const __m128i *) (in + first));
	__m128i		high = _mm_loadu_si128((const __m128i *) (in + second));

	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/* The bytes of part's values, moved to their words. */
static VECTOR_INLINE Vector
gather_words(const Form *form, const uint8_t *in, int part, UnpackWay way)
{
	const uint8_t *first = in + form->offset[2 * part];
	Vector		bytes = way == UNPACK_NEAR ?
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) first)) :
		load_lanes(in, form->offset[2 * part], form->offset[2 * part + 1]);

	return _mm256_shuffle_epi8(bytes, form->gather[part]);
}

static VECTOR_INLINE Vector
unpack_quads(const Form *form, const uint8_t *in, int part, UnpackWay way)
{
	Vector		v = _mm256_srlv_epi64(gather_words(form, in, part, way),
									  form->shift[part]);

	if (way == UNPACK_WIDE)
		v = _mm256_or_si256(v,
							_mm256_sllv_epi64(gather_words(form, in + 1, part, way),
											  form->back[part]));
	return _mm256_and_si256(v, form->mask);
}

static VECTOR_INLINE Vector
unpack_words(const Form *form, const uint8_t *in, int part, UnpackWay way)
{
	Vector		v = _mm256_srlv_epi32(gather_words(form, in, part, way),
									  form->shift[part]);

	if (way == UNPACK_WIDE)
		v = _mm256_or_si256(v,
							_mm256_sllv_epi32(gather_words(form, in + 1, part, way),
											  form->back[part]));
	return _mm256_and_si256(v, form->mask);
}

static VECTOR_INLINE Vector
unpack_products(const Form *form, const uint8_t *in, int pair)
{
	Vector		v = load_lanes(in, form->offset[2 * pair],
							   form->offset[2 * pair + 1]);

	v = _mm256_mullo_epi16(_mm256_shuffle_epi8(v, form->gather[0]),
						   form->shift[0]);
	return _mm256_srl_epi16(v, form->drop);
}

static VECTOR_INLINE Vector
avx2_vector_unpack(const Form *form, const uint8_t *in, int part,
				   int out_size, UnpackWay way)
{
	switch (out_size)
	{
		case 1:
			return _mm256_packus_epi16(unpack_products(form, in, 0),
									   unpack_products(form, in, 1));
		case 2:
			if (way != UNPACK_WIDE)
				return unpack_products(form, in, 0);
			return _mm256_packus_epi32(unpack_words(form, in, 0, UNPACK_APART),
									   unpack_words(form, in, 1, UNPACK_APART));
		case 4:
			return unpack_words(form, in, 0, way);
		default:
			return unpack_quads(form, in, part, way);
	}
}

static VECTOR_INLINE void
avx2_vector_store(void *out, Vector v)
{
	_mm256_storeu_si256((__m256i *) out, v);
}

static VECTOR_INLINE Vector
avx2_vector_add(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm256_add_epi8(a, b);
		case 2:
			return _mm256_add_epi16(a, b);
		case 4:
			return _mm256_add_epi32(a, b);
		default:
			return _mm256_add_epi64(a, b);
	}
}

/* Lanes of eight bytes are compared with signs: turn the top bits. */
static VECTOR_INLINE Vector
is_greater64(Vector a, Vector b)
{
	const Vector top = _mm256_set1_epi64x(INT64_MIN);

	return _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(b, top));
}

static VECTOR_INLINE Vector
avx2_vector_max(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm256_max_epu8(a, b);
		case 2:
			return _mm256_max_epu16(a, b);
		case 4:
			return _mm256_max_epu32(a, b);
		default:
			return _mm256_blendv_epi8(a, b, is_greater64(b, a));
	}
}

static VECTOR_INLINE Vector
avx2_vector_min(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm256_min_epu8(a, b);
		case 2:
			return _mm256_min_epu16(a, b);
		case 4:
			return _mm256_min_epu32(a, b);
		default:
			return _mm256_blendv_epi8(a, b, is_greater64(a, b));
	}
}

static VECTOR_INLINE Vector
avx2_vector_halve(Vector v, int out_size, bool is_max)
{
	Vector		other = _mm256_permute2x128_si256(v, v, 0x01);

	return is_max ? avx2_vector_max(v, other, out_size) :
		avx2_vector_min(v, other, out_size);
}

static VECTOR_INLINE uint64_t
avx2_vector_between(Vector v, Vector low, Vector span, int out_size)
{
	uint32_t	bits;

	switch (out_size)
	{
		case 1:
			v = _mm256_sub_epi8(v, low);
			v = _mm256_cmpeq_epi8(_mm256_min_epu8(v, span), v);
			return (uint32_t) _mm256_movemask_epi8(v);
		case 2:
			v = _mm256_sub_epi16(v, low);
			v = _mm256_cmpeq_epi16(_mm256_min_epu16(v, span), v);
			bits = (uint32_t) _mm256_movemask_epi8(_mm256_packs_epi16(v, v));
			return (bits & 0xff) | (bits >> 8 & 0xff00);
		case 4:
			v = _mm256_sub_epi32(v, low);
			v = _mm256_cmpeq_epi32(_mm256_min_epu32(v, span), v);
			return (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(v));
		default:
			v = is_greater64(_mm256_sub_epi64(v, low), span);
			return (uint32_t) _mm256_movemask_pd(_mm256_castsi256_pd(v)) ^ 15;
	}
}

/* Lanes of twice the size never overflow within a vector's values. */
static VECTOR_INLINE void
avx2_vector_sums(Vector *sums, Vector v, int out_size)
{
	const Vector halves = _mm256_set1_epi64x(0xffffffff);

	switch (out_size)
	{
		case 1:
			v = _mm256_sad_epu8(v, _mm256_setzero_si256());
			sums[0] = _mm256_add_epi64(sums[0], v);
			break;
		case 2:
			sums[0] = _mm256_add_epi32(sums[0],
									   _mm256_and_si256(v, _mm256_set1_epi32(0xffff)));
			sums[1] = _mm256_add_epi32(sums[1], _mm256_srli_epi32(v, 16));
			break;
		default:
			sums[0] = _mm256_add_epi64(sums[0], _mm256_and_si256(v, halves));
			sums[1] = _mm256_add_epi64(sums[1], _mm256_srli_epi64(v, 32));
			break;
	}
}

static VECTOR_INLINE uint64_t
sum_quads(Vector v)
{
	uint64_t	lanes[4];

	avx2_vector_store(lanes, v);
	return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static VECTOR_INLINE void
avx2_vector_sums_end(Vector *sums, int out_size, PackedSum *sum)
{
	const Vector halves = _mm256_set1_epi64x(0xffffffff);

	if (out_size == 2)
	{
		sums[0] = _mm256_add_epi32(sums[0], sums[1]);
		sums[1] = _mm256_srli_epi64(sums[0], 32);
		sums[0] = _mm256_and_si256(sums[0], halves);
	}
	if (out_size == 8)
		packed_sum_add(sum, sum_quads(sums[0]), sum_quads(sums[1]));
	else
		packed_sum_add(sum, sum_quads(_mm256_add_epi64(sums[0], sums[1])), 0);
}

/* Of lanes of four and eight bytes: each with all those before it. */
static VECTOR_INLINE Vector
avx2_vector_prefix(Vector v, int out_size)
{
	Vector		first;

	if (out_size == 4)
	{
		v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
		v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
		first = _mm256_permute2x128_si256(v, v, 0x08);
		return _mm256_add_epi32(v, _mm256_shuffle_epi32(first, 0xff));
	}
	v = _mm256_add_epi64(v, _mm256_slli_si256(v, 8));
	first = _mm256_permute2x128_si256(v, v, 0x08);
	return _mm256_add_epi64(v, _mm256_unpackhi_epi64(first, first));
}

static VECTOR_INLINE Vector
avx2_vector_last(Vector v, int out_size)
{
	return out_size == 4 ?
		_mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7)) :
		_mm256_permute4x64_epi64(v, 0xff);
}

static VECTOR_INLINE Vector
avx2_vector_ramp(uint64_t step, int out_size)
{
	return out_size == 4 ?
		_mm256_mullo_epi32(_mm256_set1_epi32((int) step),
						   _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8)) :
		_mm256_setr_epi64x((long long) step, (long long) (2 * step),
						   (long long) (3 * step), (long long) (4 * step));
}

#include "bitpack_vector_template.h"

static bool
avx2_is_available(void)
{
	return __builtin_cpu_supports("avx2");
}

const UnpackMethod unpack_method_avx2 = {
	.is_available = avx2_is_available,
	.read_ahead = READ_AHEAD,
	.copies_native = true,
	.groups = {avx2_unpack_u8, avx2_unpack_u16, avx2_unpack_u32,
	avx2_unpack_u64},
	.add = {avx2_add_u8, avx2_add_u16, avx2_add_u32, avx2_add_u64},
	.delta = {NULL, NULL, avx2_delta_u32, avx2_delta_u64},
	.max = {avx2_max_u8, avx2_max_u16, avx2_max_u32, avx2_max_u64},
	.between = avx2_between,
	.sum = avx2_sum,
	.min_max = avx2_min_max
};

#endif							/* UNPACK_HAS_X86 */
