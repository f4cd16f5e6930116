/*
 * rocprofv3's JSON, as ROCm 7 writes it: names first, then a list of records for each kind. Lists
 * are written to files of their own and joined when the file is complete.
 */
#include "out.h"
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES, KERNELS, CALLS, RANGES, COPIES, PARTS };

/* Numbers of kinds and of the operations in each, as in the lists of names below. */
enum { KIND_HIP = 1, KIND_MARKER, KIND_COPY, KIND_DISPATCH };
enum { OPERATION_RANGE = 1, OPERATION_COMPLETE = 2 };

static const char kinds[] =
	"\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"
	"{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"hipLaunchKernel\",\"hipMemcpyAsync\","
	"\"hipMemsetAsync\",\"hipStreamSynchronize\",\"hipDeviceSynchronize\",\"hipGraphLaunch\","
	"\"hipMalloc\",\"hipFree\",\"hipHostMalloc\"]},"
	"{\"kind\":\"MARKER_CORE_RANGE_API\",\"operations\":[\"roctxMarkA\",\"roctxThreadRangeA\"]},"
	"{\"kind\":\"MEMORY_COPY\",\"operations\":[\"MEMORY_COPY_NONE\","
	"\"MEMORY_COPY_HOST_TO_HOST\",\"MEMORY_COPY_HOST_TO_DEVICE\","
	"\"MEMORY_COPY_DEVICE_TO_HOST\",\"MEMORY_COPY_DEVICE_TO_DEVICE\"]},"
	"{\"kind\":\"KERNEL_DISPATCH\",\"operations\":[\"KERNEL_DISPATCH_NONE\","
	"\"KERNEL_DISPATCH_ENQUEUE\",\"KERNEL_DISPATCH_COMPLETE\"]}]";

struct state {
	struct sim_out *out;
	struct sim_part parts[PARTS];
	bool second[PARTS]; /* an element was written */
	uint64_t range_id; /* ranges have correlation ids above those of calls */
};

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

static void put_number(struct sim_out *out, const char *key, uint64_t value)
{
	sim_out_str(out, key);
	sim_out_u64(out, value);
}

/* Agent 0 is the host. */
static uint64_t agent_of(const struct sim_run *run, uint32_t rank)
{
	return 7000 + 1 + sim_run_device(run, rank);
}

/* The list's file, positioned at its next element. */
static struct sim_out *next(struct sim_sink *sink, int part)
{
	struct state *state = sink->state;
	struct sim_out *out = state->parts[part].out;

	if (state->second[part])
		LIT(",");
	state->second[part] = true;
	return out;
}

static void put_head(struct sim_out *out, int kind, uint64_t operation, uint64_t correlation,
		     const struct sim_event *event)
{
	put_number(out, "{\"size\":96,\"kind\":", (uint64_t)kind);
	put_number(out, ",\"operation\":", operation);
	put_number(out, ",\"correlation_id\":{\"internal\":", correlation);
	put_number(out, ",\"external\":0},\"start_timestamp\":", event->start_ns);
	put_number(out, ",\"end_timestamp\":", event->end_ns);
}

static void put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_kernel *kernel = &sink->run->catalogue->kernels[event->name];
	struct sim_out *out = next(sink, KERNELS);

	put_head(out, KIND_DISPATCH, OPERATION_COMPLETE, event->correlation, event);
	put_number(out, ",\"thread_id\":", sim_run_tid(sink->run, event->rank, event->thread));
	put_number(out, ",\"dispatch_info\":{\"size\":72,\"agent_id\":{\"handle\":",
		   agent_of(sink->run, event->rank));
	put_number(out, "},\"queue_id\":{\"handle\":", 1 + event->stream % 4u);
	put_number(out, "},\"kernel_id\":", 1 + (uint64_t)event->name);
	put_number(out, ",\"dispatch_id\":", sink->events);
	LIT(",\"private_segment_size\":0,\"group_segment_size\":0");
	put_number(out, ",\"workgroup_size\":{\"x\":", kernel->block);
	put_number(out, ",\"y\":1,\"z\":1},\"grid_size\":{\"x\":",
		   (uint64_t)event->grid * kernel->block);
	put_number(out, ",\"y\":1,\"z\":1}},\"stream_id\":{\"handle\":",
		   sim_run_stream(sink->run, event->stream));
	LIT("}}");
}

static void put_copy(struct sim_sink *sink, const struct sim_event *event)
{
	static const uint64_t operations[] = { [SIM_HTOD] = 2, [SIM_DTOH] = 3, [SIM_DTOD] = 4 };
	struct sim_out *out = next(sink, COPIES);
	uint64_t agent = agent_of(sink->run, event->rank);

	put_head(out, KIND_COPY, operations[event->copy_kind], event->correlation, event);
	put_number(out, ",\"thread_id\":", sim_run_tid(sink->run, event->rank, event->thread));
	put_number(out,
		   ",\"dst_agent_id\":{\"handle\":", event->copy_kind == SIM_DTOH ? 7000 : agent);
	put_number(out,
		   "},\"src_agent_id\":{\"handle\":", event->copy_kind == SIM_HTOD ? 7000 : agent);
	put_number(out, "},\"bytes\":", event->bytes);
	put_number(out, ",\"stream_id\":{\"handle\":", sim_run_stream(sink->run, event->stream));
	LIT("}}");
}

static void put_call(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = next(sink, CALLS);

	put_head(out, KIND_HIP, event->name, event->correlation, event);
	put_number(out, ",\"thread_id\":", sim_run_tid(sink->run, event->rank, event->thread));
	LIT("}");
}

static void put_range(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	const struct sim_program *program = sink->run->program;
	struct sim_out *out = next(sink, RANGES);
	uint64_t id = ((uint64_t)1 << 31) + ++state->range_id;
	char text[64];

	put_head(out, KIND_MARKER, OPERATION_RANGE, id, event);
	put_number(out, ",\"thread_id\":", sim_run_tid(sink->run, event->rank, event->thread));
	LIT("}");
	if (event->kind == SIM_MARK)
		snprintf(text, sizeof(text), "%s#%u", program->loops[event->name].mark,
			 (unsigned)event->number);
	else
		snprintf(text, sizeof(text), "%s",
			 sim_operator_name(event->name,
					   strcmp(program->framework, "tensorflow") == 0));
	out = next(sink, MESSAGES);
	put_number(out, "{\"key\":", id);
	LIT(",\"value\":");
	sim_out_json(out, text);
	LIT("}");
}

static void put_agents(struct sim_sink *sink)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	LIT("\"agents\":[{\"size\":312,\"id\":{\"handle\":7000},\"type\":1,\"cpu_cores_count\":64,"
	    "\"name\":\"CPU\",\"product_name\":\"CPU\",\"node_id\":0,\"logical_node_id\":0,"
	    "\"logical_node_type_id\":0}");
	for (uint32_t r = 0; r < sim_run_ranks(sink->run); r++) {
		put_number(out, ",{\"size\":312,\"id\":{\"handle\":", agent_of(sink->run, r));
		LIT("},\"type\":2,\"cpu_cores_count\":0,\"name\":\"gfx942\",\"product_name\":");
		sim_out_json(out, sink->run->program->gpu);
		put_number(out, ",\"node_id\":", 1 + r);
		put_number(out, ",\"logical_node_type_id\":", sim_run_device(sink->run, r));
		LIT("}");
	}
	LIT("],\"counters\":[]");
}

static void put_symbols(struct sim_sink *sink)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_catalogue *catalogue = sink->run->catalogue;

	LIT(",\"code_objects\":[],\"kernel_symbols\":[{\"size\":0,\"kernel_id\":0,"
	    "\"code_object_id\":0,\"kernel_name\":\"\",\"formatted_kernel_name\":\"0\","
	    "\"demangled_kernel_name\":\"0\"}");
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct sim_kernel *kernel = &catalogue->kernels[i];

		put_number(out, ",{\"size\":88,\"kernel_id\":", 1 + i);
		LIT(",\"code_object_id\":1,\"kernel_name\":");
		sim_out_json(out, kernel->mangled);
		LIT(",\"formatted_kernel_name\":");
		sim_out_json(out, kernel->name);
		LIT(",\"demangled_kernel_name\":");
		sim_out_json(out, kernel->name);
		LIT("}");
	}
	LIT("]");
}

/* The elements of a list that was written to a file of its own. */
static int put_part(struct sim_sink *sink, const char *key, int part)
{
	struct state *state = sink->state;
	struct sim_out *out = state->out;

	sim_out_str(out, key);
	LIT("[");
	if (sim_part_append(sink, &state->parts[part], out))
		return -1;
	LIT("]");
	return 0;
}

static int complete_file(struct sim_sink *sink)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	LIT("{\"rocprofiler-sdk-tool\":[{");
	put_number(out, "\"metadata\":{\"node\":{\"id\":0},\"pid\":", sim_run_pid(sink->run, 0));
	LIT(",\"init_time\":0,\"fini_time\":0,\"config\":{\"group_by_queue\":false},"
	    "\"command\":[\"python\"]},");
	put_agents(sink);
	LIT(",\"strings\":{\"callback_records\":[{\"kind\":\"NONE\",\"operations\":[]}],");
	sim_out_str(out, kinds);
	if (put_part(sink, ",\"marker_api\":", MESSAGES))
		return -1;
	LIT("}");
	put_symbols(sink);
	LIT(",\"callback_records\":{\"counter_collection\":[]},\"buffer_records\":{");
	if (put_part(sink, "\"kernel_dispatch\":", KERNELS) ||
	    put_part(sink, ",\"hip_api\":", CALLS) || put_part(sink, ",\"marker_api\":", RANGES) ||
	    put_part(sink, ",\"memory_copy\":", COPIES))
		return -1;
	LIT(",\"memory_allocation\":[]}}]}");
	return 0;
}

static int rocprofv3_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	if (sink->run->program->processes > 1)
		return sim_sink_fail(sink, sink->writer->name, "holds one process only");
	for (int i = 0; i < PARTS; i++)
		if (sim_part_open(sink, &state->parts[i], i))
			return -1;
	state->out = sim_out_open(sink->path, sink->gzip);
	return state->out ? 0 : sim_sink_fail(sink, sink->path, strerror(errno));
}

static int rocprofv3_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	if (event->kind == SIM_KERNEL)
		put_kernel(sink, event);
	else if (event->kind == SIM_COPY)
		put_copy(sink, event);
	else if (event->kind == SIM_CALL)
		put_call(sink, event);
	else
		put_range(sink, event);
	return 0;
}

static int rocprofv3_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (complete)
		status = complete_file(sink);
	if (state->out && sim_out_close(state->out) && !status)
		status = sim_sink_fail(sink, sink->path, strerror(errno));
	for (int i = 0; i < PARTS; i++)
		sim_part_close(&state->parts[i]);
	free(state);
	return status;
}

const struct sim_writer sim_rocprofv3_writers[] = {
	{ .name = "rocprofv3",
	  .help = "ROCm's rocprofv3, JSON",
	  .extension = ".json",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .no_sets = true,
	  .open = rocprofv3_open,
	  .event = rocprofv3_event,
	  .close = rocprofv3_close },
	SIM_WRITERS_END,
};
