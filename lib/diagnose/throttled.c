/* Clocks were lowered because of heat or a power limit, and kernels took longer. */
#include "diagnose/diagnose.h"

#include <math.h>

/*
 * An iteration counts as throttled above this share of its period, and as not throttled below the
 * rest to 1.
 */
#define MOST 0.5

#define FEWEST 3
#define CLOCK_FELL 0.97
#define SLOWER 1.02

/* Share of the typical period, averaged over all iterations, from which on it is a warning. */
#define LEAST_SHARE 0.01

struct group {
	double count;
	double clock_mhz;
	double compute_ns;
	double period_ns;
	size_t first;
	size_t last;
};

static void add(struct group *group, double clock_mhz, double compute_ns, double period_ns,
		size_t k)
{
	group->first = group->count > 0 ? group->first : k;
	group->last = k;
	group->count++;
	group->clock_mhz += (clock_mhz - group->clock_mhz) / group->count;
	group->compute_ns += (compute_ns - group->compute_ns) / group->count;
	group->period_ns += (period_ns - group->period_ns) / group->count;
}

/* Measures iterations with a reason for lower clocks, and those without. */
static void measure(struct group groups[2], const struct dp_rule_input *input)
{
	const double *throttled = dp_rule__metric(input, "throttled");
	const double *clock_mhz = dp_rule__metric(input, "clock_MHz");
	const double *compute_ns = dp_rule__metric(input, "compute_ns");
	const double *period_ns = dp_rule__metric(input, "period_ns");

	for (size_t k = 0; k + 1 < input->loop->iterations; k++) {
		if (isnan(throttled[k]) || isnan(clock_mhz[k]) || isnan(compute_ns[k]) ||
		    isnan(period_ns[k]) || input->iterations[k].warmup ||
		    input->iterations[k + 1].foreign_kernels)
			continue;
		add(&groups[throttled[k] > MOST], clock_mhz[k], compute_ns[k], period_ns[k], k);
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	struct group groups[2] = { { 0 }, { 0 } }, *free = &groups[0], *held = &groups[1];
	double lost_ns, share;

	measure(groups, input);
	lost_ns = held->compute_ns - free->compute_ns;
	if (free->count < FEWEST || held->count < FEWEST ||
	    !(held->clock_mhz < CLOCK_FELL * free->clock_mhz) ||
	    !(held->compute_ns > SLOWER * free->compute_ns))
		return false;
	share = held->count / (held->count + free->count);
	out->finding.severity = lost_ns * share < LEAST_SHARE * free->period_ns
					? DP_SEVERITY_INFO
					: DP_SEVERITY_WARNING;
	out->finding.confidence = input->loop->confidence;
	out->finding.first_iteration = held->first;
	out->finding.last_iteration = held->last;
	out->finding.recoverable_ns = lost_ns * share;
	dp_rule__evidence(out, "throttled_iterations", "count", held->count);
	dp_rule__evidence(out, "clock", "MHz", held->clock_mhz);
	dp_rule__evidence(out, "usual_clock", "MHz", free->clock_mhz);
	dp_rule__evidence(out, "more_compute_ns", "ns", lost_ns);
	dp_rule__evidence(out, "power", "W", dp_rule__summary(input, "avg_power_W"));
	out->finding.advice = "cool the device better or raise its power limit: its clocks were "
			      "held down";
	return true;
}

const struct dp_rule dp_rule__throttled = {
	{ "throttled",
	  "heat or power reduced the clocks while kernels took longer, in at least 3 iterations" },
	check,
	.never_critical = true,
};
