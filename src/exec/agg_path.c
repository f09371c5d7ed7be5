/*
 * agg_path.c
 *		Proposing vectorised aggregation to the planner.
 *
 * Paths are added to those of grouping, beside core's: a serial one, and two
 * in parallel.  In one, processes aggregate what they scan to partial states,
 * which core's Agg node finishes above a Gather; in the other they exchange
 * rows (agg_exchange.c), so that whole groups leave each.  (Core has gathered
 * its own partial paths by the time that extensions are asked, so the Gather is
 * added here.)
 *
 * An aggregation is taken as a whole or not at all: input from one columnar
 * table, every aggregate known to vector_aggregate.c, keys that can be hashed.
 * Everything else (grouping sets, volatile functions, columns that a primary
 * key implies) is core's, over a vectorised scan.
 */
#include "postgres.h"

#include <math.h>

#include "columnar.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"

/* Evaluating a vector, or adding it to an aggregate: 0.3 us. */
#define VECTOR_COST			0.1

/* Finding a row's group, by the key: 3 ns. */
#define KEY_COST			0.001

/*
 * With more groups than the processor keeps at hand a row takes 35 ns more.
 * That is no part of paths' costs, because core's formulas, which they are held
 * against, know nothing of it; it counts where ours are compared.
 */
#define CACHED_GROUPS		16384
#define FAR_GROUP_COST		0.012

/* What is left of the work where metadata answer for segments. */
#define KNOWN_FRACTION		0.02

/* Adding a row to the state of its group: 2 ns. */
#define STATE_COST			0.0007

/* Giving a row to the process that has its group: 30 ns, and 0.5 a byte. */
#define EXCHANGE_ROW_COST	0.01
#define EXCHANGE_BYTE_COST	0.00015

/* Giving an expression that core evaluates its row: 30 ns. */
#define BY_ROW_COST			0.01

static create_upper_paths_hook_type prev_create_upper_paths_hook;

/* ---- what is taken ---- */

/* Keys of the clauses; false if one cannot be hashed. */
static bool
find_keys(AggQuestion *question)
{
	ListCell   *lc;

	foreach(lc, question->clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *key = get_sortgroupclause_expr(clause, question->tlist);

		if (!clause->hashable || !OidIsValid(clause->eqop))
			return false;
		question->keys = lappend(question->keys, key);
		question->operators = lappend_oid(question->operators, clause->eqop);
	}
	return true;
}

/* Does an expression use columns other than in keys and aggregates? */
static bool
reads_ungrouped(Node *node, AggQuestion *question)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref) || list_member(question->keys, node))
		return false;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar) ||
		IsA(node, GroupingFunc))
		return true;
	return expression_tree_walker(node, reads_ungrouped, question);
}

/*
 * Find the columns that keys and aggregates read; false unless they are the
 * table's, with a number.
 */
bool
vector_agg_find_columns(AggQuestion *question)
{
	List	   *inputs = list_concat_copy(question->keys, question->aggrefs);
	ListCell   *lc;

	question->columns = pull_var_clause((Node *) inputs,
										PVC_RECURSE_AGGREGATES |
										PVC_INCLUDE_PLACEHOLDERS);
	foreach(lc, question->columns)
	{
		Var		   *var = (Var *) lfirst(lc);

		if (!IsA(var, Var) || var->varno != question->input->relid ||
			var->varattno <= 0)
			return false;
	}
	return true;
}

/*
 * Is it enough to see each value once, in any order?  Equal values must be
 * alike for the aggregate, as they are for count and the sums of integers.
 */
static bool
distinct_is_known(const Aggref *aggref)
{
	const SortGroupClause *clause;

	if (list_length(aggref->aggdistinct) != 1 ||
		list_length(aggref->args) != 1)
		return false;
	switch (aggref->aggfnoid)
	{
		case F_COUNT_ANY:
		case F_SUM_INT2:
		case F_SUM_INT4:
		case F_SUM_INT8:
		case F_AVG_INT2:
		case F_AVG_INT4:
		case F_AVG_INT8:
			clause = linitial_node(SortGroupClause, aggref->aggdistinct);
			return clause->hashable && OidIsValid(clause->eqop);
		default:
			return false;
	}
}

static bool
aggregates_are_known(AggQuestion *question)
{
	ListCell   *lc;

	foreach(lc, question->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);

		if (aggref->aggdistinct != NIL && !distinct_is_known(aggref))
			return false;
		if (!vector_aggregate_is_known(vector_agg_without_distinct(aggref)))
			return false;
	}
	return true;
}

/*
 * Find out what is asked for, of one table or of the children of one; false if
 * it is not for us.
 */
static bool
understand(AggQuestion *question)
{
	List	   *target = question->target->exprs;
	List	   *inputs;

	if (question->root->parse->hasTargetSRFs || !find_keys(question))
		return false;

	question->aggrefs = vector_agg_collect_aggrefs((Node *) target, NIL);
	question->aggrefs =
		vector_agg_collect_aggrefs((Node *) question->having,
								   question->aggrefs);
	inputs = list_concat_copy(question->keys, question->aggrefs);

	return !reads_ungrouped((Node *) target, question) &&
		!reads_ungrouped((Node *) question->having, question) &&
		!contain_volatile_functions((Node *) inputs) &&
		!contain_subplans((Node *) question->keys) &&
		vector_agg_find_columns(question) &&
		aggregates_are_known(question);
}

/* ---- costs ---- */

/* Evaluating an expression for all rows of the input. */
static Cost
input_cost(AggQuestion *question, Node *expr, double nrows, double nvectors)
{
	QualCost	cost;

	if (vector_expr_is_native(expr, question->input->relid))
		return VECTOR_COST * nvectors;
	cost_qual_eval_node(&cost, expr, question->root);
	return cost.startup + (cost.per_tuple + BY_ROW_COST) * nrows;
}

/* Set the path's costs and rows; its child is made. */
static void
cost_aggregation(AggQuestion *question, CustomPath *path, double ngroups,
				 List *having_quals)
{
	Path	   *child = linitial(path->custom_paths);
	PathTarget *target = path->path.pathtarget;
	double		nrows = clamp_row_est(child->rows);
	double		nvectors = ceil(nrows / VECTOR_LENGTH);
	int			nkeys = list_length(question->keys);
	Cost		cost = child->total_cost;
	QualCost	having;
	ListCell   *lc;

	foreach(lc, question->keys)
		cost += input_cost(question, lfirst(lc), nrows, nvectors);
	foreach(lc, question->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);

		cost += VECTOR_COST * nvectors;
		if (nkeys > 0)
			cost += STATE_COST * nrows;
		if (aggref->aggdistinct != NIL)
			cost += KEY_COST * (1 + nkeys) * nrows;
		if (aggref->args != NIL)
			cost += input_cost(question, (Node *)
							   linitial_node(TargetEntry, aggref->args)->expr,
							   nrows, nvectors);
		if (aggref->aggfilter != NULL)
			cost += input_cost(question, (Node *) aggref->aggfilter, nrows,
							   nvectors);
	}
	cost += KEY_COST * nkeys * nrows;

	path->path.rows = ngroups;
	if (having_quals != NIL)
	{
		cost_qual_eval(&having, having_quals, question->root);
		cost += having.startup + having.per_tuple * ngroups;
		path->path.rows =
			clamp_row_est(ngroups *
						  clauselist_selectivity(question->root, having_quals,
												 0, JOIN_INNER, NULL));
	}
	path->path.startup_cost = cost + target->cost.startup;
	path->path.total_cost = path->path.startup_cost +
		(cpu_tuple_cost + target->cost.per_tuple) * ngroups;
}

double
vector_agg_estimate_groups(AggQuestion *question, double nrows)
{
	if (question->keys == NIL)
		return 1;
	return estimate_num_groups(question->root, question->keys, nrows, NULL,
							   NULL);
}

/* ---- paths ---- */

/* A path without costs. */
static CustomPath *
make_path(AggQuestion *question, RelOptInfo *rel, PathTarget *target,
		  CustomPath *child, List *having)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = target;
	path->path.parallel_safe = child->path.parallel_safe &&
		question->output->consider_parallel;
	path->path.parallel_workers = child->path.parallel_workers;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(child);
	path->custom_private = list_make4(question->operators, question->keys,
									  having, NIL);
	path->methods = &vector_agg_path_methods;
	return path;
}

CustomPath *
vector_agg_make_path(AggQuestion *question, RelOptInfo *rel,
					 PathTarget *target, CustomPath *child, List *having)
{
	CustomPath *path = make_path(question, rel, target, child, having);
	double		ngroups = vector_agg_estimate_groups(question,
													 child->path.rows);

	cost_aggregation(question, path, ngroups, having);
	return path;
}

/* Groups, or values within groups that a DISTINCT aggregate tells apart. */
static double
count_entries(AggQuestion *question)
{
	double		nentries = question->ngroups;
	ListCell   *lc;

	foreach(lc, question->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);
		List	   *exprs = list_copy(question->keys);

		if (aggref->aggdistinct == NIL)
			continue;
		exprs = lappend(exprs,
						linitial_node(TargetEntry, aggref->args)->expr);
		nentries = Max(nentries,
					   estimate_num_groups(question->root, exprs,
										   question->input->rows, NULL, NULL));
	}
	return nentries;
}

/*
 * The same for one of several processes that exchange rows: each has its part
 * of the groups, one partition of them at a time.
 */
static CustomPath *
make_exchange_path(AggQuestion *question, CustomPath *child)
{
	double		nprocesses = question->input->rows / child->path.rows;
	double		ngroups = clamp_row_est(question->ngroups / nprocesses);
	CustomPath *path = make_path(question, question->output, question->target,
								 child, question->having);
	Cost		row_cost = EXCHANGE_ROW_COST +
		EXCHANGE_BYTE_COST * child->path.pathtarget->width;

	path->path.parallel_aware = true;
	cost_aggregation(question, path, ngroups, question->having);

	/* One partition's groups are at hand, which makes good for writing. */
	if (question->nentries > CACHED_GROUPS)
		row_cost = 0;
	path->path.startup_cost += row_cost * child->path.rows;
	path->path.total_cost += row_cost * child->path.rows;
	return path;
}

/*
 * A path of one process; returns it as it is without the query's LIMIT, as a
 * copy, because add_path() frees what is no better than other paths.
 */
static CustomPath *
add_serial_path(AggQuestion *question)
{
	CustomPath *child = vector_scan_batch_path(question->root,
											   question->input,
											   question->columns);
	CustomPath *path = vector_agg_make_path(question, question->output,
											question->target, child,
											question->having);
	List	   *wish = vector_agg_topn_wish(question);
	CustomPath *copy = makeNode(CustomPath);

	*copy = *path;
	add_path(question->output, wish != NIL ?
			 &vector_agg_topn_path(question, path, wish)->path : &path->path);
	return copy;
}

/* Will metadata answer for most segments, so that they are not read? */
static bool
is_known_by_segments(AggQuestion *question)
{
	ListCell   *lc;

	if (question->keys != NIL || question->input->baserestrictinfo != NIL)
		return false;
	foreach(lc, question->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);
		Expr	   *argument;
		AggShift	shift;

		if (aggref->aggdistinct != NIL || aggref->aggfilter != NULL ||
			!vector_aggregate_may_know_segments(aggref))
			return false;
		if (aggref->args == NIL)
			continue;
		argument = linitial_node(TargetEntry, aggref->args)->expr;
		if (!IsA(argument, Var) &&
			agg_shift_match(aggref, argument, &shift) == NULL)
			return false;
	}
	return true;
}

/* What the serial path scans, shared by processes; NULL if not worth it. */
static CustomPath *
shared_scan(AggQuestion *question, const CustomPath *serial)
{
	CustomPath *scan = linitial(serial->custom_paths);
	Cost		cost = serial->path.startup_cost;

	if (question->nentries > CACHED_GROUPS)
		cost += FAR_GROUP_COST * scan->path.rows;
	if (is_known_by_segments(question))
		cost *= KNOWN_FRACTION;
	return vector_scan_shared_path(question->input, scan, cost);
}

PathTarget *
vector_agg_partial_target(AggQuestion *question)
{
	PathTarget *target = create_empty_pathtarget();
	ListCell   *lc;

	foreach(lc, question->clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		add_column_to_pathtarget(target,
								 list_nth(question->keys,
										  foreach_current_index(lc)),
								 clause->tleSortGroupRef);
	}
	foreach(lc, question->aggrefs)
	{
		Aggref	   *aggref = makeNode(Aggref);

		memcpy(aggref, lfirst(lc), sizeof(Aggref));
		mark_partial_aggref(aggref, AGGSPLIT_INITIAL_SERIAL);
		add_column_to_pathtarget(target, (Expr *) aggref, 0);
	}
	return set_pathtarget_cost_width(question->root, target);
}

void
vector_agg_add_final_path(AggQuestion *question, Path *partial)
{
	PlannerInfo *root = question->root;
	AggClauseCosts costs;

	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_FINAL_DESERIAL, &costs);
	add_path(question->output, (Path *)
			 create_agg_path(root, question->output, partial,
							 question->target,
							 question->keys != NIL ? AGG_HASHED : AGG_PLAIN,
							 AGGSPLIT_FINAL_DESERIAL, question->clauses,
							 question->having, &costs, question->ngroups));
}

void
vector_agg_add_gathered_path(AggQuestion *question, RelOptInfo *rel,
							 Path *partial)
{
	double		nrows = partial->rows * Max(partial->parallel_workers, 1);
	GatherPath *gather = create_gather_path(question->root, rel, partial,
											partial->pathtarget, NULL, &nrows);

	vector_agg_add_final_path(question, &gather->path);
}

/* A path of processes that aggregate apart. */
static void
add_apart_path(AggQuestion *question, const CustomPath *serial)
{
	CustomPath *child = shared_scan(question, serial);
	CustomPath *path;
	RelOptInfo *rel;

	if (child == NULL)
		return;
	rel = fetch_upper_rel(question->root, UPPERREL_PARTIAL_GROUP_AGG,
						  question->output->relids);
	path = vector_agg_make_path(question, rel,
								vector_agg_partial_target(question), child,
								NIL);
	if (path->path.parallel_safe)
		vector_agg_add_gathered_path(question, rel, &path->path);
}

/*
 * By which rows are exchanged: keys, or else the only argument of DISTINCT
 * aggregates, if all aggregates can be merged.  NIL if there is nothing.
 */
static List *
exchange_keys(AggQuestion *question)
{
	Node	   *key = NULL;
	ListCell   *lc;

	if (question->keys != NIL)
		return question->keys;
	foreach(lc, question->aggrefs)
	{
		const Aggref *aggref = lfirst_node(Aggref, lc);
		Node	   *argument;

		if (!vector_aggregate_is_flat(aggref))
			return NIL;
		if (aggref->aggdistinct == NIL)
			continue;
		argument = (Node *) linitial_node(TargetEntry, aggref->args)->expr;
		if (aggref->aggfilter != NULL ||
			(key != NULL && !equal(key, argument)))
			return NIL;
		key = argument;
	}
	return key != NULL ? list_make1(key) : NIL;
}

/* A path of processes that exchange rows, whole groups of which leave each. */
static void
add_exchange_path(AggQuestion *question, const CustomPath *serial)
{
	CustomPath *child = shared_scan(question, serial);
	List	   *wish = vector_agg_topn_wish(question);
	CustomPath *path;
	double		nrows;

	/* Some groups, whichever they are, are found sooner without. */
	if (child == NULL || exchange_keys(question) == NIL ||
		(wish != NIL && linitial(wish) == NIL))
		return;
	path = make_exchange_path(question, child);
	if (wish != NIL)
		path = vector_agg_topn_path(question, path, wish);
	if (!path->path.parallel_safe)
		return;
	nrows = path->path.rows * question->input->rows / child->path.rows;
	add_path(question->output, (Path *)
			 create_gather_path(question->root, question->output, &path->path,
								question->target, NULL, &nrows));
}

/* Read a GROUP BY clause, or plain aggregates; false if it is not for us. */
static bool
ask_grouping(AggQuestion *question, const GroupPathExtraData *extra)
{
	Query	   *parse = question->root->parse;

	if (parse->groupingSets != NIL)
		return false;
	question->clauses = parse->groupClause;
	question->tlist = extra->targetList;
	question->target = question->output->reltarget;
	question->having = (List *) extra->havingQual;
	question->is_last = parse->distinctClause == NIL && !parse->hasWindowFuncs;
	question->can_partial = (extra->flags & GROUPING_CAN_PARTIAL_AGG) != 0;
	return true;
}

/* Read a DISTINCT clause, which groups by the whole target list. */
static bool
ask_distinct(AggQuestion *question)
{
	Query	   *parse = question->root->parse;

	if (parse->hasDistinctOn || parse->distinctClause == NIL)
		return false;
	question->clauses = parse->distinctClause;
	question->tlist = question->root->processed_tlist;
	question->target = question->root->upper_targets[UPPERREL_DISTINCT];
	question->is_last = true;
	question->can_partial = true;
	return true;
}

static bool
ask(AggQuestion *question, UpperRelationKind stage, const void *extra)
{
	/* UNION and its like have no input relation */
	if (!columnar_vector_agg || question->input == NULL ||
		!IS_SIMPLE_REL(question->input))
		return false;
	switch (stage)
	{
		case UPPERREL_GROUP_AGG:
			return ask_grouping(question, extra);
		case UPPERREL_DISTINCT:
			return ask_distinct(question);
		default:
			return false;
	}
}

static void
vector_agg_create_upper_paths(PlannerInfo *root, UpperRelationKind stage,
							  RelOptInfo *input_rel, RelOptInfo *output_rel,
							  void *extra)
{
	AggQuestion question = {root, input_rel, output_rel};

	if (prev_create_upper_paths_hook)
		prev_create_upper_paths_hook(root, stage, input_rel, output_rel,
									 extra);
	if (!ask(&question, stage, extra) || !understand(&question))
		return;

	question.ngroups = vector_agg_estimate_groups(&question, input_rel->rows);
	if (vector_scan_is_candidate(root, input_rel))
	{
		CustomPath *serial = add_serial_path(&question);

		question.nentries = count_entries(&question);
		if (question.can_partial && output_rel->consider_parallel)
			add_apart_path(&question, serial);
		if (output_rel->consider_parallel)
			add_exchange_path(&question, serial);
	}
	else if (question.can_partial)
		vector_agg_add_append_paths(&question);
}

void
vector_agg_init(void)
{
	RegisterCustomScanMethods(&vector_agg_plan_methods);
	prev_create_upper_paths_hook = create_upper_paths_hook;
	create_upper_paths_hook = vector_agg_create_upper_paths;
}
