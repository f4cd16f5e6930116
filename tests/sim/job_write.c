/* A job's files: one for each rank, or one for each host where the format holds several processes.
 */
#include "job_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axis_names[JOB_AXES] = { "tensor_parallel", "expert_parallel",
						  "data_parallel", "pipeline_parallel",
						  "default_pg" };

/* The world is group 0; the others are numbered as they were made. */
uint32_t job_group_number(const struct job_options *options, enum job_axis axis, uint32_t group)
{
	uint32_t number = 1;

	if (axis == JOB_WORLD)
		return 0;
	for (int i = 0; i < (int)axis; i++)
		number += job_group_count(options, (enum job_axis)i);
	return number + group;
}

static int init_group(struct sim_group *group, const struct job_options *options,
		      enum job_axis axis, uint32_t rank)
{
	uint32_t index = job_group_of(options, axis, rank);
	uint32_t n = job_group_size(options, axis);

	group->number = job_group_number(options, axis, index);
	group->description = axis_names[axis];
	group->size = n;
	group->ranks = malloc(n * sizeof(*group->ranks));
	if (!group->ranks)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		group->ranks[i] = job_group_member(options, axis, index, i);
		if (group->ranks[i] == rank)
			group->rank = i;
	}
	return 0;
}

static int init_rank(struct sim_rank_info *info, const struct job_options *options, uint32_t rank)
{
	struct job_place place = job_place(options, rank);

	info->rank = rank;
	info->world = (uint32_t)options->ranks;
	info->local = place.local;
	info->pid = 41077 + place.local * 100;
	info->named = options->info;
	snprintf(info->host, sizeof(info->host), "node%03u", (unsigned)place.host);
	for (int i = 0; i < JOB_AXES; i++)
		if (init_group(&info->groups[i], options, (enum job_axis)i, rank))
			return -1;
	return 0;
}

static void fini_rank(struct sim_rank_info *info)
{
	for (int i = 0; i < JOB_AXES; i++)
		free(info->groups[i].ranks);
}

/* Ranks of a file: those of a host where the format holds several processes. */
static uint32_t ranks_per_file(const struct job_files *files)
{
	const struct job_options *options = files->options;

	return files->writer->processes ? (uint32_t)(options->ranks / options->hosts) : 1;
}

void job_file_name(const struct job_files *files, uint32_t rank, char *name, size_t room)
{
	const struct job_options *options = files->options;
	struct job_place place = job_place(options, rank);
	const char *end = files->writer->extension, *packed = files->gzip ? ".gz" : "";
	uint64_t mix = files->seed * 1000003 + rank;

	if (files->writer->only_jobs)
		snprintf(name, room, "node%03u-pid%u%s%s", (unsigned)place.host,
			 41077u + place.local * 100u, end, packed);
	else if (strcmp(options->names, "torch") == 0)
		snprintf(name, room, "node%03u_%u.%llu%s%s", (unsigned)place.host,
			 41077u + place.local * 100u,
			 (unsigned long long)(files->epoch_ns / 1000000 + rank % 7), end, packed);
	else if (strcmp(options->names, "plain") == 0)
		snprintf(name, room, "%08llx%s%s",
			 (unsigned long long)(sim_splitmix(&mix) & 0xffffffff), end, packed);
	else
		snprintf(name, room, files->writer->processes ? "host-%03u%s%s" : "rank-%04u%s%s",
			 (unsigned)(files->writer->processes ? place.host : rank), end, packed);
}

static int by_start(const void *a, const void *b)
{
	const struct sim_event *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* Start of the collective with which a late capture begins. */
static uint64_t capture_ns(const struct job_files *files, uint32_t rank,
			   const struct job_events *events)
{
	uint32_t left = files->options->late_calls;

	if (rank != files->options->late_rank)
		return 0;
	for (size_t i = 0; i < events->count; i++)
		if (events->events[i].kind == SIM_KERNEL && events->events[i].collective &&
		    left-- == 0)
			return events->events[i].start_ns;
	return UINT64_MAX;
}

static int put_events(struct job_files *files, struct sim_sink *sink, uint32_t rank,
		      uint32_t number, struct job_events *events)
{
	const struct job_options *options = files->options;
	uint32_t host = job_place(options, rank).host;
	uint64_t from_ns;

	qsort(events->events, events->count, sizeof(*events->events), by_start);
	from_ns = capture_ns(files, rank, events);
	for (size_t i = 0; i < events->count; i++) {
		struct sim_event event = events->events[i];

		if (event.start_ns < from_ns ||
		    (rank == options->missing_rank && event.instance == options->missing_iteration))
			continue;
		if (event.kind == SIM_KERNEL)
			files->kernels[rank]++;
		if (event.kind == SIM_KERNEL && event.collective)
			files->collectives[rank]++;
		event.start_ns = job_clock_ns(files->job, host, event.start_ns);
		event.end_ns = job_clock_ns(files->job, host, event.end_ns);
		event.rank = number;
		event.instance = SIM_NONE;
		if (!sink->first_ns && sim_event_on_gpu(&event))
			sink->first_ns = event.start_ns;
		if (sink->writer->event(sink, &event))
			return -1;
	}
	return 0;
}

static int put_rank(struct job_files *files, struct sim_sink *sink, struct sim_run *run,
		    uint32_t rank, uint32_t number)
{
	struct job_events events;
	int status = job_replay(files->job, rank, &events);

	run->collectives = events.collectives;
	if (status == 0)
		status = put_events(files, sink, rank, number, &events);
	run->collectives = NULL;
	job_events_fini(&events);
	return status;
}

static int put_file(struct job_files *files, struct sim_run *run, uint32_t first, uint32_t count,
		    char *error, size_t room)
{
	char name[128], path[4096];
	struct sim_sink sink = {
		.writer = files->writer, .run = run, .path = path, .gzip = files->gzip
	};
	int status;

	job_file_name(files, first, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/%s", files->folder, name);
	status = files->writer->open(&sink);
	for (uint32_t i = 0; i < count && !status; i++)
		status = put_rank(files, &sink, run, first + i, i);
	if (files->writer->close(&sink, status == 0))
		status = -1;
	if (status)
		snprintf(error, room, "%s", sink.error[0] ? sink.error : "out of memory");
	return status;
}

int job_write(struct job_files *files, char *error, size_t room)
{
	const struct job_options *options = files->options;
	uint32_t step = ranks_per_file(files);
	struct sim_loop loop = { .mark = "ProfilerStep" };
	struct sim_program program = {
		.gpu = "NVIDIA A100-SXM4-40GB",
		.framework = "pytorch",
		.processes = step,
		.devices = 1,
		.launches = true,
		.operators = true,
		.marks = true,
		.loops = &loop,
		.loop_count = 1,
	};
	struct sim_rank_info *infos = calloc(step, sizeof(*infos));
	struct sim_run run = { .program = &program,
			       .catalogue = files->catalogue,
			       .nets = files->nets,
			       .seed = files->seed,
			       .epoch_ns = files->epoch_ns,
			       .ranks = infos };
	int status = infos ? 0 : -1;

	for (uint32_t i = 0; i < options->ranks && !status; i += step) {
		for (uint32_t j = 0; j < step && !status; j++)
			status = init_rank(&infos[j], options, i + j);
		if (status)
			snprintf(error, room, "out of memory");
		else
			status = put_file(files, &run, i, step, error, room);
		for (uint32_t j = 0; j < step; j++)
			fini_rank(&infos[j]);
		memset(infos, 0, step * sizeof(*infos));
	}
	free(infos);
	return status;
}
