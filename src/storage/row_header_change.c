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
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/row_header.h"
#include "storage/row_header_page.h"
#include "storage/row_set.h"
#include "storage/visibility.h"

/* A header to be made. */
typedef struct RowHeaderItem
{
	uint32		offset;
	uint16		identity;		/* mark, 0 if it carries no columns */
	HeapTupleHeader tuple;		/* the item, mark included; palloc'd */
	Size		length;

	/*
	 * Whose transaction fields it gets, with the physical address in t_self;
	 * NULL: of the header that it replaces, or of the row's segment.
	 */
	HeapTuple	source;
} RowHeaderItem;

/* Bytes of an item on a page that has no other. */
#define MAX_ITEM_LENGTH \
	(PAGE_CONTENTS_LENGTH - ROW_HEADER_SPECIAL_LENGTH - MAXALIGN(sizeof(ItemIdData)))

/* ---- items ---- */

static void
item_form(RowHeaderItem *item, uint32 offset, HeapTuple identity, uint16 mark)
{
	item->offset = offset;
	item->identity = mark;
	item->source = NULL;
	if (identity == NULL)
	{
		item->length = MAXALIGN(SizeofHeapTupleHeader);
		item->tuple = palloc0(item->length);
		item->tuple->t_hoff = item->length;
		return;
	}

	Assert(mark != 0);
	Assert(HeapTupleHeaderGetNatts(identity->t_data) > 0);
	Assert(!HeapTupleHasExternal(identity));

	item->length = SHORTALIGN(identity->t_len) + sizeof(uint16);
	if (item->length > MAX_ITEM_LENGTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("replica identity is too big: size %zu, maximum size %zu",
						item->length, (Size) MAX_ITEM_LENGTH)));
	item->tuple = palloc0(item->length);
	memcpy(item->tuple, identity->t_data, identity->t_len);
	item->tuple->t_infomask &= ~HEAP_XACT_MASK;
	item->tuple->t_infomask2 &= ~HEAP2_XACT_MASK;
	memcpy((char *) item->tuple + item->length - sizeof(uint16), &mark,
		   sizeof(uint16));
}

/* A header that says of its row what its segment says. */
static void
item_stamp_segment(RowHeaderItem *item, const SegmentData *segment)
{
	HeapTupleHeader source = segment_tuple_header(segment);

	item->tuple->t_choice = source->t_choice;
	HeapTupleHeaderSetXmax(item->tuple, InvalidTransactionId);
	item->tuple->t_infomask |= HEAP_XMAX_INVALID |
		(source->t_infomask & HEAP_XMIN_FROZEN);
	ItemPointerSetInvalid(&item->tuple->t_ctid);
}

/*
 * A header that says of its row what another tuple says, of which self is the
 * physical address.
 */
static void
item_stamp_tuple(RowHeaderItem *item, HeapTupleHeader source, ItemPointer self)
{
	item->tuple->t_choice = source->t_choice;
	item->tuple->t_infomask |= source->t_infomask & HEAP_XACT_MASK;
	item->tuple->t_infomask2 |= source->t_infomask2 & HEAP2_XACT_MASK;
	if (ItemPointerEquals(&source->t_ctid, self))
		ItemPointerSetInvalid(&item->tuple->t_ctid);
	else
		item->tuple->t_ctid = source->t_ctid;
}

static void
item_stamp_replaced(RowHeaderItem *item, const RowHeaderPlace *place)
{
	ItemPointerData self;

	ItemPointerSet(&self, BufferGetBlockNumber(place->buffer), place->offnum);
	item_stamp_tuple(item, row_header_at(place), &self);
}

/* ---- pages ---- */

static void
header_page_init(Page page, BlockNumber blkno, uint32 group, int level,
				 uint32 offset, BlockNumber next)
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
	tag->next = next;
}

/* Put an item on a page that has room for it. */
static OffsetNumber
header_page_add(Page page, BlockNumber blkno, const RowHeaderItem *item)
{
	OffsetNumber offnum = PageAddItemExtended(page, (Item) item->tuple,
											  item->length,
											  InvalidOffsetNumber, PAI_IS_HEAP);
	HeapTupleHeader header;

	if (offnum == InvalidOffsetNumber)
		elog(ERROR, "failed to add a row header to block %u", blkno);
	Assert(offnum <= ROW_HEADER_PAGE_ENTRIES);

	row_header_page_tag(page)->offsets[offnum - 1] = item->offset;
	header = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, offnum));
	if (!ItemPointerIsValid(&header->t_ctid))
		ItemPointerSet(&header->t_ctid, blkno, offnum);
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

/*
 * Lock the page that an item is to go to and, if there is one (else
 * InvalidBuffer), the page of the header that it replaces: in the order of
 * their blocks, but for a new page, which nobody else can want.
 */
static Buffer
lock_pages(Relation rel, BlockNumber blkno, bool is_new, Buffer replaced)
{
	Buffer		buffer;

	if (is_new)
	{
		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
									RBM_ZERO_AND_LOCK, NULL);
		if (BufferIsValid(replaced))
			LockBuffer(replaced, BUFFER_LOCK_EXCLUSIVE);
		return buffer;
	}

	buffer = block_read(rel, blkno, NULL);
	if (BufferIsValid(replaced) && BufferGetBlockNumber(replaced) < blkno)
		LockBuffer(replaced, BUFFER_LOCK_EXCLUSIVE);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	if (BufferIsValid(replaced) && BufferGetBlockNumber(replaced) > blkno)
		LockBuffer(replaced, BUFFER_LOCK_EXCLUSIVE);
	return buffer;
}

/*
 * Put an item on the page that a search has found to have room, or on a new one
 * if spare is a block for it; replaced: the search has found the row's present
 * header, which dies.  The group's header is locked exclusively.
 */
static void
item_put(Relation rel, const GroupHeaderData *header, RowHeaderItem *item,
		 RowHeaderSearch *search, BlockNumber spare, bool replaced,
		 RowHeaderPlace *place)
{
	bool		is_new = spare != InvalidBlockNumber;
	int			level = Min(search->level, ROW_HEADER_LEVELS - 1);
	BlockNumber blkno = is_new ? spare : search->blocks[level];
	Buffer		old_buffer = replaced ? search->place.buffer : InvalidBuffer;
	BlockNumber tid_block = group_first_tid_block(header->group) +
		item->offset / TID_BLOCK_ROWS;
	Buffer		map_buffer = InvalidBuffer;
	Buffer		visibility_buffer;
	Buffer		buffer;
	GenericXLogState *state;
	Page		page;

	if (is_new)
		map_buffer = row_header_map_read(rel, header, BUFFER_LOCK_EXCLUSIVE);
	buffer = lock_pages(rel, blkno, is_new, old_buffer);
	if (replaced && item->source == NULL)
		item_stamp_replaced(item, &search->place);
	visibility_buffer = visibility_lock_set(rel, tid_block);

	state = GenericXLogStart(rel);
	page = GenericXLogRegisterBuffer(state, buffer,
									 is_new ? GENERIC_XLOG_FULL_IMAGE : 0);
	if (is_new)
	{
		Page		map_page = GenericXLogRegisterBuffer(state, map_buffer, 0);

		header_page_init(page, blkno, header->group, level, item->offset,
						 search->blocks[level]);
		row_header_map(map_page)->pages[row_header_slot(level, item->offset)] = blkno;
	}
	place->buffer = buffer;
	place->offnum = header_page_add(page, blkno, item);
	if (replaced)
	{
		page = GenericXLogRegisterBuffer(state, old_buffer, 0);
		ItemIdMarkDead(PageGetItemId(page, search->place.offnum));
	}

	if (BufferIsValid(visibility_buffer))
		visibility_clear(state, visibility_buffer, tid_block);
	GenericXLogFinish(state);

	if (BufferIsValid(visibility_buffer))
		UnlockReleaseBuffer(visibility_buffer);

	if (replaced && old_buffer != buffer)
		LockBuffer(old_buffer, BUFFER_LOCK_UNLOCK);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (replaced)
		ReleaseBuffer(old_buffer);
	if (is_new)
		UnlockReleaseBuffer(map_buffer);
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
 * Try to make a header, with a spare block or InvalidBlockNumber.  is_copy: the
 * row may be in any segment, and a header that it has is replaced.
 */
static AddResult
item_add(Relation rel, GroupHeaderData *header, RowHeaderItem *item,
		 bool is_copy, BlockNumber spare, RowHeaderPlace *place)
{
	SegmentData *segment = NULL;
	RowHeaderSearch search;
	bool		found;
	bool		needs_page;

	if (!is_copy)
	{
		segment = headed_segment(rel, header, item->offset);
		if (segment == NULL)
			return ADD_NO_ROW;
	}
	if (header->row_header_map == InvalidBlockNumber)
		return ADD_NEEDS_MAP;

	found = row_header_search(rel, header, item->offset, item->length, &search);
	if (found && !is_copy &&
		(item->identity == 0 ||
		 row_header_identity(search.place.buffer, search.place.offnum) == item->identity))
	{
		*place = search.place;
		return ADD_DONE;
	}

	if (found)
		row_header_search_room(rel, header, item->offset, item->length, &search);
	needs_page = search.level == ROW_HEADER_LEVELS ||
		search.blocks[search.level] == InvalidBlockNumber;
	if (needs_page && spare == InvalidBlockNumber)
	{
		if (found)
			ReleaseBuffer(search.place.buffer);
		return ADD_NEEDS_BLOCK;
	}
	if (!found && !is_copy)
		item_stamp_segment(item, segment);
	item_put(rel, header, item, &search,
			 needs_page ? spare : InvalidBlockNumber, found, place);
	return needs_page ? ADD_USED_BLOCK : ADD_DONE;
}

/* As item_add, until it is done; takes locks and allocates blocks. */
static bool
item_add_loop(Relation rel, uint32 group, RowHeaderItem *item, bool is_copy,
			  RowHeaderPlace *place)
{
	BlockNumber spare = InvalidBlockNumber;
	AddResult	result;

	do
	{
		Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);

		result = ADD_NO_ROW;
		if (BufferIsValid(buffer))
		{
			result = item_add(rel, group_header(buffer), item, is_copy, spare,
							  place);
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

void
row_header_copy(Relation rel, uint32 group, uint32 offset, HeapTuple source,
				HeapTuple identity, uint16 identity_mark)
{
	RowHeaderItem item;
	RowHeaderPlace place;

	Assert(offset < GROUP_ROWS);

	item_form(&item, offset, identity, identity_mark);
	item.source = source;
	item_stamp_tuple(&item, source->t_data, &source->t_self);
	if (!item_add_loop(rel, group, &item, true, &place))
		elog(ERROR, "group %u of relation \"%s\" does not exist",
			 group, RelationGetRelationName(rel));
	ReleaseBuffer(place.buffer);
	pfree(item.tuple);
}

bool
row_header_add(Relation rel, uint32 group, uint32 offset, HeapTuple identity,
			   uint16 identity_mark, RowHeaderPlace *place)
{
	RowHeaderItem item;
	bool		added;

	Assert(offset < GROUP_ROWS);

	item_form(&item, offset, identity, identity_mark);
	added = item_add_loop(rel, group, &item, false, place);
	pfree(item.tuple);
	return added;
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
		ItemId		item = PageGetItemId(page, i);

		/* a dead line pointer is what was left of a replaced header */
		if (!remove[i] && !ItemIdIsDead(item))
			continue;
		removes |= ItemIdIsUsed(item);
		ItemIdSetUnused(item);
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
		if (ItemIdIsNormal(PageGetItemId(page, i)))
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
 * Lock, exclusively, the page of a chain that leads to block blkno; first is
 * where the chain begins.  InvalidBuffer if none does.
 */
static Buffer
lock_predecessor(Relation rel, uint32 group, BlockNumber first,
				 BlockNumber blkno)
{
	for (int n = 0; first != InvalidBlockNumber && n < MAX_CHAIN_LENGTH; n++)
	{
		Buffer		buffer = row_header_page_read(rel, group, first,
												  BUFFER_LOCK_EXCLUSIVE, NULL);

		first = row_header_page_tag(BufferGetPage(buffer))->next;
		if (first == blkno)
			return buffer;
		UnlockReleaseBuffer(buffer);
	}
	return InvalidBuffer;
}

/*
 * Take an empty page, whose lock allows it, out of its chain, which begins in
 * slot of the map.  Everything is locked.  Returns whether the map has gone,
 * too.
 */
static bool
unlink_page(Relation rel, Buffer header_buffer, Buffer map_buffer, int slot,
			Buffer predecessor, BlockNumber next)
{
	GenericXLogState *state = GenericXLogStart(rel);
	Page		page;
	bool		is_last = false;

	if (BufferIsValid(predecessor))
	{
		page = GenericXLogRegisterBuffer(state, predecessor, 0);
		row_header_page_tag(page)->next = next;
	}
	else
	{
		page = GenericXLogRegisterBuffer(state, map_buffer, 0);
		row_header_map(page)->pages[slot] = next;
		is_last = map_is_empty(row_header_map(page));
	}
	if (is_last)
	{
		GroupHeaderData *header;

		header = page_contents(GenericXLogRegisterBuffer(state, header_buffer, 0));
		header->row_header_map = InvalidBlockNumber;
	}
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
	Buffer		predecessor = InvalidBuffer;
	RowHeaderPageTag tag;
	int			slot;
	bool		is_first;
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

	/* what the tag says does not change */
	buffer = row_header_page_read(rel, group, blkno, BUFFER_LOCK_SHARE, NULL);
	tag = *row_header_page_tag(BufferGetPage(buffer));
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);

	slot = row_header_slot(tag.level, tag.first);
	is_first = row_header_map(BufferGetPage(map_buffer))->pages[slot] == blkno;
	if (!is_first)
		predecessor = lock_predecessor(rel, group,
									   row_header_map(BufferGetPage(map_buffer))->pages[slot],
									   blkno);

	if ((is_first || BufferIsValid(predecessor)) &&
		ConditionalLockBufferForCleanup(buffer))
	{
		is_dropped = header_page_is_empty(BufferGetPage(buffer));
		if (is_dropped)
			map_is_dropped = unlink_page(rel, header_buffer, map_buffer, slot,
										 predecessor,
										 row_header_page_tag(BufferGetPage(buffer))->next);
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(buffer);
	if (BufferIsValid(predecessor))
		UnlockReleaseBuffer(predecessor);
	UnlockReleaseBuffer(map_buffer);
	UnlockReleaseBuffer(header_buffer);

	if (is_dropped)
		free_space_retire(rel, blkno, 1, ReadNextFullTransactionId());
	if (map_is_dropped)
		free_space_retire(rel, map_block, 1, ReadNextFullTransactionId());
}

void
row_header_retire_all(Relation rel, const GroupHeaderData *header)
{
	FullTransactionId stamp = ReadNextFullTransactionId();
	BlockNumber *pages;
	int			npages;

	if (header->row_header_map == InvalidBlockNumber)
		return;
	npages = row_header_pages(rel, header, 0, GROUP_ROWS, &pages);
	for (int i = 0; i < npages; i++)
		free_space_retire(rel, pages[i], 1, stamp);
	free_space_retire(rel, header->row_header_map, 1, stamp);
	pfree(pages);
}
