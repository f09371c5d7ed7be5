/*
 * unsettled_rows.c
 *		How much of a table neither VACUUM nor upkeep has settled.
 *
 * Rows in row form and row headers cost a scan more than all else that it does,
 * so the planner has to know of them.  Nobody counts them: writers would have
 * to agree on a counter.  The directory says which groups may have some, those
 * that are not all-visible; a few of them are looked at, spread evenly and with
 * the last, where small writes go, and stand for the others.
 */
#include "postgres.h"

#include "compat.h"

#include "access/table_am.h"
#include "storage/directory.h"
#include "storage/metapage.h"
#include "storage/row_header.h"
#include "utils/rel.h"

/* Pages of the directory that are read, from its end: of 260 million rows. */
#define MAX_DIRECTORY_PAGES	8

/* Groups that are looked at. */
#define MAX_SAMPLED_GROUPS	8

/* Row headers of a page: it has room for 271, and most pages are full. */
#define HEADERS_PER_PAGE	200

/* A group that is not all-visible. */
typedef struct SearchedGroup
{
	uint32		group;
	BlockNumber header;
} SearchedGroup;

typedef struct UnsettledSearch
{
	Relation	rel;
	bool		is_complete;	/* the whole directory has been read */
	double		ncolumn_rows;	/* rows in column form */
	int			nholed;			/* groups with deleted rows */
	int			ngroups;
	SearchedGroup groups[MAX_DIRECTORY_PAGES * DIRECTORY_PAGE_ENTRIES];
} UnsettledSearch;

/* Note the groups of one page of the directory, from group first on. */
static void
search_directory_page(UnsettledSearch *search, const MetapageData *meta,
					  uint32 first)
{
	int			nentries = Min(meta->next_group - first,
							   DIRECTORY_PAGE_ENTRIES);
	int			index;
	Buffer		buffer = directory_read(search->rel, meta, first,
										BUFFER_LOCK_SHARE, &index);
	const DirectoryEntry *entries =
		directory_page(BufferGetPage(buffer))->entries;

	for (int i = 0; i < nentries; i++)
	{
		const DirectoryEntry *entry = &entries[i];

		/* block 0 is the metapage: an entry that was never made */
		if (entry->header == 0)
			continue;
		search->ncolumn_rows += entry->nrows;
		if (entry->ndeleted > 0)
			search->nholed++;
		if ((entry->flags & DIRECTORY_ALL_VISIBLE) == 0)
		{
			search->groups[search->ngroups].group = first + i;
			search->groups[search->ngroups].header = entry->header;
			search->ngroups++;
		}
	}
	UnlockReleaseBuffer(buffer);
}

static void
search_directory(UnsettledSearch *search, const MetapageData *meta)
{
	uint32		npages = (meta->next_group + DIRECTORY_PAGE_ENTRIES - 1) /
		DIRECTORY_PAGE_ENTRIES;
	uint32		skipped = npages > MAX_DIRECTORY_PAGES ?
		npages - MAX_DIRECTORY_PAGES : 0;

	search->is_complete = skipped == 0;
	for (uint32 page = skipped; page < npages; page++)
		search_directory_page(search, meta, page * DIRECTORY_PAGE_ENTRIES);
}

/*
 * Add what one group has.  Its header has stayed where it was: only under an
 * AccessExclusiveLock is one moved.
 */
static void
count_group(Relation rel, const SearchedGroup *searched,
			UnsettledRows *unsettled)
{
	Buffer		buffer = page_read(rel, searched->header, PAGE_GROUP,
								   BUFFER_LOCK_SHARE);
	const GroupHeaderData *header = group_header(buffer);
	BlockNumber *pages;

	group_check(rel, searched->header, header, searched->group);
	for (int i = 0; i < header->nsegments; i++)
	{
		if (header->segments[i].form == SEGMENT_ROWS)
			unsettled->nrow_form += header->segments[i].nslots;
	}
	unsettled->nheaders += HEADERS_PER_PAGE *
		row_header_pages(rel, header, 0, GROUP_ROWS, &pages);
	UnlockReleaseBuffer(buffer);
	pfree(pages);
}

void
relation_unsettled_rows(Relation rel, UnsettledRows *unsettled)
{
	UnsettledSearch *search;
	MetapageData meta;
	int			nsampled;

	unsettled->nrow_form = 0;
	unsettled->nheaders = 0;
	unsettled->nholed = 0;
	if (!metapage_copy(rel, &meta))
		return;

	search = palloc(sizeof(UnsettledSearch));
	search->rel = rel;
	search->ncolumn_rows = 0;
	search->nholed = 0;
	search->ngroups = 0;
	search_directory(search, &meta);
	unsettled->nholed = search->nholed;

	nsampled = Min(search->ngroups, MAX_SAMPLED_GROUPS);
	for (int i = 0; i < nsampled; i++)
	{
		int			index = (i + 1) * search->ngroups / nsampled - 1;

		count_group(rel, &search->groups[index], unsettled);
	}
	if (nsampled < search->ngroups)
	{
		unsettled->nrow_form *= (double) search->ngroups / nsampled;
		unsettled->nheaders *= (double) search->ngroups / nsampled;

		/* the metapage counts the rows in row form, and no fewer */
		if (search->is_complete)
			unsettled->nrow_form = Min(unsettled->nrow_form,
									   Max((double) meta.nrows -
										   search->ncolumn_rows, 0));
	}
	pfree(search);
}
