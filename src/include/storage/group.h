/*
 * group.h
 *		Chunk groups: their headers, segments and row maps.
 *
 * Lock order: metapage, directory, group header, row map page, row or
 * row-header page, visibility-map page, free-space pages.
 */
#ifndef STORAGE_GROUP_H
#define STORAGE_GROUP_H

#include "storage/page.h"

/* Lock a group's header; InvalidBuffer if the group does not exist. */
extern Buffer group_read(Relation rel, uint32 group, int lockmode);

/* The check that group_read makes, for a header that is locked. */
extern void group_check(Relation rel, BlockNumber blkno,
						const GroupHeaderData *header, uint32 group);

/* Lock, exclusively, the header that a locked directory page's entry has. */
extern Buffer group_lock_entry(Relation rel, uint32 group,
							   Buffer directory_buffer, int index);

#define group_header(buffer)	((GroupHeaderData *) buffer_contents(buffer))

/*
 * The segment that has the row at that offset of the group, or NULL.  It is in
 * the header itself: valid while that is locked, or in a copy.
 */
extern SegmentData *group_find_segment(GroupHeaderData *header, uint32 offset);

#define segment_first(segment)	((uint32) (segment)->first_vector * VECTOR_ROWS)
#define segment_limit(segment) \
	(segment_first(segment) + (uint32) (segment)->nvectors * VECTOR_ROWS)

/* ---- writers in column form ---- */

/*
 * Open a group for a loader and announce a segment of nvectors, or of as many
 * as the group has left, for owner.  Returns the group; *segment is a copy.
 */
extern uint32 group_open(Relation rel, FullTransactionId owner, int nvectors,
						 SegmentData *segment);

/*
 * Announce another segment in a group that this loader has open, behind the
 * last one.  False if the group has no vector left.
 */
extern bool group_announce(Relation rel, uint32 group, FullTransactionId owner,
						   int nvectors, SegmentData *segment);

/*
 * Widen the announced segment, which is the group's last, by up to nvectors;
 * updates *segment.  Returns the number of vectors added, 0 if none is left.
 */
extern int	group_widen(Relation rel, uint32 group, SegmentData *segment,
						int nvectors);

/*
 * Publish the announced segment (found by first_vector) in column form.  The
 * caller has filled header, nvectors (may be fewer than announced if it is the
 * group's last), nslots, nrows, natts, nattribute_pages, start and nblocks,
 * and has written and logged the extent.  Forgets the extent's announcement.
 */
extern void group_publish_columns(Relation rel, uint32 group,
								  const SegmentData *segment);

/*
 * Publish the announced segment in row form: its row pages, already written
 * and logged, sorted by first.  Of segment, nvectors and nslots are used.
 * Forgets the announcement of extent announced_start, which holds the pages.
 */
extern void group_publish_rows(Relation rel, uint32 group,
							   const SegmentData *segment,
							   const RowMapEntry *pages, int npages,
							   BlockNumber announced_start);

/* The loader is done with the group; what is left goes to the next one. */
extern void group_close(Relation rel, uint32 group);

/* ---- writers in row form ---- */

/*
 * Open a row page with up to nrows row numbers (1 to 256) in the table's row
 * group: takes a block, lists it in the row map, makes it the metapage's
 * row_page.  The block may still have old contents: the writer of its first
 * tuple initialises it (and until then *readers* see a page that is not a row
 * page of ours, so it is zeroed here).  Returns the block; *entry and *group
 * say which rows it has.
 */
extern BlockNumber group_open_row_page(Relation rel, int nrows, uint32 *group,
									   RowMapEntry *entry);

/* ---- readers ---- */

/*
 * Find the row page that has the row at that offset; the header may be a copy.
 * False if there is none.
 */
extern bool group_find_row_page(Relation rel, const GroupHeaderData *header,
								uint32 offset, RowMapEntry *entry);

/*
 * All row map entries with first in [first, limit), palloc'd; returns their
 * number.  The header may be a copy.
 */
extern int	group_row_pages(Relation rel, const GroupHeaderData *header,
							uint32 first, uint32 limit, RowMapEntry **entries);

#endif							/* STORAGE_GROUP_H */
