/* A trace written as a timeline and read back is the same; the timeline has what it promises. */
#include "report_cases.h"
#include "test.h"

#include <deepprof/deepprof.h>
#include <jansson.h>
#include <unistd.h>
#include <zlib.h>

#ifndef DP_TRACES
#define DP_TRACES "traces"
#endif

static int write_out(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) != size;
}

/* Writes an analysis into a new file; path ends in XXXXXX. */
static void export_to(char *path, const struct dp_analysis *analysis, bool gzip, bool kineto)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct dp_error error = DP_ERROR_INIT;
	FILE *file = fdopen(mkstemp(path), "wb");
	struct dp_sink sink = { write_out, file };

	ck_assert_ptr_nonnull(file);
	options.gzip = gzip;
	options.kineto = kineto;
	ck_assert_int_eq(dp_report_write(analysis, "chrome", &options, &sink, &error), DP_OK);
	ck_assert_int_eq(fclose(file), 0);
}

static void compare_streams(const struct dp_trace *a, uint32_t x, const struct dp_trace *b,
			    uint32_t y)
{
	const struct dp_stream *s = dp_trace_stream(a, x), *t = dp_trace_stream(b, y);

	ck_assert_int_eq(s->stream, t->stream);
	ck_assert_int_eq(s->context, t->context);
	ck_assert_int_eq(dp_trace_device(a, s->device)->id, dp_trace_device(b, t->device)->id);
}

static void compare_calls(const struct dp_trace *a, uint32_t x, const struct dp_trace *b,
			  uint32_t y)
{
	const struct dp_calls *c = dp_trace_calls(a), *d = dp_trace_calls(b);

	ck_assert_int_eq(x == DP_NONE, y == DP_NONE);
	if (x == DP_NONE)
		return;
	ck_assert_int_eq(c->start_ns[x], d->start_ns[y]);
	ck_assert_int_eq(c->end_ns[x], d->end_ns[y]);
	ck_assert_str_eq(dp_trace_string(a, c->name[x]), dp_trace_string(b, d->name[y]));
}

/* Operations with equal start, end and correlation may change places: names distinguish them. */
static bool same_op(const struct dp_trace *a, size_t i, const struct dp_trace *b, size_t j)
{
	const struct dp_ops *p = dp_trace_ops(a), *q = dp_trace_ops(b);

	return p->start_ns[i] == q->start_ns[j] && p->end_ns[i] == q->end_ns[j] &&
	       p->bytes[i] == q->bytes[j] && p->correlation[i] == q->correlation[j] &&
	       dp_op_is_kernel(p->kind[i]) == dp_op_is_kernel(q->kind[j]) &&
	       (dp_op_is_kernel(p->kind[i])
			? !strcmp(dp_trace_string(a, p->name[i]), dp_trace_string(b, q->name[j]))
			: p->copy_kind[i] == q->copy_kind[j]);
}

static void compare(const struct dp_trace *a, const struct dp_trace *b)
{
	const struct dp_ops *p = dp_trace_ops(a), *q = dp_trace_ops(b);

	ck_assert_uint_eq(p->count, q->count);
	for (size_t i = 0; i < p->count; i++) {
		ck_assert_msg(same_op(a, i, b, i), "operation %zu: %s and %s", i,
			      dp_trace_string(a, p->name[i]), dp_trace_string(b, q->name[i]));
		compare_streams(a, p->stream[i], b, q->stream[i]);
		compare_calls(a, p->call[i], b, q->call[i]);
	}
	ck_assert_uint_eq(dp_trace_ranges(a)->count, dp_trace_ranges(b)->count);
	ck_assert_uint_eq(dp_trace_calls(a)->count, dp_trace_calls(b)->count);
	ck_assert_uint_eq(dp_trace_syncs(a)->count, dp_trace_syncs(b)->count);
}

/* There and back. */
static void round_trip(const struct dp_trace *trace, const struct dp_analysis *analysis, bool gzip)
{
	char path[] = "/tmp/deepprof-chrome-XXXXXX";
	struct dp_error error = DP_ERROR_INIT;
	struct dp_trace *again = NULL;

	export_to(path, analysis, gzip, false);
	ck_assert_msg(!dp_trace_open(&again, path, NULL, &error), "%s", error.message);
	ck_assert_str_eq(dp_trace_format(again), "kineto");
	ck_assert_uint_eq(dp_trace_loss_count(again), 0);
	compare(trace, again);
	dp_trace_free(again);
	unlink(path);
}

TEST(cases)
{
	struct report_case at;

	for (size_t i = 0; i < DP_COUNT(report_cases); i++) {
		/* Device ids of a file are those of one process. */
		if (!strcmp(report_cases[i].name, "ranks"))
			continue;
		report_cases[i].make(&at);
		round_trip(at.trace, at.analysis, false);
		round_trip(at.trace, at.analysis, true);
		case_free(&at);
	}
}

TEST(real_traces)
{
	static const char *const names[] = { "kineto-resnet50-workers0.pt.trace.json.gz",
					     "hta-diff-control.json.gz",
					     "hta-ns-resolution.json.gz",
					     "tracelens-mi300-resnet18.json.gz",
					     "nsys-2024-mmagic.sqlite" };
	const char *folder = getenv("DEEPPROF_TRACES");

	for (size_t i = 0; i < DP_COUNT(names); i++) {
		struct dp_error error = DP_ERROR_INIT;
		struct dp_analysis *analysis = NULL;
		struct dp_trace *trace = NULL;
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", folder ? folder : DP_TRACES, names[i]);
		if (access(path, R_OK))
			continue;
		ck_assert_int_eq(dp_trace_open(&trace, path, NULL, &error), DP_OK);
		ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, &error), DP_OK);
		round_trip(trace, analysis, i == 0);
		dp_analysis_free(analysis);
		dp_trace_free(trace);
	}
}

/* The events of a category and phase, "" for any. */
static size_t count_events(json_t *events, const char *category, const char *phase)
{
	size_t count = 0, i;
	json_t *event;

	json_array_foreach(events, i, event)
	{
		const char *has = json_string_value(json_object_get(event, "cat"));
		const char *is = json_string_value(json_object_get(event, "ph"));

		count += (!*category || (has && !strcmp(has, category))) && is &&
			 (!*phase || !strcmp(is, phase));
	}
	return count;
}

static json_t *load(const struct dp_analysis *analysis, bool kineto)
{
	char path[] = "/tmp/deepprof-chrome-XXXXXX";
	json_error_t error;
	json_t *document;

	export_to(path, analysis, false, kineto);
	document = json_load_file(path, 0, &error);
	ck_assert_msg(document != NULL, "%s", error.text);
	unlink(path);
	return document;
}

static size_t count_phases(const struct dp_analysis *analysis)
{
	size_t count = 0;
	bool was = false, is;

	for (size_t k = 0; k < dp_analysis_loop(analysis, 0)->iterations; k++, was = is) {
		const struct dp_iteration *at = dp_analysis_loop_iteration(analysis, 0, k);

		is = at->warmup || at->partial;
		count += !k || is != was;
	}
	return count;
}

static int count_idle(void *ctx, const struct dp_idle *idle)
{
	*(size_t *)ctx += idle->end_ns - idle->start_ns >= 30000;
	return DP_OK;
}

TEST(tracks)
{
	struct report_case at;
	json_t *document, *events, *event;
	const struct dp_loop *loop;
	size_t i, steps = 0, idle = 0;

	case_train(&at);
	loop = dp_analysis_loop(at.analysis, 0);
	ck_assert_int_eq(dp_analysis_foreach_idle(at.analysis, 0, INT64_MIN, INT64_MAX, count_idle,
						  &idle, NULL),
			 DP_OK);
	document = load(at.analysis, false);
	events = json_object_get(document, "traceEvents");
	/* Iterations, the waits before all but the first, phases, findings and long idle times. */
	ck_assert_uint_eq(count_events(events, "deepprof", "X"),
			  loop->iterations * 2 - 1 + count_phases(at.analysis) +
				  dp_analysis_finding_count(at.analysis) + idle);
	ck_assert_uint_gt(count_events(events, "deepprof", "C"), loop->iterations);
	json_array_foreach(events, i, event)
	{
		ck_assert_double_ge(json_number_value(json_object_get(event, "ts")), 0);
		ck_assert(json_is_integer(json_object_get(event, "pid")));
	}
	json_decref(document);
	document = load(at.analysis, true);
	events = json_object_get(document, "traceEvents");
	ck_assert_uint_eq(count_events(events, "deepprof", ""), 0);
	json_array_foreach(events, i, event)
	{
		const char *name = json_string_value(json_object_get(event, "name"));
		const char *category = json_string_value(json_object_get(event, "cat"));

		steps +=
			!strncmp(name, "ProfilerStep#", 13) && !strcmp(category, "user_annotation");
	}
	ck_assert_uint_eq(steps, loop->iterations);
	json_decref(document);
	case_free(&at);
}

/* A launched kernel has an arrow from its call. */
TEST(arrows)
{
	static const char path[] = DP_TRACES "/hta-ns-resolution.json.gz";
	struct dp_error error = DP_ERROR_INIT;
	struct dp_analysis *analysis = NULL;
	struct dp_trace *trace = NULL;
	size_t launched = 0;
	json_t *document;

	if (access(path, R_OK))
		return;
	ck_assert_int_eq(dp_trace_open(&trace, path, NULL, &error), DP_OK);
	ck_assert_int_eq(dp_analysis_run(&analysis, trace, NULL, &error), DP_OK);
	for (size_t i = 0; i < dp_trace_ops(trace)->count; i++)
		launched += dp_trace_ops(trace)->call[i] != DP_NONE;
	document = load(analysis, false);
	ck_assert_uint_gt(launched, 0);
	ck_assert_uint_eq(count_events(json_object_get(document, "traceEvents"), "ac2g", "s"),
			  launched);
	ck_assert_uint_eq(count_events(json_object_get(document, "traceEvents"), "ac2g", "f"),
			  launched);
	json_decref(document);
	dp_analysis_free(analysis);
	dp_trace_free(trace);
}

static int stop(void *ctx, const void *data, size_t size)
{
	return --*(int *)ctx < 0;
}

/* A sink that stops ends the report, compressed or not. */
TEST(sink_stops)
{
	struct dp_report_options options = DP_REPORT_OPTIONS_INIT;
	struct report_case at;

	case_train(&at);
	for (int gzip = 0; gzip < 2; gzip++) {
		struct dp_error error = DP_ERROR_INIT;
		int left = 0;
		struct dp_sink sink = { stop, &left };

		options.gzip = gzip;
		ck_assert_int_eq(dp_report_write(at.analysis, "chrome", &options, &sink, &error),
				 DP_ERR_IO);
	}
	case_free(&at);
}
