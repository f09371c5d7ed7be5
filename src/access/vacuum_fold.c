/*
 * vacuum_fold.c
 *		VACUUM of the row headers of a group.
 *
 * A header is there because somebody deleted, updated or locked a row of a
 * column-form segment.  Once that is over it has done its duty:
 *
 *	the row is dead to everybody	it joins the dead set, then its header goes
 *	xmax has aborted or was a lock	the header goes, the segment speaks for the
 *									row again, with the same xmin
 *	the header does not count (H4)	it goes: a crash or a pin has left it
 *	else							it stays, and is frozen if it is old
 *
 * The dead rows of a group become members of the set in one record, after which
 * their headers mean nothing to readers, who look at both under one lock (H5).
 * So headers can be removed page by page, and where somebody has the page
 * pinned, next time.
 *
 * A page is judged with the group's header locked: a loader may publish a
 * segment at any time, and headers of its rows must not be taken for leftovers.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/multixact.h"
#include "access/vacuum.h"
#include "miscadmin.h"
#include "storage/free_space.h"
#include "storage/group_change.h"
#include "storage/row_header.h"
#include "storage/row_set.h"
#include "storage/standby_conflict.h"

typedef enum HeaderFate
{
	HEADER_KEEP,
	HEADER_FOLD,				/* the row is dead, its header does not know */
	HEADER_REMOVE
} HeaderFate;

typedef struct Fold
{
	VacuumState *state;
	uint32		group;
	uint64	   *dead;			/* bitmaps: the sets as they are published */
	uint64	   *gone;
	uint64	   *found;			/* bitmap: rows to join the dead set */
	uint32		nfound;
	FullTransactionId newest;	/* newest xid of theirs */
	uint32		recently_dead;
} Fold;

/* What a look at a page found. */
typedef struct HeaderPageFindings
{
	uint32		nheaders;
	uint32		nremovable;
	uint32		recently_dead;
	bool		freeze;			/* a header that stays is to be frozen */
	TransactionId frozenxid;	/* oldest ids in headers as they are */
	MultiXactId minmxid;
	bool		keep[MaxHeapTuplesPerPage + 1]; /* by offset number */
	bool		remove[MaxHeapTuplesPerPage + 1];
} HeaderPageFindings;

/* ---- judging ---- */

static HeaderFate
header_fate(Fold *fold, GroupHeaderData *group, HeapTuple tuple, Buffer buffer,
			uint32 offset, HeaderPageFindings *findings)
{
	SegmentData *segment = group_find_segment(group, offset);

	if (segment == NULL || segment->form != SEGMENT_COLUMNS ||
		offset - segment_first(segment) >= segment->nslots ||
		row_bitmap_test(fold->dead, offset) ||
		row_bitmap_test(fold->gone, offset))
		return HEADER_REMOVE;

	switch (HeapTupleSatisfiesVacuum(tuple, fold->state->mover.oldest_xmin,
									 buffer))
	{
		case HEAPTUPLE_DEAD:
			return HEADER_FOLD;
		case HEAPTUPLE_LIVE:
			if (tuple->t_data->t_infomask & HEAP_XMAX_INVALID)
				return HEADER_REMOVE;
			return HEADER_KEEP;
		case HEAPTUPLE_RECENTLY_DEAD:
			findings->recently_dead++;
			return HEADER_KEEP;
		default:
			return HEADER_KEEP;
	}
}

/*
 * Look at the headers of a page, which is locked as is the group's header.  A
 * row that is to be folded is noted in fold.
 */
static void
scan_header_page(Fold *fold, GroupHeaderData *group, Buffer buffer,
				 HeaderPageFindings *findings)
{
	VacuumState *state = fold->state;
	OffsetNumber limit = PageGetMaxOffsetNumber(BufferGetPage(buffer));

	memset(findings, 0, sizeof(HeaderPageFindings));
	findings->frozenxid = state->cutoffs.OldestXmin;
	findings->minmxid = state->cutoffs.OldestMxact;
	for (OffsetNumber offnum = 1; offnum <= limit; offnum++)
	{
		HeapTupleData tuple;
		uint32		offset;
		bool		old;

		if (!row_header_tuple(state->rel, buffer, offnum, &tuple, &offset))
			continue;
		findings->nheaders++;
		old = heap_tuple_should_freeze(tuple.t_data, &state->cutoffs,
									   &findings->frozenxid,
									   &findings->minmxid);
		switch (header_fate(fold, group, &tuple, buffer, offset, findings))
		{
			case HEADER_KEEP:
				findings->keep[offnum] = true;
				findings->freeze |= old;
				break;
			case HEADER_FOLD:
				if (!row_bitmap_test(fold->found, offset))
					fold->nfound++;
				row_bitmap_set(fold->found, offset);
				vacuum_note_removed(&fold->newest, tuple.t_data);
				break;
			case HEADER_REMOVE:
				findings->remove[offnum] = true;
				findings->nremovable++;
				break;
		}
	}
}

static void
find_dead_rows(Fold *fold, const BlockNumber *pages, int npages)
{
	HeaderPageFindings findings;

	for (int i = 0; i < npages; i++)
	{
		Buffer		header_buffer;
		Buffer		buffer;

		vacuum_delay_point(false);
		header_buffer = group_read(fold->state->rel, fold->group,
								   BUFFER_LOCK_SHARE);
		buffer = row_header_page_read(fold->state->rel, fold->group, pages[i],
									  BUFFER_LOCK_SHARE,
									  fold->state->strategy);
		scan_header_page(fold, group_header(header_buffer), buffer, &findings);
		UnlockReleaseBuffer(buffer);
		UnlockReleaseBuffer(header_buffer);
	}
}

/* ---- the dead set ---- */

/*
 * Make the rows that were found members of the dead set.
 */
static void
publish_dead_rows(Fold *fold, const RowSetRef *old)
{
	Relation	rel = fold->state->rel;
	RowSetRef	ref;
	GroupChange change;

	for (int i = 0; i < ROW_BITMAP_WORDS; i++)
		fold->dead[i] |= fold->found[i];
	ref = row_set_write(rel, fold->dead, MaintenanceOwner);
	if (FullTransactionIdIsValid(fold->newest))
		standby_conflict(rel, fold->newest);

	group_change_begin(rel, fold->group, false, &change);
	change.header->dead = ref;
	change.entry->nrows -= fold->nfound;
	change.entry->ndeleted = ref.nrows + change.header->gone.nrows;
	group_change_finish(&change);

	free_space_forget(rel, ref.start);
	if (old->kind != ROW_SET_EMPTY)
		free_space_retire(rel, old->start, old->nblocks,
						  ReadNextFullTransactionId());
	fold->state->removed += fold->nfound;
}

/* ---- pages ---- */

/*
 * Freeze the headers that stay, in a working copy of a page.  Those that should
 * go but cannot are left alone: heap's code would take their xids for damage.
 */
static void
freeze_headers(Fold *fold, Page page, const HeaderPageFindings *findings)
{
	VacuumState *state = fold->state;
	FullTransactionId newest = InvalidFullTransactionId;

	for (OffsetNumber offnum = 1; offnum <= PageGetMaxOffsetNumber(page); offnum++)
	{
		ItemId		item = PageGetItemId(page, offnum);

		if (findings->keep[offnum])
			vacuum_freeze_tuple(state, (HeapTupleHeader) PageGetItem(page, item),
								&newest);
	}
	if (FullTransactionIdIsValid(newest))
		standby_conflict(state->rel, newest);
}

/*
 * Freeze in place, where a pin of others keeps headers from being removed.
 */
static void
freeze_header_page(Fold *fold, Buffer buffer,
				   const HeaderPageFindings *findings)
{
	GenericXLogState *xlog = GenericXLogStart(fold->state->rel);

	freeze_headers(fold, GenericXLogRegisterBuffer(xlog, buffer, 0), findings);
	GenericXLogFinish(xlog);
}

/*
 * Remove and freeze headers of a page that is pinned; then findings say what
 * is left of it.  The group's header is locked.
 */
static void
change_header_page(Fold *fold, GroupHeaderData *group, Buffer buffer,
				   HeaderPageFindings *findings)
{
	bool		cleanup = findings->nremovable > 0 &&
	ConditionalLockBufferForCleanup(buffer);

	if (!cleanup)
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	scan_header_page(fold, group, buffer, findings);
	if (cleanup && findings->nremovable > 0)
	{
		PGAlignedBlock copy;

		memcpy(copy.data, BufferGetPage(buffer), BLCKSZ);
		if (findings->freeze)
			freeze_headers(fold, copy.data, findings);
		row_header_page_rewrite(fold->state->rel, buffer, copy.data,
								findings->remove);
		scan_header_page(fold, group, buffer, findings);
	}
	else if (findings->freeze)
	{
		freeze_header_page(fold, buffer, findings);
		scan_header_page(fold, group, buffer, findings);
	}
}

static void
clean_header_page(Fold *fold, BlockNumber blkno)
{
	VacuumState *state = fold->state;
	HeaderPageFindings findings;
	Buffer		header_buffer;
	Buffer		buffer;

	vacuum_delay_point(false);
	header_buffer = group_read(state->rel, fold->group, BUFFER_LOCK_SHARE);
	buffer = row_header_page_read(state->rel, fold->group, blkno,
								  BUFFER_LOCK_SHARE, state->strategy);
	scan_header_page(fold, group_header(header_buffer), buffer, &findings);
	if (findings.nremovable > 0 || findings.freeze)
	{
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		change_header_page(fold, group_header(header_buffer), buffer,
						   &findings);
	}
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(header_buffer);

	fold->recently_dead += findings.recently_dead;
	if (TransactionIdPrecedes(findings.frozenxid, state->frozenxid))
		state->frozenxid = findings.frozenxid;
	if (MultiXactIdPrecedes(findings.minmxid, state->minmxid))
		state->minmxid = findings.minmxid;
	if (findings.nheaders == 0)
		row_header_drop_empty(state->rel, fold->group, blkno);
}

/* ---- the group ---- */

static void
fold_group(Fold *fold, const GroupHeaderData *header,
		   const BlockNumber *pages, int npages)
{
	Size		bytes = ROW_BITMAP_WORDS * sizeof(uint64);

	fold->dead = palloc0(bytes);
	fold->gone = palloc0(bytes);
	fold->found = palloc0(bytes);
	row_set_load(fold->state->rel, &header->dead, fold->dead);
	row_set_load(fold->state->rel, &header->gone, fold->gone);

	find_dead_rows(fold, pages, npages);
	if (fold->nfound > 0)
		publish_dead_rows(fold, &header->dead);
	for (int i = 0; i < npages; i++)
		clean_header_page(fold, pages[i]);

	pfree(fold->dead);
	pfree(fold->gone);
	pfree(fold->found);
}

uint32
vacuum_fold(VacuumState *state, uint32 group)
{
	Buffer		buffer = group_read(state->rel, group, BUFFER_LOCK_SHARE);
	GroupHeaderData *header;
	BlockNumber *pages;
	int			npages;
	Fold		fold = {0};

	if (!BufferIsValid(buffer))
		return 0;
	if (group_header(buffer)->row_header_map == InvalidBlockNumber)
	{
		UnlockReleaseBuffer(buffer);
		return 0;
	}
	header = palloc(sizeof(GroupHeaderData));
	memcpy(header, group_header(buffer), sizeof(GroupHeaderData));
	npages = row_header_pages(state->rel, header, 0, GROUP_ROWS, &pages);
	UnlockReleaseBuffer(buffer);

	fold.state = state;
	fold.group = group;
	fold_group(&fold, header, pages, npages);
	pfree(pages);
	pfree(header);
	return fold.recently_dead;
}
