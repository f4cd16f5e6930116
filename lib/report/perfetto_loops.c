/* What was found, as tracks of a Perfetto timeline: of each loop its iterations, phases, the waits
 * between them and counters; findings; idle time by cause. */
#include "report/perfetto.h"
#include "report/timeline.h"

#include <math.h>
#include <stdio.h>

/* Loops that are not at the level of the iterations are shown below the findings. */
#define BELOW 1000000

/* A row below our track. */
static void init_lanes(struct dp_render *render, struct dp_perfetto_lanes *lanes, uint64_t parent,
		       const char *name)
{
	struct dp_perfetto *out = render->state;

	*lanes = (struct dp_perfetto_lanes){
		.info = { .parent = parent, .name = name, .rank = out->rank++ }
	};
}

static void write_metrics(struct dp_render *render, size_t loop, size_t iteration)
{
	const struct dp_metric_info *info;

	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (dp_render__shows(render, info))
			dp_perfetto__value(
				render, DP_PERFETTO_METRICS + i, NULL,
				dp_analysis_loop_metric(render->analysis, loop, i, iteration),
				info->unit);
}

static void write_iterations(struct dp_render *render, const struct dp_loop *loop, uint64_t parent)
{
	struct dp_perfetto_lanes lanes;
	char name[DP_NUMBER_SIZE];

	init_lanes(render, &lanes, parent, "iterations");
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);
		struct dp_perfetto_event event = { .category = DP_PERFETTO_FOUND,
						   .time_ns = at->start_ns,
						   .string = DP_NONE,
						   .name = name };

		snprintf(name, sizeof(name), "iteration %zu", k);
		dp_perfetto_lanes__begin(render, &lanes, event, at->end_ns);
		dp_perfetto__integer(render, DP_PERFETTO_KERNELS, (int64_t)at->kernels);
		dp_perfetto__integer(render, DP_PERFETTO_INSERTED, at->inserted);
		dp_perfetto__integer(render, DP_PERFETTO_DELETED, at->deleted);
		dp_perfetto__integer(render, DP_PERFETTO_SUBSTITUTED, at->substituted);
		dp_perfetto__integer(render, DP_PERFETTO_VARIANT, at->variant);
		write_metrics(render, loop->id, k);
		dp_perfetto__end(render);
	}
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_phases(struct dp_render *render, const struct dp_loop *loop, uint64_t parent)
{
	struct dp_perfetto_lanes lanes;
	struct dp_timeline_phase phase;

	init_lanes(render, &lanes, parent, "phases");
	for (size_t k = 0; dp_timeline__phase(&phase, render, loop->id, k) && !render->status;
	     k = phase.end) {
		struct dp_perfetto_event event = { .category = DP_PERFETTO_FOUND,
						   .time_ns = phase.start_ns,
						   .string = DP_NONE,
						   .name = phase.name };

		dp_perfetto_lanes__begin(render, &lanes, event, phase.end_ns);
		dp_perfetto__integer(render, DP_PERFETTO_ITERATIONS,
				     (int64_t)(phase.end - phase.first));
		dp_perfetto__end(render);
	}
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_waits(struct dp_render *render, const struct dp_loop *loop, uint64_t parent)
{
	struct dp_perfetto_lanes lanes;
	char name[DP_NUMBER_SIZE];
	int64_t end_ns;

	init_lanes(render, &lanes, parent, "waits");
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);
		struct dp_perfetto_event event = { .category = DP_PERFETTO_FOUND,
						   .string = DP_NONE,
						   .name = name };

		if (!dp_timeline__wait(render, loop, k, &event.time_ns, &end_ns))
			continue;
		snprintf(name, sizeof(name), "before iteration %zu", k);
		dp_perfetto_lanes__begin(render, &lanes, event, end_ns);
		dp_perfetto__integer(render, DP_PERFETTO_FOREIGN, (int64_t)at->foreign_kernels);
		dp_perfetto__end(render);
	}
	dp_perfetto_lanes__finish(render, &lanes);
}

static void write_counter(struct dp_render *render, const struct dp_loop *loop, uint64_t parent,
			  size_t metric)
{
	const struct dp_metric_info *info = dp_metric(metric);
	struct dp_perfetto *out = render->state;
	struct dp_perfetto_track track = {
		.parent = parent, .name = info->name, .unit = info->unit, .rank = out->rank++
	};
	uint64_t id = 0;

	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		double value = dp_analysis_loop_metric(render->analysis, loop->id, metric, k);

		if (!id && isfinite(value))
			id = dp_perfetto__track(render, &track);
		dp_perfetto__count(
			render, id,
			dp_analysis_loop_iteration(render->analysis, loop->id, k)->start_ns, value,
			info->unit);
	}
}

void dp_perfetto__loop(struct dp_render *render, size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	struct dp_perfetto *out = render->state;
	const struct dp_metric_info *info;
	char name[DP_LABEL_SIZE];
	struct dp_perfetto_track track = { .parent = out->ours,
					   .name = name,
					   .rank = out->rank++ + (loop->selected ? 0 : BELOW) };
	uint64_t parent;

	dp_timeline__loop_name(name, out->trace, loop);
	parent = dp_perfetto__track(render, &track);
	write_iterations(render, loop, parent);
	if (!loop->selected)
		return;
	write_phases(render, loop, parent);
	write_waits(render, loop, parent);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (dp_timeline__is_counter(render, info))
			write_counter(render, loop, parent, i);
}

void dp_perfetto__finding(struct dp_render *render, size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	const struct dp_iteration *first = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->first_iteration);
	const struct dp_iteration *last = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->last_iteration);
	const struct dp_perfetto *out = render->state;
	struct dp_perfetto_lanes lanes;
	struct dp_perfetto_event event = { .category = DP_PERFETTO_FOUND,
					   .string = DP_NONE,
					   .name = finding->rule };

	if (!first || !last)
		return;
	init_lanes(render, &lanes, out->ours, lanes.label);
	dp_timeline__finding_name(lanes.label, finding);
	event.time_ns = first->start_ns;
	dp_perfetto_lanes__begin(render, &lanes, event, last->end_ns);
	dp_perfetto__text(render, DP_PERFETTO_SEVERITY, dp_severity_name(finding->severity));
	dp_perfetto__text(render, DP_PERFETTO_ADVICE, finding->advice);
	dp_perfetto__value(render, DP_PERFETTO_CONFIDENCE, NULL, finding->confidence, "1");
	dp_perfetto__value(render, DP_PERFETTO_RECOVERABLE, NULL, finding->recoverable_ns, "ns");
	for (size_t i = 0; i < finding->evidence_count; i++) {
		if (dp_render__names_call(finding, i))
			dp_perfetto__text(render, DP_PERFETTO_API_CALL, finding->evidence[i].call);
		dp_perfetto__value(render, 0, finding->evidence[i].name, finding->evidence[i].value,
				   finding->evidence[i].unit);
	}
	dp_perfetto__end(render);
	dp_perfetto_lanes__finish(render, &lanes);
}

struct idle_row {
	struct dp_render *render;
	struct dp_perfetto_lanes lanes;
};

static int write_idle(void *ctx, const struct dp_idle *idle)
{
	struct idle_row *row = ctx;
	struct dp_perfetto_event event = { .category = DP_PERFETTO_FOUND,
					   .time_ns = idle->start_ns,
					   .string = DP_NONE,
					   .name = dp_idle_cause_name(idle->cause) };

	if (idle->end_ns - idle->start_ns < DP_TIMELINE_IDLE_NS)
		return 0;
	dp_perfetto_lanes__begin(row->render, &row->lanes, event, idle->end_ns);
	dp_perfetto__end(row->render);
	return row->render->status;
}

void dp_perfetto__idle(struct dp_render *render)
{
	const struct dp_perfetto *out = render->state;
	struct idle_row row = { .render = render };
	char name[DP_LABEL_SIZE];
	int status;

	for (uint32_t i = 0; i < dp_trace_device_count(out->trace) && !render->status; i++) {
		if (!dp_timeline__has_loop(render, i))
			continue;
		init_lanes(render, &row.lanes, out->ours, name);
		dp_timeline__idle_name(name, out->trace, i);
		status = dp_analysis_foreach_idle(render->analysis, i, INT64_MIN, INT64_MAX,
						  write_idle, &row, render->error);
		if (!render->status)
			render->status = status;
		dp_perfetto_lanes__finish(render, &row.lanes);
	}
}
