/*
 * fixed_dictionary.c
 *		Distinct values of fixed width: their estimated number, and exactly.
 *
 * The estimate costs about a nanosecond per value and is made for every chunk;
 * only where it is small are the entries collected.
 */
#include "encoding/base.h"

#include <math.h>

#include "encoding/dictionary.h"
#include "encoding/int_vector.h"

/* Bits of the counter: twice as many as rows, so that few collide. */
#define COUNTER_LOG2 17
#define COUNTER_BITS (UINT32_C(1) << COUNTER_LOG2)

/* Slots of the hash table: four for each entry. */
#define TABLE_LOG2 14
#define TABLE_SIZE (UINT32_C(1) << TABLE_LOG2)

/* So few are sorted by insertion. */
#define SMALL_SORT 16

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

/* Add values; returns false if there are more than may be. */
static bool
collect_entries(FixedDictionary *dictionary, const int64_t *values,
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

static void
sort_small(int64_t *values, uint32_t nvalues)
{
	for (uint32_t i = 1; i < nvalues; i++)
	{
		int64_t		value = values[i];
		uint32_t	place = i;

		for (; place > 0 && value < values[place - 1]; place--)
			values[place] = values[place - 1];
		values[place] = value;
	}
}

/*
 * Quicksort of distinct values, without a call for each comparison.  The
 * smaller part is done first, so that few calls are open.
 */
static void
sort_values(int64_t *values, uint32_t nvalues)
{
	while (nvalues > SMALL_SORT)
	{
		int64_t		a = values[nvalues / 4];
		int64_t		b = values[nvalues / 2];
		int64_t		c = values[nvalues - nvalues / 4];
		int64_t		pivot = a < b ? (b < c ? b : (a < c ? c : a)) :
			(a < c ? a : (b < c ? c : b));
		uint32_t	low = 0;
		uint32_t	high = nvalues - 1;

		/* Hoare's: what is left of low is at most the pivot */
		for (;;)
		{
			while (values[low] < pivot)
				low++;
			while (values[high] > pivot)
				high--;
			if (low >= high)
				break;
			a = values[low];
			values[low++] = values[high];
			values[high--] = a;
		}
		if (low < nvalues - low)
		{
			sort_values(values, low);
			values += low;
			nvalues -= low;
		}
		else
		{
			sort_values(values + low, nvalues - low);
			nvalues = low;
		}
	}
	sort_small(values, nvalues);
}

static bool
build_by_hash(FixedDictionary *dictionary, const int64_t *values,
			  uint32_t nvalues, const Allocator *allocator)
{
	dictionary->slots = allocator_array(allocator, TABLE_SIZE,
										sizeof(uint32_t));
	memset(dictionary->slots, 0, TABLE_SIZE * sizeof(uint32_t));
	if (!collect_entries(dictionary, values, nvalues))
		return false;
	sort_values(dictionary->entries, dictionary->nentries);
	memset(dictionary->slots, 0, TABLE_SIZE * sizeof(uint32_t));
	for (uint32_t i = 0; i < dictionary->nentries; i++)
		*find_slot(dictionary, dictionary->entries[i]) = i + 1;
	return true;
}

/* Mark the values that occur, then number them. */
static bool
build_by_place(FixedDictionary *dictionary, const int64_t *values,
			   uint32_t nvalues, uint64_t span, const Allocator *allocator)
{
	uint16_t   *places = allocator_array(allocator, span + 1,
										 sizeof(uint16_t));
	uint64_t	base = (uint64_t) dictionary->base;

	dictionary->places = places;
	memset(places, 0, (span + 1) * sizeof(uint16_t));
	for (uint32_t i = 0; i < nvalues; i++)
	{
		ENCODING_ASSERT((uint64_t) values[i] - base <= span);
		places[(uint64_t) values[i] - base] = 1;
	}
	for (uint64_t place = 0; place <= span; place++)
	{
		if (places[place] == 0)
			continue;
		if (dictionary->nentries == FIXED_DICTIONARY_MAX_ENTRIES)
			return false;
		places[place] = (uint16_t) dictionary->nentries;
		dictionary->entries[dictionary->nentries++] = (int64_t) (base + place);
	}
	return true;
}

bool
fixed_dictionary_build(FixedDictionary *dictionary, const int64_t *values,
					   uint32_t nvalues, int64_t base, uint64_t span,
					   const Allocator *allocator)
{
	dictionary->nentries = 0;
	dictionary->entries = allocator_array(allocator,
										  FIXED_DICTIONARY_MAX_ENTRIES,
										  sizeof(int64_t));
	dictionary->slots = NULL;
	dictionary->places = NULL;
	dictionary->base = base;
	if (span < FIXED_DICTIONARY_MAX_SPAN)
		return build_by_place(dictionary, values, nvalues, span, allocator);
	return build_by_hash(dictionary, values, nvalues, allocator);
}

void
fixed_dictionary_codes(const FixedDictionary *dictionary,
					   const int64_t *values, uint32_t nvalues, int64_t *codes)
{
	uint64_t	base = (uint64_t) dictionary->base;

	if (dictionary->places != NULL)
		for (uint32_t i = 0; i < nvalues; i++)
			codes[i] = dictionary->places[(uint64_t) values[i] - base];
	else
		for (uint32_t i = 0; i < nvalues; i++)
			codes[i] = (int64_t) *find_slot(dictionary, values[i]) - 1;
}

void
fixed_dictionary_free(FixedDictionary *dictionary, const Allocator *allocator)
{
	allocator_release(allocator, dictionary->entries);
	allocator_release(allocator, dictionary->slots);
	allocator_release(allocator, dictionary->places);
}
