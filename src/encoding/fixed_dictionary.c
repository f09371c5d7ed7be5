/*
 * fixed_dictionary.c
 *		Distinct values of fixed width: their estimated number, and exactly.
 *
 * The estimate costs about a nanosecond per value and is made for every chunk;
 * only where it is small are the entries collected.
 */
#include "encoding/base.h"

#include <math.h>
#include <stdlib.h>

#include "encoding/dictionary.h"
#include "encoding/int_vector.h"

/* Bits of the counter: twice as many as rows, so that few collide. */
#define COUNTER_LOG2 17
#define COUNTER_BITS (UINT32_C(1) << COUNTER_LOG2)

/* Slots of the hash table: four for each entry. */
#define TABLE_LOG2 14
#define TABLE_SIZE (UINT32_C(1) << TABLE_LOG2)

static inline uint64_t
hash_value(int64_t value)
{
	uint64_t	hash = (uint64_t) value * UINT64_C(0x9E3779B97F4A7C15);

	hash ^= hash >> 32;
	return hash * UINT64_C(0xD6E8FEB86659FD93);
}

void
distinct_counter_init(DistinctCounter *counter, const Allocator *allocator)
{
	counter->nvalues = 0;
	counter->bitmap = allocator->alloc(allocator->context, COUNTER_BITS / 8);
	memset(counter->bitmap, 0, COUNTER_BITS / 8);
}

void
distinct_counter_add(DistinctCounter *counter, const int64_t *values,
					 uint32_t nvalues)
{
	for (uint32_t i = 0; i < nvalues; i++)
		bitmap_set(counter->bitmap,
				   (uint32_t) (hash_value(values[i]) >> (64 - COUNTER_LOG2)));
	counter->nvalues += nvalues;
}

/* Linear counting (Whang and others, 1990). */
uint32_t
distinct_counter_estimate(const DistinctCounter *counter)
{
	uint32_t	nset = 0;
	double		estimate;

	for (uint32_t i = 0; i < COUNTER_BITS / 64; i++)
		nset += (uint32_t) __builtin_popcountll(counter->bitmap[i]);
	estimate = -(double) COUNTER_BITS * log(1.0 - (double) nset / COUNTER_BITS);
	return estimate < counter->nvalues ? (uint32_t) (estimate + 0.5) : counter->nvalues;
}

void
distinct_counter_free(DistinctCounter *counter, const Allocator *allocator)
{
	allocator_release(allocator, counter->bitmap);
	counter->bitmap = NULL;
}

void
fixed_dictionary_init(FixedDictionary *dictionary, const Allocator *allocator)
{
	dictionary->nentries = 0;
	dictionary->entries = allocator_array(allocator,
										  FIXED_DICTIONARY_MAX_ENTRIES,
										  sizeof(int64_t));
	dictionary->slots = allocator_array(allocator, TABLE_SIZE,
										sizeof(uint32_t));
	memset(dictionary->slots, 0, TABLE_SIZE * sizeof(uint32_t));
}

/* The slot where value is, or would go. */
static uint32_t *
find_slot(const FixedDictionary *dictionary, int64_t value)
{
	uint32_t	slot = (uint32_t) (hash_value(value) >> (64 - TABLE_LOG2));

	while (dictionary->slots[slot] != 0 &&
		   dictionary->entries[dictionary->slots[slot] - 1] != value)
		slot = (slot + 1) % TABLE_SIZE;
	return &dictionary->slots[slot];
}

bool
fixed_dictionary_add(FixedDictionary *dictionary, const int64_t *values,
					 uint32_t nvalues)
{
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t   *slot = find_slot(dictionary, values[i]);

		if (*slot != 0)
			continue;
		if (dictionary->nentries == FIXED_DICTIONARY_MAX_ENTRIES)
			return false;
		dictionary->entries[dictionary->nentries++] = values[i];
		*slot = dictionary->nentries;
	}
	return true;
}

static int
compare_values(const void *a, const void *b)
{
	int64_t		left = *(const int64_t *) a;
	int64_t		right = *(const int64_t *) b;

	return left < right ? -1 : left > right;
}

void
fixed_dictionary_sort(FixedDictionary *dictionary)
{
	qsort(dictionary->entries, dictionary->nentries, sizeof(int64_t),
		  compare_values);
	memset(dictionary->slots, 0, TABLE_SIZE * sizeof(uint32_t));
	for (uint32_t i = 0; i < dictionary->nentries; i++)
		*find_slot(dictionary, dictionary->entries[i]) = i + 1;
}

void
fixed_dictionary_codes(const FixedDictionary *dictionary,
					   const int64_t *values, uint32_t nvalues, int64_t *codes)
{
	for (uint32_t i = 0; i < nvalues; i++)
		codes[i] = (int64_t) *find_slot(dictionary, values[i]) - 1;
}

void
fixed_dictionary_free(FixedDictionary *dictionary, const Allocator *allocator)
{
	allocator_release(allocator, dictionary->entries);
	allocator_release(allocator, dictionary->slots);
}
