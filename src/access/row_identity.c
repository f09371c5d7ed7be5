/*
 * row_identity.c
 *		Old values in the record of an update or delete, for logical decoding.
 *
 * Whoever decodes an update or delete learns which row it was from the columns
 * of the replica identity in its WAL record.  heap takes them from the tuple on
 * the page.  The header that stands for a column-form row has no columns, and
 * is given none: identities change, may be as wide as the row, and every lock
 * would have to log them.  So such rows are not deleted by heap_delete, which
 * looks at the page only, but locked by heap and then marked by a record of
 * our own, as for an update, with what the columns have at that moment.
 */
#include "postgres.h"

#include "access/heapam_xlog.h"
#include "access/heaptoast.h"
#include "access/row_identity.h"
#include "access/sysattr.h"
#include "access/xloginsert.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "compat.h"
#include "utils/relcache.h"

/* All attributes: a whole-row reference. */
#define WHOLE_ROW	(0 - FirstLowInvalidHeapAttributeNumber)

Bitmapset *
row_identity_attributes(Relation rel)
{
	if (!RelationIsLogicallyLogged(rel))
		return NULL;

	switch (rel->rd_rel->relreplident)
	{
		case REPLICA_IDENTITY_NOTHING:
			return NULL;
		case REPLICA_IDENTITY_FULL:
			return bms_make_singleton(WHOLE_ROW);
		default:
			return RelationGetIndexAttrBitmap(rel,
											  INDEX_ATTR_BITMAP_IDENTITY_KEY);
	}
}

bool
row_identity_is_logged(Relation rel)
{
	Bitmapset  *attributes = row_identity_attributes(rel);
	bool		result = attributes != NULL;

	bms_free(attributes);
	return result;
}

/*
 * A tuple with the slot's values of these attributes and NULL in the others.
 */
static HeapTuple
identity_from_attributes(Relation rel, TupleTableSlot *old,
						 const Bitmapset *attributes)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Datum	   *values = palloc0(desc->natts * sizeof(Datum));
	bool	   *isnull = palloc(desc->natts * sizeof(bool));
	HeapTuple	tuple;

	for (int i = 0; i < desc->natts; i++)
	{
		isnull[i] = true;
		if (bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber,
						  attributes))
			values[i] = slot_getattr(old, i + 1, &isnull[i]);
	}
	tuple = heap_form_tuple(desc, values, isnull);
	pfree(values);
	pfree(isnull);
	return tuple;
}

HeapTuple
row_identity_form(Relation rel, TupleTableSlot *old, bool key_required)
{
	Bitmapset  *attributes = row_identity_attributes(rel);
	HeapTuple	tuple;

	if (attributes == NULL)
		return NULL;

	if (bms_is_member(WHOLE_ROW, attributes))
		tuple = ExecCopySlotHeapTuple(old);
	else if (key_required)
		tuple = identity_from_attributes(rel, old, attributes);
	else
		tuple = NULL;
	bms_free(attributes);

	if (tuple != NULL && HeapTupleHasExternal(tuple))
	{
		HeapTuple	toasted = tuple;

		tuple = toast_flatten_tuple(toasted, RelationGetDescr(rel));
		heap_freetuple(toasted);
	}
	return tuple;
}

void
row_identity_register(HeapTuple identity)
{
	HeapTupleHeader header = identity->t_data;

	/* Registered data stays where it is until the record is made. */
	static xl_heap_header tuple_header;

	tuple_header.t_infomask2 = header->t_infomask2;
	tuple_header.t_infomask = header->t_infomask;
	tuple_header.t_hoff = header->t_hoff;
	XLogRegisterData((char *) &tuple_header, SizeOfHeapHeader);
	XLogRegisterData((char *) header + SizeofHeapTupleHeader,
					 identity->t_len - SizeofHeapTupleHeader);
}
