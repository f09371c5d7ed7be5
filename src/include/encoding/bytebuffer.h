/*
 * bytebuffer.h
 *		Memory, growable output bytes, and bounded reading of encoded bytes.
 *
 * Integers are little-endian on every host.  A ByteCursor never moves past its
 * end: a read that would do so marks it as failed and gives zero, so that a
 * parser may check once, after a group of fields, before it uses them.
 */
#ifndef ENCODING_BYTEBUFFER_H
#define ENCODING_BYTEBUFFER_H

#include "encoding/base.h"

/* Room for count things of a size. */
static inline void *
allocator_array(const Allocator *allocator, size_t count, size_t size)
{
	return allocator->alloc(allocator->context, count * size);
}

/* Free what is not NULL. */
static inline void
allocator_release(const Allocator *allocator, void *pointer)
{
	if (pointer != NULL)
		allocator->free(allocator->context, pointer);
}

extern void bytebuffer_init(ByteBuffer *buffer, const Allocator *allocator);
extern void bytebuffer_free(ByteBuffer *buffer);

/* Forget the contents, keep the memory. */
static inline void
bytebuffer_reset(ByteBuffer *buffer)
{
	buffer->length = 0;
}

/* Make room for length more bytes and return where they go. */
extern uint8_t *bytebuffer_reserve(ByteBuffer *buffer, size_t length);
extern void bytebuffer_append(ByteBuffer *buffer, const void *bytes,
							  size_t length);
extern void bytebuffer_append_zeros(ByteBuffer *buffer, size_t length);

/* Append zeros until the length is a multiple of eight. */
extern void bytebuffer_align(ByteBuffer *buffer);

/* Append the low nbytes bytes of value. */
extern void bytebuffer_append_uint(ByteBuffer *buffer, uint64_t value,
								   int nbytes);

/* Overwrite nbytes bytes at offset. */
extern void bytebuffer_put_uint(ByteBuffer *buffer, size_t offset,
								uint64_t value, int nbytes);

/* Bytes that value needs: 0 for 0, at most 8. */
static inline int
uint_length(uint64_t value)
{
	return value == 0 ? 0 : (71 - __builtin_clzll(value)) / 8;
}

/* The same in two's complement: the top bit of the last byte is the sign. */
static inline int
int_length(int64_t value)
{
	uint64_t	folded = (uint64_t) value ^ (uint64_t) (value >> 63);

	return value == 0 ? 0 : (folded == 0 ? 1 : (72 - __builtin_clzll(folded)) / 8);
}

static inline uint64_t
load_uint(const uint8_t *bytes, int nbytes)
{
	uint64_t	value = 0;

	for (int i = 0; i < nbytes; i++)
		value |= (uint64_t) bytes[i] << (8 * i);
	return value;
}

static inline int64_t
load_int(const uint8_t *bytes, int nbytes)
{
	int			shift = 64 - 8 * nbytes;

	if (nbytes == 0)
		return 0;
	return (int64_t) (load_uint(bytes, nbytes) << shift) >> shift;
}

/* Where a parser of encoded bytes is. */
typedef struct ByteCursor
{
	const uint8_t *next;
	const uint8_t *end;
	bool		failed;			/* something was asked for behind the end */
} ByteCursor;

static inline void
cursor_init(ByteCursor *cursor, const uint8_t *bytes, size_t length)
{
	cursor->next = bytes;
	cursor->end = bytes + length;
	cursor->failed = false;
}

static inline size_t
cursor_left(const ByteCursor *cursor)
{
	return (size_t) (cursor->end - cursor->next);
}

/* The next length bytes, or NULL. */
static inline const uint8_t *
cursor_bytes(ByteCursor *cursor, size_t length)
{
	const uint8_t *bytes = cursor->next;

	if (length > cursor_left(cursor))
	{
		cursor->failed = true;
		return NULL;
	}
	cursor->next += length;
	return bytes;
}

static inline uint64_t
cursor_uint(ByteCursor *cursor, int nbytes)
{
	const uint8_t *bytes;

	if (nbytes > 8)
	{
		cursor->failed = true;
		return 0;
	}
	bytes = cursor_bytes(cursor, (size_t) nbytes);
	return bytes == NULL ? 0 : load_uint(bytes, nbytes);
}

static inline int64_t
cursor_int(ByteCursor *cursor, int nbytes)
{
	const uint8_t *bytes;

	if (nbytes > 8)
	{
		cursor->failed = true;
		return 0;
	}
	bytes = cursor_bytes(cursor, (size_t) nbytes);
	return bytes == NULL ? 0 : load_int(bytes, nbytes);
}

#endif							/* ENCODING_BYTEBUFFER_H */
