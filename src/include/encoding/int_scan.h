/*
 * int_scan.h
 *		Short passes over vectors of integers that the encoder is made of.
 *
 * Each is a loop that compilers vectorise, and exists once per instruction set
 * of the CPUs that there are; which one runs changes no result.
 */
#ifndef ENCODING_INT_SCAN_H
#define ENCODING_INT_SCAN_H

#include "encoding/base.h"

/* What there is to know of values one after the other. */
typedef struct IntRange
{
	int64_t		min;
	int64_t		max;
	uint32_t	nruns;			/* of equal values */
} IntRange;

typedef struct IntScan
{
	const char *name;

	/* nvalues is at least 1 in all of these. */
	void		(*range) (const int64_t *values, uint32_t nvalues,
						  IntRange *range);

	/* out[i] = values[i] - base */
	void		(*subtract) (const int64_t *values, uint32_t nvalues,
							 uint64_t base, uint64_t *out);

	/* Range of values[i] - values[i - 1], with nvalues at least 2. */
	void		(*delta_range) (const uint64_t *values, uint32_t nvalues,
								int64_t *min, int64_t *max);

	/* out[i] = (values[i] - values[i - 1] - base) & mask, from 1 on */
	void		(*deltas) (const uint64_t *values, uint32_t nvalues,
						   uint64_t base, uint64_t mask, uint64_t *out);

	/* Sums of upper and lower halves, which cannot overflow in a vector. */
	void		(*sum_signed) (const int64_t *values, uint32_t nvalues,
							   int64_t *upper, uint64_t *lower);
} IntScan;

/* The fastest that the CPU has; chosen at the first use. */
extern const IntScan *int_scan(void);

#endif							/* ENCODING_INT_SCAN_H */
