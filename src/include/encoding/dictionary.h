/*
 * dictionary.h
 *		Finding the distinct values of a chunk.
 */
#ifndef ENCODING_DICTIONARY_H
#define ENCODING_DICTIONARY_H

#include "encoding/chunk.h"

/* Codes have 16 bits. */
#define DICTIONARY_MAX_ENTRIES 65536

/* Entries that a dictionary of fixed-width values may have. */
#define FIXED_DICTIONARY_MAX_ENTRIES 4096

/* Distinct strings of a chunk, sorted by memcmp, and each row's code. */
typedef struct StringDictionary
{
	uint32_t	nentries;
	StringRef  *entries;
	uint16_t   *codes;			/* one per row; of a NULL undefined */
} StringDictionary;

/* An entry while it is collected. */
typedef struct DictionaryEntry
{
	StringRef	string;
	uint64_t	prefix;			/* string_prefix, or of what sorting is at */
	uint32_t	hash;
	uint32_t	number;			/* in order of arrival */
} DictionaryEntry;

/* Sort entries with prefixes; leaves others. */
extern void string_sort(DictionaryEntry *entries, uint32_t nentries);

/*
 * Find the distinct strings, with their prefixes.  Returns false if there are too many to be worth
 * it, with *ndistinct an estimate of how many; true with it exact.
 */
extern bool string_dictionary_build(StringDictionary *dictionary,
									const StringRef *strings,
									const uint64_t *prefixes,
									uint32_t nvalues, const uint8_t *nulls,
									const Allocator *allocator,
									uint32_t *ndistinct);
extern void string_dictionary_free(StringDictionary *dictionary,
								   const Allocator *allocator);

/*
 * The same for values of fixed width, sorted as signed integers.  Where they
 * are near to each other, each possible value has a place of its own.
 */
typedef struct FixedDictionary
{
	uint32_t	nentries;
	int64_t    *entries;
	uint32_t   *slots;			/* hash table of entry numbers plus one */
	uint16_t   *places;			/* or codes by value less base */
	int64_t		base;
} FixedDictionary;

/* Distance of values that have a place each. */
#define FIXED_DICTIONARY_MAX_SPAN 65536

/* An estimate of distinct values in an array, by a bitmap of their hashes. */
typedef struct DistinctCounter
{
	uint64_t   *bitmap;
	uint32_t	nvalues;
} DistinctCounter;

extern void distinct_counter_init(DistinctCounter *counter,
								  const Allocator *allocator);
extern void distinct_counter_add(DistinctCounter *counter,
								 const int64_t *values, uint32_t nvalues);
extern uint32_t distinct_counter_estimate(const DistinctCounter *counter);
extern void distinct_counter_free(DistinctCounter *counter,
								  const Allocator *allocator);

/*
 * Collect the values, none of which is below base or more than span above it.
 * Returns false if there are more than may be; the dictionary is then good for
 * being freed only.
 */
extern bool fixed_dictionary_build(FixedDictionary *dictionary,
								   const int64_t *values, uint32_t nvalues,
								   int64_t base, uint64_t span,
								   const Allocator *allocator);
extern void fixed_dictionary_codes(const FixedDictionary *dictionary,
								   const int64_t *values, uint32_t nvalues,
								   int64_t *codes);
extern void fixed_dictionary_free(FixedDictionary *dictionary,
								  const Allocator *allocator);

#endif							/* ENCODING_DICTIONARY_H */
