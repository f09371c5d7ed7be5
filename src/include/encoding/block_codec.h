/*
 * block_codec.h
 *		LZ4 and zstd for blocks of bytes, and for vectors of fixed width.
 *
 * A frame's own idea of its size is never believed: the caller knows how many
 * bytes a block must give, and anything else is damage.
 */
#ifndef ENCODING_BLOCK_CODEC_H
#define ENCODING_BLOCK_CODEC_H

#include "encoding/chunk.h"
#include "encoding/int_vector.h"

/* Largest block: a value of 1 GB, the server's limit. */
#define BLOCK_MAX_LENGTH (UINT64_C(1) << 30)

/* Room that compression of length bytes may need. */
extern size_t block_codec_bound(BlockCodec codec, size_t length);

/*
 * Compress length bytes to out, which has room for block_codec_bound.  Returns
 * the compressed length, or 0 if that does not save a tenth.
 */
extern size_t block_codec_compress(BlockCodec codec, int level,
								   const uint8_t *in, size_t length,
								   uint8_t *out);

/* The same, appending to a buffer. */
extern size_t block_codec_append(BlockCodec codec, int level,
								 const uint8_t *in, size_t length,
								 ByteBuffer *out);

/* Returns false unless in gives exactly out_length bytes. */
extern bool block_codec_decompress(BlockCodec codec, const uint8_t *in,
								   size_t in_length, uint8_t *out,
								   size_t out_length);

/*
 * Bytes sorted by their place in words of 2^shift bytes, shift being 1 or 2;
 * what is left of the last word comes behind.
 */
extern void byte_planes_split(const uint8_t *in, size_t length, int shift,
							  uint8_t *out);
extern void byte_planes_join(const uint8_t *in, size_t length, int shift,
							 uint8_t *out);

/*
 * A vector's bytes, least significant of all values first, through the codec.
 * Returns the length written to out (room for 16 bytes per value), or 0 if
 * that is not enough below light, what other encodings need.
 */
extern size_t int_block_encode(const IntVector *vector,
							   const IntOptions *options, size_t light,
							   uint8_t *out);
extern bool int_block_decode_value(const uint8_t *in, size_t length,
								   IntType type, uint32_t nvalues,
								   uint32_t position, uint64_t *value,
								   IntScratch *scratch, const char **reason);
extern bool int_block_decode(const uint8_t *in, size_t length, IntType type,
							 uint32_t nvalues, void *values,
							 IntScratch *scratch, const char **reason);

#endif							/* ENCODING_BLOCK_CODEC_H */
