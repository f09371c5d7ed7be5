/*
 * bitpack.c
 *		Packing, and what all unpack kernels share.
 *
 * Whatever depends on where the input begins and ends is here, once: checks,
 * the values before the first group boundary, the last bytes, interrupts.
 * Kernels (bitpack_word.c and others) see whole groups only.
 *
 * Invariants:
 * (B1) No kernel reads behind in + in_length: groups within read_ahead bytes
 *		of the end are unpacked from a bounce buffer, where zeros follow.
 * (B2) At most UNPACK_GROUP - 1 spare values are written by this file; a
 *		kernel may add up to DECODE_SLACK_VALUES in all.
 * (B3) Pad bits are written as zero.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"
#include "encoding/raw.h"

/*
 * Pack up to a vector of values with a 64-bit accumulator.
 *
 * nvalues * width must be a multiple of 8 unless these are the last values.
 */
static uint8_t *
pack_block(const uint64_t *values, size_t nvalues, int width, uint8_t *out)
{
	uint64_t	word = 0;
	int			used = 0;		/* bits of word, always below 64 here */

	for (size_t i = 0; i < nvalues; i++)
	{
		uint64_t	value = values[i];

		ENCODING_ASSERT((value & ~unpack_mask(width)) == 0);
		word |= value << used;
		used += width;
		if (used >= 64)
		{
			store_le64(out, word);
			out += sizeof(word);
			used -= 64;
			/* used = 0 would shift by the width, which may be 64 */
			word = used > 0 ? value >> (width - used) : 0;
		}
	}

	for (; used > 0; used -= 8)
	{
		*out++ = (uint8_t) word;
		word >>= 8;
	}
	return out;
}

void
bitpack_pack(const uint64_t *values, size_t nvalues, int width, uint8_t *out)
{
	ENCODING_ASSERT(width >= 0 && width <= 64);
	if (width == 0)
		return;
	while (nvalues > VECTOR_LENGTH)
	{
		out = pack_block(values, VECTOR_LENGTH, width, out);
		values += VECTOR_LENGTH;
		nvalues -= VECTOR_LENGTH;
		ENCODING_CHECK_INTERRUPTS();
	}
	pack_block(values, nvalues, width, out);
}

bool
bitpack_padding_is_zero(const uint8_t *in, size_t nvalues, int width)
{
	int			used = (int) (((uint64_t) nvalues * (uint64_t) width) % 8);

	if (used == 0)
		return true;
	return in[bitpack_length(nvalues, width) - 1] >> used == 0;
}

int
unpack_output_index(int out_size)
{
	switch (out_size)
	{
		case 1:
			return 0;
		case 2:
			return 1;
		case 4:
			return 2;
		case 8:
			return 3;
		default:
			return -1;
	}
}

/* Counts may be anything: a sum or product that overflows is too much. */
bool
packed_is_valid(const PackedValues *packed)
{
	uint64_t	nvalues;
	uint64_t	nbits;

	if (packed->width < 0 || packed->width > 64)
		return false;
	if (packed->nvalues == 0 || packed->width == 0)
		return true;
	return !__builtin_add_overflow((uint64_t) packed->start,
								   (uint64_t) packed->nvalues, &nvalues) &&
		!__builtin_mul_overflow(nvalues, (uint64_t) packed->width, &nbits) &&
		nbits / 8 + (nbits % 8 > 0) <= packed->in_length;
}

/*
 * Of ngroups groups, how many can be unpacked in place (B1), in multiples of
 * step?  ngroups itself is one.
 */
static size_t
groups_in_place(const UnpackMethod *method, size_t length, int width,
				size_t ngroups, size_t step)
{
	size_t		fast = ngroups;
	size_t		last_run;

	if (length < ngroups * width + method->read_ahead)
		fast = length < method->read_ahead ? 0 :
			(length - method->read_ahead) / width / step * step;
	last_run = fast % GROUPS_PER_VECTOR;
	return last_run * width < method->least_length ? fast - last_run : fast;
}

void
group_walk_begin(GroupWalk *walk, const UnpackMethod *method,
				 const uint8_t *in, size_t length, int width, size_t ngroups,
				 size_t step)
{
	walk->in = in;
	walk->length = length;
	walk->width = width;
	walk->behind = method->read_ahead > method->least_length ?
		method->read_ahead : method->least_length;
	walk->fast_groups = groups_in_place(method, length, width, ngroups, step);
	walk->tail_groups = ngroups - walk->fast_groups;
}

/* Bring the last groups to where more may be read. (B1) */
static void
walk_bounce(GroupWalk *walk)
{
	size_t		length = walk->tail_groups * walk->width;
	size_t		have = length < walk->length ? length : walk->length;

	ENCODING_ASSERT(length + walk->behind <= BOUNCE_LENGTH);
	memcpy(walk->bounce, walk->in, have);
	memset(walk->bounce + have, 0, length - have + walk->behind);
}

size_t
group_walk_next(GroupWalk *walk, const uint8_t **in)
{
	size_t		ngroups = walk->fast_groups;

	if (ngroups == 0)
	{
		ngroups = walk->tail_groups;
		if (ngroups > 0)
			walk_bounce(walk);
		walk->tail_groups = 0;
		*in = walk->bounce;
		return ngroups;
	}
	if (ngroups >= GROUPS_PER_VECTOR)
	{
		ngroups = GROUPS_PER_VECTOR;
		ENCODING_CHECK_INTERRUPTS();
	}
	*in = walk->in;
	walk->in += ngroups * walk->width;
	walk->length -= ngroups * walk->width;
	walk->fast_groups -= ngroups;
	return ngroups;
}

/*
 * Divide a call of valid bounds and a width of at least 1.  A last group of
 * fewer than eight values counts as a group.
 */
void
unpack_plan(const UnpackMethod *method, const PackedValues *packed,
			UnpackPlan *plan)
{
	size_t		peel = (UNPACK_GROUP - packed->start % UNPACK_GROUP) % UNPACK_GROUP;
	size_t		ngroups;

	if (peel > packed->nvalues)
		peel = packed->nvalues;
	ngroups = (packed->nvalues - peel + UNPACK_GROUP - 1) / UNPACK_GROUP;

	plan->peel = peel;
	plan->fast_groups = 0;
	if (ngroups > 0)
	{
		size_t		offset = (packed->start + peel) / UNPACK_GROUP * packed->width;

		plan->fast_groups = groups_in_place(method, packed->in_length - offset,
											packed->width, ngroups, 1);
	}
	plan->tail_groups = ngroups - plan->fast_groups;
}

/* Unpack ngroups groups, in which length bytes of input begin. */
static void
unpack_groups(const UnpackMethod *method, UnpackGroups groups,
			  const uint8_t *in, size_t length, size_t ngroups, int width,
			  uint8_t *out, int out_size)
{
	GroupWalk	walk;
	const uint8_t *run;

	group_walk_begin(&walk, method, in, length, width, ngroups, 1);
	while ((ngroups = group_walk_next(&walk, &run)) > 0)
	{
		groups(run, ngroups, width, out);
		out += ngroups * UNPACK_GROUP * out_size;
	}
}

/* Unpack the values that share a group with values before the start. */
static size_t
unpack_peel(const UnpackMethod *method, UnpackGroups groups,
			const PackedValues *packed, void *out, int out_size)
{
	uint64_t	values[UNPACK_GROUP + DECODE_SLACK_VALUES];
	size_t		offset = packed->start / UNPACK_GROUP * packed->width;
	size_t		skip = packed->start % UNPACK_GROUP;
	size_t		peel = UNPACK_GROUP - skip;

	if (skip == 0)
		return 0;
	if (peel > packed->nvalues)
		peel = packed->nvalues;
	unpack_groups(method, groups, packed->in + offset,
				  packed->in_length - offset, 1, packed->width,
				  (uint8_t *) values, out_size);
	memcpy(out, (uint8_t *) values + skip * out_size, peel * out_size);
	return peel;
}

bool
unpack_run(const UnpackMethod *method, const PackedValues *packed, void *out,
		   int out_size)
{
	int			index = unpack_output_index(out_size);
	int			width = packed->width;
	size_t		nvalues = packed->nvalues;
	size_t		peel;
	size_t		offset;

	if (index < 0 || width > out_size * 8 || !packed_is_valid(packed))
		return false;
	if (nvalues == 0)
		return true;
	if (width == 0)
	{
		memset(out, 0, nvalues * out_size);
		return true;
	}
	if (method->copies_native && width == out_size * 8)
		return raw_decode(packed->in + packed->start * out_size,
						  nvalues * out_size, nvalues, out_size, out);

	peel = unpack_peel(method, method->groups[index], packed, out, out_size);
	offset = (packed->start + peel) / UNPACK_GROUP * width;
	nvalues -= peel;
	if (nvalues > 0)
		unpack_groups(method, method->groups[index], packed->in + offset,
					  packed->in_length - offset,
					  (nvalues + UNPACK_GROUP - 1) / UNPACK_GROUP, width,
					  (uint8_t *) out + peel * out_size, out_size);
	return true;
}
