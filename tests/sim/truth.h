/* What was planted: which kernels form which iteration, and the numbers of the whole trace. */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "model.h"

struct sim_truth;

struct sim_truth *sim_truth_new(const struct sim_run *run);
void sim_truth_free(struct sim_truth *truth);

/* A new iteration. Returns its number, or SIM_NONE without memory. */
uint32_t sim_truth_begin(struct sim_truth *truth, uint32_t rank, uint32_t loop, uint32_t parent,
			 uint32_t entry, uint32_t step);
void sim_truth_end(struct sim_truth *truth, uint32_t instance);

enum sim_edit { SIM_INSERTED, SIM_DELETED, SIM_SUBSTITUTED };
void sim_truth_edit(struct sim_truth *truth, uint32_t instance, enum sim_edit edit);

/* An event that the profiler did not see: before the capture, or lost. */
void sim_truth_missed(struct sim_truth *truth, const struct sim_event *event, bool lost);

/* An event that it saw. Returns 0, or -1 without memory. */
int sim_truth_seen(struct sim_truth *truth, const struct sim_event *event);

/* Writes the truth as JSON. Returns 0, or -1 with errno set. */
int sim_truth_write(struct sim_truth *truth, const char *path, const char *format);

/* Start of the first operation seen, since the simulation's beginning. */
uint64_t sim_truth_first_ns(const struct sim_truth *truth);

#endif
