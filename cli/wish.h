/*
 * What to analyze: the options that every command has which finds iterations, and the way from a
 * file's name to a report.
 */
#ifndef DP_CLI_WISH_H
#define DP_CLI_WISH_H

#include "common.h"

#include <deepprof/deepprof.h>

enum { WISH_LOOPS_MAX = 64, WISH_METRICS_MAX = 256, WISH_THRESHOLDS_MAX = 64 };

/* The first member of a command's own options. */
struct wish {
	struct common common;
	struct dp_analysis_options options;
	uint64_t iterations[WISH_LOOPS_MAX];
	const char *metrics[WISH_METRICS_MAX];
	size_t metrics_count;
	struct dp_threshold thresholds[WISH_THRESHOLDS_MAX];
	bool needs_all; /* metrics: more is made of them than a report */
	bool tuned;	/* the paper's thresholds were given */
};

bool wish_set_iterations(void *into, const char *value, struct opt_why *why);
bool wish_set_epsilon(void *into, const char *value, struct opt_why *why);
bool wish_set_max_unmatched(void *into, const char *value, struct opt_why *why);
bool wish_set_paper(void *into, const char *value, struct opt_why *why);
bool wish_set_marks(void *into, const char *value, struct opt_why *why);
bool wish_set_explain(void *into, const char *value, struct opt_why *why);
bool wish_set_ignore_marks(void *into, const char *value, struct opt_why *why);
bool wish_set_level(void *into, const char *value, struct opt_why *why);
bool wish_set_device(void *into, const char *value, struct opt_why *why);
bool wish_set_stream(void *into, const char *value, struct opt_why *why);
bool wish_set_range(void *into, const char *value, struct opt_why *why);
bool wish_set_batch_size(void *into, const char *value, struct opt_why *why);
bool wish_set_flops(void *into, const char *value, struct opt_why *why);
bool wish_set_threshold(void *into, const char *value, struct opt_why *why);
bool wish_set_metric(void *into, const char *value, struct opt_why *why);
const char *wish_level_name(size_t index);
const char *wish_metric_name(size_t index);

/* Rows of an option table. */
/* clang-format off */
#define WISH_OPTIONS                                                                              \
	{ 'n', "iterations", "N[,N...]",                                                          \
	  "how many iterations there are, one number per loop; else found from the kernels alone", \
	  wish_set_iterations, .list = true },                                                    \
	{ 0, "paper", NULL, "the published algorithm to the letter; needs -n", wish_set_paper },  \
	{ 0, "epsilon", "E", "with --paper: where its tolerance of -n begins (1)",                \
	  wish_set_epsilon },                                                                     \
	{ 0, "max-unmatched", "K",                                                                \
	  "with --paper: operations skipped at most inside an iteration (100)",                   \
	  wish_set_max_unmatched },                                                               \
	{ 0, "marks", "REGEX", "iterations are the annotations (NVTX, profiler, operators) whose names match",                \
	  wish_set_marks },                                                                       \
	{ 0, "ignore-marks", NULL, "find iterations from kernels, whatever annotations say",      \
	  wish_set_ignore_marks },                                                                \
	{ 0, "level", "LEVEL", "which of nested loops to report on", wish_set_level,               \
	  wish_level_name },                                                                      \
	{ 0, "device", "ID", "this device only", wish_set_device },                               \
	{ 0, "stream", "ID", "this stream instead of the one with most kernel time",              \
	  wish_set_stream },                                                                      \
	{ 0, "range", "START:END",                                                                \
	  "kernels that start in this time only, as in 1.5s:2s or 300ms:", wish_set_range },      \
	{ 0, "batch-size", "N", "samples in an iteration, to tell the throughput",                \
	  wish_set_batch_size },                                                                  \
	{ 0, "flops", "F", "floating-point operations of an iteration on one GPU, as in 3.2T, or "    \
	  "PARAMETERS,TOKENS of a transformer's training (6 each): rate and utilization",          \
	  wish_set_flops },                                                                       \
	{ 0, "threshold", "RULE=P%[,RULE=P%...]",                                                 \
	  "minimum share at which a rule reports, as in host-bound=10%", wish_set_threshold, .list = true }, \
	{ 0, "metric", "NAME[,NAME...]", "these metrics only; 'deepprof info --build' lists them", \
	  wish_set_metric, wish_metric_name, .list = true, .hide_choices = true }
/* clang-format on */

/* After parsing. False where the command line contradicts itself, which was said. */
bool wish_finish(struct wish *wish, int *argc, char ***argv);

/*
 * Opens and analyzes. NULL where that can't be done, which was said; else the caller frees both,
 * the analysis first.
 */
struct dp_analysis *wish_analyze(const struct wish *wish, const char *path,
				 struct dp_trace **trace);

/*
 * Copies alone have no iterations: as little to report on as where there is no GPU activity. False
 * where there are no kernels, which was said.
 */
bool wish_has_kernels(const struct dp_trace *trace, const char *path);

/* Writes a report in the format that was wished for. False where it failed, which was said. */
bool wish_write(const struct wish *wish, const struct dp_analysis *analysis, const char *path,
		const struct dp_report_options *options, struct output *output);

#endif
