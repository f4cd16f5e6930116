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
	DP_FEATURE_ITERATIONS, /* whole ones, logarithm to base 2 */
	DP_FEATURE_EDITS,      /* for each kernel, square root */
	DP_FEATURE_RENAMED,    /* kernels with another exact name, the same */
	DP_FEATURE_ENDS,       /* ends of the sequence that the level's loops reach */
	DP_FEATURE_LAYERS,     /* 1: like layers of a single pass; 2: captured one by one, too */
	DP_FEATURE_SHORT,      /* 0.5, 1: less of what layers look like */
	DP_FEATURE_STEP,       /* 1: uploads, waits or an optimizer come once per iteration */
	DP_FEATURE_MARGIN,     /* log-odds of the votes on the boundary above the next best */
	DP_FEATURE_COUNT_GIVEN, /* 1: it has the number of iterations that is known */
	DP_FEATURE_ANNOTATED,  /* 1: each iteration holds an annotation of one name */
	DP_FEATURES,
};

struct dp_feature_info {
	const char *name;
	const char *fact; /* its name among the facts of a loop's confidence */
	const char *above, *below; /* what more of it than typical means, and less */
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
