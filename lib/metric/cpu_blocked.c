/* How long the launching threads waited for anything else. */
#include "metric/cpu.h"
#include "metric/reduce.h"

#include <math.h>

/* What is left of the period. */
static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	static const enum dp_cpu_state states[] = { DP_CPU_RUN, DP_CPU_WAIT, DP_CPU_FAULT };
	int status = DP_OK;

	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k);
	for (size_t i = 0; i < DP_COUNT(states) && !status; i++) {
		status = dp_cpu__fill(input->scratch, input, states[i], error);
		for (size_t k = 0; k < input->count && !status; k++)
			if (states[i] != DP_CPU_FAULT || !isnan(input->scratch[k]))
				values[k] = values[k] > input->scratch[k]
						    ? values[k] - input->scratch[k]
						    : 0 * input->scratch[k];
	}
	return status;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_cpu_blocked_ns", "ns", DP_BETTER_NEITHER,
	    "mean of cpu_blocked_ns in the steady state", "cpu_blocked_ns", DP_NEED_HOST },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL, DP_NEED_NOTHING }, NULL },
};

const struct dp_metric dp_metric__cpu_blocked = {
	{ "cpu_blocked_ns", "ns", DP_BETTER_NEITHER,
	  "rest of the period, in which no launching thread ran or waited for a processor or a "
	  "page",
	  NULL, DP_NEED_HOST },
	compute,
	summaries,
	.without_parts = true,
};
