/*
 * vacuum.h
 *		What the parts of VACUUM share.
 */
#ifndef COLUMNAR_ACCESS_VACUUM_H
#define COLUMNAR_ACCESS_VACUUM_H

#include "compat.h"

#include "access/genam.h"
#include "access/mover.h"
#include "commands/vacuum.h"
#include "storage/group.h"

/* Dead rows of one group whose index entries are to be removed. */
typedef struct DeadGroup
{
	uint32		group;
	uint64	   *rows;			/* bitmap */
} DeadGroup;

typedef struct VacuumState
{
	Relation	rel;
	struct VacuumCutoffs cutoffs;
	BufferAccessStrategy strategy;
	Mover		mover;
	uint32		ngroups;		/* at the start */
	MetapageData *meta;			/* copy, taken at the start */

	/* indexes */
	bool		clean_indexes;	/* remove entries of dead rows */
	int			nindexes;
	Relation   *indexes;
	IndexBulkDeleteResult **index_stats;
	int			index_passes;

	/* dead rows that wait for the next pass over the indexes, by group */
	MemoryContext dead_context;
	DeadGroup  *dead;
	int			ndead;
	int			maxdead;

	/* oldest ids that remain in any tuple header */
	TransactionId frozenxid;
	MultiXactId minmxid;

	/* counts of rows, of versions that is */
	uint64		live;
	uint64		unfinished;		/* of running transactions */
	uint64		recently_dead;	/* somebody may still see them */
	uint64		missed_dead;	/* somebody had their page pinned */
	uint64		removed;		/* found dead */

	uint64		frozen_pages;
	uint64		reclaimed;		/* blocks found to be used by nobody */
	BlockNumber truncated;		/* blocks cut off */
} VacuumState;

/* vacuum_group.c: all but indexes and space. */
extern void vacuum_group(VacuumState *state, uint32 group);

/*
 * Advance *newest to the newest xid that a removed, or a flattened, tuple of
 * the header has had for readers on a standby.
 */
extern void vacuum_note_removed(FullTransactionId *newest,
								HeapTupleHeader header);
extern void vacuum_note_frozen(FullTransactionId *newest,
							   HeapTupleHeader header);

/*
 * Freeze a tuple in a working copy of its page, as far as it is old enough;
 * advances *newest.
 */
extern void vacuum_freeze_tuple(VacuumState *state, HeapTupleHeader tuple,
								FullTransactionId *newest);

/* vacuum_rows.c: freeze a row page; sets the bits of rows that are LP_DEAD. */
extern void vacuum_row_page(VacuumState *state, uint32 group,
							const RowMapEntry *entry, uint64 *dead);

/* Dead rows of a row page have left the indexes. */
extern void vacuum_release_items(VacuumState *state, const RowMapEntry *entry,
								 const uint64 *dead);

/*
 * vacuum_fold.c: row headers of dead rows become members of the dead set, the
 * others are frozen or go.  Returns how many rows of column-form segments stay
 * though they are recently dead.
 */
extern uint32 vacuum_fold(VacuumState *state, uint32 group);

/*
 * The index entries of these rows, which are all that were dead when the group
 * was vacuumed, are removed.
 */
extern void vacuum_group_finish_dead(VacuumState *state, uint32 group,
									 const uint64 *rows);

/* vacuum_index.c */
extern void vacuum_add_dead(VacuumState *state, uint32 group,
							const uint64 *rows);
extern void vacuum_remove_dead(VacuumState *state);
extern void vacuum_clean_indexes(VacuumState *state);

/*
 * vacuum_space.c.  Finish announcements of blocks that a crash has left, before
 * anything is retired.
 */
extern void vacuum_finish_announcements(Relation rel);
extern void vacuum_reclaim(VacuumState *state);
extern void vacuum_truncate_file(VacuumState *state);

/* vacuum.c: the table access method's callback. */
extern void columnar_relation_vacuum(Relation rel, VacuumParamsPointer params,
									 BufferAccessStrategy strategy);

#endif							/* COLUMNAR_ACCESS_VACUUM_H */
