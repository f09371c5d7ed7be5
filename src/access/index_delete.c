/*
 * index_delete.c
 *		Which of an index page's entries lead to dead rows.
 *
 * Index access methods ask when a page is full, holding the lock of that page.
 * Entries that a scan has marked are told which transaction removed their rows,
 * for conflicts on standbys, and others that lead to the same TID blocks are
 * looked at as well (simple deletion).  B-tree also asks about entries that may
 * be versions of one row (bottom-up deletion); that is a matter of luck, so the
 * work is bounded.
 *
 * A TID block is judged as a whole: one look at its group's header, which stays
 * locked meanwhile, and one at each page with tuples or row headers of it.
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/table_am.h"
#include "port/pg_bitutils.h"
#include "storage/procarray.h"
#include "storage/row_header.h"
#include "storage/row_set.h"
#include "utils/snapmgr.h"

/*
 * TID blocks that bottom-up deletion looks at, at most.  New versions go to the
 * end of the table, where heap puts them near the old ones if it can; so the
 * versions of a row are in more places, and heap's six would leave an index
 * twice as large under scattered updates.
 */
#define BOTTOM_UP_BLOCKS		24

/* Promising entries of a block below which their number means nothing. */
#define BOTTOM_UP_MIN_PROMISING	4

/* The entries that lead to one TID block, a run of those sorted by TID. */
typedef struct BlockEntries
{
	TM_IndexDelete *entries;
	int			n;
	int			npromising;
} BlockEntries;

typedef struct IndexDeletion
{
	Relation	rel;
	TM_IndexDeleteOp *op;
	SnapshotData non_vacuumable;
	TransactionId horizon;		/* newest remover of a row so far */
	int			freed;			/* bytes of entries found, bottom-up */

	/* Deleted rows of a group, unless it is invalid, by the sets' places. */
	uint64	   *deleted;
	uint32		deleted_group;
	BlockNumber dead_start;
	BlockNumber gone_start;

	/* The TID block at hand, by offset in it. */
	bool		is_dead[TID_BLOCK_ROWS];
	TransactionId removed[TID_BLOCK_ROWS];	/* by whom, if a tuple says */
} IndexDeletion;

/* ---- a TID block ---- */

/*
 * The group's deleted rows.  While its header is locked the sets' pages are not
 * reused, and this lasts no longer than the pages' stamps are held back by the
 * snapshot or xid of whoever changes an index.
 */
static const uint64 *
deleted_rows(IndexDeletion *deletion, const GroupHeaderData *header)
{
	if (deletion->deleted_group == header->group &&
		deletion->dead_start == header->dead.start &&
		deletion->gone_start == header->gone.start)
		return deletion->deleted;

	if (deletion->deleted == NULL)
		deletion->deleted = palloc(ROW_BITMAP_WORDS * sizeof(uint64));
	memset(deletion->deleted, 0, ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(deletion->rel, &header->dead, deletion->deleted);
	row_set_load(deletion->rel, &header->gone, deletion->deleted);
	deletion->deleted_group = header->group;
	deletion->dead_start = header->dead.start;
	deletion->gone_start = header->gone.start;
	return deletion->deleted;
}

static void
judge_tuple(IndexDeletion *deletion, HeapTuple tuple, Buffer buffer, int index)
{
	deletion->is_dead[index] =
		!HeapTupleSatisfiesVisibility(tuple, &deletion->non_vacuumable, buffer);
	HeapTupleHeaderAdvanceConflictHorizon(tuple->t_data,
										  &deletion->removed[index]);
}

/*
 * A block in column form that begins at an offset of the group.
 */
static void
judge_columns(IndexDeletion *deletion, Buffer header_buffer,
			  SegmentData *segment, uint32 first)
{
	GroupHeaderData *header = group_header(header_buffer);
	HeapTupleData tuple;
	BlockNumber *pages = NULL;
	int			npages = 0;

	segment_tuple(deletion->rel, segment, row_number(header->group, first),
				  &tuple);
	judge_tuple(deletion, &tuple, header_buffer, 0);
	for (int i = 1; i < TID_BLOCK_ROWS; i++)
	{
		deletion->is_dead[i] = deletion->is_dead[0];
		deletion->removed[i] = deletion->removed[0];
	}

	if (header->row_header_map != InvalidBlockNumber)
		npages = row_header_pages(deletion->rel, header, first,
								  first + TID_BLOCK_ROWS, &pages);
	for (int i = 0; i < npages; i++)
	{
		Buffer		buffer = row_header_page_read(deletion->rel, header->group,
												  pages[i], BUFFER_LOCK_SHARE,
												  NULL);
		int			n = PageGetMaxOffsetNumber(BufferGetPage(buffer));

		for (int offnum = 1; offnum <= n; offnum++)
		{
			uint32		offset;

			if (row_header_tuple(deletion->rel, buffer, offnum, &tuple, &offset) &&
				offset >= first && offset - first < TID_BLOCK_ROWS)
				judge_tuple(deletion, &tuple, buffer, offset - first);
		}
		UnlockReleaseBuffer(buffer);
	}
	if (pages)
		pfree(pages);
}

/*
 * Of the rows that entries lead to, those of one row page; they come in order.
 * Returns how many.
 */
static int
judge_row_page(IndexDeletion *deletion, const GroupHeaderData *header,
			   const RowMapEntry *page, const TM_IndexDelete *entries, int n)
{
	Buffer		buffer = block_read(deletion->rel, page->blkno, NULL);
	int			done;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(deletion->rel, buffer, page->nrows);
	for (done = 0; done < n; done++)
	{
		RowNumber	row = row_number_from_tid((ItemPointer) &entries[done].tid);
		uint32		index = row % TID_BLOCK_ROWS;
		OffsetNumber offnum;
		HeapTupleData tuple;

		if (row_number_offset(row) >= (uint32) page->first + page->nrows)
			break;
		offnum = row_number_offset(row) - page->first + 1;
		if (row_page_tuple(deletion->rel, buffer, offnum, row, &tuple))
			judge_tuple(deletion, &tuple, buffer, index);
		else
			deletion->is_dead[index] =
				offnum <= PageGetMaxOffsetNumber(BufferGetPage(buffer));
	}
	UnlockReleaseBuffer(buffer);
	return done;
}

static void
judge_rows(IndexDeletion *deletion, const GroupHeaderData *header,
		   const BlockEntries *block)
{
	int			done = 0;

	while (done < block->n)
	{
		TM_IndexDelete *entry = &block->entries[done];
		uint32		offset = row_number_offset(row_number_from_tid(&entry->tid));
		RowMapEntry page;

		if (group_find_row_page(deletion->rel, header, offset, &page))
			done += judge_row_page(deletion, header, &page, entry,
								   block->n - done);
		else
			done++;
	}
}

/* Rows of a block that are in a deleted set, or behind a segment's end. */
static void
add_holes(IndexDeletion *deletion, const GroupHeaderData *header,
		  const SegmentData *segment, uint32 first)
{
	const uint64 *deleted = deleted_rows(deletion, header);
	uint32		limit = segment_first(segment) + segment->nslots;

	for (int i = 0; i < TID_BLOCK_ROWS; i++)
	{
		bool		is_behind = segment->form == SEGMENT_COLUMNS &&
			first + i >= limit;

		if (!is_behind && !row_bitmap_test(deleted, first + i))
			continue;
		deletion->is_dead[i] = true;
		deletion->removed[i] = InvalidTransactionId;	/* has been logged */
	}
}

/*
 * Judge the rows of a block that entries lead to.  Of an announced segment
 * nothing is said: its writer may be about to publish it.
 */
static void
judge_block(IndexDeletion *deletion, const BlockEntries *block)
{
	RowNumber	row = row_number_from_tid(&block->entries[0].tid);
	uint32		first = row_number_offset(row) / TID_BLOCK_ROWS * TID_BLOCK_ROWS;
	Buffer		buffer = group_read(deletion->rel, row_number_group(row),
									BUFFER_LOCK_SHARE);
	SegmentData *segment;

	memset(deletion->is_dead, 0, sizeof(deletion->is_dead));
	memset(deletion->removed, 0, sizeof(deletion->removed));
	if (!BufferIsValid(buffer))
		return;

	segment = group_find_segment(group_header(buffer), first);
	if (segment != NULL && segment->form == SEGMENT_COLUMNS)
		judge_columns(deletion, buffer, segment, first);
	else if (segment != NULL && segment->form == SEGMENT_ROWS)
		judge_rows(deletion, group_header(buffer), block);
	else if (segment != NULL && segment->form != SEGMENT_ANNOUNCED)
		memset(deletion->is_dead, true, sizeof(deletion->is_dead));

	if (segment != NULL &&
		(segment->form == SEGMENT_COLUMNS || segment->form == SEGMENT_ROWS))
		add_holes(deletion, group_header(buffer), segment, first);
	UnlockReleaseBuffer(buffer);
}

/* ---- entries ---- */

/*
 * Decide about the entries of a block.  Those to be deleted are moved to kept;
 * returns their number.
 */
static int
decide_block(IndexDeletion *deletion, const BlockEntries *block,
			 TM_IndexDelete *kept)
{
	int			nkept = 0;

	judge_block(deletion, block);
	for (int i = 0; i < block->n; i++)
	{
		TM_IndexDelete *entry = &block->entries[i];
		TM_IndexStatus *status = &deletion->op->status[entry->id];
		int			index = ItemPointerGetOffsetNumber(&entry->tid) - 1;

		if (!status->knowndeletable)
		{
			if (!deletion->is_dead[index])
				continue;
			status->knowndeletable = true;
			deletion->freed += status->freespace;
		}
		if (TransactionIdFollows(deletion->removed[index], deletion->horizon))
			deletion->horizon = deletion->removed[index];
		kept[nkept++] = *entry;
	}
	return nkept;
}

/* A TID as a number that is compared at once. */
static inline uint64
entry_key(const TM_IndexDelete *entry)
{
	return ((uint64) ItemPointerGetBlockNumberNoCheck(&entry->tid) << 16) |
		ItemPointerGetOffsetNumberNoCheck(&entry->tid);
}

/* Pages are full of entries often: with qsort() this took half of the time. */
#define ST_SORT sort_entries
#define ST_ELEMENT_TYPE TM_IndexDelete
#define ST_COMPARE(a, b) \
	(entry_key(a) < entry_key(b) ? -1 : entry_key(a) > entry_key(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * Sort entries by TID and divide them by TID blocks.  Those that cannot be of a
 * row of ours are left out; an index that is sound has none.
 */
static int
divide_entries(TM_IndexDeleteOp *op, BlockEntries *blocks)
{
	BlockNumber last = InvalidBlockNumber;
	int			nblocks = 0;

	sort_entries(op->deltids, op->ndeltids);
	for (int i = 0; i < op->ndeltids; i++)
	{
		TM_IndexDelete *entry = &op->deltids[i];

		if (row_number_from_tid(&entry->tid) == InvalidRowNumber)
		{
			last = InvalidBlockNumber;
			continue;
		}
		if (ItemPointerGetBlockNumber(&entry->tid) != last)
		{
			last = ItemPointerGetBlockNumber(&entry->tid);
			blocks[nblocks].entries = entry;
			blocks[nblocks].n = 0;
			blocks[nblocks].npromising = 0;
			nblocks++;
		}
		blocks[nblocks - 1].n++;
		if (op->status[entry->id].promising)
			blocks[nblocks - 1].npromising++;
	}
	return nblocks;
}

/* ---- bottom-up deletion ---- */

/*
 * Blocks with more promising entries come first, then those with more entries,
 * both by powers of two, then blocks in order.
 */
static int
block_compare(const void *a, const void *b)
{
	const BlockEntries *x = a;
	const BlockEntries *y = b;
	uint32		promising_x = pg_nextpower2_32(Max(x->npromising, BOTTOM_UP_MIN_PROMISING));
	uint32		promising_y = pg_nextpower2_32(Max(y->npromising, BOTTOM_UP_MIN_PROMISING));
	uint32		n_x = pg_nextpower2_32(x->n);
	uint32		n_y = pg_nextpower2_32(y->n);

	if (promising_x != promising_y)
		return promising_x > promising_y ? -1 : 1;
	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return entry_key(x->entries) < entry_key(y->entries) ? -1 : 1;
}

/*
 * The most promising blocks, one after the other, until enough bytes have been
 * found or a block gave none.
 */
static int
delete_bottom_up(IndexDeletion *deletion, BlockEntries *blocks, int nblocks,
				 TM_IndexDelete *kept)
{
	int			nkept = 0;

	qsort(blocks, nblocks, sizeof(BlockEntries), block_compare);
	nblocks = Min(nblocks, BOTTOM_UP_BLOCKS);
	for (int i = 0; i < nblocks; i++)
	{
		int			freed_before = deletion->freed;

		nkept += decide_block(deletion, &blocks[i], kept + nkept);
		if (deletion->freed >= deletion->op->bottomupfreespace ||
			deletion->freed == freed_before)
			break;
	}
	return nkept;
}

/*
 * index_delete_tuples of the table access method.  Returns the newest
 * transaction that removed one of the rows; rows in a deleted set add none,
 * because VACUUM has logged a conflict when it put them there.
 */
TransactionId
columnar_index_delete_tuples(Relation rel, TM_IndexDeleteOp *op)
{
	IndexDeletion *deletion = palloc0(sizeof(IndexDeletion));
	BlockEntries *blocks = palloc(op->ndeltids * sizeof(BlockEntries));
	TM_IndexDelete *kept = palloc(op->ndeltids * sizeof(TM_IndexDelete));
	int			nblocks;
	int			nkept = 0;
	TransactionId horizon;

	deletion->rel = rel;
	deletion->op = op;
	deletion->horizon = InvalidTransactionId;
	deletion->deleted_group = InvalidGroup;
	InitNonVacuumableSnapshot(deletion->non_vacuumable, GlobalVisTestFor(rel));

	nblocks = divide_entries(op, blocks);
	if (op->bottomup)
		nkept = delete_bottom_up(deletion, blocks, nblocks, kept);
	else
	{
		for (int i = 0; i < nblocks; i++)
			nkept += decide_block(deletion, &blocks[i], kept + nkept);
	}
	memcpy(op->deltids, kept, nkept * sizeof(TM_IndexDelete));
	op->ndeltids = nkept;
	horizon = deletion->horizon;

	if (deletion->deleted)
		pfree(deletion->deleted);
	pfree(deletion);
	pfree(blocks);
	pfree(kept);
	return horizon;
}
