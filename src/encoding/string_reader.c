/*
 * string_reader.c
 *		Reads strings of a sequence, opening only the blocks asked for.
 *
 * Open blocks stay open until string_sequence_trim, because strings point into
 * them; a block that is stored raw is used where it lies in the source.
 */
#include "encoding/base.h"

#include "encoding/byte_search.h"
#include "encoding/byteorder.h"
#include "encoding/string_sequence.h"

/* Blocks that survive a trim: neighbouring vectors often share one. */
#define BLOCKS_KEPT 2

/*
 * What a codec can make of a byte at most: zstd may give 128 kB for four, LZ4
 * 255 for one.  More is damage, and not to be allocated.
 */
#define MAX_EXPANSION 32768

bool
string_sequence_parse(ByteCursor *head, uint32_t nvalues, BlockCodec codec,
					  bool has_words,
					  const uint64_t *offsets, const uint64_t *lengths,
					  ChunkSource *source, const Allocator *allocator,
					  StringSequence *sequence)
{
	IntType		type = {4, false, false};
	uint32_t	nvectors = vector_count(nvalues);

	memset(sequence, 0, sizeof(*sequence));
	sequence->codec = codec;
	sequence->has_words = has_words;
	sequence->source = source;
	sequence->allocator = allocator;
	sequence->nblocks = (uint32_t) cursor_uint(head, 4);
	sequence->index_offset = offsets[1];
	sequence->index_length = lengths[1];
	sequence->blocks_offset = offsets[2];
	sequence->blocks_length = lengths[2];
	if (head->failed || sequence->nblocks > nvalues)
		return false;
	if (nvectors > 1 &&
		!packed_column_parse(head, nvectors, &sequence->vector_starts))
		return false;
	return int_stream_parse(head, type, nvalues, offsets[0], lengths[0],
							&sequence->lengths);
}

void
string_sequence_close(StringSequence *sequence)
{
	const Allocator *allocator = sequence->allocator;

	for (uint32_t i = 0; i < sequence->nopen; i++)
		allocator_release(allocator, sequence->open_blocks[i].data);
	allocator_release(allocator, sequence->raw_starts);
	allocator_release(allocator, sequence->stored_starts);
	allocator_release(allocator, sequence->block_bytes);
	allocator_release(allocator, sequence->open_blocks);
	allocator_release(allocator, sequence->vector_lengths);
	allocator_release(allocator, sequence->vector_offsets);
	memset(sequence, 0, sizeof(*sequence));
}

/*
 * Turn lengths, in starts[1..n], to starts.  Returns false if one is zero or
 * above the limit of a block.
 */
static bool
lengths_to_starts(uint64_t *starts, uint32_t nblocks)
{
	starts[0] = 0;
	for (uint32_t i = 1; i <= nblocks; i++)
	{
		if (starts[i] == 0 || starts[i] > BLOCK_MAX_LENGTH)
			return false;
		starts[i] += starts[i - 1];
	}
	return true;
}

static bool
lengths_are_plausible(const StringSequence *sequence)
{
	for (uint32_t i = 0; i < sequence->nblocks; i++)
	{
		const uint64_t *raw_starts = sequence->raw_starts + i;
		const uint64_t *stored_starts = sequence->stored_starts + i;
		uint64_t	raw = raw_starts[1] - raw_starts[0];
		uint64_t	stored = stored_starts[1] - stored_starts[0];

		if (stored > raw || raw / MAX_EXPANSION > stored)
			return false;
	}
	return true;
}

static bool
open_index(StringSequence *sequence, const char **reason)
{
	const Allocator *allocator = sequence->allocator;
	uint32_t	nblocks = sequence->nblocks;
	size_t		size = (nblocks + 1 + DECODE_SLACK_VALUES) * sizeof(uint64_t);
	PackedColumn raw;
	PackedColumn stored;
	ByteCursor	cursor;

	*reason = "invalid index of string blocks";
	if (sequence->index_length == 0)
		return false;
	cursor_init(&cursor,
				sequence->source->fetch(sequence->source,
										sequence->index_offset,
												 (size_t) sequence->index_length),
				(size_t) sequence->index_length);
	if (!packed_column_parse(&cursor, nblocks, &raw) ||
		!packed_column_parse(&cursor, nblocks, &stored) ||
		cursor_left(&cursor) != 0)
		return false;
	allocator_release(allocator, sequence->raw_starts);
	allocator_release(allocator, sequence->stored_starts);
	sequence->raw_starts = NULL;
	sequence->stored_starts = allocator->alloc(allocator->context, size);
	sequence->raw_starts = allocator->alloc(allocator->context, size);
	packed_column_unpack(&raw, sequence->raw_starts + 1);
	packed_column_unpack(&stored, sequence->stored_starts + 1);
	if (!lengths_to_starts(sequence->raw_starts, nblocks) ||
		!lengths_to_starts(sequence->stored_starts, nblocks) ||
		!lengths_are_plausible(sequence) ||
		sequence->stored_starts[nblocks] != sequence->blocks_length)
		return false;
	sequence->open_blocks = allocator_array(allocator, nblocks + 1,
											sizeof(OpenBlock));
	sequence->block_bytes = allocator_array(allocator, nblocks + 1,
											sizeof(uint8_t *));
	memset(sequence->block_bytes, 0, (nblocks + 1) * sizeof(uint8_t *));
	return true;
}

static bool
open_block(StringSequence *sequence, uint32_t block, const char **reason)
{
	const Allocator *allocator = sequence->allocator;
	uint64_t	start = sequence->stored_starts[block];
	size_t		stored = (size_t) (sequence->stored_starts[block + 1] - start);
	size_t		raw = (size_t) (sequence->raw_starts[block + 1] -
								sequence->raw_starts[block]);
	OpenBlock  *opened = &sequence->open_blocks[sequence->nopen];
	const uint8_t *bytes;

	ENCODING_CHECK_INTERRUPTS();
	bytes = sequence->source->fetch(sequence->source,
									sequence->blocks_offset + start, stored);
	opened->block = block;
	opened->data = NULL;
	if (stored < raw)
	{
		opened->data = allocator->alloc(allocator->context, raw);
		if (!block_codec_decompress(sequence->codec, bytes, stored,
									opened->data, raw))
		{
			allocator_release(allocator, opened->data);
			*reason = "compressed block of strings is damaged";
			return false;
		}
		bytes = opened->data;
	}
	if (HOST_IS_BIG_ENDIAN && sequence->has_words)
	{
		if (opened->data == NULL)
		{
			opened->data = allocator->alloc(allocator->context, raw);
			memcpy(opened->data, bytes, raw);
			bytes = opened->data;
		}
		swap_words(opened->data, raw);
	}
	sequence->block_bytes[block] = bytes;
	sequence->nopen++;
	return true;
}

void
string_sequence_trim(StringSequence *sequence)
{
	uint32_t	nclosed;

	if (sequence->nopen <= BLOCKS_KEPT)
		return;
	nclosed = sequence->nopen - BLOCKS_KEPT;
	for (uint32_t i = 0; i < nclosed; i++)
	{
		allocator_release(sequence->allocator, sequence->open_blocks[i].data);
		sequence->block_bytes[sequence->open_blocks[i].block] = NULL;
	}
	memmove(sequence->open_blocks, sequence->open_blocks + nclosed,
			BLOCKS_KEPT * sizeof(OpenBlock));
	sequence->nopen = BLOCKS_KEPT;
}

/* Raw bytes in front of a vector, or of all vectors. */
static uint64_t
vector_start(const StringSequence *sequence, uint32_t vector)
{
	if (vector == sequence->lengths.directory.nvectors)
		return sequence->raw_starts[sequence->nblocks];
	return vector == 0 ? 0 : packed_column_get(&sequence->vector_starts,
											   vector);
}

/*
 * Have the index open, and the lengths of a vector's strings in vector_lengths,
 * in place of those of the selected one.
 */
static bool
load_lengths(StringSequence *sequence, uint32_t vector, IntScratch *scratch,
			 const char **reason)
{
	sequence->has_vector = false;
	if (sequence->block_bytes == NULL && !open_index(sequence, reason))
		return false;
	if (sequence->vector_lengths == NULL)
		sequence->vector_lengths = allocator_array(sequence->allocator,
												   VECTOR_LENGTH + DECODE_SLACK_VALUES,
												   sizeof(uint32_t));
	return int_stream_decode(&sequence->lengths, sequence->source, vector,
							 NULL, sequence->vector_lengths, scratch, reason);
}

/* Where a vector's bytes begin, and that it is within all of them. */
static bool
find_vector_start(const StringSequence *sequence, uint32_t vector,
				  uint64_t *start, const char **reason)
{
	*start = vector_start(sequence, vector);
	*reason = "vector of strings begins behind their bytes";
	return *start <= sequence->raw_starts[sequence->nblocks];
}

bool
string_sequence_select(StringSequence *sequence, uint32_t vector,
					   const uint64_t *nulls, IntScratch *scratch,
					   const char **reason)
{
	uint32_t	nvalues = vector_length(sequence->lengths.nvalues, vector);
	uint64_t	raw_length;
	uint64_t	offset;

	if (sequence->has_vector && sequence->vector == vector)
		return true;
	if (!load_lengths(sequence, vector, scratch, reason) ||
		!find_vector_start(sequence, vector, &offset, reason))
		return false;
	if (sequence->vector_offsets == NULL)
		sequence->vector_offsets = allocator_array(sequence->allocator,
												   VECTOR_LENGTH,
												   sizeof(uint64_t));
	raw_length = sequence->raw_starts[sequence->nblocks];
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (nulls != NULL && bitmap_get(nulls, i))
			sequence->vector_lengths[i] = 0;
		sequence->vector_offsets[i] = offset;
		offset += sequence->vector_lengths[i];
	}
	if (offset != vector_start(sequence, vector + 1) || offset > raw_length)
	{
		*reason = "lengths of strings do not match their bytes";
		return false;
	}
	sequence->vector = vector;
	sequence->has_vector = true;
	return true;
}

/* The block that holds the raw byte at offset, which is in some block. */
static uint32_t
find_block(const StringSequence *sequence, uint64_t offset)
{
	const uint64_t *starts = sequence->raw_starts;
	uint32_t	low = sequence->last_block;
	uint32_t	high = sequence->nblocks;

	if (low < high && starts[low] <= offset)
	{
		if (offset < starts[low + 1])
			return low;
		if (low + 1 < high && offset < starts[low + 2])
			return low + 1;
	}
	low = 0;
	while (high - low > 1)
	{
		uint32_t	middle = (low + high) / 2;

		if (starts[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The string of that length at a raw offset; opens its block. */
static bool
get_string(StringSequence *sequence, uint64_t offset, uint32_t length,
		   StringRef *string, const char **reason)
{
	uint32_t	block;

	string->length = length;
	string->data = (const uint8_t *) "";
	if (length == 0)
		return true;
	block = find_block(sequence, offset);
	if (offset + length > sequence->raw_starts[block + 1])
	{
		*reason = "string crosses the end of its block";
		return false;
	}
	if (sequence->block_bytes[block] == NULL &&
		!open_block(sequence, block, reason))
		return false;
	sequence->last_block = block;
	string->data = sequence->block_bytes[block] +
		(offset - sequence->raw_starts[block]);
	return true;
}

bool
string_sequence_get(StringSequence *sequence, uint32_t position,
					StringRef *string, const char **reason)
{
	ENCODING_ASSERT(sequence->has_vector && position < VECTOR_LENGTH);
	return get_string(sequence, sequence->vector_offsets[position],
					  sequence->vector_lengths[position], string, reason);
}

bool
string_sequence_fill(StringSequence *sequence, uint32_t nvalues,
					 const uint64_t *wanted, StringRef *strings,
					 const char **reason)
{
	const uint8_t *bytes = NULL;	/* of the block used last */
	uint64_t	start = 0;
	uint64_t	limit = 0;

	ENCODING_ASSERT(sequence->has_vector);
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	offset = sequence->vector_offsets[i];
		uint32_t	length = sequence->vector_lengths[i];

		if (wanted != NULL && !bitmap_get(wanted, i))
			continue;
		if (offset >= start && offset + length <= limit)
		{
			strings[i].data = bytes + (offset - start);
			strings[i].length = length;
			continue;
		}
		if (!get_string(sequence, offset, length, &strings[i], reason))
			return false;
		if (length > 0)
		{
			bytes = sequence->block_bytes[sequence->last_block];
			start = sequence->raw_starts[sequence->last_block];
			limit = sequence->raw_starts[sequence->last_block + 1];
		}
	}
	return true;
}

/*
 * Search length raw bytes at offset, which are within one block.  *position is
 * that of a string that does not begin behind them, and moves on.
 */
static void
search_bytes(const StringSequence *sequence, const uint8_t *bytes,
			 uint64_t offset, size_t length, uint32_t nvalues,
			 uint32_t *position, const StringRef *needle, uint64_t *found)
{
	const uint8_t *place = bytes;
	const uint8_t *end = bytes + length;

	while ((place = byte_search(place, (size_t) (end - place), needle->data,
								needle->length)) != NULL)
	{
		uint64_t	hit = offset + (uint64_t) (place - bytes);
		uint64_t	limit;

		/* The string in which the hit begins. */
		while (*position + 1 < nvalues &&
			   sequence->vector_offsets[*position + 1] <= hit)
			(*position)++;
		limit = sequence->vector_offsets[*position] +
			sequence->vector_lengths[*position];
		if (hit + needle->length > limit)
		{
			place++;			/* goes on in the next string */
			continue;
		}
		found[*position / 64] |= UINT64_C(1) << (*position % 64);
		place = bytes + (limit - offset);
	}
}

bool
string_sequence_search(StringSequence *sequence, uint32_t nvalues,
					   const StringRef *needle, uint64_t *found,
					   const char **reason)
{
	uint64_t	offset = sequence->vector_offsets[0];
	uint64_t	end = sequence->vector_offsets[nvalues - 1] +
		sequence->vector_lengths[nvalues - 1];
	uint32_t	position = 0;

	ENCODING_ASSERT(sequence->has_vector && nvalues > 0);
	memset(found, 0, VECTOR_LENGTH / 8);
	while (offset < end)
	{
		uint32_t	block = find_block(sequence, offset);
		uint64_t	limit = sequence->raw_starts[block + 1];

		if (sequence->block_bytes[block] == NULL &&
			!open_block(sequence, block, reason))
			return false;
		sequence->last_block = block;
		if (limit > end)
			limit = end;
		search_bytes(sequence, sequence->block_bytes[block] +
					 (offset - sequence->raw_starts[block]), offset,
					 (size_t) (limit - offset), nvalues, &position, needle,
					 found);
		offset = limit;
	}
	return true;
}

/* Bytes of the strings in front of a position of a vector. */
static uint64_t
sum_lengths(const uint32_t *lengths, const uint64_t *nulls, uint32_t position)
{
	uint64_t	sum = 0;

	if (nulls == NULL)
	{
		for (uint32_t i = 0; i < position; i++)
			sum += lengths[i];
		return sum;
	}
	for (uint32_t i = 0; i < position; i++)
		sum += bitmap_get(nulls, i) ? 0 : lengths[i];
	return sum;
}

bool
string_sequence_find(StringSequence *sequence, uint32_t vector,
					 uint32_t position, const uint64_t *nulls,
					 StringRef *string, IntScratch *scratch,
					 const char **reason)
{
	uint64_t	offset;
	uint32_t	length;

	ENCODING_ASSERT(position < vector_length(sequence->lengths.nvalues, vector));
	if (sequence->has_vector && sequence->vector == vector)
		return string_sequence_get(sequence, position, string, reason);
	if (!load_lengths(sequence, vector, scratch, reason) ||
		!find_vector_start(sequence, vector, &offset, reason))
		return false;
	offset += sum_lengths(sequence->vector_lengths, nulls, position);
	length = sequence->vector_lengths[position];
	if (offset + length > sequence->raw_starts[sequence->nblocks])
	{
		*reason = "lengths of strings do not match their bytes";
		return false;
	}
	return get_string(sequence, offset, length, string, reason);
}
