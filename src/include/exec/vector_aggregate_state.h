/*
 * vector_aggregate_state.h
 *		What the files of the aggregate functions share.
 *
 * A kind of aggregate has a state per group, all zeros while the group has no
 * value, and two methods: one adds a vector's values, one gives what core's
 * transition function would have arrived at.
 */
#ifndef EXEC_VECTOR_AGGREGATE_STATE_H
#define EXEC_VECTOR_AGGREGATE_STATE_H

#include "exec/vector_aggregate.h"
#include "fmgr.h"

#ifndef HAVE_INT128
#error "columnar needs a compiler with 128-bit integers"
#endif

typedef struct AggregateKind
{
	Size		state_size;

	/* live has the rows of values that are not NULL, at least one. */
	void		(*update) (VectorAggregate *aggregate, const Vector *values,
						   const uint64 *live, const uint32 *groups);

	/*
	 * The transition value.  Internal ones are a pointer to core's state, or
	 * NULL (isnull) without any value.
	 */
	Datum		(*value) (VectorAggregate *aggregate, void *state,
						  bool *isnull);

	/*
	 * The result at once, or NULL if it takes core's final or serialization
	 * function, which the caller then calls.
	 */
	bool		(*result) (VectorAggregate *aggregate, void *state,
						   Datum *result);

	/*
	 * Add another process's state, all of which is in its state_size bytes.
	 * NULL: there is more to a state, or it depends on the order of values.
	 */
	void		(*merge) (VectorAggregate *aggregate, void *state,
						  const void *other);
} AggregateKind;

/* What a known aggregate function is computed by. */
typedef struct AggregateFunction
{
	Oid			oid;
	const AggregateKind *kind;
	bool		is_max;			/* of minimum and maximum */
	bool		has_squares;	/* of sums: squares are summed, too */
	bool		is_sum;			/* of numeric sums: not an average */
} AggregateFunction;

/* One of core's support functions. */
typedef struct CoreFunction
{
	bool		exists;
	FmgrInfo	info;
} CoreFunction;

struct VectorAggregate
{
	const AggregateFunction *function;
	const AggregateKind *kind;
	bool		is_partial;		/* results are transition values */
	Oid			argument_type;	/* InvalidOid: count(*) */
	Oid			collation;
	bool		orders_bytes;	/* strings compare as bytes */

	char	   *states;
	uint32		ngroups;
	uint32		max_groups;
	MemoryContext context;		/* of everything */
	MemoryContext values_context;	/* of what states point to */
	MemoryContext work_context; /* reset by whoever uses it */

	/* Core's aggregate. */
	Oid			transition_type;
	int16		transition_length;
	bool		transition_byval;
	Datum		initial_value;
	bool		initial_isnull;
	CoreFunction transition;
	CoreFunction final;
	CoreFunction combine;
	CoreFunction serialize;
	CoreFunction deserialize;
	Node	   *call_context;	/* an AggState, for AggCheckCallContext */
};

/* ---- vector_aggregate.c ---- */

/*
 * Call one of core's functions with one or two arguments, in the current
 * context; a strict one is not called with a NULL and gives NULL.
 */
extern Datum aggregate_call(VectorAggregate *aggregate,
							CoreFunction *function, int nargs,
							const NullableDatum *args, bool *isnull);

/* ---- kinds ---- */

/* vector_aggregate_integer.c */
extern const AggregateKind aggregate_count;
extern const AggregateKind aggregate_sum_int;	/* of 2 or 4 bytes */
extern const AggregateKind aggregate_average_int;
extern const AggregateKind aggregate_sum_money;
extern const AggregateKind aggregate_extreme_int;
extern const AggregateKind aggregate_bool_and;
extern const AggregateKind aggregate_bool_or;
extern const AggregateKind aggregate_bit_and;
extern const AggregateKind aggregate_bit_or;
extern const AggregateKind aggregate_bit_xor;

/* vector_aggregate_numeric.c */
extern const AggregateKind aggregate_wide_int;	/* core's sums are integers */
extern const AggregateKind aggregate_numeric;	/* core's sums are numerics */

/* vector_aggregate_float.c */
extern const AggregateKind aggregate_sum_float4;
extern const AggregateKind aggregate_sum_float8;
extern const AggregateKind aggregate_float_moments;
extern const AggregateKind aggregate_extreme_float;

/* vector_aggregate_value.c */
extern const AggregateKind aggregate_extreme_numeric;
extern const AggregateKind aggregate_extreme_text;
extern const AggregateKind aggregate_by_row;

/* ---- states that metadata add to ---- */

typedef struct CountState
{
	int64		n;
} CountState;

/* Sum of integers that core keeps in 64 bits. */
typedef struct SumState
{
	int64		n;
	int64		sum;
} SumState;

/*
 * Sums of integers, or of numerics times 10^scale and their squares times
 * 10^(2 * scale).  What does not fit is in a state of core's.
 */
typedef struct WideState
{
	int64		n;
	int128		sum;
	int128		squares;
	int32		scale;			/* valid if n > 0 */
	void	   *rest;			/* core's state, or NULL */
} WideState;

typedef struct ExtremeState
{
	bool		is_set;
	int64		value;
} ExtremeState;

typedef struct FloatState
{
	bool		is_set;
	double		value;
} FloatState;

typedef struct TextState
{
	uint8	   *bytes;			/* NULL: none yet */
	uint32		length;
	uint32		room;
} TextState;

/* vector_aggregate_numeric.c: add n values with that sum. */
extern void wide_state_add(VectorAggregate *aggregate, WideState *state,
						   int128 sum, int64 n, int scale);

/*
 * vector_aggregate_numeric.c: a finite numeric with few digits as an integer of
 * its display scale; false for others.
 */
extern bool numeric_datum_scale(Datum datum, int64 *value, int *scale);

/* vector_aggregate_value.c: take a value if it is a new extreme. */
extern void text_state_add(VectorAggregate *aggregate, TextState *state,
						   const StringRef *value);

/* ---- loops ---- */

/*
 * Run a statement for each slot of a mask, in order; full words have a loop of
 * their own.
 */
#define FOR_LIVE(slot, live, ...) \
	for (int w_ = 0; w_ < VECTOR_WORDS; w_++) \
	{ \
		uint64		word_ = (live)[w_]; \
		if (word_ == PG_UINT64_MAX) \
		{ \
			for (int slot = w_ * 64; slot < w_ * 64 + 64; slot++) \
				__VA_ARGS__; \
		} \
		else \
		{ \
			for (; word_ != 0; word_ &= word_ - 1) \
			{ \
				int			slot = w_ * 64 + pg_rightmost_one_pos64(word_); \
				__VA_ARGS__; \
			} \
		} \
	}

/*
 * Run a statement for each slot and its state, which without groups is a copy
 * in registers.
 */
#define UPDATE_STATES(aggregate, type, state, groups, slot, live, ...) \
	do { \
		type	   *states_ = (type *) (aggregate)->states; \
		if (groups) \
		{ \
			FOR_LIVE(slot, live, \
			{ \
				type	   *state = &states_[(groups)[slot]]; \
				__VA_ARGS__; \
			}); \
		} \
		else \
		{ \
			type		copy_ = states_[0]; \
			type	   *state = &copy_; \
			FOR_LIVE(slot, live, __VA_ARGS__); \
			states_[0] = copy_; \
		} \
	} while (0)

#endif							/* EXEC_VECTOR_AGGREGATE_STATE_H */
