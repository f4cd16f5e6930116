/*
 * The words around the numbers of findings. A new kind of evidence needs a row here; without one it
 * is shown with its name.
 */
#include "report/text_sayings.h"

#include <string.h>

#define CALL_COLUMNS 40

static const struct dp_saying sayings[] = {
	{ "all_intervals", "of ", " iterations", .behind = "long_intervals", .joint = " of ",
	  .close = "", .of = "long_intervals", .all = "" },
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
	{ "compute_rise_ns", "compute by ", " over the run", .of = "rise_ns",
	  .all = "all of it compute" },
	{ "communication_rise_ns", "communication by ", " over the run", .of = "rise_ns",
	  .all = "all of it communication" },
	{ "copy_rise_ns", "copies by ", " over the run", .of = "rise_ns",
	  .all = "all of it copies" },
	{ "device_copy_rise_ns", "device-to-device copies by ", " over the run", .of = "rise_ns",
	  .all = "all of it device-to-device copies" },
	{ "host_rise_ns", "host wait by ", " over the run", .of = "rise_ns",
	  .all = "all of it host wait" },
	{ "input_rise_ns", "input wait by ", " over the run", .of = "rise_ns",
	  .all = "all of it input wait" },
	{ "upload_rise_ns", "uploads by ", " over the run", .of = "rise_ns",
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
	{ "excess_idle_ns", "", " more idle than is typical", .behind = "parts_of_30",
	  .joint = ", ", .close = " more idle time in all than is typical" },
	{ "extra_kernel_ns", "", " of it in", .of = "extra_ns", .all = "all of it in" },
	{ "extra_kernels", "", " extra kernels" },
	{ "extra_ns", "", " longer" },
	{ "gap_before_ns", "longest gap ", " before" },
	{ "gap_call_ns", "", " of it in", .of = "longest_gap_ns", .all = "all of it in" },
	{ "d2h_bytes", "", " downloaded" },
	{ "h2d_bandwidth", "uploads at ", "", .behind = "h2d_bytes", .joint = " at ", .close = "" },
	{ "h2d_bytes", "", " uploaded" },
	{ "host_copy_ns", "host in copy calls for ", "", .behind = "host_sync_ns", .joint = ", ",
	  .close = " in copy calls" },
	{ "host_stall_ns", "", " of it in gaps of at least 1% of the period", .of = "host_wait_ns",
	  .all = "all of it in gaps of at least 1% of the period" },
	{ "host_sync_ns", "host blocked in synchronizing calls for ", "" },
	{ "idle_after_sync_ns", "", " of it after waiting for the GPU", .of = "host_wait_ns",
	  .all = "all of it after waiting for the GPU" },
	{ "idle_ns", "", " of idle GPU time", .cost = "idle GPU time" },
	{ "idle_rise_ns", "idle time by ", " over the run", .of = "rise_ns", .all = "" },
	{ "host_wait_ns", "", " of host wait", .cost = "host wait" },
	{ "idle_host_ns", "", " of host and input wait in all", .of = "input_wait_ns", .all = "" },
	{ "input_wait_ns", "", " of input wait", .cost = "input wait" },
	{ "interval_ns", "", " between iterations", .cost = "between iterations",
	  .typical = " between typical iterations" },
	{ "kernel_ns", "", " of it in", .all = "in" },
	{ "kernel_rise_ns", "", " per iteration in", .of = "rise_per_iteration_ns",
	  .all = "all of it in" },
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
	{ "more_idle_copy_ns", "", " more in copy calls", .of = "extra_ns",
	  .all = "all of it in copy calls" },
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
	{ "other_idle_ns", "", " more idle, in shorter gaps throughout", .behind = "parts_of_30",
	  .joint = "; idle for another ", .close = " elsewhere" },
	{ "others_ns", "another GPU takes ",
	  ", including its launches, even if it waits for no other" },
	{ "outside_ns", "", " outside API calls, in which the host works or waits" },
	{ "outside_calls_ns", "", " outside API calls", .of = "cost_ns",
	  .all = "all of it outside API calls" },
	{ "operation_gap_ns", "", " between operations" },
	{ "overlap", "", " of it uploads" },
	{ "pageable_copy_ns", "", " in pageable copies", .cost = "in pageable copies" },
	{ "pageable_share", "", " of the bytes pageable" },
	{ "parts_of_30", "GPU over 50% idle in ", " of 30 equal time slices" },
	{ "peak_bytes", "", " at most" },
	{ "period_rise_ns", "the period by ", " over the run", .of = "rise_ns", .all = "" },
	{ "power", "", " drawn" },
	{ "queue_depth", "", " in the queue" },
	{ "queue_empty", "queue empty ", " of the time" },
	{ "range_rise_ns", "", " per iteration in", .of = "rise_per_iteration_ns",
	  .all = "all of it in" },
	{ "repeated_upload_ns", "", " of uploads of the same sizes, perhaps of the same data",
	  .cost = "uploads of the same sizes, perhaps of the same data" },
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
	{ "slow_groups", "", " groups", .behind = "slow_iterations", .joint = " in ",
	  .close = " groups" },
	{ "group_every", "every ", " iterations", .behind = "slow_groups", .joint = ", one every ",
	  .close = " iterations" },
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

const struct dp_saying *dp_saying__of(const char *name)
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

void dp_saying__add(struct dp_words *words, const char *gap, const struct dp_saying *saying,
		    const struct dp_evidence_value *at, bool joined, const char *after, bool ascii)
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

void dp_saying__add_call(struct dp_words *words, const struct dp_evidence_value *at, bool ascii)
{
	char call[DP_LABEL_SIZE];

	/* "(9 calls)" follows the name */
	if (at->call && strcmp(at->name, "calls") != 0)
		dp_words__add(words, " %s", dp_label__kernel(call, at->call, CALL_COLUMNS, ascii));
}

void dp_saying__add_alone(struct dp_words *words, const struct dp_evidence_value *at, bool ascii)
{
	const struct dp_saying *saying = dp_saying__of(at->name);
	char title[DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];

	if (saying)
		dp_saying__add(words, "", saying, at, false, saying->after, ascii);
	else
		dp_words__add(words, "%s %s", dp_text__title(title, at->name),
			      dp_human__value(value, at->value, at->unit, ascii));
	dp_saying__add_call(words, at, ascii);
}
