/*
 * group_scan.h
 *		The rows of a chunk group that a snapshot sees, form by form.
 *
 * What sequential scans, index builds, the vectorised scan and the mover have
 * in common.  A group is opened, then its segments come one after another:
 * column form as an open SegmentReader and a mask of live rows per vector, row
 * form as one page of visible heap tuples after another.
 */
#ifndef ACCESS_GROUP_SCAN_H
#define ACCESS_GROUP_SCAN_H

#include "access/attribute_vector.h"
#include "storage/group.h"
#include "utils/snapshot.h"

typedef struct GroupScan GroupScan;

/* The header of one row of a column-form segment, as it was judged. */
typedef struct GroupRowHeader
{
	uint32		offset;			/* of the row in the group */
	HeapTupleHeaderData header;
} GroupRowHeader;

/* What a GroupScanTest says of a tuple; other values are kept as they are. */
#define GROUP_SCAN_SKIP		0
#define GROUP_SCAN_WAIT		255

/*
 * Decides whether a tuple is returned, and as what.  tuple is in the locked
 * buffer, with the logical TID; for a column-form segment it is the segment's
 * header with the TID of its first row, and then the header of each row that has
 * one.  GROUP_SCAN_WAIT: unlock, wait for the end of *wait, and ask again.
 */
typedef uint8 (*GroupScanTest) (GroupScan *scan, HeapTuple tuple,
								Buffer buffer, TransactionId *wait);

struct GroupScan
{
	Relation	rel;
	Snapshot	snapshot;
	GroupScanTest test;			/* by default, the snapshot's visibility */
	void	   *test_argument;
	bool		keeps_headers;	/* set row_headers when a group is opened */
	bool		is_selective;	/* reads some rows only: whoever chooses them
								 * notes conflicts of serializable
								 * transactions */
	BufferAccessStrategy strategy;
	uint32		group;			/* open group */
	GroupHeaderData *header;	/* copy of its header */
	uint8		visible[GROUP_VECTORS]; /* by segment: what the test said of a
										 * column form, 1 for a row form */
	uint32		open_first;		/* offsets of rows that the group was opened */
	uint32		open_limit;		/* for */
	uint32		range_first;	/* of rows that are returned */
	uint32		range_limit;
	int			segment_index;	/* current segment, or -1 */
	SegmentData *segment;		/* current segment in header */
	SegmentReader *reader;		/* column form: open on the segment */
	int			reader_segment; /* segment that it is open on, or -1 */
	uint64		nopened;		/* times that it was opened */
	uint64	   *holes;			/* bitmap of rows that are not returned: deleted
								 * ones and those whose headers were skipped;
								 * or NULL */
	uint64	   *holes_buffer;
	uint8	   *row_status;		/* by offset, what the test said of rows in
								 * column form, or NULL: as of their segments */
	uint8	   *row_status_buffer;
	GroupRowHeader *row_headers;	/* of rows that are returned, by offset */
	int			nrow_headers;
	int			max_row_headers;

	/* Row form: the current page's visible rows. */
	RowMapEntry *row_pages;		/* of the whole group, by first row */
	int			nrow_pages;
	int			row_page;		/* current one, or one beside the segment's */
	int			ntuples;
	HeapTupleData tuples[TID_BLOCK_ROWS];	/* t_self is the logical TID */
	uint8		status[TID_BLOCK_ROWS]; /* what the test said */
	char	   *page;			/* copy that they point into */
};

/* Memory and reader live in the current context. */
extern GroupScan *group_scan_create(Relation rel, Snapshot snapshot,
									BufferAccessStrategy strategy);
extern void group_scan_free(GroupScan *scan);

/* Number of groups that the table has now. */
extern uint32 group_scan_ngroups(Relation rel);

/*
 * Open a group: takes a copy of its header with the visibility of each
 * segment.  False if it has no row that the snapshot sees.
 */
extern bool group_scan_open(GroupScan *scan, uint32 group);

/*
 * The same for rows with offsets from first up to, not including, limit: row
 * headers of others are not looked at.
 */
extern bool group_scan_open_range(GroupScan *scan, uint32 group,
								  uint32 first, uint32 limit);

/*
 * Return only rows of the open group with offsets from first up to, not
 * including, limit, for which it was opened; starts over with the first segment.
 */
extern void group_scan_set_range(GroupScan *scan, uint32 first, uint32 limit);

/*
 * Go to the next segment with rows; false after the last.  prev goes backward,
 * and starts with the last segment.
 */
extern bool group_scan_next_segment(GroupScan *scan);
extern bool group_scan_prev_segment(GroupScan *scan);

/*
 * Column form: rows of a vector of the current segment that are there, as
 * VECTOR_WORDS words of mask, bit set for a row.  Returns their number.
 */
extern int	group_scan_live(GroupScan *scan, int vector, uint64 *mask);

/*
 * Column form: what the test said of a row of the current segment, by its
 * offset in the group.
 */
static inline uint8
group_scan_status(const GroupScan *scan, uint32 offset)
{
	return scan->row_status ? scan->row_status[offset] :
		scan->visible[scan->segment_index];
}

/*
 * Column form: the header that a returned row has of its own, or NULL.  Only if
 * keeps_headers was set when the group was opened.
 */
extern HeapTupleHeader group_scan_row_header(GroupScan *scan, uint32 offset);

/* Vectors of the current column-form segment. */
#define group_scan_nvectors(scan) \
	(((scan)->segment->nslots + VECTOR_ROWS - 1) / VECTOR_ROWS)

/*
 * Row form: read the next row page of the segment; false after the last.  prev
 * goes backward, and starts with the segment's last page.
 */
extern bool group_scan_next_row_page(GroupScan *scan);
extern bool group_scan_prev_row_page(GroupScan *scan);

/* ---- also for fetches of single rows ---- */

/* A heap tuple that stands for a row of a column-form segment. */
extern void segment_tuple(Relation rel, SegmentData *segment, RowNumber row,
						  HeapTuple tuple);

/*
 * The tuple at a line pointer of a row page: false if there is none.  Raises
 * ERRCODE_DATA_CORRUPTED unless it lies within the page.
 */
extern bool row_page_tuple(Relation rel, Buffer buffer, OffsetNumber offnum,
						   RowNumber row, HeapTuple tuple);

/* Check that a locked buffer has a row page for at most nrows rows, or zeros. */
extern void row_page_check(Relation rel, Buffer buffer, int nrows);

#endif							/* ACCESS_GROUP_SCAN_H */
