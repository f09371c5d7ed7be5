/*
 * vector_expr_logic.c
 *		AND, OR, NOT, IS [NOT] NULL and IS [NOT] TRUE, FALSE, UNKNOWN.
 *
 * An arm of AND and OR is evaluated for the rows that no arm before it has
 * decided; NULL decides nothing.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"

/*
 * AND: a row is decided by the first arm that is false; OR: by the first that
 * is true.  OR is computed as AND of the opposites.
 */
static const Vector *
evaluate_junction(VectorNode *node, const uint64 *mask)
{
	uint64		flip = node->option == OR_EXPR ? PG_UINT64_MAX : 0;
	uint64		open[VECTOR_WORDS];
	uint64		unknown[VECTOR_WORDS] = {0};
	Vector	   *result;

	memcpy(open, mask, sizeof(open));
	for (int i = 0; i < node->nargs && !vector_mask_is_empty(open); i++)
	{
		const Vector *arm = vector_node_evaluate(node->args[i], open);

		Assert(arm->form == FORM_BOOLEAN);
		for (int w = 0; w < VECTOR_WORDS; w++)
		{
			uint64		nulls = arm->has_nulls ? arm->nulls[w] : 0;

			unknown[w] |= nulls & open[w];
			open[w] &= (arm->bits[w] ^ flip) | nulls;
		}
	}

	result = vector_node_start(node);
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		unknown[w] &= open[w];
		result->bits[w] = open[w] ^ flip;
	}
	if (!vector_mask_is_empty(unknown))
	{
		result->has_nulls = true;
		memcpy(result->nulls, unknown, sizeof(unknown));
	}
	return result;
}

static const Vector *
evaluate_not(VectorNode *node, const uint64 *mask)
{
	const Vector *arm = vector_node_evaluate(node->args[0], mask);
	Vector	   *result = vector_node_start(node);

	Assert(arm->form == FORM_BOOLEAN);
	for (int w = 0; w < VECTOR_WORDS; w++)
		result->bits[w] = ~arm->bits[w];
	if (arm->has_nulls)
	{
		result->has_nulls = true;
		memcpy(result->nulls, arm->nulls, sizeof(uint64) * VECTOR_WORDS);
	}
	return result;
}

VectorNode *
vector_compile_bool(VectorCompiler *compiler, BoolExpr *expr, int reg)
{
	int			nargs = list_length(expr->args);
	VectorNode *node = vector_node_create(compiler, sizeof(VectorNode),
										  (Expr *) expr, nargs, reg);

	/* Each arm is done with when the next one is evaluated. */
	for (int i = 0; i < nargs; i++)
	{
		node->args[i] = vector_node_compile(compiler,
											list_nth(expr->args, i), reg + 1);
		if (node->args[i] == NULL)
			return NULL;
	}
	node->option = expr->boolop;
	node->evaluate = expr->boolop == NOT_EXPR ? evaluate_not :
		evaluate_junction;
	return node;
}

/* ---- tests ---- */

static const Vector *
evaluate_null_test(VectorNode *node, const uint64 *mask)
{
	const Vector *arg = vector_evaluate_nulls(node->args[0], mask);
	Vector	   *result = vector_node_start(node);
	uint64		flip = node->option == IS_NOT_NULL ? PG_UINT64_MAX : 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
		result->bits[w] = (arg->has_nulls ? arg->nulls[w] : 0) ^ flip;
	return result;
}

VectorNode *
vector_compile_null_test(VectorCompiler *compiler, NullTest *expr, int reg)
{
	VectorNode *node;

	if (expr->argisrow)
		return NULL;
	node = vector_node_create(compiler, sizeof(VectorNode), (Expr *) expr, 1,
							  reg);
	if (!vector_node_compile_args(compiler, node, list_make1(expr->arg)))
		return NULL;
	node->option = expr->nulltesttype;
	node->evaluate = evaluate_null_test;
	return node;
}

static const Vector *
evaluate_boolean_test(VectorNode *node, const uint64 *mask)
{
	const Vector *arg = vector_node_evaluate(node->args[0], mask);
	Vector	   *result = vector_node_start(node);

	Assert(arg->form == FORM_BOOLEAN);
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		uint64		nulls = arg->has_nulls ? arg->nulls[w] : 0;
		uint64		bits = arg->bits[w];

		switch ((BoolTestType) node->option)
		{
			case IS_TRUE:
				bits &= ~nulls;
				break;
			case IS_NOT_TRUE:
				bits = ~bits | nulls;
				break;
			case IS_FALSE:
				bits = ~bits & ~nulls;
				break;
			case IS_NOT_FALSE:
				bits |= nulls;
				break;
			case IS_UNKNOWN:
				bits = nulls;
				break;
			case IS_NOT_UNKNOWN:
				bits = ~nulls;
				break;
		}
		result->bits[w] = bits;
	}
	return result;
}

VectorNode *
vector_compile_boolean_test(VectorCompiler *compiler, BooleanTest *expr,
							int reg)
{
	VectorNode *node = vector_node_create(compiler, sizeof(VectorNode),
										  (Expr *) expr, 1, reg);

	if (!vector_node_compile_args(compiler, node, list_make1(expr->arg)))
		return NULL;
	node->option = expr->booltesttype;
	node->evaluate = evaluate_boolean_test;
	return node;
}
