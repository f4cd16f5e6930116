/*
 * The suffix tree of an integer string, usable on its own.
 *
 * The tree of S$ (S with a unique, smallest end marker) is stored as a suffix array and an LCP
 * array. An internal node is an LCP interval: the half-open range [left, right) of the suffix array
 * that holds the suffixes under the node (Abouelhoda, Kurtz, Ohlebusch, "Replacing suffix trees
 * with enhanced suffix arrays", 2004). Below 2^31 symbols the tree takes ten bytes per symbol (two
 * for the text, four for the suffix array, four for the LCP array), or twelve with more than 2^16
 * distinct symbols. Queries for children and parents use an index of LCP minima, which the first of
 * them builds.
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
 * A node. An internal node has at least two leaves under it. A leaf has one, itself, and its depth
 * is the length of its suffix without the end marker. The root has depth 0 and all leaves except
 * that of the end marker alone, which is not stored: it is an internal node even of an empty
 * string, where it has no leaf, and of a string of one symbol, where it has one.
 */
struct dp_suffix_node {
	size_t left; /* first place in the suffix array, [left, right) */
	size_t right;
	size_t depth;	 /* symbols from the root: the length of the node's path label */
	size_t position; /* of an occurrence of the path label in S: the suffix at place left */
};

/* The leaves under a node: how often its path label occurs in S, overlaps included. */
static inline size_t dp_suffix_node_leaves(const struct dp_suffix_node *node)
{
	return node->right - node->left;
}

/*
 * Builds the tree of symbols[0..count). Symbols may have any values; internally they are renamed to
 * dense ranks in the same order. They are copied, so that the caller may free them.
 *
 * Ownership: the caller frees *tree with dp_suffix_tree_free(). On failure *tree is not written.
 * Errors: DP_ERR_NOMEM. Cost: linear time, by induced sorting (Nong, Zhang, Chan 2009) and, for the
 * LCP array, the permuted array (Karkkainen, Manzini, Puglisi 2009).
 */
DP_API int dp_suffix_tree_new(struct dp_suffix_tree **tree, const uint32_t *symbols, size_t count,
			      struct dp_error *error);

/*
 * The same without a copy: takes ownership of symbols, which must come from malloc(), even on
 * failure. It frees them before it fills the arrays, so that the peak is ten bytes per symbol, the
 * caller's four included.
 */
DP_API int dp_suffix_tree_take(struct dp_suffix_tree **tree, uint32_t *symbols, size_t count,
			       struct dp_error *error);

/* Frees the tree; NULL is allowed. */
DP_API void dp_suffix_tree_free(struct dp_suffix_tree *tree);

/* The number of symbols in S. */
DP_API size_t dp_suffix_tree_count(const struct dp_suffix_tree *tree);

/* The position in S of the suffix at a place of the suffix array, place < count. Constant cost. */
DP_API size_t dp_suffix_tree_suffix(const struct dp_suffix_tree *tree, size_t place);

/*
 * The length of the common prefix of the suffixes at place - 1 and place; 0 for place 0. Constant
 * cost.
 */
DP_API size_t dp_suffix_tree_lcp(const struct dp_suffix_tree *tree, size_t place);

/* The memory that the tree occupies in bytes, including its index once built. */
DP_API size_t dp_suffix_tree_bytes(const struct dp_suffix_tree *tree);

/*
 * Visits all internal nodes, children before parents, siblings in order, the root last.
 * parent_depth is the depth of the node's parent (0 for the root's children and for the root). If
 * visit returns a nonzero value, the traversal ends and returns it. Cost: one pass over the LCP
 * array. The nodes between the current one and the root take 32 KiB, and 40 bytes for each change
 * in the difference of their depths (a periodic text has none). Thread-safe. Errors: DP_ERR_NOMEM.
 */
DP_API int dp_suffix_tree_traverse(const struct dp_suffix_tree *tree,
				   int (*visit)(void *ctx, const struct dp_suffix_node *node,
						size_t parent_depth),
				   void *ctx);

/* The root. */
DP_API struct dp_suffix_node dp_suffix_tree_root(const struct dp_suffix_tree *tree);

/*
 * The children of an internal node, leaves included, in the order of their first symbols. A leaf
 * that only the end marker follows comes first and has the depth of the node. Start with
 * dp_suffix_child_first() and continue from *child with dp_suffix_child_next(). Both return 1 if
 * there is a child, 0 at the end, or a negative status. A leaf has no children.
 *
 * The first call of these functions, or of dp_suffix_node_parent(), builds an index of less than
 * five bytes per symbol, and must not run while another thread uses the tree. Errors: DP_ERR_NOMEM.
 * Cost: logarithmic, plus once the index.
 */
DP_API int dp_suffix_child_first(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				 struct dp_suffix_node *child);
DP_API int dp_suffix_child_next(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				struct dp_suffix_node *child);

/* Returns 1 and writes *parent, or returns 0 for the root, or a negative status. */
DP_API int dp_suffix_node_parent(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
				 struct dp_suffix_node *parent);

/*
 * Finds the locus of a pattern: the highest node whose path label starts with the pattern, so that
 * its leaves are the pattern's occurrences. Returns false, without writing *node, if the pattern
 * does not occur. The locus of an empty pattern is the root. Cost: O(length · log count), plus the
 * lesser of the node's depth and leaves if the index of children has not been built. Thread-safe.
 */
DP_API bool dp_suffix_tree_find(const struct dp_suffix_tree *tree, const uint32_t *pattern,
				size_t length, struct dp_suffix_node *node);

/*
 * Writes the positions of up to room leaves under a node: all of them in ascending order if they
 * fit, otherwise the first ones in the order of their suffixes. Returns the number of leaves.
 * Cost: O(leaves · log leaves).
 */
DP_API size_t dp_suffix_node_positions(const struct dp_suffix_tree *tree,
				       const struct dp_suffix_node *node, size_t *positions,
				       size_t room);

/*
 * The longest substring that occurs at least min_leaves and at most max_leaves times: the deepest
 * internal node, other than the root, with that many leaves. Of several, it is the one whose label
 * is smallest. Returns 1 and writes *node, or returns 0 if there is none, or DP_ERR_NOMEM. Cost:
 * one traversal.
 */
DP_API int dp_suffix_tree_longest_repeat(const struct dp_suffix_tree *tree, size_t min_leaves,
					  size_t max_leaves, struct dp_suffix_node *node,
					  struct dp_error *error);

#ifdef __cplusplus
}
#endif

#endif
