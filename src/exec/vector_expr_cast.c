/*
 * vector_expr_cast.c
 *		Conversions between floats, integers and booleans.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "exec/vector_node.h"
#include "utils/fmgroids.h"

static bool
integers_to_doubles(VectorNode *node, const Vector *const *args,
					const uint64 *live)
{
	const int64 *restrict in = args[0]->integers;
	double	   *restrict out = node->result.floats;

	if (args[0]->form != FORM_INTEGER)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = (double) in[i];
	return true;
}

/* Rounded once, not by way of double. */
static bool
integers_to_singles(VectorNode *node, const Vector *const *args,
					const uint64 *live)
{
	const int64 *restrict in = args[0]->integers;
	double	   *restrict out = node->result.floats;

	if (args[0]->form != FORM_INTEGER)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = (float) in[i];
	return true;
}

/* Round to even; the option is the bytes of the integer type. */
static bool
floats_to_integers(VectorNode *node, const Vector *const *args,
				   const uint64 *live)
{
	const double *in = args[0]->floats;
	double		limit = ldexp(1.0, 8 * node->option - 1);

	if (args[0]->form != FORM_FLOAT)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		double		rounded = rint(in[slot]);

		/* NaN is not within, either. */
		if (!(rounded >= -limit && rounded < limit))
			return false;
		node->result.integers[slot] = (int64) rounded;
	}
	return true;
}

static bool
singles_to_doubles(VectorNode *node, const Vector *const *args,
				   const uint64 *live)
{
	if (args[0]->form != FORM_FLOAT)
		return false;
	memcpy(node->result.floats, args[0]->floats,
		   sizeof(double) * VECTOR_LENGTH);
	return true;
}

static bool
doubles_to_singles(VectorNode *node, const Vector *const *args,
				   const uint64 *live)
{
	const double *in = args[0]->floats;

	if (args[0]->form != FORM_FLOAT)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		float		single = (float) in[slot];

		if ((isinf(single) && !isinf(in[slot])) ||
			(single == 0 && in[slot] != 0))
			return false;
		node->result.floats[slot] = single;
	}
	return true;
}

static bool
booleans_to_integers(VectorNode *node, const Vector *const *args,
					 const uint64 *live)
{
	const uint64 *bits = args[0]->bits;

	if (args[0]->form != FORM_BOOLEAN)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		node->result.integers[i] = (bits[i / 64] >> (i % 64)) & 1;
	return true;
}

static bool
integers_to_booleans(VectorNode *node, const Vector *const *args,
					 const uint64 *live)
{
	Vector		zero = {FORM_INTEGER, true};
	int64		value = 0;

	if (args[0]->form != FORM_INTEGER)
		return false;
	zero.integers = &value;
	vector_compare_integers(COMPARISON_NE, args[0], &zero, node->result.bits);
	return true;
}

const VectorFunction vector_cast_functions[] = {
	{F_FLOAT8_INT2, integers_to_doubles},
	{F_FLOAT8_INT4, integers_to_doubles},
	{F_FLOAT8_INT8, integers_to_doubles},
	{F_FLOAT4_INT2, integers_to_singles},
	{F_FLOAT4_INT4, integers_to_singles},
	{F_FLOAT4_INT8, integers_to_singles},
	{F_INT2_FLOAT8, floats_to_integers, 2},
	{F_INT4_FLOAT8, floats_to_integers, 4},
	{F_INT8_FLOAT8, floats_to_integers, 8},
	{F_INT2_FLOAT4, floats_to_integers, 2},
	{F_INT4_FLOAT4, floats_to_integers, 4},
	{F_INT8_FLOAT4, floats_to_integers, 8},
	{F_FLOAT8_FLOAT4, singles_to_doubles},
	{F_FLOAT4_FLOAT8, doubles_to_singles},
	{F_INT4_BOOL, booleans_to_integers},
	{F_BOOL_INT4, integers_to_booleans},
	{InvalidOid}
};
