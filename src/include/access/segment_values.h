/*
 * segment_values.h
 *		Values of an open column-form segment, row by row.
 */
#ifndef ACCESS_SEGMENT_VALUES_H
#define ACCESS_SEGMENT_VALUES_H

#include "access/attribute_vector.h"
#include "storage/layout.h"
#include "utils/rel.h"

/*
 * A segment that somebody reads rows of.  An attribute's vector is made when
 * the attribute is first asked for, and keeps its memory from segment to
 * segment.
 */
typedef struct SegmentValues
{
	MemoryContext context;		/* of this structure and the vectors */
	Relation	rel;
	SegmentReader *reader;
	bool		owns_reader;
	bool		is_open;
	uint32		group;			/* of the open segment */
	SegmentData segment;
	TupleDesc	desc;			/* of the values, or NULL */
	int			natts;
	AttributeVector **vectors;	/* by attribute number - 1 */
	int		   *nmisses;		/* values of the vector decoded singly */

	/* Rows of one vector that will probably be wanted, or -1. */
	int			mask_vector;
	uint64		mask[VECTOR_WORDS];
} SegmentValues;

/*
 * In a memory context of its own below the current one.  Without a reader, it
 * gets one that is freed with it.
 */
extern SegmentValues *segment_values_create(Relation rel,
											SegmentReader *reader);
extern void segment_values_free(SegmentValues *values);

/* Bytes that it takes, with its reader. */
extern Size segment_values_memory(const SegmentValues *values);

/* Turn to a segment: with an own reader, or after the caller's was opened. */
extern void segment_values_open(SegmentValues *values, uint32 group,
								const SegmentData *segment);

/*
 * Decode by this descriptor from now on, which need not be the relation's
 * present one: ALTER TABLE reads old rows by the old one.  The caller keeps it
 * while it asks for values.
 */
extern void segment_values_set_desc(SegmentValues *values, TupleDesc desc);

/* Is the segment as it is in a header now the one that is open? */
extern bool segment_values_is_open(const SegmentValues *values, uint32 group,
								   const SegmentData *segment);

/*
 * The value of an attribute in the row at a position of the segment.  What it
 * refers to is palloc'd in the current context, or the attribute's missing
 * value.
 */
extern Datum segment_values_get(SegmentValues *values, int attno,
								uint32 position, bool *isnull);

#endif							/* ACCESS_SEGMENT_VALUES_H */
