/* The evidence about each offset of a pattern, gathered once from the sequence. */
#ifndef DP_ITERATE_OFFSETS_H
#define DP_ITERATE_OFFSETS_H

#include "base/evidence.h"
#include "iterate/iteration.h"
#include "align/alignment.h"

/* What most of a sample of the iterations (dp_param.recurs_share) have at an offset. */
enum dp_sign {
	DP_SIGN_UPLOAD,	   /* an upload before it */
	DP_SIGN_DOWNLOAD,  /* a download before it */
	DP_SIGN_RESULT,	   /* a download before it of more than a few counts */
	DP_SIGN_SYNC,	   /* a wait of the host before it */
	DP_SIGN_OPTIMIZER, /* the name of an optimizer's kernel */
	DP_SIGN_MOVES,	   /* the name of a copy, a cast or a fill */
	DP_SIGNS,
};

/* Arrays with one value per offset. */
struct dp_offsets {
	uint32_t *seen;	    /* sampled iterations that have the offset */
	double *launch_gap; /* how far it stands out among the host's gaps, 0 to 1, … */
	double *kernel_gap; /* … and among the device's */
	double *interval_ns; /* mean host time between the previous launch and its own */
	bool *has[DP_SIGNS];
};

/*
 * Asks for the evidence on a sample of the iterations of a pattern of m symbols. The caller
 * releases *offsets with fini, also after a failure. Errors: DP_ERR_NOMEM. Cost: a bounded number
 * of calls of evidence->at, or three for each offset.
 */
int dp_offsets__gather(struct dp_offsets *offsets, const struct dp_alignment *alignment,
		       uint32_t pattern, size_t m, const struct dp_evidence *evidence);
void dp_offsets__fini(struct dp_offsets *offsets);

/*
 * The longest way from one flagged offset of a cyclic pattern to the next; *before is the first of
 * both. Returns 0 if none is flagged.
 */
size_t dp_offsets__longest_gap(size_t *before, const bool *flags, size_t m);

#endif
