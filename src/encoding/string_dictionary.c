/*
 * string_dictionary.c
 *		Distinct strings of a chunk, sorted, and a code for each row.
 *
 * One pass through a hash table, given up as soon as nearly every string turns
 * out to be new.  Entries are sorted by memcmp: codes then compare as strings
 * do in that order, and neighbours share prefixes, which block codecs like.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/dictionary.h"
#include "encoding/zone_map.h"

/* Rows to see before giving up, and the part of them that is new then. */
#define PATIENCE_ROWS 4096
#define HOPELESS_FRACTION 0.9

/* Slots of the hash table at first; half of them may be in use. */
#define INITIAL_SLOTS 1024
#define SLOTS_GROWTH 4

typedef struct EntryTable
{
	const Allocator *allocator;
	DictionaryEntry *entries;	/* room for half as many as there are slots */
	uint32_t	nentries;
	uint32_t   *slots;			/* entry number plus one; 0 is free */
	uint32_t	nslots;			/* a power of two */
} EntryTable;

static inline uint64_t
hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
	return hash ^ hash >> 32;
}

/* Equal strings have equal prefixes; the last word may overlap another one. */
static inline uint32_t
hash_string(StringRef string, uint64_t prefix)
{
	uint64_t	hash = hash_mix(string.length * UINT64_C(0x9E3779B97F4A7C15),
								prefix);

	if (string.length > 8)
	{
		for (uint32_t i = 8; i + 8 < string.length; i += 8)
			hash = hash_mix(hash, load_le64(string.data + i));
		hash = hash_mix(hash, load_le64(string.data + string.length - 8));
	}
	return (uint32_t) hash;
}

static inline bool
entry_equals(const DictionaryEntry *entry, StringRef string, uint64_t prefix)
{
	return entry->prefix == prefix && entry->string.length == string.length &&
		(string.length <= 8 ||
		 memcmp(entry->string.data + 8, string.data + 8,
				string.length - 8) == 0);
}

static void
table_init(EntryTable *table, const Allocator *allocator)
{
	table->allocator = allocator;
	table->nentries = 0;
	table->nslots = INITIAL_SLOTS;
	table->entries = allocator_array(allocator, INITIAL_SLOTS / 2,
									 sizeof(DictionaryEntry));
	table->slots = allocator_array(allocator, INITIAL_SLOTS, sizeof(uint32_t));
	memset(table->slots, 0, INITIAL_SLOTS * sizeof(uint32_t));
}

static void
table_free(EntryTable *table)
{
	allocator_release(table->allocator, table->entries);
	allocator_release(table->allocator, table->slots);
}

static void
table_grow(EntryTable *table)
{
	const Allocator *allocator = table->allocator;
	uint32_t	nslots = table->nslots * SLOTS_GROWTH;

	allocator_release(allocator, table->slots);
	table->slots = allocator_array(allocator, nslots, sizeof(uint32_t));
	memset(table->slots, 0, nslots * sizeof(uint32_t));
	table->nslots = nslots;
	table->entries = allocator->realloc(allocator->context, table->entries,
										nslots / 2 * sizeof(DictionaryEntry));
	for (uint32_t i = 0; i < table->nentries; i++)
	{
		uint32_t	slot = table->entries[i].hash & (nslots - 1);

		while (table->slots[slot] != 0)
			slot = (slot + 1) & (nslots - 1);
		table->slots[slot] = i + 1;
	}
}

/* Find the string, adding it if it is new; returns its number of arrival. */
static inline uint32_t
table_lookup(EntryTable *table, StringRef string, uint64_t prefix)
{
	uint32_t	hash = hash_string(string, prefix);
	uint32_t	mask = table->nslots - 1;
	uint32_t	slot = hash & mask;
	DictionaryEntry *entry;

	for (; table->slots[slot] != 0; slot = (slot + 1) & mask)
	{
		uint32_t	number = table->slots[slot] - 1;

		if (entry_equals(&table->entries[number], string, prefix))
			return number;
	}
	entry = &table->entries[table->nentries];
	entry->string = string;
	entry->prefix = prefix;
	entry->hash = hash;
	entry->number = table->nentries++;
	table->slots[slot] = table->nentries;
	if (table->nentries == table->nslots / 2)
		table_grow(table);
	return table->nentries - 1;
}

/*
 * Number the strings in order of arrival, into codes.  Returns how many rows
 * were seen: fewer than nvalues if it is hopeless.
 */
static uint32_t
collect_entries(EntryTable *table, const StringRef *strings,
				const uint64_t *prefixes, uint32_t nvalues,
				const uint8_t *nulls, uint16_t *codes, uint32_t *nseen)
{
	*nseen = 0;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (i % VECTOR_LENGTH == 0)
		{
			ENCODING_CHECK_INTERRUPTS();
			if (*nseen >= PATIENCE_ROWS &&
				table->nentries > HOPELESS_FRACTION * *nseen)
				return i;
		}
		codes[i] = 0;
		if (nulls != NULL && (nulls[i / 8] >> (i % 8) & 1))
			continue;
		codes[i] = (uint16_t) table_lookup(table, strings[i], prefixes[i]);
		(*nseen)++;
	}
	return nvalues;
}

/* Sort entries, and turn numbers of arrival into codes. */
static void
sort_entries(EntryTable *table, StringDictionary *dictionary, uint32_t nvalues,
			 const Allocator *allocator)
{
	uint32_t	nentries = table->nentries;
	uint16_t   *ranks = allocator_array(allocator, nentries, sizeof(uint16_t));

	string_sort(table->entries, nentries);
	dictionary->nentries = nentries;
	dictionary->entries = allocator_array(allocator, nentries,
										  sizeof(StringRef));
	for (uint32_t i = 0; i < nentries; i++)
	{
		dictionary->entries[i] = table->entries[i].string;
		ranks[table->entries[i].number] = (uint16_t) i;
	}
	for (uint32_t i = 0; i < nvalues; i++)
		dictionary->codes[i] = ranks[dictionary->codes[i]];
	allocator_release(allocator, ranks);
}

bool
string_dictionary_build(StringDictionary *dictionary, const StringRef *strings,
						const uint64_t *prefixes, uint32_t nvalues,
						const uint8_t *nulls,
						const Allocator *allocator, uint32_t *ndistinct)
{
	EntryTable	table;
	uint32_t	nrows;
	uint32_t	nseen;

	table_init(&table, allocator);
	dictionary->entries = NULL;
	dictionary->codes = allocator_array(allocator, nvalues, sizeof(uint16_t));

	nrows = collect_entries(&table, strings, prefixes, nvalues, nulls,
							dictionary->codes, &nseen);
	nrows = nrows > 0 ? nrows : 1;
	*ndistinct = (uint32_t) ((uint64_t) table.nentries * nvalues / nrows);
	if (nrows == nvalues && table.nentries > 0)
		sort_entries(&table, dictionary, nvalues, allocator);
	else
		string_dictionary_free(dictionary, allocator);
	table_free(&table);
	return dictionary->entries != NULL;
}

void
string_dictionary_free(StringDictionary *dictionary,
					   const Allocator *allocator)
{
	if (dictionary->entries != NULL)
		allocator_release(allocator, dictionary->entries);
	if (dictionary->codes != NULL)
		allocator_release(allocator, dictionary->codes);
	dictionary->entries = NULL;
	dictionary->codes = NULL;
}
