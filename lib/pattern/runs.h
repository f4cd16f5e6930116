/* Runs: the same short unit over and over, each written as one symbol. */
#ifndef DP_PATTERN_RUNS_H
#define DP_PATTERN_RUNS_H

#include "base/substrings.h"

struct dp_runs {
	uint32_t *symbols;  /* the sequence, with one symbol per run */
	uint32_t *position; /* of each symbol in the given sequence, and of its end */
	size_t count;
	uint32_t alphabet;
	size_t runs;
	struct dp_substring *units; /* of the given sequence: alphabet + i stands for units[i] */
};

/*
 * Writes each run, a unit of up to 64 symbols at least three times in a row (a single symbol five
 * times), as one symbol that stands for the unit, however often it repeats. The iterations of a
 * recurrent network then are alike. period: of units of this length only; 0: of any. single: the
 * unit of some run is one symbol also where it repeats fewer times; symbols must then be below
 * alphabet. n must be below 2^32. Errors: DP_ERR_NOMEM. Cost: linear, about 1 ns for each symbol
 * and period.
 */
int dp_runs__collapse(struct dp_runs *runs, const uint32_t *symbols, size_t n, uint32_t alphabet,
		      size_t period, bool single);

/*
 * The shortest period whose runs are worth collapsing; 0: none is. Cost: linear, about 1 ns
 * for each symbol and period.
 */
size_t dp_runs__shortest_period(const uint32_t *symbols, size_t n);

/*
 * The bits that encode how many times the unit of each run repeats. alphabet is
 * that of the original sequence, not of the collapsed one. Errors: DP_ERR_NOMEM. Cost: linear.
 */
int dp_runs__bits(double *bits, const struct dp_runs *runs, uint32_t alphabet);

/*
 * The symbols by which the runs of a unit differ from their median length, for the unit with most.
 * Fewer repetitions than a run needs do not count: layers in variants have some kernel a few times
 * more or less often. Only runs between the same two symbols are compared, if these have three: a
 * loop that runs twice in an iteration, each time as often as in others, does not vary. alphabet is
 * that of the original sequence. Errors: DP_ERR_NOMEM. Cost: sorting the runs.
 */
int dp_runs__variation(size_t *variation, const struct dp_runs *runs, uint32_t alphabet);

void dp_runs__fini(struct dp_runs *runs);

#endif
