/*
 * agg_plan.c
 *		From the path of a vectorised aggregation to its plan node.
 *
 * The plan is built from the target list handed in, because projection may have
 * changed it since the path was made.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

static Plan *vector_agg_plan(PlannerInfo *root, RelOptInfo *rel,
							 CustomPath *best_path, List *tlist,
							 List *clauses, List *custom_plans);

const CustomPathMethods vector_agg_path_methods = {
	.CustomName = VECTOR_AGG_NAME,
	.PlanCustomPath = vector_agg_plan
};

const CustomScanMethods vector_agg_plan_methods = {
	.CustomName = VECTOR_AGG_NAME,
	.CreateCustomScanState = vector_agg_create_state
};

static bool
collect_aggrefs_walker(Node *node, List **aggrefs)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		*aggrefs = list_append_unique(*aggrefs, node);
		return false;
	}
	return expression_tree_walker(node, collect_aggrefs_walker, aggrefs);
}

List *
vector_agg_collect_aggrefs(Node *node, List *aggrefs)
{
	collect_aggrefs_walker(node, &aggrefs);
	return aggrefs;
}

const Aggref *
vector_agg_without_distinct(const Aggref *aggref)
{
	Aggref	   *plain;

	if (aggref->aggdistinct == NIL)
		return aggref;
	plain = makeNode(Aggref);
	memcpy(plain, aggref, sizeof(Aggref));
	plain->aggdistinct = NIL;
	plain->aggorder = NIL;
	return plain;
}

/* Append an expression to a target list, unless it is there. */
static List *
add_entry(List *tlist, Expr *expr)
{
	if (tlist_member(expr, tlist) != NULL)
		return tlist;
	return lappend(tlist, makeTargetEntry(expr, list_length(tlist) + 1, NULL,
										  false));
}

/* What an Aggref reads: its argument, if any, and its filter, if any. */
static List *
aggref_inputs(Aggref *aggref)
{
	List	   *inputs = NIL;

	if (aggref->args != NIL)
		inputs = lappend(inputs,
						 linitial_node(TargetEntry, aggref->args)->expr);
	if (aggref->aggfilter != NULL)
		inputs = lappend(inputs, aggref->aggfilter);
	return inputs;
}

static Plan *
vector_agg_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);
	List	   *keys = list_nth(best_path->custom_private, AGG_PRIVATE_KEYS);
	List	   *having = list_nth(best_path->custom_private,
								 AGG_PRIVATE_HAVING);
	List	   *operators = list_nth(best_path->custom_private,
									 AGG_PRIVATE_OPERATORS);
	List	   *wish = list_nth(best_path->custom_private, AGG_PRIVATE_TOPN);
	List	   *sort_keys = wish != NIL ? linitial(wish) : NIL;
	List	   *scan_tlist = NIL;
	List	   *exprs = list_copy(keys);
	List	   *aggrefs;
	ListCell   *lc;

	aggrefs = vector_agg_collect_aggrefs((Node *) tlist, NIL);
	aggrefs = vector_agg_collect_aggrefs((Node *) having, aggrefs);
	aggrefs = vector_agg_collect_aggrefs((Node *) sort_keys, aggrefs);

	/* Keys may be equal to one another, and each has a place of its own. */
	foreach(lc, list_concat_copy(keys, aggrefs))
		scan_tlist = lappend(scan_tlist,
							 makeTargetEntry(lfirst(lc),
											 list_length(scan_tlist) + 1,
											 NULL, false));
	foreach(lc, aggrefs)
		exprs = list_concat(exprs, aggref_inputs(lfirst_node(Aggref, lc)));
	foreach(lc, pull_var_clause((Node *) exprs, 0))
		scan_tlist = add_entry(scan_tlist, lfirst(lc));

	plan->scan.plan.targetlist = tlist;
	plan->scan.plan.qual = having;
	plan->scan.scanrelid = 0;
	plan->flags = best_path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_scan_tlist = scan_tlist;
	plan->custom_exprs = list_concat(exprs, sort_keys);
	if (wish != NIL)
		wish = list_make4(NIL, lsecond(wish), lthird(wish), lfourth(wish));
	plan->custom_private = list_make4(operators, NIL, NIL, wish);
	plan->methods = &vector_agg_plan_methods;
	return &plan->scan.plan;
}
