/*
 * word_set.h
 *		Distinct tuples of 64-bit words, numbered from 0 in the order in which
 *		they came.
 */
#ifndef EXEC_WORD_SET_H
#define EXEC_WORD_SET_H

#define NO_WORDS	PG_UINT32_MAX

typedef struct WordSet WordSet;

/*
 * A set of tuples of nwords words, of which the caller puts n, all distinct, at
 * *words before anything else is done; they are numbered as they lie.  nbits
 * is how many low bits of the word may be set, if nwords is 1.  Memory is from
 * the current context.
 */
extern WordSet *word_set_create(int nwords, int nbits, uint32 n,
								uint64 **words);

extern void word_set_free(WordSet *set);

/*
 * The numbers of the tuples words[0][i], words[1][i]... for i below n, at most
 * VECTOR_LENGTH, to ids[i].  Tuples that are not there are added, or if
 * may_grow is false have NO_WORDS.
 */
extern void word_set_find(WordSet *set, const uint64 *const *words, int n,
						  bool may_grow, uint32 *ids);

extern uint32 word_set_count(const WordSet *set);

/* The words of a tuple; void when the set grows. */
extern const uint64 *word_set_words(const WordSet *set, uint32 id);

/* Bytes that it takes. */
extern Size word_set_memory(const WordSet *set);

#endif							/* EXEC_WORD_SET_H */
