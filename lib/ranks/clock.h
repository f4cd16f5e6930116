/* The clocks of ranks, from events that end on all of them at the same time. Pure. */
#ifndef DP_RANKS_CLOCK_H
#define DP_RANKS_CLOCK_H

#include "base/base.h"

/* An event's end by a rank's clock. */
struct dp_clock_sight {
	uint32_t event;
	uint32_t rank;
	int64_t time_ns;
};

/*
 * A rank's clock: it shows time + offset + drift * (time - at) when that of its anchor, the first
 * rank it is connected with, shows time.
 */
struct dp_rank_clock {
	bool known;	   /* it shares events with another rank */
	uint32_t anchor;   /* the lowest rank that it is connected with */
	double offset_ns;  /* at at_ns */
	double drift;	   /* 1e-6 for 1 ppm */
	int64_t at_ns;	   /* its own time of the first event */
	double resolution_ns; /* scaled MAD of the residuals */
};

/*
 * Fits the clocks of count ranks to the sights, which are in order of event. Offsets come from a
 * median polish (Tukey 1977, "Exploratory Data Analysis") of ranks and events, and drifts are
 * slopes by Theil (1950) and Sen (1968); these start a least-squares fit over all ranks without
 * outliers. Drifts are 0 unless the residuals show some.
 *
 * Errors: DP_ERR_NOMEM. Cost: O(s log s) for s sights, in some ten rounds, and up to 200 s for each
 * of six solutions.
 */
int dp_clock__fit(struct dp_rank_clock *clocks, size_t count, const struct dp_clock_sight *sights,
		  size_t sight_count);

/*
 * Offsets and converted times are limited to this: the difference of two does not overflow, nor
 * that of an offset and the difference of two times of traces. Made-up times along a chain of ranks
 * may have any offset.
 */
#define DP_CLOCK_LIMIT ((INT64_C(1) << 62) - 1)

int64_t dp_clock__limit(int64_t ns);
int64_t dp_clock__round(double ns);

/* Converts a time of the rank to the clock of its anchor. */
int64_t dp_clock__to_anchor(const struct dp_rank_clock *clock, int64_t time_ns);

#endif
