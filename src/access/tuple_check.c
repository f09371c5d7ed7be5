/*
 * tuple_check.c
 *		Row-form tuples are bytes from disk, too.
 *
 * The server's code for taking heap tuples apart believes every length in
 * them.  That a tuple lies within its page has been checked when the page was
 * read; here it is that its values lie within the tuple.  The descriptor is the
 * one by which the tuple will be taken apart, which may be an older one than
 * the relation's (ALTER TABLE).
 */
#include "postgres.h"

#include "compat.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "access/tuple_check.h"
#include "utils/lsyscache.h"

pg_noreturn static void report(HeapTuple tuple, const char *detail, int n);

static void
report(HeapTuple tuple, const char *detail, int n)
{
	char	   *name = get_rel_name(tuple->t_tableOid);

	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("invalid row (%u,%u) in columnar table \"%s\"",
					ItemPointerGetBlockNumberNoCheck(&tuple->t_self),
					ItemPointerGetOffsetNumberNoCheck(&tuple->t_self),
					name ? name : "?"),
			 errdetail_internal(detail, n)));
}

/*
 * Bytes of a varlena of which left bytes remain in the tuple; 0 if it cannot
 * be one.
 */
static inline Size
varlena_length(const char *value, Size left)
{
	if (VARATT_IS_1B_E(value))
	{
		if (left < VARHDRSZ_EXTERNAL || VARTAG_EXTERNAL(value) != VARTAG_ONDISK)
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

/* Bytes of the value at offset of the tuple's data, or 0. */
static inline Size
value_length(Form_pg_attribute attr, const char *data, Size *offset,
			 Size length)
{
	if (attr->attlen == -1)
	{
		if (*offset >= length)
			return 0;
		*offset = att_align_pointer(*offset, attr->attalign, -1, data + *offset);
		return *offset < length ? varlena_length(data + *offset, length - *offset) : 0;
	}

	*offset = att_align_nominal(*offset, attr->attalign);
	if (attr->attlen > 0)
		return attr->attlen;
	return *offset < length ? strnlen(data + *offset, length - *offset) + 1 : 0;
}

int
tuple_damage(TupleDesc desc, HeapTuple tuple)
{
	HeapTupleHeader header = tuple->t_data;
	int			natts = HeapTupleHeaderGetNatts(header);
	bool		has_nulls = (header->t_infomask & HEAP_HASNULL) != 0;
	Size		header_length = SizeofHeapTupleHeader +
		(has_nulls ? BITMAPLEN(natts) : 0);
	const char *data = (const char *) header + header->t_hoff;
	Size		length = tuple->t_len - header->t_hoff;
	Size		offset = 0;

	if (header->t_hoff > tuple->t_len || header->t_hoff < header_length)
		return TUPLE_BAD_HEADER;

	for (int i = 0; i < Min(natts, desc->natts); i++)
	{
		Size		size;

		if (has_nulls && att_isnull(i, header->t_bits))
			continue;
		size = value_length(TupleDescAttr(desc, i), data, &offset, length);
		if (size == 0 || offset > length || size > length - offset)
			return i + 1;
		offset += size;
	}
	return TUPLE_SOUND;
}

void
tuple_check(TupleDesc desc, HeapTuple tuple)
{
	int			damage = tuple_damage(desc, tuple);

	if (damage == TUPLE_BAD_HEADER)
		report(tuple, "The row has a header of %d bytes.", tuple->t_data->t_hoff);
	if (damage != TUPLE_SOUND)
		report(tuple, "Attribute %d does not end within the row.", damage);
}
