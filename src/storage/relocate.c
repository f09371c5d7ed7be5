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

#include "commands/vacuum.h"
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
relocate_segment(Relation rel, uint32 group, const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);
	GroupChange change;
	SegmentData *target;
	SegmentData new = *segment;
	SegmentPart new_parts[SEGMENT_PARTS];
	int			nnew;
	FullTransactionId stamp;

	nnew = free_space_allocate_parts_below(rel, segment->nblocks,
										   MaintenanceOwner,
										   last_start(parts, nparts),
										   new_parts, SEGMENT_PARTS);
	if (nnew == 0)
		return;
	segment_set_parts(&new, new_parts, nnew);
	extent_copy_segment(rel, segment, &new);

	group_change_begin(rel, group, false, &change);
	target = group_find_segment(change.header, segment_first(segment));
	Assert(target->form == SEGMENT_COLUMNS && target->start == segment->start);
	segment_set_parts(target, new_parts, nnew);
	group_change_finish(&change);

	segment_forget_announced(rel, &new);
	stamp = ReadNextFullTransactionId();
	for (int i = 0; i < nparts; i++)
		free_space_retire(rel, parts[i].start, parts[i].nblocks, stamp);
}

/* A segment that reaches beyond the limit. */
typedef struct FarSegment
{
	uint32		group;
	uint32		first;			/* offset of its first row */
	BlockNumber end;			/* behind its last block */
} FarSegment;

/* The farthest first. */
static int
far_segment_compare(const void *a, const void *b)
{
	const FarSegment *x = a;
	const FarSegment *y = b;

	return (x->end < y->end) - (x->end > y->end);
}

/* Where the farthest part ends. */
static BlockNumber
segment_end(const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);
	BlockNumber end = 0;

	for (int i = 0; i < nparts; i++)
		end = Max(end, parts[i].start + parts[i].nblocks);
	return end;
}

/*
 * List the segments that reach beyond limit; returns their number.
 */
static int
list_far_segments(Relation rel, uint32 ngroups, BlockNumber limit,
				  FarSegment **segments)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	int			size = 64;
	int			n = 0;

	*segments = palloc(size * sizeof(FarSegment));
	for (uint32 group = 0; group < ngroups; group++)
	{
		BlockNumber blkno;

		vacuum_delay_point(false);
		if (!group_copy_header(rel, group, &blkno, header))
			continue;
		for (int i = 0; i < header->nsegments; i++)
		{
			const SegmentData *segment = &header->segments[i];

			if (segment->form != SEGMENT_COLUMNS ||
				segment_end(segment) <= limit)
				continue;
			if (n == size)
			{
				size *= 2;
				*segments = repalloc(*segments, size * sizeof(FarSegment));
			}
			(*segments)[n].group = group;
			(*segments)[n].first = segment_first(segment);
			(*segments)[n].end = segment_end(segment);
			n++;
		}
	}
	pfree(header);
	return n;
}

void
relocate_segments(Relation rel, uint32 ngroups, BlockNumber limit)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	FarSegment *segments;
	int			n = list_far_segments(rel, ngroups, limit, &segments);

	qsort(segments, n, sizeof(FarSegment), far_segment_compare);
	for (int i = 0; i < n; i++)
	{
		BlockNumber blkno;
		SegmentData *segment;

		vacuum_delay_point(false);
		if (!group_copy_header(rel, segments[i].group, &blkno, header))
			continue;
		segment = group_find_segment(header, segments[i].first);
		if (segment != NULL && segment->form == SEGMENT_COLUMNS)
			relocate_segment(rel, segments[i].group, segment);
	}
	pfree(segments);
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
	extent_copy(rel, start, nblocks, target);
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
