/* The clocks of ranks, from events that end on all of them at once. Pure. */
#ifndef DP_RANKS_CLOCK_H
#define DP_RANKS_CLOCK_H

#include "base/base.h"

/* An event's end as a rank's clock has it. */
struct dp_clock_sight {
	uint32_t event;
	uint32_t rank;
	int64_t time_ns;
};

/* A rank's clock: it shows time + offset + drift * (time - at) when that of its anchor, the first
 * rank it is connected with, shows time. */
struct dp_rank_clock {
	bool known;	   /* it shares events with another rank */
	uint32_t anchor;   /* the lowest rank that it is connected with */
	double offset_ns;  /* at at_ns */
	double drift;	   /* 1e-6 for 1 ppm */
	int64_t at_ns;	   /* its own time of the first event */
	double resolution_ns; /* scaled MAD of what is left */
};

/*
 * Fits the clocks of count ranks to the sights, which are in order of event. Offsets are those of a
 * median polish (Tukey 1977, "Exploratory Data Analysis") of ranks and events, and drifts slopes by
 * Theil (1950) and Sen (1968); from there least squares over all ranks at once without the
 * outliers. Drifts are 0 where the residuals show none.
 *
 * Errors: DP_ERR_NOMEM. Cost: O(s log s) for s sights, in some ten rounds, and up to 200 s for each
 * of six solutions.
 */
int dp_clock__fit(struct dp_rank_clock *clocks, size_t count, const struct dp_clock_sight *sights,
		  size_t sight_count);

/* A time of the rank on the clock of its anchor, and back. */
int64_t dp_clock__to_anchor(const struct dp_rank_clock *clock, int64_t time_ns);

#endif
