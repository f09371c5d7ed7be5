/*
 * row_fetcher.h
 *		What a slot keeps from one fetched row to the next.
 */
#ifndef ACCESS_ROW_FETCHER_H
#define ACCESS_ROW_FETCHER_H

#include "access/columnar_slot.h"
#include "access/segment_values.h"

typedef struct RowFetcher RowFetcher;

/* The slot's, for the relation's present file; made when first asked for. */
extern RowFetcher *row_fetcher_get(Relation rel, TupleTableSlot *slot);
extern void row_fetcher_free(RowFetcher *fetcher);

/*
 * Values of a segment as it is in the group's header now.  Empties the slot,
 * whose row may be in the segment that gives way.
 */
extern SegmentValues *row_fetcher_open(RowFetcher *fetcher, Relation rel,
									   uint32 group,
									   const SegmentData *segment);

/*
 * A slot that a row of a column-form segment has been fetched into lately and is
 * still in, with the attributes; NULL if there is none.  It belongs to somebody
 * else: use it at once, for reading.
 */
extern TupleTableSlot *row_fetcher_find_slot(Relation rel, RowNumber row,
											 const Bitmapset *attrs);

#endif							/* ACCESS_ROW_FETCHER_H */
