/*
 * Programs that launch one or a few kernels again and again: kernels alone do not show what an
 * iteration is, but the copies between them do.
 *
 * Cost: a search of the sequence of all operations, or a pass over the kernels for each loop.
 */
#include "analysis_model.h"
#include "base/parameters.h"
#include "base/repeats.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/*
 * The number of kernels before each operation of a sequence, and before the end. NULL if memory
 * runs out.
 */
static uint32_t *count_kernels(const struct dp_sequence *operations)
{
	uint32_t *before = dp_alloc__array(operations->count + 1, sizeof(*before)), kernels = 0;

	for (size_t i = 0; before && i <= operations->count; i++) {
		before[i] = kernels;
		if (i < operations->count)
			kernels += dp_op_is_kernel(operations->op_kind[operations->symbols[i]]);
	}
	return before;
}

/* Counts the copies and memsets in one iteration of each loop. */
static void count_moves(struct dp_loops *loops, const struct dp_sequence *operations)
{
	for (size_t l = 0; l < loops->count; l++) {
		struct dp_sequence_loop *loop = &loops->loops[l];

		for (size_t i = 0; i < loop->length; i++) {
			uint8_t kind = operations->op_kind[loop->pattern[i]];

			loop->copies += kind == DP_OP_COPY;
			loop->memsets += kind == DP_OP_MEMSET;
		}
	}
}

/*
 * Makes partial iterations whole that have all kernels of the pattern: if copies overlap with the
 * kernels of other iterations, the first or last iteration lacks those of its neighbour.
 */
static void complete(struct dp_loops *loops)
{
	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];

		for (size_t i = 0; i < loop->count; i++) {
			struct dp_sequence_iteration *s = &loop->iterations[i];

			if (s->end - s->first == loop->length && !dp_iteration__edit_count(s))
				s->partial = false;
		}
	}
}

/*
 * Finds loops of the operations, as loops of the kernels: an iteration has the kernels among its
 * operations, and begins with the first of them. halves: why they are searched.
 */
static int find_in(struct dp_loops **loops, const struct dp_sequence *operations,
		   const struct dp_loop_search *search, bool halves)
{
	const struct dp_sequence *kernels = search->sequence;
	struct dp_loops_request request = dp_analysis__request(operations);
	uint32_t *before = count_kernels(operations);
	struct dp_explain_names names;
	int status = before ? DP_OK : DP_ERR_NOMEM;

	request.explain = search->explain;
	dp_explain__add(
		search->explain, "operations",
		DP_FACTS({ "kernels", "count", (double)kernels->count },
			 { "operations", "count", (double)operations->count },
			 { "names", "count", kernels->alphabet }),
		"%s: the sequence of all {operations:operation}, copies and memsets included, is "
		"searched",
		halves ? "uploads precede every other iteration, so that two may be one"
		       : "{kernels:kernel} of {names:name} do not show what an iteration is");
	names = dp_explain__rename(search->explain, dp_sequence__names(operations));
	if (!status)
		status = dp_loops__find(loops, &request, search->error);
	dp_explain__rename(search->explain, names);
	if (!status) {
		count_moves(*loops, operations);
		status = dp_loops__map(*loops, before, kernels->symbols);
	}
	if (!status)
		complete(*loops);
	free(before);
	return status;
}

/*
 * Returns true if a loop with copies or memsets in each iteration covers nearly all kernels. If all
 * kernels have one name and each is an iteration, it must cover all: otherwise what is copied
 * differs between them.
 */
static bool has_operations(const struct dp_loops *loops, const struct dp_sequence *kernels)
{
	const struct dp_sequence_loop *loop = dp_loops__main(loops);
	double most =
		loop && loop->length == 1 && kernels->alphabet == 1 ? 1 : dp_param.again_share;

	return loop && loop->copies + loop->memsets && dp_loops__whole(loop) > 1 &&
	       (double)dp_loops__covered(loop) >= most * (double)kernels->count;
}

static bool is_of_network(const struct dp_sequence *kernels, size_t index)
{
	uint8_t kind = kernels->kind[kernels->symbols[index]];

	return kind == DP_KERNEL_NETWORK || kind == DP_KERNEL_ATTENTION;
}

/*
 * Sets times[] of each name that runs several times in a row to its number of kernels plus 1, and
 * of all others to 0. Kernels of networks are left out, since in a single pass an operator launches
 * many of them, unless there are too few names for a network. Returns the number of kernels with
 * such names.
 */
static size_t count_in_rows(size_t *times, const struct dp_sequence *kernels)
{
	bool may_be_pass = kernels->alphabet > dp_param.again_names;
	size_t run = 0, count = 0;

	for (size_t i = 0; i < kernels->count; i++) {
		run = i > 0 && kernels->symbols[i] == kernels->symbols[i - 1] ? run + 1 : 1;
		if (run >= dp_param.again_some && !(may_be_pass && is_of_network(kernels, i)))
			times[kernels->symbols[i]] = 1;
	}
	for (size_t i = 0; i < kernels->count; i++) {
		count += times[kernels->symbols[i]] > 0;
		times[kernels->symbols[i]] += times[kernels->symbols[i]] > 0;
	}
	return count;
}

/* Keeps only the again_loops names with most kernels. */
static int keep_most(size_t *times, size_t names)
{
	size_t *sorted, least, alike = dp_param.again_loops;

	if (names <= dp_param.again_loops)
		return DP_OK;
	sorted = dp_alloc__array(names, sizeof(*sorted));
	if (!sorted)
		return DP_ERR_NOMEM;
	memcpy(sorted, times, names * sizeof(*sorted));
	dp_sort__size(sorted, names);
	least = sorted[names - dp_param.again_loops];
	free(sorted);
	for (size_t i = 0; i < names; i++)
		alike -= times[i] > least;
	for (size_t i = 0; i < names; i++)
		if (times[i] < least || (times[i] == least && alike == 0))
			times[i] = 0;
		else if (times[i] == least)
			alike--;
	return DP_OK;
}

/*
 * Returns true if repeated kernels are those of a network: without copies between them they are
 * more likely its layers.
 */
static bool may_be_layers(const struct dp_sequence *kernels, size_t first, size_t length)
{
	for (size_t i = first; length > 1 && i < first + length; i++)
		if (is_of_network(kernels, i))
			return true;
	return false;
}

static bool is_move(const struct dp_sequence *kernels, size_t index)
{
	return kernels->kind[kernels->symbols[index]] == DP_KERNEL_MOVES;
}

/*
 * Returns true if `count` repetitions of `length` kernels, from `first` on, are nearly all there
 * is. Copies and fills next to other work do not count.
 */
static bool is_most(const struct dp_sequence *kernels, size_t first, size_t length, size_t count)
{
	size_t covered = count * length, end = first + covered, others = 0;
	bool moves = true;

	for (size_t i = first; i < end && moves; i++)
		moves = is_move(kernels, i);
	for (size_t i = 0; i < kernels->count; i++)
		others += (i < first || i >= end) && (moves || !is_move(kernels, i));
	return (count >= dp_param.again_least &&
		(double)covered >= dp_param.again_share * (double)(covered + others)) ||
	       (count >= dp_param.again_some &&
		(others <= dp_param.again_others || others * dp_param.again_some <= covered));
}

/* Known iterations of one loop, all with the same number of kernels. */
struct again {
	const struct dp_loop_search *search;
	const struct dp_sequence *kernels;
	const size_t *between[2]; /* copies, and memsets, before each kernel and before the end */
	struct dp_sequence_iteration *iterations;
	size_t *counts; /* scratch */
	size_t count, length;
	double share; /* of all kernels, including other loops in sequence */
};

static void again_fini(struct again *a)
{
	free((void *)a->between[0]);
	free((void *)a->between[1]);
	free(a->iterations);
	free(a->counts);
}

/* The cumulative number of copies or memsets before each kernel, and before the end. */
static size_t *sum_between(const struct dp_sequence *operations, size_t kernels, uint8_t kind)
{
	size_t *sums = dp_alloc__zeroed(kernels + 1, sizeof(*sums)), at = 0;

	for (size_t i = 0; sums && i < operations->count && at <= kernels; i++) {
		uint8_t of = operations->op_kind[operations->symbols[i]];

		sums[at] += of == kind;
		if (dp_op_is_kernel(of) && at++ < kernels)
			sums[at] = sums[at - 1];
	}
	return sums;
}

static int again_init(struct again *a, const struct dp_loop_search *search,
		      const struct dp_sequence *operations)
{
	size_t n = search->sequence->count;

	*a = (struct again){
		.search = search,
		.kernels = search->sequence,
		.between = { sum_between(operations, n, DP_OP_COPY),
			     sum_between(operations, n, DP_OP_MEMSET) },
		.iterations = dp_alloc__array(n, sizeof(*a->iterations)),
		.counts = dp_alloc__array(n, sizeof(*a->counts)),
	};
	return a->between[0] && a->between[1] && a->iterations && a->counts ? DP_OK : DP_ERR_NOMEM;
}

static void put_iteration(struct again *a, size_t first)
{
	a->iterations[a->count++] =
		(struct dp_sequence_iteration){ .first = first, .end = first + a->length };
}

/* Sets the iterations to `count` in a row. */
static void put_row(struct again *a, size_t first, size_t count)
{
	a->count = 0;
	while (a->count < count)
		put_iteration(a, first + a->count * a->length);
}

/* The median number of operations of a kind from the begin of one iteration to the next. */
static size_t count_between(struct again *a, const size_t *sums)
{
	size_t gaps = 0;

	for (size_t i = 0; i + 1 < a->count; i++)
		if (a->iterations[i].end == a->iterations[i + 1].first)
			a->counts[gaps++] =
				sums[a->iterations[i].end] - sums[a->iterations[i].first];
	dp_sort__size(a->counts, gaps);
	return gaps ? a->counts[gaps / 2] : 0;
}

/* Appends a loop of the known iterations. */
static int add_again(struct dp_loops *loops, struct again *a)
{
	struct dp_sequence_loop *loop =
		dp_loops__add_known(loops, a->kernels->symbols, a->iterations, a->count);
	double covered = (double)(a->count * a->length);

	if (!loop)
		return DP_ERR_NOMEM;
	dp_explain__add(
		a->search->explain, "operations",
		DP_FACTS({ "kernels", "count", (double)a->length },
			 { "iterations", "count", (double)a->count },
			 { "coverage", "1", covered / (double)a->kernels->count }),
		"{kernels:kernel}, repeated {iterations:time} in a row: {coverage} of all kernels; "
		"each repetition is an iteration");
	loop->found_by = DP_FOUND_BY_AUTO;
	loop->phase_by = DP_PHASE_COMPLETE;
	loop->copies = count_between(a, a->between[0]);
	loop->memsets = count_between(a, a->between[1]);
	/* an iteration of one kernel has no other boundary */
	loop->confidence.feature[DP_FEATURE_MARGIN] = dp_param.margin_max;
	loop->confidence.feature[DP_FEATURE_ENDS] = a->share >= dp_param.again_share ? 2 : 0;
	dp_loops__judge(loop);
	return DP_OK;
}

/* Adds a loop for each name, of one kernel each: wherever it runs, also between others. */
static int add_names(struct dp_loops *loops, struct again *a, size_t *times)
{
	const uint32_t *symbols = a->kernels->symbols;
	int status = keep_most(times, a->kernels->alphabet);

	a->length = 1;
	for (size_t first = 0; first < a->kernels->count && !status; first++) {
		if (!times[symbols[first]])
			continue;
		times[symbols[first]] = 0;
		a->count = 0;
		for (size_t i = first; i < a->kernels->count; i++)
			if (symbols[i] == symbols[first])
				put_iteration(a, i);
		status = add_again(loops, a);
	}
	return status;
}

/* Keeps the first repetition that is refused, since it may be layers, as a candidate. */
static void refuse(struct dp_loops *loops, const struct again *a)
{
	if (loops->best.length)
		return;
	loops->best = (struct dp_unlisted){
		.length = a->length,
		.coverage = (double)(a->count * a->length) / (double)a->kernels->count,
		.confidence = (double)NAN,
		.iterations = a->count,
		.layers = true,
	};
}

/* Returns true if the caller gave the number of iterations: then that many are no layers. */
static bool is_given(const struct again *a)
{
	return dp_analysis__is_requested(a->search->options, a->count);
}

/* Returns true if the kernels that repeat are all there are, in a known number of iterations. */
static bool is_all(const struct again *a)
{
	return is_given(a) && a->count * a->length == a->kernels->count;
}

/* Adds one loop of a few kernels that repeat in a row and are too few to search. */
static int add_run(struct dp_loops *loops, struct again *a)
{
	for (a->length = 1; a->length <= dp_param.again_names; a->length++) {
		size_t first, count;

		count = dp_repeats__most(&first, a->kernels->symbols, a->kernels->count, a->length);

		put_row(a, first, count);
		if (!is_most(a->kernels, first, a->length, a->count) && !is_all(a))
			continue;
		if (may_be_layers(a->kernels, first, a->length) && !is_given(a) &&
		    count_between(a, a->between[0]) == 0) {
			refuse(loops, a);
			continue;
		}
		a->share = (double)(a->count * a->length) / (double)a->kernels->count;
		return add_again(loops, a);
	}
	return DP_OK;
}

/* Returns true if some kernels are not fewer kernels repeated. */
static bool is_unit(const uint32_t *symbols, size_t length)
{
	for (size_t period = 1; period * 2 <= length; period++)
		if (length % period == 0 &&
		    dp_repeats__same(symbols, length, period, period) + period == length)
			return false;
	return true;
}

/*
 * Adds a loop for each row of a few kernels that repeat exactly as often as the caller says, among
 * whatever else: a benchmark launches its kernel a number of times that its user knows.
 */
static int add_rows_of_count(struct dp_loops *loops, struct again *a)
{
	const uint32_t *symbols = a->kernels->symbols;
	size_t n = a->kernels->count, same;
	int status = DP_OK;

	if (!a->search->options->iterations_count)
		return DP_OK;
	for (a->length = 1; a->length <= dp_param.again_names && !loops->count; a->length++)
		for (size_t i = a->length; i < n && !status; i += same + 1) {
			same = dp_repeats__same(symbols, n, i, a->length);
			a->count = same / a->length + 1;
			if (a->count < dp_param.again_some || !is_given(a) ||
			    same % a->length > 0 || !is_unit(symbols + i - a->length, a->length) ||
			    loops->count == dp_param.again_loops)
				continue;
			put_row(a, i - a->length, a->count);
			status = add_again(loops, a);
		}
	return status;
}

/* A kernel that runs several times in a row. */
struct row {
	size_t first, times;
	uint32_t symbol;
};

static int by_times(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->times != y->times)
		return x->times < y->times ? -1 : 1;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Returns true if a kernel has the name of an operator, a path: it may launch others like it. */
static bool is_of_operator(const struct dp_sequence *kernels, size_t index)
{
	uint32_t name = kernels->names[kernels->symbols[index]];

	return strchr(dp_trace_string(kernels->trace, name), '/');
}

/*
 * Finds the different kernels that run in a row, each equally often, if such rows are more than
 * half of what computes: a benchmark of several kernels repeats each as often. In a network, the
 * same row comes back with each layer. The caller frees *rows, also after a failure; *count is 0 if
 * there are none.
 */
static int find_equal_rows(struct row **rows, size_t *count, const struct dp_sequence *kernels)
{
	size_t n = 0, room = 0, all = 0;

	*count = 0;
	for (size_t i = 0, times; i < kernels->count; i += times) {
		times = dp_repeats__same(kernels->symbols, kernels->count, i + 1, 1) + 1;
		if (is_move(kernels, i))
			continue;
		all += times;
		if (times < dp_param.again_rows || is_of_operator(kernels, i))
			continue;
		if (dp_array__reserve(rows, &room, n + 1, sizeof(**rows)))
			return DP_ERR_NOMEM;
		(*rows)[n++] = (struct row){ i, times, kernels->symbols[i] };
	}
	if (n > 1)
		qsort(*rows, n, sizeof(**rows), by_times);
	for (size_t k = 0, end; k < n; k = end) {
		const struct row *row = *rows + k;
		bool recurs = false;

		for (end = k + 1; end < n && (*rows)[end].times == row->times; end++)
			recurs |= (*rows)[end].symbol == (*rows)[end - 1].symbol;
		if (end - k > 1 && !recurs && (end - k) * row->times * 2 > all) {
			*count = end - k;
			memmove(*rows, row, *count * sizeof(*row));
			return DP_OK;
		}
	}
	return DP_OK;
}

/* Adds a loop for each row of equal length. */
static int add_equal_rows(struct dp_loops *loops, struct again *a)
{
	struct row *rows = NULL;
	size_t count;
	int status = find_equal_rows(&rows, &count, a->kernels);

	a->length = 1;
	for (size_t k = 0; k < DP_MIN(count, dp_param.again_loops) && !status; k++) {
		put_row(a, rows[k].first, rows[k].times);
		status = add_again(loops, a);
	}
	free(rows);
	return status;
}

/*
 * Loops of one kernel that runs again and again: each time is an iteration, with the copies up to
 * the next. Also a loop of a few kernels, if there are too few in all to search, or if their number
 * is known.
 */
static int find_again(struct dp_loops **loops, const struct dp_loop_search *search,
		      const struct dp_sequence *operations)
{
	const struct dp_sequence *kernels = search->sequence;
	size_t *times = dp_alloc__zeroed(kernels->alphabet, sizeof(*times));
	struct dp_loops *found = dp_alloc__zeroed(1, sizeof(*found));
	struct again a = { NULL };
	int status = again_init(&a, search, operations);

	if (!times || !found)
		status = DP_ERR_NOMEM;
	if (!status) {
		a.share = (double)count_in_rows(times, kernels) / (double)kernels->count;
		status = add_rows_of_count(found, &a);
	}
	if (!status && !found->count)
		status = a.share >= dp_param.again_share ? add_names(found, &a, times)
							 : add_run(found, &a);
	if (!status && !found->count && !search->options->iterations_count)
		status = add_equal_rows(found, &a);
	if (!status && (found->count > 0 || (found->best.length && !(*loops)->best.length)))
		dp_loops__swap(loops, &found);
	dp_loops__free(found);
	again_fini(&a);
	free(times);
	return status;
}

/*
 * Sets *tell to false if the kernels cannot show iterations: they are few and no network's, have few
 * names, or mostly run in rows.
 */
static int tell_iterations(bool *tell, const struct dp_sequence *kernels)
{
	size_t *times = dp_alloc__zeroed(kernels->alphabet, sizeof(*times)), first, count;

	if (!times)
		return DP_ERR_NOMEM;
	count = dp_repeats__most(&first, kernels->symbols, kernels->count, 1);
	*tell = kernels->alphabet > dp_param.again_names &&
		(kernels->count >= dp_param.rest_symbols ||
		 may_be_layers(kernels, 0, kernels->count)) &&
		!is_most(kernels, first, 1, count) &&
		(double)count_in_rows(times, kernels) <
			dp_param.again_share * (double)kernels->count;
	free(times);
	return DP_OK;
}

/*
 * Returns true if uploads precede exactly every other whole iteration of the main loop: then two of
 * these may be one iteration. Where an input comes less often, a repetition may be a step.
 */
static bool are_halves(const struct dp_loops *loops, const struct dp_sequence *kernels)
{
	const struct dp_evidence evidence = dp_sequence__evidence(kernels);
	const struct dp_sequence_loop *loop = dp_loops__main(loops);
	size_t looked = 0, whole = 0;
	bool uploaded = false;

	if (!kernels->has_copies || !loop)
		return false;
	for (size_t i = 0; i < loop->count && looked < dp_param.upload_sample; i++) {
		const struct dp_sequence_iteration *it = &loop->iterations[i];
		bool before = uploaded;

		if (it->partial)
			continue;
		uploaded = false;
		for (size_t k = it->first; k < it->end && !uploaded; k++, looked++)
			uploaded = dp_evidence__look(&evidence, k).after_upload;
		if (whole++ > 0 && uploaded == before)
			return false;
	}
	return whole >= 2 * dp_param.loop_least;
}

int dp_analysis__operations(struct dp_loops **loops, const struct dp_loop_search *search)
{
	const struct dp_sequence *kernels = search->sequence;
	const struct dp_analysis_options *options = search->options;
	struct dp_stream_group group = { 0 };
	struct dp_sequence operations = { 0 };
	struct dp_loops *other = NULL;
	struct row *rows = NULL;
	size_t equal = 0;
	bool halves = are_halves(*loops, kernels), tell;
	int status = tell_iterations(&tell, kernels);

	if (!status && !dp_loops__main(*loops))
		status = find_equal_rows(&rows, &equal, kernels);
	free(rows);
	if (status)
		return status;
	if (!halves && (dp_loops__main(*loops) || (tell && !options->iterations_count && !equal)))
		return DP_OK;
	status = dp_stream_group__with_copies(&group, kernels->trace, search->group);
	if (!status)
		status = dp_sequence__init(&operations, kernels->trace, &group,
					   DP_SYMBOLS_OF_OPERATIONS, options->range_start_ns,
					   options->range_end_ns);
	if (!status && (halves || !tell) && operations.count > kernels->count)
		status = find_in(&other, &operations, search, halves);
	if (!status && other && has_operations(other, kernels) &&
	    (!halves || dp_loops__main(other)->length == 2 * dp_loops__main(*loops)->length))
		dp_loops__swap(loops, &other);
	else if (!status && !halves)
		status = find_again(loops, search, &operations);
	dp_loops__free(other);
	dp_sequence__fini(&operations);
	dp_stream_group__fini(&group);
	return status;
}

/*
 * Returns true if a loop has one of the known numbers of iterations, alone or with others. An
 * unlikely one, or one that repeats more often and is grouped to match, is not preferred to rows.
 */
static bool has_count(const struct dp_loops *loops, const struct dp_analysis_options *options)
{
	for (size_t l = 0; l < loops->count; l++) {
		const struct dp_sequence_loop *loop = &loops->loops[l];

		if (loop->matches_in_sequence ||
		    (dp_analysis__is_requested(options, dp_loops__whole(loop)) &&
		     dp_confidence__listed(&loop->confidence) &&
		     is_unit(loop->pattern, loop->length)))
			return true;
	}
	return false;
}

/*
 * Marks the loops with a known number of iterations as found by it. Returns true if the main loop
 * is one of them.
 */
static bool take_count(struct dp_loops *loops, const struct dp_analysis_options *options)
{
	const struct dp_sequence_loop *main_loop = dp_loops__main(loops);

	for (size_t l = 0; l < loops->count; l++)
		if (dp_analysis__is_requested(options, dp_loops__whole(&loops->loops[l])))
			loops->loops[l].found_by = DP_FOUND_BY_COUNT;
	return main_loop && main_loop->found_by == DP_FOUND_BY_COUNT;
}

int dp_analysis__counted(struct dp_loops **loops, const struct dp_loop_search *search)
{
	struct dp_loops *found;
	int status;

	if (search->options->paper || has_count(*loops, search->options))
		return DP_OK;
	found = dp_alloc__zeroed(1, sizeof(*found));
	if (!found)
		return DP_ERR_NOMEM;
	status = dp_analysis__operations(&found, search);
	if (!status && take_count(found, search->options))
		dp_loops__swap(loops, &found);
	dp_loops__free(found);
	return status;
}
