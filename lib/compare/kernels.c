/*
 * The changes of kernels, by name: calls and time per iteration. Errors of positions follow from
 * their scatter; those of kernels outside the pattern from how rarely they occur. The rows sum up
 * to the time of all kernels.
 */
#include "base/lookup.h"
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of a change that makes something its cause. */
#define MOST_OF_IT 0.5

/* Marks a name with several counterparts. */
#define SEVERAL (DP_NONE - 1)

/* One run's data on a name. */
struct side {
	const char *name;
	size_t places;
	double calls; /* all of them; then those outside the pattern */
	double total_ns;
	double outside_calls;
	double outside_ns;
	struct dp_estimate sum;
};

struct rows {
	struct dp_comparison *comparison;
	struct dp_pair_data *pair;
	struct dp_strings names;    /* of both runs; a name's id is its row */
	struct dp_lookup of_name;   /* by their addresses, which are unique within a trace */
	struct side (*sides)[2];    /* per row */
	uint32_t *counterpart;	    /* per row: the name at its positions in the other run */
	size_t room;
};

/* A name's row; DP_NONE if memory runs out. */
static uint32_t row_of(struct rows *rows, const char *name)
{
	struct dp_key key = { { (int64_t)(uintptr_t)name, 0, 0, 0 } };
	uint32_t row = dp_lookup__get(&rows->of_name, &key);

	if (row != DP_NONE)
		return row;
	row = dp_strings__intern(&rows->names, name, strlen(name));
	if (row != DP_NONE && dp_lookup__set(&rows->of_name, &key, row))
		return DP_NONE;
	return row;
}

/*
 * Positions vary together, as clocks do, so errors are added, rather than their squares. A kernel
 * that is absent took no time.
 */
static void add_position(struct dp_estimate *sum, const struct dp_time_stat *stat)
{
	double n = (double)sum->count, mean, squares, error;

	mean = stat->total_ns / n;
	squares = (double)stat->count *
		  (stat->stddev_ns * stat->stddev_ns + stat->mean_ns * stat->mean_ns);
	error = sqrt(DP_MAX(squares / n - mean * mean, 0) / DP_MAX(n - 1, 1));
	sum->variance += error * (error + 2 * sqrt(sum->variance));
	sum->least += stat->count < sum->count ? 0 : stat->min_ns;
	sum->most += stat->max_ns;
}

/* Calls outside the pattern are independent: the variance of their number is that number. */
static void add_outside(struct side *side)
{
	double n = (double)side->sum.count, mean_ns;

	if (side->outside_calls < 0.5)
		return;
	mean_ns = side->outside_ns / side->outside_calls;
	side->sum.variance += side->outside_calls * mean_ns * mean_ns / (n * n);
	side->sum.most += side->outside_ns;
}

static int add_run(struct rows *rows, int run)
{
	const struct dp_analysis *analysis = rows->comparison->run[run];
	size_t loop = rows->pair->info.loop[run];
	const struct dp_time_stat *stat;
	uint32_t row;

	for (size_t i = 0; (stat = dp_analysis_loop_kernel_stat(analysis, loop, i)); i++) {
		struct side *side;

		row = row_of(rows, stat->name);
		if (row == DP_NONE)
			return DP_ERR_NOMEM;
		side = &rows->sides[row][run];
		side->name = stat->name;
		side->calls = side->outside_calls = (double)stat->count;
		side->total_ns = side->outside_ns = stat->total_ns;
	}
	for (size_t i = 0; (stat = dp_analysis_loop_position_stat(analysis, loop, i)); i++) {
		struct side *side;

		row = row_of(rows, stat->name);
		if (row == DP_NONE)
			return DP_ERR_NOMEM;
		side = &rows->sides[row][run];
		side->places++;
		if (!stat->count)
			continue;
		side->outside_calls -= (double)stat->count;
		side->outside_ns -= stat->total_ns;
		add_position(&side->sum, stat);
	}
	return DP_OK;
}

/* Finds the names at a row's positions in the other run: one, or several. */
static int find_counterparts(struct rows *rows)
{
	const struct dp_pair_data *pair = rows->pair;
	uint32_t row[2];

	for (size_t i = 0; i < rows->room; i++)
		rows->counterpart[i] = DP_NONE;
	for (size_t i = 0; i < pair->place_count; i++) {
		const size_t *index = pair->places[i].index;

		if (index[0] == SIZE_MAX || index[1] == SIZE_MAX)
			continue;
		for (int run = 0; run < 2; run++) {
			row[run] = row_of(rows, dp_analysis_loop_position_stat(
							rows->comparison->run[run],
							pair->info.loop[run], index[run])
							->name);
			if (row[run] == DP_NONE)
				return DP_ERR_NOMEM;
		}
		for (int run = 0; run < 2; run++) {
			uint32_t *at = &rows->counterpart[row[run]];

			*at = *at == DP_NONE || *at == row[!run] ? row[!run] : SEVERAL;
		}
	}
	return DP_OK;
}

/* The row of a new name that has all the positions of one that is gone, and no others. */
static uint32_t replacement(const struct rows *rows, uint32_t row)
{
	uint32_t other = rows->counterpart[row];

	if (other >= rows->names.count || other == row || rows->counterpart[other] != row ||
	    rows->sides[row][1].name || rows->sides[other][0].name)
		return DP_NONE;
	return other;
}

/*
 * Returns true if most of the change is that of the number of calls, at the time of a call before.
 */
static bool is_by_calls(const struct dp_pair_kernel *row)
{
	double by_calls = (row->calls[1] - row->calls[0]) * row->ns.value[0] / row->calls[0];

	return row->calls[0] > 0 && by_calls / row->ns.change > MOST_OF_IT;
}

static enum dp_kernel_change kind_of(const struct dp_pair_kernel *row)
{
	if (!row->name[0] || !row->name[1])
		return row->name[0] ? DP_KERNEL_REMOVED : DP_KERNEL_ADDED;
	if (strcmp(row->name[0], row->name[1]) != 0)
		return DP_KERNEL_REPLACED;
	if (!dp_difference_is_significant(&row->ns))
		return DP_KERNEL_SAME;
	if (is_by_calls(row))
		return row->ns.change > 0 ? DP_KERNEL_MORE : DP_KERNEL_FEWER;
	return row->ns.change > 0 ? DP_KERNEL_SLOWER : DP_KERNEL_FASTER;
}

/* Writes the sums of both runs, widened like the time of all kernels. */
static void write_row(const struct rows *rows, struct side *const sides[2])
{
	struct dp_pair_data *pair = rows->pair;
	struct dp_pair_kernel *made = &pair->kernels[pair->kernel_count++];
	struct dp_estimate both[2];

	*made = (struct dp_pair_kernel){ .places = DP_MAX(sides[0]->places, sides[1]->places) };
	for (int run = 0; run < 2; run++) {
		double n = (double)pair->steady[run], wider = pair->widening[run];

		add_outside(sides[run]);
		made->name[run] = sides[run]->name;
		both[run] = sides[run]->sum;
		both[run].variance *= wider;
		both[run].freedom = DP_MAX(n / wider - 1, 2);
		both[run].value = sides[run]->name ? sides[run]->total_ns / n : 0;
		made->calls[run] = sides[run]->name ? sides[run]->calls / n : 0;
	}
	made->ns = dp_difference__of(both, rows->comparison->deviations);
	made->kind = kind_of(made);
}

static void write_rows(struct rows *rows)
{
	for (uint32_t i = 0; i < rows->names.count; i++) {
		struct side *sides[2] = { &rows->sides[i][0], &rows->sides[i][1] };
		uint32_t other = replacement(rows, i);

		/* written as the counterpart of the name that it replaces */
		if (!sides[0]->name && rows->counterpart[i] < rows->names.count &&
		    replacement(rows, rows->counterpart[i]) == i)
			continue;
		if (other != DP_NONE)
			sides[1] = &rows->sides[other][1];
		/* a position whose kernel ran only in the warm-up has no time */
		if (sides[0]->name || sides[1]->name)
			write_row(rows, sides);
	}
}

static int compare_names(const char *a, const char *b)
{
	return !a || !b ? !a - !b : strcmp(a, b);
}

static int by_change(const void *a, const void *b)
{
	const struct dp_pair_kernel *x = a, *y = b;
	double more = fabs(y->ns.change) - fabs(x->ns.change);
	int names;

	if (more < 0 || more > 0)
		return more > 0 ? 1 : -1;
	names = compare_names(x->name[0], y->name[0]);
	return names ? names : compare_names(x->name[1], y->name[1]);
}

/* Returns false for analyses of chosen metrics, which have no times by kernel. */
static bool has_times(const struct dp_comparison *comparison, const struct dp_pair_data *pair)
{
	for (int run = 0; run < 2; run++)
		if (!dp_analysis_loop_kernel_stat(comparison->run[run], pair->info.loop[run], 0) ||
		    !pair->steady[run])
			return false;
	return true;
}

/* The largest possible number of names: each is a kernel's or a position's. */
static size_t count_names(const struct dp_comparison *comparison, const struct dp_pair_data *pair)
{
	size_t count = 0;

	for (int run = 0; run < 2; run++) {
		size_t kernels = 0;

		while (dp_analysis_loop_kernel_stat(comparison->run[run], pair->info.loop[run],
						    kernels))
			kernels++;
		count += kernels +
			 dp_analysis_loop(comparison->run[run], pair->info.loop[run])->length;
	}
	return count;
}

static int fill(struct rows *rows)
{
	for (size_t i = 0; i < rows->room; i++)
		for (int run = 0; run < 2; run++)
			rows->sides[i][run].sum.count = rows->pair->steady[run];
	for (int run = 0; run < 2; run++)
		if (add_run(rows, run))
			return DP_ERR_NOMEM;
	if (find_counterparts(rows))
		return DP_ERR_NOMEM;
	write_rows(rows);
	return DP_OK;
}

int dp_compare__kernels(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	struct rows rows = { .comparison = comparison, .pair = pair };
	int status = DP_ERR_NOMEM;

	if (!has_times(comparison, pair))
		return DP_OK;
	rows.room = count_names(comparison, pair);
	pair->kernels = dp_alloc__array(rows.room, sizeof(*pair->kernels));
	rows.sides = dp_alloc__zeroed(rows.room, sizeof(*rows.sides));
	rows.counterpart = dp_alloc__array(rows.room, sizeof(*rows.counterpart));
	if (!pair->kernels || !rows.sides || !rows.counterpart || fill(&rows))
		goto out;
	qsort(pair->kernels, pair->kernel_count, sizeof(*pair->kernels), by_change);
	status = DP_OK;
out:
	dp_strings__fini(&rows.names);
	dp_lookup__fini(&rows.of_name);
	free(rows.sides);
	free(rows.counterpart);
	return status;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of a trace's kernels, sorted; the caller frees them. NULL if memory runs out. */
static const char **kernel_names(const struct dp_trace *trace, size_t *count)
{
	const struct dp_ops *ops = dp_trace_ops(trace);
	size_t strings = dp_trace_string_count(trace);
	const char **names = dp_alloc__array(strings, sizeof(*names));
	uint8_t *used = dp_alloc__zeroed(strings, sizeof(*used));

	*count = 0;
	for (size_t i = 0; names && used && i < ops->count; i++) {
		uint32_t name = ops->name[i];

		if (!dp_op_is_kernel(ops->kind[i]) || name >= strings || used[name])
			continue;
		used[name] = 1;
		names[(*count)++] = dp_trace_string(trace, name);
	}
	if (!used) {
		free(names);
		names = NULL;
	}
	if (names)
		qsort(names, *count, sizeof(*names), by_text);
	free(used);
	return names;
}

int dp_compare__elsewhere(struct dp_comparison *comparison)
{
	int status = DP_OK;

	for (int run = 0; run < 2 && !status; run++) {
		size_t count;
		const char **names = kernel_names(dp_analysis_trace(comparison->run[run]), &count);

		for (size_t i = 0; names && i < comparison->pair_count; i++) {
			const struct dp_pair_data *pair = &comparison->pairs[i];

			for (size_t k = 0; k < pair->kernel_count; k++) {
				struct dp_pair_kernel *kernel = &pair->kernels[k];

				if (!kernel->name[run])
					kernel->elsewhere =
						bsearch(&kernel->name[!run], names, count,
							sizeof(*names), by_text) != NULL;
			}
		}
		if (!names)
			status = DP_ERR_NOMEM;
		free(names);
	}
	return status;
}
