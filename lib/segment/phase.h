/* Where an iteration begins: the offset of a cyclic pattern that evidence speaks for. */
#ifndef DP_SEGMENT_PHASE_H
#define DP_SEGMENT_PHASE_H

#include "segment/align.h"

struct dp_phase {
	size_t first; /* offset in the pattern as aligned */
	enum dp_phase_evidence decided_by;
	double confidence; /* 0 to 1 */
	bool host_beat;	   /* uploads or synchronizations come once in a while per iteration */
};

/*
 * Weighs the evidence for a pattern of an alignment of n symbols. Errors: DP_ERR_NOMEM.
 * Cost: O(runs + edits + length), and at most about 300,000 calls of evidence->at.
 */
int dp_phase__find(struct dp_phase *phase, const struct dp_alignment *alignment, size_t n,
		   uint32_t pattern, size_t length, const struct dp_evidence *evidence);

#endif
