/*
 * free_space.h
 *		Blocks that nothing refers to: free, waiting for a horizon, announced.
 *
 * (I2) The file is extended under the relation extension lock only, with no
 * content lock held, and that lock is kept until the new blocks are announced,
 * free or referenced in a WAL record.  So a block below the length read under
 * that lock which is none of these is leaked, and VACUUM may free it.
 * The record has an image of the last new block, so that after recovery the file
 * is as long as its entries say.
 * (I3) An announcement is removed in or after the record that makes its blocks
 * referenced.  So VACUUM frees blocks announced by a finished transaction only
 * if nothing refers to them.
 */
#ifndef STORAGE_FREE_SPACE_H
#define STORAGE_FREE_SPACE_H

#include "storage/page.h"

/*
 * Owner of what the mover and VACUUM write, which have no transaction id that
 * readers might meet.  It counts as finished: they write only while they hold
 * a lock on the relation that excludes others of their kind
 * (ShareUpdateExclusiveLock or stronger), and reclaim only under that lock, so
 * an announcement of this owner that a reclaimer finds is never in use.
 */
#define MaintenanceOwner	InvalidFullTransactionId

/*
 * Take nblocks consecutive blocks, from free space or by extending the file,
 * announced for owner.  Contents are undefined.  No content lock may be held.
 */
extern BlockNumber free_space_allocate(Relation rel, BlockNumber nblocks,
									   FullTransactionId owner);

/*
 * The same for a segment, whose blocks may be in up to maxparts parts, each of
 * them announced by itself.  Returns their number.
 */
extern int	free_space_allocate_parts(Relation rel, BlockNumber nblocks,
									  FullTransactionId owner,
									  SegmentPart *parts, int maxparts);

/* Remove the announcement of an extent that has been published (I3). */
extern void free_space_forget(Relation rel, BlockNumber start);

/* Give back an announced extent that has never been published. */
extern void free_space_release(Relation rel, BlockNumber start);

/*
 * Turn the entry that starts at a block and is in state from (never free or
 * waiting, which others may take) into one of state to with that xid.
 */
extern void free_space_set(Relation rel, BlockNumber start, ExtentState from,
						   ExtentState to, FullTransactionId xid);

/*
 * Note that the extent is referenced no more; it becomes free once stamp,
 * normally ReadNextFullTransactionId(), is behind every snapshot.
 */
extern void free_space_retire(Relation rel, BlockNumber start,
							  BlockNumber nblocks, FullTransactionId stamp);

/* All entries, palloc'd; returns their number. */
extern int	free_space_list(Relation rel, FreeExtent **extents);

/*
 * End an announcement, as listed before, of a transaction that has finished
 * since or earlier: the extents are the parts of it that nothing refers to, and
 * become free.  Nothing if it is not there any more.
 */
extern void free_space_reclaim(Relation rel, const FreeExtent *announced,
							   const FreeExtent *extents, int nextents);

/*
 * Join neighbouring free extents; waiting ones that may be reused become free,
 * or all of them: for this the caller holds an AccessExclusiveLock, which says
 * that nobody, nor on a standby, has a copy of what referred to them.
 */
extern void free_space_coalesce(Relation rel, bool all_waiting);

/*
 * Put the entries on as few pages as they need, and give the others back, which
 * else would hold up the end of the file.  Returns whether there was any.
 */
extern bool free_space_compact(Relation rel);

/*
 * Take nblocks consecutive free blocks as near to the start of the file as
 * possible and before limit; InvalidBlockNumber if there are none.
 */
extern BlockNumber free_space_allocate_below(Relation rel,
											 BlockNumber nblocks,
											 FullTransactionId owner,
											 BlockNumber limit);

/*
 * The same in up to maxparts parts.  Returns their number, 0 if there are none.
 */
extern int	free_space_allocate_parts_below(Relation rel, BlockNumber nblocks,
											FullTransactionId owner,
											BlockNumber limit,
											SegmentPart *parts, int maxparts);

/* The file is to be cut: forget free extents at or beyond nblocks. */
extern void free_space_truncate(Relation rel, BlockNumber nblocks);

/* Blocks of the free-space pages themselves, palloc'd; returns their number. */
extern int	free_space_pages(Relation rel, BlockNumber **blocks);

#endif							/* STORAGE_FREE_SPACE_H */
