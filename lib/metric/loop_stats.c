/*
 * Mean and deviation by Welford's recurrence (Technometrics 4, 1962): exact enough for durations
 * that differ by nanoseconds in seconds.
 */
#include "metric/loop_stats.h"
#include "activity/unit_shares.h"

#include <math.h>

/* A table by string: slot + 1 of each name; the last entry is for kernels without a name. */
struct by_name {
	struct dp_time_stats *stats;
	uint32_t *slots;
	size_t strings;
	const struct dp_trace *trace;
};

static int by_name_init(struct by_name *by, struct dp_time_stats *stats,
			const struct dp_trace *trace)
{
	by->stats = stats;
	by->trace = trace;
	by->strings = dp_trace_string_count(trace);
	by->slots = dp_alloc__zeroed(by->strings + 1, sizeof(*by->slots));
	return by->slots ? DP_OK : DP_ERR_NOMEM;
}

static void add(struct dp_time_stat *stat, double value_ns)
{
	double off = value_ns - stat->mean_ns;

	stat->count++;
	stat->total_ns += value_ns;
	stat->mean_ns += off / (double)stat->count;
	stat->stddev_ns += off * (value_ns - stat->mean_ns);
	stat->min_ns = stat->count > 1 ? DP_MIN(stat->min_ns, value_ns) : value_ns;
	stat->max_ns = stat->count > 1 ? DP_MAX(stat->max_ns, value_ns) : value_ns;
}

static int add_named(struct by_name *by, uint32_t name, double value_ns, double off)
{
	size_t at = DP_MIN((size_t)name, by->strings);
	struct dp_time_stats *stats = by->stats;

	if (!by->slots[at]) {
		if (dp_array__reserve(&stats->stats, &stats->room, stats->count + 1,
				      sizeof(*stats->stats)))
			return DP_ERR_NOMEM;
		stats->stats[stats->count] =
			(struct dp_time_stat){ .name = dp_trace_string(by->trace, name) };
		by->slots[at] = (uint32_t)++stats->count;
	}
	add(&stats->stats[by->slots[at] - 1], value_ns);
	stats->stats[by->slots[at] - 1].rise_ns += off * value_ns;
	return DP_OK;
}

static double duration_ns(const struct dp_loop_kernels *in, size_t kernel)
{
	const struct dp_ops *ops = dp_trace_ops(in->trace);
	uint32_t op = in->ops[kernel];

	return (double)(ops->end_ns[op] - ops->start_ns[op]);
}

/* The number of kernels between iteration k and the next one. */
static size_t kernels_after(const struct dp_loop_kernels *in, size_t k)
{
	return k + 1 < in->count ? in->iterations[k + 1].foreign_kernels : 0;
}

/* The number of kernels that iteration k has more than the pattern, with those after it. */
static long extra_kernels(const struct dp_loop_kernels *in, size_t k)
{
	const struct dp_iteration *at = &in->iterations[k];

	return (long)at->inserted - (long)at->deleted + (long)kernels_after(in, k);
}

static bool is_steady(const struct dp_iteration *at)
{
	return !at->partial && !at->warmup;
}

/* What follows an iteration and is as long as one is something of its own. */
static bool is_compared(const struct dp_loop_kernels *in, size_t k)
{
	return is_steady(&in->iterations[k]) && kernels_after(in, k) < in->length &&
	       extra_kernels(in, k) >= 0;
}

/*
 * Adds the kernels of iteration k, and those between it and the next one, times a weight. Which of
 * several kernels of one name is the inserted one depends on the alignment; their sum does not.
 */
static int add_weighted(struct by_name *extra, const struct dp_loop_kernels *in, size_t k,
			double weight)
{
	const struct dp_iteration *at = &in->iterations[k];
	size_t end = at->first_kernel + at->kernels + kernels_after(in, k);

	for (size_t i = at->first_kernel; i < end; i++)
		if (add_named(extra, dp_trace_ops(in->trace)->name[in->ops[i]],
			      weight * duration_ns(in, i), 0))
			return DP_ERR_NOMEM;
	return DP_OK;
}

/*
 * Sums, by kernel name, how much longer an iteration with extra kernels takes than one without: the
 * mean of the former minus the mean of the latter.
 */
static int add_extra(struct by_name *extra, const struct dp_loop_kernels *in)
{
	double counts[2] = { 0, 0 };

	for (size_t k = 0; k < in->count; k++)
		if (is_compared(in, k))
			counts[extra_kernels(in, k) > 0]++;
	if (!(counts[0] > 0 && counts[1] > 0))
		return DP_OK;
	for (size_t k = 0; k < in->count; k++) {
		double weight = extra_kernels(in, k) ? 1 / counts[1] : -1 / counts[0];

		if (is_compared(in, k) && add_weighted(extra, in, k, weight))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* Walks the kernels and the edits of an iteration together along the pattern. */
static void add_positions(struct dp_time_stat *positions, const struct dp_loop_kernels *in,
			  const struct dp_iteration *at)
{
	size_t edit = DP_MIN(at->edits, in->edit_count), place = 0;
	size_t edit_end =
		DP_MIN(edit + at->inserted + at->deleted + at->substituted, in->edit_count);
	size_t kernel = at->first_kernel, end = at->first_kernel + at->kernels;

	while (kernel < end) {
		const struct dp_edit *next = edit < edit_end ? &in->edits[edit] : NULL;

		if (next && next->kind == DP_EDIT_DELETED && next->offset <= place) {
			place++;
			edit++;
		} else if (next && next->kind != DP_EDIT_DELETED && next->position == kernel) {
			place += next->kind == DP_EDIT_SUBSTITUTED;
			kernel++;
			edit++;
		} else {
			if (place < in->length)
				add(&positions[place], duration_ns(in, kernel));
			place++;
			kernel++;
		}
	}
}

/* off is the iteration's distance from the middle of all. */
static int add_iteration(struct by_name *kernels, struct by_name *operators,
			 const struct dp_loop_kernels *in, const struct dp_attribution *attribution,
			 const struct dp_iteration *at, double off)
{
	const struct dp_ops *ops = dp_trace_ops(in->trace);

	for (size_t i = at->first_kernel; i < at->first_kernel + at->kernels; i++) {
		uint32_t op = in->ops[i], owner = DP_NONE;
		double value_ns = duration_ns(in, i);

		if (attribution->of_call && ops->call[op] != DP_NONE)
			owner = attribution->of_call[ops->call[op]];
		if (add_named(kernels, ops->name[op], value_ns, off) ||
		    add_named(operators, owner, value_ns, off))
			return DP_ERR_NOMEM;
	}
	return DP_OK;
}

/* Call this before sorting: slots are indices of the table. */
static int add_units(const struct by_name *kernels, const struct dp_loop_kernels *in)
{
	struct dp_unit_sums *sums = NULL;

	if (in->timeline && dp_unit_sums__new(&sums, in->timeline, NULL))
		return DP_ERR_NOMEM;
	for (size_t name = 0; sums && name <= kernels->strings; name++) {
		struct dp_time_stat *stat;

		if (!kernels->slots[name])
			continue;
		stat = &kernels->stats->stats[kernels->slots[name] - 1];
		stat->sm_active = dp_unit_sums__mean(&sums[name], DP_UNIT_SM);
		stat->tensor_active = dp_unit_sums__mean(&sums[name], DP_UNIT_TENSOR);
		stat->dram_active = dp_unit_sums__mean(&sums[name], DP_UNIT_DRAM);
	}
	free(sums);
	return DP_OK;
}

/* Names are in the order of their first appearance, which breaks ties. */
struct ranked {
	struct dp_time_stat stat;
	size_t place;
};

static int by_total(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->stat.total_ns < y->stat.total_ns || x->stat.total_ns > y->stat.total_ns)
		return x->stat.total_ns < y->stat.total_ns ? 1 : -1;
	if (x->stat.count != y->stat.count)
		return x->stat.count < y->stat.count ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int sort(struct dp_time_stats *stats)
{
	struct ranked *ranked = dp_alloc__array(stats->count, sizeof(*ranked));

	if (!ranked)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < stats->count; i++)
		ranked[i] = (struct ranked){ stats->stats[i], i };
	if (stats->count)
		qsort(ranked, stats->count, sizeof(*ranked), by_total);
	for (size_t i = 0; i < stats->count; i++)
		stats->stats[i] = ranked[i].stat;
	free(ranked);
	return DP_OK;
}

/*
 * squares is the sum of the squared distances of iterations from their middle: with it, sums become
 * slopes.
 */
static void finish(struct dp_time_stats *stats, double squares)
{
	double all_ns = 0;

	for (size_t i = 0; i < stats->count; i++)
		all_ns += stats->stats[i].total_ns;
	for (size_t i = 0; i < stats->count; i++) {
		struct dp_time_stat *stat = &stats->stats[i];

		stat->stddev_ns = sqrt(stat->stddev_ns / (double)stat->count);
		stat->rise_ns = squares > 0 ? stat->rise_ns / squares : (double)NAN;
		stat->sm_active = stat->tensor_active = stat->dram_active = (double)NAN;
		stat->share = all_ns > 0 ? stat->total_ns / all_ns : (double)NAN;
		if (!stat->count)
			stat->mean_ns = stat->min_ns = stat->max_ns = stat->stddev_ns = (double)NAN;
	}
}

static const struct dp_time_stat *find_growing(const struct dp_time_stats *kernels)
{
	const struct dp_time_stat *most = NULL;

	for (size_t i = 0; i < kernels->count; i++)
		if (kernels->stats[i].rise_ns > (most ? most->rise_ns : 0))
			most = &kernels->stats[i];
	return most;
}

/* Call this before sorting: slots are indices of the table. */
static int add_growing(struct dp_growing_kernel *growing, const struct by_name *kernels,
		       const struct dp_loop_kernels *in)
{
	const struct dp_time_stat *most = find_growing(kernels->stats);

	if (!most)
		return DP_OK;
	growing->ns = dp_alloc__zeroed(in->count, sizeof(*growing->ns));
	growing->launches = dp_alloc__zeroed(in->count, sizeof(*growing->launches));
	if (!growing->ns || !growing->launches)
		return DP_ERR_NOMEM;
	growing->name = most->name;
	for (size_t k = 0; k < in->count; k++) {
		const struct dp_iteration *at = &in->iterations[k];

		for (size_t i = at->first_kernel; i < at->first_kernel + at->kernels; i++) {
			size_t name = dp_trace_ops(in->trace)->name[in->ops[i]];
			uint32_t slot = kernels->slots[DP_MIN(name, kernels->strings)];

			if (slot != (size_t)(most - kernels->stats->stats) + 1)
				continue;
			growing->ns[k] += duration_ns(in, i);
			growing->launches[k]++;
		}
	}
	return DP_OK;
}

static int fill(struct dp_loop_stats *stats, struct by_name *kernels, struct by_name *operators,
		struct by_name *extra, const struct dp_loop_kernels *in,
		const struct dp_attribution *attribution)
{
	double steady = 0, squares = 0, off;

	for (size_t i = 0; i < in->length; i++)
		stats->positions.stats[i] =
			(struct dp_time_stat){ .name = dp_trace_string(in->trace, in->pattern[i]) };
	stats->positions.count = in->length;
	for (size_t k = 0; k < in->count; k++)
		steady += is_steady(&in->iterations[k]);
	off = -(steady - 1) / 2;
	for (size_t k = 0; k < in->count; k++) {
		if (!is_steady(&in->iterations[k]))
			continue;
		add_positions(stats->positions.stats, in, &in->iterations[k]);
		if (add_iteration(kernels, operators, in, attribution, &in->iterations[k], off))
			return DP_ERR_NOMEM;
		squares += off * off;
		off++;
	}
	finish(&stats->positions, 0);
	finish(&stats->kernels, squares);
	finish(&stats->operators, squares);
	if (add_extra(extra, in) || add_units(kernels, in) ||
	    add_growing(&stats->growing, kernels, in))
		return DP_ERR_NOMEM;
	return sort(&stats->kernels) || sort(&stats->operators) || sort(&stats->extra)
		       ? DP_ERR_NOMEM
		       : DP_OK;
}

int dp_loop_stats__init(struct dp_loop_stats *stats, const struct dp_loop_kernels *in,
			const struct dp_attribution *attribution, struct dp_error *error)
{
	struct by_name kernels = { 0 }, operators = { 0 }, extra = { 0 };
	struct dp_loop_stats made = { .kernels = { 0 } };
	int status = DP_ERR_NOMEM;

	made.positions.stats = dp_alloc__array(in->length, sizeof(*made.positions.stats));
	if (made.positions.stats && !by_name_init(&kernels, &made.kernels, in->trace) &&
	    !by_name_init(&operators, &made.operators, in->trace) &&
	    !by_name_init(&extra, &made.extra, in->trace))
		status = fill(&made, &kernels, &operators, &extra, in, attribution);
	free(kernels.slots);
	free(operators.slots);
	free(extra.slots);
	if (status) {
		dp_loop_stats__fini(&made);
		return dp_error__nomem(error, 0);
	}
	*stats = made;
	return DP_OK;
}

void dp_loop_stats__fini(struct dp_loop_stats *stats)
{
	free(stats->kernels.stats);
	free(stats->operators.stats);
	free(stats->positions.stats);
	free(stats->extra.stats);
	free(stats->growing.ns);
	free(stats->growing.launches);
	*stats = (struct dp_loop_stats){ .kernels = { 0 } };
}
