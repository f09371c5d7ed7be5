/*
 * verify_chunk.c
 *		columnar_verify(): the chunks of a segment in column form.
 *
 * Decodes every vector of every attribute and compares what is in it with the
 * zone maps of vector and chunk, the null counts and the sum.  The chunk's own
 * value class is what these are about; it may be another one than the
 * attribute's type has now.
 */
#include "postgres.h"

#include "compat.h"

#include <math.h>

#include "access/attribute_kind.h"
#include "access/verify.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* What the values of a vector, or chunk, really are. */
typedef struct ValueBounds
{
	bool		any;			/* a value that is neither NULL nor NaN */
	bool		has_nan;
	int64		min_int;
	int64		max_int;
	double		min_float;
	double		max_float;
	StringRef	min_bytes;		/* of a vector only */
	StringRef	max_bytes;
} ValueBounds;

/* A chunk at work. */
typedef struct ChunkCheck
{
	VerifyState *state;
	const SegmentData *segment;
	int			attno;
	SegmentReader *reader;
	AttributeEntry entry;
	ZoneRange	range;			/* of the whole chunk */
	ChunkReader *chunk;
	int			vector;
	int			n;				/* positions of the vector that exist */
	uint64		nulls[VECTOR_WORDS];
	uint64		nnulls;			/* so far */
	ValueBounds bounds;			/* so far */
	bool		sum_known;		/* sum is right so far */
	int128		sum;
} ChunkCheck;

static void
report_chunk(ChunkCheck *check, const char *what)
{
	verify_report(check->state, check->segment->start,
				  "%s of attribute %d in the segment at vector %u of group %u",
				  what, check->attno, check->segment->first_vector,
				  check->state->group);
}

static void
report_vector(ChunkCheck *check, const char *what)
{
	verify_report(check->state, check->segment->start,
				  "%s of vector %d of attribute %d in the segment at vector %u of group %u",
				  what, check->vector, check->attno,
				  check->segment->first_vector, check->state->group);
}

static inline bool
is_null(ChunkCheck *check, int position)
{
	return (check->nulls[position / 64] >> (position % 64)) & 1;
}

/* ---- bounds ---- */

static void
bounds_add_int(ValueBounds *bounds, ValueClass value_class, int64 value)
{
	bool		less = !bounds->any;
	bool		greater = !bounds->any;

	if (bounds->any && value_class == CLASS_UNSIGNED)
	{
		less = (uint64) value < (uint64) bounds->min_int;
		greater = (uint64) value > (uint64) bounds->max_int;
	}
	else if (bounds->any)
	{
		less = value < bounds->min_int;
		greater = value > bounds->max_int;
	}
	if (less)
		bounds->min_int = value;
	if (greater)
		bounds->max_int = value;
	bounds->any = true;
}

static void
bounds_add_float(ValueBounds *bounds, double value)
{
	if (isnan(value))
	{
		bounds->has_nan = true;
		return;
	}
	if (!bounds->any || value < bounds->min_float)
		bounds->min_float = value;
	if (!bounds->any || value > bounds->max_float)
		bounds->max_float = value;
	bounds->any = true;
}

/* Order of two strings: memcmp, shorter first. */
static int
compare_bytes(const uint8 *a, uint32 alength, const uint8 *b, uint32 blength)
{
	int			order = memcmp(a, b, Min(alength, blength));

	if (order != 0)
		return order;
	return (alength > blength) - (alength < blength);
}

static void
bounds_add_bytes(ValueBounds *bounds, StringRef value)
{
	if (!bounds->any ||
		compare_bytes(value.data, value.length, bounds->min_bytes.data,
					  bounds->min_bytes.length) < 0)
		bounds->min_bytes = value;
	if (!bounds->any ||
		compare_bytes(value.data, value.length, bounds->max_bytes.data,
					  bounds->max_bytes.length) > 0)
		bounds->max_bytes = value;
	bounds->any = true;
}

/* Do strings from min to max lie in a range of prefixes? */
static bool
range_holds_bytes(const ZoneRange *range, const ValueBounds *bounds)
{
	uint32		length = bounds->max_bytes.length;

	if (compare_bytes(bounds->min_bytes.data, bounds->min_bytes.length,
					  range->min_bytes, range->min_length) < 0)
		return false;
	if (range->max_truncated)
		length = Min(length, range->max_length);
	return compare_bytes(bounds->max_bytes.data, length,
						 range->max_bytes, range->max_length) <= 0;
}

/* Are the bounds what the range says? */
static bool
range_is_right(const ZoneRange *range, ValueClass value_class,
			   const ValueBounds *bounds)
{
	/* without a range, and without a word of NaN, nothing is claimed */
	if (value_class == CLASS_NONE || (!range->has_range && !range->has_nan))
		return true;
	if (bounds->has_nan && !range->has_nan)
		return false;
	if (!bounds->any)
		return true;
	if (!range->has_range)
		return false;

	switch (value_class)
	{
		case CLASS_NONE:
			break;
		case CLASS_SIGNED:
		case CLASS_UNSIGNED:
			return range->min_int == bounds->min_int &&
				range->max_int == bounds->max_int;
		case CLASS_FLOAT:
			return range->min_float == bounds->min_float &&
				range->max_float == bounds->max_float;
		case CLASS_NUMERIC:
			/* rounded outwards */
			return range->min_float <= bounds->min_float &&
				range->max_float >= bounds->max_float;
		case CLASS_BYTES:
			return range_holds_bytes(range, bounds);
	}
	return true;
}

/* Take a vector's bounds into the chunk's; strings are compared by vector. */
static void
bounds_add(ChunkCheck *check, const ValueBounds *bounds)
{
	ValueClass	value_class = check->entry.value_class;

	check->bounds.has_nan |= bounds->has_nan;
	if (!bounds->any)
		return;
	switch (value_class)
	{
		case CLASS_SIGNED:
		case CLASS_UNSIGNED:
			bounds_add_int(&check->bounds, value_class, bounds->min_int);
			bounds_add_int(&check->bounds, value_class, bounds->max_int);
			break;
		case CLASS_FLOAT:
		case CLASS_NUMERIC:
			bounds_add_float(&check->bounds, bounds->min_float);
			bounds_add_float(&check->bounds, bounds->max_float);
			break;
		case CLASS_BYTES:
			if (check->range.has_range &&
				!range_holds_bytes(&check->range, bounds))
				report_vector(check, "the chunk's zone map excludes values");
			break;
		case CLASS_NONE:
			break;
	}
}

/* ---- values ---- */

/* A value of an integer kind, widened as its class wants. */
static int64
int_value(ChunkCheck *check, const void *values, int position)
{
	bool		is_signed = check->entry.value_class != CLASS_UNSIGNED;

	switch ((ValueKind) check->entry.kind)
	{
		case VALUE_INT8:
			return is_signed ? ((const int8 *) values)[position] :
				(int64) ((const uint8 *) values)[position];
		case VALUE_INT16:
			return is_signed ? ((const int16 *) values)[position] :
				(int64) ((const uint16 *) values)[position];
		case VALUE_INT32:
			return is_signed ? ((const int32 *) values)[position] :
				(int64) ((const uint32 *) values)[position];
		default:
			return ((const int64 *) values)[position];
	}
}

static void
add_fixed(ChunkCheck *check, const void *values, ValueBounds *bounds)
{
	ValueKind	kind = check->entry.kind;
	ValueClass	value_class = check->entry.value_class;

	for (int i = 0; i < check->n; i++)
	{
		if (is_null(check, i))
			continue;
		if (kind == VALUE_FLOAT32)
			bounds_add_float(bounds, ((const float *) values)[i]);
		else if (kind == VALUE_FLOAT64)
			bounds_add_float(bounds, ((const double *) values)[i]);
		else
		{
			int64		value = int_value(check, values, i);

			bounds_add_int(bounds, value_class, value);
			check->sum += value_class == CLASS_UNSIGNED ?
				(int128) (uint64) value : (int128) value;
		}
	}
}

static void
check_fixed_vector(ChunkCheck *check, ValueBounds *bounds)
{
	const char *reason;
	int64	   *values = palloc((VECTOR_LENGTH + DECODE_SLACK_VALUES) * sizeof(int64));

	if (!chunk_decode_fixed(check->chunk, check->vector, values, &reason))
		segment_reader_report(check->reader, check->attno, reason);
	add_fixed(check, values, bounds);
	pfree(values);
}

/* A numeric from its bytes, as double. */
static double
numeric_value(ChunkCheck *check, StringRef string)
{
	struct varlena *value = palloc(VARHDRSZ + string.length);
	double		result;

	if (!chunk_numeric_is_sound((const uint8 *) string.data, string.length))
		segment_reader_report(check->reader, check->attno, "A value is no numeric");
	SET_VARSIZE(value, VARHDRSZ + string.length);
	memcpy(VARDATA(value), string.data, string.length);
	result = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												PointerGetDatum(value)));
	pfree(value);
	return result;
}

static void
check_string(ChunkCheck *check, StringRef string)
{
	TupleDesc	desc = RelationGetDescr(check->state->rel);
	Form_pg_attribute attr;

	if (check->attno > desc->natts)
		return;
	attr = TupleDescAttr(desc, check->attno - 1);
	if (attr->attlen > 0 && string.length != (uint32) attr->attlen)
		segment_reader_report(check->reader, check->attno,
							  "A value has another length than the type");
}

/* The scaled integers of a numeric vector, for the chunk's sum. */
static void
add_scaled(ChunkCheck *check)
{
	int64	   *values = palloc((VECTOR_LENGTH + DECODE_SLACK_VALUES) * sizeof(int64));
	const char *reason = NULL;
	uint8		scale;

	if (chunk_numeric_scaled(check->chunk, check->vector, values, &scale, &reason) &&
		scale == check->entry.sum_scale)
	{
		for (int i = 0; i < check->n; i++)
			if (!is_null(check, i))
				check->sum += values[i];
	}
	else if (reason != NULL)
		segment_reader_report(check->reader, check->attno, reason);
	else
		check->sum_known = false;
	pfree(values);
}

static void
check_string_vector(ChunkCheck *check, ValueBounds *bounds)
{
	const char *reason;
	bool		numeric = check->entry.value_class == CLASS_NUMERIC;
	StringRef  *strings = palloc0(VECTOR_LENGTH * sizeof(StringRef));

	if (!chunk_decode_strings(check->chunk, check->vector, NULL, strings, &reason))
		segment_reader_report(check->reader, check->attno, reason);
	for (int i = 0; i < check->n; i++)
	{
		if (is_null(check, i))
			continue;
		check_string(check, strings[i]);
		if (numeric)
			bounds_add_float(bounds, numeric_value(check, strings[i]));
		else
			bounds_add_bytes(bounds, strings[i]);
	}
	if (check->entry.kind == VALUE_NUMERIC && check->sum_known)
		add_scaled(check);

	/* the strings live no longer than this */
	bounds_add(check, bounds);
	pfree(strings);
}

/* ---- vectors and chunks ---- */

static uint32
count_nulls(ChunkCheck *check)
{
	uint32		count = 0;

	for (int i = 0; i < check->n; i++)
		count += is_null(check, i);
	return count;
}

static void
check_vector(ChunkCheck *check)
{
	ValueBounds bounds = {0};
	ZoneRange	range;
	uint32		zone_nnulls;
	uint32		nnulls;
	const char *reason;

	CHECK_FOR_INTERRUPTS();
	if (!chunk_decode_nulls(check->chunk, check->vector, check->nulls, &nnulls,
							&reason))
		segment_reader_report(check->reader, check->attno, reason);
	chunk_vector_zone(check->chunk, check->vector, &zone_nnulls, &range);
	if (nnulls != zone_nnulls || nnulls != count_nulls(check))
		report_vector(check, "wrong null count");
	check->nnulls += nnulls;

	if (check->entry.kind == VALUE_BYTES || check->entry.kind == VALUE_NUMERIC)
		check_string_vector(check, &bounds);
	else
	{
		check_fixed_vector(check, &bounds);
		bounds_add(check, &bounds);
	}
	if (!range_is_right(&range, check->entry.value_class, &bounds))
		report_vector(check, "wrong zone map");
}

static void
check_sum(ChunkCheck *check)
{
	int128		sum = ((int128) check->entry.sum_high << 64) | check->entry.sum_low;

	if ((check->entry.flags & ATTRIBUTE_HAS_SUM) && check->sum_known &&
		sum != check->sum)
		report_chunk(check, "wrong sum");
}

/*
 * Decode the chunk of one attribute.
 */
static void
check_chunk(VerifyState *state, void *argument)
{
	ChunkCheck *check = argument;
	TupleDesc	desc = RelationGetDescr(state->rel);
	int			nslots = check->segment->nslots;

	check->reader = segment_reader_create(state->rel, state->strategy);
	segment_reader_open(check->reader, state->group, check->segment);
	check->entry = *segment_reader_attribute(check->reader, check->attno);
	check->chunk = segment_reader_chunk(check->reader, check->attno);
	if (check->chunk == NULL)
	{
		if (check->attno <= desc->natts &&
			!TupleDescAttr(desc, check->attno - 1)->attisdropped)
			report_chunk(check, "no chunk");
		segment_reader_free(check->reader);
		return;
	}

	attribute_entry_zone(&check->entry, &check->range);
	check->sum_known = (check->entry.flags & ATTRIBUTE_HAS_SUM) != 0;
	for (int first = 0; first < nslots; first += VECTOR_ROWS)
	{
		check->vector = first / VECTOR_ROWS;
		check->n = Min(nslots - first, VECTOR_ROWS);
		check_vector(check);
	}

	if (check->nnulls != check->entry.nnulls)
		report_chunk(check, "wrong null count");
	if (check->entry.value_class != CLASS_BYTES &&
		!range_is_right(&check->range, check->entry.value_class, &check->bounds))
		report_chunk(check, "wrong zone map");
	check_sum(check);
	segment_reader_free(check->reader);
}

void
verify_chunks(VerifyState *state, const SegmentData *segment)
{
	for (int attno = 1; attno <= segment->natts; attno++)
	{
		ChunkCheck *check = palloc0(sizeof(ChunkCheck));

		check->state = state;
		check->segment = segment;
		check->attno = attno;
		state->blkno = segment->start;
		verify_guard(state, check_chunk, check);
		state->blkno = state->header_block;
		pfree(check);
	}
}
