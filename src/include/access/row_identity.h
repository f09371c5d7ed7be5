/*
 * row_identity.h
 *		Old values in the record of an update or delete, for logical decoding.
 */
#ifndef ACCESS_ROW_IDENTITY_H
#define ACCESS_ROW_IDENTITY_H

#include "access/htup.h"
#include "executor/tuptable.h"
#include "nodes/bitmapset.h"
#include "utils/rel.h"

/*
 * Attributes of the replica identity (numbers less
 * FirstLowInvalidHeapAttributeNumber) whose old values the records of deletes
 * have to carry; 0 stands for all attributes.  NULL if there is nothing to
 * carry: not logged logically, or no identity.
 */
extern Bitmapset *row_identity_attributes(Relation rel);

/* Is there anything? */
extern bool row_identity_is_logged(Relation rel);

/*
 * What a record has to carry of the row's old version, which is in the slot: a
 * palloc'd tuple without external values, NULL if nothing.  The counterpart of
 * heap's ExtractReplicaIdentity: key_required is true for a delete, and for an
 * update that changes an attribute of the identity or whose old version has
 * one outside the row.
 */
extern HeapTuple row_identity_form(Relation rel, TupleTableSlot *old,
								   bool key_required);

/*
 * Register the tuple, in the main data of the record that is being made, as
 * decoding expects it behind xl_heap_update and xl_heap_delete.
 */
extern void row_identity_register(HeapTuple identity);

#endif							/* ACCESS_ROW_IDENTITY_H */
