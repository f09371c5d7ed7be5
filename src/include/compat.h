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

/* ---- before 16 ---- */

#if PG_VERSION_NUM < 160000

#include "fmgr.h"
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

/* RelFileNode became RelFileLocator. */
typedef RelFileNode RelFileLocator;
typedef Oid RelFileNumber;

#define rd_locator rd_node
#define smgr_rlocator smgr_rnode
#define relNumber relNode
#define spcOid spcNode
#define dbOid dbNode
#define relation_set_new_filelocator relation_set_new_filenode

/* The result of tuple_update said only yes or no. */
typedef bool TU_UpdateIndexes;

#define TU_None false
#define TU_All true

#else

#include "varatt.h"

#endif							/* PG_VERSION_NUM < 160000 */

/* ---- before 18 ---- */

#if PG_VERSION_NUM < 180000

#include "commands/explain.h"

#define columnar_vacuum_delay_point() vacuum_delay_point()

#else

#include "commands/explain.h"
#include "commands/explain_format.h"
#include "commands/explain_state.h"

#define columnar_vacuum_delay_point() vacuum_delay_point(false)

#endif							/* PG_VERSION_NUM < 180000 */

#endif							/* COLUMNAR_COMPAT_H */
