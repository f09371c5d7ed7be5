/*
 * chunk_writer.c
 *		Encodes the values of one attribute of one segment into a chunk.
 *
 * Each layout's writer leaves its section of the head, its streams and the
 * ranges of its vectors in a ChunkWriter; this file adds the fixed head and
 * validity, and puts all together.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_writer.h"

#define DEFAULT_BLOCK_SIZE 16384
#define LARGE_BLOCK_SIZE 65536

/*
 * Bytes that cost as much as a nanosecond of decoding.  Where speed matters most
 * data is taken to be in memory, from where it is copied; by default to come from
 * a disk; where size does, a byte is to be paid for elsewhere.  See the README.
 */
static const ChunkOptions optimize_options[] = {
	[OPTIMIZE_SPEED] = {
		OPTIMIZE_SPEED, CODEC_LZ4, 1, DEFAULT_BLOCK_SIZE, 1.0, 1.0, 16
	},
	[OPTIMIZE_BALANCE] = {
		OPTIMIZE_BALANCE, CODEC_ZSTD, 1, DEFAULT_BLOCK_SIZE, 0.25, 0.1, 16
	},
	[OPTIMIZE_SIZE] = {
		OPTIMIZE_SIZE, CODEC_ZSTD, 9, LARGE_BLOCK_SIZE, 0.02, 0.01,
		VECTOR_LENGTH
	},
};

void
chunk_options_init(ChunkOptions *options, Optimize optimize)
{
	*options = optimize_options[optimize];
}

uint32_t
input_vector_nulls(const ChunkInput *input, uint32_t vector, uint64_t *nulls)
{
	uint32_t	nvalues = vector_length(input->nrows, vector);
	uint8_t		bytes[VECTOR_LENGTH / 8];
	uint32_t	nnulls = 0;

	memset(bytes, 0, sizeof(bytes));
	if (input->nulls != NULL)
		memcpy(bytes, input->nulls + vector * (VECTOR_LENGTH / 8),
			   (nvalues + 7) / 8);
	if (nvalues % 8 != 0)
		bytes[nvalues / 8] &= (uint8_t) ((1 << (nvalues % 8)) - 1);
	for (int word = 0; word < VALIDITY_WORDS; word++)
	{
		nulls[word] = load_le64(bytes + 8 * word);
		nnulls += (uint32_t) __builtin_popcountll(nulls[word]);
	}
	return nnulls;
}

static uint32_t
count_nulls(ChunkWriter *writer)
{
	uint64_t	nulls[VALIDITY_WORDS];
	uint32_t	nnulls = 0;

	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		writer->vector_nulls[vector] = input_vector_nulls(writer->input,
														  vector, nulls);
		nnulls += (uint32_t) writer->vector_nulls[vector];
	}
	return nnulls;
}

/* Null counts and validity: append to head and stream. */
static void
write_validity(const ChunkWriter *writer, ByteBuffer *head, ByteBuffer *stream)
{
	uint64_t	nulls[VALIDITY_WORDS];
	uint64_t	encodings[CHUNK_MAX_VECTORS];
	uint64_t	lengths[CHUNK_MAX_VECTORS];

	if (!(writer->flags & CHUNK_HAS_VALIDITY))
		return;
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		size_t		start = stream->length;
		uint32_t	nnulls = input_vector_nulls(writer->input, vector, nulls);

		encodings[vector] = validity_encode(nulls,
											vector_length(writer->input->nrows,
														  vector),
											nnulls, stream);
		lengths[vector] = stream->length - start;
	}
	if (writer->nvectors > 1)
		packed_column_write(head, writer->vector_nulls, writer->nvectors);
	vector_directory_write(head, writer->nvectors, encodings, lengths);
}

static void
write_fixed_head(const ChunkWriter *writer, ByteBuffer *output)
{
	const ChunkInput *input = writer->input;

	bytebuffer_append_uint(output, CHUNK_MAGIC, 2);
	bytebuffer_append_uint(output, CHUNK_FORMAT, 1);
	bytebuffer_append_uint(output, input->kind, 1);
	bytebuffer_append_uint(output, input->value_class, 1);
	bytebuffer_append_uint(output, writer->layout, 1);
	bytebuffer_append_uint(output, (uint64_t) writer->flags, 1);
	bytebuffer_append_uint(output, writer->block_codec, 1);
	bytebuffer_append_uint(output, input->nrows, 4);
	bytebuffer_append_uint(output, writer->summary->nnulls, 4);
	bytebuffer_append_uint(output, 0, 4);	/* head length, to come */
}

static void
append_stream(ByteBuffer *output, size_t start, const ByteBuffer *stream)
{
	bytebuffer_append_zeros(output, (8 - (output->length - start) % 8) % 8);
	bytebuffer_append(output, stream->data, stream->length);
}

void
chunk_writer_assemble(ChunkWriter *writer, ByteBuffer *output)
{
	bool		has_validity = (writer->flags & CHUNK_HAS_VALIDITY) != 0;
	size_t		start = output->length;
	uint64_t	lengths[CHUNK_MAX_STREAMS];
	int			nlengths = 0;
	ByteBuffer	validity_head;
	ByteBuffer	validity;

	ENCODING_ASSERT(writer->nstreams + has_validity ==
					layout_stream_count(writer->layout, writer->flags));
	bytebuffer_init(&validity_head, writer->allocator);
	bytebuffer_init(&validity, writer->allocator);
	write_validity(writer, &validity_head, &validity);
	if (has_validity)
		lengths[nlengths++] = validity.length;
	for (int i = 0; i < writer->nstreams; i++)
		lengths[nlengths++] = writer->streams[i]->length;

	write_fixed_head(writer, output);
	if (nlengths > 0)
		packed_column_write(output, lengths, (uint32_t) nlengths);
	bytebuffer_append(output, validity_head.data, validity_head.length);
	bytebuffer_append(output, writer->layout_head.data,
					  writer->layout_head.length);
	zone_writer_finish(&writer->zones, output, &writer->summary->range);
	bytebuffer_put_uint(output, start + CHUNK_HEAD_LENGTH_OFFSET,
						output->length - start, 4);

	if (has_validity)
		append_stream(output, start, &validity);
	for (int i = 0; i < writer->nstreams; i++)
		append_stream(output, start, writer->streams[i]);
	bytebuffer_append_zeros(output, (8 - (output->length - start) % 8) % 8);
	bytebuffer_free(&validity_head);
	bytebuffer_free(&validity);
}

static void
encode_all_null(ChunkWriter *writer, ByteBuffer *output)
{
	writer->layout = LAYOUT_ALL_NULL;
	zone_writer_init(&writer->zones, ZONE_NONE);
	chunk_writer_assemble(writer, output);
}

void
chunk_encode(const ChunkInput *input, const ChunkOptions *options,
			 ByteBuffer *output, ChunkSummary *summary)
{
	const Allocator *allocator = output->allocator;
	ChunkWriter writer;

	ENCODING_ASSERT(input->nrows > 0 && input->nrows <= CHUNK_MAX_ROWS);
	memset(summary, 0, sizeof(*summary));
	memset(&writer, 0, offsetof(ChunkWriter, zones));
	writer.input = input;
	writer.options = options;
	writer.summary = summary;
	writer.allocator = allocator;
	writer.nvectors = vector_count(input->nrows);
	writer.block_codec = CODEC_NONE;
	writer.nstreams = 0;
	bytebuffer_init(&writer.layout_head, allocator);
	writer.work = allocator->alloc(allocator->context, sizeof(IntWorkspace));
	memset(&writer.work->floats, 0, sizeof(writer.work->floats));

	summary->kind = input->kind;
	summary->value_class = input->value_class;
	summary->nnulls = count_nulls(&writer);
	if (summary->nnulls > 0 && summary->nnulls < input->nrows)
		writer.flags = CHUNK_HAS_VALIDITY;

	if (summary->nnulls == input->nrows)
		encode_all_null(&writer, output);
	else if (kind_is_fixed(input->kind))
		fixed_chunk_encode(&writer, output);
	else if (!(input->kind == VALUE_NUMERIC ?
			   numeric_chunk_encode(&writer, output) :
			   fields_chunk_encode(&writer, output)))
		string_chunk_encode(&writer, output);

	bytebuffer_free(&writer.layout_head);
	allocator_release(allocator, writer.work);
}
