/* Compares the metrics of two loops, and splits the difference of their periods into parts. */
#include "compare/compare.h"

#include <math.h>

/*
 * The parts of a period, which exclude each other, with the causes of idle time. If one of the
 * traces has no causes, idle time is one part.
 */
static const char *const with_causes[] = {
	"compute_ns",	"comm_exposed_ns", "copy_exposed_ns", "host_wait_ns",  "input_wait_ns",
	"idle_sync_ns", "idle_copy_ns",	   "idle_launch_ns",  "idle_other_ns", "period_ns",
};
static const char *const without_causes[] = {
	"compute_ns", "comm_exposed_ns", "copy_exposed_ns", "idle_ns", "period_ns",
};
static const char *const only_period[] = { "period_ns" };

/* Room for the values of both loops' iterations. */
struct room {
	double *values[2];
	double *scratch[2];
	size_t count[2];
	bool has_steady[2];
};

/* Returns true if a run has steady iterations: other kernels do not follow all of them. */
static bool has_steady(const struct dp_analysis *analysis, size_t loop)
{
	for (size_t k = 0; dp_analysis_loop_iteration(analysis, loop, k); k++)
		if (dp_analysis_loop_is_steady(analysis, loop, k))
			return true;
	return false;
}

static int room_init(struct room *room, const struct dp_comparison *comparison,
		     const struct dp_loop_pair *pair)
{
	*room = (struct room){ .count = { 0, 0 } };
	for (int run = 0; run < 2; run++) {
		size_t count = dp_analysis_loop(comparison->run[run], pair->loop[run])->iterations;

		room->has_steady[run] = has_steady(comparison->run[run], pair->loop[run]);
		room->values[run] = dp_alloc__array(count, sizeof(double));
		room->scratch[run] = dp_alloc__array(count, sizeof(double));
		if (!room->values[run] || !room->scratch[run])
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

static void room_fini(struct room *room)
{
	for (int run = 0; run < 2; run++) {
		free(room->values[run]);
		free(room->scratch[run]);
	}
}

/*
 * Collects the values of the steady iterations. If other kernels follow all of them, there
 * are none; then durations, which exclude those kernels, of whole iterations after the warm-up are
 * used.
 */
static void gather(struct room *room, const struct dp_comparison *comparison,
		   const struct dp_loop_pair *pair, size_t metric)
{
	for (int run = 0; run < 2; run++) {
		const struct dp_analysis *analysis = comparison->run[run];
		const struct dp_iteration *at;
		size_t loop = pair->loop[run], used = 0;
		bool all = !room->has_steady[run] && metric == dp_metric_find("duration_ns");

		for (size_t k = 0; (at = dp_analysis_loop_iteration(analysis, loop, k)); k++) {
			double value = dp_analysis_loop_metric(analysis, loop, metric, k);
			bool counts = all ? !at->partial && !at->warmup
					  : dp_analysis_loop_is_steady(analysis, loop, k);

			if (isfinite(value) && counts)
				room->values[run][used++] = value;
		}
		room->count[run] = used;
	}
}

static struct dp_difference of_medians(const struct room *room, double confidence)
{
	struct dp_values values[2];

	for (int run = 0; run < 2; run++)
		values[run] = (struct dp_values){ room->values[run], room->scratch[run],
						  room->count[run] };
	return dp_difference__medians(values, confidence);
}

static struct dp_difference of_means(const struct room *room, double deviations)
{
	struct dp_estimate estimate[2];

	for (int run = 0; run < 2; run++)
		estimate[run] = dp_estimate__mean(room->values[run], room->count[run]);
	return dp_difference__of(estimate, deviations);
}

/*
 * The metric of an iteration's time. If other kernels interrupt all iterations of a run, only
 * durations exist.
 */
static size_t time_metric(const struct dp_pair_data *pair)
{
	size_t period = dp_metric_find("period_ns");
	const struct dp_difference *at = &pair->metrics[period];

	return at->count[0] && at->count[1] ? period : dp_metric_find("duration_ns");
}

/* Returns false if a part lacks values of iterations that have a period: then there is no sum. */
static bool make_parts(struct dp_pair_data *pair, struct room *room,
		       const struct dp_comparison *comparison, const char *const *names,
		       size_t count)
{
	for (size_t i = count; i-- > 0;) {
		struct dp_pair_part *part = &pair->parts[i];

		gather(room, comparison, &pair->info, dp_metric_find(names[i]));
		*part = (struct dp_pair_part){ names[i], of_means(room, comparison->deviations) };
		for (int run = 0; run < 2; run++)
			if (!room->count[run] ||
			    room->count[run] != pair->parts[count - 1].mean.count[run])
				return false;
	}
	pair->part_count = count;
	return true;
}

/* Counts the iterations that kernels are counted in, and their correlation. */
static void count_steady(struct dp_pair_data *pair, struct room *room,
			 const struct dp_comparison *comparison)
{
	gather(room, comparison, &pair->info, dp_metric_find("compute_ns"));
	for (int run = 0; run < 2; run++) {
		const struct dp_analysis *analysis = comparison->run[run];
		const struct dp_iteration *at;

		for (size_t k = 0;
		     (at = dp_analysis_loop_iteration(analysis, pair->info.loop[run], k)); k++)
			pair->steady[run] += !at->partial && !at->warmup;
		pair->widening[run] = dp_estimate__widening(room->values[run], room->count[run]);
	}
}

int dp_compare__numbers(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	size_t count = dp_metric_count();
	struct room room;
	int status = DP_ERR_NOMEM;

	pair->metrics = dp_alloc__zeroed(count, sizeof(*pair->metrics));
	pair->parts = dp_alloc__zeroed(DP_COUNT(with_causes), sizeof(*pair->parts));
	if (room_init(&room, comparison, &pair->info) || !pair->metrics || !pair->parts)
		goto out;
	for (size_t metric = 0; metric < count; metric++) {
		gather(&room, comparison, &pair->info, metric);
		pair->metrics[metric] = of_medians(&room, comparison->confidence);
	}
	pair->time_metric = time_metric(pair);
	if (!make_parts(pair, &room, comparison, with_causes, DP_COUNT(with_causes)) &&
	    !make_parts(pair, &room, comparison, without_causes, DP_COUNT(without_causes)))
		make_parts(pair, &room, comparison, only_period, DP_COUNT(only_period));
	count_steady(pair, &room, comparison);
	status = DP_OK;
out:
	room_fini(&room);
	return status;
}

int dp_compare__means(struct dp_difference *difference, const struct dp_comparison *comparison,
		      const struct dp_pair_data *pair, size_t metric)
{
	struct room room;
	int status = room_init(&room, comparison, &pair->info);

	if (!status) {
		gather(&room, comparison, &pair->info, metric);
		*difference = of_means(&room, comparison->deviations);
	}
	room_fini(&room);
	return status;
}
