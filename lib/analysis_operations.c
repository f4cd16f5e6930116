/*
 * Programs that launch one kernel, or a few, again and again: kernels alone don't tell what an
 * iteration is, and what is copied between them does.
 */
#include "analysis_model.h"
#include "base/parameters.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum {
	FEW_NAMES = 4,	 /* kernels of more names mostly tell iterations from anything else */
	LEAST_AGAIN = 3, /* times that a kernel runs again and again; … */
	SOME_AGAIN = 5,	 /* … and where a few others are before it and behind: … */
	FEW_OTHERS = 2,	 /* … this many, which begin and end a program */
};

#define MOST_KERNELS 0.9 /* share of the kernels that such a loop covers */

struct dp_loops_request dp_analysis__request(const struct dp_sequence *sequence)
{
	return (struct dp_loops_request){
		.symbols = sequence->symbols,
		.count = sequence->count,
		.alphabet = sequence->alphabet,
		.family = sequence->family,
		.evidence = dp_sequence__evidence(sequence),
	};
}

/* For each operation of a sequence the kernels before it, and for the end; NULL: no memory. */
static uint32_t *count_kernels(const struct dp_sequence *operations)
{
	uint32_t *before = dp_alloc__array(operations->count + 1, sizeof(*before)), kernels = 0;

	for (size_t i = 0; before && i <= operations->count; i++) {
		before[i] = kernels;
		if (i < operations->count)
			kernels +=
				dp_op_is_kernel(operations->op_kind[operations->symbols[i]]);
	}
	return before;
}

/* What the loops' layer calls the kinds of a sequence's symbols; NULL: no memory. */
static uint8_t *symbol_kinds(const struct dp_sequence *operations)
{
	uint8_t *kinds = dp_alloc__array(operations->alphabet, sizeof(*kinds));

	for (uint32_t i = 0; kinds && i < operations->alphabet; i++)
		kinds[i] = operations->op_kind[i] == DP_OP_COPY  ? DP_SYMBOL_COPY
			   : operations->op_kind[i] == DP_OP_SET ? DP_SYMBOL_SET
								 : DP_SYMBOL_KERNEL;
	return kinds;
}

/* Loops of the operations, as loops of the kernels. */
static int find_in(struct dp_loops **loops, const struct dp_sequence *operations,
		   const struct dp_sequence *kernels, struct dp_explain *explain,
		   struct dp_error *error)
{
	struct dp_loops_request request = dp_analysis__request(operations);
	struct dp_projection by = { .kernels = kernels->symbols };
	uint32_t *before = count_kernels(operations);
	uint8_t *kinds = symbol_kinds(operations);
	struct dp_explain_names names;
	struct dp_loops *found = NULL;
	int status = before && kinds ? DP_OK : dp_error__nomem(error, 0);

	request.explain = explain;
	dp_explain__add(explain, "operations",
			DP_FACTS({ "kernels", "count", (double)kernels->count },
				 { "operations", "count", (double)operations->count },
				 { "names", "count", kernels->alphabet }),
			"{kernels:kernel} of {names:name} do not tell what an iteration is: the "
			"sequence of all {operations:operation}, copies and memsets included, is searched");
	by.kernels_before = before;
	by.kind = kinds;
	names = dp_explain__rename(explain, dp_sequence__names(operations));
	if (!status)
		status = dp_loops__find(&found, &request, error);
	dp_explain__rename(explain, names);
	if (!status)
		status = dp_loops__project(loops, found, &by, error);
	dp_loops__free(found);
	free(before);
	free(kinds);
	return status;
}

/* Is there a loop with copies or memsets in each iteration, that has nearly all kernels? */
static bool has_operations(const struct dp_loops *loops, size_t kernels)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);

	return loop && loop->copies + loop->sets && dp_loops__whole(loop) > 1 &&
	       (double)dp_loops__covered(loop) >= MOST_KERNELS * (double)kernels;
}

/* How often in a row the same length kernels run; the first of them is at *first. */
static size_t longest_run(const struct dp_sequence *kernels, size_t length, size_t *first)
{
	size_t best = *first = 0, begin = 0;

	for (size_t i = length; i <= kernels->count; i++) {
		if (i < kernels->count && kernels->symbols[i] == kernels->symbols[i - length])
			continue;
		if ((i - begin) / length > best) {
			best = (i - begin) / length;
			*first = begin;
		}
		begin = i + 1 - length;
	}
	return best;
}

/* Some kernels of a network that run again and again are rather its layers. */
static bool may_be_layers(const struct dp_sequence *kernels, size_t first, size_t length)
{
	for (size_t i = first; length > 1 && i < first + length; i++)
		if (kernels->kind[kernels->symbols[i]] == DP_KERNEL_NETWORK)
			return true;
	return false;
}

/* Is what runs so often in a row nearly all there is? */
static bool is_loop(const struct dp_sequence *kernels, size_t first, size_t length, size_t count)
{
	size_t covered = count * length;

	if (count < LEAST_AGAIN || may_be_layers(kernels, first, length))
		return false;
	return (double)covered >= MOST_KERNELS * (double)kernels->count ||
	       (count >= SOME_AGAIN && kernels->count - covered <= FEW_OTHERS);
}

/* How many operations of a kind come between one kernel and the next, by the median. */
static int count_between(size_t *median, const struct dp_sequence *operations, uint8_t kind)
{
	size_t *counts = dp_alloc__zeroed(operations->count, sizeof(*counts)), gaps = 0;
	bool any = false;

	*median = 0;
	if (!counts)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < operations->count; i++) {
		uint8_t at = operations->op_kind[operations->symbols[i]];

		gaps += any && dp_op_is_kernel(at);
		any |= dp_op_is_kernel(at);
		counts[gaps] += any && at == kind;
	}
	dp_sort__size(counts, gaps);
	*median = gaps ? counts[gaps / 2] : 0;
	free(counts);
	return DP_OK;
}

/*
 * A kernel again and again: each is an iteration, with what is copied up to the next. So are a few,
 * where there are too few in all to search.
 */
static int find_single(struct dp_loops **loops, const struct dp_sequence *kernels,
		       const struct dp_sequence *operations, struct dp_explain *explain,
		       struct dp_error *error)
{
	struct dp_loops_request request = dp_analysis__request(kernels);
	struct dp_boundaries boundaries = { .name = DP_NONE };
	size_t first, length = 1, count, *starts, copies, sets;
	double share;
	int status;

	count = longest_run(kernels, length, &first);
	while (!is_loop(kernels, first, length, count)) {
		if (++length > FEW_NAMES)
			return DP_OK;
		count = longest_run(kernels, length, &first);
	}
	share = (double)(count * length) / (double)kernels->count;
	dp_explain__add(explain, "operations",
			DP_FACTS({ "kernels", "count", (double)length },
				 { "iterations", "count", (double)count },
				 { "coverage", "1", share }),
			"{kernels:kernel} repeated {iterations:time} in a row are {coverage} of all: "
			"each repetition is an iteration");
	starts = dp_alloc__array(count + 1, sizeof(*starts));
	if (!starts || count_between(&copies, operations, DP_OP_COPY) ||
	    count_between(&sets, operations, DP_OP_SET)) {
		free(starts);
		return dp_error__nomem(error, count);
	}
	for (size_t i = 0; i <= count; i++)
		starts[i] = first + i * length;
	boundaries.starts = starts;
	boundaries.ends = starts + 1;
	boundaries.count = count;
	dp_loops__free(*loops);
	*loops = NULL;
	status = dp_loops__from_marks(loops, &request, &boundaries, error);
	if (!status) {
		(*loops)->loops[0].found_by = DP_FOUND_BY_AUTO;
		(*loops)->loops[0].phase = DP_PHASE_COMPLETE;
		(*loops)->loops[0].copies = length * copies;
		(*loops)->loops[0].sets = length * sets;
		/* where an iteration of one kernel begins is no question */
		(*loops)->loops[0].confidence.feature[DP_FEATURE_MARGIN] = dp_param.margin_max;
		(*loops)->loops[0].confidence.feature[DP_FEATURE_ENDS] =
			share >= MOST_KERNELS ? 2 : 0;
		dp_loops__judge(&(*loops)->loops[0]);
	}
	free(starts);
	return status;
}

/* Are the kernels enough to tell iterations? Not if they are a few, or mostly the same one. */
static bool tell_iterations(const struct dp_sequence *kernels)
{
	size_t first;

	return kernels->alphabet > FEW_NAMES &&
	       (double)longest_run(kernels, 1, &first) < MOST_KERNELS * (double)kernels->count;
}

int dp_analysis__operations(struct dp_loops **loops, const struct dp_sequence *kernels,
			    const struct dp_stream_group *streams,
			    const struct dp_analysis_options *options, struct dp_explain *explain,
			    struct dp_error *error)
{
	struct dp_stream_group group = { 0 };
	struct dp_sequence operations = { 0 };
	struct dp_loops *other = NULL;
	int status;

	if (tell_iterations(kernels) || dp_loops__main(*loops))
		return DP_OK;
	status = dp_stream_group__with_copies(&group, kernels->trace, streams, error);
	if (!status)
		status = dp_sequence__init(&operations, kernels->trace, &group,
					   DP_ALPHABET_OPERATIONS, options->range_start_ns,
					   options->range_end_ns, error);
	if (!status && operations.count > kernels->count)
		status = find_in(&other, &operations, kernels, explain, error);
	if (!status && other && has_operations(other, kernels->count)) {
		struct dp_loops *swap = *loops;

		*loops = other;
		other = swap;
	} else if (!status) {
		status = find_single(loops, kernels, &operations, explain, error);
	}
	dp_loops__free(other);
	dp_sequence__fini(&operations);
	dp_stream_group__fini(&group);
	return status;
}

/* Is the main loop of one of the numbers that are known? Then it was found by that. */
static bool take_count(struct dp_loops *loops, const struct dp_loops_request *request)
{
	const struct dp_sequence_loop *main_loop = dp_loops__main(loops);

	for (size_t i = 0; main_loop && i < request->counts_count; i++)
		if (request->counts[i] == dp_loops__whole(main_loop)) {
			loops->loops[main_loop - loops->loops].found_by = DP_FOUND_BY_COUNT;
			return true;
		}
	return false;
}

int dp_analysis__counted(struct dp_loops **loops, const struct dp_loops_request *request,
			 const struct dp_sequence *kernels, const struct dp_stream_group *streams,
			 const struct dp_analysis_options *options, struct dp_error *error)
{
	struct dp_loops *found, *swap = *loops;
	int status;

	if (request->paper || dp_loops__main(*loops))
		return DP_OK;
	found = dp_alloc__zeroed(1, sizeof(*found));
	if (!found)
		return dp_error__nomem(error, sizeof(*found));
	status = dp_analysis__operations(&found, kernels, streams, options,
						 request->explain, error);
	if (!status && take_count(found, request)) {
		*loops = found;
		found = swap;
	}
	dp_loops__free(found);
	return status;
}
