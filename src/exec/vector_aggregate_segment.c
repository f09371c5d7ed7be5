/*
 * vector_aggregate_segment.c
 *		Aggregates of whole segments by their attribute entries, and of whole
 *		vectors by their sums and extremes.
 *
 * An entry says what its chunk holds, without a doubt where the aggregate's
 * argument is of the type that the entry was made for: its class tells, since
 * ALTER TYPE without a rewrite may have given the bytes another order.  Sums of
 * floats depend on the order of rows and are no stored sums.
 */
#include "postgres.h"

#include "access/attribute_kind.h"
#include "exec/vector_aggregate_state.h"
#include "storage/segment_reader.h"
#include "utils/float.h"

/* Does the entry tell the smallest and largest of the type's values? */
static bool
has_extremes(const AttributeEntry *entry, Form_pg_attribute attr)
{
	return (entry->flags & ATTRIBUTE_HAS_RANGE) != 0 &&
		entry->value_class == attribute_class(attr);
}

static bool
has_sum(const AttributeEntry *entry, Form_pg_attribute attr)
{
	return (entry->flags & ATTRIBUTE_HAS_SUM) != 0 &&
		entry->value_class == attribute_class(attr);
}

static int128
stored_sum(const AttributeEntry *entry)
{
	return (int128) (((uint128) (uint64) entry->sum_high << 64) |
					 entry->sum_low);
}

/* Do all partial sums of the chunk's values lie between 0 and the sum? */
static bool
sum_is_monotonic(const AttributeEntry *entry)
{
	ZoneRange	range;
	int128		sum = stored_sum(entry);

	attribute_entry_zone(entry, &range);
	return (range.min_int < 0) == (range.max_int < 0) && sum == (int64) sum;
}

/* The strings of a zone map are prefixes, and in the order of their bytes. */
static bool
knows_text(const VectorAggregate *aggregate, const AttributeEntry *entry)
{
	uint16		truncated = aggregate->function->is_max ?
		ATTRIBUTE_MAX_TRUNCATED : ATTRIBUTE_MIN_TRUNCATED;

	return aggregate->orders_bytes && (entry->flags & truncated) == 0;
}

/*
 * Zero has two forms, of which the last one is kept; NaN is the greatest and
 * outside of the range.
 */
static bool
knows_float(const VectorAggregate *aggregate, const AttributeEntry *entry)
{
	ZoneRange	range;

	attribute_entry_zone(entry, &range);
	return !range.has_nan &&
		(aggregate->function->is_max ? range.max_float : range.min_float) != 0.0;
}

bool
vector_aggregate_knows_segment(const VectorAggregate *aggregate,
							   const AttributeEntry *entry,
							   Form_pg_attribute attr)
{
	const AggregateKind *kind = aggregate->kind;

	if (kind == &aggregate_count)
		return entry == NULL || entry->kind != 0;
	if (entry == NULL || entry->kind == 0)
		return false;

	if (kind == &aggregate_sum_int || kind == &aggregate_average_int)
		return has_sum(entry, attr);
	if (kind == &aggregate_sum_money)
		return has_sum(entry, attr) && has_extremes(entry, attr) &&
			sum_is_monotonic(entry);
	if (kind == &aggregate_wide_int || kind == &aggregate_numeric)
		return has_sum(entry, attr) && !aggregate->function->has_squares;

	if (!has_extremes(entry, attr))
		return false;
	if (kind == &aggregate_extreme_float)
		return knows_float(aggregate, entry);
	if (kind == &aggregate_extreme_text)
		return knows_text(aggregate, entry);
	return kind == &aggregate_extreme_int || kind == &aggregate_bool_and ||
		kind == &aggregate_bool_or;
}

/* ---- adding ---- */

static void
add_sum(SumState *state, const AttributeEntry *entry, uint32 nvalues)
{
	state->sum = (int64) ((uint64) state->sum + (uint64) stored_sum(entry));
	state->n += nvalues;
}

/* Where 64 bits overflow, core's function raises the error, or wraps. */
static void
add_money(VectorAggregate *aggregate, SumState *state,
		  const AttributeEntry *entry, uint32 nvalues)
{
	NullableDatum args[2] = {
		{Int64GetDatum(state->sum)}, {Int64GetDatum((int64) stored_sum(entry))}
	};
	bool		isnull;

	state->sum = DatumGetInt64(aggregate_call(aggregate,
											  &aggregate->transition, 2, args,
											  &isnull));
	state->n += nvalues;
}

static void
add_integer_extreme(ExtremeState *state, int64 value, bool is_max)
{
	if (!state->is_set ||
		(is_max ? value > state->value : value < state->value))
		state->value = value;
	state->is_set = true;
}

static void
add_float_extreme(FloatState *state, double value, bool is_max)
{
	if (!state->is_set ||
		!(is_max ? float8_gt(state->value, value) :
		  float8_lt(state->value, value)))
		state->value = value;
	state->is_set = true;
}

static void
add_text_extreme(VectorAggregate *aggregate, const ZoneRange *range)
{
	bool		is_max = aggregate->function->is_max;
	StringRef	value = {is_max ? range->max_bytes : range->min_bytes,
						 is_max ? range->max_length : range->min_length};

	text_state_add(aggregate, (TextState *) aggregate->states, &value);
}

/* Is a value among them that decides the conjunction, or disjunction? */
static void
add_bool(ExtremeState *state, bool is_decided)
{
	state->value |= is_decided;
	state->is_set = true;
}

/* By the smallest and largest of the values. */
static void
add_range(VectorAggregate *aggregate, const AttributeEntry *entry)
{
	const AggregateKind *kind = aggregate->kind;
	bool		is_max = aggregate->function->is_max;
	void	   *state = aggregate->states;
	ZoneRange	range;

	attribute_entry_zone(entry, &range);
	if (kind == &aggregate_extreme_int)
		add_integer_extreme(state, is_max ? range.max_int : range.min_int,
							is_max);
	else if (kind == &aggregate_extreme_float)
		add_float_extreme(state, is_max ? range.max_float : range.min_float,
						  is_max);
	else if (kind == &aggregate_extreme_text)
		add_text_extreme(aggregate, &range);
	else
		add_bool(state, kind == &aggregate_bool_and ? range.min_int == 0 :
				 range.max_int != 0);
}

void
vector_aggregate_add_segment(VectorAggregate *aggregate,
							 const AttributeEntry *entry,
							 Form_pg_attribute attr, uint32 nrows)
{
	const AggregateKind *kind = aggregate->kind;
	void	   *state = aggregate->states;
	uint32		nvalues = nrows;

	Assert(aggregate->ngroups > 0);
	Assert(vector_aggregate_knows_segment(aggregate, entry, attr));

	if (entry)
		nvalues -= Min(entry->nnulls, nrows);
	if (nvalues == 0)
		return;
	if (kind == &aggregate_count)
		((CountState *) state)->n += nvalues;
	else if (kind == &aggregate_sum_int || kind == &aggregate_average_int)
		add_sum(state, entry, nvalues);
	else if (kind == &aggregate_sum_money)
		add_money(aggregate, state, entry, nvalues);
	else if (kind == &aggregate_wide_int)
		wide_state_add(aggregate, state, stored_sum(entry), nvalues, 0);
	else if (kind == &aggregate_numeric)
		wide_state_add(aggregate, state, stored_sum(entry), nvalues,
					   entry->sum_scale);
	else
		add_range(aggregate, entry);
}

/* ---- whole vectors ---- */

bool
vector_aggregate_takes_sums(const VectorAggregate *aggregate)
{
	const AggregateKind *kind = aggregate->kind;

	return kind == &aggregate_sum_int || kind == &aggregate_average_int ||
		((kind == &aggregate_wide_int || kind == &aggregate_numeric) &&
		 !aggregate->function->has_squares);
}

void
vector_aggregate_add_sum(VectorAggregate *aggregate, int64 sum, uint32 nvalues,
						 int scale)
{
	void	   *state = aggregate->states;

	Assert(aggregate->ngroups > 0);
	if (aggregate->kind == &aggregate_sum_int ||
		aggregate->kind == &aggregate_average_int)
	{
		SumState   *sums = state;

		sums->sum = (int64) ((uint64) sums->sum + (uint64) sum);
		sums->n += nvalues;
	}
	else
		wide_state_add(aggregate, state, sum, nvalues, scale);
}

bool
vector_aggregate_takes_extremes(const VectorAggregate *aggregate)
{
	return aggregate->kind == &aggregate_extreme_int;
}

void
vector_aggregate_add_extremes(VectorAggregate *aggregate, int64 min, int64 max)
{
	bool		is_max = aggregate->function->is_max;

	Assert(aggregate->ngroups > 0);
	add_integer_extreme((ExtremeState *) aggregate->states, is_max ? max : min,
						is_max);
}
