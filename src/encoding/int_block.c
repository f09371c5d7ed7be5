/*
 * int_block.c
 *		Vectors of fixed width through a block codec.
 *
 * For values that no light encoding makes small: floats of full precision and
 * integers of very uneven frequency.  The bytes are first sorted by their
 * place in the value, all least significant bytes first, because the upper
 * bytes of neighbours resemble each other and the lower ones do not.
 *
 * A compressed byte costs about a nanosecond to open, where unpacking costs a
 * third of that per value, so a good deal must be saved.
 */
#include "encoding/base.h"

#include "encoding/block_codec.h"

/*
 * Bytes must fall by one in so many to pay for the slower decoding, and by one
 * in so many of those that decoding has to produce: a decoded 64-bit vector
 * takes 6 to 8 us, where unpacking takes a half.
 */
typedef struct BlockLimits
{
	uint32_t	advantage_divisor;
	uint32_t	saving_divisor;
} BlockLimits;

static const BlockLimits block_limits[] = {
	[OPTIMIZE_SPEED] = {2, 4},
	[OPTIMIZE_BALANCE] = {5, 8},
	[OPTIMIZE_SIZE] = {50, 64}
};

/* Below this many bytes the light encodings are good enough. */
#define BLOCK_MIN_LENGTH 256

static void
split_bytes(const IntVector *vector, uint8_t *out)
{
	for (int byte = 0; byte < vector->type.size; byte++)
	{
		int			shift = 8 * byte;

		for (uint32_t i = 0; i < vector->nvalues; i++)
			*out++ = (uint8_t) ((uint64_t) vector->values[i] >> shift);
	}
}

/*
 * Compress planes to out.  Where size counts the lowest level of zstd is tried,
 * too: it does not look for repetitions that are hardly there, and entropy alone
 * takes 3 % less of a few thousand bytes of pixels.
 */
static size_t
compress_planes(const IntOptions *options, const uint8_t *planes, size_t raw,
				uint8_t *out)
{
	BlockCodec	codec = (BlockCodec) options->codec;
	size_t		length = block_codec_compress(codec, options->codec_level,
											  planes, raw, out);
	uint8_t		again[9 * VECTOR_LENGTH];
	size_t		again_length;

	if (options->optimize != OPTIMIZE_SIZE || codec != CODEC_ZSTD ||
		options->codec_level == 1 ||
		block_codec_bound(codec, raw) > sizeof(again))
		return length;
	again_length = block_codec_compress(codec, 1, planes, raw, again);
	if (again_length > 0 && (length == 0 || again_length < length))
	{
		memcpy(out, again, again_length);
		length = again_length;
	}
	return length;
}

size_t
int_block_encode(const IntVector *vector, const IntOptions *options,
				 size_t light, uint8_t *out)
{
	const BlockLimits *limits = &block_limits[options->optimize];
	BlockCodec	codec = (BlockCodec) options->codec;
	uint8_t		planes[8 * VECTOR_LENGTH];
	size_t		raw = (size_t) vector->nvalues * (size_t) vector->type.size;
	size_t		length;

	if (light < BLOCK_MIN_LENGTH || light < raw / limits->saving_divisor ||
		block_codec_bound(codec, raw) + 1 > 16 * VECTOR_LENGTH)
		return 0;
	split_bytes(vector, planes);
	length = compress_planes(options, planes, raw, out + 1);
	if (length == 0 || length + 1 > light - light / limits->advantage_divisor ||
		light - length < raw / limits->saving_divisor)
		return 0;
	out[0] = (uint8_t) codec;
	return length + 1;
}

/*
 * Decompress the planes, to the work space; NULL if they are damaged.
 */
static const uint8_t *
open_planes(const uint8_t *in, size_t length, size_t raw, IntScratch *scratch,
			const char **reason)
{
	uint8_t    *planes = (uint8_t *) scratch->values;

	if (length >= 1 &&
		block_codec_decompress((BlockCodec) in[0], in + 1, length - 1,
							   planes, raw))
		return planes;
	*reason = "compressed vector is damaged";
	return NULL;
}

/*
 * Put planes from first on together, two at a time, onto what is there.  The
 * loops' length is a constant so that compilers vectorise them; they may run
 * into the slack of values and of the work space.
 */
#define JOIN_PLANES(type, first) \
	do { \
		const uint8_t *__restrict low = planes + (size_t) (first) * nvalues; \
		const uint8_t *__restrict high = low + nvalues; \
		type	   *__restrict out = values; \
		for (uint32_t i = 0; i < nvalues; i += VECTOR_STEP) \
		{ \
			for (int k = 0; k < VECTOR_STEP; k++) \
			{ \
				type		pair = (type) (low[i + k] | high[i + k] << 8); \
				type		rest = (first) == 0 ? 0 : out[i + k]; \
				out[i + k] = (type) (rest | pair << (8 * (first))); \
			} \
		} \
	} while (0)

static void
join_planes(const uint8_t *planes, int size, uint32_t nvalues, void *values)
{
	switch (size)
	{
		case 1:
			memcpy(values, planes, nvalues);
			break;
		case 2:
			JOIN_PLANES(uint16_t, 0);
			break;
		case 4:
			JOIN_PLANES(uint32_t, 0);
			JOIN_PLANES(uint32_t, 2);
			break;
		default:
			JOIN_PLANES(uint64_t, 0);
			JOIN_PLANES(uint64_t, 2);
			JOIN_PLANES(uint64_t, 4);
			JOIN_PLANES(uint64_t, 6);
			break;
	}
}

bool
int_block_decode(const uint8_t *in, size_t length, IntType type,
				 uint32_t nvalues, void *values,
				 IntScratch *scratch, const char **reason)
{
	size_t		raw = (size_t) nvalues * (size_t) type.size;
	const uint8_t *planes = open_planes(in, length, raw, scratch, reason);

	if (planes == NULL)
		return false;
	join_planes(planes, type.size, nvalues, values);
	return true;
}

bool
int_block_decode_value(const uint8_t *in, size_t length, IntType type,
					   uint32_t nvalues, uint32_t position, uint64_t *value,
					   IntScratch *scratch, const char **reason)
{
	size_t		raw = (size_t) nvalues * (size_t) type.size;
	const uint8_t *planes = open_planes(in, length, raw, scratch, reason);

	if (planes == NULL)
		return false;
	*value = 0;
	for (int byte = 0; byte < type.size; byte++)
		*value |= (uint64_t) planes[(size_t) byte * nvalues + position] <<
			(8 * byte);
	return true;
}
