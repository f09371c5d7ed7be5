/*
 * test_selftest.c
 *		The library's own self-test, and that its planted faults show.
 */
#include "encoding/selftest.h"
#include "unit.h"

typedef struct Outcome
{
	const char *fault;
	int			nrows;
	int			nbad;
	bool		summary_ok;
	bool		has_summary;
} Outcome;

static void
note_row(void *context, const SelftestRow *row)
{
	Outcome    *outcome = context;

	if (strcmp(row->kernel, "summary") == 0)
	{
		outcome->has_summary = true;
		outcome->summary_ok = row->ok;
		return;
	}
	outcome->nrows++;
	if (!row->is_available || row->ok)
		return;
	outcome->nbad++;
	if (outcome->fault == NULL)
		unit_fail(__FILE__, __LINE__, "%s %s %d: %s", row->kernel,
				  row->operation, row->width, row->first_mismatch);
}

UNIT_TEST(selftest_quick)
{
	Outcome		outcome = {0};

	UNIT_CHECK(selftest_run(false, NULL, &unit_allocator, note_row, &outcome));
	UNIT_CHECK(outcome.nrows > 500);
	UNIT_CHECK(outcome.nbad == 0);
	UNIT_CHECK(outcome.has_summary && outcome.summary_ok);
}

UNIT_TEST(selftest_faults)
{
	static const char *const faults[] = {
		"ninth_byte", "nfast", "mask64", "add_base", "delta_carry", "max_top",
		"between_edge", "sum_carry", "min_max_sign", "pack_carry", "copy_last",
		"s64_selector", "vector_base", "chunk_value", "chunk_reject"
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
	{
		Outcome		outcome = {faults[i]};

		UNIT_CHECK(selftest_run(false, faults[i], &unit_allocator, note_row,
								&outcome));
		UNIT_CHECKF(outcome.nbad > 0 && !outcome.summary_ok,
					"%s does not show", faults[i]);
	}
	UNIT_CHECK(!selftest_run(false, "nonsense", &unit_allocator, note_row, NULL));
}
