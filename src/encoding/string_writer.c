/*
 * string_writer.c
 *		Writes a sequence of strings: lengths, blocks, and the blocks' index.
 *
 * A block ends with the value that makes it reach the block size, so blocks
 * are a little longer than that, and a value of the block size or more gets
 * one for itself.  NULLs have length 0 for the blocks' sake but repeat the
 * length before them in the stream of lengths, so that strings of one length
 * cost nothing there; likewise among prefixes.
 *
 * Prefixes end where a vector or a block does, and at every few strings.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/string_sequence.h"

/* After so many blocks that a codec did not help, only each 8th is tried. */
#define CODEC_PATIENCE 3
#define CODEC_RETRY 8

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
	StringForm	form;
	const ChunkOptions *options;
	ByteBuffer	pending;		/* raw bytes of the block to come */
	ByteBuffer	planes;
	uint64_t   *raw_lengths;
	uint64_t   *stored_lengths;
	uint32_t	ndeclined;		/* blocks in a row that were stored raw */
} BlockWriter;

/* Append a block compressed; returns its length, or 0 if that is no use. */
static size_t
compress(BlockWriter *writer, const uint8_t *bytes, size_t length)
{
	if (writer->form.plane_shift > 0)
	{
		bytebuffer_reset(&writer->planes);
		byte_planes_split(bytes, length, writer->form.plane_shift,
						  bytebuffer_reserve(&writer->planes, length));
		bytes = writer->planes.data;
	}
	return block_codec_append(writer->form.codec, writer->options->codec_level,
							  bytes, length, &writer->sequence->blocks);
}

static void
block_write(BlockWriter *writer, const uint8_t *bytes, size_t length)
{
	StringSequenceWriter *sequence = writer->sequence;
	ByteBuffer *blocks = &sequence->blocks;
	size_t		stored = 0;

	ENCODING_CHECK_INTERRUPTS();
	if (writer->form.codec != CODEC_NONE &&
		(writer->ndeclined < CODEC_PATIENCE ||
		 sequence->nblocks % CODEC_RETRY == 0))
		stored = compress(writer, bytes, length);
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
block_add(BlockWriter *writer, const uint8_t *bytes, uint32_t length)
{
	if (length == 0)
		return;
	if (length >= writer->options->block_size)
	{
		block_flush(writer);
		block_write(writer, bytes, length);
		return;
	}
	bytebuffer_append(&writer->pending, bytes, length);
	if (writer->pending.length >= writer->options->block_size)
		block_flush(writer);
}

uint32_t
string_common_prefix(StringRef left, StringRef right)
{
	uint32_t	limit = left.length < right.length ? left.length : right.length;
	uint32_t	length = 0;

	if (limit > MAX_PREFIX)
		limit = MAX_PREFIX;
	for (; length + 8 <= limit; length += 8)
	{
		uint64_t	differing = load_le64(left.data + length) ^
			load_le64(right.data + length);

		if (differing != 0)
			return length + (uint32_t) __builtin_ctzll(differing) / 8;
	}
	while (length < limit && left.data[length] == right.data[length])
		length++;
	return length;
}

/*
 * Add a vector's strings to blocks, and set prefixes, unless it is NULL, to what
 * each shares with the one before it.
 */
static void
add_strings(BlockWriter *writer, const StringRef *strings, uint32_t nvalues,
			uint32_t interval, int64_t *prefixes)
{
	uint32_t	nsince = 0;		/* strings since one without prefix */

	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	prefix = 0;

		if (prefixes != NULL)
		{
			if (writer->pending.length > 0 && nsince > 0 && nsince < interval)
				prefix = string_common_prefix(strings[i - 1], strings[i]);
			nsince = prefix == 0 ? 1 : nsince + 1;
			prefixes[i] = prefix;
		}
		block_add(writer, strings[i].data + prefix,
				  strings[i].length - prefix);
		writer->sequence->raw_length += strings[i].length - prefix;
	}
}

static inline bool
is_null(const uint8_t *nulls, uint32_t i)
{
	return nulls != NULL && (nulls[i / 8] >> (i % 8) & 1);
}

/*
 * Have NULLs repeat the value before them, the first ones the first value, and
 * add the vector to a stream.
 */
static void
add_numbers(IntStreamWriter *stream, int64_t *values, uint32_t nvalues,
			const uint8_t *nulls)
{
	uint32_t	first = 0;
	int64_t		last;

	while (first < nvalues && is_null(nulls, first))
		first++;
	last = first < nvalues ? values[first] : 0;
	for (uint32_t i = 0; nulls != NULL && i < nvalues; i++)
	{
		if (is_null(nulls, i))
			values[i] = last;
		last = values[i];
	}
	int_stream_add(stream, values, nvalues, NULL);
}

static void
encode_vector(BlockWriter *writer, const StringRef *strings, uint32_t nvalues,
			  const uint8_t *nulls, IntWorkspace *work)
{
	StringSequenceWriter *sequence = writer->sequence;
	int64_t    *numbers = work->decimals;

	for (uint32_t i = 0; i < nvalues; i++)
		numbers[i] = strings[i].length;
	add_numbers(&sequence->lengths, numbers, nvalues, nulls);
	add_strings(writer, strings, nvalues, writer->options->prefix_interval,
				sequence->form.has_prefixes ? numbers : NULL);
	if (sequence->form.has_prefixes)
		add_numbers(&sequence->prefixes, numbers, nvalues, nulls);
}

static void
block_writer_init(BlockWriter *writer, StringSequenceWriter *sequence,
				  const ChunkOptions *options, const Allocator *allocator)
{
	uint32_t	nvalues = sequence->nvalues;

	writer->sequence = sequence;
	writer->form = sequence->form;
	writer->options = options;
	writer->ndeclined = 0;
	writer->raw_lengths = allocator_array(allocator, nvalues, sizeof(uint64_t));
	writer->stored_lengths = allocator_array(allocator, nvalues,
											 sizeof(uint64_t));
	bytebuffer_init(&writer->pending, allocator);
	bytebuffer_init(&writer->planes, allocator);
}

/* Write the last block, and the index. */
static void
block_writer_end(BlockWriter *writer, const Allocator *allocator)
{
	StringSequenceWriter *sequence = writer->sequence;

	block_flush(writer);
	packed_column_write(&sequence->index, writer->raw_lengths,
						sequence->nblocks);
	packed_column_write(&sequence->index, writer->stored_lengths,
						sequence->nblocks);
	bytebuffer_free(&writer->pending);
	bytebuffer_free(&writer->planes);
	allocator_release(allocator, writer->raw_lengths);
	allocator_release(allocator, writer->stored_lengths);
}

void
string_sequence_encode(StringSequenceWriter *writer, const StringRef *strings,
					   uint32_t nvalues, const uint8_t *nulls,
					   const StringPlan *plan, const ChunkOptions *options,
					   IntWorkspace *work, const Allocator *allocator)
{
	IntType		type = {4, false, false};
	IntType		prefix_type = {1, false, false};
	BlockWriter blocks;

	ENCODING_ASSERT(nvalues > 0 && nvalues <= CHUNK_MAX_ROWS);
	writer->form = plan->form;
	writer->nblocks = 0;
	writer->nvalues = nvalues;
	writer->raw_length = 0;
	bytebuffer_init(&writer->index, allocator);
	bytebuffer_init(&writer->blocks, allocator);
	int_stream_begin(&writer->lengths, type, options, work, allocator);
	int_stream_begin(&writer->prefixes, prefix_type, options, work, allocator);
	block_writer_init(&blocks, writer, options, allocator);
	for (uint32_t start = 0; start < nvalues; start += VECTOR_LENGTH)
	{
		writer->starts[start / VECTOR_LENGTH] = writer->raw_length;
		encode_vector(&blocks, strings + start,
					  vector_length(nvalues, start / VECTOR_LENGTH),
					  nulls == NULL ? NULL : nulls + start / 8, work);
	}
	block_writer_end(&blocks, allocator);
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
	if (writer->form.has_prefixes)
		vector_directory_write(head, nvectors, writer->prefixes.encodings,
							   writer->prefixes.lengths);
}

void
string_sequence_end(StringSequenceWriter *writer)
{
	int_stream_end(&writer->lengths);
	int_stream_end(&writer->prefixes);
	bytebuffer_free(&writer->index);
	bytebuffer_free(&writer->blocks);
}
