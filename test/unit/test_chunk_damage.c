/*
 * test_chunk_damage.c
 *		Damaged chunks: bits flipped, cut off at each byte, and made longer.
 *
 * Whatever the damage, reading either refuses with a reason or gives as many
 * values as before, and frees its memory; nothing outside the chunk is read,
 * which the sanitizers and the memory's end watch over.
 */
#include "chunk_case.h"
#include "chunk_walk.h"
#include "encoding/bytebuffer.h"
#include "encoding/string_sequence.h"
#include "unit.h"

#define NROWS 1100

/* Every bit of so many bytes is flipped, then one in so many. */
#define ALL_BITS_LENGTH 120
#define BIT_STEP (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 5 : 41)

typedef struct Damage
{
	const ChunkCase *input;
	WalkSpace  *space;
	const char *name;
	uint32_t	nrefused;
	uint32_t	ntried;
} Damage;

static void
try_bytes(Damage *damage, const uint8_t *bytes, size_t length)
{
	uint8_t    *copy = malloc(length > 0 ? length : 1);
	const char *reason = NULL;

	memcpy(copy, bytes, length);
	damage->ntried++;
	if (!chunk_walk(copy, length, damage->input->kind, damage->input->nrows,
					&unit_allocator, damage->space, &reason))
	{
		damage->nrefused++;
		UNIT_CHECKF(reason != NULL, "%s: refused without a reason",
					damage->name);
	}
	free(copy);
}

static void
flip_bits(Damage *damage, ByteBuffer *chunk)
{
	for (size_t bit = 0; bit < 8 * chunk->length;
		 bit += bit < 8 * ALL_BITS_LENGTH ? 1 : BIT_STEP)
	{
		chunk->data[bit / 8] ^= (uint8_t) (1 << (bit % 8));
		try_bytes(damage, chunk->data, chunk->length);
		chunk->data[bit / 8] ^= (uint8_t) (1 << (bit % 8));
	}
}

/* The head's bytes are small numbers: try all values of each. */
static void
alter_head(Damage *damage, ByteBuffer *chunk)
{
	size_t		head = chunk->length < 100 ? chunk->length : 100;

	for (size_t i = 0; i < head; i++)
	{
		uint8_t		byte = chunk->data[i];

		for (int value = 0; value < 256; value += 1 + value / 4)
		{
			chunk->data[i] = (uint8_t) value;
			try_bytes(damage, chunk->data, chunk->length);
		}
		chunk->data[i] = byte;
	}
}

static void
change_length(Damage *damage, ByteBuffer *chunk)
{
	size_t		length = chunk->length;
	uint32_t	nrefused = damage->nrefused;

	for (size_t cut = 0; cut < length; cut++)
		try_bytes(damage, chunk->data, cut);
	for (size_t more = 1; more <= 16; more++)
	{
		bytebuffer_append_zeros(chunk, 1);
		try_bytes(damage, chunk->data, chunk->length);
	}
	UNIT_CHECKF(damage->nrefused - nrefused == length + 16,
				"%s: another length was accepted", damage->name);
	chunk->length = length;
}

static void
check_damage(const ChunkCase *input, const char *name)
{
	size_t		allocated = unit_allocated();
	Damage		damage = {input, malloc(sizeof(WalkSpace)), name, 0, 0};
	ChunkSummary summary;
	ByteBuffer	chunk;

	bytebuffer_init(&chunk, &unit_allocator);
	chunk_case_encode(input, &chunk, &summary);
	try_bytes(&damage, chunk.data, chunk.length);
	UNIT_CHECKF(damage.nrefused == 0, "%s: refused without damage", name);
	flip_bits(&damage, &chunk);
	alter_head(&damage, &chunk);
	change_length(&damage, &chunk);
	UNIT_CHECKF(damage.nrefused > 0, "%s: nothing was refused", name);
	bytebuffer_free(&chunk);
	free(damage.space);
	UNIT_CHECKF(unit_allocated() == allocated, "%s: memory is left", name);
}

/* Rows of integers of a shape that leads to each encoding. */
static void
fill_int(ChunkCase *input, int shape)
{
	chunk_case_clear(input);
	for (uint32_t row = 0; row < NROWS; row++)
	{
		int64_t		value = row * 3;

		if (shape == 1)
			value = (int64_t) (unit_random() % 1000) * 5;
		else if (shape == 2)
			value = (int64_t) (unit_random() % 64 == 0 ? unit_random() >> 40 : unit_random() % 4);
		else if (shape == 3)
			value = row + row / 60 * 100000;
		else if (shape == 4)
			value = row / 40 % 5;
		else if (shape == 5)
			value = (int64_t) (unit_random() % 3 * 123456);
		else if (shape == 6)
			value = row % 256 < 220 ? (int64_t) (unit_random() % 2) :
				(int64_t) (unit_random() % 30000);
		chunk_case_add_int(input, value);
		if (shape % 2 == 1 && unit_random() % 4 == 0)
			chunk_case_set_null(input, row);
		if (shape == 7 && unit_random() % 16 != 0)
			chunk_case_set_null(input, row);
	}
}

UNIT_TEST(damage_integers)
{
	for (ValueKind kind = VALUE_INT16; kind <= VALUE_INT64; kind += 2)
	{
		ChunkCase	input;

		chunk_case_init(&input, kind, CLASS_SIGNED);
		for (int shape = 0; shape < 8; shape++)
		{
			fill_int(&input, shape);
			check_damage(&input, "integers");
		}
		chunk_case_free(&input);
	}
}

UNIT_TEST(damage_floats)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_FLOAT32, CLASS_FLOAT);
	for (uint32_t row = 0; row < NROWS; row++)
		chunk_case_add_float(&input, unit_random() % 50 == 0 ? 1.0 / 3.0 :
							 (double) (unit_random() % 500) / 10.0);
	check_damage(&input, "decimals");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < NROWS; row++)
		chunk_case_add_float(&input,
							 20.0 + (double) (unit_random() % 1000003) / 1e6);
	check_damage(&input, "blocks");
	chunk_case_free(&input);
	for (ValueKind kind = VALUE_FLOAT32; kind <= VALUE_FLOAT64; kind++)
	{
		chunk_case_init(&input, kind, CLASS_FLOAT);
		input.options.codec = CODEC_NONE;
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_float(&input, unit_random() % 50 == 0 ? 1e300 :
								 (double) (int64_t) unit_random() / 1.1e19);
		check_damage(&input, "split");
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_float(&input, unit_random() % 50 == 0 ? 1e300 :
								 (double) (unit_random() % 50000) / 744.0);
		check_damage(&input, "means");
		chunk_case_free(&input);
	}
}

UNIT_TEST(damage_strings)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	input.options.block_size = 500;
	for (BlockCodec codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++)
	{
		input.options.codec = codec;
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_text(&input, "%u", row);
		check_damage(&input, "plain");
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_text(&input, "entry number %u",
								(unsigned) (unit_random() % 40));
		chunk_case_set_null(&input, 5);
		check_damage(&input, "dictionary");
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_text(&input, "usr/share/doc/%u/%u", row / 30, row);
		chunk_case_set_null(&input, 70);
		check_damage(&input, "prefixes");
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
		{
			uint8_t		words[40] = {0};

			for (int i = 0; i < 40; i += 2)
				words[i] = (uint8_t) (unit_random() % 100);
			chunk_case_add_bytes(&input, words, sizeof(words));
		}
		check_damage(&input, "planes");
	}
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < NROWS; row++)
		chunk_case_add_text(&input, "constant");
	check_damage(&input, "constant");
	chunk_case_free(&input);
}

UNIT_TEST(damage_fields)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	input.shape.is_divided = true;
	for (int nnumbers = 0; nnumbers <= 3; nnumbers++)
	{
		input.shape.nnumbers = (uint8_t) (nnumbers % 3);
		for (int i = 0; i < input.shape.nnumbers; i++)
		{
			input.shape.numbers[i].width = (uint8_t) (8 >> i);
			input.shape.numbers[i].is_float = i == 0 && nnumbers == 1;
		}
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
		{
			uint64_t	numbers[2] = {unit_random(), unit_random()};

			/* what is random all through is kept as it is */
			if (nnumbers < 3)
				numbers[0] %= 1000;
			chunk_case_add_bytes(&input, numbers, 13);
			if (nnumbers > 1 && row % 30 == 0)
				chunk_case_set_null(&input, row);
		}
		check_damage(&input, "fields");
	}
	chunk_case_free(&input);
}

UNIT_TEST(damage_numerics)
{
	static const char *const some[] = {"1.5", "-2.25", "NaN",
									   "1234567890123456789012345"};
	ChunkCase	input;

	chunk_case_init(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	for (int kinds = 1; kinds <= 4; kinds++)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < NROWS; row++)
			chunk_case_add_numeric(&input,
								   some[unit_random() % (unsigned) kinds]);
		check_damage(&input, "numerics");
	}
	chunk_case_free(&input);
}

/*
 * A vector of strings said to begin so far up that, modulo 2^64, it ends where
 * the strings' bytes do: one of its strings would lie in front of them.
 */
UNIT_TEST(damage_strings_start)
{
	const StringForm form = {CODEC_NONE, 0, false, false};
	static const uint64_t offset = 15;
	static const uint64_t encodings[] = {INT_CONSTANT, INT_CONSTANT};
	static const uint64_t lengths[] = {1, 1};
	uint64_t	starts[] = {0, 0 - offset};
	uint64_t	raw_length = 10 * VECTOR_LENGTH - offset;
	uint64_t	stream_offsets[3];
	uint64_t	stream_lengths[3];
	const char *reason = NULL;
	IntScratch *scratch = malloc(sizeof(IntScratch));
	StringSequence sequence;
	MemorySource memory;
	ByteBuffer	head;
	ByteBuffer	body;
	ByteCursor	cursor;
	StringRef	string;

	/* strings of ten bytes in two vectors and one block */
	bytebuffer_init(&head, &unit_allocator);
	bytebuffer_append_uint(&head, 1, 4);
	packed_column_write(&head, starts, 2);
	vector_directory_write(&head, 2, encodings, lengths);
	bytebuffer_init(&body, &unit_allocator);
	bytebuffer_append_uint(&body, 10, 1);
	bytebuffer_append_uint(&body, 10, 1);
	stream_offsets[0] = 0;
	stream_offsets[1] = body.length;
	packed_column_write(&body, &raw_length, 1);
	packed_column_write(&body, &raw_length, 1);
	stream_offsets[2] = body.length;
	bytebuffer_append_zeros(&body, (size_t) raw_length);
	for (int i = 0; i < 3; i++)
		stream_lengths[i] = (i < 2 ? stream_offsets[i + 1] : body.length) -
			stream_offsets[i];

	memory_source_init(&memory, body.data, body.length);
	cursor_init(&cursor, head.data, head.length);
	UNIT_CHECK(string_sequence_parse(&cursor, 2 * VECTOR_LENGTH, form,
									 stream_offsets, stream_lengths,
									 &memory.source, &unit_allocator,
									 &sequence));
	UNIT_CHECK(!string_sequence_select(&sequence, 1, NULL, scratch, &reason) ||
			   !string_sequence_get(&sequence, 1, &string, &reason));
	UNIT_CHECK(reason != NULL);
	string_sequence_close(&sequence);
	bytebuffer_free(&head);
	bytebuffer_free(&body);
	free(scratch);
}

/*
 * Strings said to go on in the next block: a search must refuse what decoding
 * refuses, and must not go on behind the block.
 */
UNIT_TEST(damage_strings_blocks)
{
	const StringForm form = {CODEC_NONE, 0, false, false};
	static const uint64_t encodings[] = {INT_CONSTANT};
	static const uint64_t block_lengths[] = {15, 5};
	static const uint8_t needle_bytes[] = {0};
	const StringRef needle = {needle_bytes, 1};
	uint64_t	offsets[3] = {0};
	uint64_t	lengths[3];
	uint64_t	found[VECTOR_LENGTH / 64];
	const char *reason = NULL;
	IntScratch *scratch = malloc(sizeof(IntScratch));
	StringSequence sequence;
	MemorySource memory;
	ByteBuffer	head;
	ByteBuffer	body;
	ByteCursor	cursor;
	StringRef	strings[2];

	/* two strings of ten bytes in two blocks */
	bytebuffer_init(&head, &unit_allocator);
	bytebuffer_append_uint(&head, 2, 4);
	vector_directory_write(&head, 1, encodings, NULL);
	bytebuffer_init(&body, &unit_allocator);
	bytebuffer_append_uint(&body, 10, 1);
	offsets[1] = lengths[0] = body.length;
	packed_column_write(&body, block_lengths, 2);
	packed_column_write(&body, block_lengths, 2);
	offsets[2] = body.length;
	lengths[1] = offsets[2] - offsets[1];
	bytebuffer_append_zeros(&body, 20);
	lengths[2] = 20;

	memory_source_init(&memory, body.data, body.length);
	cursor_init(&cursor, head.data, head.length);
	UNIT_CHECK(string_sequence_parse(&cursor, 2, form, offsets, lengths,
									 &memory.source, &unit_allocator,
									 &sequence));
	UNIT_CHECK(string_sequence_select(&sequence, 0, NULL, scratch, &reason));
	UNIT_CHECK(!string_sequence_fill(&sequence, 2, NULL, strings, &reason));
	reason = NULL;
	UNIT_CHECK(!string_sequence_search(&sequence, 2, &needle, found, &reason));
	UNIT_CHECK(reason != NULL);
	string_sequence_close(&sequence);
	bytebuffer_free(&head);
	bytebuffer_free(&body);
	free(scratch);
}

/* What the caller expects must be what the head says. */
UNIT_TEST(damage_expectations)
{
	const char *reason = NULL;
	WalkSpace  *space = malloc(sizeof(WalkSpace));
	ChunkSummary summary;
	ByteBuffer	chunk;
	ChunkCase	input;

	chunk_case_init(&input, VALUE_INT32, CLASS_SIGNED);
	fill_int(&input, 1);
	bytebuffer_init(&chunk, &unit_allocator);
	chunk_case_encode(&input, &chunk, &summary);
	for (ValueKind kind = VALUE_INT8; kind <= VALUE_NUMERIC; kind++)
		UNIT_CHECK(chunk_walk(chunk.data, chunk.length, kind, NROWS,
							  &unit_allocator, space, &reason) == (kind == VALUE_INT32));
	UNIT_CHECK(!chunk_walk(chunk.data, chunk.length, VALUE_INT32, NROWS - 1,
						   &unit_allocator, space, &reason));
	UNIT_CHECK(!chunk_walk(chunk.data, chunk.length, VALUE_INT32, 0,
						   &unit_allocator, space, &reason));
	bytebuffer_free(&chunk);
	chunk_case_free(&input);
	free(space);
}
