/*
 * The launching thread was ready to run but had no processor: other threads used it, or its cgroup
 * had exhausted its quota. Only the time in which the GPU waited for the host can be recovered.
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define WARNING_SHARE 0.05
#define CRITICAL_SHARE 0.20

/*
 * Share of the wait for a processor at which throttling is named as its cause; share of the period
 * from which on smaller numbers are named.
 */
#define THROTTLED_SHARE 0.5
#define NAMED_SHARE 0.01

static const char advice_share[] =
	"give the launching thread a processor: fewer worker and OpenMP threads (OMP_NUM_THREADS), "
	"fewer other programs, taskset or numactl to pin it";
static const char advice_throttled[] =
	"raise the cgroup's processor limit (cpu.max, limits.cpu, --cpus) or run fewer threads: it "
	"was throttled";

const char *dp_rule__cpu_advice(double wait_ns, double throttled_ns)
{
	return throttled_ns >= THROTTLED_SHARE * wait_ns ? advice_throttled : advice_share;
}

void dp_rule__cpu_evidence(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	static const char *const names[] = { "cpu_wait_ns", "cpu_fault_ns", "cpu_throttled_ns",
					     "cpu_run_ns", "cpu_blocked_ns" };
	double least_ns = NAMED_SHARE * dp_rule__typical(input, "period_ns");

	for (size_t i = 0; i < DP_COUNT(names); i++) {
		double value = dp_rule__typical(input, names[i]);

		if (value >= least_ns)
			dp_rule__evidence(out, names[i], "ns", value);
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double wait_ns = dp_rule__typical(input, "cpu_wait_ns");
	double lost_ns = fmin(wait_ns, dp_rule__typical(input, "idle_host_ns"));

	if (isnan(wait_ns) ||
	    !dp_rule__share_finding(input, out, "cpu_wait_ns", lost_ns,
				    dp_rule__threshold(input, "preempted"), CRITICAL_SHARE))
		return false;
	dp_rule__cpu_evidence(input, out);
	dp_rule__mean_evidence(input, out, "idle_host_ns");
	dp_rule__evidence(out, "utilization", "1", dp_rule__busy_share(input));
	out->finding.advice =
		dp_rule__cpu_advice(wait_ns, dp_rule__typical(input, "cpu_throttled_ns"));
	return true;
}

const struct dp_rule dp_rule__preempted = {
	{ "preempted",
	  "the GPU waits while the launching thread has no processor: at least 5% of the period",
	  WARNING_SHARE },
	check,
	.also = DP_SCOPE_ITERATION,
};
