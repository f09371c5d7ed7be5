/*
 * bitpack_vector_template.h
 *		The loops of the vector kernels: unpacking and its fused forms.
 *
 * A file for an instruction set includes this once, having defined
 *
 *	FN(name)			the name with the instruction set's in front
 *	TARGET				the attribute that allows its instructions, or nothing
 *	VECTOR_SIZE			bytes of a vector
 *	Vector				its type
 *	Form				what unpacking needs to know of a width and an output
 *	LAST_LOAD			bytes that vector_unpack loads, if form_move exists
 *
 * and these, all to be inlined, where out_size, part and way are constants:
 *
 *	unpack_way(width, out_size)		which of the ways to unpack
 *	form_make(width, out_size, way)
 *	form_move(form, nbytes)			for values so many bytes further on; only
 *									if LAST_LOAD is defined
 *	vector_unpack(form, in, part, out_size, way)
 *	vector_store(out, v)			at any address
 *	vector_set(value, out_size)		in all lanes
 *	vector_add(a, b, out_size)
 *	vector_max(a, b, out_size), vector_min(a, b, out_size)	unsigned
 *	vector_halve(v, out_size, is_max)	folds the lanes to the first 16 bytes
 *	vector_between(v, low, span, out_size)	a bit per lane
 *	vector_sums(sums, v, out_size), vector_sums_end(sums, out_size, sum)
 *	vector_prefix(v, out_size), vector_last(v, out_size), vector_ramp(step,
 *	out_size)						for outputs of 4 and 8 bytes
 *
 * A step unpacks whole groups: several into one vector or, where eight values
 * are more than a vector, one into several parts.  Steps may go beyond the last
 * group: methods say how many bytes they read there, and spare values are
 * within the slack.
 */

#define PARTS(out_size) \
	(8 * (out_size) > VECTOR_SIZE ? 8 * (out_size) / VECTOR_SIZE : 1)
#define STEP_GROUPS(out_size) \
	(8 * (out_size) < VECTOR_SIZE ? VECTOR_SIZE / (8 * (out_size)) : 1)
#define LANES(out_size) (VECTOR_SIZE / (out_size))

#define MAX_PARTS 4

#define EACH_PART(apply) \
	do { \
		apply(0); \
		if (PARTS(out_size) > 1) \
			apply(1); \
		if (PARTS(out_size) > 2) \
		{ \
			apply(2); \
			apply(3); \
		} \
	} while (0)

/* Two at a time: the loop would cost as much as some steps do. */
#define TAKE_STEPS(nsteps, take_step) \
	do { \
		for (; nsteps >= 2; nsteps -= 2) \
		{ \
			take_step; \
			in += advance; \
			take_step; \
			in += advance; \
		} \
		if (nsteps > 0) \
		{ \
			take_step; \
			in += advance; \
		} \
	} while (0)

/*
 * Take all steps.  Where a form can be moved, those at the end of the input all
 * load its last bytes, so that nothing behind it is read; a shorter input must
 * be followed by as much.
 */
#ifdef LAST_LOAD
#define EACH_STEP(take_step) \
	do { \
		const uint8_t *begin = in; \
		const size_t length = ngroups * width; \
		const size_t advance = (size_t) (STEP_GROUPS(out_size) * width); \
		size_t		nsteps = (ngroups + STEP_GROUPS(out_size) - 1) / STEP_GROUPS(out_size); \
		size_t		nlast = length < LAST_LOAD ? 0 : \
			nsteps - (length - LAST_LOAD) / advance - 1; \
\
		nsteps -= nlast; \
		TAKE_STEPS(nsteps, take_step); \
		if (nlast > 0) \
		{ \
			const uint8_t *last = begin + length - LAST_LOAD; \
\
			FN(form_move) (&form, (size_t) (in - last)); \
			for (in = last; nlast > 0; nlast--) \
			{ \
				take_step; \
				FN(form_move) (&form, advance); \
			} \
		} \
	} while (0)
#else
#define EACH_STEP(take_step) \
	do { \
		const size_t advance = (size_t) (STEP_GROUPS(out_size) * width); \
		size_t		nsteps = (ngroups + STEP_GROUPS(out_size) - 1) / STEP_GROUPS(out_size); \
\
		TAKE_STEPS(nsteps, take_step); \
	} while (0)
#endif

/* Call steps with the constants that the width asks for. */
#define CALL_STEPS(out_size, way, steps, ...) \
	FN(steps) (in, ngroups, width, __VA_ARGS__, out_size, way)

#define BY_WAY(out_size, result, steps, ...) \
	do { \
		switch (FN(unpack_way) (width, out_size)) \
		{ \
			case UNPACK_NEAR: \
				result CALL_STEPS(out_size, UNPACK_NEAR, steps, __VA_ARGS__); \
				break; \
			case UNPACK_APART: \
				result CALL_STEPS(out_size, UNPACK_APART, steps, __VA_ARGS__); \
				break; \
			default: \
				result CALL_STEPS(out_size, UNPACK_WIDE, steps, __VA_ARGS__); \
				break; \
		} \
	} while (0)

/* The same, in the smallest lanes that the width fits in. */
#define BY_WIDTH(steps, ...) \
	do { \
		if (width <= 8) \
			BY_WAY(1, , steps, __VA_ARGS__); \
		else if (width <= 16) \
			BY_WAY(2, , steps, __VA_ARGS__); \
		else if (width <= 32) \
			BY_WAY(4, , steps, __VA_ARGS__); \
		else \
			BY_WAY(8, , steps, __VA_ARGS__); \
	} while (0)

static VECTOR_INLINE void
FN(unpack_steps) (const uint8_t *in, size_t ngroups, int width,
				  uint64_t base, bool has_base, void *out,
				  int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	const Vector addend = FN(vector_set) (base, out_size);
	uint8_t    *next = out;

#define UNPACK_PART(part) \
	do { \
		Vector		v = FN(vector_unpack) (&form, in, part, out_size, way); \
\
		if (has_base) \
			v = FN(vector_add) (v, addend, out_size); \
		FN(vector_store) (next, v); \
		next += VECTOR_SIZE; \
	} while (0)

	EACH_STEP(EACH_PART(UNPACK_PART));
}

static VECTOR_INLINE void
FN(delta_steps) (const uint8_t *in, size_t ngroups, int width,
				 uint64_t before, uint64_t step, void *out,
				 int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	const Vector stride = FN(vector_set) (step * LANES(out_size), out_size);
	Vector		carry = FN(vector_add) (FN(vector_set) (before, out_size),
										FN(vector_ramp) (step, out_size),
										out_size);
	uint8_t    *next = out;

	/* only one addition is in the chain from one vector to the next */
#define DELTA_PART(part) \
	do { \
		Vector		v = FN(vector_prefix) \
			(FN(vector_unpack) (&form, in, part, out_size, way), out_size); \
		Vector		all = FN(vector_add) (FN(vector_last) (v, out_size), stride, \
										  out_size); \
\
		FN(vector_store) (next, FN(vector_add) (v, carry, out_size)); \
		carry = FN(vector_add) (carry, all, out_size); \
		next += VECTOR_SIZE; \
	} while (0)

	EACH_STEP(EACH_PART(DELTA_PART));
}

/* The largest or smallest lane. */
static VECTOR_INLINE uint64_t
FN(vector_extreme) (Vector v, int out_size, bool is_max)
{
	uint64_t	lanes[VECTOR_SIZE / 8];
	uint64_t	extreme = is_max ? 0 : UINT64_MAX;

	FN(vector_store) (lanes, FN(vector_halve) (v, out_size, is_max));
	for (int i = 0; i < 16 / out_size; i++)
	{
		uint64_t	lane = lanes[i * out_size / 8] >> (i * out_size % 8 * 8) &
			unpack_mask(8 * out_size);

		if (is_max ? lane > extreme : lane < extreme)
			extreme = lane;
	}
	return extreme;
}

static VECTOR_INLINE uint64_t
FN(max_steps) (const uint8_t *in, size_t ngroups, int width,
			   uint64_t max, void *out, int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	Vector		largest = FN(vector_set) (max, out_size);
	uint8_t    *next = out;

#define MAX_PART(part) \
	do { \
		Vector		v = FN(vector_unpack) (&form, in, part, out_size, way); \
\
		FN(vector_store) (next, v); \
		largest = FN(vector_max) (largest, v, out_size); \
		next += VECTOR_SIZE; \
	} while (0)

	EACH_STEP(EACH_PART(MAX_PART));
	return FN(vector_extreme) (largest, out_size, true);
}

static VECTOR_INLINE void
FN(between_steps) (const uint8_t *in, size_t ngroups, int width,
				   uint64_t low, uint64_t span, uint64_t *mask,
				   int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	const Vector lows = FN(vector_set) (low, out_size);
	const Vector spans = FN(vector_set) (span, out_size);
	uint8_t    *next = (uint8_t *) mask;

	/* a byte for each group: these machines are little-endian */
#define BETWEEN_PART(part) \
	bits |= FN(vector_between) \
		(FN(vector_unpack) (&form, in, part, out_size, way), lows, spans, \
		 out_size) << (part) * LANES(out_size)

#define BETWEEN_STEP \
	do { \
		uint64_t	bits = 0; \
\
		EACH_PART(BETWEEN_PART); \
		memcpy(next, &bits, STEP_GROUPS(out_size)); \
		next += STEP_GROUPS(out_size); \
	} while (0)

	EACH_STEP(BETWEEN_STEP);
}

static VECTOR_INLINE void
FN(sum_steps) (const uint8_t *in, size_t ngroups, int width,
			   PackedSum *sum, int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	Vector		sums[2] = {FN(vector_set) (0, 8), FN(vector_set) (0, 8)};

#define SUM_PART(part) \
	FN(vector_sums) (sums, FN(vector_unpack) (&form, in, part, out_size, \
											  way), out_size)

	EACH_STEP(EACH_PART(SUM_PART));
	FN(vector_sums_end) (sums, out_size, sum);
}

/* Comparing takes longer than unpacking: each part has bounds of its own. */
static VECTOR_INLINE void
FN(min_max_steps) (const uint8_t *in, size_t ngroups, int width,
				   PackedRange *range, int out_size, UnpackWay way)
{
	Form		form = FN(form_make) (width, out_size, way);
	Vector		least[MAX_PARTS];
	Vector		largest[MAX_PARTS];

#define MIN_MAX_BEGIN(part) \
	do { \
		least[part] = FN(vector_set) (UINT64_MAX, out_size); \
		largest[part] = FN(vector_set) (0, out_size); \
	} while (0)

#define MIN_MAX_PART(part) \
	do { \
		Vector		v = FN(vector_unpack) (&form, in, part, out_size, way); \
\
		least[part] = FN(vector_min) (least[part], v, out_size); \
		largest[part] = FN(vector_max) (largest[part], v, out_size); \
	} while (0)

#define MIN_MAX_END(part) \
	do { \
		uint64_t	min = FN(vector_extreme) (least[part], out_size, false); \
		uint64_t	max = FN(vector_extreme) (largest[part], out_size, true); \
\
		range->min = min < range->min ? min : range->min; \
		range->max = max > range->max ? max : range->max; \
	} while (0)

	EACH_PART(MIN_MAX_BEGIN);
	EACH_STEP(EACH_PART(MIN_MAX_PART));
	EACH_PART(MIN_MAX_END);
}

/* The forms that unpack, for outputs of one size. */
#define DEFINE_UNPACK(bits) \
static TARGET void \
FN(unpack_u##bits) (const uint8_t *in, size_t ngroups, int width, void *out) \
{ \
	BY_WAY(bits / 8, , unpack_steps, 0, false, out); \
} \
\
static TARGET void \
FN(add_u##bits) (const uint8_t *in, size_t ngroups, int width, \
				 uint64_t base, void *out) \
{ \
	BY_WAY(bits / 8, , unpack_steps, base, true, out); \
} \
\
static TARGET uint64_t \
FN(max_u##bits) (const uint8_t *in, size_t ngroups, int width, \
				 uint64_t max, void *out) \
{ \
	BY_WAY(bits / 8, return, max_steps, max, out); \
}

#define DEFINE_DELTA(bits) \
static TARGET void \
FN(delta_u##bits) (const uint8_t *in, size_t ngroups, int width, \
				   uint64_t before, uint64_t step, void *out) \
{ \
	BY_WAY(bits / 8, , delta_steps, before, step, out); \
}

DEFINE_UNPACK(8)
DEFINE_UNPACK(16)
DEFINE_UNPACK(32)
DEFINE_UNPACK(64)

DEFINE_DELTA(32)
DEFINE_DELTA(64)

static TARGET void
FN(between) (const uint8_t *in, size_t ngroups, int width,
			 uint64_t low, uint64_t span, uint64_t *mask)
{
	BY_WIDTH(between_steps, low, span, mask);
}

static TARGET void
FN(sum) (const uint8_t *in, size_t ngroups, int width, PackedSum *sum)
{
	BY_WIDTH(sum_steps, sum);
}

static TARGET void
FN(min_max) (const uint8_t *in, size_t ngroups, int width, PackedRange *range)
{
	BY_WIDTH(min_max_steps, range);
}
