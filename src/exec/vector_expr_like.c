/*
 * vector_expr_like.c
 *		LIKE with patterns of % only.
 *
 * A pattern without _ is a list of pieces that have to occur one after the
 * other, the first and the last one at the ends unless there is a %.  In UTF-8
 * and encodings of single bytes this is a matter of bytes.  Strings that follow
 * each other in memory are searched for the first piece as a whole: most
 * vectors have few matches.
 */
#include "postgres.h"

#include "compat.h"
#include "encoding/byte_search.h"
#include "exec/like_pieces.h"
#include "exec/vector_node.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* What a pattern says. */
typedef struct LikePattern
{
	MemoryContext context;		/* holds all of it */
	StringRef	source;			/* the pattern, copied */
	bool		is_known;		/* else core matches it */
	LikePieces	pieces;
} LikePattern;

/* ---- patterns ---- */

/* The pattern that a constant argument is, parsed when it is a new one. */
static const LikePattern *
find_pattern(VectorNode *node, const Vector *argument)
{
	const StringRef *source = &argument->strings[0];
	LikePattern *pattern = node->state;
	MemoryContext context;
	MemoryContext oldcontext;
	uint8	   *copy;

	if (pattern && pattern->source.length == source->length &&
		memcmp(pattern->source.data, source->data, source->length) == 0)
		return pattern;

	/* Between rescans a parameter may have changed. */
	if (pattern)
		MemoryContextDelete(pattern->context);
	node->state = NULL;
	context = AllocSetContextCreate(node->memory, "columnar pattern",
									ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	pattern = palloc0(sizeof(LikePattern));
	pattern->context = context;
	copy = palloc(Max(source->length, 1));
	memcpy(copy, source->data, source->length);
	pattern->source.data = copy;
	pattern->source.length = source->length;
	pattern->is_known = like_pieces_is_simple(&pattern->source);
	if (pattern->is_known)
		like_pieces_init(&pattern->pieces, &pattern->source);
	MemoryContextSwitchTo(oldcontext);
	node->state = pattern;
	return pattern;
}

/* ---- matching ---- */

static void
match_each(const LikePattern *pattern, const StringRef *strings,
		   const uint64 *live, uint64 *bits)
{
	VECTOR_FOR_EACH(slot, live)
	{
		if (like_pieces_matches(&pattern->pieces, &strings[slot]))
			vector_set_bit(bits, slot);
	}
}

/* ---- strings that follow each other ---- */

/*
 * Rows whose strings are one piece of memory: rows[first] to rows[end - 1].
 */
typedef struct StringRun
{
	const StringRef *strings;
	const uint16 *rows;
	int			first;
	int			end;
} StringRun;

/* Match the rows of a run that the pattern's first piece occurs in. */
static void
match_run(const LikePattern *pattern, const StringRun *run, uint64 *bits)
{
	const StringRef *piece = &pattern->pieces.pieces[0];
	const StringRef *last = &run->strings[run->rows[run->end - 1]];
	const uint8 *data = run->strings[run->rows[run->first]].data;
	const uint8 *end = last->data + last->length;
	int			i = run->first;

	while (i < run->end)
	{
		const StringRef *string;

		data = byte_search(data, end - data, piece->data, piece->length);
		if (data == NULL)
			return;
		while (string = &run->strings[run->rows[i]],
			   data >= string->data + string->length)
			i++;
		if (like_pieces_matches(&pattern->pieces, string))
			vector_set_bit(bits, run->rows[i]);
		data = string->data + string->length;
		i++;
	}
}

static void
match_runs(const LikePattern *pattern, const StringRef *strings,
		   const uint64 *live, uint64 *bits)
{
	uint16		rows[VECTOR_LENGTH];
	int			nrows = 0;
	StringRun	run = {strings, rows};

	VECTOR_FOR_EACH(slot, live)
	{
		rows[nrows++] = slot;
	}
	for (run.first = 0; run.first < nrows; run.first = run.end)
	{
		for (run.end = run.first + 1; run.end < nrows; run.end++)
		{
			const StringRef *before = &strings[rows[run.end - 1]];

			if (before->data + before->length != strings[rows[run.end]].data)
				break;
		}
		match_run(pattern, &run, bits);
	}
}

/* ---- functions ---- */

/* LIKE; with the option NOT LIKE */
static bool
like(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	const LikePattern *pattern;
	uint64	   *bits = node->result.bits;

	if (args[0]->form != FORM_STRING || args[1]->form != FORM_STRING ||
		!args[1]->is_constant)
		return false;
	pattern = find_pattern(node, args[1]);
	if (!pattern->is_known)
		return false;

	memset(bits, 0, sizeof(uint64) * VECTOR_WORDS);
	if (pattern->pieces.begins_anywhere && pattern->pieces.npieces > 0)
		match_runs(pattern, args[0]->strings, live, bits);
	else
		match_each(pattern, args[0]->strings, live, bits);
	if (node->option)
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			bits[w] = ~bits[w];
	}
	return true;
}

static bool
is_bytewise(const List *args, Oid collation)
{
	return OidIsValid(collation) &&
		get_collation_isdeterministic(collation) &&
		(pg_database_encoding_max_length() == 1 ||
		 GetDatabaseEncoding() == PG_UTF8);
}

const VectorFunction vector_like_functions[] = {
	{F_TEXTLIKE, like, false, is_bytewise},
	{F_LIKE_TEXT_TEXT, like, false, is_bytewise},
	{F_TEXTNLIKE, like, true, is_bytewise},
	{F_NOTLIKE_TEXT_TEXT, like, true, is_bytewise},
	{InvalidOid}
};
