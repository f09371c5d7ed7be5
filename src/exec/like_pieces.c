/*
 * like_pieces.c
 *		Patterns of LIKE that are pieces of text between % signs.
 */
#include "postgres.h"

#include "encoding/byte_search.h"
#include "exec/like_pieces.h"
#include "mb/pg_wchar.h"

bool
like_pieces_is_simple(const StringRef *pattern)
{
	/* Core compares bytes, too, if a character's first byte is one only. */
	if (GetDatabaseEncoding() != PG_UTF8 &&
		pg_database_encoding_max_length() > 1)
		return false;
	for (uint32 i = 0; i < pattern->length; i++)
	{
		if (pattern->data[i] == '_' ||
			(pattern->data[i] == '\\' && ++i == pattern->length))
			return false;
	}
	return true;
}

void
like_pieces_init(LikePieces *like, const StringRef *pattern)
{
	const uint8 *source = pattern->data;
	uint32		length = pattern->length;
	uint8	   *bytes = palloc(Max(length, 1));
	uint8	   *start = bytes;
	bool		is_percent = false;

	like->begins_anywhere = length > 0 && source[0] == '%';
	like->npieces = 0;
	like->pieces = palloc(sizeof(StringRef) * (length / 2 + 1));
	like->longest = 0;
	for (uint32 i = 0; i < length; i++)
	{
		is_percent = source[i] == '%';
		if (source[i] == '\\')
			i++;
		if (!is_percent)
			*bytes++ = source[i];
		if ((is_percent || i == length - 1) && bytes > start)
		{
			StringRef  *piece = &like->pieces[like->npieces];

			piece->data = start;
			piece->length = bytes - start;
			if (piece->length > like->pieces[like->longest].length)
				like->longest = like->npieces;
			like->npieces++;
			start = bytes;
		}
	}
	like->ends_anywhere = is_percent;
}

static bool
bytes_are(const uint8 *bytes, const StringRef *piece)
{
	return memcmp(bytes, piece->data, piece->length) == 0;
}

bool
like_pieces_matches(const LikePieces *like, const StringRef *string)
{
	const uint8 *bytes = string->data;
	size_t		left = string->length;
	int			first = 0;
	int			limit = like->npieces;

	if (limit == 0)
		return left == 0 || like->begins_anywhere;
	if (!like->begins_anywhere)
	{
		const StringRef *piece = &like->pieces[first++];

		if (piece->length > left || !bytes_are(bytes, piece))
			return false;
		bytes += piece->length;
		left -= piece->length;
		if (first == limit && !like->ends_anywhere)
			return left == 0;
	}
	if (!like->ends_anywhere)
	{
		const StringRef *piece = &like->pieces[--limit];

		if (piece->length > left ||
			!bytes_are(bytes + left - piece->length, piece))
			return false;
		left -= piece->length;
	}
	for (int i = first; i < limit; i++)
	{
		const StringRef *piece = &like->pieces[i];
		const uint8 *found = byte_search(bytes, left, piece->data,
										 piece->length);

		if (found == NULL)
			return false;
		left -= (size_t) (found - bytes) + piece->length;
		bytes = found + piece->length;
	}
	return true;
}
