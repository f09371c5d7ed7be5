/*
 * int_scan_template.h
 *		The passes of int_scan.h, for one instruction set.
 *
 * Included by int_scan.c with SCAN_NAME(pass), which names a function, and
 * SCAN_TARGET, the attributes that it is compiled with.
 */

static SCAN_TARGET void
SCAN_NAME(range) (const int64_t *values, uint32_t nvalues, IntRange *range)
{
	int64_t		min = values[0];
	int64_t		max = values[0];
	uint64_t	nruns = 1;

	for (uint32_t i = 1; i < nvalues; i++)
	{
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
		nruns += values[i] != values[i - 1];
	}
	range->min = min;
	range->max = max;
	range->nruns = (uint32_t) nruns;
}

static SCAN_TARGET void
SCAN_NAME(subtract) (const int64_t *__restrict values, uint32_t nvalues,
					 uint64_t base, uint64_t *__restrict out)
{
	for (uint32_t i = 0; i < nvalues; i++)
		out[i] = (uint64_t) values[i] - base;
}

static SCAN_TARGET void
SCAN_NAME(delta_range) (const uint64_t *values, uint32_t nvalues,
						int64_t *min_delta, int64_t *max_delta)
{
	int64_t		min = INT64_MAX;
	int64_t		max = INT64_MIN;

	for (uint32_t i = 1; i < nvalues; i++)
	{
		int64_t		delta = (int64_t) (values[i] - values[i - 1]);

		min = delta < min ? delta : min;
		max = delta > max ? delta : max;
	}
	*min_delta = min;
	*max_delta = max;
}

static SCAN_TARGET void
SCAN_NAME(deltas) (const uint64_t *__restrict values, uint32_t nvalues,
				   uint64_t base, uint64_t mask, uint64_t *__restrict out)
{
	out[0] = 0;
	for (uint32_t i = 1; i < nvalues; i++)
		out[i] = (values[i] - values[i - 1] - base) & mask;
}

static SCAN_TARGET void
SCAN_NAME(sum_signed) (const int64_t *values, uint32_t nvalues,
					   int64_t *upper_sum, uint64_t *lower_sum)
{
	int64_t		upper = 0;
	uint64_t	lower = 0;

	for (uint32_t i = 0; i < nvalues; i++)
	{
		upper += values[i] >> 32;
		lower += (uint64_t) values[i] & UINT32_MAX;
	}
	*upper_sum = upper;
	*lower_sum = lower;
}

static const IntScan SCAN_NAME(scan) = {
	SCAN_LABEL,
	SCAN_NAME(range),
	SCAN_NAME(subtract),
	SCAN_NAME(delta_range),
	SCAN_NAME(deltas),
	SCAN_NAME(sum_signed)
};

#undef SCAN_NAME
#undef SCAN_TARGET
#undef SCAN_LABEL
