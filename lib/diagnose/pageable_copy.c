/* Copies from and to pageable memory go through a buffer of the driver while the caller waits. */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define NEVER 2

#define SAVED (1 - 1 / DP_PINNED_SPEED)

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "pageable_copy_ns", "pageable-copy", NEVER))
		return false;
	out->finding.recoverable_ns = SAVED * fmin(out->finding.recoverable_ns,
						   dp_rule__typical(input, "copy_exposed_ns"));
	dp_rule__name_transfer(input, out, DP_TRANSFER_PAGEABLE);
	dp_rule__mean_evidence(input, out, "pageable_share");
	dp_rule__mean_evidence(input, out, "h2d_bandwidth");
	out->finding.advice = "copy from pinned memory (pin_memory=True, cudaMallocHost), in less "
			      "than half the time";
	out->change = DP_REPLAY_PAGEABLE;
	return true;
}

const struct dp_rule dp_rule__pageable_copy = {
	{ "pageable-copy",
	  "copies of 4 KiB and more from and to pageable memory take at least 5% of the period; the "
	  "cost is 60% of their time, as copies from and to pinned memory are about 2.5 times as fast",
	  WARNING_SHARE },
	check,
	.never_critical = true,
	.also = DP_SCOPE_ITERATION | DP_SCOPE_CAPTURE,
};
