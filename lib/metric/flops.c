/* What rate of floating-point operations the program gets. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++) {
		double period_ns = dp_metric__period_ns(input, k);

		values[k] = input->flops > 0 && period_ns > 0 ? input->flops * 1e9 / period_ns
							      : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_flop_rate", "FLOP/s", DP_BETTER_HIGHER,
	    "floating-point operations in the steady state divided by its duration", "flop_rate",
	    DP_NEED_NOTHING },
	  dp_reduce__steady_rate },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__flops = {
	{ "flop_rate", "FLOP/s", DP_BETTER_HIGHER,
	  "floating-point operations per second: --flops divided by the period", NULL,
	  DP_NEED_NOTHING },
	compute,
	summaries,
	.without_parts = true,
};
