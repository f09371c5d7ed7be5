/*
 * agg_input.c
 *		What an aggregation evaluates for each batch: keys, arguments, filters.
 *
 * Aggregates that ask for the same share it.  An argument is evaluated for the
 * rows that pass the aggregate's FILTER only.  What has been evaluated lives
 * as long as the batch, so that rows can still be written to a file when
 * everything else has been done with them.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_agg.h"
#include "nodes/nodeFuncs.h"

/* The number of the scan's column that an expression is, or 0. */
static AttrNumber
column_number(Expr *expr, Index varno)
{
	Var		   *var = (Var *) expr;

	return IsA(expr, Var) && var->varno == varno ? var->varattno : 0;
}

AggFilter *
agg_filter_find(VectorAggState *state, Expr *source)
{
	AggFilter  *filter;
	ListCell   *lc;

	foreach(lc, state->filters)
	{
		filter = lfirst(lc);
		if (equal(filter->source, source))
			return filter;
	}

	filter = palloc0(sizeof(AggFilter));
	filter->source = source;
	filter->expr = vector_expr_compile(source, &state->expressions);
	state->filters = lappend(state->filters, filter);
	return filter;
}

AggInput *
agg_input_find(VectorAggState *state, Expr *source, AggFilter *filter,
			   bool by_code)
{
	Oid			type = exprType((Node *) source);
	AggInput   *input;
	ListCell   *lc;

	/* Without a dictionary codes and values are the same. */
	by_code = by_code &&
		vector_form_of_type(type, exprTypmod((Node *) source),
							exprCollation((Node *) source)) == FORM_STRING;
	foreach(lc, state->inputs)
	{
		input = lfirst(lc);
		if (input->filter == filter && input->by_code == by_code &&
			equal(input->source, source))
			return input;
	}

	input = palloc0(sizeof(AggInput));
	input->source = source;
	input->filter = filter;
	input->by_code = by_code;
	input->type = type;
	input->expr = vector_expr_compile(source, &state->expressions);
	input->attno = column_number(source, state->expressions.varno);
	state->inputs = lappend(state->inputs, input);
	return input;
}

const uint64 *
agg_filter_mask(AggFilter *filter, const VectorBatch *batch)
{
	if (filter == NULL)
		return batch->mask;
	if (filter->serial != batch->serial)
	{
		memcpy(filter->mask, batch->mask, sizeof(filter->mask));
		vector_expr_filter(filter->expr, filter->mask);
		filter->serial = batch->serial;
	}
	return filter->mask;
}

const Vector *
agg_input_value(AggInput *input, const VectorBatch *batch)
{
	const uint64 *mask;

	if (input->serial != batch->serial)
	{
		mask = agg_filter_mask(input->filter, batch);
		input->value = input->by_code ?
			vector_expr_evaluate_codes(input->expr, mask) :
			vector_expr_evaluate(input->expr, mask);
		input->serial = batch->serial;
	}
	return input->value;
}

void
agg_inputs_reset(VectorAggState *state)
{
	ListCell   *lc;

	foreach(lc, state->inputs)
	{
		AggInput   *input = lfirst(lc);

		vector_expr_reset(input->expr);
		input->serial = 0;
	}
	foreach(lc, state->filters)
	{
		AggFilter  *filter = lfirst(lc);

		vector_expr_reset(filter->expr);
		filter->serial = 0;
	}
}
