/* A sequence with its repetitions folded: however often something is repeated, it is one symbol. */
#ifndef DP_PATTERN_FOLD_H
#define DP_PATTERN_FOLD_H

#include "base/base.h"

struct dp_fold {
	uint32_t *symbols;  /* of a repetition: what depends on what is repeated alone */
	uint32_t *position; /* of each in the sequence that was given; one more at the end */
	size_t count;
};

/*
 * Folds symbols[0..n), n below 2^32, which may have any values. Unlike those of dp_runs__collapse()
 * the symbols of repetitions are the same for all sequences: a hash, which is some other symbol's
 * with a chance of one in 2^32. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_fold__make(struct dp_fold *fold, const uint32_t *symbols, size_t n);

/*
 * Folds one turn of a pattern as it is among others: a repetition that one turn ends with and the
 * next begins with is one, and the turn then begins behind it, at position[0]. Errors and cost as
 * above.
 */
int dp_fold__turn(struct dp_fold *fold, const uint32_t *pattern, size_t n);
void dp_fold__fini(struct dp_fold *fold);

#endif
