/*
 * index_cost.c
 *		What it costs to fetch rows of a columnar table through an index.
 *
 * Core charges for pages of the table, of which there are few because they are
 * compressed, and hardly anything for a row on a page that it has.  In truth
 * a row somewhere in the table costs a look at a vector of each column that is
 * wanted (9 us for one number, 20 us for a text), and a row beside the last
 * one a third of a microsecond a column.  So the estimate of every index of a
 * columnar table has that added, which covers plain, parameterized, partial and
 * bitmap paths before the planner compares them.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "access/table_am.h"
#include "compat.h"
#include "exec/vector_scan.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "utils/rel.h"

/* Cost of a column of a row whose vectors have to be looked up. */
#define FAR_COLUMN_COST		3.0

/* Cost of a row, and of each column of it, next to the row before. */
#define NEAR_COST			0.15

static get_relation_info_hook_type prev_get_relation_info_hook;

/* Columns that have to be fetched, all if the whole row is wanted. */
static int
count_columns(RelOptInfo *rel, IndexPath *path)
{
	Bitmapset  *attributes = NULL;
	int			ncolumns = 0;
	ListCell   *lc;

	/* The index has them; the table is only asked for visibility. */
	if (path->path.pathtype == T_IndexOnlyScan)
		return 0;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &attributes);
	foreach(lc, path->indexinfo->indrestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		pull_varattnos((Node *) rinfo->clause, rel->relid, &attributes);
	}
	if (bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attributes))
		return rel->max_attr;
	for (int attno = 1; attno <= rel->max_attr; attno++)
	{
		if (bms_is_member(attno - FirstLowInvalidHeapAttributeNumber,
						  attributes))
			ncolumns++;
	}
	return ncolumns;
}

/*
 * Rows are far from each other as far as the index's order is not the
 * table's, and one at least is.
 */
static Cost
fetch_cost(RelOptInfo *rel, IndexPath *path, Selectivity selectivity,
		   double correlation)
{
	double		nrows = clamp_row_est(selectivity * rel->tuples);
	double		nfar = Max((1.0 - correlation * correlation) * nrows, 1.0);
	int			ncolumns = count_columns(rel, path);

	return nfar * ncolumns * FAR_COLUMN_COST +
		(nrows - nfar) * (1 + ncolumns) * NEAR_COST;
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
	*total_cost += fetch_cost(path->path.parent, path, *selectivity,
							  *correlation);
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
