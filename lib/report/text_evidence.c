/*
 * What a finding costs, and the evidence, as words; the second continues where the first ends.
 * "costs 26.58 ms of each iteration (56.6%)", "waiting for input, GPU busy 40.6%". Each number is
 * shown once; a comma leads to a part of what precedes it. Cost: quadratic in the few numbers of a
 * finding.
 */
#include "base/text.h"
#include "report/text.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CALL_COLUMNS 40
#define RANGE_COLUMNS 32
#define ALL_OF_IT 0.97 /* larger shares are shown as all of it */
#define SAME_PERIOD 0.01
#define SAME 0.01
#define LEAST_SAVED 0.001 /* of the period, for it to be shorter */
#define SAME_SHARE 0.0005 /* half of the last digit that is shown */
#define LEAST_P 0.001

/* The words around a number; numbers not listed are shown with their names. */
struct saying {
	const char *name;
	const char *before;
	const char *after;
	const char *cost;   /* instead, if it is the cost, which was shown */
	const char *of;	    /* what it is a part of; default: the cost */
	const char *all;    /* instead, if it is all of that; "": nothing */
	const char *behind; /* right behind this one, */
	const char *joint;  /* these come before it, */
	const char *close;  /* and these after, */
	const char *mean;   /* or these for a mean of iterations, if they differ */
	const char *typical; /* after it if slow iterations are left out and that is not obvious */
	bool ordinal;	     /* it is shown as one, such as 5th */
	bool of_capture;     /* it is a share of the capture if there are no iterations */
};

static const struct saying sayings[] = {
	{ "all_intervals", "of ", " iterations", .behind = "long_intervals", .joint = " of ",
	  .close = "", .of = "long_intervals", .all = "" },
	{ "avg_interval_ns", "", " between iterations", .cost = "between iterations",
	  .typical = " between typical iterations" },
	{ "avg_operation_ns", "", " between operations" },
	{ "avg_overlap", "", " of it uploads" },
	{ "blocking_copy_ns", "", " in blocking copies", .cost = "in blocking copies" },
	{ "call_ns", "", " of it in", .cost = "in" },
	{ "call_stall_ns", "", " in calls that launch nothing",
	  .cost = "host in calls that launch nothing", .of = "call_ns", .all = "" },
	{ "calls", "", " calls", .behind = "call_ns", .joint = " (", .close = " calls in all)",
	  .mean = " calls per iteration)" },
	{ "clock", "clocks of ", "" },
	{ "comm_exposed_ns", "", " of exposed communication",
	  .cost = "exposed communication (not overlapped by compute)" },
	{ "comm_ns", "", " of communication in all", .of = "comm_exposed_ns", .all = "" },
	{ "comm_overlap", "", " overlapped", .behind = "comm_ns", .joint = ", ",
	  .close = " overlapped" },
	{ "copy_exposed_ns", "", " of exposed copies", .cost = "exposed copies", .all = "" },
	{ "compute_rise_ns", "", " of that in compute", .of = "rise_ns",
	  .all = "all of it compute" },
	{ "communication_rise_ns", "", " of that in communication", .of = "rise_ns",
	  .all = "all of it communication" },
	{ "copy_rise_ns", "", " of that in copies", .of = "rise_ns", .all = "all of it copies" },
	{ "device_copy_rise_ns", "", " of that in device-to-device copies", .of = "rise_ns",
	  .all = "all of it device-to-device copies" },
	{ "host_rise_ns", "", " of that in host wait", .of = "rise_ns",
	  .all = "all of it host wait" },
	{ "input_rise_ns", "", " of that in input wait", .of = "rise_ns",
	  .all = "all of it input wait" },
	{ "upload_rise_ns", "", " of that in uploads", .of = "rise_ns",
	  .all = "all of it uploads" },
	{ "copied_ns", "", " of it launched by", .all = "launched by" },
	{ "cpu_blocked_ns", "launching thread blocked for ", "" },
	{ "cpu_fault_ns", "", " waiting for pages from a disk" },
	{ "cpu_run_ns", "launching thread running for ", "" },
	{ "cpu_throttled_ns", "cgroup throttled for ", "" },
	{ "cpu_wait_ns", "launching thread runnable but not running for ", "",
	  .cost = "launching thread runnable but not running" },
	{ "d2d_bandwidth", "at ", "", .behind = "d2d_bytes", .joint = " at ", .close = "" },
	{ "d2d_bytes", "", "" },
	{ "d2d_copies", "", " per iteration" },
	{ "d2d_exposed_ns", "", " of exposed copies within the device",
	  .cost = "exposed copies within the device" },
	{ "every_iterations", "every ", " iterations", .behind = "extra_kernels",
	  .joint = " every ", .close = " iterations" },
	{ "extra_kernel_ns", "", " of it in", .of = "extra_ns", .all = "all of it in" },
	{ "extra_kernels", "", " extra kernels" },
	{ "extra_ns", "", " longer" },
	{ "gap_before_ns", "longest gap ", " before" },
	{ "gap_call_ns", "", " of it in", .of = "longest_gap_ns", .all = "all of it in" },
	{ "d2h_bytes", "", " downloaded" },
	{ "h2d_bandwidth", "uploads at ", "", .behind = "h2d_bytes", .joint = " at ", .close = "" },
	{ "h2d_bytes", "", " uploaded" },
	{ "host_copy_ns", "host in calls of copies for ", "", .behind = "host_sync_ns",
	  .joint = ", ", .close = " in calls of copies" },
	{ "host_stall_ns", "", " of it in gaps of at least 1% of the period", .of = "host_wait_ns",
	  .all = "all of it in gaps of at least 1% of the period" },
	{ "host_sync_ns", "host blocked in synchronizing calls for ", "" },
	{ "idle_after_sync_ns", "", " of it after waiting for the GPU", .of = "host_wait_ns",
	  .all = "all of it after waiting for the GPU" },
	{ "idle_ns", "", " of idle GPU time", .cost = "idle GPU time" },
	{ "idle_rise_ns", "", " of that in idle time", .of = "rise_ns", .all = "" },
	{ "host_wait_ns", "", " of host wait", .cost = "host wait" },
	{ "idle_host_ns", "", " of host and input wait in all", .of = "input_wait_ns", .all = "" },
	{ "input_wait_ns", "", " of input wait", .cost = "input wait" },
	{ "interval_ns", "", " between iterations", .cost = "between iterations",
	  .typical = " between typical iterations" },
	{ "kernel_ns", "", " of it in", .all = "in" },
	{ "kernel_rise_ns", "", " of that per iteration in" },
	{ "kernel_median_ns", "median kernel ", "" },
	{ "launched_ns", "for ", " of that, work is launched and does not start",
	  .all = "all that time, work is launched and does not start" },
	{ "live_bytes", "", " live" },
	{ "long_gap_iterations", "", " iterations with a gap of half a second or more" },
	{ "long_gaps", "", " gaps of half a second or more" },
	/* only without launches */
	{ "long_intervals", "cause not recorded; long interval before ", " iterations" },
	{ "graph_calls", "", " calls of" },
	{ "longest_gap_ns", "longest gap ", "" },
	{ "lower_clock", "clocks of ", "" },
	{ "moved_ns", "", " of host work" },
	{ "threads", "", " threads to hide it", .behind = "moved_ns", .joint = ", which takes ",
	  .close = " threads to hide" },
	{ "migrations", "", " migrations of unified memory" },
	{ "more_call_ns", "", " of it in", .of = "more_host_wait_ns", .all = "all of it in" },
	{ "more_communication_ns", "", " more communication", .of = "extra_ns",
	  .all = "all of it communication" },
	{ "more_compute_ns", "", " more compute", .of = "extra_ns", .all = "all of it compute" },
	{ "more_copy_ns", "", " more copies", .of = "extra_ns", .all = "all of it copies" },
	{ "more_idle_copy_ns", "", " more in calls of copies", .of = "extra_ns",
	  .all = "all of it in calls of copies" },
	{ "more_cpu_fault_ns", "", " more waiting for pages from a disk" },
	{ "more_cpu_throttled_ns", "cgroup throttled for ", " more" },
	{ "more_cpu_wait_ns", "launching thread runnable but not running for ", " more" },
	{ "more_host_wait_ns", "", " more host wait", .of = "extra_ns",
	  .all = "all of it host wait" },
	{ "more_input_wait_ns", "", " more input wait", .of = "extra_ns",
	  .all = "all of it input wait" },
	{ "more_idle_ns", "", " more idle", .of = "extra_ns", .all = "all of it idle" },
	{ "more_idle_launch_ns", "", " more launch latency", .of = "extra_ns",
	  .all = "all of it launch latency" },
	{ "more_idle_other_ns", "", " more idle", .of = "extra_ns", .all = "all of it idle" },
	{ "more_idle_sync_ns", "", " more in synchronization", .of = "extra_ns",
	  .all = "all of it in synchronization" },
	{ "more_stream_wait_ns", "", " more of the stream waiting for" },
	{ "more_kernels", "", " more kernels", .of = "extra_kernels", .all = "" },
	{ "other_idle_ns", "", " more idle, in shorter gaps throughout the capture",
	  .behind = "parts_of_30", .joint = "; idle for another ", .close = " in the others" },
	{ "others_ns", "the other GPUs take ", " by themselves" },
	{ "overlap", "", " of it uploads" },
	{ "pageable_copy_ns", "", " in pageable copies", .cost = "in pageable copies" },
	{ "pageable_share", "", " of the bytes pageable" },
	{ "parts_of_30", "GPU over 50% idle in ", " of 30 equal time slices" },
	{ "peak_bytes", "", " at most" },
	{ "period_rise_ns", "", " of that in longer iterations", .of = "rise_ns", .all = "" },
	{ "power", "", " drawn" },
	{ "queue_depth", "", " in the queue" },
	{ "queue_empty", "queue empty ", " of the time" },
	{ "range_rise_ns", "", " of that per iteration in", .of = "rise_per_iteration_ns",
	  .all = "all of it in" },
	{ "repeated_upload_ns", "", " of uploads of the same sizes",
	  .cost = "uploads of the same sizes" },
	{ "rise_bytes", "risen by ", " over the run" },
	{ "rise_ns", "risen by ", " over the run" },
	{ "rise_per_iteration_bytes", "", " more per iteration", .behind = "rise_bytes",
	  .joint = ", ", .close = " per iteration" },
	{ "rise_per_iteration_ns", "", " more per iteration", .behind = "rise_ns", .joint = ", ",
	  .close = " per iteration" },
	{ "sampled_share", "", " of the launching thread's samples in" },
	{ "short_gaps_ns", "", " in short gaps between kernels, not all due to launches",
	  .cost = "in short gaps between kernels" },
	{ "slow_every", "every ", "", .behind = "slow_iterations", .joint = ", every ", .close = "",
	  .ordinal = true },
	{ "slow_iterations", "", " slow iterations", .behind = "times", .joint = ", ",
	  .close = " of them slow", .of = "times", .all = "all of them slow" },
	{ "slowest_ns", "the slowest ", "" },
	{ "stream_wait_ns", "", " of the stream waiting for" },
	{ "sync_lost_ns", "", " in which the GPU runs out of work",
	  .cost = "the GPU runs out of work" },
	{ "throttled_iterations", "", " iterations throttled" },
	{ "sm_active", "SMs active ", "" },
	{ "tensor_active", "tensor cores ", "" },
	{ "dram_active", "DRAM active ", "" },
	{ "times", "", " times", .behind = "every_iterations", .joint = " (", .close = " times)" },
	{ "upload_exposed_ns", "", " of exposed uploads", .cost = "exposed uploads" },
	{ "upload_hidden", "", " of the uploads during kernels" },
	{ "upload_ns", "", " of uploads in all", .all = "" },
	{ "upload_streams", "uploads on ", " streams" },
	{ "usual_clock", "", " elsewhere" },
	{ "usual_ns", "the others ", " on average" },
	{ "utilization", "GPU busy ", " of an iteration", .typical = " of a typical iteration",
	  .of_capture = true },
	{ "warmup_iterations", "", " iterations of warm-up" },
};

static const struct saying *saying_of(const char *name)
{
	for (size_t i = 0; i < DP_COUNT(sayings); i++)
		if (!strcmp(sayings[i].name, name))
			return &sayings[i];
	return NULL;
}

/*
 * The index of the plural "s" in the words, or their length if there is none: "of 30 slices" are
 * several, however many of them are counted.
 */
static size_t singular(const char *words)
{
	size_t i = 0;

	if (!strncmp(words, " of ", 4))
		return strlen(words);
	while (words[i] && (words[i] != 's' || (words[i + 1] && !strchr(" )", words[i + 1]))))
		i++;
	return i;
}

/* Adds the number with its words; joined: to the number before it. */
static void add_number(struct dp_words *words, const char *gap, const struct saying *saying,
		       const struct dp_evidence_value *at, bool joined, const char *after,
		       bool ascii)
{
	size_t plural = strlen(after);
	char value[DP_NUMBER_SIZE];

	dp_human__value(value, at->value, at->unit, ascii);
	if (at->value == 1 && !strcmp(at->unit, "count"))
		plural = singular(after);
	dp_words__add(words, "%s%s%s%s%.*s%s", joined ? saying->joint : gap,
		      joined ? "" : saying->before, value,
		      saying->ordinal ? dp_text__ordinal_ending((size_t)at->value) : "",
		      (int)plural, after, after[plural] ? after + plural + 1 : "");
}

static void add_call(struct dp_words *words, const struct dp_evidence_value *at, bool ascii)
{
	char call[DP_LABEL_SIZE];

	/* "(9 calls)" follows the name */
	if (at->call && strcmp(at->name, "calls") != 0)
		dp_words__add(words, " %s", dp_label__kernel(call, at->call, CALL_COLUMNS, ascii));
}

/* Adds a number with what it is a part of, by itself. */
static void add_alone(struct dp_words *words, const struct dp_evidence_value *at, bool ascii)
{
	const struct saying *saying = saying_of(at->name);
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];

	if (saying)
		add_number(words, "", saying, at, false, saying->after, ascii);
	else
		dp_words__add(words, "%s %s", dp_text__title(title, at->name),
			      dp_human__value(value, at->value, at->unit, ascii));
	add_call(words, at, ascii);
}

/* What a finding's cost is a part of: the period that it was measured with, else the mean. */
static double period_of(const struct dp_render *render, const struct dp_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (!strcmp(finding->evidence[i].name, DP_EVIDENCE_PERIOD))
			return finding->evidence[i].value;
	return dp_text__summary(render, finding->loop, "avg_period_ns");
}

bool dp_text__is_typical(const struct dp_render *render, const struct dp_finding *finding)
{
	return period_of(render, finding) <
	       (1 - SAME_PERIOD) * dp_text__summary(render, finding->loop, "avg_period_ns");
}

/* What the cost is a part of, in words. */
static const char *whole_of(const struct dp_render *render, const struct dp_finding *finding)
{
	if (finding->loop == DP_NONE)
		return dp_text__has_range(render) ? "of the range" : "of the capture";
	if (finding->single)
		return "of the iteration";
	if (dp_text__period_count(render, finding->loop) == 1)
		return dp_analysis_loop(render->analysis, finding->loop)->complete == 2
			       ? "of the only period recorded"
			       : "of the only steady period";
	return dp_text__is_typical(render, finding) ? "per typical iteration" : "per iteration";
}

double dp_text__cost_in_all(const struct dp_finding *finding)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (!strcmp(finding->evidence[i].name, "cost_ns"))
			return finding->evidence[i].value;
	return (double)NAN;
}

static bool is_same(double a, double b)
{
	return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

/*
 * Returns true if what is saved without a finding includes time that other findings cost, so that
 * it is no addition to theirs: a replay without launches also saves long waits for the host.
 */
static bool includes_others(const struct dp_render *render, const struct dp_finding *finding,
			    double saved_ns)
{
	const struct dp_finding *other;

	if (saved_ns <= (1 + SAME) * finding->recoverable_ns)
		return false;
	if (finding->overlaps)
		return true;
	for (size_t i = 0; (other = dp_analysis_finding(render->analysis, i)); i++)
		if (other != finding && dp_finding_concerns(other, finding->loop) &&
		    isfinite(other->predicted_ns) && isnan(dp_text__cost_in_all(other)))
			return true;
	return false;
}

/* What must keep up for a prediction: other GPUs of the trace, or ranks that it lacks. */
static const char *others_of(const struct dp_render *render, const struct dp_finding *finding)
{
	return finding->loop_count < dp_trace_device_count(dp_analysis_trace(render->analysis))
		       ? "GPUs"
		       : "ranks";
}

/*
 * Adds the predicted period without the finding, unless the cost implies it; if brief, only by how
 * much it is shorter, and nothing if others must keep up for that, which takes more room to say.
 */
static void add_prediction(struct dp_words *words, const struct dp_render *render,
			   const struct dp_finding *finding, bool brief)
{
	double saved = 1 - finding->predicted_ns / finding->predicted_from_ns;
	bool ascii = render->options->ascii;
	char time[DP_NUMBER_SIZE], share[DP_NUMBER_SIZE];
	const char *with = finding->predicted_with;

	if (!isfinite(saved) || (brief && finding->needs_others && saved >= LEAST_SAVED) ||
	    is_same(saved * finding->predicted_from_ns, finding->recoverable_ns))
		return;
	if (saved < LEAST_SAVED)
		dp_words__add(words, "; the period would stay the same without it");
	else if (brief)
		dp_words__add(words, "; without %s%s %s%s", with ? "this and " : "it",
			      with ? with : "", dp_number__sign(true, ascii),
			      dp_human__share(share, saved));
	else
		dp_words__add(words, "; without %s%s%s %s (%s%s%s)", with ? "this and " : "it",
			      with ? with : "", with ? "," : "",
			      dp_human__duration(time, finding->predicted_ns, ascii),
			      dp_number__sign(true, ascii), dp_human__share(share, saved),
			      !with && includes_others(render, finding,
						       saved * finding->predicted_from_ns)
				      ? ", since other waits end, too"
				      : "");
	if (finding->needs_others && saved >= LEAST_SAVED)
		dp_words__add(words, " if the other %s keep up", others_of(render, finding));
}

void dp_text__cost(struct dp_words *words, const struct dp_render *render,
		   const struct dp_finding *finding, bool brief)
{
	double share = finding->recoverable_ns / period_of(render, finding);
	double once_ns = dp_text__cost_in_all(finding);
	bool once = isfinite(once_ns), ascii = render->options->ascii;
	char number[DP_NUMBER_SIZE];

	if (!isfinite(finding->recoverable_ns)) {
		if (finding->evidence_count)
			add_alone(words, &finding->evidence[0], ascii);
		return;
	}
	if (once)
		dp_words__add(words, "costs %s in all",
			      dp_human__duration(number, once_ns, ascii));
	else
		dp_words__add(words, "costs %s%s%s",
			      dp_human__duration(number, finding->recoverable_ns, ascii),
			      brief ? "" : " ", brief ? "" : whole_of(render, finding));
	if (isfinite(share))
		dp_words__add(words, " (%s%s)", dp_human__share(number, share),
			      once ? " of the loop" : "");
	if (finding->overlaps)
		dp_words__add(words, ", part of it in %s", finding->overlaps);
	if (!once)
		add_prediction(words, render, finding, brief);
}

/*
 * Returns true for a number that would be shown as zero; a zero probability of chance is not left
 * out.
 */
static bool is_nothing(const struct dp_evidence_value *at)
{
	return fabs(at->value) < (strcmp(at->unit, "1") ? DBL_MIN : SAME_SHARE) &&
	       strcmp(at->name, "p") != 0;
}

static bool is_cost(const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = &finding->evidence[index];

	return !strcmp(at->unit, "ns") && is_same(at->value, finding->recoverable_ns);
}

/*
 * Returns true for the number of long gaps, or of iterations with some, if there is only one: the
 * longest gap is shown.
 */
static bool is_only_gap(const struct dp_finding *finding, const struct dp_evidence_value *at)
{
	return (!strcmp(at->name, "long_gaps") || !strcmp(at->name, "long_gap_iterations")) &&
	       at->value == 1 && finding->evidence != at;
}

/* Returns true if the cost implies a number, or it adds nothing to the cost. */
static bool is_shown(const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = &finding->evidence[index];

	if (!isfinite(at->value) || !strcmp(at->name, DP_EVIDENCE_PERIOD))
		return true;
	if (!isfinite(finding->recoverable_ns))
		return index == 0;
	if (is_nothing(at) || is_only_gap(finding, at))
		return true;
	return !strcmp(at->name, "share_of_period") || !strcmp(at->name, "waited_share") ||
	       !strcmp(at->name, "cost_ns") || !strcmp(at->name, "share_of_loop");
}

/* The first of the numbers that equal the cost: what the cost consists of. */
static size_t find_cost(const struct dp_finding *finding)
{
	const struct saying *saying;

	for (size_t i = 0; i < finding->evidence_count; i++) {
		saying = saying_of(finding->evidence[i].name);
		if (saying && saying->cost && !is_shown(finding, i) && is_cost(finding, i))
			return i;
	}
	return SIZE_MAX;
}

/* Returns true if a number is all of what it is a part of. */
static bool is_all(const struct saying *saying, const struct dp_finding *finding, size_t index)
{
	const struct dp_evidence_value *at = finding->evidence;

	if (!saying->of)
		return is_cost(finding, index);
	for (size_t i = 0; i < index; i++)
		if (!strcmp(at[i].name, saying->of))
			return strcmp(at[index].unit, "count")
				       ? is_same(at[i].value, at[index].value)
				       : fabs(at[i].value - at[index].value) < 0.5;
	return false;
}

/* Returns true if a number continues what the one before it is about. */
static bool continues(const struct dp_evidence_value *at)
{
	const struct saying *saying = saying_of(at->name);

	return saying && (saying->of || !strncmp(saying->after, " of it ", 7) ||
			  !strncmp(saying->after, " of that ", 9));
}

/* Adds the probability that a rise is chance. */
static void add_p(struct dp_words *words, const char *gap, double p)
{
	char number[DP_TEXT_SIZE];

	if (p < LEAST_P)
		dp_words__add(words, "%sp < %s", gap, dp_text__fixed(number, LEAST_P, 3));
	else
		dp_words__add(words, "%sp = %s", gap, dp_text__fixed(number, p, 3));
}

/* Returns true for a number without slow iterations if those change it, or the period. */
static bool leaves_out_slow(const struct dp_render *render, const struct dp_finding *finding,
			    const struct dp_evidence_value *at)
{
	double all = strstr(at->name, "interval_ns") ? dp_text__mean_interval(render, finding->loop)
						     : (double)NAN;

	return dp_text__is_typical(render, finding) || (isfinite(all) && !is_same(at->value, all));
}

/* The words after a number that is joined to none. */
static const char *after_of(const struct saying *saying, const struct dp_render *render,
			    const struct dp_finding *finding, const struct dp_evidence_value *at)
{
	if (saying->of_capture && finding->loop == DP_NONE)
		return dp_text__has_range(render) ? " of the range" : " of the capture";
	return saying->typical && leaves_out_slow(render, finding, at) ? saying->typical
								       : saying->after;
}

/* The words after a number that is joined to another. */
static const char *close_of(const struct saying *saying, const struct dp_finding *finding)
{
	return saying->mean && finding->loop != DP_NONE && !finding->single ? saying->mean
									    : saying->close;
}

/* Adds one number behind the others; last is the name of the one before. */
static void add_evidence(struct dp_words *words, const struct dp_render *render, const char *gap,
			 const struct dp_finding *finding, size_t index, size_t cost,
			 const char *last)
{
	bool ascii = render->options->ascii;
	const struct dp_evidence_value *at = &finding->evidence[index];
	const struct saying *saying = saying_of(at->name);

	if (!strcmp(at->name, "p")) {
		add_p(words, gap, at->value);
	} else if (!saying) {
		dp_words__add(words, "%s", gap);
		add_alone(words, at, ascii);
	} else if (index == cost) {
		dp_words__add(words, "%s", saying->cost);
		add_call(words, at, ascii);
	} else if (saying->all && is_all(saying, finding, index)) {
		if (*saying->all) {
			dp_words__add(words, "%s%s", gap, saying->all);
			add_call(words, at, ascii);
		}
	} else {
		bool joined = saying->behind && !strcmp(saying->behind, last);

		add_number(words, gap, saying, at, joined,
			   joined ? close_of(saying, finding)
				  : after_of(saying, render, finding, at),
			   ascii);
		add_call(words, at, ascii);
	}
}

const char *dp_text__outside(const struct dp_trace *trace)
{
	return dp_trace_calls(trace)->count && !dp_trace_ranges(trace)->count
		       ? "outside API calls"
		       : "outside operators";
}

/*
 * The '#' in "Optimizer.step#SGD.step" or "enumerate(DataLoader)#_Iter.__next__", behind which a
 * class follows, or an instance's number; NULL if there is none. Elsewhere '#' stands for numbers:
 * "layer_#_forward", "layer#_forward".
 */
static const char *find_class(const char *name)
{
	for (const char *at = name; (at = strchr(at, '#')); at++) {
		bool call = at > name && at[-1] == ')';

		if (at > name && (call || isalnum((unsigned char)at[-1])) &&
		    (isalnum((unsigned char)at[1]) || (call && at[1] == '_')))
			return at;
	}
	return NULL;
}

char *dp_text__range(char buf[DP_LABEL_SIZE], const struct dp_render *render, const char *name,
		     size_t columns)
{
	static const char autograd[] = "autograd::engine::evaluate_function: ";
	bool ascii = render->options->ascii;
	char text[DP_LABEL_SIZE];
	const char *class;

	if (!name[0])
		name = dp_text__outside(dp_analysis_trace(render->analysis));
	if (!strncmp(name, autograd, strlen(autograd)))
		name += strlen(autograd);
	class = find_class(name);
	if (!class)
		return dp_label__text(buf, name, columns, ascii);
	snprintf(text, sizeof(text), "%.*s", (int)DP_MIN((size_t)(class - name), sizeof(text) - 1),
		 name);
	return dp_label__text(buf, text, columns, ascii);
}

/*
 * The sum of the shares of all ranges with the label of one, 0 if an earlier one has it: labels do
 * not tell all ranges apart.
 */
static double labelled_share(char label[DP_LABEL_SIZE], const struct dp_render *render,
			     const struct dp_finding *finding, size_t range)
{
	char other[DP_LABEL_SIZE];
	double share = 0;

	dp_text__range(label, render, finding->ranges[range].name, RANGE_COLUMNS);
	for (size_t i = 0; i < finding->range_count; i++) {
		dp_text__range(other, render, finding->ranges[i].name, RANGE_COLUMNS);
		if (strcmp(other, label) != 0)
			continue;
		if (i < range)
			return 0;
		share += finding->ranges[i].share;
	}
	return share;
}

/*
 * Adds "mostly aten::conv2d 26%, Optimizer.zero_grad 20%": what the host did meanwhile, or where it
 * waited.
 */
static void add_ranges(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding)
{
	const char *lead = finding->activity == DP_HOST_SYNC ? "synchronizes in" : "mostly";
	char name[DP_LABEL_SIZE], text[DP_NUMBER_SIZE];

	for (size_t i = 0; i < finding->range_count; i++) {
		double share = labelled_share(name, render, finding, i);

		if (!(share > 0))
			continue;
		snprintf(text, sizeof(text), " %.0f%%", share * 100);
		dp_words__add(words, "%s%s%s%s%s", words->used ? ", " : "", i ? "" : lead,
			      i ? "" : " ", name, share < ALL_OF_IT ? text : "");
	}
}

/* What takes longer in slow iterations precedes the ranges, unless it is a cost. */
static bool leads_to_ranges(const char *name, bool costs)
{
	return !costs && !strncmp(name, "more_", strlen("more_"));
}

/* Returns true if the ranges come first. */
static bool begins_with_ranges(const struct dp_finding *finding, bool costs)
{
	for (size_t i = 0; i < finding->evidence_count; i++)
		if (leads_to_ranges(finding->evidence[i].name, costs))
			return false;
	return true;
}

/*
 * Returns true for what is never cut: calls and kernels, but the one that ends a gap, the part that
 * grows, and how many threads must take what is moved.
 */
static bool leads_to_advice(const struct dp_evidence_value *at)
{
	return (at->call && strcmp(at->name, "gap_before_ns") != 0) ||
	       strstr(at->name, "_rise_ns") || !strcmp(at->name, "moved_ns") ||
	       !strcmp(at->name, "threads");
}

void dp_text__evidence(struct dp_words *words, const struct dp_render *render,
		       const struct dp_finding *finding, size_t columns)
{
	size_t cost = find_cost(finding);
	const char *last = "";
	bool named = begins_with_ranges(finding, cost != SIZE_MAX), full = false;

	if (cost != SIZE_MAX) {
		add_evidence(words, render, "", finding, cost, cost, last);
		last = finding->evidence[cost].name;
	}
	if (named)
		add_ranges(words, render, finding);
	for (size_t i = 0; i < finding->evidence_count; i++) {
		size_t before = words->used;

		if (i == cost || is_shown(finding, i) ||
		    (full && !leads_to_advice(&finding->evidence[i])))
			continue;
		add_evidence(words, render,
			     !before				? ""
			     : continues(&finding->evidence[i]) ? ", "
								: "; ",
			     finding, i, cost, last);
		if (words->used != before)
			last = finding->evidence[i].name;
		if (!named && leads_to_ranges(last, cost != SIZE_MAX)) {
			add_ranges(words, render, finding);
			named = true;
			continue;
		}
		if (leads_to_advice(&finding->evidence[i]) ||
		    dp_label_width(words->text) <= columns)
			continue;
		words->text[before] = '\0';
		words->used = before;
		full = true;
	}
}
