/*
 * XSpaces as JAX writes them: a plane for each GPU with a line for each stream, and one for the
 * host with a line for each thread. Lines come before the names of what is in them.
 */
#include "out.h"
#include "report/proto.h"
#include "writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of stats' names. */
enum {
	STAT_CORRELATION = 1,
	STAT_COPY,
	STAT_SET,
	STAT_KERNEL,
	STAT_GRAPH,
	STAT_DEVICE,
	STAT_CONTEXT,
	STAT_OCCUPANCY,
	STAT_GRID,
	STAT_BLOCK,
	STAT_MODULE,
	STAT_PROGRAM,
	STAT_DETAILS, /* these are referred to */
	STAT_MODULE_NAME,
};

/* Ids of events' names: kernels follow these, and marks follow kernels. */
enum {
	NAME_COPY = 1,
	NAME_SET = 4,
	NAME_CALL = 8,
	NAME_OPERATOR = 32,
	NAME_GRAPH = 96,
	NAME_KERNEL = 128
};

struct state {
	struct dp_proto *lines; /* the events of streams and threads of each rank */
	struct dp_proto marks;	/* entries of the host's event names */
	int64_t mark_count;
};

enum { LINES = SIM_STREAMS + SIM_THREADS };

static struct dp_proto *line_of(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;

	return &state->lines[event->rank * LINES + (sim_event_on_gpu(event)
							    ? event->stream
							    : SIM_STREAMS + event->thread)];
}

static void put_stat(struct dp_proto *proto, uint32_t name, uint64_t value)
{
	size_t stat = dp_proto__open(proto, 4);

	dp_proto__uint(proto, 1, name);
	dp_proto__uint(proto, 3, value);
	dp_proto__close(proto, stat);
}

static void put_text_stat(struct dp_proto *proto, uint32_t name, const char *text)
{
	size_t stat = dp_proto__open(proto, 4);

	dp_proto__uint(proto, 1, name);
	dp_proto__string(proto, 5, text);
	dp_proto__close(proto, stat);
}

static void put_reference(struct dp_proto *proto, uint32_t name, uint32_t to)
{
	size_t stat = dp_proto__open(proto, 4);

	dp_proto__uint(proto, 1, name);
	dp_proto__uint(proto, 7, to);
	dp_proto__close(proto, stat);
}

/* An entry of a plane's names of events (field 4) or stats (5). */
static void put_name(struct dp_proto *proto, uint32_t field, int64_t id, const char *name)
{
	size_t entry = dp_proto__open(proto, field), value;

	dp_proto__int(proto, 1, id);
	value = dp_proto__open(proto, 2);
	dp_proto__int(proto, 1, id);
	dp_proto__string(proto, 2, name);
	dp_proto__close(proto, value);
	dp_proto__close(proto, entry);
}

/* The id of the event's name; a mark gets a new one. */
static int64_t name_of(struct sim_sink *sink, const struct sim_event *event)
{
	struct state *state = sink->state;
	char text[96];
	int64_t id;

	switch (event->kind) {
	case SIM_KERNEL:
		return NAME_KERNEL + (int64_t)event->name;
	case SIM_COPY:
		return NAME_COPY + event->copy_kind;
	case SIM_SET:
		return NAME_SET;
	case SIM_GRAPH:
		return NAME_GRAPH + (int64_t)event->name;
	case SIM_CALL:
		return NAME_CALL + (int64_t)event->name;
	case SIM_OPERATOR:
		return NAME_OPERATOR + (int64_t)event->name;
	default:
		id = NAME_KERNEL + (int64_t)sink->run->catalogue->count + ++state->mark_count;
		snprintf(text, sizeof(text), "%s#%u", sink->run->program->loops[event->name].mark,
			 (unsigned)event->number);
		put_name(&state->marks, 4, id, text);
		return id;
	}
}

static void put_details(struct dp_proto *proto, const struct sim_event *event)
{
	char text[160];
	size_t stat;

	if (event->kind == SIM_COPY) {
		sim_xla_details(text, event);
		put_text_stat(proto, STAT_COPY, text);
	} else if (event->kind == SIM_SET) {
		sim_xla_details(text, event);
		put_text_stat(proto, STAT_SET, text);
	} else if (event->kind == SIM_GRAPH) {
		put_stat(proto, STAT_GRAPH, event->name + 1);
	} else if (event->kind == SIM_KERNEL) {
		put_reference(proto, STAT_KERNEL, STAT_DETAILS);
		put_reference(proto, STAT_MODULE, STAT_MODULE_NAME);
		put_text_stat(proto, STAT_CONTEXT, "$$1");
		put_stat(proto, STAT_GRID, event->grid);
		put_stat(proto, STAT_BLOCK, 256);
		put_stat(proto, STAT_PROGRAM, 12);
		stat = dp_proto__open(proto, 4);
		dp_proto__uint(proto, 1, STAT_OCCUPANCY);
		dp_proto__double(proto, 2, 62.5);
		dp_proto__close(proto, stat);
	}
}

static int xplane_event(struct sim_sink *sink, const struct sim_event *event)
{
	struct dp_proto *proto = line_of(sink, event);
	size_t opened;

	sink->events++;
	opened = dp_proto__open(proto, 4);
	dp_proto__int(proto, 1, name_of(sink, event));
	dp_proto__uint(proto, 2, event->start_ns * 1000);
	dp_proto__uint(proto, 3, (event->end_ns - event->start_ns) * 1000);
	if (event->correlation)
		put_stat(proto, STAT_CORRELATION, event->correlation);
	if (event->kind == SIM_CALL) {
		put_stat(proto, STAT_DEVICE, sim_run_device(sink->run, event->rank));
		put_text_stat(proto, STAT_CONTEXT, "$$1");
	}
	put_details(proto, event);
	dp_proto__close(proto, opened);
	return proto->failed ? sim_sink_fail(sink, sink->path, "out of memory") : 0;
}

/* A varint, and a field of a type. */
static void put_varint(struct sim_out *out, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	do
		bytes[n++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
	while (value >>= 7);
	sim_out_text(out, (const char *)bytes, n);
}

static size_t varint_bytes(uint64_t value)
{
	size_t n = 1;

	while (value >>= 7)
		n++;
	return n;
}

/* The beginning of a line, up to its events. */
static void put_line_head(struct dp_proto *proto, struct sim_sink *sink, uint32_t rank, int line)
{
	const struct sim_run *run = sink->run;
	char name[64];

	if (line < SIM_STREAMS) {
		dp_proto__uint(proto, 1, sim_run_stream(run, (uint32_t)line));
		snprintf(name, sizeof(name), "Stream #%u(Kernel)",
			 (unsigned)sim_run_stream(run, (uint32_t)line));
	} else {
		dp_proto__uint(proto, 1, sim_run_tid(run, rank, (uint32_t)line - SIM_STREAMS));
		snprintf(name, sizeof(name), "python/%u",
			 (unsigned)sim_run_tid(run, rank, (uint32_t)line - SIM_STREAMS));
	}
	dp_proto__string(proto, 2, name);
	dp_proto__uint(proto, 3, run->epoch_ns);
}

static void put_names(struct dp_proto *proto, struct sim_sink *sink, bool device)
{
	static const char *const copies[] = { "MemcpyH2D", "MemcpyD2H", "MemcpyD2D" };
	/* By their numbers, from 1. */
	static const char *const stats[] = {
		"correlation_id",
		"memcpy_details",
		"Memset_details",
		"kernel_details",
		"cuda_graph_exec_id",
		"device_id",
		"context_id",
		"theoretical_occupancy_pct",
		"occupancy_min_grid_size",
		"occupancy_suggested_block_size",
		"hlo_module",
		"program_id",
		"regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1",
		"jit_train_step",
	};
	const struct sim_run *run = sink->run;
	bool tensorflow = strcmp(run->program->framework, "tensorflow") == 0;
	char text[32];

	for (int64_t i = 0; i < (int64_t)(sizeof(stats) / sizeof(stats[0])); i++)
		put_name(proto, 5, 1 + i, stats[i]);
	for (int i = 0; i < SIM_CALLS && !device; i++)
		put_name(proto, 4, NAME_CALL + i, sim_call_names[i].name);
	for (int i = 0; i < SIM_OPERATORS && !device; i++)
		put_name(proto, 4, NAME_OPERATOR + i,
			 sim_operator_name((enum sim_operator)i, tensorflow));
	if (!device)
		return;
	for (int i = 0; i < 3; i++)
		put_name(proto, 4, NAME_COPY + i, copies[i]);
	put_name(proto, 4, NAME_SET, "Memset");
	for (int i = 0; i < NAME_KERNEL - NAME_GRAPH; i++) {
		snprintf(text, sizeof(text), "graph %d", 1 + i);
		put_name(proto, 4, NAME_GRAPH + i, text);
	}
	for (size_t i = 0; i < run->catalogue->count; i++)
		put_name(proto, 4, NAME_KERNEL + (int64_t)i, run->catalogue->kernels[i].name);
}

/* A plane of the lines from first on of some ranks. */
static void put_plane(struct sim_sink *sink, struct sim_out *out, const char *name, uint32_t rank,
		      uint32_t ranks, bool device)
{
	struct state *state = sink->state;
	struct dp_proto head = { 0 }, tail = { 0 }, lines[LINES * 8] = { 0 };
	const struct dp_proto *marks = device ? NULL : &state->marks;
	uint64_t length;
	int count = 0;

	dp_proto__uint(&head, 1, rank + 1);
	dp_proto__string(&head, 2, name);
	put_names(&tail, sink, device);
	length = head.used + tail.used + (marks ? marks->used : 0);
	for (uint32_t r = rank; r < rank + ranks; r++) {
		for (int i = device ? 0 : SIM_STREAMS; i < (device ? SIM_STREAMS : LINES); i++) {
			put_line_head(&lines[count], sink, r, i);
			length += lines[count].used + state->lines[r * LINES + (size_t)i].used;
			length += 1 + varint_bytes(lines[count].used +
						   state->lines[r * LINES + (size_t)i].used);
			count++;
		}
	}
	sim_out_text(out, "\x0a", 1);
	put_varint(out, length);
	sim_out_text(out, (const char *)head.bytes, head.used);
	count = 0;
	for (uint32_t r = rank; r < rank + ranks; r++) {
		for (int i = device ? 0 : SIM_STREAMS; i < (device ? SIM_STREAMS : LINES); i++) {
			const struct dp_proto *events = &state->lines[r * LINES + (size_t)i];

			sim_out_text(out, "\x1a", 1);
			put_varint(out, lines[count].used + events->used);
			sim_out_text(out, (const char *)lines[count].bytes, lines[count].used);
			sim_out_text(out, (const char *)events->bytes, events->used);
			free(lines[count++].bytes);
		}
	}
	sim_out_text(out, (const char *)tail.bytes, tail.used);
	if (marks)
		sim_out_text(out, (const char *)marks->bytes, marks->used);
	free(head.bytes);
	free(tail.bytes);
}

static int xplane_open(struct sim_sink *sink)
{
	struct state *state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	sink->state = state;
	if (sink->run->program->processes > 1 || sim_run_ranks(sink->run) > 8)
		return sim_sink_fail(sink, sink->writer->name, "holds one process only");
	state->lines = calloc(sim_run_ranks(sink->run) * LINES, sizeof(*state->lines));
	return state->lines ? 0 : sim_sink_fail(sink, sink->path, "out of memory");
}

static int complete_file(struct sim_sink *sink)
{
	struct sim_out *out = sim_out_open(sink->path, sink->gzip);
	uint32_t ranks = sim_run_ranks(sink->run);
	char name[32];

	if (!out)
		return sim_sink_fail(sink, sink->path, strerror(errno));
	for (uint32_t r = 0; r < ranks; r++) {
		snprintf(name, sizeof(name), "/device:GPU:%u",
			 (unsigned)sim_run_device(sink->run, r));
		put_plane(sink, out, name, r, 1, true);
	}
	put_plane(sink, out, "/host:CPU", 0, ranks, false);
	return sim_out_close(out) ? sim_sink_fail(sink, sink->path, strerror(errno)) : 0;
}

static int xplane_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	if (!state)
		return 0;
	if (complete)
		status = complete_file(sink);
	for (size_t i = 0; state->lines && i < sim_run_ranks(sink->run) * LINES; i++)
		free(state->lines[i].bytes);
	free(state->lines);
	free(state->marks.bytes);
	free(state);
	return status;
}

const struct sim_writer sim_xplane_writers[] = {
	{ .name = "xplane",
	  .help = "JAX and TensorFlow 2, XPlane",
	  .extension = ".xplane.pb",
	  .start_quantum_ns = 1,
	  .length_quantum_ns = 1,
	  .graphs = true,
	  .text = true,
	  .open = xplane_open,
	  .event = xplane_event,
	  .close = xplane_close },
	SIM_WRITERS_END,
};
