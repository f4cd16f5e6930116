/* What a job's iterations would take if something in them took as long as elsewhere. */
#ifndef DP_RANKS_REPLAY_H
#define DP_RANKS_REPLAY_H

#include "ranks/job.h"

/* What is changed, from an iteration of the job on. */
struct dp_job_change {
	uint32_t rank; /* its own work takes what the median of its class does, call by call;
			* DP_NONE: nobody's does */
	const bool *also; /* per rank: its own work does, too; or NULL */
	const uint32_t *classes;
	const double *scale;   /* per rank: a factor for its own work; or NULL */
	const double *less_ns; /* per instance: by how much shorter it is; NULL: by nothing */
	int64_t since;
	double more_often; /* this many times as often as in the iterations behind the first one */
	bool least; /* what the traces do not show is as it saves least: calls that no other rank
		     * has end when they did, and those that were queued were just ready */
};

/*
 * By how much each iteration from since on would be shorter on average; NaN if that is unknown:
 * without clocks, or without collectives after since. Errors: DP_ERR_NOMEM. Cost: n log n in the
 * collectives, and those of the rank's class for each of its own.
 */
int dp_job__replay(double *saved_ns, const struct dp_job *job, const struct dp_job_change *change);

#endif
