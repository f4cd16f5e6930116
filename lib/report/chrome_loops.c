/* What was found, as tracks of a timeline: of each loop its iterations, their phases, the waits
 * between them and counters; findings; idle time; or Kineto's steps. */
#include "report/chrome.h"
#include "report/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of our process: three per loop, then one per finding, then one per device. */
enum row { ROW_ITERATIONS, ROW_PHASES, ROW_WAITS, ROWS };

#define FINDING_ROWS INT64_C(1000000000)
#define IDLE_ROWS INT64_C(2000000000)

static int64_t row_of(const struct dp_loop *loop, enum row row)
{
	return ROWS * (int64_t)loop->id + row;
}

static void name_rows(struct dp_render *render, const struct dp_loop *loop)
{
	const struct dp_chrome_out *out = render->state;
	char name[DP_LABEL_SIZE];

	dp_timeline__loop_name(name, out->trace, loop);
	dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, row_of(loop, ROW_ITERATIONS),
			    name);
	if (!loop->at_level)
		return;
	snprintf(name, sizeof(name), "loop %u: phases", loop->id);
	dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, row_of(loop, ROW_PHASES),
			    name);
	snprintf(name, sizeof(name), "loop %u: waits", loop->id);
	dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, row_of(loop, ROW_WAITS),
			    name);
}

static void write_args(struct dp_render *render, size_t loop, const struct dp_iteration *at)
{
	const struct dp_metric_info *info;
	char value[DP_NUMBER_SIZE];

	dp_render__format(render,
			  ",\"args\":{\"kernels\":%zu,\"inserted\":%u,\"deleted\":%u,"
			  "\"substituted\":%u,\"variant\":%u,\"partial\":%s,\"warmup\":%s",
			  at->kernels, at->inserted, at->deleted, at->substituted, at->variant,
			  at->partial ? "true" : "false", at->warmup ? "true" : "false");
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		double number = dp_loop_metric(render->analysis, loop, i, at->index);

		if (!isfinite(number) || !dp_render__shows(render, info))
			continue;
		dp_number__json(value, number, info->unit);
		dp_render__format(render, ",\"%s\":%s", info->name, value);
	}
	dp_render__text(render, "}}");
}

static void write_iteration(struct dp_render *render, const struct dp_loop *loop, size_t k)
{
	const struct dp_iteration *at = dp_loop_iteration(render->analysis, loop->id, k);
	int64_t start_ns, end_ns;
	char name[DP_NUMBER_SIZE];

	snprintf(name, sizeof(name), "iteration %zu", k);
	dp_chrome_out__begin(render, "X", "deepprof", name);
	dp_chrome_out__row(render, DP_CHROME_OUR_PID, row_of(loop, ROW_ITERATIONS));
	dp_chrome_out__span(render, at->start_ns, at->end_ns);
	write_args(render, loop->id, at);
	if (!dp_timeline__wait(render, loop, k, &start_ns, &end_ns))
		return;
	snprintf(name, sizeof(name), "before iteration %zu", k);
	dp_chrome_out__begin(render, "X", "deepprof", name);
	dp_chrome_out__row(render, DP_CHROME_OUR_PID, row_of(loop, ROW_WAITS));
	dp_chrome_out__span(render, start_ns, end_ns);
	dp_render__format(render, ",\"args\":{\"foreign_kernels\":%zu}}", at->foreign_kernels);
}

static void write_phases(struct dp_render *render, const struct dp_loop *loop)
{
	struct dp_timeline_phase phase;

	for (size_t k = 0; dp_timeline__phase(&phase, render, loop->id, k) && !render->status;
	     k = phase.end) {
		dp_chrome_out__begin(render, "X", "deepprof", phase.name);
		dp_chrome_out__row(render, DP_CHROME_OUR_PID, row_of(loop, ROW_PHASES));
		dp_chrome_out__span(render, phase.start_ns, phase.end_ns);
		dp_render__format(render, ",\"args\":{\"iterations\":%zu}}",
				  phase.end - phase.first);
	}
}

static void write_counter(struct dp_render *render, const struct dp_loop *loop, size_t metric)
{
	const struct dp_metric_info *info = dp_metric(metric);
	char name[2 * DP_NUMBER_SIZE], text[DP_NUMBER_SIZE];

	snprintf(name, sizeof(name), "loop %u: %.60s", loop->id, info->name);
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		double value = dp_loop_metric(render->analysis, loop->id, metric, k);

		if (!isfinite(value))
			continue;
		dp_chrome_out__begin(render, "C", "deepprof", name);
		dp_chrome_out__row(render, DP_CHROME_OUR_PID, 0);
		dp_chrome_out__at(render,
				  dp_loop_iteration(render->analysis, loop->id, k)->start_ns);
		dp_number__json(text, value, info->unit);
		dp_render__format(render, ",\"args\":{\"value\":%s}}", text);
	}
}

void dp_chrome_out__loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_metric_info *info;

	name_rows(render, loop);
	for (size_t k = 0; k < loop->iterations && !render->status; k++)
		write_iteration(render, loop, k);
	if (!loop->at_level)
		return;
	write_phases(render, loop);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (dp_timeline__is_counter(render, info))
			write_counter(render, loop, i);
}

void dp_chrome_out__finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	const struct dp_iteration *first =
		dp_loop_iteration(render->analysis, finding->loop, finding->first_iteration);
	const struct dp_iteration *last =
		dp_loop_iteration(render->analysis, finding->loop, finding->last_iteration);
	char name[2 * DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];

	if (!first || !last)
		return;
	snprintf(name, sizeof(name), "finding: %.60s", finding->rule);
	dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, FINDING_ROWS + (int64_t)id,
			    name);
	dp_chrome_out__begin(render, "X", "deepprof", finding->rule);
	dp_chrome_out__row(render, DP_CHROME_OUR_PID, FINDING_ROWS + (int64_t)id);
	dp_chrome_out__span(render, first->start_ns, last->end_ns);
	dp_render__text(render, ",\"args\":{\"advice\":");
	dp_json_text__write(render, finding->advice, strlen(finding->advice), false);
	dp_number__json(value, finding->recoverable_ns, "ns");
	dp_render__format(render, ",\"recoverable_ns\":%s", value);
	for (size_t i = 0; i < finding->evidence_count; i++) {
		const char *call = finding->evidence[i].call;

		if (dp_render__names_call(finding, i)) {
			dp_render__text(render, ",\"call\":");
			dp_json_text__write(render, call, strlen(call), false);
		}
		dp_number__json(value, finding->evidence[i].value, finding->evidence[i].unit);
		dp_render__format(render, ",\"%s\":%s", finding->evidence[i].name, value);
	}
	dp_render__text(render, "}}");
}

struct idle_row {
	struct dp_render *render;
	int64_t row;
};

static int write_idle(void *ctx, const struct dp_idle *idle)
{
	const struct idle_row *row = ctx;

	if (idle->end_ns - idle->start_ns < DP_TIMELINE_IDLE_NS)
		return 0;
	dp_chrome_out__begin(row->render, "X", "deepprof", dp_idle_cause_name(idle->cause));
	dp_chrome_out__row(row->render, DP_CHROME_OUR_PID, row->row);
	dp_chrome_out__span(row->render, idle->start_ns, idle->end_ns);
	dp_render__text(row->render, "}");
	return row->render->status;
}

void dp_chrome_out__idle(struct dp_render *render)
{
	const struct dp_chrome_out *out = render->state;
	char name[DP_LABEL_SIZE];
	int status;

	for (uint32_t i = 0; i < dp_trace_device_count(out->trace) && !render->status; i++) {
		struct idle_row row = { render, IDLE_ROWS + i };

		if (!dp_timeline__has_loop(render, i))
			continue;
		dp_timeline__idle_name(name, out->trace, i);
		dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, row.row, name);
		status = dp_analysis_foreach_idle(render->analysis, i, INT64_MIN, INT64_MAX,
						  write_idle, &row, render->error);
		if (!render->status)
			render->status = status;
	}
}

/* When and where a kernel was launched. */
struct launch {
	int64_t start_ns, end_ns;
	uint32_t thread;
};

/* The stream's kernels, in order. The caller frees them. */
static uint32_t *kernels_of(const struct dp_trace *trace, uint32_t stream, size_t *count)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t total;
	const uint32_t *rows = dp_trace_stream_ops(trace, stream, &total);
	uint32_t *kernels = dp_alloc__array(total + 1, sizeof(*kernels));

	*count = 0;
	for (size_t i = 0; kernels && i < total; i++)
		if (dp_op_is_kernel(ops->kind[rows[i]]))
			kernels[(*count)++] = rows[i];
	return kernels;
}

/* The call of a kernel; its own time where that is not on record. */
static struct launch launch_of(const struct dp_trace *trace, uint32_t op)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	uint32_t call = ops->call[op];

	if (call == DP_NONE)
		return (struct launch){ ops->start_ns[op], ops->end_ns[op], DP_NONE };
	return (struct launch){ calls->start_ns[call], calls->end_ns[call], calls->thread[call] };
}

/* On the host from the iteration's first launch to the next one's, or to its last launch's end. */
static void write_step(struct dp_render *render, size_t loop, size_t k, const uint32_t *kernels,
		       size_t count)
{
	struct dp_chrome_out *out = render->state;
	const struct dp_iteration *at = dp_loop_iteration(render->analysis, loop, k);
	const struct dp_iteration *next = dp_loop_iteration(render->analysis, loop, k + 1);
	struct launch first, last;
	char name[DP_NUMBER_SIZE];

	if (at->first_kernel >= count || !at->kernels)
		return;
	first = launch_of(out->trace, kernels[at->first_kernel]);
	last = launch_of(out->trace, kernels[DP_MIN(at->first_kernel + at->kernels, count) - 1]);
	if (next && next->first_kernel < count)
		last.end_ns = launch_of(out->trace, kernels[next->first_kernel]).start_ns;
	snprintf(name, sizeof(name), "ProfilerStep#%lld", (long long)out->next_step++);
	dp_chrome_out__begin(render, "X", "user_annotation", name);
	if (first.thread == DP_NONE)
		dp_chrome_out__row(render, dp_trace_process(out->trace, 0)->pid, 1);
	else
		dp_chrome_out__thread(render, first.thread);
	dp_chrome_out__span(render, first.start_ns, DP_MAX(last.end_ns, first.start_ns));
	dp_render__text(render, "}");
	dp_chrome_out__begin(render, "X", "gpu_user_annotation", name);
	dp_chrome_out__stream(render, dp_analysis_loop(render->analysis, loop)->stream);
	dp_chrome_out__span(render, at->start_ns, at->end_ns);
	dp_render__text(render, "}");
}

void dp_chrome_out__steps(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct dp_chrome_out *out = render->state;
	uint32_t *kernels;
	size_t count;

	/* Steps of two loops would lie in each other: the first loop's are the steps. */
	if (!loop->at_level)
		return;
	out->steps = false;
	kernels = kernels_of(out->trace, loop->stream, &count);
	if (!kernels) {
		if (!render->status)
			render->status = dp_error__nomem(render->error, 0);
		return;
	}
	for (size_t k = 0; k < loop->iterations && !render->status; k++)
		write_step(render, id, k, kernels, count);
	free(kernels);
}
