/*
 * The host does more and more work between iterations (DeepProf, sections III and V-B): a growing
 * graph, a leak, a list that is appended to. Intervals also rise where copies between iterations
 * take longer, or where the GPU's part of a paced loop becomes shorter: neither is the host's.
 */
#include "diagnose/diagnose.h"

#include <math.h>

#define LEAST_RISE 0.10

/* Smallest share of the period: a microsecond that becomes two does not matter. */
#define LEAST_SHARE 0.02

const char dp_rule__host_growth_advice[] =
	"find what grows on the host: a list appended to in the loop, a graph that is kept, logs";

/* The rise of intervals per iteration, and how much of it counts. */
struct growth {
	struct dp_trend interval;
	double counted;	      /* per iteration */
	const char *evidence; /* what limits it; NULL: all of it counts */
};

/*
 * Collects a metric in scratch for the typical periods that the intervals end: the interval before
 * an iteration is part of its predecessor's period. Returns their number.
 */
static size_t gather(const struct dp_rule_input *input, const char *name, size_t before)
{
	const double *intervals = dp_rule__metric(input, "interval_ns");
	const double *values = dp_rule__metric(input, name);
	size_t count = 0;

	for (size_t k = 1; values && input->scratch && k < input->loop->iterations; k++)
		if (!isnan(intervals[k]) && !isnan(values[k - before]) &&
		    dp_rule__is_typical(input, k - 1))
			input->scratch[count++] = values[k - before];
	return count;
}

/* Growth counts only as far as this metric rises with it. */
static void limit(const struct dp_rule_input *input, struct growth *growth, const char *name,
		  const char *evidence)
{
	size_t count = gather(input, name, 1);
	struct dp_trend trend;

	if (!count || !dp_trend__init(&trend, input->scratch, count) ||
	    trend.slope >= growth->counted)
		return;
	growth->counted = trend.slope;
	growth->evidence = evidence;
}

static void set_iterations(const struct dp_rule_input *input, struct dp_finding *finding)
{
	const double *intervals = dp_rule__metric(input, "interval_ns");

	for (size_t k = input->loop->iterations; k-- > 1;) {
		if (isnan(intervals[k]) || !dp_rule__is_typical(input, k - 1))
			continue;
		if (!finding->last_iteration)
			finding->last_iteration = k;
		finding->first_iteration = k;
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double least_ns = LEAST_SHARE * dp_rule__typical(input, "period_ns"), rise_ns, counted_ns;
	bool cause = !isnan(dp_rule__typical(input, "idle_host_ns"));
	size_t count = gather(input, "interval_ns", 0);
	struct growth growth = { .evidence = NULL };

	if (!dp_rule__rises(input, out, count, "growing-interval", &growth.interval, &rise_ns))
		return false;
	growth.counted = growth.interval.slope;
	limit(input, &growth, "period_ns", "period_rise_ns");
	limit(input, &growth, cause ? "idle_host_ns" : "idle_ns", "idle_rise_ns");
	counted_ns = growth.counted * (double)count;
	least_ns = fmax(least_ns,
			dp_rule__threshold(input, "growing-interval") * growth.interval.median);
	if (!(counted_ns >= least_ns))
		return false;
	set_iterations(input, &out->finding);
	out->finding.severity = DP_SEVERITY_WARNING;
	out->finding.recoverable_ns = counted_ns / 2;
	out->grows = true;
	out->part =
		dp_rule__typical(input, "input_wait_ns") > dp_rule__typical(input, "host_wait_ns")
			? "input_wait_ns"
			: "host_wait_ns";
	/* the mean, as in findings about the same intervals */
	dp_rule__evidence(out, "interval_ns", "ns", dp_rule__typical_before(input, "interval_ns"));
	dp_rule__evidence(out, "rise_ns", "ns", rise_ns);
	dp_rule__evidence(out, "rise_per_iteration_ns", "ns", growth.interval.slope);
	if (growth.evidence)
		dp_rule__evidence(out, growth.evidence, "ns", counted_ns);
	dp_rule__name_growing_range(input, out, growth.counted);
	dp_rule__evidence(out, "p", "1", growth.interval.p);
	out->finding.advice = dp_rule__host_growth_advice;
	return true;
}

const struct dp_rule dp_rule__growing_interval = {
	{ "growing-interval",
	  "the interval rises over the run: by at least 10%, significantly and steadily, and idle "
	  "time and the period with it",
	  LEAST_RISE },
	check,
};
