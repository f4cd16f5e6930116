/* What warm-up costs until iterations reach their steady duration. */
#include "diagnose/diagnose.h"

#include <math.h>

#define LEAST_SHARE 0.05

/* Share of the cost that more of a metric must have to be named as the cause. */
#define MOST_OF_IT 0.5

/* How much more of a metric the iterations of warm-up have, in all. */
static double more_of(const struct dp_rule_input *input, const char *metric, size_t last)
{
	const double *values = dp_rule__metric(input, metric);
	double usual = dp_rule__typical(input, metric), more = 0;

	for (size_t k = 0; k <= last; k++)
		if (input->iterations[k].warmup && !isnan(values[k]))
			more += values[k] - usual;
	return more;
}

/*
 * Unified memory moves to the device at its first use, while kernels wait for its pages: returns
 * true if it does so until the last iteration of warm-up only.
 */
static bool migrates(const struct dp_rule_input *input, double cost_ns, size_t last)
{
	return input->transfers && input->transfers->migrations &&
	       last + 1 < input->loop->iterations &&
	       input->transfers->migrated_ns <= input->iterations[last + 1].start_ns &&
	       more_of(input, "compute_ns", last) >= MOST_OF_IT * cost_ns;
}

/* Names what most of the cost is, if that is known, and what to do about it. */
static void explain(const struct dp_rule_input *input, struct dp_rule_finding *out, double cost_ns)
{
	size_t last = out->finding.last_iteration;
	double outside_ns = more_of(input, "host_outside_ns", last);

	out->finding.advice =
		"keep what warm-up creates for later runs: compiled kernels, autotuning results";
	if (migrates(input, cost_ns, last)) {
		dp_rule__evidence(out, "migrations", "count", (double)input->transfers->migrations);
		out->finding.advice =
			"unified memory moves to the GPU while the first kernels wait for "
			"it: prefetch it before the loop (cudaMemPrefetchAsync)";
	} else if (more_of(input, "copy_exposed_ns", last) >= MOST_OF_IT * cost_ns) {
		out->finding.advice = "copies take most of it: move those that later iterations do "
				      "not have out of the loop";
	} else if (outside_ns >= MOST_OF_IT * cost_ns) {
		dp_rule__evidence(out, "outside_calls_ns", "ns", fmin(outside_ns, cost_ns));
		/* PyTorch compiles and tunes there */
		if (input->terms == DP_TERMS_CUDA)
			out->finding.advice = "do the host work of these iterations before the "
					      "loop: reading data, compiling, waiting";
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	double steady_ns = dp_rule__typical(input, "period_ns"), all_ns = 0, cost_ns = 0;
	size_t count = 0, periods = 0;

	for (size_t k = 0; k < input->loop->iterations; k++) {
		if (isnan(period_ns[k]))
			continue;
		all_ns += period_ns[k];
		periods++;
		if (!input->iterations[k].warmup)
			continue;
		cost_ns += period_ns[k] - steady_ns;
		if (!count++)
			out->finding.first_iteration = k;
		out->finding.last_iteration = k;
	}
	if (!count || !(cost_ns >= dp_rule__threshold(input, "warm-up") * all_ns))
		return false;
	out->finding.severity = DP_SEVERITY_INFO;
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = cost_ns / (double)periods;
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", all_ns / (double)periods);
	dp_rule__evidence(out, "warmup_iterations", "count", (double)count);
	dp_rule__evidence(out, "cost_ns", "ns", cost_ns);
	dp_rule__evidence(out, "share_of_loop", "1", cost_ns / all_ns);
	explain(input, out, cost_ns);
	return true;
}

const struct dp_rule dp_rule__warm_up = {
	{ "warm-up", "iterations before the steady state cost at least 5% of the time",
	  LEAST_SHARE },
	check,
	.only_info = true,
};
