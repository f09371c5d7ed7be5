/*
 * compat.h
 *		Every difference between the supported versions of PostgreSQL.
 *
 * PG_VERSION_NUM is tested here and nowhere else.  A shim gives an old version
 * the newest version's name and signature, so that dropping a version means
 * deleting lines.  Oldest version first.
 *
 * Include it after postgres.h and before anything whose names it maps.
 */
#ifndef COLUMNAR_COMPAT_H
#define COLUMNAR_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "columnar needs PostgreSQL 15 or later"
#endif

#include "access/genam.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "commands/explain.h"
#include "commands/vacuum.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "pgstat.h"
#include "utils/acl.h"
#include "utils/rel.h"

/* ---- before 16 ---- */

#if PG_VERSION_NUM < 160000

#include "storage/relfilenode.h"

/* The module's entry points were not exported by their declarations. */
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(funcname) \
extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS); \
extern PGDLLEXPORT const Pg_finfo_record * CppConcat(pg_finfo_,funcname)(void); \
const Pg_finfo_record * \
CppConcat(pg_finfo_,funcname) (void) \
{ \
	static const Pg_finfo_record my_finfo = { 1 }; \
	return &my_finfo; \
} \
extern int no_such_variable

/* Since 16 fmgr.h declares it. */
extern PGDLLEXPORT void _PG_init(void);

/* Set-returning functions in materialize mode. */
#define InitMaterializedSRF(fcinfo, flags) SetSingleFuncCall(fcinfo, flags)

/* RelFileNode became RelFileLocator. */
typedef RelFileNode RelFileLocator;
typedef Oid RelFileNumber;

#define RelFileLocatorEquals(a, b) RelFileNodeEquals(a, b)
#define rd_locator rd_node
#define relNumber relNode
#define relation_set_new_filelocator relation_set_new_filenode

/* Counters of a relation were named otherwise. */
#define PGSTAT_TUPLES_RETURNED(rel) ((rel)->pgstat_info->t_counts.t_tuples_returned)

/* The result of tuple_update said only yes or no. */
typedef bool TU_UpdateIndexes;

#define TU_None false
#define TU_All true

/* Updates that go to another page were not counted. */
#define pgstat_count_heap_update(rel, hot, newpage) \
	((void) (newpage), pgstat_count_heap_update(rel, hot))

/* Checks of ownership had one function per kind of object. */
#define relation_is_owned(relid) pg_class_ownercheck(relid, GetUserId())

/* May a role call a function? */
#define function_aclcheck(oid, role, mode) pg_proc_aclcheck(oid, role, mode)

/* Fields of the B-tree's "reuse page" record; see standby_conflict.c. */
#define reuse_page_record_init(record, rel, horizon) \
	((record)->node = (rel)->rd_node, \
	 (record)->block = InvalidBlockNumber, \
	 (record)->latestRemovedFullXid = (horizon))

/* Zero blocks start to start + nblocks - 1, of which start is the next one. */
#define relation_zero_extend(rel, start, nblocks) \
	do { \
		PGAlignedBlock zero_block = {{0}}; \
		for (BlockNumber zero_i = 0; zero_i < (nblocks); zero_i++) \
			smgrextend(RelationGetSmgr(rel), MAIN_FORKNUM, (start) + zero_i, \
					   zero_block.data, !RelationIsPermanent(rel)); \
	} while (0)

#define HeapTupleHeaderAdvanceConflictHorizon HeapTupleHeaderAdvanceLatestRemovedXid

/* Would a tuple be frozen?  And what ids are in it? */
#define heap_tuple_should_freeze(tuple, cutoffs, oldest_xid, oldest_multi) \
	heap_tuple_would_freeze(tuple, (cutoffs)->FreezeLimit, \
							(cutoffs)->MultiXactCutoff, oldest_xid, \
							oldest_multi)

/* The next sorted Datum, ascending; not copied. */
#define columnar_tuplesort_getdatum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, value, isnull, NULL)

/* What VACUUM may remove and freeze. */
struct VacuumCutoffs
{
	TransactionId relfrozenxid;
	MultiXactId relminmxid;
	TransactionId OldestXmin;
	MultiXactId OldestMxact;
	TransactionId FreezeLimit;
	MultiXactId MultiXactCutoff;
};

static inline bool
vacuum_get_cutoffs(Relation rel, const VacuumParams *params,
				   struct VacuumCutoffs *cutoffs)
{
	cutoffs->relfrozenxid = rel->rd_rel->relfrozenxid;
	cutoffs->relminmxid = rel->rd_rel->relminmxid;
	return vacuum_set_xid_limits(rel, params->freeze_min_age,
								 params->freeze_table_age,
								 params->multixact_freeze_min_age,
								 params->multixact_freeze_table_age,
								 &cutoffs->OldestXmin, &cutoffs->OldestMxact,
								 &cutoffs->FreezeLimit,
								 &cutoffs->MultiXactCutoff);
}

#define index_vacuum_info_set_table(info, rel) ((void) 0)

#else

#include "varatt.h"

#define PGSTAT_TUPLES_RETURNED(rel) ((rel)->pgstat_info->counts.tuples_returned)

#define relation_is_owned(relid) \
	object_ownercheck(RelationRelationId, relid, GetUserId())

#define function_aclcheck(oid, role, mode) \
	object_aclcheck(ProcedureRelationId, oid, role, mode)

#define reuse_page_record_init(record, rel, horizon) \
	((record)->locator = (rel)->rd_locator, \
	 (record)->block = InvalidBlockNumber, \
	 (record)->snapshotConflictHorizon = (horizon), \
	 (record)->isCatalogRel = false)

#define relation_zero_extend(rel, start, nblocks) \
	smgrzeroextend(RelationGetSmgr(rel), MAIN_FORKNUM, start, nblocks, \
				   !RelationIsPermanent(rel))

#define columnar_tuplesort_getdatum(sort, value, isnull) \
	tuplesort_getdatum(sort, true, false, value, isnull, NULL)

#define index_vacuum_info_set_table(info, rel) ((info)->heaprel = (rel))

#endif							/* PG_VERSION_NUM < 160000 */

/* ---- before 17 ---- */

#if PG_VERSION_NUM < 170000

#include "postmaster/autovacuum.h"

#define AmAutoVacuumWorkerProcess() IsAutoVacuumWorkerProcess()

/*
 * The executor took the visibility map's word for rows that a bitmap names,
 * which VACUUM may have removed since.
 */
#define bitmap_scan_disable_skipping(node) ((node)->can_skip_fetch = false)

/* There was no privilege to maintain tables. */
#define relation_may_be_maintained(relid) relation_is_owned(relid)

/* Read streams read runs of blocks with few, large, prefetched reads. */
#define HAVE_READ_STREAM 0

/* ANALYZE hands over block numbers, not a stream. */
#define ANALYZE_BLOCK_PARAMETERS \
	BlockNumber block, BufferAccessStrategy strategy
#define analyze_next_sampled_block() (block)

#else

#include "storage/read_stream.h"

#define relation_may_be_maintained(relid) \
	(pg_class_aclcheck(relid, GetUserId(), ACL_MAINTAIN) == ACLCHECK_OK)

#define HAVE_READ_STREAM 1

#define bitmap_scan_disable_skipping(node) ((void) (node))

#define ANALYZE_BLOCK_PARAMETERS ReadStream *stream
#define analyze_next_sampled_block() \
	read_stream_next_block(stream, &(BufferAccessStrategy) {NULL})

/* Foreign key triggers ask a slot whether its row is the transaction's. */
#define TUPLE_SLOT_HAS_CURRENT_XACT_TEST

#endif							/* PG_VERSION_NUM < 170000 */

/* ---- before 18 ---- */

#if PG_VERSION_NUM < 180000

/* Nobody is told who holds a lock that is not waited for. */
#define conditional_xact_lock_table_wait(xid) ConditionalXactLockTableWait(xid)

/* It does not ask whether ANALYZE is the caller. */
#define vacuum_delay_point(is_analyze) vacuum_delay_point()

/* Index scans counted nothing for EXPLAIN. */
#define index_beginscan(heap, index, snapshot, instrument, nkeys, norderbys) \
	index_beginscan(heap, index, snapshot, nkeys, norderbys)

/* Orders were known by the strategies of btree. */
typedef int16 CompareType;
#define COMPARE_LT	BTLessStrategyNumber

/* Minimal tuples are made without room in front. */
#define SLOT_EXTRA_PARAMETER
#define SLOT_EXTRA_ARGUMENT

/* The executor iterates over a bitmap, and prefetches. */
#define BITMAP_SCAN_HAS_ITERATOR 0
#define bitmap_scan_disable_prefetch(node) ((node)->prefetch_maximum = 0)

/* Plans that were switched off were not counted, but cost more. */
#define cost_agg(path, root, strategy, costs, ncolumns, ngroups, quals, \
				 disabled_nodes, startup_cost, total_cost, ntuples, width) \
	cost_agg(path, root, strategy, costs, ncolumns, ngroups, quals, \
			 startup_cost, total_cost, ntuples, width)

/* pg_class did not count frozen pages. */
#define vac_update_relstats(rel, pages, tuples, visible, frozen, hasindex, \
							frozenxid, minmulti, xid_updated, multi_updated, \
							in_outer_xact) \
	vac_update_relstats(rel, pages, tuples, visible, hasindex, frozenxid, \
						minmulti, xid_updated, multi_updated, in_outer_xact)

/* VACUUM's start was not reported, and the relation not handed over. */
#define pgstat_report_vacuum(rel, live, dead, starttime) \
	pgstat_report_vacuum(RelationGetRelid(rel), (rel)->rd_rel->relisshared, \
						 live, dead)

/* The range table had no entry for groups, which do not count in EXPLAIN. */
#define explain_rtable_size(es) list_length((es)->rtable)

/* The attribute stood behind the declaration. */
#define pg_noreturn pg_attribute_noreturn()

/* A path that a setting forbids. */
#define path_disable(path) \
	((path)->startup_cost += disable_cost, (path)->total_cost += disable_cost)

#else

#include "commands/explain_format.h"
#include "commands/explain_state.h"

#define conditional_xact_lock_table_wait(xid) \
	ConditionalXactLockTableWait(xid, false)

#define SLOT_EXTRA_PARAMETER , Size extra
#define SLOT_EXTRA_ARGUMENT , extra

/* The access method iterates over a bitmap. */
#define BITMAP_SCAN_HAS_ITERATOR 1
#define bitmap_scan_disable_prefetch(node) ((void) (node))

#define explain_rtable_size(es) ((es)->rtable_size)

#define path_disable(path) ((path)->disabled_nodes++)

#if PG_VERSION_NUM < 190000
#define pgstat_report_vacuum(rel, live, dead, starttime) \
	pgstat_report_vacuum(RelationGetRelid(rel), (rel)->rd_rel->relisshared, \
						 live, dead, starttime)
#endif							/* PG_VERSION_NUM < 190000 */

#endif							/* PG_VERSION_NUM < 180000 */

/* ---- before 19 ---- */

/* Callbacks might change VACUUM's parameters. */
#if PG_VERSION_NUM < 190000
typedef VacuumParams *VacuumParamsPointer;
#else
typedef const VacuumParams *VacuumParamsPointer;
#endif							/* PG_VERSION_NUM < 190000 */

#endif							/* COLUMNAR_COMPAT_H */
