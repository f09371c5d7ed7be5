/*
 * free_space.c
 *		Blocks that nothing refers to: free, waiting for a horizon, announced.
 *
 * The entries are an unordered list on a chain of pages.  The exclusive lock on
 * the first page is held through every change of any of them, so it is the
 * mutex of the whole list.  Pages are added at the end of the chain, and VACUUM
 * takes them off there.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/transam.h"
#include "miscadmin.h"
#include "storage/free_space.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "storage/procarray.h"
#include "storage/standby_conflict.h"
#include "utils/snapmgr.h"

#define free_space_page(page)	((FreeSpacePageData *) page_contents(page))
#define free_space_data(buffer) free_space_page(BufferGetPage(buffer))

/* Of blocks that may be anywhere. */
#define NO_LIMIT		MaxBlockNumber

/* Blocks of a part of a segment that is worth the trouble. */
#define PART_MIN_BLOCKS	8

/* How often to try for the extent at the end of the file. */
#define TAIL_TRIES		3

/* An entry found on a page that is locked. */
typedef struct EntryPosition
{
	Buffer		buffer;
	uint32		index;
} EntryPosition;

static Buffer
free_space_read(Relation rel, BlockNumber blkno, int lockmode)
{
	Buffer		buffer = page_read(rel, blkno, PAGE_FREE_SPACE, lockmode);

	if (free_space_data(buffer)->nextents > FREE_SPACE_PAGE_ENTRIES)
		page_report_corruption(rel, blkno, "The page counts %u extents.",
							   free_space_data(buffer)->nextents);
	return buffer;
}

/* Lock the first page of the chain: the mutex. */
static Buffer
free_space_head(Relation rel, int lockmode)
{
	Buffer		meta = metapage_read_or_create(rel, BUFFER_LOCK_SHARE);
	BlockNumber head = metapage_data(meta)->free_space;

	UnlockReleaseBuffer(meta);
	return free_space_read(rel, head, lockmode);
}

/* Give up a page of the chain, unless it is the head, which stays locked. */
static void
free_space_leave(Buffer buffer, Buffer head)
{
	if (buffer != head)
		UnlockReleaseBuffer(buffer);
}

/*
 * Step along the chain under the head's lock; frees the page left behind.
 * InvalidBuffer at the end.
 */
static Buffer
free_space_step(Relation rel, Buffer buffer, Buffer head)
{
	BlockNumber blkno = BufferGetBlockNumber(buffer);
	BlockNumber next = free_space_data(buffer)->next;

	free_space_leave(buffer, head);
	if (next == InvalidBlockNumber)
		return InvalidBuffer;

	/* pages are added at the end of the file: no cycle in a sound chain */
	if (next <= blkno)
		page_report_corruption(rel, blkno,
							   "The next free-space page is block %u.", next);
	return free_space_read(rel, next, BUFFER_LOCK_EXCLUSIVE);
}

/* May the blocks be overwritten? */
static bool
extent_is_reusable(Relation rel, const FreeExtent *extent)
{
	if (extent->state == EXTENT_FREE)
		return true;
	return extent->state == EXTENT_WAITING &&
		GlobalVisCheckRemovableFullXid(rel, extent->xid);
}

/* Does an extent end before a block? */
static inline bool
ends_by(const FreeExtent *extent, BlockNumber limit)
{
	return extent->start < limit && extent->nblocks <= limit - extent->start;
}

/*
 * Start of the free extent of nblocks or more that is nearest to the start of
 * the file and ends by limit, or InvalidBlockNumber.
 */
static BlockNumber
find_lowest_free(Relation rel, Buffer head, BlockNumber nblocks,
				 BlockNumber limit)
{
	BlockNumber lowest = InvalidBlockNumber;

	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			FreeExtent *extent = &page->extents[i];

			if (extent->state == EXTENT_FREE && extent->nblocks >= nblocks &&
				extent->start < limit && limit - extent->start >= nblocks &&
				extent->start < lowest)
				lowest = extent->start;
		}
	}
	return lowest;
}

/*
 * Find the entry that starts at a block and is in a state; its page stays
 * locked.
 */
static bool
find_entry(Relation rel, Buffer head, BlockNumber start, ExtentState state,
		   EntryPosition *position)
{
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			if (page->extents[i].start == start &&
				page->extents[i].state == state)
			{
				position->buffer = buffer;
				position->index = i;
				return true;
			}
		}
	}
	return false;
}

/*
 * Find the smallest entry of nblocks or more that may be used and ends by
 * limit; its page stays locked.  The smallest, because single blocks are wanted all the time, and
 * large extents, for segments, would soon be in pieces.
 */
static bool
find_reusable(Relation rel, Buffer head, BlockNumber nblocks,
			  BlockNumber limit, EntryPosition *position)
{
	FreeExtent	best = {0};

	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			const FreeExtent *extent = &page->extents[i];

			if (extent->nblocks < nblocks || !ends_by(extent, limit) ||
				(best.nblocks > 0 && extent->nblocks >= best.nblocks) ||
				!extent_is_reusable(rel, extent))
				continue;
			best = *extent;
			if (best.nblocks == nblocks)
			{
				position->buffer = buffer;
				position->index = i;
				return true;
			}
		}
	}
	return best.nblocks > 0 &&
		find_entry(rel, head, best.start, best.state, position);
}

/*
 * Find an extent that waits and ends or begins where another one begins or
 * ends; its page stays locked.
 */
static bool
find_waiting_neighbour(Relation rel, Buffer head, BlockNumber start,
					   BlockNumber nblocks, EntryPosition *position)
{
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			FreeExtent *extent = &page->extents[i];

			if (extent->state == EXTENT_WAITING &&
				(extent->start + extent->nblocks == start ||
				 start + nblocks == extent->start))
			{
				position->buffer = buffer;
				position->index = i;
				return true;
			}
		}
	}
	return false;
}

/*
 * Find the free extent that ends where the file does; its page stays locked.
 */
static bool
find_tail(Relation rel, Buffer head, BlockNumber file_blocks,
		  EntryPosition *position)
{
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			FreeExtent *extent = &page->extents[i];

			if (extent->state == EXTENT_FREE &&
				extent->start < file_blocks &&
				file_blocks - extent->start == extent->nblocks)
			{
				position->buffer = buffer;
				position->index = i;
				return true;
			}
		}
	}
	return false;
}

/*
 * Find a page with room for nentries; it stays locked.  InvalidBuffer, and
 * *last the number of the last page of the chain, if all are full.
 */
static Buffer
find_room(Relation rel, Buffer head, uint32 nentries, BlockNumber *last)
{
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		if (free_space_data(buffer)->nextents + nentries <= FREE_SPACE_PAGE_ENTRIES)
			return buffer;
		*last = BufferGetBlockNumber(buffer);
	}
	return InvalidBuffer;
}

static void
page_add_extent(FreeSpacePageData *page, BlockNumber start,
				BlockNumber nblocks, ExtentState state, FullTransactionId xid)
{
	FreeExtent *extent = &page->extents[page->nextents++];

	Assert(page->nextents <= FREE_SPACE_PAGE_ENTRIES);
	memset(extent, 0, sizeof(FreeExtent));
	extent->start = start;
	extent->nblocks = nblocks;
	extent->state = state;
	extent->xid = xid;
}

static void
page_remove_extent(FreeSpacePageData *page, uint32 index)
{
	page->extents[index] = page->extents[--page->nextents];
}

/*
 * Put the last of new blocks, as an empty page, into the record that lists
 * them.  Extending the file is not logged, so recovery that replays an earlier
 * truncation would else end with a file that is shorter than its free-space
 * entries say, and those blocks would be given out twice.  Returns the buffer,
 * locked, to be released once the record is finished.
 */
static Buffer
register_last_block(Relation rel, GenericXLogState *state, BlockNumber blkno)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, NULL);

	PageInit(GenericXLogRegisterBuffer(state, buffer, GENERIC_XLOG_FULL_IMAGE),
			 BLCKSZ, 0);
	return buffer;
}

/*
 * Make sure that some page has room for nentries, by a new page at the end of
 * the file if need be.  Others may take the room before the caller does.
 */
static void
free_space_grow(Relation rel, uint32 nentries)
{
	Buffer		head;
	Buffer		room;
	BlockNumber last = InvalidBlockNumber;
	BlockNumber blkno;

	/* make the metapage first, which takes the extension lock itself */
	head = free_space_head(rel, BUFFER_LOCK_SHARE);
	UnlockReleaseBuffer(head);

	LockRelationForExtension(rel, ExclusiveLock);
	blkno = page_extend(rel, 1);
	head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	room = find_room(rel, head, nentries, &last);
	if (BufferIsValid(room))
	{
		/* somebody was faster: the block is free */
		GenericXLogState *state = GenericXLogStart(rel);
		Buffer		last_buffer = register_last_block(rel, state, blkno);

		page_add_extent(free_space_page(GenericXLogRegisterBuffer(state, room, 0)),
						blkno, 1, EXTENT_FREE, InvalidFullTransactionId);
		GenericXLogFinish(state);
		UnlockReleaseBuffer(last_buffer);
		free_space_leave(room, head);
	}
	else
	{
		GenericXLogState *state = GenericXLogStart(rel);
		Buffer		new_buffer = ReadBuffer(rel, blkno);
		Buffer		last_buffer = head;
		Page		page;

		LockBuffer(new_buffer, BUFFER_LOCK_EXCLUSIVE);
		if (BufferGetBlockNumber(head) != last)
			last_buffer = free_space_read(rel, last, BUFFER_LOCK_EXCLUSIVE);
		page = GenericXLogRegisterBuffer(state, new_buffer,
										 GENERIC_XLOG_FULL_IMAGE);
		page_init(page, PAGE_FREE_SPACE, blkno, PAGE_CONTENTS_LENGTH);
		free_space_page(page)->next = InvalidBlockNumber;
		page = GenericXLogRegisterBuffer(state, last_buffer, 0);
		free_space_page(page)->next = blkno;
		GenericXLogFinish(state);
		free_space_leave(last_buffer, head);
		UnlockReleaseBuffer(new_buffer);
	}
	UnlockReleaseBuffer(head);
	UnlockRelationForExtension(rel, ExclusiveLock);
}

/* Add one entry, wherever there is room. */
static void
free_space_add(Relation rel, BlockNumber start, BlockNumber nblocks,
			   ExtentState state, FullTransactionId xid)
{
	for (;;)
	{
		BlockNumber last;
		Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
		Buffer		room = find_room(rel, head, 1, &last);

		if (BufferIsValid(room))
		{
			GenericXLogState *xlog = GenericXLogStart(rel);

			page_add_extent(free_space_page(GenericXLogRegisterBuffer(xlog, room, 0)),
							start, nblocks, state, xid);
			GenericXLogFinish(xlog);
			free_space_leave(room, head);
			UnlockReleaseBuffer(head);
			return;
		}
		UnlockReleaseBuffer(head);
		free_space_grow(rel, 1);
	}
}

/*
 * Take nblocks from the entry at a position.  Returns InvalidBlockNumber if its
 * page has no room for the second entry that a part needs.
 */
static BlockNumber
allocate_from(Relation rel, const EntryPosition *position,
			  BlockNumber nblocks, FullTransactionId owner)
{
	FreeSpacePageData *page = free_space_data(position->buffer);
	FreeExtent	found = page->extents[position->index];
	GenericXLogState *xlog;

	if (found.nblocks != nblocks && page->nextents == FREE_SPACE_PAGE_ENTRIES)
		return InvalidBlockNumber;

	/* standbys may still have snapshots that need the old contents */
	if (found.state == EXTENT_WAITING)
		standby_conflict(rel, found.xid);

	xlog = GenericXLogStart(rel);
	page = free_space_page(GenericXLogRegisterBuffer(xlog, position->buffer, 0));
	if (found.nblocks == nblocks)
		page_remove_extent(page, position->index);
	else
	{
		/* the rest needs no second conflict record */
		page->extents[position->index].start += nblocks;
		page->extents[position->index].nblocks -= nblocks;
		page->extents[position->index].state = EXTENT_FREE;
		page->extents[position->index].xid = InvalidFullTransactionId;
	}
	page_add_extent(page, found.start, nblocks, EXTENT_ANNOUNCED, owner);
	GenericXLogFinish(xlog);
	return found.start;
}

/*
 * Take nblocks from a reusable entry.  InvalidBlockNumber if there is none.
 */
static BlockNumber
allocate_listed(Relation rel, BlockNumber nblocks, FullTransactionId owner)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	BlockNumber start = InvalidBlockNumber;
	EntryPosition position;

	if (find_reusable(rel, head, nblocks, NO_LIMIT, &position))
	{
		start = allocate_from(rel, &position, nblocks, owner);
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	return start;
}

BlockNumber
free_space_allocate_below(Relation rel, BlockNumber nblocks,
						  FullTransactionId owner, BlockNumber limit)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	BlockNumber lowest = find_lowest_free(rel, head, nblocks, limit);
	BlockNumber start = InvalidBlockNumber;
	EntryPosition position;

	if (lowest != InvalidBlockNumber &&
		find_entry(rel, head, lowest, EXTENT_FREE, &position))
	{
		start = allocate_from(rel, &position, nblocks, owner);
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	return start;
}

/*
 * Take nblocks at the end of a file that does not have them anywhere.
 */
static BlockNumber
allocate_new(Relation rel, BlockNumber nblocks, FullTransactionId owner)
{
	BlockNumber start;

	for (;;)
	{
		BlockNumber last;
		Buffer		head;
		Buffer		room;

		/* look for room before the file grows, so that blocks rarely leak */
		LockRelationForExtension(rel, ExclusiveLock);
		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
		room = find_room(rel, head, 1, &last);
		if (BufferIsValid(room))
			free_space_leave(room, head);
		UnlockReleaseBuffer(head);
		if (!BufferIsValid(room))
		{
			UnlockRelationForExtension(rel, ExclusiveLock);
			free_space_grow(rel, 1);
			continue;
		}

		start = page_extend(rel, nblocks);
		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
		room = find_room(rel, head, 1, &last);
		if (BufferIsValid(room))
		{
			GenericXLogState *xlog = GenericXLogStart(rel);
			Buffer		last_buffer = register_last_block(rel, xlog,
														  start + nblocks - 1);

			page_add_extent(free_space_page(GenericXLogRegisterBuffer(xlog, room, 0)),
							start, nblocks, EXTENT_ANNOUNCED, owner);
			GenericXLogFinish(xlog);
			UnlockReleaseBuffer(last_buffer);
			free_space_leave(room, head);
			UnlockReleaseBuffer(head);
			UnlockRelationForExtension(rel, ExclusiveLock);
			return start;
		}

		/* the last room went meanwhile: these blocks are leaked to VACUUM */
		UnlockReleaseBuffer(head);
		UnlockRelationForExtension(rel, ExclusiveLock);
		free_space_grow(rel, 1);
	}
}

/*
 * Blocks of the free extent at the end of the file.  Nobody extends it, as the
 * caller holds the lock.
 */
static BlockNumber
tail_length(Relation rel)
{
	BlockNumber file_blocks = RelationGetNumberOfBlocks(rel);
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	EntryPosition position;
	BlockNumber length = 0;

	if (find_tail(rel, head, file_blocks, &position))
	{
		length = free_space_data(position.buffer)->extents[position.index].nblocks;
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	return length;
}

/*
 * Make the free extent at the end of the file one of nblocks by new blocks, so
 * that a segment a little larger than it does not begin behind it.  Returns
 * whether there is such an extent; others may take it before the caller does.
 */
static bool
extend_tail(Relation rel, BlockNumber nblocks)
{
	BlockNumber tail;
	BlockNumber start;
	Buffer		head;
	EntryPosition position;

	LockRelationForExtension(rel, ExclusiveLock);
	tail = tail_length(rel);
	if (tail == 0 || tail >= nblocks)
	{
		UnlockRelationForExtension(rel, ExclusiveLock);
		return tail > 0;
	}

	start = page_extend(rel, nblocks - tail);
	head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);

	/* if somebody has taken it, the new blocks are leaked to VACUUM */
	if (find_tail(rel, head, start, &position))
	{
		GenericXLogState *xlog = GenericXLogStart(rel);
		Page		page = GenericXLogRegisterBuffer(xlog, position.buffer, 0);
		Buffer		last_buffer = register_last_block(rel, xlog,
													  start + nblocks - tail - 1);

		free_space_page(page)->extents[position.index].nblocks += nblocks - tail;
		GenericXLogFinish(xlog);
		UnlockReleaseBuffer(last_buffer);
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	UnlockRelationForExtension(rel, ExclusiveLock);
	return true;
}

BlockNumber
free_space_allocate(Relation rel, BlockNumber nblocks, FullTransactionId owner)
{
	BlockNumber start;

	Assert(nblocks > 0);

	start = allocate_listed(rel, nblocks, owner);
	if (start == InvalidBlockNumber)
		start = allocate_new(rel, nblocks, owner);
	return start;
}

/*
 * Sizes of the largest reusable extents of a few blocks at least that end by
 * limit, in descending order; returns how many.
 */
static int
largest_reusable(Relation rel, Buffer head, BlockNumber limit,
				 BlockNumber *sizes, int maxsizes)
{
	int			n = 0;

	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			BlockNumber nblocks = page->extents[i].nblocks;
			int			place;

			if (nblocks < PART_MIN_BLOCKS ||
				!ends_by(&page->extents[i], limit) ||
				!extent_is_reusable(rel, &page->extents[i]))
				continue;
			for (place = n; place > 0 && sizes[place - 1] < nblocks; place--)
				if (place < maxsizes)
					sizes[place] = sizes[place - 1];
			if (place < maxsizes)
			{
				sizes[place] = nblocks;
				n = Min(n + 1, maxsizes);
			}
		}
	}
	return n;
}

/*
 * Take one part, of nblocks if there is a reusable extent of as many and else
 * the largest that there is.
 */
static bool
take_part(Relation rel, Buffer head, BlockNumber nblocks,
		  FullTransactionId owner, BlockNumber limit, SegmentPart *part)
{
	EntryPosition position;

	part->nblocks = nblocks;
	if (!find_reusable(rel, head, nblocks, limit, &position))
	{
		if (largest_reusable(rel, head, limit, &part->nblocks, 1) == 0 ||
			!find_reusable(rel, head, part->nblocks, limit, &position))
			return false;
	}
	part->start = allocate_from(rel, &position, part->nblocks, owner);
	free_space_leave(position.buffer, head);
	return part->start != InvalidBlockNumber;
}

/*
 * Take nblocks before limit in several parts.  Returns their number, 0 if so
 * few don't have as many blocks.
 */
static int
allocate_pieces(Relation rel, BlockNumber nblocks, FullTransactionId owner,
				BlockNumber limit, SegmentPart *parts, int maxparts)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	BlockNumber sizes[SEGMENT_PARTS];
	int			nsizes = largest_reusable(rel, head, limit, sizes,
											 maxparts);
	uint64		available = 0;
	int			n = 0;

	for (int i = 0; i < nsizes; i++)
		available += sizes[i];
	while (available >= nblocks && nblocks > 0 && n < maxparts &&
		   take_part(rel, head, nblocks, owner, limit, &parts[n]))
		nblocks -= parts[n++].nblocks;
	UnlockReleaseBuffer(head);

	if (nblocks == 0)
		return n;
	while (n > 0)
		free_space_release(rel, parts[--n].start);
	return 0;
}

/*
 * A file that is written anew all the time, one segment after another, would be
 * larger by each extent that is given back a moment too late, or is a little
 * too small.  So before it grows it is looked which extents may be used by now,
 * and which are neighbours, and whether a few of them will do.
 */
int
free_space_allocate_parts(Relation rel, BlockNumber nblocks,
						  FullTransactionId owner, SegmentPart *parts,
						  int maxparts)
{
	int			nparts;

	Assert(nblocks > 0 && maxparts >= 1 && maxparts <= SEGMENT_PARTS);

	parts[0].nblocks = nblocks;
	parts[0].start = allocate_listed(rel, nblocks, owner);
	if (parts[0].start != InvalidBlockNumber)
		return 1;

	(void) GetOldestNonRemovableTransactionId(rel);
	free_space_coalesce(rel, false);
	nparts = allocate_pieces(rel, nblocks, owner, NO_LIMIT, parts, maxparts);
	if (nparts > 0)
		return nparts;

	parts[0].nblocks = nblocks;
	for (int i = 0; i < TAIL_TRIES && extend_tail(rel, nblocks); i++)
	{
		parts[0].start = allocate_listed(rel, nblocks, owner);
		if (parts[0].start != InvalidBlockNumber)
			return 1;
	}
	parts[0].start = allocate_new(rel, nblocks, owner);
	return 1;
}

int
free_space_allocate_parts_below(Relation rel, BlockNumber nblocks,
								FullTransactionId owner, BlockNumber limit,
								SegmentPart *parts, int maxparts)
{
	parts[0].nblocks = nblocks;
	parts[0].start = free_space_allocate_below(rel, nblocks, owner, limit);
	if (parts[0].start != InvalidBlockNumber)
		return 1;
	return allocate_pieces(rel, nblocks, owner, limit, parts, maxparts);
}

/*
 * Change the entry that starts at a block and is in state from, or remove it
 * if to is 0.
 */
static void
entry_change(Relation rel, BlockNumber start, ExtentState from, uint32 to,
			 FullTransactionId xid)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	EntryPosition position;

	if (find_entry(rel, head, start, from, &position))
	{
		GenericXLogState *xlog = GenericXLogStart(rel);
		FreeSpacePageData *page;

		page = free_space_page(GenericXLogRegisterBuffer(xlog, position.buffer, 0));
		if (to == 0)
			page_remove_extent(page, position.index);
		else
		{
			page->extents[position.index].state = to;
			page->extents[position.index].xid = xid;
		}
		GenericXLogFinish(xlog);
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
}

void
free_space_forget(Relation rel, BlockNumber start)
{
	entry_change(rel, start, EXTENT_ANNOUNCED, 0, InvalidFullTransactionId);
}

void
free_space_release(Relation rel, BlockNumber start)
{
	entry_change(rel, start, EXTENT_ANNOUNCED, EXTENT_FREE,
				 InvalidFullTransactionId);
}

void
free_space_set(Relation rel, BlockNumber start, ExtentState from,
			   ExtentState to, FullTransactionId xid)
{
	Assert(from != EXTENT_FREE && from != EXTENT_WAITING);
	entry_change(rel, start, from, to, xid);
}

/*
 * Refuse blocks that are free or wait already: given out twice, they would be
 * overwritten.  An announcement may be of blocks that are in use by now.
 */
static void
check_unlisted(Relation rel, Buffer head, BlockNumber start,
			   BlockNumber nblocks)
{
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		for (uint32 i = 0; i < page->nextents; i++)
		{
			FreeExtent *extent = &page->extents[i];

			if ((extent->state == EXTENT_FREE ||
				 extent->state == EXTENT_WAITING) &&
				extent->start < start + nblocks &&
				start < extent->start + extent->nblocks)
				page_report_corruption(rel, BufferGetBlockNumber(buffer),
									   "Blocks from %u on are free already, of %u that are to become so from %u on.",
									   extent->start, nblocks, start);
		}
	}
}

/*
 * Make an extent that waits part of a neighbour, which then waits for both.
 * False if it has none.
 */
static bool
join_waiting(Relation rel, BlockNumber start, BlockNumber nblocks,
			 FullTransactionId stamp)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	EntryPosition position;
	bool		found;

	check_unlisted(rel, head, start, nblocks);
	found = find_waiting_neighbour(rel, head, start, nblocks, &position);
	if (found)
	{
		GenericXLogState *xlog = GenericXLogStart(rel);
		FreeExtent *extent;

		extent = &free_space_page(GenericXLogRegisterBuffer(xlog, position.buffer, 0))
			->extents[position.index];
		extent->start = Min(extent->start, start);
		extent->nblocks += nblocks;
		if (FullTransactionIdPrecedes(extent->xid, stamp))
			extent->xid = stamp;
		GenericXLogFinish(xlog);
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	return found;
}

void
free_space_retire(Relation rel, BlockNumber start, BlockNumber nblocks,
				  FullTransactionId stamp)
{
	/* many single pages are retired one after another: see vacuum_fold.c */
	if (!join_waiting(rel, start, nblocks, stamp))
		free_space_add(rel, start, nblocks, EXTENT_WAITING, stamp);
}

int
free_space_list(Relation rel, FreeExtent **extents)
{
	int			n = 0;
	int			size = FREE_SPACE_PAGE_ENTRIES;
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);

	*extents = palloc(size * sizeof(FreeExtent));
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		FreeSpacePageData *page = free_space_data(buffer);

		if (n + (int) page->nextents > size)
		{
			size = (n + page->nextents) * 2;
			*extents = repalloc(*extents, size * sizeof(FreeExtent));
		}
		memcpy(*extents + n, page->extents, page->nextents * sizeof(FreeExtent));
		n += page->nextents;
	}
	UnlockReleaseBuffer(head);
	return n;
}

int
free_space_pages(Relation rel, BlockNumber **blocks)
{
	int			n = 0;
	int			size = 64;
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);

	*blocks = palloc(size * sizeof(BlockNumber));
	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		if (n == size)
		{
			size *= 2;
			*blocks = repalloc(*blocks, size * sizeof(BlockNumber));
		}
		(*blocks)[n++] = BufferGetBlockNumber(buffer);
	}
	UnlockReleaseBuffer(head);
	return n;
}

/*
 * Remove an announcement unless it is somebody else's by now: its owner may have
 * released the blocks before it finished, and another one have taken them.
 */
static bool
forget_finished(Relation rel, const FreeExtent *announced)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
	EntryPosition position;
	bool		removed = false;

	if (find_entry(rel, head, announced->start, EXTENT_ANNOUNCED, &position))
	{
		FreeSpacePageData *page = free_space_data(position.buffer);
		FreeExtent *extent = &page->extents[position.index];

		if (FullTransactionIdEquals(extent->xid, announced->xid) &&
			extent->nblocks == announced->nblocks)
		{
			GenericXLogState *xlog = GenericXLogStart(rel);

			page = free_space_page(GenericXLogRegisterBuffer(xlog, position.buffer, 0));
			page_remove_extent(page, position.index);
			GenericXLogFinish(xlog);
			removed = true;
		}
		free_space_leave(position.buffer, head);
	}
	UnlockReleaseBuffer(head);
	return removed;
}

void
free_space_reclaim(Relation rel, const FreeExtent *announced,
				   const FreeExtent *extents, int nextents)
{
	/*
	 * Forget first: a crash in between leaves blocks that are merely leaked,
	 * while the other order would leave some both announced and free.
	 */
	if (!forget_finished(rel, announced))
		return;
	for (int i = 0; i < nextents; i++)
	{
		CHECK_FOR_INTERRUPTS();
		free_space_add(rel, extents[i].start, extents[i].nblocks, EXTENT_FREE,
					   InvalidFullTransactionId);
	}
}

static int
extent_compare(const void *a, const void *b)
{
	const FreeExtent *x = a;
	const FreeExtent *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * Sort a page's entries and join neighbours that are free.  Waiting extents
 * that may be reused, or all of them, become free; *horizon is the newest stamp
 * of the former.  Returns whether any entry is not what it was.
 */
static bool
page_coalesce(Relation rel, FreeSpacePageData *page, bool all_waiting,
			  FullTransactionId *horizon)
{
	uint32		n = 0;
	bool		changed = false;

	qsort(page->extents, page->nextents, sizeof(FreeExtent), extent_compare);
	for (uint32 i = 0; i < page->nextents; i++)
	{
		FreeExtent	extent = page->extents[i];

		if (extent.state == EXTENT_WAITING &&
			(all_waiting || extent_is_reusable(rel, &extent)))
		{
			if (!all_waiting && FullTransactionIdFollows(extent.xid, *horizon))
				*horizon = extent.xid;
			extent.state = EXTENT_FREE;
			extent.xid = InvalidFullTransactionId;
			changed = true;
		}
		if (n > 0 && extent.state == EXTENT_FREE &&
			page->extents[n - 1].state == EXTENT_FREE &&
			page->extents[n - 1].start + page->extents[n - 1].nblocks == extent.start)
			page->extents[n - 1].nblocks += extent.nblocks;
		else
			page->extents[n++] = extent;
	}
	changed |= n < page->nextents;
	page->nextents = n;
	return changed;
}

void
free_space_coalesce(Relation rel, bool all_waiting)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);

	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		GenericXLogState *xlog = GenericXLogStart(rel);
		FullTransactionId horizon = InvalidFullTransactionId;
		Page		page = GenericXLogRegisterBuffer(xlog, buffer, 0);

		if (!page_coalesce(rel, free_space_page(page), all_waiting, &horizon))
		{
			GenericXLogAbort(xlog);
			continue;
		}
		if (FullTransactionIdIsValid(horizon))
			standby_conflict(rel, horizon);
		GenericXLogFinish(xlog);
	}
	UnlockReleaseBuffer(head);
}

void
free_space_truncate(Relation rel, BlockNumber nblocks)
{
	Buffer		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);

	for (Buffer buffer = head; BufferIsValid(buffer);
		 buffer = free_space_step(rel, buffer, head))
	{
		GenericXLogState *xlog = GenericXLogStart(rel);
		FreeSpacePageData *page;

		page = free_space_page(GenericXLogRegisterBuffer(xlog, buffer, 0));
		for (uint32 i = page->nextents; i-- > 0;)
		{
			FreeExtent *extent = &page->extents[i];

			if (extent->start >= nblocks)
				page_remove_extent(page, i);
			else if (extent->start + extent->nblocks > nblocks)
				extent->nblocks = nblocks - extent->start;
		}
		GenericXLogFinish(xlog);
	}
	UnlockReleaseBuffer(head);
}

/* ---- the chain ---- */

/*
 * Lock the last page of the chain, the one before it, and the first one with
 * room for an entry; the head is locked.  False if the last one is the head, or
 * no other has room.
 */
static bool
lock_chain_end(Relation rel, Buffer head, Buffer *room, Buffer *previous,
			   Buffer *last)
{
	Buffer		buffer = head;

	*room = InvalidBuffer;
	*previous = InvalidBuffer;
	for (;;)
	{
		BlockNumber next = free_space_data(buffer)->next;
		Buffer		next_buffer;

		if (next == InvalidBlockNumber)
			break;
		if (next <= BufferGetBlockNumber(buffer))
			page_report_corruption(rel, BufferGetBlockNumber(buffer),
								   "The next free-space page is block %u.",
								   next);
		next_buffer = free_space_read(rel, next, BUFFER_LOCK_EXCLUSIVE);
		if (*room == InvalidBuffer &&
			free_space_data(buffer)->nextents < FREE_SPACE_PAGE_ENTRIES)
			*room = buffer;
		if (*previous != InvalidBuffer && *previous != *room)
			free_space_leave(*previous, head);
		*previous = buffer;
		buffer = next_buffer;
	}
	*last = buffer;
	if (*room != InvalidBuffer)
		return true;

	if (*previous != InvalidBuffer)
		free_space_leave(*previous, head);
	free_space_leave(*last, head);
	return false;
}

/*
 * Move what fits from the last page to one with room.
 */
static void
move_entries(Relation rel, Buffer room, Buffer last)
{
	GenericXLogState *xlog = GenericXLogStart(rel);
	FreeSpacePageData *target;
	FreeSpacePageData *source;
	uint32		n;

	target = free_space_page(GenericXLogRegisterBuffer(xlog, room, 0));
	source = free_space_page(GenericXLogRegisterBuffer(xlog, last, 0));
	n = Min(FREE_SPACE_PAGE_ENTRIES - target->nextents, source->nextents);
	source->nextents -= n;
	memcpy(&target->extents[target->nextents],
		   &source->extents[source->nextents], n * sizeof(FreeExtent));
	target->nextents += n;
	GenericXLogFinish(xlog);
}

/*
 * Take the last page, which is empty, off the chain.  Its block waits, because
 * somebody on a standby may be walking along the chain.
 */
static void
drop_last_page(Relation rel, Buffer room, Buffer previous, Buffer last)
{
	GenericXLogState *xlog = GenericXLogStart(rel);
	Page		room_page = GenericXLogRegisterBuffer(xlog, room, 0);
	Page		page = room_page;

	if (previous != room)
		page = GenericXLogRegisterBuffer(xlog, previous, 0);
	free_space_page(page)->next = InvalidBlockNumber;
	page_add_extent(free_space_page(room_page), BufferGetBlockNumber(last), 1,
					EXTENT_WAITING, ReadNextFullTransactionId());
	GenericXLogFinish(xlog);
}

bool
free_space_compact(Relation rel)
{
	bool		dropped = false;

	for (;;)
	{
		Buffer		head;
		Buffer		room;
		Buffer		previous;
		Buffer		last;

		CHECK_FOR_INTERRUPTS();
		head = free_space_head(rel, BUFFER_LOCK_EXCLUSIVE);
		if (!lock_chain_end(rel, head, &room, &previous, &last))
		{
			UnlockReleaseBuffer(head);
			return dropped;
		}
		if (free_space_data(last)->nextents > 0)
			move_entries(rel, room, last);
		else
		{
			drop_last_page(rel, room, previous, last);
			dropped = true;
		}
		free_space_leave(last, head);
		if (previous != room)
			free_space_leave(previous, head);
		free_space_leave(room, head);
		UnlockReleaseBuffer(head);
	}
}
