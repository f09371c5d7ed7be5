/*
 * upkeep.h
 *		Maintenance of a chunk group by those who write to the table.
 *
 * VACUUM comes when a fifth of the rows have changed, which takes their bytes
 * several times over: a row in row form is several times as large as one in
 * column form, and so is a row header in a well compressed table.  So whoever
 * has made so many of them sees to one group, when it writes the next time.
 */
#ifndef ACCESS_UPKEEP_H
#define ACCESS_UPKEEP_H

#include "storage/layout.h"
#include "utils/rel.h"

/* Is any group waiting for upkeep by this session? */
extern bool upkeep_is_due;

/* Count a row header that has been made in a group. */
extern void upkeep_count_header(Relation rel, uint32 group);

/* A row page for rows from an offset of a group on has been opened. */
extern void upkeep_note_row_page(Relation rel, uint32 group, uint32 first);

/*
 * See to a group of the relation, if one is due.  Called before a row is
 * written, with no lock held and no buffer pinned by the caller.
 */
extern void upkeep_run(Relation rel);

#endif							/* ACCESS_UPKEEP_H */
