/*
 * visibility.c
 *		The visibility map, by TID block.
 *
 * The fork is laid out as the server's: two bits a block, of which ours use the
 * first, all-visible.  What is different is how its pages are made and logged.
 * The server leaves the bits in the page's hole, between pd_lower and pd_upper,
 * which a Generic WAL record wipes; so before a page gets its first bit it is
 * formatted without a hole and logged whole.
 *
 * RelationTruncate cuts the fork at the length of the file, and forgets whether
 * records before it have changed pages behind that.  If it had been a page of
 * the main fork recovery would know; of this fork it would stop.  A page's first
 * change after a checkpoint is logged as an image, which needs no page to be
 * there, unless full_page_writes is off: then every change is.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/visibilitymap.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/page_delta.h"
#include "storage/row_header.h"
#include "storage/row_set.h"
#include "storage/smgr.h"
#include "storage/visibility.h"

#define MAP_BYTES \
	((uint32) (BLCKSZ - MAXALIGN(SizeOfPageHeaderData)))
#define MAP_BYTE_BLOCKS	(BITS_PER_BYTE / BITS_PER_HEAPBLOCK)
#define MAP_BLOCKS		(MAP_BYTES * MAP_BYTE_BLOCKS)

/* Where the bit of a TID block is on its page. */
#define map_byte(page, tid_block) \
	(((uint8 *) PageGetContents(page))[(tid_block) % MAP_BLOCKS / MAP_BYTE_BLOCKS])
#define map_bit(tid_block) \
	((uint8) (VISIBILITYMAP_ALL_VISIBLE << \
			  ((tid_block) % MAP_BYTE_BLOCKS * BITS_PER_HEAPBLOCK)))

/* ---- single blocks ---- */

static bool
map_page_is_formatted(Page page)
{
	return ((PageHeader) page)->pd_lower == BLCKSZ;
}

/*
 * Begin a change of a map page that is locked exclusively; returns the working
 * copy.
 */
static Page
map_change_begin(GenericXLogState *xlog, Buffer buffer)
{
	bool		is_formatted = map_page_is_formatted(BufferGetPage(buffer));
	Page		page;

	page = GenericXLogRegisterBuffer(xlog, buffer,
									 is_formatted && fullPageWrites ?
									 0 : GENERIC_XLOG_FULL_IMAGE);
	if (!is_formatted)
	{
		PageInit(page, BLCKSZ, 0);
		((PageHeader) page)->pd_lower = BLCKSZ;
	}
	Assert(((PageHeader) page)->pd_upper == BLCKSZ);
	return page;
}

/*
 * Forget how long the fork was, if it seemed not to have the block's page: a
 * VACUUM that has made it meanwhile told so in a message that this session may
 * not have read yet.
 */
static void
map_forget_length(Relation rel, BlockNumber tid_block)
{
	BlockNumber *length =
		&RelationGetSmgr(rel)->smgr_cached_nblocks[VISIBILITYMAP_FORKNUM];

	if (*length != InvalidBlockNumber && *length <= tid_block / MAP_BLOCKS)
		*length = InvalidBlockNumber;
}

void
visibility_clear(Relation rel, BlockNumber tid_block)
{
	Buffer		buffer = InvalidBuffer;

	map_forget_length(rel, tid_block);
	if (VM_ALL_VISIBLE(rel, tid_block, &buffer))
	{
		uint8	   *byte = &map_byte(BufferGetPage(buffer), tid_block);
		PageDelta	delta;

		/* nobody else changes the bit meanwhile (V2) */
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		Assert(map_page_is_formatted(BufferGetPage(buffer)));

		START_CRIT_SECTION();
		*byte &= ~map_bit(tid_block);
		page_delta_begin(&delta, buffer);
		page_delta_add(&delta, byte, 1);
		delta.force_image = !fullPageWrites;
		page_delta_log(rel, &delta, 1);
		END_CRIT_SECTION();

		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	if (BufferIsValid(buffer))
		ReleaseBuffer(buffer);
}

/* ---- groups ---- */

void
visibility_load(Relation rel, uint32 group, TidBlockSet *set)
{
	BlockNumber first = group_first_tid_block(group);
	Buffer		buffer = InvalidBuffer;

	memset(set, 0, sizeof(TidBlockSet));
	for (int i = 0; i < GROUP_TID_BLOCKS; i++)
		if (VM_ALL_VISIBLE(rel, first + i, &buffer))
			tid_block_set_add(set, i);
	if (BufferIsValid(buffer))
		ReleaseBuffer(buffer);
}

static bool
set_is_empty(const TidBlockSet *set)
{
	for (int i = 0; i < lengthof(set->words); i++)
		if (set->words[i] != 0)
			return false;
	return true;
}

/* Leave the members that are not in another set. */
static void
set_subtract(TidBlockSet *set, const TidBlockSet *other)
{
	for (int i = 0; i < lengthof(set->words); i++)
		set->words[i] &= ~other->words[i];
}

/* ---- what may be set ---- */

/* Add the blocks of frozen segments. */
static void
add_frozen_segments(GroupHeaderData *header, TidBlockSet *set)
{
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &header->segments[i];
		uint32		first = segment_first(segment);

		if (segment->form != SEGMENT_COLUMNS ||
			!HeapTupleHeaderXminFrozen(segment_tuple_header(segment)))
			continue;
		for (uint32 offset = first; offset < first + segment->nslots;
			 offset += TID_BLOCK_ROWS)
			tid_block_set_add(set, offset / TID_BLOCK_ROWS);
	}
}

/*
 * Take out blocks with dead rows, and those that have nothing but holes.  Numbers
 * behind a segment's last row need not be in a set.
 */
static void
remove_deleted(Relation rel, GroupHeaderData *header, TidBlockSet *set)
{
	uint64	   *dead;
	uint64	   *gone;

	if (header->dead.nrows == 0 && header->gone.nrows == 0)
		return;
	dead = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	gone = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(rel, &header->dead, dead);
	row_set_load(rel, &header->gone, gone);
	for (int block = 0; block < GROUP_TID_BLOCKS; block++)
	{
		uint32		first = block * TID_BLOCK_ROWS;
		uint32		limit = first + TID_BLOCK_ROWS;
		SegmentData *segment;

		if (!tid_block_set_test(set, block))
			continue;
		segment = group_find_segment(header, first);
		limit = Min(limit, segment_first(segment) + segment->nslots);
		if (row_bitmap_count(dead, first, limit) > 0 ||
			row_bitmap_count(gone, first, limit) == limit - first)
			tid_block_set_remove(set, block);
	}
	pfree(dead);
	pfree(gone);
}

/* Take out blocks that rows with headers are in. */
static void
remove_headed(Relation rel, const GroupHeaderData *header, TidBlockSet *set)
{
	BlockNumber *pages;
	int			npages;

	if (header->row_header_map == InvalidBlockNumber)
		return;
	npages = row_header_pages(rel, header, 0, GROUP_ROWS, &pages);
	for (int i = 0; i < npages; i++)
	{
		Buffer		buffer = row_header_page_read(rel, header->group, pages[i],
												  BUFFER_LOCK_SHARE, NULL);
		int			n = PageGetMaxOffsetNumber(BufferGetPage(buffer));

		for (int offnum = 1; offnum <= n; offnum++)
		{
			HeapTupleData tuple;
			uint32		offset;

			if (row_header_tuple(rel, buffer, offnum, &tuple, &offset))
				tid_block_set_remove(set, offset / TID_BLOCK_ROWS);
		}
		UnlockReleaseBuffer(buffer);
	}
	pfree(pages);
}

void
visibility_judge(Relation rel, GroupHeaderData *header, TidBlockSet *set)
{
	memset(set, 0, sizeof(TidBlockSet));
	add_frozen_segments(header, set);
	if (set_is_empty(set))
		return;
	remove_deleted(rel, header, set);
	remove_headed(rel, header, set);
}

/* ---- setting ---- */

/*
 * Set the bits of those members of a set that are on a map page.
 */
static void
map_page_set(Relation rel, uint32 group, Buffer buffer, const TidBlockSet *set)
{
	BlockNumber first = group_first_tid_block(group);
	BlockNumber map_block = BufferGetBlockNumber(buffer);
	GenericXLogState *xlog;
	Page		page;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	xlog = GenericXLogStart(rel);
	page = map_change_begin(xlog, buffer);
	for (int i = 0; i < GROUP_TID_BLOCKS; i++)
		if (tid_block_set_test(set, i) && (first + i) / MAP_BLOCKS == map_block)
			map_byte(page, first + i) |= map_bit(first + i);
	GenericXLogFinish(xlog);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}

/*
 * What is to be set in a group, without a lock: none, as a rule.
 */
static bool
group_lacks_bits(Relation rel, uint32 group)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	Buffer		buffer = group_read(rel, group, BUFFER_LOCK_SHARE);
	TidBlockSet wanted;
	TidBlockSet present;

	if (!BufferIsValid(buffer))
		return false;
	memcpy(header, group_header(buffer), sizeof(GroupHeaderData));
	UnlockReleaseBuffer(buffer);

	/* Only VACUUM, which asks, takes away what the copy refers to. */
	visibility_judge(rel, header, &wanted);
	pfree(header);
	visibility_load(rel, group, &present);
	set_subtract(&wanted, &present);
	return !set_is_empty(&wanted);
}

void
visibility_set(Relation rel, uint32 group)
{
	BlockNumber first = group_first_tid_block(group);
	Buffer		maps[2] = {InvalidBuffer, InvalidBuffer};
	Buffer		buffer;
	TidBlockSet set;
	TidBlockSet present;

	if (!group_lacks_bits(rel, group))
		return;

	/* makes pages, so before any lock */
	visibilitymap_pin(rel, first, &maps[0]);
	visibilitymap_pin(rel, first + GROUP_TID_BLOCKS - 1, &maps[1]);

	/* the lock keeps new row headers away */
	buffer = group_read(rel, group, BUFFER_LOCK_SHARE);
	if (BufferIsValid(buffer))
	{
		visibility_judge(rel, group_header(buffer), &set);
		visibility_load(rel, group, &present);
		set_subtract(&set, &present);
		map_page_set(rel, group, maps[0], &set);
		if (maps[1] != maps[0])
			map_page_set(rel, group, maps[1], &set);
		UnlockReleaseBuffer(buffer);
	}
	ReleaseBuffer(maps[0]);
	ReleaseBuffer(maps[1]);
}

BlockNumber
visibility_count(Relation rel)
{
	BlockNumber nvisible;

	visibilitymap_count(rel, &nvisible, NULL);
	return nvisible;
}
