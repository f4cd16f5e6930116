/*
 * What an iteration uses: calls of its launching threads; device memory that the program keeps, and
 * the host's time for allocating and freeing it; energy; the device's units, by hardware counters
 * (record --gpu-metrics); the host's processors.
 */
#include "activity/cpu_time.h"
#include "activity/samples.h"
#include "metric/family.h"

#include <math.h>

static int compute_memory(double *values, const struct dp_metric_input *input,
			  const struct dp_metric *row, struct dp_error *error)
{
	return dp_memory__fill(values, input->timeline, input->iterations, input->count,
			       (enum dp_memory_state)row->which, error);
}

static int compute_samples(double *values, const struct dp_metric_input *input,
			   const struct dp_metric *row, struct dp_error *error)
{
	return dp_samples__fill(values, input->timeline, input->iterations, input->count,
				(enum dp_sampled)row->which, error);
}

static int compute_power(double *values, const struct dp_metric_input *input,
			 const struct dp_metric *row, struct dp_error *error)
{
	int status = compute_samples(values, input, row, error);

	for (size_t k = 0; k < input->count && !status; k++)
		values[k] /= dp_metric__period_ns(input, k) / 1e9;
	return status;
}

static int compute_cpu(double *values, const struct dp_metric_input *input,
		       const struct dp_metric *row, struct dp_error *error)
{
	return dp_cpu__fill(values, input->timeline, input->iterations, input->count,
			    (enum dp_cpu_state)row->which, error);
}

/* The rest of the period. */
static int compute_cpu_blocked(double *values, const struct dp_metric_input *input,
			       const struct dp_metric *row, struct dp_error *error)
{
	static const enum dp_cpu_state states[] = { DP_CPU_RUN, DP_CPU_WAIT, DP_CPU_FAULT };
	int status = DP_OK;

	for (size_t k = 0; k < input->count; k++)
		values[k] = dp_metric__period_ns(input, k);
	for (size_t i = 0; i < DP_COUNT(states) && !status; i++) {
		status = dp_cpu__fill(input->scratch, input->timeline, input->iterations,
				      input->count, states[i], error);
		for (size_t k = 0; k < input->count && !status; k++)
			if (states[i] != DP_CPU_FAULT || !isnan(input->scratch[k]))
				values[k] = values[k] > input->scratch[k]
						    ? values[k] - input->scratch[k]
						    : 0 * input->scratch[k];
	}
	return status;
}

static const struct dp_metric rows[] = {
	{ DP_AVERAGED("host_launch_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "time of the launching threads in launch calls"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_HOST_LAUNCH },
	{ DP_AVERAGED("host_sync_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "time of the launching threads in synchronizing calls"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_HOST_SYNC },
	{ DP_AVERAGED("host_copy_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "time of the launching threads in copy calls"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_HOST_COPY },
	{ DP_AVERAGED("host_other_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "time of the launching threads in other GPU API calls"),
	  dp_metric__parts, DP_FORM_PART, DP_PART_HOST_OTHER },
	{ DP_AVERAGED("host_outside_ns", "ns", DP_BETTER_NEITHER, DP_NEED_LAUNCHES,
		      "time in which no launching thread is in a GPU API call"),
	  dp_metric__parts, DP_FORM_REST, DP_PART_HOST_CALLS },
	{ DP_SUMMARIZED("live_bytes", "bytes", DP_BETTER_LOWER, DP_NEED_MEMORY,
			"device memory allocated in the trace and not freed by the end of the "
			"iteration",
			"max_live_bytes", "largest live_bytes", DP_OVER_ALL, dp_metric__max),
	  compute_memory, .which = DP_MEMORY_LIVE, .reads = DP_READS_TIMELINE },
	{ DP_SUMMARIZED("peak_bytes", "bytes", DP_BETTER_LOWER, DP_NEED_MEMORY,
			"maximum of live device memory in the period", "max_peak_bytes",
			"largest peak_bytes", DP_OVER_ALL, dp_metric__max),
	  compute_memory, .which = DP_MEMORY_PEAK, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("allocations", "count", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "number of device memory allocations in the period"),
	  compute_memory, .which = DP_MEMORY_ALLOCATIONS, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("frees", "count", DP_BETTER_LOWER, DP_NEED_LAUNCHES,
		      "times that device memory was freed in the period"),
	  compute_memory, .which = DP_MEMORY_FREES, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("energy_J", "J", DP_BETTER_LOWER, DP_NEED_SAMPLES,
		      "energy that the device used in the period"),
	  compute_samples, .which = DP_SAMPLED_JOULES, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("power_W", "W", DP_BETTER_LOWER, DP_NEED_SAMPLES,
		      "mean power of the device in the period"),
	  compute_power, .which = DP_SAMPLED_JOULES, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("clock_MHz", "MHz", DP_BETTER_HIGHER, DP_NEED_SAMPLES,
		      "mean clock of the device's multiprocessors in the period"),
	  compute_samples, .which = DP_SAMPLED_CLOCK, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("throttled", "1", DP_BETTER_LOWER, DP_NEED_SAMPLES,
		      "share of the period in which heat or power reduced the clocks"),
	  compute_samples, .which = DP_SAMPLED_THROTTLED, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("sm_active", "1", DP_BETTER_HIGHER, DP_NEED_ACTIVITY,
		      "share of the period in which a multiprocessor had work, averaged over all"),
	  compute_samples, .which = DP_SAMPLED_SM, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("tensor_active", "1", DP_BETTER_HIGHER, DP_NEED_ACTIVITY,
		      "throughput of the tensor cores in the period, as a share of their peak"),
	  compute_samples, .which = DP_SAMPLED_TENSOR, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("dram_active", "1", DP_BETTER_NEITHER, DP_NEED_ACTIVITY,
		      "throughput of device memory in the period, as a share of its peak"),
	  compute_samples, .which = DP_SAMPLED_DRAM, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("cpu_run_ns", "ns", DP_BETTER_NEITHER, DP_NEED_HOST,
		      "time that the launching threads ran on the host's processors, summed over "
		      "them"),
	  compute_cpu, .which = DP_CPU_RUN, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("cpu_wait_ns", "ns", DP_BETTER_LOWER, DP_NEED_HOST,
		      "time that the launching threads were runnable but not running, summed over "
		      "them"),
	  compute_cpu, .which = DP_CPU_WAIT, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("cpu_blocked_ns", "ns", DP_BETTER_NEITHER, DP_NEED_HOST,
		      "rest of the period, in which no launching thread ran or waited for a "
		      "processor or a page"),
	  compute_cpu_blocked, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("cpu_fault_ns", "ns", DP_BETTER_LOWER, DP_NEED_HOST,
		      "time that the launching threads waited for pages to be read from disk, "
		      "summed over them"),
	  compute_cpu, .which = DP_CPU_FAULT, .reads = DP_READS_TIMELINE },
	{ DP_AVERAGED("cpu_throttled_ns", "ns", DP_BETTER_LOWER, DP_NEED_HOST,
		      "time that the cgroup was throttled by its CPU limit (cpu.max), summed over "
		      "processors"),
	  compute_cpu, .which = DP_CPU_THROTTLED, .reads = DP_READS_TIMELINE },
};

const struct dp_metric_family dp_family__resources = { rows, DP_COUNT(rows) };
