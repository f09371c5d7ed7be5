/*
 * row_chain.h
 *		From a version of a row to the ones that replaced it.
 */
#ifndef ACCESS_ROW_CHAIN_H
#define ACCESS_ROW_CHAIN_H

#include "access/tableam.h"

/*
 * Lock a version and all newer ones, for a transaction that has just locked an
 * older version in that mode, as others may already be changing the newer ones.
 * tid is the link that the older one had.  TM_Ok, or why the newer ones cannot
 * be locked.
 */
extern TM_Result row_chain_lock(Relation rel, ItemPointerData tid,
								LockTupleMode mode);

/*
 * From the TID of a newer version, in *tid, to the one that may be locked, as
 * of now; waits for updates in progress.  TM_Ok, or what there is instead:
 * TM_Deleted, TM_WouldBlock, or TM_SelfModified with *tmfd filled.
 */
extern TM_Result row_chain_find_last(Relation rel, ItemPointer tid,
									 CommandId cid, LockWaitPolicy wait_policy,
									 TM_FailureData *tmfd);

#endif							/* ACCESS_ROW_CHAIN_H */
