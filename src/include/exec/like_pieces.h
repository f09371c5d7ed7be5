/*
 * like_pieces.h
 *		Patterns of LIKE that are pieces of text between % signs.
 */
#ifndef EXEC_LIKE_PIECES_H
#define EXEC_LIKE_PIECES_H

#include "encoding/chunk.h"

typedef struct LikePieces
{
	bool		begins_anywhere;	/* % before the first piece */
	bool		ends_anywhere;	/* and behind the last */
	int			npieces;
	StringRef  *pieces;			/* none empty, without escapes */
	int			longest;		/* one of the pieces, if there is one */
} LikePieces;

/*
 * Can like_pieces_matches decide for strings of this database what core's
 * LIKE decides?  Not with _, not where bytes of a character may be those of
 * others, and not if core raises an error about the pattern's end.
 */
extern bool like_pieces_is_simple(const StringRef *pattern);

/* Take a simple pattern apart; memory is from the current context. */
extern void like_pieces_init(LikePieces *like, const StringRef *pattern);

extern bool like_pieces_matches(const LikePieces *like,
								 const StringRef *string);

/* Does every string match that has the piece anywhere? */
static inline bool
like_pieces_is_search(const LikePieces *like)
{
	return like->npieces == 1 && like->begins_anywhere && like->ends_anywhere;
}

#endif							/* EXEC_LIKE_PIECES_H */
