/*
 * row_set.c
 *		Sets of row offsets of a group, in three shapes.
 *
 * A few scattered rows make an array, neighbouring ones a list of runs, many a
 * bitmap; the writer takes the smallest.  The bytes run over the contents of
 * consecutive PAGE_ROW_SET pages, behind each page's tag.  Whatever a page
 * holds is checked before it is used: offsets ascend, and the number of members
 * is the one that the reference names.
 */
#include "postgres.h"

#include "access/xloginsert.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/free_space.h"
#include "storage/row_set.h"
#include "utils/rel.h"

#define ROW_SET_PAGE_LENGTH	(PAGE_CONTENTS_LENGTH - sizeof(PageTag))
#define ROW_SET_BITMAP_LENGTH	(GROUP_ROWS / 8)

/* A run as it is stored. */
typedef struct RowRun
{
	uint16		first;
	uint16		length;			/* less one */
} RowRun;

StaticAssertDecl(sizeof(RowRun) == 4, "RowRun is on disk");

/*
 * Bits of the word of first that are before limit; *next is the first offset
 * behind them.
 */
static inline uint64
range_mask(uint32 first, uint32 limit, uint32 *next)
{
	uint32		bit = first % 64;
	uint32		n = Min(64 - bit, limit - first);

	*next = first + n;
	return (~UINT64CONST(0) >> (64 - n)) << bit;
}

void
row_bitmap_set_range(uint64 *bitmap, uint32 first, uint32 limit)
{
	Assert(first <= limit && limit <= GROUP_ROWS);

	while (first < limit)
	{
		uint64	   *word = &bitmap[first / 64];

		*word |= range_mask(first, limit, &first);
	}
}

void
row_bitmap_clear_range(uint64 *bitmap, uint32 first, uint32 limit)
{
	Assert(first <= limit && limit <= GROUP_ROWS);

	while (first < limit)
	{
		uint64	   *word = &bitmap[first / 64];

		*word &= ~range_mask(first, limit, &first);
	}
}

uint32
row_bitmap_count(const uint64 *bitmap, uint32 first, uint32 limit)
{
	uint32		count = 0;

	Assert(first <= limit && limit <= GROUP_ROWS);

	while (first < limit)
	{
		uint64		word = bitmap[first / 64];

		count += pg_popcount64(word & range_mask(first, limit, &first));
	}
	return count;
}

void
row_set_init(RowSetRef *ref)
{
	ref->start = InvalidBlockNumber;
	ref->nblocks = 0;
	ref->kind = ROW_SET_EMPTY;
	ref->nrows = 0;
	ref->length = 0;
}

/* ---- reading ---- */

static void
row_set_check(Relation rel, const RowSetRef *ref)
{
	if (ref->length > ROW_SET_BITMAP_LENGTH ||
		ref->nblocks != (ref->length + ROW_SET_PAGE_LENGTH - 1) / ROW_SET_PAGE_LENGTH)
		page_report_corruption(rel, ref->start,
							   "A set of rows has %u bytes on %u pages.",
							   ref->length, ref->nblocks);
}

/* Lock a page of a set, which has part bytes of it. */
static Buffer
row_set_read_page(Relation rel, const RowSetRef *ref, uint16 index, uint32 part)
{
	Buffer		buffer = page_read(rel, ref->start + index, PAGE_ROW_SET,
								   BUFFER_LOCK_SHARE);

	if (((PageHeader) BufferGetPage(buffer))->pd_lower !=
		MAXALIGN(SizeOfPageHeaderData) + sizeof(PageTag) + part)
		page_report_corruption(rel, ref->start + index,
							   "The page's part of a set of rows is not %u bytes long.",
							   part);
	return buffer;
}

/*
 * The set's bytes, palloc'd.  A page is copied under its lock.
 */
static char *
row_set_read(Relation rel, const RowSetRef *ref)
{
	char	   *bytes;
	uint32		done = 0;

	row_set_check(rel, ref);
	bytes = palloc(Max(ref->length, 1));
	for (uint16 i = 0; i < ref->nblocks; i++)
	{
		uint32		part = Min(ref->length - done, ROW_SET_PAGE_LENGTH);
		Buffer		buffer = row_set_read_page(rel, ref, i, part);

		memcpy(bytes + done,
			   (char *) buffer_contents(buffer) + sizeof(PageTag), part);
		UnlockReleaseBuffer(buffer);
		done += part;
	}
	return bytes;
}

/*
 * Each of these adds the members to the bitmap and returns their number, or -1
 * for bytes that no writer makes.
 */
static int64
load_array(const uint16 *offsets, uint32 length, uint64 *bitmap)
{
	uint32		n = length / sizeof(uint16);

	if (length % sizeof(uint16) != 0)
		return -1;
	for (uint32 i = 0; i < n; i++)
	{
		if (i > 0 && offsets[i] <= offsets[i - 1])
			return -1;
		row_bitmap_set(bitmap, offsets[i]);
	}
	return n;
}

static int64
load_runs(const RowRun *runs, uint32 length, uint64 *bitmap)
{
	uint32		n = length / sizeof(RowRun);
	uint32		next = 0;
	int64		nrows = 0;

	if (length % sizeof(RowRun) != 0)
		return -1;
	for (uint32 i = 0; i < n; i++)
	{
		uint32		limit = (uint32) runs[i].first + runs[i].length + 1;

		if (runs[i].first < next || limit > GROUP_ROWS)
			return -1;
		row_bitmap_set_range(bitmap, runs[i].first, limit);
		nrows += limit - runs[i].first;
		next = limit;
	}
	return nrows;
}

static int64
load_bitmap(const uint8 *bytes, uint32 length, uint64 *bitmap)
{
	int64		nrows = 0;

	if (length != ROW_SET_BITMAP_LENGTH)
		return -1;
	for (uint32 w = 0; w < ROW_BITMAP_WORDS; w++)
	{
		uint64		word = 0;

		for (int i = 0; i < 8; i++)
			word |= (uint64) bytes[8 * w + i] << (8 * i);
		nrows += pg_popcount64(word);
		bitmap[w] |= word;
	}
	return nrows;
}

void
row_set_load(Relation rel, const RowSetRef *ref, uint64 *bitmap)
{
	char	   *bytes;
	int64		nrows;

	if (ref->kind == ROW_SET_EMPTY)
		return;

	bytes = row_set_read(rel, ref);
	switch (ref->kind)
	{
		case ROW_SET_ARRAY:
			nrows = load_array((uint16 *) bytes, ref->length, bitmap);
			break;
		case ROW_SET_RUNS:
			nrows = load_runs((RowRun *) bytes, ref->length, bitmap);
			break;
		case ROW_SET_BITMAP:
			nrows = load_bitmap((uint8 *) bytes, ref->length, bitmap);
			break;
		default:
			nrows = -1;
			break;
	}
	pfree(bytes);

	if (nrows != (int64) ref->nrows)
		page_report_corruption(rel, ref->start,
							   "The members of a set of rows of kind %u are invalid.",
							   ref->kind);
}

/* ---- one row ---- */

/* How many of n ascending elements, step apart, are not greater than offset. */
static uint32
count_up_to(const uint16 *elements, uint32 n, int step, uint32 offset)
{
	uint32		low = 0;
	uint32		high = n;

	while (low < high)
	{
		uint32		middle = (low + high) / 2;

		if (elements[middle * step] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Look for a row on one page of a set, which has length bytes from position on.
 */
static bool
row_set_page_contains(const RowSetRef *ref, const char *bytes, uint32 position,
					  uint32 length, uint32 offset)
{
	uint32		i;

	if (ref->kind == ROW_SET_BITMAP)
		return offset / 8 >= position && offset / 8 - position < length &&
			((bytes[offset / 8 - position] >> (offset % 8)) & 1);

	if (ref->kind == ROW_SET_ARRAY)
	{
		const uint16 *offsets = (const uint16 *) bytes;

		i = count_up_to(offsets, length / sizeof(uint16), 1, offset);
		return i > 0 && offsets[i - 1] == offset;
	}
	else
	{
		const RowRun *runs = (const RowRun *) bytes;

		i = count_up_to(&runs->first, length / sizeof(RowRun), 2, offset);
		return i > 0 && offset - runs[i - 1].first <= runs[i - 1].length;
	}
}

bool
row_set_contains(Relation rel, const RowSetRef *ref, uint32 offset)
{
	uint32		position = 0;
	bool		found = false;

	if (ref->kind == ROW_SET_EMPTY)
		return false;
	row_set_check(rel, ref);
	for (uint16 i = 0; i < ref->nblocks && !found; i++)
	{
		uint32		part = Min(ref->length - position, ROW_SET_PAGE_LENGTH);
		Buffer		buffer = row_set_read_page(rel, ref, i, part);

		found = row_set_page_contains(ref,
									  (char *) buffer_contents(buffer) + sizeof(PageTag),
									  position, part, offset);
		UnlockReleaseBuffer(buffer);
		position += part;
	}
	return found;
}

/* ---- writing ---- */

/* First member at or after offset, or GROUP_ROWS. */
static uint32
next_member(const uint64 *bitmap, uint32 offset)
{
	while (offset < GROUP_ROWS)
	{
		uint64		word = bitmap[offset / 64] >> (offset % 64);

		if (word != 0)
			return offset + pg_rightmost_one_pos64(word);
		offset = (offset / 64 + 1) * 64;
	}
	return GROUP_ROWS;
}

/* First offset after the member at offset that is none, or GROUP_ROWS. */
static uint32
next_gap(const uint64 *bitmap, uint32 offset)
{
	while (offset < GROUP_ROWS)
	{
		uint64		word = ~bitmap[offset / 64] >> (offset % 64);

		if (word != 0)
			return offset + pg_rightmost_one_pos64(word);
		offset = (offset / 64 + 1) * 64;
	}
	return GROUP_ROWS;
}

static uint32
count_runs(const uint64 *bitmap)
{
	uint32		nruns = 0;

	for (uint32 offset = next_member(bitmap, 0); offset < GROUP_ROWS;
		 offset = next_member(bitmap, next_gap(bitmap, offset)))
		nruns++;
	return nruns;
}

/*
 * Put the members into bytes, which has room for ref->length, in the shape
 * that ref->kind says.
 */
static void
row_set_form(const uint64 *bitmap, const RowSetRef *ref, char *bytes)
{
	uint32		n = 0;

	if (ref->kind == ROW_SET_BITMAP)
	{
		for (uint32 i = 0; i < ROW_SET_BITMAP_LENGTH; i++)
			((uint8 *) bytes)[i] = (uint8) (bitmap[i / 8] >> (8 * (i % 8)));
		return;
	}

	for (uint32 offset = next_member(bitmap, 0); offset < GROUP_ROWS;)
	{
		uint32		limit = next_gap(bitmap, offset);

		if (ref->kind == ROW_SET_RUNS)
		{
			RowRun	   *run = &((RowRun *) bytes)[n++];

			run->first = (uint16) offset;
			run->length = (uint16) (limit - offset - 1);
		}
		else
		{
			while (offset < limit)
				((uint16 *) bytes)[n++] = (uint16) offset++;
		}
		offset = next_member(bitmap, limit);
	}
}

/*
 * Write one page of the set and log it as an image.
 */
static void
row_set_write_page(Relation rel, BlockNumber blkno, const char *bytes,
				   uint32 length)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, NULL);
	Page		page = BufferGetPage(buffer);

	START_CRIT_SECTION();
	page_init(page, PAGE_ROW_SET, blkno, sizeof(PageTag) + length);
	memcpy((char *) page_contents(page) + sizeof(PageTag), bytes, length);
	MarkBufferDirty(buffer);
	if (RelationNeedsWAL(rel))
		log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();

	UnlockReleaseBuffer(buffer);
}

RowSetRef
row_set_write(Relation rel, const uint64 *bitmap, FullTransactionId owner)
{
	RowSetRef	ref;
	uint32		nruns;
	char	   *bytes;

	row_set_init(&ref);
	ref.nrows = row_bitmap_count(bitmap, 0, GROUP_ROWS);
	if (ref.nrows == 0)
		return ref;

	nruns = count_runs(bitmap);
	ref.kind = ROW_SET_BITMAP;
	ref.length = ROW_SET_BITMAP_LENGTH;
	if (nruns * sizeof(RowRun) < ref.length)
	{
		ref.kind = ROW_SET_RUNS;
		ref.length = nruns * sizeof(RowRun);
	}
	if (ref.nrows * sizeof(uint16) < ref.length)
	{
		ref.kind = ROW_SET_ARRAY;
		ref.length = ref.nrows * sizeof(uint16);
	}
	ref.nblocks = (ref.length + ROW_SET_PAGE_LENGTH - 1) / ROW_SET_PAGE_LENGTH;

	bytes = palloc(ref.length);
	row_set_form(bitmap, &ref, bytes);

	ref.start = free_space_allocate(rel, ref.nblocks, owner);
	for (uint16 i = 0; i < ref.nblocks; i++)
	{
		uint32		done = i * ROW_SET_PAGE_LENGTH;

		row_set_write_page(rel, ref.start + i, bytes + done,
						   Min(ref.length - done, ROW_SET_PAGE_LENGTH));
	}
	pfree(bytes);
	return ref;
}
