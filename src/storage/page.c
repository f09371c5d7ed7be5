/*
 * page.c
 *		Reading, checking and making the pages of a columnar table.
 *
 * Bytes from disk are untrusted: every metadata page is checked to be one of
 * the kind that the reference to it promised before anybody looks inside.
 */
#include "postgres.h"

#include "compat.h"

#include "storage/page.h"
#include "storage/smgr.h"

void
page_report_corruption(Relation rel, BlockNumber blkno, const char *detail,...)
{
	StringInfoData message;
	int			needed;

	initStringInfo(&message);
	for (;;)
	{
		va_list		args;

		va_start(args, detail);
		needed = appendStringInfoVA(&message, detail, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&message, needed);
	}

	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid page in block %u of columnar table \"%s\"",
					blkno, RelationGetRelationName(rel)),
			 errdetail_internal("%s", message.data)));
}

void
page_check(Relation rel, Page page, BlockNumber blkno, PageKind kind)
{
	PageTag    *tag = (PageTag *) page_contents(page);

	if (PageIsNew(page))
		page_report_corruption(rel, blkno, "The page is empty.");
	if (((PageHeader) page)->pd_lower < MAXALIGN(SizeOfPageHeaderData) + sizeof(PageTag) ||
		tag->magic != PAGE_TAG_MAGIC)
		page_report_corruption(rel, blkno, "The page has no tag.");
	if (tag->version != FORMAT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("columnar table \"%s\" has format version %u, which is not supported",
						RelationGetRelationName(rel), tag->version)));
	if (tag->kind != kind)
		page_report_corruption(rel, blkno,
							   "The page is of kind %u instead of %u.",
							   tag->kind, kind);
	if (tag->blkno != blkno)
		page_report_corruption(rel, blkno,
							   "The page says that it is block %u.",
							   tag->blkno);
}

Buffer
block_read(Relation rel, BlockNumber blkno, BufferAccessStrategy strategy)
{
	BlockNumber known = RelationGetSmgr(rel)->smgr_cached_nblocks[MAIN_FORKNUM];

	/* the size last seen spares a system call for blocks below it */
	if ((known == InvalidBlockNumber || blkno >= known) &&
		blkno >= RelationGetNumberOfBlocks(rel))
		page_report_corruption(rel, blkno, "The file has no such block.");
	return ReadBufferExtended(rel, MAIN_FORKNUM, blkno, RBM_NORMAL, strategy);
}

Buffer
page_read(Relation rel, BlockNumber blkno, PageKind kind, int lockmode)
{
	Buffer		buffer = block_read(rel, blkno, NULL);

	LockBuffer(buffer, lockmode);
	page_check(rel, BufferGetPage(buffer), blkno, kind);
	return buffer;
}

void
page_init(Page page, PageKind kind, BlockNumber blkno, Size length)
{
	PageTag    *tag;

	Assert(length <= PAGE_CONTENTS_LENGTH);

	PageInit(page, BLCKSZ, 0);
	memset(page_contents(page), 0, length);
	((PageHeader) page)->pd_lower = MAXALIGN(SizeOfPageHeaderData) + length;

	tag = (PageTag *) page_contents(page);
	tag->magic = PAGE_TAG_MAGIC;
	tag->kind = kind;
	tag->version = FORMAT_VERSION;
	tag->blkno = blkno;
}

BlockNumber
page_extend(Relation rel, BlockNumber nblocks)
{
	BlockNumber start = RelationGetNumberOfBlocks(rel);

	if (start > MaxBlockNumber - nblocks)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot extend relation \"%s\" beyond %u blocks",
						RelationGetRelationName(rel), MaxBlockNumber)));

	relation_zero_extend(rel, start, nblocks);
	return start;
}
