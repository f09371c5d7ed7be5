/*
 * row_chain.c
 *		From a version of a row to the ones that replaced it.
 *
 * heap's functions that follow t_ctid take it for a physical address, so
 * following is ours: the walks of heap_lock_updated_tuple, heapam_tuple_lock
 * and heap_get_latest_tid.  heap compares xmin of each version with xmax of the
 * one before, because a line pointer may have been used again; a row number
 * never is, so whatever is found under it is the right row.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/multixact.h"
#include "access/relscan.h"
#include "access/row_chain.h"
#include "access/row_link.h"
#include "access/row_place.h"
#include "access/row_xmax.h"
#include "access/table_am.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"

/* ---- locking newer versions ---- */

/* What somebody who has a version locked or updated means for another lock. */
typedef enum ChainVerdict
{
	CHAIN_FREE,					/* nothing */
	CHAIN_WAIT,					/* wait for his end and look again */
	CHAIN_OWN,					/* the version is locked already */
	CHAIN_CHANGED				/* it has been updated or deleted for good */
} ChainVerdict;

static ChainVerdict
judge_holder(TransactionId xid, MultiXactStatus status, LockTupleMode mode)
{
	if (TransactionIdIsCurrentTransactionId(xid))
		return CHAIN_OWN;

	/* in this order: see xmax_matters() */
	if (TransactionIdIsInProgress(xid))
		return lock_mode_conflicts(mode, status) ? CHAIN_WAIT : CHAIN_FREE;
	if (ISUPDATE_from_mxstatus(status) && TransactionIdDidCommit(xid) &&
		lock_mode_conflicts(mode, status))
		return CHAIN_CHANGED;
	return CHAIN_FREE;
}

static ChainVerdict
judge_multi(HeapTupleHeader header, LockTupleMode mode, TransactionId *wait)
{
	ChainVerdict verdict = CHAIN_FREE;
	MultiXactMember *members;
	int			nmembers;

	nmembers = GetMultiXactIdMembers(HeapTupleHeaderGetRawXmax(header),
									 &members, false,
									 HEAP_XMAX_IS_LOCKED_ONLY(header->t_infomask));
	for (int i = 0; i < nmembers && verdict == CHAIN_FREE; i++)
	{
		verdict = judge_holder(members[i].xid, members[i].status, mode);
		*wait = members[i].xid;
	}
	if (nmembers > 0)
		pfree(members);
	return verdict;
}

static ChainVerdict
judge_version(HeapTupleHeader header, LockTupleMode mode, TransactionId *wait)
{
	MultiXactStatus status;

	if (header->t_infomask & HEAP_XMAX_INVALID)
		return CHAIN_FREE;
	if (header->t_infomask & HEAP_XMAX_IS_MULTI)
		return judge_multi(header, mode, wait);
	if (!row_xmax_status(header, &status))
		return CHAIN_FREE;
	*wait = HeapTupleHeaderGetRawXmax(header);
	return judge_holder(*wait, status, mode);
}

/*
 * Add the lock to a version whose buffer is locked, without a look at t_ctid.
 */
static void
write_lock(Relation rel, const RowPlace *place, HeapTupleHeader header,
		   LockTupleMode mode)
{
	RowXmax		xmax;

	row_xmax_add(header, GetCurrentTransactionId(), mode, false, &xmax);

	START_CRIT_SECTION();
	row_xmax_set(header, &xmax);
	MarkBufferDirty(place->buffer);
	if (RelationNeedsWAL(rel))
	{
		xl_heap_lock_updated record;
		XLogRecPtr	lsn;

		record.xmax = xmax.xmax;
		record.offnum = ItemPointerGetOffsetNumber(&place->address);
		record.infobits_set = row_xmax_infobits(header);
		record.flags = 0;
		XLogBeginInsert();
		XLogRegisterBuffer(0, place->buffer, REGBUF_STANDARD);
		XLogRegisterData((char *) &record, SizeOfHeapLockUpdated);
		lsn = XLogInsert(RM_HEAP2_ID, XLOG_HEAP2_LOCK_UPDATED);
		PageSetLSN(BufferGetPage(place->buffer), lsn);
	}
	END_CRIT_SECTION();
}

/*
 * Where the chain goes on from a version; an invalid TID if it does not.
 */
static void
next_version(HeapTupleHeader header, ItemPointer next)
{
	ItemPointerSetInvalid(next);
	if ((header->t_infomask & HEAP_XMAX_INVALID) == 0 &&
		item_pointer_is_row_link(&header->t_ctid) &&
		!HeapTupleHeaderIsOnlyLocked(header))
		row_link_get(&header->t_ctid, next);
}

/*
 * Lock the version at a place.  TM_Ok with the next one's TID.
 */
static TM_Result
lock_version(Relation rel, const RowPlace *place, LockTupleMode mode,
			 ItemPointer next)
{
	ItemPointerData tid;

	row_number_to_tid(place->row, &tid);
	ItemPointerSetInvalid(next);
	for (;;)
	{
		TM_Result	result = TM_Ok;
		HeapTupleData tuple;
		ChainVerdict verdict;
		TransactionId wait;

		CHECK_FOR_INTERRUPTS();
		LockBuffer(place->buffer, BUFFER_LOCK_EXCLUSIVE);
		row_place_tuple(rel, place, &tuple);

		/* what an aborted transaction left behind is no version */
		if (TransactionIdDidAbort(HeapTupleHeaderGetXmin(tuple.t_data)))
			verdict = CHAIN_OWN;
		else
		{
			verdict = judge_version(tuple.t_data, mode, &wait);
			if (verdict == CHAIN_FREE)
				write_lock(rel, place, tuple.t_data, mode);
			if (verdict == CHAIN_CHANGED)
				result = item_pointer_is_row_link(&tuple.t_data->t_ctid) ||
					HeapTupleHeaderIndicatesMovedPartitions(tuple.t_data) ?
					TM_Updated : TM_Deleted;
			else if (verdict != CHAIN_WAIT)
				next_version(tuple.t_data, next);
		}
		LockBuffer(place->buffer, BUFFER_LOCK_UNLOCK);

		if (verdict != CHAIN_WAIT)
			return result;
		XactLockTableWait(wait, rel, &tid, XLTW_LockUpdated);
	}
}

TM_Result
row_chain_lock(Relation rel, ItemPointerData tid, LockTupleMode mode)
{
	MultiXactIdSetOldestMember();
	for (;;)
	{
		RowPlace	place;
		TM_Result	result;

		/* vacuumed away after its writer aborted: the chain ends here */
		if (!row_place_pin(rel, row_number_from_tid(&tid), &place))
			return TM_Ok;
		result = lock_version(rel, &place, mode, &tid);
		row_place_release(&place);
		if (result != TM_Ok || !ItemPointerIsValid(&tid))
			return result;
	}
}

/* ---- the last version ---- */

/*
 * Wait for the end of a transaction that is updating the row.  False if the
 * policy says not to.
 */
static bool
wait_for_updater(Relation rel, ItemPointer tid, TransactionId xid,
				 LockWaitPolicy wait_policy)
{
	if (wait_policy == LockWaitBlock)
		XactLockTableWait(xid, rel, tid, XLTW_FetchUpdated);
	else if (!conditional_xact_lock_table_wait(xid))
	{
		if (wait_policy == LockWaitSkip)
			return false;
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("could not obtain lock on row in relation \"%s\"",
						RelationGetRelationName(rel))));
	}
	return true;
}

/*
 * A version that is there for SnapshotDirty.  Sets *again if it has to be
 * looked at once more, after waiting.
 */
static TM_Result
examine_live(Relation rel, ItemPointer tid, CommandId cid,
			 LockWaitPolicy wait_policy, const SnapshotData *dirty,
			 RowLook *look, TM_FailureData *tmfd, bool *again)
{
	TransactionId xmin = HeapTupleHeaderGetXmin(&look->header);

	*again = false;
	if (TransactionIdIsValid(dirty->xmin))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg_internal("t_xmin %u is uncommitted in tuple (%u,%u) to be updated in table \"%s\"",
								 dirty->xmin,
								 ItemPointerGetBlockNumber(tid),
								 ItemPointerGetOffsetNumber(tid),
								 RelationGetRelationName(rel))));

	if (TransactionIdIsValid(dirty->xmax))
	{
		*again = wait_for_updater(rel, tid, dirty->xmax, wait_policy);
		return TM_WouldBlock;
	}

	/*
	 * A version that the running command has made itself, or a later one, is
	 * not to be locked by it.
	 */
	if (TransactionIdIsCurrentTransactionId(xmin) &&
		HeapTupleHeaderGetCmin(&look->header) >= cid)
	{
		tmfd->xmax = xmin;
		tmfd->cmax = HeapTupleHeaderGetCmin(&look->header);
		return TM_SelfModified;
	}
	return TM_Ok;
}

TM_Result
row_chain_find_last(Relation rel, ItemPointer tid, CommandId cid,
					LockWaitPolicy wait_policy, TM_FailureData *tmfd)
{
	for (;;)
	{
		SnapshotData dirty;
		RowLook		look;

		CHECK_FOR_INTERRUPTS();
		if (ItemPointerIndicatesMovedPartitions(tid))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("tuple to be locked was already moved to another partition due to concurrent update")));

		InitDirtySnapshot(dirty);
		if (!row_place_look(rel, row_number_from_tid(tid), &dirty, &look))
			return TM_Deleted;
		if (look.is_visible)
		{
			bool		again;
			TM_Result	result = examine_live(rel, tid, cid, wait_policy,
											  &dirty, &look, tmfd, &again);

			if (!again)
				return result;
		}
		else if (!ItemPointerIsValid(&look.next))
			return TM_Deleted;
		else
			*tid = look.next;
	}
}

/* ---- the latest version that a snapshot sees ---- */

void
columnar_tuple_get_latest_tid(TableScanDesc scan, ItemPointer tid)
{
	ItemPointerData version = *tid;
	RowLook		look;

	while (row_place_look(scan->rs_rd, row_number_from_tid(&version),
						  scan->rs_snapshot, &look))
	{
		CHECK_FOR_INTERRUPTS();
		if (look.is_visible)
			*tid = version;
		if (!ItemPointerIsValid(&look.next))
			break;
		version = look.next;
	}
}
