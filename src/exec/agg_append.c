/*
 * agg_append.c
 *		Vectorised aggregation of partitions and other children of a table.
 *
 * Each columnar child is aggregated to partial states by a node of its own,
 * below an Append that core's Agg node finishes; children that are not columnar
 * get a partial Agg node of core's.  This does not depend on
 * enable_partitionwise_aggregate, because it needs no key to be a partition
 * key and states are few.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

/* An expression of the parent as one of a child, through all levels. */
static Node *
translate(PlannerInfo *root, Node *node, Index parent, Index child)
{
	AppendRelInfo *info = root->append_rel_array[child];

	if (info->parent_relid != parent)
		node = translate(root, node, parent, info->parent_relid);
	return adjust_appendrel_attrs(root, node, 1, &info);
}

/* Is the relation below the parent, at whatever level? */
static bool
descends_from(PlannerInfo *root, Index relid, Index parent)
{
	while (root->append_rel_array[relid] != NULL)
	{
		relid = root->append_rel_array[relid]->parent_relid;
		if (relid == parent)
			return true;
	}
	return false;
}

/*
 * The tables that the parent's rows are in; *found is false if there is
 * something else among its children.
 */
static List *
find_leaves(PlannerInfo *root, Index parent, bool *found)
{
	List	   *leaves = NIL;

	*found = true;
	if (root->append_rel_array == NULL)
		return NIL;
	for (Index relid = 1; relid < root->simple_rel_array_size; relid++)
	{
		RelOptInfo *rel = root->simple_rel_array[relid];
		RangeTblEntry *rte;

		if (rel == NULL || !descends_from(root, relid, parent))
			continue;
		rte = planner_rt_fetch(relid, root);
		if (rte->rtekind != RTE_RELATION || !bms_is_empty(rel->lateral_relids))
			*found = false;
		if (!rte->inh && !IS_DUMMY_REL(rel))
			leaves = lappend(leaves, rel);
	}
	return leaves;
}

static PathTarget *
translate_target(PlannerInfo *root, PathTarget *target, Index parent,
				 Index child)
{
	PathTarget *result = copy_pathtarget(target);

	result->exprs = (List *) translate(root, (Node *) target->exprs, parent,
									   child);
	return result;
}

/* The question as it is for a child. */
static AggQuestion
ask_child(const AggQuestion *question, RelOptInfo *child)
{
	PlannerInfo *root = question->root;
	Index		parent = question->input->relid;
	AggQuestion result = *question;

	result.input = child;
	result.having = NIL;
	result.keys = (List *) translate(root, (Node *) question->keys, parent,
									 child->relid);
	result.aggrefs = (List *) translate(root, (Node *) question->aggrefs,
										parent, child->relid);
	return result;
}

/* Core's partial aggregation of a child. */
static Path *
make_plain_path(AggQuestion *question, RelOptInfo *child, PathTarget *target)
{
	PlannerInfo *root = question->root;
	Path	   *input = child->cheapest_total_path;
	PathTarget *input_target;
	AggClauseCosts costs;

	if (input == NULL || PATH_REQ_OUTER(input) != NULL)
		return NULL;
	input_target =
		translate_target(root,
						 question->input->cheapest_total_path->pathtarget,
						 question->input->relid, child->relid);
	input = (Path *) create_projection_path(root, child, input, input_target);

	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_INITIAL_SERIAL, &costs);
	return (Path *) create_agg_path(root, child, input, target,
									question->keys != NIL ?
									AGG_HASHED : AGG_PLAIN,
									AGGSPLIT_INITIAL_SERIAL,
									question->clauses, NIL, &costs,
									vector_agg_estimate_groups(question,
															   input->rows));
}

/*
 * Partial aggregation of a child, shared by processes or not; NULL if there is
 * no such path.  *is_vectorised is set if it is ours.
 */
static Path *
make_child_path(AggQuestion *question, RelOptInfo *child, PathTarget *target,
				bool is_parallel, bool *is_vectorised)
{
	PathTarget *child_target =
		translate_target(question->root, target, question->input->relid,
						 child->relid);
	AggQuestion child_question = ask_child(question, child);
	CustomPath *scan;

	if (vector_scan_is_candidate(question->root, child) &&
		vector_agg_find_columns(&child_question))
	{
		scan = vector_scan_batch_path(question->root, child,
									  child_question.columns);
		if (is_parallel)
			scan = vector_scan_shared_path(child, scan,
										   scan->path.total_cost);
		if (scan == NULL)
			return NULL;
		*is_vectorised = true;
		return &vector_agg_make_path(&child_question, child, child_target,
									 scan, NIL)->path;
	}
	return is_parallel ? NULL :
		make_plain_path(question, child, child_target);
}

/*
 * Append the children's partial groups; some of the children's paths may be
 * partial ones if is_parallel.
 *
 * The paths count as the tables' own, not as paths of partial grouping, for
 * that is how core finds out which partitions it may leave out at run time.
 */
static void
add_append_path(AggQuestion *question, List *leaves, bool is_parallel)
{
	PlannerInfo *root = question->root;
	RelOptInfo *rel = fetch_upper_rel(root, UPPERREL_PARTIAL_GROUP_AGG,
									  question->output->relids);
	PathTarget *target = vector_agg_partial_target(question);
	List	   *whole = NIL;
	List	   *shared = NIL;
	int			nworkers = 0;
	bool		is_vectorised = false;
	AppendPath *append;
	ListCell   *lc;

	foreach(lc, leaves)
	{
		RelOptInfo *child = lfirst(lc);
		Path	   *path = NULL;

		if (is_parallel)
			path = make_child_path(question, child, target, true,
								   &is_vectorised);
		if (path != NULL)
		{
			shared = lappend(shared, path);
			nworkers = Max(nworkers, path->parallel_workers);
			continue;
		}
		path = make_child_path(question, child, target, false,
							   &is_vectorised);
		if (path == NULL || (is_parallel && !path->parallel_safe))
			return;
		whole = lappend(whole, path);
	}
	if (!is_vectorised || (is_parallel && nworkers == 0))
		return;

	append = create_append_path(root, question->input, whole, shared, NIL, NULL, nworkers,
								is_parallel, -1);
	append->path.pathtarget = target;
	append->path.parallel_safe &= question->output->consider_parallel;
	if (is_parallel)
		vector_agg_add_gathered_path(question, rel, &append->path);
	else
		vector_agg_add_final_path(question, &append->path);
}

void
vector_agg_add_append_paths(AggQuestion *question)
{
	RangeTblEntry *rte = planner_rt_fetch(question->input->relid,
										  question->root);
	bool		found;
	List	   *leaves;

	if (rte->rtekind != RTE_RELATION || !rte->inh ||
		IS_DUMMY_REL(question->input))
		return;
	leaves = find_leaves(question->root, question->input->relid, &found);
	if (!found || leaves == NIL)
		return;

	add_append_path(question, leaves, false);
	if (question->output->consider_parallel && enable_parallel_append)
		add_append_path(question, leaves, true);
}
