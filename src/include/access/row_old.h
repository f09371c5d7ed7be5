/*
 * row_old.h
 *		Values of the version of a row that is being changed.
 */
#ifndef ACCESS_ROW_OLD_H
#define ACCESS_ROW_OLD_H

#include "access/row_place.h"
#include "executor/tuptable.h"

/*
 * A relation whose rows are being changed: what has to be known of its old
 * versions, and a slot that they are fetched into.
 */
typedef struct RowOld RowOld;

/*
 * The relation's; kept over the commands of a (sub)transaction, because values
 * of column-form rows that lie together are decoded together.
 */
extern RowOld *row_old_get(Relation rel);

/* Attributes that foreign keys may refer to, and of the replica identity. */
extern const Bitmapset *row_old_key(const RowOld *old);
extern const Bitmapset *row_old_identity(const RowOld *old);

/*
 * Fetch the values of key and identity of a row at a pinned, unlocked place; of
 * a row-form row, all.
 */
extern TupleTableSlot *row_old_fetch(RowOld *old, Relation rel,
									 const RowPlace *place);

/* The slot's row is not needed any more: it must not outlive the relation. */
extern void row_old_clear(RowOld *old);

/*
 * Does the new version in a slot differ from the fetched old one in one of the
 * attributes?  Sets *is_external, unless that is NULL, to whether the old
 * version has one of them outside the row.
 */
extern bool row_old_differs(const RowOld *old, TupleTableSlot *new_slot,
							const Bitmapset *attributes, bool *is_external);

#endif							/* ACCESS_ROW_OLD_H */
