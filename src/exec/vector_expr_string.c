/*
 * vector_expr_string.c
 *		Lengths, parts, positions and concatenation of strings.
 *
 * Where strings are UTF-8, characters are counted by their first bytes.  In
 * other encodings of several bytes core's functions are called.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* ---- encodings ---- */

static inline bool
is_single_byte(void)
{
	return pg_database_encoding_max_length() == 1;
}

/* Can characters be told apart here? */
static bool
encoding_is_known(const List *args, Oid collation)
{
	return is_single_byte() || GetDatabaseEncoding() == PG_UTF8;
}

/* The same, and equal strings are those of equal bytes. */
static bool
text_is_bytewise(const List *args, Oid collation)
{
	return OidIsValid(collation) &&
		get_collation_isdeterministic(collation) &&
		encoding_is_known(args, collation);
}

/* Is it the first byte of a character of UTF-8? */
static inline bool
starts_character(uint8 byte)
{
	return (byte & 0xC0) != 0x80;
}

#define EVERY_BYTE(byte)	(UINT64CONST(0x0101010101010101) * (byte))

static int64
count_characters(const uint8 *data, uint32 length)
{
	uint32		n = length;
	uint32		i = 0;

	/* Eight bytes at once: what is not a first byte begins with bits 10. */
	for (; i + sizeof(uint64) <= length; i += sizeof(uint64))
	{
		uint64		bytes;

		memcpy(&bytes, data + i, sizeof(bytes));
		if ((bytes & EVERY_BYTE(0x80)) == 0)
			continue;
		bytes = (bytes >> 7) & ~(bytes >> 6) & EVERY_BYTE(1);
		n -= (uint32) ((bytes * EVERY_BYTE(1)) >> 56);
	}
	for (; i < length; i++)
		n -= !starts_character(data[i]);
	return n;
}

/* The position behind n characters from position start. */
static uint32
skip_characters(const StringRef *string, uint32 start, uint64 n)
{
	uint32		i = start;

	if (is_single_byte())
		return n > string->length - start ? string->length : start + n;
	while (n > 0 && i < string->length)
	{
		i++;
		while (i < string->length && !starts_character(string->data[i]))
			i++;
		n--;
	}
	return i;
}

/* ---- lengths ---- */

/* Of a column only the lengths are asked for, where bytes are what counts. */
static const Vector *
evaluate_byte_length(VectorNode *node, const uint64 *mask)
{
	const Vector *lengths = vector_column_lengths(node->args[0], mask);

	return lengths ? lengths : vector_function_evaluate(node, mask);
}

/* The same of characters, which the chunk may know to be bytes. */
static const Vector *
evaluate_character_length(VectorNode *node, const uint64 *mask)
{
	const Vector *lengths = vector_column_ascii_lengths(node->args[0], mask);

	return lengths ? lengths : vector_function_evaluate(node, mask);
}

static bool
byte_length(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	if (args[0]->form != FORM_STRING)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		node->result.integers[slot] = args[0]->strings[slot].length;
	}
	return true;
}

static bool
character_length(VectorNode *node, const Vector *const *args,
				 const uint64 *live)
{
	if (args[0]->form != FORM_STRING)
		return false;
	if (is_single_byte())
		return byte_length(node, args, live);
	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *string = &args[0]->strings[slot];

		node->result.integers[slot] = count_characters(string->data,
													   string->length);
	}
	return true;
}

VectorNodeEvaluate
vector_length_evaluate(VectorKernel kernel)
{
	if (kernel == byte_length ||
		(kernel == character_length && is_single_byte()))
		return evaluate_byte_length;
	if (kernel == character_length)
		return evaluate_character_length;
	return NULL;
}

/* ---- parts ---- */

/*
 * The characters from start on, which counts from 1 and may lie before, up to
 * end, exclusive.
 */
static StringRef
slice(const StringRef *string, int64 start, int64 end)
{
	int64		first = Max(start, 1);
	uint32		from = skip_characters(string, 0, first - 1);
	StringRef	part;

	part.data = string->data + from;
	part.length = end <= first ? 0 :
		skip_characters(string, from, end - first) - from;
	return part;
}

/* substring(text, integer), substring(text, integer, integer) */
static bool
substring(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	bool		has_length = node->nargs == 3;

	if (args[0]->form != FORM_STRING)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		int64		start = args[1]->integers[slot];
		int64		end = PG_INT64_MAX;

		if (has_length)
		{
			if (args[2]->integers[slot] < 0)
				return false;
			end = start + args[2]->integers[slot];
		}
		node->result.strings[slot] = slice(&args[0]->strings[slot], start,
										   end);
	}
	return true;
}

/* ---- positions ---- */

static bool
starts_with(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	if (args[0]->form != FORM_STRING || args[1]->form != FORM_STRING)
		return false;
	memset(node->result.bits, 0, sizeof(uint64) * VECTOR_WORDS);
	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *string = &args[0]->strings[slot];
		const StringRef *prefix = &args[1]->strings[slot];

		if (string->length >= prefix->length &&
			memcmp(string->data, prefix->data, prefix->length) == 0)
			vector_set_bit(node->result.bits, slot);
	}
	return true;
}

/* The character at which a string occurs first, from 1; 0: nowhere. */
static int64
position_of(const StringRef *string, const StringRef *part)
{
	const uint8 *found;

	if (part->length == 0)
		return 1;
	found = memmem(string->data, string->length, part->data, part->length);
	if (found == NULL)
		return 0;
	return is_single_byte() ? found - string->data + 1 :
		count_characters(string->data, found - string->data) + 1;
}

static bool
position(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	if (args[0]->form != FORM_STRING || args[1]->form != FORM_STRING)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		node->result.integers[slot] = position_of(&args[0]->strings[slot],
												  &args[1]->strings[slot]);
	}
	return true;
}

/* ---- concatenation ---- */

static bool
concatenate(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	Size		length = 0;
	uint8	   *target;

	if (args[0]->form != FORM_STRING || args[1]->form != FORM_STRING)
		return false;
	VECTOR_FOR_EACH(slot, live)
	{
		Size		both = (Size) args[0]->strings[slot].length +
			args[1]->strings[slot].length;

		if (both > MaxAllocSize - VARHDRSZ)
			return false;
		length += both;
	}

	target = MemoryContextAllocHuge(node->context->batch_context,
									Max(length, 1));
	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *a = &args[0]->strings[slot];
		const StringRef *b = &args[1]->strings[slot];
		StringRef  *string = &node->result.strings[slot];

		string->data = target;
		string->length = a->length + b->length;
		if (a->length > 0)
			memcpy(target, a->data, a->length);
		if (b->length > 0)
			memcpy(target + a->length, b->data, b->length);
		target += string->length;
	}
	return true;
}

/* ---- functions ---- */

const VectorFunction vector_string_functions[] = {
	{F_LENGTH_TEXT, character_length, 0, encoding_is_known},
	{F_CHAR_LENGTH_TEXT, character_length, 0, encoding_is_known},
	{F_CHARACTER_LENGTH_TEXT, character_length, 0, encoding_is_known},
	{F_OCTET_LENGTH_TEXT, byte_length},
	{F_LENGTH_BYTEA, byte_length},
	{F_OCTET_LENGTH_BYTEA, byte_length},
	{F_SUBSTRING_TEXT_INT4, substring, 0, encoding_is_known},
	{F_SUBSTRING_TEXT_INT4_INT4, substring, 0, encoding_is_known},
	{F_SUBSTR_TEXT_INT4, substring, 0, encoding_is_known},
	{F_SUBSTR_TEXT_INT4_INT4, substring, 0, encoding_is_known},
	{F_STARTS_WITH, starts_with, 0, text_is_bytewise},
	{F_STRPOS, position, 0, text_is_bytewise},
	{F_POSITION_TEXT_TEXT, position, 0, text_is_bytewise},
	{F_TEXTCAT, concatenate},
	{InvalidOid}
};
