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

typedef struct GroupScan
{
	Relation	rel;
	Snapshot	snapshot;
	BufferAccessStrategy strategy;
	uint32		group;			/* open group */
	GroupHeaderData *header;	/* copy of its header */
	bool		visible[GROUP_VECTORS]; /* by segment: column form is seen */
	int			segment_index;	/* current segment, or -1 */
	SegmentData *segment;		/* current segment in header */
	SegmentReader *reader;		/* column form: open on the segment */
	uint64	   *holes;			/* bitmap of the group's deleted rows, or NULL */

	/* Row form: the current page's visible rows. */
	RowMapEntry *row_pages;
	int			nrow_pages;
	int			row_page;		/* next one to read */
	int			ntuples;
	HeapTupleData tuples[TID_BLOCK_ROWS];	/* t_self is the logical TID */
	char	   *page;			/* copy that they point into */
} GroupScan;

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

/* Go to the next segment with rows; false after the last. */
extern bool group_scan_next_segment(GroupScan *scan);

/*
 * Column form: rows of a vector of the current segment that are there, as
 * VECTOR_WORDS words of mask, bit set for a row.  Returns their number.
 */
extern int	group_scan_live(GroupScan *scan, int vector, uint64 *mask);

/* Vectors of the current column-form segment. */
#define group_scan_nvectors(scan) \
	(((scan)->segment->nslots + VECTOR_ROWS - 1) / VECTOR_ROWS)

/* Row form: read the next row page; false after the last. */
extern bool group_scan_next_row_page(GroupScan *scan);

#endif							/* ACCESS_GROUP_SCAN_H */
