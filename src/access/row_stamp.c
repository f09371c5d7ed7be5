/*
 * row_stamp.c
 *		Marking a version of a row as updated or deleted.
 *
 * The part of heap_update that changes pages: the server's function cannot be
 * called, because it chooses the new version's page by itself.  The old version
 * is a tuple of a row page, or a row header.
 *
 * An update is two records.  The first is heap's, so that logical decoding
 * understands it; its redo makes t_ctid of the old version the physical address
 * of the new one.  The second, Generic one makes it a link (row_link.h).  Both
 * are written under the same content locks, and if there is a crash in between
 * then the updater has aborted and t_ctid means nothing.
 *
 * (U1) The old version's xmax is judged, and changed, without giving up its
 * page's exclusive lock in between.
 * (U2) The pages of the old and of the new version are locked in the order of
 * their blocks.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/hio.h"
#include "access/multixact.h"
#include "access/row_form.h"
#include "access/row_identity.h"
#include "access/row_link.h"
#include "access/row_stamp.h"
#include "access/row_xmax.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/page_delta.h"
#include "storage/predicate.h"

/* ---- judging ---- */

/*
 * May the version, in its locked buffer, be changed?  What it says of itself
 * is what heap_update and heap_delete go by.
 */
static TM_Result
judge_old(const RowStamp *stamp, HeapTuple old, bool is_update,
		  TM_FailureData *tmfd)
{
	TM_Result	result = HeapTupleSatisfiesUpdate(old, stamp->cid,
												  stamp->place->buffer);

	if (result == TM_Invisible)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 is_update ? errmsg("attempted to update invisible tuple") :
				 errmsg("attempted to delete invisible tuple")));

	/* those who have it locked beside us do not mind */
	if (result == TM_BeingModified &&
		(stamp->is_locked || row_xmax_is_own(old->t_data)))
		result = TM_Ok;
	if (result == TM_Ok && stamp->crosscheck != InvalidSnapshot &&
		!HeapTupleSatisfiesVisibility(old, stamp->crosscheck,
									  stamp->place->buffer))
		result = TM_Updated;

	if (result != TM_Ok)
	{
		tmfd->ctid = old->t_data->t_ctid;
		tmfd->xmax = HeapTupleHeaderGetUpdateXid(old->t_data);
		tmfd->cmax = (result == TM_SelfModified) ?
			HeapTupleHeaderGetCmax(old->t_data) : InvalidCommandId;
	}
	return result;
}

/*
 * Mark the old version: xmax, cmax, and where it leads to.
 */
static void
mark_old(HeapTuple old, const RowXmax *xmax, CommandId cmax, bool is_combo,
		 const ItemPointerData *ctid)
{
	HeapTupleHeader header = old->t_data;

	header->t_infomask &= ~HEAP_MOVED;
	row_xmax_set(header, xmax);
	HeapTupleHeaderClearHotUpdated(header);
	HeapTupleHeaderSetCmax(header, cmax, is_combo);
	header->t_ctid = *ctid;
}

/* The flag for an identity in a record, which differs by record. */
static inline uint8
identity_flag(const RowStamp *stamp, uint8 tuple_flag, uint8 key_flag)
{
	if (stamp->identity == NULL)
		return 0;
	return stamp->rel->rd_rel->relreplident == REPLICA_IDENTITY_FULL ?
		tuple_flag : key_flag;
}

/* ---- updating ---- */

/*
 * Lock the old version's page and one that has room for the new version, which
 * may be the same (U2).
 */
static Buffer
lock_pages(const RowStamp *stamp, HeapTuple tuple, RowFormPage *page)
{
	Buffer		old_buffer = stamp->place->buffer;

	for (;;)
	{
		Buffer		buffer = row_form_lock_page(stamp->rel, tuple, page);

		if (buffer == old_buffer || ConditionalLockBuffer(old_buffer))
			return buffer;

		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		if (BufferGetBlockNumber(old_buffer) < BufferGetBlockNumber(buffer))
		{
			LockBuffer(old_buffer, BUFFER_LOCK_EXCLUSIVE);
			LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		}
		else
		{
			LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
			LockBuffer(old_buffer, BUFFER_LOCK_EXCLUSIVE);
		}
		if (row_form_page_takes(buffer, page, tuple))
			return buffer;

		LockBuffer(old_buffer, BUFFER_LOCK_UNLOCK);
		UnlockReleaseBuffer(buffer);
		CHECK_FOR_INTERRUPTS();
	}
}

static void
unlock_pages(const RowStamp *stamp, Buffer buffer)
{
	if (buffer != stamp->place->buffer)
		LockBuffer(stamp->place->buffer, BUFFER_LOCK_UNLOCK);
	UnlockReleaseBuffer(buffer);
}

/*
 * Log the update as heap does.  tuple->t_self is its physical address.
 */
static void
log_update(const RowStamp *stamp, Buffer buffer, HeapTuple old,
		   HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	Buffer		old_buffer = stamp->place->buffer;
	uint8		info = XLOG_HEAP_UPDATE;
	int			buffer_flags = REGBUF_STANDARD;
	xl_heap_update record;
	xl_heap_header tuple_header;
	XLogRecPtr	lsn;

	record.flags = 0;
	if (RelationIsLogicallyLogged(stamp->rel))
	{
		record.flags |= XLH_UPDATE_CONTAINS_NEW_TUPLE |
			identity_flag(stamp, XLH_UPDATE_CONTAINS_OLD_TUPLE,
						  XLH_UPDATE_CONTAINS_OLD_KEY);
		buffer_flags |= REGBUF_KEEP_DATA;
	}
	record.old_offnum = ItemPointerGetOffsetNumber(&old->t_self);
	record.old_xmax = HeapTupleHeaderGetRawXmax(old->t_data);
	record.old_infobits_set = row_xmax_infobits(old->t_data);
	record.new_offnum = ItemPointerGetOffsetNumber(&tuple->t_self);
	record.new_xmax = HeapTupleHeaderGetRawXmax(header);
	if (record.new_offnum == FirstOffsetNumber)
	{
		info |= XLOG_HEAP_INIT_PAGE;
		buffer_flags |= REGBUF_WILL_INIT;
	}

	tuple_header.t_infomask2 = header->t_infomask2;
	tuple_header.t_infomask = header->t_infomask;
	tuple_header.t_hoff = header->t_hoff;

	XLogBeginInsert();
	XLogRegisterBuffer(0, buffer, buffer_flags);
	if (buffer != old_buffer)
		XLogRegisterBuffer(1, old_buffer, REGBUF_STANDARD);
	XLogRegisterData((char *) &record, SizeOfHeapUpdate);
	XLogRegisterBufData(0, (char *) &tuple_header, SizeOfHeapHeader);
	XLogRegisterBufData(0, (char *) header + SizeofHeapTupleHeader,
						tuple->t_len - SizeofHeapTupleHeader);
	if (record.flags & XLH_UPDATE_CONTAINS_OLD)
		row_identity_register(stamp->identity);
	XLogSetRecordFlags(XLOG_INCLUDE_ORIGIN);
	lsn = XLogInsert(RM_HEAP_ID, info);

	PageSetLSN(BufferGetPage(buffer), lsn);
	PageSetLSN(BufferGetPage(old_buffer), lsn);
}

/*
 * Give the new version its header: who made it, and who has it locked already
 * because he had the old one locked.
 */
static void
stamp_new(const RowStamp *stamp, HeapTuple old, HeapTuple tuple)
{
	TransactionId xid = GetCurrentTransactionId();
	RowXmax		xmax;

	row_form_stamp(stamp->rel, tuple, xid, stamp->cid, 0);
	row_xmax_inherit(old->t_data,
					 stamp->lock_is_new ? xid : InvalidTransactionId, &xmax);
	row_xmax_set(tuple->t_data, &xmax);
	tuple->t_data->t_infomask |= HEAP_UPDATED;
}

/*
 * Make t_ctid of the old version a link to a row; the second record.
 */
static void
write_link(const RowStamp *stamp, HeapTuple old, RowNumber row)
{
	ItemPointerData tid;
	PageDelta	delta;

	row_number_to_tid(row, &tid);
	row_link_set(&old->t_data->t_ctid, &tid);
	page_delta_begin(&delta, stamp->place->buffer);
	page_delta_add(&delta, &old->t_data->t_ctid, sizeof(ItemPointerData));
	page_delta_log(stamp->rel, &delta, 1);
}

/*
 * Put the new version on its page and mark the old one, both locked, and log
 * that.
 */
static void
write_update(const RowStamp *stamp, Buffer buffer, HeapTuple old,
			 HeapTuple tuple, RowNumber row)
{
	TransactionId xid = GetCurrentTransactionId();
	CommandId	cmax = stamp->cid;
	bool		is_combo;
	RowXmax		xmax;

	/* what may fail comes first */
	MultiXactIdSetOldestMember();
	row_xmax_add(old->t_data, xid, stamp->mode, true, &xmax);
	stamp_new(stamp, old, tuple);
	HeapTupleHeaderAdjustCmax(old->t_data, &cmax, &is_combo);

	START_CRIT_SECTION();
	RelationPutHeapTuple(stamp->rel, buffer, tuple, false);
	mark_old(old, &xmax, cmax, is_combo, &tuple->t_self);
	PageSetPrunable(BufferGetPage(stamp->place->buffer), xid);
	MarkBufferDirty(buffer);
	MarkBufferDirty(stamp->place->buffer);
	if (RelationNeedsWAL(stamp->rel))
		log_update(stamp, buffer, old, tuple);
	write_link(stamp, old, row);
	END_CRIT_SECTION();
}

TM_Result
row_stamp_update(const RowStamp *stamp, HeapTuple tuple, TM_FailureData *tmfd)
{
	const RowPlace *place = stamp->place;
	RowFormPage page;
	Buffer		buffer = lock_pages(stamp, tuple, &page);
	bool		is_new_page = buffer != place->buffer;
	HeapTupleData old;
	TM_Result	result;
	RowNumber	row;

	row_place_tuple(stamp->rel, place, &old);
	result = judge_old(stamp, &old, true, tmfd);
	if (result != TM_Ok)
	{
		unlock_pages(stamp, buffer);
		return result;
	}
	row = row_form_next_row(buffer, &page);
	write_update(stamp, buffer, &old, tuple, row);
	unlock_pages(stamp, buffer);

	row_number_to_tid(row, &tuple->t_self);
	pgstat_count_heap_update(stamp->rel, false, is_new_page);
	return TM_Ok;
}

/* ---- deleting ---- */

static void
log_delete(const RowStamp *stamp, HeapTuple old, bool moves)
{
	xl_heap_delete record;
	XLogRecPtr	lsn;

	record.flags = identity_flag(stamp, XLH_DELETE_CONTAINS_OLD_TUPLE,
								 XLH_DELETE_CONTAINS_OLD_KEY);
	if (moves)
		record.flags |= XLH_DELETE_IS_PARTITION_MOVE;
	record.infobits_set = row_xmax_infobits(old->t_data);
	record.offnum = ItemPointerGetOffsetNumber(&old->t_self);
	record.xmax = HeapTupleHeaderGetRawXmax(old->t_data);

	XLogBeginInsert();
	XLogRegisterData((char *) &record, SizeOfHeapDelete);
	XLogRegisterBuffer(0, stamp->place->buffer, REGBUF_STANDARD);
	if (stamp->identity != NULL)
		row_identity_register(stamp->identity);
	XLogSetRecordFlags(XLOG_INCLUDE_ORIGIN);
	lsn = XLogInsert(RM_HEAP_ID, XLOG_HEAP_DELETE);
	PageSetLSN(BufferGetPage(stamp->place->buffer), lsn);
}

static void
write_delete(const RowStamp *stamp, HeapTuple old, bool moves)
{
	TransactionId xid = GetCurrentTransactionId();
	CommandId	cmax = stamp->cid;
	bool		is_combo;
	RowXmax		xmax;

	MultiXactIdSetOldestMember();
	row_xmax_add(old->t_data, xid, stamp->mode, true, &xmax);
	HeapTupleHeaderAdjustCmax(old->t_data, &cmax, &is_combo);

	START_CRIT_SECTION();
	mark_old(old, &xmax, cmax, is_combo, &old->t_self);
	if (moves)
		HeapTupleHeaderSetMovedPartitions(old->t_data);
	PageSetPrunable(BufferGetPage(stamp->place->buffer), xid);
	MarkBufferDirty(stamp->place->buffer);
	if (RelationNeedsWAL(stamp->rel))
		log_delete(stamp, old, moves);
	END_CRIT_SECTION();
}

TM_Result
row_stamp_delete(const RowStamp *stamp, bool moves, TM_FailureData *tmfd)
{
	Buffer		buffer = stamp->place->buffer;
	HeapTupleData old;
	TM_Result	result;

	/* whoever deletes a row-form row removes its values outside, too */
	Assert(stamp->place->is_header);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	row_place_tuple(stamp->rel, stamp->place, &old);
	result = judge_old(stamp, &old, false, tmfd);
	if (result == TM_Ok)
		write_delete(stamp, &old, moves);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	if (result == TM_Ok)
		pgstat_count_heap_delete(stamp->rel);
	return result;
}
