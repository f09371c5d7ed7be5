/*
 * row_fetch.c
 *		One row by its number.
 *
 * Serves index scans, TID scans, triggers and uniqueness checks, under every
 * type of snapshot.  The group's header is read each time, so that the answer
 * is that of this moment whatever happened to the group's segments; what is
 * kept between fetches, by the slot's RowFetcher, is decoded values only, which
 * a segment that is still the same makes good.
 *
 * A row of another transaction that is announced but not published cannot be
 * read.  No snapshot sees it; SnapshotDirty gets its writer to wait for.
 * Publication precedes the writer's commit, so once the writer is found to have
 * ended, a second look at the header shows the final state.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/load_buffer.h"
#include "access/row_fetch.h"
#include "access/row_fetcher.h"
#include "access/subtrans.h"
#include "access/transam.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "storage/predicate.h"
#include "storage/procarray.h"
#include "storage/row_header.h"
#include "storage/row_set.h"
#include "utils/snapmgr.h"

/* One fetch. */
typedef struct RowFetch
{
	Relation	rel;
	RowNumber	row;
	uint32		offset;			/* in the group */
	Snapshot	snapshot;
	TupleTableSlot *slot;		/* ours, or NULL */
	bool		is_dead;		/* nobody will ever see the row */
} RowFetch;

/* ---- deleted rows ---- */

/* Is the row in one of the group's deleted sets? */
static bool
row_is_deleted(RowFetch *fetch, const GroupHeaderData *header)
{
	return row_set_contains(fetch->rel, &header->dead, fetch->offset) ||
		row_set_contains(fetch->rel, &header->gone, fetch->offset);
}

/* ---- by form ---- */

/*
 * Judge the tuple that stands for the row, in the locked buffer.
 */
static bool
tuple_is_visible(RowFetch *fetch, HeapTuple tuple, Buffer buffer)
{
	bool		visible = HeapTupleSatisfiesVisibility(tuple, fetch->snapshot,
													   buffer);

	HeapCheckForSerializableConflictOut(visible, fetch->rel, tuple, buffer,
										fetch->snapshot);
	if (visible)
		PredicateLockTID(fetch->rel, &tuple->t_self, fetch->snapshot,
						 HeapTupleHeaderGetXmin(tuple->t_data));
	else
		fetch->is_dead = HeapTupleIsSurelyDead(tuple, GlobalVisTestFor(fetch->rel));
	return visible;
}

/* A copy of a tuple's header, aligned as the original. */
typedef union HeaderCopy
{
	char		bytes[MAXALIGN(SizeofHeapTupleHeader)];
	HeapTupleHeaderData tuple;
} HeaderCopy;

/*
 * Judge a row of a segment in column form that exists, while the group's header
 * is locked: by the row's own header, if *has_header, which is copied to
 * *header, else by the segment's.
 */
static bool
column_row_is_visible(RowFetch *fetch, Buffer buffer, SegmentData *segment,
					  bool *has_header, HeaderCopy *header)
{
	Buffer		row_buffer;
	HeapTupleData tuple;
	bool		visible;

	*has_header = row_header_lock(fetch->rel, group_header(buffer),
								  fetch->offset, &row_buffer, &tuple);
	if (!*has_header)
	{
		segment_tuple(fetch->rel, segment, fetch->row, &tuple);
		return tuple_is_visible(fetch, &tuple, buffer);
	}

	visible = tuple_is_visible(fetch, &tuple, row_buffer);
	memcpy(header->bytes, tuple.t_data, SizeofHeapTupleHeader);
	UnlockReleaseBuffer(row_buffer);
	return visible;
}

/*
 * A row of a segment in column form.  Releases the header.
 */
static bool
fetch_from_columns(RowFetch *fetch, Buffer buffer, SegmentData *segment)
{
	uint32		position = fetch->offset - segment_first(segment);
	uint32		group = group_header(buffer)->group;
	SegmentData copy;
	HeaderCopy	header;
	bool		has_header = false;
	bool		visible = false;

	if (position >= segment->nslots ||
		row_is_deleted(fetch, group_header(buffer)))
		fetch->is_dead = true;
	else
		visible = column_row_is_visible(fetch, buffer, segment, &has_header,
										&header);
	copy = *segment;
	UnlockReleaseBuffer(buffer);

	if (visible && fetch->slot)
	{
		RowFetcher *fetcher = row_fetcher_get(fetch->rel, fetch->slot);
		SegmentValues *values;

		values = row_fetcher_open(fetcher, fetch->rel, group, &copy);
		columnar_slot_store_row(fetch->slot, NULL, values, position);
		if (has_header)
			columnar_slot_set_header(fetch->slot, &header.tuple);
	}
	return visible;
}

/*
 * A row of a segment in row form.  The header stays locked until the row page
 * is, so that the mover cannot take the page away in between; releases it.
 */
static bool
fetch_from_row_page(RowFetch *fetch, Buffer header_buffer)
{
	GroupHeaderData *header = group_header(header_buffer);
	RowMapEntry entry;
	HeapTupleData tuple;
	Buffer		buffer;
	bool		visible = false;

	if (row_is_deleted(fetch, header))
	{
		fetch->is_dead = true;
		UnlockReleaseBuffer(header_buffer);
		return false;
	}
	if (!group_find_row_page(fetch->rel, header, fetch->offset, &entry))
	{
		UnlockReleaseBuffer(header_buffer);
		return false;
	}

	buffer = block_read(fetch->rel, entry.blkno, NULL);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	UnlockReleaseBuffer(header_buffer);

	row_page_check(fetch->rel, buffer, entry.nrows);
	if (row_page_tuple(fetch->rel, buffer, fetch->offset - entry.first + 1,
					   fetch->row, &tuple))
	{
		visible = tuple_is_visible(fetch, &tuple, buffer);
		if (visible && fetch->slot)
			columnar_slot_store_tuple(fetch->slot, NULL, &tuple);
	}
	UnlockReleaseBuffer(buffer);
	return visible;
}

/* ---- rows that are not published ---- */

/*
 * Can the snapshot see a row that this transaction has in a buffer?
 */
static bool
snapshot_sees_own_row(Snapshot snapshot, CommandId cmin)
{
	switch (snapshot->snapshot_type)
	{
		case SNAPSHOT_MVCC:
			return cmin < snapshot->curcid;
		case SNAPSHOT_HISTORIC_MVCC:
			return false;
		case SNAPSHOT_DIRTY:
			snapshot->xmin = snapshot->xmax = InvalidTransactionId;
			snapshot->speculativeToken = 0;
			return true;
		default:
			return true;
	}
}

/*
 * If the row is in a buffer of this backend, set *visible and return true.
 */
static bool
fetch_from_buffer(RowFetch *fetch, bool *visible)
{
	TransactionId xmin;
	CommandId	cmin;

	if (!load_buffer_fetch(fetch->rel, fetch->row, NULL, &xmin, &cmin))
		return false;
	*visible = snapshot_sees_own_row(fetch->snapshot, cmin);
	if (*visible && fetch->slot)
	{
		load_buffer_fetch(fetch->rel, fetch->row, fetch->slot, &xmin, &cmin);
		columnar_slots_set_writer(&fetch->slot, 1, xmin, cmin);
	}
	return true;
}

/* A stamp of long ago must not be taken for a running xid of today. */
static bool
writer_is_running(FullTransactionId owner)
{
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());

	return next - U64FromFullTransactionId(owner) < (UINT64CONST(1) << 31) &&
		TransactionIdIsInProgress(XidFromFullTransactionId(owner));
}

/*
 * A row that a running transaction is going to publish: nobody sees it, but
 * there are snapshots that want to know of it.
 */
static bool
fetch_unpublished(RowFetch *fetch, TransactionId writer)
{
	Snapshot	snapshot = fetch->snapshot;

	if (snapshot->snapshot_type != SNAPSHOT_DIRTY &&
		snapshot->snapshot_type != SNAPSHOT_NON_VACUUMABLE)
		return false;

	if (snapshot->snapshot_type == SNAPSHOT_DIRTY)
	{
		snapshot->xmin = writer;
		snapshot->xmax = InvalidTransactionId;
		snapshot->speculativeToken = 0;
	}
	if (fetch->slot)
	{
		columnar_slot_store_nulls(fetch->slot);
		row_number_to_tid(fetch->row, &fetch->slot->tts_tid);
		fetch->slot->tts_tableOid = RelationGetRelid(fetch->rel);
	}
	return true;
}

/*
 * Serializable: the snapshot does not see what a running transaction is going
 * to publish.  The writer will check for readers of the whole relation only;
 * readers of single rows find it here.
 */
static void
note_unpublished_writer(Relation rel, TransactionId writer, Snapshot snapshot)
{
	TransactionId xid;

	if (!CheckForSerializableConflictOutNeeded(rel, snapshot))
		return;
	xid = SubTransGetTopmostTransaction(writer);
	if (TransactionIdFollowsOrEquals(xid, TransactionXmin))
		CheckForSerializableConflictOut(rel, xid, snapshot);
}

/*
 * A row of an announced segment.  Sets *again if the header must be looked at
 * once more; was_ended says that this has been done.
 */
static bool
fetch_announced(RowFetch *fetch, FullTransactionId owner, bool was_ended,
				bool *again)
{
	TransactionId writer = XidFromFullTransactionId(owner);
	bool		visible;

	*again = false;
	if (fetch_from_buffer(fetch, &visible))
		return visible;
	if (TransactionIdIsCurrentTransactionId(writer))
		return false;			/* a number that is not used yet */
	if (!was_ended && writer_is_running(owner))
	{
		note_unpublished_writer(fetch->rel, writer, fetch->snapshot);
		return fetch_unpublished(fetch, writer);
	}

	/* the writer is gone, and so is the row unless it was just published */
	fetch->is_dead = was_ended;
	*again = !was_ended;
	return false;
}

/* ---- the fetch ---- */

static bool
fetch_row(RowFetch *fetch)
{
	bool		was_ended = false;

	for (;;)
	{
		Buffer		buffer = group_read(fetch->rel,
										row_number_group(fetch->row),
										BUFFER_LOCK_SHARE);
		SegmentData *segment;
		FullTransactionId owner;
		bool		again;
		bool		visible;

		if (!BufferIsValid(buffer))
			return false;
		segment = group_find_segment(group_header(buffer), fetch->offset);
		if (segment != NULL && segment->form == SEGMENT_COLUMNS)
			return fetch_from_columns(fetch, buffer, segment);
		if (segment != NULL && segment->form == SEGMENT_ROWS)
			return fetch_from_row_page(fetch, buffer);
		if (segment == NULL || segment->form != SEGMENT_ANNOUNCED)
		{
			fetch->is_dead = segment != NULL;
			UnlockReleaseBuffer(buffer);
			return false;
		}

		owner = segment->owner;
		UnlockReleaseBuffer(buffer);
		visible = fetch_announced(fetch, owner, was_ended, &again);
		if (!again)
			return visible;
		was_ended = true;
	}
}

/*
 * Fetch into a slot of another kind, through one of ours.
 */
static bool
fetch_into_foreign_slot(RowFetch *fetch, TupleTableSlot *slot)
{
	bool		visible;

	fetch->slot = MakeSingleTupleTableSlot(RelationGetDescr(fetch->rel),
										   &TTSOpsColumnarTuple);
	visible = fetch_row(fetch);
	if (visible)
	{
		ExecCopySlot(slot, fetch->slot);
		slot->tts_tid = fetch->slot->tts_tid;
		slot->tts_tableOid = fetch->slot->tts_tableOid;
	}
	ExecDropSingleTupleTableSlot(fetch->slot);
	return visible;
}

bool
row_fetch(Relation rel, RowNumber row, Snapshot snapshot,
		  TupleTableSlot *slot, bool *all_dead)
{
	RowFetch	fetch;
	bool		visible = false;

	fetch.rel = rel;
	fetch.row = row;
	fetch.offset = row_number_offset(row);
	fetch.snapshot = snapshot;
	fetch.slot = slot;
	fetch.is_dead = false;

	if (row != InvalidRowNumber && row_number_group(row) <= MAX_GROUP)
	{
		if (slot == NULL || TTS_IS_COLUMNAR(slot))
			visible = fetch_row(&fetch);
		else
			visible = fetch_into_foreign_slot(&fetch, slot);
	}
	if (all_dead)
		*all_dead = !visible && fetch.is_dead;
	return visible;
}

/* ---- bitmap scans ---- */

/* May rows of the TID block that begins at an offset have headers? */
static bool
block_has_headers(Relation rel, const GroupHeaderData *header, uint32 offset)
{
	BlockNumber *pages;
	int			npages;

	if (header->row_header_map == InvalidBlockNumber)
		return false;
	npages = row_header_pages(rel, header, offset, offset + TID_BLOCK_ROWS,
							  &pages);
	pfree(pages);
	return npages > 0;
}

/*
 * A scan's copy of the group's header may be older than the bitmap that names
 * the rows, so the header is looked at anew.
 */
bool
row_fetch_note_writer(Relation rel, RowNumber row, Snapshot snapshot)
{
	Buffer		buffer = group_read(rel, row_number_group(row),
									BUFFER_LOCK_SHARE);
	SegmentData *segment;
	FullTransactionId owner = InvalidFullTransactionId;
	bool		singly = false;

	if (!BufferIsValid(buffer))
		return false;
	segment = group_find_segment(group_header(buffer), row_number_offset(row));
	if (segment != NULL && segment->form == SEGMENT_ANNOUNCED)
		owner = segment->owner;
	else if (segment != NULL && segment->form == SEGMENT_COLUMNS &&
			 block_has_headers(rel, group_header(buffer), row_number_offset(row)))
		singly = true;
	else if (segment != NULL && segment->form == SEGMENT_COLUMNS)
	{
		HeapTupleData tuple;
		bool		visible;

		segment_tuple(rel, segment, row, &tuple);
		visible = HeapTupleSatisfiesVisibility(&tuple, snapshot, buffer);
		HeapCheckForSerializableConflictOut(visible, rel, &tuple, buffer,
											snapshot);
	}
	else
		singly = segment != NULL && segment->form == SEGMENT_ROWS;
	UnlockReleaseBuffer(buffer);

	if (FullTransactionIdIsValid(owner) &&
		!TransactionIdIsCurrentTransactionId(XidFromFullTransactionId(owner)) &&
		writer_is_running(owner))
		note_unpublished_writer(rel, XidFromFullTransactionId(owner), snapshot);
	return singly;
}
