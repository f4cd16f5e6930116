/* How much of an interval uploads fill (DeepProf, section IV-D): on any stream of the device. */
#include "metric/reduce.h"

#include <math.h>

static int compute(const struct dp_metric_input *input, double *values, struct dp_error *error)
{
	for (size_t k = 0; k < input->count; k++) {
		int64_t start_ns = input->interval_start_ns[k], end_ns = input->interval_end_ns[k];

		values[k] = (double)NAN;
		if (dp_metric__has_interval(input, k) && end_ns > start_ns)
			values[k] =
				(double)dp_spans__covered(&input->work->uploads, start_ns, end_ns) /
				(double)(end_ns - start_ns);
	}
	return DP_OK;
}

static double average(const struct dp_metric_input *input, const double *values)
{
	return dp_stat__mean(input->scratch, dp_reduce__uninterrupted(input, values));
}

static const struct dp_metric_summary summaries[] = {
	{ { "avg_overlap", "1", DP_BETTER_NEITHER,
	    "mean of overlap, except intervals with other kernels", "overlap" },
	  average },
	{ { NULL, NULL, DP_BETTER_NEITHER, NULL, NULL }, NULL },
};

const struct dp_metric dp_metric__overlap = {
	{ "overlap", "1", DP_BETTER_NEITHER,
	  "share of the interval during which the device received host-to-device copies" },
	compute,
	summaries,
	.without_parts = true,
};
