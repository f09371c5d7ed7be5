/*
 * bitpack_kernel.h
 *		What an unpack kernel is; for bitpack.c, the kernels and their tests.
 *
 * A kernel unpacks whole groups of eight values.  Eight values of any width
 * begin and end at a byte, so a kernel never sees a start bit, an odd count
 * or the end of the input: bitpack.c peels to the first group boundary and
 * brings the last bytes to a buffer that may be read beyond (the bounce
 * buffer).  A kernel for another CPU is one more UnpackMethod in the table.
 *
 * A kernel may have fused forms, which do more with a value than to store it.
 * Where it has none, bitpack_fused.c passes over what it has unpacked.
 */
#ifndef ENCODING_BITPACK_KERNEL_H
#define ENCODING_BITPACK_KERNEL_H

#include "encoding/bitpack.h"

#define UNPACK_GROUP 8

/* No call of a kernel has more groups than a vector. */
#define GROUPS_PER_VECTOR (VECTOR_LENGTH / UNPACK_GROUP)

/*
 * Folding forms are called with multiples of so many groups: 64 values, which
 * is a word of a mask and a whole number of steps of every kernel.
 */
#define FOLD_GROUPS 8

/* No kernel may ask for more read_ahead or least_length than this. */
#define UNPACK_MAX_READ_AHEAD 64

/*
 * Bytes of the bounce buffer.  The groups that remain when the next ones would
 * come closer than read_ahead to the end are shorter than read_ahead +
 * FOLD_GROUPS * width bytes; the kernel then reads as much as read_ahead, or
 * least_length, further.
 */
#define BOUNCE_LENGTH (2 * UNPACK_MAX_READ_AHEAD + FOLD_GROUPS * 64)

/*
 * Compilers that can make code for CPUs other than the build's, function by
 * function, and the CPUs they can do so for.
 */
#if defined(__x86_64__) && \
	(defined(__clang__) ? __clang_major__ >= 7 : __GNUC__ >= 8)
#define UNPACK_HAS_X86
#endif
#if defined(__aarch64__) && defined(__GNUC__) && \
	__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UNPACK_HAS_NEON
#endif

typedef struct PackedSum
{
	uint64_t	low;			/* the sum is low + high * 2^64 */
	uint64_t	high;
} PackedSum;

typedef struct PackedRange
{
	uint64_t	min;
	uint64_t	max;
} PackedRange;

/*
 * Unpack ngroups groups of width 1 to 64.  The input is ngroups * width bytes
 * long and may be read read_ahead bytes further or, if it is shorter than
 * least_length, that much further; the output may be written up to
 * DECODE_SLACK_VALUES - UNPACK_GROUP + 1 values further.
 */
typedef void (*UnpackGroups) (const uint8_t *in, size_t ngroups, int width,
							  void *out);

/* The same, with base added to each value. */
typedef void (*UnpackAddGroups) (const uint8_t *in, size_t ngroups, int width,
								 uint64_t base, void *out);

/* Each output is the one before, plus step, plus the value. */
typedef void (*UnpackDeltaGroups) (const uint8_t *in, size_t ngroups, int width,
								   uint64_t before, uint64_t step, void *out);

/*
 * Folding forms take multiples of FOLD_GROUPS groups.  Unpack, and return the
 * largest value or max, whichever is larger:
 */
typedef uint64_t (*UnpackMaxGroups) (const uint8_t *in, size_t ngroups,
									 int width, uint64_t max, void *out);

/*
 * Write a word of the mask for 64 values: is value - low at most span?  Both
 * are below 2^width, and low + span, too.
 */
typedef void (*BetweenGroups) (const uint8_t *in, size_t ngroups, int width,
							   uint64_t low, uint64_t span, uint64_t *mask);

/* Add to the sum. */
typedef void (*SumGroups) (const uint8_t *in, size_t ngroups, int width,
						   PackedSum *sum);

/* Widen the range. */
typedef void (*MinMaxGroups) (const uint8_t *in, size_t ngroups, int width,
							  PackedRange *range);

/* How a vector kernel unpacks a width: see each. */
typedef enum UnpackWay
{
	UNPACK_NEAR,				/* values lie near enough for one load */
	UNPACK_APART,				/* they do not */
	UNPACK_WIDE					/* they reach over their words */
} UnpackWay;

#define UNPACK_NOUTPUTS 4

typedef struct UnpackMethod
{
	bool		(*is_available) (void); /* NULL: on every CPU */
	size_t		read_ahead;		/* bytes read behind the last group at most */
	size_t		least_length;	/* to shorter input this much is added, too */
	bool		copies_native;	/* width = output's: use raw_decode instead */
	UnpackGroups groups[UNPACK_NOUTPUTS];	/* by output of 1, 2, 4, 8 bytes */

	/* fused forms, or NULL */
	UnpackAddGroups add[UNPACK_NOUTPUTS];
	UnpackDeltaGroups delta[UNPACK_NOUTPUTS];
	UnpackMaxGroups max[UNPACK_NOUTPUTS];
	BetweenGroups between;
	SumGroups	sum;
	MinMaxGroups min_max;
} UnpackMethod;

/* How a call divides: peel and tail go through the bounce buffer. */
typedef struct UnpackPlan
{
	size_t		peel;			/* values before the first group boundary */
	size_t		fast_groups;	/* groups unpacked in place */
	size_t		tail_groups;	/* groups too close to the end of the input */
} UnpackPlan;

extern const UnpackMethod unpack_method_bit;
extern const UnpackMethod unpack_method_word;
extern const UnpackMethod unpack_method_bytes;
extern const UnpackMethod unpack_method_special;
#ifdef UNPACK_HAS_NEON
extern const UnpackMethod unpack_method_neon;
#endif
#ifdef UNPACK_HAS_X86
extern const UnpackMethod unpack_method_avx2;
extern const UnpackMethod unpack_method_avx512;
#endif

/* The method of a kernel, or NULL if this CPU (or build) has none such. */
extern const UnpackMethod *unpack_method_find(UnpackKernel kernel);

/* The values of a call: nvalues of them, from value number start on. */
typedef struct PackedValues
{
	const uint8_t *in;
	size_t		in_length;
	size_t		start;
	size_t		nvalues;
	int			width;
} PackedValues;

/* Index of an output's size in UnpackMethod's arrays, or -1. */
extern int	unpack_output_index(int out_size);

/* Is the width possible, and the input long enough? */
extern bool packed_is_valid(const PackedValues *packed);

extern void unpack_plan(const UnpackMethod *method, const PackedValues *packed,
						UnpackPlan *plan);

/*
 * The groups of a call, run by run: in place a vector at a time, then those at
 * the end of the input from the bounce buffer.
 */
typedef struct GroupWalk
{
	const uint8_t *in;			/* of the next group */
	size_t		length;			/* of the input from there on */
	size_t		fast_groups;	/* still to come */
	size_t		tail_groups;
	size_t		behind;			/* zeros behind bounced groups */
	int			width;
	uint8_t		bounce[BOUNCE_LENGTH];
} GroupWalk;

/* Walk over ngroups groups, in multiples of step; in begins with the first. */
extern void group_walk_begin(GroupWalk *walk, const UnpackMethod *method,
							 const uint8_t *in, size_t length, int width,
							 size_t ngroups, size_t step);

/* The next run, and how many groups it has: 0 at the end. */
extern size_t group_walk_next(GroupWalk *walk, const uint8_t **in);

/* What bitpack.h has, with the given method. */
extern bool unpack_run(const UnpackMethod *method,
					   const PackedValues *packed, void *out, int out_size);
extern bool unpack_add_run(const UnpackMethod *method,
						   const PackedValues *packed, uint64_t base,
						   void *out, int out_size);
extern bool unpack_delta_run(const UnpackMethod *method,
							 const PackedValues *packed, uint64_t first,
							 uint64_t step, void *out, int out_size);
extern bool unpack_max_run(const UnpackMethod *method,
						   const PackedValues *packed, void *out,
						   int out_size, uint64_t *max);
extern bool between_run(const UnpackMethod *method, const PackedValues *packed,
						uint64_t low, uint64_t high, uint64_t *mask);
extern bool sum_run(const UnpackMethod *method, const PackedValues *packed,
					PackedSum *sum);
extern bool min_max_run(const UnpackMethod *method, const PackedValues *packed,
						PackedRange *range);

/* Bits that a value of this width has. */
static inline uint64_t
unpack_mask(int width)
{
	return width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

/* Bits from the byte that a value begins in to its end, at most. */
static inline int
unpack_window(int width)
{
	int			odd = width & -width;	/* starts are multiples of this */

	return odd >= 8 ? width : width + 8 - odd;
}

/* Add low + high * 2^32 to the sum. */
static inline void
packed_sum_add(PackedSum *sum, uint64_t low, uint64_t high)
{
	sum->low += low;
	sum->high += sum->low < low;
	low = high << 32;
	sum->low += low;
	sum->high += (high >> 32) + (sum->low < low);
}

#endif							/* ENCODING_BITPACK_KERNEL_H */
