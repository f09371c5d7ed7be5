/*
 * verify.h
 *		What the parts of columnar_verify() share.
 */
#ifndef ACCESS_VERIFY_H
#define ACCESS_VERIFY_H

#include "access/group_scan.h"
#include "executor/tuptable.h"
#include "utils/tuplestore.h"

typedef struct VerifyState
{
	Relation	rel;
	Snapshot	snapshot;
	BufferAccessStrategy strategy;
	Tuplestorestate *store;		/* findings */
	TupleDesc	store_desc;
	BlockNumber blkno;			/* about what errors are, if known */

	/* xids that may occur in tuple headers */
	TransactionId relfrozenxid;
	FullTransactionId next_xid;

	/* Blocks of the file at the start, and bitmaps of them. */
	BlockNumber nblocks;
	uint64	   *used;			/* something refers to them */
	uint64	   *listed;			/* a free-space entry has them */

	/* Bits of the visibility map that belong to a group. */
	BlockNumber nvisible;

	/* The group at hand. */
	uint32		group;
	BlockNumber header_block;
	GroupHeaderData header;
	DirectoryEntry entry;
	uint64	   *deleted;		/* bitmap: both deleted sets */
} VerifyState;

/* Add a finding about a block, or about the table if it is invalid. */
extern void verify_report(VerifyState *state, BlockNumber blkno,
						  const char *format,...) pg_attribute_printf(3, 4);

/*
 * Run a check whose errors about damaged data become findings.  Returns false
 * if there was one.
 */
typedef void (*VerifyCheck) (VerifyState *state, void *argument);
extern bool verify_guard(VerifyState *state, VerifyCheck check,
						 void *argument);

/* Note a reference to blocks; argument is the VerifyState. */
extern void verify_reference(void *argument, BlockNumber start,
							 BlockNumber nblocks, const char *what);

/* Check xmin, or xmax, of a tuple header. */
extern void verify_xmin(VerifyState *state, BlockNumber blkno,
						HeapTupleHeader tuple, const char *what);

extern void verify_xmax(VerifyState *state, BlockNumber blkno,
						HeapTupleHeader tuple, const char *what);

/*
 * Did the inserter abort?  Its rows may have attributes that the table has not,
 * or has with another type, from ALTER TABLE in that transaction.
 */
extern bool verify_aborted(HeapTupleHeader tuple);

/* verify_group.c: everything about one group. */
extern void verify_group(VerifyState *state, uint32 group);

/* verify_headers.c: the row headers of the group at hand. */
extern void verify_row_headers(VerifyState *state);

/* verify_rows.c: one row page. */
extern void verify_row_page(VerifyState *state, const RowMapEntry *entry);

/* verify_chunk.c: all chunks of a segment in column form. */
extern void verify_chunks(VerifyState *state, const SegmentData *segment);

#endif							/* ACCESS_VERIFY_H */
