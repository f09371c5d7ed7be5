/*
 * chunk_reader.h
 *		State of a chunk being read, shared by the readers of its layouts.
 */
#ifndef ENCODING_CHUNK_READER_H
#define ENCODING_CHUNK_READER_H

#include "encoding/chunk_format.h"
#include "encoding/int_stream.h"
#include "encoding/numeric_codec.h"
#include "encoding/string_sequence.h"
#include "encoding/validity.h"
#include "encoding/zone_map.h"

/* No vector: what the caches below hold at first. */
#define NO_VECTOR UINT32_MAX

/* Values of a vector of numerics, before they become payloads. */
typedef struct NumericVector
{
	uint32_t	vector;
	int64_t		low[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	int64_t		high[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint8_t		codes[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint8_t    *payloads;
} NumericVector;

struct ChunkReader
{
	ChunkSource *source;
	const Allocator *allocator;

	/* from the head */
	ValueKind	kind;
	ValueClass	value_class;
	ChunkLayout layout;
	int			flags;
	BlockCodec	codec;
	int			plane_shift;
	uint32_t	nrows;
	uint32_t	nnulls;
	uint32_t	nvectors;
	IntType		type;			/* of values; fixed width only */
	int			nstreams;
	uint64_t	stream_offsets[CHUNK_MAX_STREAMS];
	uint64_t	stream_lengths[CHUNK_MAX_STREAMS];
	PackedColumn null_counts;	/* of several vectors with NULLs */
	VectorDirectory validity;
	ZoneReader	zones;
	const uint8_t *constant;
	uint32_t	constant_length;
	uint32_t	nentries;		/* of a dictionary */
	int			scale;			/* of numerics */
	IntStream	values;			/* or codes */
	IntStream	high;			/* of wide numerics */
	IntStream	scales;			/* of numerics */
	IntStream	entries;		/* of a dictionary of fixed width */
	StringSequence strings;		/* values, or entries of a dictionary */

	/* made on demand */
	IntScratch *scratch;
	uint8_t    *fixed_entries;	/* decoded dictionary */
	StringRef  *string_entries; /* data is NULL of those not yet looked up */
	bool		has_all_entries;
	uint32_t   *entry_lengths;
	uint16_t   *codes;			/* of codes_vector */
	uint32_t	codes_vector;
	uint32_t	nulls_vector;	/* that nulls and vector_nnulls are of */
	uint32_t	vector_nnulls;
	uint64_t	nulls[VALIDITY_WORDS];
	uint32_t	strings_vector; /* that returned strings are of */
	NumericVector *numerics;
	struct FieldsReader *fields;	/* strings divided into numbers */
	uint8_t		numeric_payload[NUMERIC_BUILD_LENGTH];	/* of a single one */
};

/* Parse the head; returns false and sets *reason if it is damaged. */
extern bool chunk_head_parse(ChunkReader *reader, ValueKind kind,
							 uint32_t nrows, const char **reason);

/* The caches: work space, and the NULLs of a vector. */
extern IntScratch *chunk_scratch(ChunkReader *reader);
extern bool chunk_load_nulls(ChunkReader *reader, uint32_t vector,
							 const char **reason);

/* Decode a vector of one of the streams that have a value per row. */
extern bool chunk_decode_stream(ChunkReader *reader, const IntStream *stream,
								uint32_t vector, void *values,
								const char **reason);

/* The same of one value, as in int_vector_decode_value. */
extern bool chunk_stream_value(ChunkReader *reader, const IntStream *stream,
							   uint32_t vector, uint32_t position,
							   uint64_t *value, const char **reason);

/* The NULLs of a vector if its encoding needs them to be read, else NULL. */
extern bool chunk_stream_nulls(ChunkReader *reader, const IntStream *stream,
							   uint32_t vector, const uint64_t **nulls,
							   const char **reason);

/* Decode the entries of a dictionary of fixed width, once. */
extern bool chunk_load_entries(ChunkReader *reader, const char **reason);

/* An entry of that dictionary. */
extern uint64_t chunk_entry_value(const ChunkReader *reader, uint32_t code);

/* The code at a position that is not NULL, below nentries. */
extern bool chunk_code_at(ChunkReader *reader, uint32_t vector,
						  uint32_t position, uint32_t *code,
						  const char **reason);

/* Make reader->codes those of a vector, each below nentries. */
extern bool chunk_load_codes(ChunkReader *reader, uint32_t vector,
							 const char **reason);

/* chunk_decode_dictionary of values of fixed width. */
extern bool fixed_dictionary_decode(ChunkReader *reader, StringRef *entries,
									const char **reason);

/* chunk_decode_strings of scaled numerics. */
extern bool numeric_decode_strings(ChunkReader *reader, uint32_t vector,
								   const uint64_t *wanted, StringRef *strings,
								   const char **reason);

/* chunk_decode_string of scaled numerics. */
extern bool numeric_decode_string(ChunkReader *reader, uint32_t vector,
								  uint32_t position, StringRef *string,
								  const char **reason);

/* Strings divided into numbers: the head, and as the functions of chunk.h. */
extern bool fields_parse(ChunkReader *reader, ByteCursor *cursor, int first);
extern bool fields_decode_strings(ChunkReader *reader, uint32_t vector,
								  StringRef *strings, const char **reason);
extern bool fields_decode_string(ChunkReader *reader, uint32_t vector,
								 uint32_t position, StringRef *string,
								 const char **reason);

/* Room for count things of a size. */
static inline void *
reader_array(ChunkReader *reader, size_t count, size_t size)
{
	return allocator_array(reader->allocator, count, size);
}

#endif							/* ENCODING_CHUNK_READER_H */
