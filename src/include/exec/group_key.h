/*
 * group_key.h
 *		A key of a grouping: its values as words.
 *
 * For the table of groups the values of a key are 64-bit words or numbers of
 * interned values (ids), such that two values are equal if and only if their
 * words are.  What a group's first value looked like, where equal values may
 * look unlike, is kept beside it.
 */
#ifndef EXEC_GROUP_KEY_H
#define EXEC_GROUP_KEY_H

#include "exec/datum_set.h"
#include "exec/group_table.h"
#include "exec/string_set.h"

#define NO_ID	PG_UINT32_MAX

StaticAssertDecl(NO_ID == NO_STRING && NO_ID == NO_DATUM,
				 "ids that are not there must be alike");

typedef enum GroupKeyKind
{
	GROUP_KEY_INTEGER,			/* words: the integers, booleans among them */
	GROUP_KEY_FLOAT,			/* words: the bits of the double, one zero and
								 * one NaN */
	GROUP_KEY_NUMERIC,			/* words: value * 10^scale */
	GROUP_KEY_STRING,			/* ids in a StringSet */
	GROUP_KEY_DATUM				/* ids in a DatumSet */
} GroupKeyKind;

/* The rows of a batch; they are counted from 0 without holes. */
typedef struct RowList
{
	int			n;
	const uint16 *slots;		/* of each row; NULL: row i is slot i */
} RowList;

static inline int
row_slot(const RowList *rows, int row)
{
	return rows->slots ? rows->slots[row] : row;
}

/*
 * What became of a key of a batch.  Rows that are NULL have an id of their own,
 * or a bit in nulls and an undefined word.
 */
typedef struct GroupKeyBatch
{
	const int64 *words;			/* by row, unless ids */
	const uint32 *ids;			/* by row */
	bool		has_nulls;
	uint64		nulls[VECTOR_WORDS];	/* by row, unless ids */
} GroupKeyBatch;

typedef struct GroupKeyColumn
{
	GroupKey	key;
	GroupKeyKind kind;
	int16		length;			/* of the type */
	bool		is_byval;
	GroupKeyBatch batch;

	/* NUMERIC */
	uint8		scale;

	/* STRING and DATUM */
	StringSet  *strings;
	DatumSet   *datums;
	uint32		null_id;		/* or NO_ID */
	uint64		dictionary;		/* serial of the one that code_ids is of */
	bool		may_grow;		/* when code_ids was filled */
	uint32		ncodes;
	uint32	   *code_ids;		/* id, NO_ID, or CODE_UNKNOWN */

	/* First values by group, for kinds whose words do not tell. */
	uint32		capacity;
	uint64	   *zeros;			/* FLOAT: bit set for -0 */
	uint8	   *scales;			/* NUMERIC: display scale */
	Datum	   *firsts;			/* DATUM */

	int64	   *word_buffer;
	uint32	   *id_buffer;
	Vector	   *converted;		/* a vector of DATUM in another form */
	MemoryContext context;		/* of sets and arrays by group */
	MemoryContext scratch;		/* reset by the table after each batch */
} GroupKeyColumn;

extern void group_key_init(GroupKeyColumn *column, const GroupKey *key,
						   MemoryContext context, MemoryContext scratch);

/* Have room for the first values of that many groups. */
extern void group_key_reserve(GroupKeyColumn *column, uint32 ngroups);

/* Forget all values. */
extern void group_key_reset(GroupKeyColumn *column);

static inline bool
group_key_has_ids(const GroupKeyColumn *column)
{
	return column->kind == GROUP_KEY_STRING || column->kind == GROUP_KEY_DATUM;
}

/* Do equal values of the key look unlike, so that the first is kept? */
static inline bool
group_key_keeps(const GroupKeyColumn *column)
{
	return column->kind != GROUP_KEY_INTEGER &&
		column->kind != GROUP_KEY_STRING;
}

/* The id of NULL, or NO_ID if it has none and must not get one. */
extern uint32 group_key_null_id(GroupKeyColumn *column, bool may_grow);

/* How many ids there are. */
extern uint32 group_key_nids(const GroupKeyColumn *column);

/*
 * Fill column->batch from a vector.  For a NUMERIC column this fails, with
 * nothing done, if the vector's values cannot be words at the column's scale:
 * returns false with the scale that it takes, or -1 if none will do.  If
 * may_grow is false, rows whose values no group has, as far as is seen here,
 * are marked as missing instead, and have any word or id.
 */
extern bool group_key_encode(GroupKeyColumn *column, const Vector *vector,
							 const RowList *rows, bool may_grow,
							 uint64 *missing, int *scale);

/* The word of a group as a value; by-reference ones may be palloc'd. */
extern Datum group_key_value(GroupKeyColumn *column, uint32 group,
							 uint64 word);

/* Keep what the value of a new group, in a slot of vector, looks like. */
extern void group_key_keep(GroupKeyColumn *column, uint32 group,
						   const Vector *vector, int slot, uint64 word);

/* Make a NUMERIC column one of DATUM; returns the id of a word. */
extern void group_key_start_datums(GroupKeyColumn *column);
extern uint32 group_key_word_id(GroupKeyColumn *column, uint32 group,
								int64 word);

/* What a NUMERIC column's words are to be multiplied by for a larger scale. */
extern int64 group_key_factor(const GroupKeyColumn *column, int scale);

/*
 * Add the key's values to the hashes (by slot) of rows, such that equal ones are
 * added alike in whatever form they come.  Overwrites column->batch.
 */
extern void group_key_hash(GroupKeyColumn *column, const Vector *vector,
						   const RowList *rows, uint64 *hashes);

#endif							/* EXEC_GROUP_KEY_H */
