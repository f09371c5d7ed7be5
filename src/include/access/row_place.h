/*
 * row_place.h
 *		Where the heap tuple is that stands for a row.
 *
 * A row-form row is a heap tuple itself; a column-form row has a row header,
 * made when it is first needed.  heap's own functions then get the physical
 * address.  As long as the place is pinned the tuple stays where it is
 * (H2 in row_header.h, W1 in row_form.c).
 */
#ifndef ACCESS_ROW_PLACE_H
#define ACCESS_ROW_PLACE_H

#include "access/htup_details.h"
#include "storage/group.h"
#include "utils/snapshot.h"

typedef struct RowPlace
{
	RowNumber	row;
	Buffer		buffer;			/* pinned, not locked */
	ItemPointerData address;	/* physical: block of the file, line pointer */
	bool		is_header;		/* of a column-form row */
	bool		has_external;	/* row form: has values outside the row */
	SegmentData segment;		/* column form: a copy, as of the pinning */
} RowPlace;

/*
 * Find and pin the tuple that stands for a row; makes a row header if a
 * column-form row has none.  Rows that this transaction still buffers are
 * flushed first.  False if there is no such row: never written, or dead to
 * everybody.
 */
extern bool row_place_pin(Relation rel, RowNumber row, RowPlace *place);

extern void row_place_release(RowPlace *place);

/*
 * The tuple at the place, whose buffer is locked.  t_self is the physical
 * address, by which heap's code tells deleted rows from updated ones.
 */
extern void row_place_tuple(Relation rel, const RowPlace *place,
							HeapTuple tuple);

/*
 * What heap's code says about t_ctid of the tuple at a place, as a logical
 * TID: the next version's, or the row's own.  The mark of a row moved to
 * another partition stays what it is.
 */
extern void row_place_translate(const RowPlace *place, ItemPointer ctid);

/* What can be seen of a row without pinning its place or making a header. */
typedef struct RowLook
{
	bool		is_visible;		/* to the snapshot */
	ItemPointerData next;		/* TID of the version that replaced it, the mark
								 * of a moved row, or invalid */
	HeapTupleHeaderData header; /* copy of the row's; has a flexible array */
} RowLook;

/*
 * Look at a row, whatever its form; false if there is none.  Of rows that this
 * transaction still buffers nothing is seen.
 */
extern bool row_place_look(Relation rel, RowNumber row, Snapshot snapshot,
						   RowLook *look);

#endif							/* ACCESS_ROW_PLACE_H */
