/*
 * toast_list.h
 *		TOAST values of moved rows, until they are removed.
 *
 * The mover gives rows with TOASTed values a form that holds them whole.  Then
 * the values must go exactly once: never before the rows are moved, and not
 * again later, when another row may have got the same value id.  A swap is no
 * part of a transaction, but removing a value is.  So their ids are written
 * down before the swap, and the list lives until a transaction that removes
 * them has committed.
 *
 * No reader is hurt who still looks at the rows' old pages: reading TOAST does
 * not look at xmax, and the TOAST table keeps a value that is removed now as
 * long as any snapshot is older.  This removal is the only thing that VACUUM
 * writes with an xid; see toast_list_finish().
 */
#ifndef ACCESS_TOAST_LIST_H
#define ACCESS_TOAST_LIST_H

#include "utils/rel.h"

typedef struct ToastList
{
	uint32		first;			/* row of the first value, if there is one */
	Oid		   *values;
	uint32		nvalues;
	uint32		capacity;
	BlockNumber start;			/* the list's extent once written */
	BlockNumber nblocks;
} ToastList;

/* Memory is from the current context. */
extern void toast_list_init(ToastList *list);

/* Add a value of the row at an offset of the group; offsets ascend. */
extern void toast_list_add(ToastList *list, uint32 offset,
						   struct varlena *pointer);

/*
 * Write the list to the file; before the swap of the group's rows.  Nothing if
 * it is empty.
 */
extern void toast_list_write(ToastList *list, Relation rel, uint32 group);

/* Drop a list that has been written: its rows are not going to be moved. */
extern void toast_list_drop(ToastList *list, Relation rel);

/*
 * Drop the lists of rows that have not been moved, which a crash or an error
 * between list and swap leaves.  By whoever is about to move rows, which would
 * list their values a second time.
 */
extern void toast_list_drop_stale(Relation rel);

/*
 * Carry out the lists of rows that have been moved, drop those of rows that
 * have not, and free those that are carried out.  By VACUUM, as the last thing
 * before truncation, and by columnar_compact().
 */
extern void toast_list_finish(Relation rel);

#endif							/* ACCESS_TOAST_LIST_H */
