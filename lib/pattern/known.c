/*
 * The pattern for a known number of iterations i, after Gu et al. ("DeepProf", arXiv 1707.03750)
 * with what fails on real traces mended. One traversal of the suffix tree serves every epsilon:
 * for each bucket b = ceil(log2(|i - c| + 1)) of the occurrences c the longest nodes of up to
 * ceil(n / i) symbols are kept as anchors. An anchor is not the pattern: its occurrences may
 * overlap, and a substring ends at the first insertion. It tells where iterations are at the same
 * place, so the windows from one occurrence to the next are iterations: the one that is there most
 * often is the candidate, else one of median length.
 *
 * Cost: the tree, one traversal, and O(n) for the windows.
 */
#include "pattern/known.h"
#include "base/sort.h"

#include <deepprof/suffix.h>
#include <string.h>

enum {
	BUCKETS = 24,
	PER_BUCKET = 3,
	OCCURRENCES_MAX = 1 << 20,
};

struct anchors {
	uint64_t iterations;
	size_t longest;
	struct dp_suffix_node nodes[BUCKETS][PER_BUCKET]; /* deepest first */
	size_t counts[BUCKETS];
};

static unsigned bucket_of(uint64_t iterations, uint64_t leaves)
{
	uint64_t off = leaves > iterations ? leaves - iterations : iterations - leaves;
	unsigned bucket = 0;

	while (bucket < 63 && (UINT64_C(1) << bucket) < off + 1)
		bucket++;
	return bucket;
}

/* Keeps a node if it is among the deepest of its bucket. */
static int visit(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct anchors *a = ctx;
	uint64_t leaves = dp_suffix_node_leaves(node);
	unsigned b = bucket_of(a->iterations, leaves);
	size_t k;

	/* partial iterations at the ends may hold the substring, too */
	if (node->depth == 0 || leaves < 2 || leaves > a->iterations + 2 || b >= BUCKETS)
		return 0;
	/* a longer one counts by the part that fits, if that is new at this node */
	if (parent_depth >= a->longest)
		return 0;
	k = a->counts[b];
	while (k > 0 && a->nodes[b][k - 1].depth < node->depth)
		k--;
	if (k == PER_BUCKET)
		return 0;
	if (a->counts[b] < PER_BUCKET)
		a->counts[b]++;
	memmove(&a->nodes[b][k + 1], &a->nodes[b][k],
		(a->counts[b] - 1 - k) * sizeof(a->nodes[b][k]));
	a->nodes[b][k] = *node;
	return 0;
}

struct window {
	size_t at, length;
	uint64_t hash;
};

static int by_hash(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_length(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static uint64_t hash_of(const uint32_t *symbols, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ symbols[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 31;
}

/* The window that occurs most often, or the median one where each occurs once. */
static struct window choose(struct window *windows, size_t n)
{
	size_t best = 0, times = 0;

	qsort(windows, n, sizeof(*windows), by_hash);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i; j < n && windows[j].hash == windows[i].hash; j++)
			;
		if (j - i > times) {
			times = j - i;
			best = i;
		}
	}
	if (times < 2) {
		qsort(windows, n, sizeof(*windows), by_length);
		best = n / 2;
	}
	return windows[best];
}

/* The candidate of one anchor: windows about the median gap between its occurrences. */
static int from_anchor(struct dp_guess *candidate, const struct dp_suffix_tree *tree,
		       const struct dp_suffix_node *node, const uint32_t *symbols)
{
	size_t leaves = dp_suffix_node_leaves(node), n = 0, median, made = 0;
	size_t *at = dp_alloc__array(leaves, 2 * sizeof(*at)), *gaps;
	struct window *windows = dp_alloc__array(leaves, sizeof(*windows));
	struct window best;
	int status = DP_ERR_NOMEM;

	if (!at || !windows)
		goto out;
	gaps = at + leaves;
	n = dp_suffix_node_positions(tree, node, at, leaves);
	for (size_t i = 0; i + 1 < n; i++)
		gaps[i] = at[i + 1] - at[i];
	dp_sort__size(gaps, n - 1);
	median = gaps[(n - 1) / 2];
	for (size_t i = 0; i + 1 < n; i++) {
		size_t length = at[i + 1] - at[i];

		if (length * 2 >= median && length * 2 <= median * 3)
			windows[made++] =
				(struct window){ at[i], length, hash_of(symbols + at[i], length) };
	}
	best = choose(windows, made);
	*candidate = (struct dp_guess){
		.at = best.at,
		.length = best.length,
		.gram = DP_MIN(node->depth, best.length),
		.trips = made,
		.score = (double)made / (double)leaves,
		.regular = (double)made / (double)leaves,
	};
	status = DP_OK;
out:
	free(windows);
	free(at);
	return status;
}

int dp_known__candidates(struct dp_guess *candidates, size_t room, const uint32_t *symbols,
			 size_t n, uint64_t iterations)
{
	struct dp_suffix_tree *tree = NULL;
	struct anchors *anchors;
	size_t count = 0;
	int status = DP_ERR_NOMEM;

	if (n < 2 || iterations < 2 || iterations > n)
		return 0;
	anchors = calloc(1, sizeof(*anchors));
	if (!anchors)
		return DP_ERR_NOMEM;
	anchors->iterations = iterations;
	anchors->longest = (n + (size_t)iterations - 1) / (size_t)iterations;
	status = dp_suffix_tree_new(&tree, symbols, n, NULL);
	if (!status)
		status = dp_suffix_tree_traverse(tree, visit, anchors);
	for (size_t b = 0; b < BUCKETS && !status; b++)
		for (size_t k = 0; k < anchors->counts[b] && count < room && !status; k++) {
			if (dp_suffix_node_leaves(&anchors->nodes[b][k]) > OCCURRENCES_MAX)
				continue;
			status = from_anchor(&candidates[count], tree, &anchors->nodes[b][k],
					     symbols);
			count += !status;
		}
	dp_suffix_tree_free(tree);
	free(anchors);
	return status ? status : (int)count;
}
