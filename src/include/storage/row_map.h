/*
 * row_map.h
 *		The list of a group's row pages, on pages of its own.
 *
 * Sorted by first row, appended to at the end.  Entries that no segment in row
 * form covers mean nothing.
 */
#ifndef STORAGE_ROW_MAP_H
#define STORAGE_ROW_MAP_H

#include "access/generic_xlog.h"
#include "storage/group.h"

/* Is there a page for the next entry? */
extern bool row_map_has_room(const GroupHeaderData *header);

/* Add a page to the map; takes locks itself. */
extern void row_map_grow(Relation rel, uint32 group);

/*
 * Add an entry in the record that state is, of which header is the working
 * copy of the group's header.  Returns the map page, locked, to be released
 * after GenericXLogFinish.
 */
extern Buffer row_map_add(Relation rel, GenericXLogState *state,
						  GroupHeaderData *header, const RowMapEntry *entry);

/*
 * Take back the last entries as far as they have rows from first up to limit,
 * of an announced segment: an error came between them and its publication, so
 * they mean nothing, and the same rows are about to be listed again.
 */
extern void row_map_rewind(Relation rel, uint32 group, uint32 first,
						   uint32 limit);

/* Append entries in records of their own; grows the map. */
extern void row_map_append(Relation rel, uint32 group,
						   const RowMapEntry *entries, int nentries);

#endif							/* STORAGE_ROW_MAP_H */
