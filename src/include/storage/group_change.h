/*
 * group_change.h
 *		Changes that the mover and VACUUM make to a group, each one record.
 *
 * Only the holder of a ShareUpdateExclusiveLock (or a stronger one) on the
 * relation makes them, so two of them never meet; writers of other segments do
 * change the group meanwhile, so whatever is based on an older look at the
 * header is checked again once the change has begun.
 */
#ifndef STORAGE_GROUP_CHANGE_H
#define STORAGE_GROUP_CHANGE_H

#include "access/generic_xlog.h"
#include "storage/group.h"

typedef struct GroupChange
{
	Relation	rel;
	uint32		group;
	Buffer		meta_buffer;	/* InvalidBuffer unless asked for */
	Buffer		directory_buffer;
	Buffer		header_buffer;
	GenericXLogState *state;

	/* Working copies; meta is NULL unless asked for. */
	MetapageData *meta;
	DirectoryEntry *entry;
	GroupHeaderData *header;
} GroupChange;

/* Lock a group that exists for a change; with_meta: the metapage too. */
extern void group_change_begin(Relation rel, uint32 group, bool with_meta,
							   GroupChange *change);

/* Log the working copies and unlock. */
extern void group_change_finish(GroupChange *change);

/* Unlock and leave everything as it was. */
extern void group_change_abandon(GroupChange *change);

/*
 * Put one segment in the place of the n segments from index on.  Its
 * first_vector and nvectors are set here.
 */
extern void group_change_replace(GroupChange *change, int index, int n,
								 const SegmentData *segment);

/*
 * Cut the segment at index in two, the second of which starts at vector (of
 * the group) and keeps the flags; row form only.
 */
extern void group_change_split(GroupChange *change, int index, int vector);

#endif							/* STORAGE_GROUP_CHANGE_H */
