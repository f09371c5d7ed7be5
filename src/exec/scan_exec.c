/*
 * scan_exec.c
 *		Running a vectorised scan: batches in, rows out.
 *
 * Rows leave one by one, in the way of a sequential scan: the scan slot is a
 * virtual tuple of the table's row type with the row's TID, in which only
 * attributes that the plan reads are filled.  Where the target list is plain
 * columns, they go to the result slot at once, and the scan slot has only the
 * TID (which WHERE CURRENT OF reads).
 *
 * Nothing is read before the first row is asked for.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/load_buffer.h"
#include "access/parallel.h"
#include "access/sysattr.h"
#include "access/table_am.h"
#include "compat.h"
#include "exec/join_filter.h"
#include "exec/vector_source.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "optimizer/optimizer.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
#include "utils/rel.h"

static void vector_scan_begin(CustomScanState *node, EState *estate,
							  int eflags);
static TupleTableSlot *vector_scan_exec(CustomScanState *node);
static void vector_scan_end(CustomScanState *node);
static void vector_scan_rescan(CustomScanState *node);
static void vector_scan_shutdown(CustomScanState *node);

static const CustomExecMethods vector_scan_exec_methods = {
	.CustomName = VECTOR_SCAN_NAME,
	.BeginCustomScan = vector_scan_begin,
	.ExecCustomScan = vector_scan_exec,
	.EndCustomScan = vector_scan_end,
	.ReScanCustomScan = vector_scan_rescan,
	.EstimateDSMCustomScan = scan_parallel_estimate,
	.InitializeDSMCustomScan = scan_parallel_initialize,
	.ReInitializeDSMCustomScan = scan_parallel_reinitialize,
	.InitializeWorkerCustomScan = scan_parallel_initialize_worker,
	.ShutdownCustomScan = vector_scan_shutdown,
	.ExplainCustomScan = vector_scan_explain
};

Node *
vector_scan_create_state(CustomScan *plan)
{
	VectorScanState *state = palloc0(sizeof(VectorScanState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &vector_scan_exec_methods;
	state->group = -1;
	state->batch.current = -1;
	state->counters = &state->own_counters;
	return (Node *) state;
}

/* ---- start ---- */

/* Attributes that a list of expressions reads, dropped ones left out. */
static Bitmapset *
attributes_of(List *exprs, Index relid, TupleDesc desc)
{
	Bitmapset  *offsets = NULL;
	Bitmapset  *attnos = NULL;
	int			offset = -1;

	pull_varattnos((Node *) exprs, relid, &offsets);
	while ((offset = bms_next_member(offsets, offset)) >= 0)
	{
		int			attno = offset + FirstLowInvalidHeapAttributeNumber;

		if (attno > 0)
			attnos = bms_add_member(attnos, attno);
		else if (attno == 0)
		{
			/* the whole row */
			for (int i = 1; i <= desc->natts; i++)
				attnos = bms_add_member(attnos, i);
		}
	}
	for (int i = 1; i <= desc->natts; i++)
	{
		if (TupleDescAttr(desc, i - 1)->attisdropped)
			attnos = bms_del_member(attnos, i);
	}
	return attnos;
}

static void
init_columns(VectorScanState *state)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	Index		relid = plan->scan.scanrelid;
	TupleDesc	desc = RelationGetDescr(state->css.ss.ss_currentRelation);
	MemoryContext oldcontext;
	Bitmapset  *filters = bms_union(attributes_of(plan->custom_exprs, relid,
												  desc),
									join_filter_attributes(plan));
	Bitmapset  *quals = attributes_of(plan->scan.plan.qual, relid, desc);
	Bitmapset  *outputs = attributes_of(plan->scan.plan.targetlist, relid,
										desc);
	Bitmapset  *all = bms_union(bms_union(filters, quals), outputs);
	int			ncolumns = bms_num_members(all);
	int			attno = -1;

	state->columns = palloc0(sizeof(ScanColumn) * Max(ncolumns, 1));
	state->column_by_attno = palloc0(sizeof(ScanColumn *) * (desc->natts + 1));
	while ((attno = bms_next_member(all, attno)) >= 0)
	{
		ScanColumn *column = &state->columns[state->ncolumns++];

		column->attno = attno;
		column->is_filter = bms_is_member(attno, filters);
		column->is_qual = bms_is_member(attno, quals);
		column->is_output = bms_is_member(attno, outputs);
		oldcontext = MemoryContextSwitchTo(state->work);
		attribute_vector_init(&column->vector, desc, attno);
		MemoryContextSwitchTo(oldcontext);
		state->column_by_attno[attno] = column;
		state->max_attno = attno;
	}
}

static void
init_filters(VectorScanState *state)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	EState	   *estate = state->css.ss.ps.state;
	int			jit_flags = estate->es_jit_flags;
	ListCell   *lc;

	/* These seldom run: they are not worth being compiled. */
	estate->es_jit_flags = 0;
	state->filters = palloc0(sizeof(ColumnFilter) *
							 Max(list_length(plan->custom_exprs), 1));
	foreach(lc, plan->custom_exprs)
		column_filter_init(&state->filters[state->nfilters++], lfirst(lc),
						   plan->scan.scanrelid, &state->css.ss.ps);
	state->filter_qual = ExecInitQual(plan->custom_exprs, &state->css.ss.ps);
	estate->es_jit_flags = jit_flags;
}

/* Is every entry of the target list a column? */
static bool
is_plain_columns(List *tlist, Index relid)
{
	ListCell   *lc;

	foreach(lc, tlist)
	{
		Var		   *var = (Var *) lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(var, Var) || var->varno != relid || var->varattno <= 0)
			return false;
	}
	return true;
}

ScanOutput *
vector_scan_outputs(VectorScanState *state, List *exprs, int *noutputs)
{
	Index		relid = ((Scan *) state->css.ss.ps.plan)->scanrelid;
	TupleDesc	desc = RelationGetDescr(state->css.ss.ss_currentRelation);
	Bitmapset  *attnos = attributes_of(exprs, relid, desc);
	ScanOutput *outputs = palloc(sizeof(ScanOutput) * Max(state->ncolumns, 1));

	*noutputs = 0;
	for (int i = 0; i < state->ncolumns; i++)
	{
		ScanColumn *column = &state->columns[i];

		if (!bms_is_member(column->attno, attnos))
			continue;
		outputs[*noutputs].column = column;
		outputs[*noutputs].target = column->attno - 1;
		(*noutputs)++;
	}
	bms_free(attnos);
	return outputs;
}

/* The columns of the target list to where they are in it. */
static ScanOutput *
result_slot_outputs(VectorScanState *state, List *tlist, int *noutputs)
{
	int			length = list_length(tlist);
	ScanOutput *outputs = palloc(sizeof(ScanOutput) * Max(length, 1));
	ListCell   *lc;

	*noutputs = 0;
	foreach(lc, tlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);
		AttrNumber	attno = castNode(Var, entry->expr)->varattno;
		ScanOutput *output = &outputs[(*noutputs)++];

		output->column = state->column_by_attno[attno];
		output->target = entry->resno - 1;
		if (output->column == NULL)
			elog(ERROR, "attribute %d of a vectorised scan is dropped", attno);
	}
	return outputs;
}

static void
init_outputs(VectorScanState *state)
{
	Scan	   *plan = (Scan *) state->css.ss.ps.plan;
	List	   *tlist = plan->plan.targetlist;

	if (state->css.ss.ps.ps_ProjInfo == NULL)
		state->output_mode = OUTPUT_SCAN_SLOT;
	else if (is_plain_columns(tlist, plan->scanrelid))
		state->output_mode = OUTPUT_COLUMNS;
	else
		state->output_mode = OUTPUT_PROJECTION;

	state->uses_expressions = state->css.ss.ps.qual != NULL ||
		state->output_mode == OUTPUT_PROJECTION;

	state->qual_outputs = vector_scan_outputs(state, plan->plan.qual,
											  &state->nqual_outputs);
	if (state->output_mode == OUTPUT_COLUMNS)
		state->outputs = result_slot_outputs(state, tlist, &state->noutputs);
	else
		state->outputs = vector_scan_outputs(state, tlist, &state->noutputs);
}

static void
vector_scan_begin(CustomScanState *node, EState *estate, int eflags)
{
	VectorScanState *state = (VectorScanState *) node;
	Relation	rel = node->ss.ss_currentRelation;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	MemoryContext oldcontext;

	state->context = AllocSetContextCreate(CurrentMemoryContext,
										   "columnar vectorised scan",
										   ALLOCSET_START_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(state->context);
	Assert(relation_is_columnar(rel));
	state->work = AllocSetContextCreate(state->context, "columnar reading",
										ALLOCSET_START_SMALL_SIZES);
	state->keeps_work = (eflags & EXEC_FLAG_BACKWARD) != 0;
	init_columns(state);
	init_filters(state);
	init_outputs(state);
	join_filter_begin_scan(state);
	state->batch.context = AllocSetContextCreate(state->context,
												 "columnar batch",
												 ALLOCSET_START_SMALL_SIZES);
	state->row_context = AllocSetContextCreate(state->context, "columnar row",
											   ALLOCSET_START_SMALL_SIZES);
	vector_qual_init(state);
	MemoryContextSwitchTo(oldcontext);

	state->row_slot = ExecInitExtraTupleSlot(estate, RelationGetDescr(rel),
											 &TTSOpsHeapTuple);

	/* Attributes that nobody reads stay NULL. */
	memset(slot->tts_isnull, true,
		   sizeof(bool) * slot->tts_tupleDescriptor->natts);
	slot->tts_tableOid = RelationGetRelid(rel);
}

/* Make what reading takes. */
static void
make_work(VectorScanState *state)
{
	Relation	rel = state->css.ss.ss_currentRelation;
	MemoryContext oldcontext = MemoryContextSwitchTo(state->work);
	BufferAccessStrategy strategy = NULL;

	/* As for heap, a large table must not push all else out. */
	if (!RelationUsesLocalBuffers(rel) &&
		RelationGetNumberOfBlocks(rel) > NBuffers / 4)
		strategy = GetAccessStrategy(BAS_BULKREAD);
	state->scan = group_scan_create(rel, state->css.ss.ps.state->es_snapshot,
									strategy);
	for (int i = 0; i < state->ncolumns; i++)
	{
		ScanColumn *column = &state->columns[i];

		column->values = palloc0(sizeof(Datum) * VECTOR_ROWS);
		column->isnull = palloc0(sizeof(bool) * VECTOR_ROWS);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* Free it. */
static void
free_work(VectorScanState *state)
{
	BufferAccessStrategy strategy;

	if (state->scan == NULL)
		return;
	strategy = state->scan->strategy;
	group_scan_free(state->scan);
	if (strategy)
		FreeAccessStrategy(strategy);
	state->scan = NULL;

	for (int i = 0; i < state->ncolumns; i++)
	{
		attribute_vector_forget(&state->columns[i].vector);
		state->columns[i].values = NULL;
		state->columns[i].isnull = NULL;
	}
	memset(state->row_pages, 0, sizeof(state->row_pages));
	if (state->source)
		vector_source_forget(state);
	MemoryContextReset(state->work);
}

/* Open the table's contents at the first call, or the first after a rescan. */
static void
start_scan(VectorScanState *state)
{
	Relation	rel = state->css.ss.ss_currentRelation;
	Snapshot	snapshot = state->css.ss.ps.state->es_snapshot;

	load_buffer_flush_for(rel, snapshot);
	PredicateLockRelation(rel, snapshot);
	pgstat_count_heap_scan(rel);

	if (state->scan == NULL)
		make_work(state);
	state->ngroups = state->shared ? state->shared->ngroups :
		group_scan_ngroups(rel);
	state->group = state->is_backward && !state->shared ? state->ngroups : -1;
	state->is_started = true;
}

bool
vector_scan_next_batch(VectorScanState *state, bool forward)
{
	if (!state->is_started)
		start_scan(state);
	if (state->scan == NULL)
		return false;			/* has been at the end */
	if (scan_batch_next(state, forward))
		return true;

	/* Of many tables that are scanned in turn, one at a time takes memory. */
	if (!state->keeps_work)
		free_work(state);
	return false;
}

/* ---- rows ---- */

/*
 * Go to the next row in that direction; false at the end.
 */
static inline bool
next_row(VectorScanState *state, bool forward)
{
	ScanBatch  *batch = &state->batch;

	if (likely(forward))
	{
		if (likely(++batch->current < batch->nrows))
			return true;
	}
	else if (--batch->current >= 0)
		return true;

	if (!vector_scan_next_batch(state, forward))
		return false;
	batch->current = forward ? 0 : batch->nrows - 1;
	return true;
}

/* A value of the current row, which lives until the next row. */
static Datum
fetch_value(VectorScanState *state, ScanColumn *column, bool *isnull)
{
	ScanBatch  *batch = &state->batch;
	MemoryContext oldcontext = MemoryContextSwitchTo(state->row_context);
	Datum		value;

	state->uses_row_context = true;

	value = attribute_vector_datum(&column->vector, state->scan->reader,
								   batch->rows[batch->current], isnull);
	MemoryContextSwitchTo(oldcontext);
	return value;
}

static inline void
fill_slot(VectorScanState *state, TupleTableSlot *slot,
		  const ScanOutput *outputs, int noutputs)
{
	int			row = state->batch.current;

	for (int i = 0; i < noutputs; i++)
	{
		ScanColumn *column = outputs[i].column;
		int			target = outputs[i].target;

		if (unlikely(column->is_by_row))
			slot->tts_values[target] =
				fetch_value(state, column, &slot->tts_isnull[target]);
		else
		{
			slot->tts_values[target] = column->values[row];
			slot->tts_isnull[target] = column->isnull[row];
		}
	}
}

/* Fill the columns that rows need which passed the qual. */
static inline void
fill_outputs(VectorScanState *state, TupleTableSlot *slot)
{
	ScanBatch  *batch = &state->batch;

	if (state->noutputs == 0)
		return;
	if (!batch->has_output)
		scan_batch_fill_output(state);
	fill_slot(state, slot, state->outputs, state->noutputs);
}

/*
 * Make a virtual slot ready for another row's values; ExecClearTuple and
 * ExecStoreVirtualTuple in one, without their calls.
 */
static inline void
renew_slot(TupleTableSlot *slot)
{
	if (unlikely(TTS_SHOULDFREE(slot)))
		ExecClearTuple(slot);
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
}

/* Make the scan slot the current row's, without its columns. */
static inline void
store_row(VectorScanState *state, TupleTableSlot *slot)
{
	ScanBatch  *batch = &state->batch;

	if (unlikely(state->uses_row_context))
	{
		MemoryContextReset(state->row_context);
		state->uses_row_context = false;
	}
	renew_slot(slot);
	row_number_to_tid(batch->first + batch->rows[batch->current],
					  &slot->tts_tid);
}

/* Does the current row pass the qual?  Fills what it reads. */
static inline bool
passes_qual(VectorScanState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	/* A row may take long. */
	CHECK_FOR_INTERRUPTS();
	fill_slot(state, slot, state->row_outputs, state->nrow_outputs);
	econtext->ecxt_scantuple = slot;
	state->ntested++;
	if (ExecQual(state->row_qual, econtext))
	{
		state->npassed++;
		return true;
	}
	InstrCountFiltered1(&state->css, 1);
	ResetExprContext(econtext);
	return false;
}

bool
vector_scan_row_passes(VectorScanState *state, int row)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	/* What the row before has left behind, if it passed. */
	ResetExprContext(state->css.ss.ps.ps_ExprContext);
	state->batch.current = row;
	store_row(state, slot);
	return passes_qual(state, slot);
}

/* Give the row that passed the form in which it leaves. */
static inline TupleTableSlot *
emit_row(VectorScanState *state, TupleTableSlot *slot)
{
	ScanState  *node = &state->css.ss;
	TupleTableSlot *result;

	switch (state->output_mode)
	{
		case OUTPUT_COLUMNS:
			result = node->ps.ps_ResultTupleSlot;
			renew_slot(result);
			fill_outputs(state, result);
			return result;
		case OUTPUT_PROJECTION:
			fill_outputs(state, slot);
			node->ps.ps_ExprContext->ecxt_scantuple = slot;
			return ExecProject(node->ps.ps_ProjInfo);
		case OUTPUT_SCAN_SLOT:
			break;
	}
	fill_outputs(state, slot);
	return slot;
}

/* What a scan returns behind its last row. */
static TupleTableSlot *
emit_end(VectorScanState *state)
{
	ScanState  *node = &state->css.ss;

	ExecClearTuple(node->ss_ScanTupleSlot);
	if (state->output_mode == OUTPUT_SCAN_SLOT)
		return node->ss_ScanTupleSlot;
	return ExecClearTuple(node->ps.ps_ResultTupleSlot);
}

/* ---- EvalPlanQual ---- */

/*
 * The row that EvalPlanQual wants to be looked at in place of the table's, or
 * NULL if there is none (left).  *is_given is false if it wants the table to
 * be scanned.
 */
static TupleTableSlot *
epq_row(VectorScanState *state, bool *is_given)
{
	EState	   *estate = state->css.ss.ps.state;
	Relation	rel = state->css.ss.ss_currentRelation;
	EPQState   *epqstate = estate->es_epq_active;
	Index		scanrelid = ((Scan *) state->css.ss.ps.plan)->scanrelid;
	TupleTableSlot *slot = epqstate->relsubs_slot[scanrelid - 1];

	*is_given = true;
	if (epqstate->relsubs_done[scanrelid - 1])
		return NULL;
	if (slot == NULL && epqstate->relsubs_rowmark[scanrelid - 1] == NULL)
	{
		*is_given = false;
		return NULL;
	}

	epqstate->relsubs_done[scanrelid - 1] = true;
	if (slot == NULL)
	{
		if (state->epq_slot == NULL)
			state->epq_slot = table_slot_create(rel, &estate->es_tupleTable);
		slot = state->epq_slot;
		if (!EvalPlanQualFetchRowMark(epqstate, scanrelid, slot))
			return NULL;
	}
	return TupIsNull(slot) ? NULL : slot;
}

/*
 * Bring a row to the scan slot, for which the node's expressions were made;
 * false if the filters reject it.
 */
static bool
epq_store_row(VectorScanState *state, TupleTableSlot *source)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	ExecClearTuple(slot);
	for (int i = 0; i < state->ncolumns; i++)
	{
		int			attno = state->columns[i].attno;

		slot->tts_values[attno - 1] =
			slot_getattr(source, attno, &slot->tts_isnull[attno - 1]);
	}
	ExecStoreVirtualTuple(slot);
	slot->tts_tid = source->tts_tid;
	econtext->ecxt_scantuple = slot;
	return ExecQual(state->filter_qual, econtext);
}

/* The table's next row that passes the filters, whole in the scan slot. */
static bool
epq_next_row(VectorScanState *state)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	if (!next_row(state, true))
		return false;

	store_row(state, slot);
	if (!state->batch.has_output)
		scan_batch_fill_output(state);
	for (int i = 0; i < state->ncolumns; i++)
	{
		ScanOutput	output = {&state->columns[i], state->columns[i].attno - 1};

		if (output.column->is_qual || output.column->is_output)
			fill_slot(state, slot, &output, 1);
	}
	state->css.ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return true;
}

/* ExecScan, with a scan slot that is not the table's kind of slot. */
static TupleTableSlot *
epq_exec(VectorScanState *state)
{
	ScanState  *node = &state->css.ss;
	ExprContext *econtext = node->ps.ps_ExprContext;

	for (;;)
	{
		bool		is_given;
		TupleTableSlot *source = epq_row(state, &is_given);

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		if (is_given ? source == NULL : !epq_next_row(state))
			return emit_end(state);
		if (is_given && !epq_store_row(state, source))
			continue;
		if (!ExecQual(node->ps.qual, econtext))
			continue;
		return node->ps.ps_ProjInfo ? ExecProject(node->ps.ps_ProjInfo) :
			node->ss_ScanTupleSlot;
	}
}

static TupleTableSlot *
vector_scan_exec(CustomScanState *node)
{
	VectorScanState *state = (VectorScanState *) node;
	EState	   *estate = node->ss.ps.state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	bool		forward = ScanDirectionIsForward(estate->es_direction);

	if (unlikely(estate->es_epq_active != NULL))
		return epq_exec(state);

	/* Only the qual and a projection leave something behind. */
	if (state->uses_expressions)
		ResetExprContext(node->ss.ps.ps_ExprContext);
	do
	{
		if (!next_row(state, forward))
			return emit_end(state);
		store_row(state, slot);
	} while (state->row_qual != NULL && !passes_qual(state, slot));

	return emit_row(state, slot);
}

/* ---- end ---- */

/*
 * The leader's shared memory is about to go away, and with it the groups that
 * others have scanned: only a rescan comes after this.
 */
static void
vector_scan_shutdown(CustomScanState *node)
{
	VectorScanState *state = (VectorScanState *) node;

	if (!IsParallelWorker())
		state->shared = NULL;
}

static void
vector_scan_rescan(CustomScanState *node)
{
	VectorScanState *state = (VectorScanState *) node;

	ExecScanReScan(&node->ss);
	for (int i = 0; i < state->nfilters; i++)
		column_filter_reset(&state->filters[i]);
	vector_qual_reset(state);
	if (state->join_filters)
		join_filter_rescan_scan(state->join_filters);
	state->is_started = false;
	state->keeps_work = true;
	state->in_group = false;
	state->batch.nrows = 0;
	state->batch.current = -1;
	MemoryContextReset(state->batch.context);
}

static void
vector_scan_end(CustomScanState *node)
{
	VectorScanState *state = (VectorScanState *) node;

	free_work(state);
}
