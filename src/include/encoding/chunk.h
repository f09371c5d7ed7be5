/*
 * chunk.h
 *		One attribute of one column-form segment: encoding and decoding.
 *
 * A chunk is a self-contained string of bytes (docs/format.md) with up to
 * 65,536 row positions in vectors of 1,024, each decodable alone.  This is the
 * whole interface between the encoding library and the layers above it.
 */
#ifndef ENCODING_CHUNK_H
#define ENCODING_CHUNK_H

#include "encoding/base.h"

/* The shape of an attribute's values. */
typedef enum ValueKind
{
	VALUE_INT8 = 1,				/* fixed width, 1 byte: bool, "char" */
	VALUE_INT16,
	VALUE_INT32,
	VALUE_INT64,
	VALUE_FLOAT32,
	VALUE_FLOAT64,
	VALUE_BYTES,				/* strings of any length, without header */
	VALUE_NUMERIC				/* strings that are the server's numerics */
} ValueKind;

/*
 * How values of a chunk are ordered: what its minimum, maximum and sum mean.
 * Recorded in the chunk, because ALTER TYPE may change the attribute's type
 * without a rewrite; a zone map whose class is not the present one's is
 * ignored.
 */
typedef enum ValueClass
{
	CLASS_NONE = 0,				/* no order: null counts only */
	CLASS_SIGNED,
	CLASS_UNSIGNED,
	CLASS_FLOAT,				/* server's order: NaN is greatest, -0 = 0 */
	CLASS_BYTES,				/* memcmp, shorter first */
	CLASS_NUMERIC
} ValueClass;

/* Longest prefix of a string that a zone map keeps. */
#define ZONE_PREFIX_LENGTH 32

/*
 * Minimum and maximum of the non-null values of a chunk or vector.  Valid only
 * if has_range.  Integers are widened to 64 bits by their signedness, floats
 * (FLOAT32 too) to double.  Bytes are prefixes; where the maximum is
 * truncated, any string that starts with max_bytes may occur.  CLASS_NUMERIC:
 * as doubles rounded outwards.
 */
typedef struct ZoneRange
{
	bool		has_range;
	bool		has_nan;		/* floats and numerics: NaN occurs, outside min..max */
	int64_t		min_int;
	int64_t		max_int;
	double		min_float;
	double		max_float;
	bool		min_truncated;
	bool		max_truncated;
	uint8_t		min_length;		/* bytes used below */
	uint8_t		max_length;
	uint8_t		min_bytes[ZONE_PREFIX_LENGTH];
	uint8_t		max_bytes[ZONE_PREFIX_LENGTH];
} ZoneRange;

/* What the encoder found out about the whole chunk. */
typedef struct ChunkSummary
{
	ValueKind	kind;
	ValueClass	value_class;
	uint32_t	nnulls;
	uint32_t	ndistinct;		/* estimate among non-nulls, 0 if unknown */
	ZoneRange	range;
	bool		has_sum;		/* integers and scaled numerics only */
	int64_t		sum_high;		/* the 128-bit sum, scaled for numerics */
	uint64_t	sum_low;
	uint8_t		sum_scale;		/* numerics: uniform display scale */
	uint64_t	raw_bytes;		/* bytes of the values before encoding */
} ChunkSummary;

typedef enum BlockCodec
{
	CODEC_NONE = 0,
	CODEC_LZ4,
	CODEC_ZSTD
} BlockCodec;

typedef struct ChunkOptions
{
	Optimize	optimize;		/* what the other fields were set for */
	BlockCodec	codec;			/* for blocks of bytes; those before it may be
								 * used as well */
	int			codec_level;
	uint32_t	block_size;		/* raw bytes in a block, 16384 by default */
	double		bytes_per_ns;	/* chooser: bytes worth a ns, default 1 */
	double		codec_bytes_per_ns;	/* the same of blocks of strings */
	uint32_t	prefix_interval;	/* strings of which one at least is whole */
} ChunkOptions;

/* The default is OPTIMIZE_BALANCE. */
extern void chunk_options_init(ChunkOptions *options, Optimize optimize);

/* Fields that strings of one length may be divided into. */
#define CHUNK_MAX_FIELDS 8

/*
 * How strings divide into numbers, if all of a chunk have one length: first
 * fields of so many bytes (1, 2, 4 or 8), then, for the rest of the string,
 * groups of up to eight bytes that sort as the bytes do.  A promise to the
 * encoder that trying so is worthwhile, and no more.
 */
typedef struct ValueShape
{
	bool		is_divided;		/* else strings are kept as strings */
	bool		is_guess;		/* they may be anything */
	uint8_t		nnumbers;
	struct
	{
		uint8_t		width;
		bool		is_float;
		bool		may_be_float;	/* of 8 bytes, if it is not known */
	}			numbers[CHUNK_MAX_FIELDS];	/* in the host's byte order */
} ValueShape;

/*
 * Values of one attribute to encode, by row position.  nulls has bit i set for
 * a NULL at position i (or is NULL if there is none); what values hold there
 * is ignored.  Fixed width: values is an array in native width.  Bytes and
 * numerics: string i is bytes[offsets[i] .. offsets[i + 1]).  shape, of bytes
 * only, may be NULL.
 */
typedef struct ChunkInput
{
	ValueKind	kind;
	ValueClass	value_class;
	uint32_t	nrows;
	const uint8_t *nulls;
	const void *values;
	const uint64_t *offsets;	/* nrows + 1 */
	const uint8_t *bytes;
	const ValueShape *shape;
} ChunkInput;

/*
 * Append the encoded chunk to output and fill summary.  Never fails; scratch
 * memory is taken from output's allocator and freed before return.
 */
extern void chunk_encode(const ChunkInput *input, const ChunkOptions *options,
						 ByteBuffer *output, ChunkSummary *summary);

/*
 * Where a decoder gets encoded bytes from.  fetch returns a pointer to length
 * bytes at offset, valid until the reader is closed, contiguous with all other
 * bytes of the chunk (so a later fetch of more may rely on the same base); it
 * may report an I/O error by not returning.  The caller has checked that
 * offset + length is inside the chunk.
 */
typedef struct ChunkSource
{
	const uint8_t *(*fetch) (struct ChunkSource *source, uint64_t offset, size_t length);
	uint64_t	length;
} ChunkSource;

typedef struct ChunkReader ChunkReader;

/*
 * Open a chunk for reading; reads its head only.  kind and nrows are what the
 * caller expects.  Returns NULL and sets *reason for damaged bytes.  The
 * reader's memory is all from the allocator and freed by chunk_close.
 */
extern ChunkReader *chunk_open(ChunkSource *source, ValueKind kind, uint32_t nrows,
							   const Allocator *allocator, const char **reason);
extern void chunk_close(ChunkReader *reader);

/* Zone map of a vector: null count and range.  Never fails. */
extern void chunk_vector_zone(ChunkReader *reader, uint32_t vector,
							  uint32_t *nnulls, ZoneRange *range);

/*
 * Validity of a vector: fills nulls, VECTOR_LENGTH bits, bit set for NULL, and
 * returns the number of NULLs in *nnulls (nulls is filled also when 0).
 */
extern bool chunk_decode_nulls(ChunkReader *reader, uint32_t vector,
							   uint64_t *nulls, uint32_t *nnulls, const char **reason);

/*
 * Decode a vector of a fixed-width kind in native width and byte order.
 * values has room for VECTOR_LENGTH + DECODE_SLACK_VALUES; NULL positions get
 * some value.
 */
extern bool chunk_decode_fixed(ChunkReader *reader, uint32_t vector,
							   void *values, const char **reason);

/*
 * Decode one value of a vector of a fixed-width kind, at a position that is not
 * NULL, to its bit pattern in the lower bits of *value.  Returns false with
 * *reason NULL if this takes decoding all of the vector: then
 * chunk_decode_fixed serves.
 */
extern bool chunk_decode_value(ChunkReader *reader, uint32_t vector,
							   uint32_t position, uint64_t *value,
							   const char **reason);

/* One string, in memory of the reader or of the source. */
typedef struct StringRef
{
	const uint8_t *data;
	uint32_t	length;
} StringRef;

/*
 * Decode strings of a vector (VALUE_BYTES, VALUE_NUMERIC).  wanted has a bit
 * set for each position needed, or is NULL for all; the others are left
 * undefined, and blocks that hold only such are not decompressed.  NULL
 * positions get length 0.  Valid until the next call for this reader with
 * another vector; calls with the same vector add to what is there.
 */
extern bool chunk_decode_strings(ChunkReader *reader, uint32_t vector,
								 const uint64_t *wanted, StringRef *strings,
								 const char **reason);

/*
 * Decode one string, at a position that is not NULL, without looking at more of
 * its vector than that takes.  Valid until the next call for this reader.
 */
extern bool chunk_decode_string(ChunkReader *reader, uint32_t vector,
								uint32_t position, StringRef *string,
								const char **reason);

/*
 * Set the bits of found, VECTOR_LENGTH ones, for strings of a vector in which
 * needle, which is not empty, occurs.  Returns false, leaving *reason NULL, if
 * the chunk's strings do not lie one behind the other: then
 * chunk_decode_strings serves.
 */
extern bool chunk_search_strings(ChunkReader *reader, uint32_t vector,
								 const StringRef *needle, uint64_t *found,
								 const char **reason);

/*
 * Lengths of a vector's strings (VALUE_BYTES), for which no string is decoded;
 * room as in chunk_decode_fixed.  NULL positions get some value.
 */
extern bool chunk_decode_lengths(ChunkReader *reader, uint32_t vector,
								 uint32_t *lengths, const char **reason);

/*
 * True if it is known that no value has a byte above 127: then lengths in bytes
 * are lengths in characters, too, in any encoding of the server's.
 */
extern bool chunk_is_ascii(ChunkReader *reader);

/*
 * True if all values that are not NULL are one string, which is then returned;
 * an empty one if all are NULL.
 */
extern bool chunk_constant_string(ChunkReader *reader, StringRef *string);

/* True if the chunk has a dictionary; codes then decode with _codes below. */
extern bool chunk_has_dictionary(ChunkReader *reader, uint32_t *nentries);
extern bool chunk_decode_codes(ChunkReader *reader, uint32_t vector,
							   uint16_t *codes, const char **reason);
/* All entries of the dictionary; strings valid until close. */
extern bool chunk_decode_dictionary(ChunkReader *reader, StringRef *entries,
									const char **reason);

/*
 * The values of a vector of VALUE_NUMERIC as integers scaled by 10^*scale, the
 * same scale for every vector of the chunk.  Returns false, leaving *reason
 * NULL, if the chunk does not store them so or if a value of the vector is NaN,
 * infinite or wider than 64 bits: then chunk_decode_strings serves.  Room and
 * NULL positions as in chunk_decode_fixed.
 */
extern bool chunk_numeric_scaled(ChunkReader *reader, uint32_t vector,
								 int64_t *values, uint8_t *scale,
								 const char **reason);

/*
 * The same, but false also if the display scale of a value of the vector is not
 * *scale.
 */
extern bool chunk_numeric_uniform(ChunkReader *reader, uint32_t vector,
								  int64_t *values, uint8_t *scale,
								  const char **reason);

/*
 * What follows looks into vectors without decoding them.  Where a function
 * returns false and leaves *reason NULL, the vector's encoding does not allow
 * that, and the functions above serve.
 *
 * _between sets the bits of matches, VECTOR_LENGTH ones, for values from low to
 * high and clears the others; those of NULLs and behind the last row may become
 * anything.  _gather has the values at some positions, in increasing order;
 * those of NULLs may be anything.
 */

/* is_signed: how the caller means values to be compared. */
extern bool chunk_between_fixed(ChunkReader *reader, uint32_t vector,
								bool is_signed, int64_t low, int64_t high,
								uint64_t *matches, const char **reason);

/* Bit patterns in the lower bits of values. */
extern bool chunk_gather_fixed(ChunkReader *reader, uint32_t vector,
							   const uint16_t *positions, uint32_t npositions,
							   uint64_t *values, const char **reason);

/*
 * The sum, and the least and greatest, of all values of a vector, which must
 * have no NULLs; its values in 64 bits, with room as of chunk_decode_fixed.  Of
 * numerics for which chunk_numeric_is_packed, of the scaled integers.
 */
extern bool chunk_sum(ChunkReader *reader, uint32_t vector, bool is_signed,
					  int64_t *sum, const char **reason);
extern bool chunk_extremes(ChunkReader *reader, uint32_t vector,
						   bool is_signed, int64_t *min, int64_t *max,
						   const char **reason);
extern bool chunk_decode_wide(ChunkReader *reader, uint32_t vector,
							  bool is_signed, int64_t *values,
							  const char **reason);

/* Of a chunk with a dictionary. */
extern bool chunk_between_codes(ChunkReader *reader, uint32_t vector,
								uint32_t low, uint32_t high,
								uint64_t *matches, const char **reason);
extern bool chunk_gather_codes(ChunkReader *reader, uint32_t vector,
							   const uint16_t *positions, uint32_t npositions,
							   uint16_t *codes, const char **reason);

/*
 * Are all numerics of the chunk integers of 64 bits times 10^-scale, which is
 * also their display scale?  Only then are there the two functions below.
 */
extern bool chunk_numeric_is_packed(ChunkReader *reader, uint8_t *scale);
extern bool chunk_between_numeric(ChunkReader *reader, uint32_t vector,
								  int64_t low, int64_t high,
								  uint64_t *matches, const char **reason);
extern bool chunk_gather_numeric(ChunkReader *reader, uint32_t vector,
								 const uint16_t *positions,
								 uint32_t npositions, int64_t *values,
								 const char **reason);

/*
 * Is this payload of a numeric, without its length word, one that the server's
 * functions can work with?
 */
extern bool chunk_numeric_is_sound(const uint8_t *payload, size_t length);

/* English name of a vector's encoding ("delta", "dictionary", ...). */
extern const char *chunk_vector_encoding(ChunkReader *reader, uint32_t vector);

#endif							/* ENCODING_CHUNK_H */
