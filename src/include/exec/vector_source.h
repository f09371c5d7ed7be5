/*
 * vector_source.h
 *		What a ColumnarVectorScan gives to a vectorised node above it.
 *
 * Such a node does not call ExecProcNode on the scan but asks it for batches
 * and, for each batch, for the columns it needs: what no one asks for is not
 * decoded.  Filters and qual of the scan have been applied.
 */
#ifndef EXEC_VECTOR_SOURCE_H
#define EXEC_VECTOR_SOURCE_H

#include "exec/vector.h"
#include "exec/vector_scan.h"

/*
 * The rows of a batch.  nslots is at most VECTOR_LENGTH; few rows of a vector
 * are moved together, so that nslots is near nrows.
 */
typedef struct VectorBatch
{
	int			nslots;
	int			nrows;			/* bits in mask; not 0 */
	uint64		mask[VECTOR_WORDS];
	uint64		serial;			/* another one for each batch */
} VectorBatch;

/*
 * Segments that are answered from metadata: called for each column-form segment
 * all rows of which are visible and known to pass filters and qual.  If it
 * returns true, the segment's rows are not returned.
 */
typedef bool (*VectorSegmentTaker) (void *argument, SegmentReader *reader,
									const SegmentData *segment);

/*
 * Prepare to read by batches; called once, when the node above begins.  taker
 * may be NULL.
 */
extern void vector_source_begin(VectorScanState *scan,
								VectorSegmentTaker taker, void *argument);

/*
 * Segments that nobody needs to look at: called for each column-form segment; if
 * it returns true, none of its rows is returned.
 */
typedef bool (*VectorSegmentSkipper) (void *argument, SegmentReader *reader,
									  const SegmentData *segment);

/* The same for vectors of a segment that is not skipped: a bit for each. */
typedef uint64 (*VectorSkipper) (void *argument, SegmentReader *reader,
								 uint64 vectors);

/* Have segments and vectors skipped; before the first batch. */
extern void vector_source_set_skipper(VectorScanState *scan,
									  VectorSegmentSkipper skipper,
									  VectorSkipper vector_skipper,
									  void *argument);

/*
 * Have a scan of one process go from the last group to the first; before the
 * first batch.
 */
extern void vector_source_set_backward(VectorScanState *scan);

/* The memory of columns, scan->work, is about to be freed. */
extern void vector_source_forget(VectorScanState *scan);

/* The next batch, or NULL at the end; void at the next call. */
extern const VectorBatch *vector_source_next(VectorScanState *scan);

/* The number of a row of the current batch. */
extern RowNumber vector_source_row(VectorScanState *scan, int slot);

/*
 * A column of the current batch, decoded for the rows of mask (a part of the
 * batch's); it may be asked for again with other rows.  The vector and what it
 * refers to live until the next batch.
 */
extern const Vector *vector_source_column(VectorScanState *scan, int attno,
										  const uint64 *mask);

/*
 * The same of a string column whose chunk has a dictionary worth working on by
 * the entry: dictionary and codes are set, strings may be NULL.  NULL if there
 * is none.
 */
extern const Vector *vector_source_codes(VectorScanState *scan, int attno,
										 const uint64 *mask);

/*
 * Lengths in bytes of a string column's values, without the strings: an
 * INTEGER vector.
 */
extern const Vector *vector_source_lengths(VectorScanState *scan, int attno,
										   const uint64 *mask);

/* Is it known that a string column's values of the batch are of ASCII only? */
extern bool vector_source_is_ascii(VectorScanState *scan, int attno);

/*
 * A column's values as Datums of its type (by slot), for expressions that are
 * evaluated by the row.
 */
extern void vector_source_datums(VectorScanState *scan, int attno,
								 const uint64 *mask, const Datum **values,
								 const bool **isnull);

/*
 * Sum, and least and greatest, of a column of integers (or numerics, whose sum
 * is scaled) over all rows of the batch, without decoding it.  False if that
 * cannot be, for instance because the batch is not the scan's (its rows may have
 * been in a file since): then vector_source_column serves.
 */
extern bool vector_source_sum(VectorScanState *scan, const VectorBatch *batch,
							  int attno, int64 *sum, uint8 *scale);
extern bool vector_source_extremes(VectorScanState *scan,
								   const VectorBatch *batch, int attno,
								   int64 *min, int64 *max);

/* ---- for the scan itself ---- */

/* Have columns ready to be asked for. */
extern void vector_source_init(VectorScanState *scan);

/* Make the scan's batch one whose columns can be asked for. */
extern const VectorBatch *vector_source_set_batch(VectorScanState *scan);

/* Keep only these rows of it in the scan's batch. */
extern void vector_source_keep(VectorScanState *scan, const uint64 *mask);

#endif							/* EXEC_VECTOR_SOURCE_H */
