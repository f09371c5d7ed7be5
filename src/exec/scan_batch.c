/*
 * scan_batch.c
 *		The rows of a vectorised scan, by the batch.
 *
 * A batch is what the filters leave of one vector, or of one row page.  On the
 * way there the scan reads as little as it can, in this order: the attribute
 * entries of a segment (their zone maps may rule it out), the chunks of the
 * filters' columns one after the other (the zone maps of their vectors rule
 * out vectors), the values of those columns, and only for vectors with rows
 * left the columns of the qual and of the target list.
 *
 * (S1) An operand that is not at hand (column_filter_is_free) is evaluated
 * when the first row gets as far as its filter, as core would do.  Until then
 * its zone maps are not looked at.
 */
#include "postgres.h"

#include "compat.h"

#include "access/tuple_check.h"
#include "exec/join_filter.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bitutils.h"
#include "storage/row_set.h"
#include "utils/memutils.h"

/*
 * Count rows that were read, and that the filters left fewer of them.  The
 * statistics system counts all of them, as for heap.
 */
static void
count_rows(VectorScanState *state, int nread, int nleft)
{
	Relation	rel = state->css.ss.ss_currentRelation;

	state->counters->rows_removed += nread - nleft;
	if (pgstat_should_count_relation(rel))
		PGSTAT_TUPLES_RETURNED(rel) += nread;
}

/* A bit for each of the segment's vectors. */
static uint64
all_vectors(GroupScan *scan)
{
	int			nvectors = group_scan_nvectors(scan);

	Assert(nvectors <= GROUP_VECTORS);
	return nvectors == GROUP_VECTORS ? PG_UINT64_MAX :
		(UINT64CONST(1) << nvectors) - 1;
}

/* A bit for each vector that the scan has still to come to. */
static uint64
vectors_ahead(const VectorScanState *state, bool forward)
{
	if (forward)
		return state->vector >= GROUP_VECTORS - 1 ? 0 :
			PG_UINT64_MAX << (state->vector + 1);
	if (state->vector >= GROUP_VECTORS)
		return PG_UINT64_MAX;
	return state->vector <= 0 ? 0 : (UINT64CONST(1) << state->vector) - 1;
}

static uint32
vector_slots(GroupScan *scan, int vector)
{
	uint32		first = (uint32) vector * VECTOR_ROWS;

	return Min(VECTOR_ROWS, scan->segment->nslots - first);
}

/* Read the chunks of columns ahead of their decoding. */
static void
load_columns(VectorScanState *state, bool is_output)
{
	int			attnos[MaxTupleAttributeNumber];
	int			n = 0;

	for (int i = 0; i < state->ncolumns; i++)
	{
		ScanColumn *column = &state->columns[i];

		if (is_output ? column->is_output : column->is_qual)
			attnos[n++] = column->attno;
	}
	if (n > 0)
		segment_reader_load(state->scan->reader, attnos, n);
}

static void
load_qual_columns(VectorScanState *state)
{
	if (!state->has_qual_columns)
		load_columns(state, false);
	state->has_qual_columns = true;
}

static void
load_output_columns(VectorScanState *state)
{
	if (!state->has_output_columns)
		load_columns(state, true);
	state->has_output_columns = true;
}

/* ---- zone maps ---- */

static bool
filter_is_usable(ColumnFilter *filter, ExprContext *econtext)
{
	if (!filter->is_ready && column_filter_is_free(filter, econtext))
		column_filter_prepare(filter, econtext);
	return filter->is_ready;
}

/*
 * Every row of the segment has the value that the attribute's default was
 * when it was added.
 */
static FilterVerdict
check_missing(VectorScanState *state, ColumnFilter *filter)
{
	ScanColumn *column = state->column_by_attno[filter->clause.attno];
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	bool		matches;

	ExecClearTuple(slot);
	slot->tts_values[column->attno - 1] = column->vector.missing_value;
	slot->tts_isnull[column->attno - 1] = column->vector.missing_isnull;
	ExecStoreVirtualTuple(slot);
	econtext->ecxt_scantuple = slot;
	matches = ExecQual(filter->qual, econtext);
	ResetExprContext(econtext);
	return matches ? VERDICT_ALL : VERDICT_NONE;
}

/* What the chunk's zone map says of the whole segment. */
static FilterVerdict
check_segment(VectorScanState *state, ColumnFilter *filter)
{
	SegmentReader *reader = state->scan->reader;
	const AttributeEntry *entry;
	ZoneRange	range;

	entry = segment_reader_attribute(reader, filter->clause.attno);
	if (entry == NULL || entry->kind == 0)
		return check_missing(state, filter);
	attribute_entry_zone(entry, &range);
	return zone_filter_check(filter, entry->value_class, &range,
							 entry->nnulls, state->scan->segment->nslots);
}

/*
 * Take vectors from those to be looked at.  Only such count as skipped as have
 * not been looked at before the filter's operand was known.
 */
static void
skip_vectors(VectorScanState *state, uint64 vectors)
{
	EState	   *estate = state->css.ss.ps.state;
	bool		forward = ScanDirectionIsForward(estate->es_direction);

	state->counters->vectors_skipped +=
		pg_popcount64(state->vectors & vectors & vectors_ahead(state, forward));
	state->vectors &= ~vectors;
}

/* Let the zone maps of the chunk's vectors decide what they can. */
static void
check_vectors(VectorScanState *state, ColumnFilter *filter)
{
	SegmentReader *reader = state->scan->reader;
	const AttributeEntry *entry;
	ChunkReader *chunk;
	uint64		vectors = state->vectors;
	int			attno = filter->clause.attno;

	segment_reader_load(reader, &attno, 1);
	entry = segment_reader_attribute(reader, attno);
	chunk = segment_reader_chunk(reader, attno);

	while (vectors != 0)
	{
		int			vector = pg_rightmost_one_pos64(vectors);
		uint64		bit = UINT64CONST(1) << vector;
		ZoneRange	range;
		uint32		nnulls;

		vectors &= ~bit;
		chunk_vector_zone(chunk, vector, &nnulls, &range);
		switch (zone_filter_check(filter, entry->value_class, &range, nnulls,
								  vector_slots(state->scan, vector)))
		{
			case VERDICT_NONE:
				skip_vectors(state, bit);
				break;
			case VERDICT_ALL:
				filter->decided |= bit;
				break;
			case VERDICT_SOME:
				break;
		}
	}
}

/*
 * The filter's operand has become known: take from state->vectors those that
 * it rules out.
 */
static FilterVerdict
prune_vectors(VectorScanState *state, ColumnFilter *filter)
{
	FilterVerdict verdict = check_segment(state, filter);

	switch (verdict)
	{
		case VERDICT_NONE:
			skip_vectors(state, PG_UINT64_MAX);
			break;
		case VERDICT_ALL:
			filter->decided = PG_UINT64_MAX;
			break;
		case VERDICT_SOME:
			check_vectors(state, filter);
			break;
	}
	return verdict;
}

/*
 * Chunks' zone maps come first: of a segment that they rule out no chunk is
 * read.  False for such a segment.
 */
static bool
check_chunks(VectorScanState *state)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	for (int i = 0; i < state->nfilters; i++)
	{
		ColumnFilter *filter = &state->filters[i];

		if (!filter_is_usable(filter, econtext))
			continue;
		switch (check_segment(state, filter))
		{
			case VERDICT_NONE:
				return false;
			case VERDICT_ALL:
				filter->decided = PG_UINT64_MAX;
				break;
			case VERDICT_SOME:
				break;
		}
	}
	return true;
}

/*
 * Let the node above answer a segment from its metadata, if all of its rows are
 * there and known to pass.  True if it did.
 */
static bool
take_segment(VectorScanState *state)
{
	GroupScan  *scan = state->scan;
	const SegmentData *segment = scan->segment;
	uint32		first = segment_first(segment);

	if (state->taker == NULL || state->css.ss.ps.qual != NULL ||
		segment->nrows != segment->nslots)
		return false;
	if (scan->holes && row_bitmap_count(scan->holes, first,
										first + segment->nslots) > 0)
		return false;
	for (int i = 0; i < state->nfilters; i++)
	{
		if (!state->filters[i].is_ready ||
			state->filters[i].decided != PG_UINT64_MAX)
			return false;
	}
	if (!state->taker(state->taker_argument, scan->reader, segment))
		return false;
	count_rows(state, segment->nslots, segment->nslots);
	return true;
}

/*
 * Begin a segment in column form: sets state->vectors to those that have to be
 * looked at.
 */
static void
start_columns(VectorScanState *state)
{
	GroupScan  *scan = state->scan;

	state->segment_serial++;
	for (int i = 0; i < state->ncolumns; i++)
		attribute_vector_reset(&state->columns[i].vector);
	for (int i = 0; i < state->nfilters; i++)
	{
		state->filters[i].decided = 0;
		state->filters[i].has_entries = false;
		state->filters[i].nslots = scan->segment->nslots;
	}
	state->has_qual_columns = false;
	state->has_output_columns = false;
	state->vectors = all_vectors(scan);

	if ((state->skipper &&
		 state->skipper(state->skipper_argument, scan->reader, scan->segment)) ||
		!check_chunks(state) ||
		(state->join_filters && join_filter_rules_out(state)))
	{
		state->nvectors_pruned += group_scan_nvectors(scan);
		state->vectors = 0;
		return;
	}
	if (take_segment(state))
	{
		state->vectors = 0;
		return;
	}

	state->group_is_read = true;
	for (int i = 0; i < state->nfilters && state->vectors != 0; i++)
	{
		ColumnFilter *filter = &state->filters[i];

		if (filter->is_ready && filter->decided == 0)
			check_vectors(state, filter);
	}
	if (state->join_filters && state->vectors != 0)
		skip_vectors(state, join_filter_check_vectors(state, state->vectors));
	if (state->skipper && state->vectors != 0)
		skip_vectors(state, state->vector_skipper(state->skipper_argument,
												  scan->reader,
												  state->vectors));
}

/* ---- vectors ---- */

static int
mask_count(const uint64 *mask)
{
	int			n = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
		n += pg_popcount64(mask[w]);
	return n;
}

static int
mask_to_rows(const uint64 *mask, uint16 *rows)
{
	int			n = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		if (mask[w] == PG_UINT64_MAX)
		{
			for (int i = 0; i < 64; i++)
				rows[n + i] = w * 64 + i;
			n += 64;
			continue;
		}
		for (uint64 word = mask[w]; word != 0; word &= word - 1)
			rows[n++] = w * 64 + pg_rightmost_one_pos64(word);
	}
	return n;
}

void
scan_batch_list_rows(ScanBatch *batch)
{
	if (!batch->is_vector || batch->has_rows)
		return;
	batch->nrows = mask_to_rows(batch->mask, batch->rows);
	batch->has_rows = true;
}

/* Does the value at a position of the vector pass the filter's clause? */
static bool
value_passes(VectorScanState *state, ColumnFilter *filter, ScanColumn *column,
			 int position)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext memory = econtext->ecxt_per_tuple_memory;
	MemoryContext oldcontext = MemoryContextSwitchTo(memory);
	int			target = column->attno - 1;
	bool		passes;

	ExecClearTuple(slot);
	slot->tts_values[target] =
		attribute_vector_datum(&column->vector, state->scan->reader, position,
							   &slot->tts_isnull[target]);
	ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(oldcontext);

	econtext->ecxt_scantuple = slot;
	passes = ExecQual(filter->qual, econtext);
	ResetExprContext(econtext);
	return passes;
}

/* Run the filter's clause on the rows of mask, one by one. */
static void
apply_qual(VectorScanState *state, ColumnFilter *filter, ScanColumn *column,
		   uint64 *mask)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		for (uint64 word = mask[w]; word != 0; word &= word - 1)
		{
			int			bit = pg_rightmost_one_pos64(word);

			if (!value_passes(state, filter, column, w * 64 + bit))
				mask[w] &= ~(UINT64CONST(1) << bit);
		}
	}
}

/* Has the vector's zone map, or a partner's turn, decided the filter? */
static bool
filter_is_decided(const ColumnFilter *filter, int vector)
{
	return filter->is_done || (filter->decided & (UINT64CONST(1) << vector));
}

/*
 * The next filter of the same column that can be applied together with this
 * one, as the two ends of a range; or NULL.
 */
static ColumnFilter *
find_partner(VectorScanState *state, ColumnFilter *filter, int vector)
{
	if (!column_filter_is_range(filter))
		return NULL;
	for (ColumnFilter *other = filter + 1;
		 other < state->filters + state->nfilters; other++)
	{
		if (other->clause.attno == filter->clause.attno &&
			other->clause.type == filter->clause.type &&
			column_filter_is_range(other) &&
			!filter_is_decided(other, vector))
			return other;
	}
	return NULL;
}

/*
 * Clear the rows that do not match from the mask of the vector, in which there
 * are rows.
 */
static void
apply_filter(VectorScanState *state, ColumnFilter *filter, int vector,
			 uint64 *mask)
{
	ScanColumn *column = state->column_by_attno[filter->clause.attno];
	SegmentReader *reader = state->scan->reader;
	ColumnFilter *partner;

	if (!filter->is_ready)
	{
		/* (S1) A row has come as far as this clause. */
		column_filter_prepare(filter, state->css.ss.ps.ps_ExprContext);
		if (prune_vectors(state, filter) == VERDICT_NONE)
		{
			memset(mask, 0, sizeof(uint64) * VECTOR_WORDS);
			return;
		}
	}
	if (filter_is_decided(filter, vector))
		return;

	attribute_vector_set(&column->vector, reader, vector);
	partner = find_partner(state, filter, vector);
	if (!vector_filter_apply(filter, partner, &column->vector, reader, mask))
		apply_qual(state, filter, column, mask);
	else
	{
		state->counters->vectors_packed += filter->is_packed;
		if (partner)
			partner->is_done = true;
	}
}

/* Strings of a batch are made at once up to this many bytes. */
#define BATCH_STRING_BYTES	(4.0 * 1024 * 1024)

/*
 * Is a column of strings better fetched row by row?  So it is if the batch's
 * are large, and, of columns that the qual does not read, if few rows pass it;
 * else making all of them at once is cheaper.
 */
static bool
column_is_by_row(VectorScanState *state, ScanColumn *column, bool is_qual)
{
	AttributeVector *av = &column->vector;
	const AttributeEntry *entry;

	if ((av->kind != VALUE_BYTES && av->kind != VALUE_NUMERIC) ||
		av->chunk == NULL || column->is_filled)
		return false;
	if (!is_qual && state->row_qual != NULL &&
		state->npassed < state->ntested / 4)
		return true;

	entry = segment_reader_attribute(state->scan->reader, av->attno);
	return (double) entry->raw_bytes / state->scan->segment->nslots *
		state->batch.nrows > BATCH_STRING_BYTES;
}

/* Have the values of a column for the batch's rows at hand. */
static void
fill_column(VectorScanState *state, ScanColumn *column, bool is_qual)
{
	SegmentReader *reader = state->scan->reader;

	attribute_vector_set(&column->vector, reader, state->vector);
	column->is_by_row = column_is_by_row(state, column, is_qual);
	if (!column->is_by_row)
		scan_column_fill(column, reader, &state->batch);
}

/* Fill the columns that the qual reads for the batch's rows. */
static void
fill_qual_columns(VectorScanState *state)
{
	if (state->row_qual == NULL || state->nrow_outputs == 0)
		return;
	load_qual_columns(state);
	for (int i = 0; i < state->nrow_outputs; i++)
		fill_column(state, state->row_outputs[i].column, true);
}

/* Make a batch of the current vector; false if no row is left. */
static bool
load_vector(VectorScanState *state)
{
	GroupScan  *scan = state->scan;
	ScanBatch  *batch = &state->batch;
	int			nlive = group_scan_live(scan, state->vector, batch->mask);
	int			nrows = nlive;

	for (int i = 0; i < state->nfilters; i++)
		state->filters[i].is_done = false;
	for (int i = 0; i < state->nfilters && nrows > 0; i++)
	{
		apply_filter(state, &state->filters[i], state->vector, batch->mask);
		nrows = mask_count(batch->mask);
	}
	count_rows(state, nlive, nrows);
	if (nrows > 0 && state->join_filters)
	{
		join_filter_apply(state, state->vector, batch->mask);
		nrows = mask_count(batch->mask);
	}
	if (nrows == 0)
		return false;

	batch->is_vector = true;
	batch->has_output = false;
	batch->nrows = nrows;
	batch->has_rows = false;
	if (!state->by_batches)
		scan_batch_list_rows(batch);
	batch->first = row_number(scan->group, segment_first(scan->segment) +
							  state->vector * VECTOR_ROWS);
	for (int i = 0; i < state->ncolumns; i++)
	{
		state->columns[i].is_filled = false;
		state->columns[i].is_by_row = false;
	}
	if (state->qual && !vector_qual_apply(state))
		return false;
	fill_qual_columns(state);
	return true;
}

void
scan_batch_fill_output(VectorScanState *state)
{
	ScanBatch  *batch = &state->batch;

	Assert(!batch->has_output);
	if (batch->is_vector)
	{
		load_output_columns(state);
		for (int i = 0; i < state->noutputs; i++)
			fill_column(state, state->outputs[i].column, false);
	}
	batch->has_output = true;
}

/* ---- row pages ---- */

/* Does the row in the row slot pass the filters? */
static bool
row_passes(VectorScanState *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	bool		passes;

	if (state->filter_qual == NULL)
		return true;

	ExecClearTuple(slot);
	for (int i = 0; i < state->ncolumns; i++)
	{
		int			target = state->columns[i].attno - 1;

		if (!state->columns[i].is_filter)
			continue;
		slot->tts_values[target] = state->row_slot->tts_values[target];
		slot->tts_isnull[target] = state->row_slot->tts_isnull[target];
	}
	ExecStoreVirtualTuple(slot);
	econtext->ecxt_scantuple = slot;
	passes = ExecQual(state->filter_qual, econtext);
	ResetExprContext(econtext);
	return passes;
}

/*
 * The values of a batch point into the pages, so that each page of a batch has
 * a copy of its own.
 */
static void
renew_row_page(VectorScanState *state)
{
	GroupScan  *scan = state->scan;
	int			i = state->nrow_pages++;

	Assert(i < BATCH_ROW_PAGES);
	if (state->row_pages[i] == NULL)
		state->row_pages[i] = i == 0 ? scan->page :
			MemoryContextAlloc(state->work, BLCKSZ);
	scan->page = state->row_pages[i];
}

static bool
step_row_page(VectorScanState *state, bool forward)
{
	if (state->by_batches)
		renew_row_page(state);
	return forward ? group_scan_next_row_page(state->scan) :
		group_scan_prev_row_page(state->scan);
}

/* Add the row page's tuples to the batch, as far as they pass the filters. */
static void
append_row_page(VectorScanState *state)
{
	GroupScan  *scan = state->scan;
	ScanBatch  *batch = &state->batch;
	TupleTableSlot *row_slot = state->row_slot;
	int			nrows = batch->nrows;

	for (int i = 0; i < scan->ntuples; i++)
	{
		HeapTuple	tuple = &scan->tuples[i];
		int			row = batch->nrows;

		tuple_check(row_slot->tts_tupleDescriptor, tuple);
		ExecStoreHeapTuple(tuple, row_slot, false);
		slot_getsomeattrs(row_slot, state->max_attno);
		if (!row_passes(state))
			continue;

		batch->rows[row] =
			row_number_offset(row_number_from_tid(&tuple->t_self));
		for (int c = 0; c < state->ncolumns; c++)
		{
			ScanColumn *column = &state->columns[c];

			column->values[row] = row_slot->tts_values[column->attno - 1];
			column->isnull[row] = row_slot->tts_isnull[column->attno - 1];
			column->has_nulls |= column->isnull[row];
		}
		batch->nrows++;
	}
	ExecClearTuple(row_slot);
	count_rows(state, scan->ntuples, batch->nrows - nrows);
}

/* Is there room in the batch for the rows of another page? */
static bool
batch_has_room(const VectorScanState *state)
{
	return state->by_batches && state->nrow_pages < BATCH_ROW_PAGES &&
		state->batch.nrows + TID_BLOCK_ROWS <= VECTOR_ROWS;
}

/*
 * Make a batch of the row page's tuples and, for a vectorised node, of pages
 * that follow; false if no row is left.
 */
static bool
load_row_pages(VectorScanState *state, bool forward)
{
	ScanBatch  *batch = &state->batch;

	batch->is_vector = false;
	batch->has_output = true;
	batch->nrows = 0;
	batch->first = row_number(state->scan->group, 0);
	for (int c = 0; c < state->ncolumns; c++)
		state->columns[c].is_by_row = false;

	do
	{
		append_row_page(state);
	} while (batch_has_room(state) && step_row_page(state, forward));
	return batch->nrows > 0 && (!state->qual || vector_qual_apply(state));
}

/* ---- steps ---- */

static bool
step_vector(VectorScanState *state, bool forward)
{
	uint64		left = state->vectors & vectors_ahead(state, forward);

	if (forward)
		state->vector = left ? pg_rightmost_one_pos64(left) : GROUP_VECTORS;
	else
		state->vector = left ? pg_leftmost_one_pos64(left) : -1;
	return left != 0;
}

static bool
step_segment(VectorScanState *state, bool forward)
{
	if (forward ? !group_scan_next_segment(state->scan) :
		!group_scan_prev_segment(state->scan))
		return false;

	state->in_rows = state->scan->segment->form == SEGMENT_ROWS;
	state->vector = forward ? -1 : GROUP_VECTORS;
	state->vectors = 0;
	if (state->in_rows)
		state->group_is_read = true;
	else
		start_columns(state);
	return true;
}

/*
 * A group of which no chunk and no row page was read is counted as such, else
 * the vectors of its segments that were ruled out.
 */
static void
leave_group(VectorScanState *state)
{
	if (!state->in_group)
		return;
	if (state->group_is_read)
		state->counters->vectors_skipped += state->nvectors_pruned;
	else if (state->nvectors_pruned > 0)
		state->counters->groups_skipped++;
	state->in_group = false;
}

static bool
step_group(VectorScanState *state, bool forward)
{
	leave_group(state);
	while (scan_parallel_next_group(state, forward))
	{
		CHECK_FOR_INTERRUPTS();
		if (group_scan_open(state->scan, (uint32) state->group))
		{
			state->in_group = true;
			state->in_rows = false;
			state->vectors = 0;
			state->vector = forward ? GROUP_VECTORS : -1;
			state->group_is_read = false;
			state->nvectors_pruned = 0;
			return true;
		}
	}
	return false;
}

bool
scan_batch_next(VectorScanState *state, bool forward)
{
	ScanBatch  *batch = &state->batch;

	batch->nrows = 0;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(batch->context);
		state->nrow_pages = 0;

		if (state->in_group && state->in_rows &&
			step_row_page(state, forward))
		{
			if (load_row_pages(state, forward))
				break;
		}
		else if (state->in_group && !state->in_rows &&
				 step_vector(state, forward))
		{
			if (load_vector(state))
				break;
		}
		else if (!(state->in_group && step_segment(state, forward)) &&
				 !step_group(state, forward))
		{
			batch->nrows = 0;
			batch->current = -1;
			return false;
		}
	}

	batch->current = forward ? -1 : batch->nrows;
	return true;
}
