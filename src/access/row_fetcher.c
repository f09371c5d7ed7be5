/*
 * row_fetcher.c
 *		What a slot keeps from one fetched row to the next.
 *
 * The segments that its last rows were in, with what has been decoded of them,
 * so that rows that lie together are decoded together, and that of rows in
 * random order not each has its segment opened anew.  A segment may take as
 * much memory as it has bytes in the file, and a plan may have thousands of
 * slots (partitions); therefore a backend keeps a limited number of segments,
 * with a limited amount of memory, over all slots, and a slot whose row is in
 * the one that has not been used for longest gets a copy of the row before it
 * goes.
 */
#include "postgres.h"

#include "compat.h"

#include "access/row_fetcher.h"
#include "lib/ilist.h"
#include "utils/memutils.h"

/* Segments of a slot, and of all slots. */
#define FETCHER_SEGMENTS	128
#define BACKEND_SEGMENTS	256

/* What they may take together, and one may take more. */
#define BACKEND_MEMORY		((Size) 64 * 1024 * 1024)

/* Of these, used last, that are looked at for a row that was fetched lately. */
#define LATE_SEGMENTS		4

typedef struct FetchedSegment
{
	dlist_node	node;			/* in all_segments */
	RowFetcher *fetcher;
	SegmentValues *values;
	Size		memory;			/* when it was last looked at */
} FetchedSegment;

struct RowFetcher
{
	MemoryContext context;
	MemoryContextCallback callback; /* takes its segments off the list */
	TupleTableSlot *slot;
	Oid			relid;
	RelFileNumber file;			/* of the relation, when this was made */
	int			nsegments;
	uint32		groups[FETCHER_SEGMENTS];	/* that the segments are in */
	FetchedSegment *segments[FETCHER_SEGMENTS]; /* used last comes first */
};

/* Of all fetchers, used last comes first. */
static dlist_head all_segments = DLIST_STATIC_INIT(all_segments);
static int	nall_segments = 0;
static Size all_memory = 0;

/* ---- life ---- */

/*
 * The fetcher's memory goes, in whatever way: with its slot, or with everything
 * when a transaction aborts.
 */
static void
forget_segments(void *arg)
{
	RowFetcher *fetcher = arg;

	for (int i = 0; i < fetcher->nsegments; i++)
	{
		dlist_delete(&fetcher->segments[i]->node);
		all_memory -= fetcher->segments[i]->memory;
	}
	nall_segments -= fetcher->nsegments;
	fetcher->nsegments = 0;
}

void
row_fetcher_free(RowFetcher *fetcher)
{
	/* readers and values are below its context */
	MemoryContextDelete(fetcher->context);
}

static RowFetcher *
fetcher_create(Relation rel, TupleTableSlot *slot)
{
	MemoryContext context = AllocSetContextCreate(slot->tts_mcxt,
												  "columnar row fetcher",
												  ALLOCSET_SMALL_SIZES);
	RowFetcher *fetcher = MemoryContextAllocZero(context, sizeof(RowFetcher));

	fetcher->context = context;
	fetcher->callback.func = forget_segments;
	fetcher->callback.arg = fetcher;
	MemoryContextRegisterResetCallback(context, &fetcher->callback);
	fetcher->slot = slot;
	fetcher->relid = RelationGetRelid(rel);
	fetcher->file = rel->rd_locator.relNumber;
	return fetcher;
}

RowFetcher *
row_fetcher_get(Relation rel, TupleTableSlot *slot)
{
	RowFetcher **fetcher = columnar_slot_fetcher(slot);

	if (*fetcher != NULL &&
		((*fetcher)->relid != RelationGetRelid(rel) ||
		 (*fetcher)->file != rel->rd_locator.relNumber))
	{
		ExecClearTuple(slot);
		row_fetcher_free(*fetcher);
		*fetcher = NULL;
	}
	if (*fetcher == NULL)
		*fetcher = fetcher_create(rel, slot);
	return *fetcher;
}

/* ---- segments ---- */

/*
 * Make the fetcher's segment at an index the one used last.
 */
static void
move_to_front(RowFetcher *fetcher, int index)
{
	FetchedSegment *segment = fetcher->segments[index];
	uint32		group = fetcher->groups[index];

	memmove(fetcher->segments + 1, fetcher->segments,
			index * sizeof(FetchedSegment *));
	memmove(fetcher->groups + 1, fetcher->groups, index * sizeof(uint32));
	fetcher->segments[0] = segment;
	fetcher->groups[0] = group;
	dlist_move_head(&all_segments, &segment->node);
}

/*
 * Close the segment that has not been used for longest.
 */
static void
close_oldest(void)
{
	FetchedSegment *segment = dlist_tail_element(FetchedSegment, node,
												 &all_segments);
	RowFetcher *fetcher = segment->fetcher;

	/* it is the last of its slot's, too, but maybe the only one */
	Assert(fetcher->segments[fetcher->nsegments - 1] == segment);
	if (!TTS_EMPTY(fetcher->slot))
		ExecMaterializeSlot(fetcher->slot);
	dlist_delete(&segment->node);
	nall_segments--;
	all_memory -= segment->memory;
	fetcher->nsegments--;
	segment_values_free(segment->values);
	pfree(segment);
}

static void
add_segment(RowFetcher *fetcher, Relation rel)
{
	MemoryContext old_context;
	FetchedSegment *segment;

	if (nall_segments >= BACKEND_SEGMENTS)
		close_oldest();

	old_context = MemoryContextSwitchTo(fetcher->context);
	segment = palloc0(sizeof(FetchedSegment));
	segment->fetcher = fetcher;
	segment->values = segment_values_create(rel, NULL);
	MemoryContextSwitchTo(old_context);

	fetcher->segments[fetcher->nsegments++] = segment;
	dlist_push_tail(&all_segments, &segment->node);
	nall_segments++;
}

/*
 * Count what the segment used last, which alone may have grown, takes by now,
 * and make room.
 */
static void
limit_memory(RowFetcher *fetcher)
{
	FetchedSegment *segment;

	if (fetcher->nsegments == 0)
		return;
	segment = fetcher->segments[0];
	all_memory -= segment->memory;
	segment->memory = segment_values_memory(segment->values);
	all_memory += segment->memory;
	while (all_memory > BACKEND_MEMORY && nall_segments > 1)
		close_oldest();
}

SegmentValues *
row_fetcher_open(RowFetcher *fetcher, Relation rel, uint32 group,
				 const SegmentData *segment)
{
	int			index;

	ExecClearTuple(fetcher->slot);
	limit_memory(fetcher);
	for (index = 0; index < fetcher->nsegments; index++)
	{
		if (fetcher->groups[index] == group &&
			segment_values_is_open(fetcher->segments[index]->values, group,
								   segment))
			break;
	}

	if (index == fetcher->nsegments)
	{
		if (fetcher->nsegments < FETCHER_SEGMENTS)
			add_segment(fetcher, rel);
		index = fetcher->nsegments - 1;
		fetcher->groups[index] = group;
		segment_values_open(fetcher->segments[index]->values, group, segment);
	}
	if (index > 0 || dlist_head_node(&all_segments) != &fetcher->segments[0]->node)
		move_to_front(fetcher, index);
	return fetcher->segments[0]->values;
}

/* ---- other slots ---- */

TupleTableSlot *
row_fetcher_find_slot(Relation rel, RowNumber row, const Bitmapset *attrs)
{
	ItemPointerData tid;
	int			nlooked = 0;
	dlist_iter	iter;

	row_number_to_tid(row, &tid);
	dlist_foreach(iter, &all_segments)
	{
		RowFetcher *fetcher = dlist_container(FetchedSegment, node,
											  iter.cur)->fetcher;

		if (nlooked++ == LATE_SEGMENTS)
			break;
		if (fetcher->relid == RelationGetRelid(rel) &&
			fetcher->file == rel->rd_locator.relNumber &&
			fetcher->slot->tts_tupleDescriptor->natts ==
			RelationGetNumberOfAttributes(rel) &&
			columnar_slot_has_row(fetcher->slot, &tid, attrs))
			return fetcher->slot;
	}
	return NULL;
}
