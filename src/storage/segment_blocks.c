/*
 * segment_blocks.c
 *		The blocks of a column-form segment, which are in one part or a few.
 *
 * In a table whose segments are written anew one after the other, each a little
 * smaller or larger than the one before, no two of the holes that they leave
 * have the same size, and soon a fifth of the file is holes into none of which
 * the next segment fits.  So a segment may lie in a few of them.
 */
#include "postgres.h"

#include "storage/free_space.h"
#include "storage/segment_blocks.h"

int
segment_parts(const SegmentData *segment, SegmentPart parts[SEGMENT_PARTS])
{
	BlockNumber left = segment->nblocks;
	int			n = 1;

	for (int i = 0; i < SEGMENT_PARTS - 1; i++)
	{
		const SegmentPart *part = &segment->parts[i];

		if (part->nblocks == 0 || part->nblocks > left)
			break;
		parts[n++] = *part;
		left -= part->nblocks;
	}
	parts[0].start = segment->start;
	parts[0].nblocks = left;
	return n;
}

void
segment_set_parts(SegmentData *segment, const SegmentPart *parts, int nparts)
{
	Assert(nparts >= 1 && nparts <= SEGMENT_PARTS);

	memset(segment->parts, 0, sizeof(segment->parts));
	segment->start = parts[0].start;
	segment->nblocks = parts[0].nblocks;
	for (int i = 1; i < nparts; i++)
	{
		segment->parts[i - 1] = parts[i];
		segment->nblocks += parts[i].nblocks;
	}
}

BlockNumber
segment_block(const SegmentData *segment, BlockNumber page)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts;

	if (segment->parts[0].nblocks == 0)
		return segment->start + page;

	nparts = segment_parts(segment, parts);
	for (int i = 0; i < nparts; i++)
	{
		if (page < parts[i].nblocks)
			return parts[i].start + page;
		page -= parts[i].nblocks;
	}
	return InvalidBlockNumber;
}

bool
segment_parts_are_sound(const SegmentData *segment)
{
	uint64		others = 0;
	bool		ended = false;

	for (int i = 0; i < SEGMENT_PARTS - 1; i++)
	{
		if (ended && segment->parts[i].nblocks != 0)
			return false;
		ended = segment->parts[i].nblocks == 0;
		others += segment->parts[i].nblocks;
	}
	return others < segment->nblocks;
}

void
segment_forget_announced(Relation rel, const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);

	for (int i = 0; i < nparts; i++)
		free_space_forget(rel, parts[i].start);
}

void
segment_release(Relation rel, const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);

	for (int i = 0; i < nparts; i++)
		free_space_release(rel, parts[i].start);
}
