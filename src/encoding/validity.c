/*
 * validity.c
 *		Which positions of a vector are NULL, as bitmap or as runs.
 *
 * NULLs often come in runs (land in a grid of the sea, lists a player is not
 * on), which then cost a few bytes instead of 128.
 *
 * Runs: 2 bytes their number n, 1 byte their width w, n lengths of w bits, the
 * first of valid positions (it may be 0), then NULL and valid ones in turn.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/byteorder.h"
#include "encoding/int_vector.h"
#include "encoding/validity.h"

#define RUNS_HEADER_LENGTH 3
#define MAX_RUNS 128

/* Lengths of runs, valid ones first; returns 0 if there are too many. */
static uint32_t
collect_runs(const uint64_t *nulls, uint32_t npositions, uint64_t *lengths)
{
	uint32_t	nruns = 0;
	uint32_t	start = 0;
	bool		is_null = false;

	for (uint32_t i = 0; i <= npositions; i++)
	{
		if (i < npositions && bitmap_get(nulls, i) == is_null)
			continue;
		if (nruns == MAX_RUNS)
			return 0;
		lengths[nruns++] = i - start;
		start = i;
		is_null = !is_null;
	}
	return nruns;
}

static bool
encode_runs(const uint64_t *nulls, uint32_t npositions, ByteBuffer *body)
{
	uint64_t	lengths[MAX_RUNS];
	uint32_t	nruns = collect_runs(nulls, npositions, lengths);
	uint64_t	all = 0;
	int			width;
	size_t		length;

	for (uint32_t i = 0; i < nruns; i++)
		all |= lengths[i];
	width = bitpack_width(all);
	length = bitpack_length(nruns, width);
	if (nruns == 0 || RUNS_HEADER_LENGTH + length > npositions / 8 * 3 / 4)
		return false;
	bytebuffer_append_uint(body, nruns, 2);
	bytebuffer_append_uint(body, (uint64_t) width, 1);
	bitpack_pack(lengths, nruns, width, bytebuffer_reserve(body, length));
	body->length += length;
	return true;
}

ValidityEncoding
validity_encode(const uint64_t *nulls, uint32_t npositions,
				uint32_t nnulls, ByteBuffer *body)
{
	if (nnulls == 0)
		return VALIDITY_NONE_NULL;
	if (nnulls == npositions)
		return VALIDITY_ALL_NULL;
	if (encode_runs(nulls, npositions, body))
		return VALIDITY_RUNS;
	for (uint32_t i = 0; i < npositions; i += 8)
		bytebuffer_append_uint(body, nulls[i / 64] >> (i % 64) & 255, 1);
	return VALIDITY_BITMAP;
}

static bool
decode_bitmap(const uint8_t *in, size_t length, uint32_t npositions,
			  uint64_t *nulls)
{
	uint8_t		padded[VECTOR_LENGTH / 8];

	if (length != bitpack_length(npositions, 1) ||
		!bitpack_padding_is_zero(in, npositions, 1))
		return false;
	memset(padded, 0, sizeof(padded));
	memcpy(padded, in, length);
	for (int word = 0; word < VALIDITY_WORDS; word++)
		nulls[word] = load_le64(padded + 8 * word);
	return true;
}

/* Set npositions bits from position start on. */
static void
set_bits(uint64_t *nulls, uint32_t start, uint32_t npositions)
{
	for (uint32_t i = start; i < start + npositions; i++)
		bitmap_set(nulls, i);
}

static bool
decode_runs(const uint8_t *in, size_t length, uint32_t npositions,
			uint64_t *nulls)
{
	uint16_t	lengths[MAX_RUNS + DECODE_SLACK_VALUES];
	uint32_t	position = 0;
	uint32_t	nruns;
	int			width;
	ByteCursor	cursor;

	cursor_init(&cursor, in, length);
	nruns = (uint32_t) cursor_uint(&cursor, 2);
	width = (int) cursor_uint(&cursor, 1);
	if (cursor.failed || nruns > MAX_RUNS || width > 11 ||
		cursor_left(&cursor) != bitpack_length(nruns, width) ||
		!bitpack_padding_is_zero(cursor.next, nruns, width) ||
		!bitpack_unpack(cursor.next, cursor_left(&cursor), 0, nruns, width,
						lengths, sizeof(uint16_t)))
		return false;
	for (uint32_t i = 0; i < nruns; i++)
	{
		if (lengths[i] > npositions - position || (lengths[i] == 0 && i > 0))
			return false;
		if (i % 2 == 1)
			set_bits(nulls, position, lengths[i]);
		position += lengths[i];
	}
	return position == npositions;
}

bool
validity_decode(uint64_t encoding, const uint8_t *in, size_t length,
				uint32_t npositions, uint32_t nnulls,
				uint64_t *nulls, const char **reason)
{
	bool		valid = false;
	uint32_t	nset = 0;

	memset(nulls, 0, VECTOR_LENGTH / 8);
	if (encoding == VALIDITY_NONE_NULL && length == 0 && nnulls == 0)
		return true;
	switch (encoding)
	{
		case VALIDITY_ALL_NULL:
			valid = length == 0;
			set_bits(nulls, 0, npositions);
			break;
		case VALIDITY_BITMAP:
			valid = decode_bitmap(in, length, npositions, nulls);
			break;
		case VALIDITY_RUNS:
			valid = decode_runs(in, length, npositions, nulls);
			break;
		default:
			break;
	}
	for (int word = 0; word < VALIDITY_WORDS; word++)
		nset += count_bits(nulls[word]);
	if (valid && nset == nnulls)
		return true;
	*reason = "null bitmap does not match its vector";
	return false;
}
