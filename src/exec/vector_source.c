/*
 * vector_source.c
 *		Batches of a ColumnarVectorScan for a vectorised node above it.
 *
 * A batch is a batch of the scan: what filters and qual leave of a vector, whose
 * rows keep their positions as slots unless few are left; or the rows of some
 * row pages, whose slots follow each other.  vector_source_column.c makes their
 * columns.
 */
#include "postgres.h"

#include <math.h>

#include "access/attribute_kind.h"
#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/byteorder.h"
#include "exec/vector_source_column.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* A vector is compacted if at most one in so many of its slots has a row. */
#define COMPACT_RATIO	8

uint64
vector_source_new_serial(void)
{
	static uint64 last_serial = 0;

	return ++last_serial;
}

void
vector_source_init(VectorScanState *scan)
{
	VectorSource *source;
	int			natts = RelationGetNumberOfAttributes(scan->css.ss.ss_currentRelation);

	if (scan->source)
		return;
	source = MemoryContextAllocZero(scan->context, sizeof(VectorSource));
	source->context = scan->work;
	source->columns = MemoryContextAllocZero(scan->context,
											 sizeof(SourceColumn *) * (natts + 1));
	for (int i = 0; i < scan->ncolumns; i++)
	{
		SourceColumn *column = MemoryContextAllocZero(scan->context,
													  sizeof(SourceColumn));

		column->column = &scan->columns[i];
		column->attr = column->column->vector.attr;
		column->form = vector_form_of_type(column->attr->atttypid,
										   column->attr->atttypmod,
										   column->attr->attcollation);
		column->value_class = attribute_class(column->attr);
		column->is_string = !column->attr->attbyval;
		source->columns[column->column->attno] = column;
	}
	scan->source = source;
}

void
vector_source_begin(VectorScanState *scan, VectorSegmentTaker taker,
					void *argument)
{
	vector_source_init(scan);
	scan->taker = taker;
	scan->taker_argument = argument;
	scan->by_batches = true;
	vector_qual_init(scan);
}

void
vector_source_forget(VectorScanState *scan)
{
	for (int i = 0; i < scan->ncolumns; i++)
	{
		SourceColumn *column =
			scan->source->columns[scan->columns[i].attno];

		column->serial = 0;
		column->segment_serial = 0;
		column->has_dictionary = false;
		column->null_buffer = NULL;
		column->integer_buffer = NULL;
		column->bit_buffer = NULL;
		column->string_buffer = NULL;
		column->datum_buffer = NULL;
		column->isnull_buffer = NULL;
		column->code_buffer = NULL;
		column->length_buffer = NULL;
		column->entry_buffer = NULL;
		column->max_entries = 0;
	}
}

/* ---- instrumentation ---- */

bool
vector_source_start_clock(VectorScanState *scan)
{
	/* When rows are asked for, ExecProcNode has started it. */
	if (scan->css.ss.ps.instrument == NULL || !scan->by_batches ||
		scan->source->is_timed)
		return false;
	scan->source->is_timed = true;
	InstrStartNode(scan->css.ss.ps.instrument);
	return true;
}

void
vector_source_stop_clock(VectorScanState *scan, bool is_started, int nrows)
{
	if (!is_started)
		return;
	InstrStopNode(scan->css.ss.ps.instrument, nrows);
	scan->source->is_timed = false;
}

/* ---- batches ---- */

/* Move the batch's row i to n in the columns of a batch of row pages. */
static void
move_row(VectorScanState *scan, int i, int n)
{
	for (int c = 0; c < scan->ncolumns; c++)
	{
		ScanColumn *column = &scan->columns[c];

		column->values[n] = column->values[i];
		column->isnull[n] = column->isnull[i];
	}
}

/* Keep the batch's rows that pass what is left of the qual. */
static void
apply_qual(VectorScanState *scan)
{
	ScanBatch  *batch = &scan->batch;
	int			n = 0;

	scan_batch_list_rows(batch);
	for (int i = 0; i < batch->nrows; i++)
	{
		if (!vector_scan_row_passes(scan, i))
			continue;
		if (n < i && !batch->is_vector)
			move_row(scan, i, n);
		batch->rows[n++] = batch->rows[i];
	}
	if (n < batch->nrows && batch->is_vector)
	{
		memset(batch->mask, 0, sizeof(batch->mask));
		for (int i = 0; i < n; i++)
			vector_set_bit(batch->mask, batch->rows[i]);
	}
	if (n < batch->nrows)
		scan->source->is_current = false;
	batch->nrows = n;
}

/* One more than the last row of a mask that has one. */
static int
mask_end(const uint64 *mask)
{
	int			word = VECTOR_WORDS - 1;

	while (mask[word] == 0)
		word--;
	return word * 64 + pg_leftmost_one_pos64(mask[word]) + 1;
}

const VectorBatch *
vector_source_set_batch(VectorScanState *scan)
{
	VectorSource *source = scan->source;
	ScanBatch  *rows = &scan->batch;
	VectorBatch *batch = &source->batch;

	source->is_vector = rows->is_vector;
	source->is_current = true;
	source->rows = NULL;
	batch->serial = vector_source_new_serial();
	batch->nrows = rows->nrows;
	batch->nslots = rows->nrows;
	if (rows->is_vector)
	{
		int			nslots = mask_end(rows->mask);

		if (rows->nrows > nslots / COMPACT_RATIO)
		{
			batch->nslots = nslots;
			memcpy(batch->mask, rows->mask, sizeof(batch->mask));
			return batch;
		}
		scan_batch_list_rows(rows);
		memcpy(source->positions, rows->rows, sizeof(uint16) * rows->nrows);
		source->rows = source->positions;
	}
	vector_mask_fill(batch->mask, batch->nrows);
	return batch;
}

/* Keep rows of row pages, or of a vector, in the scan's batch. */
static void
keep_rows(VectorScanState *scan, const uint64 *mask)
{
	VectorSource *source = scan->source;
	ScanBatch  *batch = &scan->batch;
	int			n = 0;

	if (source->is_vector && source->rows == NULL)
	{
		memcpy(batch->mask, mask, sizeof(batch->mask));
		batch->nrows = vector_mask_count(mask);
		batch->has_rows = false;
		if (!scan->by_batches)
			scan_batch_list_rows(batch);
		return;
	}
	VECTOR_FOR_EACH(slot, mask)
	{
		if (!source->is_vector)
		{
			move_row(scan, slot, n);
			batch->rows[n++] = batch->rows[slot];
		}
		else
			batch->rows[n++] = source->rows[slot];
	}
	batch->nrows = n;
	batch->has_rows = true;
	if (!source->is_vector)
		return;
	memset(batch->mask, 0, sizeof(batch->mask));
	for (int i = 0; i < n; i++)
		vector_set_bit(batch->mask, batch->rows[i]);
}

/*
 * As long as most slots have rows, columns that have been made stay good.
 */
void
vector_source_keep(VectorScanState *scan, const uint64 *mask)
{
	VectorSource *source = scan->source;
	VectorBatch *batch = &source->batch;
	int			n = vector_mask_count(mask);

	Assert(source->is_current);
	if (n == batch->nrows)
		return;
	keep_rows(scan, mask);
	if (!source->is_vector || n <= batch->nslots / COMPACT_RATIO)
	{
		source->is_current = false;
		return;
	}
	batch->nrows = n;
	memcpy(batch->mask, mask, sizeof(batch->mask));
}

void
vector_source_set_skipper(VectorScanState *scan, VectorSegmentSkipper skipper,
						  VectorSkipper vector_skipper, void *argument)
{
	scan->skipper = skipper;
	scan->vector_skipper = vector_skipper;
	scan->skipper_argument = argument;
}

void
vector_source_set_backward(VectorScanState *scan)
{
	scan->is_backward = true;
}

static bool
next_batch(VectorScanState *scan)
{
	bool		forward = !scan->is_backward || scan->shared != NULL;

	while (vector_scan_next_batch(scan, forward))
	{
		if (scan->qual == NULL)
			scan->source->is_current = false;
		if (scan->row_qual != NULL)
			apply_qual(scan);
		if (scan->batch.nrows > 0)
		{
			if (!scan->source->is_current)
				(void) vector_source_set_batch(scan);
			return true;
		}
	}
	return false;
}

const VectorBatch *
vector_source_next(VectorScanState *scan)
{
	bool		is_started;
	bool		found;

	/*
	 * EvalPlanQual runs subplans, too, but asks of no table below them to give
	 * a row of its choice.
	 */
	Assert(scan->source && scan->by_batches);
	if (scan->css.ss.ps.chgParam != NULL)
		ExecReScan(&scan->css.ss.ps);

	is_started = vector_source_start_clock(scan);
	found = next_batch(scan);
	vector_source_stop_clock(scan, is_started, found ? scan->source->batch.nrows : 0);
	return found ? &scan->source->batch : NULL;
}

RowNumber
vector_source_row(VectorScanState *scan, int slot)
{
	const ScanBatch *batch = &scan->batch;
	const uint16 *rows = scan->source->rows;

	if (!batch->is_vector)
		return batch->first + batch->rows[slot];
	/* the scan's batch has lost the rows that the qual removed: slots have not */
	return batch->first + (rows ? rows[slot] : slot);
}
