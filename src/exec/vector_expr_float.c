/*
 * vector_expr_float.c
 *		Arithmetic of floats.
 *
 * One IEEE operation for each value, in the precision that core's function
 * computes in.  Infinities and zeros among the results may be overflow and
 * underflow, which are core's errors: only then is each row looked at.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "exec/vector_node.h"
#include "utils/fmgroids.h"

typedef enum FloatOperation
{
	FLOAT_ADD,
	FLOAT_SUBTRACT,
	FLOAT_MULTIPLY,
	FLOAT_DIVIDE
} FloatOperation;

#define OPTION(operation, is_single)	((operation) * 2 + (is_single))
#define OPTION_OPERATION(option)	((FloatOperation) ((option) / 2))
#define OPTION_IS_SINGLE(option)	((option) % 2)

/*
 * A function that computes a operator b for all slots, in a precision: the last
 * cast is for machines that compute floats as doubles.
 */
#define DEFINE_LOOP(name, type, operator) \
static void \
name(const Vector *left, const Vector *right, double *restrict out) \
{ \
	const double *restrict x = left->floats; \
	const double *restrict y = right->floats; \
	if (right->is_constant) \
	{ \
		const type	b = (type) y[0]; \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
			out[i] = (type) ((type) x[i] operator b); \
	} \
	else if (left->is_constant) \
	{ \
		const type	a = (type) x[0]; \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
			out[i] = (type) (a operator (type) y[i]); \
	} \
	else \
	{ \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
			out[i] = (type) ((type) x[i] operator (type) y[i]); \
	} \
}

DEFINE_LOOP(add_single, float, +)
DEFINE_LOOP(add_double, double, +)
DEFINE_LOOP(subtract_single, float, -)
DEFINE_LOOP(subtract_double, double, -)
DEFINE_LOOP(multiply_single, float, *)
DEFINE_LOOP(multiply_double, double, *)
DEFINE_LOOP(divide_single, float, /)
DEFINE_LOOP(divide_double, double, /)

typedef void (*FloatLoop) (const Vector *left, const Vector *right,
						   double *out);

static const FloatLoop loops[][2] = {
	[FLOAT_ADD] = {add_double, add_single},
	[FLOAT_SUBTRACT] = {subtract_double, subtract_single},
	[FLOAT_MULTIPLY] = {multiply_double, multiply_single},
	[FLOAT_DIVIDE] = {divide_double, divide_single}
};

#define SIGN_BIT		(UINT64CONST(1) << 63)
#define EXPONENT_ONE	(UINT64CONST(1) << 52)

/* Is one of them infinite or NaN? */
static bool
have_special(const Vector *vector)
{
	const uint64 *restrict bits = vector->data;
	uint64		any = 0;

	/* An exponent of all ones carries into the sign. */
	for (int i = 0; i < VECTOR_LENGTH; i++)
		any |= (bits[i] & ~SIGN_BIT) + EXPONENT_ONE;
	return (any & SIGN_BIT) != 0;
}

static bool
have_zero(const Vector *vector)
{
	const uint64 *restrict bits = vector->data;
	uint64		any = 0;

	for (int i = 0; i < VECTOR_LENGTH; i++)
		any |= (bits[i] & ~SIGN_BIT) - 1;
	return (any & SIGN_BIT) != 0;
}

/* Would core raise an error for a op b = r? */
static bool
is_error(FloatOperation operation, double a, double b, double r)
{
	switch (operation)
	{
		case FLOAT_ADD:
		case FLOAT_SUBTRACT:
			return isinf(r) && !isinf(a) && !isinf(b);
		case FLOAT_MULTIPLY:
			return (isinf(r) && !isinf(a) && !isinf(b)) ||
				(r == 0 && a != 0 && b != 0);
		case FLOAT_DIVIDE:
			return (b == 0 && !isnan(a)) ||
				(isinf(r) && !isinf(a)) ||
				(r == 0 && a != 0 && !isinf(b));
	}
	return false;
}

static bool
compute_floats(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	FloatOperation operation = OPTION_OPERATION(node->option);
	const Vector *result = &node->result;

	if (args[0]->form != FORM_FLOAT || args[1]->form != FORM_FLOAT)
		return false;
	loops[operation][OPTION_IS_SINGLE(node->option)] (args[0], args[1],
													  node->result.floats);
	if (!have_special(result) &&
		(operation < FLOAT_MULTIPLY || !have_zero(result)))
		return true;
	VECTOR_FOR_EACH(slot, live)
	{
		if (is_error(operation, args[0]->floats[slot], args[1]->floats[slot],
					 result->floats[slot]))
			return false;
	}
	return true;
}

static bool
negate(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	const double *restrict in = args[0]->floats;
	double	   *restrict out = node->result.floats;

	if (args[0]->form != FORM_FLOAT)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = -in[i];
	return true;
}

static bool
absolute(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	const double *restrict in = args[0]->floats;
	double	   *restrict out = node->result.floats;

	if (args[0]->form != FORM_FLOAT)
		return false;
	for (int i = 0; i < VECTOR_LENGTH; i++)
		out[i] = fabs(in[i]);
	return true;
}

#define BASIC(prefix, is_single) \
	{prefix##PL, compute_floats, OPTION(FLOAT_ADD, is_single)}, \
	{prefix##MI, compute_floats, OPTION(FLOAT_SUBTRACT, is_single)}, \
	{prefix##MUL, compute_floats, OPTION(FLOAT_MULTIPLY, is_single)}, \
	{prefix##DIV, compute_floats, OPTION(FLOAT_DIVIDE, is_single)}

const VectorFunction vector_float_functions[] = {
	BASIC(F_FLOAT4, 1),
	BASIC(F_FLOAT8, 0),
	BASIC(F_FLOAT48, 0),
	BASIC(F_FLOAT84, 0),
	{F_FLOAT4UM, negate},
	{F_FLOAT8UM, negate},
	{F_FLOAT4ABS, absolute},
	{F_FLOAT8ABS, absolute},
	{F_ABS_FLOAT4, absolute},
	{F_ABS_FLOAT8, absolute},
	{InvalidOid}
};
