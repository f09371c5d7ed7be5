/*
 * group_table.c
 *		Which group a row belongs to.
 *
 * Each key of a batch becomes words or ids (group_key.c).  They are packed into
 * as few 64-bit words a row as their ranges allow, which are looked up together
 * (word_set.c).  A value that does not fit its field, or a first NULL, widens
 * the field, and the groups are packed anew; every time this happens the
 * field's range at least doubles.  The id of a single key is the group's number
 * already.
 */
#include "postgres.h"

#include "common/int.h"
#include "compat.h"
#include "exec/group_key.h"
#include "exec/group_table.h"
#include "exec/value_hash.h"
#include "exec/word_set.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Groups that are packed anew before one looks for interrupts. */
#define INTERRUPT_GROUPS	65536

/* Where a key lies in the words. */
typedef struct KeyField
{
	uint64		base;			/* the field's 0 */
	uint8		width;			/* bits, 0 to 64 */
	uint8		shift;
	uint16		word;
	bool		has_null;		/* there is a bit for NULL */
	uint8		null_shift;
	uint16		null_word;
} KeyField;

struct GroupTable
{
	int			nkeys;
	GroupKeyColumn *columns;
	KeyField   *fields;
	int			nwords;
	uint32		first_new;		/* of the last find */
	uint32		last_new;		/* and one more */
	WordSet    *set;			/* NULL: a single key with ids */
	uint64	  **packed;			/* by word, by row */
	const uint64 **words;		/* packed, or a key's words as they are */
	uint32	   *ids;			/* by row */
	MemoryContext context;
	MemoryContext scratch;
};

/* ---- layout ---- */

static int
bits_of(uint64 value)
{
	return value == 0 ? 0 : pg_leftmost_one_pos64(value) + 1;
}

static inline uint64
field_mask(const KeyField *field)
{
	return field->width == 64 ? PG_UINT64_MAX :
		(UINT64CONST(1) << field->width) - 1;
}

/*
 * Give every field its place: first the values, none across two words, then
 * the bits for NULL.  Returns how many words they take, and of one word how
 * many bits.
 */
static int
place_fields(KeyField *fields, int nkeys, int *nbits)
{
	uint8	   *used = palloc0(2 * (nkeys + 1));
	int			nwords = 1;

	for (int k = 0; k < 2 * nkeys; k++)
	{
		KeyField   *field = &fields[k % nkeys];
		int			width = k < nkeys ? field->width : field->has_null;
		int			word = 0;

		while (used[word] + width > 64)
			word++;
		if (k < nkeys)
		{
			field->word = word;
			field->shift = used[word] % 64;
		}
		else
		{
			field->null_word = word;
			field->null_shift = used[word] % 64;
		}
		used[word] += width;
		nwords = Max(nwords, word + 1);
	}
	*nbits = used[0];
	pfree(used);
	return nwords;
}

/* The lowest and highest words of a batch. */
static bool
batch_range(const GroupKeyBatch *batch, int n, int64 *low, int64 *high)
{
	bool		any = false;

	*low = PG_INT64_MAX;
	*high = PG_INT64_MIN;
	for (int i = 0; i < n; i++)
	{
		if (batch->has_nulls && vector_bit(batch->nulls, i))
			continue;
		any = true;
		*low = Min(*low, batch->words[i]);
		*high = Max(*high, batch->words[i]);
	}
	return any;
}

/*
 * Make a field hold low to high.  What it is wider lies below and above alike,
 * or on the side on which it had to grow.
 */
static void
set_range(KeyField *field, int64 low, int64 high, bool is_above,
		  bool is_below)
{
	uint64		slack;
	uint64		below;
	uint64		above_room;

	field->width = bits_of((uint64) high - (uint64) low);
	slack = field_mask(field) - ((uint64) high - (uint64) low);
	below = is_above == is_below ? slack / 2 : is_below ? slack : 0;

	/* The field's range ends where the integers do. */
	above_room = (uint64) PG_INT64_MAX - (uint64) high;
	below = Max(below, slack - Min(slack, above_room));
	below = Min(below, (uint64) low - (uint64) PG_INT64_MIN);
	field->base = field->width == 64 ? 0 : (uint64) low - below;
}

/* Make a field hold the words of its column's batch. */
static void
widen_words(KeyField *field, const GroupKeyColumn *column, int n,
			bool is_first)
{
	int64		low;
	int64		high;
	int64		old_low = (int64) field->base;
	int64		old_high = (int64) (field->base + field_mask(field));

	field->has_null |= column->batch.has_nulls;
	if (!batch_range(&column->batch, n, &low, &high) || field->width == 64)
		return;
	if (column->kind == GROUP_KEY_FLOAT)
	{
		field->width = 64;
		field->base = 0;
		return;
	}
	if (is_first)
	{
		set_range(field, low, high, false, false);
		return;
	}
	if (low < old_low || high > old_high)
		set_range(field, Min(low, old_low), Max(high, old_high),
				  high > old_high, low < old_low);
}

static void
widen_ids(KeyField *field, const GroupKeyColumn *column)
{
	uint32		nids = group_key_nids(column);

	field->base = 0;
	field->width = Max(field->width, bits_of(nids > 0 ? nids - 1 : 0));
}

/* ---- groups laid out anew ---- */

static bool
group_word(const KeyField *field, const uint64 *words, uint64 *word)
{
	if (field->has_null && (words[field->null_word] >> field->null_shift) & 1)
		return false;
	*word = ((words[field->word] >> field->shift) & field_mask(field)) +
		field->base;
	return true;
}

static void
put_word(const KeyField *field, uint64 *words, bool isnull, uint64 word)
{
	if (isnull)
		words[field->null_word] |= UINT64CONST(1) << field->null_shift;
	else
		words[field->word] |= (word - field->base) << field->shift;
}

/*
 * Pack the groups by other fields.  Those of column changed (-1: none) have
 * new words, by group.
 */
static void
lay_out(GroupTable *table, KeyField *fields, int changed,
		const uint64 *new_words)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(table->context);
	uint32		ngroups = word_set_count(table->set);
	WordSet    *set;
	uint64	   *words;
	int			nbits;

	table->nwords = place_fields(fields, table->nkeys, &nbits);
	set = word_set_create(table->nwords, nbits, ngroups, &words);
	memset(words, 0, sizeof(uint64) * table->nwords * (Size) ngroups);
	for (uint32 g = 0; g < ngroups; g++)
	{
		const uint64 *old = word_set_words(table->set, g);

		if (g % INTERRUPT_GROUPS == 0)
			CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < table->nkeys; k++)
		{
			uint64		word = 0;
			bool		isnull = !group_word(&table->fields[k], old, &word);

			if (k == changed)
				word = new_words[g];
			put_word(&fields[k], words, isnull && fields[k].has_null, word);
		}
		words += table->nwords;
	}
	word_set_free(table->set);
	table->set = set;
	memcpy(table->fields, fields, sizeof(KeyField) * table->nkeys);
	MemoryContextSwitchTo(oldcontext);
}

/* Make the fields hold the batch. */
static void
widen_fields(GroupTable *table, int n)
{
	KeyField   *fields = palloc(sizeof(KeyField) * Max(table->nkeys, 1));
	bool		is_first = word_set_count(table->set) == 0;

	memcpy(fields, table->fields, sizeof(KeyField) * table->nkeys);
	for (int k = 0; k < table->nkeys; k++)
	{
		if (group_key_has_ids(&table->columns[k]))
			widen_ids(&fields[k], &table->columns[k]);
		else
			widen_words(&fields[k], &table->columns[k], n, is_first);
	}
	lay_out(table, fields, -1, NULL);
	pfree(fields);
}

/* A column's words by group; 0 for NULL. */
static uint64 *
column_words(GroupTable *table, int k)
{
	uint32		ngroups = word_set_count(table->set);
	uint64	   *words = MemoryContextAllocExtended(table->context,
												   sizeof(uint64) * (Size) ngroups,
												   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (uint32 g = 0; g < ngroups; g++)
		group_word(&table->fields[k], word_set_words(table->set, g),
				   &words[g]);
	return words;
}

/* Multiply words; false, with some done, if a product is no int64. */
static bool
multiply_words(uint64 *words, uint32 n, int64 factor, int64 *low, int64 *high)
{
	*low = 0;
	*high = 0;
	for (uint32 i = 0; i < n; i++)
	{
		int64		product;

		if (pg_mul_s64_overflow((int64) words[i], factor, &product))
			return false;
		words[i] = (uint64) product;
		*low = Min(*low, product);
		*high = Max(*high, product);
	}
	return true;
}

/* A numeric column's words become ids. */
static void
turn_to_datums(GroupTable *table, int k)
{
	GroupKeyColumn *column = &table->columns[k];
	KeyField   *field = &table->fields[k];
	KeyField   *fields;
	uint32		ngroups = word_set_count(table->set);
	uint64	   *words = column_words(table, k);

	group_key_start_datums(column);
	for (uint32 g = 0; g < ngroups; g++)
	{
		uint64		word;

		words[g] = group_word(field, word_set_words(table->set, g), &word) ?
			group_key_word_id(column, g, (int64) word) :
			group_key_null_id(column, true);
		if (g % VECTOR_LENGTH == 0)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextReset(table->scratch);
		}
	}
	if (table->nkeys == 1)
	{
		/* Ids were given in the order of the groups. */
		word_set_free(table->set);
		table->set = NULL;
	}
	else
	{
		fields = palloc(sizeof(KeyField) * table->nkeys);
		memcpy(fields, table->fields, sizeof(KeyField) * table->nkeys);
		memset(&fields[k], 0, sizeof(KeyField));
		widen_ids(&fields[k], column);
		lay_out(table, fields, k, words);
		pfree(fields);
	}
	pfree(words);
}

/* Make a numeric column hold values of a larger scale, or any if it is -1. */
static void
raise_scale(GroupTable *table, int k, int scale)
{
	GroupKeyColumn *column = &table->columns[k];
	KeyField   *fields;
	uint64	   *words;
	int64		low;
	int64		high;

	if (scale >= 0)
	{
		words = column_words(table, k);
		if (multiply_words(words, word_set_count(table->set),
						   group_key_factor(column, scale), &low, &high))
		{
			fields = palloc(sizeof(KeyField) * table->nkeys);
			memcpy(fields, table->fields, sizeof(KeyField) * table->nkeys);
			set_range(&fields[k], low, high, false, false);
			lay_out(table, fields, k, words);
			column->scale = scale;
			pfree(fields);
			pfree(words);
			return;
		}
		pfree(words);
	}
	turn_to_datums(table, k);
}

/* ---- life ---- */

static void
start_groups(GroupTable *table)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(table->context);
	uint64	   *words;

	if (table->set)
		word_set_free(table->set);
	table->set = NULL;
	table->nwords = 1;
	if (table->nkeys != 1 || !group_key_has_ids(&table->columns[0]))
		table->set = word_set_create(1, 0, 0, &words);
	memset(table->fields, 0, sizeof(KeyField) * table->nkeys);
	table->first_new = table->last_new = 0;
	MemoryContextSwitchTo(oldcontext);
}

GroupTable *
group_table_create(const GroupKey *keys, int nkeys)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar groups",
												  ALLOCSET_START_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	GroupTable *table = palloc0(sizeof(GroupTable));

	table->context = context;
	table->scratch = AllocSetContextCreate(context, "columnar group keys",
										   ALLOCSET_START_SMALL_SIZES);
	table->nkeys = nkeys;
	table->columns = palloc0(sizeof(GroupKeyColumn) * Max(nkeys, 1));
	table->fields = palloc0(sizeof(KeyField) * Max(nkeys, 1));
	table->words = palloc0(sizeof(uint64 *) * (nkeys + 2));
	table->packed = palloc0(sizeof(uint64 *) * (nkeys + 2));
	table->ids = palloc(sizeof(uint32) * VECTOR_LENGTH);
	for (int k = 0; k < nkeys; k++)
		group_key_init(&table->columns[k], &keys[k], context, table->scratch);
	start_groups(table);
	MemoryContextSwitchTo(oldcontext);
	return table;
}

void
group_table_reset(GroupTable *table)
{
	for (int k = 0; k < table->nkeys; k++)
		group_key_reset(&table->columns[k]);
	start_groups(table);
}

bool
group_table_new_rows(const GroupTable *table, const uint64 *mask,
					 const uint32 *groups, uint64 *rows)
{
	uint32		next = table->first_new;

	memset(rows, 0, sizeof(uint64) * VECTOR_WORDS);
	if (table->first_new == table->last_new)
		return false;
	VECTOR_FOR_EACH(slot, mask)
	{
		if (groups[slot] == next)
		{
			vector_set_bit(rows, slot);
			next++;
		}
	}
	Assert(next == table->last_new);
	return true;
}

uint32
group_table_count(const GroupTable *table)
{
	return table->set ? word_set_count(table->set) :
		group_key_nids(&table->columns[0]);
}

Size
group_table_memory(const GroupTable *table)
{
	return MemoryContextMemAllocated(table->context, true);
}

Datum
group_table_key(GroupTable *table, uint32 group, int key, bool *isnull)
{
	GroupKeyColumn *column = &table->columns[key];
	uint64		word = group;

	Assert(group < group_table_count(table));
	*isnull = table->set &&
		!group_word(&table->fields[key], word_set_words(table->set, group),
					&word);
	if (group_key_has_ids(column) && word == column->null_id)
		*isnull = true;
	return *isnull ? (Datum) 0 : group_key_value(column, group, word);
}

/* ---- a batch ---- */

/* The array that a word of the rows is packed in. */
static uint64 *
packed_word(GroupTable *table, int word)
{
	if (table->packed[word] == NULL)
		table->packed[word] =
			MemoryContextAlloc(table->context,
							   sizeof(uint64) * VECTOR_LENGTH);
	return table->packed[word];
}

/* Put a column's words into a field; false if some do not fit. */
static bool
pack_words(const KeyField *field, const int64 *words, int n, bool is_first,
		   uint64 *packed)
{
	uint64		base = field->base;
	int			shift = field->shift;
	uint64		any = 0;

	if (is_first)
	{
		Assert(shift == 0);
		for (int i = 0; i < n; i++)
		{
			packed[i] = (uint64) words[i] - base;
			any |= packed[i];
		}
	}
	else
	{
		for (int i = 0; i < n; i++)
		{
			uint64		value = (uint64) words[i] - base;

			any |= value;
			packed[i] |= value << shift;
		}
	}
	return field->width == 64 || any >> field->width == 0;
}

static void
pack_ids(const KeyField *field, const uint32 *ids, int n, bool is_first,
		 uint64 *packed)
{
	int			shift = field->shift;

	if (is_first)
	{
		for (int i = 0; i < n; i++)
			packed[i] = ids[i];
	}
	else
	{
		for (int i = 0; i < n; i++)
			packed[i] |= (uint64) ids[i] << shift;
	}
}

/* Give NULLs a word that fits anywhere. */
static void
fill_nulls(GroupKeyColumn *column, const KeyField *field, int n)
{
	const int64 *words = column->batch.words;

	for (int i = 0; i < n; i++)
		column->word_buffer[i] = vector_bit(column->batch.nulls, i) ?
			(int64) field->base : words[i];
	column->batch.words = column->word_buffer;
}

static void
pack_nulls(const KeyField *field, const GroupKeyBatch *batch, int n,
		   uint64 *packed)
{
	int			shift = field->null_shift;

	for (int i = 0; i < n; i++)
		packed[i] |= (uint64) vector_bit(batch->nulls, i) << shift;
}

static bool
pack_column(GroupTable *table, int k, int n, bool is_first)
{
	GroupKeyColumn *column = &table->columns[k];
	const KeyField *field = &table->fields[k];
	uint64	   *packed = packed_word(table, field->word);

	if (group_key_has_ids(column))
	{
		uint32		nids = group_key_nids(column);

		if (nids > 0 && (nids - 1) & ~field_mask(field))
			return false;
		pack_ids(field, column->batch.ids, n, is_first, packed);
		return true;
	}
	if (column->batch.has_nulls)
	{
		if (!field->has_null)
			return false;
		fill_nulls(column, field, n);
	}
	return pack_words(field, column->batch.words, n, is_first, packed);
}

/* Pack the keys of n rows into table->words; false if some do not fit. */
static bool
pack_batch(GroupTable *table, int n)
{
	int			nstarted = 0;

	if (table->nkeys == 1 && table->fields[0].width == 64 &&
		!table->fields[0].has_null && !table->columns[0].batch.has_nulls)
	{
		table->words[0] = (const uint64 *) table->columns[0].batch.words;
		return true;
	}

	/* Fields fill a word before they go to the next one. */
	for (int k = 0; k < table->nkeys; k++)
	{
		const KeyField *field = &table->fields[k];
		bool		is_first = field->word == nstarted && field->shift == 0;

		if (is_first)
			nstarted++;
		if (!pack_column(table, k, n, is_first))
			return false;
	}
	for (int w = nstarted; w < table->nwords; w++)
		memset(packed_word(table, w), 0, sizeof(uint64) * n);
	for (int k = 0; k < table->nkeys; k++)
	{
		if (table->columns[k].batch.has_nulls)
			pack_nulls(&table->fields[k], &table->columns[k].batch, n,
					   table->packed[table->fields[k].null_word]);
	}
	for (int w = 0; w < table->nwords; w++)
		table->words[w] = table->packed[w];
	return true;
}

/* Mark the rows as missing that no group can have, and make them fit. */
static void
exclude_misfits(GroupTable *table, int n, uint64 *missing)
{
	for (int k = 0; k < table->nkeys; k++)
	{
		GroupKeyColumn *column = &table->columns[k];
		const KeyField *field = &table->fields[k];
		GroupKeyBatch *batch = &column->batch;

		if (group_key_has_ids(column))
			continue;
		for (int i = 0; i < n; i++)
		{
			bool		isnull = batch->has_nulls && vector_bit(batch->nulls, i);
			int64		word = isnull ? (int64) field->base : batch->words[i];

			if (isnull ? !field->has_null :
				(((uint64) word - field->base) & ~field_mask(field)) != 0)
			{
				vector_set_bit(missing, i);
				word = (int64) field->base;
			}
			column->word_buffer[i] = word;
		}
		batch->words = column->word_buffer;
		batch->has_nulls &= field->has_null;
	}
}

/* Numbers of the rows' groups to ids. */
static void
find_groups(GroupTable *table, int n, bool may_grow, uint64 *missing,
			uint32 *ids)
{
	if (table->set == NULL)
		memcpy(ids, table->columns[0].batch.ids, sizeof(uint32) * n);
	else
	{
		if (!pack_batch(table, n))
		{
			if (may_grow)
				widen_fields(table, n);
			else
				exclude_misfits(table, n, missing);
			if (!pack_batch(table, n))
				elog(ERROR, "keys of groups do not fit their fields");
		}
		word_set_find(table->set, table->words, n, may_grow, ids);
	}
	for (int i = 0; i < n && !may_grow; i++)
	{
		if (vector_bit(missing, i))
			ids[i] = NO_WORDS;
	}
}

static void
encode_keys(GroupTable *table, const Vector *const *keys, const RowList *rows,
			bool may_grow, uint64 *missing)
{
	for (int k = 0; k < table->nkeys; k++)
	{
		int			scale;

		while (!group_key_encode(&table->columns[k], keys[k], rows, may_grow,
								 missing, &scale))
			raise_scale(table, k, scale);
	}
}

/* Keep what keys of new groups look like. */
static void
keep_new(GroupTable *table, const Vector *const *keys, const RowList *rows,
		 const uint32 *ids)
{
	uint32		next = table->first_new;
	MemoryContext oldcontext;

	if (table->first_new == table->last_new)
		return;
	oldcontext = MemoryContextSwitchTo(table->scratch);
	for (int k = 0; k < table->nkeys; k++)
		group_key_reserve(&table->columns[k], table->last_new);
	for (int i = 0; i < rows->n && next < table->last_new; i++)
	{
		if (ids[i] != next)
			continue;
		for (int k = 0; k < table->nkeys; k++)
		{
			GroupKeyColumn *column = &table->columns[k];

			if (group_key_keeps(column))
				group_key_keep(column, next, keys[k], row_slot(rows, i),
							   column->batch.ids ? column->batch.ids[i] :
							   (uint64) column->batch.words[i]);
		}
		next++;
	}
	Assert(next == table->last_new);
	MemoryContextSwitchTo(oldcontext);
}

/* Rows that have no group, and their hashes. */
static void
reject_rows(GroupTable *table, const Vector *const *keys, const RowList *rows,
			const uint32 *ids, uint64 *rejected, uint64 *hashes)
{
	uint16		slots[VECTOR_LENGTH];
	RowList		list = {0, slots};
	MemoryContext oldcontext = MemoryContextSwitchTo(table->scratch);

	for (int i = 0; i < rows->n; i++)
	{
		int			slot = row_slot(rows, i);

		if (ids[i] == NO_WORDS)
		{
			slots[list.n++] = slot;
			vector_set_bit(rejected, slot);
			hashes[slot] = 0;
		}
	}
	for (int k = 0; k < table->nkeys && list.n > 0; k++)
		group_key_hash(&table->columns[k], keys[k], &list, hashes);
	MemoryContextSwitchTo(oldcontext);
}

/* The rows of a mask, as a list where they do not fill the first slots. */
static void
list_rows(const uint64 *mask, RowList *rows, uint16 *slots)
{
	uint64		prefix[VECTOR_WORDS];
	int			n = 0;

	rows->n = vector_mask_count(mask);
	rows->slots = NULL;
	vector_mask_fill(prefix, rows->n);
	if (memcmp(mask, prefix, sizeof(prefix)) == 0)
		return;
	rows->slots = slots;
	VECTOR_FOR_EACH(slot, mask)
		slots[n++] = slot;
}

void
group_table_hash(GroupTable *table, const Vector *const *keys,
				 const uint64 *mask, uint64 *hashes)
{
	uint16		slots[VECTOR_LENGTH];
	RowList		rows;
	MemoryContext oldcontext = MemoryContextSwitchTo(table->scratch);

	list_rows(mask, &rows, slots);
	memset(hashes, 0, sizeof(uint64) * VECTOR_LENGTH);
	for (int k = 0; k < table->nkeys && rows.n > 0; k++)
		group_key_hash(&table->columns[k], keys[k], &rows, hashes);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(table->scratch);
}

static bool
all_are_constant(const Vector *const *keys, int nkeys)
{
	for (int k = 0; k < nkeys; k++)
	{
		if (!keys[k]->is_constant)
			return false;
	}
	return true;
}

void
group_table_find(GroupTable *table, const Vector *const *keys,
				 const uint64 *mask, bool may_grow, uint32 *groups,
				 uint64 *rejected, uint64 *hashes)
{
	uint16		slots[VECTOR_LENGTH];
	uint64		missing[VECTOR_WORDS];
	RowList		rows;
	int			nrows;
	uint32	   *ids;

	list_rows(mask, &rows, slots);
	if (!may_grow)
	{
		memset(rejected, 0, sizeof(uint64) * VECTOR_WORDS);
		memset(missing, 0, sizeof(missing));
	}
	table->first_new = table->last_new = group_table_count(table);
	if (rows.n == 0)
		return;
	nrows = rows.n;
	if (all_are_constant(keys, table->nkeys))
		rows.n = 1;

	ids = rows.slots ? table->ids : groups;
	encode_keys(table, keys, &rows, may_grow, missing);
	find_groups(table, rows.n, may_grow, missing, ids);
	table->last_new = group_table_count(table);
	keep_new(table, keys, &rows, ids);

	for (int i = rows.n; i < nrows; i++)
		ids[i] = ids[0];
	rows.n = nrows;
	for (int i = 0; rows.slots && i < nrows; i++)
		groups[rows.slots[i]] = ids[i];
	if (!may_grow)
		reject_rows(table, keys, &rows, ids, rejected, hashes);
	MemoryContextReset(table->scratch);
}
