/*
 * extent.c
 *		Writing a column-form segment: chunks in, pages out.
 *
 * An extent is a run of consecutive pages: first the attribute entries, 63 to a
 * page, then the stream of all chunks, cut into pages without regard to where
 * chunks end.  Pages go through shared buffers, a batch at a time, each batch
 * logged as full images before its locks are released.  Nothing refers to them
 * until the segment is published.
 */
#include "postgres.h"

#include "compat.h"

#include "access/xloginsert.h"
#include "access/xlogrecord.h"
#include "catalog/pg_control.h"
#include "encoding/bytebuffer.h"
#include "miscadmin.h"
#include "storage/extent.h"
#include "storage/free_space.h"
#include "storage/segment_blocks.h"
#include "storage/work_memory.h"
#include "utils/memutils.h"

/* Pages of one WAL record. */
#define EXTENT_BATCH	XLR_MAX_BLOCK_ID

struct ExtentWriter
{
	Relation	rel;
	MemoryContext context;
	int			natts;
	AttributeEntry *entries;
	ByteBuffer	stream;
};

ExtentWriter *
extent_begin(Relation rel, int natts)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar extent writer",
												  ALLOCSET_DEFAULT_SIZES);
	ExtentWriter *writer = MemoryContextAllocZero(context, sizeof(ExtentWriter));

	writer->rel = rel;
	writer->context = context;
	writer->natts = natts;
	writer->entries = MemoryContextAllocZero(context,
											 Max(natts, 1) * sizeof(AttributeEntry));
	bytebuffer_init(&writer->stream, work_memory_create(context));
	return writer;
}

/* The part of a summary that the attribute entry keeps. */
static void
entry_set_summary(AttributeEntry *entry, const ChunkSummary *summary)
{
	const ZoneRange *range = &summary->range;

	entry->kind = summary->kind;
	entry->value_class = summary->value_class;
	entry->nnulls = summary->nnulls;
	entry->ndistinct = summary->ndistinct;
	entry->raw_bytes = summary->raw_bytes;
	if (summary->has_sum)
	{
		entry->flags |= ATTRIBUTE_HAS_SUM;
		entry->sum_high = summary->sum_high;
		entry->sum_low = summary->sum_low;
		entry->sum_scale = summary->sum_scale;
	}
	if (range->has_nan)
		entry->flags |= ATTRIBUTE_HAS_NAN;
	if (!range->has_range)
		return;

	entry->flags |= ATTRIBUTE_HAS_RANGE;
	switch (summary->value_class)
	{
		case CLASS_NONE:
			break;
		case CLASS_SIGNED:
		case CLASS_UNSIGNED:
			memcpy(entry->min, &range->min_int, sizeof(int64));
			memcpy(entry->max, &range->max_int, sizeof(int64));
			break;
		case CLASS_FLOAT:
		case CLASS_NUMERIC:
			memcpy(entry->min, &range->min_float, sizeof(double));
			memcpy(entry->max, &range->max_float, sizeof(double));
			break;
		case CLASS_BYTES:
			entry->min_length = range->min_length;
			entry->max_length = range->max_length;
			memcpy(entry->min, range->min_bytes, range->min_length);
			memcpy(entry->max, range->max_bytes, range->max_length);
			if (range->min_truncated)
				entry->flags |= ATTRIBUTE_MIN_TRUNCATED;
			if (range->max_truncated)
				entry->flags |= ATTRIBUTE_MAX_TRUNCATED;
			break;
	}
}

void
extent_add_attribute(ExtentWriter *writer, int attno, const ChunkInput *input,
					 const ChunkOptions *options)
{
	AttributeEntry *entry = &writer->entries[attno - 1];
	ChunkSummary summary;

	Assert(attno >= 1 && attno <= writer->natts);
	CHECK_FOR_INTERRUPTS();

	bytebuffer_align(&writer->stream);
	entry->position = writer->stream.length;
	chunk_encode(input, options, &writer->stream, &summary);
	entry->length = writer->stream.length - entry->position;
	entry_set_summary(entry, &summary);
}

/* Page number of the extent from entries or stream into a zeroed page. */
static void
extent_fill_page(ExtentWriter *writer, int nattribute_pages, BlockNumber number,
				 BlockNumber blkno, Page page)
{
	size_t		length;

	if ((int) number < nattribute_pages)
	{
		int			first = number * ATTRIBUTE_PAGE_ENTRIES;
		int			n = Min(writer->natts - first, (int) ATTRIBUTE_PAGE_ENTRIES);

		length = offsetof(AttributePageData, entries) + Max(n, 0) * sizeof(AttributeEntry);
		page_init(page, PAGE_ATTRIBUTES, blkno, length);
		if (n > 0)
			memcpy(((AttributePageData *) page_contents(page))->entries,
				   writer->entries + first, n * sizeof(AttributeEntry));
	}
	else
	{
		size_t		position = (size_t) (number - nattribute_pages) * DATA_PAGE_LENGTH;

		length = Min(writer->stream.length - position, DATA_PAGE_LENGTH);
		PageInit(page, BLCKSZ, 0);
		memcpy(page_contents(page), writer->stream.data + position, length);
		((PageHeader) page)->pd_lower = MAXALIGN(SizeOfPageHeaderData) + length;
	}
}

/* Log locked, filled pages as one record of full images. */
static void
log_batch(Relation rel, Buffer *buffers, int nbuffers)
{
	XLogRecPtr	lsn;

	START_CRIT_SECTION();
	for (int i = 0; i < nbuffers; i++)
		MarkBufferDirty(buffers[i]);
	if (RelationNeedsWAL(rel))
	{
		XLogBeginInsert();
		for (int i = 0; i < nbuffers; i++)
			XLogRegisterBuffer(i, buffers[i], REGBUF_FORCE_IMAGE | REGBUF_STANDARD);
		lsn = XLogInsert(RM_XLOG_ID, XLOG_FPI);
		for (int i = 0; i < nbuffers; i++)
			PageSetLSN(BufferGetPage(buffers[i]), lsn);
	}
	END_CRIT_SECTION();
}

/* Write all pages of the extent through shared buffers. */
static void
extent_write_pages(ExtentWriter *writer, const SegmentData *segment)
{
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKWRITE);
	Buffer		buffers[EXTENT_BATCH];
	BlockNumber number = 0;

	/* room in the record for more than the usual number of pages */
	XLogEnsureRecordSpace(EXTENT_BATCH, 0);
	while (number < segment->nblocks)
	{
		int			n = Min(segment->nblocks - number, EXTENT_BATCH);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			BlockNumber blkno = segment_block(segment, number + i);

			buffers[i] = ReadBufferExtended(writer->rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, strategy);
			extent_fill_page(writer, segment->nattribute_pages, number + i,
							 blkno, BufferGetPage(buffers[i]));
		}
		log_batch(writer->rel, buffers, n);
		for (int i = 0; i < n; i++)
			UnlockReleaseBuffer(buffers[i]);
		number += n;
	}
	FreeAccessStrategy(strategy);
}

void
extent_finish(ExtentWriter *writer, FullTransactionId owner,
			  SegmentData *segment)
{
	uint64		ndata;
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts;

	ndata = (writer->stream.length + DATA_PAGE_LENGTH - 1) / DATA_PAGE_LENGTH;
	segment->natts = writer->natts;
	segment->nattribute_pages =
		Max((writer->natts + ATTRIBUTE_PAGE_ENTRIES - 1) / ATTRIBUTE_PAGE_ENTRIES, 1);
	segment->nblocks = segment->nattribute_pages + ndata;
	nparts = free_space_allocate_parts(writer->rel, segment->nblocks, owner,
									   parts, SEGMENT_PARTS);
	segment_set_parts(segment, parts, nparts);

	extent_write_pages(writer, segment);
	MemoryContextDelete(writer->context);
}

/* Copy a page, which says its own number if it has a tag. */
static void
copy_page(Relation rel, BlockNumber source, Page target, BlockNumber blkno,
		  bool has_tag, BufferAccessStrategy strategy)
{
	Buffer		buffer = block_read(rel, source, strategy);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	memcpy(target, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
	if (has_tag)
		((PageTag *) page_contents(target))->blkno = blkno;
}

/*
 * Copy the pages of one segment, of which the first ntagged have a tag, to those
 * of another one that nothing refers to yet, and log these.
 */
static void
copy_pages(Relation rel, const SegmentData *source, const SegmentData *target,
		   BlockNumber ntagged)
{
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKWRITE);
	Buffer		buffers[EXTENT_BATCH];
	BlockNumber number = 0;

	XLogEnsureRecordSpace(EXTENT_BATCH, 0);
	while (number < source->nblocks)
	{
		int			n = Min(source->nblocks - number, EXTENT_BATCH);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
		{
			BlockNumber blkno = segment_block(target, number + i);

			buffers[i] = ReadBufferExtended(rel, MAIN_FORKNUM, blkno,
											RBM_ZERO_AND_LOCK, strategy);
			copy_page(rel, segment_block(source, number + i),
					  BufferGetPage(buffers[i]), blkno, number + i < ntagged,
					  strategy);
		}
		log_batch(rel, buffers, n);
		for (int i = 0; i < n; i++)
			UnlockReleaseBuffer(buffers[i]);
		number += n;
	}
	FreeAccessStrategy(strategy);
}

void
extent_copy_segment(Relation rel, const SegmentData *source,
					const SegmentData *target)
{
	copy_pages(rel, source, target, source->nattribute_pages);
}

void
extent_copy(Relation rel, BlockNumber start, BlockNumber nblocks,
			BlockNumber target_start)
{
	SegmentData source = {0};
	SegmentData target = {0};

	source.start = start;
	source.nblocks = nblocks;
	target.start = target_start;
	target.nblocks = nblocks;
	copy_pages(rel, &source, &target, nblocks);
}
