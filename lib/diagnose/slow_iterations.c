/* Iterations that stand out, and what takes longer in them than in the others. */
#include "diagnose/diagnose.h"
#include "stats/stat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Share of the host's longer stall at which one call is named as the cause. */
#define MOST_OF_IT 0.5

/* Share of the typical clock below which a clock explains longer kernels. */
#define LOWER_CLOCK 0.97

/* Share of the largest cause from which on another is named. */
#define ALSO 0.25

/*
 * Shortest distance. In each second iteration, a double buffer or an accumulated gradient takes
 * longer, which is no enclosing loop.
 */
#define APART 3

/* Share of the loop over which distances extend: a phase in its middle shows nothing about the
 * rest. */
#define THROUGHOUT 0.75

/* Share of what slow iterations take longer from which on a part of it is a cause in one. */
#define LEAST_CAUSE 0.1

/* Share of the slow iterations from which on what takes longer is that of all of them. */
#define NEARLY_ALL 0.9

/* Share of the usual time of copies by which it must be longer: by chance it varies less. */
#define MORE_COPIES 0.5

static const struct {
	const char *metric;
	const char *evidence; /* the mean excess of it in slow iterations, */
	const char *count;    /* or in these of them, if only some have it */
	const char *advice;
} causes[] = {
	{ "host_wait_ns", "more_host_wait_ns", "more_host_wait_iterations",
	  "the host stalls there: look for checkpoints, logging, garbage collection, slow storage" },
	{ "input_wait_ns", "more_input_wait_ns", "more_input_wait_iterations",
	  "the host uploads late there: look at what it does before the upload" },
	{ "idle_sync_ns", "more_idle_sync_ns", "more_idle_sync_iterations",
	  "the host waits for the device there: look for synchronizing calls" },
	{ "idle_copy_ns", "more_idle_copy_ns", "more_idle_copy_iterations",
	  "the host is in copies there: look for uploads and downloads that the others don't have" },
	{ "idle_launch_ns", "more_idle_launch_ns", "more_idle_launch_iterations",
	  "kernels follow each other more slowly there: look for other load on the host's cores, "
	  "power saving, the profiler's own work" },
	{ "idle_other_ns", "more_idle_other_ns", "more_idle_other_iterations",
	  "the GPU waits there although work is launched: look for events and other streams" },
	{ "copy_exposed_ns", "more_copy_ns", "more_copy_iterations",
	  "copies take longer there: look for uploads and downloads that the others don't have" },
	{ "comm_exposed_ns", "more_communication_ns", "more_communication_iterations",
	  "communication takes longer there: look for what its other ranks do" },
	{ "compute_ns", "more_compute_ns", "more_compute_iterations",
	  "kernels take longer there: look at their shapes, and at what else uses the GPU" },
	/* for traces without launches */
	{ "idle_ns", "more_idle_ns", "more_idle_iterations",
	  "the GPU does nothing there: record launches, too, to see why" },
};

/* The mean excess of a metric in slow iterations over typical ones. */
static double excess_of(const struct dp_rule_input *input, const char *name)
{
	const double *values = dp_rule__metric(input, name);
	double sum = 0, count = 0;

	for (size_t k = 0; values && k < input->loop->iterations; k++) {
		if (!input->slow[k] || isnan(values[k]))
			continue;
		sum += values[k];
		count++;
	}
	return count > 0 ? sum / count - dp_rule__typical(input, name) : (double)NAN;
}

/*
 * The largest cause except one; of equals the first. Idle time as a whole only if it has no causes.
 */
static size_t find_cause(const struct dp_rule_input *input, size_t but)
{
	bool known = !isnan(dp_rule__typical(input, causes[0].metric));
	size_t cause = DP_COUNT(causes) - 1;
	double most = -1;

	for (size_t i = 0; i + known < DP_COUNT(causes); i++) {
		double excess = excess_of(input, causes[i].metric);

		if (i == but || !(excess > most))
			continue;
		most = excess;
		cause = i;
	}
	return cause;
}

/* The median number of kernels beyond the pattern, including those before the next iteration. */
static double extra_kernels(const struct dp_rule_input *input, bool slow)
{
	size_t used = 0;

	for (size_t k = 0; k + 1 < input->loop->iterations; k++) {
		const struct dp_iteration *at = &input->iterations[k];

		if (slow ? !input->slow[k] : !dp_rule__is_typical(input, k))
			continue;
		input->scratch[used++] =
			(double)at->inserted - (double)at->deleted + (double)at[1].foreign_kernels;
	}
	return used ? dp_stat__select(input->scratch, used, used / 2) : 0;
}

/* The difference of medians, which one odd iteration does not change. */
static double more_kernels(const struct dp_rule_input *input)
{
	return extra_kernels(input, true) - extra_kernels(input, false);
}

/* Explains why kernels take longer: there are more of them, or clocks are lower. */
static void explain_compute(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	double more = more_kernels(input), usual_mhz = dp_rule__typical(input, "clock_MHz");
	double fell_mhz = -excess_of(input, "clock_MHz");

	if (more >= 1) {
		dp_rule__evidence(out, "more_kernels", "count", more);
		out->finding.advice = "more kernels run there: look at the variants of these "
				      "iterations, which -v lists";
	} else if (fell_mhz > (1 - LOWER_CLOCK) * usual_mhz) {
		dp_rule__evidence(out, "lower_clock", "MHz", usual_mhz - fell_mhz);
		dp_rule__evidence(out, "usual_clock", "MHz", usual_mhz);
		out->finding.advice = "the GPU's clocks are lower there: look at its temperature "
				      "and power limit";
	}
}

/* The host was ready to run, but had no processor. */
static bool explain_preempted(const struct dp_rule_input *input, struct dp_rule_finding *out,
			      const char *cause)
{
	double wait_ns = excess_of(input, "cpu_wait_ns");
	double throttled_ns = excess_of(input, "cpu_throttled_ns");

	if (!(wait_ns >= MOST_OF_IT * excess_of(input, cause)))
		return false;
	dp_rule__evidence(out, "more_cpu_wait_ns", "ns", wait_ns);
	if (throttled_ns >= MOST_OF_IT * wait_ns)
		dp_rule__evidence(out, "more_cpu_throttled_ns", "ns", throttled_ns);
	out->finding.advice = dp_rule__cpu_advice(wait_ns, throttled_ns);
	return true;
}

/* The host waited for pages of files or of swapped memory. */
static bool explain_faults(const struct dp_rule_input *input, struct dp_rule_finding *out,
			   const char *cause)
{
	double fault_ns = excess_of(input, "cpu_fault_ns");

	if (!(fault_ns >= MOST_OF_IT * excess_of(input, cause)))
		return false;
	dp_rule__evidence(out, "more_cpu_fault_ns", "ns", fault_ns);
	out->finding.advice = "the host waits for pages from a disk there: read files ahead, copy "
			      "the data set to memory or a faster disk, see that nothing is swapped";
	return true;
}

/* Explains a stall of the host by one call, if that is most of it. */
static void explain_host(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	struct dp_stall most;

	if (dp_rule__captures_graphs(input, true, out) ||
	    explain_preempted(input, out, "host_wait_ns") ||
	    explain_faults(input, out, "host_wait_ns"))
		return;
	if (!dp_rule__stall(&most, input, true) ||
	    !(most.idle_ns >= MOST_OF_IT * excess_of(input, "host_wait_ns")))
		return;
	dp_rule__call_evidence(out, "more_call_ns", "ns", most.idle_ns, most.name);
	if (most.purpose == DP_PURPOSE_OTHER)
		out->finding.advice = "one call takes the time there: look for why it takes longer "
				      "than elsewhere, or make it outside of the loop";
	else
		out->finding.advice = dp_rule__stall_advice(most.purpose);
}

/*
 * Adds a cause: its mean excess in the slow iterations. If only some of these have it, it is that
 * of these, with their number.
 */
static void add_cause(const struct dp_rule_input *input, struct dp_rule_finding *out, size_t cause)
{
	const double *values = dp_rule__metric(input, causes[cause].metric);
	double usual_ns = dp_rule__typical(input, causes[cause].metric);
	double least_ns = LEAST_CAUSE * excess_of(input, "period_ns"), sum_ns = 0;
	size_t all = 0, some = 0;

	for (size_t k = 0; values && k < input->loop->iterations; k++) {
		if (!input->slow[k] || isnan(values[k]))
			continue;
		all++;
		if (!(values[k] - usual_ns > least_ns))
			continue;
		some++;
		sum_ns += values[k] - usual_ns;
	}
	if (!some || (double)some >= NEARLY_ALL * (double)all) {
		dp_rule__evidence(out, causes[cause].evidence, "ns",
				  excess_of(input, causes[cause].metric));
		return;
	}
	dp_rule__evidence(out, causes[cause].evidence, "ns", sum_ns / (double)some);
	dp_rule__evidence(out, causes[cause].count, "count", (double)some);
}

bool dp_rule__explain_slow(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	size_t cause = find_cause(input, DP_COUNT(causes)), other = find_cause(input, cause);
	double most_ns = excess_of(input, causes[cause].metric);
	double other_ns = excess_of(input, causes[other].metric);
	const char *advice = causes[cause].advice;
	bool named;

	add_cause(input, out, cause);
	out->finding.advice = advice;
	if (!strcmp(causes[cause].metric, "compute_ns"))
		explain_compute(input, out);
	if (!strcmp(causes[cause].metric, "idle_other_ns") && input->transfers &&
	    input->transfers->kernel_streams == 1)
		out->finding.advice = "the GPU waits there although work is launched, and no other "
				      "stream runs kernels: look for other programs on the GPU";
	if (!strcmp(causes[cause].metric, "idle_other_ns") ||
	    !strcmp(causes[cause].metric, "comm_exposed_ns") ||
	    !strcmp(causes[cause].metric, "copy_exposed_ns"))
		dp_rule__name_stream_wait(input, out, true);
	if (!strcmp(causes[cause].metric, "host_wait_ns"))
		explain_host(input, out);
	if (other != cause && other_ns >= ALSO * most_ns)
		add_cause(input, out, other);
	/* without a name, the host may be late with anything before it uploads */
	if (!strcmp(causes[cause].metric, "input_wait_ns")) {
		if (explain_preempted(input, out, "input_wait_ns") ||
		    explain_faults(input, out, "input_wait_ns"))
			return false;
		dp_rule__name_function(input, out, DP_HOST_INPUT, true);
		named = dp_rule__name_ranges(input, out, DP_HOST_INPUT, true);
		dp_rule__advise_by_ranges(out, DP_HOST_INPUT);
		return !named;
	}
	if (strcmp(causes[cause].metric, "host_wait_ns") != 0 || out->finding.advice != advice)
		return false;
	dp_rule__name_function(input, out, DP_HOST_WAIT, true);
	dp_rule__name_ranges(input, out, DP_HOST_WAIT, true);
	if (dp_rule__is_launching(out))
		out->finding.advice =
			"the host launches more slowly there: look for other load on its "
			"cores, Python's garbage collection, power saving";
	dp_rule__advise_by_ranges(out, DP_HOST_WAIT);
	return out->finding.advice == advice && !out->advice[0];
}

/* Returns true if no typical iteration follows a slow one: if iterations grow, these grew most. */
static bool are_last(const struct dp_rule_input *input, size_t first_slow)
{
	for (size_t k = first_slow; k < input->loop->iterations; k++)
		if (dp_rule__is_typical(input, k))
			return false;
	return true;
}

/*
 * How many iterations lie between slow ones if that is regular, else 0. Several in a row are a
 * group, of which the first counts: where an enclosing loop ends an iteration, the next one may be
 * slow, too. Sets the number of groups.
 */
static size_t spacing(const struct dp_rule_input *input, size_t *groups)
{
	size_t count = 0, last = 0, every;

	*groups = 0;
	for (size_t k = 0; k < input->loop->iterations; k++) {
		if (!input->slow[k] || (k && input->slow[k - 1]))
			continue;
		if (last)
			input->scratch[count++] = (double)(k + 1 - last);
		last = k + 1;
		++*groups;
	}
	every = dp_rule__spacing(input->scratch, count);
	return every >= APART && (double)((count + 1) * every) >=
					 THROUGHOUT * (double)input->loop->iterations
		       ? every
		       : 0;
}

/* Returns true if most of what makes iterations slow follows their last kernel. */
static bool is_between(const struct dp_rule_input *input)
{
	const double *interval_ns = dp_rule__metric(input, "interval_ns");
	const double *period_ns = dp_rule__metric(input, "period_ns");
	double usual_ns = dp_rule__typical_before(input, "interval_ns");
	double usual_period_ns = dp_rule__typical(input, "period_ns"), between_ns = 0, all_ns = 0;

	for (size_t k = 0; interval_ns && k + 1 < input->loop->iterations; k++) {
		if (!input->slow[k] || isnan(period_ns[k]) || isnan(interval_ns[k + 1]))
			continue;
		between_ns += interval_ns[k + 1] - usual_ns;
		all_ns += period_ns[k] - usual_period_ns;
	}
	return between_ns > MOST_OF_IT * all_ns;
}

/* Returns true if slow iterations have more kernels or copies than others, not only idle time. */
static bool runs_more(const struct dp_rule_input *input)
{
	return more_kernels(input) >= 1 ||
	       excess_of(input, "copy_ns") > MORE_COPIES * dp_rule__typical(input, "copy_ns");
}

/* Returns true if the host causes the time: it waits, or what it does is named. */
static bool is_host(const struct dp_rule_input *input, const struct dp_rule_finding *out)
{
	const char *cause = causes[find_cause(input, DP_COUNT(causes))].metric;

	for (size_t i = 0; i < out->finding.evidence_count; i++)
		if (out->values[i].call)
			return true;
	return out->finding.range_count || !strcmp(cause, "host_wait_ns") ||
	       !strcmp(cause, "input_wait_ns");
}

/*
 * Slow iterations at equal distances may end those of an enclosing loop, which is no fault, or do
 * regular work: says so. Annotations mark the program's iterations, which nothing encloses. A host
 * that stalls at equal distances, as for a loader whose workers each have one batch, is one.
 */
static void mention_enclosing(const struct dp_rule_input *input, struct dp_rule_finding *out,
			      size_t every)
{
	const char *otherwise = out->advice[0]
					? out->advice
					: dp_advice__in_terms(out->finding.advice, input->terms);
	size_t length = strlen(otherwise), used;
	char says[96] = "these may end iterations of the enclosing loop; else ";

	if (input->loop->found_by == DP_FOUND_BY_MARKS || !is_between(input) ||
	    is_host(input, out) || !runs_more(input))
		return;
	out->regular = true;
	if (input->loop->parent == DP_NONE)
		snprintf(says, sizeof(says),
			 "if these end iterations of an enclosing loop, pass -n %zu to see it; "
			 "else ",
			 input->loop->iterations / every);
	used = strlen(says);
	if (used + length >= sizeof(out->advice))
		return;
	memmove(out->advice + used, otherwise, length + 1);
	memcpy(out->advice, says, used);
}

static bool check(const struct dp_rule_input *input, struct dp_rule_finding *out)
{
	const double *period_ns = dp_rule__metric(input, "period_ns");
	double usual_ns = dp_rule__typical(input, "period_ns"), excess_ns = 0, worst_ns = 0;
	size_t count = 0, groups, every;

	if (dp_rule__slow_are_extra(input))
		return false;
	for (size_t k = 0; input->slow && k < input->loop->iterations; k++) {
		if (!input->slow[k])
			continue;
		out->finding.first_iteration = count++ ? out->finding.first_iteration : k;
		out->finding.last_iteration = k;
		excess_ns += isnan(period_ns[k]) ? 0 : period_ns[k] - usual_ns;
		worst_ns = fmax(worst_ns, period_ns[k]);
	}
	if (!count || !(excess_ns > 0))
		return false;
	out->finding.recoverable_ns = excess_ns / (double)dp_rule__steady_count(input);
	out->finding.confidence = input->loop->confidence;
	out->grows = are_last(input, out->finding.first_iteration);
	dp_rule__evidence(out, "slow_iterations", "count", (double)count);
	every = spacing(input, &groups);
	if (every && groups < count)
		dp_rule__evidence(out, "slow_groups", "count", (double)groups);
	if (every)
		dp_rule__evidence(out, groups < count ? "group_every" : "slow_every", "count",
				  (double)every);
	dp_rule__explain_slow(input, out);
	if (every)
		mention_enclosing(input, out, every);
	dp_rule__evidence(out, "usual_ns", "ns", usual_ns);
	dp_rule__evidence(out, "slowest_ns", "ns", worst_ns);
	return true;
}

const struct dp_rule dp_rule__slow_iterations = {
	{ "slow-iterations", "some iterations take longer than the others; shows what differs" },
	check,
};
