/*
 * relation_estimate.c
 *		What the planner is told about a table's size.
 *
 * The number of rows is kept in the metapage, so it needs no guess from pages
 * and widths, which compression would lead astray.  A small table in row form
 * is a heap in all that matters to the planner, and is described as one: its
 * plans are a heap's, down to the guess that a new table is going to grow.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"

#include "access/htup_details.h"
#include "access/table_am.h"
#include "optimizer/plancat.h"
#include "storage/directory.h"
#include "storage/metapage.h"
#include "utils/rel.h"

/*
 * The part of the TID blocks that are in the visibility map, which VACUUM and
 * ANALYZE have counted in relallvisible.
 */
static double
visible_fraction(Relation rel, double nrows)
{
	double		nblocks = ceil(nrows / TID_BLOCK_ROWS);

	return Min(rel->rd_rel->relallvisible / Max(nblocks, 1.0), 1.0);
}

/*
 * Pages of a table of one group that have no rows: metapage, directory, group
 * header, row map, free space.
 */
#define OVERHEAD_PAGES		5

/* A table that was never vacuumed is taken to be that large at least. */
#define NEW_TABLE_PAGES		10

bool
relation_is_row_form(Relation rel)
{
	MetapageData meta;
	DirectoryEntry entry;

	if (!metapage_copy(rel, &meta) || meta.next_group == 0)
		return true;
	return meta.next_group == 1 &&
		directory_lookup(rel, 0, &entry) && entry.nrows == 0;
}

static BlockNumber
row_form_pages(BlockNumber nblocks)
{
	return nblocks > OVERHEAD_PAGES ? nblocks - OVERHEAD_PAGES : 1;
}

/*
 * Rows on a page: those found by VACUUM or ANALYZE, or as many as fit by the
 * attributes' types.
 */
static double
row_form_density(Relation rel, int32 *attr_widths)
{
	int32		width;

	if (rel->rd_rel->reltuples >= 0 && rel->rd_rel->relpages > 0)
		return rel->rd_rel->reltuples /
			row_form_pages(rel->rd_rel->relpages);

	width = get_rel_data_width(rel, attr_widths) +
		MAXALIGN(SizeofHeapTupleHeader) + sizeof(ItemIdData);
	return (BLCKSZ - SizeOfPageHeaderData) / width;
}

/*
 * As table_block_relation_estimate_size, whose rules these are, does for a
 * heap with the same rows.
 */
static void
estimate_row_form(Relation rel, int32 *attr_widths, BlockNumber *pages,
				  double *tuples)
{
	*pages = row_form_pages(RelationGetNumberOfBlocks(rel));
	if (rel->rd_rel->reltuples < 0 && !rel->rd_rel->relhassubclass)
		*pages = Max(*pages, NEW_TABLE_PAGES);
	*tuples = rint(row_form_density(rel, attr_widths) * *pages);
}

/*
 * The metapage counts row numbers: those that pages leave unused and those of
 * deleted rows too.  VACUUM and ANALYZE count better, which holds as long as
 * the table has the pages that it had then.
 */
static double
counted_rows(Relation rel, BlockNumber pages, const MetapageData *meta)
{
	if (rel->rd_rel->reltuples >= 0 && rel->rd_rel->relpages == pages)
		return rel->rd_rel->reltuples;
	return (double) meta->nrows;
}

void
columnar_relation_estimate_size(Relation rel, int32 *attr_widths,
								BlockNumber *pages, double *tuples,
								double *allvisfrac)
{
	MetapageData meta;

	if (!metapage_copy(rel, &meta))
	{
		/* as for an empty heap: a new table is planned as a small one */
		table_block_relation_estimate_size(rel, attr_widths, pages, tuples,
										   allvisfrac,
										   MAXALIGN(SizeofHeapTupleHeader) + sizeof(ItemIdData),
										   BLCKSZ - SizeOfPageHeaderData);
		return;
	}

	if (relation_is_row_form(rel))
		estimate_row_form(rel, attr_widths, pages, tuples);
	else
	{
		*pages = RelationGetNumberOfBlocks(rel);
		*tuples = counted_rows(rel, *pages, &meta);
	}
	*allvisfrac = visible_fraction(rel, *tuples);
}
