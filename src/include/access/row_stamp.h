/*
 * row_stamp.h
 *		Marking a version of a row as updated or deleted.
 */
#ifndef ACCESS_ROW_STAMP_H
#define ACCESS_ROW_STAMP_H

#include "access/row_place.h"
#include "access/tableam.h"

/* A change to the version of a row that is at a pinned place. */
typedef struct RowStamp
{
	Relation	rel;
	const RowPlace *place;
	CommandId	cid;
	Snapshot	crosscheck;		/* or InvalidSnapshot */
	LockTupleMode mode;			/* LockTupleExclusive, or ...NoKeyExclusive */
	bool		is_locked;		/* this transaction has locked it in that mode */
	bool		lock_is_new;	/* ... for this change only */
	HeapTuple	identity;		/* old values for decoding, or NULL */
} RowStamp;

/*
 * Replace the version by tuple, which has been toasted and is given its xmin,
 * xmax and logical TID here.  Returns what heap_update would, without ever
 * waiting: TM_BeingModified if somebody else has the version locked or changes
 * it, unless is_locked.  Fills *tmfd, with physical t_ctid, unless it returns
 * TM_Ok; raises heap's error if the version is not visible.
 */
extern TM_Result row_stamp_update(const RowStamp *stamp, HeapTuple tuple,
								  TM_FailureData *tmfd);

/*
 * The same for a delete.  moves: the row goes to another partition.
 */
extern TM_Result row_stamp_delete(const RowStamp *stamp, bool moves,
								  TM_FailureData *tmfd);

#endif							/* ACCESS_ROW_STAMP_H */
