/*
 * What the iterations of a loop consist of, besides the pattern: how many kernels, if their number
 * varies, and how many copies, which the sequence of kernels lacks.
 */
#include "metric/loop_contents.h"
#include "base/search.h"

#include <math.h>

#define FEWEST_ITERATIONS 4 /* fewer do not show that copies are part of each */
#define ALIKE 0.9	    /* share of the periods with the same number of copies */

void dp_loop_contents__kernels(struct dp_loop *loop, const struct dp_iteration *iterations)
{
	loop->min_kernels = loop->max_kernels = 0;
	for (size_t k = 0; k < loop->iterations; k++) {
		size_t kernels = iterations[k].kernels;

		if (iterations[k].partial)
			continue;
		if (!loop->max_kernels || kernels < loop->min_kernels)
			loop->min_kernels = kernels;
		loop->max_kernels = DP_MAX(loop->max_kernels, kernels);
	}
}

/* The periods of a loop, with the operations of its streams. */
struct periods {
	const struct dp_loop *loop;
	const struct dp_iteration *at;
	const struct dp_ops *ops;
	const uint32_t *rows;
	size_t row_count;
	size_t row; /* the first one that was not read */
	size_t k;   /* the next iteration */
};

/* Reads the operations that start before a time. Returns the number of copies among them. */
static size_t count_copies(struct periods *of, int64_t end_ns)
{
	const struct dp_ops *ops = of->ops;
	size_t copies = 0;

	for (; of->row < of->row_count && ops->start_ns[of->rows[of->row]] < end_ns; of->row++) {
		uint32_t op = of->rows[of->row];

		copies += ops->kind[op] == DP_OP_COPY && ops->copy_kind[op] < DP_COPY_UM_HTOD;
	}
	return copies;
}

/* Returns to the first iteration. */
static void rewind_periods(struct periods *of)
{
	of->k = 0;
	DP_FIND(of->row, 0, of->row_count,
		of->ops->start_ns[of->rows[of->row]] >= of->at[0].start_ns);
}

/*
 * Counts the copies from the start of a whole iteration to that of the next one, unless other
 * kernels or a pause of the recording interrupt them. Returns false after the last one.
 */
static bool next_period(struct periods *of, size_t *copies)
{
	while (of->k + 1 < of->loop->iterations) {
		const struct dp_iteration *at = &of->at[of->k++];

		*copies = count_copies(of, at[1].start_ns);
		if (!at->partial && !at[1].foreign_kernels && !at[1].resumed)
			return true;
	}
	return false;
}

/*
 * The number of copies that more than half of the periods have, if there is one; otherwise any.
 * Boyer and Moore: pairs of periods with different numbers cancel each other.
 */
static size_t majority(struct periods *of)
{
	size_t copies, most = 0, left = 0;

	rewind_periods(of);
	while (next_period(of, &copies)) {
		if (!left)
			most = copies;
		left = copies == most ? left + 1 : left - 1;
	}
	return most;
}

void dp_loop_contents__copies(struct dp_loop *loop, const struct dp_iteration *at,
			      const struct dp_ops *ops, const uint32_t *rows, size_t row_count)
{
	struct periods of = {
		.loop = loop, .at = at, .ops = ops, .rows = rows, .row_count = row_count
	};
	size_t copies, most, alike = 0, periods = 0;

	loop->copies_each = (double)NAN;
	if (loop->copies + loop->memsets) {
		loop->copies_each = (double)loop->copies;
		return;
	}
	if (loop->complete < FEWEST_ITERATIONS)
		return;
	most = majority(&of);
	rewind_periods(&of);
	while (next_period(&of, &copies)) {
		periods++;
		alike += copies == most;
	}
	if (periods && (double)alike >= ALIKE * (double)periods)
		loop->copies_each = (double)most;
}
