/*
 * table_options.h
 *		What a table's owner wants of its storage: columnar_set_options().
 */
#ifndef ACCESS_TABLE_OPTIONS_H
#define ACCESS_TABLE_OPTIONS_H

#include "access/attnum.h"
#include "encoding/chunk.h"
#include "utils/rel.h"

/* Columns that a sort key may have. */
#define SORT_KEY_MAX_COLUMNS 16

/*
 * One column of a sort key.  Strings are compared by their bytes, whatever the
 * column's collation, because that is the order of zone maps.
 */
typedef struct SortKeyColumn
{
	AttrNumber	attno;
	bool		is_descending;
	bool		nulls_first;
	Oid			sort_operator;	/* < or, if descending, > of the type */
	Oid			collation;		/* C, or invalid if the type has none */
} SortKeyColumn;

typedef struct TableOptions
{
	Optimize	optimize;
	int			sort_key_natts; /* 0: rows stay as they come */
	SortKeyColumn sort_key[SORT_KEY_MAX_COLUMNS];
} TableOptions;

/*
 * The options of a relation, by its present definition: columns that are
 * dropped, or whose type cannot be sorted any more, are not in the key, nor is
 * what follows the latter.  The new file that a table is rewritten into has the
 * options of the table.
 *
 * Looks into a catalog, which takes some microseconds: once for each segment
 * that is written is cheap, once for each row is not.
 */
extern void table_options_get(Relation rel, TableOptions *options);

/*
 * How to encode chunks: as the table's options say, except for settings of the
 * session that say otherwise.
 */
extern void table_options_chunk(const TableOptions *options,
								ChunkOptions *chunk_options);

/* ---- for who sets them ---- */

extern bool optimize_from_name(const char *name, Optimize *optimize);

/*
 * Fill in the operators of a column whose other fields are set.  Returns false
 * if its type has no order.
 */
extern bool sort_key_column_resolve(TupleDesc desc, SortKeyColumn *column);

/*
 * Make these the options of a relation that the caller has locked against
 * others who do the same; its rows stay as they are.  OPTIMIZE_BALANCE and no
 * column are the defaults.
 */
extern void table_options_store_optimize(Relation rel, Optimize optimize);
extern void table_options_store_sort_key(Relation rel,
										 const SortKeyColumn *columns,
										 int ncolumns);

extern void table_options_init(void);

#endif							/* ACCESS_TABLE_OPTIONS_H */
