/*
 * row_header.h
 *		Heap tuple headers of single rows of column-form segments.
 *
 * layout.h says where they are.  Lock order: group header, row-header map page,
 * row-header page, visibility-map page.
 *
 * (H1) A header is added under the exclusive lock of the group's header, and
 * whoever holds that lock, shared or exclusive, finds every header there is.
 * (H2) A header keeps its page and line pointer as long as somebody has the
 * page pinned: only a cleanup lock allows to move or to remove one.
 * (H3) On the page t_ctid is the header's physical place, unless it is a link
 * (row_link.h) or the mark of a moved row.
 * (H4) A header counts only if its row is in a column-form segment, and in
 * neither deleted set.
 * (H5) VACUUM first makes dead rows members of the dead set and then removes
 * their headers; so readers look at set and headers under one lock of the
 * group's header.
 * (H6) A group with a map is not marked all-visible in the directory.
 */
#ifndef STORAGE_ROW_HEADER_H
#define STORAGE_ROW_HEADER_H

#include "access/htup.h"
#include "storage/group.h"

/* A header on a page that is pinned, not locked. */
typedef struct RowHeaderPlace
{
	Buffer		buffer;
	OffsetNumber offnum;
} RowHeaderPlace;

/*
 * Find the header of the row at that offset of a group whose header is locked
 * (H5).  Pins its page.  False if the row has none.
 */
extern bool row_header_find(Relation rel, const GroupHeaderData *header,
							uint32 offset, RowHeaderPlace *place);

/*
 * Find it to read it: its page is pinned and locked, and *tuple is the header.
 * Readers must not give up the page's lock between finding a header and reading
 * it: on a standby redo takes headers away under a lock, whatever is pinned.
 */
extern bool row_header_lock(Relation rel, const GroupHeaderData *header,
							uint32 offset, Buffer *buffer, HeapTuple tuple);

/*
 * Give a row a header, unless it has one, and pin its page.  The new header has
 * xmin, cmin and the xmin bits of the row's segment, and so may others of the
 * TID block be given one: it says no more than the segment did.  Clears what
 * says that the row is visible to all: the directory entry's flag and the TID
 * block's bit in the visibility map.
 *
 * False if there is nothing to head: the row is not in a column-form segment
 * (any more), is behind its last row or is in a deleted set.
 */
extern bool row_header_add(Relation rel, uint32 group, uint32 offset,
						   RowHeaderPlace *place);

/*
 * The pages of a group's row headers that serve rows with offsets from first up
 * to, not including, limit, palloc'd; returns their number.  The group's header
 * is locked; or it is a copy, and the caller may meet pages that have been
 * taken out since.
 */
extern int	row_header_pages(Relation rel, const GroupHeaderData *header,
							 uint32 first, uint32 limit, BlockNumber **pages);

/* Read and check a row-header page of a group, and lock it. */
extern Buffer row_header_page_read(Relation rel, uint32 group,
								   BlockNumber blkno, int lockmode,
								   BufferAccessStrategy strategy);

/*
 * The header at a line pointer of a locked row-header page, with the logical
 * TID in t_self, and the offset of its row.  False if the line pointer is not
 * used.  Raises ERRCODE_DATA_CORRUPTED unless it lies within the page and its
 * row is one that the page serves.
 */
extern bool row_header_tuple(Relation rel, Buffer buffer, OffsetNumber offnum,
							 HeapTuple tuple, uint32 *offset);

#define row_header_page_tag(page) \
	((RowHeaderPageTag *) PageGetSpecialPointer(page))

/* ---- maintenance ---- */

/*
 * Rewrite a page, under a cleanup lock on it, without the headers whose line
 * pointers are in remove (1-based array of bool, by offset number); the others
 * keep their line pointers.  page is a copy of the buffer's page, in which the
 * caller may have changed headers that remain, and becomes the page's new
 * contents.  Logs the page as one record.
 */
extern void row_header_page_rewrite(Relation rel, Buffer buffer, Page page,
									const bool *remove);

/*
 * Take the page out of the map if it has no header, and the map out of the
 * group if it has no page; takes locks itself and needs a cleanup lock on the
 * page, which it takes conditionally.  Retires what has become unreferenced.
 * For maintenance (group_change.h).
 */
extern void row_header_drop_empty(Relation rel, uint32 group,
								  BlockNumber blkno);

#endif							/* STORAGE_ROW_HEADER_H */
