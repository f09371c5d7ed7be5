/*
 * string_set.h
 *		Distinct strings, numbered from 0 in the order in which they came.
 *
 * Strings are kept in one piece with room for a varlena header in front, so
 * that those of varlena types are Datums as they lie.
 */
#ifndef EXEC_STRING_SET_H
#define EXEC_STRING_SET_H

#include "encoding/chunk.h"

#define NO_STRING	PG_UINT32_MAX

typedef struct StringSet StringSet;

/* Memory is from the current context. */
extern StringSet *string_set_create(void);

/*
 * The numbers of the strings at the n positions of rows (NULL: 0 to n - 1), to
 * ids[0] to ids[n - 1].  Strings that are not there are added, or if may_grow
 * is false have NO_STRING.
 */
extern void string_set_find(StringSet *set, const StringRef *strings,
							const uint16 *rows, int n, bool may_grow,
							uint32 *ids);

/* Take a number for something that is no string; its string is empty. */
extern uint32 string_set_add_other(StringSet *set);

extern uint32 string_set_count(const StringSet *set);

/* The bytes of a string, as a varlena. */
extern struct varlena *string_set_varlena(const StringSet *set, uint32 id);

/* Bytes that it takes. */
extern Size string_set_memory(const StringSet *set);

/* Forget all strings. */
extern void string_set_reset(StringSet *set);

#endif							/* EXEC_STRING_SET_H */
