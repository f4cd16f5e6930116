/*
 * The bottom-up traversal: nodes are the LCP intervals, found with a stack of the open ones in one
 * pass over the LCP array (Abouelhoda, Kurtz, Ohlebusch 2004, algorithm 4.4). Cost: linear; a
 * random access per symbol, as LCP values are kept in text order, which is hidden by prefetching.
 */
#include "suffix/tree.h"

/* How many random reads are under way at once. */
#define AHEAD 32

/* An open node: it starts at left, and its end is not known yet. */
struct open {
	size_t left;
	size_t depth;
};

struct walk {
	const struct dp_suffix_tree *tree;
	int (*visit)(void *ctx, const struct dp_suffix_node *node, size_t parent_depth);
	void *ctx;
	struct open *stack;
	size_t open; /* how many; the root is always open */
	size_t room;
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

static inline void prefetch_plcp(const struct dp_suffix_tree *tree, size_t place, bool wide)
{
	size_t position = sa_at(tree, DP_MIN(place, tree->count - 1), wide);

	__builtin_prefetch((const char *)tree->plcp + position * (wide ? 8 : 4));
}

/* Ends all nodes deeper than depth at place right. */
static inline int close_nodes(struct walk *walk, size_t right, size_t depth, bool wide)
{
	while (walk->stack[walk->open - 1].depth > depth) {
		const struct open *top = &walk->stack[--walk->open];
		struct dp_suffix_node node = { top->left, right, top->depth,
					       sa_at(walk->tree, top->left, wide) };
		int status = walk->visit(walk->ctx, &node, DP_MAX(depth, top[-1].depth));

		if (status)
			return status;
	}
	return 0;
}

static inline int walk_nodes(struct walk *walk, bool wide)
{
	const struct dp_suffix_tree *tree = walk->tree;

	for (size_t i = 1; i < tree->count; i++) {
		size_t depth = plcp_at(tree, sa_at(tree, i, wide), wide), left = i - 1;
		int status;

		prefetch_plcp(tree, i + AHEAD, wide);
		if (depth < walk->stack[walk->open - 1].depth) {
			status = close_nodes(walk, i, depth, wide);
			if (status)
				return status;
			/* The last one that was closed is the first child of what opens now. */
			left = walk->stack[walk->open].left;
		}
		if (depth == walk->stack[walk->open - 1].depth)
			continue;
		if (walk->open == walk->room) {
			status = dp_array__reserve(&walk->stack, &walk->room, walk->open + 1,
						   sizeof(*walk->stack));
			if (status)
				return status;
		}
		walk->stack[walk->open++] = (struct open){ left, depth };
	}
	return close_nodes(walk, tree->count, 0, wide);
}

int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
			    int (*visit)(void *ctx, const struct dp_suffix_node *node,
					 size_t parent_depth),
			    void *ctx)
{
	struct walk walk = { .tree = tree, .visit = visit, .ctx = ctx };
	struct dp_suffix_node root = dp_suffix_tree_root(tree);
	int status = dp_array__reserve(&walk.stack, &walk.room, 64, sizeof(*walk.stack));

	if (status)
		return status;
	walk.stack[walk.open++] = (struct open){ 0, 0 };
	status = tree->wide_index ? walk_nodes(&walk, true) : walk_nodes(&walk, false);
	if (!status)
		status = visit(ctx, &root, 0);
	free(walk.stack);
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

bool dp_suffix_tree_longest_repeat(const struct dp_suffix_tree *tree, size_t min_leaves,
				   size_t max_leaves, struct dp_suffix_node *node,
				   struct dp_error *error)
{
	struct longest longest = { .min_leaves = min_leaves, .max_leaves = max_leaves };

	if (dp_suffix_tree_traverse(tree, keep_deepest, &longest)) {
		dp_error__nomem(error, 0);
		return false;
	}
	if (!longest.node.depth)
		return false;
	*node = longest.node;
	return true;
}
