/*
 * A rank in a replay, over a window of iterations: what it did by itself, what it waited for, and
 * how much later than in the trace it is.
 */
#ifndef DP_RANKS_LANE_H
#define DP_RANKS_LANE_H

#include "ranks/replay.h"

/* The iteration of calls behind the last one; of those before the first it is -1. */
#define DP_LANE_BEHIND INT64_MAX

/* A rank has moved: from here on what it does happens later by so much than in the trace. */
struct dp_lane_move {
	double later_ns;
	uint32_t call; /* at whose end */
};

/* Since when a rank is blocked by a call, until that ends or another one blocks it. */
struct dp_lane_stretch {
	int64_t start_ns;
	double before_ns; /* that it was blocked for by calls before */
};

struct dp_lane {
	const struct dp_job_rank *rank;
	const struct dp_rank_clock *clock;
	bool least;			     /* of struct dp_job_change */
	const struct dp_call_summary *calls; /* those of the window, in order of end */
	size_t first;			     /* the first of them among all of the rank's */
	size_t count;
	uint32_t *order;		 /* calls by start */
	struct dp_lane_stretch *blocked; /* per call */
	double *work; /* by start: the rank's own time before each call starts; NULL where nothing
		       * is removed */
	double *removed;  /* by start: what is removed of it */
	uint32_t *behind; /* per call: the one of its group before it, or DP_NONE */
	double *end_ns;	  /* per call: its end in the replay */
	struct dp_lane_move *moves;
	size_t move_count;
	int64_t iteration; /* of the latest call that was replayed */
	bool resumes; /* it lacks iterations before that, and has not waited for others since */
};

/*
 * The calls of a rank from the first to the last that is of iterations [from, to]. last has an
 * entry per group of the job, all DP_NONE, and is left so. Errors: DP_ERR_NOMEM; the lane is to be
 * freed with dp_lane__fini() then, too. Cost: n log n.
 */
int dp_lane__init(struct dp_lane *lane, const struct dp_job *job,
		  const struct dp_job_change *change, size_t r, int64_t from, int64_t to,
		  uint32_t *last);
void dp_lane__fini(struct dp_lane *lane);

/* A call's iteration of the job. Calls are numbered from the lane's first one. */
int64_t dp_lane__iteration(const struct dp_lane *lane, size_t call);

/* A time of the rank on the job's clock. */
double dp_lane__time(const struct dp_lane *lane, int64_t time_ns);

/* Calls of an iteration, by start: [*first, return). */
size_t dp_lane__calls(const struct dp_lane *lane, int64_t iteration, size_t *first);

/* The rank's own time up to a time of its clock: without what it was blocked for. */
double dp_lane__work_until(const struct dp_lane *lane, int64_t time_ns);

/* The rank's own time between the start of a call and of the one before, by start. */
double dp_lane__work_before(const struct dp_lane *lane, size_t at);

/* How much later the rank is at a time: where it waited last, less what is removed since. */
double dp_lane__later(const struct dp_lane *lane, int64_t time_ns, bool latest);

/* The replay has come to a call of the rank; when the call starts; and the rank goes on when both
 * its own work and the call are done, whose end is in end_ns. */
void dp_lane__follow(struct dp_lane *lane, uint32_t call);
double dp_lane__start(const struct dp_lane *lane, uint32_t call);
void dp_lane__move(struct dp_lane *lane, uint32_t call);

#endif
