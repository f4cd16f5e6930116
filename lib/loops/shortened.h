/* Searches of a sequence in which one symbol stands for several of another one. */
#ifndef DP_LOOPS_SHORTENED_H
#define DP_LOOPS_SHORTENED_H

#include "loops/detection.h"

/*
 * A shorter sequence, each symbol of which stands for one or more of another one, and its loops.
 * Its detection has that one's request, but asks for evidence and names at the positions there.
 */
struct dp_shortened {
	struct dp_detection detection;
	struct dp_loops_request request;
	struct dp_loops loops;
	const struct dp_evidence *evidence;
	struct dp_explain_shortened names;
};

/*
 * Prepares the search of a shorter sequence, symbols[0..count). position[] maps them, and the end,
 * to the sequence of `from`. All are borrowed until dp_shortened__end(), which frees the loops.
 */
void dp_shortened__begin(struct dp_shortened *shortened, const struct dp_detection *from,
			 const uint32_t *symbols, size_t count, uint32_t alphabet,
			 const uint32_t *position);
void dp_shortened__end(struct dp_shortened *shortened);

/*
 * Moves the loops that were found to the detection, as loops of its sequence. Their parents are
 * among them, so the detection has no loops yet if any has one. Errors: DP_ERR_NOMEM.
 */
int dp_shortened__take(struct dp_detection *detection, struct dp_shortened *shortened);

#endif
