/*
 * bitpack_kernel.h
 *		What an unpack kernel is; for bitpack.c, the kernels and their tests.
 *
 * A kernel unpacks whole groups of eight values.  Eight values of any width
 * begin and end at a byte, so a kernel never sees a start bit, an odd count
 * or the end of the input: bitpack.c peels to the first group boundary and
 * brings the last bytes to a buffer that may be read beyond (the bounce
 * buffer).  A kernel for another CPU is one more UnpackMethod in the table.
 */
#ifndef ENCODING_BITPACK_KERNEL_H
#define ENCODING_BITPACK_KERNEL_H

#include "encoding/bitpack.h"

#define UNPACK_GROUP 8

/* No kernel may ask for more read_ahead than this. */
#define UNPACK_MAX_READ_AHEAD 64

/*
 * Unpack ngroups groups of width 1 to 64.  The input is ngroups * width bytes
 * long and may be read read_ahead bytes further; the output may be written up
 * to DECODE_SLACK_VALUES further.
 */
typedef void (*UnpackGroups) (const uint8_t *in, size_t ngroups, int width,
							  void *out);

typedef struct UnpackMethod
{
	bool		(*is_available) (void); /* NULL: on every CPU */
	size_t		read_ahead;		/* bytes read behind the last group at most */
	bool		copies_native;	/* width = output's: use raw_decode instead */
	UnpackGroups groups[4];		/* by output of 1, 2, 4, 8 bytes */
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

/* The method of a kernel, or NULL if this CPU (or build) has none such. */
extern const UnpackMethod *unpack_method_find(UnpackKernel kernel);

extern void unpack_plan(const UnpackMethod *method, size_t in_length,
						size_t start, size_t nvalues, int width,
						UnpackPlan *plan);
extern bool unpack_run(const UnpackMethod *method,
					   const uint8_t *in, size_t in_length, size_t start,
					   size_t nvalues, int width, void *out, int out_size);

/* Bits that a value of this width has. */
static inline uint64_t
unpack_mask(int width)
{
	return width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

#endif							/* ENCODING_BITPACK_KERNEL_H */
