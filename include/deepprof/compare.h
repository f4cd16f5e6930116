/*
 * Two runs of a program, iteration by iteration: what got slower or faster, by how much, and whether
 * that is significant.
 *
 * A comparison is made once and then only read, by any number of threads. It borrows both analyses,
 * which must stay until it is freed. The first run is called before, the second after; arrays of
 * two have them in this order, and a change is after less before.
 */
#ifndef DEEPPROF_COMPARE_H
#define DEEPPROF_COMPARE_H

#include <deepprof/analysis.h>
#include <deepprof/common.h>
#include <deepprof/report.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_comparison;

enum dp_run { DP_RUN_BEFORE, DP_RUN_AFTER };

/* Set to DP_COMPARE_OPTIONS_INIT, then change members. Pointers are borrowed for the call. */
struct dp_compare_options {
	size_t size;
	double confidence;   /* of the intervals: above 0.5, below 1 */
	const size_t *loops; /* ids of a loop of each run to compare; NULL: those that are alike */
};

#define DP_COMPARE_OPTIONS_INIT                               \
	{                                                     \
		sizeof(struct dp_compare_options), 0.95, NULL \
	}

/*
 * Compares two analyses; options may be NULL. *comparison is the caller's, to be freed with
 * dp_comparison_free(); on failure it is not written. Runs without loops that are alike are no
 * failure: there are no pairs then. Where an analysis was restricted to some metrics, the others
 * and times by kernel are unknown, and there are no kernel rows.
 *
 * Loops at the chosen level are paired by the kernels of their patterns, those most alike first, up
 * to the 64 loops of each run that took most time. Of those that are left, the two that took most
 * of their runs' time are a pair if each took a fifth of it, however little they are alike: code
 * that was recompiled may have no kernel in common with the old.
 *
 * Errors: DP_ERR_ARGUMENT (a loop that does not exist or is not selected, a
 * confidence out of range), DP_ERR_NOMEM. Cost: linear in the iterations of a loop for each metric,
 * and O(n + m + nm / 64) in the kernels n and m of the patterns; where nm is above 2^36,
 * only what they have in common at their beginning and end is found, in O(n + m).
 */
DP_API int dp_comparison_run(struct dp_comparison **comparison, const struct dp_analysis *before,
			     const struct dp_analysis *after,
			     const struct dp_compare_options *options, struct dp_error *error);

DP_API void dp_comparison_free(struct dp_comparison *comparison);

DP_API const struct dp_analysis *dp_comparison_analysis(const struct dp_comparison *comparison,
							enum dp_run run);

/* The confidence of its intervals. */
DP_API double dp_comparison_confidence(const struct dp_comparison *comparison);

/* Two loops that are the same loop of the program. */
struct dp_loop_pair {
	size_t loop[2];	 /* their ids */
	double alike;	 /* kernels that they share by family, twice, of all of both: 0 to 1 */
	bool by_time;	 /* not for their kernels, but for what they took of their runs */
	size_t same;	 /* places of the patterns that are aligned: kernels of one family */
	size_t replaced; /* places that another kernel takes in the second */
	size_t removed;	 /* places of the first without one in the second */
	size_t added;	 /* the reverse */
};

/* The pair whose loop took most of the first run's time first; NULL beyond the end. */
DP_API size_t dp_comparison_pair_count(const struct dp_comparison *comparison);
DP_API const struct dp_loop_pair *dp_comparison_pair(const struct dp_comparison *comparison,
						     size_t pair);

/*
 * A number in both runs. What is not known is NaN: intervals need as many values in each run as
 * dp_comparison_least() says. Where all values of a run are equal the interval may have no width.
 * ratio_high is infinite where the first value may as well be 0.
 */
struct dp_difference {
	double value[2];
	double change;
	double low; /* the limits of change's confidence interval */
	double high;
	double ratio_low; /* those of value[1] / value[0], where both are above 0 */
	double ratio_high;
	size_t count[2]; /* values that it was made from */
};

/* Significant: the interval leaves out 0, and the change is 1% of the first value or more. */
DP_API bool dp_difference_is_sure(const struct dp_difference *difference);

/* How many steady iterations of each run the comparison's intervals need. */
DP_API size_t dp_comparison_least(const struct dp_comparison *comparison);

/*
 * Medians of a metric over the steady iterations: no warm-up, none cut off, none that other kernels
 * interrupt. The interval inverts Mann and Whitney's test (Hodges and Lehmann 1963) and is exact
 * for independent iterations, however few they are and however their times are distributed: two
 * runs of four iterations that do not overlap differ at 95%. From 30 values on it is widened where
 * iterations resemble the ones before them. Its limits are differences of values that were
 * measured. It is of these two runs: it does not know how much runs differ from one another. NULL
 * for a metric or pair that does not exist.
 */
DP_API const struct dp_difference *dp_pair_metric(const struct dp_comparison *comparison,
						  size_t pair, size_t metric);

/*
 * The time of an iteration, by which the runs are judged: its period or, where other kernels
 * interrupt all of them in a run, its duration. NULL for a pair that does not exist.
 */
DP_API const struct dp_difference *dp_pair_time(const struct dp_comparison *comparison,
						size_t pair);

/*
 * What the period of an iteration is made of: means, so that the parts' values and changes sum to
 * those of the period, which comes last. The interval is Welch's, widened as above and no wider
 * than the values. NULL beyond the end. Causes of idle time are separate where both traces record
 * them.
 */
struct dp_pair_part {
	const char *metric; /* "compute_ns"; "period_ns" for the sum */
	struct dp_difference mean;
};

DP_API const struct dp_pair_part *dp_pair_part(const struct dp_comparison *comparison, size_t pair,
					       size_t index);

/*
 * Kernels of the loops' stream by name, per complete iteration after the warm-up: the rows sum to
 * the time of all kernels. A name is added where only the second run has it, removed where only the
 * first has it, replaced where a new name takes all positions of one that is gone; any other whose time
 * differs significantly has more or fewer calls where these make most of the difference, else it is
 * slower or faster. In order of the size of the change. NULL
 * beyond the end.
 */
enum dp_kernel_change {
	DP_KERNEL_SAME,
	DP_KERNEL_SLOWER,
	DP_KERNEL_FASTER,
	DP_KERNEL_ADDED,
	DP_KERNEL_REMOVED,
	DP_KERNEL_REPLACED,
	DP_KERNEL_MORE,	 /* it takes longer because it is called more often */
	DP_KERNEL_FEWER, /* it takes less because it is called less often */
};

struct dp_pair_kernel {
	enum dp_kernel_change kind;
	const char *name[2]; /* NULL in the run that does not have it. Borrowed */
	size_t places;	     /* of the pattern that has more of them */
	struct dp_difference ns;
	double calls[2]; /* per iteration */
};

DP_API const struct dp_pair_kernel *dp_pair_kernel(const struct dp_comparison *comparison,
						   size_t pair, size_t index);

/* "same", "slower", "faster", "added", "removed", "replaced", "more", "fewer". Static storage. */
DP_API const char *dp_kernel_change_name(enum dp_kernel_change kind);

/* The places of the two patterns in order; NULL beyond the end. */
struct dp_pair_place {
	size_t index[2];	 /* in each pattern; SIZE_MAX where it is not */
	struct dp_difference ns; /* mean durations where the kernel ran */
};

DP_API const struct dp_pair_place *dp_pair_place(const struct dp_comparison *comparison,
						 size_t pair, size_t index);

/*
 * A rule that has a finding in either loop. One that appears is new only where what it costs rose
 * with it: a smaller cost hides behind a larger one, and another rule may have reported it. One
 * that disappears is gone only where its cost fell. NULL beyond the end.
 */
enum dp_finding_change { DP_FINDING_NEW, DP_FINDING_STILL, DP_FINDING_GONE };

struct dp_pair_finding {
	const struct dp_finding *finding[2]; /* NULL where the rule has none in that run */
	enum dp_finding_change change;
	double cost_ns[2]; /* per iteration, also where the rule is silent; NaN: not known */
};

DP_API const struct dp_pair_finding *dp_pair_finding(const struct dp_comparison *comparison,
						     size_t pair, size_t index);

/* The formats that a comparison can be written in, by index; NULL beyond the end. Static. */
DP_API const struct dp_report_format *dp_comparison_format(size_t index);

/*
 * Writes a comparison in a format. options may be NULL. The same comparison gives the same bytes.
 * Errors: DP_ERR_ARGUMENT (no such format or metric), DP_ERR_IO (the sink stopped), DP_ERR_NOMEM.
 * Cost: linear in what was compared; of csv, in iterations.
 */
DP_API int dp_comparison_write(const struct dp_comparison *comparison, const char *format,
			       const struct dp_report_options *options, const struct dp_sink *sink,
			       struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
