/*
 * row_header_change.c
 *		Making, moving and removing row headers.
 *
 * Whoever makes a header holds the group's header exclusively (H1), so a row
 * gets one header however many want it at a time.  Blocks are allocated with
 * nothing locked, after which everything is looked at anew.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/page_delta.h"
#include "storage/row_header.h"
#include "storage/row_header_page.h"
#include "storage/row_set.h"
#include "storage/visibility.h"

/*
 * Headers from which on a TID block gets a page with headers of all its rows,
 * because many more are likely to be wanted: so many of the block; or, where the
 * block before or behind it has a page, so many of a run of 64 rows.  It costs as
 * much time as one or two headers, but room and WAL as some sixty, so few rows
 * that lie together must not be enough.
 */
#define MANY_HEADERS		48
#define MANY_HEADERS_OF_RUN	12

/* ---- pages ---- */

static void
header_page_init(Page page, BlockNumber blkno, uint32 group, int level,
				 uint32 offset)
{
	RowHeaderPageTag *tag;

	PageInit(page, BLCKSZ, ROW_HEADER_SPECIAL_LENGTH);
	tag = row_header_page_tag(page);
	tag->magic = PAGE_TAG_MAGIC;
	tag->kind = PAGE_ROW_HEADERS;
	tag->version = FORMAT_VERSION;
	tag->blkno = blkno;
	tag->group = group;
	tag->first = row_header_page_first(level, offset);
	tag->level = level;
}

/*
 * Put a header on a page that has room for it.  It says of its row what the
 * row's segment says.
 */
static OffsetNumber
header_page_add(Page page, BlockNumber blkno, uint32 offset,
				const SegmentData *segment)
{
	HeapTupleHeader source = segment_tuple_header(segment);
	union
	{
		HeapTupleHeaderData header;
		char		bytes[ROW_HEADER_LENGTH];
	}			tuple = {0};
	OffsetNumber offnum;

	tuple.header.t_choice = source->t_choice;
	HeapTupleHeaderSetXmax(&tuple.header, InvalidTransactionId);
	tuple.header.t_infomask = HEAP_XMAX_INVALID |
		(source->t_infomask & HEAP_XMIN_FROZEN);
	tuple.header.t_hoff = ROW_HEADER_LENGTH;

	offnum = PageAddItemExtended(page, (Item) &tuple, ROW_HEADER_LENGTH,
								 InvalidOffsetNumber, PAI_IS_HEAP);
	if (offnum == InvalidOffsetNumber)
		elog(ERROR, "failed to add a row header to block %u", blkno);
	Assert(offnum <= ROW_HEADER_PAGE_ENTRIES);

	ItemPointerSet(&((HeapTupleHeader) PageGetItem(page, PageGetItemId(page, offnum)))->t_ctid,
				   blkno, offnum);
	row_header_page_tag(page)->offsets[offnum - 1] = offset;
	return offnum;
}

/* ---- the map ---- */

/*
 * Lock a group exclusively, for its first row header also the directory page
 * with its entry.  InvalidBuffer if the group does not exist any more.
 */
static Buffer
lock_with_entry(Relation rel, uint32 group, Buffer *directory_buffer,
				int *index)
{
	*directory_buffer = directory_read(rel, NULL, group,
									   BUFFER_LOCK_EXCLUSIVE, index);
	if (directory_page(BufferGetPage(*directory_buffer))->entries[*index].header == 0)
	{
		UnlockReleaseBuffer(*directory_buffer);
		return InvalidBuffer;
	}
	return group_lock_entry(rel, group, *directory_buffer, *index);
}

static void
map_init(Page page, BlockNumber blkno, uint32 group)
{
	RowHeaderMapData *map;

	page_init(page, PAGE_ROW_HEADER_MAP, blkno, sizeof(RowHeaderMapData));
	map = row_header_map(page);
	map->group = group;
	for (int i = 0; i < ROW_HEADER_PAGES; i++)
		map->pages[i] = InvalidBlockNumber;
}

/*
 * Give a group a map, unless it has one.  From then on it is not visible to
 * everybody as a whole.
 */
static void
map_create(Relation rel, uint32 group)
{
	BlockNumber blkno = free_space_allocate(rel, 1,
											GetCurrentFullTransactionId());
	Buffer		directory_buffer;
	int			index;
	Buffer		buffer = lock_with_entry(rel, group, &directory_buffer, &index);
	bool		needed = BufferIsValid(buffer) &&
		group_header(buffer)->row_header_map == InvalidBlockNumber;

	if (needed)
	{
		Buffer		map_buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
													RBM_ZERO_AND_LOCK, NULL);
		GenericXLogState *state = GenericXLogStart(rel);
		DirectoryPageData *directory;
		GroupHeaderData *header;

		directory = directory_page(GenericXLogRegisterBuffer(state, directory_buffer, 0));
		directory->entries[index].flags &= ~DIRECTORY_ALL_VISIBLE;
		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		header->row_header_map = blkno;
		map_init(GenericXLogRegisterBuffer(state, map_buffer,
										   GENERIC_XLOG_FULL_IMAGE),
				 blkno, group);
		GenericXLogFinish(state);
		UnlockReleaseBuffer(map_buffer);
	}
	if (BufferIsValid(buffer))
	{
		UnlockReleaseBuffer(buffer);
		UnlockReleaseBuffer(directory_buffer);
	}

	if (needed)
		free_space_forget(rel, blkno);
	else
		free_space_release(rel, blkno);
}

/* ---- making headers ---- */

/* The column-form segment of a row that may have a header, or NULL. */
static SegmentData *
headed_segment(Relation rel, GroupHeaderData *header, uint32 offset)
{
	SegmentData *segment = group_find_segment(header, offset);

	if (segment == NULL || segment->form != SEGMENT_COLUMNS ||
		offset - segment_first(segment) >= segment->nslots ||
		row_set_contains(rel, &header->dead, offset) ||
		row_set_contains(rel, &header->gone, offset))
		return NULL;
	return segment;
}

/* Have so many rows of the TID block headers that all others should? */
static bool
block_has_many(uint32 offset, const RowHeaderSearch *search)
{
	uint64		run = search->headed[offset % TID_BLOCK_ROWS / 64];
	int			nheaded = 0;

	if (search->has_neighbour && pg_popcount64(run) >= MANY_HEADERS_OF_RUN)
		return true;
	for (int i = 0; i < TID_BLOCK_ROWS / 64; i++)
		nheaded += pg_popcount64(search->headed[i]);
	return nheaded >= MANY_HEADERS;
}

/* The level of the page that a row's new header goes to. */
static int
choose_level(uint32 offset, const RowHeaderSearch *search)
{
	if (search->blocks[ROW_HEADER_LAST_LEVEL] != InvalidBlockNumber ||
		block_has_many(offset, search))
		return ROW_HEADER_LAST_LEVEL;
	Assert(search->level < ROW_HEADER_LEVELS);
	return search->level;
}

/*
 * Put headers of all rows of a row's TID block on its new page, but for those
 * that have one elsewhere.
 */
static void
fill_last_level(Relation rel, const GroupHeaderData *header, Page page,
				BlockNumber blkno, const SegmentData *segment,
				const RowHeaderSearch *search)
{
	uint64	   *deleted = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	uint32		first = row_header_page_tag(page)->first;
	uint32		limit = Min(first + TID_BLOCK_ROWS,
							segment_first(segment) + segment->nslots);

	row_set_load(rel, &header->dead, deleted);
	row_set_load(rel, &header->gone, deleted);
	for (uint32 offset = first; offset < limit; offset++)
		if (!row_bitmap_test(deleted, offset) &&
			!row_bitmap_test(search->headed, offset - first))
			header_page_add(page, blkno, offset, segment);
	pfree(deleted);
}

/*
 * Make a header on a new page of a level.
 */
static void
make_on_new_page(Relation rel, const GroupHeaderData *header, uint32 offset,
				 const SegmentData *segment, const RowHeaderSearch *search,
				 int level, BlockNumber blkno, RowHeaderPlace *place)
{
	Buffer		map_buffer = row_header_map_read(rel, header,
												 BUFFER_LOCK_EXCLUSIVE);
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, NULL);
	GenericXLogState *state = GenericXLogStart(rel);
	Page		map_page = GenericXLogRegisterBuffer(state, map_buffer, 0);
	Page		page = GenericXLogRegisterBuffer(state, buffer,
												 GENERIC_XLOG_FULL_IMAGE);

	header_page_init(page, blkno, header->group, level, offset);
	row_header_map(map_page)->pages[row_header_slot(level, offset)] = blkno;
	if (level == ROW_HEADER_LAST_LEVEL)
	{
		fill_last_level(rel, header, page, blkno, segment, search);
		place->offnum = row_header_page_search(page, offset);
	}
	else
		place->offnum = header_page_add(page, blkno, offset, segment);
	GenericXLogFinish(state);

	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	place->buffer = buffer;
	UnlockReleaseBuffer(map_buffer);
}

/*
 * Make a header on a page that exists.
 */
static void
make_on_page(Relation rel, const GroupHeaderData *header, uint32 offset,
			 const SegmentData *segment, BlockNumber blkno,
			 RowHeaderPlace *place)
{
	Buffer		buffer = row_header_page_read(rel, header->group, blkno,
											  BUFFER_LOCK_EXCLUSIVE, NULL);
	Page		page = BufferGetPage(buffer);
	PageDelta	delta;
	ItemId		item;

	if (!row_header_page_has_room(page))
		page_report_corruption(rel, blkno,
							   "The page has more row headers than it serves rows.");

	START_CRIT_SECTION();
	place->offnum = header_page_add(page, blkno, offset, segment);
	item = PageGetItemId(page, place->offnum);
	page_delta_begin(&delta, buffer);
	page_delta_add_space(&delta);
	page_delta_add(&delta, item, sizeof(ItemIdData));
	page_delta_add(&delta, PageGetItem(page, item), ROW_HEADER_LENGTH);
	page_delta_add(&delta,
				   &row_header_page_tag(page)->offsets[place->offnum - 1],
				   sizeof(uint16));
	page_delta_log(rel, &delta, 1);
	END_CRIT_SECTION();

	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	place->buffer = buffer;
}

/*
 * Make a header on the page of a level, which is on the spare block if it does
 * not exist yet.  The group's header is locked exclusively.
 */
static void
make_header(Relation rel, const GroupHeaderData *header, uint32 offset,
			const SegmentData *segment, const RowHeaderSearch *search,
			int level, BlockNumber spare, RowHeaderPlace *place)
{
	BlockNumber blkno = search->blocks[level];

	visibility_clear(rel, group_first_tid_block(header->group) +
					 offset / TID_BLOCK_ROWS);
	if (blkno == InvalidBlockNumber)
		make_on_new_page(rel, header, offset, segment, search, level, spare,
						 place);
	else
		make_on_page(rel, header, offset, segment, blkno, place);
}

typedef enum AddResult
{
	ADD_DONE,
	ADD_NO_ROW,
	ADD_NEEDS_MAP,
	ADD_NEEDS_BLOCK,
	ADD_USED_BLOCK				/* done, on the spare block */
} AddResult;

/*
 * Try to make a header, with a spare block or InvalidBlockNumber.  The group's
 * header is locked exclusively.
 */
static AddResult
try_add(Relation rel, GroupHeaderData *header, uint32 offset,
		BlockNumber spare, RowHeaderPlace *place)
{
	SegmentData *segment = headed_segment(rel, header, offset);
	RowHeaderSearch search;
	int			level;
	bool		is_new;

	if (segment == NULL)
		return ADD_NO_ROW;
	if (header->row_header_map == InvalidBlockNumber)
		return ADD_NEEDS_MAP;
	if (row_header_search(rel, header, offset, true, &search))
	{
		LockBuffer(search.place.buffer, BUFFER_LOCK_UNLOCK);
		*place = search.place;
		return ADD_DONE;
	}

	level = choose_level(offset, &search);
	is_new = search.blocks[level] == InvalidBlockNumber;
	if (is_new && spare == InvalidBlockNumber)
		return ADD_NEEDS_BLOCK;
	make_header(rel, header, offset, segment, &search, level, spare, place);
	return is_new ? ADD_USED_BLOCK : ADD_DONE;
}

bool
row_header_add(Relation rel, uint32 group, uint32 offset,
			   RowHeaderPlace *place)
{
	BlockNumber spare = InvalidBlockNumber;
	AddResult	result;

	Assert(offset < GROUP_ROWS);

	do
	{
		Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);

		result = ADD_NO_ROW;
		if (BufferIsValid(buffer))
		{
			result = try_add(rel, group_header(buffer), offset, spare, place);
			UnlockReleaseBuffer(buffer);
		}
		if (result == ADD_NEEDS_MAP)
			map_create(rel, group);
		else if (result == ADD_NEEDS_BLOCK)
			spare = free_space_allocate(rel, 1, GetCurrentFullTransactionId());
	} while (result == ADD_NEEDS_MAP || result == ADD_NEEDS_BLOCK);

	if (result == ADD_USED_BLOCK)
		free_space_forget(rel, spare);
	else if (spare != InvalidBlockNumber)
		free_space_release(rel, spare);
	return result != ADD_NO_ROW;
}

/* ---- maintenance ---- */

void
row_header_page_rewrite(Relation rel, Buffer buffer, Page page,
						const bool *remove)
{
	GenericXLogState *state;
	Page		target;
	bool		removes = false;

	for (int i = 1; i <= PageGetMaxOffsetNumber(page); i++)
	{
		if (!remove[i])
			continue;
		ItemIdSetUnused(PageGetItemId(page, i));
		removes = true;
	}
	if (removes)
		PageRepairFragmentation(page);

	state = GenericXLogStart(rel);
	target = GenericXLogRegisterBuffer(state, buffer,
									   removes ? GENERIC_XLOG_FULL_IMAGE : 0);
	memcpy(target, page, BLCKSZ);
	GenericXLogFinish(state);
}

/* Does a locked page have no header? */
static bool
header_page_is_empty(Page page)
{
	for (int i = 1; i <= PageGetMaxOffsetNumber(page); i++)
		if (ItemIdIsUsed(PageGetItemId(page, i)))
			return false;
	return true;
}

static bool
map_is_empty(const RowHeaderMapData *map)
{
	for (int i = 0; i < ROW_HEADER_PAGES; i++)
		if (map->pages[i] != InvalidBlockNumber)
			return false;
	return true;
}

/*
 * Take the page in a slot out of the map, and the map out of the group if it
 * has no other; both are locked.  Returns whether the map has gone.
 *
 * Redo locks the pages of a record in the order in which they are registered,
 * while readers are at work, so that is the order of locks.
 */
static bool
unlink_page(Relation rel, Buffer header_buffer, Buffer map_buffer, int slot)
{
	GenericXLogState *state = GenericXLogStart(rel);
	GroupHeaderData *header;
	RowHeaderMapData *map;
	bool		is_last;

	header = page_contents(GenericXLogRegisterBuffer(state, header_buffer, 0));
	map = row_header_map(GenericXLogRegisterBuffer(state, map_buffer, 0));
	map->pages[slot] = InvalidBlockNumber;
	is_last = map_is_empty(map);
	if (is_last)
		header->row_header_map = InvalidBlockNumber;
	GenericXLogFinish(state);
	return is_last;
}

void
row_header_drop_empty(Relation rel, uint32 group, BlockNumber blkno)
{
	Buffer		header_buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);
	BlockNumber map_block;
	Buffer		map_buffer;
	Buffer		buffer;
	RowHeaderPageTag *tag;
	int			slot;
	bool		is_dropped = false;
	bool		map_is_dropped = false;

	if (!BufferIsValid(header_buffer))
		return;
	map_block = group_header(header_buffer)->row_header_map;
	if (map_block == InvalidBlockNumber)
	{
		UnlockReleaseBuffer(header_buffer);
		return;
	}
	map_buffer = row_header_map_read(rel, group_header(header_buffer),
									 BUFFER_LOCK_EXCLUSIVE);

	buffer = block_read(rel, blkno, NULL);
	if (ConditionalLockBufferForCleanup(buffer))
	{
		row_header_page_check(rel, buffer, group);
		tag = row_header_page_tag(BufferGetPage(buffer));
		slot = row_header_slot(tag->level, tag->first);
		is_dropped = header_page_is_empty(BufferGetPage(buffer)) &&
			row_header_map(BufferGetPage(map_buffer))->pages[slot] == blkno;
		if (is_dropped)
			map_is_dropped = unlink_page(rel, header_buffer, map_buffer, slot);
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(buffer);
	UnlockReleaseBuffer(map_buffer);
	UnlockReleaseBuffer(header_buffer);

	if (is_dropped)
		free_space_retire(rel, blkno, 1, ReadNextFullTransactionId());
	if (map_is_dropped)
		free_space_retire(rel, map_block, 1, ReadNextFullTransactionId());
}
