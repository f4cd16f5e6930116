/* Samples of the host's processors, and of the devices' units. */
#include "trace/builder_model.h"

#include <string.h>

/* A file may claim any sum; one that no thread can have counts as not recorded. */
static int64_t good_sum(int64_t sum)
{
	return sum >= 0 && sum < DP_TIME_LIMIT ? sum : -1;
}

int dp_builder__add_cpu_sample(struct dp_builder *builder, const struct dp_cpu_sample *sample)
{
	struct dp_columns *rows = &builder->cpu_samples;
	int64_t end_ns = sample->time_ns, run_ns = good_sum(sample->run_ns);
	size_t at = rows->count;

	if (run_ns < 0 || sample->thread >= builder->thread_count ||
	    !dp_builder__push(builder, rows, sample->time_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, CPU_TIME, at) = sample->time_ns;
	DP_CELL(rows, int64_t, CPU_RUN, at) = run_ns;
	DP_CELL(rows, int64_t, CPU_WAIT, at) = good_sum(sample->wait_ns);
	DP_CELL(rows, int64_t, CPU_FAULTS, at) = good_sum(sample->faults);
	DP_CELL(rows, uint32_t, CPU_THREAD, at) = sample->thread;
	return DP_OK;
}

int dp_builder__add_off_cpu(struct dp_builder *builder, const struct dp_off *off)
{
	struct dp_columns *rows = &builder->off_cpu;
	int64_t end_ns = off->end_ns;
	size_t at = rows->count;

	if (off->thread >= builder->thread_count ||
	    !dp_builder__push(builder, rows, off->start_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, OFF_START, at) = off->start_ns;
	DP_CELL(rows, int64_t, OFF_END, at) = end_ns;
	DP_CELL(rows, uint32_t, OFF_THREAD, at) = off->thread;
	DP_CELL(rows, uint8_t, OFF_KIND, at) = (uint8_t)off->kind;
	return DP_OK;
}

int dp_builder__add_function_sample(struct dp_builder *builder,
				    const struct dp_function_sample *sample)
{
	struct dp_columns *rows = &builder->function_samples;
	int64_t end_ns = sample->time_ns;
	size_t at = rows->count;

	if (sample->thread >= builder->thread_count ||
	    !dp_builder__push(builder, rows, sample->time_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, FUNCTION_TIME, at) = sample->time_ns;
	DP_CELL(rows, uint32_t, FUNCTION_LENGTH, at) = sample->length_ns;
	DP_CELL(rows, uint32_t, FUNCTION_NAME, at) = sample->function;
	DP_CELL(rows, uint32_t, FUNCTION_THREAD, at) = sample->thread;
	return DP_OK;
}

int dp_builder__add_throttling(struct dp_builder *builder, int64_t time_ns, uint32_t process,
			       int64_t throttled_ns)
{
	struct dp_columns *rows = &builder->throttling;
	int64_t end_ns = time_ns;
	size_t at = rows->count;

	if (good_sum(throttled_ns) < 0 || process >= builder->process_count ||
	    !dp_builder__push(builder, rows, time_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, THROTTLING_TIME, at) = time_ns;
	DP_CELL(rows, int64_t, THROTTLING_NS, at) = throttled_ns;
	DP_CELL(rows, uint32_t, THROTTLING_PROCESS, at) = process;
	return DP_OK;
}

int dp_builder__add_activity(struct dp_builder *builder, const struct dp_unit_activity *activity)
{
	struct dp_columns *rows = &builder->activity;
	int64_t end_ns = activity->end_ns;
	size_t at = rows->count;

	if (activity->device >= builder->device_count ||
	    !dp_builder__push(builder, rows, activity->start_ns, &end_ns))
		return builder->status;
	DP_CELL(rows, int64_t, ACTIVITY_START, at) = activity->start_ns;
	DP_CELL(rows, int64_t, ACTIVITY_END, at) = end_ns;
	DP_CELL(rows, uint32_t, ACTIVITY_SM, at) = activity->sm;
	DP_CELL(rows, uint32_t, ACTIVITY_TENSOR, at) = activity->tensor;
	DP_CELL(rows, uint32_t, ACTIVITY_DRAM, at) = activity->dram;
	DP_CELL(rows, uint32_t, ACTIVITY_DEVICE, at) = activity->device;
	return DP_OK;
}

void dp_trace__take_host(struct dp_trace *trace, struct dp_builder *builder)
{
	void **d = builder->cpu_samples.data;

	trace->cpu_samples = (struct dp_cpu_samples){ builder->cpu_samples.count,
						      d[CPU_TIME],
						      d[CPU_RUN],
						      d[CPU_WAIT],
						      d[CPU_FAULTS],
						      d[CPU_THREAD] };
	d = builder->off_cpu.data;
	trace->off_cpu = (struct dp_off_cpu){ builder->off_cpu.count, d[OFF_START], d[OFF_END],
					      d[OFF_THREAD], d[OFF_KIND] };
	d = builder->function_samples.data;
	trace->function_samples = (struct dp_function_samples){
		builder->function_samples.count, d[FUNCTION_TIME], d[FUNCTION_LENGTH],
		d[FUNCTION_NAME], d[FUNCTION_THREAD]
	};
	d = builder->throttling.data;
	trace->throttling = (struct dp_throttling){ builder->throttling.count,
						    d[THROTTLING_TIME], d[THROTTLING_NS],
						    d[THROTTLING_PROCESS] };
	d = builder->activity.data;
	trace->activity = (struct dp_activity){ builder->activity.count, d[ACTIVITY_START],
						d[ACTIVITY_END],	 d[ACTIVITY_SM],
						d[ACTIVITY_TENSOR],	 d[ACTIVITY_DRAM],
						d[ACTIVITY_DEVICE] };
	memset(builder->activity.data, 0, sizeof(builder->activity.data));
	memset(builder->cpu_samples.data, 0, sizeof(builder->cpu_samples.data));
	memset(builder->off_cpu.data, 0, sizeof(builder->off_cpu.data));
	memset(builder->function_samples.data, 0, sizeof(builder->function_samples.data));
	memset(builder->throttling.data, 0, sizeof(builder->throttling.data));
}
