/*
 * base.h
 *		What every file of the encoding library includes first.
 *
 * The library knows no server: no relation, buffer, memory context or
 * ereport.  It is built into the extension and also alone, for unit tests,
 * fuzzing and foreign byte orders.  Memory comes from an Allocator that the
 * caller hands in, interrupts are checked through encoding_check_interrupts,
 * and errors are return values with a constant English reason.
 */
#ifndef ENCODING_BASE_H
#define ENCODING_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Values of one vector, the unit of decoding. */
#define VECTOR_LENGTH 1024

/* Rows of one chunk at most, and so vectors. */
#define CHUNK_MAX_ROWS 65536
#define CHUNK_MAX_VECTORS (CHUNK_MAX_ROWS / VECTOR_LENGTH)

/*
 * Bytes behind the end of an output or work buffer, and spare output values,
 * that kernels may overwrite.  Nothing behind the end of *encoded input* is
 * ever read unless the caller says that it owns the slack.
 */
#define DECODE_SLACK_BYTES 64
#define DECODE_SLACK_VALUES 64

/* Memory for encoders and decoders; alloc and realloc never return NULL. */
typedef struct Allocator
{
	void	   *(*alloc) (void *context, size_t size);
	void	   *(*realloc) (void *context, void *pointer, size_t size);
	void		(*free) (void *context, void *pointer);
	void	   *context;
} Allocator;

/* What an encoder shall weigh more: the time of decoding, or bytes. */
typedef enum Optimize
{
	OPTIMIZE_SPEED,
	OPTIMIZE_BALANCE,
	OPTIMIZE_SIZE
} Optimize;

/*
 * Called between vectors by every loop that may run long.  The extension sets
 * it to CHECK_FOR_INTERRUPTS, which may not return; it is NULL elsewhere.
 */
extern void (*encoding_check_interrupts) (void);

#define ENCODING_CHECK_INTERRUPTS() \
	do { \
		if (encoding_check_interrupts) \
			encoding_check_interrupts(); \
	} while (0)

/*
 * The server's builds with assertions, and the tests, define
 * ENCODING_ASSERTIONS.
 */
#ifdef ENCODING_ASSERTIONS
#include <assert.h>
#define ENCODING_ASSERT(condition) assert(condition)
#else
#define ENCODING_ASSERT(condition) ((void) 0)
#endif

/* A growable string of bytes. */
typedef struct ByteBuffer
{
	const Allocator *allocator;
	uint8_t    *data;
	size_t		length;
	size_t		capacity;
} ByteBuffer;

#endif							/* ENCODING_BASE_H */
