/*
 * raw.c
 *		Copies of whole values between little-endian bytes and host memory.
 *
 * The two directions are one operation: a copy on little-endian hosts, and a
 * reversal of each value's bytes, its own inverse, on others.
 */
#include "encoding/byteorder.h"
#include "encoding/raw.h"

static void
swap_copy16(uint8_t *out, const uint8_t *in, size_t nvalues)
{
	uint16_t	value;

	for (size_t i = 0; i < nvalues; i++)
	{
		memcpy(&value, in + i * sizeof(value), sizeof(value));
		value = __builtin_bswap16(value);
		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
}

static void
swap_copy32(uint8_t *out, const uint8_t *in, size_t nvalues)
{
	uint32_t	value;

	for (size_t i = 0; i < nvalues; i++)
	{
		memcpy(&value, in + i * sizeof(value), sizeof(value));
		value = __builtin_bswap32(value);
		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
}

static void
swap_copy64(uint8_t *out, const uint8_t *in, size_t nvalues)
{
	uint64_t	value;

	for (size_t i = 0; i < nvalues; i++)
	{
		memcpy(&value, in + i * sizeof(value), sizeof(value));
		value = __builtin_bswap64(value);
		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
}

static void
swap_copy128(uint8_t *out, const uint8_t *in, size_t nvalues)
{
	uint64_t	half[2];
	uint64_t	swapped[2];

	for (size_t i = 0; i < nvalues; i++)
	{
		memcpy(half, in + i * sizeof(half), sizeof(half));
		swapped[0] = __builtin_bswap64(half[1]);
		swapped[1] = __builtin_bswap64(half[0]);
		memcpy(out + i * sizeof(half), swapped, sizeof(half));
	}
}

static void
raw_copy(uint8_t *out, const uint8_t *in, size_t nvalues, int width)
{
	if (!HOST_IS_BIG_ENDIAN || width == 1)
	{
		if (nvalues > 0)		/* the pointers may be NULL otherwise */
			memcpy(out, in, nvalues * width);
		return;
	}

	switch (width)
	{
		case 2:
			swap_copy16(out, in, nvalues);
			break;
		case 4:
			swap_copy32(out, in, nvalues);
			break;
		case 8:
			swap_copy64(out, in, nvalues);
			break;
		case 16:
			swap_copy128(out, in, nvalues);
			break;
	}
}

static bool
raw_width_is_valid(int width)
{
	return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

void
raw_encode(const void *values, size_t nvalues, int width, uint8_t *out)
{
	ENCODING_ASSERT(raw_width_is_valid(width));
	raw_copy(out, values, nvalues, width);
}

bool
raw_decode(const uint8_t *in, size_t in_length, size_t nvalues, int width,
		   void *values)
{
	/* by division: the product may overflow where nvalues is damaged */
	if (!raw_width_is_valid(width) ||
		in_length % width != 0 || in_length / width != nvalues)
		return false;
	raw_copy(values, in, nvalues, width);
	return true;
}
