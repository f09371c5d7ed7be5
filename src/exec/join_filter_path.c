/*
 * join_filter_path.c
 *		Proposing hash joins that filter the scan of their probe side.
 *
 * Beside core's hash joins another one is added whose probe side is a vectorised
 * scan of one table, and whose build side passes through a node that reads the
 * keys.  Only joins qualify that drop probe rows without a match, and only
 * clauses of columns that are integers underneath, compared by their types' own
 * equality.  A semijoin may also be the join of the other side with the scan's
 * rows made unique.
 *
 * The two plan nodes know each other by an executor parameter, as a recursive
 * union and its work table do: the scan, which begins first, leaves the filters
 * there.
 *
 * Joins with a shared hash table (Parallel Hash) are left to core.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "columnar.h"
#include "compat.h"
#include "exec/join_filter.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paramassign.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

/* A filter must promise to leave no larger part of the rows. */
#define USEFUL_PART		0.8

static set_join_pathlist_hook_type prev_set_join_pathlist_hook;

static Plan *join_filter_plan(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

static const CustomPathMethods join_filter_path_methods = {
	.CustomName = JOIN_FILTER_NAME,
	.PlanCustomPath = join_filter_plan
};

const CustomScanMethods join_filter_plan_methods = {
	.CustomName = JOIN_FILTER_NAME,
	.CreateCustomScanState = join_filter_create_state
};

/* A join for which paths are proposed. */
typedef struct JoinQuestion
{
	PlannerInfo *root;
	RelOptInfo *joinrel;
	RelOptInfo *outer;
	RelOptInfo *inner;
	JoinType	jointype;
	JoinPathExtraData *extra;
	List	   *hash_clauses;	/* RestrictInfos */

	/* Those of them that filter the scan. */
	List	   *clauses;		/* without RestrictInfo */
	List	   *attnos;			/* of the scan */
	List	   *outer_kinds;	/* JoinKeyKinds */
	List	   *inner_vars;
	List	   *inner_kinds;
	double		part;			/* of the rows that they leave */
} JoinQuestion;

/* ---- which clauses ---- */

static JoinKeyKind
key_kind(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return JOIN_KEY_INT16;
		case INT4OID:
		case DATEOID:
			return JOIN_KEY_INT32;
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return JOIN_KEY_INT64;
		case OIDOID:
			return JOIN_KEY_UINT32;
		default:
			return JOIN_KEY_NONE;
	}
}

static bool
is_integer_type(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Does the operator compare the integers that values of these types are?  Its
 * hash semantics are known already; a user's operator may mean anything.
 */
static bool
compares_integers(Oid operator, Oid left, Oid right)
{
	return operator < FirstNormalObjectId &&
		key_kind(left) != JOIN_KEY_NONE && key_kind(right) != JOIN_KEY_NONE &&
		(left == right || (is_integer_type(left) && is_integer_type(right)));
}

static Expr *
strip_relabel(Node *node)
{
	while (node && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return (Expr *) node;
}

/* A hash join's clause: one side of each relation. */
static bool
is_hash_clause(const JoinQuestion *question, const RestrictInfo *rinfo)
{
	if (IS_OUTER_JOIN(question->jointype) &&
		RINFO_IS_PUSHED_DOWN(rinfo, question->joinrel->relids))
		return false;
	if (!rinfo->can_join || !OidIsValid(rinfo->hashjoinoperator))
		return false;
	return (bms_is_subset(rinfo->left_relids, question->outer->relids) &&
			bms_is_subset(rinfo->right_relids, question->inner->relids)) ||
		(bms_is_subset(rinfo->left_relids, question->inner->relids) &&
		 bms_is_subset(rinfo->right_relids, question->outer->relids));
}

/* Note a clause that filters the scan. */
static void
add_clause(JoinQuestion *question, const RestrictInfo *rinfo)
{
	OpExpr	   *clause = (OpExpr *) rinfo->clause;
	bool		outer_is_left = bms_is_subset(rinfo->left_relids,
											  question->outer->relids);
	Var		   *outer_var;
	Expr	   *inner_expr;
	Oid			left;
	Oid			right;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2)
		return;
	op_input_types(clause->opno, &left, &right);
	if (!compares_integers(clause->opno, left, right))
		return;

	outer_var = (Var *) strip_relabel(outer_is_left ? linitial(clause->args) :
									  lsecond(clause->args));
	inner_expr = strip_relabel(outer_is_left ? lsecond(clause->args) :
							   linitial(clause->args));
	if (!IsA(outer_var, Var) || !IsA(inner_expr, Var) ||
		outer_var->varno != question->outer->relid ||
		outer_var->varattno <= 0)
		return;

	question->clauses = lappend(question->clauses, clause);
	question->attnos = lappend_int(question->attnos, outer_var->varattno);
	question->outer_kinds = lappend_int(question->outer_kinds,
										key_kind(outer_is_left ? left : right));
	question->inner_vars = lappend(question->inner_vars, inner_expr);
	question->inner_kinds = lappend_int(question->inner_kinds,
										key_kind(outer_is_left ? right : left));
}

static void
find_clauses(JoinQuestion *question)
{
	ListCell   *lc;

	foreach(lc, question->extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (!is_hash_clause(question, rinfo))
			continue;
		question->hash_clauses = lappend(question->hash_clauses, rinfo);
		add_clause(question, rinfo);
	}
}

/*
 * The part of the probe rows that have a match.  The clauses come without their
 * RestrictInfos, in which core would keep the answer for questions of its own.
 */
static double
matching_part(const JoinQuestion *question)
{
	SpecialJoinInfo *semijoin = makeNode(SpecialJoinInfo);

	semijoin->min_lefthand = question->outer->relids;
	semijoin->min_righthand = question->inner->relids;
	semijoin->syn_lefthand = question->outer->relids;
	semijoin->syn_righthand = question->inner->relids;
	semijoin->jointype = JOIN_SEMI;
	return clauselist_selectivity(question->root, question->clauses, 0,
								  JOIN_SEMI, semijoin);
}

/* ---- paths ---- */

/* A vectorised scan of that kind without parameters, or NULL. */
static CustomPath *
find_scan(List *paths, bool is_parallel)
{
	ListCell   *lc;

	foreach(lc, paths)
	{
		CustomPath *path = lfirst(lc);

		if (IsA(path, CustomPath) &&
			path->methods == &vector_scan_path_methods &&
			path->path.param_info == NULL &&
			path->path.parallel_aware == is_parallel)
			return path;
	}
	return NULL;
}

/* Where the keys are in the rows of the inner path; NIL if one is not. */
static List *
find_keys(const JoinQuestion *question, const Path *inner)
{
	List	   *resnos = NIL;
	ListCell   *lc;

	foreach(lc, question->inner_vars)
	{
		int			resno = 0;
		ListCell   *lc2;

		foreach(lc2, inner->pathtarget->exprs)
		{
			if (equal(lfirst(lc2), lfirst(lc)))
				resno = foreach_current_index(lc2) + 1;
		}
		if (resno == 0)
			return NIL;
		resnos = lappend_int(resnos, resno);
	}
	return resnos;
}

/*
 * Both paths have in common a list of the parameter's number, not known yet, and
 * whether the hash table's keys are those of the filters and nothing else.
 */
static List *
make_link(const JoinQuestion *question)
{
	return list_make2_int(-1, list_length(question->clauses) ==
						  list_length(question->hash_clauses));
}

static Path *
make_filter_path(const JoinQuestion *question, Path *inner, List *link,
				 List *resnos)
{
	CustomPath *path = makeNode(CustomPath);

	path->path = *inner;
	path->path.type = T_CustomPath;
	path->path.pathtype = T_CustomScan;
	path->path.parallel_aware = false;
	path->path.total_cost += cpu_operator_cost * inner->rows *
		list_length(question->clauses);
	path->custom_paths = list_make1(inner);
	path->custom_private = list_make3(link, resnos, question->inner_kinds);
	path->methods = &join_filter_path_methods;
	return &path->path;
}

/*
 * The scan's different rows by what the semijoin compares, as core makes them
 * unique by hashing; NULL if it cannot.  The filter takes all of equal rows or
 * none, because it reads nothing that is not compared.
 */
static Path *
make_unique_path(const JoinQuestion *question, const Path *scan)
{
	SpecialJoinInfo *sjinfo = question->extra->sjinfo;
	UniquePath *model = create_unique_path(question->root, question->outer,
										   question->outer->cheapest_total_path,
										   sjinfo);
	UniquePath *path;
	Path		agg;

	if (model == NULL)
		return NULL;
	path = makeNode(UniquePath);
	*path = *model;
	path->subpath = unconstify(Path *, scan);
	path->path.rows = clamp_row_est(model->path.rows * question->part);
	path->path.pathkeys = NIL;
	agg = *scan;
	if (model->umethod != UNIQUE_PATH_NOOP)
	{
		if (!sjinfo->semi_can_hash)
			return NULL;
		path->umethod = UNIQUE_PATH_HASH;
		cost_agg(&agg, question->root, AGG_HASHED, NULL,
				 list_length(path->uniq_exprs), path->path.rows, NIL,
				 scan->disabled_nodes, scan->startup_cost, scan->total_cost,
				 scan->rows, scan->pathtarget->width);
	}
	path->path.startup_cost = agg.startup_cost;
	path->path.total_cost = agg.total_cost;
	return &path->path;
}

/* The join of a scan with the inner path, or NULL. */
static Path *
make_join_path(const JoinQuestion *question, CustomPath *scan, Path *inner,
			   Relids required_outer)
{
	List	   *resnos = find_keys(question, inner);
	List	   *link = make_link(question);
	JoinType	jointype = question->jointype;
	JoinCostWorkspace workspace;
	CustomPath *thinned;
	Path	   *outer;

	if (resnos == NIL)
		return NULL;
	thinned = vector_scan_thinned_path(scan, question->part,
									   list_length(question->clauses));
	thinned->custom_private = list_make3(link, question->attnos,
										 question->outer_kinds);
	outer = &thinned->path;
	if (jointype == JOIN_UNIQUE_OUTER)
	{
		outer = make_unique_path(question, outer);
		jointype = JOIN_INNER;
		if (outer == NULL)
			return NULL;
	}
	inner = make_filter_path(question, inner, link, resnos);
	initial_cost_hashjoin(question->root, &workspace, jointype,
						  question->hash_clauses, outer, inner,
						  question->extra, false);
	return (Path *)
		create_hashjoin_path(question->root, question->joinrel, jointype,
							 &workspace, question->extra, outer, inner, false,
							 question->extra->restrictlist, required_outer,
							 question->hash_clauses);
}

static void
add_serial_path(const JoinQuestion *question)
{
	CustomPath *scan = find_scan(question->outer->pathlist, false);
	Path	   *inner = question->inner->cheapest_total_path;
	Relids		required_outer;
	Path	   *path;

	if (scan == NULL || bms_overlap(PATH_REQ_OUTER(inner),
									question->outer->relids))
		return;
	required_outer = calc_non_nestloop_required_outer(&scan->path, inner);
	if (required_outer &&
		!bms_overlap(required_outer, question->extra->param_source_rels))
		return;
	path = make_join_path(question, scan, inner, required_outer);
	if (path)
		add_path(question->joinrel, path);
}

/* Each process has a hash table of its own. */
static void
add_partial_join_path(const JoinQuestion *question)
{
	CustomPath *scan = find_scan(question->outer->partial_pathlist, true);
	Path	   *inner = question->inner->cheapest_total_path;
	Path	   *path;

	if (scan == NULL || question->jointype == JOIN_RIGHT ||
		question->jointype == JOIN_UNIQUE_OUTER ||
		!question->joinrel->consider_parallel ||
		!bms_is_empty(question->joinrel->lateral_relids))
		return;
	if (!inner->parallel_safe)
		inner = get_cheapest_parallel_safe_total_inner(question->inner->pathlist);
	if (inner == NULL || !bms_is_empty(PATH_REQ_OUTER(inner)))
		return;
	path = make_join_path(question, scan, inner, NULL);
	if (path)
		add_partial_path(question->joinrel, path);
}

/* ---- hook ---- */

static bool
is_candidate(const JoinQuestion *question)
{
	RelOptInfo *outer = question->outer;
	ListCell   *lc;

	if (!columnar_vector_scan || !enable_hashjoin || !IS_SIMPLE_REL(outer) ||
		outer->rtekind != RTE_RELATION ||
		outer->rows < VECTOR_ROWS ||
		(question->jointype != JOIN_INNER && question->jointype != JOIN_SEMI &&
		 question->jointype != JOIN_RIGHT &&
		 question->jointype != JOIN_UNIQUE_OUTER))
		return false;
	if (find_scan(outer->pathlist, false) == NULL &&
		find_scan(outer->partial_pathlist, true) == NULL)
		return false;

	/* A volatile function is called for as many rows as core calls it for. */
	foreach(lc, outer->baserestrictinfo)
	{
		if (contain_volatile_functions((Node *)
									   lfirst_node(RestrictInfo, lc)->clause))
			return false;
	}
	return !contain_volatile_functions((Node *) outer->reltarget->exprs);
}

static void
join_filter_set_join_pathlist(PlannerInfo *root, RelOptInfo *joinrel,
							  RelOptInfo *outerrel, RelOptInfo *innerrel,
							  JoinType jointype, JoinPathExtraData *extra)
{
	JoinQuestion question = {root, joinrel, outerrel, innerrel, jointype,
	extra};

	if (prev_set_join_pathlist_hook)
		prev_set_join_pathlist_hook(root, joinrel, outerrel, innerrel,
									jointype, extra);
	if (!is_candidate(&question))
		return;
	find_clauses(&question);
	if (question.clauses == NIL)
		return;
	question.part = matching_part(&question);
	if (question.part > USEFUL_PART)
		return;
	add_serial_path(&question);
	add_partial_join_path(&question);
}

void
join_filter_init(void)
{
	RegisterCustomScanMethods(&join_filter_plan_methods);
	prev_set_join_pathlist_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = join_filter_set_join_pathlist;
}

/* ---- plan ---- */

/*
 * What a path has in custom_private, with the parameter's number: the first of
 * the two nodes gets one.
 */
static List *
plan_private(PlannerInfo *root, CustomPath *path)
{
	List	   *link = linitial(path->custom_private);

	if (linitial_int(link) < 0)
		lfirst_int(list_head(link)) = assign_special_exec_param(root);
	return copyObject(path->custom_private);
}

List *
join_filter_plan_scan(PlannerInfo *root, CustomPath *path)
{
	return path->custom_private == NIL ? NIL : plan_private(root, path);
}

/*
 * Rows pass as the child makes them, so the node's columns are the child's, not
 * those of tlist, of which there may be fewer.
 */
static Plan *
join_filter_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *plan = makeNode(CustomScan);
	Plan	   *child = linitial(custom_plans);

	plan->scan.plan.targetlist = copyObject(child->targetlist);
	plan->scan.scanrelid = 0;
	plan->custom_scan_tlist = copyObject(child->targetlist);
	plan->custom_plans = custom_plans;
	plan->custom_private = plan_private(root, best_path);
	plan->methods = &join_filter_plan_methods;
	return &plan->scan.plan;
}
