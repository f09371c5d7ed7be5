/*
 * metapage.h
 *		Block 0: what the table as a whole has.
 */
#ifndef STORAGE_METAPAGE_H
#define STORAGE_METAPAGE_H

#include "storage/page.h"

/*
 * Lock the metapage.  InvalidBuffer if the table has none: it is empty.
 * Refuses unknown versions and the other byte order.
 */
extern Buffer metapage_read(Relation rel, int lockmode);

/* As metapage_read, but makes the metapage where there is none. */
extern Buffer metapage_read_or_create(Relation rel, int lockmode);

#define metapage_data(buffer)	((MetapageData *) buffer_contents(buffer))

/* Copy of the metapage; false if the table has none. */
extern bool metapage_copy(Relation rel, MetapageData *copy);

#endif							/* STORAGE_METAPAGE_H */
