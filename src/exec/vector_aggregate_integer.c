/*
 * vector_aggregate_integer.c
 *		Counts, sums and extremes of integers, and booleans and bits.
 *
 * What core keeps in a Datum of 64 bits or fewer.  Sums of int2 and int4 wrap
 * around as core's do; sums of money raise what core raises.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "exec/vector_aggregate_state.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ---- counts ---- */

static void
count_update(VectorAggregate *aggregate, const Vector *values,
			 const uint64 *live, const uint32 *groups)
{
	CountState *states = (CountState *) aggregate->states;

	if (groups == NULL)
	{
		states[0].n += vector_mask_count(live);
		return;
	}
	FOR_LIVE(slot, live, states[groups[slot]].n++);
}

static Datum
count_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	*isnull = false;
	return Int64GetDatum(((CountState *) state)->n);
}

static void
count_merge(VectorAggregate *aggregate, void *state, const void *other)
{
	((CountState *) state)->n += ((const CountState *) other)->n;
}

const AggregateKind aggregate_count = {
	sizeof(CountState), count_update, count_value, NULL, count_merge
};

/* ---- sums ---- */

/* Words with more rows than this are summed whole, under the mask. */
#define DENSE_WORD	20

/* Sum of the values, which wraps around. */
static int64
sum_integers(const int64 *values, const uint64 *live)
{
	uint64		sum = 0;

	for (int w = 0; w < VECTOR_WORDS; w++, values += 64)
	{
		uint64		word = live[w];

		if (word == PG_UINT64_MAX)
		{
			for (int i = 0; i < 64; i++)
				sum += (uint64) values[i];
		}
		else if (pg_popcount64(word) > DENSE_WORD)
		{
			for (int i = 0; i < 64; i++)
				sum += (uint64) values[i] & -((word >> i) & 1);
		}
		else
		{
			for (; word != 0; word &= word - 1)
				sum += (uint64) values[pg_rightmost_one_pos64(word)];
		}
	}
	return (int64) sum;
}

static void
sum_update(VectorAggregate *aggregate, const Vector *values,
		   const uint64 *live, const uint32 *groups)
{
	SumState   *states = (SumState *) aggregate->states;
	const int64 *integers = values->integers;

	if (groups == NULL)
	{
		states[0].sum += sum_integers(integers, live);
		states[0].n += vector_mask_count(live);
		return;
	}
	FOR_LIVE(slot, live,
	{
		SumState   *state = &states[groups[slot]];

		state->n++;
		state->sum += integers[slot];
	});
}

static Datum
sum_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	SumState   *sum = state;

	*isnull = sum->n == 0;
	return Int64GetDatum(sum->sum);
}

static void
sum_merge(VectorAggregate *aggregate, void *state, const void *other)
{
	SumState   *sum = state;
	const SumState *other_sum = other;

	sum->n += other_sum->n;
	sum->sum = (int64) ((uint64) sum->sum + (uint64) other_sum->sum);
}

const AggregateKind aggregate_sum_int = {
	sizeof(SumState), sum_update, sum_value, NULL, sum_merge
};

Datum
vector_aggregate_shifted_sum(VectorAggregate *aggregate, uint32 group,
							 int64 offset, bool *isnull)
{
	const SumState *state = &((SumState *) aggregate->states)[group];

	Assert(aggregate->kind == &aggregate_sum_int);
	*isnull = state->n == 0;
	return Int64GetDatum((int64) ((uint64) state->sum +
								  (uint64) state->n * (uint64) offset));
}

/* Core's transition value is an array of count and sum. */
static Datum
average_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	SumState   *sum = state;
	Datum		elements[2] = {Int64GetDatum(sum->n), Int64GetDatum(sum->sum)};

	*isnull = false;
	return PointerGetDatum(construct_array(elements, 2, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

const AggregateKind aggregate_average_int = {
	sizeof(SumState), sum_update, average_value, NULL, sum_merge
};

/* Where 64 bits overflow, core's function raises the error, or wraps. */
static int64
add_money(VectorAggregate *aggregate, int64 a, int64 b)
{
	NullableDatum args[2] = {{Int64GetDatum(a)}, {Int64GetDatum(b)}};
	int64		sum;
	bool		isnull;

	if (!pg_add_s64_overflow(a, b, &sum))
		return sum;
	return DatumGetInt64(aggregate_call(aggregate, &aggregate->transition, 2,
										args, &isnull));
}

static void
money_update(VectorAggregate *aggregate, const Vector *values,
			 const uint64 *live, const uint32 *groups)
{
	UPDATE_STATES(aggregate, SumState, state, groups, slot, live,
	{
		state->sum = add_money(aggregate, state->sum, values->integers[slot]);
		state->n++;
	});
}

const AggregateKind aggregate_sum_money = {
	sizeof(SumState), money_update, sum_value
};

/* ---- minimum and maximum ---- */

/* Can no value of the vector replace the only group's? */
static bool
extreme_is_outside(const VectorAggregate *aggregate, const Vector *values)
{
	const ExtremeState *state = (ExtremeState *) aggregate->states;

	if (!state->is_set || !values->has_bounds)
		return false;
	return aggregate->function->is_max ? values->max <= state->value :
		values->min >= state->value;
}

static void
extreme_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	const int64 *integers = values->integers;

	if (groups == NULL && extreme_is_outside(aggregate, values))
		return;
	if (aggregate->function->is_max)
		UPDATE_STATES(aggregate, ExtremeState, state, groups, slot, live,
		{
			if (!state->is_set || integers[slot] > state->value)
				state->value = integers[slot];
			state->is_set = true;
		});
	else
		UPDATE_STATES(aggregate, ExtremeState, state, groups, slot, live,
		{
			if (!state->is_set || integers[slot] < state->value)
				state->value = integers[slot];
			state->is_set = true;
		});
}

/* An integer of the transition type. */
static Datum
extreme_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	ExtremeState *extreme = state;
	Vector		one = {FORM_INTEGER};

	one.integers = &extreme->value;
	*isnull = !extreme->is_set;
	return vector_datum(&one, 0, aggregate->transition_type);
}

static void
extreme_merge(VectorAggregate *aggregate, void *state, const void *other)
{
	ExtremeState *extreme = state;
	const ExtremeState *other_extreme = other;

	if (!other_extreme->is_set)
		return;
	if (!extreme->is_set || (aggregate->function->is_max ?
							 other_extreme->value > extreme->value :
							 other_extreme->value < extreme->value))
		*extreme = *other_extreme;
}

const AggregateKind aggregate_extreme_int = {
	sizeof(ExtremeState), extreme_update, extreme_value, NULL, extreme_merge
};

/* ---- booleans ---- */

/* The state's value is whether some value so far was what decides. */
static void
bool_update(VectorAggregate *aggregate, const Vector *values,
			const uint64 *live, const uint32 *groups, uint64 inverted)
{
	ExtremeState *states = (ExtremeState *) aggregate->states;

	if (groups == NULL)
	{
		uint64		found = 0;

		for (int w = 0; w < VECTOR_WORDS; w++)
			found |= (values->bits[w] ^ inverted) & live[w];
		states[0].value |= found != 0;
		states[0].is_set = true;
		return;
	}
	FOR_LIVE(slot, live,
	{
		ExtremeState *state = &states[groups[slot]];

		state->value |= ((values->bits[slot / 64] ^ inverted) >>
						 (slot % 64)) & 1;
		state->is_set = true;
	});
}

static void
bool_and_update(VectorAggregate *aggregate, const Vector *values,
				const uint64 *live, const uint32 *groups)
{
	bool_update(aggregate, values, live, groups, PG_UINT64_MAX);
}

static void
bool_or_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	bool_update(aggregate, values, live, groups, 0);
}

static Datum
bool_and_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	*isnull = !((ExtremeState *) state)->is_set;
	return BoolGetDatum(((ExtremeState *) state)->value == 0);
}

static Datum
bool_or_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	*isnull = !((ExtremeState *) state)->is_set;
	return BoolGetDatum(((ExtremeState *) state)->value != 0);
}

static void
bool_merge(VectorAggregate *aggregate, void *state, const void *other)
{
	ExtremeState *extreme = state;
	const ExtremeState *other_extreme = other;

	extreme->value |= other_extreme->value;
	extreme->is_set |= other_extreme->is_set;
}

const AggregateKind aggregate_bool_and = {
	sizeof(ExtremeState), bool_and_update, bool_and_value, NULL, bool_merge
};
const AggregateKind aggregate_bool_or = {
	sizeof(ExtremeState), bool_or_update, bool_or_value, NULL, bool_merge
};

/* ---- bits ---- */

static void
bit_and_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	UPDATE_STATES(aggregate, ExtremeState, state, groups, slot, live,
	{
		state->value = (state->is_set ? state->value : -1) &
			values->integers[slot];
		state->is_set = true;
	});
}

static void
bit_or_update(VectorAggregate *aggregate, const Vector *values,
			  const uint64 *live, const uint32 *groups)
{
	UPDATE_STATES(aggregate, ExtremeState, state, groups, slot, live,
	{
		state->value |= values->integers[slot];
		state->is_set = true;
	});
}

static void
bit_xor_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	UPDATE_STATES(aggregate, ExtremeState, state, groups, slot, live,
	{
		state->value ^= values->integers[slot];
		state->is_set = true;
	});
}

const AggregateKind aggregate_bit_and = {
	sizeof(ExtremeState), bit_and_update, extreme_value
};
const AggregateKind aggregate_bit_or = {
	sizeof(ExtremeState), bit_or_update, extreme_value
};
const AggregateKind aggregate_bit_xor = {
	sizeof(ExtremeState), bit_xor_update, extreme_value
};
