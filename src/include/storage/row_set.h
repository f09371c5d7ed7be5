/*
 * row_set.h
 *		Sets of row offsets of a group: the deleted sets.
 *
 * In memory a set is a bitmap of a group's 65,536 rows.  In the file it is a
 * RowSetRef in the group header, with pages of kind PAGE_ROW_SET in the
 * smallest of three shapes; it is written once and replaced as a whole.
 */
#ifndef STORAGE_ROW_SET_H
#define STORAGE_ROW_SET_H

#include "storage/page.h"

/* Words of a bitmap of a group's rows; bit i of word w is offset 64 w + i. */
#define ROW_BITMAP_WORDS	(GROUP_ROWS / 64)

static inline bool
row_bitmap_test(const uint64 *bitmap, uint32 offset)
{
	return (bitmap[offset / 64] >> (offset % 64)) & 1;
}

static inline void
row_bitmap_set(uint64 *bitmap, uint32 offset)
{
	bitmap[offset / 64] |= UINT64CONST(1) << (offset % 64);
}

/* Set, or clear, the offsets from first up to, not including, limit. */
extern void row_bitmap_set_range(uint64 *bitmap, uint32 first, uint32 limit);
extern void row_bitmap_clear_range(uint64 *bitmap, uint32 first, uint32 limit);

/* Members among the offsets from first up to, not including, limit. */
extern uint32 row_bitmap_count(const uint64 *bitmap, uint32 first,
							   uint32 limit);

/* The reference of a set without members, which has no pages. */
extern void row_set_init(RowSetRef *ref);

/*
 * Add the members of a set to a bitmap.  Raises ERRCODE_DATA_CORRUPTED for a
 * damaged one.  The caller keeps the set's pages from being reused, as readers
 * do by a snapshot older than their retirement.
 */
extern void row_set_load(Relation rel, const RowSetRef *ref, uint64 *bitmap);

/* Is a row in a set?  As row_set_load, for one row. */
extern bool row_set_contains(Relation rel, const RowSetRef *ref,
							 uint32 offset);

/*
 * Write a bitmap's members to new pages, announced for owner; the caller
 * publishes the reference.
 */
extern RowSetRef row_set_write(Relation rel, const uint64 *bitmap,
							   FullTransactionId owner);

#endif							/* STORAGE_ROW_SET_H */
