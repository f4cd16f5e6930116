/*
 * A timeline in Chrome's trace format, for Perfetto and other viewers: the trace as Kineto would
 * have written it, and the results of the analysis as tracks of their own. Their category is
 * "deepprof", which the importer skips, so that a trace can be read back unchanged. Cost: linear.
 */
#include "report/chrome.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Long names may be cut (dp_long_name__cut()), as the format repeats an event's name with each
 * event. "deepprofNames" has them in full.
 */

/* The bytes beyond DP_LONG_NAME in the names of count events; excess has those of each string. */
static uint64_t excess_of(const uint64_t *excess, const uint32_t *names, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += names[i] == DP_NONE ? 0 : excess[names[i]];
	return sum;
}

static int choose_names(struct dp_chrome_out *out)
{
	const struct dp_trace *trace = out->trace;
	size_t count = dp_trace_string_count(trace);
	uint64_t *excess = dp_alloc__zeroed(count + 1, sizeof(*excess)), sum;

	if (!excess)
		return DP_ERR_NOMEM;
	for (uint32_t i = 0; i < count; i++) {
		size_t length = strlen(dp_trace_string(trace, i));

		excess[i] = length > DP_LONG_NAME ? length - DP_LONG_NAME : 0;
	}
	sum = excess_of(excess, dp_trace_ops(trace)->name, dp_trace_ops(trace)->count) +
	      excess_of(excess, dp_trace_calls(trace)->name, dp_trace_calls(trace)->count) +
	      excess_of(excess, dp_trace_ranges(trace)->name, dp_trace_ranges(trace)->count);
	out->cuts_names = sum / DP_LONG_NAME_EXCESS > dp_trace_bytes(trace);
	free(excess);
	return DP_OK;
}

/* A string of the trace as the name of an event; cut is used if it is too long. */
static const char *event_name(char cut[DP_LONG_NAME_CUT], const struct dp_chrome_out *out,
			      uint32_t id)
{
	const char *name = dp_trace_string(out->trace, id);

	return out->cuts_names && dp_long_name__is(name) ? dp_long_name__cut(cut, name, id) : name;
}

static void write_long_names(struct dp_render *render, const struct dp_chrome_out *out)
{
	char cut[DP_LONG_NAME_CUT];
	size_t written = 0;

	for (uint32_t i = 0; out->cuts_names && i < dp_trace_string_count(out->trace); i++) {
		const char *name = dp_trace_string(out->trace, i);

		if (!dp_long_name__is(name))
			continue;
		event_name(cut, out, i);
		dp_render__text(render, written++ ? ",\n" : ",\n\"deepprofNames\":{\n");
		dp_json_text__string(render, cut);
		dp_render__text(render, ":");
		dp_json_text__string(render, name);
	}
	if (written)
		dp_render__text(render, "}");
}

void dp_chrome_out__begin(struct dp_render *render, const char *phase, const char *category,
			  const char *name)
{
	struct dp_chrome_out *out = render->state;

	dp_render__text(render, out->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	out->any = true;
	dp_render__text(render, phase);
	if (category) {
		dp_render__text(render, "\",\"cat\":\"");
		dp_render__text(render, category);
	}
	dp_render__text(render, "\",\"name\":");
	dp_json_text__string(render, name);
}

/* Writes microseconds with all digits of the nanoseconds. */
static void write_time(struct dp_render *render, const char *key, int64_t time_ns)
{
	char digits[4] = { 0 };

	dp_render__text(render, key);
	if (time_ns < 0) {
		dp_render__text(render, "-");
		time_ns = time_ns == INT64_MIN ? INT64_MAX : -time_ns;
	}
	for (int i = 2, rest = (int)(time_ns % 1000); i >= 0; i--, rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	dp_render__integer(render, time_ns / 1000);
	dp_render__text(render, ".");
	dp_render__text(render, digits);
}

static void write_at(struct dp_render *render, int64_t start_ns)
{
	const struct dp_chrome_out *out = render->state;

	write_time(render, ",\"ts\":", dp_timeline__since(start_ns, out->zero_ns));
}

static void write_span(struct dp_render *render, int64_t start_ns, int64_t end_ns)
{
	write_at(render, start_ns);
	write_time(render, ",\"dur\":", DP_MAX(dp_timeline__since(end_ns, start_ns), 0));
}

void dp_chrome_out__number(struct dp_render *render, const char *key, int64_t value)
{
	dp_render__text(render, key);
	dp_render__integer(render, value);
}

void dp_chrome_out__row(struct dp_render *render, int64_t pid, int64_t tid)
{
	dp_chrome_out__number(render, ",\"pid\":", pid);
	dp_chrome_out__number(render, ",\"tid\":", tid);
}

void dp_chrome_out__name(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			 const char *name)
{
	dp_chrome_out__begin(render, "M", NULL, what);
	dp_chrome_out__row(render, pid, tid);
	dp_render__text(render, ",\"args\":{\"name\":");
	dp_json_text__string(render, name);
	dp_render__text(render, "}}");
}

void dp_chrome_out__order(struct dp_render *render, const char *what, int64_t pid, int64_t tid,
			  int64_t place)
{
	dp_chrome_out__begin(render, "M", NULL, what);
	dp_chrome_out__row(render, pid, tid);
	dp_chrome_out__number(render, ",\"args\":{\"sort_index\":", place);
	dp_render__text(render, "}}");
}

/* Returns true if the trace has annotations that tools take for steps. */
static bool find_steps(const struct dp_trace *trace)
{
	const struct dp_ranges *ranges = dp_trace_ranges(trace);

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->kind[i] == DP_RANGE_ANNOTATION &&
		    !strncmp(dp_trace_string(trace, ranges->name[i]), "ProfilerStep#", 13))
			return true;
	return false;
}

static void write_devices(struct dp_render *render, const struct dp_chrome_out *out)
{
	const struct dp_device *device;
	const char *name;

	dp_render__text(render, ",\n\"deviceProperties\":[");
	for (size_t i = 0; (device = dp_trace_device(out->trace, i)); i++) {
		dp_chrome_out__number(render, i ? ",\n{\"id\":" : "\n{\"id\":", out->devices[i]);
		dp_render__text(render, ",\"name\":");
		name = dp_trace_string(out->trace, device->name);
		dp_json_text__string(render, name);
		dp_render__format(render, ",\"totalGlobalMem\":%llu}",
				  (unsigned long long)device->total_bytes);
	}
	dp_render__text(render, "]");
}

static const char *memory_name(uint8_t kind)
{
	static const char *const names[] = {
		"",	 "Pageable", "Pinned",	      "Device",
		"Array", "Managed",  "Device Static", "Managed Static"
	};

	return kind < DP_COUNT(names) ? names[kind] : "";
}

/* "Memcpy HtoD (Pinned -> Device)", as in Kineto, if the trace's own name has less detail. */
static void name_transfer(char name[128], const struct dp_trace *trace, size_t op)
{
	static const char *const kinds[] = {
		"",	"HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
		"DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"
	};
	const struct dp_ops *ops = dp_trace_ops(trace);
	const char *src = memory_name(ops->src_kind[op]), *dst = memory_name(ops->dst_kind[op]);
	size_t kind = ops->copy_kind[op];

	if (ops->kind[op] == DP_OP_MEMSET)
		snprintf(name, 128, "Memset (%s)", *dst ? dst : "Unknown");
	else
		snprintf(name, 128, "Memcpy %s (%s -> %s)",
			 kinds[kind < DP_COUNT(kinds) ? kind : 0], *src ? src : "Unknown",
			 *dst ? dst : "Unknown");
}

/* Writes an arrow from a call to its operation. */
static void write_arrow(struct dp_render *render, struct dp_chrome_out *out, size_t i, size_t lane)
{
	const struct dp_ops *ops = dp_trace_ops(out->trace);
	const struct dp_calls *calls = dp_trace_calls(out->trace);
	uint32_t call = ops->call[i];

	dp_chrome_out__begin(render, "s", "ac2g", "ac2g");
	dp_chrome_out__number(render, ",\"id\":", (int64_t)i + 1);
	dp_chrome_row__write(render, dp_chrome_rows__thread(out, calls->thread[call]),
			     out->call_lanes[call]);
	write_at(render, calls->start_ns[call]);
	dp_render__text(render, "}");
	dp_chrome_out__begin(render, "f", "ac2g", "ac2g");
	dp_chrome_out__number(render, ",\"id\":", (int64_t)i + 1);
	dp_chrome_row__write(render, &out->streams[ops->stream[i]], lane);
	write_at(render, ops->start_ns[i]);
	dp_render__text(render, ",\"bp\":\"e\"}");
}

static struct dp_chrome_row *row_of(const struct dp_render *render,
				    const struct dp_timeline_slice *slice)
{
	struct dp_chrome_out *out = render->state;
	bool sync = slice->row == DP_ROW_SYNC;

	if (slice->row == DP_ROW_THREAD)
		return dp_chrome_rows__thread(out, slice->index);
	/* Kineto lists a synchronization among the operations of its stream */
	if (slice->row == DP_ROW_STREAM ||
	    (sync && slice->index != DP_NONE && render->options->kineto))
		return &out->streams[slice->index];
	return sync ? &out->syncs[dp_timeline__device(out->trace, slice->index)] : &out->found;
}

static void begin_slice(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	static const char *const categories[] = {
		"",	"kernel",	   "gpu_memcpy", "gpu_memset", "cuda_runtime",
		"nvtx", "user_annotation", "cpu_op",	 "cuda_sync",  "deepprof"
	};
	/* chrome://tracing's own names for grey, orange and red */
	static const char *const colors[] = { "generic_work", "bad", "terrible" };
	struct dp_chrome_out *out = render->state;
	struct dp_chrome_row *row = row_of(render, slice);
	char made[DP_LONG_NAME_CUT];
	const char *name = slice->name ? slice->name : event_name(made, out, slice->string);

	if ((slice->category == DP_SLICE_COPY || slice->category == DP_SLICE_MEMSET) &&
	    strncmp(name, "Mem", 3) != 0) {
		name_transfer(made, out->trace, slice->item);
		name = made;
	}
	out->lane = dp_chrome_row__place(render, row, slice->start_ns, slice->end_ns);
	if (slice->category == DP_SLICE_CALL)
		out->call_lanes[slice->item] = (uint8_t)out->lane;
	dp_chrome_out__begin(render, "X", categories[slice->category], name);
	dp_chrome_row__write(render, row, out->lane);
	write_span(render, slice->start_ns, slice->end_ns);
	if (slice->row == DP_ROW_FINDING)
		dp_render__format(
			render, ",\"cname\":\"%s\"",
			colors[dp_analysis_finding(render->analysis, slice->index)->severity]);
	out->args = false;
}

static void write_key(struct dp_render *render, const char *key)
{
	struct dp_chrome_out *out = render->state;

	dp_render__text(render, out->args ? ",\"" : ",\"args\":{\"");
	dp_render__text(render, key);
	dp_render__text(render, "\":");
	out->args = true;
}

static void write_integer(struct dp_render *render, enum dp_timeline_key key, int64_t value)
{
	write_key(render, dp_timeline__keys[key]);
	if (key == DP_KEY_PARTIAL || key == DP_KEY_WARMUP)
		dp_render__text(render, value ? "true" : "false");
	else
		dp_render__integer(render, value);
}

static void write_text(struct dp_render *render, enum dp_timeline_key key, const char *text)
{
	write_key(render, dp_timeline__keys[key]);
	dp_json_text__string(render, text);
}

static void write_number(struct dp_render *render, size_t key, const char *name, double number,
			 const char *unit)
{
	char value[DP_NUMBER_SIZE];

	dp_number__json(value, number, unit);
	write_key(render, name ? name : dp_timeline__keys[key]);
	dp_render__text(render, value);
}

static void write_place(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	const struct dp_chrome_out *out = render->state;
	const struct dp_stream *stream = dp_trace_stream(out->trace, slice->index);

	write_integer(render, DP_KEY_DEVICE, out->devices[stream->device]);
	if (stream->context >= 0)
		write_integer(render, DP_KEY_CONTEXT, stream->context);
	write_integer(render, DP_KEY_STREAM, stream->stream);
}

static void end_slice(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	struct dp_chrome_out *out = render->state;

	dp_render__text(render, out->args ? "}}" : "}");
	if (slice->row == DP_ROW_STREAM && dp_trace_ops(out->trace)->call[slice->item] != DP_NONE)
		write_arrow(render, out, slice->item, out->lane);
}

/*
 * Numbers the rows of deepprof's process: three per loop at the level of the iterations, those of
 * the findings, of the devices, and of other loops. Both viewers show them in this order.
 */
static int64_t number_row(const struct dp_render *render, enum dp_timeline_row row, size_t index)
{
	const struct dp_chrome_out *out = render->state;
	size_t findings = 1 + DP_ROWS_OF_LOOP * dp_analysis_loop_count(render->analysis);
	size_t idle = findings + dp_analysis_finding_count(render->analysis);

	if (row == DP_ROW_FINDING)
		return (int64_t)(findings + index);
	if (row == DP_ROW_IDLE)
		return (int64_t)(idle + index);
	if (!dp_analysis_loop(render->analysis, index)->selected)
		return (int64_t)(idle + dp_trace_device_count(out->trace) + index);
	return (int64_t)(1 + DP_ROWS_OF_LOOP * index + row);
}

/* Iterations, and so their phases, overlap if kernels of the next run next to the last ones. */
static void open_row(struct dp_render *render, enum dp_timeline_row row, size_t index,
		     const char *name)
{
	struct dp_chrome_out *out = render->state;
	int64_t number = number_row(render, row, index);

	if (row == DP_ROW_ITERATIONS)
		dp_timeline__loop_name(out->title, out->trace,
				       dp_analysis_loop(render->analysis, index));
	else if (row < DP_ROWS_OF_LOOP)
		snprintf(out->title, sizeof(out->title), "loop %zu: %s", index, name);
	out->found = (struct dp_chrome_row){ .ids = &out->found_ids,
					     .pid = DP_CHROME_OUR_PID,
					     .tid = number,
					     .order = number,
					     .name = row < DP_ROWS_OF_LOOP ? out->title : name,
					     .thread = DP_NONE };
}

/* Arrows need the rows of the trace. An empty row shows that no idle time was long enough. */
static void close_row(struct dp_render *render, enum dp_timeline_row row)
{
	struct dp_chrome_out *out = render->state;

	if (row == DP_ROW_IDLE && !out->found.lanes.count)
		dp_chrome_row__name(render, &out->found, out->found.tid);
	if (row < DP_ROWS_FOUND)
		dp_lanes__fini(&out->found.lanes);
}

static void open_curve(struct dp_render *render, const struct dp_loop *loop,
		       const struct dp_metric_info *info)
{
	struct dp_chrome_out *out = render->state;
	size_t length = strlen(info->name), tail = strlen(info->unit);

	/* "loop 0: period" and "ns": viewers that ignore units show both in a row */
	if (length > tail + 1 && info->name[length - tail - 1] == '_' &&
	    !strcmp(info->name + length - tail, info->unit))
		length -= tail + 1;
	snprintf(out->title, sizeof(out->title), "loop %u: %.*s", loop->id, (int)DP_MIN(length, 60),
		 info->name);
}

static void write_point(struct dp_render *render, const struct dp_metric_info *info,
			int64_t time_ns, double value)
{
	const struct dp_chrome_out *out = render->state;
	char text[DP_NUMBER_SIZE];

	dp_chrome_out__begin(render, "C", "deepprof", out->title);
	dp_chrome_out__row(render, DP_CHROME_OUR_PID, 0);
	write_at(render, time_ns);
	dp_number__json(text, value, info->unit);
	dp_render__format(render, ",\"args\":{\"%s\":%s}}",
			  strcmp(info->unit, "1") != 0 ? info->unit : "share", text);
}

static const struct dp_timeline_encoder encoder = {
	.open_row = open_row,
	.close_row = close_row,
	.begin = begin_slice,
	.place = write_place,
	.integer = write_integer,
	.number = write_number,
	.text = write_text,
	.end = end_slice,
	.open_curve = open_curve,
	.point = write_point,
};

/* When and where a kernel was launched. */
struct launch {
	int64_t start_ns, end_ns;
	uint32_t thread;
};

/* The call of a kernel, or its own time if the call was not recorded. */
static struct launch launch_of(const struct dp_trace *trace, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t call = ops->call[op];

	if (call == DP_NONE)
		return (struct launch){ ops->start_ns[op], ops->end_ns[op], DP_NONE };
	return (struct launch){ calls->start_ns[call], calls->end_ns[call], calls->thread[call] };
}

/*
 * A step on the host lasts from the iteration's first launch to the next one's, or to the end of
 * its last launch.
 */
static void write_step(struct dp_render *render, size_t loop, size_t k, const uint32_t *kernels,
		       size_t count)
{
	struct dp_chrome_out *out = render->state;
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop, k);
	const struct dp_iteration *next = dp_analysis_loop_iteration(render->analysis, loop, k + 1);
	struct launch first, last;
	char name[DP_NUMBER_SIZE];

	if (at->first_kernel >= count || !at->kernels)
		return;
	first = launch_of(out->trace, kernels[at->first_kernel]);
	last = launch_of(out->trace, kernels[DP_MIN(at->first_kernel + at->kernels, count) - 1]);
	/* iterations are in the order of their starts, not of their launches */
	if (next && next->first_kernel < count && next->first_kernel > at->first_kernel)
		last.end_ns = launch_of(out->trace, kernels[next->first_kernel]).start_ns;
	snprintf(name, sizeof(name), "ProfilerStep#%lld", (long long)out->next_step++);
	dp_chrome_out__begin(render, "X", "user_annotation", name);
	if (first.thread == DP_NONE)
		dp_chrome_out__row(render, dp_trace_process(out->trace, 0)->pid, 1);
	else
		dp_chrome_row__write(render, dp_chrome_rows__thread(out, first.thread), 0);
	write_span(render, first.start_ns, DP_MAX(last.end_ns, first.start_ns));
	dp_render__text(render, "}");
	dp_chrome_out__begin(render, "X", "gpu_user_annotation", name);
	dp_chrome_row__write(render,
			     &out->streams[dp_analysis_loop(render->analysis, loop)->stream], 0);
	write_span(render, at->start_ns, at->end_ns);
	dp_render__text(render, "}");
}

static void write_steps(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct dp_chrome_out *out = render->state;
	uint32_t *kernels;
	size_t count;

	/* Steps of two loops would be nested: only the first loop's are steps. */
	if (!loop->selected)
		return;
	out->steps = false;
	if (render->status)
		return;
	render->status =
		dp_analysis_loop_operations(render->analysis, id, &kernels, &count, render->error);
	if (render->status)
		return;
	for (size_t k = 0; k < loop->iterations && !render->status; k++)
		write_step(render, id, k, kernels, count);
	free(kernels);
}

static void write_head(struct dp_render *render, const struct dp_chrome_out *out)
{
	const struct dp_process *process = dp_trace_process(out->trace, 0);
	int64_t t0_ns;

	dp_render__format(render, "{\"schemaVersion\":1,\"deepprof\":\"%s\"", dp_version());
	if (dp_trace_t0(out->trace, &t0_ns) && !__builtin_add_overflow(t0_ns, out->zero_ns, &t0_ns))
		dp_chrome_out__number(render, ",\"baseTimeNanoseconds\":", t0_ns);
	if (process && process->rank >= 0) {
		dp_chrome_out__number(render, ",\"distributedInfo\":{\"rank\":", process->rank);
		dp_render__text(render, "}");
	}
	write_devices(render, out);
	write_long_names(render, out);
	dp_render__text(render, ",\n\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

static void free_out(struct dp_chrome_out *out)
{
	dp_chrome_rows__fini(out);
	free(out->call_lanes);
	free(out);
}

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct dp_chrome_out *out = dp_alloc__zeroed(1, sizeof(*out));

	if (!out)
		return dp_error__nomem(render->error, sizeof(*out));
	out->trace = trace;
	out->call_lanes = dp_alloc__zeroed(dp_trace_calls(trace)->count, 1);
	if (!out->call_lanes || choose_names(out) || dp_chrome_rows__init(render, out)) {
		free_out(out);
		return dp_error__nomem(render->error, 0);
	}
	out->zero_ns = dp_timeline__zero(trace);
	out->steps = render->options->kineto && !find_steps(trace);
	render->state = out;
	write_head(render, out);
	dp_chrome_rows__name(render);
	dp_timeline__trace(render, &encoder);
	if (!render->options->kineto) {
		out->found_ids.next =
			number_row(render, DP_ROW_IDLE, dp_trace_device_count(trace)) +
			(int64_t)dp_analysis_loop_count(render->analysis);
		dp_chrome_out__name(render, "process_name", DP_CHROME_OUR_PID, 0, "deepprof");
		dp_chrome_out__order(render, "process_sort_index", DP_CHROME_OUR_PID, 0, -1);
	}
	return DP_OK;
}

static int loop(struct dp_render *render, size_t id)
{
	const struct dp_chrome_out *out = render->state;

	if (!render->options->kineto)
		dp_timeline__loop(render, &encoder, id);
	else if (out->steps)
		write_steps(render, id);
	return DP_OK;
}

static int finding(struct dp_render *render, size_t id)
{
	if (!render->options->kineto)
		dp_timeline__finding(render, &encoder, id);
	return DP_OK;
}

static int end(struct dp_render *render)
{
	if (!render->options->kineto)
		dp_timeline__idle(render, &encoder);
	dp_render__text(render, "\n]}\n");
	free_out(render->state);
	return DP_OK;
}

const struct dp_renderer dp_renderer__chrome = {
	.info = { "chrome", "trace", "a timeline for Perfetto and chrome://tracing", false, true },
	.begin = begin,
	.loop = loop,
	.finding = finding,
	.end = end,
};
