/*
 * layout.h
 *		What a columnar table's main fork holds: the structures on its pages.
 *
 * docs/format.md specifies the bytes.  Metadata pages are native structures,
 * like the cluster they are part of (the metapage carries a byte-order mark);
 * the chunks on data pages are little-endian on every host.  All pages have a
 * standard header; contents lie below pd_lower, because Generic WAL zeroes the
 * hole.
 */
#ifndef STORAGE_LAYOUT_H
#define STORAGE_LAYOUT_H

#include "access/htup_details.h"
#include "access/transam.h"
#include "storage/block.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"

/* ---- row numbers and TIDs ---- */

/* A row's number in its table, 40 bits, never used twice. */
typedef uint64 RowNumber;

#define GROUP_ROWS			65536	/* row numbers of a chunk group */
#define VECTOR_ROWS			1024	/* row numbers of a vector */
#define GROUP_VECTORS		(GROUP_ROWS / VECTOR_ROWS)
#define TID_BLOCK_ROWS		256 /* row numbers of a TID block */

/* Block 0xFFFFFFFF is invalid, so its group cannot be used. */
#define MAX_GROUP			((uint32) 0xFFFFFE)
#define InvalidGroup		((uint32) 0xFFFFFFFF)
#define InvalidRowNumber	((RowNumber) PG_UINT64_MAX)

StaticAssertDecl(TID_BLOCK_ROWS <= MaxHeapTuplesPerPage,
				 "TID offsets must stay under the tid bitmap's limit");

static inline RowNumber
row_number(uint32 group, uint32 offset)
{
	return ((RowNumber) group << 16) + offset;
}

static inline uint32
row_number_group(RowNumber row)
{
	return (uint32) (row >> 16);
}

/* Position of a row number in its group, 0 to 65,535. */
static inline uint32
row_number_offset(RowNumber row)
{
	return (uint32) (row & (GROUP_ROWS - 1));
}

static inline void
row_number_to_tid(RowNumber row, ItemPointer tid)
{
	ItemPointerSet(tid, (BlockNumber) (row >> 8),
				   (OffsetNumber) ((row & (TID_BLOCK_ROWS - 1)) + 1));
}

/* InvalidRowNumber for an offset that no row of ours can have. */
static inline RowNumber
row_number_from_tid(ItemPointer tid)
{
	OffsetNumber offset = ItemPointerGetOffsetNumberNoCheck(tid);

	if (offset < 1 || offset > TID_BLOCK_ROWS)
		return InvalidRowNumber;
	return ((RowNumber) ItemPointerGetBlockNumberNoCheck(tid) << 8) + offset - 1;
}

/* ---- pages ---- */

typedef enum PageKind
{
	PAGE_META = 1,
	PAGE_DIRECTORY,
	PAGE_GROUP,					/* group header */
	PAGE_ROW_MAP,				/* list of row pages of a group */
	PAGE_FREE_SPACE,
	PAGE_ATTRIBUTES,			/* attribute entries of a column-form segment */
	PAGE_ROW_SET,				/* a deleted set */
	PAGE_TOAST_LIST,			/* TOAST values of moved rows */
	PAGE_ROW_HEADER_MAP,		/* list of row-header pages of a group */
	PAGE_ROW_HEADERS			/* heap tuple headers of single rows */
} PageKind;

#define PAGE_TAG_MAGIC		0xC01A
#define FORMAT_VERSION		1

/* First bytes of the contents of every metadata page. */
typedef struct PageTag
{
	uint16		magic;			/* PAGE_TAG_MAGIC */
	uint8		kind;			/* a PageKind */
	uint8		version;		/* FORMAT_VERSION */
	BlockNumber blkno;			/* of this page itself, against misdirected
								 * writes */
} PageTag;

StaticAssertDecl(sizeof(PageTag) == 8, "PageTag is on disk");

/* Bytes of contents of a page, and of a data page's part of a byte stream. */
#define PAGE_CONTENTS_LENGTH	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData))
#define DATA_PAGE_LENGTH		PAGE_CONTENTS_LENGTH

StaticAssertDecl(DATA_PAGE_LENGTH % 8 == 0, "streams are 8-byte aligned");

/* ---- metapage: block 0 ---- */

#define META_MAGIC			0x434F4C4D	/* "COLM" */
#define META_BYTE_ORDER		0x01020304
#define META_AVAILABLE		32
#define DIRECTORY_EXTENTS	16

typedef struct MetapageData
{
	PageTag		tag;
	uint32		magic;			/* META_MAGIC */
	uint32		byte_order;		/* META_BYTE_ORDER as the host has it */
	uint16		format_version; /* FORMAT_VERSION */
	uint16		navailable;		/* entries of available[] */
	uint32		next_group;		/* groups 0 to next_group - 1 exist */
	uint32		row_group;		/* group that small writes fill, or invalid */
	BlockNumber free_space;		/* first free-space page */

	/* Row page opened last: where a session without one of its own tries. */
	BlockNumber row_page;
	uint32		row_page_rows;	/* run length of that page */
	RowNumber	row_page_first;

	uint64		nrows;			/* row numbers given to rows, for the planner */

	/*
	 * Extent k of the directory has 2^k pages, made when needed, so that entry
	 * to page is arithmetic; InvalidBlockNumber: not made.
	 */
	BlockNumber directory[DIRECTORY_EXTENTS];

	/* Groups with unreserved vectors that nobody has open. */
	uint32		available[META_AVAILABLE];
} MetapageData;

/* ---- directory ---- */

#define DIRECTORY_LOADING		0x0001	/* a loader has the group open */
#define DIRECTORY_ALL_VISIBLE	0x0002	/* every row is visible to everybody */

typedef struct DirectoryEntry
{
	BlockNumber header;			/* block of the group header */
	uint32		nrows;			/* in column form, deleted ones excluded */
	uint16		flags;
	uint16		reserved;
	uint32		ndeleted;		/* in the two deleted sets together */
} DirectoryEntry;

StaticAssertDecl(sizeof(DirectoryEntry) == 16, "DirectoryEntry is on disk");

typedef struct DirectoryPageData
{
	PageTag		tag;
	DirectoryEntry entries[FLEXIBLE_ARRAY_MEMBER];
} DirectoryPageData;

#define DIRECTORY_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - sizeof(PageTag)) / sizeof(DirectoryEntry))

/* ---- group header ---- */

typedef enum SegmentForm
{
	SEGMENT_ANNOUNCED = 1,		/* reserved by a writer, nothing readable yet */
	SEGMENT_ROWS,				/* row pages, through the group's row map */
	SEGMENT_COLUMNS,			/* chunks in an extent */
	SEGMENT_DEAD,				/* no row; index entries may remain */
	SEGMENT_GONE				/* no row, no index entry */
} SegmentForm;

/*
 * The blocks of a segment in column form are consecutive but for a few places,
 * at which it says where they continue.
 */
#define SEGMENT_PARTS		4

typedef struct SegmentPart
{
	BlockNumber start;
	BlockNumber nblocks;
} SegmentPart;

/*
 * A run of whole vectors of a group.  Segments of a group are sorted by
 * first_vector, do not overlap and leave no gap below next_vector.
 */
typedef struct SegmentData
{
	/*
	 * Column form: xmin, cmin and infomask of the writer, as a heap tuple
	 * header, on which the server's visibility functions work in place, in the
	 * locked buffer.
	 */
	char		header[MAXALIGN(SizeofHeapTupleHeader)];
	uint8		form;			/* a SegmentForm */
	uint8		first_vector;
	uint8		nvectors;
	uint8		reserved1;
	uint16		flags;			/* SEGMENT_OPEN */
	uint16		natts;			/* column form: attributes of the writer */
	uint32		nslots;			/* row positions that exist, from the first on */
	uint32		nrows;			/* column form: slots that hold a row */
	uint16		nattribute_pages;	/* at the start of the extent */
	uint16		reserved2;
	BlockNumber start;			/* column form: the first block */
	BlockNumber nblocks;		/* of all parts */
	uint32		reserved3;
	FullTransactionId owner;	/* announced: the writer */

	/* Column form: the last blocks, if they are apart; see segment_blocks.h. */
	SegmentPart parts[SEGMENT_PARTS - 1];
} SegmentData;

#define SEGMENT_OPEN		0x0001	/* row form: more row pages may follow */

StaticAssertDecl(sizeof(SegmentData) == 88, "SegmentData is on disk");

#define segment_tuple_header(segment)	((HeapTupleHeader) (segment)->header)

/*
 * No row page of an open segment has rows on both sides of a multiple of this
 * offset: there the mover can take what is settled of a segment that is still
 * being written to.
 */
#define ROW_PAGES_BOUNDARY	(4 * VECTOR_ROWS)

/*
 * One row page: rows first to first + nrows - 1, row first + i at line pointer
 * i + 1.  Fewer line pointers than nrows: the others were never written.
 */
typedef struct RowMapEntry
{
	uint16		first;			/* offset in the group */
	uint16		nrows;			/* row numbers reserved, 1 to 256 */
	BlockNumber blkno;
} RowMapEntry;

typedef struct RowMapPageData
{
	PageTag		tag;
	RowMapEntry entries[FLEXIBLE_ARRAY_MEMBER];
} RowMapPageData;

#define ROW_MAP_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - sizeof(PageTag)) / sizeof(RowMapEntry))
#define ROW_MAP_PAGES \
	((GROUP_ROWS + ROW_MAP_PAGE_ENTRIES - 1) / ROW_MAP_PAGE_ENTRIES)

/*
 * A set of row offsets of a group, a byte stream on pages of kind
 * PAGE_ROW_SET; written once and replaced as a whole.
 */
typedef enum RowSetKind
{
	ROW_SET_EMPTY = 0,
	ROW_SET_ARRAY,				/* sorted uint16 */
	ROW_SET_RUNS,				/* sorted pairs: uint16 first, length - 1 */
	ROW_SET_BITMAP				/* 8,192 bytes, LSB first */
} RowSetKind;

typedef struct RowSetRef
{
	BlockNumber start;			/* first block, or InvalidBlockNumber */
	uint16		nblocks;
	uint16		kind;			/* a RowSetKind */
	uint32		nrows;			/* members */
	uint32		length;			/* bytes over all pages */
} RowSetRef;

/*
 * Row headers: the heap tuple headers of single rows of column-form segments,
 * made when such a row is deleted, updated or locked for the first time.
 *
 * Their pages are heap pages.  A page of level k serves 65,536 >> 2k rows that
 * lie together: level 0 the whole group, level 3 a vector, level 4 a TID block.
 * A header goes to the page of the lowest level that has room, so few headers
 * of a group share a page and many have one for every TID block.  Where a row's
 * header may be is thus a matter of arithmetic: one page of each level.
 *
 * The special space says which row each line pointer is for.
 */
#define ROW_HEADER_LEVELS	5
#define ROW_HEADER_PAGES	(1 + 4 + 16 + 64 + 256)

/* Place in the map of the page of a level that serves a row of the group. */
static inline int
row_header_slot(int level, uint32 offset)
{
	return ((1 << (2 * level)) - 1) / 3 + (int) (offset >> (16 - 2 * level));
}

typedef struct RowHeaderMapData
{
	PageTag		tag;
	uint32		group;
	BlockNumber pages[ROW_HEADER_PAGES];	/* invalid if not made */
} RowHeaderMapData;

StaticAssertDecl(sizeof(RowHeaderMapData) <= PAGE_CONTENTS_LENGTH,
				 "a row-header map is one page");

/* Special space of a row-header page. */
typedef struct RowHeaderPageTag
{
	uint16		magic;			/* PAGE_TAG_MAGIC */
	uint8		kind;			/* PAGE_ROW_HEADERS */
	uint8		version;		/* FORMAT_VERSION */
	BlockNumber blkno;			/* of this page itself */
	uint32		group;
	uint16		first;			/* offset of the first row that it serves */
	uint8		level;
	uint8		reserved;

	/* Offset in the group of the row that line pointer i + 1 is for. */
	uint16		offsets[FLEXIBLE_ARRAY_MEMBER];
} RowHeaderPageTag;

StaticAssertDecl(sizeof(RowHeaderPageTag) == 16, "RowHeaderPageTag is on disk");

/* A row header: a heap tuple header without attributes. */
#define ROW_HEADER_LENGTH	MAXALIGN(SizeofHeapTupleHeader)

/* Row headers of a page. */
#define ROW_HEADER_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - sizeof(RowHeaderPageTag) - MAXIMUM_ALIGNOF) / \
	 (ROW_HEADER_LENGTH + sizeof(ItemIdData) + sizeof(uint16)))
#define ROW_HEADER_SPECIAL_LENGTH \
	MAXALIGN(sizeof(RowHeaderPageTag) + ROW_HEADER_PAGE_ENTRIES * sizeof(uint16))

StaticAssertDecl(ROW_HEADER_PAGE_ENTRIES <= MaxHeapTuplesPerPage,
				 "the server's code limits line pointers of a heap page");
StaticAssertDecl(ROW_HEADER_PAGE_ENTRIES >= TID_BLOCK_ROWS,
				 "a page of the last level has room for every row it serves");

typedef struct GroupHeaderData
{
	PageTag		tag;
	uint32		group;
	uint16		nsegments;
	uint16		next_vector;	/* vectors below it are in a segment */
	FullTransactionId loader;	/* who has the group open, or invalid */
	uint32		nrow_pages;		/* entries of the row map over its pages */
	BlockNumber row_header_map; /* page of RowHeaderMapData, or invalid */
	RowSetRef	dead;			/* row gone, index entries may remain */
	RowSetRef	gone;			/* row and index entries gone */
	uint32		row_next;		/* first offset the open row segment has free */
	uint32		reserved;
	BlockNumber row_map[ROW_MAP_PAGES];
	SegmentData segments[GROUP_VECTORS];
} GroupHeaderData;

StaticAssertDecl(sizeof(GroupHeaderData) <= PAGE_CONTENTS_LENGTH,
				 "a group header is one page");

/* ---- attribute entries ---- */

#define ATTRIBUTE_HAS_RANGE		0x0001
#define ATTRIBUTE_HAS_SUM		0x0002
#define ATTRIBUTE_HAS_NAN		0x0004
#define ATTRIBUTE_MIN_TRUNCATED	0x0008
#define ATTRIBUTE_MAX_TRUNCATED	0x0010

/*
 * One attribute of a column-form segment.  Position and length say where its
 * chunk is in the segment's byte stream, which starts on the block after the
 * attribute pages.  kind 0: the attribute was dropped when it was written, so
 * it has no chunk.  min and max: int64, double or bytes, by value_class.
 */
typedef struct AttributeEntry
{
	uint64		position;		/* a multiple of 8 */
	uint64		length;
	uint8		kind;			/* a ValueKind, or 0 */
	uint8		value_class;	/* a ValueClass */
	uint16		flags;
	uint32		nnulls;
	uint32		ndistinct;		/* estimate, 0 if unknown */
	uint8		sum_scale;
	uint8		min_length;
	uint8		max_length;
	uint8		reserved1;
	int64		sum_high;
	uint64		sum_low;
	uint8		min[32];
	uint8		max[32];
	uint64		raw_bytes;		/* of the values before encoding */
	uint64		reserved2;
} AttributeEntry;

StaticAssertDecl(sizeof(AttributeEntry) == 128, "AttributeEntry is on disk");

typedef struct AttributePageData
{
	PageTag		tag;
	AttributeEntry entries[FLEXIBLE_ARRAY_MEMBER];
} AttributePageData;

#define ATTRIBUTE_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - sizeof(PageTag)) / sizeof(AttributeEntry))

/*
 * TOAST values of rows that the mover has turned, or is about to turn, from row
 * form to column form, which holds values whole.  first is a row that has one
 * of them.  The values are to be removed if that row is in row form no more: if
 * it still is, the mover did not get as far.
 */
typedef struct ToastListPageData
{
	PageTag		tag;
	uint32		group;
	uint32		first;			/* offset of the first row with a value */
	uint32		nvalues;
	Oid			values[FLEXIBLE_ARRAY_MEMBER];
} ToastListPageData;

#define TOAST_LIST_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - offsetof(ToastListPageData, values)) / sizeof(Oid))

/* ---- free space ---- */

typedef enum ExtentState
{
	EXTENT_FREE = 1,
	EXTENT_WAITING,				/* free once xid is behind every horizon */
	EXTENT_ANNOUNCED,			/* xid is writing it */
	EXTENT_TOAST_LIST			/* pages list values that xid, if any, removes */
} ExtentState;

typedef struct FreeExtent
{
	BlockNumber start;
	BlockNumber nblocks;
	FullTransactionId xid;		/* stamp or owner */
	uint32		state;			/* an ExtentState */
	uint32		reserved;
} FreeExtent;

StaticAssertDecl(sizeof(FreeExtent) == 24, "FreeExtent is on disk");

typedef struct FreeSpacePageData
{
	PageTag		tag;
	BlockNumber next;			/* next free-space page, or invalid */
	uint32		nextents;
	FreeExtent	extents[FLEXIBLE_ARRAY_MEMBER];
} FreeSpacePageData;

#define FREE_SPACE_PAGE_ENTRIES \
	((PAGE_CONTENTS_LENGTH - offsetof(FreeSpacePageData, extents)) / sizeof(FreeExtent))

#endif							/* STORAGE_LAYOUT_H */
