/*
 * Records what was planted and computes the numbers of the paper's table from it (Gu et al., arXiv
 * 1707.03750, table II), by their definitions and from known boundaries, for comparison with what
 * the miner finds. Memory: one record per iteration, and the uploads since the last one.
 */
#include "truth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct iteration {
	uint32_t rank, loop, parent, entry, step;
	uint32_t edits[3]; /* by enum sim_edit */
	uint32_t lost;
	bool ended, cut, interrupted, has_interval;
	uint64_t first_kernel, last_kernel, kernels;
	uint64_t start_ns, end_ns;
	uint64_t interval_ns, overlap_ns, foreign;
	uint64_t gap_ns, gaps;
	uint64_t h2d_bytes;
};

struct upload {
	uint64_t start_ns, end_ns, bytes;
	bool counted;
};

/* A loop on one rank, as the trace is written. */
struct progress {
	uint32_t current;      /* iteration, or SIM_NONE */
	uint64_t latest_ns;    /* latest end of an operation since the iteration's first kernel */
	uint64_t gap_ns, gaps; /* since its last kernel */
	struct upload *uploads;
	size_t count, room;
};

struct stream_count {
	uint64_t kernels, copies, sets, graphs, busy_ns, end_ns;
};

struct rank_count {
	struct stream_count streams[SIM_STREAMS];
	uint64_t main_kernels;
	uint64_t main_end_ns; /* of the last kernel on the main stream */
	struct progress *loops;
};

struct sim_truth {
	const struct sim_run *run;
	struct iteration *iterations;
	size_t count, room;
	struct rank_count *ranks;
	uint64_t first_ns, end_ns;
	uint64_t operations, calls, operators, marks, lost, h2d_bytes, h2d_copies;
	bool any;
};

struct sim_truth *sim_truth_new(const struct sim_run *run)
{
	struct sim_truth *truth = calloc(1, sizeof(*truth));
	uint32_t ranks = sim_run_ranks(run);
	size_t loops = run->program->loop_count;

	if (!truth)
		return NULL;
	truth->run = run;
	truth->ranks = calloc(ranks, sizeof(*truth->ranks));
	for (uint32_t r = 0; truth->ranks && r < ranks; r++) {
		truth->ranks[r].loops = calloc(loops + 1, sizeof(struct progress));
		if (!truth->ranks[r].loops) {
			sim_truth_free(truth);
			return NULL;
		}
		for (size_t i = 0; i < loops; i++)
			truth->ranks[r].loops[i].current = SIM_NONE;
	}
	if (!truth->ranks) {
		free(truth);
		return NULL;
	}
	return truth;
}

void sim_truth_free(struct sim_truth *truth)
{
	if (!truth)
		return;
	for (uint32_t r = 0; r < sim_run_ranks(truth->run); r++) {
		for (size_t i = 0; truth->ranks[r].loops && i < truth->run->program->loop_count;
		     i++)
			free(truth->ranks[r].loops[i].uploads);
		free(truth->ranks[r].loops);
	}
	free(truth->ranks);
	free(truth->iterations);
	free(truth);
}

uint32_t sim_truth_begin(struct sim_truth *truth, uint32_t rank, uint32_t loop, uint32_t parent,
			 uint32_t entry, uint32_t step)
{
	if (truth->count == truth->room) {
		size_t room = truth->room * 2 + 256;
		struct iteration *grown = realloc(truth->iterations, room * sizeof(*grown));

		if (!grown)
			return SIM_NONE;
		truth->iterations = grown;
		truth->room = room;
	}
	truth->iterations[truth->count] = (struct iteration){
		.rank = rank, .loop = loop, .parent = parent, .entry = entry, .step = step
	};
	return (uint32_t)truth->count++;
}

void sim_truth_end(struct sim_truth *truth, uint32_t instance)
{
	if (instance != SIM_NONE)
		truth->iterations[instance].ended = true;
}

void sim_truth_edit(struct sim_truth *truth, uint32_t instance, enum sim_edit edit)
{
	for (; instance != SIM_NONE; instance = truth->iterations[instance].parent)
		truth->iterations[instance].edits[edit]++;
}

static bool in_sequence(const struct sim_event *event)
{
	return (event->kind == SIM_KERNEL || event->kind == SIM_GRAPH) &&
	       event->stream == SIM_STREAM_MAIN;
}

void sim_truth_missed(struct sim_truth *truth, const struct sim_event *event, bool lost)
{
	uint32_t instance = event->instance;

	truth->lost += lost;
	if (!in_sequence(event))
		return;
	for (; instance != SIM_NONE; instance = truth->iterations[instance].parent) {
		if (lost)
			truth->iterations[instance].lost++;
		else
			truth->iterations[instance].cut = true;
	}
}

static int add_upload(struct progress *progress, const struct sim_event *event)
{
	if (progress->count == progress->room) {
		size_t room = progress->room * 2 + 16;
		struct upload *grown = realloc(progress->uploads, room * sizeof(*grown));

		if (!grown)
			return -1;
		progress->uploads = grown;
		progress->room = room;
	}
	progress->uploads[progress->count++] =
		(struct upload){ event->start_ns, event->end_ns, event->bytes, false };
	return 0;
}

/* Counts the uploads that started before end_ns for the iteration, or for none. */
static void count_uploads(struct progress *progress, struct iteration *iteration, uint64_t end_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < progress->count; i++) {
		struct upload *upload = &progress->uploads[i];

		if (upload->start_ns < end_ns && !upload->counted) {
			if (iteration)
				iteration->h2d_bytes += upload->bytes;
			upload->counted = true;
		}
		if (!upload->counted || upload->end_ns > end_ns)
			progress->uploads[kept++] = *upload;
	}
	progress->count = kept;
}

/* Length of the union of uploads within [from_ns, to_ns). They are in order of their start. */
static uint64_t covered(const struct progress *progress, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0, at = from_ns;

	for (size_t i = 0; i < progress->count; i++) {
		const struct upload *upload = &progress->uploads[i];
		uint64_t start = upload->start_ns > at ? upload->start_ns : at;
		uint64_t end = upload->end_ns < to_ns ? upload->end_ns : to_ns;

		if (end > start) {
			sum += end - start;
			at = end;
		}
	}
	return sum;
}

static void begin(struct sim_truth *truth, struct rank_count *rank, struct progress *progress,
		  uint32_t instance, const struct sim_event *event)
{
	struct iteration *iteration = &truth->iterations[instance];
	struct iteration *last =
		progress->current == SIM_NONE ? NULL : &truth->iterations[progress->current];

	if (last) {
		count_uploads(progress, last, last->end_ns);
		iteration->has_interval = true;
		iteration->foreign = rank->main_kernels - last->last_kernel - 1;
		iteration->interrupted = iteration->foreign > 0;
		if (event->start_ns > last->end_ns) {
			iteration->interval_ns = event->start_ns - last->end_ns;
			iteration->overlap_ns = covered(progress, last->end_ns, event->start_ns);
		}
	} else {
		count_uploads(progress, NULL, rank->main_end_ns);
	}
	iteration->first_kernel = rank->main_kernels;
	iteration->start_ns = event->start_ns;
	progress->current = instance;
	progress->latest_ns = event->end_ns;
	progress->gap_ns = progress->gaps = 0;
}

static void add_gap(struct progress *progress, const struct sim_event *event)
{
	if (event->start_ns > progress->latest_ns)
		progress->gap_ns += event->start_ns - progress->latest_ns;
	progress->gaps++;
	if (event->end_ns > progress->latest_ns)
		progress->latest_ns = event->end_ns;
}

static void add_kernel(struct sim_truth *truth, struct rank_count *rank, uint32_t instance,
		       const struct sim_event *event)
{
	struct iteration *iteration = &truth->iterations[instance];
	struct progress *progress = &rank->loops[iteration->loop];

	if (progress->current != instance)
		begin(truth, rank, progress, instance, event);
	else
		add_gap(progress, event);
	iteration->gap_ns += progress->gap_ns;
	iteration->gaps += progress->gaps;
	progress->gap_ns = progress->gaps = 0;
	iteration->kernels++;
	iteration->last_kernel = rank->main_kernels;
	iteration->end_ns = event->end_ns;
}

static bool encloses(const struct sim_truth *truth, uint32_t instance, uint32_t other)
{
	for (; other != SIM_NONE; other = truth->iterations[other].parent)
		if (other == instance)
			return true;
	return false;
}

/* An operation on the main stream: a gap of the iterations that it is not a kernel of. */
static void pass_by(struct sim_truth *truth, struct rank_count *rank, const struct sim_event *event)
{
	for (size_t i = 0; i < truth->run->program->loop_count; i++) {
		struct progress *progress = &rank->loops[i];

		if (progress->current != SIM_NONE &&
		    !(in_sequence(event) && encloses(truth, progress->current, event->instance)))
			add_gap(progress, event);
	}
}

static void add_stream(struct stream_count *stream, const struct sim_event *event)
{
	uint64_t start_ns = event->start_ns > stream->end_ns ? event->start_ns : stream->end_ns;

	if (event->end_ns > start_ns)
		stream->busy_ns += event->end_ns - start_ns;
	if (event->end_ns > stream->end_ns)
		stream->end_ns = event->end_ns;
	stream->kernels += event->kind == SIM_KERNEL;
	stream->graphs += event->kind == SIM_GRAPH;
	stream->copies += event->kind == SIM_COPY;
	stream->sets += event->kind == SIM_SET;
}

static int add_operation(struct sim_truth *truth, const struct sim_event *event)
{
	struct rank_count *rank = &truth->ranks[event->rank];

	if (!truth->any)
		truth->first_ns = event->start_ns;
	truth->any = true;
	truth->operations++;
	if (event->end_ns > truth->end_ns)
		truth->end_ns = event->end_ns;
	add_stream(&rank->streams[event->stream], event);
	if (event->kind == SIM_COPY && event->copy_kind == SIM_HTOD) {
		truth->h2d_copies++;
		truth->h2d_bytes += event->bytes;
		for (size_t i = 0; i < truth->run->program->loop_count; i++)
			if (!truth->run->program->loops[i].plain &&
			    add_upload(&rank->loops[i], event))
				return -1;
	}
	if (event->stream == SIM_STREAM_MAIN)
		pass_by(truth, rank, event);
	if (!in_sequence(event))
		return 0;
	for (uint32_t i = event->instance; i != SIM_NONE; i = truth->iterations[i].parent)
		add_kernel(truth, rank, i, event);
	rank->main_kernels++;
	rank->main_end_ns = event->end_ns;
	return 0;
}

int sim_truth_seen(struct sim_truth *truth, const struct sim_event *event)
{
	if (sim_event_on_gpu(event))
		return add_operation(truth, event);
	truth->calls += event->kind == SIM_CALL;
	truth->operators += event->kind == SIM_OPERATOR;
	truth->marks += event->kind == SIM_MARK;
	return 0;
}

uint64_t sim_truth_first_ns(const struct sim_truth *truth)
{
	return truth->first_ns;
}

static void finish(struct sim_truth *truth)
{
	for (uint32_t r = 0; r < sim_run_ranks(truth->run); r++)
		for (size_t i = 0; i < truth->run->program->loop_count; i++) {
			struct progress *progress = &truth->ranks[r].loops[i];

			if (progress->current != SIM_NONE)
				count_uploads(progress, &truth->iterations[progress->current],
					      truth->iterations[progress->current].end_ns);
		}
}

static void put_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(file, "\\u%04x", (unsigned)*text);
		else
			fputc(*text, file);
	}
	fputc('"', file);
}

static void put_streams(const struct sim_truth *truth, FILE *file)
{
	static const char *const classes[SIM_STREAMS] = { "main", "copy", "copy", "assist",
							  "assist" };
	const char *comma = "";

	fputs("\"streams\": [", file);
	for (uint32_t r = 0; r < sim_run_ranks(truth->run); r++)
		for (uint32_t i = 0; i < SIM_STREAMS; i++) {
			const struct stream_count *s = &truth->ranks[r].streams[i];

			if (s->kernels + s->copies + s->sets + s->graphs == 0)
				continue;
			fprintf(file,
				"%s\n{\"process\": %" PRIu32 ", \"device\": %" PRIu32
				", \"context\": %" PRIu32 ", \"stream\": %" PRIu32
				", \"class\": \"%s\", \"kernels\": %" PRIu64
				", \"graphs\": %" PRIu64 ", \"copies\": %" PRIu64
				", \"sets\": %" PRIu64 ", \"busy_ns\": %" PRIu64 "}",
				comma, sim_run_pid(truth->run, r), sim_run_device(truth->run, r),
				sim_run_context(truth->run, r), sim_run_stream(truth->run, i),
				classes[i], s->kernels, s->graphs, s->copies, s->sets, s->busy_ns);
			comma = ",";
		}
	fputs("],\n", file);
}

static bool partial(const struct iteration *iteration)
{
	return iteration->cut || !iteration->ended;
}

static void put_iteration(const struct sim_truth *truth, const struct iteration *it, uint64_t index,
			  FILE *file)
{
	fprintf(file,
		"\n{\"index\": %" PRIu64 ", \"run\": %" PRIu32 ", \"step\": %" PRIu32
		", \"first_kernel\": %" PRIu64 ", \"end_kernel\": %" PRIu64
		", \"kernels\": %" PRIu64 ", \"start_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64
		", \"partial\": %s, \"inserted\": %" PRIu32 ", \"deleted\": %" PRIu32
		", \"substituted\": %" PRIu32 ", \"lost\": %" PRIu32,
		index, it->entry, it->step, it->first_kernel, it->last_kernel + 1, it->kernels,
		it->start_ns - truth->first_ns, it->end_ns - truth->first_ns,
		partial(it) ? "true" : "false", it->edits[0], it->edits[1], it->edits[2], it->lost);
	if (it->has_interval)
		fprintf(file,
			", \"interval_ns\": %" PRIu64 ", \"overlap_ns\": %" PRIu64
			", \"foreign_kernels\": %" PRIu64,
			it->interval_ns, it->overlap_ns, it->foreign);
	else
		fputs(", \"interval_ns\": null, \"overlap_ns\": null, \"foreign_kernels\": 0",
		      file);
	fprintf(file,
		", \"operation_gap_sum_ns\": %" PRIu64 ", \"operation_gaps\": %" PRIu64
		", \"h2d_bytes\": %" PRIu64 "}",
		it->gap_ns, it->gaps, it->h2d_bytes);
}

struct summary {
	uint64_t complete, partial, intervals, interval_sum_ns, interval_max_ns, h2d_bytes;
};

static void summarize(struct summary *summary, const struct iteration *it)
{
	if (partial(it)) {
		summary->partial++;
		return;
	}
	summary->complete++;
	summary->h2d_bytes += it->h2d_bytes;
	if (!it->has_interval || it->interrupted)
		return;
	summary->intervals++;
	summary->interval_sum_ns += it->interval_ns;
	if (it->interval_ns > summary->interval_max_ns)
		summary->interval_max_ns = it->interval_ns;
}

static int put_pattern(const struct sim_truth *truth, uint32_t loop, FILE *file)
{
	const struct sim_run *run = truth->run;
	struct sim_pattern pattern;

	if (sim_pattern_init(&pattern, run, &run->program->loops[loop])) {
		errno = ENOMEM;
		return -1;
	}
	fprintf(file, "\"pattern\": {\"length\": %zu, \"varies\": %s, \"kernels\": [",
		pattern.count, pattern.varies ? "true" : "false");
	for (size_t i = 0; i < pattern.count; i++)
		fprintf(file, "%s%" PRIu32, i ? "," : "", pattern.kernels[i]);
	fputs("]},", file);
	sim_pattern_fini(&pattern);
	return 0;
}

/* The loop that encloses it: that of its first iteration's parent. */
static uint32_t parent_of(const struct sim_truth *truth, uint32_t rank, uint32_t loop)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct iteration *it = &truth->iterations[i];

		if (it->rank == rank && it->loop == loop)
			return it->parent == SIM_NONE ? SIM_NONE
						      : truth->iterations[it->parent].loop;
	}
	return SIM_NONE;
}

static int put_loop(const struct sim_truth *truth, uint32_t rank, uint32_t loop, FILE *file)
{
	const struct sim_run *run = truth->run;
	uint32_t loops = (uint32_t)run->program->loop_count;
	uint32_t parent = parent_of(truth, rank, loop);
	struct summary summary = { 0 };
	uint64_t index = 0;

	fprintf(file, "\n{\"id\": %" PRIu32 ", \"parent\": ", rank * loops + loop);
	if (parent == SIM_NONE)
		fputs("null", file);
	else
		fprintf(file, "%" PRIu32, rank * loops + parent);
	fputs(", \"name\": ", file);
	put_string(file, run->program->loops[loop].name);
	fputs(", \"mark\": ", file);
	put_string(file, run->program->marks ? run->program->loops[loop].mark : "");
	fprintf(file,
		", \"default\": %s, \"process\": %" PRIu32 ", \"device\": %" PRIu32
		", \"context\": %" PRIu32 ", \"stream\": %" PRIu32 ",\n",
		run->program->loops[loop].is_default ? "true" : "false", sim_run_pid(run, rank),
		sim_run_device(run, rank), sim_run_context(run, rank),
		sim_run_stream(run, SIM_STREAM_MAIN));
	if (put_pattern(truth, loop, file))
		return -1;
	fputs("\n\"iterations\": [", file);
	for (size_t i = 0; i < truth->count; i++) {
		const struct iteration *it = &truth->iterations[i];

		if (it->rank != rank || it->loop != loop || it->kernels == 0)
			continue;
		if (index)
			fputc(',', file);
		put_iteration(truth, it, index++, file);
		summarize(&summary, it);
	}
	fprintf(file,
		"],\n\"summary\": {\"iterations\": %" PRIu64 ", \"complete\": %" PRIu64
		", \"partial\": %" PRIu64 ", \"intervals\": %" PRIu64
		", \"interval_sum_ns\": %" PRIu64 ", \"max_interval_ns\": %" PRIu64
		", \"h2d_sum_bytes\": %" PRIu64 "}}",
		index, summary.complete, summary.partial, summary.intervals,
		summary.interval_sum_ns, summary.interval_max_ns, summary.h2d_bytes);
	return 0;
}

static int put_loops(const struct sim_truth *truth, FILE *file)
{
	const struct sim_program *program = truth->run->program;
	const char *comma = "";

	fputs("\"loops\": [", file);
	for (uint32_t r = 0; r < sim_run_ranks(truth->run); r++)
		for (uint32_t i = 0; i < program->loop_count; i++) {
			if (program->loops[i].plain)
				continue;
			fputs(comma, file);
			comma = ",";
			if (put_loop(truth, r, i, file))
				return -1;
		}
	fputs("]\n}\n", file);
	return 0;
}

/* Names by their id in patterns: the catalogue's, then a graph per net. */
static void put_names(const struct sim_truth *truth, FILE *file)
{
	const struct sim_run *run = truth->run;

	fputs("\"names\": [", file);
	for (size_t i = 0; i < run->catalogue->count; i++) {
		fputs(i ? ",\n" : "\n", file);
		put_string(file, run->catalogue->kernels[i].name);
	}
	for (size_t i = 0; i < run->program->net_count; i++)
		fprintf(file, ",\n\"graph %zu\"", i + 1);
	fputs("],\n", file);
}

static void put_totals(const struct sim_truth *truth, const char *format, FILE *file)
{
	const struct sim_run *run = truth->run;
	struct stream_count sum = { 0 };

	for (uint32_t r = 0; r < sim_run_ranks(run); r++)
		for (uint32_t i = 0; i < SIM_STREAMS; i++) {
			sum.kernels += truth->ranks[r].streams[i].kernels;
			sum.graphs += truth->ranks[r].streams[i].graphs;
			sum.copies += truth->ranks[r].streams[i].copies;
			sum.sets += truth->ranks[r].streams[i].sets;
		}
	fputs("{\"truth\": 1, \"title\": ", file);
	put_string(file, run->program->title);
	fprintf(file,
		", \"format\": \"%s\", \"seed\": %" PRIu64 ",\n\"t0_ns\": %" PRIu64
		", \"duration_ns\": %" PRIu64 ", \"start_resolution_ns\": %" PRIu64
		", \"length_resolution_ns\": %" PRIu64 ",\n\"operations\": %" PRIu64
		", \"kernels\": %" PRIu64 ", \"graphs\": %" PRIu64 ", \"copies\": %" PRIu64
		", \"sets\": %" PRIu64 ", \"lost\": %" PRIu64 ",\n\"h2d_copies\": %" PRIu64
		", \"h2d_bytes\": %" PRIu64 ", \"calls\": %" PRIu64 ", \"operators\": %" PRIu64
		", \"marks\": %" PRIu64 ",\n",
		format, run->seed, truth->any ? run->epoch_ns + truth->first_ns : 0,
		truth->any ? truth->end_ns - truth->first_ns : 0, run->start_quantum_ns,
		run->length_quantum_ns, truth->operations, sum.kernels, sum.graphs, sum.copies,
		sum.sets, truth->lost, truth->h2d_copies, truth->h2d_bytes, truth->calls,
		truth->operators, truth->marks);
}

int sim_truth_write(struct sim_truth *truth, const char *path, const char *format)
{
	FILE *file = fopen(path, "w");
	int status;

	if (!file)
		return -1;
	finish(truth);
	put_totals(truth, format, file);
	put_streams(truth, file);
	put_names(truth, file);
	status = put_loops(truth, file);
	if (ferror(file))
		status = -1;
	if (fclose(file))
		status = -1;
	return status;
}
