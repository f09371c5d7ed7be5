/*
 * scan_column.c
 *		Decoded values as Datums, for the rows of a batch only.
 *
 * One loop per native width, without a call per value.  Strings get their
 * headers in one piece of memory per vector.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_scan.h"
#include "utils/memutils.h"

/* Do the batch's rows fill the positions from 0 on? */
static inline bool
batch_is_dense(const ScanBatch *batch)
{
	return batch->rows[batch->nrows - 1] == batch->nrows - 1;
}

#define GATHER(type, to_datum) \
	do { \
		const type *native = column->vector.values; \
		Datum	   *values = column->values; \
		int			nrows = batch->nrows; \
		if (batch_is_dense(batch)) \
		{ \
			for (int i = 0; i < nrows; i++) \
				values[i] = to_datum(native[i]); \
		} \
		else \
		{ \
			for (int i = 0; i < nrows; i++) \
				values[i] = to_datum(native[batch->rows[i]]); \
		} \
	} while (0)

/* A Datum of a fixed-width kind from the lower bits of a pattern. */
static inline Datum
pattern_datum(ValueKind kind, uint64 pattern)
{
	switch (kind)
	{
		case VALUE_INT8:
			return CharGetDatum((char) pattern);
		case VALUE_INT16:
			return Int16GetDatum((int16) pattern);
		case VALUE_INT32:
		case VALUE_FLOAT32:
			return Int32GetDatum((int32) pattern);
		default:
			return Int64GetDatum((int64) pattern);
	}
}

/* The values of few rows, without decoding the others; false if not so. */
static bool
fill_few(ScanColumn *column, SegmentReader *reader, const ScanBatch *batch)
{
	uint64		patterns[GATHER_MAX];

	if (batch->nrows > GATHER_MAX ||
		!attribute_vector_gather(&column->vector, reader, batch->rows,
								 batch->nrows, patterns))
		return false;
	for (int i = 0; i < batch->nrows; i++)
		column->values[i] = pattern_datum(column->vector.kind, patterns[i]);
	return true;
}

/* Floats travel as the bits of integers, as Datums of them do. */
static void
fill_fixed(ScanColumn *column, const ScanBatch *batch)
{
	switch (column->vector.kind)
	{
		case VALUE_INT8:
			GATHER(char, CharGetDatum);
			break;
		case VALUE_INT16:
			GATHER(int16, Int16GetDatum);
			break;
		case VALUE_INT32:
		case VALUE_FLOAT32:
			GATHER(int32, Int32GetDatum);
			break;
		case VALUE_INT64:
		case VALUE_FLOAT64:
			GATHER(int64, Int64GetDatum);
			break;
		default:
			elog(ERROR, "attribute %d has no fixed width", column->attno);
	}
}

Size
scan_value_length(Form_pg_attribute attr, const StringRef *string)
{
	if (attr->attlen == -1)
		return MAXALIGN(VARHDRSZ + (Size) string->length);
	if (attr->attlen == -2)
		return MAXALIGN((Size) string->length + 1);
	return MAXALIGN((Size) attr->attlen);
}

void
scan_value_make(Form_pg_attribute attr, const StringRef *string, char *target)
{
	if (attr->attlen == -1)
	{
		SET_VARSIZE(target, VARHDRSZ + string->length);
		memcpy(VARDATA(target), string->data, string->length);
	}
	else
	{
		memcpy(target, string->data, string->length);
		if (attr->attlen == -2)
			target[string->length] = '\0';
	}
}

static void
fill_strings(ScanColumn *column, SegmentReader *reader, ScanBatch *batch)
{
	AttributeVector *av = &column->vector;
	Size		length = 0;
	char	   *target;

	attribute_vector_decode_strings(av, reader, batch->mask);
	for (int i = 0; i < batch->nrows; i++)
	{
		const StringRef *string = &av->strings[batch->rows[i]];

		if (!column->isnull[i])
		{
			if (av->attr->attlen > 0 && string->length != av->attr->attlen)
				segment_reader_report(reader, column->attno,
									  "value of another length than the type has");
			length += scan_value_length(av->attr, string);
		}
	}

	target = MemoryContextAllocHuge(batch->context, Max(length, 1));
	for (int i = 0; i < batch->nrows; i++)
	{
		const StringRef *string = &av->strings[batch->rows[i]];

		column->values[i] = (Datum) 0;
		if (column->isnull[i])
			continue;
		scan_value_make(av->attr, string, target);
		column->values[i] = PointerGetDatum(target);
		target += scan_value_length(av->attr, string);
	}
}

static void
fill_nulls(ScanColumn *column, const ScanBatch *batch)
{
	const uint64 *nulls = column->vector.nulls;

	if (column->vector.nnulls > 0)
	{
		for (int i = 0; i < batch->nrows; i++)
		{
			int			row = batch->rows[i];

			column->isnull[i] = (nulls[row / 64] >> (row % 64)) & 1;
		}
		column->has_nulls = true;
	}
	else if (column->has_nulls)
	{
		memset(column->isnull, 0, sizeof(bool) * VECTOR_ROWS);
		column->has_nulls = false;
	}
}

/* The attribute was added after the segment was written. */
static void
fill_missing(ScanColumn *column, const ScanBatch *batch)
{
	for (int i = 0; i < batch->nrows; i++)
	{
		column->values[i] = column->vector.missing_value;
		column->isnull[i] = column->vector.missing_isnull;
	}
	column->has_nulls |= column->vector.missing_isnull;
}

void
scan_column_fill(ScanColumn *column, SegmentReader *reader, ScanBatch *batch)
{
	AttributeVector *av = &column->vector;

	Assert(batch->is_vector && batch->nrows > 0);
	if (column->is_filled)
		return;

	scan_batch_list_rows(batch);
	if (av->chunk == NULL)
		fill_missing(column, batch);
	else
	{
		attribute_vector_decode_nulls(av, reader);
		fill_nulls(column, batch);
		if (av->kind == VALUE_BYTES || av->kind == VALUE_NUMERIC)
			fill_strings(column, reader, batch);
		else if (!fill_few(column, reader, batch))
		{
			attribute_vector_decode_values(av, reader);
			fill_fixed(column, batch);
		}
	}
	column->is_filled = true;
}
