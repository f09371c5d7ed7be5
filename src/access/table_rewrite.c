/*
 * table_rewrite.c
 *		The callback of VACUUM FULL and CLUSTER: all rows into a new file.
 *
 * Rows that are visible to everybody are written in column form with a frozen
 * xmin.  Rows that somebody may not see yet, or still sees (written, deleted or
 * locked by this transaction, or committed after the oldest snapshot was taken)
 * keep their headers, and go to row pages, where each row has one.  So do all
 * rows of a small table in row form, as when they were inserted.  The caller
 * holds the table exclusively and builds the indexes anew, so numbers need not
 * be announced row by row.
 *
 * Links between versions of a row are kept.  A row may be written before the
 * version that it links to, so links are written at the end, when all new
 * numbers are known.  Numbers are never used twice, so unlike heap's this needs
 * no look at the versions' xids.  A link to a version that is dead is dropped,
 * as by heap.
 *
 * Rows come in the order of an index, if there is one, or else of the table's
 * sort key, or as they were.  An index is sorted by as heap does it, with whole
 * heap tuples; by the sort key, rows are sorted as values, and those that keep
 * their headers have them in one attribute more.
 */
#include "postgres.h"

#include "access/columnar_slot.h"
#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/load_buffer.h"
#include "access/row_buffer.h"
#include "access/row_form.h"
#include "access/row_link.h"
#include "access/row_scan.h"
#include "access/table_am.h"
#include "access/table_options.h"
#include "access/tuple_check.h"
#include "access/xact.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_type_d.h"
#include "columnar.h"
#include "commands/progress.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/group.h"
#include "storage/metapage.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

/* What the scan of the old table says of a row that is not dead. */
#define ROW_SETTLED		1		/* visible to everybody */
#define ROW_KEPT		2		/* its header has to be kept */

/* Rows with headers that are written at a time. */
#define KEPT_ROWS		(8 * VECTOR_ROWS)
#define KEPT_BYTES		((Size) 4 * 1024 * 1024)

/* A row that may be linked to. */
typedef struct NewNumber
{
	RowNumber	old;			/* hash key */
	RowNumber	new;
} NewNumber;

/* A row of the new table that has to be linked to a newer version. */
typedef struct PendingLink
{
	BlockNumber blkno;			/* where it is */
	OffsetNumber offnum;
	RowNumber	target;			/* number of the version in the old table */
} PendingLink;

/* A row that keeps its header. */
typedef struct KeptRow
{
	RowNumber	old;			/* or InvalidRowNumber: nobody links to it */
	RowNumber	target;			/* link, in the old table, or invalid */
} KeptRow;

typedef struct Rewrite
{
	Relation	old_rel;
	Relation	new_rel;
	TransactionId oldest_xmin;
	TransactionId freeze_xid;
	MultiXactId freeze_multi;
	FullTransactionId xid;		/* owner of what is announced */
	bool		is_small;		/* every row goes to row form */
	Tuplesortstate *sort;		/* or NULL */
	TupleTableSlot *sort_slot;	/* of what is sorted by the sort key, or NULL */
	Datum	   *values;
	bool	   *isnull;
	double		ntuples;
	double		ndead;
	double		nrecently_dead;
	double		nwritten;

	/* Settled rows. */
	RowBuffer  *rows;			/* NULL: no segment is announced */
	uint32		group;
	bool		group_is_open;
	SegmentData segment;

	/* Rows with headers, of the new table and already toasted. */
	HeapTuple  *kept;
	KeptRow    *kept_rows;
	int			nkept;
	Size		kept_bytes;
	MemoryContext kept_context;

	HTAB	   *numbers;		/* of NewNumber, or NULL */
	PendingLink *links;
	Size		nlinks;
	Size		maxlinks;
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

	row_buffer_write(rewrite->rows, NULL, rewrite->new_rel, rewrite->xid,
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

/* ---- links ---- */

static void
add_new_number(Rewrite *rewrite, RowNumber old, RowNumber new)
{
	NewNumber  *entry;

	if (rewrite->numbers == NULL)
	{
		HASHCTL		control = {0};

		control.keysize = sizeof(RowNumber);
		control.entrysize = sizeof(NewNumber);
		control.hcxt = CurrentMemoryContext;
		rewrite->numbers = hash_create("columnar numbers of rewritten rows",
									   1024, &control,
									   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(rewrite->numbers, &old, HASH_ENTER, NULL);
	entry->new = new;
}

static void
add_link(Rewrite *rewrite, BlockNumber blkno, OffsetNumber offnum,
		 RowNumber target)
{
	PendingLink *link;

	if (rewrite->nlinks == rewrite->maxlinks)
	{
		rewrite->maxlinks = Max(rewrite->maxlinks * 2, 1024);
		if (rewrite->links == NULL)
			rewrite->links = palloc(rewrite->maxlinks * sizeof(PendingLink));
		else
			rewrite->links = repalloc_huge(rewrite->links,
										   rewrite->maxlinks * sizeof(PendingLink));
	}
	link = &rewrite->links[rewrite->nlinks++];
	link->blkno = blkno;
	link->offnum = offnum;
	link->target = target;
}

/* Write a link into the working copy of its row's page. */
static void
write_link(Rewrite *rewrite, Page page, const PendingLink *link)
{
	NewNumber  *target = NULL;
	HeapTupleHeader header;
	ItemPointerData tid;

	if (rewrite->numbers != NULL)
		target = hash_search(rewrite->numbers, &link->target, HASH_FIND, NULL);
	if (target == NULL)
		return;
	header = (HeapTupleHeader) PageGetItem(page,
										   PageGetItemId(page, link->offnum));
	row_number_to_tid(target->new, &tid);
	row_link_set(&header->t_ctid, &tid);
}

/*
 * Write all links, page by page; they come in the order in which the pages were
 * written.
 */
static void
write_links(Rewrite *rewrite)
{
	Size		i = 0;

	while (i < rewrite->nlinks)
	{
		BlockNumber blkno = rewrite->links[i].blkno;
		Buffer		buffer = block_read(rewrite->new_rel, blkno, NULL);
		GenericXLogState *state;
		Page		page;

		CHECK_FOR_INTERRUPTS();
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		state = GenericXLogStart(rewrite->new_rel);
		page = GenericXLogRegisterBuffer(state, buffer, 0);
		while (i < rewrite->nlinks && rewrite->links[i].blkno == blkno)
			write_link(rewrite, page, &rewrite->links[i++]);
		GenericXLogFinish(state);
		UnlockReleaseBuffer(buffer);
	}
}

/* ---- rows that keep their headers ---- */

/*
 * Note where rows have gone that are links or linked to: those of a segment,
 * from kept_rows on, on its pages.
 */
static void
note_places(Rewrite *rewrite, uint32 group, const RowMapEntry *pages,
			int npages, const KeptRow *kept_rows)
{
	for (int i = 0; i < npages; i++)
	{
		for (int j = 0; j < pages[i].nrows; j++)
		{
			const KeptRow *kept = kept_rows++;

			if (kept->old != InvalidRowNumber)
				add_new_number(rewrite, kept->old,
							   row_number(group, pages[i].first + j));
			if (kept->target != InvalidRowNumber)
				add_link(rewrite, pages[i].blkno, j + 1, kept->target);
		}
	}
}

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
		note_places(rewrite, group, pages, npages, rewrite->kept_rows + done);
		pfree(pages);
		done += segment.nslots;
	}
	rewrite->nkept = 0;
	rewrite->kept_bytes = 0;
	MemoryContextReset(rewrite->kept_context);
}

/*
 * Give a tuple the transaction fields of a header, as far as they are too young
 * to be frozen.  t_ctid is left to be the tuple itself.
 */
static void
copy_header(Rewrite *rewrite, HeapTuple tuple, HeapTupleHeader header)
{
	Form_pg_class form = rewrite->old_rel->rd_rel;

	tuple->t_data->t_choice.t_heap = header->t_choice.t_heap;
	tuple->t_data->t_infomask &= ~HEAP_XACT_MASK;
	tuple->t_data->t_infomask |= header->t_infomask & HEAP_XACT_MASK;
	tuple->t_data->t_infomask2 &= ~HEAP2_XACT_MASK;
	tuple->t_data->t_infomask2 |= header->t_infomask2 & HEAP2_XACT_MASK;
	heap_freeze_tuple(tuple->t_data, form->relfrozenxid, form->relminmxid,
					  rewrite->freeze_xid, rewrite->freeze_multi);
}

/*
 * Whom a row links to, and whether a link may lead to it: to whoever comes from
 * an update that somebody may not see yet.
 */
static void
kept_row_init(Rewrite *rewrite, KeptRow *kept, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	ItemPointerData tid;

	kept->old = InvalidRowNumber;
	if ((header->t_infomask & HEAP_UPDATED) &&
		!HeapTupleHeaderXminFrozen(header) &&
		!TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(header),
							   rewrite->oldest_xmin))
		kept->old = row_number_from_tid(&tuple->t_self);

	kept->target = InvalidRowNumber;
	if (!(header->t_infomask & HEAP_XMAX_INVALID) &&
		!HeapTupleHeaderIsOnlyLocked(header) &&
		item_pointer_is_row_link(&header->t_ctid))
	{
		row_link_get(&header->t_ctid, &tid);
		kept->target = row_number_from_tid(&tid);
	}
}

/*
 * Write rewrite->values as a row with the header of tuple.
 */
static void
write_kept(Rewrite *rewrite, HeapTuple tuple)
{
	MemoryContext old_context = MemoryContextSwitchTo(rewrite->kept_context);
	HeapTuple	kept;

	kept = heap_form_tuple(RelationGetDescr(rewrite->new_rel),
						   rewrite->values, rewrite->isnull);
	copy_header(rewrite, kept, tuple->t_data);
	kept->t_tableOid = RelationGetRelid(rewrite->new_rel);
	kept = row_form_toast(rewrite->new_rel, kept, NULL,
						  HEAP_INSERT_SKIP_FSM | HEAP_INSERT_NO_LOGICAL);
	MemoryContextSwitchTo(old_context);

	kept_row_init(rewrite, &rewrite->kept_rows[rewrite->nkept], tuple);
	rewrite->kept[rewrite->nkept++] = kept;
	rewrite->kept_bytes += kept->t_len;
	if (rewrite->nkept == KEPT_ROWS || rewrite->kept_bytes > KEPT_BYTES)
		flush_kept(rewrite);
}

/* ---- from the old table to the new one ---- */

/*
 * Take over a tuple of the old table as rewrite->values.
 */
static void
deform_tuple(Rewrite *rewrite, HeapTuple tuple)
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
}

static void
count_written(Rewrite *rewrite)
{
	pgstat_progress_update_param(PROGRESS_CLUSTER_HEAP_TUPLES_WRITTEN,
								 (int64) ++rewrite->nwritten);
}

/* Is a tuple not one with a frozen xmin and no xmax, or all of them are kept? */
static bool
keeps_header(const Rewrite *rewrite, HeapTuple tuple)
{
	return rewrite->is_small ||
		!HeapTupleHeaderXminFrozen(tuple->t_data) ||
		!(tuple->t_data->t_infomask & HEAP_XMAX_INVALID);
}

/*
 * Write rewrite->values, which come from that tuple of the old table.
 */
static void
write_tuple(Rewrite *rewrite, HeapTuple tuple)
{
	if (keeps_header(rewrite, tuple))
		write_kept(rewrite, tuple);
	else
		write_settled(rewrite);
	count_written(rewrite);
}

/*
 * The row at which the scan stands, with its own header; a settled one is marked
 * as frozen.
 */
static HeapTuple
copy_row(RowScan *scan, TupleTableSlot *slot)
{
	GroupScan  *groups = row_scan_groups(scan);
	HeapTupleHeader header = NULL;
	HeapTuple	tuple;

	row_scan_store(scan, slot);
	tuple = ExecCopySlotHeapTuple(slot);
	if (groups->segment->form == SEGMENT_COLUMNS)
		header = group_scan_row_header(groups,
									   row_number_offset(row_scan_row(scan)));
	ExecClearTuple(slot);

	/* of a row header the slot keeps less */
	if (header != NULL)
	{
		tuple->t_data->t_infomask2 |= header->t_infomask2 & HEAP2_XACT_MASK;
		tuple->t_data->t_ctid = header->t_ctid;
	}
	if (row_scan_status(scan) == ROW_SETTLED)
		tuple->t_data->t_infomask |= HEAP_XMIN_FROZEN | HEAP_XMAX_INVALID;
	return tuple;
}

/* ---- sorting by the sort key ---- */

/* Header and old TID of a row that keeps them: the last attribute. */
typedef struct SortedHeader
{
	ItemPointerData self;
	HeapTupleHeaderData header; /* without what follows it */
} SortedHeader;

/*
 * Begin a sort by the table's sort key, if it has one.
 */
static void
begin_key_sort(Rewrite *rewrite)
{
	TupleDesc	desc = RelationGetDescr(rewrite->old_rel);
	TupleDesc	sort_desc;
	TableOptions options;
	AttrNumber	attnums[SORT_KEY_MAX_COLUMNS];
	Oid			operators[SORT_KEY_MAX_COLUMNS];
	Oid			collations[SORT_KEY_MAX_COLUMNS];
	bool		nulls_first[SORT_KEY_MAX_COLUMNS];

	table_options_get(rewrite->old_rel, &options);
	if (options.sort_key_natts == 0)
		return;
	for (int i = 0; i < options.sort_key_natts; i++)
	{
		attnums[i] = options.sort_key[i].attno;
		operators[i] = options.sort_key[i].sort_operator;
		collations[i] = options.sort_key[i].collation;
		nulls_first[i] = options.sort_key[i].nulls_first;
	}

	sort_desc = CreateTemplateTupleDesc(desc->natts + 1);
	for (int i = 1; i <= desc->natts; i++)
		TupleDescCopyEntry(sort_desc, i, desc, i);
	TupleDescInitEntry(sort_desc, desc->natts + 1, "header", BYTEAOID, -1, 0);
	rewrite->sort_slot = MakeSingleTupleTableSlot(sort_desc, &TTSOpsVirtual);
	rewrite->sort = tuplesort_begin_heap(sort_desc, options.sort_key_natts,
										 attnums, operators, collations,
										 nulls_first, maintenance_work_mem,
										 NULL, TUPLESORT_NONE);
}

/*
 * Give rewrite->values to that sort; with the header of tuple, unless NULL.
 */
static void
sort_by_key(Rewrite *rewrite, HeapTuple tuple)
{
	TupleTableSlot *slot = rewrite->sort_slot;
	int			natts = RelationGetDescr(rewrite->old_rel)->natts;
	char		header[VARHDRSZ + sizeof(SortedHeader)];

	ExecClearTuple(slot);
	memcpy(slot->tts_values, rewrite->values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, rewrite->isnull, natts * sizeof(bool));
	slot->tts_isnull[natts] = (tuple == NULL);
	if (tuple != NULL)
	{
		SortedHeader kept = {0};

		memcpy(&kept.header, tuple->t_data, SizeofHeapTupleHeader);
		kept.self = tuple->t_self;
		SET_VARSIZE(header, sizeof(header));
		memcpy(header + VARHDRSZ, &kept, sizeof(kept));
		slot->tts_values[natts] = PointerGetDatum(header);
	}
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(rewrite->sort, slot);
	ExecClearTuple(slot);
}

/*
 * Write the row in a slot that the sort has returned.
 */
static void
write_sorted_row(Rewrite *rewrite, TupleTableSlot *slot)
{
	int			natts = RelationGetDescr(rewrite->old_rel)->natts;

	slot_getallattrs(slot);
	memcpy(rewrite->values, slot->tts_values, natts * sizeof(Datum));
	memcpy(rewrite->isnull, slot->tts_isnull, natts * sizeof(bool));
	if (slot->tts_isnull[natts])
		write_settled(rewrite);
	else
	{
		SortedHeader kept;
		HeapTupleData tuple;

		memcpy(&kept, VARDATA_ANY(DatumGetPointer(slot->tts_values[natts])),
			   sizeof(kept));
		tuple.t_self = kept.self;
		tuple.t_data = &kept.header;
		write_kept(rewrite, &tuple);
	}
	count_written(rewrite);
}

static void
write_rows_by_key(Rewrite *rewrite)
{
	TupleDesc	desc = rewrite->sort_slot->tts_tupleDescriptor;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);

	while (tuplesort_gettupleslot(rewrite->sort, true, false, slot, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		write_sorted_row(rewrite, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	ExecDropSingleTupleTableSlot(rewrite->sort_slot);
}

/* ---- the scan of the old table ---- */

/*
 * Take a tuple of the old table.
 */
static void
rewrite_tuple(Rewrite *rewrite, HeapTuple tuple)
{
	if (rewrite->sort && !rewrite->sort_slot)
	{
		tuplesort_putheaptuple(rewrite->sort, tuple);
		return;
	}
	deform_tuple(rewrite, tuple);
	if (!rewrite->sort)
		write_tuple(rewrite, tuple);
	else
		sort_by_key(rewrite, keeps_header(rewrite, tuple) ? tuple : NULL);
}

/*
 * Take the row at which the scan stands.
 */
static void
rewrite_row(Rewrite *rewrite, RowScan *scan, TupleTableSlot *slot)
{
	HeapTuple	tuple = copy_row(scan, slot);

	pgstat_progress_update_param(PROGRESS_CLUSTER_HEAP_TUPLES_SCANNED,
								 (int64) ++rewrite->ntuples);
	rewrite_tuple(rewrite, tuple);
	heap_freetuple(tuple);
}

/*
 * The table is locked exclusively, so whatever is in progress should be by this
 * transaction.
 */
static void
warn_of_change(const Rewrite *rewrite, const char *what, TransactionId xid)
{
	if (!TransactionIdIsCurrentTransactionId(xid))
		elog(WARNING, "concurrent %s in progress within table \"%s\"",
			 what, RelationGetRelationName(rewrite->old_rel));
}

/*
 * What becomes of a live row with that header.
 */
static uint8
header_status(const Rewrite *rewrite, HeapTupleHeader header)
{
	if ((header->t_infomask & HEAP_XMAX_INVALID) &&
		(HeapTupleHeaderXminFrozen(header) ||
		 TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(header),
							   rewrite->oldest_xmin)))
		return ROW_SETTLED;
	return ROW_KEPT;
}

static uint8
rewrite_test(GroupScan *scan, HeapTuple tuple, Buffer buffer,
			 TransactionId *wait)
{
	Rewrite    *rewrite = scan->test_argument;
	HeapTupleHeader header = tuple->t_data;

	switch (HeapTupleSatisfiesVacuum(tuple, rewrite->oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			rewrite->ndead++;
			return GROUP_SCAN_SKIP;
		case HEAPTUPLE_RECENTLY_DEAD:
			rewrite->nrecently_dead++;
			return ROW_KEPT;
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			warn_of_change(rewrite, "insert", HeapTupleHeaderGetXmin(header));
			return ROW_KEPT;
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			warn_of_change(rewrite, "delete",
						   HeapTupleHeaderGetUpdateXid(header));
			rewrite->nrecently_dead++;
			return ROW_KEPT;
		default:
			return header_status(rewrite, header);
	}
}

/*
 * A scan of the old table.  Nobody else changes it, so what it has found out
 * about a group stays right, as for an MVCC snapshot.
 */
static RowScan *
begin_scan(Rewrite *rewrite)
{
	RowScan    *scan = row_scan_create(rewrite->old_rel, GetActiveSnapshot(),
									   NULL);
	GroupScan  *groups = row_scan_groups(scan);

	groups->test = rewrite_test;
	groups->test_argument = rewrite;
	return scan;
}

static void
rewrite_in_row_order(Rewrite *rewrite, TupleTableSlot *slot)
{
	RowScan    *scan = begin_scan(rewrite);

	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_SEQ_SCAN_HEAP);
	while (row_scan_next(scan, true))
	{
		CHECK_FOR_INTERRUPTS();
		rewrite_row(rewrite, scan, slot);
	}
	row_scan_free(scan);
}

/*
 * In the order of an index that cannot be sorted by: the index says in which
 * order rows are to be read, one by one.
 */
static void
rewrite_in_index_order(Rewrite *rewrite, Relation index,
					   TupleTableSlot *slot)
{
	RowScan    *rows = begin_scan(rewrite);
	IndexScanDesc scan;
	ItemPointer tid;

	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_INDEX_SCAN_HEAP);
	pgstat_progress_update_param(PROGRESS_CLUSTER_INDEX_RELID,
								 RelationGetRelid(index));
	scan = index_beginscan(rewrite->old_rel, index, SnapshotAny, NULL, 0, 0);
	index_rescan(scan, NULL, 0, NULL, 0);
	while ((tid = index_getnext_tid(scan, ForwardScanDirection)) != NULL)
	{
		RowNumber	row = row_number_from_tid(tid);

		CHECK_FOR_INTERRUPTS();
		if (scan->xs_recheck)
			elog(ERROR, "CLUSTER does not support lossy index conditions");
		if (row == InvalidRowNumber)
			continue;
		row_scan_set_range(rows, row, row + 1);
		if (row_scan_next(rows, true))
			rewrite_row(rewrite, rows, slot);
	}
	index_endscan(scan);
	row_scan_free(rows);

	/* each look at a group has counted its rows again */
	rewrite->ndead = 0;
	rewrite->nrecently_dead = 0;
}

static void
write_rows_by_index(Rewrite *rewrite)
{
	HeapTuple	tuple;

	while ((tuple = tuplesort_getheaptuple(rewrite->sort, true)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		deform_tuple(rewrite, tuple);
		write_tuple(rewrite, tuple);
	}
}

static void
rewrite_sorted(Rewrite *rewrite)
{
	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_SORT_TUPLES);
	tuplesort_performsort(rewrite->sort);
	pgstat_progress_update_param(PROGRESS_CLUSTER_PHASE,
								 PROGRESS_CLUSTER_PHASE_WRITE_NEW_HEAP);
	if (rewrite->sort_slot)
		write_rows_by_key(rewrite);
	else
		write_rows_by_index(rewrite);
	tuplesort_end(rewrite->sort);
}

/* Has the table so few rows that they would go to row form if inserted? */
static bool
is_small(Relation rel)
{
	MetapageData meta;

	return relation_is_row_form(rel) && metapage_copy(rel, &meta) &&
		meta.nrows <= (uint64) columnar_row_form_rows;
}

static void
rewrite_init(Rewrite *rewrite, Relation old_rel, Relation new_rel,
			 TransactionId oldest_xmin, TransactionId freeze_xid,
			 MultiXactId freeze_multi)
{
	int			natts = RelationGetDescr(old_rel)->natts;

	memset(rewrite, 0, sizeof(Rewrite));
	rewrite->old_rel = old_rel;
	rewrite->new_rel = new_rel;
	rewrite->oldest_xmin = oldest_xmin;
	rewrite->freeze_xid = freeze_xid;
	rewrite->freeze_multi = freeze_multi;
	rewrite->xid = GetCurrentFullTransactionId();
	rewrite->is_small = is_small(old_rel);
	rewrite->values = palloc(natts * sizeof(Datum));
	rewrite->isnull = palloc(natts * sizeof(bool));
	rewrite->kept = palloc(KEPT_ROWS * sizeof(HeapTuple));
	rewrite->kept_rows = palloc(KEPT_ROWS * sizeof(KeptRow));
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
	write_links(rewrite);
	if (rewrite->links)
		pfree(rewrite->links);
	if (rewrite->numbers)
		hash_destroy(rewrite->numbers);
	MemoryContextDelete(rewrite->kept_context);
	pfree(rewrite->kept);
	pfree(rewrite->kept_rows);
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
	rewrite_init(&rewrite, old_rel, new_rel, oldest_xmin, *xid_cutoff,
				 *multi_cutoff);

	/* to fetch rows one by one is dearer here than the planner believes */
	if (index != NULL && index->rd_rel->relam == BTREE_AM_OID)
		use_sort = true;
	if (use_sort)
		rewrite.sort = tuplesort_begin_cluster(RelationGetDescr(old_rel),
											   index,
											   maintenance_work_mem,
											   NULL, TUPLESORT_NONE);
	else if (index == NULL)
		begin_key_sort(&rewrite);

	slot = table_slot_create(old_rel, NULL);
	if (index != NULL && !use_sort)
		rewrite_in_index_order(&rewrite, index, slot);
	else
		rewrite_in_row_order(&rewrite, slot);
	ExecDropSingleTupleTableSlot(slot);

	if (rewrite.sort)
		rewrite_sorted(&rewrite);
	rewrite_finish(&rewrite);

	*num_tuples = rewrite.ntuples;
	*tups_vacuumed = rewrite.ndead;
	*tups_recently_dead = rewrite.nrecently_dead;
}
