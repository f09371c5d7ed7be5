/*
 * page_delta.h
 *		Generic WAL records of a few bytes that the caller knows.
 *
 * GenericXLogFinish() finds out what has changed by comparing whole pages byte
 * by byte, which takes longer than anything else about deleting a row.  Whoever
 * knows the bytes writes the same record from them; redo is the server's.
 */
#ifndef STORAGE_PAGE_DELTA_H
#define STORAGE_PAGE_DELTA_H

#include "storage/bufmgr.h"
#include "utils/rel.h"

/* Bytes of a page's changes, with four more for each part. */
#define PAGE_DELTA_LENGTH	128

typedef struct PageDelta
{
	Buffer		buffer;
	bool		force_image;	/* log the whole page */
	uint16		length;
	char		bytes[PAGE_DELTA_LENGTH];
} PageDelta;

/*
 * To be used like this, with the buffers locked exclusively:
 *
 *		START_CRIT_SECTION();
 *		change the pages;
 *		page_delta_begin(&deltas[0], buffer);
 *		page_delta_add(&deltas[0], what has changed, its length);
 *		page_delta_log(rel, deltas, 1);
 *		END_CRIT_SECTION();
 */
extern void page_delta_begin(PageDelta *delta, Buffer buffer);

/* Part of the page, as it is now. */
extern void page_delta_add(PageDelta *delta, const void *part, uint16 length);

/* The fields of the page header that change with the page's items. */
extern void page_delta_add_space(PageDelta *delta);

/* Mark the buffers dirty and, if the relation needs it, log one record. */
extern void page_delta_log(Relation rel, const PageDelta *deltas, int ndeltas);

#endif							/* STORAGE_PAGE_DELTA_H */
