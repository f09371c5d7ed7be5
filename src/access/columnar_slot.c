/*
 * columnar_slot.c
 *		A slot that decodes an attribute when somebody asks for it.
 *
 * A slot is in one of three states: it knows the place of a row in a
 * column-form segment; or it holds a heap tuple, of a row-form row; or its
 * values are all there, as in a virtual slot.  Heap tuples are kept by a heap
 * slot inside, which shares our arrays of values, so that the server's own code
 * takes them apart.
 *
 * Places and tuples of a scan are in the scan's memory.  The slot is then on
 * the scan's list (SlotAnchor), and the scan has it make a copy before that
 * memory changes.
 */
#include "postgres.h"

#include "compat.h"

#include "access/columnar_slot.h"
#include "access/htup_details.h"
#include "access/row_fetcher.h"
#include "access/sysattr.h"
#include "access/tuple_check.h"
#include "access/xact.h"
#include "utils/datum.h"
#include "utils/memutils.h"

typedef enum SlotState
{
	SLOT_VALUES,				/* all values are in the arrays */
	SLOT_ROW,					/* a row of a column-form segment */
	SLOT_TUPLE					/* a heap tuple, in the slot inside */
} SlotState;

/* An attribute that is passed by reference. */
typedef struct SlotReference
{
	int16		attr;			/* from 0 on */
	int16		attlen;
} SlotReference;

typedef struct ColumnarTupleTableSlot
{
	TupleTableSlot base;
	SlotState	state;
	SegmentValues *values;		/* SLOT_ROW: the segment ... */
	uint32		position;		/* ... and the row in it */
	TupleTableSlot *heap_slot;	/* made for the first heap tuple */
	MemoryContext value_context;	/* decoded values, or NULL */
	char	   *copy;			/* SLOT_VALUES: copied values; or NULL */
	Size		copy_size;		/* bytes that copy has room for */
	struct SlotReference *references;	/* NULL until they are needed */
	int			nreferences;
	bool	   *needed;			/* by attribute, or NULL for all */
	SlotAnchor *anchor;			/* list that the slot is on, or NULL */
	dlist_node	anchor_node;
	struct RowFetcher *fetcher;

	/* SLOT_ROW and SLOT_VALUES: header of the row, if has_header. */
	bool		has_header;
	union
	{
		char		bytes[MAXALIGN(SizeofHeapTupleHeader)];
		HeapTupleHeaderData tuple;
	}			header;
} ColumnarTupleTableSlot;

/* A larger copy of values is not kept for the slot's next row. */
#define SLOT_KEPT_COPY	1024

/* ---- anchors ---- */

void
slot_anchor_init(SlotAnchor *anchor)
{
	dlist_init(&anchor->slots);
}

void
slot_anchor_release(SlotAnchor *anchor)
{
	while (!dlist_is_empty(&anchor->slots))
	{
		ColumnarTupleTableSlot *cslot;

		cslot = dlist_head_element(ColumnarTupleTableSlot, anchor_node,
								   &anchor->slots);
		ExecMaterializeSlot(&cslot->base);
		Assert(cslot->anchor == NULL);
	}
}

static void
slot_set_anchor(ColumnarTupleTableSlot *cslot, SlotAnchor *anchor)
{
	if (cslot->anchor == anchor)
		return;
	if (cslot->anchor)
		dlist_delete(&cslot->anchor_node);
	if (anchor)
		dlist_push_tail(&anchor->slots, &cslot->anchor_node);
	cslot->anchor = anchor;
}

/* ---- storing ---- */

/* Forget the row, but not the place on a list. */
static void
slot_reset(ColumnarTupleTableSlot *cslot)
{
	TupleTableSlot *slot = &cslot->base;

	if (cslot->state == SLOT_TUPLE)
		ExecClearTuple(cslot->heap_slot);
	if (cslot->value_context)
		MemoryContextReset(cslot->value_context);
	if (cslot->copy_size > SLOT_KEPT_COPY)
	{
		pfree(cslot->copy);
		cslot->copy = NULL;
		cslot->copy_size = 0;
	}
	cslot->state = SLOT_VALUES;
	cslot->has_header = false;
	slot->tts_flags |= TTS_FLAG_EMPTY;
	slot->tts_flags &= ~TTS_FLAG_SHOULDFREE;
	slot->tts_nvalid = 0;
}

static void
tts_columnar_clear(TupleTableSlot *slot)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;

	slot_set_anchor(cslot, NULL);
	slot_reset(cslot);
	ItemPointerSetInvalid(&slot->tts_tid);
}

void
columnar_slot_store_row(TupleTableSlot *slot, SlotAnchor *anchor,
						SegmentValues *values, uint32 position)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	SegmentData *segment = &values->segment;

	Assert(TTS_IS_COLUMNAR(slot));

	slot_set_anchor(cslot, anchor);
	slot_reset(cslot);
	cslot->state = SLOT_ROW;
	cslot->values = values;
	cslot->position = position;
	memcpy(cslot->header.bytes, segment->header, sizeof(segment->header));
	cslot->has_header = true;
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	row_number_to_tid(row_number(values->group,
								 (uint32) segment->first_vector * VECTOR_ROWS + position),
					  &slot->tts_tid);
	slot->tts_tableOid = RelationGetRelid(values->rel);
}

/*
 * The slot inside for heap tuples.  It has no descriptor and arrays of its own
 * and so no pin that a resource owner would have to know of.
 */
static TupleTableSlot *
slot_get_heap_slot(ColumnarTupleTableSlot *cslot)
{
	TupleTableSlot *slot = &cslot->base;
	TupleTableSlot *heap_slot = cslot->heap_slot;

	if (heap_slot == NULL)
	{
		MemoryContext old_context = MemoryContextSwitchTo(slot->tts_mcxt);

		heap_slot = MakeTupleTableSlot(NULL, &TTSOpsHeapTuple);
		cslot->heap_slot = heap_slot;
		MemoryContextSwitchTo(old_context);
	}
	heap_slot->tts_tupleDescriptor = slot->tts_tupleDescriptor;
	heap_slot->tts_values = slot->tts_values;
	heap_slot->tts_isnull = slot->tts_isnull;
	return heap_slot;
}

void
columnar_slot_store_tuple(TupleTableSlot *slot, SlotAnchor *anchor,
						  HeapTuple tuple)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	TupleTableSlot *heap_slot;

	Assert(TTS_IS_COLUMNAR(slot));

	tuple_check(slot->tts_tupleDescriptor, tuple);
	slot_set_anchor(cslot, anchor);
	slot_reset(cslot);
	heap_slot = slot_get_heap_slot(cslot);
	if (anchor)
		ExecStoreHeapTuple(tuple, heap_slot, false);
	else
	{
		MemoryContext old_context = MemoryContextSwitchTo(slot->tts_mcxt);

		ExecStoreHeapTuple(heap_copytuple(tuple), heap_slot, true);
		MemoryContextSwitchTo(old_context);
	}
	cslot->state = SLOT_TUPLE;
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_tid = tuple->t_self;
	slot->tts_tableOid = tuple->t_tableOid;
}

void
columnar_slot_store_nulls(TupleTableSlot *slot)
{
	ExecStoreAllNullTuple(slot);
}

void
columnar_slot_set_header(TupleTableSlot *slot, HeapTupleHeader header)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	HeapTupleHeader target = &cslot->header.tuple;

	Assert(TTS_IS_COLUMNAR(slot) && !TTS_EMPTY(slot));

	if (cslot->state == SLOT_TUPLE)
	{
		/* the tuple may be in a scan's memory */
		ExecMaterializeSlot(slot);
		target = ((HeapTupleTableSlot *) cslot->heap_slot)->tuple->t_data;
		target->t_choice.t_heap = header->t_choice.t_heap;
		target->t_infomask &= ~HEAP_XACT_MASK;
		target->t_infomask |= header->t_infomask & HEAP_XACT_MASK;
		return;
	}

	/* without the columns that may be behind it */
	memcpy(&cslot->header, header, SizeofHeapTupleHeader);
	target->t_infomask &= ~HEAP_HASNULL;
	HeapTupleHeaderSetNatts(target, 0);
	target->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	cslot->has_header = true;
}

void
columnar_slots_set_writer(TupleTableSlot **slots, int nslots,
						  TransactionId xmin, CommandId cmin)
{
	HeapTupleHeaderData header;

	memset(&header, 0, sizeof(header));
	header.t_infomask = HEAP_XMAX_INVALID;
	HeapTupleHeaderSetXmin(&header, xmin);
	HeapTupleHeaderSetCmin(&header, cmin);
	HeapTupleHeaderSetXmax(&header, InvalidTransactionId);
	for (int i = 0; i < nslots; i++)
	{
		if (TTS_IS_COLUMNAR(slots[i]))
			columnar_slot_set_header(slots[i], &header);
	}
}

void
columnar_slot_set_needed(TupleTableSlot *slot, Bitmapset *attrs)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	int			natts = slot->tts_tupleDescriptor->natts;

	Assert(TTS_IS_COLUMNAR(slot));

	if (cslot->needed)
		pfree(cslot->needed);
	cslot->needed = NULL;
	if (bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attrs))
		return;

	cslot->needed = MemoryContextAllocZero(slot->tts_mcxt,
										   Max(natts, 1) * sizeof(bool));
	for (int i = 0; i < natts; i++)
		cslot->needed[i] =
			bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, attrs);
}

bool
columnar_slot_has_row(TupleTableSlot *slot, ItemPointer tid,
					  const Bitmapset *attrs)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	int			member = -1;

	Assert(TTS_IS_COLUMNAR(slot));

	/* others' values may have been put there */
	if (TTS_EMPTY(slot) || cslot->state != SLOT_ROW ||
		!ItemPointerEquals(&slot->tts_tid, tid))
		return false;
	while (cslot->needed && (member = bms_next_member(attrs, member)) >= 0)
	{
		int			attno = member + FirstLowInvalidHeapAttributeNumber;

		if (attno == 0 || (attno > 0 && !cslot->needed[attno - 1]))
			return false;
	}
	return true;
}

struct RowFetcher **
columnar_slot_fetcher(TupleTableSlot *slot)
{
	Assert(TTS_IS_COLUMNAR(slot));
	return &((ColumnarTupleTableSlot *) slot)->fetcher;
}

/* ---- reading ---- */

static MemoryContext
slot_value_context(ColumnarTupleTableSlot *cslot)
{
	if (cslot->value_context == NULL)
		cslot->value_context = AllocSetContextCreate(cslot->base.tts_mcxt,
													 "columnar slot values",
													 ALLOCSET_DEFAULT_SIZES);
	return cslot->value_context;
}

static void
slot_decode(ColumnarTupleTableSlot *cslot, int natts)
{
	TupleTableSlot *slot = &cslot->base;
	MemoryContext old_context = MemoryContextSwitchTo(slot_value_context(cslot));

	segment_values_set_desc(cslot->values, slot->tts_tupleDescriptor);
	for (int i = slot->tts_nvalid; i < natts; i++)
	{
		if (cslot->needed && !cslot->needed[i])
		{
			slot->tts_values[i] = (Datum) 0;
			slot->tts_isnull[i] = true;
		}
		else
			slot->tts_values[i] = segment_values_get(cslot->values, i + 1,
													 cslot->position,
													 &slot->tts_isnull[i]);
	}
	slot->tts_nvalid = natts;
	MemoryContextSwitchTo(old_context);
}

static void
tts_columnar_getsomeattrs(TupleTableSlot *slot, int natts)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;

	Assert(!TTS_EMPTY(slot));

	switch (cslot->state)
	{
		case SLOT_VALUES:
			elog(ERROR, "getsomeattrs called for a slot that has all of its values");
			break;
		case SLOT_ROW:
			slot_decode(cslot, natts);
			break;
		case SLOT_TUPLE:
			slot_getsomeattrs(cslot->heap_slot, natts);
			slot->tts_nvalid = cslot->heap_slot->tts_nvalid;
			break;
	}
}

/* The heap tuple with the row's header, for its system columns only. */
static HeapTuple
slot_header_tuple(ColumnarTupleTableSlot *cslot, HeapTuple buffer)
{
	if (cslot->state == SLOT_TUPLE)
		return ((HeapTupleTableSlot *) cslot->heap_slot)->tuple;
	if (!cslot->has_header)
		return NULL;
	buffer->t_len = sizeof(cslot->header);
	buffer->t_self = cslot->base.tts_tid;
	buffer->t_tableOid = cslot->base.tts_tableOid;
	buffer->t_data = &cslot->header.tuple;
	return buffer;
}

static Datum
tts_columnar_getsysattr(TupleTableSlot *slot, int attnum, bool *isnull)
{
	HeapTupleData buffer;
	HeapTuple	tuple;

	Assert(!TTS_EMPTY(slot));

	tuple = slot_header_tuple((ColumnarTupleTableSlot *) slot, &buffer);
	if (tuple == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot retrieve a system column in this context")));
	return heap_getsysattr(tuple, attnum, slot->tts_tupleDescriptor, isnull);
}

#ifdef TUPLE_SLOT_HAS_CURRENT_XACT_TEST
static bool
tts_columnar_is_current_xact_tuple(TupleTableSlot *slot)
{
	HeapTupleData buffer;
	HeapTuple	tuple;

	Assert(!TTS_EMPTY(slot));

	tuple = slot_header_tuple((ColumnarTupleTableSlot *) slot, &buffer);
	if (tuple == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("don't have transaction information for this type of tuple")));
	return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetRawXmin(tuple->t_data));
}
#endif

/* ---- copies ---- */

/* An expanded object's copy is a flat one, made elsewhere. */
static inline bool
value_is_expanded(int16 attlen, Datum value)
{
	return attlen == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value));
}

static inline Size
value_length(int16 attlen, Datum value)
{
	if (attlen == -1)
		return VARSIZE_ANY(DatumGetPointer(value));
	if (attlen > 0)
		return attlen;
	return strlen(DatumGetCString(value)) + 1;
}

/*
 * Which attributes are passed by reference: few of a wide table's, often, and
 * a descriptor takes two cache lines to look at each.
 */
static void
slot_find_references(ColumnarTupleTableSlot *cslot)
{
	TupleTableSlot *slot = &cslot->base;
	TupleDesc	desc = slot->tts_tupleDescriptor;

	if (cslot->references != NULL && TTS_FIXED(slot))
		return;
	if (cslot->references != NULL)
		pfree(cslot->references);
	cslot->references = MemoryContextAlloc(slot->tts_mcxt,
										   Max(desc->natts, 1) * sizeof(SlotReference));
	cslot->nreferences = 0;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, i);
		SlotReference *reference = &cslot->references[cslot->nreferences];

		if (attr->attbyval)
			continue;
		reference->attr = i;
		reference->attlen = attr->attlen;
		cslot->nreferences++;
	}
}

/*
 * Make room for a copy of all values from reference number first on, behind
 * used bytes of copies that values point to.
 */
static void
slot_grow_copy(ColumnarTupleTableSlot *cslot, Size used, int first)
{
	TupleTableSlot *slot = &cslot->base;
	char	   *old = cslot->copy;
	Size		size = used;

	for (int k = first; k < cslot->nreferences; k++)
	{
		const SlotReference *reference = &cslot->references[k];
		Datum		value = slot->tts_values[reference->attr];

		if (!slot->tts_isnull[reference->attr] &&
			!value_is_expanded(reference->attlen, value))
			size += MAXALIGN(value_length(reference->attlen, value));
	}
	cslot->copy = MemoryContextAllocHuge(slot->tts_mcxt, size);
	cslot->copy_size = size;
	if (old == NULL)
		return;

	memcpy(cslot->copy, old, used);
	for (int k = 0; k < first; k++)
	{
		Datum	   *value = &slot->tts_values[cslot->references[k].attr];
		char	   *pointer = DatumGetPointer(*value);

		if (!slot->tts_isnull[cslot->references[k].attr] &&
			pointer >= old && pointer < old + used)
			*value = PointerGetDatum(cslot->copy + (pointer - old));
	}
	pfree(old);
}

static Datum
slot_flatten_value(ColumnarTupleTableSlot *cslot, Datum value)
{
	MemoryContext old_context;

	old_context = MemoryContextSwitchTo(slot_value_context(cslot));
	value = datumCopy(value, false, -1);
	MemoryContextSwitchTo(old_context);
	return value;
}

/*
 * Copy by-reference values that belong to others into the slot, whose last
 * row's copies have mostly left enough memory.  Not into value_context: COPY
 * fills a thousand slots at a time, whose contexts, far apart, would cost it
 * 5 % in cache misses.
 */
static void
slot_copy_values(ColumnarTupleTableSlot *cslot)
{
	TupleTableSlot *slot = &cslot->base;
	Size		used = 0;

	slot_find_references(cslot);
	for (int k = 0; k < cslot->nreferences; k++)
	{
		int			attlen = cslot->references[k].attlen;
		Datum	   *value = &slot->tts_values[cslot->references[k].attr];
		Size		length;

		if (slot->tts_isnull[cslot->references[k].attr])
			continue;
		if (value_is_expanded(attlen, *value))
		{
			*value = slot_flatten_value(cslot, *value);
			continue;
		}
		length = value_length(attlen, *value);
		if (used + MAXALIGN(length) > cslot->copy_size)
			slot_grow_copy(cslot, used, k);
		memcpy(cslot->copy + used, DatumGetPointer(*value), length);
		*value = PointerGetDatum(cslot->copy + used);
		used += MAXALIGN(length);
	}
}

static void
tts_columnar_materialize(TupleTableSlot *slot)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;

	Assert(!TTS_EMPTY(slot));

	switch (cslot->state)
	{
		case SLOT_VALUES:
			if (!TTS_SHOULDFREE(slot))
				slot_copy_values(cslot);
			slot->tts_flags |= TTS_FLAG_SHOULDFREE;
			break;
		case SLOT_ROW:
			if (slot->tts_nvalid < slot->tts_tupleDescriptor->natts)
				slot_decode(cslot, slot->tts_tupleDescriptor->natts);
			cslot->state = SLOT_VALUES;
			slot->tts_flags |= TTS_FLAG_SHOULDFREE;
			break;
		case SLOT_TUPLE:
			ExecMaterializeSlot(cslot->heap_slot);
			slot->tts_nvalid = cslot->heap_slot->tts_nvalid;
			break;
	}
	slot_set_anchor(cslot, NULL);
}

static void
tts_columnar_copyslot(TupleTableSlot *dstslot, TupleTableSlot *srcslot)
{
	ColumnarTupleTableSlot *dst = (ColumnarTupleTableSlot *) dstslot;
	TupleDesc	srcdesc = srcslot->tts_tupleDescriptor;
	ColumnarTupleTableSlot *src = TTS_IS_COLUMNAR(srcslot) ?
		(ColumnarTupleTableSlot *) srcslot : NULL;
	int			natts = dstslot->tts_tupleDescriptor->natts;

	Assert(srcdesc->natts <= natts);

	if ((src && src->state == SLOT_TUPLE) ||
		srcslot->tts_ops->get_heap_tuple != NULL)
	{
		bool		should_free;
		HeapTuple	tuple;

		tuple = ExecFetchSlotHeapTuple(src ? src->heap_slot : srcslot, false,
									   &should_free);
		columnar_slot_store_tuple(dstslot, NULL, tuple);
		if (should_free)
			heap_freetuple(tuple);
		dstslot->tts_tid = srcslot->tts_tid;
		return;
	}

	slot_getallattrs(srcslot);
	tts_columnar_clear(dstslot);
	for (int i = 0; i < srcdesc->natts; i++)
	{
		dstslot->tts_values[i] = srcslot->tts_values[i];
		dstslot->tts_isnull[i] = srcslot->tts_isnull[i];
	}
	for (int i = srcdesc->natts; i < natts; i++)
	{
		dstslot->tts_values[i] = (Datum) 0;
		dstslot->tts_isnull[i] = true;
	}
	dstslot->tts_nvalid = natts;
	dstslot->tts_flags &= ~TTS_FLAG_EMPTY;
	if (src && src->has_header)
	{
		dst->header = src->header;
		dst->has_header = true;
		dstslot->tts_tableOid = srcslot->tts_tableOid;
	}
	dstslot->tts_tid = srcslot->tts_tid;
	tts_columnar_materialize(dstslot);
}

static HeapTuple
tts_columnar_copy_heap_tuple(TupleTableSlot *slot)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;
	HeapTuple	tuple;

	Assert(!TTS_EMPTY(slot));

	if (cslot->state == SLOT_TUPLE)
		return ExecCopySlotHeapTuple(cslot->heap_slot);

	slot_getallattrs(slot);
	tuple = heap_form_tuple(slot->tts_tupleDescriptor, slot->tts_values,
							slot->tts_isnull);
	tuple->t_self = slot->tts_tid;
	tuple->t_tableOid = slot->tts_tableOid;
	if (cslot->has_header)
	{
		tuple->t_data->t_choice.t_heap = cslot->header.tuple.t_choice.t_heap;
		tuple->t_data->t_ctid = slot->tts_tid;
		tuple->t_data->t_infomask &= ~HEAP_XACT_MASK;
		tuple->t_data->t_infomask |= cslot->header.tuple.t_infomask & HEAP_XACT_MASK;
	}
	return tuple;
}

static MinimalTuple
tts_columnar_copy_minimal_tuple(TupleTableSlot *slot SLOT_EXTRA_PARAMETER)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;

	Assert(!TTS_EMPTY(slot));

	if (cslot->state == SLOT_TUPLE)
		return cslot->heap_slot->tts_ops->copy_minimal_tuple(cslot->heap_slot SLOT_EXTRA_ARGUMENT);

	slot_getallattrs(slot);
	return heap_form_minimal_tuple(slot->tts_tupleDescriptor, slot->tts_values,
								   slot->tts_isnull SLOT_EXTRA_ARGUMENT);
}

/* ---- life ---- */

static void
tts_columnar_init(TupleTableSlot *slot)
{
	/* all of it is zeroed */
}

static void
tts_columnar_release(TupleTableSlot *slot)
{
	ColumnarTupleTableSlot *cslot = (ColumnarTupleTableSlot *) slot;

	slot_set_anchor(cslot, NULL);
	if (cslot->fetcher)
		row_fetcher_free(cslot->fetcher);
	if (cslot->heap_slot)
	{
		ExecClearTuple(cslot->heap_slot);
		pfree(cslot->heap_slot);
	}
	if (cslot->value_context)
		MemoryContextDelete(cslot->value_context);
	if (cslot->copy)
		pfree(cslot->copy);
	if (cslot->references)
		pfree(cslot->references);
	if (cslot->needed)
		pfree(cslot->needed);
	cslot->fetcher = NULL;
	cslot->heap_slot = NULL;
	cslot->value_context = NULL;
	cslot->copy = NULL;
	cslot->copy_size = 0;
	cslot->references = NULL;
	cslot->needed = NULL;
}

const TupleTableSlotOps TTSOpsColumnarTuple = {
	.base_slot_size = sizeof(ColumnarTupleTableSlot),
	.init = tts_columnar_init,
	.release = tts_columnar_release,
	.clear = tts_columnar_clear,
	.getsomeattrs = tts_columnar_getsomeattrs,
	.getsysattr = tts_columnar_getsysattr,
#ifdef TUPLE_SLOT_HAS_CURRENT_XACT_TEST
	.is_current_xact_tuple = tts_columnar_is_current_xact_tuple,
#endif
	.materialize = tts_columnar_materialize,
	.copyslot = tts_columnar_copyslot,

	/* a heap or minimal tuple exists only as a copy */
	.get_heap_tuple = NULL,
	.get_minimal_tuple = NULL,
	.copy_heap_tuple = tts_columnar_copy_heap_tuple,
	.copy_minimal_tuple = tts_columnar_copy_minimal_tuple
};
