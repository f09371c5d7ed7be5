/*
 * row_identity.h
 *		Columns that row headers carry for logical decoding.
 */
#ifndef ACCESS_ROW_IDENTITY_H
#define ACCESS_ROW_IDENTITY_H

#include "storage/row_header.h"

/*
 * If row headers of the relation have to carry replica identity columns now
 * (RelationIsLogicallyLogged, and an identity): a tuple with the row's, palloc'd
 * and detoasted, NULL in the others; *mark says which columns they are.  Else
 * NULL, with *mark 0.
 */
extern HeapTuple row_identity_form(Relation rel, RowNumber row, uint16 *mark);

/* The mark that a new row header would have now. */
extern uint16 row_identity_mark(Relation rel);

#endif							/* ACCESS_ROW_IDENTITY_H */
