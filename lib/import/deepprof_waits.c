/*
 * Which work a stream's wait for an event is for: the stream that the event was recorded in, and
 * how far that stream's work had been launched. CUPTI numbers each record of an event since 12.8;
 * before, it is the last record of the event before the wait, by the numbers of their calls.
 */
#include "import/deepprof_private.h"

#include <stdlib.h>

enum {
	EVENT_PROCESS,
	EVENT_CONTEXT,
	EVENT_STREAM,
	EVENT_EVENT,
	EVENT_SYNC,
	EVENT_CORR,
	EVENT_EPOCH,
	EVENT_COLUMNS
};

static int64_t cause_of(struct dp_rows *rows, size_t corr, size_t epoch)
{
	int64_t turn = dp_rows__integer(rows, epoch, 0, INT32_MAX, 0);

	return turn << 32 | dp_rows__correlation(rows, corr);
}

static int read_event(struct deepprof *deepprof, struct dp_rows *rows)
{
	struct deepprof_event event = {
		.pid = dp_deepprof__pid(deepprof, dp_rows__id(rows, EVENT_PROCESS)),
		.context = dp_rows__id(rows, EVENT_CONTEXT),
		.stream = dp_rows__id(rows, EVENT_STREAM),
		.event = dp_rows__id(rows, EVENT_EVENT),
		.sync = dp_rows__is_null(rows, EVENT_SYNC) ? 0 : dp_rows__id(rows, EVENT_SYNC),
		.cause = cause_of(rows, EVENT_CORR, EVENT_EPOCH),
	};

	if (!(uint32_t)event.cause)
		return DP_OK;
	if (dp_array__reserve(&deepprof->events, &deepprof->event_room, deepprof->event_count + 1,
			      sizeof(*deepprof->events)))
		return dp_deepprof__nomem(deepprof);
	deepprof->events[deepprof->event_count++] = event;
	return DP_OK;
}

/* In order of process, event's record where that has a number, context, event, call. */
static int compare(const void *a, const void *b)
{
	const struct deepprof_event *x = a, *y = b;
	const int64_t keys[][2] = { { x->pid, y->pid },	    { x->sync, y->sync },
				    { x->context, y->context }, { x->event, y->event },
				    { x->cause, y->cause } };

	for (size_t i = 0; i < DP_COUNT(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

int dp_deepprof__scan_events(struct deepprof *deepprof)
{
	static const struct dp_column columns[EVENT_COLUMNS] = {
		[EVENT_PROCESS] = { "process", true }, [EVENT_CONTEXT] = { "context", false },
		[EVENT_STREAM] = { "stream", false },  [EVENT_EVENT] = { "event", true },
		[EVENT_SYNC] = { "event_sync", false }, [EVENT_CORR] = { "corr", true },
		[EVENT_EPOCH] = { "epoch", false },
	};
	int status = dp_deepprof__scan(deepprof, "cuda_event", columns, EVENT_COLUMNS, read_event);

	if (!status && deepprof->event_count)
		qsort(deepprof->events, deepprof->event_count, sizeof(*deepprof->events), compare);
	return status;
}

/* The last that is not after the key; NULL where all are. */
static const struct deepprof_event *find_last(const struct deepprof *deepprof,
					      const struct deepprof_event *key)
{
	size_t low = 0, high = deepprof->event_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&deepprof->events[middle], key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &deepprof->events[low - 1] : NULL;
}

void dp_deepprof__link_wait(struct deepprof *deepprof, const struct deepprof_event *wait,
			    struct dp_sync *sync)
{
	struct deepprof_event key = *wait;
	const struct deepprof_event *found;

	/* A number is enough to find it by, in whatever context it was recorded. */
	if (key.sync)
		key.context = key.event = key.cause = INT64_MAX;
	found = find_last(deepprof, &key);
	if (!found || found->pid != wait->pid || found->sync != wait->sync ||
	    (!wait->sync && (found->context != wait->context || found->event != wait->event)))
		return;
	sync->source = dp_places__find_queue(&deepprof->places, found->pid, found->context,
					     found->stream);
	sync->source_correlation = (uint32_t)found->cause;
	sync->event = (uint32_t)found->event;
	sync->linked = sync->source != DP_NONE;
}
