/*
 * A timeline in Perfetto's own format: the contents of the chrome renderer in a fifth of the space.
 * Slices of a track must be nested if they overlap, so streams and threads whose slices are not get
 * further rows; viewers show rows with the same name and parent as one track. Cost: linear.
 */
#include "report/perfetto.h"

#include <stdio.h>

/* Loops at other levels than the iterations are shown below the findings. */
#define BELOW 1000000
#define SPARE_NUMBER 1000000000 /* of processes and threads whose ids the format cannot hold */

static void free_lanes(struct dp_perfetto_lanes *lanes, size_t count)
{
	for (size_t i = 0; lanes && i < count; i++)
		dp_lanes__fini(&lanes[i].lanes);
	free(lanes);
}

static void free_out(struct dp_perfetto *out)
{
	free_lanes(out->syncs, dp_trace_device_count(out->trace) + 1);
	free_lanes(out->streams, dp_trace_stream_count(out->trace));
	free_lanes(out->threads, dp_trace_thread_count(out->trace) + 1);
	free(out->devices);
	free(out->processes);
	free(out->pids);
	free(out->tids);
	free(out->first_op);
	free(out->next_op);
	free(out->known);
	free(out->packet.bytes);
	free(out);
}

/* Links the operations of each call, in order. */
static int link_calls(struct dp_perfetto *out)
{
	const struct dp_ops *ops = dp_trace_ops(out->trace);
	size_t calls = dp_trace_calls(out->trace)->count;

	out->first_op = dp_alloc__array(calls, sizeof(*out->first_op));
	out->next_op = dp_alloc__array(ops->count, sizeof(*out->next_op));
	if (!out->first_op || !out->next_op)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < calls; i++)
		out->first_op[i] = DP_NONE;
	for (size_t i = ops->count; i-- > 0;) {
		if (ops->call[i] == DP_NONE)
			continue;
		out->next_op[i] = out->first_op[ops->call[i]];
		out->first_op[ops->call[i]] = (uint32_t)i;
	}
	return DP_OK;
}

/*
 * Assigns ids: the trace's own if the format can hold them. Of all others, 0 would stand for one
 * thread, and thread 0 of a process for the one with the process's id.
 */
static int number_host(struct dp_perfetto *out)
{
	size_t count = dp_trace_process_count(out->trace), threads;
	struct dp_unique_ids ids = { .next = SPARE_NUMBER, .most = INT32_MAX };
	struct dp_unique_ids tids = ids;
	int status = DP_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = dp_unique_ids__request(&ids, 0,
						DP_MAX(dp_trace_process(out->trace, i)->pid, 0));
	if (!status)
		dp_unique_ids__assign(&ids, out->pids);
	threads = dp_trace_thread_count(out->trace);
	for (size_t i = 0; !status && i < threads; i++) {
		const struct dp_thread *thread = dp_trace_thread(out->trace, i);

		status = dp_unique_ids__request(&tids, thread->process,
						thread->tid ? thread->tid
							    : out->pids[thread->process]);
	}
	if (!status)
		dp_unique_ids__assign(&tids, out->tids);
	dp_unique_ids__fini(&ids);
	dp_unique_ids__fini(&tids);
	return status;
}

static int allocate(struct dp_perfetto *out)
{
	const struct dp_trace *trace = out->trace;
	size_t devices = dp_trace_device_count(trace) + 1;

	out->known = dp_alloc__zeroed(dp_trace_string_count(trace) / 8 + 1, 1);
	out->devices = dp_alloc__zeroed(devices, sizeof(*out->devices));
	out->processes = dp_alloc__zeroed(dp_trace_process_count(trace), sizeof(*out->processes));
	out->syncs = dp_alloc__zeroed(devices, sizeof(*out->syncs));
	out->streams = dp_alloc__zeroed(dp_trace_stream_count(trace), sizeof(*out->streams));
	out->threads = dp_alloc__zeroed(dp_trace_thread_count(trace) + 1, sizeof(*out->threads));
	out->pids = dp_alloc__zeroed(dp_trace_process_count(trace), sizeof(*out->pids));
	out->tids = dp_alloc__zeroed(dp_trace_thread_count(trace), sizeof(*out->tids));
	if (!out->pids || !out->tids || !out->known || !out->devices || !out->processes ||
	    !out->syncs || !out->streams || !out->threads)
		return DP_ERR_NOMEM;
	return link_calls(out) || number_host(out) ? DP_ERR_NOMEM : DP_OK;
}

static void name_devices(struct dp_render *render, struct dp_perfetto *out)
{
	size_t count = dp_trace_device_count(out->trace), i;
	char name[DP_LABEL_SIZE];

	for (i = 0; i < count; i++) {
		struct dp_perfetto_track track = { .name = name, .rank = 1 + (int)i };

		dp_timeline__device_name(name, out->trace, i);
		out->devices[i] = dp_perfetto__track(render, &track);
	}
	for (i = 0; i <= count; i++) {
		out->syncs[i].info.parent = out->devices[i];
		out->syncs[i].info.name = "synchronization";
		out->syncs[i].info.rank = (int)dp_trace_stream_count(out->trace);
	}
}

/* Rows of one name are shown as one, so streams of two contexts need different names. */
static void name_streams(struct dp_perfetto *out)
{
	const struct dp_stream *stream, *before = NULL;
	bool several = false;

	for (size_t i = 0; (stream = dp_trace_stream(out->trace, i)); before = stream, i++) {
		struct dp_perfetto_lanes *lanes = &out->streams[i];

		if (!before || before->device != stream->device)
			several = dp_timeline__has_contexts(out->trace, i);
		dp_timeline__stream_name(lanes->label, out->trace, i, several);
		lanes->info = (struct dp_perfetto_track){ .parent = out->devices[stream->device],
							  .name = lanes->label,
							  .rank = (int)i };
	}
}

static const char *string_or(const struct dp_perfetto *out, uint32_t id, const char *other)
{
	return id == DP_NONE ? other : dp_trace_string(out->trace, id);
}

static void name_host(struct dp_render *render, struct dp_perfetto *out)
{
	size_t threads = dp_trace_thread_count(out->trace);
	const struct dp_process *process;

	for (size_t i = 0; (process = dp_trace_process(out->trace, i)); i++) {
		struct dp_perfetto_track track = { .name = string_or(out, process->name, NULL),
						   .process = true,
						   .pid = out->pids[i] };

		out->processes[i] = dp_perfetto__track(render, &track);
	}
	for (size_t i = 0; i < threads; i++) {
		const struct dp_thread *thread = dp_trace_thread(out->trace, i);
		struct dp_perfetto_lanes *lanes = &out->threads[i];

		snprintf(lanes->label, sizeof(lanes->label), "thread %lld", (long long)thread->tid);
		lanes->info = (struct dp_perfetto_track){ .parent = out->processes[thread->process],
							  .name = string_or(out, thread->name,
									    lanes->label),
							  .thread = true,
							  .pid = out->pids[thread->process],
							  .tid = out->tids[i] };
	}
	out->threads[threads].info.name = "host";
	if (dp_trace_process_count(out->trace))
		out->threads[threads].info.parent = out->processes[0];
}

static struct dp_perfetto_lanes *row_of(struct dp_perfetto *out,
					const struct dp_timeline_slice *slice)
{
	switch (slice->row) {
	case DP_ROW_THREAD:
		return &out->threads[DP_MIN(slice->index, dp_trace_thread_count(out->trace))];
	case DP_ROW_STREAM:
		return &out->streams[slice->index];
	case DP_ROW_SYNC:
		return &out->syncs[dp_timeline__device(out->trace, slice->index)];
	default:
		return &out->found;
	}
}

static void begin_slice(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	struct dp_perfetto *out = render->state;
	struct dp_perfetto_event event = { .category = slice->category,
					   .time_ns = slice->start_ns,
					   .string = slice->name ? DP_NONE : slice->string,
					   .name = slice->name };

	dp_perfetto_lanes__begin(render, row_of(out, slice), event, slice->end_ns);
	if (slice->category == DP_SLICE_CALL)
		for (uint32_t op = out->first_op[slice->item]; op != DP_NONE; op = out->next_op[op])
			dp_perfetto__flow(render, (uint64_t)op + 1, false);
	else if (slice->row == DP_ROW_STREAM &&
		 dp_trace_ops(out->trace)->call[slice->item] != DP_NONE)
		dp_perfetto__flow(render, (uint64_t)slice->item + 1, true);
}

/* The row tells the rest. */
static void write_place(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	const struct dp_perfetto *out = render->state;

	if (slice->row == DP_ROW_SYNC)
		dp_perfetto__integer(render, DP_KEY_STREAM,
				     dp_trace_stream(out->trace, slice->index)->stream);
}

static void end_slice(struct dp_render *render, const struct dp_timeline_slice *slice)
{
	(void)slice;
	dp_perfetto__end(render);
}

static void begin_loop(struct dp_render *render, const struct dp_loop *loop)
{
	struct dp_perfetto *out = render->state;
	char name[DP_LABEL_SIZE];
	struct dp_perfetto_track track = { .parent = out->ours,
					   .name = name,
					   .rank = out->rank++ + (loop->selected ? 0 : BELOW) };

	dp_timeline__loop_name(name, out->trace, loop);
	out->loop = dp_perfetto__track(render, &track);
}

static void open_row(struct dp_render *render, enum dp_timeline_row row, size_t index,
		     const char *name)
{
	struct dp_perfetto *out = render->state;

	if (row == DP_ROW_ITERATIONS)
		begin_loop(render, dp_analysis_loop(render->analysis, index));
	out->found = (struct dp_perfetto_lanes){
		.info = { .parent = row < DP_ROWS_OF_LOOP ? out->loop : out->ours,
			  .name = name,
			  .rank = out->rank++ }
	};
}

static void close_row(struct dp_render *render, enum dp_timeline_row row)
{
	struct dp_perfetto *out = render->state;

	if (row < DP_ROWS_FOUND)
		dp_perfetto_lanes__finish(render, &out->found);
	for (size_t i = 0; row == DP_ROW_THREAD && i <= dp_trace_thread_count(out->trace); i++)
		dp_perfetto_lanes__finish(render, &out->threads[i]);
	for (size_t i = 0; row == DP_ROW_STREAM && i < dp_trace_stream_count(out->trace); i++)
		dp_perfetto_lanes__finish(render, &out->streams[i]);
	for (size_t i = 0; row == DP_ROW_SYNC && i <= dp_trace_device_count(out->trace); i++)
		dp_perfetto_lanes__finish(render, &out->syncs[i]);
}

static void open_curve(struct dp_render *render, const struct dp_loop *loop,
		       const struct dp_metric_info *info)
{
	struct dp_perfetto *out = render->state;

	(void)loop;
	out->curve = (struct dp_perfetto_track){
		.parent = out->loop, .name = info->name, .unit = info->unit, .rank = out->rank++
	};
	out->curve_id = 0;
}

static void write_point(struct dp_render *render, const struct dp_metric_info *info,
			int64_t time_ns, double value)
{
	struct dp_perfetto *out = render->state;

	if (!out->curve_id)
		out->curve_id = dp_perfetto__track(render, &out->curve);
	dp_perfetto__count(render, out->curve_id, time_ns, value, info->unit);
}

static const struct dp_timeline_encoder encoder = {
	.open_row = open_row,
	.close_row = close_row,
	.begin = begin_slice,
	.place = write_place,
	.integer = dp_perfetto__integer,
	.number = dp_perfetto__value,
	.text = dp_perfetto__text,
	.end = end_slice,
	.open_curve = open_curve,
	.point = write_point,
};

static int begin(struct dp_render *render)
{
	const struct dp_trace *trace = dp_analysis_trace(render->analysis);
	struct dp_perfetto *out = dp_alloc__zeroed(1, sizeof(*out));
	struct dp_perfetto_track ours = { .name = "deepprof" };

	if (!out)
		return dp_error__nomem(render->error, sizeof(*out));
	out->trace = trace;
	out->zero_ns = dp_timeline__zero(trace);
	if (allocate(out)) {
		free_out(out);
		return dp_error__nomem(render->error, 0);
	}
	render->state = out;
	dp_perfetto__head(render);
	out->ours = dp_perfetto__track(render, &ours);
	name_devices(render, out);
	name_streams(out);
	name_host(render, out);
	dp_timeline__trace(render, &encoder);
	return DP_OK;
}

static int loop(struct dp_render *render, size_t id)
{
	dp_timeline__loop(render, &encoder, id);
	return DP_OK;
}

static int finding(struct dp_render *render, size_t id)
{
	dp_timeline__finding(render, &encoder, id);
	return DP_OK;
}

static int end(struct dp_render *render)
{
	dp_timeline__idle(render, &encoder);
	free_out(render->state);
	return DP_OK;
}

const struct dp_renderer dp_renderer__perfetto = {
	.info = { "perfetto", "pftrace", "a timeline in Perfetto's own format, much smaller", true,
		  true },
	.begin = begin,
	.loop = loop,
	.finding = finding,
	.end = end,
};
