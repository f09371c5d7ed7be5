/*
 * vacuum_relocate.c
 *		What lies at the end of the file, moved to free space before it.
 *
 * The mover writes a segment before it gives up the row pages that it replaces,
 * so the new extent lies behind them, and freeing them alone makes no file
 * shorter.  VACUUM holds an AccessExclusiveLock here, as to truncate: nobody
 * has a copy of a group header in hand, so what is copied, and published at its
 * new place in one record, leaves blocks that may be reused at once.
 *
 * Row pages are not moved: they will become columns, or are few.  Copying stops
 * when somebody waits for the table, or after so many blocks that others would
 * notice; the next VACUUM goes on.
 */
#include "postgres.h"

#include "compat.h"

#include "access/vacuum.h"
#include "miscadmin.h"
#include "storage/block_references.h"
#include "storage/extent.h"
#include "storage/free_space.h"
#include "storage/group_change.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "utils/memutils.h"

/* Blocks copied in one run: 64 MB. */
#define RELOCATE_MAX_BLOCKS	(64 * 1024 * 1024 / BLCKSZ)

typedef enum RelocatableKind
{
	RELOCATE_HEADER,
	RELOCATE_SEGMENT,
	RELOCATE_ROW_MAP,
	RELOCATE_DEAD,
	RELOCATE_GONE
} RelocatableKind;

/* Consecutive blocks that one field of a group refers to. */
typedef struct Relocatable
{
	RelocatableKind kind;
	uint32		group;
	int			index;			/* segment or row map page */
	BlockNumber start;
	BlockNumber nblocks;
	BlockNumber ntagged;		/* blocks that have a tag, the first ones */
} Relocatable;

typedef struct RelocatableList
{
	Relocatable *items;
	int			nitems;
	int			size;
} RelocatableList;

static void
list_add(RelocatableList *list, RelocatableKind kind, uint32 group, int index,
		 BlockNumber start, BlockNumber nblocks, BlockNumber ntagged)
{
	Relocatable *item;

	if (list->nitems == list->size)
	{
		list->size *= 2;
		list->items = repalloc_huge(list->items, list->size * sizeof(Relocatable));
	}
	item = &list->items[list->nitems++];
	item->kind = kind;
	item->group = group;
	item->index = index;
	item->start = start;
	item->nblocks = nblocks;
	item->ntagged = ntagged;
}

static void
list_add_set(RelocatableList *list, RelocatableKind kind, uint32 group,
			 const RowSetRef *set)
{
	if (set->kind != ROW_SET_EMPTY)
		list_add(list, kind, group, 0, set->start, set->nblocks, set->nblocks);
}

static void
list_add_group(RelocatableList *list, BlockNumber blkno,
			   const GroupHeaderData *header)
{
	uint32		group = header->group;

	list_add(list, RELOCATE_HEADER, group, 0, blkno, 1, 1);
	list_add_set(list, RELOCATE_DEAD, group, &header->dead);
	list_add_set(list, RELOCATE_GONE, group, &header->gone);
	for (int i = 0; i < ROW_MAP_PAGES; i++)
	{
		if (header->row_map[i] != InvalidBlockNumber)
			list_add(list, RELOCATE_ROW_MAP, group, i, header->row_map[i], 1, 1);
	}
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_COLUMNS)
			list_add(list, RELOCATE_SEGMENT, group, i, segment->start,
					 segment->nblocks, segment->nattribute_pages);
	}
}

static int
relocatable_compare(const void *a, const void *b)
{
	BlockNumber x = ((const Relocatable *) a)->start;
	BlockNumber y = ((const Relocatable *) b)->start;

	return (y > x) - (y < x);
}

/* Everything that can be moved, what is at the end of the file first. */
static void
list_make(RelocatableList *list, Relation rel)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	MetapageData meta;
	BlockNumber blkno;

	list->nitems = 0;
	list->size = 64;
	list->items = palloc(list->size * sizeof(Relocatable));
	if (!metapage_copy(rel, &meta))
		meta.next_group = 0;
	for (uint32 group = 0; group < meta.next_group; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (group_copy_header(rel, group, &blkno, header))
			list_add_group(list, blkno, header);
	}
	qsort(list->items, list->nitems, sizeof(Relocatable), relocatable_compare);
	pfree(header);
}

/*
 * Lowest free extent before the item that can take it, or InvalidBlockNumber.
 */
static BlockNumber
find_place(Relation rel, const Relocatable *item)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);
	BlockNumber place = InvalidBlockNumber;

	for (int i = 0; i < nextents; i++)
	{
		if (extents[i].state == EXTENT_FREE &&
			extents[i].nblocks >= item->nblocks &&
			extents[i].start < item->start &&
			(place == InvalidBlockNumber || extents[i].start < place))
			place = extents[i].start;
	}
	pfree(extents);
	return place;
}

/* The field of a group that refers to the item. */
static BlockNumber *
item_reference(GroupChange *change, const Relocatable *item)
{
	switch (item->kind)
	{
		case RELOCATE_HEADER:
			return &change->entry->header;
		case RELOCATE_SEGMENT:
			return &change->header->segments[item->index].start;
		case RELOCATE_ROW_MAP:
			return &change->header->row_map[item->index];
		case RELOCATE_DEAD:
			return &change->header->dead.start;
		case RELOCATE_GONE:
			return &change->header->gone.start;
	}
	return NULL;
}

static void
item_relocate(Relation rel, const Relocatable *item, BlockNumber place)
{
	GroupChange change;
	FreeExtent	old;

	extent_copy(rel, item->start, item->nblocks, item->ntagged, place);

	group_change_begin(rel, item->group, false, &change);
	Assert(*item_reference(&change, item) == item->start);
	*item_reference(&change, item) = place;
	group_change_finish(&change);
	free_space_forget(rel, place);

	memset(&old, 0, sizeof(old));
	old.start = item->start;
	old.nblocks = item->nblocks;
	old.state = EXTENT_FREE;
	free_space_reclaim(rel, InvalidBlockNumber, &old, 1);
	free_space_coalesce(rel, true);
}

void
vacuum_relocate(Relation rel)
{
	RelocatableList list;
	BlockNumber ncopied = 0;

	list_make(&list, rel);
	for (int i = 0; i < list.nitems; i++)
	{
		Relocatable *item = &list.items[i];
		BlockNumber place = find_place(rel, item);

		/* what cannot move keeps everything before it in the file */
		if (place == InvalidBlockNumber ||
			ncopied + item->nblocks > RELOCATE_MAX_BLOCKS ||
			LockHasWaitersRelation(rel, AccessExclusiveLock) ||
			!free_space_allocate_at(rel, place, item->nblocks, MaintenanceOwner))
			break;
		item_relocate(rel, item, place);
		ncopied += item->nblocks;
	}
	pfree(list.items);
}
