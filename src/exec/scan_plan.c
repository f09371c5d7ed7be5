/*
 * scan_plan.c
 *		From the path of a vectorised scan to its plan node.
 *
 * The plan's custom_exprs are the clauses that column filters decide, its qual
 * the others.  Filters run first, cheap ones before dear ones; the qual's
 * clauses follow in core's order.  Among filters the order does not matter to
 * anybody, but a filter also overtakes clauses of the qual that core would run
 * before it, which is allowed only if nobody can tell:
 *
 * - filters raise no error and have no side effect, but their operands may
 *   have: one that is not a constant or parameter must not overtake;
 * - a clause that is not leakproof sees no row that a clause of a lower
 *   security level would have kept from it;
 * - a volatile function is called for as many rows as core calls it for.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/join_filter.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

static Plan *vector_scan_plan(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

const CustomPathMethods vector_scan_path_methods = {
	.CustomName = VECTOR_SCAN_NAME,
	.PlanCustomPath = vector_scan_plan
};

const CustomScanMethods vector_scan_plan_methods = {
	.CustomName = VECTOR_SCAN_NAME,
	.CreateCustomScanState = vector_scan_create_state
};

/*
 * Is the operand's value at hand before any row is read?  At run time columns
 * of other relations are parameters; here they may still be columns.  An
 * executor parameter may stand for a subquery that has not run yet.
 */
static bool
operand_is_simple(Node *operand)
{
	while (operand && IsA(operand, RelabelType))
		operand = (Node *) ((RelabelType *) operand)->arg;
	if (operand == NULL || IsA(operand, Const) || IsA(operand, Var) ||
		IsA(operand, PlaceHolderVar))
		return true;
	return IsA(operand, Param) &&
		((Param *) operand)->paramkind == PARAM_EXTERN;
}

static bool
may_overtake(RestrictInfo *rinfo, const FilterClause *match, List *overtaken)
{
	ListCell   *lc;
	bool		is_leakproof = !OidIsValid(match->function) ||
		get_func_leakproof(match->function);

	if (overtaken == NIL)
		return true;
	if (!operand_is_simple(match->operand))
		return false;

	foreach(lc, overtaken)
	{
		RestrictInfo *other = lfirst_node(RestrictInfo, lc);

		if (other->security_level < rinfo->security_level && !is_leakproof)
			return false;
		if (contain_volatile_functions((Node *) other->clause))
			return false;
	}
	return true;
}

List *
vector_scan_filters(List *clauses, Index relid, List **rest)
{
	List	   *filters = NIL;
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		FilterClause match;

		/* Those without a column are a Result node's, above. */
		if (rinfo->pseudoconstant)
			continue;
		if (filter_clause_match(rinfo->clause, relid, &match) &&
			may_overtake(rinfo, &match, others))
			filters = lappend(filters, rinfo);
		else
			others = lappend(others, rinfo);
	}

	if (rest)
		*rest = others;
	return filters;
}

/* The rank of filters that come last. */
#define LAST_RANK	6

/*
 * How dear a filter is by the row: integers and floats run through kernels,
 * numerics have to be scaled, strings found, and searched for a pattern, where
 * few match.  Operands that have to be evaluated come last, so that no row gets
 * there that need not.
 */
static int
filter_rank(RestrictInfo *rinfo, Index relid)
{
	FilterClause match;

	if (!filter_clause_match(rinfo->clause, relid, &match))
		elog(ERROR, "condition of a vectorised scan is not a column filter");
	if (!operand_is_simple(match.operand))
		return LAST_RANK;
	if (match.operand == NULL)
		return 0;
	if (match.kind == FILTER_LIKE)
		return match.strategy == FILTER_NOT_EQUAL ? 5 : 4;
	switch (match.type->domain)
	{
		case DOMAIN_INTEGER:
		case DOMAIN_FLOAT:
			return 1;
		case DOMAIN_NUMERIC:
			return 2;
		case DOMAIN_BYTES:
			return 3;
	}
	return 3;
}

/* Cheap filters first; else they keep their order. */
static List *
order_filters(List *filters, Index relid)
{
	List	   *ordered = NIL;

	for (int rank = 0; rank <= LAST_RANK; rank++)
	{
		ListCell   *lc;

		foreach(lc, filters)
		{
			if (filter_rank(lfirst(lc), relid) == rank)
				ordered = lappend(ordered, lfirst(lc));
		}
	}
	return ordered;
}

static Plan *
vector_scan_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List	   *rest;
	List	   *filters = vector_scan_filters(clauses, rel->relid, &rest);

	filters = order_filters(filters, rel->relid);
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(rest, false);
	scan->scan.scanrelid = rel->relid;
	scan->flags = best_path->flags;
	scan->custom_exprs = extract_actual_clauses(filters, false);
	scan->custom_private = join_filter_plan_scan(root, best_path);
	scan->methods = &vector_scan_plan_methods;
	return &scan->scan.plan;
}
