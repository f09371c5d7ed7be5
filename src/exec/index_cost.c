/*
 * index_cost.c
 *		What it costs to fetch rows of a columnar table through an index.
 *
 * Core charges for pages of the table, of which there are few because they are
 * compressed, and hardly anything for a row on a page that it has.  In truth
 * a row somewhere in the table costs a look at a vector of each column that is
 * wanted (3.5 us for an integer, 9 us for a numeric, 17 us for a text), and a
 * row beside the last one costs 0.6 us and little more for each column.  So the
 * estimate of every index of a columnar table has that added, which covers
 * plain, parameterized, partial and bitmap paths before the planner compares
 * them.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/table_am.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_scan.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Cost of a row that has to be looked for, and of its columns, by type. */
#define FAR_ROW_COST		0.3
#define FAR_FIXED_COST		1.2
#define FAR_NUMERIC_COST	3.0
#define FAR_VARLENA_COST	6.0

/* Cost of a row next to the row before, and of a column of it. */
#define NEAR_ROW_COST		0.2
#define NEAR_COLUMN_COST	0.03

static get_relation_info_hook_type prev_get_relation_info_hook;

/* Is the clause one that the index answers, so that no row is asked? */
static bool
is_index_clause(IndexPath *path, RestrictInfo *rinfo)
{
	ListCell   *lc;

	foreach(lc, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, lc);

		if (clause->rinfo == rinfo && !clause->lossy)
			return true;
	}
	return false;
}

/* Columns that have to be fetched, as a set. */
static Bitmapset *
fetched_attributes(RelOptInfo *rel, IndexPath *path)
{
	Bitmapset  *attributes = NULL;
	ListCell   *lc;

	/* The index has them; the table is only asked for visibility. */
	if (path->path.pathtype == T_IndexOnlyScan)
		return NULL;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &attributes);
	foreach(lc, path->indexinfo->indrestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (!is_index_clause(path, rinfo))
			pull_varattnos((Node *) rinfo->clause, rel->relid, &attributes);
	}
	return attributes;
}

static Cost
far_column_cost(Oid relid, AttrNumber attno)
{
	Oid			type = get_atttype(relid, attno);

	if (!OidIsValid(type))
		return 0;				/* a dropped column */
	if (type == NUMERICOID)
		return FAR_NUMERIC_COST;
	return get_typlen(type) > 0 ? FAR_FIXED_COST : FAR_VARLENA_COST;
}

/*
 * Rows are far from each other as far as the index's order is not the
 * table's, and one at least is.  An index-only scan fetches only those that the
 * visibility map says nothing of.
 */
static Cost
fetch_cost(PlannerInfo *root, IndexPath *path, Selectivity selectivity,
		   double correlation)
{
	RelOptInfo *rel = path->path.parent;
	Oid			relid = planner_rt_fetch(rel->relid, root)->relid;
	Bitmapset  *attributes = fetched_attributes(rel, path);
	bool		is_whole_row =
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attributes);
	double		nrows = clamp_row_est(selectivity * rel->tuples);
	double		nfar;
	Cost		far_cost = FAR_ROW_COST;
	Cost		near_cost = NEAR_ROW_COST;

	if (path->path.pathtype == T_IndexOnlyScan)
		nrows *= 1.0 - rel->allvisfrac;
	nfar = Min(nrows, Max((1.0 - correlation * correlation) * nrows, 1.0));
	for (AttrNumber attno = 1; attno <= rel->max_attr; attno++)
	{
		if (!is_whole_row &&
			!bms_is_member(attno - FirstLowInvalidHeapAttributeNumber,
						   attributes))
			continue;
		far_cost += far_column_cost(relid, attno);
		near_cost += NEAR_COLUMN_COST;
	}
	return nfar * far_cost + (nrows - nfar) * near_cost;
}

static void
columnar_index_cost(PlannerInfo *root, IndexPath *path, double loop_count,
					Cost *startup_cost, Cost *total_cost,
					Selectivity *selectivity, double *correlation,
					double *npages)
{
	IndexAmRoutine *routine =
		GetIndexAmRoutineByAmId(path->indexinfo->relam, false);

	routine->amcostestimate(root, path, loop_count, startup_cost, total_cost,
							selectivity, correlation, npages);
	*total_cost += fetch_cost(root, path, *selectivity, *correlation);
}

static void
index_cost_get_relation_info(PlannerInfo *root, Oid relid, bool inhparent,
							 RelOptInfo *rel)
{
	Relation	relation;
	bool		has_columns;
	ListCell   *lc;

	if (prev_get_relation_info_hook)
		prev_get_relation_info_hook(root, relid, inhparent, rel);
	if (rel->indexlist == NIL || inhparent)
		return;

	/* The planner holds a lock. */
	relation = table_open(relid, NoLock);
	has_columns = relation_is_columnar(relation) &&
		!relation_is_row_form(relation);
	table_close(relation, NoLock);
	if (!has_columns)
		return;

	foreach(lc, rel->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);

		index->amcostestimate = columnar_index_cost;
	}
}

void
index_cost_init(void)
{
	prev_get_relation_info_hook = get_relation_info_hook;
	get_relation_info_hook = index_cost_get_relation_info;
}
