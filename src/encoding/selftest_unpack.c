/*
 * selftest_unpack.c
 *		Every unpack kernel against values packed one bit at a time.
 *
 * The reference is not another kernel: values are made, packed by
 * selftest_pack, and must come back.  A case is made once for all kernels and
 * outputs, so the rows of one width are open together.
 *
 * Faults are planted in the kernel alone: what it gives is altered, group by
 * group, and all around it is the code that scans run.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/selftest.h"

#include <inttypes.h>

#define NSTARTS UNPACK_GROUP
#define NOUTPUTS 4
#define NALIGNS 64
#define MAX_VALUES (SELFTEST_MAX_COUNT + NSTARTS)
#define MAX_LENGTH ((size_t) MAX_VALUES * 8)

/* Behind the packed bytes, to be noticed in values that are read too far. */
#define GUARD_LENGTH 16
#define GUARD_BYTE 0xff

/* Under and behind the output. */
#define STALE_BYTE 0xa5
#define CANARY_LENGTH 64

/* All patterns are tried up to this count also at the quick level. */
#define QUICK_COUNT 33

/* The per-bit kernel takes most of the time; it goes no further then. */
#define QUICK_BIT_COUNT 257

typedef struct UnpackCase
{
	int			width;
	size_t		start;
	size_t		nvalues;
	int			align;
	SelftestPattern pattern;
	uint64_t	seed;
	const uint64_t *want;		/* nvalues, from the start on */
	const uint8_t *in;			/* at its alignment */
	size_t		in_length;
} UnpackCase;

typedef struct UnpackTest
{
	Selftest   *test;
	UnpackMethod methods[UNPACK_NKERNELS];	/* with the fault, if any */
	bool		is_available[UNPACK_NKERNELS];
	SelftestRow rows[UNPACK_NKERNELS][NOUTPUTS];	/* of the present width */
	unsigned	turn;			/* cases so far: rotates what is not crossed */
	uint64_t   *values;
	uint8_t    *packed;			/* from bit 0 */
	uint8_t    *moved;			/* the same at the alignment of the case */
	uint8_t    *out;
} UnpackTest;

static const char *const unpack_faults[] = {
	"ninth_byte", "nfast", "mask64", NULL
};

static const char *const operation_names[NOUTPUTS] = {
	"unpack_u8", "unpack_u16", "unpack_u32", "unpack_u64"
};

/* Of the kernel that runs now. */
static UnpackGroups faultless_groups;

/* The ninth byte is left out. */
static void
groups_without_ninth_byte(const uint8_t *in, size_t ngroups, int width,
						  void *out)
{
	uint64_t   *values = out;

	faultless_groups(in, ngroups, width, out);
	for (size_t i = 0; i < ngroups * UNPACK_GROUP; i++)
	{
		int			shift = (int) (i * width % 8);

		if (shift + width > 64)
			values[i] &= unpack_mask(64 - shift);
	}
}

/* One group too few is unpacked. */
static void
groups_without_last(const uint8_t *in, size_t ngroups, int width, void *out)
{
	faultless_groups(in, ngroups - 1, width, out);
}

/* 1 << 64 is taken for a 1, and the mask of 64 bits for a 0. */
static void
groups_without_mask64(const uint8_t *in, size_t ngroups, int width, void *out)
{
	faultless_groups(in, ngroups, width, out);
	if (width == 64)
		memset(out, 0, ngroups * UNPACK_GROUP * sizeof(uint64_t));
}

static UnpackGroups
planted_groups(const Selftest *test)
{
	if (selftest_fault(test, "ninth_byte"))
		return groups_without_ninth_byte;
	if (selftest_fault(test, "nfast"))
		return groups_without_last;
	if (selftest_fault(test, "mask64"))
		return groups_without_mask64;
	return NULL;
}

static void
methods_init(UnpackTest *unpack)
{
	UnpackGroups planted = planted_groups(unpack->test);

	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		const UnpackMethod *method = unpack_method_find(kernel);

		unpack->is_available[kernel] = method != NULL;
		if (method == NULL)
			continue;
		unpack->methods[kernel] = *method;
		if (planted != NULL && kernel != UNPACK_BIT)
		{
			unpack->methods[kernel].groups[NOUTPUTS - 1] = planted;
			unpack->methods[kernel].copies_native = false;
		}
	}
}

/* Index of the first value that differs, or nvalues. */
static size_t
first_difference(const void *out, const uint64_t *want, size_t nvalues,
				 int out_size)
{
	size_t		i = 0;

	switch (out_size)
	{
		case 1:
			while (i < nvalues && ((const uint8_t *) out)[i] == want[i])
				i++;
			break;
		case 2:
			while (i < nvalues && ((const uint16_t *) out)[i] == want[i])
				i++;
			break;
		case 4:
			while (i < nvalues && ((const uint32_t *) out)[i] == want[i])
				i++;
			break;
		default:
			while (i < nvalues && ((const uint64_t *) out)[i] == want[i])
				i++;
			break;
	}
	return i;
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
report_mismatch(SelftestRow *row, const UnpackCase *unpack_case, size_t index,
				uint64_t got, uint64_t want)
{
	selftest_mismatch(row,
					  "n=%zu start=%zu align=%d pattern=%s index=%zu"
					  " got=%" PRIx64 " want=%" PRIx64 " seed=%" PRIx64,
					  unpack_case->nvalues, unpack_case->start,
					  unpack_case->align,
					  selftest_pattern_name(unpack_case->pattern),
					  index, got, want, unpack_case->seed);
}

static PackedValues
case_values(const UnpackCase *unpack_case)
{
	PackedValues packed = {
		unpack_case->in, unpack_case->in_length, unpack_case->start,
		unpack_case->nvalues, unpack_case->width
	};

	return packed;
}

/* Which path the values of the case take. */
static void
count_paths(SelftestRow *row, const UnpackCase *unpack_case,
			const UnpackMethod *method, int out_size)
{
	PackedValues packed = case_values(unpack_case);
	UnpackPlan	plan;
	size_t		tail;

	if (unpack_case->width == 0 || unpack_case->nvalues == 0)
		return;
	if (method->copies_native && unpack_case->width == out_size * 8)
	{
		row->fast_values += unpack_case->nvalues;
		return;
	}
	unpack_plan(method, &packed, &plan);
	tail = unpack_case->nvalues - plan.peel;
	if (tail > plan.fast_groups * UNPACK_GROUP)
		tail -= plan.fast_groups * UNPACK_GROUP;
	else
		tail = 0;
	row->peel_values += plan.peel;
	row->tail_values += tail;
	row->fast_values += unpack_case->nvalues - plan.peel - tail;
}

/* The output has room for all values, the slack and then a canary. */
static bool
canary_lives(const uint8_t *canary)
{
	for (size_t i = 0; i < CANARY_LENGTH; i++)
	{
		if (canary[i] != STALE_BYTE)
			return false;
	}
	return true;
}

/* One kernel, one output, one case. */
static void
check_case(UnpackTest *unpack, int kernel, int output,
		   const UnpackCase *unpack_case)
{
	const UnpackMethod *method = &unpack->methods[kernel];
	SelftestRow *row = &unpack->rows[kernel][output];
	PackedValues packed = case_values(unpack_case);
	int			out_size = 1 << output;
	size_t		nvalues = unpack_case->nvalues;
	uint8_t    *canary = unpack->out + (nvalues + DECODE_SLACK_VALUES) * out_size;
	size_t		index;

	selftest_resume(row);
	memset(unpack->out, STALE_BYTE, nvalues * out_size);
	memset(canary, STALE_BYTE, CANARY_LENGTH);
	faultless_groups = unpack_method_find(kernel)->groups[output];
	row->cases++;
	if (!unpack_run(method, &packed, unpack->out, out_size))
		report_mismatch(row, unpack_case, 0, 0, 0);
	else
	{
		index = first_difference(unpack->out, unpack_case->want, nvalues,
								 out_size);
		if (index < nvalues)
			report_mismatch(row, unpack_case, index,
							output_value(unpack->out, index, out_size),
							unpack_case->want[index]);
		if (!canary_lives(canary))
			selftest_mismatch(row, "n=%zu start=%zu: wrote behind the slack",
							  nvalues, unpack_case->start);
	}
	row->values_checked += nvalues;
	count_paths(row, unpack_case, method, out_size);
	selftest_pause(row);
}

/*
 * All kernels and outputs at one alignment of one case.  Alignment is nothing
 * to the per-bit kernel, which takes part in the first one only.
 */
static void
check_aligned(UnpackTest *unpack, UnpackCase *unpack_case, bool is_first)
{
	uint8_t    *in = unpack->moved + unpack_case->align;

	memcpy(in, unpack->packed, unpack_case->in_length);
	memset(in + unpack_case->in_length, GUARD_BYTE, GUARD_LENGTH);
	unpack_case->in = in;

	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (!unpack->is_available[kernel])
			continue;
		if (kernel == UNPACK_BIT &&
			(!is_first || (!unpack->test->full &&
						   unpack_case->nvalues > QUICK_BIT_COUNT)))
			continue;
		for (int output = 0; output < NOUTPUTS; output++)
		{
			if (unpack_case->width <= 8 << output)
				check_case(unpack, kernel, output, unpack_case);
		}
	}
}

/*
 * One width, start, count and pattern.  Level full tries eight alignments,
 * level quick one; which ones rotates from case to case.
 */
static void
check_pattern(UnpackTest *unpack, int width, size_t start, size_t nvalues,
			  SelftestPattern pattern)
{
	UnpackCase	unpack_case = {0};
	int			step = unpack->test->full ? 8 : NALIGNS;
	int			first = unpack->turn % step;

	unpack_case.width = width;
	unpack_case.start = start;
	unpack_case.nvalues = nvalues;
	unpack_case.pattern = pattern;
	unpack_case.seed = unpack->turn;
	unpack_case.want = unpack->values + start;
	unpack_case.in_length = bitpack_length(start + nvalues, width);

	selftest_fill(unpack->values, start, width, PATTERN_ONES, 0);
	selftest_fill(unpack->values + start, nvalues, width, pattern,
				  unpack_case.seed);
	selftest_pack(unpack->values, start + nvalues, width, unpack->packed);
	for (int align = first; align < NALIGNS; align += step)
	{
		unpack_case.align = align;
		check_aligned(unpack, &unpack_case, align == first);
	}
	unpack->turn++;
}

/*
 * One width, start and count.  Level quick tries random values and one other
 * pattern where there are many values.
 */
static void
check_count(UnpackTest *unpack, int width, size_t start, size_t nvalues)
{
	bool		all = unpack->test->full || nvalues <= QUICK_COUNT;
	unsigned	other = unpack->turn % SELFTEST_NPATTERNS;

	for (unsigned pattern = 0; pattern < SELFTEST_NPATTERNS; pattern++)
	{
		if (all || pattern == other || pattern == PATTERN_RANDOM)
			check_pattern(unpack, width, start, nvalues, pattern);
	}
	ENCODING_CHECK_INTERRUPTS();
}

static void
check_width(UnpackTest *unpack, int width)
{
	for (size_t start = 0; start < NSTARTS; start++)
	{
		for (int i = 0; i < SELFTEST_NCOUNTS; i++)
			check_count(unpack, width, start, selftest_counts[i]);

		/* the least count that needs more than a word and its ninth byte */
		if (width > 0)
			check_count(unpack, width, start, (72 + width - 1) / width);
	}
}

/* Open or close the rows of a width. */
static void
begin_rows(UnpackTest *unpack, int width)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		for (int output = 0; output < NOUTPUTS; output++)
		{
			SelftestRow *row = &unpack->rows[kernel][output];

			selftest_begin(row, bitpack_kernel_name(kernel),
						   operation_names[output], width);
			selftest_pause(row);
			row->needs_fast = width > 0;
		}
	}
}

static void
end_rows(UnpackTest *unpack, int width)
{
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		for (int output = 0; output < NOUTPUTS; output++)
		{
			if (unpack->is_available[kernel] && width <= 8 << output)
				selftest_end(unpack->test, &unpack->rows[kernel][output]);
		}
	}
}

/* The call must be refused, and leave the output alone. */
static void
check_refused(UnpackTest *unpack, SelftestRow *row, const UnpackMethod *method,
			  size_t in_length, size_t start, size_t nvalues, int width,
			  int out_size)
{
	PackedValues packed = {unpack->packed, in_length, start, nvalues, width};

	memset(unpack->out, STALE_BYTE, CANARY_LENGTH);
	row->cases++;
	if (unpack_run(method, &packed, unpack->out, out_size))
		selftest_mismatch(row, "length=%zu n=%zu start=%zu width=%d size=%d"
						  " was accepted",
						  in_length, nvalues, start, width, out_size);
	else if (!canary_lives(unpack->out))
		selftest_mismatch(row, "length=%zu n=%zu start=%zu width=%d size=%d"
						  " was refused, but wrote",
						  in_length, nvalues, start, width, out_size);
}

/* Lengths that are one byte short; counts and starts that overflow. */
static void
check_lengths(UnpackTest *unpack, SelftestRow *row, const UnpackMethod *method,
			  int width)
{
	for (int i = 1; i < SELFTEST_NCOUNTS; i++)
	{
		for (size_t start = 0; start < NSTARTS; start++)
		{
			size_t		nvalues = selftest_counts[i];
			size_t		length = bitpack_length(start + nvalues, width);

			check_refused(unpack, row, method, length - 1, start, nvalues,
						  width, 8);
		}
	}
	check_refused(unpack, row, method, 0, 0, 1, width, 8);
	check_refused(unpack, row, method, 64, SIZE_MAX, 1, width, 8);
	check_refused(unpack, row, method, 64, SIZE_MAX - 7, 16, width, 8);
	check_refused(unpack, row, method, 64, 0, SIZE_MAX, width, 8);
	check_refused(unpack, row, method, 64, 8, SIZE_MAX / 64, width, 8);
	check_refused(unpack, row, method, 64, SIZE_MAX / width, 1, width, 8);
}

static void
check_rejects(UnpackTest *unpack, int kernel)
{
	const UnpackMethod *method = &unpack->methods[kernel];
	SelftestRow row;

	selftest_begin(&row, bitpack_kernel_name(kernel), "reject",
				   SELFTEST_NO_WIDTH);
	for (int width = 1; width <= 64; width++)
		check_lengths(unpack, &row, method, width);
	for (int output = 0; output < NOUTPUTS; output++)
	{
		int			out_size = 1 << output;

		check_refused(unpack, &row, method, MAX_LENGTH, 0, 1,
					  out_size * 8 + 1, out_size);
		check_refused(unpack, &row, method, MAX_LENGTH, 0, 1, -1, out_size);
		check_refused(unpack, &row, method, MAX_LENGTH, 0, 1, 255, out_size);
	}
	check_refused(unpack, &row, method, MAX_LENGTH, 0, 1, 8, 0);
	check_refused(unpack, &row, method, MAX_LENGTH, 0, 1, 8, 3);
	check_refused(unpack, &row, method, MAX_LENGTH, 0, 1, 8, 16);
	selftest_end(unpack->test, &row);
}

static uint64_t interrupt_checks;

static void
count_interrupt_check(void)
{
	interrupt_checks++;
}

/*
 * A long call checks for interrupts once a vector.  Nothing here allocates or
 * leaves early, so that the true hook is back whatever happens.
 */
static void
check_interrupt_calls(UnpackTest *unpack, int kernel)
{
	void		(*hook) (void) = encoding_check_interrupts;
	SelftestRow row;

	selftest_begin(&row, bitpack_kernel_name(kernel), "interrupts",
				   SELFTEST_NO_WIDTH);
	encoding_check_interrupts = count_interrupt_check;
	memset(unpack->packed, 0, MAX_LENGTH);
	for (int width = 1; width < 64; width++)
	{
		PackedValues packed = {
			unpack->packed, MAX_LENGTH, 0, SELFTEST_MAX_COUNT, width
		};

		interrupt_checks = 0;
		row.cases++;
		unpack_run(&unpack->methods[kernel], &packed, unpack->out, 8);
		if (interrupt_checks < SELFTEST_MAX_COUNT / VECTOR_LENGTH)
			selftest_mismatch(&row, "width=%d checks=%" PRIu64, width,
							  interrupt_checks);
	}
	encoding_check_interrupts = hook;
	selftest_end(unpack->test, &row);
}

static void
run_checks(UnpackTest *unpack)
{
	for (int width = 0; width <= 64; width++)
	{
		begin_rows(unpack, width);
		check_width(unpack, width);
		end_rows(unpack, width);
	}
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (!unpack->is_available[kernel])
		{
			selftest_unavailable(unpack->test, bitpack_kernel_name(kernel),
								 "unpack");
			continue;
		}
		faultless_groups = unpack_method_find(kernel)->groups[NOUTPUTS - 1];
		check_rejects(unpack, kernel);
		check_interrupt_calls(unpack, kernel);
	}
}

static void
unpack_part(Selftest *test)
{
	const Allocator *allocator = test->allocator;
	UnpackTest *unpack = allocator->alloc(allocator->context, sizeof(UnpackTest));

	memset(unpack, 0, sizeof(*unpack));
	unpack->test = test;
	unpack->values = allocator->alloc(allocator->context,
									  MAX_VALUES * sizeof(uint64_t));
	unpack->packed = allocator->alloc(allocator->context, MAX_LENGTH);
	unpack->moved = allocator->alloc(allocator->context,
									 MAX_LENGTH + NALIGNS + GUARD_LENGTH);
	unpack->out = allocator->alloc(allocator->context,
								   (MAX_VALUES + DECODE_SLACK_VALUES) * sizeof(uint64_t) +
								   CANARY_LENGTH);
	memset(unpack->packed, 0, MAX_LENGTH);

	methods_init(unpack);
	run_checks(unpack);

	allocator->free(allocator->context, unpack->out);
	allocator->free(allocator->context, unpack->moved);
	allocator->free(allocator->context, unpack->packed);
	allocator->free(allocator->context, unpack->values);
	allocator->free(allocator->context, unpack);
}

const SelftestPart selftest_part_unpack = {unpack_part, unpack_faults};
