/*
 * word_set.c
 *		Distinct tuples of 64-bit words, numbered from 0 in the order in which
 *		they came.
 *
 * Three tables serve.  If few bits may be set, or few in relation to what a
 * hash table would take, the word is an index to an array of numbers.  Else the
 * table is an open one with linear probing: of words with their numbers, so
 * that a look-up costs one cache line, or for longer tuples of 32 bits of hash
 * with the number, whose words are compared in the array by number.
 *
 * The top bits of a hash say where its slot is, so that a table is doubled by
 * going through both once from the front.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/value_hash.h"
#include "exec/vector.h"
#include "exec/word_set.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Arrays of up to this many bits need no other reason. */
#define DIRECT_BITS		16
#define MAX_DIRECT_BITS	27

/* Slots for a vector of new tuples. */
#define MIN_SLOTS_LOG2	12
#define CACHED_SLOTS_LOG2	14

/* Slots that are moved before one looks for interrupts. */
#define INTERRUPT_SLOTS	65536

/* Tuples that are looked up together. */
#define LOOKUP_TUPLES	64

/* Tables of this many bytes are prefetched. */
#define PREFETCH_LENGTH	(128 * 1024)

typedef struct WordSlot
{
	uint64		word;
	uint32		id;				/* NO_WORDS: free */
	uint32		unused;
} WordSlot;

typedef struct TupleSlot
{
	uint32		tag;			/* upper half of the hash */
	uint32		id;				/* NO_WORDS: free */
} TupleSlot;

struct WordSet
{
	int			nwords;
	int			nbits;
	uint32		count;
	uint32		capacity;		/* of words, in tuples */
	uint64	   *words;			/* by number */
	bool		is_direct;
	int			nslots_log2;
	Size		nslots;			/* slots are one of: */
	uint32	   *direct;			/* number by word */
	WordSlot   *word_slots;
	TupleSlot  *tuple_slots;
	MemoryContext context;
};

WordSet *
word_set_create(int nwords, int nbits, uint32 n, uint64 **words)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar words",
												  ALLOCSET_START_SMALL_SIZES);
	WordSet    *set = MemoryContextAllocZero(context, sizeof(WordSet));

	set->context = context;
	set->nwords = nwords;
	set->nbits = nbits;
	set->count = n;
	set->capacity = Max(n, VECTOR_LENGTH);
	set->words = MemoryContextAllocHuge(context, sizeof(uint64) * nwords *
										(Size) set->capacity);
	*words = set->words;
	return set;
}

void
word_set_free(WordSet *set)
{
	MemoryContextDelete(set->context);
}

/* ---- slots ---- */

static inline uint64
hash_word(uint64 word)
{
	return hash_fold(word ^ HASH_SEED_1, HASH_SEED_2);
}

static uint64
hash_tuple(const uint64 *words, int nwords)
{
	uint64		hash = 0;

	for (int w = 0; w < nwords; w++)
		hash = hash_combine_uint64(hash, words[w]);
	return hash;
}

static inline Size
word_home(const WordSet *set, uint64 word)
{
	return hash_word(word) >> (64 - set->nslots_log2);
}

static inline Size
tag_home(const WordSet *set, uint32 tag)
{
	return tag >> (32 - set->nslots_log2);
}

static void
insert_word(WordSet *set, uint64 word, uint32 id)
{
	Size		s = word_home(set, word);

	while (set->word_slots[s].id != NO_WORDS)
		s = (s + 1) & (set->nslots - 1);
	set->word_slots[s].word = word;
	set->word_slots[s].id = id;
}

static void
insert_tag(WordSet *set, uint32 tag, uint32 id)
{
	Size		s = tag_home(set, tag);

	while (set->tuple_slots[s].id != NO_WORDS)
		s = (s + 1) & (set->nslots - 1);
	set->tuple_slots[s].tag = tag;
	set->tuple_slots[s].id = id;
}

/* Free slots, of 0xff bytes. */
static void *
alloc_slots(WordSet *set, Size length)
{
	void	   *slots = MemoryContextAllocHuge(set->context, length);

	memset(slots, 0xff, length);
	return slots;
}

static void
free_slots(WordSet *set)
{
	if (set->direct)
		pfree(set->direct);
	if (set->word_slots)
		pfree(set->word_slots);
	if (set->tuple_slots)
		pfree(set->tuple_slots);
	set->direct = NULL;
	set->word_slots = NULL;
	set->tuple_slots = NULL;
}

static void
build_direct(WordSet *set)
{
	free_slots(set);
	set->is_direct = true;
	set->direct = alloc_slots(set, sizeof(uint32) << set->nbits);
	for (uint32 id = 0; id < set->count; id++)
		set->direct[set->words[id]] = id;
}

static void
build_words(WordSet *set)
{
	WordSlot   *old = set->word_slots;
	Size		nold = old ? set->nslots / 2 : 0;

	set->word_slots = alloc_slots(set, sizeof(WordSlot) * set->nslots);
	for (Size i = 0; i < nold; i++)
	{
		if (i % INTERRUPT_SLOTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (old[i].id != NO_WORDS)
			insert_word(set, old[i].word, old[i].id);
	}
	if (old)
		pfree(old);
	else
	{
		for (uint32 id = 0; id < set->count; id++)
			insert_word(set, set->words[id], id);
	}
}

static void
build_tuples(WordSet *set)
{
	TupleSlot  *old = set->tuple_slots;
	Size		nold = old ? set->nslots / 2 : 0;

	set->tuple_slots = alloc_slots(set, sizeof(TupleSlot) * set->nslots);
	for (Size i = 0; i < nold; i++)
	{
		if (i % INTERRUPT_SLOTS == 0)
			CHECK_FOR_INTERRUPTS();
		if (old[i].id != NO_WORDS)
			insert_tag(set, old[i].tag, old[i].id);
	}
	if (old)
		pfree(old);
	else
	{
		for (uint32 id = 0; id < set->count; id++)
			insert_tag(set, hash_tuple(set->words + (Size) id * set->nwords,
									   set->nwords) >> 32, id);
	}
}

/* Is an array by word no larger than slots would be? */
static bool
direct_is_better(const WordSet *set, int nslots_log2)
{
	return set->nwords == 1 && set->nbits <= MAX_DIRECT_BITS &&
		(set->nbits <= DIRECT_BITS || set->nbits - 2 <= nslots_log2);
}

/*
 * Five eighths of the slots may be filled, of a table that lies in the
 * processor's caches anyway only a quarter: a branch that is guessed wrong is
 * dearer than the room.
 */
static inline bool
slots_suffice(uint64 count, int nslots_log2)
{
	int			eighths = nslots_log2 <= CACHED_SLOTS_LOG2 ? 2 : 5;

	return count * 8 <= ((uint64) eighths << nslots_log2);
}

/* Have slots for n more tuples. */
static void
reserve_slots(WordSet *set, int n)
{
	uint64		count = (uint64) set->count + n;
	bool		is_built = set->word_slots || set->tuple_slots;

	if (set->is_direct || (is_built && slots_suffice(count, set->nslots_log2)))
		return;

	/* What is there moves to twice the slots, step by step. */
	do
	{
		if (is_built)
			set->nslots_log2++;
		else
		{
			set->nslots_log2 = MIN_SLOTS_LOG2;
			while (!slots_suffice(count, set->nslots_log2))
				set->nslots_log2++;
		}
		if (direct_is_better(set, set->nslots_log2))
		{
			build_direct(set);
			return;
		}
		if (set->nslots_log2 > 32)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many groups")));
		set->nslots = (Size) 1 << set->nslots_log2;
		if (set->nwords == 1)
			build_words(set);
		else
			build_tuples(set);
		is_built = true;
	} while (!slots_suffice(count, set->nslots_log2));
}

static void
reserve_words(WordSet *set, int n)
{
	uint64		count = (uint64) set->count + n;

	if (count <= set->capacity)
		return;
	if (count >= NO_WORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many groups")));
	set->capacity = Max(count, Min((uint64) set->capacity * 2, NO_WORDS - 1));
	set->words = repalloc_huge(set->words, sizeof(uint64) * set->nwords *
							   (Size) set->capacity);
}

/* ---- look-ups ---- */

static inline uint32
add_tuple(WordSet *set, const uint64 *const *words, int i)
{
	uint64	   *target = set->words + (Size) set->count * set->nwords;

	Assert(set->count < set->capacity);
	for (int w = 0; w < set->nwords; w++)
		target[w] = words[w][i];
	return set->count++;
}

static void
find_direct(WordSet *set, const uint64 *const *words, int n, bool may_grow,
			uint32 *ids)
{
	const uint64 *word = words[0];
	uint32	   *direct = set->direct;

	for (int i = 0; i < n; i++)
	{
		uint32		id = direct[word[i]];

		if (unlikely(id == NO_WORDS) && may_grow)
			id = direct[word[i]] = add_tuple(set, words, i);
		ids[i] = id;
	}
}

/* The number of a word of which it is not known where it lies after home. */
static uint32
find_word_after(WordSet *set, const uint64 *const *words, int i, Size home,
				bool may_grow)
{
	uint64		word = words[0][i];
	WordSlot   *slots = set->word_slots;
	Size		s = home;

	for (; slots[s].id != NO_WORDS; s = (s + 1) & (set->nslots - 1))
	{
		if (slots[s].word == word)
			return slots[s].id;
	}
	if (!may_grow)
		return NO_WORDS;
	slots[s].word = word;
	slots[s].id = add_tuple(set, words, i);
	return slots[s].id;
}

/* Most words lie where they belong. */
static inline uint32
find_word(WordSet *set, const WordSlot *slots, const uint64 *const *words,
		  int i, Size home, bool may_grow)
{
	if (likely(slots[home].word == words[0][i] &&
			   slots[home].id != NO_WORDS))
		return slots[home].id;
	return find_word_after(set, words, i, home, may_grow);
}

static void
find_words(WordSet *set, const uint64 *const *words, int n, bool may_grow,
		   uint32 *ids)
{
	const WordSlot *slots = set->word_slots;
	const uint64 *word = words[0];
	int			shift = 64 - set->nslots_log2;
	Size		homes[LOOKUP_TUPLES];

	if (set->nslots * sizeof(WordSlot) < PREFETCH_LENGTH)
	{
		for (int i = 0; i < n; i++)
			ids[i] = find_word(set, slots, words, i,
							   hash_word(word[i]) >> shift, may_grow);
		return;
	}
	for (int start = 0; start < n; start += LOOKUP_TUPLES)
	{
		int			end = Min(n, start + LOOKUP_TUPLES);

		for (int i = start; i < end; i++)
		{
			homes[i - start] = hash_word(word[i]) >> shift;
			hash_prefetch(&slots[homes[i - start]]);
		}
		for (int i = start; i < end; i++)
			ids[i] = find_word(set, slots, words, i, homes[i - start],
							   may_grow);
	}
}

static inline bool
tuple_equals(const WordSet *set, uint32 id, const uint64 *const *words, int i)
{
	const uint64 *tuple = set->words + (Size) id * set->nwords;
	uint64		difference = 0;

	for (int w = 0; w < set->nwords; w++)
		difference |= tuple[w] ^ words[w][i];
	return difference == 0;
}

static inline uint32
find_tuple(WordSet *set, const uint64 *const *words, int i, uint32 tag,
		   bool may_grow)
{
	TupleSlot  *slots = set->tuple_slots;
	Size		s = tag_home(set, tag);

	for (;; s = (s + 1) & (set->nslots - 1))
	{
		if (slots[s].id == NO_WORDS)
			break;
		if (slots[s].tag == tag && tuple_equals(set, slots[s].id, words, i))
			return slots[s].id;
	}
	if (!may_grow)
		return NO_WORDS;
	slots[s].tag = tag;
	slots[s].id = add_tuple(set, words, i);
	return slots[s].id;
}

static void
find_tuples(WordSet *set, const uint64 *const *words, int n, bool may_grow,
			uint32 *ids)
{
	uint64		hashes[LOOKUP_TUPLES];
	bool		is_large = set->nslots * sizeof(TupleSlot) >= PREFETCH_LENGTH;

	for (int start = 0; start < n; start += LOOKUP_TUPLES)
	{
		int			end = Min(n, start + LOOKUP_TUPLES);

		memset(hashes, 0, sizeof(hashes));
		for (int w = 0; w < set->nwords; w++)
		{
			for (int i = start; i < end; i++)
				hashes[i - start] = hash_combine_uint64(hashes[i - start],
														words[w][i]);
		}
		for (int i = start; is_large && i < end; i++)
			hash_prefetch(&set->tuple_slots[tag_home(set, hashes[i - start] >> 32)]);
		for (int i = start; is_large && i < end; i++)
		{
			uint32		tag = hashes[i - start] >> 32;
			TupleSlot  *slot = &set->tuple_slots[tag_home(set, tag)];

			if (slot->tag == tag && slot->id != NO_WORDS)
				hash_prefetch(set->words + (Size) slot->id * set->nwords);
		}
		for (int i = start; i < end; i++)
			ids[i] = find_tuple(set, words, i, hashes[i - start] >> 32,
								may_grow);
	}
}

void
word_set_find(WordSet *set, const uint64 *const *words, int n, bool may_grow,
			  uint32 *ids)
{
	Assert(n <= VECTOR_LENGTH);
	reserve_words(set, may_grow ? n : 0);
	if (!set->is_direct && set->nslots == 0 &&
		direct_is_better(set, MIN_SLOTS_LOG2))
		build_direct(set);
	reserve_slots(set, may_grow ? n : 0);
	if (set->is_direct)
		find_direct(set, words, n, may_grow, ids);
	else if (set->nwords == 1)
		find_words(set, words, n, may_grow, ids);
	else
		find_tuples(set, words, n, may_grow, ids);
}

uint32
word_set_count(const WordSet *set)
{
	return set->count;
}

const uint64 *
word_set_words(const WordSet *set, uint32 id)
{
	Assert(id < set->count);
	return set->words + (Size) id * set->nwords;
}

Size
word_set_memory(const WordSet *set)
{
	return MemoryContextMemAllocated(set->context, true);
}
