/*
 * Converts iterations of a sequence to times of its trace.
 *
 * A sequence of concurrent streams is in the order of launches, which need not be that of starts:
 * streams that wait for different copies overtake each other. A period is the time until the next
 * iteration starts, so iterations are put into the order of their starts. Nested loops are counted
 * along the sequence and stay in its order.
 *
 * Cost: linear in kernels; n log n in iterations that are not in order.
 */
#include "analysis_model.h"

static void convert_iterations(struct dp_loop_data *loop, const struct dp_sequence_loop *from,
			       const struct dp_sequence *sequence)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	size_t kernels = 0, after = 0;

	loop->info.variants = 0;
	for (size_t k = 0; k < from->count; k++) {
		const struct dp_sequence_iteration *iteration = &from->iterations[k];
		uint32_t first = sequence->ops[iteration->first];
		uint32_t last = sequence->ops[iteration->end - 1];
		int64_t start_ns = ops->start_ns[first];

		loop->iterations[k] = (struct dp_iteration){
			.index = k,
			.start_ns = start_ns,
			.end_ns = DP_MAX(ops->end_ns[last], start_ns),
			.first_kernel = iteration->first,
			.kernels = iteration->end - iteration->first,
			.inserted = iteration->inserted,
			.deleted = iteration->deleted,
			.substituted = iteration->substituted,
			.variant = iteration->variant,
			.partial = iteration->partial,
			.foreign_kernels = k ? iteration->first - after : 0,
			.edits = iteration->edits,
		};
		after = iteration->end;
		kernels += iteration->end - iteration->first;
		if (iteration->variant + (size_t)1 > loop->info.variants)
			loop->info.variants = iteration->variant + (size_t)1;
	}
	if (sequence->count)
		loop->info.coverage = (double)kernels / (double)sequence->count;
}

/* Returns true if kernels are missing before a kernel of a sequence. */
static bool lacks(const struct dp_loop_data *loop, const struct dp_iteration *at, size_t kernel)
{
	size_t count = (size_t)at->inserted + at->deleted + at->substituted;

	for (size_t i = at->edits; i < at->edits + count && i < loop->edit_count; i++)
		if (loop->edits[i].kind == DP_EDIT_DELETED && loop->edits[i].position == kernel)
			return true;
	return false;
}

/*
 * An iteration in which recording was off, or which lacks kernels next to such a break, is partial.
 */
static void mark_breaks(struct dp_loop_data *loop, const struct dp_breaks *breaks)
{
	const size_t *first = breaks->first;
	size_t count = breaks->count;
	size_t b = 0;

	for (size_t k = 0; k < loop->info.iterations; k++) {
		struct dp_iteration *at = &loop->iterations[k];
		size_t end = at->first_kernel + at->kernels;
		bool head = false;

		for (; b < count && first[b] <= at->first_kernel; b++) {
			at->resumed = true;
			head = first[b] == at->first_kernel;
		}
		if (head && lacks(loop, at, at->first_kernel))
			at->partial = true;
		for (; b < count && first[b] < end; b++)
			at->partial = true;
		if (b < count && first[b] == end && lacks(loop, at, end))
			at->partial = true;
		loop->info.complete += !at->partial;
	}
}

/* Of iterations that start together, the one that was launched first comes first. */
static int by_start(const void *a, const void *b)
{
	const struct dp_iteration *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool is_ordered(const struct dp_loop_data *loop)
{
	for (size_t k = 1; k < loop->info.iterations; k++)
		if (loop->iterations[k].start_ns < loop->iterations[k - 1].start_ns)
			return false;
	return true;
}

static void order_starts(struct dp_loop_data *loop)
{
	qsort(loop->iterations, loop->info.iterations, sizeof(*loop->iterations), by_start);
	for (size_t k = 0; k < loop->info.iterations; k++)
		loop->iterations[k].index = k;
}

/* Periods are not negative. */
static void raise_starts(struct dp_loop_data *loop)
{
	for (size_t k = 1; k < loop->info.iterations; k++) {
		struct dp_iteration *at = &loop->iterations[k];

		at->start_ns = DP_MAX(at->start_ns, at[-1].start_ns);
		at->end_ns = DP_MAX(at->end_ns, at->start_ns);
	}
}

void dp_analysis__iterations(struct dp_loop_data *loop, const struct dp_sequence_loop *from,
			     const struct dp_sequence *sequence, const struct dp_breaks *breaks,
			     bool nested)
{
	convert_iterations(loop, from, sequence);
	mark_breaks(loop, breaks);
	if (is_ordered(loop))
		return;
	if (nested)
		raise_starts(loop);
	else
		order_starts(loop);
}
