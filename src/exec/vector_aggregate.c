/*
 * vector_aggregate.c
 *		Aggregate functions over vectors: which are known, states, results.
 *
 * What a kind of aggregate does with values is in the files beside this one.
 * Here an Aggref finds its kind, its states are kept in one array by group, and
 * transition values go through core's final and serialization functions, as in
 * core's Agg node.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/column_filter.h"
#include "exec/vector_aggregate_state.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

static const AggregateFunction aggregate_functions[] = {
	{F_COUNT_, &aggregate_count},
	{F_COUNT_ANY, &aggregate_count},
	{F_SUM_INT2, &aggregate_sum_int},
	{F_AVG_INT2, &aggregate_average_int},
	{F_SUM_INT4, &aggregate_sum_int},
	{F_AVG_INT4, &aggregate_average_int},
	{F_SUM_INT8, &aggregate_wide_int, .is_sum = true},
	{F_AVG_INT8, &aggregate_wide_int},
	{F_SUM_NUMERIC, &aggregate_numeric, .is_sum = true},
	{F_AVG_NUMERIC, &aggregate_numeric},
	{F_SUM_MONEY, &aggregate_sum_money},
	{F_SUM_FLOAT4, &aggregate_sum_float4},
	{F_SUM_FLOAT8, &aggregate_sum_float8},
	{F_AVG_FLOAT4, &aggregate_float_moments},
	{F_AVG_FLOAT8, &aggregate_float_moments},
	{F_SUM_INTERVAL, &aggregate_by_row},
	{F_AVG_INTERVAL, &aggregate_by_row},
	{F_VARIANCE_INT2, &aggregate_wide_int, .has_squares = true},
	{F_VARIANCE_INT4, &aggregate_wide_int, .has_squares = true},
	{F_VARIANCE_INT8, &aggregate_numeric, .has_squares = true},
	{F_VARIANCE_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_VARIANCE_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_VARIANCE_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_VAR_SAMP_INT2, &aggregate_wide_int, .has_squares = true},
	{F_VAR_SAMP_INT4, &aggregate_wide_int, .has_squares = true},
	{F_VAR_SAMP_INT8, &aggregate_numeric, .has_squares = true},
	{F_VAR_SAMP_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_VAR_SAMP_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_VAR_SAMP_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_VAR_POP_INT2, &aggregate_wide_int, .has_squares = true},
	{F_VAR_POP_INT4, &aggregate_wide_int, .has_squares = true},
	{F_VAR_POP_INT8, &aggregate_numeric, .has_squares = true},
	{F_VAR_POP_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_VAR_POP_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_VAR_POP_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_INT2, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_INT4, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_INT8, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_SAMP_INT2, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_SAMP_INT4, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_SAMP_INT8, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_SAMP_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_SAMP_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_SAMP_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_POP_INT2, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_POP_INT4, &aggregate_wide_int, .has_squares = true},
	{F_STDDEV_POP_INT8, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_POP_NUMERIC, &aggregate_numeric, .has_squares = true},
	{F_STDDEV_POP_FLOAT4, &aggregate_float_moments, .has_squares = true},
	{F_STDDEV_POP_FLOAT8, &aggregate_float_moments, .has_squares = true},
	{F_MAX_INT2, &aggregate_extreme_int, .is_max = true},
	{F_MAX_INT4, &aggregate_extreme_int, .is_max = true},
	{F_MAX_INT8, &aggregate_extreme_int, .is_max = true},
	{F_MAX_OID, &aggregate_extreme_int, .is_max = true},
	{F_MAX_DATE, &aggregate_extreme_int, .is_max = true},
	{F_MAX_TIME, &aggregate_extreme_int, .is_max = true},
	{F_MAX_TIMESTAMP, &aggregate_extreme_int, .is_max = true},
	{F_MAX_TIMESTAMPTZ, &aggregate_extreme_int, .is_max = true},
	{F_MAX_MONEY, &aggregate_extreme_int, .is_max = true},
	{F_MAX_FLOAT4, &aggregate_extreme_float, .is_max = true},
	{F_MAX_FLOAT8, &aggregate_extreme_float, .is_max = true},
	{F_MAX_NUMERIC, &aggregate_extreme_numeric, .is_max = true},
	{F_MAX_TEXT, &aggregate_extreme_text, .is_max = true},
	{F_MAX_ANYARRAY, &aggregate_by_row},
	{F_MAX_ANYENUM, &aggregate_by_row},
	{F_MAX_BPCHAR, &aggregate_by_row},
	{F_MAX_INET, &aggregate_by_row},
	{F_MAX_INTERVAL, &aggregate_by_row},
	{F_MAX_PG_LSN, &aggregate_by_row},
	{F_MAX_TID, &aggregate_by_row},
	{F_MAX_TIMETZ, &aggregate_by_row},
	{F_MAX_XID8, &aggregate_by_row},
	{F_MIN_INT2, &aggregate_extreme_int},
	{F_MIN_INT4, &aggregate_extreme_int},
	{F_MIN_INT8, &aggregate_extreme_int},
	{F_MIN_OID, &aggregate_extreme_int},
	{F_MIN_DATE, &aggregate_extreme_int},
	{F_MIN_TIME, &aggregate_extreme_int},
	{F_MIN_TIMESTAMP, &aggregate_extreme_int},
	{F_MIN_TIMESTAMPTZ, &aggregate_extreme_int},
	{F_MIN_MONEY, &aggregate_extreme_int},
	{F_MIN_FLOAT4, &aggregate_extreme_float},
	{F_MIN_FLOAT8, &aggregate_extreme_float},
	{F_MIN_NUMERIC, &aggregate_extreme_numeric},
	{F_MIN_TEXT, &aggregate_extreme_text},
	{F_MIN_ANYARRAY, &aggregate_by_row},
	{F_MIN_ANYENUM, &aggregate_by_row},
	{F_MIN_BPCHAR, &aggregate_by_row},
	{F_MIN_INET, &aggregate_by_row},
	{F_MIN_INTERVAL, &aggregate_by_row},
	{F_MIN_PG_LSN, &aggregate_by_row},
	{F_MIN_TID, &aggregate_by_row},
	{F_MIN_TIMETZ, &aggregate_by_row},
	{F_MIN_XID8, &aggregate_by_row},
	{F_BOOL_AND, &aggregate_bool_and},
	{F_EVERY, &aggregate_bool_and},
	{F_BOOL_OR, &aggregate_bool_or},
	{F_BIT_AND_INT2, &aggregate_bit_and},
	{F_BIT_AND_INT4, &aggregate_bit_and},
	{F_BIT_AND_INT8, &aggregate_bit_and},
	{F_BIT_AND_BIT, &aggregate_by_row},
	{F_BIT_OR_INT2, &aggregate_bit_or},
	{F_BIT_OR_INT4, &aggregate_bit_or},
	{F_BIT_OR_INT8, &aggregate_bit_or},
	{F_BIT_OR_BIT, &aggregate_by_row},
	{F_BIT_XOR_INT2, &aggregate_bit_xor},
	{F_BIT_XOR_INT4, &aggregate_bit_xor},
	{F_BIT_XOR_INT8, &aggregate_bit_xor},
	{F_BIT_XOR_BIT, &aggregate_by_row}
};

/* ---- which are known ---- */

static const AggregateFunction *
find_function(Oid oid)
{
	for (int i = 0; i < lengthof(aggregate_functions); i++)
	{
		if (aggregate_functions[i].oid == oid)
			return &aggregate_functions[i];
	}
	return NULL;
}

bool
vector_aggregate_is_known(const Aggref *aggref)
{
	const AggregateFunction *function = find_function(aggref->aggfnoid);

	if (function == NULL || aggref->agglevelsup != 0 ||
		aggref->aggkind != AGGKIND_NORMAL || aggref->aggvariadic ||
		aggref->aggdirectargs != NIL || aggref->aggorder != NIL ||
		list_length(aggref->args) > 1)
		return false;
	if (aggref->aggdistinct != NIL && aggref->aggfnoid != F_COUNT_ANY)
		return false;
	return !DO_AGGSPLIT_COMBINE(aggref->aggsplit);
}

/* ---- making one ---- */

static void
init_core_function(CoreFunction *function, Oid oid)
{
	function->exists = OidIsValid(oid);
	if (function->exists)
		fmgr_info(oid, &function->info);
}

/* The transition value that a group begins with. */
static void
init_initial_value(VectorAggregate *aggregate, HeapTuple tuple)
{
	Datum		value = SysCacheGetAttr(AGGFNOID, tuple,
									   Anum_pg_aggregate_agginitval,
									   &aggregate->initial_isnull);
	Oid			input;
	Oid			parameter;
	char	   *string;

	if (aggregate->initial_isnull)
		return;
	getTypeInputInfo(aggregate->transition_type, &input, &parameter);
	string = TextDatumGetCString(value);
	aggregate->initial_value = OidInputFunctionCall(input, string, parameter,
													-1);
	pfree(string);
}

/*
 * Polymorphic transition types become those of the argument: they are the
 * result's, too.
 */
static void
init_transition_type(VectorAggregate *aggregate, const Aggref *aggref,
					 Oid type)
{
	if (IsPolymorphicType(type))
		type = aggregate->argument_type;
	aggregate->transition_type = type;
	get_typlenbyval(type, &aggregate->transition_length,
					&aggregate->transition_byval);
}

/* Read core's definition of the aggregate. */
static void
init_core_functions(VectorAggregate *aggregate, const Aggref *aggref)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID,
										ObjectIdGetDatum(aggref->aggfnoid));
	Form_pg_aggregate form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	init_transition_type(aggregate, aggref, form->aggtranstype);
	init_core_function(&aggregate->transition, form->aggtransfn);
	init_core_function(&aggregate->final, form->aggfinalfn);
	init_core_function(&aggregate->combine, form->aggcombinefn);
	init_core_function(&aggregate->serialize, form->aggserialfn);
	init_core_function(&aggregate->deserialize, form->aggdeserialfn);
	init_initial_value(aggregate, tuple);
	ReleaseSysCache(tuple);
}

/* Core's functions ask their caller for the context of states. */
static void
init_call_context(VectorAggregate *aggregate)
{
	AggState   *state = makeNode(AggState);

	state->curaggcontext = makeNode(ExprContext);
	state->curaggcontext->ecxt_per_tuple_memory = aggregate->values_context;
	aggregate->call_context = (Node *) state;
}

static void
check_permission(Oid oid)
{
	AclResult	result = function_aclcheck(oid, GetUserId(), ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_AGGREGATE, get_func_name(oid));
	InvokeFunctionExecuteHook(oid);
}

VectorAggregate *
vector_aggregate_create(const Aggref *aggref)
{
	VectorAggregate *aggregate = palloc0(sizeof(VectorAggregate));

	Assert(vector_aggregate_is_known(aggref));
	check_permission(aggref->aggfnoid);

	aggregate->function = find_function(aggref->aggfnoid);
	aggregate->kind = aggregate->function->kind;
	aggregate->is_partial = DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit);
	aggregate->collation = aggref->inputcollid;
	aggregate->orders_bytes = OidIsValid(aggref->inputcollid) &&
		collation_orders_bytes(aggref->inputcollid);
	if (aggref->args != NIL)
		aggregate->argument_type =
			exprType((Node *) linitial_node(TargetEntry, aggref->args)->expr);

	aggregate->context = CurrentMemoryContext;
	aggregate->values_context =
		AllocSetContextCreate(CurrentMemoryContext,
							  "columnar aggregate values",
							  ALLOCSET_START_SMALL_SIZES);
	aggregate->work_context =
		AllocSetContextCreate(CurrentMemoryContext,
							  "columnar aggregate work",
							  ALLOCSET_SMALL_SIZES);
	init_core_functions(aggregate, aggref);
	init_call_context(aggregate);
	return aggregate;
}

/* ---- states ---- */

Size
vector_aggregate_state_size(const VectorAggregate *aggregate)
{
	return aggregate->kind->state_size;
}

bool
vector_aggregate_may_know_segments(const Aggref *aggref)
{
	const AggregateFunction *function = find_function(aggref->aggfnoid);
	const AggregateKind *kind = function->kind;

	return kind == &aggregate_count || kind == &aggregate_sum_int ||
		kind == &aggregate_average_int || kind == &aggregate_extreme_int ||
		(kind == &aggregate_wide_int && !function->has_squares);
}

bool
vector_aggregate_is_flat(const Aggref *aggref)
{
	return find_function(aggref->aggfnoid)->kind->merge != NULL;
}

void
vector_aggregate_copy_state(const VectorAggregate *aggregate, void *state)
{
	memcpy(state, aggregate->states, aggregate->kind->state_size);
}

void
vector_aggregate_merge_state(VectorAggregate *aggregate, const void *state)
{
	aggregate->kind->merge(aggregate, aggregate->states, state);
}

Size
vector_aggregate_memory(const VectorAggregate *aggregate)
{
	return aggregate->max_groups * aggregate->kind->state_size +
		MemoryContextMemAllocated(aggregate->values_context, true);
}

/* Have room for n states; memory doubles. */
static void
make_room(VectorAggregate *aggregate, uint32 n)
{
	Size		size = aggregate->kind->state_size;
	uint64		max = aggregate->max_groups;

	if (n <= max)
		return;
	max = Min(Max(Max((uint64) n, max * 2), 8), PG_UINT32_MAX);
	if (aggregate->states == NULL)
		aggregate->states = MemoryContextAllocHuge(aggregate->context,
												   max * size);
	else
		aggregate->states = repalloc_huge(aggregate->states, max * size);
	aggregate->max_groups = (uint32) max;
}

void
vector_aggregate_grow(VectorAggregate *aggregate, uint32 ngroups)
{
	Size		size = aggregate->kind->state_size;

	if (ngroups <= aggregate->ngroups)
		return;
	make_room(aggregate, ngroups);
	memset(aggregate->states + aggregate->ngroups * size, 0,
		   (ngroups - aggregate->ngroups) * size);
	aggregate->ngroups = ngroups;
}

void
vector_aggregate_reset(VectorAggregate *aggregate)
{
	aggregate->ngroups = 0;
	MemoryContextReset(aggregate->values_context);
	MemoryContextReset(aggregate->work_context);
}

/* ---- values ---- */

void
vector_aggregate_update(VectorAggregate *aggregate, const Vector *argument,
						const uint64 *mask, const uint32 *groups)
{
	uint64		live[VECTOR_WORDS];
	uint64		any = 0;

	Assert(aggregate->ngroups > 0);
	for (int w = 0; w < VECTOR_WORDS; w++)
	{
		live[w] = mask[w];
		if (argument && argument->has_nulls)
			live[w] &= ~argument->nulls[w];
		any |= live[w];
	}
	if (any != 0)
		aggregate->kind->update(aggregate, argument, live, groups);
}

/* ---- results ---- */

Datum
aggregate_call(VectorAggregate *aggregate, CoreFunction *function, int nargs,
			   const NullableDatum *args, bool *isnull)
{
	LOCAL_FCINFO(fcinfo, 2);
	Datum		result;

	Assert(function->exists && nargs <= 2);
	InitFunctionCallInfoData(*fcinfo, &function->info, nargs,
							 aggregate->collation, aggregate->call_context,
							 NULL);
	*isnull = true;
	for (int i = 0; i < nargs; i++)
	{
		if (function->info.fn_strict && args[i].isnull)
			return (Datum) 0;
		fcinfo->args[i] = args[i];
	}
	result = FunctionCallInvoke(fcinfo);
	*isnull = fcinfo->isnull;
	return result;
}

Datum
vector_aggregate_result(VectorAggregate *aggregate, uint32 group,
						bool *isnull)
{
	void	   *state = aggregate->states +
		group * aggregate->kind->state_size;
	CoreFunction *function = aggregate->is_partial ?
		&aggregate->serialize : &aggregate->final;
	NullableDatum value;

	Assert(group < aggregate->ngroups);
	*isnull = false;
	if (aggregate->kind->result &&
		aggregate->kind->result(aggregate, state, &value.value))
		return value.value;

	value.value = aggregate->kind->value(aggregate, state, &value.isnull);
	*isnull = value.isnull;
	if (!function->exists)
		return value.value;
	return aggregate_call(aggregate, function, 1, &value, isnull);
}
