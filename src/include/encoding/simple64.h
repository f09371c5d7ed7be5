/*
 * simple64.h
 *		S64: small but uneven values in 64-bit words with a selector.
 *
 * Little-endian words; the selector is in the top 4 bits, values from the
 * least significant bit upwards in the other 60 (Anh and Moffat's Simple-8b,
 * with an invalid selector and runs).  Selector 0 is invalid, 1 a run (24-bit
 * count, at least 1, above a 36-bit value), 2 to 15 are 60x1, 30x2, 20x3,
 * 15x4, 12x5, 10x6, 8x7, 7x8, 6x10, 5x12, 4x15, 3x20, 2x30 and 1x60 bits.
 */
#ifndef ENCODING_SIMPLE64_H
#define ENCODING_SIMPLE64_H

#include "encoding/base.h"

/*
 * Encode nvalues values.  Returns the number of bytes written to out (room for
 * 8 * nvalues), or -1 if a value is 2^60 or more: the caller stores otherwise.
 */
extern int64_t simple64_encode(const uint64_t *values, size_t nvalues, uint8_t *out);

/*
 * Decode exactly nvalues values from exactly in_length bytes; values has room
 * for DECODE_SLACK_VALUES more.  Returns false and sets *reason if the words do
 * not hold exactly that.
 */
extern bool simple64_decode(const uint8_t *in, size_t in_length,
							uint64_t *values, size_t nvalues, const char **reason);

#endif							/* ENCODING_SIMPLE64_H */
