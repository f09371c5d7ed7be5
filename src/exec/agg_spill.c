/*
 * agg_spill.c
 *		Aggregation in passes, when the groups do not fit into memory.
 *
 * The first pass reads the scan.  When groups and states take more than
 * hash_mem, groups that are there go on being added to, and rows of others are
 * written to files: all that has been evaluated for them, by partition of the
 * hash of their keys.  Then the groups leave, and each partition is read in a
 * pass of its own, which may write partitions by the next bits of the hash.
 * States never go to files and are never merged.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector_agg.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

/* Serial numbers of batches that do not come from the scan. */
#define FIRST_SERIAL	(UINT64CONST(1) << 63)

/* A partition that waits for its pass. */
typedef struct AggPartition
{
	VectorSpill *spill;
	int			number;
	int			shift;			/* of hashes, for what it writes itself */
	bool		is_last;		/* of the spill, which ends with it */
} AggPartition;

struct AggPasses
{
	VectorSpill *spill;			/* what this pass writes, or NULL */
	AggPartition *partition;	/* what it reads; NULL: the scan */
	List	   *waiting;		/* of AggPartition */
	VectorSpill *exchanged;		/* of all processes, or NULL */
	VectorBatch batch;
	Vector	  **read;			/* inputs, then filters */
	const Vector **written;
	Vector	   *masked;			/* NULL where a filter is not true; by input */
	Vector	   *filters;
	Vector	   *nulls;			/* all of them */
	uint64		nspilled;		/* rows */
	uint64		nbytes;
	uint64		npasses;		/* over partitions */
};

AggPasses *
agg_passes_create(void)
{
	AggPasses  *passes = palloc0(sizeof(AggPasses));

	passes->batch.serial = FIRST_SERIAL;
	return passes;
}

/* ---- writing ---- */

static int
count_vectors(const VectorAggState *state)
{
	return list_length(state->inputs) + list_length(state->filters);
}

/* The types of what is written for a row. */
static Oid *
vector_types(const VectorAggState *state)
{
	int			ninputs = list_length(state->inputs);
	int			nvectors = count_vectors(state);
	Oid		   *types = palloc(sizeof(Oid) * (nvectors + 1));

	for (int i = 0; i < nvectors; i++)
		types[i] = i < ninputs ?
			((AggInput *) list_nth(state->inputs, i))->type : BOOLOID;
	return types;
}

/* Have room for the vectors of a batch. */
static void
reserve_vectors(VectorAggState *state)
{
	AggPasses  *passes = state->passes;
	int			ninputs = list_length(state->inputs);
	int			nvectors = count_vectors(state);

	if (passes->written != NULL)
		return;
	passes->written = palloc0(sizeof(Vector *) * nvectors);
	passes->read = palloc0(sizeof(Vector *) * nvectors);
	passes->masked = palloc0(sizeof(Vector) * ninputs);
	passes->filters = palloc0(sizeof(Vector) * (nvectors - ninputs + 1));
	passes->nulls = vector_create(FORM_DATUM);
	passes->nulls->has_nulls = true;
	memset(passes->nulls->nulls, 0xff, sizeof(uint64) * VECTOR_WORDS);
}

static void
start_writing(VectorAggState *state)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(state->context);

	state->passes->spill = vector_spill_create(count_vectors(state),
											   vector_types(state));
	reserve_vectors(state);
	MemoryContextSwitchTo(oldcontext);
}

/* An input's value that is NULL for rows that do not pass its filter. */
static const Vector *
masked_value(VectorAggState *state, AggInput *input, Vector *masked,
			 const VectorBatch *batch)
{
	const uint64 *mask = agg_filter_mask(input->filter, batch);
	const Vector *value;
	uint64	   *nulls;

	if (vector_mask_is_empty(mask))
		return state->passes->nulls;
	value = agg_input_value(input, batch);
	nulls = MemoryContextAlloc(state->expressions.batch_context,
							   sizeof(uint64) * VECTOR_WORDS);
	for (int w = 0; w < VECTOR_WORDS; w++)
		nulls[w] = ~mask[w] | (value->has_nulls ? value->nulls[w] : 0);
	*masked = *value;
	masked->has_nulls = true;
	masked->nulls = nulls;
	return masked;
}

static void
write_rows(VectorAggState *state, const VectorBatch *batch,
		   const uint64 *rows, const uint64 *hashes)
{
	AggPasses  *passes = state->passes;
	int			n = 0;
	ListCell   *lc;

	foreach(lc, state->inputs)
	{
		AggInput   *input = lfirst(lc);

		passes->written[n] = input->filter ?
			masked_value(state, input, &passes->masked[n], batch) :
			agg_input_value(input, batch);
		n++;
	}
	foreach(lc, state->filters)
	{
		AggFilter  *filter = lfirst(lc);
		Vector	   *vector = &passes->filters[foreach_current_index(lc)];

		agg_filter_mask(filter, batch);
		vector->form = FORM_BOOLEAN;
		vector->bits = filter->mask;
		passes->written[n++] = vector;
	}
	vector_spill_write(passes->spill, passes->written, rows, hashes,
					   passes->partition ? passes->partition->shift : 0);
}

void
agg_passes_write(VectorAggState *state, const VectorBatch *batch,
				 const uint64 *rejected, const uint64 *hashes)
{
	if (state->passes->spill == NULL)
		start_writing(state);
	write_rows(state, batch, rejected, hashes);
	state->passes->nspilled += vector_mask_count(rejected);
}

/* Hashes by which rows are exchanged: of keys, or else of what is distinct. */
static void
hash_rows(VectorAggState *state, const VectorBatch *batch, uint64 *hashes)
{
	if (state->table != NULL)
	{
		for (int i = 0; i < state->ntable_keys; i++)
			state->key_values[i] = agg_input_value(state->keys[i], batch);
		group_table_hash(state->table, state->key_values, batch->mask,
						 hashes);
		return;
	}
	for (int i = 0; i < state->ncolumns; i++)
	{
		AggColumn  *column = &state->columns[i];

		if (column->distinct == NULL)
			continue;
		distinct_set_hash(column->distinct,
						  agg_input_value(column->argument, batch),
						  batch->mask, hashes);
		return;
	}
}

void
agg_passes_write_all(VectorAggState *state, FileSet *files, int writer,
					 uint64 *nrows, uint64 *nbytes)
{
	AggPasses  *passes = state->passes;
	const VectorBatch *batch;
	uint64		hashes[VECTOR_LENGTH];

	passes->spill = vector_spill_create_shared(count_vectors(state),
											   vector_types(state), files,
											   writer);
	reserve_vectors(state);
	*nrows = 0;
	while ((batch = vector_source_next(state->scan)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(state->expressions.batch_context);
		hash_rows(state, batch, hashes);
		write_rows(state, batch, batch->mask, hashes);
		*nrows += vector_mask_count(batch->mask);
	}
	*nbytes = vector_spill_bytes(passes->spill);
	vector_spill_export(passes->spill);
	vector_spill_free(passes->spill);
	passes->spill = NULL;
}

/* ---- reading ---- */

void
agg_passes_open_all(VectorAggState *state, FileSet *files, int nwriters)
{
	state->passes->exchanged =
		vector_spill_open_shared(count_vectors(state), vector_types(state),
								 files, nwriters);
	reserve_vectors(state);
}

/* Have inputs and filters hold the rows that were read. */
static void
give_values(VectorAggState *state)
{
	AggPasses  *passes = state->passes;
	int			n = 0;
	ListCell   *lc;

	foreach(lc, state->inputs)
	{
		AggInput   *input = lfirst(lc);

		input->value = passes->read[n++];
		input->serial = passes->batch.serial;
	}
	foreach(lc, state->filters)
	{
		AggFilter  *filter = lfirst(lc);
		const Vector *vector = passes->read[n++];

		for (int w = 0; w < VECTOR_WORDS; w++)
			filter->mask[w] = vector->bits[w] & passes->batch.mask[w];
		filter->serial = passes->batch.serial;
	}
}

const VectorBatch *
agg_passes_next_batch(VectorAggState *state)
{
	AggPasses  *passes = state->passes;
	VectorBatch *batch = &passes->batch;

	if (passes->partition == NULL && agg_exchange_is_needed(state))
	{
		agg_exchange_rows(state);
		return NULL;
	}
	if (passes->partition == NULL)
		return vector_source_next(state->scan);

	batch->nrows = vector_spill_read(passes->partition->spill,
									 passes->partition->number, passes->read);
	if (batch->nrows == 0)
		return NULL;
	batch->nslots = batch->nrows;
	vector_mask_fill(batch->mask, batch->nrows);
	batch->serial++;
	give_values(state);
	return batch;
}

bool
agg_passes_may_write(const VectorAggState *state)
{
	const AggPartition *partition = state->passes->partition;

	return partition == NULL || partition->shift < SPILL_HASH_BITS;
}

static void
end_partition(AggPasses *passes)
{
	AggPartition *partition = passes->partition;

	if (partition && partition->is_last)
		vector_spill_free(partition->spill);
	if (partition)
		pfree(partition);
	passes->partition = NULL;
}

void
agg_passes_end(VectorAggState *state)
{
	AggPasses  *passes = state->passes;
	int			shift = SPILL_PARTITION_BITS +
		(passes->partition ? passes->partition->shift : 0);
	bool		is_last = true;

	end_partition(passes);
	if (passes->spill == NULL)
		return;
	passes->nbytes += vector_spill_bytes(passes->spill);
	for (int p = SPILL_PARTITIONS - 1; p >= 0; p--)
	{
		AggPartition *partition;

		if (vector_spill_nrows(passes->spill, p) == 0)
			continue;
		partition = MemoryContextAlloc(state->context, sizeof(AggPartition));
		partition->spill = passes->spill;
		partition->number = p;
		partition->shift = shift;
		partition->is_last = is_last;
		passes->waiting = lcons(partition, passes->waiting);
		is_last = false;
	}
	passes->spill = NULL;
}

bool
agg_passes_are_left(const VectorAggState *state)
{
	return state->passes->waiting != NIL ||
		agg_exchange_has_partitions(state);
}

bool
agg_passes_were_several(const VectorAggState *state)
{
	return state->passes->waiting != NIL || state->passes->npasses > 0;
}

/* The next partition of those that are shared, or NULL. */
static AggPartition *
take_exchanged(VectorAggState *state)
{
	int			number = agg_exchange_take_partition(state);
	AggPartition *partition;

	if (number < 0)
		return NULL;
	partition = MemoryContextAlloc(state->context, sizeof(AggPartition));
	partition->spill = state->passes->exchanged;
	partition->number = number;
	partition->shift = SPILL_PARTITION_BITS;
	partition->is_last = false;
	return partition;
}

/* The next partition that this process has written for itself, or NULL. */
static AggPartition *
take_waiting(AggPasses *passes)
{
	AggPartition *partition;

	if (passes->waiting == NIL)
		return NULL;
	partition = linitial(passes->waiting);
	passes->waiting = list_delete_first(passes->waiting);
	return partition;
}

bool
agg_passes_start_next(VectorAggState *state)
{
	AggPasses  *passes = state->passes;

	passes->partition = take_waiting(passes);
	if (passes->partition == NULL)
		passes->partition = take_exchanged(state);
	if (passes->partition == NULL)
		return false;
	passes->npasses++;
	return true;
}

void
agg_passes_reset(VectorAggState *state)
{
	AggPasses  *passes = state->passes;

	if (passes->spill)
		vector_spill_free(passes->spill);
	passes->spill = NULL;
	do
		end_partition(passes);
	while ((passes->partition = take_waiting(passes)) != NULL);
	if (passes->exchanged)
		vector_spill_free(passes->exchanged);
	passes->exchanged = NULL;
	agg_exchange_reset(state);
	passes->nspilled = 0;
	passes->nbytes = 0;
	passes->npasses = 0;
}

void
agg_passes_explain(const VectorAggState *state, ExplainState *es)
{
	const AggPasses *passes = state->passes;

	if (passes->nspilled == 0)
		return;
	ExplainPropertyUInteger("Spilled Rows", NULL, passes->nspilled, es);
	ExplainPropertyUInteger("Spilled Partitions", NULL, passes->npasses, es);
	ExplainPropertyUInteger("Disk Usage", "kB",
							(passes->nbytes + 1023) / 1024, es);
}
