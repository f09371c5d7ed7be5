/*
 * vector_expr_numeric.c
 *		Arithmetic, comparison, rounding and conversion of numerics.
 *
 * A vector of numerics is one of integers with a scale, which is also the
 * display scale of each.  Core gives sums the larger display scale of the two
 * and products the sum of them, so results are vectors of the same kind, as
 * long as they fit 64 bits.  Where they do not, and for numerics held as
 * Datums, core's functions take over.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"
#include "utils/fmgroids.h"


/* Beyond this scale, which few values have, core computes. */
#define MAX_SCALE	60

static inline bool
are_scaled(const Vector *const *args, int nargs)
{
	for (int i = 0; i < nargs; i++)
	{
		if (args[i]->form != FORM_NUMERIC)
			return false;
	}
	return true;
}

static WideBounds
bounds_of(const Vector *vector)
{
	WideBounds	bounds = {PG_INT64_MIN, PG_INT64_MAX};

	if (vector->has_bounds)
	{
		bounds.min = vector->min;
		bounds.max = vector->max;
	}
	return bounds;
}

/*
 * Bring a vector to a larger scale, in the buffer given; false if a row of live
 * does not fit.
 */
static bool
raise_scale(Vector *vector, int scale, const uint64 *live, int64 *buffer)
{
	Vector		source = *vector;
	Vector		factor = {FORM_INTEGER, true};
	WideBounds	bounds;

	Assert(scale >= source.scale);
	if (scale == source.scale)
		return true;
	if (scale - source.scale > MAX_POWER_OF_TEN)
		return false;

	factor.integers = unconstify(int64 *, &vector_powers_of_ten[scale - source.scale]);
	bounds.min = bounds.max = factor.integers[0];
	vector->integers = buffer;
	vector->scale = scale;
	vector->has_bounds = false;
	if (source.is_constant)
	{
		int128		product = (int128) source.integers[0] * factor.integers[0];

		buffer[0] = (int64) product;
		vector->has_bounds = true;
		vector->min = vector->max = buffer[0];
		return product >= PG_INT64_MIN && product <= PG_INT64_MAX;
	}
	return vector_compute_integers(INTEGER_MULTIPLY, 8, &source,
								   bounds_of(&source), &factor, bounds, live,
								   vector);
}

/* Bring two vectors to the larger of their scales; only one needs a buffer. */
static bool
align_scales(const Vector *const *args, Vector *left, Vector *right,
			 const uint64 *live, int64 *buffer)
{
	*left = *args[0];
	*right = *args[1];
	if (left->scale < right->scale)
		return raise_scale(left, right->scale, live, buffer);
	return raise_scale(right, left->scale, live, buffer);
}

/* ---- arithmetic ---- */

static bool
add_numerics(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	Vector	   *result = &node->result;
	Vector		left;
	Vector		right;
	int64		buffer[VECTOR_LENGTH];

	if (!are_scaled(args, 2) ||
		!align_scales(args, &left, &right, live, buffer))
		return false;
	result->form = FORM_NUMERIC;
	result->scale = left.scale;
	return vector_compute_integers(node->option, 8, &left, bounds_of(&left),
								   &right, bounds_of(&right), live, result);
}

static bool
multiply_numerics(VectorNode *node, const Vector *const *args,
				  const uint64 *live)
{
	Vector	   *result = &node->result;

	if (!are_scaled(args, 2) || args[0]->scale + args[1]->scale > MAX_SCALE)
		return false;
	result->form = FORM_NUMERIC;
	result->scale = args[0]->scale + args[1]->scale;
	return vector_compute_integers(INTEGER_MULTIPLY, 8,
								   args[0], bounds_of(args[0]),
								   args[1], bounds_of(args[1]), live, result);
}

/* The remainder has the dividend's sign, as in C. */
static bool
modulo_numerics(VectorNode *node, const Vector *const *args,
				const uint64 *live)
{
	Vector	   *result = &node->result;
	Vector		left;
	Vector		right;
	int64		buffer[VECTOR_LENGTH];

	if (!are_scaled(args, 2) ||
		!align_scales(args, &left, &right, live, buffer))
		return false;
	result->form = FORM_NUMERIC;
	result->scale = left.scale;
	VECTOR_FOR_EACH(slot, live)
	{
		int64		a = left.integers[left.is_constant ? 0 : slot];
		int64		b = right.integers[right.is_constant ? 0 : slot];

		if (b == 0)
			return false;
		result->integers[slot] = b == -1 ? 0 : a % b;
	}
	return true;
}

static bool
change_sign(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	Vector	   *result = &node->result;
	const int64 *restrict in = args[0]->integers;
	int64	   *restrict out = result->integers;
	bool		is_absolute = node->option == INTEGER_ABSOLUTE;

	if (!are_scaled(args, 1))
		return false;
	if (!args[0]->has_bounds || args[0]->min == PG_INT64_MIN)
	{
		VECTOR_FOR_EACH(slot, live)
		{
			if (in[slot] == PG_INT64_MIN)
				return false;
		}
	}
	result->form = FORM_NUMERIC;
	result->scale = args[0]->scale;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = is_absolute && in[i] > 0 ? in[i] : -in[i];
	return true;
}

static bool
compare_numerics(VectorNode *node, const Vector *const *args,
				 const uint64 *live)
{
	Vector		left;
	Vector		right;
	int64		buffer[VECTOR_LENGTH];

	if (!are_scaled(args, 2) ||
		!align_scales(args, &left, &right, live, buffer))
		return false;
	vector_compare_integers(node->option, &left, &right, node->result.bits);
	return true;
}

/* ---- rounding ---- */

typedef enum Rounding
{
	ROUND_HALF_AWAY,			/* from zero */
	ROUND_TRUNCATE,
	ROUND_UP,
	ROUND_DOWN
} Rounding;

/* value / divisor, rounded; divisor is a power of ten. */
static inline int64
divide_rounded(int64 value, int64 divisor, Rounding rounding)
{
	int64		quotient = value / divisor;
	int64		rest = value % divisor;

	switch (rounding)
	{
		case ROUND_HALF_AWAY:
			if (rest >= divisor - rest)
				quotient++;
			else if (-rest >= divisor + rest)
				quotient--;
			break;
		case ROUND_TRUNCATE:
			break;
		case ROUND_UP:
			quotient += rest > 0;
			break;
		case ROUND_DOWN:
			quotient -= rest < 0;
			break;
	}
	return quotient;
}

/*
 * Bring a vector of numerics to a scale, rounding where it is a smaller one;
 * false if a row does not fit.
 */
static bool
round_to_scale(const Vector *source, int scale, Rounding rounding,
			   const uint64 *live, Vector *result)
{
	int			digits = source->scale - scale;
	int64		divisor;

	result->form = FORM_NUMERIC;
	result->scale = scale;
	if (digits <= 0)
	{
		Vector		raised = *source;

		if (!raise_scale(&raised, scale, live, result->integers))
			return false;
		result->has_bounds = raised.has_bounds;
		result->min = raised.min;
		result->max = raised.max;
		if (digits == 0)
			memcpy(result->integers, source->integers,
				   sizeof(int64) * VECTOR_LENGTH);
		else if (raised.is_constant)
		{
			for (int i = 1; i < VECTOR_LENGTH; i++)
				result->integers[i] = result->integers[0];
		}
		return true;
	}
	if (digits > MAX_POWER_OF_TEN)
		return false;

	divisor = vector_powers_of_ten[digits];
	VECTOR_FOR_EACH(slot, live)
	{
		result->integers[slot] = divide_rounded(source->integers[slot],
												divisor, rounding);
	}
	if (source->has_bounds)
	{
		result->has_bounds = true;
		result->min = divide_rounded(source->min, divisor, rounding);
		result->max = divide_rounded(source->max, divisor, rounding);
	}
	return true;
}

/* round(numeric, integer) and trunc(), to the same scale for all rows */
static bool
round_numerics(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	int64		scale;

	if (!are_scaled(args, 1) || !args[1]->is_constant)
		return false;
	scale = args[1]->integers[0];
	if (scale < 0 || scale > MAX_POWER_OF_TEN)
		return false;
	return round_to_scale(args[0], scale, node->option, live, &node->result);
}

/* ceil(), floor() */
static bool
round_to_integers(VectorNode *node, const Vector *const *args,
				  const uint64 *live)
{
	return are_scaled(args, 1) &&
		round_to_scale(args[0], 0, node->option, live, &node->result);
}

/* Is a row's absolute value above the limit? */
static bool
exceeds(const Vector *vector, int64 limit, const uint64 *live)
{
	if (vector->has_bounds && vector->min >= -limit && vector->max <= limit)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		if (vector->integers[slot] > limit || vector->integers[slot] < -limit)
			return true;
	}
	return false;
}

/* numeric(precision, scale) */
static bool
restrict_numerics(VectorNode *node, const Vector *const *args,
				  const uint64 *live)
{
	int32		typmod;
	int			precision;
	int			scale;

	if (!are_scaled(args, 1) || !args[1]->is_constant)
		return false;
	typmod = (int32) args[1]->integers[0] - (int32) VARHDRSZ;
	if (typmod < 0)
		return false;
	precision = (typmod >> 16) & 0xFFFF;
	scale = typmod & 0xFFFF;

	/* From 2^10 on, scales are negative. */
	if (scale > MAX_POWER_OF_TEN ||
		!round_to_scale(args[0], scale, ROUND_HALF_AWAY, live, &node->result))
		return false;
	return precision > MAX_POWER_OF_TEN ||
		!exceeds(&node->result, vector_powers_of_ten[precision] - 1, live);
}

/* ---- conversion ---- */

static bool
integers_to_numerics(VectorNode *node, const Vector *const *args,
					 const uint64 *live)
{
	Vector	   *result = &node->result;

	if (args[0]->form != FORM_INTEGER)
		return false;
	result->form = FORM_NUMERIC;
	result->scale = 0;
	result->has_bounds = args[0]->has_bounds;
	result->min = args[0]->min;
	result->max = args[0]->max;
	memcpy(result->integers, args[0]->integers,
		   sizeof(int64) * VECTOR_LENGTH);
	return true;
}

/* The option is the bytes of the integer type. */
static bool
numerics_to_integers(VectorNode *node, const Vector *const *args,
					 const uint64 *live)
{
	int64		max = (int64) (PG_UINT64_MAX >> (65 - 8 * node->option));

	if (!are_scaled(args, 1) ||
		!round_to_scale(args[0], 0, ROUND_HALF_AWAY, live, &node->result))
		return false;
	node->result.form = FORM_INTEGER;

	/* The smallest integer is left to core, with those that are too small. */
	return node->option == sizeof(int64) || !exceeds(&node->result, max, live);
}

#define EXACT_INTEGER	(INT64CONST(1) << 53)

/*
 * numeric to float8: both sides of the division are exact doubles, so that it
 * rounds as reading the decimal number would.
 */
static bool
numerics_to_floats(VectorNode *node, const Vector *const *args,
				   const uint64 *live)
{
	const int64 *restrict in = args[0]->integers;
	double	   *restrict out = node->result.floats;
	double		divisor;

	if (!are_scaled(args, 1) || args[0]->scale > MAX_POWER_OF_TEN ||
		exceeds(args[0], EXACT_INTEGER, live))
		return false;
	divisor = (double) vector_powers_of_ten[args[0]->scale];
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = (double) in[i] / divisor;
	return true;
}

/* ---- functions ---- */

const VectorFunction vector_numeric_functions[] = {
	{F_NUMERIC_ADD, add_numerics, INTEGER_ADD},
	{F_NUMERIC_SUB, add_numerics, INTEGER_SUBTRACT},
	{F_NUMERIC_MUL, multiply_numerics},
	{F_NUMERIC_MOD, modulo_numerics},
	{F_MOD_NUMERIC_NUMERIC, modulo_numerics},
	{F_NUMERIC_UMINUS, change_sign, INTEGER_NEGATE},
	{F_NUMERIC_ABS, change_sign, INTEGER_ABSOLUTE},
	{F_ABS_NUMERIC, change_sign, INTEGER_ABSOLUTE},
	{F_NUMERIC_EQ, compare_numerics, COMPARISON_EQ},
	{F_NUMERIC_NE, compare_numerics, COMPARISON_NE},
	{F_NUMERIC_LT, compare_numerics, COMPARISON_LT},
	{F_NUMERIC_LE, compare_numerics, COMPARISON_LE},
	{F_NUMERIC_GT, compare_numerics, COMPARISON_GT},
	{F_NUMERIC_GE, compare_numerics, COMPARISON_GE},
	{F_ROUND_NUMERIC_INT4, round_numerics, ROUND_HALF_AWAY},
	{F_TRUNC_NUMERIC_INT4, round_numerics, ROUND_TRUNCATE},
	{F_CEIL_NUMERIC, round_to_integers, ROUND_UP},
	{F_CEILING_NUMERIC, round_to_integers, ROUND_UP},
	{F_FLOOR_NUMERIC, round_to_integers, ROUND_DOWN},
	{F_NUMERIC_NUMERIC_INT4, restrict_numerics},
	{F_NUMERIC_INT2, integers_to_numerics},
	{F_NUMERIC_INT4, integers_to_numerics},
	{F_NUMERIC_INT8, integers_to_numerics},
	{F_INT2_NUMERIC, numerics_to_integers, 2},
	{F_INT4_NUMERIC, numerics_to_integers, 4},
	{F_INT8_NUMERIC, numerics_to_integers, 8},
	{F_FLOAT8_NUMERIC, numerics_to_floats},
	{InvalidOid}
};
