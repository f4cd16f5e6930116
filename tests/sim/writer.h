/* Recording formats: one file each, and one table of them. */
#ifndef SIM_WRITER_H
#define SIM_WRITER_H

#include "model.h"

struct sim_out;
struct sim_sink;

struct sim_writer {
	const char *name;
	const char *help;
	const char *extension;
	uint64_t start_quantum_ns; /* what the format resolves */
	uint64_t length_quantum_ns;
	bool graphs; /* it has a row for a graph's replay */
	bool text;   /* may be compressed */
	int variant; /* for the functions below, some of which several formats share */
	/* Each returns 0, or -1 with sink->error set. close() is called in any case. */
	int (*open)(struct sim_sink *sink);
	int (*event)(struct sim_sink *sink, const struct sim_event *event);
	int (*close)(struct sim_sink *sink, bool complete);
	bool state;   /* it has rows for memory and samples */
	bool no_sets; /* memsets are not operations of their own: the program has none */
	bool jobs;    /* it describes collectives */
	bool only_jobs; /* and nothing else */
	bool processes; /* one file holds those of a host */
};

/* A file that is being written. */
struct sim_sink {
	const struct sim_writer *writer;
	const struct sim_run *run;
	const char *path;
	bool gzip;
	uint64_t first_ns; /* start of the first operation; valid in close() */
	uint64_t events;
	void *state; /* the writer's */
	char error[256];
};

extern const struct sim_writer sim_kineto_writers[], sim_chrome_writers[], sim_nsys_writers[],
	sim_csv_writers[], sim_nvprof_writers[], sim_deepprof_writers[], sim_rocprofv3_writers[],
	sim_rocprofv3_csv_writers[], sim_rocpd_writers[], sim_rpd_writers[], sim_xplane_writers[],
	sim_perfetto_writers[], sim_inspector_writers[];

/* Ends each of the tables above. */
#define SIM_WRITERS_END \
	{               \
		NULL    \
	}

const struct sim_writer *sim_writer_get(const char *name);
void sim_writer_each(void (*each)(const struct sim_writer *writer));

int sim_sink_fail(struct sim_sink *sink, const char *what, const char *why);

/* Opens the file of a format that holds one process, and closes one; out may be NULL there. */
int sim_sink_open(struct sim_sink *sink, struct sim_out **out);
int sim_sink_close(struct sim_sink *sink, struct sim_out *out);

/* A part of a file, written to a file of its own, which is removed when it is closed. Zero it. */
struct sim_part {
	struct sim_out *out;
	char *path;
};

int sim_part_open(struct sim_sink *sink, struct sim_part *part, int number);
/* Completes a part and appends it to the file. */
int sim_part_append(struct sim_sink *sink, struct sim_part *part, struct sim_out *out);
void sim_part_close(struct sim_part *part);

/* "Memcpy HtoD (Pageable -> Device)" in its parts. */
const char *sim_copy_direction(uint32_t copy_kind);
const char *sim_copy_source(const struct sim_event *event);
const char *sim_copy_destination(const struct sim_event *event);

/* HIP's name of a call. */
const char *sim_hip_name(uint32_t call);

/* What NCCL calls a collective: a barrier is an all-reduce. kind is below SIM_NCCL_NAMES. */
enum { SIM_NCCL_NAMES = 8 };
const char *sim_nccl_name(const struct sim_collective *collective);
/* The other rank of a send or a receive within the group; SIM_NONE for other kinds. */
uint32_t sim_group_peer(const struct sim_group *group, const struct sim_collective *collective);

/* "kind_src:pinned kind_dst:device size:64 dest:0 async:1", XLA's details of a copy or a memset. */
void sim_xla_details(char text[160], const struct sim_event *event);

/* Seconds since 1970 as "2026-05-26T07:58:50". */
void sim_time_text(char text[32], uint64_t epoch_ns);

#endif
