/* What a comparison must not exceed: --fail-on. */
#ifndef DP_CLI_LIMIT_H
#define DP_CLI_LIMIT_H

#include "opt.h"

#include <deepprof/compare.h>

struct limit {
	const char *text; /* as given: "iteration_time=+5%" */
	size_t metric;	  /* for dp_metric() */
	bool time;	  /* the time of an iteration, whichever metric that is */
	bool rises;	  /* else it is a fall that is judged */
	bool relative;	  /* most is a share of the first run's value, else in the metric's unit */
	double most;
};

/* "METRIC=+P%", "METRIC=-AMOUNT". value is borrowed. */
bool limit_parse(struct limit *limit, const char *value, struct opt_why *why);

/* What "iteration_time" stands for, and the metrics of iterations; for did-you-mean. */
const char *limit_name(size_t index);

/* In order of what it means for a build. Unknown: there is too little to judge by. */
enum limit_verdict { LIMIT_KEPT, LIMIT_UNKNOWN, LIMIT_CROSSED };

/*
 * Judges all pairs of a comparison, of which there is at least one, and says on standard error
 * which cross the limit, where that is not known and why (for all but the first pair a warning),
 * which seem to cross it and may do so by chance (a warning), and if verbose also which do not.
 * Unknown is returned where the first pair is and none crosses.
 * names are those of the two runs.
 */
enum limit_verdict limit_judge(const struct limit *limit, const struct dp_comparison *comparison,
			       const char *const *names, bool verbose);

#endif
