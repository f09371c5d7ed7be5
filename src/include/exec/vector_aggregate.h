/*
 * vector_aggregate.h
 *		Aggregate functions over vectors.
 *
 * An aggregate keeps an array of states by group number.  Sums of integers and
 * numerics are kept as 128-bit integers; floats follow core's recurrences in
 * row order; results come from core's own final functions or are equal to
 * theirs bit for bit.
 */
#ifndef EXEC_VECTOR_AGGREGATE_H
#define EXEC_VECTOR_AGGREGATE_H

#include "exec/vector.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "storage/layout.h"

typedef struct VectorAggregate VectorAggregate;

/*
 * Is there a kernel for this Aggref?  Looks at the function, the types,
 * the collation and every field that changes what it means (DISTINCT, ORDER
 * BY, VARIADIC, ordered sets: false, but for count(DISTINCT x), where the
 * caller passes each value once).  For the planner and at executor start.
 */
extern bool vector_aggregate_is_known(const Aggref *aggref);

/*
 * Memory is from the current context.  The Aggref's aggsplit says whether
 * results are final values or serialized transition states, as core's Agg node
 * would give them.
 */
extern VectorAggregate *vector_aggregate_create(const Aggref *aggref);

/* Bytes that a group's state takes, roughly. */
extern Size vector_aggregate_state_size(const VectorAggregate *aggregate);

/* Memory taken for all groups. */
extern Size vector_aggregate_memory(const VectorAggregate *aggregate);

/* Have states for that many groups; new ones are empty. */
extern void vector_aggregate_grow(VectorAggregate *aggregate, uint32 ngroups);

/*
 * Add the rows of mask.  argument is NULL for count(*).  groups has each row's
 * group by slot, or is NULL: all are of group 0.
 */
extern void vector_aggregate_update(VectorAggregate *aggregate,
									const Vector *argument,
									const uint64 *mask, const uint32 *groups);

/*
 * Can all rows of a segment be added by what its metadata says of the
 * argument's column?  attr is the column's present definition; entry and attr
 * are NULL for count(*).
 */
extern bool vector_aggregate_knows_segment(const VectorAggregate *aggregate,
										   const AttributeEntry *entry,
										   Form_pg_attribute attr);

/* Add them to group 0; they are known. */
extern void vector_aggregate_add_segment(VectorAggregate *aggregate,
										 const AttributeEntry *entry,
										 Form_pg_attribute attr, uint32 nrows);

/*
 * Is it likely that metadata tell the result for whole segments, of a column
 * without a filter?  For the planner.
 */
extern bool vector_aggregate_may_know_segments(const Aggref *aggref);

/*
 * Is a state no more than its bytes, to be copied and to be merged with those
 * of other processes?
 */
extern bool vector_aggregate_is_flat(const Aggref *aggref);

/* Copy the state of group 0 from the aggregate, or merge a copy with it. */
extern void vector_aggregate_copy_state(const VectorAggregate *aggregate,
										void *state);
extern void vector_aggregate_merge_state(VectorAggregate *aggregate,
										 const void *state);

/*
 * Is a sum of integers, or numerics as integers of one scale, all that the
 * aggregate needs of them?  Then add it to group 0.
 */
extern bool vector_aggregate_takes_sums(const VectorAggregate *aggregate);
extern void vector_aggregate_add_sum(VectorAggregate *aggregate, int64 sum,
									 uint32 nvalues, int scale);

/* The same of the least and the greatest of integers. */
extern bool vector_aggregate_takes_extremes(const VectorAggregate *aggregate);
extern void vector_aggregate_add_extremes(VectorAggregate *aggregate,
										  int64 min, int64 max);

/* The result of a group; by-reference ones are palloc'd. */
extern Datum vector_aggregate_result(VectorAggregate *aggregate, uint32 group,
									 bool *isnull);

/*
 * Of a sum of int2 or int4: what the sum would be if each value were larger by
 * offset.
 */
extern Datum vector_aggregate_shifted_sum(VectorAggregate *aggregate,
										  uint32 group, int64 offset,
										  bool *isnull);

/* Forget all groups. */
extern void vector_aggregate_reset(VectorAggregate *aggregate);

#endif							/* EXEC_VECTOR_AGGREGATE_H */
