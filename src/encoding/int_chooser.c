/*
 * int_chooser.c
 *		Which encoding of a vector of integers costs least.
 *
 * Every candidate's length follows from the statistics by arithmetic, except
 * Simple64's, which is tried on a sample.  A candidate's score is what its
 * bytes cost to read plus what its values cost to decode, both in nanoseconds.
 *
 * The weights are those of portable code on every host, so that the bytes of a
 * table do not depend on the CPU that wrote it.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/int_vector.h"
#include "encoding/simple64.h"

/* Nanoseconds to decode one value. */
#define COST_CONSTANT 0.02
#define COST_RAW 0.08
#define COST_FOR 0.35
#define COST_DIVISOR 0.10
#define COST_DELTA 0.85
#define COST_SIMPLE64 2.2
#define COST_RUNS 0.34
#define COST_RUN 5.0			/* per run: its end is hard to foresee */
#define COST_PATCH 1.0			/* per patch */

/* Patches a vector may have: one value in ten. */
#define MAX_PATCH_FRACTION 10

/* Simple64 must be this much smaller than the next best: it is slower. */
#define SIMPLE64_ADVANTAGE 0.90
#define SIMPLE64_SAMPLE 256

/* Bits of a patch's position, of its count and of its width. */
#define PATCH_POSITION_BITS 10
#define PATCH_HEADER_LENGTH 3
#define RUNS_HEADER_LENGTH 3

size_t
int_header_length(const IntStats *stats, int64_t base, bool is_delta)
{
	size_t		length = 2 + (size_t) int_length(base);

	if (stats->divisor > 1)
		length += (size_t) uint_length(stats->divisor);
	if (is_delta)
		length += 1 + (size_t) int_length(stats->min_delta);
	return length;
}

static void
plan_score(const IntVector *vector, const IntStats *stats,
		   const IntOptions *options, double ns_per_value, IntPlan *plan)
{
	if (stats->divisor > 1 && plan->encoding != INT_RAW)
		ns_per_value += COST_DIVISOR;
	plan->score = (double) plan->length / options->bytes_per_ns +
		vector->nvalues * ns_per_value + plan->npatches * COST_PATCH;
}

static void
plan_take_better(const IntPlan *candidate, IntPlan *best)
{
	if (candidate->score < best->score)
		*best = *candidate;
}

/*
 * The cheapest cut of a histogram of widths: bits up to the cut are packed,
 * what exceeds it is patched.  Returns false if a plain body is no longer.
 */
static bool
find_patch_cut(const uint16_t *widths, uint32_t nvalues, int width,
			   IntPlan *plan)
{
	size_t		best = bitpack_length(nvalues, int_stored_width(width));
	uint32_t	npatches = 0;
	bool		found = false;

	for (int cut = width - 1; cut >= 0; cut--)
	{
		size_t		length;

		npatches += widths[cut + 1];
		if (npatches > nvalues / MAX_PATCH_FRACTION)
			break;
		if (int_stored_width(cut) != cut)
			continue;
		length = PATCH_HEADER_LENGTH + bitpack_length(nvalues, cut) +
			bitpack_length(npatches, PATCH_POSITION_BITS) +
			bitpack_length(npatches, width - cut);
		if (length < best)
		{
			best = length;
			found = true;
			plan->width = cut;
			plan->patch_width = width - cut;
			plan->npatches = npatches;
			plan->length = length;
		}
	}
	return found;
}

/* Packed and patched forms of residuals or deltas. */
static void
consider_packed(const IntVector *vector, const IntStats *stats,
				const IntOptions *options, bool is_delta, IntPlan *best)
{
	int			width = is_delta ? stats->delta_width : stats->width;
	int			max_width = 8 * vector->type.size;
	size_t		header = int_header_length(stats, stats->min, is_delta);
	double		cost = is_delta ? COST_DELTA : COST_FOR;
	IntPlan		plan;

	memset(&plan, 0, sizeof(plan));
	if (width > max_width)
		return;
	if (int_stored_width(width) <= max_width)
	{
		plan.encoding = is_delta ? INT_DELTA : INT_FOR;
		plan.width = int_stored_width(width);
		plan.length = header + bitpack_length(vector->nvalues, plan.width);
		plan_score(vector, stats, options, cost, &plan);
		plan_take_better(&plan, best);
	}
	if ((is_delta ? stats->has_delta_widths : stats->has_widths) &&
		find_patch_cut(is_delta ? stats->delta_widths : stats->widths,
					   vector->nvalues, width, &plan))
	{
		plan.encoding = is_delta ? INT_PATCHED_DELTA : INT_PATCHED;
		plan.length += header;
		plan_score(vector, stats, options, cost, &plan);
		plan_take_better(&plan, best);
	}
}

/* Patched deltas less the steady one; what lies below it fills the type. */
static void
consider_steady(const IntVector *vector, const IntStats *stats,
				const IntOptions *options, IntPlan *best)
{
	int			width = 8 * vector->type.size;
	IntPlan		plan;

	memset(&plan, 0, sizeof(plan));
	while (width > 0 && stats->steady_widths[width] == 0)
		width--;
	if (!find_patch_cut(stats->steady_widths, vector->nvalues, width, &plan))
		return;
	plan.encoding = INT_PATCHED_DELTA;
	plan.is_steady = true;
	plan.length += int_header_length(stats, stats->min, true);
	plan_score(vector, stats, options, COST_DELTA, &plan);
	plan_take_better(&plan, best);
}

static void
consider_runs(const IntVector *vector, const IntStats *stats,
			  const IntOptions *options, IntPlan *best)
{
	IntPlan		plan;

	if (stats->nruns > vector->nvalues / 2)
		return;
	memset(&plan, 0, sizeof(plan));
	plan.encoding = INT_RUNS;
	plan.width = int_stored_width(stats->width);
	plan.length = int_header_length(stats, stats->min, false) + RUNS_HEADER_LENGTH +
		bitpack_length(stats->nruns, plan.width) +
		bitpack_length(stats->nruns, bitpack_width(stats->max_run - 1));
	plan_score(vector, stats, options, COST_RUNS, &plan);
	plan.score += stats->nruns * COST_RUN;
	plan_take_better(&plan, best);
}

/* A bound below what Simple64 needs, unless zeros come in long runs. */
static double
simple64_bound(const uint16_t *widths, uint32_t nvalues)
{
	uint64_t	bits = 0;

	for (int width = 1; width <= 64; width++)
		bits += (uint64_t) width * widths[width];
	return (double) (bits + 4 * (nvalues / 60)) / 8;
}

static void
consider_simple64(const IntVector *vector, IntWorkspace *work,
				  const IntOptions *options, bool is_delta, IntPlan *best)
{
	const IntStats *stats = &work->stats;
	const uint64_t *codes = is_delta ? work->deltas : work->residuals;
	const uint16_t *widths = is_delta ? stats->delta_widths : stats->widths;
	uint32_t	nvalues = vector->nvalues;
	uint32_t	nsample = nvalues < SIMPLE64_SAMPLE ? nvalues : SIMPLE64_SAMPLE;
	size_t		header = int_header_length(stats, stats->min, is_delta);
	double		limit = SIMPLE64_ADVANTAGE * (double) best->length - (double) header;
	int64_t		length;
	IntPlan		plan;

	if ((is_delta ? stats->delta_width : stats->width) > 60 ||
		simple64_bound(widths, nvalues) > limit)
		return;
	length = simple64_encode(codes + (nvalues - nsample) / 2, nsample,
							 work->words);
	if (length < 0 || (double) length * nvalues / nsample > limit)
		return;
	memset(&plan, 0, sizeof(plan));
	plan.encoding = is_delta ? INT_SIMPLE64_DELTA : INT_SIMPLE64;
	plan.length = header + (size_t) ((double) length * nvalues / nsample);
	plan_score(vector, stats, options,
			   is_delta ? COST_SIMPLE64 + COST_DELTA - COST_FOR : COST_SIMPLE64,
			   &plan);
	plan_take_better(&plan, best);
}

void
int_choose(const IntVector *vector, IntWorkspace *work,
		   const IntOptions *options, IntPlan *best, IntPlan *fallback)
{
	const IntStats *stats = &work->stats;

	memset(best, 0, sizeof(*best));
	if (stats->divisor == 0)
	{
		best->encoding = INT_CONSTANT;
		best->length = (size_t) int_length(stats->min);
		plan_score(vector, stats, options, COST_CONSTANT, best);
		*fallback = *best;
		return;
	}
	best->encoding = INT_RAW;
	best->length = (size_t) vector->nvalues * (size_t) vector->type.size;
	plan_score(vector, stats, options, COST_RAW, best);

	consider_packed(vector, stats, options, false, best);
	if (stats->has_delta)
		consider_packed(vector, stats, options, true, best);
	if (stats->has_steady)
		consider_steady(vector, stats, options, best);
	consider_runs(vector, stats, options, best);
	*fallback = *best;
	if (stats->has_widths)
		consider_simple64(vector, work, options, false, best);
	if (stats->has_delta_widths)
		consider_simple64(vector, work, options, true, best);
}
