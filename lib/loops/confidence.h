/*
 * How likely a loop is right: a probability, from named features. "Right" means that its iterations
 * are the program's, and that at least 99% of them begin at the program's own first kernel: a loop
 * whose iterations are all shifted by the same number of kernels is wrong.
 *
 * Two questions make it up, each a logistic regression on the features: is it a loop at all, and
 * if it is one, are the boundaries where the program has them? A loop is listed where the first is
 * likelier than not; the confidence is the product of both.
 */
#ifndef DP_LOOPS_CONFIDENCE_H
#define DP_LOOPS_CONFIDENCE_H

#include "base/explain.h"

#include <stdbool.h>

enum dp_feature {
	DP_FEATURE_ITERATIONS,
	DP_FEATURE_COVERAGE,
	DP_FEATURE_EDITS,
	DP_FEATURE_RENAMED,
	DP_FEATURE_EDGES,
	DP_FEATURE_ENDS,
	DP_FEATURE_LAYERS,
	DP_FEATURE_SHORT,
	DP_FEATURE_STEP,
	DP_FEATURE_RESUMED,
	DP_FEATURE_MARGIN,
	DP_FEATURE_COUNT_GIVEN,
	DP_FEATURE_ANNOTATED,
	DP_FEATURES,
};

struct dp_feature_info {
	const char *name;
	const char *why;
	double typical;  /* its mean over the loops that the weights were fitted to */
	double loop;	 /* weights: change of log-odds for each unit above typical */
	double boundary;
};

extern const struct dp_feature_info dp_feature_table[DP_FEATURES];

struct dp_confidence {
	double feature[DP_FEATURES];
	double loop;	 /* probability that it is one */
	double boundary; /* and that, if it is, its boundaries are right */
};

/* Computes both probabilities from the features. */
void dp_confidence__judge(struct dp_confidence *confidence);

/* That the loop is right. */
static inline double dp_confidence__of(const struct dp_confidence *confidence)
{
	return confidence->loop * confidence->boundary;
}

/* Is it likelier a loop than not? */
static inline bool dp_confidence__listed(const struct dp_confidence *confidence)
{
	return confidence->loop >= 0.5;
}

/* Adds an entry for each feature that changes a probability, and one for the result. */
void dp_confidence__explain(const struct dp_confidence *confidence, struct dp_explain *explain,
			    size_t length, size_t iterations);

#endif
