/*
 * Of each assertion only the first success is recorded; the linker leads Check's calls to this
 * (--wrap, meson.build). Check writes a message about every one, for the place that is printed where
 * a test crashes, and reads all of them again: in tests that compare iterations one by one that was
 * most of the time. A failure still names its own line.
 */
#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLACES = 1 << 14 };

void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

/* Two assertions may share a place: then the second is not recorded. */
void __wrap__mark_point(const char *file, int line)
{
	static atomic_bool seen[PLACES];
	size_t place = ((uintptr_t)file + (size_t)line) % PLACES;

	if (!atomic_exchange_explicit(&seen[place], true, memory_order_relaxed))
		__real__mark_point(file, line);
}
