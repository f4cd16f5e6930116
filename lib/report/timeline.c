/* The walk over a timeline that all its formats share. */
#include "report/timeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shorter idle times are launch overhead, too short to be shown. */
#define IDLE_LEAST_NS 30000

const char *const dp_timeline__keys[DP_KEY_METRICS] = { "",
							"device",
							"context",
							"correlation",
							"partial",
							"warmup",
							"bytes",
							"duration_ns",
							"stream",
							"kernels",
							"inserted",
							"deleted",
							"substituted",
							"variant",
							"iterations",
							"foreign_kernels",
							"advice",
							"call",
							"severity",
							"confidence",
							"recoverable_ns" };

int64_t dp_timeline__zero(const struct dp_trace *trace)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_syncs *syncs = dp_trace_syncs(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	int64_t first_ns = ops->count ? ops->start_ns[0] : 0;

	if (calls->count)
		first_ns = DP_MIN(first_ns, calls->start_ns[0]);
	if (syncs->count)
		first_ns = DP_MIN(first_ns, syncs->start_ns[0]);
	if (ranges->count)
		first_ns = DP_MIN(first_ns, ranges->start_ns[0]);
	return first_ns;
}

int64_t dp_timeline__since(int64_t time_ns, int64_t from_ns)
{
	int64_t result;

	if (__builtin_sub_overflow(time_ns, from_ns, &result))
		return time_ns < from_ns ? INT64_MIN : INT64_MAX;
	return result;
}

void dp_timeline__loop_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace,
			    const struct dp_loop *loop)
{
	snprintf(name, DP_LABEL_SIZE, "loop %u: %zu x %zu kernels, GPU %lld stream %lld", loop->id,
		 loop->complete, loop->length, (long long)dp_trace_device(trace, loop->device)->id,
		 (long long)dp_trace_stream(trace, loop->stream)->stream);
}

void dp_timeline__device_name(char name[DP_LABEL_SIZE], const struct dp_trace *trace, size_t index)
{
	const struct dp_device *device = dp_trace_device(trace, index);
	const struct dp_process *process = dp_trace_process(trace, device->process);
	const char *model = dp_trace_string(trace, device->name);
	char whose[DP_NUMBER_SIZE] = "";

	if (process && process->rank >= 0)
		snprintf(whose, sizeof(whose), " (rank %lld)", (long long)process->rank);
	else if (process && dp_trace_process_count(trace) > 1)
		snprintf(whose, sizeof(whose), " (pid %lld)", (long long)process->pid);
	snprintf(name, DP_LABEL_SIZE, "GPU %lld%s%s%.200s", (long long)device->id, whose,
		 *model ? ": " : "", model);
}

/* Relies on streams being sorted by device and context. */
bool dp_timeline__has_contexts(const struct dp_trace *trace, size_t first)
{
	const struct dp_stream *of = dp_trace_stream(trace, first), *other;

	for (size_t i = first; (other = dp_trace_stream(trace, i)) && other->device == of->device;
	     i++)
		if (other->context != of->context)
			return true;
	return false;
}

void dp_timeline__stream_name(char name[DP_NUMBER_SIZE], const struct dp_trace *trace,
			      size_t stream, bool several)
{
	const struct dp_stream *of = dp_trace_stream(trace, stream);

	snprintf(name, DP_NUMBER_SIZE, several ? "stream %lld, context %lld" : "stream %lld",
		 (long long)of->stream, (long long)of->context);
}

bool dp_timeline__has_loop(const struct dp_render *render, size_t device)
{
	const struct dp_loop *loop;

	for (size_t i = 0; (loop = dp_analysis_loop(render->analysis, i)); i++)
		if (loop->device == device)
			return true;
	return false;
}

size_t dp_timeline__device(const struct dp_trace *trace, uint32_t stream)
{
	return stream == DP_NONE ? dp_trace_device_count(trace)
				 : dp_trace_stream(trace, stream)->device;
}

/* Writes a slice without arguments. */
static void write_slice(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			const struct dp_timeline_slice *slice)
{
	encoder->begin(render, slice);
	encoder->end(render, slice);
}

static void write_call(struct dp_render *render, const struct dp_timeline_encoder *encoder,
		       size_t i)
{
	const struct dp_calls *calls = dp_trace_calls(dp_analysis_trace(render->analysis));
	struct dp_timeline_slice slice = { .row = DP_ROW_THREAD,
					   .category = DP_SLICE_CALL,
					   .index = calls->thread[i],
					   .string = calls->name[i],
					   .item = i,
					   .start_ns = calls->start_ns[i],
					   .end_ns = calls->end_ns[i] };

	encoder->begin(render, &slice);
	encoder->integer(render, DP_KEY_CORRELATION, calls->correlation[i]);
	encoder->end(render, &slice);
}

static void write_range(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			size_t i)
{
	static const enum dp_timeline_category categories[] = { DP_SLICE_NVTX, DP_SLICE_ANNOTATION,
								DP_SLICE_OPERATOR };
	const struct dp_ranges *ranges = dp_trace_ranges(dp_analysis_trace(render->analysis));
	struct dp_timeline_slice slice = { .row = DP_ROW_THREAD,
					   .category = categories[ranges->kind[i]],
					   .index = ranges->thread[i],
					   .string = ranges->name[i],
					   .item = i,
					   .start_ns = ranges->start_ns[i],
					   .end_ns = ranges->end_ns[i] };

	write_slice(render, encoder, &slice);
}

/*
 * Writes calls and ranges in order of start, so that they nest; of equal starts, ranges enclose
 * calls.
 */
static void write_host(struct dp_render *render, const struct dp_timeline_encoder *encoder,
		       const struct dp_trace *trace)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	const struct dp_ranges *ranges = dp_trace_ranges(trace);
	size_t call = 0, range = 0;

	while (!render->status && (call < calls->count || range < ranges->count)) {
		if (range < ranges->count &&
		    (call == calls->count || ranges->start_ns[range] <= calls->start_ns[call]))
			write_range(render, encoder, range++);
		else
			write_call(render, encoder, call++);
	}
	encoder->close_row(render, DP_ROW_THREAD);
}

static void write_ops(struct dp_render *render, const struct dp_timeline_encoder *encoder,
		      const struct dp_ops *ops)
{
	static const enum dp_timeline_category categories[] = { [DP_OP_KERNEL] = DP_SLICE_KERNEL,
								[DP_OP_GRAPH] = DP_SLICE_KERNEL,
								[DP_OP_COPY] = DP_SLICE_COPY,
								[DP_OP_MEMSET] = DP_SLICE_MEMSET };

	for (size_t i = 0; i < ops->count && !render->status; i++) {
		struct dp_timeline_slice slice = { .row = DP_ROW_STREAM,
						   .category = categories[ops->kind[i]],
						   .index = ops->stream[i],
						   .string = ops->name[i],
						   .item = i,
						   .start_ns = ops->start_ns[i],
						   .end_ns = ops->end_ns[i] };

		encoder->begin(render, &slice);
		encoder->place(render, &slice);
		if (ops->correlation[i])
			encoder->integer(render, DP_KEY_CORRELATION, ops->correlation[i]);
		if (!dp_op_is_kernel(ops->kind[i]))
			encoder->integer(render, DP_KEY_BYTES, (int64_t)ops->bytes[i]);
		encoder->end(render, &slice);
	}
	encoder->close_row(render, DP_ROW_STREAM);
}

static void write_syncs(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			const struct dp_syncs *syncs)
{
	static const char *const names[] = { "Sync", "Event Sync", "Stream Wait Event",
					     "Stream Sync", "Context Sync" };

	for (size_t i = 0; i < syncs->count && !render->status; i++) {
		struct dp_timeline_slice slice = { .row = DP_ROW_SYNC,
						   .category = DP_SLICE_SYNC,
						   .index = syncs->stream[i],
						   .name = names[syncs->kind[i]],
						   .item = i,
						   .start_ns = syncs->start_ns[i],
						   .end_ns = syncs->end_ns[i] };

		encoder->begin(render, &slice);
		encoder->integer(render, DP_KEY_CORRELATION, syncs->correlation[i]);
		if (slice.index != DP_NONE)
			encoder->place(render, &slice);
		encoder->end(render, &slice);
	}
	encoder->close_row(render, DP_ROW_SYNC);
}

void dp_timeline__trace(struct dp_render *render, const struct dp_timeline_encoder *encoder)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);

	write_host(render, encoder, trace);
	write_ops(render, encoder, dp_trace_ops(trace));
	write_syncs(render, encoder, dp_trace_syncs(trace));
}

static void write_iteration(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			    const struct dp_timeline_slice *slice, const struct dp_iteration *at)
{
	const struct dp_metric_info *info;

	encoder->begin(render, slice);
	encoder->integer(render, DP_KEY_KERNELS, (int64_t)at->kernels);
	encoder->integer(render, DP_KEY_INSERTED, at->inserted);
	encoder->integer(render, DP_KEY_DELETED, at->deleted);
	encoder->integer(render, DP_KEY_SUBSTITUTED, at->substituted);
	encoder->integer(render, DP_KEY_VARIANT, at->variant);
	encoder->integer(render, DP_KEY_PARTIAL, at->partial);
	encoder->integer(render, DP_KEY_WARMUP, at->warmup);
	for (size_t i = 0; (info = dp_metric(i)); i++) {
		double value =
			dp_analysis_loop_metric(render->analysis, slice->index, i, at->index);

		if (isfinite(value) && dp_render__shows(render, info))
			encoder->number(render, DP_KEY_METRICS + i, info->name, value, info->unit);
	}
	encoder->end(render, slice);
}

static void write_iterations(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			     const struct dp_loop *loop)
{
	char name[DP_NUMBER_SIZE];
	struct dp_timeline_slice slice = { .row = DP_ROW_ITERATIONS,
					   .category = DP_SLICE_FOUND,
					   .index = loop->id,
					   .name = name };

	encoder->open_row(render, slice.row, loop->id, "iterations");
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);

		snprintf(name, sizeof(name), "iteration %zu", k);
		slice.start_ns = at->start_ns;
		slice.end_ns = at->end_ns;
		write_iteration(render, encoder, &slice, at);
	}
	encoder->close_row(render, slice.row);
}

static const char *phase_of(const struct dp_iteration *at)
{
	return at->partial ? "cut off" : at->warmup ? "warm-up" : "steady";
}

/* Writes adjacent iterations of one kind as a phase. */
static void write_phases(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			 const struct dp_loop *loop)
{
	const struct dp_iteration *at = dp_analysis_loop_iteration(render->analysis, loop->id, 0);

	encoder->open_row(render, DP_ROW_PHASES, loop->id, "phases");
	for (size_t k = 0, first = 0; at && !render->status; first = k) {
		struct dp_timeline_slice slice = { .row = DP_ROW_PHASES,
						   .category = DP_SLICE_FOUND,
						   .index = loop->id,
						   .name = phase_of(at),
						   .start_ns = at->start_ns,
						   .end_ns = at->end_ns };

		for (; at && phase_of(at) == slice.name;
		     at = dp_analysis_loop_iteration(render->analysis, loop->id, ++k))
			slice.end_ns = DP_MAX(slice.end_ns, at->end_ns);
		encoder->begin(render, &slice);
		encoder->integer(render, DP_KEY_ITERATIONS, (int64_t)(k - first));
		encoder->end(render, &slice);
	}
	encoder->close_row(render, DP_ROW_PHASES);
}

static void write_waits(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			const struct dp_loop *loop)
{
	char name[DP_NUMBER_SIZE];
	struct dp_timeline_slice slice = {
		.row = DP_ROW_WAITS, .category = DP_SLICE_FOUND, .index = loop->id, .name = name
	};
	const struct dp_iteration *before = NULL, *at;

	encoder->open_row(render, slice.row, loop->id, "waits");
	for (size_t k = 0; k < loop->iterations && !render->status; k++, before = at) {
		at = dp_analysis_loop_iteration(render->analysis, loop->id, k);
		if (!before || at->resumed || before->end_ns >= at->start_ns)
			continue;
		snprintf(name, sizeof(name), "before iteration %zu", k);
		slice.start_ns = before->end_ns;
		slice.end_ns = at->start_ns;
		encoder->begin(render, &slice);
		encoder->integer(render, DP_KEY_FOREIGN, (int64_t)at->foreign_kernels);
		encoder->end(render, &slice);
	}
	encoder->close_row(render, slice.row);
}

static bool is_curve(const struct dp_render *render, const struct dp_metric_info *info)
{
	static const char *const names[] = { "period_ns",   "interval_ns", "overlap", "h2d_bytes",
					     "utilization", "queue_depth", "power_W" };

	for (size_t i = 0; i < DP_COUNT(names); i++)
		if (!strcmp(info->name, names[i]))
			return dp_render__shows(render, info);
	return false;
}

static void write_curve(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			const struct dp_loop *loop, size_t metric)
{
	const struct dp_metric_info *info = dp_metric(metric);

	encoder->open_curve(render, loop, info);
	for (size_t k = 0; k < loop->iterations && !render->status; k++) {
		const struct dp_iteration *at =
			dp_analysis_loop_iteration(render->analysis, loop->id, k);
		double value = dp_analysis_loop_metric(render->analysis, loop->id, metric, k);

		if (isfinite(value))
			encoder->point(render, info, at->start_ns, value);
	}
}

void dp_timeline__loop(struct dp_render *render, const struct dp_timeline_encoder *encoder,
		       size_t id)
{
	const struct dp_loop *loop = dp_analysis_loop(render->analysis, id);
	const struct dp_metric_info *info;

	write_iterations(render, encoder, loop);
	if (!loop->selected)
		return;
	write_phases(render, encoder, loop);
	write_waits(render, encoder, loop);
	for (size_t i = 0; (info = dp_metric(i)); i++)
		if (is_curve(render, info))
			write_curve(render, encoder, loop, i);
}

static void write_finding(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			  const struct dp_timeline_slice *slice, const struct dp_finding *finding)
{
	encoder->begin(render, slice);
	encoder->text(render, DP_KEY_SEVERITY, dp_severity_name(finding->severity));
	encoder->text(render, DP_KEY_ADVICE, finding->advice);
	encoder->number(render, DP_KEY_CONFIDENCE, NULL, finding->confidence, "1");
	encoder->number(render, DP_KEY_RECOVERABLE, NULL, finding->recoverable_ns, "ns");
	for (size_t i = 0; i < finding->evidence_count; i++) {
		if (dp_render__names_call(finding, i))
			encoder->text(render, DP_KEY_API_CALL, finding->evidence[i].call);
		encoder->number(render, DP_KEY_NONE, finding->evidence[i].name,
				finding->evidence[i].value, finding->evidence[i].unit);
	}
	encoder->end(render, slice);
}

void dp_timeline__finding(struct dp_render *render, const struct dp_timeline_encoder *encoder,
			  size_t id)
{
	const struct dp_finding *finding = dp_analysis_finding(render->analysis, id);
	const struct dp_iteration *first = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->first_iteration);
	const struct dp_iteration *last = dp_analysis_loop_iteration(
		render->analysis, finding->loop, finding->last_iteration);
	struct dp_timeline_slice slice = { .row = DP_ROW_FINDING,
					   .category = DP_SLICE_FOUND,
					   .index = (uint32_t)id,
					   .name = finding->rule };
	char name[2 * DP_NUMBER_SIZE];

	/* a finding of a capture has no iterations */
	if (!first || !last)
		return;
	snprintf(name, sizeof(name), "finding: %.48s (loop %u)", finding->rule, finding->loop);
	slice.start_ns = first->start_ns;
	slice.end_ns = last->end_ns;
	encoder->open_row(render, slice.row, id, name);
	write_finding(render, encoder, &slice, finding);
	encoder->close_row(render, slice.row);
}

struct idle_row {
	struct dp_render *render;
	const struct dp_timeline_encoder *encoder;
	uint32_t device;
};

static int write_idle(void *ctx, const struct dp_idle *idle)
{
	const struct idle_row *row = ctx;
	struct dp_timeline_slice slice = { .row = DP_ROW_IDLE,
					   .category = DP_SLICE_FOUND,
					   .index = row->device,
					   .name = dp_idle_cause_name(idle->cause),
					   .start_ns = idle->start_ns,
					   .end_ns = idle->end_ns };

	if (idle->end_ns - idle->start_ns >= IDLE_LEAST_NS)
		write_slice(row->render, row->encoder, &slice);
	return row->render->status;
}

void dp_timeline__idle(struct dp_render *render, const struct dp_timeline_encoder *encoder)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct idle_row row = { render, encoder, 0 };
	char name[DP_LABEL_SIZE], device[DP_LABEL_SIZE];
	int status;

	for (; row.device < dp_trace_device_count(trace) && !render->status; row.device++) {
		if (!dp_timeline__has_loop(render, row.device))
			continue;
		dp_timeline__device_name(device, trace, row.device);
		snprintf(name, sizeof(name), "idle by cause, %.300s", device);
		encoder->open_row(render, DP_ROW_IDLE, row.device, name);
		status = dp_analysis_foreach_idle(render->analysis, row.device, INT64_MIN,
						  INT64_MAX, write_idle, &row, render->error);
		if (!render->status)
			render->status = status;
		encoder->close_row(render, DP_ROW_IDLE);
	}
}
