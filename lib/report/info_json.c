/* The contents of a trace, for programs. Keys are those of the report's schema where both exist. */
#include "base/text.h"
#include "report/info.h"
#include "report/json_text.h"
#include "report/number.h"

#include <inttypes.h>
#include <string.h>

/* A JSON writer with two spaces per level. */
struct json {
	struct dp_render *render;
	int depth;
	bool follows; /* a value precedes the next one */
};

static void put_string(struct dp_render *render, const char *text)
{
	dp_json_text__write(render, text, strlen(text), DP_JSON_MARKED);
}

/* Writes what precedes a value. key is NULL inside arrays. */
static void begin(struct json *json, const char *key)
{
	if (json->depth)
		dp_render__format(json->render, "%s\n%*s", json->follows ? "," : "",
				  2 * json->depth, "");
	json->follows = true;
	if (!key)
		return;
	put_string(json->render, key);
	dp_render__text(json->render, ": ");
}

static void open_level(struct json *json, const char *key, const char *bracket)
{
	begin(json, key);
	dp_render__text(json->render, bracket);
	json->depth++;
	json->follows = false;
}

static void close_level(struct json *json, const char *bracket)
{
	json->depth--;
	if (json->follows)
		dp_render__format(json->render, "\n%*s", 2 * json->depth, "");
	dp_render__text(json->render, bracket);
	json->follows = true;
}

static void put_integer(struct json *json, const char *key, int64_t value)
{
	begin(json, key);
	dp_render__integer(json->render, value);
}

static void put_count(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	dp_render__format(json->render, "%" PRIu64, value);
}

/* NULL is null. */
static void put_text(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	if (text)
		put_string(json->render, text);
	else
		dp_render__text(json->render, "null");
}

/* Writes null for 0, which stands for unknown. */
static void put_known(struct json *json, const char *key, uint64_t count)
{
	if (count)
		put_count(json, key, count);
	else
		put_text(json, key, NULL);
}

/* Writes an identifier; -1 stands for unknown. */
static void write_id(struct json *json, const char *key, int64_t id)
{
	if (id < 0)
		put_text(json, key, NULL);
	else
		put_integer(json, key, id);
}

static void write_name(struct json *json, const struct dp_info *info, const char *key, uint32_t id)
{
	put_text(json, key, id == DP_NONE ? NULL : dp_trace_string(info->trace, id));
}

static void write_losses(struct json *json, const struct dp_info *info)
{
	const struct dp_loss *loss;

	open_level(json, "losses", "[");
	for (size_t i = 0; (loss = dp_trace_loss(info->trace, i)); i++) {
		open_level(json, NULL, "{");
		put_text(json, "reason", loss->reason);
		put_known(json, "records", loss->records);
		put_known(json, "offset", loss->offset);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_facts(struct json *json, const struct dp_trace *trace)
{
	const struct dp_fact *fact;

	open_level(json, "facts", "{");
	for (size_t i = 0; (fact = dp_trace_fact(trace, i)); i++)
		put_text(json, fact->name, fact->value);
	close_level(json, "}");
}

static void write_pauses(struct json *json, const struct dp_trace *trace)
{
	const struct dp_pause *pause;

	open_level(json, "pauses", "[");
	for (size_t i = 0; (pause = dp_trace_pause(trace, i)); i++) {
		open_level(json, NULL, "{");
		write_id(json, "pid", dp_trace_process(trace, pause->process)->pid);
		put_integer(json, "start_ns", pause->start_ns);
		put_integer(json, "end_ns", pause->end_ns);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_devices(struct json *json, const struct dp_info *info)
{
	const struct dp_device *device;

	open_level(json, "devices", "[");
	for (size_t i = 0; (device = dp_trace_device(info->trace, i)); i++) {
		open_level(json, NULL, "{");
		write_id(json, "id", device->id);
		write_name(json, info, "name", device->name);
		write_name(json, info, "uuid", device->uuid);
		put_count(json, "process", device->process);
		put_known(json, "total_bytes", device->total_bytes);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_hints(struct json *json, const struct dp_trace *trace)
{
	open_level(json, "hints", "[");
	for (unsigned need = 0; need < DP_NEEDS; need++) {
		const struct dp_need_info *hint = dp_trace_need(trace, (enum dp_need)need);

		if (!hint || !dp_trace_lacks(trace, (enum dp_need)need))
			continue;
		open_level(json, NULL, "{");
		put_text(json, "lacks", hint->what);
		put_text(json, "gives", hint->gives);
		put_text(json, "record", hint->record);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_trace(struct json *json, const struct dp_info *info)
{
	const struct dp_trace *trace = info->trace;
	int64_t t0_ns;

	open_level(json, "trace", "{");
	put_text(json, "path", dp_trace_path(trace));
	put_text(json, "format", dp_trace_format(trace));
	put_text(json, "format_detail", dp_trace_format_detail(trace));
	if (dp_trace_t0(trace, &t0_ns))
		put_integer(json, "t0_ns", t0_ns);
	else
		put_text(json, "t0_ns", NULL);
	put_integer(json, "duration_ns", dp_trace_duration_ns(trace));
	put_count(json, "operations", dp_trace_ops(trace)->count);
	put_count(json, "kernels", info->kernels);
	put_count(json, "copies", info->copies);
	put_count(json, "copy_bytes", info->copy_bytes);
	put_count(json, "sets", info->memsets);
	put_count(json, "graphs", info->graphs);
	put_count(json, "graph_nodes", info->graph_nodes);
	put_count(json, "calls", dp_trace_calls(trace)->count);
	put_count(json, "synchronizations", info->synchronizations);
	put_count(json, "ranges", dp_trace_ranges(trace)->count);
	put_count(json, "function_samples", dp_trace_function_samples(trace)->count);
	put_count(json, "memory_operations", dp_trace_memory(trace)->count);
	put_count(json, "samples", dp_trace_samples(trace)->count);
	put_integer(json, "resolution_ns", dp_trace_resolution_ns(trace));
	if (dp_trace_lost_known(trace))
		put_count(json, "lost", dp_trace_lost(trace));
	else
		put_text(json, "lost", NULL);
	put_count(json, "clamped", dp_trace_clamped(trace));
	put_count(json, "memory_bytes", dp_trace_bytes(trace));
	write_facts(json, trace);
	write_losses(json, info);
	write_pauses(json, trace);
	write_hints(json, trace);
	write_devices(json, info);
	close_level(json, "}");
}

static void write_processes(struct json *json, const struct dp_info *info)
{
	const struct dp_process *process;

	open_level(json, "processes", "[");
	for (size_t i = 0; (process = dp_trace_process(info->trace, i)); i++) {
		open_level(json, NULL, "{");
		write_id(json, "pid", process->pid);
		write_id(json, "rank", process->rank);
		write_name(json, info, "name", process->name);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_streams(struct json *json, const struct dp_info *info)
{
	const struct dp_stream *stream;

	open_level(json, "streams", "[");
	for (size_t i = 0; (stream = dp_trace_stream(info->trace, i)); i++) {
		const struct dp_device *device = dp_trace_device(info->trace, stream->device);

		open_level(json, NULL, "{");
		write_id(json, "device", device ? device->id : -1);
		put_count(json, "process", stream->process);
		write_id(json, "context", stream->context);
		write_id(json, "stream", stream->stream);
		put_text(json, "class", dp_stream_class_name(stream->stream_class));
		put_count(json, "kernels", stream->kernels);
		put_count(json, "copies", stream->copies);
		put_count(json, "sets", stream->memsets);
		put_integer(json, "busy_ns", stream->busy_ns);
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_kernels(struct json *json, const struct dp_info *info)
{
	size_t top = DP_MIN(json->render->options->top, info->name_count);
	char share[DP_NUMBER_SIZE];

	put_count(json, "kernel_names", info->name_count);
	open_level(json, "top_kernels", "[");
	for (size_t i = 0; i < top; i++) {
		const struct dp_info_kernel *kernel = &info->names[i];

		open_level(json, NULL, "{");
		write_name(json, info, "name", kernel->name);
		put_count(json, "count", kernel->count);
		put_integer(json, "total_ns", kernel->total_ns);
		begin(json, "share");
		dp_render__text(json->render, dp_text__fixed(share, kernel->share, 6));
		close_level(json, "}");
	}
	close_level(json, "]");
}

static void write_json(struct dp_render *render, const void *what)
{
	struct json json = { render, 0, false };
	const struct dp_info *info = what;

	open_level(&json, NULL, "{");
	put_count(&json, "schema", 1);
	write_trace(&json, info);
	write_processes(&json, info);
	write_streams(&json, info);
	write_kernels(&json, info);
	close_level(&json, "}");
	dp_render__text(render, "\n");
}

const struct dp_whole_renderer dp_info_renderer__json = {
	.info = { "json", "json", "for programs", false, false },
	.write = write_json,
};
