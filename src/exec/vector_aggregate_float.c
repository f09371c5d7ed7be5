/*
 * vector_aggregate_float.c
 *		Sums, moments and extremes of floats, by core's recurrences.
 *
 * Values are added one by one in row order, so that results are core's bit for
 * bit.  An overflow that core would report shows in the sum of a whole vector;
 * only then its rows are looked at one by one.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "exec/vector_aggregate_state.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

/* ---- sums ---- */

/* Core's float8pl. */
static inline double
add_float8(double a, double b)
{
	double		sum = a + b;

	if (unlikely(isinf(sum)) && !isinf(a) && !isinf(b))
		float_overflow_error();
	return sum;
}

static inline double
add_float4(double a, double b)
{
	float4		sum = (float4) a + (float4) b;

	if (unlikely(isinf(sum)) && !isinf(a) && !isinf(b))
		float_overflow_error();
	return sum;
}

/* The first value is the sum as it is: -0 stays. */
#define SUM_STEP(add) \
	{ \
		state->value = state->is_set ? \
			add(state->value, values->floats[slot]) : values->floats[slot]; \
		state->is_set = true; \
	}

static void
sum_float4_update(VectorAggregate *aggregate, const Vector *values,
				  const uint64 *live, const uint32 *groups)
{
	UPDATE_STATES(aggregate, FloatState, state, groups, slot, live,
				  SUM_STEP(add_float4));
}

/* Sum of the only group, without looking for overflow. */
static double
sum_float8_run(double sum, const double *values, const uint64 *live)
{
	FOR_LIVE(slot, live, sum += values[slot]);
	return sum;
}

static void
sum_float8_update(VectorAggregate *aggregate, const Vector *values,
				  const uint64 *live, const uint32 *groups)
{
	FloatState *only = (FloatState *) aggregate->states;

	if (groups == NULL && only->is_set)
	{
		double		sum = sum_float8_run(only->value, values->floats, live);

		if (likely(!isinf(sum) && !isnan(sum)))
		{
			only->value = sum;
			return;
		}
	}
	UPDATE_STATES(aggregate, FloatState, state, groups, slot, live,
				  SUM_STEP(add_float8));
}

static Datum
float4_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	*isnull = !((FloatState *) state)->is_set;
	return Float4GetDatum((float4) ((FloatState *) state)->value);
}

static Datum
float8_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	*isnull = !((FloatState *) state)->is_set;
	return Float8GetDatum(((FloatState *) state)->value);
}

const AggregateKind aggregate_sum_float4 = {
	sizeof(FloatState), sum_float4_update, float4_value
};
const AggregateKind aggregate_sum_float8 = {
	sizeof(FloatState), sum_float8_update, float8_value
};

/* ---- averages and variances ---- */

/* Count, sum, and sum of squared differences from the mean. */
typedef struct MomentState
{
	double		n;
	double		sum;
	double		squares;
} MomentState;

/*
 * Below this no sum of squares overflows, which is all that an average has to
 * know of it.
 */
#define SQUARES_ARE_SAFE	1e140

/* Core's float8_accum. */
static inline void
moments_add(MomentState *state, double value)
{
	double		n = state->n;
	double		sum = state->sum;

	state->n += 1.0;
	state->sum += value;
	if (n > 0.0)
	{
		double		difference = value * state->n - state->sum;

		state->squares += difference * difference / (state->n * n);
		if (unlikely(isinf(state->sum) || isinf(state->squares)))
		{
			if (!isinf(sum) && !isinf(value))
				float_overflow_error();
			state->squares = get_float8_nan();
		}
	}
	else if (isnan(value) || isinf(value))
		state->squares = get_float8_nan();
}

/* Is every value, also of slots without a row, small? */
static bool
squares_are_safe(const double *values, const uint64 *live)
{
	bool		is_safe = true;

	FOR_LIVE(slot, live, is_safe &= fabs(values[slot]) < SQUARES_ARE_SAFE);
	return is_safe;
}

static void
moments_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	if (!aggregate->function->has_squares && !aggregate->is_partial &&
		squares_are_safe(values->floats, live))
		UPDATE_STATES(aggregate, MomentState, state, groups, slot, live,
		{
			state->n += 1.0;
			state->sum += values->floats[slot];
		});
	else
		UPDATE_STATES(aggregate, MomentState, state, groups, slot, live,
					  moments_add(state, values->floats[slot]));
}

static Datum
moments_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	MomentState *moments = state;
	Datum		elements[3] = {Float8GetDatum(moments->n),
							   Float8GetDatum(moments->sum),
							   Float8GetDatum(moments->squares)};

	*isnull = false;
	return PointerGetDatum(construct_array(elements, 3, FLOAT8OID,
										   sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

const AggregateKind aggregate_float_moments = {
	sizeof(MomentState), moments_update, moments_value
};

/* ---- minimum and maximum ---- */

/* Of equal values, 0 and -0 among them, core keeps the last. */
static void
extreme_update(VectorAggregate *aggregate, const Vector *values,
			   const uint64 *live, const uint32 *groups)
{
	const double *floats = values->floats;

	if (aggregate->function->is_max)
		UPDATE_STATES(aggregate, FloatState, state, groups, slot, live,
		{
			if (!state->is_set || !float8_gt(state->value, floats[slot]))
				state->value = floats[slot];
			state->is_set = true;
		});
	else
		UPDATE_STATES(aggregate, FloatState, state, groups, slot, live,
		{
			if (!state->is_set || !float8_lt(state->value, floats[slot]))
				state->value = floats[slot];
			state->is_set = true;
		});
}

static Datum
extreme_value(VectorAggregate *aggregate, void *state, bool *isnull)
{
	return aggregate->transition_type == FLOAT4OID ?
		float4_value(aggregate, state, isnull) :
		float8_value(aggregate, state, isnull);
}

const AggregateKind aggregate_extreme_float = {
	sizeof(FloatState), extreme_update, extreme_value
};
