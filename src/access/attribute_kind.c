/*
 * attribute_kind.c
 *		How a type's values are stored: kind and class of its chunks.
 *
 * The kind decides the bytes and must be right for every type that anybody may
 * create, so it comes from length and passing alone.  The class only promises
 * an order to zone maps: it is given to types whose default btree order is
 * known to be that of the stored values, and withheld from all others.
 */
#include "postgres.h"

#include "access/attribute_kind.h"
#include "access/transam.h"
#include "catalog/pg_type_d.h"
#include "compat.h"
#include "utils/lsyscache.h"

/*
 * The type below any domains.  Types of the bootstrap catalog are no domains,
 * which saves the look-up for nearly every attribute.
 */
static Oid
attribute_base_type(Form_pg_attribute attr)
{
	if (!OidIsValid(attr->atttypid) ||
		attr->atttypid < FirstGenbkiObjectId)
		return attr->atttypid;
	return getBaseType(attr->atttypid);
}

ValueKind
attribute_kind(Form_pg_attribute attr)
{
	Oid			base;

	if (attr->attlen == -1)
		return attribute_base_type(attr) == NUMERICOID ?
			VALUE_NUMERIC : VALUE_BYTES;
	if (!attr->attbyval)
		return VALUE_BYTES;

	switch (attr->attlen)
	{
		case 1:
			return VALUE_INT8;
		case 2:
			return VALUE_INT16;
		case 4:
			base = attribute_base_type(attr);
			return base == FLOAT4OID ? VALUE_FLOAT32 : VALUE_INT32;
		case 8:
			base = attribute_base_type(attr);
			return base == FLOAT8OID ? VALUE_FLOAT64 : VALUE_INT64;
		default:
			elog(ERROR, "unexpected length %d of a type passed by value",
				 attr->attlen);
	}
	return VALUE_BYTES;			/* keep compiler quiet */
}

/*
 * Types of length -1 or passed by reference are in memcmp order only where
 * their comparison function says so for all stored bytes: not name (bytes
 * behind the terminator), char(n) (trailing blanks) or bit strings (length
 * first).  Text is in memcmp order here whatever its collation; who uses the
 * zone map looks at that.
 */
static ValueClass
type_class(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case MONEYOID:
			return CLASS_SIGNED;
		case BOOLOID:
		case CHAROID:
		case OIDOID:
		case XID8OID:
		case PG_LSNOID:
		case REGPROCOID:
		case REGPROCEDUREOID:
		case REGOPEROID:
		case REGOPERATOROID:
		case REGCLASSOID:
		case REGCOLLATIONOID:
		case REGTYPEOID:
		case REGROLEOID:
		case REGNAMESPACEOID:
		case REGCONFIGOID:
		case REGDICTIONARYOID:
			return CLASS_UNSIGNED;
		case FLOAT4OID:
		case FLOAT8OID:
			return CLASS_FLOAT;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
		case UUIDOID:
		case MACADDROID:
		case MACADDR8OID:
			return CLASS_BYTES;
		case NUMERICOID:
			return CLASS_NUMERIC;
		default:
			return CLASS_NONE;
	}
}

ValueClass
attribute_class(Form_pg_attribute attr)
{
	ValueClass	value_class = type_class(attribute_base_type(attr));

	/* 8-byte types are passed by reference on some platforms. */
	if (attribute_kind(attr) == VALUE_BYTES && value_class != CLASS_BYTES)
		return CLASS_NONE;
	return value_class;
}

static void
shape_add(ValueShape *shape, int width, bool is_float)
{
	Assert(shape->nnumbers < CHUNK_MAX_FIELDS);
	shape->numbers[shape->nnumbers].width = width;
	shape->numbers[shape->nnumbers++].is_float = is_float;
}

/*
 * The shape of a type of which only length and alignment are known: numbers of
 * the greatest width that it aligns.  What aligns bytes is left as it is.
 */
static void
guess_shape(Form_pg_attribute attr, ValueShape *shape)
{
	int			width = attr->attalign == TYPALIGN_DOUBLE ? sizeof(int64) :
		attr->attalign == TYPALIGN_INT ? sizeof(int32) : sizeof(int16);
	int			left = attr->attlen;

	if (attr->attalign == TYPALIGN_CHAR || left > CHUNK_MAX_FIELDS * width)
		return;
	shape->is_divided = true;
	shape->is_guess = true;
	for (; width >= (int) sizeof(int16); width /= 2)
	{
		for (; left >= width && shape->nnumbers < CHUNK_MAX_FIELDS; left -= width)
		{
			shape->numbers[shape->nnumbers].may_be_float = width == sizeof(int64);
			shape_add(shape, width, false);
		}
	}
}

/*
 * Numbers are as the types' structures have them; of varlenas, behind their
 * length.
 */
void
attribute_shape(Form_pg_attribute attr, ValueShape *shape)
{
	memset(shape, 0, sizeof(ValueShape));
	if (attr->attbyval)
		return;

	switch (attribute_base_type(attr))
	{
		case UUIDOID:
		case MACADDROID:
		case MACADDR8OID:
			break;				/* nothing but bytes */
		case INETOID:
		case CIDROID:
			shape_add(shape, sizeof(uint8), false); /* family */
			shape_add(shape, sizeof(uint8), false); /* bits of the netmask */
			break;
		case BITOID:
		case VARBITOID:
			shape_add(shape, sizeof(int32), false); /* number of bits */
			break;
		case INTERVALOID:
			shape_add(shape, sizeof(int64), false); /* microseconds */
			shape_add(shape, sizeof(int32), false); /* days */
			shape_add(shape, sizeof(int32), false); /* months */
			break;
		case TIMETZOID:
			shape_add(shape, sizeof(int64), false); /* time */
			shape_add(shape, sizeof(int32), false); /* zone */
			break;
		case TIDOID:
			for (int i = 0; i < 3; i++)
				shape_add(shape, sizeof(uint16), false);
			break;
		case POINTOID:
		case LSEGOID:
		case BOXOID:
		case LINEOID:
		case CIRCLEOID:
			for (int i = 0; i < attr->attlen / (int) sizeof(double); i++)
				shape_add(shape, sizeof(double), true);
			break;
		default:
			if (attr->attlen > 0)
				guess_shape(attr, shape);
			return;
	}
	shape->is_divided = true;
}

int
value_kind_width(ValueKind kind)
{
	switch (kind)
	{
		case VALUE_INT8:
			return 1;
		case VALUE_INT16:
			return 2;
		case VALUE_INT32:
		case VALUE_FLOAT32:
			return 4;
		case VALUE_INT64:
		case VALUE_FLOAT64:
			return 8;
		case VALUE_BYTES:
		case VALUE_NUMERIC:
			break;
	}
	elog(ERROR, "values of kind %d have no fixed width", (int) kind);
	return 0;					/* keep compiler quiet */
}
