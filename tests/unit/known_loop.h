/* A loop of iterations that a test knows. */
#ifndef DP_TEST_KNOWN_LOOP_H
#define DP_TEST_KNOWN_LOOP_H

#include "loops/loops.h"

#include <check.h>

/* Makes a list of one loop, of known iterations; NULL if memory runs out. */
static inline struct dp_loops *mark(const uint32_t *symbols, const size_t *starts,
				    const size_t *ends, size_t n, size_t partial)
{
	struct dp_sequence_iteration iterations[64] = { { 0 } };
	struct dp_loops *loops = calloc(1, sizeof(*loops));

	ck_assert_uint_le(n, 64);
	for (size_t i = 0; i < n; i++) {
		iterations[i].first = starts[i];
		iterations[i].end = ends[i];
		iterations[i].partial = i == partial;
	}
	if (loops && dp_loops__add_known(loops, symbols, iterations, n))
		return loops;
	dp_loops__free(loops);
	return NULL;
}

#endif
