/* Accessors of a finished trace. */
#include "trace/model.h"

static void free_all(const void *const *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)columns[i]);
}

/* Frees the events of the program. */
static void free_events(struct dp_trace *trace)
{
	const void *const columns[] = {
		trace->ops.start_ns,
		trace->ops.end_ns,
		trace->ops.bytes,
		trace->ops.name,
		trace->ops.stream,
		trace->ops.correlation,
		trace->ops.call,
		trace->ops.kind,
		trace->ops.copy_kind,
		trace->ops.src_kind,
		trace->ops.dst_kind,
		trace->ops.occupancy,
		trace->calls.start_ns,
		trace->calls.end_ns,
		trace->calls.name,
		trace->calls.thread,
		trace->calls.correlation,
		trace->calls.kind,
		trace->syncs.start_ns,
		trace->syncs.end_ns,
		trace->syncs.stream,
		trace->syncs.correlation,
		trace->syncs.kind,
		trace->syncs.source,
		trace->syncs.source_correlation,
		trace->syncs.event,
		trace->ranges.start_ns,
		trace->ranges.end_ns,
		trace->ranges.name,
		trace->ranges.thread,
		trace->ranges.kind,
		trace->memory.time_ns,
		trace->memory.delta_bytes,
		trace->memory.device,
		trace->collectives.start_ns,
		trace->collectives.end_ns,
		trace->collectives.bytes,
		trace->collectives.sequence,
		trace->collectives.stream,
		trace->collectives.thread,
		trace->collectives.name,
		trace->collectives.group,
		trace->collectives.group_size,
		trace->collectives.peer,
		trace->collectives.self,
	};

	free_all(columns, DP_COUNT(columns));
}

/* Frees the samples of devices and threads. */
static void free_samples(struct dp_trace *trace)
{
	const void *const columns[] = {
		trace->samples.time_ns,
		trace->samples.energy_mj,
		trace->samples.power_mw,
		trace->samples.clock_mhz,
		trace->samples.throttle,
		trace->samples.device,
		trace->activity.start_ns,
		trace->activity.end_ns,
		trace->activity.sm,
		trace->activity.tensor,
		trace->activity.dram,
		trace->activity.device,
		trace->cpu_samples.time_ns,
		trace->cpu_samples.run_ns,
		trace->cpu_samples.wait_ns,
		trace->cpu_samples.faults,
		trace->cpu_samples.thread,
		trace->off_cpu.start_ns,
		trace->off_cpu.end_ns,
		trace->off_cpu.thread,
		trace->off_cpu.kind,
		trace->function_samples.time_ns,
		trace->function_samples.length_ns,
		trace->function_samples.function,
		trace->function_samples.thread,
		trace->throttling.time_ns,
		trace->throttling.throttled_ns,
		trace->throttling.process,
	};

	free_all(columns, DP_COUNT(columns));
}

struct dp_trace *dp_trace__retain(const struct dp_trace *trace)
{
	struct dp_trace *owned = (struct dp_trace *)trace;

	atomic_fetch_add(&owned->more_owners, 1);
	return owned;
}

void dp_trace_free(struct dp_trace *trace)
{
	if (!trace || atomic_fetch_sub(&trace->more_owners, 1))
		return;
	free_events(trace);
	free_samples(trace);
	dp_strings__fini(&trace->strings);
	for (size_t i = 0; i < trace->loss_count; i++)
		free((char *)trace->losses[i].reason);
	free(trace->losses);
	free(trace->pauses);
	free(trace->stream_ops);
	free(trace->stream_first);
	free(trace->streams);
	free(trace->devices);
	free(trace->processes);
	free(trace->threads);
	free(trace->path);
	free(trace->format);
	free(trace);
}

const char *dp_stream_class_name(enum dp_stream_class stream_class)
{
	switch (stream_class) {
	case DP_STREAM_MAIN:
		return "main";
	case DP_STREAM_COPY:
		return "copy";
	case DP_STREAM_ASSIST:
		break;
	}
	return "assist";
}

const char *dp_trace_format(const struct dp_trace *trace)
{
	return trace->format;
}

const char *dp_trace_path(const struct dp_trace *trace)
{
	return trace->path;
}

const char *dp_trace_format_detail(const struct dp_trace *trace)
{
	return trace->detail;
}

const struct dp_ops *dp_trace_ops(const struct dp_trace *trace)
{
	return &trace->ops;
}

const struct dp_calls *dp_trace_calls(const struct dp_trace *trace)
{
	return &trace->calls;
}

const struct dp_syncs *dp_trace_syncs(const struct dp_trace *trace)
{
	return &trace->syncs;
}

const struct dp_collectives *dp_trace_collectives(const struct dp_trace *trace)
{
	return &trace->collectives;
}

const struct dp_ranges *dp_trace_ranges(const struct dp_trace *trace)
{
	return &trace->ranges;
}

const struct dp_memory *dp_trace_memory(const struct dp_trace *trace)
{
	return &trace->memory;
}

const struct dp_samples *dp_trace_samples(const struct dp_trace *trace)
{
	return &trace->samples;
}

const struct dp_activity *dp_trace_activity(const struct dp_trace *trace)
{
	return &trace->activity;
}

const struct dp_cpu_samples *dp_trace_cpu_samples(const struct dp_trace *trace)
{
	return &trace->cpu_samples;
}

const struct dp_off_cpu *dp_trace_off_cpu(const struct dp_trace *trace)
{
	return &trace->off_cpu;
}

const struct dp_function_samples *dp_trace_function_samples(const struct dp_trace *trace)
{
	return &trace->function_samples;
}

const struct dp_throttling *dp_trace_throttling(const struct dp_trace *trace)
{
	return &trace->throttling;
}

const uint32_t *dp_trace_stream_ops(const struct dp_trace *trace, size_t stream, size_t *count)
{
	if (stream >= trace->stream_count) {
		*count = 0;
		return NULL;
	}
	*count = trace->stream_first[stream + 1] - trace->stream_first[stream];
	return trace->stream_ops + trace->stream_first[stream];
}

const char *dp_trace_string(const struct dp_trace *trace, uint32_t id)
{
	return dp_strings__get(&trace->strings, id);
}

size_t dp_trace_string_count(const struct dp_trace *trace)
{
	return trace->strings.count;
}

size_t dp_trace_stream_count(const struct dp_trace *trace)
{
	return trace->stream_count;
}

const struct dp_stream *dp_trace_stream(const struct dp_trace *trace, size_t index)
{
	return index < trace->stream_count ? &trace->streams[index] : NULL;
}

size_t dp_trace_device_count(const struct dp_trace *trace)
{
	return trace->device_count;
}

const struct dp_device *dp_trace_device(const struct dp_trace *trace, size_t index)
{
	return index < trace->device_count ? &trace->devices[index] : NULL;
}

size_t dp_trace_gpu_count(const struct dp_trace *trace)
{
	return trace->gpu_count;
}

size_t dp_trace_process_count(const struct dp_trace *trace)
{
	return trace->process_count;
}

const struct dp_process *dp_trace_process(const struct dp_trace *trace, size_t index)
{
	return index < trace->process_count ? &trace->processes[index] : NULL;
}

size_t dp_trace_thread_count(const struct dp_trace *trace)
{
	return trace->thread_count;
}

const struct dp_thread *dp_trace_thread(const struct dp_trace *trace, size_t index)
{
	return index < trace->thread_count ? &trace->threads[index] : NULL;
}

size_t dp_trace_loss_count(const struct dp_trace *trace)
{
	return trace->loss_count;
}

const struct dp_loss *dp_trace_loss(const struct dp_trace *trace, size_t index)
{
	return index < trace->loss_count ? &trace->losses[index] : NULL;
}

uint64_t dp_trace_lost(const struct dp_trace *trace)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < trace->loss_count; i++)
		if (__builtin_add_overflow(lost, trace->losses[i].records, &lost))
			return UINT64_MAX;
	return lost;
}

bool dp_trace_lost_known(const struct dp_trace *trace)
{
	for (size_t i = 0; i < trace->loss_count; i++)
		if (!trace->losses[i].records)
			return false;
	return true;
}

const struct dp_fact *dp_trace_fact(const struct dp_trace *trace, size_t index)
{
	return index < trace->fact_count ? &trace->facts[index] : NULL;
}

uint64_t dp_trace_clamped(const struct dp_trace *trace)
{
	return trace->clamped;
}

bool dp_trace_t0(const struct dp_trace *trace, int64_t *t0_ns)
{
	if (trace->t0_known)
		*t0_ns = trace->t0_ns;
	return trace->t0_known;
}

int64_t dp_trace_source_zero(const struct dp_trace *trace)
{
	return trace->source_zero_ns;
}

int64_t dp_trace_duration_ns(const struct dp_trace *trace)
{
	return trace->duration_ns;
}

int64_t dp_trace_resolution_ns(const struct dp_trace *trace)
{
	return trace->resolution_ns;
}
