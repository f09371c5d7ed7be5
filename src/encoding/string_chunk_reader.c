/*
 * string_chunk_reader.c
 *		Decodes vectors of strings: constants, plain ones and dictionaries.
 *
 * A dictionary is decoded as a whole as soon as that pays; before, while few
 * entries are asked for, only the blocks that hold them are opened.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_reader.h"
#include "encoding/fields.h"

/* Entries that are looked up one by one, in one call and altogether. */
#define POINT_FETCHES_PER_CALL 4
#define POINT_FETCHES_AT_ALL 32

static const StringRef empty_string = {(const uint8_t *) "", 0};

static bool
is_wanted(const uint64_t *wanted, uint32_t position)
{
	return wanted == NULL || bitmap_get(wanted, position);
}

static void
fill_constant(const ChunkReader *reader, uint32_t nvalues, StringRef *strings)
{
	StringRef	constant = empty_string;

	if (reader->layout == LAYOUT_CONSTANT)
	{
		constant.data = reader->constant;
		constant.length = reader->constant_length;
	}
	for (uint32_t i = 0; i < nvalues; i++)
		strings[i] = bitmap_get(reader->nulls, i) ? empty_string : constant;
}

static bool
decode_plain(ChunkReader *reader, uint32_t vector, const uint64_t *wanted,
			 StringRef *strings, const char **reason)
{
	return string_sequence_select(&reader->strings, vector, reader->nulls,
								  chunk_scratch(reader), reason) &&
		string_sequence_fill(&reader->strings,
							 vector_length(reader->nrows, vector), wanted,
							 strings, reason);
}

/* Decode all entries; they stay until the chunk is closed. */
static bool
load_entries(ChunkReader *reader, const char **reason)
{
	StringSequence *sequence = &reader->strings;
	StringRef  *entries;

	if (reader->string_entries != NULL)
		return true;
	entries = reader_array(reader, reader->nentries, sizeof(StringRef));
	for (uint32_t i = 0; i < reader->nentries; i++)
	{
		if ((i % VECTOR_LENGTH != 0 ||
			 string_sequence_select(sequence, i / VECTOR_LENGTH, NULL,
									chunk_scratch(reader), reason)) &&
			string_sequence_get(sequence, i % VECTOR_LENGTH, &entries[i],
								reason))
			continue;
		allocator_release(reader->allocator, entries);
		return false;
	}
	reader->string_entries = entries;
	return true;
}

static uint32_t
count_wanted(const ChunkReader *reader, const uint64_t *wanted,
			 uint32_t nvalues)
{
	uint32_t	nwanted = 0;

	for (uint32_t i = 0; i < nvalues; i++)
		nwanted += is_wanted(wanted, i) && !bitmap_get(reader->nulls, i);
	return nwanted;
}

/* Look up wanted entries one by one. */
static bool
fetch_entries(ChunkReader *reader, uint32_t nvalues, const uint64_t *wanted,
			  StringRef *strings, const char **reason)
{
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	code = reader->codes[i];

		if (!is_wanted(wanted, i))
			continue;
		strings[i] = empty_string;
		if (!bitmap_get(reader->nulls, i) &&
			!(string_sequence_select(&reader->strings, code / VECTOR_LENGTH,
									 NULL, chunk_scratch(reader), reason) &&
			  string_sequence_get(&reader->strings, code % VECTOR_LENGTH,
								  &strings[i], reason)))
			return false;
	}
	return true;
}

static bool
decode_by_dictionary(ChunkReader *reader, uint32_t vector,
					 const uint64_t *wanted, StringRef *strings,
					 const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (!chunk_load_codes(reader, vector, reason))
		return false;
	if (reader->string_entries == NULL)
	{
		uint32_t	nwanted = count_wanted(reader, wanted, nvalues);

		reader->npoint_fetches += nwanted;
		if (nwanted <= POINT_FETCHES_PER_CALL &&
			reader->npoint_fetches <= POINT_FETCHES_AT_ALL)
			return fetch_entries(reader, nvalues, wanted, strings, reason);
		if (!load_entries(reader, reason))
			return false;
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (is_wanted(wanted, i))
			strings[i] = bitmap_get(reader->nulls, i) ? empty_string :
				reader->string_entries[reader->codes[i]];
	}
	return true;
}

bool
chunk_decode_strings(ChunkReader *reader, uint32_t vector,
					 const uint64_t *wanted, StringRef *strings,
					 const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors && !kind_is_fixed(reader->kind));
	ENCODING_CHECK_INTERRUPTS();
	if (reader->strings_vector != vector && reader->string_entries == NULL)
		string_sequence_trim(&reader->strings);
	reader->strings_vector = vector;
	if (!chunk_load_nulls(reader, vector, reason))
		return false;
	switch (reader->layout)
	{
		case LAYOUT_STRINGS:
			return decode_plain(reader, vector, wanted, strings, reason);
		case LAYOUT_STRING_DICTIONARY:
			return decode_by_dictionary(reader, vector, wanted, strings,
										reason);
		case LAYOUT_NUMERIC:
		case LAYOUT_WIDE_NUMERIC:
			return numeric_decode_strings(reader, vector, wanted, strings,
										  reason);
		case LAYOUT_FIELDS:
			return fields_decode_strings(reader, vector, strings, reason);
		default:
			fill_constant(reader, vector_length(reader->nrows, vector),
						  strings);
			return true;
	}
}

/* ---- one string ---- */

static bool
find_by_dictionary(ChunkReader *reader, uint32_t vector, uint32_t position,
				   StringRef *string, const char **reason)
{
	uint32_t	code;

	if (!chunk_code_at(reader, vector, position, &code, reason))
		return false;
	if (reader->string_entries == NULL)
	{
		if (++reader->npoint_fetches <= POINT_FETCHES_AT_ALL)
			return string_sequence_find(&reader->strings, code / VECTOR_LENGTH,
										code % VECTOR_LENGTH, NULL, string,
										chunk_scratch(reader), reason);
		if (!load_entries(reader, reason))
			return false;
	}
	*string = reader->string_entries[code];
	return true;
}

static bool
find_plain(ChunkReader *reader, uint32_t vector, uint32_t position,
		   StringRef *string, const char **reason)
{
	if (!chunk_load_nulls(reader, vector, reason))
		return false;
	return string_sequence_find(&reader->strings, vector, position,
								reader->vector_nnulls > 0 ? reader->nulls : NULL,
								string, chunk_scratch(reader), reason);
}

bool
chunk_decode_string(ChunkReader *reader, uint32_t vector, uint32_t position,
					StringRef *string, const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors && !kind_is_fixed(reader->kind));
	ENCODING_ASSERT(position < vector_length(reader->nrows, vector));
	ENCODING_CHECK_INTERRUPTS();
	if (reader->string_entries == NULL && reader->strings_vector != vector)
		string_sequence_trim(&reader->strings);
	reader->strings_vector = vector;
	switch (reader->layout)
	{
		case LAYOUT_STRINGS:
			return find_plain(reader, vector, position, string, reason);
		case LAYOUT_STRING_DICTIONARY:
			return find_by_dictionary(reader, vector, position, string,
									  reason);
		case LAYOUT_NUMERIC:
		case LAYOUT_WIDE_NUMERIC:
			return numeric_decode_string(reader, vector, position, string,
										 reason);
		case LAYOUT_FIELDS:
			return fields_decode_string(reader, vector, position, string,
										reason);
		case LAYOUT_CONSTANT:
			string->data = reader->constant;
			string->length = reader->constant_length;
			return true;
		default:
			*string = empty_string;
			return true;
	}
}

/* ---- search ---- */

bool
chunk_search_strings(ChunkReader *reader, uint32_t vector,
					 const StringRef *needle, uint64_t *found,
					 const char **reason)
{
	ENCODING_ASSERT(vector < reader->nvectors && !kind_is_fixed(reader->kind));
	ENCODING_CHECK_INTERRUPTS();
	*reason = NULL;
	if (reader->layout != LAYOUT_STRINGS)
		return false;
	if (reader->strings_vector != vector)
		string_sequence_trim(&reader->strings);
	reader->strings_vector = vector;
	return chunk_load_nulls(reader, vector, reason) &&
		string_sequence_select(&reader->strings, vector, reader->nulls,
							   chunk_scratch(reader), reason) &&
		string_sequence_search(&reader->strings,
							   vector_length(reader->nrows, vector), needle,
							   found, reason);
}

/* ---- lengths ---- */

static bool
lengths_by_dictionary(ChunkReader *reader, uint32_t vector, uint32_t *lengths,
					  const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (!chunk_load_codes(reader, vector, reason) ||
		!load_entries(reader, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
		lengths[i] = reader->string_entries[reader->codes[i]].length;
	return true;
}

bool
chunk_decode_lengths(ChunkReader *reader, uint32_t vector, uint32_t *lengths,
					 const char **reason)
{
	StringRef	constant;

	ENCODING_ASSERT(vector < reader->nvectors && reader->kind == VALUE_BYTES);
	if (chunk_constant_string(reader, &constant))
	{
		for (uint32_t i = 0; i < VECTOR_LENGTH; i++)
			lengths[i] = constant.length;
		return true;
	}
	if (reader->layout == LAYOUT_STRING_DICTIONARY)
		return lengths_by_dictionary(reader, vector, lengths, reason);
	if (reader->layout == LAYOUT_FIELDS)
	{
		for (uint32_t i = 0; i < VECTOR_LENGTH; i++)
			lengths[i] = reader->fields->length;
		return true;
	}
	return int_stream_decode(&reader->strings.lengths, reader->source, vector,
							 NULL, lengths, chunk_scratch(reader), reason);
}

bool
chunk_constant_string(ChunkReader *reader, StringRef *string)
{
	ENCODING_ASSERT(!kind_is_fixed(reader->kind));
	*string = empty_string;
	if (reader->layout == LAYOUT_ALL_NULL)
		return true;
	if (reader->layout != LAYOUT_CONSTANT)
		return false;
	string->data = reader->constant;
	string->length = reader->constant_length;
	return true;
}

bool
chunk_decode_dictionary(ChunkReader *reader, StringRef *entries,
						const char **reason)
{
	if (reader->layout == LAYOUT_FIXED_DICTIONARY)
		return fixed_dictionary_decode(reader, entries, reason);
	ENCODING_ASSERT(reader->layout == LAYOUT_STRING_DICTIONARY);
	if (!load_entries(reader, reason))
		return false;
	memcpy(entries, reader->string_entries,
		   reader->nentries * sizeof(StringRef));
	return true;
}
