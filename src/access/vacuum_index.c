/*
 * vacuum_index.c
 *		Removal of index entries of dead rows by VACUUM.
 *
 * Dead rows are collected as a bitmap per group, at most as many as
 * maintenance_work_mem allows; then every index is scanned for their TIDs, and
 * the groups' dead rows are gone.  A row becomes dead by VACUUM alone, so those
 * collected are all the dead rows of their groups.
 */
#include "postgres.h"

#include "compat.h"

#include "access/multixact.h"
#include "access/vacuum.h"
#include "commands/progress.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/row_set.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

/* Bytes of a group's dead rows. */
#define DEAD_GROUP_BYTES	(ROW_BITMAP_WORDS * sizeof(uint64) + sizeof(DeadGroup))

/* Groups whose dead rows may be held at once. */
static int
dead_groups_limit(void)
{
	return Max(maintenance_memory() / DEAD_GROUP_BYTES, 16);
}

void
vacuum_add_dead(VacuumState *state, uint32 group, const uint64 *rows)
{
	MemoryContext old_context = MemoryContextSwitchTo(state->dead_context);
	DeadGroup  *dead;

	if (state->ndead == state->maxdead)
	{
		state->maxdead = Max(state->maxdead * 2, 16);
		if (state->dead == NULL)
			state->dead = palloc(state->maxdead * sizeof(DeadGroup));
		else
			state->dead = repalloc_huge(state->dead,
										state->maxdead * sizeof(DeadGroup));
	}

	/* groups come in order, which the callback relies on */
	Assert(state->ndead == 0 || state->dead[state->ndead - 1].group < group);
	dead = &state->dead[state->ndead++];
	dead->group = group;
	dead->rows = palloc(ROW_BITMAP_WORDS * sizeof(uint64));
	memcpy(dead->rows, rows, ROW_BITMAP_WORDS * sizeof(uint64));
	MemoryContextSwitchTo(old_context);

	if (state->ndead >= dead_groups_limit())
		vacuum_remove_dead(state);
}

/*
 * IndexBulkDeleteCallback: is the row dead?
 */
static bool
row_is_dead(ItemPointer tid, void *argument)
{
	VacuumState *state = argument;
	RowNumber	row = row_number_from_tid(tid);
	uint32		group;
	int			low = 0;
	int			high = state->ndead - 1;

	if (row == InvalidRowNumber)
		return false;
	group = row_number_group(row);
	while (low <= high)
	{
		int			middle = (low + high) / 2;
		DeadGroup  *dead = &state->dead[middle];

		if (dead->group == group)
			return row_bitmap_test(dead->rows, row_number_offset(row));
		if (dead->group < group)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return false;
}

static void
index_info_init(VacuumState *state, IndexVacuumInfo *info, int index,
				bool estimated)
{
	memset(info, 0, sizeof(IndexVacuumInfo));
	info->index = state->indexes[index];
	index_vacuum_info_set_table(info, state->rel);
	info->estimated_count = estimated;
	info->message_level = DEBUG2;
	info->num_heap_tuples = estimated ? state->rel->rd_rel->reltuples :
		(double) state->live;
	info->strategy = state->strategy;
}

void
vacuum_remove_dead(VacuumState *state)
{
	if (state->ndead == 0)
		return;

	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_VACUUM_INDEX);
	for (int i = 0; i < state->nindexes; i++)
	{
		IndexVacuumInfo info;

		index_info_init(state, &info, i, true);
		state->index_stats[i] = index_bulk_delete(&info, state->index_stats[i],
												  row_is_dead, state);
	}
	state->index_passes++;
	pgstat_progress_update_param(PROGRESS_VACUUM_NUM_INDEX_VACUUMS,
								 state->index_passes);

	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_VACUUM_HEAP);
	for (int i = 0; i < state->ndead; i++)
	{
		vacuum_delay_point(false);
		vacuum_group_finish_dead(state, state->dead[i].group,
								 state->dead[i].rows);
	}

	MemoryContextReset(state->dead_context);
	state->dead = NULL;
	state->ndead = 0;
	state->maxdead = 0;
	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_SCAN_HEAP);
}

/*
 * amvacuumcleanup of every index, and its statistics in pg_class.
 */
void
vacuum_clean_indexes(VacuumState *state)
{
	pgstat_progress_update_param(PROGRESS_VACUUM_PHASE,
								 PROGRESS_VACUUM_PHASE_INDEX_CLEANUP);
	for (int i = 0; i < state->nindexes; i++)
	{
		IndexVacuumInfo info;
		IndexBulkDeleteResult *stats;

		index_info_init(state, &info, i, false);
		stats = index_vacuum_cleanup(&info, state->index_stats[i]);
		state->index_stats[i] = stats;
		if (stats != NULL && !stats->estimated_count)
			vac_update_relstats(state->indexes[i], stats->num_pages,
								stats->num_index_tuples, 0, 0, false,
								InvalidTransactionId, InvalidMultiXactId,
								NULL, NULL, false);
	}
}
