/*
 * guard.c
 *		Memory that ends where the next page cannot be touched.
 */
#include "guard.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void
guard_init(Guard *guard, size_t size)
{
	size_t		page = (size_t) sysconf(_SC_PAGESIZE);

	guard->size = (size + page - 1) / page * page;
	guard->pages = mmap(NULL, guard->size + page, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guard->pages == MAP_FAILED ||
		mprotect(guard->pages + guard->size, page, PROT_NONE) != 0)
		abort();
}

void
guard_free(Guard *guard)
{
	munmap(guard->pages, guard->size + (size_t) sysconf(_SC_PAGESIZE));
}
