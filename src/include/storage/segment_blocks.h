/*
 * segment_blocks.h
 *		The blocks of a column-form segment, which are in one part or a few.
 */
#ifndef STORAGE_SEGMENT_BLOCKS_H
#define STORAGE_SEGMENT_BLOCKS_H

#include "storage/layout.h"
#include "utils/rel.h"

/*
 * The parts in order; returns how many there are, at least one.  Together they
 * have no more than the segment's nblocks, whatever the header says.
 */
extern int	segment_parts(const SegmentData *segment,
						  SegmentPart parts[SEGMENT_PARTS]);

/* Set start and parts, of which there is at least one, and nblocks. */
extern void segment_set_parts(SegmentData *segment, const SegmentPart *parts,
							  int nparts);

/* Block of a page of the segment, counted from its first one. */
extern BlockNumber segment_block(const SegmentData *segment,
								 BlockNumber page);

/* Are the parts sound, as far as they tell, and not empty? */
extern bool segment_parts_are_sound(const SegmentData *segment);

/* End the announcements of a segment that has been published. */
extern void segment_forget_announced(Relation rel, const SegmentData *segment);

/* Give back the blocks of a segment that never will be. */
extern void segment_release(Relation rel, const SegmentData *segment);

#endif							/* STORAGE_SEGMENT_BLOCKS_H */
