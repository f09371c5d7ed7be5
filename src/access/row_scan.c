/*
 * row_scan.c
 *		Rows in order of their numbers, forward or backward.
 *
 * Rows stay where group_scan has them, and slots refer to them there.  So
 * before the scan leaves a segment or a row page, the slots that still refer to
 * it get copies (slot_anchor_release); whoever is about to store another row
 * in a slot empties it first, which saves that.
 */
#include "postgres.h"

#include "compat.h"

#include "access/row_scan.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "port/pg_bitutils.h"

RowScan *
row_scan_create(Relation rel, Snapshot snapshot,
				BufferAccessStrategy strategy)
{
	RowScan    *scan = palloc0(sizeof(RowScan));

	scan->rel = rel;
	scan->snapshot = snapshot;
	scan->strategy = strategy;
	scan->limit = InvalidRowNumber;
	slot_anchor_init(&scan->anchor);
	scan->ngroups = group_scan_ngroups(rel);
	return scan;
}

void
row_scan_free(RowScan *scan)
{
	slot_anchor_release(&scan->anchor);
	if (scan->groups)
	{
		segment_values_free(scan->values);
		group_scan_free(scan->groups);
	}
	pfree(scan);
}

GroupScan *
row_scan_groups(RowScan *scan)
{
	if (scan->groups == NULL)
	{
		MemoryContext old_context;

		old_context = MemoryContextSwitchTo(GetMemoryChunkContext(scan));
		scan->groups = group_scan_create(scan->rel, scan->snapshot,
										 scan->strategy);
		scan->groups->keeps_headers = true;
		scan->values = segment_values_create(scan->rel, scan->groups->reader);
		MemoryContextSwitchTo(old_context);
	}
	return scan->groups;
}

void
row_scan_restart(RowScan *scan)
{
	scan->ngroups = group_scan_ngroups(scan->rel);
	row_scan_set_range(scan, 0, InvalidRowNumber);
}

void
row_scan_set_range(RowScan *scan, RowNumber first, RowNumber limit)
{
	scan->first = first;
	scan->limit = limit;
	scan->is_started = false;
	scan->has_batch = false;
}

/* ---- groups ---- */

/* The first group that has rows in range, or the last one plus one. */
static uint32
first_group(const RowScan *scan)
{
	return Min(scan->first / GROUP_ROWS, scan->ngroups);
}

static uint32
limit_group(const RowScan *scan)
{
	uint64		limit = scan->limit / GROUP_ROWS +
		(scan->limit % GROUP_ROWS != 0 ? 1 : 0);

	return Min(limit, scan->ngroups);
}

/*
 * Choose the group to go to from the present one; false if there is none.
 */
static bool
choose_group(RowScan *scan, bool forward)
{
	if (scan->parallel)
	{
		uint64		group;

		Assert(forward);
		group = pg_atomic_fetch_add_u64(&scan->parallel->phs_nallocated, 1);
		scan->group = Min(group, PG_UINT32_MAX);
		return group < limit_group(scan);
	}

	if (forward)
	{
		scan->group = scan->is_started ? scan->group + 1 : first_group(scan);
		return scan->group < limit_group(scan);
	}

	if (!scan->is_started)
		scan->group = limit_group(scan);
	if (scan->group <= first_group(scan))
		return false;
	scan->group--;
	return true;
}

/* The part of the range that is in the group to go to. */
static void
get_group_range(const RowScan *scan, uint32 *first, uint32 *limit)
{
	RowNumber	group_first = row_number(scan->group, 0);

	*first = 0;
	*limit = GROUP_ROWS;
	if (scan->first > group_first)
		*first = Min(scan->first - group_first, GROUP_ROWS);
	if (scan->limit < group_first + GROUP_ROWS)
		*limit = Max(scan->limit, group_first) - group_first;
	*limit = Max(*first, *limit);
}

/*
 * Is the group open, from the range before, for these rows too?
 */
static bool
range_is_open(const RowScan *scan, uint32 first, uint32 limit)
{
	const GroupScan *groups = scan->groups;

	return scan->first != 0 && groups->group == scan->group &&
		groups->header->nsegments > 0 &&
		first >= groups->open_first && limit <= groups->open_limit &&
		(scan->keeps_groups ||
		 (scan->snapshot != NULL && IsMVCCSnapshot(scan->snapshot)));
}

/*
 * A range may be one of many in a group, or the only one: open the group for
 * the rows around it, so that neither all row headers of the group are judged
 * for a few rows, nor some of them again and again.
 */
#define OPEN_ROWS	(4 * VECTOR_ROWS)

static bool
open_for_range(RowScan *scan, uint32 first, uint32 limit)
{
	first -= first % OPEN_ROWS;
	limit = Min((limit + OPEN_ROWS - 1) / OPEN_ROWS * OPEN_ROWS, GROUP_ROWS);
	return group_scan_open_range(scan->groups, scan->group, first, limit);
}

static bool
next_group(RowScan *scan, bool forward)
{
	while (choose_group(scan, forward))
	{
		uint32		first;
		uint32		limit;

		scan->is_started = true;
		get_group_range(scan, &first, &limit);
		if (!range_is_open(scan, first, limit) &&
			!open_for_range(scan, first, limit))
			continue;
		group_scan_set_range(scan->groups, first, limit);
		return true;
	}
	return false;
}

/* ---- batches ---- */

/*
 * Enter the segment that group_scan has turned to, before its first or after
 * its last row.
 */
static void
begin_segment(RowScan *scan, bool forward)
{
	GroupScan  *groups = scan->groups;

	if (groups->segment->form != SEGMENT_COLUMNS)
		return;
	if (scan->values_open != groups->nopened)
	{
		segment_values_open(scan->values, groups->group, groups->segment);
		scan->values_open = groups->nopened;
	}
	scan->vector = forward ? -1 : group_scan_nvectors(groups);

	/* with a narrow range, don't step through all vectors before it */
	if (forward && groups->range_first > segment_first(groups->segment))
		scan->vector = (groups->range_first - segment_first(groups->segment)) /
			VECTOR_ROWS - 1;
}

static bool
next_vector(RowScan *scan, bool forward)
{
	GroupScan  *groups = scan->groups;
	int			nvectors = group_scan_nvectors(groups);

	for (;;)
	{
		int			vector = scan->vector + (forward ? 1 : -1);

		if (vector < 0 || vector >= nvectors)
			return false;
		if (segment_first(groups->segment) + (uint32) vector * VECTOR_ROWS >=
			groups->range_limit && forward)
			return false;
		scan->vector = vector;
		scan->nrows = group_scan_live(groups, vector, scan->mask);
		if (scan->nrows > 0)
			break;
	}

	scan->batch_first = row_number(groups->group,
								   segment_first(groups->segment) +
								   (uint32) scan->vector * VECTOR_ROWS);
	scan->position = forward ? -1 : VECTOR_ROWS;
	memcpy(scan->values->mask, scan->mask, sizeof(scan->mask));
	scan->values->mask_vector = scan->vector;
	return true;
}

static bool
next_page(RowScan *scan, bool forward)
{
	GroupScan  *groups = scan->groups;

	slot_anchor_release(&scan->anchor);
	while (forward ? group_scan_next_row_page(groups) :
		   group_scan_prev_row_page(groups))
	{
		if (groups->ntuples > 0)
		{
			scan->nrows = groups->ntuples;
			scan->position = forward ? -1 : groups->ntuples;
			return true;
		}
	}
	return false;
}

bool
row_scan_next_batch(RowScan *scan, bool forward)
{
	GroupScan  *groups = row_scan_groups(scan);

	scan->has_batch = false;
	if (!scan->is_started)
		slot_anchor_release(&scan->anchor);
	while (scan->is_started || next_group(scan, forward))
	{
		CHECK_FOR_INTERRUPTS();

		if (groups->segment != NULL)
		{
			if (groups->segment->form == SEGMENT_COLUMNS)
				scan->has_batch = next_vector(scan, forward);
			else
				scan->has_batch = next_page(scan, forward);
			if (scan->has_batch)
				return true;
		}

		slot_anchor_release(&scan->anchor);
		if (forward ? group_scan_next_segment(groups) :
			group_scan_prev_segment(groups))
			begin_segment(scan, forward);
		else if (!next_group(scan, forward))
			break;
	}

	scan->is_started = false;
	return false;
}

/* ---- rows ---- */

/* Position of the next row of the mask after a position, or VECTOR_ROWS. */
static int
mask_next(const uint64 *mask, int position)
{
	int			word;
	uint64		bits;

	if (++position >= VECTOR_ROWS)
		return VECTOR_ROWS;
	word = position / 64;
	bits = mask[word] & (PG_UINT64_MAX << (position % 64));
	while (bits == 0)
	{
		if (++word == VECTOR_WORDS)
			return VECTOR_ROWS;
		bits = mask[word];
	}
	return word * 64 + pg_rightmost_one_pos64(bits);
}

/* Position of the last row of the mask before a position, or -1. */
static int
mask_prev(const uint64 *mask, int position)
{
	int			word;
	uint64		bits;

	if (--position < 0)
		return -1;
	word = position / 64;
	bits = mask[word] & (PG_UINT64_MAX >> (63 - position % 64));
	while (bits == 0)
	{
		if (--word < 0)
			return -1;
		bits = mask[word];
	}
	return word * 64 + pg_leftmost_one_pos64(bits);
}

static inline bool
in_columns(const RowScan *scan)
{
	return scan->groups->segment->form == SEGMENT_COLUMNS;
}

bool
row_scan_next_in_batch(RowScan *scan, bool forward)
{
	int			limit = in_columns(scan) ? VECTOR_ROWS : scan->nrows;

	Assert(scan->has_batch);

	if (in_columns(scan))
		scan->position = forward ? mask_next(scan->mask, scan->position) :
			mask_prev(scan->mask, scan->position);
	else
		scan->position += forward ? 1 : -1;
	return scan->position >= 0 && scan->position < limit;
}

RowNumber
row_scan_row(const RowScan *scan)
{
	Assert(scan->has_batch);

	if (in_columns(scan))
		return scan->batch_first + scan->position;
	return row_number_from_tid(&scan->groups->tuples[scan->position].t_self);
}

uint8
row_scan_status(const RowScan *scan)
{
	Assert(scan->has_batch);

	if (in_columns(scan))
		return group_scan_status(scan->groups,
								 row_number_offset(scan->batch_first) + scan->position);
	return scan->groups->status[scan->position];
}

/*
 * Store the current row of a vector.
 */
static void
store_column_row(RowScan *scan, TupleTableSlot *slot)
{
	HeapTupleHeader header;

	columnar_slot_store_row(slot, &scan->anchor, scan->values,
							scan->vector * VECTOR_ROWS + scan->position);
	if (scan->groups->nrow_headers == 0)
		return;
	header = group_scan_row_header(scan->groups,
								   row_number_offset(scan->batch_first) + scan->position);
	if (header)
		columnar_slot_set_header(slot, header);
}

void
row_scan_store(RowScan *scan, TupleTableSlot *slot)
{
	Assert(scan->has_batch);

	if (in_columns(scan))
		store_column_row(scan, slot);
	else
		columnar_slot_store_tuple(slot, &scan->anchor,
								  &scan->groups->tuples[scan->position]);
}
