/*
 * distinct_set.c
 *		Which values an aggregate with DISTINCT has seen, by group.
 *
 * A set is a table of groups whose keys are the group's number and the value: a
 * row that begins a group there is the first with its value.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/distinct_set.h"
#include "exec/vector_spill.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define NVECTORS	2

struct DistinctSet
{
	GroupTable *table;
	Oid			types[NVECTORS];
	bool		has_groups;
	DistinctTaker taker;
	void	   *argument;
	VectorSpill *spill;			/* what found no room, or NULL */
	uint64		nspilled;
	Vector	   *groups;			/* group numbers of the rows */
	MemoryContext context;
};

/* A partition of values that were written to files. */
typedef struct DistinctPartition
{
	VectorSpill *spill;
	int			number;
	int			shift;			/* of hashes, for what finds no room again */
} DistinctPartition;

DistinctSet *
distinct_set_create(const GroupKey *value, bool has_groups,
					DistinctTaker taker, void *argument)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar distinct set",
												  ALLOCSET_START_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DistinctSet *set = palloc0(sizeof(DistinctSet));
	GroupKey	keys[NVECTORS];

	/* The value comes first, and alone where there are no groups. */
	keys[0] = *value;
	keys[1].type = INT8OID;
	keys[1].typmod = -1;
	keys[1].collation = InvalidOid;
	keys[1].equality = lookup_type_cache(INT8OID, TYPECACHE_EQ_OPR)->eq_opr;
	set->table = group_table_create(keys, has_groups ? 2 : 1);
	set->types[0] = value->type;
	set->types[1] = INT8OID;
	set->has_groups = has_groups;
	set->taker = taker;
	set->argument = argument;
	set->groups = vector_create(FORM_INTEGER);
	set->context = context;
	MemoryContextSwitchTo(oldcontext);
	return set;
}

/* Give the rows to the set; those that find no room are left in rejected. */
static void
add_rows(DistinctSet *set, const Vector *const *keys, const uint64 *mask,
		 const uint32 *groups, bool may_grow, uint64 *rejected,
		 uint64 *hashes)
{
	uint32		numbers[VECTOR_LENGTH];
	uint64		first[VECTOR_WORDS];

	group_table_find(set->table, keys, mask, may_grow, numbers, rejected,
					 hashes);
	if (group_table_new_rows(set->table, mask, numbers, first))
		set->taker(set->argument, keys[0], first, groups);
}

static void
write_rows(DistinctSet *set, VectorSpill **spill, const Vector *const *keys,
		   const uint64 *rejected, const uint64 *hashes, int shift)
{
	if (*spill == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(set->context);

		*spill = vector_spill_create(set->has_groups ? 2 : 1, set->types);
		MemoryContextSwitchTo(oldcontext);
	}
	vector_spill_write(*spill, keys, rejected, hashes, shift);
	set->nspilled += vector_mask_count(rejected);
}

void
distinct_set_add(DistinctSet *set, const Vector *value, const uint64 *mask,
				 const uint32 *groups, bool may_grow)
{
	const Vector *keys[NVECTORS] = {value, set->groups};
	uint64		rows[VECTOR_WORDS];
	uint64		rejected[VECTOR_WORDS];
	uint64		hashes[VECTOR_LENGTH];

	for (int w = 0; w < VECTOR_WORDS; w++)
		rows[w] = value->has_nulls ? mask[w] & ~value->nulls[w] : mask[w];
	if (vector_mask_is_empty(rows))
		return;
	if (set->has_groups)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			set->groups->integers[i] = groups[i];
	}
	add_rows(set, keys, rows, groups, may_grow, rejected, hashes);
	if (!may_grow && !vector_mask_is_empty(rejected))
		write_rows(set, &set->spill, keys, rejected, hashes, 0);
}

void
distinct_set_hash(DistinctSet *set, const Vector *value, const uint64 *mask,
				  uint64 *hashes)
{
	Assert(!set->has_groups);
	group_table_hash(set->table, &value, mask, hashes);
}

/* ---- files ---- */

/* Look at a partition's values; those that find no room go to *spill. */
static void
read_partition(DistinctSet *set, DistinctPartition *partition, Size limit,
			   VectorSpill **spill)
{
	Vector	   *vectors[NVECTORS] = {NULL, NULL};
	int			n;

	group_table_reset(set->table);
	while ((n = vector_spill_read(partition->spill, partition->number,
								  vectors)) > 0)
	{
		uint32		groups[VECTOR_LENGTH];
		uint64		mask[VECTOR_WORDS];
		uint64		rejected[VECTOR_WORDS];
		uint64		hashes[VECTOR_LENGTH];
		bool		may_grow = partition->shift >= SPILL_HASH_BITS ||
			group_table_count(set->table) == 0 ||
			group_table_memory(set->table) <= limit;

		CHECK_FOR_INTERRUPTS();
		vector_mask_fill(mask, n);
		for (int i = 0; set->has_groups && i < n; i++)
			groups[i] = (uint32) vectors[1]->integers[i];
		add_rows(set, (const Vector *const *) vectors, mask,
				 set->has_groups ? groups : NULL, may_grow, rejected, hashes);
		if (!may_grow && !vector_mask_is_empty(rejected))
			write_rows(set, spill, (const Vector *const *) vectors, rejected,
					   hashes, partition->shift);
	}
}

/* Look at all that lies in a spill, which is freed. */
static void
read_spill(DistinctSet *set, VectorSpill *spill, int shift, Size limit)
{
	for (int p = 0; p < SPILL_PARTITIONS; p++)
	{
		DistinctPartition partition = {spill, p, shift};
		VectorSpill *rest = NULL;

		if (vector_spill_nrows(spill, p) == 0)
			continue;
		read_partition(set, &partition, limit, &rest);
		if (rest)
			read_spill(set, rest, shift + SPILL_PARTITION_BITS, limit);
	}
	vector_spill_free(spill);
}

void
distinct_set_finish(DistinctSet *set, Size limit)
{
	VectorSpill *spill = set->spill;

	set->spill = NULL;
	if (spill)
		read_spill(set, spill, SPILL_PARTITION_BITS, limit);
	group_table_reset(set->table);
}

Size
distinct_set_memory(const DistinctSet *set)
{
	return group_table_memory(set->table);
}

uint64
distinct_set_spilled(const DistinctSet *set)
{
	return set->nspilled;
}

void
distinct_set_reset(DistinctSet *set)
{
	group_table_reset(set->table);
	if (set->spill)
		vector_spill_free(set->spill);
	set->spill = NULL;
}
