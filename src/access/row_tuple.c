/*
 * row_tuple.c
 *		Is a heap tuple from disk what the server's code takes it for?
 *
 * heap trusts the lengths in its tuples: one flipped bit may make a copy read
 * a gigabyte behind the page.  Here no byte from disk is trusted, so each tuple
 * of a row page is walked through once before it is given to that code.
 */
#include "postgres.h"

#include "compat.h"

#include "access/row_tuple.h"
#include "access/tupmacs.h"

/*
 * Bytes of the value that starts at value, of which left bytes remain; 0 if
 * that cannot be.
 */
static inline uint32
value_length(Form_pg_attribute attr, const char *value, uint32 left)
{
	if (attr->attlen > 0)
		return attr->attlen;
	if (attr->attlen == -2)
		return strnlen(value, left) + 1;

	if (VARATT_IS_1B_E(value))
	{
		/* other tags stand for pointers in memory */
		if (left < VARHDRSZ_EXTERNAL ||
			VARTAG_EXTERNAL(value) != VARTAG_ONDISK)
			return 0;
		return VARSIZE_EXTERNAL(value);
	}
	if (VARATT_IS_1B(value))
		return VARSIZE_1B(value);
	if (left < VARHDRSZ || VARSIZE_4B(value) < VARHDRSZ)
		return 0;
	if (VARATT_IS_4B_C(value) && VARSIZE_4B(value) < VARHDRSZ_COMPRESSED)
		return 0;
	return VARSIZE_4B(value);
}

int
row_tuple_damage(TupleDesc desc, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	int			natts = HeapTupleHeaderGetNatts(header);
	bool		has_nulls = (header->t_infomask & HEAP_HASNULL) != 0;
	uint32		expected = SizeofHeapTupleHeader;
	const char *data;
	uint32		length;
	uint32		offset = 0;

	if (has_nulls)
		expected += BITMAPLEN(natts);
	if (natts > desc->natts || header->t_hoff != MAXALIGN(expected) ||
		header->t_hoff > tuple->t_len)
		return ROW_TUPLE_BAD_HEADER;

	data = (const char *) header + header->t_hoff;
	length = tuple->t_len - header->t_hoff;
	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute attr = TupleDescAttr(desc, i);
		uint32		size = 0;

		if (has_nulls && att_isnull(i, header->t_bits))
			continue;
		if (attr->attlen != -1)
			offset = att_align_nominal(offset, attr->attalign);
		else if (offset < length)
			offset = att_align_pointer(offset, attr->attalign, -1, data + offset);
		if (offset < length)
			size = value_length(attr, data + offset, length - offset);
		if (size == 0 || size > length - offset)
			return i + 1;
		offset += size;
	}
	return ROW_TUPLE_SOUND;
}
