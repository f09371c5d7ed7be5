/*
 * row_lock.c
 *		The callback that locks rows.
 *
 * heap_lock_tuple on the tuple that stands for the row, and then what it cannot
 * do here because t_ctid is no physical address: find the last version of the
 * row, and lock newer versions than the one that was asked for.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/row_chain.h"
#include "access/row_fetch.h"
#include "access/row_link.h"
#include "access/row_place.h"
#include "access/table_am.h"
#include "access/xact.h"
#include "utils/snapmgr.h"

/*
 * If the version that has just been locked was updated nevertheless, which a
 * key-share lock allows, set *newer to its successor.
 */
static bool
is_updated(Relation rel, const RowPlace *place, ItemPointer newer)
{
	HeapTupleData tuple;
	HeapTupleHeader header;
	bool		result;

	LockBuffer(place->buffer, BUFFER_LOCK_SHARE);
	row_place_tuple(rel, place, &tuple);
	header = tuple.t_data;
	result = (header->t_infomask & HEAP_XMAX_INVALID) == 0 &&
		!HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask) &&
		item_pointer_is_row_link(&header->t_ctid);
	if (result)
		row_link_get(&header->t_ctid, newer);
	LockBuffer(place->buffer, BUFFER_LOCK_UNLOCK);
	return result;
}

/*
 * heap_lock_tuple follows updates before it locks the first version; here it
 * is the other way round.  Whoever updates a version from then on hands the
 * lock on to its successor, so none is missed.
 */
static TM_Result
lock_newer_versions(Relation rel, const RowPlace *place, ItemPointer newer,
					LockTupleMode mode, TM_FailureData *tmfd)
{
	TM_Result	result = row_chain_lock(rel, *newer, mode);

	if (result != TM_Ok)
	{
		HeapTupleData tuple;

		LockBuffer(place->buffer, BUFFER_LOCK_SHARE);
		row_place_tuple(rel, place, &tuple);
		tmfd->ctid = *newer;
		tmfd->xmax = HeapTupleHeaderGetUpdateXid(tuple.t_data);
		tmfd->cmax = InvalidCommandId;
		LockBuffer(place->buffer, BUFFER_LOCK_UNLOCK);
	}
	return result;
}

/*
 * Lock one version, and newer ones if follow.
 */
static TM_Result
lock_version(Relation rel, const RowPlace *place, CommandId cid,
			 LockTupleMode mode, LockWaitPolicy wait_policy, bool follow,
			 TM_FailureData *tmfd)
{
	HeapTupleData tuple;
	ItemPointerData newer;
	Buffer		buffer;
	TM_Result	result;

	tuple.t_self = place->address;
	result = heap_lock_tuple(rel, &tuple, cid, mode, wait_policy, false,
							 &buffer, tmfd);
	ReleaseBuffer(buffer);
	if (result == TM_Ok && follow && mode == LockTupleKeyShare &&
		is_updated(rel, place, &newer))
		return lock_newer_versions(rel, place, &newer, mode, tmfd);
	if (result != TM_Ok && result != TM_Invisible)
		row_place_translate(place, &tmfd->ctid);
	return result;
}

/*
 * Lock the version *tid, or the last one if that is asked for, whose TID *tid
 * then is.
 */
static TM_Result
lock_row(Relation rel, ItemPointer tid, CommandId cid, LockTupleMode mode,
		 LockWaitPolicy wait_policy, uint8 flags, TM_FailureData *tmfd)
{
	bool		follow = (flags & TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS) != 0;
	bool		find_last = (flags & TUPLE_LOCK_FLAG_FIND_LAST_VERSION) != 0;

	tmfd->traversed = false;
	for (;;)
	{
		RowPlace	place;
		TM_Result	result;

		if (!row_place_pin(rel, row_number_from_tid(tid), &place))
		{
			tmfd->ctid = *tid;
			tmfd->xmax = InvalidTransactionId;
			tmfd->cmax = InvalidCommandId;
			return TM_Deleted;
		}
		result = lock_version(rel, &place, cid, mode, wait_policy, follow,
							  tmfd);
		row_place_release(&place);
		if (result != TM_Updated || !find_last)
			return result;

		if (ItemPointerEquals(&tmfd->ctid, tid))
			return TM_Deleted;
		*tid = tmfd->ctid;
		tmfd->traversed = true;
		result = row_chain_find_last(rel, tid, cid, wait_policy, tmfd);
		if (result != TM_Ok)
			return result;
	}
}

TM_Result
columnar_tuple_lock(Relation rel, ItemPointer tid, Snapshot snapshot,
					TupleTableSlot *slot, CommandId cid, LockTupleMode mode,
					LockWaitPolicy wait_policy, uint8 flags,
					TM_FailureData *tmfd)
{
	TM_Result	result = lock_row(rel, tid, cid, mode, wait_policy, flags,
								  tmfd);

	/* callers look at the row even if it is not theirs to lock */
	if (!row_fetch(rel, row_number_from_tid(tid), SnapshotAny, slot, NULL) &&
		result == TM_Ok)
		elog(ERROR, "could not fetch a locked row of relation \"%s\"",
			 RelationGetRelationName(rel));
	return result;
}
