/*
 * chunk_format.h
 *		What writer and reader of chunks share: layouts and the fixed head.
 *
 * A chunk begins with
 *	offset	size	field
 *	0		2		magic, 'c' 'k'
 *	2		1		format, CHUNK_FORMAT
 *	3		1		kind, a ValueKind
 *	4		1		value class, a ValueClass
 *	5		1		layout, a ChunkLayout
 *	6		1		flags
 *	7		1		codec of blocks of strings, a BlockCodec, and their planes
 *	8		4		nrows, 1 to 65,536
 *	12		4		nnulls
 *	16		4		head length in bytes, with these
 * and goes on with sections that depend on the layout (docs/format.md).  The
 * streams follow, each at the next multiple of eight bytes.
 */
#ifndef ENCODING_CHUNK_FORMAT_H
#define ENCODING_CHUNK_FORMAT_H

#include "encoding/chunk.h"
#include "encoding/int_vector.h"

#define CHUNK_MAGIC 0x6b63		/* 'c' 'k' */
#define CHUNK_FORMAT 1
#define CHUNK_FIXED_LENGTH 20
#define CHUNK_HEAD_LENGTH_OFFSET 16

/* How a chunk's values are stored.  On disk: numbers must not change. */
typedef enum ChunkLayout
{
	LAYOUT_ALL_NULL = 0,
	LAYOUT_CONSTANT = 1,		/* one value, in the head */
	LAYOUT_FIXED = 2,
	LAYOUT_FIXED_DICTIONARY = 3,
	LAYOUT_STRINGS = 4,
	LAYOUT_STRING_DICTIONARY = 5,
	LAYOUT_NUMERIC = 6,			/* scaled 64-bit integers */
	LAYOUT_WIDE_NUMERIC = 7,	/* scaled 128-bit integers */
	LAYOUT_FIELDS = 8,			/* strings of one length, as numbers */
	LAYOUT_COUNT
} ChunkLayout;

/* Flags of a chunk. */
#define CHUNK_HAS_VALIDITY 0x01	/* both NULLs and values */
#define CHUNK_HAS_SCALES 0x02	/* numerics of several scales, or special */
#define CHUNK_HAS_PREFIXES 0x04	/* strings are stored without prefixes */
#define CHUNK_IS_ASCII 0x08		/* strings have bytes below 128 only */
#define CHUNK_FIELDS_SHIFT 4	/* of fields: their number, in upper bits */
#define CHUNK_KNOWN_FLAGS 0xff

/* The codec's byte: a BlockCodec, and how far blocks are split in planes. */
#define CHUNK_CODEC_MASK 0x0f
#define CHUNK_PLANE_SHIFT 4

/* Streams of a chunk at most: validity, and codes with a dictionary or fields. */
#define CHUNK_MAX_STREAMS (1 + CHUNK_MAX_FIELDS)

/* Longest string that a head keeps as constant. */
#define CONSTANT_MAX_LENGTH 1024

/* Largest scale of numerics: 10^38 is the last power below 2^127. */
#define NUMERIC_MAX_SCALE 38

/* Scale codes of numerics that have none. */
#define NUMERIC_CODE_NAN 253
#define NUMERIC_CODE_PLUS_INFINITY 254
#define NUMERIC_CODE_MINUS_INFINITY 255

static inline bool
kind_is_fixed(ValueKind kind)
{
	return kind >= VALUE_INT8 && kind <= VALUE_FLOAT64;
}

static inline int
kind_size(ValueKind kind)
{
	switch (kind)
	{
		case VALUE_INT8:
			return 1;
		case VALUE_INT16:
			return 2;
		case VALUE_INT32:
		case VALUE_FLOAT32:
			return 4;
		default:
			return 8;
	}
}

/* The integers that stand for values of a fixed-width kind. */
static inline IntType
kind_int_type(ValueKind kind, ValueClass value_class)
{
	IntType		type;

	type.size = kind_size(kind);
	type.is_float = kind == VALUE_FLOAT32 || kind == VALUE_FLOAT64;
	type.is_signed = !type.is_float && value_class != CLASS_UNSIGNED;
	return type;
}

/* Number of streams that a layout has, in the order they are stored in. */
static inline int
layout_stream_count(ChunkLayout layout, int flags)
{
	static const uint8_t counts[LAYOUT_COUNT] = {0, 0, 1, 2, 3, 4, 1, 2, 1};
	int			nfields = flags >> CHUNK_FIELDS_SHIFT;

	return (nfields > 0 ? nfields : counts[layout]) + ((flags & CHUNK_HAS_VALIDITY) != 0) +
		((flags & CHUNK_HAS_SCALES) != 0) +
		((flags & CHUNK_HAS_PREFIXES) != 0);
}

static inline uint64_t
align_stream(uint64_t offset)
{
	return (offset + 7) & ~UINT64_C(7);
}

#endif							/* ENCODING_CHUNK_FORMAT_H */
