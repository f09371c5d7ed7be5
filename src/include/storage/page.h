/*
 * page.h
 *		Reading, checking and making the pages of a columnar table.
 */
#ifndef STORAGE_PAGE_H
#define STORAGE_PAGE_H

#include "compat.h"
#include "storage/bufmgr.h"
#include "storage/layout.h"
#include "utils/rel.h"

/*
 * Read a metadata page and lock it (BUFFER_LOCK_SHARE or _EXCLUSIVE).  Raises
 * ERRCODE_DATA_CORRUPTED unless it is a page of that kind.
 */
extern Buffer page_read(Relation rel, BlockNumber blkno, PageKind kind,
						int lockmode);

/*
 * Read any page that something on disk refers to.  Raises
 * ERRCODE_DATA_CORRUPTED if the file has no such block.
 */
extern Buffer block_read(Relation rel, BlockNumber blkno,
						 BufferAccessStrategy strategy);

/* The check that page_read makes, for a page that is locked. */
extern void page_check(Relation rel, Page page, BlockNumber blkno,
					   PageKind kind);

/* Contents of a metadata page: starts with its PageTag. */
#define page_contents(page)		((void *) PageGetContents(page))
#define buffer_contents(buffer) page_contents(BufferGetPage(buffer))

/*
 * Make page an empty metadata page of that kind with length bytes of zeroed
 * contents (tag included).  Used on the working copy of a Generic WAL page.
 */
extern void page_init(Page page, PageKind kind, BlockNumber blkno, Size length);

/* Raise ERRCODE_DATA_CORRUPTED about a block, with a detail as by printf. */
pg_noreturn extern void page_report_corruption(Relation rel, BlockNumber blkno,
											   const char *detail,...)
			pg_attribute_printf(3, 4);

/*
 * Add nblocks zeroed blocks to the main fork; returns the first.  The caller
 * holds the relation extension lock and no content lock (I2 in free_space.h).
 */
extern BlockNumber page_extend(Relation rel, BlockNumber nblocks);

#endif							/* STORAGE_PAGE_H */
