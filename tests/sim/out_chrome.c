/*
 * Chrome traces of other profilers than PyTorch's: rocprof's results.json, whose rows are named by
 * what they hold and whose numbers are texts, Ascend's trace_view.json, a bare array in which a
 * task's type says what it is, and JAX's trace.json, whose rows are an XPlane's planes and lines.
 */
#include "out.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum variant { ROCPROF, ASCEND, JAX };

/* Rows of rocprof, each a process, followed by those of GPUs. */
enum { ROW_MARKERS, ROW_COPY, ROW_HIP, ROW_GPU = 6 };

/* Ascend's devices are processes next to the program's. */
enum { NPU_PID = 900000 };

/*
 * JAX's rows: processes from 1 on are devices; derived lines have threads after those of streams.
 */
enum { DEVICE_PID = 1, HOST_PID = 701, DERIVED_TID = 1000 };

struct state {
	struct sim_out *out;
	bool second; /* an event was written */
};

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

static struct sim_out *begin(struct sim_sink *sink)
{
	struct state *state = sink->state;

	if (state->second)
		sim_out_text(state->out, ",\n", 2);
	state->second = true;
	return state->out;
}

static void put_number(struct sim_out *out, const char *key, uint64_t value)
{
	sim_out_str(out, key);
	sim_out_u64(out, value);
}

static void put_row_name(struct sim_sink *sink, uint32_t pid, const char *name)
{
	struct sim_out *out = begin(sink);

	LIT("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":");
	sim_out_u64(out, pid);
	LIT(",\"tid\":0,\"args\":{\"name\":");
	sim_out_json(out, name);
	LIT("}}");
}

static void put_name(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const copies[][3] = {
		{ "CopyHostToDevice", "MEMCPY_ASYNC HtoD", "MemcpyH2D" },
		{ "CopyDeviceToHost", "MEMCPY_ASYNC DtoH", "MemcpyD2H" },
		{ "CopyDeviceToDevice", "MEMCPY_ASYNC DtoD", "MemcpyD2D" }
	};
	/* By enum sim_call. */
	static const char *const calls[] = { "hipLaunchKernel", "hipMemcpyAsync", "hipMemsetAsync",
					     "hipStreamSynchronize", "hipDeviceSynchronize" };
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_run *run = sink->run;
	char text[96];

	switch (event->kind) {
	case SIM_KERNEL:
		sim_out_json(out, run->catalogue->kernels[event->name].name);
		break;
	case SIM_COPY:
		sim_out_json(out, copies[event->copy_kind][sink->writer->variant]);
		break;
	case SIM_CALL:
		if (sink->writer->variant == JAX)
			sim_out_json(out, sim_call_names[event->name].name);
		else
			sim_out_json(out, event->name < sizeof(calls) / sizeof(calls[0])
						  ? calls[event->name]
						  : "hipMalloc");
		break;
	case SIM_MARK:
		snprintf(text, sizeof(text), "%s#%u", run->program->loops[event->name].mark,
			 (unsigned)event->number);
		sim_out_json(out, text);
		break;
	default:
		sim_out_json(out, sim_operator_name((enum sim_operator)event->name, false));
	}
}

/* Rows by content; related events have the same Index. */
static void put_rocprof(struct sim_sink *sink, const struct sim_event *event)
{
	struct sim_out *out = begin(sink);
	const struct sim_run *run = sink->run;
	uint32_t device = sim_run_device(run, event->rank);
	bool on_gpu = sim_event_on_gpu(event);

	LIT("{\"ph\":\"X\",\"name\":");
	put_name(sink, event);
	put_number(out, ",\"pid\":",
		   event->kind == SIM_KERNEL ? ROW_GPU + device
		   : event->kind == SIM_COPY ? ROW_COPY
		   : event->kind == SIM_CALL ? ROW_HIP
					     : ROW_MARKERS);
	put_number(out, ",\"tid\":",
		   on_gpu ? sim_run_stream(run, event->stream)
			  : sim_run_tid(run, event->rank, event->thread));
	LIT(",\"ts\":\"");
	sim_out_fixed(out, event->start_ns, 3);
	LIT("\",\"dur\":\"");
	sim_out_fixed(out, event->end_ns - event->start_ns, 3);
	put_number(out, "\",\"args\":{\"BeginNs\":\"", event->start_ns);
	put_number(out, "\",\"EndNs\":\"", event->end_ns);
	if (on_gpu)
		put_number(out, "\",\"dev-id\":\"", device);
	if (event->correlation)
		put_number(out, "\",\"Index\":\"", event->correlation - 1);
	LIT("\"}}");
}

/* Times since 1970, as texts. Calls of the runtime are left out: they are on no row of their own.
 */
static void put_ascend(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_run *run = sink->run;
	uint32_t stream = sim_run_stream(run, event->stream);
	struct sim_out *out;

	if (event->kind == SIM_CALL)
		return;
	out = begin(sink);
	LIT("{\"name\":");
	put_name(sink, event);
	if (sim_event_on_gpu(event)) {
		put_number(out, ",\"pid\":", NPU_PID + sim_run_device(run, event->rank));
		put_number(out, ",\"tid\":", stream);
	} else {
		LIT(",\"cat\":\"cpu_op\"");
		put_number(out, ",\"pid\":", sim_run_pid(run, event->rank));
		put_number(out, ",\"tid\":", sim_run_tid(run, event->rank, event->thread));
	}
	LIT(",\"ts\":\"");
	sim_out_fixed(out, run->epoch_ns + event->start_ns, 3);
	LIT("\",\"dur\":");
	sim_out_fixed(out, event->end_ns - event->start_ns, 3);
	LIT(",\"args\":{");
	if (sim_event_on_gpu(event)) {
		put_number(out, "\"Stream Id\":", stream);
		sim_out_str(out, event->kind == SIM_KERNEL ? ",\"Task Type\":\"AI_CORE\""
							   : ",\"Task Type\":\"SDMA_SQE\"");
	}
	LIT("},\"ph\":\"X\"}");
}

static void put_thread_name(struct sim_sink *sink, uint32_t pid, uint64_t tid, const char *name)
{
	struct sim_out *out = begin(sink);

	put_number(out, "{\"ph\":\"M\",\"pid\":", pid);
	put_number(out, ",\"tid\":", tid);
	LIT(",\"name\":\"thread_name\",\"args\":{\"name\":");
	sim_out_json(out, name);
	LIT("}}");
}

static void put_jax_event(struct sim_sink *sink, const struct sim_event *event, uint64_t tid)
{
	struct sim_out *out = begin(sink);
	uint32_t device = sim_run_device(sink->run, event->rank);
	char details[160];

	put_number(out, "{\"ph\":\"X\",\"pid\":",
		   sim_event_on_gpu(event) ? DEVICE_PID + device : HOST_PID);
	put_number(out, ",\"tid\":", tid);
	LIT(",\"ts\":");
	sim_out_fixed(out, event->start_ns, 3);
	LIT(",\"dur\":");
	sim_out_fixed(out, event->end_ns - event->start_ns, 3);
	LIT(",\"name\":");
	put_name(sink, event);
	if (event->kind == SIM_COPY) {
		sim_xla_details(details, event);
		LIT(",\"args\":{\"memcpy_details\":");
		sim_out_json(out, details);
		put_number(out, ",\"correlation_id\":\"", event->correlation);
		LIT("\"}");
	} else if (event->correlation) {
		put_number(out, ",\"args\":{\"correlation_id\":\"", event->correlation);
		LIT("\"}");
	}
	LIT("}");
}

/*
 * Times since the session's start. Kernels are on their stream's row, and again as XLA's
 * operations.
 */
static void put_jax(struct sim_sink *sink, const struct sim_event *event)
{
	const struct sim_run *run = sink->run;

	if (!sim_event_on_gpu(event)) {
		put_jax_event(sink, event, sim_run_tid(run, event->rank, event->thread));
		return;
	}
	put_jax_event(sink, event, sim_run_stream(run, event->stream));
	if (event->kind == SIM_KERNEL)
		put_jax_event(sink, event, DERIVED_TID);
}

static void put_jax_rows(struct sim_sink *sink)
{
	const struct sim_run *run = sink->run;
	char name[48];

	put_row_name(sink, HOST_PID, "/host:CPU");
	for (uint32_t i = 0; i < sim_run_ranks(run); i++) {
		uint32_t pid = DEVICE_PID + sim_run_device(run, i);

		snprintf(name, sizeof(name), "/device:GPU:%u", (unsigned)sim_run_device(run, i));
		put_row_name(sink, pid, name);
		put_thread_name(sink, pid, DERIVED_TID, "XLA Ops");
		for (uint32_t j = 0; j < SIM_STREAMS; j++) {
			snprintf(name, sizeof(name), "Stream #%u(Kernel)",
				 (unsigned)sim_run_stream(run, j));
			put_thread_name(sink, pid, sim_run_stream(run, j), name);
		}
	}
}

/* Rows are named before what is on them. */
static void put_rows(struct sim_sink *sink)
{
	char name[32];

	if (sink->writer->variant == JAX) {
		put_jax_rows(sink);
		return;
	}
	if (sink->writer->variant == ROCPROF) {
		put_row_name(sink, ROW_MARKERS, "Markers and Ranges");
		put_row_name(sink, ROW_COPY, "COPY");
		put_row_name(sink, ROW_HIP, "CPU HIP API");
	}
	for (uint32_t i = 0; i < sim_run_ranks(sink->run); i++) {
		uint32_t device = sim_run_device(sink->run, i);

		snprintf(name, sizeof(name), "GPU%u", (unsigned)device);
		if (sink->writer->variant == ROCPROF)
			put_row_name(sink, ROW_GPU + device, name);
		else
			put_row_name(sink, NPU_PID + device, "Ascend Hardware");
	}
}

/* The text around the events. */
static const struct {
	const char *head, *tail;
} frames[] = {
	[ROCPROF] = { "{ \"traceEvents\":[\n", "\n]}\n" },
	[ASCEND] = { "[\n", "\n]\n" },
	[JAX] = { "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},"
		  "\"traceEvents\":[\n",
		  ",\n{}]}" },
};

static int chrome_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	if (sim_sink_open(sink, &state->out))
		return -1;
	sim_out_str(state->out, frames[sink->writer->variant].head);
	put_rows(sink);
	return 0;
}

static int chrome_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	if (sink->writer->variant == ROCPROF)
		put_rocprof(sink, event);
	else if (sink->writer->variant == ASCEND)
		put_ascend(sink, event);
	else
		put_jax(sink, event);
	return 0;
}

static int chrome_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status;

	if (!state)
		return 0;
	if (state->out && complete)
		sim_out_str(state->out, frames[sink->writer->variant].tail);
	status = sim_sink_close(sink, state->out);
	free(state);
	return status;
}

const struct sim_writer sim_chrome_writers[] = {
	{ .name = "rocprof",
	  .help = "rocprof v1 and v2, results.json",
	  .extension = ".json",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .variant = ROCPROF,
	  .open = chrome_open,
	  .event = chrome_event,
	  .close = chrome_close,
	  .no_sets = true },
	{ .name = "ascend",
	  .help = "Ascend's profiler, trace_view.json",
	  .extension = ".json",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .variant = ASCEND,
	  .open = chrome_open,
	  .event = chrome_event,
	  .close = chrome_close,
	  .no_sets = true },
	{ .name = "jax-json",
	  .help = "JAX's trace.json.gz, next to its XPlane",
	  .extension = ".trace.json",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .variant = JAX,
	  .open = chrome_open,
	  .event = chrome_event,
	  .close = chrome_close,
	  .no_sets = true },
	SIM_WRITERS_END,
};
