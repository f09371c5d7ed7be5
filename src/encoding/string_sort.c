/*
 * string_sort.c
 *		Sorts distinct strings by memcmp, shorter first.
 *
 * Multikey quicksort (Bentley and Sedgewick, 1997), eight bytes at a time:
 * strings are split in three by eight of their bytes, kept beside them as an
 * integer, and those that are equal there go on with the next eight.
 */
#include "encoding/base.h"

#include "encoding/dictionary.h"
#include "encoding/zone_map.h"

#define PREFIX_LENGTH 8

/* So few are sorted by insertion. */
#define SMALL_SORT 12

/* The eight bytes from depth on; zeros behind the end. */
static uint64_t
prefix_at(StringRef string, uint32_t depth)
{
	StringRef	rest = {string.data + depth, string.length - depth};

	return string.length <= depth ? 0 : string_prefix(rest);
}

/* Of two strings that are equal below depth: does a come before b? */
static inline bool
entry_less(const DictionaryEntry *a, const DictionaryEntry *b, uint32_t depth)
{
	StringRef	rest_a;
	StringRef	rest_b;

	if (a->prefix != b->prefix)
		return a->prefix < b->prefix;
	if (a->string.length <= depth || b->string.length <= depth)
		return a->string.length < b->string.length;
	rest_a.data = a->string.data + depth;
	rest_a.length = a->string.length - depth;
	rest_b.data = b->string.data + depth;
	rest_b.length = b->string.length - depth;
	return string_compare(rest_a, rest_b) < 0;
}

static void
sort_small(DictionaryEntry *entries, uint32_t nentries, uint32_t depth)
{
	for (uint32_t i = 1; i < nentries; i++)
	{
		DictionaryEntry entry = entries[i];
		uint32_t	place = i;

		for (; place > 0 && entry_less(&entry, &entries[place - 1], depth);
			 place--)
			entries[place] = entries[place - 1];
		entries[place] = entry;
	}
}

static uint64_t
middle_of(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		return b < c ? b : (a < c ? c : a);
	return a < c ? a : (b < c ? c : b);
}

/* A middle prefix, by nine of them. */
static uint64_t
choose_pivot(const DictionaryEntry *entries, uint32_t nentries)
{
	uint32_t	step = nentries / 9;
	uint64_t	middle[3];

	for (uint32_t i = 0; i < 3; i++)
		middle[i] = middle_of(entries[3 * i * step].prefix,
							  entries[(3 * i + 1) * step].prefix,
							  entries[(3 * i + 2) * step].prefix);
	return middle_of(middle[0], middle[1], middle[2]);
}

static inline void
swap_entries(DictionaryEntry *a, DictionaryEntry *b)
{
	DictionaryEntry entry = *a;

	*a = *b;
	*b = entry;
}

/*
 * Split by a pivot: entries below it, those that have it, from *first on, and
 * those above it, from *last on.
 */
static void
split_entries(DictionaryEntry *entries, uint32_t nentries, uint32_t *first,
			  uint32_t *last)
{
	uint64_t	pivot = choose_pivot(entries, nentries);
	uint32_t	below = 0;
	uint32_t	above = nentries;

	for (uint32_t i = 0; i < above;)
	{
		if (entries[i].prefix < pivot)
			swap_entries(&entries[below++], &entries[i++]);
		else if (entries[i].prefix > pivot)
			swap_entries(&entries[i], &entries[--above]);
		else
			i++;
	}
	*first = below;
	*last = above;
}

/* Go on with strings that are equal up to depth; false if all have ended. */
static bool
advance_entries(DictionaryEntry *entries, uint32_t nentries, uint32_t depth)
{
	bool		is_longer = false;

	for (uint32_t i = 0; i < nentries; i++)
	{
		entries[i].prefix = prefix_at(entries[i].string, depth);
		is_longer |= entries[i].string.length > depth;
	}
	return is_longer;
}

static void sort_equal(DictionaryEntry *entries, uint32_t nentries,
					   uint32_t depth);

/*
 * The largest part goes on in the loop, so that the stack holds as many calls
 * as the number of entries can be halved.
 */
static void
sort_from(DictionaryEntry *entries, uint32_t nentries, uint32_t depth)
{
	while (nentries > SMALL_SORT)
	{
		uint32_t	first;
		uint32_t	last;
		uint32_t	nequal;

		split_entries(entries, nentries, &first, &last);
		nequal = last - first;
		if (nequal >= first && nequal >= nentries - last)
		{
			sort_from(entries, first, depth);
			sort_from(entries + last, nentries - last, depth);
			entries += first;
			nentries = nequal;
			depth += PREFIX_LENGTH;
			ENCODING_CHECK_INTERRUPTS();
			if (!advance_entries(entries, nentries, depth))
				break;			/* they differ in their zeros' number */
			continue;
		}
		sort_equal(entries + first, nequal, depth + PREFIX_LENGTH);
		if (first >= nentries - last)
		{
			sort_from(entries + last, nentries - last, depth);
			nentries = first;
		}
		else
		{
			sort_from(entries, first, depth);
			entries += last;
			nentries -= last;
		}
	}
	sort_small(entries, nentries, depth);
}

/* Entries that are equal up to depth. */
static void
sort_equal(DictionaryEntry *entries, uint32_t nentries, uint32_t depth)
{
	if (nentries < 2)
		return;
	if (advance_entries(entries, nentries, depth))
		sort_from(entries, nentries, depth);
	else
		sort_small(entries, nentries, depth);
}

void
string_sort(DictionaryEntry *entries, uint32_t nentries)
{
	sort_from(entries, nentries, 0);
}
