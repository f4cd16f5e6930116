/* The device waits until the host has the input: the wait ends with an upload (XProf). */
#include "diagnose/diagnose.h"

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "input_wait_ns", "input-bound", CRITICAL_SHARE))
		return false;
	dp_rule__name_function(input, out, DP_HOST_INPUT, false);
	dp_rule__mean_evidence(input, out, "idle_host_ns");
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	dp_rule__cpu_evidence(input, out);
	dp_rule__name_ranges(input, out, DP_HOST_INPUT, false);
	out->finding.advice = "overlap data loading with compute: DataLoader(num_workers=..., "
			      "prefetch_factor=..., pin_memory=True)";
	out->change = DP_REPLAY_INPUT;
	return true;
}

const struct dp_rule dp_rule__input_bound = {
	{ "input-bound", "the GPU waits for input: at least 5% of the period until the upload",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION,
};
