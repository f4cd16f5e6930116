/* What was found, as tracks of a timeline: of each loop its iterations, their phases, the waits
 * between them and counters; findings; idle time; or Kineto's steps. */
#include "report/chrome.h"
#include "report/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of our process: three of each loop at the level of the iterations, those of the findings, of
 * the devices, and of other loops. Both viewers show them in this order. */
enum row { ROW_ITERATIONS, ROW_PHASES, ROW_WAITS, ROWS };

static int64_t finding_row(const struct dp_render *render, size_t finding)
{
	return 1 + ROWS * (int64_t)dp_analysis_loop_count(render->analysis) + (int64_t)finding;
}

static int64_t idle_row(const struct dp_render *render, size_t device)
{
	return finding_row(render, dp_analysis_finding_count(render->analysis)) + (int64_t)device;
}

static int64_t row_of(const struct dp_render *render, const struct dp_loop *loop, enum row row)
{
	const struct dp_chrome_out *out = render->state;

	if (!loop->selected)
		return idle_row(render, dp_trace_device_count(out->trace)) + (int64_t)loop->id;
	return 1 + ROWS * (int64_t)loop->id + row;
}

void dp_chrome_out__found(struct dp_render *render)
{
	struct dp_chrome_out *out = render->state;
	int64_t loops = (int64_t)dp_analysis_loop_count(render->analysis);

	out->found_claims.next = idle_row(render, dp_trace_device_count(out->trace)) + loops;
	dp_chrome_out__name(render, "process_name", DP_CHROME_OUR_PID, 0, "deepprof");
	dp_chrome_out__order(render, "process_sort_index", DP_CHROME_OUR_PID, 0, -1);
}

static void name_row(struct dp_render *render, int64_t row, const char *name)
{
	dp_chrome_out__name(render, "thread_name", DP_CHROME_OUR_PID, row, name);
	dp_chrome_out__order(render, "thread_sort_index", DP_CHROME_OUR_PID, row, row);
}

/* Iterations, and so their phases, overlap where kernels of the next run next to the last ones. */
static struct dp_chrome_row make_row(const struct dp_render *render, const struct dp_loop *loop,
				     enum row row, const char *name)
{
	struct dp_chrome_out *out = render->state;
	int64_t number = row_of(render, loop, row);

	return (struct dp_chrome_row){ .claims = &out->found_claims,
				       .pid = DP_CHROME_OUR_PID,
				       .tid = number,
				       .order = number,
				       .name = name,
				       .thread = DP_NONE };
}

/* Begins a slice in a row. */
static void begin_slice(struct dp_render *render, struct dp_chrome_row *row, const char *name,
			int64_t start_ns, int64_t end_ns)
{
	size_t lane = dp_chrome_row__place(render, row, start_ns, end_ns);

	dp_chrome_out__begin(render, "X", "deepprof", name);
	dp_chrome_row__write(render, row, lane);
	dp_chrome_out__span(render, start_ns, end_ns);
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
		double number = dp_analysis_loop_metric(render->analysis, loop, i, at->index);

		if (!isfinite(number) || !dp_render__shows(render, info))
			continue;
		dp_number__json(value, number, info->unit);
		dp_render__format(render, ",\"%s\":%s", info->name, value);
	}
	dp_render__text(render, "}}");
}

static void write_iterations(struct dp_render *render, const struct dp_loop *loop)
{
	char title[DP_LABEL_SIZE], name[DP_NUMBER_SIZE];
	struct dp_chrome_row row = make_row(render, loop, ROW_ITERATIONS, title);
	const struct dp_chrome_out *out = render->state;

	dp_timeline__loop_name(title, out->trace, loop);
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);

		snprintf(name, sizeof(name), "iteration %zu", k);
		begin_slice(render, &row, name, at->start_ns, at->end_ns);
		write_args(render, loop->id, at);
	}
	dp_lanes__fini(&row.lanes);
}

static void write_phases(struct dp_render *render, const struct dp_loop *loop)
{
	char title[DP_NUMBER_SIZE];
	struct dp_chrome_row row = make_row(render, loop, ROW_PHASES, title);
	struct dp_timeline_phase phase;

	snprintf(title, sizeof(title), "loop %u: phases", loop->id);
	for (size_t k = 0; dp_timeline__phase(&phase, render, loop->id, k) && !render->status;
	     k = phase.end) {
		begin_slice(render, &row, phase.name, phase.start_ns, phase.end_ns);
		dp_render__format(render, ",\"args\":{\"iterations\":%zu}}",
				  phase.end - phase.first);
	}
	dp_lanes__fini(&row.lanes);
}

static void write_waits(struct dp_render *render, const struct dp_loop *loop)
{
	char title[DP_NUMBER_SIZE], name[DP_NUMBER_SIZE];
	struct dp_chrome_row row = make_row(render, loop, ROW_WAITS, title);
	int64_t start_ns, end_ns;

	snprintf(title, sizeof(title), "loop %u: waits", loop->id);
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);

		if (!dp_timeline__wait(render, loop, k, &start_ns, &end_ns))
			continue;
		snprintf(name, sizeof(name), "before iteration %zu", k);
		begin_slice(render, &row, name, start_ns, end_ns);
		dp_render__format(render, ",\"args\":{\"foreign_kernels\":%zu}}",
				  at->foreign_kernels);
	}
	dp_lanes__fini(&row.lanes);
}

static void write_counter(struct dp_render *render, const struct dp_loop *loop, size_t metric)
{
	const struct dp_metric_info *info = dp_metric(metric);
	char name[2 * DP_NUMBER_SIZE], unit[DP_NUMBER_SIZE], text[DP_NUMBER_SIZE];

	dp_timeline__counter_name(name, unit, loop, info);
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		double value = dp_analysis_loop_metric(render->analysis, loop->id, metric, k);

		if (!isfinite(value))
			continue;
		dp_chrome_out__begin(render, "C", "deepprof", name);
		dp_chrome_out__row(render, DP_CHROME_OUR_PID, 0);
		dp_chrome_out__at(
			render,
			dp_analysis_loop_iteration(render->analysis, loop->id, k)->start_ns);
		dp_number__json(text, value, info->unit);
		dp_render__format(render, ",\"args\":{\"%s\":%s}}", unit, text);
	}
}

void dp_chrome_out__loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_metric_info *info;

	write_iterations(render, loop);
	if (!loop->selected)
		return;
	write_phases(render, loop);
	write_waits(render, loop);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (dp_timeline__is_counter(render, info))
			write_counter(render, loop, i);
}

void dp_chrome_out__finding(struct dp_render *render, size_t id)
{
	/* chrome://tracing's own: grey, orange, red. */
	static const char *const colors[] = { "generic_work", "bad", "terrible" };
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	const struct dp_iteration *first = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->first_iteration);
	const struct dp_iteration *last = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->last_iteration);
	char name[2 * DP_NUMBER_SIZE], value[DP_NUMBER_SIZE];

	if (!first || !last)
		return;
	dp_timeline__finding_name(name, finding);
	name_row(render, finding_row(render, id), name);
	dp_chrome_out__begin(render, "X", "deepprof", finding->rule);
	dp_chrome_out__row(render, DP_CHROME_OUR_PID, finding_row(render, id));
	dp_chrome_out__span(render, first->start_ns, last->end_ns);
	dp_render__format(render, ",\"cname\":\"%s\",\"args\":{\"severity\":\"%s\",\"advice\":",
			  colors[finding->severity], dp_severity_name(finding->severity));
	dp_json_text__write(render, finding->advice, strlen(finding->advice), false);
	dp_number__json(value, finding->confidence, "1");
	dp_render__format(render, ",\"confidence\":%s", value);
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

struct idle_track {
	struct dp_render *render;
	int64_t row;
};

static int write_idle(void *ctx, const struct dp_idle *idle)
{
	const struct idle_track *row = ctx;

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
		struct idle_track row = { render, idle_row(render, i) };

		if (!dp_timeline__has_loop(render, i))
			continue;
		dp_timeline__idle_name(name, out->trace, i);
		name_row(render, row.row, name);
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
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop, k);
	const struct dp_iteration *next = dp_analysis_loop_iteration(render->analysis, loop, k + 1);
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
		dp_chrome_row__write(render, dp_chrome_rows__thread(out, first.thread), 0);
	dp_chrome_out__span(render, first.start_ns, DP_MAX(last.end_ns, first.start_ns));
	dp_render__text(render, "}");
	dp_chrome_out__begin(render, "X", "gpu_user_annotation", name);
	dp_chrome_row__write(render,
			     &out->streams[dp_analysis_loop(render->analysis, loop)->stream], 0);
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
