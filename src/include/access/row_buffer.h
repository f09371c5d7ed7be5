/*
 * row_buffer.h
 *		Up to 65,536 rows held by column, on their way to a segment.
 *
 * Used by loads, by the mover and by rewrites.
 */
#ifndef ACCESS_ROW_BUFFER_H
#define ACCESS_ROW_BUFFER_H

#include "access/tupdesc.h"
#include "storage/extent.h"

typedef struct RowBuffer RowBuffer;

/*
 * An empty buffer in a memory context of its own below parent.  Columns grow
 * with the rows, so that a thousand almost empty buffers are cheap.
 */
extern RowBuffer *row_buffer_create(TupleDesc desc, MemoryContext parent);
extern void row_buffer_free(RowBuffer *buffer);

/* Make the buffer empty, but keep its arrays for as many rows again. */
extern void row_buffer_reset(RowBuffer *buffer);

/* Append a row; external and compressed values are fetched and expanded. */
extern void row_buffer_append(RowBuffer *buffer, const Datum *values,
							  const bool *isnull);

/* Append rows, whose values and NULL flags are in an array each. */
extern void row_buffer_append_rows(RowBuffer *buffer,
								   const Datum *const *values,
								   const bool *const *isnull, int nrows);

/* Rows that the arrays have room for, and bytes that doubling them takes. */
extern uint32 row_buffer_room(const RowBuffer *buffer);
extern Size row_buffer_growth(const RowBuffer *buffer);

/* Append a position that holds no row. */
extern void row_buffer_append_hole(RowBuffer *buffer);

/* Attributes that the relation had when the buffer was made. */
extern int	row_buffer_natts(const RowBuffer *buffer);

/* Positions (holes included), rows, and bytes of memory. */
extern uint32 row_buffer_nslots(const RowBuffer *buffer);
extern uint32 row_buffer_nrows(const RowBuffer *buffer);
extern Size row_buffer_bytes(const RowBuffer *buffer);

/* Bytes of the values that are in it. */
extern Size row_buffer_raw_bytes(const RowBuffer *buffer);

/*
 * Value of a row, by reference into the buffer or, where it needs a varlena
 * header, palloc'd in the current context.
 */
extern Datum row_buffer_get(const RowBuffer *buffer, uint32 slot, int attno,
							bool *isnull);

extern bool row_buffer_is_null(const RowBuffer *buffer, uint32 slot,
							   int attno);

/*
 * The strings of an attribute whose values are ordered by their bytes: row i has
 * bytes from offsets[i] up to, not including, offsets[i + 1].  False if the
 * attribute is not of that class, or there is nothing but NULLs.
 */
extern bool row_buffer_strings(const RowBuffer *buffer, int attno,
							   const uint64 **offsets, const uint8 **bytes);

/*
 * Encode everything as the extent of a segment, in blocks announced for owner:
 * row order[i] of the buffer at position i, or each where it is if order is
 * NULL.  Sets natts, nslots, nrows, nattribute_pages, start and nblocks of segment;
 * the caller sets the rest and publishes.
 */
extern void row_buffer_write(RowBuffer *buffer, const uint32 *order,
							 Relation rel, FullTransactionId owner,
							 SegmentData *segment);

#endif							/* ACCESS_ROW_BUFFER_H */
