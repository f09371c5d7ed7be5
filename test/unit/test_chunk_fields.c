/*
 * test_chunk_fields.c
 *		Strings of one length that are divided into numbers.
 */
#include "chunk_case.h"
#include "encoding/bytebuffer.h"
#include "encoding/byteorder.h"
#include "unit.h"

/* A number of the host's byte order, at out; returns what follows it. */
static uint8_t *
put_number(uint8_t *out, uint64_t value, int width)
{
	uint32_t	half = (uint32_t) value;
	uint16_t	quarter = (uint16_t) value;
	uint8_t		byte = (uint8_t) value;

	switch (width)
	{
		case 1:
			memcpy(out, &byte, 1);
			break;
		case 2:
			memcpy(out, &quarter, 2);
			break;
		case 4:
			memcpy(out, &half, 4);
			break;
		default:
			memcpy(out, &value, 8);
			break;
	}
	return out + width;
}

static uint8_t *
put_bytes(uint8_t *out, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		out[i] = (uint8_t) (value >> (8 * (width - 1 - i)));
	return out + width;
}

static uint8_t *
put_float(uint8_t *out, double value)
{
	memcpy(out, &value, sizeof(value));
	return out + sizeof(value);
}

typedef enum FieldsShape
{
	RANDOM_UUID,
	ORDERED_UUID,
	MACADDR,
	ADDRESS,
	INTERVAL,
	POINT,
	BITS,
	UNKNOWN_NUMBERS,
	UNKNOWN_FLOATS,
	UNKNOWN_TEXT,
	FEW,
	SHORT,
	NFIELDS_SHAPES
} FieldsShape;

static const char *const shape_encodings[NFIELDS_SHAPES] = {
	"raw", "fields", "fields", "fields", "fields", "fields", "fields",
	"fields", "fields", NULL, "dictionary", "raw"
};

static void
set_shape(ChunkCase *input, bool is_guess, int nnumbers, int width0,
		  int width1, int width2)
{
	int			widths[] = {width0, width1, width2};

	memset(&input->shape, 0, sizeof(input->shape));
	input->shape.is_divided = true;
	input->shape.is_guess = is_guess;
	input->shape.nnumbers = (uint8_t) nnumbers;
	for (int i = 0; i < nnumbers; i++)
	{
		input->shape.numbers[i].width = (uint8_t) widths[i];
		input->shape.numbers[i].may_be_float = is_guess && widths[i] == 8;
	}
}

static void
prepare_shape(ChunkCase *input, FieldsShape shape)
{
	switch (shape)
	{
		case ADDRESS:
			set_shape(input, false, 2, 1, 1, 0);
			break;
		case INTERVAL:
			set_shape(input, false, 3, 8, 4, 4);
			break;
		case POINT:
			set_shape(input, false, 2, 8, 8, 0);
			input->shape.numbers[0].is_float = true;
			input->shape.numbers[1].is_float = true;
			break;
		case BITS:
			set_shape(input, false, 1, 4, 0, 0);
			break;
		case UNKNOWN_NUMBERS:
			set_shape(input, true, 3, 8, 4, 2);
			break;
		case UNKNOWN_FLOATS:
			set_shape(input, true, 2, 8, 8, 0);
			break;
		case UNKNOWN_TEXT:
			set_shape(input, true, 3, 4, 4, 4);
			break;
		default:
			set_shape(input, false, 0, 0, 0, 0);
			break;
	}
}

static size_t
make_string(FieldsShape shape, uint32_t row, uint64_t random, uint8_t *bytes)
{
	uint8_t    *end = bytes;

	switch (shape)
	{
		case RANDOM_UUID:
			end = put_bytes(end, random, 8);
			end = put_bytes(end, random * UINT64_C(0x9e3779b97f4a7c15) + row, 8);
			break;
		case ORDERED_UUID:
			end = put_bytes(end, (UINT64_C(0x18c2a5e0000) + row) << 16 | 0x7000 |
							(random & 0xfff), 8);
			end = put_bytes(end, random, 8);
			break;
		case MACADDR:
			end = put_bytes(end, UINT64_C(0x08002b000000) + random % 100000, 6);
			break;
		case ADDRESS:
			end = put_number(end, 2, 1);
			end = put_number(end, row % 100 == 0 ? 24 : 32, 1);
			end = put_bytes(end, 0x0a000000 + row * 5, 4);
			break;
		case INTERVAL:
			end = put_number(end, random % 100000 * 1000000, 8);
			end = put_number(end, row % 31, 4);
			end = put_number(end, 0 - (uint64_t) (row / 700), 4);
			break;
		case POINT:
			end = put_float(end, ((double) (random % 36000) - 18000.0) / 100.0);
			end = put_float(end, ((double) (random % 18001) - 9000.0) / 100.0);
			break;
		case BITS:
			end = put_number(end, 13, 4);
			end = put_bytes(end, random << 3 & 0xfff8, 2);
			break;
		case UNKNOWN_NUMBERS:
			end = put_number(end, 0 - random % 1000000, 8);
			end = put_number(end, row, 4);
			end = put_number(end, random % 7, 2);
			end = put_bytes(end, 0x1234, 2);
			break;
		case UNKNOWN_FLOATS:
			end = put_float(end, (double) (random % 100000) / 10.0);
			end = put_number(end, row * UINT64_C(3), 8);
			break;
		case UNKNOWN_TEXT:
			memcpy(end, random % 3 == 0 ? "one and all " : random % 3 == 1 ?
				   "two of them " : "three times ", 12);
			end = put_number(end + 8, row % 3000, 4);
			break;
		case FEW:
			end = put_bytes(end, random % 40 * UINT64_C(0x9e3779b97f4a7c15), 8);
			end = put_bytes(end, random % 40, 8);
			break;
		default:
			end = put_bytes(end, random, 3);
			break;
	}
	return (size_t) (end - bytes);
}

static void
fill(ChunkCase *input, FieldsShape shape, uint32_t nrows, uint64_t (*random) (void))
{
	prepare_shape(input, shape);
	chunk_case_clear(input);
	for (uint32_t row = 0; row < nrows; row++)
	{
		uint8_t		bytes[64];
		size_t		length = make_string(shape, row, random(), bytes);

		chunk_case_add_bytes(input, bytes, length);
	}
}

static ValueClass
shape_class(FieldsShape shape)
{
	return shape <= MACADDR || shape == FEW ? CLASS_BYTES : CLASS_NONE;
}

UNIT_TEST(fields_shapes)
{
	static const uint32_t counts[] = {1, 2, 20, 1023, 1025, 3000};

	for (FieldsShape shape = 0; shape < NFIELDS_SHAPES; shape++)
	{
		ChunkCase	input;

		chunk_case_init(&input, VALUE_BYTES, shape_class(shape));
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		{
			char		name[60];

			fill(&input, shape, counts[i], unit_random);
			snprintf(name, sizeof(name), "fields of shape %d, %u rows", shape,
					 counts[i]);
			chunk_case_check(&input, name, counts[i] < 3000 ? NULL :
							 shape_encodings[shape]);
		}
		chunk_case_free(&input);
	}
}

UNIT_TEST(fields_nulls)
{
	for (FieldsShape shape = 0; shape < NFIELDS_SHAPES; shape++)
	{
		ChunkCase	input;

		chunk_case_init(&input, VALUE_BYTES, shape_class(shape));
		for (int pattern = 0; pattern < 4; pattern++)
		{
			uint8_t		bytes[64];

			fill(&input, shape, 1100, unit_random);
			for (uint32_t row = 0; row < 1100; row++)
			{
				if (pattern == 0 ? row % 50 == 0 : pattern == 1 ? row % 50 != 0 :
					pattern == 2 ? unit_random() % 2 == 0 : row < 1060)
					chunk_case_set_null(&input, row);
			}

			/* NULLs without bytes, and whole vectors of them */
			for (uint32_t row = 1100; row < 2500; row++)
				chunk_case_add_null(&input);
			chunk_case_add_bytes(&input, bytes,
								 make_string(shape, 2500, unit_random(), bytes));
			chunk_case_check(&input, "fields with NULLs", NULL);
		}
		chunk_case_free(&input);
	}
}

/* Other lengths, and lengths that the shape is not for. */
UNIT_TEST(fields_lengths)
{
	ChunkCase	input;

	chunk_case_init(&input, VALUE_BYTES, CLASS_BYTES);
	fill(&input, RANDOM_UUID, 1500, unit_random);
	chunk_case_add_bytes(&input, "short", 5);
	chunk_case_check(&input, "lengths", "strings");

	fill(&input, MACADDR, 1500, unit_random);
	set_shape(&input, false, 2, 8, 8, 0);
	chunk_case_check(&input, "shape too long", "strings");

	chunk_case_clear(&input);
	set_shape(&input, false, 0, 0, 0, 0);
	for (uint32_t row = 0; row < 1500; row++)
		chunk_case_add_text(&input, "%070u", row);
	chunk_case_check(&input, "long strings", "strings");

	chunk_case_clear(&input);
	for (uint32_t row = 0; row < 1500; row++)
		chunk_case_add_bytes(&input, "", 0);
	chunk_case_check(&input, "empty strings", "constant");

	for (int length = 1; length <= 64; length++)
	{
		chunk_case_clear(&input);
		for (uint32_t row = 0; row < 50; row++)
		{
			uint8_t		bytes[64];

			for (int i = 0; i < length; i++)
				bytes[i] = (uint8_t) (unit_random() % (i % 3 == 0 ? 3 : 250));
			chunk_case_add_bytes(&input, bytes, (size_t) length);
		}
		chunk_case_check(&input, "any length", NULL);
	}
	chunk_case_free(&input);
}

/* ---- golden bytes ---- */

static uint64_t state;

static uint64_t
next_random(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 16;
}

static uint64_t
checksum(const ByteBuffer *chunk)
{
	uint64_t	sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < chunk->length; i++)
		sum = (sum ^ chunk->data[i]) * UINT64_C(1099511628211);
	return sum;
}

UNIT_TEST(golden_fields)
{
	static const uint64_t sums[NFIELDS_SHAPES] = {
		UINT64_C(0x5a9a2d3dcd0d47e4), UINT64_C(0xdbdfe97b0f3f3cbc),
		UINT64_C(0x03d6a2c8611c5b8b), UINT64_C(0xc41941de057696f2),
		UINT64_C(0x0464c22c6792542a), UINT64_C(0x67c43d786bad747a),
		UINT64_C(0xa160ab2b571c5bbc), UINT64_C(0x4e33e7625493e68c),
		UINT64_C(0x030f5c54b5a0d28f), 0,
		0, UINT64_C(0xa7ad992835203a7a)
	};
	ChunkSummary summary;
	ByteBuffer	chunk;
	ChunkCase	input;

	bytebuffer_init(&chunk, &unit_allocator);
	for (FieldsShape shape = 0; shape < NFIELDS_SHAPES; shape++)
	{
		/* what is no number is another one on every host; or no fields at all */
		if (shape == UNKNOWN_TEXT || shape == FEW)
			continue;
		chunk_case_init(&input, VALUE_BYTES, shape_class(shape));
		input.options.codec = CODEC_NONE;
		state = 42;
		fill(&input, shape, 3000, next_random);
		if (shape == INTERVAL)
			chunk_case_set_null(&input, 3);
		chunk.length = 0;
		chunk_case_encode(&input, &chunk, &summary);
		UNIT_CHECKF(checksum(&chunk) == sums[shape],
					"shape %d: checksum 0x%016" PRIx64 ", length %zu", shape,
					checksum(&chunk), chunk.length);
		chunk_case_free(&input);
	}

	chunk_case_init(&input, VALUE_BYTES, CLASS_NONE);
	prepare_shape(&input, INTERVAL);
	for (uint32_t row = 0; row < 3; row++)
	{
		uint8_t		bytes[16];
		uint8_t    *end = put_number(bytes, row * UINT64_C(3600000000), 8);

		end = put_number(end, row, 4);
		(void) put_number(end, 5, 4);
		chunk_case_add_bytes(&input, bytes, sizeof(bytes));
	}
	chunk.length = 0;
	chunk_case_encode(&input, &chunk, &summary);
	if (!unit_equals_hex(chunk.data, chunk.length, "636b010700083000 0300000000000000 2600000003010116 "
						 "0010080404000102 0001020000000000 024000a493d62400 "
						 "0200240000000000 0500000000000000"))
	{
		unit_fail(__FILE__, __LINE__, "intervals: other bytes");
		for (size_t i = 0; i < chunk.length; i++)
			fprintf(stderr, "%s%02x", i % 8 == 0 ? " " : "", chunk.data[i]);
		fprintf(stderr, "\n");
	}
	chunk_case_free(&input);
	bytebuffer_free(&chunk);
}
