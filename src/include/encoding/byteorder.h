/*
 * byteorder.h
 *		Little-endian loads and stores at any address, for any host.
 *
 * Encoded bytes are little-endian.  The test for the host's byte order is a
 * constant, so that one plain if serves both and the other arm vanishes.
 */
#ifndef ENCODING_BYTEORDER_H
#define ENCODING_BYTEORDER_H

#include "encoding/base.h"

#define HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t
load_le16(const uint8_t *in)
{
	uint16_t	value;

	memcpy(&value, in, sizeof(value));
	return HOST_IS_BIG_ENDIAN ? __builtin_bswap16(value) : value;
}

static inline uint32_t
load_le32(const uint8_t *in)
{
	uint32_t	value;

	memcpy(&value, in, sizeof(value));
	return HOST_IS_BIG_ENDIAN ? __builtin_bswap32(value) : value;
}

static inline uint64_t
load_le64(const uint8_t *in)
{
	uint64_t	value;

	memcpy(&value, in, sizeof(value));
	return HOST_IS_BIG_ENDIAN ? __builtin_bswap64(value) : value;
}

static inline void
store_le16(uint8_t *out, uint16_t value)
{
	if (HOST_IS_BIG_ENDIAN)
		value = __builtin_bswap16(value);
	memcpy(out, &value, sizeof(value));
}

static inline void
store_le32(uint8_t *out, uint32_t value)
{
	if (HOST_IS_BIG_ENDIAN)
		value = __builtin_bswap32(value);
	memcpy(out, &value, sizeof(value));
}

static inline void
store_le64(uint8_t *out, uint64_t value)
{
	if (HOST_IS_BIG_ENDIAN)
		value = __builtin_bswap64(value);
	memcpy(out, &value, sizeof(value));
}

#endif							/* ENCODING_BYTEORDER_H */
