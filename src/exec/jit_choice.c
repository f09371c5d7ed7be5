/*
 * jit_choice.c
 *		Not compiling plans that have nothing to compile.
 *
 * Core decides by a plan's total cost whether its expressions are compiled,
 * which takes tens of milliseconds and more.  Vectorised nodes evaluate by
 * kernels, so their costs say nothing for it: only what other nodes cost is
 * held against jit_above_cost.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/join_filter.h"
#include "exec/vector_agg.h"
#include "exec/vector_topn.h"
#include "jit/jit.h"
#include "optimizer/planner.h"

static planner_hook_type prev_planner_hook;

/* What is known of a plan. */
typedef struct PlanCosts
{
	Cost		others;			/* of nodes that are not vectorised */
	bool		has_vectors;
} PlanCosts;

static bool
is_vectorised(const Plan *plan)
{
	const CustomScanMethods *methods;

	if (!IsA(plan, CustomScan))
		return false;
	methods = ((const CustomScan *) plan)->methods;
	return methods == &vector_scan_plan_methods ||
		methods == &join_filter_plan_methods ||
		methods == &vector_agg_plan_methods ||
		methods == &vector_topn_plan_methods;
}

static Cost add_plan(PlanCosts *costs, Plan *plan);

static Cost
add_plans(PlanCosts *costs, List *plans)
{
	Cost		total = 0;
	ListCell   *lc;

	foreach(lc, plans)
		total += add_plan(costs, lfirst(lc));
	return total;
}

/* Add up a plan's nodes; returns the total cost of the plan. */
static Cost
add_plan(PlanCosts *costs, Plan *plan)
{
	Cost		children = 0;

	if (plan == NULL)
		return 0;
	check_stack_depth();

	children += add_plan(costs, plan->lefttree);
	children += add_plan(costs, plan->righttree);
	switch (nodeTag(plan))
	{
		case T_Append:
			children += add_plans(costs, ((Append *) plan)->appendplans);
			break;
		case T_MergeAppend:
			children += add_plans(costs, ((MergeAppend *) plan)->mergeplans);
			break;
		case T_SubqueryScan:
			children += add_plan(costs, ((SubqueryScan *) plan)->subplan);
			break;
		case T_CustomScan:
			children += add_plans(costs, ((CustomScan *) plan)->custom_plans);
			break;
		default:
			break;
	}

	if (is_vectorised(plan))
		costs->has_vectors = true;
	else if (plan->total_cost > children)
		costs->others += plan->total_cost - children;
	return plan->total_cost;
}

static PlannedStmt *
plan_without_jit(Query *parse, const char *query_string, int cursor_options,
				 ParamListInfo bound_params)
{
	PlanCosts	costs = {0, false};
	PlannedStmt *stmt;

	if (prev_planner_hook)
		stmt = prev_planner_hook(parse, query_string, cursor_options,
								 bound_params);
	else
		stmt = standard_planner(parse, query_string, cursor_options,
								bound_params);
	if ((stmt->jitFlags & PGJIT_PERFORM) == 0)
		return stmt;

	add_plan(&costs, stmt->planTree);
	add_plans(&costs, stmt->subplans);
	if (costs.has_vectors && costs.others <= jit_above_cost)
		stmt->jitFlags = PGJIT_NONE;
	return stmt;
}

void
jit_choice_init(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = plan_without_jit;
}
