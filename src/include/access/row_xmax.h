/*
 * row_xmax.h
 *		xmax of a tuple that is locked, updated or deleted once more.
 *
 * What heap computes inside heap_update and heap_lock_tuple, for the places
 * where columnar tables cannot call these.
 */
#ifndef ACCESS_ROW_XMAX_H
#define ACCESS_ROW_XMAX_H

#include "access/htup_details.h"
#include "access/multixact.h"
#include "nodes/lockoptions.h"

/* An xmax with the bits that say what it is. */
typedef struct RowXmax
{
	TransactionId xmax;			/* or a MultiXactId */
	uint16		infomask;		/* of HEAP_XMAX_BITS */
	uint16		infomask2;		/* of HEAP_KEYS_UPDATED */
} RowXmax;

/*
 * What a tuple's xmax becomes when xid, which is running, locks it in that
 * mode, or (is_update) updates or deletes it.  Those who have it locked and
 * still run remain.  May make a MultiXactId, so the caller has called
 * MultiXactIdSetOldestMember() and is not in a critical section.
 */
extern void row_xmax_add(HeapTupleHeader tuple, TransactionId xid,
						 LockTupleMode mode, bool is_update, RowXmax *result);

/*
 * The xmax that a new version inherits from the tuple that is about to be
 * updated: those who have the old one locked, apart from one.
 */
extern void row_xmax_inherit(HeapTupleHeader tuple, TransactionId except,
							 RowXmax *result);

/* Is xmax the running transaction, alone, as a locker? */
extern bool row_xmax_is_own(HeapTupleHeader tuple);

/* Put it in a tuple, in place of what is there. */
extern void row_xmax_set(HeapTupleHeader tuple, const RowXmax *xmax);

/* The bits of a tuple as heap's records have them. */
extern uint8 row_xmax_infobits(HeapTupleHeader tuple);

/* ---- what a lock or an update is, in terms of MultiXacts ---- */

/*
 * The status of a tuple's xmax that is neither invalid nor a MultiXact.  False
 * if its bits say nothing, as no server since 9.3 leaves them.
 */
extern bool row_xmax_status(HeapTupleHeader tuple, MultiXactStatus *status);

/* Does a lock in that mode conflict with what a member has? */
extern bool lock_mode_conflicts(LockTupleMode mode, MultiXactStatus status);

#endif							/* ACCESS_ROW_XMAX_H */
