/*
 * set_options.c
 *		columnar_set_options(): checks and stores options of a table.
 *
 * What is not named stays as it is.  Options concern what is written from then
 * on; rows that are there stay as they are until something writes them anew.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/table_am.h"
#include "access/table_options.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "compat.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

PG_FUNCTION_INFO_V1(columnar_set_options);

/* The value that resets an option: as a name of a column it is in quotes. */
#define DEFAULT_VALUE "default"

/* What the call is to change. */
typedef struct NewOptions
{
	bool		sets_optimize;
	Optimize	optimize;
	bool		sets_sort_key;
	List	   *sort_key;		/* of SortBy, with a ColumnRef each */
} NewOptions;

static bool
is_default(const char *value)
{
	return pg_strcasecmp(value, DEFAULT_VALUE) == 0;
}

/* ---- the arguments ---- */

static Optimize
parse_optimize_argument(const char *value)
{
	Optimize	optimize = OPTIMIZE_BALANCE;

	if (!is_default(value) && !optimize_from_name(value, &optimize))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid value for option \"%s\": \"%s\"",
						"optimize", value),
				 errhint("Valid values are \"speed\", \"balance\", \"size\" and \"default\".")));
	return optimize;
}

static void
sort_key_error_context(void *arg)
{
	errcontext("sort key \"%s\"", (const char *) arg);

	/* the position is not one in the user's query */
	errposition(0);
}

/* A statement of nothing but ORDER BY, or NULL. */
static SelectStmt *
order_by_statement(List *statements)
{
	SelectStmt *select;

	if (list_length(statements) != 1)
		return NULL;
	select = (SelectStmt *) linitial_node(RawStmt, statements)->stmt;
	if (!IsA(select, SelectStmt) || select->op != SETOP_NONE ||
		select->targetList != NIL || select->intoClause != NULL ||
		select->fromClause != NIL || select->whereClause != NULL ||
		select->groupClause != NIL || select->valuesLists != NIL ||
		select->limitOffset != NULL || select->limitCount != NULL ||
		select->lockingClause != NIL || select->withClause != NULL)
		return NULL;
	return select;
}

static bool
is_column_order(const SortBy *sort)
{
	const ColumnRef *column = (const ColumnRef *) sort->node;

	return IsA(column, ColumnRef) &&
		list_length(column->fields) == 1 &&
		IsA(linitial(column->fields), String) &&
		sort->sortby_dir != SORTBY_USING;
}

/*
 * A sort key is what stands behind ORDER BY, so the server's grammar reads it.
 */
static List *
parse_sort_key_argument(const char *value)
{
	ErrorContextCallback callback;
	StringInfoData query;
	SelectStmt *select;
	List	   *result = NIL;
	ListCell   *cell;

	if (value[strspn(value, " \t\r\n")] == '\0' || is_default(value))
		return NIL;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT ORDER BY %s", value);
	callback.callback = sort_key_error_context;
	callback.arg = (void *) value;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	select = order_by_statement(raw_parser(query.data, RAW_PARSE_DEFAULT));
	error_context_stack = callback.previous;

	if (select != NULL)
		result = select->sortClause;
	foreach(cell, result)
	{
		if (!is_column_order(lfirst_node(SortBy, cell)))
			result = NIL;
		if (result == NIL)
			break;
	}
	if (result == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid sort key \"%s\"", value),
				 errhint("A sort key lists names of columns, each with ASC or DESC and NULLS FIRST or NULLS LAST if need be.")));
	if (list_length(result) > SORT_KEY_MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_COLUMNS),
				 errmsg("sort key has more than %d columns",
						SORT_KEY_MAX_COLUMNS)));
	return result;
}

/* ---- the sort key of a table ---- */

static void
find_column(Relation rel, const SortBy *sort, SortKeyColumn *column)
{
	const ColumnRef *ref = (const ColumnRef *) sort->node;
	const char *name = strVal(linitial(ref->fields));
	TupleDesc	desc = RelationGetDescr(rel);

	column->attno = get_attnum(RelationGetRelid(rel), name);
	if (column->attno == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						name, RelationGetRelationName(rel))));
	if (column->attno < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot sort by system column \"%s\"", name)));

	column->is_descending = sort->sortby_dir == SORTBY_DESC;
	column->nulls_first = sort->sortby_nulls == SORTBY_NULLS_FIRST ||
		(sort->sortby_nulls == SORTBY_NULLS_DEFAULT && column->is_descending);
	if (!sort_key_column_resolve(desc, column))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an ordering operator for type %s",
						format_type_be(TupleDescAttr(desc, column->attno - 1)->atttypid)),
				 errdetail("Column \"%s\" cannot be part of a sort key.",
						   name)));
}

static void
store_sort_key(Relation rel, List *sort_key)
{
	SortKeyColumn columns[SORT_KEY_MAX_COLUMNS];
	int			ncolumns = 0;
	ListCell   *cell;

	foreach(cell, sort_key)
	{
		find_column(rel, lfirst_node(SortBy, cell), &columns[ncolumns]);
		for (int i = 0; i < ncolumns; i++)
			if (columns[i].attno == columns[ncolumns].attno)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" appears twice in sort key",
								NameStr(TupleDescAttr(RelationGetDescr(rel),
													  columns[i].attno - 1)->attname))));
		ncolumns++;
	}
	table_options_store_sort_key(rel, columns, ncolumns);
}

/* ---- tables ---- */

/* Nobody shall queue for a lock on a table that is not theirs. */
static void
check_owner(Oid relid)
{
	if (!relation_is_owned(relid))
		aclcheck_error(ACLCHECK_NOT_OWNER,
					   get_relkind_objtype(get_rel_relkind(relid)),
					   get_rel_name(relid));
}

static void
set_options(Relation rel, const NewOptions *options)
{
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot alter temporary tables of other sessions")));
	if (options->sets_optimize)
		table_options_store_optimize(rel, options->optimize);
	if (options->sets_sort_key)
		store_sort_key(rel, options->sort_key);
}

/*
 * All columnar partitions of a partitioned table, which itself has no options.
 */
static void
set_options_of_partitions(Relation parent, const NewOptions *options)
{
	List	   *relids = find_all_inheritors(RelationGetRelid(parent),
											 ShareUpdateExclusiveLock, NULL);
	bool		found = false;
	ListCell   *cell;

	foreach(cell, relids)
	{
		Relation	rel = relation_open(lfirst_oid(cell), NoLock);

		CHECK_FOR_INTERRUPTS();
		if (relation_is_columnar(rel))
		{
			check_owner(RelationGetRelid(rel));
			set_options(rel, options);
			found = true;
		}
		relation_close(rel, NoLock);
	}
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("partitioned table \"%s\" has no columnar partitions",
						RelationGetRelationName(parent))));
}

/*
 * columnar_set_options(relation, optimize, sort_key)
 */
Datum
columnar_set_options(PG_FUNCTION_ARGS)
{
	NewOptions	options = {0};
	Relation	rel;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null")));
	PreventCommandIfReadOnly("columnar_set_options()");
	PreventCommandDuringRecovery("columnar_set_options()");

	options.sets_optimize = !PG_ARGISNULL(1);
	if (options.sets_optimize)
		options.optimize = parse_optimize_argument(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	options.sets_sort_key = !PG_ARGISNULL(2);
	if (options.sets_sort_key)
		options.sort_key = parse_sort_key_argument(text_to_cstring(PG_GETARG_TEXT_PP(2)));

	/* the lock of ALTER TABLE ... SET (...): readers and writers go on */
	check_owner(PG_GETARG_OID(0));
	rel = relation_open(PG_GETARG_OID(0), ShareUpdateExclusiveLock);
	if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
		set_options_of_partitions(rel, &options);
	else if (relation_is_columnar(rel))
		set_options(rel, &options);
	else
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a columnar table",
						RelationGetRelationName(rel))));
	relation_close(rel, NoLock);

	/* another call in the same statement shall find it */
	CommandCounterIncrement();
	PG_RETURN_VOID();
}
