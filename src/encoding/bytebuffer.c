/*
 * bytebuffer.c
 *		Growable output bytes.
 *
 * Every encoder appends to one of these.  Memory comes from the buffer's
 * allocator, which never returns NULL, and grows by doubling, or, where that
 * would waste a lot, by an eighth.
 */
#include "encoding/base.h"

#include "encoding/bytebuffer.h"

#define BYTEBUFFER_INITIAL_CAPACITY 256
#define BYTEBUFFER_LARGE (UINT64_C(1) << 26)

void
bytebuffer_init(ByteBuffer *buffer, const Allocator *allocator)
{
	buffer->allocator = allocator;
	buffer->data = NULL;
	buffer->length = 0;
	buffer->capacity = 0;
}

void
bytebuffer_free(ByteBuffer *buffer)
{
	const Allocator *allocator = buffer->allocator;

	if (buffer->data != NULL)
		allocator_release(allocator, buffer->data);
	bytebuffer_init(buffer, allocator);
}

uint8_t *
bytebuffer_reserve(ByteBuffer *buffer, size_t length)
{
	const Allocator *allocator = buffer->allocator;
	size_t		needed = buffer->length + length;
	size_t		capacity = buffer->capacity;

	if (needed > capacity)
	{
		capacity = capacity == 0 ? BYTEBUFFER_INITIAL_CAPACITY : capacity;
		while (capacity < needed && capacity < BYTEBUFFER_LARGE)
			capacity *= 2;
		if (capacity < needed)
			capacity = needed + needed / 8;
		buffer->data = buffer->data == NULL ?
			allocator->alloc(allocator->context, capacity) :
			allocator->realloc(allocator->context, buffer->data, capacity);
		buffer->capacity = capacity;
	}
	return buffer->data + buffer->length;
}

void
bytebuffer_append(ByteBuffer *buffer, const void *bytes, size_t length)
{
	if (length == 0)
		return;
	memcpy(bytebuffer_reserve(buffer, length), bytes, length);
	buffer->length += length;
}

void
bytebuffer_append_zeros(ByteBuffer *buffer, size_t length)
{
	if (length == 0)
		return;
	memset(bytebuffer_reserve(buffer, length), 0, length);
	buffer->length += length;
}

void
bytebuffer_align(ByteBuffer *buffer)
{
	bytebuffer_append_zeros(buffer, (8 - buffer->length % 8) % 8);
}

void
bytebuffer_append_uint(ByteBuffer *buffer, uint64_t value, int nbytes)
{
	bytebuffer_reserve(buffer, (size_t) nbytes);
	buffer->length += (size_t) nbytes;
	bytebuffer_put_uint(buffer, buffer->length - (size_t) nbytes, value,
						nbytes);
}

void
bytebuffer_put_uint(ByteBuffer *buffer, size_t offset, uint64_t value,
					int nbytes)
{
	ENCODING_ASSERT(offset + (size_t) nbytes <= buffer->length);
	for (int i = 0; i < nbytes; i++)
		buffer->data[offset + (size_t) i] = (uint8_t) (value >> (8 * i));
}
