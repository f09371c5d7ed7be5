/*
 * load_order.h
 *		May rows that wait in a load's buffer change places?
 */
#ifndef ACCESS_LOAD_ORDER_H
#define ACCESS_LOAD_ORDER_H

#include "executor/execdesc.h"
#include "utils/rel.h"

/*
 * Does nobody learn the numbers of rows that the present command puts into the
 * relation's buffer, before they are written?
 */
extern bool load_order_is_free(Relation rel);

/* A query begins; and the transaction ends. */
extern void load_order_note_query(QueryDesc *query);
extern void load_order_forget_queries(void);

#endif							/* ACCESS_LOAD_ORDER_H */
