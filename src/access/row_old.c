/*
 * row_old.c
 *		Values of the version of a row that is being changed.
 *
 * heap_update has the old version on the page that it changes; ours may be in
 * column form.  Its values matter for two things only: an update that leaves
 * alone what foreign keys may refer to takes the weaker lock, and logical
 * decoding gets the replica identity.  Without unique indexes and decoding
 * nothing is fetched at all.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/row_fetcher.h"
#include "access/row_identity.h"
#include "access/row_old.h"
#include "access/sysattr.h"
#include "access/xact.h"
#include "utils/datum.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/relcache.h"

struct RowOld
{
	Oid			relid;
	RelFileNumber file;			/* of the relation, when this was made */
	SubTransactionId subid;		/* the slot may be half filled after an error */
	MemoryContext context;		/* of all below; NULL: nothing here */
	MemoryContextCallback callback;
	TupleTableSlot *slot;		/* for rows that nobody else has fetched;
								 * made for the first */
	TupleTableSlot *fetched;	/* it, or somebody's; NULL: no row */
	Bitmapset  *key;
	Bitmapset  *identity;
	Bitmapset  *needed;			/* both */
};

/* Relations, direct-mapped; one update may go to many partitions. */
#define ROW_OLD_RELATIONS	32

static RowOld row_olds[ROW_OLD_RELATIONS];
static bool callback_is_registered = false;

/* ---- life ---- */

/* The context goes: at the end of the transaction, or before. */
static void
forget(void *arg)
{
	((RowOld *) arg)->context = NULL;
}

/*
 * A definition has changed: forget the relation's, or all.  What is in use just
 * now must stay until it is asked for again.
 */
static void
relation_changed(Datum arg, Oid relid)
{
	for (int i = 0; i < ROW_OLD_RELATIONS; i++)
		if (relid == InvalidOid || row_olds[i].relid == relid)
			row_olds[i].relid = InvalidOid;
}

/*
 * An error has left some slot as it was, with a row that nobody wants any more
 * of a relation that may go.
 */
static void
subtransaction_ended(SubXactEvent event, SubTransactionId subid,
					 SubTransactionId parent_subid, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	for (int i = 0; i < ROW_OLD_RELATIONS; i++)
		if (row_olds[i].context != NULL && row_olds[i].subid == subid)
			MemoryContextDelete(row_olds[i].context);
}

static bool
is_valid(const RowOld *old, Relation rel)
{
	return old->context != NULL && old->relid == RelationGetRelid(rel) &&
		old->file == rel->rd_locator.relNumber &&
		old->subid == GetCurrentSubTransactionId();
}

static void
make(RowOld *old, Relation rel)
{
	MemoryContext old_context;

	old->context = AllocSetContextCreate(TopTransactionContext,
										 "columnar old row",
										 ALLOCSET_SMALL_SIZES);
	old->callback.func = forget;
	old->callback.arg = old;
	MemoryContextRegisterResetCallback(old->context, &old->callback);

	/* may invalidate, and so comes before relid is set */
	old->relid = InvalidOid;
	old->subid = GetCurrentSubTransactionId();
	old_context = MemoryContextSwitchTo(old->context);
	old->key = RelationGetIndexAttrBitmap(rel, INDEX_ATTR_BITMAP_KEY);
	old->identity = row_identity_attributes(rel);
	old->needed = bms_union(old->key, old->identity);
	old->slot = NULL;
	old->fetched = NULL;
	MemoryContextSwitchTo(old_context);

	old->relid = RelationGetRelid(rel);
	old->file = rel->rd_locator.relNumber;
}

static TupleTableSlot *
own_slot(RowOld *old, Relation rel)
{
	MemoryContext old_context;

	if (old->slot != NULL)
		return old->slot;

	/* a descriptor of its own, of which no resource owner has to know */
	old_context = MemoryContextSwitchTo(old->context);
	old->slot = MakeTupleTableSlot(CreateTupleDescCopyConstr(RelationGetDescr(rel)),
								   &TTSOpsColumnarTuple);
	columnar_slot_set_needed(old->slot, old->needed);
	MemoryContextSwitchTo(old_context);
	return old->slot;
}

RowOld *
row_old_get(Relation rel)
{
	RowOld	   *old = &row_olds[RelationGetRelid(rel) % ROW_OLD_RELATIONS];

	if (!callback_is_registered)
	{
		CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
		RegisterSubXactCallback(subtransaction_ended, NULL);
		callback_is_registered = true;
	}
	if (!is_valid(old, rel))
	{
		if (old->context != NULL)
			MemoryContextDelete(old->context);
		make(old, rel);
	}
	return old;
}

const Bitmapset *
row_old_key(const RowOld *old)
{
	return old->key;
}

const Bitmapset *
row_old_identity(const RowOld *old)
{
	return old->identity;
}

/* ---- values ---- */

/* Fetch the row, or its key and identity, into a slot of ours. */
static void
fetch_into(TupleTableSlot *slot, Relation rel, const RowPlace *place)
{
	if (place->is_header)
	{
		RowFetcher *fetcher = row_fetcher_get(rel, slot);
		SegmentValues *values;

		values = row_fetcher_open(fetcher, rel, row_number_group(place->row),
								  &place->segment);
		columnar_slot_store_row(slot, NULL, values,
								row_number_offset(place->row) -
								segment_first(&place->segment));
	}
	else
	{
		HeapTupleData tuple;

		LockBuffer(place->buffer, BUFFER_LOCK_SHARE);
		row_place_tuple(rel, place, &tuple);
		columnar_slot_store_tuple(slot, NULL, &tuple);
		LockBuffer(place->buffer, BUFFER_LOCK_UNLOCK);
		row_number_to_tid(place->row, &slot->tts_tid);
	}
}

/*
 * The executor has fetched a row that it changes, to make the new version from,
 * and mostly still has it: of a column-form row that spares looking for vectors
 * of each column once more.
 */
TupleTableSlot *
row_old_fetch(RowOld *old, Relation rel, const RowPlace *place)
{
	old->fetched = NULL;
	if (place->is_header)
		old->fetched = row_fetcher_find_slot(rel, place->row, old->needed);
	if (old->fetched == NULL)
	{
		TupleTableSlot *slot = own_slot(old, rel);

		fetch_into(slot, rel, place);
		old->fetched = slot;
	}
	return old->fetched;
}

void
row_old_clear(RowOld *old)
{
	if (old->slot != NULL)
		ExecClearTuple(old->slot);
	old->fetched = NULL;
}

/*
 * Does one attribute differ?  Values are compared, not their bytes: the same
 * value may be compressed in one version and not in the other.
 */
static bool
attribute_differs(const RowOld *old, TupleTableSlot *new_slot, int attno,
				  bool *is_external)
{
	Form_pg_attribute attr;
	Datum		old_value;
	Datum		new_value;
	bool		old_isnull;
	bool		new_isnull;

	/* whole rows and system columns: not worth a closer look */
	if (attno <= 0)
		return attno != TableOidAttributeNumber;

	attr = TupleDescAttr(old->fetched->tts_tupleDescriptor, attno - 1);
	old_value = slot_getattr(old->fetched, attno, &old_isnull);
	new_value = slot_getattr(new_slot, attno, &new_isnull);

	if (!old_isnull && attr->attlen == -1 &&
		VARATT_IS_EXTERNAL(DatumGetPointer(old_value)))
		*is_external = true;
	if (old_isnull || new_isnull)
		return old_isnull != new_isnull;
	return !datum_image_eq(old_value, new_value, attr->attbyval, attr->attlen);
}

bool
row_old_differs(const RowOld *old, TupleTableSlot *new_slot,
				const Bitmapset *attributes, bool *is_external)
{
	bool		differs = false;
	bool		ignored;
	int			member = -1;

	if (is_external == NULL)
		is_external = &ignored;
	*is_external = false;
	while (!differs && (member = bms_next_member(attributes, member)) >= 0)
		differs = attribute_differs(old, new_slot,
									member + FirstLowInvalidHeapAttributeNumber,
									is_external);
	return differs;
}
