/*
 * What the iterations of a loop consist of, besides the pattern: how many kernels, if their number
 * varies, and how many copies, which the sequence of kernels lacks.
 */
#include "metric/loop_contents.h"
#include "base/search.h"

#include <math.h>

#define FEWEST_ITERATIONS 4 /* fewer do not show that copies are part of each */
#define ALIKE 0.9	    /* share of the iterations with the same number of copies */

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

struct operations {
	const struct dp_ops *ops;
	const uint32_t *rows;
	size_t count;
	size_t next; /* the first row that was not read */
};

/* Reads the operations that start before a time. Returns the number of copies among them. */
static size_t count_copies(struct operations *of, int64_t end_ns)
{
	size_t copies = 0;

	for (; of->next < of->count && of->ops->start_ns[of->rows[of->next]] < end_ns; of->next++) {
		uint32_t op = of->rows[of->next];

		copies +=
			of->ops->kind[op] == DP_OP_COPY && of->ops->copy_kind[op] < DP_COPY_UM_HTOD;
	}
	return copies;
}

/* The number of copies from the start of iteration k to that of the next one. */
static size_t copies_of(struct operations *of, const struct dp_iteration *iterations, size_t k)
{
	DP_FIND(of->next, 0, of->count,
		of->ops->start_ns[of->rows[of->next]] >= iterations[k].start_ns);
	return count_copies(of, iterations[k + 1].start_ns);
}

void dp_loop_contents__copies(struct dp_loop *loop, const struct dp_iteration *at,
			      const struct dp_ops *ops, const uint32_t *rows, size_t row_count)
{
	struct operations of = { .ops = ops, .rows = rows, .count = row_count };
	size_t copies, alike = 0, periods = 0;

	loop->copies_each = (double)NAN;
	if (loop->copies + loop->memsets) {
		loop->copies_each = (double)loop->copies;
		return;
	}
	if (loop->complete < FEWEST_ITERATIONS)
		return;
	copies = copies_of(&of, at, loop->iterations / 2);
	for (size_t k = 0; k + 1 < loop->iterations; k++) {
		size_t here = k ? count_copies(&of, at[k + 1].start_ns) : copies_of(&of, at, k);

		if (at[k].partial || at[k + 1].foreign_kernels || at[k + 1].resumed)
			continue;
		periods++;
		alike += here == copies;
	}
	if (periods && (double)alike >= ALIKE * (double)periods)
		loop->copies_each = (double)copies;
}
