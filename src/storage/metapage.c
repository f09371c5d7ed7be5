/*
 * metapage.c
 *		Block 0: what the table as a whole has.
 *
 * A file of zero blocks, or one whose block 0 is still zero, is a valid empty
 * table: the first writer makes the metapage, the first free-space page and the
 * first page of the directory in one record.
 */
#include "postgres.h"

#include "compat.h"

#include "access/generic_xlog.h"
#include "storage/lmgr.h"
#include "storage/metapage.h"

#define META_BLOCK			0
#define FREE_SPACE_BLOCK	1
#define DIRECTORY_BLOCK		2
#define FIRST_BLOCKS		3

static void
metapage_check(Relation rel, const MetapageData *meta)
{
	if (meta->magic != META_MAGIC)
		page_report_corruption(rel, META_BLOCK,
							   "The metapage has the wrong magic number.");
	if (meta->byte_order != META_BYTE_ORDER)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("columnar table \"%s\" was written on a host with another byte order",
						RelationGetRelationName(rel))));
	if (meta->format_version != FORMAT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("columnar table \"%s\" has format version %u, which is not supported",
						RelationGetRelationName(rel), meta->format_version)));
	if (meta->navailable > META_AVAILABLE)
		page_report_corruption(rel, META_BLOCK,
							   "The metapage lists %u groups as available.",
							   meta->navailable);
	if (meta->next_group > MAX_GROUP + 1)
		page_report_corruption(rel, META_BLOCK,
							   "The metapage counts %u groups.",
							   meta->next_group);
}

Buffer
metapage_read(Relation rel, int lockmode)
{
	Buffer		buffer;

	if (RelationGetNumberOfBlocks(rel) == 0)
		return InvalidBuffer;

	buffer = ReadBuffer(rel, META_BLOCK);
	LockBuffer(buffer, lockmode);
	if (PageIsNew(BufferGetPage(buffer)))
	{
		/* a crash came between extending the file and the first record */
		UnlockReleaseBuffer(buffer);
		return InvalidBuffer;
	}
	page_check(rel, BufferGetPage(buffer), META_BLOCK, PAGE_META);
	metapage_check(rel, metapage_data(buffer));
	return buffer;
}

static void
metapage_init(Page meta_page, Page free_space_page, Page directory_page)
{
	MetapageData *meta;

	page_init(meta_page, PAGE_META, META_BLOCK, sizeof(MetapageData));
	meta = (MetapageData *) page_contents(meta_page);
	meta->magic = META_MAGIC;
	meta->byte_order = META_BYTE_ORDER;
	meta->format_version = FORMAT_VERSION;
	meta->row_group = InvalidGroup;
	meta->free_space = FREE_SPACE_BLOCK;
	meta->row_page = InvalidBlockNumber;
	meta->row_page_first = InvalidRowNumber;
	for (int i = 0; i < DIRECTORY_EXTENTS; i++)
		meta->directory[i] = InvalidBlockNumber;
	meta->directory[0] = DIRECTORY_BLOCK;

	page_init(free_space_page, PAGE_FREE_SPACE, FREE_SPACE_BLOCK,
			  PAGE_CONTENTS_LENGTH);
	((FreeSpacePageData *) page_contents(free_space_page))->next = InvalidBlockNumber;

	page_init(directory_page, PAGE_DIRECTORY, DIRECTORY_BLOCK,
			  PAGE_CONTENTS_LENGTH);
}

/*
 * Make the first pages, unless another session has done so meanwhile.
 */
static void
metapage_create(Relation rel)
{
	BlockNumber nblocks;
	Buffer		buffers[FIRST_BLOCKS];

	LockRelationForExtension(rel, ExclusiveLock);
	nblocks = RelationGetNumberOfBlocks(rel);
	if (nblocks < FIRST_BLOCKS)
		page_extend(rel, FIRST_BLOCKS - nblocks);

	for (int i = 0; i < FIRST_BLOCKS; i++)
	{
		buffers[i] = ReadBuffer(rel, i);
		LockBuffer(buffers[i], BUFFER_LOCK_EXCLUSIVE);
	}

	if (PageIsNew(BufferGetPage(buffers[0])))
	{
		GenericXLogState *state = GenericXLogStart(rel);
		Page		pages[FIRST_BLOCKS];

		for (int i = 0; i < FIRST_BLOCKS; i++)
			pages[i] = GenericXLogRegisterBuffer(state, buffers[i],
												 GENERIC_XLOG_FULL_IMAGE);
		metapage_init(pages[META_BLOCK], pages[FREE_SPACE_BLOCK],
					  pages[DIRECTORY_BLOCK]);
		GenericXLogFinish(state);
	}

	for (int i = FIRST_BLOCKS - 1; i >= 0; i--)
		UnlockReleaseBuffer(buffers[i]);
	UnlockRelationForExtension(rel, ExclusiveLock);
}

Buffer
metapage_read_or_create(Relation rel, int lockmode)
{
	Buffer		buffer = metapage_read(rel, lockmode);

	if (!BufferIsValid(buffer))
	{
		metapage_create(rel);
		buffer = metapage_read(rel, lockmode);
	}
	if (!BufferIsValid(buffer))
		elog(ERROR, "could not make the metapage of relation \"%s\"",
			 RelationGetRelationName(rel));
	return buffer;
}

bool
metapage_copy(Relation rel, MetapageData *copy)
{
	Buffer		buffer = metapage_read(rel, BUFFER_LOCK_SHARE);

	if (!BufferIsValid(buffer))
		return false;
	memcpy(copy, metapage_data(buffer), sizeof(MetapageData));
	UnlockReleaseBuffer(buffer);
	return true;
}
