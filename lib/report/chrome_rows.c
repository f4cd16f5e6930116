/*
 * Processes and threads of a timeline in Chrome's format. Perfetto takes thread 0 for the one with
 * its process's id, loses negative ids, and drops slices that overlap only in part. So ids that
 * would clash are replaced, and slices that overlap get rows of their own. Metadata preserve the
 * original ids for the importer. Kineto's timelines are written as Kineto does. Cost: linear, and
 * sorting the ids.
 */
#include "report/chrome.h"

#include <stdio.h>

/* Where ids that the trace does not have begin. */
enum { SPARE_DEVICE = 1000, SPARE_PROCESS = DP_CHROME_OUR_PID + 1, SPARE_ROW = 1000000 };

static int allocate(struct dp_chrome_out *out)
{
	const struct dp_trace *trace = out->trace;
	size_t devices = dp_trace_device_count(trace) + 1;

	out->devices = dp_alloc__zeroed(devices, sizeof(*out->devices));
	out->gpus = dp_alloc__zeroed(devices, sizeof(*out->gpus));
	out->syncs = dp_alloc__zeroed(devices, sizeof(*out->syncs));
	out->processes =
		dp_alloc__zeroed(dp_trace_process_count(trace) + 1, sizeof(*out->processes));
	out->streams = dp_alloc__zeroed(dp_trace_stream_count(trace) + 1, sizeof(*out->streams));
	out->threads = dp_alloc__zeroed(dp_trace_thread_count(trace) + 1, sizeof(*out->threads));
	return out->devices && out->gpus && out->syncs && out->processes && out->streams &&
			       out->threads
		       ? DP_OK
		       : DP_ERR_NOMEM;
}

/* Two processes may each have a device 0: in the file they need different ids. */
static int number_devices(struct dp_chrome_out *out)
{
	struct dp_unique_ids ids = { .next = SPARE_DEVICE, .least = INT64_MIN, .most = INT64_MAX };
	const struct dp_device *device;
	int status = DP_OK;

	for (size_t i = 0; !status && (device = dp_trace_device(out->trace, i)); i++)
		status = dp_unique_ids__request(&ids, 0, device->id);
	if (!status)
		dp_unique_ids__assign(&ids, out->devices);
	dp_unique_ids__fini(&ids);
	return status;
}

/* Assigns ids to processes and to devices, which are processes, too. */
static int number_processes(struct dp_chrome_out *out, bool kineto)
{
	struct dp_unique_ids ids = { .next = SPARE_PROCESS, .most = UINT32_MAX };
	size_t count = dp_trace_process_count(out->trace);
	size_t devices = dp_trace_device_count(out->trace);
	int64_t *numbers = dp_alloc__zeroed(count + devices + 1, sizeof(*numbers));
	int status = numbers ? DP_OK : DP_ERR_NOMEM;

	/* deepprof's own id is reserved first */
	if (!status)
		status = dp_unique_ids__request(&ids, 0, DP_CHROME_OUR_PID);
	/* an unknown process is -1, which viewers show as 0 */
	for (size_t i = 0; !status && i < count; i++)
		status = dp_unique_ids__request(&ids, 0,
						DP_MAX(dp_trace_process(out->trace, i)->pid, 0));
	for (size_t i = 0; !status && i < devices; i++)
		status = dp_unique_ids__request(&ids, 0, out->devices[i]);
	if (!status)
		dp_unique_ids__assign(&ids, numbers);
	for (size_t i = 0; !status && i < count; i++) {
		int64_t pid = dp_trace_process(out->trace, i)->pid;

		out->processes[i] = kineto || (pid < 0 && !numbers[i + 1]) ? pid : numbers[i + 1];
	}
	for (size_t i = 0; !status && i < devices; i++)
		out->gpus[i] = kineto ? out->devices[i] : numbers[1 + count + i];
	dp_unique_ids__fini(&ids);
	free(numbers);
	return status;
}

/* Thread 0 stands for the thread with its process's id. */
static int64_t requested(int64_t number, int64_t pid, bool kineto)
{
	return number || kineto ? number : DP_MAX(pid, 0);
}

/* Two contexts may each have a stream 7. */
static int number_streams(struct dp_chrome_out *out, bool kineto)
{
	struct dp_unique_ids *ids = &out->stream_ids;
	size_t count = dp_trace_stream_count(out->trace);
	int64_t *numbers = dp_alloc__zeroed(count, sizeof(*numbers));
	int status = numbers ? DP_OK : DP_ERR_NOMEM;
	const struct dp_stream *stream, *before = NULL;
	bool several = false;

	*ids = (struct dp_unique_ids){ .next = SPARE_ROW,
				       .least = kineto ? INT64_MIN : 0,
				       .most = kineto ? INT64_MAX : UINT32_MAX };
	for (size_t i = 0; !status && (stream = dp_trace_stream(out->trace, i)); i++)
		status = dp_unique_ids__request(
			ids, stream->device,
			requested(stream->stream, out->gpus[stream->device], kineto));
	if (!status)
		dp_unique_ids__assign(ids, numbers);
	for (size_t i = 0; !status && i < count; i++, before = stream) {
		struct dp_chrome_row *row = &out->streams[i];

		stream = dp_trace_stream(out->trace, i);
		if (!before || before->device != stream->device)
			several = dp_timeline__has_contexts(out->trace, i);
		row->ids = ids;
		row->pid = out->gpus[stream->device];
		row->tid = numbers[i];
		row->order = (int64_t)i + 1;
		row->thread = DP_NONE;
		dp_timeline__stream_name(row->label, out->trace, i, several);
		row->name = row->label;
	}
	free(numbers);
	return status;
}

static void init_thread(struct dp_chrome_out *out, size_t i, int64_t tid, bool kineto)
{
	struct dp_chrome_row *row = &out->threads[i];
	const struct dp_thread *thread = dp_trace_thread(out->trace, i);
	bool known = thread && thread->name != DP_NONE;
	uint32_t process = thread ? thread->process : 0;

	row->ids = &out->thread_ids;
	row->pid = process < dp_trace_process_count(out->trace) ? out->processes[process] : -1;
	row->tid = kineto && thread ? thread->tid : tid;
	row->host = true;
	row->thread = thread ? (uint32_t)i : DP_NONE;
	if (thread)
		snprintf(row->label, sizeof(row->label), "thread %lld", (long long)thread->tid);
	else
		snprintf(row->label, sizeof(row->label), "host");
	row->name = known ? dp_trace_string(out->trace, thread->name) : row->label;
}

static int number_threads(struct dp_chrome_out *out, bool kineto)
{
	struct dp_unique_ids *ids = &out->thread_ids;
	size_t count = dp_trace_thread_count(out->trace);
	int64_t *numbers = dp_alloc__zeroed(count, sizeof(*numbers));
	int status = numbers ? DP_OK : DP_ERR_NOMEM;
	const struct dp_thread *thread;

	*ids = (struct dp_unique_ids){ .next = SPARE_ROW, .most = UINT32_MAX };
	for (size_t i = 0; !status && (thread = dp_trace_thread(out->trace, i)); i++)
		status = dp_unique_ids__request(
			ids, thread->process,
			requested(thread->tid, out->processes[thread->process], kineto));
	if (!status)
		dp_unique_ids__assign(ids, numbers);
	for (size_t i = 0; !status && i < count; i++)
		init_thread(out, i, numbers[i], kineto);
	if (!status)
		init_thread(out, count, dp_unique_ids__next(ids), kineto);
	free(numbers);
	return status;
}

static void init_syncs(struct dp_chrome_out *out)
{
	size_t devices = dp_trace_device_count(out->trace);

	for (size_t i = 0; i <= devices; i++) {
		struct dp_chrome_row *row = &out->syncs[i];

		row->ids = i < devices ? &out->stream_ids : &out->thread_ids;
		row->pid = i < devices				? out->gpus[i]
			   : dp_trace_process_count(out->trace) ? out->processes[0]
								: -1;
		row->tid = dp_unique_ids__next(row->ids);
		row->order = (int64_t)dp_trace_stream_count(out->trace) + 1;
		row->name = "synchronization";
		row->thread = DP_NONE;
	}
}

int dp_chrome_rows__init(struct dp_render *render, struct dp_chrome_out *out)
{
	bool kineto = render->options->kineto;

	if (allocate(out) || number_devices(out) || number_processes(out, kineto) ||
	    number_streams(out, kineto) || number_threads(out, kineto))
		return DP_ERR_NOMEM;
	init_syncs(out);
	return DP_OK;
}

static void free_rows(struct dp_chrome_row *rows, size_t count)
{
	for (size_t i = 0; rows && i < count; i++)
		dp_lanes__fini(&rows[i].lanes);
	free(rows);
}

void dp_chrome_rows__fini(struct dp_chrome_out *out)
{
	free_rows(out->streams, dp_trace_stream_count(out->trace));
	free_rows(out->threads, dp_trace_thread_count(out->trace) + 1);
	free_rows(out->syncs, dp_trace_device_count(out->trace) + 1);
	free(out->devices);
	free(out->gpus);
	free(out->processes);
	dp_unique_ids__fini(&out->stream_ids);
	dp_unique_ids__fini(&out->thread_ids);
}

/* Names a GPU as Kineto does: by the process, with a label. */
static void name_gpu_as_kineto(struct dp_render *render, const struct dp_chrome_out *out, size_t i)
{
	const struct dp_process *process =
		dp_trace_process(out->trace, dp_trace_device(out->trace, i)->process);

	if (process && process->name != DP_NONE)
		dp_chrome_out__name(render, "process_name", out->gpus[i], 0,
				    dp_trace_string(out->trace, process->name));
	dp_chrome_out__begin(render, "M", NULL, "process_labels");
	dp_chrome_out__row(render, out->gpus[i], 0);
	dp_chrome_out__number(render, ",\"args\":{\"labels\":\"GPU ", out->devices[i]);
	dp_render__text(render, "\"}}");
}

static void name_processes(struct dp_render *render, const struct dp_chrome_out *out)
{
	const struct dp_process *process;
	char name[DP_LABEL_SIZE];

	for (size_t i = 0; (process = dp_trace_process(out->trace, i)); i++)
		if (process->name != DP_NONE)
			dp_chrome_out__name(render, "process_name", out->processes[i], 0,
					    dp_trace_string(out->trace, process->name));
	for (size_t i = 0; i < dp_trace_device_count(out->trace); i++) {
		if (render->options->kineto) {
			name_gpu_as_kineto(render, out, i);
		} else {
			dp_timeline__device_name(name, out->trace, i);
			dp_chrome_out__name(render, "process_name", out->gpus[i], 0, name);
		}
		dp_chrome_out__order(render, "process_sort_index", out->gpus[i], 0,
				     5000000 + (int64_t)i);
	}
}

void dp_chrome_row__name(struct dp_render *render, const struct dp_chrome_row *row, int64_t tid)
{
	const struct dp_chrome_out *out = render->state;
	const struct dp_thread *thread =
		row->thread == DP_NONE ? NULL : dp_trace_thread(out->trace, row->thread);

	dp_chrome_out__begin(render, "M", NULL, "thread_name");
	dp_chrome_out__row(render, row->pid, tid);
	dp_render__text(render, ",\"args\":{\"name\":");
	dp_json_text__string(render, row->name);
	if (thread && tid != thread->tid)
		dp_render__format(render, ",\"labels\":\"%sthread %lld\"",
				  thread->name == DP_NONE ? "row of " : "", (long long)thread->tid);
	else if (row->host && !thread)
		dp_render__text(render, ",\"labels\":\"no thread\"");
	dp_render__text(render, "}}");
	if (row->order)
		dp_chrome_out__order(render, "thread_sort_index", row->pid, tid, row->order);
}

void dp_chrome_rows__name(struct dp_render *render)
{
	struct dp_chrome_out *out = render->state;

	name_processes(render, out);
	for (size_t i = 0; i < dp_trace_thread_count(out->trace); i++) {
		const struct dp_thread *thread = dp_trace_thread(out->trace, i);

		if (render->options->kineto && thread->name != DP_NONE)
			dp_chrome_out__name(render, "thread_name", out->threads[i].pid,
					    out->threads[i].tid, out->threads[i].name);
		else if (!render->options->kineto &&
			 (thread->name != DP_NONE || out->threads[i].tid != thread->tid))
			dp_chrome_row__name(render, &out->threads[i], out->threads[i].tid);
	}
	for (size_t i = 0; i < dp_trace_stream_count(out->trace); i++) {
		struct dp_chrome_row *row = &out->streams[i];

		if (render->options->kineto)
			dp_chrome_out__name(render, "thread_name", row->pid, row->tid, row->name);
		else
			dp_chrome_row__name(render, row, row->tid);
	}
}

struct dp_chrome_row *dp_chrome_rows__thread(struct dp_chrome_out *out, uint32_t thread)
{
	return &out->threads[DP_MIN(thread, dp_trace_thread_count(out->trace))];
}

/* Names rows that are often absent only when they are needed. */
static struct dp_slice_row *first_lane(struct dp_render *render, struct dp_chrome_row *row)
{
	bool unnamed = !row->order || row->name != row->label;

	if (unnamed && row->thread == DP_NONE)
		dp_chrome_row__name(render, row, row->tid);
	return dp_lanes__add(&row->lanes, row->tid);
}

static struct dp_slice_row *further_lane(struct dp_render *render, struct dp_chrome_row *row)
{
	int64_t tid = dp_unique_ids__next(row->ids);

	dp_chrome_row__name(render, row, tid);
	return dp_lanes__add(&row->lanes, tid);
}

size_t dp_chrome_row__place(struct dp_render *render, struct dp_chrome_row *row, int64_t start_ns,
			    int64_t end_ns)
{
	struct dp_lanes *lanes = &row->lanes;
	struct dp_slice_row *lane;

	if (render->options->kineto)
		return 0;
	end_ns = DP_MAX(end_ns, start_ns);
	lane = dp_lanes__find(lanes, start_ns, end_ns, NULL, NULL);
	if (!lane && lanes->count == DP_LANES_MOST)
		return DP_LANES_MOST - 1;
	if (!lane)
		lane = lanes->count ? further_lane(render, row) : first_lane(render, row);
	if (!lane || dp_lane__push(lane, end_ns)) {
		if (!render->status)
			render->status = dp_error__nomem(render->error, 0);
		return 0;
	}
	return (size_t)(lane - lanes->lanes);
}

void dp_chrome_row__write(struct dp_render *render, const struct dp_chrome_row *row, size_t lane)
{
	dp_chrome_out__number(render, ",\"pid\":", row->pid);
	if (lane < row->lanes.count)
		dp_chrome_out__number(render, ",\"tid\":", row->lanes.lanes[lane].row);
	/* Kineto gives no row to an unknown thread */
	else if (!row->host || row->thread != DP_NONE)
		dp_chrome_out__number(render, ",\"tid\":", row->tid);
}
