/*
 * row_change.c
 *		The callbacks that delete and update rows.
 *
 * A delete is heap_delete on the tuple that stands for the row.  An update
 * first tries to mark the old version (row_stamp.c), which never waits; if
 * somebody is in the way, or if TOAST values have to be written, which would be
 * left over if the update came to nothing, it locks the old version with
 * heap_lock_tuple, which knows how to wait, and marks it then.
 *
 * A row's place stays pinned all the while (row_place.c).  heap's code gets
 * the physical address; what leaves this file are logical TIDs.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/row_form.h"
#include "access/row_identity.h"
#include "access/row_old.h"
#include "access/row_place.h"
#include "access/row_stamp.h"
#include "access/row_xmax.h"
#include "access/table_am.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "storage/predicate.h"

/* ---- for both ---- */

/*
 * There is no such row any more.  Whoever sees a row keeps it from vanishing,
 * so this is of no consequence but for stray TIDs.
 */
static TM_Result
report_gone(ItemPointer tid, TM_FailureData *tmfd)
{
	tmfd->ctid = *tid;
	tmfd->xmax = InvalidTransactionId;
	tmfd->cmax = InvalidCommandId;
	return TM_Deleted;
}

/*
 * Serializable: somebody may have read the row that has been changed.  heap's
 * own checks ask for the physical address, which nobody locks.  Not before the
 * change: who must wait, or finds that somebody was faster, is told so first.
 */
static void
check_readers(Relation rel, ItemPointer tid)
{
	CheckForSerializableConflictIn(rel, tid, ItemPointerGetBlockNumber(tid));
}

/*
 * Does this transaction, and nobody else, have the version locked?
 */
static bool
is_locked_by_us(const RowStamp *stamp)
{
	HeapTupleData tuple;
	bool		result;

	LockBuffer(stamp->place->buffer, BUFFER_LOCK_SHARE);
	row_place_tuple(stamp->rel, stamp->place, &tuple);
	result = row_xmax_is_own(tuple.t_data);
	LockBuffer(stamp->place->buffer, BUFFER_LOCK_UNLOCK);
	return result;
}

/*
 * Lock the version at a place, waiting for whoever is in the way, as a first
 * step to change it.
 */
static TM_Result
lock_old(RowStamp *stamp, bool wait, bool is_update, TM_FailureData *tmfd)
{
	bool		was_locked = is_locked_by_us(stamp);
	HeapTupleData tuple;
	Buffer		buffer;
	TM_Result	result;

	tuple.t_self = stamp->place->address;
	result = heap_lock_tuple(stamp->rel, &tuple, stamp->cid, stamp->mode,
							 wait ? LockWaitBlock : LockWaitSkip, false,
							 &buffer, tmfd);
	ReleaseBuffer(buffer);

	if (result == TM_Invisible)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 is_update ? errmsg("attempted to update invisible tuple") :
				 errmsg("attempted to delete invisible tuple")));
	if (result == TM_WouldBlock)
		result = TM_BeingModified;
	stamp->is_locked = result == TM_Ok;
	stamp->lock_is_new = !was_locked;
	return result;
}

/* ---- deleting ---- */

/*
 * Delete a column-form row whose old values decoding wants to know: heap_delete
 * would look for them on the page.
 */
static TM_Result
delete_with_identity(RowStamp *stamp, bool wait, bool moves,
					 TM_FailureData *tmfd)
{
	RowOld	   *old = row_old_get(stamp->rel);
	TM_Result	result;

	result = lock_old(stamp, wait, false, tmfd);
	if (result != TM_Ok)
		return result;
	stamp->identity = row_identity_form(stamp->rel,
										row_old_fetch(old, stamp->rel,
													  stamp->place),
										true);
	row_old_clear(old);
	result = row_stamp_delete(stamp, moves, tmfd);
	if (stamp->identity)
		heap_freetuple(stamp->identity);
	return result;
}

TM_Result
columnar_tuple_delete(Relation rel, ItemPointer tid, CommandId cid,
					  Snapshot snapshot, Snapshot crosscheck, bool wait,
					  TM_FailureData *tmfd, bool changing_part)
{
	RowPlace	place;
	TM_Result	result;

	/* before a row header is made */
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot delete tuples during a parallel operation")));
	table_modify_check(rel);
	if (!row_place_pin(rel, row_number_from_tid(tid), &place))
		return report_gone(tid, tmfd);

	if (place.is_header && row_identity_is_logged(rel))
	{
		RowStamp	stamp = {
			.rel = rel, .place = &place, .cid = cid,
			.crosscheck = crosscheck, .mode = LockTupleExclusive
		};

		result = delete_with_identity(&stamp, wait, changing_part, tmfd);
	}
	else
		result = heap_delete(rel, &place.address, cid, crosscheck, wait, tmfd,
							 changing_part);
	if (result == TM_Ok)
		check_readers(rel, tid);
	else
		row_place_translate(&place, &tmfd->ctid);
	row_place_release(&place);
	return result;
}

/* ---- updating ---- */

/* An update under way. */
typedef struct RowUpdate
{
	RowStamp	stamp;
	TupleTableSlot *slot;		/* the new version */
	HeapTuple	tuple;			/* it as a tuple, from the slot */
	HeapTuple	old;			/* a copy of the old one, if that is needed for
								 * TOAST */
	bool		wait;
} RowUpdate;

/*
 * Look at the old version as far as it matters: sets the mode of the lock, the
 * identity, and the old tuple.
 */
static void
compare_old(RowUpdate *update)
{
	RowStamp   *stamp = &update->stamp;
	RowOld	   *old = row_old_get(stamp->rel);
	const Bitmapset *key = row_old_key(old);
	const Bitmapset *identity = row_old_identity(old);
	TupleTableSlot *old_slot;

	stamp->mode = LockTupleNoKeyExclusive;
	if (key == NULL && identity == NULL && !stamp->place->has_external)
		return;

	old_slot = row_old_fetch(old, stamp->rel, stamp->place);
	if (row_old_differs(old, update->slot, key, NULL))
		stamp->mode = LockTupleExclusive;
	if (identity != NULL)
	{
		bool		is_external;
		bool		differs = row_old_differs(old, update->slot, identity,
											  &is_external);

		stamp->identity = row_identity_form(stamp->rel, old_slot,
											differs || is_external);
	}
	if (stamp->place->has_external)
		update->old = ExecCopySlotHeapTuple(old_slot);
	row_old_clear(old);
}

/*
 * Mark the old version, with a lock before if that cannot be done at once;
 * *stored is the new version as it was put on its page.
 */
static TM_Result
replace_old(RowUpdate *update, HeapTuple *stored, TM_FailureData *tmfd)
{
	RowStamp   *stamp = &update->stamp;
	TM_Result	result;

	*stored = update->tuple;
	if (update->old == NULL && !HeapTupleHasExternal(update->tuple) &&
		update->tuple->t_len <= TOAST_TUPLE_THRESHOLD)
	{
		result = row_stamp_update(stamp, *stored, tmfd);
		if (result != TM_BeingModified || !update->wait)
			return result;
	}

	result = lock_old(stamp, update->wait, true, tmfd);
	if (result != TM_Ok)
		return result;
	*stored = row_form_toast(stamp->rel, update->tuple, update->old, 0);
	return row_stamp_update(stamp, *stored, tmfd);
}

static TM_Result
update_at_place(RowUpdate *update, TM_FailureData *tmfd)
{
	HeapTuple	stored;
	TM_Result	result;

	compare_old(update);
	result = replace_old(update, &stored, tmfd);
	if (result == TM_Ok)
	{
		update->slot->tts_tid = stored->t_self;
		if (TTS_IS_COLUMNAR(update->slot))
			columnar_slot_set_header(update->slot, stored->t_data);
	}
	else
		row_place_translate(update->stamp.place, &tmfd->ctid);

	if (stored != update->tuple)
		heap_freetuple(stored);
	if (update->old)
		heap_freetuple(update->old);
	if (update->stamp.identity)
		heap_freetuple(update->stamp.identity);
	return result;
}

TM_Result
columnar_tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot,
					  CommandId cid, Snapshot snapshot, Snapshot crosscheck,
					  bool wait, TM_FailureData *tmfd,
					  LockTupleMode *lockmode,
					  TU_UpdateIndexes *update_indexes)
{
	/* otid may be a part of the slot */
	ItemPointerData tid = *otid;
	RowPlace	place;
	RowUpdate	update = {
		.stamp = {
			.rel = rel, .place = &place, .cid = cid, .crosscheck = crosscheck
		},
		.slot = slot, .wait = wait
	};
	bool		should_free;
	TM_Result	result;

	*update_indexes = TU_None;
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot update tuples during a parallel operation")));
	table_modify_check(rel);
	if (!row_place_pin(rel, row_number_from_tid(&tid), &place))
	{
		*lockmode = LockTupleExclusive;
		return report_gone(&tid, tmfd);
	}

	update.tuple = ExecFetchSlotHeapTuple(slot, true, &should_free);
	slot->tts_tableOid = RelationGetRelid(rel);
	update.tuple->t_tableOid = RelationGetRelid(rel);

	result = update_at_place(&update, tmfd);
	*lockmode = update.stamp.mode;
	if (result == TM_Ok)
	{
		/* every row has a number of its own: there are no HOT updates */
		*update_indexes = TU_All;
		check_readers(rel, &tid);
	}

	if (should_free)
		heap_freetuple(update.tuple);
	row_place_release(&place);
	return result;
}
