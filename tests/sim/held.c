/*
 * sim-held FILE TRUTH: reads a simulated trace through the library's public interface and holds it
 * against the truth that the simulator wrote next to it: every count, every stream, the time of
 * every iteration's first and last kernel, and the name of every kernel in it. Exit status 0 if all
 * agree.
 */
#include "held.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int held_failures;
/*
 * If starts are coarser than durations, the reader moves a start that seems to precede the last
 * end.
 */
static int64_t tolerance_ns;

void held_differ(const char *what, int64_t expected, int64_t found)
{
	if (expected == found)
		return;
	fprintf(stderr, "%s: %" PRId64 " planted, %" PRId64 " read\n", what, expected, found);
	held_failures++;
}

static void differ_ns(const char *what, int64_t expected, int64_t found, int64_t times)
{
	if (expected - found > tolerance_ns * times || found - expected > tolerance_ns * times)
		held_differ(what, expected, found);
}

int64_t held_integer(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	return false;
}

/* Their copies have no sizes. */
static const char *const no_bytes[] = { "rocprof", "rocprofv3-csv", "ascend", "jax-json", NULL };

static void check_totals(const struct dp_trace *trace, const json_t *truth)
{
	static const char *const no_host[] = { "nvprof-csv",	  "nvprof-csv-17", "nvprof-csv-22",
					       "nvprof-csv-peer", "ascend",	   NULL };
	static const char *const no_epoch[] = { "rocprofv3", "rocprofv3-csv", "rocpd", "rpd",
						"rocprof",   "jax-json",      NULL };
	const char *format = json_string_value(json_object_get(truth, "format"));
	const struct dp_ops *ops = dp_trace_ops(trace);
	int64_t kinds[4] = { 0 }, t0_ns, h2d = 0;

	for (size_t i = 0; i < ops->count; i++) {
		kinds[ops->kind[i]]++;
		h2d += ops->copy_kind[i] == DP_COPY_HTOD ? (int64_t)ops->bytes[i] : 0;
	}
	held_differ("kernels", held_integer(truth, "kernels"), kinds[DP_OP_KERNEL]);
	held_differ("graphs", held_integer(truth, "graphs"), kinds[DP_OP_GRAPH]);
	held_differ("copies", held_integer(truth, "copies"), kinds[DP_OP_COPY]);
	held_differ("sets", held_integer(truth, "sets"), kinds[DP_OP_MEMSET]);
	differ_ns("duration_ns", held_integer(truth, "duration_ns"), dp_trace_duration_ns(trace),
		  1);
	/* A size in MB with six decimals may be a byte off. */
	if (strcmp(format, "nvprof-csv-22") != 0 && !one_of(format, no_bytes))
		held_differ("bytes uploaded", held_integer(truth, "h2d_bytes"), h2d);
	if (!one_of(format, no_host)) {
		held_differ("calls", held_integer(truth, "calls"),
			    (int64_t)dp_trace_calls(trace)->count);
		held_differ("ranges",
			    held_integer(truth, "operators") + held_integer(truth, "marks"),
			    (int64_t)dp_trace_ranges(trace)->count);
		held_differ("an epoch", !one_of(format, no_epoch), dp_trace_t0(trace, &t0_ns));
		if (!one_of(format, no_epoch))
			held_differ("t0_ns", held_integer(truth, "t0_ns"), t0_ns);
		held_differ("lost", 0, (int64_t)dp_trace_lost(trace));
	}
	held_differ("clamped", 0, (int64_t)dp_trace_clamped(trace));
}

bool held_is_at(const struct dp_trace *trace, const struct dp_stream *stream, const json_t *place)
{
	const struct dp_device *device = dp_trace_device(trace, stream->device);
	int64_t pid = dp_trace_process(trace, stream->process)->pid;

	/* XPlanes do not say which process they are of. */
	return (pid == -1 || pid == held_integer(place, "process")) &&
	       device->id == held_integer(place, "device") &&
	       stream->stream == held_integer(place, "stream");
}

static size_t stream_at(const struct dp_trace *trace, const json_t *place)
{
	for (size_t i = 0; i < dp_trace_stream_count(trace); i++)
		if (held_is_at(trace, dp_trace_stream(trace, i), place))
			return i;
	return SIZE_MAX;
}

static void check_stream(const struct dp_trace *trace, const json_t *planted, const char *format)
{
	static const char *const no_context[] = { "rocprofv3", "rocprofv3-csv", "rpd",	   "rocpd",
						  "xplane",    "perfetto",	"rocprof", "ascend",
						  "jax-json",  "kineto-mtia",	NULL };
	static const char *const classes[] = { "main", "copy", "assist" };
	size_t index = stream_at(trace, planted);
	const struct dp_stream *stream = dp_trace_stream(trace, index);

	if (!stream) {
		held_differ("stream", held_integer(planted, "stream"), -1);
		return;
	}
	held_differ("a stream's context",
		    one_of(format, no_context) ? -1 : held_integer(planted, "context"),
		    stream->context);
	held_differ("a stream's kernels",
		    held_integer(planted, "kernels") + held_integer(planted, "graphs"),
		    (int64_t)stream->kernels);
	held_differ("a stream's copies", held_integer(planted, "copies"), (int64_t)stream->copies);
	held_differ("a stream's sets", held_integer(planted, "sets"), (int64_t)stream->memsets);
	differ_ns("a stream's busy_ns", held_integer(planted, "busy_ns"), stream->busy_ns,
		  (int64_t)(stream->kernels + stream->copies + stream->memsets));
	if (strcmp(json_string_value(json_object_get(planted, "class")),
		   classes[stream->stream_class]) != 0)
		held_differ("a stream's class", -1, stream->stream_class);
}

/* Indices of the stream's kernels. The caller frees them. */
static uint32_t *sequence(const struct dp_trace *trace, size_t stream, size_t *count)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t n;
	const uint32_t *all = dp_trace_stream_ops(trace, stream, &n);
	uint32_t *kernels = malloc((n + 1) * sizeof(*kernels));

	*count = 0;
	for (size_t i = 0; kernels && i < n; i++)
		if (dp_op_is_kernel(ops->kind[all[i]]))
			kernels[(*count)++] = all[i];
	return kernels;
}

static bool undisturbed(const json_t *iteration)
{
	return !json_is_true(json_object_get(iteration, "partial")) &&
	       held_integer(iteration, "inserted") + held_integer(iteration, "deleted") +
			       held_integer(iteration, "substituted") +
			       held_integer(iteration, "lost") ==
		       0;
}

/* The names of an iteration without edits are the pattern's. */
static void check_names(const struct dp_trace *trace, const json_t *truth, const json_t *pattern,
			const uint32_t *kernels, size_t count)
{
	const json_t *ids = json_object_get(pattern, "kernels");
	const json_t *names = json_object_get(truth, "names");
	const struct dp_ops *ops = dp_trace_ops(trace);

	held_differ("kernels of an iteration without edits", (int64_t)json_array_size(ids),
		    (int64_t)count);
	for (size_t i = 0; i < count && i < json_array_size(ids); i++) {
		const json_t *id = json_array_get(ids, i);
		const char *name =
			json_string_value(json_array_get(names, (size_t)json_integer_value(id)));
		const char *found = dp_trace_string(trace, ops->name[kernels[i]]);

		if (strcmp(name, found) == 0)
			continue;
		fprintf(stderr, "kernel %zu of the pattern: \"%s\" planted, \"%s\" read\n", i, name,
			found);
		held_failures++;
		return;
	}
}

static void check_loop(const struct dp_trace *trace, const json_t *truth, const json_t *loop)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const json_t *pattern = json_object_get(loop, "pattern"), *iteration;
	size_t count = 0, index;
	uint32_t *kernels = sequence(trace, stream_at(trace, loop), &count);

	json_array_foreach(json_object_get(loop, "iterations"), index, iteration)
	{
		size_t first = (size_t)held_integer(iteration, "first_kernel");
		size_t end = (size_t)held_integer(iteration, "end_kernel");

		if (end > count) {
			held_differ("kernels of a main stream", (int64_t)end, (int64_t)count);
			break;
		}
		differ_ns("an iteration's start_ns", held_integer(iteration, "start_ns"),
			  ops->start_ns[kernels[first]], 1);
		differ_ns("an iteration's end_ns", held_integer(iteration, "end_ns"),
			  ops->end_ns[kernels[end - 1]], 1);
		if (undisturbed(iteration) && !json_is_true(json_object_get(pattern, "varies")))
			check_names(trace, truth, pattern, kernels + first, end - first);
	}
	free(kernels);
}

static void check(const struct dp_trace *trace, const json_t *truth)
{
	/* These have fewer names and no streams. */
	static const char *const poor[] = { "kineto-legacy", "tf-timeline", NULL };
	const char *format = json_string_value(json_object_get(truth, "format"));
	const json_t *item;
	size_t index;

	if (one_of(format, poor)) {
		held_differ("operations", held_integer(truth, "operations"),
			    (int64_t)dp_trace_ops(trace)->count);
		return;
	}
	if (held_integer(truth, "start_resolution_ns") >
	    held_integer(truth, "length_resolution_ns"))
		tolerance_ns = held_integer(truth, "start_resolution_ns");
	check_totals(trace, truth);
	json_array_foreach(json_object_get(truth, "streams"), index, item)
		check_stream(trace, item, format);
	if (one_of(format, no_bytes))
		return;
	json_array_foreach(json_object_get(truth, "loops"), index, item)
		check_loop(trace, truth, item);
	/* If starts are moved, the numbers differ as well. */
	if (!tolerance_ns)
		held_check_metrics(trace, truth);
}

int main(int argc, char **argv)
{
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *trace = NULL;
	json_error_t json_error;
	json_t *truth;
	char text[512];

	if (argc != 3) {
		fputs("usage: sim-held FILE TRUTH\n", stderr);
		return 2;
	}
	truth = json_load_file(argv[2], 0, &json_error);
	if (!truth) {
		fprintf(stderr, "%s: %s\n", argv[2], json_error.text);
		return 2;
	}
	if (dp_trace_open(&trace, argv[1], NULL, &error)) {
		dp_error_format(&error, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
		held_failures++;
	} else {
		check(trace, truth);
	}
	dp_trace_free(trace);
	json_decref(truth);
	return held_failures ? 1 : 0;
}
