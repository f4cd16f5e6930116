/* The paper's case 2: the interval is long because of uploads (DeepProf, section V-B). */
#include "diagnose/diagnose.h"

#include <math.h>

#define OVERLAP_SHARE 0.10
#define INTERVAL_SHARE 0.05
#define CRITICAL_SHARE 0.20

/* Of the period, for uploads to matter. */
#define LEAST_SHARE 0.01

/* The mean of what uploads cover of the intervals, and of the intervals. */
static double measure(const struct dp_rule_input *input, double *interval_ns)
{
	const double *intervals = dp_rule__metric(input, "interval_ns");
	const double *overlaps = dp_rule__metric(input, "overlap");
	double covered_ns = 0, count = 0;

	*interval_ns = 0;
	for (size_t k = 1; k < input->loop->iterations; k++) {
		if (isnan(intervals[k]) || !dp_rule__is_typical(input, k - 1))
			continue;
		*interval_ns += intervals[k];
		covered_ns += isnan(overlaps[k]) ? 0 : overlaps[k] * intervals[k];
		count++;
	}
	*interval_ns /= count > 0 ? count : (double)NAN;
	return covered_ns / (count > 0 ? count : (double)NAN);
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double interval_ns, covered_ns = measure(input, &interval_ns);
	double period_ns = dp_rule__typical(input, "period_ns");

	if (!(covered_ns >= OVERLAP_SHARE * interval_ns) ||
	    !(interval_ns >= dp_rule__threshold(input, "copy-bound") * period_ns) ||
	    !(covered_ns >= LEAST_SHARE * period_ns) ||
	    !dp_rule__range(input, &out->finding, "copy_ns", LEAST_SHARE))
		return false;
	out->finding.severity = covered_ns < CRITICAL_SHARE * period_ns ? DP_SEVERITY_WARNING
									: DP_SEVERITY_CRITICAL;
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = covered_ns;
	dp_rule__evidence(out, "overlap", "1", covered_ns / interval_ns);
	dp_rule__evidence(out, "interval_ns", "ns", interval_ns);
	dp_rule__evidence(out, "h2d_bytes", "bytes", dp_rule__typical(input, "h2d_bytes"));
	dp_rule__evidence(out, "h2d_bandwidth", "bytes/s",
			  dp_rule__typical(input, "h2d_bandwidth"));
	out->finding.advice = "upload the next input on a stream of its own while the GPU computes";
	return true;
}

const struct dp_rule dp_rule__copy_bound = {
	{ "copy-bound",
	  "uploads cover at least 10% of an interval that is at least 5% of the period",
	  INTERVAL_SHARE },
	check,
};
