/*
 * sample_scan.c
 *		TABLESAMPLE: the blocks that a sampling method sees are TID blocks.
 *
 * A block without visible rows has no offsets to choose from, so numbers that
 * were never given to rows cost a method that goes by blocks nothing.
 */
#include "postgres.h"

#include "compat.h"

#include "access/table_am.h"
#include "access/table_scan.h"
#include "access/tsmapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "pgstat.h"

bool
columnar_scan_sample_next_block(TableScanDesc sscan,
								SampleScanState *scanstate)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	TsmRoutine *tsm = scanstate->tsmroutine;
	BlockNumber nblocks = table_scan_nblocks(scan);
	BlockNumber block;

	if (nblocks == 0)
		return false;

	if (tsm->NextSampleBlock)
		block = tsm->NextSampleBlock(scanstate, nblocks);
	else
	{
		block = scan->block == InvalidBlockNumber ? 0 : scan->block + 1;
		if (block >= nblocks)
			block = InvalidBlockNumber;
	}

	if (block == InvalidBlockNumber)
	{
		scan->block = InvalidBlockNumber;
		scan->block_has_rows = false;
		return false;
	}
	table_scan_begin_block(scan, block);
	scan->block_end = InvalidRowNumber;
	return true;
}

/*
 * Go to a row of the block; false if it is not visible.  Methods ask in
 * ascending order, but need not.
 */
static bool
seek_row(ColumnarScanDesc scan, RowNumber row)
{
	RowScan    *rows = scan->rows;

	if (row >= scan->block_end)
		return false;
	if (rows->has_batch && rows->position >= 0 && row_scan_row(rows) >= row)
	{
		if (row_scan_row(rows) == row)
			return true;
		table_scan_begin_block(scan, scan->block);
	}
	else if (!rows->has_batch)
		table_scan_begin_block(scan, scan->block);

	while (row_scan_next(rows, true))
	{
		if (row_scan_row(rows) == row)
			return true;
		if (row_scan_row(rows) > row)
			return false;
	}
	scan->block_end = row;
	return false;
}

bool
columnar_scan_sample_next_tuple(TableScanDesc sscan,
								SampleScanState *scanstate,
								TupleTableSlot *slot)
{
	ColumnarScanDesc scan = (ColumnarScanDesc) sscan;
	TsmRoutine *tsm = scanstate->tsmroutine;
	OffsetNumber max_offset = scan->block_has_rows ? TID_BLOCK_ROWS : 0;

	ExecClearTuple(slot);
	for (;;)
	{
		OffsetNumber offset;

		CHECK_FOR_INTERRUPTS();

		offset = tsm->NextSampleTuple(scanstate, scan->block, max_offset);
		if (!OffsetNumberIsValid(offset))
			return false;
		if (offset > TID_BLOCK_ROWS ||
			!seek_row(scan, ((RowNumber) scan->block << 8) + offset - 1))
			continue;

		row_scan_store(scan->rows, slot);
		pgstat_count_heap_getnext(sscan->rs_rd);
		return true;
	}
}
