/*
 * chunk_case.c
 *		Inputs of the chunk encoder, and the round trip that all of them take.
 */
#include "chunk_case.h"

#include <math.h>
#include <stdarg.h>

#include "chunk_walk.h"
#include "encoding/bytebuffer.h"
#include "encoding/byteorder.h"
#include "unit.h"

static const uint8_t kind_sizes[] = {0, 1, 2, 4, 8, 4, 8, 0, 0};

void
chunk_case_init(ChunkCase *input, ValueKind kind, ValueClass value_class)
{
	memset(input, 0, sizeof(*input));
	input->kind = kind;
	input->value_class = value_class;
	input->nulls = calloc(CHUNK_MAX_ROWS / 8, 1);
	input->values = calloc(CHUNK_MAX_ROWS, 8);
	input->offsets = calloc(CHUNK_MAX_ROWS + 1, sizeof(uint64_t));
	input->capacity = 1 << 20;
	input->bytes = malloc(input->capacity);
	chunk_options_init(&input->options, OPTIMIZE_BALANCE);
}

void
chunk_case_free(ChunkCase *input)
{
	free(input->nulls);
	free(input->values);
	free(input->offsets);
	free(input->bytes);
}

void
chunk_case_clear(ChunkCase *input)
{
	memset(input->nulls, 0, CHUNK_MAX_ROWS / 8);
	input->has_nulls = false;
	input->nrows = 0;
}

void
chunk_case_add_int(ChunkCase *input, int64_t value)
{
	uint8_t    *out = input->values + (size_t) input->nrows * kind_sizes[input->kind];
	int8_t		byte = (int8_t) value;
	int16_t		word = (int16_t) value;
	int32_t		half = (int32_t) value;

	switch (kind_sizes[input->kind])
	{
		case 1:
			memcpy(out, &byte, 1);
			break;
		case 2:
			memcpy(out, &word, 2);
			break;
		case 4:
			memcpy(out, &half, 4);
			break;
		default:
			memcpy(out, &value, 8);
			break;
	}
	input->nrows++;
}

void
chunk_case_add_float(ChunkCase *input, double value)
{
	int64_t		pattern;
	float		single = (float) value;
	int32_t		half;

	memcpy(&pattern, &value, 8);
	memcpy(&half, &single, 4);
	chunk_case_add_int(input, input->kind == VALUE_FLOAT32 ? half : pattern);
}

void
chunk_case_add_bytes(ChunkCase *input, const void *bytes, size_t length)
{
	uint64_t	start = input->offsets[input->nrows];

	while (start + length > input->capacity)
	{
		input->capacity *= 2;
		input->bytes = realloc(input->bytes, input->capacity);
	}
	if (length > 0)
		memcpy(input->bytes + start, bytes, length);
	input->offsets[++input->nrows] = start + length;
}

void
chunk_case_add_text(ChunkCase *input, const char *format,...)
{
	char		text[1000];
	va_list		arguments;
	int			length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	chunk_case_add_bytes(input, text, (size_t) length);
}

static void
put_word(uint8_t *payload, size_t *length, int word)
{
	uint16_t	native = (uint16_t) word;

	memcpy(payload + *length, &native, 2);
	*length += 2;
}

/* Digit number i of 10,000 of decimals that begin at power 4 * weight. */
static int
digit_at(const char *decimals, size_t ndecimals, size_t i)
{
	int			digit = 0;

	for (size_t k = 4 * i; k < 4 * i + 4; k++)
		digit = digit * 10 + (k < ndecimals ? decimals[k] - '0' : 0);
	return digit;
}

/* As the server's make_result: no zero digits at the ends, short form if it fits. */
static void
add_decimals(ChunkCase *input, bool is_negative, const char *decimals,
			 size_t ndecimals, int weight, int scale)
{
	uint8_t		payload[4096];
	size_t		length = 0;
	size_t		first = 0;
	size_t		last = (ndecimals + 3) / 4;

	while (first < last && digit_at(decimals, ndecimals, first) == 0)
	{
		first++;
		weight--;
	}
	while (last > first && digit_at(decimals, ndecimals, last - 1) == 0)
		last--;
	if (first == last)
	{
		is_negative = false;
		weight = 0;
	}
	if (scale <= 63 && weight >= -64 && weight <= 63)
		put_word(payload, &length,
				 0x8000 | (is_negative ? 0x2000 : 0) | scale << 7 |
				 (weight < 0 ? 0x40 : 0) | (weight & 0x3f));
	else
	{
		put_word(payload, &length, (is_negative ? 0x4000 : 0) | scale);
		put_word(payload, &length, weight);
	}
	for (size_t i = first; i < last; i++)
		put_word(payload, &length, digit_at(decimals, ndecimals, i));
	chunk_case_add_bytes(input, payload, length);
}

void
chunk_case_add_numeric(ChunkCase *input, const char *text)
{
	bool		is_negative = text[0] == '-';
	const char *digits = text + is_negative;
	const char *point = strchr(digits, '.');
	size_t		nwhole = point ? (size_t) (point - digits) : strlen(digits);
	size_t		nfraction = point ? strlen(point + 1) : 0;
	size_t		padding = (4 - nwhole % 4) % 4;
	char		decimals[8192];
	uint8_t		special[2];
	size_t		length = 0;

	if (strcmp(digits, "NaN") == 0 || strcmp(digits, "Infinity") == 0)
	{
		put_word(special, &length,
				 digits[0] == 'N' ? 0xC000 : (is_negative ? 0xF000 : 0xD000));
		chunk_case_add_bytes(input, special, length);
		return;
	}
	memset(decimals, '0', padding);
	memcpy(decimals + padding, digits, nwhole);
	if (point)
		memcpy(decimals + padding + nwhole, point + 1, nfraction);
	add_decimals(input, is_negative, decimals, padding + nwhole + nfraction,
				 (int) ((padding + nwhole) / 4) - 1, (int) nfraction);
}

void
chunk_case_set_null(ChunkCase *input, uint32_t row)
{
	input->nulls[row / 8] |= (uint8_t) (1 << (row % 8));
	input->has_nulls = true;
}

void
chunk_case_add_null(ChunkCase *input)
{
	if (input->kind < VALUE_BYTES)
		chunk_case_add_int(input, 0x5a5a5a5a);
	else
		chunk_case_add_bytes(input, "ignored", 7);
	chunk_case_set_null(input, input->nrows - 1);
}

static bool
case_is_null(const ChunkCase *input, uint32_t row)
{
	return input->has_nulls && (input->nulls[row / 8] >> (row % 8) & 1);
}

void
chunk_case_encode(const ChunkCase *input, ByteBuffer *output,
				  ChunkSummary *summary)
{
	ChunkInput	chunk;

	chunk.kind = input->kind;
	chunk.value_class = input->value_class;
	chunk.nrows = input->nrows;
	chunk.nulls = input->has_nulls ? input->nulls : NULL;
	chunk.values = input->values;
	chunk.offsets = input->offsets;
	chunk.bytes = input->bytes;
	chunk.shape = &input->shape;
	chunk_encode(&chunk, &input->options, output, summary);
}

/* Is a value inside a range?  Strings by the prefixes that ranges keep. */
static bool
string_is_in_range(const uint8_t *bytes, size_t length, const ZoneRange *range)
{
	size_t		common = length < range->min_length ? length : range->min_length;
	int			order = memcmp(bytes, range->min_bytes, common);

	if (order < 0 || (order == 0 && length < range->min_length))
		return false;
	common = length < range->max_length ? length : range->max_length;
	order = memcmp(bytes, range->max_bytes, common);
	return order < 0 ||
		(order == 0 && (length <= range->max_length || range->max_truncated));
}

/* A value of fixed width, widened by its class. */
static int64_t
case_int(const ChunkCase *input, uint32_t row)
{
	bool		is_signed = input->value_class == CLASS_SIGNED;
	int64_t		wide;

	switch (kind_sizes[input->kind])
	{
		case 1:
			wide = is_signed ? ((int8_t *) input->values)[row] : input->values[row];
			break;
		case 2:
			wide = is_signed ? ((int16_t *) input->values)[row] :
				((uint16_t *) input->values)[row];
			break;
		case 4:
			wide = ((uint32_t *) input->values)[row];
			wide = is_signed ? (int32_t) wide : wide;
			break;
		default:
			wide = ((int64_t *) input->values)[row];
			break;
	}
	return wide;
}

static bool
fixed_is_in_range(const ChunkCase *input, uint32_t row, const ZoneRange *range)
{
	int64_t		value = case_int(input, row);
	double		number;

	if (input->kind == VALUE_FLOAT32 || input->kind == VALUE_FLOAT64)
	{
		number = input->kind == VALUE_FLOAT32 ? ((float *) input->values)[row] :
			((double *) input->values)[row];
		if (isnan(number))
			return range->has_nan;
		return number >= range->min_float && number <= range->max_float;
	}
	if (input->value_class == CLASS_UNSIGNED)
		return (uint64_t) value >= (uint64_t) range->min_int &&
			(uint64_t) value <= (uint64_t) range->max_int;
	return value >= range->min_int && value <= range->max_int;
}

static void
check_range(const ChunkCase *input, const char *name, uint32_t row,
			const ZoneRange *range)
{
	if (case_is_null(input, row) || input->kind == VALUE_NUMERIC)
		return;
	if (!range->has_range)
	{
		UNIT_CHECKF(input->value_class == CLASS_NONE ||
					input->nrows <= VECTOR_LENGTH ||
					range->has_nan, "%s: no range at row %u", name, row);
		return;
	}
	if (input->kind == VALUE_BYTES)
		UNIT_CHECKF(string_is_in_range(input->bytes + input->offsets[row],
									   input->offsets[row + 1] - input->offsets[row], range),
					"%s: string outside its range at row %u", name, row);
	else
		UNIT_CHECKF(fixed_is_in_range(input, row, range),
					"%s: value outside its range at row %u", name, row);
}

static bool
string_equals(const ChunkCase *input, uint32_t row, StringRef string)
{
	uint64_t	length = input->offsets[row + 1] - input->offsets[row];

	if (case_is_null(input, row))
		return string.length == 0;
	return string.length == length &&
		(length == 0 ||
		 memcmp(string.data, input->bytes + input->offsets[row], length) == 0);
}

static void
check_fixed(const ChunkCase *input, const char *name, ChunkReader *reader,
			uint32_t vector, uint32_t nvalues, WalkSpace *space)
{
	size_t		size = kind_sizes[input->kind];
	const char *reason = NULL;

	if (!chunk_decode_fixed(reader, vector, space->values, &reason))
	{
		unit_fail(__FILE__, __LINE__, "%s: vector %u: %s", name, vector,
				  reason);
		return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	row = vector * VECTOR_LENGTH + i;

		UNIT_CHECKF(case_is_null(input, row) ||
					memcmp((uint8_t *) space->values + i * size,
						   input->values + row * size, size) == 0,
					"%s: another value at row %u", name, row);
	}
}

static void
check_strings(const ChunkCase *input, const char *name, ChunkReader *reader,
			  uint32_t vector, uint32_t nvalues, WalkSpace *space)
{
	uint64_t	wanted[VECTOR_LENGTH / 64] = {0};
	uint32_t	one = (uint32_t) (unit_random() % nvalues);
	const char *reason = NULL;

	wanted[one / 64] = UINT64_C(1) << (one % 64);
	if (!chunk_decode_strings(reader, vector, wanted, space->strings,
							  &reason) ||
		!string_equals(input, vector * VECTOR_LENGTH + one,
					   space->strings[one]))
		unit_fail(__FILE__, __LINE__,
				  "%s: vector %u: another string at %u: %s", name, vector, one,
				  reason ? reason : "decoded");
	if (!chunk_decode_strings(reader, vector, NULL, space->strings, &reason))
	{
		unit_fail(__FILE__, __LINE__, "%s: vector %u: %s", name, vector,
				  reason);
		return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
		UNIT_CHECKF(string_equals(input, vector * VECTOR_LENGTH + i,
								  space->strings[i]),
					"%s: another string at row %u", name,
					vector * VECTOR_LENGTH + i);
}

/* The value at one position that is not NULL, decoded without the others. */
static void
check_single(const ChunkCase *input, const char *name, ChunkReader *reader,
			 uint32_t vector, uint32_t position)
{
	size_t		size = kind_sizes[input->kind];
	uint32_t	row = vector * VECTOR_LENGTH + position;
	const char *reason = NULL;
	uint64_t	value;
	uint64_t	expected;
	StringRef	string;

	if (size == 0)
	{
		if (!chunk_decode_string(reader, vector, position, &string, &reason))
			unit_fail(__FILE__, __LINE__, "%s: string at row %u: %s", name,
					  row, reason);
		else
			UNIT_CHECKF(string_equals(input, row, string),
						"%s: another single string at row %u", name, row);
		return;
	}
	if (!chunk_decode_value(reader, vector, position, &value, &reason))
	{
		UNIT_CHECKF(reason == NULL, "%s: value at row %u: %s", name, row,
					reason);
		return;
	}
	expected = load_uint(input->values + row * size, (int) size);
	if (HOST_IS_BIG_ENDIAN)
		expected = __builtin_bswap64(expected) >> (64 - 8 * size);
	UNIT_CHECKF((value ^ expected) << (64 - 8 * size) == 0,
				"%s: another single value at row %u", name, row);
}

/* Single values, of a reader that may not have seen the vector yet. */
static void
check_singles(const ChunkCase *input, const char *name, ChunkReader *reader,
			  uint32_t vector, uint32_t nvalues)
{
	uint32_t	positions[] = {0, nvalues - 1,
		(uint32_t) (unit_random() % nvalues),
	(uint32_t) (unit_random() % nvalues)};

	for (int i = 0; i < 4; i++)
		if (!case_is_null(input, vector * VECTOR_LENGTH + positions[i]))
			check_single(input, name, reader, vector, positions[i]);
}

/* Codes and entries say the same as the values. */
static void
check_dictionary(const ChunkCase *input, const char *name, ChunkReader *reader,
				 uint32_t vector, uint32_t nvalues, WalkSpace *space)
{
	size_t		size = kind_sizes[input->kind];
	const char *reason = NULL;
	uint32_t	nentries;

	if (!chunk_has_dictionary(reader, &nentries))
		return;
	if (!chunk_decode_codes(reader, vector, space->codes, &reason) ||
		!chunk_decode_dictionary(reader, space->entries, &reason))
	{
		unit_fail(__FILE__, __LINE__, "%s: dictionary: %s", name, reason);
		return;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	row = vector * VECTOR_LENGTH + i;
		StringRef	entry = space->entries[space->codes[i]];

		UNIT_CHECKF(space->codes[i] < nentries, "%s: code at row %u", name,
					row);
		if (case_is_null(input, row))
			continue;
		UNIT_CHECKF(size > 0 ? entry.length == size &&
					memcmp(entry.data, input->values + row * size, size) == 0 :
					string_equals(input, row, entry),
					"%s: another entry at row %u", name, row);
	}
}

/* What was found without decoding is what has been decoded since. */
static void
check_packed(const ChunkCase *input, const char *name, ChunkReader *reader,
			 uint32_t vector, uint32_t nvalues, WalkSpace *space)
{
	const char *reason = NULL;
	uint32_t	nentries;
	uint8_t		scale;

	if (chunk_has_dictionary(reader, &nentries))
		UNIT_CHECKF(packed_agree(&space->packed_codes, space->codes, 2,
								 space->nulls, nvalues),
					"%s: vector %u: other codes when packed", name, vector);
	if (input->kind == VALUE_BYTES ||
		(input->kind == VALUE_NUMERIC &&
		 !chunk_numeric_uniform(reader, vector, (int64_t *) space->values,
								&scale, &reason)))
		return;
	UNIT_CHECKF(packed_agree(&space->packed, space->values,
							 walk_size(input->kind), space->nulls, nvalues),
				"%s: vector %u: other values when packed", name, vector);
}

static uint32_t
check_nulls(const ChunkCase *input, const char *name, ChunkReader *reader,
			uint32_t vector, uint32_t nvalues, WalkSpace *space)
{
	const char *reason = NULL;
	uint32_t	nnulls = 0;
	uint32_t	nfound = 0;

	if (!chunk_decode_nulls(reader, vector, space->nulls, &nnulls, &reason))
		unit_fail(__FILE__, __LINE__, "%s: nulls of vector %u: %s", name,
				  vector, reason);
	for (uint32_t i = 0; i < VECTOR_LENGTH; i++)
	{
		bool		is_null = space->nulls[i / 64] >> (i % 64) & 1;

		nfound += is_null;
		UNIT_CHECKF(is_null == (i < nvalues &&
								case_is_null(input,
											 vector * VECTOR_LENGTH + i)),
					"%s: null bit of row %u", name,
					vector * VECTOR_LENGTH + i);
	}
	UNIT_CHECKF(nfound == nnulls, "%s: null count of vector %u", name, vector);
	return nnulls;
}

static void
check_vector(const ChunkCase *input, const char *name, ChunkReader *reader,
			 uint32_t vector, const ChunkSummary *summary, WalkSpace *space)
{
	uint32_t	left = input->nrows - vector * VECTOR_LENGTH;
	uint32_t	nvalues = left < VECTOR_LENGTH ? left : VECTOR_LENGTH;
	const char *reason = NULL;
	uint32_t	nnulls;
	ZoneRange	range;

	chunk_vector_zone(reader, vector, &nnulls, &range);
	for (uint32_t row = vector * VECTOR_LENGTH; row < vector * VECTOR_LENGTH + nvalues; row++)
	{
		check_range(input, name, row, &range);
		check_range(input, name, row, &summary->range);
	}
	UNIT_CHECKF(nnulls == check_nulls(input, name, reader, vector, nvalues,
									  space),
				"%s: null count in the zone map of vector %u", name, vector);
	check_singles(input, name, reader, vector, nvalues);
	if (!walk_find_packed(reader, input->kind, nvalues, vector, space, &reason))
		unit_fail(__FILE__, __LINE__, "%s: vector %u, packed: %s", name,
				  vector, reason);
	if (input->kind < VALUE_BYTES)
		check_fixed(input, name, reader, vector, nvalues, space);
	else
		check_strings(input, name, reader, vector, nvalues, space);
	check_singles(input, name, reader, vector, nvalues);
	check_dictionary(input, name, reader, vector, nvalues, space);
	check_packed(input, name, reader, vector, nvalues, space);
}

/* In any order, each vector alone and after others. */
static void
check_all(const ChunkCase *input, const char *name, const ByteBuffer *output,
		  const ChunkSummary *summary, const char *encoding)
{
	uint32_t	nvectors = (input->nrows + VECTOR_LENGTH - 1) / VECTOR_LENGTH;
	WalkSpace  *space = malloc(sizeof(WalkSpace));
	const char *reason = NULL;
	MemorySource memory;
	ChunkReader *reader;

	memory_source_init(&memory, output->data, output->length);
	reader = chunk_open(&memory.source, input->kind, input->nrows,
						&unit_allocator, &reason);
	if (reader == NULL)
	{
		unit_fail(__FILE__, __LINE__, "%s: %s", name, reason);
		free(space);
		return;
	}
	UNIT_CHECKF(encoding == NULL ||
				strcmp(chunk_vector_encoding(reader, 0), encoding) == 0,
				"%s: encoded as %s", name, chunk_vector_encoding(reader, 0));
	for (uint32_t vector = 0; vector < nvectors; vector++)
		check_vector(input, name, reader, vector, summary, space);
	for (uint32_t i = 0; i < 5; i++)
		check_vector(input, name, reader,
					 (uint32_t) (unit_random() % nvectors), summary, space);
	chunk_close(reader);
	free(space);
}

size_t
chunk_case_check(const ChunkCase *input, const char *name,
				 const char *encoding)
{
	size_t		allocated = unit_allocated();
	uint32_t	nnulls = 0;
	ChunkSummary summary;
	ByteBuffer	output;
	size_t		length;

	/* bytes in front must stay, and must not matter */
	bytebuffer_init(&output, &unit_allocator);
	bytebuffer_append(&output, "12345678", 8);
	chunk_case_encode(input, &output, &summary);
	UNIT_CHECKF(memcmp(output.data, "12345678", 8) == 0, "%s: bytes in front",
				name);
	length = output.length - 8;
	memmove(output.data, output.data + 8, length);
	output.length = length;

	for (uint32_t row = 0; row < input->nrows; row++)
		nnulls += case_is_null(input, row);
	UNIT_CHECKF(summary.nnulls == nnulls, "%s: null count", name);
	UNIT_CHECKF(length % 8 == 0, "%s: length %zu", name, length);
	check_all(input, name, &output, &summary, encoding);
	bytebuffer_free(&output);
	UNIT_CHECKF(unit_allocated() == allocated, "%s: memory is left", name);
	return length;
}
