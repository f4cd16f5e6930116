/*
 * Programs that start up for longer than is recorded of their loop. Compilers such as XLA try
 * thousands of kernels before the first iteration, and load each from memory, mostly some that ran
 * before; a loop runs code that is loaded. The longest stretch of kernels in which no code is
 * loaded is searched alone if no chosen loop fills half of it and either no loop was found or one
 * loads code and ends before the middle of the stretch. Loops of the start-up are not iterations.
 *
 * Cost: that of dp_sequence__loads(), and a search of the stretch.
 */
#include "analysis_model.h"

#include <string.h>

/* Kernels of the sequence among which no code is loaded. */
struct stretch {
	size_t first;
	size_t count;
};

/* The stretch without loads whose kernels take longest in all; the first of several. */
static struct stretch longest_stretch(const struct dp_sequence *sequence, const bool *loads)
{
	const struct dp_ops *ops = dp_trace_ops(sequence->trace);
	struct stretch stretch = { 0, 0 };
	double longest_ns = -1, sum_ns = 0;
	size_t begin = 0;

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
		stretch = (struct stretch){ begin, i + 1 - begin };
	}
	return stretch;
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
	return status ? status : take_back(*loops, stretch, sequence, first);
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
				   options.range_end_ns);
	/* in the order of launches, other kernels may run at that time */
	if (!status && is_part(&stretch, sequence, first))
		status = search_stretch(&loops, &stretch, sequence, first, &options, search);
	if (!status && loops && dp_loops__main(loops))
		dp_loops__swap(&searched->loops, &loops);
	dp_loops__free(loops);
	dp_sequence__fini(&stretch);
	return status;
}

/*
 * Sets *reloads, a new array, to whether code is loaded for a kernel that ran before. Every program
 * may load a kernel when it first runs, also in the middle of a step. Errors: DP_ERR_NOMEM.
 */
static int find_reloads(bool **reloads, const struct dp_sequence *sequence, const bool *loads)
{
	bool *ran = dp_alloc__zeroed(sequence->alphabet, sizeof(*ran));

	*reloads = dp_alloc__array(sequence->count, sizeof(**reloads));
	if (!ran || !*reloads) {
		free(ran);
		return DP_ERR_NOMEM;
	}
	for (size_t i = 0; i < sequence->count; i++) {
		(*reloads)[i] = loads[i] && ran[sequence->symbols[i]];
		ran[sequence->symbols[i]] = true;
	}
	free(ran);
	return DP_OK;
}

/* Returns true if most loads up to a symbol are for kernels that ran before. */
static bool mostly_reloads(const bool *loads, const bool *reloads, size_t until)
{
	size_t repeated = 0, all = 0;

	for (size_t i = 0; i <= until; i++) {
		all += loads[i];
		repeated += reloads[i];
	}
	return repeated * 2 > all;
}

/* Where the last iteration of a loop ends. */
static size_t end_of(const struct dp_sequence_loop *loop)
{
	return loop->iterations[loop->count - 1].end;
}

/* Returns true if the iterations of a loop are most of the stretch. */
static bool fills(const struct dp_sequence_loop *loop, const struct stretch *stretch)
{
	size_t first = stretch->first, inside = 0;

	for (size_t k = 0; k < loop->count; k++) {
		size_t begin = DP_MAX(loop->iterations[k].first, first);
		size_t end = DP_MIN(loop->iterations[k].end, first + stretch->count);

		inside += end > begin ? end - begin : 0;
	}
	return inside * 2 > stretch->count;
}

static bool is_filled(const struct dp_loops *loops, const struct stretch *stretch)
{
	for (size_t l = 0; l < loops->count; l++)
		if (loops->loops[l].chosen && fills(&loops->loops[l], stretch))
			return true;
	return false;
}

/*
 * Returns true if no loop was found, or one of a start-up: it loads code, and has ended before most
 * of the stretch. The last thing that is tried may be part of that.
 */
static bool has_startup(const struct dp_loops *loops, const bool *loads,
			const struct stretch *stretch)
{
	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];

		if (loop->chosen && end_of(loop) <= stretch->first + stretch->count / 2 &&
		    loads_code(loop, loads))
			return true;
	}
	return !dp_loops__main(loops);
}

/* Returns true if a loop is not marked by annotations, and most of its iterations reload code. */
static bool is_of_startup(const struct dp_sequence_loop *loop, const bool *reloads)
{
	return loop->chosen && loop->found_by == DP_FOUND_BY_AUTO &&
	       !(loop->confidence.feature[DP_FEATURE_ANNOTATED] > 0) && loads_code(loop, reloads);
}

/*
 * Deselects the loops of the start-up: most of their iterations load code for kernels that ran
 * before, and they end before a loop begins that does not and is the main one or, after a start-up,
 * fills the stretch.
 */
static void leave_startup(struct dp_loops *loops, const bool *reloads, const struct stretch *after,
			  struct dp_explain *explain)
{
	const struct dp_sequence_loop *main = dp_loops__main(loops);
	size_t begin = SIZE_MAX;

	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];

		if (loop->chosen && (loop == main || (after && fills(loop, after))) &&
		    !loads_code(loop, reloads))
			begin = DP_MIN(begin, loop->iterations[0].first);
	}
	for (size_t l = 0; l < loops->count && begin != SIZE_MAX; l++) {
		struct dp_sequence_loop *loop = &loops->loops[l];

		if (!is_of_startup(loop, reloads) || end_of(loop) > begin)
			continue;
		loop->chosen = false;
		dp_explain__add(
			explain, "startup",
			DP_FACTS({ "iterations", "count", (double)loop->count }),
			"a loop of {iterations:iteration} before the main one mostly loads code for "
			"kernels that ran before: it belongs to the start-up");
	}
}

int dp_analysis__after_startup(struct dp_searched *searched, struct dp_loop_search *search)
{
	const struct dp_sequence *sequence = &searched->sequence;
	struct stretch stretch = { 0, 0 };
	bool *loads, *reloads = NULL, is_after = false;
	int status = dp_sequence__loads(&loads, sequence, search->loads);

	if (!status && !loads)
		return DP_OK;
	if (!status)
		status = find_reloads(&reloads, sequence, loads);
	if (status)
		goto out;
	stretch = longest_stretch(sequence, loads);
	if (stretch.count < sequence->count && has_startup(searched->loops, loads, &stretch))
		is_after = mostly_reloads(loads, reloads, stretch.first);
	if (is_after && !is_filled(searched->loops, &stretch))
		status = search_alone(searched, search, stretch.first, stretch.count);
	if (!status && !search->options->paper)
		leave_startup(searched->loops, reloads, is_after ? &stretch : NULL,
			      search->explain);
out:
	free(reloads);
	free(loads);
	return status;
}
