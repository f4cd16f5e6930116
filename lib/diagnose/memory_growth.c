/*
 * Memory that is kept from iteration to iteration: a leak fills the device's memory (DeepProf,
 * section III).
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define LEAST_RISE 0.10

/* Less is bookkeeping. */
#define LEAST_BYTES (1024.0 * 1024)

static size_t gather(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *live = dp_rule__metric(input, "live_bytes");
	size_t count = 0;

	for (size_t k = 0; live && k < input->loop->iterations; k++) {
		if (isnan(live[k]) || input->iterations[k].warmup)
			continue;
		if (!count)
			out->finding.first_iteration = k;
		out->finding.last_iteration = k;
		input->scratch[count++] = live[k];
	}
	return count;
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	size_t count = input->scratch ? gather(input, out) : 0;
	struct dp_trend trend;
	double rise;

	if (!dp_rule__rises(input, out, count, "memory-growth", &trend, &rise) ||
	    !(rise >= LEAST_BYTES))
		return false;
	out->finding.severity = DP_SEVERITY_WARNING;
	out->finding.recoverable_ns = (double)NAN;
	dp_rule__evidence(out, "rise_bytes", "bytes", rise);
	dp_rule__evidence(out, "rise_per_iteration_bytes", "bytes", trend.slope);
	dp_rule__evidence(out, "live_bytes", "bytes", trend.median);
	dp_rule__evidence(out, "peak_bytes", "bytes", dp_rule__summary(input, "max_peak_bytes"));
	dp_rule__evidence(out, "p", "1", trend.p);
	out->finding.advice = "find what keeps device memory: losses kept with their graphs "
			      "(use .item()), lists of outputs";
	return true;
}

const struct dp_rule dp_rule__memory_growth = {
	{ "memory-growth",
	  "device memory that is live rises over the run: by at least 10%, significantly and steadily",
	  LEAST_RISE },
	check,
};
