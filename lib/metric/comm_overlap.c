/* How much of the communication is hidden (HTA): unions of a and b have |a| + |b| - |a or b| in
 * common. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	dp_metric__part(input, DP_PART_COMM, values);
	for (size_t k = 0; k < input->count; k++) {
		double comm_ns = values[k];

		values[k] += dp_parts__get(&input->parts, DP_PART_COMPUTE, k) -
			     dp_parts__get(&input->parts, DP_PART_KERNELS, k);
		values[k] = comm_ns > 0 ? values[k] / comm_ns : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_comm_overlap", "1", DP_BETTER_HIGHER, "mean of comm_overlap in the steady state",
	    "comm_overlap" },
	  dp_reduce__steady_mean },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__comm_overlap = {
	{ "comm_overlap", "1", DP_BETTER_HIGHER,
	  "share of communication time in which other kernels run as well" },
	compute,
	summaries,
};
