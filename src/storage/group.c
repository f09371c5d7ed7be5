/*
 * group.c
 *		Chunk groups: taking them, announcing and publishing segments.
 *
 * A group is changed by one writer at a time in each of its roles: the loader
 * that has it open, sessions that append row pages to the table's row group
 * (under the metapage's lock), and the mover (one per table).  Each change is
 * one Generic WAL record, so a header is always consistent by itself.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/transam.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/full_xid.h"
#include "storage/group.h"
#include "storage/metapage.h"
#include "storage/procarray.h"
#include "storage/row_map.h"
#include "storage/segment_blocks.h"

void
group_check(Relation rel, BlockNumber blkno, const GroupHeaderData *header,
			uint32 group)
{
	uint32		next_vector = 0;

	if (header->group != group)
		page_report_corruption(rel, blkno,
							   "The page is the header of group %u instead of %u.",
							   header->group, group);
	if (header->nsegments > GROUP_VECTORS ||
		header->next_vector > GROUP_VECTORS ||
		header->nrow_pages > GROUP_ROWS)
		page_report_corruption(rel, blkno,
							   "The header counts %u segments, %u vectors and %u row pages.",
							   header->nsegments, header->next_vector,
							   header->nrow_pages);
	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->first_vector != next_vector || segment->nvectors == 0 ||
			segment->nslots > (uint32) segment->nvectors * VECTOR_ROWS ||
			segment->nrows > segment->nslots ||
			segment->form < SEGMENT_ANNOUNCED || segment->form > SEGMENT_GONE)
			page_report_corruption(rel, blkno, "Segment %d is invalid.", i);
		next_vector += segment->nvectors;
	}
	if (next_vector != header->next_vector)
		page_report_corruption(rel, blkno,
							   "Segments have %u vectors instead of %u.",
							   next_vector, header->next_vector);
}

Buffer
group_read(Relation rel, uint32 group, int lockmode)
{
	DirectoryEntry entry;
	Buffer		buffer;

	if (!directory_lookup(rel, group, &entry))
		return InvalidBuffer;
	buffer = page_read(rel, entry.header, PAGE_GROUP, lockmode);
	group_check(rel, entry.header, group_header(buffer), group);
	return buffer;
}

/* As group_read, of a group that must exist. */
static Buffer
group_lock(Relation rel, uint32 group)
{
	Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);

	if (!BufferIsValid(buffer))
		elog(ERROR, "group %u of relation \"%s\" does not exist",
			 group, RelationGetRelationName(rel));
	return buffer;
}

Buffer
group_lock_entry(Relation rel, uint32 group, Buffer directory_buffer, int index)
{
	DirectoryPageData *page = directory_page(BufferGetPage(directory_buffer));
	Buffer		buffer = page_read(rel, page->entries[index].header, PAGE_GROUP,
								   BUFFER_LOCK_EXCLUSIVE);

	group_check(rel, BufferGetBlockNumber(buffer), group_header(buffer), group);
	return buffer;
}

/* Lock the header of a group while the metapage is locked. */
static Buffer
group_lock_under(Relation rel, const MetapageData *meta, uint32 group)
{
	int			index;
	Buffer		directory_buffer = directory_read(rel, meta, group,
												  BUFFER_LOCK_SHARE, &index);
	Buffer		buffer = group_lock_entry(rel, group, directory_buffer, index);

	UnlockReleaseBuffer(directory_buffer);
	return buffer;
}

SegmentData *
group_find_segment(GroupHeaderData *header, uint32 offset)
{
	uint32		vector = offset / VECTOR_ROWS;
	int			low = 0;
	int			high = header->nsegments - 1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		SegmentData *segment = &header->segments[middle];

		if (vector < segment->first_vector)
			high = middle - 1;
		else if (vector >= (uint32) segment->first_vector + segment->nvectors)
			low = middle + 1;
		else
			return segment;
	}
	return NULL;
}

/* The announced segment that starts at a vector. */
static SegmentData *
group_announced_segment(Relation rel, GroupHeaderData *header,
						const SegmentData *wanted)
{
	SegmentData *segment = group_find_segment(header, segment_first(wanted));

	if (segment == NULL || segment->form != SEGMENT_ANNOUNCED ||
		segment->first_vector != wanted->first_vector)
		elog(ERROR, "segment at vector %u of group %u of relation \"%s\" is not announced",
			 wanted->first_vector, header->group, RelationGetRelationName(rel));
	return segment;
}

/* Append an announced segment of at most nvectors; NULL if none are left. */
static SegmentData *
header_announce(GroupHeaderData *header, FullTransactionId owner, int nvectors)
{
	SegmentData *segment;
	int			left = GROUP_VECTORS - header->next_vector;

	if (left == 0)
		return NULL;
	segment = &header->segments[header->nsegments++];
	memset(segment, 0, sizeof(SegmentData));
	segment->form = SEGMENT_ANNOUNCED;
	segment->first_vector = header->next_vector;
	segment->nvectors = Min(nvectors, left);
	segment->start = InvalidBlockNumber;
	segment->owner = owner;
	header->next_vector += segment->nvectors;
	return segment;
}

/* ---- taking a group ---- */

static void
header_init(Page page, BlockNumber blkno, uint32 group)
{
	GroupHeaderData *header;

	page_init(page, PAGE_GROUP, blkno, sizeof(GroupHeaderData));
	header = page_contents(page);
	header->group = group;
	header->row_header_map = InvalidBlockNumber;
	header->dead.start = InvalidBlockNumber;
	header->gone.start = InvalidBlockNumber;
	for (int i = 0; i < ROW_MAP_PAGES; i++)
		header->row_map[i] = InvalidBlockNumber;
}

/*
 * Make the next group and list it as available.  Somebody else may take it.
 */
static void
group_create(Relation rel)
{
	FullTransactionId owner = GetCurrentFullTransactionId();
	BlockNumber blkno = free_space_allocate(rel, 1, owner);

	for (;;)
	{
		Buffer		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
		uint32		group = metapage_data(meta_buffer)->next_group;
		DirectoryEntry entry;
		GenericXLogState *state;
		MetapageData *meta;
		Buffer		directory_buffer;
		Buffer		buffer;
		int			index;

		if (group > MAX_GROUP)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("columnar table \"%s\" has no row numbers left",
							RelationGetRelationName(rel)),
					 errhint("VACUUM FULL numbers the rows anew.")));
		if (metapage_data(meta_buffer)->navailable == META_AVAILABLE)
		{
			UnlockReleaseBuffer(meta_buffer);
			free_space_release(rel, blkno);
			return;
		}
		UnlockReleaseBuffer(meta_buffer);
		directory_reserve(rel, group);

		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
		meta = metapage_data(meta_buffer);
		if (meta->next_group != group || meta->navailable == META_AVAILABLE)
		{
			UnlockReleaseBuffer(meta_buffer);
			continue;
		}
		directory_buffer = directory_read(rel, meta, group,
										  BUFFER_LOCK_EXCLUSIVE, &index);
		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno, RBM_ZERO_AND_LOCK, NULL);

		state = GenericXLogStart(rel);
		meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
		meta->next_group++;
		meta->available[meta->navailable++] = group;

		memset(&entry, 0, sizeof(entry));
		entry.header = blkno;
		directory_page(GenericXLogRegisterBuffer(state, directory_buffer, 0))->entries[index] = entry;

		header_init(GenericXLogRegisterBuffer(state, buffer, GENERIC_XLOG_FULL_IMAGE),
					blkno, group);
		GenericXLogFinish(state);

		UnlockReleaseBuffer(buffer);
		UnlockReleaseBuffer(directory_buffer);
		UnlockReleaseBuffer(meta_buffer);
		break;
	}
	free_space_forget(rel, blkno);
}

/* May somebody else use the group? */
static bool
header_is_taken(const GroupHeaderData *header)
{
	return full_xid_is_running(header->loader);
}

/*
 * Take an available group: for a loader, which announces nvectors in it, or as
 * the table's row group if loader is invalid.  InvalidGroup if none is
 * available.
 */
static uint32
group_take_available(Relation rel, FullTransactionId loader, int nvectors,
					 SegmentData *segment)
{
	Buffer		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	MetapageData *meta = metapage_data(meta_buffer);
	GenericXLogState *state;
	GroupHeaderData *header;
	Buffer		directory_buffer;
	Buffer		buffer;
	uint32		group;
	int			index;
	bool		taken = false;

	if (meta->navailable == 0)
	{
		UnlockReleaseBuffer(meta_buffer);
		return InvalidGroup;
	}
	group = meta->available[meta->navailable - 1];
	directory_buffer = directory_read(rel, meta, group, BUFFER_LOCK_EXCLUSIVE, &index);
	buffer = group_lock_entry(rel, group, directory_buffer, index);

	state = GenericXLogStart(rel);
	meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
	meta->navailable--;
	header = group_header(buffer);
	if (header->next_vector < GROUP_VECTORS && !header_is_taken(header) &&
		group != meta->row_group)
	{
		DirectoryPageData *page;

		taken = true;
		page = directory_page(GenericXLogRegisterBuffer(state, directory_buffer, 0));
		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		header->loader = loader;
		page->entries[index].flags &= ~DIRECTORY_ALL_VISIBLE;
		if (FullTransactionIdIsValid(loader))
		{
			page->entries[index].flags |= DIRECTORY_LOADING;
			*segment = *header_announce(header, loader, nvectors);
		}
		else
			meta->row_group = group;
	}
	GenericXLogFinish(state);

	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(directory_buffer);
	UnlockReleaseBuffer(meta_buffer);
	return taken ? group : group_take_available(rel, loader, nvectors, segment);
}

static uint32
group_take(Relation rel, FullTransactionId loader, int nvectors,
		   SegmentData *segment)
{
	for (;;)
	{
		uint32		group = group_take_available(rel, loader, nvectors, segment);

		if (group != InvalidGroup)
			return group;
		CHECK_FOR_INTERRUPTS();
		group_create(rel);
	}
}

/* ---- writers in column form ---- */

uint32
group_open(Relation rel, FullTransactionId owner, int nvectors,
		   SegmentData *segment)
{
	Assert(FullTransactionIdIsValid(owner));
	Assert(nvectors >= 1 && nvectors <= GROUP_VECTORS);
	return group_take(rel, owner, nvectors, segment);
}

bool
group_announce(Relation rel, uint32 group, FullTransactionId owner,
			   int nvectors, SegmentData *segment)
{
	Buffer		buffer = group_lock(rel, group);
	GenericXLogState *state;
	GroupHeaderData *header;

	if (group_header(buffer)->next_vector == GROUP_VECTORS)
	{
		UnlockReleaseBuffer(buffer);
		return false;
	}
	state = GenericXLogStart(rel);
	header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
	header->loader = owner;
	*segment = *header_announce(header, owner, nvectors);
	GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
	return true;
}

int
group_widen(Relation rel, uint32 group, SegmentData *segment, int nvectors)
{
	Buffer		buffer = group_lock(rel, group);
	int			added;
	SegmentData *target;

	target = group_announced_segment(rel, group_header(buffer), segment);
	added = Min(nvectors, GROUP_VECTORS - group_header(buffer)->next_vector);
	if (target->first_vector + target->nvectors != group_header(buffer)->next_vector)
		added = 0;
	if (added > 0)
	{
		GenericXLogState *state = GenericXLogStart(rel);
		GroupHeaderData *header;

		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		target = group_announced_segment(rel, header, segment);
		target->nvectors += added;
		header->next_vector += added;
		*segment = *target;
		GenericXLogFinish(state);
	}
	UnlockReleaseBuffer(buffer);
	return added;
}

/*
 * Set the vectors of a segment that is being published: what it does not use
 * goes back to the group if the segment is its last.
 */
static void
segment_trim(GroupHeaderData *header, SegmentData *segment, int nvectors)
{
	Assert(nvectors >= 1 && nvectors <= segment->nvectors);

	if (segment->first_vector + segment->nvectors == header->next_vector)
	{
		header->next_vector -= segment->nvectors - nvectors;
		segment->nvectors = nvectors;
	}
}

void
group_publish_columns(Relation rel, uint32 group, const SegmentData *segment)
{
	Buffer		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	int			index;
	Buffer		directory_buffer = directory_read(rel, metapage_data(meta_buffer),
												  group, BUFFER_LOCK_EXCLUSIVE,
												  &index);
	Buffer		buffer = group_lock_entry(rel, group, directory_buffer, index);
	GenericXLogState *state = GenericXLogStart(rel);
	MetapageData *meta;
	DirectoryPageData *page;
	GroupHeaderData *header;
	SegmentData *target;
	uint8		nvectors;

	Assert(segment->nslots <= (uint32) segment->nvectors * VECTOR_ROWS);

	meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
	meta->nrows += segment->nrows;

	page = directory_page(GenericXLogRegisterBuffer(state, directory_buffer, 0));
	page->entries[index].nrows += segment->nrows;

	header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
	target = group_announced_segment(rel, header, segment);
	segment_trim(header, target, segment->nvectors);
	nvectors = target->nvectors;
	*target = *segment;
	target->form = SEGMENT_COLUMNS;
	target->nvectors = nvectors;
	target->owner = InvalidFullTransactionId;
	GenericXLogFinish(state);

	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(directory_buffer);
	UnlockReleaseBuffer(meta_buffer);

	segment_forget_announced(rel, segment);
}

void
group_publish_rows(Relation rel, uint32 group, const SegmentData *segment,
				   const RowMapEntry *pages, int npages,
				   BlockNumber announced_start)
{
	Buffer		meta_buffer;
	Buffer		buffer;
	GenericXLogState *state;
	MetapageData *meta;
	GroupHeaderData *header;
	SegmentData *target;

	/* readers ignore entries that no segment in row form covers */
	row_map_rewind(rel, group, segment_first(segment), segment_limit(segment));
	row_map_append(rel, group, pages, npages);

	meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	buffer = group_lock_under(rel, metapage_data(meta_buffer), group);
	state = GenericXLogStart(rel);
	meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
	meta->nrows += segment->nslots;
	header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
	target = group_announced_segment(rel, header, segment);
	segment_trim(header, target, segment->nvectors);
	target->form = SEGMENT_ROWS;
	target->nslots = segment->nslots;
	target->owner = InvalidFullTransactionId;
	GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(meta_buffer);

	free_space_forget(rel, announced_start);
}

void
group_close(Relation rel, uint32 group)
{
	Buffer		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	int			index;
	Buffer		directory_buffer = directory_read(rel, metapage_data(meta_buffer),
												  group, BUFFER_LOCK_EXCLUSIVE,
												  &index);
	Buffer		buffer = group_lock_entry(rel, group, directory_buffer, index);
	GenericXLogState *state = GenericXLogStart(rel);
	MetapageData *meta;
	GroupHeaderData *header;

	meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
	directory_page(GenericXLogRegisterBuffer(state, directory_buffer, 0))
		->entries[index].flags &= ~DIRECTORY_LOADING;
	header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
	header->loader = InvalidFullTransactionId;

	/* a full list is no loss: VACUUM finds groups with vectors left */
	if (header->next_vector < GROUP_VECTORS && meta->navailable < META_AVAILABLE)
		meta->available[meta->navailable++] = group;
	GenericXLogFinish(state);

	UnlockReleaseBuffer(buffer);
	UnlockReleaseBuffer(directory_buffer);
	UnlockReleaseBuffer(meta_buffer);
}

/* ---- writers in row form ---- */

/* Make a block an empty row page, which nothing refers to yet. */
static void
row_page_init(Relation rel, BlockNumber blkno)
{
	Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, NULL);
	GenericXLogState *state = GenericXLogStart(rel);

	PageInit(GenericXLogRegisterBuffer(state, buffer, GENERIC_XLOG_FULL_IMAGE),
			 BLCKSZ, 0);
	GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
}

/*
 * Find or make the open row-form segment at the end of a header and reserve up
 * to nrows row numbers in it.  Returns how many, 0 if the group is full.
 */
static int
header_reserve_rows(GroupHeaderData *header, int nrows, uint32 *first)
{
	SegmentData *segment = NULL;
	int			reserved;

	if (header->nsegments > 0)
		segment = &header->segments[header->nsegments - 1];
	if (segment == NULL || segment->form != SEGMENT_ROWS ||
		(segment->flags & SEGMENT_OPEN) == 0)
	{
		segment = header_announce(header, InvalidFullTransactionId, 1);
		if (segment == NULL)
			return 0;
		segment->form = SEGMENT_ROWS;
		segment->flags = SEGMENT_OPEN;
		header->row_next = segment_first(segment);
	}

	/* the mover splits a segment only where a page begins */
	nrows = Min((uint32) nrows,
				ROW_PAGES_BOUNDARY - header->row_next % ROW_PAGES_BOUNDARY);
	if (header->row_next + nrows > segment_limit(segment) &&
		header->next_vector < GROUP_VECTORS)
	{
		segment->nvectors++;
		header->next_vector++;
	}
	reserved = Min((uint32) nrows, segment_limit(segment) - header->row_next);
	if (reserved == 0)
	{
		segment->flags &= ~SEGMENT_OPEN;
		return 0;
	}
	*first = header->row_next;
	header->row_next += reserved;
	segment->nslots = header->row_next - segment_first(segment);
	return reserved;
}

BlockNumber
group_open_row_page(Relation rel, int nrows, uint32 *group, RowMapEntry *entry)
{
	BlockNumber blkno;

	Assert(nrows >= 1 && nrows <= TID_BLOCK_ROWS);

	blkno = free_space_allocate(rel, 1, GetCurrentFullTransactionId());
	row_page_init(rel, blkno);

	for (;;)
	{
		Buffer		meta_buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
		Buffer		buffer;
		GenericXLogState *state;
		MetapageData *meta;
		GroupHeaderData *header;
		uint32		first;
		int			reserved;

		*group = metapage_data(meta_buffer)->row_group;
		if (*group == InvalidGroup)
		{
			SegmentData segment;

			UnlockReleaseBuffer(meta_buffer);
			group_take(rel, InvalidFullTransactionId, 0, &segment);
			continue;
		}
		buffer = group_lock_under(rel, metapage_data(meta_buffer), *group);
		if (!row_map_has_room(group_header(buffer)))
		{
			UnlockReleaseBuffer(buffer);
			UnlockReleaseBuffer(meta_buffer);
			row_map_grow(rel, *group);
			continue;
		}

		state = GenericXLogStart(rel);
		meta = page_contents(GenericXLogRegisterBuffer(state, meta_buffer, 0));
		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		reserved = header_reserve_rows(header, nrows, &first);
		if (reserved > 0)
		{
			Buffer		map_buffer;

			entry->first = first;
			entry->nrows = reserved;
			entry->blkno = blkno;
			map_buffer = row_map_add(rel, state, header, entry);
			meta->row_page = blkno;
			meta->row_page_rows = reserved;
			meta->row_page_first = row_number(*group, first);
			meta->nrows += reserved;
			GenericXLogFinish(state);
			UnlockReleaseBuffer(map_buffer);
		}
		else
		{
			/*
			 * The mover forgets the open row page with an open segment only:
			 * no page of another one may be offered to inserters.
			 */
			meta->row_group = InvalidGroup;
			meta->row_page = InvalidBlockNumber;
			GenericXLogFinish(state);
		}
		UnlockReleaseBuffer(buffer);
		UnlockReleaseBuffer(meta_buffer);
		if (reserved > 0)
			break;
	}
	free_space_forget(rel, blkno);
	return blkno;
}
