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

/*
 * Write rows that already have their numbers: as the pages of an announced
 * segment, which this publishes.  xid is their writer.
 */
extern void row_form_write_segment(Relation rel, uint32 group,
								   SegmentData *segment, HeapTuple *tuples,
								   int ntuples, FullTransactionId xid,
								   CommandId cid);

#endif							/* ACCESS_ROW_FORM_H */
