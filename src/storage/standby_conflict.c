/*
 * standby_conflict.c
 *		Conflicts with snapshots on a hot standby.
 *
 * The B-tree's "reuse page" record touches no page: its whole redo is to
 * resolve the recovery conflict with a horizon.  It serves any relation.
 */
#include "postgres.h"

#include "compat.h"

#include "access/nbtxlog.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "storage/standby_conflict.h"
#include "utils/relcache.h"

void
standby_conflict(Relation rel, FullTransactionId horizon)
{
	xl_btree_reuse_page record;

	if (!RelationNeedsWAL(rel) || !XLogStandbyInfoActive())
		return;

	memset(&record, 0, sizeof(record));
	reuse_page_record_init(&record, rel, horizon);
	XLogBeginInsert();
	XLogRegisterData((char *) &record, SizeOfBtreeReusePage);
	XLogInsert(RM_BTREE_ID, XLOG_BTREE_REUSE_PAGE);
}
