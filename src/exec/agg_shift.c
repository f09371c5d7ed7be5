/*
 * agg_shift.c
 *		Sums of a column plus a constant, by the sum of the column.
 *
 * sum(x + c) is sum(x) + c * count(x), unless some x + c overflows its type,
 * which raises an error.  So the column is summed once for all such aggregates,
 * segments are answered from metadata, and x + c is evaluated only where the
 * bounds of x do not exclude an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "utils/fmgroids.h"

/* A function that adds or subtracts a constant. */
typedef struct ShiftFunction
{
	Oid			function;
	bool		is_minus;
	int64		min;			/* of the result's type */
	int64		max;
} ShiftFunction;

static const ShiftFunction shift_functions[] = {
	{F_INT2PL, false, PG_INT16_MIN, PG_INT16_MAX},
	{F_INT24PL, false, PG_INT32_MIN, PG_INT32_MAX},
	{F_INT42PL, false, PG_INT32_MIN, PG_INT32_MAX},
	{F_INT4PL, false, PG_INT32_MIN, PG_INT32_MAX},
	{F_INT2MI, true, PG_INT16_MIN, PG_INT16_MAX},
	{F_INT24MI, true, PG_INT32_MIN, PG_INT32_MAX},
	{F_INT42MI, true, PG_INT32_MIN, PG_INT32_MAX},
	{F_INT4MI, true, PG_INT32_MIN, PG_INT32_MAX}
};

static const ShiftFunction *
find_function(Oid function)
{
	for (int i = 0; i < lengthof(shift_functions); i++)
	{
		if (shift_functions[i].function == function)
			return &shift_functions[i];
	}
	return NULL;
}

/* The value of an integer constant; false if it is none. */
static bool
read_constant(Node *node, int64 *value)
{
	Const	   *constant = (Const *) node;

	if (!IsA(node, Const) || constant->constisnull)
		return false;
	if (constant->consttype == INT2OID)
		*value = DatumGetInt16(constant->constvalue);
	else if (constant->consttype == INT4OID)
		*value = DatumGetInt32(constant->constvalue);
	else
		return false;
	return true;
}

/* The column and the constant of an expression; the column may come second. */
static Expr *
find_column(const OpExpr *op, bool is_minus, int64 *constant)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);

	if (IsA(left, Var) && read_constant(right, constant))
		return (Expr *) left;
	if (!is_minus && IsA(right, Var) && read_constant(left, constant))
		return (Expr *) right;
	return NULL;
}

Expr *
agg_shift_match(const Aggref *aggref, Expr *source, AggShift *shift)
{
	const OpExpr *op = (const OpExpr *) source;
	const ShiftFunction *function;
	Expr	   *column;
	int64		constant;

	if ((aggref->aggfnoid != F_SUM_INT4 && aggref->aggfnoid != F_SUM_INT2) ||
		aggref->aggdistinct != NIL || !IsA(op, OpExpr) ||
		list_length(op->args) != 2)
		return NULL;
	function = find_function(op->opfuncid);
	if (function == NULL)
		return NULL;
	column = find_column(op, function->is_minus, &constant);
	if (column == NULL)
		return NULL;

	shift->offset = function->is_minus ? -constant : constant;
	shift->min = function->min - shift->offset;
	shift->max = function->max - shift->offset;
	return column;
}

AggColumn *
agg_shift_find(VectorAggState *state, const AggColumn *column)
{
	for (int i = 0; i < state->ncolumns; i++)
	{
		AggColumn  *other = &state->columns[i];

		if (other->checked != NULL && other->argument == column->argument &&
			other->filter == column->filter)
			return other;
	}
	return NULL;
}

bool
agg_shift_is_safe(const AggShift *shift, const Vector *value)
{
	return value->form == FORM_INTEGER && value->has_bounds &&
		value->min >= shift->min && value->max <= shift->max;
}

bool
agg_shift_knows_segment(const AggShift *shift, const AttributeEntry *entry)
{
	ZoneRange	range;

	attribute_entry_zone(entry, &range);
	return range.has_range && range.min_int >= shift->min &&
		range.max_int <= shift->max;
}
