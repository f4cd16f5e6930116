/* What it costs that something in a job takes longer than elsewhere, and how certain that is. */
#ifndef DP_RANKS_COST_H
#define DP_RANKS_COST_H

#include "ranks/replay.h"

/* Per iteration. */
struct dp_job_cost {
	double ns;
	double least_ns, most_ns; /* equal to it if the traces have all that ranks wait for */
};

/*
 * Estimates by how much iterations would be shorter, by a replay. If files that others depend on
 * are missing, or clocks are unknown, uses guess_ns, which follows from the times of single ranks.
 * Below noise_ns a replay has found nothing. Errors: DP_ERR_NOMEM. Cost: two replays.
 */
int dp_job__cost(struct dp_job_cost *cost, const struct dp_job *job,
		 const struct dp_job_change *change, double guess_ns, double noise_ns);

#endif
