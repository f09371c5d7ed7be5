/*
 * directory.h
 *		From a group's number to its header, in O(1).
 */
#ifndef STORAGE_DIRECTORY_H
#define STORAGE_DIRECTORY_H

#include "storage/page.h"

/* Copy of a group's entry; false if the group does not exist. */
extern bool directory_lookup(Relation rel, uint32 group, DirectoryEntry *entry);

/*
 * Lock the page that has the entry of a group that exists; the entry is
 * entries[*index] of directory_page().  A caller that has the metapage locked
 * passes it, because it must not be locked again; others pass NULL.
 */
extern Buffer directory_read(Relation rel, const MetapageData *meta,
							 uint32 group, int lockmode, int *index);

#define directory_page(page)	((DirectoryPageData *) page_contents(page))

/*
 * Make the page for the entry of a group, if it is not there.  Call before
 * taking content locks.
 */
extern void directory_reserve(Relation rel, uint32 group);

/*
 * Forget where the directory is; after the relation's file has been truncated
 * to nothing without getting a new number.
 */
extern void directory_forget(Relation rel);

#endif							/* STORAGE_DIRECTORY_H */
