/*
 * load_buffer.h
 *		Rows of running commands that wait to be written by column.
 *
 * A buffer belongs to (relation, subtransaction, command).  Its rows have
 * their row numbers and are announced in the file, but only this backend knows
 * their values.  They are flushed before commit and PREPARE, when another
 * command of the transaction writes the relation, before a scan whose snapshot
 * can see them, when memory for all buffers runs out, and before the relation
 * gets a new file or is dropped.
 */
#ifndef ACCESS_LOAD_BUFFER_H
#define ACCESS_LOAD_BUFFER_H

#include "executor/tuptable.h"
#include "storage/layout.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* Register the transaction callbacks and hooks; once, from _PG_init. */
extern void load_buffer_init(void);

/*
 * The present command is about to write nrows more rows: how many of them, the
 * first ones, are for row form.  The others are for load_buffer_append().
 */
extern int	load_buffer_row_form_quota(Relation rel, CommandId cid, int nrows);

/*
 * Append the slots' rows to the buffer of the present command; sets the slots'
 * tts_tid.  Of options, HEAP_INSERT_FROZEN matters.
 */
extern void load_buffer_append(Relation rel, TupleTableSlot **slots,
							   int nslots, CommandId cid, int options);

/*
 * A row that is in a buffer of this backend: stores it in slot (any kind of
 * slot; pass NULL to ask only) and returns true.
 */
extern bool load_buffer_fetch(Relation rel, RowNumber row,
							  TupleTableSlot *slot, TransactionId *xmin,
							  CommandId *cmin);

/* Flush what a scan with this snapshot (or any, if NULL) must see. */
extern void load_buffer_flush_for(Relation rel, Snapshot snapshot);

/*
 * The command that writes the relation may be done (finish_bulk_insert):
 * flush, unless the rows of many partitions had better wait for more.
 */
extern void load_buffer_finish_bulk(Relation rel, int options);

/* Forget buffers of the relation's present file, which is to be truncated. */
extern void load_buffer_discard(Relation rel);

#endif							/* ACCESS_LOAD_BUFFER_H */
