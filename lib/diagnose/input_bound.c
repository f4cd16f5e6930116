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

/* Less of it is no batch of samples that a loader prepares. */
#define DATA_BYTES 65536

static const char advice_small[] = "while the GPU computes, prepare what the next iteration "
				   "uploads, or make it on the GPU";

/* Returns true if uploads are too small for a loader, and none is seen. */
static bool is_small(const struct dp_rule_input *input)
{
	double bytes = dp_rule__typical(input, "h2d_bytes");

	return bytes > 0 && bytes < DATA_BYTES && !dp_rule__sees_loader(input);
}

static const char *advise(const struct dp_rule_input *input, const struct dp_rule_finding *found)
{
	if (dp_rule__is_computing(found))
		return advice_compute;
	return is_small(input) ? advice_small
			       : "overlap data loading with compute: DataLoader(num_workers=..., "
				 "prefetch_factor=..., pin_memory=True)";
}

static bool divide(const struct dp_rule_input *input, struct dp_rule_finding *found, size_t threads)
{
	if (has_workers(found) || found->finding.advice == advice_compute)
		return false;
	if (!threads) {
		if (!dp_rule__shows_work(input, found))
			snprintf(found->advice, sizeof(found->advice),
				 "%s; see whether the host works or waits meanwhile, with a "
				 "sampling profiler (perf) or annotations",
				 found->finding.advice);
		return true;
	}
	if (found->finding.advice == advice_small)
		return true;
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
	out->finding.advice = advise(input, out);
	if (out->finding.advice == advice_small)
		dp_rule__mean_evidence(input, out, "h2d_bytes");
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
