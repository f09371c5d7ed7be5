/*
 * relocate.h
 *		Moving what lies near the end of the file to its start.
 */
#ifndef STORAGE_RELOCATE_H
#define STORAGE_RELOCATE_H

#include "storage/group.h"

/*
 * Move the extents of the group's column-form segments that reach beyond limit
 * into free space before it, as far as there is room.  For the holder of a
 * ShareUpdateExclusiveLock.
 */
extern void relocate_segments(Relation rel, uint32 group, BlockNumber limit);

/*
 * The same for the group's header, row map and deleted sets; their old blocks
 * are retired.  For the holder of an AccessExclusiveLock, since writers find a
 * header without keeping the directory locked.
 */
extern void relocate_group(Relation rel, uint32 group, BlockNumber limit);

#endif							/* STORAGE_RELOCATE_H */
