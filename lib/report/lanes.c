/* Rows for slices that overlap. Cost: per slice, the number of rows, which is limited. */
#include "report/lanes.h"

void dp_lanes__fini(struct dp_lanes *lanes)
{
	for (size_t i = 0; i < lanes->count; i++)
		free(lanes->lanes[i].ends_ns);
	free(lanes->lanes);
	*lanes = (struct dp_lanes){ 0 };
}

static void end_slices(struct dp_slice_row *lane, int64_t until_ns,
		       void (*over)(void *ctx, const struct dp_slice_row *lane, int64_t end_ns),
		       void *ctx)
{
	while (lane->depth && lane->ends_ns[lane->depth - 1] <= until_ns) {
		lane->depth--;
		if (over)
			over(ctx, lane, lane->ends_ns[lane->depth]);
	}
}

struct dp_slice_row *
dp_lanes__find(struct dp_lanes *lanes, int64_t start_ns, int64_t end_ns,
	       void (*over)(void *ctx, const struct dp_slice_row *lane, int64_t end_ns), void *ctx)
{
	for (size_t i = 0; i < lanes->count; i++) {
		struct dp_slice_row *lane = &lanes->lanes[i];

		end_slices(lane, start_ns, over, ctx);
		if (!lane->depth ||
		    (lane->depth < DP_LANE_DEEPEST && end_ns <= lane->ends_ns[lane->depth - 1]))
			return lane;
	}
	return NULL;
}

struct dp_slice_row *dp_lanes__add(struct dp_lanes *lanes, int64_t row)
{
	if (dp_array__reserve(&lanes->lanes, &lanes->room, lanes->count + 1, sizeof(*lanes->lanes)))
		return NULL;
	lanes->lanes[lanes->count] = (struct dp_slice_row){ .row = row };
	return &lanes->lanes[lanes->count++];
}

int dp_lane__push(struct dp_slice_row *lane, int64_t end_ns)
{
	if (dp_array__reserve(&lane->ends_ns, &lane->room, lane->depth + 1, sizeof(*lane->ends_ns)))
		return DP_ERR_NOMEM;
	lane->ends_ns[lane->depth++] = end_ns;
	return DP_OK;
}

void dp_lanes__finish(struct dp_lanes *lanes,
		      void (*over)(void *ctx, const struct dp_slice_row *lane, int64_t end_ns),
		      void *ctx)
{
	for (size_t i = 0; i < lanes->count; i++)
		end_slices(&lanes->lanes[i], INT64_MAX, over, ctx);
}
