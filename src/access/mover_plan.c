/*
 * mover_plan.c
 *		What the mover finds worth moving in a group.
 *
 * A group is cut into units: segments, and of segments in row form the parts
 * between multiples of ROW_PAGES_BOUNDARY.  A move takes a run of neighbouring
 * units that are settled.  Rows are judged under share locks here, so nothing
 * is disturbed if there is nothing to do; the mover judges them once more when
 * nobody can add any.
 */
#include "postgres.h"

#include "compat.h"

#include "access/detoast.h"
#include "access/group_scan.h"
#include "access/heapam.h"
#include "access/mover_plan.h"
#include "access/tuple_check.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "postmaster/autovacuum.h"
#include "storage/group.h"
#include "storage/row_set.h"
#include "storage/segment_reader.h"

/* Fewer rows in row form are left there. */
#define MOVER_MIN_ROWS	1024

/*
 * Part of a column-form segment's rows that have to be deleted before it is
 * written anew.  In a table that is updated evenly all over, a byte that this
 * saves costs seven that are written; a fifth left such a table at 1.6 times the
 * size of a fresh one.
 */
#define STALE_FRACTION	8

/* Rows in row form that are moved at a time where others change them. */
#define CAUTIOUS_ROWS	(ROW_PAGES_BOUNDARY * 3 / 2)

/*
 * How many times the bytes of their rows may row pages take that have lost the
 * others, and pages that it takes to write few rows in column form.
 */
#define SPARSE_FACTOR	4
#define SPARSE_PAGES	8

/* Bytes that the rows of one move may take whatever the setting is. */
#define MOVER_MIN_MEMORY	((Size) 16 * 1024 * 1024)

/* ---- what is settled ---- */

RowState
mover_tuple_state(Mover *mover, HeapTuple tuple, Buffer buffer)
{
	HeapTupleHeader header = tuple->t_data;

	switch (HeapTupleSatisfiesVacuum(tuple, mover->oldest_xmin, buffer))
	{
		case HEAPTUPLE_DEAD:
			return ROW_DEAD;
		case HEAPTUPLE_LIVE:
			if ((header->t_infomask & HEAP_XMAX_INVALID) == 0)
				return ROW_UNSETTLED;
			if (mover->keep_toast && HeapTupleHasExternal(tuple))
				return ROW_UNSETTLED;
			if (HeapTupleHeaderXminFrozen(header) ||
				TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(header),
									  mover->oldest_xmin))
				return ROW_LIVE;
			return ROW_UNSETTLED;
		default:
			return ROW_UNSETTLED;
	}
}

/*
 * Bytes that a tuple takes in a row buffer, its TOASTed values included.
 */
static Size
tuple_bytes(Relation rel, HeapTuple tuple)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Size		bytes = tuple->t_len;

	tuple_check(desc, tuple);
	if (!HeapTupleHasExternal(tuple))
		return bytes;
	for (int i = 0; i < desc->natts; i++)
	{
		bool		isnull;
		Datum		value;

		if (TupleDescAttr(desc, i)->attlen != -1 ||
			TupleDescAttr(desc, i)->attisdropped)
			continue;
		value = heap_getattr(tuple, i + 1, desc, &isnull);
		if (!isnull)
			bytes += toast_raw_datum_size(value);
	}
	return bytes;
}

/*
 * Take a row page into a unit.
 */
static void
unit_add_page(Mover *mover, MoverUnit *unit, uint32 group,
			  const RowMapEntry *entry)
{
	Buffer		buffer;

	vacuum_delay_point(false);
	unit->npages++;
	buffer = block_read(mover->rel, entry->blkno, mover->strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	row_page_check(mover->rel, buffer, entry->nrows);
	for (int i = 0; i < entry->nrows && unit->settled; i++)
	{
		RowNumber	row = row_number(group, entry->first + i);
		HeapTupleData tuple;

		if (!row_page_tuple(mover->rel, buffer, i + 1, row, &tuple))
			continue;
		switch (mover_tuple_state(mover, &tuple, buffer))
		{
			case ROW_UNSETTLED:
				unit->settled = false;
				break;
			case ROW_LIVE:
				unit->nrows++;
				unit->bytes += tuple_bytes(mover->rel, &tuple);
				break;
			case ROW_DEAD:
				break;
		}
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * Cut a segment in row form into units; returns their number.
 */
static int
row_segment_units(Mover *mover, const GroupHeaderData *header,
				  const SegmentData *segment, MoverUnit *units)
{
	RowMapEntry *pages;
	int			npages = group_row_pages(mover->rel, header,
										 segment_first(segment),
										 segment_limit(segment), &pages);
	int			n = 0;

	memset(&units[0], 0, sizeof(MoverUnit));
	units[0].first_vector = segment->first_vector;
	for (int i = 0; i < npages; i++)
	{
		if (i > 0 && pages[i].first % ROW_PAGES_BOUNDARY == 0)
		{
			int			vector = pages[i].first / VECTOR_ROWS;

			units[n].nvectors = vector - units[n].first_vector;
			n++;
			memset(&units[n], 0, sizeof(MoverUnit));
			units[n].first_vector = vector;
		}
		if (units[n].npages == 0)
			units[n].settled = true;
		unit_add_page(mover, &units[n], header->group, &pages[i]);
	}
	pfree(pages);

	units[n].nvectors = segment->first_vector + segment->nvectors - units[n].first_vector;
	units[n].open = (segment->flags & SEGMENT_OPEN) != 0;
	for (int i = 0; i <= n; i++)
		units[i].form = SEGMENT_ROWS;
	return n + 1;
}

/*
 * Estimate what a segment in column form takes in a row buffer.
 */
static Size
column_segment_bytes(Mover *mover, uint32 group, const SegmentData *segment)
{
	SegmentReader *reader = segment_reader_create(mover->rel, mover->strategy);
	Size		bytes = 0;

	segment_reader_open(reader, group, segment);
	for (int attno = 1; attno <= segment->natts; attno++)
		bytes += segment_reader_attribute(reader, attno)->raw_bytes;
	segment_reader_free(reader);
	return bytes;
}

/*
 * Has a column-form segment lost so many of the rows that it was written with
 * that it is worth writing anew?
 */
static bool
segment_is_stale(const SegmentData *segment, uint32 nrows)
{
	return nrows < segment->nrows &&
		segment->nrows - nrows >= segment->nrows / STALE_FRACTION;
}

/*
 * Can the mover do anything in this group?  Most groups are full, and in one
 * segment, to which alone the deleted rows belong then.
 */
static bool
group_is_candidate(const GroupHeaderData *header)
{
	const SegmentData *segment = &header->segments[0];
	uint32		ndeleted = header->dead.nrows + header->gone.nrows;

	if (header->nsegments != 1)
		return header->nsegments > 1;
	return segment->form == SEGMENT_ROWS ||
		(segment->form == SEGMENT_COLUMNS &&
		 segment_is_stale(segment,
						  segment->nslots - Min(ndeleted, segment->nslots)));
}

/* A unit for a segment that is not in row form. */
static void
segment_unit(Mover *mover, uint32 group, const SegmentData *segment,
			 RowState state, const uint64 *deleted, MoverUnit *unit)
{
	uint32		first = segment_first(segment);

	memset(unit, 0, sizeof(MoverUnit));
	unit->first_vector = segment->first_vector;
	unit->nvectors = segment->nvectors;
	unit->form = segment->form;
	unit->settled = segment->form != SEGMENT_ANNOUNCED;
	if (segment->form != SEGMENT_COLUMNS)
		return;

	unit->settled = state != ROW_UNSETTLED;
	if (state != ROW_LIVE)
		return;
	unit->nrows = segment->nslots -
		row_bitmap_count(deleted, first, first + segment->nslots);
	unit->bytes = column_segment_bytes(mover, group, segment);
	if (unit->nrows < segment->nrows)
		unit->bytes = unit->bytes * unit->nrows / segment->nrows;
	unit->stale = segment_is_stale(segment, unit->nrows);
}

int
mover_cut_group(Mover *mover, uint32 group, GroupHeaderData *header,
				MoverUnit *units)
{
	Buffer		buffer = group_read(mover->rel, group, BUFFER_LOCK_SHARE);
	RowState	states[GROUP_VECTORS];
	uint64	   *deleted;
	int			n = 0;

	if (!BufferIsValid(buffer))
		return 0;
	for (int i = 0; i < group_header(buffer)->nsegments; i++)
	{
		SegmentData *segment = &group_header(buffer)->segments[i];
		HeapTupleData tuple;

		if (segment->form != SEGMENT_COLUMNS)
			continue;
		segment_tuple(mover->rel, segment,
					  row_number(group, segment_first(segment)), &tuple);
		states[i] = mover_tuple_state(mover, &tuple, buffer);
	}
	memcpy(header, group_header(buffer), sizeof(GroupHeaderData));
	UnlockReleaseBuffer(buffer);
	if (!group_is_candidate(header))
		return 0;

	deleted = palloc0(ROW_BITMAP_WORDS * sizeof(uint64));
	row_set_load(mover->rel, &header->dead, deleted);
	row_set_load(mover->rel, &header->gone, deleted);
	for (int i = 0; i < header->nsegments; i++)
	{
		SegmentData *segment = &header->segments[i];

		if (segment->form == SEGMENT_ROWS)
			n += row_segment_units(mover, header, segment, &units[n]);
		else
			segment_unit(mover, group, segment, states[i], deleted,
						 &units[n++]);
	}
	pfree(deleted);
	return n;
}

/* ---- what to move ---- */

/* Rows of units from a up to, not including, b; of one form if it is not 0. */
static uint32
units_nrows(const MoverUnit *units, int a, int b, uint8 form)
{
	uint32		nrows = 0;

	for (int i = a; i < b; i++)
		if (form == 0 || units[i].form == form)
			nrows += units[i].nrows;
	return nrows;
}

static int
units_count(const MoverUnit *units, int a, int b, uint8 form)
{
	int			n = 0;

	for (int i = a; i < b; i++)
		n += units[i].form == form;
	return n;
}

/*
 * Does the unit at an end of a run not belong in it?  Units without rows don't,
 * and neither does a large segment that would be written anew for the sake of
 * few rows: each row is written again only if the segment it is in becomes half
 * as large again, so a logarithmic number of times.
 */
static bool
unit_is_surplus(const Mover *mover, const MoverUnit *units, int a, int b,
				int end)
{
	const MoverUnit *unit = &units[end];
	uint32		others = units_nrows(units, a, b, 0) - unit->nrows;

	if (unit->form == SEGMENT_DEAD || unit->form == SEGMENT_GONE)
		return true;
	return unit->form == SEGMENT_COLUMNS && !mover->eager && !unit->stale &&
		unit->nrows / 2 > others;
}

/* Is a run without surplus at its ends worth writing? */
static bool
run_is_worth_it(const Mover *mover, const MoverUnit *units, int a, int b)
{
	uint32		nrows = units_nrows(units, a, b, SEGMENT_ROWS);
	int			ncolumns = units_count(units, a, b, SEGMENT_COLUMNS);
	uint32		npages = 0;
	Size		bytes = 0;

	if (nrows >= (mover->few_too ? 1 : MOVER_MIN_ROWS) || ncolumns >= 2)
		return true;
	if (ncolumns == 1 && b - a > 1)
		return true;
	for (int i = a; i < b; i++)
	{
		if (units[i].stale)
			return true;
		if (units[i].form == SEGMENT_ROWS)
			bytes += units[i].bytes;
		npages += units[i].npages;
	}

	/* nothing but dead rows, or few others: give their pages back */
	if (nrows == 0)
		return npages > 0;
	return npages >= SPARSE_PAGES + SPARSE_FACTOR * (bytes / BLCKSZ);
}

Size
maintenance_memory(void)
{
	int			kilobytes = maintenance_work_mem;

	if (AmAutoVacuumWorkerProcess() && autovacuum_work_mem != -1)
		kilobytes = autovacuum_work_mem;
	return (Size) kilobytes * 1024;
}

/*
 * May a unit be moved together with those from start on?  A row that is changed
 * while it is moved makes the whole move fail, and rows in row form are the
 * ones to which this happens.
 */
static bool
unit_belongs(const Mover *mover, const MoverUnit *units, int start, int end)
{
	uint8		form = units[end].form;
	uint32		nrows = units_nrows(units, start, end, SEGMENT_ROWS);

	if (!mover->cautious)
		return true;
	if (form == SEGMENT_ROWS)
		return units_count(units, start, end, SEGMENT_COLUMNS) == 0 &&
			(nrows == 0 || nrows + units[end].nrows <= CAUTIOUS_ROWS);
	if (form == SEGMENT_COLUMNS)
		return units_count(units, start, end, SEGMENT_ROWS) == 0;
	return true;
}

bool
mover_find_run(const Mover *mover, const MoverUnit *units, int n, int *a,
			   int *b)
{
	int			start = *a;
	Size		limit = Max(maintenance_memory(), MOVER_MIN_MEMORY);

	while (start < n)
	{
		Size		bytes = 0;
		int			end = start;
		int			first = start;
		int			last;

		while (end < n && units[end].settled &&
			   bytes + units[end].bytes <= limit &&
			   unit_belongs(mover, units, start, end))
			bytes += units[end++].bytes;
		last = end;

		/* ends that don't belong, the larger one first */
		while (first < last)
		{
			if (unit_is_surplus(mover, units, first, last, first))
				first++;
			else if (unit_is_surplus(mover, units, first, last, last - 1))
				last--;
			else
				break;
		}
		if (first < last && run_is_worth_it(mover, units, first, last))
		{
			*a = first;
			*b = last;
			return true;
		}
		start = Max(end, start + 1);
	}
	return false;
}
