/*
 * scan_parallel.c
 *		Which process scans which group.
 *
 * Processes take groups from one counter in shared memory.  A parallel-aware
 * scan may also run without any shared state (core switches parallel mode off
 * at times); then it goes through all groups, as a serial one does.
 *
 * Under a LIMIT the leader shuts its nodes down while workers still count, so
 * their counters are added up when the leader lets go of the shared memory,
 * by which time they have ended.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "compat.h"
#include "exec/vector_scan.h"
#include "utils/memutils.h"

/* What the detaching leader adds up, if its state is still there. */
typedef struct CounterTransfer
{
	VectorScanState *state;		/* NULL: gone */
	SharedScan *shared;
} CounterTransfer;

bool
scan_parallel_next_group(VectorScanState *state, bool forward)
{
	if (state->shared)
	{
		uint32		group;

		Assert(forward);
		group = pg_atomic_fetch_add_u32(&state->shared->next_group, 1);
		state->group = Min((int64) group, state->ngroups);
		return group < state->ngroups;
	}

	if (forward)
		state->group = Min(state->group + 1, state->ngroups);
	else
		state->group = Max(state->group - 1, -1);
	return state->group >= 0 && state->group < state->ngroups;
}

Size
scan_parallel_estimate(CustomScanState *node, ParallelContext *pcxt)
{
	return add_size(offsetof(SharedScan, counters),
					mul_size(sizeof(ScanCounters), pcxt->nworkers));
}

static void
add_counters(dsm_segment *segment, Datum argument)
{
	CounterTransfer *transfer = (CounterTransfer *) DatumGetPointer(argument);
	VectorScanState *state = transfer->state;

	if (state == NULL)
		return;
	for (int i = 0; i < transfer->shared->ncounters; i++)
	{
		const ScanCounters *counters = &transfer->shared->counters[i];

		state->own_counters.groups_skipped += counters->groups_skipped;
		state->own_counters.vectors_skipped += counters->vectors_skipped;
		state->own_counters.vectors_packed += counters->vectors_packed;
		state->own_counters.rows_removed += counters->rows_removed;
		state->own_counters.rows_unjoined += counters->rows_unjoined;
	}
	state->shared = NULL;
}

static void
forget_state(void *argument)
{
	((CounterTransfer *) argument)->state = NULL;
}

/* Have the workers' counters added to the leader's in the end. */
static void
register_transfer(VectorScanState *state, dsm_segment *segment)
{
	CounterTransfer *transfer =
		MemoryContextAlloc(TopTransactionContext, sizeof(CounterTransfer));
	MemoryContextCallback *callback =
		MemoryContextAlloc(state->context, sizeof(MemoryContextCallback));

	transfer->state = state;
	transfer->shared = state->shared;
	on_dsm_detach(segment, add_counters, PointerGetDatum(transfer));

	callback->func = forget_state;
	callback->arg = transfer;
	MemoryContextRegisterResetCallback(state->context, callback);
}

void
scan_parallel_initialize(CustomScanState *node, ParallelContext *pcxt,
						 void *coordinate)
{
	VectorScanState *state = (VectorScanState *) node;
	SharedScan *shared = coordinate;

	pg_atomic_init_u32(&shared->next_group, 0);
	shared->ngroups = group_scan_ngroups(node->ss.ss_currentRelation);
	shared->ncounters = pcxt->nworkers;
	memset(shared->counters, 0, sizeof(ScanCounters) * pcxt->nworkers);
	state->shared = shared;

	/* Without workers the memory is the backend's own. */
	if (pcxt->seg)
		register_transfer(state, pcxt->seg);
}

void
scan_parallel_reinitialize(CustomScanState *node, ParallelContext *pcxt,
						   void *coordinate)
{
	SharedScan *shared = coordinate;

	pg_atomic_write_u32(&shared->next_group, 0);
}

void
scan_parallel_initialize_worker(CustomScanState *node, shm_toc *toc,
								void *coordinate)
{
	VectorScanState *state = (VectorScanState *) node;

	state->shared = coordinate;
	Assert(ParallelWorkerNumber < state->shared->ncounters);
	state->counters = &state->shared->counters[ParallelWorkerNumber];
}
