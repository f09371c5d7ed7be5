/*
 * fields.h
 *		Strings of one length, divided into numbers.
 *
 * An interval is three numbers, an IPv4 address another four bytes, a uuid two
 * halves of eight: each of these *fields* is a stream of integers, which takes
 * less than strings of bytes do.  See fields_writer.c.
 */
#ifndef ENCODING_FIELDS_H
#define ENCODING_FIELDS_H

#include "encoding/chunk_format.h"
#include "encoding/int_stream.h"

/* Longest string that is divided. */
#define FIELDS_MAX_LENGTH 64

/* How a field is described: its bytes, 1 to 8, and these; on disk. */
#define FIELD_WIDTH_MASK 0x0f
#define FIELD_IS_BYTES 0x10		/* the first byte is the most significant */
#define FIELD_IS_FLOAT 0x20
#define FIELD_KNOWN_BITS 0x3f

static inline int
field_width(int field)
{
	return field & FIELD_WIDTH_MASK;
}

/* The integers that stand for a field. */
static inline IntType
field_int_type(int field)
{
	int			width = field_width(field);
	IntType		type;

	type.size = width <= 2 ? width : width <= 4 ? 4 : 8;
	type.is_float = (field & FIELD_IS_FLOAT) != 0;
	type.is_signed = (field & (FIELD_IS_BYTES | FIELD_IS_FLOAT)) == 0;
	return type;
}

/* A divided chunk being read. */
typedef struct FieldsReader
{
	uint32_t	length;			/* of each string */
	int			nfields;		/* 0: strings are stored as they are */
	uint8_t		fields[CHUNK_MAX_FIELDS];
	IntStream	streams[CHUNK_MAX_FIELDS];
	uint32_t	vector;			/* that strings are of */
	uint64_t	values[VECTOR_LENGTH + DECODE_SLACK_VALUES];
	uint8_t		single[FIELDS_MAX_LENGTH];
	uint8_t		strings[];		/* VECTOR_LENGTH, but none if nfields is 0 */
} FieldsReader;

#endif							/* ENCODING_FIELDS_H */
