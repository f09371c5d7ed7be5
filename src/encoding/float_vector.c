/*
 * float_vector.c
 *		Which encoding of a vector of floats costs least.
 *
 * Decimals come first: where they are short nothing else is looked at.  Bit
 * patterns as integers, and those cut in two, are written one behind the other,
 * and the best is kept.
 */
#include "encoding/base.h"

#include "encoding/float_vector.h"

/* Nanoseconds to decode one value. */
#define COST_DECIMAL 0.6
#define COST_SPLIT 0.5
#define COST_PATTERNS 0.35
#define COST_RAW 0.08

/* Encoded bytes in the buffer, from start on. */
typedef struct Candidate
{
	uint8_t		encoding;
	size_t		start;
	size_t		length;
	double		score;			/* nanoseconds; less is better */
} Candidate;

/* What was appended since start. */
static Candidate
candidate_end(uint8_t encoding, size_t start, const IntVector *vector,
			  const IntOptions *options, double ns_per_value,
			  const ByteBuffer *body)
{
	Candidate	candidate;

	candidate.encoding = encoding;
	candidate.start = start;
	candidate.length = body->length - start;
	candidate.score = (double) candidate.length / options->bytes_per_ns +
		vector->nvalues * ns_per_value;
	return candidate;
}

/* Bytes that a candidate may have to cost less than score. */
static size_t
length_below(double score, const IntVector *vector, const IntOptions *options,
			 double ns_per_value)
{
	double		limit = (score - vector->nvalues * ns_per_value) * options->bytes_per_ns;

	return limit > 0 ? (size_t) limit : 0;
}

/* Does a vector of decimals take less than three quarters of the raw bytes? */
static bool
is_short(const Candidate *candidate, const IntVector *vector)
{
	return 4 * candidate->length <=
		3 * (size_t) vector->nvalues * (size_t) vector->type.size;
}

uint8_t
float_vector_encode(const IntVector *vector, const IntOptions *options,
					IntWorkspace *work, ByteBuffer *body)
{
	size_t		start = body->length;
	Candidate	best;
	Candidate	next;
	uint8_t		encoding;

	best.score = -1;
	if (float_decimal_encode(vector, options, work, body))
	{
		best = candidate_end(INT_DECIMAL, start, vector, options,
							 COST_DECIMAL, body);
		if (is_short(&best, vector))
			return INT_DECIMAL;
	}

	next.start = body->length;
	encoding = int_vector_encode_stored(vector, options, work, body);
	next = candidate_end(encoding, next.start, vector, options,
						 encoding == INT_RAW ? COST_RAW : COST_PATTERNS, body);
	if (best.score < 0 || next.score < best.score)
		best = next;

	next.start = body->length;
	if (float_split_encode(vector, work,
						   length_below(best.score, vector, options,
										COST_SPLIT), body))
		best = candidate_end(INT_SPLIT, next.start, vector, options,
							 COST_SPLIT, body);

	memmove(body->data + start, body->data + best.start, best.length);
	body->length = start + best.length;
	return best.encoding;
}
