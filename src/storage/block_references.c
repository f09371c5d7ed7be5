/*
 * block_references.c
 *		Which blocks of a table's file something refers to.
 *
 * The one place that knows all kinds of references: VACUUM tiles the file with
 * it to find leaked blocks, columnar_verify() to find ones that are used twice.
 * A new kind of page that is left out here is freed under its owner's feet.
 */
#include "postgres.h"

#include "compat.h"

#include "storage/block_references.h"
#include "storage/directory.h"
#include "storage/free_space.h"
#include "storage/metapage.h"
#include "storage/row_header.h"
#include "storage/segment_blocks.h"

void
block_references_table(Relation rel, BlockReferenceCallback callback,
					   void *argument)
{
	MetapageData meta;
	BlockNumber *blocks;
	int			nblocks;

	if (!metapage_copy(rel, &meta))
		return;
	callback(argument, 0, 1, "metapage");

	for (int i = 0; i < DIRECTORY_EXTENTS; i++)
		if (meta.directory[i] != InvalidBlockNumber)
			callback(argument, meta.directory[i], 1U << i, "directory");

	nblocks = free_space_pages(rel, &blocks);
	for (int i = 0; i < nblocks; i++)
		callback(argument, blocks[i], 1, "free space");
	pfree(blocks);
}

static void
row_set_references(const RowSetRef *ref, BlockReferenceCallback callback,
				   void *argument)
{
	if (ref->kind != ROW_SET_EMPTY)
		callback(argument, ref->start, ref->nblocks, "deleted rows");
}

static void
row_map_references(const GroupHeaderData *header,
				   BlockReferenceCallback callback, void *argument)
{
	for (int i = 0; i < ROW_MAP_PAGES; i++)
		if (header->row_map[i] != InvalidBlockNumber)
			callback(argument, header->row_map[i], 1, "row map");
}

static void
row_page_references(Relation rel, const GroupHeaderData *header,
					const SegmentData *segment,
					BlockReferenceCallback callback, void *argument)
{
	RowMapEntry *pages;
	int			npages = group_row_pages(rel, header, segment_first(segment),
										 segment_limit(segment), &pages);

	for (int i = 0; i < npages; i++)
		callback(argument, pages[i].blkno, 1, "row page");
	pfree(pages);
}

static void
segment_references(const SegmentData *segment,
				   BlockReferenceCallback callback, void *argument)
{
	SegmentPart parts[SEGMENT_PARTS];
	int			nparts = segment_parts(segment, parts);

	for (int i = 0; i < nparts; i++)
		callback(argument, parts[i].start, parts[i].nblocks, "segment");
}

static void
row_header_references(Relation rel, const GroupHeaderData *header,
					  BlockReferenceCallback callback, void *argument)
{
	BlockNumber *pages;
	int			npages;

	if (header->row_header_map == InvalidBlockNumber)
		return;
	callback(argument, header->row_header_map, 1, "row header map");

	npages = row_header_pages(rel, header, 0, GROUP_ROWS, &pages);
	for (int i = 0; i < npages; i++)
		callback(argument, pages[i], 1, "row headers");
	pfree(pages);
}

void
block_references_group(Relation rel, BlockNumber blkno,
					   const GroupHeaderData *header,
					   BlockReferenceCallback callback, void *argument)
{
	callback(argument, blkno, 1, "group header");
	row_set_references(&header->dead, callback, argument);
	row_set_references(&header->gone, callback, argument);
	row_map_references(header, callback, argument);
	row_header_references(rel, header, callback, argument);

	for (int i = 0; i < header->nsegments; i++)
	{
		const SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_COLUMNS)
			segment_references(segment, callback, argument);
		else if (segment->form == SEGMENT_ROWS)
			row_page_references(rel, header, segment, callback, argument);
	}
}

bool
group_copy_header(Relation rel, uint32 group, BlockNumber *blkno,
				  GroupHeaderData *header)
{
	Buffer		buffer = group_read(rel, group, BUFFER_LOCK_SHARE);

	if (!BufferIsValid(buffer))
		return false;
	*blkno = BufferGetBlockNumber(buffer);
	memcpy(header, group_header(buffer), sizeof(GroupHeaderData));
	UnlockReleaseBuffer(buffer);
	return true;
}
