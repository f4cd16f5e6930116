/*
 * The probability that a loop is right, from named features. "Right" means that its iterations are
 * the program's, and that at least 99% of them begin at the program's own first kernel: a loop
 * whose iterations are all shifted by the same number of kernels is wrong.
 *
 * The confidence is the product of two probabilities, each a logistic regression on the features:
 * that it is a loop at all, and that its boundaries are right if it is one. A loop is listed if the
 * first suffices.
 */
#ifndef DP_LOOPS_CONFIDENCE_H
#define DP_LOOPS_CONFIDENCE_H

#include "base/explain.h"
#include "base/parameters.h"

#include <stdbool.h>

enum dp_feature {
	DP_FEATURE_ITERATIONS, /* whole iterations, logarithm to base 2 */
	DP_FEATURE_EDITS,      /* per kernel, square root */
	DP_FEATURE_RENAMED,    /* kernels with another exact name, likewise */
	DP_FEATURE_ENDS,       /* ends of the sequence that the loops of this level reach, 0 to 2; 0
				  if the loop is like layers */
	DP_FEATURE_LAYERS,     /* 1: like layers of a single pass; 2: captured one by one, too */
	DP_FEATURE_MAYBE_LAYERS, /* 1: not like layers, but may be some; 0.5: hardly */
	DP_FEATURE_STEP,	 /* 1: what a step has, see dp_votes__is_step() */
	DP_FEATURE_MARGIN,	 /* log-odds by which the votes prefer the boundary over the next */
	DP_FEATURE_COUNT_GIVEN,	 /* share of iterations that equal the pattern; 0 unless their
				    number is the known one */
	DP_FEATURE_ANNOTATED,	 /* 1: each iteration holds an annotation with the same name */
	DP_FEATURES,
};

struct dp_feature_info {
	const char *name;
	const char *fact;	   /* its name among the facts that explain a confidence */
	const char *above, *below; /* what a value above the typical one means, and one below */
};

extern const struct dp_feature_info dp_feature_table[DP_FEATURES];

struct dp_confidence {
	double feature[DP_FEATURES];
	double loop;	 /* probability that it is a loop */
	double boundary; /* probability that its boundaries are right if it is one */
};

/* Computes both probabilities from the features. */
void dp_confidence__judge(struct dp_confidence *confidence);

/*
 * The probability that the loop is right; NaN if there is nothing to base one on: with --paper, and
 * for a number of -n that contradicts a likely loop.
 */
static inline double dp_confidence__of(const struct dp_confidence *confidence)
{
	return confidence->loop * confidence->boundary;
}

/* Returns true if it is likely enough a loop to be reported as one. */
static inline bool dp_confidence__listed(const struct dp_confidence *confidence)
{
	return confidence->loop >= dp_param.listed;
}

/* Adds an entry for each feature that changes a probability, and one for the result. */
void dp_confidence__explain(const struct dp_confidence *confidence, struct dp_explain *explain,
			    size_t length, size_t iterations);

#endif
