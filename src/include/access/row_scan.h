/*
 * row_scan.h
 *		Rows in order of their numbers, forward or backward.
 *
 * What stands between the access method's scan callbacks and group_scan: it
 * goes from group to group and batch to batch, where a batch is a vector of a
 * column-form segment or a page of a row-form one.
 */
#ifndef ACCESS_ROW_SCAN_H
#define ACCESS_ROW_SCAN_H

#include "access/columnar_slot.h"
#include "access/group_scan.h"
#include "access/relscan.h"

typedef struct RowScan
{
	Relation	rel;
	Snapshot	snapshot;
	BufferAccessStrategy strategy;
	GroupScan  *groups;			/* made by the first step */
	SegmentValues *values;		/* on the reader of groups */
	uint64		values_open;	/* groups->nopened when it was opened */
	SlotAnchor	anchor;

	uint32		ngroups;		/* when the scan began */
	RowNumber	first;			/* rows to return */
	RowNumber	limit;
	ParallelBlockTableScanDesc parallel;	/* hands out groups, or NULL */
	bool		keeps_groups;	/* what was read of a group stays good, although
								 * the snapshot is not an MVCC one */

	/* Where the scan is. */
	bool		is_started;
	uint32		group;			/* open, if is_started */
	bool		has_batch;
	int			vector;			/* of the segment, in column form */
	RowNumber	batch_first;	/* number of position 0, in column form */
	uint64		mask[VECTOR_WORDS]; /* rows of the vector */
	int			nrows;			/* rows of the batch */
	int			position;		/* current row: of the vector, or the tuple */
} RowScan;

/*
 * A scan of all rows; in the current memory context.  Takes the number of
 * groups of this moment.
 */
extern RowScan *row_scan_create(Relation rel, Snapshot snapshot,
								BufferAccessStrategy strategy);
extern void row_scan_free(RowScan *scan);

/* The GroupScan inside, to set its test before the first step. */
extern GroupScan *row_scan_groups(RowScan *scan);

/* Start over, with the groups that there are now. */
extern void row_scan_restart(RowScan *scan);

/* Start over with rows from first up to, not including, limit. */
extern void row_scan_set_range(RowScan *scan, RowNumber first,
							   RowNumber limit);

/*
 * Go to the next batch with rows, or the previous one, before or after its
 * rows.  After the last one the scan is as new.
 */
extern bool row_scan_next_batch(RowScan *scan, bool forward);

/* Go to the next or previous row of the batch. */
extern bool row_scan_next_in_batch(RowScan *scan, bool forward);

/* Go to the next or previous row, whatever batch it is in. */
static inline bool
row_scan_next(RowScan *scan, bool forward)
{
	do
	{
		if (scan->has_batch && row_scan_next_in_batch(scan, forward))
			return true;
	} while (row_scan_next_batch(scan, forward));
	return false;
}

/* Number of the current row. */
extern RowNumber row_scan_row(const RowScan *scan);

/* What the GroupScan's test said of the current row. */
extern uint8 row_scan_status(const RowScan *scan);

/* Store the current row; the slot must be a columnar one. */
extern void row_scan_store(RowScan *scan, TupleTableSlot *slot);

#endif							/* ACCESS_ROW_SCAN_H */
