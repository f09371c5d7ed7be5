/*
 * string_sequence.h
 *		Up to 65,536 strings: a stream of lengths and blocks of their bytes.
 *
 * The values of a chunk, or the entries of its dictionary.  Bytes are cut into
 * blocks that end at a value and are compressed one by one; an index stream
 * gives the blocks' lengths.  Where a vector's bytes begin is in the head, so
 * that one string costs its vector's lengths and one block.
 *
 * Three streams: lengths (32-bit integers), index, blocks.
 */
#ifndef ENCODING_STRING_SEQUENCE_H
#define ENCODING_STRING_SEQUENCE_H

#include "encoding/block_codec.h"
#include "encoding/int_stream.h"

/* Reverse each pair of bytes. */
extern void swap_words(uint8_t *bytes, size_t length);

/* A sequence being written. */
typedef struct StringSequenceWriter
{
	IntStreamWriter lengths;
	ByteBuffer	index;
	ByteBuffer	blocks;
	uint32_t	nblocks;
	uint32_t	nvalues;
	uint64_t	raw_length;
	uint64_t	starts[CHUNK_MAX_VECTORS];	/* of vectors, in raw bytes */
} StringSequenceWriter;

/*
 * Encode strings; nulls (or NULL) tells which have no value of their own.
 * string_sequence_write_head appends what a head keeps of it.
 */
extern void string_sequence_encode(StringSequenceWriter *writer,
								   const StringRef *strings, uint32_t nvalues,
								   const uint8_t *nulls,
								   const ChunkOptions *options,
								   IntWorkspace *work,
								   const Allocator *allocator);
extern void string_sequence_write_head(const StringSequenceWriter *writer,
									   ByteBuffer *head);
extern void string_sequence_end(StringSequenceWriter *writer);

/*
 * Bytes that the blocks of strings would take, by compressing a few of them.
 */
extern double string_blocks_estimate(const StringRef *strings,
									 uint32_t nvalues,
									 const ChunkOptions *options,
									 const Allocator *allocator);

/* A block of a sequence that is open. */
typedef struct OpenBlock
{
	uint8_t    *data;			/* of the allocator; NULL if in the source */
	uint32_t	block;
} OpenBlock;

/* A sequence being read. */
typedef struct StringSequence
{
	IntStream	lengths;
	BlockCodec	codec;
	bool		has_words;		/* 16-bit ones, swapped on big-endian hosts */
	uint32_t	nblocks;
	PackedColumn vector_starts;
	uint64_t	index_offset;
	uint64_t	index_length;
	uint64_t	blocks_offset;
	uint64_t	blocks_length;
	const Allocator *allocator;
	ChunkSource *source;

	/* the index, read when the first block is needed */
	uint64_t   *raw_starts;		/* nblocks + 1 */
	uint64_t   *stored_starts;
	const uint8_t **block_bytes;	/* of open blocks, else NULL */
	OpenBlock  *open_blocks;
	uint32_t	nopen;
	uint32_t	last_block;

	/* the selected vector */
	bool		has_vector;
	uint32_t	vector;
	uint32_t   *vector_lengths;
	uint64_t   *vector_offsets;
} StringSequence;

/* Parse what string_sequence_write_head wrote. */
extern bool string_sequence_parse(ByteCursor *head, uint32_t nvalues,
								  BlockCodec codec, bool has_words,
								  const uint64_t *offsets,
								  const uint64_t *lengths, ChunkSource *source,
								  const Allocator *allocator,
								  StringSequence *sequence);
extern void string_sequence_close(StringSequence *sequence);

/* Make a vector the one that string_sequence_get refers to. */
extern bool string_sequence_select(StringSequence *sequence, uint32_t vector,
								   const uint64_t *nulls, IntScratch *scratch,
								   const char **reason);

/* String at a position of the selected vector; opens its block. */
extern bool string_sequence_get(StringSequence *sequence, uint32_t position,
								StringRef *string, const char **reason);

/*
 * Strings at the positions of wanted (NULL: all) of the selected vector; opens
 * their blocks.
 */
extern bool string_sequence_fill(StringSequence *sequence, uint32_t nvalues,
								 const uint64_t *wanted, StringRef *strings,
								 const char **reason);

/*
 * Set the bits of found, VECTOR_LENGTH ones, for strings of the selected vector
 * in which needle, which is not empty, occurs; opens all of its blocks.
 */
extern bool string_sequence_search(StringSequence *sequence, uint32_t nvalues,
								   const StringRef *needle, uint64_t *found,
								   const char **reason);

/*
 * String at a position of any vector, in which nulls, unless NULL, tells which
 * positions have no bytes; opens its block.
 */
extern bool string_sequence_find(StringSequence *sequence, uint32_t vector,
								 uint32_t position, const uint64_t *nulls,
								 StringRef *string, IntScratch *scratch,
								 const char **reason);

/* Close all blocks but the two opened last. */
extern void string_sequence_trim(StringSequence *sequence);

#endif							/* ENCODING_STRING_SEQUENCE_H */
