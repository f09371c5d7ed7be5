/*
 * analyze_scan.c
 *		The rows that ANALYZE samples.
 *
 * ANALYZE chooses blocks of the file and expects the rows on them.  Block b of
 * N stands for row numbers b R / N to (b + 1) R / N of the R numbers that the
 * table has given out.  All live and dead rows of that range are counted, which
 * takes no decoding; but compression puts thousands of rows where a heap has a
 * hundred, so only some are returned: of a random choice of vectors, which
 * bounds what is decoded, a random choice of rows.  Each row has the same chance.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/table_am.h"
#include "access/table_scan.h"
#include "access/xact.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/metapage.h"

/* About as many vectors are decoded, and rows returned, at most. */
#define ANALYZE_VECTORS		2000
#define ANALYZE_MIN_ROWS	60000

/* ANALYZE itself takes 300 rows per unit of the statistics target. */
#define ANALYZE_ROWS_PER_TARGET	600

/* What the scan's test says of a row (see GroupScanTest). */
typedef enum AnalyzeStatus
{
	ANALYZE_LIVE = 1,
	ANALYZE_DEAD
} AnalyzeStatus;

typedef struct AnalyzeScan
{
	TransactionId oldest_xmin;
	BlockNumber nblocks;		/* of the file */
	bool		in_block;		/* the block's range is being read */
	double		vector_share;	/* of vectors that rows are returned from */
	double		row_share;		/* of their rows */
	uint32		seed;
	pg_prng_state random;
	bool		batch_is_chosen;
} AnalyzeScan;

/*
 * As heap's ANALYZE, count a transaction's own changes as if it had committed
 * and those of others as if they had not, so that the counts fit those which
 * they report to the statistics system when they do.
 */
static uint8
test_for_analyze(GroupScan *scan, HeapTuple tuple, Buffer buffer,
				 TransactionId *wait)
{
	AnalyzeScan *analyze = scan->test_argument;
	TransactionId xid;

	switch (HeapTupleSatisfiesVacuum(tuple, analyze->oldest_xmin, buffer))
	{
		case HEAPTUPLE_LIVE:
			return ANALYZE_LIVE;
		case HEAPTUPLE_DEAD:
		case HEAPTUPLE_RECENTLY_DEAD:
			return ANALYZE_DEAD;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			xid = HeapTupleHeaderGetXmin(tuple->t_data);
			return TransactionIdIsCurrentTransactionId(xid) ? ANALYZE_LIVE :
				GROUP_SCAN_SKIP;
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			xid = HeapTupleHeaderGetUpdateXid(tuple->t_data);
			return TransactionIdIsCurrentTransactionId(xid) ? ANALYZE_DEAD :
				ANALYZE_LIVE;
	}
	elog(ERROR, "unexpected HeapTupleSatisfiesVacuum result");
	return GROUP_SCAN_SKIP;		/* keep compiler quiet */
}

static void
choose_shares(AnalyzeScan *analyze, Relation rel)
{
	double		wanted = Max(ANALYZE_MIN_ROWS,
							 ANALYZE_ROWS_PER_TARGET * default_statistics_target);
	MetapageData meta;
	double		nrows;

	if (!metapage_copy(rel, &meta))
		return;
	nrows = Max((double) meta.nrows, 1);
	analyze->vector_share = Min(ANALYZE_VECTORS * (double) VECTOR_ROWS / nrows, 1);
	analyze->row_share = Min(wanted / (nrows * analyze->vector_share), 1);
}

static AnalyzeScan *
get_analyze_scan(ColumnarScanDesc scan)
{
	AnalyzeScan *analyze = scan->analyze;
	GroupScan  *groups;

	if (analyze != NULL)
		return analyze;

	analyze = MemoryContextAllocZero(GetMemoryChunkContext(scan),
									 sizeof(AnalyzeScan));
	analyze->nblocks = RelationGetNumberOfBlocks(scan->base.rs_rd);
	analyze->seed = pg_prng_uint32(&pg_global_prng_state);
	pg_prng_seed(&analyze->random, pg_prng_uint64(&pg_global_prng_state));
	choose_shares(analyze, scan->base.rs_rd);

	/* ANALYZE has a snapshot, and its lock keeps the mover out */
	scan->rows->keeps_groups = true;
	groups = row_scan_groups(scan->rows);
	groups->test = test_for_analyze;
	groups->test_argument = analyze;
	scan->analyze = analyze;
	return analyze;
}

bool
columnar_scan_analyze_next_block(TableScanDesc sscan, ANALYZE_BLOCK_PARAMETERS)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	AnalyzeScan *analyze = get_analyze_scan(scan);
	RowNumber	nnumbers = row_number(scan->rows->ngroups, 0);
	BlockNumber sampled = analyze_next_sampled_block();

	if (sampled == InvalidBlockNumber)
		return false;

	/* the file may have grown since the scan counted its blocks */
	analyze->in_block = sampled < analyze->nblocks;
	if (analyze->in_block)
		row_scan_set_range(scan->rows,
						   (RowNumber) ((double) nnumbers * sampled / analyze->nblocks),
						   (RowNumber) ((double) nnumbers * (sampled + 1.0) / analyze->nblocks));
	return true;
}

static bool
choose_row(AnalyzeScan *analyze)
{
	return analyze->row_share >= 1 ||
		pg_prng_double(&analyze->random) < analyze->row_share;
}

/*
 * Choose the rows of a vector beforehand, so that of its strings only theirs
 * are fetched.
 */
static void
choose_rows(AnalyzeScan *analyze, RowScan *rows)
{
	for (int i = 0; i < VECTOR_WORDS; i++)
	{
		for (uint64 bits = rows->mask[i]; bits != 0; bits &= bits - 1)
		{
			if (!choose_row(analyze))
				rows->mask[i] &= ~(bits & -bits);
		}
	}
	memcpy(rows->values->mask, rows->mask, sizeof(rows->mask));
}

/*
 * Count the live rows of the scan's batch.
 */
static int
count_live(const RowScan *rows)
{
	const GroupScan *groups = rows->groups;
	uint32		first = row_number_offset(rows->batch_first);
	int			nlive = 0;

	if (groups->segment->form != SEGMENT_COLUMNS)
	{
		for (int i = 0; i < rows->nrows; i++)
			nlive += groups->status[i] == ANALYZE_LIVE;
		return nlive;
	}
	if (groups->row_status == NULL)
		return groups->visible[groups->segment_index] == ANALYZE_LIVE ?
			rows->nrows : 0;
	for (int i = 0; i < VECTOR_ROWS; i++)
	{
		if ((rows->mask[i / 64] >> (i % 64)) & 1)
			nlive += groups->row_status[first + i] == ANALYZE_LIVE;
	}
	return nlive;
}

/*
 * The scan is at a new batch: count its rows, and decide whether some of them
 * are returned.
 */
static void
begin_batch(AnalyzeScan *analyze, RowScan *rows, double *live_rows,
			double *dead_rows)
{
	GroupScan  *groups = rows->groups;
	RowNumber	first = rows->batch_first;
	bool		in_columns = groups->segment->form == SEGMENT_COLUMNS;
	int			nlive = count_live(rows);

	*live_rows += nlive;
	*dead_rows += rows->nrows - nlive;
	if (!in_columns)
		first = row_number_from_tid(&groups->tuples[0].t_self);
	analyze->batch_is_chosen =
		hash_combine(murmurhash32((uint32) (first / VECTOR_ROWS)), analyze->seed) <=
		analyze->vector_share * PG_UINT32_MAX;
	if (analyze->batch_is_chosen && in_columns)
		choose_rows(analyze, rows);
}

static bool
next_row(AnalyzeScan *analyze, RowScan *rows)
{
	bool		in_columns = rows->groups->segment->form == SEGMENT_COLUMNS;

	while (analyze->batch_is_chosen && row_scan_next_in_batch(rows, true))
	{
		if (row_scan_status(rows) == ANALYZE_LIVE &&
			(in_columns || choose_row(analyze)))
			return true;
	}
	return false;
}

bool
columnar_scan_analyze_next_tuple(TableScanDesc sscan,
								 TransactionId oldest_xmin,
								 double *live_rows, double *dead_rows,
								 TupleTableSlot *slot)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	AnalyzeScan *analyze = scan->analyze;
	RowScan    *rows = scan->rows;

	analyze->oldest_xmin = oldest_xmin;
	ExecClearTuple(slot);
	if (!analyze->in_block)
		return false;

	while (!rows->has_batch || !next_row(analyze, rows))
	{
		CHECK_FOR_INTERRUPTS();
		if (!row_scan_next_batch(rows, true))
		{
			analyze->in_block = false;
			return false;
		}
		begin_batch(analyze, rows, live_rows, dead_rows);
	}
	row_scan_store(rows, slot);
	return true;
}
