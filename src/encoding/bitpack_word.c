/*
 * bitpack_word.c
 *		The plain unpack kernels: per bit, per word, per assembled word.
 *
 * The per-bit kernel is the oracle: slow, and too simple to be wrong.  The
 * word kernel loads the 64-bit word that a value begins in; the eight offsets
 * and shifts of a group are the same for all groups, so they are computed once
 * a call.  The bytes kernel is the same code with loads put together from
 * single bytes: it shows on any host that no result depends on byte order.
 *
 * Width classes: up to 57 bits a value and its shift (at most 7) fit one word;
 * from 58 on a ninth byte may be needed; 64-bit values are whole words.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef uint64_t (*LoadWord) (const uint8_t *in);

/* Widest value that one word holds whatever its start bit. */
#define ONE_WORD_WIDTH 57

static ALWAYS_INLINE void
store_value(void *out, size_t i, uint64_t value, int out_size)
{
	switch (out_size)
	{
		case 1:
			((uint8_t *) out)[i] = (uint8_t) value;
			break;
		case 2:
			((uint16_t *) out)[i] = (uint16_t) value;
			break;
		case 4:
			((uint32_t *) out)[i] = (uint32_t) value;
			break;
		default:
			((uint64_t *) out)[i] = value;
			break;
	}
}

static ALWAYS_INLINE void
bit_groups(const uint8_t *in, size_t ngroups, int width, void *out,
		   int out_size)
{
	size_t		bit = 0;

	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
	{
		uint64_t	value = 0;

		for (int k = 0; k < width; k++, bit++)
			value |= (uint64_t) (in[bit / 8] >> (bit % 8) & 1) << k;
		store_value(out, i, value, out_size);
	}
}

static uint64_t
load_by_bytes(const uint8_t *in)
{
	uint64_t	word = 0;

	for (int i = 0; i < 8; i++)
		word |= (uint64_t) in[i] << (8 * i);
	return word;
}

/* What all values of a group need to know; K is 0 to 7. */
#define OFFSET(k) const size_t offset##k = (k) * width / 8
#define SHIFT(k) const int shift##k = (k) * width % 8

#define FOR_GROUP(apply) \
	apply(0); apply(1); apply(2); apply(3); \
	apply(4); apply(5); apply(6); apply(7)

static ALWAYS_INLINE void
narrow_groups(const uint8_t *in, size_t ngroups, int width, void *out,
			  int out_size, LoadWord load)
{
	const uint64_t mask = unpack_mask(width);
	size_t		i = 0;

#define NARROW_VALUE(k) \
	store_value(out, i + (k), load(in + offset##k) >> shift##k & mask, out_size)

	FOR_GROUP(OFFSET);
	FOR_GROUP(SHIFT);

	for (; ngroups > 0; ngroups--)
	{
		FOR_GROUP(NARROW_VALUE);
		in += width;
		i += UNPACK_GROUP;
	}
}

/*
 * Widths 58 to 63.  The word that begins one byte later has the ninth byte;
 * the bits that both have are the same, so the two are or-ed.  This needs no
 * test, and no shift by 64, where a value begins with a byte.
 */
static ALWAYS_INLINE void
wide_groups(const uint8_t *in, size_t ngroups, int width, uint64_t *out,
			LoadWord load)
{
	const uint64_t mask = unpack_mask(width);

#define WIDE_VALUE(k) \
	out[k] = mask & \
		(load(in + offset##k) >> shift##k | \
		 load(in + offset##k + 1) << (8 - shift##k))

	FOR_GROUP(OFFSET);
	FOR_GROUP(SHIFT);

	for (; ngroups > 0; ngroups--)
	{
		FOR_GROUP(WIDE_VALUE);
		in += width;
		out += UNPACK_GROUP;
	}
}

static ALWAYS_INLINE void
whole_groups(const uint8_t *in, size_t ngroups, uint64_t *out, LoadWord load)
{
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
		out[i] = load(in + i * sizeof(uint64_t));
}

static ALWAYS_INLINE void
word_groups(const uint8_t *in, size_t ngroups, int width, void *out,
			int out_size, LoadWord load)
{
	if (out_size < 8 || width <= ONE_WORD_WIDTH)
		narrow_groups(in, ngroups, width, out, out_size, load);
	else if (width < 64)
		wide_groups(in, ngroups, width, out, load);
	else
		whole_groups(in, ngroups, out, load);
}

/* The three kernels for outputs of one size. */
#define DEFINE_KERNELS(bits) \
static void \
bit_unpack_u##bits(const uint8_t *in, size_t ngroups, int width, void *out) \
{ \
	bit_groups(in, ngroups, width, out, (bits) / 8); \
} \
\
static void \
word_unpack_u##bits(const uint8_t *in, size_t ngroups, int width, void *out) \
{ \
	word_groups(in, ngroups, width, out, (bits) / 8, load_le64); \
} \
\
static void \
bytes_unpack_u##bits(const uint8_t *in, size_t ngroups, int width, void *out) \
{ \
	word_groups(in, ngroups, width, out, (bits) / 8, load_by_bytes); \
}

DEFINE_KERNELS(8)
DEFINE_KERNELS(16)
DEFINE_KERNELS(32)
DEFINE_KERNELS(64)

const UnpackMethod unpack_method_bit = {
	.read_ahead = 0,
	.groups = {bit_unpack_u8, bit_unpack_u16, bit_unpack_u32, bit_unpack_u64}
};

const UnpackMethod unpack_method_word = {
	.read_ahead = 8,
	.groups = {word_unpack_u8, word_unpack_u16, word_unpack_u32,
	word_unpack_u64}
};

const UnpackMethod unpack_method_bytes = {
	.read_ahead = 8,
	.groups = {bytes_unpack_u8, bytes_unpack_u16, bytes_unpack_u32,
	bytes_unpack_u64}
};
