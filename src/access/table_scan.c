/*
 * table_scan.c
 *		Scans of a table: sequential, parallel, and by ranges of TIDs.
 *
 * A parallel scan hands out chunk groups through the counter of the server's
 * own block-oriented descriptor, which then counts groups instead of blocks.
 */
#include "postgres.h"

#include "compat.h"

#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/row_fetch.h"
#include "access/skey.h"
#include "access/table_am.h"
#include "access/table_scan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* ---- dirty snapshots ---- */

/*
 * A dirty snapshot is told, with each row, who is inserting or changing it.  The
 * subscriber's search for a row without an index waits for him.  But here many
 * rows are judged before the first is returned.
 */
enum
{
	ROW_SETTLED = 1,
	ROW_IN_PROGRESS				/* to be judged again when it is returned */
};

static uint8
test_dirty(GroupScan *scan, HeapTuple tuple, Buffer buffer,
		   TransactionId *wait)
{
	Snapshot	snapshot = scan->snapshot;

	if (!HeapTupleSatisfiesVisibility(tuple, snapshot, buffer))
		return GROUP_SCAN_SKIP;
	return TransactionIdIsValid(snapshot->xmin) ||
		TransactionIdIsValid(snapshot->xmax) ? ROW_IN_PROGRESS : ROW_SETTLED;
}

static inline bool
is_dirty(Snapshot snapshot)
{
	return snapshot != NULL && snapshot->snapshot_type == SNAPSHOT_DIRTY;
}

/*
 * Tell the dirty snapshot about the current row; false if the row is not there
 * any more.
 */
static bool
tell_snapshot(RowScan *rows)
{
	Snapshot	snapshot = rows->snapshot;

	if (row_scan_status(rows) == ROW_IN_PROGRESS)
		return row_fetch(rows->rel, row_scan_row(rows), snapshot, NULL, NULL);
	snapshot->xmin = snapshot->xmax = InvalidTransactionId;
	snapshot->speculativeToken = 0;
	return true;
}

/* ---- begin and end ---- */

/*
 * As heap does, read large tables through a ring of buffers.
 */
static BufferAccessStrategy
choose_strategy(Relation rel, uint32 flags)
{
	if ((flags & SO_ALLOW_STRAT) == 0 || RelationUsesLocalBuffers(rel) ||
		RelationGetNumberOfBlocks(rel) <= NBuffers / 4)
		return NULL;
	return GetAccessStrategy(BAS_BULKREAD);
}

static void
count_scan(ColumnarScanDesc scan)
{
	if (scan->base.rs_flags & SO_TYPE_SEQSCAN)
		pgstat_count_heap_scan(scan->base.rs_rd);
}

TableScanDesc
columnar_scan_begin(Relation rel, Snapshot snapshot, int nkeys,
					ScanKey key, ParallelTableScanDesc parallel_scan,
					uint32 flags)
{
	ColumnarScanDesc scan;

	load_buffer_flush_for(rel, snapshot);
	RelationIncrementReferenceCount(rel);

	scan = palloc0(sizeof(ColumnarScanDescData));
	scan->base.rs_rd = rel;
	scan->base.rs_snapshot = snapshot;
	scan->base.rs_nkeys = nkeys;
	scan->base.rs_flags = flags;
	scan->base.rs_parallel = parallel_scan;
	if (nkeys > 0)
	{
		scan->base.rs_key = palloc(nkeys * sizeof(ScanKeyData));
		if (key != NULL)
			memcpy(scan->base.rs_key, key, nkeys * sizeof(ScanKeyData));
	}

	/* as in heap, the whole relation is locked where most of it is read */
	if (flags & (SO_TYPE_SEQSCAN | SO_TYPE_SAMPLESCAN))
		PredicateLockRelation(rel, snapshot);

	scan->strategy = choose_strategy(rel, flags);
	scan->rows = row_scan_create(rel, snapshot, scan->strategy);
	scan->rows->parallel = (ParallelBlockTableScanDesc) parallel_scan;
	if (is_dirty(snapshot))
		row_scan_groups(scan->rows)->test = test_dirty;
	scan->block = InvalidBlockNumber;
	count_scan(scan);
	return &scan->base;
}

void
columnar_scan_end(TableScanDesc sscan)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;

	row_scan_free(scan->rows);
	if (scan->strategy)
		FreeAccessStrategy(scan->strategy);
	RelationDecrementReferenceCount(sscan->rs_rd);
	if (sscan->rs_key)
		pfree(sscan->rs_key);
	if (sscan->rs_flags & SO_TEMP_SNAPSHOT)
		UnregisterSnapshot(sscan->rs_snapshot);
	pfree(scan);
}

void
columnar_scan_rescan(TableScanDesc sscan, ScanKey key, bool set_params,
					 bool allow_strat, bool allow_sync, bool allow_pagemode)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;

	if (key != NULL && sscan->rs_nkeys > 0)
		memcpy(sscan->rs_key, key, sscan->rs_nkeys * sizeof(ScanKeyData));
	row_scan_restart(scan->rows);
	scan->block = InvalidBlockNumber;
	scan->block_has_rows = false;
	count_scan(scan);
}

/*
 * Workers, also those of an index build, cannot see what this session buffers.
 */
Size
columnar_parallelscan_initialize(Relation rel, ParallelTableScanDesc pscan)
{
	load_buffer_flush_for(rel, NULL);
	return table_block_parallelscan_initialize(rel, pscan);
}

/* ---- sequential scans ---- */

static bool
keys_match(TableScanDesc sscan, TupleTableSlot *slot)
{
	for (int i = 0; i < sscan->rs_nkeys; i++)
	{
		ScanKey		key = &sscan->rs_key[i];
		bool		isnull;
		Datum		value;

		if (key->sk_flags & SK_ISNULL)
			return false;
		value = slot_getattr(slot, key->sk_attno, &isnull);
		if (isnull ||
			!DatumGetBool(FunctionCall2Coll(&key->sk_func, key->sk_collation,
											value, key->sk_argument)))
			return false;
	}
	return true;
}

bool
columnar_scan_getnextslot(TableScanDesc sscan, ScanDirection direction,
						  TupleTableSlot *slot)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	RowScan    *rows = scan->rows;
	bool		forward = ScanDirectionIsForward(direction);

	for (;;)
	{
		if (!rows->has_batch || !row_scan_next_in_batch(rows, forward))
		{
			/* else the row that nobody wants any more would be copied */
			ExecClearTuple(slot);
			do
			{
				if (!row_scan_next_batch(rows, forward))
					return false;
			} while (!row_scan_next_in_batch(rows, forward));
		}
		row_scan_store(rows, slot);
		if ((sscan->rs_nkeys == 0 || keys_match(sscan, slot)) &&
			(!is_dirty(sscan->rs_snapshot) || tell_snapshot(rows)))
			break;
		CHECK_FOR_INTERRUPTS();
	}

	pgstat_count_heap_getnext(sscan->rs_rd);
	return true;
}

/* ---- ranges of TIDs ---- */

/*
 * The first row at or behind a TID, or behind it.  Offsets that no row has are
 * allowed: "ctid > (n,65535)" is what the planner makes of "(n+1,0)".
 */
static RowNumber
tid_lower_bound(ItemPointer tid, bool behind)
{
	uint64		offset = ItemPointerGetOffsetNumberNoCheck(tid);
	uint64		index = behind ? offset : (offset > 0 ? offset - 1 : 0);

	return ((RowNumber) ItemPointerGetBlockNumberNoCheck(tid) << 8) +
		Min(index, TID_BLOCK_ROWS);
}

void
columnar_scan_set_tidrange(TableScanDesc sscan, ItemPointer mintid,
						   ItemPointer maxtid)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	RowNumber	first = tid_lower_bound(mintid, false);
	RowNumber	limit = tid_lower_bound(maxtid, true);

	row_scan_set_range(scan->rows, first, Max(first, limit));
}

bool
columnar_scan_getnextslot_tidrange(TableScanDesc sscan,
								   ScanDirection direction,
								   TupleTableSlot *slot)
{
	return columnar_scan_getnextslot(sscan, direction, slot);
}

/* ---- TID blocks ---- */

bool
table_scan_begin_block(ColumnarScanDesc scan, BlockNumber block)
{
	RowNumber	first = (RowNumber) block << 8;

	scan->block = block;
	row_scan_set_range(scan->rows, first, first + TID_BLOCK_ROWS);
	scan->block_has_rows = row_scan_next_batch(scan->rows, true);
	return scan->block_has_rows;
}

BlockNumber
table_scan_nblocks(ColumnarScanDesc scan)
{
	return scan->rows->ngroups * (GROUP_ROWS / TID_BLOCK_ROWS);
}
