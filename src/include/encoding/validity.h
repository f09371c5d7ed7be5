/*
 * validity.h
 *		Which positions of a vector are NULL, as bitmap or as runs.
 */
#ifndef ENCODING_VALIDITY_H
#define ENCODING_VALIDITY_H

#include "encoding/bytebuffer.h"

/* On disk: numbers must not change. */
typedef enum ValidityEncoding
{
	VALIDITY_NONE_NULL = 0,
	VALIDITY_ALL_NULL = 1,
	VALIDITY_BITMAP = 2,		/* a bit per position, set for NULL */
	VALIDITY_RUNS = 3			/* lengths of valid and NULL runs in turn */
} ValidityEncoding;

#define VALIDITY_WORDS (VECTOR_LENGTH / 64)

/* Append a vector's validity; bits behind npositions are zero. */
extern ValidityEncoding validity_encode(const uint64_t *nulls,
										uint32_t npositions, uint32_t nnulls,
										ByteBuffer *body);

/*
 * Fill nulls, VECTOR_LENGTH bits.  Returns false and sets *reason unless in
 * holds npositions bits of which nnulls are set.
 */
extern bool validity_decode(uint64_t encoding, const uint8_t *in,
							size_t length, uint32_t npositions,
							uint32_t nnulls, uint64_t *nulls,
							const char **reason);

#endif							/* ENCODING_VALIDITY_H */
