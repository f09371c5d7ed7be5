/*
 * packed_walk.h
 *		What is found in a vector without decoding it, against its values.
 *
 * For unit tests and fuzzing.  A reader that has decoded the vector's codes
 * does not look for them again, so findings are taken first and compared when
 * the values are there.
 */
#ifndef PACKED_WALK_H
#define PACKED_WALK_H

#include "encoding/chunk.h"

#define PACKED_RANGES 4
#define PACKED_POSITIONS 5

typedef enum PackedForm
{
	PACKED_FIXED,
	PACKED_CODES,
	PACKED_NUMERIC
} PackedForm;

typedef struct PackedFindings
{
	PackedForm	form;
	bool		is_signed;
	bool		has_matches;
	int64_t		low[PACKED_RANGES];
	int64_t		high[PACKED_RANGES];
	uint64_t	matches[PACKED_RANGES][VECTOR_LENGTH / 64];
	bool		has_values;
	uint32_t	npositions;
	uint16_t	positions[PACKED_POSITIONS];
	uint64_t	values[PACKED_POSITIONS];
	bool		has_sum;
	bool		has_extremes;
	bool		has_wide;
	int64_t		sum;
	int64_t		min;
	int64_t		max;
	int64_t		wide[VECTOR_LENGTH + DECODE_SLACK_VALUES];
} PackedFindings;

static inline bool
packed_between(ChunkReader *reader, uint32_t vector, PackedFindings *found,
			   int range, const char **reason)
{
	int64_t		low = found->low[range];
	int64_t		high = found->high[range];

	switch (found->form)
	{
		case PACKED_FIXED:
			return chunk_between_fixed(reader, vector, found->is_signed, low,
									   high, found->matches[range], reason);
		case PACKED_CODES:
			return chunk_between_codes(reader, vector, (uint32_t) low,
									   (uint32_t) high, found->matches[range],
									   reason);
		default:
			return chunk_between_numeric(reader, vector, low, high,
										 found->matches[range], reason);
	}
}

static inline bool
packed_gather(ChunkReader *reader, uint32_t vector, PackedFindings *found,
			  const char **reason)
{
	uint16_t	codes[PACKED_POSITIONS];
	bool		is_found;

	switch (found->form)
	{
		case PACKED_FIXED:
			return chunk_gather_fixed(reader, vector, found->positions,
									  found->npositions, found->values,
									  reason);
		case PACKED_CODES:
			is_found = chunk_gather_codes(reader, vector, found->positions,
										  found->npositions, codes, reason);
			for (uint32_t i = 0; is_found && i < found->npositions; i++)
				found->values[i] = codes[i];
			return is_found;
		default:
			return chunk_gather_numeric(reader, vector, found->positions,
										found->npositions,
										(int64_t *) found->values, reason);
	}
}

/* Bits of a pattern that count, extended as values are compared. */
static inline int64_t
packed_widen(uint64_t pattern, int size, bool is_signed)
{
	int			shift = 64 - 8 * size;

	return is_signed ? (int64_t) (pattern << shift) >> shift :
		(int64_t) (pattern << shift >> shift);
}

/* Ranges about a value: it, what is above, what is below, and about zero. */
static inline void
packed_set_ranges(PackedFindings *found, int64_t value)
{
	bool		is_codes = found->form == PACKED_CODES;
	int64_t		least = is_codes ? 0 : INT64_MIN;
	int64_t		greatest = is_codes ? UINT16_MAX : INT64_MAX;
	const int64_t low[PACKED_RANGES] = {value, value, least, is_codes ? 1 : -3};
	const int64_t high[PACKED_RANGES] = {value, greatest, value, 5};

	memcpy(found->low, low, sizeof(low));
	memcpy(found->high, high, sizeof(high));
}

/* What takes all values of the vector. */
static inline bool
packed_find_whole(ChunkReader *reader, uint32_t vector, PackedFindings *found,
				  const char **reason)
{
	found->has_sum = chunk_sum(reader, vector, found->is_signed, &found->sum,
							   reason);
	if (!found->has_sum && *reason != NULL)
		return false;
	found->has_extremes = chunk_extremes(reader, vector, found->is_signed,
										 &found->min, &found->max, reason);
	if (!found->has_extremes && *reason != NULL)
		return false;
	found->has_wide = chunk_decode_wide(reader, vector, found->is_signed,
										found->wide, reason);
	return found->has_wide || *reason == NULL;
}

/*
 * Returns false and a reason if the vector is refused: so it must be when it is
 * decoded, then.  first is a position that is not NULL.
 */
static inline bool
packed_find(ChunkReader *reader, uint32_t vector, uint32_t nvalues,
			uint32_t first, PackedForm form, int size, PackedFindings *found,
			const char **reason)
{
	const uint32_t candidates[PACKED_POSITIONS] = {first, first + 1,
	first + 2, (first + nvalues) / 2, nvalues - 1};
	int64_t		value = 0;

	memset(found, 0, sizeof(*found));
	found->form = form;
	for (int i = 0; i < PACKED_POSITIONS; i++)
		if (candidates[i] < nvalues &&
			(found->npositions == 0 ||
			 candidates[i] > found->positions[found->npositions - 1]))
			found->positions[found->npositions++] = (uint16_t) candidates[i];
	found->has_values = packed_gather(reader, vector, found, reason);
	if (!found->has_values && *reason != NULL)
		return false;
	for (int is_signed = 0; is_signed < 2 && !found->has_matches; is_signed++)
	{
		found->is_signed = is_signed;
		if (found->has_values)
			value = packed_widen(found->values[0], size, is_signed);
		packed_set_ranges(found, value);
		found->has_matches = true;
		for (int i = 0; i < PACKED_RANGES && found->has_matches; i++)
			found->has_matches = packed_between(reader, vector, found, i,
												reason);
		if (!found->has_matches && *reason != NULL)
			return false;
	}
	return form == PACKED_CODES || !found->has_matches ||
		packed_find_whole(reader, vector, found, reason);
}

/* Is what was found what the values say?  They are in host order. */
static inline bool
packed_agree(const PackedFindings *found, const void *values, int size,
			 const uint64_t *nulls, uint32_t nvalues)
{
	uint32_t	next = 0;
	uint32_t	nnulls = 0;
	uint64_t	sum = 0;
	int64_t		min = INT64_MAX;
	int64_t		max = INT64_MIN;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	pattern = size == 1 ? ((const uint8_t *) values)[i] :
			size == 2 ? ((const uint16_t *) values)[i] :
			size == 4 ? ((const uint32_t *) values)[i] :
			((const uint64_t *) values)[i];
		int64_t		value = packed_widen(pattern, size, found->is_signed);
		bool		is_null = nulls[i / 64] >> (i % 64) & 1;

		nnulls += is_null;
		sum += (uint64_t) value;
		min = value < min ? value : min;
		max = value > max ? value : max;
		if (found->has_wide && !is_null && found->wide[i] != value)
			return false;
		if (found->has_values && next < found->npositions &&
			found->positions[next] == i)
		{
			if (!is_null && packed_widen(found->values[next], size,
										 found->is_signed) != value)
				return false;
			next++;
		}
		for (int k = 0; k < PACKED_RANGES && found->has_matches; k++)
		{
			bool		is_found = found->matches[k][i / 64] >> (i % 64) & 1;

			if (!is_null && is_found != (value >= found->low[k] &&
										 value <= found->high[k]))
				return false;
		}
	}
	return nnulls > 0 ||
		((!found->has_sum || (uint64_t) found->sum == sum) &&
		 (!found->has_extremes || (found->min == min && found->max == max)));
}

#endif							/* PACKED_WALK_H */
