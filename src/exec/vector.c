/*
 * vector.c
 *		Values of the vectorised pipeline: forms, and the way to Datums.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "exec/vector.h"
#include "fmgr.h"
#include "encoding/numeric_codec.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

const int64 vector_powers_of_ten[MAX_POWER_OF_TEN + 1] = {
	INT64CONST(1),
	INT64CONST(10),
	INT64CONST(100),
	INT64CONST(1000),
	INT64CONST(10000),
	INT64CONST(100000),
	INT64CONST(1000000),
	INT64CONST(10000000),
	INT64CONST(100000000),
	INT64CONST(1000000000),
	INT64CONST(10000000000),
	INT64CONST(100000000000),
	INT64CONST(1000000000000),
	INT64CONST(10000000000000),
	INT64CONST(100000000000000),
	INT64CONST(1000000000000000),
	INT64CONST(10000000000000000),
	INT64CONST(100000000000000000),
	INT64CONST(1000000000000000000)
};

static Size
form_bytes(VectorForm form)
{
	switch (form)
	{
		case FORM_BOOLEAN:
			return sizeof(uint64) * VECTOR_WORDS;
		case FORM_INTEGER:
		case FORM_NUMERIC:
			return sizeof(int64) * (VECTOR_LENGTH + DECODE_SLACK_VALUES);
		case FORM_FLOAT:
			return sizeof(double) * (VECTOR_LENGTH + DECODE_SLACK_VALUES);
		case FORM_STRING:
			return sizeof(StringRef) * VECTOR_LENGTH;
		case FORM_DATUM:
			return sizeof(Datum) * VECTOR_LENGTH;
	}
	return 0;
}

Vector *
vector_create(VectorForm form)
{
	Vector	   *vector = palloc0(sizeof(Vector));

	vector->form = form;
	vector->data = palloc0(form_bytes(form));
	vector->nulls = palloc0(sizeof(uint64) * VECTOR_WORDS);
	return vector;
}

/* Is a string's value its bytes, and the other way round? */
static bool
type_is_bytes(Oid type, int32 typmod, Oid collation)
{
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case NAMEOID:
			return OidIsValid(collation) &&
				get_collation_isdeterministic(collation);
		case BPCHAROID:
			/* Values of one length have their blanks, others may lack them. */
			return typmod >= 0 && OidIsValid(collation) &&
				get_collation_isdeterministic(collation);
		case BYTEAOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

VectorForm
vector_form_of_type(Oid type, int32 typmod, Oid collation)
{
	switch (type)
	{
		case BOOLOID:
			return FORM_BOOLEAN;
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
			return FORM_INTEGER;
		case FLOAT4OID:
		case FLOAT8OID:
			return FORM_FLOAT;
		case NUMERICOID:
			return FORM_NUMERIC;
		default:
			if (type_is_enum(type))
				return FORM_INTEGER;
			return type_is_bytes(type, typmod, collation) ?
				FORM_STRING : FORM_DATUM;
	}
}

/* A string as a value of its type. */
static Datum
string_datum(const StringRef *string, Oid type)
{
	int16		length;
	bool		is_byval;
	char	   *value;

	if (type == UUIDOID || type == NAMEOID)
	{
		get_typlenbyval(type, &length, &is_byval);
		value = palloc0(length);
		memcpy(value, string->data, Min(string->length, (uint32) length));
		return PointerGetDatum(value);
	}
	value = palloc(VARHDRSZ + (Size) string->length);
	SET_VARSIZE(value, VARHDRSZ + string->length);
	memcpy(VARDATA(value), string->data, string->length);
	return PointerGetDatum(value);
}

/* value / 10^scale as a numeric of that display scale. */
static Datum
scaled_datum(int64 value, int scale)
{
	WideInt		wide = {value < 0 ? -1 : 0, (uint64) value};
	char	   *numeric = palloc(VARHDRSZ + NUMERIC_BUILD_LENGTH);
	Size		length = numeric_build(wide, scale, scale,
									   (uint8 *) VARDATA(numeric));

	SET_VARSIZE(numeric, VARHDRSZ + length);
	return PointerGetDatum(numeric);
}

Datum
vector_datum(const Vector *vector, int slot, Oid type)
{
	switch (vector->form)
	{
		case FORM_BOOLEAN:
			return BoolGetDatum(vector_bit(vector->bits, slot));
		case FORM_INTEGER:
			switch (type)
			{
				case BOOLOID:
					return BoolGetDatum(vector->integers[slot] != 0);
				case CHAROID:
					return CharGetDatum((char) vector->integers[slot]);
				case INT2OID:
					return Int16GetDatum((int16) vector->integers[slot]);
				case INT4OID:
				case DATEOID:
					return Int32GetDatum((int32) vector->integers[slot]);
				case INT8OID:
				case TIMEOID:
				case TIMESTAMPOID:
				case TIMESTAMPTZOID:
				case CASHOID:
					return Int64GetDatum(vector->integers[slot]);
				default:		/* OIDs, those of enums among them */
					return ObjectIdGetDatum((Oid) vector->integers[slot]);
			}
		case FORM_FLOAT:
			if (type == FLOAT4OID)
				return Float4GetDatum((float4) vector->floats[slot]);
			return Float8GetDatum(vector->floats[slot]);
		case FORM_NUMERIC:
			return scaled_datum(vector->integers[slot], vector->scale);
		case FORM_STRING:
			return string_datum(&vector->strings[slot], type);
		case FORM_DATUM:
			return vector->datums[slot];
	}
	return (Datum) 0;
}

/* The bytes of a Datum of the type. */
static StringRef
datum_string(Datum value, Oid type)
{
	StringRef	string;

	if (type == UUIDOID)
	{
		string.data = (const uint8 *) DatumGetPointer(value);
		string.length = 16;
	}
	else if (type == NAMEOID)
	{
		string.data = (const uint8 *) DatumGetPointer(value);
		string.length = NAMEDATALEN;
	}
	else
	{
		struct varlena *bytes =
			pg_detoast_datum_packed((struct varlena *) DatumGetPointer(value));

		string.data = (const uint8 *) VARDATA_ANY(bytes);
		string.length = VARSIZE_ANY_EXHDR(bytes);
	}
	return string;
}

void
vector_store_datum(Vector *vector, int slot, Oid type, Datum value)
{
	uint64		bit = UINT64CONST(1) << (slot % 64);

	switch (vector->form)
	{
		case FORM_BOOLEAN:
			vector->bits[slot / 64] &= ~bit;
			if (DatumGetBool(value))
				vector->bits[slot / 64] |= bit;
			break;
		case FORM_INTEGER:
			switch (type)
			{
				case BOOLOID:
					vector->integers[slot] = DatumGetBool(value);
					break;
				case CHAROID:
					vector->integers[slot] = (uint8) DatumGetChar(value);
					break;
				case INT2OID:
					vector->integers[slot] = DatumGetInt16(value);
					break;
				case INT4OID:
				case DATEOID:
					vector->integers[slot] = DatumGetInt32(value);
					break;
				case INT8OID:
				case TIMEOID:
				case TIMESTAMPOID:
				case TIMESTAMPTZOID:
				case CASHOID:
					vector->integers[slot] = DatumGetInt64(value);
					break;
				default:
					vector->integers[slot] = DatumGetObjectId(value);
					break;
			}
			break;
		case FORM_FLOAT:
			vector->floats[slot] = type == FLOAT4OID ?
				DatumGetFloat4(value) : DatumGetFloat8(value);
			break;
		case FORM_STRING:
			vector->strings[slot] = datum_string(value, type);
			break;
		case FORM_DATUM:
			vector->datums[slot] = value;
			break;
		case FORM_NUMERIC:
			elog(ERROR, "numerics are stored as datums");
	}
}
