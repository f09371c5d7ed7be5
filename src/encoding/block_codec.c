/*
 * block_codec.c
 *		LZ4 and zstd for blocks of bytes.
 *
 * zstd's contexts are made once per process and kept: making one costs more
 * than compressing a block of the usual 16 kB.  With ENCODING_NO_CODECS the
 * library is built without both, writes no compressed block and refuses to
 * read one.
 */
#include "encoding/base.h"

#ifndef ENCODING_NO_CODECS
#include <lz4.h>
#include <zstd.h>
#endif

#include "encoding/block_codec.h"

#ifdef ENCODING_NO_CODECS

size_t
block_codec_bound(BlockCodec codec, size_t length)
{
	return length;
}

size_t
block_codec_compress(BlockCodec codec, int level, const uint8_t *in,
					 size_t length, uint8_t *out)
{
	return 0;
}

bool
block_codec_decompress(BlockCodec codec, const uint8_t *in, size_t in_length,
					   uint8_t *out, size_t out_length)
{
	return false;
}

#else							/* !ENCODING_NO_CODECS */

static ZSTD_CCtx *compress_context = NULL;
static ZSTD_DCtx *decompress_context = NULL;

size_t
block_codec_bound(BlockCodec codec, size_t length)
{
	switch (codec)
	{
		case CODEC_LZ4:
			return (size_t) LZ4_compressBound((int) length);
		case CODEC_ZSTD:
			return ZSTD_compressBound(length);
		default:
			return length;
	}
}

static size_t
compress_lz4(const uint8_t *in, size_t length, uint8_t *out, size_t room)
{
	int			result = LZ4_compress_default((const char *) in, (char *) out,
											  (int) length, (int) room);

	return result > 0 ? (size_t) result : 0;
}

static size_t
compress_zstd(int level, const uint8_t *in, size_t length, uint8_t *out,
			  size_t room)
{
	size_t		result;

	if (compress_context == NULL)
		compress_context = ZSTD_createCCtx();
	if (compress_context == NULL)
		return 0;				/* out of memory: stored as it is */
	result = ZSTD_compressCCtx(compress_context, out, room, in, length, level);
	return ZSTD_isError(result) ? 0 : result;
}

size_t
block_codec_compress(BlockCodec codec, int level, const uint8_t *in,
					 size_t length, uint8_t *out)
{
	size_t		room = block_codec_bound(codec, length);
	size_t		result = 0;

	if (length == 0 || length > BLOCK_MAX_LENGTH)
		return 0;
	if (codec == CODEC_LZ4)
		result = compress_lz4(in, length, out, room);
	else if (codec == CODEC_ZSTD)
		result = compress_zstd(level, in, length, out, room);
	return result <= length - length / 10 ? result : 0;
}

bool
block_codec_decompress(BlockCodec codec, const uint8_t *in, size_t in_length,
					   uint8_t *out, size_t out_length)
{
	if (in_length > BLOCK_MAX_LENGTH || out_length > BLOCK_MAX_LENGTH)
		return false;
	if (codec == CODEC_LZ4)
		return LZ4_decompress_safe((const char *) in, (char *) out,
								   (int) in_length, (int) out_length) == (int) out_length;
	if (codec != CODEC_ZSTD)
		return false;
	if (decompress_context == NULL)
		decompress_context = ZSTD_createDCtx();
	if (decompress_context == NULL)
		return false;
	return ZSTD_decompressDCtx(decompress_context, out, out_length,
							   in, in_length) == out_length;
}

#endif							/* ENCODING_NO_CODECS */

size_t
block_codec_append(BlockCodec codec, int level, const uint8_t *in,
				   size_t length, ByteBuffer *out)
{
	uint8_t    *room = bytebuffer_reserve(out,
										  block_codec_bound(codec, length));
	size_t		result = block_codec_compress(codec, level, in, length, room);

	out->length += result;
	return result;
}
