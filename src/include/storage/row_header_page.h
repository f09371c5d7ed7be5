/*
 * row_header_page.h
 *		What the files about row headers share.
 */
#ifndef STORAGE_ROW_HEADER_PAGE_H
#define STORAGE_ROW_HEADER_PAGE_H

#include "storage/row_header.h"

#define row_header_map(page)	((RowHeaderMapData *) page_contents(page))

/* The level whose pages serve one TID block each. */
#define ROW_HEADER_LAST_LEVEL	(ROW_HEADER_LEVELS - 1)

/* Rows that a page of a level serves, and the first of them. */
#define row_header_page_rows(level)	((uint32) GROUP_ROWS >> (2 * (level)))
#define row_header_page_first(level, offset) \
	((offset) & ~(row_header_page_rows(level) - 1))

/* Lock the map of a group that has one; the group's header is locked. */
extern Buffer row_header_map_read(Relation rel, const GroupHeaderData *header,
								  int lockmode);

/* The check that row_header_page_read makes, for a page that is locked. */
extern void row_header_page_check(Relation rel, Buffer buffer, uint32 group);

/* Line pointer of a row's header on a locked page, or InvalidOffsetNumber. */
extern OffsetNumber row_header_page_search(Page page, uint32 offset);

/* Is there room for another header on a locked page? */
extern bool row_header_page_has_room(Page page);

typedef struct RowHeaderSearch
{
	/* Page of each level that serves the row, or invalid. */
	BlockNumber blocks[ROW_HEADER_LEVELS];

	/* Has a TID block beside the row's, of the group, a page? */
	bool		has_neighbour;

	/* Of a row that has a header: its place, the page locked, and it itself. */
	RowHeaderPlace place;
	HeapTupleData tuple;

	/*
	 * Of one that has none and is to get one: the lowest level whose page
	 * has room or does not exist, and the rows of the TID block that have
	 * headers.
	 */
	int			level;
	uint64		headed[TID_BLOCK_ROWS / 64];
} RowHeaderSearch;

/*
 * Look for the header of a row of a group that is locked and has a map; to_add
 * says whether to find out, too, where a new one would go.
 */
extern bool row_header_search(Relation rel, const GroupHeaderData *header,
							  uint32 offset, bool to_add,
							  RowHeaderSearch *search);

#endif							/* STORAGE_ROW_HEADER_PAGE_H */
