/*
 * fuzz_bitpack.c
 *		Unpacking of arbitrary bytes: all kernels agree on values and verdict,
 *		as do their fused forms.
 *
 *	offset	size	input
 *	0		1		width
 *	1		1		output size
 *	2		2		start, at most 4095
 *	4		2		number of values, at most 4095
 *	6				packed bytes
 */
#include "encoding/bitpack_kernel.h"
#include "fuzz.h"

#define MAX_VALUES 4095

static uint8_t want[(MAX_VALUES + DECODE_SLACK_VALUES) * 8];
static uint8_t got[(MAX_VALUES + DECODE_SLACK_VALUES) * 8];

/* Values that were unpacked pack to the same bits. */
static void
check_pack(const uint8_t *in, size_t start, size_t nvalues, int width)
{
	uint8_t		packed[MAX_VALUES * 8];
	uint64_t	again[MAX_VALUES + DECODE_SLACK_VALUES];
	size_t		length = bitpack_length(nvalues, width);

	bitpack_pack((uint64_t *) want, nvalues, width, packed);
	FUZZ_CHECK(bitpack_padding_is_zero(packed, nvalues, width));
	FUZZ_CHECK(bitpack_unpack(packed, length, 0, nvalues, width, again, 8));
	FUZZ_CHECK(memcmp(again, want, nvalues * 8) == 0);
	if (start == 0 && bitpack_padding_is_zero(in, nvalues, width))
		FUZZ_CHECK(memcmp(packed, in, length) == 0);
}

/* What the fused forms are given and should give. */
typedef struct FormCase
{
	PackedValues packed;
	int			out_size;
	bool		is_valid;
	uint64_t	base;
	uint64_t	step;
	uint64_t	low;
	uint64_t	high;
	uint64_t	mask[MAX_VALUES / 64 + 1];
	PackedSum	sum;
	PackedRange range;
} FormCase;

static uint64_t added[MAX_VALUES];
static uint64_t summed[MAX_VALUES];

/* Work out what comes of the values that the oracle has unpacked to 64 bits. */
static void
work_out(FormCase *form, const uint64_t *values)
{
	uint64_t	value = form->base - form->step;

	form->range.min = UINT64_MAX;
	for (size_t i = 0; i < form->packed.nvalues; i++)
	{
		added[i] = form->base + values[i];
		value += form->step + values[i];
		summed[i] = value;
		if (values[i] > form->range.max)
			form->range.max = values[i];
		if (values[i] < form->range.min)
			form->range.min = values[i];
		if (values[i] >= form->low && values[i] <= form->high)
			form->mask[i / 64] |= UINT64_C(1) << (i % 64);
		form->sum.low += values[i];
		form->sum.high += form->sum.low < values[i];
	}
}

static uint64_t
got_value(size_t i, int out_size)
{
	uint64_t	value = 0;

	for (int byte = 0; byte < out_size; byte++)
		value |= (uint64_t) got[i * out_size + byte] << (8 * byte);
	return value;
}

static void
check_output(const FormCase *form, const uint64_t *values)
{
	for (size_t i = 0; i < form->packed.nvalues; i++)
		FUZZ_CHECK(got_value(i, form->out_size) ==
				   (values[i] & unpack_mask(8 * form->out_size)));
}

/* Forms with an output, which its size may make invalid. */
static void
check_outputs(const UnpackMethod *method, const FormCase *form,
			  const uint64_t *values)
{
	uint64_t	max;

	FUZZ_CHECK(unpack_add_run(method, &form->packed, form->base, got,
							  form->out_size) == form->is_valid);
	if (form->is_valid)
		check_output(form, added);
	FUZZ_CHECK(unpack_delta_run(method, &form->packed, form->base, form->step,
								got, form->out_size) == form->is_valid);
	if (form->is_valid)
		check_output(form, summed);
	FUZZ_CHECK(unpack_max_run(method, &form->packed, got, form->out_size,
							  &max) == form->is_valid);
	if (form->is_valid)
	{
		check_output(form, values);
		FUZZ_CHECK(max == form->range.max);
	}
}

static void
check_folds(const UnpackMethod *method, const FormCase *form, bool is_valid)
{
	uint64_t	mask[MAX_VALUES / 64 + 1];
	PackedSum	sum;
	PackedRange range;

	FUZZ_CHECK(between_run(method, &form->packed, form->low, form->high,
						   mask) == is_valid);
	FUZZ_CHECK(sum_run(method, &form->packed, &sum) == is_valid);
	FUZZ_CHECK(min_max_run(method, &form->packed, &range) == is_valid);
	if (!is_valid)
		return;
	FUZZ_CHECK(memcmp(mask, form->mask, (form->packed.nvalues + 63) / 64 * 8) == 0);
	FUZZ_CHECK(sum.low == form->sum.low && sum.high == form->sum.high);
	FUZZ_CHECK(range.min == form->range.min && range.max == form->range.max);
}

/* Bounds are two of the values, or the second is some of the packed bytes. */
static void
check_forms(const PackedValues *packed, int out_size)
{
	static uint64_t values[MAX_VALUES + DECODE_SLACK_VALUES];
	FormCase	form = {*packed, out_size};
	size_t		nvalues = packed->nvalues;
	bool		is_valid = unpack_run(unpack_method_find(UNPACK_BIT), packed,
									  values, sizeof(uint64_t));
	size_t		nbytes = packed->in_length < 8 ? packed->in_length : 8;

	form.is_valid = is_valid && (out_size == 1 || out_size == 2 ||
								 out_size == 4 || out_size == 8) &&
		packed->width <= 8 * out_size;
	memcpy(&form.base, packed->in, nbytes);
	memcpy(&form.step, packed->in + packed->in_length - nbytes, nbytes);
	if (is_valid)
	{
		form.low = nvalues > 0 ? values[nvalues / 2] : form.step;
		form.high = nvalues > 0 && (form.step & 1) ? values[nvalues - 1] : form.base;
		work_out(&form, values);
	}
	for (int kernel = UNPACK_BIT; kernel < UNPACK_NKERNELS; kernel++)
	{
		const UnpackMethod *method = unpack_method_find(kernel);

		if (method == NULL)
			continue;
		check_outputs(method, &form, values);
		check_folds(method, &form, is_valid);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t		head[6];
	int			width;
	int			out_size;
	size_t		start;
	size_t		nvalues;
	uint8_t    *in;
	PackedValues packed;
	bool		is_valid;

	fuzz_take(&data, &size, head, sizeof(head));
	width = (int8_t) head[0];
	out_size = head[1] % 10;
	start = (head[2] | head[3] << 8) & 4095;
	nvalues = (head[4] | head[5] << 8) & MAX_VALUES;
	in = fuzz_copy(data, size);
	packed = (PackedValues) {in, size, start, nvalues, width};

	is_valid = bitpack_unpack_with(UNPACK_BIT, in, size, start, nvalues, width,
								   want, out_size);
	for (int kernel = UNPACK_WORD; kernel < UNPACK_NKERNELS; kernel++)
	{
		if (unpack_method_find(kernel) == NULL)
			continue;
		FUZZ_CHECK(bitpack_unpack_with(kernel, in, size, start, nvalues, width,
									   got, out_size) == is_valid);
		if (is_valid)
			FUZZ_CHECK(memcmp(got, want, nvalues * out_size) == 0);
	}
	if (is_valid && out_size == 8)
		check_pack(in, start, nvalues, width);
	check_forms(&packed, out_size);
	free(in);
	return 0;
}
