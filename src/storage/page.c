/*
 * page.c
 *		Reading, checking and making the pages of a columnar table.
 *
 * Bytes from disk are untrusted: every metadata page is checked to be one of
 * the kind that the reference to it promised before anybody looks inside.
 */
#include "postgres.h"

#include "compat.h"

#include "pgstat.h"
#include "storage/page.h"
#include "storage/smgr.h"

/*
 * Buffers that blocks were in when they were last read, direct-mapped.  A row
 * that is looked up takes a dozen metadata pages, mostly the same as the row
 * before, and to search each in the table of all buffers took a tenth of the
 * time.  The server checks that the block is there still.
 */
#define RECENT_BUFFERS	256

/*
 * A buffer found in this way is not marked as used, which would let the server
 * take it for one that nobody needs: so every few times it is searched.
 */
#define RECENT_USES		16

typedef struct RecentBuffer
{
	RelFileNumber file;
	BlockNumber blkno;
	Buffer		buffer;			/* 0: none */
	int			nuses;			/* left until it is to be searched */
} RecentBuffer;

static RecentBuffer recent_buffers[RECENT_BUFFERS];

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

/*
 * Pin a block in the buffer that it was in when it was last read, if it is
 * there still.
 */
static bool
recent_buffer_pin(Relation rel, RecentBuffer *recent, BlockNumber blkno)
{
	if (recent->buffer == InvalidBuffer || recent->blkno != blkno ||
		recent->file != rel->rd_locator.relNumber || recent->nuses-- <= 0 ||
		!ReadRecentBuffer(rel->rd_locator, MAIN_FORKNUM, blkno,
						  recent->buffer))
		return false;
	pgstat_count_buffer_read(rel);
	pgstat_count_buffer_hit(rel);
	return true;
}

static Buffer
block_read_recent(Relation rel, BlockNumber blkno)
{
	uint32		index = (blkno ^ rel->rd_locator.relNumber) % RECENT_BUFFERS;
	RecentBuffer *recent = &recent_buffers[index];

	if (!recent_buffer_pin(rel, recent, blkno))
	{
		recent->buffer = ReadBuffer(rel, blkno);
		recent->blkno = blkno;
		recent->file = rel->rd_locator.relNumber;
		recent->nuses = RECENT_USES;
	}
	return recent->buffer;
}

Buffer
block_read(Relation rel, BlockNumber blkno, BufferAccessStrategy strategy)
{
	BlockNumber known = RelationGetSmgr(rel)->smgr_cached_nblocks[MAIN_FORKNUM];

	/* the size last seen spares a system call for blocks below it */
	if ((known == InvalidBlockNumber || blkno >= known) &&
		blkno >= RelationGetNumberOfBlocks(rel))
		page_report_corruption(rel, blkno, "The file has no such block.");
	if (strategy == NULL && !RelationUsesLocalBuffers(rel))
		return block_read_recent(rel, blkno);
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
