/*
 * filter_operand.c
 *		The operand of a column filter, evaluated and turned into bounds.
 *
 * Every comparison of integers, dates, times and OIDs becomes one range of
 * 64-bit integers, every comparison of floats a range of doubles and a word on
 * NaN, whatever the operator and the two types: zone maps and kernels know
 * ranges and sets only.  <> and NOT IN are the negation of = and IN.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/column_filter.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* Strip what does not change a value. */
static Node *
strip_relabels(Node *node)
{
	while (node && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

void
column_filter_init(ColumnFilter *filter, Expr *clause, Index relid,
				   PlanState *parent)
{
	Node	   *operand;
	Expr	   *expr;

	memset(filter, 0, sizeof(*filter));
	if (!filter_clause_match(clause, relid, &filter->clause))
		elog(ERROR, "condition of a vectorised scan is not a column filter");

	filter->qual = ExecInitQual(list_make1(clause), parent);
	filter->is_negated = filter->clause.strategy == FILTER_NOT_EQUAL;
	filter->context = AllocSetContextCreate(CurrentMemoryContext,
											"columnar filter operand",
											ALLOCSET_SMALL_SIZES);

	expr = (Expr *) filter->clause.operand;
	operand = strip_relabels(filter->clause.operand);
	filter->is_constant = operand == NULL || IsA(operand, Const);
	filter->is_simple = filter->is_constant || IsA(operand, Param);
	if (expr)
		filter->operand = ExecInitExpr(expr, parent);
}

void
column_filter_reset(ColumnFilter *filter)
{
	if (!filter->is_constant)
		filter->is_ready = false;
	filter->has_entries = false;
}

/*
 * A parameter that stands for a subquery runs it when it is first asked for,
 * which may raise an error or take long: no row may have come that far.
 */
bool
column_filter_is_free(const ColumnFilter *filter, ExprContext *econtext)
{
	Param	   *param;

	if (filter->is_constant)
		return true;
	if (!filter->is_simple)
		return false;

	param = (Param *) strip_relabels(filter->clause.operand);
	return param->paramkind != PARAM_EXEC ||
		econtext->ecxt_param_exec_vals[param->paramid].execPlan == NULL;
}

int
filter_compare_bytes(const StringRef *a, const StringRef *b)
{
	int			result = memcmp(a->data, b->data, Min(a->length, b->length));

	if (result == 0 && a->length != b->length)
		result = a->length < b->length ? -1 : 1;
	return result;
}

/* ---- constants ---- */

/*
 * A timestamp that overflowed on conversion lies between the last finite value
 * and infinity, equal to neither.
 */
static void
set_timestamp(FilterValue *value, Timestamp timestamp, int overflow)
{
	value->integer = timestamp;
	value->is_exact = overflow == 0;
	if (overflow > 0)
		value->integer = DT_NOEND - 1;
	else if (overflow < 0)
		value->integer = DT_NOBEGIN;
}

/* The day that a timestamp is in, rounded down. */
static void
set_date_of_timestamp(FilterValue *value, Timestamp timestamp)
{
	value->is_exact = true;
	if (TIMESTAMP_IS_NOBEGIN(timestamp))
		value->integer = DATEVAL_NOBEGIN;
	else if (TIMESTAMP_IS_NOEND(timestamp))
		value->integer = DATEVAL_NOEND;
	else
	{
		value->integer = timestamp / USECS_PER_DAY;
		value->is_exact = timestamp % USECS_PER_DAY == 0;
		if (timestamp < 0 && !value->is_exact)
			value->integer--;
	}
}

/* A date as what the column is. */
static void
set_date(FilterValue *value, Oid column_type, DateADT date)
{
	int			overflow = 0;
	Timestamp	timestamp;

	if (column_type == TIMESTAMPOID)
	{
		timestamp = date2timestamp_opt_overflow(date, &overflow);
		set_timestamp(value, timestamp, overflow);
	}
	else if (column_type == TIMESTAMPTZOID)
	{
		timestamp = date2timestamptz_opt_overflow(date, &overflow);
		set_timestamp(value, timestamp, overflow);
	}
	else
		value->integer = date;
}

/* A timestamp as what the column is. */
static void
set_timestamp_as(FilterValue *value, Oid column_type, Timestamp timestamp)
{
	int			overflow = 0;

	if (column_type == DATEOID)
		set_date_of_timestamp(value, timestamp);
	else if (column_type == TIMESTAMPTZOID)
	{
		timestamp = timestamp2timestamptz_opt_overflow(timestamp, &overflow);
		set_timestamp(value, timestamp, overflow);
	}
	else
		value->integer = timestamp;
}

static void
set_integer(FilterValue *value, Oid column_type, Oid type, Datum datum)
{
	value->is_exact = true;
	switch (type)
	{
		case BOOLOID:
			value->integer = DatumGetBool(datum) ? 1 : 0;
			break;
		case CHAROID:
			value->integer = (uint8) DatumGetChar(datum);
			break;
		case INT2OID:
			value->integer = DatumGetInt16(datum);
			break;
		case INT4OID:
			value->integer = DatumGetInt32(datum);
			break;
		case OIDOID:
		case ANYENUMOID:
			value->integer = DatumGetObjectId(datum);
			break;
		case DATEOID:
			set_date(value, column_type, DatumGetDateADT(datum));
			break;
		case TIMESTAMPOID:
			set_timestamp_as(value, column_type, DatumGetTimestamp(datum));
			break;
		default:
			value->integer = DatumGetInt64(datum);
			break;
	}
}

/*
 * A numeric with doubles that enclose it.  False for NaN and the infinities,
 * which no scaled integer stands for.
 */
static bool
set_numeric(FilterValue *value, Datum datum)
{
	Numeric		numeric = DatumGetNumericCopy(datum);
	double		number;

	if (numeric_is_nan(numeric) || numeric_is_inf(numeric))
		return false;

	number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												NumericGetDatum(numeric)));
	value->numeric = NumericGetDatum(numeric);
	value->number_low = nextafter(number, -INFINITY);
	value->number_high = nextafter(number, INFINITY);
	return true;
}

static void
set_bytes(FilterValue *value, Oid type, Datum datum)
{
	if (type == UUIDOID)
	{
		value->bytes.data = DatumGetUUIDP(datum)->data;
		value->bytes.length = UUID_LEN;
	}
	else
	{
		struct varlena *string = PG_DETOAST_DATUM_PACKED(datum);

		value->bytes.data = (const uint8 *) VARDATA_ANY(string);
		value->bytes.length = VARSIZE_ANY_EXHDR(string);
	}
}

/*
 * Bring a constant into its domain; memory is the caller's.  False if the
 * kernels have no form of it.
 */
static bool
set_value(FilterValue *value, const FilterClause *clause, Datum datum)
{
	Oid			type = clause->operand_type;

	memset(value, 0, sizeof(*value));
	switch (clause->type->domain)
	{
		case DOMAIN_INTEGER:
			set_integer(value, clause->type->type, type, datum);
			return true;
		case DOMAIN_FLOAT:
			value->number = type == FLOAT4OID ?
				(double) DatumGetFloat4(datum) : DatumGetFloat8(datum);
			return true;
		case DOMAIN_NUMERIC:
			return set_numeric(value, datum);
		case DOMAIN_BYTES:
			set_bytes(value, type, datum);
			return true;
	}
	return false;
}

/* ---- comparisons ---- */

void
filter_integer_range(int strategy, int64 value, bool is_exact,
					 IntegerRange *range)
{
	range->is_empty = false;
	range->low = PG_INT64_MIN;
	range->high = PG_INT64_MAX;

	switch (strategy)
	{
		case BTLessStrategyNumber:
			if (is_exact && value == PG_INT64_MIN)
				range->is_empty = true;
			else
				range->high = is_exact ? value - 1 : value;
			break;
		case BTLessEqualStrategyNumber:
			range->high = value;
			break;
		case BTGreaterStrategyNumber:
			if (value == PG_INT64_MAX)
				range->is_empty = true;
			else
				range->low = value + 1;
			break;
		case BTGreaterEqualStrategyNumber:
			if (!is_exact && value == PG_INT64_MAX)
				range->is_empty = true;
			else
				range->low = is_exact ? value : value + 1;
			break;
		default:				/* = and, negated, <> */
			range->is_empty = !is_exact;
			range->low = range->high = value;
			break;
	}
}

/*
 * NaN is greater than all else and equal to itself.  Strict bounds become
 * inclusive ones of the neighbouring double, also for float4 columns, whose
 * values are doubles to their comparison.
 */
static void
set_float_range(int strategy, double value, FloatRange *range)
{
	bool		is_nan = isnan(value);

	range->low = -INFINITY;
	range->high = INFINITY;
	range->has_nan = false;

	switch (strategy)
	{
		case BTLessStrategyNumber:
			if (is_nan)
				break;
			range->high = nextafter(value, -INFINITY);
			if (value == -INFINITY)
				range->low = INFINITY;
			break;
		case BTLessEqualStrategyNumber:
			range->has_nan = is_nan;
			if (!is_nan)
				range->high = value;
			break;
		case BTGreaterStrategyNumber:
			range->has_nan = !is_nan;
			range->low = is_nan ? INFINITY : nextafter(value, INFINITY);
			if (is_nan || value == INFINITY)
				range->high = -INFINITY;
			break;
		case BTGreaterEqualStrategyNumber:
			range->has_nan = true;
			range->low = is_nan ? INFINITY : value;
			if (is_nan)
				range->high = -INFINITY;
			break;
		default:
			range->has_nan = is_nan;
			range->low = is_nan ? INFINITY : value;
			range->high = is_nan ? -INFINITY : value;
			break;
	}
}

static void
prepare_comparison(ColumnFilter *filter, Datum datum)
{
	FilterClause *clause = &filter->clause;

	if (!set_value(&filter->value, clause, datum))
	{
		filter->is_opaque = true;
		return;
	}

	switch (clause->type->domain)
	{
		case DOMAIN_INTEGER:
			filter_integer_range(clause->strategy, filter->value.integer,
								 filter->value.is_exact, &filter->integers);
			break;
		case DOMAIN_FLOAT:
			set_float_range(clause->strategy, filter->value.number,
							&filter->floats);
			break;
		default:
			break;
	}
}

/* ---- sets ---- */

static int
compare_integers(const void *a, const void *b)
{
	int64		x = ((const FilterValue *) a)->integer;
	int64		y = ((const FilterValue *) b)->integer;

	return (x > y) - (x < y);
}

static int
compare_numbers(const void *a, const void *b)
{
	double		x = ((const FilterValue *) a)->number;
	double		y = ((const FilterValue *) b)->number;

	return (x > y) - (x < y);
}

static int
compare_numerics(const void *a, const void *b)
{
	const FilterValue *x = a;
	const FilterValue *y = b;

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, x->numeric,
											 y->numeric));
}

static int
compare_bytes(const void *a, const void *b)
{
	return filter_compare_bytes(&((const FilterValue *) a)->bytes,
								&((const FilterValue *) b)->bytes);
}

/* Members that fit one allocation; no set that somebody wrote has as many. */
#define MAX_MEMBERS			((int) (MaxAllocSize / sizeof(FilterValue)))

/*
 * Members that are close together, and more than a few, make a bitmap.  Its
 * size is bounded by their number: a rescan makes it anew.
 */
#define BITMAP_MEMBERS		8
#define BITMAP_BITS			1024	/* per member */
#define BITMAP_MAX_BITS		(1024 * 1024)

static void
make_bitmap(ColumnFilter *filter)
{
	uint64		low = (uint64) filter->integers.low;
	uint64		span = (uint64) filter->integers.high - low;

	if (filter->clause.type->domain != DOMAIN_INTEGER ||
		filter->nmembers <= BITMAP_MEMBERS || span >= BITMAP_MAX_BITS ||
		span / BITMAP_BITS >= (uint64) filter->nmembers)
		return;

	filter->bitmap = palloc0((span / 64 + 1) * sizeof(uint64));
	for (int i = 0; i < filter->nmembers; i++)
	{
		uint64		bit = (uint64) filter->members[i].integer - low;

		filter->bitmap[bit / 64] |= UINT64CONST(1) << (bit % 64);
	}
}

/*
 * Sort the members and set the bounds that zone maps and kernels look at
 * first.
 */
static void
sort_members(ColumnFilter *filter)
{
	static int	(*const comparators[]) (const void *, const void *) = {
		[DOMAIN_INTEGER] = compare_integers,
		[DOMAIN_FLOAT] = compare_numbers,
		[DOMAIN_NUMERIC] = compare_numerics,
		[DOMAIN_BYTES] = compare_bytes
	};
	FilterValue *members = filter->members;
	int			n = filter->nmembers;
	int			(*compare) (const void *, const void *) =
		comparators[filter->clause.type->domain];
	int			ndistinct = 0;

	qsort(members, n, sizeof(FilterValue), compare);
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || compare(&members[ndistinct - 1], &members[i]) != 0)
			members[ndistinct++] = members[i];
	}
	filter->nmembers = n = ndistinct;

	filter->integers.is_empty = n == 0;
	filter->floats.low = INFINITY;
	filter->floats.high = -INFINITY;
	filter->floats.has_nan = filter->has_nan_member;
	if (n > 0)
	{
		filter->integers.low = members[0].integer;
		filter->integers.high = members[n - 1].integer;
		filter->floats.low = members[0].number;
		filter->floats.high = members[n - 1].number;
	}
	make_bitmap(filter);
}

/*
 * A member that no value of the column equals is left out, NaN is kept aside.
 */
static void
add_member(ColumnFilter *filter, Datum datum)
{
	FilterValue value;

	if (!set_value(&value, &filter->clause, datum))
	{
		filter->is_opaque = true;
		return;
	}
	if (filter->clause.type->domain == DOMAIN_INTEGER && !value.is_exact)
		return;
	if (filter->clause.type->domain == DOMAIN_FLOAT && isnan(value.number))
	{
		filter->has_nan_member = true;
		return;
	}
	filter->members[filter->nmembers++] = value;
}

/*
 * IN passes over NULL members; one in NOT IN leaves nothing to be true.  An
 * empty array is false to IN and true to NOT IN, whatever the column.
 */
static void
prepare_set(ColumnFilter *filter, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;
	bool		has_null = false;

	/* The server needs no more memory than the array: so the clause decides. */
	if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > MAX_MEMBERS)
	{
		filter->is_opaque = true;
		return;
	}

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &elements, &nulls, &nelements);

	filter->members = palloc(sizeof(FilterValue) * Max(nelements, 1));
	filter->nmembers = 0;
	filter->has_nan_member = false;
	for (int i = 0; i < nelements; i++)
	{
		if (nulls[i])
			has_null = true;
		else
			add_member(filter, elements[i]);
	}

	if (filter->is_negated && nelements == 0)
	{
		filter->verdict = VERDICT_ALL;
		filter->takes_null = true;
	}
	else if (filter->is_negated && has_null)
		filter->verdict = VERDICT_NONE;
	else if (!filter->is_opaque && filter->nmembers == 0 &&
			 !filter->has_nan_member)
		filter->verdict = filter->is_negated ? VERDICT_ALL : VERDICT_NONE;
	else if (!filter->is_opaque)
		sort_members(filter);
}

static void
prepare_like(ColumnFilter *filter, Datum datum)
{
	text	   *pattern = DatumGetTextPP(datum);
	StringRef	string = {(const uint8 *) VARDATA_ANY(pattern),
						  VARSIZE_ANY_EXHDR(pattern)};

	like_pieces_init(&filter->like, &string);
}

/* The operand is in memory that the next row resets. */
static Datum
copy_operand(const ColumnFilter *filter, Datum datum)
{
	int16		typlen;
	bool		typbyval;

	get_typlenbyval(exprType(filter->clause.operand), &typlen, &typbyval);
	return datumCopy(datum, typbyval, typlen);
}

void
column_filter_prepare(ColumnFilter *filter, ExprContext *econtext)
{
	MemoryContext oldcontext;
	Datum		datum;
	bool		isnull;

	Assert(!filter->is_ready);
	MemoryContextReset(filter->context);
	filter->verdict = VERDICT_SOME;
	filter->takes_null = false;
	filter->is_opaque = false;
	filter->has_scale = false;
	filter->members = NULL;
	filter->nmembers = 0;
	filter->bitmap = NULL;

	if (filter->operand)
	{
		datum = ExecEvalExprSwitchContext(filter->operand, econtext, &isnull);
		oldcontext = MemoryContextSwitchTo(filter->context);
		if (!isnull)
			datum = copy_operand(filter, datum);
		if (isnull)
			filter->verdict = VERDICT_NONE;
		else if (filter->clause.kind == FILTER_SET)
			prepare_set(filter, datum);
		else if (filter->clause.kind == FILTER_LIKE)
			prepare_like(filter, datum);
		else
			prepare_comparison(filter, datum);
		MemoryContextSwitchTo(oldcontext);
	}
	filter->is_ready = true;
}
