/*
 * agg_exec.c
 *		Running a vectorised aggregation.
 *
 * The first call reads all batches of the scan below: each row is given the
 * number of its group, and every aggregate adds the batch's rows to the states
 * of their groups.  Then groups are emitted in the order in which they came.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"
#include "utils/rel.h"

static void vector_agg_begin(CustomScanState *node, EState *estate,
							 int eflags);
static TupleTableSlot *vector_agg_exec(CustomScanState *node);
static void vector_agg_end(CustomScanState *node);
static void vector_agg_rescan(CustomScanState *node);

static const CustomExecMethods vector_agg_exec_methods = {
	.CustomName = VECTOR_AGG_NAME,
	.BeginCustomScan = vector_agg_begin,
	.ExecCustomScan = vector_agg_exec,
	.EndCustomScan = vector_agg_end,
	.ReScanCustomScan = vector_agg_rescan,
	.EstimateDSMCustomScan = agg_exchange_estimate,
	.InitializeDSMCustomScan = agg_exchange_initialize,
	.ReInitializeDSMCustomScan = agg_exchange_reinitialize,
	.InitializeWorkerCustomScan = agg_exchange_initialize_worker,
	.ShutdownCustomScan = agg_exchange_shutdown,
	.ExplainCustomScan = vector_agg_explain
};

Node *
vector_agg_create_state(CustomScan *plan)
{
	VectorAggState *state = (VectorAggState *)
		newNode(sizeof(VectorAggState), T_CustomScanState);

	state->css.methods = &vector_agg_exec_methods;
	return (Node *) state;
}

/* ---- begin ---- */

static Node *
resolve_mutator(Node *node, CustomScan *plan)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
	{
		TargetEntry *entry = list_nth_node(TargetEntry,
										   plan->custom_scan_tlist,
										   ((Var *) node)->varattno - 1);

		return (Node *) copyObject(entry->expr);
	}
	return expression_tree_mutator(node, resolve_mutator, plan);
}

Node *
vector_agg_resolve(Node *node, CustomScan *plan)
{
	return resolve_mutator(node, plan);
}

/* The next of the plan's expressions, with columns resolved. */
static Expr *
next_expression(CustomScan *plan, int *position)
{
	Node	   *expr = list_nth(plan->custom_exprs, (*position)++);

	return (Expr *) vector_agg_resolve(expr, plan);
}

static void
init_keys(VectorAggState *state, CustomScan *plan, int *position)
{
	List	   *operators = list_nth(plan->custom_private,
									 AGG_PRIVATE_OPERATORS);
	List	   *exprs = NIL;

	for (int i = 0; i < list_length(operators); i++)
		exprs = lappend(exprs, next_expression(plan, position));
	agg_keys_init(state, exprs, operators);
}

/* Values that an aggregate with DISTINCT sees for the first time. */
static void
take_distinct(void *argument, const Vector *value, const uint64 *mask,
			  const uint32 *groups)
{
	AggColumn  *column = argument;

	vector_aggregate_update(column->aggregate, value, mask, groups);
}

static void
init_distinct(VectorAggState *state, AggColumn *column)
{
	SortGroupClause *clause = linitial_node(SortGroupClause,
											column->aggref->aggdistinct);
	Expr	   *source = column->argument->source;
	GroupKey	key;

	key.type = exprType((Node *) source);
	key.typmod = exprTypmod((Node *) source);
	key.collation = exprCollation((Node *) source);
	key.equality = clause->eqop;
	column->distinct = distinct_set_create(&key, state->nkeys > 0,
										   take_distinct, column);
}

/* Sum a column in place of the column plus a constant. */
static void
init_shift(VectorAggState *state, AggColumn *column, Expr *source)
{
	Expr	   *base = agg_shift_match(column->aggref, source, &column->shift);
	AggColumn  *other;

	if (base == NULL)
		return;
	column->argument = agg_input_find(state, base, column->filter, false);
	other = agg_shift_find(state, column);
	if (other)
	{
		column->aggregate = other->aggregate;
		column->is_shared = true;
	}
	column->checked = agg_input_find(state, source, column->filter, false);
}

static void
init_columns(VectorAggState *state, CustomScan *plan, int *position)
{
	int			nentries = list_length(plan->custom_scan_tlist);

	state->columns = palloc0(sizeof(AggColumn) * nentries);
	for (int i = state->nkeys; i < nentries; i++)
	{
		TargetEntry *entry = list_nth_node(TargetEntry,
										   plan->custom_scan_tlist, i);
		AggColumn  *column = &state->columns[state->ncolumns];
		Aggref	   *aggref = (Aggref *) entry->expr;
		Expr	   *source = NULL;

		if (!IsA(aggref, Aggref))
			break;
		column->aggref = aggref;
		if (aggref->args != NIL)
			source = next_expression(plan, position);
		if (aggref->aggfilter != NULL)
			column->filter = agg_filter_find(state,
											 next_expression(plan, position));
		if (source)
			init_shift(state, column, source);
		if (source && column->checked == NULL)
			column->argument = agg_input_find(state, source, column->filter,
											  aggref->aggdistinct != NIL);
		if (!column->is_shared)
			column->aggregate =
				vector_aggregate_create(vector_agg_without_distinct(aggref));
		if (aggref->aggdistinct != NIL)
			init_distinct(state, column);
		state->ncolumns++;
	}
}

static void
init_topn(VectorAggState *state, CustomScan *plan, int position)
{
	List	   *wish = list_nth(plan->custom_private, AGG_PRIVATE_TOPN);

	state->ninputs = position;
	state->max_groups = PG_UINT32_MAX;
	if (wish == NIL)
		return;
	state->topn = agg_topn_create(state, wish,
								  list_copy_tail(plan->custom_exprs,
												 position));
	state->max_groups = agg_topn_first_groups(state->topn);
}

/* ---- answers from metadata ---- */

/* Could all aggregates be answered from what segments say of columns? */
static bool
may_take_segments(const VectorAggState *state)
{
	if (state->nkeys > 0)
		return false;
	for (int i = 0; i < state->ncolumns; i++)
	{
		const AggColumn *column = &state->columns[i];

		if (column->filter != NULL || column->distinct != NULL ||
			(column->argument != NULL && column->argument->attno <= 0))
			return false;
	}
	return true;
}

/*
 * The entry of an aggregate's column (NULL: it has none), or false if it was
 * added after the segment was written.
 */
static bool
find_entry(VectorAggState *state, const AggColumn *column,
		   SegmentReader *reader, const AttributeEntry **entry,
		   Form_pg_attribute *attr)
{
	TupleDesc	desc = state->expressions.slot->tts_tupleDescriptor;

	*entry = NULL;
	*attr = NULL;
	if (column->argument == NULL)
		return true;
	*attr = TupleDescAttr(desc, column->argument->attno - 1);
	*entry = segment_reader_attribute(reader, column->argument->attno);
	return *entry != NULL && (*entry)->kind != 0;
}

static bool
take_segment(void *argument, SegmentReader *reader, const SegmentData *segment)
{
	VectorAggState *state = argument;
	const AttributeEntry *entry;
	Form_pg_attribute attr;

	for (int i = 0; i < state->ncolumns; i++)
	{
		const AggColumn *column = &state->columns[i];

		if (!find_entry(state, column, reader, &entry, &attr) ||
			!vector_aggregate_knows_segment(column->aggregate, entry, attr) ||
			(column->checked &&
			 !agg_shift_knows_segment(&column->shift, entry)))
			return false;
	}
	for (int i = 0; i < state->ncolumns; i++)
	{
		const AggColumn *column = &state->columns[i];

		if (column->is_shared)
			continue;
		find_entry(state, column, reader, &entry, &attr);
		vector_aggregate_add_segment(column->aggregate, entry, attr,
									 segment->nslots);
	}
	state->nsegments_known++;
	return true;
}

/*
 * A slot for the node's rows.  It lives as long as the query, which lets go of
 * it after the node, not as the node's memory.
 */
TupleTableSlot *
vector_agg_init_slot(VectorAggState *state, const TupleTableSlotOps *ops)
{
	EState	   *estate = state->css.ss.ps.state;
	TupleDesc	desc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext oldcontext = MemoryContextSwitchTo(estate->es_query_cxt);
	TupleTableSlot *slot = ExecInitExtraTupleSlot(estate, desc, ops);

	MemoryContextSwitchTo(oldcontext);
	return slot;
}

static void
vector_agg_begin(CustomScanState *node, EState *estate, int eflags)
{
	VectorAggState *state = (VectorAggState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	PlanState  *child;
	TupleDesc	desc;
	MemoryContext oldcontext;
	int			position = 0;

	child = ExecInitNode(linitial(plan->custom_plans), estate, eflags);
	node->custom_ps = list_make1(child);
	state->scan = (VectorScanState *) child;
	desc = RelationGetDescr(state->scan->css.ss.ss_currentRelation);

	state->context = AllocSetContextCreate(CurrentMemoryContext,
										   "columnar vectorised aggregation",
										   ALLOCSET_START_SMALL_SIZES);
	state->expressions.parent = &node->ss.ps;
	state->expressions.econtext = CreateExprContext(estate);
	state->expressions.scan = state->scan;
	state->expressions.varno = ((Scan *) child->plan)->scanrelid;
	state->expressions.slot = ExecInitExtraTupleSlot(estate, desc,
													 &TTSOpsVirtual);
	state->expressions.batch_context =
		AllocSetContextCreate(state->context, "columnar batch",
							  ALLOCSET_START_SMALL_SIZES);

	oldcontext = MemoryContextSwitchTo(state->context);
	init_keys(state, plan, &position);
	init_columns(state, plan, &position);
	init_topn(state, plan, position);
	state->passes = agg_passes_create();
	vector_source_begin(state->scan,
						may_take_segments(state) ? take_segment : NULL,
						state);
	MemoryContextSwitchTo(oldcontext);

	/* Columns, which are there for the planner, stay NULL. */
	memset(slot->tts_isnull, true,
		   sizeof(bool) * slot->tts_tupleDescriptor->natts);
}

/* ---- reading ---- */

/* Do groups and their states take more than they may? */
static bool
memory_is_full(VectorAggState *state)
{
	Size		memory = 0;

	if (state->table)
		memory += group_table_memory(state->table);
	for (int i = 0; i < state->ncolumns; i++)
	{
		if (!state->columns[i].is_shared)
			memory += vector_aggregate_memory(state->columns[i].aggregate);
		if (state->columns[i].distinct)
			memory += distinct_set_memory(state->columns[i].distinct);
	}
	return memory > get_hash_memory_limit();
}

/* Are there as many groups as are wanted? */
static bool
are_enough(const VectorAggState *state)
{
	return state->ngroups >= state->max_groups;
}

/*
 * Give the batch's rows their groups.  Rows that find no room are taken out of
 * mask.
 */
static void
find_groups(VectorAggState *state, const VectorBatch *batch, uint64 *mask,
			uint32 *groups, uint64 *rejected, uint64 *hashes)
{
	for (int i = 0; i < state->ntable_keys; i++)
		state->key_values[i] = agg_input_value(state->keys[i], batch);
	group_table_find(state->table, state->key_values, batch->mask,
					 !state->is_closed, groups, rejected, hashes);
	if (state->is_closed)
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			mask[w] &= ~rejected[w];
	}
	state->ngroups = group_table_count(state->table);
	for (int i = 0; i < state->ncolumns; i++)
		vector_aggregate_grow(state->columns[i].aggregate, state->ngroups);
}

/*
 * Add all rows of the batch to an aggregate of a plain column without groups,
 * if that can be done without decoding the column.
 */
static bool
add_whole(VectorAggState *state, AggColumn *column, const VectorBatch *batch)
{
	AttrNumber	attno = column->argument ? column->argument->attno : 0;
	int64		sum;
	int64		min;
	int64		max;
	uint8		scale;

	if (attno <= 0 || column->filter || column->distinct || column->checked)
		return false;
	if (vector_aggregate_takes_sums(column->aggregate))
	{
		if (!vector_source_sum(state->scan, batch, attno, &sum, &scale))
			return false;
		vector_aggregate_add_sum(column->aggregate, sum, batch->nrows, scale);
		return true;
	}
	if (!vector_aggregate_takes_extremes(column->aggregate) ||
		!vector_source_extremes(state->scan, batch, attno, &min, &max))
		return false;
	vector_aggregate_add_extremes(column->aggregate, min, max);
	return true;
}

/* Add the rows of mask, a part of the batch's, to an aggregate. */
static void
update_column(VectorAggState *state, AggColumn *column,
			  const VectorBatch *batch, const uint64 *mask,
			  const uint32 *groups)
{
	const Vector *value = NULL;
	uint64		filtered[VECTOR_WORDS];

	if (groups == NULL && add_whole(state, column, batch))
		return;
	if (column->filter != NULL)
	{
		const uint64 *passed = agg_filter_mask(column->filter, batch);

		for (int w = 0; w < VECTOR_WORDS; w++)
			filtered[w] = mask[w] & passed[w];
		mask = filtered;
	}
	if (vector_mask_is_empty(mask))
		return;
	if (column->argument != NULL)
		value = agg_input_value(column->argument, batch);
	if (column->checked != NULL && !agg_shift_is_safe(&column->shift, value))
		agg_input_value(column->checked, batch);	/* for its errors */
	if (column->is_shared)
		return;
	if (column->distinct != NULL)
		distinct_set_add(column->distinct, value, mask, groups,
						 !state->is_full);
	else
		vector_aggregate_update(column->aggregate, value, mask, groups);
}

static void
add_batch(VectorAggState *state, const VectorBatch *batch)
{
	uint32		groups[VECTOR_LENGTH];
	uint64		hashes[VECTOR_LENGTH];
	uint64		mask[VECTOR_WORDS];
	uint64		rejected[VECTOR_WORDS];

	memcpy(mask, batch->mask, sizeof(mask));
	if (state->table != NULL)
		find_groups(state, batch, mask, groups, rejected, hashes);
	for (int i = 0; i < state->ncolumns; i++)
		update_column(state, &state->columns[i], batch, mask,
					  state->table ? groups : NULL);
	if (state->is_closed && !are_enough(state) &&
		!vector_mask_is_empty(rejected))
		agg_passes_write(state, batch, rejected, hashes);
}

/* Start a pass with no groups, or the one that is always there. */
static void
start_groups(VectorAggState *state)
{
	state->is_full = false;
	state->is_closed = false;
	state->ngroups = state->table ? 0 : 1;
	if (state->table)
		group_table_reset(state->table);
	for (int i = 0; i < state->ncolumns; i++)
	{
		vector_aggregate_reset(state->columns[i].aggregate);
		vector_aggregate_grow(state->columns[i].aggregate, state->ngroups);
		if (state->columns[i].distinct)
			distinct_set_reset(state->columns[i].distinct);
	}
}

/* See whether there may be more groups. */
static void
close_groups(VectorAggState *state)
{
	if (!state->is_full && memory_is_full(state))
		state->is_full = state->ngroups > 0 && agg_passes_may_write(state);
	state->is_closed = state->table != NULL &&
		(state->is_full || are_enough(state));
}

/* Read the batches of a pass. */
static void
read_pass(VectorAggState *state)
{
	const VectorBatch *batch;

	while ((batch = agg_passes_next_batch(state)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->expressions.batch_context);
		close_groups(state);
		if (are_enough(state) && state->ncolumns == 0)
			break;
		add_batch(state, batch);
	}
	MemoryContextReset(state->expressions.batch_context);
	for (int i = 0; i < state->ncolumns; i++)
	{
		if (state->columns[i].distinct)
			distinct_set_finish(state->columns[i].distinct,
								get_hash_memory_limit());
	}
	agg_passes_end(state);
}

void
vector_agg_build(VectorAggState *state)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

	start_groups(state);
	read_pass(state);

	/* Partitions of a single group are all added to it. */
	if (state->table == NULL && agg_exchange_has_partitions(state))
	{
		while (agg_passes_start_next(state))
			read_pass(state);
		if (!agg_exchange_merge(state))
			state->ngroups = 0;
	}
	MemoryContextSwitchTo(oldcontext);
	state->next_group = 0;
	state->is_built = true;
}

/* Have a group to emit; false if there are no more. */
static bool
have_group(VectorAggState *state)
{
	if (!state->is_built)
		vector_agg_build(state);
	while (state->next_group >= state->ngroups)
	{
		if (!agg_passes_start_next(state))
			return false;
		vector_agg_build(state);
	}
	return true;
}

/* ---- groups out ---- */

Datum
vector_agg_group_value(VectorAggState *state, uint32 group, int column,
					   bool *isnull)
{
	const AggColumn *aggregated;

	if (column < state->nkeys)
		return agg_key_value(state, group, column, isnull);
	aggregated = &state->columns[column - state->nkeys];
	if (aggregated->checked)
		return vector_aggregate_shifted_sum(aggregated->aggregate, group,
											aggregated->shift.offset, isnull);
	return vector_aggregate_result(aggregated->aggregate, group, isnull);
}

void
vector_agg_store_group(VectorAggState *state, TupleTableSlot *slot,
					   uint32 group)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext oldcontext =
		MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);

	ExecClearTuple(slot);
	for (int i = 0; i < state->nkeys + state->ncolumns; i++)
		slot->tts_values[i] = vector_agg_group_value(state, group, i,
													 &slot->tts_isnull[i]);
	ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(oldcontext);
}

/* Put the next group that passes HAVING in the slot; false at the end. */
static bool
next_group(VectorAggState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	while (have_group(state))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		vector_agg_store_group(state, slot, state->next_group++);
		econtext->ecxt_scantuple = slot;
		if (ExecQual(state->css.ss.ps.qual, econtext))
			return true;
		InstrCountFiltered1(state, 1);
	}
	return false;
}

static TupleTableSlot *
vector_agg_exec(CustomScanState *node)
{
	VectorAggState *state = (VectorAggState *) node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	bool		is_sorted = state->topn && agg_topn_sorts(state->topn);

	if (!(is_sorted ? agg_topn_next(state, slot) : next_group(state, slot)))
		return ExecClearTuple(node->ss.ps.ps_ProjInfo ?
							  node->ss.ps.ps_ResultTupleSlot : slot);
	econtext->ecxt_scantuple = slot;
	return node->ss.ps.ps_ProjInfo ? ExecProject(node->ss.ps.ps_ProjInfo) :
		slot;
}

/* ---- end ---- */

/*
 * Groups that no changed parameter has gone into are emitted once more.
 */
static void
vector_agg_rescan(CustomScanState *node)
{
	VectorAggState *state = (VectorAggState *) node;
	PlanState  *child = linitial(node->custom_ps);

	ExecScanReScan(&node->ss);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (state->is_built && !agg_passes_were_several(state) &&
		node->ss.ps.chgParam == NULL && child->chgParam == NULL &&
		!child->plan->parallel_aware)
	{
		state->next_group = 0;
		if (state->topn)
			agg_topn_rescan(state->topn);
		return;
	}

	if (child->chgParam == NULL)
		ExecReScan(child);
	agg_inputs_reset(state);
	agg_passes_reset(state);
	if (state->topn)
		agg_topn_reset(state->topn);
	start_groups(state);
	state->is_built = false;
	state->next_group = 0;
}

static void
vector_agg_end(CustomScanState *node)
{
	VectorAggState *state = (VectorAggState *) node;

	agg_passes_reset(state);
	for (int i = 0; i < state->ncolumns; i++)
	{
		if (state->columns[i].distinct)
			distinct_set_reset(state->columns[i].distinct);
	}
	ExecEndNode(linitial(node->custom_ps));
	MemoryContextDelete(state->context);
}
