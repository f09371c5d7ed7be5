/*
 * visibility.h
 *		The visibility map, by TID block.
 *
 * Index-only scans ask the server's visibility-map fork whether they have to
 * visit the table, by the block of the TID; so its bits are about TID blocks,
 * not about blocks of the file.
 *
 * (V1) A set bit says that the TID block is in a column-form segment that is
 * frozen, and has at least one row, no row header and no member of the dead
 * set: whatever index entry leads there leads to a row that everybody sees.
 * (V2) A bit is set under the lock, shared or exclusive, of the group's header,
 * and cleared under the exclusive one before the first row header of the TID
 * block is made.
 *
 * The server's own functions to set and clear bits are not used: they expect
 * that the bit is about the heap page of that number.
 */
#ifndef STORAGE_VISIBILITY_H
#define STORAGE_VISIBILITY_H

#include "storage/group.h"

#define GROUP_TID_BLOCKS	(GROUP_ROWS / TID_BLOCK_ROWS)

static inline BlockNumber
group_first_tid_block(uint32 group)
{
	return (BlockNumber) group * GROUP_TID_BLOCKS;
}

/*
 * A set of TID blocks of a group; bit i of word w is block 64 w + i.
 */
typedef struct TidBlockSet
{
	uint64		words[GROUP_TID_BLOCKS / 64];
} TidBlockSet;

static inline bool
tid_block_set_test(const TidBlockSet *set, int block)
{
	return (set->words[block / 64] >> (block % 64)) & 1;
}

static inline void
tid_block_set_add(TidBlockSet *set, int block)
{
	set->words[block / 64] |= UINT64CONST(1) << (block % 64);
}

static inline void
tid_block_set_remove(TidBlockSet *set, int block)
{
	set->words[block / 64] &= ~(UINT64CONST(1) << (block % 64));
}

/*
 * Clear the bit of a TID block, if it is set, in a record of its own.  The
 * group's header is locked exclusively, and no page behind it in lock order.
 */
extern void visibility_clear(Relation rel, BlockNumber tid_block);

/* The TID blocks of a group whose bits are set. */
extern void visibility_load(Relation rel, uint32 group, TidBlockSet *set);

/*
 * The TID blocks of a group whose bits may be set (V1), from its header, which
 * may be a copy; then headers and sets may have changed meanwhile.
 */
extern void visibility_judge(Relation rel, GroupHeaderData *header,
							 TidBlockSet *set);

/*
 * Set what bits of a group may be set.  For VACUUM, after it has cut the file,
 * because that cuts the map as if it were about blocks of the file.
 */
extern void visibility_set(Relation rel, uint32 group);

/* Bits that are set. */
extern BlockNumber visibility_count(Relation rel);

#endif							/* STORAGE_VISIBILITY_H */
