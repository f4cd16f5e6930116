/* How long the host waits for the device. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_HOST_SYNC, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_host_sync_ns", "ns", DP_BETTER_NEITHER, "mean of host_sync_ns in the steady state",
	    "host_sync_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__host_sync = {
	{ "host_sync_ns", "ns", DP_BETTER_NEITHER,
	  "time of the launching threads in synchronizing calls", NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
