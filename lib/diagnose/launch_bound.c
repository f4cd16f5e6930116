/* Kernels are so short that launching them one by one takes longer (Delestrac, chapter 3; XProf).
 */
#include "diagnose/diagnose.h"

#define WARNING_SHARE 0.15
#define CRITICAL_SHARE 0.30
#define SHORT_KERNEL_NS 10000
#define EMPTY_SHARE 0.5

static bool is_often_empty(const struct dp_rule_input *input)
{
	return dp_rule__typical(input, "queue_empty") >= EMPTY_SHARE;
}

/*
 * An operation starts about 2.5 us after its launch on an idle GPU (H200). If one is launched every
 * 4 us the queue is empty for less than half of the time, but only one operation is in it at a
 * time: the GPU waits for each.
 */
static bool is_starved(const struct dp_rule_input *input)
{
	return is_often_empty(input) || dp_rule__typical(input, "queue_depth") < 1;
}

bool dp_rule__is_launch_bound(const struct dp_rule_input *input)
{
	return dp_rule__typical(input, "short_gaps_ns") >=
		       dp_rule__threshold(input, "launch-bound") *
			       dp_rule__typical(input, "period_ns") &&
	       dp_rule__typical(input, "kernel_median_ns") < SHORT_KERNEL_NS && is_starved(input);
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double saved_ns = dp_rule__saved(input, DP_REPLAY_LAUNCHES);

	if (!dp_rule__is_launch_bound(input) ||
	    !dp_rule__part_finding(input, out, "short_gaps_ns", "launch-bound", CRITICAL_SHARE))
		return false;
	dp_rule__mean_evidence(input, out, "kernel_median_ns");
	dp_rule__mean_evidence(input, out, is_often_empty(input) ? "queue_empty" : "queue_depth");
	out->finding.advice =
		"launch fewer, larger kernels: fuse (torch.compile), CUDA graphs, larger "
		"batches";
	dp_rule__advise_on_waiting_launches(input, out);
	/* the host waits in some of these gaps, which stay whatever launching takes */
	if (saved_ns < out->finding.recoverable_ns)
		out->finding.recoverable_ns = saved_ns;
	out->change = DP_REPLAY_LAUNCHES;
	return true;
}

const struct dp_rule dp_rule__launch_bound = {
	{ "launch-bound",
	  "gaps under 30 microseconds take at least 15% of the period, the median kernel is under "
	  "10 microseconds, and few operations are queued",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION,
};
