/*
 * vector.h
 *		Values of the vectorised pipeline.
 *
 * A batch is up to VECTOR_LENGTH slots with a mask of those that hold a row.
 * A Vector has a value for every slot of a batch: a column's or an
 * expression's.  What slots without a row hold is undefined, as is the value
 * of a slot that is NULL; reading it is harmless, except for strings and
 * datums.  Arrays have room for VECTOR_LENGTH values, so that loops may have a
 * constant count.
 */
#ifndef EXEC_VECTOR_H
#define EXEC_VECTOR_H

#include "access/attribute_vector.h"
#include "port/pg_bitutils.h"

/* How a vector's values are represented. */
typedef enum VectorForm
{
	FORM_BOOLEAN,				/* one bit each */
	FORM_INTEGER,				/* int64: integers, dates, times, OIDs, enums */
	FORM_FLOAT,					/* double; a float4 is one that float4 can hold */
	FORM_NUMERIC,				/* int64, scaled: value * 10^scale */
	FORM_STRING,				/* bytes of a varlena or a fixed-length value,
								 * without header */
	FORM_DATUM					/* anything else, and such numerics as do not
								 * fit */
} VectorForm;

/*
 * The dictionary of the chunk that a vector comes from.  serial is another one
 * for each chunk, so that what was worked out per entry can be kept under it.
 */
typedef struct VectorDictionary
{
	uint64		serial;			/* never 0 */
	uint32		nentries;
	const StringRef *entries;	/* distinct; valid as long as the segment is open */
} VectorDictionary;

typedef struct Vector
{
	VectorForm	form;
	bool		is_constant;	/* all slots are alike (and filled): a hint */
	bool		has_nulls;		/* else nulls is not to be looked at */
	bool		has_bounds;		/* INTEGER, NUMERIC: no slot with a row that is
								 * not NULL lies outside min and max; of columns
								 * it is their zone map's word, so memory must
								 * not be addressed by it unchecked */
	uint8		scale;			/* NUMERIC: also each value's display scale */
	int64		min;
	int64		max;
	uint64	   *nulls;			/* VECTOR_WORDS words, bit set for NULL */
	union
	{
		void	   *data;
		uint64	   *bits;		/* VECTOR_WORDS words */
		int64	   *integers;
		double	   *floats;
		StringRef  *strings;
		Datum	   *datums;
	};
	const VectorDictionary *dictionary; /* STRING: strings are its entries; else
										 * NULL */
	const uint16 *codes;		/* with dictionary: by slot, each < nentries
								 * where there is a row that is not NULL */
} Vector;

static inline bool
vector_bit(const uint64 *mask, int slot)
{
	return (mask[slot / 64] >> (slot % 64)) & 1;
}

static inline void
vector_set_bit(uint64 *mask, int slot)
{
	mask[slot / 64] |= UINT64CONST(1) << (slot % 64);
}

static inline bool
vector_is_null(const Vector *vector, int slot)
{
	return vector->has_nulls && vector_bit(vector->nulls, slot);
}

static inline int
vector_mask_count(const uint64 *mask)
{
	int			n = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
		n += pg_popcount64(mask[w]);
	return n;
}

static inline bool
vector_mask_is_empty(const uint64 *mask)
{
	uint64		any = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
		any |= mask[w];
	return any == 0;
}

/* The first n slots. */
static inline void
vector_mask_fill(uint64 *mask, int n)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		int			left = n - w * 64;

		mask[w] = left >= 64 ? PG_UINT64_MAX :
			left <= 0 ? 0 : (UINT64CONST(1) << left) - 1;
	}
}

/*
 * Run the body for every slot of a mask, in ascending order:
 *	VECTOR_FOR_EACH(slot, mask) { ... }
 */
#define VECTOR_FOR_EACH(slot, mask) \
	for (int w_ = 0; w_ < VECTOR_WORDS; w_++) \
		for (uint64 word_ = (mask)[w_]; word_ != 0; word_ &= word_ - 1) \
			for (int slot = w_ * 64 + pg_rightmost_one_pos64(word_), once_ = 1; \
				 once_; once_ = 0)

/* Powers of ten that int64 can hold. */
#define MAX_POWER_OF_TEN	18
extern const int64 vector_powers_of_ten[MAX_POWER_OF_TEN + 1];

/*
 * A vector that owns arrays for a form, from the current context, with nulls;
 * nothing is set but the form.
 */
extern Vector *vector_create(VectorForm form);

/*
 * The form in which values of a type are held, if the pipeline knows the type.
 * For STRING, equal values of the type must have equal bytes: text under
 * deterministic collations, bytea, uuid, name, and bpchar of a known length.
 * All else, interval among it, is DATUM.
 */
extern VectorForm vector_form_of_type(Oid type, int32 typmod, Oid collation);

/*
 * The value of a slot that is not NULL as a Datum of the type; by-reference
 * values are palloc'd in the current context (DATUM: are what they are).
 */
extern Datum vector_datum(const Vector *vector, int slot, Oid type);

/*
 * Store a Datum (not NULL) in a slot, in the vector's form; strings refer to the
 * Datum's memory, or to a detoasted copy in the current context.
 */
extern void vector_store_datum(Vector *vector, int slot, Oid type, Datum value);

#endif							/* EXEC_VECTOR_H */
