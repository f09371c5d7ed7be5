/*
 * zone_map.h
 *		Ranges of vectors, as kept in a chunk's head.
 *
 * A range is a pair of unsigned keys that sort as the values do: integers with
 * the sign bit flipped if they are signed, floats with negative ones inverted,
 * strings by the eight bytes that follow the prefix all strings of the chunk
 * have in common.
 */
#ifndef ENCODING_ZONE_MAP_H
#define ENCODING_ZONE_MAP_H

#include "encoding/byteorder.h"
#include "encoding/chunk.h"
#include "encoding/packed_column.h"

/* On disk: numbers must not change. */
typedef enum ZoneKind
{
	ZONE_NONE = 0,
	ZONE_SIGNED = 1,
	ZONE_UNSIGNED = 2,
	ZONE_FLOAT32 = 3,
	ZONE_FLOAT64 = 4,
	ZONE_BYTES = 5
} ZoneKind;

/* How far NaN goes in a vector of floats; on disk. */
typedef enum ZoneNan
{
	ZONE_NAN_NONE = 0,
	ZONE_NAN_SOME = 1,			/* outside the range */
	ZONE_NAN_ONLY = 2			/* there is no range */
} ZoneNan;

/* Longest common prefix that is kept: the rest is for the keys. */
#define ZONE_COMMON_LENGTH (ZONE_PREFIX_LENGTH - 8)

/* Range of one vector, or of the chunk, while it is written. */
typedef struct ZoneEntry
{
	bool		has_range;
	bool		has_nan;
	uint64_t	min_key;
	uint64_t	max_key;
	StringRef	min_string;		/* ZONE_BYTES: keys are made at the end */
	StringRef	max_string;
} ZoneEntry;

typedef struct ZoneWriter
{
	ZoneKind	kind;
	uint32_t	nvectors;
	ZoneEntry	chunk;
	ZoneEntry	vectors[CHUNK_MAX_VECTORS];
} ZoneWriter;

extern void zone_writer_init(ZoneWriter *writer, ZoneKind kind);

/* The kind of zone map that a chunk's kind and class call for. */
extern ZoneKind zone_kind_for(ValueKind kind, ValueClass value_class);

/* Add the next vector's range, which extends the chunk's. */
extern void zone_writer_add(ZoneWriter *writer, const ZoneEntry *entry);
extern void zone_writer_finish(ZoneWriter *writer, ByteBuffer *head,
							   ZoneRange *range);

/* Order of strings: memcmp, shorter first. */
extern int string_compare(StringRef a, StringRef b);

/*
 * The first eight bytes, zeros where the string ends, as an integer.  Where two
 * of these differ, they are in the order of the strings.
 */
static inline uint64_t
string_prefix(StringRef string)
{
	const uint8_t *bytes = string.data;
	uint64_t	prefix;

	if (string.length >= 8)
		return __builtin_bswap64(load_le64(bytes));
	if (string.length >= 4)
	{
		uint32_t	tail = __builtin_bswap32(load_le32(bytes + string.length - 4));

		/* the bytes that the first four do not have */
		prefix = (uint64_t) __builtin_bswap32(load_le32(bytes)) << 32;
		return prefix | (uint32_t) ((uint64_t) tail << (8 * (8 - string.length)));
	}
	prefix = 0;
	for (uint32_t i = 0; i < string.length; i++)
		prefix |= (uint64_t) bytes[i] << (56 - 8 * i);
	return prefix;
}

/* The same of a string from whose start on eight bytes can be read. */
static inline uint64_t
string_prefix_inside(StringRef string)
{
	uint64_t	word = __builtin_bswap64(load_le64(string.data));
	uint32_t	unused = string.length < 8 ? 8 - string.length : 0;

	/* in two steps, because a shift by 64 is undefined */
	return word >> 4 * unused >> 4 * unused << 4 * unused << 4 * unused;
}

/*
 * The range of a vector of strings with their prefixes; nulls is NULL if there
 * is none.
 */
extern void zone_entry_add_strings(ZoneEntry *entry, const StringRef *strings,
								   const uint64_t *prefixes, uint32_t nvalues,
								   const uint64_t *nulls);

/* Keys of the kinds. */
static inline uint64_t
zone_key_signed(int64_t value)
{
	return (uint64_t) value ^ (UINT64_C(1) << 63);
}

static inline double
double_of_pattern(uint64_t pattern)
{
	double		value;

	memcpy(&value, &pattern, sizeof(value));
	return value;
}

static inline float
float_of_pattern(uint32_t pattern)
{
	float		value;

	memcpy(&value, &pattern, sizeof(value));
	return value;
}

static inline uint64_t
pattern_of_double(double value)
{
	uint64_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern;
}

static inline uint32_t
pattern_of_float(float value)
{
	uint32_t	pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern;
}

extern uint64_t zone_key_double(double value);
extern uint64_t zone_key_float(float value);

/* Zone maps of a chunk being read. */
typedef struct ZoneReader
{
	ZoneKind	kind;
	uint8_t		common_length;
	const uint8_t *common;
	PackedColumn minima;
	PackedColumn spans;
	PackedColumn nans;
} ZoneReader;

extern bool zone_reader_parse(ByteCursor *head, uint32_t nvectors,
							  ZoneReader *reader);

/* The range of a vector that is not all NULL. */
extern void zone_reader_get(const ZoneReader *reader, uint32_t vector,
							ZoneRange *range);

#endif							/* ENCODING_ZONE_MAP_H */
