/*
 * standby_conflict.h
 *		Conflicts with snapshots on a hot standby.
 */
#ifndef STORAGE_STANDBY_CONFLICT_H
#define STORAGE_STANDBY_CONFLICT_H

#include "access/transam.h"
#include "utils/rel.h"

/*
 * Log that snapshots which still see horizon as running are to be cancelled on
 * standbys before what follows is replayed.  Nothing for relations that are not
 * logged or without standbys (XLogStandbyInfoActive).
 */
extern void standby_conflict(Relation rel, FullTransactionId horizon);

#endif							/* STORAGE_STANDBY_CONFLICT_H */
