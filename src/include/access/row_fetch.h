/*
 * row_fetch.h
 *		One row by its number.
 */
#ifndef ACCESS_ROW_FETCH_H
#define ACCESS_ROW_FETCH_H

#include "access/group_scan.h"
#include "executor/tuptable.h"

/*
 * Fetch a row if it is visible to the snapshot, of whatever type that is, and
 * store it in slot, unless that is NULL.  Sets *all_dead, unless all_dead is
 * NULL, to whether no snapshot will ever see the row.
 *
 * SnapshotDirty: a row of another running transaction that cannot be read yet
 * is stored as NULLs, with the transaction in snapshot->xmin.
 */
extern bool row_fetch(Relation rel, RowNumber row, Snapshot snapshot,
					  TupleTableSlot *slot, bool *all_dead);

/*
 * For a serializable scan that is about to read rows of one TID block by a
 * bitmap: note a conflict with the writer of their segment, if the snapshot
 * does not see that.  Returns true if rows have writers of their own, which are
 * to be asked for by row_fetch().
 */
extern bool row_fetch_note_writer(Relation rel, RowNumber row,
								  Snapshot snapshot);

#endif							/* ACCESS_ROW_FETCH_H */
