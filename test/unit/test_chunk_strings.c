/*
 * test_chunk_strings.c
 *		Chunks of strings and numerics: round trips, blocks, dictionaries.
 */
#include "chunk_case.h"
#include "chunk_walk.h"
#include "encoding/bytebuffer.h"
#include "encoding/chunk_format.h"
#include "unit.h"

static void
check_codecs(ChunkCase *input, const char *name, const char *encoding)
{
	for (BlockCodec codec = CODEC_NONE; codec <= CODEC_ZSTD; codec++)
	{
		input->options.codec = codec;
		chunk_case_check(input, name, encoding);
	}
}

static void
add_url(ChunkCase *input, uint32_t row)
{
	chunk_case_add_text(input, "https://example.org/%u/page%u.html",
						(unsigned) (unit_random() % 100), row);
}

UNIT_TEST(chunk_strings_plain)
{
	static const uint32_t row_counts[] = {1, 2, 20, 1023, 1024, 1025, 5000};
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (int count = 0; count < 7; count++)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < row_counts[count]; row++)
			add_url(&input, row);
		check_codecs(&input, "urls", row_counts[count] > 1 ? "strings" : NULL);
		for (uint32_t row = 0; row < row_counts[count]; row++)
		{
			if (unit_random() % 3 == 0)
				chunk_case_set_null(&input, row);
		}
		check_codecs(&input, "urls with nulls", NULL);
	}
	chunk_case_free(&input);
}

UNIT_TEST(chunk_strings_dictionary)
{
	static const char *const words[] = {
		"", "Zürich", "København", "日本", "São Paulo", "a", "ab", "ab\tc", "zz"
	};
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_text(&input, "%s", words[unit_random() % 9]);
	check_codecs(&input, "words", "dictionary");
	for (uint32_t row = 0; row < 3000; row++)
	{
		if (row % 5 < 4)
			chunk_case_set_null(&input, row);
	}
	check_codecs(&input, "words with nulls", "dictionary");

	/* more entries than a vector, in several blocks */
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		chunk_case_add_text(&input, "entry %u of a dictionary of a chunk",
							(unsigned) (unit_random() % 3000));
	check_codecs(&input, "entries", "dictionary");
	chunk_case_free(&input);
}

/* 65,536 entries need all codes of 16 bits; long ones, so that it pays. */
UNIT_TEST(chunk_strings_most_entries)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		chunk_case_add_text(&input, "%u",
							(unsigned) (row * 40503u) % CHUNK_MAX_ROWS);
	chunk_case_check(&input, "all distinct", NULL);
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < CHUNK_MAX_ROWS; row++)
		chunk_case_add_text(&input, "%u %u %u %u",
							(unsigned) (unit_random() % 40000), row, row, row);
	chunk_case_check(&input, "nearly all distinct", NULL);
	chunk_case_free(&input);
}

UNIT_TEST(chunk_strings_constant)
{
	char	   *text = malloc(2000);
	ChunkCase	input;

	memset(text, 'x', 2000);
	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_bytes(&input, text, 1024);
	check_codecs(&input, "constant", "constant");
	chunk_case_set_null(&input, 7);
	check_codecs(&input, "constant with null", "constant");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_bytes(&input, text, 1025);
	check_codecs(&input, "long constant", "dictionary");
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_add_bytes(&input, text, 0);
	check_codecs(&input, "empty", "constant");
	for (uint32_t row = 0; row < 3000; row++)
		chunk_case_set_null(&input, row);
	check_codecs(&input, "all null", "null");
	chunk_case_free(&input);
	free(text);
}

UNIT_TEST(chunk_strings_long)
{
	size_t		length = 3000000;
	char	   *text = malloc(length);
	ChunkCase	input;

	for (size_t i = 0; i < length; i++)
		text[i] = (char) ('a' + unit_random() % 4);
	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	chunk_case_add_text(&input, "short");
	chunk_case_add_bytes(&input, text, length);
	chunk_case_add_text(&input, "%s", "");
	chunk_case_add_bytes(&input, text, 16383);
	chunk_case_add_bytes(&input, text, 16384);
	chunk_case_add_bytes(&input, text, 16385);
	chunk_case_add_text(&input, "end");
	check_codecs(&input, "long", NULL);
	chunk_case_free(&input);
	free(text);
}

/* Zeros and high bytes, whose zone maps must still hold them. */
UNIT_TEST(chunk_strings_binary)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (int prefix = 0; prefix <= 40; prefix += 8)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < 3000; row++)
		{
			uint8_t		bytes[60];
			size_t		length = (size_t) prefix + unit_random() % 20;

			memset(bytes, 'p', sizeof(bytes));
			for (size_t i = (size_t) prefix; i < length; i++)
				bytes[i] = (uint8_t) (unit_random() % 3 * 127 + unit_random() % 2);
			chunk_case_add_bytes(&input, bytes, length);
		}
		check_codecs(&input, "binary", NULL);
	}
	chunk_case_free(&input);
}

/* What the chunk of an input says of how its strings are stored. */
static void
check_form(const ChunkCase *input, const char *name, int flags,
		   int plane_shift)
{
	ChunkSummary summary;
	ByteBuffer	output;

	bytebuffer_init(&output, &unit_allocator);
	chunk_case_encode(input, &output, &summary);
	UNIT_CHECKF((output.data[6] & ~CHUNK_HAS_VALIDITY) == flags,
				"%s: flags 0x%02x", name, output.data[6]);
	UNIT_CHECKF(output.data[7] >> CHUNK_PLANE_SHIFT == plane_shift,
				"%s: codec 0x%02x", name, output.data[7]);
	bytebuffer_free(&output);
}

/* Paths in order, as of a list of files: each is stored without its prefix. */
UNIT_TEST(chunk_strings_prefixes)
{
	char		long_name[600];
	ChunkCase	input;

	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (int size = 1200; size <= 16384; size *= 12)
	{
		input.options.block_size = (uint32_t) size;
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < 5000; row++)
			chunk_case_add_text(&input, "usr/share/doc/package-%u/%u/file%u",
								row / 500, row / 40, row);
		check_codecs(&input, "paths", "strings");
		check_form(&input, "paths", CHUNK_HAS_PREFIXES | CHUNK_IS_ASCII, 0);
		for (uint32_t row = 0; row < 5000; row += 1 + unit_random() % 30)
			chunk_case_set_null(&input, row);
		check_codecs(&input, "paths with nulls", "strings");

		/* longer than a prefix can be, empty, and not ASCII */
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < 3000; row++)
			chunk_case_add_text(&input, "%s%u", row % 50 == 7 ? "" : long_name,
								row);
		for (uint32_t row = 0; row < 100; row++)
			chunk_case_add_text(&input, "%s", "");
		chunk_case_add_text(&input, "%s\xc3\xbc", long_name);
		check_codecs(&input, "long names", NULL);
		input.options.codec = CODEC_NONE;
		check_form(&input, "long names", CHUNK_HAS_PREFIXES, 0);
		input.options.codec = CODEC_ZSTD;
	}

	/* entries of a dictionary in several vectors, few and all of them read */
	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 20000; row++)
		chunk_case_add_text(&input, "https://example.org/shop/item/%u",
							(unsigned) (unit_random() % 3000));
	check_codecs(&input, "addresses", "dictionary");
	check_form(&input, "addresses", CHUNK_HAS_PREFIXES | CHUNK_IS_ASCII, 0);
	chunk_case_free(&input);
}

/* Arrays of small integers, as the server stores them: in planes. */
UNIT_TEST(chunk_strings_planes)
{
	uint8_t		array[20 + 4 * 61 + 1];
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_NONE);
	for (int width = 2; width <= 4; width += 2)
	{
		chunk_case_clear(&input);
		memset(array, 0, sizeof(array));
		array[0] = 1;
		array[8] = 21;
		array[12] = 61;
		array[16] = 1;
		for (uint32_t row = 0; row < 3000; row++)
		{
			for (int i = 0; i < 61; i++)
				array[20 + i * width] = (uint8_t) (unit_random() % 200);
			chunk_case_add_bytes(&input, array, (size_t) (20 + 61 * width));
		}
		check_codecs(&input, "arrays", "strings");
		input.options.codec = CODEC_ZSTD;
		check_form(&input, "arrays", 0, width / 2);
	}

	/* a length that is no multiple puts words out of step, no more */
	chunk_case_add_bytes(&input, array, sizeof(array));
	chunk_case_add_bytes(&input, array, 100);
	check_codecs(&input, "arrays and more", "strings");
	chunk_case_free(&input);
}

/* A point fetch reads its vector's lengths and one block, not the chunk. */
UNIT_TEST(chunk_strings_point_fetch)
{
	uint64_t	wanted[VECTOR_LENGTH / 64] = {0};
	StringRef	strings[VECTOR_LENGTH];
	const char *reason;
	ChunkSummary summary;
	MemorySource memory;
	ChunkReader *reader;
	ByteBuffer	output;
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	for (uint32_t row = 0; row < 50000; row++)
		add_url(&input, row);
	bytebuffer_init(&output, &unit_allocator);
	chunk_case_encode(&input, &output, &summary);
	memory_source_init(&memory, output.data, output.length);
	reader = chunk_open(&memory.source, VALUE_BYTES, input.nrows,
						&unit_allocator, &reason);
	wanted[0] = 1;
	UNIT_CHECK(chunk_decode_strings(reader, 20, wanted, strings, &reason));
	UNIT_CHECK(memory.nfetched < output.length / 20);
	chunk_close(reader);
	bytebuffer_free(&output);
	chunk_case_free(&input);
}

static void
add_random_numeric(ChunkCase *input, int scale)
{
	char		text[100];
	long long	value = (long long) (unit_random() % 2000000000) - 1000000000;
	long long	power = 1;

	for (int i = 0; i < scale; i++)
		power *= 10;
	if (scale == 0)
		snprintf(text, sizeof(text), "%lld", value);
	else
		snprintf(text, sizeof(text), "%s%lld.%0*lld", value < 0 ? "-" : "",
				 llabs(value) / power, scale, llabs(value) % power);
	chunk_case_add_numeric(input, text);
}

UNIT_TEST(chunk_numerics_scaled)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	for (int scale = 0; scale <= 9; scale++)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < 2500; row++)
			add_random_numeric(&input, scale);
		chunk_case_check(&input, "one scale", "for");
		for (uint32_t row = 0; row < 2500; row++)
		{
			if (unit_random() % 4 == 0)
				chunk_case_set_null(&input, row);
		}
		chunk_case_check(&input, "one scale with nulls", NULL);
	}
	chunk_case_free(&input);
}

static const char *const odd_numerics[] = {
	"0", "0.0", "0.00", "0.000000000000000000", "-0.5", "0.5", "0.50", "1",
	"-1", "10000", "9999", "100000000", "0.0001", "0.00001", "-0.00010",
	"123456789012345678", "-123456789012345678.90", "9223372036854775807",
	"-9223372036854775808", "9223372036854775808", "18446744073709551616",
	"170141183460469231731687303715884105727",
	"-170141183460469231731687303715884105727", "12345678901234567890.123456789"
};

#define NODD_NUMERICS (sizeof(odd_numerics) / sizeof(odd_numerics[0]))

UNIT_TEST(chunk_numerics_odd)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	for (size_t i = 0; i < NODD_NUMERICS; i++)
	{
		chunk_case_clear(&input);
		chunk_case_add_numeric(&input, odd_numerics[i]);
		chunk_case_check(&input, odd_numerics[i], NULL);
		chunk_case_add_numeric(&input, "NaN");
		chunk_case_add_numeric(&input, "Infinity");
		chunk_case_add_numeric(&input, "-Infinity");
		chunk_case_add_null(&input);
		chunk_case_check(&input, odd_numerics[i], NULL);
	}
	chunk_case_clear(&input);
	for (size_t i = 0; i < 3000; i++)
		chunk_case_add_numeric(&input,
							   odd_numerics[unit_random() % NODD_NUMERICS]);
	chunk_case_check(&input, "all of them", NULL);
	chunk_case_free(&input);
}

/* Too large, too fine, or no numerics at all: kept as strings. */
UNIT_TEST(chunk_numerics_as_strings)
{
	char		text[5000];
	ChunkCase	input;

	chunk_case_init(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	memset(text, '0', sizeof(text));
	text[0] = '1';
	text[4000] = '\0';
	chunk_case_add_numeric(&input, text);
	chunk_case_add_numeric(&input, "1.5");
	chunk_case_check(&input, "1e3999", "strings");

	chunk_case_clear(&input);
	memcpy(text, "0.", 2);
	text[41] = '\0';
	chunk_case_add_numeric(&input, text);
	chunk_case_check(&input, "scale 39", NULL);

	chunk_case_clear(&input);
	chunk_case_add_numeric(&input, "0.5");
	chunk_case_add_bytes(&input, "\x01\x80\x01\x00",
						 4);	/* a zero digit in front */
	chunk_case_add_bytes(&input, "", 0);
	chunk_case_add_bytes(&input, "odd", 3);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		chunk_case_check(&input, "not numerics", NULL);
	chunk_case_free(&input);
}

UNIT_TEST(chunk_numerics_as_integers)
{
	int64_t		values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	const char *reason;
	uint8_t		scale;
	ChunkSummary summary;
	MemorySource memory;
	ChunkReader *reader;
	ByteBuffer	output;
	ChunkCase	input;

	chunk_case_init(&input, VALUE_NUMERIC, CLASS_NUMERIC);
	chunk_case_add_numeric(&input, "-1.5");
	chunk_case_add_numeric(&input, "2.25");
	chunk_case_add_null(&input);
	chunk_case_add_numeric(&input, "1000000");
	bytebuffer_init(&output, &unit_allocator);
	chunk_case_encode(&input, &output, &summary);
	UNIT_CHECK(summary.has_sum && summary.sum_scale == 2);
	UNIT_CHECK(summary.sum_high == 0 && summary.sum_low == 100000075);
	UNIT_CHECK(summary.range.min_float <= -1.5 &&
			   summary.range.min_float > -1.6);
	UNIT_CHECK(summary.range.max_float >= 1e6 &&
			   summary.range.max_float < 1.1e6);
	memory_source_init(&memory, output.data, output.length);
	reader = chunk_open(&memory.source, VALUE_NUMERIC, 4, &unit_allocator,
						&reason);
	UNIT_CHECK(chunk_numeric_scaled(reader, 0, values, &scale, &reason));
	UNIT_CHECK(scale == 2 && values[0] == -150 && values[1] == 225 &&
			   values[3] == 100000000);
	chunk_close(reader);

	chunk_case_add_numeric(&input, "NaN");
	output.length = 0;
	chunk_case_encode(&input, &output, &summary);
	UNIT_CHECK(!summary.has_sum && summary.range.has_nan);
	memory_source_init(&memory, output.data, output.length);
	reader = chunk_open(&memory.source, VALUE_NUMERIC, 5, &unit_allocator,
						&reason);
	UNIT_CHECK(!chunk_numeric_scaled(reader, 0, values, &scale, &reason));
	UNIT_CHECK(reason == NULL);
	chunk_close(reader);
	bytebuffer_free(&output);
	chunk_case_free(&input);
}

/* Words of a payload, as the server writes them: in native byte order. */
static bool
words_are_sound(uint16_t header, uint16_t digit)
{
	uint16_t	words[] = {header, digit};

	return chunk_numeric_is_sound((const uint8_t *) words, sizeof(words));
}

UNIT_TEST(numeric_soundness)
{
	const uint16_t short_form = 0x8000;
	const uint16_t nan_form = 0xC000;

	UNIT_CHECK(words_are_sound(short_form, 0));
	UNIT_CHECK(words_are_sound(short_form, 9999));
	UNIT_CHECK(!words_are_sound(short_form, 10000));
	UNIT_CHECK(!words_are_sound(short_form, 0xFFFF));
	UNIT_CHECK(!words_are_sound(nan_form, 1));
	UNIT_CHECK(chunk_numeric_is_sound((const uint8_t *) &nan_form, 2));
	UNIT_CHECK(chunk_numeric_is_sound((const uint8_t *) &short_form, 2));
	UNIT_CHECK(!chunk_numeric_is_sound((const uint8_t *) &short_form, 1));
	UNIT_CHECK(!chunk_numeric_is_sound((const uint8_t *) &short_form, 0));
}
