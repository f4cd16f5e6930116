/* What the program is run for. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++) {
		double period_ns = dp_metric__period_ns(input, k);

		values[k] = input->batch_size && period_ns > 0
				    ? (double)input->batch_size * 1e9 / period_ns
				    : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_throughput", "1/s", DP_BETTER_HIGHER,
	    "samples in the steady state divided by its duration", "throughput" },
	  dp_reduce__steady_rate },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__throughput = {
	{ "throughput", "1/s", DP_BETTER_HIGHER,
	  "samples per second: the batch size, if known, by the period" },
	compute,
	summaries,
	.without_parts = true,
};
