/*
 * row_tuple.h
 *		Is a heap tuple from disk what the server's code takes it for?
 */
#ifndef ACCESS_ROW_TUPLE_H
#define ACCESS_ROW_TUPLE_H

#include "access/htup_details.h"
#include "access/tupdesc.h"

#define ROW_TUPLE_SOUND			0
#define ROW_TUPLE_BAD_HEADER	(-1)

/*
 * ROW_TUPLE_SOUND if the tuple's header and the lengths of its values fit t_len,
 * so that it can be deformed; else the number of the first attribute that does
 * not fit, or ROW_TUPLE_BAD_HEADER.  What is inside a value is not looked at.
 */
extern int	row_tuple_damage(TupleDesc desc, HeapTuple tuple);

#endif							/* ACCESS_ROW_TUPLE_H */
