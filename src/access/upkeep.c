/*
 * upkeep.c
 *		Maintenance of a chunk group by those who write to the table.
 *
 * What is done is what VACUUM does with a group, less what needs the indexes or
 * a transaction of its own: dead rows' headers are folded, settled rows are
 * moved to column form, and segments that are dead in good part are written
 * anew.  Index entries, freezing, TOAST values and the end of the file are left
 * to VACUUM.
 *
 * Row headers: each session counts those that it makes, and sees to the group
 * of every HEADERS_PER_UPKEEP-th.  So groups are chosen as often as they get
 * headers, and each time as many headers go as have been made since the last:
 * however many groups there are, in the long run each has some hundred.
 *
 * Row pages: whoever opens the first one behind a boundary sees to the group
 * with the rows before it.
 *
 * It is not done on the spot but when this session's next transaction is about
 * to write for the first time.  Then its locks on rows, for which others wait,
 * are still to come; and of what a long transaction has changed itself, nothing
 * would be settled.  If somebody else maintains the table, VACUUM perhaps, which
 * may be past that group, it is tried again later.
 *
 * Tables without autovacuum have no upkeep either.
 */
#include "postgres.h"

#include "compat.h"

#include "access/parallel.h"
#include "access/upkeep.h"
#include "access/vacuum.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "postmaster/autovacuum.h"
#include "storage/free_space.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Row headers that a session makes from one upkeep to the next. */
#define HEADERS_PER_UPKEEP	512

/*
 * Rows in row form that are worth a move: in a small file they matter more.
 * Multiples of ROW_PAGES_BOUNDARY.
 */
#define ROWS_PER_UPKEEP			(4 * ROW_PAGES_BOUNDARY)
#define ROWS_PER_SMALL_UPKEEP	ROW_PAGES_BOUNDARY
#define SMALL_FILE_BLOCKS		8192

/* Transactions, more or less, until the next try if somebody has the lock. */
#define UPKEEP_RETRY	64

/* Groups that are due; where they don't fit the oldest is forgotten. */
typedef struct UpkeepEntry
{
	Oid			relid;
	RelFileNumber relnumber;
	uint32		group;
} UpkeepEntry;

#define UPKEEP_ENTRIES	16

static UpkeepEntry entries[UPKEEP_ENTRIES];
static int	nentries = 0;
static uint32 nheaders = 0;
static int	retry_wait = 0;

bool		upkeep_is_due = false;

/* ---- what is due ---- */

static bool
upkeep_is_wanted(Relation rel)
{
	StdRdOptions *options = (StdRdOptions *) rel->rd_options;

	/* the horizon of temporary tables ignores our own open scans */
	if (RelationUsesLocalBuffers(rel) || !AutoVacuumingActive())
		return false;
	return options == NULL || options->autovacuum.enabled;
}

static void
note_group(Relation rel, uint32 group)
{
	if (!upkeep_is_wanted(rel))
		return;
	for (int i = 0; i < nentries; i++)
		if (entries[i].relid == RelationGetRelid(rel) &&
			entries[i].group == group)
			return;
	if (nentries == UPKEEP_ENTRIES)
		memmove(&entries[0], &entries[1], --nentries * sizeof(UpkeepEntry));
	entries[nentries].relid = RelationGetRelid(rel);
	entries[nentries].relnumber = rel->rd_locator.relNumber;
	entries[nentries].group = group;
	nentries++;
	upkeep_is_due = true;
}

void
upkeep_count_header(Relation rel, uint32 group)
{
	if (++nheaders % HEADERS_PER_UPKEEP == 0)
		note_group(rel, group);
}

void
upkeep_note_row_page(Relation rel, uint32 group, uint32 first)
{
	uint32		nrows = ROWS_PER_UPKEEP;

	if (first % ROW_PAGES_BOUNDARY != 0)
		return;
	if (RelationGetNumberOfBlocks(rel) < SMALL_FILE_BLOCKS)
		nrows = ROWS_PER_SMALL_UPKEEP;
	if (first % nrows != 0)
		return;
	if (first > 0)
		note_group(rel, group);
	else if (group > 0)
		note_group(rel, group - 1);
}

/* ---- upkeep ---- */

/*
 * Cutoffs of a VACUUM that freezes nothing.
 */
static void
upkeep_init(VacuumState *state, Relation rel)
{
	TransactionId horizon = GetOldestNonRemovableTransactionId(rel);

	memset(state, 0, sizeof(VacuumState));
	state->rel = rel;
	state->cutoffs.relfrozenxid = rel->rd_rel->relfrozenxid;
	state->cutoffs.relminmxid = rel->rd_rel->relminmxid;
	state->cutoffs.OldestXmin = horizon;
	state->cutoffs.OldestMxact = rel->rd_rel->relminmxid;
	state->cutoffs.FreezeLimit = rel->rd_rel->relfrozenxid;
	state->cutoffs.MultiXactCutoff = rel->rd_rel->relminmxid;
	state->mover.rel = rel;
	state->mover.oldest_xmin = horizon;
	state->mover.keep_toast = true;
	state->mover.cautious = true;
}

static void
upkeep_group(Relation rel, uint32 group)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar upkeep",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(context);
	VacuumState state;

	vacuum_finish_announcements(rel);
	upkeep_init(&state, rel);
	vacuum_fold(&state, group);
	mover_move_group(&state.mover, group);
	if (state.mover.nsegments > 0)
		free_space_coalesce(rel, false);

	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
}

/* Take the next group of the relation off the list; false if there is none. */
static bool
next_group(Relation rel, uint32 *group)
{
	for (int i = 0; i < nentries; i++)
	{
		UpkeepEntry entry = entries[i];

		if (entry.relid != RelationGetRelid(rel))
			continue;
		nentries--;
		memmove(&entries[i], &entries[i + 1],
				(nentries - i) * sizeof(UpkeepEntry));
		upkeep_is_due = nentries > 0;
		if (entry.relnumber != rel->rd_locator.relNumber)
		{
			i--;				/* of a file that has gone */
			continue;
		}
		*group = entry.group;
		return true;
	}
	return false;
}

void
upkeep_run(Relation rel)
{
	uint32		group;

	if (TransactionIdIsValid(GetTopTransactionIdIfAny()) ||
		IsInParallelMode() || !ActiveSnapshotSet())
		return;

	if (retry_wait > 0)
	{
		retry_wait--;
		return;
	}

	/* one at a time: the caller waits */
	if (!next_group(rel, &group))
		return;
	if (ConditionalLockRelation(rel, ShareUpdateExclusiveLock))
	{
		upkeep_group(rel, group);
		UnlockRelation(rel, ShareUpdateExclusiveLock);
	}
	else
	{
		note_group(rel, group);
		retry_wait = UPKEEP_RETRY;
	}
}
