/* The time of a loop's kernels: by name, by operator, by position in the pattern. */
#ifndef DP_METRIC_LOOP_STATS_H
#define DP_METRIC_LOOP_STATS_H

#include "activity/device_timeline.h"
#include "activity/op_attribution.h"
#include <deepprof/analysis.h>

struct dp_time_stats {
	struct dp_time_stat *stats;
	size_t count;
	size_t room;
};

/* The kernel whose time rises most with each iteration, by least squares. */
struct dp_growing_kernel {
	const char *name; /* NULL: none rises. Borrowed */
	double *ns;	  /* its time in each iteration, */
	double *launches; /* and how often it runs */
};

struct dp_loop_stats {
	struct dp_time_stats kernels;	/* in order of total, then of the name's id */
	struct dp_time_stats operators; /* the same */
	struct dp_time_stats positions; /* in order of the pattern */
	/* Mean additional time of iterations with extra kernels (total_ns, descending), by kernel. */
	struct dp_time_stats extra;
	struct dp_growing_kernel growing;
};

/* A loop's kernels. Arrays are borrowed for the call. */
struct dp_loop_kernels {
	const struct dp_trace *trace;
	const uint32_t *ops; /* the sequence: indices of operations */
	size_t op_count;
	const struct dp_iteration *iterations;
	size_t count;
	const uint32_t *pattern; /* names */
	size_t length;
	const struct dp_edit *edits;
	size_t edit_count;
	const struct dp_device_timeline *timeline; /* may have samples of units; NULL: none */
};

/*
 * The caller releases stats with fini. Errors: DP_ERR_NOMEM. Cost: linear in the kernels, in the
 * trace's names, and in the device's operations if its units were sampled.
 */
int dp_loop_stats__init(struct dp_loop_stats *stats, const struct dp_loop_kernels *kernels,
			const struct dp_attribution *attribution, struct dp_error *error);
void dp_loop_stats__fini(struct dp_loop_stats *stats);

#endif
