/*
 * A timeline in Chrome's trace format, for Perfetto and others: the trace as Kineto would have
 * written it, and what was found in it as tracks of its own. The category of those is "deepprof",
 * which the importer skips, so that a trace comes back as it was. Cost: linear.
 */
#include "report/chrome.h"
#include "report/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The format repeats an event's name with the event: a name of 50,000 bytes at 10,000 events would
 * make a file of 500 MB of a trace of a few. Where the bytes of names beyond NAME_MOST come to more
 * than EXCESS_MOST times the trace in memory, long names are cut, made unique by their number, and
 * written in full once, in "deepprofNames". Names of kernels that were recorded have up to 5,000
 * bytes, and few more than 1,024: their excess is less than the trace itself.
 */
enum { NAME_MOST = 1024, EXCESS_MOST = 16, CUT_SIZE = NAME_MOST + 32 };

static bool is_long(const char *name)
{
	return strnlen(name, NAME_MOST + 1) > NAME_MOST;
}

/* Bytes beyond NAME_MOST of the names of count events; excess: of each string. */
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

		excess[i] = length > NAME_MOST ? length - NAME_MOST : 0;
	}
	sum = excess_of(excess, dp_trace_ops(trace)->name, dp_trace_ops(trace)->count) +
	      excess_of(excess, dp_trace_calls(trace)->name, dp_trace_calls(trace)->count) +
	      excess_of(excess, dp_trace_ranges(trace)->name, dp_trace_ranges(trace)->count);
	out->cuts_names = sum / EXCESS_MOST > dp_trace_bytes(trace);
	free(excess);
	return DP_OK;
}

/* A string of the trace as the name of an event; cut is used where it is too long. */
static const char *event_name(char cut[CUT_SIZE], const struct dp_chrome_out *out, uint32_t id)
{
	const char *name = dp_trace_string(out->trace, id);
	size_t length = NAME_MOST;

	if (!out->cuts_names || !is_long(name))
		return name;
	/* Not within a character (UTF-8, RFC 3629). */
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	snprintf(cut, CUT_SIZE, "%.*s... [name %" PRIu32 "]", (int)length, name, id);
	return cut;
}

static void write_long_names(struct dp_render *render, const struct dp_chrome_out *out)
{
	char cut[CUT_SIZE];
	size_t written = 0;

	for (uint32_t i = 0; out->cuts_names && i < dp_trace_string_count(out->trace); i++) {
		const char *name = dp_trace_string(out->trace, i);

		if (!is_long(name))
			continue;
		event_name(cut, out, i);
		dp_render__text(render, written++ ? ",\n" : ",\n\"deepprofNames\":{\n");
		dp_json_text__write(render, cut, strlen(cut), false);
		dp_render__text(render, ":");
		dp_json_text__write(render, name, strlen(name), false);
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
	dp_json_text__write(render, name, strlen(name), false);
}

void dp_chrome_out__time(struct dp_render *render, const char *key, int64_t time_ns)
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

void dp_chrome_out__at(struct dp_render *render, int64_t start_ns)
{
	const struct dp_chrome_out *out = render->state;

	dp_chrome_out__time(render, ",\"ts\":", dp_timeline__since(start_ns, out->zero_ns));
}

void dp_chrome_out__span(struct dp_render *render, int64_t start_ns, int64_t end_ns)
{
	dp_chrome_out__at(render, start_ns);
	dp_chrome_out__time(render, ",\"dur\":", DP_MAX(dp_timeline__since(end_ns, start_ns), 0));
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
	dp_json_text__write(render, name, strlen(name), false);
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

/* Annotations: what is called so elsewhere, tools don't take for a step. */
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
		dp_json_text__write(render, name, strlen(name), false);
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

/* "Memcpy HtoD (Pinned -> Device)", as Kineto has it, where the trace's own name says less. */
static void name_transfer(char name[128], const struct dp_trace *trace, size_t op)
{
	static const char *const kinds[] = {
		"",	"HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
		"DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"
	};
	const struct dp_ops *ops = dp_trace_ops(trace);
	const char *src = memory_name(ops->src_kind[op]), *dst = memory_name(ops->dst_kind[op]);
	size_t kind = ops->copy_kind[op];

	if (ops->kind[op] == DP_OP_SET)
		snprintf(name, 128, "Memset (%s)", *dst ? dst : "Unknown");
	else
		snprintf(name, 128, "Memcpy %s (%s -> %s)",
			 kinds[kind < DP_COUNT(kinds) ? kind : 0], *src ? src : "Unknown",
			 *dst ? dst : "Unknown");
}

/* From the call to the operation. */
static void write_arrow(struct dp_render *render, struct dp_chrome_out *out, size_t i, size_t lane)
{
	const struct dp_ops *ops = dp_trace_ops(out->trace);
	const struct dp_calls *calls = dp_trace_calls(out->trace);
	uint32_t call = ops->call[i];

	dp_chrome_out__begin(render, "s", "ac2g", "ac2g");
	dp_chrome_out__number(render, ",\"id\":", (int64_t)i + 1);
	dp_chrome_row__write(render, dp_chrome_rows__thread(out, calls->thread[call]),
			     out->call_lanes[call]);
	dp_chrome_out__at(render, calls->start_ns[call]);
	dp_render__text(render, "}");
	dp_chrome_out__begin(render, "f", "ac2g", "ac2g");
	dp_chrome_out__number(render, ",\"id\":", (int64_t)i + 1);
	dp_chrome_row__write(render, &out->streams[ops->stream[i]], lane);
	dp_chrome_out__at(render, ops->start_ns[i]);
	dp_render__text(render, ",\"bp\":\"e\"}");
}

static void write_op(struct dp_render *render, struct dp_chrome_out *out, size_t i)
{
	const struct dp_ops *ops = dp_trace_ops(out->trace);
	const struct dp_stream *stream = dp_trace_stream(out->trace, ops->stream[i]);
	char cut[CUT_SIZE], made[128];
	const char *name = event_name(cut, out, ops->name[i]);
	bool kernel = dp_op_is_kernel(ops->kind[i]);
	struct dp_chrome_row *row = &out->streams[ops->stream[i]];
	size_t lane = dp_chrome_row__place(render, row, ops->start_ns[i], ops->end_ns[i]);

	if (!kernel && strncmp(name, "Mem", 3) != 0) {
		name_transfer(made, out->trace, i);
		name = made;
	}
	dp_chrome_out__begin(render, "X",
			     kernel			  ? "kernel"
			     : ops->kind[i] == DP_OP_COPY ? "gpu_memcpy"
							  : "gpu_memset",
			     name);
	dp_chrome_row__write(render, row, lane);
	dp_chrome_out__span(render, ops->start_ns[i], ops->end_ns[i]);
	dp_chrome_out__number(render, ",\"args\":{\"device\":", out->devices[stream->device]);
	if (stream->context >= 0)
		dp_chrome_out__number(render, ",\"context\":", stream->context);
	dp_chrome_out__number(render, ",\"stream\":", stream->stream);
	if (ops->correlation[i])
		dp_chrome_out__number(render, ",\"correlation\":", ops->correlation[i]);
	if (!kernel)
		dp_render__format(render, ",\"bytes\":%llu", (unsigned long long)ops->bytes[i]);
	dp_render__text(render, "}}");
	if (ops->call[i] != DP_NONE)
		write_arrow(render, out, i, lane);
}

static void write_range(struct dp_render *render, struct dp_chrome_out *out, size_t i)
{
	static const char *const categories[] = { "nvtx", "user_annotation", "cpu_op" };
	const struct dp_ranges *ranges = dp_trace_ranges(out->trace);
	struct dp_chrome_row *row = dp_chrome_rows__thread(out, ranges->thread[i]);
	size_t lane = dp_chrome_row__place(render, row, ranges->start_ns[i], ranges->end_ns[i]);
	char cut[CUT_SIZE];

	dp_chrome_out__begin(render, "X", categories[ranges->kind[i]],
			     event_name(cut, out, ranges->name[i]));
	dp_chrome_row__write(render, row, lane);
	dp_chrome_out__span(render, ranges->start_ns[i], ranges->end_ns[i]);
	dp_render__text(render, "}");
}

static void write_call(struct dp_render *render, struct dp_chrome_out *out, size_t i)
{
	const struct dp_calls *calls = dp_trace_calls(out->trace);
	struct dp_chrome_row *row = dp_chrome_rows__thread(out, calls->thread[i]);
	size_t lane = dp_chrome_row__place(render, row, calls->start_ns[i], calls->end_ns[i]);
	char cut[CUT_SIZE];

	out->call_lanes[i] = (uint8_t)lane;
	dp_chrome_out__begin(render, "X", "cuda_runtime", event_name(cut, out, calls->name[i]));
	dp_chrome_row__write(render, row, lane);
	dp_chrome_out__span(render, calls->start_ns[i], calls->end_ns[i]);
	dp_chrome_out__number(render, ",\"args\":{\"correlation\":", calls->correlation[i]);
	dp_render__text(render, "}}");
}

/* Calls and ranges in order of start, so that they nest; of equal starts ranges are outside. */
static void write_host(struct dp_render *render, struct dp_chrome_out *out)
{
	const struct dp_calls *calls = dp_trace_calls(out->trace);
	const struct dp_ranges *ranges = dp_trace_ranges(out->trace);
	size_t call = 0, range = 0;

	while (!render->status && (call < calls->count || range < ranges->count)) {
		if (range < ranges->count &&
		    (call == calls->count || ranges->start_ns[range] <= calls->start_ns[call]))
			write_range(render, out, range++);
		else
			write_call(render, out, call++);
	}
}

/* Kineto has them among the operations of their stream. */
static struct dp_chrome_row *sync_row(const struct dp_render *render, struct dp_chrome_out *out,
				      uint32_t stream)
{
	if (stream == DP_NONE)
		return &out->syncs[dp_trace_device_count(out->trace)];
	return render->options->kineto ? &out->streams[stream]
				       : &out->syncs[dp_trace_stream(out->trace, stream)->device];
}

static void write_sync(struct dp_render *render, struct dp_chrome_out *out, size_t i)
{
	static const char *const names[] = { "Sync", "Event Sync", "Stream Wait Event",
					     "Stream Sync", "Context Sync" };
	const struct dp_syncs *syncs = dp_trace_syncs(out->trace);
	const struct dp_stream *stream =
		syncs->stream[i] == DP_NONE ? NULL : dp_trace_stream(out->trace, syncs->stream[i]);
	struct dp_chrome_row *row = sync_row(render, out, syncs->stream[i]);
	size_t lane = dp_chrome_row__place(render, row, syncs->start_ns[i], syncs->end_ns[i]);

	dp_chrome_out__begin(render, "X", "cuda_sync", names[syncs->kind[i]]);
	dp_chrome_row__write(render, row, lane);
	dp_chrome_out__span(render, syncs->start_ns[i], syncs->end_ns[i]);
	dp_chrome_out__number(render, ",\"args\":{\"correlation\":", syncs->correlation[i]);
	if (stream) {
		dp_chrome_out__number(render, ",\"device\":", out->devices[stream->device]);
		if (stream->context >= 0)
			dp_chrome_out__number(render, ",\"context\":", stream->context);
		dp_chrome_out__number(render, ",\"stream\":", stream->stream);
	}
	dp_render__text(render, "}}");
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
	const struct dp_ops *ops = dp_trace_ops(trace);
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
	write_host(render, out);
	for (size_t i = 0; i < ops->count && !render->status; i++)
		write_op(render, out, i);
	for (size_t i = 0; i < dp_trace_syncs(trace)->count && !render->status; i++)
		write_sync(render, out, i);
	if (!render->options->kineto)
		dp_chrome_out__found(render);
	return DP_OK;
}

static int loop(struct dp_render *render, size_t id)
{
	const struct dp_chrome_out *out = render->state;

	if (!render->options->kineto)
		dp_chrome_out__loop(render, id);
	else if (out->steps)
		dp_chrome_out__steps(render, id);
	return DP_OK;
}

static int finding(struct dp_render *render, size_t id)
{
	if (!render->options->kineto)
		dp_chrome_out__finding(render, id);
	return DP_OK;
}

static int end(struct dp_render *render)
{
	if (!render->options->kineto)
		dp_chrome_out__idle(render);
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
