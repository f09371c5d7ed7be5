/*
 * row_sort.h
 *		The order of a row buffer's rows by a table's sort key.
 */
#ifndef ACCESS_ROW_SORT_H
#define ACCESS_ROW_SORT_H

#include "access/row_buffer.h"
#include "access/table_options.h"

/*
 * Which row of the buffer, by position, is to come first, second and so on;
 * palloc'd in the current context.  NULL if the rows are in order already, or
 * there is no sort key.
 * Equal rows stay in the order in which they are.  The buffer has no holes.
 *
 * Comparison functions of any type may run, which raise errors, look at the
 * catalogs and take interrupts.
 */
extern uint32 *row_sort_order(const RowBuffer *rows,
							  const TableOptions *options);

#endif							/* ACCESS_ROW_SORT_H */
