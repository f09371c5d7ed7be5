/*
 * load_order.c
 *		May rows that wait in a load's buffer change places?
 *
 * A row has its number, hence its TID, when it is inserted, but nothing in a
 * buffer refers to it: as long as nobody has been told it, rows may be written
 * under each other's numbers, sorted.  The ways in which somebody is told are
 * few, since scans flush the buffer before they begin:
 *
 * - Index entries, made right after the row is put into the buffer.  This
 *	 includes whatever asks for a unique index: speculative insertion, rows that
 *	 foreign keys refer to, updates that move such a row to another partition.
 * - AFTER ROW triggers, deferred or not, with them foreign keys of this table:
 *	 the event has the TID, by which the trigger fetches the row.  Transition
 *	 tables hold copies of rows without TIDs.
 * - RETURNING ctid.
 *
 * Indexes and triggers are those that the relation has when the command's first
 * row comes.  Whoever adds one later waits for this transaction, or is it and
 * flushes the buffer first; whoever removes one would leave the TIDs known, so
 * this is asked at the beginning.
 */
#include "postgres.h"

#include "access/load_order.h"
#include "access/sysattr.h"
#include "compat.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "utils/relcache.h"

/*
 * A query of this transaction returns TIDs of rows it writes.  It is not worth
 * knowing which one: who asks for TIDs does not load millions of rows besides.
 */
static bool load_returns_tids = false;

bool
load_order_is_free(Relation rel)
{
	List	   *indexes;

	if (load_returns_tids)
		return false;
	if (rel->trigdesc != NULL && rel->trigdesc->trig_insert_after_row)
		return false;
	if (!rel->rd_rel->relhasindex)
		return true;
	indexes = RelationGetIndexList(rel);
	if (indexes == NIL)
		return true;
	list_free(indexes);
	return false;
}

/* ---- queries ---- */

static bool
mentions_tid(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno == SelfItemPointerAttributeNumber;
	return expression_tree_walker(node, mentions_tid, context);
}

static bool
plan_returns_tids(Plan *plan)
{
	return plan != NULL && IsA(plan, ModifyTable) &&
		mentions_tid((Node *) ((ModifyTable *) plan)->returningLists, NULL);
}

/*
 * Rows are written by the node at the top of a query and by those at the top of
 * its WITH clauses.
 */
void
load_order_note_query(QueryDesc *query)
{
	PlannedStmt *statement = query->plannedstmt;
	ListCell   *cell;

	if (!statement->hasReturning && !statement->hasModifyingCTE)
		return;
	if (plan_returns_tids(statement->planTree))
		load_returns_tids = true;
	foreach(cell, statement->subplans)
	{
		if (plan_returns_tids((Plan *) lfirst(cell)))
			load_returns_tids = true;
	}
}

void
load_order_forget_queries(void)
{
	load_returns_tids = false;
}
