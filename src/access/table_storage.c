/*
 * table_storage.c
 *		The callbacks about the relation's files and its TOAST table.
 *
 * A columnar table's files come, go and move as a heap's do: its main fork is
 * made of standard pages, an empty one is a valid empty table, and the init
 * fork of an unlogged one is empty.  So heap's callbacks do the work, once the
 * rows that are still buffered are in the file they belong to.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/load_buffer.h"
#include "access/table_am.h"
#include "catalog/pg_am_d.h"
#include "compat.h"
#include "storage/directory.h"

/*
 * The old file may come back with ROLLBACK TO SAVEPOINT, hence the flush.
 */
void
columnar_relation_set_new_filelocator(Relation rel,
									  const RelFileLocator *locator,
									  char persistence,
									  TransactionId *freeze_xid,
									  MultiXactId *min_multi)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();

	load_buffer_flush_for(rel, NULL);
	heap->relation_set_new_filelocator(rel, locator, persistence, freeze_xid,
									   min_multi);
}

void
columnar_relation_nontransactional_truncate(Relation rel)
{
	load_buffer_discard(rel);
	GetHeapamTableAmRoutine()->relation_nontransactional_truncate(rel);

	/* the file has kept its number, but has no directory any more */
	directory_forget(rel);
}

void
columnar_relation_copy_data(Relation rel, const RelFileLocator *locator)
{
	load_buffer_flush_for(rel, NULL);
	GetHeapamTableAmRoutine()->relation_copy_data(rel, locator);
}

/*
 * Rows in row form are heap tuples, which heap's rule is about.
 */
bool
columnar_relation_needs_toast_table(Relation rel)
{
	return GetHeapamTableAmRoutine()->relation_needs_toast_table(rel);
}

/*
 * The server's functions that write TOAST values insert into heaps only.
 */
Oid
columnar_relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

void
columnar_relation_fetch_toast_slice(Relation toast_rel, Oid value_id,
									int32 attrsize, int32 slice_offset,
									int32 slice_length,
									struct varlena *result)
{
	heap_fetch_toast_slice(toast_rel, value_id, attrsize, slice_offset,
						   slice_length, result);
}
