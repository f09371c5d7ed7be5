/*
 * fuzz_bitpack.c
 *		Unpacking of arbitrary bytes: all kernels agree on values and verdict.
 *
 *	offset	size	input
 *	0		1		width
 *	1		1		output size
 *	2		2		start, at most 4095
 *	4		2		number of values, at most 4095
 *	6				packed bytes
 */
#include "encoding/bitpack_kernel.h"
#include "fuzz.h"

#define MAX_VALUES 4095

static uint8_t want[(MAX_VALUES + DECODE_SLACK_VALUES) * 8];
static uint8_t got[(MAX_VALUES + DECODE_SLACK_VALUES) * 8];

/* Values that were unpacked pack to the same bits. */
static void
check_pack(const uint8_t *in, size_t start, size_t nvalues, int width)
{
	uint8_t		packed[MAX_VALUES * 8];
	uint64_t	again[MAX_VALUES + DECODE_SLACK_VALUES];
	size_t		length = bitpack_length(nvalues, width);

	bitpack_pack((uint64_t *) want, nvalues, width, packed);
	FUZZ_CHECK(bitpack_padding_is_zero(packed, nvalues, width));
	FUZZ_CHECK(bitpack_unpack(packed, length, 0, nvalues, width, again, 8));
	FUZZ_CHECK(memcmp(again, want, nvalues * 8) == 0);
	if (start == 0 && bitpack_padding_is_zero(in, nvalues, width))
		FUZZ_CHECK(memcmp(packed, in, length) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t		head[6];
	int			width;
	int			out_size;
	size_t		start;
	size_t		nvalues;
	uint8_t    *in;
	bool		is_valid;

	fuzz_take(&data, &size, head, sizeof(head));
	width = (int8_t) head[0];
	out_size = head[1] % 10;
	start = (head[2] | head[3] << 8) & 4095;
	nvalues = (head[4] | head[5] << 8) & MAX_VALUES;
	in = fuzz_copy(data, size);

	is_valid = bitpack_unpack_with(UNPACK_BIT, in, size, start, nvalues, width,
								   want, out_size);
	for (int kernel = UNPACK_WORD; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) == NULL)
			continue;
		FUZZ_CHECK(bitpack_unpack_with(kernel, in, size, start, nvalues, width,
									   got, out_size) == is_valid);
		if (is_valid)
			FUZZ_CHECK(memcmp(got, want, nvalues * out_size) == 0);
	}
	if (is_valid && out_size == 8)
		check_pack(in, start, nvalues, width);
	free(in);
	return 0;
}
