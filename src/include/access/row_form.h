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

/* Stamp a tuple as inserted by xid and cid; HEAP_INSERT_FROZEN matters. */
extern void row_form_stamp(Relation rel, HeapTuple tuple, TransactionId xid,
						   CommandId cid, int options);

/*
 * The tuple as a row page can take it: itself or a toasted copy, with the same
 * header.  Raises an error if it is too wide even so.  old: the row-form tuple
 * that it replaces, or NULL; values outside the row that both have are shared,
 * the old one's others are removed.
 */
extern HeapTuple row_form_toast(Relation rel, HeapTuple tuple, HeapTuple old,
								int options);

/* A row page that this session may write to. */
typedef struct RowFormPage
{
	uint32		group;
	RowMapEntry entry;
} RowFormPage;

/*
 * Lock a row page with room for the tuple, which has been toasted.  Opens one
 * if need be, so the caller has no content lock.
 */
extern Buffer row_form_lock_page(Relation rel, HeapTuple tuple,
								 RowFormPage *page);

/* Does it still have room, after it was unlocked and locked again? */
extern bool row_form_page_takes(Buffer buffer, const RowFormPage *page,
								HeapTuple tuple);

/* The number of the row whose tuple is put there next. */
extern RowNumber row_form_next_row(Buffer buffer, const RowFormPage *page);

/*
 * Write rows that already have their numbers, from the first of a segment on,
 * stamped and small enough, to pages announced for owner.  Returns the pages,
 * palloc'd, for group_publish_rows(); they are consecutive.
 */
extern RowMapEntry *row_form_write_pages(Relation rel,
										 const SegmentData *segment,
										 HeapTuple *tuples, int ntuples,
										 FullTransactionId owner,
										 int *npages);

/* The relation's file is to be truncated: forget its open row page. */
extern void row_form_forget(Relation rel);

/*
 * A subtransaction has aborted, and with it locks on relations may have gone,
 * without which VACUUM may use row pages for something else: forget all.
 */
extern void row_form_forget_all(void);

/* ---- row_form_only.c ---- */

/*
 * Must all rows of the relation be readable, by other sessions' checks or by
 * logical decoding, as soon as they are inserted?
 */
extern bool row_form_only(Relation rel);

/*
 * Has the relation been published by now?  Asked again and again by a command
 * that may write other rows, because a publication waits for nobody.
 */
extern bool row_form_only_anew(Relation rel);

#endif							/* ACCESS_ROW_FORM_H */
