/*
 * row_form.c
 *		Rows as heap tuples on row pages.
 *
 * A row page is an ordinary heap page whose line pointer i has the i-th row
 * number of the page's run.  Rows get there with the server's own insert and
 * multi-insert records, so redo and logical decoding need nothing of ours.
 *
 * Invariants:
 *
 * (W1) A session writes to a row page that it found in this transaction only,
 * after its transaction got an xid and while it holds a lock on the relation.
 * A page that the mover retires is reused only once its stamp is behind every
 * running xid, or by VACUUM under an AccessExclusiveLock, so it cannot turn
 * into something else under an inserter.
 * (W2) The mover closes a row page by setting PD_PAGE_FULL under the page's
 * exclusive lock; inserters look at the flag under that lock, and no insert
 * sets or clears it.
 * (W3) Line pointers of a row page are used in order and never twice: nothing
 * prunes these pages.
 * (W4) On the page t_ctid is the tuple's physical place, as redo makes it; the
 * logical TID exists in t_self only.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/heaptoast.h"
#include "access/hio.h"
#include "access/parallel.h"
#include "access/row_form.h"
#include "access/upkeep.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "catalog/catalog.h"
#include "compat.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/free_space.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "storage/predicate.h"

/* ---- the page a session writes to ---- */

/*
 * Row pages that this backend may write to, one per relation, in a small
 * direct-mapped table: a relation that loses its entry finds the page again
 * through the metapage.
 */
typedef struct RowTarget
{
	Oid			relid;
	RelFileLocator locator;
	FullTransactionId xid;		/* top-level transaction that found it (W1) */
	RowFormPage page;
} RowTarget;

#define ROW_TARGETS		1024

static RowTarget row_targets[ROW_TARGETS];

static inline RowTarget *
row_target(Relation rel)
{
	return &row_targets[RelationGetRelid(rel) % ROW_TARGETS];
}

static bool
row_target_is_valid(const RowTarget *target, Relation rel)
{
	return target->relid == RelationGetRelid(rel) &&
		FullTransactionIdEquals(target->xid, GetTopFullTransactionId()) &&
		memcmp(&target->locator, &rel->rd_locator,
			   sizeof(RelFileLocator)) == 0;
}

static void
row_target_set(RowTarget *target, Relation rel, uint32 group,
			   const RowMapEntry *entry)
{
	target->relid = RelationGetRelid(rel);
	target->locator = rel->rd_locator;
	target->xid = GetTopFullTransactionId();
	target->page.group = group;
	target->page.entry = *entry;
}

void
row_form_forget(Relation rel)
{
	row_target(rel)->relid = InvalidOid;
}

void
row_form_forget_all(void)
{
	for (int i = 0; i < ROW_TARGETS; i++)
		row_targets[i].relid = InvalidOid;
}

/*
 * Take over the page that some session opened last, if there is one.
 */
static bool
row_target_from_metapage(RowTarget *target, Relation rel)
{
	Buffer		buffer = metapage_read(rel, BUFFER_LOCK_SHARE);
	MetapageData *meta;
	RowMapEntry entry;
	RowNumber	first;

	if (!BufferIsValid(buffer))
		return false;
	meta = metapage_data(buffer);
	entry.blkno = meta->row_page;
	entry.nrows = (uint16) meta->row_page_rows;
	first = meta->row_page_first;
	UnlockReleaseBuffer(buffer);

	if (entry.blkno == InvalidBlockNumber || entry.blkno == 0)
		return false;
	if (entry.nrows < 1 || entry.nrows > TID_BLOCK_ROWS ||
		row_number_offset(first) + entry.nrows > GROUP_ROWS)
		page_report_corruption(rel, 0,
							   "The open row page has %u rows from offset %u.",
							   entry.nrows, row_number_offset(first));
	entry.first = (uint16) row_number_offset(first);
	row_target_set(target, rel, row_number_group(first), &entry);
	return true;
}

/* Room for tuples on a row page, the line pointer of one already taken off. */
static inline int
row_page_room(Page page)
{
	return (int) PageGetHeapFreeSpace(page);
}

/*
 * How many of the tuples, in order, go on the locked page: none if it is
 * closed, or full in bytes or numbers.
 */
static int
row_page_fit(Page page, int nrows, HeapTuple *tuples, int ntuples)
{
	int			room = row_page_room(page);
	int			numbers = nrows - PageGetMaxOffsetNumber(page);
	int			n;

	if (PageIsFull(page))
		return 0;
	for (n = 0; n < ntuples && n < numbers; n++)
	{
		int			length = MAXALIGN(tuples[n]->t_len);

		if (length > room)
			break;
		room -= length + sizeof(ItemIdData);
	}
	return n;
}

/*
 * Lock a row page, initialising it if nobody has written to it yet.  If not
 * wait, returns InvalidBuffer when somebody else has it locked.
 */
static Buffer
row_page_lock(Relation rel, BlockNumber blkno, bool wait)
{
	Buffer		buffer = block_read(rel, blkno, NULL);
	Page		page = BufferGetPage(buffer);

	if (wait)
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	else if (!ConditionalLockBuffer(buffer))
	{
		ReleaseBuffer(buffer);
		return InvalidBuffer;
	}

	/* A crash between listing the page and its first tuple leaves zeroes. */
	if (PageIsNew(page))
		PageInit(page, BLCKSZ, 0);
	else if (PageGetSpecialSize(page) != 0)
		page_report_corruption(rel, blkno, "The block is not a row page.");
	return buffer;
}

/*
 * Row numbers to reserve with a new page: as many rows as it can be expected
 * to take.  The given tuples are what is known for certain; behind them rows
 * are as wide as those of the page before (mean, 0 if unknown) or as them.
 * Numbers that remain unused are lost, and so is room without numbers.
 */
static int
row_page_expected_rows(HeapTuple *tuples, int ntuples, int mean)
{
	int			room = BLCKSZ - SizeOfPageHeaderData;
	int			used = 0;
	int			n;

	for (n = 0; n < ntuples && n < TID_BLOCK_ROWS; n++)
	{
		int			length = MAXALIGN(tuples[n]->t_len) + sizeof(ItemIdData);

		if (used + length > room)
			return n;
		used += length;
	}
	if (mean == 0)
		mean = used / n;
	n += (room - used + mean / 2) / mean;
	return Min(n, TID_BLOCK_ROWS);
}

/* Mean bytes of a tuple on a page, its line pointer included; 0 if empty. */
static int
row_page_mean(Page page)
{
	int			ntuples = PageGetMaxOffsetNumber(page);

	if (ntuples == 0)
		return 0;
	return (BLCKSZ - ((PageHeader) page)->pd_upper) / ntuples +
		sizeof(ItemIdData);
}

/* Do the tuples fill a quarter of a page? */
static bool
tuples_are_many(HeapTuple *tuples, int ntuples)
{
	Size		length = 0;

	for (int i = 0; i < ntuples && length < BLCKSZ / 4; i++)
		length += tuples[i]->t_len;
	return length >= BLCKSZ / 4;
}

/*
 * Lock the target's page if it takes at least the first of the tuples; *fit
 * says how many.  Else InvalidBuffer, with *mean set if that has become known.
 */
static Buffer
row_target_lock(Relation rel, const RowTarget *target, HeapTuple *tuples,
				int ntuples, bool wait, int *fit, int *mean)
{
	Buffer		buffer = row_page_lock(rel, target->page.entry.blkno, wait);
	Page		page;

	if (!BufferIsValid(buffer))
		return InvalidBuffer;
	page = BufferGetPage(buffer);
	*fit = row_page_fit(page, target->page.entry.nrows, tuples, ntuples);
	if (*fit > 0)
		return buffer;
	*mean = row_page_mean(page);
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}

/*
 * Make a new page the target.  If share, sessions whose page is full at the
 * same time open one page together: the first opens it while the others wait
 * for the metapage's heavyweight lock and then find it.
 */
static void
row_target_open(Relation rel, RowTarget *target, HeapTuple *tuples,
				int ntuples, bool share, int mean)
{
	BlockNumber full = target->page.entry.blkno;
	RowMapEntry entry;
	uint32		group;

	if (share)
	{
		LockPage(rel, 0, ExclusiveLock);
		if (row_target_from_metapage(target, rel) &&
			target->page.entry.blkno != full)
		{
			UnlockPage(rel, 0, ExclusiveLock);
			return;
		}
	}
	group_open_row_page(rel, row_page_expected_rows(tuples, ntuples, mean),
						&group, &entry);
	row_target_set(target, rel, group, &entry);
	upkeep_note_row_page(rel, group, entry.first);
	if (share)
		UnlockPage(rel, 0, ExclusiveLock);
}

/*
 * A locked row page that takes at least the first of the tuples; *fit says how
 * many.  First the page this transaction wrote to last, then the one that the
 * table got last, then a new one.
 *
 * If somebody is busy with the table's page, a few rows wait: it takes a
 * microsecond, while a page of their own would soon be left behind with most
 * of its room.  Many rows get their own.
 */
static Buffer
row_page_get(Relation rel, HeapTuple *tuples, int ntuples, int *fit)
{
	RowTarget  *target = row_target(rel);
	bool		own = row_target_is_valid(target, rel);
	bool		few = !tuples_are_many(tuples, ntuples);
	int			mean = 0;
	Buffer		buffer = InvalidBuffer;

	if (own || row_target_from_metapage(target, rel))
		buffer = row_target_lock(rel, target, tuples, ntuples, own || few,
								 fit, &mean);
	else
		target->page.entry.blkno = InvalidBlockNumber;

	while (!BufferIsValid(buffer))
	{
		CHECK_FOR_INTERRUPTS();
		row_target_open(rel, target, tuples, ntuples, few, mean);

		/* It may be full already: others find it through the metapage. */
		buffer = row_target_lock(rel, target, tuples, ntuples, true, fit,
								 &mean);
	}
	return buffer;
}

Buffer
row_form_lock_page(Relation rel, HeapTuple tuple, RowFormPage *page)
{
	int			fit;
	Buffer		buffer;

	/* the page has to be one that was found with an xid (W1) */
	(void) GetCurrentTransactionId();
	buffer = row_page_get(rel, &tuple, 1, &fit);
	*page = row_target(rel)->page;
	return buffer;
}

bool
row_form_page_takes(Buffer buffer, const RowFormPage *page, HeapTuple tuple)
{
	return row_page_fit(BufferGetPage(buffer), page->entry.nrows, &tuple, 1) == 1;
}

RowNumber
row_form_next_row(Buffer buffer, const RowFormPage *page)
{
	return row_number(page->group, page->entry.first +
					  PageGetMaxOffsetNumber(BufferGetPage(buffer)));
}

/* ---- tuples ---- */

void
row_form_stamp(Relation rel, HeapTuple tuple, TransactionId xid,
			   CommandId cid, int options)
{
	HeapTupleHeader header = tuple->t_data;

	header->t_infomask &= ~HEAP_XACT_MASK;
	header->t_infomask2 &= ~HEAP2_XACT_MASK;
	header->t_infomask |= HEAP_XMAX_INVALID;
	HeapTupleHeaderSetXmin(header, xid);
	if (options & HEAP_INSERT_FROZEN)
		HeapTupleHeaderSetXminFrozen(header);
	HeapTupleHeaderSetCmin(header, cid);
	HeapTupleHeaderSetXmax(header, InvalidTransactionId);
	tuple->t_tableOid = RelationGetRelid(rel);
}

HeapTuple
row_form_toast(Relation rel, HeapTuple tuple, HeapTuple old, int options)
{
	if (HeapTupleHasExternal(tuple) || tuple->t_len > TOAST_TUPLE_THRESHOLD ||
		(old != NULL && HeapTupleHasExternal(old)))
		tuple = heap_toast_insert_or_update(rel, tuple, old, options);

	if (MAXALIGN(tuple->t_len) > MaxHeapTupleSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("row is too big: size %zu, maximum size %zu",
						(Size) MAXALIGN(tuple->t_len), MaxHeapTupleSize)));
	return tuple;
}

bool
row_form_fits(HeapTuple tuple)
{
	return tuple->t_len <= TOAST_TUPLE_THRESHOLD;
}

/* ---- logging ---- */

/* Flags of an insert record of a page, by what decoding and redo need. */
static uint8
insert_record_flags(Relation rel, int options, bool init, int *buffer_flags,
					uint8 *info)
{
	uint8		flags = 0;

	*buffer_flags = REGBUF_STANDARD;
	if (init)
	{
		*info |= XLOG_HEAP_INIT_PAGE;
		*buffer_flags |= REGBUF_WILL_INIT;
	}
	if (RelationIsLogicallyLogged(rel) && !(options & HEAP_INSERT_NO_LOGICAL))
	{
		flags |= XLH_INSERT_CONTAINS_NEW_TUPLE;
		*buffer_flags |= REGBUF_KEEP_DATA;
	}
	return flags;
}

/*
 * Log one tuple, at offset of the page, as heap does.
 */
static void
log_insert(Relation rel, Buffer buffer, HeapTuple tuple, OffsetNumber offset,
		   int options)
{
	HeapTupleHeader header = tuple->t_data;
	uint8		info = XLOG_HEAP_INSERT;
	xl_heap_insert record;
	xl_heap_header tuple_header;
	int			buffer_flags;
	XLogRecPtr	lsn;

	record.offnum = offset;
	record.flags = insert_record_flags(rel, options,
									   offset == FirstOffsetNumber,
									   &buffer_flags, &info);
	if (options & HEAP_INSERT_SPECULATIVE)
		record.flags |= XLH_INSERT_IS_SPECULATIVE;

	tuple_header.t_infomask2 = header->t_infomask2;
	tuple_header.t_infomask = header->t_infomask;
	tuple_header.t_hoff = header->t_hoff;

	XLogBeginInsert();
	XLogRegisterData((char *) &record, SizeOfHeapInsert);
	XLogRegisterBuffer(0, buffer, buffer_flags);
	XLogRegisterBufData(0, (char *) &tuple_header, SizeOfHeapHeader);
	XLogRegisterBufData(0, (char *) header + SizeofHeapTupleHeader,
						tuple->t_len - SizeofHeapTupleHeader);
	XLogSetRecordFlags(XLOG_INCLUDE_ORIGIN);
	lsn = XLogInsert(RM_HEAP_ID, info);
	PageSetLSN(BufferGetPage(buffer), lsn);
}

/*
 * Log several tuples, the first at offset first, as heap does.  last: no other
 * record of this command's tuples follows.
 */
static void
log_multi_insert(Relation rel, Buffer buffer, HeapTuple *tuples, int ntuples,
				 OffsetNumber first, bool last, int options)
{
	PGAlignedBlock scratch;
	xl_heap_multi_insert *record = (xl_heap_multi_insert *) scratch.data;
	bool		init = (first == FirstOffsetNumber);
	uint8		info = XLOG_HEAP2_MULTI_INSERT;
	char	   *data = scratch.data + SizeOfHeapMultiInsert;
	char	   *next;
	int			buffer_flags;
	XLogRecPtr	lsn;

	record->flags = insert_record_flags(rel, options, init, &buffer_flags,
										&info);
	if (last)
		record->flags |= XLH_INSERT_LAST_IN_MULTI;
	record->ntuples = ntuples;

	/* Redo of a page from its beginning counts offsets itself. */
	if (!init)
	{
		for (int i = 0; i < ntuples; i++)
			record->offsets[i] = first + i;
		data += ntuples * sizeof(OffsetNumber);
	}

	next = data;
	for (int i = 0; i < ntuples; i++)
	{
		HeapTupleHeader header = tuples[i]->t_data;
		int			length = tuples[i]->t_len - SizeofHeapTupleHeader;
		xl_multi_insert_tuple *entry;

		entry = (xl_multi_insert_tuple *) SHORTALIGN(next);
		entry->datalen = length;
		entry->t_infomask2 = header->t_infomask2;
		entry->t_infomask = header->t_infomask;
		entry->t_hoff = header->t_hoff;
		next = (char *) entry + SizeOfMultiInsertTuple;
		memcpy(next, (char *) header + SizeofHeapTupleHeader, length);
		next += length;
	}
	Assert(next - scratch.data < BLCKSZ);

	XLogBeginInsert();
	XLogRegisterData((char *) record, data - scratch.data);
	XLogRegisterBuffer(0, buffer, buffer_flags);
	XLogRegisterBufData(0, data, next - data);
	XLogSetRecordFlags(XLOG_INCLUDE_ORIGIN);
	lsn = XLogInsert(RM_HEAP2_ID, info);
	PageSetLSN(BufferGetPage(buffer), lsn);
}

/* ---- inserting ---- */

/*
 * Put tuples that fit on a locked row page and log them; sets their t_self to
 * logical TIDs.
 */
static void
row_page_insert(Relation rel, Buffer buffer, const RowTarget *target,
				HeapTuple *tuples, int ntuples, bool last, int options)
{
	Page		page = BufferGetPage(buffer);
	OffsetNumber first = PageGetMaxOffsetNumber(page) + 1;
	bool		speculative = (options & HEAP_INSERT_SPECULATIVE) != 0;

	Assert(ntuples >= 1);
	Assert(!speculative || ntuples == 1);

	START_CRIT_SECTION();

	for (int i = 0; i < ntuples; i++)
	{
		RelationPutHeapTuple(rel, buffer, tuples[i], speculative);
		Assert(ItemPointerGetOffsetNumber(&tuples[i]->t_self) == first + i);
	}
	MarkBufferDirty(buffer);
	if (RelationNeedsWAL(rel))
	{
		/*
		 * Decoding forgets the command's TOAST values at an insert record, so
		 * that must not come before others of its tuples.
		 */
		if (ntuples == 1 && last)
			log_insert(rel, buffer, tuples[0], first, options);
		else
			log_multi_insert(rel, buffer, tuples, ntuples, first, last,
							 options);
	}

	END_CRIT_SECTION();

	for (int i = 0; i < ntuples; i++)
		row_number_to_tid(row_number(target->page.group,
									 target->page.entry.first + first - 1 + i),
						  &tuples[i]->t_self);
}

void
row_form_insert(Relation rel, HeapTuple *tuples, int ntuples, CommandId cid,
				int options)
{
	TransactionId xid = GetCurrentTransactionId();
	HeapTuple	one;
	HeapTuple  *stored = (ntuples == 1) ? &one :
		palloc(ntuples * sizeof(HeapTuple));
	int			done = 0;

	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot insert tuples in a parallel worker")));

	for (int i = 0; i < ntuples; i++)
	{
		row_form_stamp(rel, tuples[i], xid, cid, options);
		stored[i] = row_form_toast(rel, tuples[i], NULL, options);
	}

	/*
	 * As in heap: new rows conflict with locks on the whole table only.  The
	 * check before saves work that would be rolled back; the one behind finds
	 * readers that locked the table meanwhile.
	 */
	CheckForSerializableConflictIn(rel, NULL, InvalidBlockNumber);

	while (done < ntuples)
	{
		int			fit;
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		buffer = row_page_get(rel, stored + done, ntuples - done, &fit);
		row_page_insert(rel, buffer, row_target(rel), stored + done, fit,
						done + fit == ntuples, options);
		UnlockReleaseBuffer(buffer);
		done += fit;
	}

	CheckForSerializableConflictIn(rel, NULL, InvalidBlockNumber);

	for (int i = 0; i < ntuples; i++)
	{
		if (stored[i] == tuples[i])
			continue;
		tuples[i]->t_self = stored[i]->t_self;
		heap_freetuple(stored[i]);
	}
	if (stored != &one)
		pfree(stored);
	pgstat_count_heap_insert(rel, ntuples);
}

/* ---- segments of rows that have their numbers ---- */

/*
 * Deal the tuples out to pages: fills entries (one per page at most needed,
 * blocks counted from 0) and returns their number.
 */
static int
segment_plan_pages(const SegmentData *segment, HeapTuple *tuples, int ntuples,
				   RowMapEntry *entries)
{
	int			npages = 0;
	int			room = 0;

	for (int i = 0; i < ntuples; i++)
	{
		int			length = MAXALIGN(tuples[i]->t_len) + sizeof(ItemIdData);

		if (npages == 0 || length > room ||
			entries[npages - 1].nrows == TID_BLOCK_ROWS)
		{
			entries[npages].first = (uint16) (segment_first(segment) + i);
			entries[npages].nrows = 0;
			entries[npages].blkno = npages;
			npages++;
			room = BLCKSZ - SizeOfPageHeaderData;
		}
		entries[npages - 1].nrows++;
		room -= length;
	}
	return npages;
}

/*
 * Fill and log one page of an extent that nobody refers to yet.  It must not
 * reach the disk before its record: the block may have been in use before, and
 * the records that freed it need not be there yet.
 *
 * The page is logged as an image: an insert record would give the rows to the
 * subtransaction that runs now, which need not be their writer.
 */
static void
segment_write_page(Relation rel, const RowMapEntry *entry, HeapTuple *tuples)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, entry->blkno,
											RBM_ZERO_AND_LOCK, NULL);

	START_CRIT_SECTION();
	PageInit(BufferGetPage(buffer), BLCKSZ, 0);
	for (int i = 0; i < entry->nrows; i++)
		RelationPutHeapTuple(rel, buffer, tuples[i], false);
	MarkBufferDirty(buffer);
	if (RelationNeedsWAL(rel))
		log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}

RowMapEntry *
row_form_write_pages(Relation rel, const SegmentData *segment,
					 HeapTuple *tuples, int ntuples, FullTransactionId owner,
					 int *npages)
{
	RowMapEntry *entries = palloc(ntuples * sizeof(RowMapEntry));
	BlockNumber start;
	int			done = 0;

	Assert(ntuples >= 1);

	*npages = segment_plan_pages(segment, tuples, ntuples, entries);
	start = free_space_allocate(rel, *npages, owner);
	for (int i = 0; i < *npages; i++)
	{
		CHECK_FOR_INTERRUPTS();
		entries[i].blkno += start;
		segment_write_page(rel, &entries[i], tuples + done);
		done += entries[i].nrows;
	}
	Assert(done == ntuples);
	return entries;
}
