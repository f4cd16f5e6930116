/*
 * Copies that the host waits for although their memory does not require it (nsys,
 * cuda_memcpy_sync).
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define NEVER 2

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "blocking_copy_ns", "blocking-copy", NEVER))
		return false;
	out->finding.recoverable_ns =
		fmin(out->finding.recoverable_ns, dp_rule__typical(input, "copy_exposed_ns"));
	dp_rule__name_transfer(input, out, DP_TRANSFER_BLOCKING);
	dp_rule__mean_evidence(input, out, "copy_exposed_ns");
	out->finding.advice =
		"copy asynchronously, and wait where the result is needed (non_blocking)";
	out->change = DP_REPLAY_BLOCKING;
	return true;
}

const struct dp_rule dp_rule__blocking_copy = {
	{ "blocking-copy",
	  "copies of pinned memory that the host waits for take at least 5% of the period",
	  WARNING_SHARE },
	check,
	.never_critical = true,
	.also = DP_SCOPE_ITERATION,
};
