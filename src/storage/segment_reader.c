/*
 * segment_reader.c
 *		Chunks of a column-form segment, read page by page as needed.
 *
 * The image of the stream is as long as the segment, but memory that nothing
 * is read into is never touched, so that a reader of one column in a hundred
 * uses a hundredth of it.  The image is kept from segment to segment.
 *
 * A page is immutable from its segment's publication until its reuse, which
 * the caller's snapshot holds off.
 */
#include "postgres.h"

#include "compat.h"

#include "executor/instrument.h"
#include "miscadmin.h"
#if HAVE_READ_STREAM
#include "storage/read_stream.h"
#endif
#include "storage/segment_blocks.h"
#include "storage/segment_reader.h"
#include "storage/smgr.h"
#include "storage/work_memory.h"
#include "utils/memutils.h"

/* Parts of a page that a sparing reader copies. */
#define PART_LENGTH		1024
StaticAssertDecl((DATA_PAGE_LENGTH - 1) / PART_LENGTH < 8,
				 "the parts of a page are the bits of a byte");

/* A chunk of the open segment; the source must be first. */
typedef struct ReaderChunk
{
	ChunkSource source;
	SegmentReader *reader;
	uint64		position;		/* in the stream */
	ChunkReader *chunk;			/* NULL until opened */
} ReaderChunk;

/*
 * Memory for images of readers that are gone, kept for the next ones.  A
 * statement that fetches a single row would else spend much of its time on
 * getting memory from the system and giving it back.
 */
#define SPARE_IMAGES		4
#define SPARE_IMAGE_SIZE	((Size) 2 * 1024 * 1024)

/* Of an image, the part that counts although nothing has been copied there. */
#define UNTOUCHED_PART	8

static char *spare_images[SPARE_IMAGES];
static int	nspare_images = 0;

struct SegmentReader
{
	Relation	rel;
	BufferAccessStrategy strategy;
	MemoryContext context;		/* the reader itself */
	MemoryContextCallback callback; /* gives up the image */
	MemoryContext chunk_context;	/* what belongs to the open segment */
	Allocator	allocator;		/* from chunk_context */

	uint32		group;
	SegmentData segment;		/* copy of the open one */
	BlockNumber npages;			/* of the stream */
	char	   *image;
	Size		image_size;
	Size		nloaded;		/* bytes copied to it */
	uint64	   *loaded;			/* bitmap of pages in the image */
	bool		is_sparing;		/* copies parts of pages at first */
	uint8	   *parts;			/* by page, bitmap of parts in the image; only
								 * for a sparing reader */
	AttributeEntry *entries;	/* of the pages in entries_loaded */
	bool	   *entries_loaded; /* by attribute page */
	ReaderChunk **chunks;		/* by attribute */
};

/* ---- memory of images ---- */

/*
 * Give up the image's memory; also the callback of the reader's context.
 */
static void
image_release(void *argument)
{
	SegmentReader *reader = argument;

	if (reader->image == NULL)
		return;
	if (reader->image_size == SPARE_IMAGE_SIZE &&
		nspare_images < SPARE_IMAGES)
		spare_images[nspare_images++] = reader->image;
	else
		pfree(reader->image);
	reader->image = NULL;
	reader->image_size = 0;
}

static void
image_allocate(SegmentReader *reader, Size needed)
{
	Size		size = Max(needed, SPARE_IMAGE_SIZE);

	image_release(reader);
	if (size == SPARE_IMAGE_SIZE && nspare_images > 0)
		reader->image = spare_images[--nspare_images];
	else
		reader->image = MemoryContextAllocHuge(TopMemoryContext, size);
	reader->image_size = size;
}

/* ---- opening ---- */

SegmentReader *
segment_reader_create(Relation rel, BufferAccessStrategy strategy)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar segment reader",
												  ALLOCSET_DEFAULT_SIZES);
	SegmentReader *reader = MemoryContextAllocZero(context, sizeof(SegmentReader));

	reader->rel = rel;
	reader->strategy = strategy;
	reader->context = context;
	reader->callback.func = image_release;
	reader->callback.arg = reader;
	MemoryContextRegisterResetCallback(context, &reader->callback);
	reader->chunk_context = AllocSetContextCreate(context,
												  "columnar segment chunks",
												  ALLOCSET_DEFAULT_SIZES);
	allocator_init(&reader->allocator, reader->chunk_context);
	return reader;
}

void
segment_reader_set_sparing(SegmentReader *reader)
{
	reader->is_sparing = true;
}

void
segment_reader_free(SegmentReader *reader)
{
	MemoryContextDelete(reader->context);
}

/*
 * What has not been copied to the image takes addresses, and memory only where
 * the system counts these.
 */
Size
segment_reader_image_memory(const SegmentReader *reader)
{
	return reader->nloaded + reader->image_size / UNTOUCHED_PART;
}

/* Does the file have the blocks?  The size last seen spares a system call. */
static bool
blocks_exist(Relation rel, BlockNumber start, BlockNumber nblocks)
{
	BlockNumber known = RelationGetSmgr(rel)->smgr_cached_nblocks[MAIN_FORKNUM];
	uint64		end = (uint64) start + nblocks;

	return (known != InvalidBlockNumber && end <= known) ||
		end <= RelationGetNumberOfBlocks(rel);
}

static bool
parts_exist(Relation rel, const SegmentData *segment)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts;

	if (!segment_parts_are_sound(segment))
		return false;
	nparts = segment_parts(segment, parts);
	for (int i = 0; i < nparts; i++)
		if (!blocks_exist(rel, parts[i].start, parts[i].nblocks))
			return false;
	return true;
}

/* Check what the header of the group says about the extent. */
static void
segment_check(SegmentReader *reader)
{
	const SegmentData *segment = &reader->segment;

	if (segment->form != SEGMENT_COLUMNS ||
		segment->natts > MaxHeapAttributeNumber ||
		segment->nattribute_pages != Max((segment->natts + ATTRIBUTE_PAGE_ENTRIES - 1) /
										 ATTRIBUTE_PAGE_ENTRIES, 1) ||
		segment->nblocks < segment->nattribute_pages ||
		!parts_exist(reader->rel, segment))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("invalid segment in group %u of columnar table \"%s\"",
						reader->group, RelationGetRelationName(reader->rel)),
				 errdetail("The segment has %u attributes in %u blocks from block %u on.",
						   segment->natts, segment->nblocks, segment->start)));
}

/* Make the image and its bitmap large enough for the open segment. */
static void
image_prepare(SegmentReader *reader)
{
	Size		needed = (Size) reader->npages * DATA_PAGE_LENGTH + DECODE_SLACK_BYTES;
	Size		nwords = reader->npages / 64 + 1;

	if (needed > reader->image_size)
		image_allocate(reader, needed);
	reader->loaded = MemoryContextAllocZero(reader->chunk_context,
											nwords * sizeof(uint64));
	reader->nloaded = 0;
	if (reader->is_sparing)
		reader->parts = MemoryContextAllocZero(reader->chunk_context,
											   reader->npages);
}

void
segment_reader_open(SegmentReader *reader, uint32 group,
					const SegmentData *segment)
{
	MemoryContextReset(reader->chunk_context);

	reader->group = group;
	reader->segment = *segment;
	segment_check(reader);
	reader->npages = segment->nblocks - segment->nattribute_pages;
	image_prepare(reader);

	reader->entries = MemoryContextAlloc(reader->chunk_context,
										 Max(segment->natts, 1) * sizeof(AttributeEntry));
	reader->entries_loaded = MemoryContextAllocZero(reader->chunk_context,
													segment->nattribute_pages * sizeof(bool));
	reader->chunks = MemoryContextAllocZero(reader->chunk_context,
											Max(segment->natts, 1) * sizeof(ReaderChunk *));
}

void
segment_reader_report(SegmentReader *reader, int attno, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid chunk of attribute %d in group %u of columnar table \"%s\"",
					attno, reader->group, RelationGetRelationName(reader->rel)),
			 errdetail("%s, in the segment at vector %u in %u blocks from block %u on.",
					   reason, reader->segment.first_vector,
					   reader->segment.nblocks, reader->segment.start)));
}

/* ---- attribute entries ---- */

static void
entry_check(SegmentReader *reader, int attno, const AttributeEntry *entry)
{
	uint64		stream_length = (uint64) reader->npages * DATA_PAGE_LENGTH;

	if (entry->kind == 0)
		return;
	if (entry->kind > VALUE_NUMERIC || entry->value_class > CLASS_NUMERIC ||
		entry->position % 8 != 0 || entry->length > stream_length ||
		entry->position > stream_length - entry->length ||
		entry->nnulls > reader->segment.nslots ||
		entry->min_length > sizeof(entry->min) ||
		entry->max_length > sizeof(entry->max))
		segment_reader_report(reader, attno, "Its entry is invalid");
}

static void
entries_read_page(SegmentReader *reader, int page)
{
	BlockNumber blkno = segment_block(&reader->segment, page);
	Buffer		buffer = page_read(reader->rel, blkno, PAGE_ATTRIBUTES,
								   BUFFER_LOCK_SHARE);
	int			first = page * ATTRIBUTE_PAGE_ENTRIES;
	int			n = Min(reader->segment.natts - first, (int) ATTRIBUTE_PAGE_ENTRIES);

	if (((PageHeader) BufferGetPage(buffer))->pd_lower !=
		MAXALIGN(SizeOfPageHeaderData) + offsetof(AttributePageData, entries) +
		n * sizeof(AttributeEntry))
		page_report_corruption(reader->rel, blkno,
							   "The page does not have %d attribute entries.", n);
	memcpy(reader->entries + first,
		   ((AttributePageData *) buffer_contents(buffer))->entries,
		   n * sizeof(AttributeEntry));
	UnlockReleaseBuffer(buffer);

	for (int i = 0; i < n; i++)
		entry_check(reader, first + i + 1, &reader->entries[first + i]);
	reader->entries_loaded[page] = true;
}

const AttributeEntry *
segment_reader_attribute(SegmentReader *reader, int attno)
{
	int			page = (attno - 1) / ATTRIBUTE_PAGE_ENTRIES;

	Assert(attno >= 1);
	if (attno > reader->segment.natts)
		return NULL;
	if (!reader->entries_loaded[page])
		entries_read_page(reader, page);
	return &reader->entries[attno - 1];
}

void
attribute_entry_zone(const AttributeEntry *entry, ZoneRange *range)
{
	memset(range, 0, sizeof(ZoneRange));
	range->has_range = (entry->flags & ATTRIBUTE_HAS_RANGE) != 0;
	range->has_nan = (entry->flags & ATTRIBUTE_HAS_NAN) != 0;
	if (!range->has_range)
		return;

	switch ((ValueClass) entry->value_class)
	{
		case CLASS_NONE:
			range->has_range = false;
			break;
		case CLASS_SIGNED:
		case CLASS_UNSIGNED:
			memcpy(&range->min_int, entry->min, sizeof(int64));
			memcpy(&range->max_int, entry->max, sizeof(int64));
			break;
		case CLASS_FLOAT:
		case CLASS_NUMERIC:
			memcpy(&range->min_float, entry->min, sizeof(double));
			memcpy(&range->max_float, entry->max, sizeof(double));
			break;
		case CLASS_BYTES:
			range->min_length = entry->min_length;
			range->max_length = entry->max_length;
			memcpy(range->min_bytes, entry->min, entry->min_length);
			memcpy(range->max_bytes, entry->max, entry->max_length);
			range->min_truncated = (entry->flags & ATTRIBUTE_MIN_TRUNCATED) != 0;
			range->max_truncated = (entry->flags & ATTRIBUTE_MAX_TRUNCATED) != 0;
			break;
	}
}

/* ---- pages ---- */

static inline bool
page_is_loaded(SegmentReader *reader, BlockNumber page)
{
	return (reader->loaded[page / 64] >> (page % 64)) & 1;
}

/*
 * Copy bytes first up to, not including, limit of a page of the stream, pinned
 * in buffer, into the image.
 */
static void
image_copy_bytes(SegmentReader *reader, BlockNumber page, Buffer buffer,
				 uint32 first, uint32 limit)
{
	Page		contents = BufferGetPage(buffer);
	uint32		lower;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	lower = ((PageHeader) contents)->pd_lower;

	/* every page but the last is full */
	if (lower < MAXALIGN(SizeOfPageHeaderData) || lower > BLCKSZ ||
		(lower != BLCKSZ && page + 1 < reader->npages))
		page_report_corruption(reader->rel, BufferGetBlockNumber(buffer),
							   "The data page ends at byte %u.", lower);
	limit = Min(limit, lower - MAXALIGN(SizeOfPageHeaderData));
	if (first < limit)
	{
		memcpy(reader->image + (Size) page * DATA_PAGE_LENGTH + first,
			   (char *) page_contents(contents) + first, limit - first);
		reader->nloaded += limit - first;
	}
	UnlockReleaseBuffer(buffer);
}

/* Copy one page of the stream, pinned in buffer, into the image. */
static void
image_copy_page(SegmentReader *reader, BlockNumber page, Buffer buffer)
{
	image_copy_bytes(reader, page, buffer, 0, DATA_PAGE_LENGTH);
	reader->loaded[page / 64] |= UINT64CONST(1) << (page % 64);
}

/* Block of a page of the stream. */
static inline BlockNumber
image_block(SegmentReader *reader, BlockNumber page)
{
	return segment_block(&reader->segment,
						 reader->segment.nattribute_pages + page);
}

#if HAVE_READ_STREAM

/* Pages of a run that a read stream has still to ask for. */
typedef struct ImageRun
{
	SegmentReader *reader;
	BlockNumber next;
	BlockNumber last;
} ImageRun;

static BlockNumber
image_run_next(ReadStream *stream, void *private, void *per_buffer_data)
{
	ImageRun   *run = private;

	while (run->next <= run->last && page_is_loaded(run->reader, run->next))
		run->next++;
	if (run->next > run->last)
		return InvalidBlockNumber;
	*(BlockNumber *) per_buffer_data = run->next;
	return image_block(run->reader, run->next++);
}

/*
 * Read pages first to last of the stream that are not in the image.
 */
static void
image_load(SegmentReader *reader, BlockNumber first, BlockNumber last)
{
	ImageRun	run = {reader, first, last};
	ReadStream *stream;
	Buffer		buffer;
	void	   *page;

	while (run.next <= last && page_is_loaded(reader, run.next))
		run.next++;
	if (run.next > last)
		return;

	stream = read_stream_begin_relation(READ_STREAM_DEFAULT, reader->strategy,
										reader->rel, MAIN_FORKNUM,
										image_run_next, &run,
										sizeof(BlockNumber));
	while (BufferIsValid(buffer = read_stream_next_buffer(stream, &page)))
	{
		CHECK_FOR_INTERRUPTS();
		image_copy_page(reader, *(BlockNumber *) page, buffer);
	}
	read_stream_end(stream);
}

#else

/*
 * Read pages first to last of the stream that are not in the image.  Where the
 * first one has to come from disk, the others are asked for ahead.
 */
static void
image_load(SegmentReader *reader, BlockNumber first, BlockNumber last)
{
	bool		prefetched = false;

	for (BlockNumber page = first; page <= last; page++)
	{
		int64		reads = pgBufferUsage.shared_blks_read;

		if (page_is_loaded(reader, page))
			continue;
		CHECK_FOR_INTERRUPTS();
		image_copy_page(reader, page,
						block_read(reader->rel, image_block(reader, page), reader->strategy));
		if (!prefetched && pgBufferUsage.shared_blks_read != reads)
		{
			for (BlockNumber ahead = page + 1; ahead <= last; ahead++)
				PrefetchBuffer(reader->rel, MAIN_FORKNUM,
							   image_block(reader, ahead));
			prefetched = true;
		}
	}
}

#endif							/* HAVE_READ_STREAM */

/* Read length bytes at a position of the stream. */
static void
image_load_bytes(SegmentReader *reader, uint64 position, uint64 length)
{
	if (length > 0)
		image_load(reader, position / DATA_PAGE_LENGTH,
				   (position + length - 1) / DATA_PAGE_LENGTH);
}

/*
 * The same of a sparing reader: of a page that is asked for the first time only
 * the parts that are needed are copied.  Whoever comes back for others shows
 * that the whole page is worth it.
 */
static void
image_load_parts(SegmentReader *reader, uint64 position, uint64 length)
{
	uint64		end = position + length;

	while (position < end)
	{
		BlockNumber page = position / DATA_PAGE_LENGTH;
		uint64		start = (uint64) page * DATA_PAGE_LENGTH;
		uint32		first = (position - start) / PART_LENGTH;
		uint32		last = (Min(end - start, DATA_PAGE_LENGTH) - 1) / PART_LENGTH;
		uint8		parts = (0xFF >> (7 - (last - first))) << first;

		if (!page_is_loaded(reader, page) && (parts & ~reader->parts[page]) != 0)
		{
			if (reader->parts[page] != 0)
				image_load(reader, page, page);
			else
				image_copy_bytes(reader, page,
								 block_read(reader->rel, image_block(reader, page),
											reader->strategy),
								 first * PART_LENGTH, (last + 1) * PART_LENGTH);
			reader->parts[page] |= parts;
		}
		position = start + DATA_PAGE_LENGTH;
	}
}

void
segment_reader_load(SegmentReader *reader, const int *attnos, int natts)
{
	uint64		start = 0;
	uint64		end = 0;

	for (int i = 0; i < natts; i++)
	{
		const AttributeEntry *entry = segment_reader_attribute(reader, attnos[i]);

		if (entry == NULL || entry->kind == 0)
			continue;
		if (entry->position > end + DATA_PAGE_LENGTH || end == 0)
		{
			image_load_bytes(reader, start, end - start);
			start = entry->position;
		}
		end = Max(end, entry->position + entry->length);
	}
	image_load_bytes(reader, start, end - start);
}

/* ---- chunks ---- */

static const uint8_t *
chunk_fetch(ChunkSource *source, uint64_t offset, size_t length)
{
	ReaderChunk *chunk = (ReaderChunk *) source;

	Assert(offset + length <= source->length);
	if (chunk->reader->is_sparing)
		image_load_parts(chunk->reader, chunk->position + offset, length);
	else
		image_load_bytes(chunk->reader, chunk->position + offset, length);
	return (const uint8_t *) chunk->reader->image + chunk->position + offset;
}

ChunkReader *
segment_reader_chunk(SegmentReader *reader, int attno)
{
	const AttributeEntry *entry = segment_reader_attribute(reader, attno);
	ReaderChunk *chunk;
	const char *reason = NULL;

	if (entry == NULL || entry->kind == 0)
		return NULL;
	chunk = reader->chunks[attno - 1];
	if (chunk != NULL && chunk->chunk != NULL)
		return chunk->chunk;

	if (chunk == NULL)
	{
		chunk = MemoryContextAllocZero(reader->chunk_context, sizeof(ReaderChunk));
		chunk->source.fetch = chunk_fetch;
		chunk->source.length = entry->length;
		chunk->reader = reader;
		chunk->position = entry->position;
		reader->chunks[attno - 1] = chunk;
	}
	chunk->chunk = chunk_open(&chunk->source, (ValueKind) entry->kind,
							  reader->segment.nslots, &reader->allocator, &reason);
	if (chunk->chunk == NULL)
		segment_reader_report(reader, attno, reason);
	return chunk->chunk;
}
