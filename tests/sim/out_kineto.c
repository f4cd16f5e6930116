/*
 * Traces of PyTorch's Kineto and its relatives as Chrome trace JSON: today's form with decimal
 * microseconds since 1970 or relative to a base, that of 2021 with whole microseconds, the bare
 * array of the autograd profiler before it, and TensorFlow 1's timeline.
 */
#include "out.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

/* Up to the first of 2021 times have decimals. */
enum { MODERN, RELATIVE, XPU, MTIA, OLD, LEGACY, TIMELINE };

struct state {
	struct sim_out *out;
	char **names; /* of kernels, as JSON strings */
	bool second;  /* an event was written */
	uint64_t flow;
	uint64_t last_ns;
};

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

/* The catalogue's names never change: escape them once. */
static char **escaped_names(const struct sim_catalogue *catalogue)
{
	char **names = calloc(catalogue->count + 1, sizeof(*names));

	for (size_t i = 0; names && i < catalogue->count; i++) {
		const char *name = catalogue->kernels[i].name;
		char *p = names[i] = malloc(strlen(name) * 2 + 3);

		if (!p)
			break;
		*p++ = '"';
		for (; *name; name++) {
			if (*name == '"' || *name == '\\')
				*p++ = '\\';
			*p++ = *name;
		}
		*p++ = '"';
		*p = 0;
	}
	return names;
}

static void put_number(struct sim_out *out, const char *key, uint64_t value)
{
	sim_out_str(out, key);
	sim_out_u64(out, value);
}

/* A time of the trace, in microseconds. */
static void put_time(struct sim_sink *sink, uint64_t ns)
{
	struct state *state = sink->state;
	uint64_t epoch_ns = sink->run->epoch_ns;

	if (sink->writer->variant == RELATIVE)
		sim_out_fixed(state->out, ns + epoch_ns % 1000000000, 3);
	else if (sink->writer->variant < OLD)
		sim_out_fixed(state->out, epoch_ns + ns, 3);
	else
		sim_out_u64(state->out, (epoch_ns + ns) / 1000);
}

static void put_span(struct sim_sink *sink, const char *key, uint64_t start_ns, uint64_t end_ns)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	uint64_t ns = end_ns - start_ns;

	sim_out_str(out, key);
	put_time(sink, start_ns);
	LIT(", \"dur\": ");
	if (sink->writer->variant < OLD)
		sim_out_fixed(out, ns, 3);
	else
		sim_out_u64(out, end_ns / 1000 - start_ns / 1000);
	if (end_ns > state->last_ns)
		state->last_ns = end_ns;
}

static void separate(struct state *state, struct sim_out *out)
{
	if (state->second)
		LIT(",");
	state->second = true;
}

static void put_device(struct sim_sink *sink, uint32_t id)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	if (id)
		LIT(",");
	put_number(out, "\n    {\n      \"id\": ", id);
	LIT(", \"name\": ");
	sim_out_json(out, sink->run->program->gpu);
	LIT(", \"totalGlobalMem\": 42505273344,\n      \"computeMajor\": 8, \"computeMinor\": 0,\n"
	    "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
	    "      \"regsPerBlock\": 65536, \"regsPerMultiprocessor\": 65536, \"warpSize\": 32,\n"
	    "      \"sharedMemPerBlock\": 49152, \"sharedMemPerMultiprocessor\": 167936,\n"
	    "      \"numSms\": 108, \"sharedMemPerBlockOptin\": 166912\n    }");
}

/* A list of ranks, which torch cuts after the 30th. */
static void put_ranks(struct sim_out *out, const struct sim_group *group)
{
	enum { MOST = 30 };

	LIT("[");
	for (uint32_t i = 0; i < group->size && i < MOST; i++)
		put_number(out, i ? ", " : "", group->ranks[i]);
	sim_out_str(out, group->size > MOST ? ", ...]" : "]");
}

static void put_job(struct sim_sink *sink)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_rank_info *info = sink->run->ranks;
	bool second = false;

	if (!info->named)
		return;
	put_number(out, "\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ", info->rank);
	put_number(out, ", \"world_size\": ", info->world);
	LIT(", \"pg_config\": [");
	for (int i = SIM_GROUPS; i-- > 0;) {
		const struct sim_group *group = &info->groups[i];

		if (group->size < 2)
			continue;
		put_number(out, second ? ", {\"pg_name\": \"" : "{\"pg_name\": \"", group->number);
		second = true;
		LIT("\", \"pg_desc\": \"");
		sim_out_str(out, group->description);
		LIT("\", \"backend_config\": \"cuda:nccl\"");
		put_number(out, ", \"pg_size\": ", group->size);
		LIT(", \"ranks\": [");
		/* torch lists none if the group has all ranks */
		for (uint32_t j = 0; j < group->size && group->size < info->world; j++)
			put_number(out, j ? ", " : "", group->ranks[j]);
		LIT("]}");
	}
	LIT("], \"nccl_version\": \"2.21.5\"},");
}

static void put_head(struct sim_sink *sink)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	uint32_t ranks = sim_run_ranks(sink->run);

	if (sink->writer->variant == LEGACY) {
		LIT("[");
		return;
	}
	if (sink->writer->variant == TIMELINE) {
		LIT("{\n    \"traceEvents\": [");
		return;
	}
	LIT("\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [");
	for (uint32_t i = 0; i < ranks; i++)
		put_device(sink, i);
	LIT("\n  ],");
	if (sink->run->ranks)
		put_job(sink);
	else if (ranks > 1)
		LIT("\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 2},");
	if (sink->writer->variant == RELATIVE) {
		LIT("\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": ");
		sim_out_u64(out, sink->run->epoch_ns / 1000000000 * 1000000000);
		LIT(",");
	}
	LIT("\n  \"traceEvents\": [");
}

static bool old(const struct sim_sink *sink)
{
	return sink->writer->variant == OLD;
}

static void put_op_end(struct sim_out *out, bool last_newline)
{
	sim_out_str(out, last_newline ? "\n    }\n  }" : " } }");
}

static void put_flow(struct sim_sink *sink, const struct sim_event *event, bool begin)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_run *run = sink->run;

	if (!run->program->flows)
		return;
	sim_out_str(out, begin ? ",\n  {\n    \"ph\": \"s\", \"id\": "
			       : ",\n  {\n    \"ph\": \"f\", \"id\": ");
	sim_out_u64(out, event->correlation);
	if (begin) {
		put_number(out, ", \"pid\": ", sim_run_pid(run, event->rank));
		put_number(out, ", \"tid\": ", sim_run_tid(run, event->rank, event->thread));
	} else {
		put_number(out, ", \"pid\": ", sim_run_device(run, event->rank));
		put_number(out, old(sink) ? ", \"tid\": \"stream " : ", \"tid\": ",
			   sim_run_stream(run, event->stream));
		if (old(sink))
			LIT("\"");
	}
	LIT(", \"ts\": ");
	put_time(sink, event->start_ns);
	sim_out_str(out, old(sink) ? ",\n    \"cat\": \"async\", \"name\": \"launch\""
				   : ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"");
	sim_out_str(out, begin ? "\n  }" : ", \"bp\": \"e\"\n  }");
}

static void put_copy_name(struct sim_out *out, const struct sim_event *event)
{
	if (event->kind == SIM_SET) {
		LIT("\"Memset (Device)\"");
		return;
	}
	LIT("\"Memcpy ");
	sim_out_str(out, sim_copy_direction(event->copy_kind));
	LIT(" (");
	sim_out_str(out, sim_copy_source(event));
	LIT(" -> ");
	sim_out_str(out, sim_copy_destination(event));
	LIT(")\"");
}

static void put_kernel_args(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];

	put_number(out, ",\n      \"registers per thread\": ", kernel->registers);
	put_number(out, ",\n      \"shared memory\": ", kernel->shared_memory);
	LIT(",\n      \"blocks per SM\": ");
	sim_out_fixed(out, (uint64_t)event->grid * 1000000 / 108, 6);
	LIT(",\n      \"warps per SM\": ");
	sim_out_fixed(out, (uint64_t)event->grid * (kernel->block / 32) * 1000000 / 108, 6);
	put_number(out, ",\n      \"grid\": [", event->grid);
	put_number(out, ", 1, 1],\n      \"block\": [", kernel->block);
	put_number(out, ", 1, 1],\n      \"est. achieved occupancy %\": ", event->grid % 100);
}

/* What torch records of a collective, with its kernel and with its host range. */
static void put_collective(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_collective *collective = &sink->run->collectives[event->collective - 1];
	const struct sim_group *group = &sink->run->ranks[event->rank].groups[collective->axis];

	LIT(",\n      \"Collective name\": \"");
	sim_out_str(out, collective->name);
	put_number(out, "\", \"In msg nelems\": ", collective->in_elements);
	put_number(out, ", \"Out msg nelems\": ", collective->out_elements);
	put_number(out, ", \"Group size\": ", group->size);
	LIT(", \"dtype\": \"Float\",\n      \"In split size\": \"[]\", \"Out split size\": \"[]\"");
	put_number(out, ", \"Process Group Name\": \"", group->number);
	LIT("\", \"Process Group Description\": \"");
	sim_out_str(out, group->description);
	LIT("\", \"Process Group Ranks\": \"");
	put_ranks(out, group);
	put_number(out, "\", \"Seq\": ", collective->sequence);
	for (uint32_t i = 0; collective->peer != SIM_NONE && i < group->size; i++)
		if (group->ranks[i] == collective->peer) {
			bool sends = strcmp(collective->name, "send") == 0;

			put_number(out, ", \"Src Rank\": ", sends ? group->rank : i);
			put_number(out, ", \"Dst Rank\": ", sends ? i : group->rank);
		}
}

static void put_transfer_args(struct sim_out *out, const struct sim_event *event)
{
	uint64_t ns = event->end_ns - event->start_ns;

	put_number(out, ",\n      \"bytes\": ", event->bytes);
	LIT(", \"memory bandwidth (GB/s)\": ");
	sim_out_fixed(out, ns ? event->bytes * 1000000 / ns : 0, 6);
}

/* Operations of one of Meta's accelerators: kernels and transfers have one category. */
static void put_mtia(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const directions[] = { "HOST_TO_DEVICE", "DEVICE_TO_HOST",
						  "DEVICE_TO_DEVICE" };
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	uint32_t stream = sim_run_stream(sink->run, event->stream);

	separate(state, out);
	LIT("\n  {\n    \"ph\": \"X\", \"cat\": \"mtia_ccp_events\", \"name\": ");
	sim_out_str(out, event->kind == SIM_KERNEL ? state->names[event->name] : "\"dma_request\"");
	put_number(out, ", \"pid\": ", sim_run_device(sink->run, event->rank));
	put_number(out, ", \"tid\": ", 4 + 34 * stream);
	put_span(sink, ",\n    \"ts\": ", event->start_ns, event->end_ns);
	put_number(out, ",\n    \"args\": {\n      \"correlation\": ", event->correlation);
	put_number(out, ", \"stream\": ", stream);
	if (event->kind == SIM_KERNEL) {
		LIT(", \"column\": \"0\", \"row\": \"0\"");
	} else {
		LIT(", \"direction\": \"");
		sim_out_str(out, directions[event->copy_kind]);
		put_number(out, "\", \"size\": ", event->bytes);
	}
	put_number(out, ", \"packet_ptr\": ", event->grid % 512);
	put_op_end(out, true);
	put_flow(sink, event, false);
}

/* A kernel, copy or set. */
static void put_operation(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const categories[2][3] = { { "kernel", "gpu_memcpy", "gpu_memset" },
						      { "Kernel", "Memcpy", "Memset" } };
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	const struct sim_run *run = sink->run;
	uint32_t device = sim_run_device(run, event->rank);
	uint32_t stream = sim_run_stream(run, event->stream);

	separate(state, out);
	LIT("\n  {\n    \"ph\": \"X\", \"cat\": \"");
	sim_out_str(out, categories[old(sink)][event->kind]);
	sim_out_str(out, old(sink) ? "\", \n    \"name\": " : "\", \"name\": ");
	if (event->kind == SIM_KERNEL)
		sim_out_str(out, state->names[event->name]);
	else
		put_copy_name(out, event);
	put_number(out, ", \"pid\": ", device);
	put_number(out, old(sink) ? ", \"tid\": \"stream " : ", \"tid\": ", stream);
	put_span(sink, old(sink) ? "\",\n    \"ts\": " : ",\n    \"ts\": ", event->start_ns,
		 event->end_ns);
	LIT(",\n    \"args\": {\n      ");
	if (!old(sink) && event->operator_id) {
		put_number(out, "\"External id\": ", event->operator_id);
		LIT(",\n      ");
	}
	if (event->kind == SIM_KERNEL)
		LIT("\"queued\": 0, ");
	put_number(out, "\"device\": ", device);
	put_number(out, ", \"context\": ", sim_run_context(run, event->rank));
	put_number(out, ",\n      \"stream\": ", stream);
	put_number(out, ", \"correlation\": ", event->correlation);
	if (old(sink) && event->operator_id)
		put_number(out, ", \"external id\": ", event->operator_id);
	if (event->node)
		LIT(",\n      \"graph id\": 1");
	if (event->kind == SIM_KERNEL)
		put_kernel_args(sink, event);
	if (event->collective)
		put_collective(sink, event);
	if (event->kind != SIM_KERNEL)
		put_transfer_args(out, event);
	put_op_end(out, true);
	put_flow(sink, event, false);
}

static bool launches(const struct sim_event *event)
{
	return event->name <= SIM_CALL_GRAPH && event->name != SIM_CALL_STREAM_SYNC &&
	       event->name != SIM_CALL_DEVICE_SYNC;
}

/* Calls of oneAPI's runtime, by enum sim_call. */
static const char *const xpu_calls[SIM_CALLS] = { "urEnqueueKernelLaunch", "urEnqueueUSMMemcpy",
						  "urEnqueueUSMFill",	   "urQueueFinish",
						  "urEventWait",	   "urEnqueueCommandBufferExp",
						  "urUSMDeviceAlloc",	   "urUSMFree",
						  "urUSMHostAlloc" };

static void put_call(struct sim_sink *sink, const struct sim_event *event)
{
	bool xpu = sink->writer->variant == XPU, mtia = sink->writer->variant == MTIA;
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	uint32_t tid = sim_run_tid(sink->run, event->rank, event->thread);

	separate(state, out);
	LIT("\n  {\n    \"ph\": \"X\", \"cat\": \"");
	sim_out_str(out, old(sink) ? "Runtime\", \n    \"name\": \""
			 : xpu	   ? "xpu_runtime\", \"name\": \""
			 : mtia	   ? "mtia_runtime\", \"name\": \""
				   : "cuda_runtime\", \"name\": \"");
	sim_out_str(out, xpu ? xpu_calls[event->name] : sim_call_names[event->name].name);
	put_number(out, "\", \"pid\": ", sim_run_pid(sink->run, event->rank));
	put_number(out, old(sink) ? ", \"tid\": \"" : ", \"tid\": ", tid);
	put_span(sink, old(sink) ? "\",\n    \"ts\": " : ",\n    \"ts\": ", event->start_ns,
		 event->end_ns);
	LIT(",\n    \"args\": {\n      ");
	if (!old(sink) && event->operator_id) {
		put_number(out, "\"External id\": ", event->operator_id);
		LIT(", ");
	}
	put_number(out, "\"cbid\": ", sim_call_names[event->name].cbid);
	put_number(out, ", \"correlation\": ", event->correlation);
	if (old(sink)) {
		put_number(out, ",\n      \"external id\": ", event->operator_id);
		LIT(", \"external ts\": ");
		put_time(sink, event->start_ns);
	}
	put_op_end(out, true);
	if (launches(event))
		put_flow(sink, event, true);
}

static void put_range_name(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;

	LIT("\"");
	if (event->kind == SIM_MARK) {
		sim_out_str(out, sink->run->program->loops[event->name].mark);
		put_number(out, "#", event->number);
	} else {
		sim_out_str(out, sim_operator_name(event->name, tensorflow));
	}
	LIT("\"");
}

/* An operator or annotation of the host. */
static void put_range(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	separate(state, out);
	LIT("\n  {\n    \"ph\": \"X\", \"cat\": \"");
	if (old(sink))
		LIT("Operator\", \n    \"name\": ");
	else if (event->kind == SIM_MARK || event->name == SIM_OP_INPUT)
		LIT("user_annotation\", \"name\": ");
	else
		LIT("cpu_op\", \"name\": ");
	put_range_name(sink, event);
	put_number(out, ", \"pid\": ", sim_run_pid(sink->run, event->rank));
	put_number(out, old(sink) ? ", \"tid\": \"" : ", \"tid\": ",
		   sim_run_tid(sink->run, event->rank, event->thread));
	put_span(sink, old(sink) ? "\",\n    \"ts\": " : ",\n    \"ts\": ", event->start_ns,
		 event->end_ns);
	LIT(",\n    \"args\": {\n      ");
	put_number(out, "\"External id\": ", event->operator_id);
	if (old(sink))
		LIT(", \"Trace name\": \"PyTorch Profiler\", \"Trace iteration\": 0");
	else
		put_number(out, ",\"Ev Idx\": ", sink->events);
	if (event->collective)
		put_collective(sink, event);
	put_op_end(out, true);
}

/* The format of torch.autograd.profiler before Kineto: no category, rows named by pid. */
static void put_legacy(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	bool on_gpu = sim_event_on_gpu(event);

	if (event->kind == SIM_CALL)
		return;
	separate(state, out);
	LIT("{\"name\": ");
	if (event->kind == SIM_KERNEL)
		sim_out_str(out, state->names[event->name]);
	else if (on_gpu)
		put_copy_name(out, event);
	else
		put_range_name(sink, event);
	LIT(", \"ph\": \"X\"");
	put_span(sink, ", \"ts\": ", event->start_ns, event->end_ns);
	put_number(out,
		   ", \"tid\": ", on_gpu ? sim_run_device(sink->run, event->rank) : event->thread);
	sim_out_str(out, on_gpu ? ", \"pid\": \"CUDA functions\", \"args\": {}}\n"
				: ", \"pid\": \"CPU functions\", \"args\": {}}\n");
}

enum { ROW_ALL = 2, ROW_STREAM = 10 }; /* process ids of the timeline's rows */

static void put_timeline_row(struct sim_sink *sink, const struct sim_event *event, uint32_t row)
{
	static const char *const copies[] = { "MEMCPYHtoD", "MEMCPYDtoH", "MEMCPYDtoD" };
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	separate(state, out);
	LIT("\n        {\n            \"ph\": \"X\",\n            \"cat\": \"Op\",\n"
	    "            \"name\": \"");
	if (event->kind == SIM_COPY)
		sim_out_str(out, copies[event->copy_kind]);
	else if (event->kind == SIM_SET)
		LIT("MEMSET");
	else
		sim_out_str(out, sink->run->catalogue->kernels[event->name].base);
	put_number(out, "\",\n            \"pid\": ", row);
	put_span(sink, ",\n            \"tid\": 0,\n            \"ts\": ", event->start_ns,
		 event->end_ns);
	put_number(out, ",\n            \"args\": {\n                \"name\": \"model/op_",
		   event->grid % 1000);
	LIT("\",\n                \"op\": \"");
	if (event->kind == SIM_COPY)
		sim_out_str(out, copies[event->copy_kind]);
	else if (event->kind == SIM_SET)
		LIT("MEMSET");
	else
		sim_out_str(out, sink->run->catalogue->kernels[event->name].base);
	LIT("\"\n            }\n        }");
}

static void put_timeline(struct sim_sink *sink, const struct sim_event *event)
{
	uint32_t base = event->rank * 20;

	if (!sim_event_on_gpu(event))
		return;
	put_timeline_row(sink, event, base + ROW_ALL);
	put_timeline_row(sink, event, base + ROW_STREAM + event->stream);
}

static void put_meta(struct sim_sink *sink, const char *kind, uint32_t pid, uint32_t tid,
		     const char *key, const char *value)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	separate(state, out);
	LIT("\n  {\n    \"name\": \"");
	sim_out_str(out, kind);
	LIT("\", \"ph\": \"M\", \"ts\": ");
	put_time(sink, 0);
	put_number(out, ", \"pid\": ", pid);
	put_number(out,
		   old(sink) && strcmp(kind, "thread_name") == 0 ? ", \"tid\": \"" : ", \"tid\": ",
		   tid);
	sim_out_str(out, old(sink) && strcmp(kind, "thread_name") == 0
				 ? "\",\n    \"args\": {\n      \""
				 : ",\n    \"args\": {\n      \"");
	sim_out_str(out, key);
	LIT("\": ");
	sim_out_json(out, value);
	put_op_end(out, true);
}

static void put_rank_meta(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;
	uint32_t pid = sim_run_pid(run, rank), device = sim_run_device(run, rank);
	char text[64];

	put_meta(sink, "process_name", pid, 0, "name", "python");
	put_meta(sink, "process_labels", pid, 0, "labels", "CPU");
	put_meta(sink, "process_name", device, 0, "name", "python");
	snprintf(text, sizeof(text), "GPU %u", (unsigned)device);
	put_meta(sink, "process_labels", device, 0, "labels", text);
	for (uint32_t i = 0; i < SIM_THREADS; i++) {
		uint32_t tid = sim_run_tid(run, rank, i);

		snprintf(text, sizeof(text), "thread %u (python)", (unsigned)tid);
		put_meta(sink, "thread_name", pid, tid, "name", text);
	}
	for (uint32_t i = 0; i < SIM_STREAMS && !old(sink); i++) {
		uint32_t stream = sim_run_stream(run, i);

		snprintf(text, sizeof(text), "stream %u ", (unsigned)stream);
		put_meta(sink, "thread_name", device, stream, "name", text);
	}
}

static void put_timeline_meta(struct sim_sink *sink, uint32_t rank)
{
	uint32_t device = sim_run_device(sink->run, rank), base = rank * 20;
	char text[64];

	snprintf(text, sizeof(text), "/device:GPU:%u/stream:all Compute", (unsigned)device);
	put_meta(sink, "process_name", base + ROW_ALL, 0, "name", text);
	for (uint32_t i = 0; i < SIM_STREAMS; i++) {
		snprintf(text, sizeof(text), "/device:GPU:%u/stream:%u Compute", (unsigned)device,
			 (unsigned)sim_run_stream(sink->run, i));
		put_meta(sink, "process_name", base + ROW_STREAM + i, 0, "name", text);
	}
}

static void put_tail(struct sim_sink *sink)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	if (sink->writer->variant == LEGACY) {
		LIT("]");
		return;
	}
	for (uint32_t i = 0; i < sim_run_ranks(sink->run); i++) {
		if (sink->writer->variant == TIMELINE)
			put_timeline_meta(sink, i);
		else
			put_rank_meta(sink, i);
	}
	if (sink->writer->variant == TIMELINE) {
		LIT("\n    ]\n}");
		return;
	}
	separate(state, out);
	LIT("\n  {\n    \"ph\": \"X\", \"cat\": \"Trace\"");
	put_span(sink, ", \"ts\": ", 0, state->last_ns);
	LIT(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
	    "    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n"
	    "  },\n  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
	    "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
	put_time(sink, 0);
	LIT("\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
	    "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
	put_time(sink, state->last_ns);
	LIT("\n  }\n  ]");
	if (!old(sink))
		LIT(",\n  \"traceName\": \"./log/worker0.pt.trace.json\"");
	LIT("\n}");
}

static int kineto_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	state->names = escaped_names(sink->run->catalogue);
	if (!state->names)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sim_sink_open(sink, &state->out))
		return -1;
	put_head(sink);
	return 0;
}

static int kineto_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	if (sink->writer->variant == LEGACY)
		put_legacy(sink, event);
	else if (sink->writer->variant == TIMELINE)
		put_timeline(sink, event);
	else if (sim_event_on_gpu(event) && sink->writer->variant == MTIA)
		put_mtia(sink, event);
	else if (sim_event_on_gpu(event))
		put_operation(sink, event);
	else if (event->kind == SIM_CALL)
		put_call(sink, event);
	else
		put_range(sink, event);
	return 0;
}

static int kineto_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (state->out && complete)
		put_tail(sink);
	status = sim_sink_close(sink, state->out);
	for (size_t i = 0; state->names && i < sink->run->catalogue->count; i++)
		free(state->names[i]);
	free(state->names);
	free(state);
	return status;
}

#define KINETO kineto_open, kineto_event, kineto_close

const struct sim_writer sim_kineto_writers[] = {
	{ "kineto", "PyTorch: decimal microseconds since 1970", ".pt.trace.json", 1, 1, false, true,
	  MODERN, KINETO, .jobs = true },
	{ "kineto-relative", "PyTorch: decimal microseconds from a base time", ".pt.trace.json", 1,
	  1, false, true, RELATIVE, KINETO },
	{ "kineto-2021", "PyTorch of 2021: whole microseconds", ".pt.trace.json", 1000, 1000, false,
	  true, OLD, KINETO },
	{ "kineto-legacy", "the autograd profiler before: a bare array", ".json", 1000, 1000, false,
	  true, LEGACY, KINETO },
	{ "kineto-xpu", "PyTorch on Intel's GPUs", ".pt.trace.json", 1, 1, false, true, XPU,
	  KINETO },
	{ "kineto-mtia", "PyTorch on Meta's accelerators", ".pt.trace.json", 1, 1, false, true,
	  MTIA, KINETO, .no_sets = true },
	{ "tf-timeline", "TensorFlow 1's timeline", ".json", 1000, 1000, false, true, TIMELINE,
	  KINETO },
	SIM_WRITERS_END,
};
