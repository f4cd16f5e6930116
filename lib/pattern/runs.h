/* Repetitions of something short, each written as one symbol. */
#ifndef DP_PATTERN_RUNS_H
#define DP_PATTERN_RUNS_H

#include "base/base.h"

/* What is repeated: symbols [at, at + length) of the sequence that was given. */
struct dp_runs_unit {
	size_t at, length;
};

struct dp_runs {
	uint32_t *symbols; /* the sequence with a symbol for each repetition */
	uint32_t
		*position; /* of each of them in the sequence that was given; one more at the end */
	size_t count;
	uint32_t alphabet;
	size_t runs;
	struct dp_runs_unit *units; /* alphabet + i stands for units[i] */
};

/*
 * Writes each maximal repetition of up to 64 symbols, three times or more on end, as one symbol
 * that stands for what is repeated, however often. A recurrent network's iterations are alike then.
 * single: what is repeated somewhere is one symbol where it comes once or twice, too; for that
 * symbols must be below alphabet. n is below 2^32. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_runs__collapse(struct dp_runs *runs, const uint32_t *symbols, size_t n, uint32_t alphabet,
		      bool single);

void dp_runs__fini(struct dp_runs *runs);

#endif
