/*
 * The host waits for the device inside an iteration, and thus leaves it without work (nsys,
 * cuda_api_sync).
 */
#include "diagnose/diagnose.h"

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

/* Share of the cost in launched work from which on that is evidence. */
#define MOSTLY 0.5

/*
 * How much of the cost is, at least, idle time after launches, which the trace does not explain:
 * without the wait the launch would be earlier, and what follows it, too.
 */
static double launched_ns(const struct dp_rule_input *input, double lost_ns)
{
	return lost_ns -
	       (dp_rule__typical(input, "idle_ns") - dp_rule__typical(input, "idle_other_ns"));
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double sync_ns = dp_rule__typical(input, "host_sync_ns"), late_ns;

	if (!dp_rule__part_finding(input, out, "sync_lost_ns", "sync-call", CRITICAL_SHARE))
		return false;
	late_ns = launched_ns(input, out->finding.recoverable_ns);
	if (late_ns >= MOSTLY * out->finding.recoverable_ns)
		dp_rule__evidence(out, "launched_ns", "ns", late_ns);
	dp_rule__evidence(out, "host_sync_ns", "ns", sync_ns);
	/* a download to pageable memory waits in its own call */
	if (sync_ns < out->finding.recoverable_ns)
		dp_rule__mean_evidence(input, out, "host_copy_ns");
	dp_rule__name_ranges(input, out, DP_HOST_SYNC, false);
	dp_rule__advise_on_waits(input, out);
	out->change = DP_REPLAY_INNER_WAITS;
	return true;
}

const struct dp_rule dp_rule__sync_call = {
	{ "sync-call",
	  "the GPU runs out of work while the host waits for it within an iteration: at least 5% "
	  "of the period",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION,
};
