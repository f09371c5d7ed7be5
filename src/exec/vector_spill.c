/*
 * vector_spill.c
 *		Rows of vectors written to temporary files by partition, and read back.
 *
 * What a call appends to a partition is one block: a header, then the rows'
 * values vector by vector, every vector's at a multiple of eight bytes.  Blocks
 * of the same forms are joined when they are read.  Files are made when a
 * partition gets its first row; those of a FileSet are called after writer and
 * partition.
 *
 *	uint32	length of the block, with this header
 *	uint16	rows
 *	uint16	unused
 *	for each vector: uint8 form, uint8 scale
 *	for each vector, aligned:
 *		bits of rows that are NULL, in whole words
 *		values: int64, double or Datum each; bytes for booleans; lengths,
 *		then bytes, for strings; datums by reference as they are, each
 *		aligned
 */
#include "postgres.h"

#include "compat.h"
#include "commands/tablespace.h"
#include "exec/vector_spill.h"
#include "lib/stringinfo.h"
#include "storage/buffile.h"
#include "utils/expandeddatum.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Larger blocks are made of one row only. */
#define BLOCK_LENGTH	(4 * 1024 * 1024)

typedef struct BlockHeader
{
	uint32		length;
	uint16		nrows;
	uint16		unused;
} BlockHeader;

typedef struct Partition
{
	BufFile    *file;			/* NULL: none */
	bool		is_reading;
	int			nopened;		/* of the writers' files */
	uint64		nrows;
	char	   *next;			/* block that was read and not yet given out */
} Partition;

typedef struct ValueType
{
	Oid			type;
	int16		length;
	bool		is_byval;
} ValueType;

struct VectorSpill
{
	int			nvectors;
	ValueType  *types;
	Vector	  **vectors;		/* what a read gives; FORM_DATUM is the widest */
	uint64		nbytes;
	FileSet    *files;			/* NULL: private files */
	int			writer;
	int			nwriters;		/* whose files are read; 0 of private ones */
	StringInfoData block;		/* being made */
	Partition	partitions[SPILL_PARTITIONS];
	MemoryContext context;
	MemoryContext blocks;		/* of the last read */
	MemoryContext next;			/* of the block that was read too far */
};

VectorSpill *
vector_spill_create(int nvectors, const Oid *types)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar spill",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	VectorSpill *spill = palloc0(sizeof(VectorSpill));

	spill->context = context;
	spill->blocks = AllocSetContextCreate(context, "columnar spill blocks",
										  ALLOCSET_DEFAULT_SIZES);
	spill->next = AllocSetContextCreate(context, "columnar spill next block",
										ALLOCSET_DEFAULT_SIZES);
	spill->nvectors = nvectors;
	spill->types = palloc0(sizeof(ValueType) * Max(nvectors, 1));
	spill->vectors = palloc0(sizeof(Vector *) * Max(nvectors, 1));
	for (int v = 0; v < nvectors; v++)
	{
		spill->types[v].type = types[v];
		get_typlenbyval(types[v], &spill->types[v].length,
						&spill->types[v].is_byval);
	}
	initStringInfo(&spill->block);
	MemoryContextSwitchTo(oldcontext);
	return spill;
}

VectorSpill *
vector_spill_create_shared(int nvectors, const Oid *types, FileSet *files,
						   int writer)
{
	VectorSpill *spill = vector_spill_create(nvectors, types);

	spill->files = files;
	spill->writer = writer;
	return spill;
}

VectorSpill *
vector_spill_open_shared(int nvectors, const Oid *types, FileSet *files,
						 int nwriters)
{
	VectorSpill *spill = vector_spill_create(nvectors, types);

	spill->files = files;
	spill->nwriters = nwriters;
	return spill;
}

static void
file_name(char *name, int writer, int partition)
{
	snprintf(name, MAXPGPATH, "columnar.%d.%d", writer, partition);
}

/* ---- writing ---- */

static void
block_align(StringInfo block)
{
	static const char zeros[MAXIMUM_ALIGNOF];
	int			padding = MAXALIGN(block->len) - block->len;

	appendBinaryStringInfo(block, zeros, padding);
}

/* Make room at the end, aligned, for values to be stored. */
static void *
block_extend(StringInfo block, int length)
{
	void	   *room;

	block_align(block);
	enlargeStringInfo(block, length);
	room = block->data + block->len;
	block->len += length;
	return room;
}

static void
append_nulls(StringInfo block, const Vector *vector, const uint16 *rows, int n)
{
	int			length = sizeof(uint64) * ((n + 63) / 64);
	uint64	   *nulls = block_extend(block, length);

	memset(nulls, 0, length);
	if (!vector->has_nulls)
		return;
	for (int i = 0; i < n; i++)
	{
		if (vector_bit(vector->nulls, rows[i]))
			vector_set_bit(nulls, i);
	}
}

static void
append_booleans(StringInfo block, const Vector *vector, const uint16 *rows,
				int n)
{
	uint8	   *values = block_extend(block, n);

	for (int i = 0; i < n; i++)
		values[i] = vector_bit(vector->bits, rows[i]);
}

/* Integers, scaled numerics and floats, by their bits. */
static void
append_words(StringInfo block, const Vector *vector, const uint16 *rows, int n)
{
	int64	   *values = block_extend(block, sizeof(int64) * n);

	for (int i = 0; i < n; i++)
		values[i] = vector->integers[rows[i]];
}

static const StringRef *
string_of_row(const Vector *vector, int row)
{
	static const StringRef none = {(const uint8 *) "", 0};

	if (vector_is_null(vector, row))
		return &none;
	return vector->strings ? &vector->strings[row] :
		&vector->dictionary->entries[vector->codes[row]];
}

static void
append_strings(StringInfo block, const Vector *vector, const uint16 *rows,
			   int n)
{
	uint32	   *lengths = block_extend(block, sizeof(uint32) * n);

	for (int i = 0; i < n; i++)
		lengths[i] = string_of_row(vector, rows[i])->length;
	for (int i = 0; i < n; i++)
	{
		const StringRef *string = string_of_row(vector, rows[i]);

		appendBinaryStringInfo(block, (const char *) string->data,
							   string->length);
	}
}

/* A Datum by reference as it is, expanded objects flat. */
static void
append_reference(StringInfo block, const ValueType *type, Datum value)
{
	Pointer		pointer = DatumGetPointer(value);

	if (type->length == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) pointer))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(value);
		Size		length = EOH_get_flat_size(object);

		EOH_flatten_into(object, block_extend(block, length), length);
	}
	else
	{
		Size		length = datumGetSize(value, false, type->length);

		memcpy(block_extend(block, length), pointer, length);
	}
}

static void
append_datums(StringInfo block, const ValueType *type, const Vector *vector,
			  const uint16 *rows, int n)
{
	if (type->is_byval)
	{
		Datum	   *values = block_extend(block, sizeof(Datum) * n);

		for (int i = 0; i < n; i++)
			values[i] = vector->datums[rows[i]];
		return;
	}
	for (int i = 0; i < n; i++)
	{
		if (!vector_is_null(vector, rows[i]))
			append_reference(block, type, vector->datums[rows[i]]);
	}
}

static void
append_vector(VectorSpill *spill, int v, const Vector *vector,
			  const uint16 *rows, int n)
{
	StringInfo	block = &spill->block;

	append_nulls(block, vector, rows, n);
	switch (vector->form)
	{
		case FORM_BOOLEAN:
			append_booleans(block, vector, rows, n);
			break;
		case FORM_INTEGER:
		case FORM_FLOAT:
		case FORM_NUMERIC:
			append_words(block, vector, rows, n);
			break;
		case FORM_STRING:
			append_strings(block, vector, rows, n);
			break;
		case FORM_DATUM:
			append_datums(block, &spill->types[v], vector, rows, n);
			break;
	}
}

static void
open_partition(VectorSpill *spill, Partition *partition)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(spill->context);

	if (spill->files)
	{
		char		name[MAXPGPATH];

		file_name(name, spill->writer, partition - spill->partitions);
		partition->file = BufFileCreateFileSet(spill->files, name);
	}
	else
	{
		PrepareTempTablespaces();
		partition->file = BufFileCreateTemp(false);
	}
	MemoryContextSwitchTo(oldcontext);
}

/* Bytes of strings and datums in the rows. */
static Size
rows_length(const VectorSpill *spill, const Vector *const *vectors,
			const uint16 *rows, int n)
{
	Size		length = 0;

	for (int v = 0; v < spill->nvectors; v++)
	{
		const Vector *vector = vectors[v];

		if (vector->form == FORM_STRING)
			for (int i = 0; i < n; i++)
				length += string_of_row(vector, rows[i])->length;
		else if (vector->form == FORM_DATUM && !spill->types[v].is_byval)
			for (int i = 0; i < n; i++)
				if (!vector_is_null(vector, rows[i]))
					length += datumGetSize(vector->datums[rows[i]], false,
										   spill->types[v].length);
	}
	return length;
}

/* Append rows to a partition, as a block, or as several if it would be large. */
static void
write_block(VectorSpill *spill, Partition *partition,
			const Vector *const *vectors, const uint16 *rows, int n)
{
	StringInfo	block = &spill->block;
	BlockHeader header = {0};

	if (n > 1 && rows_length(spill, vectors, rows, n) > BLOCK_LENGTH)
	{
		write_block(spill, partition, vectors, rows, n / 2);
		write_block(spill, partition, vectors, rows + n / 2, n - n / 2);
		return;
	}

	header.nrows = n;
	resetStringInfo(block);
	appendBinaryStringInfo(block, (char *) &header, sizeof(header));
	for (int v = 0; v < spill->nvectors; v++)
	{
		appendStringInfoCharMacro(block, (char) vectors[v]->form);
		appendStringInfoCharMacro(block, (char) vectors[v]->scale);
	}
	for (int v = 0; v < spill->nvectors; v++)
		append_vector(spill, v, vectors[v], rows, n);
	block_align(block);
	((BlockHeader *) block->data)->length = block->len;

	if (partition->file == NULL)
		open_partition(spill, partition);
	BufFileWrite(partition->file, block->data, block->len);
	partition->nrows += n;
	spill->nbytes += block->len;
}

void
vector_spill_write(VectorSpill *spill, const Vector *const *vectors,
				   const uint64 *mask, const uint64 *hashes, int shift)
{
	uint16		starts[SPILL_PARTITIONS + 1] = {0};
	uint16		next[SPILL_PARTITIONS];
	uint16		rows[VECTOR_LENGTH];

	CHECK_FOR_INTERRUPTS();
	VECTOR_FOR_EACH(slot, mask)
		starts[(hashes[slot] >> shift) % SPILL_PARTITIONS + 1]++;
	for (int p = 0; p < SPILL_PARTITIONS; p++)
	{
		next[p] = starts[p];
		starts[p + 1] += starts[p];
	}
	VECTOR_FOR_EACH(slot, mask)
		rows[next[(hashes[slot] >> shift) % SPILL_PARTITIONS]++] = slot;

	for (int p = 0; p < SPILL_PARTITIONS; p++)
	{
		Assert(!spill->partitions[p].is_reading);
		if (starts[p + 1] > starts[p])
			write_block(spill, &spill->partitions[p], vectors,
						rows + starts[p], starts[p + 1] - starts[p]);
	}
}

void
vector_spill_export(VectorSpill *spill)
{
	for (int p = 0; p < SPILL_PARTITIONS; p++)
	{
		Partition  *partition = &spill->partitions[p];

		if (partition->file)
		{
			BufFileExportFileSet(partition->file);
			BufFileClose(partition->file);
		}
		partition->file = NULL;
	}
}

uint64
vector_spill_nrows(const VectorSpill *spill, int partition)
{
	return spill->partitions[partition].nrows;
}

uint64
vector_spill_bytes(const VectorSpill *spill)
{
	return spill->nbytes;
}

/* ---- reading ---- */

static void
read_bytes(BufFile *file, void *bytes, Size length)
{
	Size		nread = BufFileRead(file, bytes, length);

	if (nread != length)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from temporary file: read only %zu of %zu bytes",
						nread, length)));
}

/* Go on to the next writer's file; false if there is none. */
static bool
open_next_file(VectorSpill *spill, Partition *partition)
{
	MemoryContext oldcontext;
	char		name[MAXPGPATH];

	if (spill->nwriters == 0)
		return false;
	if (partition->file)
		BufFileClose(partition->file);
	partition->file = NULL;

	oldcontext = MemoryContextSwitchTo(spill->context);
	while (partition->file == NULL && partition->nopened < spill->nwriters)
	{
		file_name(name, partition->nopened++, partition - spill->partitions);
		partition->file = BufFileOpenFileSet(spill->files, name, O_RDONLY,
											 true);
	}
	MemoryContextSwitchTo(oldcontext);
	return partition->file != NULL;
}

/* The partition's next block, or NULL at the end. */
static char *
read_block(VectorSpill *spill, Partition *partition)
{
	BlockHeader header;
	char	   *block;
	Size		nread = 0;

	if (partition->file)
		nread = BufFileRead(partition->file, &header, sizeof(header));
	while (nread == 0)
	{
		if (!open_next_file(spill, partition))
			return NULL;
		nread = BufFileRead(partition->file, &header, sizeof(header));
	}
	if (nread != sizeof(header) || header.length < sizeof(header))
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from temporary file: read only %zu of %zu bytes",
						nread, sizeof(header))));
	block = MemoryContextAlloc(spill->next, header.length);
	memcpy(block, &header, sizeof(header));
	read_bytes(partition->file, block + sizeof(header),
			   header.length - sizeof(header));
	return block;
}

/* Take a vector's values out of a block, to the slots from start on. */
static char *
take_values(const ValueType *type, Vector *vector, char *p, int start, int n)
{
	switch (vector->form)
	{
		case FORM_BOOLEAN:
			for (int i = 0; i < n; i++)
			{
				uint64		bit = UINT64CONST(1) << ((start + i) % 64);

				vector->bits[(start + i) / 64] &= ~bit;
				if (p[i])
					vector->bits[(start + i) / 64] |= bit;
			}
			return p + n;
		case FORM_INTEGER:
		case FORM_FLOAT:
		case FORM_NUMERIC:
			memcpy(vector->integers + start, p, sizeof(int64) * n);
			return p + sizeof(int64) * n;
		case FORM_STRING:
			{
				const uint32 *lengths = (const uint32 *) p;

				p += sizeof(uint32) * n;
				for (int i = 0; i < n; i++)
				{
					vector->strings[start + i].data = (const uint8 *) p;
					vector->strings[start + i].length = lengths[i];
					p += lengths[i];
				}
				return p;
			}
		case FORM_DATUM:
			if (type->is_byval)
			{
				memcpy(vector->datums + start, p, sizeof(Datum) * n);
				return p + sizeof(Datum) * n;
			}
			for (int i = 0; i < n; i++)
			{
				vector->datums[start + i] = (Datum) 0;
				if (vector_is_null(vector, start + i))
					continue;
				p = (char *) MAXALIGN(p);
				vector->datums[start + i] = PointerGetDatum(p);
				p += datumGetSize(PointerGetDatum(p), false, type->length);
			}
			return p;
	}
	return p;
}

static char *
take_nulls(Vector *vector, char *p, int start, int n)
{
	const uint64 *nulls = (const uint64 *) p;

	for (int i = 0; i < n; i++)
	{
		if (vector_bit(nulls, i))
		{
			vector_set_bit(vector->nulls, start + i);
			vector->has_nulls = true;
		}
	}
	return p + sizeof(uint64) * ((n + 63) / 64);
}

static void
take_block(VectorSpill *spill, char *block, int start)
{
	int			n = ((BlockHeader *) block)->nrows;
	char	   *p = block + sizeof(BlockHeader) + 2 * spill->nvectors;

	for (int v = 0; v < spill->nvectors; v++)
	{
		p = take_nulls(spill->vectors[v], (char *) MAXALIGN(p), start, n);
		p = take_values(&spill->types[v], spill->vectors[v],
						(char *) MAXALIGN(p), start, n);
	}
	Assert((char *) MAXALIGN(p) == block + ((BlockHeader *) block)->length);
}

/* Make the vectors empty ones of the forms of a block. */
static void
start_vectors(VectorSpill *spill, const char *block)
{
	const uint8 *forms = (const uint8 *) block + sizeof(BlockHeader);

	for (int v = 0; v < spill->nvectors; v++)
	{
		Vector	   *vector = spill->vectors[v];
		VectorForm	form = (VectorForm) forms[2 * v];

		if (vector == NULL || vector->form != form)
		{
			MemoryContext oldcontext = MemoryContextSwitchTo(spill->context);

			if (vector)
			{
				pfree(vector->data);
				pfree(vector->nulls);
				pfree(vector);
			}
			vector = spill->vectors[v] = vector_create(form);
			MemoryContextSwitchTo(oldcontext);
		}
		vector->scale = forms[2 * v + 1];
		vector->has_nulls = false;
		memset(vector->nulls, 0, sizeof(uint64) * VECTOR_WORDS);
	}
}

static bool
block_has_forms(VectorSpill *spill, const char *block)
{
	const uint8 *forms = (const uint8 *) block + sizeof(BlockHeader);

	for (int v = 0; v < spill->nvectors; v++)
	{
		if (forms[2 * v] != spill->vectors[v]->form ||
			forms[2 * v + 1] != spill->vectors[v]->scale)
			return false;
	}
	return true;
}

static void
start_reading(Partition *partition)
{
	if (partition->is_reading)
		return;
	if (partition->file && BufFileSeek(partition->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind temporary file")));
	partition->is_reading = true;
}

static void
close_partition(Partition *partition)
{
	if (partition->file)
		BufFileClose(partition->file);
	partition->file = NULL;
	partition->next = NULL;
}

int
vector_spill_read(VectorSpill *spill, int partition_number, Vector **vectors)
{
	Partition  *partition = &spill->partitions[partition_number];
	MemoryContext swap;
	char	   *block;
	int			nrows = 0;

	CHECK_FOR_INTERRUPTS();
	if (partition->file == NULL && partition->next == NULL &&
		partition->nopened == spill->nwriters)
		return 0;
	start_reading(partition);

	/* The block that was read too far becomes one of this read's. */
	MemoryContextReset(spill->blocks);
	swap = spill->blocks;
	spill->blocks = spill->next;
	spill->next = swap;

	block = partition->next;
	partition->next = NULL;
	if (block == NULL)
		block = read_block(spill, partition);
	if (block == NULL)
	{
		close_partition(partition);
		return 0;
	}
	start_vectors(spill, block);
	while (block && ((BlockHeader *) block)->nrows <= VECTOR_LENGTH - nrows &&
		   block_has_forms(spill, block))
	{
		take_block(spill, block, nrows);
		nrows += ((BlockHeader *) block)->nrows;
		block = read_block(spill, partition);
	}
	partition->next = block;
	for (int v = 0; v < spill->nvectors; v++)
		vectors[v] = spill->vectors[v];
	return nrows;
}

void
vector_spill_free(VectorSpill *spill)
{
	for (int p = 0; p < SPILL_PARTITIONS; p++)
		close_partition(&spill->partitions[p]);
	MemoryContextDelete(spill->context);
}
