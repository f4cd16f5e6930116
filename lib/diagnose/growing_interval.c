/*
 * The host does more and more work between iterations (DeepProf, sections III and V-B): a growing
 * graph, a leak, a list that is appended to.
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define LEAST_RISE 0.10

/* Smallest share of the period: a microsecond that becomes two does not matter. */
#define LEAST_SHARE 0.02

const char dp_rule__host_growth_advice[] =
	"find what grows on the host: a list appended to in the loop, a graph that is kept, logs";

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *intervals = dp_rule__metric(input, "interval_ns");
	double period_ns = dp_rule__typical(input, "period_ns"), rise_ns;
	struct dp_trend trend;
	size_t count = 0;

	for (size_t k = 1; input->scratch && k < input->loop->iterations; k++) {
		if (isnan(intervals[k]) || !dp_rule__is_typical(input, k - 1))
			continue;
		if (!count)
			out->finding.first_iteration = k;
		out->finding.last_iteration = k;
		input->scratch[count++] = intervals[k];
	}
	if (!dp_rule__rises(input, out, count, "growing-interval", &trend, &rise_ns) ||
	    !(rise_ns >= LEAST_SHARE * period_ns))
		return false;
	out->finding.severity = DP_SEVERITY_WARNING;
	out->finding.recoverable_ns = rise_ns / 2;
	out->part =
		dp_rule__typical(input, "input_wait_ns") > dp_rule__typical(input, "host_wait_ns")
			? "input_wait_ns"
			: "host_wait_ns";
	dp_rule__evidence(out, "interval_ns", "ns", trend.median);
	dp_rule__evidence(out, "rise_ns", "ns", rise_ns);
	dp_rule__evidence(out, "rise_per_iteration_ns", "ns", trend.slope);
	dp_rule__name_growing_range(input, out, trend.slope);
	dp_rule__evidence(out, "p", "1", trend.p);
	out->finding.advice = dp_rule__host_growth_advice;
	return true;
}

const struct dp_rule dp_rule__growing_interval = {
	{ "growing-interval",
	  "the interval rises over the run: by at least 10%, significantly and steadily",
	  LEAST_RISE },
	check,
};
