/*
 * group_table.h
 *		Which group a row belongs to.
 *
 * Groups are numbered from 0 in the order in which their first rows came.
 * Equality is that of the key types' hash operator classes; a group keeps the
 * key values of its first row.
 */
#ifndef EXEC_GROUP_TABLE_H
#define EXEC_GROUP_TABLE_H

#include "exec/vector.h"
#include "nodes/pg_list.h"

typedef struct GroupTable GroupTable;

/* One key of a grouping. */
typedef struct GroupKey
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	Oid			equality;		/* operator, of a hash operator class */
} GroupKey;

/* Memory is from the current context; keys is copied. */
extern GroupTable *group_table_create(const GroupKey *keys, int nkeys);

/*
 * Find the groups of the rows of mask, making those that are not there: sets
 * groups[slot].  keys has a vector for each key.  If may_grow is false, rows
 * without a group are set in rejected instead of making one, and their hashes
 * in hashes[slot].
 */
extern void group_table_find(GroupTable *table, const Vector *const *keys,
							 const uint64 *mask, bool may_grow,
							 uint32 *groups, uint64 *rejected, uint64 *hashes);

/*
 * Hashes of rows, by slot: those of equal keys are equal, in whatever process
 * and pass.
 */
extern void group_table_hash(GroupTable *table, const Vector *const *keys,
							 const uint64 *mask, uint64 *hashes);

/*
 * Rows of the last find (mask and groups are its) that began a group; false if
 * there are none.
 */
extern bool group_table_new_rows(const GroupTable *table, const uint64 *mask,
								 const uint32 *groups, uint64 *rows);

extern uint32 group_table_count(const GroupTable *table);

/* Bytes that it takes. */
extern Size group_table_memory(const GroupTable *table);

/*
 * A key of a group; by-reference values are the table's until reset, or
 * palloc'd.
 */
extern Datum group_table_key(GroupTable *table, uint32 group, int key,
							 bool *isnull);

/* Forget all groups. */
extern void group_table_reset(GroupTable *table);

#endif							/* EXEC_GROUP_TABLE_H */
