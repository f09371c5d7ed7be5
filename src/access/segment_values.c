/*
 * segment_values.c
 *		Values of an open column-form segment, row by row.
 *
 * For readers that take one row after another, whether all of a vector (a
 * sequential scan) or few (an index scan).  Values are decoded singly at first,
 * and all of a vector together once the reader has shown that it wants more
 * than a few, or if it is known that it does.
 */
#include "postgres.h"

#include "compat.h"

#include "access/segment_values.h"
#include "utils/memutils.h"

/*
 * Values of a vector decoded singly before the rest is decoded as well: strings
 * if it is known what the reader will come to, strings if it is not, and values
 * of fixed width, which are soon decoded.
 */
#define MAX_SINGLE_STRINGS	2
#define MAX_SINGLE_STRINGS_UNKNOWN	8
#define MAX_SINGLE_FIXED	2

SegmentValues *
segment_values_create(Relation rel, SegmentReader *reader)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "columnar segment values",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_context = MemoryContextSwitchTo(context);
	SegmentValues *values = palloc0(sizeof(SegmentValues));

	values->context = context;
	values->rel = rel;
	values->owns_reader = reader == NULL;
	values->reader = reader ? reader : segment_reader_create(rel, NULL);
	if (values->owns_reader)
		segment_reader_set_sparing(values->reader);
	values->mask_vector = -1;
	MemoryContextSwitchTo(old_context);
	return values;
}

void
segment_values_free(SegmentValues *values)
{
	if (values->owns_reader)
		segment_reader_free(values->reader);
	MemoryContextDelete(values->context);
}

Size
segment_values_memory(const SegmentValues *values)
{
	return MemoryContextMemAllocated(values->context, true) +
		segment_reader_image_memory(values->reader);
}

static void
vector_free(AttributeVector *av)
{
	if (av->values)
		pfree(av->values);
	if (av->strings)
		pfree(av->strings);
	pfree(av);
}

void
segment_values_set_desc(SegmentValues *values, TupleDesc desc)
{
	Size		nvectors = Max(desc->natts, 1);

	if (values->desc == desc && values->natts == desc->natts)
		return;

	for (int i = 0; i < values->natts; i++)
	{
		if (values->vectors[i])
			vector_free(values->vectors[i]);
	}
	if (values->vectors)
	{
		pfree(values->vectors);
		pfree(values->nmisses);
	}
	values->desc = desc;
	values->natts = desc->natts;
	values->vectors = MemoryContextAllocZero(values->context,
											 nvectors * sizeof(AttributeVector *));
	values->nmisses = MemoryContextAllocZero(values->context,
											 nvectors * sizeof(int));
}

void
segment_values_open(SegmentValues *values, uint32 group,
					const SegmentData *segment)
{
	values->is_open = false;
	for (int i = 0; i < values->natts; i++)
	{
		if (values->vectors[i])
			attribute_vector_reset(values->vectors[i]);
	}
	if (values->owns_reader)
		segment_reader_open(values->reader, group, segment);
	values->group = group;
	values->segment = *segment;
	values->mask_vector = -1;
	values->is_open = true;
}

bool
segment_values_is_open(const SegmentValues *values, uint32 group,
					   const SegmentData *segment)
{
	const SegmentData *open = &values->segment;

	return values->is_open && values->group == group &&
		open->first_vector == segment->first_vector &&
		open->start == segment->start &&
		open->nblocks == segment->nblocks &&
		memcmp(open->parts, segment->parts, sizeof(open->parts)) == 0 &&
		open->nslots == segment->nslots &&
		open->natts == segment->natts;
}

static AttributeVector *
make_vector(SegmentValues *values, int attno)
{
	MemoryContext old_context = MemoryContextSwitchTo(values->context);
	AttributeVector *av = palloc(sizeof(AttributeVector));

	attribute_vector_init(av, values->desc, attno);
	values->vectors[attno - 1] = av;
	MemoryContextSwitchTo(old_context);
	return av;
}

/*
 * Count a value that has to be decoded; after a few of a vector comes all that
 * the reader is going to want, or everything.  Returns true for the few.
 */
static bool
count_miss(SegmentValues *values, AttributeVector *av, int position)
{
	bool		is_known = values->mask_vector == av->vector;
	int			nmisses;

	if (attribute_vector_is_string(av) ?
		(av->wanted[position / 64] >> (position % 64)) & 1 :
		(av->has_values || is_known))
		return false;

	nmisses = ++values->nmisses[av->attno - 1];
	if (!attribute_vector_is_string(av))
		return nmisses <= MAX_SINGLE_FIXED;
	if (nmisses <= (is_known ? MAX_SINGLE_STRINGS : MAX_SINGLE_STRINGS_UNKNOWN))
		return true;
	attribute_vector_decode_strings(av, values->reader,
									is_known ? values->mask : NULL);
	return false;
}

Datum
segment_values_get(SegmentValues *values, int attno, uint32 position,
				   bool *isnull)
{
	AttributeVector *av;
	int			vector = position / VECTOR_ROWS;
	Datum		value;

	Assert(values->is_open && position < values->segment.nslots);
	Assert(attno >= 1 && attno <= values->natts);

	av = values->vectors[attno - 1];
	if (av == NULL)
		av = make_vector(values, attno);
	if (av->vector != vector)
	{
		attribute_vector_set(av, values->reader, vector);
		values->nmisses[attno - 1] = 0;
	}
	if (count_miss(values, av, position % VECTOR_ROWS) &&
		attribute_vector_single(av, values->reader, position % VECTOR_ROWS,
								&value, isnull))
		return value;
	return attribute_vector_datum(av, values->reader, position % VECTOR_ROWS,
								  isnull);
}
