/*
 * The clocks of host and device may differ: then operations seem to start before the calls that
 * launch them, or long after them, which hides how long the host takes and the device waits. Moving
 * what the host did, by the least that makes each operation start after the start of its call, or
 * by the shortest time between them, corrects a constant difference, and most of one that grows.
 * Cost: linear.
 */
#include "base/text.h"
#include "trace/clock.h"

#include <stdio.h>

/* Below, operations whose call is mistaken for another one are as many. */
#define EARLY_SHARE 0.01

/* Beyond, ids of calls were used again, or the times are of different runs: no clock is so far off.
 */
#define LEAD_MOST_NS 10000000

/*
 * No queue explains more: the first operation of a capture would have to wait as long as all
 * others, and a queue of 1,024 launches, as long as CUDA's, would have to be full of kernels of
 * 60 ms, and never be empty.
 */
#define QUEUE_MOST_NS INT64_C(60000000000)

/* The times from the starts of calls to the starts of the operations that they launch. */
struct delays {
	uint64_t linked,
		early; /* operations that have a call; those of them that start before it */
	int64_t least_ns, most_ns;
};

static struct delays find_delays(const struct dp_builder *builder)
{
	const struct dp_columns *ops = &builder->ops;
	struct delays delays = { .least_ns = INT64_MAX, .most_ns = INT64_MIN };

	for (size_t op = 0; op < ops->count; op++) {
		uint32_t call = DP_CELL(ops, uint32_t, OP_CALL, op);
		int64_t delay_ns;

		if (call == DP_NONE)
			continue;
		delay_ns = DP_CELL(ops, int64_t, OP_START, op) -
			   DP_CELL(&builder->calls, int64_t, CALL_START, call);
		delays.linked++;
		delays.early += delay_ns < 0;
		delays.least_ns = DP_MIN(delays.least_ns, delay_ns);
		delays.most_ns = DP_MAX(delays.most_ns, delay_ns);
	}
	return delays;
}

/* Those of a stream have the times of its kernels. */
static void move_collectives(struct dp_columns *rows, int64_t by_ns)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (DP_CELL(rows, uint32_t, COLLECTIVE_STREAM, i) != DP_NONE)
			continue;
		DP_CELL(rows, int64_t, COLLECTIVE_START, i) -= by_ns;
		DP_CELL(rows, int64_t, COLLECTIVE_END, i) -= by_ns;
	}
}

static void move_host(struct dp_builder *builder, int64_t by_ns)
{
	dp_columns__shift(&builder->calls, by_ns, true);
	dp_columns__shift(&builder->syncs, by_ns, true);
	dp_columns__shift(&builder->ranges, by_ns, true);
	dp_columns__shift(&builder->off_cpu, by_ns, true);
	dp_columns__shift(&builder->memory, by_ns, false);
	dp_columns__shift(&builder->samples, by_ns, false);
	dp_columns__shift(&builder->cpu_samples, by_ns, false);
	dp_columns__shift(&builder->function_samples, by_ns, false);
	dp_columns__shift(&builder->throttling, by_ns, false);
	move_collectives(&builder->collectives, by_ns);
	for (size_t i = 0; i < builder->pause_count; i++) {
		builder->pauses[i].start_ns -= by_ns;
		builder->pauses[i].end_ns -= by_ns;
	}
}

static int note_early(struct dp_builder *builder, const struct delays *delays)
{
	char text[200], early[DP_TEXT_SIZE], linked[DP_TEXT_SIZE], us[DP_TEXT_SIZE];
	int length = snprintf(text, sizeof(text),
			      "%s of %s operations start before the call that launches them, as "
			      "the clocks of host and GPU differ: the host's times are moved %s us "
			      "earlier",
			      dp_text__count(early, delays->early),
			      dp_text__count(linked, delays->linked),
			      dp_text__digits(us, (double)-delays->least_ns / 1e3, 3));

	return dp_builder__fact(builder, DP_FACT_CLOCKS, text, (size_t)length);
}

static int note_late(struct dp_builder *builder, const struct delays *delays)
{
	char text[200], linked[DP_TEXT_SIZE], time[DP_TEXT_SIZE];
	double s = (double)delays->least_ns / 1e9;
	const char *unit = s < 3600 ? "s" : "h";
	int length;

	dp_text__fixed(time, s < 3600 ? s : s / 3600, 1);
	length = snprintf(text, sizeof(text),
			  "all %s operations start %s %s after the calls that launch them, as "
			  "the clocks of host and GPU differ: the host's times are moved %s %s "
			  "later",
			  dp_text__count(linked, delays->linked), time, unit, time, unit);
	return dp_builder__fact(builder, DP_FACT_CLOCKS, text, (size_t)length);
}

/* Beyond a queue's length apart, delays are those of calls of other runs, or of ids used again. */
static bool are_late(const struct delays *delays)
{
	return delays->linked && delays->least_ns > QUEUE_MOST_NS &&
	       delays->most_ns - delays->least_ns <= QUEUE_MOST_NS;
}

/* Returns true if the host's times, moved later, are as near to the first operation as others. */
static bool stay_near(const struct dp_builder *builder, int64_t by_ns)
{
	int64_t zero_ns = DP_CELL(&builder->ops, int64_t, OP_START, 0);

	return builder->last_ns - zero_ns <= DP_TIME_LIMIT - by_ns;
}

static bool are_early(const struct delays *delays, int64_t resolution_ns)
{
	return delays->early && -delays->least_ns > resolution_ns &&
	       -delays->least_ns <= LEAD_MOST_NS &&
	       (double)delays->early >= EARLY_SHARE * (double)delays->linked;
}

int dp_builder__correct_clocks(struct dp_builder *builder, int64_t resolution_ns, bool *moved)
{
	struct delays delays = find_delays(builder);
	bool late = are_late(&delays) && stay_near(builder, delays.least_ns);

	*moved = late || are_early(&delays, resolution_ns);
	if (!*moved)
		return DP_OK;
	move_host(builder, -delays.least_ns);
	return late ? note_late(builder, &delays) : note_early(builder, &delays);
}
