/*
 * attribute_kind.h
 *		How a type's values are stored: kind and class of its chunks.
 */
#ifndef ACCESS_ATTRIBUTE_KIND_H
#define ACCESS_ATTRIBUTE_KIND_H

#include "access/tupdesc.h"
#include "encoding/chunk.h"

/*
 * Kind of the chunks of an attribute: by typlen and typbyval alone for all but
 * float4, float8 and numeric, so that it is right for every type.  Fixed-length
 * types passed by reference (uuid, name, interval) are VALUE_BYTES.
 */
extern ValueKind attribute_kind(Form_pg_attribute attr);

/* Order of the attribute's present type, looking through domains. */
extern ValueClass attribute_class(Form_pg_attribute attr);

/*
 * How values passed by reference divide into numbers, which is a hint to the
 * encoder: chunks say themselves how their values are stored.
 */
extern void attribute_shape(Form_pg_attribute attr, ValueShape *shape);

/* Bytes of a value of a fixed-width kind. */
extern int	value_kind_width(ValueKind kind);

#endif							/* ACCESS_ATTRIBUTE_KIND_H */
