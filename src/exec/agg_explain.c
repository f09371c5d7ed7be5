/*
 * agg_explain.c
 *		What EXPLAIN says about a vectorised aggregation.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "utils/ruleutils.h"

/* A list of expressions, as text. */
static void
explain_expressions(const char *label, List *exprs, CustomScanState *node,
					List *ancestors, ExplainState *es)
{
	bool		use_prefix = list_length(es->rtable) > 1 || es->verbose;
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

/* How many groups leave, and by what order they are chosen. */
static void
explain_topn(VectorAggState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *wish = list_nth(plan->custom_private, AGG_PRIVATE_TOPN);

	if (wish == NIL)
		return;
	explain_expressions("Sort Key",
						list_copy_tail(plan->custom_exprs, state->ninputs),
						&state->css, ancestors, es);
	ExplainPropertyInteger("Groups Wanted", NULL,
						   linitial_int(lfourth(wish)), es);
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
		agg_passes_explain(state, es);
}
