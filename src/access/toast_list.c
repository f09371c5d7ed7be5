/*
 * toast_list.c
 *		TOAST values of moved rows, until they are removed.
 *
 * States of a list's extent in free space, and what a crash there leaves:
 *
 *	announced by maintenance	not complete, rows not moved: blocks are freed
 *	EXTENT_TOAST_LIST, no xid	complete; the rows may be moved or not, which
 *								the group's header tells: remove, or drop it
 *	EXTENT_TOAST_LIST, xid		that transaction removes the values: committed,
 *								the list is free; else the same as above
 */
#include "postgres.h"

#include "compat.h"

#include "access/detoast.h"
#include "access/toast_internals.h"
#include "access/toast_list.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/free_space.h"
#include "storage/full_xid.h"
#include "storage/group.h"
#include "storage/lwlock.h"
#include "storage/proc.h"

void
toast_list_init(ToastList *list)
{
	list->first = 0;
	list->nvalues = 0;
	list->capacity = 64;
	list->values = palloc(list->capacity * sizeof(Oid));
	list->start = InvalidBlockNumber;
	list->nblocks = 0;
}

void
toast_list_add(ToastList *list, uint32 offset, struct varlena *pointer)
{
	struct varatt_external external;

	Assert(VARATT_IS_EXTERNAL_ONDISK(pointer));
	VARATT_EXTERNAL_GET_POINTER(external, pointer);
	if (list->nvalues == list->capacity)
	{
		list->capacity *= 2;
		list->values = repalloc_huge(list->values,
									 list->capacity * sizeof(Oid));
	}
	if (list->nvalues == 0)
		list->first = offset;
	list->values[list->nvalues++] = external.va_valueid;
}

/* ---- writing ---- */

static void
write_page(Relation rel, BlockNumber blkno, uint32 group, uint32 first,
		   const Oid *values, uint32 nvalues)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, NULL);
	Page		page = BufferGetPage(buffer);
	ToastListPageData *contents = page_contents(page);

	START_CRIT_SECTION();
	page_init(page, PAGE_TOAST_LIST, blkno,
			  offsetof(ToastListPageData, values) + nvalues * sizeof(Oid));
	contents->group = group;
	contents->first = first;
	contents->nvalues = nvalues;
	memcpy(contents->values, values, nvalues * sizeof(Oid));
	MarkBufferDirty(buffer);
	if (RelationNeedsWAL(rel))
		log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();

	UnlockReleaseBuffer(buffer);
}

void
toast_list_write(ToastList *list, Relation rel, uint32 group)
{
	if (list->nvalues == 0)
		return;

	list->nblocks = (list->nvalues + TOAST_LIST_PAGE_ENTRIES - 1) / TOAST_LIST_PAGE_ENTRIES;
	list->start = free_space_allocate(rel, list->nblocks, MaintenanceOwner);
	for (BlockNumber i = 0; i < list->nblocks; i++)
	{
		uint32		done = i * TOAST_LIST_PAGE_ENTRIES;

		CHECK_FOR_INTERRUPTS();
		write_page(rel, list->start + i, group, list->first,
				   list->values + done,
				   Min(list->nvalues - done, TOAST_LIST_PAGE_ENTRIES));
	}
	free_space_set(rel, list->start, EXTENT_ANNOUNCED, EXTENT_TOAST_LIST,
				   InvalidFullTransactionId);
}

void
toast_list_drop(ToastList *list, Relation rel)
{
	if (list->nblocks > 0)
		free_space_set(rel, list->start, EXTENT_TOAST_LIST, EXTENT_FREE,
					   InvalidFullTransactionId);
}

/* ---- removing ---- */

/*
 * Remove a value, as heap does when its row is deleted.
 */
static void
remove_value(Relation rel, Oid value)
{
	struct varatt_external external;
	struct varlena *pointer = palloc(TOAST_POINTER_SIZE);

	memset(&external, 0, sizeof(external));
	external.va_valueid = value;
	external.va_toastrelid = rel->rd_rel->reltoastrelid;
	SET_VARTAG_EXTERNAL(pointer, VARTAG_ONDISK);
	memcpy(VARDATA_EXTERNAL(pointer), &external, sizeof(external));
	toast_delete_datum(rel, PointerGetDatum(pointer), false);
	pfree(pointer);
}

static void
remove_values(Relation rel, const ToastList *list)
{
	free_space_set(rel, list->start, EXTENT_TOAST_LIST, EXTENT_TOAST_LIST,
				   GetCurrentFullTransactionId());
	for (uint32 i = 0; i < list->nvalues; i++)
	{
		vacuum_delay_point(false);
		remove_value(rel, list->values[i]);
	}
}

/* ---- finishing ---- */

/*
 * Read a list back; false if the rows have not been moved.
 */
static bool
read_list(Relation rel, const FreeExtent *extent, ToastList *list)
{
	uint32		group = InvalidGroup;
	Buffer		buffer;
	SegmentData *segment;
	bool		moved;

	toast_list_init(list);
	list->start = extent->start;
	list->nblocks = extent->nblocks;
	for (BlockNumber i = 0; i < extent->nblocks; i++)
	{
		ToastListPageData *contents;

		buffer = page_read(rel, extent->start + i, PAGE_TOAST_LIST,
						   BUFFER_LOCK_SHARE);
		contents = buffer_contents(buffer);
		if (contents->nvalues > TOAST_LIST_PAGE_ENTRIES ||
			contents->first >= GROUP_ROWS)
			page_report_corruption(rel, extent->start + i,
								   "The page lists %u TOAST values from row %u on.",
								   contents->nvalues, contents->first);
		group = contents->group;
		list->first = contents->first;
		list->capacity = list->nvalues + contents->nvalues + 1;
		list->values = repalloc_huge(list->values, list->capacity * sizeof(Oid));
		memcpy(list->values + list->nvalues, contents->values,
			   contents->nvalues * sizeof(Oid));
		list->nvalues += contents->nvalues;
		UnlockReleaseBuffer(buffer);
	}

	/* rows never go back to row form, and a group without header had none */
	buffer = group_read(rel, group, BUFFER_LOCK_SHARE);
	if (!BufferIsValid(buffer))
		return true;
	segment = group_find_segment(group_header(buffer), list->first);
	moved = segment == NULL || segment->form != SEGMENT_ROWS;
	UnlockReleaseBuffer(buffer);
	return moved;
}

static void
finish_list(Relation rel, const FreeExtent *extent)
{
	TransactionId xid = XidFromFullTransactionId(extent->xid);
	ToastList	list;

	if (FullTransactionIdIsValid(extent->xid))
	{
		/* a subtransaction of ours, in columnar_compact() */
		if (full_xid_is_running(extent->xid))
			return;
		if (TransactionIdDidCommit(xid))
		{
			free_space_set(rel, extent->start, EXTENT_TOAST_LIST, EXTENT_FREE,
						   InvalidFullTransactionId);
			return;
		}
	}

	if (read_list(rel, extent, &list))
		remove_values(rel, &list);
	else
		free_space_set(rel, extent->start, EXTENT_TOAST_LIST, EXTENT_FREE,
					   InvalidFullTransactionId);
	pfree(list.values);
}

/*
 * One with a remover is of rows that have been moved.
 */
void
toast_list_drop_stale(Relation rel)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);

	for (int i = 0; i < nextents; i++)
	{
		ToastList	list;

		if (extents[i].state != EXTENT_TOAST_LIST ||
			FullTransactionIdIsValid(extents[i].xid))
			continue;
		vacuum_delay_point(false);
		if (!read_list(rel, &extents[i], &list))
			free_space_set(rel, extents[i].start, EXTENT_TOAST_LIST,
						   EXTENT_FREE, InvalidFullTransactionId);
		pfree(list.values);
	}
	pfree(extents);
}

/*
 * Let others see our xid, which is about to be made.
 *
 * Snapshots and horizons leave out a backend that vacuums, in the belief that
 * it writes no xid; others would take the removal of a value for aborted while
 * it runs, and say so in hint bits.  Returns false if it is too late.
 */
static bool
become_visible(void)
{
	if ((MyProc->statusFlags & PROC_IN_VACUUM) == 0)
		return true;
	if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;

	LWLockAcquire(ProcArrayLock, LW_EXCLUSIVE);
	MyProc->statusFlags &= ~PROC_IN_VACUUM;
	ProcGlobal->statusFlags[MyProc->pgxactoff] = MyProc->statusFlags;
	LWLockRelease(ProcArrayLock);
	return true;
}

static bool
has_list(const FreeExtent *extents, int nextents)
{
	for (int i = 0; i < nextents; i++)
		if (extents[i].state == EXTENT_TOAST_LIST)
			return true;
	return false;
}

void
toast_list_finish(Relation rel)
{
	FreeExtent *extents;
	int			nextents = free_space_list(rel, &extents);

	if (!has_list(extents, nextents) || !become_visible())
	{
		pfree(extents);
		return;
	}

	for (int i = 0; i < nextents; i++)
	{
		if (extents[i].state == EXTENT_TOAST_LIST)
			finish_list(rel, &extents[i]);
	}
	pfree(extents);
}
