/*
 * relocate.c
 *		Moving what lies near the end of the file to its start.
 *
 * Blocks are copied, the group header or directory entry is pointed to the
 * copies in one record, and the old blocks are retired, as by the mover.  Row
 * pages and pages of row headers stay: their tuples carry their own addresses.
 */
#include "postgres.h"

#include "compat.h"

#include "storage/block_references.h"
#include "storage/directory.h"
#include "storage/extent.h"
#include "storage/free_space.h"
#include "storage/group_change.h"
#include "storage/relocate.h"

/* ---- segments ---- */

static void
relocate_segment(Relation rel, uint32 group, const SegmentData *segment)
{
	GroupChange change;
	SegmentData *target;
	BlockNumber start;

	start = free_space_allocate_below(rel, segment->nblocks, MaintenanceOwner,
									  segment->start);
	if (start == InvalidBlockNumber)
		return;
	extent_copy(rel, segment->start, segment->nblocks,
				segment->nattribute_pages, start);

	group_change_begin(rel, group, false, &change);
	target = group_find_segment(change.header, segment_first(segment));
	Assert(target->form == SEGMENT_COLUMNS && target->start == segment->start);
	target->start = start;
	group_change_finish(&change);

	free_space_forget(rel, start);
	free_space_retire(rel, segment->start, segment->nblocks,
					  ReadNextFullTransactionId());
}

void
relocate_segments(Relation rel, uint32 group, BlockNumber limit)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	BlockNumber blkno;

	if (group_copy_header(rel, group, &blkno, header))
	{
		for (int i = 0; i < header->nsegments; i++)
		{
			const SegmentData *segment = &header->segments[i];

			if (segment->form == SEGMENT_COLUMNS &&
				segment->start + segment->nblocks > limit)
				relocate_segment(rel, group, segment);
		}
	}
	pfree(header);
}

/* ---- the group itself ---- */

/*
 * Copy tagged pages that lie beyond limit.  Returns where they are now.
 */
static BlockNumber
relocate_pages(Relation rel, BlockNumber start, BlockNumber nblocks,
			   BlockNumber limit)
{
	BlockNumber target;

	if (start == InvalidBlockNumber || nblocks == 0 || start + nblocks <= limit)
		return start;
	target = free_space_allocate_below(rel, nblocks, MaintenanceOwner, start);
	if (target == InvalidBlockNumber)
		return start;
	extent_copy(rel, start, nblocks, nblocks, target);
	return target;
}

/* After publication: the new blocks are in use, the old ones are not. */
static void
exchange(Relation rel, BlockNumber old, BlockNumber new, BlockNumber nblocks)
{
	if (old == new)
		return;
	free_space_forget(rel, new);
	free_space_retire(rel, old, nblocks, ReadNextFullTransactionId());
}

/*
 * Put a new header in the place of the one in block old, in one record with
 * the directory entry; it is in the same block or in a new one.
 */
static void
replace_header(Relation rel, uint32 group, const GroupHeaderData *header,
			   BlockNumber old, BlockNumber new)
{
	int			index;
	Buffer		directory = directory_read(rel, NULL, group,
										   BUFFER_LOCK_EXCLUSIVE, &index);
	Buffer		buffer;
	GenericXLogState *state;
	Page		page;

	if (old == new)
		buffer = group_lock_entry(rel, group, directory, index);
	else
		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, new, RBM_ZERO_AND_LOCK,
									NULL);

	state = GenericXLogStart(rel);
	page = GenericXLogRegisterBuffer(state, directory, 0);
	directory_page(page)->entries[index].header = new;
	page = GenericXLogRegisterBuffer(state, buffer, GENERIC_XLOG_FULL_IMAGE);
	page_init(page, PAGE_GROUP, new, sizeof(GroupHeaderData));
	memcpy(page_contents(page), header, sizeof(GroupHeaderData));
	((PageTag *) page_contents(page))->blkno = new;
	GenericXLogFinish(state);

	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(directory);
}

void
relocate_group(Relation rel, uint32 group, BlockNumber limit)
{
	GroupHeaderData *old = palloc(sizeof(GroupHeaderData));
	GroupHeaderData *new = palloc(sizeof(GroupHeaderData));
	BlockNumber old_block;
	BlockNumber new_block;

	if (!group_copy_header(rel, group, &old_block, old))
		return;
	memcpy(new, old, sizeof(GroupHeaderData));
	new->dead.start = relocate_pages(rel, old->dead.start, old->dead.nblocks, limit);
	new->gone.start = relocate_pages(rel, old->gone.start, old->gone.nblocks, limit);
	for (int i = 0; i < ROW_MAP_PAGES; i++)
		new->row_map[i] = relocate_pages(rel, old->row_map[i], 1, limit);
	new->row_header_map = relocate_pages(rel, old->row_header_map, 1, limit);

	new_block = old_block;
	if (old_block >= limit)
	{
		new_block = free_space_allocate_below(rel, 1, MaintenanceOwner, old_block);
		if (new_block == InvalidBlockNumber)
			new_block = old_block;
	}

	if (new_block != old_block ||
		memcmp(new, old, sizeof(GroupHeaderData)) != 0)
	{
		replace_header(rel, group, new, old_block, new_block);
		exchange(rel, old->dead.start, new->dead.start, old->dead.nblocks);
		exchange(rel, old->gone.start, new->gone.start, old->gone.nblocks);
		for (int i = 0; i < ROW_MAP_PAGES; i++)
			exchange(rel, old->row_map[i], new->row_map[i], 1);
		exchange(rel, old->row_header_map, new->row_header_map, 1);
		exchange(rel, old_block, new_block, 1);
	}
	pfree(old);
	pfree(new);
}
