/*
 * work_memory.h
 *		Memory for the encoding library, from a memory context.
 */
#ifndef STORAGE_WORK_MEMORY_H
#define STORAGE_WORK_MEMORY_H

#include "encoding/base.h"
#include "utils/palloc.h"

/* An allocator that is a memory context and nothing else. */
extern void allocator_init(Allocator *allocator, MemoryContext context);

/*
 * One that keeps large blocks when they are freed and gives them out again, for
 * work that is done many times over.  All go with the context, in which it
 * lives itself.
 */
extern const Allocator *work_memory_create(MemoryContext context);

#endif							/* STORAGE_WORK_MEMORY_H */
