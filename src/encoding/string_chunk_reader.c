/*
 * string_chunk_reader.c
 *		Decodes vectors of strings: constants, plain ones and dictionaries.
 *
 * Entries of a dictionary are looked up as they are asked for and stay until the
 * chunk is closed: where few rows of each vector are wanted, so are few of the
 * entries.  A call that wants many has all of them decoded, in one go.
 */
#include "encoding/base.h"

#include "encoding/byteorder.h"
#include "encoding/chunk_reader.h"
#include "encoding/fields.h"

/* Strings that a call looks up one by one at most. */
#define MAX_LOOKUPS (VECTOR_LENGTH / 4)

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

/* Have the array of entries, of which none may have been looked up. */
static void
prepare_entries(ChunkReader *reader)
{
	size_t		length = reader->nentries * sizeof(StringRef);

	if (reader->string_entries != NULL)
		return;
	string_sequence_keep(&reader->strings);
	reader->string_entries = reader_array(reader, reader->nentries,
										  sizeof(StringRef));
	memset(reader->string_entries, 0, length);
}

/* Look an entry up, which has not been. */
static bool
load_entry(ChunkReader *reader, uint32_t code, const char **reason)
{
	StringRef	entry;

	if (!string_sequence_select(&reader->strings, code / VECTOR_LENGTH, NULL,
								chunk_scratch(reader), reason) ||
		!string_sequence_get(&reader->strings, code % VECTOR_LENGTH, &entry,
							 reason))
		return false;
	reader->string_entries[code] = entry;
	return true;
}

static inline bool
get_entry(ChunkReader *reader, uint32_t code, StringRef *string,
		  const char **reason)
{
	if (reader->string_entries[code].data == NULL &&
		!load_entry(reader, code, reason))
		return false;
	*string = reader->string_entries[code];
	return true;
}

/* Decode all entries. */
static bool
load_entries(ChunkReader *reader, const char **reason)
{
	StringSequence *sequence = &reader->strings;
	uint32_t	nvectors = vector_count(reader->nentries);

	if (reader->has_all_entries)
		return true;
	prepare_entries(reader);
	for (uint32_t vector = 0; vector < nvectors; vector++)
	{
		if (!string_sequence_take(sequence, vector,
								  reader->string_entries + vector * VECTOR_LENGTH,
								  chunk_scratch(reader), reason))
			return false;
	}
	reader->has_all_entries = true;
	return true;
}

/* Does a call want so many strings that all entries are better decoded? */
static bool
wants_many(const uint64_t *wanted)
{
	uint32_t	nwanted = 0;

	if (wanted == NULL)
		return true;
	for (uint32_t word = 0; word < VECTOR_LENGTH / 64; word++)
		nwanted += (uint32_t) __builtin_popcountll(wanted[word]);
	return nwanted > MAX_LOOKUPS;
}

static bool
decode_by_dictionary(ChunkReader *reader, uint32_t vector,
					 const uint64_t *wanted, StringRef *strings,
					 const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (!chunk_load_codes(reader, vector, reason))
		return false;
	prepare_entries(reader);
	if (!reader->has_all_entries && wants_many(wanted) &&
		!load_entries(reader, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (!is_wanted(wanted, i))
			continue;
		if (bitmap_get(reader->nulls, i))
			strings[i] = empty_string;
		else if (!get_entry(reader, reader->codes[i], &strings[i], reason))
			return false;
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
	if (reader->strings_vector != vector &&
		reader->layout == LAYOUT_STRINGS)
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
	prepare_entries(reader);
	return get_entry(reader, code, string, reason);
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
	if (reader->strings_vector != vector &&
		reader->layout == LAYOUT_STRINGS)
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

/* Lengths of all entries, of which none needs to be decoded. */
static bool
load_entry_lengths(ChunkReader *reader, const char **reason)
{
	const StringSequence *sequence = &reader->strings;
	uint32_t   *lengths;

	if (reader->entry_lengths != NULL)
		return true;
	lengths = reader_array(reader, reader->nentries + DECODE_SLACK_VALUES,
						   sizeof(uint32_t));
	for (uint32_t i = 0; i < reader->nentries; i += VECTOR_LENGTH)
	{
		if (int_stream_decode(&sequence->lengths, reader->source,
							  i / VECTOR_LENGTH, NULL, lengths + i,
							  chunk_scratch(reader), reason))
			continue;
		allocator_release(reader->allocator, lengths);
		return false;
	}
	reader->entry_lengths = lengths;
	return true;
}

static bool
lengths_by_dictionary(ChunkReader *reader, uint32_t vector, uint32_t *lengths,
					  const char **reason)
{
	uint32_t	nvalues = vector_length(reader->nrows, vector);

	if (!chunk_load_codes(reader, vector, reason) ||
		!load_entry_lengths(reader, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
		lengths[i] = reader->entry_lengths[reader->codes[i]];
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
chunk_is_ascii(ChunkReader *reader)
{
	StringRef	constant;

	if (!chunk_constant_string(reader, &constant))
		return (reader->flags & CHUNK_IS_ASCII) != 0;
	for (uint32_t i = 0; i < constant.length; i++)
	{
		if (constant.data[i] >= 128)
			return false;
	}
	return true;
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
