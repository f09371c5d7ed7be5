/*
 * verify_rows.c
 *		columnar_verify(): one row page.
 *
 * Looks at every tuple, whoever sees it, with the care that bytes from disk
 * need: nothing is read behind the tuple's end.  TOASTed values are fetched for
 * tuples that the snapshot sees; those of others may be gone already.
 */
#include "postgres.h"

#include "compat.h"

#include "access/detoast.h"
#include "access/heapam.h"
#include "access/tupmacs.h"
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

/*
 * Bytes of the value at offset of the tuple's data, of which left bytes
 * remain; 0 if it does not fit.
 */
static uint32
value_length(RowCheck *check, Form_pg_attribute attr, char *value,
			 uint32 left)
{
	if (attr->attlen > 0)
		return attr->attlen;
	if (attr->attlen == -2)
		return strnlen(value, left) + 1;

	if (VARATT_IS_1B_E(value))
	{
		if (left < VARHDRSZ_EXTERNAL ||
			VARTAG_EXTERNAL(value) != VARTAG_ONDISK)
			return 0;
		return VARSIZE_EXTERNAL(value);
	}
	if (VARATT_IS_1B(value))
		return VARSIZE_1B(value);
	if (left < VARHDRSZ || VARSIZE_4B(value) < VARHDRSZ)
		return 0;
	return VARSIZE_4B(value);
}

/*
 * Walk the values of a tuple.
 */
static void
check_values(RowCheck *check, int natts)
{
	TupleDesc	desc = RelationGetDescr(check->state->rel);
	HeapTupleHeader header = check->tuple->t_data;
	char	   *data = (char *) header + header->t_hoff;
	uint32		length = check->tuple->t_len - header->t_hoff;
	uint32		offset = 0;
	bool		has_nulls = (header->t_infomask & HEAP_HASNULL) != 0;

	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, i);
		uint32		size = 0;

		if (has_nulls && att_isnull(i, header->t_bits))
			continue;
		if (attr->attlen != -1)
			offset = att_align_nominal(offset, attr->attalign);
		else if (offset < length)
			offset = att_align_pointer(offset, attr->attalign, -1, data + offset);
		if (offset < length)
			size = value_length(check, attr, data + offset, length - offset);
		if (size == 0 || size > length - offset)
		{
			verify_report(check->state, check->blkno,
						  "attribute %d of the tuple at line pointer %u ends behind the tuple",
						  i + 1, check->offnum);
			return;
		}
		if (attr->attlen == -1 && VARATT_IS_EXTERNAL(data + offset))
			check_external(check, i + 1, (struct varlena *) (data + offset));
		offset += size;
	}
}

static void
check_tuple(RowCheck *check)
{
	HeapTupleHeader header = check->tuple->t_data;
	int			natts = HeapTupleHeaderGetNatts(header);
	uint32		expected = SizeofHeapTupleHeader;

	verify_xids(check->state, check->blkno, header, "a tuple");
	if (header->t_infomask & HEAP_HASNULL)
		expected += BITMAPLEN(natts);
	if (header->t_hoff != MAXALIGN(expected) ||
		natts > RelationGetNumberOfAttributes(check->state->rel))
		verify_report(check->state, check->blkno,
					  "tuple at line pointer %u has %d attributes and a header of %u bytes",
					  check->offnum, natts, header->t_hoff);
	else
		check_values(check, natts);
}

/*
 * Copy a row page and note which of its tuples the snapshot sees.
 */
static void
copy_row_page(VerifyState *state, const RowMapEntry *entry, Page copy,
			  bool *visible)
{
	Buffer		buffer = ReadBufferExtended(state->rel, MAIN_FORKNUM,
											entry->blkno, RBM_NORMAL,
											state->strategy);
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
