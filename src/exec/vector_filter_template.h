/*
 * vector_filter_template.h
 *		Comparison kernels for one native type; included by vector_filter.c.
 *
 * Before inclusion define
 *	FILTER_SUFFIX	ending of the functions' names
 *	FILTER_VALUE	type of the values
 *	FILTER_BITS		unsigned type of the same width; not for floats
 *
 * match[i] becomes 1 where value i matches, else 0.  The loops have a constant
 * count, no branch and no call, so that the compiler uses vector instructions.
 * Positions that hold no value get some answer; nobody looks at it.
 */
#define FILTER_CONCAT2(a, b)	a##_##b
#define FILTER_CONCAT(a, b)		FILTER_CONCAT2(a, b)
#define FILTER_NAME(name)		FILTER_CONCAT(name, FILTER_SUFFIX)

#ifdef FILTER_BITS

/* low <= value <= high with one comparison; low <= high. */
static void
FILTER_NAME(match_range) (const FILTER_VALUE *restrict values,
						  FILTER_VALUE low, FILTER_VALUE high,
						  uint8 *restrict match)
{
	FILTER_BITS base = (FILTER_BITS) low;
	FILTER_BITS width = (FILTER_BITS) ((FILTER_BITS) high - base);

	for (int i = 0; i < VECTOR_LENGTH; i++)
		match[i] = (FILTER_BITS) ((FILTER_BITS) values[i] - base) <= width;
}

/* value equals one of a few members, which all fit the type. */
static void
FILTER_NAME(match_few) (const FILTER_VALUE *restrict values,
						const FilterValue *members, int nmembers,
						uint8 *restrict match)
{
	memset(match, 0, VECTOR_LENGTH);
	for (int m = 0; m < nmembers; m++)
	{
		FILTER_VALUE member = (FILTER_VALUE) members[m].integer;

		for (int i = 0; i < VECTOR_LENGTH; i++)
			match[i] |= values[i] == member;
	}
}

/* Widen for the sets that are searched. */
static void
FILTER_NAME(widen) (const void *values, int64 *wide)
{
	const FILTER_VALUE *native = values;

	for (int i = 0; i < VECTOR_LENGTH; i++)
		wide[i] = (int64) native[i];
}

/*
 * A range or a set of any integers, clamped to what the type can hold first:
 * a constant of a wider type may lie outside.
 */
static void
FILTER_NAME(match_integers) (const ColumnFilter *filter,
							 const IntegerRange *range,
							 const void *values, uint8 *match)
{
	int64		low = Max(range->low, FILTER_MIN);
	int64		high = Min(range->high, FILTER_MAX);

	if (range->is_empty || low > high)
		memset(match, 0, VECTOR_LENGTH);
	else if (filter->clause.kind == FILTER_COMPARE)
		FILTER_NAME(match_range) (values, (FILTER_VALUE) low,
								  (FILTER_VALUE) high, match);
	else if (filter->nmembers <= FEW_MEMBERS &&
			 filter->members[0].integer >= FILTER_MIN &&
			 filter->members[filter->nmembers - 1].integer <= FILTER_MAX)
		FILTER_NAME(match_few) (values, filter->members, filter->nmembers,
								match);
	else
	{
		int64		wide[VECTOR_LENGTH];

		FILTER_NAME(widen) (values, wide);
		match_members(filter, wide, match);
	}
}

#else							/* a float type */

static void
FILTER_NAME(match_floats) (const FloatRange *range, const void *input,
						   uint8 *restrict match)
{
	const FILTER_VALUE *restrict values = input;
	double		low = range->low;
	double		high = range->high;
	uint8		nan = range->has_nan ? 1 : 0;

	for (int i = 0; i < VECTOR_LENGTH; i++)
	{
		double		value = values[i];

		match[i] = ((value >= low) & (value <= high)) |
			((value != value) & nan);
	}
}

#endif							/* FILTER_BITS */

#undef FILTER_CONCAT2
#undef FILTER_CONCAT
#undef FILTER_NAME
#undef FILTER_SUFFIX
#undef FILTER_VALUE
#undef FILTER_BITS
#undef FILTER_MIN
#undef FILTER_MAX
