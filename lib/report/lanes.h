/*
 * Rows of slices. Viewers accept slices that begin and end inside another, but lose or misplace
 * those that overlap it only in part and, in Perfetto, those nested 512 deep, which occur where a
 * program does not close its ranges. Such slices get another row. Cost: per slice, the number of
 * rows, which is limited.
 */
#ifndef DP_REPORT_LANES_H
#define DP_REPORT_LANES_H

#include "base/base.h"

#define DP_LANES_MOST 64 /* rows of one stream or thread */
#define DP_LANE_DEEPEST 500

struct dp_slice_row {
	int64_t row;	  /* the caller's number of it */
	int64_t *ends_ns; /* of the open slices, the innermost last */
	size_t depth, room;
};

/* Zeroed storage is valid and has no rows. */
struct dp_lanes {
	struct dp_slice_row *lanes;
	size_t count, room;
};

void dp_lanes__fini(struct dp_lanes *lanes);

/*
 * The first row in which a slice lies behind all others, or inside the last and not too deep; NULL
 * if there is none. Slices come in order of start. over is called for each slice that has ended,
 * unless it is NULL.
 */
struct dp_slice_row *
dp_lanes__find(struct dp_lanes *lanes, int64_t start_ns, int64_t end_ns,
	       void (*over)(void *ctx, const struct dp_slice_row *lane, int64_t end_ns), void *ctx);

/* Adds a row. Returns NULL if memory runs out. */
struct dp_slice_row *dp_lanes__add(struct dp_lanes *lanes, int64_t row);

/* Opens a slice in a row that find() or add() returned. */
int dp_lane__push(struct dp_slice_row *lane, int64_t end_ns);

/* Ends what is open. */
void dp_lanes__finish(struct dp_lanes *lanes,
		      void (*over)(void *ctx, const struct dp_slice_row *lane, int64_t end_ns),
		      void *ctx);

#endif
