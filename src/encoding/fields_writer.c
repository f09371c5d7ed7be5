/*
 * fields_writer.c
 *		Chunks of strings of one length, divided into numbers.
 *
 * Values of fixed length that are passed by reference, and such of variable
 * length as are alike: intervals, points, addresses, uuids.  Numbers go to
 * streams of integers, one for each field, where they have their natural range,
 * deltas and divisors; what is bytes becomes integers whose most significant
 * byte is the first, so that time-ordered uuids have small deltas.  Where that
 * saves next to nothing, as of random uuids, the strings are kept one behind
 * the other, and are decoded by pointing at them.
 *
 * Few distinct strings are left to a dictionary (string_chunk_writer.c).
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_writer.h"
#include "encoding/dictionary.h"
#include "encoding/fields.h"
#include "encoding/string_sequence.h"

/* Rows that an entry must serve for strings to be left to a dictionary. */
#define DICTIONARY_ROWS_PER_ENTRY 16

/* A dictionary must save a fifth of what fields take; bytes of a code in it. */
#define DICTIONARY_ADVANTAGE 0.8
#define CODE_SIZE 2.0

/* Fields must save a twentieth against the strings as they are. */
#define RAW_ADVANTAGE 0.95

/* Strings in blocks are taken where they save a fifth against a guess. */
#define STRINGS_ADVANTAGE 0.8

/* NULLs, at most, of strings that are kept as they are: one in so many rows. */
#define RAW_MAX_NULL_FRACTION 8

/* Vectors that tell whether fields will save anything. */
#define NSAMPLES 3

typedef struct DividedStrings
{
	ChunkWriter *writer;
	uint32_t	length;
	uint32_t	first_row;		/* that is not NULL */
	int			nfields;
	uint8_t		fields[CHUNK_MAX_FIELDS];
	uint32_t	offsets[CHUNK_MAX_FIELDS];
	bool		may_be_float[CHUNK_MAX_FIELDS];
	int64_t    *values;			/* of one field, all rows */
} DividedStrings;

static inline const uint8_t *
string_at(const ChunkInput *input, uint32_t row)
{
	return input->bytes + input->offsets[row];
}

/* The length of all strings, 0 if they have several, or one that is too long. */
static uint32_t
common_length(const ChunkInput *input, uint32_t first_row)
{
	uint64_t	length = input->offsets[first_row + 1] - input->offsets[first_row];

	if (length > FIELDS_MAX_LENGTH)
		return 0;
	for (uint32_t row = first_row; row < input->nrows; row++)
	{
		if (input->offsets[row + 1] - input->offsets[row] != length &&
			!input_is_null(input, row))
			return 0;
	}
	return (uint32_t) length;
}

/* Apply the shape; returns false if strings are too short or too long for it. */
static bool
divide(DividedStrings *strings, const ValueShape *shape)
{
	uint32_t	offset = 0;

	strings->nfields = 0;
	for (int i = 0; i < shape->nnumbers; i++)
	{
		strings->fields[i] = shape->numbers[i].width |
			(shape->numbers[i].is_float ? FIELD_IS_FLOAT : 0);
		strings->may_be_float[i] = shape->numbers[i].may_be_float;
		strings->offsets[i] = offset;
		strings->nfields++;
		offset += shape->numbers[i].width;
	}
	while (offset < strings->length)
	{
		uint32_t	left = strings->length - offset;
		uint32_t	width = left < 8 ? left : 8;

		if (strings->nfields == CHUNK_MAX_FIELDS)
			return false;
		strings->fields[strings->nfields] = (uint8_t) (width | FIELD_IS_BYTES);
		strings->may_be_float[strings->nfields] = false;
		strings->offsets[strings->nfields++] = offset;
		offset += width;
	}
	return offset == strings->length;
}

/* ---- fields ---- */

#define LOAD(type) \
	do { \
		for (uint32_t i = 0; i < nvalues; i++) \
		{ \
			type		value; \
			memcpy(&value, string_at(input, start + i) + offset, sizeof(value)); \
			out[i] = (int64_t) value; \
		} \
	} while (0)

/* Numbers, which are in the host's byte order. */
static void
load_numbers(const ChunkInput *input, uint32_t start, uint32_t nvalues,
			 uint32_t offset, int field, int64_t *out)
{
	switch (field_width(field))
	{
		case 1:
			LOAD(int8_t);
			break;
		case 2:
			LOAD(int16_t);
			break;
		case 4:
			if (field & FIELD_IS_FLOAT)
				LOAD(uint32_t);
			else
				LOAD(int32_t);
			break;
		default:
			LOAD(int64_t);
			break;
	}
}

/* Bytes, the most significant first. */
static inline uint64_t
load_most_significant(const uint8_t *bytes, int width)
{
	uint64_t	value = 0;

	if (width == 8)
		return __builtin_bswap64(load_le64(bytes));
	if (width == 4)
		return __builtin_bswap32(load_le32(bytes));
	for (int k = 0; k < width; k++)
		value = value << 8 | bytes[k];
	return value;
}

static void
load_bytes(const ChunkInput *input, uint32_t start, uint32_t nvalues,
		   uint32_t offset, int width, int64_t *out)
{
	for (uint32_t i = 0; i < nvalues; i++)
		out[i] = (int64_t) load_most_significant(string_at(input, start + i) + offset,
												 width);
}

/*
 * A vector's values of a field.  Rows that are NULL may have no bytes: they are
 * loaded one by one.
 */
static void
load_vector(const DividedStrings *strings, int field, uint32_t vector,
			const uint64_t *nulls, uint32_t nnulls, int64_t *carry)
{
	const ChunkInput *input = strings->writer->input;
	uint32_t	start = vector * VECTOR_LENGTH;
	uint32_t	nvalues = vector_length(input->nrows, vector);
	uint32_t	offset = strings->offsets[field];
	int			kind = strings->fields[field];
	int64_t    *out = strings->values + start;
	uint32_t	step = nnulls > 0 ? 1 : nvalues;

	for (uint32_t i = 0; i < nvalues; i += step)
	{
		out[i] = 0;
		if (nnulls > 0 && bitmap_get(nulls, i))
			continue;
		if (kind & FIELD_IS_BYTES)
			load_bytes(input, start + i, step, offset, field_width(kind),
					   out + i);
		else
			load_numbers(input, start + i, step, offset, kind, out + i);
	}
	if (nnulls > 0)
		fill_nulls(out, nvalues, nulls, nnulls, *carry);
	*carry = out[nvalues - 1];
}

/*
 * Encode a field of every step-th vector from first on.  A codec opens random
 * bytes slowly and in vain.
 */
static void
encode_field(const DividedStrings *strings, int field, uint32_t first,
			 uint32_t step, IntStreamWriter *stream)
{
	ChunkWriter *writer = strings->writer;
	ChunkOptions options = *writer->options;
	uint64_t	nulls[VALIDITY_WORDS];
	int64_t		carry = 0;

	if (strings->fields[field] & FIELD_IS_BYTES)
		options.codec = CODEC_NONE;
	int_stream_begin(stream, field_int_type(strings->fields[field]), &options,
					 writer->work, writer->allocator);

	/* leading NULLs take the first value */
	load_vector(strings, field, strings->first_row / VECTOR_LENGTH, nulls,
				input_vector_nulls(writer->input,
								   strings->first_row / VECTOR_LENGTH, nulls),
				&carry);
	carry = strings->values[strings->first_row];
	for (uint32_t vector = first; vector < writer->nvectors; vector += step)
	{
		uint32_t	nnulls = input_vector_nulls(writer->input, vector, nulls);

		load_vector(strings, field, vector, nulls, nnulls, &carry);
		int_stream_add(stream, strings->values + vector * VECTOR_LENGTH,
					   vector_length(writer->input->nrows, vector),
					   nnulls > 0 ? nulls : NULL);
	}
}

/* How many bytes a few vectors of a field take. */
static size_t
sample_field(const DividedStrings *strings, int field)
{
	uint32_t	step = strings->writer->nvectors / NSAMPLES + 1;
	IntStreamWriter stream;
	size_t		length;

	encode_field(strings, field, step / 2, step, &stream);
	length = stream.body.length;
	int_stream_end(&stream);
	return length;
}

/* Have fields that may be floats be what takes less. */
static size_t
sample_fields(DividedStrings *strings)
{
	size_t		total = 0;

	for (int i = 0; i < strings->nfields; i++)
	{
		size_t		length = sample_field(strings, i);

		if (strings->may_be_float[i])
		{
			size_t		other;

			strings->fields[i] |= FIELD_IS_FLOAT;
			other = sample_field(strings, i);
			if (other >= length)
				strings->fields[i] &= (uint8_t) ~FIELD_IS_FLOAT;
			else
				length = other;
		}
		total += length;
	}
	return total;
}

/* Bytes of the strings that sample_fields looks at. */
static size_t
sampled_bytes(const DividedStrings *strings)
{
	const ChunkWriter *writer = strings->writer;
	uint32_t	step = writer->nvectors / NSAMPLES + 1;
	size_t		nvalues = 0;

	for (uint32_t vector = step / 2; vector < writer->nvectors; vector += step)
		nvalues += vector_length(writer->input->nrows, vector);
	return nvalues * strings->length;
}

/* Every step-th vector's strings from first on, but NULLs; the caller frees. */
static StringRef *
collect_strings(const DividedStrings *strings, uint32_t first, uint32_t step,
				uint32_t *nstrings)
{
	const ChunkWriter *writer = strings->writer;
	const ChunkInput *input = writer->input;
	StringRef  *refs = allocator_array(writer->allocator, input->nrows,
									   sizeof(StringRef));

	*nstrings = 0;
	for (uint32_t vector = first; vector < writer->nvectors; vector += step)
	{
		uint32_t	start = vector * VECTOR_LENGTH;
		uint32_t	end = start + vector_length(input->nrows, vector);

		for (uint32_t row = start; row < end; row++)
		{
			if (input_is_null(input, row))
				continue;
			refs[*nstrings].data = string_at(input, row);
			refs[(*nstrings)++].length = strings->length;
		}
	}
	return refs;
}

/* How many bytes the vectors that sample_fields looks at take in blocks. */
static double
estimate_as_strings(const DividedStrings *strings)
{
	const ChunkWriter *writer = strings->writer;
	uint32_t	step = writer->nvectors / NSAMPLES + 1;
	uint32_t	nsamples;
	StringRef  *sample = collect_strings(strings, step / 2, step, &nsamples);
	StringPlan	plan;

	string_plan_make(sample, nsamples, false, writer->options,
					 writer->allocator, &plan);
	allocator_release(writer->allocator, sample);
	return plan.length;
}

/* ---- distinct strings and ranges ---- */

static uint64_t
hash_string(const uint8_t *bytes, uint32_t length)
{
	uint64_t	hash = 0;

	for (; length >= 8; length -= 8, bytes += 8)
	{
		hash = (hash ^ load_le64(bytes)) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return (hash ^ load_uint(bytes, (int) length)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* An estimate, as of values of fixed width. */
static uint32_t
count_distinct(const DividedStrings *strings)
{
	const ChunkInput *input = strings->writer->input;
	const Allocator *allocator = strings->writer->allocator;
	uint32_t	ndistinct;
	DistinctCounter counter;

	distinct_counter_init(&counter, allocator);
	for (uint32_t row = 0; row < input->nrows;)
	{
		int64_t		hashes[VECTOR_LENGTH];
		uint32_t	nhashes = 0;

		for (; row < input->nrows && nhashes < VECTOR_LENGTH; row++)
		{
			if (!input_is_null(input, row))
				hashes[nhashes++] = (int64_t) hash_string(string_at(input, row),
														  strings->length);
		}
		distinct_counter_add(&counter, hashes, nhashes);
	}
	ndistinct = distinct_counter_estimate(&counter);
	distinct_counter_free(&counter, allocator);
	return ndistinct;
}

/* Does what builds dictionaries not give up? */
static bool
has_dictionary(const DividedStrings *strings)
{
	const Allocator *allocator = strings->writer->allocator;
	uint32_t	nstrings;
	uint32_t	ndistinct;
	StringRef  *refs = collect_strings(strings, 0, 1, &nstrings);
	uint64_t   *prefixes = allocator_array(allocator, nstrings,
										   sizeof(uint64_t));
	StringDictionary dictionary;
	bool		is_built;

	for (uint32_t i = 0; i < nstrings; i++)
		prefixes[i] = string_prefix(refs[i]);
	is_built = string_dictionary_build(&dictionary, refs, prefixes, nstrings,
									   NULL, allocator, &ndistinct);
	if (is_built)
		string_dictionary_free(&dictionary, allocator);
	allocator_release(allocator, prefixes);
	allocator_release(allocator, refs);
	return is_built;
}

static void
add_zone(DividedStrings *strings, uint32_t vector)
{
	const ChunkInput *input = strings->writer->input;
	uint32_t	start = vector * VECTOR_LENGTH;
	uint32_t	end = start + vector_length(input->nrows, vector);
	ZoneEntry	entry;

	memset(&entry, 0, sizeof(entry));
	for (uint32_t row = start; row < end; row++)
	{
		StringRef	string;

		if (input_is_null(input, row))
			continue;
		string.data = string_at(input, row);
		string.length = strings->length;
		if (!entry.has_range)
			entry.min_string = entry.max_string = string;
		else if (memcmp(string.data, entry.min_string.data, string.length) < 0)
			entry.min_string = string;
		else if (memcmp(string.data, entry.max_string.data, string.length) > 0)
			entry.max_string = string;
		entry.has_range = true;
	}
	zone_writer_add(&strings->writer->zones, &entry);
}

static void
add_zones(DividedStrings *strings)
{
	ChunkWriter *writer = strings->writer;
	ZoneKind	kind = zone_kind_for(writer->input->kind,
									 writer->input->value_class);

	zone_writer_init(&writer->zones, kind);
	if (kind == ZONE_NONE)
		return;
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
		add_zone(strings, vector);
}

/* ---- chunks ---- */

static void
finish(DividedStrings *strings, uint32_t ndistinct, ByteBuffer *output)
{
	ChunkWriter *writer = strings->writer;
	ChunkSummary *summary = writer->summary;

	writer->layout = LAYOUT_FIELDS;
	summary->ndistinct = ndistinct;
	summary->raw_bytes = (uint64_t) (writer->input->nrows - summary->nnulls) *
		strings->length;
	add_zones(strings);
	chunk_writer_assemble(writer, output);
}

/* The strings one behind the other; what NULLs have is zeros. */
static void
encode_raw(DividedStrings *strings, uint32_t ndistinct, ByteBuffer *output)
{
	ChunkWriter *writer = strings->writer;
	const ChunkInput *input = writer->input;
	ByteBuffer	bytes;

	bytebuffer_init(&bytes, writer->allocator);
	(void) bytebuffer_reserve(&bytes, (size_t) input->nrows * strings->length);
	for (uint32_t row = 0; row < input->nrows; row++)
	{
		if (input_is_null(input, row))
			bytebuffer_append_zeros(&bytes, strings->length);
		else
			bytebuffer_append(&bytes, string_at(input, row), strings->length);
	}
	bytebuffer_append_uint(&writer->layout_head, strings->length, 1);
	writer->streams[writer->nstreams++] = &bytes;
	finish(strings, ndistinct, output);
	bytebuffer_free(&bytes);
}

static void
encode_fields(DividedStrings *strings, uint32_t ndistinct, ByteBuffer *output)
{
	ChunkWriter *writer = strings->writer;
	int			nfields = strings->nfields;
	IntStreamWriter *streams = allocator_array(writer->allocator,
											   (size_t) nfields,
											   sizeof(IntStreamWriter));

	bytebuffer_append_uint(&writer->layout_head, strings->length, 1);
	bytebuffer_append(&writer->layout_head, strings->fields, (size_t) nfields);
	for (int i = 0; i < nfields; i++)
	{
		encode_field(strings, i, 0, 1, &streams[i]);
		vector_directory_write(&writer->layout_head, streams[i].nvectors,
							   streams[i].encodings, streams[i].lengths);
		writer->streams[writer->nstreams++] = &streams[i].body;
	}
	writer->flags |= nfields << CHUNK_FIELDS_SHIFT;
	finish(strings, ndistinct, output);
	for (int i = 0; i < nfields; i++)
		int_stream_end(&streams[i]);
	allocator_release(writer->allocator, streams);
}

/* Encode in the way that a sample tells; returns false if none is good. */
static bool
encode_divided(DividedStrings *strings, uint32_t ndistinct, ByteBuffer *output)
{
	const ChunkWriter *writer = strings->writer;
	uint32_t	nrows = writer->input->nrows;
	uint32_t	nvalues = nrows - writer->summary->nnulls;
	double		sampled = (double) sample_fields(strings);
	double		share = sampled / (double) sampled_bytes(strings);
	bool		is_raw = share > RAW_ADVANTAGE &&
		writer->summary->nnulls <= nrows / RAW_MAX_NULL_FRACTION;

	if (writer->input->shape->is_guess &&
		estimate_as_strings(strings) < STRINGS_ADVANTAGE * sampled)
		return false;
	if ((double) ndistinct * (strings->length + 1) + CODE_SIZE * nvalues <
		DICTIONARY_ADVANTAGE * share * strings->length * nvalues &&
		has_dictionary(strings))
		return false;
	if (is_raw)
		encode_raw(strings, ndistinct, output);
	else
		encode_fields(strings, ndistinct, output);
	return true;
}

bool
fields_chunk_encode(ChunkWriter *writer, ByteBuffer *output)
{
	const ChunkInput *input = writer->input;
	uint32_t	nvalues = input->nrows - writer->summary->nnulls;
	uint32_t	ndistinct;
	bool		is_done;
	DividedStrings strings;

	if (input->shape == NULL || !input->shape->is_divided)
		return false;
	strings.writer = writer;
	strings.first_row = 0;
	while (input_is_null(input, strings.first_row))
		strings.first_row++;
	strings.length = common_length(input, strings.first_row);
	if (strings.length == 0 || !divide(&strings, input->shape))
		return false;
	ndistinct = count_distinct(&strings);
	if (ndistinct <= 1 || ndistinct <= nvalues / DICTIONARY_ROWS_PER_ENTRY)
		return false;

	strings.values = allocator_array(writer->allocator, input->nrows,
									 sizeof(int64_t));
	is_done = encode_divided(&strings, ndistinct, output);
	allocator_release(writer->allocator, strings.values);
	return is_done;
}
