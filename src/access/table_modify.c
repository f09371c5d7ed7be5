/*
 * table_modify.c
 *		The callbacks that write rows.
 *
 * The first rows of a command become heap tuples on row pages (row_form.c),
 * all others wait in a buffer to be written by column (load_buffer.c).
 */
#include "postgres.h"

#include "access/columnar_slot.h"
#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/row_form.h"
#include "access/row_place.h"
#include "access/table_am.h"
#include "access/upkeep.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/rel.h"

void
table_modify_check(Relation rel)
{
	if (RelationIsAccessibleInLogicalDecoding(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change columnar table \"%s\" as a catalog table of logical decoding",
						RelationGetRelationName(rel)),
				 errhint("Reset the storage parameter user_catalog_table, or make it a heap table.")));
	if (unlikely(upkeep_is_due))
		upkeep_run(rel);
}

/*
 * Write slots as one batch of row-form rows.
 */
static void
insert_row_form(Relation rel, TupleTableSlot **slots, int nslots,
				CommandId cid, int options)
{
	HeapTuple	one_tuple;
	bool		one_free;
	HeapTuple  *tuples = &one_tuple;
	bool	   *should_free = &one_free;

	if (nslots > 1)
	{
		tuples = palloc(nslots * sizeof(HeapTuple));
		should_free = palloc(nslots * sizeof(bool));
	}

	for (int i = 0; i < nslots; i++)
	{
		tuples[i] = ExecFetchSlotHeapTuple(slots[i], true, &should_free[i]);
		slots[i]->tts_tableOid = RelationGetRelid(rel);
	}

	row_form_insert(rel, tuples, nslots, cid, options);

	for (int i = 0; i < nslots; i++)
	{
		slots[i]->tts_tid = tuples[i]->t_self;
		if (should_free[i])
			heap_freetuple(tuples[i]);
	}
	columnar_slots_set_writer(slots, nslots, GetCurrentTransactionId(), cid);
	if (nslots > 1)
	{
		pfree(tuples);
		pfree(should_free);
	}
}

/*
 * Leave slots to the load buffer; RETURNING may ask for their system columns.
 */
static void
insert_buffered(Relation rel, TupleTableSlot **slots, int nslots,
				CommandId cid, int options)
{
	load_buffer_append(rel, slots, nslots, cid, options);
	columnar_slots_set_writer(slots, nslots, GetCurrentTransactionId(), cid);
}

void
columnar_multi_insert(Relation rel, TupleTableSlot **slots, int nslots,
					  CommandId cid, int options,
					  struct BulkInsertStateData *bistate)
{
	int			nrow_form;

	table_modify_check(rel);
	nrow_form = load_buffer_row_form_quota(rel, cid, nslots);
	if (nrow_form > 0)
		insert_row_form(rel, slots, nrow_form, cid, options);
	if (nrow_form < nslots)
		insert_buffered(rel, slots + nrow_form, nslots - nrow_form, cid,
						options);
}

void
columnar_tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid,
					  int options, struct BulkInsertStateData *bistate)
{
	columnar_multi_insert(rel, &slot, 1, cid, options, bistate);
}

/*
 * A row that may turn out to be one too many: others wait for its token, which
 * is in t_ctid, so it has to be readable at once.
 */
void
columnar_tuple_insert_speculative(Relation rel, TupleTableSlot *slot,
								  CommandId cid, int options,
								  struct BulkInsertStateData *bistate,
								  uint32 spec_token)
{
	bool		should_free;
	HeapTuple	tuple;

	table_modify_check(rel);
	tuple = ExecFetchSlotHeapTuple(slot, true, &should_free);
	slot->tts_tableOid = RelationGetRelid(rel);
	HeapTupleHeaderSetSpeculativeToken(tuple->t_data, spec_token);
	row_form_insert(rel, &tuple, 1, cid, options | HEAP_INSERT_SPECULATIVE);
	slot->tts_tid = tuple->t_self;
	columnar_slots_set_writer(&slot, 1, GetCurrentTransactionId(), cid);
	if (should_free)
		heap_freetuple(tuple);
}

void
columnar_tuple_complete_speculative(Relation rel, TupleTableSlot *slot,
									uint32 spec_token, bool succeeded)
{
	RowPlace	place;

	if (!row_place_pin(rel, row_number_from_tid(&slot->tts_tid), &place))
		elog(ERROR, "row that was inserted speculatively does not exist");
	Assert(!place.is_header);
	if (succeeded)
		heap_finish_speculative(rel, &place.address);
	else
		heap_abort_speculative(rel, &place.address);
	row_place_release(&place);
}

void
columnar_finish_bulk_insert(Relation rel, int options)
{
	load_buffer_finish_bulk(rel, options);
}
