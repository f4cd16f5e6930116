/*
 * A program's first iteration may be unlike all others: it tries algorithms, compiles, allocates.
 * No alignment finds it, but a known number of iterations shows that it is missing. If exactly one
 * is missing, the kernels next to the loop are accepted as that iteration if they are about as
 * many, mostly have names of the other iterations, and begin like those: with the same kernels, at
 * the sequence's beginning, or after a comparable pause.
 *
 * Cost: linear in the pattern and in the kernels looked at, at most one and a half patterns per
 * side.
 */
#include "loops/searches.h"
#include "base/parameters.h"

/* Where the iteration may be, symbols [low, high), and which iterations it replaces. */
struct range {
	size_t low, high;
	size_t latest; /* the latest position at which it may begin */
	bool is_edge;  /* low is an end of the loop, of another loop or of the sequence */
	size_t at;     /* the index of the new iteration */
	size_t drop;   /* the partial iterations from there on that it replaces */
};

static bool is_same(const struct dp_loops_request *r, uint32_t a, uint32_t b)
{
	return r->family ? r->family[a] == r->family[b] : a == b;
}

/* Returns true if the symbols from `at` on begin like the loop's pattern. */
static bool begins_like_pattern(const struct dp_loops_request *r,
				const struct dp_sequence_loop *loop, size_t at)
{
	size_t n = DP_MIN(loop->length, dp_param.count_begin);

	for (size_t i = 0; i < n; i++)
		if (at + i >= r->count || !is_same(r, r->symbols[at + i], loop->pattern[i]))
			return false;
	return true;
}

/* The pause before a symbol, between launches if they are recorded; -1 if unknown. */
static int64_t pause_ns(const struct dp_evidence *evidence, size_t at)
{
	struct dp_evidence_at here = dp_evidence__look(evidence, at);

	return evidence->launches_recorded ? here.launch_gap_ns : here.kernel_gap_ns;
}

/*
 * Returns true if the pause before a symbol is at least as long as the shortest before an
 * iteration.
 */
static bool is_set_off(const struct dp_loops_request *r, const struct dp_sequence_loop *loop,
		       size_t at)
{
	int64_t least_ns = INT64_MAX;

	if (at == 0 && !r->evidence.clipped_begin)
		return !r->evidence.open_begin;
	if (!r->evidence.at)
		return false;
	for (size_t i = 1; i < loop->count && i < dp_param.named_sample; i++) {
		int64_t ns;

		if (loop->iterations[i].partial)
			continue;
		ns = pause_ns(&r->evidence, loop->iterations[i].first);
		least_ns = DP_MIN(least_ns, ns);
	}
	return least_ns > 0 && pause_ns(&r->evidence, at) >= least_ns;
}

/* Counts the symbols in [first, end) that can be paired with symbols of the pattern by name. */
static int count_common(size_t *common, const struct dp_loops_request *r,
			const struct dp_sequence_loop *loop, size_t first, size_t end)
{
	uint32_t *left = dp_alloc__zeroed(r->alphabet, sizeof(*left));

	if (!left)
		return DP_ERR_NOMEM;
	*common = 0;
	for (size_t i = 0; i < loop->length; i++)
		left[r->family ? r->family[loop->pattern[i]] : loop->pattern[i]]++;
	for (size_t i = first; i < end; i++) {
		uint32_t *one = &left[r->family ? r->family[r->symbols[i]] : r->symbols[i]];

		*common += *one > 0;
		*one -= *one > 0;
	}
	free(left);
	return DP_OK;
}

/* Adds symbols [first, end) as an iteration, in place of those that the range drops. */
static int add_iteration(const struct dp_loops_request *r, struct dp_sequence_loop *loop,
			 const struct range *range, size_t first, size_t end)
{
	struct dp_sequence_iteration added = { .first = first, .end = end };
	struct dp_cut cut = { 0 };
	int status = DP_OK;

	for (size_t i = 0; i < range->at && !status; i++)
		status = dp_cut__add_copy(&cut, &loop->iterations[i], loop->edits);
	if (!status)
		status =
			dp_cut__add_compared(&cut, &added, r->symbols, loop->pattern, loop->length);
	for (size_t i = range->at + range->drop; i < loop->count && !status; i++)
		status = dp_cut__add_copy(&cut, &loop->iterations[i], loop->edits);
	if (!status)
		status = dp_detection__finish_cut(loop, &cut, r->symbols);
	dp_cut__fini(&cut);
	return status;
}

/* Shrinks the range so that it excludes the iterations of other loops. */
static void leave_others(const struct dp_loops *loops, size_t which, struct range *range,
			 bool before)
{
	for (size_t k = 0; k < loops->count; k++) {
		const struct dp_sequence_loop *other = &loops->loops[k];

		for (size_t i = 0; k != which && other->parent != which && i < other->count; i++) {
			const struct dp_sequence_iteration *s = &other->iterations[i];

			if (s->end <= range->low || s->first >= range->high)
				continue;
			if (before)
				range->low = DP_MIN(s->end, range->high);
			else
				range->high = DP_MAX(s->first, range->low);
		}
	}
}

/*
 * The fewest symbols that the missing iteration of a pattern of m may have, and the most: about as
 * many as the others, but what is compiled or tried besides adds more than what is left out.
 */
static size_t shortest(size_t m)
{
	return m - m / dp_param.count_lacks;
}

static size_t longest(size_t m)
{
	return m + m / dp_param.count_adds;
}

/*
 * The range before the first whole iteration, at whose beginning the missing one ends. A partial
 * iteration there may be part or, with as many kernels as a whole one, all of it. Returns false if
 * there is none.
 */
static bool range_before(struct range *range, const struct dp_loops *loops, size_t which)
{
	const struct dp_sequence_loop *loop = &loops->loops[which];
	const struct dp_sequence_iteration *first = loop->iterations;
	const struct dp_sequence_iteration *whole = first->partial ? first + 1 : first;
	size_t m = loop->length;

	if (whole->partial || (first->first == 0 && whole->first < m))
		return false;
	*range = (struct range){ .high = whole->first, .drop = first->partial };
	leave_others(loops, which, range, true);
	range->is_edge = range->high - range->low <= longest(m);
	if (!range->is_edge)
		range->low = range->high - longest(m);
	range->latest = range->high - DP_MIN(shortest(m), range->high);
	if (first->partial)
		range->latest = DP_MIN(range->latest, first->first);
	return range->high - range->low >= shortest(m) && range->low <= range->latest;
}

/*
 * The range after the last whole iteration. Here the missing one has to extend to the end of the
 * range, at another loop or at the end of the sequence, and to hold what a partial iteration has.
 * So a range that is too large is not cut to the longest iteration, but refused by try_range(). The
 * missing iteration may begin after the end of the loop by as much as it may be too short.
 */
static bool range_after(struct range *range, const struct dp_loops *loops, size_t which, size_t n)
{
	const struct dp_sequence_loop *loop = &loops->loops[which];
	const struct dp_sequence_iteration *last = &loop->iterations[loop->count - 1];
	const struct dp_sequence_iteration *whole = last->partial ? last - 1 : last;
	size_t m = loop->length;

	if (whole->partial || (last->end == n && n - whole->end < m))
		return false;
	*range = (struct range){
		.low = whole->end,
		.high = n,
		.latest = whole->end + (m - shortest(m)),
		.is_edge = true,
		.at = (size_t)(whole + 1 - loop->iterations),
		.drop = last->partial,
	};
	leave_others(loops, which, range, false);
	return range->high - range->low >= shortest(m) && last->end <= range->high;
}

/* Adds the content of a range to the loop if it is the missing iteration. */
static int try_range(const struct dp_loops_request *r, struct dp_sequence_loop *loop,
		     const struct range *range, bool *added)
{
	size_t m = loop->length, first = range->low, common;
	int status;

	while (first <= range->latest && !begins_like_pattern(r, loop, first))
		first++;
	if (first > range->latest) {
		if (!range->is_edge || !is_set_off(r, loop, range->low))
			return DP_OK;
		first = range->low;
	}
	if (range->high - first < shortest(m) || range->high - first > longest(m))
		return DP_OK;
	status = count_common(&common, r, loop, first, range->high);
	if (status || common * 2 < m)
		return status;
	*added = true;
	return add_iteration(r, loop, range, first, range->high);
}

int dp_known_count__add(struct dp_detection *detection, size_t which, uint64_t known)
{
	const struct dp_loops_request *r = detection->request;
	struct dp_sequence_loop *loop = &detection->loops->loops[which];
	struct range range;
	size_t whole = dp_loops__whole(loop);
	bool added = false;
	int status = DP_OK;

	/* a single iteration does not show what the others look like */
	if (whole < 2 || whole + 1 != known)
		return DP_OK;
	if (range_before(&range, detection->loops, which))
		status = try_range(r, loop, &range, &added);
	if (!status && !added && range_after(&range, detection->loops, which, r->count))
		status = try_range(r, loop, &range, &added);
	return status;
}
