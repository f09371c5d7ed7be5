/*
 * selftest.h
 *		The library's test of itself: how a part of it reports what it found.
 *
 * A part is a function in the table of selftest.c.  It makes one row for each
 * kernel, operation and width:
 *
 *		selftest_begin(&row, "word", "delta", 13);
 *		... row.cases++; row.values_checked += nvalues;
 *		... if (differs) selftest_mismatch(&row, "n=%zu index=%zu", n, i);
 *		selftest_end(test, &row);
 *
 * Parts compare with something simpler than what they test, so that a fault
 * planted by name (selftest_fault) must turn a row to not ok.  A part frees
 * its memory when it returns; if an interrupt does not return, the allocator's
 * owner does.
 */
#ifndef ENCODING_SELFTEST_H
#define ENCODING_SELFTEST_H

#include "encoding/base.h"

/* Width of a row to which widths do not apply. */
#define SELFTEST_NO_WIDTH (-1)

#define SELFTEST_MESSAGE_LENGTH 200

typedef struct SelftestRow
{
	const char *kernel;			/* constant strings */
	const char *operation;
	int			width;			/* bits, or SELFTEST_NO_WIDTH */
	bool		is_available;	/* false: nothing ran, ok means nothing */
	bool		needs_fast;		/* not ok if no value took the fast path */
	uint64_t	cases;
	uint64_t	values_checked;
	uint64_t	fast_values;	/* by the path that values took */
	uint64_t	peel_values;
	uint64_t	tail_values;
	uint64_t	mismatches;
	char		first_mismatch[SELFTEST_MESSAGE_LENGTH];	/* "" if none */
	double		elapsed_ms;
	double		started_ms;		/* of the clock that runs, or negative */
	bool		ok;				/* set by selftest_end */
} SelftestRow;

typedef struct Selftest
{
	bool		full;			/* level full: may take some seconds */
	const char *fault;			/* planted fault or NULL */
	const Allocator *allocator;
	void		(*emit) (void *context, const SelftestRow *row);
	void	   *context;
	SelftestRow summary;
} Selftest;

/* A part of the test, and the faults that can be planted in it. */
typedef struct SelftestPart
{
	void		(*run) (Selftest *test);
	const char *const *faults;	/* their names; ends with NULL */
} SelftestPart;

/*
 * Run all parts, or, if the name of a fault to plant is given, those that know
 * it; emit gets each row and then the summary.  Returns false, having run
 * nothing, if no part knows the fault.
 */
extern bool selftest_run(bool full, const char *fault,
						 const Allocator *allocator,
						 void (*emit) (void *context, const SelftestRow *row),
						 void *context);

/* For parts: rows. */
extern void selftest_begin(SelftestRow *row, const char *kernel,
						   const char *operation, int width);
extern void selftest_mismatch(SelftestRow *row, const char *format,...)
			__attribute__((format(printf, 2, 3)));
extern void selftest_end(Selftest *test, SelftestRow *row);

/* For parts that have several rows open at a time: stop and go of the clock. */
extern void selftest_pause(SelftestRow *row);
extern void selftest_resume(SelftestRow *row);

/* A row for a kernel that this CPU or build does not have. */
extern void selftest_unavailable(Selftest *test, const char *kernel,
								 const char *operation);

extern bool selftest_fault(const Selftest *test, const char *name);

/* For parts: values. */
typedef enum SelftestPattern
{
	PATTERN_ZEROS,
	PATTERN_ONES,
	PATTERN_ALTERNATING,
	PATTERN_WALKING_BIT,
	PATTERN_RAMP,
	PATTERN_RANDOM,
	PATTERN_EXTREMES,			/* ones first and last, else zero */
	SELFTEST_NPATTERNS
} SelftestPattern;

extern const char *selftest_pattern_name(SelftestPattern pattern);

/* Fill with nvalues values of at most width bits. */
extern void selftest_fill(uint64_t *values, size_t nvalues, int width,
						  SelftestPattern pattern, uint64_t seed);

/* The reference of bitpack_pack: one bit at a time. */
extern void selftest_pack(const uint64_t *values, size_t nvalues, int width,
						  uint8_t *out);

/* The same numbers from the same state on every host. */
extern uint64_t selftest_random(uint64_t *state);

/* Counts around every boundary, in ascending order. */
#define SELFTEST_NCOUNTS 29
#define SELFTEST_MAX_COUNT 4096
extern const uint16_t selftest_counts[SELFTEST_NCOUNTS];

/* The parts themselves, each in a file of its name. */
extern const SelftestPart selftest_part_unpack;
extern const SelftestPart selftest_part_fused;
extern const SelftestPart selftest_part_pack;
extern const SelftestPart selftest_part_raw;
extern const SelftestPart selftest_part_simple64;
extern const SelftestPart selftest_part_vector;
extern const SelftestPart selftest_part_chunk;

#endif							/* ENCODING_SELFTEST_H */
