/*
 * table_scan.h
 *		The access method's scan descriptor.
 */
#ifndef ACCESS_TABLE_SCAN_H
#define ACCESS_TABLE_SCAN_H

#include "access/row_scan.h"

struct AnalyzeScan;

typedef struct ColumnarScanDescData
{
	TableScanDescData base;		/* must be first */
	RowScan    *rows;
	BufferAccessStrategy strategy;

	/* Bitmap and sample scans: the TID block that is read. */
	BlockNumber block;			/* or InvalidBlockNumber */
	bool		block_has_rows;
	bool		block_is_exact; /* only rows in offsets are wanted */
	uint64		offsets[TID_BLOCK_ROWS / 64];
	RowNumber	block_end;		/* sample: no visible row from here on */

	struct AnalyzeScan *analyze;	/* ANALYZE */
} ColumnarScanDescData;

typedef ColumnarScanDescData *ColumnarScanDesc;

/* Turn to the rows of a TID block; false if none is visible. */
extern bool table_scan_begin_block(ColumnarScanDesc scan, BlockNumber block);

/* TID blocks that the table has numbers for. */
extern BlockNumber table_scan_nblocks(ColumnarScanDesc scan);

#endif							/* ACCESS_TABLE_SCAN_H */
