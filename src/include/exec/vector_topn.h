/*
 * vector_topn.h
 *		ColumnarVectorTopN: a custom scan for ORDER BY ... LIMIT over rows.
 *
 * Its child is a ColumnarVectorScan that reads the sort keys' columns only.
 * The node keeps the first rows in the order asked for, as keys and row
 * numbers, and fetches the other columns when it knows the winners.
 *
 * The plan node:
 *	custom_plans		the scan
 *	custom_scan_tlist	columns of the winners
 *	custom_exprs		sort keys
 *	custom_private		see VectorTopNPrivate
 */
#ifndef EXEC_VECTOR_TOPN_H
#define EXEC_VECTOR_TOPN_H

#include "exec/vector_expr.h"
#include "exec/vector_scan.h"
#include "exec/vector_source.h"
#include "lib/binaryheap.h"
#include "nodes/extensible.h"
#include "utils/sortsupport.h"

#define VECTOR_TOPN_NAME	"ColumnarVectorTopN"

/* More rows than these are core's to sort. */
#define VECTOR_TOPN_LIMIT	10000

typedef enum VectorTopNPrivate
{
	TOPN_PRIVATE_OPERATORS,		/* ordering operator of each key, OIDs */
	TOPN_PRIVATE_NULLS_FIRST,	/* of each key, integers */
	TOPN_PRIVATE_LIMIT,			/* number of rows, one integer */
	TOPN_PRIVATE_BACKWARD		/* do winners come late?  One integer */
} VectorTopNPrivate;

/* A row among the first. */
typedef struct TopNEntry
{
	RowNumber	row;
	Datum	   *keys;
	bool	   *isnull;
} TopNEntry;

typedef struct TopNKey
{
	VectorExpr *expr;
	Oid			type;
	int16		length;
	bool		is_byval;
	bool		orders_bytes;	/* text in the order of memcmp */
	AttrNumber	attno;			/* of a plain column, else 0 */
	SortSupportData order;
	const Vector *value;		/* in the current batch; NULL: not evaluated */
} TopNKey;

typedef struct VectorTopNState
{
	CustomScanState css;		/* must be first */
	VectorScanState *scan;		/* the child */
	MemoryContext context;
	VectorExprContext expressions;
	TopNKey    *keys;
	int			nkeys;
	int			limit;
	bool		is_backward;	/* start with the last rows */
	TopNEntry  *entries;
	int			nentries;
	binaryheap *heap;			/* of entries, the last one on top */
	TopNEntry **winners;		/* in order, when all rows are read */
	bool		is_built;
	int			next_winner;
	TupleTableSlot *row_slot;	/* a winner as the table has it */
	uint64		nsegments_skipped;
} VectorTopNState;

/* The last of the first rows. */
static inline const TopNEntry *
topn_last(const VectorTopNState *state)
{
	return (const TopNEntry *)
		DatumGetPointer(binaryheap_first(state->heap));
}

/* ---- topn_path.c ---- */

/* Hook and node types; once, from _PG_init. */
extern void vector_topn_init(void);

extern const CustomScanMethods vector_topn_plan_methods;

/* ---- topn_dismiss.c ---- */

/* Is the type one whose values are in the order of their integers? */
extern bool topn_type_is_integer(Oid type);

/*
 * The heap is full, and the first key's vector is that of the current batch:
 * clear the rows from mask whose first key lies behind that of the last of the
 * first rows, as far as a loop can tell.
 */
extern void topn_dismiss(VectorTopNState *state, uint64 *mask);

/* ---- topn_exec.c ---- */

extern Node *vector_topn_create_state(CustomScan *plan);

#endif							/* EXEC_VECTOR_TOPN_H */
