/*
 * vector_node.h
 *		Nodes of compiled expressions: what the files vector_expr*.c share.
 *
 * A node computes a vector from those of its arguments.  The rules:
 *
 * (X1) A node is evaluated only for a mask that is not empty, and computes
 * only what core would compute for rows of that mask.
 *
 * (X2) A kernel raises no error.  Where a row would, or where the values do not
 * fit its representation, it gives up the batch (returns false), and core's
 * function is called for each row.  So errors, and results at the edges of a
 * type, are core's own.
 *
 * (X3) Therefore a value may be computed twice, and what is volatile is only
 * ever evaluated as a whole expression by the row.
 *
 * Results are in registers that an expression's nodes share: a node's result
 * stays while its parent is computed, and no longer.
 */
#ifndef EXEC_VECTOR_NODE_H
#define EXEC_VECTOR_NODE_H

#include "exec/vector_expr.h"
#include "fmgr.h"
#include "nodes/primnodes.h"

typedef struct VectorNode VectorNode;
typedef struct VectorCompiler VectorCompiler;
typedef struct VectorEntries VectorEntries;

typedef const Vector *(*VectorNodeEvaluate) (VectorNode *node,
											 const uint64 *mask);

/*
 * Compute a strict function for the rows of live, for which no argument is
 * NULL; live is not empty.  node->result has its nulls set.  Slots outside live
 * may be computed as well, if that does no harm.
 */
typedef bool (*VectorKernel) (VectorNode *node, const Vector *const *args,
							  const uint64 *live);

/* A function that there is a kernel for. */
typedef struct VectorFunction
{
	Oid			function;		/* InvalidOid ends a table */
	VectorKernel kernel;
	int			option;			/* for kernels of several functions */

	/* Is this use of it one for the kernel?  NULL: every one is. */
	bool		(*applies) (const List *args, Oid collation);
} VectorFunction;

/* How to call a function by the row. */
typedef struct VectorCall
{
	FmgrInfo	flinfo;
	bool		is_strict;
	Oid		   *types;			/* of arguments */
	Datum	   *constants;		/* values of those arguments that are constant */
	FunctionCallInfo fcinfo;
} VectorCall;

struct VectorNode
{
	VectorNodeEvaluate evaluate;
	void		(*reset) (VectorNode *node);	/* before a rescan; may be NULL */
	VectorExprContext *context;
	Expr	   *expr;
	Oid			type;
	int16		typlen;
	bool		typbyval;
	VectorForm	form;			/* of its type */
	int			nargs;
	VectorNode **args;
	int			reg;			/* register of the result, or -1 */
	Vector		result;
	MemoryContext memory;		/* of the expression */

	/* Functions. */
	VectorKernel kernel;
	int			option;
	void	   *state;			/* what the kernel keeps */
	VectorCall *call;
};

/* A compiled expression. */
struct VectorExpr
{
	VectorNode *root;
	List	   *nodes;			/* all of them */
	int			nregisters;
};

/* What is known while an expression is compiled. */
struct VectorCompiler
{
	VectorExprContext *context;
	VectorExpr *expr;
	VectorNode *case_test;		/* what CaseTestExpr stands for, or NULL */
	VectorEntries *entries;		/* inside an expression by the entry, or NULL */
};

static inline const Vector *
vector_node_evaluate(VectorNode *node, const uint64 *mask)
{
	Assert(!vector_mask_is_empty(mask));
	return node->evaluate(node, mask);
}

/* Is the result of a boolean expression true? */
static inline uint64
vector_true_word(const Vector *vector, int word)
{
	return vector->has_nulls ? vector->bits[word] & ~vector->nulls[word] :
		vector->bits[word];
}

/* ---- vector_expr.c ---- */

/*
 * Compile a part of an expression, with registers from reg on; NULL if it
 * contains a CaseTestExpr and has to be evaluated by the row.
 */
extern VectorNode *vector_node_compile(VectorCompiler *compiler, Expr *expr,
									   int reg);

/* Does it read a row, or something that changes from row to row? */
extern bool vector_varies_by_row(Node *node);

/* A node of that many arguments, to be set; reg may be -1. */
extern VectorNode *vector_node_create(VectorCompiler *compiler, Size size,
									  Expr *expr, int nargs, int reg);

/* Compile the arguments, each to its own register above the node's. */
extern bool vector_node_compile_args(VectorCompiler *compiler,
									 VectorNode *node, List *args);

/* Ready the result for the next batch: in the form of the type, no NULLs. */
extern Vector *vector_node_start(VectorNode *node);

/* Have no slot be NULL before some are made so. */
extern void vector_node_clear_nulls(Vector *vector);

/*
 * Take rows of a vector over to the node's result, which has those of merged so
 * far.  Both are of the node's type, but numerics may differ in form.
 */
extern void vector_node_merge(VectorNode *node, const Vector *source,
							  const uint64 *rows, uint64 *merged);

/* Store a value of the node's type; what it refers to is copied. */
extern void vector_node_store(VectorNode *node, Vector *vector, int slot,
							  Datum value, bool isnull, MemoryContext memory);

/* ---- vector_expr_leaf.c ---- */

extern VectorNode *vector_compile_var(VectorCompiler *compiler, Var *var);
extern VectorNode *vector_compile_constant(VectorCompiler *compiler,
										   Expr *expr);
extern const Vector *vector_evaluate_nulls(VectorNode *node,
										   const uint64 *mask);
/*
 * The lengths of a column's strings, without the strings; NULL if the node is
 * no such column.
 */
extern const Vector *vector_column_lengths(VectorNode *node,
										   const uint64 *mask);

/* The same, but NULL too unless all characters are known to be single bytes. */
extern const Vector *vector_column_ascii_lengths(VectorNode *node,
												 const uint64 *mask);

extern void vector_column_datums(VectorNode *node, const uint64 *mask,
								 const Datum **values, const bool **isnull);

/* Make all slots of a vector the same value. */
extern void vector_fill_constant(Vector *vector, Oid type, Datum value,
								 bool isnull);

/* ---- vector_expr_row.c ---- */

extern VectorNode *vector_compile_row(VectorCompiler *compiler, Expr *expr,
									  int reg);

/* ---- vector_expr_call.c ---- */

extern VectorNode *vector_compile_function(VectorCompiler *compiler,
										   Expr *expr, Oid function,
										   Oid collation, List *args, int reg);

/* Is there a kernel for the function? */
extern const VectorFunction *vector_function_find(Oid function, List *args,
												  Oid collation);

/* Evaluate the arguments and then the function. */
extern const Vector *vector_function_evaluate(VectorNode *node,
											  const uint64 *mask);

/* The function's result for arguments that have been evaluated. */
extern const Vector *vector_function_apply(VectorNode *node,
										   const Vector *const *args,
										   const uint64 *mask);

/* Call the node's function for each row of live. */
extern void vector_call_rows(VectorNode *node, const Vector *const *args,
							 const uint64 *live);

/* ---- kernels ---- */

extern const VectorFunction vector_compare_functions[];
extern const VectorFunction vector_integer_functions[];
extern const VectorFunction vector_float_functions[];
extern const VectorFunction vector_numeric_functions[];
extern const VectorFunction vector_cast_functions[];
extern const VectorFunction vector_time_functions[];
extern const VectorFunction vector_string_functions[];
extern const VectorFunction vector_like_functions[];
extern const VectorFunction vector_regexp_functions[];

/* ---- vector_expr_compare.c ---- */

/* What a comparison asks. */
typedef enum Comparison
{
	COMPARISON_EQ,
	COMPARISON_NE,
	COMPARISON_LT,
	COMPARISON_LE,
	COMPARISON_GT,
	COMPARISON_GE
} Comparison;

/* One bit per byte, which are 0 or 1. */
extern void vector_gather_bits(const uint8 *match, uint64 *bits);

/* Compare integers of all slots. */
extern void vector_compare_integers(Comparison comparison, const Vector *left,
									const Vector *right, uint64 *bits);

/* Is the function that comparison of integers or of strings? */
extern bool vector_compares_exactly(const VectorFunction *function,
									Comparison comparison);

/* ---- vector_expr_integer.c ---- */

#ifndef HAVE_INT128
#error "columnar needs 128-bit integers"
#endif

typedef enum IntegerOperation
{
	INTEGER_ADD,
	INTEGER_SUBTRACT,
	INTEGER_MULTIPLY,
	INTEGER_DIVIDE,
	INTEGER_MODULO,
	INTEGER_AND,
	INTEGER_OR,
	INTEGER_XOR,
	INTEGER_LARGER,
	INTEGER_SMALLER,
	INTEGER_NEGATE,
	INTEGER_ABSOLUTE,
	INTEGER_NOT,
	INTEGER_CONVERT
} IntegerOperation;

typedef struct WideBounds
{
	int128		min;
	int128		max;
} WideBounds;

/*
 * Add, subtract or multiply integers of all slots to the result, and set its
 * bounds if they are known.  False if a row's result does not fit width bytes.
 */
extern bool vector_compute_integers(IntegerOperation operation, int width,
									const Vector *left, WideBounds left_bounds,
									const Vector *right,
									WideBounds right_bounds,
									const uint64 *live, Vector *result);

/* ---- vector_expr_string.c ---- */

/* What evaluates a length without the string, or NULL. */
extern VectorNodeEvaluate vector_length_evaluate(VectorKernel kernel);

/* ---- vector_expr_logic.c ---- */

extern VectorNode *vector_compile_bool(VectorCompiler *compiler,
									   BoolExpr *expr, int reg);
extern VectorNode *vector_compile_null_test(VectorCompiler *compiler,
											NullTest *expr, int reg);
extern VectorNode *vector_compile_boolean_test(VectorCompiler *compiler,
											   BooleanTest *expr, int reg);

/* ---- vector_expr_set.c ---- */

extern VectorNode *vector_compile_set(VectorCompiler *compiler,
									  ScalarArrayOpExpr *expr, int reg);

/* Is there a kernel for the operator? */
extern bool vector_set_is_known(ScalarArrayOpExpr *expr);

/* ---- vector_expr_branch.c ---- */

extern VectorNode *vector_compile_case(VectorCompiler *compiler,
									   CaseExpr *expr, int reg);
extern VectorNode *vector_compile_coalesce(VectorCompiler *compiler,
										   CoalesceExpr *expr, int reg);
extern VectorNode *vector_compile_nullif(VectorCompiler *compiler,
										 NullIfExpr *expr, int reg);
extern VectorNode *vector_compile_distinct(VectorCompiler *compiler,
										   DistinctExpr *expr, int reg);
extern bool vector_minmax_is_known(const MinMaxExpr *expr);
extern VectorNode *vector_compile_minmax(VectorCompiler *compiler,
										 MinMaxExpr *expr, int reg);
extern VectorNode *vector_compile_relabel(VectorCompiler *compiler,
										  RelabelType *expr, int reg);

/* ---- vector_expr_entry.c ---- */

/*
 * Compile an expression on one string column for evaluation once per entry of
 * its dictionaries; NULL if it is none.
 */
extern VectorNode *vector_compile_entries(VectorCompiler *compiler,
										  Expr *expr, int reg);

/*
 * The result of such a node as codes of a dictionary; NULL if it is no such
 * node, or cannot.
 */
extern const Vector *vector_entries_codes(VectorNode *node,
										  const uint64 *mask);

/* While an expression is evaluated for entries: their vector, else NULL. */
extern const Vector *vector_entries_current(const VectorEntries *entries);

#endif							/* EXEC_VECTOR_NODE_H */
