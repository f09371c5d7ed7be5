/*
 * join_filter.h
 *		What a hash join's build side tells the scan of its probe side.
 *
 * join_filter_path.c proposes such joins, join_filter_exec.c is the node that
 * reads the keys of the build side on their way to the hash table, and
 * join_filter.c keeps them and tests rows of the scan.
 *
 * (J1) A filter never removes a row that has a match in the build side.  Before
 * the build side has been read to its end it removes nothing.
 */
#ifndef EXEC_JOIN_FILTER_H
#define EXEC_JOIN_FILTER_H

#include "exec/vector_scan.h"

#define JOIN_FILTER_NAME	"ColumnarJoinFilter"

/* How keys of a type become 64-bit integers. */
typedef enum JoinKeyKind
{
	JOIN_KEY_NONE,				/* not at all */
	JOIN_KEY_INT16,
	JOIN_KEY_INT32,
	JOIN_KEY_INT64,
	JOIN_KEY_UINT32
} JoinKeyKind;

/* The keys of one column, and what they say of the probe side's. */
typedef struct JoinFilter
{
	/* Fixed at start. */
	AttrNumber	attno;			/* column of the scan */
	ValueClass	value_class;	/* of zone maps that may be used */
	AttrNumber	resno;			/* column of the build side */
	JoinKeyKind kind;			/* and what it is */

	/* Of the keys, which are all there once the set is complete. */
	int64		min;			/* above max: there are none */
	int64		max;
	int64	   *keys;			/* as they came, or NULL: they are in bloom */
	Size		nkeys;
	Size		max_keys;		/* places in keys */

	/* At most one of them. */
	uint64	   *bitmap;			/* of the keys from min on */
	uint64	   *bloom;
	uint64		bloom_mask;		/* words less one, a power of two */

	/* Is it worth testing rows? */
	uint64		ntested;
	uint64		npassed;
	bool		is_idle;		/* it is not: zone maps only */
} JoinFilter;

/*
 * The filters that one build side has for one scan.  The scan makes it, in the
 * memory of which it lives; the node at the build side finds it.
 */
typedef struct JoinFilterSet
{
	int			nfilters;
	JoinFilter *filters;
	bool		is_complete;	/* the build side has been read */
	bool		is_void;		/* but may be another by now */
	bool		is_volatile;	/* a rescan may change it before we see it */
	Size		memory;			/* that a filter may take */
	double		nexpected;		/* rows of the build side */
	MemoryContext context;		/* of keys, bitmap and bloom */
} JoinFilterSet;

typedef struct JoinFilterState
{
	CustomScanState css;		/* must be first */
	JoinFilterSet *set;			/* NULL: nobody wants the keys */
} JoinFilterState;

/* ---- join_filter_path.c ---- */

/* Hook and node type; once, from _PG_init. */
extern void join_filter_init(void);

extern const CustomScanMethods join_filter_plan_methods;

/* What a scan's plan keeps of its path's custom_private, or NIL. */
extern List *join_filter_plan_scan(PlannerInfo *root, CustomPath *path);

/* ---- join_filter_exec.c ---- */

extern Node *join_filter_create_state(CustomScan *plan);

/* ---- join_filter.c ---- */

/* The columns that the plan's join filters read. */
extern Bitmapset *join_filter_attributes(const CustomScan *plan);

/* Make the scan's set, if it has one, where the build side finds it. */
extern void join_filter_begin_scan(VectorScanState *state);

/* Find the set for a node at the build side; NULL if there is none. */
extern JoinFilterSet *join_filter_find(CustomScan *plan, EState *estate);

/* Before a rescan of the scan. */
extern void join_filter_rescan_scan(JoinFilterSet *set);

/* Forget the keys; take a row's; there are no more. */
extern void join_filter_reset(JoinFilterSet *set);
extern void join_filter_add(JoinFilterSet *set, TupleTableSlot *slot);
extern void join_filter_finish(JoinFilterSet *set);

/* Do zone maps rule out the open segment? */
extern bool join_filter_rules_out(VectorScanState *state);

/* A bit for each vector of those given that zone maps rule out. */
extern uint64 join_filter_check_vectors(VectorScanState *state,
										uint64 vectors);

/* Clear rows without a match from the mask of a vector. */
extern void join_filter_apply(VectorScanState *state, int vector,
							  uint64 *mask);

#endif							/* EXEC_JOIN_FILTER_H */
