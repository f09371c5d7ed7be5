/*
 * agg_exchange.c
 *		Parallel aggregation by exchanging rows.
 *
 * With many groups, processes that aggregate apart would each have most of the
 * groups, to be merged by one of them afterwards.  Instead every process writes
 * the rows that it scans to files that all of them can read, by partition of
 * the hash of their keys.  When all have done so, each takes partitions, which
 * have whole groups, and aggregates and emits one after the other, like the
 * partitions of a spill.
 *
 * Without keys rows are exchanged by the value of a DISTINCT aggregate, and there
 * is one group, of which each process has a part: who finishes last merges the
 * parts and emits it.
 *
 * Nobody waits once the first group has left: a process waits for the others
 * after it has written its rows, and one that comes later finds no rows left
 * to scan.  So it does no harm if the node above stops asking.
 *
 * A parallel-aware node may also run without shared memory, or without workers;
 * then it aggregates as a serial one does.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "pgstat.h"
#include "storage/barrier.h"
#include "storage/dsm.h"
#include "storage/sharedfileset.h"

/* The barrier's first phase; in all others there is nothing to wait for. */
#define PHASE_WRITING	0

/* In dynamic shared memory. */
typedef struct SharedExchange
{
	dsm_handle	segment;		/* that this lies in */
	Barrier		barrier;
	SharedFileSet files;
	int			nwriters;
	pg_atomic_uint32 next_partition;
	pg_atomic_uint32 nfinished; /* partitions, of a single group */
	pg_atomic_uint64 nrows;		/* written */
	pg_atomic_uint64 nbytes;
	uint64		states[FLEXIBLE_ARRAY_MEMBER];	/* of the group, by writer */
} SharedExchange;

struct AggExchange
{
	SharedExchange *shared;		/* NULL after shutdown */
	ParallelContext *pcxt;		/* the leader's, NULL in workers */
	int			writer;			/* this process's number */
	bool		is_reading;		/* there may be partitions to take */
	uint32		ntaken;			/* of them */
	uint64		nrows;			/* for EXPLAIN, after shutdown */
	uint64		nbytes;
};

/* ---- shared memory ---- */

/* Bytes of a process's states of the only group. */
static Size
states_size(const VectorAggState *state)
{
	Size		size = 0;

	if (state->table != NULL)
		return 0;
	for (int i = 0; i < state->ncolumns; i++)
		size += MAXALIGN(vector_aggregate_state_size(state->columns[i].aggregate));
	return size;
}

Size
agg_exchange_estimate(CustomScanState *node, ParallelContext *pcxt)
{
	return add_size(offsetof(SharedExchange, states),
					mul_size(states_size((VectorAggState *) node),
							 pcxt->nworkers + 1));
}

static void
start_phases(const VectorAggState *state, SharedExchange *shared)
{
	memset(shared->states, 0, states_size(state) * shared->nwriters);
	BarrierInit(&shared->barrier, 0);
	pg_atomic_write_u32(&shared->next_partition, 0);
	pg_atomic_write_u32(&shared->nfinished, 0);
	pg_atomic_write_u64(&shared->nrows, 0);
	pg_atomic_write_u64(&shared->nbytes, 0);
}

static AggExchange *
exchange_create(VectorAggState *state, SharedExchange *shared, int writer)
{
	AggExchange *exchange = MemoryContextAllocZero(state->context,
												   sizeof(AggExchange));

	exchange->shared = shared;
	exchange->writer = writer;
	return exchange;
}

void
agg_exchange_initialize(CustomScanState *node, ParallelContext *pcxt,
						void *coordinate)
{
	VectorAggState *state = (VectorAggState *) node;
	SharedExchange *shared = coordinate;

	/* Without dynamic shared memory there are no workers. */
	if (pcxt->seg == NULL)
		return;
	shared->segment = dsm_segment_handle(pcxt->seg);
	shared->nwriters = pcxt->nworkers + 1;
	pg_atomic_init_u32(&shared->next_partition, 0);
	pg_atomic_init_u32(&shared->nfinished, 0);
	pg_atomic_init_u64(&shared->nrows, 0);
	pg_atomic_init_u64(&shared->nbytes, 0);
	start_phases(state, shared);
	SharedFileSetInit(&shared->files, pcxt->seg);
	state->exchange = exchange_create(state, shared, 0);
	state->exchange->pcxt = pcxt;
}

void
agg_exchange_reinitialize(CustomScanState *node, ParallelContext *pcxt,
						  void *coordinate)
{
	VectorAggState *state = (VectorAggState *) node;

	if (state->exchange == NULL)
		return;
	state->exchange->shared = coordinate;
	state->exchange->pcxt = pcxt;
	SharedFileSetDeleteAll(&state->exchange->shared->files);
	start_phases(state, state->exchange->shared);
}

void
agg_exchange_initialize_worker(CustomScanState *node, shm_toc *toc,
							   void *coordinate)
{
	VectorAggState *state = (VectorAggState *) node;
	SharedExchange *shared = coordinate;

	SharedFileSetAttach(&shared->files, dsm_find_mapping(shared->segment));
	state->exchange = exchange_create(state, shared, ParallelWorkerNumber + 1);
}

/*
 * Let go of shared memory.  Counters are final: all rows have been written
 * before the first group leaves.
 */
void
agg_exchange_shutdown(CustomScanState *node)
{
	AggExchange *exchange = ((VectorAggState *) node)->exchange;

	if (exchange == NULL || exchange->shared == NULL)
		return;
	exchange->nrows = pg_atomic_read_u64(&exchange->shared->nrows);
	exchange->nbytes = pg_atomic_read_u64(&exchange->shared->nbytes);
	exchange->shared = NULL;
	exchange->pcxt = NULL;
	exchange->is_reading = false;
}

/* ---- rows ---- */

bool
agg_exchange_is_needed(const VectorAggState *state)
{
	const AggExchange *exchange = state->exchange;

	return exchange != NULL && exchange->shared != NULL &&
		(exchange->pcxt == NULL || exchange->pcxt->nworkers_launched > 0);
}

void
agg_exchange_rows(VectorAggState *state)
{
	AggExchange *exchange = state->exchange;
	SharedExchange *shared = exchange->shared;
	uint64		nrows;
	uint64		nbytes;

	if (BarrierAttach(&shared->barrier) == PHASE_WRITING)
	{
		agg_passes_write_all(state, &shared->files.fs, exchange->writer,
							 &nrows, &nbytes);
		pg_atomic_fetch_add_u64(&shared->nrows, nrows);
		pg_atomic_fetch_add_u64(&shared->nbytes, nbytes);
		BarrierArriveAndWait(&shared->barrier, PG_WAIT_EXTENSION);
	}
	BarrierDetach(&shared->barrier);
	agg_passes_open_all(state, &shared->files.fs, shared->nwriters);
	exchange->is_reading = true;
	exchange->ntaken = 0;
}

bool
agg_exchange_has_partitions(const VectorAggState *state)
{
	return state->exchange != NULL && state->exchange->is_reading;
}

int
agg_exchange_take_partition(VectorAggState *state)
{
	AggExchange *exchange = state->exchange;
	uint32		partition;

	if (exchange == NULL || !exchange->is_reading)
		return -1;
	partition = pg_atomic_fetch_add_u32(&exchange->shared->next_partition, 1);
	exchange->is_reading = partition < SPILL_PARTITIONS;
	exchange->ntaken += exchange->is_reading;
	return exchange->is_reading ? (int) partition : -1;
}

/* A process's states of the only group. */
static char *
states_of(const VectorAggState *state, int writer)
{
	SharedExchange *shared = state->exchange->shared;

	return (char *) shared->states + states_size(state) * writer;
}

static void
copy_states(const VectorAggState *state)
{
	char	   *p = states_of(state, state->exchange->writer);

	for (int i = 0; i < state->ncolumns; i++)
	{
		const VectorAggregate *aggregate = state->columns[i].aggregate;

		vector_aggregate_copy_state(aggregate, p);
		p += MAXALIGN(vector_aggregate_state_size(aggregate));
	}
}

static void
merge_states(VectorAggState *state, int writer)
{
	const char *p = states_of(state, writer);

	for (int i = 0; i < state->ncolumns; i++)
	{
		VectorAggregate *aggregate = state->columns[i].aggregate;

		if (!state->columns[i].is_shared)
			vector_aggregate_merge_state(aggregate, p);
		p += MAXALIGN(vector_aggregate_state_size(aggregate));
	}
}

bool
agg_exchange_merge(VectorAggState *state)
{
	AggExchange *exchange = state->exchange;
	SharedExchange *shared = exchange->shared;
	uint32		ntaken = exchange->ntaken;

	if (ntaken == 0)
		return false;
	copy_states(state);
	if (pg_atomic_fetch_add_u32(&shared->nfinished, ntaken) + ntaken <
		SPILL_PARTITIONS)
		return false;
	for (int w = 0; w < shared->nwriters; w++)
	{
		if (w != exchange->writer)
			merge_states(state, w);
	}
	return true;
}

void
agg_exchange_reset(VectorAggState *state)
{
	if (state->exchange)
		state->exchange->is_reading = false;
}

void
agg_exchange_explain(const VectorAggState *state, ExplainState *es)
{
	const AggExchange *exchange = state->exchange;

	if (exchange == NULL || exchange->nrows == 0)
		return;
	ExplainPropertyUInteger("Exchanged Rows", NULL, exchange->nrows, es);
	ExplainPropertyUInteger("Exchange Disk Usage", "kB",
							(exchange->nbytes + 1023) / 1024, es);
}
