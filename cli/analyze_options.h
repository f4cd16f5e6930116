/* The options of every command that finds iterations, and the steps from a file to its report. */
#ifndef DP_CLI_ANALYZE_OPTIONS_H
#define DP_CLI_ANALYZE_OPTIONS_H

#include "common.h"

#include <deepprof/deepprof.h>

enum { ANALYZE_LOOPS_MAX = 64, ANALYZE_METRICS_MAX = 256, ANALYZE_THRESHOLDS_MAX = 64 };

/* The first member of a command's own options. */
struct analyze_options {
	struct common common;
	struct dp_analysis_options options;
	uint64_t iterations[ANALYZE_LOOPS_MAX];
	const char *metrics[ANALYZE_METRICS_MAX];
	size_t metrics_count;
	struct dp_threshold thresholds[ANALYZE_THRESHOLDS_MAX];
	bool needs_all; /* compute all metrics, whatever --metric names */
	bool tuned;	/* the paper's thresholds were given */
};

bool analyze_set_iterations(void *into, const char *value, struct opt_why *why);
bool analyze_set_epsilon(void *into, const char *value, struct opt_why *why);
bool analyze_set_max_unmatched(void *into, const char *value, struct opt_why *why);
bool analyze_set_paper(void *into, const char *value, struct opt_why *why);
bool analyze_set_marks(void *into, const char *value, struct opt_why *why);
bool analyze_set_explain(void *into, const char *value, struct opt_why *why);
bool analyze_set_ignore_marks(void *into, const char *value, struct opt_why *why);
bool analyze_set_level(void *into, const char *value, struct opt_why *why);
bool analyze_set_device(void *into, const char *value, struct opt_why *why);
bool analyze_set_stream(void *into, const char *value, struct opt_why *why);
bool analyze_set_range(void *into, const char *value, struct opt_why *why);
bool analyze_set_batch_size(void *into, const char *value, struct opt_why *why);
bool analyze_set_flops(void *into, const char *value, struct opt_why *why);
bool analyze_set_threshold(void *into, const char *value, struct opt_why *why);
bool analyze_set_metric(void *into, const char *value, struct opt_why *why);
const char *analyze_level_name(size_t index);

/* Rows of an option table. */
/* clang-format off */
#define ANALYZE_OPTIONS                                                                              \
	{ 'n', "iterations", "N[,N...]",                                                          \
	  "number of iterations per loop (default: detected from kernel order)", \
	  analyze_set_iterations, .list = true },                                                    \
	{ 0, "paper", NULL, "use the published algorithm unchanged; requires -n", analyze_set_paper },  \
	{ 0, "epsilon", "E", "with --paper: initial tolerance of -n (default: 1)",                \
	  analyze_set_epsilon },                                                                     \
	{ 0, "max-unmatched", "K",                                                                \
	  "with --paper: skip at most K operations in an iteration (default: 100)",                   \
	  analyze_set_max_unmatched },                                                               \
	{ 0, "marks", "REGEX", "use matching annotations (NVTX, profiler, operators) as iterations",                \
	  analyze_set_marks },                                                                       \
	{ 0, "ignore-marks", NULL, "detect iterations from kernel order, ignore annotations",      \
	  analyze_set_ignore_marks },                                                                \
	{ 0, "level", "LEVEL", "level of nested loops to report", analyze_set_level,               \
	  analyze_level_name },                                                                      \
	{ 0, "device", "ID", "analyze only this device", analyze_set_device },                               \
	{ 0, "stream", "ID", "analyze this stream (default: most kernel time, excluding communication)",              \
	  analyze_set_stream },                                                                      \
	{ 0, "range", "START:END",                                                                \
	  "analyze only kernels that start in this interval, such as 1.5s:2s or 300ms:", analyze_set_range },      \
	{ 0, "batch-size", "N", "samples per iteration; adds the throughput",                \
	  analyze_set_batch_size },                                                                  \
	{ 0, "flops", "F", "floating-point operations of an iteration on one GPU, such as 3.2T, or "\
	  "PARAMETERS,TOKENS of transformer training (6 per parameter and token); adds rate "      \
	  "and utilization",                                                                       \
	  analyze_set_flops },                                                                       \
	{ 0, "threshold", "RULE=P%[,RULE=P%...]",                                                 \
	  "minimum share at which a rule reports, such as host-bound=10%", analyze_set_threshold, .list = true }, \
	{ 0, "metric", "NAME[,NAME...]", "show only these metrics; 'deepprof info --build' lists them", \
	  analyze_set_metric, dp_metric_name, .list = true, .hide_choices = true }
/* clang-format on */

/* After parsing. Returns false after printing the error if the options contradict each other. */
bool analyze_options_finish(struct analyze_options *args, int *argc, char ***argv);

/*
 * Opens and analyzes a file. Returns NULL after printing the error; otherwise the caller frees the
 * analysis, then the trace.
 */
struct dp_analysis *analyze_file(const struct analyze_options *args, const char *path,
				 struct dp_trace **trace);

/* Copies alone make no iterations. Returns false after printing the error if there is no kernel. */
bool analyze_has_kernels(const struct dp_trace *trace, const char *path);

/* Writes a report in the requested format. Returns false after printing the error. */
bool analyze_write(const struct analyze_options *args, const struct dp_analysis *analysis,
		   const char *path, const struct dp_report_options *options,
		   struct output *output);

/* How loops are found, for commands that analyze many traces. */
#define ANALYZE_LOOP_OPTIONS                                                                     \
	{ 'n', "iterations", "N[,N...]",                                                         \
	  "number of iterations per loop (default: detected from kernel order)",                 \
	  analyze_set_iterations, .list = true },                                                \
	{ 0, "marks", "REGEX", "use matching annotations as iterations", analyze_set_marks },    \
	{ 0, "ignore-marks", NULL, "detect iterations from kernel order, ignore annotations",    \
	  analyze_set_ignore_marks }

#endif
