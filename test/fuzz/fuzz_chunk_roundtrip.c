/*
 * fuzz_chunk_roundtrip.c
 *		Encoding of arbitrary values: what is decoded is what was encoded.
 *
 *	offset	size	input
 *	0		1		kind
 *	1		1		value class, and the codec of blocks
 *	2		1		how values follow from the bytes below
 *	3		1		rows, in steps of 17
 *	4				bytes that values, NULLs and lengths are taken from, in a circle
 */
#include "../unit/chunk_walk.h"
#include "encoding/bytebuffer.h"
#include "fuzz.h"

#define MAX_ROWS (255 * 17 + 1)
#define MAX_STRING 40

static uint64_t values[MAX_ROWS];
static uint64_t offsets[MAX_ROWS + 1];
static uint8_t bytes[MAX_ROWS * MAX_STRING];
static uint8_t nulls[MAX_ROWS / 8 + 1];
static WalkSpace space;
static ValueShape shape;

static const uint8_t kind_sizes[] = {0, 1, 2, 4, 8, 4, 8, 0, 0};

static void *
plain_alloc(void *context, size_t size)
{
	return malloc(size > 0 ? size : 1);
}

static void *
plain_realloc(void *context, void *pointer, size_t size)
{
	return realloc(pointer, size);
}

static void
plain_free(void *context, void *pointer)
{
	free(pointer);
}

static const Allocator plain_allocator = {
	plain_alloc, plain_realloc, plain_free, NULL
};

/* The bytes that rows are made of. */
typedef struct Material
{
	const uint8_t *data;
	size_t		size;
	size_t		next;
} Material;

static uint8_t
take_byte(Material *material)
{
	if (material->size == 0)
		return 0;
	return material->data[material->next++ % material->size];
}

/* A value that is arbitrary, near the last one, or the last one. */
static uint64_t
next_value(Material *material, int mode, uint64_t last)
{
	uint64_t	value = 0;

	switch (mode % 4)
	{
		case 0:
			for (int i = 0; i < 8; i++)
				value = value << 8 | take_byte(material);
			return value;
		case 1:
			return last + (uint64_t) (int8_t) take_byte(material) * (uint64_t) (1 + mode / 4);
		case 2:
			return take_byte(material) < 230 ? last : last + take_byte(material);
		default:
			return (uint64_t) take_byte(material) << (mode / 4 % 56);
	}
}

/* The bits of a value over a divisor. */
static uint64_t
fraction_pattern(ValueKind kind, uint64_t value, int divisor)
{
	double		fraction = (double) (int32_t) value / divisor;
	float		single = (float) fraction;
	uint32_t	narrow;
	uint64_t	wide;

	memcpy(&narrow, &single, sizeof(narrow));
	memcpy(&wide, &fraction, sizeof(wide));
	return kind == VALUE_FLOAT32 ? narrow : wide;
}

static void
make_fixed(ChunkInput *input, Material *material, int mode)
{
	bool		is_float = input->kind == VALUE_FLOAT32 || input->kind == VALUE_FLOAT64;
	size_t		size = kind_sizes[input->kind];
	uint64_t	last = 0;

	for (uint32_t row = 0; row < input->nrows; row++)
	{
		uint8_t    *out = (uint8_t *) values + row * size;
		uint64_t	value = next_value(material, mode, last);

		last = value;
		if (is_float && mode & 128 && take_byte(material) > 10)
			value = fraction_pattern(input->kind, value, mode & 64 ? 100 : 1 + mode % 32);
		for (size_t i = 0; i < size; i++)
			out[i] = (uint8_t) (value >> (8 * i));
	}
}

static void
make_strings(ChunkInput *input, Material *material, int mode)
{
	for (uint32_t row = 0; row < input->nrows; row++)
	{
		size_t		length = mode % 2 ? take_byte(material) % MAX_STRING : (size_t) mode / 8;
		uint8_t    *out = bytes + offsets[row];

		if (input->kind == VALUE_NUMERIC)
			length &= ~(size_t) 1;
		for (size_t i = 0; i < length; i++)
			out[i] = mode % 4 < 2 ? take_byte(material) : (uint8_t) (row >> (mode / 4 % 8));
		if (input->kind == VALUE_NUMERIC && length >= 4 && mode % 8 < 6)
			out[1] = 0x80;		/* a plausible short header */
		offsets[row + 1] = offsets[row] + length;
	}
}

/* Any way to divide strings, most of which do not fit them. */
static void
make_shape(Material *material)
{
	memset(&shape, 0, sizeof(shape));
	shape.is_divided = take_byte(material) % 4 != 0;
	shape.is_guess = take_byte(material) % 2;
	shape.nnumbers = take_byte(material) % 4;
	for (int i = 0; i < shape.nnumbers; i++)
	{
		shape.numbers[i].width = (uint8_t) (1 << take_byte(material) % 4);
		shape.numbers[i].is_float = shape.numbers[i].width >= 4 &&
			take_byte(material) % 4 == 0;
		shape.numbers[i].may_be_float = shape.numbers[i].width == 8;
	}
}

static bool
row_is_null(const ChunkInput *input, uint32_t row)
{
	return input->nulls != NULL && (nulls[row / 8] >> (row % 8) & 1);
}

static void
check_vector(const ChunkInput *input, ChunkReader *reader, uint32_t vector)
{
	size_t		size = kind_sizes[input->kind];
	uint32_t	start = vector * VECTOR_LENGTH;
	const char *reason;

	FUZZ_CHECK(size > 0 ?
			   chunk_decode_fixed(reader, vector, space.values, &reason) :
			   chunk_decode_strings(reader, vector, NULL, space.strings,
									&reason));
	for (uint32_t i = 0; i < VECTOR_LENGTH && start + i < input->nrows; i++)
	{
		uint32_t	row = start + i;

		if (row_is_null(input, row))
			continue;
		if (size > 0)
			FUZZ_CHECK(memcmp((uint8_t *) space.values + i * size,
							  (uint8_t *) values + row * size, size) == 0);
		else
			FUZZ_CHECK(space.strings[i].length == offsets[row + 1] - offsets[row] &&
					   (space.strings[i].length == 0 ||
						memcmp(space.strings[i].data, bytes + offsets[row],
							   space.strings[i].length) == 0));
	}
}

static void
round_trip(const ChunkInput *input, BlockCodec codec)
{
	const char *reason = NULL;
	ChunkOptions options;
	ChunkSummary summary;
	MemorySource memory;
	ChunkReader *reader;
	ByteBuffer	output;

	chunk_options_init(&options, OPTIMIZE_BALANCE);
	options.codec = codec;
	options.block_size = 300;
	bytebuffer_init(&output, &plain_allocator);
	chunk_encode(input, &options, &output, &summary);
	FUZZ_CHECK(chunk_walk(output.data, output.length, input->kind,
						  input->nrows, &plain_allocator, &space, &reason));
	memory_source_init(&memory, output.data, output.length);
	reader = chunk_open(&memory.source, input->kind, input->nrows,
						&plain_allocator, &reason);
	FUZZ_CHECK(reader != NULL);
	for (uint32_t vector = 0; vector * VECTOR_LENGTH < input->nrows; vector++)
		check_vector(input, reader, vector);
	chunk_close(reader);
	bytebuffer_free(&output);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t		head[4];
	ChunkInput	input;
	Material	material;

	fuzz_take(&data, &size, head, sizeof(head));
	material.data = data;
	material.size = size;
	material.next = 0;
	input.kind = (ValueKind) (head[0] % 8 + 1);
	input.value_class = (ValueClass) (head[1] % 6);
	input.nrows = head[3] * 17 + UINT32_C(1);
	input.nulls = head[0] & 128 ? nulls : NULL;
	input.values = values;
	input.offsets = offsets;
	input.bytes = bytes;
	input.shape = &shape;
	make_shape(&material);
	for (uint32_t i = 0; i < sizeof(nulls); i++)
		nulls[i] = take_byte(&material) & take_byte(&material);
	if (kind_sizes[input.kind] > 0)
		make_fixed(&input, &material, head[2]);
	else
		make_strings(&input, &material, head[2]);
	round_trip(&input, (BlockCodec) (head[1] / 6 % 3));
	return 0;
}
