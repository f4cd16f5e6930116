/*
 * A timeline in Perfetto's own format: what the chrome renderer writes, in a fifth of the space.
 * Slices of a track must not overlap without one being inside the other, so streams and threads
 * whose slices do get further rows; viewers show rows of one name and parent as one track. Cost:
 * linear.
 */
#include "report/perfetto.h"
#include "report/timeline.h"

#include <stdio.h>
#include <string.h>

#define SPARE_NUMBER 1000000000 /* of processes and threads that have none the format takes */

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

/* The operations of each call, in order. */
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

/* Numbers as the trace has them, where the format takes them: of all others 0 would be one thread,
 * and of a process 0 the thread of its own number. */
static int number_host(struct dp_perfetto *out)
{
	size_t count = dp_trace_process_count(out->trace), threads;
	struct dp_claims claims = { .next = SPARE_NUMBER, .most = INT32_MAX };
	struct dp_claims tids = claims;
	int status = DP_OK;

	for (size_t i = 0; !status && i < count; i++)
		status =
			dp_claims__add(&claims, 0, DP_MAX(dp_trace_process(out->trace, i)->pid, 0));
	if (!status)
		dp_claims__resolve(&claims, out->pids);
	threads = dp_trace_thread_count(out->trace);
	for (size_t i = 0; !status && i < threads; i++) {
		const struct dp_thread *thread = dp_trace_thread(out->trace, i);

		status = dp_claims__add(&tids, thread->process,
					thread->tid ? thread->tid : out->pids[thread->process]);
	}
	if (!status)
		dp_claims__resolve(&tids, out->tids);
	dp_claims__fini(&claims);
	dp_claims__fini(&tids);
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

/* Rows of one name are shown as one: streams of two contexts must not have it. */
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

static void write_call(struct dp_render *render, struct dp_perfetto *out, size_t i)
{
	const struct dp_calls *calls = dp_trace_calls(out->trace);
	size_t thread = DP_MIN(calls->thread[i], dp_trace_thread_count(out->trace));
	struct dp_perfetto_event event = { .category = DP_PERFETTO_CALL,
					   .time_ns = calls->start_ns[i],
					   .string = calls->name[i] };

	dp_perfetto_lanes__begin(render, &out->threads[thread], event, calls->end_ns[i]);
	for (uint32_t op = out->first_op[i]; op != DP_NONE; op = out->next_op[op])
		dp_perfetto__flow(render, (uint64_t)op + 1, false);
	dp_perfetto__end(render);
}

static void write_range(struct dp_render *render, struct dp_perfetto *out, size_t i)
{
	static const enum dp_perfetto_category categories[] = { DP_PERFETTO_NVTX,
								DP_PERFETTO_ANNOTATION,
								DP_PERFETTO_OPERATOR };
	const struct dp_ranges *ranges = dp_trace_ranges(out->trace);
	size_t thread = DP_MIN(ranges->thread[i], dp_trace_thread_count(out->trace));
	struct dp_perfetto_event event = { .category = categories[ranges->kind[i]],
					   .time_ns = ranges->start_ns[i],
					   .string = ranges->name[i] };

	dp_perfetto_lanes__begin(render, &out->threads[thread], event, ranges->end_ns[i]);
	dp_perfetto__end(render);
}

/* Calls and ranges in order of start, so that they nest; of equal starts ranges are outside. */
static void write_host(struct dp_render *render, struct dp_perfetto *out)
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
	for (size_t i = 0; i <= dp_trace_thread_count(out->trace); i++)
		dp_perfetto_lanes__finish(render, &out->threads[i]);
}

static void write_ops(struct dp_render *render, struct dp_perfetto *out)
{
	static const enum dp_perfetto_category categories[] = { [DP_OP_KERNEL] = DP_PERFETTO_KERNEL,
								[DP_OP_GRAPH] = DP_PERFETTO_KERNEL,
								[DP_OP_COPY] = DP_PERFETTO_COPY,
								[DP_OP_SET] = DP_PERFETTO_SET };
	const struct dp_ops *ops = dp_trace_ops(out->trace);

	for (size_t i = 0; i < ops->count && !render->status; i++) {
		struct dp_perfetto_event event = { .category = categories[ops->kind[i]],
						   .time_ns = ops->start_ns[i],
						   .string = ops->name[i] };

		dp_perfetto_lanes__begin(render, &out->streams[ops->stream[i]], event,
					 ops->end_ns[i]);
		if (ops->call[i] != DP_NONE)
			dp_perfetto__flow(render, (uint64_t)i + 1, true);
		if (!dp_op_is_kernel(ops->kind[i]))
			dp_perfetto__integer(render, DP_PERFETTO_BYTES, (int64_t)ops->bytes[i]);
		dp_perfetto__end(render);
	}
	for (size_t i = 0; i < dp_trace_stream_count(out->trace); i++)
		dp_perfetto_lanes__finish(render, &out->streams[i]);
}

static void write_syncs(struct dp_render *render, struct dp_perfetto *out)
{
	static const char *const names[] = { "Sync", "Event Sync", "Stream Wait Event",
					     "Stream Sync", "Context Sync" };
	const struct dp_syncs *syncs = dp_trace_syncs(out->trace);
	size_t devices = dp_trace_device_count(out->trace);

	for (size_t i = 0; i < syncs->count && !render->status; i++) {
		const struct dp_stream *stream =
			syncs->stream[i] == DP_NONE ? NULL
						    : dp_trace_stream(out->trace, syncs->stream[i]);
		struct dp_perfetto_event event = { .category = DP_PERFETTO_SYNC,
						   .time_ns = syncs->start_ns[i],
						   .string = DP_NONE,
						   .name = names[syncs->kind[i]] };

		dp_perfetto_lanes__begin(render, &out->syncs[stream ? stream->device : devices],
					 event, syncs->end_ns[i]);
		if (stream)
			dp_perfetto__integer(render, DP_PERFETTO_STREAM, stream->stream);
		dp_perfetto__end(render);
	}
	for (size_t i = 0; i <= devices; i++)
		dp_perfetto_lanes__finish(render, &out->syncs[i]);
}

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
	write_host(render, out);
	write_ops(render, out);
	write_syncs(render, out);
	return DP_OK;
}

static int loop(struct dp_render *render, size_t id)
{
	dp_perfetto__loop(render, id);
	return DP_OK;
}

static int finding(struct dp_render *render, size_t id)
{
	dp_perfetto__finding(render, id);
	return DP_OK;
}

static int end(struct dp_render *render)
{
	dp_perfetto__idle(render);
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
