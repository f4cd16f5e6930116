/*
 * What became of the kernels: places of the same change and the same names are one row, whose time
 * is that of an iteration. The rows and what comes beside the pattern sum to all kernels' time.
 */
#include "base/lookup.h"
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct dp_comparison *comparison;
	struct dp_pair_data *pair;
	struct dp_strings names;  /* of both runs, */
	struct dp_lookup of_name; /* by their addresses, which a trace has once */
	struct dp_lookup index;	  /* by change and names: a row */
	struct dp_estimate (*sums)[2];
	uint32_t *moved; /* per row: the one that it is a part of, or DP_NONE */
};

/*
 * Time of a place in each iteration, which is 0 where its kernel did not come. Places go up and
 * down together, as clocks do: it is the errors that are added, not their squares.
 */
static void add_place(struct dp_estimate *sum, const struct dp_time_stat *stat, size_t iterations)
{
	double n = (double)iterations, mean, squares, error;

	if (!stat->count || !iterations)
		return;
	mean = stat->total_ns / n;
	squares = (double)stat->count *
		  (stat->stddev_ns * stat->stddev_ns + stat->mean_ns * stat->mean_ns);
	error = sqrt(DP_MAX(squares / n - mean * mean, 0) / DP_MAX(n - 1, 1));
	sum->value += mean;
	sum->below += error * (error + 2 * sqrt(sum->below));
	sum->above = sum->below;
}

static size_t iterations_of(const struct rows *rows, int run)
{
	return rows->pair->settled[run];
}

static const struct dp_time_stat *stat_of(const struct rows *rows, int run, size_t index)
{
	return dp_loop_position_stat(rows->comparison->run[run], rows->pair->info.loop[run], index);
}

static uint32_t new_row(struct rows *rows, const char *const names[2])
{
	uint32_t row = (uint32_t)rows->pair->kernel_count++;

	rows->pair->kernels[row] = (struct dp_pair_kernel){ .name = { names[0], names[1] } };
	for (int run = 0; run < 2; run++)
		rows->sums[row][run] = (struct dp_estimate){ .count = iterations_of(rows, run) };
	return row;
}

/* A name's number, the same in both runs; DP_NONE without memory. */
static uint32_t number_of(struct rows *rows, const char *name)
{
	struct dp_key key = { { (int64_t)(uintptr_t)name, 0, 0, 0 } };
	uint32_t number = dp_lookup__get(&rows->of_name, &key);

	if (number != DP_NONE)
		return number;
	number = dp_strings__intern(&rows->names, name, strlen(name));
	if (number != DP_NONE && dp_lookup__set(&rows->of_name, &key, number))
		return DP_NONE;
	return number;
}

/* The row of a place, which is made if it is the first of its names. */
static int find_row(struct rows *rows, const struct dp_pair_place *place, uint32_t *row)
{
	const char *names[2] = { NULL, NULL };
	struct dp_key key = { { -1, -1, 0, 0 } };

	for (int run = 0; run < 2; run++) {
		if (place->index[run] == SIZE_MAX)
			continue;
		names[run] = stat_of(rows, run, place->index[run])->name;
		key.part[run] = number_of(rows, names[run]);
		if (key.part[run] == DP_NONE)
			return DP_ERR_NOMEM;
	}
	*row = dp_lookup__get(&rows->index, &key);
	if (*row != DP_NONE)
		return DP_OK;
	*row = new_row(rows, names);
	return dp_lookup__set(&rows->index, &key, *row);
}

static int add_places(struct rows *rows)
{
	for (size_t i = 0; i < rows->pair->place_count; i++) {
		const struct dp_pair_place *place = &rows->pair->places[i];
		uint32_t row;

		if (find_row(rows, place, &row))
			return DP_ERR_NOMEM;
		rows->pair->kernels[row].places++;
		for (int run = 0; run < 2; run++)
			if (place->index[run] != SIZE_MAX)
				add_place(&rows->sums[row][run],
					  stat_of(rows, run, place->index[run]),
					  iterations_of(rows, run));
	}
	return DP_OK;
}

/* Kernels that the patterns do not have: what is left of all. */
static void add_beside(struct rows *rows)
{
	struct dp_pair_data *pair = rows->pair;
	double left_ns[2] = { 0, 0 };
	struct dp_pair_kernel *row;

	for (int run = 0; run < 2; run++) {
		const struct dp_analysis *analysis = rows->comparison->run[run];
		size_t loop = pair->info.loop[run], count = iterations_of(rows, run);
		const struct dp_time_stat *stat;

		for (size_t i = 0; (stat = dp_loop_kernel_stat(analysis, loop, i)); i++)
			left_ns[run] += stat->total_ns;
		for (size_t i = 0; (stat = dp_loop_position_stat(analysis, loop, i)); i++)
			left_ns[run] -= stat->total_ns;
		left_ns[run] = count && left_ns[run] >= 1 ? left_ns[run] / (double)count : 0;
	}
	if (!(left_ns[0] > 0) && !(left_ns[1] > 0))
		return;
	row = &pair->kernels[pair->kernel_count++];
	*row = (struct dp_pair_kernel){ .kind = DP_KERNEL_BESIDE };
	row->ns = dp_difference__of(
		(const struct dp_estimate[2]){ { .value = left_ns[0] }, { .value = left_ns[1] } },
		rows->comparison->deviations);
}

static enum dp_kernel_change kind_of(const struct dp_pair_kernel *row)
{
	if (!row->name[0] || !row->name[1])
		return row->name[0] ? DP_KERNEL_REMOVED : DP_KERNEL_ADDED;
	if (strcmp(row->name[0], row->name[1]) != 0)
		return DP_KERNEL_REPLACED;
	if (!dp_difference_is_sure(&row->ns))
		return DP_KERNEL_SAME;
	return row->ns.change > 0 ? DP_KERNEL_SLOWER : DP_KERNEL_FASTER;
}

/* What iterations say of a row that has all its places: as much as they do of the whole time. */
static void settle(struct rows *rows, size_t row)
{
	for (int run = 0; run < 2; run++) {
		struct dp_estimate *sum = &rows->sums[row][run];
		double wider = rows->pair->widening[run];

		sum->below *= wider;
		sum->above *= wider;
		sum->freedom = DP_MAX((double)sum->count / wider - 1, 2);
	}
	rows->pair->kernels[row].ns =
		dp_difference__of(rows->sums[row], rows->comparison->deviations);
	rows->pair->kernels[row].kind = kind_of(&rows->pair->kernels[row]);
}

/* The removed row of an added one's kernel; DP_NONE where there is none. */
static uint32_t removed_row(const struct rows *rows, struct dp_key *key)
{
	key->part[0] = key->part[1];
	key->part[1] = -1;
	return dp_lookup__get(&rows->index, key);
}

/*
 * A kernel that was removed at some places and added at others has moved: one row. Rows that are
 * left keep their order.
 */
static int join_moved(struct rows *rows)
{
	struct dp_pair_data *pair = rows->pair;
	size_t kept = 0;

	for (size_t i = 0; i < pair->kernel_count; i++) {
		const char *name = pair->kernels[i].name[1];
		struct dp_key key = { { -1, -1, 0, 0 } };
		uint32_t row = DP_NONE;

		if (name && !pair->kernels[i].name[0]) {
			key.part[1] = number_of(rows, name);
			if (key.part[1] == DP_NONE)
				return DP_ERR_NOMEM;
			row = removed_row(rows, &key);
		}
		rows->moved[i] = row;
		if (row == DP_NONE)
			continue;
		pair->kernels[row].name[1] = name;
		pair->kernels[row].places =
			DP_MAX(pair->kernels[row].places, pair->kernels[i].places);
		rows->sums[row][1] = rows->sums[i][1];
	}
	for (size_t i = 0; i < pair->kernel_count; i++) {
		if (rows->moved[i] != DP_NONE)
			continue;
		pair->kernels[kept] = pair->kernels[i];
		memmove(rows->sums[kept++], rows->sums[i], sizeof(*rows->sums));
	}
	pair->kernel_count = kept;
	return DP_OK;
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

	if ((x->kind == DP_KERNEL_BESIDE) != (y->kind == DP_KERNEL_BESIDE))
		return x->kind == DP_KERNEL_BESIDE ? 1 : -1;
	if (more < 0 || more > 0)
		return more > 0 ? 1 : -1;
	names = compare_names(x->name[0], y->name[0]);
	return names ? names : compare_names(x->name[1], y->name[1]);
}

/* Analyses of chosen metrics have no times by kernel. */
static bool has_times(const struct dp_comparison *comparison, const struct dp_pair_data *pair)
{
	for (int run = 0; run < 2; run++)
		if (!dp_loop_kernel_stat(comparison->run[run], pair->info.loop[run], 0))
			return false;
	return true;
}

int dp_compare__kernels(struct dp_comparison *comparison, struct dp_pair_data *pair)
{
	struct rows rows = { .comparison = comparison, .pair = pair };
	int status = DP_ERR_NOMEM;

	if (!has_times(comparison, pair))
		return DP_OK;
	pair->kernels = dp_alloc__array(pair->place_count + 1, sizeof(*pair->kernels));
	rows.sums = dp_alloc__array(pair->place_count + 1, sizeof(*rows.sums));
	rows.moved = dp_alloc__array(pair->place_count, sizeof(*rows.moved));
	if (!pair->kernels || !rows.sums || !rows.moved || add_places(&rows) || join_moved(&rows))
		goto out;
	for (size_t i = 0; i < pair->kernel_count; i++)
		settle(&rows, i);
	add_beside(&rows);
	qsort(pair->kernels, pair->kernel_count, sizeof(*pair->kernels), by_change);
	status = DP_OK;
out:
	dp_strings__fini(&rows.names);
	dp_lookup__fini(&rows.of_name);
	dp_lookup__fini(&rows.index);
	free(rows.sums);
	free(rows.moved);
	return status;
}
