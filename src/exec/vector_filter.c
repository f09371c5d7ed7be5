/*
 * vector_filter.c
 *		Column filters on decoded vectors, giving masks of 1,024 bits.
 *
 * Kernels write one byte per value, which compilers turn into vector
 * instructions, and the bytes are gathered to bits afterwards.  Strings are
 * compared one by one, or once per entry where the chunk has a dictionary.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "encoding/byteorder.h"
#include "exec/column_filter.h"
#include "exec/vector.h"
#include "fmgr.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* Sets up to this size are compared member by member. */
#define FEW_MEMBERS		8

/* A dictionary pays where it has at most half as many entries as rows. */
#define ROWS_PER_ENTRY	2

/* Is the value among the sorted members? */
static bool
is_member(const ColumnFilter *filter, int64 value)
{
	int			low = 0;
	int			high = filter->nmembers - 1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		int64		member = filter->members[middle].integer;

		if (member == value)
			return true;
		if (member < value)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return false;
}

static void
match_members(const ColumnFilter *filter, const int64 *values, uint8 *match)
{
	int64		low = filter->integers.low;
	int64		high = filter->integers.high;

	if (filter->bitmap)
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
		{
			uint64		bit = (uint64) values[i] - (uint64) low;

			match[i] = values[i] >= low && values[i] <= high &&
				((filter->bitmap[bit / 64] >> (bit % 64)) & 1) != 0;
		}
		return;
	}

	for (int i = 0; i < VECTOR_LENGTH; i++)
		match[i] = values[i] >= low && values[i] <= high &&
			is_member(filter, values[i]);
}

#define FILTER_SUFFIX uint8
#define FILTER_VALUE uint8
#define FILTER_BITS uint8
#define FILTER_MIN ((int64) 0)
#define FILTER_MAX ((int64) PG_UINT8_MAX)
#include "vector_filter_template.h"

#define FILTER_SUFFIX int16
#define FILTER_VALUE int16
#define FILTER_BITS uint16
#define FILTER_MIN ((int64) PG_INT16_MIN)
#define FILTER_MAX ((int64) PG_INT16_MAX)
#include "vector_filter_template.h"

#define FILTER_SUFFIX int32
#define FILTER_VALUE int32
#define FILTER_BITS uint32
#define FILTER_MIN ((int64) PG_INT32_MIN)
#define FILTER_MAX ((int64) PG_INT32_MAX)
#include "vector_filter_template.h"

#define FILTER_SUFFIX uint32
#define FILTER_VALUE uint32
#define FILTER_BITS uint32
#define FILTER_MIN ((int64) 0)
#define FILTER_MAX ((int64) PG_UINT32_MAX)
#include "vector_filter_template.h"

#define FILTER_SUFFIX int64
#define FILTER_VALUE int64
#define FILTER_BITS uint64
#define FILTER_MIN PG_INT64_MIN
#define FILTER_MAX PG_INT64_MAX
#include "vector_filter_template.h"

#define FILTER_SUFFIX float4
#define FILTER_VALUE float4
#include "vector_filter_template.h"

#define FILTER_SUFFIX float8
#define FILTER_VALUE float8
#include "vector_filter_template.h"

/* Keep the bits of mask whose byte of match is 1, or 0 if negated. */
static void
apply_match(const uint8 *match, bool is_negated, uint64 *mask)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		uint64		word = 0;

		/* The product's top byte has the eight lowest bits in order. */
		for (int b = 0; b < 8; b++)
			word |= ((load_le64(match + w * 64 + b * 8) *
					  UINT64CONST(0x0102040810204080)) >> 56) << (8 * b);
		mask[w] &= is_negated ? ~word : word;
	}
}

/* Keep the bits of mask that are, or are not, in matches. */
static void
apply_matches(const uint64 *matches, bool is_negated, uint64 *mask)
{
	for (int w = 0; w < VECTOR_WORDS; w++)
		mask[w] &= is_negated ? ~matches[w] : matches[w];
}

static void
clear_mask(uint64 *mask)
{
	memset(mask, 0, sizeof(uint64) * VECTOR_WORDS);
}

static void
exclude_nulls(const AttributeVector *av, uint64 *mask)
{
	if (av->nnulls == 0)
		return;
	for (int w = 0; w < VECTOR_WORDS; w++)
		mask[w] &= ~av->nulls[w];
}

/* ---- fixed width ---- */

/* The values of both ranges. */
static IntegerRange
intersect_ranges(IntegerRange a, IntegerRange b)
{
	IntegerRange both;

	both.low = Max(a.low, b.low);
	both.high = Min(a.high, b.high);
	both.is_empty = a.is_empty || b.is_empty || both.low > both.high;
	return both;
}

static bool
match_integers(const ColumnFilter *filter, const IntegerRange *range,
			   const AttributeVector *av, uint8 *match)
{
	switch (av->kind)
	{
		case VALUE_INT8:
			match_integers_uint8(filter, range, av->values, match);
			return true;
		case VALUE_INT16:
			match_integers_int16(filter, range, av->values, match);
			return true;
		case VALUE_INT32:
			if (filter->clause.type->is_unsigned)
				match_integers_uint32(filter, range, av->values, match);
			else
				match_integers_int32(filter, range, av->values, match);
			return true;
		case VALUE_INT64:
			match_integers_int64(filter, range, av->values, match);
			return true;
		default:
			return false;
	}
}

/* Is what the filter compares values as the order they were encoded in? */
static bool
compares_signed(const ColumnFilter *filter, const AttributeVector *av)
{
	return av->kind != VALUE_INT8 && !filter->clause.type->is_unsigned;
}

/*
 * Compare values in the form in which they are stored, member by member of a
 * set.  False if they have to be decoded.
 */
static bool
match_packed(const ColumnFilter *filter, const IntegerRange *range,
			 AttributeVector *av, SegmentReader *reader, uint64 *matches)
{
	bool		is_set = filter->clause.kind == FILTER_SET;
	int			nranges = is_set ? filter->nmembers : 1;
	const char *reason = NULL;

	if (nranges > MAX_CODE_RANGES || av->has_values)
		return false;
	memset(matches, 0, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < nranges && !range->is_empty; i++)
	{
		uint64		found[VECTOR_WORDS];
		int64		low = is_set ? filter->members[i].integer : range->low;
		int64		high = is_set ? low : range->high;

		if (!chunk_between_fixed(av->chunk, av->vector,
								 compares_signed(filter, av), low, high,
								 found, &reason))
		{
			if (reason)
				segment_reader_report(reader, av->attno, reason);
			return false;
		}
		for (int w = 0; w < VECTOR_WORDS; w++)
			matches[w] |= found[w];
	}
	return true;
}

/* One member after the other: long lists of floats are rare. */
static void
match_float_set(const ColumnFilter *filter, const AttributeVector *av,
				uint8 *match)
{
	uint8		one[VECTOR_LENGTH];

	memset(match, 0, VECTOR_LENGTH);
	for (int m = -1; m < filter->nmembers; m++)
	{
		FloatRange	range = {INFINITY, -INFINITY, false};

		if (m < 0)
			range.has_nan = filter->has_nan_member;
		else
			range.low = range.high = filter->members[m].number;
		if (av->kind == VALUE_FLOAT32)
			match_floats_float4(&range, av->values, one);
		else
			match_floats_float8(&range, av->values, one);
		for (int i = 0; i < VECTOR_LENGTH; i++)
			match[i] |= one[i];
	}
}

static bool
match_floats(const ColumnFilter *filter, const AttributeVector *av,
			 uint8 *match)
{
	if (av->kind != VALUE_FLOAT32 && av->kind != VALUE_FLOAT64)
		return false;
	if (filter->clause.kind == FILTER_SET)
		match_float_set(filter, av, match);
	else if (av->kind == VALUE_FLOAT32)
		match_floats_float4(&filter->floats, av->values, match);
	else
		match_floats_float8(&filter->floats, av->values, match);
	return true;
}

static bool
apply_integers(ColumnFilter *filter, const ColumnFilter *partner,
			   AttributeVector *av, SegmentReader *reader, uint64 *mask)
{
	IntegerRange range = filter->integers;
	uint64		matches[VECTOR_WORDS];
	uint8		match[VECTOR_LENGTH];

	if (partner)
		range = intersect_ranges(range, partner->integers);
	if (match_packed(filter, &range, av, reader, matches))
	{
		apply_matches(matches, filter->is_negated, mask);
		filter->is_packed = true;
		return true;
	}
	attribute_vector_decode_values(av, reader);
	if (!match_integers(filter, &range, av, match))
		return false;
	apply_match(match, filter->is_negated, mask);
	return true;
}

static bool
apply_floats(ColumnFilter *filter, AttributeVector *av, SegmentReader *reader,
			 uint64 *mask)
{
	uint8		match[VECTOR_LENGTH];

	attribute_vector_decode_values(av, reader);
	if (!match_floats(filter, av, match))
		return false;
	apply_match(match, filter->is_negated, mask);
	return true;
}

/* ---- numerics ---- */

/* 10^scale */
static Datum
numeric_power_of_ten(int scale)
{
	char		string[16];

	snprintf(string, sizeof(string), "1e%d", scale);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(string),
							   ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/*
 * The largest integer not above numeric * 10^scale, and whether it is that.
 * False if it is not an int64; the number's doubles say so first, because the
 * product of huge numbers raises an error.
 */
static bool
scale_numeric(const FilterValue *number, int scale, int64 *value,
			  bool *is_exact)
{
	Datum		low = NumericGetDatum(int64_to_numeric(PG_INT64_MIN));
	Datum		high = NumericGetDatum(int64_to_numeric(PG_INT64_MAX));
	Datum		scaled;
	Datum		floor;

	if (number->number_low > 1e19 || number->number_high < -1e19)
		return false;

	scaled = DirectFunctionCall2(numeric_mul, number->numeric,
								 numeric_power_of_ten(scale));
	floor = DirectFunctionCall1(numeric_floor, scaled);
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, floor, low)) ||
		DatumGetBool(DirectFunctionCall2(numeric_gt, floor, high)))
		return false;
	*value = DatumGetInt64(DirectFunctionCall1(numeric_int8, floor));
	*is_exact = DatumGetBool(DirectFunctionCall2(numeric_eq, floor, scaled));
	return true;
}

/* Bounds for a constant that is above, or below, all scaled values. */
static void
set_outside_range(int strategy, bool is_above, IntegerRange *range)
{
	bool		is_less = strategy == BTLessStrategyNumber ||
		strategy == BTLessEqualStrategyNumber;
	bool		is_greater = strategy == BTGreaterStrategyNumber ||
		strategy == BTGreaterEqualStrategyNumber;

	range->low = PG_INT64_MIN;
	range->high = PG_INT64_MAX;
	range->is_empty = is_above ? !is_less : !is_greater;
}

/*
 * Bounds for the chunk's scale.  They are kept, because chunks of one column
 * mostly agree on it.
 */
static void
set_numeric_range(ColumnFilter *filter, int scale)
{
	MemoryContext scratch;
	MemoryContext oldcontext;
	int64		value;
	bool		is_exact;

	if (filter->has_scale && filter->scale == scale)
		return;

	scratch = AllocSetContextCreate(CurrentMemoryContext,
									"columnar numeric bounds",
									ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(scratch);
	if (scale_numeric(&filter->value, scale, &value, &is_exact))
		filter_integer_range(filter->clause.strategy, value, is_exact,
							 &filter->integers);
	else
		set_outside_range(filter->clause.strategy,
						  filter->value.number_low > 0, &filter->integers);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(scratch);

	filter->has_scale = true;
	filter->scale = scale;
}

/* The filter's bounds, and its partner's, as integers of the scale. */
static IntegerRange
numeric_range(ColumnFilter *filter, ColumnFilter *partner, int scale)
{
	set_numeric_range(filter, scale);
	if (partner == NULL)
		return filter->integers;
	set_numeric_range(partner, scale);
	return intersect_ranges(filter->integers, partner->integers);
}

/* Compare scaled integers in the form in which they are stored. */
static bool
match_packed_numeric(ColumnFilter *filter, ColumnFilter *partner,
					 AttributeVector *av, SegmentReader *reader,
					 uint64 *matches)
{
	const char *reason;
	IntegerRange range;
	uint8		scale;

	if (!chunk_numeric_is_packed(av->chunk, &scale))
		return false;
	range = numeric_range(filter, partner, scale);
	if (range.is_empty)
	{
		clear_mask(matches);
		return true;
	}
	if (chunk_between_numeric(av->chunk, av->vector, range.low, range.high,
							  matches, &reason))
		return true;
	if (reason)
		segment_reader_report(reader, av->attno, reason);
	return false;
}

static bool
apply_numeric(ColumnFilter *filter, ColumnFilter *partner,
			  AttributeVector *av, SegmentReader *reader, uint64 *mask)
{
	int64		values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint8		match[VECTOR_LENGTH];
	uint64		matches[VECTOR_WORDS];
	IntegerRange range;
	uint8		scale;
	const char *reason = NULL;

	if (filter->clause.kind != FILTER_COMPARE || av->kind != VALUE_NUMERIC)
		return false;
	if (match_packed_numeric(filter, partner, av, reader, matches))
	{
		apply_matches(matches, filter->is_negated, mask);
		filter->is_packed = true;
		return true;
	}
	if (!chunk_numeric_scaled(av->chunk, av->vector, values, &scale, &reason))
	{
		if (reason)
			segment_reader_report(reader, av->attno, reason);
		return false;
	}

	range = numeric_range(filter, partner, scale);
	match_integers_int64(filter, &range, values, match);
	apply_match(match, filter->is_negated, mask);
	return true;
}

/* ---- strings ---- */

static bool
bytes_is_member(const ColumnFilter *filter, const StringRef *string)
{
	int			low = 0;
	int			high = filter->nmembers - 1;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		const StringRef *member = &filter->members[middle].bytes;
		int			order = filter_compare_bytes(member, string);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return false;
}

static bool
bytes_equal(const StringRef *a, const StringRef *b)
{
	return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

bool
bytes_filter_matches(const ColumnFilter *filter, const StringRef *string)
{
	const StringRef *constant = &filter->value.bytes;

	if (filter->clause.kind == FILTER_SET)
		return bytes_is_member(filter, string) != filter->is_negated;
	if (filter->clause.kind == FILTER_LIKE)
		return like_pieces_matches(&filter->like, string) !=
			filter->is_negated;

	switch (filter->clause.strategy)
	{
		case BTLessStrategyNumber:
			return filter_compare_bytes(string, constant) < 0;
		case BTLessEqualStrategyNumber:
			return filter_compare_bytes(string, constant) <= 0;
		case BTGreaterStrategyNumber:
			return filter_compare_bytes(string, constant) > 0;
		case BTGreaterEqualStrategyNumber:
			return filter_compare_bytes(string, constant) >= 0;
		default:
			return bytes_equal(string, constant) != filter->is_negated;
	}
}

/* ---- dictionaries ---- */

static bool
integer_matches(const ColumnFilter *filter, int64 value)
{
	const IntegerRange *range = &filter->integers;
	bool		matches;

	if (filter->clause.kind == FILTER_SET)
		matches = is_member(filter, value);
	else
		matches = !range->is_empty && value >= range->low &&
			value <= range->high;
	return matches != filter->is_negated;
}

static bool
float_matches(const ColumnFilter *filter, double value)
{
	bool		matches = false;

	if (filter->clause.kind != FILTER_SET)
		matches = isnan(value) ? filter->floats.has_nan :
			value >= filter->floats.low && value <= filter->floats.high;
	else if (isnan(value))
		matches = filter->has_nan_member;
	for (int i = 0; i < filter->nmembers && !matches; i++)
		matches = filter->members[i].number == value;
	return matches != filter->is_negated;
}

/* A number of a dictionary, which has them in native form. */
static bool
number_entry_matches(const ColumnFilter *filter, ValueKind kind,
					 const StringRef *entry)
{
	union
	{
		uint8		byte;
		int16		small;
		int32		word;
		uint32		unsigned_word;
		int64		wide;
		float4		real;
		float8		number;
	}			value;

	Assert(entry->length <= sizeof(value));
	memcpy(&value, entry->data, entry->length);
	switch (kind)
	{
		case VALUE_INT8:
			return integer_matches(filter, value.byte);
		case VALUE_INT16:
			return integer_matches(filter, value.small);
		case VALUE_INT32:
			return integer_matches(filter, filter->clause.type->is_unsigned ?
								   (int64) value.unsigned_word : value.word);
		case VALUE_FLOAT32:
			return float_matches(filter, value.real);
		case VALUE_FLOAT64:
			return float_matches(filter, value.number);
		default:
			return integer_matches(filter, value.wide);
	}
}

static bool
entry_matches(const ColumnFilter *filter, ValueKind kind,
			  const StringRef *entry)
{
	return kind == VALUE_BYTES ? bytes_filter_matches(filter, entry) :
		number_entry_matches(filter, kind, entry);
}

/*
 * Which entries match, as runs of codes: entries are sorted, so that ranges
 * and prefixes have one.  More runs than there is room for only count.
 */
static void
find_code_ranges(ColumnFilter *filter)
{
	bool		was_matching = false;

	filter->ncode_ranges = 0;
	for (uint32 i = 0; i < filter->nentries; i++)
	{
		bool		is_matching = filter->entries[i] != 0;

		if (is_matching && filter->ncode_ranges < MAX_CODE_RANGES)
		{
			CodeRange  *range = &filter->code_ranges[filter->ncode_ranges];

			range->high = (uint16) i;
			if (!was_matching)
				range->low = (uint16) i;
		}
		if (was_matching && !is_matching)
			filter->ncode_ranges++;
		was_matching = is_matching;
	}
	filter->ncode_ranges += was_matching;
}

/*
 * Decide every entry of the chunk's dictionary, if it has one that is small
 * against the segment's rows.
 */
static bool
prepare_entries(ColumnFilter *filter, AttributeVector *av,
				SegmentReader *reader)
{
	const char *reason = NULL;
	uint32		nentries;
	StringRef  *strings;

	if (filter->has_entries)
		return filter->nentries > 0;

	filter->has_entries = true;
	filter->nentries = 0;
	if (!chunk_has_dictionary(av->chunk, &nentries) || nentries == 0 ||
		nentries > filter->nslots / ROWS_PER_ENTRY)
		return false;

	strings = palloc(sizeof(StringRef) * nentries);
	if (!chunk_decode_dictionary(av->chunk, strings, &reason))
		segment_reader_report(reader, av->attno, reason);
	if (filter->entries == NULL)
		filter->entries =
			MemoryContextAlloc(MemoryContextGetParent(filter->context),
							   CHUNK_MAX_ROWS);
	for (uint32 i = 0; i < nentries; i++)
		filter->entries[i] = entry_matches(filter, av->kind, &strings[i]);
	pfree(strings);

	filter->nentries = nentries;
	find_code_ranges(filter);
	return true;
}

/*
 * Codes of all positions of the vector, those behind its last row 0; that they
 * are within the dictionary has been seen to.
 */
static void
decode_codes(const ColumnFilter *filter, AttributeVector *av,
			 SegmentReader *reader, uint16 *codes)
{
	uint32		nvalues = filter->nslots - (uint32) av->vector * VECTOR_LENGTH;
	const char *reason = NULL;

	if (!chunk_decode_codes(av->chunk, av->vector, codes, &reason))
		segment_reader_report(reader, av->attno, reason);
	if (nvalues < VECTOR_LENGTH)
		memset(codes + nvalues, 0,
			   sizeof(uint16) * (VECTOR_LENGTH - nvalues));
}

/* Compare codes in the form in which they are stored; false if that fails. */
static bool
match_packed_codes(const ColumnFilter *filter, AttributeVector *av,
				   SegmentReader *reader, uint64 *matches)
{
	const char *reason;

	if (filter->ncode_ranges > MAX_CODE_RANGES)
		return false;
	memset(matches, 0, sizeof(uint64) * VECTOR_WORDS);
	for (int i = 0; i < filter->ncode_ranges; i++)
	{
		uint64		found[VECTOR_WORDS];

		if (!chunk_between_codes(av->chunk, av->vector,
								 filter->code_ranges[i].low,
								 filter->code_ranges[i].high, found, &reason))
		{
			if (reason)
				segment_reader_report(reader, av->attno, reason);
			return false;
		}
		for (int w = 0; w < VECTOR_WORDS; w++)
			matches[w] |= found[w];
	}
	return true;
}

/* Most filters want one run of entries, which is a comparison of codes. */
static void
match_codes(const ColumnFilter *filter, const uint16 *codes, uint8 *match)
{
	if (filter->ncode_ranges == 1)
	{
		uint16		low = filter->code_ranges[0].low;
		uint16		span = filter->code_ranges[0].high - low;

		for (int i = 0; i < VECTOR_LENGTH; i++)
			match[i] = (uint16) (codes[i] - low) <= span;
	}
	else
	{
		for (int i = 0; i < VECTOR_LENGTH; i++)
			match[i] = filter->entries[codes[i]];
	}
}

/* The filter's verdicts on entries say what is negated. */
static void
apply_codes(ColumnFilter *filter, AttributeVector *av, SegmentReader *reader,
			uint64 *mask)
{
	const CodeRange *first = &filter->code_ranges[0];
	uint16		codes[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint64		matches[VECTOR_WORDS];
	uint8		match[VECTOR_LENGTH];

	if (filter->ncode_ranges == 0)
	{
		clear_mask(mask);
		return;
	}
	if (filter->ncode_ranges == 1 && first->low == 0 &&
		first->high == filter->nentries - 1)
		return;

	if (match_packed_codes(filter, av, reader, matches))
	{
		apply_matches(matches, false, mask);
		filter->is_packed = true;
		return;
	}
	decode_codes(filter, av, reader, codes);
	match_codes(filter, codes, match);
	apply_match(match, false, mask);
}

/* By the dictionary, if the chunk has one that pays. */
static bool
apply_entries(ColumnFilter *filter, ColumnFilter *partner,
			  AttributeVector *av, SegmentReader *reader, uint64 *mask)
{
	if (av->has_values || !prepare_entries(filter, av, reader))
		return false;
	apply_codes(filter, av, reader, mask);
	if (partner && prepare_entries(partner, av, reader))
		apply_codes(partner, av, reader, mask);
	return true;
}

static void
apply_strings(ColumnFilter *filter, AttributeVector *av, SegmentReader *reader,
			  uint64 *mask)
{
	attribute_vector_decode_strings(av, reader, mask);
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		uint64		rows = mask[w];

		while (rows != 0)
		{
			int			bit = pg_rightmost_one_pos64(rows);

			rows &= rows - 1;
			if (!bytes_filter_matches(filter, &av->strings[w * 64 + bit]))
				mask[w] &= ~(UINT64CONST(1) << bit);
		}
	}
}

/*
 * Under this part of rows left, strings are looked at one by one: blocks that
 * have none of them are not opened.
 */
#define SEARCH_PART		(VECTOR_LENGTH / 8)

/* Shorter pieces of a pattern occur too often to search for them first. */
#define SEARCH_LENGTH	3

/*
 * Search the bytes of a whole vector for a piece of the pattern, then look at
 * the strings that have it.  False if the chunk is not made for that.
 */
static bool
apply_search(ColumnFilter *filter, AttributeVector *av, SegmentReader *reader,
			 uint64 *mask)
{
	const LikePieces *like = &filter->like;
	uint64		found[VECTOR_WORDS];
	const char *reason;

	if (filter->clause.kind != FILTER_LIKE || like->npieces == 0 ||
		(!like_pieces_is_search(like) &&
		 like->pieces[like->longest].length < SEARCH_LENGTH) ||
		vector_mask_count(mask) < SEARCH_PART)
		return false;
	if (!chunk_search_strings(av->chunk, av->vector,
							  &like->pieces[like->longest], found, &reason))
	{
		if (reason)
			segment_reader_report(reader, av->attno, reason);
		return false;
	}

	for (int w = 0; w < VECTOR_WORDS; w++)
		found[w] &= mask[w];
	if (!like_pieces_is_search(like))
	{
		attribute_vector_decode_strings(av, reader, found);
		VECTOR_FOR_EACH(slot, found)
		{
			if (!like_pieces_matches(like, &av->strings[slot]))
				found[slot / 64] &= ~(UINT64CONST(1) << (slot % 64));
		}
	}
	for (int w = 0; w < VECTOR_WORDS; w++)
		mask[w] = filter->is_negated ? mask[w] & ~found[w] : found[w];
	return true;
}

static bool
apply_bytes(ColumnFilter *filter, AttributeVector *av, SegmentReader *reader,
			uint64 *mask)
{
	if (av->kind != VALUE_BYTES)
		return false;
	if (!apply_entries(filter, NULL, av, reader, mask) &&
		!apply_search(filter, av, reader, mask))
		apply_strings(filter, av, reader, mask);
	return true;
}

/* ---- all ---- */

static void
apply_null_test(const ColumnFilter *filter, const AttributeVector *av,
				uint64 *mask)
{
	if (filter->clause.kind == FILTER_IS_NOT_NULL)
		exclude_nulls(av, mask);
	else if (av->nnulls == 0)
		clear_mask(mask);
	else
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			mask[w] &= av->nulls[w];
	}
}

bool
column_filter_is_range(const ColumnFilter *filter)
{
	FilterDomain domain = filter->clause.type ?
		filter->clause.type->domain : DOMAIN_BYTES;

	return filter->is_ready && filter->clause.kind == FILTER_COMPARE &&
		!filter->is_negated && filter->verdict == VERDICT_SOME &&
		!filter->takes_null && !filter->is_opaque &&
		(domain == DOMAIN_INTEGER || domain == DOMAIN_NUMERIC);
}

bool
vector_filter_apply(ColumnFilter *filter, ColumnFilter *partner,
					AttributeVector *av, SegmentReader *reader, uint64 *mask)
{
	Assert(filter->is_ready);
	Assert(av->chunk != NULL);
	Assert(partner == NULL || (column_filter_is_range(filter) &&
							   column_filter_is_range(partner)));

	filter->is_packed = false;

	if (filter->takes_null)
		return true;
	if (filter->verdict == VERDICT_NONE)
	{
		clear_mask(mask);
		return true;
	}

	attribute_vector_decode_nulls(av, reader);
	if (filter->clause.operand == NULL)
	{
		apply_null_test(filter, av, mask);
		return true;
	}

	exclude_nulls(av, mask);
	if (filter->verdict == VERDICT_ALL)
		return true;
	if (filter->is_opaque)
		return false;

	switch (filter->clause.type->domain)
	{
		case DOMAIN_INTEGER:
			return apply_entries(filter, partner, av, reader, mask) ||
				apply_integers(filter, partner, av, reader, mask);
		case DOMAIN_FLOAT:
			return apply_entries(filter, NULL, av, reader, mask) ||
				apply_floats(filter, av, reader, mask);
		case DOMAIN_NUMERIC:
			return apply_numeric(filter, partner, av, reader, mask);
		case DOMAIN_BYTES:
			return apply_bytes(filter, av, reader, mask);
	}
	return false;
}
