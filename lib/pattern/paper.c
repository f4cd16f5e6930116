/*
 * The pattern search of Gu, Liu, Zhou, Wang, "DeepProf" (arXiv 1707.03750), as published. Each
 * epsilon is one traversal of the tree, O(n · searches); epsilon doubles, so there are at most
 * log2(iterations) + 1 traversals.
 */
#include "pattern/paper.h"

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
