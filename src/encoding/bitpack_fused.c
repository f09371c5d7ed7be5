/*
 * bitpack_fused.c
 *		Unpacking and what is done with the values, in one pass.
 *
 * Unpacking forms give out values: plus a base, summed up as deltas, or along
 * with the largest.  Folding forms give out none: which are in a range, their
 * sum, the least and the largest.
 *
 * A kernel that has a form runs it on the whole groups, of folding forms on
 * multiples of 64 values, from a start at a group boundary.  What is left, and
 * all of it where there is no such kernel or start, is unpacked and then
 * passed over, here.
 */
#include "encoding/bitpack_kernel.h"

/* Values that a pass takes at once, so that compilers vectorise it. */
#define PASS_STEP 16

/* The passes over outputs of one size; the last step of add may be spare. */
#define DEFINE_PASSES(bits) \
static void \
add_u##bits(void *out, size_t nvalues, uint64_t base) \
{ \
	uint##bits##_t addend = (uint##bits##_t) base; \
\
	for (size_t i = 0; i < nvalues; i += PASS_STEP) \
	{ \
		uint##bits##_t *step = (uint##bits##_t *) out + i; \
\
		for (int k = 0; k < PASS_STEP; k++) \
			step[k] = (uint##bits##_t) (step[k] + addend); \
	} \
} \
\
static void \
delta_u##bits(void *out, size_t nvalues, uint64_t before, uint64_t step) \
{ \
	uint##bits##_t *values = out; \
	uint##bits##_t value = (uint##bits##_t) before; \
	uint##bits##_t addend = (uint##bits##_t) step; \
\
	for (size_t i = 0; i < nvalues; i++) \
	{ \
		value = (uint##bits##_t) (value + (uint##bits##_t) (values[i] + addend)); \
		values[i] = value; \
	} \
} \
\
static uint64_t \
max_u##bits(const void *out, size_t nvalues, uint64_t max) \
{ \
	const uint##bits##_t *values = out; \
	uint##bits##_t largest = (uint##bits##_t) max; \
\
	for (size_t i = 0; i < nvalues; i++) \
		largest = values[i] > largest ? values[i] : largest; \
	return largest; \
} \
\
static uint64_t \
last_u##bits(const void *out, size_t nvalues) \
{ \
	return ((const uint##bits##_t *) out)[nvalues - 1]; \
}

DEFINE_PASSES(8)
DEFINE_PASSES(16)
DEFINE_PASSES(32)
DEFINE_PASSES(64)

typedef void (*AddPass) (void *out, size_t nvalues, uint64_t base);
typedef void (*DeltaPass) (void *out, size_t nvalues, uint64_t before,
						   uint64_t step);
typedef uint64_t (*MaxPass) (const void *out, size_t nvalues, uint64_t max);
typedef uint64_t (*LastValue) (const void *out, size_t nvalues);

static const AddPass add_passes[UNPACK_NOUTPUTS] = {
	add_u8, add_u16, add_u32, add_u64
};
static const DeltaPass delta_passes[UNPACK_NOUTPUTS] = {
	delta_u8, delta_u16, delta_u32, delta_u64
};
static const MaxPass max_passes[UNPACK_NOUTPUTS] = {
	max_u8, max_u16, max_u32, max_u64
};
static const LastValue last_values[UNPACK_NOUTPUTS] = {
	last_u8, last_u16, last_u32, last_u64
};

/* Can a fused kernel that there is take these values, or the first of them? */
static bool
can_fuse(const PackedValues *packed)
{
	return packed->width > 0 && packed->nvalues > 0 &&
		packed->start % UNPACK_GROUP == 0;
}

/* Of an unpacking form: is the output's size one that the values fit in? */
static bool
output_is_valid(const PackedValues *packed, int out_size)
{
	return unpack_output_index(out_size) >= 0 &&
		packed->width <= 8 * out_size && packed_is_valid(packed);
}

/* Walk over the groups of values that can be fused, ngroups of them. */
static void
walk_begin(GroupWalk *walk, const UnpackMethod *method,
		   const PackedValues *packed, size_t ngroups, size_t step)
{
	size_t		offset = packed->start / UNPACK_GROUP * packed->width;

	group_walk_begin(walk, method, packed->in + offset,
					 packed->in_length - offset, packed->width, ngroups, step);
}

/* Groups of the values, where a last group of fewer than eight is one, too. */
static size_t
all_groups(const PackedValues *packed)
{
	return (packed->nvalues + UNPACK_GROUP - 1) / UNPACK_GROUP;
}

/* Groups that a folding kernel takes. */
static size_t
fold_groups(const PackedValues *packed)
{
	return packed->nvalues / UNPACK_GROUP / FOLD_GROUPS * FOLD_GROUPS;
}

/* What is left of the values behind so many groups. */
static PackedValues
values_behind(const PackedValues *packed, size_t ngroups)
{
	PackedValues rest = *packed;

	rest.start += ngroups * UNPACK_GROUP;
	rest.nvalues -= ngroups * UNPACK_GROUP;
	return rest;
}

bool
unpack_add_run(const UnpackMethod *method, const PackedValues *packed,
			   uint64_t base, void *out, int out_size)
{
	int			index = unpack_output_index(out_size);
	uint8_t    *next = out;
	const uint8_t *run;
	size_t		ngroups;
	GroupWalk	walk;

	if (!output_is_valid(packed, out_size))
		return false;
	if (method->add[index] == NULL || !can_fuse(packed))
	{
		if (!unpack_run(method, packed, out, out_size))
			return false;
		add_passes[index] (out, packed->nvalues, base);
		return true;
	}

	walk_begin(&walk, method, packed, all_groups(packed), 1);
	while ((ngroups = group_walk_next(&walk, &run)) > 0)
	{
		method->add[index] (run, ngroups, packed->width, base, next);
		next += ngroups * UNPACK_GROUP * out_size;
	}
	return true;
}

bool
unpack_delta_run(const UnpackMethod *method, const PackedValues *packed,
				 uint64_t first, uint64_t step, void *out, int out_size)
{
	int			index = unpack_output_index(out_size);
	uint64_t	before = first - step;
	uint8_t    *next = out;
	const uint8_t *run;
	size_t		ngroups;
	GroupWalk	walk;

	if (!output_is_valid(packed, out_size))
		return false;
	if (method->delta[index] == NULL || !can_fuse(packed))
	{
		if (!unpack_run(method, packed, out, out_size))
			return false;
		delta_passes[index] (out, packed->nvalues, before, step);
		return true;
	}

	walk_begin(&walk, method, packed, all_groups(packed), 1);
	while ((ngroups = group_walk_next(&walk, &run)) > 0)
	{
		method->delta[index] (run, ngroups, packed->width, before, step, next);
		before = last_values[index] (next, ngroups * UNPACK_GROUP);
		next += ngroups * UNPACK_GROUP * out_size;
	}
	return true;
}

bool
unpack_max_run(const UnpackMethod *method, const PackedValues *packed,
			   void *out, int out_size, uint64_t *max)
{
	int			index = unpack_output_index(out_size);
	size_t		done = 0;
	uint8_t    *next = out;
	PackedValues rest;

	if (!output_is_valid(packed, out_size))
		return false;
	*max = 0;
	if (method->max[index] != NULL && can_fuse(packed))
	{
		GroupWalk	walk;
		const uint8_t *run;
		size_t		ngroups;

		done = fold_groups(packed);
		walk_begin(&walk, method, packed, done, FOLD_GROUPS);
		while ((ngroups = group_walk_next(&walk, &run)) > 0)
		{
			*max = method->max[index] (run, ngroups, packed->width, *max, next);
			next += ngroups * UNPACK_GROUP * out_size;
		}
	}

	rest = values_behind(packed, done);
	if (!unpack_run(method, &rest, next, out_size))
		return false;
	*max = max_passes[index] (next, rest.nvalues, *max);
	return true;
}

/*
 * A folding form: what it does with groups, by a kernel, and with values, and
 * what that needs to know.
 */
typedef struct Fold Fold;

struct Fold
{
	void		(*groups) (Fold *fold, const uint8_t *in, size_t ngroups);
	void		(*values) (Fold *fold, const uint64_t *values, size_t nvalues);
	bool		has_kernel;		/* that groups calls */
	const UnpackMethod *method;
	int			width;

	uint64_t	low;			/* of between */
	uint64_t	span;
	uint64_t   *mask;			/* next word to write */
	PackedSum	sum;
	PackedRange range;
};

/* All the values, a vector at a time. */
static bool
fold_values(Fold *fold, const PackedValues *packed)
{
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	PackedValues part = *packed;
	size_t		left = packed->nvalues;

	for (; left > 0; left -= part.nvalues)
	{
		part.nvalues = left < VECTOR_LENGTH ? left : VECTOR_LENGTH;
		if (!unpack_run(fold->method, &part, values, sizeof(uint64_t)))
			return false;
		fold->values(fold, values, part.nvalues);
		part.start += part.nvalues;
		ENCODING_CHECK_INTERRUPTS();
	}
	return true;
}

static bool
fold_run(Fold *fold, const PackedValues *packed)
{
	size_t		done = 0;
	PackedValues rest;

	if (fold->has_kernel && can_fuse(packed))
	{
		GroupWalk	walk;
		const uint8_t *run;
		size_t		ngroups;

		done = fold_groups(packed);
		walk_begin(&walk, fold->method, packed, done, FOLD_GROUPS);
		while ((ngroups = group_walk_next(&walk, &run)) > 0)
			fold->groups(fold, run, ngroups);
	}
	rest = values_behind(packed, done);
	return rest.nvalues == 0 || fold_values(fold, &rest);
}

static void
fold_init(Fold *fold, const UnpackMethod *method, const PackedValues *packed)
{
	fold->method = method;
	fold->width = packed->width;
}

static void
between_groups(Fold *fold, const uint8_t *in, size_t ngroups)
{
	fold->method->between(in, ngroups, fold->width, fold->low, fold->span,
						  fold->mask);
	fold->mask += ngroups / FOLD_GROUPS;
}

/* A word of the mask from up to 64 values. */
static uint64_t
between_word(const Fold *fold, const uint64_t *values, size_t nvalues)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < nvalues; i++)
		word |= (uint64_t) (values[i] - fold->low <= fold->span) << i;
	return word;
}

/* Whole words but for the last call. */
static void
between_values(Fold *fold, const uint64_t *values, size_t nvalues)
{
	for (; nvalues >= 64; nvalues -= 64)
	{
		*fold->mask++ = between_word(fold, values, 64);
		values += 64;
	}
	if (nvalues > 0)
		*fold->mask++ = between_word(fold, values, nvalues);
}

static void
fill_mask(uint64_t *mask, size_t nvalues, bool is_set)
{
	size_t		nwords = nvalues / 64;

	memset(mask, is_set ? 0xff : 0, nwords * sizeof(uint64_t));
	if (nvalues % 64 > 0)
		mask[nwords] = is_set ? unpack_mask((int) (nvalues % 64)) : 0;
}

bool
between_run(const UnpackMethod *method, const PackedValues *packed,
			uint64_t low, uint64_t high, uint64_t *mask)
{
	uint64_t	largest;
	Fold		fold;

	if (!packed_is_valid(packed))
		return false;

	/* what is told by the width alone */
	largest = unpack_mask(packed->width);
	if (high > largest)
		high = largest;
	if (low > high || (low == 0 && high == largest))
	{
		fill_mask(mask, packed->nvalues, low <= high);
		return true;
	}

	fold_init(&fold, method, packed);
	fold.groups = between_groups;
	fold.values = between_values;
	fold.has_kernel = method->between != NULL;
	fold.low = low;
	fold.span = high - low;
	fold.mask = mask;
	return fold_run(&fold, packed);
}

static void
sum_groups(Fold *fold, const uint8_t *in, size_t ngroups)
{
	fold->method->sum(in, ngroups, fold->width, &fold->sum);
}

/* Halves of the values of a vector add up without a carry. */
static void
sum_values(Fold *fold, const uint64_t *values, size_t nvalues)
{
	uint64_t	low = 0;
	uint64_t	high = 0;

	for (size_t i = 0; i < nvalues; i++)
	{
		low += (uint32_t) values[i];
		high += values[i] >> 32;
	}
	packed_sum_add(&fold->sum, low, high);
}

bool
sum_run(const UnpackMethod *method, const PackedValues *packed,
		PackedSum *sum)
{
	Fold		fold;

	if (!packed_is_valid(packed))
		return false;
	fold_init(&fold, method, packed);
	fold.groups = sum_groups;
	fold.values = sum_values;
	fold.has_kernel = method->sum != NULL;
	fold.sum.low = 0;
	fold.sum.high = 0;
	if (packed->width > 0 && !fold_run(&fold, packed))
		return false;
	*sum = fold.sum;
	return true;
}

static void
min_max_groups(Fold *fold, const uint8_t *in, size_t ngroups)
{
	fold->method->min_max(in, ngroups, fold->width, &fold->range);
}

static void
min_max_values(Fold *fold, const uint64_t *values, size_t nvalues)
{
	uint64_t	min = fold->range.min;
	uint64_t	max = fold->range.max;

	for (size_t i = 0; i < nvalues; i++)
	{
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	fold->range.min = min;
	fold->range.max = max;
}

bool
min_max_run(const UnpackMethod *method, const PackedValues *packed,
			PackedRange *range)
{
	Fold		fold;

	if (!packed_is_valid(packed))
		return false;
	fold_init(&fold, method, packed);
	fold.groups = min_max_groups;
	fold.values = min_max_values;
	fold.has_kernel = method->min_max != NULL;
	fold.range.min = UINT64_MAX;
	fold.range.max = 0;
	if (!fold_run(&fold, packed))
		return false;
	*range = fold.range;
	return true;
}
