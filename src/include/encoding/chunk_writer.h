/*
 * chunk_writer.h
 *		State of a chunk being encoded, shared by the writers of its layouts.
 */
#ifndef ENCODING_CHUNK_WRITER_H
#define ENCODING_CHUNK_WRITER_H

#include "encoding/chunk_format.h"
#include "encoding/int_stream.h"
#include "encoding/validity.h"
#include "encoding/zone_map.h"

typedef struct ChunkWriter
{
	const ChunkInput *input;
	const ChunkOptions *options;
	ChunkSummary *summary;
	const Allocator *allocator;
	IntWorkspace *work;
	uint32_t	nvectors;
	uint64_t	vector_nulls[CHUNK_MAX_VECTORS];	/* null counts */
	ChunkLayout layout;
	int			flags;
	uint8_t		block_codec;	/* of blocks of strings, with their planes */
	ByteBuffer	layout_head;	/* the layout's section of the head */
	ZoneWriter	zones;
	const ByteBuffer *streams[CHUNK_MAX_STREAMS];	/* behind validity */
	int			nstreams;
} ChunkWriter;

static inline bool
input_is_null(const ChunkInput *input, uint32_t row)
{
	return input->nulls != NULL && (input->nulls[row / 8] >> (row % 8) & 1);
}

/* Append the head and all streams to output; what the layouts end with. */
extern void chunk_writer_assemble(ChunkWriter *writer, ByteBuffer *output);

/* NULLs of a vector as words, zero behind its rows; returns their number. */
extern uint32_t input_vector_nulls(const ChunkInput *input, uint32_t vector,
								   uint64_t *nulls);

/* The three families of layouts, each ending with chunk_writer_assemble. */
extern void fixed_chunk_encode(ChunkWriter *writer, ByteBuffer *output);
extern void string_chunk_encode(ChunkWriter *writer, ByteBuffer *output);

/* Returns false, with nothing done, if strings are better kept as strings. */
extern bool fields_chunk_encode(ChunkWriter *writer, ByteBuffer *output);

/* Returns false, with nothing done, if some numeric is no scaled integer. */
extern bool numeric_chunk_encode(ChunkWriter *writer, ByteBuffer *output);

/*
 * Widen values of a vector to 64 bits.  NULL positions take the value before
 * them, leading ones the first value, and all of them *carry if there is no
 * value; *carry becomes the last value.
 */
extern void fixed_vector_load(ValueKind kind, bool is_signed,
							  const void *values, uint32_t start,
							  uint32_t nvalues, const uint64_t *nulls,
							  uint32_t nnulls, int64_t *out, int64_t *carry);

/* The same for what has been widened. */
extern void fill_nulls(int64_t *values, uint32_t nvalues,
					   const uint64_t *nulls, uint32_t nnulls, int64_t carry);

/* 128-bit sum of values that are not NULL, added to *high and *low. */
extern void sum_add_vector(const int64_t *values, uint32_t nvalues,
						   const uint64_t *nulls, bool is_signed,
						   int64_t *high, uint64_t *low);

#endif							/* ENCODING_CHUNK_WRITER_H */
