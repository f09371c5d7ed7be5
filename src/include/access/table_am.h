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
extern TM_Result columnar_tuple_lock(Relation rel, ItemPointer tid,
									 Snapshot snapshot, TupleTableSlot *slot,
									 CommandId cid, LockTupleMode mode,
									 LockWaitPolicy wait_policy, uint8 flags,
									 TM_FailureData *tmfd);
extern void columnar_finish_bulk_insert(Relation rel, int options);

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

#endif							/* COLUMNAR_ACCESS_TABLE_AM_H */
