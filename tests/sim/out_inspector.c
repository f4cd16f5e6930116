/*
 * Logs of the NCCL Inspector, NCCL's own profiler plugin: one JSON object a line for each
 * collective, in its form up to version 4.2, where every line is complete, with the times that
 * NCCL_INSPECTOR_DUMP_VERBOSE=1 adds; and in that of 4.3, where a line names the communicator of
 * those that follow, and durations are all there is. What moves less than 8 KiB is not logged.
 */
#include "out.h"
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERBOSE, BRIEF };
enum { LEAST_BYTES = 8192 };

#define LIT(text) sim_out_text(out, text, sizeof(text) - 1)

struct state {
	struct sim_out *out;
	const struct sim_group *group; /* of the lines before */
};

static void put_number(struct sim_out *out, const char *key, uint64_t value)
{
	sim_out_str(out, key);
	sim_out_u64(out, value);
}

static void put_header(struct sim_sink *sink, const struct sim_group *group,
		       const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	const struct sim_rank_info *info = &sink->run->ranks[event->rank];
	char id[24];

	snprintf(id, sizeof(id), "0x%llx",
		 (unsigned long long)(0x51ed270b9f1 * (group->number + 1ull)));
	LIT("\"header\":{\"id\":\"");
	sim_out_str(out, id);
	LIT("\",\"comm_name\":\"");
	sim_out_str(out, group->description);
	put_number(out, "\",\"rank\":", group->rank);
	put_number(out, ",\"n_ranks\":", group->size);
	LIT(",\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":\"");
	sim_out_str(out, sink->writer->variant == BRIEF ? "v4.3" : "v4.2");
	LIT("\",\"git_rev\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\"");
	put_number(out, ",\"dump_timestamp_us\":",
		   (sink->run->epoch_ns + event->end_ns) / 1000 + 500);
	LIT(",\"hostname\":\"");
	sim_out_str(out, info->host);
	put_number(out, "\",\"pid\":", info->pid);
	LIT("},");
}

/* The line that names the communicator of those after it. */
static void put_marker(struct sim_sink *sink, const struct sim_group *group,
		       const struct sim_event *event)
{
	struct sim_out *out = ((struct state *)sink->state)->out;

	LIT("{");
	put_header(sink, group, event);
	LIT("\"dump_stats\":{\"coll_records\":1,\"coll_dropped_total\":0,"
	    "\"coll_dropped_since_last_dump\":0,\"p2p_records\":0,\"p2p_dropped_total\":0,"
	    "\"p2p_dropped_since_last_dump\":0}}\n");
}

static void put_times(struct sim_sink *sink, const struct sim_event *event, const char *kind)
{
	struct sim_out *out = ((struct state *)sink->state)->out;
	uint64_t start_us = (sink->run->epoch_ns + event->start_ns) / 1000;
	uint64_t stop_us = (sink->run->epoch_ns + event->end_ns) / 1000;

	LIT(",\"event_trace_ts\":{\"");
	sim_out_str(out, kind);
	put_number(out, "_start_ts\":", start_us - 30);
	LIT(",\"");
	sim_out_str(out, kind);
	put_number(out, "_stop_ts\":", start_us - 20);
	LIT(",\"kernel_events\":[");
	for (unsigned channel = 0; channel < 2; channel++) {
		put_number(out, channel ? ",{\"channel_id\":" : "{\"channel_id\":", channel);
		put_number(out, ",\"kernel_start_ts\":", start_us + channel);
		put_number(out, ",\"kernel_stop_ts\":", stop_us - 1 + channel);
		put_number(out, ",\"kernel_record_ts\":", stop_us + 3);
		LIT("}");
	}
	LIT("]}");
}

static void put_collective(struct sim_sink *sink, const struct sim_event *event)
{
	static const char *const names[] = { "AllReduce", "AllGather", "ReduceScatter", "AlltoAll",
					     "Broadcast", "AllReduce", "Send",		"Recv" };
	struct state *state = sink->state;
	struct sim_out *out = state->out;
	const struct sim_collective *collective = &sink->run->collectives[event->collective - 1];
	const struct sim_group *group = &sink->run->ranks[event->rank].groups[collective->axis];
	bool pair = collective->peer != SIM_NONE;
	const char *kind = pair ? "p2p" : "coll";
	uint64_t bytes = (collective->in_elements > collective->out_elements
				  ? collective->in_elements
				  : collective->out_elements) *
			 4;

	if (bytes < LEAST_BYTES)
		return;
	if (sink->writer->variant == BRIEF && state->group != group)
		put_marker(sink, group, event);
	state->group = group;
	LIT("{");
	if (sink->writer->variant == VERBOSE)
		put_header(sink, group, event);
	LIT("\"");
	sim_out_str(out, kind);
	LIT("_perf\":{\"");
	sim_out_str(out, kind);
	LIT("\":\"");
	sim_out_str(out, names[collective->kind]);
	LIT("\",\"");
	sim_out_str(out, kind);
	put_number(out, "_sn\":", collective->sequence);
	for (uint32_t i = 0; pair && i < group->size; i++)
		if (group->ranks[i] == collective->peer)
			put_number(out, ",\"p2p_peer\":", i);
	LIT(",\"");
	sim_out_str(out, kind);
	put_number(out, "_msg_size_bytes\":", bytes);
	LIT(",\"");
	sim_out_str(out, kind);
	put_number(out, "_exec_time_us\":", (event->end_ns - event->start_ns + 500) / 1000);
	LIT(",\"");
	sim_out_str(out, kind);
	LIT("_timing_source\":\"kernel_gpu\"");
	if (sink->writer->variant == VERBOSE)
		put_times(sink, event, kind);
	LIT("}}\n");
}

static int inspector_open(struct sim_sink *sink)
{
	struct state *state = sink->state = calloc(1, sizeof(*state));

	if (!state)
		return sim_sink_fail(sink, sink->path, "out of memory");
	if (!sink->run->ranks)
		return sim_sink_fail(sink, sink->writer->name, "is for jobs");
	return sim_sink_open(sink, &state->out);
}

static int inspector_event(struct sim_sink *sink, const struct sim_event *event)
{
	if (event->kind == SIM_KERNEL && event->collective)
		put_collective(sink, event);
	return 0;
}

static int inspector_close(struct sim_sink *sink, bool complete)
{
	struct state *state = sink->state;
	int status = 0;

	(void)complete;
	if (state)
		status = sim_sink_close(sink, state->out);
	free(state);
	return status;
}

#define INSPECTOR inspector_open, inspector_event, inspector_close

const struct sim_writer sim_inspector_writers[] = {
	{ "nccl-inspector", "jobs: NCCL Inspector 4.2, with times", ".log", 1000, 1000, false, true,
	  VERBOSE, INSPECTOR, .jobs = true, .only_jobs = true },
	{ "nccl-inspector-brief", "jobs: NCCL Inspector 4.3, durations only", ".log", 1000, 1000,
	  false, true, BRIEF, INSPECTOR, .jobs = true, .only_jobs = true },
	SIM_WRITERS_END,
};
