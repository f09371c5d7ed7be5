/*
 * guard.h
 *		Memory that ends where the next page cannot be touched.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stddef.h>
#include <stdint.h>

typedef struct Guard
{
	uint8_t    *pages;
	size_t		size;			/* of what can be touched */
} Guard;

/* Room for at least size bytes, followed by a page without access. */
extern void guard_init(Guard *guard, size_t size);
extern void guard_free(Guard *guard);

/* The last length bytes before the forbidden page. */
static inline uint8_t *
guard_end(const Guard *guard, size_t length)
{
	return guard->pages + guard->size - length;
}

#endif							/* GUARD_H */
