/*
 * string_sequence.h
 *		Up to 65,536 strings: a stream of lengths and blocks of their bytes.
 *
 * The values of a chunk, or the entries of its dictionary.  Bytes are cut into
 * blocks that end at a value and are compressed one by one; an index stream
 * gives the blocks' lengths.  Where a vector's bytes begin is in the head, so
 * that one string costs its vector's lengths and one block.
 *
 * Where neighbours begin alike, as in a sorted dictionary, a stream of prefixes
 * says how many bytes a string has in common with the one before it, and blocks
 * have the rest only.  Every few strings one has no prefix, so that a string
 * costs a few others.
 *
 * Streams: lengths (32-bit integers), prefixes (8 bits), index, blocks.
 */
#ifndef ENCODING_STRING_SEQUENCE_H
#define ENCODING_STRING_SEQUENCE_H

#include "encoding/block_codec.h"
#include "encoding/int_stream.h"

/* What a chunk says of how its strings are stored. */
typedef struct StringForm
{
	BlockCodec	codec;
	int			plane_shift;	/* blocks are split in 2^it planes first */
	bool		has_prefixes;
	bool		has_words;		/* 16-bit ones, swapped on big-endian hosts */
} StringForm;

/* Planes are of words of up to four bytes. */
#define MAX_PLANE_SHIFT 2

/* Bytes that a string may share with the one before it. */
#define MAX_PREFIX UINT8_MAX

/* Reverse each pair of bytes. */
extern void swap_words(uint8_t *bytes, size_t length);

/* A sequence being written. */
typedef struct StringSequenceWriter
{
	StringForm	form;
	IntStreamWriter lengths;
	IntStreamWriter prefixes;
	ByteBuffer	index;
	ByteBuffer	blocks;
	uint32_t	nblocks;
	uint32_t	nvalues;
	uint64_t	raw_length;		/* of blocks */
	uint64_t	starts[CHUNK_MAX_VECTORS];	/* of vectors, in raw bytes */
} StringSequenceWriter;

/* How a sequence is to be stored, and what that will need. */
typedef struct StringPlan
{
	StringForm	form;
	double		length;			/* bytes of blocks and prefixes */
	double		score;			/* nanoseconds; less is better */
} StringPlan;

/* A score that every other one is below. */
#define HUGE_SCORE 1e300

/* Choose a plan; nothing is tried where strings are all empty. */
extern void string_plan_make(const StringRef *strings, uint32_t nstrings,
							 bool has_words,
							 const ChunkOptions *options,
							 const Allocator *allocator, StringPlan *plan);

/* Bytes that two strings begin with alike, up to MAX_PREFIX. */
extern uint32_t string_common_prefix(StringRef left, StringRef right);

/*
 * Encode strings by a plan; nulls (or NULL) tells which have no value of their
 * own.  string_sequence_write_head appends what a head keeps of it.
 */
extern void string_sequence_encode(StringSequenceWriter *writer,
								   const StringRef *strings, uint32_t nvalues,
								   const uint8_t *nulls,
								   const StringPlan *plan,
								   const ChunkOptions *options,
								   IntWorkspace *work,
								   const Allocator *allocator);
extern void string_sequence_write_head(const StringSequenceWriter *writer,
									   ByteBuffer *head);
extern void string_sequence_end(StringSequenceWriter *writer);

/* A block of a sequence that is open. */
typedef struct OpenBlock
{
	uint8_t    *data;			/* of the allocator; NULL if in the source */
	uint32_t	block;
} OpenBlock;

/* The lengths of a vector, and its strings as far as they have been put together. */
typedef struct StringVector
{
	uint32_t	vector;
	bool		is_whole;		/* all strings are in text */
	bool		is_settled;		/* and nothing else is kept */
	uint32_t   *lengths;
	uint64_t   *offsets;		/* of the strings' raw bytes */

	/* only with prefixes: */
	uint8_t    *prefixes;
	uint64_t   *places;			/* of the strings in text */
	uint8_t    *text;
	size_t		text_room;
	uint64_t	done[VECTOR_LENGTH / 64];	/* strings in text */
} StringVector;

/* A sequence being read. */
typedef struct StringSequence
{
	StringForm	form;
	IntStream	lengths;
	IntStream	prefixes;
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

	/* vectors: the selected one, and all that have been, if they are kept */
	StringVector *selected;
	StringVector *spare;		/* memory of a vector not kept */
	StringVector **kept;		/* by vector; or NULL */
	uint32_t   *length_buffer;	/* of a vector of which one string is wanted */
} StringSequence;

/* Parse what string_sequence_write_head wrote. */
extern bool string_sequence_parse(ByteCursor *head, uint32_t nvalues,
								  StringForm form, const uint64_t *offsets,
								  const uint64_t *lengths, ChunkSource *source,
								  const Allocator *allocator,
								  StringSequence *sequence);
extern void string_sequence_close(StringSequence *sequence);

/*
 * Strings shall stay where they are until the sequence is closed, of whatever
 * vector they are; before the first is selected.
 */
extern void string_sequence_keep(StringSequence *sequence);

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
 * All strings of a vector that are kept, the last time that the vector is asked
 * for.  Does nothing if they have been taken.
 */
extern bool string_sequence_take(StringSequence *sequence, uint32_t vector,
								 StringRef *strings, IntScratch *scratch,
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

/*
 * Close all blocks but the two opened last.  Strings that were put together of
 * prefixes do not need them.
 */
extern void string_sequence_trim(StringSequence *sequence);

/* ---- blocks, for string_reader.c ---- */

/* Read the index, unless it has been. */
extern bool string_blocks_open_index(StringSequence *sequence,
									 const char **reason);

/*
 * Have the block open that holds the raw byte at offset, which is in some block,
 * as last_block.
 */
extern bool string_blocks_open(StringSequence *sequence, uint64_t offset,
							   const char **reason);
extern void string_blocks_close(StringSequence *sequence);

#endif							/* ENCODING_STRING_SEQUENCE_H */
