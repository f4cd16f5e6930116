/* Searches of a sequence with its runs collapsed. */
#ifndef DP_LOOPS_COLLAPSING_H
#define DP_LOOPS_COLLAPSING_H

#include "loops/detection.h"
#include "pattern/runs.h"

/* A sequence with its runs collapsed, and the patterns found in it. */
struct dp_collapsing {
	struct dp_runs runs; /* their positions are in the detection's sequence */
	uint8_t *traits;     /* of their symbols; NULL: unknown */
	double run_bits;     /* for how often each repeats, those inside others included */
	struct dp_levels levels;
	double bits;
};

/*
 * Finds how best to collapse the detection's sequence: which patterns then describe it better than
 * the flat ones do, or equally well and regularly. If the flat ones are regular, only runs that
 * vary in length are a reason to collapse. traits holds the enum dp_trait of each symbol, or is
 * NULL. *best is without symbols if none do. The caller releases it with fini, also after a
 * failure. Errors: DP_ERR_NOMEM.
 */
int dp_collapsing__find(struct dp_collapsing *best, const struct dp_detection *detection,
			const struct dp_levels *flat, uint8_t *traits);

void dp_collapsing__fini(struct dp_collapsing *collapsing);

#endif
