/*
 * packed_column.h
 *		Short columns of directories: a base and bit-packed differences.
 *
 * A head has one entry per vector for lengths, encodings, null counts, minima
 * and so on.  Each of these is one packed column, which costs two or three
 * bytes where all entries are equal, and of which one entry can be read alone.
 *	offset	size	field
 *	0		1		width, bits per entry, 0 to 64
 *	1		1		base length b, 0 to 8
 *	2		b		base, the least entry
 *	2 + b	...		entries less base, bit-packed
 */
#ifndef ENCODING_PACKED_COLUMN_H
#define ENCODING_PACKED_COLUMN_H

#include "encoding/bytebuffer.h"

typedef struct PackedColumn
{
	const uint8_t *bits;
	size_t		bits_length;
	uint64_t	base;
	uint32_t	count;
	int			width;
} PackedColumn;

extern void packed_column_write(ByteBuffer *buffer, const uint64_t *values,
								uint32_t count);

/* Returns false if the cursor does not hold a column of count entries. */
extern bool packed_column_parse(ByteCursor *cursor, uint32_t count,
								PackedColumn *column);

extern uint64_t packed_column_get(const PackedColumn *column, uint32_t index);

/* values has room for DECODE_SLACK_VALUES more. */
extern void packed_column_unpack(const PackedColumn *column, uint64_t *values);

#endif							/* ENCODING_PACKED_COLUMN_H */
