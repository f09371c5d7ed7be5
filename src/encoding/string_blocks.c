/*
 * string_blocks.c
 *		Opens blocks of a sequence of strings, and finds bytes in them.
 *
 * Open blocks stay open until string_blocks_trim, because strings point into
 * them; a block that is stored raw is used where it lies in the source.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/string_sequence.h"

/* Blocks that survive a trim: neighbouring vectors often share one. */
#define BLOCKS_KEPT 2

/*
 * What a codec can make of a byte at most: zstd may give 128 kB for four, LZ4
 * 255 for one.  More is damage, and not to be allocated.
 */
#define MAX_EXPANSION 32768

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

bool
string_blocks_open_index(StringSequence *sequence, const char **reason)
{
	const Allocator *allocator = sequence->allocator;
	uint32_t	nblocks = sequence->nblocks;
	size_t		size = (nblocks + 1 + DECODE_SLACK_VALUES) * sizeof(uint64_t);
	PackedColumn raw;
	PackedColumn stored;
	ByteCursor	cursor;

	if (sequence->block_bytes != NULL)
		return true;
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

/* The raw bytes of a compressed block; NULL if it is damaged. */
static uint8_t *
decompress(const StringSequence *sequence, const uint8_t *bytes, size_t stored,
		   size_t raw)
{
	const Allocator *allocator = sequence->allocator;
	uint8_t    *data = allocator->alloc(allocator->context, raw);
	uint8_t    *planes;

	if (!block_codec_decompress(sequence->form.codec, bytes, stored, data, raw))
	{
		allocator_release(allocator, data);
		return NULL;
	}
	if (sequence->form.plane_shift == 0)
		return data;
	planes = data;
	data = allocator->alloc(allocator->context, raw);
	byte_planes_join(planes, raw, sequence->form.plane_shift, data);
	allocator_release(allocator, planes);
	return data;
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
		opened->data = decompress(sequence, bytes, stored, raw);
		if (opened->data == NULL)
		{
			*reason = "compressed block of strings is damaged";
			return false;
		}
		bytes = opened->data;
	}
	if (HOST_IS_BIG_ENDIAN && sequence->form.has_words)
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

bool
string_blocks_open(StringSequence *sequence, uint64_t offset,
				   const char **reason)
{
	uint32_t	block = find_block(sequence, offset);

	if (sequence->block_bytes[block] == NULL &&
		!open_block(sequence, block, reason))
		return false;
	sequence->last_block = block;
	return true;
}

void
string_blocks_close(StringSequence *sequence)
{
	const Allocator *allocator = sequence->allocator;

	for (uint32_t i = 0; i < sequence->nopen; i++)
		allocator_release(allocator, sequence->open_blocks[i].data);
	allocator_release(allocator, sequence->raw_starts);
	allocator_release(allocator, sequence->stored_starts);
	allocator_release(allocator, sequence->block_bytes);
	allocator_release(allocator, sequence->open_blocks);
}
