/*
 * int_decode_template.h
 *		Decoding of integer vectors into one native width.
 *
 * Included once for each of uint8_t to uint64_t, with VALUE defined as the
 * type and FN(name) giving the function its suffix.  Arithmetic is modulo
 * 2^bits of VALUE (1u keeps 16-bit products unsigned); that nothing wraps is
 * checked through the largest code, so that the loops are plain and vectorise.
 */

/* Packed codes to codes. */
static bool
FN(unpack) (ByteCursor *cursor, uint32_t ncodes, int width, VALUE *codes)
{
	size_t		length = bitpack_length(ncodes, width);
	const uint8_t *bits = packed_bits(cursor, ncodes, width);

	return bits != NULL &&
		bitpack_unpack(bits, length, 0, ncodes, width, codes, sizeof(VALUE));
}

static bool
FN(unpack_patched) (ByteCursor *cursor, uint32_t ncodes, int *width,
					VALUE *codes, IntScratch *scratch)
{
	uint32_t	npatches = (uint32_t) cursor_uint(cursor, 2);
	int			patch_width = (int) cursor_uint(cursor, 1);
	int			shift = *width;
	VALUE	   *highs = (VALUE *) scratch->extra;
	const uint8_t *bits;
	size_t		length;

	if (cursor->failed || npatches > ncodes ||
		*width + patch_width > 8 * (int) sizeof(VALUE) ||
		patch_width == 0 || !FN(unpack) (cursor, ncodes, *width, codes))
		return false;
	length = bitpack_length(npatches, PATCH_POSITION_BITS);
	bits = cursor_bytes(cursor, length);
	if (bits == NULL ||
		!bitpack_padding_is_zero(bits, npatches, PATCH_POSITION_BITS) ||
		!bitpack_unpack(bits, length, 0, npatches, PATCH_POSITION_BITS,
						scratch->positions, sizeof(uint16_t)) ||
		!positions_are_increasing(scratch->positions, npatches, ncodes) ||
		!FN(unpack) (cursor, npatches, patch_width, highs))
		return false;
	for (uint32_t i = 0; i < npatches; i++)
		codes[scratch->positions[i]] |= (VALUE) (highs[i] << shift);
	*width += patch_width;
	return true;
}

/* Could base plus divisor times some code leave the type? */
static bool
FN(codes_fit) (const VALUE *codes, uint32_t ncodes, int width, uint64_t limit)
{
	VALUE		all = 0;

	if (width_fits(width, limit))
		return true;
	for (uint32_t i = 0; i < ncodes; i++)
		all = codes[i] > all ? codes[i] : all;
	return all <= limit;
}

/*
 * In steps of a constant length, which compilers vectorise without being asked
 * to; the last step may run into the slack behind the codes.
 */
static void
FN(add_reference) (VALUE *codes, uint32_t ncodes, uint64_t base,
				   uint64_t divisor)
{
	VALUE		addend = (VALUE) base;
	VALUE		factor = (VALUE) divisor;

	for (uint32_t i = 0; i < ncodes; i += VECTOR_STEP)
	{
		VALUE	   *step = codes + i;

		if (factor == 1)
		{
			for (int k = 0; k < VECTOR_STEP; k++)
				step[k] = (VALUE) (step[k] + addend);
		}
		else
		{
			for (int k = 0; k < VECTOR_STEP; k++)
				step[k] = (VALUE) (1u * step[k] * factor + addend);
		}
	}
}

/* Sum up deltas that are unpacked already: see bitpack_unpack_delta. */
static void
FN(sum_deltas) (VALUE *codes, uint32_t ncodes, uint64_t first, uint64_t step)
{
	VALUE		addend = (VALUE) step;
	VALUE		value = (VALUE) (first - step);

	for (uint32_t i = 0; i < ncodes; i++)
	{
		VALUE		delta = (VALUE) (codes[i] + addend);

		value = (VALUE) (value + delta);
		codes[i] = value;
	}
}

/*
 * From codes to values: base plus divisor times code or, of deltas, the sum of
 * codes and steps.  Sums are made of codes as they are, so that they need no
 * multiplication of each, and where there is no divisor, from the base on.
 */
static bool
FN(codes_to_values) (VALUE *codes, uint32_t ncodes, int width, bool is_delta,
					 const IntHeader *header, const char **reason)
{
	uint64_t	base = (uint64_t) header->base;
	uint64_t	step = (uint64_t) header->step;

	if (is_delta)
		FN(sum_deltas) (codes, ncodes, header->divisor == 1 ? base : 0, step);
	else if (!FN(codes_fit) (codes, ncodes, width, header->code_limit))
	{
		*reason = "values outside the range of their type";
		return false;
	}
	if (!is_delta || header->divisor != 1)
		FN(add_reference) (codes, ncodes, base, header->divisor);
	return true;
}

/* The same in one pass with unpacking, if no code can be too large. */
static bool
FN(unpack_values) (ByteCursor *cursor, uint32_t ncodes, bool is_delta,
				   const IntHeader *header, VALUE *values,
				   const char **reason)
{
	int			width = header->width;
	size_t		length = bitpack_length(ncodes, width);
	const uint8_t *bits = packed_bits(cursor, ncodes, width);
	uint64_t	base = (uint64_t) header->base;
	uint64_t	largest = 0;
	bool		is_plain = header->divisor == 1;
	bool		done;

	*reason = "packed values do not match their vector";
	if (bits == NULL)
		return false;
	if (is_delta)
		done = bitpack_unpack_delta(bits, length, 0, ncodes, width,
									is_plain ? base : 0,
									(uint64_t) header->step, values,
									sizeof(VALUE));
	else if (is_plain && width_fits(width, header->code_limit))
		return bitpack_unpack_add(bits, length, 0, ncodes, width, base,
								  values, sizeof(VALUE));
	else
		done = bitpack_unpack_max(bits, length, 0, ncodes, width, values,
								  sizeof(VALUE), &largest);
	if (!done)
		return false;
	if (!is_delta && largest > header->code_limit)
	{
		*reason = "values outside the range of their type";
		return false;
	}
	if (!is_delta || !is_plain)
		FN(add_reference) (values, ncodes, base, header->divisor);
	return true;
}

static bool
FN(decode_packed) (int encoding, ByteCursor *cursor, IntType type,
				   uint32_t nvalues, VALUE *values, IntScratch *scratch,
				   const char **reason)
{
	bool		is_delta = encoding == INT_DELTA || encoding == INT_PATCHED_DELTA;
	bool		is_patched = encoding == INT_PATCHED || encoding == INT_PATCHED_DELTA;
	IntHeader	header;
	int			width;

	if (!int_header_parse(cursor, is_delta, type, &header))
	{
		*reason = "invalid header of a vector";
		return false;
	}
	if (!is_patched)
		return FN(unpack_values) (cursor, nvalues, is_delta, &header, values,
								  reason) &&
			cursor_is_at_end(cursor, reason);
	width = header.width;
	if (!FN(unpack_patched) (cursor, nvalues, &width, values, scratch) ||
		cursor_left(cursor) != 0)
	{
		*reason = "packed values do not match their vector";
		return false;
	}
	return FN(codes_to_values) (values, nvalues, width, is_delta, &header,
								reason);
}

static bool
FN(decode_simple64) (int encoding, ByteCursor *cursor, IntType type,
					 uint32_t nvalues, VALUE *values, IntScratch *scratch,
					 const char **reason)
{
	bool		is_delta = encoding == INT_SIMPLE64_DELTA;
	uint64_t	all = 0;
	IntHeader	header;

	if (!int_header_parse(cursor, is_delta, type, &header) || header.width != 0)
	{
		*reason = "invalid header of a vector";
		return false;
	}
	if (!simple64_decode(cursor->next, cursor_left(cursor), scratch->values,
						 nvalues, reason))
		return false;
	for (uint32_t i = 0; i < nvalues; i++)
	{
		all = scratch->values[i] > all ? scratch->values[i] : all;
		values[i] = (VALUE) scratch->values[i];
	}
	if (!is_delta && all > header.code_limit)
	{
		*reason = "values outside the range of their type";
		return false;
	}
	return FN(codes_to_values) (values, nvalues, 0, is_delta, &header, reason);
}

/* Expand runs; their lengths have been checked to add up. */
static void
FN(expand_runs) (const VALUE *runs, const uint16_t *lengths, uint32_t nruns,
				 VALUE *values)
{
	for (uint32_t run = 0; run < nruns; run++)
	{
		VALUE		value = runs[run];
		uint32_t	length = (uint32_t) lengths[run] + 1;

		for (uint32_t i = 0; i < length; i++)
			values[i] = value;
		values += length;
	}
}

static bool
FN(decode_runs) (ByteCursor *cursor, IntType type, uint32_t nvalues,
				 VALUE *values, IntScratch *scratch, const char **reason)
{
	VALUE	   *runs = (VALUE *) scratch->extra;
	IntHeader	header;
	uint32_t	nruns;
	int			length_width;
	const uint8_t *bits;
	size_t		length;

	*reason = "runs do not match their vector";
	if (!int_header_parse(cursor, false, type, &header))
		return false;
	nruns = (uint32_t) cursor_uint(cursor, 2);
	length_width = (int) cursor_uint(cursor, 1);
	if (cursor->failed || nruns == 0 || nruns > nvalues || length_width > 10 ||
		!FN(unpack_values) (cursor, nruns, false, &header, runs, reason))
		return false;
	*reason = "runs do not match their vector";
	length = bitpack_length(nruns, length_width);
	bits = cursor_bytes(cursor, length);
	if (bits == NULL || cursor_left(cursor) != 0 ||
		!bitpack_padding_is_zero(bits, nruns, length_width) ||
		!bitpack_unpack(bits, length, 0, nruns, length_width,
						scratch->positions, sizeof(uint16_t)) ||
		!lengths_add_up(scratch->positions, nruns, nvalues))
		return false;
	FN(expand_runs) (runs, scratch->positions, nruns, values);
	return true;
}

static bool
FN(decode_constant) (const uint8_t *in, size_t length, IntType type,
					 uint32_t nvalues, VALUE *values, const char **reason)
{
	int64_t		value;

	if (length > 8 || !int_value_fits(value = load_int(in, (int) length), type))
	{
		*reason = "invalid constant";
		return false;
	}
	for (uint32_t i = 0; i < nvalues; i++)
		values[i] = (VALUE) (uint64_t) value;
	return true;
}

static bool
FN(decode) (int encoding, const uint8_t *in, size_t length, IntType type,
			uint32_t nvalues, VALUE *values, IntScratch *scratch,
			const char **reason)
{
	ByteCursor	cursor;

	cursor_init(&cursor, in, length);
	switch (encoding)
	{
		case INT_CONSTANT:
			return FN(decode_constant) (in, length, type, nvalues, values,
										reason);
		case INT_RAW:
			*reason = "length of raw values does not match their number";
			return raw_decode(in, length, nvalues, type.size, values);
		case INT_FOR:
		case INT_DELTA:
		case INT_PATCHED:
		case INT_PATCHED_DELTA:
			return FN(decode_packed) (encoding, &cursor, type, nvalues, values,
									  scratch, reason);
		case INT_SIMPLE64:
		case INT_SIMPLE64_DELTA:
			return FN(decode_simple64) (encoding, &cursor, type, nvalues,
										values, scratch, reason);
		case INT_RUNS:
			return FN(decode_runs) (&cursor, type, nvalues, values, scratch,
									reason);
		default:
			*reason = "unknown encoding of a vector";
			return false;
	}
}

/* Spread the values of a dense vector to the positions that are not NULL. */
static void
FN(spread_dense) (const uint64_t *nulls, uint32_t nvalues, uint32_t ndense,
				  VALUE *values)
{
	uint32_t	i = nvalues;

	/* no branch on a bit: they are as good as random */
	while (ndense > 0 && i > 0)
	{
		VALUE		value = values[ndense - 1];
		bool		is_null = bitmap_get(nulls, --i);

		values[i] = is_null ? 0 : value;
		ndense -= !is_null;
	}
	memset(values, 0, i * sizeof(VALUE));
}

#undef VALUE
#undef FN
