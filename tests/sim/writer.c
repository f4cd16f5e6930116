/* The table of formats, and functions that they share. */
#include "writer.h"
#include "out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct sim_writer *const tables[] = {
	sim_kineto_writers,    sim_chrome_writers, sim_nsys_writers,
	sim_csv_writers,       sim_nvprof_writers, sim_deepprof_writers,
	sim_rocprofv3_writers, sim_rocpd_writers,  sim_rocprofv3_csv_writers,
	sim_rpd_writers,       sim_xplane_writers, sim_perfetto_writers,
	sim_inspector_writers,
};

const struct sim_writer *sim_writer_get(const char *name)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct sim_writer *writer = tables[i]; writer->name; writer++)
			if (strcmp(writer->name, name) == 0)
				return writer;
	return NULL;
}

void sim_writer_each(void (*each)(const struct sim_writer *writer))
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct sim_writer *writer = tables[i]; writer->name; writer++)
			each(writer);
}

int sim_sink_fail(struct sim_sink *sink, const char *what, const char *why)
{
	if (!sink->error[0])
		snprintf(sink->error, sizeof(sink->error), "%s: %s", what, why);
	return -1;
}

int sim_sink_open(struct sim_sink *sink, struct sim_out **out)
{
	/* The ranks of a job have a file each. */
	if (sink->run->program->processes > 1 && !sink->run->ranks)
		return sim_sink_fail(sink, sink->writer->name, "holds one process only");
	*out = sim_out_open(sink->path, sink->gzip);
	return *out ? 0 : sim_sink_fail(sink, sink->path, strerror(errno));
}

int sim_sink_close(struct sim_sink *sink, struct sim_out *out)
{
	return out && sim_out_close(out) ? sim_sink_fail(sink, sink->path, strerror(errno)) : 0;
}

const char *sim_copy_direction(uint32_t copy_kind)
{
	static const char *const names[] = { "HtoD", "DtoH", "DtoD" };

	return names[copy_kind];
}

const char *sim_hip_name(uint32_t call)
{
	static const char *const names[SIM_CALLS] = {
		[SIM_CALL_LAUNCH] = "hipLaunchKernel",
		[SIM_CALL_COPY] = "hipMemcpyAsync",
		[SIM_CALL_SET] = "hipMemsetAsync",
		[SIM_CALL_STREAM_SYNC] = "hipStreamSynchronize",
		[SIM_CALL_DEVICE_SYNC] = "hipDeviceSynchronize",
		[SIM_CALL_GRAPH] = "hipGraphLaunch",
		[SIM_CALL_MALLOC] = "hipMalloc",
		[SIM_CALL_FREE] = "hipFree",
		[SIM_CALL_HOST_ALLOC] = "hipHostMalloc",
	};

	return names[call];
}

static const char *host_memory(const struct sim_event *event)
{
	return event->memory == SIM_PINNED ? "Pinned" : "Pageable";
}

const char *sim_copy_source(const struct sim_event *event)
{
	return event->copy_kind == SIM_HTOD ? host_memory(event) : "Device";
}

const char *sim_copy_destination(const struct sim_event *event)
{
	return event->copy_kind == SIM_DTOH ? host_memory(event) : "Device";
}

int sim_part_open(struct sim_sink *sink, struct sim_part *part, int number)
{
	size_t size = strlen(sink->path) + 16;

	part->path = malloc(size);
	if (!part->path)
		return sim_sink_fail(sink, sink->path, "out of memory");
	snprintf(part->path, size, "%s.part%d", sink->path, number);
	part->out = sim_out_open(part->path, false);
	return part->out ? 0 : sim_sink_fail(sink, part->path, strerror(errno));
}

int sim_part_append(struct sim_sink *sink, struct sim_part *part, struct sim_out *out)
{
	static char block[65536];
	FILE *file;
	size_t n;

	if (sim_out_close(part->out))
		return sim_sink_fail(sink, sink->path, strerror(errno));
	part->out = NULL;
	file = fopen(part->path, "rb");
	if (!file)
		return sim_sink_fail(sink, sink->path, strerror(errno));
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		sim_out_text(out, block, n);
	fclose(file);
	return 0;
}

void sim_part_close(struct sim_part *part)
{
	sim_out_close(part->out);
	if (part->path)
		unlink(part->path);
	free(part->path);
}

void sim_xla_details(char text[160], const struct sim_event *event)
{
	const char *host = event->memory == SIM_PINNED ? "pinned" : "pageable";

	if (event->kind == SIM_COPY)
		snprintf(text, 160, "kind_src:%s kind_dst:%s size:%llu dest:0 async:1",
			 event->copy_kind == SIM_HTOD ? host : "device",
			 event->copy_kind == SIM_DTOH ? host : "device",
			 (unsigned long long)event->bytes);
	else
		snprintf(text, 160, "kind:device num_bytes:%llu async:1",
			 (unsigned long long)event->bytes);
}

void sim_time_text(char text[32], uint64_t epoch_ns)
{
	time_t seconds = (time_t)(epoch_ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &tm))
		text[0] = 0;
}

/* In the order of enum job_collective. */
const char *sim_nccl_name(const struct sim_collective *collective)
{
	static const char *const names[SIM_NCCL_NAMES] = {
		"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll",
		"ncclBroadcast", "ncclAllReduce", "ncclSend",	       "ncclRecv",
	};

	return names[collective->kind];
}

uint32_t sim_group_peer(const struct sim_group *group, const struct sim_collective *collective)
{
	uint32_t peer = SIM_NONE;

	for (uint32_t i = 0; i < group->size; i++)
		if (group->ranks[i] == collective->peer)
			peer = i;
	return peer;
}
