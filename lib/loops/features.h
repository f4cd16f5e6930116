/* What a loop's confidence is computed from. */
#ifndef DP_LOOPS_FEATURES_H
#define DP_LOOPS_FEATURES_H

#include "loops/detection.h"

/* A pattern that was aligned and cut. */
struct dp_judged {
	const struct dp_detection *detection;
	const struct dp_alignment *alignment;
	uint32_t pattern; /* its index in the alignment */
	size_t length;
	size_t single; /* symbols that patterns of one symbol cover together */
	const struct dp_cut *cut;
	const struct dp_phase *phase;
	enum dp_pattern_kind kind;
};

/*
 * Computes the features of a pattern's iterations. Returns false if there is no loop to judge: the
 * pattern is one kernel, and others are more numerous or often interrupt it.
 */
bool dp_features__gather(struct dp_confidence *confidence, const struct dp_judged *judged);

#endif
