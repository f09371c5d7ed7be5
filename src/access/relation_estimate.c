/*
 * relation_estimate.c
 *		What the planner is told about a table's size.
 *
 * The number of rows is kept in the metapage, so it needs no guess from pages
 * and widths, which compression would lead astray.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"

#include "access/htup_details.h"
#include "access/table_am.h"
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

	*pages = RelationGetNumberOfBlocks(rel);
	*tuples = (double) meta.nrows;
	*allvisfrac = visible_fraction(rel, *tuples);
}
