/*
 * raw.h
 *		Values as they are: little-endian integers of 1, 2, 4, 8 or 16 bytes.
 *
 * On little-endian hosts both directions are one memcpy, whatever the count.
 * Neither side need be aligned.
 */
#ifndef ENCODING_RAW_H
#define ENCODING_RAW_H

#include "encoding/base.h"

/* Write nvalues * width bytes to out. */
extern void raw_encode(const void *values, size_t nvalues, int width, uint8_t *out);

/*
 * Read nvalues values in host order from exactly in_length bytes.  Returns
 * false, and writes nothing, if in_length is not nvalues * width or the width
 * is none of the five.
 */
extern bool raw_decode(const uint8_t *in, size_t in_length, size_t nvalues,
					   int width, void *values);

#endif							/* ENCODING_RAW_H */
