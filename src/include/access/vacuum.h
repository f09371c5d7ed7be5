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

	/* oldest ids that remain; not to be used if keep_frozenxid */
	TransactionId frozenxid;
	MultiXactId minmxid;
	bool		keep_frozenxid;

	/* counts */
	uint64		live;			/* rows */
	uint64		unfinished;		/* rows of running transactions */
	uint64		dead_rows;		/* found dead */
	uint64		removed;		/* dead rows that no index knows any more */
	uint64		frozen_pages;
	uint64		reclaimed;		/* blocks found to be used by nobody */
	BlockNumber truncated;		/* blocks cut off */
} VacuumState;

/* vacuum_group.c: all but indexes and space. */
extern void vacuum_group(VacuumState *state, uint32 group);

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
