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
	Oid		   *values;
	uint32		nvalues;
	uint32		capacity;
	BlockNumber start;			/* the list's extent once written */
	BlockNumber nblocks;
} ToastList;

/* Memory is from the current context. */
extern void toast_list_init(ToastList *list);
extern void toast_list_add(ToastList *list, struct varlena *pointer);

/*
 * Write the list to the file; before the swap of the group's rows from offset
 * first on.  Nothing if it is empty.
 */
extern void toast_list_write(ToastList *list, Relation rel, uint32 group,
							 uint32 first);

/*
 * Carry out the lists of rows that have been moved, drop those of rows that
 * have not, and free those that are carried out.  By VACUUM, as the last thing
 * before truncation, and by columnar_compact().
 */
extern void toast_list_finish(Relation rel);

#endif							/* ACCESS_TOAST_LIST_H */
