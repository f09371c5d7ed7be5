/*
 * int_stream.c
 *		Streams of integers: up to 64 vectors, each encoded for itself.
 */
#include "encoding/base.h"

#include "encoding/int_stream.h"

/* After so many vectors that a codec did not help, only each 16th is tried. */
#define CODEC_PATIENCE 2
#define CODEC_RETRY 16

/*
 * A vector is too short for higher levels of a codec: level 13 takes three
 * times as long for 1 % of the bytes.
 */
#define MAX_CODEC_LEVEL 6

void
vector_directory_write(ByteBuffer *head, uint32_t nvectors,
					   const uint64_t *encodings, const uint64_t *lengths)
{
	packed_column_write(head, encodings, nvectors);
	if (nvectors > 1)
		packed_column_write(head, lengths, nvectors);
}

bool
vector_directory_parse(ByteCursor *head, uint32_t nvectors,
					   uint64_t stream_length, VectorDirectory *directory)
{
	PackedColumn lengths;
	uint64_t	position = 0;

	ENCODING_ASSERT(nvectors > 0 && nvectors <= CHUNK_MAX_VECTORS);
	directory->nvectors = nvectors;
	if (!packed_column_parse(head, nvectors, &directory->encodings))
		return false;
	directory->starts[0] = 0;
	directory->starts[nvectors] = stream_length;
	if (nvectors == 1)
		return true;
	if (!packed_column_parse(head, nvectors, &lengths))
		return false;

	/* lengths arrive one place above, so that starts can replace them */
	packed_column_unpack(&lengths, directory->starts + 1);
	for (uint32_t vector = 1; vector <= nvectors; vector++)
	{
		if (directory->starts[vector] > stream_length - position)
			return false;
		position += directory->starts[vector];
		directory->starts[vector] = position;
	}
	return position == stream_length;
}

void
int_stream_begin(IntStreamWriter *writer, IntType type,
				 const ChunkOptions *options, IntWorkspace *work,
				 const Allocator *allocator)
{
	writer->type = type;
	writer->options.optimize = options->optimize;
	writer->options.codec = options->codec;
	writer->options.codec_level = options->codec_level;
	if (writer->options.codec_level > MAX_CODEC_LEVEL)
		writer->options.codec_level = MAX_CODEC_LEVEL;
	writer->options.bytes_per_ns = options->bytes_per_ns;
	writer->work = work;
	writer->nvectors = 0;
	writer->nblocks_declined = 0;
	bytebuffer_init(&writer->body, allocator);
}

/*
 * Trying a codec is slow: soon give up where it does not help, unless size is
 * all that counts.
 */
static bool
codec_is_worth_trying(const IntStreamWriter *writer)
{
	return writer->options.optimize == OPTIMIZE_SIZE ||
		writer->nblocks_declined < CODEC_PATIENCE ||
		writer->nvectors % CODEC_RETRY == 0;
}

void
int_stream_add(IntStreamWriter *writer, const int64_t *values,
			   uint32_t nvalues, const uint64_t *nulls)
{
	IntVector	vector = {writer->type, nvalues, values, nulls};
	IntOptions	options = writer->options;
	size_t		start = writer->body.length;
	uint8_t		encoding;

	ENCODING_ASSERT(writer->nvectors < CHUNK_MAX_VECTORS);
	ENCODING_CHECK_INTERRUPTS();
	if (!codec_is_worth_trying(writer))
		options.codec = CODEC_NONE;
	encoding = int_vector_encode(&vector, &options, writer->work,
								 &writer->body);
	if (writer->work->used_block)
		writer->nblocks_declined = 0;
	else if (options.codec != CODEC_NONE)
		writer->nblocks_declined++;
	writer->encodings[writer->nvectors] = encoding;
	writer->lengths[writer->nvectors++] = writer->body.length - start;
}

void
int_stream_end(IntStreamWriter *writer)
{
	bytebuffer_free(&writer->body);
}

bool
int_stream_parse(ByteCursor *head, IntType type, uint32_t nvalues,
				 uint64_t offset, uint64_t length, IntStream *stream)
{
	stream->type = type;
	stream->nvalues = nvalues;
	stream->offset = offset;
	return vector_directory_parse(head, vector_count(nvalues), length,
								  &stream->directory);
}

const uint8_t *
int_stream_fetch(const IntStream *stream, ChunkSource *source,
				 uint32_t vector, uint8_t *encoding, size_t *length,
				 const char **reason)
{
	const VectorDirectory *directory = &stream->directory;
	uint64_t	start = directory->starts[vector];
	uint64_t	found = packed_column_get(&directory->encodings, vector);

	ENCODING_ASSERT(vector < directory->nvectors);
	*length = (size_t) (directory->starts[vector + 1] - start);
	if (found > UINT8_MAX)
	{
		*reason = "unknown encoding of a vector";
		return NULL;
	}
	*encoding = (uint8_t) found;
	return *length == 0 ? (const uint8_t *) "" :
		source->fetch(source, stream->offset + start, *length);
}

bool
int_stream_decode(const IntStream *stream, ChunkSource *source,
				  uint32_t vector, const uint64_t *nulls, void *values,
				  IntScratch *scratch, const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *bytes = int_stream_fetch(stream, source, vector, &encoding,
											&length, reason);

	return bytes != NULL &&
		int_vector_decode(encoding, bytes, length, stream->type,
						  vector_length(stream->nvalues, vector), nulls,
						  values, scratch, reason);
}

bool
int_stream_decode_value(const IntStream *stream, ChunkSource *source,
						uint32_t vector, const uint64_t *nulls,
						uint32_t position, uint64_t *value,
						IntScratch *scratch, const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *bytes = int_stream_fetch(stream, source, vector, &encoding,
											&length, reason);

	return bytes != NULL &&
		int_vector_decode_value(encoding, bytes, length, stream->type,
								vector_length(stream->nvalues, vector), nulls,
								position, value, scratch, reason);
}

bool
int_stream_between(const IntStream *stream, ChunkSource *source,
				   uint32_t vector, const uint64_t *nulls, int64_t low,
				   int64_t high, uint64_t *matches, IntScratch *scratch,
				   const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *bytes = int_stream_fetch(stream, source, vector, &encoding,
											&length, reason);

	return bytes != NULL &&
		int_vector_between(encoding, bytes, length, stream->type,
						   vector_length(stream->nvalues, vector), nulls, low,
						   high, matches, scratch, reason);
}

bool
int_stream_gather(const IntStream *stream, ChunkSource *source,
				  uint32_t vector, const uint64_t *nulls,
				  const uint16_t *positions, uint32_t npositions,
				  uint64_t *values, IntScratch *scratch, const char **reason)
{
	uint8_t		encoding;
	size_t		length;
	const uint8_t *bytes = int_stream_fetch(stream, source, vector, &encoding,
											&length, reason);

	return bytes != NULL &&
		int_vector_gather(encoding, bytes, length, stream->type,
						  vector_length(stream->nvalues, vector), nulls,
						  positions, npositions, values, scratch, reason);
}
