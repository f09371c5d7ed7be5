/*
 * vector_expr_regexp.c
 *		regexp_replace with patterns that cut one part out of a string.
 *
 * Those are the patterns
 *
 *		^ head ( class quantifier ) tail $
 *
 * where head and tail are letters, each or several in (?:) with ? behind or not,
 * the class is . or a bracket of ASCII characters, its quantifier *, + or none,
 * and the tail may end with .*; the replacement is \1, or has no backslash.  So
 * the whole string is replaced, or nothing.  All other patterns are core's, whose
 * engine takes microseconds for a string.
 *
 * As in core's engine, the head is as long as it can be so that the rest still
 * matches, then the part is.  All that is compared is ASCII, and characters of
 * the class are told by their first bytes, so bytes will do in UTF-8, too.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"
#include "mb/pg_wchar.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Words before the part and behind it, and of them, those with a ?. */
#define MAX_WORDS		16
#define MAX_OPTIONAL	6

/* Letters that follow each other. */
typedef struct Word
{
	const uint8 *letters;
	uint32		length;
	bool		is_optional;
} Word;

typedef struct Words
{
	int			nwords;
	int			noptional;
	Word		words[MAX_WORDS];
} Words;

/* A pattern and a replacement. */
typedef struct CutPattern
{
	MemoryContext context;		/* holds all of it */
	StringRef	source;			/* both, copied */
	StringRef	replacement;
	bool		is_known;		/* else core does it */
	bool		is_part;		/* the replacement is \1 */

	Words		head;
	bool		in_class[256];	/* bytes of the part */
	bool		is_single;		/* it is one character */
	bool		is_filled;		/* it is not empty */
	Words		tail;
	bool		ends_anywhere;	/* .* */
} CutPattern;

/* ---- parsing ---- */

/* What is left to parse. */
typedef struct PatternText
{
	const uint8 *next;
	const uint8 *end;
	uint8	   *letters;		/* room for those of words */
} PatternText;

static inline int
peek(const PatternText *text)
{
	return text->next < text->end ? *text->next : -1;
}

static bool
skip(PatternText *text, const char *wanted)
{
	size_t		length = strlen(wanted);

	if (text->end - text->next < (ptrdiff_t) length ||
		memcmp(text->next, wanted, length) != 0)
		return false;
	text->next += length;
	return true;
}

static bool
is_quantifier(int c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

static bool
is_letter_or_digit(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9');
}

/* Take a character that stands for itself; false if the next one does not. */
static bool
take_letter(PatternText *text, uint8 *letter)
{
	int			c = peek(text);

	if (c == '\\' && text->end - text->next > 1)
	{
		c = text->next[1];
		if (c >= 0x80 || c <= ' ' || is_letter_or_digit(c))
			return false;
		text->next++;
	}
	else if (c < ' ' || c >= 0x80 || strchr("^$.[]()*+?{}|\\", c) != NULL)
		return false;
	text->next++;
	*letter = c;
	return true;
}

/* Take a ? if there is one; false if there is another quantifier. */
static bool
take_optional(PatternText *text, bool *is_optional)
{
	*is_optional = skip(text, "?");
	return !is_quantifier(peek(text));
}

static bool
add_word(Words *words, const uint8 *letters, uint32 length, bool is_optional)
{
	Word	   *word;

	if (words->nwords == MAX_WORDS ||
		(is_optional && ++words->noptional > MAX_OPTIONAL))
		return false;
	word = &words->words[words->nwords++];
	word->letters = letters;
	word->length = length;
	word->is_optional = is_optional;
	return true;
}

/* Take words until something else comes; false if it is no pattern of ours. */
static bool
take_words(PatternText *text, Words *words)
{
	for (;;)
	{
		const uint8 *first = text->letters;
		bool		is_group = skip(text, "(?:");
		bool		is_optional;

		while (take_letter(text, text->letters))
		{
			text->letters++;
			if (!is_group)
				break;
		}
		if (is_group && !skip(text, ")"))
			return false;
		if (text->letters == first)
			return !is_group;
		if (!take_optional(text, &is_optional) ||
			!add_word(words, first, text->letters - first, is_optional))
			return false;
	}
}

/* Take a bracket, whose [ is behind us. */
static bool
take_bracket(PatternText *text, CutPattern *pattern)
{
	bool		is_negative = skip(text, "^");
	int			n = 0;

	memset(pattern->in_class, is_negative, sizeof(pattern->in_class));
	for (; peek(text) != ']'; n++)
	{
		int			c = peek(text);

		if (c < ' ' || c >= 0x80 || strchr("[\\-^", c) != NULL)
			return false;
		pattern->in_class[c] = !is_negative;
		text->next++;
	}
	text->next++;
	return n > 0;
}

/* Take the part, whose ( is behind us. */
static bool
take_part(PatternText *text, CutPattern *pattern)
{
	if (skip(text, "["))
	{
		if (!take_bracket(text, pattern))
			return false;
	}
	else if (skip(text, "."))
		memset(pattern->in_class, true, sizeof(pattern->in_class));
	else
		return false;

	if (skip(text, "+"))
		pattern->is_filled = true;
	else if (!skip(text, "*"))
		pattern->is_single = true;
	return skip(text, ")") && !is_quantifier(peek(text));
}

static bool
parse_pattern(CutPattern *pattern)
{
	PatternText text = {pattern->source.data,
	pattern->source.data + pattern->source.length};

	text.letters = palloc(Max(pattern->source.length, 1));
	if (!skip(&text, "^") || is_quantifier(peek(&text)) ||
		!take_words(&text, &pattern->head) ||
		!skip(&text, "(") || !take_part(&text, pattern) ||
		!take_words(&text, &pattern->tail))
		return false;
	pattern->ends_anywhere = skip(&text, ".*");
	return skip(&text, "$") && text.next == text.end;
}

static bool
parse_replacement(CutPattern *pattern)
{
	const StringRef *replacement = &pattern->replacement;

	pattern->is_part = replacement->length == 2 &&
		memcmp(replacement->data, "\\1", 2) == 0;
	return pattern->is_part ||
		memchr(replacement->data, '\\', replacement->length) == NULL;
}

/* ---- patterns ---- */

static StringRef
copy_string(const StringRef *string)
{
	StringRef	copy;
	uint8	   *data = palloc(Max(string->length, 1));

	memcpy(data, string->data, string->length);
	copy.data = data;
	copy.length = string->length;
	return copy;
}

static bool
strings_are_equal(const StringRef *a, const StringRef *b)
{
	return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* The pattern that constant arguments are, parsed when they are new ones. */
static const CutPattern *
find_pattern(VectorNode *node, const StringRef *source,
			 const StringRef *replacement)
{
	CutPattern *pattern = node->state;
	MemoryContext context;
	MemoryContext oldcontext;

	if (pattern && strings_are_equal(&pattern->source, source) &&
		strings_are_equal(&pattern->replacement, replacement))
		return pattern;

	/* Between rescans a parameter may have changed. */
	if (pattern)
		MemoryContextDelete(pattern->context);
	node->state = NULL;
	context = AllocSetContextCreate(node->memory, "columnar pattern",
									ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(context);
	pattern = palloc0(sizeof(CutPattern));
	pattern->context = context;
	pattern->source = copy_string(source);
	pattern->replacement = copy_string(replacement);
	pattern->is_known = parse_replacement(pattern) && parse_pattern(pattern);
	MemoryContextSwitchTo(oldcontext);
	node->state = pattern;
	return pattern;
}

/* ---- matching ---- */

static inline bool
word_is_at(const Word *word, const uint8 *data, const uint8 *end)
{
	return end - data >= (ptrdiff_t) word->length &&
		memcmp(data, word->letters, word->length) == 0;
}

/* Do the words from the first one on match all there is, or its begin? */
static bool
words_match(const Word *word, const Word *last, const uint8 *data,
			const uint8 *end, bool ends_anywhere)
{
	for (; word < last; word++)
	{
		if (word->is_optional &&
			words_match(word + 1, last, data, end, ends_anywhere))
			return true;
		if (!word_is_at(word, data, end))
			return false;
		data += word->length;
	}
	return ends_anywhere || data == end;
}

/* Where the words may end, each place once or more often; returns how many. */
static int
words_ends(const Word *word, const Word *last, const uint8 *data,
		   const uint8 *end, const uint8 **ends)
{
	int			nends = 0;

	for (; word < last; word++)
	{
		if (word->is_optional)
			nends += words_ends(word + 1, last, data, end, ends + nends);
		if (!word_is_at(word, data, end))
			return nends;
		data += word->length;
	}
	ends[nends] = data;
	return nends + 1;
}

/* Is there a character's end? */
static inline bool
ends_character(const uint8 *data, const uint8 *end)
{
	return data == end || (*data & 0xC0) != 0x80 ||
		pg_database_encoding_max_length() == 1;
}

/*
 * The longest part that begins there such that the rest of the string matches;
 * false if there is none.
 */
static bool
find_part(const CutPattern *pattern, const uint8 *data, const uint8 *end,
		  StringRef *part)
{
	const Word *tail = pattern->tail.words;
	const Word *last = tail + pattern->tail.nwords;
	const uint8 *first = data + (pattern->is_single || pattern->is_filled);
	const uint8 *limit = data;

	while (limit < end && pattern->in_class[*limit])
	{
		limit++;
		if (pattern->is_single && ends_character(limit, end))
			break;
	}
	for (; limit >= first; limit--)
	{
		if (ends_character(limit, end) &&
			words_match(tail, last, limit, end, pattern->ends_anywhere))
		{
			part->data = data;
			part->length = limit - data;
			return true;
		}
		if (pattern->is_single)
			break;
	}
	return false;
}

/* The same behind the longest head that leaves one. */
static bool
cut(const CutPattern *pattern, const StringRef *string, StringRef *part)
{
	const uint8 *ends[1 << MAX_OPTIONAL];
	const uint8 *end = string->data + string->length;
	const Word *head = pattern->head.words;
	int			nends = words_ends(head, head + pattern->head.nwords,
								   string->data, end, ends);

	while (nends > 0)
	{
		int			longest = 0;

		for (int i = 1; i < nends; i++)
		{
			if (ends[i] > ends[longest])
				longest = i;
		}
		if (find_part(pattern, ends[longest], end, part))
			return true;
		ends[longest] = ends[--nends];
	}
	return false;
}

/* ---- functions ---- */

static bool
replace(VectorNode *node, const Vector *const *args, const uint64 *live)
{
	const CutPattern *pattern;

	for (int i = 0; i < 3; i++)
	{
		if (args[i]->form != FORM_STRING)
			return false;
	}
	if (!args[1]->is_constant || !args[2]->is_constant)
		return false;
	pattern = find_pattern(node, &args[1]->strings[0], &args[2]->strings[0]);
	if (!pattern->is_known)
		return false;

	VECTOR_FOR_EACH(slot, live)
	{
		const StringRef *string = &args[0]->strings[slot];
		StringRef	part;

		if (!cut(pattern, string, &part))
			node->result.strings[slot] = *string;
		else
			node->result.strings[slot] =
				pattern->is_part ? part : pattern->replacement;
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

const VectorFunction vector_regexp_functions[] = {
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT, replace, 0, is_bytewise},
	{InvalidOid}
};
