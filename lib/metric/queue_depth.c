/* The stream's queue (Delestrac, section 3.3.4; HTA): the integral of its depth is the sum of the
 * times in it. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_QUEUE_SUM, values);
	for (size_t k = 0; k < input->count; k++) {
		double period_ns = dp_metric__period_ns(input, k);

		values[k] = period_ns > 0 ? values[k] / period_ns : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_queue_depth", "operations", DP_BETTER_NEITHER,
	    "mean of queue_depth in the steady state", "queue_depth", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__queue_depth = {
	{ "queue_depth", "operations", DP_BETTER_NEITHER,
	  "operations of the stream that are launched but not started, averaged over time",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
