/*
 * attribute_vector.c
 *		A decoded vector of one attribute, and its values as Datums.
 *
 * A segment knows the attributes that its writer's row type had.  Those added
 * since have the missing value in all of its rows, those dropped since are
 * NULL.  ALTER TYPE rewrites the table unless the bytes stay the same, so a
 * chunk of a kind that cannot hold the attribute's present type is damage.
 */
#include "postgres.h"

#include "compat.h"

#include "access/attribute_kind.h"
#include "access/attribute_vector.h"
#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "utils/memutils.h"

/* Bytes of an attribute's value if its kind has a fixed width, else 0. */
static int
kind_width(ValueKind kind)
{
	if (kind == VALUE_BYTES || kind == VALUE_NUMERIC)
		return 0;
	return value_kind_width(kind);
}

void
attribute_vector_init(AttributeVector *av, TupleDesc desc, int attno)
{
	memset(av, 0, sizeof(*av));
	av->attr = TupleDescAttr(desc, attno - 1);
	av->attno = attno;
	av->kind = attribute_kind(av->attr);
	av->vector = -1;
	av->missing_isnull = true;
	if (!av->attr->attisdropped)
		av->missing_value = getmissingattr(desc, attno, &av->missing_isnull);
	av->context = CurrentMemoryContext;
}

void
attribute_vector_reset(AttributeVector *av)
{
	av->vector = -1;
	av->chunk = NULL;
}

void
attribute_vector_forget(AttributeVector *av)
{
	attribute_vector_reset(av);
	av->has_nulls = false;
	av->has_values = false;
	av->values = NULL;
	av->strings = NULL;
}

/*
 * Can a chunk of that kind hold the attribute's values?  Kinds of one width are
 * the same bytes, and a numeric is a string of bytes like any other.
 */
static bool
kind_fits(ValueKind kind, Form_pg_attribute attr)
{
	int			width = kind_width(kind);

	if (width == 0)
		return !attr->attbyval;
	return attr->attbyval && attr->attlen == width;
}

/* Find the attribute's chunk in the segment that was opened last. */
static void
attribute_vector_open(AttributeVector *av, SegmentReader *reader)
{
	const AttributeEntry *entry;

	av->chunk = NULL;
	av->kind = attribute_kind(av->attr);
	if (av->attr->attisdropped)
		return;

	entry = segment_reader_attribute(reader, av->attno);
	if (entry == NULL)
		return;					/* added later */
	if (entry->kind < VALUE_INT8 || entry->kind > VALUE_NUMERIC ||
		!kind_fits(entry->kind, av->attr))
		segment_reader_report(reader, av->attno,
							  "values of another kind than the attribute's type has");

	av->kind = entry->kind;
	av->chunk = segment_reader_chunk(reader, av->attno);
	if (av->chunk == NULL)
		segment_reader_report(reader, av->attno, "no chunk");
}

void
attribute_vector_set(AttributeVector *av, SegmentReader *reader, int vector)
{
	Assert(vector >= 0 && vector < GROUP_VECTORS);

	if (av->vector == vector)
		return;
	if (av->vector < 0)
		attribute_vector_open(av, reader);
	av->vector = vector;
	av->has_nulls = false;
	av->has_values = false;
	memset(av->wanted, 0, sizeof(av->wanted));
}

void
attribute_vector_decode_nulls(AttributeVector *av, SegmentReader *reader)
{
	const char *reason;

	if (av->has_nulls)
		return;
	Assert(av->vector >= 0);

	if (av->chunk == NULL)
	{
		memset(av->nulls, av->missing_isnull ? 0xFF : 0, sizeof(av->nulls));
		av->nnulls = av->missing_isnull ? VECTOR_LENGTH : 0;
	}
	else if (!chunk_decode_nulls(av->chunk, av->vector, av->nulls, &av->nnulls,
								 &reason))
		segment_reader_report(reader, av->attno, reason);
	av->has_nulls = true;
}

/* Every row has the missing value, or a zero where that is NULL. */
static void
fill_missing_values(AttributeVector *av, int width)
{
	char	   *value = av->values;

	if (av->missing_isnull)
	{
		memset(value, 0, (Size) VECTOR_LENGTH * width);
		return;
	}
	for (int i = 0; i < VECTOR_LENGTH; i++, value += width)
		store_att_byval(value, av->missing_value, width);
}

void
attribute_vector_decode_values(AttributeVector *av, SegmentReader *reader)
{
	int			width = kind_width(av->kind);
	const char *reason;

	if (av->has_values)
		return;
	Assert(av->vector >= 0 && width > 0);

	if (av->values == NULL)
		av->values = MemoryContextAlloc(av->context,
										(VECTOR_LENGTH + DECODE_SLACK_VALUES) * sizeof(int64));
	if (av->chunk == NULL)
		fill_missing_values(av, width);
	else if (!chunk_decode_fixed(av->chunk, av->vector, av->values, &reason))
		segment_reader_report(reader, av->attno, reason);
	av->has_values = true;
}

/* The missing value's bytes, without a varlena's header. */
static StringRef
missing_string(AttributeVector *av)
{
	StringRef	string = {NULL, 0};
	MemoryContext old_context;

	if (av->missing_isnull)
		return string;
	if (av->attr->attlen == -1)
	{
		struct varlena *value;

		old_context = MemoryContextSwitchTo(av->context);
		value = pg_detoast_datum_packed((struct varlena *) DatumGetPointer(av->missing_value));
		MemoryContextSwitchTo(old_context);
		string.data = (const uint8 *) VARDATA_ANY(value);
		string.length = VARSIZE_ANY_EXHDR(value);
	}
	else
	{
		string.data = (const uint8 *) DatumGetPointer(av->missing_value);
		string.length = av->attr->attlen > 0 ? av->attr->attlen :
			strlen((const char *) string.data);
	}
	return string;
}

/* Does mask have a bit that wanted has not? */
static bool
mask_adds(const uint64 *mask, const uint64 *wanted)
{
	for (int i = 0; i < VECTOR_WORDS; i++)
	{
		if ((mask ? mask[i] : PG_UINT64_MAX) & ~wanted[i])
			return true;
	}
	return false;
}

void
attribute_vector_decode_strings(AttributeVector *av, SegmentReader *reader,
								const uint64 *mask)
{
	const char *reason;

	Assert(av->vector >= 0 && kind_width(av->kind) == 0);

	if (!mask_adds(mask, av->wanted))
		return;
	if (av->strings == NULL)
		av->strings = MemoryContextAlloc(av->context,
										 VECTOR_LENGTH * sizeof(StringRef));
	if (av->chunk == NULL)
	{
		StringRef	string = missing_string(av);

		for (int i = 0; i < VECTOR_LENGTH; i++)
			av->strings[i] = string;
		mask = NULL;
	}
	else if (!chunk_decode_strings(av->chunk, av->vector, mask, av->strings,
								   &reason))
		segment_reader_report(reader, av->attno, reason);

	for (int i = 0; i < VECTOR_WORDS; i++)
		av->wanted[i] |= mask ? mask[i] : PG_UINT64_MAX;
}

/*
 * A value of the attribute's type from its bytes.  Varlenas get the long
 * header, which is what most functions would otherwise make a copy for.
 */
static Datum
string_datum(AttributeVector *av, SegmentReader *reader, StringRef string)
{
	int			attlen = av->attr->attlen;
	char	   *value;

	if (attlen == -1)
	{
		if (string.length > MaxAllocSize - VARHDRSZ)
			segment_reader_report(reader, av->attno, "value too long");
		value = palloc(VARHDRSZ + string.length);
		SET_VARSIZE(value, VARHDRSZ + string.length);
		memcpy(VARDATA(value), string.data, string.length);
		return PointerGetDatum(value);
	}

	if (attlen > 0 && string.length != attlen)
		segment_reader_report(reader, av->attno,
							  "value of another length than the type has");
	value = palloc(string.length + 1);
	memcpy(value, string.data, string.length);
	value[string.length] = '\0';
	return PointerGetDatum(value);
}

/* A value of fixed width from its bit pattern, as fetch_att gives it. */
static Datum
pattern_datum(uint64 pattern, int width)
{
	switch (width)
	{
		case 1:
			return CharGetDatum((char) pattern);
		case 2:
			return Int16GetDatum((int16) pattern);
		case 4:
			return Int32GetDatum((int32) pattern);
		default:
			return Int64GetDatum((int64) pattern);
	}
}

bool
attribute_vector_single(AttributeVector *av, SegmentReader *reader,
						int position, Datum *value, bool *isnull)
{
	int			width = kind_width(av->kind);
	const char *reason = NULL;
	uint64		pattern;
	StringRef	string;
	bool		found;

	Assert(position >= 0 && position < VECTOR_LENGTH);

	if (av->chunk == NULL)
		return false;
	if (!av->has_nulls)
		attribute_vector_decode_nulls(av, reader);
	*isnull = (av->nulls[position / 64] >> (position % 64)) & 1;
	*value = (Datum) 0;
	if (*isnull)
		return true;

	found = width > 0 ?
		chunk_decode_value(av->chunk, av->vector, position, &pattern, &reason) :
		chunk_decode_string(av->chunk, av->vector, position, &string, &reason);
	if (!found && reason == NULL)
		return false;
	if (!found)
		segment_reader_report(reader, av->attno, reason);
	*value = width > 0 ? pattern_datum(pattern, width) :
		string_datum(av, reader, string);
	return true;
}

bool
attribute_vector_gather(AttributeVector *av, SegmentReader *reader,
						const uint16 *positions, int npositions,
						uint64 *patterns)
{
	const char *reason;

	Assert(av->vector >= 0 && kind_width(av->kind) > 0);

	if (av->chunk == NULL || av->has_values)
		return false;
	if (chunk_gather_fixed(av->chunk, av->vector, positions, npositions,
						   patterns, &reason))
		return true;
	if (reason)
		segment_reader_report(reader, av->attno, reason);
	return false;
}

Datum
attribute_vector_datum(AttributeVector *av, SegmentReader *reader,
					   int position, bool *isnull)
{
	uint64		bit = UINT64CONST(1) << (position % 64);
	int			word = position / 64;
	int			width = kind_width(av->kind);

	Assert(position >= 0 && position < VECTOR_LENGTH);

	if (!av->has_nulls)
		attribute_vector_decode_nulls(av, reader);
	*isnull = (av->nulls[word] & bit) != 0;
	if (*isnull)
		return (Datum) 0;

	if (width > 0)
	{
		if (!av->has_values)
			attribute_vector_decode_values(av, reader);
		return fetch_att((char *) av->values + (Size) position * width,
						 true, width);
	}

	if ((av->wanted[word] & bit) == 0)
	{
		uint64		mask[VECTOR_WORDS] = {0};

		mask[word] = bit;
		attribute_vector_decode_strings(av, reader, mask);
	}
	return string_datum(av, reader, av->strings[position]);
}
