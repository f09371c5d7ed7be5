/*
 * table_rewrite.c
 *		The callback of VACUUM FULL and CLUSTER: all rows into a new file.
 *
 * Rows that are visible to everybody are written in column form with a frozen
 * xmin.  Rows that somebody may not see yet (written by this transaction, or
 * committed after the oldest snapshot was taken) keep their headers, and go to
 * row pages, where each row has one.  The caller holds the table exclusively
 * and builds the indexes anew, so numbers need not be announced row by row.
 */
#include "postgres.h"

#include "access/columnar_slot.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/load_buffer.h"
#include "access/row_buffer.h"
#include "access/row_form.h"
#include "access/row_scan.h"
#include "access/table_am.h"
#include "access/tuple_check.h"
#include "access/xact.h"
#include "columnar.h"
#include "commands/progress.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/group.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

/* What the scan of the old table says of a row that is not dead. */
#define ROW_SETTLED		1		/* visible to everybody */
#define ROW_KEPT		2		/* its header has to be kept */

/* Rows with headers that are written at a time. */
#define KEPT_ROWS		(8 * VECTOR_ROWS)
#define KEPT_BYTES		((Size) 4 * 1024 * 1024)

typedef struct Rewrite
{
	Relation	old_rel;
	Relation	new_rel;
	TransactionId oldest_xmin;
	FullTransactionId xid;		/* owner of what is announced */
	Tuplesortstate *sort;		/* or NULL */
	Datum	   *values;
	bool	   *isnull;
	double		ntuples;
	double		ndead;
	double		nwritten;

	/* Settled rows. */
	RowBuffer  *rows;			/* NULL: no segment is announced */
	uint32		group;
	bool		group_is_open;
	SegmentData segment;

	/* Rows with headers, of the new table and already toasted. */
	HeapTuple  *kept;
	int			nkept;
	Size		kept_bytes;
	MemoryContext kept_context;
} Rewrite;

/* ---- settled rows ---- */

static void
flush_settled(Rewrite *rewrite)
{
	HeapTupleHeader header = segment_tuple_header(&rewrite->segment);

	if (rewrite->rows == NULL)
		return;

	memset(rewrite->segment.header, 0, sizeof(rewrite->segment.header));
	header->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	header->t_infomask = HEAP_XMAX_INVALID;
	HeapTupleHeaderSetXmin(header, XidFromFullTransactionId(rewrite->xid));
	HeapTupleHeaderSetXminFrozen(header);

	row_buffer_write(rewrite->rows, rewrite->new_rel, rewrite->xid,
					 &rewrite->segment);
	rewrite->segment.nvectors =
		(rewrite->segment.nslots + VECTOR_ROWS - 1) / VECTOR_ROWS;
	group_publish_columns(rewrite->new_rel, rewrite->group,
						  &rewrite->segment);
	row_buffer_free(rewrite->rows);
	rewrite->rows = NULL;
}

/*
 * Announce a segment for as many rows as there may be.
 */
static void
begin_settled(Rewrite *rewrite)
{
	if (rewrite->group_is_open &&
		!group_announce(rewrite->new_rel, rewrite->group, rewrite->xid,
						GROUP_VECTORS, &rewrite->segment))
	{
		group_close(rewrite->new_rel, rewrite->group);
		rewrite->group_is_open = false;
	}
	if (!rewrite->group_is_open)
	{
		rewrite->group = group_open(rewrite->new_rel, rewrite->xid,
									GROUP_VECTORS, &rewrite->segment);
		rewrite->group_is_open = true;
	}
	rewrite->rows = row_buffer_create(RelationGetDescr(rewrite->new_rel),
									  CurrentMemoryContext);
}

/*
 * Write rewrite->values as a settled row.
 */
static void
write_settled(Rewrite *rewrite)
{
	if (rewrite->rows == NULL)
		begin_settled(rewrite);
	row_buffer_append(rewrite->rows, rewrite->values, rewrite->isnull);
	if (row_buffer_nslots(rewrite->rows) ==
		(uint32) rewrite->segment.nvectors * VECTOR_ROWS ||
		row_buffer_bytes(rewrite->rows) >
		(Size) columnar_load_buffer_size * 1024)
		flush_settled(rewrite);
}

/* ---- rows that keep their headers ---- */

static void
flush_kept(Rewrite *rewrite)
{
	int			done = 0;

	while (done < rewrite->nkept)
	{
		int			left = rewrite->nkept - done;
		SegmentData segment;
		RowMapEntry *pages;
		uint32		group;
		int			npages;

		/* What an earlier batch left of a group may be less than is left. */
		group = group_open(rewrite->new_rel, rewrite->xid,
						   (left + VECTOR_ROWS - 1) / VECTOR_ROWS, &segment);
		segment.nslots = Min(left, segment.nvectors * VECTOR_ROWS);
		segment.nvectors = (segment.nslots + VECTOR_ROWS - 1) / VECTOR_ROWS;
		pages = row_form_write_pages(rewrite->new_rel, &segment,
									 rewrite->kept + done, segment.nslots,
									 rewrite->xid, &npages);
		group_publish_rows(rewrite->new_rel, group, &segment, pages, npages,
						   pages[0].blkno);
		group_close(rewrite->new_rel, group);
		pfree(pages);
		done += segment.nslots;
	}
	rewrite->nkept = 0;
	rewrite->kept_bytes = 0;
	MemoryContextReset(rewrite->kept_context);
}

/*
 * Write rewrite->values as a row with the header of tuple.
 */
static void
write_kept(Rewrite *rewrite, HeapTuple tuple)
{
	MemoryContext old_context = MemoryContextSwitchTo(rewrite->kept_context);
	HeapTupleHeader old_header = tuple->t_data;
	HeapTuple	kept;

	kept = heap_form_tuple(RelationGetDescr(rewrite->new_rel),
						   rewrite->values, rewrite->isnull);
	kept->t_data->t_choice.t_heap = old_header->t_choice.t_heap;
	kept->t_data->t_infomask &= ~HEAP_XACT_MASK;
	kept->t_data->t_infomask |= old_header->t_infomask & HEAP_XACT_MASK;
	kept->t_data->t_infomask2 |= old_header->t_infomask2 & HEAP2_XACT_MASK;
	kept->t_tableOid = RelationGetRelid(rewrite->new_rel);
	kept = row_form_toast(rewrite->new_rel, kept, NULL,
						  HEAP_INSERT_SKIP_FSM | HEAP_INSERT_NO_LOGICAL);
	MemoryContextSwitchTo(old_context);

	rewrite->kept[rewrite->nkept++] = kept;
	rewrite->kept_bytes += kept->t_len;
	if (rewrite->nkept == KEPT_ROWS || rewrite->kept_bytes > KEPT_BYTES)
		flush_kept(rewrite);
}

/* ---- from the old table to the new one ---- */

/*
 * Write a tuple of the old table; one with a frozen xmin is settled.
 */
static void
rewrite_tuple(Rewrite *rewrite, HeapTuple tuple)
{
	TupleDesc	desc = RelationGetDescr(rewrite->old_rel);

	tuple_check(desc, tuple);
	heap_deform_tuple(tuple, desc, rewrite->values, rewrite->isnull);

	/* Dropped columns may have TOAST values, which are left behind. */
	for (int i = 0; i < desc->natts; i++)
	{
		if (TupleDescAttr(desc, i)->attisdropped)
			rewrite->isnull[i] = true;
	}
	if (HeapTupleHeaderXminFrozen(tuple->t_data))
		write_settled(rewrite);
	else
		write_kept(rewrite, tuple);
	pgstat_progress_update_param(PROGRESS_CLUSTER_HEAP_TUPLES_WRITTEN,
								 (int64) ++rewrite->nwritten);
}

/*
 * A row in a slot, copied with its header; a settled one is marked as frozen.
 */
static void
rewrite_slot(Rewrite *rewrite, TupleTableSlot *slot, bool settled)
{
	HeapTuple	tuple = ExecCopySlotHeapTuple(slot);

	if (settled)
		tuple->t_data->t_infomask |= HEAP_XMIN_FROZEN;
	else
		tuple->t_data->t_infomask &= ~HEAP_XMIN_INVALID;

	rewrite->ntuples++;
	pgstat_progress_update_param(PROGRESS_CLUSTER_HEAP_TUPLES_SCANNED,
								 (int64) rewrite->ntuples);
	if (rewrite->sort)
		tuplesort_putheaptuple(rewrite->sort, tuple);
	else
		rewrite_tuple(rewrite, tuple);
	heap_freetuple(tuple);
}

/*
 * What becomes of a live row with that header.
 */
static uint8
header_status(const Rewrite *rewrite, HeapTupleHeader header)
{
	if (HeapTupleHeaderXminFrozen(header) ||
		TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(header),
							  rewrite->oldest_xmin))
		return ROW_SETTLED;
	return ROW_KEPT;
}

static uint8
rewrite_test(GroupScan *scan, HeapTuple tuple, Buffer buffer,
			 TransactionId *wait)
{
	Rewrite    *rewrite = scan->test_argument;

	if (HeapTupleSatisfiesVacuum(tuple, rewrite->oldest_xmin, buffer) ==
		HEAPTUPLE_DEAD)
	{
		rewrite->ndead++;
		return GROUP_SCAN_SKIP;
	}
	return header_status(rewrite, tuple->t_data);
}

static void
rewrite_in_row_order(Rewrite *rewrite, TupleTableSlot *slot)
{
	RowScan    *scan = row_scan_create(rewrite->old_rel, SnapshotAny, NULL);
	GroupScan  *groups = row_scan_groups(scan);

	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_SEQ_SCAN_HEAP);
	groups->test = rewrite_test;
	groups->test_argument = rewrite;
	while (row_scan_next(scan, true))
	{
		CHECK_FOR_INTERRUPTS();
		row_scan_store(scan, slot);
		rewrite_slot(rewrite, slot, row_scan_status(scan) == ROW_SETTLED);
		ExecClearTuple(slot);
	}
	row_scan_free(scan);
}

/*
 * In the order of an index that cannot be sorted by.  Fetches return rows that
 * anybody sees or that are dead, and no status: hence by SnapshotSelf, which
 * sees all but the dead ones as nobody else writes the table.
 */
static void
rewrite_in_index_order(Rewrite *rewrite, Relation index,
					   TupleTableSlot *slot)
{
	IndexScanDesc scan;

	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_INDEX_SCAN_HEAP);
	pgstat_progress_update_param(PROGRESS_CLUSTER_INDEX_RELID,
								 RelationGetRelid(index));
	scan = index_beginscan(rewrite->old_rel, index, SnapshotSelf, NULL, 0, 0);
	index_rescan(scan, NULL, 0, NULL, 0);
	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		HeapTuple	tuple;

		CHECK_FOR_INTERRUPTS();
		if (scan->xs_recheck)
			elog(ERROR, "CLUSTER does not support lossy index conditions");
		tuple = ExecCopySlotHeapTuple(slot);
		rewrite_slot(rewrite, slot,
					 header_status(rewrite, tuple->t_data) == ROW_SETTLED);
		heap_freetuple(tuple);
	}
	index_endscan(scan);
}

static void
rewrite_sorted(Rewrite *rewrite)
{
	HeapTuple	tuple;

	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_SORT_TUPLES);
	tuplesort_performsort(rewrite->sort);
	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_WRITE_NEW_HEAP);
	while ((tuple = tuplesort_getheaptuple(rewrite->sort, true)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		rewrite_tuple(rewrite, tuple);
	}
	tuplesort_end(rewrite->sort);
}

static void
rewrite_init(Rewrite *rewrite, Relation old_rel, Relation new_rel,
			 TransactionId oldest_xmin)
{
	int			natts = RelationGetDescr(old_rel)->natts;

	memset(rewrite, 0, sizeof(Rewrite));
	rewrite->old_rel = old_rel;
	rewrite->new_rel = new_rel;
	rewrite->oldest_xmin = oldest_xmin;
	rewrite->xid = GetCurrentFullTransactionId();
	rewrite->values = palloc(natts * sizeof(Datum));
	rewrite->isnull = palloc(natts * sizeof(bool));
	rewrite->kept = palloc(KEPT_ROWS * sizeof(HeapTuple));
	rewrite->kept_context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar kept rows",
												  ALLOCSET_DEFAULT_SIZES);
}

static void
rewrite_finish(Rewrite *rewrite)
{
	flush_settled(rewrite);
	if (rewrite->group_is_open)
		group_close(rewrite->new_rel, rewrite->group);
	flush_kept(rewrite);
	MemoryContextDelete(rewrite->kept_context);
	pfree(rewrite->kept);
	pfree(rewrite->values);
	pfree(rewrite->isnull);
}

void
columnar_relation_copy_for_cluster(Relation old_rel, Relation new_rel,
								   Relation index, bool use_sort,
								   TransactionId oldest_xmin,
								   TransactionId *xid_cutoff,
								   MultiXactId *multi_cutoff,
								   double *num_tuples,
								   double *tups_vacuumed,
								   double *tups_recently_dead)
{
	TupleTableSlot *slot;
	Rewrite		rewrite;

	load_buffer_flush_for(old_rel, NULL);
	rewrite_init(&rewrite, old_rel, new_rel, oldest_xmin);
	if (use_sort)
		rewrite.sort = tuplesort_begin_cluster(RelationGetDescr(old_rel),
											   index,
											   maintenance_work_mem,
											   NULL, TUPLESORT_NONE);

	slot = table_slot_create(old_rel, NULL);
	if (index != NULL && !use_sort)
		rewrite_in_index_order(&rewrite, index, slot);
	else
		rewrite_in_row_order(&rewrite, slot);
	ExecDropSingleTupleTableSlot(slot);

	if (use_sort)
		rewrite_sorted(&rewrite);
	rewrite_finish(&rewrite);

	*num_tuples = rewrite.ntuples;
	*tups_vacuumed = rewrite.ndead;
	*tups_recently_dead = 0;
}
