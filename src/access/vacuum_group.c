/*
 * vacuum_group.c
 *		VACUUM of one chunk group.
 *
 * In this order: segments of transactions that are over are settled (aborted
 * ones become dead, others are frozen), row headers are folded (vacuum_fold.c),
 * the mover turns what it can into column form and writes segments anew that
 * are dead in good part, the row pages that remain are frozen and their dead
 * rows marked (vacuum_rows.c), and the dead rows are collected for the indexes.
 * Each step is a few records of its own; a crash between them leaves a group
 * that the next VACUUM finishes.
 *
 * A dead row passes two states, so that a crash or INDEX_CLEANUP OFF cannot
 * lose the fact that indexes may know it:
 *
 *					index entries may remain	none remains
 *	segment			SEGMENT_DEAD				SEGMENT_GONE
 *	column form		member of the dead set		member of the gone set
 *	row form		LP_DEAD						LP_UNUSED, never used again
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/vacuum.h"
#include "miscadmin.h"
#include "storage/block_references.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/full_xid.h"
#include "storage/group_change.h"
#include "storage/metapage.h"
#include "storage/procarray.h"
#include "storage/row_set.h"
#include "storage/segment_blocks.h"
#include "storage/standby_conflict.h"
#include "utils/memutils.h"

/* ---- segments of transactions that are over ---- */

/* What is to be done with a segment. */
typedef enum SegmentFate
{
	SEGMENT_KEEP,
	SEGMENT_FREEZE,
	SEGMENT_KILL
} SegmentFate;

/*
 * Judge a segment in a locked header.
 */
static SegmentFate
segment_fate(VacuumState *state, uint32 group, SegmentData *segment,
			 Buffer buffer)
{
	HeapTupleHeader header = segment_tuple_header(segment);
	HeapTupleData tuple;

	if (segment->form == SEGMENT_ANNOUNCED)
		return full_xid_is_running(segment->owner) ? SEGMENT_KEEP : SEGMENT_KILL;
	if (segment->form != SEGMENT_COLUMNS || HeapTupleHeaderXminFrozen(header))
		return SEGMENT_KEEP;

	segment_tuple(state->rel, segment,
				  row_number(group, segment_first(segment)), &tuple);
	switch (HeapTupleSatisfiesVacuum(&tuple, state->mover.oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			return SEGMENT_KILL;
		case HEAPTUPLE_LIVE:
			if (TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(header),
									  state->mover.oldest_xmin))
				return SEGMENT_FREEZE;
			return SEGMENT_KEEP;
		default:
			return SEGMENT_KEEP;
	}
}

static bool
group_needs_settling(VacuumState *state, uint32 group)
{
	Buffer		buffer = group_read(state->rel, group, BUFFER_LOCK_SHARE);
	GroupHeaderData *header;
	bool		needed;

	if (!BufferIsValid(buffer))
		return false;
	header = group_header(buffer);
	needed = FullTransactionIdIsValid(header->loader) &&
		!full_xid_is_running(header->loader);
	for (int i = 0; i < header->nsegments && !needed; i++)
		needed = segment_fate(state, group, &header->segments[i], buffer) != SEGMENT_KEEP;
	UnlockReleaseBuffer(buffer);
	return needed;
}

/* Rows of a segment in column form that the directory counts. */
static uint32
segment_counted(const SegmentData *segment, const uint64 *deleted)
{
	uint32		first = segment_first(segment);

	return segment->nslots - row_bitmap_count(deleted, first,
											  first + segment->nslots);
}

/*
 * Make a segment one without rows.  parts get what it refers to; returns how
 * many they are.
 */
static int
segment_kill(VacuumState *state, SegmentData *segment, SegmentPart *parts)
{
	uint8		first_vector = segment->first_vector;
	uint8		nvectors = segment->nvectors;
	int			nparts = 0;

	if (segment->form == SEGMENT_COLUMNS)
		nparts = segment_parts(segment, parts);
	memset(segment, 0, sizeof(SegmentData));
	segment->form = state->nindexes > 0 ? SEGMENT_DEAD : SEGMENT_GONE;
	segment->first_vector = first_vector;
	segment->nvectors = nvectors;
	segment->start = InvalidBlockNumber;
	return nparts;
}

/*
 * Settle the segments of a group.
 */
static void
settle_segments(VacuumState *state, uint32 group)
{
	uint64	   *deleted = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	SegmentPart retired[GROUP_VECTORS * SEGMENT_PARTS];
	int			nretired = 0;
	FullTransactionId newest = InvalidFullTransactionId;
	FullTransactionId stamp;
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	BlockNumber blkno;
	GroupChange change;

	/* nobody else changes the sets */
	group_copy_header(state->rel, group, &blkno, header);
	row_set_load(state->rel, &header->dead, deleted);
	row_set_load(state->rel, &header->gone, deleted);

	group_change_begin(state->rel, group, false, &change);
	for (int i = 0; i < change.header->nsegments; i++)
	{
		SegmentData *segment = &change.header->segments[i];
		SegmentFate fate;

		/* visibility is judged in the buffer, not in the working copy */
		fate = segment_fate(state, group,
							&group_header(change.header_buffer)->segments[i],
							change.header_buffer);
		if (fate == SEGMENT_FREEZE)
		{
			vacuum_note_frozen(&newest, segment_tuple_header(segment));
			HeapTupleHeaderSetXmin(segment_tuple_header(segment),
								   FrozenTransactionId);
			HeapTupleHeaderSetXminFrozen(segment_tuple_header(segment));
		}
		else if (fate == SEGMENT_KILL)
		{
			if (segment->form == SEGMENT_COLUMNS)
			{
				uint32		nrows = segment_counted(segment, deleted);

				change.entry->nrows -= nrows;
				state->removed += nrows;
			}
			nretired += segment_kill(state, segment, &retired[nretired]);
		}
	}
	if (!full_xid_is_running(change.header->loader))
	{
		change.header->loader = InvalidFullTransactionId;
		change.entry->flags &= ~DIRECTORY_LOADING;
	}
	if (FullTransactionIdIsValid(newest))
		standby_conflict(state->rel, newest);
	group_change_finish(&change);

	stamp = ReadNextFullTransactionId();
	for (int i = 0; i < nretired; i++)
		free_space_retire(state->rel, retired[i].start, retired[i].nblocks,
						  stamp);
	pfree(header);
	pfree(deleted);
}

/* ---- counting and collecting ---- */

/*
 * Count a segment in column form, and note an xmin that remains.
 */
static void
count_column_segment(VacuumState *state, uint32 group, SegmentData *segment,
					 Buffer buffer, const uint64 *deleted)
{
	HeapTupleHeader header = segment_tuple_header(segment);
	uint32		nrows = segment_counted(segment, deleted);
	TransactionId xmin = HeapTupleHeaderGetXmin(header);
	HeapTupleData tuple;

	segment_tuple(state->rel, segment,
				  row_number(group, segment_first(segment)), &tuple);
	switch (HeapTupleSatisfiesVacuum(&tuple, state->mover.oldest_xmin, buffer))
	{
		case HEAPTUPLE_LIVE:
			state->live += nrows;
			break;
		case HEAPTUPLE_DEAD:

			/*
			 * It has aborted since the group was settled, or its xid would be
			 * in the way: it is newer than all that may be frozen.
			 */
			state->missed_dead += nrows;
			break;
		default:
			state->unfinished += nrows;
			break;
	}
	if (TransactionIdIsNormal(xmin) &&
		TransactionIdPrecedes(xmin, state->frozenxid))
		state->frozenxid = xmin;
}

/*
 * Count the column-form segments of the group as it is now.  Copies the header.
 */
static bool
count_group(VacuumState *state, uint32 group, GroupHeaderData *header,
			uint64 *dead)
{
	Buffer		buffer;
	BlockNumber blkno;
	uint64	   *deleted;

	if (!group_copy_header(state->rel, group, &blkno, header))
		return false;
	deleted = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(state->rel, &header->dead, dead);
	row_set_load(state->rel, &header->gone, deleted);
	for (int i = 0; i < ROW_BITMAP_WORDS; i++)
		deleted[i] |= dead[i];

	buffer = group_read(state->rel, group, BUFFER_LOCK_SHARE);
	memcpy(header, group_header(buffer), sizeof(GroupHeaderData));
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &group_header(buffer)->segments[i];

		if (segment->form == SEGMENT_COLUMNS)
			count_column_segment(state, group, segment, buffer, deleted);
	}
	UnlockReleaseBuffer(buffer);
	pfree(deleted);
	return true;
}

/* ---- tidying up ---- */

/*
 * Does everybody see every row, and is nobody about to write one?
 */
static bool
group_is_all_visible(const MetapageData *meta, const GroupHeaderData *header)
{
	if (FullTransactionIdIsValid(header->loader) ||
		header->row_header_map != InvalidBlockNumber ||
		meta->row_group == header->group)
		return false;
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_ANNOUNCED || segment->form == SEGMENT_ROWS)
			return false;
		if (segment->form == SEGMENT_COLUMNS &&
			!HeapTupleHeaderXminFrozen((HeapTupleHeader) segment->header))
			return false;
	}
	return true;
}

static bool
group_is_listed(const MetapageData *meta, uint32 group)
{
	for (int i = 0; i < meta->navailable; i++)
		if (meta->available[i] == group)
			return true;
	return false;
}

static bool
group_is_offerable(const MetapageData *meta, const GroupHeaderData *header)
{
	return header->next_vector < GROUP_VECTORS &&
		!FullTransactionIdIsValid(header->loader) &&
		header->group != meta->row_group &&
		meta->navailable < META_AVAILABLE &&
		!group_is_listed(meta, header->group);
}

/*
 * Offer what is left of the group to loaders, and mark the group as visible to
 * everybody, if either is due.
 */
static void
tidy_group(VacuumState *state, const GroupHeaderData *copy)
{
	uint32		group = copy->group;
	DirectoryEntry entry;
	MetapageData meta;
	bool		offer;
	bool		mark;
	GroupChange change;

	if (!directory_lookup(state->rel, group, &entry) ||
		!metapage_copy(state->rel, &meta))
		return;
	offer = group_is_offerable(&meta, copy);
	mark = (entry.flags & DIRECTORY_ALL_VISIBLE) == 0 &&
		group_is_all_visible(&meta, copy);
	if (!offer && !mark)
		return;

	group_change_begin(state->rel, group, true, &change);
	if (group_is_offerable(change.meta, change.header))
		change.meta->available[change.meta->navailable++] = group;
	if (group_is_all_visible(change.meta, change.header))
		change.entry->flags |= DIRECTORY_ALL_VISIBLE;
	group_change_finish(&change);
}

/* ---- dead rows that no index knows any more ---- */

/* Does the header say of any row that index entries may remain? */
static bool
header_has_dead(const GroupHeaderData *header)
{
	if (header->dead.kind != ROW_SET_EMPTY)
		return true;
	for (int i = 0; i < header->nsegments; i++)
		if (header->segments[i].form == SEGMENT_DEAD ||
			header->segments[i].form == SEGMENT_GONE)
			return true;
	return false;
}

/* Join neighbouring segments that are gone. */
static void
join_gone_segments(GroupChange *change)
{
	GroupHeaderData *header = change->header;

	for (int i = header->nsegments - 2; i >= 0; i--)
	{
		SegmentData gone = header->segments[i];

		if (gone.form == SEGMENT_GONE &&
			header->segments[i + 1].form == SEGMENT_GONE)
			group_change_replace(change, i, 2, &gone);
	}
}

/* Is there nothing left of a group whose numbers are all used up? */
static bool
group_is_gone(const GroupChange *change)
{
	return change->header->nsegments == 1 &&
		change->header->segments[0].form == SEGMENT_GONE &&
		change->header->segments[0].nvectors == GROUP_VECTORS &&
		!FullTransactionIdIsValid(change->header->loader) &&
		change->header->row_header_map == InvalidBlockNumber &&
		change->meta->row_group != change->group;
}

static void
retire_set(Relation rel, const RowSetRef *ref, FullTransactionId stamp)
{
	if (ref->kind != ROW_SET_EMPTY)
		free_space_retire(rel, ref->start, ref->nblocks, stamp);
}

/* Give back a group's header and all that it has besides segments. */
static void
retire_group(Relation rel, BlockNumber blkno, const GroupHeaderData *header)
{
	FullTransactionId stamp = ReadNextFullTransactionId();

	free_space_retire(rel, blkno, 1, stamp);
	for (int i = 0; i < ROW_MAP_PAGES; i++)
		if (header->row_map[i] != InvalidBlockNumber)
			free_space_retire(rel, header->row_map[i], 1, stamp);
	retire_set(rel, &header->dead, stamp);
	retire_set(rel, &header->gone, stamp);
}

/*
 * Members of the new gone set: all deleted rows but those whose segment says
 * as much.
 */
static void
compute_gone(VacuumState *state, const GroupHeaderData *header, uint64 *gone)
{
	row_set_load(state->rel, &header->gone, gone);
	row_set_load(state->rel, &header->dead, gone);
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_GONE || segment->form == SEGMENT_DEAD)
			row_bitmap_clear_range(gone, segment_first(segment),
								   segment_limit(segment));
	}
}

void
vacuum_group_finish_dead(VacuumState *state, uint32 group, const uint64 *rows)
{
	Relation	rel = state->rel;
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	uint64	   *gone = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	BlockNumber blkno;
	RowMapEntry *pages;
	RowSetRef	ref;
	GroupChange change;
	FullTransactionId stamp;
	bool		all_gone;

	if (!group_copy_header(rel, group, &blkno, header))
		return;
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &header->segments[i];
		int			npages = 0;

		if (segment->form == SEGMENT_ROWS)
			npages = group_row_pages(rel, header, segment_first(segment),
									 segment_limit(segment), &pages);
		for (int j = 0; j < npages; j++)
			vacuum_release_items(state, &pages[j], rows);
	}

	if (!header_has_dead(header))
		return;

	compute_gone(state, header, gone);
	ref = row_set_write(rel, gone, MaintenanceOwner);

	group_change_begin(rel, group, true, &change);
	for (int i = 0; i < change.header->nsegments; i++)
		if (change.header->segments[i].form == SEGMENT_DEAD)
			change.header->segments[i].form = SEGMENT_GONE;
	join_gone_segments(&change);
	all_gone = group_is_gone(&change);
	if (all_gone)
		memset(change.entry, 0, sizeof(DirectoryEntry));
	else
	{
		row_set_init(&change.header->dead);
		change.header->gone = ref;
		change.entry->ndeleted = ref.nrows;
	}
	group_change_finish(&change);

	if (all_gone)
	{
		Assert(ref.nrows == 0);
		retire_group(rel, blkno, header);
		return;
	}
	if (ref.nblocks > 0)
		free_space_forget(rel, ref.start);
	stamp = ReadNextFullTransactionId();
	retire_set(rel, &header->dead, stamp);
	retire_set(rel, &header->gone, stamp);
}

/* Mark the rows of dead segments. */
static void
add_dead_segments(const GroupHeaderData *header, uint64 *dead)
{
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_DEAD)
			row_bitmap_set_range(dead, segment_first(segment),
								 segment_limit(segment));
	}
}

/* ---- the group ---- */

static void
vacuum_row_pages(VacuumState *state, const GroupHeaderData *header,
				 uint64 *dead)
{
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];
		RowMapEntry *pages;
		int			npages;

		if (segment->form != SEGMENT_ROWS)
			continue;
		npages = group_row_pages(state->rel, header, segment_first(segment),
								 segment_limit(segment), &pages);
		for (int j = 0; j < npages; j++)
			vacuum_row_page(state, header->group, &pages[j], dead);
		pfree(pages);
	}
}

/*
 * Follow the horizon: on a busy table the one of VACUUM's start would leave
 * hardly a row page settled after a while.  It does not go back.
 */
static void
advance_horizon(Mover *mover)
{
	TransactionId horizon = GetOldestNonRemovableTransactionId(mover->rel);

	if (TransactionIdFollows(horizon, mover->oldest_xmin))
		mover->oldest_xmin = horizon;
}

void
vacuum_group(VacuumState *state, uint32 group)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar vacuum group",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(context);
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	uint64	   *dead = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	uint32		recently_dead;

	vacuum_delay_point(false);
	advance_horizon(&state->mover);
	if (group_needs_settling(state, group))
		settle_segments(state, group);
	recently_dead = vacuum_fold(state, group);
	mover_move_group(&state->mover, group);

	if (count_group(state, group, header, dead))
	{
		uint32		ndead;

		state->live -= recently_dead;
		state->recently_dead += recently_dead;
		vacuum_row_pages(state, header, dead);
		add_dead_segments(header, dead);
		ndead = row_bitmap_count(dead, 0, GROUP_ROWS);
		tidy_group(state, header);
		if (ndead > 0 && state->nindexes == 0)
			vacuum_group_finish_dead(state, group, dead);
		else if (ndead > 0 && state->clean_indexes)
			vacuum_add_dead(state, group, dead);
	}

	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
}
