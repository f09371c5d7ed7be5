/*
 * bitpack_avx512.c
 *		The unpack kernel for x86_64 CPUs with AVX-512 VBMI and VBMI2.
 *
 * 64 bytes are loaded, which hold the values of a step whatever the width.
 * Each 64-bit lane takes the eight bytes that its values, one to eight of them,
 * begin in (vpermb), and from these cuts the output's bytes, each of eight bits
 * that begin at any bit (vpmultishiftqb); one value is shifted down (vpsrlvq),
 * which can run beside the permutation.  Where the values of a lane reach
 * over nine bytes - 31 bits in four bytes, some from 59 on in eight - lanes of
 * the output's own size take two neighbouring words, which are shifted together
 * (vpshrdv).  Then what lies above the width is masked off.
 */
#include "encoding/bitpack_kernel.h"

#ifdef UNPACK_HAS_X86

#include <immintrin.h>

#define FN(name) avx512_##name
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")))
#define VECTOR_INLINE inline __attribute__((always_inline)) TARGET
#define VECTOR_SIZE 64
#define LAST_LOAD 64

typedef __m512i Vector;

typedef struct Form
{
	Vector		gather;			/* which bytes of the input */
	Vector		next;			/* those of the word behind; wide */
	Vector		shift;			/* how far down, or from which bit each byte */
	Vector		mask;
} Form;

/* Bits of the values in a 64-bit lane. */
static inline int
lane_bits(int width, int out_size)
{
	return width * (8 / out_size);
}

static inline UnpackWay
avx512_unpack_way(int width, int out_size)
{
	return out_size >= 4 && unpack_window(lane_bits(width, out_size)) > 64 ?
		UNPACK_WIDE : UNPACK_NEAR;
}

static VECTOR_INLINE Vector
avx512_vector_set(uint64_t value, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm512_set1_epi8((char) value);
		case 2:
			return _mm512_set1_epi16((short) value);
		case 4:
			return _mm512_set1_epi32((int) value);
		default:
			return _mm512_set1_epi64((long long) value);
	}
}

/* The first byte of each 64-bit lane, in all its bytes. */
static VECTOR_INLINE Vector
spread_quads(Vector v)
{
	return _mm512_shuffle_epi8(v, _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0));
}

static VECTOR_INLINE Vector
spread_words(Vector v)
{
	return _mm512_shuffle_epi8(v, _mm512_set4_epi32(0x0c0c0c0c, 0x08080808,
													0x04040404, 0));
}

/* The bit that each byte of a lane's values begins at, less the first's. */
static inline uint64_t
byte_starts(int width, int out_size)
{
	switch (out_size)
	{
		case 1:
			return width * UINT64_C(0x0706050403020100);
		case 2:
			return width * UINT64_C(0x0303020201010000) + UINT64_C(0x0800080008000800);
		default:
			return width * UINT64_C(0x0101010100000000) + UINT64_C(0x1810080018100800);
	}
}

static VECTOR_INLINE Form
avx512_form_make(int width, int out_size, UnpackWay way)
{
	const Vector quads = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	const Vector words = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7,
										   8, 9, 10, 11, 12, 13, 14, 15);
	Vector		bits;
	Form		form;

	form.mask = avx512_vector_set(unpack_mask(width), out_size);
	if (way == UNPACK_WIDE && out_size == 4)
	{
		bits = _mm512_mullo_epi32(words, _mm512_set1_epi32(width));
		form.shift = _mm512_and_si512(bits, _mm512_set1_epi32(7));
		form.gather = _mm512_add_epi8(spread_words(_mm512_srli_epi32(bits, 3)),
									  _mm512_set1_epi32(0x03020100));
		form.next = _mm512_add_epi8(form.gather, _mm512_set1_epi8(4));
		return form;
	}
	bits = _mm512_mul_epu32(quads,
							_mm512_set1_epi64(lane_bits(width, out_size)));
	form.shift = _mm512_and_si512(bits, _mm512_set1_epi64(7));
	form.gather = _mm512_add_epi8(spread_quads(_mm512_srli_epi64(bits, 3)),
								  _mm512_set1_epi64(0x0706050403020100));
	form.next = _mm512_add_epi8(form.gather, _mm512_set1_epi8(8));
	if (way == UNPACK_NEAR && out_size < 8)
		form.shift = _mm512_add_epi8(spread_quads(form.shift),
									 _mm512_set1_epi64((long long) byte_starts(width, out_size)));
	return form;
}

/* Bytes behind the 64 that are loaded turn up in spare values only. */
static VECTOR_INLINE void
avx512_form_move(Form *form, size_t nbytes)
{
	const Vector distance = _mm512_set1_epi8((char) nbytes);

	form->gather = _mm512_add_epi8(form->gather, distance);
	form->next = _mm512_add_epi8(form->next, distance);
}

/* Bytes behind the input's 64 are asked for only where they are masked off. */
static VECTOR_INLINE Vector
avx512_vector_unpack(const Form *form, const uint8_t *in, int part,
					 int out_size, UnpackWay way)
{
	Vector		bytes = _mm512_loadu_si512(in);
	Vector		first = _mm512_permutexvar_epi8(form->gather, bytes);
	Vector		next;

	if (way == UNPACK_NEAR && out_size == 8)
		return _mm512_and_si512(_mm512_srlv_epi64(first, form->shift), form->mask);
	if (way == UNPACK_NEAR)
		return _mm512_and_si512(_mm512_multishift_epi64_epi8(form->shift, first),
								form->mask);
	next = _mm512_permutexvar_epi8(form->next, bytes);
	return _mm512_and_si512(out_size == 4 ?
							_mm512_shrdv_epi32(first, next, form->shift) :
							_mm512_shrdv_epi64(first, next, form->shift),
							form->mask);
}

static VECTOR_INLINE void
avx512_vector_store(void *out, Vector v)
{
	_mm512_storeu_si512(out, v);
}

static VECTOR_INLINE Vector
avx512_vector_add(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm512_add_epi8(a, b);
		case 2:
			return _mm512_add_epi16(a, b);
		case 4:
			return _mm512_add_epi32(a, b);
		default:
			return _mm512_add_epi64(a, b);
	}
}

static VECTOR_INLINE Vector
avx512_vector_max(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm512_max_epu8(a, b);
		case 2:
			return _mm512_max_epu16(a, b);
		case 4:
			return _mm512_max_epu32(a, b);
		default:
			return _mm512_max_epu64(a, b);
	}
}

static VECTOR_INLINE Vector
avx512_vector_min(Vector a, Vector b, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm512_min_epu8(a, b);
		case 2:
			return _mm512_min_epu16(a, b);
		case 4:
			return _mm512_min_epu32(a, b);
		default:
			return _mm512_min_epu64(a, b);
	}
}

static VECTOR_INLINE Vector
avx512_vector_halve(Vector v, int out_size, bool is_max)
{
	Vector		other = _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(1, 0, 3, 2));

	v = is_max ? avx512_vector_max(v, other, out_size) :
		avx512_vector_min(v, other, out_size);
	other = _mm512_shuffle_i64x2(v, v, _MM_SHUFFLE(2, 3, 0, 1));
	return is_max ? avx512_vector_max(v, other, out_size) :
		avx512_vector_min(v, other, out_size);
}

static VECTOR_INLINE uint64_t
avx512_vector_between(Vector v, Vector low, Vector span, int out_size)
{
	switch (out_size)
	{
		case 1:
			return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, low), span);
		case 2:
			return _mm512_cmple_epu16_mask(_mm512_sub_epi16(v, low), span);
		case 4:
			return _mm512_cmple_epu32_mask(_mm512_sub_epi32(v, low), span);
		default:
			return _mm512_cmple_epu64_mask(_mm512_sub_epi64(v, low), span);
	}
}

/* Lanes of twice the size never overflow within a vector's values. */
static VECTOR_INLINE void
avx512_vector_sums(Vector *sums, Vector v, int out_size)
{
	const Vector halves = _mm512_set1_epi64(0xffffffff);

	switch (out_size)
	{
		case 1:
			v = _mm512_sad_epu8(v, _mm512_setzero_si512());
			sums[0] = _mm512_add_epi64(sums[0], v);
			break;
		case 2:
			sums[0] = _mm512_add_epi32(sums[0],
									   _mm512_and_si512(v, _mm512_set1_epi32(0xffff)));
			sums[1] = _mm512_add_epi32(sums[1], _mm512_srli_epi32(v, 16));
			break;
		default:
			sums[0] = _mm512_add_epi64(sums[0], _mm512_and_si512(v, halves));
			sums[1] = _mm512_add_epi64(sums[1], _mm512_srli_epi64(v, 32));
			break;
	}
}

static VECTOR_INLINE void
avx512_vector_sums_end(Vector *sums, int out_size, PackedSum *sum)
{
	const Vector halves = _mm512_set1_epi64(0xffffffff);
	uint64_t	low;
	uint64_t	high;

	if (out_size == 2)
	{
		sums[0] = _mm512_add_epi32(sums[0], sums[1]);
		sums[1] = _mm512_srli_epi64(sums[0], 32);
		sums[0] = _mm512_and_si512(sums[0], halves);
	}
	low = (uint64_t) _mm512_reduce_add_epi64(sums[0]);
	high = (uint64_t) _mm512_reduce_add_epi64(sums[1]);
	if (out_size == 8)
		packed_sum_add(sum, low, high);
	else
		packed_sum_add(sum, low + high, 0);
}

/* Of lanes of four and eight bytes: each with all those before it. */
static VECTOR_INLINE Vector
avx512_vector_prefix(Vector v, int out_size)
{
	const Vector zero = _mm512_setzero_si512();

	if (out_size == 4)
	{
		v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
		v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
		v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
		return _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
	}
	v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
	v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
	return _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
}

static VECTOR_INLINE Vector
avx512_vector_last(Vector v, int out_size)
{
	return out_size == 4 ?
		_mm512_permutexvar_epi32(_mm512_set1_epi32(15), v) :
		_mm512_permutexvar_epi64(_mm512_set1_epi64(7), v);
}

static VECTOR_INLINE Vector
avx512_vector_ramp(uint64_t step, int out_size)
{
	return out_size == 4 ?
		_mm512_mullo_epi32(_mm512_set1_epi32((int) step),
						   _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
											 12, 13, 14, 15, 16)) :
		_mm512_mullo_epi64(_mm512_set1_epi64((long long) step),
						   _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8));
}

#include "bitpack_vector_template.h"

static bool
avx512_is_available(void)
{
	return __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512vbmi") &&
		__builtin_cpu_supports("avx512vbmi2");
}

const UnpackMethod unpack_method_avx512 = {
	.is_available = avx512_is_available,
	.least_length = LAST_LOAD,
	.copies_native = true,
	.groups = {avx512_unpack_u8, avx512_unpack_u16, avx512_unpack_u32,
	avx512_unpack_u64},
	.add = {avx512_add_u8, avx512_add_u16, avx512_add_u32, avx512_add_u64},
	.delta = {NULL, NULL, avx512_delta_u32, avx512_delta_u64},
	.max = {avx512_max_u8, avx512_max_u16, avx512_max_u32, avx512_max_u64},
	.between = avx512_between,
	.sum = avx512_sum,
	.min_max = avx512_min_max
};

#endif							/* UNPACK_HAS_X86 */
