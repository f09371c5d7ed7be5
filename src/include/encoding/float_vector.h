/*
 * float_vector.h
 *		Encodings of vectors of floats, given as their bit patterns.
 *
 * Floats go through the encodings of integers as their patterns do; these are
 * the two more that know what a float is.
 */
#ifndef ENCODING_FLOAT_VECTOR_H
#define ENCODING_FLOAT_VECTOR_H

#include "encoding/int_vector.h"
#include "encoding/zone_map.h"

/* One exception in so many is the limit. */
#define FLOAT_MAX_EXCEPTION_FRACTION 8
#define FLOAT_MAX_EXCEPTIONS (VECTOR_LENGTH / FLOAT_MAX_EXCEPTION_FRACTION)

/* The float that a pattern of 4 or 8 bytes stands for. */
static inline double
float_of_size(int64_t pattern, int size)
{
	return size == 4 ? float_of_pattern((uint32_t) pattern) :
		double_of_pattern((uint64_t) pattern);
}

/*
 * Append the vector in the encoding that costs least; returns it.  The vector
 * is of floats, without NULLs or with fillers for them.
 */
extern uint8_t float_vector_encode(const IntVector *vector,
								   const IntOptions *options,
								   IntWorkspace *work, ByteBuffer *body);

/*
 * Append the vector as integers with a common divisor (INT_DECIMAL); returns
 * false, appending nothing, if it is not made of such.
 */
extern bool float_decimal_encode(const IntVector *vector,
								 const IntOptions *options, IntWorkspace *work,
								 ByteBuffer *body);
extern bool float_decimal_decode(const uint8_t *in, size_t length,
								 IntType type, uint32_t nvalues, void *values,
								 IntScratch *scratch, const char **reason);

/*
 * Append the vector as patterns cut in two (INT_SPLIT) if that takes at most
 * limit bytes; returns false, appending nothing, otherwise.
 */
extern bool float_split_encode(const IntVector *vector, IntWorkspace *work,
							   size_t limit, ByteBuffer *body);
extern bool float_split_decode(const uint8_t *in, size_t length, IntType type,
							   uint32_t nvalues, void *values,
							   IntScratch *scratch, const char **reason);

/* As int_vector_decode_value, of either encoding. */
extern bool float_decimal_decode_value(const uint8_t *in, size_t length,
									   IntType type, uint32_t nvalues,
									   uint32_t position, uint64_t *value,
									   IntScratch *scratch,
									   const char **reason);
extern bool float_split_decode_value(const uint8_t *in, size_t length,
									 IntType type, uint32_t nvalues,
									 uint32_t position, uint64_t *value,
									 IntScratch *scratch,
									 const char **reason);

#endif							/* ENCODING_FLOAT_VECTOR_H */
