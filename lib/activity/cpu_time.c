/*
 * Threads are sampled some 20 times per second, which is exact on average and coarse for one
 * iteration; off-CPU intervals are exact, if recorded. Between two samples, preempted intervals are
 * waits for a processor as a whole. The waiting time that the kernel counted beyond those followed
 * wake-ups, and is distributed over the intervals in which the thread was blocked, in proportion to
 * their lengths. The cumulative time is stored where its slope changes, and interpolated between.
 */

#include "activity/cpu_time.h"
#include "activity/periods.h"

#include <math.h>
#include <string.h>

/*
 * Share of the time between two samples by which the intervals may miss the thread's running time.
 * Beyond it intervals were lost, and only the samples count. If processor time is counted in ticks,
 * a tick is a fifth.
 */
#define DISAGREE 0.25

/* A thread's activity between two of its samples. */
struct stretch {
	const struct dp_off_cpu *offs;
	const uint32_t *rows;
	size_t first, end; /* rows of the intervals that overlap it */
	int64_t start_ns, end_ns;
	double run_ns, wait_ns; /* as sampled */
	double off_ns[DP_OFF_KINDS];
	enum dp_cpu_state state;
};

/* The part of an interval inside the stretch. */
static double clip(const struct stretch *at, size_t i, int64_t *start_ns, int64_t *end_ns)
{
	uint32_t row = at->rows[i];

	*start_ns = DP_MAX(at->offs->start_ns[row], at->start_ns);
	*end_ns = DP_MAX(DP_MIN(at->offs->end_ns[row], at->end_ns), *start_ns);
	return (double)(*end_ns - *start_ns);
}

static bool agrees(const struct stretch *at)
{
	double length_ns = (double)(at->end_ns - at->start_ns), ran_ns = length_ns;

	for (size_t kind = 0; kind < DP_OFF_KINDS; kind++)
		ran_ns -= at->off_ns[kind];
	return fabs(ran_ns - at->run_ns) <= DISAGREE * length_ns;
}

/* The share of an interval of a kind that was spent in the state. */
static double share_of(const struct stretch *at, uint8_t kind)
{
	double late_ns = at->wait_ns - at->off_ns[DP_OFF_PREEMPTED];

	if (at->state == DP_CPU_FAULT)
		return kind == DP_OFF_FAULT;
	if (kind == DP_OFF_PREEMPTED)
		return 1;
	if (kind == DP_OFF_FAULT || !(at->off_ns[DP_OFF_BLOCKED] > 0))
		return 0;
	return fmin(fmax(late_ns / at->off_ns[DP_OFF_BLOCKED], 0), 1);
}

/* Adds the state's time by the intervals; for running, the time outside them. */
static void add_exact(struct dp_curve *curve, const struct stretch *at)
{
	int64_t until_ns = at->start_ns, start_ns, end_ns;
	bool run = at->state == DP_CPU_RUN;

	for (size_t i = at->first; i < at->end; i++) {
		double length_ns = clip(at, i, &start_ns, &end_ns);

		dp_curve__add(curve, start_ns, run ? (double)(start_ns - until_ns) : 0);
		dp_curve__add(curve, end_ns,
			      run ? 0 : length_ns * share_of(at, at->offs->kind[at->rows[i]]));
		until_ns = DP_MAX(until_ns, end_ns);
	}
	dp_curve__add(curve, at->end_ns, run ? (double)(at->end_ns - until_ns) : 0);
}

static void add_stretch(struct dp_curve *curve, struct stretch *at)
{
	int64_t start_ns, end_ns;

	memset(at->off_ns, 0, sizeof(at->off_ns));
	for (size_t i = at->first; i < at->end; i++)
		at->off_ns[at->offs->kind[at->rows[i]]] += clip(at, i, &start_ns, &end_ns);
	if (at->first < at->end && agrees(at))
		add_exact(curve, at);
	else
		dp_curve__add(curve, at->end_ns,
			      at->state == DP_CPU_RUN	 ? at->run_ns
			      : at->state == DP_CPU_WAIT ? at->wait_ns
							 : 0);
}

/* Moves to the intervals that overlap the time between two samples. */
static void move(struct stretch *at, size_t count, const struct dp_cpu_samples *samples,
		 size_t from, size_t to)
{
	at->start_ns = samples->time_ns[from];
	at->end_ns = samples->time_ns[to];
	at->run_ns = (double)DP_MAX(samples->run_ns[to] - samples->run_ns[from], 0);
	at->wait_ns = 0;
	if (samples->wait_ns[from] >= 0)
		at->wait_ns = (double)DP_MAX(samples->wait_ns[to] - samples->wait_ns[from], 0);
	while (at->first < count && at->offs->end_ns[at->rows[at->first]] <= at->start_ns)
		at->first++;
	at->end = DP_MAX(at->end, at->first);
	while (at->end < count && at->offs->start_ns[at->rows[at->end]] < at->end_ns)
		at->end++;
}

static int make_curve(struct dp_curve *curve, const struct dp_device_timeline *timeline,
		      size_t thread, enum dp_cpu_state state)
{
	const struct dp_cpu_samples *samples = dp_trace_cpu_samples(timeline->trace);
	struct stretch at = { .offs = dp_trace_off_cpu(timeline->trace), .state = state };
	size_t count, offs;
	const uint32_t *rows = dp_groups__rows(&timeline->index->cpu_samples, thread, &count);

	at.rows = dp_groups__rows(&timeline->index->off_cpu, thread, &offs);
	/* an interval that spans a sample is in two stretches, with two knots in each */
	if (dp_curve__reserve(curve, 4 * offs + 3 * count))
		return DP_ERR_NOMEM;
	if (count)
		dp_curve__add(curve, samples->time_ns[rows[0]], 0);
	for (size_t r = 1; r < count; r++) {
		move(&at, offs, samples, rows[r - 1], rows[r]);
		add_stretch(curve, &at);
	}
	return DP_OK;
}

static int make_throttled(struct dp_curve *curve, const struct dp_device_timeline *timeline)
{
	const struct dp_throttling *rows = dp_trace_throttling(timeline->trace);
	uint32_t process = dp_trace_device(timeline->trace, timeline->device)->process;
	int64_t before_ns = 0;

	if (dp_curve__reserve(curve, rows->count))
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		int64_t now_ns = rows->throttled_ns[i];

		if (rows->process[i] != process)
			continue;
		dp_curve__add(curve, rows->time_ns[i], (double)DP_MAX(now_ns - before_ns, 0));
		before_ns = now_ns;
	}
	return DP_OK;
}

/* If a thread has no samples, what all do is unknown in iterations in which it calls CUDA. */
static void forget_unsampled(double *values, const struct dp_device_timeline *timeline,
			     size_t thread, const struct dp_iteration *iterations, size_t count)
{
	const int64_t *start_ns = dp_trace_calls(timeline->trace)->start_ns;
	size_t samples, calls, at = 0;
	const uint32_t *rows = dp_groups__rows(&timeline->index->calls, thread, &calls);

	dp_groups__rows(&timeline->index->cpu_samples, thread, &samples);
	for (size_t k = 0; !samples && k + 1 < count; k++) {
		while (at < calls && start_ns[rows[at]] < iterations[k].start_ns)
			at++;
		if (at < calls && start_ns[rows[at]] < iterations[k + 1].start_ns)
			values[k] = (double)NAN;
	}
}

int dp_cpu__fill(double *values, const struct dp_device_timeline *timeline,
		 const struct dp_iteration *iterations, size_t count, enum dp_cpu_state state,
		 struct dp_error *error)
{
	/* throttling is counted per cgroup, not per thread */
	bool throttled = state == DP_CPU_THROTTLED;
	size_t threads = throttled ? 1 : timeline->launcher_count;
	int status = DP_OK;

	for (size_t k = 0; k < count; k++)
		values[k] = (double)NAN;
	if (state == DP_CPU_FAULT && !dp_trace_off_cpu(timeline->trace)->count)
		return DP_OK;
	for (size_t t = 0; t < threads && !status; t++) {
		struct dp_curve curve = { 0 };

		status = throttled ? make_throttled(&curve, timeline)
				   : make_curve(&curve, timeline, timeline->launchers[t], state);
		if (!status)
			dp_curve__periods(values, &curve, iterations, count);
		dp_curve__fini(&curve);
	}
	for (size_t t = 0; t < threads && !throttled; t++)
		forget_unsampled(values, timeline, timeline->launchers[t], iterations, count);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}
