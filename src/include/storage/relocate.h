/*
 * relocate.h
 *		Moving what lies near the end of the file to its start.
 */
#ifndef STORAGE_RELOCATE_H
#define STORAGE_RELOCATE_H

#include "storage/group.h"

/*
 * Move column-form segments that reach beyond limit into free space nearer to
 * the start of the file, the farthest first, as far as there is room.  For the
 * holder of a ShareUpdateExclusiveLock.
 */
extern void relocate_segments(Relation rel, uint32 ngroups, BlockNumber limit);

/*
 * Move a group's header, row map and deleted sets; their old
 * blocks are retired.  For the holder of an AccessExclusiveLock, since writers find a
 * header without keeping the directory locked.
 */
extern void relocate_group(Relation rel, uint32 group, BlockNumber limit);

#endif							/* STORAGE_RELOCATE_H */
