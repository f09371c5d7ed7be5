/*
 * attribute_vector.h
 *		A decoded vector of one attribute, and its values as Datums.
 */
#ifndef ACCESS_ATTRIBUTE_VECTOR_H
#define ACCESS_ATTRIBUTE_VECTOR_H

#include "access/tupdesc.h"
#include "storage/segment_reader.h"

#define VECTOR_WORDS	(VECTOR_LENGTH / 64)

/*
 * One vector of one attribute of the reader's open segment.  Decoded in steps:
 * nulls first, then values or, for bytes, the strings that are wanted.
 */
typedef struct AttributeVector
{
	Form_pg_attribute attr;
	int			attno;
	ValueKind	kind;
	ChunkReader *chunk;			/* NULL: every row has the missing value */
	Datum		missing_value;
	bool		missing_isnull;
	int			vector;			/* in the segment, or -1 */
	bool		has_nulls;		/* nulls and nnulls are decoded */
	bool		has_values;		/* and so are values */
	uint32		nnulls;
	uint64		nulls[VECTOR_WORDS];	/* bit set for NULL */
	void	   *values;			/* fixed width: native array of 1,024 */
	StringRef  *strings;		/* bytes: as far as wanted */
	uint64		wanted[VECTOR_WORDS];	/* strings that are there */
	MemoryContext context;		/* of values and strings */
} AttributeVector;

/* Are its values strings, numeric included? */
static inline bool
attribute_vector_is_string(const AttributeVector *av)
{
	return av->kind == VALUE_BYTES || av->kind == VALUE_NUMERIC;
}

/*
 * Memory of the vector is from the current context.  desc must live as long,
 * with its missing values.
 */
extern void attribute_vector_init(AttributeVector *av, TupleDesc desc,
								  int attno);

/* Point to a vector of the reader's open segment; decodes nothing. */
extern void attribute_vector_set(AttributeVector *av, SegmentReader *reader,
								 int vector);

/* The next segment is open: what was decoded is void. */
extern void attribute_vector_reset(AttributeVector *av);

/* The memory of what was decoded is about to be freed. */
extern void attribute_vector_forget(AttributeVector *av);

extern void attribute_vector_decode_nulls(AttributeVector *av,
										  SegmentReader *reader);
extern void attribute_vector_decode_values(AttributeVector *av,
										   SegmentReader *reader);

/* Make sure that the strings at the positions of mask (NULL: all) are there. */
extern void attribute_vector_decode_strings(AttributeVector *av,
											SegmentReader *reader,
											const uint64 *mask);

/*
 * The value at a position, decoding as little else as possible and keeping
 * nothing; memory as in attribute_vector_datum.  False if this takes decoding
 * all of the vector.
 */
extern bool attribute_vector_single(AttributeVector *av,
									SegmentReader *reader, int position,
									Datum *value, bool *isnull);

/*
 * Bit patterns of values of fixed width at some positions, in increasing
 * order, in the lower bits; anything for NULLs.  Decodes nothing else.  False
 * if decoding the vector is the way, or has been done.
 */
extern bool attribute_vector_gather(AttributeVector *av,
									SegmentReader *reader,
									const uint16 *positions, int npositions,
									uint64 *patterns);

/* Up to so many values, that serves better than decoding all. */
#define GATHER_MAX	32

/*
 * The value at a position, decoding what is needed; by-reference values are
 * palloc'd in the current context.
 */
extern Datum attribute_vector_datum(AttributeVector *av, SegmentReader *reader,
									int position, bool *isnull);

#endif							/* ACCESS_ATTRIBUTE_VECTOR_H */
