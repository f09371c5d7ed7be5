/*
 * unit.h
 *		A test harness in one header: tests register themselves.
 *
 *		UNIT_TEST(width_zero)
 *		{
 *			UNIT_CHECK(bitpack_length(5, 0) == 0);
 *		}
 *
 * A check that fails is printed and the test goes on.  Random values come from
 * unit_random, which starts anew from the printed seed in every test.
 */
#ifndef UNIT_H
#define UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/base.h"

typedef struct UnitTest
{
	const char *name;
	void		(*run) (void);
	struct UnitTest *next;
} UnitTest;

extern void unit_register(UnitTest *test);
extern void unit_fail(const char *file, int line, const char *format,...)
			__attribute__((format(printf, 3, 4)));

extern uint64_t unit_random(void);

/* malloc and free as an Allocator; unit_allocated is what is not yet freed. */
extern const Allocator unit_allocator;
extern size_t unit_allocated(void);

/* Compare bytes with hexadecimal digits; blanks among them do not count. */
extern bool unit_equals_hex(const uint8_t *bytes, size_t length, const char *hex);

#define UNIT_TEST(test) \
static void run_##test(void); \
static void __attribute__((constructor)) \
register_##test(void) \
{ \
	static UnitTest entry = {#test, run_##test, NULL}; \
\
	unit_register(&entry); \
} \
static void \
run_##test(void)

#define UNIT_CHECK(condition) \
	do { \
		if (!(condition)) \
			unit_fail(__FILE__, __LINE__, "%s", #condition); \
	} while (0)

/* With what to print, in printf's manner, if the condition does not hold. */
#define UNIT_CHECKF(condition, ...) \
	do { \
		if (!(condition)) \
			unit_fail(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)

#endif							/* UNIT_H */
