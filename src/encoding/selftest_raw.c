/*
 * selftest_raw.c
 *		Raw copies against a loop over single bytes.
 */
#include "encoding/byteorder.h"
#include "encoding/raw.h"
#include "encoding/selftest.h"

#define NALIGNS 64
#define MAX_WIDTH 16
#define MAX_LENGTH ((size_t) SELFTEST_MAX_COUNT * MAX_WIDTH)

/* Old contents of a destination that is larger than the values. */
#define STALE_LENGTH 64
#define STALE_BYTE 0xa5

static const int raw_widths[] = {1, 2, 4, 8, 16};

#define NWIDTHS (sizeof(raw_widths) / sizeof(raw_widths[0]))

/* Fewer than all: each is tried at every alignment. */
static const uint16_t raw_counts[] = {
	0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 1023, 1025, SELFTEST_MAX_COUNT
};

#define NCOUNTS (sizeof(raw_counts) / sizeof(raw_counts[0]))

typedef struct RawTest
{
	Selftest   *test;
	SelftestRow row;
	uint8_t    *in;				/* MAX_LENGTH + NALIGNS random bytes */
	uint8_t    *want;
	uint8_t    *got;
	uint8_t    *back;
} RawTest;

/* The last value is not copied. */
static const char *const raw_faults[] = {"copy_last", NULL};

/* What little-endian bytes are in this host's memory. */
static void
decode_reference(const uint8_t *in, size_t nvalues, int width, uint8_t *out)
{
	for (size_t i = 0; i < nvalues; i++)
	{
		for (int k = 0; k < width; k++)
			out[i * width + k] =
				in[i * width + (HOST_IS_BIG_ENDIAN ? width - 1 - k : k)];
	}
}

static void
check_copy(RawTest *raw, int width, size_t nvalues, int align)
{
	const uint8_t *in = raw->in + align;
	size_t		length = nvalues * width;
	SelftestRow *row = &raw->row;

	decode_reference(in, nvalues, width, raw->want);
	memset(raw->want + length, STALE_BYTE, STALE_LENGTH);
	memset(raw->got, STALE_BYTE, length + STALE_LENGTH);
	row->cases++;
	row->values_checked += nvalues;
	row->fast_values += nvalues;
	if (!raw_decode(in, length, nvalues, width, raw->got))
		selftest_mismatch(row, "n=%zu align=%d: refused", nvalues, align);
	if (selftest_fault(raw->test, "copy_last") && nvalues > 0)
		memset(raw->got + length - width, STALE_BYTE, width);
	if (memcmp(raw->got, raw->want, length + STALE_LENGTH) != 0)
		selftest_mismatch(row, "n=%zu align=%d: other values", nvalues, align);

	raw_encode(raw->got, nvalues, width, raw->back);
	if (memcmp(raw->back, in, length) != 0)
		selftest_mismatch(row, "n=%zu align=%d: other bytes", nvalues, align);
}

static void
check_width(RawTest *raw, int width)
{
	int			step = raw->test->full ? 1 : 7;

	selftest_begin(&raw->row, "copy", "raw", width * 8);
	raw->row.needs_fast = true;
	for (unsigned i = 0; i < NCOUNTS; i++)
	{
		for (int align = i % step; align < NALIGNS; align += step)
			check_copy(raw, width, raw_counts[i], align);
	}
	selftest_end(raw->test, &raw->row);
}

static void
check_refused(RawTest *raw, size_t length, size_t nvalues, int width)
{
	raw->row.cases++;
	memset(raw->got, STALE_BYTE, STALE_LENGTH);
	memset(raw->want, STALE_BYTE, STALE_LENGTH);
	if (raw_decode(raw->in, length, nvalues, width, raw->got) ||
		memcmp(raw->got, raw->want, STALE_LENGTH) != 0)
		selftest_mismatch(&raw->row, "length=%zu n=%zu width=%d", length,
						  nvalues, width);
}

static void
check_rejects(RawTest *raw)
{
	selftest_begin(&raw->row, "copy", "reject", SELFTEST_NO_WIDTH);
	for (unsigned i = 0; i < NWIDTHS; i++)
	{
		int			width = raw_widths[i];

		for (size_t off = 1; off <= 7; off++)
		{
			check_refused(raw, 8 * width + off, 8, width);
			check_refused(raw, 8 * width - off, 8, width);
		}
		check_refused(raw, 0, 1, width);
		check_refused(raw, width, 0, width);
		check_refused(raw, 0, SIZE_MAX / width + (width > 1), width);
	}
	check_refused(raw, 0, 0, 0);
	check_refused(raw, 24, 8, 3);
	check_refused(raw, 256, 8, 32);
	check_refused(raw, 8, 8, -1);
	selftest_end(raw->test, &raw->row);
}

static void
raw_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	uint64_t	state = 0;
	RawTest		raw;

	raw.test = test;
	raw.in = allocator->alloc(allocator->context, MAX_LENGTH + NALIGNS);
	raw.want = allocator->alloc(allocator->context, MAX_LENGTH + STALE_LENGTH);
	raw.got = allocator->alloc(allocator->context, MAX_LENGTH + STALE_LENGTH);
	raw.back = allocator->alloc(allocator->context, MAX_LENGTH);
	for (size_t i = 0; i < MAX_LENGTH + NALIGNS; i++)
		raw.in[i] = (uint8_t) selftest_random(&state);

	for (unsigned i = 0; i < NWIDTHS; i++)
		check_width(&raw, raw_widths[i]);
	check_rejects(&raw);

	allocator->free(allocator->context, raw.back);
	allocator->free(allocator->context, raw.got);
	allocator->free(allocator->context, raw.want);
	allocator->free(allocator->context, raw.in);
}

const SelftestPart selftest_part_raw = {raw_part, raw_faults};
