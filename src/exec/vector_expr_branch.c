/*
 * vector_expr_branch.c
 *		CASE, COALESCE, NULLIF, IS DISTINCT FROM, GREATEST and LEAST.
 *
 * Each arm is evaluated for the rows that come to it, and what it gives is
 * merged into the result.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_node.h"
#include "nodes/nodeFuncs.h"

/* Remove rows from open; false if none is left. */
static bool
close_rows(uint64 *open, const uint64 *rows)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
		open[w] &= ~rows[w];
	return !vector_mask_is_empty(open);
}

/* ---- CASE ---- */

/* The value that arms of a CASE compare with: what CaseTestExpr stands for. */
typedef struct TestNode
{
	VectorNode	base;
	const Vector *value;
} TestNode;

static const Vector *
evaluate_test(VectorNode *node, const uint64 *mask)
{
	return ((TestNode *) node)->value;
}

/* Arguments: condition and result of each arm, and last the default. */
typedef struct CaseNode
{
	VectorNode	base;
	VectorNode *operand;		/* CASE operand WHEN ..., or NULL */
	TestNode   *test;
} CaseNode;

static const Vector *
evaluate_case(VectorNode *node, const uint64 *mask)
{
	CaseNode   *branch = (CaseNode *) node;
	uint64		open[VECTOR_WORDS];
	uint64		merged[VECTOR_WORDS] = {0};

	if (branch->operand)
		branch->test->value = vector_node_evaluate(branch->operand, mask);
	vector_node_start(node);
	memcpy(open, mask, sizeof(open));
	for (int i = 0; i + 1 < node->nargs; i += 2)
	{
		const Vector *condition = vector_node_evaluate(node->args[i], open);
		uint64		rows[VECTOR_WORDS];

		Assert(condition->form == FORM_BOOLEAN);
		for (int w = 0; w < VECTOR_WORDS; w++)
			rows[w] = vector_true_word(condition, w) & open[w];
		if (vector_mask_is_empty(rows))
			continue;
		vector_node_merge(node, vector_node_evaluate(node->args[i + 1], rows),
						  rows, merged);
		if (!close_rows(open, rows))
			return &node->result;
	}
	vector_node_merge(node,
					  vector_node_evaluate(node->args[node->nargs - 1], open),
					  open, merged);
	return &node->result;
}

/* Compile the operand; its result stays while the arms are evaluated. */
static bool
compile_operand(VectorCompiler *compiler, CaseNode *branch, Expr *operand,
				int *reg)
{
	branch->operand = vector_node_compile(compiler, operand, *reg);
	if (branch->operand == NULL)
		return false;
	if (branch->operand->reg >= 0)
		*reg = branch->operand->reg + 1;
	branch->test = (TestNode *) vector_node_create(compiler, sizeof(TestNode),
												   operand, 0, -1);
	branch->test->base.evaluate = evaluate_test;
	return true;
}

/* Arms are done with one after the other, so they share registers. */
static bool
compile_arms(VectorCompiler *compiler, VectorNode *node, CaseExpr *expr,
			 int reg)
{
	int			i = 0;
	ListCell   *lc;

	foreach(lc, expr->args)
	{
		CaseWhen   *when = lfirst_node(CaseWhen, lc);

		node->args[i++] = vector_node_compile(compiler, when->expr, reg);
		node->args[i++] = vector_node_compile(compiler, when->result, reg);
	}
	node->args[i++] = vector_node_compile(compiler, expr->defresult, reg);
	Assert(i == node->nargs);
	for (i = 0; i < node->nargs; i++)
	{
		if (node->args[i] == NULL)
			return false;
	}
	return true;
}

VectorNode *
vector_compile_case(VectorCompiler *compiler, CaseExpr *expr, int reg)
{
	CaseNode   *branch;
	VectorNode *outer_test = compiler->case_test;
	int			arm_reg = reg + 1;
	bool		is_known = true;

	if (expr->defresult == NULL)
		return NULL;
	branch = (CaseNode *) vector_node_create(compiler, sizeof(CaseNode),
											 (Expr *) expr,
											 2 * list_length(expr->args) + 1,
											 reg);
	branch->base.evaluate = evaluate_case;
	if (expr->arg)
	{
		is_known = compile_operand(compiler, branch, expr->arg, &arm_reg);
		compiler->case_test = is_known ? &branch->test->base : NULL;
	}
	is_known = is_known &&
		compile_arms(compiler, &branch->base, expr, arm_reg);
	compiler->case_test = outer_test;
	return is_known ? &branch->base : NULL;
}

/* ---- COALESCE ---- */

static const Vector *
evaluate_coalesce(VectorNode *node, const uint64 *mask)
{
	uint64		open[VECTOR_WORDS];
	uint64		merged[VECTOR_WORDS] = {0};

	vector_node_start(node);
	memcpy(open, mask, sizeof(open));
	for (int i = 0; i < node->nargs; i++)
	{
		const Vector *value = vector_node_evaluate(node->args[i], open);
		uint64		rows[VECTOR_WORDS];

		for (int w = 0; w < VECTOR_WORDS; w++)
			rows[w] = open[w] & ~(value->has_nulls ? value->nulls[w] : 0);
		vector_node_merge(node, value, rows, merged);
		if (!close_rows(open, rows))
			return &node->result;
	}

	/* No argument has a value for these. */
	if (!node->result.has_nulls)
		vector_node_clear_nulls(&node->result);
	for (int w = 0; w < VECTOR_WORDS; w++)
		node->result.nulls[w] |= open[w];
	return &node->result;
}

VectorNode *
vector_compile_coalesce(VectorCompiler *compiler, CoalesceExpr *expr, int reg)
{
	int			nargs = list_length(expr->args);
	VectorNode *node = vector_node_create(compiler, sizeof(VectorNode),
										  (Expr *) expr, nargs, reg);

	for (int i = 0; i < nargs; i++)
	{
		node->args[i] = vector_node_compile(compiler,
											list_nth(expr->args, i), reg + 1);
		if (node->args[i] == NULL)
			return NULL;
	}
	node->evaluate = evaluate_coalesce;
	return node;
}

/* ---- NULLIF and IS DISTINCT FROM ---- */

/* Two arguments and their equality; is that false, or unknown? */
typedef struct EqualityNode
{
	VectorNode	base;
	VectorNode *equality;		/* has the same arguments */
} EqualityNode;

/* Evaluate both arguments; rows gets those for which neither is NULL. */
static void
evaluate_both(VectorNode *node, const uint64 *mask, const Vector **args,
			  uint64 *rows)
{
	memcpy(rows, mask, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < 2; i++)
	{
		args[i] = vector_node_evaluate(node->args[i], mask);
		for (int w = 0; args[i]->has_nulls && w < VECTOR_WORDS; w++)
			rows[w] &= ~args[i]->nulls[w];
	}
}

static const Vector *
evaluate_nullif(VectorNode *node, const uint64 *mask)
{
	EqualityNode *nullif = (EqualityNode *) node;
	const Vector *args[2];
	const Vector *equal;
	uint64		rows[VECTOR_WORDS];
	uint64		merged[VECTOR_WORDS] = {0};

	evaluate_both(node, mask, args, rows);
	vector_node_start(node);
	vector_node_merge(node, args[0], mask, merged);
	if (vector_mask_is_empty(rows))
		return &node->result;

	equal = vector_function_apply(nullif->equality, args, rows);
	for (int w = 0; w < VECTOR_WORDS; w++)
		rows[w] &= vector_true_word(equal, w);
	if (vector_mask_is_empty(rows))
		return &node->result;
	if (!node->result.has_nulls)
		vector_node_clear_nulls(&node->result);
	for (int w = 0; w < VECTOR_WORDS; w++)
		node->result.nulls[w] |= rows[w];
	return &node->result;
}

static const Vector *
evaluate_distinct(VectorNode *node, const uint64 *mask)
{
	EqualityNode *distinct = (EqualityNode *) node;
	const Vector *args[2];
	uint64		rows[VECTOR_WORDS];
	Vector	   *result;

	evaluate_both(node, mask, args, rows);
	result = vector_node_start(node);

	/* One NULL is distinct from a value; two are not from each other. */
	for (int w = 0; w < VECTOR_WORDS; w++)
		result->bits[w] = (args[0]->has_nulls ? args[0]->nulls[w] : 0) ^
			(args[1]->has_nulls ? args[1]->nulls[w] : 0);
	if (!vector_mask_is_empty(rows))
	{
		const Vector *equal = vector_function_apply(distinct->equality, args,
													rows);

		/* An equality that gives NULL makes core's result NULL. */
		if (equal->has_nulls)
		{
			result->has_nulls = true;
			for (int w = 0; w < VECTOR_WORDS; w++)
				result->nulls[w] = equal->nulls[w] & rows[w];
		}
		for (int w = 0; w < VECTOR_WORDS; w++)
			result->bits[w] |= ~equal->bits[w] & rows[w];
	}
	return result;
}

static VectorNode *
compile_equality(VectorCompiler *compiler, OpExpr *expr, int reg,
				 VectorNodeEvaluate evaluate)
{
	EqualityNode *node = (EqualityNode *)
		vector_node_create(compiler, sizeof(EqualityNode), (Expr *) expr, 2,
						   reg);
	OpExpr	   *equality = makeNode(OpExpr);

	set_opfuncid(expr);
	*equality = *expr;
	NodeSetTag(equality, T_OpExpr);
	equality->opresulttype = BOOLOID;
	node->equality = vector_compile_function(compiler, (Expr *) equality,
											 expr->opfuncid,
											 expr->inputcollid, expr->args,
											 reg + 1);
	if (node->equality == NULL || !node->equality->call->is_strict)
		return NULL;
	memcpy(node->base.args, node->equality->args, sizeof(VectorNode *) * 2);
	node->base.evaluate = evaluate;
	return &node->base;
}

VectorNode *
vector_compile_nullif(VectorCompiler *compiler, NullIfExpr *expr, int reg)
{
	return compile_equality(compiler, (OpExpr *) expr, reg, evaluate_nullif);
}

VectorNode *
vector_compile_distinct(VectorCompiler *compiler, DistinctExpr *expr, int reg)
{
	return compile_equality(compiler, (OpExpr *) expr, reg,
							evaluate_distinct);
}

/* ---- GREATEST and LEAST ---- */

/*
 * Of rows, those that the next value replaces: where it is beyond the result,
 * not where it is equal.
 */
static void
rows_to_replace(const VectorNode *node, const Vector *value, uint64 *rows)
{
	const Vector *result = &node->result;
	bool		is_least = node->option == IS_LEAST;
	uint64		beyond[VECTOR_WORDS] = {0};

	VECTOR_FOR_EACH(slot, rows)
	{
		bool		replaces;

		if (vector_is_null(result, slot))
			replaces = true;
		else if (node->form == FORM_INTEGER)
			replaces = is_least ?
				value->integers[slot] < result->integers[slot] :
				value->integers[slot] > result->integers[slot];
		else
		{
			double		a = is_least ? value->floats[slot] :
				result->floats[slot];
			double		b = is_least ? result->floats[slot] :
				value->floats[slot];

			/* NaN is greater than all else */
			replaces = a < b || (a == a && b != b);
		}
		if (replaces)
			vector_set_bit(beyond, slot);
	}
	memcpy(rows, beyond, sizeof(beyond));
}

static const Vector *
evaluate_minmax(VectorNode *node, const uint64 *mask)
{
	Vector	   *result = vector_node_start(node);
	uint64		merged[VECTOR_WORDS] = {0};

	vector_node_clear_nulls(result);
	for (int w = 0; w < VECTOR_WORDS; w++)
		result->nulls[w] = mask[w];
	for (int i = 0; i < node->nargs; i++)
	{
		const Vector *value = vector_node_evaluate(node->args[i], mask);
		uint64		rows[VECTOR_WORDS];

		for (int w = 0; w < VECTOR_WORDS; w++)
			rows[w] = mask[w] & ~(value->has_nulls ? value->nulls[w] : 0);
		rows_to_replace(node, value, rows);
		vector_node_merge(node, value, rows, merged);
		for (int w = 0; w < VECTOR_WORDS; w++)
			result->nulls[w] &= ~rows[w];
	}
	return result;
}

/* Is the order of the type's values that of integers or floats? */
bool
vector_minmax_is_known(const MinMaxExpr *expr)
{
	switch (expr->minmaxtype)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
		case FLOAT4OID:
		case FLOAT8OID:
			return true;
		default:
			return false;
	}
}

VectorNode *
vector_compile_minmax(VectorCompiler *compiler, MinMaxExpr *expr, int reg)
{
	int			nargs = list_length(expr->args);
	VectorNode *node;

	if (!vector_minmax_is_known(expr))
		return NULL;
	node = vector_node_create(compiler, sizeof(VectorNode), (Expr *) expr,
							  nargs, reg);
	for (int i = 0; i < nargs; i++)
	{
		node->args[i] = vector_node_compile(compiler,
											list_nth(expr->args, i), reg + 1);
		if (node->args[i] == NULL)
			return NULL;
	}
	node->option = expr->op;
	node->evaluate = evaluate_minmax;
	return node;
}

/* ---- changes of type that keep the value ---- */

/* The value has another form under the new type. */
static const Vector *
evaluate_relabel(VectorNode *node, const uint64 *mask)
{
	VectorNode *arg = node->args[0];
	const Vector *value = vector_node_evaluate(arg, mask);
	Vector	   *result = vector_node_start(node);
	MemoryContext oldcontext =
		MemoryContextSwitchTo(node->context->batch_context);

	VECTOR_FOR_EACH(slot, mask)
	{
		bool		isnull = vector_is_null(value, slot);

		vector_node_store(node, result, slot,
						  isnull ? (Datum) 0 :
						  vector_datum(value, slot, arg->type),
						  isnull, node->context->batch_context);
	}
	MemoryContextSwitchTo(oldcontext);
	return result;
}

static VectorForm
form_of(Node *expr)
{
	return vector_form_of_type(exprType(expr), exprTypmod(expr),
							   exprCollation(expr));
}

/* Is a vector of the argument one of the result as it is? */
static bool
keeps_form(RelabelType *expr)
{
	VectorForm	form = form_of((Node *) expr);

	if (form != form_of((Node *) expr->arg))
		return false;
	return form == FORM_STRING || form == FORM_DATUM ||
		expr->resulttype == exprType((Node *) expr->arg);
}

VectorNode *
vector_compile_relabel(VectorCompiler *compiler, RelabelType *expr, int reg)
{
	VectorNode *node;

	if (keeps_form(expr))
		return vector_node_compile(compiler, expr->arg, reg);
	node = vector_node_create(compiler, sizeof(VectorNode), (Expr *) expr, 1,
							  reg);
	if (!vector_node_compile_args(compiler, node, list_make1(expr->arg)))
		return NULL;
	node->evaluate = evaluate_relabel;
	return node;
}
