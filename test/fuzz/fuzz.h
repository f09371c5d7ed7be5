/*
 * fuzz.h
 *		What the fuzz targets share.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/base.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold; abort() is how libFuzzer learns that it does not. */
#define FUZZ_CHECK(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* Take the next size bytes of the input; zeros where it has ended. */
static inline void
fuzz_take(const uint8_t **data, size_t *left, void *out, size_t size)
{
	size_t		have = size < *left ? size : *left;

	memset(out, 0, size);
	memcpy(out, *data, have);
	*data += have;
	*left -= have;
}

/*
 * The rest of the input in memory of its own, so that the sanitizer sees a
 * byte read behind it.
 */
static inline uint8_t *
fuzz_copy(const uint8_t *data, size_t size)
{
	uint8_t    *copy = malloc(size > 0 ? size : 1);

	memcpy(copy, data, size);
	return copy;
}

#endif							/* FUZZ_H */
