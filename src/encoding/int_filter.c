/*
 * int_filter.c
 *		Which values of a vector of integers lie in a range, without decoding.
 *
 * The bounds are turned into bounds of codes, once, and codes are compared as
 * they lie there, packed.  What has to be added up or decompressed first has
 * no such form: then the caller decodes.
 *
 * A vector is refused for the same damage as when it is decoded, but for what
 * only other values than those compared could tell.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_header.h"

#define MATCH_WORDS (VECTOR_LENGTH / 64)

/* Codes from low to high; none if low > high. */
typedef struct CodeRange
{
	uint64_t	low;
	uint64_t	high;
} CodeRange;

static const CodeRange no_codes = {1, 0};

static void
fill_matches(bool matches_all, uint64_t *matches)
{
	memset(matches, matches_all ? 0xFF : 0, MATCH_WORDS * sizeof(uint64_t));
}

/* The codes of the values from low to high. */
static CodeRange
code_range(const IntHeader *header, int64_t low, int64_t high)
{
	CodeRange	range = {0, 0};
	uint64_t	distance;

	if (low > high || high < header->base)
		return no_codes;
	range.high = (uint64_t) high - (uint64_t) header->base;
	if (low > header->base)
		range.low = (uint64_t) low - (uint64_t) header->base;
	if (header->divisor > 1)
	{
		distance = range.low;
		range.low = distance / header->divisor;
		range.low += distance % header->divisor != 0;
		range.high /= header->divisor;
	}
	return range;
}

/* Is none of the codes above limit? */
static bool
codes_are_within(const uint8_t *bits, size_t length, uint32_t ncodes,
				 int width, uint64_t limit)
{
	uint64_t	above[MATCH_WORDS];
	uint64_t	any = 0;

	if (largest_code(width) <= limit)
		return true;
	if (!bitpack_between(bits, length, 0, ncodes, width, limit + 1,
						 largest_code(width), above))
		return false;
	for (uint32_t w = 0; w < ncodes / 64; w++)
		any |= above[w];
	if (ncodes % 64 != 0)
		any |= above[ncodes / 64] << (64 - ncodes % 64);
	return any == 0;
}

/* Compare packed codes, of which there are enough. */
static bool
compare_codes(const uint8_t *bits, size_t length, uint32_t ncodes, int width,
			  CodeRange range, uint64_t *matches)
{
	uint64_t	largest = largest_code(width);

	if (range.high > largest)
		range.high = largest;
	if (range.low > range.high)
		fill_matches(false, matches);
	else if (range.low == 0 && range.high == largest)
		fill_matches(true, matches);
	else
		return bitpack_between(bits, length, 0, ncodes, width, range.low,
							   range.high, matches);
	return true;
}

/* The next packed values, or NULL if they are damaged. */
static const uint8_t *
take_packed(ByteCursor *cursor, uint32_t nvalues, int width, size_t *length)
{
	const uint8_t *bits;

	*length = bitpack_length(nvalues, width);
	bits = cursor_bytes(cursor, *length);
	if (bits == NULL || !bitpack_padding_is_zero(bits, nvalues, width))
		return NULL;
	return bits;
}

static bool
between_packed(ByteCursor *cursor, const IntHeader *header, IntType type,
			   uint32_t nvalues, CodeRange range, uint64_t *matches,
			   const char **reason)
{
	size_t		length;
	const uint8_t *bits;

	if (header->width > 8 * type.size ||
		(bits = take_packed(cursor, nvalues, header->width,
							&length)) == NULL ||
		cursor_left(cursor) != 0)
	{
		*reason = "packed values do not match their vector";
		return false;
	}
	*reason = "values outside the range of their type";
	return codes_are_within(bits, length, nvalues, header->width,
							header->code_limit) &&
		compare_codes(bits, length, nvalues, header->width, range, matches);
}

/* Compare patched codes one by one: there are few. */
static bool
compare_patches(const uint8_t *bits, size_t length, int width,
				const uint16_t *positions, const uint64_t *highs,
				uint32_t npatches, CodeRange range, uint64_t limit,
				uint64_t *matches)
{
	for (uint32_t i = 0; i < npatches; i++)
	{
		uint32_t	position = positions[i];
		uint64_t	bit = UINT64_C(1) << (position % 64);
		uint64_t	code = packed_value(bits, length, width, position) |
			highs[i] << width;

		if (code > limit)
			return false;
		if (code >= range.low && code <= range.high)
			matches[position / 64] |= bit;
		else
			matches[position / 64] &= ~bit;
	}
	return true;
}

static bool
between_patched(ByteCursor *cursor, const IntHeader *header, IntType type,
				uint32_t nvalues, CodeRange range, uint64_t *matches,
				IntScratch *scratch, const char **reason)
{
	uint32_t	npatches = (uint32_t) cursor_uint(cursor, 2);
	int			patch_width = (int) cursor_uint(cursor, 1);
	int			width = header->width;
	size_t		length;
	size_t		rest;
	const uint8_t *body;
	const uint8_t *bits;

	*reason = "packed values do not match their vector";
	if (cursor->failed || npatches > nvalues || patch_width == 0 ||
		width + patch_width > 8 * type.size ||
		(body = take_packed(cursor, nvalues, width, &length)) == NULL ||
		(bits = take_packed(cursor, npatches, PATCH_POSITION_BITS,
							&rest)) == NULL ||
		!bitpack_unpack(bits, rest, 0, npatches, PATCH_POSITION_BITS,
						scratch->positions, sizeof(uint16_t)) ||
		!positions_are_increasing(scratch->positions, npatches, nvalues) ||
		(bits = take_packed(cursor, npatches, patch_width, &rest)) == NULL ||
		!bitpack_unpack(bits, rest, 0, npatches, patch_width, scratch->extra,
						sizeof(uint64_t)) ||
		cursor_left(cursor) != 0)
		return false;
	*reason = "values outside the range of their type";
	return codes_are_within(body, length, nvalues, width,
							header->code_limit) &&
		compare_codes(body, length, nvalues, width, range, matches) &&
		compare_patches(body, length, width, scratch->positions,
						scratch->extra, npatches, range, header->code_limit,
						matches);
}

/* Set the bits of count positions, which were not set. */
static void
set_run(uint64_t *matches, uint32_t first, uint32_t count)
{
	uint32_t	last = first + count - 1;
	uint64_t	from = UINT64_MAX << (first % 64);
	uint64_t	to = UINT64_MAX >> (63 - last % 64);

	if (first / 64 == last / 64)
	{
		matches[first / 64] |= from & to;
		return;
	}
	matches[first / 64] |= from;
	for (uint32_t w = first / 64 + 1; w < last / 64; w++)
		matches[w] = UINT64_MAX;
	matches[last / 64] |= to;
}

static void
spread_runs(const uint64_t *run_matches, const uint16_t *lengths,
			uint32_t nruns, uint64_t *matches)
{
	uint32_t	position = 0;

	fill_matches(false, matches);
	for (uint32_t run = 0; run < nruns; run++)
	{
		uint32_t	length = (uint32_t) lengths[run] + 1;

		if (bitmap_get(run_matches, run))
			set_run(matches, position, length);
		position += length;
	}
}

static bool
between_runs(ByteCursor *cursor, const IntHeader *header, IntType type,
			 uint32_t nvalues, CodeRange range, uint64_t *matches,
			 IntScratch *scratch, const char **reason)
{
	uint32_t	nruns = (uint32_t) cursor_uint(cursor, 2);
	int			length_width = (int) cursor_uint(cursor, 1);
	uint64_t	run_matches[MATCH_WORDS];
	size_t		length;
	size_t		rest;
	const uint8_t *runs;
	const uint8_t *bits;

	*reason = "runs do not match their vector";
	if (cursor->failed || nruns == 0 || nruns > nvalues ||
		length_width > PATCH_POSITION_BITS || header->width > 8 * type.size ||
		(runs = take_packed(cursor, nruns, header->width, &length)) == NULL ||
		(bits = take_packed(cursor, nruns, length_width, &rest)) == NULL ||
		cursor_left(cursor) != 0 ||
		!bitpack_unpack(bits, rest, 0, nruns, length_width,
						scratch->positions, sizeof(uint16_t)) ||
		!lengths_add_up(scratch->positions, nruns, nvalues))
		return false;
	*reason = "values outside the range of their type";
	if (!codes_are_within(runs, length, nruns, header->width,
						  header->code_limit) ||
		!compare_codes(runs, length, nruns, header->width, range,
					   run_matches))
		return false;
	spread_runs(run_matches, scratch->positions, nruns, matches);
	return true;
}

static bool
between_constant(const uint8_t *in, size_t length, IntType type, int64_t low,
				 int64_t high, uint64_t *matches, const char **reason)
{
	int64_t		value;

	*reason = "invalid constant";
	if (length > 8)
		return false;
	value = load_int(in, (int) length);
	if (!int_value_fits(value, type))
		return false;
	fill_matches(value >= low && value <= high, matches);
	return true;
}

/*
 * Raw values are codes of their full width.  Negative ones are the upper half:
 * a range over zero is what the codes between its ends are not.
 */
static bool
between_raw(const uint8_t *in, size_t length, IntType type, uint32_t nvalues,
			int64_t low, int64_t high, uint64_t *matches, const char **reason)
{
	int			width = 8 * type.size;
	uint64_t	mask = largest_code(width);
	CodeRange	range;

	*reason = "length of raw values does not match their number";
	if (length != (size_t) nvalues * (size_t) type.size)
		return false;
	if (low < int_type_min(type))
		low = int_type_min(type);
	if (high > int_type_max(type))
		high = int_type_max(type);
	if (low > high)
	{
		fill_matches(false, matches);
		return true;
	}
	range.low = (uint64_t) low & mask;
	range.high = (uint64_t) high & mask;
	if (range.low <= range.high)
		return compare_codes(in, length, nvalues, width, range, matches);

	range.low = ((uint64_t) high & mask) + 1;
	range.high = ((uint64_t) low & mask) - 1;
	if (!compare_codes(in, length, nvalues, width, range, matches))
		return false;
	for (int w = 0; w < MATCH_WORDS; w++)
		matches[w] = ~matches[w];
	return true;
}

static bool
between_stored(int encoding, const uint8_t *in, size_t length, IntType type,
			   uint32_t nvalues, int64_t low, int64_t high, uint64_t *matches,
			   IntScratch *scratch, const char **reason)
{
	IntHeader	header;
	ByteCursor	cursor;
	CodeRange	range;

	if (encoding == INT_CONSTANT)
		return between_constant(in, length, type, low, high, matches, reason);
	if (encoding == INT_RAW)
		return between_raw(in, length, type, nvalues, low, high, matches,
						   reason);
	if (encoding != INT_FOR && encoding != INT_PATCHED && encoding != INT_RUNS)
		return false;

	cursor_init(&cursor, in, length);
	if (!int_header_parse(&cursor, false, type, &header))
	{
		*reason = "invalid header of a vector";
		return false;
	}
	range = code_range(&header, low, high);
	if (encoding == INT_FOR)
		return between_packed(&cursor, &header, type, nvalues, range, matches,
							  reason);
	if (encoding == INT_PATCHED)
		return between_patched(&cursor, &header, type, nvalues, range,
							   matches, scratch, reason);
	return between_runs(&cursor, &header, type, nvalues, range, matches,
						scratch, reason);
}

/* Bring the lowest bits, one after the other, to the places of valid. */
static uint64_t
deposit_bits(uint64_t bits, uint64_t valid)
{
	uint64_t	result = 0;

	for (; bits != 0 && valid != 0; valid &= valid - 1)
	{
		result |= (bits & 1) != 0 ? valid & -valid : 0;
		bits >>= 1;
	}
	return result;
}

/* Spread the bits of a dense vector to the positions that are not NULL. */
static void
spread_matches(const uint64_t *nulls, uint32_t nvalues, uint64_t *matches)
{
	uint64_t	dense[MATCH_WORDS + 1];
	uint32_t	next = 0;

	memcpy(dense, matches, MATCH_WORDS * sizeof(uint64_t));
	dense[MATCH_WORDS] = 0;
	for (uint32_t w = 0; w < MATCH_WORDS; w++)
	{
		uint64_t	valid = valid_positions(nulls, nvalues, w);
		uint64_t	bits = dense[next / 64] >> (next % 64);

		if (next % 64 != 0)
			bits |= dense[next / 64 + 1] << (64 - next % 64);
		matches[w] = deposit_bits(bits, valid);
		next += count_bits(valid);
	}
}

bool
int_vector_between(uint8_t encoding, const uint8_t *in, size_t length,
				   IntType type, uint32_t nvalues, const uint64_t *nulls,
				   int64_t low, int64_t high, uint64_t *matches,
				   IntScratch *scratch, const char **reason)
{
	bool		is_dense = (encoding & INT_ENCODING_DENSE) != 0;
	uint32_t	nstored = nvalues;

	ENCODING_ASSERT(nvalues > 0 && nvalues <= VECTOR_LENGTH);
	*reason = NULL;
	if (type.is_float || (type.size == 8 && !type.is_signed))
		return false;
	if (is_dense)
	{
		nstored = nulls == NULL ? 0 : count_valid(nulls, nvalues);
		if (nstored == 0)
		{
			*reason = "dense vector without values";
			return false;
		}
	}
	if (!between_stored(encoding & ~INT_ENCODING_DENSE, in, length, type,
						nstored, low, high, matches, scratch, reason))
		return false;
	if (is_dense)
		spread_matches(nulls, nvalues, matches);
	return true;
}
