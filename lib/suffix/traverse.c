/*
 * The bottom-up traversal: nodes are the LCP intervals, found with a stack of the open ones, whose
 * ends are not known yet, in one pass over the LCP array (Abouelhoda, Kurtz, Ohlebusch 2004,
 * algorithm 4.4).
 *
 * The stack is as deep as the tree, which for a^n is as deep as the text is long. But open nodes
 * are prefixes of one suffix, each of which occurs elsewhere with another symbol after it. More of
 * them than about the square root of the text's length only fit if these occurrences overlap, so if
 * the suffix is periodic (Fine, Wilf, "Uniqueness theorems for periodic functions", 1965), and then
 * left end and depth grow by the same steps again and again. So the stack is kept as arithmetic
 * progressions, and is short for any text.
 *
 * Cost: linear; a random access per symbol, as LCP values are kept in text order, which is hidden
 * by prefetching; memory per progression.
 */
#include "suffix/tree.h"

/* How many random reads are under way at once. */
#define AHEAD 64

/* An open node, or by how much one differs from the node below it. */
struct open {
	size_t left;
	size_t depth;
};

/* Consecutive open nodes, each one step beyond the one below it. */
struct progression {
	struct open last;
	struct open step; /* unused while there is one node */
	size_t count;
};

struct walk {
	const struct dp_suffix_tree *tree;
	int (*visit)(void *ctx, const struct dp_suffix_node *node, size_t parent_depth);
	void *ctx;
	struct progression *stack; /* the root is always open */
	size_t count, room;
};

static inline struct open last_open(const struct walk *walk)
{
	return walk->stack[walk->count - 1].last;
}

static inline int push(struct walk *walk, struct open node)
{
	if (walk->count > 0) {
		struct progression *top = &walk->stack[walk->count - 1];
		struct open step = { node.left - top->last.left, node.depth - top->last.depth };

		if (top->count == 1 ||
		    (step.left == top->step.left && step.depth == top->step.depth)) {
			*top = (struct progression){ node, step, top->count + 1 };
			return DP_OK;
		}
	}
	if (walk->count == walk->room &&
	    dp_array__reserve(&walk->stack, &walk->room, walk->count + 1, sizeof(*walk->stack)))
		return DP_ERR_NOMEM;
	walk->stack[walk->count++] = (struct progression){ .last = node, .count = 1 };
	return DP_OK;
}

static inline struct open pop(struct walk *walk)
{
	struct progression *top = &walk->stack[walk->count - 1];
	struct open node = top->last;

	top->last.left -= top->step.left;
	top->last.depth -= top->step.depth;
	walk->count -= --top->count == 0;
	return node;
}

/* The LCP value of a place that is not reached yet, to be prefetched. */
static inline const void *plcp_of(const struct dp_suffix_tree *tree, size_t place)
{
	size_t position = dp_suffix__sa(tree, DP_MIN(place, tree->count - 1));

	return (const char *)tree->plcp + position * (tree->wide_index ? 8 : 4);
}

/* Ends all nodes deeper than depth at place right; writes where the last of them started. */
static int close_nodes(struct walk *walk, size_t right, size_t depth, size_t *left)
{
	while (last_open(walk).depth > depth) {
		struct open last = pop(walk);
		struct dp_suffix_node node = { last.left, right, last.depth,
					       dp_suffix__sa(walk->tree, last.left) };
		int status = walk->visit(walk->ctx, &node, DP_MAX(depth, last_open(walk).depth));

		if (status)
			return status;
		*left = last.left;
	}
	return 0;
}

static int walk_nodes(struct walk *walk)
{
	const struct dp_suffix_tree *tree = walk->tree;
	int status = push(walk, (struct open){ 0, 0 });
	size_t left = 0;

	for (size_t i = 1; !status && i < tree->count; i++) {
		size_t depth = dp_suffix__lcp(tree, i);

		__builtin_prefetch(plcp_of(tree, i + AHEAD));
		left = i - 1;
		/* The last one that is closed is the first child of what may open then. */
		if (depth < last_open(walk).depth)
			status = close_nodes(walk, i, depth, &left);
		if (!status && depth > last_open(walk).depth)
			status = push(walk, (struct open){ left, depth });
	}
	return status ? status : close_nodes(walk, tree->count, 0, &left);
}

int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
			    int (*visit)(void *ctx, const struct dp_suffix_node *node,
					 size_t parent_depth),
			    void *ctx)
{
	struct walk walk = { .tree = tree, .visit = visit, .ctx = ctx };
	struct dp_suffix_node root = dp_suffix_tree_root(tree);
	int status = walk_nodes(&walk);

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
