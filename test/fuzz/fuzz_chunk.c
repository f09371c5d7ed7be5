/*
 * fuzz_chunk.c
 *		Reading of arbitrary bytes as a chunk of any kind.
 *
 *	offset	size	input
 *	0		1		what the caller expects: kind
 *	1		2		rows less one
 *	3				the chunk
 *
 * The chunk's own magic, format, kind, rows and head length are overwritten
 * with what is expected in every second input, so that fuzzing gets past them.
 */
#include "../unit/chunk_walk.h"
#include "encoding/byteorder.h"
#include "encoding/chunk_format.h"
#include "fuzz.h"

/* A block of strings is never larger, nor is anything else. */
#define BLOCK_LIMIT ((UINT64_C(1) << 30) + 4096)

static size_t allocated;

/* An allocator that refuses to be led to absurd sizes. */
static void *
bounded_alloc(void *context, size_t size)
{
	uint64_t   *block;

	FUZZ_CHECK(size <= BLOCK_LIMIT);
	block = malloc(size + sizeof(uint64_t));
	block[0] = size;
	allocated += size;
	return block + 1;
}

static void
bounded_free(void *context, void *pointer)
{
	uint64_t   *block = (uint64_t *) pointer - 1;

	allocated -= block[0];
	free(block);
}

static void *
bounded_realloc(void *context, void *pointer, size_t size)
{
	uint64_t   *block = (uint64_t *) pointer - 1;

	FUZZ_CHECK(size <= BLOCK_LIMIT);
	allocated += size - block[0];
	block = realloc(block, size + sizeof(uint64_t));
	block[0] = size;
	return block + 1;
}

static const Allocator bounded_allocator = {
	bounded_alloc, bounded_realloc, bounded_free, NULL
};

static WalkSpace space;

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *reason = NULL;
	uint8_t		head[3];
	ValueKind	kind;
	uint32_t	nrows;
	uint8_t    *chunk;

	fuzz_take(&data, &size, head, sizeof(head));
	kind = (ValueKind) (head[0] % 8 + 1);
	nrows = load_le16(head + 1) + UINT32_C(1);
	chunk = fuzz_copy(data, size);
	if (head[0] & 128 && size >= CHUNK_FIXED_LENGTH)
	{
		store_le16(chunk, CHUNK_MAGIC);
		chunk[2] = CHUNK_FORMAT;
		chunk[3] = (uint8_t) kind;
		store_le32(chunk + 8, nrows);
	}
	if (!chunk_walk(chunk, size, kind, nrows, &bounded_allocator, &space,
					&reason))
		FUZZ_CHECK(reason != NULL);
	FUZZ_CHECK(allocated == 0);
	free(chunk);
	return 0;
}
