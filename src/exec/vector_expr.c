/*
 * vector_expr.c
 *		Expressions evaluated by the batch: compilation and entry points.
 *
 * Which node is made for which kind of expression is decided here; the nodes
 * are in files of their own.  The rules they all follow (X1 to X3) are in
 * vector_node.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/int_stream.h"
#include "exec/vector_node.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* A register holds the values of any form, and the slack that decoders take. */
#define REGISTER_BYTES \
	Max(sizeof(StringRef) * VECTOR_LENGTH, \
		sizeof(int64) * (VECTOR_LENGTH + DECODE_SLACK_VALUES))

/* ---- nodes ---- */

VectorNode *
vector_node_create(VectorCompiler *compiler, Size size, Expr *expr, int nargs,
				   int reg)
{
	VectorNode *node = palloc0(size);

	Assert(size >= sizeof(VectorNode));
	node->context = compiler->context;
	node->expr = expr;
	node->type = exprType((Node *) expr);
	get_typlenbyval(node->type, &node->typlen, &node->typbyval);
	node->form = vector_form_of_type(node->type, exprTypmod((Node *) expr),
									 exprCollation((Node *) expr));
	node->nargs = nargs;
	node->args = palloc0(sizeof(VectorNode *) * Max(nargs, 1));
	node->reg = reg;
	node->memory = CurrentMemoryContext;

	compiler->expr->nodes = lappend(compiler->expr->nodes, node);
	if (reg >= compiler->expr->nregisters)
		compiler->expr->nregisters = reg + 1;
	return node;
}

bool
vector_node_compile_args(VectorCompiler *compiler, VectorNode *node,
						 List *args)
{
	int			reg = node->reg + 1;

	Assert(list_length(args) == node->nargs);
	for (int i = 0; i < node->nargs; i++)
	{
		node->args[i] = vector_node_compile(compiler, list_nth(args, i), reg);
		if (node->args[i] == NULL)
			return false;
		if (node->args[i]->reg >= 0)
			reg = node->args[i]->reg + 1;
	}
	return true;
}

Vector *
vector_node_start(VectorNode *node)
{
	Vector	   *result = &node->result;

	result->form = node->form == FORM_NUMERIC ? FORM_DATUM : node->form;
	result->is_constant = false;
	result->has_nulls = false;
	result->has_bounds = false;
	result->dictionary = NULL;
	result->codes = NULL;
	return result;
}

void
vector_node_clear_nulls(Vector *vector)
{
	if (!vector->has_nulls)
		memset(vector->nulls, 0, sizeof(uint64) * VECTOR_WORDS);
	vector->has_nulls = true;
}

/* The bytes of a string, copied. */
static StringRef
copy_string(const StringRef *string, MemoryContext memory)
{
	StringRef	copy;
	uint8	   *data = MemoryContextAllocHuge(memory, Max(string->length, 1));

	memcpy(data, string->data, string->length);
	copy.data = data;
	copy.length = string->length;
	return copy;
}

void
vector_node_store(VectorNode *node, Vector *vector, int slot, Datum value,
				  bool isnull, MemoryContext memory)
{
	MemoryContext oldcontext;

	if (isnull)
	{
		if (!vector->has_nulls)
			vector_node_clear_nulls(vector);
		vector_set_bit(vector->nulls, slot);
		return;
	}
	if (node->typbyval)
		vector_store_datum(vector, slot, node->type, value);
	else if (vector->form == FORM_STRING)
	{
		vector_store_datum(vector, slot, node->type, value);
		vector->strings[slot] = copy_string(&vector->strings[slot], memory);
	}
	else
	{
		oldcontext = MemoryContextSwitchTo(memory);
		value = datumCopy(value, node->typbyval, node->typlen);
		MemoryContextSwitchTo(oldcontext);
		vector_store_datum(vector, slot, node->type, value);
	}
}

/* ---- results that come from several vectors ---- */

/* Turn rows of a numeric result to Datums: their scales differ. */
static void
make_datums(VectorNode *node, const uint64 *rows)
{
	Vector	   *result = &node->result;
	MemoryContext oldcontext =
		MemoryContextSwitchTo(node->context->batch_context);

	VECTOR_FOR_EACH(slot, rows)
	{
		if (!vector_is_null(result, slot))
			result->datums[slot] = vector_datum(result, slot, node->type);
	}
	MemoryContextSwitchTo(oldcontext);
	result->form = FORM_DATUM;
}

/* Have the result in a form that can take the source's rows, too. */
static void
agree_on_form(VectorNode *node, const Vector *source, const uint64 *merged)
{
	Vector	   *result = &node->result;

	if (node->form != FORM_NUMERIC)
		return;
	if (vector_mask_is_empty(merged))
	{
		result->form = source->form;
		result->scale = source->scale;
	}
	else if (result->form == FORM_NUMERIC &&
			 (source->form != FORM_NUMERIC || source->scale != result->scale))
		make_datums(node, merged);
}

static void
merge_bounds(Vector *result, const Vector *source, bool is_first)
{
	if (is_first)
	{
		result->has_bounds = source->has_bounds;
		result->min = source->min;
		result->max = source->max;
	}
	else
	{
		result->has_bounds = result->has_bounds && source->has_bounds;
		result->min = Min(result->min, source->min);
		result->max = Max(result->max, source->max);
	}
}

/* Values of rows that are not NULL, in the same form or as Datums. */
static void
merge_values(VectorNode *node, const Vector *source, const uint64 *rows)
{
	Vector	   *result = &node->result;
	MemoryContext oldcontext;
	Datum		constant = (Datum) 0;

	switch (result->form)
	{
		case FORM_BOOLEAN:
			for (int w = 0; w < VECTOR_WORDS; w++)
				result->bits[w] = (result->bits[w] & ~rows[w]) |
					(source->bits[w] & rows[w]);
			break;
		case FORM_STRING:
			VECTOR_FOR_EACH(slot, rows)
			{
				result->strings[slot] = source->strings[slot];
			}
			break;
		case FORM_DATUM:
			oldcontext = MemoryContextSwitchTo(node->context->batch_context);
			if (source->is_constant)
				constant = vector_datum(source, 0, node->type);
			VECTOR_FOR_EACH(slot, rows)
			{
				result->datums[slot] = source->is_constant ? constant :
					vector_datum(source, slot, node->type);
			}
			MemoryContextSwitchTo(oldcontext);
			break;
		default:
			VECTOR_FOR_EACH(slot, rows)
			{
				result->integers[slot] = source->integers[slot];
			}
			break;
	}
}

void
vector_node_merge(VectorNode *node, const Vector *source, const uint64 *rows,
				  uint64 *merged)
{
	Vector	   *result = &node->result;
	uint64		live[VECTOR_WORDS];
	uint64		nulls = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		live[w] = rows[w] & ~(source->has_nulls ? source->nulls[w] : 0);
		nulls |= rows[w] & ~live[w];
	}
	if (nulls != 0)
	{
		if (!result->has_nulls)
			vector_node_clear_nulls(result);
		for (int w = 0; w < VECTOR_WORDS; w++)
			result->nulls[w] |= rows[w] & ~live[w];
	}
	if (vector_mask_is_empty(live))
		return;

	agree_on_form(node, source, merged);
	merge_bounds(result, source, vector_mask_is_empty(merged));
	merge_values(node, source, live);
	for (int w = 0; w < VECTOR_WORDS; w++)
		merged[w] |= live[w];
}

/* ---- compilation ---- */

/* Is there a CaseTestExpr whose CASE is outside? */
static bool
has_free_case_test(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CaseTestExpr))
		return true;
	if (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL)
	{
		CaseExpr   *expr = (CaseExpr *) node;
		ListCell   *lc;

		foreach(lc, expr->args)
		{
			if (has_free_case_test((Node *) lfirst_node(CaseWhen, lc)->result,
								   context))
				return true;
		}
		return has_free_case_test((Node *) expr->arg, context) ||
			has_free_case_test((Node *) expr->defresult, context);
	}
	if (IsA(node, ArrayCoerceExpr))
		return has_free_case_test((Node *) ((ArrayCoerceExpr *) node)->arg,
								  context);
	return expression_tree_walker(node, has_free_case_test, context);
}

static bool
varies_by_row(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, SubPlan) || IsA(node, CaseTestExpr))
		return true;
	return expression_tree_walker(node, varies_by_row, context);
}

bool
vector_varies_by_row(Node *node)
{
	return varies_by_row(node, NULL);
}

static bool
has_subplan(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
		return true;
	return expression_tree_walker(node, has_subplan, context);
}

/* Must it be evaluated as a whole, once for each row? (X3) */
static bool
is_by_row(Expr *expr)
{
	return contain_volatile_functions((Node *) expr) ||
		has_subplan((Node *) expr, NULL);
}

static VectorNode *
compile_operator(VectorCompiler *compiler, OpExpr *expr, int reg)
{
	if (expr->opretset)
		return NULL;
	set_opfuncid(expr);
	return vector_compile_function(compiler, (Expr *) expr, expr->opfuncid,
								   expr->inputcollid, expr->args, reg);
}

static VectorNode *
compile_call(VectorCompiler *compiler, FuncExpr *expr, int reg)
{
	if (expr->funcretset)
		return NULL;
	return vector_compile_function(compiler, (Expr *) expr, expr->funcid,
								   expr->inputcollid, expr->args, reg);
}

/* The node for an expression that has one; NULL: by the row. */
static VectorNode *
compile_native(VectorCompiler *compiler, Expr *expr, int reg)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return vector_compile_var(compiler, (Var *) expr);
		case T_CaseTestExpr:
			return compiler->case_test;
		case T_OpExpr:
			return compile_operator(compiler, (OpExpr *) expr, reg);
		case T_FuncExpr:
			return compile_call(compiler, (FuncExpr *) expr, reg);
		case T_BoolExpr:
			return vector_compile_bool(compiler, (BoolExpr *) expr, reg);
		case T_NullTest:
			return vector_compile_null_test(compiler, (NullTest *) expr, reg);
		case T_BooleanTest:
			return vector_compile_boolean_test(compiler, (BooleanTest *) expr,
											   reg);
		case T_CaseExpr:
			return vector_compile_case(compiler, (CaseExpr *) expr, reg);
		case T_CoalesceExpr:
			return vector_compile_coalesce(compiler, (CoalesceExpr *) expr,
										   reg);
		case T_NullIfExpr:
			return vector_compile_nullif(compiler, (NullIfExpr *) expr, reg);
		case T_DistinctExpr:
			return vector_compile_distinct(compiler, (DistinctExpr *) expr,
										   reg);
		case T_MinMaxExpr:
			return vector_compile_minmax(compiler, (MinMaxExpr *) expr, reg);
		case T_ScalarArrayOpExpr:
			return vector_compile_set(compiler, (ScalarArrayOpExpr *) expr,
									  reg);
		case T_RelabelType:
			return vector_compile_relabel(compiler, (RelabelType *) expr, reg);
		default:
			return NULL;
	}
}

VectorNode *
vector_node_compile(VectorCompiler *compiler, Expr *expr, int reg)
{
	VectorNode *node = NULL;

	if (!varies_by_row((Node *) expr, NULL))
		return vector_compile_constant(compiler, expr);

	if (compiler->entries == NULL && !has_free_case_test((Node *) expr, NULL))
		node = vector_compile_entries(compiler, expr, reg);
	if (node == NULL)
		node = compile_native(compiler, expr, reg);
	if (node == NULL && !has_free_case_test((Node *) expr, NULL))
		node = vector_compile_row(compiler, expr, reg);
	return node;
}

/*
 * Do what core does when it prepares an expression, above all check that its
 * functions may be executed.
 */
static void
check_permissions(Expr *expr, PlanState *parent)
{
	EState	   *estate = parent->state;
	int			jit_flags = estate->es_jit_flags;

	estate->es_jit_flags = 0;
	(void) ExecInitExpr(expr, parent);
	estate->es_jit_flags = jit_flags;
}

/* Give the results of nodes their memory. */
static void
allocate_registers(VectorExpr *expr)
{
	void	  **data = palloc(sizeof(void *) * Max(expr->nregisters, 1));
	uint64	  **nulls = palloc(sizeof(uint64 *) * Max(expr->nregisters, 1));
	ListCell   *lc;

	for (int i = 0; i < expr->nregisters; i++)
	{
		data[i] = palloc0(REGISTER_BYTES);
		nulls[i] = palloc0(sizeof(uint64) * VECTOR_WORDS);
	}
	foreach(lc, expr->nodes)
	{
		VectorNode *node = lfirst(lc);

		if (node->reg < 0)
			continue;
		node->result.data = data[node->reg];
		node->result.nulls = nulls[node->reg];
	}
	pfree(data);
	pfree(nulls);
}

VectorExpr *
vector_expr_compile(Expr *expr, VectorExprContext *context)
{
	VectorExpr *result = palloc0(sizeof(VectorExpr));
	VectorCompiler compiler = {context, result, NULL, NULL};

	if (is_by_row(expr))
		result->root = vector_compile_row(&compiler, expr, 0);
	else
	{
		check_permissions(expr, context->parent);
		result->root = vector_node_compile(&compiler, expr, 0);
	}
	allocate_registers(result);
	return result;
}

/* ---- evaluation ---- */

const Vector *
vector_expr_evaluate(VectorExpr *expr, const uint64 *mask)
{
	/* There is no row to read, but the caller may look at the form. */
	if (vector_mask_is_empty(mask))
		return vector_node_start(expr->root);
	return vector_node_evaluate(expr->root, mask);
}

const Vector *
vector_expr_evaluate_codes(VectorExpr *expr, const uint64 *mask)
{
	VectorNode *root = expr->root;
	const Vector *result = NULL;

	if (root->form == FORM_STRING && !vector_mask_is_empty(mask))
	{
		if (IsA(root->expr, Var))
			result = vector_source_codes(root->context->scan,
										 ((Var *) root->expr)->varattno, mask);
		else
			result = vector_entries_codes(root, mask);
	}
	return result ? result : vector_expr_evaluate(expr, mask);
}

void
vector_expr_filter(VectorExpr *expr, uint64 *mask)
{
	const Vector *result;

	if (vector_mask_is_empty(mask))
		return;
	result = vector_node_evaluate(expr->root, mask);
	Assert(result->form == FORM_BOOLEAN);
	for (int w = 0; w < VECTOR_WORDS; w++)
		mask[w] &= vector_true_word(result, w);
}

void
vector_expr_reset(VectorExpr *expr)
{
	ListCell   *lc;

	foreach(lc, expr->nodes)
	{
		VectorNode *node = lfirst(lc);

		if (node->reset)
			node->reset(node);
	}
}

/* ---- for the planner ---- */

static bool
has_kernel(Oid function, List *args, Oid collation)
{
	return vector_function_find(function, args, collation) != NULL;
}

/* Is there a part that is evaluated by the row? */
static bool
is_not_native(Node *node, void *context)
{
	bool		is_native = true;

	if (node == NULL || !varies_by_row(node, NULL))
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			is_native = ((Var *) node)->varno == *(Index *) context &&
				((Var *) node)->varattno > 0;
			break;
		case T_List:
		case T_TargetEntry:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_RelabelType:
			break;
		case T_MinMaxExpr:
			is_native = vector_minmax_is_known((MinMaxExpr *) node);
			break;
		case T_NullTest:
			is_native = !((NullTest *) node)->argisrow;
			break;
		case T_OpExpr:
		case T_NullIfExpr:
		case T_DistinctExpr:
			set_opfuncid((OpExpr *) node);
			is_native = has_kernel(((OpExpr *) node)->opfuncid,
								   ((OpExpr *) node)->args,
								   ((OpExpr *) node)->inputcollid);
			break;
		case T_FuncExpr:
			is_native = has_kernel(((FuncExpr *) node)->funcid,
								   ((FuncExpr *) node)->args,
								   ((FuncExpr *) node)->inputcollid);
			break;
		case T_ScalarArrayOpExpr:
			is_native = vector_set_is_known((ScalarArrayOpExpr *) node) &&
				!varies_by_row(lsecond(((ScalarArrayOpExpr *) node)->args),
							   NULL);
			break;
		default:
			is_native = false;
			break;
	}
	return !is_native || expression_tree_walker(node, is_not_native, context);
}

bool
vector_expr_is_native(Node *expr, Index varno)
{
	return !contain_volatile_functions(expr) && !is_not_native(expr, &varno);
}
