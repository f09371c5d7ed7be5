/*
 * zone_map.c
 *		Ranges of vectors, as kept in a chunk's head.
 *
 * Whatever is stored here must contain the values: a minimum may be too low
 * and a maximum too high, never the other way.  Prefixes of strings serve as
 * minima as they are, and as maxima if they are marked as truncated.
 */
#include "encoding/base.h"

#include "encoding/int_vector.h"
#include "encoding/zone_map.h"

#define SIGN_BIT (UINT64_C(1) << 63)

/* Bytes of a string in a key. */
#define KEY_LENGTH 8

void
zone_writer_init(ZoneWriter *writer, ZoneKind kind)
{
	memset(writer, 0, offsetof(ZoneWriter, vectors));
	writer->kind = kind;
}

ZoneKind
zone_kind_for(ValueKind kind, ValueClass value_class)
{
	switch (kind)
	{
		case VALUE_INT8:
		case VALUE_INT16:
		case VALUE_INT32:
		case VALUE_INT64:
			if (value_class == CLASS_SIGNED)
				return ZONE_SIGNED;
			return value_class == CLASS_UNSIGNED ? ZONE_UNSIGNED : ZONE_NONE;
		case VALUE_FLOAT32:
			return value_class == CLASS_FLOAT ? ZONE_FLOAT32 : ZONE_NONE;
		case VALUE_FLOAT64:
			return value_class == CLASS_FLOAT ? ZONE_FLOAT64 : ZONE_NONE;
		case VALUE_BYTES:
			return value_class == CLASS_BYTES ? ZONE_BYTES : ZONE_NONE;
		case VALUE_NUMERIC:
			return value_class == CLASS_NUMERIC ? ZONE_FLOAT64 : ZONE_NONE;
	}
	return ZONE_NONE;
}

int
string_compare(StringRef a, StringRef b)
{
	uint32_t	length = a.length < b.length ? a.length : b.length;
	int			order = length == 0 ? 0 : memcmp(a.data, b.data, length);

	if (order != 0 || a.length == b.length)
		return order;
	return a.length < b.length ? -1 : 1;
}

/* Inverting all bits of negative floats makes patterns sort as values do. */
uint64_t
zone_key_double(double value)
{
	uint64_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern & SIGN_BIT ? ~pattern : pattern | SIGN_BIT;
}

static double
double_of_key(uint64_t key)
{
	return double_of_pattern(key & SIGN_BIT ? key & ~SIGN_BIT : ~key);
}

uint64_t
zone_key_float(float value)
{
	uint32_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern >> 31 ? (uint32_t) ~pattern : pattern | (UINT32_C(1) << 31);
}

static double
float_of_key(uint64_t key)
{
	uint32_t	narrow = (uint32_t) key;

	return float_of_pattern(narrow >> 31 ? narrow & INT32_MAX : ~narrow);
}

static void
entry_extend(ZoneEntry *entry, const ZoneEntry *by, ZoneKind kind)
{
	entry->has_nan |= by->has_nan;
	if (!by->has_range)
		return;
	if (!entry->has_range)
	{
		bool		has_nan = entry->has_nan;

		*entry = *by;
		entry->has_nan = has_nan;
		return;
	}
	if (kind == ZONE_BYTES)
	{
		if (string_compare(by->min_string, entry->min_string) < 0)
			entry->min_string = by->min_string;
		if (string_compare(by->max_string, entry->max_string) > 0)
			entry->max_string = by->max_string;
		return;
	}
	entry->min_key = by->min_key < entry->min_key ? by->min_key : entry->min_key;
	entry->max_key = by->max_key > entry->max_key ? by->max_key : entry->max_key;
}

void
zone_writer_add(ZoneWriter *writer, const ZoneEntry *entry)
{
	ENCODING_ASSERT(writer->nvectors < CHUNK_MAX_VECTORS);
	entry_extend(&writer->chunk, entry, writer->kind);
	writer->vectors[writer->nvectors++] = *entry;
}

void
zone_entry_add_strings(ZoneEntry *entry, const StringRef *strings,
					   const uint64_t *prefixes, uint32_t nvalues,
					   const uint64_t *nulls)
{
	uint64_t	min_prefix = UINT64_MAX;
	uint64_t	max_prefix = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		StringRef	string = strings[i];
		uint64_t	prefix = prefixes[i];

		if (nulls != NULL && bitmap_get(nulls, i))
			continue;
		if (!entry->has_range || prefix < min_prefix ||
			(prefix == min_prefix &&
			 string_compare(string, entry->min_string) < 0))
		{
			entry->min_string = string;
			min_prefix = prefix;
		}
		if (!entry->has_range || prefix > max_prefix ||
			(prefix == max_prefix &&
			 string_compare(string, entry->max_string) > 0))
		{
			entry->max_string = string;
			max_prefix = prefix;
		}
		entry->has_range = true;
	}
}

static uint32_t
common_prefix(StringRef a, StringRef b)
{
	uint32_t	length = 0;

	while (length < a.length && length < b.length &&
		   length < ZONE_COMMON_LENGTH &&
		   a.data[length] == b.data[length])
		length++;
	return length;
}

/* Lower bound: the bytes behind the common prefix, zeros where they end. */
static uint64_t
string_min_key(StringRef string, uint32_t skip)
{
	uint64_t	key = 0;

	for (uint32_t i = 0; i < KEY_LENGTH; i++)
		key = key << 8 | (skip + i < string.length ? string.data[skip + i] : 0);
	return key;
}

/*
 * Upper bound.  A key whose last byte is zero stands for a whole string that
 * ends at its first zero; so bytes that contain a zero are rounded up.
 */
static uint64_t
string_max_key(StringRef string, uint32_t skip)
{
	uint64_t	key = 0;
	bool		rounded = false;

	for (uint32_t i = 0; i < KEY_LENGTH; i++)
	{
		uint8_t		byte = 0;

		if (rounded)
			byte = UINT8_MAX;
		else if (skip + i < string.length)
		{
			byte = string.data[skip + i];
			if (byte == 0)
			{
				byte = 1;
				rounded = true;
			}
		}
		key = key << 8 | byte;
	}

	/* rounding at the last byte leaves 1, which reads as truncated: well */
	return key;
}

static void
write_columns(ZoneWriter *writer, uint32_t skip, ByteBuffer *head)
{
	uint64_t	minima[CHUNK_MAX_VECTORS];
	uint64_t	spans[CHUNK_MAX_VECTORS];
	uint64_t	nans[CHUNK_MAX_VECTORS];
	uint64_t	last = writer->kind == ZONE_BYTES ?
		string_min_key(writer->chunk.min_string, skip) : writer->chunk.min_key;

	for (uint32_t i = 0; i < writer->nvectors; i++)
	{
		const ZoneEntry *entry = &writer->vectors[i];
		uint64_t	min = last;
		uint64_t	max = last;

		if (entry->has_range)
		{
			min = writer->kind == ZONE_BYTES ?
				string_min_key(entry->min_string, skip) : entry->min_key;
			max = writer->kind == ZONE_BYTES ?
				string_max_key(entry->max_string, skip) : entry->max_key;
		}
		minima[i] = min;
		spans[i] = max - min;
		nans[i] = !entry->has_nan ? ZONE_NAN_NONE :
			(entry->has_range ? ZONE_NAN_SOME : ZONE_NAN_ONLY);
		last = min;
	}
	packed_column_write(head, minima, writer->nvectors);
	packed_column_write(head, spans, writer->nvectors);
	if (writer->kind == ZONE_FLOAT32 || writer->kind == ZONE_FLOAT64)
		packed_column_write(head, nans, writer->nvectors);
}

static void
range_of_keys(ZoneKind kind, uint64_t min, uint64_t max, ZoneRange *range)
{
	switch (kind)
	{
		case ZONE_SIGNED:
			range->min_int = (int64_t) (min ^ SIGN_BIT);
			range->max_int = (int64_t) (max ^ SIGN_BIT);
			break;
		case ZONE_UNSIGNED:
			range->min_int = (int64_t) min;
			range->max_int = (int64_t) max;
			break;
		case ZONE_FLOAT32:
			range->min_float = float_of_key(min);
			range->max_float = float_of_key(max);
			break;
		default:
			range->min_float = double_of_key(min);
			range->max_float = double_of_key(max);
			break;
	}
}

static uint8_t
copy_prefix(StringRef string, uint8_t *bytes, bool *truncated)
{
	uint32_t	length = string.length < ZONE_PREFIX_LENGTH ?
		string.length : ZONE_PREFIX_LENGTH;

	if (length > 0)
		memcpy(bytes, string.data, length);
	*truncated = length < string.length;
	return (uint8_t) length;
}

static void
fill_chunk_range(const ZoneWriter *writer, ZoneRange *range)
{
	const ZoneEntry *chunk = &writer->chunk;

	memset(range, 0, sizeof(*range));
	if (writer->kind == ZONE_NONE)
		return;
	range->has_range = chunk->has_range;
	range->has_nan = chunk->has_nan;
	if (!chunk->has_range)
		return;
	if (writer->kind != ZONE_BYTES)
	{
		range_of_keys(writer->kind, chunk->min_key, chunk->max_key, range);
		return;
	}
	range->min_length = copy_prefix(chunk->min_string, range->min_bytes,
									&range->min_truncated);
	range->max_length = copy_prefix(chunk->max_string, range->max_bytes,
									&range->max_truncated);
}

/*
 * Append the zone map section to head, and give the chunk's range.  A chunk of
 * one vector keeps none: its range is the summary's, which the layer above
 * stores.
 */
void
zone_writer_finish(ZoneWriter *writer, ByteBuffer *head, ZoneRange *range)
{
	const ZoneEntry *chunk = &writer->chunk;
	ZoneKind	kind = writer->nvectors > 1 ? writer->kind : ZONE_NONE;
	uint32_t	skip = 0;

	fill_chunk_range(writer, range);
	if (!chunk->has_range && !chunk->has_nan)
		kind = ZONE_NONE;
	bytebuffer_append_uint(head, kind, 1);
	if (kind == ZONE_NONE)
		return;
	if (kind == ZONE_BYTES)
	{
		skip = common_prefix(chunk->min_string, chunk->max_string);
		bytebuffer_append_uint(head, skip, 1);
		bytebuffer_append(head, chunk->min_string.data, skip);
	}
	write_columns(writer, skip, head);
}

bool
zone_reader_parse(ByteCursor *head, uint32_t nvectors, ZoneReader *reader)
{
	uint64_t	kind = cursor_uint(head, 1);

	reader->kind = (ZoneKind) kind;
	if (kind == ZONE_NONE)
		return !head->failed;
	if (kind > ZONE_BYTES)
		return false;
	if (kind == ZONE_BYTES)
	{
		reader->common_length = (uint8_t) cursor_uint(head, 1);
		reader->common = cursor_bytes(head, reader->common_length);
		if (reader->common_length > ZONE_COMMON_LENGTH || head->failed)
			return false;
	}
	return packed_column_parse(head, nvectors, &reader->minima) &&
		packed_column_parse(head, nvectors, &reader->spans) &&
		((kind != ZONE_FLOAT32 && kind != ZONE_FLOAT64) ||
		 packed_column_parse(head, nvectors, &reader->nans));
}

/* The common prefix and a key's bytes but trailing zeros. */
static uint8_t
string_of_key(const ZoneReader *reader, uint64_t key, uint8_t *bytes)
{
	uint8_t		length = reader->common_length;

	if (length > 0)
		memcpy(bytes, reader->common, length);
	for (; key != 0; key <<= 8)
		bytes[length++] = (uint8_t) (key >> 56);
	return length;
}

void
zone_reader_get(const ZoneReader *reader, uint32_t vector, ZoneRange *range)
{
	uint64_t	min;
	uint64_t	max;

	memset(range, 0, sizeof(*range));
	if (reader->kind == ZONE_NONE)
		return;
	range->has_range = true;
	if (reader->kind == ZONE_FLOAT32 || reader->kind == ZONE_FLOAT64)
	{
		uint64_t	nan = packed_column_get(&reader->nans, vector);

		range->has_nan = nan != ZONE_NAN_NONE;
		range->has_range = nan == ZONE_NAN_NONE || nan == ZONE_NAN_SOME;
		if (!range->has_range)
			return;
	}
	min = packed_column_get(&reader->minima, vector);
	max = min + packed_column_get(&reader->spans, vector);
	if (max < min)
	{
		range->has_range = false;	/* damaged: nothing may be concluded */
		return;
	}
	if (reader->kind != ZONE_BYTES)
	{
		range_of_keys(reader->kind, min, max, range);
		return;
	}
	range->min_length = string_of_key(reader, min, range->min_bytes);
	range->max_length = string_of_key(reader, max, range->max_bytes);
	range->min_truncated = (min & UINT8_MAX) != 0;
	range->max_truncated = (max & UINT8_MAX) != 0;
}
