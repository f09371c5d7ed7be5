/*
 * table_options.c
 *		Options of tables, kept as security labels of the server's catalog.
 *
 * A table's options must come and go with it, be renamed with its columns, and
 * be there before its rows when a dump is restored: rows that were loaded
 * without them would lie there unsorted.  A table of the extension's own can do
 * none of these; pg_dump even restores its rows after those of other tables.
 * Labels do all of it: the server removes them with a table or column, knows a
 * column by its number, and dumps them right behind the definition of their
 * table, also if only that table is dumped.  CREATE TABLE (LIKE) leaves them.
 *
 * The label of a table is "optimize=size", or none for the default; that of a
 * column of the sort key is "sort_key=", its place in the key counted from one,
 * and what would follow the column in ORDER BY.
 *
 * A table that is turned into one of another access method loses its labels:
 * nobody could restore them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/table_am.h"
#include "access/table_options.h"
#include "catalog/indexing.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation_d.h"
#include "catalog/pg_seclabel.h"
#include "columnar.h"
#include "commands/seclabel.h"
#include "common/string.h"
#include "compat.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#define LABEL_PROVIDER	"columnar"
#define OPTIMIZE_PREFIX	"optimize="
#define SORT_KEY_PREFIX	"sort_key="

static const char *const optimize_names[] = {
	[OPTIMIZE_SPEED] = "speed",
	[OPTIMIZE_BALANCE] = "balance",
	[OPTIMIZE_SIZE] = "size"
};

/* A column's label. */
typedef struct SortKeyLabel
{
	int			place;
	SortKeyColumn column;		/* without operator and collation */
} SortKeyLabel;

static object_access_hook_type prev_object_access = NULL;

bool
optimize_from_name(const char *name, Optimize *optimize)
{
	for (int i = 0; i < lengthof(optimize_names); i++)
	{
		if (strcmp(name, optimize_names[i]) == 0)
		{
			*optimize = (Optimize) i;
			return true;
		}
	}
	return false;
}

/* ---- labels as text ---- */

/* Go on behind a word of *text, if it is the next one. */
static bool
take_word(const char **text, const char *word)
{
	size_t		length = strlen(word);

	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool
parse_optimize(const char *label, Optimize *optimize)
{
	return take_word(&label, OPTIMIZE_PREFIX) &&
		optimize_from_name(label, optimize);
}

static bool
parse_sort_key(const char *label, SortKeyLabel *result)
{
	char	   *end;

	if (!take_word(&label, SORT_KEY_PREFIX) || *label < '1' || *label > '9')
		return false;
	errno = 0;
	result->place = strtoint(label, &end, 10);
	if (errno != 0 || result->place > SORT_KEY_MAX_COLUMNS)
		return false;
	label = end;
	result->column.is_descending = take_word(&label, " DESC");
	result->column.nulls_first = result->column.is_descending;
	if (take_word(&label, " NULLS FIRST"))
		result->column.nulls_first = true;
	else if (take_word(&label, " NULLS LAST"))
		result->column.nulls_first = false;
	return *label == '\0';
}

static char *
format_sort_key(int place, const SortKeyColumn *column)
{
	const char *nulls = "";

	if (column->nulls_first != column->is_descending)
		nulls = column->nulls_first ? " NULLS FIRST" : " NULLS LAST";
	return psprintf(SORT_KEY_PREFIX "%d%s%s", place,
					column->is_descending ? " DESC" : "", nulls);
}

/* ---- reading ---- */

/*
 * What the labels of a relation say.  One that makes no sense is passed over: no
 * load may fail for it.
 */
typedef struct RelationLabels
{
	bool		any;
	Optimize	optimize;
	int			nkeys;
	SortKeyLabel keys[SORT_KEY_MAX_COLUMNS];	/* by place */
} RelationLabels;

static void
add_sort_key(RelationLabels *labels, const SortKeyLabel *key)
{
	int			i = labels->nkeys;

	if (i == SORT_KEY_MAX_COLUMNS)
		return;
	while (i > 0 && labels->keys[i - 1].place > key->place)
	{
		labels->keys[i] = labels->keys[i - 1];
		i--;
	}
	labels->keys[i] = *key;
	labels->nkeys++;
}

static void
add_label(RelationLabels *labels, int attno, const char *label)
{
	SortKeyLabel key = {0};

	labels->any = true;
	if (attno == 0)
		(void) parse_optimize(label, &labels->optimize);
	else if (parse_sort_key(label, &key))
	{
		key.column.attno = (AttrNumber) attno;
		add_sort_key(labels, &key);
	}
}

static void
read_labels(Oid relid, RelationLabels *labels)
{
	Relation	catalog = table_open(SecLabelRelationId, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(catalog);
	SysScanDesc scan;
	ScanKeyData keys[2];
	HeapTuple	tuple;

	memset(labels, 0, sizeof(*labels));
	labels->optimize = OPTIMIZE_BALANCE;

	ScanKeyInit(&keys[0], Anum_pg_seclabel_objoid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(relid));
	ScanKeyInit(&keys[1], Anum_pg_seclabel_classoid, BTEqualStrategyNumber,
				F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	scan = systable_beginscan(catalog, SecLabelObjectIndexId, true, NULL, 2,
							  keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FormData_pg_seclabel *form = (FormData_pg_seclabel *) GETSTRUCT(tuple);
		bool		isnull;
		Datum		provider = heap_getattr(tuple, Anum_pg_seclabel_provider,
											desc, &isnull);
		Datum		label = heap_getattr(tuple, Anum_pg_seclabel_label, desc,
										 &isnull);

		if (strcmp(TextDatumGetCString(provider), LABEL_PROVIDER) == 0)
			add_label(labels, form->objsubid, TextDatumGetCString(label));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
}

bool
sort_key_column_resolve(TupleDesc desc, SortKeyColumn *column)
{
	Form_pg_attribute attr = TupleDescAttr(desc, column->attno - 1);
	TypeCacheEntry *type = lookup_type_cache(attr->atttypid,
											 TYPECACHE_LT_OPR |
											 TYPECACHE_GT_OPR);

	column->sort_operator = column->is_descending ? type->gt_opr : type->lt_opr;
	column->collation = OidIsValid(attr->attcollation) ? C_COLLATION_OID :
		InvalidOid;
	return OidIsValid(column->sort_operator);
}

void
table_options_get(Relation rel, TableOptions *options)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Oid			relid = RelationGetRelid(rel);
	RelationLabels labels;

	if (OidIsValid(rel->rd_rel->relrewrite))
		relid = rel->rd_rel->relrewrite;
	read_labels(relid, &labels);

	memset(options, 0, sizeof(*options));
	options->optimize = labels.optimize;
	for (int i = 0; i < labels.nkeys; i++)
	{
		SortKeyColumn *column = &options->sort_key[options->sort_key_natts];

		*column = labels.keys[i].column;
		if (column->attno > desc->natts ||
			TupleDescAttr(desc, column->attno - 1)->attisdropped)
			continue;
		if (!sort_key_column_resolve(desc, column))
			break;
		options->sort_key_natts++;
	}
}

void
table_options_chunk(const TableOptions *options, ChunkOptions *chunk_options)
{
	chunk_options_init(chunk_options, options->optimize);
	switch ((ColumnarCodec) columnar_codec)
	{
		case COLUMNAR_CODEC_AUTO:
			break;
		case COLUMNAR_CODEC_NONE:
			chunk_options->codec = CODEC_NONE;
			break;
		case COLUMNAR_CODEC_LZ4:
			chunk_options->codec = CODEC_LZ4;
			break;
		case COLUMNAR_CODEC_ZSTD:
			chunk_options->codec = CODEC_ZSTD;
			break;
	}
	if (columnar_codec_level > 0)
		chunk_options->codec_level = columnar_codec_level;
}

/* ---- writing ---- */

static void
set_label(Oid relid, int attno, const char *label)
{
	ObjectAddress address;

	ObjectAddressSubSet(address, RelationRelationId, relid, attno);
	SetSecurityLabel(&address, LABEL_PROVIDER, label);
}

void
table_options_store_optimize(Relation rel, Optimize optimize)
{
	char	   *label = NULL;

	if (optimize != OPTIMIZE_BALANCE)
		label = psprintf(OPTIMIZE_PREFIX "%s", optimize_names[optimize]);
	set_label(RelationGetRelid(rel), 0, label);
}

void
table_options_store_sort_key(Relation rel, const SortKeyColumn *columns,
							 int ncolumns)
{
	TupleDesc	desc = RelationGetDescr(rel);

	for (int attno = 1; attno <= desc->natts; attno++)
	{
		char	   *label = NULL;

		for (int i = 0; i < ncolumns; i++)
			if (columns[i].attno == attno)
				label = format_sort_key(i + 1, &columns[i]);
		set_label(RelationGetRelid(rel), attno, label);
	}
}

/* ---- SECURITY LABEL by hand, as in a dump ---- */

/*
 * The server has locked the relation, and knows that it is the user's.
 */
static void
check_label(const ObjectAddress *object, const char *label)
{
	Relation	rel;
	SortKeyLabel key = {0};
	Optimize	optimize;

	if (object->classId != RelationRelationId)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("labels of provider \"%s\" are for columnar tables and their columns only",
						LABEL_PROVIDER)));
	if (label == NULL)
		return;

	rel = relation_open(object->objectId, NoLock);
	if (!relation_is_columnar(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a columnar table",
						RelationGetRelationName(rel))));
	key.column.attno = (AttrNumber) object->objectSubId;
	if (object->objectSubId == 0 ? !parse_optimize(label, &optimize) :
		(object->objectSubId < 0 || !parse_sort_key(label, &key)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid label \"%s\" for a columnar table", label),
				 errhint("Use the function columnar_set_options.")));
	if (object->objectSubId > 0 &&
		!sort_key_column_resolve(RelationGetDescr(rel), &key.column))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify an ordering operator for type %s",
						format_type_be(TupleDescAttr(RelationGetDescr(rel),
													 object->objectSubId - 1)->atttypid))));
	relation_close(rel, NoLock);
}

/* ---- tables that cease to be columnar ---- */

/*
 * Is the relation columnar by its tuple as the running command has left it?
 */
static bool
relation_remains_columnar(Oid relid)
{
	Relation	catalog = table_open(RelationRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	tuple;
	HeapTuple	am_tuple;
	Oid			am = InvalidOid;
	bool		result;

	ScanKeyInit(&key, Anum_pg_class_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(catalog, ClassOidIndexId, true, SnapshotSelf, 1,
							  &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		am = ((Form_pg_class) GETSTRUCT(tuple))->relam;
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);

	am_tuple = SearchSysCache1(AMOID, ObjectIdGetDatum(am));
	if (!HeapTupleIsValid(am_tuple))
		return false;
	result = GetTableAmRoutine(((Form_pg_am) GETSTRUCT(am_tuple))->amhandler) ==
		&columnar_table_am_routine;
	ReleaseSysCache(am_tuple);
	return result;
}

static void
forget_labels(Oid relid, const RelationLabels *labels)
{
	set_label(relid, 0, NULL);
	for (int i = 0; i < labels->nkeys; i++)
		set_label(relid, labels->keys[i].column.attno, NULL);
}

static void
table_options_object_access(ObjectAccessType access, Oid class_id,
							Oid object_id, int sub_id, void *arg)
{
	if (access == OAT_POST_ALTER && class_id == RelationRelationId &&
		sub_id == 0)
	{
		RelationLabels labels;

		read_labels(object_id, &labels);
		if (labels.any && !relation_remains_columnar(object_id))
			forget_labels(object_id, &labels);
	}
	if (prev_object_access)
		prev_object_access(access, class_id, object_id, sub_id, arg);
}

void
table_options_init(void)
{
	register_label_provider(LABEL_PROVIDER, check_label);
	prev_object_access = object_access_hook;
	object_access_hook = table_options_object_access;
}
