/*
 * A span that covers many periods whole only notes where that begins and ends, if asked to: then
 * any number of such spans cost as much as one.
 */
#include "metric/spread.h"

/* The period that holds a time at or after that of from, which may be the end of all. */
static size_t find(const struct dp_spread *spread, size_t from, int64_t time_ns)
{
	size_t low = from, high = spread->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spread->iterations[middle + 1].start_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Mostly it is this period or a neighbour; else it is searched for. */
bool dp_spread__seek_far(struct dp_spread *spread, int64_t time_ns)
{
	const struct dp_iteration *at = spread->iterations;

	if (!spread->count || at[0].start_ns > time_ns)
		return false;
	if (spread->at && at[spread->at].start_ns > time_ns)
		spread->at--;
	if (at[spread->at].start_ns > time_ns)
		spread->at = find(spread, 0, time_ns);
	else if (spread->at + 1 < spread->count && at[spread->at + 1].start_ns <= time_ns)
		spread->at++;
	if (spread->at + 1 < spread->count && at[spread->at + 1].start_ns <= time_ns)
		spread->at = find(spread, spread->at, time_ns);
	return spread->at + 1 < spread->count;
}

static void add_far(struct dp_spread *spread, int64_t start_ns, int64_t end_ns)
{
	const struct dp_iteration *at = spread->iterations;
	size_t first = spread->at, last = find(spread, first, end_ns);

	spread->row[first] += (double)(at[first + 1].start_ns - start_ns);
	spread->full[first + 1] += 1;
	spread->full[last] -= 1;
	if (last + 1 < spread->count)
		spread->row[last] += (double)(end_ns - at[last].start_ns);
}

void dp_spread__add_far(struct dp_spread *spread, int64_t start_ns, int64_t end_ns)
{
	const struct dp_iteration *at = spread->iterations;

	if (spread->count < 2 || end_ns <= start_ns)
		return;
	start_ns = DP_MAX(start_ns, at[0].start_ns);
	if (!dp_spread__seek(spread, start_ns))
		return;
	if (spread->full && end_ns > at[spread->at + 1].start_ns) {
		add_far(spread, start_ns, end_ns);
		return;
	}
	for (size_t k = spread->at; k + 1 < spread->count && at[k].start_ns < end_ns; k++)
		spread->row[k] += (double)(DP_MIN(end_ns, at[k + 1].start_ns) -
					   DP_MAX(start_ns, at[k].start_ns));
}

void dp_spread__finish(struct dp_spread *spread)
{
	const struct dp_iteration *at = spread->iterations;
	double covers = 0;

	for (size_t k = 0; k + 1 < spread->count; k++) {
		covers += spread->full[k];
		spread->row[k] += covers * (double)(at[k + 1].start_ns - at[k].start_ns);
	}
}
