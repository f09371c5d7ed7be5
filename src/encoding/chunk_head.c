/*
 * chunk_head.c
 *		Parses the head of a chunk.
 *
 * The head is read alone and believed in nothing: kind, rows and the length of
 * the whole are compared with what the caller expects, streams must tile the
 * chunk, vectors must tile their streams, and no byte may be left over.
 */
#include "encoding/base.h"

#include "encoding/chunk_reader.h"

static bool
parse_fixed(ChunkReader *reader, ValueKind kind, uint32_t nrows,
			ByteCursor *cursor, uint64_t *head_length, const char **reason)
{
	uint64_t	magic = cursor_uint(cursor, 2);
	uint64_t	format = cursor_uint(cursor, 1);
	uint64_t	stored_kind = cursor_uint(cursor, 1);
	uint64_t	value_class = cursor_uint(cursor, 1);
	uint64_t	layout = cursor_uint(cursor, 1);
	uint64_t	flags = cursor_uint(cursor, 1);
	uint64_t	codec = cursor_uint(cursor, 1);

	reader->nrows = (uint32_t) cursor_uint(cursor, 4);
	reader->nnulls = (uint32_t) cursor_uint(cursor, 4);
	*head_length = cursor_uint(cursor, 4);
	if (magic != CHUNK_MAGIC)
		*reason = "chunk does not begin with its magic";
	else if (format != CHUNK_FORMAT)
		*reason = "unknown format of a chunk";
	else if (stored_kind != (uint64_t) kind)
		*reason = "chunk is of another kind of values";
	else if (value_class > CLASS_NUMERIC || layout >= LAYOUT_COUNT ||
			 (flags & ~(uint64_t) CHUNK_KNOWN_FLAGS) != 0 ||
			 (codec & CHUNK_CODEC_MASK) > CODEC_ZSTD ||
			 codec >> CHUNK_PLANE_SHIFT > MAX_PLANE_SHIFT)
		*reason = "unknown layout of a chunk";
	else if (reader->nrows != nrows || nrows == 0 || nrows > CHUNK_MAX_ROWS)
		*reason = "chunk has another number of rows";
	else if (*head_length < CHUNK_FIXED_LENGTH ||
			 *head_length > reader->source->length)
		*reason = "invalid length of a chunk's head";
	else
	{
		reader->kind = kind;
		reader->value_class = (ValueClass) value_class;
		reader->layout = (ChunkLayout) layout;
		reader->flags = (int) flags;
		reader->codec = (BlockCodec) (codec & CHUNK_CODEC_MASK);
		reader->plane_shift = (int) (codec >> CHUNK_PLANE_SHIFT);
		reader->nvectors = vector_count(nrows);
		reader->type = kind_int_type(kind, reader->value_class);
		return true;
	}
	return false;
}

/* Does the layout go with the kind and with the number of NULLs? */
static bool
layout_is_valid(const ChunkReader *reader)
{
	bool		is_fixed = kind_is_fixed(reader->kind);
	bool		is_numeric = reader->kind == VALUE_NUMERIC;
	bool		has_validity = (reader->flags & CHUNK_HAS_VALIDITY) != 0;
	bool		is_like_text = (reader->flags & (CHUNK_HAS_PREFIXES | CHUNK_IS_ASCII)) != 0;

	if (reader->layout != LAYOUT_FIELDS &&
		reader->flags >> CHUNK_FIELDS_SHIFT != 0)
		return false;
	if (is_like_text && reader->kind != VALUE_BYTES)
		return false;
	if (reader->layout == LAYOUT_ALL_NULL)
		return reader->nnulls == reader->nrows && reader->flags == 0;
	if (reader->nnulls >= reader->nrows ||
		(reader->nnulls > 0) != has_validity)
		return false;
	switch (reader->layout)
	{
		case LAYOUT_FIXED:
		case LAYOUT_FIXED_DICTIONARY:
			return is_fixed && !(reader->flags & CHUNK_HAS_SCALES);
		case LAYOUT_STRINGS:
		case LAYOUT_STRING_DICTIONARY:
			return !is_fixed && !(reader->flags & CHUNK_HAS_SCALES);
		case LAYOUT_NUMERIC:
		case LAYOUT_WIDE_NUMERIC:
			return is_numeric;
		case LAYOUT_FIELDS:
			return reader->kind == VALUE_BYTES && !is_like_text &&
				!(reader->flags & CHUNK_HAS_SCALES) &&
				reader->flags >> CHUNK_FIELDS_SHIFT <= CHUNK_MAX_FIELDS;
		default:
			ENCODING_ASSERT(reader->layout == LAYOUT_CONSTANT);
			return !is_numeric && !is_like_text &&
				!(reader->flags & CHUNK_HAS_SCALES);
	}
}

/* Lengths of streams; offsets follow, and must end where the chunk does. */
static bool
parse_streams(ChunkReader *reader, ByteCursor *cursor, uint64_t head_length)
{
	uint64_t	lengths[CHUNK_MAX_STREAMS + DECODE_SLACK_VALUES];
	uint64_t	offset = align_stream(head_length);
	PackedColumn column;

	reader->nstreams = layout_stream_count(reader->layout, reader->flags);
	if (reader->nstreams > 0)
	{
		if (!packed_column_parse(cursor, (uint32_t) reader->nstreams, &column))
			return false;
		packed_column_unpack(&column, lengths);
	}
	for (int i = 0; i < reader->nstreams; i++)
	{
		if (offset > reader->source->length ||
			lengths[i] > reader->source->length - offset)
			return false;
		reader->stream_offsets[i] = offset;
		reader->stream_lengths[i] = lengths[i];
		offset = align_stream(offset + lengths[i]);
	}
	return offset == reader->source->length;
}

static bool
null_counts_are_valid(const ChunkReader *reader)
{
	uint64_t	counts[CHUNK_MAX_VECTORS + DECODE_SLACK_VALUES];
	uint64_t	sum = 0;

	packed_column_unpack(&reader->null_counts, counts);
	for (uint32_t vector = 0; vector < reader->nvectors; vector++)
	{
		if (counts[vector] > vector_length(reader->nrows, vector))
			return false;
		sum += counts[vector];
	}
	return sum == reader->nnulls;
}

static bool
parse_validity(ChunkReader *reader, ByteCursor *cursor)
{
	if (!(reader->flags & CHUNK_HAS_VALIDITY))
		return true;
	if (reader->nvectors > 1 &&
		!(packed_column_parse(cursor, reader->nvectors,
							  &reader->null_counts) &&
		  null_counts_are_valid(reader)))
		return false;
	return vector_directory_parse(cursor, reader->nvectors,
								  reader->stream_lengths[0],
								  &reader->validity);
}

static bool
parse_constant(ChunkReader *reader, ByteCursor *cursor)
{
	uint64_t	length = cursor_uint(cursor, 4);

	if (kind_is_fixed(reader->kind) ?
		length != (uint64_t) reader->type.size : length > CONSTANT_MAX_LENGTH)
		return false;
	reader->constant_length = (uint32_t) length;
	reader->constant = cursor_bytes(cursor, length);
	return !cursor->failed;
}

/* Parse the directory of the layout's stream number i. */
static bool
parse_int_stream(ChunkReader *reader, ByteCursor *cursor, int i, IntType type,
				 uint32_t nvalues, IntStream *stream)
{
	return int_stream_parse(cursor, type, nvalues, reader->stream_offsets[i],
							reader->stream_lengths[i], stream);
}

static bool
parse_sequence(ChunkReader *reader, ByteCursor *cursor, int i,
			   uint32_t nvalues)
{
	StringForm	form = {reader->codec, reader->plane_shift};

	form.has_words = reader->kind == VALUE_NUMERIC;
	form.has_prefixes = (reader->flags & CHUNK_HAS_PREFIXES) != 0;
	return string_sequence_parse(cursor, nvalues, form,
								 reader->stream_offsets + i,
								 reader->stream_lengths + i, reader->source,
								 reader->allocator, &reader->strings);
}

static bool
parse_dictionary(ChunkReader *reader, ByteCursor *cursor, int i)
{
	IntType		code_type = {2, false, false};
	uint64_t	nentries = cursor_uint(cursor, 4);

	if (nentries == 0 || nentries > reader->nrows - reader->nnulls)
		return false;
	reader->nentries = (uint32_t) nentries;
	if (!parse_int_stream(reader, cursor, i, code_type, reader->nrows,
						  &reader->values))
		return false;
	if (reader->layout == LAYOUT_FIXED_DICTIONARY)
		return parse_int_stream(reader, cursor, i + 1, reader->type,
								reader->nentries, &reader->entries);
	return parse_sequence(reader, cursor, i + 1, reader->nentries);
}

static bool
parse_numeric(ChunkReader *reader, ByteCursor *cursor, int i)
{
	IntType		type = {8, true, false};
	IntType		scale_type = {1, false, false};

	reader->scale = (int) cursor_uint(cursor, 1);
	if (reader->scale > NUMERIC_MAX_SCALE ||
		!parse_int_stream(reader, cursor, i++, type, reader->nrows,
						  &reader->values))
		return false;
	if (reader->layout == LAYOUT_WIDE_NUMERIC &&
		!parse_int_stream(reader, cursor, i++, type, reader->nrows,
						  &reader->high))
		return false;
	return !(reader->flags & CHUNK_HAS_SCALES) ||
		parse_int_stream(reader, cursor, i, scale_type, reader->nrows,
						 &reader->scales);
}

static bool
parse_layout(ChunkReader *reader, ByteCursor *cursor)
{
	int			first = (reader->flags & CHUNK_HAS_VALIDITY) != 0;

	switch (reader->layout)
	{
		case LAYOUT_CONSTANT:
			return parse_constant(reader, cursor);
		case LAYOUT_FIXED:
			return parse_int_stream(reader, cursor, first, reader->type,
									reader->nrows, &reader->values);
		case LAYOUT_FIXED_DICTIONARY:
		case LAYOUT_STRING_DICTIONARY:
			return parse_dictionary(reader, cursor, first);
		case LAYOUT_STRINGS:
			return parse_sequence(reader, cursor, first, reader->nrows);
		case LAYOUT_NUMERIC:
		case LAYOUT_WIDE_NUMERIC:
			return parse_numeric(reader, cursor, first);
		case LAYOUT_FIELDS:
			return fields_parse(reader, cursor, first);
		default:
			return true;
	}
}

/* Zone maps, if there are any, are those of the kind and class. */
static bool
parse_zones(ChunkReader *reader, ByteCursor *cursor)
{
	return zone_reader_parse(cursor, reader->nvectors, &reader->zones) &&
		(reader->zones.kind == ZONE_NONE ||
		 reader->zones.kind == zone_kind_for(reader->kind,
											 reader->value_class));
}

bool
chunk_head_parse(ChunkReader *reader, ValueKind kind, uint32_t nrows,
				 const char **reason)
{
	ChunkSource *source = reader->source;
	uint64_t	head_length;
	ByteCursor	cursor;

	*reason = "chunk is shorter than its head";
	if (source->length < CHUNK_FIXED_LENGTH)
		return false;
	cursor_init(&cursor, source->fetch(source, 0, CHUNK_FIXED_LENGTH),
				CHUNK_FIXED_LENGTH);
	if (!parse_fixed(reader, kind, nrows, &cursor, &head_length, reason))
		return false;
	*reason = "layout of a chunk does not match its kind";
	if (!layout_is_valid(reader))
		return false;
	cursor_init(&cursor, source->fetch(source, 0, (size_t) head_length),
				(size_t) head_length);
	(void) cursor_bytes(&cursor, CHUNK_FIXED_LENGTH);
	if (!parse_streams(reader, &cursor, head_length))
		*reason = "streams of a chunk do not match its length";
	else if (!parse_validity(reader, &cursor))
		*reason = "null counts of a chunk are damaged";
	else if (!parse_layout(reader, &cursor))
		*reason = "directory of a chunk is damaged";
	else if (!parse_zones(reader, &cursor) || cursor_left(&cursor) != 0)
		*reason = "zone map of a chunk is damaged";
	else
		return true;
	return false;
}
