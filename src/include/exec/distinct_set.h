/*
 * distinct_set.h
 *		Which values an aggregate with DISTINCT has seen, by group.
 *
 * When there is no more memory, values that are not in the set are written to
 * files by partition, and looked at when all rows have been read: those of a
 * partition are again added to a set, and so on.
 */
#ifndef EXEC_DISTINCT_SET_H
#define EXEC_DISTINCT_SET_H

#include "exec/group_table.h"

typedef struct DistinctSet DistinctSet;

/*
 * What a distinct set does with values when they come for the first time.
 * groups is NULL where the set's is.
 */
typedef void (*DistinctTaker) (void *argument, const Vector *value,
							   const uint64 *mask, const uint32 *groups);

/*
 * A set of values of a type, each in a group unless has_groups is false.
 * Memory is from the current context.
 */
extern DistinctSet *distinct_set_create(const GroupKey *value,
										bool has_groups, DistinctTaker taker,
										void *argument);

/*
 * Add the rows of mask that are not NULL, in groups (by slot).  Those that are
 * new go to the taker.  If may_grow is false, those that are not there go to
 * a file instead.
 */
extern void distinct_set_add(DistinctSet *set, const Vector *value,
							 const uint64 *mask, const uint32 *groups,
							 bool may_grow);

/* Hashes of values, by slot, the same in all processes; for sets without groups. */
extern void distinct_set_hash(DistinctSet *set, const Vector *value,
							  const uint64 *mask, uint64 *hashes);

/*
 * All rows have been added: give what lies in files to the taker, within
 * limit bytes of memory.  The set is empty after this.
 */
extern void distinct_set_finish(DistinctSet *set, Size limit);

/* Bytes that it takes in memory, and values ever written to files. */
extern Size distinct_set_memory(const DistinctSet *set);
extern uint64 distinct_set_spilled(const DistinctSet *set);

/* Forget all values. */
extern void distinct_set_reset(DistinctSet *set);

#endif							/* EXEC_DISTINCT_SET_H */
