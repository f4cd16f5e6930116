/* Searches of collapsed sequences: a symbol stands for a run, of a unit or of a loop's iterations.
 */
#ifndef DP_LOOPS_COLLAPSED_SEARCH_H
#define DP_LOOPS_COLLAPSED_SEARCH_H

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

#endif
