/*
 * bitpack.c
 *		Packing, and what all unpack kernels share.
 *
 * Whatever depends on where the input begins and ends is here, once: checks,
 * the values before the first group boundary, the last bytes, interrupts.
 * Kernels (bitpack_word.c, bitpack_special.c) see whole groups only.
 *
 * Invariants:
 * (B1) No kernel reads behind in + in_length: groups within read_ahead bytes
 *		of the end are unpacked from a zeroed bounce buffer.
 * (B2) At most UNPACK_GROUP - 1 spare values are written by this file; a
 *		kernel may add up to DECODE_SLACK_VALUES in all.
 * (B3) Pad bits are written as zero.
 */
#include "encoding/bitpack_kernel.h"
#include "encoding/byteorder.h"
#include "encoding/raw.h"

#define GROUPS_PER_VECTOR (VECTOR_LENGTH / UNPACK_GROUP)

/*
 * Bytes of the bounce buffer.  The groups that remain when the next one would
 * come closer than read_ahead to the end are shorter than read_ahead + 2 *
 * width bytes; the kernel then reads as much as read_ahead further.
 */
#define BOUNCE_LENGTH (2 * UNPACK_MAX_READ_AHEAD + 2 * 64)

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

/* Index in UnpackMethod.groups of an output width, or -1. */
static int
output_index(int out_size)
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

/*
 * Divide a call of valid bounds and a width of at least 1.  A last group of
 * fewer than eight values counts as a group.
 */
void
unpack_plan(const UnpackMethod *method, size_t in_length, size_t start,
			size_t nvalues, int width, UnpackPlan *plan)
{
	size_t		peel = (UNPACK_GROUP - start % UNPACK_GROUP) % UNPACK_GROUP;
	size_t		ngroups;
	size_t		fast = 0;

	if (peel > nvalues)
		peel = nvalues;
	ngroups = (nvalues - peel + UNPACK_GROUP - 1) / UNPACK_GROUP;
	if (ngroups > 0)
	{
		size_t		offset = (start + peel) / UNPACK_GROUP * width;
		size_t		available = in_length - offset;

		if (available > method->read_ahead)
			fast = (available - method->read_ahead) / width;
		if (fast > ngroups)
			fast = ngroups;
	}

	plan->peel = peel;
	plan->fast_groups = fast;
	plan->tail_groups = ngroups - fast;
}

/* Unpack ngroups groups from the last length bytes of the input. (B1) */
static void
unpack_bounced(UnpackGroups groups, const uint8_t *in, size_t length,
			   size_t ngroups, int width, void *out)
{
	uint8_t		bounce[BOUNCE_LENGTH] = {0};

	if (length > ngroups * width)
		length = ngroups * width;
	ENCODING_ASSERT(ngroups * width + UNPACK_MAX_READ_AHEAD <= BOUNCE_LENGTH);
	memcpy(bounce, in, length);
	groups(bounce, ngroups, width, out);
}

/* Unpack the values that share a group with values before the start. */
static void
unpack_peel(UnpackGroups groups, const uint8_t *in, size_t in_length,
			size_t start, size_t nvalues, int width, void *out, int out_size)
{
	uint64_t	values[UNPACK_GROUP + DECODE_SLACK_VALUES];
	size_t		offset = start / UNPACK_GROUP * width;
	size_t		skip = start % UNPACK_GROUP;

	unpack_bounced(groups, in + offset, in_length - offset, 1, width, values);
	memcpy(out, (uint8_t *) values + skip * out_size, nvalues * out_size);
}

/* Unpack groups in place, a vector at a time. */
static void
unpack_fast(UnpackGroups groups, const uint8_t *in, size_t ngroups, int width,
			uint8_t *out, int out_size)
{
	while (ngroups >= GROUPS_PER_VECTOR)
	{
		groups(in, GROUPS_PER_VECTOR, width, out);
		in += (size_t) GROUPS_PER_VECTOR * width;
		out += (size_t) VECTOR_LENGTH * out_size;
		ngroups -= GROUPS_PER_VECTOR;
		ENCODING_CHECK_INTERRUPTS();
	}
	if (ngroups > 0)
		groups(in, ngroups, width, out);
}

/*
 * Unpack with the given method; bounds and damage as bitpack_unpack says.
 */
bool
unpack_run(const UnpackMethod *method, const uint8_t *in, size_t in_length,
		   size_t start, size_t nvalues, int width, void *out, int out_size)
{
	int			index = output_index(out_size);
	uint8_t    *next = out;
	UnpackGroups groups;
	UnpackPlan	plan;
	uint64_t	capacity;

	if (index < 0 || width < 0 || width > out_size * 8)
		return false;
	if (nvalues == 0)
		return true;
	if (width == 0)
	{
		memset(out, 0, nvalues * out_size);
		return true;
	}

	/* so that no product below can overflow, whatever the counts */
	capacity = (uint64_t) in_length * 8 / width;
	if (start > capacity || nvalues > capacity - start)
		return false;

	if (method->copies_native && width == out_size * 8)
		return raw_decode(in + start * out_size, nvalues * out_size, nvalues,
						  out_size, out);

	groups = method->groups[index];
	unpack_plan(method, in_length, start, nvalues, width, &plan);
	if (plan.peel > 0)
	{
		unpack_peel(groups, in, in_length, start, plan.peel, width, next,
					out_size);
		next += plan.peel * out_size;
		start += plan.peel;
	}
	in += start / UNPACK_GROUP * width;
	in_length -= start / UNPACK_GROUP * width;
	unpack_fast(groups, in, plan.fast_groups, width, next, out_size);
	if (plan.tail_groups > 0)
	{
		size_t		done = plan.fast_groups;

		unpack_bounced(groups, in + done * width, in_length - done * width,
					   plan.tail_groups, width,
					   next + done * UNPACK_GROUP * out_size);
	}
	return true;
}
