/*
 * selftest_vector.c
 *		Vectors of integers against bytes put together here, bit by bit.
 *
 * The encoder has no part in it: each row writes header and codes as
 * docs/format.md has them, decodes them in all four output widths, and
 * compares with values computed one by one.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/int_vector.h"
#include "encoding/selftest.h"

#include <inttypes.h>

#define PATCH_POSITION_BITS 10
#define DIVISOR 3

/* Room for header, body and patches of a vector. */
#define MAX_LENGTH (16 * VECTOR_LENGTH + 64)

typedef struct VectorTest
{
	Selftest   *test;
	SelftestRow row;
	IntType		type;
	ByteBuffer	bytes;
	uint64_t   *codes;			/* VECTOR_LENGTH */
	uint64_t   *want;
	uint64_t   *got;			/* and the slack */
	IntScratch *scratch;
} VectorTest;

/* The base of a vector is read with its lowest bit turned. */
static const char *const vector_faults[] = {"vector_base", NULL};

static int64_t
type_min(IntType type)
{
	return -(INT64_C(1) << (8 * type.size - 2)) * 2;
}

static void
put_packed(VectorTest *vector, const uint64_t *codes, uint32_t ncodes,
		   int width)
{
	size_t		length = ((size_t) ncodes * (size_t) width + 7) / 8;

	selftest_pack(codes, ncodes, width,
				  bytebuffer_reserve(&vector->bytes, length));
	vector->bytes.length += length;
}

static void
put_header(VectorTest *vector, int width, int64_t base, uint64_t divisor)
{
	int			divisor_length = divisor > 1 ? 1 : 0;

	bytebuffer_reset(&vector->bytes);
	bytebuffer_append_uint(&vector->bytes, (uint64_t) width, 1);
	bytebuffer_append_uint(&vector->bytes,
						   (uint64_t) (8 | divisor_length << 4), 1);
	bytebuffer_append_uint(&vector->bytes, (uint64_t) base, 8);
	bytebuffer_append_uint(&vector->bytes, divisor, divisor_length);
}

static uint64_t
got_value(const VectorTest *vector, uint32_t i)
{
	switch (vector->type.size)
	{
		case 1:
			return ((uint8_t *) vector->got)[i];
		case 2:
			return ((uint16_t *) vector->got)[i];
		case 4:
			return ((uint32_t *) vector->got)[i];
		default:
			return vector->got[i];
	}
}

/* Decode vector->bytes and compare with vector->want, cut to the type. */
static void
check_decode(VectorTest *vector, IntEncoding encoding, uint32_t nvalues,
			 const char *what)
{
	SelftestRow *row = &vector->row;
	uint64_t	mask = unpack_mask(8 * vector->type.size);
	const char *reason = "";

	if (selftest_fault(vector->test, "vector_base"))
		vector->bytes.data[2] ^= 1;
	row->cases++;
	row->values_checked += nvalues;
	row->fast_values += nvalues - nvalues % UNPACK_GROUP;
	row->tail_values += nvalues % UNPACK_GROUP;
	if (!int_vector_decode((uint8_t) encoding, vector->bytes.data,
						   vector->bytes.length, vector->type, nvalues, NULL,
						   vector->got, vector->scratch, &reason))
	{
		selftest_mismatch(row, "size=%d n=%u %s: %s", vector->type.size,
						  nvalues, what, reason);
		return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (got_value(vector, i) != (vector->want[i] & mask))
		{
			selftest_mismatch(row,
							  "size=%d n=%u %s index=%u got=%" PRIx64
							  " want=%" PRIx64, vector->type.size, nvalues,
							  what, i, got_value(vector, i),
							  vector->want[i] & mask);
			return;
		}
	}
}

static void
check_reference(VectorTest *vector, int width, uint32_t nvalues,
				uint64_t divisor, const char *what)
{
	int64_t		base = type_min(vector->type);

	for (uint32_t i = 0; i < nvalues; i++)
		vector->want[i] = (uint64_t) base + divisor * vector->codes[i];
	put_header(vector, width, base, divisor);
	put_packed(vector, vector->codes, nvalues, width);
	check_decode(vector, INT_FOR, nvalues, what);
}

static void
check_delta(VectorTest *vector, int width, uint32_t nvalues, const char *what)
{
	int64_t		step = -(int64_t) (unpack_mask(width) / 2);
	uint64_t	value = 77;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		/* the first code leads nowhere: encoders write 0 */
		value += i == 0 ? 0 : (uint64_t) step + vector->codes[i];
		vector->want[i] = value;
	}
	vector->codes[0] = 0;
	put_header(vector, width, 77, 1);
	bytebuffer_append_uint(&vector->bytes, 8, 1);
	bytebuffer_append_uint(&vector->bytes, (uint64_t) step, 8);
	put_packed(vector, vector->codes, nvalues, width);
	check_decode(vector, INT_DELTA, nvalues, what);
}

/* Every seventh value exceeds width - 1 bits. */
static void
check_patched(VectorTest *vector, int width, uint32_t nvalues,
			  const char *what)
{
	int64_t		base = type_min(vector->type);
	uint64_t	positions[VECTOR_LENGTH / 7 + 1];
	uint64_t	highs[VECTOR_LENGTH / 7 + 1];
	uint32_t	npatches = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	high = i % 7 == 3;

		vector->codes[i] &= unpack_mask(width - 1);
		vector->want[i] = (uint64_t) base + (vector->codes[i] | high << (width - 1));
		if (high)
		{
			positions[npatches] = i;
			highs[npatches++] = 1;
		}
	}
	put_header(vector, width - 1, base, 1);
	bytebuffer_append_uint(&vector->bytes, npatches, 2);
	bytebuffer_append_uint(&vector->bytes, 1, 1);
	put_packed(vector, vector->codes, nvalues, width - 1);
	put_packed(vector, positions, npatches, PATCH_POSITION_BITS);
	put_packed(vector, highs, npatches, 1);
	check_decode(vector, INT_PATCHED, nvalues, what);
}

/* Runs of 1, 2, ... 8 values and again. */
static void
check_runs(VectorTest *vector, int width, uint32_t nvalues, const char *what)
{
	int64_t		base = type_min(vector->type);
	uint64_t	lengths[VECTOR_LENGTH];
	uint32_t	nruns = 0;

	for (uint32_t i = 0; i < nvalues; nruns++)
	{
		uint32_t	length = nruns % 8 + 1;

		length = length < nvalues - i ? length : nvalues - i;
		lengths[nruns] = length - 1;
		for (uint32_t k = 0; k < length; k++)
			vector->want[i++] = (uint64_t) base + vector->codes[nruns];
	}
	put_header(vector, width, base, 1);
	bytebuffer_append_uint(&vector->bytes, nruns, 2);
	bytebuffer_append_uint(&vector->bytes, 3, 1);
	put_packed(vector, vector->codes, nruns, width);
	put_packed(vector, lengths, nruns, 3);
	check_decode(vector, INT_RUNS, nvalues, what);
}

typedef enum VectorOperation
{
	OPERATION_FOR,
	OPERATION_DIVISOR,
	OPERATION_DELTA,
	OPERATION_PATCHED,
	OPERATION_RUNS,
	NOPERATIONS
} VectorOperation;

static const char *const operation_names[NOPERATIONS] = {
	"for", "divisor", "delta", "patched", "runs"
};

static void
check_operation(VectorTest *vector, VectorOperation operation, int width,
				uint32_t nvalues, const char *what)
{
	switch (operation)
	{
		case OPERATION_FOR:
			check_reference(vector, width, nvalues, 1, what);
			break;
		case OPERATION_DIVISOR:
			if (width + 2 <= 8 * vector->type.size)
				check_reference(vector, width, nvalues, DIVISOR, what);
			break;
		case OPERATION_DELTA:
			check_delta(vector, width, nvalues, what);
			break;
		case OPERATION_PATCHED:
			if (width > 0)
				check_patched(vector, width, nvalues, what);
			break;
		default:
			check_runs(vector, width, nvalues, what);
			break;
	}
}

/* One row: all output widths, counts and patterns. */
static void
check_width(VectorTest *vector, VectorOperation operation, int width)
{
	static const int sizes[] = {1, 2, 4, 8};
	uint32_t	step = vector->test->full ? 1 : 3;

	selftest_begin(&vector->row, "vector", operation_names[operation], width);
	for (int size = 0; size < 4; size++)
	{
		vector->type.size = sizes[size];
		vector->type.is_signed = true;
		vector->type.is_float = false;
		if (width > 8 * sizes[size])
			continue;
		for (uint32_t i = 0; i < SELFTEST_NCOUNTS; i += step)
		{
			uint32_t	nvalues = selftest_counts[i];
			SelftestPattern pattern = (SelftestPattern)
				((i + (uint32_t) width) % SELFTEST_NPATTERNS);

			if (nvalues == 0 || nvalues > VECTOR_LENGTH)
				continue;
			selftest_fill(vector->codes, nvalues, width, pattern, nvalues);
			check_operation(vector, operation, width, nvalues,
							selftest_pattern_name(pattern));
		}
	}
	selftest_end(vector->test, &vector->row);
}

static void
vector_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	size_t		size = VECTOR_LENGTH * sizeof(uint64_t);
	VectorTest	vector;

	vector.test = test;
	bytebuffer_init(&vector.bytes, allocator);
	bytebuffer_reserve(&vector.bytes, MAX_LENGTH);
	vector.codes = allocator->alloc(allocator->context, size);
	vector.want = allocator->alloc(allocator->context, size);
	vector.got = allocator->alloc(allocator->context,
								  size + DECODE_SLACK_VALUES * sizeof(uint64_t));
	vector.scratch = allocator->alloc(allocator->context, sizeof(IntScratch));

	for (int operation = 0; operation < NOPERATIONS; operation++)
	{
		for (int width = 0; width <= 64; width++)
		{
			if ((operation == OPERATION_PATCHED && width == 0) ||
				(operation == OPERATION_DIVISOR && width > 62))
				continue;		/* nothing to patch; no room for the factor */
			ENCODING_CHECK_INTERRUPTS();
			check_width(&vector, (VectorOperation) operation, width);
		}
	}

	allocator->free(allocator->context, vector.scratch);
	allocator->free(allocator->context, vector.got);
	allocator->free(allocator->context, vector.want);
	allocator->free(allocator->context, vector.codes);
	bytebuffer_free(&vector.bytes);
}

const SelftestPart selftest_part_vector = {vector_part, vector_faults};
