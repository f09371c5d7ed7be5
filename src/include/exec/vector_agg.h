/*
 * vector_agg.h
 *		ColumnarVectorAgg: a custom scan that aggregates vectors.
 *
 * Its child is a ColumnarVectorScan, which it asks for batches
 * (vector_source.h).  agg_path.c proposes it to the planner, agg_plan.c makes
 * the plan node, agg_exec.c runs it and agg_explain.c shows it.
 *
 * The plan node:
 *	custom_plans		the scan
 *	custom_scan_tlist	what it can emit: group keys, Aggrefs, and then the
 *						columns that the expressions below read, which are
 *						there for setrefs.c only and NULL in every row
 *	custom_exprs		group keys; of each Aggref the argument and the
 *						FILTER, as far as it has them; sort keys of a top-N
 *	custom_private		see VectorAggPrivate
 */
#ifndef EXEC_VECTOR_AGG_H
#define EXEC_VECTOR_AGG_H

#include "exec/distinct_set.h"
#include "exec/group_table.h"
#include "exec/vector_aggregate.h"
#include "exec/vector_expr.h"
#include "exec/vector_scan.h"
#include "exec/vector_source.h"
#include "exec/vector_spill.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#define VECTOR_AGG_NAME		"ColumnarVectorAgg"

/* Members of the path's, and then of the plan's, custom_private. */
typedef enum VectorAggPrivate
{
	AGG_PRIVATE_OPERATORS,		/* equality operator of each key, OIDs */
	AGG_PRIVATE_KEYS,			/* path: key expressions; plan: NIL */
	AGG_PRIVATE_HAVING,			/* path: condition on groups; plan: NIL */
	AGG_PRIVATE_TOPN			/* NIL, or: sort keys (plan: NIL), their
								 * operators, whether their NULLs come first,
								 * and how many groups are wanted */
} VectorAggPrivate;

/* A FILTER clause. */
typedef struct AggFilter
{
	Expr	   *source;
	VectorExpr *expr;
	uint64		serial;			/* of the batch that mask is of */
	uint64		mask[VECTOR_WORDS]; /* rows for which it is true */
} AggFilter;

/* Something that is evaluated for each batch. */
typedef struct AggInput
{
	Expr	   *source;
	AggFilter  *filter;			/* of the rows it is for; NULL: all */
	bool		by_code;		/* a dictionary's codes will do */
	Oid			type;
	VectorExpr *expr;
	AttrNumber	attno;			/* of a plain column, else 0 */
	uint64		serial;			/* of the batch that value is of */
	const Vector *value;
} AggInput;

/* sum(x + offset), summed as x. */
typedef struct AggShift
{
	int64		offset;
	int64		min;			/* for other values of x it is an error */
	int64		max;
} AggShift;

typedef struct AggColumn
{
	Aggref	   *aggref;
	VectorAggregate *aggregate;
	bool		is_shared;		/* another column adds to it */
	AggInput   *argument;		/* NULL: count(*) */
	AggInput   *checked;		/* x + offset; NULL: no shift */
	AggShift	shift;
	AggFilter  *filter;			/* NULL: every row */
	DistinctSet *distinct;		/* NULL: without DISTINCT */
} AggColumn;

typedef struct AggPasses AggPasses;
typedef struct AggExchange AggExchange;
typedef struct AggTopN AggTopN;

typedef struct VectorAggState
{
	CustomScanState css;		/* must be first */
	VectorScanState *scan;		/* the child */
	MemoryContext context;		/* groups and expressions */
	VectorExprContext expressions;
	List	   *inputs;			/* of AggInput, no two alike */
	List	   *filters;		/* of AggFilter, no two alike */
	int			nkeys;
	AggInput  **keys;			/* those that are looked up */
	const Vector **key_values;
	int			ntable_keys;
	int		   *key_places;		/* of each key among those */
	ExprState **key_exprs;		/* dependent keys, else NULL */
	TupleTableSlot *key_slot;	/* a group's keys, for them */
	ExprContext *key_econtext;
	AggColumn  *columns;
	int			ncolumns;
	GroupTable *table;			/* NULL: one group */
	int			ninputs;		/* custom_exprs that are evaluated by batch */
	AggPasses  *passes;
	AggExchange *exchange;		/* NULL: of no rows with other processes */
	AggTopN    *topn;			/* NULL: all groups leave */
	uint32		max_groups;		/* as many as are wanted, in any order */
	bool		is_full;		/* in this pass there is no more memory */
	bool		is_closed;		/* nor are there new groups */
	bool		is_built;
	uint32		ngroups;
	uint32		next_group;		/* to be emitted */
	uint64		nsegments_known;	/* answered from metadata */
} VectorAggState;

/* ---- agg_path.c ---- */

/* An aggregation that the planner looks for paths of. */
typedef struct AggQuestion
{
	PlannerInfo *root;
	RelOptInfo *input;
	RelOptInfo *output;
	List	   *clauses;		/* SortGroupClauses of GROUP BY or DISTINCT */
	List	   *tlist;			/* that they refer to */
	PathTarget *target;			/* what leaves the node */
	List	   *keys;			/* expressions */
	List	   *operators;		/* their equality operators */
	List	   *having;
	List	   *aggrefs;
	List	   *columns;		/* Vars that all of them read */
	bool		is_last;		/* only ORDER BY and LIMIT come after it */
	bool		can_partial;	/* all aggregates have partial states */
	double		ngroups;		/* estimate */
	double		nentries;		/* groups, or different values within them */
} AggQuestion;

/* Hook and node types; once, from _PG_init. */
extern void vector_agg_init(void);

/*
 * Find the columns that keys and aggregates read; false unless they are the
 * table's, with a number.
 */
extern bool vector_agg_find_columns(AggQuestion *question);

/* Groups that so many of the input's rows fall into. */
extern double vector_agg_estimate_groups(AggQuestion *question, double nrows);

/*
 * Targets of partial aggregation have keys with their references, and all
 * Aggrefs in partial mode.
 */
extern PathTarget *vector_agg_partial_target(AggQuestion *question);

/* A path of the node over a scan, with its costs. */
extern CustomPath *vector_agg_make_path(AggQuestion *question, RelOptInfo *rel,
										PathTarget *target, CustomPath *child,
										List *having);

/* Add core's Agg node over partial groups, and the same over a Gather. */
extern void vector_agg_add_final_path(AggQuestion *question, Path *partial);
extern void vector_agg_add_gathered_path(AggQuestion *question,
										 RelOptInfo *rel, Path *partial);

/* ---- jit_choice.c ---- */

/* Hook; once, from _PG_init. */
extern void jit_choice_init(void);

/* ---- agg_key.c ---- */

/* Set up the keys; exprs has columns of the table as the scan's. */
extern void agg_keys_init(VectorAggState *state, List *exprs,
						  List *operators);

/* A key of a group, in the current context. */
extern Datum agg_key_value(VectorAggState *state, uint32 group, int key,
						   bool *isnull);

/* ---- agg_shift.c ---- */

/*
 * The column that may be summed in place of an aggregate's argument, or NULL;
 * sets shift.
 */
extern Expr *agg_shift_match(const Aggref *aggref, Expr *source,
							 AggShift *shift);

/* An earlier column with a shift that sums the same, or NULL. */
extern AggColumn *agg_shift_find(VectorAggState *state,
								 const AggColumn *column);

/* Is x + offset without an error for all values of a vector, or segment? */
extern bool agg_shift_is_safe(const AggShift *shift, const Vector *value);
extern bool agg_shift_knows_segment(const AggShift *shift,
									const AttributeEntry *entry);

/* ---- agg_append.c ---- */

/* Paths of aggregation over the children of a table. */
extern void vector_agg_add_append_paths(AggQuestion *question);

/* ---- agg_plan.c ---- */

extern const CustomPathMethods vector_agg_path_methods;
extern const CustomScanMethods vector_agg_plan_methods;

/* The Aggrefs in an expression, each once, added to the list. */
extern List *vector_agg_collect_aggrefs(Node *node, List *aggrefs);

/* The Aggref without DISTINCT, for what sees each value once. */
extern const Aggref *vector_agg_without_distinct(const Aggref *aggref);

/* ---- agg_exec.c ---- */

extern Node *vector_agg_create_state(CustomScan *plan);

/*
 * A slot for groups in the query's memory: the query lets go of its slots when
 * the node's memory is gone.
 */
extern TupleTableSlot *vector_agg_init_slot(VectorAggState *state,
											const TupleTableSlotOps *ops);

/* Read all rows of a pass. */
extern void vector_agg_build(VectorAggState *state);

/* A column of a group's scan tuple, or all of them in a slot. */
extern Datum vector_agg_group_value(VectorAggState *state, uint32 group,
									int column, bool *isnull);
extern void vector_agg_store_group(VectorAggState *state,
								   TupleTableSlot *slot, uint32 group);

/* The expression with columns of the plan's custom_scan_tlist resolved. */
extern Node *vector_agg_resolve(Node *node, CustomScan *plan);

/* ---- agg_input.c ---- */

/*
 * The filter, or the input, that evaluates an expression; equal ones are
 * shared.  by_code says that the values are looked at through their
 * dictionary where there is one.
 */
extern AggFilter *agg_filter_find(VectorAggState *state, Expr *source);
extern AggInput *agg_input_find(VectorAggState *state, Expr *source,
								AggFilter *filter, bool by_code);

/* Rows of the batch that pass; filter may be NULL. */
extern const uint64 *agg_filter_mask(AggFilter *filter,
									 const VectorBatch *batch);

/* Values for the rows that pass the input's filter; live as long as the batch. */
extern const Vector *agg_input_value(AggInput *input,
									 const VectorBatch *batch);

/* Before a rescan. */
extern void agg_inputs_reset(VectorAggState *state);

/* ---- agg_spill.c ---- */

/* Memory is from the current context. */
extern AggPasses *agg_passes_create(void);

/* May this pass write rows to files? */
extern bool agg_passes_may_write(const VectorAggState *state);

/* Leave rows of the batch to a later pass. */
extern void agg_passes_write(VectorAggState *state, const VectorBatch *batch,
							 const uint64 *rejected, const uint64 *hashes);

/* The next batch of this pass, its inputs evaluated if it is from a file. */
extern const VectorBatch *agg_passes_next_batch(VectorAggState *state);

/* All batches of a pass have been read. */
extern void agg_passes_end(VectorAggState *state);

/* Has there been, or is there going to be, more than one pass? */
extern bool agg_passes_were_several(const VectorAggState *state);
extern bool agg_passes_are_left(const VectorAggState *state);

/* Start the next pass, if there is one. */
extern bool agg_passes_start_next(VectorAggState *state);

/* Forget all passes, with their files. */
extern void agg_passes_reset(VectorAggState *state);

extern void agg_passes_explain(const VectorAggState *state,
							   struct ExplainState *es);

/*
 * Write all rows of the scan to files that other processes may read, as writer
 * of that number; sets how many rows and bytes they were.
 */
extern void agg_passes_write_all(VectorAggState *state, FileSet *files,
								 int writer, uint64 *nrows, uint64 *nbytes);

/* Have the partitions that agg_exchange_take_partition gives be read there. */
extern void agg_passes_open_all(VectorAggState *state, FileSet *files,
								int nwriters);

/* ---- agg_exchange.c ---- */

extern Size agg_exchange_estimate(CustomScanState *node,
								  ParallelContext *pcxt);
extern void agg_exchange_initialize(CustomScanState *node,
									ParallelContext *pcxt, void *coordinate);
extern void agg_exchange_reinitialize(CustomScanState *node,
									  ParallelContext *pcxt,
									  void *coordinate);
extern void agg_exchange_initialize_worker(CustomScanState *node,
										   shm_toc *toc, void *coordinate);
extern void agg_exchange_shutdown(CustomScanState *node);

/* Are the scan's rows to be exchanged with other processes? */
extern bool agg_exchange_is_needed(const VectorAggState *state);

/* Give all rows away, and wait for the rows of all processes. */
extern void agg_exchange_rows(VectorAggState *state);

/* May there be a partition to take?  Take one, or get -1: there are no more. */
extern bool agg_exchange_has_partitions(const VectorAggState *state);
extern int	agg_exchange_take_partition(VectorAggState *state);

/*
 * Without keys, when this process has added up its partitions: is it the last,
 * and has it got the result of all?
 */
extern bool agg_exchange_merge(VectorAggState *state);

/* Before a rescan. */
extern void agg_exchange_reset(VectorAggState *state);

extern void agg_exchange_explain(const VectorAggState *state,
								 struct ExplainState *es);

/* ---- agg_topn.c ---- */

/*
 * What the query's LIMIT asks of its groups, as the plan's private list; NIL
 * if nothing that we do.
 */
extern List *vector_agg_topn_wish(AggQuestion *question);

/* A path that does it, from the one for all groups. */
extern CustomPath *vector_agg_topn_path(AggQuestion *question,
										const CustomPath *all, List *wish);

/* exprs are the sort keys, over the scan tuple. */
extern AggTopN *agg_topn_create(VectorAggState *state, List *wish,
								List *exprs);

/* How many groups are enough, whichever they are. */
extern uint32 agg_topn_first_groups(const AggTopN *topn);

/* Is there an order? */
extern bool agg_topn_sorts(const AggTopN *topn);

/* Put the next of the best groups in the slot; false at the end. */
extern bool agg_topn_next(VectorAggState *state, TupleTableSlot *slot);

/* Emit the same groups again, or forget them. */
extern void agg_topn_rescan(AggTopN *topn);
extern void agg_topn_reset(AggTopN *topn);

/* ---- agg_explain.c ---- */

extern void vector_agg_explain(CustomScanState *node, List *ancestors,
							   struct ExplainState *es);

#endif							/* EXEC_VECTOR_AGG_H */
