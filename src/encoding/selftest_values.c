/*
 * selftest_values.c
 *		Counts and values that the parts of the self-test share.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/selftest.h"

const uint16_t selftest_counts[SELFTEST_NCOUNTS] = {
	0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
	255, 256, 257, 511, 512, 513, 1023, 1024, 1025, SELFTEST_MAX_COUNT
};

const char *
selftest_pattern_name(SelftestPattern pattern)
{
	static const char *const names[SELFTEST_NPATTERNS] = {
		"zeros", "ones", "alternating", "walking bit", "ramp", "random",
		"extremes"
	};

	return names[pattern];
}

/* splitmix64 */
uint64_t
selftest_random(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t
pattern_value(SelftestPattern pattern, size_t i, size_t nvalues, int width,
			  uint64_t *state)
{
	switch (pattern)
	{
		case PATTERN_ZEROS:
			return 0;
		case PATTERN_ONES:
			return ~UINT64_C(0);
		case PATTERN_ALTERNATING:
			return i % 2 == 0 ? UINT64_C(0x5555555555555555) : UINT64_C(0xaaaaaaaaaaaaaaaa);
		case PATTERN_WALKING_BIT:
			return UINT64_C(1) << i % width;
		case PATTERN_RAMP:
			return i;
		case PATTERN_EXTREMES:
			return i == 0 || i == nvalues - 1 ? ~UINT64_C(0) : 0;
		default:
			return selftest_random(state);
	}
}

void
selftest_fill(uint64_t *values, size_t nvalues, int width,
			  SelftestPattern pattern, uint64_t seed)
{
	uint64_t	mask = unpack_mask(width);

	if (width == 0)
	{
		memset(values, 0, nvalues * sizeof(uint64_t));
		return;
	}
	for (size_t i = 0; i < nvalues; i++)
		values[i] = mask & pattern_value(pattern, i, nvalues, width, &seed);
}

void
selftest_pack(const uint64_t *values, size_t nvalues, int width, uint8_t *out)
{
	size_t		bit = 0;

	memset(out, 0, bitpack_length(nvalues, width));
	for (size_t i = 0; i < nvalues; i++)
	{
		for (int k = 0; k < width; k++, bit++)
			out[bit / 8] |= (uint8_t) ((values[i] >> k & 1) << (bit % 8));
	}
}
