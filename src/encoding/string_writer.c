/*
 * string_writer.c
 *		Writes a sequence of strings: lengths, blocks, and the blocks' index.
 *
 * A block ends with the value that makes it reach the block size, so blocks
 * are a little longer than that, and a value of the block size or more gets
 * one for itself.  NULLs have length 0 for the blocks' sake but repeat the
 * length before them in the stream of lengths, so that strings of one length
 * cost nothing there.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/string_sequence.h"

/* After so many blocks that a codec did not help, only each 8th is tried. */
#define CODEC_PATIENCE 3
#define CODEC_RETRY 8

/* Blocks that string_blocks_estimate compresses. */
#define ESTIMATE_SAMPLES 4

void
swap_words(uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i + 1 < length; i += 2)
	{
		uint8_t		byte = bytes[i];

		bytes[i] = bytes[i + 1];
		bytes[i + 1] = byte;
	}
}

/* Blocks in work. */
typedef struct BlockWriter
{
	StringSequenceWriter *sequence;
	const ChunkOptions *options;
	ByteBuffer	pending;		/* raw bytes of the block to come */
	uint64_t   *raw_lengths;
	uint64_t   *stored_lengths;
	uint32_t	ndeclined;		/* blocks in a row that were stored raw */
} BlockWriter;

static void
block_write(BlockWriter *writer, const uint8_t *bytes, size_t length)
{
	StringSequenceWriter *sequence = writer->sequence;
	ByteBuffer *blocks = &sequence->blocks;
	const ChunkOptions *options = writer->options;
	size_t		stored = 0;

	ENCODING_CHECK_INTERRUPTS();
	if (options->codec != CODEC_NONE &&
		(writer->ndeclined < CODEC_PATIENCE ||
		 sequence->nblocks % CODEC_RETRY == 0))
		stored = block_codec_append(options->codec, options->codec_level,
									bytes, length, blocks);
	writer->ndeclined = stored > 0 ? 0 : writer->ndeclined + 1;
	if (stored == 0)
	{
		bytebuffer_append(blocks, bytes, length);
		stored = length;
	}
	writer->raw_lengths[sequence->nblocks] = length;
	writer->stored_lengths[sequence->nblocks++] = stored;
}

static void
block_flush(BlockWriter *writer)
{
	if (writer->pending.length == 0)
		return;
	block_write(writer, writer->pending.data, writer->pending.length);
	bytebuffer_reset(&writer->pending);
}

static void
block_add(BlockWriter *writer, StringRef string)
{
	if (string.length == 0)
		return;
	if (string.length >= writer->options->block_size)
	{
		block_flush(writer);
		block_write(writer, string.data, string.length);
		return;
	}
	bytebuffer_append(&writer->pending, string.data, string.length);
	if (writer->pending.length >= writer->options->block_size)
		block_flush(writer);
}

static void
write_blocks(StringSequenceWriter *sequence, const StringRef *strings,
			 const ChunkOptions *options, const Allocator *allocator)
{
	uint32_t	nvalues = sequence->nvalues;
	BlockWriter writer;

	writer.sequence = sequence;
	writer.options = options;
	writer.ndeclined = 0;
	writer.raw_lengths = allocator_array(allocator, nvalues, sizeof(uint64_t));
	writer.stored_lengths = allocator_array(allocator, nvalues,
											sizeof(uint64_t));
	bytebuffer_init(&writer.pending, allocator);
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (i % VECTOR_LENGTH == 0)
			sequence->starts[i / VECTOR_LENGTH] = sequence->raw_length;
		block_add(&writer, strings[i]);
		sequence->raw_length += strings[i].length;
	}
	block_flush(&writer);
	packed_column_write(&sequence->index, writer.raw_lengths,
						sequence->nblocks);
	packed_column_write(&sequence->index, writer.stored_lengths,
						sequence->nblocks);
	bytebuffer_free(&writer.pending);
	allocator_release(allocator, writer.raw_lengths);
	allocator_release(allocator, writer.stored_lengths);
}

/* Lengths of a vector with fillers for NULLs. */
static void
add_lengths(StringSequenceWriter *sequence, const StringRef *strings,
			uint32_t nvalues, const uint8_t *nulls, IntWorkspace *work)
{
	int64_t    *lengths = work->decimals;
	int64_t		last = 0;
	uint32_t	first = 0;

	while (nulls != NULL && first < nvalues &&
		   (nulls[first / 8] >> (first % 8) & 1))
		first++;
	last = first < nvalues ? strings[first].length : 0;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (nulls == NULL || !(nulls[i / 8] >> (i % 8) & 1))
			last = strings[i].length;
		lengths[i] = last;
	}
	int_stream_add(&sequence->lengths, lengths, nvalues, NULL);
}

void
string_sequence_encode(StringSequenceWriter *writer, const StringRef *strings,
					   uint32_t nvalues, const uint8_t *nulls,
					   const ChunkOptions *options, IntWorkspace *work,
					   const Allocator *allocator)
{
	IntType		type = {4, false, false};

	ENCODING_ASSERT(nvalues > 0 && nvalues <= CHUNK_MAX_ROWS);
	writer->nblocks = 0;
	writer->nvalues = nvalues;
	writer->raw_length = 0;
	bytebuffer_init(&writer->index, allocator);
	bytebuffer_init(&writer->blocks, allocator);
	int_stream_begin(&writer->lengths, type, options, work, allocator);
	for (uint32_t start = 0; start < nvalues; start += VECTOR_LENGTH)
		add_lengths(writer, strings + start,
					vector_length(nvalues, start / VECTOR_LENGTH),
					nulls == NULL ? NULL : nulls + start / 8, work);
	write_blocks(writer, strings, options, allocator);
}

void
string_sequence_write_head(const StringSequenceWriter *writer,
						   ByteBuffer *head)
{
	uint32_t	nvectors = writer->lengths.nvectors;

	bytebuffer_append_uint(head, writer->nblocks, 4);
	if (nvectors > 1)
		packed_column_write(head, writer->starts, nvectors);
	vector_directory_write(head, nvectors, writer->lengths.encodings,
						   writer->lengths.lengths);
}

void
string_sequence_end(StringSequenceWriter *writer)
{
	int_stream_end(&writer->lengths);
	bytebuffer_free(&writer->index);
	bytebuffer_free(&writer->blocks);
}

/* Gather about a block's bytes from strings first on; returns their number. */
static uint32_t
gather_sample(const StringRef *strings, uint32_t nvalues, uint32_t first,
			  size_t limit, ByteBuffer *sample)
{
	uint32_t	i = first;

	bytebuffer_reset(sample);
	for (; i < nvalues && sample->length < limit; i++)
	{
		size_t		left = limit - sample->length;

		bytebuffer_append(sample, strings[i].data,
						  strings[i].length < left ? strings[i].length : left);
	}
	return i - first;
}

double
string_blocks_estimate(const StringRef *strings, uint32_t nvalues,
					   const ChunkOptions *options, const Allocator *allocator)
{
	uint64_t	total = 0;
	uint64_t	raw = 0;
	uint64_t	stored = 0;
	ByteBuffer	sample;
	ByteBuffer	packed;

	for (uint32_t i = 0; i < nvalues; i++)
		total += strings[i].length;
	if (options->codec == CODEC_NONE || total == 0)
		return (double) total;
	bytebuffer_init(&sample, allocator);
	bytebuffer_init(&packed, allocator);
	for (uint32_t i = 0; i < ESTIMATE_SAMPLES; i++)
	{
		uint64_t	place = (uint64_t) nvalues * (2 * i + 1);
		uint32_t	first = (uint32_t) (place / (2 * ESTIMATE_SAMPLES));
		size_t		length;

		(void) gather_sample(strings, nvalues, first, options->block_size,
							 &sample);
		if (sample.length == 0)
			continue;
		bytebuffer_reset(&packed);
		length = block_codec_append(options->codec, options->codec_level,
									sample.data, sample.length, &packed);
		raw += sample.length;
		stored += length > 0 ? length : sample.length;
	}
	bytebuffer_free(&sample);
	bytebuffer_free(&packed);
	if (raw == 0)
		return (double) total;
	return (double) total * (double) stored / (double) raw;
}
