/*
 * bitmap_scan.c
 *		Bitmap heap scans: rows of TID blocks that a bitmap names.
 *
 * The blocks are logical (DESIGN: row number >> 8), so the server must not
 * prefetch them as blocks of the file, as it does up to 17; scan_setup.c
 * switches that off when a plan starts.
 */
#include "postgres.h"

#include "compat.h"

#include "access/row_fetch.h"
#include "access/table_am.h"
#include "access/table_scan.h"
#include "access/xact.h"
#include "nodes/tidbitmap.h"
#include "pgstat.h"
#include "storage/predicate.h"

/*
 * Note which rows of the block are wanted.
 */
static void
set_offsets(ColumnarScanDesc scan, const OffsetNumber *offsets, int noffsets)
{
	memset(scan->offsets, 0, sizeof(scan->offsets));
	for (int i = 0; i < noffsets; i++)
	{
		int			index = offsets[i] - 1;

		if (index >= 0 && index < TID_BLOCK_ROWS)
			scan->offsets[index / 64] |= UINT64CONST(1) << (index % 64);
	}
}

static bool
row_is_wanted(ColumnarScanDesc scan, RowNumber row)
{
	int			index = row % TID_BLOCK_ROWS;

	return !scan->block_is_exact ||
		(scan->offsets[index / 64] & (UINT64CONST(1) << (index % 64))) != 0;
}

/*
 * Serializable transactions lock rows before they look whether these are
 * visible: a writer that comes in between then meets the lock.  Who is still
 * buffering rows of the block is met here: all of it is in one segment.  The
 * scan itself notes no conflict (is_selective), because it looks at rows of the
 * group that the bitmap does not name.
 */
static void
lock_rows(ColumnarScanDesc scan, const OffsetNumber *offsets, int noffsets,
		  BlockNumber block)
{
	Relation	rel = scan->base.rs_rd;
	Snapshot	snapshot = scan->base.rs_snapshot;
	RowNumber	first = (RowNumber) block << 8;

	if (!IsolationIsSerializable())
		return;
	if (!scan->block_is_exact)
		PredicateLockPage(rel, block, snapshot);
	for (int i = 0; i < noffsets; i++)
	{
		ItemPointerData tid;

		ItemPointerSet(&tid, block, offsets[i]);
		PredicateLockTID(rel, &tid, snapshot, InvalidTransactionId);
	}

	if (!row_fetch_note_writer(rel, first, snapshot))
		return;
	for (int i = 0; i < TID_BLOCK_ROWS; i++)
	{
		if (row_is_wanted(scan, first + i))
			(void) row_fetch(rel, first + i, snapshot, NULL, NULL);
	}
}

/*
 * Turn to a TID block; offsets is NULL if the bitmap has become lossy there.
 */
static bool
begin_block(ColumnarScanDesc scan, BlockNumber block,
			const OffsetNumber *offsets, int noffsets)
{
	row_scan_groups(scan->rows)->is_selective = true;
	scan->block_is_exact = offsets != NULL;
	if (offsets)
		set_offsets(scan, offsets, noffsets);
	lock_rows(scan, offsets, noffsets, block);
	return table_scan_begin_block(scan, block);
}

/*
 * Store the block's next row that is visible and wanted.
 */
static bool
next_in_block(ColumnarScanDesc scan, TupleTableSlot *slot)
{
	RowScan    *rows = scan->rows;

	if (!scan->block_has_rows)
		return false;

	while (row_scan_next(rows, true))
	{
		if (!row_is_wanted(scan, row_scan_row(rows)))
			continue;
		row_scan_store(rows, slot);
		pgstat_count_heap_fetch(scan->base.rs_rd);
		return true;
	}
	scan->block_has_rows = false;
	return false;
}

#if !BITMAP_SCAN_HAS_ITERATOR

bool
columnar_scan_bitmap_next_block(TableScanDesc sscan, TBMIterateResult *result)
{
	bool		is_lossy = result->ntuples < 0;

	return begin_block((ColumnarScanDesc) sscan, result->blockno,
					   is_lossy ? NULL : result->offsets,
					   is_lossy ? 0 : result->ntuples);
}

bool
columnar_scan_bitmap_next_tuple(TableScanDesc sscan, TBMIterateResult *result,
								TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	return next_in_block((ColumnarScanDesc) sscan, slot);
}

#else

/*
 * Go to the bitmap's next block; false after the last.
 */
static bool
next_block(ColumnarScanDesc scan, bool *recheck, uint64 *lossy_pages,
		   uint64 *exact_pages)
{
	OffsetNumber offsets[TBM_MAX_TUPLES_PER_PAGE];
	TBMIterateResult result;
	int			noffsets;

	CHECK_FOR_INTERRUPTS();

	if (!tbm_iterate(&scan->base.st.rs_tbmiterator, &result))
		return false;
	if (result.lossy)
	{
		begin_block(scan, result.blockno, NULL, 0);
		(*lossy_pages)++;
	}
	else
	{
		noffsets = tbm_extract_page_tuple(&result, offsets,
										  TBM_MAX_TUPLES_PER_PAGE);
		begin_block(scan, result.blockno, offsets, noffsets);
		(*exact_pages)++;
	}
	*recheck = result.recheck;
	return true;
}

bool
columnar_scan_bitmap_next_tuple(TableScanDesc sscan, TupleTableSlot *slot,
								bool *recheck, uint64 *lossy_pages,
								uint64 *exact_pages)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;

	ExecClearTuple(slot);
	while (!next_in_block(scan, slot))
	{
		if (!next_block(scan, recheck, lossy_pages, exact_pages))
			return false;
	}
	return true;
}

#endif
