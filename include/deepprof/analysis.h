/*
 * From a trace to loops, iterations, metrics and findings.
 *
 * An analysis is made once and then only read, by any number of threads. It borrows its trace,
 * which must stay until the analysis is freed. Times are integer nanoseconds from the trace's
 * first GPU operation. A value that does not exist is NaN ("null" in reports), never 0.
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

/* The minimum share at which a rule reports (see dp_rule()): above 0, at most 1. */
struct dp_threshold {
	const char *rule;
	double share;
};

/* Which of nested loops is the iteration that is reported on. */
enum dp_level { DP_LEVEL_DEFAULT, DP_LEVEL_OUTERMOST, DP_LEVEL_INNERMOST };

/*
 * What to do. Set to DP_ANALYSIS_OPTIONS_INIT, then change members. Pointers are borrowed for
 * the call.
 */
struct dp_analysis_options {
	size_t size;
	const uint64_t
		*iterations; /* the known number of iterations, one per loop; NULL: unaided */
	size_t iterations_count;
	bool paper;		/* the paper's algorithm to the letter; needs iterations */
	uint64_t epsilon;	/* the paper's ε: 1 or more */
	uint64_t max_unmatched; /* the paper's k0: kernels skipped inside a match */
	const char *marks;	/* POSIX extended regex: iterations are the ranges it matches */
	bool ignore_marks;	/* find loops from kernels alone, whatever annotations say */
	enum dp_level level;
	int64_t device;		/* id, or -1 for all */
	int64_t stream;		/* id, or -1 for the main stream of each device */
	int64_t range_start_ns; /* kernels that start in [start, end) only */
	int64_t range_end_ns;
	struct dp_log log;
	uint64_t batch_size; /* samples in an iteration, for throughput; 0: unknown */
	/*
	 * Names of the metrics to compute, an iteration's or a summary's; NULL: all. Periods,
	 * intervals and durations always are. Rules need all: with names there are no findings, nor
	 * times by kernel.
	 */
	const char *const *metrics;
	size_t metrics_count;
	const struct dp_threshold *thresholds; /* in place of rules' own; NULL: none */
	size_t thresholds_count;
	bool explain; /* keep what each stage saw and chose, for dp_analysis_explanation() */
	double flops; /* floating-point operations of an iteration on one device; 0: not known */
};

#define DP_ANALYSIS_OPTIONS_INIT                                                                 \
	{                                                                                        \
		sizeof(struct dp_analysis_options), NULL, 0, false, 1, 100, NULL, false,         \
			DP_LEVEL_DEFAULT, -1, -1, INT64_MIN, INT64_MAX, { NULL, NULL }, 0, NULL, \
			0, NULL, 0, false, 0                                                     \
	}

/*
 * Analyzes a trace; options may be NULL. *analysis is the caller's, to be freed with
 * dp_analysis_free(); on failure it is not written. A trace without loops is no failure: see
 * dp_analysis_candidate(). Where several streams are analyzed, one with too few kernels for a
 * count, or without ranges that match the marks, is reported through the log and has no loops.
 *
 * Errors: DP_ERR_ARGUMENT (a device or stream without kernels, a regex that is none or matches
 * nothing anywhere, no kernels in the range, a count of 0 or above the kernels of the only stream,
 * a number of counts without counts, paper without iterations, an epsilon of 0, an unknown level,
 * metric or rule), DP_ERR_LIMIT (more than 4096 streams to
 * analyze), DP_ERR_NOMEM. Cost: linear in the operations, and for each stream in the ranges. With
 * paper the search is linear for each doubling of epsilon, and the matching, as published,
 * O(n · (length + max_unmatched)): quadratic where the pattern is a share of the
 * sequence, or max_unmatched has no limit.
 */
DP_API int dp_analysis_run(struct dp_analysis **analysis, const struct dp_trace *trace,
			   const struct dp_analysis_options *options, struct dp_error *error);

/* Ends one owner's use of it: the last one frees it. NULL is ignored. */
DP_API void dp_analysis_free(struct dp_analysis *analysis);

/*
 * One owner more: dp_analysis_free() is to be called once more. Returns the analysis. Any thread may
 * call it and dp_analysis_free(). Constant cost.
 */
DP_API struct dp_analysis *dp_analysis_retain(const struct dp_analysis *analysis);

/*
 * Hands the trace that was analyzed over to the analysis: it is freed with it. Errors:
 * DP_ERR_ARGUMENT (another trace).
 */
DP_API int dp_analysis_take_trace(struct dp_analysis *analysis, struct dp_trace *trace,
				  struct dp_error *error);

/*
 * An analysis from the JSON report of one, which was written with all metrics: a baseline for
 * dp_comparison_run() without its trace. It has loops at the level of the report, their iterations,
 * metrics, times of kernels and findings; its trace, which it owns, has the name, the format, the
 * length, devices and streams, and no operations. *analysis is the caller's, to be freed with
 * dp_analysis_free(); on failure it is not written.
 *
 * Errors: DP_ERR_IO, DP_ERR_FORMAT (no such report, or one of another schema), DP_ERR_LIMIT (larger
 * than 1 GiB, or made to take much more memory than that), DP_ERR_NOMEM. Cost: linear in the
 * report, several times of which it takes as memory.
 */
DP_API int dp_analysis_read(struct dp_analysis **analysis, const char *path,
			    struct dp_error *error);

/* Does a file begin as such a report does, compressed or not? False where it cannot be read. */
DP_API bool dp_analysis_is_report(const char *path);

/* The trace that was analyzed. */
DP_API const struct dp_trace *dp_analysis_trace(const struct dp_analysis *analysis);

/* What was analyzed of it: what the options said, or all. */
struct dp_scope {
	int64_t device;		/* id, or -1 for all */
	int64_t stream;		/* id, or -1 for the main stream of each device */
	int64_t range_start_ns; /* INT64_MIN: from the beginning */
	int64_t range_end_ns;	/* INT64_MAX: to the end */
};

DP_API const struct dp_scope *dp_analysis_scope(const struct dp_analysis *analysis);

/* A loop. Structs are borrowed from the analysis and may grow at their end in later versions. */
struct dp_loop {
	uint32_t id;	 /* its index */
	uint32_t parent; /* id of the loop that encloses it, or DP_NONE */
	uint32_t device; /* for dp_trace_device() */
	uint32_t stream; /* for dp_trace_stream() */
	enum dp_found_by found_by;
	enum dp_phase_evidence phase; /* what its boundary was decided by */
	double confidence;	      /* probability that its boundaries are right: 0 to 1 */
	double coverage;	      /* share of the stream's kernels inside its iterations */
	bool selected;		      /* one of the loops that the options' level chose */
	size_t length;		      /* kernels in the pattern */
	size_t occurrences;	      /* exact ones that do not overlap */
	size_t iterations;	      /* all that are listed, partial ones included */
	size_t complete;	      /* without the partial ones */
	size_t variants;	      /* distinct edit scripts, the pattern's own included */
	bool matches_count;	      /* found by count: complete is a requested number, or */
	bool matches_in_sequence;     /* it is together with those of loops before or after it */
	size_t copies; /* and memsets, in each iteration, where kernels alone were too few to */
	size_t sets;   /* tell and all operations were looked at; else 0 */
	const char *annotation; /* the name of its first iteration's annotation where its boundaries
				 * are from annotations, else NULL */
};

/*
 * Whether kernels of a stream (an index) are among a loop's: of its stream they are, and where work
 * moves between streams of a device, of others as well. Constant cost.
 */
DP_API bool dp_analysis_loop_has_stream(const struct dp_analysis *analysis, size_t loop,
					size_t stream);

/*
 * The kernels that a loop's iterations are of, as operations of the trace (for dp_trace_ops()) in
 * the order in which first_kernel counts them: that of time, or that of launches where the loop's
 * streams run at once. *ops is the caller's, to be released with free(). Errors: DP_ERR_NOMEM,
 * DP_ERR_ARGUMENT (no such loop). Cost: linear in the trace's operations, n log n by launches.
 */
DP_API int dp_analysis_loop_operations(const struct dp_analysis *analysis, size_t loop,
				       uint32_t **ops, size_t *count, struct dp_error *error);

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
	uint32_t variant;	/* equal edit scripts share one; 0 is the pattern itself */
	bool partial;		/* cut off by the capture: in no average */
	bool warmup;		/* before the steady state */
	size_t foreign_kernels; /* between the previous iteration and this one */
	size_t edits; /* index of its first edit; inserted + deleted + substituted of them */
	bool resumed; /* recording was off before it, since the previous one: that one has no
		       * period, this one no interval */
};

/* NULL beyond the end. Those of a loop are one array in memory. Constant cost. */
DP_API const struct dp_iteration *dp_analysis_loop_iteration(const struct dp_analysis *analysis,
							     size_t loop, size_t iteration);

/*
 * Is it one of those that averages of periods are made from: neither warm-up nor cut off, and the
 * next one follows without other kernels between? False beyond the end. Constant cost.
 */
DP_API bool dp_analysis_loop_is_steady(const struct dp_analysis *analysis, size_t loop,
				       size_t iteration);

/*
 * The time that a loop's iterations took, in ns: from the start of each to the start of the next
 * where that follows it, else to its end. Cost: linear in the iterations.
 */
DP_API double dp_analysis_loop_time(const struct dp_analysis *analysis, size_t loop);

/* An edit of a loop, by index; NULL beyond the end. */
DP_API const struct dp_edit *dp_analysis_loop_edit(const struct dp_analysis *analysis, size_t loop,
						   size_t edit);

/*
 * True for a stream that was analyzed and has no loop that was good enough; *candidate is then
 * the best there was, of length 0 where nothing at all came up. False, and *candidate is not
 * written, for any other stream. Cost: linear in the loops.
 */
struct dp_candidate {
	size_t length;	   /* kernels */
	double coverage;   /* share of the stream's kernels, 0 to 1 */
	double confidence; /* 0 to 1 */
};

DP_API bool dp_analysis_candidate(const struct dp_analysis *analysis, size_t stream,
				  struct dp_candidate *candidate);

/*
 * What the stages of the detection saw and chose (deepprof-detection(7)), by index, in the order
 * in which they ran, one stream after the other; NULL beyond the end, and where the options do not
 * ask for it. Of a stream there are at most some 300 entries; a last one of stage "left-out" then
 * says how many more there were. Stages, their facts and their words may change between versions.
 * Constant cost.
 */
DP_API const struct dp_explanation *dp_analysis_explanation(const struct dp_analysis *analysis,
							    size_t index);

/* A variant of a loop, by its number (dp_iteration.variant) < variants; NULL beyond. */
DP_API const struct dp_variant *dp_analysis_loop_variant(const struct dp_analysis *analysis,
							 size_t loop, size_t variant);

/* Which way a metric is good. */
enum dp_better { DP_BETTER_NEITHER, DP_BETTER_LOWER, DP_BETTER_HIGHER };

struct dp_metric_info {
	const char *name; /* "interval_ns": the key in reports */
	const char *unit; /* "ns", "bytes", "1" for a share, "count" */
	enum dp_better better;
	const char *help;  /* one line */
	const char *of;	   /* a summary's metric, by name; NULL for a metric of iterations */
	enum dp_need need; /* what a trace must hold for it: see dp_trace_lacks() */
};

/* The metrics of an iteration and those of a loop's summary, by index; NULL beyond. Static. */
DP_API const struct dp_metric_info *dp_metric(size_t index);
DP_API const struct dp_metric_info *dp_summary_metric(size_t index);

/* How many there are. Cost: their number. */
DP_API size_t dp_metric_count(void);
DP_API size_t dp_summary_metric_count(void);

/* The index of the one with this name, SIZE_MAX if there is none. Cost: their number. */
DP_API size_t dp_metric_find(const char *name);
DP_API size_t dp_summary_metric_find(const char *name);

/* The value of an iteration, NaN where it does not exist. Constant cost. */
DP_API double dp_analysis_loop_metric(const struct dp_analysis *analysis, size_t loop,
				      size_t metric, size_t iteration);

/*
 * The values of all of a loop's iterations, in order; NULL where the metric is not computed for it:
 * see dp_analysis_loop_has_metric(). Borrowed. Constant cost.
 */
DP_API const double *dp_analysis_loop_metric_values(const struct dp_analysis *analysis, size_t loop,
						    size_t metric);

/*
 * Whether a metric is computed for a loop: all are for those at the chosen level; for others, which
 * may have a hundred times as many iterations, only periods, intervals and durations. Constant
 * cost.
 */
DP_API bool dp_analysis_loop_has_metric(const struct dp_analysis *analysis, size_t loop,
					size_t metric);

/* A value over all of a loop's iterations, NaN where it does not exist. Constant cost. */
DP_API double dp_analysis_loop_summary(const struct dp_analysis *analysis, size_t loop,
				       size_t metric);

/*
 * Durations of one kind of kernel in a loop's complete iterations behind its warm-up, those of its
 * stream. Times are of the device.
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
	double rise_ns;	  /* by how much its time per iteration rises with each: least squares; NaN
			   * by position, and with fewer than two iterations */
};

/*
 * By the kernel's name, and by the innermost framework operator or NVTX range that was open on the
 * launching thread at the launch: index 0 has the longest total, NULL beyond the end. Where a trace
 * has no such ranges, or no launches, there is one operator of no name. Constant cost.
 */
DP_API const struct dp_time_stat *dp_analysis_loop_kernel_stat(const struct dp_analysis *analysis,
							       size_t loop, size_t index);
DP_API const struct dp_time_stat *dp_analysis_loop_operator_stat(const struct dp_analysis *analysis,
								 size_t loop, size_t index);

/*
 * By the place in the pattern: index < length, NULL beyond. Inserted and substituted kernels count
 * nowhere, so a place may have a count of 0; then its times are NaN.
 */
DP_API const struct dp_time_stat *dp_analysis_loop_position_stat(const struct dp_analysis *analysis,
								 size_t loop, size_t index);

/*
 * What launching threads did while the device was idle, and where they waited for it, by the
 * operators and annotations that were open on them; in a trace without these, by API calls.
 */
enum dp_host_activity {
	DP_HOST_WAIT,  /* idle time that is host_wait_ns: nothing was launched */
	DP_HOST_INPUT, /* idle time that is input_wait_ns */
	DP_HOST_SYNC,  /* synchronizing calls, idle or not: inner is the call, outer what is around it */
};

struct dp_host_range {
	enum dp_host_activity activity;
	const char *outer; /* the outermost that is no iteration; "" for none. Borrowed */
	const char *inner; /* the innermost; NULL: the sum of all of that outermost one */
	double typical_ns; /* mean per typical iteration: neither warm-up nor slow */
	double slow_ns;	   /* mean per slow iteration; 0 where none is */
	double calls;	   /* DP_HOST_SYNC: mean per iteration */
};

/* By activity, sums first, those that cost typical iterations most before others; NULL beyond the
 * end. */
DP_API const struct dp_host_range *dp_analysis_loop_host_range(const struct dp_analysis *analysis,
							       size_t loop, size_t index);

/*
 * The critical path of typical iterations: what each waited for last, backwards from the end. A part
 * by the operator or range that launches it, else by the kernel or call.
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

/* The longest first; NULL beyond the end, and where nothing is known. Constant cost. */
DP_API const struct dp_path_stat *dp_analysis_loop_path_stat(const struct dp_analysis *analysis,
							     size_t loop, size_t index);

/* "compute", "communication", "copies", "host", "calls", "launch". Static storage. */
DP_API const char *dp_path_part_name(enum dp_path_part part);

/* "wait", "input", "sync". Static storage. */
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
 * The communication kernels of a device of one kind, size and group size, over the whole capture.
 * Times include waiting for the other ranks, so that bandwidths are what the program gets, not what
 * the links can do: dp_ranks_collective() has the time without waiting.
 */
struct dp_collective_stat {
	uint32_t device; /* index of a struct dp_device */
	enum dp_collective_kind kind;
	uint64_t bytes;	     /* of one on this rank, the larger of input and output; 0: not recorded */
	uint32_t group_size; /* 0: not recorded */
	size_t count;
	double total_ns, median_ns, min_ns;
	double algorithm_bandwidth; /* bytes by the median time, bytes/s; NaN where not known */
	double bus_bandwidth;	    /* the same by the links' traffic, as nccl-tests count it */
};

/* The longest total first; NULL beyond the end. Constant cost. */
DP_API const struct dp_collective_stat *dp_analysis_collective(const struct dp_analysis *analysis,
							       size_t index);

/* Why a device does nothing: the causes of idle_host_ns and its like. */
enum dp_idle_cause { DP_IDLE_HOST, DP_IDLE_SYNC, DP_IDLE_COPY, DP_IDLE_LAUNCH, DP_IDLE_OTHER };

/* A time in which no operation of a device runs, of one cause. Several make up a gap. */
struct dp_idle {
	int64_t start_ns;
	int64_t end_ns;
	enum dp_idle_cause cause;
	uint32_t op; /* the operation that ends the gap, for dp_trace_ops() */
};

/*
 * Calls each() with the idle times of a device (an index) in [start_ns, end_ns), in order, those at
 * the borders cut. Over an iteration's period they sum, by cause, to its metrics. Where each()
 * returns anything but 0 the walk ends and returns it. Errors: DP_ERR_NOMEM. Cost: linear in the
 * trace's operations and calls.
 */
DP_API int dp_analysis_foreach_idle(const struct dp_analysis *analysis, uint32_t device,
				    int64_t start_ns, int64_t end_ns,
				    int (*each)(void *ctx, const struct dp_idle *idle), void *ctx,
				    struct dp_error *error);

/*
 * How busy a device (an index) is in each of count equal slices of [start_ns, end_ns): shares of 0
 * to 1. Errors: DP_ERR_NOMEM. Cost: linear in the trace's operations and calls.
 */
DP_API int dp_analysis_utilization(const struct dp_analysis *analysis, uint32_t device,
				   int64_t start_ns, int64_t end_ns, double *shares, size_t count,
				   struct dp_error *error);

/* "host", "sync", "copy", "launch", "other". Static storage. */
DP_API const char *dp_idle_cause_name(enum dp_idle_cause cause);

enum dp_severity { DP_SEVERITY_INFO, DP_SEVERITY_WARNING, DP_SEVERITY_CRITICAL };

/* "info", "warning", "critical". Static storage. */
DP_API const char *dp_severity_name(enum dp_severity severity);

/* The evidence that names the period which a finding's cost is a part of. */
#define DP_EVIDENCE_PERIOD "period_ns"

/* A number that supports a finding. */
struct dp_evidence_value {
	const char *name;
	const char *unit;
	double value;
	const char *call; /* the API call that it is a number of; NULL: of none */
};

/* A host range that a finding's cost lies in. */
struct dp_finding_range {
	const char *name; /* "" for none. Borrowed */
	double ns;	  /* per iteration */
	double share;	  /* of all of the same activity */
};

struct dp_finding {
	const char *rule;
	enum dp_severity severity;
	double confidence;
	uint32_t loop;		/* DP_NONE: a device's whole capture, in which it has no loop */
	size_t first_iteration; /* those to look at, both included */
	size_t last_iteration;
	/* Per iteration, NaN if unknown: of the mean period, or of the one that the
	 * evidence names DP_EVIDENCE_PERIOD. Of a capture, or of a loop's only whole iteration, the
	 * evidence names how long that takes. */
	double recoverable_ns;
	const char *advice; /* one action */
	size_t evidence_count;
	const struct dp_evidence_value *evidence;
	const char *metric; /* of iterations, that the cost is a part of; NULL: of none */
	/* What the host did meanwhile, by the outermost or, of DP_HOST_SYNC, the innermost operator,
	 * annotation or call: most expensive first. */
	size_t range_count;
	const struct dp_finding_range *ranges;
	enum dp_host_activity activity; /* of the ranges */
	/* All loops that it is about, loop being the first: those of other devices too, where the
	 * rule, the advice and, within a fifth, the cost are the same. */
	size_t loop_count;
	const uint32_t *loops;
	/* A more expensive finding whose cost this one's is a part of, by its rule; NULL: none. */
	const char *overlaps;
	/* Of each of the loops, its device (for dp_trace_device()) and what it costs there. */
	const uint32_t *devices;
	const double *costs_ns;
	bool single; /* of a loop's only whole iteration, which has no period */
	/* The period without what it is about, of typical iterations: a replay of what waits for what
	 * with that left out. NaN where there is none. */
	double predicted_ns;
	double predicted_from_ns; /* the period as it is */
};

/* Is a finding about a loop? And what it costs there, NaN where that is not known or it is not about it. */
DP_API bool dp_finding_concerns(const struct dp_finding *finding, uint32_t loop);
DP_API double dp_finding_cost(const struct dp_finding *finding, uint32_t loop);

/* Findings in order of recoverable time in the whole trace. */
DP_API size_t dp_analysis_finding_count(const struct dp_analysis *analysis);
DP_API const struct dp_finding *dp_analysis_finding(const struct dp_analysis *analysis,
						    size_t finding);

/* The rules: id and one line of help, by index; NULL beyond. Static. */
struct dp_rule_info {
	const char *id;
	const char *help;
	double threshold; /* minimum share of its measure at which it reports; 0: it is no share */
};

DP_API const struct dp_rule_info *dp_rule(size_t index);

/* How many there are, and the index of the one with this id, SIZE_MAX if there is none. */
DP_API size_t dp_rule_count(void);
DP_API size_t dp_rule_find(const char *id);

#ifdef __cplusplus
}
#endif

#endif
