/* The same is uploaded again and again (Zins, section 4.5.5). A trace tells sizes, not data. */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define NEVER 2

/* Equal sizes may be different data. */
#define SIZE_TRUST 0.6

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double upload_ns = dp_rule__typical(input, "repeated_upload_ns");

	if (!dp_rule__share_finding(input, out, "repeated_upload_ns", upload_ns,
				    dp_rule__threshold(input, "repeated-upload"), NEVER))
		return false;
	out->finding.confidence *= SIZE_TRUST;
	out->finding.recoverable_ns = fmin(upload_ns, dp_rule__typical(input, "copy_exposed_ns"));
	dp_rule__evidence(out, "repeated_upload_ns", "ns", upload_ns);
	dp_rule__evidence(out, "copy_exposed_ns", "ns", dp_rule__typical(input, "copy_exposed_ns"));
	dp_rule__evidence(out, "h2d_bytes", "bytes", dp_rule__typical(input, "h2d_bytes"));
	out->finding.advice = "upload once, before the loop, what does not change: tables, masks, "
			      "weights";
	out->change = DP_REPLAY_REPEATED;
	return true;
}

const struct dp_rule dp_rule__repeated_upload = {
	{ "repeated-upload",
	  "uploads of the same sizes in every iteration take at least 5% of the period",
	  WARNING_SHARE },
	check,
	.never_critical = true,
	.also = DP_SCOPE_CAPTURE,
};
