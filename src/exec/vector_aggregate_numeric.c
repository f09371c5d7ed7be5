/*
 * vector_aggregate_numeric.c
 *		Sums and squares that core keeps in an internal state.
 *
 * A group has 128-bit sums of integers, or of numerics times a power of ten.
 * What they cannot hold goes to a state of core's own beside them: values that
 * are not finite or have too many digits one by one, sums about to overflow as
 * a whole.  The result is made by core's functions: our sums become a state
 * through the deserialization function, whose input is written here, and are
 * combined with the other one.
 */
#include "postgres.h"

#include "encoding/numeric_codec.h"
#include "exec/vector_aggregate_state.h"
#include "libpq/pqformat.h"
#include "utils/memutils.h"

/* Powers of ten in 64 bits. */
#define MAX_SHIFT	MAX_POWER_OF_TEN

/* As core's numeric.c has them. */
#define NUMERIC_BASE		10000
#define NUMERIC_BASE_DIGITS 4
#define SIGN_POSITIVE		0x0000
#define SIGN_NEGATIVE		0x4000

/* Does core keep sums of this aggregate as integers, without scales? */
static inline bool
core_has_integers(const VectorAggregate *aggregate)
{
	return aggregate->kind == &aggregate_wide_int;
}

bool
numeric_datum_scale(Datum datum, int64 *value, int *scale)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(datum);
	NumericParts parts;
	WideInt		wide;

	if (VARATT_IS_EXTENDED(bytes) && !VARATT_IS_SHORT(bytes))
		return false;
	if (!numeric_parse((const uint8 *) VARDATA_ANY(bytes),
					   VARSIZE_ANY_EXHDR(bytes), &parts) ||
		parts.form != NUMERIC_FINITE || parts.display_scale > MAX_SHIFT ||
		!numeric_scale(&parts, parts.display_scale, &wide) ||
		wide.high != (int64) wide.low >> 63)
		return false;
	*value = (int64) wide.low;
	*scale = parts.display_scale;
	return true;
}

/* ---- core's states ---- */

/* Append sum / 10^scale as core's numericvar_serialize does. */
static void
send_sum(StringInfo buffer, int128 sum, int scale)
{
	int16		digits[16];		/* last ones first */
	int			ndigits = 0;
	int			odd = scale % NUMERIC_BASE_DIGITS;
	int			nfraction = (scale + NUMERIC_BASE_DIGITS - 1) / NUMERIC_BASE_DIGITS;
	bool		is_negative = sum < 0;
	uint128		left = is_negative ? -(uint128) sum : (uint128) sum;

	if (left != 0 && odd != 0)
	{
		digits[ndigits++] = (int16) (left % vector_powers_of_ten[odd]) *
			(int16) vector_powers_of_ten[NUMERIC_BASE_DIGITS - odd];
		left /= vector_powers_of_ten[odd];
	}
	for (; left != 0; left /= NUMERIC_BASE)
		digits[ndigits++] = (int16) (left % NUMERIC_BASE);

	pq_sendint32(buffer, ndigits);
	pq_sendint32(buffer, ndigits == 0 ? 0 : ndigits - nfraction - 1);
	pq_sendint32(buffer, is_negative ? SIGN_NEGATIVE : SIGN_POSITIVE);
	pq_sendint32(buffer, scale);
	for (int i = ndigits - 1; i >= 0; i--)
		pq_sendint16(buffer, digits[i]);
}

/* Our part of a state, as core's serialization function writes it. */
static Datum
serialize_sums(VectorAggregate *aggregate, const WideState *state)
{
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint64(&buffer, state->n);
	send_sum(&buffer, state->sum, state->scale);
	if (aggregate->function->has_squares)
		send_sum(&buffer, state->squares, 2 * state->scale);
	if (!core_has_integers(aggregate))
	{
		pq_sendint32(&buffer, state->scale);
		pq_sendint64(&buffer, state->n);	/* values of that scale */
		pq_sendint64(&buffer, 0);	/* NaN */
		pq_sendint64(&buffer, 0);	/* infinity */
		pq_sendint64(&buffer, 0);	/* and -infinity */
	}
	return PointerGetDatum(pq_endtypsend(&buffer));
}

/* Our part as a state of core's, in the current context. */
static Datum
sums_to_core(VectorAggregate *aggregate, const WideState *state)
{
	NullableDatum args[2] = {{serialize_sums(aggregate, state)}, {(Datum) 0}};
	bool		isnull;

	return aggregate_call(aggregate, &aggregate->deserialize, 2, args,
						  &isnull);
}

/* Move our sums to core's state. */
static void
flush_sums(VectorAggregate *aggregate, WideState *state)
{
	MemoryContext oldcontext;
	NullableDatum args[2];
	bool		isnull;

	if (state->n == 0)
		return;
	oldcontext = MemoryContextSwitchTo(aggregate->work_context);
	args[0].value = PointerGetDatum(state->rest);
	args[0].isnull = state->rest == NULL;
	args[1].value = sums_to_core(aggregate, state);
	args[1].isnull = false;
	state->rest = DatumGetPointer(aggregate_call(aggregate,
												 &aggregate->combine, 2, args,
												 &isnull));
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(aggregate->work_context);
	state->n = 0;
	state->sum = 0;
	state->squares = 0;
}

/* Add a value by core's transition function. */
static void
add_to_core(VectorAggregate *aggregate, WideState *state, Datum value)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(aggregate->work_context);
	NullableDatum args[2] = {
		{PointerGetDatum(state->rest), state->rest == NULL},
		{value, false}
	};
	bool		isnull;

	state->rest = DatumGetPointer(aggregate_call(aggregate,
												 &aggregate->transition, 2,
												 args, &isnull));
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(aggregate->work_context);
}

/* ---- sums ---- */

/*
 * Sums are flushed beyond this, so that many more values can be added to them
 * without a look.
 */
#define SUM_LIMIT	((int128) 1 << 126)

/*
 * Make the state's scale at least scale; what cannot be multiplied is flushed.
 * Returns by what power of ten values of that scale are to be multiplied.
 */
static int
align_scale(VectorAggregate *aggregate, WideState *state, int scale)
{
	int			shift;
	int128		sum;

	if (state->n == 0)
		state->scale = scale;
	if (state->scale == scale)
		return 0;

	shift = scale - state->scale;
	if (aggregate->function->has_squares || shift > MAX_SHIFT ||
		shift < -MAX_SHIFT)
		flush_sums(aggregate, state);
	else if (shift < 0)
		return -shift;
	else if (__builtin_mul_overflow(state->sum,
									(int128) vector_powers_of_ten[shift], &sum) ||
			 sum > SUM_LIMIT || sum < -SUM_LIMIT)
		flush_sums(aggregate, state);
	else
		state->sum = sum;
	state->scale = scale;
	return 0;
}

void
wide_state_add(VectorAggregate *aggregate, WideState *state, int128 sum,
			   int64 n, int scale)
{
	int			shift = align_scale(aggregate, state, scale);
	int128		total;

	if (__builtin_mul_overflow(sum, (int128) vector_powers_of_ten[shift], &total) ||
		__builtin_add_overflow(total, state->sum, &total) ||
		total > SUM_LIMIT || total < -SUM_LIMIT)
	{
		flush_sums(aggregate, state);
		state->scale = scale;
		total = sum;
	}
	state->sum = total;
	state->n += n;
}

/* One value and its square, of the state's scale. */
static inline void
add_with_square(VectorAggregate *aggregate, WideState *state, int64 value)
{
	int128		square = (int128) value * value;

	if (unlikely(__builtin_add_overflow(state->squares, square,
										&state->squares)))
	{
		state->squares -= square;
		flush_sums(aggregate, state);
		state->squares = square;
	}
	state->sum += value;
	state->n++;
}

static inline void
add_value(VectorAggregate *aggregate, WideState *state, int64 value,
		  int scale)
{
	int			shift = align_scale(aggregate, state, scale);

	if (aggregate->function->has_squares)
		add_with_square(aggregate, state, value);
	else if (shift > 0)
		wide_state_add(aggregate, state, value, 1, scale);
	else
	{
		state->sum += value;
		state->n++;
	}
}

/* ---- vectors of integers ---- */

/* Largest |value| with which sums of a vector stay within 64 bits. */
#define SUM_IS_NARROW		(INT64CONST(1) << 52)
#define SQUARES_ARE_NARROW	(INT64CONST(1) << 26)

static bool
is_within(const Vector *values, int64 limit)
{
	return values->has_bounds && values->min > -limit && values->max < limit;
}

static int128
sum_of_vector(const Vector *values, const uint64 *live)
{
	int128		sum = 0;
	int64		narrow = 0;

	if (is_within(values, SUM_IS_NARROW))
	{
		FOR_LIVE(slot, live, narrow += values->integers[slot]);
		return narrow;
	}
	FOR_LIVE(slot, live, sum += values->integers[slot]);
	return sum;
}

/*
 * All values of a vector to the only group, with squares: at once if they are
 * small.
 */
static void
add_squares(VectorAggregate *aggregate, WideState *state,
			const Vector *values, const uint64 *live)
{
	int64		sum = 0;
	int64		squares = 0;
	int128		total;

	if (!is_within(values, SQUARES_ARE_NARROW))
	{
		FOR_LIVE(slot, live,
				 add_with_square(aggregate, state, values->integers[slot]));
		return;
	}
	FOR_LIVE(slot, live,
	{
		int64		value = values->integers[slot];

		sum += value;
		squares += value * value;
	});
	if (__builtin_add_overflow(state->squares, (int128) squares, &total))
	{
		flush_sums(aggregate, state);
		total = squares;
	}
	state->squares = total;
	state->sum += sum;
	state->n += vector_mask_count(live);
}

static void
update_one(VectorAggregate *aggregate, WideState *state, const Vector *values,
		   const uint64 *live, int scale)
{
	if (aggregate->function->has_squares)
	{
		(void) align_scale(aggregate, state, scale);
		add_squares(aggregate, state, values, live);
	}
	else
		wide_state_add(aggregate, state, sum_of_vector(values, live),
					   vector_mask_count(live), scale);
}

/* The scale is 0 for integers. */
static void
update_scaled(VectorAggregate *aggregate, const Vector *values,
			  const uint64 *live, const uint32 *groups)
{
	WideState  *states = (WideState *) aggregate->states;
	int			scale = values->form == FORM_NUMERIC ? values->scale : 0;
	const int64 *integers = values->integers;

	if (groups == NULL)
	{
		update_one(aggregate, &states[0], values, live, scale);
		return;
	}
	if (aggregate->function->has_squares)
	{
		FOR_LIVE(slot, live, add_value(aggregate, &states[groups[slot]],
									   integers[slot], scale));
		return;
	}
	FOR_LIVE(slot, live,
	{
		WideState  *state = &states[groups[slot]];

		if (likely(state->scale == scale))
		{
			state->sum += integers[slot];
			state->n++;
		}
		else
			add_value(aggregate, state, integers[slot], scale);
	});
}

/* ---- numerics that are not scaled alike ---- */

static void
update_datums(VectorAggregate *aggregate, const Vector *values,
			  const uint64 *live, const uint32 *groups)
{
	WideState  *states = (WideState *) aggregate->states;

	FOR_LIVE(slot, live,
	{
		WideState  *state = &states[groups ? groups[slot] : 0];
		int64		value;
		int			scale;

		if (numeric_datum_scale(values->datums[slot], &value, &scale))
			add_value(aggregate, state, value, scale);
		else
			add_to_core(aggregate, state, values->datums[slot]);
	});
}

static void
wide_update(VectorAggregate *aggregate, const Vector *values,
			const uint64 *live, const uint32 *groups)
{
	if (values->form == FORM_DATUM)
		update_datums(aggregate, values, live, groups);
	else
		update_scaled(aggregate, values, live, groups);
}

/* ---- results ---- */

static Datum
wide_value(VectorAggregate *aggregate, void *argument, bool *isnull)
{
	WideState  *state = argument;

	*isnull = state->n == 0 && state->rest == NULL;
	if (*isnull)
		return (Datum) 0;
	if (state->rest == NULL)
		return sums_to_core(aggregate, state);
	flush_sums(aggregate, state);
	return PointerGetDatum(state->rest);
}

/* A sum as the numeric that core's final function would make of it. */
static Datum
sum_to_numeric(const WideState *state)
{
	WideInt		wide = {(int64) (state->sum >> 64), (uint64) state->sum};
	char	   *numeric = palloc(VARHDRSZ + NUMERIC_BUILD_LENGTH);
	Size		length = numeric_build(wide, state->scale, state->scale,
									   (uint8 *) VARDATA(numeric));

	SET_VARSIZE(numeric, VARHDRSZ + length);
	return PointerGetDatum(numeric);
}

/* Without a state of core's, sums and serialized states are made here. */
static bool
wide_result(VectorAggregate *aggregate, void *argument, Datum *result)
{
	WideState  *state = argument;

	if (state->n == 0 || state->rest != NULL)
		return false;
	if (aggregate->is_partial)
		*result = serialize_sums(aggregate, state);
	else if (aggregate->function->is_sum)
		*result = sum_to_numeric(state);
	else
		return false;
	return true;
}

const AggregateKind aggregate_wide_int = {
	sizeof(WideState), wide_update, wide_value, wide_result
};
const AggregateKind aggregate_numeric = {
	sizeof(WideState), wide_update, wide_value, wide_result
};
