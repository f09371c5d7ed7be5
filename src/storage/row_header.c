/*
 * row_header.c
 *		Finding and reading row headers.
 *
 * A row's header is on one of a few pages, whose places in the group's map
 * follow from its number; the special space of each says which line pointer is
 * whose.  row_header_change.c writes what is read here.
 */
#include "postgres.h"

#include "compat.h"

#include "storage/row_header.h"
#include "storage/row_header_page.h"

/* ---- the map ---- */

Buffer
row_header_map_read(Relation rel, const GroupHeaderData *header, int lockmode)
{
	Buffer		buffer = page_read(rel, header->row_header_map,
								   PAGE_ROW_HEADER_MAP, lockmode);

	if (row_header_map(BufferGetPage(buffer))->group != header->group)
		page_report_corruption(rel, header->row_header_map,
							   "The map is one of group %u instead of %u.",
							   row_header_map(BufferGetPage(buffer))->group,
							   header->group);
	return buffer;
}

/* The pages that serve a row, and whether those of TID blocks are near it. */
static void
map_lookup(Relation rel, const GroupHeaderData *header, uint32 offset,
		   RowHeaderSearch *search)
{
	Buffer		buffer = row_header_map_read(rel, header, BUFFER_LOCK_SHARE);
	const RowHeaderMapData *map = row_header_map(BufferGetPage(buffer));
	int			slot = 0;

	for (int level = 0; level < ROW_HEADER_LEVELS; level++)
	{
		slot = row_header_slot(level, offset);
		search->blocks[level] = map->pages[slot];
	}
	search->has_neighbour =
		(offset >= TID_BLOCK_ROWS &&
		 map->pages[slot - 1] != InvalidBlockNumber) ||
		(offset < GROUP_ROWS - TID_BLOCK_ROWS &&
		 map->pages[slot + 1] != InvalidBlockNumber);
	UnlockReleaseBuffer(buffer);
}

/* ---- pages ---- */

void
row_header_page_check(Relation rel, Buffer buffer, uint32 group)
{
	BlockNumber blkno = BufferGetBlockNumber(buffer);
	Page		page = BufferGetPage(buffer);
	PageHeader	head = (PageHeader) page;
	const RowHeaderPageTag *tag;

	if (PageIsNew(page))
		page_report_corruption(rel, blkno, "The page is empty.");
	if (head->pd_special != BLCKSZ - ROW_HEADER_SPECIAL_LENGTH ||
		head->pd_lower < SizeOfPageHeaderData ||
		head->pd_upper < head->pd_lower || head->pd_upper > head->pd_special ||
		PageGetMaxOffsetNumber(page) > ROW_HEADER_PAGE_ENTRIES)
		page_report_corruption(rel, blkno,
							   "The page is not laid out as one of row headers.");

	tag = row_header_page_tag(page);
	if (tag->magic != PAGE_TAG_MAGIC || tag->kind != PAGE_ROW_HEADERS)
		page_report_corruption(rel, blkno, "The page has no tag.");
	if (tag->version != FORMAT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("columnar table \"%s\" has format version %u, which is not supported",
						RelationGetRelationName(rel), tag->version)));
	if (tag->blkno != blkno)
		page_report_corruption(rel, blkno,
							   "The page says that it is block %u.",
							   tag->blkno);
	if (tag->group != group)
		page_report_corruption(rel, blkno,
							   "The page has row headers of group %u instead of %u.",
							   tag->group, group);
	if (tag->level >= ROW_HEADER_LEVELS ||
		tag->first % row_header_page_rows(tag->level) != 0)
		page_report_corruption(rel, blkno,
							   "The page serves rows from %u on at level %u.",
							   tag->first, tag->level);
}

Buffer
row_header_page_read(Relation rel, uint32 group, BlockNumber blkno,
					 int lockmode, BufferAccessStrategy strategy)
{
	Buffer		buffer = block_read(rel, blkno, strategy);

	LockBuffer(buffer, lockmode);
	row_header_page_check(rel, buffer, group);
	return buffer;
}

/* Read and check the page that serves a row at a level. */
static Buffer
level_page_read(Relation rel, uint32 group, int level, uint32 offset,
				BlockNumber blkno)
{
	Buffer		buffer = row_header_page_read(rel, group, blkno,
											  BUFFER_LOCK_SHARE, NULL);
	const RowHeaderPageTag *tag = row_header_page_tag(BufferGetPage(buffer));

	if (tag->level != level ||
		tag->first != row_header_page_first(level, offset))
		page_report_corruption(rel, blkno,
							   "The page serves rows from %u on at level %u, not from %u on at level %d.",
							   tag->first, tag->level,
							   row_header_page_first(level, offset), level);
	return buffer;
}

/* Entries of a page that are compared at a time. */
#define SEARCH_BLOCK	32

/*
 * Is a row's number among SEARCH_BLOCK entries?  Without a branch in it, for
 * the compiler to compare many at once.
 */
static inline bool
block_has_offset(const uint16 *offsets, uint16 offset)
{
	uint16		found = 0;

	for (int i = 0; i < SEARCH_BLOCK; i++)
		found |= (offsets[i] == offset);
	return found != 0;
}

OffsetNumber
row_header_page_search(Page page, uint32 offset)
{
	const uint16 *offsets = row_header_page_tag(page)->offsets;
	int			n = PageGetMaxOffsetNumber(page);
	int			likely = offset % TID_BLOCK_ROWS;

	/* pages of TID blocks are made with their rows in order */
	if (likely < n && offsets[likely] == offset &&
		ItemIdIsUsed(PageGetItemId(page, likely + 1)))
		return likely + 1;

	for (int first = 0; first < n; first += SEARCH_BLOCK)
	{
		int			limit = Min(first + SEARCH_BLOCK, n);

		if (limit - first == SEARCH_BLOCK &&
			!block_has_offset(offsets + first, offset))
			continue;
		for (int i = first; i < limit; i++)
			if (offsets[i] == offset &&
				ItemIdIsUsed(PageGetItemId(page, i + 1)))
				return i + 1;
	}
	return InvalidOffsetNumber;
}

bool
row_header_page_has_room(Page page)
{
	PageHeader	head = (PageHeader) page;
	Size		room = head->pd_upper - head->pd_lower;
	int			n = PageGetMaxOffsetNumber(page);

	if (n < (int) ROW_HEADER_PAGE_ENTRIES &&
		room >= ROW_HEADER_LENGTH + sizeof(ItemIdData))
		return true;
	if (room < ROW_HEADER_LENGTH || !PageHasFreeLinePointers(page))
		return false;
	for (int i = 1; i <= n; i++)
	{
		ItemId		item = PageGetItemId(page, i);

		/* as PageAddItem sees it, which is not to fail */
		if (!ItemIdIsUsed(item) && !ItemIdHasStorage(item))
			return true;
	}
	return false;
}

/*
 * Note the rows of a row's TID block that have headers on a locked page.
 */
static void
page_collect_headed(Page page, uint32 offset, uint64 *headed)
{
	const uint16 *offsets = row_header_page_tag(page)->offsets;
	uint32		first = offset - offset % TID_BLOCK_ROWS;
	int			n = PageGetMaxOffsetNumber(page);

	for (int i = 0; i < n; i++)
	{
		uint32		row = (uint32) offsets[i] - first;

		if (row < TID_BLOCK_ROWS && ItemIdIsUsed(PageGetItemId(page, i + 1)))
			headed[row / 64] |= UINT64CONST(1) << (row % 64);
	}
}

/* ---- headers ---- */

bool
row_header_tuple(Relation rel, Buffer buffer, OffsetNumber offnum,
				 HeapTuple tuple, uint32 *offset)
{
	Page		page = BufferGetPage(buffer);
	const RowHeaderPageTag *tag = row_header_page_tag(page);
	ItemId		item = PageGetItemId(page, offnum);
	HeapTupleHeader header;

	Assert(offnum >= 1 && offnum <= PageGetMaxOffsetNumber(page));

	if (!ItemIdIsUsed(item) && !ItemIdHasStorage(item))
		return false;
	if (!ItemIdIsNormal(item) ||
		ItemIdGetLength(item) != ROW_HEADER_LENGTH ||
		ItemIdGetOffset(item) != MAXALIGN(ItemIdGetOffset(item)) ||
		ItemIdGetOffset(item) < ((PageHeader) page)->pd_upper ||
		ItemIdGetOffset(item) + ROW_HEADER_LENGTH > ((PageHeader) page)->pd_special)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "Line pointer %u is invalid.", offnum);

	header = (HeapTupleHeader) PageGetItem(page, item);
	if (header->t_hoff != ROW_HEADER_LENGTH ||
		HeapTupleHeaderGetNatts(header) != 0)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "The row header at line pointer %u has %d attributes and a length of %u.",
							   offnum, (int) HeapTupleHeaderGetNatts(header),
							   header->t_hoff);

	*offset = tag->offsets[offnum - 1];
	if (*offset < tag->first ||
		*offset - tag->first >= row_header_page_rows(tag->level))
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "Line pointer %u is for row %u, which the page does not serve.",
							   offnum, *offset);

	tuple->t_len = ROW_HEADER_LENGTH;
	tuple->t_tableOid = RelationGetRelid(rel);
	tuple->t_data = header;
	row_number_to_tid(row_number(tag->group, *offset), &tuple->t_self);
	return true;
}

/* ---- finding ---- */

/*
 * Look for a row's header on the page of a level, which stays locked if it is
 * there, and for what else a search before adding one has to find out.
 */
static bool
search_level(Relation rel, const GroupHeaderData *header, uint32 offset,
			 int level, bool to_add, RowHeaderSearch *search)
{
	Buffer		buffer = level_page_read(rel, header->group, level, offset,
										 search->blocks[level]);
	Page		page = BufferGetPage(buffer);
	OffsetNumber offnum = row_header_page_search(page, offset);
	uint32		found;

	if (offnum == InvalidOffsetNumber)
	{
		if (to_add)
		{
			if (row_header_page_has_room(page))
				search->level = level;
			page_collect_headed(page, offset, search->headed);
		}
		UnlockReleaseBuffer(buffer);
		return false;
	}

	/* raises an error unless it is sound */
	row_header_tuple(rel, buffer, offnum, &search->tuple, &found);
	Assert(found == offset);
	search->place.buffer = buffer;
	search->place.offnum = offnum;
	return true;
}

bool
row_header_search(Relation rel, const GroupHeaderData *header, uint32 offset,
				  bool to_add, RowHeaderSearch *search)
{
	memset(search->headed, 0, sizeof(search->headed));
	search->level = ROW_HEADER_LEVELS;
	map_lookup(rel, header, offset, search);

	/* where there is a page for the TID block most headers are on it */
	for (int level = ROW_HEADER_LAST_LEVEL; level >= 0; level--)
	{
		if (search->blocks[level] == InvalidBlockNumber)
			search->level = level;
		else if (search_level(rel, header, offset, level, to_add, search))
			return true;
	}
	return false;
}

bool
row_header_find(Relation rel, const GroupHeaderData *header, uint32 offset,
				RowHeaderPlace *place)
{
	RowHeaderSearch search;

	Assert(offset < GROUP_ROWS);

	if (header->row_header_map == InvalidBlockNumber ||
		!row_header_search(rel, header, offset, false, &search))
		return false;
	LockBuffer(search.place.buffer, BUFFER_LOCK_UNLOCK);
	*place = search.place;
	return true;
}

bool
row_header_lock(Relation rel, const GroupHeaderData *header, uint32 offset,
				Buffer *buffer, HeapTuple tuple)
{
	RowHeaderSearch search;

	Assert(offset < GROUP_ROWS);

	if (header->row_header_map == InvalidBlockNumber ||
		!row_header_search(rel, header, offset, false, &search))
		return false;
	*buffer = search.place.buffer;
	*tuple = search.tuple;
	return true;
}

/* ---- listing ---- */

int
row_header_pages(Relation rel, const GroupHeaderData *header, uint32 first,
				 uint32 limit, BlockNumber **pages)
{
	Buffer		buffer;
	const RowHeaderMapData *map;
	int			n = 0;

	*pages = palloc(ROW_HEADER_PAGES * sizeof(BlockNumber));
	if (header->row_header_map == InvalidBlockNumber || first >= limit)
		return 0;

	buffer = row_header_map_read(rel, header, BUFFER_LOCK_SHARE);
	map = row_header_map(BufferGetPage(buffer));
	for (int level = 0; level < ROW_HEADER_LEVELS; level++)
	{
		int			last = row_header_slot(level, limit - 1);

		for (int slot = row_header_slot(level, first); slot <= last; slot++)
			if (map->pages[slot] != InvalidBlockNumber)
				(*pages)[n++] = map->pages[slot];
	}
	UnlockReleaseBuffer(buffer);
	return n;
}
