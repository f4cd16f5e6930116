/*
 * The bottom-up traversal: nodes are the LCP intervals, found with a stack of the open ones in one
 * pass over the LCP array (Abouelhoda, Kurtz, Ohlebusch 2004, algorithm 4.4). Cost: linear; a
 * random access per symbol, as LCP values are kept in text order, which is hidden by prefetching.
 */
#include "suffix/open.h"
#include "suffix/tree.h"

/* How many random reads are under way at once. */
#define AHEAD 64

struct walk {
	const struct dp_suffix_tree *tree;
	int (*visit)(void *ctx, const struct dp_suffix_node *node, size_t parent_depth);
	void *ctx;
	struct dp_open_nodes open; /* the root always is */
};

static inline size_t sa_at(const struct dp_suffix_tree *tree, size_t place, bool wide)
{
	return wide ? (size_t)((const int64_t *)tree->sa)[place]
		    : (size_t)((const int32_t *)tree->sa)[place];
}

static inline size_t plcp_at(const struct dp_suffix_tree *tree, size_t position, bool wide)
{
	return wide ? (size_t)((const int64_t *)tree->plcp)[position]
		    : (size_t)((const int32_t *)tree->plcp)[position];
}

/* The LCP value of a place that is not reached yet, to be prefetched. */
static inline const void *plcp_of(const struct dp_suffix_tree *tree, size_t place, bool wide)
{
	size_t position = sa_at(tree, DP_MIN(place, tree->count - 1), wide);

	return (const char *)tree->plcp + position * (wide ? 8 : 4);
}

/* Ends all nodes deeper than depth at place right; writes where the last of them started. */
static inline int close_nodes(struct walk *walk, size_t right, size_t depth, size_t *left,
			      bool wide)
{
	while (dp_open__last(&walk->open)->depth > depth) {
		struct dp_open last = dp_open__pop(&walk->open);
		struct dp_suffix_node node = { last.left, right, last.depth,
					       sa_at(walk->tree, last.left, wide) };
		size_t above = dp_open__last(&walk->open)->depth;
		int status = walk->visit(walk->ctx, &node, DP_MAX(depth, above));

		if (status)
			return status;
		*left = last.left;
	}
	return 0;
}

static inline int walk_nodes(struct walk *walk, bool wide)
{
	const struct dp_suffix_tree *tree = walk->tree;
	int status = dp_open__push(&walk->open, 0, 0);
	size_t left = 0;

	for (size_t i = 1; !status && i < tree->count; i++) {
		size_t depth = plcp_at(tree, sa_at(tree, i, wide), wide);

		__builtin_prefetch(plcp_of(tree, i + AHEAD, wide));
		left = i - 1;
		/* The last one that is closed is the first child of what may open then. */
		if (depth < dp_open__last(&walk->open)->depth)
			status = close_nodes(walk, i, depth, &left, wide);
		if (!status && depth > dp_open__last(&walk->open)->depth)
			status = dp_open__push(&walk->open, left, depth);
	}
	return status ? status : close_nodes(walk, tree->count, 0, &left, wide);
}

int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
			    int (*visit)(void *ctx, const struct dp_suffix_node *node,
					 size_t parent_depth),
			    void *ctx)
{
	struct walk walk = { .tree = tree, .visit = visit, .ctx = ctx };
	struct dp_suffix_node root = dp_suffix_tree_root(tree);
	int status = dp_open__init(&walk.open, tree->count);

	if (!status)
		status = tree->wide_index ? walk_nodes(&walk, true) : walk_nodes(&walk, false);
	if (!status)
		status = visit(ctx, &root, 0);
	dp_open__fini(&walk.open);
	return status;
}

struct longest {
	struct dp_suffix_node node;
	size_t min_leaves;
	size_t max_leaves;
};

static int keep_deepest(void *ctx, const struct dp_suffix_node *node, size_t parent_depth)
{
	struct longest *longest = ctx;
	size_t leaves = dp_suffix_node_leaves(node);

	if (node->depth > longest->node.depth && leaves >= longest->min_leaves &&
	    leaves <= longest->max_leaves)
		longest->node = *node;
	return 0;
}

int dp_suffix_tree_longest_repeat(const struct dp_suffix_tree *tree, size_t min_leaves,
				   size_t max_leaves, struct dp_suffix_node *node,
				   struct dp_error *error)
{
	struct longest longest = { .min_leaves = min_leaves, .max_leaves = max_leaves };

	if (dp_suffix_tree_traverse(tree, keep_deepest, &longest))
		return dp_error__nomem(error, 0);
	if (!longest.node.depth)
		return 0;
	*node = longest.node;
	return 1;
}
