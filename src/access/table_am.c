/*
 * table_am.c
 *		The access method: its callbacks by name, nothing else.
 *
 * The files that have them are named in table_am.h.
 */
#include "postgres.h"

#include "access/table_am.h"
#include "compat.h"
#include "utils/rel.h"

bool
relation_is_columnar(Relation rel)
{
	return rel->rd_tableam == &columnar_table_am_routine;
}

const TableAmRoutine columnar_table_am_routine = {
	.type = T_TableAmRoutine,

	/* table_modify.c */
	.tuple_insert = columnar_tuple_insert,
	.tuple_insert_speculative = columnar_tuple_insert_speculative,
	.tuple_complete_speculative = columnar_tuple_complete_speculative,
	.multi_insert = columnar_multi_insert,
	.tuple_delete = columnar_tuple_delete,
	.tuple_update = columnar_tuple_update,
	.tuple_lock = columnar_tuple_lock,
	.finish_bulk_insert = columnar_finish_bulk_insert,

	/* table_storage.c */
	.relation_set_new_filelocator = columnar_relation_set_new_filelocator,
	.relation_nontransactional_truncate = columnar_relation_nontransactional_truncate,
	.relation_copy_data = columnar_relation_copy_data,
	.relation_size = table_block_relation_size,
	.relation_needs_toast_table = columnar_relation_needs_toast_table,
	.relation_toast_am = columnar_relation_toast_am,
	.relation_fetch_toast_slice = columnar_relation_fetch_toast_slice,
};
