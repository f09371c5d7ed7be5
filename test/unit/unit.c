/*
 * unit.c
 *		Runs the registered tests: unit [seed [part of a name]].
 *
 * The exit status is 1 if a test failed or none ran.
 */
#include "unit.h"

#include <stdarg.h>
#include <time.h>

/* Failures of one test that are printed. */
#define MAX_PRINTED 10

static UnitTest *first_test = NULL;
static const char *current_name;
static int	current_failures;
static uint64_t seed;
static uint64_t random_state;
static size_t allocated = 0;

/* Keep the list in order of names: constructors run in the linker's order. */
void
unit_register(UnitTest *test)
{
	UnitTest  **place = &first_test;

	while (*place != NULL && strcmp((*place)->name, test->name) < 0)
		place = &(*place)->next;
	test->next = *place;
	*place = test;
}

void
unit_fail(const char *file, int line, const char *format,...)
{
	va_list		args;

	if (current_failures++ >= MAX_PRINTED)
		return;
	printf("%s: %s:%d: ", current_name, file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* splitmix64 */
uint64_t
unit_random(void)
{
	uint64_t	z = (random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Blocks begin with their size, in a header that keeps them aligned. */
#define HEADER_SIZE 16

static void *
unit_alloc(void *context, size_t size)
{
	uint8_t    *block = malloc(HEADER_SIZE + size);

	if (block == NULL)
		abort();
	memcpy(block, &size, sizeof(size));
	allocated += size;
	return block + HEADER_SIZE;
}

static void
unit_free(void *context, void *pointer)
{
	uint8_t    *block = (uint8_t *) pointer - HEADER_SIZE;
	size_t		size;

	memcpy(&size, block, sizeof(size));
	allocated -= size;
	free(block);
}

static void *
unit_realloc(void *context, void *pointer, size_t size)
{
	void	   *grown = unit_alloc(context, size);
	size_t		old_size;

	memcpy(&old_size, (uint8_t *) pointer - HEADER_SIZE, sizeof(old_size));
	memcpy(grown, pointer, old_size < size ? old_size : size);
	unit_free(context, pointer);
	return grown;
}

const Allocator unit_allocator = {unit_alloc, unit_realloc, unit_free, NULL};

size_t
unit_allocated(void)
{
	return allocated;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool
unit_equals_hex(const uint8_t *bytes, size_t length, const char *hex)
{
	size_t		ndigits = 0;

	for (; *hex != '\0'; hex++)
	{
		int			digit = hex_digit(*hex);

		if (digit < 0)
			continue;
		if (ndigits / 2 >= length ||
			digit != (bytes[ndigits / 2] >> (ndigits % 2 == 0 ? 4 : 0) & 15))
			return false;
		ndigits++;
	}
	return ndigits == 2 * length;
}

/* Returns whether the test passed. */
static bool
run_test(const UnitTest *test)
{
	size_t		before = allocated;

	current_name = test->name;
	current_failures = 0;
	random_state = seed;
	test->run();
	if (allocated != before)
		unit_fail(__FILE__, __LINE__, "%zu bytes are not freed",
				  allocated - before);
	if (current_failures > MAX_PRINTED)
		printf("%s: %d checks failed\n", current_name, current_failures);
	return current_failures == 0;
}

int
main(int argc, char **argv)
{
	const char *part = argc > 2 ? argv[2] : "";
	int			npassed = 0;
	int			nfailed = 0;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t) time(NULL);
	printf("seed %" PRIu64 "\n", seed);
	for (UnitTest *test = first_test; test != NULL; test = test->next)
	{
		if (strstr(test->name, part) == NULL)
			continue;
		if (run_test(test))
			npassed++;
		else
			nfailed++;
	}
	printf("%d passed, %d failed\n", npassed, nfailed);
	return nfailed > 0 || npassed == 0;
}
