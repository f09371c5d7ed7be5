/*
 * vector_expr_call.c
 *		Functions on vectors: by kernel, or called for each row.
 *
 * Every function that core's executor calls directly can be called for the
 * rows of a vector, so its arguments may have kernels even if it has none.  It
 * also takes over from a kernel that gives up a batch (X2).
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

static const VectorFunction *const function_tables[] = {
	vector_compare_functions,
	vector_integer_functions,
	vector_float_functions,
	vector_numeric_functions,
	vector_cast_functions,
	vector_time_functions,
	vector_string_functions,
	vector_like_functions,
	vector_regexp_functions
};

const VectorFunction *
vector_function_find(Oid function, List *args, Oid collation)
{
	for (int i = 0; i < lengthof(function_tables); i++)
	{
		const VectorFunction *entry = function_tables[i];

		for (; OidIsValid(entry->function); entry++)
		{
			if (entry->function == function)
				return entry->applies == NULL ||
					entry->applies(args, collation) ? entry : NULL;
		}
	}
	return NULL;
}

/* ---- calls by the row ---- */

/* Values of constant arguments are made once for a batch. */
static void
prepare_constants(VectorNode *node, const Vector *const *args)
{
	VectorCall *call = node->call;
	MemoryContext oldcontext =
		MemoryContextSwitchTo(node->context->batch_context);

	for (int i = 0; i < node->nargs; i++)
	{
		if (args[i]->is_constant && !vector_is_null(args[i], 0))
			call->constants[i] = vector_datum(args[i], 0, call->types[i]);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* Set the arguments of a row; false if the function is not to be called. */
static bool
load_arguments(VectorNode *node, const Vector *const *args, int slot)
{
	VectorCall *call = node->call;

	for (int i = 0; i < node->nargs; i++)
	{
		NullableDatum *argument = &call->fcinfo->args[i];

		argument->isnull = vector_is_null(args[i], slot);
		if (argument->isnull)
		{
			if (call->is_strict)
				return false;
			argument->value = (Datum) 0;
		}
		else if (args[i]->is_constant)
			argument->value = call->constants[i];
		else
			argument->value = vector_datum(args[i], slot, call->types[i]);
	}
	return true;
}

void
vector_call_rows(VectorNode *node, const Vector *const *args,
				 const uint64 *live)
{
	VectorCall *call = node->call;
	MemoryContext row_context =
		node->context->econtext->ecxt_per_tuple_memory;
	Vector	   *result = &node->result;

	result->form = node->form == FORM_NUMERIC ? FORM_DATUM : node->form;
	result->has_bounds = false;
	prepare_constants(node, args);
	VECTOR_FOR_EACH(slot, live)
	{
		MemoryContext oldcontext;
		Datum		value = (Datum) 0;
		bool		isnull = true;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(row_context);
		oldcontext = MemoryContextSwitchTo(row_context);
		if (load_arguments(node, args, slot))
		{
			call->fcinfo->isnull = false;
			value = FunctionCallInvoke(call->fcinfo);
			isnull = call->fcinfo->isnull;
		}
		MemoryContextSwitchTo(oldcontext);
		vector_node_store(node, result, slot, value, isnull,
						  node->context->batch_context);
	}
}

/* ---- nodes ---- */

/* Set the result's NULLs to those of strict arguments, and live to the rest. */
static void
combine_nulls(Vector *result, const Vector *const *args, int nargs,
			  const uint64 *mask, uint64 *live)
{
	memcpy(live, mask, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < nargs; i++)
	{
		if (!args[i]->has_nulls)
			continue;
		vector_node_clear_nulls(result);
		for (int w = 0; w < VECTOR_WORDS; w++)
		{
			result->nulls[w] |= args[i]->nulls[w];
			live[w] &= ~args[i]->nulls[w];
		}
	}
}

const Vector *
vector_function_apply(VectorNode *node, const Vector *const *args,
					  const uint64 *mask)
{
	Vector	   *result = vector_node_start(node);
	uint64		live[VECTOR_WORDS];

	if (node->kernel == NULL)
	{
		vector_call_rows(node, args, mask);
		return result;
	}
	combine_nulls(result, args, node->nargs, mask, live);
	if (!vector_mask_is_empty(live) && !node->kernel(node, args, live))
		vector_call_rows(node, args, live);
	return result;
}

const Vector *
vector_function_evaluate(VectorNode *node, const uint64 *mask)
{
	const Vector *args[FUNC_MAX_ARGS];

	for (int i = 0; i < node->nargs; i++)
		args[i] = vector_node_evaluate(node->args[i], mask);
	return vector_function_apply(node, args, mask);
}

static VectorCall *
create_call(Expr *expr, Oid function, Oid collation, List *args)
{
	VectorCall *call = palloc0(sizeof(VectorCall));
	int			nargs = list_length(args);

	fmgr_info(function, &call->flinfo);
	fmgr_info_set_expr((Node *) expr, &call->flinfo);
	call->is_strict = call->flinfo.fn_strict;
	call->fcinfo = palloc0(SizeForFunctionCallInfo(nargs));
	InitFunctionCallInfoData(*call->fcinfo, &call->flinfo, nargs, collation,
							 NULL, NULL);
	call->types = palloc(sizeof(Oid) * Max(nargs, 1));
	call->constants = palloc0(sizeof(Datum) * Max(nargs, 1));
	for (int i = 0; i < nargs; i++)
		call->types[i] = exprType(list_nth(args, i));
	return call;
}

VectorNode *
vector_compile_function(VectorCompiler *compiler, Expr *expr, Oid function,
						Oid collation, List *args, int reg)
{
	const VectorFunction *known = vector_function_find(function, args,
													   collation);
	VectorNode *node;

	if (list_length(args) > FUNC_MAX_ARGS)
		return NULL;
	node = vector_node_create(compiler, sizeof(VectorNode), expr,
							  list_length(args), reg);
	node->call = create_call(expr, function, collation, args);

	/* Calls that are counted are core's to make. */
	if (pgstat_track_functions > node->call->flinfo.fn_stats)
		return NULL;
	if (!vector_node_compile_args(compiler, node, args))
		return NULL;
	node->evaluate = vector_function_evaluate;
	if (known)
	{
		if (vector_length_evaluate(known->kernel))
			node->evaluate = vector_length_evaluate(known->kernel);
		node->kernel = known->kernel;
		node->option = known->option;
	}
	return node;
}
