/*
 * Converts CUPTI's clock to the trace's. A process notes both about once per second; in between the
 * difference changes linearly (drift), and where it jumps (a clock was set), each side keeps its
 * own offset.
 */
#ifndef DP_RECORD_CLOCK_H
#define DP_RECORD_CLOCK_H

#include "base/base.h"

#include <time.h>

struct dp_clock_point {
	int64_t cupti;
	int64_t monotonic;
};

struct dp_clock {
	struct dp_clock_point *points;
	size_t count;
	size_t room;
	int64_t lowest;	  /* of CUPTI's clock at the points */
	size_t at;	  /* piece of the last time converted */
	size_t seen;	  /* points passed while records are read in order */
	int64_t zero;	  /* the monotonic clock at the trace's time 0 */
	int64_t fallback; /* monotonic - CUPTI's, if there are no points */
};

/* Returns the time of a system clock, in nanoseconds. */
static inline int64_t dp_clock__now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void dp_clock__fini(struct dp_clock *clock);

/* Adds points in the order in which they were noted. Errors: DP_ERR_NOMEM. */
int dp_clock__add(struct dp_clock *clock, int64_t cupti, int64_t monotonic);

/* Notes that another point has been passed. */
static inline void dp_clock__pass(struct dp_clock *clock)
{
	clock->seen++;
}

/* Returns nanoseconds from the trace's time 0. Cost: constant for times near the last one. */
int64_t dp_clock__time(struct dp_clock *clock, uint64_t cupti);

static inline int64_t dp_clock__monotonic(const struct dp_clock *clock, int64_t monotonic)
{
	return (int64_t)((uint64_t)monotonic - (uint64_t)clock->zero);
}

#endif
