/* The device waits until the host has the input: the wait ends with an upload (XProf). */
#include "diagnose/diagnose.h"

#include <stdio.h>
#include <string.h>

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

/* Operators compute the input on the host's cores. */
static const char advice_compute[] = "make this input on the GPU (device=\"cuda\"), or on the host "
				     "while the GPU computes, in workers of a DataLoader";

/* Returns true if processes load the input already: how long they take is unknown. */
static bool has_workers(const struct dp_rule_finding *found)
{
	for (size_t i = 0; i < found->finding.range_count; i++)
		if (strstr(found->ranges[i].name, "MultiProcessing"))
			return true;
	return false;
}

static bool divide(const struct dp_rule_input *input, struct dp_rule_finding *found, size_t threads)
{
	if (has_workers(found) || found->finding.advice == advice_compute)
		return false;
	if (input->terms < DP_TERMS_PYTORCH)
		snprintf(found->advice, sizeof(found->advice),
			 "while the GPU computes, prepare what is uploaded next, in pinned memory: "
			 "make this work faster, or divide it among %zu other threads",
			 threads);
	else
		snprintf(found->advice, sizeof(found->advice),
			 "overlap data loading with compute: DataLoader(num_workers=%zu or more, "
			 "prefetch_factor=..., pin_memory=True)",
			 threads);
	return true;
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "input_wait_ns", "input-bound", CRITICAL_SHARE))
		return false;
	dp_rule__name_function(input, out, DP_HOST_INPUT, false);
	dp_rule__mean_evidence(input, out, "idle_host_ns");
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	dp_rule__cpu_evidence(input, out);
	dp_rule__name_ranges(input, out, DP_HOST_INPUT, false);
	out->finding.advice = dp_rule__is_computing(out)
				      ? advice_compute
				      : "overlap data loading with compute: "
					"DataLoader(num_workers=..., prefetch_factor=..., "
					"pin_memory=True)";
	out->change = DP_REPLAY_INPUT;
	return true;
}

const struct dp_rule dp_rule__input_bound = {
	{ "input-bound", "the GPU waits for input: at least 5% of the period until the upload",
	  WARNING_SHARE },
	check,
	.divide = divide,
	.also = DP_SCOPE_ITERATION,
};
