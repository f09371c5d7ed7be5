/*
 * vector_expr.h
 *		Expressions evaluated by the batch.
 *
 * An expression is compiled to a tree of kernels.  Where there is no kernel
 * for a node, core's executor evaluates that part row by row, so every
 * expression compiles that ExecInitExpr takes.  Results, errors and the rows
 * for which errors are raised are core's: what a row does not reach (CASE,
 * COALESCE, AND, OR, strict functions of NULL) is not evaluated for it.
 */
#ifndef EXEC_VECTOR_EXPR_H
#define EXEC_VECTOR_EXPR_H

#include "exec/vector.h"
#include "exec/vector_source.h"
#include "nodes/execnodes.h"

typedef struct VectorExpr VectorExpr;

/* What expressions of one node share. */
typedef struct VectorExprContext
{
	PlanState  *parent;			/* of Params, SubPlans and expressions by row */
	ExprContext *econtext;		/* its per-tuple memory is reset by the row */
	VectorScanState *scan;		/* where columns come from */
	Index		varno;			/* of Vars that are the scan's columns */
	TupleTableSlot *slot;		/* row of the table for expressions by row */
	MemoryContext batch_context;	/* reset by the owner with each batch */
} VectorExprContext;

/* Memory is from the current context. */
extern VectorExpr *vector_expr_compile(Expr *expr, VectorExprContext *context);

/*
 * Evaluate for the rows of mask (a part of the current batch's).  The result is
 * valid until the next evaluation of the same expression or the next batch.
 * Its form is that of the expression's type, or DATUM for numerics that do not
 * fit; it may differ from batch to batch.
 */
extern const Vector *vector_expr_evaluate(VectorExpr *expr,
										  const uint64 *mask);

/*
 * The same for a string expression on one column with a dictionary: codes and
 * dictionary are set where they can be had.  Callers look at both.
 */
extern const Vector *vector_expr_evaluate_codes(VectorExpr *expr,
												const uint64 *mask);

/* Clear the rows for which a boolean expression is not true. */
extern void vector_expr_filter(VectorExpr *expr, uint64 *mask);

/* Before a rescan: parameters may have changed. */
extern void vector_expr_reset(VectorExpr *expr);

/*
 * True if no part of the expression is evaluated row by row, for costs and
 * EXPLAIN; also asked by the planner.
 */
extern bool vector_expr_is_native(Node *expr, Index varno);

#endif							/* EXEC_VECTOR_EXPR_H */
