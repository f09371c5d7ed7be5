/*
 * row_xmax.c
 *		xmax of a tuple that is locked, updated or deleted once more.
 *
 * The rules are heap's and must stay so: other sessions judge what is written
 * here by the server's own code.
 *
 *	who is there already				what xid makes of it
 *	nobody that matters					xid alone
 *	xid itself, as a locker				xid alone, with the stronger of both modes
 *	others, running or updater that		a MultiXact of them and xid
 *	has committed
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam_xlog.h"
#include "access/row_xmax.h"
#include "access/transam.h"
#include "access/xact.h"
#include "storage/lock.h"
#include "storage/procarray.h"

/* ---- modes and statuses ---- */

static MultiXactStatus
lock_mode_status(LockTupleMode mode, bool is_update)
{
	switch (mode)
	{
		case LockTupleKeyShare:
			Assert(!is_update);
			return MultiXactStatusForKeyShare;
		case LockTupleShare:
			Assert(!is_update);
			return MultiXactStatusForShare;
		case LockTupleNoKeyExclusive:
			return is_update ? MultiXactStatusNoKeyUpdate :
				MultiXactStatusForNoKeyUpdate;
		case LockTupleExclusive:
			return is_update ? MultiXactStatusUpdate :
				MultiXactStatusForUpdate;
	}
	elog(ERROR, "invalid tuple lock mode %d", mode);
}

static LockTupleMode
status_lock_mode(MultiXactStatus status)
{
	switch (status)
	{
		case MultiXactStatusForKeyShare:
			return LockTupleKeyShare;
		case MultiXactStatusForShare:
			return LockTupleShare;
		case MultiXactStatusForNoKeyUpdate:
		case MultiXactStatusNoKeyUpdate:
			return LockTupleNoKeyExclusive;
		case MultiXactStatusForUpdate:
		case MultiXactStatusUpdate:
			return LockTupleExclusive;
	}
	elog(ERROR, "invalid MultiXact status %d", status);
}

/*
 * The heavyweight lock modes by which heap tells which tuple locks conflict.
 */
static LOCKMODE
heavyweight_mode(LockTupleMode mode)
{
	switch (mode)
	{
		case LockTupleKeyShare:
			return AccessShareLock;
		case LockTupleShare:
			return RowShareLock;
		case LockTupleNoKeyExclusive:
			return ExclusiveLock;
		case LockTupleExclusive:
			return AccessExclusiveLock;
	}
	elog(ERROR, "invalid tuple lock mode %d", mode);
}

bool
lock_mode_conflicts(LockTupleMode mode, MultiXactStatus status)
{
	return DoLockModesConflict(heavyweight_mode(status_lock_mode(status)),
							   heavyweight_mode(mode));
}

bool
row_xmax_status(HeapTupleHeader tuple, MultiXactStatus *status)
{
	uint16		infomask = tuple->t_infomask;
	bool		is_key = (tuple->t_infomask2 & HEAP_KEYS_UPDATED) != 0;

	Assert((infomask & (HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI)) == 0);

	if (!HEAP_XMAX_IS_LOCKED_ONLY(infomask))
		*status = is_key ? MultiXactStatusUpdate : MultiXactStatusNoKeyUpdate;
	else if (HEAP_XMAX_IS_KEYSHR_LOCKED(infomask))
		*status = MultiXactStatusForKeyShare;
	else if (HEAP_XMAX_IS_SHR_LOCKED(infomask))
		*status = MultiXactStatusForShare;
	else if (HEAP_XMAX_IS_EXCL_LOCKED(infomask))
		*status = is_key ? MultiXactStatusForUpdate :
			MultiXactStatusForNoKeyUpdate;
	else
		return false;
	return true;
}

/* ---- making an xmax ---- */

/* Nobody but xid. */
static void
xmax_of_one(TransactionId xid, LockTupleMode mode, bool is_update,
			RowXmax *result)
{
	result->xmax = xid;
	result->infomask = is_update ? 0 : HEAP_XMAX_LOCK_ONLY;
	result->infomask2 = (mode == LockTupleExclusive) ? HEAP_KEYS_UPDATED : 0;
	if (is_update)
		return;

	switch (mode)
	{
		case LockTupleKeyShare:
			result->infomask |= HEAP_XMAX_KEYSHR_LOCK;
			break;
		case LockTupleShare:
			result->infomask |= HEAP_XMAX_SHR_LOCK;
			break;
		case LockTupleNoKeyExclusive:
		case LockTupleExclusive:
			result->infomask |= HEAP_XMAX_EXCL_LOCK;
			break;
	}
}

/* Several: the bits follow from what the members have. */
static void
xmax_of_members(MultiXactId multi, RowXmax *result)
{
	MultiXactMember *members;
	int			nmembers = GetMultiXactIdMembers(multi, &members, false, false);
	LockTupleMode strongest = LockTupleKeyShare;
	bool		has_update = false;

	result->xmax = multi;
	result->infomask = HEAP_XMAX_IS_MULTI;
	result->infomask2 = 0;
	for (int i = 0; i < nmembers; i++)
	{
		MultiXactStatus status = members[i].status;

		strongest = Max(strongest, status_lock_mode(status));
		has_update |= ISUPDATE_from_mxstatus(status);
		if (status_lock_mode(status) == LockTupleExclusive)
			result->infomask2 = HEAP_KEYS_UPDATED;
	}
	if (nmembers > 0)
		pfree(members);

	if (strongest >= LockTupleNoKeyExclusive)
		result->infomask |= HEAP_XMAX_EXCL_LOCK;
	else if (strongest == LockTupleShare)
		result->infomask |= HEAP_XMAX_SHR_LOCK;
	else
		result->infomask |= HEAP_XMAX_KEYSHR_LOCK;
	if (!has_update)
		result->infomask |= HEAP_XMAX_LOCK_ONLY;
}

/* Does a MultiXact have a running member, or an updater that committed? */
static bool
multi_matters(HeapTupleHeader tuple)
{
	MultiXactId multi = HeapTupleHeaderGetRawXmax(tuple);
	bool		is_lock_only = HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask);

	return MultiXactIdIsRunning(multi, is_lock_only) ||
		(!is_lock_only &&
		 TransactionIdDidCommit(HeapTupleGetUpdateXid(tuple)));
}

static void
add_to_multi(HeapTupleHeader tuple, TransactionId xid, LockTupleMode mode,
			 bool is_update, RowXmax *result)
{
	if (multi_matters(tuple))
		xmax_of_members(MultiXactIdExpand(HeapTupleHeaderGetRawXmax(tuple),
										  xid,
										  lock_mode_status(mode, is_update)),
						result);
	else
		xmax_of_one(xid, mode, is_update, result);
}

/*
 * To be asked in this order: a transaction ends for the list of running ones
 * after it has committed.
 */
static bool
xmax_matters(TransactionId xmax, MultiXactStatus status)
{
	return TransactionIdIsInProgress(xmax) ||
		(ISUPDATE_from_mxstatus(status) && TransactionIdDidCommit(xmax));
}

void
row_xmax_add(HeapTupleHeader tuple, TransactionId xid, LockTupleMode mode,
			 bool is_update, RowXmax *result)
{
	TransactionId xmax = HeapTupleHeaderGetRawXmax(tuple);
	uint16		infomask = tuple->t_infomask;
	MultiXactStatus status;

	Assert(TransactionIdIsCurrentTransactionId(xid));

	if ((infomask & HEAP_XMAX_INVALID) || HEAP_LOCKED_UPGRADED(infomask))
		xmax_of_one(xid, mode, is_update, result);
	else if (infomask & HEAP_XMAX_IS_MULTI)
		add_to_multi(tuple, xid, mode, is_update, result);
	else if (!row_xmax_status(tuple, &status) || !xmax_matters(xmax, status))
		xmax_of_one(xid, mode, is_update, result);
	else if (xmax == xid)
	{
		/* a row that xid has updated is not there any more for xid */
		Assert(!ISUPDATE_from_mxstatus(status));
		xmax_of_one(xid, Max(mode, status_lock_mode(status)), is_update,
					result);
	}
	else
		xmax_of_members(MultiXactIdCreate(xmax, status, xid,
										  lock_mode_status(mode, is_update)),
						result);
}

/* ---- inheriting ---- */

static inline void
xmax_of_none(RowXmax *result)
{
	result->xmax = InvalidTransactionId;
	result->infomask = HEAP_XMAX_INVALID;
	result->infomask2 = 0;
}

/*
 * Keep of a MultiXact's members those that have a lock; returns how many.
 */
static int
keep_lockers(MultiXactMember *members, int nmembers, TransactionId except)
{
	int			nkept = 0;

	for (int i = 0; i < nmembers; i++)
		if (!ISUPDATE_from_mxstatus(members[i].status) &&
			members[i].xid != except &&
			TransactionIdIsInProgress(members[i].xid))
			members[nkept++] = members[i];
	return nkept;
}

static void
inherit_from_multi(HeapTupleHeader tuple, TransactionId except,
				   RowXmax *result)
{
	MultiXactId multi = HeapTupleHeaderGetRawXmax(tuple);
	MultiXactMember *members;
	int			nmembers;
	int			nkept;

	nmembers = GetMultiXactIdMembers(multi, &members, false,
									 HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask));
	nkept = nmembers > 0 ? keep_lockers(members, nmembers, except) : 0;
	if (nkept == 0)
		xmax_of_none(result);
	else if (nkept == 1)
		xmax_of_one(members[0].xid, status_lock_mode(members[0].status), false,
					result);
	else
		xmax_of_members(nkept == nmembers ? multi :
						MultiXactIdCreateFromMembers(nkept, members), result);
	if (nmembers > 0)
		pfree(members);
}

/*
 * Whoever may have the old version locked while it is updated has a key-share
 * lock, or is the updater itself or a subtransaction of it.  heap hands on
 * even the updater's own lock, if it had one before: then xmax, which RETURNING
 * shows, tells an update by ON CONFLICT from an insert.
 */
void
row_xmax_inherit(HeapTupleHeader tuple, TransactionId except, RowXmax *result)
{
	TransactionId xmax = HeapTupleHeaderGetRawXmax(tuple);
	uint16		infomask = tuple->t_infomask;
	MultiXactStatus status;

	if ((infomask & HEAP_XMAX_INVALID) || HEAP_LOCKED_UPGRADED(infomask))
		xmax_of_none(result);
	else if (infomask & HEAP_XMAX_IS_MULTI)
		inherit_from_multi(tuple, except, result);
	else if (xmax == except || !row_xmax_status(tuple, &status) ||
			 ISUPDATE_from_mxstatus(status) ||
			 !TransactionIdIsInProgress(xmax))
		xmax_of_none(result);
	else
		xmax_of_one(xmax, LockTupleKeyShare, false, result);
}

bool
row_xmax_is_own(HeapTupleHeader tuple)
{
	return (tuple->t_infomask & (HEAP_XMAX_INVALID | HEAP_XMAX_IS_MULTI)) == 0 &&
		HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask) &&
		TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmax(tuple));
}

/* ---- tuples ---- */

void
row_xmax_set(HeapTupleHeader tuple, const RowXmax *xmax)
{
	tuple->t_infomask &= ~HEAP_XMAX_BITS;
	tuple->t_infomask2 &= ~HEAP_KEYS_UPDATED;
	tuple->t_infomask |= xmax->infomask;
	tuple->t_infomask2 |= xmax->infomask2;
	HeapTupleHeaderSetXmax(tuple, xmax->xmax);
}

uint8
row_xmax_infobits(HeapTupleHeader tuple)
{
	uint16		infomask = tuple->t_infomask;
	uint8		bits = 0;

	/* redo knows share locks as exclusive and key-share ones together */
	if (infomask & HEAP_XMAX_IS_MULTI)
		bits |= XLHL_XMAX_IS_MULTI;
	if (infomask & HEAP_XMAX_LOCK_ONLY)
		bits |= XLHL_XMAX_LOCK_ONLY;
	if (infomask & HEAP_XMAX_EXCL_LOCK)
		bits |= XLHL_XMAX_EXCL_LOCK;
	if (infomask & HEAP_XMAX_KEYSHR_LOCK)
		bits |= XLHL_XMAX_KEYSHR_LOCK;
	if (tuple->t_infomask2 & HEAP_KEYS_UPDATED)
		bits |= XLHL_KEYS_UPDATED;
	return bits;
}
