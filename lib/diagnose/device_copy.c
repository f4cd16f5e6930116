/*
 * Data is moved within the device while nothing is computed: each byte is read and written once
 * more. Making tensors contiguous, concatenating and cloning do this.
 */
#include "diagnose/diagnose.h"

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "d2d_exposed_ns", "device-copy", CRITICAL_SHARE))
		return false;
	dp_rule__name_transfer(input, out, DP_TRANSFER_DEVICE_COPY);
	dp_rule__mean_evidence(input, out, "d2d_copies");
	dp_rule__mean_evidence(input, out, "d2d_bytes");
	dp_rule__mean_evidence(input, out, "d2d_bandwidth");
	out->finding.advice = "move less within the device: write results in place or into views, "
			      "fewer cat, clone and contiguous()";
	out->change = DP_REPLAY_DEVICE_COPIES;
	return true;
}

const struct dp_rule dp_rule__device_copy = {
	{ "device-copy",
	  "copies within the device that no kernel overlaps take at least 5% of the period",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION,
};
