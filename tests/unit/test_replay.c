/* Replays of iterations: on random traces, and of uploads whose calls return early. */
#include "activity/replay.h"
#include "random_trace.h"

#include <math.h>

/* How long a stream is busy in each of the iterations that the replay measures. */
static double work_of(const struct fixture *at, uint32_t stream)
{
	const struct dp_replay *replay = &at->values.replay;
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	int64_t from_ns = at->iterations[replay->measured_first].start_ns;
	int64_t to_ns = at->iterations[replay->measured_end].start_ns, sum_ns = 0;
	size_t count;
	const uint32_t *rows = dp_trace_stream_ops(at->trace, stream, &count);

	for (size_t i = 0; i < count; i++)
		if (ops->start_ns[rows[i]] >= from_ns + (stream > 0) &&
		    ops->start_ns[rows[i]] < to_ns)
			sum_ns += ops->end_ns[rows[i]] - ops->start_ns[rows[i]];
	return (double)sum_ns / (double)(replay->measured_end - replay->measured_first);
}

/* How long uploads take in each of these iterations, one after another. */
static double uploads_of(const struct fixture *at)
{
	const struct dp_replay *replay = &at->values.replay;
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	int64_t from_ns = at->iterations[replay->measured_first].start_ns;
	int64_t to_ns = at->iterations[replay->measured_end].start_ns, sum_ns = 0;
	uint8_t map[4 * LENGTH] = { 0 };

	for (size_t i = 0; i < ops->count; i++)
		if (ops->copy_kind[i] == DP_COPY_HTOD && ops->start_ns[i] > from_ns &&
		    ops->start_ns[i] < to_ns)
			for (int64_t t = ops->start_ns[i]; t < ops->end_ns[i]; t++)
				map[t] = 1;
	for (size_t t = 0; t < sizeof(map); t++)
		sum_ns += map[t];
	return (double)sum_ns / (double)(replay->measured_end - replay->measured_first);
}

/* How long the device is idle in each of these iterations, as far as replayed ones keep it busy. */
static double idle_of(const struct fixture *at)
{
	const struct dp_replay *replay = &at->values.replay;
	const struct dp_ops *ops = dp_trace_ops(at->trace);
	int64_t from_ns = at->iterations[replay->measured_first].start_ns;
	int64_t to_ns = at->iterations[replay->measured_end].start_ns, idle_ns = 0;
	uint8_t map[4 * LENGTH] = { 0 };

	for (size_t i = 0; i < ops->count; i++)
		if (dp_trace_stream(at->trace, ops->stream[i])->device == 0 &&
		    ops->start_ns[i] >= at->iterations[replay->path_first].start_ns)
			for (int64_t t = ops->start_ns[i]; t < ops->end_ns[i]; t++)
				map[t] = 1;
	for (int64_t t = from_ns; t < to_ns; t++)
		idle_ns += !map[t];
	return (double)idle_ns / (double)(replay->measured_end - replay->measured_first);
}

/* Returns true if a period is at least this long, unless the unchanged one is shorter. */
static bool is_least(const struct fixture *at, enum dp_replay_change change, double least_ns)
{
	const struct dp_replay *replay = &at->values.replay;

	return replay->without_ns[change] >= fmin(least_ns, replay->period_ns) - 1e-6;
}

/*
 * A period is no shorter than what a stream does in it, whatever the host no longer does, and no
 * shorter than uploads that move to a stream of their own.
 */
TEST(replays_leave_the_work)
{
	static const enum dp_replay_change changes[] = {
		DP_REPLAY_INPUT,       DP_REPLAY_HOST,	 DP_REPLAY_LAUNCHES, DP_REPLAY_WAITS,
		DP_REPLAY_INNER_WAITS, DP_REPLAY_STALLS, DP_REPLAY_BLOCKING,
	};
	size_t shorter = 0, bound = 0;
	struct fixture at;

	for (state = 1; state < 200; state++) {
		uint32_t seed = state;

		side_ns = seed % 2 ? 60 : 400;
		side_uploads = seed % 3 == 0;
		start(&at, true);
		side_ns = 60;
		side_uploads = false;
		ck_assert(at.values.replay.period_ns > 0);
		ck_assert_double_eq_tol(at.values.replay.idle_ns[DP_REPLAY_NOTHING], idle_of(&at),
					1e-6);
		for (size_t i = 0; i < DP_COUNT(changes); i++) {
			for (uint32_t s = 0; s < STREAMS; s++)
				ck_assert_msg(is_least(&at, changes[i], work_of(&at, s)),
					      "change %d of seed %u", changes[i], seed);
			shorter += at.values.replay.without_ns[changes[i]] <
				   at.values.replay.period_ns;
		}
		ck_assert_msg(is_least(&at, DP_REPLAY_UPLOADS, uploads_of(&at)), "seed %u", seed);
		bound += at.values.replay.work_ns[DP_REPLAY_UPLOADS] == uploads_of(&at);
		finish(&at);
		state = seed;
	}
	ck_assert_uint_gt(shorter, 200);
	ck_assert_uint_ge(bound, 5);
}

/*
 * Iterations of 2 ms: a kernel of 0.5 ms, and an upload of 0.9 ms after it. The upload's call
 * begins with the kernel and returns early. Returns the period with a part of it removed.
 */
static double period_without(enum dp_replay_change change, uint8_t memory, int64_t early_ns)
{
	struct program program;
	struct fixture at;
	double without_ns;

	start_program(&program, &at);
	for (int64_t at_ns = 0; at_ns < 2000000 * ITERATIONS; at_ns += 2000000) {
		run(&program, (struct dp_op){ .start_ns = at_ns, .end_ns = at_ns + 500000 });
		call(&program, 0, at_ns - 20, at_ns - 10);
		run(&program, (struct dp_op){ .start_ns = at_ns + 500000,
					      .end_ns = at_ns + 1400000,
					      .kind = DP_OP_COPY,
					      .copy_kind = DP_COPY_HTOD,
					      .src_kind = memory,
					      .bytes = 10000000 });
		call(&program, 1, at_ns, at_ns + 1400000 - early_ns);
	}
	measure_program(&program, &at, 1);
	ck_assert_double_eq(at.values.replay.period_ns, 2e6);
	without_ns = at.values.replay.without_ns[change];
	finish(&at);
	return without_ns;
}

/* Only the call of an upload from pageable memory waits for most of it. */
TEST(pageable_uploads_return_early)
{
	/* what a stream of its own uploads takes its time */
	ck_assert_double_eq(period_without(DP_REPLAY_UPLOADS, DP_MEMORY_PAGEABLE, 0), 9e5);
	ck_assert_double_lt(period_without(DP_REPLAY_UPLOADS, DP_MEMORY_PAGEABLE, 1e5), 1e6);
	ck_assert_double_eq(period_without(DP_REPLAY_UPLOADS, DP_MEMORY_PAGEABLE, 5e5), 2e6);
	ck_assert_double_eq(period_without(DP_REPLAY_UPLOADS, DP_MEMORY_PINNED, 1e5), 2e6);
	/* what is staged needs no wait to take the caller's time */
	ck_assert_double_lt(period_without(DP_REPLAY_PAGEABLE, DP_MEMORY_PAGEABLE, 5e5), 1.5e6);
	ck_assert_double_eq(period_without(DP_REPLAY_PAGEABLE, DP_MEMORY_PINNED, 5e5), 2e6);
}
