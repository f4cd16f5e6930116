/* The pieces of a job's time in which ranks are compared, and which ranks are comparable. */
#ifndef DP_RANKS_UNITS_H
#define DP_RANKS_UNITS_H

#include "ranks/job.h"

/*
 * Units of time in order, with the own time of each rank. If all ranks meet in collectives at least
 * once per iteration, a unit is from one meeting to the next; else it is an iteration.
 */
struct dp_units {
	double *own; /* own[unit * ranks + rank]; NaN if unknown */
	uint32_t *iteration;
	size_t count;
	double per_iteration;
	double meeting_ns; /* mean time from one meeting to the next; NaN without meetings or times
			    */
};

/* Both write *units, to be released by fini, also after a failure. Errors: DP_ERR_NOMEM. */
int dp_units__init(struct dp_units *units, const struct dp_job *job);
/* Units of an iteration each, in which what a rank computes is its own time. */
int dp_units__by_compute(struct dp_units *units, const struct dp_job *job);

void dp_units__fini(struct dp_units *units);

/*
 * Pipeline stages: ranks that share collectives are in one stage unless data is sent from one to
 * the other, directly or via other ranks. Classes are the ranks that are compared with each other:
 * those of a stage, and all that are alone in theirs.
 */
struct dp_stages {
	uint32_t *stage; /* per rank, below count */
	uint32_t *classes;
	size_t count;	 /* 1 if ranks send nothing to each other */
	uint32_t *order; /* the ranks of stage s: order[first[s]] to order[first[s + 1] - 1] */
	size_t *first;
};

int dp_stages__init(struct dp_stages *stages, const struct dp_job *job);
void dp_stages__fini(struct dp_stages *stages);

#endif
