/*
 * tuple_check.h
 *		Row-form tuples are bytes from disk, too.
 */
#ifndef ACCESS_TUPLE_CHECK_H
#define ACCESS_TUPLE_CHECK_H

#include "access/htup.h"
#include "access/tupdesc.h"

/*
 * Raise ERRCODE_DATA_CORRUPTED unless the tuple's values, by that descriptor,
 * lie within it.  To be called before a tuple is taken apart.
 */
extern void tuple_check(TupleDesc desc, HeapTuple tuple);

#endif							/* ACCESS_TUPLE_CHECK_H */
