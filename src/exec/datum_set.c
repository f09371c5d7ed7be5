/*
 * datum_set.c
 *		Distinct values of any hashable type, numbered from 0 in the order in
 *		which they came.
 *
 * The way for types whose equality is not that of bytes: it calls the operator
 * class's functions for each value, as core does.
 */
#include "postgres.h"

#include "access/hash.h"
#include "compat.h"
#include "exec/datum_set.h"
#include "exec/value_hash.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define MIN_SLOTS	256

struct DatumSet
{
	int16		length;
	bool		is_byval;
	Oid			collation;
	FmgrInfo	equal;
	FmgrInfo	hash;
	bool		hash_is_extended;

	uint32		nvalues;
	uint32		other;			/* what is no value, or NO_DATUM */
	uint32		capacity;
	Datum	   *values;			/* by number */
	uint64	   *hashes;
	uint32		nslots;			/* a power of two */
	uint32	   *slots;			/* number or NO_DATUM */
	MemoryContext context;
};

/* The hash that goes with the operator, of 64 bits where there is one. */
static void
set_functions(DatumSet *set, Oid type, Oid equality)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR |
											  TYPECACHE_HASH_EXTENDED_PROC);
	Oid			left;
	Oid			right;

	fmgr_info(get_opcode(equality), &set->equal);
	set->hash_is_extended = entry->eq_opr == equality &&
		OidIsValid(entry->hash_extended_proc);
	if (set->hash_is_extended)
		fmgr_info(entry->hash_extended_proc, &set->hash);
	else if (get_op_hash_functions(equality, &left, &right))
		fmgr_info(left, &set->hash);
	else
		elog(ERROR, "could not find hash function for hash operator %u",
			 equality);
}

static void
make_room(DatumSet *set)
{
	set->nvalues = 0;
	set->other = NO_DATUM;
	set->capacity = MIN_SLOTS / 2;
	set->nslots = MIN_SLOTS;
	set->values = MemoryContextAlloc(set->context,
									 sizeof(Datum) * set->capacity);
	set->hashes = MemoryContextAlloc(set->context,
									 sizeof(uint64) * set->capacity);
	set->slots = MemoryContextAlloc(set->context,
									sizeof(uint32) * set->nslots);
	memset(set->slots, 0xff, sizeof(uint32) * set->nslots);
}

DatumSet *
datum_set_create(Oid type, Oid collation, Oid equality)
{
	DatumSet   *set = palloc0(sizeof(DatumSet));

	get_typlenbyval(type, &set->length, &set->is_byval);
	set->collation = collation;
	set_functions(set, type, equality);
	set->context = AllocSetContextCreate(CurrentMemoryContext,
										 "columnar datums",
										 ALLOCSET_DEFAULT_SIZES);
	make_room(set);
	return set;
}

uint64
datum_set_hash(DatumSet *set, Datum value)
{
	Datum		hash;

	if (set->hash_is_extended)
	{
		hash = FunctionCall2Coll(&set->hash, set->collation, value,
								 Int64GetDatum(0));
		return hash_uint64(DatumGetUInt64(hash));
	}
	hash = FunctionCall1Coll(&set->hash, set->collation, value);
	return hash_uint64(DatumGetUInt32(hash));
}

/* Twice as much room for values, and slots. */
static void
grow(DatumSet *set)
{
	if (set->nslots > PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct values")));
	set->capacity *= 2;
	set->nslots *= 2;
	set->values = repalloc_huge(set->values, sizeof(Datum) * set->capacity);
	set->hashes = repalloc_huge(set->hashes, sizeof(uint64) * set->capacity);
	set->slots = repalloc_huge(set->slots, sizeof(uint32) * set->nslots);
	memset(set->slots, 0xff, sizeof(uint32) * set->nslots);
	for (uint32 id = 0; id < set->nvalues; id++)
	{
		uint32		s = set->hashes[id] & (set->nslots - 1);

		if (id == set->other)
			continue;
		while (set->slots[s] != NO_DATUM)
			s = (s + 1) & (set->nslots - 1);
		set->slots[s] = id;
	}
}

static uint32
number_value(DatumSet *set, Datum value, uint64 hash)
{
	set->values[set->nvalues] = value;
	set->hashes[set->nvalues] = hash;
	return set->nvalues++;
}

static Datum
copy_value(DatumSet *set, Datum value)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(set->context);

	value = datumCopy(value, set->is_byval, set->length);
	MemoryContextSwitchTo(oldcontext);
	return value;
}

uint32
datum_set_find(DatumSet *set, Datum value, bool may_grow)
{
	uint64		hash = datum_set_hash(set, value);
	uint32		s;

	if (set->nvalues == set->capacity)
		grow(set);
	for (s = hash & (set->nslots - 1); set->slots[s] != NO_DATUM;
		 s = (s + 1) & (set->nslots - 1))
	{
		uint32		id = set->slots[s];

		if (set->hashes[id] == hash &&
			DatumGetBool(FunctionCall2Coll(&set->equal, set->collation,
										   set->values[id], value)))
			return id;
	}
	if (!may_grow)
		return NO_DATUM;
	set->slots[s] = number_value(set, copy_value(set, value), hash);
	return set->slots[s];
}

uint32
datum_set_add_other(DatumSet *set)
{
	if (set->nvalues == set->capacity)
		grow(set);
	Assert(set->other == NO_DATUM);
	set->other = number_value(set, (Datum) 0, 0);
	return set->other;
}

uint32
datum_set_count(const DatumSet *set)
{
	return set->nvalues;
}

Datum
datum_set_value(const DatumSet *set, uint32 id)
{
	Assert(id < set->nvalues);
	return set->values[id];
}

Datum
datum_set_keep(DatumSet *set, uint32 id, Datum value)
{
	if (datum_image_eq(set->values[id], value, set->is_byval, set->length))
		return set->values[id];
	return copy_value(set, value);
}

Size
datum_set_memory(const DatumSet *set)
{
	return MemoryContextMemAllocated(set->context, true);
}

void
datum_set_reset(DatumSet *set)
{
	MemoryContextReset(set->context);
	make_room(set);
}
