/*
 * verify.c
 *		columnar_verify(): walks and decodes everything in a table's file.
 *
 * In the manner of amcheck: a row per finding, none if the table is sound.  It
 * takes no lock that anybody waits for, and must not report what a session at
 * work leaves for a moment.  Three things make that sure:
 *
 * - The query's snapshot keeps retired blocks from being reused (I6 in
 *   src/storage/README), so a copy of a group header may be followed without
 *   locks, whatever the mover does meanwhile.
 * - The free list is read before the walk.  What is referenced in between is
 *   on that list; so a block that is in neither has been leaked, unless the
 *   mover or VACUUM was at work, which the walk excludes by a lock of theirs,
 *   taken if nobody has it.  Without the lock, leaks are not looked for.
 * - A block that is both free and referenced is looked up in the free list a
 *   second time.
 *
 * Checks run in subtransactions, which catch errors about damaged data and
 * release what was locked and pinned then.
 */
#include "postgres.h"

#include "compat.h"

#include "access/multixact.h"
#include "access/table.h"
#include "access/table_am.h"
#include "access/transam.h"
#include "access/verify.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/block_references.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"
#include "storage/procarray.h"
#include "storage/visibility.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(columnar_verify);

#define block_test(bitmap, blkno) \
	(((bitmap)[(blkno) / 64] >> ((blkno) % 64)) & 1)
#define block_set(bitmap, blkno) \
	((bitmap)[(blkno) / 64] |= UINT64CONST(1) << ((blkno) % 64))

/* ---- findings ---- */

static void
report_text(VerifyState *state, BlockNumber blkno, const char *message)
{
	Datum		values[2];
	bool		isnull[2] = {false, false};

	values[0] = Int64GetDatum((int64) blkno);
	isnull[0] = (blkno == InvalidBlockNumber);
	values[1] = CStringGetTextDatum(message);
	tuplestore_putvalues(state->store, state->store_desc, values, isnull);
}

void
verify_report(VerifyState *state, BlockNumber blkno, const char *format,...)
{
	StringInfoData message;
	int			needed;

	initStringInfo(&message);
	for (;;)
	{
		va_list		args;

		va_start(args, format);
		needed = appendStringInfoVA(&message, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&message, needed);
	}
	report_text(state, blkno, message.data);
	pfree(message.data);
}

/* Is an error about damaged data, and so a finding? */
static bool
error_is_finding(const ErrorData *error)
{
	return error->sqlerrcode == ERRCODE_DATA_CORRUPTED ||
		error->sqlerrcode == ERRCODE_INDEX_CORRUPTED ||
		error->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED;
}

bool
verify_guard(VerifyState *state, VerifyCheck check, void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool sound = true;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		check(state, argument);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		/* Whoever catches it must not find himself in our subtransaction. */
		if (!error_is_finding(error))
			ReThrowError(error);

		if (error->detail)
			verify_report(state, state->blkno, "%s: %s",
						  error->message, error->detail);
		else
			report_text(state, state->blkno, error->message);
		FreeErrorData(error);
		sound = false;
	}
	PG_END_TRY();

	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return sound;
}

/* ---- blocks ---- */

void
verify_reference(void *argument, BlockNumber start, BlockNumber nblocks,
				 const char *what)
{
	VerifyState *state = argument;

	for (BlockNumber i = 0; i < nblocks; i++)
	{
		BlockNumber blkno = start + i;

		/* what the table has got since the start is left alone */
		if (blkno >= state->nblocks)
		{
			if (blkno >= RelationGetNumberOfBlocks(state->rel))
			{
				verify_report(state, start,
							  "a %s refers to block %u, which is behind the end of the file",
							  what, blkno);
				return;
			}
			continue;
		}
		if (block_test(state->used, blkno))
			verify_report(state, blkno, "block is used twice, at last as %s",
						  what);
		block_set(state->used, blkno);
	}
}

static int
extent_compare(const void *a, const void *b)
{
	const FreeExtent *x = a;
	const FreeExtent *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

typedef struct FreeList
{
	FreeExtent *extents;		/* sorted */
	int			n;
} FreeList;

/*
 * Read the free list together with the length of the file.
 */
static void
read_free_list(VerifyState *state, void *argument)
{
	Relation	rel = state->rel;
	FreeList   *list = argument;
	MetapageData meta;

	LockRelationForExtension(rel, ExclusiveLock);
	state->nblocks = RelationGetNumberOfBlocks(rel);
	if (metapage_copy(rel, &meta))
		list->n = free_space_list(rel, &list->extents);
	UnlockRelationForExtension(rel, ExclusiveLock);

	if (list->n > 0)
		qsort(list->extents, list->n, sizeof(FreeExtent), extent_compare);
}

/*
 * Check the free list by itself and note its blocks.
 */
static void
verify_free_list(VerifyState *state, const FreeExtent *extents, int nextents)
{
	uint64		limit = 0;

	for (int i = 0; i < nextents; i++)
	{
		const FreeExtent *extent = &extents[i];
		uint64		end = (uint64) extent->start + extent->nblocks;

		if (extent->state < EXTENT_FREE || extent->state > EXTENT_TOAST_LIST ||
			extent->nblocks == 0 || extent->start == 0 || end > state->nblocks)
		{
			verify_report(state, extent->start,
						  "free-space entry of %u blocks in state %u is invalid",
						  extent->nblocks, extent->state);
			continue;
		}
		if (extent->start < limit)
			verify_report(state, extent->start,
						  "free-space entry of %u blocks overlaps the one before",
						  extent->nblocks);
		limit = Max(limit, end);
		for (uint64 blkno = extent->start; blkno < end; blkno++)
			block_set(state->listed, blkno);
	}
}

/*
 * Blocks that were free before the walk, and still are, must not have been met
 * in it.
 */
static void
verify_free_unused(VerifyState *state, const FreeExtent *before, int nbefore)
{
	FreeExtent *after = NULL;
	int			nafter = -1;

	for (int i = 0; i < nbefore; i++)
	{
		const FreeExtent *extent = &before[i];
		FreeExtent *same;

		if (extent->state == EXTENT_ANNOUNCED)
			continue;
		for (uint64 blkno = extent->start;
			 blkno < (uint64) extent->start + extent->nblocks; blkno++)
		{
			if (blkno >= state->nblocks || !block_test(state->used, blkno))
				continue;
			if (nafter < 0)
				nafter = free_space_list(state->rel, &after);
			for (same = after; same < after + nafter; same++)
			{
				if (same->state == extent->state &&
					FullTransactionIdEquals(same->xid, extent->xid) &&
					blkno >= same->start &&
					blkno - same->start < same->nblocks)
				{
					verify_report(state, blkno, "block is both free and used");
					break;
				}
			}
		}
	}
}

static void
verify_leaks(VerifyState *state)
{
	BlockNumber first = InvalidBlockNumber;

	for (BlockNumber blkno = 0; blkno <= state->nblocks; blkno++)
	{
		bool		leaked = blkno < state->nblocks &&
		!block_test(state->used, blkno) && !block_test(state->listed, blkno);

		if (leaked && first == InvalidBlockNumber)
			first = blkno;
		if (!leaked && first != InvalidBlockNumber)
		{
			verify_report(state, first, "%u blocks are neither used nor free",
						  blkno - first);
			first = InvalidBlockNumber;
		}
	}
}

/*
 * Bits of groups that do not exist would speak for rows to come.  Called while
 * no VACUUM can set bits.
 */
static void
verify_stray_bits(VerifyState *state)
{
	BlockNumber nvisible = visibility_count(state->rel);

	if (nvisible > state->nvisible)
		verify_report(state, InvalidBlockNumber,
					  "%u TID blocks without rows are marked all-visible",
					  nvisible - state->nvisible);
}

/* ---- the table ---- */

/* Check a transaction id, called name, of what. */
static void
verify_xid(VerifyState *state, BlockNumber blkno, TransactionId xid,
		   const char *name, const char *what)
{
	TransactionId next = XidFromFullTransactionId(state->next_xid);

	if (!TransactionIdIsNormal(xid))
	{
		if (xid != FrozenTransactionId && xid != BootstrapTransactionId)
			verify_report(state, blkno, "%s %u of %s is invalid",
						  name, xid, what);
		return;
	}
	if (TransactionIdIsNormal(state->relfrozenxid) &&
		TransactionIdPrecedes(xid, state->relfrozenxid))
		verify_report(state, blkno,
					  "%s %u of %s precedes the table's relfrozenxid %u",
					  name, xid, what, state->relfrozenxid);
	if (TransactionIdFollowsOrEquals(xid, next))
	{
		/* it may have been given out since */
		state->next_xid = ReadNextFullTransactionId();
		next = XidFromFullTransactionId(state->next_xid);
		if (TransactionIdFollowsOrEquals(xid, next))
			verify_report(state, blkno, "%s %u of %s is in the future",
						  name, xid, what);
	}
}

void
verify_xmin(VerifyState *state, BlockNumber blkno, HeapTupleHeader tuple,
			const char *what)
{
	if (!HeapTupleHeaderXminFrozen(tuple) && !HeapTupleHeaderXminInvalid(tuple))
		verify_xid(state, blkno, HeapTupleHeaderGetRawXmin(tuple), "xmin", what);
}

/* As verify_xid, of a MultiXact. */
static void
verify_multixact(VerifyState *state, BlockNumber blkno, MultiXactId multi,
				 const char *what)
{
	MultiXactId oldest = state->rel->rd_rel->relminmxid;

	if (MultiXactIdIsValid(oldest) && MultiXactIdPrecedes(multi, oldest))
		verify_report(state, blkno,
					  "MultiXact %u of %s precedes the table's relminmxid %u",
					  multi, what, oldest);
	if (!MultiXactIdPrecedes(multi, ReadNextMultiXactId()))
		verify_report(state, blkno, "MultiXact %u of %s is in the future",
					  multi, what);
}

void
verify_xmax(VerifyState *state, BlockNumber blkno, HeapTupleHeader tuple,
			const char *what)
{
	TransactionId xmax = HeapTupleHeaderGetRawXmax(tuple);

	if (tuple->t_infomask & HEAP_XMAX_INVALID)
		return;
	if (tuple->t_infomask & HEAP_XMAX_IS_MULTI)
		verify_multixact(state, blkno, xmax, what);
	else if (TransactionIdIsValid(xmax))
		verify_xid(state, blkno, xmax, "xmax", what);
}

bool
verify_aborted(HeapTupleHeader tuple)
{
	TransactionId xmin = HeapTupleHeaderGetRawXmin(tuple);

	if (HeapTupleHeaderXminCommitted(tuple))
		return false;
	if (HeapTupleHeaderXminInvalid(tuple))
		return true;

	/* the order matters, see heapam_visibility.c */
	return TransactionIdIsNormal(xmin) &&
		!TransactionIdIsInProgress(xmin) && !TransactionIdDidCommit(xmin);
}

static void
verify_table_references(VerifyState *state, void *argument)
{
	block_references_table(state->rel, verify_reference, state);
}

static void
verify_group_references(VerifyState *state, void *argument)
{
	block_references_group(state->rel, state->header_block, &state->header,
						   verify_reference, state);
}

static void
verify_metapage(VerifyState *state, void *argument)
{
	MetapageData *meta = argument;

	if (!metapage_copy(state->rel, meta))
		meta->next_group = 0;
	if (meta->row_group != InvalidGroup && meta->next_group > 0 &&
		meta->row_group >= meta->next_group)
		verify_report(state, 0, "the row group %u does not exist",
					  meta->row_group);
	for (int i = 0; i < meta->navailable && meta->next_group > 0; i++)
		if (meta->available[i] >= meta->next_group)
			verify_report(state, 0, "the available group %u does not exist",
						  meta->available[i]);
}

/* Copy directory entry and header of a group, both at one moment. */
static void
copy_group(VerifyState *state, void *argument)
{
	int			index;
	Buffer		directory = directory_read(state->rel, NULL, state->group,
										   BUFFER_LOCK_SHARE, &index);
	Buffer		buffer;

	state->blkno = BufferGetBlockNumber(directory);
	state->entry = directory_page(BufferGetPage(directory))->entries[index];
	state->header_block = state->entry.header;
	if (state->entry.header != 0)
	{
		state->blkno = state->entry.header;
		buffer = page_read(state->rel, state->entry.header, PAGE_GROUP,
						   BUFFER_LOCK_SHARE);
		group_check(state->rel, state->entry.header, group_header(buffer),
					state->group);
		memcpy(&state->header, group_header(buffer), sizeof(GroupHeaderData));
		UnlockReleaseBuffer(buffer);
	}
	UnlockReleaseBuffer(directory);
}

/*
 * Walk the groups.  Returns false if a group's references could not be read,
 * so that nothing can be said of blocks that nothing refers to.
 */
static bool
verify_groups(VerifyState *state)
{
	MetapageData meta;
	bool		complete;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar verify group",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context;

	state->blkno = 0;
	if (!verify_guard(state, verify_metapage, &meta))
		return false;
	complete = verify_guard(state, verify_table_references, NULL);

	for (uint32 group = 0; group < meta.next_group; group++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(context);
		old_context = MemoryContextSwitchTo(context);
		state->group = group;
		state->blkno = InvalidBlockNumber;
		if (!verify_guard(state, copy_group, NULL))
			complete = false;
		else if (state->entry.header != 0)
		{
			if (!verify_guard(state, verify_group_references, NULL))
				complete = false;
			verify_group(state, group);
		}
		MemoryContextSwitchTo(old_context);
	}
	MemoryContextDelete(context);
	return complete;
}

static void
verify_relation(VerifyState *state)
{
	Relation	rel = state->rel;
	FreeList	list = {NULL, 0};
	bool		locked = false;
	bool		complete;
	Size		nwords;

	/* VACUUM and the mover unlink blocks before they list them */
	if (!RecoveryInProgress())
		locked = ConditionalLockRelation(rel, ShareUpdateExclusiveLock);

	state->blkno = 0;
	complete = verify_guard(state, read_free_list, &list);
	nwords = state->nblocks / 64 + 1;
	state->used = MemoryContextAllocExtended(CurrentMemoryContext,
											 nwords * sizeof(uint64),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	state->listed = MemoryContextAllocExtended(CurrentMemoryContext,
											   nwords * sizeof(uint64),
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	state->deleted = palloc(GROUP_ROWS / 8);

	verify_free_list(state, list.extents, list.n);
	complete = verify_groups(state) && complete;
	verify_free_unused(state, list.extents, list.n);
	if (locked)
	{
		if (complete)
		{
			verify_leaks(state);
			verify_stray_bits(state);
		}
		UnlockRelation(rel, ShareUpdateExclusiveLock);
	}
}

/* ---- the function ---- */

/*
 * Open the table for checking.
 */
static Relation
open_table(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);

	if (!relation_is_columnar(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a columnar table",
						RelationGetRelationName(rel))));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));
	return rel;
}

/*
 * columnar_verify(regclass): a row (block, message) per finding.
 */
Datum
columnar_verify(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	VerifyState *state = palloc0(sizeof(VerifyState));

	InitMaterializedSRF(fcinfo, 0);
	state->rel = open_table(PG_GETARG_OID(0));
	state->snapshot = GetActiveSnapshot();
	state->strategy = GetAccessStrategy(BAS_BULKREAD);
	state->store = result->setResult;
	state->store_desc = result->setDesc;
	state->blkno = InvalidBlockNumber;
	state->relfrozenxid = state->rel->rd_rel->relfrozenxid;
	state->next_xid = ReadNextFullTransactionId();

	verify_relation(state);

	table_close(state->rel, AccessShareLock);
	return (Datum) 0;
}
