/*
 * vacuum_space.c
 *		Blocks that nothing uses, found and given back by VACUUM.
 *
 * The file is tiled: a block below its length is referred to, or listed in free
 * space, or has been leaked by a crash or an error.  Others take and publish
 * blocks meanwhile, so the order matters.  Length and list are read first, at
 * one moment (I2); then it is decided which announcing transactions still run;
 * then the references are walked.  A block that is in use at the end but not
 * met in the walk was on the list at the start.  Only VACUUM and the mover
 * remove references, and there is one of them per table.
 *
 * A leaked block may still be read: the mover unlinks blocks in one record and
 * retires them in the next, and an error may come in between.  So it is retired
 * now.  Blocks that a finished transaction announced and never published have
 * had no readers.
 *
 * A crash between the record that publishes blocks and the one that forgets
 * their announcement leaves an entry about blocks in use.  It must go before
 * anybody retires these blocks, or the list would have them twice; so whoever
 * is about to retire any finishes such announcements first.
 */
#include "postgres.h"

#include "compat.h"

#include "access/vacuum.h"
#include "catalog/storage.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/block_references.h"
#include "storage/free_space.h"
#include "storage/full_xid.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "storage/relocate.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

/* A tail that is worth an AccessExclusiveLock: blocks, or part of the file. */
#define TRUNCATE_MIN_BLOCKS		1000
#define TRUNCATE_FRACTION		16

/* Unused blocks that are worth moving others: at least, and part of the file. */
#define SHRINK_MIN_BLOCKS		8
#define SHRINK_FRACTION			4

/* How long to try for an AccessExclusiveLock. */
#define LOCK_TRIES				10
#define LOCK_WAIT_MS			50

typedef struct Tiling
{
	Relation	rel;
	BlockNumber nblocks;
	FreeExtent *extents;		/* the free-space list */
	int			nextents;
	bool	   *finished;		/* is the entry announced by nobody any more? */
	bool		any_finished;
	uint64	   *used;			/* bitmap: referred to */
	uint64	   *listed;			/* bitmap: in free space */
	uint64	   *listed_twice;	/* bitmap: in more than one entry */
	uint64		reclaimed;		/* blocks that were found to be unused */
} Tiling;

#define block_test(bitmap, blkno) \
	(((bitmap)[(blkno) / 64] >> ((blkno) % 64)) & 1)
#define block_set(bitmap, blkno) \
	((bitmap)[(blkno) / 64] |= UINT64CONST(1) << ((blkno) % 64))

/* BlockReferenceCallback */
static void
note_used(void *argument, BlockNumber start, BlockNumber nblocks,
		  const char *what)
{
	Tiling	   *tiling = argument;

	for (uint64 blkno = start; blkno < (uint64) start + nblocks; blkno++)
		if (blkno < tiling->nblocks)
			block_set(tiling->used, blkno);
}

static void
note_listed(Tiling *tiling, const FreeExtent *extent)
{
	for (uint64 blkno = extent->start;
		 blkno < (uint64) extent->start + extent->nblocks; blkno++)
	{
		if (blkno >= tiling->nblocks)
			break;
		if (block_test(tiling->listed, blkno))
			block_set(tiling->listed_twice, blkno);
		block_set(tiling->listed, blkno);
	}
}

static uint64 *
block_bitmap(BlockNumber nblocks)
{
	Size		bytes = ((Size) nblocks / 64 + 1) * sizeof(uint64);

	return MemoryContextAllocExtended(CurrentMemoryContext, bytes,
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/*
 * Read length and list, and decide which announcements are finished.
 */
static void
tiling_begin(Tiling *tiling, Relation rel)
{
	memset(tiling, 0, sizeof(Tiling));
	tiling->rel = rel;

	LockRelationForExtension(rel, ExclusiveLock);
	tiling->nblocks = RelationGetNumberOfBlocks(rel);
	tiling->nextents = free_space_list(rel, &tiling->extents);
	UnlockRelationForExtension(rel, ExclusiveLock);

	tiling->used = block_bitmap(tiling->nblocks);
	tiling->listed = block_bitmap(tiling->nblocks);
	tiling->listed_twice = block_bitmap(tiling->nblocks);
	tiling->finished = palloc(Max(tiling->nextents, 1) * sizeof(bool));

	/* a transaction that has ended by now has published what it ever will */
	for (int i = 0; i < tiling->nextents; i++)
	{
		FreeExtent *extent = &tiling->extents[i];

		note_listed(tiling, extent);
		tiling->finished[i] = extent->state == EXTENT_ANNOUNCED &&
			!full_xid_is_running(extent->xid) &&
			extent->start < tiling->nblocks &&
			extent->nblocks <= tiling->nblocks - extent->start;
		tiling->any_finished |= tiling->finished[i];
	}
}

static void
tiling_end(Tiling *tiling)
{
	pfree(tiling->extents);
	pfree(tiling->finished);
	pfree(tiling->used);
	pfree(tiling->listed);
	pfree(tiling->listed_twice);
}

static void
walk_references(Tiling *tiling)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	MetapageData meta;
	BlockNumber blkno;

	block_references_table(tiling->rel, note_used, tiling);
	if (!metapage_copy(tiling->rel, &meta))
		meta.next_group = 0;
	for (uint32 group = 0; group < meta.next_group; group++)
	{
		vacuum_delay_point(false);
		if (group_copy_header(tiling->rel, group, &blkno, header))
			block_references_group(tiling->rel, blkno, header, note_used,
								   tiling);
	}
	pfree(header);
}

/*
 * End the announcement of a finished transaction: what nothing refers to
 * becomes free, except blocks that another entry has, whose state is the true
 * one.
 */
static void
resolve_announcement(Tiling *tiling, const FreeExtent *extent)
{
	FreeExtent *parts = palloc(extent->nblocks * sizeof(FreeExtent));
	int			nparts = 0;
	BlockNumber limit = extent->start + extent->nblocks;

	for (BlockNumber blkno = extent->start; blkno < limit; blkno++)
	{
		if (block_test(tiling->used, blkno) ||
			block_test(tiling->listed_twice, blkno))
			continue;
		tiling->reclaimed++;
		if (nparts > 0 &&
			parts[nparts - 1].start + parts[nparts - 1].nblocks == blkno)
			parts[nparts - 1].nblocks++;
		else
		{
			parts[nparts].start = blkno;
			parts[nparts].nblocks = 1;
			nparts++;
		}
	}
	free_space_reclaim(tiling->rel, extent, parts, nparts);
	pfree(parts);
}

static void
resolve_announcements(Tiling *tiling)
{
	for (int i = 0; i < tiling->nextents; i++)
	{
		vacuum_delay_point(false);
		if (tiling->finished[i])
			resolve_announcement(tiling, &tiling->extents[i]);
	}
}

static void
retire_leaks(Tiling *tiling)
{
	FullTransactionId stamp = ReadNextFullTransactionId();
	BlockNumber first = InvalidBlockNumber;

	for (BlockNumber blkno = 0; blkno <= tiling->nblocks; blkno++)
	{
		bool		leaked = blkno < tiling->nblocks &&
		!block_test(tiling->used, blkno) && !block_test(tiling->listed, blkno);

		if (leaked && first == InvalidBlockNumber)
			first = blkno;
		if (!leaked && first != InvalidBlockNumber)
		{
			free_space_retire(tiling->rel, first, blkno - first, stamp);
			tiling->reclaimed += blkno - first;
			first = InvalidBlockNumber;
		}
	}
}

/* Is an entry announced by nobody any more? */
static bool
has_finished_announcement(Relation rel)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);
	bool		found = false;

	for (int i = 0; i < nextents && !found; i++)
		found = extents[i].state == EXTENT_ANNOUNCED &&
			!full_xid_is_running(extents[i].xid);
	pfree(extents);
	return found;
}

void
vacuum_finish_announcements(Relation rel)
{
	Tiling		tiling;

	if (!has_finished_announcement(rel))
		return;
	tiling_begin(&tiling, rel);
	if (tiling.any_finished)
	{
		walk_references(&tiling);
		resolve_announcements(&tiling);
	}
	tiling_end(&tiling);
}

/*
 * Join free extents, and have their list on as few pages as possible.  Those
 * that meet on a page are neighbours at times, and make room for others.
 */
static void
tidy_free_space(Relation rel, bool all_waiting)
{
	do
		free_space_coalesce(rel, all_waiting);
	while (free_space_compact(rel));
}

void
vacuum_reclaim(VacuumState *state)
{
	Tiling		tiling;

	tiling_begin(&tiling, state->rel);
	walk_references(&tiling);
	resolve_announcements(&tiling);
	retire_leaks(&tiling);
	tidy_free_space(state->rel, false);
	state->reclaimed += tiling.reclaimed;
	tiling_end(&tiling);
}

/* ---- truncation ---- */

static int
extent_compare(const void *a, const void *b)
{
	const FreeExtent *x = a;
	const FreeExtent *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * Length of the file without the free blocks at its end.
 */
static BlockNumber
length_without_tail(Relation rel, BlockNumber nblocks)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);

	qsort(extents, nextents, sizeof(FreeExtent), extent_compare);
	for (int i = nextents - 1; i >= 0; i--)
	{
		if (extents[i].state != EXTENT_FREE ||
			extents[i].start + extents[i].nblocks != nblocks)
			break;
		nblocks = extents[i].start;
	}
	pfree(extents);
	return nblocks;
}

/*
 * Wait for nobody in particular, but try a few times, as heap does.
 */
static bool
lock_exclusively(Relation rel)
{
	for (int i = 0; i < LOCK_TRIES; i++)
	{
		if (ConditionalLockRelation(rel, AccessExclusiveLock))
			return true;
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 LOCK_WAIT_MS, WAIT_EVENT_VACUUM_TRUNCATE);
		ResetLatch(MyLatch);
	}
	return false;
}

/*
 * Cut the free tail off.  The caller holds an AccessExclusiveLock, so nobody
 * takes blocks of it, and waiting extents wait for nobody.
 */
static void
cut_tail(VacuumState *state)
{
	Relation	rel = state->rel;
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	BlockNumber length;

	tidy_free_space(rel, true);
	length = length_without_tail(rel, nblocks);
	if (length == nblocks)
		return;

	/* a crash between these two leaks the tail to the next VACUUM */
	free_space_truncate(rel, length);
	RelationTruncate(rel, length);
	state->truncated += nblocks - length;
}

/*
 * Blocks that are free, or will be.
 */
static BlockNumber
count_unused(Relation rel)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);
	BlockNumber nblocks = 0;

	for (int i = 0; i < nextents; i++)
		if (extents[i].state == EXTENT_FREE || extents[i].state == EXTENT_WAITING)
			nblocks += extents[i].nblocks;
	pfree(extents);
	return nblocks;
}

/* Does a row page of the group lie at limit or beyond? */
static bool
has_far_row_page(Relation rel, uint32 group, BlockNumber limit)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	BlockNumber blkno;
	bool		found = false;

	if (!group_copy_header(rel, group, &blkno, header))
		header->nsegments = 0;
	for (int i = 0; i < header->nsegments && !found; i++)
	{
		const SegmentData *segment = &header->segments[i];
		RowMapEntry *pages;
		int			npages;

		if (segment->form != SEGMENT_ROWS)
			continue;
		npages = group_row_pages(rel, header, segment_first(segment),
								 segment_limit(segment), &pages);
		for (int j = 0; j < npages && !found; j++)
			found = pages[j].blkno >= limit;
		pfree(pages);
	}
	pfree(header);
	return found;
}

/*
 * Row pages stay where they are.  Those beyond limit are given up by moving
 * their rows to column form, if they are settled, be they ever so few.
 */
static void
empty_far_row_pages(VacuumState *state, uint32 ngroups, BlockNumber limit)
{
	state->mover.few_too = true;
	for (uint32 group = 0; group < ngroups; group++)
	{
		vacuum_delay_point(false);
		if (has_far_row_page(state->rel, group, limit))
			mover_move_group(&state->mover, group);
	}
	state->mover.few_too = false;
}

/*
 * Make a file small of which a good part is unused: once in a while, when it
 * was filled in row form.
 *
 * The lock is held twice for a moment.  The first time makes blocks free whose
 * last reader cannot be told otherwise as long as no xid is used; then rows in
 * row form at the end of the file are moved to column form, and segments from
 * there are copied to the start, while others work; the second time the small
 * pages follow, and the end is cut off.  Should anybody wait for the lock
 * meanwhile, the rest is left to another time.
 */
static void
shrink_file(VacuumState *state, BlockNumber limit)
{
	Relation	rel = state->rel;
	MetapageData meta;

	if (!lock_exclusively(rel))
		return;
	cut_tail(state);
	UnlockRelation(rel, AccessExclusiveLock);

	if (!metapage_copy(rel, &meta))
		return;
	empty_far_row_pages(state, meta.next_group, limit);
	relocate_segments(rel, meta.next_group, limit);

	if (!lock_exclusively(rel))
		return;
	tidy_free_space(rel, true);
	for (uint32 group = meta.next_group; group-- > 0;)
	{
		CHECK_FOR_INTERRUPTS();
		if (LockHasWaitersRelation(rel, AccessExclusiveLock))
			break;
		relocate_group(rel, group, limit);
	}
	cut_tail(state);
	UnlockRelation(rel, AccessExclusiveLock);
}

void
vacuum_truncate_file(VacuumState *state)
{
	Relation	rel = state->rel;
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	BlockNumber unused = count_unused(rel);
	BlockNumber tail = nblocks - length_without_tail(rel, nblocks);

	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_TRUNCATE);
	if (unused >= SHRINK_MIN_BLOCKS && unused >= nblocks / SHRINK_FRACTION)
		shrink_file(state, nblocks - unused);
	else if (tail > 0 &&
			 tail >= Min(TRUNCATE_MIN_BLOCKS, nblocks / TRUNCATE_FRACTION) &&
			 lock_exclusively(rel))
	{
		cut_tail(state);
		UnlockRelation(rel, AccessExclusiveLock);
	}
}
