/* What other calls cost the host. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_HOST_OTHER, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_host_other_ns", "ns", DP_BETTER_NEITHER,
	    "mean of host_other_ns in the steady state", "host_other_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__host_other = {
	{ "host_other_ns", "ns", DP_BETTER_NEITHER,
	  "time of the launching threads in other GPU API calls", NULL,
	  DP_NEED_LAUNCHES },
	compute,
	summaries,
};
