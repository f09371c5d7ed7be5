/*
 * chunk_report.c
 *		columnar_chunks() and columnar_columns(): how columns are stored.
 *
 * A row per chunk, or all chunks of an attribute added up.  The query's
 * snapshot keeps what a copy of a group's header refers to from being reused
 * (I6 in src/storage/README), so others go on with writing.  Segments whose
 * writer the snapshot does not see are left out.
 *
 * Privileges are those of the server's view of statistics: attributes that the
 * user may not read are left out, and where policies hide rows of the table
 * from him, so are counts and values, which may come from such rows.
 */
#include "postgres.h"

#include <math.h>

#include "access/attribute_kind.h"
#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/load_buffer.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/table_am.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/block_references.h"
#include "storage/segment_reader.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(columnar_chunks);
PG_FUNCTION_INFO_V1(columnar_columns);

/* Different encodings of an attribute's vectors that are told apart. */
#define MAX_ENCODINGS	32

typedef struct EncodingCount
{
	const char *name;			/* a constant of the encoding library */
	uint64		nvectors;
} EncodingCount;

/* One chunk, or all of an attribute. */
typedef struct ColumnSum
{
	uint64		nchunks;
	uint64		nrows;
	uint64		nnulls;
	uint64		bytes;
	uint64		raw_bytes;
	uint32		ndistinct;		/* of the chunk with most; 0 if unknown */
	int			nencodings;
	EncodingCount encodings[MAX_ENCODINGS];
	bool		range_is_unknown;	/* of some values */
	ZoneRange	range;
} ColumnSum;

typedef struct ChunkReport
{
	Relation	rel;
	Snapshot	snapshot;
	Tuplestorestate *store;
	TupleDesc	store_desc;
	bool		shows_content;	/* no policy hides rows from the user */
	bool	   *readable;		/* by attribute: may the user read it? */
	bool		by_chunk;
	ColumnSum  *sums;			/* by attribute, unless by chunk */
	SegmentReader *reader;
	uint32		group;
	const SegmentData *segment; /* at hand */
} ChunkReport;

/* ---- adding up ---- */

static void
count_encoding(ColumnSum *sum, const char *name)
{
	int			i = 0;

	while (i < sum->nencodings && strcmp(sum->encodings[i].name, name) != 0)
		i++;
	if (i == MAX_ENCODINGS)
		return;
	if (i == sum->nencodings)
	{
		sum->encodings[i].name = name;
		sum->encodings[i].nvectors = 0;
		sum->nencodings++;
	}
	sum->encodings[i].nvectors++;
}

static int
compare_prefixes(const uint8 *a, int alength, const uint8 *b, int blength)
{
	int			order = memcmp(a, b, Min(alength, blength));

	return order != 0 ? order : alength - blength;
}

static void
add_bytes_range(ZoneRange *sum, const ZoneRange *range)
{
	int			order;

	if (compare_prefixes(range->min_bytes, range->min_length,
						 sum->min_bytes, sum->min_length) < 0)
	{
		memcpy(sum->min_bytes, range->min_bytes, sizeof(sum->min_bytes));
		sum->min_length = range->min_length;
		sum->min_truncated = range->min_truncated;
	}

	/* of equal prefixes, a truncated one stands for greater strings */
	order = compare_prefixes(range->max_bytes, range->max_length,
							 sum->max_bytes, sum->max_length);
	if (order > 0 || (order == 0 && range->max_truncated))
	{
		memcpy(sum->max_bytes, range->max_bytes, sizeof(sum->max_bytes));
		sum->max_length = range->max_length;
		sum->max_truncated = range->max_truncated;
	}
}

static void
add_range(ZoneRange *sum, const ZoneRange *range, ValueClass value_class)
{
	bool		has_nan = sum->has_nan || range->has_nan;

	if (range->has_range && !sum->has_range)
		*sum = *range;
	else if (range->has_range)
	{
		switch (value_class)
		{
			case CLASS_SIGNED:
				sum->min_int = Min(sum->min_int, range->min_int);
				sum->max_int = Max(sum->max_int, range->max_int);
				break;
			case CLASS_UNSIGNED:
				sum->min_int = Min((uint64) sum->min_int, (uint64) range->min_int);
				sum->max_int = Max((uint64) sum->max_int, (uint64) range->max_int);
				break;
			case CLASS_FLOAT:
			case CLASS_NUMERIC:
				sum->min_float = Min(sum->min_float, range->min_float);
				sum->max_float = Max(sum->max_float, range->max_float);
				break;
			case CLASS_BYTES:
				add_bytes_range(sum, range);
				break;
			case CLASS_NONE:
				break;
		}
	}
	sum->has_nan = has_nan;
}

/*
 * Add the chunk of an attribute in the segment at hand.  A range counts only if
 * it is about values of the type that the attribute has now.
 */
static void
add_chunk(ChunkReport *report, int attno, const AttributeEntry *entry,
		  ColumnSum *sum)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(report->rel),
										   attno - 1);
	uint32		nslots = report->segment->nslots;
	ChunkReader *chunk = segment_reader_chunk(report->reader, attno);
	ZoneRange	range;

	sum->nchunks++;
	sum->nrows += nslots;
	sum->nnulls += entry->nnulls;
	sum->bytes += entry->length;
	sum->raw_bytes += entry->raw_bytes;
	sum->ndistinct = Max(sum->ndistinct, entry->ndistinct);
	for (uint32 vector = 0; vector * VECTOR_ROWS < nslots; vector++)
		count_encoding(sum, chunk_vector_encoding(chunk, vector));

	if (entry->nnulls == nslots)
		return;
	attribute_entry_zone(entry, &range);
	if (entry->value_class != attribute_class(attr) ||
		entry->kind != attribute_kind(attr) ||
		(!range.has_range && !range.has_nan))
		sum->range_is_unknown = true;
	else
		add_range(&sum->range, &range, (ValueClass) entry->value_class);
}

/* ---- values as text ---- */

static char *
output_value(Form_pg_attribute attr, Datum value)
{
	Oid			function;
	bool		is_varlena;

	getTypeOutputInfo(attr->atttypid, &function, &is_varlena);
	return OidOutputFunctionCall(function, value);
}

static char *
integer_text(Form_pg_attribute attr, int64 value)
{
	switch (attr->attlen)
	{
		case 1:
			return output_value(attr, CharGetDatum((char) value));
		case 2:
			return output_value(attr, Int16GetDatum((int16) value));
		case 4:
			return output_value(attr, Int32GetDatum((int32) value));
		default:
			return output_value(attr, Int64GetDatum(value));
	}
}

/* Zone maps have numerics as doubles, rounded outwards: take that back. */
static char *
float_text(Form_pg_attribute attr, double value)
{
	if (attr->attlen == sizeof(float4))
		return output_value(attr, Float4GetDatum((float4) value));
	if (attr->attlen == sizeof(float8))
		return output_value(attr, Float8GetDatum(value));
	return psprintf("%.12g", value);
}

/*
 * A string, or a prefix of one, which is then marked as such and does not end
 * within a character.
 */
static char *
bytes_text(Form_pg_attribute attr, const uint8 *bytes, int length,
		   bool truncated)
{
	struct varlena *value;
	bool		is_text = OidIsValid(attr->attcollation);

	if (attr->attlen > 0)
	{
		char	   *fixed = palloc0(attr->attlen);

		if (truncated || length != attr->attlen)
			return NULL;
		memcpy(fixed, bytes, length);
		return output_value(attr, PointerGetDatum(fixed));
	}
	if (attr->attlen != -1)
		return NULL;
	if (truncated && is_text)
		length = pg_mbcliplen((const char *) bytes, length, length);
	if (is_text && !pg_verifymbstr((const char *) bytes, length, true))
		return NULL;
	value = palloc(VARHDRSZ + length);
	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), bytes, length);
	return psprintf("%s%s", output_value(attr, PointerGetDatum(value)),
					truncated ? "..." : "");
}

/* The smallest or largest value of a range, or NULL. */
static char *
bound_text(Form_pg_attribute attr, const ZoneRange *range, bool is_max)
{
	ValueClass	value_class = attribute_class(attr);

	/* NaN is greater than all others */
	if (range->has_nan && (is_max || !range->has_range))
		return pstrdup("NaN");
	if (!range->has_range)
		return NULL;
	switch (value_class)
	{
		case CLASS_SIGNED:
		case CLASS_UNSIGNED:
			return integer_text(attr, is_max ? range->max_int : range->min_int);
		case CLASS_FLOAT:
		case CLASS_NUMERIC:
			return float_text(attr,
							  is_max ? range->max_float : range->min_float);
		case CLASS_BYTES:
			return is_max ?
				bytes_text(attr, range->max_bytes, range->max_length,
						   range->max_truncated) :
				bytes_text(attr, range->min_bytes, range->min_length,
						   range->min_truncated);
		case CLASS_NONE:
			break;
	}
	return NULL;
}

/* Numbers of vectors by encoding, as a JSON object. */
static Datum
encodings_json(const ColumnSum *sum)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < sum->nencodings; i++)
		appendStringInfo(&text, "%s\"%s\": " UINT64_FORMAT,
						 i == 0 ? "{" : ", ", sum->encodings[i].name,
						 sum->encodings[i].nvectors);
	appendStringInfoString(&text, sum->nencodings == 0 ? "{}" : "}");
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

/* ---- rows of the result ---- */

/*
 * Columns of the result, for columnar_chunks with those of the place before
 * them.
 */
enum
{
	PLACE_GROUP,
	PLACE_SEGMENT,
	PLACE_COLUMNS
};

enum
{
	SUM_ATTRIBUTE,
	SUM_CHUNKS,					/* of columnar_columns only */
	SUM_ROWS,
	SUM_ENCODINGS,
	SUM_BYTES,
	SUM_RAW_BYTES,
	SUM_RATIO,
	SUM_NULLS,
	SUM_DISTINCT,
	SUM_MIN,
	SUM_MAX,
	SUM_COLUMNS
};

static void
set_bound(const ChunkReport *report, Form_pg_attribute attr,
		  const ColumnSum *sum, bool is_max, Datum *value, bool *isnull)
{
	char	   *text = NULL;

	if (report->shows_content && !sum->range_is_unknown)
		text = bound_text(attr, &sum->range, is_max);
	*isnull = text == NULL;
	*value = *isnull ? (Datum) 0 : CStringGetTextDatum(text);
}

static void
fill_sum(const ChunkReport *report, int attno, const ColumnSum *sum,
		 Datum *values, bool *isnull)
{
	Form_pg_attribute attr = TupleDescAttr(RelationGetDescr(report->rel),
										   attno - 1);

	memset(isnull, 0, SUM_COLUMNS * sizeof(bool));
	values[SUM_ATTRIBUTE] = NameGetDatum(&attr->attname);
	values[SUM_CHUNKS] = Int64GetDatum((int64) sum->nchunks);
	values[SUM_ROWS] = Int64GetDatum((int64) sum->nrows);
	values[SUM_ENCODINGS] = encodings_json(sum);
	values[SUM_BYTES] = Int64GetDatum((int64) sum->bytes);
	values[SUM_RAW_BYTES] = Int64GetDatum((int64) sum->raw_bytes);
	values[SUM_RATIO] = Float8GetDatum(sum->bytes == 0 ? 0 :
									   rint(100.0 * sum->raw_bytes / sum->bytes) / 100);
	isnull[SUM_RATIO] = sum->bytes == 0;
	values[SUM_NULLS] = Int64GetDatum((int64) sum->nnulls);
	isnull[SUM_NULLS] = !report->shows_content;
	values[SUM_DISTINCT] = Int64GetDatum((int64) sum->ndistinct);
	isnull[SUM_DISTINCT] = !report->shows_content || sum->ndistinct == 0;
	set_bound(report, attr, sum, false, &values[SUM_MIN], &isnull[SUM_MIN]);
	set_bound(report, attr, sum, true, &values[SUM_MAX], &isnull[SUM_MAX]);
}

static void
put_sum(ChunkReport *report, int attno, const ColumnSum *sum)
{
	Datum		values[PLACE_COLUMNS + SUM_COLUMNS];
	bool		isnull[PLACE_COLUMNS + SUM_COLUMNS];

	if (!report->by_chunk)
	{
		fill_sum(report, attno, sum, values, isnull);
		tuplestore_putvalues(report->store, report->store_desc, values, isnull);
		return;
	}

	/* a chunk is not counted: its attribute takes that place */
	fill_sum(report, attno, sum, values + 1, isnull + 1);
	values[PLACE_COLUMNS] = values[1 + SUM_ATTRIBUTE];
	values[PLACE_GROUP] = Int64GetDatum(report->group);
	values[PLACE_SEGMENT] = Int32GetDatum(report->segment->first_vector);
	isnull[PLACE_COLUMNS] = isnull[PLACE_GROUP] = isnull[PLACE_SEGMENT] = false;
	tuplestore_putvalues(report->store, report->store_desc, values, isnull);
}

/* ---- the walk ---- */

static void
report_segment(ChunkReport *report, const SegmentData *segment)
{
	int			natts = RelationGetDescr(report->rel)->natts;

	report->segment = segment;
	segment_reader_open(report->reader, report->group, segment);
	for (int attno = 1; attno <= natts; attno++)
	{
		const AttributeEntry *entry;
		ColumnSum	chunk_sum;

		CHECK_FOR_INTERRUPTS();
		if (!report->readable[attno - 1])
			continue;
		entry = segment_reader_attribute(report->reader, attno);
		if (entry == NULL || entry->kind == 0)
			continue;
		if (!report->by_chunk)
		{
			add_chunk(report, attno, entry, &report->sums[attno - 1]);
			continue;
		}
		memset(&chunk_sum, 0, sizeof(chunk_sum));
		add_chunk(report, attno, entry, &chunk_sum);
		put_sum(report, attno, &chunk_sum);
	}
}

/*
 * Copy a group's header and note which segments in column form the snapshot
 * sees.  False if the group does not exist.
 */
static bool
copy_group(ChunkReport *report, GroupHeaderData *header, bool *visible)
{
	Buffer		buffer = group_read(report->rel, report->group,
									BUFFER_LOCK_SHARE);
	GroupHeaderData *page;

	if (!BufferIsValid(buffer))
		return false;
	page = group_header(buffer);
	*header = *page;
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &page->segments[i];
		HeapTupleData tuple;

		visible[i] = segment->form == SEGMENT_COLUMNS;
		if (!visible[i])
			continue;
		segment_tuple(report->rel, segment,
					  row_number(report->group, segment_first(segment)), &tuple);
		visible[i] = HeapTupleSatisfiesVisibility(&tuple, report->snapshot,
												  buffer);
	}
	UnlockReleaseBuffer(buffer);
	return true;
}

static void
report_group(ChunkReport *report)
{
	GroupHeaderData *header = palloc(sizeof(GroupHeaderData));
	bool		visible[GROUP_VECTORS];

	if (!copy_group(report, header, visible))
		return;
	for (int i = 0; i < header->nsegments; i++)
		if (visible[i])
			report_segment(report, &header->segments[i]);
}

static void
report_groups(ChunkReport *report)
{
	uint32		ngroups = group_scan_ngroups(report->rel);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar chunk report",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context;

	report->reader = segment_reader_create(report->rel,
										   GetAccessStrategy(BAS_BULKREAD));
	segment_reader_set_sparing(report->reader);
	old_context = MemoryContextSwitchTo(context);
	for (report->group = 0; report->group < ngroups; report->group++)
	{
		CHECK_FOR_INTERRUPTS();
		report_group(report);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
	segment_reader_free(report->reader);
}

/* ---- privileges ---- */

/*
 * May the user see anything at all?  That comes before the lock.
 */
static void
check_privileges(Oid relid)
{
	AclResult	result = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT);

	if (result != ACLCHECK_OK)
		result = pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT,
										   ACLMASK_ANY);
	if (result != ACLCHECK_OK)
		aclcheck_error(result, get_relkind_objtype(get_rel_relkind(relid)),
					   get_rel_name(relid));
}

static bool *
readable_attributes(Relation rel)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Oid			relid = RelationGetRelid(rel);
	bool	   *readable = palloc(Max(desc->natts, 1) * sizeof(bool));
	bool		all = pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) ==
		ACLCHECK_OK;

	for (int i = 0; i < desc->natts; i++)
		readable[i] = !TupleDescAttr(desc, i)->attisdropped &&
			(all || pg_attribute_aclcheck(relid, i + 1, GetUserId(),
										  ACL_SELECT) == ACLCHECK_OK);
	return readable;
}

/* ---- the functions ---- */

static Relation
open_table(Oid relid)
{
	Relation	rel;

	check_privileges(relid);
	rel = relation_open(relid, AccessShareLock);
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

static Datum
report_chunks(FunctionCallInfo fcinfo, bool by_chunk)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ChunkReport report = {0};
	int			natts;

	InitMaterializedSRF(fcinfo, 0);
	report.rel = open_table(PG_GETARG_OID(0));
	report.snapshot = GetActiveSnapshot();
	report.store = result->setResult;
	report.store_desc = result->setDesc;
	report.by_chunk = by_chunk;
	report.readable = readable_attributes(report.rel);
	report.shows_content = check_enable_rls(RelationGetRelid(report.rel),
											InvalidOid, true) != RLS_ENABLED;
	natts = RelationGetDescr(report.rel)->natts;
	if (!by_chunk)
		report.sums = palloc0(Max(natts, 1) * sizeof(ColumnSum));

	/* rows of this transaction that wait to be written */
	load_buffer_flush_for(report.rel, report.snapshot);
	report_groups(&report);
	for (int attno = 1; !by_chunk && attno <= natts; attno++)
		if (report.readable[attno - 1])
			put_sum(&report, attno, &report.sums[attno - 1]);

	table_close(report.rel, AccessShareLock);
	return (Datum) 0;
}

/*
 * columnar_chunks(regclass): a row per chunk.
 */
Datum
columnar_chunks(PG_FUNCTION_ARGS)
{
	return report_chunks(fcinfo, true);
}

/*
 * columnar_columns(regclass): a row per attribute.
 */
Datum
columnar_columns(PG_FUNCTION_ARGS)
{
	return report_chunks(fcinfo, false);
}
