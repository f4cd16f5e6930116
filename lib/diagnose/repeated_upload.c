/* The same data is uploaded again and again (Zins, section 4.5.5). A trace has sizes, not data. */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define NEVER 2

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	/* what was downloaded before, copy-bound reports */
	if (dp_rule__is_round_trip(input) ||
	    !dp_rule__part_finding(input, out, "repeated_upload_ns", "repeated-upload", NEVER))
		return false;
	out->finding.confidence *= DP_SIZE_TRUST;
	out->finding.recoverable_ns =
		fmin(out->finding.recoverable_ns, dp_rule__typical(input, "copy_exposed_ns"));
	dp_rule__name_transfer(input, out, DP_TRANSFER_UPLOAD);
	dp_rule__mean_evidence(input, out, "copy_exposed_ns");
	dp_rule__mean_evidence(input, out, "h2d_bytes");
	out->finding.advice = "if these uploads carry the same data (tables, masks, weights), "
			      "upload it once, before the loop";
	out->change = DP_REPLAY_REPEATED;
	return true;
}

const struct dp_rule dp_rule__repeated_upload = {
	{ "repeated-upload",
	  "uploads of the same sizes in every iteration, other than of data downloaded before, take "
	  "at least 5% of the period",
	  WARNING_SHARE },
	check,
	.never_critical = true,
	.also = DP_SCOPE_CAPTURE,
};
