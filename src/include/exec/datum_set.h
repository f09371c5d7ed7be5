/*
 * datum_set.h
 *		Distinct values of any hashable type, numbered from 0 in the order in
 *		which they came.
 *
 * Equality and hash are an operator class's, so equal values may look unlike:
 * the set keeps the first.
 */
#ifndef EXEC_DATUM_SET_H
#define EXEC_DATUM_SET_H

#define NO_DATUM	PG_UINT32_MAX

typedef struct DatumSet DatumSet;

/*
 * equality is an operator of a hash operator class.  Memory is from the current
 * context.
 */
extern DatumSet *datum_set_create(Oid type, Oid collation, Oid equality);

/*
 * The number of a value, which is added, or if may_grow is false and it is not
 * there NO_DATUM.  What hash and comparison leave behind is in the current
 * context.
 */
extern uint32 datum_set_find(DatumSet *set, Datum value, bool may_grow);

/* Take a number for something that is no value; once. */
extern uint32 datum_set_add_other(DatumSet *set);

extern uint32 datum_set_count(const DatumSet *set);
extern Datum datum_set_value(const DatumSet *set, uint32 id);

/* The operator class's hash, spread over 64 bits. */
extern uint64 datum_set_hash(DatumSet *set, Datum value);

/* The set's own value if its image is the same, or a copy in its memory. */
extern Datum datum_set_keep(DatumSet *set, uint32 id, Datum value);

/* Bytes that it takes. */
extern Size datum_set_memory(const DatumSet *set);

/* Forget all values. */
extern void datum_set_reset(DatumSet *set);

#endif							/* EXEC_DATUM_SET_H */
