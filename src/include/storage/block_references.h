/*
 * block_references.h
 *		Which blocks of a table's file something refers to.
 */
#ifndef STORAGE_BLOCK_REFERENCES_H
#define STORAGE_BLOCK_REFERENCES_H

#include "storage/group.h"

/*
 * Told of each extent that is referred to, once per reference.  what is an
 * English noun for it.
 */
typedef void (*BlockReferenceCallback) (void *argument, BlockNumber start,
										BlockNumber nblocks, const char *what);

/* The metapage, the directory and the free-space pages. */
extern void block_references_table(Relation rel,
								   BlockReferenceCallback callback,
								   void *argument);

/*
 * A group's header, in block blkno, and everything it refers to.  header is a
 * copy of it.
 */
extern void block_references_group(Relation rel, BlockNumber blkno,
								   const GroupHeaderData *header,
								   BlockReferenceCallback callback,
								   void *argument);

/*
 * A group's header block and a copy of the header; false if the group has
 * none.
 */
extern bool group_copy_header(Relation rel, uint32 group, BlockNumber *blkno,
							  GroupHeaderData *header);

#endif							/* STORAGE_BLOCK_REFERENCES_H */
