/* How long an iteration's kernels take, from the first one's start to the last one's end. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++)
		values[k] = (double)(input->iterations[k].end_ns - input->iterations[k].start_ns);
	return DP_OK;
}

static double median(const struct dp_metric_input *input, const double *values)
{
	size_t count = 0;

	for (size_t k = 0; k < input->count; k++)
		if (!isnan(values[k]) && !input->iterations[k].warmup)
			input->scratch[count++] = values[k];
	return dp_stat__median(input->scratch, count);
}

static const struct dp_metric_summary summaries[] = {
	{ { "median_duration_ns", "ns", DP_BETTER_LOWER, "median of duration_ns, without warm-up",
	    "duration_ns" },
	  median },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__duration = {
	{ "duration_ns", "ns", DP_BETTER_LOWER,
	  "from the start of the first kernel to the end of the last" },
	compute,
	summaries,
	true,
};
