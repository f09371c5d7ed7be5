/*
 * mover.c
 *		Turns settled rows from row form to column form and joins segments.
 *
 * A row is settled if every snapshot sees it and nobody is deleting or locking
 * it, or if it is dead to every one.  A run of neighbouring settled segments of
 * a group, or of such parts of a segment as begin and end with a page, becomes
 * one segment in column form under the same row numbers.  Numbers without a row
 * become holes: those of dead rows go to the dead set, because index entries
 * may refer to them, those that were never written to the gone set.  A segment
 * in column form of which a good part has been deleted since it was written is
 * written anew, for the sake of its space.  Row headers stay where they are.
 *
 * What readers have in front of them is never changed.  The new segment is
 * written to blocks of its own, one record puts it in the place of the old
 * ones, and these are retired with a stamp that any snapshot which may still
 * look at them holds back.  What a crash leaves, in order:
 *
 *	while rows are copied		row pages marked as full, which means no more
 *								than that others are opened
 *	while the segment is written	blocks announced by MaintenanceOwner, which
 *								the next VACUUM frees
 *	after the swap				old blocks that are leaked; the next VACUUM
 *								retires them
 *
 * Inserters are shut out of a page by PD_PAGE_FULL, set under its exclusive
 * lock (W2 in row_form.c); only then its rows are judged and copied.  The mark
 * need not be logged: a crash ends every session that knows the page, and the
 * metapage forgets it in a record that comes before the swap's.
 *
 * Nothing keeps others from deleting or locking a copied row before the swap.
 * So the swap judges the rows once more, when nobody can come any more: whoever
 * is going to change a tuple found and pinned its page under a share lock of
 * the group's header (row_place.h), so with that lock held exclusively and a
 * cleanup lock on the page there is no such session.  Else the move is given
 * up, what was written is released, and from then on fewer rows are moved at a
 * time.
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/mover.h"
#include "access/mover_plan.h"
#include "access/row_buffer.h"
#include "access/toast_list.h"
#include "access/vacuum.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/block_references.h"
#include "storage/free_space.h"
#include "storage/group_change.h"
#include "storage/row_set.h"
#include "storage/segment_blocks.h"
#include "storage/standby_conflict.h"
#include "utils/memutils.h"

/* How long to wait for pins that are in the way of a swap. */
#define SWAP_TRIES		5
#define SWAP_WAIT_US	2000

/* Times that a group is looked at: first, cautiously, and to join pieces. */
#define MAX_LOOKS		3

/* A move under way. */
typedef struct Move
{
	Mover	   *mover;
	uint32		group;
	uint32		first;			/* offsets of the rows */
	uint32		limit;
	GroupHeaderData *header;	/* copy, after the pages have been closed */
	TupleDesc	desc;
	RowBuffer  *rows;
	uint64	   *dead;			/* bitmaps of the group */
	uint64	   *gone;
	uint32		ncounted;		/* rows of the old segments in the directory */
	FullTransactionId newest;	/* newest xid that is flattened */
	uint32		ndead;			/* rows in row form found dead */
	RowMapEntry *closed;		/* row pages that have been copied */
	int			nclosed;
	ToastList	toast;
	FreeExtent *retired;		/* extents to retire */
	int			nretired;
	int			maxretired;
	Datum	   *values;
	bool	   *isnull;
} Move;

/* ---- collecting the rows ---- */

static void
retire(Move *move, BlockNumber start, BlockNumber nblocks)
{
	if (move->nretired > 0)
	{
		FreeExtent *last = &move->retired[move->nretired - 1];

		if (last->start + last->nblocks == start)
		{
			last->nblocks += nblocks;
			return;
		}
	}
	if (move->nretired == move->maxretired)
	{
		move->maxretired = Max(move->maxretired * 2, 64);
		if (move->retired == NULL)
			move->retired = palloc(move->maxretired * sizeof(FreeExtent));
		else
			move->retired = repalloc(move->retired,
									 move->maxretired * sizeof(FreeExtent));
	}
	move->retired[move->nretired].start = start;
	move->retired[move->nretired].nblocks = nblocks;
	move->nretired++;
}

static void
retire_segment(Move *move, const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);

	for (int i = 0; i < nparts; i++)
		retire(move, parts[i].start, parts[i].nblocks);
}

/* Row number (in the group) that the next row appended gets. */
static inline uint32
next_offset(Move *move)
{
	return move->first + row_buffer_nslots(move->rows);
}

/* Append holes up to an offset, to be members of a set. */
static void
append_holes(Move *move, uint32 limit, uint64 *bitmap)
{
	Assert(next_offset(move) <= limit);
	row_bitmap_set_range(bitmap, next_offset(move), limit);
	while (next_offset(move) < limit)
		row_buffer_append_hole(move->rows);
}

/* A hole for a row that is dead, whose index entries may remain. */
static void
append_dead(Move *move, HeapTupleHeader header)
{
	if (header != NULL)
	{
		vacuum_note_removed(&move->newest, header);
		move->ndead++;
	}
	append_holes(move, next_offset(move) + 1, move->dead);
}

/* Note the TOASTed values of a tuple that has just been deformed. */
static void
note_toast(Move *move, HeapTuple tuple)
{
	if (!HeapTupleHasExternal(tuple))
		return;
	for (int i = 0; i < move->desc->natts; i++)
	{
		struct varlena *value = (struct varlena *) DatumGetPointer(move->values[i]);

		if (!move->isnull[i] && TupleDescAttr(move->desc, i)->attlen == -1 &&
			VARATT_IS_EXTERNAL_ONDISK(value))
			toast_list_add(&move->toast, next_offset(move), value);
	}
}

/*
 * Close a row page, judge its rows for good and copy it.  Returns false if a
 * row is not settled.
 */
static bool
close_row_page(Move *move, const RowMapEntry *entry, RowState *states,
			   Page copy)
{
	Mover	   *mover = move->mover;
	Buffer		buffer = block_read(mover->rel, entry->blkno, mover->strategy);
	bool		settled = true;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	row_page_check(mover->rel, buffer, entry->nrows);
	if (!PageIsFull(BufferGetPage(buffer)))
	{
		if (PageIsNew(BufferGetPage(buffer)))
			PageInit(BufferGetPage(buffer), BLCKSZ, 0);
		PageSetFull(BufferGetPage(buffer));
		MarkBufferDirtyHint(buffer, true);
	}
	for (int i = 0; i < entry->nrows && settled; i++)
	{
		RowNumber	row = row_number(move->group, entry->first + i);
		HeapTupleData tuple;

		states[i] = ROW_DEAD;
		if (!row_page_tuple(mover->rel, buffer, i + 1, row, &tuple))
			continue;
		states[i] = mover_tuple_state(mover, &tuple, buffer);
		settled = states[i] != ROW_UNSETTLED;
	}
	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
	return settled;
}

/*
 * Append what a line pointer of a copied row page has.
 */
static void
append_item(Move *move, Page page, OffsetNumber offnum, RowState state)
{
	ItemId		item = NULL;
	HeapTupleData tuple;

	if (offnum <= PageGetMaxOffsetNumber(page))
		item = PageGetItemId(page, offnum);
	if (item == NULL || !ItemIdIsUsed(item))
		append_holes(move, next_offset(move) + 1, move->gone);
	else if (!ItemIdIsNormal(item))
		append_dead(move, NULL);
	else if (state == ROW_DEAD)
		append_dead(move, (HeapTupleHeader) PageGetItem(page, item));
	else
	{
		tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
		tuple.t_len = ItemIdGetLength(item);
		tuple.t_tableOid = RelationGetRelid(move->mover->rel);
		heap_deform_tuple(&tuple, move->desc, move->values, move->isnull);
		vacuum_note_frozen(&move->newest, tuple.t_data);
		note_toast(move, &tuple);
		row_buffer_append(move->rows, move->values, move->isnull);
	}
}

/*
 * Append the rows of a page that has been closed and copied.
 */
static void
append_row_page(Move *move, const RowMapEntry *entry, const RowState *states,
				Page copy)
{
	append_holes(move, entry->first, move->gone);
	for (int i = 0; i < entry->nrows; i++)
		append_item(move, copy, i + 1, states[i]);
}

/* Remember row pages that are about to be closed. */
static void
add_closed(Move *move, const RowMapEntry *pages, int npages)
{
	Size		bytes = (move->nclosed + npages) * sizeof(RowMapEntry);

	if (npages == 0)
		return;
	if (move->closed == NULL)
		move->closed = palloc(bytes);
	else
		move->closed = repalloc(move->closed, bytes);
	memcpy(move->closed + move->nclosed, pages, npages * sizeof(RowMapEntry));
	move->nclosed += npages;
}

/*
 * Append the rows of a segment in row form, as far as they belong to the move.
 * Returns false if one is not settled.
 */
static bool
append_row_segment(Move *move, const SegmentData *segment)
{
	uint32		first = Max(segment_first(segment), move->first);
	uint32		limit = Min(segment_limit(segment), move->limit);
	RowMapEntry *pages;
	int			npages = group_row_pages(move->mover->rel, move->header, first,
										 limit, &pages);
	RowState	states[TID_BLOCK_ROWS];
	PGAlignedBlock copy;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar mover page",
												  ALLOCSET_DEFAULT_SIZES);
	bool		settled = true;

	for (int i = 0; i < npages && settled; i++)
	{
		MemoryContext old_context = MemoryContextSwitchTo(context);

		vacuum_delay_point(false);
		settled = close_row_page(move, &pages[i], states, copy.data);
		if (settled)
			append_row_page(move, &pages[i], states, copy.data);
		MemoryContextSwitchTo(old_context);
		MemoryContextReset(context);
		retire(move, pages[i].blkno, 1);
	}
	add_closed(move, pages, npages);
	MemoryContextDelete(context);
	return settled;
}

/*
 * Append one vector of an open segment in column form.
 */
static void
append_vector(Move *move, const SegmentData *segment, SegmentReader *reader,
			  AttributeVector *vectors, int vector)
{
	uint32		start = segment_first(segment) + vector * VECTOR_ROWS;
	uint32		limit = Min(start + VECTOR_ROWS,
							segment_first(segment) + segment->nslots);
	int			natts = move->desc->natts;
	uint64		rows[VECTOR_WORDS];

	vacuum_delay_point(false);
	for (int i = 0; i < VECTOR_WORDS; i++)
		rows[i] = ~(move->dead[start / 64 + i] | move->gone[start / 64 + i]);
	for (int i = 0; i < natts; i++)
	{
		attribute_vector_set(&vectors[i], reader, vector);

		/* all at once: one by one each would look through the vector */
		if (attribute_vector_is_string(&vectors[i]))
			attribute_vector_decode_strings(&vectors[i], reader, rows);
	}
	for (uint32 offset = start; offset < limit; offset++)
	{
		/* holes are in a set already */
		if (row_bitmap_test(move->dead, offset) ||
			row_bitmap_test(move->gone, offset))
		{
			row_buffer_append_hole(move->rows);
			continue;
		}
		for (int i = 0; i < natts; i++)
			move->values[i] = attribute_vector_datum(&vectors[i], reader,
													 offset - start,
													 &move->isnull[i]);
		row_buffer_append(move->rows, move->values, move->isnull);
	}
}

/*
 * Append the rows of a segment in column form.
 */
static void
append_column_segment(Move *move, SegmentData *segment)
{
	Relation	rel = move->mover->rel;
	int			natts = move->desc->natts;
	SegmentReader *reader = segment_reader_create(rel, move->mover->strategy);
	AttributeVector *vectors = palloc(Max(natts, 1) * sizeof(AttributeVector));
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar mover vector",
												  ALLOCSET_DEFAULT_SIZES);

	segment_reader_open(reader, move->group, segment);
	for (int i = 0; i < natts; i++)
		attribute_vector_init(&vectors[i], move->desc, i + 1);

	append_holes(move, segment_first(segment), move->gone);
	for (int first = 0; first < (int) segment->nslots; first += VECTOR_ROWS)
	{
		MemoryContext old_context = MemoryContextSwitchTo(context);

		append_vector(move, segment, reader, vectors, first / VECTOR_ROWS);
		MemoryContextSwitchTo(old_context);
		MemoryContextReset(context);
	}
	vacuum_note_frozen(&move->newest, segment_tuple_header(segment));
	MemoryContextDelete(context);
	segment_reader_free(reader);
	pfree(vectors);
}

/* Did a segment in column form abort? */
static bool
segment_is_dead(Move *move, int index)
{
	Buffer		buffer = group_read(move->mover->rel, move->group,
									BUFFER_LOCK_SHARE);
	SegmentData *segment = &group_header(buffer)->segments[index];
	HeapTupleData tuple;
	bool		dead;

	segment_tuple(move->mover->rel, segment,
				  row_number(move->group, segment_first(segment)), &tuple);
	dead = mover_tuple_state(move->mover, &tuple, buffer) == ROW_DEAD;
	UnlockReleaseBuffer(buffer);
	return dead;
}

/*
 * Append a segment.  Returns false if a row is not settled.
 */
static bool
append_segment(Move *move, int index)
{
	SegmentData *segment = &move->header->segments[index];
	uint32		members;

	switch (segment->form)
	{
		case SEGMENT_ROWS:
			return append_row_segment(move, segment);

		case SEGMENT_COLUMNS:
			members = row_bitmap_count(move->dead, segment_first(segment),
									   segment_first(segment) + segment->nslots) +
				row_bitmap_count(move->gone, segment_first(segment),
								 segment_first(segment) + segment->nslots);
			move->ncounted += segment->nslots - members;
			retire_segment(move, segment);
			if (segment_is_dead(move, index))
			{
				append_holes(move, segment_first(segment), move->gone);
				append_holes(move, segment_first(segment) + segment->nslots,
							 move->dead);
			}
			else
				append_column_segment(move, segment);
			return true;

		case SEGMENT_DEAD:
			append_holes(move, segment_first(segment), move->gone);
			append_holes(move, segment_limit(segment), move->dead);
			return true;

		case SEGMENT_GONE:
			append_holes(move, segment_limit(segment), move->gone);
			return true;

		default:
			return false;
	}
}

/* ---- the swap ---- */

/*
 * Let no more row pages be opened in the group's open segment.
 */
static void
close_row_segment(Mover *mover, uint32 group)
{
	GroupChange change;

	group_change_begin(mover->rel, group, true, &change);
	for (int i = 0; i < change.header->nsegments; i++)
		change.header->segments[i].flags &= ~SEGMENT_OPEN;
	if (change.meta->row_page != InvalidBlockNumber &&
		row_number_group(change.meta->row_page_first) == group)
		change.meta->row_page = InvalidBlockNumber;
	group_change_finish(&change);
}

/* The new segment's header: visible to everybody, for ever. */
static void
segment_freeze(SegmentData *segment)
{
	HeapTupleHeader header = segment_tuple_header(segment);

	memset(segment->header, 0, sizeof(segment->header));
	header->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	header->t_infomask = HEAP_XMAX_INVALID;
	HeapTupleHeaderSetXmin(header, FrozenTransactionId);
	HeapTupleHeaderSetXminFrozen(header);
	ItemPointerSetInvalid(&header->t_ctid);
}

/*
 * Index of the segment that starts at a vector, cut out of the one that has
 * the vector if need be.
 */
static int
change_segment_at(GroupChange *change, int vector)
{
	GroupHeaderData *header = change->header;

	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &header->segments[i];

		if (segment->first_vector == vector)
			return i;
		if (vector < segment->first_vector + segment->nvectors)
		{
			group_change_split(change, i, vector);
			return i + 1;
		}
	}
	return header->nsegments;
}

/*
 * Once nothing in the group is in row form, or may be soon, its row map is
 * worth nothing.
 */
static void
change_drop_row_map(Move *move, GroupChange *change)
{
	GroupHeaderData *header = change->header;

	for (int i = 0; i < header->nsegments; i++)
		if (header->segments[i].form == SEGMENT_ROWS ||
			header->segments[i].form == SEGMENT_ANNOUNCED)
			return;
	for (int i = 0; i < ROW_MAP_PAGES; i++)
	{
		if (header->row_map[i] != InvalidBlockNumber)
			retire(move, header->row_map[i], 1);
		header->row_map[i] = InvalidBlockNumber;
	}
	header->nrow_pages = 0;
}

/*
 * Judge the rows of a closed page once more, with the group's header locked
 * exclusively.  False if one is not what it was, or if somebody might change
 * one yet.  A row that was live cannot have become dead meanwhile: whoever has
 * deleted it is newer than the horizon.
 */
static bool
closed_page_is_settled(Move *move, const RowMapEntry *entry)
{
	Mover	   *mover = move->mover;
	Buffer		buffer = block_read(mover->rel, entry->blkno, mover->strategy);
	bool		settled = true;

	if (!ConditionalLockBufferForCleanup(buffer))
	{
		ReleaseBuffer(buffer);
		return false;
	}
	for (int i = 0; i < entry->nrows && settled; i++)
	{
		RowNumber	row = row_number(move->group, entry->first + i);
		HeapTupleData tuple;

		if (row_page_tuple(mover->rel, buffer, i + 1, row, &tuple))
			settled = mover_tuple_state(mover, &tuple, buffer) != ROW_UNSETTLED;
	}
	UnlockReleaseBuffer(buffer);
	return settled;
}

static bool
closed_pages_are_settled(Move *move)
{
	for (int i = 0; i < move->nclosed; i++)
		if (!closed_page_is_settled(move, &move->closed[i]))
			return false;
	return true;
}

/*
 * Begin the swap, if the rows still are what they were.  A pin that is in the
 * way may be the checkpointer's, so there is a second try, and some more.
 */
static bool
begin_swap(Move *move, GroupChange *change)
{
	for (int i = 0; i < SWAP_TRIES; i++)
	{
		CHECK_FOR_INTERRUPTS();
		group_change_begin(move->mover->rel, move->group, false, change);
		if (closed_pages_are_settled(move))
			return true;
		group_change_abandon(change);
		pg_usleep(SWAP_WAIT_US);
	}
	return false;
}

/*
 * Put the new segment and sets in the place of the old ones, in one record.
 * Returns false, and changes nothing, if the rows have changed.
 */
static bool
publish(Move *move, const SegmentData *segment, const RowSetRef *dead,
		const RowSetRef *gone)
{
	GroupChange change;
	int			first;
	int			limit;

	if (FullTransactionIdIsValid(move->newest))
		standby_conflict(move->mover->rel, move->newest);

	if (!begin_swap(move, &change))
		return false;
	first = change_segment_at(&change, move->first / VECTOR_ROWS);
	limit = change_segment_at(&change, move->limit / VECTOR_ROWS);
	Assert(first < limit);
	group_change_replace(&change, first, limit - first, segment);
	change.header->dead = *dead;
	change.header->gone = *gone;
	change.entry->nrows = change.entry->nrows - move->ncounted + segment->nrows;
	change.entry->ndeleted = dead->nrows + gone->nrows;
	change_drop_row_map(move, &change);
	group_change_finish(&change);
	return true;
}

/*
 * Write a set unless it is what it was; then it keeps its pages.
 */
static RowSetRef
replace_set(Move *move, const RowSetRef *old, const uint64 *bitmap)
{
	RowSetRef	ref;

	if (row_bitmap_count(bitmap, 0, GROUP_ROWS) == old->nrows)
		return *old;
	ref = row_set_write(move->mover->rel, bitmap, MaintenanceOwner);
	if (old->kind != ROW_SET_EMPTY)
		retire(move, old->start, old->nblocks);
	return ref;
}

/* Has the move written the set anew? */
static bool
set_is_new(const RowSetRef *ref, const RowSetRef *old)
{
	return ref->nblocks > 0 && ref->start != old->start;
}

/*
 * After the swap: the new blocks are in use, the old ones are not.  From here
 * on an error leaks the rest of these, no more.
 */
static void
give_back_old(Move *move, const SegmentData *segment, const RowSetRef *dead,
			  const RowSetRef *gone)
{
	Relation	rel = move->mover->rel;
	FullTransactionId stamp;

	if (segment->form == SEGMENT_COLUMNS)
		segment_forget_announced(rel, segment);
	if (set_is_new(dead, &move->header->dead))
		free_space_forget(rel, dead->start);
	if (set_is_new(gone, &move->header->gone))
		free_space_forget(rel, gone->start);
	stamp = ReadNextFullTransactionId();
	for (int i = 0; i < move->nretired; i++)
		free_space_retire(rel, move->retired[i].start,
						  move->retired[i].nblocks, stamp);
}

/* Without a swap: nobody has seen the new blocks. */
static void
give_back_new(Move *move, const SegmentData *segment, const RowSetRef *dead,
			  const RowSetRef *gone)
{
	Relation	rel = move->mover->rel;

	if (segment->form == SEGMENT_COLUMNS)
		segment_release(rel, segment);
	if (set_is_new(dead, &move->header->dead))
		free_space_release(rel, dead->start);
	if (set_is_new(gone, &move->header->gone))
		free_space_release(rel, gone->start);
	toast_list_drop(&move->toast, rel);
}

/*
 * A segment without rows needs no set: its form says all.
 */
static void
make_empty_segment(Move *move, SegmentData *segment)
{
	segment->form = SEGMENT_GONE;
	if (row_bitmap_count(move->dead, move->first, move->limit) > 0)
		segment->form = SEGMENT_DEAD;
	segment->start = InvalidBlockNumber;
	row_bitmap_clear_range(move->dead, move->first, move->limit);
	row_bitmap_clear_range(move->gone, move->first, move->limit);
}

/*
 * Write the new segment, swap, and give back the old blocks.  Returns false if
 * a row has ceased to be settled.
 */
static bool
move_finish(Move *move)
{
	Relation	rel = move->mover->rel;
	GroupHeaderData *header = move->header;
	SegmentData segment = {0};
	RowSetRef	dead;
	RowSetRef	gone;

	if (row_buffer_nrows(move->rows) > 0)
	{
		row_buffer_write(move->rows, NULL, rel, MaintenanceOwner, &segment);
		segment.form = SEGMENT_COLUMNS;
		segment_freeze(&segment);
	}
	else
		make_empty_segment(move, &segment);
	dead = replace_set(move, &header->dead, move->dead);
	gone = replace_set(move, &header->gone, move->gone);
	toast_list_write(&move->toast, rel, move->group);

	if (!publish(move, &segment, &dead, &gone))
	{
		give_back_new(move, &segment, &dead, &gone);
		return false;
	}
	give_back_old(move, &segment, &dead, &gone);
	move->mover->nrows += segment.nrows;
	move->mover->ndead += move->ndead;
	move->mover->nsegments++;
	return true;
}

/*
 * Move a run of units.  Returns false if something has ceased to be settled.
 */
static bool
move_run(Mover *mover, uint32 group, const MoverUnit *first,
		 const MoverUnit *last)
{
	Relation	rel = mover->rel;
	Move		move = {0};
	BlockNumber blkno;
	bool		settled = true;

	if (last->open)
		close_row_segment(mover, group);

	move.mover = mover;
	move.group = group;
	move.first = first->first_vector * VECTOR_ROWS;
	move.limit = (last->first_vector + last->nvectors) * VECTOR_ROWS;
	move.desc = RelationGetDescr(rel);
	move.header = palloc(sizeof(GroupHeaderData));
	move.rows = row_buffer_create(move.desc, CurrentMemoryContext);
	move.dead = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	move.gone = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	move.values = palloc(Max(move.desc->natts, 1) * sizeof(Datum));
	move.isnull = palloc(Max(move.desc->natts, 1) * sizeof(bool));
	toast_list_init(&move.toast);

	if (!group_copy_header(rel, group, &blkno, move.header))
		elog(ERROR, "group %u of relation \"%s\" does not exist", group,
			 RelationGetRelationName(rel));
	row_set_load(rel, &move.header->dead, move.dead);
	row_set_load(rel, &move.header->gone, move.gone);

	for (int i = 0; i < move.header->nsegments && settled; i++)
	{
		SegmentData *segment = &move.header->segments[i];

		/* the open segment may have grown until it was closed */
		if (last->open && segment_first(segment) < move.limit)
			move.limit = Max(move.limit, segment_limit(segment));
		if (segment_limit(segment) > move.first &&
			segment_first(segment) < move.limit)
			settled = append_segment(&move, i);
	}
	return settled && move_finish(&move);
}

/*
 * Move all runs of a group that are worth it.  Returns whether another look at
 * the group is: once rows that are being changed have been moved in small
 * pieces, these are to be joined, which nobody can disturb.
 */
static bool
move_runs(Mover *mover, uint32 group)
{
	MemoryContext context = CurrentMemoryContext;
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	MoverUnit  *units = palloc(GROUP_VECTORS * sizeof(MoverUnit));
	int			n = mover_cut_group(mover, group, header, units);
	int			a = 0;
	int			b;
	bool		again = false;

	while (mover_find_run(mover, units, n, &a, &b))
	{
		MemoryContext run_context = AllocSetContextCreate(context,
														  "columnar move",
														  ALLOCSET_DEFAULT_SIZES);
		bool		moved;

		MemoryContextSwitchTo(run_context);
		moved = move_run(mover, group, &units[a], &units[b - 1]);
		MemoryContextSwitchTo(context);
		MemoryContextDelete(run_context);

		if (moved ? mover->cautious : !mover->cautious)
			again = true;
		if (!moved)
			mover->cautious = true;
		a = b;
	}
	return again;
}

void
mover_move_group(Mover *mover, uint32 group)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar mover",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(context);

	for (int i = 0; i < MAX_LOOKS; i++)
		if (!move_runs(mover, group))
			break;

	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
}
