/*
 * fuzz_int_vector.c
 *		Decoding of arbitrary bytes as one vector, in every encoding and width.
 *
 *	offset	size	input
 *	0		1		encoding, with the flag of dense vectors
 *	1		1		type
 *	2		2		number of values less one
 *	4				the vector
 *
 * All kernels must come to the same values and the same verdict.
 */
#include "encoding/bitpack.h"
#include "encoding/byteorder.h"
#include "encoding/int_vector.h"
#include "fuzz.h"

static const IntType types[] = {
	{1, true, false}, {2, true, false}, {4, true, false}, {8, true, false},
	{1, false, false}, {2, false, false}, {4, false, false}, {8, false, false},
	{4, false, true}, {8, false, true}
};

#define NTYPES (sizeof(types) / sizeof(types[0]))

static uint64_t want[VECTOR_LENGTH + DECODE_SLACK_VALUES];
static uint64_t got[VECTOR_LENGTH + DECODE_SLACK_VALUES];
static IntScratch scratch;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t	nulls[VECTOR_LENGTH / 64];
	const char *reason = NULL;
	uint8_t		head[4];
	uint32_t	nvalues;
	IntType		type;
	uint8_t    *in;
	bool		is_valid;

	fuzz_take(&data, &size, head, sizeof(head));
	type = types[head[1] % NTYPES];
	nvalues = load_le16(head + 2) % VECTOR_LENGTH + UINT32_C(1);
	for (int i = 0; i < VECTOR_LENGTH / 64; i++)
		nulls[i] = UINT64_C(0x9249249249249249) * (head[1] / NTYPES);
	in = fuzz_copy(data, size);

	bitpack_set_kernel(UNPACK_BIT);
	is_valid = int_vector_decode(head[0], in, size, type, nvalues, nulls, want,
								 &scratch, &reason);
	FUZZ_CHECK(is_valid || reason != NULL);
	bitpack_set_kernel(UNPACK_AUTO);
	FUZZ_CHECK(int_vector_decode(head[0], in, size, type, nvalues, nulls, got,
								 &scratch, &reason) == is_valid);
	if (is_valid)
		FUZZ_CHECK(memcmp(want, got, nvalues * (size_t) type.size) == 0);
	free(in);
	return 0;
}
