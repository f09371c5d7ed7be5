/*
 * index_build.c
 *		Reading a table for CREATE INDEX, REINDEX and their concurrent forms.
 *
 * An ordinary build indexes every row that somebody may still see, by the
 * verdict of HeapTupleSatisfiesVacuum on the tuple, or on the segment's header
 * for all of its rows; a concurrent one indexes what its snapshot sees.  Rows
 * come in the order of their TIDs, and there are no HOT chains.
 */
#include "postgres.h"

#include "compat.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/table_am.h"
#include "access/table_scan.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "commands/progress.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "pgstat.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

/* What the build's test says of a row (see GroupScanTest). */
typedef enum BuildStatus
{
	BUILD_LIVE = 1,				/* index, check for uniqueness, count */
	BUILD_UNCOUNTED,			/* the same, but not ours to count */
	BUILD_DYING,				/* index only */
	BUILD_DYING_COUNTED			/* index and count */
} BuildStatus;

/* What the test needs to know. */
typedef struct BuildTest
{
	TransactionId oldest_xmin;
	bool		checks_uniqueness;
	bool		anyvisible;
	bool		is_catalog;
} BuildTest;

/* Values of a row for the index, and whether it belongs there. */
typedef struct IndexRow
{
	IndexInfo  *info;
	EState	   *estate;
	ExprContext *econtext;
	ExprState  *predicate;
	TupleTableSlot *slot;
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];
} IndexRow;

/* ---- values ---- */

/*
 * Of the table's rows, only what the index refers to is decoded.
 */
static void
set_needed_attributes(TupleTableSlot *slot, IndexInfo *info)
{
	Bitmapset  *attrs = NULL;

	for (int i = 0; i < info->ii_NumIndexAttrs; i++)
	{
		AttrNumber	attno = info->ii_IndexAttrNumbers[i];

		if (attno != 0)
			attrs = bms_add_member(attrs, attno - FirstLowInvalidHeapAttributeNumber);
	}
	pull_varattnos((Node *) info->ii_Expressions, 1, &attrs);
	pull_varattnos((Node *) info->ii_Predicate, 1, &attrs);
	columnar_slot_set_needed(slot, attrs);
	bms_free(attrs);
}

static void
index_row_init(IndexRow *row, Relation rel, IndexInfo *info)
{
	row->info = info;
	row->estate = CreateExecutorState();
	row->econtext = GetPerTupleExprContext(row->estate);
	row->slot = table_slot_create(rel, NULL);
	row->econtext->ecxt_scantuple = row->slot;
	row->predicate = ExecPrepareQual(info->ii_Predicate, row->estate);
	set_needed_attributes(row->slot, info);
}

static void
index_row_free(IndexRow *row)
{
	ExecDropSingleTupleTableSlot(row->slot);
	FreeExecutorState(row->estate);

	/* these were in the executor state */
	row->info->ii_ExpressionsState = NIL;
	row->info->ii_PredicateState = NULL;
}

/*
 * Compute the values of the scan's current row; false if the predicate rejects
 * it.
 */
static bool
index_row_form(IndexRow *row, RowScan *rows)
{
	MemoryContextReset(row->econtext->ecxt_per_tuple_memory);
	row_scan_store(rows, row->slot);
	if (row->predicate != NULL && !ExecQual(row->predicate, row->econtext))
		return false;
	FormIndexDatum(row->info, row->slot, row->estate, row->values,
				   row->isnull);
	return true;
}

/* ---- which rows ---- */

/*
 * Somebody else is writing or deleting the row, although the build's lock
 * keeps writers out: only in catalogs, which unlock early, is that in order.
 */
static uint8
in_progress(GroupScan *scan, BuildTest *test, const char *what,
			TransactionId xid, uint8 status, TransactionId *wait)
{
	if (!test->is_catalog)
		elog(WARNING, "concurrent %s in progress within table \"%s\"",
			 what, RelationGetRelationName(scan->rel));
	if (!test->checks_uniqueness)
		return status;
	*wait = xid;
	return GROUP_SCAN_WAIT;
}

static uint8
test_for_build(GroupScan *scan, HeapTuple tuple, Buffer buffer,
			   TransactionId *wait)
{
	BuildTest  *test = scan->test_argument;
	TransactionId xid;

	switch (HeapTupleSatisfiesVacuum(tuple, test->oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			return GROUP_SCAN_SKIP;
		case HEAPTUPLE_LIVE:
			return BUILD_LIVE;
		case HEAPTUPLE_RECENTLY_DEAD:
			return BUILD_DYING;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			xid = HeapTupleHeaderGetXmin(tuple->t_data);
			if (test->anyvisible || TransactionIdIsCurrentTransactionId(xid))
				return BUILD_LIVE;
			return in_progress(scan, test, "insert", xid, BUILD_UNCOUNTED,
							   wait);
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			xid = HeapTupleHeaderGetUpdateXid(tuple->t_data);
			if (test->anyvisible)
				return BUILD_DYING_COUNTED;
			if (TransactionIdIsCurrentTransactionId(xid))
				return BUILD_DYING;
			return in_progress(scan, test, "delete", xid, BUILD_DYING_COUNTED,
							   wait);
	}
	elog(ERROR, "unexpected HeapTupleSatisfiesVacuum result");
	return GROUP_SCAN_SKIP;		/* keep compiler quiet */
}

/* ---- progress, in blocks of the file ---- */

static void
report_total(bool progress, BlockNumber nblocks)
{
	if (progress)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_TOTAL, nblocks);
}

static void
report_done(bool progress, BlockNumber nblocks, const RowScan *rows)
{
	if (progress && rows->ngroups > 0)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE,
									 (int64) nblocks * Min(rows->group, rows->ngroups) /
									 rows->ngroups);
}

/* ---- ordinary and concurrent builds ---- */

/*
 * Hand every row of the scan to the index; returns their number as counted for
 * the statistics.
 */
static double
build_from_scan(RowScan *rows, Relation index, IndexRow *row, bool uses_test,
				bool progress, IndexBuildCallback callback,
				void *callback_state)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(rows->rel);
	double		nrows = 0;

	report_total(progress, nblocks);
	while (row_scan_next(rows, true))
	{
		uint8		status = uses_test ? row_scan_status(rows) : BUILD_LIVE;

		CHECK_FOR_INTERRUPTS();
		pgstat_count_heap_getnext(rows->rel);
		if (rows->position == 0)
			report_done(progress, nblocks, rows);

		if (status == BUILD_LIVE || status == BUILD_DYING_COUNTED)
			nrows += 1;
		if (index_row_form(row, rows))
			callback(index, &row->slot->tts_tid, row->values, row->isnull,
					 status == BUILD_LIVE || status == BUILD_UNCOUNTED,
					 callback_state);
	}
	ExecClearTuple(row->slot);
	if (progress)
		pgstat_progress_update_param(PROGRESS_SCAN_BLOCKS_DONE, nblocks);
	return nrows;
}

/*
 * BRIN sums up ranges of file blocks, which TIDs are not.
 */
static void
check_index_am(Relation index)
{
	if (index->rd_rel->relam == BRIN_AM_OID)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("access method \"%s\" is not supported for columnar tables",
						"brin"),
				 errhint("A columnar table keeps the minimum and maximum of each column for every few rows by itself.")));
}

double
columnar_index_build_range_scan(Relation rel, Relation index,
								IndexInfo *info, bool allow_sync,
								bool anyvisible, bool progress,
								BlockNumber start_block, BlockNumber nblocks,
								IndexBuildCallback callback,
								void *callback_state, TableScanDesc sscan)
{
	IndexRow	row;
	BuildTest	test = {0};
	Snapshot	registered = NULL;
	RowScan    *rows;
	double		nrows;

	check_index_am(index);
	Assert(start_block == 0 && nblocks == InvalidBlockNumber);

	if (!info->ii_Concurrent)
		test.oldest_xmin = GetOldestNonRemovableTransactionId(rel);
	test.checks_uniqueness = info->ii_Unique || info->ii_ExclusionOps != NULL;
	test.anyvisible = anyvisible;
	test.is_catalog = IsSystemRelation(rel);

	if (sscan == NULL)
	{
		Snapshot	snapshot = SnapshotAny;

		if (info->ii_Concurrent)
			snapshot = registered = RegisterSnapshot(GetTransactionSnapshot());
		sscan = table_beginscan_strat(rel, snapshot, 0, NULL, true, allow_sync);
	}
	rows = ((ColumnarScanDesc) sscan)->rows;
	if (sscan->rs_snapshot == SnapshotAny)
	{
		row_scan_groups(rows)->test = test_for_build;
		row_scan_groups(rows)->test_argument = &test;
	}

	index_row_init(&row, rel, info);
	nrows = build_from_scan(rows, index, &row,
							sscan->rs_snapshot == SnapshotAny, progress,
							callback, callback_state);
	table_endscan(sscan);
	if (registered)
		UnregisterSnapshot(registered);
	index_row_free(&row);
	return nrows;
}

/* ---- validation ---- */

/* The sorted TIDs that the index has. */
typedef struct IndexTids
{
	Tuplesortstate *sort;
	bool		is_started;
	bool		is_empty;
	ItemPointerData tid;		/* the present one, unless is_empty */
} IndexTids;

/* Step to the first TID that is not below tid; is it that? */
static bool
index_tids_find(IndexTids *tids, ItemPointer tid)
{
	while (!tids->is_empty &&
		   (!tids->is_started || ItemPointerCompare(&tids->tid, tid) < 0))
	{
		Datum		value;
		bool		isnull;

		tids->is_started = true;
		tids->is_empty = !columnar_tuplesort_getdatum(tids->sort, &value, &isnull);
		if (!tids->is_empty)
		{
			Assert(!isnull);
			itemptr_decode(&tids->tid, DatumGetInt64(value));
		}
	}
	return !tids->is_empty && ItemPointerCompare(&tids->tid, tid) == 0;
}

/*
 * Second pass of a concurrent build: insert what the snapshot sees and the
 * index lacks.
 */
void
columnar_index_validate_scan(Relation rel, Relation index, IndexInfo *info,
							 Snapshot snapshot, ValidateIndexState *state)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	IndexTids	tids = {.sort = state->tuplesort};
	TableScanDesc sscan;
	RowScan    *rows;
	IndexRow	row;

	index_row_init(&row, rel, info);
	sscan = table_beginscan_strat(rel, snapshot, 0, NULL, true, false);
	rows = ((ColumnarScanDesc) sscan)->rows;
	report_total(true, nblocks);

	while (row_scan_next(rows, true))
	{
		ItemPointerData tid;

		CHECK_FOR_INTERRUPTS();
		pgstat_count_heap_getnext(rel);
		if (rows->position == 0)
			report_done(true, nblocks, rows);

		state->htups += 1;
		row_number_to_tid(row_scan_row(rows), &tid);
		if (index_tids_find(&tids, &tid) || !index_row_form(&row, rows))
			continue;
		index_insert(index, row.values, row.isnull, &tid, rel,
					 info->ii_Unique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO,
					 false, info);
		state->tups_inserted += 1;
	}

	ExecClearTuple(row.slot);
	table_endscan(sscan);
	index_row_free(&row);
}
