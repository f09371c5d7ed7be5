/*
 * selftest_chunk.c
 *		Chunks: what is decoded is what was encoded, and damage is refused.
 *
 * The oracle is the input itself.  Rows are for a layout or an encoding each,
 * and a row in which the encoder chose something else is not ok: it would test
 * nothing that it is named after.
 */
#include "encoding/bytebuffer.h"
#include "encoding/byteorder.h"
#include "encoding/chunk.h"
#include "encoding/numeric_codec.h"
#include "encoding/selftest.h"

#include <stdio.h>

/* Rows of a chunk: several vectors, the last one short. */
#define NROWS 3333
#define MAX_STRING 64

typedef struct ChunkTest
{
	Selftest   *test;
	SelftestRow row;
	ChunkInput	input;
	ChunkOptions options;
	ByteBuffer	output;
	uint64_t   *values;			/* NROWS */
	uint64_t   *offsets;
	uint8_t    *bytes;			/* NROWS * MAX_STRING */
	uint8_t    *nulls;
	uint64_t   *decoded;		/* a vector and the slack */
	StringRef  *strings;		/* a vector */
	uint64_t	random;
} ChunkTest;

/* The first value of a vector is read wrong; damage is not seen. */
static const char *const chunk_faults[] = {"chunk_value", "chunk_reject",
										   NULL};

typedef struct ChunkOracleSource
{
	ChunkSource source;
	const uint8_t *bytes;
} ChunkOracleSource;

static const uint8_t *
fetch_bytes(ChunkSource *source, uint64_t offset, size_t length)
{
	return ((ChunkOracleSource *) source)->bytes + offset;
}

static bool
is_null(const ChunkTest *chunk, uint32_t row)
{
	return chunk->input.nulls != NULL && (chunk->nulls[row / 8] >> (row % 8) & 1);
}

static int
fixed_size(ValueKind kind)
{
	switch (kind)
	{
		case VALUE_INT8:
			return 1;
		case VALUE_INT16:
			return 2;
		case VALUE_INT32:
		case VALUE_FLOAT32:
			return 4;
		default:
			return 8;
	}
}

static void
check_fixed(ChunkTest *chunk, ChunkReader *reader, uint32_t vector,
			uint32_t nvalues)
{
	size_t		size = (size_t) fixed_size(chunk->input.kind);
	const char *reason = "";

	if (!chunk_decode_fixed(reader, vector, chunk->decoded, &reason))
	{
		selftest_mismatch(&chunk->row, "vector=%u: %s", vector, reason);
		return;
	}
	if (selftest_fault(chunk->test, "chunk_value"))
		chunk->decoded[0] ^= 1;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	row = vector * VECTOR_LENGTH + i;

		if (is_null(chunk, row) ||
			memcmp((uint8_t *) chunk->decoded + i * size,
				   (uint8_t *) chunk->values + row * size, size) == 0)
			continue;
		selftest_mismatch(&chunk->row, "row=%u: another value", row);
		return;
	}
}

static void
check_strings(ChunkTest *chunk, ChunkReader *reader, uint32_t vector,
			  uint32_t nvalues)
{
	const char *reason = "";

	if (!chunk_decode_strings(reader, vector, NULL, chunk->strings, &reason))
	{
		selftest_mismatch(&chunk->row, "vector=%u: %s", vector, reason);
		return;
	}
	if (selftest_fault(chunk->test, "chunk_value"))
		chunk->strings[0].length++;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	row = vector * VECTOR_LENGTH + i;
		uint64_t	length = chunk->offsets[row + 1] - chunk->offsets[row];

		if (is_null(chunk, row) ||
			(chunk->strings[i].length == length &&
			 memcmp(chunk->strings[i].data, chunk->bytes + chunk->offsets[row],
					(size_t) length) == 0))
			continue;
		selftest_mismatch(&chunk->row, "row=%u: another string", row);
		return;
	}
}

/* Is a value that was decoded alone the one that was encoded? */
static bool
single_is_right(ChunkTest *chunk, ChunkReader *reader, uint32_t vector,
				uint32_t position)
{
	uint32_t	row = vector * VECTOR_LENGTH + position;
	size_t		size = (size_t) fixed_size(chunk->input.kind);
	uint64_t	length;
	uint64_t	value;
	const char *reason = NULL;
	StringRef	string;

	if (is_null(chunk, row))
		return true;
	if (chunk->input.kind < VALUE_BYTES)
	{
		if (!chunk_decode_value(reader, vector, position, &value, &reason))
			return reason == NULL;
		if (HOST_IS_BIG_ENDIAN)
			value <<= 64 - 8 * size;
		return memcmp(&value, (uint8_t *) chunk->values + row * size,
					  size) == 0;
	}
	length = chunk->offsets[row + 1] - chunk->offsets[row];
	return chunk_decode_string(reader, vector, position, &string, &reason) &&
		string.length == length &&
		memcmp(string.data, chunk->bytes + chunk->offsets[row],
			   (size_t) length) == 0;
}

static void
check_singles(ChunkTest *chunk, ChunkReader *reader, uint32_t vector,
			  uint32_t nvalues)
{
	for (uint32_t i = vector % 7; i < nvalues; i += 101)
	{
		if (single_is_right(chunk, reader, vector, i))
			continue;
		selftest_mismatch(&chunk->row, "row=%u: another single value",
						  vector * VECTOR_LENGTH + i);
		return;
	}
}

static void
check_nulls(ChunkTest *chunk, ChunkReader *reader, uint32_t vector,
			uint32_t nvalues)
{
	uint64_t	nulls[VECTOR_LENGTH / 64];
	uint32_t	nnulls;
	const char *reason = "";

	if (!chunk_decode_nulls(reader, vector, nulls, &nnulls, &reason))
	{
		selftest_mismatch(&chunk->row, "vector=%u: %s", vector, reason);
		return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if ((nulls[i / 64] >> (i % 64) & 1) != is_null(chunk,
													   vector * VECTOR_LENGTH + i))
		{
			selftest_mismatch(&chunk->row, "vector=%u index=%u: null bit",
							  vector, i);
			return;
		}
	}
}

static void
check_decode(ChunkTest *chunk, const char *encoding)
{
	ChunkOracleSource oracle = {{fetch_bytes, chunk->output.length},
								chunk->output.data};
	const char *reason = "";
	ChunkReader *reader = chunk_open(&oracle.source, chunk->input.kind, NROWS,
									 chunk->test->allocator, &reason);

	if (reader == NULL)
	{
		selftest_mismatch(&chunk->row, "cannot be opened: %s", reason);
		return;
	}
	if (encoding != NULL &&
		strcmp(chunk_vector_encoding(reader, 0), encoding) != 0)
		selftest_mismatch(&chunk->row, "encoded as %s",
						  chunk_vector_encoding(reader, 0));
	for (uint32_t start = 0; start < NROWS; start += VECTOR_LENGTH)
	{
		uint32_t	left = NROWS - start;
		uint32_t	nvalues = left < VECTOR_LENGTH ? left : VECTOR_LENGTH;

		check_nulls(chunk, reader, start / VECTOR_LENGTH, nvalues);
		check_singles(chunk, reader, start / VECTOR_LENGTH, nvalues);
		if (chunk->input.kind < VALUE_BYTES)
			check_fixed(chunk, reader, start / VECTOR_LENGTH, nvalues);
		else
			check_strings(chunk, reader, start / VECTOR_LENGTH, nvalues);
	}
	chunk_close(reader);
}

static void
encode(ChunkTest *chunk)
{
	ChunkSummary summary;

	bytebuffer_reset(&chunk->output);
	chunk_encode(&chunk->input, &chunk->options, &chunk->output, &summary);
}

/* Round trips with and without NULLs, through every codec. */
static void
check_round_trips(ChunkTest *chunk, const char *encoding)
{
	for (int with_nulls = 0; with_nulls < 2; with_nulls++)
	{
		for (int codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++)
		{
			chunk->input.nulls = with_nulls ? chunk->nulls : NULL;
			chunk->options.codec = (BlockCodec) codec;
			chunk->row.cases++;
			chunk->row.values_checked += NROWS;
			encode(chunk);
			check_decode(chunk, encoding);
		}
	}
	chunk->input.nulls = NULL;
	chunk->options.codec = CODEC_NONE;
}

static void
put_fixed(ChunkTest *chunk, uint32_t row, uint64_t value)
{
	size_t		size = (size_t) fixed_size(chunk->input.kind);
	uint8_t    *out = (uint8_t *) chunk->values + row * size;
	uint8_t		byte = (uint8_t) value;
	uint16_t	word = (uint16_t) value;
	uint32_t	half = (uint32_t) value;

	switch (size)
	{
		case 1:
			memcpy(out, &byte, size);
			break;
		case 2:
			memcpy(out, &word, size);
			break;
		case 4:
			memcpy(out, &half, size);
			break;
		default:
			memcpy(out, &value, size);
			break;
	}
}

static void
put_string(ChunkTest *chunk, uint32_t row, const void *bytes, size_t length)
{
	memcpy(chunk->bytes + chunk->offsets[row], bytes, length);
	chunk->offsets[row + 1] = chunk->offsets[row] + length;
}

static void
use_kind(ChunkTest *chunk, ValueKind kind, ValueClass value_class)
{
	chunk->input.kind = kind;
	chunk->input.value_class = value_class;
}

/* Integers of each width for each way to store them. */
static void
check_integers(ChunkTest *chunk)
{
	for (ValueKind kind = VALUE_INT8; kind <= VALUE_INT64; kind++)
	{
		use_kind(chunk, kind, CLASS_SIGNED);
		selftest_begin(&chunk->row, "chunk", "constant", 8 * fixed_size(kind));
		for (uint32_t row = 0; row < NROWS; row++)
			put_fixed(chunk, row, UINT64_MAX - 5);
		check_round_trips(chunk, "constant");
		selftest_end(chunk->test, &chunk->row);

		selftest_begin(&chunk->row, "chunk", "raw", 8 * fixed_size(kind));
		for (uint32_t row = 0; row < NROWS; row++)
			put_fixed(chunk, row, selftest_random(&chunk->random));
		check_round_trips(chunk, NULL);
		selftest_end(chunk->test, &chunk->row);
	}
}

static void
check_integer_dictionary(ChunkTest *chunk)
{
	use_kind(chunk, VALUE_INT64, CLASS_SIGNED);
	selftest_begin(&chunk->row, "chunk", "dictionary", SELFTEST_NO_WIDTH);
	for (uint32_t row = 0; row < NROWS; row++)
		put_fixed(chunk, row, (selftest_random(&chunk->random) % 9 + 1) *
				  UINT64_C(0x9e3779b97f4a7c15));
	check_round_trips(chunk, "dictionary");
	selftest_end(chunk->test, &chunk->row);
}

/* Floats that are decimals but for a few, and floats that are not. */
static void
check_floats(ChunkTest *chunk)
{
	use_kind(chunk, VALUE_FLOAT64, CLASS_FLOAT);
	for (int decimals = 1; decimals >= 0; decimals--)
	{
		selftest_begin(&chunk->row, "chunk", decimals ? "decimal" : "float",
					   SELFTEST_NO_WIDTH);
		for (uint32_t row = 0; row < NROWS; row++)
		{
			uint64_t	random = selftest_random(&chunk->random);
			double		value = (double) (random % 1000000) / (decimals ? 100.0 : 777.0);
			uint64_t	pattern;

			memcpy(&pattern, &value, sizeof(pattern));
			put_fixed(chunk, row, random >> 56 < 4 ? random : pattern);
		}
		check_round_trips(chunk, decimals ? "decimal" : NULL);
		selftest_end(chunk->test, &chunk->row);
	}
}

static void
check_texts(ChunkTest *chunk, const char *operation, uint32_t ndistinct,
			const char *encoding)
{
	use_kind(chunk, VALUE_BYTES, CLASS_BYTES);
	selftest_begin(&chunk->row, "chunk", operation, SELFTEST_NO_WIDTH);
	for (uint32_t row = 0; row < NROWS; row++)
	{
		char		text[MAX_STRING];
		uint64_t	number = selftest_random(&chunk->random) % ndistinct;
		int			length = snprintf(text, sizeof(text), "string number %u",
									  (unsigned) number);

		put_string(chunk, row, text, (size_t) length);
	}
	check_round_trips(chunk, encoding);
	selftest_end(chunk->test, &chunk->row);
}

/* Payloads by numeric_build, which the unit tests compare with text. */
static void
check_numerics(ChunkTest *chunk)
{
	static const char *const operations[] = {"numeric", "numeric_scales",
											 "numeric_wide"};

	use_kind(chunk, VALUE_NUMERIC, CLASS_NUMERIC);
	for (int operation = 0; operation < 3; operation++)
	{
		selftest_begin(&chunk->row, "chunk", operations[operation],
					   SELFTEST_NO_WIDTH);
		for (uint32_t row = 0; row < NROWS; row++)
		{
			uint8_t		payload[NUMERIC_BUILD_LENGTH];
			uint64_t	random = selftest_random(&chunk->random);
			int			scale = operation == 0 ? 2 : (int) (random >> 60 & 3);
			WideInt		value = {0, random % 100000000};
			size_t		length;

			if (operation == 2)
				value.high = (int64_t) (random >> 40);
			if (operation > 0 && random >> 56 == 0)
				length = numeric_build_special(NUMERIC_NAN, payload);
			else
				length = numeric_build(value, scale, scale, payload);
			put_string(chunk, row, payload, length);
		}
		check_round_trips(chunk, NULL);
		selftest_end(chunk->test, &chunk->row);
	}
}

static bool
can_be_read(ChunkTest *chunk, size_t length)
{
	ChunkOracleSource oracle = {{fetch_bytes, length}, chunk->output.data};
	const char *reason = NULL;
	ChunkReader *reader = chunk_open(&oracle.source, chunk->input.kind, NROWS,
									 chunk->test->allocator, &reason);
	bool		is_valid = reader != NULL;

	for (uint32_t vector = 0; is_valid &&
		 vector * VECTOR_LENGTH < NROWS; vector++)
		is_valid = chunk->input.kind < VALUE_BYTES ?
			chunk_decode_fixed(reader, vector, chunk->decoded, &reason) :
			chunk_decode_strings(reader, vector, NULL, chunk->strings,
								 &reason);
	if (reader != NULL)
		chunk_close(reader);
	if (!is_valid && reason == NULL)
		selftest_mismatch(&chunk->row, "refused for no reason");
	return is_valid;
}

/* Every other length is refused; a changed byte may be, but never crashes. */
static void
check_damage(ChunkTest *chunk, const char *what)
{
	encode(chunk);
	for (size_t cut = 8; cut <= chunk->output.length; cut += 1 + cut / 16)
	{
		chunk->row.cases++;
		if (can_be_read(chunk, chunk->output.length - cut) ||
			selftest_fault(chunk->test, "chunk_reject"))
			selftest_mismatch(&chunk->row, "%s: %zu bytes less were accepted",
							  what, cut);
	}
	for (size_t i = 0; i < chunk->output.length; i += 1 + i / 16)
	{
		uint8_t		byte = chunk->output.data[i];

		chunk->row.cases++;
		chunk->output.data[i] ^= (uint8_t) (1 << (i % 8));
		(void) can_be_read(chunk, chunk->output.length);
		chunk->output.data[i] = byte;
	}

	/* the fixed head's first eight bytes leave no choice */
	for (size_t i = 0; i < 4; i++)
	{
		chunk->row.cases++;
		chunk->output.data[i] ^= 0x80;
		if (can_be_read(chunk, chunk->output.length))
			selftest_mismatch(&chunk->row, "%s: byte %zu may be anything",
							  what, i);
		chunk->output.data[i] ^= 0x80;
	}
}

static void
check_rejects(ChunkTest *chunk)
{
	selftest_begin(&chunk->row, "chunk", "reject", SELFTEST_NO_WIDTH);
	use_kind(chunk, VALUE_INT32, CLASS_SIGNED);
	for (uint32_t row = 0; row < NROWS; row++)
		put_fixed(chunk, row, row * 5 + selftest_random(&chunk->random) % 4);
	chunk->input.nulls = chunk->nulls;
	check_damage(chunk, "integers");
	use_kind(chunk, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < NROWS; row++)
		put_string(chunk, row, "abcdefghijklmnopqrstuvwxyz",
				   selftest_random(&chunk->random) % 27);
	check_damage(chunk, "strings");
	selftest_end(chunk->test, &chunk->row);
}

static void
chunk_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	ChunkTest	chunk;

	memset(&chunk, 0, sizeof(chunk));
	chunk.test = test;
	chunk_options_init(&chunk.options, OPTIMIZE_BALANCE);
	chunk.options.codec = CODEC_NONE;
	chunk.options.block_size = 2000;
	bytebuffer_init(&chunk.output, allocator);
	chunk.values = allocator->alloc(allocator->context,
									NROWS * sizeof(uint64_t));
	chunk.offsets = allocator->alloc(allocator->context,
									 (NROWS + 1) * sizeof(uint64_t));
	chunk.bytes = allocator->alloc(allocator->context, NROWS * MAX_STRING);
	chunk.nulls = allocator->alloc(allocator->context, (NROWS + 7) / 8);
	chunk.decoded = allocator->alloc(allocator->context,
									 (VECTOR_LENGTH + DECODE_SLACK_VALUES) * sizeof(uint64_t));
	chunk.strings = allocator->alloc(allocator->context,
									 VECTOR_LENGTH * sizeof(StringRef));
	chunk.offsets[0] = 0;
	for (uint32_t i = 0; i < (NROWS + 7) / 8; i++)
		chunk.nulls[i] = (uint8_t) (selftest_random(&chunk.random) &
									selftest_random(&chunk.random));
	chunk.input.nrows = NROWS;
	chunk.input.values = chunk.values;
	chunk.input.offsets = chunk.offsets;
	chunk.input.bytes = chunk.bytes;

	check_integers(&chunk);
	check_integer_dictionary(&chunk);
	check_floats(&chunk);
	check_texts(&chunk, "strings", UINT32_MAX, "strings");
	check_texts(&chunk, "string_dictionary", 50, "dictionary");
	check_numerics(&chunk);
	check_rejects(&chunk);

	allocator->free(allocator->context, chunk.strings);
	allocator->free(allocator->context, chunk.decoded);
	allocator->free(allocator->context, chunk.nulls);
	allocator->free(allocator->context, chunk.bytes);
	allocator->free(allocator->context, chunk.offsets);
	allocator->free(allocator->context, chunk.values);
	bytebuffer_free(&chunk.output);
}

const SelftestPart selftest_part_chunk = {chunk_part, chunk_faults};
