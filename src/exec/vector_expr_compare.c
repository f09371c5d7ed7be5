/*
 * vector_expr_compare.c
 *		Comparisons of integers, dates, times, floats and equality of strings.
 *
 * Kernels write one byte per slot, and the bytes are gathered to bits.  All
 * comparisons are made of = and <, by turning the sides around and the result
 * over: the orders here are total, with NaN the greatest float.
 */
#include "postgres.h"

#include "compat.h"
#include "encoding/byteorder.h"
#include "exec/column_filter.h"
#include "exec/vector_node.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

void
vector_gather_bits(const uint8 *match, uint64 *bits)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		uint64		word = 0;

		/* The product's top byte has the eight lowest bits in order. */
		for (int b = 0; b < 8; b++)
			word |= ((load_le64(match + w * 64 + b * 8) *
					  UINT64CONST(0x0102040810204080)) >> 56) << (8 * b);
		bits[w] = word;
	}
}

/*
 * A function that sets match[i] to test for all slots, where a and b are the
 * values compared; a side that is constant is not read 1,024 times.
 */
#define DEFINE_TEST(name, type, test) \
static void \
name(const type *restrict left, bool left_is_constant, \
	 const type *restrict right, bool right_is_constant, \
	 uint8 *restrict match) \
{ \
	if (right_is_constant) \
	{ \
		const type	b = right[0]; \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
		{ \
			const type	a = left[i]; \
			match[i] = test; \
		} \
	} \
	else if (left_is_constant) \
	{ \
		const type	a = left[0]; \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
		{ \
			const type	b = right[i]; \
			match[i] = test; \
		} \
	} \
	else \
	{ \
		for (int i = 0; i < VECTOR_LENGTH; i++) \
		{ \
			const type	a = left[i]; \
			const type	b = right[i]; \
			match[i] = test; \
		} \
	} \
}

DEFINE_TEST(integers_equal, int64, a == b)
DEFINE_TEST(integers_less, int64, a < b)
DEFINE_TEST(floats_equal, double, (a == b) | ((a != a) & (b != b)))
DEFINE_TEST(floats_less, double, (a < b) | ((a == a) & (b != b)))

/* Is the comparison's answer the opposite of = or < ? */
static inline bool
is_inverted(int comparison)
{
	return comparison == COMPARISON_NE || comparison == COMPARISON_LE ||
		comparison == COMPARISON_GE;
}

/* Is it < with the sides turned around? */
static inline bool
is_swapped(int comparison)
{
	return comparison == COMPARISON_GT || comparison == COMPARISON_LE;
}

static void
store_match(const uint8 *match, int comparison, uint64 *bits)
{
	vector_gather_bits(match, bits);
	if (is_inverted(comparison))
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			bits[w] = ~bits[w];
	}
}

void
vector_compare_integers(Comparison comparison, const Vector *left,
						const Vector *right, uint64 *bits)
{
	uint8		match[VECTOR_LENGTH];

	if (is_swapped(comparison))
	{
		const Vector *swap = left;

		left = right;
		right = swap;
	}
	if (comparison == COMPARISON_EQ || comparison == COMPARISON_NE)
		integers_equal(left->integers, left->is_constant,
					   right->integers, right->is_constant, match);
	else
		integers_less(left->integers, left->is_constant,
					  right->integers, right->is_constant, match);
	store_match(match, comparison, bits);
}

static bool
compare_integers(VectorNode *node, const Vector *const *args,
				 const uint64 *live)
{
	if (args[0]->form != FORM_INTEGER || args[1]->form != FORM_INTEGER)
		return false;
	vector_compare_integers(node->option, args[0], args[1],
							node->result.bits);
	return true;
}

static bool
compare_floats(VectorNode *node, const Vector *const *args,
			   const uint64 *live)
{
	const Vector *left = args[is_swapped(node->option) ? 1 : 0];
	const Vector *right = args[is_swapped(node->option) ? 0 : 1];
	uint8		match[VECTOR_LENGTH];

	if (left->form != FORM_FLOAT || right->form != FORM_FLOAT)
		return false;
	if (node->option == COMPARISON_EQ || node->option == COMPARISON_NE)
		floats_equal(left->floats, left->is_constant,
					 right->floats, right->is_constant, match);
	else
		floats_less(left->floats, left->is_constant,
					right->floats, right->is_constant, match);
	store_match(match, node->option, node->result.bits);
	return true;
}

/* false < true */
static bool
compare_booleans(VectorNode *node, const Vector *const *args,
				 const uint64 *live)
{
	const uint64 *left = args[is_swapped(node->option) ? 1 : 0]->bits;
	const uint64 *right = args[is_swapped(node->option) ? 0 : 1]->bits;
	uint64		inverted = is_inverted(node->option) ? PG_UINT64_MAX : 0;
	uint64	   *bits = node->result.bits;

	if (args[0]->form != FORM_BOOLEAN || args[1]->form != FORM_BOOLEAN)
		return false;
	if (node->option == COMPARISON_EQ || node->option == COMPARISON_NE)
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			bits[w] = ~(left[w] ^ right[w]) ^ inverted;
	}
	else
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			bits[w] = (~left[w] & right[w]) ^ inverted;
	}
	return true;
}

/* ---- strings ---- */

static inline bool
strings_equal(const StringRef *a, const StringRef *b)
{
	return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* memcmp, then the shorter first. */
static inline bool
strings_less(const StringRef *a, const StringRef *b)
{
	int			order = memcmp(a->data, b->data, Min(a->length, b->length));

	return order < 0 || (order == 0 && a->length < b->length);
}

static bool
compare_strings(VectorNode *node, const Vector *const *args,
				const uint64 *live)
{
	const Vector *left = args[is_swapped(node->option) ? 1 : 0];
	const Vector *right = args[is_swapped(node->option) ? 0 : 1];
	bool		is_equality = node->option == COMPARISON_EQ ||
		node->option == COMPARISON_NE;
	bool		inverted = is_inverted(node->option);

	if (left->form != FORM_STRING || right->form != FORM_STRING)
		return false;
	memset(node->result.bits, 0, sizeof(uint64) * VECTOR_WORDS);
	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *a = &left->strings[slot];
		const StringRef *b = &right->strings[slot];

		if ((is_equality ? strings_equal(a, b) : strings_less(a, b)) !=
			inverted)
			vector_set_bit(node->result.bits, slot);
	}
	return true;
}

bool
vector_compares_exactly(const VectorFunction *function, Comparison comparison)
{
	return function->option == comparison &&
		(function->kernel == compare_integers ||
		 function->kernel == compare_strings);
}

/* Are equal strings those of equal bytes? */
static bool
collation_is_bytewise(const List *args, Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

/* Is the order that of bytes? */
static bool
collation_is_c(const List *args, Oid collation)
{
	return collation_orders_bytes(collation);
}

/* ---- functions ---- */

#define COMPARISONS(kernel, eq, ne, lt, le, gt, ge) \
	{eq, kernel, COMPARISON_EQ}, \
	{ne, kernel, COMPARISON_NE}, \
	{lt, kernel, COMPARISON_LT}, \
	{le, kernel, COMPARISON_LE}, \
	{gt, kernel, COMPARISON_GT}, \
	{ge, kernel, COMPARISON_GE}

#define INTEGER_COMPARISONS(prefix) \
	COMPARISONS(compare_integers, prefix##EQ, prefix##NE, prefix##LT, \
				prefix##LE, prefix##GT, prefix##GE)
#define INTEGER_COMPARISONS_(prefix) \
	COMPARISONS(compare_integers, prefix##_EQ, prefix##_NE, prefix##_LT, \
				prefix##_LE, prefix##_GT, prefix##_GE)
#define FLOAT_COMPARISONS(prefix) \
	COMPARISONS(compare_floats, prefix##EQ, prefix##NE, prefix##LT, \
				prefix##LE, prefix##GT, prefix##GE)

const VectorFunction vector_compare_functions[] = {
	INTEGER_COMPARISONS(F_INT2),
	INTEGER_COMPARISONS(F_INT4),
	INTEGER_COMPARISONS(F_INT8),
	INTEGER_COMPARISONS(F_INT24),
	INTEGER_COMPARISONS(F_INT28),
	INTEGER_COMPARISONS(F_INT42),
	INTEGER_COMPARISONS(F_INT48),
	INTEGER_COMPARISONS(F_INT82),
	INTEGER_COMPARISONS(F_INT84),
	INTEGER_COMPARISONS(F_OID),
	INTEGER_COMPARISONS(F_CHAR),
	INTEGER_COMPARISONS_(F_DATE),
	INTEGER_COMPARISONS_(F_TIME),
	INTEGER_COMPARISONS_(F_TIMESTAMP),
	INTEGER_COMPARISONS_(F_TIMESTAMPTZ),
	INTEGER_COMPARISONS_(F_CASH),
	{F_ENUM_EQ, compare_integers, COMPARISON_EQ},
	{F_ENUM_NE, compare_integers, COMPARISON_NE},
	FLOAT_COMPARISONS(F_FLOAT4),
	FLOAT_COMPARISONS(F_FLOAT8),
	FLOAT_COMPARISONS(F_FLOAT48),
	FLOAT_COMPARISONS(F_FLOAT84),
	COMPARISONS(compare_booleans, F_BOOLEQ, F_BOOLNE, F_BOOLLT, F_BOOLLE,
				F_BOOLGT, F_BOOLGE),
	{F_TEXTEQ, compare_strings, COMPARISON_EQ, collation_is_bytewise},
	{F_TEXTNE, compare_strings, COMPARISON_NE, collation_is_bytewise},
	{F_TEXT_LT, compare_strings, COMPARISON_LT, collation_is_c},
	{F_TEXT_LE, compare_strings, COMPARISON_LE, collation_is_c},
	{F_TEXT_GT, compare_strings, COMPARISON_GT, collation_is_c},
	{F_TEXT_GE, compare_strings, COMPARISON_GE, collation_is_c},
	COMPARISONS(compare_strings, F_BYTEAEQ, F_BYTEANE, F_BYTEALT, F_BYTEALE,
				F_BYTEAGT, F_BYTEAGE),
	COMPARISONS(compare_strings, F_UUID_EQ, F_UUID_NE, F_UUID_LT, F_UUID_LE,
				F_UUID_GT, F_UUID_GE),
	{InvalidOid}
};
