/*
 * byte_planes.c
 *		Bytes sorted by their place in words of two or four bytes.
 *
 * Arrays of integers compress better, and faster, when all least significant
 * bytes come first: the upper ones are mostly alike.
 */
#include "encoding/base.h"

#include "encoding/block_codec.h"
#include "encoding/byteorder.h"

/* Words that the loops below handle at once; a constant, to be vectorised. */
#define PLANE_STEP 16

void
byte_planes_split(const uint8_t *in, size_t length, int shift, uint8_t *out)
{
	size_t		stride = (size_t) 1 << shift;
	size_t		nwords = length >> shift;

	for (size_t plane = 0; plane < stride; plane++)
	{
		for (size_t i = 0; i < nwords; i++)
			*out++ = in[(i << shift) + plane];
	}
	memcpy(out, in + (nwords << shift), length - (nwords << shift));
}

/* Join PLANE_STEP words from i on. */
#define JOIN_WORDS(type, word) \
	do { \
		for (; i + PLANE_STEP <= nwords; i += PLANE_STEP) \
		{ \
			type		words[PLANE_STEP]; \
			for (size_t k = 0; k < PLANE_STEP; k++) \
				words[k] = (type) (word); \
			memcpy(out + i * sizeof(type), words, sizeof(words)); \
		} \
	} while (0)

#define PLANE(n) ((uint32_t) in[(n) * nwords + i + k])

/* Join words on a little-endian host; returns the number of words joined. */
static size_t
join_words(const uint8_t *in, size_t nwords, int shift, uint8_t *out)
{
	size_t		i = 0;

	if (HOST_IS_BIG_ENDIAN)
		return 0;
	if (shift == 1)
		JOIN_WORDS(uint16_t, PLANE(0) | PLANE(1) << 8);
	else if (shift == 2)
		JOIN_WORDS(uint32_t, PLANE(0) | PLANE(1) << 8 | PLANE(2) << 16 |
				   PLANE(3) << 24);
	return i;
}

void
byte_planes_join(const uint8_t *in, size_t length, int shift, uint8_t *out)
{
	size_t		stride = (size_t) 1 << shift;
	size_t		nwords = length >> shift;

	for (size_t i = join_words(in, nwords, shift, out); i < nwords; i++)
	{
		for (size_t plane = 0; plane < stride; plane++)
			out[(i << shift) + plane] = in[plane * nwords + i];
	}
	memcpy(out + (nwords << shift), in + (nwords << shift),
		   length - (nwords << shift));
}
