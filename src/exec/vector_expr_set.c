/*
 * vector_expr_set.c
 *		IN lists: operator ANY and ALL of an array that is the same for all
 *		rows.
 *
 * A few elements are compared one after the other, each with the rows that are
 * not decided yet.  Equality with many is a look-up among sorted elements.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_node.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Up to here elements are compared one by one. */
#define FEW_ELEMENTS	8

/* So many at most, where they cannot be looked up. */
#define MAX_COMPARED	32

/* A bitmap of integer elements covers at most so many values. */
#define MAX_BITMAP		(64 * 1024)

typedef struct SetNode
{
	VectorNode	base;			/* its argument is the value */
	ExprState  *array;
	bool		use_or;			/* ANY, else ALL */
	Oid			element_type;
	VectorForm	element_form;
	VectorNode *test;			/* operator, of value and element */
	bool		can_search;		/* is = ANY or <> ALL, by bytes or integers */

	/* The array, once it has been evaluated. */
	bool		is_ready;
	bool		is_null;
	bool		has_null_element;
	int			nelements;		/* but for NULLs */
	bool		is_empty;		/* no element, not even NULL */
	Vector	   *elements;		/* few: one constant vector each, or NULL */
	int64	   *integers;		/* many: sorted */
	uint64	   *bitmap;			/* and those from the first on, or NULL */
	StringRef  *strings;		/* many: sorted */
	MemoryContext set_context;
} SetNode;

/* ---- the set ---- */

static int
compare_int64(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* Any total order serves to find bytes; this one seldom looks at them. */
static int
compare_strings(const void *a, const void *b)
{
	const StringRef *x = a;
	const StringRef *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return memcmp(x->data, y->data, x->length);
}

static void
make_bitmap(SetNode *set)
{
	uint64		range = (uint64) set->integers[set->nelements - 1] -
		(uint64) set->integers[0];

	set->bitmap = NULL;
	if (range >= MAX_BITMAP)
		return;
	set->bitmap = palloc0(sizeof(uint64) * (range / 64 + 1));
	for (int i = 0; i < set->nelements; i++)
	{
		uint64		bit = set->integers[i] - set->integers[0];

		set->bitmap[bit / 64] |= UINT64CONST(1) << (bit % 64);
	}
}

/* Sort the elements for searching. */
static void
make_search(SetNode *set, const Datum *values)
{
	Vector		one = {set->element_form};

	if (set->element_form == FORM_INTEGER)
	{
		set->integers = palloc(sizeof(int64) * set->nelements);
		for (int i = 0; i < set->nelements; i++)
		{
			one.integers = &set->integers[i];
			vector_store_datum(&one, 0, set->element_type, values[i]);
		}
		qsort(set->integers, set->nelements, sizeof(int64), compare_int64);
		make_bitmap(set);
		return;
	}
	set->strings = palloc(sizeof(StringRef) * set->nelements);
	for (int i = 0; i < set->nelements; i++)
	{
		one.strings = &set->strings[i];
		vector_store_datum(&one, 0, set->element_type, values[i]);
	}
	qsort(set->strings, set->nelements, sizeof(StringRef), compare_strings);
}

/* Make a constant vector of each element. */
static void
make_elements(SetNode *set, const Datum *values)
{
	set->elements = palloc(sizeof(Vector) * Max(set->nelements, 1));
	for (int i = 0; i < set->nelements; i++)
	{
		set->elements[i] = *vector_create(set->element_form);
		vector_fill_constant(&set->elements[i], set->element_type, values[i],
							 false);
	}
}

/* Take the array apart; memory is the set's. */
static void
load_array(SetNode *set, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *values;
	bool	   *nulls;
	int			nvalues;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &values, &nulls, &nvalues);
	set->is_empty = nvalues == 0;
	set->nelements = 0;
	set->has_null_element = false;
	for (int i = 0; i < nvalues; i++)
	{
		if (nulls[i])
			set->has_null_element = true;
		else
			values[set->nelements++] = values[i];
	}
	if (set->can_search && set->nelements > FEW_ELEMENTS)
		make_search(set, values);
	else
		make_elements(set, values);
}

static void
prepare_set(SetNode *set)
{
	ExprContext *econtext = set->base.context->econtext;
	MemoryContext oldcontext;
	Datum		value;

	ResetExprContext(econtext);
	set->integers = NULL;
	set->strings = NULL;
	set->elements = NULL;
	value = ExecEvalExprSwitchContext(set->array, econtext, &set->is_null);
	oldcontext = MemoryContextSwitchTo(set->set_context);
	if (!set->is_null)
		load_array(set, datumCopy(value, false, -1));
	MemoryContextSwitchTo(oldcontext);
	set->is_ready = true;
}

static void
reset_set(VectorNode *node)
{
	SetNode    *set = (SetNode *) node;

	MemoryContextReset(set->set_context);
	set->is_ready = false;
}

/* ---- evaluation ---- */

static bool
has_integer(const SetNode *set, int64 value)
{
	int			low = 0;
	int			high = set->nelements;

	if (value < set->integers[0] || value > set->integers[set->nelements - 1])
		return false;
	if (set->bitmap)
	{
		uint64		bit = (uint64) value - (uint64) set->integers[0];

		return (set->bitmap[bit / 64] >> (bit % 64)) & 1;
	}
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (set->integers[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->nelements && set->integers[low] == value;
}

static bool
has_string(const SetNode *set, const StringRef *value)
{
	return bsearch(value, set->strings, set->nelements, sizeof(StringRef),
				   compare_strings) != NULL;
}

/* Rows whose value is an element. */
static void
search_elements(const SetNode *set, const Vector *value, const uint64 *rows,
				uint64 *found)
{
	memset(found, 0, sizeof(uint64) * VECTOR_WORDS);
	VECTOR_FOR_EACH(slot, rows)
	{
		if (set->integers ? has_integer(set, value->integers[slot]) :
			has_string(set, &value->strings[slot]))
			vector_set_bit(found, slot);
	}
}

/*
 * Rows that an element decides: of ANY those for which one is true, of ALL
 * those for which one is false.  unknown gets those with a NULL among the
 * operator's results.
 */
static void
compare_elements(SetNode *set, const Vector *value, const uint64 *rows,
				 uint64 *decided, uint64 *unknown)
{
	uint64		flip = set->use_or ? 0 : PG_UINT64_MAX;
	uint64		open[VECTOR_WORDS];

	memcpy(open, rows, sizeof(open));
	memset(decided, 0, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < set->nelements && !vector_mask_is_empty(open); i++)
	{
		const Vector *args[2] = {value, &set->elements[i]};
		const Vector *test = vector_function_apply(set->test, args, open);

		for (int w = 0; w < VECTOR_WORDS; w++)
		{
			uint64		nulls = test->has_nulls ? test->nulls[w] : 0;
			uint64		hit = (test->bits[w] ^ flip) & ~nulls & open[w];

			unknown[w] |= nulls & open[w];
			decided[w] |= hit;
			open[w] &= ~hit;
		}
	}
}

/* The answer for all rows of mask, whatever the value. */
static const Vector *
same_for_all(VectorNode *node, const uint64 *mask, bool value, bool isnull)
{
	Vector	   *result = vector_node_start(node);

	memset(result->bits, value ? 0xFF : 0, sizeof(uint64) * VECTOR_WORDS);
	if (isnull)
	{
		result->has_nulls = true;
		memcpy(result->nulls, mask, sizeof(uint64) * VECTOR_WORDS);
	}
	return result;
}

static const Vector *
evaluate_set(VectorNode *node, const uint64 *mask)
{
	SetNode    *set = (SetNode *) node;
	const Vector *value = vector_node_evaluate(node->args[0], mask);
	uint64		rows[VECTOR_WORDS];
	uint64		decided[VECTOR_WORDS];
	uint64		unknown[VECTOR_WORDS] = {0};
	uint64		flip = set->use_or ? 0 : PG_UINT64_MAX;
	uint64		any_unknown = 0;
	Vector	   *result;

	if (!set->is_ready)
		prepare_set(set);
	if (set->is_null)
		return same_for_all(node, mask, false, true);
	if (set->is_empty)
		return same_for_all(node, mask, !set->use_or, false);

	/* A NULL value gives NULL; a NULL element does where no other decides. */
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		rows[w] = mask[w] & ~(value->has_nulls ? value->nulls[w] : 0);
		unknown[w] = set->has_null_element ? mask[w] : mask[w] & ~rows[w];
	}
	memset(decided, 0, sizeof(decided));
	if (!vector_mask_is_empty(rows))
	{
		if (set->elements)
			compare_elements(set, value, rows, decided, unknown);
		else
			search_elements(set, value, rows, decided);
	}

	result = vector_node_start(node);
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		result->bits[w] = decided[w] ^ flip;
		unknown[w] &= ~decided[w];
		any_unknown |= unknown[w];
	}
	if (any_unknown)
	{
		result->has_nulls = true;
		memcpy(result->nulls, unknown, sizeof(unknown));
	}
	return result;
}

/* ---- compilation ---- */

static VectorForm
form_of(Node *expr)
{
	return vector_form_of_type(exprType(expr), exprTypmod(expr),
							   exprCollation(expr));
}

/* The operator as a function of the value and one element. */
static Expr *
element_test(ScalarArrayOpExpr *expr, Oid element_type)
{
	OpExpr	   *test = makeNode(OpExpr);
	Node	   *array = lsecond(expr->args);
	Const	   *element = makeNullConst(element_type, -1,
										exprCollation(array));

	test->opno = expr->opno;
	test->opfuncid = expr->opfuncid;
	test->opresulttype = BOOLOID;
	test->inputcollid = expr->inputcollid;
	test->args = list_make2(linitial(expr->args), element);
	test->location = -1;
	return (Expr *) test;
}

/* Is the array known now, and of few elements? */
static bool
is_small(Node *array)
{
	ArrayType  *value;

	if (!IsA(array, Const) || ((Const *) array)->constisnull)
		return false;
	value = DatumGetArrayTypeP(((Const *) array)->constvalue);
	return ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value)) <= MAX_COMPARED;
}

/*
 * The operator's kernel, if there is one and, unless elements can be looked up,
 * only few are to be compared.
 */
static const VectorFunction *
find_kernel(ScalarArrayOpExpr *expr, bool *can_search)
{
	Node	   *array = lsecond(expr->args);
	Oid			element_type = get_element_type(exprType(array));
	const VectorFunction *function;
	OpExpr	   *test;

	if (!OidIsValid(element_type))
		return NULL;
	set_sa_opfuncid(expr);
	test = (OpExpr *) element_test(expr, element_type);
	function = vector_function_find(test->opfuncid, test->args,
									test->inputcollid);
	if (function == NULL)
		return NULL;
	*can_search = vector_compares_exactly(function, expr->useOr ?
										  COMPARISON_EQ : COMPARISON_NE) &&
		form_of(linitial(expr->args)) == form_of(lsecond(test->args));
	return *can_search || is_small(array) ? function : NULL;
}

bool
vector_set_is_known(ScalarArrayOpExpr *expr)
{
	bool		can_search;

	return find_kernel(expr, &can_search) != NULL &&
		!vector_varies_by_row(lsecond(expr->args));
}

VectorNode *
vector_compile_set(VectorCompiler *compiler, ScalarArrayOpExpr *expr, int reg)
{
	SetNode    *set;
	Expr	   *array = lsecond(expr->args);
	OpExpr	   *test;
	bool		can_search;

	if (find_kernel(expr, &can_search) == NULL ||
		vector_varies_by_row((Node *) array))
		return NULL;

	set = (SetNode *) vector_node_create(compiler, sizeof(SetNode),
										 (Expr *) expr, 1, reg);
	set->use_or = expr->useOr;
	set->can_search = can_search;
	set->element_type = get_element_type(exprType((Node *) array));
	test = (OpExpr *) element_test(expr, set->element_type);
	set->element_form = form_of(lsecond(test->args));
	set->test = vector_compile_function(compiler, (Expr *) test,
										test->opfuncid, test->inputcollid,
										test->args, reg + 1);
	if (set->test == NULL)
		return NULL;
	set->base.args[0] = set->test->args[0];
	set->array = ExecInitExpr(array, compiler->context->parent);
	set->set_context = AllocSetContextCreate(CurrentMemoryContext,
											 "columnar set",
											 ALLOCSET_SMALL_SIZES);
	set->base.evaluate = evaluate_set;
	set->base.reset = reset_set;
	return &set->base;
}
