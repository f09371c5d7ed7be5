/*
 * string_chunk_writer.c
 *		Chunks of strings: one value, plain, or by dictionary.
 *
 * Numerics that are no scaled integers come here, too; their digits are 16-bit
 * words in the server's byte order, which on disk is little-endian.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_writer.h"
#include "encoding/dictionary.h"
#include "encoding/string_sequence.h"

/* A dictionary is taken if it costs at most so much of plain ... */
#define DICTIONARY_ADVANTAGE 0.9

/* ... or if each entry serves so many rows. */
#define DICTIONARY_ROWS_PER_ENTRY 16

/* ... and never if more than all but so many values are distinct. */
#define DICTIONARY_MIN_REPEATS 8

/* A dictionary whose size does not matter beside its codes. */
#define SMALL_DICTIONARY_ROWS_PER_ENTRY 8

/* What an entry's length and place cost at least, in bytes. */
#define ENTRY_OVERHEAD 1.0

/* Nanoseconds to decode a code. */
#define COST_CODE 0.4

typedef struct StringValues
{
	StringRef  *strings;		/* by row; of length 0 if NULL */
	uint64_t   *prefixes;		/* string_prefix of each */
	ByteBuffer	swapped;		/* of numerics, on big-endian hosts */
	bool		is_constant;
	StringRef	first;			/* the first value */
} StringValues;

/* The input's bytes, little-endian. */
static const uint8_t *
input_bytes(const ChunkWriter *writer, StringValues *values)
{
	const ChunkInput *input = writer->input;

	if (input->kind != VALUE_NUMERIC || !HOST_IS_BIG_ENDIAN)
		return input->bytes;
	for (uint32_t row = 0; row < input->nrows; row++)
	{
		size_t		start = values->swapped.length;
		size_t		length = (size_t) (input->offsets[row + 1] - input->offsets[row]);

		bytebuffer_append(&values->swapped, input->bytes + input->offsets[row],
						  length);
		if (length > 0)
			swap_words(values->swapped.data + start, length);
	}
	return values->swapped.data;
}

/* Whether all strings are the same; NULLs do not count. */
static void
find_constant(const ChunkInput *input, StringValues *values)
{
	bool		is_first = true;

	values->is_constant = true;
	for (uint32_t row = 0; row < input->nrows && values->is_constant; row++)
	{
		if (input_is_null(input, row))
			continue;
		if (is_first)
			values->first = values->strings[row];
		else
			values->is_constant = string_compare(values->first,
												 values->strings[row]) == 0;
		is_first = false;
	}
}

static void
collect_strings(ChunkWriter *writer, StringValues *values)
{
	const ChunkInput *input = writer->input;
	const uint64_t *offsets = input->offsets;
	const uint8_t *bytes = input_bytes(writer, values);
	uint64_t	base = bytes == input->bytes ? 0 : offsets[0];
	uint64_t	end = offsets[input->nrows];

	for (uint32_t row = 0; row < input->nrows; row++)
	{
		StringRef	string = {(const uint8_t *) "", 0};
		uint64_t	prefix = 0;

		if (offsets[row + 1] > offsets[row] && !input_is_null(input, row))
		{
			string.length = (uint32_t) (offsets[row + 1] - offsets[row]);
			string.data = bytes + (offsets[row] - base);
			prefix = end - offsets[row] >= 8 ?
				string_prefix_inside(string) : string_prefix(string);
		}
		values->strings[row] = string;
		values->prefixes[row] = prefix;
		writer->summary->raw_bytes += string.length;
	}
	find_constant(input, values);
}

static void
add_zones(ChunkWriter *writer, const StringValues *values)
{
	const ChunkInput *input = writer->input;
	uint64_t	nulls[VALIDITY_WORDS];

	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);
		ZoneEntry	entry;

		memset(&entry, 0, sizeof(entry));
		zone_entry_add_strings(&entry, values->strings + vector * VECTOR_LENGTH,
							   values->prefixes + vector * VECTOR_LENGTH,
							   vector_length(input->nrows, vector),
							   nnulls > 0 ? nulls : NULL);
		zone_writer_add(&writer->zones, &entry);
	}
}

static void
encode_constant(ChunkWriter *writer, StringRef value, ByteBuffer *output)
{
	writer->layout = LAYOUT_CONSTANT;
	bytebuffer_append_uint(&writer->layout_head, value.length, 4);
	bytebuffer_append(&writer->layout_head, value.data, value.length);
	if (writer->zones.nvectors > 1)
		writer->zones.nvectors = 1; /* the value is its own zone map */
	writer->summary->ndistinct = 1;
	chunk_writer_assemble(writer, output);
}

/* Are all bytes of the input below 128? */
static bool
is_ascii(const ChunkInput *input)
{
	const uint8_t *bytes = input->bytes + input->offsets[0];
	uint64_t	length = input->offsets[input->nrows] - input->offsets[0];
	uint64_t	bits = 0;
	uint64_t	i = 0;

	if (input->kind != VALUE_BYTES)
		return false;
	for (; i + 8 <= length; i += 8)
		bits |= load_le64(bytes + i);
	for (; i < length; i++)
		bits |= bytes[i];
	return (bits & UINT64_C(0x8080808080808080)) == 0;
}

static void
add_sequence(ChunkWriter *writer, const StringSequenceWriter *sequence,
			 const StringPlan *plan)
{
	writer->block_codec = (uint8_t) (plan->form.codec |
									 plan->form.plane_shift << CHUNK_PLANE_SHIFT);
	if (plan->form.has_prefixes)
		writer->flags |= CHUNK_HAS_PREFIXES;
	if (is_ascii(writer->input))
		writer->flags |= CHUNK_IS_ASCII;
	string_sequence_write_head(sequence, &writer->layout_head);
	writer->streams[writer->nstreams++] = &sequence->lengths.body;
	if (plan->form.has_prefixes)
		writer->streams[writer->nstreams++] = &sequence->prefixes.body;
	writer->streams[writer->nstreams++] = &sequence->index;
	writer->streams[writer->nstreams++] = &sequence->blocks;
}

/*
 * A lookup decompresses one block for a string, so that blocks of dictionaries
 * with few entries are smaller than asked for: they take more, but little beside
 * the codes.
 */
static void
entry_options(const ChunkWriter *writer, uint32_t nentries,
			  ChunkOptions *options)
{
	*options = *writer->options;
	if (nentries <= writer->input->nrows / SMALL_DICTIONARY_ROWS_PER_ENTRY)
		options->block_size /= 2;
}

static void
encode_plain(ChunkWriter *writer, const StringValues *values,
			 const StringPlan *plan, ByteBuffer *output)
{
	StringSequenceWriter sequence;

	string_sequence_encode(&sequence, values->strings, writer->input->nrows,
						   writer->input->nulls, plan, writer->options,
						   writer->work, writer->allocator);
	writer->layout = LAYOUT_STRINGS;
	add_sequence(writer, &sequence, plan);
	chunk_writer_assemble(writer, output);
	string_sequence_end(&sequence);
}

static void
encode_codes(ChunkWriter *writer, const StringDictionary *dictionary,
			 IntStreamWriter *codes)
{
	const ChunkInput *input = writer->input;
	IntType		type = {2, false, false};
	int64_t    *wide = writer->work->decimals;
	uint64_t	nulls[VALIDITY_WORDS];
	int64_t		carry = 0;

	int_stream_begin(codes, type, writer->options, writer->work,
					 writer->allocator);
	for (uint32_t vector = 0; vector < writer->nvectors; vector++)
	{
		uint32_t	nvalues = vector_length(input->nrows, vector);
		uint32_t	nnulls = input_vector_nulls(input, vector, nulls);

		fixed_vector_load(VALUE_INT16, false, dictionary->codes,
						  vector * VECTOR_LENGTH, nvalues, nulls, nnulls, wide,
						  &carry);
		int_stream_add(codes, wide, nvalues, nnulls > 0 ? nulls : NULL);
	}
}

/* How the values are best stored without a dictionary. */
static void
plan_plain(const ChunkWriter *writer, const StringValues *values,
		   StringPlan *plan)
{
	string_plan_make(values->strings, writer->input->nrows,
					 writer->input->kind == VALUE_NUMERIC, writer->options,
					 writer->allocator, plan);
}

/* Does the dictionary with these codes cost little enough? */
static bool
dictionary_pays(const ChunkWriter *writer, const StringPlan *plain,
				const StringPlan *entries, uint32_t nentries,
				size_t codes_length)
{
	uint32_t	nvalues = writer->input->nrows - writer->summary->nnulls;
	double		bytes_per_ns = writer->options->codec_bytes_per_ns;
	double		extra = (double) codes_length + ENTRY_OVERHEAD * nentries;

	return entries->score + extra / bytes_per_ns + COST_CODE * nvalues <=
		DICTIONARY_ADVANTAGE * (plain->score +
								ENTRY_OVERHEAD * nvalues / bytes_per_ns);
}

static void
encode_dictionary(ChunkWriter *writer, const StringDictionary *dictionary,
				  const IntStreamWriter *codes, const StringPlan *plan,
				  const ChunkOptions *options, ByteBuffer *output)
{
	StringSequenceWriter entries;

	writer->layout = LAYOUT_STRING_DICTIONARY;
	string_sequence_encode(&entries, dictionary->entries, dictionary->nentries,
						   NULL, plan, options, writer->work,
						   writer->allocator);
	bytebuffer_append_uint(&writer->layout_head, dictionary->nentries, 4);
	vector_directory_write(&writer->layout_head, codes->nvectors,
						   codes->encodings, codes->lengths);
	writer->streams[writer->nstreams++] = &codes->body;
	add_sequence(writer, &entries, plan);
	chunk_writer_assemble(writer, output);
	string_sequence_end(&entries);
}

/*
 * Finish by dictionary if that pays; else plain is how to store the values
 * without one.
 */
static bool
try_dictionary(ChunkWriter *writer, const StringValues *values,
			   StringPlan *plain, ByteBuffer *output)
{
	uint32_t	nvalues = writer->input->nrows - writer->summary->nnulls;
	StringDictionary dictionary;
	IntStreamWriter codes;
	ChunkOptions options;
	StringPlan	plan;
	bool		pays;

	if (!string_dictionary_build(&dictionary, values->strings,
								 values->prefixes, writer->input->nrows,
								 writer->input->nulls,
								 writer->allocator,
								 &writer->summary->ndistinct) ||
		dictionary.nentries > nvalues - nvalues / DICTIONARY_MIN_REPEATS)
	{
		string_dictionary_free(&dictionary, writer->allocator);
		plan_plain(writer, values, plain);
		return false;
	}
	entry_options(writer, dictionary.nentries, &options);
	string_plan_make(dictionary.entries, dictionary.nentries,
					 writer->input->kind == VALUE_NUMERIC, &options,
					 writer->allocator, &plan);
	encode_codes(writer, &dictionary, &codes);
	pays = dictionary.nentries <= nvalues / DICTIONARY_ROWS_PER_ENTRY;
	if (!pays)
	{
		plan_plain(writer, values, plain);
		pays = dictionary_pays(writer, plain, &plan, dictionary.nentries,
							   codes.body.length);
	}
	if (pays)
		encode_dictionary(writer, &dictionary, &codes, &plan, &options, output);
	int_stream_end(&codes);
	string_dictionary_free(&dictionary, writer->allocator);
	return pays;
}

void
string_chunk_encode(ChunkWriter *writer, ByteBuffer *output)
{
	const ChunkInput *input = writer->input;
	ZoneKind	zone_kind = input->kind == VALUE_BYTES ?
		zone_kind_for(input->kind, input->value_class) : ZONE_NONE;
	StringValues values;
	StringPlan	plain;

	bytebuffer_init(&values.swapped, writer->allocator);
	values.strings = allocator_array(writer->allocator, input->nrows,
									 sizeof(StringRef));
	values.prefixes = allocator_array(writer->allocator, input->nrows,
									  sizeof(uint64_t));
	zone_writer_init(&writer->zones, zone_kind);
	collect_strings(writer, &values);
	if (zone_kind != ZONE_NONE)
		add_zones(writer, &values);
	if (values.is_constant && input->kind == VALUE_BYTES &&
		values.first.length <= CONSTANT_MAX_LENGTH)
		encode_constant(writer, values.first, output);
	else if (!try_dictionary(writer, &values, &plain, output))
		encode_plain(writer, &values, &plain, output);
	allocator_release(writer->allocator, values.strings);
	allocator_release(writer->allocator, values.prefixes);
	bytebuffer_free(&values.swapped);
}
