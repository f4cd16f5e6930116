/*
 * Makes a chosen allocation fail. A test that links this (dep_alloc_fail in meson.build) has the
 * linker lead malloc, calloc, realloc, aligned_alloc, strdup and free of the library's objects and
 * its own here; shared libraries keep theirs. A sweep tries every k until nothing is left to fail:
 *
 *	for (size_t k = 0, more = 1; more; k++) {
 *		alloc_fail_after(k);
 *		status = thing_new(&thing);
 *		more = alloc_fail_stop();
 *		ck_assert_int_eq(status, more ? DP_ERR_NOMEM : DP_OK);
 *	}
 *
 * Where a failure may be survived without being reported (a hint, a cache), check that instead.
 */
#ifndef DP_TEST_ALLOC_FAIL_H
#define DP_TEST_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/* The k-th allocation from here, counted from 0, fails; and only that one. */
void alloc_fail_after(size_t k);

/* The k-th allocation from here, and every later one, fail. */
void alloc_fail_from(size_t k);

/* No more failures; returns whether there was one. */
bool alloc_fail_stop(void);

/* Allocations since alloc_fail_after() or alloc_fail_from(), failed ones included. */
size_t alloc_fail_count(void);

/* The number of bytes allocated now; restarts the measurement of the maximum. */
size_t alloc_held(void);

/* The most bytes that were allocated at once since alloc_held(). */
size_t alloc_most_held(void);

#endif
