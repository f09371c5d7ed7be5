/*
 * vector_source_column.c
 *		Columns of a batch for a vectorised node.
 *
 * They are made when they are asked for: values of 64 bits and strings stay
 * where they have been decoded, narrower ones are widened.  Bounds are the zone
 * map's word for it.
 */
#include "postgres.h"

#include <math.h>

#include "access/attribute_kind.h"
#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/byteorder.h"
#include "exec/vector_source_column.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A dictionary pays where it has at most half as many entries as rows. */
#define ROWS_PER_ENTRY	2

/* Values that are fetched one by one, where the encoding allows it. */
#define FEW_VALUES		4

/* Memory of a column's buffer, made at its first use. */
#define BUFFER(source, buffer, type, n) \
	((buffer) ? (buffer) : \
	 ((buffer) = (type *) MemoryContextAllocZero((source)->context, \
												 sizeof(type) * (n))))

#define VALUES_ROOM (VECTOR_LENGTH + DECODE_SLACK_VALUES)

/* NULLs by slot, from positions of the vector. */
static void
set_vector_nulls(VectorScanState *scan, SourceColumn *column)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;

	attribute_vector_decode_nulls(av, scan->scan->reader);
	column->has_nulls = av->nnulls > 0;
	column->nulls = av->nulls;
	if (!column->has_nulls || source->rows == NULL)
		return;

	column->nulls = BUFFER(source, column->null_buffer, uint64, VECTOR_WORDS);
	memset(column->nulls, 0, sizeof(uint64) * VECTOR_WORDS);
	column->has_nulls = false;
	for (int i = 0; i < source->batch.nslots; i++)
	{
		if (vector_bit(av->nulls, source->rows[i]))
		{
			vector_set_bit(column->nulls, i);
			column->has_nulls = true;
		}
	}
}

/* NULLs of rows from row pages. */
static void
set_row_nulls(VectorScanState *scan, SourceColumn *column)
{
	VectorSource *source = scan->source;
	const bool *isnull = column->column->isnull;

	column->has_nulls = false;
	column->nulls = BUFFER(source, column->null_buffer, uint64, VECTOR_WORDS);
	if (!column->column->has_nulls)
		return;

	memset(column->nulls, 0, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < source->batch.nslots; i++)
	{
		if (isnull[i])
		{
			vector_set_bit(column->nulls, i);
			column->has_nulls = true;
		}
	}
}

/* Turn to the current batch, of which nothing is made yet. */
static void
start_column(VectorScanState *scan, SourceColumn *column)
{
	SegmentReader *reader = scan->scan->reader;
	AttributeVector *av = &column->column->vector;

	column->serial = scan->source->batch.serial;
	column->has_values = false;
	column->has_codes = false;
	column->has_lengths = false;
	column->has_all_datums = false;
	memset(column->done_strings, 0, sizeof(column->done_strings));
	memset(column->done_datums, 0, sizeof(column->done_datums));
	column->is_missing = false;

	if (!scan->source->is_vector)
	{
		set_row_nulls(scan, column);
		return;
	}
	if (column->segment_serial != scan->segment_serial)
	{
		segment_reader_load(reader, &column->column->attno, 1);
		column->segment_serial = scan->segment_serial;
		column->has_dictionary = false;
	}
	attribute_vector_set(av, reader, scan->vector);
	column->is_missing = av->chunk == NULL;
	set_vector_nulls(scan, column);
}

/* The column, turned to the current batch. */
static SourceColumn *
find_column(VectorScanState *scan, int attno)
{
	SourceColumn *column = scan->source->columns[attno];

	if (column == NULL)
		elog(ERROR, "attribute %d is not read by the vectorised scan", attno);
	if (column->serial != scan->source->batch.serial)
		start_column(scan, column);
	return column;
}

static void
set_form(SourceColumn *column, Vector *vector, VectorForm form)
{
	vector->form = form;
	vector->is_constant = false;
	vector->has_nulls = column->has_nulls;
	vector->nulls = column->nulls;
	vector->has_bounds = false;
	vector->dictionary = NULL;
	vector->codes = NULL;
}

/* ---- fixed width ---- */

/*
 * Widen native values, by position, to one array by slot.  Without positions
 * the count is constant, so that compilers make vector instructions of it.
 */
#define WIDEN(target, type) \
	do { \
		const type *native = av->values; \
		if (rows == NULL) \
		{ \
			for (int i = 0; i < VECTOR_LENGTH; i++) \
				(target)[i] = native[i]; \
		} \
		else \
		{ \
			for (int i = 0; i < nslots; i++) \
				(target)[i] = native[rows[i]]; \
		} \
	} while (0)

/* Of four bytes: is it not one of OIDs? */
static bool
is_signed_word(const AttributeVector *av)
{
	return av->attr->atttypid == INT4OID || av->attr->atttypid == DATEOID;
}

static void
widen_integers(const AttributeVector *av, const uint16 *rows, int nslots,
			   int64 *integers)
{
	switch (av->attr->attlen)
	{
		case 1:
			WIDEN(integers, uint8);
			break;
		case 2:
			WIDEN(integers, int16);
			break;
		case 4:
			if (is_signed_word(av))
				WIDEN(integers, int32);
			else
				WIDEN(integers, uint32);
			break;
		default:
			WIDEN(integers, int64);
			break;
	}
}

/* Bytes 0 and 1 to bits. */
static void
pack_booleans(const uint8 *bytes, uint64 *bits)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		uint64		word = 0;

		/* The product's top byte has the eight lowest bits in order. */
		for (int b = 0; b < 8; b++)
			word |= (((load_le64(bytes + w * 64 + b * 8) &
					   UINT64CONST(0x0101010101010101)) *
					  UINT64CONST(0x0102040810204080)) >> 56) << (8 * b);
		bits[w] = word;
	}
}

static void
gather_booleans(const uint8 *bytes, const uint16 *rows, int nslots,
				uint64 *bits)
{
	memset(bits, 0, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < nslots; i++)
		bits[i / 64] |= (uint64) (bytes[rows[i]] & 1) << (i % 64);
}

/* What the zone map of a vector of numerics says, as scaled integers. */
static void
set_numeric_bounds(Vector *vector, const ZoneRange *range)
{
	double		factor = pow(10.0, vector->scale);
	double		min = floor(range->min_float * factor) - 2.0;
	double		max = ceil(range->max_float * factor) + 2.0;

	/* Above, doubles do not tell integers apart. */
	if (min < -4503599627370496.0 || max > 4503599627370496.0)
		return;
	vector->has_bounds = true;
	vector->min = (int64) min;
	vector->max = (int64) max;
}

/* Take bounds from the vector's zone map, if it is of the type's order. */
static void
set_bounds(VectorScanState *scan, SourceColumn *column)
{
	AttributeVector *av = &column->column->vector;
	const AttributeEntry *entry;
	uint32		nnulls;
	ZoneRange	range;

	if (column->value_class == CLASS_NONE)
		return;
	entry = segment_reader_attribute(scan->scan->reader, av->attno);
	if (entry->value_class != column->value_class)
		return;
	chunk_vector_zone(av->chunk, av->vector, &nnulls, &range);
	if (!range.has_range)
		return;
	if (column->vector.form == FORM_NUMERIC)
	{
		set_numeric_bounds(&column->vector, &range);
		return;
	}
	column->vector.has_bounds = true;
	column->vector.min = range.min_int;
	column->vector.max = range.max_int;
}

/*
 * Bit patterns of the values of few rows, by slot, without decoding the
 * others; false if all of the vector has to be decoded.
 */
static bool
gather_patterns(VectorScanState *scan, SourceColumn *column, uint64 *patterns)
{
	VectorSource *source = scan->source;

	return source->rows != NULL && source->batch.nslots <= GATHER_MAX &&
		attribute_vector_gather(&column->column->vector, scan->scan->reader,
								source->rows, source->batch.nslots, patterns);
}

/* Widen patterns, in place. */
#define WIDEN_PATTERNS(target, patterns, n, type) \
	do { \
		for (int i = 0; i < (n); i++) \
			(target)[i] = (type) (patterns)[i]; \
	} while (0)

static bool
gather_integers(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	const AttributeVector *av = &column->column->vector;
	uint64	   *patterns = (uint64 *) integers;
	int			n = scan->source->batch.nslots;

	if (!gather_patterns(scan, column, patterns))
		return false;
	switch (av->attr->attlen)
	{
		case 1:
			WIDEN_PATTERNS(integers, patterns, n, uint8);
			break;
		case 2:
			WIDEN_PATTERNS(integers, patterns, n, int16);
			break;
		case 4:
			if (is_signed_word(av))
				WIDEN_PATTERNS(integers, patterns, n, int32);
			else
				WIDEN_PATTERNS(integers, patterns, n, uint32);
			break;
		default:
			break;
	}
	return true;
}

/* Few values, one by one, of encodings that allow that alone. */
static bool
fetch_integers(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	Vector		one = {column->form};

	if (source->rows == NULL || source->batch.nslots > FEW_VALUES ||
		av->has_values)
		return false;
	one.integers = integers;
	for (int i = 0; i < source->batch.nslots; i++)
	{
		Datum		value;
		bool		isnull;

		if (!attribute_vector_single(av, scan->scan->reader, source->rows[i],
									 &value, &isnull))
			return false;
		if (!isnull)
			vector_store_datum(&one, i, av->attr->atttypid, value);
	}
	return true;
}

/* Is the column's type, which is none of floats, compared with a sign? */
static bool
is_signed_type(const AttributeVector *av)
{
	return av->attr->attlen == 1 ? false :
		av->attr->attlen == 4 ? is_signed_word(av) : true;
}

/* All values at once in 64 bits; false if there is no such form. */
static bool
decode_wide(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	AttributeVector *av = &column->column->vector;
	const char *reason;

	if (scan->source->rows != NULL || av->has_values ||
		av->attr->attlen == sizeof(int64))
		return false;
	if (chunk_decode_wide(av->chunk, av->vector, is_signed_type(av), integers,
						  &reason))
		return true;
	if (reason)
		segment_reader_report(scan->scan->reader, av->attno, reason);
	return false;
}

static void
load_integers(VectorScanState *scan, SourceColumn *column)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	Vector	   *vector = &column->vector;

	set_bounds(scan, column);
	vector->integers = BUFFER(source, column->integer_buffer, int64,
							  VALUES_ROOM);
	if (vector->has_bounds && vector->min == vector->max)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			vector->integers[i] = vector->min;
		vector->is_constant = !vector->has_nulls;
		return;
	}
	if (decode_wide(scan, column, vector->integers) ||
		gather_integers(scan, column, vector->integers) ||
		fetch_integers(scan, column, vector->integers))
		return;

	attribute_vector_decode_values(av, scan->scan->reader);
	if (source->rows == NULL && av->attr->attlen == sizeof(int64))
		vector->integers = av->values;
	else
		widen_integers(av, source->rows, source->batch.nslots,
					   vector->integers);
}

static bool
gather_floats(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	bool		is_narrow = column->attr->attlen == sizeof(float4);
	uint64	   *patterns = (uint64 *) integers;

	if (!gather_patterns(scan, column, patterns))
		return false;
	for (int i = 0; is_narrow && i < scan->source->batch.nslots; i++)
	{
		uint32		pattern = (uint32) patterns[i];
		float4		narrow;
		double		wide;

		memcpy(&narrow, &pattern, sizeof(narrow));
		wide = narrow;
		memcpy(&patterns[i], &wide, sizeof(wide));
	}
	return true;
}

static void
load_floats(VectorScanState *scan, SourceColumn *column)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	Vector	   *vector = &column->vector;
	const uint16 *rows = source->rows;
	int			nslots = source->batch.nslots;

	vector->integers = BUFFER(source, column->integer_buffer, int64,
							  VALUES_ROOM);
	if (gather_floats(scan, column, vector->integers))
		return;
	attribute_vector_decode_values(av, scan->scan->reader);
	if (rows == NULL && av->attr->attlen == sizeof(double))
	{
		vector->floats = av->values;
		return;
	}
	if (av->attr->attlen == sizeof(float4))
		WIDEN(vector->floats, float4);
	else
		WIDEN(vector->floats, double);
}

static void
load_booleans(VectorScanState *scan, SourceColumn *column)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	Vector	   *vector = &column->vector;

	attribute_vector_decode_values(av, scan->scan->reader);
	vector->bits = BUFFER(source, column->bit_buffer, uint64, VECTOR_WORDS);
	if (source->rows)
		gather_booleans(av->values, source->rows, source->batch.nslots,
						vector->bits);
	else
		pack_booleans(av->values, vector->bits);
}

/* Those of few rows, without decoding the others. */
static bool
gather_numerics(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	const char *reason;

	if (source->rows == NULL || source->batch.nslots > GATHER_MAX ||
		!chunk_numeric_is_packed(av->chunk, &column->vector.scale))
		return false;
	if (chunk_gather_numeric(av->chunk, av->vector, source->rows,
							 source->batch.nslots, integers, &reason))
		return true;
	if (reason)
		segment_reader_report(scan->scan->reader, av->attno, reason);
	return false;
}

/* Those of all rows, moved to their slots. */
static bool
decode_numerics(VectorScanState *scan, SourceColumn *column, int64 *integers)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	const char *reason;

	if (!chunk_numeric_uniform(av->chunk, av->vector, integers,
							   &column->vector.scale, &reason))
	{
		if (reason)
			segment_reader_report(scan->scan->reader, av->attno, reason);
		return false;
	}

	/* Slots are not behind their positions: in place is safe. */
	for (int i = 0; source->rows && i < source->batch.nslots; i++)
		integers[i] = integers[source->rows[i]];
	return true;
}

/* Numerics as scaled integers; false if they are not stored so. */
static bool
load_numerics(VectorScanState *scan, SourceColumn *column)
{
	int64	   *integers = BUFFER(scan->source, column->integer_buffer, int64,
								  VALUES_ROOM);

	if (column->column->vector.kind != VALUE_NUMERIC ||
		(!gather_numerics(scan, column, integers) &&
		 !decode_numerics(scan, column, integers)))
		return false;
	column->vector.integers = integers;
	set_bounds(scan, column);
	return true;
}

/* ---- strings ---- */

/* Positions of the slots of a mask. */
static const uint64 *
mask_to_positions(const VectorSource *source, const uint64 *mask,
				  uint64 *positions)
{
	if (source->rows == NULL)
		return mask;
	memset(positions, 0, sizeof(uint64) * VECTOR_WORDS);
	VECTOR_FOR_EACH(slot, mask)
	{
		vector_set_bit(positions, source->rows[slot]);
	}
	return positions;
}

/* A value's bytes must be as many as the type has, if it has a fixed length. */
static void
check_lengths(VectorScanState *scan, SourceColumn *column, const uint64 *mask)
{
	const uint16 *rows = scan->source->rows;
	int			attlen = column->attr->attlen;
	const StringRef *strings = column->column->vector.strings;

	if (attlen <= 0)
		return;
	VECTOR_FOR_EACH(slot, mask)
	{
		int			position = rows ? rows[slot] : slot;

		if (strings[position].length != (uint32) attlen &&
			!(column->has_nulls && vector_bit(column->nulls, slot)))
			segment_reader_report(scan->scan->reader, column->column->attno,
								  "value of another length than the type has");
	}
}

/* Rows of mask that are not done yet, which they then are; false if none. */
static bool
take_undone(const uint64 *mask, uint64 *done, uint64 *todo)
{
	uint64		any = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		todo[w] = mask[w] & ~done[w];
		done[w] |= mask[w];
		any |= todo[w];
	}
	return any != 0;
}

/* Decode strings by position for the slots of mask. */
static void
decode_strings(VectorScanState *scan, SourceColumn *column,
			   const uint64 *mask)
{
	uint64		positions[VECTOR_WORDS];

	attribute_vector_decode_strings(&column->column->vector,
									scan->scan->reader,
									mask_to_positions(scan->source, mask,
													  positions));
	check_lengths(scan, column, mask);
}

static void
load_strings(VectorScanState *scan, SourceColumn *column, const uint64 *mask)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	uint64		todo[VECTOR_WORDS];

	if (!take_undone(mask, column->done_strings, todo))
		return;
	decode_strings(scan, column, todo);
	if (source->rows == NULL)
	{
		column->vector.strings = av->strings;
		return;
	}
	column->vector.strings = BUFFER(source, column->string_buffer, StringRef,
									VECTOR_LENGTH);
	VECTOR_FOR_EACH(slot, todo)
	{
		column->vector.strings[slot] = av->strings[source->rows[slot]];
	}
}

/* ---- Datums ---- */

#define GATHER(type, to_datum) \
	do { \
		const type *native = av->values; \
		for (int i = 0; i < nslots; i++) \
			datums[i] = to_datum(native[rows ? rows[i] : i]); \
	} while (0)

/* Floats travel as the bits of integers, as Datums of them do. */
static void
gather_fixed_datums(VectorScanState *scan, SourceColumn *column)
{
	AttributeVector *av = &column->column->vector;
	Datum	   *datums = column->datum_buffer;
	const uint16 *rows = scan->source->rows;
	int			nslots = scan->source->batch.nslots;

	attribute_vector_decode_values(av, scan->scan->reader);
	switch (av->attr->attlen)
	{
		case 1:
			GATHER(char, CharGetDatum);
			break;
		case 2:
			GATHER(int16, Int16GetDatum);
			break;
		case 4:
			GATHER(int32, Int32GetDatum);
			break;
		default:
			GATHER(int64, Int64GetDatum);
			break;
	}
}

/* Strings as values of the type, in one piece of memory. */
static void
make_string_datums(VectorScanState *scan, SourceColumn *column,
				   const uint64 *mask)
{
	AttributeVector *av = &column->column->vector;
	const uint16 *rows = scan->source->rows;
	uint64		live[VECTOR_WORDS];
	Size		length = 0;
	char	   *target;

	for (int w = 0; w < VECTOR_WORDS; w++)
		live[w] = mask[w] & ~(column->has_nulls ? column->nulls[w] : 0);
	decode_strings(scan, column, live);
	VECTOR_FOR_EACH(slot, live)
	{
		length += scan_value_length(av->attr,
									&av->strings[rows ? rows[slot] : slot]);
	}
	if (length == 0)
		return;
	target = MemoryContextAllocHuge(scan->batch.context, length);
	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *string = &av->strings[rows ? rows[slot] : slot];

		scan_value_make(av->attr, string, target);
		column->datum_buffer[slot] = PointerGetDatum(target);
		target += scan_value_length(av->attr, string);
	}
}

/* Have Datums in the column's buffer for the slots of mask. */
static void
load_datums(VectorScanState *scan, SourceColumn *column, const uint64 *mask)
{
	VectorSource *source = scan->source;
	uint64		todo[VECTOR_WORDS];

	if (column->has_all_datums)
		return;
	BUFFER(source, column->datum_buffer, Datum, VECTOR_LENGTH);
	if (column->is_missing)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			column->datum_buffer[i] = column->column->vector.missing_value;
		column->has_all_datums = true;
	}
	else if (!column->is_string)
	{
		gather_fixed_datums(scan, column);
		column->has_all_datums = true;
	}
	else if (take_undone(mask, column->done_datums, todo))
		make_string_datums(scan, column, todo);
}

/* ---- missing attributes and row pages ---- */

/* Make the vector from Datums of the type, one for each slot. */
static void
store_datums(VectorScanState *scan, SourceColumn *column, const Datum *values,
			 const uint64 *mask)
{
	VectorSource *source = scan->source;
	Vector	   *vector = &column->vector;
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->batch.context);

	switch (vector->form)
	{
		case FORM_BOOLEAN:
			vector->bits = BUFFER(source, column->bit_buffer, uint64,
								  VECTOR_WORDS);
			break;
		case FORM_STRING:
			vector->strings = BUFFER(source, column->string_buffer, StringRef,
									 VECTOR_LENGTH);
			break;
		default:
			vector->integers = BUFFER(source, column->integer_buffer, int64,
									  VALUES_ROOM);
			break;
	}
	VECTOR_FOR_EACH(slot, mask)
	{
		if (!(column->has_nulls && vector_bit(column->nulls, slot)))
			vector_store_datum(vector, slot, column->attr->atttypid,
							   values[slot]);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* Rows of row pages; strings are detoasted only where they are asked for. */
static void
load_from_rows(VectorScanState *scan, SourceColumn *column, const uint64 *mask)
{
	uint64		todo[VECTOR_WORDS];

	set_form(column, &column->vector,
			 column->form == FORM_NUMERIC ? FORM_DATUM : column->form);
	if (column->vector.form == FORM_DATUM)
		column->vector.datums = column->column->values;
	else if (take_undone(mask, column->done_strings, todo))
		store_datums(scan, column, column->column->values, todo);
}

/* All slots have the value of the time when the attribute was added. */
static void
load_missing(VectorScanState *scan, SourceColumn *column)
{
	uint64		one[VECTOR_WORDS];
	Vector	   *vector = &column->vector;

	if (column->has_values)
		return;
	set_form(column, vector,
			 column->form == FORM_NUMERIC ? FORM_DATUM : column->form);
	vector->is_constant = true;
	column->has_values = true;

	load_datums(scan, column, scan->source->batch.mask);
	if (vector->form == FORM_DATUM)
	{
		vector->datums = column->datum_buffer;
		return;
	}
	vector_mask_fill(one, 1);
	store_datums(scan, column, column->datum_buffer, one);
	if (vector->has_nulls)
		return;
	switch (vector->form)
	{
		case FORM_BOOLEAN:
			memset(vector->bits, vector->bits[0] & 1 ? 0xFF : 0,
				   sizeof(uint64) * VECTOR_WORDS);
			break;
		case FORM_STRING:
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->strings[i] = vector->strings[0];
			break;
		default:
			for (int i = 1; i < VECTOR_LENGTH; i++)
				vector->integers[i] = vector->integers[0];
			break;
	}
}

/* ---- what the node above asks for ---- */

/* The values of a chunk's vector, but for strings and Datums. */
static void
load_values(VectorScanState *scan, SourceColumn *column)
{
	if (column->has_values)
		return;
	column->has_values = true;
	set_form(column, &column->vector, column->form);
	switch (column->form)
	{
		case FORM_BOOLEAN:
			load_booleans(scan, column);
			break;
		case FORM_INTEGER:
			load_integers(scan, column);
			break;
		case FORM_FLOAT:
			load_floats(scan, column);
			break;
		case FORM_NUMERIC:
			if (!load_numerics(scan, column))
				column->vector.form = FORM_DATUM;
			break;
		case FORM_STRING:
		case FORM_DATUM:
			break;
	}
}

const Vector *
vector_source_column(VectorScanState *scan, int attno, const uint64 *mask)
{
	bool		is_started = vector_source_start_clock(scan);
	SourceColumn *column = find_column(scan, attno);

	if (!scan->source->is_vector)
		load_from_rows(scan, column, mask);
	else if (column->is_missing)
		load_missing(scan, column);
	else
	{
		load_values(scan, column);
		if (column->vector.form == FORM_STRING)
			load_strings(scan, column, mask);
		else if (column->vector.form == FORM_DATUM)
		{
			load_datums(scan, column, mask);
			column->vector.datums = column->datum_buffer;
		}
	}
	vector_source_stop_clock(scan, is_started, 0);
	return &column->vector;
}

/*
 * The column's vector, if all of its rows are in the batch and none is NULL, it
 * has integers, and has not been decoded; or NULL.
 */
static AttributeVector *
find_whole_vector(VectorScanState *scan, const VectorBatch *batch, int attno,
				  bool allows_numeric)
{
	VectorSource *source = scan->source;
	SourceColumn *column;
	uint32		nslots;

	if (batch != &source->batch || !source->is_vector || source->rows != NULL)
		return NULL;
	nslots = scan->scan->segment->nslots - (uint32) scan->vector * VECTOR_LENGTH;
	if (batch->nrows != Min(VECTOR_LENGTH, nslots))
		return NULL;
	column = find_column(scan, attno);
	if (column->is_missing || column->has_nulls || column->has_values)
		return NULL;
	if (column->form == FORM_INTEGER ||
		(column->form == FORM_NUMERIC && allows_numeric))
		return &column->column->vector;
	return NULL;
}

bool
vector_source_sum(VectorScanState *scan, const VectorBatch *batch, int attno,
				  int64 *sum, uint8 *scale)
{
	AttributeVector *av = find_whole_vector(scan, batch, attno, true);
	const char *reason = NULL;

	if (av == NULL)
		return false;
	*scale = 0;
	if (av->kind == VALUE_NUMERIC ? chunk_numeric_is_packed(av->chunk, scale) &&
		chunk_sum(av->chunk, av->vector, true, sum, &reason) :
		av->kind != VALUE_BYTES &&
		chunk_sum(av->chunk, av->vector, is_signed_type(av), sum, &reason))
		return true;
	if (reason)
		segment_reader_report(scan->scan->reader, attno, reason);
	return false;
}

bool
vector_source_extremes(VectorScanState *scan, const VectorBatch *batch,
					   int attno, int64 *min, int64 *max)
{
	AttributeVector *av = find_whole_vector(scan, batch, attno, false);
	const char *reason;

	if (av == NULL)
		return false;
	if (chunk_extremes(av->chunk, av->vector, is_signed_type(av), min, max,
					   &reason))
		return true;
	if (reason)
		segment_reader_report(scan->scan->reader, attno, reason);
	return false;
}

/* Bring the entries of the chunk's dictionary to the column's buffer. */
static void
load_entries(VectorScanState *scan, SourceColumn *column, uint32 nentries)
{
	AttributeVector *av = &column->column->vector;
	const char *reason;

	if (nentries > column->max_entries)
	{
		if (column->entry_buffer)
			pfree(column->entry_buffer);
		column->entry_buffer =
			MemoryContextAlloc(scan->source->context,
							   sizeof(StringRef) * nentries);
		column->max_entries = nentries;
	}
	if (chunk_constant_string(av->chunk, column->entry_buffer))
		return;
	if (!chunk_decode_dictionary(av->chunk, column->entry_buffer, &reason))
		segment_reader_report(scan->scan->reader, av->attno, reason);
	if (column->attr->attlen <= 0)
		return;
	for (uint32 i = 0; i < nentries; i++)
	{
		if (column->entry_buffer[i].length != (uint32) column->attr->attlen)
			segment_reader_report(scan->scan->reader, av->attno,
								  "value of another length than the type has");
	}
}

/*
 * Have the dictionary of the open segment's chunk at hand, if it has one that
 * is small against the segment's rows.  A chunk of one value counts as one.
 */
static bool
find_dictionary(VectorScanState *scan, SourceColumn *column)
{
	AttributeVector *av = &column->column->vector;
	StringRef	constant;
	uint32		nentries;

	if (column->has_dictionary)
		return column->dictionary.nentries > 0;

	column->has_dictionary = true;
	column->dictionary.nentries = 0;
	if (chunk_constant_string(av->chunk, &constant))
		nentries = 1;
	else if (!chunk_has_dictionary(av->chunk, &nentries) ||
			 nentries > scan->scan->segment->nslots / ROWS_PER_ENTRY)
		return false;
	if (nentries == 0)
		return false;

	load_entries(scan, column, nentries);
	column->dictionary.serial = vector_source_new_serial();
	column->dictionary.nentries = nentries;
	column->dictionary.entries = column->entry_buffer;
	return true;
}

/* Codes of few rows, without decoding the others. */
static bool
gather_codes(VectorScanState *scan, SourceColumn *column, uint16 *codes)
{
	VectorSource *source = scan->source;
	AttributeVector *av = &column->column->vector;
	const char *reason;

	if (source->rows == NULL || source->batch.nslots > GATHER_MAX ||
		column->dictionary.nentries == 1)
		return false;
	if (chunk_gather_codes(av->chunk, av->vector, source->rows,
						   source->batch.nslots, codes, &reason))
		return true;
	if (reason)
		segment_reader_report(scan->scan->reader, av->attno, reason);
	return false;
}

static void
load_codes(VectorScanState *scan, SourceColumn *column)
{
	const uint16 *rows = scan->source->rows;
	AttributeVector *av = &column->column->vector;
	uint16	   *codes = BUFFER(scan->source, column->code_buffer, uint16,
							   VALUES_ROOM);
	const char *reason;

	if (gather_codes(scan, column, codes))
		return;
	if (column->dictionary.nentries == 1)
		memset(codes, 0, sizeof(uint16) * VECTOR_LENGTH);
	else if (!chunk_decode_codes(av->chunk, av->vector, codes, &reason))
		segment_reader_report(scan->scan->reader, av->attno, reason);

	/* Slots are not behind their positions: in place is safe. */
	for (int i = 0; rows && i < scan->source->batch.nslots; i++)
		codes[i] = codes[rows[i]];
}

const Vector *
vector_source_codes(VectorScanState *scan, int attno, const uint64 *mask)
{
	SourceColumn *column = find_column(scan, attno);
	bool		is_started;

	if (!scan->source->is_vector || column->is_missing ||
		column->form != FORM_STRING ||
		column->column->vector.kind != VALUE_BYTES)
		return NULL;
	if (column->has_codes)
		return &column->codes;

	is_started = vector_source_start_clock(scan);
	if (find_dictionary(scan, column))
	{
		load_codes(scan, column);
		set_form(column, &column->codes, FORM_STRING);
		column->codes.is_constant = column->dictionary.nentries == 1 &&
			!column->has_nulls;
		column->codes.strings = NULL;
		column->codes.dictionary = &column->dictionary;
		column->codes.codes = column->code_buffer;
		column->has_codes = true;
	}
	vector_source_stop_clock(scan, is_started, 0);
	return column->has_codes ? &column->codes : NULL;
}

/* ---- lengths ---- */

static void
lengths_from_chunk(VectorScanState *scan, SourceColumn *column)
{
	AttributeVector *av = &column->column->vector;
	uint32		lengths[VALUES_ROOM];
	const uint16 *rows = scan->source->rows;
	const char *reason;

	if (!chunk_decode_lengths(av->chunk, av->vector, lengths, &reason))
		segment_reader_report(scan->scan->reader, av->attno, reason);
	if (rows == NULL)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			column->length_buffer[i] = lengths[i];
	}
	else
	{
		for (int i = 0; i < scan->source->batch.nslots; i++)
			column->length_buffer[i] = lengths[rows[i]];
	}
}

/* Of varlenas, the length is found without detoasting. */
static int64
datum_length(Form_pg_attribute attr, Datum value)
{
	if (attr->attlen == -1)
		return toast_raw_datum_size(value) - VARHDRSZ;
	if (attr->attlen == -2)
		return strlen(DatumGetCString(value));
	return attr->attlen;
}

const Vector *
vector_source_lengths(VectorScanState *scan, int attno, const uint64 *mask)
{
	SourceColumn *column = find_column(scan, attno);
	ScanColumn *rows = column->column;
	bool		is_started;

	if (column->has_lengths)
		return &column->lengths;

	is_started = vector_source_start_clock(scan);
	set_form(column, &column->lengths, FORM_INTEGER);
	column->lengths.integers = BUFFER(scan->source, column->length_buffer,
									  int64, VALUES_ROOM);
	if (!scan->source->is_vector || column->is_missing)
	{
		for (int i = 0; i < scan->source->batch.nslots; i++)
		{
			Datum		value = column->is_missing ?
				rows->vector.missing_value : rows->values[i];

			if (!(column->has_nulls && vector_bit(column->nulls, i)))
				column->length_buffer[i] = datum_length(column->attr, value);
		}
	}
	else if (rows->vector.kind == VALUE_BYTES)
		lengths_from_chunk(scan, column);
	else
		elog(ERROR, "attribute %d has no strings", attno);
	column->has_lengths = true;
	vector_source_stop_clock(scan, is_started, 0);
	return &column->lengths;
}

bool
vector_source_is_ascii(VectorScanState *scan, int attno)
{
	SourceColumn *column = find_column(scan, attno);

	return scan->source->is_vector && !column->is_missing &&
		column->column->vector.kind == VALUE_BYTES &&
		chunk_is_ascii(column->column->vector.chunk);
}

void
vector_source_datums(VectorScanState *scan, int attno, const uint64 *mask,
					 const Datum **values, const bool **isnull)
{
	bool		is_started = vector_source_start_clock(scan);
	SourceColumn *column = find_column(scan, attno);

	if (!scan->source->is_vector)
	{
		*values = column->column->values;
		*isnull = column->column->isnull;
	}
	else
	{
		load_datums(scan, column, mask);
		BUFFER(scan->source, column->isnull_buffer, bool, VECTOR_LENGTH);
		memset(column->isnull_buffer, 0, VECTOR_LENGTH);
		if (column->has_nulls)
		{
			for (int i = 0; i < scan->source->batch.nslots; i++)
				column->isnull_buffer[i] = vector_bit(column->nulls, i);
		}
		*values = column->datum_buffer;
		*isnull = column->isnull_buffer;
	}
	vector_source_stop_clock(scan, is_started, 0);
}
