/*
 * rocprofv3's CSV, its files joined in one: kernel_trace.csv, then memory_copy_trace.csv and
 * hip_api_trace.csv with marker_api_trace.csv, which are written to files of their own first.
 * Agents are those of --agent-index=type-relative.
 */
#include "out.h"
#include "writer.h"

#include <stdlib.h>

enum { KERNELS, COPIES, CALLS, PARTS };

struct state {
	struct sim_part parts[PARTS]; /* the first one is the file itself */
};

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

static const char *const heads[PARTS] = {
	[KERNELS] =
		"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","
		"\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
		"\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\"\n",
	[COPIES] = "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\","
		   "\"Destination_Agent_Id\",\"Correlation_Id\",\"Start_Timestamp\","
		   "\"End_Timestamp\"\n",
	[CALLS] = ("\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
		   "\"Start_Timestamp\",\"End_Timestamp\"\n"),
};

static struct sim_out *out_of(struct sim_sink *sink, int part)
{
	return ((struct state *)sink->state)->parts[part].out;
}

static void put_number(struct sim_out *out, uint64_t value)
{
	sim_out_u64(out, value);
	LIT(",");
}

static void put_times(struct sim_out *out, const struct sim_event *event, const char *end)
{
	put_number(out, event->correlation);
	put_number(out, event->start_ns);
	sim_out_u64(out, event->end_ns);
	sim_out_str(out, end);
}

static void put_kernel(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = out_of(sink, KERNELS);

	LIT("\"KERNEL_DISPATCH\",\"GPU ");
	sim_out_u64(out, sim_run_device(sink->run, event->rank));
	LIT("\",");
	put_number(out, 1 + event->stream % 4u);
	put_number(out, sim_run_stream(sink->run, event->stream));
	put_number(out, sim_run_tid(sink->run, event->rank, event->thread));
	put_number(out, sink->events);
	put_number(out, 1 + (uint64_t)event->name);
	LIT("\"");
	sim_out_str(out, sink->run->catalogue->kernels[event->name].name);
	LIT("\",");
	put_times(out, event, ",0,0\n");
}

static void put_agent(struct sim_sink *sink, const struct sim_event *event, bool gpu)
{
	struct sim_out *out = out_of(sink, COPIES);

	sim_out_str(out, gpu ? "\"GPU " : "\"CPU ");
	sim_out_u64(out, gpu ? sim_run_device(sink->run, event->rank) : 0);
	LIT("\",");
}

static void put_copy(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const directions[] = { [SIM_HTOD] = "HOST_TO_DEVICE",
						  [SIM_DTOH] = "DEVICE_TO_HOST",
						  [SIM_DTOD] = "DEVICE_TO_DEVICE" };
	struct sim_out *out = out_of(sink, COPIES);

	LIT("\"MEMORY_COPY\",\"MEMORY_COPY_");
	sim_out_str(out, directions[event->copy_kind]);
	LIT("\",");
	put_number(out, sim_run_stream(sink->run, event->stream));
	put_agent(sink, event, event->copy_kind != SIM_HTOD);
	put_agent(sink, event, event->copy_kind != SIM_DTOH);
	put_times(out, event, "\n");
}

/* A call, or a range, which has its message as the name. */
static void put_call(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_program *program = sink->run->program;
	bool tensorflow = strcmp(program->framework, "tensorflow") == 0;
	struct sim_out *out = out_of(sink, CALLS);

	if (event->kind == SIM_CALL) {
		LIT("\"HIP_RUNTIME_API\",\"");
		sim_out_str(out, sim_hip_name(event->name));
	} else {
		LIT("\"MARKER_CORE_RANGE_API\",\"");
		sim_out_str(out, event->kind == SIM_MARK
					 ? program->loops[event->name].mark
					 : sim_operator_name(event->name, tensorflow));
	}
	if (event->kind == SIM_MARK) {
		LIT("#");
		sim_out_u64(out, event->number);
	}
	LIT("\",");
	put_number(out, sim_run_pid(sink->run, event->rank));
	put_number(out, sim_run_tid(sink->run, event->rank, event->thread));
	put_times(out, event, "\n");
}

static int csv_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (sim_sink_open(sink, &state->parts[KERNELS].out))
		return -1;
	for (int i = KERNELS + 1; i < PARTS; i++)
		if (sim_part_open(sink, &state->parts[i], i))
			return -1;
	for (int i = 0; i < PARTS; i++)
		sim_out_str(state->parts[i].out, heads[i]);
	return 0;
}

static int csv_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	if (event->kind == SIM_KERNEL)
		put_kernel(sink, event);
	else if (event->kind == SIM_COPY)
		put_copy(sink, event);
	else
		put_call(sink, event);
	return 0;
}

static int csv_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	for (int i = KERNELS + 1; complete && !status && i < PARTS; i++)
		status = sim_part_append(sink, &state->parts[i], out_of(sink, KERNELS));
	for (int i = KERNELS + 1; i < PARTS; i++)
		sim_part_close(&state->parts[i]);
	if (sim_sink_close(sink, state->parts[KERNELS].out))
		status = -1;
	free(state);
	return status;
}

const struct sim_writer sim_rocprofv3_csv_writers[] = {
	{ .name = "rocprofv3-csv",
	  .help = "ROCm's rocprofv3, CSV, its tables joined",
	  .extension = ".csv",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .no_sets = true,
	  .open = csv_open,
	  .event = csv_event,
	  .close = csv_close },
	SIM_WRITERS_END,
};
