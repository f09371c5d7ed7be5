/*
 * group_key.c
 *		A key of a grouping: its values as words.
 *
 * Integers are their own words.  Floats are the bits of the double after -0 and
 * the NaNs have been made one.  Numerics are integers at one scale for the
 * whole table, which grows with the scales that are met; when a value does not
 * fit, the column goes over to interned values.  Strings are interned in a
 * StringSet, by way of the dictionary's code where there is one, and everything
 * else in a DatumSet.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "encoding/numeric_codec.h"
#include "exec/group_key.h"
#include "exec/value_hash.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* A code whose string has not been looked up yet. */
#define CODE_UNKNOWN	(NO_ID - 1)

#define MAX_WORD_SCALE	18

static const int64 powers_of_ten[MAX_WORD_SCALE + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
	1000000000, INT64CONST(10000000000), INT64CONST(100000000000),
	INT64CONST(1000000000000), INT64CONST(10000000000000),
	INT64CONST(100000000000000), INT64CONST(1000000000000000),
	INT64CONST(10000000000000000), INT64CONST(100000000000000000),
	INT64CONST(1000000000000000000)
};

/*
 * How a key's values become words.  The short ways know what is equal under the
 * type's own equality only.
 */
static GroupKeyKind
key_kind(const GroupKey *key)
{
	TypeCacheEntry *entry = lookup_type_cache(key->type, TYPECACHE_EQ_OPR);

	if (entry->eq_opr != key->equality)
		return GROUP_KEY_DATUM;
	switch (vector_form_of_type(key->type, key->typmod, key->collation))
	{
		case FORM_BOOLEAN:
		case FORM_INTEGER:
			return GROUP_KEY_INTEGER;
		case FORM_FLOAT:
			return GROUP_KEY_FLOAT;
		case FORM_NUMERIC:
			return GROUP_KEY_NUMERIC;
		case FORM_STRING:
			return GROUP_KEY_STRING;
		case FORM_DATUM:
			return GROUP_KEY_DATUM;
	}
	return GROUP_KEY_DATUM;
}

void
group_key_init(GroupKeyColumn *column, const GroupKey *key,
			   MemoryContext context, MemoryContext scratch)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(context);

	memset(column, 0, sizeof(*column));
	column->key = *key;
	column->kind = key_kind(key);
	column->context = context;
	column->scratch = scratch;
	column->null_id = NO_ID;
	get_typlenbyval(key->type, &column->length, &column->is_byval);
	if (group_key_has_ids(column))
		column->id_buffer = palloc(sizeof(uint32) * VECTOR_LENGTH);
	else
		column->word_buffer = palloc(sizeof(int64) * VECTOR_LENGTH);
	if (column->kind == GROUP_KEY_STRING)
		column->strings = string_set_create();
	if (column->kind == GROUP_KEY_DATUM || column->kind == GROUP_KEY_NUMERIC)
		column->datums = datum_set_create(key->type, key->collation,
										  key->equality);
	MemoryContextSwitchTo(oldcontext);
}

uint32
group_key_nids(const GroupKeyColumn *column)
{
	return column->kind == GROUP_KEY_STRING ?
		string_set_count(column->strings) : datum_set_count(column->datums);
}

/* ---- first values ---- */

/* Twice as much room, or what is asked for; it was made in the context. */
static void *
grow_array(GroupKeyColumn *column, void *array, Size old_length, Size length)
{
	if (array == NULL)
		return MemoryContextAllocExtended(column->context, length,
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	array = repalloc_huge(array, length);
	memset((char *) array + old_length, 0, length - old_length);
	return array;
}

void
group_key_reserve(GroupKeyColumn *column, uint32 ngroups)
{
	uint32		old = column->capacity;
	uint32		capacity;

	if (ngroups <= old)
		return;
	capacity = Max(ngroups, old <= PG_UINT32_MAX / 2 ? old * 2 : ngroups);
	capacity = Max(capacity, VECTOR_LENGTH);
	if (column->kind == GROUP_KEY_FLOAT)
		column->zeros = grow_array(column, column->zeros,
								   sizeof(uint64) * ((Size) old / 64 + 1),
								   sizeof(uint64) * ((Size) capacity / 64 + 1));
	else if (column->kind == GROUP_KEY_NUMERIC)
		column->scales = grow_array(column, column->scales, old, capacity);
	else if (column->kind == GROUP_KEY_DATUM)
		column->firsts = grow_array(column, column->firsts,
									sizeof(Datum) * (Size) old,
									sizeof(Datum) * (Size) capacity);
	column->capacity = capacity;
}

void
group_key_reset(GroupKeyColumn *column)
{
	if (column->strings)
		string_set_reset(column->strings);
	if (column->datums)
		datum_set_reset(column->datums);
	if (column->zeros)
		pfree(column->zeros);
	if (column->scales)
		pfree(column->scales);
	if (column->firsts)
		pfree(column->firsts);
	column->zeros = NULL;
	column->scales = NULL;
	column->firsts = NULL;
	column->capacity = 0;
	column->null_id = NO_ID;
	column->dictionary = 0;
}

/* A value of a row that is not NULL. */
static Datum
row_datum(const Vector *vector, int slot, Oid type)
{
	if (vector->form == FORM_STRING && vector->strings == NULL)
	{
		StringRef	string = vector->dictionary->entries[vector->codes[slot]];
		Vector		one = *vector;

		one.strings = &string;
		return vector_datum(&one, 0, type);
	}
	return vector_datum(vector, slot, type);
}

/* The display scale of a finite numeric, or -1. */
static int
datum_scale(Datum value, NumericParts *parts)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);

	if (!numeric_parse((const uint8 *) VARDATA_ANY(numeric),
					   VARSIZE_ANY_EXHDR(numeric), parts) ||
		parts->form != NUMERIC_FINITE)
		return -1;
	return parts->display_scale;
}

void
group_key_keep(GroupKeyColumn *column, uint32 group, const Vector *vector,
			   int slot, uint64 word)
{
	NumericParts parts;

	Assert(group < column->capacity);
	if (vector_is_null(vector, slot))
		return;
	switch (column->kind)
	{
		case GROUP_KEY_FLOAT:
			if (word == 0 && (vector->form == FORM_DATUM ?
							  signbit(column->converted->floats[slot]) :
							  signbit(vector->floats[slot])))
				vector_set_bit(column->zeros, group);
			break;
		case GROUP_KEY_NUMERIC:
			column->scales[group] = vector->form == FORM_NUMERIC ?
				vector->scale : datum_scale(vector->datums[slot], &parts);
			break;
		case GROUP_KEY_DATUM:
			column->firsts[group] =
				datum_set_keep(column->datums, (uint32) word,
							   row_datum(vector, slot, column->key.type));
			break;
		default:
			break;
	}
}

/* A string as a value of a type that has no length of its own. */
static Datum
string_value(GroupKeyColumn *column, uint32 id)
{
	struct varlena *varlena = string_set_varlena(column->strings, id);
	StringRef	string;
	Vector		vector = {.form = FORM_STRING, .strings = &string};

	if (column->length == -1)
		return PointerGetDatum(varlena);
	string.data = (const uint8 *) VARDATA(varlena);
	string.length = VARSIZE(varlena) - VARHDRSZ;
	return vector_datum(&vector, 0, column->key.type);
}

static Datum
numeric_value(GroupKeyColumn *column, uint32 group, int64 word)
{
	uint8		scale = column->scales[group];
	int64		value = word / powers_of_ten[column->scale - scale];
	Vector		vector = {.form = FORM_NUMERIC, .integers = &value,
	.scale = scale};

	Assert(value * powers_of_ten[column->scale - scale] == word);
	return vector_datum(&vector, 0, column->key.type);
}

Datum
group_key_value(GroupKeyColumn *column, uint32 group, uint64 word)
{
	int64		integer = (int64) word;
	Vector		vector = {.form = FORM_INTEGER, .integers = &integer};

	switch (column->kind)
	{
		case GROUP_KEY_INTEGER:
			break;
		case GROUP_KEY_FLOAT:
			vector.form = FORM_FLOAT;
			if (word == 0 && vector_bit(column->zeros, group))
				integer = PG_INT64_MIN;
			break;
		case GROUP_KEY_NUMERIC:
			return numeric_value(column, group, integer);
		case GROUP_KEY_STRING:
			return string_value(column, (uint32) word);
		case GROUP_KEY_DATUM:
			return column->firsts[group];
	}
	return vector_datum(&vector, 0, column->key.type);
}

/* ---- words ---- */

/* Values of DATUM in the form that the column works on. */
static const Vector *
convert_datums(GroupKeyColumn *column, const Vector *vector,
			   const RowList *rows)
{
	VectorForm	form = column->kind == GROUP_KEY_INTEGER ? FORM_INTEGER :
		column->kind == GROUP_KEY_FLOAT ? FORM_FLOAT : FORM_STRING;
	MemoryContext oldcontext;

	if (column->converted == NULL)
	{
		oldcontext = MemoryContextSwitchTo(column->context);
		column->converted = vector_create(form);
		MemoryContextSwitchTo(oldcontext);
	}
	oldcontext = MemoryContextSwitchTo(column->scratch);
	column->converted->has_nulls = vector->has_nulls;
	if (vector->has_nulls)
		memcpy(column->converted->nulls, vector->nulls,
			   sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);

		if (!vector_is_null(vector, slot))
			vector_store_datum(column->converted, slot, column->key.type,
							   vector->datums[slot]);
	}
	MemoryContextSwitchTo(oldcontext);
	return column->converted;
}

/* Which rows are NULL. */
static void
gather_nulls(GroupKeyBatch *batch, const Vector *vector, const RowList *rows)
{
	uint64		any = 0;

	batch->has_nulls = false;
	if (!vector->has_nulls)
		return;
	memset(batch->nulls, 0, sizeof(batch->nulls));
	for (int i = 0; i < rows->n; i++)
	{
		uint64		bit = vector_bit(vector->nulls, row_slot(rows, i));

		batch->nulls[i / 64] |= bit << (i % 64);
		any |= bit;
	}
	batch->has_nulls = any != 0;
}

static void
encode_integers(GroupKeyColumn *column, const Vector *vector,
				const RowList *rows)
{
	int64	   *words = column->word_buffer;

	column->batch.words = words;
	if (vector->form == FORM_BOOLEAN)
	{
		for (int i = 0; i < rows->n; i++)
			words[i] = vector_bit(vector->bits, row_slot(rows, i));
	}
	else if (column->key.type == BOOLOID)
	{
		for (int i = 0; i < rows->n; i++)
			words[i] = vector->integers[row_slot(rows, i)] != 0;
	}
	else if (rows->slots == NULL)
		column->batch.words = vector->integers;
	else
	{
		for (int i = 0; i < rows->n; i++)
			words[i] = vector->integers[rows->slots[i]];
	}
}

static void
encode_floats(GroupKeyColumn *column, const Vector *vector,
			  const RowList *rows)
{
	double	   *words = (double *) column->word_buffer;

	for (int i = 0; i < rows->n; i++)
	{
		double		value = vector->floats[row_slot(rows, i)];

		words[i] = value == 0 ? 0 : isnan(value) ? (double) NAN : value;
	}
	column->batch.words = column->word_buffer;
}

/* ---- numerics ---- */

static inline bool
row_is_null(const GroupKeyBatch *batch, int row)
{
	return batch->has_nulls && vector_bit(batch->nulls, row);
}

/* Scaled integers to the column's larger scale. */
static bool
raise_numerics(GroupKeyColumn *column, const Vector *vector,
			   const RowList *rows, bool may_grow, uint64 *missing)
{
	int64		factor = powers_of_ten[column->scale - vector->scale];
	int64		limit = PG_INT64_MAX / factor;

	for (int i = 0; i < rows->n; i++)
	{
		int64		value = vector->integers[row_slot(rows, i)];

		column->word_buffer[i] = 0;
		if (row_is_null(&column->batch, i))
			continue;
		if (value >= -limit && value <= limit)
			column->word_buffer[i] = value * factor;
		else if (may_grow)
			return false;
		else
			vector_set_bit(missing, i);
	}
	return true;
}

/* Scaled integers to the column's smaller scale: those with more are not there. */
static void
lower_numerics(GroupKeyColumn *column, const Vector *vector,
			   const RowList *rows, uint64 *missing)
{
	int			down = vector->scale - column->scale;
	int64		divisor = powers_of_ten[Min(down, MAX_WORD_SCALE)];

	for (int i = 0; i < rows->n; i++)
	{
		int64		value = vector->integers[row_slot(rows, i)];

		column->word_buffer[i] = value / divisor;
		if (row_is_null(&column->batch, i))
			continue;
		if (value % divisor != 0 || (down > MAX_WORD_SCALE && value != 0))
			vector_set_bit(missing, i);
	}
}

/*
 * A numeric as a word.  If it is none, returns false with the scale at which it
 * would be, or -1.
 */
static bool
numeric_word(Datum value, int column_scale, int64 *word, int *scale)
{
	NumericParts parts;
	WideInt		wide;

	*scale = datum_scale(value, &parts);
	if (*scale < 0)
		return false;
	if (numeric_scale(&parts, column_scale, &wide) &&
		wide.high == ((int64) wide.low < 0 ? -1 : 0))
	{
		*word = (int64) wide.low;
		return true;
	}
	if (*scale <= column_scale || *scale > MAX_WORD_SCALE ||
		!numeric_scale(&parts, *scale, &wide) ||
		wide.high != ((int64) wide.low < 0 ? -1 : 0))
		*scale = -1;
	return false;
}

static bool
encode_numeric_datums(GroupKeyColumn *column, const Vector *vector,
					  const RowList *rows, bool may_grow, uint64 *missing,
					  int *scale)
{
	for (int i = 0; i < rows->n; i++)
	{
		bool		is_word;

		column->word_buffer[i] = 0;
		if (row_is_null(&column->batch, i))
			continue;
		is_word = numeric_word(vector->datums[row_slot(rows, i)],
							   column->scale, &column->word_buffer[i], scale);

		/* A group must be able to tell its first value's display scale. */
		if (may_grow && (!is_word || *scale > column->scale))
		{
			if (*scale > MAX_WORD_SCALE)
				*scale = -1;
			return false;
		}
		if (!is_word)
			vector_set_bit(missing, i);
	}
	return true;
}

static bool
encode_numerics(GroupKeyColumn *column, const Vector *vector,
				const RowList *rows, bool may_grow, uint64 *missing,
				int *scale)
{
	column->batch.words = column->word_buffer;
	*scale = -1;
	if (vector->form == FORM_DATUM)
		return encode_numeric_datums(column, vector, rows, may_grow, missing,
									 scale);
	Assert(vector->form == FORM_NUMERIC);
	if (vector->scale < column->scale)
		return raise_numerics(column, vector, rows, may_grow, missing);
	if (vector->scale == column->scale)
		encode_integers(column, vector, rows);
	else if (may_grow)
	{
		if (vector->scale <= MAX_WORD_SCALE)
			*scale = vector->scale;
		return false;
	}
	else
		lower_numerics(column, vector, rows, missing);
	return true;
}

int64
group_key_factor(const GroupKeyColumn *column, int scale)
{
	Assert(scale >= column->scale && scale <= MAX_WORD_SCALE);
	return powers_of_ten[scale - column->scale];
}

void
group_key_start_datums(GroupKeyColumn *column)
{
	Assert(column->kind == GROUP_KEY_NUMERIC);
	column->firsts = grow_array(column, NULL, 0,
								sizeof(Datum) * (Size) column->capacity);
	if (column->id_buffer == NULL)
		column->id_buffer = MemoryContextAlloc(column->context,
											   sizeof(uint32) * VECTOR_LENGTH);
	column->kind = GROUP_KEY_DATUM;
}

uint32
group_key_null_id(GroupKeyColumn *column, bool may_grow)
{
	if (column->null_id == NO_ID && may_grow)
		column->null_id = column->kind == GROUP_KEY_STRING ?
			string_set_add_other(column->strings) :
			datum_set_add_other(column->datums);
	return column->null_id;
}

uint32
group_key_word_id(GroupKeyColumn *column, uint32 group, int64 word)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(column->scratch);
	Datum		value = numeric_value(column, group, word);
	uint32		id = datum_set_find(column->datums, value, true);

	column->firsts[group] = datum_set_keep(column->datums, id, value);
	MemoryContextSwitchTo(oldcontext);
	return id;
}

/* ---- ids ---- */

static uint32
find_code(GroupKeyColumn *column, const Vector *vector, int code,
		  bool may_grow)
{
	uint32		id = column->code_ids[code];

	if (id == CODE_UNKNOWN)
	{
		string_set_find(column->strings, &vector->dictionary->entries[code],
						NULL, 1, may_grow, &id);
		column->code_ids[code] = id;
	}
	return id;
}

/* Have an id for each code of the vector's dictionary. */
static void
start_dictionary(GroupKeyColumn *column, const VectorDictionary *dictionary,
				 bool may_grow)
{
	if (column->dictionary == dictionary->serial &&
		column->may_grow == may_grow)
		return;
	if (column->ncodes < dictionary->nentries)
	{
		if (column->code_ids)
			pfree(column->code_ids);
		column->ncodes = dictionary->nentries;
		column->code_ids = MemoryContextAlloc(column->context,
											  sizeof(uint32) * column->ncodes);
	}
	for (uint32 c = 0; c < dictionary->nentries; c++)
		column->code_ids[c] = CODE_UNKNOWN;
	column->dictionary = dictionary->serial;
	column->may_grow = may_grow;
}

static void
encode_codes(GroupKeyColumn *column, const Vector *vector,
			 const RowList *rows, bool may_grow)
{
	uint32	   *ids = column->id_buffer;
	const uint16 *codes = vector->codes;

	start_dictionary(column, vector->dictionary, may_grow);
	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);

		if (vector_is_null(vector, slot))
			ids[i] = group_key_null_id(column, may_grow);
		else
		{
			ids[i] = column->code_ids[codes[slot]];
			if (unlikely(ids[i] == CODE_UNKNOWN))
				ids[i] = find_code(column, vector, codes[slot], may_grow);
		}
	}
}

/* Strings between NULLs, to ids at the same positions. */
static void
encode_strings_with_nulls(GroupKeyColumn *column, const Vector *vector,
						  const RowList *rows, bool may_grow)
{
	uint16		slots[VECTOR_LENGTH] = {0};
	uint32		found[VECTOR_LENGTH];
	uint16		positions[VECTOR_LENGTH];
	int			n = 0;

	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);

		if (!vector_is_null(vector, slot))
		{
			positions[n] = i;
			slots[n++] = slot;
			continue;
		}

		/* NULL gets its number after the strings that came before it. */
		if (column->null_id == NO_ID && may_grow)
		{
			string_set_find(column->strings, vector->strings, slots, n, true,
							found);
			group_key_null_id(column, true);
		}
		column->id_buffer[i] = column->null_id;
	}
	string_set_find(column->strings, vector->strings, slots, n, may_grow,
					found);
	for (int i = 0; i < n; i++)
		column->id_buffer[positions[i]] = found[i];
}

static void
encode_strings(GroupKeyColumn *column, const Vector *vector,
			   const RowList *rows, bool may_grow)
{
	if (vector->codes)
		encode_codes(column, vector, rows, may_grow);
	else if (vector->has_nulls)
		encode_strings_with_nulls(column, vector, rows, may_grow);
	else
		string_set_find(column->strings, vector->strings, rows->slots,
						rows->n, may_grow, column->id_buffer);
}

static void
encode_datums(GroupKeyColumn *column, const Vector *vector,
			  const RowList *rows, bool may_grow)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(column->scratch);

	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);

		if (vector_is_null(vector, slot))
			column->id_buffer[i] = group_key_null_id(column, may_grow);
		else if (vector->is_constant && i > 0)
			column->id_buffer[i] = column->id_buffer[0];
		else
			column->id_buffer[i] =
				datum_set_find(column->datums,
							   row_datum(vector, slot, column->key.type),
							   may_grow);
	}
	MemoryContextSwitchTo(oldcontext);
}

static void
encode_ids(GroupKeyColumn *column, const Vector *vector, const RowList *rows,
		   bool may_grow, uint64 *missing)
{
	column->batch.ids = column->id_buffer;
	if (column->kind == GROUP_KEY_DATUM)
		encode_datums(column, vector, rows, may_grow);
	else
		encode_strings(column, vector, rows, may_grow);
	if (may_grow)
		return;
	for (int i = 0; i < rows->n; i++)
	{
		if (column->id_buffer[i] == NO_ID)
		{
			column->id_buffer[i] = 0;
			vector_set_bit(missing, i);
		}
	}
}

bool
group_key_encode(GroupKeyColumn *column, const Vector *vector,
				 const RowList *rows, bool may_grow, uint64 *missing,
				 int *scale)
{
	GroupKeyBatch *batch = &column->batch;

	batch->ids = NULL;
	batch->words = NULL;
	batch->has_nulls = false;
	if (vector->form == FORM_DATUM && column->kind != GROUP_KEY_DATUM &&
		column->kind != GROUP_KEY_NUMERIC)
		vector = convert_datums(column, vector, rows);
	if (group_key_has_ids(column))
	{
		encode_ids(column, vector, rows, may_grow, missing);
		return true;
	}
	gather_nulls(batch, vector, rows);
	switch (column->kind)
	{
		case GROUP_KEY_INTEGER:
			encode_integers(column, vector, rows);
			return true;
		case GROUP_KEY_FLOAT:
			encode_floats(column, vector, rows);
			return true;
		default:
			return encode_numerics(column, vector, rows, may_grow, missing,
								   scale);
	}
}

/* ---- hashes ---- */

static uint64
string_hash(const GroupKeyColumn *column, const Vector *vector, int slot)
{
	StringRef	string;

	if (vector->form == FORM_DATUM)
	{
		struct varlena *varlena;

		if (column->length != -1)
		{
			string.data = (uint8 *) DatumGetPointer(vector->datums[slot]);
			string.length = column->length;
		}
		else
		{
			varlena = PG_DETOAST_DATUM_PACKED(vector->datums[slot]);
			string.data = (uint8 *) VARDATA_ANY(varlena);
			string.length = VARSIZE_ANY_EXHDR(varlena);
		}
	}
	else if (vector->strings)
		string = vector->strings[slot];
	else
		string = vector->dictionary->entries[vector->codes[slot]];
	return hash_bytes_uint64(string.data, string.length);
}

/* Hashes of words; rows that are NULL have any. */
static void
hash_words(GroupKeyColumn *column, const Vector *vector, const RowList *rows,
		   uint64 *hashes)
{
	int			scale;

	group_key_encode(column, vector, rows, true, NULL, &scale);
	for (int i = 0; i < rows->n; i++)
	{
		uint64	   *hash = &hashes[row_slot(rows, i)];

		*hash = hash_combine_uint64(*hash, row_is_null(&column->batch, i) ?
									HASH_OF_NULL :
									hash_uint64(column->batch.words[i]));
	}
}

void
group_key_hash(GroupKeyColumn *column, const Vector *vector,
			   const RowList *rows, uint64 *hashes)
{
	if (column->kind == GROUP_KEY_INTEGER || column->kind == GROUP_KEY_FLOAT)
	{
		hash_words(column, vector, rows, hashes);
		return;
	}
	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);
		uint64		hash;

		if (vector_is_null(vector, slot))
			hash = HASH_OF_NULL;
		else if (column->kind == GROUP_KEY_STRING)
			hash = string_hash(column, vector, slot);
		else
			hash = datum_set_hash(column->datums,
								  row_datum(vector, slot, column->key.type));
		hashes[slot] = hash_combine_uint64(hashes[slot], hash);
	}
}
