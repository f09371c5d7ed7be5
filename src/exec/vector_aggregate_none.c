/*
 * vector_aggregate_none.c
 *		No aggregate is known yet; vector_aggregate.c takes this file's place.
 */
#include "postgres.h"

#include "exec/vector_aggregate.h"

bool
vector_aggregate_is_known(const Aggref *aggref)
{
	return false;
}

VectorAggregate *
vector_aggregate_create(const Aggref *aggref)
{
	elog(ERROR, "unknown aggregate");
}

Size
vector_aggregate_state_size(const VectorAggregate *aggregate)
{
	return 0;
}

Size
vector_aggregate_memory(const VectorAggregate *aggregate)
{
	return 0;
}

void
vector_aggregate_grow(VectorAggregate *aggregate, uint32 ngroups)
{
}

void
vector_aggregate_update(VectorAggregate *aggregate, const Vector *argument,
						const uint64 *mask, const uint32 *groups)
{
}

bool
vector_aggregate_knows_segment(const VectorAggregate *aggregate,
							   const AttributeEntry *entry,
							   Form_pg_attribute attr)
{
	return false;
}

void
vector_aggregate_add_segment(VectorAggregate *aggregate,
							 const AttributeEntry *entry,
							 Form_pg_attribute attr, uint32 nrows)
{
}

Datum
vector_aggregate_result(VectorAggregate *aggregate, uint32 group,
						bool *isnull)
{
	elog(ERROR, "unknown aggregate");
}

void
vector_aggregate_reset(VectorAggregate *aggregate)
{
}
