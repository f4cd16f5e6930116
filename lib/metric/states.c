/*
 * Samples come at times of their own, some per second, and periods are often shorter than the time
 * between two: what is sampled is taken for a function of time that is constant from one sample to
 * the next (power: the mean of both; clock and reasons: as at the first), and its integral is kept
 * at each sample.
 */
#include "metric/states.h"
#include "metric/purpose.h"
#include "metric/spread.h"
#include "metric/work.h"

#include <math.h>

struct states {
	int64_t *time_ns;
	double *sum; /* the integral from the first sample to each */
	size_t count;
	bool known;
};

static double joules(const struct dp_samples *samples, size_t from, size_t to)
{
	double seconds = (double)(samples->time_ns[to] - samples->time_ns[from]) / 1e9;

	if (samples->energy_mj[from] && samples->energy_mj[to] >= samples->energy_mj[from])
		return (double)(samples->energy_mj[to] - samples->energy_mj[from]) / 1e3;
	return seconds * ((double)samples->power_mw[from] + (double)samples->power_mw[to]) / 2e3;
}

static double integral(const struct dp_samples *samples, size_t from, size_t to,
		       enum dp_state state)
{
	double length_ns = (double)(samples->time_ns[to] - samples->time_ns[from]);

	switch (state) {
	case DP_STATE_JOULES:
		return joules(samples, from, to);
	case DP_STATE_CLOCK:
		return length_ns * (double)samples->clock_mhz[from];
	default:
		return samples->throttle[from] & DP_THROTTLE_SLOW ? length_ns : 0;
	}
}

/* Reasons are sampled together with clocks: without any clock there is no saying. */
static bool tells(const struct dp_samples *samples, size_t i, enum dp_state state)
{
	return state == DP_STATE_JOULES ? samples->power_mw[i] || samples->energy_mj[i]
					: samples->clock_mhz[i] > 0;
}

/* Each sample's value goes back to the end of the one before it: they follow each other closely. */
static void gather_activity(struct states *states, const struct dp_activity *activity,
			    const uint32_t *rows, size_t count, const uint32_t *values)
{
	for (size_t r = 0; r < count; r++) {
		size_t at = states->count, i = rows[r];

		if (values[i] == DP_ACTIVITY_UNKNOWN ||
		    (at && activity->end_ns[i] <= states->time_ns[at - 1]))
			continue;
		if (!at)
			states->time_ns[states->count++] = activity->start_ns[i];
		at = states->count++;
		states->time_ns[at] = activity->end_ns[i];
		states->sum[at] = states->sum[at - 1] +
				  (double)(activity->end_ns[i] - states->time_ns[at - 1]) *
					  values[i] / DP_ACTIVITY_PEAK;
	}
}

static int gather_units(struct states *states, const struct dp_metric_input *input,
			enum dp_state state)
{
	const struct dp_activity *activity = dp_trace_activity(input->trace);
	size_t count;
	const uint32_t *rows =
		dp_groups__rows(&input->work->index->activity, input->device, &count);

	states->time_ns = dp_alloc__array(count + 1, sizeof(*states->time_ns));
	states->sum = dp_alloc__zeroed(count + 1, sizeof(*states->sum));
	if (!states->time_ns || !states->sum)
		return DP_ERR_NOMEM;
	gather_activity(states, activity, rows, count,
			state == DP_STATE_SM	   ? activity->sm
			: state == DP_STATE_TENSOR ? activity->tensor
						   : activity->dram);
	return DP_OK;
}

/* Samples that don't tell are passed over. */
static int gather(struct states *states, const struct dp_metric_input *input, enum dp_state state)
{
	const struct dp_samples *samples = dp_trace_samples(input->trace);
	size_t last = 0, count;
	const uint32_t *rows = dp_groups__rows(&input->work->index->samples, input->device, &count);

	states->time_ns = dp_alloc__array(count, sizeof(*states->time_ns));
	states->sum = dp_alloc__array(count, sizeof(*states->sum));
	if (!states->time_ns || !states->sum)
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < count; r++) {
		size_t at = states->count, i = rows[r];

		if (!tells(samples, i, state))
			continue;
		states->time_ns[at] = samples->time_ns[i];
		states->sum[at] = at ? states->sum[at - 1] + integral(samples, last, i, state) : 0;
		states->count++;
		last = i;
	}
	return DP_OK;
}

/* The integral up to a time; *at moves on with the times, which go up. */
static double up_to(const struct states *states, size_t *at, int64_t time_ns)
{
	int64_t length_ns;

	while (*at + 2 < states->count && states->time_ns[*at + 1] <= time_ns)
		++*at;
	length_ns = states->time_ns[*at + 1] - states->time_ns[*at];
	if (length_ns <= 0)
		return states->sum[*at];
	return states->sum[*at] + (states->sum[*at + 1] - states->sum[*at]) *
					  (double)(time_ns - states->time_ns[*at]) /
					  (double)length_ns;
}

int dp_states__fill(double *values, const struct dp_metric_input *input, enum dp_state state,
		    struct dp_error *error)
{
	struct states states = { 0 };
	size_t from = 0, to = 0;
	int status = state >= DP_STATE_SM ? gather_units(&states, input, state)
					  : gather(&states, input, state);

	for (size_t k = 0; k < input->count && !status; k++) {
		int64_t start_ns = input->iterations[k].start_ns;
		double period_ns = dp_metric__period_ns(input, k), sum;

		values[k] = (double)NAN;
		if (states.count < 2 || !(period_ns > 0) || start_ns < states.time_ns[0] ||
		    input->iterations[k + 1].start_ns > states.time_ns[states.count - 1])
			continue;
		sum = up_to(&states, &to, input->iterations[k + 1].start_ns);
		sum -= up_to(&states, &from, start_ns);
		values[k] = state == DP_STATE_JOULES ? sum : sum / period_ns;
	}
	free(states.time_ns);
	free(states.sum);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}

/* Bytes live after the events before a time; counts what happens on the way. */
struct memory_walk {
	const struct dp_memory *memory;
	const uint32_t *rows; /* of the device */
	size_t count;
	size_t at; /* in rows */
	double live;
	double peak;
	double allocations;
	double frees;
};

static void walk_to(struct memory_walk *walk, int64_t time_ns)
{
	const struct dp_memory *memory = walk->memory;

	for (; walk->at < walk->count; walk->at++) {
		size_t i = walk->rows[walk->at];

		if (memory->time_ns[i] >= time_ns)
			return;
		walk->live += (double)memory->delta_bytes[i];
		walk->peak = fmax(walk->peak, walk->live);
		walk->allocations += memory->delta_bytes[i] > 0;
		walk->frees += memory->delta_bytes[i] < 0;
	}
}

/* Counts calls of a purpose within the periods, of threads that launch on the device. A driver's
 * inside the runtime's is the same call. */
static int count_calls(double *values, const struct dp_metric_input *input, enum dp_purpose purpose)
{
	const struct dp_calls *calls = dp_trace_calls(input->trace);
	size_t threads = dp_trace_thread_count(input->trace);
	int64_t *until_ns = dp_alloc__array(threads, sizeof(*until_ns));
	struct dp_spread place = { .iterations = input->iterations, .count = input->count };

	if (!until_ns)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < threads; i++)
		until_ns[i] = INT64_MIN;
	for (size_t k = 0; k < input->count; k++)
		values[k] = isnan(dp_metric__period_ns(input, k)) ? (double)NAN : 0;
	for (size_t c = 0; c < input->work->call_count; c++) {
		size_t i = input->work->calls[c];
		uint32_t thread = calls->thread[i];

		if (calls->kind[i] != DP_CALL_MEMORY || calls->start_ns[i] < until_ns[thread])
			continue;
		until_ns[thread] = calls->end_ns[i];
		if (dp_purpose__of(dp_trace_string(input->trace, calls->name[i])) == purpose &&
		    dp_spread__seek(&place, calls->start_ns[i]))
			values[place.at]++;
	}
	free(until_ns);
	return DP_OK;
}

/* From the first pause on nobody knows what is allocated. */
static int64_t known_until_ns(const struct dp_metric_input *input)
{
	uint32_t process = dp_trace_device(input->trace, input->device)->process;
	const struct dp_pause *pause;

	for (size_t i = 0; (pause = dp_trace_pause(input->trace, i)); i++)
		if (pause->process == process)
			return pause->start_ns;
	return INT64_MAX;
}

static void count_records(double *values, const struct dp_metric_input *input,
			  enum dp_memory_state state, struct memory_walk walk)
{
	const struct dp_iteration *at = input->iterations;
	int64_t until_ns = known_until_ns(input);

	for (size_t k = 0; k < input->count; k++) {
		values[k] = (double)NAN;
		if (state == DP_MEMORY_LIVE) {
			walk_to(&walk, at[k].end_ns);
			values[k] = at[k].end_ns <= until_ns ? walk.live : (double)NAN;
			continue;
		}
		walk_to(&walk, at[k].start_ns);
		walk.peak = walk.live;
		walk.allocations = walk.frees = 0;
		if (isnan(dp_metric__period_ns(input, k)))
			continue;
		walk_to(&walk, at[k + 1].start_ns);
		if (state == DP_MEMORY_PEAK && at[k + 1].start_ns > until_ns)
			continue;
		values[k] = state == DP_MEMORY_PEAK	     ? walk.peak
			    : state == DP_MEMORY_ALLOCATIONS ? walk.allocations
							     : walk.frees;
	}
}

int dp_states__memory(double *values, const struct dp_metric_input *input,
		      enum dp_memory_state state, struct dp_error *error)
{
	bool counted = state == DP_MEMORY_ALLOCATIONS || state == DP_MEMORY_FREES;
	struct memory_walk walk = { .memory = dp_trace_memory(input->trace) };

	walk.rows = dp_groups__rows(&input->work->index->memory, input->device, &walk.count);
	if (walk.count) {
		count_records(values, input, state, walk);
		return DP_OK;
	}
	for (size_t k = 0; k < input->count; k++)
		values[k] = (double)NAN;
	if (!counted || !input->work->known)
		return DP_OK;
	if (count_calls(values, input,
			state == DP_MEMORY_FREES ? DP_PURPOSE_FREE : DP_PURPOSE_ALLOCATE))
		return dp_error__nomem(error, 0);
	return DP_OK;
}
