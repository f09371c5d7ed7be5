/*
 * compact.c
 *		columnar_compact(): runs the mover by hand.
 */
#include "postgres.h"

#include "compat.h"

#include "access/group_scan.h"
#include "access/mover.h"
#include "access/table.h"
#include "access/table_am.h"
#include "access/toast_list.h"
#include "access/vacuum.h"
#include "access/xlog.h"
#include "commands/tablecmds.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/procarray.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(columnar_compact);

/*
 * Open the table under the mover's lock.  Privileges come first: nobody shall
 * queue for a lock on a table that is not theirs.
 */
static Relation
open_table(Oid relid)
{
	Relation	rel;

	if (!relation_may_be_maintained(relid))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));

	rel = table_open(relid, ShareUpdateExclusiveLock);
	if (!relation_is_columnar(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a columnar table",
						RelationGetRelationName(rel))));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));

	/* the horizon of temporary tables ignores our own open scans */
	CheckTableNotInUse(rel, "compact");
	return rel;
}

/*
 * columnar_compact(regclass): returns the number of rows written in column
 * form.
 */
Datum
columnar_compact(PG_FUNCTION_ARGS)
{
	Relation	rel;
	Mover		mover = {0};
	uint32		ngroups;

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("recovery is in progress"),
				 errhint("Columnar tables cannot be compacted during recovery.")));
	PreventCommandIfReadOnly("columnar_compact()");

	rel = open_table(PG_GETARG_OID(0));
	mover.rel = rel;
	mover.oldest_xmin = GetOldestNonRemovableTransactionId(rel);
	mover.eager = true;
	mover.strategy = GetAccessStrategy(BAS_VACUUM);

	ngroups = group_scan_ngroups(rel);
	if (ngroups > 0)
	{
		vacuum_finish_announcements(rel);
		toast_list_drop_stale(rel);
	}
	for (uint32 group = 0; group < ngroups; group++)
		mover_move_group(&mover, group);
	if (ngroups > 0)
		toast_list_finish(rel);

	/* the lock is kept: the old rows' TOAST values go with the transaction */
	table_close(rel, NoLock);
	PG_RETURN_INT64((int64) mover.nrows);
}
