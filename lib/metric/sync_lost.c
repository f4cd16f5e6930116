/* What waiting for the device costs: nothing is launched meanwhile, so that it runs dry. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_SYNC_LOST, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_sync_lost_ns", "ns", DP_BETTER_LOWER, "mean of sync_lost_ns in the steady state",
	    "sync_lost_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__sync_lost = {
	{ "sync_lost_ns", "ns", DP_BETTER_LOWER,
	  "idle time inside the iteration that started while the host waited for the device, up "
	  "to what the wait explains",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
