/*
 * Samples have their own times, some per second, and periods are often shorter than the distance of
 * two. The sampled quantity counts as constant from one sample to the next (power: the mean of
 * both; clock and reasons: the first one's), and its integral is stored at each sample.
 */
#include "activity/samples.h"
#include "activity/call_stalls.h"
#include "activity/periods.h"

#include <math.h>

static double joules(const struct dp_samples *samples, size_t from, size_t to)
{
	double seconds = (double)(samples->time_ns[to] - samples->time_ns[from]) / 1e9;

	if (samples->energy_mj[from] && samples->energy_mj[to] >= samples->energy_mj[from])
		return (double)(samples->energy_mj[to] - samples->energy_mj[from]) / 1e3;
	return seconds * ((double)samples->power_mw[from] + (double)samples->power_mw[to]) / 2e3;
}

static double integral(const struct dp_samples *samples, size_t from, size_t to,
		       enum dp_sampled what)
{
	double length_ns = (double)(samples->time_ns[to] - samples->time_ns[from]);

	switch (what) {
	case DP_SAMPLED_JOULES:
		return joules(samples, from, to);
	case DP_SAMPLED_CLOCK:
		return length_ns * (double)samples->clock_mhz[from];
	default:
		return samples->throttle[from] & DP_THROTTLE_SLOW ? length_ns : 0;
	}
}

/* Reasons are sampled together with clocks: without a clock, they are unknown. */
static bool tells(const struct dp_samples *samples, size_t i, enum dp_sampled what)
{
	return what == DP_SAMPLED_JOULES ? samples->power_mw[i] || samples->energy_mj[i]
					 : samples->clock_mhz[i] > 0;
}

/* A sample's value extends back to the end of the previous one, as samples are adjacent. */
static int gather_units(struct dp_curve *curve, const struct dp_device_timeline *timeline,
			enum dp_sampled what)
{
	const struct dp_activity *activity = dp_trace_activity(timeline->trace);
	size_t count;
	const uint32_t *rows =
		dp_groups__rows(&timeline->index->activity, timeline->device, &count);
	const uint32_t *values = what == DP_SAMPLED_SM	     ? activity->sm
				 : what == DP_SAMPLED_TENSOR ? activity->tensor
							     : activity->dram;

	if (dp_curve__reserve(curve, count + 1))
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < count; r++) {
		size_t at = curve->count, i = rows[r];

		if (values[i] == DP_ACTIVITY_UNKNOWN ||
		    (at && activity->end_ns[i] <= curve->time_ns[at - 1]))
			continue;
		if (!at)
			dp_curve__add(curve, activity->start_ns[i], 0);
		at = curve->count - 1;
		dp_curve__add(curve, activity->end_ns[i],
			      (double)(activity->end_ns[i] - curve->time_ns[at]) * values[i] /
				      DP_ACTIVITY_PEAK);
	}
	return DP_OK;
}

/* Samples without a value are skipped. */
static int gather(struct dp_curve *curve, const struct dp_device_timeline *timeline,
		  enum dp_sampled what)
{
	const struct dp_samples *samples = dp_trace_samples(timeline->trace);
	size_t last = 0, count;
	const uint32_t *rows = dp_groups__rows(&timeline->index->samples, timeline->device, &count);

	if (dp_curve__reserve(curve, count))
		return DP_ERR_NOMEM;
	for (size_t r = 0; r < count; r++) {
		size_t i = rows[r];

		if (!tells(samples, i, what))
			continue;
		dp_curve__add(curve, samples->time_ns[i],
			      curve->count ? integral(samples, last, i, what) : 0);
		last = i;
	}
	return DP_OK;
}

int dp_samples__fill(double *values, const struct dp_device_timeline *timeline,
		     const struct dp_iteration *iterations, size_t count, enum dp_sampled what,
		     struct dp_error *error)
{
	struct dp_curve curve = { 0 };
	int status = what >= DP_SAMPLED_SM ? gather_units(&curve, timeline, what)
					   : gather(&curve, timeline, what);

	for (size_t k = 0; k < count; k++)
		values[k] = (double)NAN;
	if (!status)
		dp_curve__periods(values, &curve, iterations, count);
	for (size_t k = 0; k < count && what != DP_SAMPLED_JOULES; k++)
		values[k] /= dp_period__ns(iterations, count, k);
	dp_curve__fini(&curve);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}

/* The allocated bytes before a time, and counts of the events on the way. */
struct memory_walk {
	const struct dp_memory *memory;
	const uint32_t *rows; /* of the device */
	size_t count;
	size_t at;			 /* in rows */
	double now[DP_MEMORY_FREES + 1]; /* by enum dp_memory_state */
};

static void walk_to(struct memory_walk *walk, int64_t time_ns)
{
	const struct dp_memory *memory = walk->memory;

	for (; walk->at < walk->count; walk->at++) {
		size_t i = walk->rows[walk->at];

		if (memory->time_ns[i] >= time_ns)
			return;
		walk->now[DP_MEMORY_LIVE] += (double)memory->delta_bytes[i];
		walk->now[DP_MEMORY_PEAK] =
			fmax(walk->now[DP_MEMORY_PEAK], walk->now[DP_MEMORY_LIVE]);
		walk->now[DP_MEMORY_ALLOCATIONS] += memory->delta_bytes[i] > 0;
		walk->now[DP_MEMORY_FREES] += memory->delta_bytes[i] < 0;
	}
}

/*
 * Counts calls of a purpose within the periods, from threads that launch on the device. A driver's
 * call inside the runtime's is the same call.
 */
static int count_calls(double *values, const struct dp_device_timeline *timeline,
		       const struct dp_iteration *iterations, size_t count, enum dp_purpose purpose)
{
	const struct dp_calls *calls = dp_trace_calls(timeline->trace);
	int64_t *until_ns = dp_trace_index__times(timeline->index);
	struct dp_period_sums place = { .iterations = iterations, .count = count };

	if (!until_ns)
		return DP_ERR_NOMEM;
	for (size_t k = 0; k < count; k++)
		values[k] = isnan(dp_period__ns(iterations, count, k)) ? (double)NAN : 0;
	for (size_t c = 0; c < timeline->call_count; c++) {
		size_t i = timeline->calls[c];
		uint32_t thread = calls->thread[i];

		if (calls->kind[i] != DP_CALL_MEMORY || calls->start_ns[i] < until_ns[thread])
			continue;
		until_ns[thread] = calls->end_ns[i];
		if (dp_purpose__of(dp_trace_string(timeline->trace, calls->name[i])) == purpose &&
		    dp_period_sums__seek(&place, calls->start_ns[i]))
			values[place.at]++;
	}
	free(until_ns);
	return DP_OK;
}

/* From the first pause on, the allocated memory is unknown. */
static int64_t known_until_ns(const struct dp_device_timeline *timeline)
{
	uint32_t process = dp_trace_device(timeline->trace, timeline->device)->process;
	const struct dp_pause *pause;

	for (size_t i = 0; (pause = dp_trace_pause(timeline->trace, i)); i++)
		if (pause->process == process)
			return pause->start_ns;
	return INT64_MAX;
}

static void count_records(double *values, const struct dp_device_timeline *timeline,
			  const struct dp_iteration *at, size_t count, enum dp_memory_state state,
			  struct memory_walk walk)
{
	int64_t until_ns = known_until_ns(timeline);

	for (size_t k = 0; k < count; k++) {
		values[k] = (double)NAN;
		if (state == DP_MEMORY_LIVE) {
			walk_to(&walk, at[k].end_ns);
			values[k] = at[k].end_ns <= until_ns ? walk.now[state] : (double)NAN;
			continue;
		}
		walk_to(&walk, at[k].start_ns);
		walk.now[DP_MEMORY_PEAK] = walk.now[DP_MEMORY_LIVE];
		walk.now[DP_MEMORY_ALLOCATIONS] = walk.now[DP_MEMORY_FREES] = 0;
		if (isnan(dp_period__ns(at, count, k)))
			continue;
		walk_to(&walk, at[k + 1].start_ns);
		if (state != DP_MEMORY_PEAK || at[k + 1].start_ns <= until_ns)
			values[k] = walk.now[state];
	}
}

int dp_memory__fill(double *values, const struct dp_device_timeline *timeline,
		    const struct dp_iteration *iterations, size_t count, enum dp_memory_state state,
		    struct dp_error *error)
{
	struct memory_walk walk = { .memory = dp_trace_memory(timeline->trace) };

	walk.rows = dp_groups__rows(&timeline->index->memory, timeline->device, &walk.count);
	if (walk.count) {
		count_records(values, timeline, iterations, count, state, walk);
		return DP_OK;
	}
	for (size_t k = 0; k < count; k++)
		values[k] = (double)NAN;
	if (state < DP_MEMORY_ALLOCATIONS || !timeline->known)
		return DP_OK;
	if (count_calls(values, timeline, iterations, count,
			state == DP_MEMORY_FREES ? DP_PURPOSE_FREE : DP_PURPOSE_ALLOCATE))
		return dp_error__nomem(error, 0);
	return DP_OK;
}
