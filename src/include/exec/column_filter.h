/*
 * column_filter.h
 *		Conditions on one column that are decided by zone maps and kernels.
 *
 * A clause is matched twice by the same code: by the planner, which asks
 * whether the scan can take it, and at executor start, which builds a
 * ColumnFilter from it.  The operand (what the column is compared with) is
 * evaluated once per scan; only then is the filter ready.
 */
#ifndef EXEC_COLUMN_FILTER_H
#define EXEC_COLUMN_FILTER_H

#include "access/attribute_vector.h"
#include "exec/like_pieces.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"

typedef enum FilterKind
{
	FILTER_COMPARE,				/* column op operand */
	FILTER_SET,					/* column = ANY, or <> ALL, of an array */
	FILTER_LIKE,				/* column LIKE, or NOT LIKE, a simple pattern */
	FILTER_IS_NULL,
	FILTER_IS_NOT_NULL
} FilterKind;

/* How values of a type are compared here. */
typedef enum FilterDomain
{
	DOMAIN_INTEGER,				/* as 64-bit integers */
	DOMAIN_FLOAT,				/* as doubles, NaN greatest */
	DOMAIN_NUMERIC,				/* as integers scaled by the chunk's scale */
	DOMAIN_BYTES				/* memcmp, shorter first */
} FilterDomain;

/* A type whose comparisons are understood. */
typedef struct FilterType
{
	Oid			type;
	FilterDomain domain;
	ValueClass	value_class;	/* of zone maps that may be used */
	bool		is_unsigned;
	bool		has_order;		/* not only equality */
} FilterType;

/* Strategy of <>, which no btree operator family has. */
#define FILTER_NOT_EQUAL	100

/* What the planner and the executor both read from a clause. */
typedef struct FilterClause
{
	FilterKind	kind;
	AttrNumber	attno;
	int			strategy;		/* a btree strategy, or FILTER_NOT_EQUAL */
	const FilterType *type;		/* what the operator takes the column for */
	Oid			operand_type;	/* type of the operand, or of its elements */
	Node	   *operand;		/* NULL: none */
	Oid			function;		/* the operator's, or InvalidOid */
} FilterClause;

/*
 * True if the clause is a condition on one column of relid that a ColumnFilter
 * can decide; such a condition cannot raise an error, once its operand is
 * known, and has no side effect.
 */
extern bool filter_clause_match(Expr *clause, Index relid,
								FilterClause *match);

/* Does the collation order strings as memcmp does? */
extern bool collation_orders_bytes(Oid collation);

/* What is known of all rows of a vector, a chunk or the table. */
typedef enum FilterVerdict
{
	VERDICT_SOME = 0,			/* look at the rows */
	VERDICT_NONE,
	VERDICT_ALL
} FilterVerdict;

/* A comparison in the integer domain: inclusive bounds. */
typedef struct IntegerRange
{
	bool		is_empty;
	int64		low;
	int64		high;
} IntegerRange;

/* A comparison in the float domain: inclusive bounds, and NaN. */
typedef struct FloatRange
{
	double		low;			/* low > high: nothing but NaN, if that */
	double		high;
	bool		has_nan;
} FloatRange;

/* A constant of a domain. */
typedef struct FilterValue
{
	int64		integer;		/* DOMAIN_INTEGER: the constant rounded down */
	bool		is_exact;		/* and whether that is the constant */
	double		number;			/* DOMAIN_FLOAT */
	double		number_low;		/* DOMAIN_NUMERIC: doubles that enclose it */
	double		number_high;
	Datum		numeric;		/* DOMAIN_NUMERIC: itself */
	StringRef	bytes;			/* DOMAIN_BYTES */
} FilterValue;

/*
 * Ranges that are compared one after the other before decoding is the better
 * way: members of a set, runs of entries of a dictionary.
 */
#define MAX_CODE_RANGES	3

/* A run of a dictionary's entries. */
typedef struct CodeRange
{
	uint16		low;
	uint16		high;
} CodeRange;

typedef struct ColumnFilter
{
	FilterClause clause;
	bool		is_negated;		/* <>, NOT IN, NOT LIKE: others match */
	bool		is_constant;	/* operand never changes: stays ready */
	bool		is_simple;		/* operand is a constant or a parameter */
	ExprState  *operand;		/* NULL if the clause has none */
	ExprState  *qual;			/* the clause itself, for any row */
	bool		is_ready;		/* what follows is valid */
	FilterVerdict verdict;		/* for every non-null value of the column */
	bool		takes_null;		/* NULLs match, too */
	bool		is_opaque;		/* only qual can decide it */
	IntegerRange integers;
	FloatRange	floats;
	FilterValue value;			/* DOMAIN_NUMERIC, DOMAIN_BYTES */
	LikePieces like;			/* FILTER_LIKE */
	FilterValue *members;		/* FILTER_SET: sorted, distinct */
	int			nmembers;
	uint64	   *bitmap;			/* integers: members from the first on, or NULL */
	bool		has_nan_member;
	bool		has_scale;		/* DOMAIN_NUMERIC: integers is for scale */
	int			scale;

	/* The open segment. */
	uint64		decided;		/* vectors all rows of which match */
	uint32		nslots;			/* its row positions */
	bool		is_done;		/* its open vector has been dealt with */

	/* Dictionary of the open segment's chunk: does entry i match? */
	bool		has_entries;
	uint8	   *entries;
	uint32		nentries;
	int			ncode_ranges;	/* runs of entries that do */
	CodeRange	code_ranges[MAX_CODE_RANGES];	/* the first of them */

	/* What vector_filter_apply did last. */
	bool		is_packed;		/* it decoded no values */
	MemoryContext context;		/* of the operand's value */
} ColumnFilter;

/* ---- filter_operand.c ---- */

/* Build the filter of a clause that matches; state owns its expressions. */
extern void column_filter_init(ColumnFilter *filter, Expr *clause,
							   Index relid, PlanState *parent);

/* Evaluate the operand and work out bounds; may raise the operand's errors. */
extern void column_filter_prepare(ColumnFilter *filter, ExprContext *econtext);

/* Forget the operand's value, before a rescan. */
extern void column_filter_reset(ColumnFilter *filter);

/* True if evaluating the operand now cannot have any effect. */
extern bool column_filter_is_free(const ColumnFilter *filter,
								  ExprContext *econtext);

/* Bounds of a comparison with a constant, in the domain of integers. */
extern void filter_integer_range(int strategy, int64 value, bool is_exact,
								 IntegerRange *range);

/* Compare strings: memcmp, then the shorter first. */
extern int	filter_compare_bytes(const StringRef *a, const StringRef *b);

/* ---- zone_filter.c ---- */

/*
 * What a zone map says of nrows row positions, nnulls of which are NULL.
 * value_class is the class that the zone map was written with.
 */
extern FilterVerdict zone_filter_check(const ColumnFilter *filter,
									   ValueClass value_class,
									   const ZoneRange *range,
									   uint32 nnulls, uint32 nrows);

/* ---- vector_filter.c ---- */

/* Is the filter ready, and one range of integers or numerics? */
extern bool column_filter_is_range(const ColumnFilter *filter);

/*
 * Clear the bits of mask whose rows do not match.  Decodes what it needs.
 * Returns false, with only NULLs cleared, if no kernel can decide the vector:
 * then the caller has to run the clause row by row.
 *
 * partner is another filter of the same column, of the same type, that is to
 * be applied at once, or NULL; both are ranges then.
 */
extern bool vector_filter_apply(ColumnFilter *filter, ColumnFilter *partner,
								AttributeVector *av, SegmentReader *reader,
								uint64 *mask);

/* True if a single value (not NULL) of the column matches; not opaque. */
extern bool bytes_filter_matches(const ColumnFilter *filter,
								 const StringRef *string);

#endif							/* EXEC_COLUMN_FILTER_H */
