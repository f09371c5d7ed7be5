/*
 * vector_expr_leaf.c
 *		Leaves of vectorised expressions: columns, and what is the same for
 *		all rows.
 *
 * Parts of an expression that read no column (constants, parameters, stable
 * functions of them) are evaluated by core, once, when the first row needs
 * their value; a rescan forgets it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/numeric_codec.h"
#include "exec/vector_node.h"
#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* ---- columns ---- */

typedef struct ColumnNode
{
	VectorNode	base;
	int			attno;
	VectorEntries *entries;		/* stands in for the column, or NULL */
	Datum	   *datums;			/* of entries, made when wanted */
	bool	   *isnull;
} ColumnNode;

static const Vector *
evaluate_column(VectorNode *node, const uint64 *mask)
{
	ColumnNode *column = (ColumnNode *) node;
	const Vector *current = NULL;

	if (column->entries)
		current = vector_entries_current(column->entries);
	return current ? current :
		vector_source_column(node->context->scan, column->attno, mask);
}

VectorNode *
vector_compile_var(VectorCompiler *compiler, Var *var)
{
	ColumnNode *column;

	if (var->varattno <= 0 || var->varno != compiler->context->varno ||
		var->varlevelsup != 0)
		return NULL;
	column = (ColumnNode *) vector_node_create(compiler, sizeof(ColumnNode),
											   (Expr *) var, 0, -1);
	column->base.evaluate = evaluate_column;
	column->attno = var->varattno;
	column->entries = compiler->entries;
	return &column->base;
}

/* Is it a column of strings, of which those of the batch are wanted? */
static bool
is_string_column(VectorNode *node)
{
	ColumnNode *column = (ColumnNode *) node;

	return node->evaluate == evaluate_column && node->form == FORM_STRING &&
		!(column->entries && vector_entries_current(column->entries));
}

const Vector *
vector_column_lengths(VectorNode *node, const uint64 *mask)
{
	if (!is_string_column(node))
		return NULL;
	return vector_source_lengths(node->context->scan,
								 ((ColumnNode *) node)->attno, mask);
}

const Vector *
vector_column_ascii_lengths(VectorNode *node, const uint64 *mask)
{
	VectorScanState *scan = node->context->scan;
	AttrNumber	attno = ((ColumnNode *) node)->attno;

	if (!is_string_column(node) || !vector_source_is_ascii(scan, attno))
		return NULL;
	return vector_source_lengths(scan, attno, mask);
}

/*
 * A vector with the node's NULLs at least.  Of strings of a column the lengths
 * tell, so that they are not decoded.
 */
const Vector *
vector_evaluate_nulls(VectorNode *node, const uint64 *mask)
{
	const Vector *lengths = vector_column_lengths(node, mask);

	return lengths ? lengths : vector_node_evaluate(node, mask);
}

/* The strings of entries as values of the column's type. */
static void
make_datums(ColumnNode *column, const Vector *vector, const uint64 *mask)
{
	MemoryContext oldcontext;

	if (column->datums == NULL)
	{
		column->datums = MemoryContextAlloc(column->base.memory,
											sizeof(Datum) * VECTOR_LENGTH);
		column->isnull = MemoryContextAlloc(column->base.memory,
											sizeof(bool) * VECTOR_LENGTH);
	}
	oldcontext = MemoryContextSwitchTo(column->base.context->batch_context);
	VECTOR_FOR_EACH(slot, mask)
	{
		column->isnull[slot] = vector_is_null(vector, slot);
		column->datums[slot] = column->isnull[slot] ? (Datum) 0 :
			vector_datum(vector, slot, column->base.type);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* A column's values by the slot, for expressions evaluated by the row. */
void
vector_column_datums(VectorNode *node, const uint64 *mask,
					 const Datum **values, const bool **isnull)
{
	ColumnNode *column = (ColumnNode *) node;
	const Vector *current = NULL;

	Assert(node->evaluate == evaluate_column);
	if (column->entries)
		current = vector_entries_current(column->entries);
	if (current == NULL)
	{
		vector_source_datums(node->context->scan, column->attno, mask, values,
							 isnull);
		return;
	}
	make_datums(column, current, mask);
	*values = column->datums;
	*isnull = column->isnull;
}

/* ---- constants ---- */

typedef struct ConstantNode
{
	VectorNode	base;
	ExprState  *state;
	bool		is_ready;
	MemoryContext value_context;	/* of what the value refers to */
} ConstantNode;

/* A numeric as a scaled integer of its own display scale, if it fits. */
static bool
numeric_is_scaled(Datum value, int64 *scaled, int *scale)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);
	NumericParts parts;
	WideInt		wide;

	if (!numeric_parse((const uint8 *) VARDATA_ANY(bytes),
					   VARSIZE_ANY_EXHDR(bytes), &parts) ||
		parts.form != NUMERIC_FINITE ||
		parts.display_scale > PG_UINT8_MAX / 4 ||
		!numeric_scale(&parts, parts.display_scale, &wide) ||
		wide.high != ((int64) wide.low < 0 ? -1 : 0))
		return false;
	*scaled = (int64) wide.low;
	*scale = parts.display_scale;
	return true;
}

static void
fill_numeric(Vector *vector, Datum value)
{
	int64		scaled;
	int			scale;

	value = PointerGetDatum(PG_DETOAST_DATUM_PACKED(value));
	if (numeric_is_scaled(value, &scaled, &scale))
	{
		vector->form = FORM_NUMERIC;
		vector->scale = scale;
		vector->integers[0] = scaled;
	}
	else
	{
		vector->form = FORM_DATUM;
		vector->datums[0] = value;
	}
}

/* Repeat the first slot's value in all others. */
static void
repeat_first(Vector *vector)
{
	switch (vector->form)
	{
		case FORM_BOOLEAN:
			memset(vector->bits, vector_bit(vector->bits, 0) ? 0xFF : 0,
				   sizeof(uint64) * VECTOR_WORDS);
			break;
		case FORM_STRING:
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->strings[i] = vector->strings[0];
			break;
		case FORM_INTEGER:
		case FORM_NUMERIC:
			vector->has_bounds = true;
			vector->min = vector->max = vector->integers[0];
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->integers[i] = vector->integers[0];
			break;
		case FORM_FLOAT:
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->floats[i] = vector->floats[0];
			break;
		case FORM_DATUM:
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->datums[i] = vector->datums[0];
			break;
	}
}

void
vector_fill_constant(Vector *vector, Oid type, Datum value, bool isnull)
{
	vector->is_constant = true;
	vector->has_bounds = false;
	vector->has_nulls = isnull;
	memset(vector->nulls, isnull ? 0xFF : 0, sizeof(uint64) * VECTOR_WORDS);
	if (isnull)
		return;
	if (type == NUMERICOID)
		fill_numeric(vector, value);
	else
		vector_store_datum(vector, 0, type, value);
	repeat_first(vector);
}

static void
prepare_constant(ConstantNode *constant)
{
	VectorNode *node = &constant->base;
	ExprContext *econtext = node->context->econtext;
	MemoryContext oldcontext;
	bool		isnull;
	Datum		value;

	ResetExprContext(econtext);
	value = ExecEvalExprSwitchContext(constant->state, econtext, &isnull);
	oldcontext = MemoryContextSwitchTo(constant->value_context);
	if (!isnull)
		value = datumCopy(value, node->typbyval, node->typlen);
	vector_fill_constant(&node->result, node->type, value, isnull);
	MemoryContextSwitchTo(oldcontext);
	constant->is_ready = true;
}

static const Vector *
evaluate_constant(VectorNode *node, const uint64 *mask)
{
	ConstantNode *constant = (ConstantNode *) node;

	if (unlikely(!constant->is_ready))
		prepare_constant(constant);
	return &node->result;
}

static void
reset_constant(VectorNode *node)
{
	ConstantNode *constant = (ConstantNode *) node;

	if (IsA(node->expr, Const) || !constant->is_ready)
		return;
	MemoryContextReset(constant->value_context);
	node->result.form = node->form;
	constant->is_ready = false;
}

VectorNode *
vector_compile_constant(VectorCompiler *compiler, Expr *expr)
{
	ConstantNode *constant =
		(ConstantNode *) vector_node_create(compiler, sizeof(ConstantNode),
											expr, 0, -1);
	VectorNode *node = &constant->base;

	node->evaluate = evaluate_constant;
	node->reset = reset_constant;
	node->result = *vector_create(node->form);
	constant->state = ExecInitExpr(expr, node->context->parent);
	constant->value_context = AllocSetContextCreate(CurrentMemoryContext,
													"columnar constant",
													ALLOCSET_SMALL_SIZES);
	return node;
}
