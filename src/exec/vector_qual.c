/*
 * vector_qual.c
 *		The scan's qual, evaluated by the batch.
 *
 * Clauses that are no column filters run as vectorised expressions on the rows
 * that the filters have left, one clause after the other, in core's order.  Not
 * all can: from the first one that cannot, the rest run row by row, on the rows
 * that are left then.
 *
 * (Q1) A scan whose rows leave one by one may never be asked for the rows at
 * the end of a batch, and must not raise their errors.  So an error about data
 * is caught, and from there on the whole qual runs row by row.  That is safe
 * without a subtransaction because only kernels and functions of core's own are
 * inside, and it takes nothing but errors of that class.
 *
 * (Q2) A node that reads batches reads them to the end, so that its errors may
 * come at once, and any clause can be vectorised that has no side effect.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "compat.h"
#include "exec/vector_expr.h"
#include "exec/vector_source.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

typedef struct VectorQual
{
	VectorExprContext context;
	VectorExpr **exprs;
	int			nexprs;
	List	   *clauses;		/* what they are made of */
	bool		catches;		/* errors of rows that nobody may ask for (Q1) */
	bool		has_failed;		/* there was one: row by row until a rescan */
	ExprState  *rest;			/* of the other clauses, or NULL */
	ScanOutput *rest_outputs;	/* columns that it reads */
	int			nrest_outputs;
} VectorQual;

/* ---- which clauses ---- */

static bool
is_foreign_function(Oid oid, void *context)
{
	return oid >= FirstGenbkiObjectId;
}

/* Is there a function that is not core's, or a parameter that may be a query? */
static bool
runs_other_code(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		return true;
	if (check_functions_in_node(node, is_foreign_function, context))
		return true;
	return expression_tree_walker(node, runs_other_code, context);
}

/* System columns are a row's, and no vectors. */
static bool
reads_system_columns(Node *clause, Index relid)
{
	Bitmapset  *offsets = NULL;
	int			first;

	pull_varattnos(clause, relid, &offsets);
	first = bms_next_member(offsets, -1);
	bms_free(offsets);
	return first >= 0 && first + FirstLowInvalidHeapAttributeNumber < 0;
}

static bool
is_vectorisable(VectorScanState *state, Node *clause)
{
	Index		relid = ((Scan *) state->css.ss.ps.plan)->scanrelid;

	if (contain_volatile_functions(clause) || contain_subplans(clause) ||
		reads_system_columns(clause, relid))
		return false;
	if (state->by_batches)
		return true;
	return vector_expr_is_native(clause, relid) &&
		!runs_other_code(clause, NULL);
}

/* The clauses before the first that has to be evaluated by the row. */
static List *
vectorisable_clauses(VectorScanState *state, List *qual)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	/* EvalPlanQual wants single rows, with all columns of the qual. */
	if (state->css.ss.ps.state->es_epq_active != NULL)
		return NIL;
	foreach(lc, qual)
	{
		if (!is_vectorisable(state, lfirst(lc)))
			break;
		clauses = lappend(clauses, lfirst(lc));
	}
	return clauses;
}

/* ---- start ---- */

/*
 * The clauses that are left.  SubPlans must not be initialized twice: with
 * them, all of the qual is evaluated once more.
 */
static void
init_rest(VectorScanState *state, VectorQual *qual, List *rest)
{
	qual->rest_outputs = state->qual_outputs;
	qual->nrest_outputs = state->nqual_outputs;
	if (rest == NIL)
		qual->rest = NULL;
	else if (contain_subplans((Node *) rest))
		qual->rest = state->css.ss.ps.qual;
	else
	{
		qual->rest = ExecInitQual(rest, &state->css.ss.ps);
		qual->rest_outputs = vector_scan_outputs(state, rest,
												 &qual->nrest_outputs);
	}
}

static void
init_context(VectorScanState *state, VectorExprContext *context)
{
	context->parent = &state->css.ss.ps;
	context->econtext = state->css.ss.ps.ps_ExprContext;
	context->scan = state;
	context->varno = ((Scan *) state->css.ss.ps.plan)->scanrelid;
	context->slot = state->css.ss.ss_ScanTupleSlot;
	context->batch_context = state->batch.context;
}

void
vector_qual_init(VectorScanState *state)
{
	List	   *all = state->css.ss.ps.plan->qual;
	List	   *clauses = vectorisable_clauses(state, all);
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);
	VectorQual *qual;
	ListCell   *lc;

	state->qual = NULL;
	state->row_qual = state->css.ss.ps.qual;
	state->row_outputs = state->qual_outputs;
	state->nrow_outputs = state->nqual_outputs;
	if (clauses != NIL)
	{
		vector_source_init(state);
		qual = palloc0(sizeof(VectorQual));
		init_context(state, &qual->context);
		qual->clauses = clauses;
		qual->catches = !state->by_batches;
		qual->exprs = palloc(sizeof(VectorExpr *) * list_length(clauses));
		foreach(lc, clauses)
			qual->exprs[qual->nexprs++] = vector_expr_compile(lfirst(lc),
															  &qual->context);
		init_rest(state, qual, list_copy_tail(all, list_length(clauses)));
		state->qual = qual;
	}
	MemoryContextSwitchTo(oldcontext);
}

void
vector_qual_reset(VectorScanState *state)
{
	VectorQual *qual = state->qual;

	if (qual == NULL)
		return;
	qual->has_failed = false;
	for (int i = 0; i < qual->nexprs; i++)
		vector_expr_reset(qual->exprs[i]);
}

List *
vector_qual_clauses(const VectorScanState *state)
{
	return state->qual ? state->qual->clauses : NIL;
}

/* ---- batches ---- */

static void
evaluate(const VectorQual *qual, uint64 *mask)
{
	for (int i = 0; i < qual->nexprs && !vector_mask_is_empty(mask); i++)
		vector_expr_filter(qual->exprs[i], mask);
}

/* The same; false if there was an error about data. */
static bool
evaluate_catching(const VectorQual *qual, uint64 *mask)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	volatile bool succeeded = true;

	PG_TRY();
	{
		evaluate(qual, mask);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(oldcontext);
		if (ERRCODE_TO_CATEGORY(geterrcode()) != ERRCODE_DATA_EXCEPTION)
			PG_RE_THROW();
		FlushErrorState();
		succeeded = false;
	}
	PG_END_TRY();
	return succeeded;
}

/* Have all of the qual evaluated by the row. */
static void
give_up(VectorScanState *state)
{
	vector_qual_reset(state);
	state->qual->has_failed = true;
	state->row_qual = state->css.ss.ps.qual;
	state->row_outputs = state->qual_outputs;
	state->nrow_outputs = state->nqual_outputs;
}

bool
vector_qual_apply(VectorScanState *state)
{
	VectorQual *qual = state->qual;
	const VectorBatch *batch;
	uint64		mask[VECTOR_WORDS];
	int			nrows = state->batch.nrows;

	if (qual->has_failed)
		return true;
	state->row_qual = qual->rest;
	state->row_outputs = qual->rest_outputs;
	state->nrow_outputs = qual->nrest_outputs;

	batch = vector_source_set_batch(state);
	memcpy(mask, batch->mask, sizeof(mask));
	if (!qual->catches)
		evaluate(qual, mask);
	else if (!evaluate_catching(qual, mask))
	{
		give_up(state);
		return true;
	}
	ResetExprContext(qual->context.econtext);
	vector_source_keep(state, mask);
	InstrCountFiltered1(&state->css, nrows - state->batch.nrows);
	return state->batch.nrows > 0;
}
