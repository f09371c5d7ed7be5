/*
 * selftest_fused.c
 *		Every fused form of every kernel against values worked on one by one.
 *
 * As in selftest_unpack.c, a case is made once for all kernels, and packed one
 * bit at a time.  What the forms should give is worked out here from the values
 * that were packed.  Kernels without a form of their own are tested as well: for
 * them, bitpack_fused.c passes over what they unpack.
 *
 * A planted fault is a form that gives something else, in place of each
 * kernel's own; those unpack by the kernel, so that it may be any.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/selftest.h"

#include <inttypes.h>

#define MAX_START 72
#define MAX_VALUES (SELFTEST_MAX_COUNT + MAX_START)
#define MAX_LENGTH ((size_t) MAX_VALUES * 8)
#define MASK_WORDS (SELFTEST_MAX_COUNT / 64)
#define NALIGNS 64

/* Behind the packed bytes, to be noticed in values that are read too far. */
#define GUARD_LENGTH 16
#define GUARD_BYTE 0xff

/* The slow kernels would take most of the time; at level quick, no further. */
#define QUICK_SLOW_COUNT 129

typedef enum FusedOperation
{
	FUSED_ADD,
	FUSED_DELTA,
	FUSED_MAX,
	FUSED_BETWEEN,
	FUSED_SUM,
	FUSED_MIN_MAX,
	FUSED_NOPERATIONS
} FusedOperation;

static const char *const operation_names[FUSED_NOPERATIONS] = {
	"add", "delta", "max", "between", "sum", "min_max"
};

typedef struct FusedCase
{
	PackedValues packed;
	SelftestPattern pattern;
	uint64_t	seed;
	const uint64_t *values;		/* nvalues, from the start on */
	uint64_t	base;			/* of add, and the first of delta */
	uint64_t	step;
	uint64_t	low;			/* of between */
	uint64_t	high;
	PackedSum	sum;			/* what should come */
	PackedRange range;
} FusedCase;

typedef struct FusedTest
{
	Selftest   *test;
	UnpackMethod methods[UNPACK_NKERNELS];	/* with the fault, if any */
	bool		is_available[UNPACK_NKERNELS];
	SelftestRow rows[UNPACK_NKERNELS][FUSED_NOPERATIONS];	/* of one width */
	unsigned	turn;			/* cases so far */
	uint64_t   *values;
	uint64_t   *added;			/* what should come */
	uint64_t   *summed;
	uint64_t	mask[MASK_WORDS];
	uint64_t	got_mask[MASK_WORDS + 1];
	uint8_t    *packed;
	uint8_t    *moved;
	uint8_t    *out;
} FusedTest;

/* ---- planted faults ---- */

static const char *const fused_faults[] = {
	"add_base", "delta_carry", "max_top", "between_edge", "sum_carry",
	"min_max_sign", NULL
};

/* Of the kernel that runs now. */
static UnpackGroups plain_groups;

/* The lowest bit of the base is turned. */
static void
add_other_base(const uint8_t *in, size_t ngroups, int width, uint64_t base,
			   void *out)
{
	uint64_t   *values = out;

	plain_groups(in, ngroups, width, out);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
		values[i] += base ^ 1;
}

/* Every group begins from what was before the first. */
static void
delta_without_carry(const uint8_t *in, size_t ngroups, int width,
					uint64_t before, uint64_t step, void *out)
{
	uint64_t   *values = out;

	plain_groups(in, ngroups, width, out);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
		values[i] += step + (i % UNPACK_GROUP == 0 ? before : values[i - 1]);
}

/* The top bit is not looked at. */
static uint64_t
max_without_top(const uint8_t *in, size_t ngroups, int width, uint64_t max,
				void *out)
{
	uint64_t   *values = out;

	plain_groups(in, ngroups, width, out);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
	{
		uint64_t	rest = values[i] & unpack_mask(width - 1);

		max = rest > max ? rest : max;
	}
	return max;
}

/* The upper bound itself is left out. */
static void
between_without_edge(const uint8_t *in, size_t ngroups, int width,
					 uint64_t low, uint64_t span, uint64_t *mask)
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];

	plain_groups(in, ngroups, width, values);
	memset(mask, 0, ngroups / FOLD_GROUPS * sizeof(uint64_t));
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
		mask[i / 64] |= (uint64_t) (values[i] - low < span) << (i % 64);
}

/* Nothing is carried to the upper half. */
static void
sum_without_carry(const uint8_t *in, size_t ngroups, int width,
				  PackedSum *sum)
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];

	plain_groups(in, ngroups, width, values);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
		sum->low += values[i];
}

/* The top bit is taken for a sign. */
static void
min_max_with_sign(const uint8_t *in, size_t ngroups, int width,
				  PackedRange *range)
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];

	plain_groups(in, ngroups, width, values);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
	{
		if ((int64_t) values[i] < (int64_t) range->min)
			range->min = values[i];
		if ((int64_t) values[i] > (int64_t) range->max)
			range->max = values[i];
	}
}

static void
plant_fault(const Selftest *test, UnpackMethod *method)
{
	if (selftest_fault(test, "add_base"))
		method->add[UNPACK_NOUTPUTS - 1] = add_other_base;
	if (selftest_fault(test, "delta_carry"))
		method->delta[UNPACK_NOUTPUTS - 1] = delta_without_carry;
	if (selftest_fault(test, "max_top"))
		method->max[UNPACK_NOUTPUTS - 1] = max_without_top;
	if (selftest_fault(test, "between_edge"))
		method->between = between_without_edge;
	if (selftest_fault(test, "sum_carry"))
		method->sum = sum_without_carry;
	if (selftest_fault(test, "min_max_sign"))
		method->min_max = min_max_with_sign;
}

/* ---- comparing ---- */

static void
report_mismatch(SelftestRow *row, const FusedCase *fused_case, int out_size,
				size_t index, uint64_t got, uint64_t want)
{
	selftest_mismatch(row,
					  "n=%zu start=%zu size=%d pattern=%s index=%zu"
					  " got=%" PRIx64 " want=%" PRIx64 " seed=%" PRIx64,
					  fused_case->packed.nvalues, fused_case->packed.start,
					  out_size, selftest_pattern_name(fused_case->pattern),
					  index, got, want, fused_case->seed);
}

static uint64_t
output_value(const void *out, size_t i, int out_size)
{
	switch (out_size)
	{
		case 1:
			return ((const uint8_t *) out)[i];
		case 2:
			return ((const uint16_t *) out)[i];
		case 4:
			return ((const uint32_t *) out)[i];
		default:
			return ((const uint64_t *) out)[i];
	}
}

static void
compare_output(FusedTest *fused, SelftestRow *row, const FusedCase *fused_case,
			   const uint64_t *want, int out_size)
{
	uint64_t	mask = unpack_mask(8 * out_size);

	for (size_t i = 0; i < fused_case->packed.nvalues; i++)
	{
		uint64_t	got = output_value(fused->out, i, out_size);

		if (got != (want[i] & mask))
		{
			report_mismatch(row, fused_case, out_size, i, got, want[i] & mask);
			return;
		}
	}
}

/* Returns whether the form took the call. */
static bool
run_output(FusedTest *fused, const UnpackMethod *method,
		   FusedOperation operation, SelftestRow *row,
		   const FusedCase *fused_case, int out_size)
{
	const PackedValues *packed = &fused_case->packed;
	const uint64_t *want = fused->added;
	uint64_t	max = fused_case->range.max;

	switch (operation)
	{
		case FUSED_ADD:
			if (!unpack_add_run(method, packed, fused_case->base, fused->out,
								out_size))
				return false;
			break;
		case FUSED_DELTA:
			want = fused->summed;
			if (!unpack_delta_run(method, packed, fused_case->base,
								  fused_case->step, fused->out, out_size))
				return false;
			break;
		default:
			want = fused_case->values;
			if (!unpack_max_run(method, packed, fused->out, out_size, &max))
				return false;
			break;
	}
	compare_output(fused, row, fused_case, want, out_size);
	if (max != fused_case->range.max)
		report_mismatch(row, fused_case, out_size, 0, max,
						fused_case->range.max);
	return true;
}

static bool
run_between(FusedTest *fused, const UnpackMethod *method, SelftestRow *row,
			const FusedCase *fused_case)
{
	size_t		nwords = (fused_case->packed.nvalues + 63) / 64;

	memset(fused->got_mask, GUARD_BYTE, sizeof(fused->got_mask));
	if (!between_run(method, &fused_case->packed, fused_case->low,
					 fused_case->high, fused->got_mask))
		return false;
	for (size_t i = 0; i < nwords; i++)
	{
		if (fused->got_mask[i] != fused->mask[i])
			report_mismatch(row, fused_case, 0, i, fused->got_mask[i],
							fused->mask[i]);
	}
	if (fused->got_mask[nwords] != UINT64_MAX)
		selftest_mismatch(row, "n=%zu: wrote behind the mask",
						  fused_case->packed.nvalues);
	return true;
}

static bool
run_sum(const UnpackMethod *method, SelftestRow *row,
		const FusedCase *fused_case)
{
	PackedSum	sum;

	if (!sum_run(method, &fused_case->packed, &sum))
		return false;
	if (sum.low != fused_case->sum.low || sum.high != fused_case->sum.high)
		report_mismatch(row, fused_case, 0, 0, sum.low, fused_case->sum.low);
	return true;
}

static bool
run_min_max(const UnpackMethod *method, SelftestRow *row,
			const FusedCase *fused_case)
{
	PackedRange range;

	if (!min_max_run(method, &fused_case->packed, &range))
		return false;
	if (range.min != fused_case->range.min)
		report_mismatch(row, fused_case, 0, 0, range.min,
						fused_case->range.min);
	if (range.max != fused_case->range.max)
		report_mismatch(row, fused_case, 0, 1, range.max,
						fused_case->range.max);
	return true;
}

/* ---- cases ---- */

/* Has the kernel a form of its own that takes these values? */
static bool
has_kernel(const UnpackMethod *method, FusedOperation operation, int output)
{
	switch (operation)
	{
		case FUSED_ADD:
			return method->add[output] != NULL;
		case FUSED_DELTA:
			return method->delta[output] != NULL;
		case FUSED_MAX:
			return method->max[output] != NULL;
		case FUSED_BETWEEN:
			return method->between != NULL;
		case FUSED_SUM:
			return method->sum != NULL;
		default:
			return method->min_max != NULL;
	}
}

/* Which path the values take: that of the fused kernel, or of unpacking. */
static void
count_paths(SelftestRow *row, const UnpackMethod *method,
			const FusedCase *fused_case, bool is_fused, size_t fused_multiple)
{
	size_t		nvalues = fused_case->packed.nvalues;
	UnpackPlan	plan = {0};
	size_t		fast;

	row->values_checked += nvalues;
	if (nvalues == 0 || fused_case->packed.width == 0)
		return;
	if (is_fused && fused_case->packed.start % UNPACK_GROUP == 0)
		fast = nvalues / fused_multiple * fused_multiple;
	else
	{
		unpack_plan(method, &fused_case->packed, &plan);
		fast = plan.fast_groups * UNPACK_GROUP;
		if (fast > nvalues - plan.peel)
			fast = nvalues - plan.peel;
	}
	row->fast_values += fast;
	row->peel_values += plan.peel;
	row->tail_values += nvalues - plan.peel - fast;
}

static void
check_outputs(FusedTest *fused, int kernel, FusedOperation operation,
			  const FusedCase *fused_case)
{
	const UnpackMethod *method = &fused->methods[kernel];
	SelftestRow *row = &fused->rows[kernel][operation];

	for (int output = 0; output < UNPACK_NOUTPUTS; output++)
	{
		int			out_size = 1 << output;

		if (fused_case->packed.width > 8 * out_size)
			continue;
		plain_groups = unpack_method_find(kernel)->groups[output];
		row->cases++;
		if (!run_output(fused, method, operation, row, fused_case, out_size))
			report_mismatch(row, fused_case, out_size, 0, 0, 0);
		count_paths(row, method, fused_case,
					has_kernel(method, operation, output),
					operation == FUSED_MAX ? 64 : UNPACK_GROUP);
	}
}

static void
check_fold(FusedTest *fused, int kernel, FusedOperation operation,
		   const FusedCase *fused_case)
{
	const UnpackMethod *method = &fused->methods[kernel];
	SelftestRow *row = &fused->rows[kernel][operation];
	bool		done;

	plain_groups = unpack_method_find(kernel)->groups[UNPACK_NOUTPUTS - 1];
	row->cases++;
	if (operation == FUSED_BETWEEN)
		done = run_between(fused, method, row, fused_case);
	else if (operation == FUSED_SUM)
		done = run_sum(method, row, fused_case);
	else
		done = run_min_max(method, row, fused_case);
	if (!done)
		report_mismatch(row, fused_case, 0, 0, 0, 0);
	count_paths(row, method, fused_case, has_kernel(method, operation, 0), 64);
}

static void
check_kernels(FusedTest *fused, const FusedCase *fused_case)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		bool		is_slow = kernel == UNPACK_BIT || kernel == UNPACK_BYTES;

		if (!fused->is_available[kernel] ||
			(is_slow && !fused->test->full &&
			 fused_case->packed.nvalues > QUICK_SLOW_COUNT))
			continue;
		for (int operation = 0; operation < FUSED_NOPERATIONS; operation++)
		{
			SelftestRow *row = &fused->rows[kernel][operation];

			selftest_resume(row);
			if (operation <= FUSED_MAX)
				check_outputs(fused, kernel, (FusedOperation) operation, fused_case);
			else
				check_fold(fused, kernel, (FusedOperation) operation, fused_case);
			selftest_pause(row);
		}
	}
}

/* Bounds that some values are, that leave out the least or largest, or none. */
static void
choose_bounds(FusedCase *fused_case, unsigned turn)
{
	size_t		nvalues = fused_case->packed.nvalues;
	uint64_t	largest = unpack_mask(fused_case->packed.width);
	uint64_t	a = nvalues > 0 ? fused_case->values[nvalues / 3] : 0;
	uint64_t	b = nvalues > 0 ? fused_case->values[nvalues - 1] : 0;

	fused_case->low = a < b ? a : b;
	fused_case->high = a < b ? b : a;
	switch (turn % 6)
	{
		case 1:
			fused_case->low = 1;
			fused_case->high = largest;
			break;
		case 2:
			fused_case->low = 0;
			fused_case->high = largest - (largest > 0);
			break;
		case 3:
			fused_case->low = fused_case->high;
			break;
		case 4:
			fused_case->high = UINT64_MAX;
			break;
		case 5:
			if (turn % 4 == 1)
				fused_case->low = fused_case->high + 1;
			break;
	}
}

/* What each form should give, in the plainest way. */
static void
work_out(FusedTest *fused, FusedCase *fused_case)
{
	size_t		nvalues = fused_case->packed.nvalues;
	uint64_t	delta = fused_case->base - fused_case->step;

	memset(fused->mask, 0, sizeof(fused->mask));
	fused_case->sum.low = 0;
	fused_case->sum.high = 0;
	fused_case->range.min = UINT64_MAX;
	fused_case->range.max = 0;
	for (size_t i = 0; i < nvalues; i++)
	{
		uint64_t	value = fused_case->values[i];

		fused->added[i] = fused_case->base + value;
		delta += fused_case->step + value;
		fused->summed[i] = delta;
		if (value >= fused_case->low && value <= fused_case->high)
			fused->mask[i / 64] |= UINT64_C(1) << (i % 64);
		fused_case->sum.low += value;
		if (fused_case->sum.low < value)
			fused_case->sum.high++;
		if (value < fused_case->range.min)
			fused_case->range.min = value;
		if (value > fused_case->range.max)
			fused_case->range.max = value;
	}
}

static void
check_case(FusedTest *fused, int width, size_t start, size_t nvalues,
		   SelftestPattern pattern)
{
	size_t		length = bitpack_length(start + nvalues, width);
	uint8_t    *in = fused->moved + fused->turn % NALIGNS;
	FusedCase	fused_case = {{in, length, start, nvalues, width}};

	fused_case.pattern = pattern;
	fused_case.seed = fused->turn;
	fused_case.values = fused->values + start;
	fused_case.base = fused->turn * UINT64_C(0x9e3779b97f4a7c15);
	fused_case.step = fused->turn % 3 - UINT64_C(1);

	selftest_fill(fused->values, start, width, PATTERN_ONES, 0);
	selftest_fill(fused->values + start, nvalues, width, pattern,
				  fused_case.seed);
	selftest_pack(fused->values, start + nvalues, width, fused->packed);
	memcpy(in, fused->packed, length);
	memset(in + length, GUARD_BYTE, GUARD_LENGTH);
	choose_bounds(&fused_case, fused->turn);
	work_out(fused, &fused_case);
	check_kernels(fused, &fused_case);
	fused->turn++;
}

/*
 * From the first value, where vectors begin, and from another one; with random
 * values and, in turn or all at level full, others.  Longer than a vector is
 * tried once at level quick.
 */
static void
check_count(FusedTest *fused, int width, size_t nvalues)
{
	unsigned	other = fused->turn % SELFTEST_NPATTERNS;

	for (unsigned pattern = 0; pattern < SELFTEST_NPATTERNS; pattern++)
	{
		size_t		start = fused->turn * 5 % (MAX_START + 1);

		if (pattern == PATTERN_RANDOM || fused->test->full)
			check_case(fused, width, 0, nvalues, (SelftestPattern) pattern);
		if ((pattern == other && nvalues <= VECTOR_LENGTH) || fused->test->full)
			check_case(fused, width, pattern % 2 == 0 ? start : start / 8 * 8,
					   nvalues, (SelftestPattern) pattern);
	}
	ENCODING_CHECK_INTERRUPTS();
}

/* Open or close the rows of a width. */
static void
begin_rows(FusedTest *fused, int width)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		for (int operation = 0; operation < FUSED_NOPERATIONS; operation++)
		{
			SelftestRow *row = &fused->rows[kernel][operation];

			selftest_begin(row, bitpack_kernel_name(kernel),
						   operation_names[operation], width);
			selftest_pause(row);
			row->needs_fast = width > 0;
		}
	}
}

static void
end_rows(FusedTest *fused)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		for (int operation = 0; operation < FUSED_NOPERATIONS; operation++)
		{
			if (fused->is_available[kernel])
				selftest_end(fused->test, &fused->rows[kernel][operation]);
		}
	}
}

/* Each form must refuse a byte too few, and a width or output that cannot be. */
static void
check_refused(FusedTest *fused, SelftestRow *row, const UnpackMethod *method,
			  const PackedValues *packed, int out_size)
{
	PackedSum	sum;
	PackedRange range;
	uint64_t	max;

	row->cases++;
	if (unpack_add_run(method, packed, 1, fused->out, out_size) ||
		unpack_delta_run(method, packed, 1, 1, fused->out, out_size) ||
		unpack_max_run(method, packed, fused->out, out_size, &max))
		selftest_mismatch(row, "length=%zu n=%zu width=%d size=%d was accepted",
						  packed->in_length, packed->nvalues, packed->width,
						  out_size);
	if (out_size == 8 &&
		(between_run(method, packed, 1, 2, fused->got_mask) ||
		 sum_run(method, packed, &sum) || min_max_run(method, packed, &range)))
		selftest_mismatch(row, "length=%zu n=%zu width=%d was accepted",
						  packed->in_length, packed->nvalues, packed->width);
}

static void
check_rejects(FusedTest *fused, int kernel)
{
	SelftestRow row;

	selftest_begin(&row, bitpack_kernel_name(kernel), "fused_reject",
				   SELFTEST_NO_WIDTH);
	for (int width = -1; width <= 65; width++)
	{
		for (int i = 1; i < SELFTEST_NCOUNTS; i++)
		{
			PackedValues packed = {
				fused->moved, 0, 0, selftest_counts[i], width
			};

			if (width >= 1 && width <= 64)
				packed.in_length = bitpack_length(packed.nvalues, width) - 1;
			else if (width != 0)
				packed.in_length = MAX_LENGTH;
			if (width != 0)
				check_refused(fused, &row, &fused->methods[kernel], &packed, 8);
			check_refused(fused, &row, &fused->methods[kernel], &packed, 3);
		}
	}
	selftest_end(fused->test, &row);
}

static void
run_checks(FusedTest *fused)
{
	for (int width = 0; width <= 64; width++)
	{
		begin_rows(fused, width);
		for (int i = 0; i < SELFTEST_NCOUNTS; i++)
			check_count(fused, width, selftest_counts[i]);
		end_rows(fused);
	}
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (fused->is_available[kernel])
			check_rejects(fused, kernel);
		else
		{
			for (int i = 0; i < FUSED_NOPERATIONS; i++)
				selftest_unavailable(fused->test, bitpack_kernel_name(kernel),
									 operation_names[i]);
		}
	}
}

static void
methods_init(FusedTest *fused)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		const UnpackMethod *method = unpack_method_find(kernel);

		fused->is_available[kernel] = method != NULL;
		if (method == NULL)
			continue;
		fused->methods[kernel] = *method;
		plant_fault(fused->test, &fused->methods[kernel]);
	}
}

static void
fused_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	size_t		values_size = (MAX_VALUES + DECODE_SLACK_VALUES) * sizeof(uint64_t);
	FusedTest  *fused = allocator->alloc(allocator->context, sizeof(FusedTest));

	memset(fused, 0, sizeof(*fused));
	fused->test = test;
	fused->values = allocator->alloc(allocator->context, values_size);
	fused->added = allocator->alloc(allocator->context, values_size);
	fused->summed = allocator->alloc(allocator->context, values_size);
	fused->packed = allocator->alloc(allocator->context, MAX_LENGTH);
	fused->moved = allocator->alloc(allocator->context,
									MAX_LENGTH + NALIGNS + GUARD_LENGTH);
	fused->out = allocator->alloc(allocator->context, values_size);

	methods_init(fused);
	run_checks(fused);

	allocator->free(allocator->context, fused->out);
	allocator->free(allocator->context, fused->moved);
	allocator->free(allocator->context, fused->packed);
	allocator->free(allocator->context, fused->summed);
	allocator->free(allocator->context, fused->added);
	allocator->free(allocator->context, fused->values);
	allocator->free(allocator->context, fused);
}

const SelftestPart selftest_part_fused = {fused_part, fused_faults};
