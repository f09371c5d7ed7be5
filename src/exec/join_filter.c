/*
 * join_filter.c
 *		Keys of a hash join's build side, and the rows that they leave.
 *
 * Keys are collected as they come.  When all are there, they become a bitmap,
 * if they lie close together, or a Bloom filter; if they do not fit the memory,
 * they go to a Bloom filter at once.  Their minimum and maximum are kept in any
 * case, for zone maps.
 *
 * The Bloom filter is of the blocked kind: a key sets three bits of one word of
 * 64, so that a test costs one access to memory.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/join_filter.h"
#include "exec/value_hash.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* Part of hash_mem that one filter may take. */
#define MEMORY_FRACTION	8

/* Keys that there is room for at first. */
#define FIRST_KEYS		128

/* A bitmap may have that many bits, and more for each key. */
#define BITMAP_BITS		(UINT64CONST(1) << 16)
#define BITMAP_BITS_PER_KEY	64

/* A Bloom filter has that many keys per word of 64 bits; full is useless. */
#define BLOOM_KEYS_PER_WORD	4
#define BLOOM_FULL_KEYS	24

/* Having seen so many rows, a filter must have removed one in so many. */
#define TRIAL_ROWS		(16 * VECTOR_LENGTH)
#define TRIAL_FRACTION	16

/* ---- start ---- */

/* Lists in custom_private of both plan nodes. */
#define PRIVATE_PARAM	0		/* executor parameter; are keys only columns? */
#define PRIVATE_COLUMNS	1		/* attribute numbers */
#define PRIVATE_KINDS	2		/* JoinKeyKinds */

Bitmapset *
join_filter_attributes(const CustomScan *plan)
{
	Bitmapset  *attnos = NULL;
	ListCell   *lc;

	if (plan->custom_private == NIL)
		return NULL;
	foreach(lc, (List *) list_nth(plan->custom_private, PRIVATE_COLUMNS))
		attnos = bms_add_member(attnos, lfirst_int(lc));
	return attnos;
}

static ParamExecData *
set_parameter(const CustomScan *plan, EState *estate)
{
	List	   *params = list_nth(plan->custom_private, PRIVATE_PARAM);

	return &estate->es_param_exec_vals[linitial_int(params)];
}

void
join_filter_begin_scan(VectorScanState *state)
{
	CustomScan *plan = (CustomScan *) state->css.ss.ps.plan;
	EState	   *estate = state->css.ss.ps.state;
	List	   *attnos;
	List	   *kinds;
	JoinFilterSet *set;

	if (plan->custom_private == NIL)
		return;

	/* EvalPlanQual looks at single rows, with parameters of its caller. */
	if (estate->es_epq_active != NULL)
	{
		set_parameter(plan, estate)->value = (Datum) 0;
		return;
	}

	attnos = list_nth(plan->custom_private, PRIVATE_COLUMNS);
	kinds = list_nth(plan->custom_private, PRIVATE_KINDS);
	set = palloc0(sizeof(JoinFilterSet));
	set->nfilters = list_length(attnos);
	set->filters = palloc0(sizeof(JoinFilter) * set->nfilters);
	for (int i = 0; i < set->nfilters; i++)
	{
		set->filters[i].attno = list_nth_int(attnos, i);
		set->filters[i].value_class =
			list_nth_int(kinds, i) == JOIN_KEY_UINT32 ? CLASS_UNSIGNED :
			CLASS_SIGNED;
	}
	set->memory = get_hash_memory_limit() / MEMORY_FRACTION;
	set->context = AllocSetContextCreate(state->context,
										 "columnar join filter",
										 ALLOCSET_START_SMALL_SIZES);
	join_filter_reset(set);
	state->join_filters = set;
	set_parameter(plan, estate)->value = PointerGetDatum(set);
}

JoinFilterSet *
join_filter_find(CustomScan *plan, EState *estate)
{
	List	   *resnos = list_nth(plan->custom_private, PRIVATE_COLUMNS);
	List	   *kinds = list_nth(plan->custom_private, PRIVATE_KINDS);
	ParamExecData *param = set_parameter(plan, estate);
	JoinFilterSet *set = (JoinFilterSet *) DatumGetPointer(param->value);

	if (set == NULL || estate->es_epq_active != NULL)
		return NULL;
	Assert(set->nfilters == list_length(resnos));
	for (int i = 0; i < set->nfilters; i++)
	{
		set->filters[i].resno = list_nth_int(resnos, i);
		set->filters[i].kind = list_nth_int(kinds, i);
	}
	set->is_volatile = !bms_is_empty(plan->scan.plan.allParam) ||
		lsecond_int(list_nth(plan->custom_private, PRIVATE_PARAM)) == 0;
	set->nexpected = plan->scan.plan.plan_rows;
	return set;
}

/*
 * A join that is executed again may read its probe side before it builds anew,
 * so what may depend on parameters is not to be relied on until then.
 */
void
join_filter_rescan_scan(JoinFilterSet *set)
{
	if (set->is_volatile)
		set->is_void = true;
}

/* ---- build ---- */

void
join_filter_reset(JoinFilterSet *set)
{
	MemoryContextReset(set->context);
	set->is_complete = false;
	set->is_void = false;
	for (int i = 0; i < set->nfilters; i++)
	{
		JoinFilter *filter = &set->filters[i];

		filter->min = PG_INT64_MAX;
		filter->max = PG_INT64_MIN;
		filter->nkeys = 0;
		filter->max_keys = FIRST_KEYS;
		filter->keys = MemoryContextAlloc(set->context,
										  sizeof(int64) * FIRST_KEYS);
		filter->bitmap = NULL;
		filter->bloom = NULL;
		filter->ntested = 0;
		filter->npassed = 0;
		filter->is_idle = false;
	}
}

/* The bits of a key, all in the word at this place. */
static inline uint64
bloom_bits(const JoinFilter *filter, int64 key, uint64 *word)
{
	uint64		hash = hash_uint64((uint64) key);

	*word = hash & filter->bloom_mask;
	return UINT64CONST(1) << (hash >> 58) |
		UINT64CONST(1) << (hash >> 52 & 63) |
		UINT64CONST(1) << (hash >> 46 & 63);
}

static inline void
bloom_add(JoinFilter *filter, int64 key)
{
	uint64		word;
	uint64		bits = bloom_bits(filter, key, &word);

	filter->bloom[word] |= bits;
}

/* Move the keys to a Bloom filter that is made for so many. */
static void
make_bloom(JoinFilterSet *set, JoinFilter *filter, double nexpected)
{
	uint64		nwords = 64;
	uint64		max_words = Max(set->memory / sizeof(uint64), 64);

	while (nwords * BLOOM_KEYS_PER_WORD < nexpected && nwords * 2 <= max_words)
		nwords *= 2;
	filter->bloom = MemoryContextAllocExtended(set->context,
											   sizeof(uint64) * nwords,
											   MCXT_ALLOC_HUGE |
											   MCXT_ALLOC_ZERO);
	filter->bloom_mask = nwords - 1;
	for (Size i = 0; i < filter->nkeys; i++)
		bloom_add(filter, filter->keys[i]);
	pfree(filter->keys);
	filter->keys = NULL;
}

/* Make room for another key. */
static void
grow_keys(JoinFilterSet *set, JoinFilter *filter)
{
	if (filter->max_keys * 2 * sizeof(int64) > set->memory)
	{
		make_bloom(set, filter, Max(set->nexpected, 2.0 * filter->nkeys));
		return;
	}
	filter->max_keys *= 2;
	filter->keys = repalloc_huge(filter->keys,
								 sizeof(int64) * filter->max_keys);
}

static int64
key_from_datum(JoinKeyKind kind, Datum value)
{
	switch (kind)
	{
		case JOIN_KEY_INT16:
			return DatumGetInt16(value);
		case JOIN_KEY_INT32:
			return DatumGetInt32(value);
		case JOIN_KEY_INT64:
			return DatumGetInt64(value);
		case JOIN_KEY_UINT32:
			return DatumGetUInt32(value);
		case JOIN_KEY_NONE:
			break;
	}
	elog(ERROR, "unexpected kind of join key: %d", (int) kind);
}

static void
add_key(JoinFilterSet *set, JoinFilter *filter, int64 key)
{
	/* Rows often come sorted by the key, with equal ones together. */
	if (filter->keys && filter->nkeys > 0 &&
		filter->keys[filter->nkeys - 1] == key)
		return;

	filter->min = Min(filter->min, key);
	filter->max = Max(filter->max, key);
	if (filter->keys && filter->nkeys == filter->max_keys)
		grow_keys(set, filter);
	if (filter->keys)
		filter->keys[filter->nkeys] = key;
	else
		bloom_add(filter, key);
	filter->nkeys++;
}

void
join_filter_add(JoinFilterSet *set, TupleTableSlot *slot)
{
	Assert(!set->is_complete);
	for (int i = 0; i < set->nfilters; i++)
	{
		JoinFilter *filter = &set->filters[i];
		bool		isnull;
		Datum		value = slot_getattr(slot, filter->resno, &isnull);

		/* NULL equals nothing. */
		if (!isnull)
			add_key(set, filter, key_from_datum(filter->kind, value));
	}
}

/* The bitmap's size, or 0 if there should be none. */
static uint64
bitmap_size(const JoinFilterSet *set, const JoinFilter *filter)
{
	uint64		nbits = (uint64) filter->max - (uint64) filter->min;

	if (nbits >= Max(BITMAP_BITS, filter->nkeys * BITMAP_BITS_PER_KEY) ||
		nbits / 8 >= Max(set->memory, BITMAP_BITS / 8))
		return 0;
	return nbits + 1;
}

static void
make_bitmap(JoinFilterSet *set, JoinFilter *filter, uint64 nbits)
{
	filter->bitmap =
		MemoryContextAllocExtended(set->context,
								   (nbits + 63) / 64 * sizeof(uint64),
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (Size i = 0; i < filter->nkeys; i++)
	{
		uint64		bit = (uint64) filter->keys[i] - (uint64) filter->min;

		filter->bitmap[bit / 64] |= UINT64CONST(1) << (bit % 64);
	}
	pfree(filter->keys);
	filter->keys = NULL;
}

static void
finish_filter(JoinFilterSet *set, JoinFilter *filter)
{
	if (filter->nkeys == 0)
		return;
	if (filter->keys)
	{
		uint64		nbits = bitmap_size(set, filter);

		if (nbits > 0)
			make_bitmap(set, filter, nbits);
		else
			make_bloom(set, filter, filter->nkeys);
	}
	if (filter->bloom &&
		filter->nkeys / BLOOM_FULL_KEYS > filter->bloom_mask)
		filter->is_idle = true;
}

void
join_filter_finish(JoinFilterSet *set)
{
	for (int i = 0; i < set->nfilters; i++)
		finish_filter(set, &set->filters[i]);
	set->is_complete = true;
}

static inline bool
is_usable(const JoinFilterSet *set)
{
	return set->is_complete && !set->is_void;
}

/* ---- zone maps ---- */

/* Is there a key in the bitmap from low to high, which are within it? */
static bool
bitmap_has_any(const JoinFilter *filter, int64 low, int64 high)
{
	uint64		first = (uint64) low - (uint64) filter->min;
	uint64		last = (uint64) high - (uint64) filter->min;
	uint64		first_mask = PG_UINT64_MAX << (first % 64);
	uint64		last_mask = PG_UINT64_MAX >> (63 - last % 64);

	if (first / 64 == last / 64)
		return (filter->bitmap[first / 64] & first_mask & last_mask) != 0;
	if ((filter->bitmap[first / 64] & first_mask) != 0)
		return true;
	for (uint64 w = first / 64 + 1; w < last / 64; w++)
	{
		if (filter->bitmap[w] != 0)
			return true;
	}
	return (filter->bitmap[last / 64] & last_mask) != 0;
}

/* Do these rows, nnulls of which are NULL, have no match? */
static bool
zone_is_ruled_out(const JoinFilter *filter, ValueClass value_class,
				  const ZoneRange *zone, uint32 nnulls, uint32 nrows)
{
	if (filter->min > filter->max || nnulls >= nrows)
		return true;
	if (!zone->has_range || value_class != filter->value_class)
		return false;
	if (zone->max_int < filter->min || zone->min_int > filter->max)
		return true;
	return filter->bitmap &&
		!bitmap_has_any(filter, Max(zone->min_int, filter->min),
						Min(zone->max_int, filter->max));
}

static const AttributeEntry *
filter_attribute(VectorScanState *state, const JoinFilter *filter)
{
	const AttributeEntry *entry =
		segment_reader_attribute(state->scan->reader, filter->attno);

	return entry && entry->kind != 0 ? entry : NULL;
}

bool
join_filter_rules_out(VectorScanState *state)
{
	JoinFilterSet *set = state->join_filters;

	if (!is_usable(set))
		return false;
	for (int i = 0; i < set->nfilters; i++)
	{
		const JoinFilter *filter = &set->filters[i];
		const AttributeEntry *entry = filter_attribute(state, filter);
		ZoneRange	zone;

		if (entry == NULL)
			continue;
		attribute_entry_zone(entry, &zone);
		if (zone_is_ruled_out(filter, entry->value_class, &zone,
							  entry->nnulls, state->scan->segment->nslots))
			return true;
	}
	return false;
}

/* The same for the vectors of a filter's chunk. */
static uint64
check_chunk_vectors(VectorScanState *state, const JoinFilter *filter,
					ValueClass value_class, uint64 vectors)
{
	SegmentReader *reader = state->scan->reader;
	int			attno = filter->attno;
	ChunkReader *chunk;
	uint64		ruled_out = 0;

	segment_reader_load(reader, &attno, 1);
	chunk = segment_reader_chunk(reader, attno);
	for (; vectors != 0; vectors &= vectors - 1)
	{
		int			vector = pg_rightmost_one_pos64(vectors);
		uint32		first = (uint32) vector * VECTOR_ROWS;
		uint32		nslots = Min(VECTOR_ROWS,
								 state->scan->segment->nslots - first);
		ZoneRange	zone;
		uint32		nnulls;

		chunk_vector_zone(chunk, vector, &nnulls, &zone);
		if (zone_is_ruled_out(filter, value_class, &zone, nnulls, nslots))
			ruled_out |= UINT64CONST(1) << vector;
	}
	return ruled_out;
}

uint64
join_filter_check_vectors(VectorScanState *state, uint64 vectors)
{
	JoinFilterSet *set = state->join_filters;
	uint64		ruled_out = 0;

	if (!is_usable(set))
		return 0;
	for (int i = 0; i < set->nfilters && (vectors & ~ruled_out) != 0; i++)
	{
		const JoinFilter *filter = &set->filters[i];
		const AttributeEntry *entry = filter_attribute(state, filter);

		if (entry)
			ruled_out |= check_chunk_vectors(state, filter,
											 entry->value_class,
											 vectors & ~ruled_out);
	}
	return ruled_out;
}

/* ---- rows ---- */

/* May the key be one of the build side's? */
static inline bool
key_passes(const JoinFilter *filter, int64 key)
{
	uint64		word;
	uint64		bits;

	if (key < filter->min || key > filter->max)
		return false;
	if (filter->bitmap)
	{
		uint64		bit = (uint64) key - (uint64) filter->min;

		return (filter->bitmap[bit / 64] >> (bit % 64) & 1) != 0;
	}
	bits = bloom_bits(filter, key, &word);
	return (filter->bloom[word] & bits) == bits;
}

/* Keep the rows of the mask whose key, of an array of that type, passes. */
#define KEEP_ROWS(type) \
	do { \
		const type *native = column->vector.values; \
		for (int w = 0; w < VECTOR_WORDS; w++) \
		{ \
			uint64		keep = 0; \
			for (uint64 rows = mask[w]; rows != 0; rows &= rows - 1) \
			{ \
				int			bit = pg_rightmost_one_pos64(rows); \
				keep |= (uint64) key_passes(filter, native[w * 64 + bit]) \
					<< bit; \
			} \
			mask[w] = keep; \
		} \
	} while (0)

static void
keep_rows(const JoinFilter *filter, const ScanColumn *column, uint64 *mask)
{
	bool		is_unsigned = filter->value_class == CLASS_UNSIGNED;

	switch (column->vector.kind)
	{
		case VALUE_INT16:
			KEEP_ROWS(int16);
			break;
		case VALUE_INT32:
			if (is_unsigned)
				KEEP_ROWS(uint32);
			else
				KEEP_ROWS(int32);
			break;
		case VALUE_INT64:
			KEEP_ROWS(int64);
			break;
		default:
			elog(ERROR, "attribute %d is not an integer", column->attno);
	}
}

static uint64
mask_count(const uint64 *mask)
{
	uint64		n = 0;

	for (int w = 0; w < VECTOR_WORDS; w++)
		n += pg_popcount64(mask[w]);
	return n;
}

static void
apply_filter(VectorScanState *state, JoinFilter *filter, int vector,
			 uint64 *mask)
{
	ScanColumn *column = state->column_by_attno[filter->attno];
	AttributeVector *av = &column->vector;
	SegmentReader *reader = state->scan->reader;

	if (filter->is_idle)
		return;
	if (filter->min > filter->max)
	{
		memset(mask, 0, sizeof(uint64) * VECTOR_WORDS);
		return;
	}
	attribute_vector_set(av, reader, vector);
	if (av->chunk == NULL)
		return;

	filter->ntested += mask_count(mask);
	attribute_vector_decode_nulls(av, reader);
	if (av->nnulls > 0)
	{
		for (int w = 0; w < VECTOR_WORDS; w++)
			mask[w] &= ~av->nulls[w];
	}
	attribute_vector_decode_values(av, reader);
	keep_rows(filter, column, mask);
	filter->npassed += mask_count(mask);

	if (filter->ntested >= TRIAL_ROWS)
	{
		filter->is_idle = filter->npassed >
			filter->ntested - filter->ntested / TRIAL_FRACTION;
		filter->ntested = 0;
		filter->npassed = 0;
	}
}

void
join_filter_apply(VectorScanState *state, int vector, uint64 *mask)
{
	JoinFilterSet *set = state->join_filters;
	uint64		nrows;

	if (!is_usable(set))
		return;
	nrows = mask_count(mask);
	for (int i = 0; i < set->nfilters; i++)
		apply_filter(state, &set->filters[i], vector, mask);
	state->counters->rows_unjoined += nrows - mask_count(mask);
}
