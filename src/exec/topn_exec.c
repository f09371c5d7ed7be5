/*
 * topn_exec.c
 *		Running a vectorised ORDER BY ... LIMIT over rows.
 *
 * The first rows are kept in a heap with the last of them on top.  Once it is
 * full, most rows are dismissed by comparing a vector of the first key with
 * that of the top; segments and vectors whose bounds lie behind it are not read
 * at all.
 * Rows that tie with the last one are dismissed, too: those met first stay.
 */
#include "postgres.h"

#include <math.h>

#include "access/attribute_kind.h"
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "exec/vector_topn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

/* After so many rows of a batch have won, the others are dismissed again. */
#define DISMISS_AGAIN	32

static void vector_topn_begin(CustomScanState *node, EState *estate,
							  int eflags);
static TupleTableSlot *vector_topn_exec(CustomScanState *node);
static void vector_topn_end(CustomScanState *node);
static void vector_topn_rescan(CustomScanState *node);
static void vector_topn_explain(CustomScanState *node, List *ancestors,
								ExplainState *es);

static const CustomExecMethods vector_topn_exec_methods = {
	.CustomName = VECTOR_TOPN_NAME,
	.BeginCustomScan = vector_topn_begin,
	.ExecCustomScan = vector_topn_exec,
	.EndCustomScan = vector_topn_end,
	.ReScanCustomScan = vector_topn_rescan,
	.ExplainCustomScan = vector_topn_explain
};

Node *
vector_topn_create_state(CustomScan *plan)
{
	VectorTopNState *state = (VectorTopNState *)
		newNode(sizeof(VectorTopNState), T_CustomScanState);

	state->css.methods = &vector_topn_exec_methods;
	return (Node *) state;
}

/* ---- order ---- */

static int
compare_entries(const VectorTopNState *state, const TopNEntry *a,
				const TopNEntry *b)
{
	for (int i = 0; i < state->nkeys; i++)
	{
		int			order = ApplySortComparator(a->keys[i], a->isnull[i],
												b->keys[i], b->isnull[i],
												&state->keys[i].order);

		if (order != 0)
			return order;
	}
	return 0;
}

/* The heap's order: of equal rows, the one met first comes first. */
static int
compare_in_heap(Datum a, Datum b, void *argument)
{
	const TopNEntry *left = (const TopNEntry *) DatumGetPointer(a);
	const TopNEntry *right = (const TopNEntry *) DatumGetPointer(b);
	int			order = compare_entries(argument, left, right);

	if (order == 0)
		order = left->row < right->row ? -1 : 1;
	return order;
}

static bool
heap_is_full(const VectorTopNState *state)
{
	return state->nentries == state->limit;
}


/* ---- segments and vectors ---- */

/* What zone maps are held against. */
typedef struct TopNBound
{
	bool		is_known;
	double		low;			/* the last first key lies between them, unless */
	double		high;			/* it is one of integers */
} TopNBound;

/* Have zone maps bounds of the type that can be compared with a value? */
static bool
type_has_zones(Oid type)
{
	return topn_type_is_integer(type) || type == FLOAT4OID ||
		type == FLOAT8OID || type == NUMERICOID;
}

/*
 * Doubles that a float or numeric is not less and not greater than; false if
 * there are none.
 */
static bool
enclose(Oid type, Datum value, double *low, double *high)
{
	double		number;

	switch (type)
	{
		case FLOAT4OID:
			number = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			number = DatumGetFloat8(value);
			break;
		case NUMERICOID:
			number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
														value));
			break;
		default:
			return false;
	}
	if (isnan(number) || isinf(number))
		return false;

	/* Doubles are exact; numerics have been rounded. */
	*low = type == NUMERICOID ? nextafter(number, -INFINITY) : number;
	*high = type == NUMERICOID ? nextafter(number, INFINITY) : number;
	return true;
}

/* The first key's entry in a segment, if bounds there can be compared. */
static const AttributeEntry *
find_entry(const VectorTopNState *state, SegmentReader *reader)
{
	const TopNKey *key = &state->keys[0];
	const AttributeEntry *entry;
	Form_pg_attribute attr;

	if (!heap_is_full(state) || topn_last(state)->isnull[0])
		return NULL;
	entry = segment_reader_attribute(reader, key->attno);
	attr = TupleDescAttr(state->expressions.slot->tts_tupleDescriptor,
						 key->attno - 1);
	return entry && entry->kind != 0 &&
		entry->value_class == attribute_class(attr) ? entry : NULL;
}

static TopNBound
find_bound(const VectorTopNState *state)
{
	const TopNKey *key = &state->keys[0];
	TopNBound	bound = {true};

	if (!topn_type_is_integer(key->type))
		bound.is_known = enclose(key->type, topn_last(state)->keys[0],
								 &bound.low, &bound.high);
	return bound;
}

/* Does the best integer of a zone lie behind the last key, or tie with it? */
static bool
integer_is_behind(const VectorTopNState *state, int64 best)
{
	const TopNKey *key = &state->keys[0];
	Vector		bound = {FORM_INTEGER};
	int			order;

	bound.integers = &best;
	order = ApplySortComparator(vector_datum(&bound, 0, key->type), false,
								topn_last(state)->keys[0], false,
								(SortSupport) &key->order);

	/* Rows that tie in the only key stay out, too. */
	return order > 0 || (order == 0 && state->nkeys == 1);
}

/*
 * Do all rows of a zone lie behind the last one?  NaN and infinite numerics are
 * outside of the zone's range.
 */
static bool
zone_is_behind(const VectorTopNState *state, const TopNBound *bound,
			   const ZoneRange *zone, uint32 nnulls)
{
	const TopNKey *key = &state->keys[0];
	bool		is_descending = key->order.ssup_reverse;

	if (!zone->has_range || (nnulls > 0 && key->order.ssup_nulls_first))
		return false;
	if (topn_type_is_integer(key->type))
		return integer_is_behind(state, is_descending ? zone->max_int :
								 zone->min_int);
	return !zone->has_nan &&
		(is_descending ? zone->max_float < bound->low :
		 zone->min_float > bound->high);
}

static bool
skip_segment(void *argument, SegmentReader *reader, const SegmentData *segment)
{
	VectorTopNState *state = argument;
	const AttributeEntry *entry = find_entry(state, reader);
	TopNBound	bound;
	ZoneRange	zone;

	if (entry == NULL)
		return false;
	bound = find_bound(state);
	attribute_entry_zone(entry, &zone);
	if (!bound.is_known ||
		!zone_is_behind(state, &bound, &zone, entry->nnulls))
		return false;
	state->nsegments_skipped++;
	return true;
}

/* A bit for each of these vectors that need not be looked at. */
static uint64
skip_vectors(void *argument, SegmentReader *reader, uint64 vectors)
{
	VectorTopNState *state = argument;
	ChunkReader *chunk;
	TopNBound	bound;
	uint64		behind = 0;

	if (find_entry(state, reader) == NULL)
		return 0;
	bound = find_bound(state);
	if (!bound.is_known)
		return 0;
	chunk = segment_reader_chunk(reader, state->keys[0].attno);
	for (; vectors != 0; vectors &= vectors - 1)
	{
		int			vector = pg_rightmost_one_pos64(vectors);
		ZoneRange	zone;
		uint32		nnulls;

		chunk_vector_zone(chunk, vector, &nnulls, &zone);
		if (zone_is_behind(state, &bound, &zone, nnulls))
			behind |= UINT64CONST(1) << vector;
	}
	return behind;
}

/* Are there zone maps to skip by, and is it seen by nobody? */
static bool
may_skip(const VectorTopNState *state)
{
	const TopNKey *key = &state->keys[0];
	Node	   *qual = (Node *) state->scan->css.ss.ps.plan->qual;

	return key->attno > 0 && type_has_zones(key->type) &&
		!contain_volatile_functions(qual) && !contain_subplans(qual);
}

/* ---- begin ---- */

static void
init_keys(VectorTopNState *state, CustomScan *plan)
{
	List	   *operators = list_nth(plan->custom_private,
									 TOPN_PRIVATE_OPERATORS);
	List	   *nulls_first = list_nth(plan->custom_private,
									   TOPN_PRIVATE_NULLS_FIRST);
	ListCell   *lc;

	state->keys = palloc0(sizeof(TopNKey) * list_length(plan->custom_exprs));
	foreach(lc, plan->custom_exprs)
	{
		TopNKey    *key = &state->keys[state->nkeys];
		Node	   *expr = vector_agg_resolve(lfirst(lc), plan);
		Var		   *var = (Var *) expr;

		key->expr = vector_expr_compile((Expr *) expr, &state->expressions);
		key->type = exprType(expr);
		get_typlenbyval(key->type, &key->length, &key->is_byval);
		if (IsA(var, Var) && var->varno == state->expressions.varno)
			key->attno = var->varattno;
		key->orders_bytes =
			(key->type == TEXTOID || key->type == VARCHAROID) &&
			OidIsValid(exprCollation(expr)) &&
			collation_orders_bytes(exprCollation(expr));

		key->order.ssup_cxt = state->context;
		key->order.ssup_collation = exprCollation(expr);
		key->order.ssup_nulls_first = list_nth_int(nulls_first, state->nkeys);
		key->order.abbreviate = false;
		PrepareSortSupportFromOrderingOp(list_nth_oid(operators, state->nkeys),
										 &key->order);
		state->nkeys++;
	}
}

static void
init_entries(VectorTopNState *state)
{
	state->entries = palloc0(sizeof(TopNEntry) * (state->limit + 1));
	for (int i = 0; i <= state->limit; i++)
	{
		state->entries[i].keys = palloc0(sizeof(Datum) * state->nkeys);
		state->entries[i].isnull = palloc0(sizeof(bool) * state->nkeys);
	}
	state->winners = palloc0(sizeof(TopNEntry *) * state->limit);
	state->heap = binaryheap_allocate(state->limit, compare_in_heap, state);
}

static void
vector_topn_begin(CustomScanState *node, EState *estate, int eflags)
{
	VectorTopNState *state = (VectorTopNState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	PlanState  *child;
	Relation	rel;
	MemoryContext oldcontext;

	child = ExecInitNode(linitial(plan->custom_plans), estate, eflags);
	node->custom_ps = list_make1(child);
	state->scan = (VectorScanState *) child;
	rel = state->scan->css.ss.ss_currentRelation;

	state->context = AllocSetContextCreate(CurrentMemoryContext,
										   "columnar vectorised top-N",
										   ALLOCSET_START_SMALL_SIZES);
	state->expressions.parent = &node->ss.ps;
	state->expressions.econtext = CreateExprContext(estate);
	state->expressions.scan = state->scan;
	state->expressions.varno = ((Scan *) child->plan)->scanrelid;
	state->expressions.slot = ExecInitExtraTupleSlot(estate,
													 RelationGetDescr(rel),
													 &TTSOpsVirtual);
	state->expressions.batch_context =
		AllocSetContextCreate(state->context, "columnar batch",
							  ALLOCSET_START_SMALL_SIZES);
	state->limit = linitial_int(list_nth(plan->custom_private,
										 TOPN_PRIVATE_LIMIT));
	state->is_backward = linitial_int(list_nth(plan->custom_private,
											   TOPN_PRIVATE_BACKWARD));
	state->row_slot = table_slot_create(rel, &estate->es_tupleTable);

	oldcontext = MemoryContextSwitchTo(state->context);
	init_keys(state, plan);
	init_entries(state);
	vector_source_begin(state->scan, NULL, NULL);
	if (may_skip(state))
		vector_source_set_skipper(state->scan, skip_segment, skip_vectors, state);
	if (state->is_backward)
		vector_source_set_backward(state->scan);
	MemoryContextSwitchTo(oldcontext);
}

/* ---- reading ---- */

/* The value of a key, in the batch's memory. */
static void
read_key(VectorTopNState *state, int number, int slot, const uint64 *mask,
		 TopNEntry *entry)
{
	TopNKey    *key = &state->keys[number];

	if (key->value == NULL)
		key->value = vector_expr_evaluate(key->expr, mask);
	entry->isnull[number] = vector_is_null(key->value, slot);
	entry->keys[number] = (Datum) 0;
	if (!entry->isnull[number])
		entry->keys[number] = vector_datum(key->value, slot, key->type);
}

/* Does a candidate come before the last of the first rows? */
static bool
candidate_wins(VectorTopNState *state, TopNEntry *candidate, int slot,
			   const uint64 *mask)
{
	bool		is_before = !heap_is_full(state);

	for (int i = 0; i < state->nkeys; i++)
	{
		int			order;

		read_key(state, i, slot, mask, candidate);
		if (is_before)
			continue;
		order = ApplySortComparator(candidate->keys[i], candidate->isnull[i],
									topn_last(state)->keys[i],
									topn_last(state)->isnull[i],
									&state->keys[i].order);
		if (order > 0)
			return false;
		is_before = order < 0;
	}
	return is_before;
}

/* Give an entry the candidate's keys, as copies of its own. */
static void
keep_keys(VectorTopNState *state, TopNEntry *entry, const TopNEntry *candidate,
		  bool has_keys)
{
	for (int i = 0; i < state->nkeys; i++)
	{
		const TopNKey *key = &state->keys[i];

		if (has_keys && !key->is_byval && !entry->isnull[i])
			pfree(DatumGetPointer(entry->keys[i]));
		entry->isnull[i] = candidate->isnull[i];
		entry->keys[i] = candidate->isnull[i] ? (Datum) 0 :
			datumCopy(candidate->keys[i], key->is_byval, key->length);
	}
	entry->row = candidate->row;
}

/* Take a row among the first, for the last of them if there is no room. */
static void
keep_candidate(VectorTopNState *state, const TopNEntry *candidate)
{
	TopNEntry  *entry;

	if (heap_is_full(state))
	{
		entry = (TopNEntry *) topn_last(state);
		keep_keys(state, entry, candidate, true);
		binaryheap_replace_first(state->heap, PointerGetDatum(entry));
	}
	else
	{
		entry = &state->entries[state->nentries++];
		keep_keys(state, entry, candidate, false);
		binaryheap_add(state->heap, PointerGetDatum(entry));
	}
}

/* Let a row of the batch compete; true if it is among the first. */
static bool
add_row(VectorTopNState *state, int slot, const uint64 *mask)
{
	TopNEntry  *candidate = &state->entries[state->limit];
	MemoryContext oldcontext =
		MemoryContextSwitchTo(state->expressions.batch_context);
	bool		wins = candidate_wins(state, candidate, slot, mask);

	MemoryContextSwitchTo(oldcontext);
	if (wins)
	{
		candidate->row = vector_source_row(state->scan, slot);
		keep_candidate(state, candidate);
	}
	return wins;
}

/* The rows of mask, in the order in which they are to compete. */
static int
order_slots(const VectorTopNState *state, const uint64 *mask, uint16 *slots)
{
	int			n = 0;

	VECTOR_FOR_EACH(slot, mask)
		slots[n++] = slot;
	if (state->is_backward)
	{
		for (int i = 0; i < n / 2; i++)
		{
			uint16		slot = slots[i];

			slots[i] = slots[n - 1 - i];
			slots[n - 1 - i] = slot;
		}
	}
	return n;
}

/*
 * Where many rows of a batch win, the last of the first rows soon becomes
 * another: the batch's other rows are held against it once more.
 */
static void
add_batch(VectorTopNState *state, const VectorBatch *batch)
{
	uint64		mask[VECTOR_WORDS];
	uint16		slots[VECTOR_LENGTH];
	int			nslots;
	int			nwon = 0;

	for (int i = 0; i < state->nkeys; i++)
		state->keys[i].value = NULL;
	state->keys[0].value = vector_expr_evaluate(state->keys[0].expr,
												batch->mask);
	memcpy(mask, batch->mask, sizeof(mask));
	if (heap_is_full(state))
		topn_dismiss(state, mask);

	nslots = order_slots(state, mask, slots);
	for (int i = 0; i < nslots; i++)
	{
		if (!vector_bit(mask, slots[i]) || !add_row(state, slots[i], mask))
			continue;
		if (++nwon % DISMISS_AGAIN == 0 && heap_is_full(state))
			topn_dismiss(state, mask);
	}
}

/* Read all rows and put the first ones in order. */
static void
find_winners(VectorTopNState *state)
{
	const VectorBatch *batch;
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

	while ((batch = vector_source_next(state->scan)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->expressions.batch_context);
		add_batch(state, batch);
	}
	MemoryContextReset(state->expressions.batch_context);

	for (int i = state->nentries - 1; i >= 0; i--)
		state->winners[i] = (TopNEntry *)
			DatumGetPointer(binaryheap_remove_first(state->heap));
	MemoryContextSwitchTo(oldcontext);
	state->next_winner = 0;
	state->is_built = true;
}

/* ---- rows out ---- */

/* Bring a winner's columns to the scan slot. */
static void
store_winner(VectorTopNState *state, TupleTableSlot *slot, RowNumber row)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	ItemPointerData tid;
	ListCell   *lc;

	row_number_to_tid(row, &tid);
	if (!table_tuple_fetch_row_version(state->scan->css.ss.ss_currentRelation,
									   &tid,
									   state->css.ss.ps.state->es_snapshot,
									   state->row_slot))
		elog(ERROR, "failed to fetch a row that was just read");

	ExecClearTuple(slot);
	foreach(lc, plan->custom_scan_tlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);
		int			target = foreach_current_index(lc);

		slot->tts_values[target] =
			slot_getattr(state->row_slot,
						 castNode(Var, entry->expr)->varattno,
						 &slot->tts_isnull[target]);
	}
	ExecStoreVirtualTuple(slot);
}

static TupleTableSlot *
vector_topn_exec(CustomScanState *node)
{
	VectorTopNState *state = (VectorTopNState *) node;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	if (!state->is_built)
		find_winners(state);

	ResetExprContext(econtext);
	if (state->next_winner >= state->nentries)
		return ExecClearTuple(node->ss.ps.ps_ProjInfo ?
							  node->ss.ps.ps_ResultTupleSlot : slot);

	store_winner(state, slot, state->winners[state->next_winner++]->row);
	econtext->ecxt_scantuple = slot;
	return node->ss.ps.ps_ProjInfo ? ExecProject(node->ss.ps.ps_ProjInfo) :
		slot;
}

/* ---- end ---- */

/* Forget the entries, with their keys' memory. */
static void
forget_entries(VectorTopNState *state)
{
	for (int i = 0; i < state->nentries; i++)
	{
		for (int k = 0; k < state->nkeys; k++)
		{
			if (!state->keys[k].is_byval && !state->entries[i].isnull[k])
				pfree(DatumGetPointer(state->entries[i].keys[k]));
		}
	}
	state->nentries = 0;
	binaryheap_reset(state->heap);
}

static void
vector_topn_rescan(CustomScanState *node)
{
	VectorTopNState *state = (VectorTopNState *) node;
	PlanState  *child = linitial(node->custom_ps);

	ExecScanReScan(&node->ss);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
	for (int i = 0; i < state->nkeys; i++)
		vector_expr_reset(state->keys[i].expr);
	forget_entries(state);
	state->is_built = false;
}

static void
vector_topn_end(CustomScanState *node)
{
	VectorTopNState *state = (VectorTopNState *) node;

	ExecEndNode(linitial(node->custom_ps));
	MemoryContextDelete(state->context);
}

/* ---- EXPLAIN ---- */

static void
vector_topn_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	VectorTopNState *state = (VectorTopNState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	bool		use_prefix = explain_rtable_size(es) > 1 || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, ancestors);
	List	   *texts = NIL;

	for (int i = 0; i < state->nkeys; i++)
	{
		const SortSupportData *order = &state->keys[i].order;
		char	   *text = deparse_expression(list_nth(plan->custom_exprs, i),
											  context, use_prefix, true);

		if (order->ssup_reverse)
			text = psprintf("%s DESC", text);
		if (order->ssup_nulls_first != order->ssup_reverse)
			text = psprintf("%s NULLS %s", text,
							order->ssup_nulls_first ? "FIRST" : "LAST");
		texts = lappend(texts, text);
	}
	ExplainPropertyList("Sort Key", texts, es);
	ExplainPropertyInteger("Rows Kept", NULL, state->limit, es);
	if (es->analyze && state->nsegments_skipped > 0)
		ExplainPropertyUInteger("Segments Skipped by Order", NULL,
								state->nsegments_skipped, es);
}
