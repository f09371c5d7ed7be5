/*
 * vacuum_rows.c
 *		VACUUM of one row page.
 *
 * Old tuples are frozen in place and dead ones marked as such.  Dead tuples are
 * touched under a cleanup lock only (H2 in row_header.h): heap_delete and
 * heap_lock_tuple sleep with a pin, and go on with the tuple that they had.
 * Freezing moves nothing and changes nobody's xmax who may still be waited for,
 * so the exclusive lock is enough for it.  Room on a page is never collected:
 * no row is added behind the last one, and the mover frees the page as a whole.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/multixact.h"
#include "access/vacuum.h"
#include "miscadmin.h"
#include "storage/full_xid.h"
#include "storage/row_set.h"
#include "storage/standby_conflict.h"

/* What a look at a row page found. */
typedef struct RowPageFindings
{
	bool		freeze;			/* a tuple is to be frozen */
	uint32		ndead;			/* tuples that are to be marked dead */
	uint32		live;
	uint32		unfinished;
	uint32		recently_dead;
	TransactionId frozenxid;	/* oldest ids in tuples as they are */
	MultiXactId minmxid;
	bool		dead[TID_BLOCK_ROWS];	/* by line pointer, from 0 */
} RowPageFindings;

/* ---- what VACUUM flattens ---- */

static void
advance(FullTransactionId *newest, TransactionId xid)
{
	FullTransactionId fxid;

	if (!TransactionIdIsNormal(xid))
		return;
	fxid = full_xid_widen(xid);
	if (FullTransactionIdFollows(fxid, *newest))
		*newest = fxid;
}

void
vacuum_note_removed(FullTransactionId *newest, HeapTupleHeader header)
{
	TransactionId xid = InvalidTransactionId;

	HeapTupleHeaderAdvanceConflictHorizon(header, &xid);
	advance(newest, xid);
}

void
vacuum_note_frozen(FullTransactionId *newest, HeapTupleHeader header)
{
	if (!HeapTupleHeaderXminFrozen(header))
		advance(newest, HeapTupleHeaderGetRawXmin(header));
}

void
vacuum_freeze_tuple(VacuumState *state, HeapTupleHeader tuple,
					FullTransactionId *newest)
{
	HeapTupleHeaderData before = *tuple;

	if (heap_freeze_tuple(tuple, state->cutoffs.relfrozenxid,
						  state->cutoffs.relminmxid,
						  state->cutoffs.FreezeLimit,
						  state->cutoffs.MultiXactCutoff) &&
		HeapTupleHeaderXminFrozen(tuple))
		vacuum_note_frozen(newest, &before);
}

/* ---- looking ---- */

static void
scan_tuple(VacuumState *state, HeapTuple tuple, Buffer buffer,
		   RowPageFindings *findings, int index)
{
	bool		old;

	old = heap_tuple_should_freeze(tuple->t_data, &state->cutoffs,
								   &findings->frozenxid, &findings->minmxid);
	switch (HeapTupleSatisfiesVacuum(tuple, state->mover.oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			findings->dead[index] = true;
			findings->ndead++;
			return;
		case HEAPTUPLE_RECENTLY_DEAD:
			findings->recently_dead++;
			break;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			findings->unfinished++;
			break;
		default:
			findings->live++;
			break;
	}
	findings->freeze |= old;
}

/*
 * Look at the tuples of a locked row page.
 */
static void
scan_row_page(VacuumState *state, uint32 group, const RowMapEntry *entry,
			  Buffer buffer, RowPageFindings *findings)
{
	Page		page = BufferGetPage(buffer);

	memset(findings, 0, sizeof(RowPageFindings));
	findings->frozenxid = state->cutoffs.OldestXmin;
	findings->minmxid = state->cutoffs.OldestMxact;
	row_page_check(state->rel, buffer, entry->nrows);
	if (PageIsNew(page))
		return;

	for (int i = 0; i < PageGetMaxOffsetNumber(page); i++)
	{
		HeapTupleData tuple;

		if (row_page_tuple(state->rel, buffer, i + 1,
						   row_number(group, entry->first + i), &tuple))
			scan_tuple(state, &tuple, buffer, findings, i);
	}
}

/* ---- changing ---- */

/*
 * Freeze old tuples of an exclusively locked row page and, if kill, mark dead
 * ones, for which it is a cleanup lock.
 */
static void
change_row_page(VacuumState *state, Buffer buffer,
				const RowPageFindings *findings, bool kill)
{
	GenericXLogState *xlog = GenericXLogStart(state->rel);
	Page		page = GenericXLogRegisterBuffer(xlog, buffer, 0);
	FullTransactionId newest = InvalidFullTransactionId;

	for (int i = 0; i < PageGetMaxOffsetNumber(page); i++)
	{
		ItemId		item = PageGetItemId(page, i + 1);
		HeapTupleHeader tuple;

		if (!ItemIdIsNormal(item))
			continue;
		tuple = (HeapTupleHeader) PageGetItem(page, item);
		if (!findings->dead[i])
			vacuum_freeze_tuple(state, tuple, &newest);
		else if (kill)
		{
			vacuum_note_removed(&newest, tuple);
			ItemIdSetDead(item);
		}
	}
	if (FullTransactionIdIsValid(newest))
		standby_conflict(state->rel, newest);
	GenericXLogFinish(xlog);
	state->frozen_pages++;
}

/*
 * Change a page that is pinned, if what was found is still so; then what
 * remains is looked at again.
 */
static void
clean_row_page(VacuumState *state, uint32 group, const RowMapEntry *entry,
			   Buffer buffer, RowPageFindings *findings)
{
	bool		kill = findings->ndead > 0 &&
	ConditionalLockBufferForCleanup(buffer);

	if (!kill)
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	scan_row_page(state, group, entry, buffer, findings);
	if (findings->freeze || (kill && findings->ndead > 0))
	{
		uint32		ndead = kill ? findings->ndead : 0;

		change_row_page(state, buffer, findings, kill);
		state->removed += ndead;
		scan_row_page(state, group, entry, buffer, findings);
	}
}

/* Rows whose index entries may remain. */
static void
collect_dead_items(Buffer buffer, const RowMapEntry *entry, uint64 *dead)
{
	Page		page = BufferGetPage(buffer);

	for (int i = 0; i < PageGetMaxOffsetNumber(page); i++)
		if (ItemIdIsDead(PageGetItemId(page, i + 1)))
			row_bitmap_set(dead, entry->first + i);
}

void
vacuum_row_page(VacuumState *state, uint32 group, const RowMapEntry *entry,
				uint64 *dead)
{
	Buffer		buffer;
	RowPageFindings findings;

	vacuum_delay_point(false);
	buffer = block_read(state->rel, entry->blkno, state->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	scan_row_page(state, group, entry, buffer, &findings);
	if (findings.freeze || findings.ndead > 0)
	{
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
		clean_row_page(state, group, entry, buffer, &findings);
	}
	if (!PageIsNew(BufferGetPage(buffer)))
		collect_dead_items(buffer, entry, dead);
	UnlockReleaseBuffer(buffer);

	state->live += findings.live;
	state->unfinished += findings.unfinished;
	state->recently_dead += findings.recently_dead;
	state->missed_dead += findings.ndead;
	if (TransactionIdPrecedes(findings.frozenxid, state->frozenxid))
		state->frozenxid = findings.frozenxid;
	if (MultiXactIdPrecedes(findings.minmxid, state->minmxid))
		state->minmxid = findings.minmxid;
}

/*
 * Their line pointers are never used again, since nothing says that there are
 * free ones (W3 in row_form.c).
 */
void
vacuum_release_items(VacuumState *state, const RowMapEntry *entry,
					 const uint64 *dead)
{
	Buffer		buffer;
	GenericXLogState *xlog;
	Page		page;

	if (row_bitmap_count(dead, entry->first, entry->first + entry->nrows) == 0)
		return;

	vacuum_delay_point(false);
	buffer = block_read(state->rel, entry->blkno, state->strategy);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	row_page_check(state->rel, buffer, entry->nrows);
	xlog = GenericXLogStart(state->rel);
	page = GenericXLogRegisterBuffer(xlog, buffer, 0);
	for (int i = 0; i < PageGetMaxOffsetNumber(page); i++)
	{
		ItemId		item = PageGetItemId(page, i + 1);

		if (row_bitmap_test(dead, entry->first + i) && ItemIdIsDead(item))
			ItemIdSetUnused(item);
	}
	GenericXLogFinish(xlog);
	UnlockReleaseBuffer(buffer);
}
