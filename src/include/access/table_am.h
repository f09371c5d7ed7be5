/*
 * table_am.h
 *		The callbacks that make up the access method, by the file they are in.
 */
#ifndef COLUMNAR_ACCESS_TABLE_AM_H
#define COLUMNAR_ACCESS_TABLE_AM_H

#include "access/tableam.h"
#include "compat.h"

extern const TableAmRoutine columnar_table_am_routine;

/* True for a relation whose access method is this one, whatever its name. */
extern bool relation_is_columnar(Relation rel);

/* ---- table_modify.c ---- */

extern void columnar_tuple_insert(Relation rel, TupleTableSlot *slot,
								  CommandId cid, int options,
								  struct BulkInsertStateData *bistate);
extern void columnar_tuple_insert_speculative(Relation rel,
											  TupleTableSlot *slot,
											  CommandId cid, int options,
											  struct BulkInsertStateData *bistate,
											  uint32 spec_token);
extern void columnar_tuple_complete_speculative(Relation rel,
												TupleTableSlot *slot,
												uint32 spec_token,
												bool succeeded);
extern void columnar_multi_insert(Relation rel, TupleTableSlot **slots,
								  int nslots, CommandId cid, int options,
								  struct BulkInsertStateData *bistate);
extern void columnar_finish_bulk_insert(Relation rel, int options);

/*
 * Before anything is written: refuse to change a relation that plugins read
 * while they decode, because they could not tell which of its rows were there at
 * that point of the log; and do what upkeep is due.
 */
extern void table_modify_check(Relation rel);

/* ---- row_change.c ---- */

extern TM_Result columnar_tuple_delete(Relation rel, ItemPointer tid,
									   CommandId cid, Snapshot snapshot,
									   Snapshot crosscheck, bool wait,
									   TM_FailureData *tmfd,
									   bool changing_part);
extern TM_Result columnar_tuple_update(Relation rel, ItemPointer otid,
									   TupleTableSlot *slot, CommandId cid,
									   Snapshot snapshot, Snapshot crosscheck,
									   bool wait, TM_FailureData *tmfd,
									   LockTupleMode *lockmode,
									   TU_UpdateIndexes *update_indexes);
/* ---- row_lock.c ---- */

extern TM_Result columnar_tuple_lock(Relation rel, ItemPointer tid,
									 Snapshot snapshot, TupleTableSlot *slot,
									 CommandId cid, LockTupleMode mode,
									 LockWaitPolicy wait_policy, uint8 flags,
									 TM_FailureData *tmfd);

/* ---- row_chain.c ---- */

extern void columnar_tuple_get_latest_tid(TableScanDesc scan,
										  ItemPointer tid);

/* ---- table_storage.c ---- */

extern void columnar_relation_set_new_filelocator(Relation rel,
												  const RelFileLocator *locator,
												  char persistence,
												  TransactionId *freeze_xid,
												  MultiXactId *min_multi);
extern void columnar_relation_nontransactional_truncate(Relation rel);
extern void columnar_relation_copy_data(Relation rel,
										const RelFileLocator *locator);
extern bool columnar_relation_needs_toast_table(Relation rel);
extern Oid	columnar_relation_toast_am(Relation rel);
extern void columnar_relation_fetch_toast_slice(Relation toast_rel,
												Oid value_id, int32 attrsize,
												int32 slice_offset,
												int32 slice_length,
												struct varlena *result);

/* ---- table_rewrite.c ---- */

extern void columnar_relation_copy_for_cluster(Relation old_rel,
											   Relation new_rel,
											   Relation index, bool use_sort,
											   TransactionId oldest_xmin,
											   TransactionId *xid_cutoff,
											   MultiXactId *multi_cutoff,
											   double *num_tuples,
											   double *tups_vacuumed,
											   double *tups_recently_dead);
/* ---- table_scan.c ---- */

extern Size columnar_parallelscan_initialize(Relation rel,
											 ParallelTableScanDesc pscan);
extern TableScanDesc columnar_scan_begin(Relation rel, Snapshot snapshot,
										 int nkeys, struct ScanKeyData *key,
										 ParallelTableScanDesc parallel_scan,
										 uint32 flags);
extern void columnar_scan_end(TableScanDesc scan);
extern void columnar_scan_rescan(TableScanDesc scan, struct ScanKeyData *key,
								 bool set_params, bool allow_strat,
								 bool allow_sync, bool allow_pagemode);
extern bool columnar_scan_getnextslot(TableScanDesc scan,
									  ScanDirection direction,
									  TupleTableSlot *slot);
extern void columnar_scan_set_tidrange(TableScanDesc scan, ItemPointer mintid,
									   ItemPointer maxtid);
extern bool columnar_scan_getnextslot_tidrange(TableScanDesc scan,
											   ScanDirection direction,
											   TupleTableSlot *slot);

/* ---- bitmap_scan.c ---- */

#if BITMAP_SCAN_HAS_ITERATOR
extern bool columnar_scan_bitmap_next_tuple(TableScanDesc scan,
											TupleTableSlot *slot,
											bool *recheck, uint64 *lossy_pages,
											uint64 *exact_pages);
#else
extern bool columnar_scan_bitmap_next_block(TableScanDesc scan,
											struct TBMIterateResult *result);
extern bool columnar_scan_bitmap_next_tuple(TableScanDesc scan,
											struct TBMIterateResult *result,
											TupleTableSlot *slot);
#endif

/* ---- sample_scan.c ---- */

extern bool columnar_scan_sample_next_block(TableScanDesc scan,
											struct SampleScanState *state);
extern bool columnar_scan_sample_next_tuple(TableScanDesc scan,
											struct SampleScanState *state,
											TupleTableSlot *slot);

/* ---- index_fetch.c ---- */

extern const TupleTableSlotOps *columnar_slot_callbacks(Relation rel);
extern struct IndexFetchTableData *columnar_index_fetch_begin(Relation rel);
extern void columnar_index_fetch_reset(struct IndexFetchTableData *scan);
extern void columnar_index_fetch_end(struct IndexFetchTableData *scan);
extern bool columnar_index_fetch_tuple(struct IndexFetchTableData *scan,
									   ItemPointer tid, Snapshot snapshot,
									   TupleTableSlot *slot, bool *call_again,
									   bool *all_dead);
extern TransactionId columnar_index_delete_tuples(Relation rel,
												  TM_IndexDeleteOp *delstate);
extern bool columnar_tuple_fetch_row_version(Relation rel, ItemPointer tid,
											 Snapshot snapshot,
											 TupleTableSlot *slot);
extern bool columnar_tuple_tid_valid(TableScanDesc scan, ItemPointer tid);
extern bool columnar_tuple_satisfies_snapshot(Relation rel,
											  TupleTableSlot *slot,
											  Snapshot snapshot);

/* ---- index_build.c ---- */

extern double columnar_index_build_range_scan(Relation rel, Relation index,
											  struct IndexInfo *info,
											  bool allow_sync, bool anyvisible,
											  bool progress,
											  BlockNumber start_block,
											  BlockNumber nblocks,
											  IndexBuildCallback callback,
											  void *callback_state,
											  TableScanDesc scan);
extern void columnar_index_validate_scan(Relation rel, Relation index,
										 struct IndexInfo *info,
										 Snapshot snapshot,
										 struct ValidateIndexState *state);

/* ---- analyze_scan.c ---- */

extern bool columnar_scan_analyze_next_block(TableScanDesc scan,
											 ANALYZE_BLOCK_PARAMETERS);
extern bool columnar_scan_analyze_next_tuple(TableScanDesc scan,
											 TransactionId oldest_xmin,
											 double *live_rows,
											 double *dead_rows,
											 TupleTableSlot *slot);

/* ---- relation_estimate.c ---- */

/* Is the table small, without a row in column form? */
extern bool relation_is_row_form(Relation rel);

extern void columnar_relation_estimate_size(Relation rel, int32 *attr_widths,
											BlockNumber *pages, double *tuples,
											double *allvisfrac);

/* ---- unsettled_rows.c ---- */

/* What a scan of the table has to look at row by row; estimates. */
typedef struct UnsettledRows
{
	double		nrow_form;		/* rows in row form */
	double		nheaders;		/* row headers */
	double		nholed;			/* groups with deleted rows */
} UnsettledRows;

/* Reads a few pages, however large the table is. */
extern void relation_unsettled_rows(Relation rel, UnsettledRows *unsettled);

#endif							/* COLUMNAR_ACCESS_TABLE_AM_H */
