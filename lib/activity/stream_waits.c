/*
 * A wait for an event delays what is launched next on its stream until the event's record is
 * reached on the stream in which it was recorded: until the last operation that was launched there
 * before has ended. Correlation ids, which count launches, show which one that is.
 */
#include "activity/stream_waits.h"
#include "activity/periods.h"
#include "base/search.h"

#include <math.h>
#include <stdio.h>

/* Shorter waits are the overhead of an event itself. */
#define LEAST_NS 2000

struct walk {
	struct dp_stream_waits *waits;
	const struct dp_stream_waits_input *input;
	const struct dp_ops *ops;
	const uint32_t *rows; /* of the stream, in order */
	size_t count;
	struct dp_period_sums place;
	/* The longest of the waits before one operation. */
	size_t next; /* its place in rows */
	uint32_t op; /* what was waited for; DP_NONE: nothing yet */
	uint32_t source;
	uint32_t event;
};

/* The first of a stream's operations that was launched after a call. */
static size_t place_after(const struct dp_ops *ops, const uint32_t *rows, size_t count,
			  uint32_t correlation)
{
	size_t low;

	DP_FIND(low, 0, count, ops->correlation[rows[low]] > correlation);
	return low;
}

/* The index of a wait, which is added if there is room; else the count. */
static size_t find_wait(struct walk *walk)
{
	struct dp_stream_waits *waits = walk->waits;
	const struct dp_trace *trace = walk->input->trace;
	uint32_t name = walk->ops->name[walk->op];
	const struct dp_stream *source = dp_trace_stream(trace, walk->source);
	struct dp_stream_waited *wait;
	char device[32] = "", event[24] = "";
	size_t i = 0;

	while (i < waits->count &&
	       (waits->waits[i].name != name || waits->waits[i].info.stream != walk->source))
		i++;
	if (i < waits->count || i == DP_STREAM_WAITS_MOST)
		return i;
	wait = &waits->waits[waits->count++];
	wait->name = name;
	wait->row = i;
	wait->info = (struct dp_stream_wait){ dp_trace_string(trace, name), walk->source,
					      walk->event, 0 };
	if (source->device != dp_trace_stream(trace, walk->input->stream)->device)
		snprintf(device, sizeof(device), "GPU %lld, ",
			 (long long)dp_trace_device(trace, source->device)->id);
	if (walk->event)
		snprintf(event, sizeof(event), " (event %u)", walk->event);
	snprintf(wait->text, sizeof(wait->text), "%.80s on %sstream %lld%s", wait->info.name,
		 device, (long long)source->stream, event);
	return i;
}

/* Adds the stream's idle time before the current operation. */
static void count(struct walk *walk)
{
	const struct dp_ops *ops = walk->ops;
	const struct dp_calls *calls = dp_trace_calls(walk->input->trace);
	uint32_t next = walk->rows[walk->next];
	int64_t start_ns = ops->end_ns[walk->rows[walk->next - 1]];
	int64_t end_ns = DP_MIN(ops->start_ns[next], ops->end_ns[walk->op]);
	size_t wait;

	if (ops->call[next] != DP_NONE)
		start_ns = DP_MAX(start_ns, calls->start_ns[ops->call[next]]);
	if (end_ns - start_ns < LEAST_NS || !dp_period_sums__seek(&walk->place, start_ns))
		return;
	wait = find_wait(walk);
	if (wait < walk->waits->count)
		walk->waits->ns[wait * walk->input->count + walk->place.at] +=
			(double)(end_ns - start_ns);
}

static void add(struct walk *walk, const struct dp_syncs *syncs, size_t i)
{
	size_t next = place_after(walk->ops, walk->rows, walk->count, syncs->correlation[i]);
	size_t others, before;
	const uint32_t *rows = dp_trace_stream_ops(walk->input->trace, syncs->source[i], &others);

	before = place_after(walk->ops, rows, others, syncs->source_correlation[i]);
	if (!next || next == walk->count || !before)
		return;
	if (walk->op != DP_NONE && next != walk->next) {
		count(walk);
		walk->op = DP_NONE;
	}
	walk->next = next;
	if (walk->op != DP_NONE &&
	    walk->ops->end_ns[rows[before - 1]] <= walk->ops->end_ns[walk->op])
		return;
	walk->op = rows[before - 1];
	walk->source = syncs->source[i];
	walk->event = syncs->event[i];
}

static int longest_first(const void *a, const void *b)
{
	const struct dp_stream_waited *x = a, *y = b;

	if (x->info.ns < y->info.ns || x->info.ns > y->info.ns)
		return x->info.ns < y->info.ns ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

static void finish(struct dp_stream_waits *waits, const struct dp_iteration *iterations)
{
	size_t steady = 0;

	for (size_t k = 0; k < waits->iterations; k++) {
		if (isnan(dp_period__steady_ns(iterations, waits->iterations, k)))
			continue;
		steady++;
		for (size_t i = 0; i < waits->count; i++)
			waits->waits[i].info.ns += waits->ns[i * waits->iterations + k];
	}
	for (size_t i = 0; i < waits->count; i++)
		waits->waits[i].info.ns /= (double)DP_MAX(steady, 1);
	qsort(waits->waits, waits->count, sizeof(*waits->waits), longest_first);
}

int dp_stream_waits__find(struct dp_stream_waits *waits, const struct dp_stream_waits_input *input)
{
	const struct dp_syncs *syncs = dp_trace_syncs(input->trace);
	struct walk walk = { .waits = waits,
			     .input = input,
			     .ops = dp_trace_ops(input->trace),
			     .op = DP_NONE,
			     .place = { .iterations = input->iterations, .count = input->count } };

	walk.rows = dp_trace_stream_ops(input->trace, input->stream, &walk.count);
	for (size_t i = 0; i < syncs->count; i++) {
		if (syncs->source[i] == DP_NONE || syncs->stream[i] != input->stream ||
		    syncs->source[i] == input->stream || !syncs->correlation[i])
			continue;
		if (!waits->ns)
			waits->ns =
				dp_alloc__zeroed(dp_size__mul(input->count, DP_STREAM_WAITS_MOST),
						 sizeof(*waits->ns));
		if (!waits->ns)
			return DP_ERR_NOMEM;
		add(&walk, syncs, i);
	}
	if (walk.op != DP_NONE)
		count(&walk);
	waits->iterations = input->count;
	finish(waits, input->iterations);
	return DP_OK;
}

void dp_stream_waits__fini(struct dp_stream_waits *waits)
{
	free(waits->ns);
	*waits = (struct dp_stream_waits){ 0 };
}
