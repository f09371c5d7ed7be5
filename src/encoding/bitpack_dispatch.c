/*
 * bitpack_dispatch.c
 *		Which unpack kernel runs.
 *
 * A kernel for one more CPU gets an entry in the table, after those it is
 * faster than; nothing else changes.  The choice is made at the first use and
 * is one pointer, read once per call.
 */
#include "encoding/bitpack_kernel.h"

/* By UnpackKernel; AUTO takes the last one that is available. */
static const UnpackMethod *const methods[] = {
	NULL,						/* UNPACK_AUTO */
	&unpack_method_bit,
	&unpack_method_word,
	&unpack_method_bytes,
	&unpack_method_special
};

#define NMETHODS ((int) (sizeof(methods) / sizeof(methods[0])))

/* NULL until the first use. */
static const UnpackMethod *current_method = NULL;

static bool
method_is_available(const UnpackMethod *method)
{
	return method->is_available == NULL || method->is_available();
}

static const UnpackMethod *
method_choose(void)
{
	int			kernel = NMETHODS - 1;

	while (!method_is_available(methods[kernel]))
		kernel--;				/* stops at the latest at UNPACK_BIT */
	return methods[kernel];
}

const UnpackMethod *
unpack_method_find(UnpackKernel kernel)
{
	if (kernel == UNPACK_AUTO)
		return method_choose();
	if ((int) kernel < 0 || (int) kernel >= NMETHODS ||
		!method_is_available(methods[kernel]))
		return NULL;
	return methods[kernel];
}

/* A kernel that this CPU does not have counts as UNPACK_AUTO. */
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
