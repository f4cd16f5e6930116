/*
 * A device's activity in a period: unions of operations on all of its streams. Delestrac (table
 * 4.1) has two utilizations: that of time, and the aggregate one, a sum. Copies cost the time they
 * run alone, communication the time that no computation overlaps (HTA).
 */
#include "metric/family.h"

#include <math.h>

/* The intersection of unions a and b is |a| + |b| - |a or b|. */
static int compute_comm_overlap(double *values, const struct dp_metric_input *input,
				const struct dp_metric *row, struct dp_error *error)
{
	dp_metric__parts(values, input, row, error);
	for (size_t k = 0; k < input->count; k++) {
		double comm_ns = values[k];

		values[k] += dp_parts__get(&input->parts, DP_PART_COMPUTE, k) -
			     dp_parts__get(&input->parts, DP_PART_KERNELS, k);
		values[k] = comm_ns > 0 ? values[k] / comm_ns : (double)NAN;
	}
	return DP_OK;
}

static const struct dp_metric rows[] = {
	{ DP_AVERAGED("busy_ns", "ns", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "time of the period in which the device runs any operation"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_BUSY },
	{ DP_AVERAGED("idle_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time of the period in which the device is idle"),
	  dp_metric__parts, DP_FORM_REST, DP_PART_BUSY },
	{ DP_AVERAGED("utilization", "1", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "share of the period in which the device runs any operation"),
	  dp_metric__parts, DP_FORM_SHARE, DP_PART_BUSY },
	{ DP_AVERAGED("utilization_sum", "1", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "sum of kernel durations divided by the period; above 1 if streams overlap"),
	  dp_metric__parts, DP_FORM_SHARE, DP_PART_KERNEL_SUM },
	{ DP_AVERAGED("compute_ns", "ns", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "time in which kernels other than communication run"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_COMPUTE },
	{ DP_AVERAGED("copy_ns", "ns", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "time in which copies or memsets run"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_COPY },
	{ DP_AVERAGED("copy_exposed_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time in which copies or memsets run and no kernel does"),
	  dp_metric__parts, DP_FORM_WITHOUT, DP_PART_BUSY, DP_PART_KERNELS },
	{ DP_AVERAGED("comm_ns", "ns", DP_BETTER_NEITHER, DP_NEED_NOTHING,
		      "time in which communication kernels run (NCCL, RCCL, HCCL)"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_COMM },
	{ DP_AVERAGED("comm_exposed_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time in which communication kernels run and no other kernel does"),
	  dp_metric__parts, DP_FORM_WITHOUT, DP_PART_KERNELS, DP_PART_COMPUTE },
	{ DP_AVERAGED("comm_overlap", "1", DP_BETTER_HIGHER, DP_NEED_NOTHING,
		      "share of communication time in which other kernels run as well"),
	  compute_comm_overlap, DP_FORM_PART, DP_PART_COMM },

	/* idle time by cause (activity/gaps.c): these five sum up to idle_ns */
	{ DP_AVERAGED("idle_host_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time until the next launch and its latency were over, except "
		      "idle_sync_ns and idle_copy_ns"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_IDLE_HOST },
	{ DP_AVERAGED("idle_sync_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time until the next launch started, while the launching threads "
		      "waited for the device"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_IDLE_SYNC },
	{ DP_AVERAGED("idle_copy_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time while the launching threads were in copy calls"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_IDLE_COPY },
	{ DP_AVERAGED("idle_launch_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time in gaps under 30 microseconds whose next operation was already "
		      "launched"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_IDLE_LAUNCH },
	{ DP_AVERAGED("idle_other_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "other idle time: 30 microseconds or more after the next operation was "
		      "launched, or without a known launch"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_IDLE_OTHER },
	/* parts of it in other respects */
	{ DP_AVERAGED("short_gaps_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "idle time in gaps under 30 microseconds"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_SHORT_GAPS },
	{ DP_AVERAGED("longest_gap_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "longest gap of the device that starts in the period"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_LONGEST_GAP },
	{ DP_AVERAGED("call_stall_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "part of idle_host_ns in calls of the launching threads that allocate, "
		      "free, load code or do anything but launch, wait or copy"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_CALL_STALL },
	{ DP_AVERAGED("host_stall_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle_host_ns in gaps of at least 1% of the period"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_HOST_STALL },
	{ DP_AVERAGED("input_wait_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time until the host launched the upload that ended it, except "
		      "call_stall_ns; if less than 4 KiB is uploaded before the next kernel, only "
		      "the time in ranges that fetch input (DataLoader, IteratorGetNext)"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_INPUT_WAIT },
	{ DP_AVERAGED("host_wait_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle_host_ns without input_wait_ns"),
	  dp_metric__parts, DP_FORM_WITHOUT, DP_PART_IDLE_HOST, DP_PART_INPUT_WAIT },
	{ DP_AVERAGED("sync_lost_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "idle time inside the iteration that started while the host waited for the "
		      "device, up to what the wait explains"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_SYNC_LOST },
	{ DP_AVERAGED("idle_after_sync_ns", "ns", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "part of idle_host_ns that follows a wait of the host for the device, up to "
		      "the length of that wait, during which it could have launched"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_AFTER_SYNC },
	/* copies that no kernel overlaps */
	{ DP_AVERAGED("upload_exposed_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time in which uploads run and no kernel does"),
	  dp_metric__parts, DP_FORM_WITHOUT, DP_PART_FED, DP_PART_KERNELS },
	{ DP_AVERAGED("d2d_exposed_ns", "ns", DP_BETTER_LOWER, DP_NEED_NOTHING,
		      "time in which copies within the device run and no kernel does"),
	  dp_metric__parts, DP_FORM_WITHOUT, DP_PART_MOVED, DP_PART_KERNELS },
};

const struct dp_metric_family dp_family__device_time = { rows, DP_COUNT(rows) };
