/*
 * vector_scan.h
 *		ColumnarVectorScan: a custom scan that reads vectors.
 *
 * What its files share.  scan_path.c proposes it to the planner, scan_plan.c
 * makes the plan node, scan_exec.c runs it, scan_batch.c gets it rows by the
 * batch, scan_parallel.c hands out groups and scan_explain.c shows it.
 */
#ifndef EXEC_VECTOR_SCAN_H
#define EXEC_VECTOR_SCAN_H

#include "access/group_scan.h"
#include "exec/column_filter.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "port/atomics.h"
#include "storage/dsm.h"

#define VECTOR_SCAN_NAME	"ColumnarVectorScan"

/* What the scan has really done, for EXPLAIN. */
typedef struct ScanCounters
{
	uint64		groups_skipped; /* nothing of it read but its header */
	uint64		vectors_skipped;	/* in groups that were read */
	uint64		vectors_packed; /* filtered without decoding, by filter */
	uint64		rows_removed;	/* by vector filters */
	uint64		rows_unjoined;	/* by join filters */
} ScanCounters;

/*
 * A parallel scan's shared state.  Each worker counts in its own place, which
 * the leader adds up when the segment goes away: by then they have finished.
 */
typedef struct SharedScan
{
	pg_atomic_uint32 next_group;
	uint32		ngroups;
	int			ncounters;
	ScanCounters counters[FLEXIBLE_ARRAY_MEMBER];
} SharedScan;

/* One attribute that the scan reads. */
typedef struct ScanColumn
{
	AttributeVector vector;
	int			attno;
	bool		is_filter;		/* read by a column filter */
	bool		is_qual;		/* read by the node's qual */
	bool		is_output;		/* in the target list */

	/* The batch's rows. */
	bool		is_filled;		/* values and isnull are valid */
	bool		is_by_row;		/* each value is fetched when it is needed */
	bool		has_nulls;		/* isnull is not all false */
	Datum	   *values;
	bool	   *isnull;
} ScanColumn;

/* Where a column goes in the slot of a row. */
typedef struct ScanOutput
{
	ScanColumn *column;
	int			target;			/* index in the slot */
} ScanOutput;

/* Row pages that make one batch for a vectorised node, at most. */
#define BATCH_ROW_PAGES 64

/* How rows leave the node. */
typedef enum ScanOutputMode
{
	OUTPUT_SCAN_SLOT,			/* no projection: the scan slot */
	OUTPUT_COLUMNS,				/* plain columns: to the result slot at once */
	OUTPUT_PROJECTION			/* through ExecProject */
} ScanOutputMode;

/*
 * The rows that passed the filters of one vector, or of one row page (several,
 * if a vectorised node asks).  Row i is at position rows[i] of the vector; the
 * batch's memory lives until the next.
 */
typedef struct ScanBatch
{
	bool		is_vector;		/* else a row page */
	int			nrows;
	int			current;		/* row returned last; -1 and nrows: none */
	RowNumber	first;			/* row number of position 0 */
	uint16		rows[VECTOR_ROWS];
	bool		has_rows;		/* vector: rows has what mask has */
	uint64		mask[VECTOR_WORDS]; /* vector: the same rows */
	bool		has_output;		/* output columns are filled */
	MemoryContext context;
} ScanBatch;

typedef struct VectorScanState
{
	CustomScanState css;		/* must be first */

	/* Fixed at start. */
	ColumnFilter *filters;		/* in the plan's order */
	int			nfilters;
	ExprState  *filter_qual;	/* all of them, for single rows */
	struct JoinFilterSet *join_filters; /* of a join above; NULL: none */
	ScanColumn *columns;		/* by attribute number */
	int			ncolumns;
	ScanColumn **column_by_attno;	/* NULL: not read */
	int			max_attno;		/* highest one read */
	ScanOutputMode output_mode;
	bool		uses_expressions;	/* qual or projection */
	ScanOutput *qual_outputs;	/* filled before the qual runs */
	int			nqual_outputs;
	ScanOutput *outputs;		/* filled for rows that passed it */
	int			noutputs;
	TupleTableSlot *row_slot;	/* a tuple of a row page */
	TupleTableSlot *epq_slot;	/* EvalPlanQual's row, made when needed */
	MemoryContext context;
	MemoryContext work;			/* what reading takes; empty before and after */
	bool		keeps_work;		/* it is likely to be needed once more */
	MemoryContext row_context;	/* values fetched for the current row */
	bool		uses_row_context;

	/* Where the scan is. */
	bool		is_started;
	GroupScan  *scan;			/* NULL before the first row, or behind the last */
	int64		ngroups;
	int64		group;			/* open one; -1 before the first */
	bool		in_group;
	bool		in_rows;		/* in a segment in row form */
	uint64		vectors;		/* of the segment, that have to be looked at */
	int			vector;			/* current one of the segment */
	bool		group_is_read;	/* not only attribute entries */
	uint64		nvectors_pruned;	/* of the group, with their segments */
	bool		has_qual_columns;	/* loaded in this segment */
	bool		has_output_columns;
	ScanBatch	batch;
	uint64		ntested;		/* rows that met the qual, and that passed */
	uint64		npassed;

	/* The qual, see vector_qual.c. */
	struct VectorQual *qual;	/* its vectorised clauses; NULL: there are none */
	ExprState  *row_qual;		/* what is left of it for the batch's rows */
	ScanOutput *row_outputs;	/* filled before that runs */
	int			nrow_outputs;

	/* Columns as vectors, for the qual or for a node above. */
	struct VectorSource *source;	/* NULL: none */
	bool		by_batches;		/* a node above takes batches, not rows */
	bool		(*taker) (void *argument, SegmentReader *reader,
						  const SegmentData *segment);	/* or NULL */
	void	   *taker_argument;
	bool		(*skipper) (void *argument, SegmentReader *reader,
							const SegmentData *segment);	/* or NULL */
	uint64		(*vector_skipper) (void *argument, SegmentReader *reader,
								   uint64 vectors); /* of the same node */
	void	   *skipper_argument;
	bool		is_backward;	/* batches come from the end, unless shared */
	uint64		segment_serial; /* column-form segments opened so far */
	int			nrow_pages;		/* of the batch */
	char	   *row_pages[BATCH_ROW_PAGES]; /* their copies, as far as made */

	/* Parallel. */
	SharedScan *shared;
	ScanCounters *counters;		/* own ones, or a worker's shared ones */
	ScanCounters own_counters;
} VectorScanState;

/* ---- scan_path.c ---- */

/* Hooks and node types; once, from _PG_init. */
extern void vector_scan_init(void);

/*
 * Correlation of a column's order with the rows', from -1 to 1; 0 if ANALYZE has
 * not found any.
 */
extern double vector_scan_correlation(Oid relid, AttrNumber attno);

/* Can the relation be scanned for a vectorised node above? */
extern bool vector_scan_is_candidate(PlannerInfo *root, RelOptInfo *rel);

/*
 * A path for such a node, with these Vars as its target; its costs do not
 * include making tuples.
 */
extern CustomPath *vector_scan_batch_path(PlannerInfo *root, RelOptInfo *rel,
										  List *columns);

/*
 * The same scan by several processes, or NULL if what they share costs too
 * little for that: the scan, and what the node above does with its rows.
 */
extern CustomPath *vector_scan_shared_path(RelOptInfo *rel,
										   const CustomPath *scan,
										   Cost shared_cost);

/*
 * A copy of a scan's path for which filters of a join above leave only that
 * part of its rows.
 */
extern CustomPath *vector_scan_thinned_path(const CustomPath *scan,
											double part, int nfilters);

/* ---- index_cost.c ---- */

/* Has fetches through indexes priced; once, from _PG_init. */
extern void index_cost_init(void);

/* ---- scan_plan.c ---- */

extern const CustomPathMethods vector_scan_path_methods;
extern const CustomScanMethods vector_scan_plan_methods;

/*
 * Of clauses (RestrictInfos in core's order), those that become column
 * filters; the others are returned in rest, if it is not NULL.
 */
extern List *vector_scan_filters(List *clauses, Index relid, List **rest);

/* ---- scan_exec.c ---- */

extern Node *vector_scan_create_state(CustomScan *plan);

/*
 * The next batch, which starts the scan; false at its end, where a scan that
 * has never been repeated frees the memory that reading takes.
 */
extern bool vector_scan_next_batch(VectorScanState *state, bool forward);

/* Does row i of the batch pass the qual?  Its columns are filled. */
extern bool vector_scan_row_passes(VectorScanState *state, int row);

/* Where columns that expressions read go in the slot of a row. */
extern ScanOutput *vector_scan_outputs(VectorScanState *state, List *exprs,
									   int *noutputs);

/* ---- scan_batch.c ---- */

/*
 * Get the next batch with rows in that direction, with the qual's columns
 * filled; false at the end, where the batch is empty.
 */
extern bool scan_batch_next(VectorScanState *state, bool forward);

/* List the rows of a batch by its mask, if it has been asked for only that. */
extern void scan_batch_list_rows(ScanBatch *batch);

/* Fill the columns of the target list for the batch's rows. */
extern void scan_batch_fill_output(VectorScanState *state);

/* ---- vector_qual.c ---- */

/* Decide which clauses of the qual are vectorised; again for by_batches. */
extern void vector_qual_init(VectorScanState *state);

/* Before a rescan. */
extern void vector_qual_reset(VectorScanState *state);

/* The clauses that are, for EXPLAIN. */
extern List *vector_qual_clauses(const VectorScanState *state);

/*
 * Keep the rows of a new batch that pass the vectorised clauses, and set
 * row_qual to what is left for them; false if there is no row.
 */
extern bool vector_qual_apply(VectorScanState *state);

/* ---- scan_column.c ---- */

/*
 * Turn the values at the batch's positions into Datums, decoding them; memory
 * of by-reference values is the batch's.
 */
extern void scan_column_fill(ScanColumn *column, SegmentReader *reader,
							 ScanBatch *batch);

/* Bytes that a string takes as a value of the attribute. */
extern Size scan_value_length(Form_pg_attribute attr,
							  const StringRef *string);

/* Make a string a value of the attribute at target. */
extern void scan_value_make(Form_pg_attribute attr, const StringRef *string,
							char *target);

/* ---- scan_parallel.c ---- */

/*
 * Set state->group to the next group for this process in that direction; false
 * if there is none.
 */
extern bool scan_parallel_next_group(VectorScanState *state, bool forward);

extern Size scan_parallel_estimate(CustomScanState *node,
								   ParallelContext *pcxt);
extern void scan_parallel_initialize(CustomScanState *node,
									 ParallelContext *pcxt, void *coordinate);
extern void scan_parallel_reinitialize(CustomScanState *node,
									   ParallelContext *pcxt,
									   void *coordinate);
extern void scan_parallel_initialize_worker(CustomScanState *node,
											shm_toc *toc, void *coordinate);

/* ---- scan_explain.c ---- */

extern void vector_scan_explain(CustomScanState *node, List *ancestors,
								struct ExplainState *es);

#endif							/* EXEC_VECTOR_SCAN_H */
