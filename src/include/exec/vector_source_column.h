/*
 * vector_source_column.h
 *		What batches of a scan and their columns share.
 */
#ifndef EXEC_VECTOR_SOURCE_COLUMN_H
#define EXEC_VECTOR_SOURCE_COLUMN_H

#include "exec/vector_source.h"

/*
 * A column of the current batch.  Vectors are made on demand; buffers are kept
 * from batch to batch.
 */
typedef struct SourceColumn
{
	ScanColumn *column;
	Form_pg_attribute attr;
	VectorForm	form;			/* of the type; numerics may be DATUM as well */
	ValueClass	value_class;
	bool		is_string;		/* decoded as strings */

	uint64		serial;			/* batch that all below is of */
	bool		is_missing;		/* added later: one value for all rows */
	bool		has_nulls;
	uint64	   *nulls;			/* by slot */
	bool		has_values;		/* vector is valid, but for strings, datums */
	bool		has_codes;
	bool		has_lengths;
	bool		has_all_datums; /* not only those of done_datums */
	uint64		done_strings[VECTOR_WORDS];
	uint64		done_datums[VECTOR_WORDS];
	Vector		vector;
	Vector		codes;
	Vector		lengths;

	/* The open segment's chunk. */
	uint64		segment_serial; /* that the dictionary is of */
	bool		has_dictionary;
	VectorDictionary dictionary;

	/* Memory. */
	uint64	   *null_buffer;
	int64	   *integer_buffer;
	uint64	   *bit_buffer;
	StringRef  *string_buffer;
	Datum	   *datum_buffer;
	bool	   *isnull_buffer;
	uint16	   *code_buffer;
	int64	   *length_buffer;
	StringRef  *entry_buffer;
	uint32		max_entries;
} SourceColumn;

typedef struct VectorSource
{
	VectorBatch batch;
	bool		is_vector;		/* else row pages */
	bool		is_current;		/* batch is the scan's batch */
	const uint16 *rows;			/* position of each slot, or NULL: the same */
	uint16		positions[VECTOR_LENGTH];	/* memory of rows */
	bool		is_timed;		/* inside of the scan's instrumentation */
	SourceColumn **columns;		/* by attribute number; NULL: not read */
	MemoryContext context;
} VectorSource;

/*
 * A serial for a batch or a dictionary; none is given twice in a process.  Never
 * 0.
 */
extern uint64 vector_source_new_serial(void);

/*
 * Work for the node above counts as the scan's, also when columns are asked for
 * between batches.  Returns whether to stop the clock again.
 */
extern bool vector_source_start_clock(VectorScanState *scan);
extern void vector_source_stop_clock(VectorScanState *scan, bool is_started,
									 int nrows);

#endif							/* EXEC_VECTOR_SOURCE_COLUMN_H */
