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
#include "storage/segment_blocks.h"

/* ---- segments ---- */

/* Start of the part that is farthest from the start of the file. */
static BlockNumber
last_start(const SegmentPart *parts, int nparts)
{
	BlockNumber last = parts[0].start;

	for (int i = 1; i < nparts; i++)
		last = Max(last, parts[i].start);
	return last;
}

static void
relocate_segment(Relation rel, uint32 group, const SegmentData *segment,
				 const SegmentPart *parts, int nparts)
{
	GroupChange change;
	SegmentData *target;
	SegmentPart whole;
	FullTransactionId stamp;

	whole.nblocks = segment->nblocks;
	whole.start = free_space_allocate_below(rel, whole.nblocks,
											MaintenanceOwner,
											last_start(parts, nparts));
	if (whole.start == InvalidBlockNumber)
		return;
	extent_copy(rel, parts, nparts, segment->nattribute_pages, whole.start);

	group_change_begin(rel, group, false, &change);
	target = group_find_segment(change.header, segment_first(segment));
	Assert(target->form == SEGMENT_COLUMNS && target->start == segment->start);
	segment_set_parts(target, &whole, 1);
	group_change_finish(&change);

	free_space_forget(rel, whole.start);
	stamp = ReadNextFullTransactionId();
	for (int i = 0; i < nparts; i++)
		free_space_retire(rel, parts[i].start, parts[i].nblocks, stamp);
}

/* Does any part end beyond limit? */
static bool
parts_reach_beyond(const SegmentPart *parts, int nparts, BlockNumber limit)
{
	for (int i = 0; i < nparts; i++)
		if (parts[i].start + parts[i].nblocks > limit)
			return true;
	return false;
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
			SegmentPart parts[SEGMENT_PARTS];
			int			nparts;

			if (segment->form != SEGMENT_COLUMNS)
				continue;
			nparts = segment_parts(segment, parts);
			if (parts_reach_beyond(parts, nparts, limit))
				relocate_segment(rel, group, segment, parts, nparts);
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
	SegmentPart part = {start, nblocks};
	BlockNumber target;

	if (start == InvalidBlockNumber || nblocks == 0 || start + nblocks <= limit)
		return start;
	target = free_space_allocate_below(rel, nblocks, MaintenanceOwner, start);
	if (target == InvalidBlockNumber)
		return start;
	extent_copy(rel, &part, 1, nblocks, target);
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
