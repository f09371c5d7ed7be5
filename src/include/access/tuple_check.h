/*
 * tuple_check.h
 *		Row-form tuples are bytes from disk, too.
 */
#ifndef ACCESS_TUPLE_CHECK_H
#define ACCESS_TUPLE_CHECK_H

#include "access/htup.h"
#include "access/tupdesc.h"

/* What tuple_damage says apart from attribute numbers. */
#define TUPLE_SOUND			0
#define TUPLE_BAD_HEADER	(-1)

/*
 * TUPLE_SOUND if the tuple's values, by that descriptor, lie within it; else the
 * number of the first attribute that does not, or TUPLE_BAD_HEADER.
 */
extern int	tuple_damage(TupleDesc desc, HeapTuple tuple);

/*
 * Raise ERRCODE_DATA_CORRUPTED unless the tuple is sound.  To be called before a
 * visible tuple is taken apart; one of an aborted transaction may have columns
 * that the table never got.
 */
extern void tuple_check(TupleDesc desc, HeapTuple tuple);

#endif							/* ACCESS_TUPLE_CHECK_H */
