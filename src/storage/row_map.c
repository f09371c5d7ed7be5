/*
 * row_map.c
 *		The list of a group's row pages, on pages of its own.
 *
 * Entry i is on map page i / ROW_MAP_PAGE_ENTRIES.  A reader's copy of the
 * header stays good: entries that it counts are never changed in place, and
 * whoever rewrites the map does so on new pages.
 */
#include "postgres.h"

#include "compat.h"

#include "access/xact.h"
#include "storage/free_space.h"
#include "storage/row_map.h"

#define row_map_page(page)	((RowMapPageData *) page_contents(page))

bool
row_map_has_room(const GroupHeaderData *header)
{
	uint32		page = header->nrow_pages / ROW_MAP_PAGE_ENTRIES;

	return page < ROW_MAP_PAGES && header->row_map[page] != InvalidBlockNumber;
}

void
row_map_grow(Relation rel, uint32 group)
{
	BlockNumber blkno = free_space_allocate(rel, 1, GetCurrentFullTransactionId());
	Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);
	bool		needed;

	Assert(BufferIsValid(buffer));
	needed = !row_map_has_room(group_header(buffer));
	if (needed)
	{
		GenericXLogState *state = GenericXLogStart(rel);
		Buffer		map_buffer;
		GroupHeaderData *header;

		map_buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
										RBM_ZERO_AND_LOCK, NULL);
		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		header->row_map[header->nrow_pages / ROW_MAP_PAGE_ENTRIES] = blkno;
		page_init(GenericXLogRegisterBuffer(state, map_buffer,
											GENERIC_XLOG_FULL_IMAGE),
				  PAGE_ROW_MAP, blkno, PAGE_CONTENTS_LENGTH);
		GenericXLogFinish(state);
		UnlockReleaseBuffer(map_buffer);
	}
	UnlockReleaseBuffer(buffer);

	if (needed)
		free_space_forget(rel, blkno);
	else
		free_space_release(rel, blkno);
}

Buffer
row_map_add(Relation rel, GenericXLogState *state, GroupHeaderData *header,
			const RowMapEntry *entry)
{
	uint32		page = header->nrow_pages / ROW_MAP_PAGE_ENTRIES;
	Buffer		buffer = page_read(rel, header->row_map[page], PAGE_ROW_MAP,
								   BUFFER_LOCK_EXCLUSIVE);
	RowMapPageData *map = row_map_page(GenericXLogRegisterBuffer(state, buffer, 0));

	map->entries[header->nrow_pages % ROW_MAP_PAGE_ENTRIES] = *entry;
	header->nrow_pages++;
	return buffer;
}

/* The last entry that a header counts; false if there is none. */
static bool
row_map_last(Relation rel, const GroupHeaderData *header, RowMapEntry *entry)
{
	uint32		last = header->nrow_pages - 1;
	Buffer		buffer;

	if (header->nrow_pages == 0)
		return false;
	buffer = page_read(rel, header->row_map[last / ROW_MAP_PAGE_ENTRIES],
					   PAGE_ROW_MAP, BUFFER_LOCK_SHARE);
	*entry = row_map_page(BufferGetPage(buffer))->entries[last % ROW_MAP_PAGE_ENTRIES];
	UnlockReleaseBuffer(buffer);
	return true;
}

void
row_map_rewind(Relation rel, uint32 group, uint32 first, uint32 limit)
{
	Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);
	GenericXLogState *state = NULL;
	GroupHeaderData *header = group_header(buffer);
	RowMapEntry entry;

	while (row_map_last(rel, header, &entry) &&
		   entry.first >= first && entry.first < limit)
	{
		if (state == NULL)
		{
			state = GenericXLogStart(rel);
			header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		}
		header->nrow_pages--;
	}
	if (state)
		GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
}

void
row_map_append(Relation rel, uint32 group, const RowMapEntry *entries,
			   int nentries)
{
	int			done = 0;

	while (done < nentries)
	{
		Buffer		buffer = group_read(rel, group, BUFFER_LOCK_EXCLUSIVE);
		GroupHeaderData *header = group_header(buffer);
		GenericXLogState *state;
		RowMapPageData *map;
		Buffer		map_buffer;
		uint32		position;
		int			n;

		if (!row_map_has_room(header))
		{
			UnlockReleaseBuffer(buffer);
			row_map_grow(rel, group);
			continue;
		}
		position = header->nrow_pages % ROW_MAP_PAGE_ENTRIES;
		n = Min((uint32) (nentries - done), ROW_MAP_PAGE_ENTRIES - position);
		map_buffer = page_read(rel, header->row_map[header->nrow_pages / ROW_MAP_PAGE_ENTRIES],
							   PAGE_ROW_MAP, BUFFER_LOCK_EXCLUSIVE);

		state = GenericXLogStart(rel);
		header = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		map = row_map_page(GenericXLogRegisterBuffer(state, map_buffer, 0));
		memcpy(map->entries + position, entries + done, n * sizeof(RowMapEntry));
		header->nrow_pages += n;
		GenericXLogFinish(state);

		UnlockReleaseBuffer(map_buffer);
		UnlockReleaseBuffer(buffer);
		done += n;
	}
}

/* Number of entries of a map page that a header counts. */
static inline uint32
row_map_page_entries(const GroupHeaderData *header, uint32 page)
{
	return Min(header->nrow_pages - page * ROW_MAP_PAGE_ENTRIES,
			   ROW_MAP_PAGE_ENTRIES);
}

static inline void
row_map_check_entry(Relation rel, BlockNumber blkno, uint32 i,
					const RowMapEntry *entry)
{
	if (entry->nrows == 0 || entry->nrows > TID_BLOCK_ROWS ||
		(uint32) entry->first + entry->nrows > GROUP_ROWS)
		page_report_corruption(rel, blkno, "Row map entry %u is invalid.", i);
}

/* Entries of a map page that a header counts, copied to entries. */
static int
row_map_read_page(Relation rel, const GroupHeaderData *header, uint32 page,
				  RowMapEntry *entries)
{
	uint32		n = row_map_page_entries(header, page);
	Buffer		buffer = page_read(rel, header->row_map[page], PAGE_ROW_MAP,
								   BUFFER_LOCK_SHARE);

	memcpy(entries, row_map_page(BufferGetPage(buffer))->entries,
		   n * sizeof(RowMapEntry));
	UnlockReleaseBuffer(buffer);

	for (uint32 i = 0; i < n; i++)
	{
		row_map_check_entry(rel, header->row_map[page], i, &entries[i]);
		if (i > 0 &&
			entries[i].first < entries[i - 1].first + entries[i - 1].nrows)
			page_report_corruption(rel, header->row_map[page],
								   "Row map entry %u is invalid.", i);
	}
	return n;
}

/* Number of map pages that have entries. */
static uint32
row_map_npages(const GroupHeaderData *header)
{
	return (header->nrow_pages + ROW_MAP_PAGE_ENTRIES - 1) / ROW_MAP_PAGE_ENTRIES;
}

/* Index of the last entry with first <= offset, or -1. */
static int
row_map_search(const RowMapEntry *entries, int n, uint32 offset)
{
	int			low = 0;
	int			high = n;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (entries[middle].first <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/*
 * The last entry of a map page with first <= offset; false if there is none.
 * Looks at few entries, in place: this is part of every access to a row.
 */
static bool
row_map_search_page(Relation rel, const GroupHeaderData *header, uint32 page,
					uint32 offset, RowMapEntry *entry)
{
	uint32		n = row_map_page_entries(header, page);
	Buffer		buffer = page_read(rel, header->row_map[page], PAGE_ROW_MAP,
								   BUFFER_LOCK_SHARE);
	const RowMapEntry *entries = row_map_page(BufferGetPage(buffer))->entries;
	int			i = row_map_search(entries, n, offset);

	if (i >= 0)
		*entry = entries[i];
	UnlockReleaseBuffer(buffer);
	if (i >= 0)
		row_map_check_entry(rel, header->row_map[page], i, entry);
	return i >= 0;
}

bool
group_find_row_page(Relation rel, const GroupHeaderData *header, uint32 offset,
					RowMapEntry *entry)
{
	/* most groups have one page; in others the last one is asked for most */
	for (uint32 page = row_map_npages(header); page-- > 0;)
		if (row_map_search_page(rel, header, page, offset, entry))
			return offset < (uint32) entry->first + entry->nrows;
	return false;
}

int
group_row_pages(Relation rel, const GroupHeaderData *header, uint32 first,
				uint32 limit, RowMapEntry **entries)
{
	uint32		npages = row_map_npages(header);
	RowMapEntry *all = palloc(Max(npages, 1) * ROW_MAP_PAGE_ENTRIES * sizeof(RowMapEntry));
	int			n = 0;
	int			kept = 0;

	for (uint32 page = 0; page < npages; page++)
		n += row_map_read_page(rel, header, page, all + n);
	for (int i = 0; i < n; i++)
		if (all[i].first >= first && all[i].first < limit)
			all[kept++] = all[i];
	*entries = all;
	return kept;
}
