/*
 * Perfetto's format as rocprofv3 writes it: a packet for each beginning and end of a slice, names
 * by numbers, times of the clock since the machine's start.
 */
#include "out.h"
#include "report/proto.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of names. Kernels follow the operators. */
enum { CATEGORY_KERNEL = 1, CATEGORY_COPY, CATEGORY_HIP, CATEGORY_MARKER };
enum { NOTE_CORRELATION = 1, NOTE_TID, NOTE_AGENT, NOTE_QUEUE, NOTE_SRC, NOTE_DST, NOTE_BYTES };
enum { NAME_COPY = 1, NAME_CALL = 8, NAME_OPERATOR = 32, NAME_KERNEL = 128 };

/* Numbers of tracks: 1 is the process, followed by threads and the streams of each rank. */
enum { TRACK_PROCESS = 1, TRACK_FIRST };
enum { TRACKS = SIM_THREADS + 2 * SIM_STREAMS };

/* Of the writer's thread: the service has sequence 1. */
enum { SEQUENCE = 2, CLOCK_BOOTTIME = 6, CLOCK_INCREMENTAL = 64 };

struct state {
	struct sim_out *out;
	struct dp_proto packet;
	size_t opened;
};

static void open_packet(struct sim_sink *sink, uint64_t flags)
{
	struct state *state = sink->state;

	state->packet.used = 0;
	state->opened = dp_proto__open(&state->packet, 1);
	dp_proto__uint(&state->packet, 10, SEQUENCE);
	if (flags)
		dp_proto__uint(&state->packet, 13, flags);
}

static int close_packet(struct sim_sink *sink)
{
	struct state *state = sink->state;

	dp_proto__close(&state->packet, state->opened);
	if (state->packet.failed)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sim_out_text(state->out, (const char *)state->packet.bytes, state->packet.used);
	return 0;
}

static void put_name(struct dp_proto *packet, uint32_t kind, uint64_t id, const char *text)
{
	size_t name = dp_proto__open(packet, kind);

	dp_proto__uint(packet, 1, id);
	dp_proto__string(packet, 2, text);
	dp_proto__close(packet, name);
}

static void put_clock(struct dp_proto *packet, uint64_t id, uint64_t time_ns, bool incremental)
{
	size_t clock = dp_proto__open(packet, 1);

	dp_proto__uint(packet, 1, id);
	dp_proto__uint(packet, 2, time_ns);
	if (incremental)
		dp_proto__uint(packet, 3, 1);
	dp_proto__close(packet, clock);
}

static void put_names(struct sim_sink *sink)
{
	static const char *const categories[] = { "kernel_dispatch", "memory_copy", "hip_api",
						  "marker_api" };
	static const char *const notes[] = { "corr_id",	  "tid",       "agent",	    "queue",
					     "src_agent", "dst_agent", "copy_bytes" };
	static const char *const copies[] = { "MEMORY_COPY_HOST_TO_DEVICE",
					      "MEMORY_COPY_DEVICE_TO_HOST",
					      "MEMORY_COPY_DEVICE_TO_DEVICE" };
	const struct sim_catalogue *catalogue = sink->run->catalogue;
	bool tensorflow = strcmp(sink->run->program->framework, "tensorflow") == 0;
	struct dp_proto *packet = &((struct state *)sink->state)->packet;
	size_t names = dp_proto__open(packet, 12);

	for (uint64_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		put_name(packet, 1, 1 + i, categories[i]);
	for (uint64_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		put_name(packet, 3, 1 + i, notes[i]);
	for (uint64_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		put_name(packet, 2, NAME_COPY + i, copies[i]);
	for (uint64_t i = 0; i < SIM_CALLS; i++)
		put_name(packet, 2, NAME_CALL + i, sim_call_names[i].name);
	for (uint64_t i = 0; i < SIM_OPERATORS; i++)
		put_name(packet, 2, NAME_OPERATOR + i,
			 sim_operator_name((enum sim_operator)i, tensorflow));
	for (size_t i = 0; i < catalogue->count; i++)
		put_name(packet, 2, NAME_KERNEL + i, catalogue->kernels[i].name);
	dp_proto__close(packet, names);
}

static int put_head(struct sim_sink *sink)
{
	struct dp_proto *packet = &((struct state *)sink->state)->packet;
	size_t opened, inner;

	open_packet(sink, 1);
	opened = dp_proto__open(packet, 6);
	put_clock(packet, CLOCK_BOOTTIME, 0, false);
	put_clock(packet, 1, sink->run->epoch_ns, false);
	put_clock(packet, CLOCK_INCREMENTAL, 0, true);
	dp_proto__close(packet, opened);
	opened = dp_proto__open(packet, 59);
	dp_proto__uint(packet, 58, CLOCK_INCREMENTAL);
	inner = dp_proto__open(packet, 11);
	dp_proto__uint(packet, 11, TRACK_FIRST);
	dp_proto__close(packet, inner);
	dp_proto__close(packet, opened);
	put_names(sink);
	return close_packet(sink);
}

/* tid 0: no thread. */
static int put_track(struct sim_sink *sink, uint64_t id, const char *name, uint32_t tid)
{
	struct dp_proto *packet = &((struct state *)sink->state)->packet;
	size_t track, owner;

	open_packet(sink, 0);
	track = dp_proto__open(packet, 60);
	dp_proto__uint(packet, 1, id);
	if (id != TRACK_PROCESS)
		dp_proto__uint(packet, 5, TRACK_PROCESS);
	dp_proto__string(packet, 2, name);
	if (tid || id == TRACK_PROCESS) {
		owner = dp_proto__open(packet, tid ? 4 : 3);
		dp_proto__uint(packet, 1, sim_run_pid(sink->run, 0));
		if (tid)
			dp_proto__uint(packet, 2, tid);
		dp_proto__close(packet, owner);
	}
	dp_proto__close(packet, track);
	return close_packet(sink);
}

static int put_tracks(struct sim_sink *sink, uint32_t rank)
{
	const struct sim_run *run = sink->run;
	uint64_t id = TRACK_FIRST + (uint64_t)rank * TRACKS;
	int status = 0;
	char name[64];

	for (uint32_t i = 0; i < SIM_THREADS && !status; i++)
		status = put_track(sink, id++, "THREAD", sim_run_tid(run, rank, i));
	for (uint32_t i = 0; i < 2 * SIM_STREAMS && !status; i++) {
		snprintf(name, sizeof(name), "%s GPU [%u] STREAM [%u] (GPU)",
			 i % 2 ? "COPY to" : "COMPUTE", (unsigned)sim_run_device(run, rank),
			 (unsigned)sim_run_stream(run, i / 2));
		status = put_track(sink, id++, name, 0);
	}
	return status;
}

static void put_number(struct dp_proto *packet, uint64_t name, uint64_t value)
{
	size_t note = dp_proto__open(packet, 4);

	dp_proto__uint(packet, 1, name);
	dp_proto__uint(packet, 3, value);
	dp_proto__close(packet, note);
}

static void put_agent(struct dp_proto *packet, uint64_t name, const char *type, uint32_t number)
{
	size_t note = dp_proto__open(packet, 4);
	char text[32];

	snprintf(text, sizeof(text), "%s-%u", type, (unsigned)number);
	dp_proto__uint(packet, 1, name);
	dp_proto__string(packet, 6, text);
	dp_proto__close(packet, note);
}

static uint64_t track_of(const struct sim_event *event)
{
	uint64_t first = TRACK_FIRST + (uint64_t)event->rank * TRACKS;

	if (!sim_event_on_gpu(event))
		return first + event->thread;
	return first + SIM_THREADS + 2u * event->stream + (event->kind == SIM_COPY);
}

/* Name and category: a mark's name is written out. */
static void put_what(struct sim_sink *sink, struct dp_proto *packet, const struct sim_event *event)
{
	char text[96];

	if (event->kind == SIM_KERNEL || event->kind == SIM_COPY) {
		dp_proto__uint(packet, 3,
			       event->kind == SIM_KERNEL ? CATEGORY_KERNEL : CATEGORY_COPY);
		dp_proto__uint(packet, 10,
			       event->kind == SIM_KERNEL ? NAME_KERNEL + event->name
							 : NAME_COPY + (uint32_t)event->copy_kind);
		return;
	}
	dp_proto__uint(packet, 3, event->kind == SIM_CALL ? CATEGORY_HIP : CATEGORY_MARKER);
	if (event->kind == SIM_CALL) {
		dp_proto__uint(packet, 10, NAME_CALL + event->name);
	} else if (event->kind == SIM_OPERATOR) {
		dp_proto__uint(packet, 10, NAME_OPERATOR + event->name);
	} else {
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
		dp_proto__string(packet, 23, text);
	}
}

static void put_notes(struct sim_sink *sink, struct dp_proto *packet, const struct sim_event *event)
{
	uint32_t device = sim_run_device(sink->run, event->rank);

	if (event->correlation) {
		put_number(packet, NOTE_CORRELATION, event->correlation);
		dp_proto__fixed64(packet, 47, event->correlation ^ UINT64_C(0x5eed0000000000));
	}
	put_number(packet, NOTE_TID, sim_run_tid(sink->run, event->rank, event->thread));
	if (event->kind == SIM_KERNEL) {
		put_agent(packet, NOTE_AGENT, "GPU", device);
		put_number(packet, NOTE_QUEUE, 1 + event->stream % 4u);
	} else if (event->kind == SIM_COPY) {
		bool from = event->copy_kind != SIM_HTOD, to = event->copy_kind != SIM_DTOH;

		put_agent(packet, NOTE_SRC, from ? "GPU" : "CPU", from ? device : 0);
		put_agent(packet, NOTE_DST, to ? "GPU" : "CPU", to ? device : 0);
		put_number(packet, NOTE_BYTES, event->bytes);
	}
}

static int put_event(struct sim_sink *sink, const struct sim_event *event, bool begin)
{
	struct dp_proto *packet = &((struct state *)sink->state)->packet;
	size_t opened;

	open_packet(sink, begin ? 2 : 0);
	dp_proto__uint(packet, 8, begin ? event->start_ns : event->end_ns);
	dp_proto__uint(packet, 58, CLOCK_BOOTTIME);
	opened = dp_proto__open(packet, 11);
	dp_proto__uint(packet, 9, begin ? 1 : 2);
	dp_proto__uint(packet, 11, track_of(event));
	if (begin) {
		put_what(sink, packet, event);
		put_notes(sink, packet, event);
	}
	dp_proto__close(packet, opened);
	return close_packet(sink);
}

static int perfetto_event(struct sim_sink *sink, const struct sim_event *event)
{
	sink->events++;
	return put_event(sink, event, true) || put_event(sink, event, false) ? -1 : 0;
}

static int perfetto_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	if (sim_sink_open(sink, &state->out))
		return -1;
	status = put_head(sink) || put_track(sink, TRACK_PROCESS, "python", 0) ? -1 : 0;
	for (uint32_t r = 0; r < sim_run_ranks(sink->run) && !status; r++)
		status = put_tracks(sink, r);
	return status;
}

static int perfetto_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status;

	(void)complete;
	if (!state)
		return 0;
	status = sim_sink_close(sink, state->out);
	free(state->packet.bytes);
	free(state);
	return status;
}

const struct sim_writer sim_perfetto_writers[] = {
	{ .name = "perfetto",
	  .help = "ROCm's rocprofv3, Perfetto trace",
	  .extension = ".pftrace",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .text = true,
	  .no_sets = true,
	  .open = perfetto_open,
	  .event = perfetto_event,
	  .close = perfetto_close },
	SIM_WRITERS_END,
};
