/*
 * Loops of a sequence of all operations as loops of its kernels: an iteration has the kernels among
 * its operations, and begins with the first of them. Cost: linear in the operations.
 */
#include "loops/loops.h"

/* Writes the iterations that have kernels, in positions of kernels. Returns their number. */
static size_t by_kernels(struct dp_repetition *out, const struct dp_sequence_loop *loop,
			 const uint32_t *kernels_before)
{
	size_t count = 0;

	for (size_t i = 0; i < loop->count; i++) {
		struct dp_repetition at = loop->iterations[i];

		at.first = kernels_before[at.first];
		at.end = kernels_before[at.end];
		if (at.end > at.first)
			out[count++] = at;
	}
	return count;
}

static int project(struct dp_sequence_loop *to, const struct dp_sequence_loop *loop,
		   const struct dp_projection *by, struct dp_repetition *iterations)
{
	size_t count = by_kernels(iterations, loop, by->kernels_before);

	*to = (struct dp_sequence_loop){
		.parent = DP_NONE,
		.annotation = DP_NONE,
		.found_by = loop->found_by,
		.phase = loop->phase,
		.confidence = loop->confidence,
		.maybe_layers = loop->maybe_layers,
		.chosen = loop->chosen,
	};
	for (size_t i = 0; i < loop->length; i++) {
		to->copies += by->kind[loop->pattern[i]] == DP_SYMBOL_COPY;
		to->memsets += by->kind[loop->pattern[i]] == DP_SYMBOL_MEMSET;
	}
	return count ? dp_marks__script(to, by->kernels, iterations, count) : DP_OK;
}

int dp_loops__project(struct dp_loops **loops, const struct dp_loops *from,
		      const struct dp_projection *by, struct dp_error *error)
{
	struct dp_loops *made = dp_alloc__zeroed(1, sizeof(*made));
	uint32_t *index = dp_alloc__array(from->count, sizeof(*index));
	struct dp_repetition *iterations = NULL;
	size_t most = 0;
	int status = DP_ERR_NOMEM;

	for (size_t i = 0; i < from->count; i++)
		most = DP_MAX(most, from->loops[i].count);
	iterations = dp_alloc__array(most, sizeof(*iterations));
	if (made)
		made->loops = dp_alloc__zeroed(from->count, sizeof(*made->loops));
	if (made && made->loops && index && iterations)
		status = DP_OK;
	for (size_t i = 0; i < from->count && !status; i++) {
		struct dp_sequence_loop *to = &made->loops[made->count];

		index[i] = (uint32_t)made->count++;
		status = project(to, &from->loops[i], by, iterations);
		if (!status && !to->count) {
			index[i] = DP_NONE;
			made->count--;
		} else if (!status) {
			to->parent = dp_loops__parent(from, i, index);
		}
	}
	free(iterations);
	free(index);
	if (status) {
		dp_loops__free(made);
		return dp_error__nomem(error, 0);
	}
	*loops = made;
	return DP_OK;
}
