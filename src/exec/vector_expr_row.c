/*
 * vector_expr_row.c
 *		Expressions evaluated by core's executor, row by row.
 *
 * For what has no kernel.  The columns that the expression reads are put into
 * the context's slot for each row of the mask, and for no other row.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "compat.h"
#include "exec/vector_node.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"

typedef struct RowNode
{
	VectorNode	base;			/* its arguments are columns */
	ExprState  *state;
	AttrNumber *attnos;			/* of arguments */
	const Datum **values;
	const bool **isnull;
} RowNode;

/* Have all columns at hand, by slot. */
static void
load_columns(RowNode *row, const uint64 *mask)
{
	for (int i = 0; i < row->base.nargs; i++)
		vector_column_datums(row->base.args[i], mask, &row->values[i],
							 &row->isnull[i]);
}

/* Make the context's slot a row. */
static void
store_row(RowNode *row, int slot)
{
	TupleTableSlot *tuple = row->base.context->slot;

	for (int i = 0; i < row->base.nargs; i++)
	{
		int			target = row->attnos[i] - 1;

		tuple->tts_values[target] = row->values[i][slot];
		tuple->tts_isnull[target] = row->isnull[i][slot];
	}
}

static const Vector *
evaluate_row(VectorNode *node, const uint64 *mask)
{
	RowNode    *row = (RowNode *) node;
	ExprContext *econtext = node->context->econtext;
	TupleTableSlot *tuple = node->context->slot;
	Vector	   *result = vector_node_start(node);

	load_columns(row, mask);
	tuple->tts_flags &= ~TTS_FLAG_EMPTY;
	tuple->tts_nvalid = tuple->tts_tupleDescriptor->natts;
	VECTOR_FOR_EACH(slot, mask)
	{
		Datum		value;
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		store_row(row, slot);
		econtext->ecxt_scantuple = tuple;
		value = ExecEvalExprSwitchContext(row->state, econtext, &isnull);
		vector_node_store(node, result, slot, value, isnull,
						  node->context->batch_context);
	}
	return result;
}

/* The attributes that an expression reads, as a list of Vars. */
static List *
columns_of(VectorCompiler *compiler, Expr *expr)
{
	TupleDesc	desc = compiler->context->slot->tts_tupleDescriptor;
	Index		varno = compiler->context->varno;
	Bitmapset  *attnos = NULL;
	List	   *columns = NIL;
	bool		is_whole_row;

	pull_varattnos((Node *) expr, varno, &attnos);
	is_whole_row = bms_is_member(-FirstLowInvalidHeapAttributeNumber, attnos);
	for (int attno = 1; attno <= desc->natts; attno++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, attno - 1);

		if (!is_whole_row &&
			!bms_is_member(attno - FirstLowInvalidHeapAttributeNumber, attnos))
			continue;
		if (attr->attisdropped)
			compiler->context->slot->tts_isnull[attno - 1] = true;
		else
			columns = lappend(columns,
							  makeVar(varno, attno, attr->atttypid,
									  attr->atttypmod, attr->attcollation, 0));
	}
	bms_free(attnos);
	return columns;
}

VectorNode *
vector_compile_row(VectorCompiler *compiler, Expr *expr, int reg)
{
	List	   *columns = columns_of(compiler, expr);
	int			ncolumns = list_length(columns);
	RowNode    *row = (RowNode *) vector_node_create(compiler, sizeof(RowNode),
													 expr, ncolumns, reg);

	row->base.evaluate = evaluate_row;
	row->state = ExecInitExpr(expr, compiler->context->parent);
	row->attnos = palloc(sizeof(AttrNumber) * Max(ncolumns, 1));
	row->values = palloc(sizeof(Datum *) * Max(ncolumns, 1));
	row->isnull = palloc(sizeof(bool *) * Max(ncolumns, 1));
	for (int i = 0; i < ncolumns; i++)
	{
		Var		   *var = list_nth_node(Var, columns, i);

		row->attnos[i] = var->varattno;
		row->base.args[i] = vector_compile_var(compiler, var);
	}
	return &row->base;
}
