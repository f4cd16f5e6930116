/*
 * Counts the iterations in a trace file like deepprof analyze: a recording stops by a detector's
 * count, which is certain of a loop only after a while, so more iterations have been recorded.
 */
#include "record.h"

#include <deepprof/deepprof.h>

/* Larger files take longer than anybody would wait for a number. */
#define OPERATIONS_MAX UINT64_C(4000000)

/* Returns the complete iterations of the loop with most kernels. */
static uint64_t of_main_loop(const struct dp_analysis *analysis)
{
	uint64_t most = 0, iterations = 0;

	for (size_t i = 0; i < dp_analysis_loop_count(analysis); i++) {
		const struct dp_loop *loop = dp_analysis_loop(analysis, i);
		uint64_t kernels = (uint64_t)loop->length * loop->complete;

		if (!loop->selected || kernels <= most)
			continue;
		most = kernels;
		iterations = loop->complete;
	}
	return iterations;
}

bool record_count(const char *path, const struct dp_record_result *result, uint64_t *iterations)
{
	/* Computes only one metric, as metrics take most of the time. */
	const char *const metrics[] = { dp_metric(0)->name };
	struct dp_open_options open = DP_OPEN_OPTIONS_INIT;
	struct dp_analysis_options options = DP_ANALYSIS_OPTIONS_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	bool done = false;

	if (!result->operations || result->operations > OPERATIONS_MAX)
		return false;
	options.metrics = metrics;
	options.metrics_count = 1;
	if (!dp_trace_open(&trace, path, &open, NULL) &&
	    !dp_analysis_run(&analysis, trace, &options, NULL)) {
		*iterations = of_main_loop(analysis);
		done = true;
	}
	dp_analysis_free(analysis);
	dp_trace_free(trace);
	return done;
}
