/*
 * agg_explain.c
 *		What EXPLAIN says about a vectorised aggregation.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

/* A list of expressions, as text. */
static void
explain_expressions(const char *label, List *exprs, CustomScanState *node,
					List *ancestors, ExplainState *es)
{
	bool		use_prefix = explain_rtable_size(es) > 1 || es->verbose;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   node->ss.ps.plan,
												   ancestors);
	List	   *texts = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
		texts = lappend(texts, deparse_expression(lfirst(lc), context,
												  use_prefix, true));
	if (texts != NIL)
		ExplainPropertyList(label, texts, es);
}

/* What is evaluated row by row, for want of a kernel. */
static List *
expressions_by_row(VectorAggState *state)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *inputs = list_copy(plan->custom_exprs);
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, list_truncate(inputs, state->ninputs))
	{
		Node	   *expr = vector_agg_resolve(lfirst(lc), plan);

		if (!vector_expr_is_native(expr, state->expressions.varno))
			exprs = list_append_unique(exprs, lfirst(lc));
	}
	return exprs;
}

/* A sort key as core shows it: what is not the default order is said. */
static char *
sort_key_text(Node *expr, Oid operator, bool nulls_first, List *context,
			  bool use_prefix)
{
	char	   *text = deparse_expression(expr, context, use_prefix, true);
	bool		is_descending;

	get_equality_op_for_ordering_op(operator, &is_descending);
	if (is_descending)
		text = psprintf("%s DESC", text);
	if (nulls_first != is_descending)
		text = psprintf("%s NULLS %s", text, nulls_first ? "FIRST" : "LAST");
	return text;
}

/* How many groups leave, and by what order they are chosen. */
static void
explain_topn(VectorAggState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *wish = list_nth(plan->custom_private, AGG_PRIVATE_TOPN);
	bool		use_prefix = explain_rtable_size(es) > 1 || es->verbose;
	List	   *context;
	List	   *texts = NIL;
	int			nkeys;

	if (wish == NIL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan,
									   ancestors);
	nkeys = list_length(lsecond(wish));
	for (int k = 0; k < nkeys; k++)
		texts = lappend(texts,
						sort_key_text(list_nth(plan->custom_exprs,
											   state->ninputs + k),
									  list_nth_oid(lsecond(wish), k),
									  list_nth_int(lthird(wish), k) != 0,
									  context, use_prefix));
	if (texts != NIL)
		ExplainPropertyList("Sort Key", texts, es);
	ExplainPropertyInteger("Groups Wanted", NULL,
						   linitial_int(lfourth(wish)), es);
}

/* Values of DISTINCT aggregates that found no room. */
static void
explain_distinct(VectorAggState *state, ExplainState *es)
{
	uint64		nspilled = 0;

	for (int i = 0; i < state->ncolumns; i++)
	{
		if (state->columns[i].distinct)
			nspilled += distinct_set_spilled(state->columns[i].distinct);
	}
	if (nspilled > 0)
		ExplainPropertyUInteger("Spilled Distinct Values", NULL, nspilled, es);
}

void
vector_agg_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	VectorAggState *state = (VectorAggState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	List	   *keys = list_copy(plan->custom_exprs);

	explain_expressions("Group Key", list_truncate(keys, state->nkeys), node,
						ancestors, es);
	explain_topn(state, ancestors, es);
	explain_expressions("Evaluated by Row", expressions_by_row(state), node,
						ancestors, es);
	if (es->analyze && state->nsegments_known > 0)
		ExplainPropertyUInteger("Segments Answered from Metadata", NULL,
								state->nsegments_known, es);
	if (es->analyze)
	{
		agg_exchange_explain(state, es);
		agg_passes_explain(state, es);
		explain_distinct(state, es);
	}
}
