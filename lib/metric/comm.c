/* The union of the kernels that communicate. */
#include "metric/reduce.h"

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_COMM, values);
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_comm_ns", "ns", DP_BETTER_NEITHER, "mean of comm_ns in the steady state",
	    "comm_ns" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__comm = {
	{ "comm_ns", "ns", DP_BETTER_NEITHER,
	  "time in which communication kernels run (NCCL, RCCL, HCCL)" },
	compute,
	summaries,
};
