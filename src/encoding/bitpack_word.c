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

static ALWAYS_INLINE void
narrow_groups(const uint8_t *in, size_t ngroups, int width, void *out,
			  int out_size, LoadWord load)
{
	const uint64_t mask = unpack_mask(width);
	size_t		i = 0;

#define OFFSET(k) const size_t offset##k = (k) * width / 8
#define SHIFT(k) const int shift##k = (k) * width % 8
#define VALUE(k) \
	store_value(out, i + (k), load(in + offset##k) >> shift##k & mask, out_size)

	OFFSET(1);
	OFFSET(2);
	OFFSET(3);
	OFFSET(4);
	OFFSET(5);
	OFFSET(6);
	OFFSET(7);
	SHIFT(1);
	SHIFT(2);
	SHIFT(3);
	SHIFT(4);
	SHIFT(5);
	SHIFT(6);
	SHIFT(7);

	for (; ngroups > 0; ngroups--)
	{
		store_value(out, i, load(in) & mask, out_size);
		VALUE(1);
		VALUE(2);
		VALUE(3);
		VALUE(4);
		VALUE(5);
		VALUE(6);
		VALUE(7);
		in += width;
		i += UNPACK_GROUP;
	}

#undef OFFSET
#undef SHIFT
#undef VALUE
}

/*
 * Widths 58 to 63.  A shift of 0 never needs the ninth byte, and 64 - 0 would
 * be an undefined shift, hence the two steps.
 */
static ALWAYS_INLINE void
wide_groups(const uint8_t *in, size_t ngroups, int width, uint64_t *out,
			LoadWord load)
{
	const uint64_t mask = unpack_mask(width);

	for (; ngroups > 0; ngroups--)
	{
		for (int k = 0; k < UNPACK_GROUP; k++)
		{
			const uint8_t *from = in + k * width / 8;
			int			shift = k * width % 8;
			uint64_t	value = load(from) >> shift;

			value |= (uint64_t) from[8] << 1 << (63 - shift);
			out[k] = value & mask;
		}
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
