/*
 * string_dictionary.c
 *		Distinct strings of a chunk, sorted, and a code for each row.
 *
 * One pass through a hash table, given up as soon as nearly every string turns
 * out to be new.  Entries are sorted by memcmp: codes then compare as strings
 * do in that order, and neighbours share prefixes, which block codecs like.
 */
#include "encoding/base.h"

#include <stdlib.h>

#include "encoding/dictionary.h"
#include "encoding/zone_map.h"

/* Rows to see before giving up, and the part of them that is new then. */
#define PATIENCE_ROWS 4096
#define HOPELESS_FRACTION 0.9

/* An entry while it is collected. */
typedef struct Entry
{
	StringRef	string;
	uint64_t	prefix;			/* first 8 bytes, comparable as an integer */
	uint32_t	hash;
	uint32_t	number;			/* in order of arrival */
} Entry;

typedef struct EntryTable
{
	Entry	   *entries;
	uint32_t	nentries;
	uint32_t   *slots;			/* entry number plus one; 0 is free */
	uint32_t	mask;
} EntryTable;

static uint64_t
hash_string(StringRef string)
{
	uint64_t	hash = string.length * UINT64_C(0x9E3779B97F4A7C15);
	uint64_t	word;
	uint32_t	i = 0;

	for (; i + 8 <= string.length; i += 8)
	{
		memcpy(&word, string.data + i, 8);
		hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
		hash ^= hash >> 32;
	}
	word = 0;
	if (i < string.length)
		memcpy(&word, string.data + i, string.length - i);
	hash = (hash ^ word) * UINT64_C(0xD6E8FEB86659FD93);
	return hash ^ hash >> 32;
}

/* Find the string, adding it if it is new; returns its number of arrival. */
static uint32_t
table_lookup(EntryTable *table, StringRef string)
{
	uint32_t	hash = (uint32_t) hash_string(string);
	uint32_t	slot = hash & table->mask;
	Entry	   *entry;

	for (; table->slots[slot] != 0; slot = (slot + 1) & table->mask)
	{
		entry = &table->entries[table->slots[slot] - 1];
		if (entry->hash == hash && entry->string.length == string.length &&
			(string.length == 0 ||
			 memcmp(entry->string.data, string.data, string.length) == 0))
			return entry->number;
	}
	entry = &table->entries[table->nentries];
	entry->string = string;
	entry->prefix = string_prefix(string);
	entry->hash = hash;
	entry->number = table->nentries++;
	table->slots[slot] = table->nentries;
	return entry->number;
}

static int
compare_entries(const void *a, const void *b)
{
	const Entry *left = a;
	const Entry *right = b;

	if (left->prefix != right->prefix)
		return left->prefix < right->prefix ? -1 : 1;
	return string_compare(left->string, right->string);
}

/*
 * Number the strings in order of arrival, into codes.  Returns how many rows
 * were seen: fewer than nvalues if it is hopeless.
 */
static uint32_t
collect_entries(EntryTable *table, const StringRef *strings, uint32_t nvalues,
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
		codes[i] = (uint16_t) table_lookup(table, strings[i]);
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

	qsort(table->entries, nentries, sizeof(Entry), compare_entries);
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
						uint32_t nvalues, const uint8_t *nulls,
						const Allocator *allocator, uint32_t *ndistinct)
{
	EntryTable	table;
	uint32_t	nslots = 64;
	uint32_t	nrows;
	uint32_t	nseen;

	while (nslots < 2 * nvalues)
		nslots *= 2;
	table.mask = nslots - 1;
	table.nentries = 0;
	table.entries = allocator_array(allocator, nvalues, sizeof(Entry));
	table.slots = allocator_array(allocator, nslots, sizeof(uint32_t));
	memset(table.slots, 0, nslots * sizeof(uint32_t));
	dictionary->entries = NULL;
	dictionary->codes = allocator_array(allocator, nvalues, sizeof(uint16_t));

	nrows = collect_entries(&table, strings, nvalues, nulls, dictionary->codes,
							&nseen);
	nrows = nrows > 0 ? nrows : 1;
	*ndistinct = (uint32_t) ((uint64_t) table.nentries * nvalues / nrows);
	if (nrows == nvalues && table.nentries > 0)
		sort_entries(&table, dictionary, nvalues, allocator);
	else
		string_dictionary_free(dictionary, allocator);
	allocator_release(allocator, table.entries);
	allocator_release(allocator, table.slots);
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
