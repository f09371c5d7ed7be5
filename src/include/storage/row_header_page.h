/*
 * row_header_page.h
 *		What the two files about row headers share.
 */
#ifndef STORAGE_ROW_HEADER_PAGE_H
#define STORAGE_ROW_HEADER_PAGE_H

#include "storage/row_header.h"

/* The header at a place whose page is locked. */
#define row_header_at(place) \
	((HeapTupleHeader) PageGetItem(BufferGetPage((place)->buffer), \
								   PageGetItemId(BufferGetPage((place)->buffer), \
												 (place)->offnum)))

#define row_header_map(page)	((RowHeaderMapData *) page_contents(page))

/* Rows that a page of a level serves, and the first of them. */
#define row_header_page_rows(level)	((uint32) GROUP_ROWS >> (2 * (level)))
#define row_header_page_first(level, offset) \
	((offset) & ~(row_header_page_rows(level) - 1))

/* No sound chain is longer; a damaged one may lead back to itself. */
#define MAX_CHAIN_LENGTH	GROUP_ROWS

/* Lock the map of a group that has one; the group's header is locked. */
extern Buffer row_header_map_read(Relation rel, const GroupHeaderData *header,
								  int lockmode);

/*
 * As row_header_page_read, of a page that has to serve a row at a level.
 */
extern Buffer row_header_page_read_level(Relation rel, uint32 group, int level,
										 uint32 offset, BlockNumber blkno,
										 int lockmode);

/* Is there room for an item of that length on a locked page? */
extern bool row_header_page_has_room(Page page, Size length);

typedef struct RowHeaderSearch
{
	/* First page of each level that serves the row, or invalid. */
	BlockNumber blocks[ROW_HEADER_LEVELS];

	/*
	 * The lowest level whose page has room for a header or does not exist;
	 * ROW_HEADER_LEVELS if all are full.  Not set if a header has been found.
	 */
	int			level;

	/* Pinned, if the row has a header. */
	RowHeaderPlace place;
} RowHeaderSearch;

/*
 * Look for the header of a row of a group that is locked and has a map, and for
 * room for an item of that length (0: not wanted).
 */
extern bool row_header_search(Relation rel, const GroupHeaderData *header,
							  uint32 offset, Size length,
							  RowHeaderSearch *search);

/*
 * Look for room only, after a search that has found a header.
 */
extern void row_header_search_room(Relation rel, const GroupHeaderData *header,
								   uint32 offset, Size length,
								   RowHeaderSearch *search);

#endif							/* STORAGE_ROW_HEADER_PAGE_H */
