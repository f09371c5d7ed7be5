/*
 * index_fetch.c
 *		Rows by TID: for index scans, TID scans, triggers and checks.
 *
 * All of it is row_fetch(); a TID is the row's number.  What makes a fetch from
 * a segment cheap the second time is kept in the slot that the rows go to.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/relscan.h"
#include "access/row_fetch.h"
#include "access/table_am.h"
#include "miscadmin.h"

const TupleTableSlotOps *
columnar_slot_callbacks(Relation rel)
{
	return &TTSOpsColumnarTuple;
}

/* ---- index scans ---- */

IndexFetchTableData *
columnar_index_fetch_begin(Relation rel)
{
	IndexFetchTableData *scan = palloc0(sizeof(IndexFetchTableData));

	scan->rel = rel;
	return scan;
}

void
columnar_index_fetch_reset(IndexFetchTableData *scan)
{
	/* holds nothing */
}

void
columnar_index_fetch_end(IndexFetchTableData *scan)
{
	pfree(scan);
}

bool
columnar_index_fetch_tuple(IndexFetchTableData *scan, ItemPointer tid,
						   Snapshot snapshot, TupleTableSlot *slot,
						   bool *call_again, bool *all_dead)
{
	*call_again = false;		/* a TID has one version */
	return row_fetch(scan->rel, row_number_from_tid(tid), snapshot, slot,
					 all_dead);
}

/* ---- single rows ---- */

bool
columnar_tuple_fetch_row_version(Relation rel, ItemPointer tid,
								 Snapshot snapshot, TupleTableSlot *slot)
{
	return row_fetch(rel, row_number_from_tid(tid), snapshot, slot, NULL);
}

bool
columnar_tuple_tid_valid(TableScanDesc scan, ItemPointer tid)
{
	RowNumber	row = row_number_from_tid(tid);

	return row != InvalidRowNumber &&
		row_number_group(row) < group_scan_ngroups(scan->rs_rd);
}

bool
columnar_tuple_satisfies_snapshot(Relation rel, TupleTableSlot *slot,
								  Snapshot snapshot)
{
	return row_fetch(rel, row_number_from_tid(&slot->tts_tid), snapshot, NULL,
					 NULL);
}
