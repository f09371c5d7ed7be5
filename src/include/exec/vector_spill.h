/*
 * vector_spill.h
 *		Rows of vectors written to temporary files by partition, and read back.
 *
 * What does not fit into memory waits here: rows keep their order within a
 * partition.  In files of a FileSet several processes write rows apart, and
 * each of them reads what all have written to a partition.
 */
#ifndef EXEC_VECTOR_SPILL_H
#define EXEC_VECTOR_SPILL_H

#include "exec/vector.h"
#include "storage/fileset.h"

#define SPILL_PARTITION_BITS	6
#define SPILL_PARTITIONS	(1 << SPILL_PARTITION_BITS)

/* Shifts of a hash by as much as this leave no bits to tell partitions by. */
#define SPILL_HASH_BITS		60

typedef struct VectorSpill VectorSpill;

/*
 * Room for rows of nvectors values, in forms that may change from call to call.
 * types are what DATUM and NUMERIC values are of.
 */
extern VectorSpill *vector_spill_create(int nvectors, const Oid *types);

/* The same, of one of several writers, each with its own number. */
extern VectorSpill *vector_spill_create_shared(int nvectors, const Oid *types,
											   FileSet *files, int writer);

/* Nothing more is written: readers may open the files. */
extern void vector_spill_export(VectorSpill *spill);

/* For reading what writers 0 to nwriters - 1 have exported, as far as they are. */
extern VectorSpill *vector_spill_open_shared(int nvectors, const Oid *types,
											 FileSet *files, int nwriters);

/*
 * Append the rows of mask; the partition of a row is (hashes[slot] >> shift) %
 * SPILL_PARTITIONS.
 */
extern void vector_spill_write(VectorSpill *spill,
							   const Vector *const *vectors,
							   const uint64 *mask, const uint64 *hashes,
							   int shift);

/* Rows written to a partition, and bytes to all. */
extern uint64 vector_spill_nrows(const VectorSpill *spill, int partition);
extern uint64 vector_spill_bytes(const VectorSpill *spill);

/*
 * Read the next rows of a partition, up to VECTOR_LENGTH, as vectors that live
 * until the next read.  Returns how many; 0 at the end, where the partition's
 * file is removed.
 */
extern int	vector_spill_read(VectorSpill *spill, int partition,
							  Vector **vectors);

extern void vector_spill_free(VectorSpill *spill);

#endif							/* EXEC_VECTOR_SPILL_H */
