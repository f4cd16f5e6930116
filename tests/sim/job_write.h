/*
 * Shared by job_main.c, which simulates a job, and the files that write its traces and the truth.
 */
#ifndef SIM_JOB_WRITE_H
#define SIM_JOB_WRITE_H

#include "job.h"
#include "writer.h"

struct job_files {
	const struct job_options *options;
	const struct sim_catalogue *catalogue;
	const struct sim_nets *nets;
	const struct sim_writer *writer;
	struct job *job;
	const char *folder;
	uint64_t seed, epoch_ns;
	bool gzip;
	uint64_t *kernels, *collectives; /* per rank: written */
};

/* The group's name in torch. */
uint32_t job_group_number(const struct job_options *options, enum job_axis axis, uint32_t group);

void job_file_name(const struct job_files *files, uint32_t rank, char *name, size_t room);

/* Writes all files. Returns 0, or -1 with error filled in. */
int job_write(struct job_files *files, char *error, size_t room);

/* Writes FOLDER/truth.json. costs: of each fault, ns of the job's time. Returns 0, or -1. */
int job_write_truth(const struct job_files *files, const int64_t *costs);

#endif
