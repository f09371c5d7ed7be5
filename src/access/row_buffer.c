/*
 * row_buffer.c
 *		Up to 65,536 rows held by column, on their way to a segment.
 *
 * Each column is what chunk_encode() takes: an array in native width, or the
 * payloads of all values one after another with their offsets, and a bitmap of
 * NULLs.  Appending allocates only when the arrays grow, all of them at once.
 * A column gets its arrays with its first value that is not NULL, its bitmap
 * with its first NULL: a table of 1,600 mostly empty columns is cheap.
 *
 * Varlena values are kept without header, expanded; they get a 4-byte header
 * when they leave.  Fixed-length values passed by reference are kept as they
 * are; cstrings without their terminator.
 */
#include "postgres.h"

#include "access/attribute_kind.h"
#include "access/detoast.h"
#include "access/row_buffer.h"
#include "access/table_options.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "utils/memutils.h"

#define ROW_BUFFER_MIN_CAPACITY	64

/* A byte string beyond this grows by a quarter, not by its own length. */
#define BYTES_DOUBLING_LIMIT	((Size) 16 * 1024 * 1024)
#define BYTES_MIN_CAPACITY		((Size) 1024)

typedef struct RowColumn
{
	ValueKind	kind;
	ValueClass	value_class;
	ValueShape	shape;			/* of bytes */
	int16		attlen;
	bool		dropped;		/* has no values, and no chunk */
	uint8		width;			/* fixed width: bytes of a value, else 0 */
	char		align;			/* attalign, for values by reference */
	uint8	   *values;			/* fixed width: capacity values, or NULL */
	uint64	   *offsets;		/* bytes: capacity + 1 of them, or NULL */
	uint8	   *bytes;			/* payloads, offsets[nslots] of them */
	Size		bytes_capacity;
	uint8	   *nulls;			/* capacity bits, or NULL if none was needed */
	bool		has_nulls;		/* a bit of it is set */
} RowColumn;

struct RowBuffer
{
	MemoryContext context;
	int			natts;
	uint32		nslots;
	uint32		nrows;
	uint32		capacity;		/* positions that the arrays have */
	Size		nbytes;			/* allocated in the arrays */
	RowColumn	columns[FLEXIBLE_ARRAY_MEMBER];
};

RowBuffer *
row_buffer_create(TupleDesc desc, MemoryContext parent)
{
	MemoryContext context;
	RowBuffer  *buffer;
	Size		size = offsetof(RowBuffer, columns) +
		desc->natts * sizeof(RowColumn);

	context = AllocSetContextCreate(parent, "columnar row buffer",
									ALLOCSET_START_SMALL_SIZES);
	buffer = MemoryContextAllocZero(context, size);
	buffer->context = context;
	buffer->natts = desc->natts;
	buffer->nbytes = size;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, i);
		RowColumn  *column = &buffer->columns[i];

		column->dropped = attr->attisdropped;
		if (column->dropped)
			continue;
		column->kind = attribute_kind(attr);
		column->value_class = attribute_class(attr);
		attribute_shape(attr, &column->shape);
		column->attlen = attr->attlen;
		column->align = attr->attalign;
		if (attr->attbyval)
			column->width = (uint8) value_kind_width(column->kind);
	}
	return buffer;
}

void
row_buffer_free(RowBuffer *buffer)
{
	MemoryContextDelete(buffer->context);
}

void
row_buffer_reset(RowBuffer *buffer)
{
	for (int i = 0; i < buffer->natts; i++)
	{
		RowColumn  *column = &buffer->columns[i];

		if (column->has_nulls)
			memset(column->nulls, 0, (buffer->nslots + 7) / 8);
		column->has_nulls = false;
	}
	buffer->nslots = 0;
	buffer->nrows = 0;
}

int
row_buffer_natts(const RowBuffer *buffer)
{
	return buffer->natts;
}

uint32
row_buffer_nslots(const RowBuffer *buffer)
{
	return buffer->nslots;
}

uint32
row_buffer_nrows(const RowBuffer *buffer)
{
	return buffer->nrows;
}

Size
row_buffer_bytes(const RowBuffer *buffer)
{
	return buffer->nbytes;
}

Size
row_buffer_raw_bytes(const RowBuffer *buffer)
{
	Size		nbytes = 0;

	for (int i = 0; i < buffer->natts; i++)
	{
		const RowColumn *column = &buffer->columns[i];

		if (column->width > 0)
			nbytes += (Size) buffer->nslots * column->width;
		else if (column->offsets != NULL)
			nbytes += column->offsets[buffer->nslots];
	}
	return nbytes;
}

/* ---- growth ---- */

/*
 * Resize an array of the buffer, or make it; new bytes are zero.
 */
static void *
array_resize(RowBuffer *buffer, void *array, Size old_size, Size new_size)
{
	Assert(new_size >= old_size);
	if (array == NULL)
		array = MemoryContextAllocHuge(buffer->context, new_size);
	else
		array = repalloc_huge(array, new_size);
	memset((char *) array + old_size, 0, new_size - old_size);
	buffer->nbytes += new_size - old_size;
	return array;
}

/* Bytes of a bitmap of that many positions. */
static inline Size
bitmap_size(uint32 capacity)
{
	return (capacity + 7) / 8;
}

/*
 * Double the positions.  Not atomic on error: a buffer whose growth failed is
 * only good for being freed, which is what happens, as its owner aborts.
 */
static void
row_buffer_grow(RowBuffer *buffer)
{
	uint32		old_capacity = buffer->capacity;
	uint32		capacity = Max(old_capacity * 2, ROW_BUFFER_MIN_CAPACITY);

	Assert(capacity <= CHUNK_MAX_ROWS);
	for (int i = 0; i < buffer->natts; i++)
	{
		RowColumn  *column = &buffer->columns[i];

		if (column->values != NULL)
			column->values = array_resize(buffer, column->values,
										  (Size) old_capacity * column->width,
										  (Size) capacity * column->width);
		if (column->offsets != NULL)
			column->offsets = array_resize(buffer, column->offsets,
										   (old_capacity + 1) * sizeof(uint64),
										   (capacity + 1) * sizeof(uint64));
		if (column->nulls != NULL)
			column->nulls = array_resize(buffer, column->nulls,
										 bitmap_size(old_capacity),
										 bitmap_size(capacity));
	}
	buffer->capacity = capacity;
}

uint32
row_buffer_room(const RowBuffer *buffer)
{
	return buffer->capacity - buffer->nslots;
}

Size
row_buffer_growth(const RowBuffer *buffer)
{
	Size		nbytes = 0;

	for (int i = 0; i < buffer->natts; i++)
	{
		const RowColumn *column = &buffer->columns[i];

		if (column->values != NULL)
			nbytes += (Size) buffer->capacity * column->width;
		if (column->offsets != NULL)
			nbytes += (Size) buffer->capacity * sizeof(uint64);
		if (column->nulls != NULL)
			nbytes += bitmap_size(buffer->capacity);
	}
	return nbytes;
}

/*
 * Give a column the arrays of its values; all positions so far are NULL.
 */
static void
column_make_arrays(RowBuffer *buffer, RowColumn *column)
{
	Size		capacity = buffer->capacity;

	if (column->width > 0 && column->values == NULL)
		column->values = array_resize(buffer, NULL, 0,
									  capacity * column->width);
	else if (column->width == 0 && column->offsets == NULL)
		column->offsets = array_resize(buffer, NULL, 0,
									   (capacity + 1) * sizeof(uint64));
}

/*
 * Make room for needed bytes.  Doubling a buffer of some hundred megabytes for
 * one more value would be out of proportion.
 */
static void
column_grow_bytes(RowBuffer *buffer, RowColumn *column, Size needed)
{
	Size		capacity = column->bytes_capacity;

	if (capacity < BYTES_DOUBLING_LIMIT)
		capacity *= 2;
	else
		capacity += capacity / 4;
	capacity = Max(Max(capacity, needed), BYTES_MIN_CAPACITY);

	/* Unlike the arrays, not zeroed: it is overwritten at once. */
	if (column->bytes == NULL)
		column->bytes = MemoryContextAllocHuge(buffer->context, capacity);
	else
		column->bytes = repalloc_huge(column->bytes, capacity);
	buffer->nbytes += capacity - column->bytes_capacity;
	column->bytes_capacity = capacity;
}

static inline void
column_reserve_bytes(RowBuffer *buffer, RowColumn *column, Size needed)
{
	if (unlikely(needed > column->bytes_capacity))
		column_grow_bytes(buffer, column, needed);
}

/* ---- appending ---- */

static inline void
column_append_null(RowBuffer *buffer, RowColumn *column, uint32 slot)
{
	if (column->nulls == NULL)
		column->nulls = array_resize(buffer, NULL, 0,
									 bitmap_size(buffer->capacity));
	column->nulls[slot / 8] |= (uint8) (1 << (slot % 8));
	column->has_nulls = true;
	if (column->offsets != NULL)
		column->offsets[slot + 1] = column->offsets[slot];
}

static inline void
column_append_bytes(RowBuffer *buffer, RowColumn *column, uint32 slot,
					const void *data, Size length)
{
	uint64		used = column->offsets[slot];

	column_reserve_bytes(buffer, column, used + length);
	memcpy(column->bytes + used, data, length);
	column->offsets[slot + 1] = used + length;
}

/*
 * Append a varlena's payload; what is stored outside, compressed or expanded
 * is fetched into a copy first, which is freed at once as it may be large.
 */
static inline void
column_append_varlena(RowBuffer *buffer, RowColumn *column, uint32 slot,
					  struct varlena *value)
{
	struct varlena *plain = value;

	if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
		plain = detoast_attr(value);
	column_append_bytes(buffer, column, slot, VARDATA_ANY(plain),
						VARSIZE_ANY_EXHDR(plain));
	if (plain != value)
		pfree(plain);
}

static inline void
column_append_reference(RowBuffer *buffer, RowColumn *column, uint32 slot,
						Datum value)
{
	if (unlikely(column->offsets == NULL))
		column_make_arrays(buffer, column);
	if (column->attlen == -1)
		column_append_varlena(buffer, column, slot,
							  (struct varlena *) DatumGetPointer(value));
	else if (column->attlen == -2)
		column_append_bytes(buffer, column, slot, DatumGetPointer(value),
							strlen(DatumGetCString(value)));
	else
		column_append_bytes(buffer, column, slot, DatumGetPointer(value),
							column->attlen);
}

void
row_buffer_append(RowBuffer *buffer, const Datum *values, const bool *isnull)
{
	row_buffer_append_rows(buffer, &values, &isnull, 1);
}

/*
 * Values of an attribute, from number attr on in each row, that are NULL or of
 * the column's fixed width.  The loop is made for each width.
 */
#define APPEND_FIXED_ROWS(type, get) \
	do { \
		for (int k = 0; k < nrows; k++) \
		{ \
			if (unlikely(isnull[k][attr])) \
				column_append_null(buffer, column, first + k); \
			else \
				((type *) column->values)[first + k] = get(values[k][attr]); \
		} \
	} while (0)

static void
column_append_fixed_rows(RowBuffer *buffer, RowColumn *column, int attr,
						 const Datum *const *values, const bool *const *isnull,
						 int nrows)
{
	uint32		first = buffer->nslots;

	if (unlikely(column->values == NULL))
	{
		int			nnulls = 0;

		while (nnulls < nrows && isnull[nnulls][attr])
			nnulls++;
		if (nnulls < nrows)
			column_make_arrays(buffer, column);
	}
	switch (column->width)
	{
		case 1:
			APPEND_FIXED_ROWS(uint8, DatumGetUInt8);
			break;
		case 2:
			APPEND_FIXED_ROWS(uint16, DatumGetUInt16);
			break;
		case 4:
			APPEND_FIXED_ROWS(uint32, DatumGetUInt32);
			break;
		default:
			Assert(column->width == 8);
			APPEND_FIXED_ROWS(uint64, (uint64));
			break;
	}
}

void
row_buffer_append_rows(RowBuffer *buffer, const Datum *const *values,
					   const bool *const *isnull, int nrows)
{
	uint32		first = buffer->nslots;

	while (first + nrows > buffer->capacity)
		row_buffer_grow(buffer);

	for (int i = 0; i < buffer->natts; i++)
	{
		RowColumn  *column = &buffer->columns[i];

		if (column->dropped)
			continue;
		if (column->width > 0)
		{
			column_append_fixed_rows(buffer, column, i, values, isnull, nrows);
			continue;
		}
		for (int k = 0; k < nrows; k++)
		{
			if (isnull[k][i])
				column_append_null(buffer, column, first + k);
			else
				column_append_reference(buffer, column, first + k, values[k][i]);
		}
	}

	/* Only now: an error above leaves no half row. */
	buffer->nslots += nrows;
	buffer->nrows += nrows;
}

void
row_buffer_append_hole(RowBuffer *buffer)
{
	uint32		slot = buffer->nslots;

	if (slot == buffer->capacity)
		row_buffer_grow(buffer);
	for (int i = 0; i < buffer->natts; i++)
	{
		if (!buffer->columns[i].dropped)
			column_append_null(buffer, &buffer->columns[i], slot);
	}
	buffer->nslots++;
}

/* ---- reading back ---- */

static Datum
column_get_fixed(const RowColumn *column, uint32 slot)
{
	switch (column->width)
	{
		case 1:
			return UInt8GetDatum(column->values[slot]);
		case 2:
			return Int16GetDatum(((int16 *) column->values)[slot]);
		case 4:
			return Int32GetDatum(((int32 *) column->values)[slot]);
		default:
			Assert(column->width == 8);
			return (Datum) ((uint64 *) column->values)[slot];
	}
}

static Datum
column_get_bytes(const RowColumn *column, uint32 slot)
{
	const uint8 *data = column->bytes + column->offsets[slot];
	Size		length = column->offsets[slot + 1] - column->offsets[slot];
	char	   *copy;

	if (column->attlen == -1)
	{
		copy = palloc(length + VARHDRSZ);
		SET_VARSIZE(copy, length + VARHDRSZ);
		memcpy(copy + VARHDRSZ, data, length);
	}
	else if (column->attlen == -2)
	{
		copy = palloc(length + 1);
		memcpy(copy, data, length);
		copy[length] = '\0';
	}
	else if (att_align_nominal((uintptr_t) data, column->align) ==
			 (uintptr_t) data)
		return PointerGetDatum(data);
	else
	{
		copy = palloc(length);
		memcpy(copy, data, length);
	}
	return PointerGetDatum(copy);
}

bool
row_buffer_is_null(const RowBuffer *buffer, uint32 slot, int attno)
{
	const RowColumn *column = &buffer->columns[attno - 1];

	Assert(attno >= 1 && attno <= buffer->natts);
	Assert(slot < buffer->nslots);

	return column->dropped ||
		(column->has_nulls &&
		 (column->nulls[slot / 8] & (1 << (slot % 8))) != 0);
}

Datum
row_buffer_get(const RowBuffer *buffer, uint32 slot, int attno, bool *isnull)
{
	const RowColumn *column = &buffer->columns[attno - 1];

	*isnull = row_buffer_is_null(buffer, slot, attno);
	if (*isnull)
		return (Datum) 0;
	if (column->width > 0)
		return column_get_fixed(column, slot);
	return column_get_bytes(column, slot);
}

bool
row_buffer_strings(const RowBuffer *buffer, int attno, const uint64 **offsets,
				   const uint8 **bytes)
{
	const RowColumn *column = &buffer->columns[attno - 1];

	Assert(attno >= 1 && attno <= buffer->natts);
	if (column->value_class != CLASS_BYTES || column->bytes == NULL)
		return false;
	Assert(column->width == 0 && column->offsets != NULL);
	*offsets = column->offsets;
	*bytes = column->bytes;
	return true;
}

/* ---- writing ---- */

/* Array of a column's values in that order. */
#define REORDER(type) \
	do { \
		type	   *to = palloc(nslots * sizeof(type)); \
		const type *from = (const type *) column->values; \
		for (uint32 i = 0; i < nslots; i++) \
			to[i] = from[order[i]]; \
		input->values = to; \
	} while (0)

static void
reorder_fixed(const RowColumn *column, uint32 nslots, const uint32 *order,
			  ChunkInput *input)
{
	switch (column->width)
	{
		case 1:
			REORDER(uint8);
			break;
		case 2:
			REORDER(uint16);
			break;
		case 4:
			REORDER(uint32);
			break;
		default:
			Assert(column->width == 8);
			REORDER(uint64);
			break;
	}
}

static void
reorder_bytes(const RowColumn *column, uint32 nslots, const uint32 *order,
			  ChunkInput *input)
{
	const uint64 *offsets = column->offsets;
	uint64	   *new_offsets = palloc((nslots + 1) * sizeof(uint64));
	uint8	   *bytes = palloc_extended(Max(offsets[nslots], 1),
										MCXT_ALLOC_HUGE);
	uint64		used = 0;

	for (uint32 i = 0; i < nslots; i++)
	{
		uint64		start = offsets[order[i]];
		uint64		length = offsets[order[i] + 1] - start;

		new_offsets[i] = used;
		memcpy(bytes + used, column->bytes + start, length);
		used += length;
	}
	new_offsets[nslots] = used;
	input->offsets = new_offsets;
	input->bytes = bytes;
}

static void
reorder_nulls(const RowColumn *column, uint32 nslots, const uint32 *order,
			  ChunkInput *input)
{
	uint8	   *nulls = palloc0(bitmap_size(nslots));

	for (uint32 i = 0; i < nslots; i++)
	{
		uint32		from = order[i];

		if ((column->nulls[from / 8] & (1 << (from % 8))) != 0)
			nulls[i / 8] |= (uint8) (1 << (i % 8));
	}
	input->nulls = nulls;
}

/*
 * Let the input be a copy of the column with its rows in that order; in the
 * current context.
 */
static void
column_reorder(const RowBuffer *buffer, const RowColumn *column,
			   const uint32 *order, ChunkInput *input)
{
	if (column->width > 0)
		reorder_fixed(column, buffer->nslots, order, input);
	else
		reorder_bytes(column, buffer->nslots, order, input);
	if (column->has_nulls)
		reorder_nulls(column, buffer->nslots, order, input);
}

static void
column_write(RowBuffer *buffer, RowColumn *column, int attno,
			 const uint32 *order, ExtentWriter *writer,
			 const ChunkOptions *options)
{
	ChunkInput	input;
	MemoryContext context;
	MemoryContext old_context;

	/* The encoder wants the arrays even if there is nothing but NULLs. */
	column_make_arrays(buffer, column);
	if (column->width == 0)
		column_reserve_bytes(buffer, column, 1);

	memset(&input, 0, sizeof(input));
	input.kind = column->kind;
	input.value_class = column->value_class;
	input.nrows = buffer->nslots;
	input.nulls = column->has_nulls ? column->nulls : NULL;
	input.values = column->values;
	input.offsets = column->offsets;
	input.bytes = column->bytes;
	input.shape = &column->shape;
	if (order == NULL)
	{
		extent_add_attribute(writer, attno, &input, options);
		return;
	}

	context = AllocSetContextCreate(CurrentMemoryContext,
									"columnar reordered column",
									ALLOCSET_DEFAULT_SIZES);
	old_context = MemoryContextSwitchTo(context);
	column_reorder(buffer, column, order, &input);
	MemoryContextSwitchTo(old_context);
	extent_add_attribute(writer, attno, &input, options);
	MemoryContextDelete(context);
}

void
row_buffer_write(RowBuffer *buffer, const uint32 *order, Relation rel,
				 FullTransactionId owner, SegmentData *segment)
{
	TableOptions table_options;
	ChunkOptions options;
	ExtentWriter *writer;

	Assert(buffer->nslots > 0);

	table_options_get(rel, &table_options);
	table_options_chunk(&table_options, &options);
	writer = extent_begin(rel, buffer->natts);
	for (int i = 0; i < buffer->natts; i++)
	{
		if (!buffer->columns[i].dropped)
			column_write(buffer, &buffer->columns[i], i + 1, order, writer,
						 &options);
	}
	extent_finish(writer, owner, segment);
	segment->nslots = buffer->nslots;
	segment->nrows = buffer->nrows;
}
