/*
 * Programs that start up for longer than is recorded of their loop. Compilers such as XLA try
 * thousands of kernels before the first iteration, and load each from memory, mostly some that ran
 * before; a loop runs code that is loaded. If no loop is found, or any that loads code as it goes
 * and then ends, the longest stretch of kernels in which none is loaded is searched alone.
 *
 * Cost: that of dp_sequence__loads(), and a search of the stretch.
 */
#include "analysis_model.h"

#include <string.h>

/*
 * Finds the stretch without loads whose kernels take longest in all; the first of several. Returns
 * its number of kernels.
 */
static size_t longest_stretch(size_t *first, const struct dp_sequence *sequence, const bool *loads)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	double longest_ns = -1, sum_ns = 0;
	size_t count = 0, begin = 0;

	*first = 0;
	for (size_t i = 0; i < sequence->count; i++) {
		uint32_t op = sequence->ops[i];

		if (loads[i]) {
			sum_ns = 0;
			begin = i;
		}
		sum_ns += (double)(ops->end_ns[op] - ops->start_ns[op]);
		if (sum_ns <= longest_ns)
			continue;
		longest_ns = sum_ns;
		*first = begin;
		count = i + 1 - begin;
	}
	return count;
}

/* Returns true if most iterations of a loop load code. */
static bool loads_code(const struct dp_sequence_loop *loop, const bool *loads)
{
	size_t loading = 0;

	for (size_t k = 0; k < loop->count; k++) {
		const struct dp_sequence_iteration *iteration = &loop->iterations[k];

		loading += memchr(loads + iteration->first, true,
				  iteration->end - iteration->first) != NULL;
	}
	return loading * 2 > loop->count;
}

/* Makes loops of a stretch, which begins at a symbol of the sequence, loops of the sequence. */
static int take_back(struct dp_loops *loops, const struct dp_sequence *stretch,
		     const struct dp_sequence *sequence, size_t first)
{
	uint32_t *symbols = dp_alloc__array(stretch->alphabet, sizeof(*symbols));

	if (!symbols)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < stretch->count; i++)
		symbols[stretch->symbols[i]] = sequence->symbols[first + i];
	for (size_t l = 0; l < loops->count; l++) {
		struct dp_sequence_loop *loop = &loops->loops[l];

		for (size_t i = 0; i < loop->length; i++)
			loop->pattern[i] = symbols[loop->pattern[i]];
		for (size_t k = 0; k < loop->count; k++) {
			loop->iterations[k].first += first;
			loop->iterations[k].end += first;
		}
		for (size_t e = 0; e < loop->edit_count; e++)
			loop->edits[e].position += first;
	}
	free(symbols);
	return DP_OK;
}

/* Returns true if two sequences have the same operations from a symbol of the second one on. */
static bool is_part(const struct dp_sequence *part, const struct dp_sequence *sequence,
		    size_t first)
{
	return part->count <= sequence->count - first &&
	       !memcmp(part->ops, sequence->ops + first, part->count * sizeof(*part->ops));
}

/* Searches a stretch, which begins at a symbol of the sequence; its loops are the sequence's. */
static int search_stretch(struct dp_loops **loops, const struct dp_sequence *stretch,
			  const struct dp_sequence *sequence, size_t first,
			  const struct dp_analysis_options *options, struct dp_loop_search *search)
{
	struct dp_loop_search part = *search;
	struct dp_explain_names names;
	int status;

	dp_explain__add(search->explain, "startup",
			DP_FACTS({ "kernels", "count", (double)stretch->count },
				 { "before", "count", (double)first }),
			"the longest stretch in which no code is loaded, {kernels:kernel} after "
			"the first {before}, is searched alone");
	part.sequence = stretch;
	part.options = options;
	names = dp_explain__rename(search->explain, dp_sequence__names(stretch));
	status = dp_analysis__find_loops(loops, &part);
	search->marked = part.marked;
	dp_explain__rename(search->explain, names);
	if (!status && take_back(*loops, stretch, sequence, first))
		status = dp_error__nomem(search->error, 0);
	return status;
}

/* Searches the kernels [first, first + count); if they have loops, these replace the others. */
static int search_alone(struct dp_searched *searched, struct dp_loop_search *search, size_t first,
			size_t count)
{
	const struct dp_sequence *sequence = &searched->sequence;
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	struct dp_analysis_options options = *search->options;
	struct dp_sequence stretch = { 0 };
	struct dp_loops *loops = NULL;
	int status;

	/* with the uploads for the first kernel */
	if (first)
		options.range_start_ns = DP_MIN(ops->end_ns[sequence->ops[first - 1]],
						ops->start_ns[sequence->ops[first]]);
	if (first + count < sequence->count)
		options.range_end_ns = ops->start_ns[sequence->ops[first + count]];
	status = dp_sequence__init(&stretch, sequence->trace, &searched->group,
				   DP_SYMBOLS_OF_KERNELS, options.range_start_ns,
				   options.range_end_ns, search->error);
	/* in the order of launches, other kernels may run at that time */
	if (!status && is_part(&stretch, sequence, first))
		status = search_stretch(&loops, &stretch, sequence, first, &options, search);
	if (!status && loops && dp_loops__main(loops)) {
		struct dp_loops *swap = searched->loops;

		searched->loops = loops;
		loops = swap;
	}
	dp_loops__free(loops);
	dp_sequence__fini(&stretch);
	return status;
}

/*
 * Sets *again to true if most loads up to a symbol are for kernels that ran before. Every program
 * may load a kernel when it first runs, also in the middle of a step. Errors: DP_ERR_NOMEM.
 */
static int load_again(bool *again, const struct dp_sequence *sequence, const bool *loads,
		      size_t until)
{
	bool *ran = dp_alloc__zeroed(sequence->alphabet, sizeof(*ran));
	size_t repeated = 0, all = 0;

	if (!ran)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i <= until; i++) {
		all += loads[i];
		repeated += loads[i] && ran[sequence->symbols[i]];
		ran[sequence->symbols[i]] = true;
	}
	free(ran);
	*again = repeated * 2 > all;
	return DP_OK;
}

/*
 * Returns true if no loop was found, or one of a start-up: it loads code, and has ended before most
 * of the stretch. The last thing that is tried may be part of that.
 */
static bool is_startup(const struct dp_loops *loops, const bool *loads, size_t first, size_t count)
{
	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];

		if (loop->chosen && loop->iterations[loop->count - 1].end <= first + count / 2 &&
		    loads_code(loop, loads))
			return true;
	}
	return !dp_loops__main(loops);
}

int dp_analysis__after_startup(struct dp_searched *searched, struct dp_loop_search *search)
{
	const struct dp_sequence *sequence = &searched->sequence;
	bool *loads, again = false;
	size_t first = 0, count = 0;
	int status = dp_sequence__loads(&loads, sequence, search->loads);

	if (!status && !loads)
		return DP_OK;
	if (!status) {
		count = longest_stretch(&first, sequence, loads);
		if (count < sequence->count && is_startup(searched->loops, loads, first, count))
			status = load_again(&again, sequence, loads, first);
	}
	if (status)
		status = dp_error__nomem(search->error, sequence->count);
	else if (again)
		status = search_alone(searched, search, first, count);
	free(loads);
	return status;
}
