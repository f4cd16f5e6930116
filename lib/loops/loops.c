/*
 * Entry point. Unaided, the loops are those of the tree (tree.c). For known numbers of iterations,
 * they are the loops of the tree that have these numbers, or else what repeats about as often; or
 * the paper's algorithm is run as published (paper.c).
 *
 * Cost: that of the tree, once more if it lacks a number, plus one more search if none of its loops
 * is near that.
 */
#include "loops/loops.h"
#include "base/parameters.h"
#include "loops/searches.h"

#include <math.h>

/*
 * Sets *merge to true if there are several families and any two names share one. Errors:
 * DP_ERR_NOMEM.
 */
static int families_merge(const struct dp_loops_request *r, bool *merge)
{
	bool *seen = dp_alloc__zeroed(r->alphabet, sizeof(*seen)), several = false;

	if (!seen)
		return DP_ERR_NOMEM;
	*merge = false;
	for (uint32_t i = 0; i < r->alphabet; i++) {
		uint32_t family = r->family[i];

		*merge |= family >= r->alphabet || seen[family];
		several |= family != r->family[0];
		if (family < r->alphabet)
			seen[family] = true;
	}
	*merge &= several;
	free(seen);
	return DP_OK;
}

static int use_families(struct dp_detection *d)
{
	const struct dp_loops_request *r = d->request;
	bool merge = false;
	int status;

	d->sequence = (struct dp_search_sequence){ r->symbols, r->count,   r->alphabet,
						   NULL,       r->explain, r->evidence.open_end };
	if (!r->family)
		return DP_OK;
	status = families_merge(r, &merge);
	if (status || !merge)
		return status;
	d->coarse = dp_alloc__array(r->count, sizeof(*d->coarse));
	if (!d->coarse)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < r->count; i++)
		d->coarse[i] = r->family[r->symbols[i]];
	d->sequence.symbols = d->coarse;
	return DP_OK;
}

/* By how much a loop's number of iterations differs from the known one, as a share. */
static double misfit(const struct dp_sequence_loop *loop, uint64_t count)
{
	return fabs((double)dp_loops__whole(loop) - (double)count) / (double)count;
}

/* Returns true if a loop has the known number, or one or two less that the capture cut off. */
static bool is_near(const struct dp_sequence_loop *loop, uint64_t known)
{
	double off = misfit(loop, known);

	return off <= dp_param.count_near ||
	       (known >= dp_param.count_few && off * (double)known <= dp_param.count_off);
}

/* Returns true if a loop is inside another at any depth. Loops come outermost first. */
static bool is_inside(const struct dp_loops *loops, size_t loop, size_t other)
{
	uint32_t parent = loops->loops[loop].parent;

	while (parent != DP_NONE && parent != other)
		parent = loops->loops[parent].parent;
	return parent != DP_NONE;
}

/*
 * Returns true if a loop would be reported without a known number: it is chosen, or the chosen ones
 * inside are not listed.
 */
static bool is_reported(const struct dp_loops *loops, size_t which)
{
	bool around = false;

	if (!dp_confidence__listed(&loops->loops[which].confidence))
		return false;
	for (size_t i = 0; i < loops->count; i++) {
		const struct dp_sequence_loop *loop = &loops->loops[i];

		if (!loop->chosen || !is_inside(loops, i, which))
			continue;
		if (dp_confidence__listed(&loop->confidence))
			return loops->loops[which].chosen;
		around = true;
	}
	return loops->loops[which].chosen || around;
}

/*
 * Returns true if a loop is worth showing for a known number: it has it, may get it, or would be
 * reported without it.
 */
static bool is_answer(const struct dp_loops *loops, size_t which, uint64_t known)
{
	const struct dp_sequence_loop *loop = &loops->loops[which];

	return is_near(loop, known) || dp_loops__whole(loop) + 1 == known ||
	       is_reported(loops, which);
}

/* Loops, and which of them is the loop of each known number, or DP_NONE. */
struct assignment {
	struct dp_loops loops;
	uint32_t *loop_of;
};

static void assignment_fini(struct assignment *a)
{
	dp_loops__fini(&a->loops);
	free(a->loop_of);
}

static bool is_assigned(const struct assignment *a, size_t count, uint32_t loop)
{
	for (size_t i = 0; i < count; i++)
		if (a->loop_of[i] == loop)
			return true;
	return false;
}

/* Explains which loop comes nearest to a known number of iterations. */
static void explain_count(const struct assignment *a, size_t i, const struct dp_loops_request *r)
{
	const struct dp_sequence_loop *loop;
	double known = (double)r->counts[i];

	if (a->loop_of[i] == DP_NONE) {
		dp_explain__add(r->explain, "count", DP_FACTS({ "known", "count", known }),
				"no loop is near the {known:iteration} of -n");
		return;
	}
	loop = &a->loops.loops[a->loop_of[i]];
	dp_explain__add(r->explain, "count",
			DP_FACTS({ "known", "count", known },
				 { "iterations", "count", (double)dp_loops__whole(loop) },
				 { "length", "count", (double)loop->length }),
			"nearest to the {known:iteration} of -n is the loop of {length:symbol} "
			"with {iterations}");
}

/*
 * Of the loops and numbers left, assigns the nearest pair; of equally near loops, the
 * likeliest, whose number an unaided report suggests. Returns false if there is none.
 */
static bool assign_nearest(struct assignment *a, const struct dp_loops_request *r)
{
	size_t n = r->counts_count, number = n;
	uint32_t nearest = DP_NONE;
	double least = INFINITY, likeliest = 0;

	for (size_t i = 0; i < n; i++) {
		for (uint32_t k = 0; a->loop_of[i] == DP_NONE && k < a->loops.count; k++) {
			const struct dp_sequence_loop *loop = &a->loops.loops[k];
			double off = misfit(loop, r->counts[i]);
			double likely = dp_confidence__of(&loop->confidence);

			if (off > least || (off == least && likely <= likeliest) ||
			    !is_answer(&a->loops, k, r->counts[i]) || is_assigned(a, n, k))
				continue;
			least = off;
			likeliest = likely;
			number = i;
			nearest = k;
		}
	}
	if (number < n)
		a->loop_of[number] = nearest;
	return number < n;
}

/*
 * Assigns to each known number the nearest loop that no other number has. The number that comes
 * nearest to a loop is the first.
 */
static int assign(struct assignment *a, const struct dp_loops_request *r)
{
	a->loop_of = dp_alloc__array(r->counts_count, sizeof(*a->loop_of));
	if (!a->loop_of)
		return DP_ERR_NOMEM;
	for (size_t i = 0; i < r->counts_count; i++)
		a->loop_of[i] = DP_NONE;
	while (assign_nearest(a, r))
		;
	for (size_t i = 0; i < r->counts_count; i++)
		explain_count(a, i, r);
	return DP_OK;
}

/* Counts the known numbers that are assigned to a loop near them. */
static size_t count_near(const struct assignment *a, const struct dp_loops_request *r)
{
	size_t near = 0;

	for (size_t i = 0; i < r->counts_count && a->loop_of; i++)
		near += a->loop_of[i] != DP_NONE &&
			is_near(&a->loops.loops[a->loop_of[i]], r->counts[i]);
	return near;
}

/* Returns true if each known number is that of a loop. */
static bool has_all(const struct assignment *a, const struct dp_loops_request *r)
{
	size_t exact = 0;

	for (size_t i = 0; i < r->counts_count && a->loop_of; i++)
		exact += a->loop_of[i] != DP_NONE &&
			 dp_loops__whole(&a->loops.loops[a->loop_of[i]]) == r->counts[i];
	return exact == r->counts_count;
}

/* By how much all known numbers are missed; infinite if one has no loop. */
static double misfit_of(const struct assignment *a, const struct dp_loops_request *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->counts_count; i++)
		sum += a->loop_of[i] == DP_NONE
			       ? (double)INFINITY
			       : misfit(&a->loops.loops[a->loop_of[i]], r->counts[i]);
	return sum;
}

/*
 * Returns true if the loops of a search by count are better than those of the tree: they are near
 * more of the numbers and, where they miss one, cover as much as the tree's likely loop. A number
 * that is not met is no evidence that parts of several loops are one.
 */
static bool is_better(const struct assignment *by_count, const struct assignment *tree,
		      const struct dp_loops_request *r)
{
	const struct dp_sequence_loop *likely = dp_loops__main(&tree->loops);

	if (count_near(by_count, r) <= count_near(tree, r))
		return false;
	for (size_t i = 0; i < r->counts_count && likely; i++) {
		const struct dp_sequence_loop *loop;

		if (by_count->loop_of[i] == DP_NONE)
			continue;
		loop = &by_count->loops.loops[by_count->loop_of[i]];
		if (dp_loops__whole(loop) != r->counts[i] &&
		    dp_confidence__listed(&likely->confidence) &&
		    dp_loops__covered(loop) < dp_loops__covered(likely))
			return false;
	}
	return true;
}

/*
 * The confidence of a loop whose number of iterations is given. What does not repeat can be cut
 * into any number of parts, so the number counts only as far as iterations equal the pattern; and
 * what repeats more often can be grouped into any number, so it does not count then. One of the
 * iterations is the pattern itself and shows nothing.
 */
static int judge_count(struct dp_detection *d, struct dp_sequence_loop *loop, bool matches)
{
	size_t whole = dp_loops__whole(loop), equal = dp_loops__equal(loop);
	size_t period;
	int status = dp_pattern__period(&period, loop->pattern, loop->length);

	if (status)
		return status;
	loop->confidence.feature[DP_FEATURE_COUNT_GIVEN] =
		matches && equal > 1 && period == loop->length
			? (double)(equal - 1) / (double)(whole - 1)
			: 0;
	dp_loops__judge(loop);
	dp_confidence__explain(&loop->confidence, d->request->explain, loop->length, whole);
	return DP_OK;
}

/*
 * Completes a loop for a known number of iterations. If it still lacks the number, it keeps the
 * confidence it had unaided.
 */
static int match_count(struct dp_detection *d, size_t which, uint64_t known)
{
	int status = dp_known_count__add(d, which, known);
	struct dp_sequence_loop *loop = &d->loops->loops[which];

	if (status || !is_near(loop, known))
		return status;
	return judge_count(d, loop, dp_loops__whole(loop) == known);
}

/* Returns an array for the new index of each loop, DP_NONE so far, or NULL. */
static uint32_t *none_kept(const struct dp_loops *loops)
{
	uint32_t *made = dp_alloc__array(loops->count, sizeof(*made));

	for (size_t k = 0; made && k < loops->count; k++)
		made[k] = DP_NONE;
	return made;
}

/*
 * Moves the loops whose made[i] is set to the detection, which has none, and sets it to their new
 * index.
 */
static int move_loops(struct dp_detection *d, struct dp_loops *from, uint32_t *made)
{
	uint32_t count = 0;
	int status;

	for (size_t k = 0; k < from->count; k++)
		if (made[k] != DP_NONE)
			made[k] = count++;
	status = dp_loops__reorder(from, made);
	if (!status)
		dp_loops__move(d->loops, from);
	return status;
}

/* Moves the loops that are assigned to numbers to the detection, and completes them. */
static int take_assigned(struct dp_detection *d, struct assignment *a)
{
	struct dp_loops *from = &a->loops;
	size_t n = d->request->counts_count;
	uint32_t *made = none_kept(from);
	int status = made ? DP_OK : DP_ERR_NOMEM;

	for (size_t i = 0; i < n && !status; i++)
		if (a->loop_of[i] != DP_NONE)
			made[a->loop_of[i]] = 0;
	/* with several numbers, the nested loops may be among them */
	for (size_t k = 0; n == 1 && a->loop_of[0] != DP_NONE && k < from->count && !status; k++)
		if (is_inside(from, k, a->loop_of[0]) &&
		    dp_confidence__listed(&from->loops[k].confidence)) {
			made[k] = 0;
			from->loops[k].chosen = false;
		}
	if (!status)
		status = move_loops(d, from, made);
	for (size_t i = 0; i < n && !status; i++) {
		struct dp_sequence_loop *loop;

		if (a->loop_of[i] == DP_NONE)
			continue;
		loop = &d->loops->loops[made[a->loop_of[i]]];
		loop->found_by = DP_FOUND_BY_COUNT;
		loop->chosen = true;
		status = match_count(d, made[a->loop_of[i]], d->request->counts[i]);
	}
	free(made);
	return status;
}

/*
 * Marks the chosen loops of similar length that follow each other: one loop of the program,
 * recompiled midway. Returns the sum of their iterations, or 0 if there is no such row.
 */
static size_t find_row(const struct dp_loops *loops, uint32_t *made)
{
	const struct dp_sequence_loop *most = dp_loops__main(loops), *last = NULL;
	size_t sum = 0, n = 0;

	for (size_t k = 0; k < loops->count; k++) {
		const struct dp_sequence_loop *loop = &loops->loops[k];

		if (!loop->chosen || loop->parent != DP_NONE || dp_loops__whole(loop) < 2 ||
		    loop->length * 2 < most->length || loop->length > 2 * most->length)
			continue;
		if (last && last->iterations[last->count - 1].end > loop->iterations[0].first)
			return 0;
		made[k] = 0;
		sum += dp_loops__whole(loop);
		last = loop;
		n++;
	}
	return n > 1 ? sum : 0;
}

/* Takes a row of loops that together have the known number, and their inner loops. */
static int take_row(struct dp_detection *d, struct dp_loops *from, bool *taken)
{
	const struct dp_loops_request *r = d->request;
	uint32_t *made = none_kept(from);
	int status = made ? DP_OK : DP_ERR_NOMEM;

	*taken = made && r->counts_count == 1 && find_row(from, made) == r->counts[0];
	if (!*taken)
		goto out;
	/* those of the row have no parent, and parents come first */
	for (size_t k = 0; k < from->count; k++)
		if (from->loops[k].parent != DP_NONE)
			made[k] = made[from->loops[k].parent];
	status = move_loops(d, from, made);
	for (size_t k = 0; k < d->loops->count && !status; k++) {
		struct dp_sequence_loop *loop = &d->loops->loops[k];

		loop->chosen = loop->matches_in_sequence = loop->parent == DP_NONE;
		loop->found_by = loop->chosen ? DP_FOUND_BY_COUNT : DP_FOUND_BY_AUTO;
		if (loop->chosen)
			status = judge_count(d, loop, true);
	}
out:
	free(made);
	return status;
}

/*
 * Finds the tree of loops as if no number were known, except that one votes on where iterations
 * begin; with those of little confidence if keep_all is set.
 */
static int search_tree(struct assignment *tree, struct dp_detection *d, bool keep_all)
{
	const struct dp_loops_request *r = d->request;
	struct dp_loops_request unaided = *r;
	struct dp_loops *loops = d->loops;
	int status;

	unaided.counts = NULL;
	unaided.counts_count = 0;
	d->request = &unaided;
	d->loops = &tree->loops;
	d->keep_all = keep_all;
	status = dp_detection__tree(d);
	d->request = r;
	d->loops = loops;
	d->keep_all = false;
	return status ? status : assign(tree, r);
}

/*
 * Finds the tree of listed loops. Those of little confidence may take what listed ones would have,
 * or leave too little for another search, but a number that a report without -n shows has to match.
 */
static int search_listed(struct assignment *listed, const struct dp_detection *d)
{
	struct dp_detection again = { .request = d->request };
	int status = use_families(&again);

	dp_explain__add(d->request->explain, "count", DP_FACTS({ "loops", "count", 0 }),
			"not all numbers of -n are those of loops found so: the search is repeated "
			"as without -n, where loops of little confidence are left out at once");
	if (!status)
		status = search_tree(listed, &again, false);
	dp_detection__fini(&again);
	return status;
}

/* Finds what repeats about as often as the known numbers, at any level. */
static int search_counts(struct assignment *by_count, struct dp_detection *d)
{
	const struct dp_loops_request *r = d->request;
	struct dp_loops *loops = d->loops;
	struct dp_patterns patterns = { .count = 0 };
	uint32_t made[DP_PATTERNS_MAX];
	int status = dp_search__counts(&patterns, &d->sequence, r->counts, r->counts_count);

	d->loops = &by_count->loops;
	if (!status)
		status = dp_detection__make_loops(made, d, &patterns, NULL);
	d->loops = loops;
	dp_patterns__fini(&patterns);
	if (status)
		return status;
	status = dp_detection__sort(&by_count->loops, 0, by_count->loops.count);
	return status ? status : assign(by_count, r);
}

/* Notes the most likely loop of the tree if no listed loop has the known number. */
static void note_likely(struct dp_detection *d, const struct dp_loops *tree, uint64_t known)
{
	const struct dp_sequence_loop *likely = NULL;

	for (size_t k = 0; k < tree->count; k++) {
		const struct dp_sequence_loop *loop = &tree->loops[k];

		if (dp_loops__whole(loop) == known && dp_confidence__listed(&loop->confidence))
			return;
		if (loop->chosen && loop->confidence.loop > dp_param.count_likely &&
		    (!likely || dp_loops__covered(loop) > dp_loops__covered(likely)))
			likely = loop;
	}
	if (likely)
		d->loops->likely = dp_loops__describe(likely, d->request->count);
}

/*
 * Takes the loops of the tree if they are near all known numbers; else those of the search by
 * count, if they are better; else loops of the tree in sequence that together have the only number;
 * else those of the tree that come nearest.
 */
static int choose_assignment(struct dp_detection *d, struct assignment *tree,
			     struct assignment *by_count)
{
	const struct dp_loops_request *r = d->request;
	bool taken = false;
	int status;

	if (count_near(tree, r) == r->counts_count)
		return take_assigned(d, tree);
	if (is_better(by_count, tree, r)) {
		status = take_assigned(d, by_count);
		if (!status && r->counts_count == 1 && d->loops->count == 1)
			status = dp_loops__inside(d->loops, &tree->loops);
		return status;
	}
	status = take_row(d, &tree->loops, &taken);
	return status || taken ? status : take_assigned(d, tree);
}

/*
 * Searches the tree and, if it lacks a known number, the same suffix tree for the numbers. Of the
 * trees with and without loops of little confidence, the one whose loops come nearer counts.
 */
static int find_counts(struct dp_detection *d)
{
	const struct dp_loops_request *r = d->request;
	struct assignment tree = { .loop_of = NULL }, listed = tree, by_count = tree, *best = &tree;
	int status = search_tree(&tree, d, true);

	if (!status && !has_all(&tree, r))
		status = search_listed(&listed, d);
	if (!status && listed.loop_of && misfit_of(&listed, r) < misfit_of(&tree, r))
		best = &listed;
	if (!status && r->counts_count == 1)
		note_likely(d, &best->loops, r->counts[0]);
	if (!status && count_near(best, r) < r->counts_count)
		status = search_counts(&by_count, d);
	if (!status)
		status = choose_assignment(d, best, &by_count);
	assignment_fini(&by_count);
	assignment_fini(&listed);
	assignment_fini(&tree);
	return status;
}

static int find_loops(struct dp_detection *d)
{
	int status = use_families(d);

	if (status)
		return status;
	return d->request->counts_count ? find_counts(d) : dp_detection__tree(d);
}

static int check_counts(const struct dp_loops_request *r, struct dp_error *error)
{
	for (size_t i = 0; i < r->counts_count; i++)
		if (r->counts[i] == 0 || r->counts[i] > r->count)
			return dp_error__set(
				error, DP_ERR_ARGUMENT,
				"%llu iterations are impossible: the stream has only %zu %s",
				(unsigned long long)r->counts[i], r->count,
				r->count == 1 ? "kernel" : "kernels");
	if (r->paper && r->counts_count == 0)
		return dp_error__set(error, DP_ERR_ARGUMENT,
				     "the paper's algorithm needs the number of iterations");
	return DP_OK;
}

int dp_loops__find(struct dp_loops **loops, const struct dp_loops_request *request,
		   struct dp_error *error)
{
	struct dp_loops_request known = *request;
	struct dp_detection d = { .request = &known };
	int status = check_counts(request, error);

	if (status)
		return status;
	known.evidence.numbers = request->counts;
	known.evidence.number_count = request->counts_count;
	d.loops = calloc(1, sizeof(*d.loops));
	if (!d.loops)
		return dp_error__nomem(error, sizeof(*d.loops));
	dp_explain__add(request->explain, "sequence",
			DP_FACTS({ "symbols", "count", (double)request->count },
				 { "names", "count", request->alphabet }),
			"a sequence of {symbols:symbol} with {names:different name}");
	if (request->count > 0)
		status = request->paper ? dp_paper__find(&d, error) : find_loops(&d);
	dp_detection__fini(&d);
	if (!status && request->explain)
		status = request->explain->status;
	if (status) {
		dp_loops__free(d.loops);
		return status == DP_ERR_NOMEM ? dp_error__nomem(error, 0) : status;
	}
	if (d.loops->count > 0)
		d.loops->best = (struct dp_unlisted){ 0 };
	*loops = d.loops;
	return DP_OK;
}
