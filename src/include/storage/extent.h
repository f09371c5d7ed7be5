/*
 * extent.h
 *		Writing a column-form segment: chunks in, pages out.
 */
#ifndef STORAGE_EXTENT_H
#define STORAGE_EXTENT_H

#include "encoding/chunk.h"
#include "storage/page.h"

/*
 * The chunks of all attributes are appended to one stream in attribute order;
 * extent_finish allocates the blocks, writes attribute pages and stream, and
 * logs them.
 */
typedef struct ExtentWriter ExtentWriter;

extern ExtentWriter *extent_begin(Relation rel, int natts);

/*
 * Encode an attribute into the stream.  Attributes that are passed over get no
 * chunk, as dropped ones do.
 */
extern void extent_add_attribute(ExtentWriter *writer, int attno,
								 const ChunkInput *input,
								 const ChunkOptions *options);

/*
 * Write everything to blocks announced for owner; sets natts,
 * nattribute_pages, nblocks and where they are of the segment.  Frees the writer.
 */
extern void extent_finish(ExtentWriter *writer, FullTransactionId owner,
						  SegmentData *segment);

/*
 * Copy a published segment to the blocks of another one, which nothing refers to
 * yet, and log these; or so the pages, all with a tag, of an extent.
 */
extern void extent_copy_segment(Relation rel, const SegmentData *source,
								const SegmentData *target);
extern void extent_copy(Relation rel, BlockNumber start, BlockNumber nblocks,
						BlockNumber target_start);

#endif							/* STORAGE_EXTENT_H */
