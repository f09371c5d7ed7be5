/*
 * row_place.h
 *		Where the heap tuple is that stands for a row.
 *
 * A row-form row is a heap tuple itself; a column-form row has a row header,
 * made when it is first needed.  heap's own functions then get the physical
 * address.  As long as the place is pinned the tuple stays where it is
 * (H2 in row_header.h, W5 in row_form.c).
 */
#ifndef ACCESS_ROW_PLACE_H
#define ACCESS_ROW_PLACE_H

#include "storage/group.h"

typedef struct RowPlace
{
	RowNumber	row;
	Buffer		buffer;			/* pinned, not locked */
	ItemPointerData address;	/* physical: block of the file, line pointer */
	bool		is_header;		/* of a column-form row */
} RowPlace;

/*
 * Find and pin the tuple that stands for a row; makes a row header if a
 * column-form row has none.  Rows that this transaction still buffers are
 * flushed first.  False if there is no such row: never written, or dead to
 * everybody.
 */
extern bool row_place_pin(Relation rel, RowNumber row, RowPlace *place);

extern void row_place_release(RowPlace *place);

#endif							/* ACCESS_ROW_PLACE_H */
