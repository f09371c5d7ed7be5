/*
 * join_filter_exec.c
 *		ColumnarJoinFilter: reads the keys of a hash join's build side.
 *
 * The node returns its child's rows as they are, in its child's slot, and puts
 * their keys in the filters of the scan at the probe side.  Once the child has
 * no more rows, the filters are complete.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/join_filter.h"
#include "executor/executor.h"

static void join_filter_begin(CustomScanState *node, EState *estate,
							  int eflags);
static TupleTableSlot *join_filter_exec(CustomScanState *node);
static void join_filter_end(CustomScanState *node);
static void join_filter_rescan(CustomScanState *node);

static const CustomExecMethods join_filter_exec_methods = {
	.CustomName = JOIN_FILTER_NAME,
	.BeginCustomScan = join_filter_begin,
	.ExecCustomScan = join_filter_exec,
	.EndCustomScan = join_filter_end,
	.ReScanCustomScan = join_filter_rescan
};

Node *
join_filter_create_state(CustomScan *plan)
{
	JoinFilterState *state = (JoinFilterState *)
		newNode(sizeof(JoinFilterState), T_CustomScanState);

	state->css.methods = &join_filter_exec_methods;
	return (Node *) state;
}

static void
join_filter_begin(CustomScanState *node, EState *estate, int eflags)
{
	JoinFilterState *state = (JoinFilterState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	PlanState  *child;

	child = ExecInitNode(linitial(plan->custom_plans), estate, eflags);
	node->custom_ps = list_make1(child);

	/* The node above compiles expressions for the slots it will see. */
	node->ss.ps.resultops = ExecGetResultSlotOps(child,
												 &node->ss.ps.resultopsfixed);
	node->ss.ps.resultopsset = true;

	/* The join has begun its probe side before. */
	state->set = join_filter_find(plan, estate);
}

static TupleTableSlot *
join_filter_exec(CustomScanState *node)
{
	JoinFilterSet *set = ((JoinFilterState *) node)->set;
	TupleTableSlot *slot = ExecProcNode(linitial(node->custom_ps));

	if (set == NULL || set->is_complete)
		return slot;
	if (TupIsNull(slot))
		join_filter_finish(set);
	else
		join_filter_add(set, slot);
	return slot;
}

static void
join_filter_end(CustomScanState *node)
{
	ExecEndNode(linitial(node->custom_ps));
}

static void
join_filter_rescan(CustomScanState *node)
{
	JoinFilterState *state = (JoinFilterState *) node;
	PlanState  *child = linitial(node->custom_ps);

	if (state->set)
		join_filter_reset(state->set);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}
