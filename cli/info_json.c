/* What a trace holds, for programs. Keys are those of the report's schema where it has them. */
#include "info.h"
#include "json.h"

/* -1 stands for an identifier that the trace does not tell. */
static void write_id(struct json *json, const char *key, int64_t id)
{
	if (id < 0)
		json_put_null(json, key);
	else
		json_put_integer(json, key, id);
}

static void write_name(struct json *json, const struct info *info, uint32_t name)
{
	json_put_text(json, "name", name == DP_NONE ? NULL : dp_trace_string(info->trace, name));
}

/* null where a loss is of nobody knows how many records, as in a report. */
static void write_lost(struct json *json, const struct dp_trace *trace)
{
	if (dp_trace_lost_known(trace))
		json_put_count(json, "lost", dp_trace_lost(trace));
	else
		json_put_null(json, "lost");
}

static void write_losses(struct json *json, const struct info *info)
{
	const struct dp_loss *loss;

	json_open(json, "losses", '[');
	for (size_t i = 0; (loss = dp_trace_loss(info->trace, i)); i++) {
		json_open(json, NULL, '{');
		json_put_text(json, "reason", loss->reason);
		if (loss->records)
			json_put_count(json, "records", loss->records);
		else
			json_put_null(json, "records");
		if (loss->offset)
			json_put_count(json, "offset", loss->offset);
		else
			json_put_null(json, "offset");
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_facts(struct json *json, const struct dp_trace *trace)
{
	const struct dp_fact *fact;

	json_open(json, "facts", '{');
	for (size_t i = 0; (fact = dp_trace_fact(trace, i)); i++)
		json_put_text(json, fact->name, fact->value);
	json_close(json, '}');
}

static void write_pauses(struct json *json, const struct dp_trace *trace)
{
	const struct dp_pause *pause;

	json_open(json, "pauses", '[');
	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++) {
		json_open(json, NULL, '{');
		write_id(json, "pid", dp_trace_process(trace, pause->process)->pid);
		json_put_integer(json, "start_ns", pause->start_ns);
		json_put_integer(json, "end_ns", pause->end_ns);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_devices(struct json *json, const struct info *info)
{
	const struct dp_device *device;

	json_open(json, "devices", '[');
	for (size_t i = 0; (device = dp_trace_device(info->trace, i)); i++) {
		json_open(json, NULL, '{');
		write_id(json, "id", device->id);
		write_name(json, info, device->name);
		json_put_text(json, "uuid",
			  device->uuid == DP_NONE ? NULL
						  : dp_trace_string(info->trace, device->uuid));
		json_put_count(json, "process", device->process);
		if (device->total_bytes)
			json_put_count(json, "total_bytes", device->total_bytes);
		else
			json_put_null(json, "total_bytes");
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_hints(struct json *json, const struct dp_trace *trace)
{
	json_open(json, "hints", '[');
	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *hint = dp_trace_need(trace, (enum dp_need)need);

		if (!hint || !dp_trace_lacks(trace, (enum dp_need)need))
			continue;
		json_open(json, NULL, '{');
		json_put_text(json, "lacks", hint->what);
		json_put_text(json, "gives", hint->gives);
		json_put_text(json, "record", hint->record);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_trace(struct json *json, const struct info *info)
{
	const struct dp_trace *trace = info->trace;
	int64_t t0_ns;

	json_open(json, "trace", '{');
	json_put_text(json, "path", info->path);
	json_put_text(json, "format", dp_trace_format(trace));
	json_put_text(json, "format_detail", dp_trace_format_detail(trace));
	if (dp_trace_t0(trace, &t0_ns))
		json_put_integer(json, "t0_ns", t0_ns);
	else
		json_put_null(json, "t0_ns");
	json_put_integer(json, "duration_ns", dp_trace_duration_ns(trace));
	json_put_count(json, "operations", dp_trace_ops(trace)->count);
	json_put_count(json, "kernels", info->kernels);
	json_put_count(json, "copies", info->copies);
	json_put_count(json, "copy_bytes", info->copy_bytes);
	json_put_count(json, "sets", info->sets);
	json_put_count(json, "calls", dp_trace_calls(trace)->count);
	json_put_count(json, "synchronizations", info->synchronizations);
	json_put_count(json, "ranges", dp_trace_ranges(trace)->count);
	json_put_count(json, "memory_operations", dp_trace_memory(trace)->count);
	json_put_count(json, "samples", dp_trace_samples(trace)->count);
	json_put_integer(json, "resolution_ns", dp_trace_resolution_ns(trace));
	write_lost(json, trace);
	json_put_count(json, "clamped", dp_trace_clamped(trace));
	json_put_count(json, "memory_bytes", dp_trace_bytes(trace));
	write_facts(json, trace);
	write_losses(json, info);
	write_pauses(json, trace);
	write_hints(json, trace);
	write_devices(json, info);
	json_close(json, '}');
}

static void write_processes(struct json *json, const struct info *info)
{
	const struct dp_process *process;

	json_open(json, "processes", '[');
	for (size_t i = 0; (process = dp_trace_process(info->trace, i)); i++) {
		json_open(json, NULL, '{');
		write_id(json, "pid", process->pid);
		write_id(json, "rank", process->rank);
		write_name(json, info, process->name);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_streams(struct json *json, const struct info *info)
{
	const struct dp_stream *stream;

	json_open(json, "streams", '[');
	for (size_t i = 0; (stream = dp_trace_stream(info->trace, i)); i++) {
		const struct dp_device *device = dp_trace_device(info->trace, stream->device);

		json_open(json, NULL, '{');
		write_id(json, "device", device ? device->id : -1);
		json_put_count(json, "process", stream->process);
		write_id(json, "context", stream->context);
		write_id(json, "stream", stream->stream);
		json_put_text(json, "class", info_class_name(stream->stream_class));
		json_put_count(json, "kernels", stream->kernels);
		json_put_count(json, "copies", stream->copies);
		json_put_count(json, "sets", stream->sets);
		json_put_integer(json, "busy_ns", stream->busy_ns);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_kernels(struct json *json, const struct info *info)
{
	json_put_count(json, "kernel_names", info->name_count);
	json_open(json, "top_kernels", '[');
	for (size_t i = 0; i < info->top; i++) {
		const struct info_kernel *kernel = &info->names[i];

		json_open(json, NULL, '{');
		write_name(json, info, kernel->name);
		json_put_count(json, "count", kernel->count);
		json_put_integer(json, "total_ns", kernel->total_ns);
		json_put_real(json, "share",
			  info->kernel_ns ? (double)kernel->total_ns / (double)info->kernel_ns : 0);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void info_write_json(const struct info *info, struct output *output)
{
	struct json json = { output, 0, false };

	json_open(&json, NULL, '{');
	json_put_count(&json, "schema", 1);
	write_trace(&json, info);
	write_processes(&json, info);
	write_streams(&json, info);
	write_kernels(&json, info);
	json_close(&json, '}');
}
