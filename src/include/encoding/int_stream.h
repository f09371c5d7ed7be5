/*
 * int_stream.h
 *		Streams of integers: up to 64 vectors, each encoded for itself.
 *
 * The stream holds the vectors' bytes one behind the other; its directory, in
 * the chunk's head, gives each vector's encoding and length.  One stream's
 * vectors hold VECTOR_LENGTH values each but the last.
 */
#ifndef ENCODING_INT_STREAM_H
#define ENCODING_INT_STREAM_H

#include "encoding/chunk.h"
#include "encoding/int_vector.h"
#include "encoding/packed_column.h"

static inline uint32_t
vector_count(uint32_t nvalues)
{
	return (nvalues + VECTOR_LENGTH - 1) / VECTOR_LENGTH;
}

/* Values of a vector of a stream of nvalues. */
static inline uint32_t
vector_length(uint32_t nvalues, uint32_t vector)
{
	uint32_t	left = nvalues - vector * VECTOR_LENGTH;

	return left < VECTOR_LENGTH ? left : VECTOR_LENGTH;
}

/*
 * Per-vector encodings and lengths, as written to and read from a head.
 * Lengths are left out where there is one vector: it has the whole stream.
 */
typedef struct VectorDirectory
{
	uint32_t	nvectors;
	PackedColumn encodings;
	uint64_t	starts[CHUNK_MAX_VECTORS + 1 + DECODE_SLACK_VALUES];
} VectorDirectory;

extern void vector_directory_write(ByteBuffer *head, uint32_t nvectors,
								   const uint64_t *encodings,
								   const uint64_t *lengths);

/* Returns false unless the vectors fill stream_length exactly. */
extern bool vector_directory_parse(ByteCursor *head, uint32_t nvectors,
								   uint64_t stream_length,
								   VectorDirectory *directory);

/* An integer stream being written. */
typedef struct IntStreamWriter
{
	IntType		type;
	IntOptions	options;
	IntWorkspace *work;
	ByteBuffer	body;
	uint32_t	nvectors;
	uint32_t	nblocks_declined;	/* vectors in a row that no codec helped */
	uint64_t	encodings[CHUNK_MAX_VECTORS];
	uint64_t	lengths[CHUNK_MAX_VECTORS];
} IntStreamWriter;

extern void int_stream_begin(IntStreamWriter *writer, IntType type,
							 const ChunkOptions *options, IntWorkspace *work,
							 const Allocator *allocator);

/* Add the next vector; nulls as in IntVector. */
extern void int_stream_add(IntStreamWriter *writer, const int64_t *values,
						   uint32_t nvalues, const uint64_t *nulls);
extern void int_stream_end(IntStreamWriter *writer);

/* An integer stream of a chunk being read. */
typedef struct IntStream
{
	IntType		type;
	uint32_t	nvalues;
	uint64_t	offset;			/* in the chunk */
	VectorDirectory directory;
} IntStream;

extern bool int_stream_parse(ByteCursor *head, IntType type, uint32_t nvalues,
							 uint64_t offset, uint64_t length,
							 IntStream *stream);

/* As int_vector_decode. */
extern bool int_stream_decode(const IntStream *stream, ChunkSource *source,
							  uint32_t vector, const uint64_t *nulls,
							  void *values, IntScratch *scratch,
							  const char **reason);

/* As int_vector_decode_value. */
extern bool int_stream_decode_value(const IntStream *stream,
									ChunkSource *source, uint32_t vector,
									const uint64_t *nulls, uint32_t position,
									uint64_t *value, IntScratch *scratch,
									const char **reason);

/* A vector's bytes as they are; NULL and a reason if its encoding is none. */
extern const uint8_t *int_stream_fetch(const IntStream *stream,
									   ChunkSource *source, uint32_t vector,
									   uint8_t *encoding, size_t *length,
									   const char **reason);

/* As int_vector_between. */
extern bool int_stream_between(const IntStream *stream, ChunkSource *source,
							   uint32_t vector, const uint64_t *nulls,
							   int64_t low, int64_t high, uint64_t *matches,
							   IntScratch *scratch, const char **reason);

/* As int_vector_gather. */
extern bool int_stream_gather(const IntStream *stream, ChunkSource *source,
							  uint32_t vector, const uint64_t *nulls,
							  const uint16_t *positions, uint32_t npositions,
							  uint64_t *values, IntScratch *scratch,
							  const char **reason);

#endif							/* ENCODING_INT_STREAM_H */
