/*
 * packed_column.c
 *		Short columns of directories: a base and bit-packed differences.
 */
#include "encoding/base.h"

#include "encoding/bitpack.h"
#include "encoding/packed_column.h"

void
packed_column_write(ByteBuffer *buffer, const uint64_t *values, uint32_t count)
{
	const Allocator *allocator = buffer->allocator;
	uint64_t	base = count > 0 ? values[0] : 0;
	uint64_t	all = 0;
	uint64_t   *codes;
	int			width;
	size_t		length;

	for (uint32_t i = 1; i < count; i++)
		base = values[i] < base ? values[i] : base;
	codes = allocator_array(allocator, count + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i < count; i++)
	{
		codes[i] = values[i] - base;
		all |= codes[i];
	}
	width = bitpack_width(all);
	length = bitpack_length(count, width);
	bytebuffer_append_uint(buffer, (uint64_t) width, 1);
	bytebuffer_append_uint(buffer, (uint64_t) uint_length(base), 1);
	bytebuffer_append_uint(buffer, base, uint_length(base));
	bitpack_pack(codes, count, width, bytebuffer_reserve(buffer, length));
	buffer->length += length;
	allocator_release(allocator, codes);
}

bool
packed_column_parse(ByteCursor *cursor, uint32_t count, PackedColumn *column)
{
	int			width = (int) cursor_uint(cursor, 1);
	int			base_length = (int) cursor_uint(cursor, 1);

	if (width > 64 || base_length > 8)
		return false;
	column->width = width;
	column->count = count;
	column->base = cursor_uint(cursor, base_length);
	column->bits_length = bitpack_length(count, width);
	column->bits = cursor_bytes(cursor, column->bits_length);
	return !cursor->failed &&
		bitpack_padding_is_zero(column->bits, count, width);
}

uint64_t
packed_column_get(const PackedColumn *column, uint32_t index)
{
	uint64_t	code[1 + DECODE_SLACK_VALUES];

	ENCODING_ASSERT(index < column->count);
	if (column->width == 0)
		return column->base;
	(void) bitpack_unpack(column->bits, column->bits_length, index, 1,
						  column->width, code, sizeof(uint64_t));
	return column->base + code[0];
}

void
packed_column_unpack(const PackedColumn *column, uint64_t *values)
{
	(void) bitpack_unpack(column->bits, column->bits_length, 0, column->count,
						  column->width, values, sizeof(uint64_t));
	for (uint32_t i = 0; i < column->count; i++)
		values[i] += column->base;
}
