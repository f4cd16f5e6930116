/* The host waits for the device inside an iteration and so leaves it without work (nsys,
 * cuda_api_sync). */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double lost_ns = dp_rule__typical(input, "sync_lost_ns");

	if (!dp_rule__share_finding(input, out, "sync_lost_ns", lost_ns,
				    dp_rule__threshold(input, "sync-call"), CRITICAL_SHARE))
		return false;
	dp_rule__evidence(out, "sync_lost_ns", "ns", lost_ns);
	dp_rule__evidence(out, "host_sync_ns", "ns", dp_rule__typical(input, "host_sync_ns"));
	out->finding.advice =
		"do not wait inside the iteration: no .item(), print or synchronize() "
		"before all is launched";
	return true;
}

const struct dp_rule dp_rule__sync_call = {
	{ "sync-call",
	  "the GPU runs dry where the host waits for it inside an iteration: at least 5% of the period",
	  WARNING_SHARE },
	check,
};
