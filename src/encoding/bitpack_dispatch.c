/*
 * bitpack_dispatch.c
 *		Which unpack kernel runs.
 *
 * A kernel for one more CPU gets an entry in the table, after those it is
 * faster than; nothing else changes.  The choice is made at the first use and
 * is one pointer, read once per call.
 */
#include "encoding/bitpack_kernel.h"

static const char *const kernel_names[UNPACK_NKERNELS] = {
	"auto", "bit", "word", "bytes", "spec", "neon", "avx2", "avx512"
};

/* NULL where this build has no such kernel; AUTO takes the last there is. */
static const UnpackMethod *const methods[UNPACK_NKERNELS] = {
	[UNPACK_BIT] = &unpack_method_bit,
	[UNPACK_WORD] = &unpack_method_word,
	[UNPACK_BYTES] = &unpack_method_bytes,
	[UNPACK_SPECIAL] = &unpack_method_special,
#ifdef UNPACK_HAS_NEON
	[UNPACK_NEON] = &unpack_method_neon,
#endif
#ifdef UNPACK_HAS_X86
	[UNPACK_AVX2] = &unpack_method_avx2,
	[UNPACK_AVX512] = &unpack_method_avx512,
#endif
};

/* NULL until the first use. */
static const UnpackMethod *current_method = NULL;

static bool
kernel_is_available(int kernel)
{
	const UnpackMethod *method = methods[kernel];

	return method != NULL &&
		(method->is_available == NULL || method->is_available());
}

static const UnpackMethod *
method_choose(void)
{
	int			kernel = UNPACK_NKERNELS - 1;

	while (!kernel_is_available(kernel))
		kernel--;				/* stops at UNPACK_SPECIAL if not before */
	return methods[kernel];
}

const UnpackMethod *
unpack_method_find(UnpackKernel kernel)
{
	if (kernel == UNPACK_AUTO)
		return method_choose();
	if ((int) kernel < 0 || kernel >= UNPACK_NKERNELS ||
		!kernel_is_available(kernel))
		return NULL;
	return methods[kernel];
}

bool
bitpack_kernel_is_available(UnpackKernel kernel)
{
	return unpack_method_find(kernel) != NULL;
}

const char *
bitpack_kernel_name(UnpackKernel kernel)
{
	return kernel_names[kernel];
}

void
bitpack_set_kernel(UnpackKernel kernel)
{
	current_method = unpack_method_find(kernel);
	if (current_method == NULL)
		current_method = method_choose();
}

/* The method that runs. */
static inline const UnpackMethod *
method_current(void)
{
	if (current_method == NULL)
		current_method = method_choose();
	return current_method;
}

bool
bitpack_unpack(const uint8_t *in, size_t in_length, size_t start,
			   size_t nvalues, int width, void *out, int out_size)
{
	PackedValues packed = {in, in_length, start, nvalues, width};

	return unpack_run(method_current(), &packed, out, out_size);
}

bool
bitpack_unpack_with(UnpackKernel kernel, const uint8_t *in, size_t in_length,
					size_t start, size_t nvalues, int width,
					void *out, int out_size)
{
	PackedValues packed = {in, in_length, start, nvalues, width};
	const UnpackMethod *method = unpack_method_find(kernel);

	return method != NULL && unpack_run(method, &packed, out, out_size);
}

bool
bitpack_unpack_add(const uint8_t *in, size_t in_length, size_t start,
				   size_t nvalues, int width, uint64_t base,
				   void *out, int out_size)
{
	PackedValues packed = {in, in_length, start, nvalues, width};

	return unpack_add_run(method_current(), &packed, base, out, out_size);
}

bool
bitpack_unpack_delta(const uint8_t *in, size_t in_length, size_t start,
					 size_t nvalues, int width, uint64_t first, uint64_t step,
					 void *out, int out_size)
{
	PackedValues packed = {in, in_length, start, nvalues, width};

	return unpack_delta_run(method_current(), &packed, first, step, out,
							out_size);
}

bool
bitpack_unpack_max(const uint8_t *in, size_t in_length, size_t start,
				   size_t nvalues, int width, void *out, int out_size,
				   uint64_t *max)
{
	PackedValues packed = {in, in_length, start, nvalues, width};

	return unpack_max_run(method_current(), &packed, out, out_size, max);
}

bool
bitpack_between(const uint8_t *in, size_t in_length, size_t start,
				size_t nvalues, int width, uint64_t low, uint64_t high,
				uint64_t *mask)
{
	PackedValues packed = {in, in_length, start, nvalues, width};

	return between_run(method_current(), &packed, low, high, mask);
}

bool
bitpack_sum(const uint8_t *in, size_t in_length, size_t start, size_t nvalues,
			int width, uint64_t *low, uint64_t *high)
{
	PackedValues packed = {in, in_length, start, nvalues, width};
	PackedSum	sum;

	if (!sum_run(method_current(), &packed, &sum))
		return false;
	*low = sum.low;
	*high = sum.high;
	return true;
}

bool
bitpack_min_max(const uint8_t *in, size_t in_length, size_t start,
				size_t nvalues, int width, uint64_t *min, uint64_t *max)
{
	PackedValues packed = {in, in_length, start, nvalues, width};
	PackedRange range;

	if (!min_max_run(method_current(), &packed, &range))
		return false;
	*min = range.min;
	*max = range.max;
	return true;
}
