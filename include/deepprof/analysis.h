/*
 * From a trace to loops, iterations, metrics and findings.
 *
 * An analysis never changes after it was made, so any number of threads may read it. It shares
 * ownership of its trace. Times are integer nanoseconds from the start of the trace's first GPU
 * operation. A value that does not exist is NaN ("null" in reports), never 0.
 */
#ifndef DEEPPROF_ANALYSIS_H
#define DEEPPROF_ANALYSIS_H

#include <deepprof/common.h>
#include <deepprof/loop.h>
#include <deepprof/trace.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_analysis;

/* The minimum share at which a rule reports: above 0, at most 1. See dp_rule(). */
struct dp_threshold {
	const char *rule;
	double share;
};

/* Which of several nested loops is reported. */
enum dp_level { DP_LEVEL_DEFAULT, DP_LEVEL_OUTERMOST, DP_LEVEL_INNERMOST };

/*
 * Set to DP_ANALYSIS_OPTIONS_INIT, then change members. Pointers are borrowed for the call.
 */
struct dp_analysis_options {
	size_t size;
	const uint64_t
		*iterations; /* the known number of iterations, one per loop; NULL: unaided */
	size_t iterations_count;
	bool paper;		/* use exactly the paper's algorithm; requires iterations */
	uint64_t epsilon;	/* the paper's ε: 1 or more */
	uint64_t max_unmatched; /* the paper's k0: kernels skipped inside a match */
	const char *marks;	/* POSIX extended regex: iterations are the ranges it matches */
	bool ignore_marks;	/* find loops from kernels alone */
	enum dp_level level;
	int64_t device;		/* id, or -1 for all */
	int64_t stream; /* id, or -1 for the main stream of each device, with those that do the
			   same work or run before or after it (deepprof-detection(7)) */
	int64_t range_start_ns; /* only kernels that start in [start, end) */
	int64_t range_end_ns;
	struct dp_log log;
	uint64_t batch_size; /* samples per iteration, for throughput; 0: unknown */
	/*
	 * Names of the metrics to compute, of iterations or of summaries; NULL: all. Periods,
	 * intervals and durations are always computed. Rules need all metrics: with names there are
	 * no findings and no times by kernel.
	 */
	const char *const *metrics;
	size_t metrics_count;
	const struct dp_threshold *thresholds; /* replace those of the rules; NULL: none */
	size_t thresholds_count;
	bool explain; /* keep what each stage observed and decided, for dp_analysis_explanation() */
	double flops; /* floating-point operations per iteration on one device; 0: unknown */
};

#define DP_ANALYSIS_OPTIONS_INIT                                                                 \
	{                                                                                        \
		sizeof(struct dp_analysis_options), NULL, 0, false, 1, 100, NULL, false,         \
			DP_LEVEL_DEFAULT, -1, -1, INT64_MIN, INT64_MAX, { NULL, NULL }, 0, NULL, \
			0, NULL, 0, false, 0                                                     \
	}

/*
 * Analyzes a trace; options may be NULL. The caller frees *analysis with dp_analysis_free(); on
 * failure it is not written. The analysis shares ownership of the trace: the two may be freed in
 * any order. A trace without loops is not an error: see dp_analysis_candidate(). If several
 * streams are analyzed, those with too few kernels for the requested number of iterations, and
 * those without ranges that match the marks, are logged and have no loops.
 *
 * Errors: DP_ERR_ARGUMENT (a device or stream without kernels, a regex that is invalid or matches
 * nothing, a range that is empty or has no kernels, a number of iterations that is 0 or exceeds the
 * kernels of the only stream, a count without its array, paper without iterations, an epsilon of 0,
 * a share out of range, an unknown level, metric or rule), DP_ERR_LIMIT (more than 4096 streams to
 * analyze, or more than 256 devices that the same threads launch on), DP_ERR_NOMEM.
 * Cost: linear in the operations and, for each stream, in the ranges. With paper, the search is
 * linear for each doubling of epsilon, and the matching, as published,
 * O(n · (length + max_unmatched)): quadratic if the pattern is a constant share of the sequence or
 * max_unmatched is unlimited.
 */
DP_API int dp_analysis_run(struct dp_analysis **analysis, const struct dp_trace *trace,
			   const struct dp_analysis_options *options, struct dp_error *error);

/* Releases one owner's reference; the last one frees the analysis. NULL is allowed. */
DP_API void dp_analysis_free(struct dp_analysis *analysis);

/*
 * Adds an owner, who must call dp_analysis_free() as well. Returns the analysis. Any thread may
 * call these two functions. Constant cost.
 */
DP_API struct dp_analysis *dp_analysis_retain(const struct dp_analysis *analysis);

/*
 * Reads an analysis from its JSON report, which must have been written with all metrics: a baseline
 * for dp_comparison_run() that needs no trace. It has the selected loops with their iterations,
 * metrics, kernel times and findings. The trace, which it owns, has its name, format, duration,
 * devices and streams, but no operations. The caller frees *analysis with dp_analysis_free(); on
 * failure it is not written.
 *
 * Errors: DP_ERR_IO, DP_ERR_FORMAT (not such a report, or one of another schema), DP_ERR_LIMIT
 * (larger than 1 GiB, or crafted to take much more memory), DP_ERR_NOMEM. Cost: linear in the
 * report; memory of several times its size.
 */
DP_API int dp_analysis_read(struct dp_analysis **analysis, const char *path,
			    struct dp_error *error);

/*
 * Whether a file starts as such a report, compressed or not; false if it cannot be read or is not a
 * regular file. Cost: that of reading its start.
 */
DP_API bool dp_analysis_is_report(const char *path);

/* The trace that was analyzed. Borrowed. */
DP_API const struct dp_trace *dp_analysis_trace(const struct dp_analysis *analysis);

/*
 * Rules examine the capture of a device without loops from this number of kernels on: fewer are a
 * test of something, not a program whose time matters.
 */
#define DP_CAPTURE_KERNELS 10

/*
 * Whether rules were run. They are not if the options name metrics; then the lack of findings says
 * nothing. Constant cost.
 */
DP_API bool dp_analysis_is_diagnosed(const struct dp_analysis *analysis);

/* The part of the trace that was analyzed, from the options. */
struct dp_scope {
	int64_t device;		/* id, or -1 for all */
	int64_t stream; /* id, or -1 for the main stream of each device, with those that do the
			   same work or run before or after it (deepprof-detection(7)) */
	int64_t range_start_ns; /* INT64_MIN: from the start */
	int64_t range_end_ns;	/* INT64_MAX: to the end */
};

/* Owned by the analysis, never NULL. Constant cost. */
DP_API const struct dp_scope *dp_analysis_scope(const struct dp_analysis *analysis);

/* A loop. Structs are borrowed from the analysis and may grow at their end in later versions. */
struct dp_loop {
	uint32_t id;	 /* its index */
	uint32_t parent; /* id of the loop that encloses it, or DP_NONE */
	uint32_t device; /* for dp_trace_device() */
	uint32_t stream; /* for dp_trace_stream() */
	enum dp_found_by found_by;
	enum dp_phase_evidence phase; /* what decided its boundary */
	/*
	 * The probability that it is right, as deepprof-detection(7) defines it, 0 to 1. NaN with
	 * options.paper, and for a number of iterations that contradicts a likely loop.
	 */
	double confidence;
	double coverage;	      /* share of the stream's kernels in its iterations */
	bool selected;		      /* one of the loops at the options' level */
	size_t length;		      /* kernels in the pattern */
	size_t occurrences;	      /* of the exact pattern, without overlaps */
	size_t iterations;	      /* all, partial ones included */
	size_t complete;	      /* without the partial ones */
	size_t variants;	      /* different iterations, the pattern included */
	bool matches_count;	      /* found by count: complete is a requested number, alone or */
	bool matches_in_sequence;     /* together with those of loops before or after it */
	size_t copies; /* and memsets, in each iteration, if kernels alone were too few to find */
	size_t memsets;		/* iterations, and all operations were searched; otherwise 0 */
	const char *annotation; /* the name of its first iteration's annotation if its boundaries
				 * are from annotations, otherwise NULL */
	bool mixed; /* annotations of other names, which differ in more than numbers, set some of
		     * the boundaries */
	bool single; /* an annotation marks nearly all of the kernels as a single iteration, whose
		      * layers these iterations may be, since nothing shows that each is a step */
	/*
	 * The fewest and the most kernels of a whole iteration, which may differ from the pattern.
	 * Both are 0 if no iteration is whole.
	 */
	size_t min_kernels;
	size_t max_kernels;
	/*
	 * The number of copies on the loop's streams, without migrations of unified memory, from
	 * the start of a whole iteration to that of the next one, if at least 90% of these periods
	 * have the same number. Periods that other kernels, or a pause of the recording, interrupt
	 * do not count. NaN if fewer have it, with fewer than four whole iterations, and if all
	 * periods are interrupted. If copies or memsets is not 0, it equals copies.
	 */
	double copies_each;
};

/*
 * Whether a loop has kernels of a stream (an index): those of its own stream and, if work moves
 * between streams of a device, those of others. Constant cost.
 */
DP_API bool dp_analysis_loop_has_stream(const struct dp_analysis *analysis, size_t loop,
					size_t stream);

/*
 * The kernels of a loop's sequence, as indices for dp_trace_ops(), in the order in which
 * first_kernel counts them: by time or, if the loop's streams run concurrently, by launch. The
 * caller releases *ops with free(). Errors: DP_ERR_NOMEM, DP_ERR_ARGUMENT (no such loop). Cost:
 * linear in the trace's operations, O(n log n) by launch.
 */
DP_API int dp_analysis_loop_operations(const struct dp_analysis *analysis, size_t loop,
				       uint32_t **ops, size_t *count, struct dp_error *error);

/* The loops of all devices and levels, by index; NULL beyond the last. Constant cost. */
DP_API size_t dp_analysis_loop_count(const struct dp_analysis *analysis);
DP_API const struct dp_loop *dp_analysis_loop(const struct dp_analysis *analysis, size_t loop);

/* The name of kernel index < length of a loop's pattern; "" beyond. Borrowed. */
DP_API const char *dp_analysis_loop_kernel(const struct dp_analysis *analysis, size_t loop,
					   size_t index);

struct dp_iteration {
	size_t index;	     /* in the loop's list */
	int64_t start_ns;    /* start of its first kernel */
	int64_t end_ns;	     /* end of its last kernel */
	size_t first_kernel; /* index in the sequence of the stream's kernels */
	size_t kernels;
	uint32_t inserted;
	uint32_t deleted;
	uint32_t substituted;
	uint32_t variant;	/* of iterations of the same kernels; 0 is the pattern itself */
	bool partial;		/* cut off by the capture; excluded from averages */
	bool warmup;		/* before the steady state */
	bool slow; /* takes much longer than the others; false in loops that are not selected, and
		    * unless rules were run */
	size_t foreign_kernels; /* between the previous iteration and this one */
	size_t edits; /* index of its first edit; inserted + deleted + substituted of them */
	bool resumed; /* recording was off between the previous one, which has no period, and
		       * this one, which has no interval */
};

/*
 * NULL beyond the last. The iterations of a loop are one array in memory, in the order of their
 * starts; on concurrent streams, first_kernel may be in another order. Constant cost.
 */
DP_API const struct dp_iteration *dp_analysis_loop_iteration(const struct dp_analysis *analysis,
							     size_t loop, size_t iteration);

/*
 * Whether averages of periods include an iteration: it is neither warm-up nor partial, and the next
 * one follows without other kernels in between. False beyond the last. Constant cost.
 */
DP_API bool dp_analysis_loop_is_steady(const struct dp_analysis *analysis, size_t loop,
				       size_t iteration);

/*
 * The time that a loop's whole iterations take, in ns: their number times the mean steady period,
 * periods above the 95th percentile counted as that, so that a few iterations which wait for code
 * to be compiled do not count for more. With fewer than two steady periods, the lengths of the
 * whole iterations take their place. 0 without a whole iteration and beyond the last loop. Constant
 * cost.
 */
DP_API double dp_analysis_loop_time(const struct dp_analysis *analysis, size_t loop);

/*
 * The main loop of a device (an index; DP_NONE: of all): the selected loop with the most time
 * (dp_analysis_loop_time()) or, of those within 10% of that, the one with the longest period. Of
 * all devices, and of its own, it is loop 0. SIZE_MAX if there is none. Cost: linear in the loops.
 */
DP_API size_t dp_analysis_main_loop(const struct dp_analysis *analysis, uint32_t device);

/* An edit of a loop, by index; NULL beyond the last. */
DP_API const struct dp_edit *dp_analysis_loop_edit(const struct dp_analysis *analysis, size_t loop,
						   size_t edit);

/*
 * The best candidate of a stream that was analyzed and has no loop; its length is 0 if there was
 * none. NULL for any other stream. Cost: linear in the loops.
 */
struct dp_stream_candidate {
	size_t length;	   /* kernels */
	double coverage;   /* share of the kernels, 0 to 1 */
	double confidence; /* 0 to 1; NaN if refused, as it may be the layers of a single pass */
	size_t iterations; /* whole ones */
	bool counted;	   /* only loops of requested numbers of iterations were sought */
	size_t kernels;	   /* the number of kernels that were searched */
	size_t streams;	   /* the number of streams that ran these kernels, including this one */
	bool marked;	   /* annotations mark iterations, too few for a loop, or are ignored */
	bool layers; /* its repetitions may be layers: of a single pass, or a marked iteration */
	bool single; /* an annotation marks nearly all of the kernels as a single iteration */
	size_t in_row; /* if there is no candidate: most launches of one kernel in a row */
	/*
	 * A number for options.iterations with which a loop is found: that of the candidate's
	 * iterations or, if there is no candidate, in_row; 0 if none is worth trying, or
	 * no loop is found with it.
	 */
	size_t suggested;
};

DP_API const struct dp_stream_candidate *dp_analysis_candidate(const struct dp_analysis *analysis,
							       size_t stream);

/*
 * What the stages of the detection observed and decided (deepprof-detection(7)), by index, stream
 * by stream in the order in which the stages ran; NULL beyond the last, and without
 * options.explain. A stream has at most 1,000 entries, and if there were more, another one of stage
 * "left-out", which gives the number of the rest. Stages, facts and sentences may change between
 * versions. Constant cost.
 */
DP_API const struct dp_explanation *dp_analysis_explanation(const struct dp_analysis *analysis,
							    size_t index);

/* A variant of a loop, by its number (dp_iteration.variant); NULL beyond the last. */
DP_API const struct dp_variant *dp_analysis_loop_variant(const struct dp_analysis *analysis,
							 size_t loop, size_t variant);

/* Which direction of a metric is better. */
enum dp_better { DP_BETTER_NEITHER, DP_BETTER_LOWER, DP_BETTER_HIGHER };

struct dp_metric_info {
	const char *name; /* "interval_ns": the key in reports */
	const char *unit; /* "ns", "bytes", "1" for a share, "count" */
	enum dp_better better;
	const char *help;  /* one line */
	const char *of;	   /* a summary's metric, by name; NULL for a metric of iterations */
	enum dp_need need; /* what a trace must contain for it: see dp_trace_lacks() */
};

/* The metrics of iterations and of summaries, by index; NULL beyond the last. Static. */
DP_API const struct dp_metric_info *dp_metric(size_t index);
DP_API const struct dp_metric_info *dp_summary_metric(size_t index);

/* The number of metrics. Cost: linear in it. */
DP_API size_t dp_metric_count(void);
DP_API size_t dp_summary_metric_count(void);

/*
 * The names of all metrics, by index: those of iterations, then those of summaries; NULL beyond the
 * last. Static. Cost: linear in the number of metrics.
 */
DP_API const char *dp_metric_name(size_t index);

/* The index of the metric with this name; SIZE_MAX if there is none. Cost: linear. */
DP_API size_t dp_metric_find(const char *name);
DP_API size_t dp_summary_metric_find(const char *name);

/* The value of an iteration; NaN if it does not exist. Constant cost. */
DP_API double dp_analysis_loop_metric(const struct dp_analysis *analysis, size_t loop,
				      size_t metric, size_t iteration);

/*
 * The values of all iterations of a loop, in order; NULL if the metric is not computed for the
 * loop: see dp_analysis_loop_has_metric(). Borrowed. Constant cost.
 */
DP_API const double *dp_analysis_loop_metric_values(const struct dp_analysis *analysis, size_t loop,
						    size_t metric);

/*
 * Whether a metric is computed for a loop. All are for the selected loops. For others, which may
 * have a hundred times as many iterations, only periods, intervals and durations are. Constant
 * cost.
 */
DP_API bool dp_analysis_loop_has_metric(const struct dp_analysis *analysis, size_t loop,
					size_t metric);

/* The value of a loop's summary; NaN if it does not exist. Constant cost. */
DP_API double dp_analysis_loop_summary(const struct dp_analysis *analysis, size_t loop,
				       size_t metric);

/*
 * Durations of the kernels of one name, operator or position in the complete iterations after the
 * warm-up, on the loop's stream. Times are those of the device.
 */
struct dp_time_stat {
	const char *name; /* "" for kernels that no operator launched. Borrowed */
	size_t count;
	double total_ns;
	double mean_ns;
	double min_ns;
	double max_ns;
	double stddev_ns; /* of the population */
	double share;	  /* of the total of all: 0 to 1 */
	double rise_ns;	  /* slope of its time per iteration by least squares; NaN by position
			   * and with fewer than two iterations */
	/*
	 * Shares of the units' peaks while the kernel ran, by the hardware counters' samples that
	 * it fills for more than half, in the whole capture: multiprocessors with work, throughput
	 * of the tensor cores, and of device memory. By name only; NaN without such samples.
	 */
	double sm_active;
	double tensor_active;
	double dram_active;
};

/*
 * By kernel name, and by the innermost framework operator or NVTX range that was open on the
 * launching thread at the launch. Index 0 has the longest total; NULL beyond the last. Without such
 * ranges, or without launches, there is one operator with an empty name. Constant cost.
 */
DP_API const struct dp_time_stat *dp_analysis_loop_kernel_stat(const struct dp_analysis *analysis,
							       size_t loop, size_t index);
DP_API const struct dp_time_stat *dp_analysis_loop_operator_stat(const struct dp_analysis *analysis,
								 size_t loop, size_t index);

/*
 * By position in the pattern: index < length; NULL beyond. Inserted and substituted kernels are not
 * counted, so that a position may have a count of 0, and then NaN for times.
 */
DP_API const struct dp_time_stat *dp_analysis_loop_position_stat(const struct dp_analysis *analysis,
								 size_t loop, size_t index);

/*
 * What launching threads did while the device was idle, and where they waited for the device, by
 * the operators and annotations that were open; in a trace without these, by API calls.
 */
enum dp_host_activity {
	DP_HOST_WAIT,  /* idle time that is host_wait_ns: nothing was launched */
	DP_HOST_INPUT, /* idle time that is input_wait_ns */
	DP_HOST_SYNC,  /* synchronizing calls, idle or not: inner is the call, outer encloses it */
	/* Running time during the first two, by samples of functions: outer is the function. */
	DP_HOST_WAIT_SAMPLED,
	DP_HOST_INPUT_SAMPLED,
};

struct dp_host_range {
	enum dp_host_activity activity;
	/*
	 * The outermost that is not an iteration; "" for none. Annotations that differ in numbers
	 * only are one ("layer_#"). Borrowed.
	 */
	const char *outer;
	const char *inner; /* the innermost; NULL: the sum of all of that outermost one */
	double typical_ns; /* mean per typical iteration: neither warm-up nor slow */
	double slow_ns;	   /* mean per slow iteration; 0 where none is */
	double rise_ns;	   /* by which typical_ns rises with each iteration: least squares */
	double calls;	   /* DP_HOST_SYNC: mean per iteration; of samples: their number */
};

/* By activity, sums first, most expensive in typical iterations first; NULL beyond the last. */
DP_API const struct dp_host_range *dp_analysis_loop_host_range(const struct dp_analysis *analysis,
							       size_t loop, size_t index);

/*
 * What a loop's stream waited for when it was idle: an operation of another stream, by a wait for
 * an event that was recorded behind it.
 */
struct dp_stream_wait {
	const char *name; /* of the operation; borrowed */
	uint32_t stream;  /* index of the dp_stream that it ran on */
	uint32_t event;	  /* the first such event, as the trace numbers them; 0 if it does not */
	double ns;	  /* idle time, mean per iteration after the warm-up */
};

/*
 * The longest first; NULL beyond the last, and if the trace does not link waits to events. Constant
 * cost.
 */
DP_API const struct dp_stream_wait *dp_analysis_loop_stream_wait(const struct dp_analysis *analysis,
								 size_t loop, size_t index);

/*
 * The critical path of typical iterations: what each step waited for last, backwards from the end.
 * Its parts are named by the operator or range that launched them, otherwise by kernel or call.
 */
enum dp_path_part {
	DP_PATH_COMPUTE,
	DP_PATH_COMMUNICATION,
	DP_PATH_COPIES,
	DP_PATH_HOST,	/* the launching threads, outside of calls */
	DP_PATH_CALLS,	/* in calls */
	DP_PATH_LAUNCH, /* from a launch to its start, and between operations of a stream */
};

struct dp_path_stat {
	enum dp_path_part part;
	const char *name; /* borrowed */
	double ns;	  /* per iteration */
};

/* The longest first; NULL beyond the last, and if the path is unknown. Constant cost. */
DP_API const struct dp_path_stat *dp_analysis_loop_path_stat(const struct dp_analysis *analysis,
							     size_t loop, size_t index);

/*
 * The number of consecutive iterations that the critical path is a mean of, and the first one; 0 if
 * the path is unknown. Constant cost.
 */
DP_API size_t dp_analysis_loop_path_iterations(const struct dp_analysis *analysis, size_t loop,
					       size_t *first);

/* "compute", "communication", "copies", "host", "calls", "launch". Static storage. */
DP_API const char *dp_path_part_name(enum dp_path_part part);

/* "wait", "input", "sync", "wait_sampled", "input_sampled". Static storage. */
DP_API const char *dp_host_activity_name(enum dp_host_activity activity);

enum dp_collective_kind {
	DP_COLLECTIVE_OTHER,
	DP_COLLECTIVE_ALLREDUCE,
	DP_COLLECTIVE_ALLGATHER,
	DP_COLLECTIVE_REDUCE_SCATTER,
	DP_COLLECTIVE_ALL_TO_ALL,
	DP_COLLECTIVE_BARRIER,
	DP_COLLECTIVE_BROADCAST,
	DP_COLLECTIVE_REDUCE,
	DP_COLLECTIVE_GATHER,
	DP_COLLECTIVE_SCATTER,
	DP_COLLECTIVE_SEND_RECEIVE,
	DP_COLLECTIVE_KINDS
};

/* "allreduce", "send-receive" … Static storage. */
DP_API const char *dp_collective_kind_name(enum dp_collective_kind kind);

/*
 * The communication kernels of a device with one kind, size and group size, over the whole capture.
 * Times include waiting for other ranks, so that bandwidths are what the program gets, not what the
 * links can do. dp_ranks_collective() excludes the waiting.
 */
struct dp_collective_stat {
	uint32_t device; /* index of a struct dp_device */
	enum dp_collective_kind kind;
	uint64_t bytes;	     /* of one, the larger of input and output; 0: not recorded */
	uint32_t group_size; /* 0: not recorded */
	size_t count;
	double total_ns, median_ns, min_ns;
	double algorithm_bandwidth; /* bytes by the median time, bytes/s; NaN if unknown */
	double bus_bandwidth;	    /* the same, by the traffic that nccl-tests count */
};

/* The longest total first; NULL beyond the end. Constant cost. */
DP_API const struct dp_collective_stat *dp_analysis_collective(const struct dp_analysis *analysis,
							       size_t index);

/* Why a device is idle: the causes of idle_host_ns and similar metrics. */
enum dp_idle_cause { DP_IDLE_HOST, DP_IDLE_SYNC, DP_IDLE_COPY, DP_IDLE_LAUNCH, DP_IDLE_OTHER };

/* A part of a gap, in which no operation runs on a device, with one cause. */
struct dp_idle {
	int64_t start_ns;
	int64_t end_ns;
	enum dp_idle_cause cause;
	uint32_t op; /* the operation that ends the gap, for dp_trace_ops() */
};

/*
 * Calls each() with the idle times of a device (an index) in [start_ns, end_ns), in order and
 * clipped to that range. Over the period of an iteration they sum, by cause, to its metrics. If
 * each() returns a nonzero value, the iteration stops and returns it. Errors: DP_ERR_NOMEM. Cost:
 * linear in the trace's operations and calls.
 */
DP_API int dp_analysis_foreach_idle(const struct dp_analysis *analysis, uint32_t device,
				    int64_t start_ns, int64_t end_ns,
				    int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
				    struct dp_error *error);

/*
 * The share of time, 0 to 1, in which any operation of a device (an index) runs, in each of count
 * equal slices of [start_ns, end_ns), in ns from the trace's zero. shares is the caller's, with
 * room for count; all are 0 for an empty range and for a device without operations. Errors:
 * DP_ERR_NOMEM; shares is not written then. Cost: linear in the trace's operations and calls, and
 * in count.
 */
DP_API int dp_analysis_utilization(const struct dp_analysis *analysis, uint32_t device,
				   int64_t start_ns, int64_t end_ns, double *shares, size_t count,
				   struct dp_error *error);

/* "host", "sync", "copy", "launch", "other". Static storage. */
DP_API const char *dp_idle_cause_name(enum dp_idle_cause cause);

enum dp_severity { DP_SEVERITY_INFO, DP_SEVERITY_WARNING, DP_SEVERITY_CRITICAL };

/* "info", "warning", "critical". Static storage. */
DP_API const char *dp_severity_name(enum dp_severity severity);

/* The name of the evidence that holds the period a finding's cost is a part of. */
#define DP_EVIDENCE_PERIOD "period_ns"

/* A number that supports a finding. */
struct dp_evidence_value {
	const char *name;
	const char *unit;
	double value;
	const char *call; /* the API call or kernel that it is about; NULL: none */
};

/* What the host ran during the time that a finding costs. */
struct dp_finding_range {
	const char *name; /* "" outside of all. Borrowed */
	double ns;	  /* per iteration */
	double share;	  /* of all of the same activity */
};

struct dp_finding {
	const char *rule;
	enum dp_severity severity;
	double confidence;
	uint32_t loop;		/* DP_NONE: about the capture of a device without loops */
	size_t first_iteration; /* of those to look at, both included */
	size_t last_iteration;
	/*
	 * Per iteration, of the mean period or the one in the evidence DP_EVIDENCE_PERIOD; NaN if
	 * unknown. For a capture, or the only whole iteration of a loop, the evidence gives its
	 * duration.
	 */
	double recoverable_ns;
	const char *advice; /* one action */
	size_t evidence_count;
	const struct dp_evidence_value *evidence;
	const char *metric; /* of iterations, that the cost is a part of; NULL: none */
	/*
	 * What the host did meanwhile, by the outermost operator, annotation or call or, for
	 * DP_HOST_SYNC, the innermost: most expensive first.
	 */
	size_t range_count;
	const struct dp_finding_range *ranges;
	enum dp_host_activity activity; /* of the ranges */
	/*
	 * All loops that it is about, starting with loop. Those of other devices are included if
	 * the rule, the advice and, within a fifth, the cost are the same.
	 */
	size_t loop_count;
	const uint32_t *loops;
	/* The rule of an earlier finding whose cost includes this one's; NULL: none. */
	const char *overlaps;
	/* The device (for dp_trace_device()) of each of the loops, and the cost there. */
	const uint32_t *devices;
	const double *costs_ns;
	bool single; /* about a loop's only whole iteration, which has no period */
	/*
	 * The period of typical iterations without the problem, from a replay of the dependencies.
	 * NaN if there is none.
	 */
	double predicted_ns;
	double predicted_from_ns; /* the period as it is */
	/* The rule of another finding that is gone as well in predicted_ns; NULL: none. */
	const char *predicted_with;
	bool needs_others; /* predicted_ns holds if the other ranks, for which it waits, keep up */
	bool minor;	   /* too small for a report of one screen: see deepprof-metrics(7) */
};

/* Whether a finding is about a loop, and its cost there: NaN if it is unknown, or about others. */
DP_API bool dp_finding_concerns(const struct dp_finding *finding, uint32_t loop);
DP_API double dp_finding_cost(const struct dp_finding *finding, uint32_t loop);

/*
 * Findings, ordered by severity, then by the time that fixing them would save over the whole trace.
 * NULL beyond the last.
 */
DP_API size_t dp_analysis_finding_count(const struct dp_analysis *analysis);
DP_API const struct dp_finding *dp_analysis_finding(const struct dp_analysis *analysis,
						    size_t finding);

/* The rules by index; NULL beyond the last. Static. */
struct dp_rule_info {
	const char *id;
	const char *help;
	double threshold; /* minimum share at which it reports; 0: it has none */
};

/* NULL beyond the last. Static storage. */
DP_API const struct dp_rule_info *dp_rule(size_t index);

/* The number of rules, and the index of the one with this id; SIZE_MAX if there is none. */
DP_API size_t dp_rule_count(void);
DP_API size_t dp_rule_find(const char *id);

/*
 * The minimum share at which a rule (an index for dp_rule()) reports a finding in this analysis:
 * the requested one, or else the rule's default. 0 if the rule has no threshold, NaN if there is no
 * such rule. Constant cost.
 */
DP_API double dp_analysis_threshold(const struct dp_analysis *analysis, size_t rule);

#ifdef __cplusplus
}
#endif

#endif
