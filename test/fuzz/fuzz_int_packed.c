/*
 * fuzz_int_packed.c
 *		Looking into arbitrary bytes as one vector, without decoding all of it.
 *
 *	offset	size	input
 *	0		1		encoding, with the flag of dense vectors
 *	1		1		type
 *	2		2		number of values less one
 *	4		8		lower bound
 *	12		8		distance of the upper one
 *	20		8		NULLs, the same 64 over and over
 *	28				the vector
 *
 * What is found must be what decoding finds, and a range that is found in a
 * vector that decoding refuses is as wrong as one that is not.
 */
#include "encoding/byteorder.h"
#include "encoding/int_vector.h"
#include "fuzz.h"

static const IntType types[] = {
	{1, true, false}, {2, true, false}, {4, true, false}, {8, true, false},
	{1, false, false}, {2, false, false}, {4, false, false}, {4, false, true},
	{8, false, false}, {8, false, true}
};

#define NTYPES (sizeof(types) / sizeof(types[0]))

/* Positions at which a value is decoded alone: some encodings take long. */
#define MAX_SINGLES 4

static uint64_t values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
static uint64_t gathered[VECTOR_LENGTH];
static uint16_t positions[VECTOR_LENGTH];
static int64_t wide[VECTOR_LENGTH + DECODE_SLACK_VALUES];
static IntScratch scratch;

/* A decoded value, extended as its type is compared. */
static int64_t
value_at(IntType type, uint32_t i)
{
	int			shift = 64 - 8 * type.size;
	uint64_t	value;

	switch (type.size)
	{
		case 1:
			value = ((uint8_t *) values)[i];
			break;
		case 2:
			value = ((uint16_t *) values)[i];
			break;
		case 4:
			value = ((uint32_t *) values)[i];
			break;
		default:
			value = values[i];
			break;
	}
	return type.is_signed ? (int64_t) (value << shift) >> shift :
		(int64_t) value;
}

/* Sum, extremes and wide form, against the decoded values. */
static void
check_whole(uint8_t encoding, const uint8_t *in, size_t size, IntType type,
			uint32_t nvalues, bool is_valid)
{
	const char *reason = NULL;
	uint64_t	all = 0;
	int64_t		least = INT64_MAX;
	int64_t		greatest = INT64_MIN;
	int64_t		sum;
	int64_t		min;
	int64_t		max;

	for (uint32_t i = 0; is_valid && i < nvalues; i++)
	{
		int64_t		value = value_at(type, i);

		all += (uint64_t) value;
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	if (int_vector_sum(encoding, in, size, type, nvalues, &sum, &reason))
		FUZZ_CHECK(is_valid && (uint64_t) sum == all);
	else
		FUZZ_CHECK(reason == NULL || !is_valid);
	if (int_vector_extremes(encoding, in, size, type, nvalues, &min, &max,
							&reason))
		FUZZ_CHECK(is_valid && min == least && max == greatest);
	else
		FUZZ_CHECK(reason == NULL || !is_valid);
	if (int_vector_decode_wide(encoding, in, size, type, nvalues, wide,
							   &reason))
	{
		for (uint32_t i = 0; i < nvalues; i++)
			FUZZ_CHECK(is_valid && wide[i] == value_at(type, i));
	}
	else
		FUZZ_CHECK(reason == NULL || !is_valid);
}

/* Values at a few positions, each decoded alone, against all of them. */
static void
check_singles(uint8_t encoding, const uint8_t *in, size_t size, IntType type,
			  uint32_t nvalues, const uint64_t *nulls, uint32_t npositions,
			  bool is_valid)
{
	uint64_t	mask = UINT64_MAX >> (64 - 8 * type.size);

	for (uint32_t i = 0; i < npositions && i < MAX_SINGLES; i++)
	{
		uint32_t	position = positions[i];
		const char *reason = NULL;
		uint64_t	value;

		if (bitmap_get(nulls, position))
			continue;
		if (int_vector_decode_value(encoding, in, size, type, nvalues, nulls,
									position, &value, &scratch, &reason))
			FUZZ_CHECK(!is_valid || (value & mask) ==
					   ((uint64_t) value_at(type, position) & mask));
		else
			FUZZ_CHECK(reason == NULL || !is_valid);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t	nulls[VECTOR_LENGTH / 64];
	uint64_t	matches[VECTOR_LENGTH / 64];
	const char *reason = NULL;
	uint8_t		head[28];
	uint32_t	nvalues;
	uint32_t	npositions = 0;
	uint64_t	mask;
	IntType		type;
	uint8_t    *in;
	int64_t		low;
	int64_t		high;
	bool		is_valid;
	bool		is_found;

	fuzz_take(&data, &size, head, sizeof(head));
	type = types[head[1] % NTYPES];
	nvalues = load_le16(head + 2) % VECTOR_LENGTH + UINT32_C(1);
	low = (int64_t) load_le64(head + 4);
	high = (int64_t) ((uint64_t) low + load_le64(head + 12));
	for (int i = 0; i < VECTOR_LENGTH / 64; i++)
		nulls[i] = load_le64(head + 20);
	mask = UINT64_MAX >> (64 - 8 * type.size);
	for (uint32_t i = head[2] % 7; i < nvalues; i += 1 + head[3] / 4)
		positions[npositions++] = (uint16_t) i;
	in = fuzz_copy(data, size);

	is_valid = int_vector_decode(head[0], in, size, type, nvalues, nulls,
								 values, &scratch, &reason);
	is_found = int_vector_between(head[0], in, size, type, nvalues, nulls,
								  low, high, matches, &scratch, &reason);
	FUZZ_CHECK(is_found ? is_valid : reason == NULL || !is_valid);
	for (uint32_t i = 0; is_found && i < nvalues; i++)
		FUZZ_CHECK((nulls[i / 64] >> (i % 64) & 1) ||
				   (matches[i / 64] >> (i % 64) & 1) ==
				   (value_at(type, i) >= low && value_at(type, i) <= high));

	is_found = int_vector_gather(head[0], in, size, type, nvalues, nulls,
								 positions, npositions, gathered, &scratch,
								 &reason);
	FUZZ_CHECK(is_found || reason == NULL || !is_valid);
	for (uint32_t i = 0; is_found && is_valid && i < npositions; i++)
		FUZZ_CHECK((nulls[positions[i] / 64] >> (positions[i] % 64) & 1) ||
				   (gathered[i] & mask) ==
				   ((uint64_t) value_at(type, positions[i]) & mask));
	check_singles(head[0], in, size, type, nvalues, nulls, npositions,
				  is_valid);
	check_whole(head[0], in, size, type, nvalues, is_valid);
	free(in);
	return 0;
}
