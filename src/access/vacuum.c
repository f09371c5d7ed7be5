/*
 * vacuum.c
 *		VACUUM of a columnar table: the phases, and the reports.
 *
 *	1. each group: settle, move, freeze, collect dead rows (vacuum_group.c)
 *	2. indexes: remove the entries of dead rows, which then are gone
 *	   (vacuum_index.c); before that whenever memory for them runs out
 *	3. space: tile the file, free what nobody uses, cut its end off
 *	   (vacuum_space.c)
 *	4. the visibility map (visibility.c)
 *	5. pg_class and the statistics system
 *
 * VACUUM holds a ShareUpdateExclusiveLock, so there is one VACUUM or mover per
 * table, while readers and writers are at work.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/multixact.h"
#include "access/toast_list.h"
#include "access/vacuum.h"
#include "commands/dbcommands.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/metapage.h"
#include "storage/visibility.h"
#include "utils/backend_progress.h"
#include "utils/lsyscache.h"
#include "utils/pg_rusage.h"
#include "utils/timestamp.h"

static void
vacuum_init(VacuumState *state, Relation rel, VacuumParamsPointer params,
			BufferAccessStrategy strategy)
{
	memset(state, 0, sizeof(VacuumState));
	state->rel = rel;
	state->strategy = strategy;
	vacuum_get_cutoffs(rel, params, &state->cutoffs);
	state->frozenxid = state->cutoffs.OldestXmin;
	state->minmxid = state->cutoffs.OldestMxact;

	state->mover.rel = rel;
	state->mover.oldest_xmin = state->cutoffs.OldestXmin;
	state->mover.strategy = strategy;

	if (params->nworkers > 0 && RelationUsesLocalBuffers(rel))
		ereport(WARNING,
				(errmsg("disabling parallel option of vacuum on \"%s\" --- cannot vacuum temporary tables in parallel",
						RelationGetRelationName(rel))));

	state->clean_indexes = params->index_cleanup != VACOPTVALUE_DISABLED;
	vac_open_indexes(rel, RowExclusiveLock, &state->nindexes, &state->indexes);
	state->index_stats = palloc0(Max(state->nindexes, 1) *
								 sizeof(IndexBulkDeleteResult *));
	state->dead_context = AllocSetContextCreate(CurrentMemoryContext,
												"columnar dead rows",
												ALLOCSET_DEFAULT_SIZES);
}

/*
 * Correct the planner's count of rows by what has been found: it counts row
 * numbers, of which some have no row.  Numbers given out since the start are
 * taken as they are.
 */
static void
correct_row_count(VacuumState *state, uint64 nrows_before)
{
	Buffer		buffer = metapage_read(state->rel, BUFFER_LOCK_EXCLUSIVE);
	uint64		found = state->live + state->unfinished + state->recently_dead;
	uint64		nrows;

	if (!BufferIsValid(buffer))
		return;
	nrows = metapage_data(buffer)->nrows;
	nrows = found + (nrows > nrows_before ? nrows - nrows_before : 0);
	if (nrows != metapage_data(buffer)->nrows)
	{
		GenericXLogState *xlog = GenericXLogStart(state->rel);
		MetapageData *meta;

		meta = page_contents(GenericXLogRegisterBuffer(xlog, buffer, 0));
		meta->nrows = nrows;
		GenericXLogFinish(xlog);
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * Phase 1 and, when memory runs out, 2.
 */
static void
vacuum_groups(VacuumState *state, uint32 ngroups)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(state->rel);

	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_SCAN_HEAP);
	pgstat_progress_update_param(PROGRESS_VACUUM_TOTAL_HEAP_BLKS, nblocks);
	for (uint32 group = 0; group < ngroups; group++)
	{
		pgstat_progress_update_param(PROGRESS_VACUUM_HEAP_BLKS_SCANNED,
									 (int64) nblocks * group / ngroups);
		vacuum_group(state, group);
	}
	pgstat_progress_update_param(PROGRESS_VACUUM_HEAP_BLKS_SCANNED, nblocks);
}

/*
 * Phase 4.
 */
static void
set_visibility(VacuumState *state, uint32 ngroups)
{
	for (uint32 group = 0; group < ngroups; group++)
	{
		vacuum_delay_point(false);
		visibility_set(state->rel, group);
	}
}

/*
 * All phases that look at the table.
 */
static void
vacuum_table(VacuumState *state, VacuumParamsPointer params)
{
	MetapageData meta;

	if (!metapage_copy(state->rel, &meta))
	{
		/* an empty table; its indexes may want to clean up all the same */
		if (state->clean_indexes)
			vacuum_clean_indexes(state);
		return;
	}

	vacuum_finish_announcements(state->rel);
	toast_list_drop_stale(state->rel);
	vacuum_groups(state, meta.next_group);
	vacuum_remove_dead(state);
	if (state->clean_indexes)
		vacuum_clean_indexes(state);
	correct_row_count(state, meta.nrows);

	vacuum_reclaim(state);
	toast_list_finish(state->rel);
	if (params->truncate != VACOPTVALUE_DISABLED)
		vacuum_truncate_file(state);
	set_visibility(state, meta.next_group);
}

/*
 * Tell pg_class and the statistics system.
 */
static void
vacuum_update_statistics(VacuumState *state, TimestampTz start)
{
	Relation	rel = state->rel;
	bool		xid_updated;
	bool		multi_updated;

	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_FINAL_CLEANUP);
	vac_update_relstats(rel, RelationGetNumberOfBlocks(rel),
						(double) state->live, visibility_count(rel), 0,
						state->nindexes > 0, state->frozenxid, state->minmxid,
						&xid_updated, &multi_updated, false);
	pgstat_report_vacuum(rel, state->live,
						 state->recently_dead + state->missed_dead, start);
}

/* ---- reports ---- */

static char *
table_name(Relation rel)
{
	return psprintf("%s.%s.%s", get_database_name(MyDatabaseId),
					get_namespace_name(RelationGetNamespace(rel)),
					RelationGetRelationName(rel));
}

/* Is the log told of this run? */
static bool
log_is_due(VacuumParamsPointer params, TimestampTz start)
{
	if (!AmAutoVacuumWorkerProcess() || params->log_min_duration < 0)
		return false;
	return params->log_min_duration == 0 ||
		TimestampDifferenceExceeds(start, GetCurrentTimestamp(),
								   params->log_min_duration);
}

static void
report_result(VacuumState *state, int elevel, const PGRUsage *usage)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, _("pages: %u removed, %u remain, " UINT64_FORMAT " found unused\n"),
					 state->truncated, RelationGetNumberOfBlocks(state->rel),
					 state->reclaimed);
	appendStringInfo(&text, _("tuples: " UINT64_FORMAT " removed, " UINT64_FORMAT " remain, " UINT64_FORMAT " are dead but not yet removable\n"),
					 state->removed + state->mover.ndead,
					 state->live + state->unfinished + state->recently_dead + state->missed_dead,
					 state->recently_dead + state->missed_dead);
	appendStringInfo(&text, _("column form: " UINT64_FORMAT " rows moved into " UINT64_FORMAT " segments\n"),
					 state->mover.nrows, state->mover.nsegments);
	appendStringInfo(&text, _("row form: " UINT64_FORMAT " pages frozen or pruned\n"),
					 state->frozen_pages);
	appendStringInfo(&text, _("removable cutoff: %u\n"),
					 state->cutoffs.OldestXmin);
	appendStringInfo(&text, _("system usage: %s"), pg_rusage_show(usage));

	ereport(elevel,
			(errmsg_internal(elevel == INFO ?
							 "finished vacuuming \"%s\": index scans: %d\n%s" :
							 "automatic vacuum of table \"%s\": index scans: %d\n%s",
							 table_name(state->rel), state->index_passes,
							 text.data)));
	pfree(text.data);
}

/*
 * relation_vacuum of the table access method.
 */
void
columnar_relation_vacuum(Relation rel, VacuumParamsPointer params,
						 BufferAccessStrategy strategy)
{
	VacuumState state;
	TimestampTz start = GetCurrentTimestamp();
	PGRUsage	usage;
	bool		verbose = (params->options & VACOPT_VERBOSE) != 0;

	pg_rusage_init(&usage);
	pgstat_progress_start_command(PROGRESS_COMMAND_VACUUM,
								  RelationGetRelid(rel));
	if (verbose)
		ereport(INFO,
				(errmsg("vacuuming \"%s\"", table_name(rel))));

	vacuum_init(&state, rel, params, strategy);
	vacuum_table(&state, params);
	vac_close_indexes(state.nindexes, state.indexes, NoLock);
	vacuum_update_statistics(&state, start);
	pgstat_progress_end_command();

	if (verbose || log_is_due(params, start))
		report_result(&state, verbose ? INFO : LOG, &usage);
	MemoryContextDelete(state.dead_context);
}
