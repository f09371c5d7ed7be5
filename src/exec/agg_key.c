/*
 * agg_key.c
 *		The keys of a vectorised aggregation.
 *
 * A key that is computed from other keys alone (GROUP BY a, a + 1) tells no
 * groups apart, nor does a constant: such dependent keys are not looked up but
 * computed for the groups that leave.  The keys that they are computed from must
 * be columns of types whose equal values are identical.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

/* Is a key a column whose equal values are the same to every function? */
static bool
is_base(Expr *key)
{
	Var		   *var = (Var *) key;
	VectorForm	form;

	if (!IsA(key, Var))
		return false;
	form = vector_form_of_type(var->vartype, var->vartypmod, var->varcollid);
	return form == FORM_INTEGER || form == FORM_STRING ||
		form == FORM_BOOLEAN;
}

/* The place of a column among the keys, from 1 on; 0 if it is none. */
static int
find_base(List *keys, const Var *var)
{
	ListCell   *lc;

	foreach(lc, keys)
	{
		if (is_base(lfirst(lc)) && equal(lfirst(lc), var))
			return foreach_current_index(lc) + 1;
	}
	return 0;
}

static bool
is_dependent(List *keys, Expr *key)
{
	ListCell   *lc;

	if (IsA(key, Var))
		return false;
	foreach(lc, pull_var_clause((Node *) key, 0))
	{
		if (find_base(keys, lfirst_node(Var, lc)) == 0)
			return false;
	}
	return true;
}

/* Columns of the table in an expression become keys in the scan slot. */
static Node *
refer_to_keys(Node *node, List *keys)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var		   *var = copyObject((Var *) node);

		var->varno = INDEX_VAR;
		var->varattno = find_base(keys, (Var *) node);
		return (Node *) var;
	}
	return expression_tree_mutator(node, refer_to_keys, keys);
}

/* Keys that are looked up; one at least. */
static bool *
find_dependent(List *keys)
{
	bool	   *dependent = palloc0(sizeof(bool) * list_length(keys));
	int			ndependent = 0;
	ListCell   *lc;

	foreach(lc, keys)
	{
		int			i = foreach_current_index(lc);

		dependent[i] = is_dependent(keys, lfirst(lc));
		ndependent += dependent[i];
	}
	if (ndependent == list_length(keys))
		dependent[0] = false;
	return dependent;
}

void
agg_keys_init(VectorAggState *state, List *exprs, List *operators)
{
	PlanState  *ps = &state->css.ss.ps;
	int			nkeys = list_length(exprs);
	bool	   *dependent;
	GroupKey   *keys;
	ListCell   *lc;

	state->nkeys = nkeys;
	if (nkeys == 0)
		return;

	dependent = find_dependent(exprs);
	keys = palloc0(sizeof(GroupKey) * nkeys);
	state->keys = palloc0(sizeof(AggInput *) * nkeys);
	state->key_values = palloc0(sizeof(Vector *) * nkeys);
	state->key_places = palloc0(sizeof(int) * nkeys);
	state->key_exprs = palloc0(sizeof(ExprState *) * nkeys);
	foreach(lc, exprs)
	{
		int			i = foreach_current_index(lc);
		Expr	   *expr = lfirst(lc);
		GroupKey   *key = &keys[state->ntable_keys];

		if (dependent[i])
		{
			Node	   *value = refer_to_keys((Node *) expr, exprs);

			state->key_exprs[i] = ExecInitExpr((Expr *) value, ps);
			continue;
		}
		state->key_places[i] = state->ntable_keys;
		state->keys[state->ntable_keys++] = agg_input_find(state, expr, NULL,
														   true);
		key->type = exprType((Node *) expr);
		key->typmod = exprTypmod((Node *) expr);
		key->collation = exprCollation((Node *) expr);
		key->equality = list_nth_oid(operators, i);
	}
	state->table = group_table_create(keys, state->ntable_keys);
	state->key_slot = vector_agg_init_slot(state, &TTSOpsVirtual);
	state->key_econtext = CreateExprContext(ps->state);
}

Datum
agg_key_value(VectorAggState *state, uint32 group, int key, bool *isnull)
{
	TupleTableSlot *slot = state->key_slot;

	if (state->key_exprs[key] == NULL)
		return group_table_key(state->table, group, state->key_places[key],
							   isnull);

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true,
		   sizeof(bool) * slot->tts_tupleDescriptor->natts);
	for (int i = 0; i < state->nkeys; i++)
	{
		if (state->key_exprs[i] == NULL)
			slot->tts_values[i] = group_table_key(state->table, group,
												  state->key_places[i],
												  &slot->tts_isnull[i]);
	}
	ExecStoreVirtualTuple(slot);
	state->key_econtext->ecxt_scantuple = slot;
	return ExecEvalExpr(state->key_exprs[key], state->key_econtext, isnull);
}
