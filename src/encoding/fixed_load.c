/*
 * fixed_load.c
 *		Widens values of fixed width for the encoder, and sums them.
 */
#include "encoding/base.h"

#include "encoding/chunk_writer.h"
#include "encoding/int_scan.h"

/* Replace what NULL positions hold. */
void
fill_nulls(int64_t *values, uint32_t nvalues, const uint64_t *nulls,
		   uint32_t nnulls, int64_t carry)
{
	uint32_t	first = 0;
	int64_t		last = carry;

	if (nnulls < nvalues)
	{
		while (bitmap_get(nulls, first))
			first++;
		last = values[first];
	}
	for (uint32_t i = 0; i < nvalues; i++)
	{
		last = bitmap_get(nulls, i) ? last : values[i];
		values[i] = last;
	}
}

#define WIDEN(type) \
	do { \
		const type *in = (const type *) values + start; \
		for (uint32_t i = 0; i < nvalues; i++) \
			out[i] = (int64_t) in[i]; \
	} while (0)

static void
widen(int size, bool is_signed, const void *values, uint32_t start,
	  uint32_t nvalues, int64_t *out)
{
	switch (size)
	{
		case 1:
			if (is_signed)
				WIDEN(int8_t);
			else
				WIDEN(uint8_t);
			break;
		case 2:
			if (is_signed)
				WIDEN(int16_t);
			else
				WIDEN(uint16_t);
			break;
		case 4:
			if (is_signed)
				WIDEN(int32_t);
			else
				WIDEN(uint32_t);
			break;
		default:
			WIDEN(int64_t);
			break;
	}
}

void
fixed_vector_load(ValueKind kind, bool is_signed, const void *values,
				  uint32_t start, uint32_t nvalues, const uint64_t *nulls,
				  uint32_t nnulls, int64_t *out, int64_t *carry)
{
	widen(kind_size(kind), is_signed, values, start, nvalues, out);
	if (nnulls > 0)
		fill_nulls(out, nvalues, nulls, nnulls, *carry);
	*carry = out[nvalues - 1];
}

/* Sums of upper and lower halves, of values whose bit in nulls is not set. */
static void
sum_halves(const int64_t *values, uint32_t nvalues, uint64_t nulls,
		   bool is_signed, int64_t *upper, uint64_t *lower)
{
	for (uint32_t i = 0; i < nvalues; i++)
	{
		uint64_t	value = (uint64_t) values[i];

		value &= (nulls >> i & 1) - 1;
		*upper += is_signed ? (int64_t) value >> 32 : (int64_t) (value >> 32);
		*lower += value & UINT32_MAX;
	}
}

/*
 * Halves are summed apart, which cannot overflow in a vector.  NULLs often come
 * in runs: what a word of them has none of takes the fast way.
 */
void
sum_add_vector(const int64_t *values, uint32_t nvalues, const uint64_t *nulls,
			   bool is_signed, int64_t *high, uint64_t *low)
{
	const IntScan *scan = int_scan();
	int64_t		upper = 0;
	uint64_t	lower = 0;
	uint64_t	addend;

	if (nulls == NULL && is_signed)
		scan->sum_signed(values, nvalues, &upper, &lower);
	else
		for (uint32_t start = 0; start < nvalues; start += 64)
		{
			uint32_t	n = nvalues - start < 64 ? nvalues - start : 64;

			sum_halves(values + start, n, nulls == NULL ? 0 : nulls[start / 64],
					   is_signed, &upper, &lower);
		}

	/* upper * 2^32 + lower, in 128 bits */
	addend = (uint64_t) upper << 32;
	*high += upper >> 32;
	*low += addend;
	*high += *low < addend;
	*low += lower;
	*high += *low < lower;
}
