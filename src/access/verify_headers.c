/*
 * verify_headers.c
 *		columnar_verify(): the row headers of a group.
 *
 * Pages are looked at under the lock of the group's header, which keeps headers
 * from being made and VACUUM from replacing the deleted sets.  A finding about
 * a page ends the subtransaction and with it the lock: the next page gets a new
 * one.
 *
 * A header whose row is in no column-form segment, or in a deleted set, does not
 * count (H4): a crash in VACUUM or in the mover leaves such, and VACUUM removes
 * them.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/row_link.h"
#include "access/verify.h"
#include "miscadmin.h"
#include "storage/procarray.h"
#include "storage/row_header.h"
#include "storage/row_header_page.h"
#include "storage/row_set.h"

typedef struct HeadersCheck
{
	BlockNumber *pages;
	int			npages;
	int			next;			/* page to be looked at */
	uint64	   *seen;			/* bitmap: a header of the row has been met */

	/* Under the lock. */
	GroupHeaderData *header;
	BlockNumber map[ROW_HEADER_PAGES];
	uint64	   *deleted;		/* bitmap: both deleted sets */
} HeadersCheck;

/* A header of the page at hand. */
typedef struct HeaderCheck
{
	VerifyState *state;
	BlockNumber blkno;
	OffsetNumber offnum;
	HeapTuple	tuple;
	SegmentData *segment;		/* of its row */
} HeaderCheck;

/* ---- one header ---- */

/* Has whoever updated or deleted the row failed, in a crash for example? */
static bool
xmax_has_failed(HeapTupleHeader header)
{
	TransactionId xmax;

	if ((header->t_infomask & HEAP_XMAX_INVALID) ||
		HeapTupleHeaderIsOnlyLocked(header))
		return true;
	xmax = HeapTupleHeaderGetUpdateXid(header);
	return !TransactionIdIsInProgress(xmax) && !TransactionIdDidCommit(xmax);
}

/*
 * The place of the next version, if there is any, is a link; a token of a
 * speculative insertion cannot be there.  The record of an update leaves a
 * physical address, which the next record replaces: a crash may come between.
 */
static void
check_ctid(HeaderCheck *check)
{
	ItemPointer ctid = &check->tuple->t_data->t_ctid;

	if (ItemPointerGetBlockNumberNoCheck(ctid) == check->blkno &&
		ItemPointerGetOffsetNumberNoCheck(ctid) == check->offnum)
		return;
	if (item_pointer_is_row_link(ctid) ||
		HeapTupleHeaderIndicatesMovedPartitions(check->tuple->t_data) ||
		xmax_has_failed(check->tuple->t_data))
		return;
	verify_report(check->state, check->blkno,
				  "t_ctid (%u,%u) of the row header at line pointer %u is invalid",
				  ItemPointerGetBlockNumberNoCheck(ctid),
				  ItemPointerGetOffsetNumberNoCheck(ctid), check->offnum);
}

/*
 * The inserter is the one of the segment, unless either is frozen: the mover
 * joins segments that have been frozen, and headers are frozen by themselves.
 */
static void
check_xmin(HeaderCheck *check)
{
	HeapTupleHeader header = check->tuple->t_data;
	HeapTupleHeader segment = segment_tuple_header(check->segment);

	verify_xmin(check->state, check->blkno, header, "a row header");
	if (HeapTupleHeaderXminFrozen(header) || HeapTupleHeaderXminFrozen(segment))
		return;
	if (HeapTupleHeaderGetRawXmin(header) != HeapTupleHeaderGetRawXmin(segment))
		verify_report(check->state, check->blkno,
					  "xmin %u of the row header at line pointer %u is not the segment's, which is %u",
					  HeapTupleHeaderGetRawXmin(header), check->offnum,
					  HeapTupleHeaderGetRawXmin(segment));
}

/* ---- one page ---- */

/* The segment of a row whose header counts (H4), or NULL. */
static SegmentData *
counted_segment(HeadersCheck *headers, uint32 offset)
{
	SegmentData *segment = group_find_segment(headers->header, offset);

	if (segment == NULL || segment->form != SEGMENT_COLUMNS ||
		offset - segment_first(segment) >= segment->nslots ||
		row_bitmap_test(headers->deleted, offset))
		return NULL;
	return segment;
}

/* Is the page in the place of the map that its tag says? */
static void
check_page_place(VerifyState *state, const HeadersCheck *headers, Page page,
				 BlockNumber blkno)
{
	const RowHeaderPageTag *tag = row_header_page_tag(page);

	if (headers->map[row_header_slot(tag->level, tag->first)] != blkno)
		verify_report(state, blkno,
					  "the map of group %u has another page for rows from %u on at level %u",
					  state->group, tag->first, tag->level);
}

static void
check_page(VerifyState *state, HeadersCheck *headers, BlockNumber blkno)
{
	Buffer		buffer = row_header_page_read(state->rel, state->group, blkno,
											  BUFFER_LOCK_SHARE,
											  state->strategy);
	Page		page = BufferGetPage(buffer);
	HeapTupleData tuple;
	HeaderCheck check = {state, blkno, 0, &tuple, NULL};

	check_page_place(state, headers, page, blkno);
	for (OffsetNumber i = 1; i <= PageGetMaxOffsetNumber(page); i++)
	{
		uint32		offset;

		if (!row_header_tuple(state->rel, buffer, i, &tuple, &offset))
			continue;
		if (row_bitmap_test(headers->seen, offset))
			verify_report(state, blkno,
						  "row %u of group %u has a second row header, at line pointer %u",
						  offset, state->group, i);
		row_bitmap_set(headers->seen, offset);

		check.offnum = i;
		check.segment = counted_segment(headers, offset);
		if (check.segment == NULL)
			continue;
		check_ctid(&check);
		check_xmin(&check);
		verify_xmax(state, blkno, tuple.t_data, "a row header");
	}
	UnlockReleaseBuffer(buffer);
}

/* ---- the group ---- */

/*
 * Look at the pages from next on, as far as they are sound.
 */
static void
check_pages(VerifyState *state, void *argument)
{
	HeadersCheck *headers = argument;
	Buffer		buffer = group_read(state->rel, state->group, BUFFER_LOCK_SHARE);
	Buffer		map_buffer;

	if (!BufferIsValid(buffer) ||
		group_header(buffer)->row_header_map == InvalidBlockNumber)
	{
		headers->next = headers->npages;
		if (BufferIsValid(buffer))
			UnlockReleaseBuffer(buffer);
		return;
	}
	headers->header = group_header(buffer);
	memset(headers->deleted, 0, ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(state->rel, &headers->header->dead, headers->deleted);
	row_set_load(state->rel, &headers->header->gone, headers->deleted);
	map_buffer = row_header_map_read(state->rel, headers->header,
									 BUFFER_LOCK_SHARE);
	memcpy(headers->map, row_header_map(BufferGetPage(map_buffer))->pages,
		   sizeof(headers->map));
	UnlockReleaseBuffer(map_buffer);

	if (headers->pages == NULL)
		headers->npages = row_header_pages(state->rel, headers->header, 0,
										   GROUP_ROWS, &headers->pages);
	while (headers->next < headers->npages)
	{
		state->blkno = headers->pages[headers->next++];
		check_page(state, headers, state->blkno);
	}
	UnlockReleaseBuffer(buffer);
}

void
verify_row_headers(VerifyState *state)
{
	HeadersCheck headers = {0};

	if (state->header.row_header_map == InvalidBlockNumber)
		return;
	headers.seen = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	headers.deleted = palloc(ROW_BITMAP_WORDS * sizeof(uint64));

	do
	{
		CHECK_FOR_INTERRUPTS();
		state->blkno = state->header.row_header_map;
		verify_guard(state, check_pages, &headers);
	} while (headers.next < headers.npages);
	state->blkno = state->header_block;
}
