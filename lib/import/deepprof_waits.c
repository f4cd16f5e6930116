/*
 * Finds which work a stream's wait for an event is for: the stream that the event was recorded in,
 * and how far that stream's work had been launched. CUPTI numbers the records of events since 12.8;
 * for older versions, it is the last record of the event before the wait, by the numbers of their
 * calls.
 */
#include "base/search.h"
#include "import/deepprof_private.h"

#include <stdlib.h>

enum { EVENT = DP_CUPTI_OWN, SYNC, EPOCH };

static int read_event(struct dp_cupti *cupti, struct dp_rows *rows)
{
	struct deepprof *deepprof = dp_deepprof__of(cupti);
	struct deepprof_event event = {
		.pid = dp_deepprof__pid(cupti, rows),
		.context = dp_rows__id(rows, DP_CUPTI_CONTEXT),
		.stream = dp_rows__id(rows, DP_CUPTI_STREAM),
		.event = dp_rows__id(rows, EVENT),
		.sync = dp_rows__is_null(rows, SYNC) ? 0 : dp_rows__id(rows, SYNC),
		.cause = dp_rows__integer(rows, EPOCH, 0, INT32_MAX, 0) << 32 |
			 dp_rows__correlation(rows, DP_CUPTI_CORRELATION),
	};

	if (!(uint32_t)event.cause)
		return DP_OK;
	if (dp_array__reserve(&deepprof->events, &deepprof->event_room, deepprof->event_count + 1,
			      sizeof(*deepprof->events)))
		return dp_cupti__nomem(cupti);
	deepprof->events[deepprof->event_count++] = event;
	return DP_OK;
}

const struct dp_cupti_table dp_deepprof__events[] = {
	{ "cuda_event",
	  read_event,
	  { [DP_CUPTI_PROCESS] = { "process", true },
	    [DP_CUPTI_CONTEXT] = { "context", false },
	    [DP_CUPTI_STREAM] = { "stream", false },
	    [DP_CUPTI_CORRELATION] = { "corr", true },
	    [EVENT] = { "event", true },
	    [SYNC] = { "event_sync", false },
	    [EPOCH] = { "epoch", false } } },
	{ NULL },
};

/* Orders by process, number of the event's record (if any), context, event, call. */
static int compare(const void *a, const void *b)
{
	const struct deepprof_event *x = a, *y = b;
	const int64_t keys[][2] = { { x->pid, y->pid },
				    { x->sync, y->sync },
				    { x->context, y->context },
				    { x->event, y->event },
				    { x->cause, y->cause } };

	for (size_t i = 0; i < DP_COUNT(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

/* Returns the last event that is not after key, NULL if there is none. */
static const struct deepprof_event *find_last(struct deepprof *deepprof,
					      const struct deepprof_event *key)
{
	size_t after;

	if (!deepprof->events_sorted && deepprof->event_count)
		qsort(deepprof->events, deepprof->event_count, sizeof(*deepprof->events), compare);
	deepprof->events_sorted = true;
	DP_FIND(after, 0, deepprof->event_count, compare(&deepprof->events[after], key) > 0);
	return after ? &deepprof->events[after - 1] : NULL;
}

void dp_deepprof__link_wait(struct deepprof *deepprof, const struct deepprof_event *wait,
			    struct dp_sync *sync)
{
	struct deepprof_event key = *wait;
	const struct deepprof_event *found;

	/* A number alone identifies the record, in any context. */
	if (key.sync)
		key.context = key.event = key.cause = INT64_MAX;
	found = find_last(deepprof, &key);
	if (!found || found->pid != wait->pid || found->sync != wait->sync ||
	    (!wait->sync && (found->context != wait->context || found->event != wait->event)))
		return;
	sync->source = dp_places__find_queue(&deepprof->cupti.places, found->pid, found->context,
					     found->stream);
	sync->source_correlation = (uint32_t)found->cause;
	sync->event = (uint32_t)found->event;
	sync->linked = sync->source != DP_NONE;
}
