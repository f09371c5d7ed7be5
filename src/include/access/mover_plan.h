/*
 * mover_plan.h
 *		What the mover finds worth moving in a group; for mover.c alone.
 */
#ifndef ACCESS_MOVER_PLAN_H
#define ACCESS_MOVER_PLAN_H

#include "access/htup.h"
#include "access/mover.h"

typedef enum RowState
{
	ROW_UNSETTLED,
	ROW_LIVE,
	ROW_DEAD					/* index entries may refer to it */
} RowState;

/*
 * Part of a group that is settled, or not, as a whole: a segment, or of one in
 * row form the pages between two multiples of ROW_PAGES_BOUNDARY.
 */
typedef struct MoverUnit
{
	int			first_vector;
	int			nvectors;
	uint8		form;
	bool		settled;
	bool		open;			/* at the end of a segment that is written to */
	bool		stale;			/* column form, and deleted in good part */
	uint32		nrows;			/* rows that stay */
	uint32		npages;			/* row pages */
	Size		bytes;			/* of a row buffer, estimated */
} MoverUnit;

/* State of a tuple in a locked buffer. */
extern RowState mover_tuple_state(Mover *mover, HeapTuple tuple,
								  Buffer buffer);

/*
 * Cut a group into at most GROUP_VECTORS units; returns their number.  header
 * is filled with a copy of its header.
 */
extern int	mover_cut_group(Mover *mover, uint32 group,
							GroupHeaderData *header, MoverUnit *units);

/*
 * Find the next run of units to move, from *a on: sets *a and *b, the unit
 * behind it, and returns true, or false if there is none.
 */
extern bool mover_find_run(const Mover *mover, const MoverUnit *units, int n,
						   int *a, int *b);

#endif							/* ACCESS_MOVER_PLAN_H */
