/*
 * row_link.h
 *		Links from a row version to the one that replaced it.
 *
 * heap tells an updated row from a deleted one by comparing t_ctid with the
 * tuple's physical address.  A link is the new version's TID with a bit set in
 * the offset, which makes it different from every physical address, from
 * speculative tokens and from the mark of a row moved to another partition.
 */
#ifndef ACCESS_ROW_LINK_H
#define ACCESS_ROW_LINK_H

#include "storage/layout.h"

#define ROW_LINK_BIT	0x4000

StaticAssertDecl(MaxOffsetNumber < ROW_LINK_BIT &&
				 TID_BLOCK_ROWS < ROW_LINK_BIT,
				 "a link must not look like an address");

static inline bool
item_pointer_is_row_link(const ItemPointerData *tid)
{
	OffsetNumber offnum = ItemPointerGetOffsetNumberNoCheck(tid);

	return offnum > ROW_LINK_BIT && offnum <= (ROW_LINK_BIT | TID_BLOCK_ROWS);
}

/* The link to a row, from its TID. */
static inline void
row_link_set(ItemPointer link, const ItemPointerData *tid)
{
	ItemPointerSet(link, ItemPointerGetBlockNumberNoCheck(tid),
				   ItemPointerGetOffsetNumberNoCheck(tid) | ROW_LINK_BIT);
}

/* The TID of the row that a link leads to. */
static inline void
row_link_get(const ItemPointerData *link, ItemPointer tid)
{
	ItemPointerSet(tid, ItemPointerGetBlockNumberNoCheck(link),
				   ItemPointerGetOffsetNumberNoCheck(link) & ~ROW_LINK_BIT);
}

#endif							/* ACCESS_ROW_LINK_H */
