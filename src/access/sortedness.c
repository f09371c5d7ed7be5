/*
 * sortedness.c
 *		columnar_sortedness(): how well zone maps can exclude what is not asked
 *		for, told from the zone maps alone.
 *
 * Two numbers tell two things.  The part of neighbouring vectors whose ranges
 * do not overlap says whether rows are in order where they lie; it is near 1 in
 * a table of which every load was sorted for itself.  The depth says what an
 * equality filter has to read: how many vectors' ranges a value lies in, on
 * average over the ends of all ranges.  That table has as many as it has sorted
 * runs, a table that is sorted as a whole has one.
 *
 * No chunk is read beyond its head, and no row is looked at, so ranges are those
 * that scans go by: they cover deleted rows, and strings are cut off.
 */
#include "postgres.h"

#include "access/attribute_kind.h"
#include "access/group_scan.h"
#include "access/table.h"
#include "access/table_am.h"
#include "access/table_options.h"
#include "catalog/pg_am.h"
#include "compat.h"
#include "encoding/zone_map.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(columnar_sortedness);

#define SORTEDNESS_NCOLUMNS 6

/* What is known of a string, and whether there may be more. */
#define STRING_KEY_LENGTH	(ZONE_PREFIX_LENGTH + 1)

/*
 * Ranges, as keys of a fixed width that memcmp orders; ends of one are at the
 * same place in both arrays until these are sorted.
 */
typedef struct RangeList
{
	int			width;
	Size		nranges;
	Size		maxranges;
	uint8	   *minima;
	uint8	   *maxima;
	Size		ndisjoint;		/* ranges that don't overlap the one before */
} RangeList;

/* An attribute that is asked about. */
typedef struct SortednessColumn
{
	Form_pg_attribute attr;
	ValueClass	value_class;
	RangeList	vectors;
	RangeList	segments;
} SortednessColumn;

/* ---- ranges ---- */

static void
range_list_init(RangeList *list, ValueClass value_class)
{
	memset(list, 0, sizeof(*list));
	list->width = value_class == CLASS_BYTES ? STRING_KEY_LENGTH : sizeof(uint64);
}

static uint8 *
resize(uint8 *array, Size size)
{
	if (array == NULL)
		return MemoryContextAllocHuge(CurrentMemoryContext, size);
	return repalloc_huge(array, size);
}

/* Room for one range more, and where its ends go. */
static void
range_list_extend(RangeList *list, uint8 **min, uint8 **max)
{
	if (list->nranges == list->maxranges)
	{
		list->maxranges = Max(list->maxranges * 2, 64);
		list->minima = resize(list->minima, list->maxranges * list->width);
		list->maxima = resize(list->maxima, list->maxranges * list->width);
	}
	*min = list->minima + list->nranges * list->width;
	*max = list->maxima + list->nranges * list->width;
	list->nranges++;
}

/* An unsigned integer as bytes that memcmp orders. */
static void
put_key(uint8 *bytes, uint64 key)
{
	for (int i = sizeof(key) - 1; i >= 0; i--)
	{
		bytes[i] = (uint8) key;
		key >>= 8;
	}
}

/*
 * Numerics are given as doubles next to them; take that back, or ranges that
 * meet would seem to overlap.
 */
static void
put_numeric_range(const ZoneRange *range, uint8 *min, uint8 *max)
{
	uint64		low = zone_key_double(range->min_float);
	uint64		high = zone_key_double(range->max_float);

	if (high > low + 1)
	{
		low++;
		high--;
	}
	put_key(min, range->has_range ? low : PG_UINT64_MAX);
	put_key(max, range->has_nan ? PG_UINT64_MAX : high);
}

static void
put_range(ValueClass value_class, const ZoneRange *range, uint8 *min,
		  uint8 *max)
{
	switch (value_class)
	{
		case CLASS_NONE:
			Assert(false);
			break;
		case CLASS_SIGNED:
			put_key(min, zone_key_signed(range->min_int));
			put_key(max, zone_key_signed(range->max_int));
			break;
		case CLASS_UNSIGNED:
			put_key(min, (uint64) range->min_int);
			put_key(max, (uint64) range->max_int);
			break;
		case CLASS_NUMERIC:
			put_numeric_range(range, min, max);
			break;
		case CLASS_FLOAT:
			/* NaN is outside of the range, and above it */
			put_key(min, range->has_range ?
					zone_key_double(range->min_float) : PG_UINT64_MAX);
			put_key(max, range->has_nan ? PG_UINT64_MAX :
					zone_key_double(range->max_float));
			break;
		case CLASS_BYTES:
			memset(min, 0, STRING_KEY_LENGTH);
			memset(max, range->max_truncated ? 0xFF : 0, STRING_KEY_LENGTH);
			memcpy(min, range->min_bytes, range->min_length);
			memcpy(max, range->max_bytes, range->max_length);
			break;
	}
}

static void
range_list_add(RangeList *list, ValueClass value_class,
			   const ZoneRange *range)
{
	int			width = list->width;
	uint8	   *min;
	uint8	   *max;

	if (!range->has_range && !range->has_nan)
		return;
	range_list_extend(list, &min, &max);
	put_range(value_class, range, min, max);
	if (list->nranges > 1 &&
		(memcmp(max - width, min, width) <= 0 ||
		 memcmp(max, min - width, width) <= 0))
		list->ndisjoint++;
}

static int
compare_keys(const void *a, const void *b, void *width)
{
	return memcmp(a, b, *(int *) width);
}

/*
 * Ranges that each of the points lies in, added up.  All arrays are sorted.
 */
static double
sum_of_depths(const RangeList *list, const uint8 *points)
{
	int			width = list->width;
	Size		begun = 0;		/* ranges that begin at the point or before */
	Size		ended = 0;		/* ranges that end before it */
	double		sum = 0;

	for (Size i = 0; i < list->nranges; i++)
	{
		const uint8 *point = points + i * width;

		while (begun < list->nranges &&
			   memcmp(list->minima + begun * width, point, width) <= 0)
			begun++;
		while (ended < list->nranges &&
			   memcmp(list->maxima + ended * width, point, width) < 0)
			ended++;
		sum += (double) begun - (double) ended;
	}
	return sum;
}

/*
 * The mean depth.  Sorts the ends, which then belong together no more.
 */
static double
range_list_depth(RangeList *list)
{
	Assert(list->nranges > 0);
	qsort_arg(list->minima, list->nranges, list->width, compare_keys,
			  &list->width);
	qsort_arg(list->maxima, list->nranges, list->width, compare_keys,
			  &list->width);
	return (sum_of_depths(list, list->minima) +
			sum_of_depths(list, list->maxima)) / (2.0 * list->nranges);
}

/* ---- reading zone maps ---- */

/*
 * The vectors of a chunk.  One that has no range of its own has its chunk's,
 * because nothing else is known of it.
 */
static void
add_vectors(SortednessColumn *column, GroupScan *scan,
			const ZoneRange *segment_range)
{
	ChunkReader *chunk = segment_reader_chunk(scan->reader,
											  column->attr->attnum);
	int			nvectors = group_scan_nvectors(scan);

	for (int vector = 0; vector < nvectors; vector++)
	{
		uint32		nrows = Min(VECTOR_ROWS,
								scan->segment->nslots - vector * VECTOR_ROWS);
		uint32		nnulls;
		ZoneRange	range;

		chunk_vector_zone(chunk, vector, &nnulls, &range);
		if (nnulls >= nrows)
			continue;
		if (!range.has_range && !range.has_nan)
			range = *segment_range;
		range_list_add(&column->vectors, column->value_class, &range);
	}
}

static void
add_segment(SortednessColumn *column, GroupScan *scan)
{
	const AttributeEntry *entry = segment_reader_attribute(scan->reader,
														   column->attr->attnum);
	ZoneRange	range;

	if (entry == NULL || entry->kind == 0 ||
		entry->value_class != column->value_class)
		return;
	attribute_entry_zone(entry, &range);
	if (!range.has_range && !range.has_nan)
		return;
	range_list_add(&column->segments, column->value_class, &range);
	add_vectors(column, scan, &range);
}

static void
read_zone_maps(Relation rel, SortednessColumn *columns, int ncolumns)
{
	GroupScan  *scan = group_scan_create(rel, GetActiveSnapshot(), NULL);
	uint32		ngroups = group_scan_ngroups(rel);

	for (uint32 group = 0; group < ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!group_scan_open(scan, group))
			continue;
		while (group_scan_next_segment(scan))
		{
			if (scan->segment->form != SEGMENT_COLUMNS)
				continue;
			for (int i = 0; i < ncolumns; i++)
				if (columns[i].value_class != CLASS_NONE)
					add_segment(&columns[i], scan);
		}
	}
	group_scan_free(scan);
}

/* ---- the function ---- */

static bool
may_select(Oid relid, AttrNumber attno)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck(relid, attno, GetUserId(),
							  ACL_SELECT) == ACLCHECK_OK;
}

/*
 * Ranges come from values, so whoever asks must be allowed to read them, all of
 * them.  Nobody queues for a lock before that is known.
 */
static void
check_privileges(Oid relid, AttrNumber attno)
{
	if (attno == InvalidAttrNumber ?
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
								  ACLMASK_ANY) != ACLCHECK_OK &&
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK :
		!may_select(relid, attno))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(relid));
	if (check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security keeps zone maps of table \"%s\" from you",
						get_rel_name(relid))));
}

/* The attribute's number, before the relation is locked. */
static AttrNumber
named_attribute(Oid relid, const char *name)
{
	AttrNumber	attno = get_attnum(relid, name);

	if (attno <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						name, get_rel_name(relid))));
	return attno;
}

static Relation
open_table(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);

	if (!relation_is_columnar(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a columnar table",
						RelationGetRelationName(rel))));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));
	return rel;
}

static void
add_column(Relation rel, AttrNumber attno, SortednessColumn *columns,
		   int *ncolumns)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(rel), attno - 1);
	SortednessColumn *column = &columns[*ncolumns];

	if (attr->attisdropped || !may_select(RelationGetRelid(rel), attno))
		return;
	column->attr = attr;
	column->value_class = attribute_class(attr);
	range_list_init(&column->vectors, column->value_class);
	range_list_init(&column->segments, column->value_class);
	(*ncolumns)++;
}

/*
 * The columns to be told about: the one that is named, or those of the sort
 * key, or all.
 */
static int
choose_columns(Relation rel, AttrNumber attno, SortednessColumn *columns)
{
	TableOptions options;
	int			ncolumns = 0;

	table_options_get(rel, &options);
	if (attno != InvalidAttrNumber)
		add_column(rel, attno, columns, &ncolumns);
	else if (options.sort_key_natts > 0)
	{
		for (int i = 0; i < options.sort_key_natts; i++)
			add_column(rel, options.sort_key[i].attno, columns, &ncolumns);
	}
	else
	{
		for (int i = 1; i <= RelationGetDescr(rel)->natts; i++)
			add_column(rel, i, columns, &ncolumns);
	}
	return ncolumns;
}

static void
return_column(ReturnSetInfo *result, SortednessColumn *column)
{
	RangeList  *vectors = &column->vectors;
	RangeList  *segments = &column->segments;
	Datum		values[SORTEDNESS_NCOLUMNS];
	bool		isnull[SORTEDNESS_NCOLUMNS] = {0};

	values[0] = NameGetDatum(&column->attr->attname);
	values[1] = Int64GetDatum((int64) vectors->nranges);
	values[4] = Int64GetDatum((int64) segments->nranges);
	if (vectors->nranges > 1)
		values[2] = Float8GetDatum((double) vectors->ndisjoint /
								   (vectors->nranges - 1));
	else
		isnull[2] = true;
	if (vectors->nranges > 0)
		values[3] = Float8GetDatum(range_list_depth(vectors));
	else
		isnull[3] = true;
	if (segments->nranges > 0)
		values[5] = Float8GetDatum(range_list_depth(segments));
	else
		isnull[5] = true;
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

/*
 * columnar_sortedness(relation, attribute name or NULL)
 */
Datum
columnar_sortedness(PG_FUNCTION_ARGS)
{
	Oid			relid;
	AttrNumber	attno = InvalidAttrNumber;
	Relation	rel;
	SortednessColumn *columns;
	int			ncolumns;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null")));
	relid = PG_GETARG_OID(0);
	if (!PG_ARGISNULL(1))
		attno = named_attribute(relid, NameStr(*PG_GETARG_NAME(1)));
	check_privileges(relid, attno);
	InitMaterializedSRF(fcinfo, 0);

	rel = open_table(relid);
	columns = palloc(Max(RelationGetDescr(rel)->natts, SORT_KEY_MAX_COLUMNS) *
					 sizeof(SortednessColumn));
	ncolumns = choose_columns(rel, attno, columns);
	read_zone_maps(rel, columns, ncolumns);
	for (int i = 0; i < ncolumns; i++)
		return_column((ReturnSetInfo *) fcinfo->resultinfo, &columns[i]);
	table_close(rel, AccessShareLock);
	return (Datum) 0;
}
