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

/* The first page of each level that may have a row's header. */
static void
map_lookup(Relation rel, const GroupHeaderData *header, uint32 offset,
		   BlockNumber *blocks)
{
	Buffer		buffer = row_header_map_read(rel, header, BUFFER_LOCK_SHARE);
	const RowHeaderMapData *map = row_header_map(BufferGetPage(buffer));

	for (int level = 0; level < ROW_HEADER_LEVELS; level++)
		blocks[level] = map->pages[row_header_slot(level, offset)];
	UnlockReleaseBuffer(buffer);
}

/* ---- pages ---- */

static void
header_page_check(Relation rel, Page page, uint32 group, BlockNumber blkno)
{
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
	header_page_check(rel, BufferGetPage(buffer), group, blkno);
	return buffer;
}

Buffer
row_header_page_read_level(Relation rel, uint32 group, int level,
						   uint32 offset, BlockNumber blkno, int lockmode)
{
	Buffer		buffer = row_header_page_read(rel, group, blkno, lockmode, NULL);
	const RowHeaderPageTag *tag = row_header_page_tag(BufferGetPage(buffer));

	if (tag->level != level ||
		tag->first != row_header_page_first(level, offset))
		page_report_corruption(rel, blkno,
							   "The page serves rows from %u on at level %u, not from %u on at level %d.",
							   tag->first, tag->level,
							   row_header_page_first(level, offset), level);
	return buffer;
}

/* Line pointer of a row's header on a locked page, or InvalidOffsetNumber. */
static OffsetNumber
page_search(Page page, uint32 offset)
{
	const uint16 *offsets = row_header_page_tag(page)->offsets;
	int			n = PageGetMaxOffsetNumber(page);

	for (int i = 0; i < n; i++)
		if (offsets[i] == offset && ItemIdIsNormal(PageGetItemId(page, i + 1)))
			return i + 1;
	return InvalidOffsetNumber;
}

bool
row_header_page_has_room(Page page, Size length)
{
	PageHeader	head = (PageHeader) page;
	Size		room = head->pd_upper - head->pd_lower;
	int			n = PageGetMaxOffsetNumber(page);

	if (n < (int) ROW_HEADER_PAGE_ENTRIES &&
		room >= MAXALIGN(length) + sizeof(ItemIdData))
		return true;
	if (room < MAXALIGN(length) || !PageHasFreeLinePointers(page))
		return false;
	for (int i = 1; i <= n; i++)
		if (!ItemIdIsUsed(PageGetItemId(page, i)))
			return true;
	return false;
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
	Size		length = ItemIdGetLength(item);

	Assert(offnum >= 1 && offnum <= PageGetMaxOffsetNumber(page));

	if (!ItemIdIsNormal(item))
		return false;
	if (ItemIdGetOffset(item) != MAXALIGN(ItemIdGetOffset(item)) ||
		ItemIdGetOffset(item) < ((PageHeader) page)->pd_upper ||
		ItemIdGetOffset(item) + length > ((PageHeader) page)->pd_special ||
		length < MAXALIGN(SizeofHeapTupleHeader))
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "Line pointer %u is invalid.", offnum);

	header = (HeapTupleHeader) PageGetItem(page, item);
	if (HeapTupleHeaderGetNatts(header) > 0)
	{
		if (length % sizeof(uint16) != 0 ||
			header->t_hoff + sizeof(uint16) > length)
			page_report_corruption(rel, BufferGetBlockNumber(buffer),
								   "The row header at line pointer %u is %zu bytes long.",
								   offnum, length);
		length -= sizeof(uint16);
	}
	if (header->t_hoff != MAXALIGN(header->t_hoff) ||
		header->t_hoff < SizeofHeapTupleHeader || header->t_hoff > length)
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "The row header at line pointer %u has a length of %u.",
							   offnum, header->t_hoff);

	*offset = tag->offsets[offnum - 1];
	if (*offset < tag->first ||
		*offset - tag->first >= row_header_page_rows(tag->level))
		page_report_corruption(rel, BufferGetBlockNumber(buffer),
							   "Line pointer %u is for row %u, which the page does not serve.",
							   offnum, *offset);

	tuple->t_len = length;
	tuple->t_tableOid = RelationGetRelid(rel);
	tuple->t_data = header;
	row_number_to_tid(row_number(tag->group, *offset), &tuple->t_self);
	return true;
}

uint16
row_header_identity(Buffer buffer, OffsetNumber offnum)
{
	Page		page = BufferGetPage(buffer);
	ItemId		item = PageGetItemId(page, offnum);
	HeapTupleHeader header = (HeapTupleHeader) PageGetItem(page, item);
	const char *end = (const char *) header + ItemIdGetLength(item);

	if (HeapTupleHeaderGetNatts(header) == 0)
		return 0;
	return *(const uint16 *) (end - sizeof(uint16));
}

/* ---- finding ---- */

/*
 * Look for a row's header on the chain that begins at search->blocks[level].
 */
static bool
search_level(Relation rel, const GroupHeaderData *header, uint32 offset,
			 int level, Size length, RowHeaderSearch *search)
{
	BlockNumber blkno = search->blocks[level];

	for (int n = 0; blkno != InvalidBlockNumber; n++)
	{
		Buffer		buffer = row_header_page_read_level(rel, header->group,
														level, offset, blkno,
														BUFFER_LOCK_SHARE);
		Page		page = BufferGetPage(buffer);
		OffsetNumber offnum = page_search(page, offset);

		if (offnum != InvalidOffsetNumber)
		{
			HeapTupleData tuple;
			uint32		found;

			row_header_tuple(rel, buffer, offnum, &tuple, &found);
			Assert(found == offset);
			LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
			search->place.buffer = buffer;
			search->place.offnum = offnum;
			return true;
		}
		if (n == 0 && length > 0 && search->level == ROW_HEADER_LEVELS &&
			row_header_page_has_room(page, length))
			search->level = level;
		if (n >= MAX_CHAIN_LENGTH)
			page_report_corruption(rel, blkno,
								   "The chain of row-header pages has no end.");
		blkno = row_header_page_tag(page)->next;
		UnlockReleaseBuffer(buffer);
	}
	return false;
}

bool
row_header_search(Relation rel, const GroupHeaderData *header, uint32 offset,
				  Size length, RowHeaderSearch *search)
{
	search->level = ROW_HEADER_LEVELS;
	map_lookup(rel, header, offset, search->blocks);
	for (int level = 0; level < ROW_HEADER_LEVELS; level++)
	{
		if (search->blocks[level] != InvalidBlockNumber)
		{
			if (search_level(rel, header, offset, level, length, search))
				return true;
		}
		else if (search->level == ROW_HEADER_LEVELS)
			search->level = level;
	}
	return false;
}

void
row_header_search_room(Relation rel, const GroupHeaderData *header,
					   uint32 offset, Size length, RowHeaderSearch *search)
{
	bool		has_room = false;

	for (int level = 0; level < ROW_HEADER_LEVELS && !has_room; level++)
	{
		BlockNumber blkno = search->blocks[level];
		Buffer		buffer;

		search->level = level;
		if (blkno == InvalidBlockNumber)
			return;
		buffer = row_header_page_read_level(rel, header->group, level, offset,
											blkno, BUFFER_LOCK_SHARE);
		has_room = row_header_page_has_room(BufferGetPage(buffer), length);
		UnlockReleaseBuffer(buffer);
	}
	if (!has_room)
		search->level = ROW_HEADER_LEVELS;
}

bool
row_header_find(Relation rel, const GroupHeaderData *header, uint32 offset,
				RowHeaderPlace *place)
{
	RowHeaderSearch search;

	Assert(offset < GROUP_ROWS);

	if (header->row_header_map == InvalidBlockNumber ||
		!row_header_search(rel, header, offset, 0, &search))
		return false;
	*place = search.place;
	return true;
}

/* ---- listing ---- */

typedef struct PageList
{
	BlockNumber *blocks;
	int			n;
	int			size;
} PageList;

static void
list_add(PageList *list, BlockNumber blkno)
{
	if (list->n == list->size)
	{
		list->size *= 2;
		list->blocks = repalloc(list->blocks, list->size * sizeof(BlockNumber));
	}
	list->blocks[list->n++] = blkno;
}

/* Add the pages of a chain that serves a row. */
static void
list_add_chain(Relation rel, uint32 group, uint32 offset, BlockNumber blkno,
			   PageList *list)
{
	for (int length = 0; blkno != InvalidBlockNumber; length++)
	{
		Buffer		buffer = row_header_page_read_level(rel, group,
														ROW_HEADER_LEVELS - 1,
														offset, blkno,
														BUFFER_LOCK_SHARE);

		if (length >= MAX_CHAIN_LENGTH)
			page_report_corruption(rel, blkno,
								   "The chain of row-header pages has no end.");
		list_add(list, blkno);
		blkno = row_header_page_tag(BufferGetPage(buffer))->next;
		UnlockReleaseBuffer(buffer);
	}
}

int
row_header_pages(Relation rel, const GroupHeaderData *header, uint32 first,
				 uint32 limit, BlockNumber **pages)
{
	BlockNumber map[ROW_HEADER_PAGES];
	PageList	list = {NULL, 0, ROW_HEADER_PAGES};
	Buffer		buffer;

	list.blocks = palloc(list.size * sizeof(BlockNumber));
	*pages = list.blocks;
	if (header->row_header_map == InvalidBlockNumber || first >= limit)
		return 0;

	buffer = row_header_map_read(rel, header, BUFFER_LOCK_SHARE);
	memcpy(map, row_header_map(BufferGetPage(buffer))->pages, sizeof(map));
	UnlockReleaseBuffer(buffer);

	for (int level = 0; level < ROW_HEADER_LEVELS; level++)
	{
		for (uint32 offset = row_header_page_first(level, first);
			 offset < limit; offset += row_header_page_rows(level))
		{
			BlockNumber blkno = map[row_header_slot(level, offset)];

			if (level == ROW_HEADER_LEVELS - 1)
				list_add_chain(rel, header->group, offset, blkno, &list);
			else if (blkno != InvalidBlockNumber)
				list_add(&list, blkno);
		}
	}
	*pages = list.blocks;
	return list.n;
}
