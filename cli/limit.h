/* What a comparison must not exceed: --fail-on. */
#ifndef DP_CLI_LIMIT_H
#define DP_CLI_LIMIT_H

#include "opt.h"

#include <deepprof/compare.h>

struct limit {
	const char *text; /* as given: "iteration_time=+5%" */
	size_t metric;	  /* for dp_metric() */
	bool time;	  /* the time of an iteration, whichever metric that is */
	bool rises;	  /* limits a rise, otherwise a fall */
	bool relative;	  /* most is a share of the first run's value, else in the metric's unit */
	double most;
};

/* Reads "METRIC=+P%" or "METRIC=-AMOUNT". value is borrowed. */
bool limit_parse(struct limit *limit, const char *value, struct opt_why *why);

/* Returns "iteration_time" and the metrics of iterations, for suggestions. */
const char *limit_name(size_t index);

/* In order of severity for a build. Unknown: there is too little data. */
enum limit_verdict { LIMIT_KEPT, LIMIT_UNKNOWN, LIMIT_CROSSED };

/*
 * Checks all pairs of a comparison, which has at least one. Prints to standard error which cross
 * the limit; where it is unknown and why (a warning for all but the first pair); which exceed it,
 * but not significantly (a warning); and, if verbose, which do not exceed it. Returns LIMIT_UNKNOWN
 * if the first pair is unknown and none crosses.
 */
enum limit_verdict limit_judge(const struct limit *limit, const struct dp_comparison *comparison,
			       bool verbose);

#endif
