/*
 * group_change.c
 *		Changes that the mover and VACUUM make to a group, each one record.
 */
#include "postgres.h"

#include "compat.h"

#include "storage/directory.h"
#include "storage/group_change.h"
#include "storage/metapage.h"

void
group_change_begin(Relation rel, uint32 group, bool with_meta,
				   GroupChange *change)
{
	int			index;
	Page		page;

	change->rel = rel;
	change->group = group;
	change->meta_buffer = InvalidBuffer;
	change->meta = NULL;

	if (with_meta)
		change->meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	change->directory_buffer = directory_read(rel,
											  with_meta ? metapage_data(change->meta_buffer) : NULL,
											  group, BUFFER_LOCK_EXCLUSIVE,
											  &index);
	change->header_buffer = group_lock_entry(rel, group,
											 change->directory_buffer, index);

	change->state = GenericXLogStart(rel);
	if (with_meta)
		change->meta = page_contents(GenericXLogRegisterBuffer(change->state,
															   change->meta_buffer, 0));
	page = GenericXLogRegisterBuffer(change->state, change->directory_buffer, 0);
	change->entry = &directory_page(page)->entries[index];
	change->header = page_contents(GenericXLogRegisterBuffer(change->state,
															 change->header_buffer, 0));
}

static void
group_change_unlock(GroupChange *change)
{
	UnlockReleaseBuffer(change->header_buffer);
	UnlockReleaseBuffer(change->directory_buffer);
	if (BufferIsValid(change->meta_buffer))
		UnlockReleaseBuffer(change->meta_buffer);
}

void
group_change_finish(GroupChange *change)
{
	GenericXLogFinish(change->state);
	group_change_unlock(change);
}

void
group_change_abandon(GroupChange *change)
{
	GenericXLogAbort(change->state);
	group_change_unlock(change);
}

void
group_change_replace(GroupChange *change, int index, int n,
					 const SegmentData *segment)
{
	GroupHeaderData *header = change->header;
	SegmentData *target = &header->segments[index];
	int			first = target->first_vector;
	int			limit;

	Assert(n >= 1 && index + n <= header->nsegments);

	limit = target[n - 1].first_vector + target[n - 1].nvectors;
	*target = *segment;
	target->first_vector = first;
	target->nvectors = limit - first;
	memmove(target + 1, target + n,
			(header->nsegments - index - n) * sizeof(SegmentData));
	header->nsegments -= n - 1;
	memset(&header->segments[header->nsegments], 0,
		   (n - 1) * sizeof(SegmentData));
}

void
group_change_split(GroupChange *change, int index, int vector)
{
	GroupHeaderData *header = change->header;
	SegmentData *first = &header->segments[index];
	SegmentData *second = first + 1;
	uint32		nslots;

	Assert(first->form == SEGMENT_ROWS);
	Assert(vector > first->first_vector &&
		   vector < first->first_vector + first->nvectors);
	Assert(header->nsegments < GROUP_VECTORS);

	memmove(second, first, (header->nsegments - index) * sizeof(SegmentData));
	header->nsegments++;

	nslots = (vector - first->first_vector) * VECTOR_ROWS;
	second->first_vector = vector;
	second->nvectors -= vector - first->first_vector;
	second->nslots -= Min(nslots, second->nslots);
	first->nvectors = vector - first->first_vector;
	first->nslots = Min(nslots, first->nslots);
	first->flags &= ~SEGMENT_OPEN;
}
