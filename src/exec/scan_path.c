/*
 * scan_path.c
 *		Proposing vectorised scans to the planner.
 *
 * Paths are added beside core's, never put in their place.  Costs are pages of
 * the columns that are read, vectors to decode and rows to emit, less what
 * zone maps are expected to skip: that depends on how far a column's order
 * follows the rows', of which ANALYZE keeps the correlation.
 *
 * Joins may pass their values down: a path parameterized by a clause that zone
 * maps can use is proposed where the correlation promises that few vectors of
 * the table will be looked at for each value.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/table_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "columnar.h"
#include "compat.h"
#include "exec/vector_scan.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

/* Cost of decoding, or filtering, a vector of a column: 0.6 us. */
#define VECTOR_COST		0.2

/* Cost of opening a group, and of opening chunks of it: 3 and 6 us. */
#define GROUP_COST		1.0
#define SEGMENT_COST	2.0

/* Cost of a scan of an empty table: 15 us. */
#define SCAN_COST		5.0

/*
 * Cost of a row in row form, none of which can be skipped, and of a row header:
 * 90 and 20 ns.
 */
#define ROW_FORM_COST	0.03
#define HEADER_COST		0.007

/* Cost of reading the deleted rows of a group: 6 us. */
#define HOLES_COST		2.0

/*
 * A generic plan is kept while the table changes.  It is made for as many rows
 * in row form as come together before somebody moves them.
 */
#define GENERIC_ROW_FORM_ROWS	4096.0

/* Emitting a row against what core charges for reading a tuple. */
#define EMIT_FRACTION	0.8

/* A plain scan of the table does all that this one does, and more. */
#define SEQSCAN_FRACTION	0.95

/* Starting a worker pays from this much work on: 15 ms. */
#define PARALLEL_COST	5000.0

/* A parameterized path must promise to skip that much. */
#define PARAMETERIZED_FRACTION	0.5

static set_rel_pathlist_hook_type prev_set_rel_pathlist_hook;


/* ---- which relations ---- */

/* Columns (and system columns) that a scan has to return or test. */
static Bitmapset *
needed_attributes(RelOptInfo *rel, const PathTarget *target, List *clauses)
{
	Bitmapset  *attributes = NULL;
	ListCell   *lc;

	pull_varattnos((Node *) target->exprs, rel->relid, &attributes);
	foreach(lc, clauses)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, lc)->clause,
					   rel->relid, &attributes);
	return attributes;
}

/* The slot has a TID and the table's OID, but no tuple header. */
static bool
needs_tuple_header(Bitmapset *attributes)
{
	const int	base = FirstLowInvalidHeapAttributeNumber;

	for (int attno = base + 1; attno < 0; attno++)
	{
		if (attno == SelfItemPointerAttributeNumber ||
			attno == TableOidAttributeNumber)
			continue;
		if (bms_is_member(attno - base, attributes))
			return true;
	}
	return false;
}

/* WHERE CURRENT OF is a TID scan's. */
static bool
has_current_of(List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (IsA(lfirst_node(RestrictInfo, lc)->clause, CurrentOfExpr))
			return true;
	}
	return false;
}

static bool
is_candidate(RelOptInfo *rel, RangeTblEntry *rte)
{
	Relation	relation;
	bool		has_columns;

	if (!columnar_vector_scan || !IS_SIMPLE_REL(rel) ||
		rte->rtekind != RTE_RELATION || rte->inh ||
		rte->tablesample != NULL || IS_DUMMY_REL(rel) ||
		(rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW))
		return false;

	/* The planner holds a lock. */
	relation = table_open(rte->relid, NoLock);
	has_columns = relation_is_columnar(relation) &&
		!relation_is_row_form(relation);
	table_close(relation, NoLock);
	return has_columns &&
		!has_current_of(rel->baserestrictinfo) &&
		!needs_tuple_header(needed_attributes(rel, rel->reltarget,
												rel->baserestrictinfo));
}

/* What is known of a table that scans are proposed for. */
typedef struct ScanTable
{
	Oid			relid;
	UnsettledRows unsettled;
} ScanTable;

static void
scan_table_init(ScanTable *table, Oid relid)
{
	Relation	relation = table_open(relid, NoLock);

	table->relid = relid;
	relation_unsettled_rows(relation, &table->unsettled);
	table_close(relation, NoLock);
}

/* ---- costs ---- */

double
vector_scan_correlation(Oid relid, AttrNumber attno)
{
	HeapTuple	tuple;
	AttStatsSlot slot;
	double		correlation = 0;

	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid),
							Int16GetDatum(attno), BoolGetDatum(false));
	if (!HeapTupleIsValid(tuple))
		return 0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers == 1)
			correlation = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return Max(Min(correlation, 1.0), -1.0);
}

/* The filters of a column, which may be the two ends of a range. */
static List *
column_filters(RelOptInfo *rel, List *filters, AttrNumber attno)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, filters)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		FilterClause match;

		if (filter_clause_match(rinfo->clause, rel->relid, &match) &&
			match.attno == attno)
			result = lappend(result, rinfo);
	}
	return result;
}

/*
 * The part of the table's vectors that zone maps leave, by the column whose
 * filters leave least.  Fully clustered rows lie in as many vectors as they
 * fill and two more; scattered ones are everywhere.
 */
static double
vectors_left(PlannerInfo *root, RelOptInfo *rel, Oid relid, List *filters,
			 double nvectors)
{
	double		left = 1.0;
	ListCell   *lc;

	foreach(lc, filters)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		FilterClause match;
		double		selectivity;
		double		square;

		if (!filter_clause_match(rinfo->clause, rel->relid, &match) ||
			match.strategy == FILTER_NOT_EQUAL)
			continue;
		square = vector_scan_correlation(relid, match.attno);
		square *= square;
		selectivity = clauselist_selectivity(root,
											 column_filters(rel, filters,
															match.attno),
											 rel->relid, JOIN_INNER, NULL);
		left = Min(left, (1.0 - square) +
				   square * Min(1.0, selectivity + 2.0 / nvectors));
	}
	return left;
}

/*
 * Bytes of a column.  Only of varying width are statistics asked: that is a look
 * into the catalog for each column of each partition.
 */
static double
column_width(TupleDesc desc, Oid relid, RelOptInfo *rel, AttrNumber attno)
{
	Form_pg_attribute attr = TupleDescAttr(desc, attno - 1);
	double		width;

	if (attr->attlen > 0)
		return attr->attlen;
	width = get_attavgwidth(relid, attno);
	if (width <= 0)
		width = rel->attr_widths[attno - rel->min_attr];
	return width > 0 ? width : 8;
}

/*
 * Bytes of the columns in the set, and how many they are; of all the table's
 * if the set has the whole row.
 */
static double
columns_width(Oid relid, RelOptInfo *rel, Bitmapset *attributes, int *ncolumns)
{
	Relation	table = table_open(relid, NoLock);
	TupleDesc	desc = RelationGetDescr(table);
	double		width = 0;
	bool		is_whole_row =
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attributes);

	*ncolumns = 0;
	for (AttrNumber attno = 1; attno <= rel->max_attr; attno++)
	{
		if (!is_whole_row &&
			!bms_is_member(attno - FirstLowInvalidHeapAttributeNumber,
						   attributes))
			continue;
		if (TupleDescAttr(desc, attno - 1)->attisdropped)
			continue;
		width += column_width(desc, relid, rel, attno);
		(*ncolumns)++;
	}
	table_close(table, NoLock);
	return width;
}

/* Every column of the table, as a set. */
static Bitmapset *
whole_row(void)
{
	return bms_make_singleton(0 - FirstLowInvalidHeapAttributeNumber);
}

/* How much of the table a scan reads, for costs. */
typedef struct ScanVolume
{
	double		nvectors;		/* of the table */
	double		filter_vectors; /* that zone maps leave */
	double		output_vectors; /* with rows that pass the filters */
	double		ngroups;		/* the same by groups: chunks are read whole */
	double		filter_groups;
	double		output_groups;
	double		nrows;			/* such rows */
	int			nfilters;
	int			nfilter_columns;
	int			noutput_columns;	/* read for output_vectors only */
	double		filter_part;	/* of the table's bytes, by columns alone */
	double		output_part;
} ScanVolume;

static void
estimate_volume(PlannerInfo *root, RelOptInfo *rel, Oid relid,
				const PathTarget *target, List *clauses, List *filters,
				ScanVolume *volume)
{
	Bitmapset  *filter_attributes = NULL;
	double		tuples = Max(rel->tuples, 1);
	double		filter_width;
	double		width;
	double		table_width;
	int			ncolumns;
	int			ntable_columns;
	ListCell   *lc;

	foreach(lc, filters)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, lc)->clause,
					   rel->relid, &filter_attributes);
	filter_width = columns_width(relid, rel, filter_attributes,
								 &volume->nfilter_columns);
	width = columns_width(relid, rel,
						  needed_attributes(rel, target, clauses), &ncolumns);
	table_width = columns_width(relid, rel, whole_row(), &ntable_columns);
	table_width = Max(table_width, 1);

	volume->nfilters = list_length(filters);
	volume->noutput_columns = ncolumns - volume->nfilter_columns;
	volume->filter_part = filter_width / table_width;
	volume->output_part = (width - filter_width) / table_width;

	volume->nvectors = ceil(tuples / VECTOR_ROWS);
	volume->filter_vectors = volume->nvectors *
		vectors_left(root, rel, relid, filters, volume->nvectors);
	volume->nrows = tuples *
		clauselist_selectivity(root, filters, rel->relid, JOIN_INNER, NULL);

	/* At worst each row is in a vector of its own. */
	volume->output_vectors = Min(volume->filter_vectors,
								 Max(volume->nrows, 1));

	volume->ngroups = ceil(volume->nvectors / GROUP_VECTORS);
	volume->filter_groups = ceil(volume->filter_vectors / volume->nvectors *
								 volume->ngroups);
	volume->output_groups = Min(volume->filter_groups,
								Max(volume->nrows, 1));
}

/* Is there a parameter in the expression whose value is not known yet? */
static bool
has_unknown_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXTERN;
	return expression_tree_walker(node, has_unknown_parameter, context);
}

/* Cost of what zone maps cannot skip. */
static Cost
unsettled_cost(RelOptInfo *rel, const ScanTable *table, List *clauses)
{
	double		nrows = table->unsettled.nrow_form;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (has_unknown_parameter((Node *) rinfo->clause, NULL))
		{
			nrows = Max(nrows, Min(rel->tuples, GENERIC_ROW_FORM_ROWS));
			break;
		}
	}
	return ROW_FORM_COST * nrows +
		HEADER_COST * table->unsettled.nheaders +
		HOLES_COST * table->unsettled.nholed;
}

/*
 * Set the path's costs; clauses are all that it applies.  by_batch: rows do not
 * become tuples.
 */
static void
cost_vector_scan(PlannerInfo *root, RelOptInfo *rel, const ScanTable *table,
				 Path *path, List *clauses, bool by_batch)
{
	List	   *rest;
	List	   *filters = vector_scan_filters(clauses, rel->relid, &rest);
	ScanVolume	volume;
	double		page_cost;
	double		npages;
	double		nreads;
	QualCost	qual_cost;
	Cost		cost;

	estimate_volume(root, rel, table->relid, path->pathtarget, clauses, filters,
					&volume);

	get_tablespace_page_costs(rel->reltablespace, NULL, &page_cost);
	npages = rel->pages / volume.ngroups *
		(volume.filter_part * volume.filter_groups +
		 volume.output_part * volume.output_groups);
	nreads = volume.filter_vectors *
		(volume.nfilter_columns + volume.nfilters) +
		volume.output_vectors * volume.noutput_columns;

	cost = SCAN_COST + GROUP_COST * volume.ngroups +
		SEGMENT_COST * volume.filter_groups +
		unsettled_cost(rel, table, clauses) +
		page_cost * npages + VECTOR_COST * nreads;

	cost_qual_eval(&qual_cost, rest, root);
	cost += qual_cost.per_tuple * volume.nrows;
	if (!by_batch)
		cost += cpu_tuple_cost * EMIT_FRACTION * volume.nrows +
			path->pathtarget->cost.per_tuple * path->rows;

	path->startup_cost = qual_cost.startup + path->pathtarget->cost.startup;
	path->total_cost = path->startup_cost + cost;
}

/*
 * The plain scan of the same rows is the ceiling: it decodes the same vectors,
 * only that core's formula does not know of them.
 */
static void
cap_cost(PlannerInfo *root, RelOptInfo *rel, Path *path)
{
	Path	   *plain = create_seqscan_path(root, rel, PATH_REQ_OUTER(path),
											0);

	path->total_cost = Min(path->total_cost,
						   plain->total_cost * SEQSCAN_FRACTION);
	path->startup_cost = Min(path->startup_cost, path->total_cost);
	pfree(plain);
}

/* ---- paths ---- */

static CustomPath *
make_path(RelOptInfo *rel, ParamPathInfo *param_info)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info = param_info;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.rows = param_info ? param_info->ppi_rows : rel->rows;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION |
		CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->methods = &vector_scan_path_methods;
	return path;
}

/* As sequential scans, ours are for those who want to see them. */
static void
apply_settings(Path *path)
{
	if (!enable_seqscan)
		path_disable(path);
}

static CustomPath *
make_serial_path(PlannerInfo *root, RelOptInfo *rel, const ScanTable *table,
				 Relids required_outer)
{
	ParamPathInfo *param_info = get_baserel_parampathinfo(root, rel,
														  required_outer);
	CustomPath *path = make_path(rel, param_info);
	List	   *clauses = list_copy(rel->baserestrictinfo);

	if (param_info)
		clauses = list_concat(clauses, param_info->ppi_clauses);
	cost_vector_scan(root, rel, table, &path->path, clauses, false);
	cap_cost(root, rel, &path->path);
	return path;
}

/*
 * Workers that the work is worth: one from PARALLEL_COST on, one more for each
 * three times as much; no more than there are groups to hand out.
 */
static int
count_workers(RelOptInfo *rel, double cost)
{
	int			nworkers = 0;
	double		ngroups = ceil(rel->tuples / GROUP_ROWS);

	if (rel->rel_parallel_workers != -1)
		nworkers = rel->rel_parallel_workers;
	else
	{
		for (double limit = PARALLEL_COST; cost >= limit; limit *= 3)
			nworkers++;

		/* Children of one parent pay together. */
		if (nworkers == 0 && rel->reloptkind != RELOPT_BASEREL)
			nworkers = 1;
		nworkers = (int) Min(nworkers, Max(ngroups - 1, 0));
	}
	return Min(nworkers, max_parallel_workers_per_gather);
}

/* Processes that share the work, as core reckons. */
static double
count_processes(int nworkers)
{
	double		leader = parallel_leader_participation ?
		1.0 - 0.3 * nworkers : 0;

	return nworkers + Max(leader, 0);
}

/* The same scan, shared by processes; NULL if it is not worth that. */
static CustomPath *
make_parallel_path(RelOptInfo *rel, const CustomPath *serial, Cost shared_cost)
{
	int			nworkers = count_workers(rel, shared_cost);
	double		nprocesses = count_processes(nworkers);
	CustomPath *path;

	if (nworkers <= 0)
		return NULL;

	path = make_path(rel, NULL);
	path->flags &= ~CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->path.pathtarget = serial->path.pathtarget;
	path->path.parallel_aware = true;
	path->path.parallel_workers = nworkers;
	path->path.rows = clamp_row_est(serial->path.rows / nprocesses);
	path->path.startup_cost = serial->path.startup_cost;
	path->path.total_cost = serial->path.startup_cost +
		(serial->path.total_cost - serial->path.startup_cost) / nprocesses;
	apply_settings(&path->path);
	return path;
}

static void
add_parallel_path(RelOptInfo *rel, const CustomPath *serial)
{
	CustomPath *path = make_parallel_path(rel, serial,
										  serial->path.total_cost);

	if (path != NULL)
		add_partial_path(rel, &path->path);
}

/* ---- scans below vectorised nodes ---- */

bool
vector_scan_is_candidate(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *lc;

	if (!IS_SIMPLE_REL(rel) || !bms_is_empty(rel->lateral_relids) ||
		!is_candidate(rel, planner_rt_fetch(rel->relid, root)))
		return false;

	/* These put a node between the scan and the one above it. */
	foreach(lc, rel->baserestrictinfo)
	{
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return false;
	}
	return true;
}

CustomPath *
vector_scan_batch_path(PlannerInfo *root, RelOptInfo *rel, List *columns)
{
	CustomPath *path = make_path(rel, NULL);
	ScanTable	table;

	scan_table_init(&table, planner_rt_fetch(rel->relid, root)->relid);
	path->flags &= ~CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->path.pathtarget = create_empty_pathtarget();
	add_new_columns_to_pathtarget(path->path.pathtarget, columns);
	set_pathtarget_cost_width(root, path->path.pathtarget);
	cost_vector_scan(root, rel, &table, &path->path, rel->baserestrictinfo,
					 true);
	cap_cost(root, rel, &path->path);
	apply_settings(&path->path);
	return path;
}

CustomPath *
vector_scan_shared_path(RelOptInfo *rel, const CustomPath *scan,
						Cost shared_cost)
{
	if (!rel->consider_parallel)
		return NULL;
	return make_parallel_path(rel, scan, shared_cost);
}

/* ---- scans that a join filters ---- */

CustomPath *
vector_scan_thinned_path(const CustomPath *scan, double part, int nfilters)
{
	CustomPath *path = makeNode(CustomPath);
	double		nrows = scan->path.rows;
	Cost		cost = scan->path.total_cost - scan->path.startup_cost;
	Cost		saved = cpu_tuple_cost * EMIT_FRACTION * nrows * (1.0 - part);

	/* What it takes to read the table remains. */
	cost -= Min(saved, cost * Min(1.0 - part, 0.9));
	cost += VECTOR_COST * nfilters * ceil(nrows / VECTOR_ROWS);

	*path = *scan;
	path->flags &= ~CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->path.rows = clamp_row_est(nrows * part);
	path->path.total_cost = path->path.startup_cost + cost;
	return path;
}

/* ---- join clauses ---- */

/* The column that equivalence classes are searched for. */
typedef struct ClassSearch
{
	AttrNumber	attno;
} ClassSearch;

static bool
member_is_column(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *ec,
				 EquivalenceMember *em, void *argument)
{
	Expr	   *expr = em->em_expr;

	while (expr && IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	return expr && IsA(expr, Var) &&
		((Var *) expr)->varno == rel->relid &&
		((Var *) expr)->varattno == ((ClassSearch *) argument)->attno;
}

/*
 * Propose the relation with the clause's other side as parameter, if zone maps
 * will skip most of it.
 */
static void
consider_clause(PlannerInfo *root, RelOptInfo *rel, const ScanTable *table,
				RestrictInfo *rinfo, List **considered)
{
	FilterClause match;
	Relids		outer;
	double		nvectors = Max(ceil(rel->tuples / VECTOR_ROWS), 1);
	CustomPath *path;
	ListCell   *lc;

	if (!join_clause_is_movable_to(rinfo, rel) ||
		!filter_clause_match(rinfo->clause, rel->relid, &match) ||
		vectors_left(root, rel, table->relid, list_make1(rinfo), nvectors) >
		PARAMETERIZED_FRACTION)
		return;

	outer = bms_union(rinfo->clause_relids, rel->lateral_relids);
	outer = bms_del_member(outer, rel->relid);
	if (bms_is_empty(outer))
		return;
	foreach(lc, *considered)
	{
		if (bms_equal(outer, lfirst(lc)))
			return;
	}
	*considered = lappend(*considered, outer);

	path = make_serial_path(root, rel, table, outer);
	apply_settings(&path->path);
	add_path(rel, &path->path);
}

static void
add_parameterized_paths(PlannerInfo *root, RelOptInfo *rel,
						const ScanTable *table)
{
	List	   *considered = NIL;
	ListCell   *lc;

	foreach(lc, rel->joininfo)
		consider_clause(root, rel, table, lfirst(lc), &considered);

	if (!rel->has_eclass_joins)
		return;
	for (AttrNumber attno = 1; attno <= rel->max_attr; attno++)
	{
		ClassSearch search = {attno};
		List	   *clauses;

		if (vector_scan_correlation(table->relid, attno) == 0)
			continue;
		clauses =
			generate_implied_equalities_for_column(root, rel,
												   member_is_column, &search,
												   rel->lateral_referencers);
		foreach(lc, clauses)
			consider_clause(root, rel, table, lfirst(lc), &considered);
	}
}

/* ---- hook ---- */

static void
vector_scan_set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti,
							 RangeTblEntry *rte)
{
	ScanTable	table;
	CustomPath *path;

	if (prev_set_rel_pathlist_hook)
		prev_set_rel_pathlist_hook(root, rel, rti, rte);
	if (!is_candidate(rel, rte))
		return;

	scan_table_init(&table, rte->relid);
	path = make_serial_path(root, rel, &table, rel->lateral_relids);
	if (rel->consider_parallel && bms_is_empty(rel->lateral_relids))
		add_parallel_path(rel, path);
	apply_settings(&path->path);
	add_path(rel, &path->path);
	add_parameterized_paths(root, rel, &table);
}

void
vector_scan_init(void)
{
	RegisterCustomScanMethods(&vector_scan_plan_methods);
	prev_set_rel_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = vector_scan_set_rel_pathlist;
}
