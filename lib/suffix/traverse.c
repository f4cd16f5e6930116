/*
 * The bottom-up traversal: nodes are the LCP intervals, found with a stack of the open ones in one
 * pass over the LCP array (Abouelhoda, Kurtz, Ohlebusch 2004, algorithm 4.4). Cost: linear; a
 * random access per symbol, as LCP values are kept in text order, which is hidden by prefetching.
 */
#include "suffix/tree.h"

/* How many random reads are under way at once. */
#define AHEAD 64

/*
 * An open node: it starts at left, and its end is not known yet. The stack of these is as deep as
 * the tree, and that of a^n is as deep as it is long, so they are kept as narrow as the arrays.
 */
struct open {
	size_t left;
	size_t depth;
};

struct narrow_open {
	uint32_t left;
	uint32_t depth;
};

struct walk {
	const struct dp_suffix_tree *tree;
	int (*visit)(void *ctx, const struct dp_suffix_node *node, size_t parent_depth);
	void *ctx;
	void *stack; /* struct open, or struct narrow_open */
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

/* The LCP value of a place that is not reached yet, to be prefetched. */
static inline const void *plcp_of(const struct dp_suffix_tree *tree, size_t place, bool wide)
{
	size_t position = sa_at(tree, DP_MIN(place, tree->count - 1), wide);

	return (const char *)tree->plcp + position * (wide ? 8 : 4);
}

static inline struct open open_at(const struct walk *walk, size_t i, bool wide)
{
	const struct narrow_open *narrow = walk->stack;

	if (wide)
		return ((const struct open *)walk->stack)[i];
	return (struct open){ narrow[i].left, narrow[i].depth };
}

static inline int push(struct walk *walk, size_t left, size_t depth, bool wide)
{
	size_t size = wide ? sizeof(struct open) : sizeof(struct narrow_open);

	if (walk->open == walk->room &&
	    dp_array__reserve(&walk->stack, &walk->room, walk->open + 1, size))
		return DP_ERR_NOMEM;
	if (wide)
		((struct open *)walk->stack)[walk->open++] = (struct open){ left, depth };
	else
		((struct narrow_open *)walk->stack)[walk->open++] =
			(struct narrow_open){ (uint32_t)left, (uint32_t)depth };
	return DP_OK;
}

/* Ends all nodes deeper than depth at place right. */
static inline int close_nodes(struct walk *walk, size_t right, size_t depth, bool wide)
{
	struct open top = open_at(walk, walk->open - 1, wide);

	while (top.depth > depth) {
		struct open next = open_at(walk, --walk->open - 1, wide);
		struct dp_suffix_node node = { top.left, right, top.depth,
					       sa_at(walk->tree, top.left, wide) };
		int status = walk->visit(walk->ctx, &node, DP_MAX(depth, next.depth));

		if (status)
			return status;
		top = next;
	}
	return 0;
}

static inline int walk_nodes(struct walk *walk, bool wide)
{
	const struct dp_suffix_tree *tree = walk->tree;
	int status = push(walk, 0, 0, wide);

	for (size_t i = 1; !status && i < tree->count; i++) {
		size_t depth = plcp_at(tree, sa_at(tree, i, wide), wide), left = i - 1;

		__builtin_prefetch(plcp_of(tree, i + AHEAD, wide));
		if (depth < open_at(walk, walk->open - 1, wide).depth) {
			status = close_nodes(walk, i, depth, wide);
			/* The last one that was closed is the first child of what may open now. */
			left = open_at(walk, walk->open, wide).left;
		}
		if (!status && depth > open_at(walk, walk->open - 1, wide).depth)
			status = push(walk, left, depth, wide);
	}
	return status ? status : close_nodes(walk, tree->count, 0, wide);
}

int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
			    int (*visit)(void *ctx, const struct dp_suffix_node *node,
					 size_t parent_depth),
			    void *ctx)
{
	struct walk walk = { .tree = tree, .visit = visit, .ctx = ctx };
	struct dp_suffix_node root = dp_suffix_tree_root(tree);
	int status;

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
