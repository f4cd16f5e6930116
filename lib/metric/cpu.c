/*
 * Threads are sampled some 20 times a second, which is exact on average and coarse for one
 * iteration; when they were off a processor, where that was recorded, is exact. Between two samples
 * preempted intervals are waits for a processor as a whole; what the kernel counted beyond them was
 * waited after wake-ups, so that it is a part of the intervals in which the thread was blocked, of
 * each as much for its length. The sum over time of what a thread did is kept where it bends, and
 * taken between in proportion.
 */
#include "metric/cpu.h"
#include "metric/work.h"

#include <math.h>
#include <string.h>

/* Of the time between two samples, that the intervals may miss what the thread ran: what is beyond
 * was lost, and the samples alone count. Where processors count in ticks, a tick is a fifth. */
#define DISAGREE 0.25

/* A sum over time. */
struct curve {
	int64_t *time_ns;
	double *sum_ns;
	size_t count;
};

/* What a thread did between two of its samples. */
struct stretch {
	const struct dp_off_cpu *offs;
	const uint32_t *rows;
	size_t first, end; /* of the rows, that reach into it */
	int64_t start_ns, end_ns;
	double run_ns, wait_ns; /* as sampled */
	double off_ns[DP_OFF_KINDS];
	enum dp_cpu_state state;
};

static void add_knot(struct curve *curve, int64_t time_ns, double more_ns)
{
	double before = curve->count ? curve->sum_ns[curve->count - 1] : 0;

	curve->time_ns[curve->count] = time_ns;
	curve->sum_ns[curve->count++] = before + more_ns;
}

/* The part of an interval that lies in the stretch. */
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

/* How much of an interval of a kind was spent in the state. */
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

/* The intervals say when: of the state, or, for running, when it did not. */
static void add_exact(struct curve *curve, const struct stretch *at)
{
	int64_t until_ns = at->start_ns, start_ns, end_ns;
	bool run = at->state == DP_CPU_RUN;

	for (size_t i = at->first; i < at->end; i++) {
		double length_ns = clip(at, i, &start_ns, &end_ns);

		add_knot(curve, start_ns, run ? (double)(start_ns - until_ns) : 0);
		add_knot(curve, end_ns,
			 run ? 0 : length_ns * share_of(at, at->offs->kind[at->rows[i]]));
		until_ns = DP_MAX(until_ns, end_ns);
	}
	add_knot(curve, at->end_ns, run ? (double)(at->end_ns - until_ns) : 0);
}

static void add_stretch(struct curve *curve, struct stretch *at)
{
	int64_t start_ns, end_ns;

	memset(at->off_ns, 0, sizeof(at->off_ns));
	for (size_t i = at->first; i < at->end; i++)
		at->off_ns[at->offs->kind[at->rows[i]]] += clip(at, i, &start_ns, &end_ns);
	if (at->first < at->end && agrees(at))
		add_exact(curve, at);
	else
		add_knot(curve, at->end_ns,
			 at->state == DP_CPU_RUN    ? at->run_ns
			 : at->state == DP_CPU_WAIT ? at->wait_ns
						    : 0);
}

/* Moves to the intervals that reach into what is between two samples. */
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

static int make_curve(struct curve *curve, const struct dp_metric_input *input, size_t thread,
		      enum dp_cpu_state state)
{
	const struct dp_cpu_samples *samples = dp_trace_cpu_samples(input->trace);
	const struct dp_work_index *index = input->work->index;
	size_t count, offs;
	const uint32_t *rows = dp_groups__rows(&index->cpu_samples, thread, &count);
	struct stretch at = { .offs = dp_trace_off_cpu(input->trace), .state = state };

	at.rows = dp_groups__rows(&index->off_cpu, thread, &offs);
	/* An interval that spans a sample is in two stretches, with two knots in each. */
	curve->time_ns = dp_alloc__array(4 * offs + 3 * count, sizeof(*curve->time_ns));
	curve->sum_ns = dp_alloc__array(4 * offs + 3 * count, sizeof(*curve->sum_ns));
	if (!curve->time_ns || !curve->sum_ns)
		return DP_ERR_NOMEM;
	if (count)
		add_knot(curve, samples->time_ns[rows[0]], 0);
	for (size_t r = 1; r < count; r++) {
		move(&at, offs, samples, rows[r - 1], rows[r]);
		add_stretch(curve, &at);
	}
	return DP_OK;
}

static int make_throttled(struct curve *curve, const struct dp_metric_input *input)
{
	const struct dp_throttling *rows = dp_trace_throttling(input->trace);
	uint32_t process = dp_trace_device(input->trace, input->device)->process;
	int64_t before_ns = 0;

	curve->time_ns = dp_alloc__array(rows->count, sizeof(*curve->time_ns));
	curve->sum_ns = dp_alloc__array(rows->count, sizeof(*curve->sum_ns));
	if (!curve->time_ns || !curve->sum_ns)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		int64_t now_ns = rows->throttled_ns[i];

		if (rows->process[i] != process)
			continue;
		add_knot(curve, rows->time_ns[i],
			 curve->count ? (double)DP_MAX(now_ns - before_ns, 0) : 0);
		before_ns = now_ns;
	}
	return DP_OK;
}

/* The sum up to a time that the curve has; times of calls go up. */
static double up_to(const struct curve *curve, size_t *at, int64_t time_ns)
{
	int64_t length_ns;

	while (*at + 2 < curve->count && curve->time_ns[*at + 1] <= time_ns)
		++*at;
	length_ns = curve->time_ns[*at + 1] - curve->time_ns[*at];
	if (length_ns <= 0)
		return curve->sum_ns[*at + 1];
	return curve->sum_ns[*at] + (curve->sum_ns[*at + 1] - curve->sum_ns[*at]) *
					    fmin((double)(time_ns - curve->time_ns[*at]) /
							 (double)length_ns,
						 1);
}

static void add_curve(double *values, const struct dp_metric_input *input,
		      const struct curve *curve)
{
	size_t from = 0, to = 0;

	for (size_t k = 0; k < input->count && curve->count > 1; k++) {
		double period_ns = dp_metric__period_ns(input, k), sum_ns;
		int64_t start_ns = input->iterations[k].start_ns;

		if (!(period_ns > 0) || start_ns < curve->time_ns[0] ||
		    input->iterations[k + 1].start_ns > curve->time_ns[curve->count - 1])
			continue;
		sum_ns = up_to(curve, &to, input->iterations[k + 1].start_ns);
		sum_ns -= up_to(curve, &from, start_ns);
		values[k] = isnan(values[k]) ? sum_ns : values[k] + sum_ns;
	}
}

static void curve_fini(struct curve *curve)
{
	free(curve->time_ns);
	free(curve->sum_ns);
}

int dp_cpu__fill(double *values, const struct dp_metric_input *input, enum dp_cpu_state state,
		 struct dp_error *error)
{
	size_t threads = dp_trace_thread_count(input->trace);
	int status = DP_OK;

	for (size_t k = 0; k < input->count; k++)
		values[k] = (double)NAN;
	if (state == DP_CPU_FAULT && !dp_trace_off_cpu(input->trace)->count)
		return DP_OK;
	if (state == DP_CPU_THROTTLED) {
		struct curve curve = { 0 };

		status = make_throttled(&curve, input);
		if (!status)
			add_curve(values, input, &curve);
		curve_fini(&curve);
		return status ? dp_error__nomem(error, 0) : DP_OK;
	}
	for (size_t thread = 0; thread < threads && !status; thread++) {
		struct curve curve = { 0 };

		if (!input->work->launches[thread])
			continue;
		status = make_curve(&curve, input, thread, state);
		if (!status)
			add_curve(values, input, &curve);
		curve_fini(&curve);
	}
	return status ? dp_error__nomem(error, 0) : DP_OK;
}
