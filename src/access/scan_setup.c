/*
 * scan_setup.c
 *		What has to be done about scan nodes when a plan starts.
 *
 * The server's own scan nodes ask their slot for all attributes up to the last
 * one that they need.  Here the slot learns which of them are really needed, so
 * that it skips the others.  And bitmap heap scans, up to 17, prefetch the
 * blocks that a bitmap names, which are no blocks of our file.
 *
 * A node that is started in another way (EvalPlanQual) decodes all.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/scan_setup.h"
#include "catalog/pg_am_d.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

static ExecutorStart_hook_type prev_executor_start = NULL;

/*
 * Add the columns that an aggregation takes from its input as it is.
 */
static void
pull_agg_columns(Agg *agg, Bitmapset **attrs)
{
	ListCell   *cell;

	pull_varattnos((Node *) agg->plan.targetlist, OUTER_VAR, attrs);
	pull_varattnos((Node *) agg->plan.qual, OUTER_VAR, attrs);
	for (int i = 0; i < agg->numCols; i++)
		*attrs = bms_add_member(*attrs,
								agg->grpColIdx[i] - FirstLowInvalidHeapAttributeNumber);
	foreach(cell, agg->chain)
		pull_agg_columns((Agg *) lfirst(cell), attrs);
}

/*
 * May the index return rows for which the node has to check the index's
 * conditions?  A B-tree never does; EvalPlanQual, which always checks them, has
 * nodes of its own.
 */
static bool
index_rechecks(const IndexScanState *scan)
{
	return scan->iss_RelationDesc == NULL ||
		scan->iss_RelationDesc->rd_rel->relam != BTREE_AM_OID;
}

/*
 * Add the columns that a node evaluates beside its target list and filter.
 */
static void
pull_node_columns(ScanState *scan, Bitmapset **attrs)
{
	Scan	   *plan = (Scan *) scan->ps.plan;
	Index		relid = plan->scanrelid;

	switch (nodeTag(plan))
	{
		case T_IndexScan:
			if (index_rechecks((IndexScanState *) scan))
				pull_varattnos((Node *) ((IndexScan *) plan)->indexqualorig, relid, attrs);
			pull_varattnos((Node *) ((IndexScan *) plan)->indexorderbyorig, relid, attrs);
			break;
		case T_BitmapHeapScan:
			pull_varattnos((Node *) ((BitmapHeapScan *) plan)->bitmapqualorig, relid, attrs);
			break;
		case T_TidScan:
			pull_varattnos((Node *) ((TidScan *) plan)->tidquals, relid, attrs);
			break;
		case T_TidRangeScan:
			pull_varattnos((Node *) ((TidRangeScan *) plan)->tidrangequals, relid, attrs);
			break;
		default:
			break;
	}
}

/*
 * Add the columns that a join takes from its input as it is; varno says which
 * input.
 */
static void
pull_join_columns(Join *join, Index varno, Bitmapset **attrs)
{
	ListCell   *cell;

	pull_varattnos((Node *) join->plan.targetlist, varno, attrs);
	pull_varattnos((Node *) join->plan.qual, varno, attrs);
	pull_varattnos((Node *) join->joinqual, varno, attrs);
	switch (nodeTag(join))
	{
		case T_NestLoop:
			foreach(cell, ((NestLoop *) join)->nestParams)
			{
				NestLoopParam *param = lfirst(cell);

				pull_varattnos((Node *) param->paramval, varno, attrs);
			}
			break;
		case T_MergeJoin:
			pull_varattnos((Node *) ((MergeJoin *) join)->mergeclauses, varno, attrs);
			break;
		case T_HashJoin:
			pull_varattnos((Node *) ((HashJoin *) join)->hashclauses, varno, attrs);
			pull_varattnos((Node *) ((HashJoin *) join)->hashkeys, varno, attrs);
			break;
		default:
			break;
	}
}

/*
 * Add the columns that the parent takes from a scan that does not project.
 * False if they are not known.
 */
static bool
pull_parent_columns(PlanState *parent, PlanState *child, Bitmapset **attrs)
{
	bool		is_outer = parent != NULL && outerPlanState(parent) == child;
	bool		is_inner = parent != NULL && innerPlanState(parent) == child;

	if (!is_outer && !is_inner)
		return false;

	switch (nodeTag(parent))
	{
		case T_AggState:
			pull_agg_columns((Agg *) parent->plan, attrs);
			return true;
		case T_NestLoopState:
		case T_MergeJoinState:
		case T_HashJoinState:
			pull_join_columns((Join *) parent->plan,
							  is_outer ? OUTER_VAR : INNER_VAR, attrs);
			return true;
		default:
			return false;
	}
}

/*
 * Tell the scan's slot what is needed.  Without a projection the slot itself
 * goes to the parent.
 */
static void
set_needed_columns(ScanState *scan, PlanState *parent)
{
	Scan	   *plan = (Scan *) scan->ps.plan;
	Bitmapset  *attrs = NULL;

	if (scan->ps.ps_ProjInfo != NULL)
		pull_varattnos((Node *) plan->plan.targetlist, plan->scanrelid, &attrs);
	else if (!pull_parent_columns(parent, &scan->ps, &attrs))
		return;

	pull_varattnos((Node *) plan->plan.qual, plan->scanrelid, &attrs);
	pull_node_columns(scan, &attrs);
	columnar_slot_set_needed(scan->ss_ScanTupleSlot, attrs);
	bms_free(attrs);
}

static bool
setup_node(PlanState *planstate, void *context)
{
	PlanState  *parent = context;

	if (planstate == NULL)
		return false;

	switch (nodeTag(planstate))
	{
		case T_SeqScanState:
		case T_SampleScanState:
		case T_IndexScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
			{
				ScanState  *scan = (ScanState *) planstate;

				if (scan->ss_ScanTupleSlot == NULL ||
					!TTS_IS_COLUMNAR(scan->ss_ScanTupleSlot))
					break;
				set_needed_columns(scan, parent);
				if (IsA(planstate, BitmapHeapScanState))
				{
					bitmap_scan_disable_prefetch((BitmapHeapScanState *) planstate);
					bitmap_scan_disable_skipping((BitmapHeapScanState *) planstate);
				}
				break;
			}
		default:
			break;
	}
	return planstate_tree_walker(planstate, setup_node, planstate);
}

static void
setup_executor_start(QueryDesc *query, int eflags)
{
	if (prev_executor_start)
		prev_executor_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);

	setup_node(query->planstate, NULL);
}

void
scan_setup_init(void)
{
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = setup_executor_start;
}
