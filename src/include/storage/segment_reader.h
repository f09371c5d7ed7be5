/*
 * segment_reader.h
 *		Chunks of a column-form segment, read page by page as needed.
 *
 * The reader holds one image of the segment's byte stream, of which only pages
 * that were asked for are filled: every page is read from shared buffers at
 * most once while a segment is open, and a chunk is contiguous in memory.
 */
#ifndef STORAGE_SEGMENT_READER_H
#define STORAGE_SEGMENT_READER_H

#include "encoding/chunk.h"
#include "storage/page.h"

typedef struct SegmentReader SegmentReader;

/* A reader with a memory context of its own below the current one. */
extern SegmentReader *segment_reader_create(Relation rel,
											BufferAccessStrategy strategy);
extern void segment_reader_free(SegmentReader *reader);

/* Bytes that the image takes. */
extern Size segment_reader_image_memory(const SegmentReader *reader);

/* Expect that little is read of each page, here and there. */
extern void segment_reader_set_sparing(SegmentReader *reader);

/* Turn to another segment; closes the chunks of the last one. */
extern void segment_reader_open(SegmentReader *reader, uint32 group,
								const SegmentData *segment);

/*
 * An attribute's entry, or NULL if it was added after the segment was written.
 */
extern const AttributeEntry *segment_reader_attribute(SegmentReader *reader,
													  int attno);

/* Null count aside, the zone map of an attribute's chunk from its entry. */
extern void attribute_entry_zone(const AttributeEntry *entry, ZoneRange *range);

/*
 * Read the pages of these attributes' chunks (attribute numbers, ascending)
 * ahead, adjacent ones as one run.
 */
extern void segment_reader_load(SegmentReader *reader, const int *attnos,
								int natts);

/*
 * The open chunk of an attribute; NULL if it has none (dropped or added
 * later).  Raises ERRCODE_DATA_CORRUPTED for damaged bytes.
 */
extern ChunkReader *segment_reader_chunk(SegmentReader *reader, int attno);

/* Raise ERRCODE_DATA_CORRUPTED about a chunk of the open segment. */
pg_noreturn extern void segment_reader_report(SegmentReader *reader, int attno,
											  const char *reason);

#endif							/* STORAGE_SEGMENT_READER_H */
