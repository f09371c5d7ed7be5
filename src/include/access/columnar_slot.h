/*
 * columnar_slot.h
 *		A slot that decodes an attribute when somebody asks for it.
 */
#ifndef ACCESS_COLUMNAR_SLOT_H
#define ACCESS_COLUMNAR_SLOT_H

#include "access/htup.h"
#include "access/segment_values.h"
#include "executor/tuptable.h"
#include "lib/ilist.h"
#include "nodes/bitmapset.h"

extern const TupleTableSlotOps TTSOpsColumnarTuple;

#define TTS_IS_COLUMNAR(slot)	((slot)->tts_ops == &TTSOpsColumnarTuple)

/*
 * The slots whose rows are in memory of a scan.  Before the scan moves on or
 * ends, slot_anchor_release gives each a copy of its row.
 */
typedef struct SlotAnchor
{
	dlist_head	slots;
} SlotAnchor;

extern void slot_anchor_init(SlotAnchor *anchor);
extern void slot_anchor_release(SlotAnchor *anchor);

/*
 * Store the row at a position of the open segment of values.  anchor may be
 * NULL if values belongs to the slot.
 */
extern void columnar_slot_store_row(TupleTableSlot *slot, SlotAnchor *anchor,
									SegmentValues *values, uint32 position);

/*
 * Store a heap tuple, whose t_self is the logical TID.  Without an anchor the
 * slot keeps a copy.
 */
extern void columnar_slot_store_tuple(TupleTableSlot *slot, SlotAnchor *anchor,
									  HeapTuple tuple);

/* Store a row of NULLs, for a row whose values only its writer knows. */
extern void columnar_slot_store_nulls(TupleTableSlot *slot);

/*
 * Give the row in a slot, however it was stored, the header of a tuple, for its
 * system columns; of a column-form row, in place of its segment's.
 */
extern void columnar_slot_set_header(TupleTableSlot *slot,
									 HeapTupleHeader header);

/*
 * The same for rows that have just been written: by whom.  Slots of another
 * kind are left alone.
 */
extern void columnar_slots_set_writer(TupleTableSlot **slots, int nslots,
									  TransactionId xmin, CommandId cmin);

/*
 * Promise that of the rows stored here only these attributes (a set of attribute
 * numbers less FirstLowInvalidHeapAttributeNumber, as by pull_varattnos) will be
 * looked at; the others may read as NULL.  A whole-row reference stands for all.
 */
extern void columnar_slot_set_needed(TupleTableSlot *slot, Bitmapset *attrs);

/*
 * Does the slot have the column-form row with that TID, and not only columns
 * other than these attributes (a set as for columnar_slot_set_needed)?
 */
extern bool columnar_slot_has_row(TupleTableSlot *slot, ItemPointer tid,
								  const Bitmapset *attrs);

/* What row_fetch keeps in a slot, to be freed with it. */
struct RowFetcher;
extern struct RowFetcher **columnar_slot_fetcher(TupleTableSlot *slot);

#endif							/* ACCESS_COLUMNAR_SLOT_H */
