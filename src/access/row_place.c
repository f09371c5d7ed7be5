/*
 * row_place.c
 *		Where the heap tuple is that stands for a row.
 *
 * heap's functions get a block and a line pointer, sleep with nothing but a pin
 * on the page, and go on with the same pointer when they wake up.  So a place
 * is pinned while the header of its group is locked, when the mapping from row
 * to page cannot change, and stays pinned until those functions are done:
 * whoever would move the tuple or give the page another use needs a cleanup
 * lock on it.
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/row_link.h"
#include "access/row_place.h"
#include "access/upkeep.h"
#include "access/xact.h"
#include "storage/row_header.h"

/* ---- pinning ---- */

static void
place_set(RowPlace *place, RowNumber row, Buffer buffer, OffsetNumber offnum,
		  bool is_header)
{
	place->row = row;
	place->buffer = buffer;
	ItemPointerSet(&place->address, BufferGetBlockNumber(buffer), offnum);
	place->is_header = is_header;
	place->has_external = false;
}

/*
 * Pin the row page that has a row, and release the group's header.  False if
 * the row's line pointer holds no tuple.
 */
static bool
pin_on_row_page(Relation rel, RowNumber row, Buffer header_buffer,
				RowPlace *place)
{
	uint32		offset = row_number_offset(row);
	RowMapEntry entry;
	HeapTupleData tuple;
	Buffer		buffer;
	bool		found;

	if (!group_find_row_page(rel, group_header(header_buffer), offset, &entry))
	{
		UnlockReleaseBuffer(header_buffer);
		return false;
	}
	buffer = block_read(rel, entry.blkno, NULL);
	UnlockReleaseBuffer(header_buffer);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(rel, buffer, entry.nrows);
	place_set(place, row, buffer, offset - entry.first + 1, false);
	found = row_page_tuple(rel, buffer,
						   ItemPointerGetOffsetNumber(&place->address), row,
						   &tuple);
	if (found)
		place->has_external = HeapTupleHasExternal(&tuple);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	if (!found)
		ReleaseBuffer(buffer);
	return found;
}

/*
 * Pin the header of a column-form row, and release the group's header.
 */
static bool
pin_row_header(Relation rel, RowNumber row, Buffer header_buffer,
			   const SegmentData *segment, RowPlace *place)
{
	uint32		offset = row_number_offset(row);
	RowHeaderPlace header;
	bool		found;

	if (offset - segment_first(segment) >= segment->nslots)
	{
		UnlockReleaseBuffer(header_buffer);
		return false;
	}
	place->segment = *segment;

	found = row_header_find(rel, group_header(header_buffer), offset, &header);
	UnlockReleaseBuffer(header_buffer);
	if (!found)
	{
		if (!row_header_add(rel, row_number_group(row), offset, &header))
			return false;
		upkeep_count_header(rel, row_number_group(row));
	}
	place_set(place, row, header.buffer, header.offnum, true);
	return true;
}

bool
row_place_pin(Relation rel, RowNumber row, RowPlace *place)
{
	bool		is_flushed = false;

	if (row == InvalidRowNumber || row_number_group(row) > MAX_GROUP)
		return false;

	for (;;)
	{
		Buffer		buffer = group_read(rel, row_number_group(row),
										BUFFER_LOCK_SHARE);
		SegmentData *segment;
		bool		is_own;

		if (!BufferIsValid(buffer))
			return false;
		segment = group_find_segment(group_header(buffer),
									 row_number_offset(row));
		if (segment != NULL && segment->form == SEGMENT_ROWS)
			return pin_on_row_page(rel, row, buffer, place);
		if (segment != NULL && segment->form == SEGMENT_COLUMNS)
			return pin_row_header(rel, row, buffer, segment, place);

		is_own = segment != NULL && segment->form == SEGMENT_ANNOUNCED &&
			TransactionIdIsCurrentTransactionId(XidFromFullTransactionId(segment->owner));
		UnlockReleaseBuffer(buffer);
		if (!is_own || is_flushed)
			return false;
		load_buffer_flush_for(rel, NULL);
		is_flushed = true;
	}
}

void
row_place_release(RowPlace *place)
{
	ReleaseBuffer(place->buffer);
	place->buffer = InvalidBuffer;
}

void
row_place_tuple(Relation rel, const RowPlace *place, HeapTuple tuple)
{
	Page		page = BufferGetPage(place->buffer);
	ItemId		item = PageGetItemId(page,
									 ItemPointerGetOffsetNumber(&place->address));

	/* it was normal when it was pinned, and stays so */
	Assert(ItemIdIsNormal(item));
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, item);
	tuple->t_len = ItemIdGetLength(item);
	tuple->t_self = place->address;
	tuple->t_tableOid = RelationGetRelid(rel);
}

void
row_place_translate(const RowPlace *place, ItemPointer ctid)
{
	if (item_pointer_is_row_link(ctid))
		row_link_get(ctid, ctid);
	else if (!ItemPointerIndicatesMovedPartitions(ctid))
		row_number_to_tid(place->row, ctid);
}

/* ---- looking ---- */

/*
 * Note what a tuple says, which is in the locked buffer and has the logical
 * TID.
 */
static void
look_at_tuple(Relation rel, HeapTuple tuple, Buffer buffer, Snapshot snapshot,
			  RowLook *look)
{
	HeapTupleHeader header = tuple->t_data;

	look->is_visible = HeapTupleSatisfiesVisibility(tuple, snapshot, buffer);
	HeapCheckForSerializableConflictOut(look->is_visible, rel, tuple, buffer,
										snapshot);
	memcpy(&look->header, header, SizeofHeapTupleHeader);

	ItemPointerSetInvalid(&look->next);
	if ((header->t_infomask & HEAP_XMAX_INVALID) != 0 ||
		HeapTupleHeaderIsOnlyLocked(header))
		return;
	if (item_pointer_is_row_link(&header->t_ctid))
		row_link_get(&header->t_ctid, &look->next);
	else if (HeapTupleHeaderIndicatesMovedPartitions(header))
		look->next = header->t_ctid;
}

/*
 * Look at a column-form row: at its header, if it has one, else at its
 * segment's.
 */
static bool
look_at_columns(Relation rel, RowNumber row, Buffer header_buffer,
				SegmentData *segment, Snapshot snapshot, RowLook *look)
{
	uint32		offset = row_number_offset(row);
	HeapTupleData tuple;
	Buffer		buffer;

	if (offset - segment_first(segment) >= segment->nslots)
		return false;
	if (row_header_lock(rel, group_header(header_buffer), offset, &buffer,
						&tuple))
	{
		look_at_tuple(rel, &tuple, buffer, snapshot, look);
		UnlockReleaseBuffer(buffer);
	}
	else
	{
		segment_tuple(rel, segment, row, &tuple);
		look_at_tuple(rel, &tuple, header_buffer, snapshot, look);
	}
	return true;
}

static bool
look_at_row_page(Relation rel, RowNumber row, Buffer header_buffer,
				 Snapshot snapshot, RowLook *look)
{
	uint32		offset = row_number_offset(row);
	RowMapEntry entry;
	HeapTupleData tuple;
	Buffer		buffer;
	bool		found;

	if (!group_find_row_page(rel, group_header(header_buffer), offset, &entry))
		return false;
	buffer = block_read(rel, entry.blkno, NULL);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(rel, buffer, entry.nrows);
	found = row_page_tuple(rel, buffer, offset - entry.first + 1, row, &tuple);
	if (found)
		look_at_tuple(rel, &tuple, buffer, snapshot, look);
	UnlockReleaseBuffer(buffer);
	return found;
}

bool
row_place_look(Relation rel, RowNumber row, Snapshot snapshot, RowLook *look)
{
	Buffer		buffer;
	SegmentData *segment;
	bool		found = false;

	if (row == InvalidRowNumber || row_number_group(row) > MAX_GROUP)
		return false;
	buffer = group_read(rel, row_number_group(row), BUFFER_LOCK_SHARE);
	if (!BufferIsValid(buffer))
		return false;

	segment = group_find_segment(group_header(buffer), row_number_offset(row));
	if (segment != NULL && segment->form == SEGMENT_ROWS)
		found = look_at_row_page(rel, row, buffer, snapshot, look);
	else if (segment != NULL && segment->form == SEGMENT_COLUMNS)
		found = look_at_columns(rel, row, buffer, segment, snapshot, look);
	UnlockReleaseBuffer(buffer);
	return found;
}
