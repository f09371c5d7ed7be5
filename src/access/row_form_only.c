/*
 * row_form_only.c
 *		Which relations have no rows that wait in a buffer.
 *
 * Rows in a buffer are announced: another session finds that they are there,
 * and by whom, but not their values; and in column form they are logged as
 * pages, which logical decoding passes over.  Here is who cannot bear that.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/row_form.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_index.h"
#include "catalog/pg_publication.h"
#include "compat.h"
#include "miscadmin.h"
#include "replication/slot.h"
#include "storage/lwlock.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/*
 * Would a uniqueness check look at values?
 */
static bool
index_checks_values(Oid index_oid)
{
	Relation	index = index_open(index_oid, AccessShareLock);
	HeapTuple	tuple = index->rd_indextuple;
	bool		special = !heap_attisnull(tuple, Anum_pg_index_indexprs, NULL) ||
		!heap_attisnull(tuple, Anum_pg_index_indpred, NULL);
	bool		result = index->rd_index->indisexclusion ||
		(index->rd_index->indisunique && special);

	index_close(index, NoLock);
	return result;
}

/*
 * What fills a new file of a table (ALTER TABLE) is passed over by publications.
 */
static bool
relation_publishes_inserts(Relation rel)
{
	PublicationDesc desc;

	if (OidIsValid(rel->rd_rel->relrewrite))
		return false;
	RelationBuildPublicationDesc(rel, &desc);
	return desc.pubactions.pubinsert;
}

/*
 * Does a slot stand for somebody who may decode this database without asking
 * publications?  A slot that is just being made has no plugin yet, and is
 * counted.  A physical one with a catalog_xmin belongs to a standby that has
 * logical slots, of which nothing else is known here.
 */
static bool
slot_may_be_plain(const ReplicationSlot *slot)
{
	if (!slot->in_use)
		return false;
	if (SlotIsPhysical(slot))
		return TransactionIdIsValid(slot->data.catalog_xmin);
	return slot->data.database == MyDatabaseId &&
		strcmp(NameStr(slot->data.plugin), "pgoutput") != 0;
}

/*
 * A slot that is made later does not matter: its reader starts behind all
 * transactions that have an xid by then, as ours has.
 */
static bool
database_has_plain_slot(void)
{
	bool		result = false;

	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < max_replication_slots && !result; i++)
		result = slot_may_be_plain(&ReplicationSlotCtl->replication_slots[i]);
	LWLockRelease(ReplicationSlotControlLock);
	return result;
}

bool
row_form_only_anew(Relation rel)
{
	if (!RelationIsLogicallyLogged(rel))
		return false;
	AcceptInvalidationMessages();
	return relation_publishes_inserts(rel);
}

bool
row_form_only(Relation rel)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;
	bool		result = false;

	foreach(cell, indexes)
	{
		result = index_checks_values(lfirst_oid(cell));
		if (result)
			break;
	}
	list_free(indexes);

	Assert(TransactionIdIsValid(GetTopTransactionIdIfAny()));
	if (!result && RelationIsLogicallyLogged(rel))
		result = row_form_only_anew(rel) || database_has_plain_slot();
	return result;
}
