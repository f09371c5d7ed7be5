/*
 * numeric_codec.h
 *		The server's numerics as scaled 128-bit integers, and back.
 *
 * A numeric without its length word is a header of one or two 16-bit words
 * (display scale, sign, weight) and base-10,000 digits, all in the server's
 * byte order: see the comments in the server's numeric.c.  Here it becomes the
 * integer value * 10^scale; the display scale is kept apart.
 */
#ifndef ENCODING_NUMERIC_CODEC_H
#define ENCODING_NUMERIC_CODEC_H

#include "encoding/chunk_format.h"

/* Bytes that numeric_build may write. */
#define NUMERIC_BUILD_LENGTH 40

typedef struct WideInt
{
	int64_t		high;
	uint64_t	low;
} WideInt;

typedef enum NumericForm
{
	NUMERIC_FINITE = 0,
	NUMERIC_NAN,
	NUMERIC_PLUS_INFINITY,
	NUMERIC_MINUS_INFINITY
} NumericForm;

typedef struct NumericParts
{
	NumericForm form;
	bool		is_negative;
	int			display_scale;
	int			weight;			/* of the first digit, in powers of 10,000 */
	int			ndigits;
	const uint8_t *digits;
} NumericParts;

/* Returns false if the payload is no numeric. */
extern bool numeric_parse(const uint8_t *payload, size_t length,
						  NumericParts *parts);

/* Returns false if the value is no multiple of 10^-scale below 2^127. */
extern bool numeric_scale(const NumericParts *parts, int scale,
						  WideInt *value);

/*
 * Both in one step, for payloads that need no more than 64 bits and are just
 * what numeric_build gives back; nearly all are.  Returns false for all
 * others.  scale is at most NUMERIC_MAX_SCALE.
 */
extern bool numeric_scale_plain(const uint8_t *payload, size_t length,
								int scale, int64_t *value,
								int *display_scale);

/*
 * Write the payload of value / 10^scale at a display scale of at most scale;
 * returns its length.
 */
extern size_t numeric_build(WideInt value, int scale, int display_scale,
							uint8_t *payload);

/* The payload of NaN or an infinity; returns its length. */
extern size_t numeric_build_special(NumericForm form, uint8_t *payload);

/* Bounds of value / 10^scale as doubles. */
extern void numeric_bounds(WideInt value, int scale, double *lower,
						   double *upper);

#endif							/* ENCODING_NUMERIC_CODEC_H */
