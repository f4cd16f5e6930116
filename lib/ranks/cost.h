/* What it costs that something in a job takes longer than elsewhere, and how far that is known. */
#ifndef DP_RANKS_COST_H
#define DP_RANKS_COST_H

#include "ranks/replay.h"

/* Per iteration. */
struct dp_job_cost {
	double ns;
	double least_ns, most_ns; /* equal to it where all that ranks wait for is in the traces */
};

/*
 * What a replay says that iterations would be shorter by; else, where files on which others depend
 * are missing or clocks are not known, guess_ns, which is from the times of ranks alone. Below
 * noise_ns a replay has found nothing. Errors: DP_ERR_NOMEM. Cost: two replays.
 */
int dp_job__cost(struct dp_job_cost *cost, const struct dp_job *job,
		 const struct dp_job_change *change, double guess_ns, double noise_ns);

#endif
