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
	[UNPACK_SPECIAL] = &unpack_method_special
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

bool
bitpack_unpack(const uint8_t *in, size_t in_length, size_t start,
			   size_t nvalues, int width, void *out, int out_size)
{
	if (current_method == NULL)
		current_method = method_choose();
	return unpack_run(current_method, in, in_length, start, nvalues, width,
					  out, out_size);
}

bool
bitpack_unpack_with(UnpackKernel kernel, const uint8_t *in, size_t in_length,
					size_t start, size_t nvalues, int width,
					void *out, int out_size)
{
	const UnpackMethod *method = unpack_method_find(kernel);

	return method != NULL &&
		unpack_run(method, in, in_length, start, nvalues, width, out, out_size);
}
