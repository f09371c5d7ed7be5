/*
 * vector_expr_entry.c
 *		Expressions on one string column, evaluated once per dictionary entry.
 *
 * Where the column's chunk has a dictionary, the entries that rows of the mask
 * have, and that no row before had, are made a vector of their own, and the
 * expression is evaluated for it with the vector in place of the column.  The
 * results are kept while the chunk is the same.  So an error is raised only for
 * what a row has (X1), and rows cost a look-up.  NULL counts as one more entry.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/vector_node.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* What is known of an entry. */
typedef enum EntryState
{
	ENTRY_UNKNOWN,
	ENTRY_WANTED,				/* will be known after the next evaluation */
	ENTRY_VALUE,
	ENTRY_TRUE,					/* of a boolean; false is ENTRY_VALUE */
	ENTRY_NULL
} EntryState;

struct VectorEntries
{
	VectorNode	base;			/* its argument is the expression itself */
	int			attno;

	/* The chunk's results, by entry and NULL. */
	uint64		serial;			/* 0: none */
	uint32		nentries;
	uint32		capacity;
	uint8	   *states;
	bool		has_nulls;
	union
	{
		int64	   *integers;
		double	   *floats;
		StringRef  *strings;
		Datum	   *datums;
		void	   *data;		/* NULL: boolean */
	}			values;
	MemoryContext value_context;	/* of what they refer to */

	/* Strings by the code: results are the entries of a dictionary, too. */
	VectorDictionary dictionary;
	Vector		coded;
	uint16	   *codes;

	/* The vector of entries that are being evaluated. */
	bool		is_active;
	Vector	   *current;
	uint32	   *wanted;			/* the entry in each slot */
};

const Vector *
vector_entries_current(const VectorEntries *entries)
{
	return entries->is_active ? entries->current : NULL;
}

/* ---- results of a chunk ---- */

static void
forget_results(VectorNode *node)
{
	VectorEntries *entries = (VectorEntries *) node;

	entries->serial = 0;
	entries->is_active = false; /* an error may have left it so */
}

static Size
value_size(VectorForm form)
{
	switch (form)
	{
		case FORM_BOOLEAN:
			return 0;
		case FORM_STRING:
			return sizeof(StringRef);
		default:
			return sizeof(int64);
	}
}

/* Have room for a dictionary's results, none of which is known. */
static void
start_chunk(VectorEntries *entries, const VectorDictionary *dictionary)
{
	Size		size = value_size(entries->base.form);

	if (dictionary->nentries + 1 > entries->capacity)
	{
		uint32		capacity = dictionary->nentries + 1;

		if (entries->states)
			pfree(entries->states);
		if (entries->values.data)
			pfree(entries->values.data);
		entries->states = MemoryContextAlloc(entries->base.memory, capacity);
		entries->values.data = size == 0 ? NULL :
			MemoryContextAllocHuge(entries->base.memory, size * capacity);
		entries->capacity = capacity;
	}
	memset(entries->states, ENTRY_UNKNOWN, dictionary->nentries + 1);
	MemoryContextReset(entries->value_context);
	entries->has_nulls = false;
	entries->nentries = dictionary->nentries;
	entries->serial = dictionary->serial;
}

/* Keep the result in a slot as that of an entry. */
static void
keep_result(VectorEntries *entries, const Vector *result, int slot)
{
	VectorNode *node = &entries->base;
	uint32		entry = entries->wanted[slot];
	MemoryContext oldcontext;

	if (vector_is_null(result, slot))
	{
		entries->states[entry] = ENTRY_NULL;
		entries->has_nulls = true;
		return;
	}

	entries->states[entry] = ENTRY_VALUE;
	oldcontext = MemoryContextSwitchTo(entries->value_context);
	switch (node->form)
	{
		case FORM_BOOLEAN:
			if (vector_bit(result->bits, slot))
				entries->states[entry] = ENTRY_TRUE;
			break;
		case FORM_INTEGER:
			entries->values.integers[entry] = result->integers[slot];
			break;
		case FORM_FLOAT:
			entries->values.floats[entry] = result->floats[slot];
			break;
		case FORM_STRING:
			{
				const StringRef *string = &result->strings[slot];
				uint8	   *data = palloc(Max(string->length, 1));

				memcpy(data, string->data, string->length);
				entries->values.strings[entry].data = data;
				entries->values.strings[entry].length = string->length;
			}
			break;
		case FORM_NUMERIC:
		case FORM_DATUM:
			entries->values.datums[entry] =
				result->form == FORM_DATUM ?
				datumCopy(result->datums[slot], node->typbyval,
						  node->typlen) :
				vector_datum(result, slot, node->type);
			break;
	}
	MemoryContextSwitchTo(oldcontext);
}

/* ---- evaluation ---- */

/*
 * Collect the entries of rows whose results are not known; returns how many.
 */
static int
collect_wanted(VectorEntries *entries, const Vector *codes,
			   const uint64 *mask)
{
	int			nwanted = 0;

	VECTOR_FOR_EACH(slot, mask)
	{
		uint32		entry = vector_is_null(codes, slot) ?
			entries->nentries : codes->codes[slot];

		if (entries->states[entry] == ENTRY_UNKNOWN)
		{
			entries->states[entry] = ENTRY_WANTED;
			entries->wanted[nwanted++] = entry;
		}
	}
	return nwanted;
}

/* Evaluate the expression for the entries wanted. */
static void
evaluate_wanted(VectorEntries *entries, const VectorDictionary *dictionary,
				int nwanted)
{
	Vector	   *current = entries->current;
	uint64		mask[VECTOR_WORDS];
	const Vector *result;

	current->has_nulls = false;
	for (int i = 0; i < nwanted; i++)
	{
		if (entries->wanted[i] < dictionary->nentries)
			current->strings[i] = dictionary->entries[entries->wanted[i]];
		else
		{
			vector_node_clear_nulls(current);
			vector_set_bit(current->nulls, i);
		}
	}
	vector_mask_fill(mask, nwanted);

	entries->is_active = true;
	result = vector_node_evaluate(entries->base.args[0], mask);
	entries->is_active = false;
	for (int i = 0; i < nwanted; i++)
		keep_result(entries, result, i);
}

/* The entry of each slot; slots without a row get some entry. */
static void
entry_of_slots(const VectorEntries *entries, const Vector *codes,
			   uint32 *slots)
{
	uint32		nentries = entries->nentries;

	for (int i = 0; i < VECTOR_LENGTH; i++)
		slots[i] = Min(codes->codes[i], nentries);
	if (!codes->has_nulls)
		return;
	VECTOR_FOR_EACH(slot, codes->nulls)
	{
		slots[slot] = nentries;
	}
}

/* Set bits where an entry's state is a given one. */
static void
gather_states(const VectorEntries *entries, const uint32 *slots,
			  EntryState state, uint64 *bits)
{
	uint8		match[VECTOR_LENGTH];

	for (int i = 0; i < VECTOR_LENGTH; i++)
		match[i] = entries->states[slots[i]] == state;
	vector_gather_bits(match, bits);
}

static void
gather_values(const VectorEntries *entries, const uint32 *slots,
			  Vector *result)
{
	switch (result->form)
	{
		case FORM_BOOLEAN:
			gather_states(entries, slots, ENTRY_TRUE, result->bits);
			break;
		case FORM_STRING:
			for (int i = 0; i < VECTOR_LENGTH; i++)
				result->strings[i] = entries->values.strings[slots[i]];
			break;
		default:
			for (int i = 0; i < VECTOR_LENGTH; i++)
				result->integers[i] = entries->values.integers[slots[i]];
			break;
	}
}

/*
 * Have results for all rows of mask, and the entry of each slot; false if the
 * column has no dictionary here.
 */
static bool
find_results(VectorEntries *entries, const uint64 *mask, uint32 *slots)
{
	const Vector *codes = vector_source_codes(entries->base.context->scan,
											  entries->attno, mask);
	int			nwanted;

	if (codes == NULL)
		return false;
	if (codes->dictionary->serial != entries->serial)
		start_chunk(entries, codes->dictionary);
	nwanted = collect_wanted(entries, codes, mask);
	if (nwanted > 0)
		evaluate_wanted(entries, codes->dictionary, nwanted);
	entry_of_slots(entries, codes, slots);
	return true;
}

static void
set_nulls(const VectorEntries *entries, const uint32 *slots, Vector *result)
{
	result->has_nulls = entries->has_nulls;
	if (result->has_nulls)
		gather_states(entries, slots, ENTRY_NULL, result->nulls);
}

static const Vector *
evaluate_entries(VectorNode *node, const uint64 *mask)
{
	VectorEntries *entries = (VectorEntries *) node;
	uint32		slots[VECTOR_LENGTH];
	Vector	   *result;

	if (!find_results(entries, mask, slots))
		return vector_node_evaluate(node->args[0], mask);
	result = vector_node_start(node);
	gather_values(entries, slots, result);
	set_nulls(entries, slots, result);
	return result;
}

/*
 * The results as codes of a dictionary.  Its entries are those that rows have
 * had so far, under the codes of the column's own, and may be equal to each
 * other.
 */
const Vector *
vector_entries_codes(VectorNode *node, const uint64 *mask)
{
	VectorEntries *entries = (VectorEntries *) node;
	Vector	   *coded = &entries->coded;
	uint32		slots[VECTOR_LENGTH];

	if (node->evaluate != evaluate_entries || node->form != FORM_STRING ||
		!find_results(entries, mask, slots) ||
		entries->nentries > PG_UINT16_MAX)
		return NULL;

	if (entries->codes == NULL)
		entries->codes = MemoryContextAlloc(node->memory,
											sizeof(uint16) * VECTOR_LENGTH);
	for (int i = 0; i < VECTOR_LENGTH; i++)
		entries->codes[i] = (uint16) slots[i];
	entries->dictionary.serial = entries->serial;
	entries->dictionary.nentries = entries->nentries + 1;
	entries->dictionary.entries = entries->values.strings;

	memset(coded, 0, sizeof(Vector));
	coded->form = FORM_STRING;
	coded->nulls = node->result.nulls;
	coded->dictionary = &entries->dictionary;
	coded->codes = entries->codes;
	set_nulls(entries, slots, coded);
	return coded;
}

/* ---- compilation ---- */

typedef struct ColumnSearch
{
	Var		   *var;			/* the only one so far */
	bool		has_others;
} ColumnSearch;

static bool
search_columns(Node *node, ColumnSearch *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		if (search->var == NULL)
			search->var = var;
		else if (var->varno != search->var->varno ||
				 var->varattno != search->var->varattno)
			search->has_others = true;
		return search->has_others;
	}
	return expression_tree_walker(node, search_columns, search);
}

/* The one column that the expression reads, if it is of strings. */
static Var *
string_column_of(VectorCompiler *compiler, Expr *expr)
{
	ColumnSearch search = {NULL, false};
	Var		   *var;

	search_columns((Node *) expr, &search);
	var = search.var;
	if (var == NULL || search.has_others || var->varattno <= 0 ||
		var->varno != compiler->context->varno || var->varlevelsup != 0 ||
		vector_form_of_type(var->vartype, var->vartypmod,
							var->varcollid) != FORM_STRING)
		return NULL;
	return var;
}

/* Does it take no more than the column's strings as they are? */
static bool
is_plain(Expr *expr)
{
	while (IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	return IsA(expr, Var) ||
		(IsA(expr, NullTest) && IsA(((NullTest *) expr)->arg, Var));
}

VectorNode *
vector_compile_entries(VectorCompiler *compiler, Expr *expr, int reg)
{
	Var		   *var;
	VectorEntries *entries;

	Assert(compiler->entries == NULL);
	if (is_plain(expr))
		return NULL;
	var = string_column_of(compiler, expr);
	if (var == NULL)
		return NULL;

	entries = (VectorEntries *) vector_node_create(compiler,
												   sizeof(VectorEntries),
												   expr, 1, reg);
	entries->base.evaluate = evaluate_entries;
	entries->base.reset = forget_results;
	entries->attno = var->varattno;
	entries->value_context = AllocSetContextCreate(CurrentMemoryContext,
												   "columnar entries",
												   ALLOCSET_DEFAULT_SIZES);
	entries->current = vector_create(FORM_STRING);
	entries->wanted = palloc(sizeof(uint32) * VECTOR_LENGTH);

	/*
	 * Both share a register: where there is no dictionary, the expression's
	 * result is this node's, and else it is copied to the entries before this
	 * node's is made.
	 */
	compiler->entries = entries;
	entries->base.args[0] = vector_node_compile(compiler, expr, reg);
	compiler->entries = NULL;
	Assert(entries->base.args[0] != NULL && entries->base.args[0]->reg == reg);
	return &entries->base;
}
