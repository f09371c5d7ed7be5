/*
 * mover.h
 *		Turns settled rows from row form to column form and joins segments.
 */
#ifndef ACCESS_MOVER_H
#define ACCESS_MOVER_H

#include "storage/bufmgr.h"
#include "storage/layout.h"
#include "utils/rel.h"

typedef struct Mover
{
	Relation	rel;
	TransactionId oldest_xmin;	/* rows of older transactions are settled */
	bool		eager;			/* join whatever can be joined */
	bool		few_too;		/* move rows in row form however few */
	bool		keep_toast;		/* leave rows with TOASTed values alone */
	bool		cautious;		/* rows are being changed: move few at a time */
	BufferAccessStrategy strategy;
	uint64		nrows;			/* rows moved so far */
	uint64		ndead;			/* rows in row form found dead so far */
	uint64		nsegments;		/* segments written so far */
} Mover;

/*
 * Move what is worth it in a group.  The caller holds a
 * ShareUpdateExclusiveLock on the relation, or a stronger one, and an active
 * snapshot.
 */
extern void mover_move_group(Mover *mover, uint32 group);

/* Bytes that maintenance may use in this process. */
extern Size maintenance_memory(void);

#endif							/* ACCESS_MOVER_H */
