/*
 * Walks calls and ranges together in order of time, with the stack of open ranges per thread.
 * Ranges that overlap without nesting end when they reach the top of their stack.
 */
#include "activity/op_attribution.h"

struct walk {
	const struct dp_ranges *ranges;
	uint32_t *below; /* per range: the one that was open before it */
	uint32_t *top;	 /* per thread: the innermost open range, or DP_NONE */
	size_t threads;
	size_t next; /* range */
};

/* Closes what ends up to a time; returns the innermost range left. */
static uint32_t innermost(struct walk *walk, uint32_t thread, int64_t time_ns)
{
	uint32_t *top = &walk->top[thread];

	while (*top != DP_NONE && walk->ranges->end_ns[*top] <= time_ns)
		*top = walk->below[*top];
	return *top;
}

/* Opens all ranges that begin up to a time. */
static void open_until(struct walk *walk, int64_t time_ns)
{
	const struct dp_ranges *ranges = walk->ranges;

	for (; walk->next < ranges->count && ranges->start_ns[walk->next] <= time_ns;
	     walk->next++) {
		uint32_t thread = ranges->thread[walk->next];

		if (ranges->kind[walk->next] == DP_RANGE_ANNOTATION || thread >= walk->threads)
			continue;
		walk->below[walk->next] = innermost(walk, thread, ranges->start_ns[walk->next]);
		walk->top[thread] = (uint32_t)walk->next;
	}
}

static void find(struct dp_attribution *attribution, struct walk *walk,
		 const struct dp_calls *calls)
{
	for (size_t i = 0; i < walk->threads; i++)
		walk->top[i] = DP_NONE;
	for (size_t i = 0; i < calls->count; i++) {
		uint32_t range = DP_NONE;

		open_until(walk, calls->start_ns[i]);
		if (calls->thread[i] < walk->threads)
			range = innermost(walk, calls->thread[i], calls->start_ns[i]);
		attribution->of_call[i] = range == DP_NONE ? DP_NONE : walk->ranges->name[range];
	}
}

int dp_attribution__init(struct dp_attribution *attribution, const struct dp_trace *trace,
			 struct dp_error *error)
{
	const struct dp_calls *calls = dp_trace_calls(trace);
	struct walk walk = { .ranges = dp_trace_ranges(trace),
			     .threads = dp_trace_thread_count(trace) };
	int status = DP_OK;

	*attribution = (struct dp_attribution){ NULL };
	if (!walk.ranges->count || !calls->count || !walk.threads)
		return DP_OK;
	attribution->of_call = dp_alloc__array(calls->count, sizeof(*attribution->of_call));
	walk.below = dp_alloc__array(walk.ranges->count, sizeof(*walk.below));
	walk.top = dp_alloc__array(walk.threads, sizeof(*walk.top));
	if (attribution->of_call && walk.below && walk.top)
		find(attribution, &walk, calls);
	else
		status = dp_error__nomem(error, dp_size__mul(calls->count, sizeof(uint32_t)));
	free(walk.below);
	free(walk.top);
	if (status)
		dp_attribution__fini(attribution);
	return status;
}

void dp_attribution__fini(struct dp_attribution *attribution)
{
	free(attribution->of_call);
	attribution->of_call = NULL;
}
