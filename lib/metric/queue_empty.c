/* How often the stream has nothing to go on with (Delestrac, section 3.3.4; HTA). */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_QUEUED, values);
	for (size_t k = 0; k < input->count; k++) {
		double period_ns = dp_metric__period_ns(input, k);

		values[k] = period_ns > 0 ? 1 - values[k] / period_ns : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_queue_empty", "1", DP_BETTER_LOWER, "mean of queue_empty in the steady state",
	    "queue_empty", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__queue_empty = {
	{ "queue_empty", "1", DP_BETTER_LOWER,
	  "share of the period in which no launched operation waits to start", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
};
