/* How long the device waits for what is then uploaded: the input. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part_launched(input, DP_PART_INPUT_WAIT, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_input_wait_ns", "ns", DP_BETTER_LOWER, "mean of input_wait_ns in the steady state",
	    "input_wait_ns", DP_NEED_LAUNCHES },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__input_wait = {
	{ "input_wait_ns", "ns", DP_BETTER_LOWER,
	  "idle time until the host launched the upload that ended it, except call_stall_ns; if "
	  "less than 4 KiB is uploaded before the next kernel, only the time in ranges that "
	  "fetch input (DataLoader, IteratorGetNext)",
	  NULL, DP_NEED_LAUNCHES },
	compute,
	summaries,
};
