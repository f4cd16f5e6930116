/*
 * The algorithm of Gu, Liu, Zhou, Wang, "DeepProf: Performance Analysis for Deep Learning
 * Applications via Mining GPU Execution Patterns" (arXiv 1707.03750), as published.
 *
 * The search: each epsilon is one traversal of the tree, O(n · searches); epsilon doubles, so there
 * are at most log2(iterations) + 1 traversals.
 *
 * The match, Algorithm 1: at each start the pattern is matched in order; symbols that do not match
 * are skipped and counted. If more than k0 are skipped, the next start is tried; else the search
 * continues after the match. Skipped symbols count from the start on, so a match may begin with
 * some. O(n · (m + k0)).
 */
#include "loops/searches.h"

#include <math.h>

struct traversal {
	uint64_t iterations, epsilon;
	size_t symbols;
	struct dp_paper_pattern *best;
};

static int visit(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct traversal *s = ctx;
	uint64_t leaves = dp_suffix_node_leaves(node);

	if (leaves > s->iterations || s->iterations - leaves >= s->epsilon)
		return 0;
	/* criterion 3 in integers */
	if (node->depth <= s->best->length ||
	    dp_size__mul(node->depth, s->iterations) >= s->symbols)
		return 0;
	*s->best = (struct dp_paper_pattern){ node->position, node->depth, (size_t)leaves,
					      s->epsilon };
	return 0;
}

int dp_paper__search(struct dp_paper_pattern *pattern, const struct dp_suffix_tree *tree,
		     uint64_t iterations, uint64_t epsilon)
{
	struct traversal s = { iterations, DP_MAX(epsilon, 1), dp_suffix_tree_count(tree),
			       pattern };
	int status;

	*pattern = (struct dp_paper_pattern){ 0 };
	if (iterations == 0)
		return DP_OK;
	for (;;) {
		status = dp_suffix_tree_traverse(tree, visit, &s);
		if (status || pattern->length > 0 || s.epsilon >= iterations)
			return status;
		s.epsilon = s.epsilon > UINT64_MAX / 2 ? UINT64_MAX : s.epsilon * 2;
	}
}

/*
 * Matches from one start: appends the iteration, and sets *end to its end; or sets that to 0, and
 * leaves the cut as it was.
 */
static int match(struct dp_cut *cut, size_t *end, const uint32_t *symbols, size_t n, size_t start,
		 const uint32_t *pattern, size_t m, uint64_t max_unmatched)
{
	struct dp_sequence_iteration it = { .first = start, .edits = cut->edit_count };
	size_t matched = 0, at = start;
	int status = DP_OK;

	for (; at < n && matched < m && it.inserted <= max_unmatched && !status; at++)
		if (symbols[at] == pattern[matched])
			matched++;
		else
			status = dp_cut__add_edit(cut, &it, at, matched, DP_EDIT_INSERTED);
	*end = 0;
	if (matched < m || status) {
		cut->edit_count = it.edits;
		return status;
	}
	*end = it.end = at;
	return dp_cut__add_iteration(cut, &it);
}

int dp_paper__match(struct dp_cut *cut, const uint32_t *symbols, size_t n, const uint32_t *pattern,
		    size_t m, uint64_t max_unmatched)
{
	int status = DP_OK;

	for (size_t start = 0, end; m > 0 && start < n && !status; start = end ? end : start + 1)
		status = match(cut, &end, symbols, n, start, pattern, m, max_unmatched);
	return status;
}

static void explain_paper(const struct dp_loops_request *r, uint64_t known,
			  const struct dp_paper_pattern *p)
{
	dp_explain__add(
		r->explain, "paper",
		DP_FACTS({ "known", "count", (double)known },
			 { "length", "count", (double)p->length },
			 { "occurrences", "count", (double)p->occurrences },
			 { "epsilon", "count", (double)p->epsilon }),
		p->length ? "for the {known:iteration} of -n, the longest substring has "
			    "{length:symbol} and occurs {occurrences:time}, with an epsilon of "
			    "{epsilon}"
			  : "for the {known:iteration} of -n, no substring meets the criteria");
}

/* Adds the loop of a pattern, with its iterations as published. */
static int add_published(struct dp_detection *d, const struct dp_paper_pattern *p)
{
	const struct dp_loops_request *r = d->request;
	const uint32_t *pattern = r->symbols + p->at;
	struct dp_cut cut = { 0 };
	struct dp_sequence_loop *loop = dp_loops__add(d->loops);
	int status = DP_ERR_NOMEM;

	if (!loop)
		return status;
	loop->found_by = DP_FOUND_BY_COUNT;
	loop->chosen = true;
	loop->length = p->length;
	loop->occurrences = p->occurrences;
	loop->confidence.loop = loop->confidence.boundary = (double)NAN;
	loop->pattern = dp_pattern__repeat(pattern, p->length, 0, p->length);
	if (loop->pattern)
		status = dp_paper__match(&cut, r->symbols, r->count, pattern, p->length,
					 r->max_unmatched);
	if (!status)
		status = dp_detection__finish_cut(loop, &cut, r->symbols);
	dp_cut__fini(&cut);
	return status;
}

int dp_paper__find(struct dp_detection *d, struct dp_error *error)
{
	const struct dp_loops_request *r = d->request;
	struct dp_suffix_tree *tree = NULL;
	struct dp_paper_pattern p;
	int status = dp_suffix_tree_new(&tree, r->symbols, r->count, error);

	for (size_t i = 0; i < r->counts_count && !status; i++) {
		status = dp_paper__search(&p, tree, r->counts[i], r->epsilon);
		if (status)
			break;
		explain_paper(r, r->counts[i], &p);
		if (p.length > 0)
			status = add_published(d, &p);
	}
	dp_suffix_tree_free(tree);
	return status;
}
