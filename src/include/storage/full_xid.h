/*
 * full_xid.h
 *		64-bit transaction ids, which is what the file holds.
 */
#ifndef STORAGE_FULL_XID_H
#define STORAGE_FULL_XID_H

#include "access/transam.h"
#include "storage/procarray.h"

/*
 * The full xid of a normal xid that is in some tuple header: it has been given
 * out, and is less than half of all xids old.
 */
static inline FullTransactionId
full_xid_widen(TransactionId xid)
{
	FullTransactionId next = ReadNextFullTransactionId();
	uint32		epoch = EpochFromFullTransactionId(next);

	Assert(TransactionIdIsNormal(xid));
	if (xid >= XidFromFullTransactionId(next))
		epoch--;
	return FullTransactionIdFromEpochAndXid(epoch, xid);
}

/*
 * Does the transaction still run?  A full xid may be so old that its lower half
 * has been given out again.
 */
static inline bool
full_xid_is_running(FullTransactionId fxid)
{
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());

	if (!FullTransactionIdIsValid(fxid) ||
		next - U64FromFullTransactionId(fxid) > (uint64) PG_INT32_MAX)
		return false;
	return TransactionIdIsInProgress(XidFromFullTransactionId(fxid));
}

#endif							/* STORAGE_FULL_XID_H */
