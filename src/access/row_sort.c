/*
 * row_sort.c
 *		The order of a row buffer's rows by a sort key.
 *
 * Only places are sorted, not rows: an item is a word of the leading column and
 * a position.  Where the type compares as an integer, or has abbreviated keys
 * that do, and where it is ordered by its bytes, words are integers that are
 * compared without calling anything; other columns are looked at where the words
 * are equal.
 *
 * Strings are compared where they are in the buffer.  The server's abbreviated
 * keys are their first eight bytes, which are the same in all URLs of a web log;
 * our words are the eight that follow what all strings of the buffer begin with.
 */
#include "postgres.h"

#include "access/row_sort.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/sortsupport.h"

/* A row to be sorted that is not NULL in the leading column. */
typedef struct SortItem
{
	uint64		word;			/* of the leading column */
	uint32		slot;
} SortItem;

/* A column of the key: strings in the buffer, or values by position. */
typedef struct SortColumn
{
	SortSupportData support;
	bool	   *isnull;
	Datum	   *values;			/* NULL: it has strings */
	const uint64 *offsets;
	const uint8 *bytes;
} SortColumn;

typedef struct RowSort
{
	uint32		nrows;
	int			ncolumns;
	SortColumn *columns;
	bool		is_abbreviated; /* words don't tell all of the leading column */
	bool		is_integer;		/* words compare as unsigned integers */
} RowSort;

/* ---- comparing ---- */

/* Order of two strings of a column, neither of them NULL. */
static int
compare_strings(const SortColumn *column, uint32 a, uint32 b)
{
	uint64		length_a = column->offsets[a + 1] - column->offsets[a];
	uint64		length_b = column->offsets[b + 1] - column->offsets[b];
	int			order = memcmp(column->bytes + column->offsets[a],
							   column->bytes + column->offsets[b],
							   Min(length_a, length_b));

	if (order == 0 && length_a != length_b)
		order = length_a < length_b ? -1 : 1;
	return column->support.ssup_reverse ? -order : order;
}

/* Order of two rows by a column. */
static inline int
compare_column(SortColumn *column, uint32 a, uint32 b)
{
	if (column->values)
		return ApplySortComparator(column->values[a], column->isnull[a],
								   column->values[b], column->isnull[b],
								   &column->support);
	if (!column->isnull[a] && !column->isnull[b])
		return compare_strings(column, a, b);
	if (column->isnull[a] && column->isnull[b])
		return 0;
	return column->isnull[a] == column->support.ssup_nulls_first ? -1 : 1;
}

/* Order of two rows by columns from first on; equal rows stay as they are. */
static int
compare_rows(const RowSort *sort, int first, uint32 a, uint32 b)
{
	for (int i = first; i < sort->ncolumns; i++)
	{
		int			order = compare_column(&sort->columns[i], a, b);

		if (order != 0)
			return order;
	}
	return a < b ? -1 : 1;
}

/* Order of two rows whose words are equal. */
static int
compare_tie(const RowSort *sort, const SortItem *a, const SortItem *b)
{
	SortColumn *leading = &sort->columns[0];
	int			order = 0;

	if (!sort->is_abbreviated)
		return compare_rows(sort, 1, a->slot, b->slot);
	if (leading->values)
		order = ApplySortAbbrevFullComparator(leading->values[a->slot], false,
											  leading->values[b->slot], false,
											  &leading->support);
	else
		order = compare_strings(leading, a->slot, b->slot);
	return order != 0 ? order : compare_rows(sort, 1, a->slot, b->slot);
}

static inline int
compare_items(const SortItem *a, const SortItem *b, const RowSort *sort)
{
	if (sort->is_integer)
	{
		if (a->word != b->word)
			return a->word < b->word ? -1 : 1;
	}
	else
	{
		int			order = ApplySortComparator((Datum) a->word, false,
												(Datum) b->word, false,
												&sort->columns[0].support);

		if (order != 0)
			return order;
	}
	return compare_tie(sort, a, b);
}

static inline int
compare_nulls(const SortItem *a, const SortItem *b, const RowSort *sort)
{
	return compare_rows(sort, 1, a->slot, b->slot);
}

#define ST_SORT sort_items
#define ST_ELEMENT_TYPE SortItem
#define ST_COMPARE_ARG_TYPE const RowSort
#define ST_COMPARE(a, b, arg) compare_items(a, b, arg)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT sort_nulls
#define ST_ELEMENT_TYPE SortItem
#define ST_COMPARE_ARG_TYPE const RowSort
#define ST_COMPARE(a, b, arg) compare_nulls(a, b, arg)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

/* ---- the key's columns ---- */

static void
init_column(SortColumn *column, const RowBuffer *rows,
			const SortKeyColumn *key, bool is_leading)
{
	uint32		nrows = row_buffer_nrows(rows);
	SortSupport support = &column->support;
	bool		has_strings;

	memset(column, 0, sizeof(*column));
	support->ssup_cxt = CurrentMemoryContext;
	support->ssup_collation = key->collation;
	support->ssup_nulls_first = key->nulls_first;
	support->ssup_attno = key->attno;
	support->abbreviate = is_leading;
	PrepareSortSupportFromOrderingOp(key->sort_operator, support);

	has_strings = row_buffer_strings(rows, key->attno, &column->offsets,
									 &column->bytes);
	column->isnull = palloc(nrows * sizeof(bool));
	if (!has_strings)
		column->values = palloc(nrows * sizeof(Datum));
	for (uint32 slot = 0; slot < nrows; slot++)
	{
		if (has_strings)
			column->isnull[slot] = row_buffer_is_null(rows, slot, key->attno);
		else
			column->values[slot] = row_buffer_get(rows, slot, key->attno,
												  &column->isnull[slot]);
	}
}

/* How many bytes do all strings of a column begin with that the first one has? */
static uint64
common_length(const SortColumn *column, const SortItem *items, uint32 nitems)
{
	const uint64 *offsets = column->offsets;
	const uint8 *first = column->bytes + offsets[items[0].slot];
	uint64		common = offsets[items[0].slot + 1] - offsets[items[0].slot];

	for (uint32 i = 1; i < nitems; i++)
	{
		uint32		slot = items[i].slot;
		const uint8 *string = column->bytes + offsets[slot];
		uint64		length = Min(common, offsets[slot + 1] - offsets[slot]);

		if (common > 0 && length == common && memcmp(string, first, common) == 0)
			continue;
		common = 0;
		while (common < length && string[common] == first[common])
			common++;
	}
	return common;
}

/*
 * Words of the leading column's strings: the eight bytes behind those that all
 * of them begin with, zeros where a string ends.
 */
static void
make_string_words(RowSort *sort, SortItem *items, uint32 nitems)
{
	const SortColumn *leading = &sort->columns[0];
	uint64		common = common_length(leading, items, nitems);

	for (uint32 i = 0; i < nitems; i++)
	{
		uint64		start = leading->offsets[items[i].slot] + common;
		uint64		length = leading->offsets[items[i].slot + 1] - start;
		uint64		word = 0;

		memcpy(&word, leading->bytes + start, Min(length, sizeof(word)));
		word = pg_ntoh64(word);
		items[i].word = leading->support.ssup_reverse ? ~word : word;
	}
	sort->is_abbreviated = true;
	sort->is_integer = true;
}

/*
 * Let items have the leading column's abbreviated keys, unless it turns out
 * that these tell too little.
 */
static void
abbreviate(RowSort *sort, SortItem *items, uint32 nitems)
{
	SortColumn *leading = &sort->columns[0];
	SortSupport support = &leading->support;

	for (uint32 i = 0; i < nitems; i++)
		items[i].word = leading->values[items[i].slot];
	if (support->abbrev_converter == NULL)
		return;
	for (uint32 i = 0; i < nitems; i++)
		items[i].word = support->abbrev_converter((Datum) items[i].word,
												  support);
	sort->is_abbreviated = true;
	if (support->abbrev_abort == NULL ||
		!support->abbrev_abort(nitems, support))
		return;

	sort->is_abbreviated = false;
	support->comparator = support->abbrev_full_comparator;
	for (uint32 i = 0; i < nitems; i++)
		items[i].word = leading->values[items[i].slot];
}

/* A signed integer as an unsigned one that sorts alike. */
static inline uint64
sortable_word(int64 value, bool reverse)
{
	uint64		word = (uint64) value ^ (UINT64CONST(1) << 63);

	return reverse ? ~word : word;
}

/*
 * Turn words into unsigned integers that sort alike, where the comparator is
 * one of the server's for integers.
 */
static void
make_integers(RowSort *sort, SortItem *items, uint32 nitems)
{
#if SIZEOF_DATUM >= 8
	SortSupport support = &sort->columns[0].support;
	bool		reverse = support->ssup_reverse;

	if (support->comparator == ssup_datum_int32_cmp)
		for (uint32 i = 0; i < nitems; i++)
			items[i].word = sortable_word(DatumGetInt32((Datum) items[i].word),
										  reverse);
	else if (support->comparator == ssup_datum_signed_cmp)
		for (uint32 i = 0; i < nitems; i++)
			items[i].word = sortable_word(DatumGetInt64((Datum) items[i].word),
										  reverse);
	else if (support->comparator == ssup_datum_unsigned_cmp)
	{
		for (uint32 i = 0; i < nitems && reverse; i++)
			items[i].word = ~items[i].word;
	}
	else
		return;
	sort->is_integer = true;
#endif
}

/* ---- the order ---- */

/*
 * Divide the rows by whether the leading column is NULL: items get those with a
 * value from the front, the others behind them.  Returns how many have one.
 */
static uint32
divide_rows(const RowSort *sort, SortItem *items)
{
	const SortColumn *leading = &sort->columns[0];
	uint32		nitems = 0;
	uint32		nnulls = 0;

	for (uint32 slot = 0; slot < sort->nrows; slot++)
	{
		if (leading->isnull[slot])
			items[sort->nrows - ++nnulls].slot = slot;
		else
			items[nitems++].slot = slot;
	}
	return nitems;
}

/* Append the positions of items at *next. */
static void
add_places(const SortItem *items, uint32 nitems, uint32 *order, uint32 *next)
{
	for (uint32 i = 0; i < nitems; i++)
		order[(*next)++] = items[i].slot;
}

static void
sort_rows(RowSort *sort, uint32 *order)
{
	SortItem   *items = palloc(sort->nrows * sizeof(SortItem));
	uint32		nitems = divide_rows(sort, items);
	uint32		nnulls = sort->nrows - nitems;
	uint32		next = 0;

	if (sort->columns[0].values)
	{
		abbreviate(sort, items, nitems);
		make_integers(sort, items, nitems);
	}
	else if (nitems > 0)
		make_string_words(sort, items, nitems);
	sort_items(items, nitems, sort);
	sort_nulls(items + nitems, nnulls, sort);

	if (sort->columns[0].support.ssup_nulls_first)
		add_places(items + nitems, nnulls, order, &next);
	add_places(items, nitems, order, &next);
	if (!sort->columns[0].support.ssup_nulls_first)
		add_places(items + nitems, nnulls, order, &next);
	Assert(next == sort->nrows);
}

static bool
is_ascending(const uint32 *order, uint32 nrows)
{
	for (uint32 i = 0; i < nrows; i++)
		if (order[i] != i)
			return false;
	return true;
}

/*
 * Has the buffer all columns of the key?  One that is added while a command
 * runs has no value in it.
 */
static bool
key_is_buffered(const RowBuffer *rows, const TableOptions *options)
{
	for (int i = 0; i < options->sort_key_natts; i++)
		if (options->sort_key[i].attno > row_buffer_natts(rows))
			return false;
	return true;
}

uint32 *
row_sort_order(const RowBuffer *rows, const TableOptions *options)
{
	uint32		nrows = row_buffer_nrows(rows);
	uint32	   *order;
	MemoryContext context;
	MemoryContext old_context;
	bool		pushed = false;
	RowSort		sort = {0};

	Assert(nrows == row_buffer_nslots(rows));
	if (options->sort_key_natts == 0 || nrows < 2 ||
		!key_is_buffered(rows, options))
		return NULL;

	order = palloc(nrows * sizeof(uint32));
	context = AllocSetContextCreate(CurrentMemoryContext, "columnar row sort",
									ALLOCSET_DEFAULT_SIZES);
	old_context = MemoryContextSwitchTo(context);

	/* before commit there is none, which functions in SQL would miss */
	if (!ActiveSnapshotSet())
	{
		PushActiveSnapshot(GetTransactionSnapshot());
		pushed = true;
	}
	sort.nrows = nrows;
	sort.ncolumns = options->sort_key_natts;
	sort.columns = palloc(sort.ncolumns * sizeof(SortColumn));
	for (int i = 0; i < sort.ncolumns; i++)
		init_column(&sort.columns[i], rows, &options->sort_key[i], i == 0);
	sort_rows(&sort, order);
	if (pushed)
		PopActiveSnapshot();

	MemoryContextSwitchTo(old_context);
	MemoryContextDelete(context);
	if (is_ascending(order, nrows))
	{
		pfree(order);
		return NULL;
	}
	return order;
}
