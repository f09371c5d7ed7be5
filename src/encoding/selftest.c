/*
 * selftest.c
 *		Runs the parts of the self-test and keeps count.
 *
 * What is compared is the parts' business (selftest_unpack.c and others);
 * here is what makes a row ok: something was compared, nothing differed, and
 * where the fast path could run, it did.
 */
#include "encoding/selftest.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const SelftestPart *const parts[] = {
	&selftest_part_unpack,
	&selftest_part_fused,
	&selftest_part_pack,
	&selftest_part_raw,
	&selftest_part_simple64,
	&selftest_part_vector,
	&selftest_part_chunk
};

#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000.0 + now.tv_nsec / 1000000.0;
}

static void
row_init(SelftestRow *row, const char *kernel, const char *operation, int width)
{
	memset(row, 0, sizeof(*row));
	row->kernel = kernel;
	row->operation = operation;
	row->width = width;
	row->is_available = true;
	row->started_ms = -1;
}

void
selftest_begin(SelftestRow *row, const char *kernel, const char *operation,
			   int width)
{
	row_init(row, kernel, operation, width);
	selftest_resume(row);
}

void
selftest_resume(SelftestRow *row)
{
	row->started_ms = now_ms();
}

void
selftest_pause(SelftestRow *row)
{
	if (row->started_ms >= 0)
		row->elapsed_ms += now_ms() - row->started_ms;
	row->started_ms = -1;
}

/* Count a difference; the first of a row is described. */
void
selftest_mismatch(SelftestRow *row, const char *format,...)
{
	va_list		args;

	if (row->mismatches++ > 0)
		return;
	va_start(args, format);
	vsnprintf(row->first_mismatch, sizeof(row->first_mismatch), format, args);
	va_end(args);
}

static void
summary_add(SelftestRow *summary, const SelftestRow *row)
{
	summary->cases += row->cases;
	summary->values_checked += row->values_checked;
	summary->fast_values += row->fast_values;
	summary->peel_values += row->peel_values;
	summary->tail_values += row->tail_values;
	if (summary->mismatches == 0)
		memcpy(summary->first_mismatch, row->first_mismatch,
			   sizeof(summary->first_mismatch));
	summary->mismatches += row->mismatches;
	summary->ok = summary->ok && row->ok;
}

void
selftest_end(Selftest *test, SelftestRow *row)
{
	selftest_pause(row);
	row->ok = row->cases > 0 && row->mismatches == 0 &&
		(row->fast_values > 0 || !row->needs_fast);
	summary_add(&test->summary, row);
	test->emit(test->context, row);
	ENCODING_CHECK_INTERRUPTS();
}

void
selftest_unavailable(Selftest *test, const char *kernel, const char *operation)
{
	SelftestRow row;

	row_init(&row, kernel, operation, SELFTEST_NO_WIDTH);
	row.is_available = false;
	test->emit(test->context, &row);
}

bool
selftest_fault(const Selftest *test, const char *name)
{
	return test->fault != NULL && strcmp(test->fault, name) == 0;
}

static bool
part_knows_fault(const SelftestPart *part, const char *fault)
{
	for (const char *const *known = part->faults; *known != NULL; known++)
	{
		if (strcmp(*known, fault) == 0)
			return true;
	}
	return false;
}

static bool
fault_is_known(const char *fault)
{
	for (size_t i = 0; i < NPARTS; i++)
	{
		if (part_knows_fault(parts[i], fault))
			return true;
	}
	return false;
}

/* With a fault planted, the parts that do not know it have nothing to show. */
bool
selftest_run(bool full, const char *fault, const Allocator *allocator,
			 void (*emit) (void *context, const SelftestRow *row),
			 void *context)
{
	Selftest	test;

	if (fault != NULL && !fault_is_known(fault))
		return false;

	memset(&test, 0, sizeof(test));
	test.full = full;
	test.fault = fault;
	test.allocator = allocator;
	test.emit = emit;
	test.context = context;
	row_init(&test.summary, "summary", "all", SELFTEST_NO_WIDTH);
	test.summary.ok = true;
	selftest_resume(&test.summary);

	for (size_t i = 0; i < NPARTS; i++)
	{
		if (fault == NULL || part_knows_fault(parts[i], fault))
			parts[i]->run(&test);
	}
	selftest_pause(&test.summary);
	emit(context, &test.summary);
	return true;
}
