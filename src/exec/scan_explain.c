/*
 * scan_explain.c
 *		What EXPLAIN says about a vectorised scan.
 *
 * Its clauses are shown with the columns they read and, under ANALYZE, with
 * counts of what really ran, over all processes and rescans.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/join_filter.h"
#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"

static void
explain_columns(VectorScanState *state, ExplainState *es)
{
	TupleDesc	desc = RelationGetDescr(state->css.ss.ss_currentRelation);
	List	   *names = NIL;

	for (int i = 0; i < state->ncolumns; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc,
											   state->columns[i].attno - 1);

		names = lappend(names, pstrdup(NameStr(attr->attname)));
	}
	if (names != NIL)
		ExplainPropertyList("Columnar Projected Columns", names, es);
}

static void
explain_filters(VectorScanState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	Node	   *filters = (Node *) make_ands_explicit(plan->custom_exprs);
	bool		use_prefix = explain_rtable_size(es) > 1 || es->verbose;
	List	   *context;
	char	   *text;

	if (plan->custom_exprs == NIL)
		return;

	context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan,
									   ancestors);
	text = deparse_expression(filters, context, use_prefix, false);
	ExplainPropertyText("Vector Filter", text, es);
}

/* Clauses of the node's filter that are not evaluated row by row. */
static void
explain_qual(VectorScanState *state, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	List	   *clauses = vector_qual_clauses(state);
	List	   *context;

	if (clauses == NIL || !es->verbose)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan,
									   ancestors);
	ExplainPropertyText("Vectorised Filter",
						deparse_expression((Node *) make_ands_explicit(clauses),
										   context, true, false), es);
}

/* Columns that a join above filters by its own. */
static void
explain_join_filters(VectorScanState *state, ExplainState *es)
{
	TupleDesc	desc = RelationGetDescr(state->css.ss.ss_currentRelation);
	JoinFilterSet *set = state->join_filters;
	List	   *names = NIL;

	for (int i = 0; i < set->nfilters; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc,
											   set->filters[i].attno - 1);

		names = lappend(names, pstrdup(NameStr(attr->attname)));
	}
	ExplainPropertyList("Join Filter", names, es);
	if (es->analyze)
		ExplainPropertyUInteger("Rows Removed by Join Filter", NULL,
								state->own_counters.rows_unjoined, es);
}

void
vector_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	VectorScanState *state = (VectorScanState *) node;
	const ScanCounters *counters = &state->own_counters;

	explain_columns(state, es);
	explain_filters(state, ancestors, es);
	explain_qual(state, ancestors, es);
	if (state->join_filters)
		explain_join_filters(state, es);
	if (!es->analyze ||
		(state->nfilters == 0 && state->join_filters == NULL))
		return;

	ExplainPropertyUInteger("Columnar Groups Skipped", NULL,
							counters->groups_skipped, es);
	ExplainPropertyUInteger("Columnar Vectors Skipped", NULL,
							counters->vectors_skipped, es);
	if (state->nfilters > 0 && es->verbose)
		ExplainPropertyUInteger("Columnar Vectors Filtered Packed", NULL,
								counters->vectors_packed, es);
	if (state->nfilters > 0)
		ExplainPropertyUInteger("Rows Removed by Vector Filter", NULL,
								counters->rows_removed, es);
}
