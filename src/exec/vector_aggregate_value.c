/*
 * vector_aggregate_value.c
 *		Extremes of numerics and strings, and any aggregate row by row.
 *
 * Equal values are not alike: core's numeric_larger, text_larger and their like
 * keep the last of them, and so is done here.  Aggregates that have no kernel
 * of their own run core's transition function for each row.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/column_filter.h"
#include "exec/vector_aggregate_state.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/varlena.h"

/* ---- numerics ---- */

/* Either an integer times 10^-scale, or a numeric. */
typedef struct NumericExtreme
{
	bool		is_set;
	int32		scale;
	int64		value;
	void	   *numeric;		/* not NULL: it is this one */
} NumericExtreme;

static Datum
extreme_to_numeric(const NumericExtreme *extreme)
{
	Vector		one = {FORM_NUMERIC};
	int64		value = extreme->value;

	if (extreme->numeric)
		return PointerGetDatum(extreme->numeric);
	one.scale = extreme->scale;
	one.integers = &value;
	return vector_datum(&one, 0, InvalidOid);
}

static int
compare_numerics(const NumericExtreme *a, const NumericExtreme *b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 extreme_to_numeric(a),
											 extreme_to_numeric(b)));
}

/* Does the group keep its value when that one comes? */
static bool
numeric_is_kept(VectorAggregate *aggregate, const NumericExtreme *state,
				const NumericExtreme *value)
{
	MemoryContext oldcontext;
	int			order;

	if (state->numeric == NULL && value->numeric == NULL &&
		state->scale == value->scale)
		return aggregate->function->is_max ? state->value > value->value :
			state->value < value->value;

	oldcontext = MemoryContextSwitchTo(aggregate->work_context);
	order = compare_numerics(state, value);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(aggregate->work_context);
	return aggregate->function->is_max ? order > 0 : order < 0;
}

static void
take_numeric(VectorAggregate *aggregate, NumericExtreme *state,
			 const NumericExtreme *value)
{
	if (state->is_set && numeric_is_kept(aggregate, state, value))
		return;
	if (state->numeric)
		pfree(state->numeric);
	*state = *value;
	if (value->numeric)
	{
		MemoryContext oldcontext =
			MemoryContextSwitchTo(aggregate->values_context);

		state->numeric = PG_DETOAST_DATUM_COPY(PointerGetDatum(value->numeric));
		MemoryContextSwitchTo(oldcontext);
	}
}

/* Can no value of the vector replace the only group's? */
static bool
numeric_is_outside(const VectorAggregate *aggregate, const Vector *values)
{
	const NumericExtreme *state = (NumericExtreme *) aggregate->states;

	if (!state->is_set || state->numeric || values->form != FORM_NUMERIC ||
		!values->has_bounds || state->scale != values->scale)
		return false;
	return aggregate->function->is_max ? values->max <= state->value :
		values->min >= state->value;
}

static void
set_numeric(NumericExtreme *value, Datum datum)
{
	int			scale;

	value->numeric = NULL;
	if (numeric_datum_scale(datum, &value->value, &scale))
		value->scale = scale;
	else
		value->numeric = DatumGetPointer(datum);
}

static void
extreme_numeric_update(VectorAggregate *aggregate, const Vector *values,
					   const uint64 *live, const uint32 *groups)
{
	NumericExtreme *states = (NumericExtreme *) aggregate->states;
	NumericExtreme value = {true, values->scale};

	if (groups == NULL && numeric_is_outside(aggregate, values))
		return;
	FOR_LIVE(slot, live,
	{
		if (values->form == FORM_NUMERIC)
			value.value = values->integers[slot];
		else
			set_numeric(&value, values->datums[slot]);
		take_numeric(aggregate, &states[groups ? groups[slot] : 0], &value);
	});
}

static Datum
extreme_numeric_value(VectorAggregate *aggregate, void *argument,
					  bool *isnull)
{
	const NumericExtreme *state = argument;

	*isnull = !state->is_set;
	if (*isnull)
		return (Datum) 0;
	if (state->numeric)
		return datumCopy(PointerGetDatum(state->numeric), false, -1);
	return extreme_to_numeric(state);
}

const AggregateKind aggregate_extreme_numeric = {
	sizeof(NumericExtreme), extreme_numeric_update, extreme_numeric_value
};

/* ---- text ---- */

static int
compare_text(const VectorAggregate *aggregate, const StringRef *a,
			 const StringRef *b)
{
	if (aggregate->orders_bytes)
		return filter_compare_bytes(a, b);
	return varstr_cmp((const char *) a->data, (int) a->length,
					  (const char *) b->data, (int) b->length,
					  aggregate->collation);
}

void
text_state_add(VectorAggregate *aggregate, TextState *state,
			   const StringRef *value)
{
	if (state->bytes)
	{
		StringRef	kept = {state->bytes, state->length};
		int			order = compare_text(aggregate, &kept, value);

		if (aggregate->function->is_max ? order > 0 : order < 0)
			return;
	}
	if (state->bytes == NULL || value->length > state->room)
	{
		if (state->bytes)
			pfree(state->bytes);
		state->room = Max(value->length, 16);
		state->bytes = MemoryContextAlloc(aggregate->values_context,
										  state->room);
	}
	memcpy(state->bytes, value->data, value->length);
	state->length = value->length;
}

/* Equal bytes in a row are common, and no new extreme. */
static inline bool
is_same_string(const StringRef *a, const StringRef *b)
{
	return a->data == b->data && a->length == b->length;
}

static void
extreme_text_update(VectorAggregate *aggregate, const Vector *values,
					const uint64 *live, const uint32 *groups)
{
	TextState  *states = (TextState *) aggregate->states;
	StringRef	last = {NULL, 0};

	if (values->form == FORM_STRING)
	{
		FOR_LIVE(slot, live,
		{
			const StringRef *value = &values->strings[slot];

			if (groups == NULL && is_same_string(value, &last))
				continue;
			text_state_add(aggregate, &states[groups ? groups[slot] : 0],
						   value);
			last = *value;
		});
		return;
	}

	FOR_LIVE(slot, live,
	{
		MemoryContext oldcontext =
			MemoryContextSwitchTo(aggregate->work_context);
		struct varlena *bytes = pg_detoast_datum_packed((struct varlena *)
														DatumGetPointer(values->datums[slot]));
		StringRef	value = {(const uint8 *) VARDATA_ANY(bytes),
							 VARSIZE_ANY_EXHDR(bytes)};

		MemoryContextSwitchTo(oldcontext);
		text_state_add(aggregate, &states[groups ? groups[slot] : 0], &value);
		MemoryContextReset(aggregate->work_context);
	});
}

static Datum
extreme_text_value(VectorAggregate *aggregate, void *argument, bool *isnull)
{
	const TextState *state = argument;

	*isnull = state->bytes == NULL;
	if (*isnull)
		return (Datum) 0;
	return PointerGetDatum(cstring_to_text_with_len((char *) state->bytes,
													(int) state->length));
}

const AggregateKind aggregate_extreme_text = {
	sizeof(TextState), extreme_text_update, extreme_text_value
};

/* ---- any aggregate ---- */

typedef struct RowState
{
	bool		is_begun;		/* else value is the initial one */
	bool		isnull;
	Datum		value;
} RowState;

/* Give a group its initial value. */
static void
begin_state(VectorAggregate *aggregate, RowState *state)
{
	MemoryContext oldcontext;

	state->is_begun = true;
	state->isnull = aggregate->initial_isnull;
	if (state->isnull)
		return;
	oldcontext = MemoryContextSwitchTo(aggregate->values_context);
	state->value = datumCopy(aggregate->initial_value,
							 aggregate->transition_byval,
							 aggregate->transition_length);
	MemoryContextSwitchTo(oldcontext);
}

/* Make a value that lives in the work context the group's. */
static void
keep_value(VectorAggregate *aggregate, RowState *state, Datum value,
		   bool isnull)
{
	bool		is_same = !state->isnull && !isnull && value == state->value;

	if (!aggregate->transition_byval && !is_same)
	{
		MemoryContext oldcontext =
			MemoryContextSwitchTo(aggregate->values_context);

		if (!isnull)
			value = datumCopy(value, false, aggregate->transition_length);
		if (!state->isnull)
			pfree(DatumGetPointer(state->value));
		MemoryContextSwitchTo(oldcontext);
	}
	state->value = value;
	state->isnull = isnull;
}

/* As core's advance_transition_function. */
static void
advance_state(VectorAggregate *aggregate, RowState *state, Datum value)
{
	NullableDatum args[2];
	Datum		result;
	bool		isnull;

	if (!state->is_begun)
	{
		begin_state(aggregate, state);
		if (state->isnull && aggregate->transition.info.fn_strict)
		{
			keep_value(aggregate, state, value, false);
			return;
		}
	}
	if (state->isnull && aggregate->transition.info.fn_strict)
		return;
	args[0].value = state->value;
	args[0].isnull = state->isnull;
	args[1].value = value;
	args[1].isnull = false;
	result = aggregate_call(aggregate, &aggregate->transition, 2, args,
							&isnull);
	keep_value(aggregate, state, result, isnull);
}

static void
row_update(VectorAggregate *aggregate, const Vector *values,
		   const uint64 *live, const uint32 *groups)
{
	RowState   *states = (RowState *) aggregate->states;
	MemoryContext oldcontext = MemoryContextSwitchTo(aggregate->work_context);

	FOR_LIVE(slot, live,
	{
		advance_state(aggregate, &states[groups ? groups[slot] : 0],
					  vector_datum(values, slot, aggregate->argument_type));
		MemoryContextReset(aggregate->work_context);
	});
	MemoryContextSwitchTo(oldcontext);
}

/* A copy: the caller may free it, or have it after a reset. */
static Datum
row_value(VectorAggregate *aggregate, void *argument, bool *isnull)
{
	RowState   *state = argument;

	if (!state->is_begun)
		begin_state(aggregate, state);
	*isnull = state->isnull;
	if (state->isnull)
		return (Datum) 0;
	return datumCopy(state->value, aggregate->transition_byval,
					 aggregate->transition_length);
}

const AggregateKind aggregate_by_row = {
	sizeof(RowState), row_update, row_value
};
