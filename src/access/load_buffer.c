/*
 * load_buffer.c
 *		Rows of running commands that wait to be written by column.
 *
 * One LoadState per relation that this transaction writes.  It counts the rows
 * of the present command, of which the first go to row form, and has the
 * command's RowBuffer once there are more.  A row in a buffer has its number
 * at once: the state has a chunk group open and an announced segment in it,
 * which is widened as rows come.
 *
 * Invariants:
 *
 * (W5) A state's rows are of one (subtransaction, command): another one that
 * writes the relation flushes them first.
 * (W6) A row is announced, with its writer's xid and in the log, before its
 * number leaves this module; so it is before any index entry of it exists.
 * (W7) A flush changes the state only after it has published the segment.  One
 * that fails half way, in whatever subtransaction, leaves the rows buffered
 * and announced, and at worst some announced blocks.
 * (W8) A flush inserts nothing under the subtransaction that happens to run:
 * rows that would need TOAST values are written in column form, however few
 * they are, and row pages are logged as images.
 * (W9) A flush writes rows under each other's numbers only if nobody has been
 * told them, which is decided before the first one is given out.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/load_order.h"
#include "access/parallel.h"
#include "access/relation.h"
#include "access/row_buffer.h"
#include "access/row_form.h"
#include "access/row_sort.h"
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class_d.h"
#include "columnar.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "pgstat.h"
#include "storage/group.h"
#include "storage/predicate.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/*
 * A flush of fewer rows is written in row form, unless they are wide or
 * columnar.row_form_rows is zero.
 */
#define LOAD_COLUMN_FORM_ROWS	8192
#define LOAD_COLUMN_FORM_BYTES	((Size) 4 * 1024 * 1024)

/*
 * Rows that are appended together, column by column: as many as stay in the
 * nearest cache.
 */
#define LOAD_BATCH_ROWS			64

typedef struct LoadState
{
	Oid			relid;			/* hash key */
	dlist_node	node;			/* in load_states */
	SubTransactionId subid;		/* who aborts with the rows */
	FullTransactionId xid;		/* writer, of a possibly committed
								 * subtransaction */
	CommandId	cid;
	uint64		nrow_form;		/* rows given to row form by this command */
	bool		row_form_checked;	/* the next two fields are valid */
	bool		row_form_only;	/* the relation allows no other */
	bool		may_sort;		/* rows' numbers are not known, as far as the
								 * relation is concerned (W9) */
	int			options;		/* HEAP_INSERT_FROZEN or 0 */

	RowBuffer  *rows;			/* NULL: nothing is buffered */
	Size		nbytes;			/* of rows, as counted in load_bytes */
	bool		group_is_open;
	uint32		group;
	bool		segment_is_announced;
	SegmentData segment;		/* where the rows go */
} LoadState;

static HTAB *load_table = NULL;
static dlist_head load_states = DLIST_STATIC_INIT(load_states);
static LoadState *load_last = NULL; /* state used last, or NULL */
static int	load_nopen = 0;		/* states with a group, and maybe rows */
static Size load_bytes = 0;		/* memory of all buffers */
static MemoryContext load_context = NULL;	/* below TopTransactionContext */

static ExecutorStart_hook_type prev_executor_start = NULL;
static object_access_hook_type prev_object_access = NULL;

/* ---- states ---- */

static void
load_table_create(void)
{
	HASHCTL		ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(LoadState);
	load_table = hash_create("columnar load states", 64, &ctl,
							 HASH_ELEM | HASH_BLOBS);
}

static LoadState *
load_state_find(Oid relid)
{
	if (load_last != NULL && load_last->relid == relid)
		return load_last;
	if (load_table == NULL || dlist_is_empty(&load_states))
		return NULL;
	return hash_search(load_table, &relid, HASH_FIND, NULL);
}

static LoadState *
load_state_make(Oid relid)
{
	LoadState  *state;
	bool		found;

	if (load_table == NULL)
		load_table_create();
	state = hash_search(load_table, &relid, HASH_ENTER, &found);
	Assert(!found);
	memset(state, 0, sizeof(LoadState));
	state->relid = relid;
	dlist_push_tail(&load_states, &state->node);
	return state;
}

/* Drop the rows without writing them. */
static void
load_state_drop_rows(LoadState *state)
{
	if (state->rows == NULL)
		return;
	row_buffer_free(state->rows);
	state->rows = NULL;
	load_bytes -= state->nbytes;
	state->nbytes = 0;
}

static void
load_state_remove(LoadState *state)
{
	Oid			relid = state->relid;

	load_state_drop_rows(state);
	if (state->group_is_open)
		load_nopen--;
	dlist_delete(&state->node);
	if (load_last == state)
		load_last = NULL;
	hash_search(load_table, &relid, HASH_REMOVE, NULL);
}

static bool
load_state_has_rows(const LoadState *state)
{
	return state->rows != NULL && row_buffer_nslots(state->rows) > 0;
}

/* ---- flushing ---- */

static void
segment_stamp(SegmentData *segment, const LoadState *state)
{
	HeapTupleHeader header = segment_tuple_header(segment);

	memset(segment->header, 0, sizeof(segment->header));
	header->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	header->t_infomask = HEAP_XMAX_INVALID;
	HeapTupleHeaderSetXmin(header, XidFromFullTransactionId(state->xid));
	if (state->options & HEAP_INSERT_FROZEN)
		HeapTupleHeaderSetXminFrozen(header);
	HeapTupleHeaderSetCmin(header, state->cid);
	ItemPointerSetInvalid(&header->t_ctid);
}

/*
 * A buffered row as a tuple.  Columns may have been added since the buffer was
 * made: the row has what they have in rows that are older than they are.
 */
static HeapTuple
buffered_tuple(Relation rel, const RowBuffer *rows, uint32 slot,
			   Datum *values, bool *isnull)
{
	TupleDesc	desc = RelationGetDescr(rel);
	int			natts = row_buffer_natts(rows);

	Assert(natts <= desc->natts);
	for (int i = 0; i < natts; i++)
		values[i] = row_buffer_get(rows, slot, i + 1, &isnull[i]);
	for (int i = natts; i < desc->natts; i++)
		values[i] = getmissingattr(desc, i + 1, &isnull[i]);
	return heap_form_tuple(desc, values, isnull);
}

/*
 * The buffered rows as tuples for row form, in that order if not NULL; or NULL
 * if one is too wide (W8).
 */
static HeapTuple *
buffered_tuples(Relation rel, const RowBuffer *rows, const uint32 *order)
{
	uint32		nrows = row_buffer_nslots(rows);
	int			natts = RelationGetDescr(rel)->natts;
	Datum	   *values = palloc(natts * sizeof(Datum));
	bool	   *isnull = palloc(natts * sizeof(bool));
	HeapTuple  *tuples = palloc(nrows * sizeof(HeapTuple));

	for (uint32 i = 0; i < nrows; i++)
	{
		tuples[i] = buffered_tuple(rel, rows, order ? order[i] : i, values,
								   isnull);
		if (!row_form_fits(tuples[i]))
			return NULL;
		if (i % VECTOR_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return tuples;
}

/*
 * Write the rows as row pages and publish them.  As below, no interrupt comes
 * between publishing and the change of the state (W7).
 */
static void
load_state_write_rows(LoadState *state, Relation rel, HeapTuple *tuples)
{
	SegmentData segment = state->segment;
	RowMapEntry *pages;
	int			npages;

	segment.nslots = row_buffer_nslots(state->rows);
	segment.nvectors = (segment.nslots + VECTOR_ROWS - 1) / VECTOR_ROWS;
	for (uint32 i = 0; i < segment.nslots; i++)
		row_form_stamp(rel, tuples[i], XidFromFullTransactionId(state->xid),
					   state->cid, state->options);
	pages = row_form_write_pages(rel, &segment, tuples, segment.nslots,
								 state->xid, &npages);

	HOLD_INTERRUPTS();
	group_publish_rows(rel, state->group, &segment, pages, npages,
					   pages[0].blkno);
	state->segment_is_announced = false;
	row_buffer_reset(state->rows);
	RESUME_INTERRUPTS();
}

static void
load_state_write_columns(LoadState *state, Relation rel, const uint32 *order)
{
	SegmentData segment = state->segment;

	segment_stamp(&segment, state);
	row_buffer_write(state->rows, order, rel, state->xid, &segment);
	segment.nvectors = (segment.nslots + VECTOR_ROWS - 1) / VECTOR_ROWS;

	HOLD_INTERRUPTS();
	group_publish_columns(rel, state->group, &segment);
	state->segment_is_announced = false;
	row_buffer_reset(state->rows);
	RESUME_INTERRUPTS();
}

/*
 * The order in which the rows are to be written, or NULL: as they are.
 */
static uint32 *
load_state_order(LoadState *state, Relation rel)
{
	TableOptions options;

	if (!state->may_sort || !load_order_is_free(rel))
		return NULL;
	table_options_get(rel, &options);
	return row_sort_order(state->rows, &options);
}

/*
 * Write what is buffered.  Which form it gets is a matter of number and size
 * only.  The buffer is empty afterwards, and the group is still open, for the
 * command's next rows.
 */
static void
load_state_flush(LoadState *state, Relation rel)
{
	MemoryContext context;
	MemoryContext old_context;
	HeapTuple  *tuples = NULL;
	uint32	   *order;

	if (!load_state_has_rows(state))
		return;

	/*
	 * Below the caller's context, so that an error frees it with everything
	 * that the layers below have allocated.
	 */
	context = AllocSetContextCreate(CurrentMemoryContext, "columnar flush",
									ALLOCSET_DEFAULT_SIZES);
	old_context = MemoryContextSwitchTo(context);

	order = load_state_order(state, rel);
	if (columnar_row_form_rows > 0 &&
		row_buffer_nslots(state->rows) < LOAD_COLUMN_FORM_ROWS &&
		row_buffer_raw_bytes(state->rows) < LOAD_COLUMN_FORM_BYTES)
		tuples = buffered_tuples(rel, state->rows, order);
	if (tuples != NULL)
		load_state_write_rows(state, rel, tuples);
	else
		load_state_write_columns(state, rel, order);
	CheckForSerializableConflictIn(rel, NULL, InvalidBlockNumber);

	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
}

static void
load_state_close_group(LoadState *state, Relation rel)
{
	if (!state->group_is_open)
		return;
	state->group_is_open = false;
	load_nopen--;
	group_close(rel, state->group);
}

/*
 * The command is done, or may be: write everything and give the group back.
 */
static void
load_state_finish(LoadState *state, Relation rel)
{
	load_state_flush(state, rel);
	load_state_drop_rows(state);
	load_state_close_group(state, rel);
}

/*
 * The same for a relation that is not at hand.  Its writer has it locked until
 * the transaction ends.
 */
static void
load_state_finish_unopened(LoadState *state)
{
	Relation	rel;

	if (!state->group_is_open)
		return;
	rel = try_relation_open(state->relid, NoLock);
	if (rel == NULL)
		elog(ERROR, "relation %u was dropped with rows to be written",
			 state->relid);
	load_state_finish(state, rel);
	relation_close(rel, NoLock);
}

/* Can a snapshot see the state's rows, or is it one that asks for all? */
static bool
load_state_is_seen(const LoadState *state, Snapshot snapshot)
{
	return snapshot == NULL || snapshot->snapshot_type != SNAPSHOT_MVCC ||
		snapshot->curcid > state->cid;
}

/*
 * Flush every buffer, or those that a snapshot can see.
 */
static void
load_states_finish(Snapshot snapshot)
{
	dlist_iter	iter;

	dlist_foreach(iter, &load_states)
	{
		LoadState  *state = dlist_container(LoadState, node, iter.cur);

		if (load_state_is_seen(state, snapshot))
			load_state_finish_unopened(state);
	}
}

/*
 * Memory for all buffers has run out: write the largest.  rel is the relation
 * that is being written.
 */
static void
load_states_shrink(Relation rel)
{
	LoadState  *largest = NULL;
	dlist_iter	iter;

	dlist_foreach(iter, &load_states)
	{
		LoadState  *state = dlist_container(LoadState, node, iter.cur);

		if (state->rows != NULL &&
			(largest == NULL || state->nbytes > largest->nbytes))
			largest = state;
	}
	Assert(largest != NULL);
	if (largest->relid == RelationGetRelid(rel))
	{
		load_state_flush(largest, rel);
		load_state_drop_rows(largest);
	}
	else
		load_state_finish_unopened(largest);
}

/* ---- the present command ---- */

/*
 * The state of the command that is writing the relation, with the rows of any
 * other command flushed (W5).
 */
static LoadState *
load_state_get(Relation rel, CommandId cid)
{
	LoadState  *state = load_state_find(RelationGetRelid(rel));
	FullTransactionId xid = GetCurrentFullTransactionId();

	if (state == NULL)
		state = load_state_make(RelationGetRelid(rel));
	else if (FullTransactionIdEquals(state->xid, xid) && state->cid == cid)
	{
		load_last = state;
		return state;
	}
	else
		load_state_finish(state, rel);

	state->subid = GetCurrentSubTransactionId();
	state->xid = xid;
	state->cid = cid;
	state->nrow_form = 0;
	state->row_form_checked = false;
	load_last = state;
	return state;
}

int
load_buffer_row_form_quota(Relation rel, CommandId cid, int nrows)
{
	LoadState  *state = load_state_get(rel, cid);

	if (state->nrow_form + nrows <= (uint64) columnar_row_form_rows)
	{
		state->nrow_form += nrows;
		return nrows;
	}
	if (!state->row_form_checked)
	{
		state->row_form_only = row_form_only(rel);
		state->may_sort = load_order_is_free(rel);
		state->row_form_checked = true;
	}
	else if (!state->row_form_only)
		state->row_form_only = row_form_only_anew(rel);
	if (!state->row_form_only)
		nrows = Max((int64) columnar_row_form_rows - (int64) state->nrow_form, 0);
	state->nrow_form += nrows;
	return nrows;
}

/*
 * Make sure that the next row has an announced number (W6).  Reserves in
 * growing steps: what a small load leaves unused is lost for others only until
 * it is published.
 */
static void
load_state_reserve(LoadState *state, Relation rel)
{
	uint32		nslots = state->rows ? row_buffer_nslots(state->rows) : 0;

	if (state->segment_is_announced)
	{
		if (nslots < (uint32) state->segment.nvectors * VECTOR_ROWS ||
			group_widen(rel, state->group, &state->segment,
						state->segment.nvectors) > 0)
			return;
		load_state_flush(state, rel);
	}
	else if (state->group_is_open &&
			 group_announce(rel, state->group, state->xid, 1,
							&state->segment))
	{
		state->segment_is_announced = true;
		return;
	}

	/* The group has no number left. */
	load_state_close_group(state, rel);
	state->group = group_open(rel, state->xid, 1, &state->segment);
	state->group_is_open = true;
	load_nopen++;
	state->segment_is_announced = true;
}

static void
load_state_make_rows(LoadState *state, Relation rel)
{
	if (load_context == NULL)
		load_context = AllocSetContextCreate(TopTransactionContext,
											 "columnar load buffers",
											 ALLOCSET_DEFAULT_SIZES);
	state->rows = row_buffer_create(RelationGetDescr(rel), load_context);
}

/*
 * Must the rows be written before there are more?  That is so where the arrays
 * would have to be doubled beyond the limit, which would be the end of a buffer
 * that has just got room for twice as many; this way it keeps its arrays.
 */
static bool
load_state_outgrows(const LoadState *state)
{
	return row_buffer_room(state->rows) == 0 &&
		row_buffer_nslots(state->rows) >= LOAD_COLUMN_FORM_ROWS &&
		load_bytes + row_buffer_growth(state->rows) >
		(Size) columnar_load_buffer_size * 1024;
}

/*
 * Append as many of the rows as can be at once, and give them their numbers.
 * Returns how many.
 */
static int
load_state_append(LoadState *state, Relation rel, TupleTableSlot **slots,
				  int nslots)
{
	const Datum *values[LOAD_BATCH_ROWS];
	const bool *isnull[LOAD_BATCH_ROWS];
	uint32		first;
	Size		nbytes;

	load_state_reserve(state, rel);
	if (unlikely(state->rows == NULL))
		load_state_make_rows(state, rel);
	else if (unlikely(load_state_outgrows(state)))
	{
		load_state_flush(state, rel);
		load_state_reserve(state, rel);
	}

	first = row_buffer_nslots(state->rows);
	nslots = Min(nslots, LOAD_BATCH_ROWS);
	if (row_buffer_room(state->rows) > 0)
		nslots = Min(nslots, (int) row_buffer_room(state->rows));
	nslots = Min(nslots, (int) (state->segment.nvectors * VECTOR_ROWS - first));
	for (int i = 0; i < nslots; i++)
	{
		slot_getallattrs(slots[i]);
		values[i] = slots[i]->tts_values;
		isnull[i] = slots[i]->tts_isnull;
	}
	row_buffer_append_rows(state->rows, values, isnull, nslots);

	first += segment_first(&state->segment);
	for (int i = 0; i < nslots; i++)
	{
		slots[i]->tts_tableOid = RelationGetRelid(rel);
		row_number_to_tid(row_number(state->group, first + i),
						  &slots[i]->tts_tid);
	}

	/* Not only now and then: one row may have a gigabyte. */
	nbytes = row_buffer_bytes(state->rows);
	load_bytes += nbytes - state->nbytes;
	state->nbytes = nbytes;
	if (unlikely(load_bytes > (Size) columnar_load_buffer_size * 1024))
		load_states_shrink(rel);
	return nslots;
}

void
load_buffer_append(Relation rel, TupleTableSlot **slots, int nslots,
				   CommandId cid, int options)
{
	LoadState  *state = load_state_get(rel, cid);

	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot insert tuples in a parallel worker")));

	/*
	 * As heap does for each insert: whoever will be rolled back is told so
	 * before an index complains about his row.  The check after the change is
	 * that of the flush.
	 */
	CheckForSerializableConflictIn(rel, NULL, InvalidBlockNumber);

	state->options = options & HEAP_INSERT_FROZEN;
	for (int done = 0; done < nslots;)
		done += load_state_append(state, rel, slots + done, nslots - done);
	pgstat_count_heap_insert(rel, nslots);
}

/* ---- readers ---- */

bool
load_buffer_fetch(Relation rel, RowNumber row, TupleTableSlot *slot,
				  TransactionId *xmin, CommandId *cmin)
{
	LoadState  *state;
	uint32		first;
	uint32		offset;

	if (load_nopen == 0)
		return false;
	state = load_state_find(RelationGetRelid(rel));
	if (state == NULL || !load_state_has_rows(state) ||
		row_number_group(row) != state->group)
		return false;
	first = segment_first(&state->segment);
	offset = row_number_offset(row);
	if (offset < first ||
		offset - first >= row_buffer_nslots(state->rows))
		return false;

	*xmin = XidFromFullTransactionId(state->xid);
	*cmin = state->cid;
	if (slot != NULL)
	{
		TupleDesc	desc = RelationGetDescr(rel);
		Datum	   *values = palloc(desc->natts * sizeof(Datum));
		bool	   *isnull = palloc(desc->natts * sizeof(bool));
		HeapTuple	tuple = buffered_tuple(rel, state->rows, offset - first,
										   values, isnull);

		pfree(values);
		pfree(isnull);
		row_number_to_tid(row, &tuple->t_self);
		tuple->t_data->t_ctid = tuple->t_self;
		tuple->t_tableOid = RelationGetRelid(rel);

		/* What is left of a composite value's header would be misread. */
		tuple->t_data->t_infomask &= ~HEAP_XACT_MASK;
		tuple->t_data->t_infomask |= HEAP_XMAX_INVALID;
		HeapTupleHeaderSetXmin(tuple->t_data, *xmin);
		HeapTupleHeaderSetCmin(tuple->t_data, *cmin);
		HeapTupleHeaderSetXmax(tuple->t_data, InvalidTransactionId);
		/* which frees the tuple */
		ExecForceStoreHeapTuple(tuple, slot, true);
		row_number_to_tid(row, &slot->tts_tid);
		slot->tts_tableOid = RelationGetRelid(rel);
	}
	return true;
}

void
load_buffer_flush_for(Relation rel, Snapshot snapshot)
{
	LoadState  *state;

	if (load_nopen == 0)
		return;
	state = load_state_find(RelationGetRelid(rel));
	if (state != NULL && state->group_is_open &&
		load_state_is_seen(state, snapshot))
		load_state_finish(state, rel);
}

/*
 * COPY into a partitioned table calls this for a partition whenever it turns
 * to others; flushing then would leave crumbs of rows all over.  Who fills a
 * new file says so, and is about to put it in an other relation's place.
 */
void
load_buffer_finish_bulk(Relation rel, int options)
{
	LoadState  *state = load_state_find(RelationGetRelid(rel));

	if (state == NULL)
		return;
	if ((options & TABLE_INSERT_SKIP_FSM) == 0 &&
		rel->rd_rel->relispartition)
		return;
	load_state_finish(state, rel);
}

void
load_buffer_discard(Relation rel)
{
	LoadState  *state = load_state_find(RelationGetRelid(rel));

	if (state != NULL)
		load_state_remove(state);
	row_form_forget(rel);
}

/* ---- transactions and hooks ---- */

/* Forget everything at the end of a transaction. */
static void
load_states_clear(void)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &load_states)
	{
		load_state_remove(dlist_container(LoadState, node, iter.cur));
	}
	Assert(load_nopen == 0 && load_bytes == 0);
	load_order_forget_queries();
	if (load_context != NULL)
	{
		MemoryContextDelete(load_context);
		load_context = NULL;
	}
}

/*
 * On abort the file is left alone: what was announced is found by VACUUM.
 */
static void
load_xact_callback(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			load_states_finish(NULL);
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
			Assert(load_nopen == 0);
			load_states_clear();
			break;
		case XACT_EVENT_ABORT:
			load_states_clear();
			break;
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_COMMIT:
		case XACT_EVENT_PARALLEL_ABORT:
			/* Workers write nothing. */
			break;
	}
}

/*
 * Rows of a committed subtransaction go on under their xid, but now share
 * their parent's fate.
 */
static void
load_subxact_callback(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent_subid, void *arg)
{
	dlist_mutable_iter iter;

	if (event != SUBXACT_EVENT_COMMIT_SUB && event != SUBXACT_EVENT_ABORT_SUB)
		return;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		row_form_forget_all();

	dlist_foreach_modify(iter, &load_states)
	{
		LoadState  *state = dlist_container(LoadState, node, iter.cur);

		if (state->subid != subid)
			continue;
		if (event == SUBXACT_EVENT_COMMIT_SUB)
			state->subid = parent_subid;
		else
			load_state_remove(state);
	}
}

/*
 * Workers of a parallel plan cannot see buffers of their leader; and a query may
 * return TIDs.
 */
static void
load_executor_start(QueryDesc *query, int eflags)
{
	load_order_note_query(query);
	if (load_nopen > 0 && query->plannedstmt->parallelModeNeeded &&
		(eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		load_states_finish(query->snapshot);

	if (prev_executor_start)
		prev_executor_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

/*
 * A relation that is dropped cannot be written to any more, but may come back
 * with ROLLBACK TO SAVEPOINT.
 */
static void
load_object_access(ObjectAccessType access, Oid class_id, Oid object_id,
				   int sub_id, void *arg)
{
	if (access == OAT_DROP && class_id == RelationRelationId && sub_id == 0 &&
		load_nopen > 0)
	{
		LoadState  *state = load_state_find(object_id);

		if (state != NULL)
			load_state_finish_unopened(state);
	}
	if (prev_object_access)
		prev_object_access(access, class_id, object_id, sub_id, arg);
}

void
load_buffer_init(void)
{
	RegisterXactCallback(load_xact_callback, NULL);
	RegisterSubXactCallback(load_subxact_callback, NULL);
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = load_executor_start;
	prev_object_access = object_access_hook;
	object_access_hook = load_object_access;
}
