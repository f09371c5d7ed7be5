/*
 * string_set.c
 *		Distinct strings, numbered from 0 in the order in which they came.
 *
 * An open hash table with linear probing.  A slot has 32 bits of the hash and
 * a pointer to the bytes, so that a string that is there costs two cache lines
 * of memory and one that is not costs one.  Both are asked for ahead when the
 * table is larger than the caches near the processor.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/string_set.h"
#include "exec/value_hash.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define MIN_SLOTS_LOG2	8
#define MIN_SLOTS		(1 << MIN_SLOTS_LOG2)
#define MIN_ARENA		8192
#define MAX_ARENA		(1024 * 1024)

/* Slots that are moved before one looks for interrupts. */
#define INTERRUPT_SLOTS	65536

/* Strings that are looked up together. */
#define LOOKUP_STRINGS	64

/* Tables of this many slots are prefetched. */
#define PREFETCH_SLOTS	4096

typedef struct StringSlot
{
	char	   *string;			/* a varlena, or NULL: free */
	uint32		tag;			/* upper half of the hash */
	uint32		id;
} StringSlot;

struct StringSet
{
	uint32		nstrings;
	uint32		nfilled;		/* slots */
	int			nslots_log2;
	uint32		nslots;			/* 2^nslots_log2 */
	StringSlot *slots;
	uint32		capacity;
	char	  **strings;		/* by number */
	char	   *arena;			/* free room for strings */
	Size		arena_left;
	Size		arena_length;	/* of the next arena */
	MemoryContext context;
};

static void
make_room(StringSet *set)
{
	set->nstrings = 0;
	set->nfilled = 0;
	set->nslots_log2 = MIN_SLOTS_LOG2;
	set->nslots = MIN_SLOTS;
	set->slots = MemoryContextAllocZero(set->context,
										sizeof(StringSlot) * set->nslots);
	set->capacity = MIN_SLOTS;
	set->strings = MemoryContextAlloc(set->context,
									  sizeof(char *) * set->capacity);
	set->arena = NULL;
	set->arena_left = 0;
	set->arena_length = MIN_ARENA;
}

StringSet *
string_set_create(void)
{
	StringSet  *set = palloc0(sizeof(StringSet));

	set->context = AllocSetContextCreate(CurrentMemoryContext,
										 "columnar strings",
										 ALLOCSET_DEFAULT_SIZES);
	make_room(set);
	return set;
}

/*
 * The home of a hash.  It is in the tag's top bits, so that a table is doubled
 * without a look at the strings, going through both tables from the front.
 */
static inline uint32
home_slot(const StringSet *set, uint32 tag)
{
	return tag >> (32 - set->nslots_log2);
}

/* Twice as many slots. */
static void
grow_slots(StringSet *set)
{
	StringSlot *old = set->slots;
	uint32		nold = set->nslots;

	if (nold > PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct strings")));
	set->slots = MemoryContextAllocExtended(set->context,
											sizeof(StringSlot) * nold * 2,
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	set->nslots = nold * 2;
	set->nslots_log2++;
	for (uint32 i = 0; i < nold; i++)
	{
		uint32		s;

		if (i % INTERRUPT_SLOTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (old[i].string == NULL)
			continue;
		s = home_slot(set, old[i].tag);
		while (set->slots[s].string)
			s = (s + 1) & (set->nslots - 1);
		set->slots[s] = old[i];
	}
	pfree(old);
}

static char *
store_string(StringSet *set, const StringRef *string)
{
	Size		length = INTALIGN(VARHDRSZ + (Size) string->length);
	char	   *stored;

	if (length > MIN_ARENA / 4)
		stored = MemoryContextAllocHuge(set->context, length);
	else
	{
		if (length > set->arena_left)
		{
			set->arena = MemoryContextAlloc(set->context, set->arena_length);
			set->arena_left = set->arena_length;
			set->arena_length = Min(set->arena_length * 2, MAX_ARENA);
		}
		stored = set->arena;
		set->arena += length;
		set->arena_left -= length;
	}
	SET_VARSIZE(stored, VARHDRSZ + string->length);
	memcpy(VARDATA(stored), string->data, string->length);
	return stored;
}

/* Give a string the next number. */
static uint32
number_string(StringSet *set, char *string)
{
	if (set->nstrings == set->capacity)
	{
		set->capacity *= 2;
		set->strings = repalloc_huge(set->strings,
									 sizeof(char *) * set->capacity);
	}
	set->strings[set->nstrings] = string;
	return set->nstrings++;
}

static pg_noinline uint32
add_string(StringSet *set, StringSlot *slot, const StringRef *string,
		   uint32 tag)
{
	slot->string = store_string(set, string);
	slot->tag = tag;
	slot->id = number_string(set, slot->string);
	set->nfilled++;
	return slot->id;
}

/* Are the bytes equal?  Most strings are too short for a call. */
static inline bool
bytes_equal(const char *a, const uint8 *b, uint32 length)
{
	const uint8 *c = (const uint8 *) a;

	if (length >= 8 && length <= 32)
	{
		uint64		difference = (hash_load(c + length - 8, 8) ^
								  hash_load(b + length - 8, 8));

		for (uint32 i = 0; i + 8 < length; i += 8)
			difference |= hash_load(c + i, 8) ^ hash_load(b + i, 8);
		return difference == 0;
	}
	return memcmp(a, b, length) == 0;
}

static inline bool
slot_has(const StringSlot *slot, const StringRef *string, uint32 tag)
{
	return slot->tag == tag &&
		VARSIZE(slot->string) == VARHDRSZ + string->length &&
		bytes_equal(VARDATA(slot->string), string->data, string->length);
}

static inline uint32
find_string(StringSet *set, const StringRef *string, uint32 tag,
			bool may_grow)
{
	uint32		s = home_slot(set, tag);

	for (; set->slots[s].string; s = (s + 1) & (set->nslots - 1))
	{
		if (slot_has(&set->slots[s], string, tag))
			return set->slots[s].id;
	}
	return may_grow ? add_string(set, &set->slots[s], string, tag) :
		NO_STRING;
}

/* Up to LOOKUP_STRINGS strings. */
static void
find_some(StringSet *set, const StringRef *strings, const uint16 *rows, int n,
		  bool may_grow, uint32 *ids)
{
	uint32		tags[LOOKUP_STRINGS];
	bool		is_large = set->nslots >= PREFETCH_SLOTS;

	/* Below five eighths full, also with all that may come. */
	while (may_grow && (uint64) (set->nfilled + n) * 8 > (uint64) set->nslots * 5)
		grow_slots(set);

	for (int i = 0; i < n; i++)
	{
		const StringRef *string = &strings[rows ? rows[i] : i];

		tags[i] = hash_bytes_uint64(string->data, string->length) >> 32;
		if (is_large)
			hash_prefetch(&set->slots[home_slot(set, tags[i])]);
	}
	if (is_large)
	{
		for (int i = 0; i < n; i++)
		{
			const StringSlot *slot = &set->slots[home_slot(set, tags[i])];

			if (slot->tag == tags[i])
				hash_prefetch(slot->string);
		}
	}
	for (int i = 0; i < n; i++)
		ids[i] = find_string(set, &strings[rows ? rows[i] : i], tags[i],
							 may_grow);
}

void
string_set_find(StringSet *set, const StringRef *strings, const uint16 *rows,
				int n, bool may_grow, uint32 *ids)
{
	for (int i = 0; i < n; i += LOOKUP_STRINGS)
		find_some(set, rows ? strings : strings + i, rows ? rows + i : NULL,
				  Min(n - i, LOOKUP_STRINGS), may_grow, ids + i);
}

uint32
string_set_add_other(StringSet *set)
{
	StringRef	empty = {(const uint8 *) "", 0};

	return number_string(set, store_string(set, &empty));
}

uint32
string_set_count(const StringSet *set)
{
	return set->nstrings;
}

struct varlena *
string_set_varlena(const StringSet *set, uint32 id)
{
	Assert(id < set->nstrings);
	return (struct varlena *) set->strings[id];
}

Size
string_set_memory(const StringSet *set)
{
	return MemoryContextMemAllocated(set->context, true);
}

void
string_set_reset(StringSet *set)
{
	MemoryContextReset(set->context);
	make_room(set);
}
