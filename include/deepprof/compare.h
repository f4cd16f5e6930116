/*
 * Two runs of a program, iteration by iteration: what got slower or faster, by how much, and
 * whether that is significant.
 *
 * A comparison never changes after it was made, so any number of threads may read it. It shares
 * ownership of both analyses. The first run is called before, the second after; arrays of
 * two are in this order, and a change is after minus before.
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
	const size_t *loops; /* ids of a loop of each run to compare; NULL: pair similar loops */
};

#define DP_COMPARE_OPTIONS_INIT                               \
	{                                                     \
		sizeof(struct dp_compare_options), 0.95, NULL \
	}

/*
 * Compares two analyses; options may be NULL. The caller frees *comparison with
 * dp_comparison_free(); on failure it is not written. Runs without similar loops are not an error:
 * there are no pairs then. If an analysis was restricted to some metrics, the others and the times
 * by kernel are unknown, and there are no kernel rows.
 *
 * Selected loops are paired by the kernels of their patterns, most similar first, if the similarity
 * exceeds 0.5, among the main loop and the 63 others of each run that take the most time
 * (dp_analysis_loop_time()). Of the remaining loops, the first of each run are paired if each takes
 * at least a fifth of the time of its run's loops, however different they are: recompiled code may
 * have no kernel in common with the old. Their iterations may be different units of work: see
 * comparable in struct dp_loop_pair.
 *
 * Errors: DP_ERR_ARGUMENT (a loop that does not exist, is not selected or has no complete
 * iteration, a confidence out of range), DP_ERR_NOMEM. Cost: O(n log n) in the iterations of a loop
 * for each metric, and O(n + m + nm / 64) in the kernels n and m of the patterns. If nm exceeds
 * 2^36, only the common kernels at the start and end of the patterns are found, in O(n + m).
 */
DP_API int dp_comparison_run(struct dp_comparison **comparison, const struct dp_analysis *before,
			     const struct dp_analysis *after,
			     const struct dp_compare_options *options, struct dp_error *error);

/* Releases one owner's reference; the last one frees the comparison. NULL is allowed. */
DP_API void dp_comparison_free(struct dp_comparison *comparison);

/*
 * Adds an owner, who must call dp_comparison_free() as well. Returns the comparison. Any thread may
 * call these two functions. Constant cost.
 */
DP_API struct dp_comparison *dp_comparison_retain(const struct dp_comparison *comparison);

/* One of the two analyses, which the comparison owns, too. Borrowed. Constant cost. */
DP_API const struct dp_analysis *dp_comparison_analysis(const struct dp_comparison *comparison,
							enum dp_run run);

/* The confidence of its intervals. */
DP_API double dp_comparison_confidence(const struct dp_comparison *comparison);

/* Two loops that are the same loop of the program. */
struct dp_loop_pair {
	size_t loop[2];	 /* their ids */
	double similarity; /* twice the kernels that they share by family, of all in both: 0 to 1 */
	bool paired_by_time; /* paired by their share of the runs' time, not by their kernels */
	size_t same;	 /* places that are aligned in both patterns, with kernels of one family */
	size_t replaced; /* places that another kernel takes in the second */
	size_t removed;	 /* places of the first without one in the second */
	size_t added;	 /* the reverse */
	/*
	 * An iteration is the same unit of work in both runs, so that times per iteration compare:
	 * the loops are paired by their kernels, by request, or by their share of the time if they
	 * also have annotations of the same name or the same number of complete iterations. Else
	 * a loop paired by its share of the time may do other work in each iteration.
	 */
	bool comparable;
};

/* That of the first run's main loop first, then by time in that run; NULL beyond the last. */
DP_API size_t dp_comparison_pair_count(const struct dp_comparison *comparison);
DP_API const struct dp_loop_pair *dp_comparison_pair(const struct dp_comparison *comparison,
						     size_t pair);

/*
 * A number in both runs. Unknown values are NaN: an interval needs at least dp_comparison_least()
 * values in each run. If all values of a run are equal, the interval may have no width. ratio_high
 * is infinite if the interval of the first value includes 0.
 */
struct dp_difference {
	double value[2];
	double change;
	double low; /* the limits of change's confidence interval */
	double high;
	double ratio_low; /* those of value[1] / value[0], if both are positive */
	double ratio_high;
	size_t count[2]; /* the values that it was computed from */
};

/* Whether it is significant: the interval excludes 0, and the change is at least 1% of value[0]. */
DP_API bool dp_difference_is_significant(const struct dp_difference *difference);

/* The number of steady iterations that intervals need of each run: it grows with the confidence. */
DP_API size_t dp_comparison_least(const struct dp_comparison *comparison);

/*
 * Medians of a metric over the steady iterations: no warm-up, no partial ones, none followed by
 * other kernels. The interval inverts Mann and Whitney's test (Hodges and Lehmann 1963) and is
 * exact for independent iterations, however few they are and however their times are distributed:
 * two runs of four iterations that do not overlap differ at 95%. From 30 values on it is widened if
 * consecutive iterations are significantly correlated. Its limits are differences of measured
 * values. It reflects these two runs, not the variation between runs. NULL for a metric or pair
 * that does not exist.
 */
DP_API const struct dp_difference *dp_pair_metric(const struct dp_comparison *comparison,
						  size_t pair, size_t metric);

/*
 * The time by which the runs are judged: the period or, if other kernels follow every iteration of
 * a run, the duration. NULL for a pair that does not exist.
 */
DP_API const struct dp_difference *dp_pair_time(const struct dp_comparison *comparison,
						size_t pair);

/*
 * The parts of the period: means, so that their values and changes sum to those of the period,
 * which comes last. The interval is Welch's, widened as above and limited to the range of the
 * values. Causes of idle time are separate parts if both traces record them. NULL beyond the last.
 */
struct dp_pair_part {
	const char *metric; /* "compute_ns"; "period_ns" for the sum */
	struct dp_difference mean;
};

DP_API const struct dp_pair_part *dp_pair_part(const struct dp_comparison *comparison, size_t pair,
					       size_t index);

/*
 * Kernels of the loops' stream by name, per complete iteration after the warm-up: the rows sum to
 * the time of all kernels. A name is added if only the second run has it, removed if only the first
 * has it, and replaced if a new name has all positions of one that is gone. Any other name whose
 * time differs significantly has more or fewer calls if these explain most of the difference, and
 * is slower or faster otherwise. Largest change first; NULL beyond the last.
 */
enum dp_kernel_change {
	DP_KERNEL_SAME,
	DP_KERNEL_SLOWER,
	DP_KERNEL_FASTER,
	DP_KERNEL_ADDED,
	DP_KERNEL_REMOVED,
	DP_KERNEL_REPLACED,
	DP_KERNEL_MORE,	 /* takes longer because it is called more often */
	DP_KERNEL_FEWER, /* takes less because it is called less often */
};

struct dp_pair_kernel {
	enum dp_kernel_change kind;
	const char *name[2]; /* NULL in the run that lacks it. Borrowed */
	size_t places;	     /* in the pattern that has more of them */
	struct dp_difference ns;
	double calls[2]; /* per iteration */
	bool elsewhere;	 /* added or removed, but the other run has it outside the loop */
};

DP_API const struct dp_pair_kernel *dp_pair_kernel(const struct dp_comparison *comparison,
						   size_t pair, size_t index);

/* "same", "slower", "faster", "added", "removed", "replaced", "more", "fewer". Static storage. */
DP_API const char *dp_kernel_change_name(enum dp_kernel_change kind);

/* The positions of the two patterns in order; NULL beyond the last. */
struct dp_pair_place {
	size_t index[2];	 /* in each pattern; SIZE_MAX if it is in the other only */
	struct dp_difference ns; /* mean durations of the kernel there */
};

DP_API const struct dp_pair_place *dp_pair_place(const struct dp_comparison *comparison,
						 size_t pair, size_t index);

/*
 * A rule that has a finding in either loop. A finding is new only if its cost rose: it may have
 * been there before, hidden by a larger one or reported by another rule. It is gone only if its
 * cost fell. NULL beyond the last.
 */
enum dp_finding_change { DP_FINDING_NEW, DP_FINDING_STILL, DP_FINDING_GONE };

struct dp_pair_finding {
	const struct dp_finding *finding[2]; /* NULL if the rule has none in that run */
	enum dp_finding_change change;
	double cost_ns[2]; /* per iteration, as the analyses report it; NaN: no finding, unknown */
	/*
	 * If only one run has a finding: the metric that its cost is a part of, and the metric's
	 * mean over the steady iterations of both runs, slow ones included. NULL and NaN: unknown.
	 */
	const char *metric;
	double metric_ns[2];
	/* The difference of these means, with an interval as that of a part; NaN: unknown. */
	struct dp_difference metric_mean;
};

DP_API const struct dp_pair_finding *dp_pair_finding(const struct dp_comparison *comparison,
						     size_t pair, size_t index);

/* The formats of a comparison, by index; NULL beyond the last. Static. */
DP_API const struct dp_report_format *dp_comparison_format(size_t index);

/*
 * Writes a comparison in a format. options may be NULL. The same comparison gives the same bytes.
 * Errors: DP_ERR_ARGUMENT (no such format or metric), DP_ERR_IO (the sink stopped), DP_ERR_NOMEM.
 * Cost: linear in what was compared; for csv, in the iterations.
 */
DP_API int dp_comparison_write(const struct dp_comparison *comparison, const char *format,
			       const struct dp_report_options *options, const struct dp_sink *sink,
			       struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
