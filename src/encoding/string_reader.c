/*
 * string_reader.c
 *		Reads strings of a sequence, opening only the blocks asked for.
 *
 * Without prefixes a string lies in its block.  With them it is put together,
 * behind the one before it, in the text of its vector: from the last string
 * without a prefix on, if only a few of a vector are asked for.
 */
#include "encoding/base.h"

#include "encoding/byte_search.h"
#include "encoding/byteorder.h"
#include "encoding/string_sequence.h"

bool
string_sequence_parse(ByteCursor *head, uint32_t nvalues, StringForm form,
					  const uint64_t *offsets, const uint64_t *lengths,
					  ChunkSource *source, const Allocator *allocator,
					  StringSequence *sequence)
{
	IntType		type = {4, false, false};
	IntType		prefix_type = {1, false, false};
	uint32_t	nvectors = vector_count(nvalues);
	int			next = form.has_prefixes ? 2 : 1;	/* stream behind those */

	memset(sequence, 0, sizeof(*sequence));
	sequence->form = form;
	sequence->source = source;
	sequence->allocator = allocator;
	sequence->nblocks = (uint32_t) cursor_uint(head, 4);
	sequence->index_offset = offsets[next];
	sequence->index_length = lengths[next];
	sequence->blocks_offset = offsets[next + 1];
	sequence->blocks_length = lengths[next + 1];
	if (head->failed || sequence->nblocks > nvalues)
		return false;
	if (nvectors > 1 &&
		!packed_column_parse(head, nvectors, &sequence->vector_starts))
		return false;
	return int_stream_parse(head, type, nvalues, offsets[0], lengths[0],
							&sequence->lengths) &&
		(!form.has_prefixes ||
		 int_stream_parse(head, prefix_type, nvalues, offsets[1], lengths[1],
						  &sequence->prefixes));
}

/* ---- memory of vectors ---- */

static StringVector *
vector_create(StringSequence *sequence)
{
	const Allocator *allocator = sequence->allocator;
	StringVector *vector = allocator_array(allocator, 1, sizeof(*vector));

	memset(vector, 0, sizeof(*vector));
	vector->lengths = allocator_array(allocator,
									  VECTOR_LENGTH + DECODE_SLACK_VALUES,
									  sizeof(uint32_t));
	vector->offsets = allocator_array(allocator, VECTOR_LENGTH,
									  sizeof(uint64_t));
	if (!sequence->form.has_prefixes)
		return vector;
	vector->prefixes = allocator_array(allocator,
									   VECTOR_LENGTH + DECODE_SLACK_VALUES,
									   sizeof(uint8_t));
	vector->places = allocator_array(allocator, VECTOR_LENGTH,
									 sizeof(uint64_t));
	return vector;
}

/* Free all but the text. */
static void
vector_settle(const Allocator *allocator, StringVector *vector)
{
	allocator_release(allocator, vector->lengths);
	allocator_release(allocator, vector->offsets);
	allocator_release(allocator, vector->prefixes);
	allocator_release(allocator, vector->places);
	vector->lengths = NULL;
	vector->offsets = NULL;
	vector->prefixes = NULL;
	vector->places = NULL;
}

static void
vector_free(const Allocator *allocator, StringVector *vector)
{
	if (vector == NULL)
		return;
	vector_settle(allocator, vector);
	allocator_release(allocator, vector->text);
	allocator_release(allocator, vector);
}

/* Have room for the text of a vector, which is empty so far. */
static void
vector_reserve_text(const Allocator *allocator, StringVector *vector,
					size_t length)
{
	memset(vector->done, 0, sizeof(vector->done));
	vector->is_whole = false;
	if (length <= vector->text_room && vector->text != NULL)
		return;
	allocator_release(allocator, vector->text);
	vector->text = NULL;
	vector->text = allocator_array(allocator, length + 1, 1);
	vector->text_room = length;
}

void
string_sequence_keep(StringSequence *sequence)
{
	uint32_t	nvectors = sequence->lengths.directory.nvectors;

	ENCODING_ASSERT(sequence->selected == NULL);
	if (sequence->kept != NULL)
		return;
	sequence->kept = allocator_array(sequence->allocator, nvectors,
									 sizeof(StringVector *));
	memset(sequence->kept, 0, nvectors * sizeof(StringVector *));
}

void
string_sequence_close(StringSequence *sequence)
{
	const Allocator *allocator = sequence->allocator;

	string_blocks_close(sequence);
	for (uint32_t i = 0; sequence->kept != NULL &&
		 i < sequence->lengths.directory.nvectors; i++)
		vector_free(allocator, sequence->kept[i]);
	allocator_release(allocator, sequence->kept);
	vector_free(allocator, sequence->spare);
	allocator_release(allocator, sequence->length_buffer);
	memset(sequence, 0, sizeof(*sequence));
}

/* ---- selecting a vector ---- */

/* Raw bytes in front of a vector, or of all vectors. */
static uint64_t
vector_start(const StringSequence *sequence, uint32_t vector)
{
	if (vector == sequence->lengths.directory.nvectors)
		return sequence->raw_starts[sequence->nblocks];
	return vector == 0 ? 0 : packed_column_get(&sequence->vector_starts,
											   vector);
}

/* Where a vector's bytes begin, and that it is within all of them. */
static bool
find_vector_start(const StringSequence *sequence, uint32_t vector,
				  uint64_t *start, const char **reason)
{
	*start = vector_start(sequence, vector);
	*reason = "vector of strings begins behind their bytes";
	return *start <= sequence->raw_starts[sequence->nblocks];
}

static bool
decode_lengths(StringSequence *sequence, uint32_t vector, uint32_t *lengths,
			   IntScratch *scratch, const char **reason)
{
	return int_stream_decode(&sequence->lengths, sequence->source, vector,
							 NULL, lengths, scratch, reason);
}

static void
clear_null_lengths(uint32_t *lengths, const uint64_t *nulls, uint32_t nvalues)
{
	for (uint32_t i = 0; nulls != NULL && i < nvalues; i++)
	{
		if (bitmap_get(nulls, i))
			lengths[i] = 0;
	}
}

/*
 * Raw bytes of each string, and its place in the text, from the lengths and
 * prefixes.  NULLs have neither, so that the string behind one has no prefix.
 */
static bool
place_strings(StringSequence *sequence, StringVector *vector, uint64_t *offset,
			  const uint64_t *nulls, uint32_t nvalues, IntScratch *scratch,
			  const char **reason)
{
	uint32_t	before = 0;
	uint64_t	place = 0;

	if (!int_stream_decode(&sequence->prefixes, sequence->source,
						   vector->vector, NULL, vector->prefixes, scratch,
						   reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint32_t	length = vector->lengths[i];
		uint32_t	prefix = vector->prefixes[i];

		if (nulls != NULL && bitmap_get(nulls, i))
			prefix = vector->prefixes[i] = 0;
		if (prefix > length || prefix > before)
		{
			*reason = "prefix is longer than its string";
			return false;
		}
		vector->offsets[i] = *offset;
		vector->places[i] = place;
		*offset += length - prefix;
		place += length;
		before = length;
	}
	return true;
}

/* Fill in a StringVector whose number is set. */
static bool
load_vector(StringSequence *sequence, StringVector *vector,
			const uint64_t *nulls, IntScratch *scratch, const char **reason)
{
	uint32_t	nvalues = vector_length(sequence->lengths.nvalues,
										vector->vector);
	uint64_t	offset;

	if (!string_blocks_open_index(sequence, reason) ||
		!decode_lengths(sequence, vector->vector, vector->lengths, scratch,
						reason) ||
		!find_vector_start(sequence, vector->vector, &offset, reason))
		return false;
	clear_null_lengths(vector->lengths, nulls, nvalues);
	if (!sequence->form.has_prefixes)
	{
		for (uint32_t i = 0; i < nvalues; i++)
		{
			vector->offsets[i] = offset;
			offset += vector->lengths[i];
		}
	}
	else if (!place_strings(sequence, vector, &offset, nulls, nvalues, scratch,
							reason))
		return false;
	if (offset != vector_start(sequence, vector->vector + 1) ||
		offset > sequence->raw_starts[sequence->nblocks])
	{
		*reason = "lengths of strings do not match their bytes";
		return false;
	}
	if (sequence->form.has_prefixes)
		vector_reserve_text(sequence->allocator, vector,
							(size_t) (vector->places[nvalues - 1] +
									  vector->lengths[nvalues - 1]));
	return true;
}

bool
string_sequence_select(StringSequence *sequence, uint32_t vector,
					   const uint64_t *nulls, IntScratch *scratch,
					   const char **reason)
{
	StringVector *found;

	if (sequence->selected != NULL && sequence->selected->vector == vector)
		return true;
	if (sequence->kept != NULL && sequence->kept[vector] != NULL)
	{
		sequence->selected = sequence->kept[vector];
		return true;
	}
	sequence->selected = NULL;
	if (sequence->spare == NULL)
		sequence->spare = vector_create(sequence);
	found = sequence->spare;
	found->vector = vector;
	if (!load_vector(sequence, found, nulls, scratch, reason))
		return false;
	if (sequence->kept != NULL)
	{
		sequence->kept[vector] = found;
		sequence->spare = NULL;
	}
	sequence->selected = found;
	return true;
}

bool
string_sequence_take(StringSequence *sequence, uint32_t vector,
					 StringRef *strings, IntScratch *scratch,
					 const char **reason)
{
	if (sequence->kept[vector] != NULL && sequence->kept[vector]->is_settled)
		return true;
	if (!string_sequence_select(sequence, vector, NULL, scratch, reason) ||
		!string_sequence_fill(sequence,
							  vector_length(sequence->lengths.nvalues, vector),
							  NULL, strings, reason))
		return false;
	if (sequence->form.has_prefixes)
	{
		vector_settle(sequence->allocator, sequence->selected);
		sequence->selected->is_settled = true;
		sequence->selected = NULL;
		string_sequence_trim(sequence);
	}
	return true;
}

/* ---- strings ---- */

/* The bytes of length at a raw offset, which are of one string. */
static bool
get_bytes(StringSequence *sequence, uint64_t offset, uint32_t length,
		  const uint8_t **bytes, const char **reason)
{
	uint32_t	block;

	*bytes = (const uint8_t *) "";
	if (length == 0)
		return true;
	if (!string_blocks_open(sequence, offset, reason))
		return false;
	block = sequence->last_block;
	if (offset + length > sequence->raw_starts[block + 1])
	{
		*reason = "string crosses the end of its block";
		return false;
	}
	*bytes = sequence->block_bytes[block] +
		(offset - sequence->raw_starts[block]);
	return true;
}

/* memcpy of what is mostly short. */
static inline void
copy_bytes(uint8_t *target, const uint8_t *source, size_t length)
{
	uint64_t	first;
	uint64_t	last;

	if (length > 16 || length < 8)
	{
		/* Nothing may be copied from nowhere. */
		if (length > 0)
			memcpy(target, source, length);
		return;
	}
	memcpy(&first, source, 8);
	memcpy(&last, source + length - 8, 8);
	memcpy(target, &first, 8);
	memcpy(target + length - 8, &last, 8);
}

/*
 * Put strings together from position first, which has no prefix or whose
 * neighbour has been put together, to last.
 */
static bool
put_together(StringSequence *sequence, StringVector *vector, uint32_t first,
			 uint32_t last, const char **reason)
{
	const uint8_t *bytes = (const uint8_t *) "";	/* of the block used last */
	uint64_t	start = 0;
	uint64_t	limit = 0;

	for (uint32_t i = first; i <= last; i++)
	{
		uint8_t    *target = vector->text + vector->places[i];
		uint32_t	prefix = vector->prefixes[i];
		uint32_t	rest = vector->lengths[i] - prefix;
		uint64_t	offset = vector->offsets[i];

		if (bitmap_get(vector->done, i))
			continue;
		if (prefix > 0)
			copy_bytes(target, vector->text + vector->places[i - 1], prefix);
		if (offset >= start && offset + rest <= limit)
			copy_bytes(target + prefix, bytes + (offset - start), rest);
		else if (rest > 0)
		{
			const uint8_t *source;

			if (!get_bytes(sequence, offset, rest, &source, reason))
				return false;
			copy_bytes(target + prefix, source, rest);
			start = sequence->raw_starts[sequence->last_block];
			limit = sequence->raw_starts[sequence->last_block + 1];
			bytes = sequence->block_bytes[sequence->last_block];
		}
		bitmap_set(vector->done, i);
	}
	return true;
}

/* Have the string at a position of the selected vector in its text. */
static bool
complete_string(StringSequence *sequence, uint32_t position,
				const char **reason)
{
	StringVector *vector = sequence->selected;
	uint32_t	first = position;

	if (vector->is_whole || bitmap_get(vector->done, position))
		return true;
	while (vector->prefixes[first] > 0 &&
		   !bitmap_get(vector->done, first - 1))
		first--;
	return put_together(sequence, vector, first, position, reason);
}

/* The same of all strings. */
static bool
complete_vector(StringSequence *sequence, const char **reason)
{
	StringVector *vector = sequence->selected;
	uint32_t	nvalues = vector_length(sequence->lengths.nvalues,
										vector->vector);

	if (!vector->is_whole &&
		!put_together(sequence, vector, 0, nvalues - 1, reason))
		return false;
	vector->is_whole = true;
	return true;
}

bool
string_sequence_get(StringSequence *sequence, uint32_t position,
					StringRef *string, const char **reason)
{
	StringVector *vector = sequence->selected;

	ENCODING_ASSERT(vector != NULL && position < VECTOR_LENGTH);
	string->length = vector->lengths[position];
	if (!sequence->form.has_prefixes)
		return get_bytes(sequence, vector->offsets[position], string->length,
						 &string->data, reason);
	if (!complete_string(sequence, position, reason))
		return false;
	string->data = vector->text + vector->places[position];
	return true;
}

/* string_sequence_fill from blocks. */
static bool
fill_from_blocks(StringSequence *sequence, uint32_t nvalues,
				 const uint64_t *wanted, StringRef *strings,
				 const char **reason)
{
	const StringVector *vector = sequence->selected;
	const uint8_t *bytes = (const uint8_t *) "";	/* of the block used last */
	uint64_t	start = 0;
	uint64_t	limit = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	offset = vector->offsets[i];
		uint32_t	length = vector->lengths[i];

		if (wanted != NULL && !bitmap_get(wanted, i))
			continue;
		strings[i].length = length;
		if (offset >= start && offset + length <= limit)
		{
			strings[i].data = bytes + (offset - start);
			continue;
		}
		if (!get_bytes(sequence, offset, length, &strings[i].data, reason))
			return false;
		if (length > 0)
		{
			bytes = sequence->block_bytes[sequence->last_block];
			start = sequence->raw_starts[sequence->last_block];
			limit = sequence->raw_starts[sequence->last_block + 1];
		}
	}
	return true;
}

bool
string_sequence_fill(StringSequence *sequence, uint32_t nvalues,
					 const uint64_t *wanted, StringRef *strings,
					 const char **reason)
{
	const StringVector *vector = sequence->selected;

	ENCODING_ASSERT(vector != NULL);
	if (!sequence->form.has_prefixes)
		return fill_from_blocks(sequence, nvalues, wanted, strings, reason);
	if (wanted == NULL && !complete_vector(sequence, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		if (wanted != NULL && !bitmap_get(wanted, i))
			continue;
		if (!complete_string(sequence, i, reason))
			return false;
		strings[i].length = vector->lengths[i];
		strings[i].data = vector->text + vector->places[i];
	}
	return true;
}

/* ---- search ---- */

/*
 * Search length bytes, which are those of strings one behind the other, the
 * string at a position beginning at offsets[position]; the first byte is at
 * offset.  *position is that of a string that does not begin behind them, and
 * moves on.
 */
static void
search_bytes(const uint64_t *offsets, const uint32_t *lengths,
			 const uint8_t *bytes, uint64_t offset, size_t length,
			 uint32_t nvalues, uint32_t *position, const StringRef *needle,
			 uint64_t *found)
{
	const uint8_t *place = bytes;
	const uint8_t *end = bytes + length;

	while ((place = byte_search(place, (size_t) (end - place), needle->data,
								needle->length)) != NULL)
	{
		uint64_t	hit = offset + (uint64_t) (place - bytes);
		uint64_t	limit;

		/* The string in which the hit begins. */
		while (*position + 1 < nvalues && offsets[*position + 1] <= hit)
			(*position)++;
		limit = offsets[*position] + lengths[*position];
		if (hit + needle->length > limit)
		{
			place++;			/* goes on in the next string */
			continue;
		}
		bitmap_set(found, *position);
		place = bytes + (limit - offset);
	}
}

/* Does some string of the selected vector end at a raw offset within it? */
static bool
string_ends_at(const StringVector *vector, uint32_t nvalues, uint64_t offset)
{
	uint32_t	low = 0;		/* begins in front of it */
	uint32_t	high = nvalues; /* does not, nor do those that follow */

	while (high - low > 1)
	{
		uint32_t	middle = (low + high) / 2;

		if (vector->offsets[middle] < offset)
			low = middle;
		else
			high = middle;
	}
	return vector->offsets[low] + vector->lengths[low] == offset;
}

bool
string_sequence_search(StringSequence *sequence, uint32_t nvalues,
					   const StringRef *needle, uint64_t *found,
					   const char **reason)
{
	const StringVector *vector = sequence->selected;
	uint32_t	last = nvalues - 1;
	uint32_t	position = 0;
	uint64_t	offset;
	uint64_t	end;

	ENCODING_ASSERT(vector != NULL && nvalues > 0);
	memset(found, 0, VECTOR_LENGTH / 8);
	if (sequence->form.has_prefixes)
	{
		if (!complete_vector(sequence, reason))
			return false;
		search_bytes(vector->places, vector->lengths, vector->text, 0,
					 (size_t) (vector->places[last] + vector->lengths[last]),
					 nvalues, &position, needle, found);
		return true;
	}
	offset = vector->offsets[0];
	end = vector->offsets[last] + vector->lengths[last];
	while (offset < end)
	{
		uint64_t	start;
		uint64_t	limit;

		if (!string_blocks_open(sequence, offset, reason))
			return false;
		start = sequence->raw_starts[sequence->last_block];
		limit = sequence->raw_starts[sequence->last_block + 1];
		if (limit > end)
			limit = end;
		if (!string_ends_at(vector, nvalues, limit))
		{
			*reason = "string crosses the end of its block";
			return false;
		}
		search_bytes(vector->offsets, vector->lengths,
					 sequence->block_bytes[sequence->last_block] +
					 (offset - start), offset, (size_t) (limit - offset),
					 nvalues, &position, needle, found);
		offset = limit;
	}
	return true;
}

/* ---- one string ---- */

/* Bytes of the strings in front of a position of a vector. */
static uint64_t
sum_lengths(const uint32_t *lengths, const uint64_t *nulls, uint32_t position)
{
	uint64_t	sum = 0;

	if (nulls == NULL)
	{
		for (uint32_t i = 0; i < position; i++)
			sum += lengths[i];
		return sum;
	}
	for (uint32_t i = 0; i < position; i++)
		sum += bitmap_get(nulls, i) ? 0 : lengths[i];
	return sum;
}

/* A string that lies in a block, of a vector that need not be selected. */
static bool
find_in_block(StringSequence *sequence, uint32_t vector, uint32_t position,
			  const uint64_t *nulls, StringRef *string, IntScratch *scratch,
			  const char **reason)
{
	uint64_t	offset;

	if (sequence->length_buffer == NULL)
		sequence->length_buffer = allocator_array(sequence->allocator,
												  VECTOR_LENGTH + DECODE_SLACK_VALUES,
												  sizeof(uint32_t));
	if (!string_blocks_open_index(sequence, reason) ||
		!decode_lengths(sequence, vector, sequence->length_buffer, scratch,
						reason) ||
		!find_vector_start(sequence, vector, &offset, reason))
		return false;
	offset += sum_lengths(sequence->length_buffer, nulls, position);
	string->length = sequence->length_buffer[position];
	if (offset + string->length > sequence->raw_starts[sequence->nblocks])
	{
		*reason = "lengths of strings do not match their bytes";
		return false;
	}
	return get_bytes(sequence, offset, string->length, &string->data, reason);
}

bool
string_sequence_find(StringSequence *sequence, uint32_t vector,
					 uint32_t position, const uint64_t *nulls,
					 StringRef *string, IntScratch *scratch,
					 const char **reason)
{
	bool		is_selected = sequence->selected != NULL &&
		sequence->selected->vector == vector;

	ENCODING_ASSERT(position < vector_length(sequence->lengths.nvalues, vector));
	if (!is_selected && !sequence->form.has_prefixes && sequence->kept == NULL)
		return find_in_block(sequence, vector, position, nulls, string,
							 scratch, reason);
	return string_sequence_select(sequence, vector, nulls, scratch, reason) &&
		string_sequence_get(sequence, position, string, reason);
}
