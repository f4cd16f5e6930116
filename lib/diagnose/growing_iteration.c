/*
 * Iterations take longer and longer on the device: a tensor that is concatenated to in the loop, a
 * sequence that grows. Uses Theil and Sen's slope and Mann and Kendall's test, and names the part
 * and the kernel that grow with it.
 */
#include "diagnose/diagnose.h"

#include <math.h>
#include <string.h>

#define LEAST_RISE 0.10

/* Share of the period's rise for a part to be named as what grows. */
#define MOST_OF_IT 0.5

static const struct {
	const char *metric;
	const char *evidence;
	const char *advice;
} parts[] = {
	{ "compute_ns", "compute_rise_ns",
	  "find the tensor that grows in the loop: torch.cat, lists that are stacked, a sequence "
	  "or a cache without a limit" },
	{ "comm_exposed_ns", "communication_rise_ns",
	  "find what grows in what is sent, or the rank that gets slower" },
	{ "copy_exposed_ns", "copy_rise_ns",
	  "find what is copied more with each iteration: results that are kept, logs" },
};

/*
 * A factor that scales a time to the usual clock, if clocks are recorded: growth because of falling
 * clocks is reported by throttled.
 */
static double at_usual_clock(const struct dp_rule_input *input, double usual_mhz, size_t k)
{
	const double *clock_mhz = dp_rule__metric(input, "clock_MHz");

	return usual_mhz > 0 && !isnan(clock_mhz[k]) ? clock_mhz[k] / usual_mhz : 1;
}

/* Collects a metric of the typical iterations in scratch; returns their number. */
static size_t gather(const struct dp_rule_input *input, const char *name)
{
	double usual_mhz = strcmp(name, "compute_ns") ? 0 : dp_rule__typical(input, "clock_MHz");
	const double *values = dp_rule__metric(input, name);
	size_t count = 0;

	for (size_t k = 0; values && input->scratch && k < input->loop->iterations; k++)
		if (!isnan(values[k]) && dp_rule__is_typical(input, k))
			input->scratch[count++] = values[k] * at_usual_clock(input, usual_mhz, k);
	return count;
}

/* Names the kernel whose time per iteration rises most. */
static void name_kernel(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const struct dp_time_stat *most = NULL;

	for (size_t i = 0; input->stats && i < input->stats->kernels.count; i++) {
		const struct dp_time_stat *at = &input->stats->kernels.stats[i];

		if (at->rise_ns > 0 && (!most || at->rise_ns > most->rise_ns))
			most = at;
	}
	if (most)
		dp_rule__call_evidence(out, "kernel_rise_ns", "ns", most->rise_ns, most->name);
}

static void find_part(const struct dp_rule_input *input, struct dp_rule_finding *out,
		      double slope)
{
	struct dp_trend trend;
	size_t count;

	for (size_t i = 0; i < DP_COUNT(parts); i++) {
		count = gather(input, parts[i].metric);
		if (!count || !dp_trend__init(&trend, input->scratch, count) ||
		    !(trend.slope >= MOST_OF_IT * slope))
			continue;
		dp_rule__evidence(out, parts[i].evidence, "ns", trend.slope * (double)count);
		out->finding.advice = parts[i].advice;
		if (!i)
			name_kernel(input, out);
		return;
	}
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	struct dp_trend trend;
	double rise_ns;

	if (!dp_rule__rises(input, out, gather(input, "period_ns"), "growing-iteration", &trend,
			    &rise_ns))
		return false;
	dp_rule__evidence(out, "rise_ns", "ns", rise_ns);
	dp_rule__evidence(out, "rise_per_iteration_ns", "ns", trend.slope);
	find_part(input, out, trend.slope);
	/* growing work of the host is reported by growing-interval or host-bound */
	if (!out->finding.advice)
		return false;
	out->finding.recoverable_ns = rise_ns / 2;
	out->finding.last_iteration = input->loop->iterations - 1;
	for (size_t k = input->loop->iterations; k-- > 0;)
		if (!isnan(period_ns[k]) && dp_rule__is_typical(input, k))
			out->finding.first_iteration = k;
	return true;
}

const struct dp_rule dp_rule__growing_iteration = {
	{ "growing-iteration",
	  "iterations and a part of them on the GPU grow over the run by at least 10%",
	  LEAST_RISE },
	check,
};
