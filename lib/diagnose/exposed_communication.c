/* Devices wait for each other: communication that computation does not overlap (XProf). */
#include "diagnose/diagnose.h"

#define WARNING_SHARE 0.03
#define CRITICAL_SHARE 0.15

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	if (!dp_rule__part_finding(input, out, "comm_exposed_ns", "exposed-communication",
				   CRITICAL_SHARE))
		return false;
	dp_rule__name_stream_wait(input, out, false);
	dp_rule__name_transfer(input, out, DP_TRANSFER_COMM);
	dp_rule__mean_evidence(input, out, "comm_ns");
	dp_rule__mean_evidence(input, out, "comm_overlap");
	/* in one rank's trace, communication and waiting for another rank look alike */
	out->finding.advice = "it may be waiting for another rank: compare all ranks' traces "
			      "(deepprof ranks); else overlap communication with the backward "
			      "pass (gradient buckets), or communicate less";
	out->change = DP_REPLAY_COMMUNICATION;
	return true;
}

const struct dp_rule dp_rule__exposed_communication = {
	{ "exposed-communication",
	  "communication that no computation overlaps takes at least 3% of the period",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION | DP_SCOPE_CAPTURE,
};
