/*
 * byte_search.h
 *		Where a string of bytes occurs in a longer one.
 */
#ifndef ENCODING_BYTE_SEARCH_H
#define ENCODING_BYTE_SEARCH_H

#include "encoding/base.h"

/*
 * The first occurrence of needle, which is not empty, in length bytes; NULL if
 * there is none.
 */
extern const uint8_t *byte_search(const uint8_t *bytes, size_t length,
								  const uint8_t *needle, size_t needle_length);

#endif							/* ENCODING_BYTE_SEARCH_H */
