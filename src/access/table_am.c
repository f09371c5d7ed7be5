/*
 * table_am.c
 *		The access method: its callbacks by name, nothing else.
 *
 * The files that have them are named in table_am.h.
 */
#include "postgres.h"

#include "access/table_am.h"
#include "access/vacuum.h"
#include "compat.h"
#include "utils/rel.h"

bool
relation_is_columnar(Relation rel)
{
	return rel->rd_tableam == &columnar_table_am_routine;
}

const TableAmRoutine columnar_table_am_routine = {
	.type = T_TableAmRoutine,

	/* table_scan.c */
	.scan_begin = columnar_scan_begin,
	.scan_end = columnar_scan_end,
	.scan_rescan = columnar_scan_rescan,
	.scan_getnextslot = columnar_scan_getnextslot,
	.scan_set_tidrange = columnar_scan_set_tidrange,
	.scan_getnextslot_tidrange = columnar_scan_getnextslot_tidrange,
	.parallelscan_estimate = table_block_parallelscan_estimate,
	.parallelscan_initialize = columnar_parallelscan_initialize,
	.parallelscan_reinitialize = table_block_parallelscan_reinitialize,

	/* bitmap_scan.c */
#if !BITMAP_SCAN_HAS_ITERATOR
	.scan_bitmap_next_block = columnar_scan_bitmap_next_block,
#endif
	.scan_bitmap_next_tuple = columnar_scan_bitmap_next_tuple,

	/* sample_scan.c */
	.scan_sample_next_block = columnar_scan_sample_next_block,
	.scan_sample_next_tuple = columnar_scan_sample_next_tuple,

	/* index_fetch.c */
	.slot_callbacks = columnar_slot_callbacks,
	.index_fetch_begin = columnar_index_fetch_begin,
	.index_fetch_reset = columnar_index_fetch_reset,
	.index_fetch_end = columnar_index_fetch_end,
	.index_fetch_tuple = columnar_index_fetch_tuple,
	.index_delete_tuples = columnar_index_delete_tuples,
	.tuple_fetch_row_version = columnar_tuple_fetch_row_version,
	.tuple_tid_valid = columnar_tuple_tid_valid,
	.tuple_satisfies_snapshot = columnar_tuple_satisfies_snapshot,

	/* index_build.c */
	.index_build_range_scan = columnar_index_build_range_scan,
	.index_validate_scan = columnar_index_validate_scan,

	/* analyze_scan.c */
	.scan_analyze_next_block = columnar_scan_analyze_next_block,
	.scan_analyze_next_tuple = columnar_scan_analyze_next_tuple,

	/* relation_estimate.c */
	.relation_estimate_size = columnar_relation_estimate_size,

	/* table_modify.c */
	.tuple_insert = columnar_tuple_insert,
	.tuple_insert_speculative = columnar_tuple_insert_speculative,
	.tuple_complete_speculative = columnar_tuple_complete_speculative,
	.multi_insert = columnar_multi_insert,
	.finish_bulk_insert = columnar_finish_bulk_insert,

	/* row_change.c */
	.tuple_delete = columnar_tuple_delete,
	.tuple_update = columnar_tuple_update,

	/* row_lock.c */
	.tuple_lock = columnar_tuple_lock,

	/* row_chain.c */
	.tuple_get_latest_tid = columnar_tuple_get_latest_tid,

	/* vacuum.c */
	.relation_vacuum = columnar_relation_vacuum,

	/* table_storage.c */
	.relation_set_new_filelocator = columnar_relation_set_new_filelocator,
	.relation_nontransactional_truncate = columnar_relation_nontransactional_truncate,
	.relation_copy_data = columnar_relation_copy_data,
	.relation_size = table_block_relation_size,
	.relation_needs_toast_table = columnar_relation_needs_toast_table,
	.relation_toast_am = columnar_relation_toast_am,
	.relation_fetch_toast_slice = columnar_relation_fetch_toast_slice,

	/* table_rewrite.c */
	.relation_copy_for_cluster = columnar_relation_copy_for_cluster,
};
