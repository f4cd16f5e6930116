/*
 * The clocks of host and device may differ: then operations seem to start before the calls that
 * launch them, which hides how long the host takes and the device waits. Moving what the host did
 * earlier, by the least that makes each operation start after the start of its call, corrects a
 * constant difference, and most of one that grows. Cost: linear.
 */
#include "base/text.h"
#include "trace/clock.h"

#include <stdio.h>

/* Below, operations whose call is mistaken for another one are as many. */
#define EARLY_SHARE 0.01

/* Beyond, ids of calls were used again, or the times are of different runs: no clock is so far off.
 */
#define LEAD_MOST_NS 10000000

/* Operations that start before their call. */
struct early {
	uint64_t count, linked;
	int64_t most_ns; /* the earliest of them */
};

static struct early find_early(const struct dp_builder *builder)
{
	const struct dp_columns *ops = &builder->ops;
	struct early early = { 0 };

	for (size_t op = 0; op < ops->count; op++) {
		uint32_t call = DP_CELL(ops, uint32_t, OP_CALL, op);
		int64_t by_ns;

		if (call == DP_NONE)
			continue;
		by_ns = DP_CELL(&builder->calls, int64_t, CALL_START, call) -
			DP_CELL(ops, int64_t, OP_START, op);
		early.linked++;
		early.count += by_ns > 0;
		early.most_ns = DP_MAX(early.most_ns, by_ns);
	}
	return early;
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

static int note(struct dp_builder *builder, const struct early *early)
{
	char text[200], count[DP_TEXT_SIZE], linked[DP_TEXT_SIZE], us[DP_TEXT_SIZE];
	int length =
		snprintf(text, sizeof(text),
			 "%s of %s operations start before the call that launches them, as "
			 "the clocks of host and GPU differ: the host's times are moved %s us "
			 "earlier",
			 dp_text__count(count, early->count), dp_text__count(linked, early->linked),
			 dp_text__digits(us, (double)early->most_ns / 1e3, 3));

	return dp_builder__fact(builder, DP_FACT_CLOCKS, text, (size_t)length);
}

int dp_builder__correct_clocks(struct dp_builder *builder, int64_t resolution_ns, bool *moved)
{
	struct early early = find_early(builder);

	*moved = early.most_ns > resolution_ns && early.most_ns <= LEAD_MOST_NS &&
		 (double)early.count >= EARLY_SHARE * (double)early.linked;
	if (!*moved)
		return DP_OK;
	move_host(builder, early.most_ns);
	return note(builder, &early);
}
