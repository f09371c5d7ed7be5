/*
 * work_memory.c
 *		Memory for the encoding library, from a memory context.
 *
 * Encoding a chunk takes a few arrays of up to a megabyte, the same for each
 * column.  The C library gets such blocks from the kernel, which clears them
 * page by page when they are touched, and takes them back when they are freed:
 * a twentieth of the time of loading a wide table.
 */
#include "postgres.h"

#include "storage/work_memory.h"
#include "utils/memutils.h"

/* Blocks from this size on are kept, up to that one. */
#define KEPT_MIN_SIZE	((size_t) 16 * 1024)
#define KEPT_MAX_SIZE	((size_t) 4 * 1024 * 1024)

/* Blocks that are known, free or not. */
#define KEPT_BLOCKS		32

typedef struct KeptBlock
{
	void	   *pointer;		/* NULL: the entry is not used */
	size_t		size;
	bool		is_free;
} KeptBlock;

typedef struct WorkMemory
{
	Allocator	allocator;
	MemoryContext context;
	KeptBlock	blocks[KEPT_BLOCKS];
} WorkMemory;

/* ---- a memory context ---- */

static void *
context_alloc(void *context, size_t size)
{
	return MemoryContextAllocHuge(context, size);
}

static void *
context_realloc(void *context, void *pointer, size_t size)
{
	if (pointer == NULL)
		return MemoryContextAllocHuge(context, size);
	return repalloc_huge(pointer, size);
}

static void
context_free(void *context, void *pointer)
{
	if (pointer)
		pfree(pointer);
}

void
allocator_init(Allocator *allocator, MemoryContext context)
{
	allocator->alloc = context_alloc;
	allocator->realloc = context_realloc;
	allocator->free = context_free;
	allocator->context = context;
}

/* ---- kept blocks ---- */

/* The smallest free block that is large enough, but not much too large. */
static KeptBlock *
find_free(WorkMemory *memory, size_t size)
{
	KeptBlock  *best = NULL;

	for (int i = 0; i < KEPT_BLOCKS; i++)
	{
		KeptBlock  *block = &memory->blocks[i];

		if (block->pointer && block->is_free && block->size >= size &&
			block->size / 4 <= size && (best == NULL || block->size < best->size))
			best = block;
	}
	return best;
}

/* An entry for one more block: an unused one, or that of a free block. */
static KeptBlock *
find_entry(WorkMemory *memory)
{
	KeptBlock  *entry = NULL;

	for (int i = 0; i < KEPT_BLOCKS; i++)
	{
		KeptBlock  *block = &memory->blocks[i];

		if (block->pointer == NULL)
			return block;
		if (block->is_free)
			entry = block;
	}
	if (entry)
	{
		pfree(entry->pointer);
		entry->pointer = NULL;
	}
	return entry;
}

/* The entry of a block in use, or NULL if it has none. */
static KeptBlock *
find_used(WorkMemory *memory, void *pointer)
{
	for (int i = 0; i < KEPT_BLOCKS; i++)
	{
		if (memory->blocks[i].pointer == pointer)
			return &memory->blocks[i];
	}
	return NULL;
}

static void *
work_alloc(void *context, size_t size)
{
	WorkMemory *memory = context;
	KeptBlock  *block;
	void	   *pointer;

	if (size < KEPT_MIN_SIZE || size > KEPT_MAX_SIZE)
		return MemoryContextAllocHuge(memory->context, size);
	block = find_free(memory, size);
	if (block)
	{
		block->is_free = false;
		return block->pointer;
	}
	block = find_entry(memory);
	pointer = MemoryContextAllocHuge(memory->context, size);
	if (block)
	{
		block->pointer = pointer;
		block->size = size;
		block->is_free = false;
	}
	return pointer;
}

static void
work_free(void *context, void *pointer)
{
	KeptBlock  *block;

	if (pointer == NULL)
		return;
	block = find_used(context, pointer);
	if (block)
		block->is_free = true;
	else
		pfree(pointer);
}

static void *
work_realloc(void *context, void *pointer, size_t size)
{
	KeptBlock  *block;

	if (pointer == NULL)
		return work_alloc(context, size);
	block = find_used(context, pointer);
	if (block == NULL)
		return repalloc_huge(pointer, size);
	if (size <= block->size)
		return pointer;

	/* it leaves the table: what grows once grows again */
	block->pointer = NULL;
	return repalloc_huge(pointer, size);
}

const Allocator *
work_memory_create(MemoryContext context)
{
	WorkMemory *memory = MemoryContextAllocZero(context, sizeof(WorkMemory));

	memory->context = context;
	memory->allocator.alloc = work_alloc;
	memory->allocator.realloc = work_realloc;
	memory->allocator.free = work_free;
	memory->allocator.context = memory;
	return &memory->allocator;
}
