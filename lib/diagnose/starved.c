/*
 * The device is idle for a long time at once, or for a part of the run (nsys, gpu_gaps and
 * gpu_time_util), or throughout for reasons that were not recorded.
 */
#include "base/text.h"
#include "diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_UTILIZATION 0.5

/*
 * With a larger idle share of the capture, a GPU serves another purpose than the work recorded:
 * real training and inference that is profiled keeps it busy for at least a tenth of the time.
 */
#define NOT_AT_WORK 0.9

/* Share of the longest gap for a call to be named, and of the idle time for advice by ranges. */
#define MOST_OF_GAP 0.5

/* Share of a capture that is idle elsewhere, from which on it is evidence. */
#define ELSEWHERE 0.05

/* Idle share of a period without launch records: that of launch-bound, which needs them. */
#define UNEXPLAINED 0.15

static const char advice_work[] = "do this host work ahead of time, or on another thread";

/* Whatever else a trace has of the host, its launches link that to the device. */
static const char advice_unknown[] =
	"record launches, too (deepprof info shows how): without them, the "
	"trace does not show what the GPU waits for";

struct starved {
	double longest_ns;
	double long_gaps; /* iterations with a long gap, of which metrics show the longest */
	double long_ns; /* of them */
	double parts;
	double idle_ns; /* of them, beyond the typical */
	size_t first;
	size_t last;
};

static void note(struct starved *starved, size_t first, size_t last)
{
	if (starved->long_gaps + starved->parts <= 0) {
		starved->first = first;
		starved->last = last;
	}
	starved->first = DP_MIN(starved->first, first);
	starved->last = DP_MAX(starved->last, last);
}

/*
 * Collects iterations until a part is full; what remains at the end is no part. Outliers have a
 * rule of their own; why a loop is idle as a whole, others say, or check_unexplained().
 */
static void measure(struct starved *starved, const struct dp_rule_input *input)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	const double *busy_ns = dp_rule__metric(input, "busy_ns");
	const double *gap_ns = dp_rule__metric(input, "longest_gap_ns");
	double usual = dp_rule__typical(input, "utilization");
	double all_ns = 0, part_ns = 0, part_busy_ns = 0;
	bool idle = !(usual >= LEAST_UTILIZATION);
	size_t n = input->loop->iterations, begin = 0;

	for (size_t k = 0; k < n; k++)
		all_ns += isnan(period_ns[k]) ? 0 : period_ns[k];
	for (size_t k = 0; k < n; k++) {
		bool interrupted = k + 1 < n && input->iterations[k + 1].foreign_kernels;

		if (isnan(period_ns[k]) || isnan(busy_ns[k]) || interrupted ||
		    input->iterations[k].warmup)
			continue;
		starved->longest_ns = fmax(starved->longest_ns, gap_ns[k]);
		if (gap_ns[k] >= DP_LONG_GAP_NS) {
			note(starved, k, k);
			starved->long_gaps++;
		}
		if (idle || (input->slow && input->slow[k]))
			continue;
		starved->long_ns += gap_ns[k] >= DP_LONG_GAP_NS ? gap_ns[k] : 0;
		begin = part_ns > 0 ? begin : k;
		part_ns += period_ns[k];
		part_busy_ns += busy_ns[k];
		if (part_ns * DP_RULE_SLICES < all_ns)
			continue;
		if (part_busy_ns < LEAST_UTILIZATION * part_ns) {
			note(starved, begin, k);
			starved->parts++;
			starved->idle_ns += part_ns - part_busy_ns / usual;
		}
		part_ns = part_busy_ns = 0;
	}
}

/* Returns true if most of a time is due to something that delays work after its launch. */
static bool is_launched(const struct dp_rule_slices *slices, double ns)
{
	return slices->launched_ns >= MOST_OF_GAP * ns;
}

/*
 * Names the call that takes most of the longest gap, else the operation that ends it. If that was
 * launched long before, calls only wait for it.
 */
static void name_longest_gap(const struct dp_rule_slices *slices, struct dp_rule_finding *out)
{
	double gap_ns = slices->gaps.longest_ns;

	if (slices->call_ns >= MOST_OF_GAP * gap_ns && !is_launched(slices, gap_ns)) {
		dp_rule__evidence(out, "longest_gap_ns", "ns", gap_ns);
		dp_rule__call_evidence(out, "gap_call_ns", "ns", slices->call_ns, slices->call);
	} else if (slices->before) {
		dp_rule__call_evidence(out, "gap_before_ns", "ns", gap_ns, slices->before);
	} else {
		dp_rule__evidence(out, "longest_gap_ns", "ns", gap_ns);
	}
}

/* Returns true if what the host does in most of the idle time is named, and is no launching. */
static bool names_work(const struct dp_rule_finding *out)
{
	double share = 0;

	for (size_t i = 0; i < out->finding.range_count; i++)
		share += out->ranges[i].name[0] ? out->ranges[i].share : 0;
	return share >= MOST_OF_GAP && !dp_rule__is_launching(out);
}

/* One call takes most of the idle time: whether it can be made less often depends on its kind. */
static const char *advise_on_call(uint8_t kind)
{
	switch (kind) {
	case DP_CALL_LAUNCH:
		return "launch each kernel once before the part that matters: the first launch of "
		       "a kernel loads its code";
	case DP_CALL_COPY:
		return "if this is start-up, record a later part of the run; if these copies "
		       "recur, make them asynchronous (non_blocking=True, pin_memory=True)";
	case DP_CALL_SYNC:
		return "the host waits although this GPU is idle: for another GPU, another "
		       "process or an event; if this is start-up, record a later part of the run";
	default:
		return dp_rule__capture_stall_advice;
	}
}

static const char *advise(const struct dp_rule_input *input, const struct dp_rule_finding *out,
			  double idle_ns)
{
	const struct dp_rule_slices *slices = input->slices;

	if (is_launched(slices, idle_ns))
		return "work is launched and does not start, which the trace does not explain: if "
		       "this is start-up, record a later part of the run; else look for other "
		       "programs on the GPU";
	if (slices->call_ns >= MOST_OF_GAP * idle_ns)
		return advise_on_call(slices->call_kind);
	if (idle_ns >= NOT_AT_WORK * DP_RULE_SLICES * slices->length_ns)
		return "record a part of the run in which the GPU works; if this is one, look in "
		       "the timeline (deepprof export) for what the host does instead of launching";
	if (isnan(dp_rule__typical(input, "host_wait_ns")))
		return advice_unknown;
	if (dp_rule__is_spread(slices->gaps.longest_ns, idle_ns, slices->operations))
		return "reduce launch overhead: CUDA graphs or torch.compile, fused optimizer, "
		       "larger batches";
	if (names_work(out))
		return advice_work;
	return "look in the timeline (deepprof export) for what the host does in these gaps, and "
	       "move it to another thread";
}

/* How much of the longest gap is in a slice. */
static double gap_in_slice(const struct dp_rule_input *input, size_t slice)
{
	const struct dp_rule_slices *slices = input->slices;
	double gap_ns = (double)(slices->gaps.longest_start_ns - input->iterations[0].start_ns);
	double start_ns = (double)slice * slices->length_ns;

	return fmax(0, fmin(start_ns + slices->length_ns, gap_ns + slices->gaps.longest_ns) -
			       fmax(start_ns, gap_ns));
}

/*
 * In a capture without iterations: which parts of it leave the device idle, and during what
 * activity of the host.
 */
static bool check_capture(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const struct dp_rule_slices *slices = input->slices;
	double idle_ns = 0, all_ns = 0, parts = 0;

	for (size_t i = 0; i < DP_RULE_SLICES; i++) {
		bool idle = slices->busy_ns[i] < LEAST_UTILIZATION * slices->length_ns;

		all_ns += slices->length_ns - slices->busy_ns[i];
		/* the longest gap is shown, and may begin or end in a busy slice */
		idle_ns += idle ? slices->length_ns - slices->busy_ns[i] : gap_in_slice(input, i);
		parts += idle;
	}
	if (!slices->gaps.count && !parts)
		return false;
	idle_ns = fmax(idle_ns, slices->gaps.all_ns);
	out->finding.confidence = input->loop->confidence;
	out->finding.recoverable_ns = idle_ns;
	dp_rule__evidence(out, DP_EVIDENCE_PERIOD, "ns", DP_RULE_SLICES * slices->length_ns);
	dp_rule__evidence(out, "idle_ns", "ns", idle_ns);
	name_longest_gap(slices, out);
	if (parts)
		dp_rule__evidence(out, "parts_of_30", "count", parts);
	if (all_ns - idle_ns >= ELSEWHERE * DP_RULE_SLICES * slices->length_ns)
		dp_rule__evidence(out, "other_idle_ns", "ns", all_ns - idle_ns);
	if (slices->gaps.count)
		dp_rule__evidence(out, "long_gaps", "count", (double)slices->gaps.count);
	if (!is_launched(slices, idle_ns))
		dp_rule__name_ranges(input, out, DP_HOST_WAIT, false);
	out->part = "idle_ns";
	out->finding.advice = advise(input, out, idle_ns);
	dp_rule__advise_by_ranges(out, DP_HOST_WAIT);
	if (!is_launched(slices, idle_ns))
		dp_rule__captures_graphs(input, false, out);
	return true;
}

/*
 * Names the ranges in which slow iterations wait longer, before an upload or elsewhere; if there
 * are none, those in which typical iterations wait longest.
 */
static void name_ranges(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double input_ns = 0;

	if (dp_rule__name_ranges(input, out, DP_HOST_INPUT, true))
		input_ns = out->ranges[0].ns;
	if (dp_rule__name_ranges(input, out, DP_HOST_WAIT, true) && out->ranges[0].ns >= input_ns)
		return;
	if (input_ns > 0 && dp_rule__name_ranges(input, out, DP_HOST_INPUT, true))
		return;
	dp_rule__name_ranges(input, out,
			     dp_rule__typical(input, "input_wait_ns") >
					     dp_rule__typical(input, "host_wait_ns")
				     ? DP_HOST_INPUT
				     : DP_HOST_WAIT,
			     false);
}

/*
 * If launches are recorded, other rules say why a loop is idle as a whole, and if most of it lies
 * between iterations, host-bound reports it. Otherwise, all that can be said is that it is idle.
 */
static bool check_unexplained(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double idle_ns = dp_rule__typical(input, "idle_ns");

	if (!isnan(dp_rule__typical(input, "host_wait_ns")) ||
	    (dp_rule__has_long_interval(input) &&
	     dp_rule__typical_before(input, "interval_ns") >= MOST_OF_GAP * idle_ns) ||
	    !dp_rule__share_finding(input, out, "idle_ns", idle_ns, UNEXPLAINED, 1))
		return false;
	dp_rule__evidence(out, "idle_ns", "ns", idle_ns);
	dp_rule__mean_evidence(input, out, "longest_gap_ns");
	out->part = "idle_ns";
	out->finding.advice = advice_unknown;
	return true;
}

static void say_where(char *buf, size_t size, const struct starved *starved)
{
	char first[DP_TEXT_SIZE], last[DP_TEXT_SIZE];
	bool several = starved->first < starved->last;

	snprintf(buf, size,
		 "look in the timeline (deepprof export) at what the host does "
		 "in iteration%s %.20s%s%.20s",
		 several ? "s" : "", dp_text__count(first, starved->first), several ? " to " : "",
		 several ? dp_text__count(last, starved->last) : "");
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	struct starved starved = { 0 };
	char look[128];
	double lost_ns;

	if (input->scope == DP_SCOPE_CAPTURE)
		return check_capture(input, out);
	measure(&starved, input);
	if (!starved.long_gaps && !starved.parts)
		return check_unexplained(input, out);
	out->finding.severity = starved.long_gaps ? DP_SEVERITY_WARNING : DP_SEVERITY_INFO;
	out->finding.confidence = input->loop->confidence;
	out->finding.first_iteration = starved.first;
	out->finding.last_iteration = starved.last;
	/* a long gap may be in such a part; what other rules report is not counted twice */
	lost_ns = fmax(starved.long_ns, starved.idle_ns);
	out->finding.recoverable_ns =
		lost_ns > 0 ? lost_ns / (double)dp_rule__steady_count(input) : (double)NAN;
	dp_rule__evidence(out, "longest_gap_ns", "ns", starved.longest_ns);
	if (starved.long_gaps)
		dp_rule__evidence(out, "long_gap_iterations", "count", starved.long_gaps);
	if (starved.parts)
		dp_rule__evidence(out, "parts_of_30", "count", starved.parts);
	/* only idle time beyond the typical counts: the cost may be less than the longest gap */
	if (starved.idle_ns > starved.long_ns)
		dp_rule__evidence(out, "excess_idle_ns", "ns", starved.idle_ns);
	name_ranges(input, out);
	out->part = out->finding.activity == DP_HOST_INPUT ? "input_wait_ns" : "host_wait_ns";
	say_where(look, sizeof(look), &starved);
	out->finding.advice = names_work(out) ? advice_work : look;
	dp_rule__advise_by_ranges(out, DP_HOST_WAIT);
	if (out->finding.advice == look && !out->advice[0])
		memcpy(out->advice, look, sizeof(look));
	if (out->finding.advice == look)
		out->finding.advice = ""; /* the composed one counts */
	return true;
}

const struct dp_rule dp_rule__starved = {
	{ "starved",
	  "a gap of half a second, or a thirtieth of the loop or capture below 50% utilization; if "
	  "launches are not recorded, also at least 15% of the period without work" },
	check,
	.also = DP_SCOPE_CAPTURE,
	.never_critical_capture = true,
};
