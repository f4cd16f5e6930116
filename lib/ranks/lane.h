/*
 * A rank in a replay, over a window of iterations: its own work, its waits, and how much later than
 * in the trace it is.
 */
#ifndef DP_RANKS_LANE_H
#define DP_RANKS_LANE_H

#include "ranks/replay.h"

/* The iteration of calls after the last one; calls before the first have -1. */
#define DP_LANE_BEHIND INT64_MAX

/* A change of delay: from here on the rank is this much later than in the trace. */
struct dp_lane_move {
	double later_ns;
	uint32_t call; /* at whose end */
};

/* The time from which a call blocks a rank, until it ends or another one blocks the rank. */
struct dp_lane_stretch {
	int64_t start_ns;
	double before_ns; /* time blocked by calls before */
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
	double *removed;  /* by start: the part of it that is removed */
	uint32_t *behind; /* per call: the previous one of its group, or DP_NONE */
	double *end_ns;	  /* per call: its end in the replay */
	struct dp_lane_move *moves;
	size_t move_count;
	int64_t iteration; /* of the latest call that was replayed */
	bool resumes; /* it lacks iterations before that, and has not waited for others since */
	int64_t resumed_ns; /* until when that was so last; what is earlier is unknown */
};

/* Where among a rank's calls, in order of end, those of an iteration are. */
struct dp_lane_extent {
	size_t first, end;
};

/* Fills an extent for each iteration of the rank's own. */
void dp_lane__find_extents(struct dp_lane_extent *extents, const struct dp_rank_summary *of);

/*
 * Makes the lane of a rank's calls from the first to the last in iterations [from, to] of the job.
 * last has an entry per group of the job; all are DP_NONE before and after. The caller releases the
 * lane with dp_lane__fini(), also after a failure. Errors: DP_ERR_NOMEM. Cost: n log n in the calls
 * between those two.
 */
int dp_lane__init(struct dp_lane *lane, const struct dp_job *job,
		  const struct dp_job_change *change, const struct dp_lane_extent *extents,
		  size_t r, int64_t from, int64_t to, uint32_t *last);
void dp_lane__fini(struct dp_lane *lane);

/* The iteration of a call, whose number counts from the lane's first one. */
int64_t dp_lane__iteration(const struct dp_lane *lane, size_t call);

/* Converts a time of the rank to the job's clock. */
double dp_lane__time(const struct dp_lane *lane, int64_t time_ns);

/* Calls of an iteration, by start: from *first to before the returned index. */
size_t dp_lane__calls(const struct dp_lane *lane, int64_t iteration, size_t *first);

/* The rank's own time up to a time of its clock: without that in which it was blocked. */
double dp_lane__work_until(const struct dp_lane *lane, int64_t time_ns);

/* The rank's own time between the starts of the previous call and of a call, by start. */
double dp_lane__work_before(const struct dp_lane *lane, size_t at);

/* How much later the rank is at a time: as after its last wait, minus what is removed since. */
double dp_lane__later(const struct dp_lane *lane, int64_t time_ns, bool latest);

/*
 * dp_lane__follow() is called when the replay reaches a call of the rank. dp_lane__start() returns
 * when the call starts, or -INFINITY if that is unknown. dp_lane__move() is called when both the
 * rank's own work and the call, whose end is in end_ns, are done: then the rank continues.
 */
void dp_lane__follow(struct dp_lane *lane, uint32_t call);
double dp_lane__start(const struct dp_lane *lane, uint32_t call);
void dp_lane__move(struct dp_lane *lane, uint32_t call);

#endif
