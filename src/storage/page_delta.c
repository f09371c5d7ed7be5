/*
 * page_delta.c
 *		Generic WAL records of a few bytes that the caller knows.
 *
 * The data of a block in such a record is a sequence of parts: offset in the
 * page and length, both uint16 in native order, then the bytes
 * (src/backend/access/transam/generic_xlog.c).
 */
#include "postgres.h"

#include "compat.h"

#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/page_delta.h"

void
page_delta_begin(PageDelta *delta, Buffer buffer)
{
	delta->buffer = buffer;
	delta->force_image = false;
	delta->length = 0;
}

void
page_delta_add(PageDelta *delta, const void *part, uint16 length)
{
	uint16		offset = (uint16) ((const char *) part -
								   (char *) BufferGetPage(delta->buffer));
	char	   *next = delta->bytes + delta->length;

	Assert(offset + length <= BLCKSZ);
	Assert(delta->length + 2 * sizeof(uint16) + length <= PAGE_DELTA_LENGTH);

	memcpy(next, &offset, sizeof(uint16));
	memcpy(next + sizeof(uint16), &length, sizeof(uint16));
	memcpy(next + 2 * sizeof(uint16), part, length);
	delta->length += 2 * sizeof(uint16) + length;
}

void
page_delta_add_space(PageDelta *delta)
{
	PageHeader	header = (PageHeader) BufferGetPage(delta->buffer);

	StaticAssertStmt(offsetof(PageHeaderData, pd_upper) ==
					 offsetof(PageHeaderData, pd_flags) + sizeof(uint16) +
					 sizeof(LocationIndex),
					 "pd_flags, pd_lower and pd_upper are logged together");
	page_delta_add(delta, &header->pd_flags,
				   sizeof(uint16) + 2 * sizeof(LocationIndex));
}

void
page_delta_log(Relation rel, const PageDelta *deltas, int ndeltas)
{
	XLogRecPtr	lsn;

	Assert(CritSectionCount > 0);

	for (int i = 0; i < ndeltas; i++)
		MarkBufferDirty(deltas[i].buffer);
	if (!RelationNeedsWAL(rel))
		return;

	XLogBeginInsert();
	for (int i = 0; i < ndeltas; i++)
	{
		XLogRegisterBuffer(i, deltas[i].buffer, REGBUF_STANDARD |
						   (deltas[i].force_image ? REGBUF_FORCE_IMAGE : 0));
		XLogRegisterBufData(i, (char *) deltas[i].bytes, deltas[i].length);
	}
	lsn = XLogInsert(RM_GENERIC_ID, 0);
	for (int i = 0; i < ndeltas; i++)
		PageSetLSN(BufferGetPage(deltas[i].buffer), lsn);
}
