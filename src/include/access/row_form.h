/*
 * row_form.h
 *		Rows as heap tuples on row pages.
 */
#ifndef ACCESS_ROW_FORM_H
#define ACCESS_ROW_FORM_H

#include "access/htup.h"
#include "storage/group.h"

/*
 * Write tuples to open row pages, as one record per page; sets their t_self to
 * the logical TIDs.  The tuples are stamped with the current transaction and
 * cid, and toasted if they are wide.  options: HEAP_INSERT_* and
 * TABLE_INSERT_* flags.
 */
extern void row_form_insert(Relation rel, HeapTuple *tuples, int ntuples,
							CommandId cid, int options);

/* Is the tuple small enough for a row page as it is? */
extern bool row_form_fits(HeapTuple tuple);

/*
 * Write rows that already have their numbers, none of them toasted: as the
 * pages of an announced segment, which this publishes.  xid is their writer;
 * of options, HEAP_INSERT_FROZEN matters.
 */
extern void row_form_write_segment(Relation rel, uint32 group,
								   SegmentData *segment, HeapTuple *tuples,
								   int ntuples, FullTransactionId xid,
								   CommandId cid, int options);

/* The relation's file is to be truncated: forget its open row page. */
extern void row_form_forget(Relation rel);

#endif							/* ACCESS_ROW_FORM_H */
