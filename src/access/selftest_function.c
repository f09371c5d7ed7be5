/*
 * selftest_function.c
 *		columnar_encoding_selftest(): the encoding library's self-test in SQL.
 *
 * Touches no table; what is tested and how is in src/encoding/selftest*.c.
 * It can be cancelled between cases, where the library checks for interrupts.
 */
#include "postgres.h"

#include "compat.h"
#include "encoding/selftest.h"
#include "fmgr.h"
#include "funcapi.h"
#include "storage/work_memory.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#define SELFTEST_NCOLUMNS 12

PG_FUNCTION_INFO_V1(columnar_encoding_selftest);

/* Append a row to the result, whose ReturnSetInfo is the context. */
static void
emit_row(void *context, const SelftestRow *row)
{
	ReturnSetInfo *result = context;
	Datum		values[SELFTEST_NCOLUMNS];
	bool		nulls[SELFTEST_NCOLUMNS] = {0};

	values[0] = CStringGetTextDatum(row->kernel);
	values[1] = CStringGetTextDatum(row->operation);
	values[2] = Int32GetDatum(row->width);
	nulls[2] = row->width == SELFTEST_NO_WIDTH;
	values[3] = Int64GetDatum(row->cases);
	values[4] = Int64GetDatum(row->values_checked);
	values[5] = Int64GetDatum(row->fast_values);
	values[6] = Int64GetDatum(row->peel_values);
	values[7] = Int64GetDatum(row->tail_values);
	values[8] = Int64GetDatum(row->mismatches);
	values[9] = CStringGetTextDatum(row->first_mismatch);
	nulls[9] = row->mismatches == 0;
	values[10] = Float8GetDatum(row->elapsed_ms);
	values[11] = BoolGetDatum(row->ok);
	nulls[11] = !row->is_available;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* True for "full", false for "quick". */
static bool
level_is_full(FunctionCallInfo fcinfo)
{
	char	   *level;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("level must not be null")));
	level = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (strcmp(level, "full") != 0 && strcmp(level, "quick") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid level: \"%s\"", level),
				 errhint("Valid levels are \"quick\" and \"full\".")));
	return strcmp(level, "full") == 0;
}

Datum
columnar_encoding_selftest(PG_FUNCTION_ARGS)
{
	bool		full = level_is_full(fcinfo);
	char	   *fault = NULL;
	MemoryContext context;
	Allocator	allocator;

	if (!PG_ARGISNULL(1))
		fault = text_to_cstring(PG_GETARG_TEXT_PP(1));
	InitMaterializedSRF(fcinfo, 0);

	context = AllocSetContextCreate(CurrentMemoryContext, "columnar self-test",
									ALLOCSET_DEFAULT_SIZES);
	allocator_init(&allocator, context);
	if (!selftest_run(full, fault, &allocator, emit_row, fcinfo->resultinfo))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid fault to inject: \"%s\"", fault)));
	MemoryContextDelete(context);
	return (Datum) 0;
}
