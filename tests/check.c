/*
 * What Check does otherwise here; the linker leads its calls to these (--wrap, meson.build).
 *
 * One test of a program runs by its name: TEST=few_descriptors build-gcc/tests/fake/test_trouble.
 *
 * Of each assertion only the first success is recorded. Check writes a message about every one, for
 * the place that is printed where a test crashes, and reads all of them again: in tests that compare
 * iterations one by one that was most of the time. A failure still names its own line.
 */
#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1 << 14 };

void __real__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end);
void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end);
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

void __wrap__tcase_add_test(TCase *tests, const TTest *test, int signal, int status, int start,
			    int end)
{
	const char *name = getenv("TEST");

	if (!name || !strcmp(name, test->name))
		__real__tcase_add_test(tests, test, signal, status, start, end);
}

/* Two assertions may share a place: then the second is not recorded. */
void __wrap__mark_point(const char *file, int line)
{
	static atomic_bool seen[PLACES];
	size_t place = ((uintptr_t)file + (size_t)line) % PLACES;

	if (!atomic_exchange_explicit(&seen[place], true, memory_order_relaxed))
		__real__mark_point(file, line);
}
