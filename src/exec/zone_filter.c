/*
 * zone_filter.c
 *		What a zone map says about a filter: no row, every row, or look.
 *
 * A zone map covers deleted rows and holes too, so it may be wider than the
 * rows that are there; every answer here stays right for fewer rows.  A zone
 * map written under another order than the operator's (ALTER TYPE without a
 * rewrite) gives no answer beyond its count of NULLs.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "exec/column_filter.h"

/* What a range says of a zone that is outside of it, or within. */
static FilterVerdict
range_verdict(bool is_disjoint, bool is_inside)
{
	if (is_disjoint)
		return VERDICT_NONE;
	return is_inside ? VERDICT_ALL : VERDICT_SOME;
}

/* First member not less than the value, in the integer domain. */
static int
lower_integer(const ColumnFilter *filter, int64 value)
{
	int			low = 0;
	int			high = filter->nmembers;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (filter->members[middle].integer < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
lower_number(const ColumnFilter *filter, double value)
{
	int			low = 0;
	int			high = filter->nmembers;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (filter->members[middle].number < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static FilterVerdict
check_integers(const ColumnFilter *filter, const ZoneRange *zone)
{
	const IntegerRange *range = &filter->integers;

	if (range->is_empty)
		return VERDICT_NONE;
	if (filter->clause.kind == FILTER_SET)
	{
		int			i = lower_integer(filter, zone->min_int);
		bool		is_disjoint = i == filter->nmembers ||
			filter->members[i].integer > zone->max_int;

		return range_verdict(is_disjoint, zone->min_int == zone->max_int);
	}
	return range_verdict(range->high < zone->min_int ||
						 range->low > zone->max_int,
						 range->low <= zone->min_int &&
						 zone->max_int <= range->high);
}

/* NaN is outside of the zone's range: it is counted by has_nan alone. */
static FilterVerdict
check_floats(const ColumnFilter *filter, const ZoneRange *zone)
{
	const FloatRange *range = &filter->floats;
	FilterVerdict verdict;

	if (filter->clause.kind == FILTER_SET)
	{
		int			i = lower_number(filter, zone->min_float);
		bool		is_disjoint = i == filter->nmembers ||
			filter->members[i].number > zone->max_float;

		verdict = range_verdict(is_disjoint,
								zone->min_float == zone->max_float);
	}
	else
		verdict = range_verdict(range->low > range->high ||
								range->high < zone->min_float ||
								range->low > zone->max_float,
								range->low <= zone->min_float &&
								zone->max_float <= range->high);

	if (zone->has_nan && verdict != VERDICT_SOME &&
		(verdict == VERDICT_ALL) != range->has_nan)
		return VERDICT_SOME;
	return verdict;
}

/* One comparison of a numeric that lies between two doubles. */
static FilterVerdict
check_number(int strategy, double low, double high, const ZoneRange *zone)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
			return range_verdict(zone->min_float > high && !zone->has_nan,
								 zone->max_float < low && !zone->has_nan);
		case BTGreaterStrategyNumber:
		case BTGreaterEqualStrategyNumber:
			return range_verdict(zone->max_float < low && !zone->has_nan,
								 zone->min_float > high);
		default:
			return range_verdict(zone->min_float > high ||
								 zone->max_float < low, false);
	}
}

static FilterVerdict
check_numerics(const ColumnFilter *filter, const ZoneRange *zone)
{
	if (filter->clause.kind == FILTER_SET)
	{
		for (int i = 0; i < filter->nmembers; i++)
		{
			const FilterValue *member = &filter->members[i];

			if (check_number(BTEqualStrategyNumber, member->number_low,
							 member->number_high, zone) != VERDICT_NONE)
				return VERDICT_SOME;
		}
		return VERDICT_NONE;
	}
	return check_number(filter->clause.strategy, filter->value.number_low,
						filter->value.number_high, zone);
}

/* Is the string less than every value of the zone? */
static bool
is_below_zone(const StringRef *string, const ZoneRange *zone)
{
	StringRef	min = {zone->min_bytes, zone->min_length};

	return filter_compare_bytes(string, &min) < 0;
}

/* Is it greater than every value of the zone? */
static bool
is_above_zone(const StringRef *string, const ZoneRange *zone)
{
	StringRef	max = {zone->max_bytes, zone->max_length};
	StringRef	prefix = *string;

	if (zone->max_truncated)
		prefix.length = Min(prefix.length, max.length);
	return filter_compare_bytes(&prefix, &max) > 0;
}

/* Only what strings begin with is known from their order. */
static FilterVerdict
check_like(const LikePieces *like, const ZoneRange *zone)
{
	StringRef	prefix;
	StringRef	min = {zone->min_bytes, zone->min_length};

	if (like->begins_anywhere || like->npieces == 0)
		return VERDICT_SOME;
	prefix = like->pieces[0];
	min.length = Min(min.length, prefix.length);
	return range_verdict(is_above_zone(&prefix, zone) ||
						 filter_compare_bytes(&prefix, &min) < 0, false);
}

static FilterVerdict
check_bytes(const ColumnFilter *filter, const ZoneRange *zone)
{
	const StringRef *string = &filter->value.bytes;

	if (filter->clause.kind == FILTER_LIKE)
		return check_like(&filter->like, zone);
	if (filter->clause.kind == FILTER_SET)
	{
		for (int i = 0; i < filter->nmembers; i++)
		{
			string = &filter->members[i].bytes;
			if (!is_below_zone(string, zone) && !is_above_zone(string, zone))
				return VERDICT_SOME;
		}
		return VERDICT_NONE;
	}

	switch (filter->clause.strategy)
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
			return range_verdict(is_below_zone(string, zone),
								 is_above_zone(string, zone));
		case BTGreaterStrategyNumber:
		case BTGreaterEqualStrategyNumber:
			return range_verdict(is_above_zone(string, zone),
								 is_below_zone(string, zone));
		default:
			return range_verdict(is_below_zone(string, zone) ||
								 is_above_zone(string, zone), false);
	}
}

/* What the values' range says of = and IN, before any negation. */
static FilterVerdict
check_range(const ColumnFilter *filter, const ZoneRange *zone)
{
	switch (filter->clause.type->domain)
	{
		case DOMAIN_INTEGER:
			return check_integers(filter, zone);
		case DOMAIN_FLOAT:
			return check_floats(filter, zone);
		case DOMAIN_NUMERIC:
			return check_numerics(filter, zone);
		case DOMAIN_BYTES:
			return check_bytes(filter, zone);
	}
	return VERDICT_SOME;
}

static FilterVerdict
negate(FilterVerdict verdict)
{
	if (verdict == VERDICT_SOME)
		return VERDICT_SOME;
	return verdict == VERDICT_ALL ? VERDICT_NONE : VERDICT_ALL;
}

FilterVerdict
zone_filter_check(const ColumnFilter *filter, ValueClass value_class,
				  const ZoneRange *range, uint32 nnulls, uint32 nrows)
{
	FilterVerdict verdict = filter->verdict;

	if (filter->clause.kind == FILTER_IS_NULL)
		return range_verdict(nnulls == 0, nnulls >= nrows);
	if (filter->clause.kind == FILTER_IS_NOT_NULL)
		return range_verdict(nnulls >= nrows, nnulls == 0);

	if (!filter->is_ready)
		return VERDICT_SOME;
	if (filter->takes_null)
		return verdict;
	if (nnulls >= nrows)
		return VERDICT_NONE;

	if (verdict == VERDICT_SOME && !filter->is_opaque && range->has_range &&
		value_class == filter->clause.type->value_class)
	{
		verdict = check_range(filter, range);
		if (filter->is_negated)
			verdict = negate(verdict);
	}
	/* NULLs among the rows fail. */
	if (verdict == VERDICT_ALL && nnulls > 0)
		return VERDICT_SOME;
	return verdict;
}
