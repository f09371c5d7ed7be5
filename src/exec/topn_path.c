/*
 * topn_path.c
 *		Proposing vectorised ORDER BY ... LIMIT over the rows of one table.
 *
 * A path is added to those of ordering, with the sort's pathkeys: core puts its
 * Limit above and no Sort.  Taken is a LIMIT (and OFFSET) that the planner
 * knows, of few rows, on plain columns of a columnar table.  In parallel each
 * process finds the first rows of what it scans, and core merges them.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "columnar.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "exec/vector_topn.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

/* Evaluating a vector of a key: 0.3 us. */
#define VECTOR_COST			0.1

/* Comparing a row with the last of the first: 2 ns. */
#define COMPARE_COST		0.0007

/* Fetching a winner, and a column of it: 3 and 1 us. */
#define FETCH_COST			1.0
#define FETCH_COLUMN_COST	0.3

static create_upper_paths_hook_type prev_create_upper_paths_hook;

static Plan *vector_topn_plan(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

static const CustomPathMethods vector_topn_path_methods = {
	.CustomName = VECTOR_TOPN_NAME,
	.PlanCustomPath = vector_topn_plan
};

const CustomScanMethods vector_topn_plan_methods = {
	.CustomName = VECTOR_TOPN_NAME,
	.CreateCustomScanState = vector_topn_create_state
};

/* Sort keys' expressions. */
static List *
sort_keys(PlannerInfo *root)
{
	return get_sortgrouplist_exprs(root->parse->sortClause,
								   root->processed_tlist);
}

/* Are the columns ones of the table, with a number? */
static bool
columns_are_plain(List *columns, Index relid)
{
	ListCell   *lc;

	foreach(lc, columns)
	{
		Var		   *var = (Var *) lfirst(lc);

		if (!IsA(var, Var) || var->varno != relid || var->varattno <= 0)
			return false;
	}
	return true;
}

static bool
is_candidate(PlannerInfo *root, RelOptInfo *input, PathTarget *target)
{
	Query	   *parse = root->parse;
	List	   *keys;

	if (!columnar_vector_agg || !IS_SIMPLE_REL(input) ||
		parse->sortClause == NIL || parse->hasTargetSRFs ||
		parse->rowMarks != NIL ||
		parse->limitOption == LIMIT_OPTION_WITH_TIES ||
		root->limit_tuples < 1 || root->limit_tuples > VECTOR_TOPN_LIMIT ||
		!vector_scan_is_candidate(root, input))
		return false;

	keys = sort_keys(root);
	return !contain_volatile_functions((Node *) keys) &&
		!contain_volatile_functions((Node *) target->exprs) &&
		columns_are_plain(pull_var_clause((Node *) list_concat(keys,
															   list_copy(target->exprs)),
										  PVC_INCLUDE_PLACEHOLDERS),
						  input->relid);
}

static void
cost_topn(PlannerInfo *root, CustomPath *path, List *keys)
{
	Path	   *child = linitial(path->custom_paths);
	PathTarget *target = path->path.pathtarget;
	double		nvectors = ceil(child->rows / VECTOR_LENGTH);
	int			ncolumns = list_length(pull_var_clause((Node *) target->exprs,
													   PVC_INCLUDE_PLACEHOLDERS));
	QualCost	key_cost;

	path->path.rows = Min(clamp_row_est(child->rows), root->limit_tuples);
	cost_qual_eval(&key_cost, keys, root);
	path->path.startup_cost = child->total_cost + key_cost.startup +
		VECTOR_COST * nvectors * list_length(keys) +
		(COMPARE_COST + key_cost.per_tuple) * child->rows +
		target->cost.startup;
	path->path.total_cost = path->path.startup_cost +
		(FETCH_COST + FETCH_COLUMN_COST * ncolumns +
		 target->cost.per_tuple) * path->path.rows;
}

static CustomPath *
make_path(PlannerInfo *root, RelOptInfo *rel, PathTarget *target,
		  CustomPath *child)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = target;
	path->path.pathkeys = root->sort_pathkeys;
	path->path.parallel_safe = child->path.parallel_safe &&
		rel->consider_parallel;
	path->path.parallel_workers = child->path.parallel_workers;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->methods = &vector_topn_path_methods;
	cost_topn(root, path, sort_keys(root));
	return path;
}

static void
add_paths(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output,
		  PathTarget *target)
{
	List	   *columns = pull_var_clause((Node *) sort_keys(root), 0);
	CustomPath *child = vector_scan_batch_path(root, input, columns);
	CustomPath *path = make_path(root, output, target, child);
	double		nrows;

	add_path(output, &path->path);
	if (!output->consider_parallel)
		return;
	child = vector_scan_shared_path(input, child, child->path.total_cost);
	if (child == NULL)
		return;
	path = make_path(root, output, target, child);
	nrows = path->path.rows * path->path.parallel_workers;
	if (path->path.parallel_safe)
		add_path(output, (Path *)
				 create_gather_merge_path(root, output, &path->path, target,
										  root->sort_pathkeys, NULL, &nrows));
}

static void
vector_topn_create_upper_paths(PlannerInfo *root, UpperRelationKind stage,
							   RelOptInfo *input_rel, RelOptInfo *output_rel,
							   void *extra)
{
	PathTarget *target = root->upper_targets[UPPERREL_FINAL];

	if (prev_create_upper_paths_hook)
		prev_create_upper_paths_hook(root, stage, input_rel, output_rel,
									 extra);
	if (stage == UPPERREL_ORDERED && is_candidate(root, input_rel, target))
		add_paths(root, input_rel, output_rel, target);
}

void
vector_topn_init(void)
{
	RegisterCustomScanMethods(&vector_topn_plan_methods);
	prev_create_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = vector_topn_create_upper_paths;
}

/* ---- plan ---- */

/* Are the first rows in the order asked for expected at the table's end? */
static bool
winners_come_late(PlannerInfo *root, Expr *key, Oid sort_operator)
{
	Var		   *var = (Var *) key;
	Oid			family;
	Oid			type;
	CompareType order;
	double		correlation;

	if (!IsA(var, Var) ||
		!get_ordering_op_properties(sort_operator, &family, &type, &order))
		return false;
	correlation =
		vector_scan_correlation(planner_rt_fetch(var->varno, root)->relid,
								var->varattno);
	return order == COMPARE_LT ? correlation < 0 :
		correlation > 0;
}

static Plan *
vector_topn_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);
	List	   *keys = sort_keys(root);
	List	   *operators = NIL;
	List	   *nulls_first = NIL;
	List	   *columns;
	ListCell   *lc;

	foreach(lc, root->parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		operators = lappend_oid(operators, clause->sortop);
		nulls_first = lappend_int(nulls_first, clause->nulls_first);
	}

	columns = pull_var_clause((Node *) tlist, 0);
	columns = list_concat(columns, pull_var_clause((Node *) keys, 0));
	plan->custom_scan_tlist = add_to_flat_tlist(NIL, columns);

	plan->scan.plan.targetlist = tlist;
	plan->scan.scanrelid = 0;
	plan->flags = best_path->flags;
	plan->custom_plans = custom_plans;
	plan->custom_exprs = keys;
	plan->custom_private =
		list_make4(operators, nulls_first,
				   list_make1_int((int) root->limit_tuples),
				   list_make1_int(winners_come_late(root, linitial(keys),
													linitial_oid(operators))));
	plan->methods = &vector_topn_plan_methods;
	return &plan->scan.plan;
}
