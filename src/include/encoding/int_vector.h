/*
 * int_vector.h
 *		Encodings of up to 1,024 integers of one width.
 *
 * Everything that is not bytes of strings goes through these: values, scaled
 * numerics, dictionary codes, lengths, bit patterns of floats.  A vector's
 * encoding and length in bytes are kept by the stream it belongs to
 * (int_stream.h); docs/format.md has the bytes.
 */
#ifndef ENCODING_INT_VECTOR_H
#define ENCODING_INT_VECTOR_H

#include "encoding/bytebuffer.h"

/* On disk: numbers must not change. */
typedef enum IntEncoding
{
	INT_CONSTANT = 0,
	INT_RAW = 1,
	INT_FOR = 2,				/* frame of reference, bit-packed */
	INT_DELTA = 3,
	INT_PATCHED = 4,			/* frame of reference with exceptions */
	INT_PATCHED_DELTA = 5,
	INT_SIMPLE64 = 6,
	INT_SIMPLE64_DELTA = 7,
	INT_RUNS = 8,
	INT_DECIMAL = 9,			/* floats that are integers over a divisor */
	INT_BLOCK = 10,				/* raw bytes through a block codec */
	INT_SPLIT = 11,				/* floats cut in two parts */
	INT_NENCODINGS
} IntEncoding;

/* Or-ed to the encoding: only the non-null values are stored. */
#define INT_ENCODING_DENSE 0x80

/* What the integers are: their width in bytes, and how they extend. */
typedef struct IntType
{
	int			size;			/* 1, 2, 4 or 8 */
	bool		is_signed;
	bool		is_float;		/* bit patterns of floats: size is 4 or 8 */
} IntType;

/*
 * A vector to encode: values widened to 64 bits, NULL positions filled by the
 * running value, so that statistics need not look at nulls.
 */
typedef struct IntVector
{
	IntType		type;
	uint32_t	nvalues;
	const int64_t *values;
	const uint64_t *nulls;		/* bit set for NULL; NULL if there is none */
} IntVector;

/* What one pass over a vector's values finds. */
typedef struct IntStats
{
	int64_t		min;
	int64_t		max;
	uint64_t	divisor;		/* of all differences; 0 if they are all 0 */
	uint32_t	nruns;
	uint32_t	max_run;
	int			width;			/* bits of the widest residual */
	bool		has_delta;		/* the next two fields are valid */
	int64_t		min_delta;		/* of residuals */
	int			delta_width;	/* of the widest delta less min_delta */
	bool		has_widths;		/* so are these, and so on */
	uint16_t	widths[65];		/* residuals by their bits */
	bool		has_delta_widths;
	uint16_t	delta_widths[65];
	bool		has_steady;
	int64_t		steady_delta;	/* a delta that few lie below */
	uint16_t	steady_widths[65];
} IntStats;

#define FLOAT_MAX_DIVISORS 4
#define FLOAT_MAX_LEFTS 8

/* How a vector's patterns are cut in two: see float_split.c. */
typedef struct FloatSplit
{
	int			shift;			/* zeros that all patterns end with */
	int			right_bits;
	int			code_bits;
	uint16_t	lefts[FLOAT_MAX_LEFTS];
} FloatSplit;

/* What the vectors of a chunk of floats so far tell the next ones. */
typedef struct FloatHints
{
	uint64_t	divisors[FLOAT_MAX_DIVISORS];	/* no powers of ten */
	int			ndivisors;
	int			nfailures;		/* searches for one that found none */
	int			split_uses;		/* vectors that split may be used for yet */
	uint32_t	split_exceptions;	/* to be expected */
	FloatSplit	split;
} FloatHints;

/* Work space of an encoder: too large for the stack, reused by vectors. */
typedef struct IntWorkspace
{
	IntStats	stats;
	FloatHints	floats;			/* zero at first */
	bool		used_block;		/* the vector encoded last went through a codec */
	uint64_t	residuals[VECTOR_LENGTH];	/* (value - min) / divisor */
	uint64_t	deltas[VECTOR_LENGTH];	/* less min_delta, first is 0 */
	uint64_t	steady[VECTOR_LENGTH];	/* less steady_delta, cut to the type */
	uint64_t	codes[VECTOR_LENGTH];	/* of the encoding in work */
	uint64_t	extra[VECTOR_LENGTH];
	int64_t		dense[VECTOR_LENGTH];
	int64_t		decimals[VECTOR_LENGTH];
	uint8_t		words[8 * VECTOR_LENGTH];
	uint8_t		trial[16 * VECTOR_LENGTH];
} IntWorkspace;

/* The chooser's answer: how to encode, and what that will cost. */
typedef struct IntPlan
{
	IntEncoding encoding;
	int			width;			/* of the packed body */
	int			patch_width;	/* of what exceeds it; PATCHED* */
	uint32_t	npatches;
	bool		is_steady;		/* deltas are less steady_delta */
	size_t		length;			/* bytes; exact but for SIMPLE64* */
	double		score;			/* nanoseconds; less is better */
} IntPlan;

/* Codec and weights of a chooser. */
typedef struct IntOptions
{
	Optimize	optimize;
	int			codec;			/* a BlockCodec */
	int			codec_level;
	double		bytes_per_ns;
} IntOptions;

extern void int_stats_collect(const int64_t *values, uint32_t nvalues,
							  int size, IntWorkspace *work);

/* Bits to store for values of so many: 58 to 63 become 64. */
static inline int
int_stored_width(int width)
{
	return width >= 58 ? 64 : width;
}

/* Bytes of base, divisor and step in front of the packed body. */
extern size_t int_header_length(const IntStats *stats, int64_t base,
								bool is_delta);

/*
 * Choose by work->stats and samples of work's residuals and deltas.  fallback
 * is the best plan whose length is exact, for when SIMPLE64 disappoints.
 */
extern void int_choose(const IntVector *vector, IntWorkspace *work,
					   const IntOptions *options, IntPlan *best,
					   IntPlan *fallback);

/* Append the encoded vector to body; returns its encoding with flags. */
extern uint8_t int_vector_encode(const IntVector *vector,
								 const IntOptions *options, IntWorkspace *work,
								 ByteBuffer *body);

/* The same without dense form and without regard to floats. */
extern uint8_t int_vector_encode_stored(const IntVector *vector,
										const IntOptions *options,
										IntWorkspace *work, ByteBuffer *body);

/* The same without block codec. */
extern uint8_t int_vector_encode_light(const IntVector *vector,
									   const IntOptions *options,
									   IntWorkspace *work, ByteBuffer *body);

/*
 * Values that a loop of a decoder takes at once, as a constant so that
 * compilers vectorise it; a divisor of the slack of buffers.
 */
#define VECTOR_STEP 16

/* Work space of a decoder. */
typedef struct IntScratch
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint64_t	extra[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	int64_t		decimals[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint16_t	positions[VECTOR_LENGTH + DECODE_SLACK_VALUES];
} IntScratch;

/*
 * Decode nvalues values from exactly length bytes into values, in native width
 * and byte order, with room for DECODE_SLACK_VALUES more.  nulls serves only
 * dense vectors, whose NULL positions become zero.  Returns false and sets
 * *reason if the bytes are not such a vector.
 */
extern bool int_vector_decode(uint8_t encoding, const uint8_t *in,
							  size_t length, IntType type, uint32_t nvalues,
							  const uint64_t *nulls, void *values,
							  IntScratch *scratch, const char **reason);

/*
 * Decode the value at one position, which is not NULL, to its bit pattern,
 * extended to 64 bits in any way.  Returns false with *reason NULL if the
 * encoding does not allow that; then the whole vector has to be decoded.
 */
extern bool int_vector_decode_value(uint8_t encoding, const uint8_t *in,
									size_t length, IntType type,
									uint32_t nvalues, const uint64_t *nulls,
									uint32_t position, uint64_t *value,
									IntScratch *scratch, const char **reason);

/*
 * Set the bits of matches, VECTOR_LENGTH ones, for values from low to high, in
 * the order of the type, and clear the others; those of NULLs and behind the
 * last value may become anything.  Returns false with *reason NULL if the
 * encoding is none to be searched so: then the vector has to be decoded.
 */
extern bool int_vector_between(uint8_t encoding, const uint8_t *in,
							   size_t length, IntType type, uint32_t nvalues,
							   const uint64_t *nulls, int64_t low,
							   int64_t high, uint64_t *matches,
							   IntScratch *scratch, const char **reason);

/*
 * The values at some positions, in increasing order, as bit patterns extended
 * to 64 bits in any way; anything for NULLs.  Returns false as above.
 */
extern bool int_vector_gather(uint8_t encoding, const uint8_t *in,
							  size_t length, IntType type, uint32_t nvalues,
							  const uint64_t *nulls, const uint16_t *positions,
							  uint32_t npositions, uint64_t *values,
							  IntScratch *scratch, const char **reason);

/*
 * Of all values of a vector, NULLs' fillers too: their sum; the least and the
 * greatest; the values in 64 bits, extended by their type, with room as of
 * int_vector_decode.  Return false as above.
 */
extern bool int_vector_sum(uint8_t encoding, const uint8_t *in, size_t length,
						   IntType type, uint32_t nvalues, int64_t *sum,
						   const char **reason);
extern bool int_vector_extremes(uint8_t encoding, const uint8_t *in,
								size_t length, IntType type, uint32_t nvalues,
								int64_t *min, int64_t *max,
								const char **reason);
extern bool int_vector_decode_wide(uint8_t encoding, const uint8_t *in,
								   size_t length, IntType type,
								   uint32_t nvalues, int64_t *values,
								   const char **reason);

extern const char *int_encoding_name(uint8_t encoding);

/*
 * Bits that are set.  Without a flag for the CPU, compilers make a call of
 * what they have built in.
 */
static inline uint32_t
count_bits(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) +
		(word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t) (word * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool
bitmap_get(const uint64_t *bitmap, uint32_t index)
{
	return (bitmap[index / 64] >> (index % 64)) & 1;
}

static inline void
bitmap_set(uint64_t *bitmap, uint32_t index)
{
	bitmap[index / 64] |= UINT64_C(1) << (index % 64);
}

#endif							/* ENCODING_INT_VECTOR_H */
