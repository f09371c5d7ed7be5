/*
 * verify_rows.c
 *		columnar_verify(): one row page.
 *
 * Looks at every tuple, whoever sees it, but not at the values of those whose
 * inserter has aborted: it may have added columns of its own.  TOASTed values
 * are fetched for tuples that the snapshot sees; those of others may be gone
 * already.
 */
#include "postgres.h"

#include "compat.h"

#include "access/detoast.h"
#include "access/heapam.h"
#include "access/tuple_check.h"
#include "access/verify.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/row_set.h"

/* A tuple of the page at hand. */
typedef struct RowCheck
{
	VerifyState *state;
	BlockNumber blkno;
	OffsetNumber offnum;
	HeapTuple	tuple;
	bool		fetch;			/* fetch its TOASTed values */
} RowCheck;

static void
check_external(RowCheck *check, int attno, struct varlena *pointer)
{
	struct varatt_external external;

	VARATT_EXTERNAL_GET_POINTER(external, pointer);
	if (external.va_toastrelid != check->state->rel->rd_rel->reltoastrelid)
		verify_report(check->state, check->blkno,
					  "attribute %d of the tuple at line pointer %u is in TOAST table %u",
					  attno, check->offnum, external.va_toastrelid);
	else if (check->fetch)
		pfree(detoast_external_attr(pointer));
}

/* Check the pointers to TOASTed values. */
static void
check_externals(RowCheck *check, TupleDesc desc)
{
	Datum	   *values;
	bool	   *isnull;

	values = palloc(desc->natts * sizeof(Datum));
	isnull = palloc(desc->natts * sizeof(bool));
	heap_deform_tuple(check->tuple, desc, values, isnull);
	for (int i = 0; i < desc->natts; i++)
	{
		struct varlena *value = (struct varlena *) DatumGetPointer(values[i]);

		if (!isnull[i] && TupleDescAttr(desc, i)->attlen == -1 &&
			VARATT_IS_EXTERNAL(value))
			check_external(check, i + 1, value);
	}
	pfree(values);
	pfree(isnull);
}

static void
check_tuple(RowCheck *check)
{
	TupleDesc	desc = RelationGetDescr(check->state->rel);
	HeapTupleHeader header = check->tuple->t_data;
	int			natts = HeapTupleHeaderGetNatts(header);
	int			damage;

	verify_xmin(check->state, check->blkno, header, "a tuple");
	verify_xmax(check->state, check->blkno, header, "a tuple");
	if (verify_aborted(header))
		return;

	damage = natts > desc->natts ? TUPLE_BAD_HEADER : tuple_damage(desc, check->tuple);
	if (damage == TUPLE_BAD_HEADER)
		verify_report(check->state, check->blkno,
					  "tuple at line pointer %u has %d attributes and a header of %u bytes",
					  check->offnum, natts, header->t_hoff);
	else if (damage != TUPLE_SOUND)
		verify_report(check->state, check->blkno,
					  "attribute %d of the tuple at line pointer %u ends behind the tuple",
					  damage, check->offnum);
	else if (HeapTupleHasExternal(check->tuple))
		check_externals(check, desc);
}

/*
 * Copy a row page and note which of its tuples the snapshot sees.
 */
static void
copy_row_page(VerifyState *state, const RowMapEntry *entry, Page copy,
			  bool *visible)
{
	Buffer		buffer = block_read(state->rel, entry->blkno, state->strategy);
	HeapTupleData tuple;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(state->rel, buffer, entry->nrows);
	for (int i = 0; i < entry->nrows; i++)
	{
		RowNumber	row = row_number(state->group, entry->first + i);

		visible[i] = row_page_tuple(state->rel, buffer, i + 1, row, &tuple) &&
			HeapTupleSatisfiesVisibility(&tuple, state->snapshot, buffer);
	}
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

void
verify_row_page(VerifyState *state, const RowMapEntry *entry)
{
	PGAlignedBlock copy;
	Page		page = copy.data;
	bool		visible[TID_BLOCK_ROWS];
	HeapTupleData tuple;
	RowCheck	check = {state, entry->blkno, 0, &tuple, false};

	copy_row_page(state, entry, page, visible);
	if (PageIsNew(page))
		return;

	for (int i = 0; i < PageGetMaxOffsetNumber(page); i++)
	{
		ItemId		item = PageGetItemId(page, i + 1);

		/* that it lies within the page has been checked above */
		if (!ItemIdIsNormal(item))
			continue;
		CHECK_FOR_INTERRUPTS();
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
		tuple.t_len = ItemIdGetLength(item);
		check.offnum = i + 1;
		check.fetch = visible[i] && !row_bitmap_test(state->deleted, entry->first + i);
		check_tuple(&check);
	}
}
