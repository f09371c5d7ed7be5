/*
 * chunk_case.h
 *		Inputs of the chunk encoder, and the round trip that all of them take.
 */
#ifndef CHUNK_CASE_H
#define CHUNK_CASE_H

#include "encoding/chunk.h"

/* Rows of one attribute, being built. */
typedef struct ChunkCase
{
	ValueKind	kind;
	ValueClass	value_class;
	uint32_t	nrows;
	uint8_t    *nulls;			/* of CHUNK_MAX_ROWS bits */
	bool		has_nulls;
	uint8_t    *values;			/* fixed width: CHUNK_MAX_ROWS of 8 bytes */
	uint64_t   *offsets;
	uint8_t    *bytes;
	size_t		capacity;		/* of bytes */
	ValueShape	shape;			/* of bytes; undivided at first */
	ChunkOptions options;
} ChunkCase;

extern void chunk_case_init(ChunkCase *input, ValueKind kind,
							ValueClass value_class);
extern void chunk_case_free(ChunkCase *input);

/* Forget all rows. */
extern void chunk_case_clear(ChunkCase *input);

/* Append a row; integers are cut to the kind's width. */
extern void chunk_case_add_int(ChunkCase *input, int64_t value);
extern void chunk_case_add_float(ChunkCase *input, double value);
extern void chunk_case_add_bytes(ChunkCase *input, const void *bytes,
								 size_t length);
extern void chunk_case_add_text(ChunkCase *input, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/* Append the server's numeric that the text means; NaN and infinities, too. */
extern void chunk_case_add_numeric(ChunkCase *input, const char *text);
extern void chunk_case_add_null(ChunkCase *input);

/* Make row a NULL after all. */
extern void chunk_case_set_null(ChunkCase *input, uint32_t row);

extern void chunk_case_encode(const ChunkCase *input, ByteBuffer *output,
							  ChunkSummary *summary);

/*
 * Encode, decode in every way the interface has, and compare; name is printed
 * where something differs.  Returns the length of the chunk.  encoding, if not
 * NULL, is what the first vector must have been encoded by.
 */
extern size_t chunk_case_check(const ChunkCase *input, const char *name,
							   const char *encoding);

#endif							/* CHUNK_CASE_H */
