/*
 * agg_topn.c
 *		ORDER BY ... LIMIT over groups, inside the aggregation.
 *
 * The groups of each pass are held against the best so far, which lie in a heap
 * with the worst on top.  A group is looked at by its first sort key, then by
 * the next only if that is a tie; nothing else is computed for it until it is
 * among the best, and what it shows only when it leaves.  Winners of a pass are
 * made tuples before the next pass forgets the pass's groups.
 *
 * Without ORDER BY the first groups are as good as any: others are not made.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "executor/executor.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

/* More are sorted by core. */
#define MAX_WINNERS		10000

/* A sort key: a column of the scan tuple, or an expression over it. */
typedef struct TopNKey
{
	SortSupportData sort;
	int			column;			/* from 0, or -1 */
	ExprState  *expr;
	int16		length;
	bool		is_byval;
} TopNKey;

typedef struct TopNGroup
{
	uint32		group;			/* of this pass, if tuple is NULL */
	MinimalTuple tuple;
	Datum	   *values;			/* of sort keys */
	bool	   *isnull;
} TopNGroup;

struct AggTopN
{
	uint32		limit;
	int			nkeys;
	TopNKey    *keys;
	bool		is_done;		/* winners are all there, in order */
	uint32		nwinners;
	uint32		next;			/* to be emitted */
	TopNGroup  *winners;
	binaryheap *heap;			/* of winners, the worst on top */
	TopNGroup	candidate;
	TupleTableSlot *slot;		/* for tuples */
	MemoryContext context;		/* values and tuples of winners */
};

/* ---- planning ---- */

/* A count of rows that the query names; -1 if it is not a constant. */
static int64
constant_count(Node *node, int64 default_count)
{
	Const	   *value = (Const *) node;

	if (node == NULL)
		return default_count;
	if (!IsA(node, Const) || value->constisnull)
		return -1;
	return DatumGetInt64(value->constvalue);
}

/*
 * What the query's LIMIT asks of its groups, as the plan's private list; NIL
 * if nothing that we do.
 */
List *
vector_agg_topn_wish(AggQuestion *question)
{
	PlannerInfo *root = question->root;
	Query	   *parse = root->parse;
	int64		count = constant_count(parse->limitCount, -1);
	int64		offset = constant_count(parse->limitOffset, 0);
	List	   *exprs = NIL;
	List	   *operators = NIL;
	List	   *nulls_first = NIL;
	ListCell   *lc;

	/* Of a partition's groups, the query's keys do not speak. */
	if (question->input->reloptkind != RELOPT_BASEREL)
		return NIL;
	if (!question->is_last || question->keys == NIL || count < 0 || offset < 0 ||
		count > MAX_WINNERS || offset > MAX_WINNERS ||
		count + offset > MAX_WINNERS ||
		parse->limitOption == LIMIT_OPTION_WITH_TIES ||
		parse->rowMarks != NIL)
		return NIL;
	if (root->sort_pathkeys == NIL && question->having != NIL)
		return NIL;
	foreach(lc, root->sort_pathkeys != NIL ? parse->sortClause : NIL)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *expr = get_sortgroupclause_expr(clause,
													root->processed_tlist);

		if (contain_subplans(expr) || contain_volatile_functions(expr))
			return NIL;
		exprs = lappend(exprs, expr);
		operators = lappend_oid(operators, clause->sortop);
		nulls_first = lappend_int(nulls_first, clause->nulls_first);
	}
	return list_make4(exprs, operators, nulls_first,
					  list_make1_int(Max(count + offset, 1)));
}

CustomPath *
vector_agg_topn_path(AggQuestion *question, const CustomPath *all,
					 List *wish)
{
	CustomPath *path = makeNode(CustomPath);
	double		limit = linitial_int(lfourth(wish));
	double		ngroups = all->path.rows;
	Path	   *result = &path->path;

	memcpy(path, all, sizeof(CustomPath));
	path->custom_private = list_copy(all->custom_private);
	lfirst(list_nth_cell(path->custom_private, AGG_PRIVATE_TOPN)) = wish;
	result->pathkeys = question->root->sort_pathkeys;
	result->rows = clamp_row_est(Min(limit, ngroups));
	if (result->pathkeys != NIL)
		result->startup_cost += 2 * cpu_operator_cost * ngroups;
	result->total_cost = result->startup_cost +
		(cpu_tuple_cost + result->pathtarget->cost.per_tuple) * result->rows;
	return path;
}

/* ---- begin ---- */

static void
init_key(VectorAggState *state, TopNKey *key, Expr *expr, Oid operator,
		 bool nulls_first)
{
	Var		   *var = (Var *) expr;

	key->column = -1;
	if (IsA(var, Var) && var->varno == INDEX_VAR)
		key->column = var->varattno - 1;
	else
		key->expr = ExecInitExpr(expr, &state->css.ss.ps);
	get_typlenbyval(exprType((Node *) expr), &key->length, &key->is_byval);
	key->sort.ssup_cxt = CurrentMemoryContext;
	key->sort.ssup_collation = exprCollation((Node *) expr);
	key->sort.ssup_nulls_first = nulls_first;
	PrepareSortSupportFromOrderingOp(operator, &key->sort);
}

/* The order of two groups by their sort keys. */
static int
compare_groups(const TopNGroup *a, const TopNGroup *b, AggTopN *topn)
{
	for (int k = 0; k < topn->nkeys; k++)
	{
		int			order = ApplySortComparator(a->values[k], a->isnull[k],
												b->values[k], b->isnull[k],
												&topn->keys[k].sort);

		if (order != 0)
			return order;
	}
	return 0;
}

static int
compare_in_heap(Datum a, Datum b, void *argument)
{
	return compare_groups((TopNGroup *) DatumGetPointer(a),
						  (TopNGroup *) DatumGetPointer(b), argument);
}

static void
init_group(const AggTopN *topn, TopNGroup *group)
{
	group->values = palloc0(sizeof(Datum) * topn->nkeys);
	group->isnull = palloc0(sizeof(bool) * topn->nkeys);
}

AggTopN *
agg_topn_create(VectorAggState *state, List *wish, List *exprs)
{
	AggTopN    *topn = palloc0(sizeof(AggTopN));
	List	   *operators = lsecond(wish);
	List	   *nulls_first = lthird(wish);

	topn->limit = linitial_int(lfourth(wish));
	topn->nkeys = list_length(operators);
	if (topn->nkeys == 0)
		return topn;
	topn->keys = palloc0(sizeof(TopNKey) * topn->nkeys);
	for (int k = 0; k < topn->nkeys; k++)
		init_key(state, &topn->keys[k], list_nth(exprs, k),
				 list_nth_oid(operators, k), list_nth_int(nulls_first, k));
	topn->winners = palloc0(sizeof(TopNGroup) * topn->limit);
	for (uint32 i = 0; i < topn->limit; i++)
		init_group(topn, &topn->winners[i]);
	init_group(topn, &topn->candidate);
	topn->heap = binaryheap_allocate(topn->limit, compare_in_heap, topn);
	topn->slot = vector_agg_init_slot(state, &TTSOpsMinimalTuple);
	topn->context = AllocSetContextCreate(CurrentMemoryContext,
										  "columnar best groups",
										  ALLOCSET_DEFAULT_SIZES);
	return topn;
}

/* ---- groups in ---- */

static Datum
key_value(VectorAggState *state, const TopNKey *key, uint32 group,
		  bool *isnull)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;
	MemoryContext oldcontext;
	Datum		value;

	if (key->column < 0)
	{
		vector_agg_store_group(state, slot, group);
		econtext->ecxt_scantuple = slot;
		return ExecEvalExprSwitchContext(key->expr, econtext, isnull);
	}
	oldcontext = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	value = vector_agg_group_value(state, group, key->column, isnull);
	MemoryContextSwitchTo(oldcontext);
	return value;
}

/* Is a group better than the worst winner?  Fills the candidate's keys. */
static bool
is_better(VectorAggState *state, AggTopN *topn, uint32 group)
{
	bool		is_full = topn->nwinners == topn->limit;
	bool		is_decided = !is_full;
	TopNGroup  *candidate = &topn->candidate;
	TopNGroup  *worst = is_full ?
		(TopNGroup *) DatumGetPointer(binaryheap_first(topn->heap)) : NULL;

	for (int k = 0; k < topn->nkeys; k++)
	{
		TopNKey    *key = &topn->keys[k];
		int			order;

		candidate->values[k] = key_value(state, key, group,
										 &candidate->isnull[k]);
		if (is_decided)
			continue;
		order = ApplySortComparator(candidate->values[k],
									candidate->isnull[k],
									worst->values[k], worst->isnull[k],
									&key->sort);
		if (order > 0)
			return false;
		is_decided = order < 0;
	}
	return is_decided;
}

/* Does the group pass HAVING? */
static bool
group_passes(VectorAggState *state, uint32 group)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	if (state->css.ss.ps.qual == NULL)
		return true;
	vector_agg_store_group(state, slot, group);
	econtext->ecxt_scantuple = slot;
	if (ExecQual(state->css.ss.ps.qual, econtext))
		return true;
	InstrCountFiltered1(state, 1);
	return false;
}

/* What a winner owns is forgotten. */
static void
clear_winner(AggTopN *topn, TopNGroup *winner)
{
	for (int k = 0; k < topn->nkeys; k++)
	{
		if (!topn->keys[k].is_byval && !winner->isnull[k])
			pfree(DatumGetPointer(winner->values[k]));
	}
	if (winner->tuple)
		pfree(winner->tuple);
	winner->tuple = NULL;
}

/* Make the candidate a winner, in place of the worst if there is no room. */
static void
take_candidate(AggTopN *topn, uint32 group)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(topn->context);
	bool		is_full = topn->nwinners == topn->limit;
	TopNGroup  *winner = is_full ?
		(TopNGroup *) DatumGetPointer(binaryheap_first(topn->heap)) :
		&topn->winners[topn->nwinners];

	if (is_full)
		clear_winner(topn, winner);
	winner->group = group;
	for (int k = 0; k < topn->nkeys; k++)
	{
		TopNKey    *key = &topn->keys[k];

		winner->isnull[k] = topn->candidate.isnull[k];
		winner->values[k] = winner->isnull[k] ? (Datum) 0 :
			datumCopy(topn->candidate.values[k], key->is_byval, key->length);
	}
	if (is_full)
		binaryheap_replace_first(topn->heap, PointerGetDatum(winner));
	else
	{
		binaryheap_add(topn->heap, PointerGetDatum(winner));
		topn->nwinners++;
	}
	MemoryContextSwitchTo(oldcontext);
}

/* Hold the groups of this pass against the best. */
static void
take_groups(VectorAggState *state)
{
	AggTopN    *topn = state->topn;

	for (uint32 group = 0; group < state->ngroups; group++)
	{
		if (group % VECTOR_LENGTH == 0)
			CHECK_FOR_INTERRUPTS();
		ResetExprContext(state->css.ss.ps.ps_ExprContext);
		if (is_better(state, topn, group) && group_passes(state, group))
			take_candidate(topn, group);
	}
}

/* Make this pass's winners tuples. */
static void
keep_winners(VectorAggState *state)
{
	AggTopN    *topn = state->topn;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	for (uint32 i = 0; i < topn->nwinners; i++)
	{
		TopNGroup  *winner = &topn->winners[i];
		MemoryContext oldcontext;

		if (winner->tuple)
			continue;
		ResetExprContext(state->css.ss.ps.ps_ExprContext);
		vector_agg_store_group(state, slot, winner->group);
		oldcontext = MemoryContextSwitchTo(topn->context);
		winner->tuple = ExecCopySlotMinimalTuple(slot);
		MemoryContextSwitchTo(oldcontext);
	}
}

static int
compare_winners(const void *a, const void *b, void *argument)
{
	return compare_groups(a, b, argument);
}

/* Find the winners of all passes. */
static void
find_winners(VectorAggState *state)
{
	AggTopN    *topn = state->topn;

	vector_agg_build(state);
	take_groups(state);
	while (agg_passes_are_left(state))
	{
		keep_winners(state);
		if (!agg_passes_start_next(state))
			break;
		vector_agg_build(state);
		take_groups(state);
	}
	qsort_arg(topn->winners, topn->nwinners, sizeof(TopNGroup),
			  compare_winners, topn);
	topn->is_done = true;
	topn->next = 0;
}

/* ---- groups out ---- */

uint32
agg_topn_first_groups(const AggTopN *topn)
{
	return topn->nkeys == 0 ? topn->limit : PG_UINT32_MAX;
}

bool
agg_topn_sorts(const AggTopN *topn)
{
	return topn->nkeys > 0;
}

bool
agg_topn_next(VectorAggState *state, TupleTableSlot *slot)
{
	AggTopN    *topn = state->topn;
	TopNGroup  *winner;

	if (!topn->is_done)
		find_winners(state);
	if (topn->next == topn->nwinners)
		return false;
	winner = &topn->winners[topn->next++];
	ResetExprContext(state->css.ss.ps.ps_ExprContext);
	if (winner->tuple)
	{
		ExecStoreMinimalTuple(winner->tuple, topn->slot, false);
		ExecCopySlot(slot, topn->slot);
	}
	else
		vector_agg_store_group(state, slot, winner->group);
	return true;
}

void
agg_topn_rescan(AggTopN *topn)
{
	topn->next = 0;
}

void
agg_topn_reset(AggTopN *topn)
{
	if (topn->nkeys == 0)
		return;
	binaryheap_reset(topn->heap);
	for (uint32 i = 0; i < topn->nwinners; i++)
		topn->winners[i].tuple = NULL;
	topn->nwinners = 0;
	topn->is_done = false;
	MemoryContextReset(topn->context);
}
