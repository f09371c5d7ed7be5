/*
 * group_scan.c
 *		The rows of a chunk group that a snapshot sees, form by form.
 *
 * The server's own functions judge visibility, on tuple headers in locked
 * shared buffers: of a column-form segment once, for all of its rows, in the
 * group header, and of those rows that have row headers one by one; of row-form
 * rows page by page.  What is decided when a group is opened stays right for an
 * MVCC snapshot, whatever happens to the group afterwards: a segment published
 * later belongs to a transaction that the snapshot does not see, as does a
 * header made or stamped later, and pages that the mover retires keep their
 * contents until no snapshot is older.
 *
 * The group's list of row pages, its row headers and its deleted rows are read
 * while the header is locked, because the mover replaces the first together
 * with it and VACUUM makes members of the last out of the second (H5).
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/heapam.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "storage/row_header.h"
#include "storage/row_set.h"

/*
 * The default test: is the tuple visible to the snapshot?
 */
static uint8
test_snapshot(GroupScan *scan, HeapTuple tuple, Buffer buffer,
			  TransactionId *wait)
{
	bool		visible;

	visible = HeapTupleSatisfiesVisibility(tuple, scan->snapshot, buffer);
	if (!scan->is_selective)
		HeapCheckForSerializableConflictOut(visible, scan->rel, tuple, buffer,
											scan->snapshot);
	return visible ? 1 : GROUP_SCAN_SKIP;
}

GroupScan *
group_scan_create(Relation rel, Snapshot snapshot,
				  BufferAccessStrategy strategy)
{
	GroupScan  *scan = palloc0(sizeof(GroupScan));

	scan->rel = rel;
	scan->snapshot = snapshot;
	scan->test = test_snapshot;
	scan->strategy = strategy;
	scan->group = InvalidGroup;
	scan->header = palloc(sizeof(GroupHeaderData));
	scan->segment_index = -1;
	scan->reader = segment_reader_create(rel, strategy);
	scan->reader_segment = -1;
	scan->page = palloc(BLCKSZ);
	return scan;
}

void
group_scan_free(GroupScan *scan)
{
	segment_reader_free(scan->reader);
	if (scan->row_pages)
		pfree(scan->row_pages);
	if (scan->holes_buffer)
		pfree(scan->holes_buffer);
	if (scan->row_status_buffer)
		pfree(scan->row_status_buffer);
	if (scan->row_headers)
		pfree(scan->row_headers);
	pfree(scan->header);
	pfree(scan->page);
	pfree(scan);
}

uint32
group_scan_ngroups(Relation rel)
{
	MetapageData meta;

	return metapage_copy(rel, &meta) ? meta.next_group : 0;
}

void
segment_tuple(Relation rel, SegmentData *segment, RowNumber row,
			  HeapTuple tuple)
{
	tuple->t_len = MAXALIGN(SizeofHeapTupleHeader);
	tuple->t_tableOid = RelationGetRelid(rel);
	tuple->t_data = segment_tuple_header(segment);
	row_number_to_tid(row, &tuple->t_self);
}

/* ---- segments and deleted rows ---- */

/* Somebody for whom the test wants to wait. */
typedef struct TestWait
{
	TransactionId xid;
	ItemPointerData tid;		/* of the row that it is about */
} TestWait;

/*
 * Ask the test about every segment in column form, in the locked header.
 * Returns false, and whom to wait for, if it says so.
 */
static bool
test_segments(GroupScan *scan, GroupHeaderData *header, Buffer buffer,
			  TestWait *wait)
{
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &header->segments[i];

		scan->visible[i] = GROUP_SCAN_SKIP;
		if (segment->form == SEGMENT_ROWS)
			scan->visible[i] = 1;
		else if (segment->form == SEGMENT_COLUMNS)
		{
			HeapTupleData tuple;
			RowNumber	row = row_number(scan->group, segment_first(segment));

			segment_tuple(scan->rel, segment, row, &tuple);
			scan->visible[i] = scan->test(scan, &tuple, buffer, &wait->xid);
			if (scan->visible[i] == GROUP_SCAN_WAIT)
			{
				wait->tid = tuple.t_self;
				return false;
			}
		}
	}
	return true;
}

/* The bitmap of rows that are not returned, made if there is none. */
static uint64 *
make_holes(GroupScan *scan)
{
	if (scan->holes != NULL)
		return scan->holes;
	if (scan->holes_buffer == NULL)
		scan->holes_buffer = MemoryContextAlloc(GetMemoryChunkContext(scan),
												GROUP_ROWS / 8);
	scan->holes = scan->holes_buffer;
	memset(scan->holes, 0, GROUP_ROWS / 8);
	return scan->holes;
}

static void
load_holes(GroupScan *scan, const GroupHeaderData *header)
{
	scan->holes = NULL;
	if (header->dead.nrows == 0 && header->gone.nrows == 0)
		return;
	row_set_load(scan->rel, &header->dead, make_holes(scan));
	row_set_load(scan->rel, &header->gone, make_holes(scan));
}

/* ---- row headers ---- */

/*
 * Note that the test said of a row something else than of its segment.
 */
static void
set_row_status(GroupScan *scan, const GroupHeaderData *header, uint32 offset,
			   uint8 status)
{
	if (scan->row_status == NULL)
	{
		if (scan->row_status_buffer == NULL)
			scan->row_status_buffer =
				MemoryContextAlloc(GetMemoryChunkContext(scan), GROUP_ROWS);
		scan->row_status = scan->row_status_buffer;
		for (int i = 0; i < header->nsegments; i++)
		{
			const SegmentData *segment = &header->segments[i];

			memset(scan->row_status + segment_first(segment),
				   scan->visible[i], segment_limit(segment) - segment_first(segment));
		}
	}
	scan->row_status[offset] = status;
}

static void
keep_row_header(GroupScan *scan, uint32 offset, HeapTuple tuple)
{
	GroupRowHeader *kept;

	if (scan->nrow_headers == scan->max_row_headers)
	{
		int			max = Max(scan->max_row_headers * 2, 64);

		if (scan->row_headers == NULL)
			scan->row_headers = MemoryContextAlloc(GetMemoryChunkContext(scan),
												   max * sizeof(GroupRowHeader));
		else
			scan->row_headers = repalloc(scan->row_headers,
										 max * sizeof(GroupRowHeader));
		scan->max_row_headers = max;
	}
	kept = &scan->row_headers[scan->nrow_headers++];
	kept->offset = offset;
	memcpy(&kept->header, tuple->t_data, SizeofHeapTupleHeader);
}

/*
 * Is a row returned, as far as its segment and the deleted sets say?  If it is
 * not, its header does not count (H4).
 */
static bool
header_counts(GroupScan *scan, GroupHeaderData *header, uint32 offset,
			  int *segment_index)
{
	SegmentData *segment = group_find_segment(header, offset);

	if (segment == NULL || segment->form != SEGMENT_COLUMNS ||
		offset >= segment_first(segment) + segment->nslots)
		return false;
	*segment_index = segment - header->segments;
	return scan->visible[*segment_index] != GROUP_SCAN_SKIP &&
		!(scan->holes && row_bitmap_test(scan->holes, offset));
}

/*
 * Ask the test about the headers of a row-header page.  Returns false, and whom
 * to wait for, if it says so.
 */
static bool
test_header_page(GroupScan *scan, GroupHeaderData *header, BlockNumber blkno,
				 TestWait *wait)
{
	Buffer		buffer = row_header_page_read(scan->rel, scan->group, blkno,
											  BUFFER_LOCK_SHARE,
											  scan->strategy);
	OffsetNumber last = PageGetMaxOffsetNumber(BufferGetPage(buffer));

	for (OffsetNumber offnum = FirstOffsetNumber; offnum <= last; offnum++)
	{
		HeapTupleData tuple;
		uint32		offset;
		int			segment;
		uint8		status;

		if (!row_header_tuple(scan->rel, buffer, offnum, &tuple, &offset) ||
			offset < scan->open_first || offset >= scan->open_limit ||
			!header_counts(scan, header, offset, &segment))
			continue;
		status = scan->test(scan, &tuple, buffer, &wait->xid);
		if (status == GROUP_SCAN_WAIT)
		{
			wait->tid = tuple.t_self;
			UnlockReleaseBuffer(buffer);
			return false;
		}
		if (status == GROUP_SCAN_SKIP)
			row_bitmap_set(make_holes(scan), offset);
		else
		{
			if (status != scan->visible[segment])
				set_row_status(scan, header, offset, status);
			if (scan->keeps_headers)
				keep_row_header(scan, offset, &tuple);
		}
	}
	UnlockReleaseBuffer(buffer);
	return true;
}

static int
compare_row_headers(const void *a, const void *b)
{
	uint32		offset_a = ((const GroupRowHeader *) a)->offset;
	uint32		offset_b = ((const GroupRowHeader *) b)->offset;

	return offset_a < offset_b ? -1 : (offset_a > offset_b ? 1 : 0);
}

/*
 * Ask the test about every row header of the rows that the group is opened for.
 */
static bool
test_headers(GroupScan *scan, GroupHeaderData *header, TestWait *wait)
{
	BlockNumber *pages;
	int			npages;
	bool		done = true;

	scan->row_status = NULL;
	scan->nrow_headers = 0;
	if (header->row_header_map == InvalidBlockNumber)
	{
		/* so all of them have been looked at */
		scan->open_first = 0;
		scan->open_limit = GROUP_ROWS;
		return true;
	}

	npages = row_header_pages(scan->rel, header, scan->open_first,
							  scan->open_limit, &pages);
	for (int i = 0; i < npages && done; i++)
		done = test_header_page(scan, header, pages[i], wait);
	pfree(pages);
	if (scan->nrow_headers > 1)
		qsort(scan->row_headers, scan->nrow_headers, sizeof(GroupRowHeader),
			  compare_row_headers);
	return done;
}

HeapTupleHeader
group_scan_row_header(GroupScan *scan, uint32 offset)
{
	GroupRowHeader key = {offset};
	GroupRowHeader *found;

	if (scan->nrow_headers == 0)
		return NULL;
	found = bsearch(&key, scan->row_headers, scan->nrow_headers,
					sizeof(GroupRowHeader), compare_row_headers);
	return found ? &found->header : NULL;
}

/*
 * Lock the header once the test is through with its segments and with the row
 * headers.
 */
static Buffer
open_header(GroupScan *scan)
{
	for (;;)
	{
		Buffer		buffer = group_read(scan->rel, scan->group,
										BUFFER_LOCK_SHARE);
		GroupHeaderData *header;
		TestWait	wait;

		if (!BufferIsValid(buffer))
			return buffer;
		header = group_header(buffer);
		load_holes(scan, header);
		if (test_segments(scan, header, buffer, &wait) &&
			test_headers(scan, header, &wait))
			return buffer;

		UnlockReleaseBuffer(buffer);
		XactLockTableWait(wait.xid, scan->rel, &wait.tid,
						  XLTW_InsertIndexUnique);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Does the test want rows of a segment?  None, if all of a column-form segment
 * are holes.
 */
static bool
segment_has_rows(GroupScan *scan, int index)
{
	const SegmentData *segment = &scan->header->segments[index];
	uint32		first = segment_first(segment);

	if (scan->visible[index] == GROUP_SCAN_SKIP)
		return false;
	return segment->form != SEGMENT_COLUMNS || scan->holes == NULL ||
		row_bitmap_count(scan->holes, first, first + segment->nslots) <
		segment->nslots;
}

/* ---- opening ---- */

/*
 * List the row pages if a segment has some.
 */
static void
load_row_pages(GroupScan *scan)
{
	if (scan->row_pages)
		pfree(scan->row_pages);
	scan->row_pages = NULL;
	scan->nrow_pages = 0;

	for (int i = 0; i < scan->header->nsegments; i++)
	{
		if (scan->header->segments[i].form == SEGMENT_ROWS)
		{
			MemoryContext old_context;

			old_context = MemoryContextSwitchTo(GetMemoryChunkContext(scan));
			scan->nrow_pages = group_row_pages(scan->rel, scan->header, 0,
											   GROUP_ROWS, &scan->row_pages);
			MemoryContextSwitchTo(old_context);
			break;
		}
	}
}

bool
group_scan_open(GroupScan *scan, uint32 group)
{
	return group_scan_open_range(scan, group, 0, GROUP_ROWS);
}

bool
group_scan_open_range(GroupScan *scan, uint32 group, uint32 first,
					  uint32 limit)
{
	Buffer		buffer;
	bool		has_rows = false;

	CHECK_FOR_INTERRUPTS();

	scan->group = group;
	scan->segment_index = -1;
	scan->segment = NULL;
	scan->reader_segment = -1;
	scan->ntuples = 0;
	scan->open_first = first;
	scan->open_limit = limit;
	scan->range_first = first;
	scan->range_limit = limit;

	buffer = open_header(scan);
	if (!BufferIsValid(buffer))
	{
		scan->header->nsegments = 0;
		return false;
	}
	memcpy(scan->header, group_header(buffer), sizeof(GroupHeaderData));
	load_row_pages(scan);
	UnlockReleaseBuffer(buffer);

	for (int i = 0; i < scan->header->nsegments; i++)
	{
		if (segment_has_rows(scan, i))
			has_rows = true;
		else
			scan->visible[i] = GROUP_SCAN_SKIP;
	}
	return has_rows;
}

/* ---- going through segments ---- */

void
group_scan_set_range(GroupScan *scan, uint32 first, uint32 limit)
{
	Assert(first <= limit && limit <= GROUP_ROWS);
	Assert(first == limit ||
		   (first >= scan->open_first && limit <= scan->open_limit));

	scan->range_first = first;
	scan->range_limit = limit;
	scan->segment_index = -1;
	scan->segment = NULL;
	scan->ntuples = 0;
}

/* First of the row pages that are listed with that offset or a greater one. */
static int
first_row_page(GroupScan *scan, uint32 offset)
{
	int			low = 0;
	int			high = scan->nrow_pages;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (scan->row_pages[middle].first < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Make a segment the current one, at its first or last row page; false if it
 * has no row that is wanted.
 */
static bool
enter_segment(GroupScan *scan, int index, bool forward)
{
	SegmentData *segment = &scan->header->segments[index];

	if (scan->visible[index] == GROUP_SCAN_SKIP ||
		segment_first(segment) >= scan->range_limit ||
		segment_limit(segment) <= scan->range_first)
		return false;

	scan->segment_index = index;
	scan->segment = segment;
	scan->ntuples = 0;
	if (segment->form == SEGMENT_ROWS)
	{
		if (forward)
			scan->row_page = first_row_page(scan, segment_first(segment)) - 1;
		else
			scan->row_page = first_row_page(scan, segment_limit(segment));
	}
	else if (scan->reader_segment != index)
	{
		scan->reader_segment = -1;
		segment_reader_open(scan->reader, scan->group, segment);
		scan->reader_segment = index;
		scan->nopened++;
	}
	return true;
}

bool
group_scan_next_segment(GroupScan *scan)
{
	for (int i = scan->segment_index + 1; i < scan->header->nsegments; i++)
	{
		if (enter_segment(scan, i, true))
			return true;
	}
	return false;
}

bool
group_scan_prev_segment(GroupScan *scan)
{
	int			last = scan->segment_index >= 0 ? scan->segment_index - 1 :
		scan->header->nsegments - 1;

	for (int i = last; i >= 0; i--)
	{
		if (enter_segment(scan, i, false))
			return true;
	}
	return false;
}

/* ---- column form ---- */

int
group_scan_live(GroupScan *scan, int vector, uint64 *mask)
{
	uint32		start = segment_first(scan->segment) + vector * VECTOR_ROWS;
	uint32		first = Max(start, scan->range_first);
	uint32		limit = Min(segment_first(scan->segment) + scan->segment->nslots,
							scan->range_limit);
	int			nrows = 0;

	Assert(scan->segment->form == SEGMENT_COLUMNS);

	memset(mask, 0, VECTOR_WORDS * sizeof(uint64));
	limit = Min(limit, start + VECTOR_ROWS);
	if (first >= limit)
		return 0;

	row_bitmap_set_range(mask, first - start, limit - start);
	if (scan->holes == NULL)
		return limit - first;

	for (int i = 0; i < VECTOR_WORDS; i++)
	{
		mask[i] &= ~scan->holes[start / 64 + i];
		nrows += pg_popcount64(mask[i]);
	}
	return nrows;
}

/* ---- row form ---- */

void
row_page_check(Relation rel, Buffer buffer, int nrows)
{
	Page		page = BufferGetPage(buffer);
	PageHeader	header = (PageHeader) page;

	if (PageIsNew(page))
		return;
	if (header->pd_special != BLCKSZ || header->pd_upper > BLCKSZ ||
		header->pd_lower < SizeOfPageHeaderData ||
		header->pd_lower > header->pd_upper)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "The page is not a row page.");
	if (PageGetMaxOffsetNumber(page) > nrows)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "The page has %u line pointers for %d rows.",
							   (unsigned) PageGetMaxOffsetNumber(page), nrows);
}

bool
row_page_tuple(Relation rel, Buffer buffer, OffsetNumber offnum,
			   RowNumber row, HeapTuple tuple)
{
	Page		page = BufferGetPage(buffer);
	ItemId		item;
	uint32		offset;
	uint32		length;

	if (PageIsNew(page) || offnum > PageGetMaxOffsetNumber(page))
		return false;
	item = PageGetItemId(page, offnum);
	if (!ItemIdIsNormal(item))
		return false;

	offset = ItemIdGetOffset(item);
	length = ItemIdGetLength(item);
	if (offset < ((PageHeader) page)->pd_upper || offset != MAXALIGN(offset) ||
		offset + length > BLCKSZ || length < SizeofHeapTupleHeader)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "Line pointer %u refers to %u bytes at %u.",
							   (unsigned) offnum, length, offset);

	tuple->t_len = length;
	tuple->t_tableOid = RelationGetRelid(rel);
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	row_number_to_tid(row, &tuple->t_self);
	if (tuple->t_data->t_hoff > length ||
		tuple->t_data->t_hoff < SizeofHeapTupleHeader ||
		tuple->t_data->t_hoff != MAXALIGN(tuple->t_data->t_hoff))
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "The tuple at line pointer %u has a header of %u bytes.",
							   (unsigned) offnum,
							   (unsigned) tuple->t_data->t_hoff);
	return true;
}

/*
 * Test the tuples of a locked row page that are in range, and collect those to
 * return.  Returns false, and whom to wait for, if the test says so.
 */
static bool
collect_tuples(GroupScan *scan, const RowMapEntry *entry, Buffer buffer,
			   TransactionId *wait)
{
	int			first = 0;
	int			limit = Min((int) entry->nrows,
							(int) scan->range_limit - (int) entry->first);

	if (scan->range_first > entry->first)
		first = scan->range_first - entry->first;
	if (limit > TID_BLOCK_ROWS)
		limit = TID_BLOCK_ROWS;

	scan->ntuples = 0;
	for (int i = first; i < limit; i++)
	{
		uint32		offset = entry->first + i;
		HeapTuple	tuple = &scan->tuples[scan->ntuples];
		uint8		status;

		if (scan->holes && row_bitmap_test(scan->holes, offset))
			continue;
		if (!row_page_tuple(scan->rel, buffer, i + 1,
							row_number(scan->group, offset), tuple))
			continue;
		status = scan->test(scan, tuple, buffer, wait);
		if (status == GROUP_SCAN_WAIT)
			return false;
		if (status != GROUP_SCAN_SKIP)
			scan->status[scan->ntuples++] = status;
	}
	return true;
}

/*
 * Keep a copy of the page, so that neither pin nor lock is held while its
 * tuples are used.
 */
static void
copy_page(GroupScan *scan, Buffer buffer)
{
	Page		page = BufferGetPage(buffer);

	if (scan->ntuples == 0)
		return;
	memcpy(scan->page, page, BLCKSZ);
	for (int i = 0; i < scan->ntuples; i++)
	{
		Size		offset = (char *) scan->tuples[i].t_data - (char *) page;

		scan->tuples[i].t_data = (HeapTupleHeader) (scan->page + offset);
	}
}

static void
read_row_page(GroupScan *scan, const RowMapEntry *entry)
{
	Buffer		buffer;
	TransactionId wait;

	CHECK_FOR_INTERRUPTS();

	if (entry->nrows > TID_BLOCK_ROWS)
		page_report_corruption(scan->rel, entry->blkno,
							   "The row page is listed with %u rows.",
							   (unsigned) entry->nrows);

	buffer = block_read(scan->rel, entry->blkno, scan->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(scan->rel, buffer, entry->nrows);
	while (!collect_tuples(scan, entry, buffer, &wait))
	{
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		XactLockTableWait(wait, scan->rel, &scan->tuples[scan->ntuples].t_self,
						  XLTW_InsertIndexUnique);
		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, BUFFER_LOCK_SHARE);
	}
	copy_page(scan, buffer);
	UnlockReleaseBuffer(buffer);
}

/*
 * Turn to a row page if it belongs to the current segment.
 */
static bool
enter_row_page(GroupScan *scan, int index)
{
	RowMapEntry *entry;

	Assert(scan->segment->form == SEGMENT_ROWS);

	scan->ntuples = 0;
	if (index < 0 || index >= scan->nrow_pages)
		return false;
	entry = &scan->row_pages[index];
	if (entry->first < segment_first(scan->segment) ||
		entry->first >= segment_limit(scan->segment))
		return false;

	scan->row_page = index;
	if (entry->first < scan->range_limit &&
		entry->first + entry->nrows > scan->range_first)
		read_row_page(scan, entry);
	return true;
}

bool
group_scan_next_row_page(GroupScan *scan)
{
	int			index = scan->row_page + 1;

	/* with a narrow range, don't step through all pages before it */
	if (scan->range_first > segment_first(scan->segment))
		index = Max(index, first_row_page(scan, scan->range_first) - 1);
	if (index < scan->nrow_pages &&
		scan->row_pages[index].first >= scan->range_limit)
		return false;
	return enter_row_page(scan, index);
}

bool
group_scan_prev_row_page(GroupScan *scan)
{
	return enter_row_page(scan, scan->row_page - 1);
}
