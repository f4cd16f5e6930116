/* Building a suffix tree, walking its nodes, finding a pattern in it. */
#include "suffix/tree.h"
#include "base/sort.h"
#include "suffix/arrays.h"

/* Indices of 32 bits are signed, as the sorting marks entries by complement. */
#define NARROW_LIMIT ((size_t)INT32_MAX)

static int rename_symbols(struct dp_suffix_tree *tree, const uint32_t *symbols, unsigned flags)
{
	int status = dp_symbols__init(&tree->symbols, symbols, tree->count);

	if (status)
		return status;
	tree->wide_text = (flags & DP_SUFFIX_WIDE_TEXT) || tree->symbols.count > 0x10000;
	tree->text = dp_alloc__huge(tree->count, tree->wide_text ? 4 : 2);
	if (!tree->text)
		return DP_ERR_NOMEM;
	return dp_symbols__rename(&tree->symbols, symbols, tree->count, tree->text,
				  !tree->wide_text);
}

int dp_suffix__build(struct dp_suffix_tree **tree, const uint32_t *symbols, size_t count,
		     uint32_t *owned, unsigned flags, struct dp_error *error)
{
	struct dp_suffix_tree *made = dp_alloc__zeroed(1, sizeof(*made));
	int status = DP_ERR_NOMEM;
	size_t width;

	if (!made)
		goto out;
	made->count = count;
	made->wide_index = (flags & DP_SUFFIX_WIDE_INDEX) || count > NARROW_LIMIT;
	width = made->wide_index ? 8 : 4;
	status = rename_symbols(made, symbols, flags);
	if (status)
		goto out;
	free(owned);
	owned = NULL;
	made->sa = dp_alloc__huge(count, width);
	made->plcp = dp_alloc__huge(count, width);
	status = made->sa && made->plcp
			 ? dp_arrays__sort(made->text, made->wide_text, made->sa, made->plcp,
					   made->wide_index, count, made->symbols.count)
			 : DP_ERR_NOMEM;
	if (status)
		goto out;
	dp_arrays__plcp(made->text, made->wide_text, made->sa, made->plcp, made->wide_index, count);
	*tree = made;
	made = NULL;
out:
	free(owned);
	dp_suffix_tree_free(made);
	return status ? dp_error__nomem(error, 0) : DP_OK;
}

int dp_suffix_tree_new(struct dp_suffix_tree **tree, const uint32_t *symbols, size_t count,
		       struct dp_error *error)
{
	return dp_suffix__build(tree, symbols, count, NULL, 0, error);
}

int dp_suffix_tree_take(struct dp_suffix_tree **tree, uint32_t *symbols, size_t count,
			struct dp_error *error)
{
	return dp_suffix__build(tree, symbols, count, symbols, 0, error);
}

void dp_suffix_tree_free(struct dp_suffix_tree *tree)
{
	if (!tree)
		return;
	dp_suffix__index_free(tree->index);
	dp_symbols__fini(&tree->symbols);
	free(tree->text);
	free(tree->sa);
	free(tree->plcp);
	free(tree);
}

size_t dp_suffix_tree_count(const struct dp_suffix_tree *tree)
{
	return tree->count;
}

size_t dp_suffix_tree_suffix(const struct dp_suffix_tree *tree, size_t place)
{
	return dp_suffix__sa(tree, place);
}

size_t dp_suffix_tree_lcp(const struct dp_suffix_tree *tree, size_t place)
{
	return dp_suffix__lcp(tree, place);
}

size_t dp_suffix_tree_bytes(const struct dp_suffix_tree *tree)
{
	size_t width = (tree->wide_text ? 4 : 2) + 2 * (tree->wide_index ? 8 : 4);

	return sizeof(*tree) + tree->count * width +
	       tree->symbols.count * sizeof(*tree->symbols.values) +
	       dp_suffix__index_bytes(tree->index);
}

struct dp_suffix_node dp_suffix_tree_root(const struct dp_suffix_tree *tree)
{
	return (struct dp_suffix_node){
		.left = 0,
		.right = tree->count,
		.depth = 0,
		.position = tree->count ? dp_suffix__sa(tree, 0) : 0,
	};
}

/* The common prefix of the suffixes at two places, looked for up to limit. */
static size_t compare_suffixes(const struct dp_suffix_tree *tree, size_t place, size_t other,
			       size_t limit)
{
	size_t a = dp_suffix__sa(tree, place), b = dp_suffix__sa(tree, other), length = 0;

	limit = DP_MIN(limit, tree->count - DP_MAX(a, b));
	while (length < limit &&
	       dp_suffix__symbol(tree, a + length) == dp_suffix__symbol(tree, b + length))
		length++;
	return length;
}

/*
 * Without an index, the cheaper of two ways: compare the outermost suffixes, or look at all LCP
 * values in between (each of which costs about as much as eight compared symbols).
 */
size_t dp_suffix__depth(const struct dp_suffix_tree *tree, size_t left, size_t right)
{
	size_t leaves = right - left, limit, depth;

	if (leaves == 1)
		return tree->count - dp_suffix__sa(tree, left);
	if (tree->index)
		return dp_suffix__least(tree, left + 1, right);
	limit = leaves < tree->count / 8 ? leaves * 8 : tree->count;
	depth = compare_suffixes(tree, left, right - 1, limit);
	if (depth < limit)
		return depth;
	depth = SIZE_MAX;
	for (size_t i = left + 1; i < right; i++)
		depth = DP_MIN(depth, dp_suffix__lcp(tree, i));
	return depth;
}

static bool is_root(const struct dp_suffix_tree *tree, const struct dp_suffix_node *node)
{
	return !node->depth && !node->left && node->right == tree->count;
}

/* Sets *child to the one that begins at a place. Returns 1 or DP_ERR_NOMEM. */
static int child_at(struct dp_suffix_tree *tree, const struct dp_suffix_node *node, size_t left,
		    struct dp_suffix_node *child)
{
	int status = dp_suffix__need_index(tree);

	if (status)
		return status;
	child->left = left;
	child->right = dp_suffix__next_at_most(tree, left + 1, node->right, node->depth);
	child->depth = dp_suffix__depth(tree, child->left, child->right);
	child->position = dp_suffix__sa(tree, left);
	return 1;
}

int dp_suffix_child_first(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
			  struct dp_suffix_node *child)
{
	if (node->left == node->right || (node->right - node->left == 1 && !is_root(tree, node)))
		return 0;
	return child_at(tree, node, node->left, child);
}

int dp_suffix_child_next(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
			 struct dp_suffix_node *child)
{
	return child->right < node->right ? child_at(tree, node, child->right, child) : 0;
}

int dp_suffix_node_parent(struct dp_suffix_tree *tree, const struct dp_suffix_node *node,
			  struct dp_suffix_node *parent)
{
	struct dp_suffix_node up;
	int status;

	if (is_root(tree, node))
		return 0;
	status = dp_suffix__need_index(tree);
	if (status)
		return status;
	up = dp_suffix_tree_root(tree);
	up.depth = dp_suffix__lcp(tree, node->left);
	if (node->right < tree->count)
		up.depth = DP_MAX(up.depth, dp_suffix__lcp(tree, node->right));
	if (up.depth) {
		up.left = dp_suffix__last_below(tree, node->left, up.depth);
		up.right = node->right;
		if (up.right < tree->count)
			up.right = dp_suffix__next_at_most(tree, node->right, tree->count,
							   up.depth - 1);
		up.position = dp_suffix__sa(tree, up.left);
	}
	*parent = up;
	return 1;
}

/* The symbol at a position, as the caller wrote it; the names keep the order. */
static uint32_t original(const struct dp_suffix_tree *tree, size_t position)
{
	return tree->symbols.values[dp_suffix__symbol(tree, position)];
}

/*
 * Compares a pattern with the suffix at a place, whose first *same symbols are known to be its;
 * writes how many are. Negative: the pattern is smaller; 0: the suffix starts with it.
 */
static int compare_pattern(const struct dp_suffix_tree *tree, const uint32_t *pattern,
			   size_t length, size_t place, size_t *same)
{
	size_t start = dp_suffix__sa(tree, place);
	size_t limit = DP_MIN(length, tree->count - start), i = *same;

	while (i < limit && pattern[i] == original(tree, start + i))
		i++;
	*same = i;
	if (i == length)
		return 0;
	return i < limit && pattern[i] < original(tree, start + i) ? -1 : 1;
}

/*
 * The first place from low on whose suffix starts with the pattern or is larger (past: is larger
 * and doesn't). What both ends of the range share with the pattern, all in between share
 * (Manber, Myers, "Suffix arrays", 1993).
 */
static size_t first_from(const struct dp_suffix_tree *tree, const uint32_t *pattern, size_t length,
			 size_t low, bool past)
{
	size_t high = tree->count, low_same = 0, high_same = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		size_t same = DP_MIN(low_same, high_same);
		int order = compare_pattern(tree, pattern, length, middle, &same);

		if (order > 0 || (past && order == 0)) {
			low = middle + 1;
			low_same = same;
		} else {
			high = middle;
			high_same = same;
		}
	}
	return low;
}

bool dp_suffix_tree_find(const struct dp_suffix_tree *tree, const uint32_t *pattern, size_t length,
			 struct dp_suffix_node *node)
{
	size_t left, right;

	if (!length) {
		*node = dp_suffix_tree_root(tree);
		return true;
	}
	left = first_from(tree, pattern, length, 0, false);
	right = first_from(tree, pattern, length, left, true);
	if (left == right)
		return false;
	node->left = left;
	node->right = right;
	node->depth = dp_suffix__depth(tree, left, right);
	node->position = dp_suffix__sa(tree, left);
	return true;
}

size_t dp_suffix_node_positions(const struct dp_suffix_tree *tree,
				const struct dp_suffix_node *node, size_t *positions, size_t room)
{
	size_t leaves = node->right - node->left;

	for (size_t i = 0; i < leaves && i < room; i++)
		positions[i] = dp_suffix__sa(tree, node->left + i);
	if (leaves <= room)
		dp_sort__size(positions, leaves);
	return leaves;
}
