/*
 * directory.c
 *		From a group's number to its header, in O(1).
 *
 * Entries are on pages in extents of 1, 2, 4, ... pages, as a hash index grows,
 * so the page of an entry follows from its number and the 16 starts of the
 * extents, which never change once set.  They are cached with the relation.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/metapage.h"
#include "utils/memutils.h"

/* What rd_amcache holds. */
typedef struct DirectoryCache
{
	RelFileLocator locator;		/* the file that it is about */
	BlockNumber extents[DIRECTORY_EXTENTS];
} DirectoryCache;

void
directory_forget(Relation rel)
{
	if (rel->rd_amcache)
		pfree(rel->rd_amcache);
	rel->rd_amcache = NULL;
}

/*
 * Starts of the extents; reads the metapage if extent is not known yet.  NULL
 * if the table is empty.
 */
static const BlockNumber *
directory_extents(Relation rel, int extent)
{
	DirectoryCache *cache = rel->rd_amcache;
	MetapageData meta;

	if (cache && RelFileLocatorEquals(cache->locator, rel->rd_locator) &&
		cache->extents[extent] != InvalidBlockNumber)
		return cache->extents;

	if (!metapage_copy(rel, &meta))
		return NULL;
	if (cache == NULL)
	{
		cache = MemoryContextAlloc(CacheMemoryContext, sizeof(DirectoryCache));
		rel->rd_amcache = cache;
	}
	cache->locator = rel->rd_locator;
	memcpy(cache->extents, meta.directory, sizeof(cache->extents));
	return cache->extents;
}

/* Extent of a group's entry and page in that extent. */
static int
directory_extent(uint32 group, uint32 *page)
{
	uint32		n = group / DIRECTORY_PAGE_ENTRIES + 1;
	int			extent = pg_leftmost_one_pos32(n);

	Assert(extent < DIRECTORY_EXTENTS);
	*page = n - (1U << extent);
	return extent;
}

/* Block of the page that has a group's entry, or InvalidBlockNumber. */
static BlockNumber
directory_block(Relation rel, const MetapageData *meta, uint32 group)
{
	uint32		page;
	int			extent;
	const BlockNumber *extents;

	if (group > MAX_GROUP)
		return InvalidBlockNumber;
	extent = directory_extent(group, &page);
	extents = meta ? meta->directory : directory_extents(rel, extent);
	if (extents == NULL || extents[extent] == InvalidBlockNumber)
		return InvalidBlockNumber;
	return extents[extent] + page;
}

bool
directory_lookup(Relation rel, uint32 group, DirectoryEntry *entry)
{
	BlockNumber blkno = directory_block(rel, NULL, group);
	Buffer		buffer;

	if (blkno == InvalidBlockNumber)
		return false;
	buffer = page_read(rel, blkno, PAGE_DIRECTORY, BUFFER_LOCK_SHARE);
	*entry = directory_page(BufferGetPage(buffer))->entries[group % DIRECTORY_PAGE_ENTRIES];
	UnlockReleaseBuffer(buffer);

	/* block 0 is the metapage: an entry that was never made */
	return entry->header != 0;
}

Buffer
directory_read(Relation rel, const MetapageData *meta, uint32 group,
			   int lockmode, int *index)
{
	BlockNumber blkno = directory_block(rel, meta, group);

	if (blkno == InvalidBlockNumber)
		elog(ERROR, "group %u of relation \"%s\" has no directory page",
			 group, RelationGetRelationName(rel));
	*index = group % DIRECTORY_PAGE_ENTRIES;
	return page_read(rel, blkno, PAGE_DIRECTORY, lockmode);
}

/* Write and log empty directory pages, which nothing refers to yet. */
static void
directory_write_pages(Relation rel, BlockNumber start, BlockNumber nblocks)
{
	for (BlockNumber blkno = start; blkno < start + nblocks; blkno++)
	{
		Buffer		buffer = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
												RBM_ZERO_AND_LOCK, NULL);

		START_CRIT_SECTION();
		page_init(BufferGetPage(buffer), PAGE_DIRECTORY, blkno,
				  PAGE_CONTENTS_LENGTH);
		MarkBufferDirty(buffer);
		if (RelationNeedsWAL(rel))
			log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
		UnlockReleaseBuffer(buffer);
	}
}

void
directory_reserve(Relation rel, uint32 group)
{
	uint32		page;
	int			extent;
	BlockNumber start;
	Buffer		buffer;
	bool		published = false;

	if (directory_block(rel, NULL, group) != InvalidBlockNumber)
		return;

	extent = directory_extent(group, &page);
	start = free_space_allocate(rel, 1U << extent,
								GetCurrentFullTransactionId());
	directory_write_pages(rel, start, 1U << extent);

	buffer = metapage_read_or_create(rel, BUFFER_LOCK_EXCLUSIVE);
	if (metapage_data(buffer)->directory[extent] == InvalidBlockNumber)
	{
		GenericXLogState *state = GenericXLogStart(rel);
		MetapageData *meta;

		meta = page_contents(GenericXLogRegisterBuffer(state, buffer, 0));
		meta->directory[extent] = start;
		GenericXLogFinish(state);
		published = true;
	}
	UnlockReleaseBuffer(buffer);

	if (published)
		free_space_forget(rel, start);
	else
		free_space_release(rel, start);
}
