/*
 * verify_group.c
 *		columnar_verify(): one chunk group.
 *
 * Checks what a group header says of itself, its deleted sets against its
 * segments and directory entry, and hands row pages, chunks and row headers on.
 */
#include "postgres.h"

#include "compat.h"

#include "access/verify.h"
#include "miscadmin.h"
#include "storage/row_set.h"
#include "storage/visibility.h"

/* ---- deleted sets ---- */

static void
verify_deleted_sets(VerifyState *state, void *argument)
{
	uint64	   *gone = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));

	memset(state->deleted, 0, ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(state->rel, &state->header.dead, state->deleted);
	row_set_load(state->rel, &state->header.gone, gone);

	for (int i = 0; i < ROW_BITMAP_WORDS; i++)
	{
		if (state->deleted[i] & gone[i])
		{
			verify_report(state, state->header_block,
						  "a row of vector %d is both dead and gone",
						  i * 64 / VECTOR_ROWS);
			break;
		}
	}
	for (int i = 0; i < ROW_BITMAP_WORDS; i++)
		state->deleted[i] |= gone[i];
	pfree(gone);

	if (state->entry.ndeleted != state->header.dead.nrows + state->header.gone.nrows)
		verify_report(state, state->header_block,
					  "directory counts %u deleted rows of group %u instead of %u",
					  state->entry.ndeleted, state->group,
					  state->header.dead.nrows + state->header.gone.nrows);
}

/* ---- segments ---- */

/* Deleted rows among the slots of a segment. */
static uint32
segment_ndeleted(VerifyState *state, const SegmentData *segment)
{
	return row_bitmap_count(state->deleted, segment_first(segment),
							segment_first(segment) + segment->nslots);
}

static void
verify_column_segment(VerifyState *state, SegmentData *segment)
{
	uint32		ndeleted = segment_ndeleted(state, segment);
	bool		aborted = verify_aborted(segment_tuple_header(segment));

	verify_xmin(state, state->header_block, segment_tuple_header(segment),
				"a segment");
	if (segment->natts > RelationGetNumberOfAttributes(state->rel) && !aborted)
		verify_report(state, state->header_block,
					  "the segment at vector %u of group %u has %u attributes",
					  segment->first_vector, state->group, segment->natts);
	if (segment->nslots - segment->nrows > ndeleted)
		verify_report(state, state->header_block,
					  "the segment at vector %u of group %u has %u rows in %u positions, but only %u are deleted",
					  segment->first_vector, state->group,
					  segment->nrows, segment->nslots, ndeleted);
	if (!aborted)
		verify_chunks(state, segment);
}

/* Argument of verify_row_page through the guard. */
static void
check_row_page(VerifyState *state, void *argument)
{
	verify_row_page(state, argument);
}

typedef struct RowPages
{
	const SegmentData *segment;
	RowMapEntry *entries;
	int			n;
} RowPages;

static void
read_row_map(VerifyState *state, void *argument)
{
	RowPages   *pages = argument;

	pages->n = group_row_pages(state->rel, &state->header,
							   segment_first(pages->segment),
							   segment_limit(pages->segment), &pages->entries);
}

static void
verify_row_segment(VerifyState *state, const SegmentData *segment)
{
	RowPages	pages = {segment, NULL, 0};
	uint32		limit = segment_first(segment) + segment->nslots;

	/* the guard's check ran in this context, so the entries are still there */
	if (!verify_guard(state, read_row_map, &pages))
		return;

	for (int i = 0; i < pages.n; i++)
	{
		RowMapEntry *entry = &pages.entries[i];

		CHECK_FOR_INTERRUPTS();

		/* pages listed after the copy of the header was taken */
		if (entry->first >= limit)
			break;
		if ((uint32) entry->first + entry->nrows > limit)
			verify_report(state, entry->blkno,
						  "row page has rows %u to %u of group %u, but the segment ends at %u",
						  entry->first, entry->first + entry->nrows - 1,
						  state->group, limit);
		state->blkno = entry->blkno;
		verify_guard(state, check_row_page, entry);
		state->blkno = state->header_block;
	}
}

/* ---- the group ---- */

/*
 * The all-visible flag promises that no row needs a look.
 */
static void
verify_all_visible(VerifyState *state)
{
	if ((state->entry.flags & DIRECTORY_ALL_VISIBLE) == 0)
		return;
	if (state->header.row_header_map != InvalidBlockNumber)
		verify_report(state, state->header_block,
					  "group %u is marked all-visible, but has row headers",
					  state->group);
	for (int i = 0; i < state->header.nsegments; i++)
	{
		SegmentData *segment = &state->header.segments[i];

		if (segment->form == SEGMENT_ROWS || segment->form == SEGMENT_ANNOUNCED ||
			(segment->form == SEGMENT_COLUMNS &&
			 !HeapTupleHeaderXminFrozen(segment_tuple_header(segment))))
			verify_report(state, state->header_block,
						  "group %u is marked all-visible, but its segment at vector %u may not be",
						  state->group, segment->first_vector);
	}
}

/*
 * A bit of the visibility map spares index-only scans the look at the rows.
 * The lock keeps row headers from being added, which clears bits.
 */
static void
verify_visibility(VerifyState *state, void *argument)
{
	Buffer		buffer = group_read(state->rel, state->group, BUFFER_LOCK_SHARE);
	TidBlockSet present;
	TidBlockSet allowed;

	if (!BufferIsValid(buffer))
		return;
	visibility_load(state->rel, state->group, &present);
	visibility_judge(state->rel, group_header(buffer), &allowed);
	UnlockReleaseBuffer(buffer);

	for (int i = 0; i < GROUP_TID_BLOCKS; i++)
	{
		if (!tid_block_set_test(&present, i))
			continue;
		state->nvisible++;
		if (!tid_block_set_test(&allowed, i))
			verify_report(state, state->header_block,
						  "TID block %u is marked all-visible, but may not be",
						  group_first_tid_block(state->group) + i);
	}
}

static void
verify_counts(VerifyState *state)
{
	uint64		nrows = 0;

	for (int i = 0; i < state->header.nsegments; i++)
	{
		SegmentData *segment = &state->header.segments[i];

		if (segment->form == SEGMENT_COLUMNS)
			nrows += segment->nslots - segment_ndeleted(state, segment);
	}
	if (nrows != state->entry.nrows)
		verify_report(state, state->header_block,
					  "directory counts %u rows in column form in group %u instead of " UINT64_FORMAT,
					  state->entry.nrows, state->group, nrows);
}

void
verify_group(VerifyState *state, uint32 group)
{
	bool		sets_sound;

	state->blkno = state->header_block;
	sets_sound = verify_guard(state, verify_deleted_sets, NULL);
	if (!sets_sound)
		memset(state->deleted, 0xFF, ROW_BITMAP_WORDS * sizeof(uint64));

	for (int i = 0; i < state->header.nsegments; i++)
	{
		SegmentData *segment = &state->header.segments[i];

		CHECK_FOR_INTERRUPTS();
		if (segment->form == SEGMENT_COLUMNS)
			verify_column_segment(state, segment);
		else if (segment->form == SEGMENT_ROWS)
			verify_row_segment(state, segment);
	}

	verify_row_headers(state);
	verify_all_visible(state);
	verify_guard(state, verify_visibility, NULL);
	if (sets_sound)
		verify_counts(state);
}
