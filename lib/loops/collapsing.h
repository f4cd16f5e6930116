/* Searches of collapsed sequences: a symbol stands for a run, of a unit or of a loop's iterations.
 */
#ifndef DP_LOOPS_COLLAPSING_H
#define DP_LOOPS_COLLAPSING_H

#include "loops/detection.h"
#include "pattern/runs.h"

/*
 * A collapsed sequence and its loops. Its detection has the request of the one that it was made
 * from, but asks for evidence and names at the positions there.
 */
struct dp_collapsed_search {
	struct dp_detection detection;
	struct dp_loops_request request;
	struct dp_loops loops;
	const struct dp_evidence *evidence;
	struct dp_explain_collapsed names;
};

/*
 * Prepares the search of the sequence of `from` with runs collapsed. Both are borrowed until
 * dp_collapsed_search__end(), which frees the loops.
 */
void dp_collapsed_search__begin(struct dp_collapsed_search *search, const struct dp_detection *from,
				const struct dp_runs *runs);
void dp_collapsed_search__end(struct dp_collapsed_search *search);

/*
 * Moves the loops that were found to the detection, as loops of its sequence. Their parents are
 * among them, so the detection has no loops yet if any has one. Errors: DP_ERR_NOMEM.
 */
int dp_collapsed_search__take(struct dp_detection *detection, struct dp_collapsed_search *search);

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
