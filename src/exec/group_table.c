/*
 * group_table.c
 *		Which group a row belongs to.
 */
#include "postgres.h"

#include "access/hash.h"
#include "compat.h"
#include "exec/group_table.h"
#include "exec/value_hash.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define NO_GROUP	PG_UINT32_MAX

typedef struct KeyColumn
{
	GroupKey	key;
	int16		length;
	bool		is_byval;
	FmgrInfo	hash;
	bool		hash_is_extended;
	FmgrInfo	equal;
	Datum	   *values;			/* by group */
	bool	   *isnull;
} KeyColumn;

struct GroupTable
{
	int			nkeys;
	KeyColumn  *columns;
	uint32		ngroups;
	uint32		capacity;		/* of the arrays by group */
	uint64	   *group_hashes;
	uint32		nslots;			/* a power of two */
	uint32	   *slots;			/* group or NO_GROUP */
	MemoryContext context;
	MemoryContext scratch;
};

static void
set_functions(KeyColumn *column)
{
	TypeCacheEntry *entry = lookup_type_cache(column->key.type,
											  TYPECACHE_EQ_OPR |
											  TYPECACHE_HASH_EXTENDED_PROC);
	Oid			left;
	Oid			right;

	fmgr_info(get_opcode(column->key.equality), &column->equal);
	column->hash_is_extended = entry->eq_opr == column->key.equality &&
		OidIsValid(entry->hash_extended_proc);
	if (column->hash_is_extended)
		fmgr_info(entry->hash_extended_proc, &column->hash);
	else if (get_op_hash_functions(column->key.equality, &left, &right))
		fmgr_info(left, &column->hash);
	else
		elog(ERROR, "could not find hash function for equality operator %u",
			 column->key.equality);
}

static void
make_room(GroupTable *table)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(table->context);

	table->ngroups = 0;
	table->capacity = 1024;
	table->nslots = 2048;
	table->group_hashes = palloc(sizeof(uint64) * table->capacity);
	table->slots = palloc(sizeof(uint32) * table->nslots);
	memset(table->slots, 0xff, sizeof(uint32) * table->nslots);
	for (int k = 0; k < table->nkeys; k++)
	{
		table->columns[k].values = palloc(sizeof(Datum) * table->capacity);
		table->columns[k].isnull = palloc(sizeof(bool) * table->capacity);
	}
	MemoryContextSwitchTo(oldcontext);
}

GroupTable *
group_table_create(const GroupKey *keys, int nkeys)
{
	GroupTable *table = palloc0(sizeof(GroupTable));

	table->nkeys = nkeys;
	table->columns = palloc0(sizeof(KeyColumn) * nkeys);
	for (int k = 0; k < nkeys; k++)
	{
		table->columns[k].key = keys[k];
		get_typlenbyval(keys[k].type, &table->columns[k].length,
						&table->columns[k].is_byval);
		set_functions(&table->columns[k]);
	}
	table->context = AllocSetContextCreate(CurrentMemoryContext,
										   "columnar groups",
										   ALLOCSET_DEFAULT_SIZES);
	table->scratch = AllocSetContextCreate(CurrentMemoryContext,
										   "columnar group keys",
										   ALLOCSET_DEFAULT_SIZES);
	make_room(table);
	return table;
}

static Datum
row_datum(const Vector *vector, int slot, Oid type)
{
	if (vector->form == FORM_STRING && vector->strings == NULL)
	{
		Vector		entry = *vector;
		StringRef	string = vector->dictionary->entries[vector->codes[slot]];

		entry.strings = &string;
		return vector_datum(&entry, 0, type);
	}
	return vector_datum(vector, slot, type);
}

static uint64
hash_datum(KeyColumn *column, Datum value)
{
	if (column->hash_is_extended)
		return DatumGetUInt64(FunctionCall2Coll(&column->hash,
												column->key.collation, value,
												Int64GetDatum(0)));
	return hash_uint64(DatumGetUInt32(FunctionCall1Coll(&column->hash,
														 column->key.collation,
														 value)));
}

static bool
group_matches(GroupTable *table, uint32 group, const Datum *values,
			  const bool *isnull)
{
	for (int k = 0; k < table->nkeys; k++)
	{
		KeyColumn  *column = &table->columns[k];

		if (column->isnull[group] != isnull[k])
			return false;
		if (!isnull[k] &&
			!DatumGetBool(FunctionCall2Coll(&column->equal,
											column->key.collation,
											column->values[group], values[k])))
			return false;
	}
	return true;
}

static void
grow(GroupTable *table)
{
	table->capacity *= 2;
	table->nslots *= 2;
	table->group_hashes = repalloc_huge(table->group_hashes,
										sizeof(uint64) * table->capacity);
	table->slots = repalloc_huge(table->slots, sizeof(uint32) * table->nslots);
	memset(table->slots, 0xff, sizeof(uint32) * table->nslots);
	for (int k = 0; k < table->nkeys; k++)
	{
		KeyColumn  *column = &table->columns[k];

		column->values = repalloc_huge(column->values,
									   sizeof(Datum) * table->capacity);
		column->isnull = repalloc_huge(column->isnull,
									   sizeof(bool) * table->capacity);
	}
	for (uint32 g = 0; g < table->ngroups; g++)
	{
		uint32		s = table->group_hashes[g] & (table->nslots - 1);

		while (table->slots[s] != NO_GROUP)
			s = (s + 1) & (table->nslots - 1);
		table->slots[s] = g;
	}
}

static uint32
add_group(GroupTable *table, uint64 hash, const Datum *values,
		  const bool *isnull)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(table->context);
	uint32		group = table->ngroups++;

	table->group_hashes[group] = hash;
	for (int k = 0; k < table->nkeys; k++)
	{
		KeyColumn  *column = &table->columns[k];

		column->isnull[group] = isnull[k];
		column->values[group] = isnull[k] ? (Datum) 0 :
			datumCopy(values[k], column->is_byval, column->length);
	}
	MemoryContextSwitchTo(oldcontext);
	return group;
}

/* The group of a row, or NO_GROUP. */
static uint32
find_row(GroupTable *table, uint64 hash, const Datum *values,
		 const bool *isnull, bool may_grow)
{
	uint32		s = hash & (table->nslots - 1);

	while (table->slots[s] != NO_GROUP)
	{
		uint32		group = table->slots[s];

		if (table->group_hashes[group] == hash &&
			group_matches(table, group, values, isnull))
			return group;
		s = (s + 1) & (table->nslots - 1);
	}
	if (!may_grow)
		return NO_GROUP;
	table->slots[s] = add_group(table, hash, values, isnull);
	if (table->ngroups == table->capacity)
		grow(table);
	return table->ngroups - 1;
}

void
group_table_find(GroupTable *table, const Vector *const *keys,
				 const uint64 *mask, bool may_grow, uint32 *groups,
				 uint64 *rejected, uint64 *hashes)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(table->scratch);
	Datum	   *values = palloc(sizeof(Datum) * (table->nkeys + 1));
	bool	   *isnull = palloc(sizeof(bool) * (table->nkeys + 1));

	if (!may_grow)
		memset(rejected, 0, sizeof(uint64) * VECTOR_WORDS);
	VECTOR_FOR_EACH(slot, mask)
	{
		uint64		hash = 0;

		for (int k = 0; k < table->nkeys; k++)
		{
			KeyColumn  *column = &table->columns[k];

			isnull[k] = vector_is_null(keys[k], slot);
			values[k] = isnull[k] ? (Datum) 0 :
				row_datum(keys[k], slot, column->key.type);
			hash = hash_combine_uint64(hash, isnull[k] ? HASH_OF_NULL :
									   hash_datum(column, values[k]));
		}
		groups[slot] = find_row(table, hash, values, isnull, may_grow);
		if (groups[slot] == NO_GROUP)
		{
			vector_set_bit(rejected, slot);
			hashes[slot] = hash;
		}
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(table->scratch);
}

uint32
group_table_count(const GroupTable *table)
{
	return table->ngroups;
}

Size
group_table_memory(const GroupTable *table)
{
	return MemoryContextMemAllocated(table->context, true);
}

Datum
group_table_key(GroupTable *table, uint32 group, int key, bool *isnull)
{
	Assert(group < table->ngroups);
	*isnull = table->columns[key].isnull[group];
	return table->columns[key].values[group];
}

void
group_table_reset(GroupTable *table)
{
	MemoryContextReset(table->context);
	make_room(table);
}
