/*
 * chunk_walk.h
 *		Chunks in memory, and reading everything a chunk has.
 *
 * For unit tests and fuzzing.  Every fetch is checked against the chunk's
 * length, because that is what the reader has promised.
 */
#ifndef CHUNK_WALK_H
#define CHUNK_WALK_H

#include <stdlib.h>

#include "encoding/chunk.h"
#include "packed_walk.h"

/* A chunk that lies in memory. */
typedef struct MemorySource
{
	ChunkSource source;
	const uint8_t *bytes;
	uint64_t	nfetched;		/* bytes asked for so far */
} MemorySource;

static inline const uint8_t *
memory_fetch(ChunkSource *source, uint64_t offset, size_t length)
{
	MemorySource *memory = (MemorySource *) source;

	if (offset > source->length || length > source->length - offset)
		abort();
	memory->nfetched += length;
	return memory->bytes + offset;
}

static inline void
memory_source_init(MemorySource *memory, const uint8_t *bytes, size_t length)
{
	memory->source.fetch = memory_fetch;
	memory->source.length = length;
	memory->bytes = bytes;
	memory->nfetched = 0;
}

/* Room for what one vector decodes to. */
typedef struct WalkSpace
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint64_t	nulls[VECTOR_LENGTH / 64];
	uint16_t	codes[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	StringRef	strings[VECTOR_LENGTH];
	StringRef	entries[CHUNK_MAX_ROWS];
	PackedFindings packed;
	PackedFindings packed_codes;
} WalkSpace;

/* The first position that is not NULL, or nvalues. */
static inline uint32_t
walk_first_valid(const uint64_t *nulls, uint32_t nvalues)
{
	uint32_t	first = 0;

	while (first < nvalues && (nulls[first / 64] >> (first % 64) & 1))
		first++;
	return first;
}

/* Bytes of a decoded value; numerics as scaled integers. */
static inline int
walk_size(ValueKind kind)
{
	return kind == VALUE_INT8 ? 1 : kind == VALUE_INT16 ? 2 :
		kind == VALUE_INT32 || kind == VALUE_FLOAT32 ? 4 : 8;
}

/*
 * Look into a vector that has not been decoded, whose nulls are in space.
 * False if it is refused; then a reader that decodes it must do so, too.
 */
static inline bool
walk_find_packed(ChunkReader *reader, ValueKind kind, uint32_t nvalues,
				 uint32_t vector, WalkSpace *space, const char **reason)
{
	uint32_t	first = walk_first_valid(space->nulls, nvalues);
	uint32_t	nentries;
	uint8_t		scale;

	memset(&space->packed, 0, sizeof(space->packed));
	memset(&space->packed_codes, 0, sizeof(space->packed_codes));
	if (first == nvalues)
		return true;
	if (chunk_has_dictionary(reader, &nentries) && nentries > 0 &&
		!packed_find(reader, vector, nvalues, first, PACKED_CODES, 2,
					 &space->packed_codes, reason))
		return false;
	if (kind == VALUE_BYTES ||
		(kind == VALUE_NUMERIC && !chunk_numeric_is_packed(reader, &scale)))
		return true;
	return packed_find(reader, vector, nvalues, first,
					   kind == VALUE_NUMERIC ? PACKED_NUMERIC : PACKED_FIXED,
					   walk_size(kind), &space->packed, reason);
}

/* What was found must be what was decoded. */
static inline void
walk_check_packed(ChunkReader *reader, ValueKind kind, uint32_t nvalues,
				  const WalkSpace *space)
{
	uint32_t	nentries;

	if (chunk_has_dictionary(reader, &nentries) &&
		!packed_agree(&space->packed_codes, space->codes, 2, space->nulls,
					  nvalues))
		abort();
	if (kind != VALUE_BYTES &&
		!packed_agree(&space->packed, space->values, walk_size(kind),
					  space->nulls, nvalues))
		abort();
}

/* A vector that was refused unseen must be refused when it is decoded. */
static inline void
walk_refused(ChunkReader *reader, ValueKind kind, uint32_t vector,
			 WalkSpace *space)
{
	const char *reason;
	uint32_t	nentries;
	uint8_t		scale;

	if (chunk_has_dictionary(reader, &nentries) ?
		chunk_decode_codes(reader, vector, space->codes, &reason) &&
		(kind == VALUE_BYTES ||
		 chunk_decode_fixed(reader, vector, space->values, &reason)) :
		kind < VALUE_BYTES ?
		chunk_decode_fixed(reader, vector, space->values, &reason) :
		chunk_numeric_uniform(reader, vector, (int64_t *) space->values,
							  &scale, &reason))
		abort();
}

/* A sum over bytes, so that each is read. */
static inline uint32_t
touch_string(StringRef string)
{
	uint32_t	sum = string.length;

	for (uint32_t i = 0; i < string.length; i++)
		sum += string.data[i];
	return sum;
}

/* Decode the value at a position alone; whole vectors are what is judged. */
static inline uint32_t
walk_single(ChunkReader *reader, ValueKind kind, uint32_t vector,
			uint32_t position)
{
	const char *reason;
	StringRef	string;
	uint64_t	value = 0;

	if (kind < VALUE_BYTES)
		return chunk_decode_value(reader, vector, position, &value, &reason) ?
			(uint32_t) value : 0;
	return chunk_decode_string(reader, vector, position, &string, &reason) ?
		touch_string(string) : 0;
}

/*
 * Lengths and a search must say what the decoded strings say; NULLs have
 * neither.
 */
static inline bool
walk_strings(ChunkReader *reader, uint32_t nvalues, uint32_t vector,
			 WalkSpace *space, const char **reason)
{
	static const uint8_t needle_bytes[] = {'1'};
	const StringRef needle = {needle_bytes, 1};
	uint64_t	found[VECTOR_LENGTH / 64];
	uint32_t   *lengths = (uint32_t *) space->values;
	bool		is_searched;

	if (!chunk_decode_lengths(reader, vector, lengths, reason))
		return false;
	is_searched = chunk_search_strings(reader, vector, &needle, found, reason);
	if (!is_searched && *reason != NULL)
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		const StringRef *string = &space->strings[i];

		if (space->nulls[i / 64] >> (i % 64) & 1)
			continue;
		if (lengths[i] != string->length ||
			(is_searched && (found[i / 64] >> (i % 64) & 1) !=
			 (string->length > 0 &&
			  memchr(string->data, '1', string->length) != NULL)))
			abort();
	}
	return true;
}

static inline bool
walk_vector(ChunkReader *reader, ValueKind kind, uint32_t nrows,
			uint32_t vector, WalkSpace *space, uint32_t *sum,
			const char **reason)
{
	uint32_t	left = nrows - vector * VECTOR_LENGTH;
	uint32_t	nvalues = left < VECTOR_LENGTH ? left : VECTOR_LENGTH;
	uint32_t	nnulls;
	uint32_t	nentries;
	uint8_t		scale;
	ZoneRange	range;

	chunk_vector_zone(reader, vector, &nnulls, &range);
	*sum += range.has_range + nnulls + chunk_vector_encoding(reader, vector)[0];
	if (!chunk_decode_nulls(reader, vector, space->nulls, &nnulls, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i += nvalues / 2 + 1)
		if (!(space->nulls[i / 64] >> (i % 64) & 1))
			*sum += walk_single(reader, kind, vector, i);
	if (!walk_find_packed(reader, kind, nvalues, vector, space, reason))
	{
		walk_refused(reader, kind, vector, space);
		return false;
	}
	if (chunk_has_dictionary(reader, &nentries) &&
		!chunk_decode_codes(reader, vector, space->codes, reason))
		return false;
	if (kind < VALUE_BYTES)
	{
		if (!chunk_decode_fixed(reader, vector, space->values, reason))
			return false;
		walk_check_packed(reader, kind, nvalues, space);
		return true;
	}
	if (!chunk_decode_strings(reader, vector, NULL, space->strings, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
		*sum += touch_string(space->strings[i]);
	if (kind != VALUE_NUMERIC)
	{
		walk_check_packed(reader, kind, nvalues, space);
		return walk_strings(reader, nvalues, vector, space, reason);
	}
	if (!chunk_numeric_uniform(reader, vector, (int64_t *) space->values,
							   &scale, reason) && *reason != NULL)
		return false;
	if (chunk_numeric_is_packed(reader, &scale))
		walk_check_packed(reader, kind, nvalues, space);
	return chunk_numeric_scaled(reader, vector, (int64_t *) space->values,
								&scale, reason) ||
		*reason == NULL;
}

/* Read all of a chunk; returns false and a reason if something is refused. */
static inline bool
chunk_walk(const uint8_t *bytes, size_t length, ValueKind kind, uint32_t nrows,
		   const Allocator *allocator, WalkSpace *space, const char **reason)
{
	volatile uint32_t sink;
	uint32_t	sum = 0;
	uint32_t	nentries;
	bool		is_valid = true;
	MemorySource memory;
	ChunkReader *reader;

	memory_source_init(&memory, bytes, length);
	reader = chunk_open(&memory.source, kind, nrows, allocator, reason);
	if (reader == NULL)
		return false;
	for (uint32_t vector = 0; is_valid &&
		 vector * VECTOR_LENGTH < nrows; vector++)
		is_valid = walk_vector(reader, kind, nrows, vector, space, &sum,
							   reason);
	if (is_valid && chunk_has_dictionary(reader, &nentries))
	{
		is_valid = chunk_decode_dictionary(reader, space->entries, reason);
		for (uint32_t i = 0; is_valid && i < nentries; i++)
			sum += touch_string(space->entries[i]);
	}
	sink = sum;
	(void) sink;
	chunk_close(reader);
	return is_valid;
}

#endif							/* CHUNK_WALK_H */
