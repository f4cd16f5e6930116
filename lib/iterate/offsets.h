/* What is known of each offset of a pattern besides its name, gathered once from the sequence. */
#ifndef DP_ITERATE_OFFSETS_H
#define DP_ITERATE_OFFSETS_H

#include "iterate/iteration.h"
#include "iterate/walk.h"

/* Arrays with one value per offset. */
struct dp_offsets {
	uint32_t *seen;	    /* sampled iterations that have it */
	double *launch_gap; /* 0 to 1: how far it stands out among the host's gaps, … */
	double *kernel_gap; /* … and among the device's */
	double *wait_ns;    /* mean host time between the launch before and its own */
	bool *upload;	    /* an upload recurs in front of it, … */
	bool *sync;	    /* … or a synchronization of the host */
	bool *optimizer;    /* its name is one of an optimizer's */
	bool *moves_data;   /* its name is one of a copy's, a cast's or a fill's */
};

/*
 * Asks for the evidence on a sample of the iterations of a pattern of m symbols. Errors:
 * DP_ERR_NOMEM, after which *offsets is empty. Cost: a bounded number of calls
 * of evidence->at, or three for each offset.
 */
int dp_offsets__gather(struct dp_offsets *offsets, const struct dp_alignment *alignment,
		       uint32_t pattern, size_t m, const struct dp_evidence *evidence);
void dp_offsets__fini(struct dp_offsets *offsets);

#endif
