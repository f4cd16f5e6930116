/* Idle time because nothing was launched ahead: the host had waited for the device before. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_AFTER_SYNC, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_idle_after_sync_ns", "ns", DP_BETTER_LOWER,
	    "mean of idle_after_sync_ns in the steady state", "idle_after_sync_ns",
	    DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__idle_after_sync = {
	{ "idle_after_sync_ns", "ns", DP_BETTER_LOWER,
	  "part of idle_host_ns that follows a wait of the host for the device, up to the length "
	  "of that wait, during which it could have launched",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
