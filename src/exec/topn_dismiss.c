/*
 * topn_dismiss.c
 *		Rows that cannot be among the first, by a vector of their first key.
 *
 * A row whose first key equals that of the last of the first rows may still come
 * before it by another key, so that only rows behind it are dismissed.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/numeric_codec.h"
#include "exec/column_filter.h"
#include "exec/vector_node.h"
#include "exec/vector_topn.h"

bool
topn_type_is_integer(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

static void
keep_integers(const int64 *restrict values, int64 limit, bool is_descending,
			  uint8 *restrict keep)
{
	if (is_descending)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			keep[i] = values[i] >= limit;
	}
	else
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			keep[i] = values[i] <= limit;
	}
}

/* NaN is the greatest value. */
static void
keep_floats(const double *restrict values, double limit, bool is_descending,
			uint8 *restrict keep)
{
	if (is_descending)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			keep[i] = (values[i] >= limit) | (values[i] != values[i]);
	}
	else
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			keep[i] = values[i] <= limit;
	}
}

/* A numeric as an integer of the vector's scale, if it is one. */
static bool
scale_limit(Datum numeric, int scale, int64 *limit)
{
	struct varlena *value =
		pg_detoast_datum_packed((struct varlena *) DatumGetPointer(numeric));
	NumericParts parts;
	WideInt		wide;

	if (!numeric_parse((const uint8 *) VARDATA_ANY(value),
					   VARSIZE_ANY_EXHDR(value), &parts) ||
		parts.form != NUMERIC_FINITE ||
		!numeric_scale(&parts, scale, &wide) ||
		wide.high != ((int64) wide.low < 0 ? -1 : 0))
		return false;
	*limit = (int64) wide.low;
	return true;
}

/* Compare by a loop; false if there is none for the key. */
static bool
keep_values(const TopNKey *key, Datum last, uint8 *keep)
{
	const Vector *value = key->value;
	bool		is_descending = key->order.ssup_reverse;
	Vector		bound = {value->form};
	int64		integer;
	double		number;

	switch (value->form)
	{
		case FORM_INTEGER:
			if (!topn_type_is_integer(key->type))
				return false;
			bound.integers = &integer;
			vector_store_datum(&bound, 0, key->type, last);
			keep_integers(value->integers, integer, is_descending, keep);
			return true;
		case FORM_FLOAT:
			bound.floats = &number;
			vector_store_datum(&bound, 0, key->type, last);
			if (isnan(number))
				return false;
			keep_floats(value->floats, number, is_descending, keep);
			return true;
		case FORM_NUMERIC:
			if (!scale_limit(last, value->scale, &integer))
				return false;
			keep_integers(value->integers, integer, is_descending, keep);
			return true;
		default:
			return false;
	}
}

/* The same for strings, and for the rows of mask only. */
static void
dismiss_strings(const TopNKey *key, Datum last, uint64 *mask)
{
	struct varlena *value =
		pg_detoast_datum_packed((struct varlena *) DatumGetPointer(last));
	StringRef	limit = {(const uint8 *) VARDATA_ANY(value),
		VARSIZE_ANY_EXHDR(value)};

	VECTOR_FOR_EACH(slot, mask)
	{
		int			order;

		if (vector_is_null(key->value, slot))
			continue;
		order = filter_compare_bytes(&key->value->strings[slot], &limit);
		if (key->order.ssup_reverse ? order < 0 : order > 0)
			mask[slot / 64] &= ~(UINT64CONST(1) << (slot % 64));
	}
}

/* NULLs stay if they come first, or if the last of the first rows has one. */
static void
dismiss_nulls(const TopNKey *key, uint64 *mask)
{
	if (!key->value->has_nulls || key->order.ssup_nulls_first)
		return;
	for (int w = 0; w < VECTOR_WORDS; w++)
		mask[w] &= ~key->value->nulls[w];
}

void
topn_dismiss(VectorTopNState *state, uint64 *mask)
{
	const TopNKey *key = &state->keys[0];
	const TopNEntry *last = topn_last(state);
	uint8		keep[VECTOR_LENGTH];

	if (last->isnull[0])
		return;
	dismiss_nulls(key, mask);
	if (key->value->form == FORM_STRING && key->orders_bytes)
		dismiss_strings(key, last->keys[0], mask);
	else if (keep_values(key, last->keys[0], keep))
	{
		uint64		bits[VECTOR_WORDS];

		vector_gather_bits(keep, bits);
		for (int w = 0; w < VECTOR_WORDS; w++)
			mask[w] &= bits[w] |
				(key->value->has_nulls ? key->value->nulls[w] : 0);
	}
}
