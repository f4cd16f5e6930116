/*
 * The suffix tree of an integer string, on its own, for other tools.
 *
 * The tree of S$ (S with a unique, smallest end marker) is kept as a suffix array and an LCP
 * array; an internal node is an LCP interval: the half-open range [left, right) of the suffix
 * array that holds the suffixes under it (Abouelhoda, Kurtz, Ohlebusch, "Replacing suffix trees
 * with enhanced suffix arrays", 2004). Below 2^31 symbols it takes ten bytes per symbol, up to
 * 2^16 distinct ones: two of text, four of suffix array, four of LCP; twelve above. Children and
 * parents are answered by an index of LCP minima that is built on first demand.
 */
#ifndef DEEPPROF_SUFFIX_H
#define DEEPPROF_SUFFIX_H

#include <deepprof/common.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dp_suffix_tree;

/*
 * A node. An internal node has at least two leaves under it; a leaf has one, and its depth is
 * the length of its suffix without the end marker. The root has depth 0 and the leaves of all
 * suffixes but the end marker's own, which is not kept: so it has no leaf in an empty string and
 * one in a string of one symbol, and is internal nevertheless.
 */
struct dp_suffix_node {
	size_t left; /* first place in the suffix array, [left, right) */
	size_t right;
	size_t depth;	 /* symbols from the root: the length of the node's path label */
	size_t position; /* where in S the path label occurs: the suffix at place left */
};

/* Leaves under a node: how often its path label occurs in S, overlaps counted. */
static inline size_t dp_suffix_node_leaves(const struct dp_suffix_node *node)
{
	return node->right - node->left;
}

/*
 * Builds the tree of symbols[0..count). Symbols may have any values; they are renamed to dense
 * ranks that keep their order. The symbols are copied: the caller may free them.
 *
 * Ownership: *tree is the caller's, to be freed with dp_suffix_tree_free(). On failure *tree is
 * not written. Errors: DP_ERR_NOMEM. Cost: linear time, by induced sorting (Nong, Zhang, Chan
 * 2009, and Karkkainen, Manzini, Puglisi 2009 for the LCP).
 */
DP_API int dp_suffix_tree_new(struct dp_suffix_tree **tree, const uint32_t *symbols, size_t count,
			      struct dp_error *error);

/*
 * The same, but takes ownership of symbols, which malloc() gave, on failure too, and frees it
 * before the arrays are filled: so the peak is ten bytes per symbol, the caller's four included.
 */
DP_API int dp_suffix_tree_take(struct dp_suffix_tree **tree, uint32_t *symbols, size_t count,
			       struct dp_error *error);

/* Frees the tree; NULL is allowed. */
DP_API void dp_suffix_tree_free(struct dp_suffix_tree *tree);

/* Symbols in S. */
DP_API size_t dp_suffix_tree_count(const struct dp_suffix_tree *tree);

/* The position in S of the suffix at a place of the suffix array, place < count. Constant. */
DP_API size_t dp_suffix_tree_suffix(const struct dp_suffix_tree *tree, size_t place);

/* Length of the common prefix of the suffixes at place - 1 and place; 0 for place 0. Constant. */
DP_API size_t dp_suffix_tree_lcp(const struct dp_suffix_tree *tree, size_t place);

/* Bytes that the tree holds, its index included where it was built. */
DP_API size_t dp_suffix_tree_bytes(const struct dp_suffix_tree *tree);

/*
 * Visits all internal nodes, the root last, each after its children, siblings in order.
 * parent_depth is the depth of the node's parent (0 for the root's children, and for the root
 * itself). A visit that returns other than 0 ends the traversal, which then returns that value.
 * Cost: one pass over the LCP array; of the nodes between the current one and the root, 32 KiB
 * and 40 bytes for each change of the steps that they grow by (none where a text goes round).
 * Thread-safe. Errors: DP_ERR_NOMEM.
 */
DP_API int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
				   int (*visit)(void *ctx, const struct dp_suffix_node *node,
						size_t parent_depth),
				   void *ctx);

/* The root. */
DP_API struct dp_suffix_node dp_suffix_tree_root(const struct dp_suffix_tree *tree);

/*
 * The children of an internal node in the order of their first symbols, leaves included (one
 * where only the end marker follows comes first, and has the depth of the node). Start with
 * dp_suffix_child_first() and go on from *child with dp_suffix_child_next(); both return 1 where
 * there is a child, 0 at the end, or a negative status. A leaf has no children.
 *
 * The first use of these, or of dp_suffix_node_parent(), builds an index of less than five bytes
 * per symbol and so must not run while another thread uses the tree. Errors: DP_ERR_NOMEM.
 * Cost: logarithmic, plus the index once.
 */
DP_API int dp_suffix_child_first(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				 struct dp_suffix_node *child);
DP_API int dp_suffix_child_next(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				struct dp_suffix_node *child);

/* The parent of any node but the root: 1 and *parent written, 0 for the root, or a status. */
DP_API int dp_suffix_node_parent(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				 struct dp_suffix_node *parent);

/*
 * The locus of a pattern: true, and *node the highest node whose path label starts with pattern
 * (so its leaves are the pattern's occurrences), or false where the pattern does not occur.
 * An empty pattern occurs everywhere: its locus is the root. node is not written where the answer
 * is false. Cost: O(length · log count), plus the lesser of the node's depth and leaves where the
 * index of the children was not built. Thread-safe.
 */
DP_API bool dp_suffix_tree_find(const struct dp_suffix_tree *tree, const uint32_t *pattern,
				size_t length, struct dp_suffix_node *node);

/*
 * Writes the positions of up to room leaves under a node into positions: all of them ascending
 * if they fit, else the first in the order of their suffixes. Returns how many leaves there are.
 * Cost: O(leaves · log leaves).
 */
DP_API size_t dp_suffix_node_positions(const struct dp_suffix_tree *tree,
				       const struct dp_suffix_node *node, size_t *positions,
				       size_t room);

/*
 * The deepest internal node but the root with at least min_leaves and at most max_leaves leaves:
 * the longest substring that is repeated that often. Of equals the one that is smallest in order.
 * Returns 1; 0 where there is none, or DP_ERR_NOMEM, and then does not write node. Cost: one
 * traversal.
 */
DP_API int dp_suffix_tree_longest_repeat(const struct dp_suffix_tree *tree, size_t min_leaves,
					  size_t max_leaves, struct dp_suffix_node *node,
					  struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
